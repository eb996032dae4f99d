/* SPDX-License-Identifier: Apache-2.0 */
/* expr/judge: what is known about one term's values in a set of rows, and what follows for a leaf.
 * In: a range, made from a manifest's summary, a tuple's value, a file's statistics or a row. Out:
 * might some row match, must every row match. Private to expr: one judge for all evaluators, so
 * that they can't disagree. Never allocates, never fails: what is not known is possible. */
#ifndef CALVE_EXPR_JUDGE_H
#define CALVE_EXPR_JUDGE_H

#include "expr/predicate.h"

typedef struct calve_expr_range {
  bool may_null, may_nan; /* a row may hold null, NaN                                           */
  bool may_value;         /* … or a value that is neither                                       */
  bool has_lower, has_upper;
  calve_value lower, upper; /* of the values that are neither; of the term's type               */
  int8_t beyond; /* rows: the transform's result lies below (-1) or above (1) all values          */
  bool one_order; /* -0.0 is below 0.0 and literals mean what they say: for rows. Otherwise a
                     comparison that signed zeros or a rounded literal leave open stays open    */
} calve_expr_range;

void calve_expr__range_unknown(const calve_type *type, calve_expr_range *out);
/* One value, of the term's source type or one that was promoted since. */
void calve_expr__range_of_value(const calve_type *type, const calve_value *v,
                                calve_expr_range *out);
/* Takes a bound in single-value bytes into the range; malformed ones and NaN stay unknown. After
 * both were taken, an inverted pair is dropped. */
void calve_expr__range_bounds(const calve_type *type, calve_str lower, calve_str upper,
                              calve_expr_range *range);
/* The range of transform(value), from the range of the values. */
void calve_expr__range_transform(const calve_term *term, calve_expr_range *range);

/* Whether a null, or a NaN, may meet a condition with that operator. */
bool calve_expr__null_might(calve_predicate_op op);
bool calve_expr__nan_might(calve_predicate_op op);
bool calve_expr__might(const calve_predicate *leaf, const calve_expr_range *range);
bool calve_expr__must(const calve_predicate *leaf, const calve_expr_range *range);

/* What a tuple tells of a partition field's term (evaluate.c). */
void calve_expr__tuple_range(const calve_term *term, const calve_value *tuple, size_t count,
                             calve_expr_range *out);
/* Whether some row might match the tree; columns: what is known, by slot (evaluate.c). */
bool calve_expr__might_tree(const calve_predicate *tree, const calve_expr_range *columns);

#endif
