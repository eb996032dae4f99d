/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/judge.h"

#include <string.h>

#include "base/calendar.h"
#include "base/text.h"

/* How a value may stand to a literal. More than one where the order is open. */
enum { BELOW = 1, SAME = 2, ABOVE = 4 };

static bool is_float(const calve_type *type) {
  return type->id == CALVE_FLOAT || type->id == CALVE_DOUBLE;
}

/* calve_value_compare, with the types of most partitions and bounds decided here: this is where
 * planning spends its time. */
static int compare_values(const calve_value *a, const calve_value *b) {
  switch (a->type) {
    case CALVE_INT:
    case CALVE_DATE:
      return (a->i32 > b->i32) - (a->i32 < b->i32);
    case CALVE_LONG:
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
      return (a->i64 > b->i64) - (a->i64 < b->i64);
    default:
      return calve_value_compare(a, b);
  }
}

static double number_of(const calve_value *v) {
  return v->type == CALVE_FLOAT ? (double)v->f32 : v->f64;
}

/* Engines differ on whether -0.0 equals 0.0, and a double literal that was rounded to a float
 * column may lie on either side of the float: pruning has to hold for all readings. */
static unsigned relation(const calve_value *v, const calve_value *literal, bool rounded,
                         bool one_order) {
  int order = compare_values(v, literal);
  unsigned found = order < 0 ? BELOW : order > 0 ? ABOVE : SAME;
  if (one_order) return found;
  if (order == 0) return rounded ? BELOW | SAME | ABOVE : SAME;
  bool floats = v->type == CALVE_FLOAT || v->type == CALVE_DOUBLE;
  if (floats && number_of(v) == number_of(literal)) found |= SAME;
  return found;
}

static unsigned lower_to(const calve_predicate *leaf, const calve_value *literal,
                         const calve_expr_range *r) {
  if (r->beyond) return r->beyond < 0 ? BELOW : ABOVE;
  if (!r->has_lower) return BELOW | SAME | ABOVE;
  return relation(&r->lower, literal, leaf->rounded, r->one_order);
}

static unsigned upper_to(const calve_predicate *leaf, const calve_value *literal,
                         const calve_expr_range *r) {
  if (r->beyond) return r->beyond < 0 ? BELOW : ABOVE;
  if (!r->has_upper) return BELOW | SAME | ABOVE;
  return relation(&r->upper, literal, leaf->rounded, r->one_order);
}

/* ---- ranges --------------------------------------------------------------------------------- */

void calve_expr__range_unknown(const calve_type *type, calve_expr_range *out) {
  out->may_null = true;
  out->may_value = true;
  out->may_nan = is_float(type);
  out->has_lower = false;
  out->has_upper = false;
  out->beyond = 0;
  out->one_order = false;
}

static bool day_to_timestamp(int32_t day, calve_type_id to, int64_t *out) {
  bool ns = to == CALVE_TIMESTAMP_NS || to == CALVE_TIMESTAMPTZ_NS;
  return !__builtin_mul_overflow((int64_t)day, ns ? CALVE_NS_PER_DAY : CALVE_US_PER_DAY, out);
}

static bool is_timestamp(calve_type_id id) {
  return id == CALVE_TIMESTAMP || id == CALVE_TIMESTAMPTZ || id == CALVE_TIMESTAMP_NS ||
         id == CALVE_TIMESTAMPTZ_NS;
}

/* A value as files hold it, as one of the type that the schema has now. False: no such promotion.
 * Partition tuples keep the width of the day they were written. [spec: Schema Evolution] */
static bool widen(const calve_value *v, const calve_type *type, calve_value *out) {
  *out = *v;
  out->type = type->id;
  if (v->type == type->id)
    return type->id != CALVE_DECIMAL ||
           calve_decimal_rescale(v->i128, v->scale, type->scale, &out->i128);
  switch (v->type) {
    case CALVE_INT:
      if (type->id == CALVE_LONG) out->i64 = v->i32;
      return type->id == CALVE_LONG || type->id == CALVE_DATE;
    case CALVE_DATE:
      if (is_timestamp(type->id)) return day_to_timestamp(v->i32, type->id, &out->i64);
      return type->id == CALVE_INT;
    case CALVE_LONG:
      out->i32 = (int32_t)v->i64;
      return (type->id == CALVE_INT || type->id == CALVE_DATE) && out->i32 == v->i64;
    case CALVE_FLOAT:
      out->f64 = (double)v->f32;
      return type->id == CALVE_DOUBLE;
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
      return type->id == CALVE_TIMESTAMP || type->id == CALVE_TIMESTAMPTZ;
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      return type->id == CALVE_TIMESTAMP_NS || type->id == CALVE_TIMESTAMPTZ_NS;
    case CALVE_BINARY:
      return type->id == CALVE_FIXED;
    case CALVE_FIXED:
      return type->id == CALVE_BINARY;
    default:
      return false;
  }
}

