/* SPDX-License-Identifier: Apache-2.0 */
/* runner/predicates: predicates in the form that the vectors have.
 * In: JSON such as {"op":"lt","ref":"c","values_hex":["05000000"]}. Out: predicates; and a text by
 * which two predicates are compared that mean the same: NOT pushed down, AND and OR flat, sets
 * sorted, a set of one as an equality. */
#ifndef CALVE_TESTS_PREDICATES_H
#define CALVE_TESTS_PREDICATES_H

#include "expr/predicate.h"
#include "runner/runner.h"

/* How names in an expression get their types: columns of a schema, or fields of a spec's tuple. */
typedef struct naming {
  const calve_schema *schema;
  const calve_spec *spec;               /* or NULL                                               */
  const calve_type *const *tuple_types; /* of the spec's fields                                  */
} naming;

/* NULL after row_unusable. */
const calve_predicate *predicate_of(run *r, const calve_json *j, const naming *names);
const char *predicate_text(run *r, const calve_predicate *p);
/* What predicate_text gives for the predicate that `j` is; "unusable" when a value in it is not of
 * its type. */
const char *expected_predicate(run *r, const calve_json *j, const naming *names);
/* What the predicate becomes when it is printed as SQL, parsed and bound again; NULL after a
 * failed expectation. */
const struct calve_bound *reread(run *r, const struct calve_bound *bound,
                                 const calve_schema *schema);

#endif
