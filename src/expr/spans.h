/* SPDX-License-Identifier: Apache-2.0 */
/* expr/spans: which parts of a long OR can be about a value, without a look at each.
 * In: the children of an OR, in the order of what they ask of one term. Out: an index over them; of
 * a range of values, the children whose bounds reach into it. Private to expr. Says nothing on what
 * a child means: those that are found are judged as any other, those that are left out would be
 * judged to match nothing. [reference: none] */
#ifndef CALVE_EXPR_SPANS_H
#define CALVE_EXPR_SPANS_H

#include "base/arena.h"
#include "expr/judge.h"

/* An index pays from here on. */
#define CALVE_EXPR_SPAN_MIN 8

/* What a predicate asks of a term's values. */
typedef struct calve_expr_interval {
  const calve_value *lower, *upper; /* NULL: no bound                                           */
  const calve_predicate *lower_leaf, *upper_leaf; /* that say so                                */
} calve_expr_interval;

/* Bounds of the term in all rows that may match p: a comparison, or an AND that holds some. False
 * when it says nothing. */
bool calve_expr__interval_of(const calve_predicate *p, const calve_term *term,
                             calve_expr_interval *out);
/* The first term that p bounds, of a type whose order is beyond doubt; NULL: none. */
const calve_term *calve_expr__bounded_term(const calve_predicate *p);
bool calve_expr__same_term(const calve_term *a, const calve_term *b); /* of bound ones          */
/* Order of lower bounds: none is least. */
int calve_expr__compare_lower(const calve_expr_interval *a, const calve_expr_interval *b);

/* children[first .. first + count): each bounds the term, in the order of their lower bounds. */
typedef struct calve_expr_span {
  const calve_term *term;
  size_t first, count;
  size_t without_lower; /* so many at the start                                                 */
  size_t closed;        /* so many at the start have upper bounds                               */
  calve_value *lowers;  /* count of them; those at the start are not set                        */
  calve_value *highest; /* upper bounds, or that of a child before it when that is greater      */
} calve_expr_span;

typedef struct calve_expr_spans {
  size_t count;
  const calve_expr_span *items; /* by `first`                                                   */
} calve_expr_spans;

/* Finds the runs of children that are in order. *out is NULL when there is none to speak of. */
CALVE_MUST_USE calve_status calve_expr__spans_make(const calve_predicate *const *children,
                                                   size_t count, calve_arena *arena,
                                                   const calve_expr_spans **out, calve_error *err);
/* Children *first .. *end of the span may match a row in the range, or all of its rows; the others
 * can't. */
void calve_expr__span_find(const calve_expr_span *span, const calve_expr_range *range,
                           size_t *first, size_t *end);

#endif
