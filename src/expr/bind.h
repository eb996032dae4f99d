/* SPDX-License-Identifier: Apache-2.0 */
/* expr/bind: names become field ids, literals become values of the column's type.
 * In: an unbound predicate and a schema. Out: calve_bound, ready to project and evaluate. May be
 * used by every room below expr. Never guesses: a name or literal that does not fit is an error
 * that names it. [reference: binding of expressions] */
#ifndef CALVE_EXPR_BIND_H
#define CALVE_EXPR_BIND_H

#include "expr/predicate.h"

/* Which statistics of a column the metrics evaluators look at. */
enum { CALVE_NEEDS_COUNTS = 1, CALVE_NEEDS_NAN_COUNT = 2, CALVE_NEEDS_BOUNDS = 4 };

typedef struct calve_bound_column {
  const calve_schema_node *node;
  unsigned needs; /* CALVE_NEEDS_…                                                              */
} calve_bound_column;

/* Free of NOT; AND and OR are flat and hold no constants; IN lists are sorted. */
typedef struct calve_bound {
  const calve_predicate *root;
  size_t column_count; /* distinct columns that root asks about                                 */
  const calve_bound_column *columns; /* term.slot is the index                                  */
  bool exact; /* false when `lenient` turned something into true                                */
} calve_bound;

typedef struct calve_bind_options {
  bool case_insensitive; /* names; two columns that fit are an error                            */
  bool exact_first; /* with it: a name that is written as the column's is means that one        */
  bool loose; /* SQL that engines read in their own ways lets in what any of them does, and is not
                 exact, instead of an error: a date compared with '2026-03-01 12:00:00', NaN     */
  bool lenient; /* a literal that has no value of the column's type makes its condition true
                   instead of an error (for a WHERE that an engine checks anyway)          */
} calve_bind_options;

/* options NULL: all false. Literals beyond the type's range fold: `int_col < 3000000000` becomes
 * "not null", or true where the column is required (the reference: always true, which also takes
 * the null rows). CALVE_ENOTFOUND suggests the nearest name; CALVE_EINVAL for a literal that does
 * not fit, is_nan on no float, starts_with on no string, a transform that does not accept the
 * column. Predicates on the inside of a list or map bind, and nothing is known about them. */
CALVE_MUST_USE calve_status calve_bind(const calve_predicate *p, const calve_schema *schema,
                                       const calve_bind_options *options, calve_arena *arena,
                                       const calve_bound **out, calve_error *err);

/* The same for a predicate that names partition fields of the spec. A field of unknown type or
 * transform, or with a dropped source, binds to true. */
CALVE_MUST_USE calve_status calve_bind_partition(const calve_predicate *p, const calve_spec *spec,
                                                 const calve_schema *schema, calve_arena *arena,
                                                 const calve_predicate **out, calve_error *err);

#endif
