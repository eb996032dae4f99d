/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/spans.h"

#include <string.h>

bool calve_expr__same_term(const calve_term *a, const calve_term *b) {
  return a->field_id == b->field_id && !a->partition == !b->partition &&
         a->has_transform == b->has_transform &&
         (!a->has_transform || calve_transform_equal(&a->transform, &b->transform));
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Signed zeros, NaN and rounded literals leave comparisons open, and so do UUIDs, which engines
 * order in two ways. */
static bool has_one_order(const calve_term *term) {
  calve_type_id id = term->type->id;
  bool repeated = term->node && term->node->inside_repeated;
  return id != CALVE_FLOAT && id != CALVE_DOUBLE && id != CALVE_UUID && !repeated;
}

static bool bounds_above(calve_predicate_op op) {
  return op == CALVE_OP_LT || op == CALVE_OP_LT_EQ || op == CALVE_OP_EQ || op == CALVE_OP_IN;
}

static bool bounds_below(calve_predicate_op op) {
  return op == CALVE_OP_GT || op == CALVE_OP_GT_EQ || op == CALVE_OP_EQ || op == CALVE_OP_IN;
}

static void narrow(const calve_predicate *p, const calve_term *term, calve_expr_interval *out) {
  if (p->op == CALVE_OP_AND) {
    for (size_t i = 0; i < p->count; i++) narrow(p->children[i], term, out);
    return;
  }
  if (!calve_predicate_is_leaf(p) || p->count == 0 || !calve_expr__same_term(&p->term, term))
    return;
  const calve_value *first = &p->literals[0], *last = &p->literals[p->count - 1];
  if (bounds_below(p->op) && (!out->lower || calve_value_compare(first, out->lower) > 0)) {
    out->lower = first;
    out->lower_leaf = p;
  }
  if (bounds_above(p->op) && (!out->upper || calve_value_compare(last, out->upper) < 0)) {
    out->upper = last;
    out->upper_leaf = p;
  }
}

bool calve_expr__interval_of(const calve_predicate *p, const calve_term *term,
                             calve_expr_interval *out) {
  *out = (calve_expr_interval){0};
  narrow(p, term, out);
  return out->lower || out->upper;
}

const calve_term *calve_expr__bounded_term(const calve_predicate *p) {
  if (p->op == CALVE_OP_AND) {
    const calve_term *found = NULL;
    for (size_t i = 0; i < p->count && !found; i++)
      found = calve_expr__bounded_term(p->children[i]);
    return found;
  }
  if (!calve_predicate_is_leaf(p) || p->count == 0 || !has_one_order(&p->term)) return NULL;
  return bounds_above(p->op) || bounds_below(p->op) ? &p->term : NULL;
}

int calve_expr__compare_lower(const calve_expr_interval *a, const calve_expr_interval *b) {
  if (!a->lower || !b->lower) return (a->lower != NULL) - (b->lower != NULL);
  return calve_value_compare(a->lower, b->lower);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* The children from `first` on that bound the same term, in order. */
static size_t run_length(const calve_predicate *const *children, size_t count, size_t first,
                         const calve_term *term) {
  calve_expr_interval last, next;
  if (!calve_expr__interval_of(children[first], term, &last)) return 0;
  size_t end = first + 1;
  for (; end < count && calve_expr__interval_of(children[end], term, &next); end++) {
    if (calve_expr__compare_lower(&last, &next) > 0) break;
    last = next;
  }
  return end - first;
}

static calve_status make_span(const calve_predicate *const *children, calve_expr_span *span,
                              calve_arena *arena, calve_error *err) {
  span->lowers = CALVE_NEW_ARRAY(arena, calve_value, span->count);
  span->highest = CALVE_NEW_ARRAY(arena, calve_value, span->count);
  if (!span->lowers || !span->highest) return calve_fail_oom(err);
  span->closed = span->count;
  for (size_t i = 0; i < span->count; i++) {
    calve_expr_interval interval;
    calve_expr__interval_of(children[span->first + i], span->term, &interval);
    if (interval.lower)
      span->lowers[i] = *interval.lower;
    else
      span->without_lower = i + 1;
    if (!interval.upper && span->closed > i) span->closed = i;
    if (span->closed <= i) continue;
    bool rises = i == 0 || calve_value_compare(interval.upper, &span->highest[i - 1]) > 0;
    span->highest[i] = rises ? *interval.upper : span->highest[i - 1];
  }
  return CALVE_OK;
}

calve_status calve_expr__spans_make(const calve_predicate *const *children, size_t count,
                                    calve_arena *arena, const calve_expr_spans **out,
                                    calve_error *err) {
  *out = NULL;
  if (count < CALVE_EXPR_SPAN_MIN) return CALVE_OK;
  calve_expr_spans *spans = CALVE_NEW(arena, calve_expr_spans);
  calve_expr_span *items = CALVE_NEW_ARRAY(arena, calve_expr_span, count / CALVE_EXPR_SPAN_MIN);
  if (!spans || !items) return calve_fail_oom(err);
  spans->items = items;
  for (size_t at = 0; at < count;) {
    const calve_term *term = calve_expr__bounded_term(children[at]);
    size_t length = term ? run_length(children, count, at, term) : 0;
    if (length >= CALVE_EXPR_SPAN_MIN) {
      calve_expr_span *span = &items[spans->count++];
      *span = (calve_expr_span){.term = term, .first = at, .count = length};
      CALVE_TRY(make_span(children, span, arena, err));
    }
    at += length > 0 ? length : 1;
  }
  if (spans->count > 0) *out = spans;
  return CALVE_OK;
}

/* ---- finding --------------------------------------------------------------------------------- */

/* The first of values[low..high), which are sorted, that is not below v; or above it. */
static size_t first_from(const calve_value *values, size_t low, size_t high, const calve_value *v,
                         bool above) {
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = calve_value_compare(&values[middle], v);
    if (order < 0 || (above && order == 0))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void calve_expr__span_find(const calve_expr_span *span, const calve_expr_range *r, size_t *first,
                           size_t *end) {
  *first = span->first;
  *end = span->first + span->count;
  if (r->may_nan || r->beyond) return;
  if (!r->may_value) { /* a null meets no comparison; of no rows at all, anything holds           */
    if (r->may_null) *end = *first;
    return;
  }
  if (r->has_upper)
    *end =
        span->first + first_from(span->lowers, span->without_lower, span->count, &r->upper, true);
  if (r->has_lower)
    *first = span->first + first_from(span->highest, 0, span->closed, &r->lower, false);
  if (*first > *end) *first = *end;
}
