/* SPDX-License-Identifier: Apache-2.0 */
/* expr/predicate_json: Iceberg's JSON form of expressions, which REST catalogs and reports use.
 * In: JSON. Out: an unbound predicate; and back. May be used by every room below expr.
 * Never recurses deeper than JSON may nest. [reference: expression JSON of the REST catalog] */
#ifndef CALVE_EXPR_PREDICATE_JSON_H
#define CALVE_EXPR_PREDICATE_JSON_H

#include "expr/predicate.h"

/* With a schema (may be NULL) literals are read as single values of the term's type, which must
 * exist (names without case); without one, whole numbers are long, others double. CALVE_EINVAL
 * names what is wrong. */
CALVE_MUST_USE calve_status calve_predicate_read_json(const calve_json *json,
                                                      const calve_schema *schema,
                                                      calve_arena *arena,
                                                      const calve_predicate **out,
                                                      calve_error *err);
CALVE_MUST_USE calve_status calve_predicate_parse_json(calve_str text, const calve_schema *schema,
                                                       calve_arena *arena,
                                                       const calve_predicate **out,
                                                       calve_error *err);
/* Bound and unbound ones; AND and OR of many children as a balanced tree of pairs. A partition
 * field stands by its name. */
void calve_predicate_write_json(const calve_predicate *p, calve_json_writer *w);

#endif