void calve_expr__range_of_value(const calve_type *type, const calve_value *v,
                                calve_expr_range *out) {
  calve_expr__range_unknown(type, out);
  if (v->is_null) {
    out->may_value = false;
    out->may_nan = false;
    return;
  }
  if (!widen(v, type, &out->lower)) return;
  if (type->id == CALVE_DECIMAL) out->lower.scale = (int16_t)type->scale;
  out->may_null = false;
  out->may_nan = calve_value_is_nan(&out->lower);
  out->may_value = !out->may_nan;
  if (out->may_nan) return;
  out->upper = out->lower;
  out->has_lower = true;
  out->has_upper = true;
}

/* Java compares the two halves of a UUID as signed numbers, and bounds that it wrote hold in that
 * order. The first halves alone bound in both orders, unless they are inverted in ours. */
static void widen_uuids(calve_value *lower, calve_value *upper) {
  if (memcmp(lower->uuid, upper->uuid, sizeof lower->uuid) == 0) return;
  memset(lower->uuid + 8, 0, 8);
  memset(upper->uuid + 8, 0xff, 8);
}

static bool decode_bound(const calve_type *type, calve_str bytes, calve_value *out) {
  if (!bytes.data) return false;
  bool wide =
      type->id == CALVE_LONG || type->id == CALVE_TIMESTAMP || type->id == CALVE_TIMESTAMPTZ;
  if (wide && bytes.size == 8) { /* the most common bounds, as fast as they can be had */
    out->type = type->id;
    out->is_null = false;
    out->i64 = (int64_t)calve_load_le64((const uint8_t *)bytes.data);
    return true;
  }
  return calve_value_from_bytes(type, bytes, out, NULL) == CALVE_OK && !calve_value_is_nan(out);
}

void calve_expr__range_bounds(const calve_type *type, calve_str lower, calve_str upper,
                              calve_expr_range *r) {
  r->has_lower = decode_bound(type, lower, &r->lower);
  r->has_upper = decode_bound(type, upper, &r->upper);
  bool uuid = type->id == CALVE_UUID;
  bool both = r->has_lower && r->has_upper;
  bool inverted = both && compare_values(&r->lower, &r->upper) > 0;
  if (inverted || (uuid && !both)) {
    r->has_lower = false;
    r->has_upper = false;
  }
  if (uuid && r->has_lower) widen_uuids(&r->lower, &r->upper);
}

void calve_expr__range_transform(const calve_term *term, calve_expr_range *r) {
  const calve_transform *t = &term->transform;
  if (t->kind == CALVE_IDENTITY) return;
  if (t->kind == CALVE_VOID) {
    r->may_null = r->may_null || r->may_value || r->may_nan;
    r->may_value = false;
    r->may_nan = false;
    return;
  }
  bool single = r->has_lower && r->has_upper && compare_values(&r->lower, &r->upper) == 0;
  if (!single && !calve_transform_preserves_order(t)) {
    r->has_lower = false;
    r->has_upper = false;
    return;
  }
  calve_value from = r->lower;
  if (r->has_lower)
    r->has_lower = calve_transform_apply(t, term->source_type, &from, &r->lower, NULL) == CALVE_OK;
  from = r->upper;
  if (r->has_upper)
    r->has_upper = calve_transform_apply(t, term->source_type, &from, &r->upper, NULL) == CALVE_OK;
}

/* ---- leaves: the values that are neither null nor NaN ---------------------------------------- */

