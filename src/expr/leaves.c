/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/leaves.h"

static void sift_down(calve_value *v, size_t root, size_t count) {
  for (size_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && calve_value_compare(&v[child], &v[child + 1]) < 0) child++;
    if (calve_value_compare(&v[root], &v[child]) >= 0) return;
    calve_value moved = v[root];
    v[root] = v[child];
    v[child] = moved;
  }
}

/* A heap sort: in place, where qsort of the C library may allocate. */
static void sort_values(calve_value *v, size_t count) {
  size_t sorted = 1;
  while (sorted < count && calve_value_compare(&v[sorted - 1], &v[sorted]) <= 0) sorted++;
  if (sorted >= count) return;
  for (size_t i = count / 2; i-- > 0;) sift_down(v, i, count);
  for (size_t end = count; --end > 0;) {
    calve_value moved = v[0];
    v[0] = v[end];
    v[end] = moved;
    sift_down(v, 0, end);
  }
}

const calve_predicate *calve_expr__sort_set(calve_predicate *p, calve_value *values) {
  bool in = p->op == CALVE_OP_IN;
  if (p->count == 0) return in ? &calve_predicate_false : &calve_predicate_true;
  sort_values(values, p->count);
  size_t kept = 1;
  for (size_t i = 1; i < p->count; i++)
    if (calve_value_compare(&values[kept - 1], &values[i]) != 0) values[kept++] = values[i];
  p->count = kept;
  if (kept == 1) p->op = in ? CALVE_OP_EQ : CALVE_OP_NOT_EQ;
  return p;
}

bool calve_expr__neighbour(const calve_value *v, int by, calve_value *out) {
  *out = *v;
  switch (v->type) {
    case CALVE_INT:
    case CALVE_DATE:
      return !__builtin_add_overflow(v->i32, by, &out->i32);
    case CALVE_LONG:
    case CALVE_TIME:
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      return !__builtin_add_overflow(v->i64, (int64_t)by, &out->i64);
    case CALVE_DECIMAL:
      out->i128 = v->i128 + by; /* at most 39 digits                                             */
      return true;
    default:
      return false;
  }
}