/* First literal that is not below v; literals are sorted. */
static size_t first_not_below(const calve_predicate *leaf, const calve_value *v) {
  size_t low = 0, high = leaf->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_values(&leaf->literals[middle], v) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* A literal that lies within the bounds. One binary search however long the list is. */
static bool might_be_in(const calve_predicate *leaf, const calve_expr_range *r) {
  if (leaf->count == 0 || r->beyond) return false;
  size_t at = r->has_lower ? first_not_below(leaf, &r->lower) : 0;
  if (at > 0 && (lower_to(leaf, &leaf->literals[at - 1], r) & SAME)) return true; /* -0.0 to 0.0 */
  return at < leaf->count && (upper_to(leaf, &leaf->literals[at], r) & (SAME | ABOVE)) != 0;
}

static bool must_be_in(const calve_predicate *leaf, const calve_expr_range *r) {
  if (!r->has_lower || !r->has_upper || leaf->count == 0) return false;
  size_t at = first_not_below(leaf, &r->lower);
  if (at == leaf->count) return false;
  return lower_to(leaf, &leaf->literals[at], r) == SAME &&
         upper_to(leaf, &leaf->literals[at], r) == SAME;
}

static int compare_start(const calve_value *v, calve_str prefix) {
  calve_str start = v->bytes;
  if (start.size > prefix.size) start.size = prefix.size;
  return calve_str_compare(start, prefix);
}

static bool might_start_with(const calve_predicate *leaf, const calve_expr_range *r) {
  calve_str prefix = leaf->literals[0].bytes;
  if (r->has_lower && compare_start(&r->lower, prefix) > 0) return false;
  return !r->has_upper || compare_start(&r->upper, prefix) >= 0;
}

/* What lies between two strings that share a prefix has it too. */
static bool must_start_with(const calve_predicate *leaf, const calve_expr_range *r) {
  calve_str prefix = leaf->literals[0].bytes;
  return r->has_lower && r->has_upper && calve_str_starts_with(r->lower.bytes, prefix) &&
         calve_str_starts_with(r->upper.bytes, prefix);
}

static bool value_might(const calve_predicate *leaf, const calve_expr_range *r) {
  const calve_value *literal = leaf->count ? &leaf->literals[0] : NULL;
  switch (leaf->op) {
    case CALVE_OP_NOT_NULL:
    case CALVE_OP_NOT_NAN:
      return true;
    case CALVE_OP_LT:
      return (lower_to(leaf, literal, r) & BELOW) != 0;
    case CALVE_OP_LT_EQ:
      return (lower_to(leaf, literal, r) & (BELOW | SAME)) != 0;
    case CALVE_OP_GT:
      return (upper_to(leaf, literal, r) & ABOVE) != 0;
    case CALVE_OP_GT_EQ:
      return (upper_to(leaf, literal, r) & (ABOVE | SAME)) != 0;
    case CALVE_OP_EQ:
      return (lower_to(leaf, literal, r) & (BELOW | SAME)) != 0 &&
             (upper_to(leaf, literal, r) & (ABOVE | SAME)) != 0;
    case CALVE_OP_IN:
      return might_be_in(leaf, r);
    case CALVE_OP_STARTS_WITH:
      return might_start_with(leaf, r);
    case CALVE_OP_NOT_EQ:
      return !(lower_to(leaf, literal, r) == SAME && upper_to(leaf, literal, r) == SAME);
    case CALVE_OP_NOT_IN:
      return !must_be_in(leaf, r);
    case CALVE_OP_NOT_STARTS_WITH:
      return !must_start_with(leaf, r);
    default:
      return false; /* IS_NULL, IS_NAN */
  }
}

static bool value_must(const calve_predicate *leaf, const calve_expr_range *r) {
  const calve_value *literal = leaf->count ? &leaf->literals[0] : NULL;
  unsigned open;
  switch (leaf->op) {
    case CALVE_OP_NOT_NULL:
    case CALVE_OP_NOT_NAN:
      return true;
    case CALVE_OP_LT:
      return upper_to(leaf, literal, r) == BELOW;
    case CALVE_OP_LT_EQ:
      open = upper_to(leaf, literal, r);
      return !(open & ABOVE);
    case CALVE_OP_GT:
      return lower_to(leaf, literal, r) == ABOVE;
    case CALVE_OP_GT_EQ:
      open = lower_to(leaf, literal, r);
      return !(open & BELOW);
    case CALVE_OP_EQ:
      return lower_to(leaf, literal, r) == SAME && upper_to(leaf, literal, r) == SAME;
    case CALVE_OP_IN:
      return must_be_in(leaf, r);
    case CALVE_OP_STARTS_WITH:
      return must_start_with(leaf, r);
    case CALVE_OP_NOT_EQ:
      return !(lower_to(leaf, literal, r) & (BELOW | SAME)) ||
             !(upper_to(leaf, literal, r) & (ABOVE | SAME));
    case CALVE_OP_NOT_IN:
      return !might_be_in(leaf, r);
    case CALVE_OP_NOT_STARTS_WITH:
      return !might_start_with(leaf, r);
    default:
      return false;
  }
}

/* ---- leaves: nulls, NaN and values ----------------------------------------------------------- */

bool calve_expr__null_might(calve_predicate_op op) {
  return op == CALVE_OP_IS_NULL || op == CALVE_OP_NOT_NAN || op == CALVE_OP_NOT_EQ ||
         op == CALVE_OP_NOT_IN || op == CALVE_OP_NOT_STARTS_WITH;
}

static bool nan_matches(calve_predicate_op op) {
  return op == CALVE_OP_NOT_NULL || op == CALVE_OP_IS_NAN || op == CALVE_OP_NOT_EQ ||
         op == CALVE_OP_NOT_IN;
}

/* DuckDB, Spark and the reference's rows have NaN above all numbers; IEEE 754 has it nowhere. So a
 * NaN row might match `c > 5`, but needn't. */
bool calve_expr__nan_might(calve_predicate_op op) {
  return nan_matches(op) || op == CALVE_OP_GT || op == CALVE_OP_GT_EQ;
}

bool calve_expr__might(const calve_predicate *leaf, const calve_expr_range *r) {
  return (r->may_null && calve_expr__null_might(leaf->op)) ||
         (r->may_nan && calve_expr__nan_might(leaf->op)) || (r->may_value && value_might(leaf, r));
}

bool calve_expr__must(const calve_predicate *leaf, const calve_expr_range *r) {
  return (!r->may_null || calve_expr__null_might(leaf->op)) &&
         (!r->may_nan || nan_matches(leaf->op)) && (!r->may_value || value_must(leaf, r));
}
