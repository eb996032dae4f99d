/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/sql_item.h"

#include "base/calendar.h"
#include "base/text.h"
#include "expr/literal.h"
#include "expr/unit_range.h"

#define EPOCH_YEAR 1970

/* ---- leaves -----------------------------------------------------------------------------------
 */

static calve_status one_leaf(const calve_term *term, calve_predicate_op op,
                             const calve_value *literal, calve_arena *arena,
                             const calve_predicate **out, calve_error *err) {
  /* NaN is greatest to some engines and unordered to others */
  if (calve_value_is_nan(literal)) {
    *out = &calve_predicate_sql_unknown;
    return CALVE_OK;
  }
  return calve_predicate_leaf(op, term, literal, 1, arena, out, err);
}

static calve_status pair(calve_predicate_op op, const calve_predicate *a, const calve_predicate *b,
                         calve_arena *arena, const calve_predicate **out, calve_error *err) {
  const calve_predicate *both[2] = {a, b};
  return op == CALVE_OP_AND ? calve_predicate_and(both, 2, arena, out, err)
                            : calve_predicate_or(both, 2, arena, out, err);
}

static calve_predicate_op mirrored(calve_predicate_op op) {
  switch (op) {
    case CALVE_OP_LT:
      return CALVE_OP_GT;
    case CALVE_OP_LT_EQ:
      return CALVE_OP_GT_EQ;
    case CALVE_OP_GT:
      return CALVE_OP_LT;
    case CALVE_OP_GT_EQ:
      return CALVE_OP_LT_EQ;
    default:
      return op;
  }
}

static bool is_time(calve_type_id id) {
  return id == CALVE_DATE || (id >= CALVE_TIMESTAMP && id <= CALVE_TIMESTAMPTZ_NS);
}

static bool is_number(calve_type_id id) {
  return id <= CALVE_DECIMAL && id != CALVE_BOOLEAN;
}

/* ---- date_trunc, casts to date and units compared with dates ------------------------------------
 */

/* Whether a moment starts a unit: then `date_trunc(unit, c) < moment` is about whole units. */
static bool starts_unit(calve_transform_kind unit, int64_t us) {
  if (unit == CALVE_HOUR) return calve_floor_mod(us, CALVE_US_PER_HOUR) == 0;
  if (calve_floor_mod(us, CALVE_US_PER_DAY) != 0) return false;
  calve_civil civil = calve_civil_of_day(calve_floor_div(us, CALVE_US_PER_DAY));
  return unit == CALVE_DAY || (civil.day == 1 && (unit == CALVE_MONTH || civil.month == 1));
}

/* date_trunc(unit, c) op moment, as a comparison of the unit's ordinal. */
static calve_status compare_floor(const calve_term *term, calve_predicate_op op,
                                  const calve_value *literal, calve_arena *arena,
                                  const calve_predicate **out, calve_error *err) {
  const calve_type *timestamp = calve_type_of(CALVE_TIMESTAMPTZ);
  calve_value moment, ordinal;
  calve_expr_fit fit;
  *out = &calve_predicate_sql_unknown;
  if (!is_time(literal->type) && literal->type != CALVE_STRING) return CALVE_OK;
  CALVE_TRY(calve_expr__convert(literal, timestamp, true, arena, &moment, &fit, err));
  if (fit != CALVE_FIT_EXACT && fit != CALVE_FIT_BETWEEN) return CALVE_OK;
  if (calve_transform_apply(&term->transform, timestamp, &moment, &ordinal, NULL) != CALVE_OK)
    return CALVE_OK;
  bool starts = fit == CALVE_FIT_EXACT && starts_unit(term->transform.kind, moment.i64);
  if (!starts && (op == CALVE_OP_EQ || op == CALVE_OP_NOT_EQ)) return CALVE_OK;
  if (!starts && op == CALVE_OP_LT) op = CALVE_OP_LT_EQ;
  if (!starts && op == CALVE_OP_GT_EQ) op = CALVE_OP_GT;
  return calve_predicate_leaf(op, term, &ordinal, 1, arena, out, err);
}

/* year(c) op number: Iceberg counts years from 1970. */
static calve_status compare_year(const calve_term *term, calve_predicate_op op,
                                 const calve_value *literal, calve_arena *arena,
                                 const calve_predicate **out, calve_error *err) {
  calve_value years = *literal;
  *out = &calve_predicate_sql_unknown;
  if (literal->type != CALVE_LONG || __builtin_sub_overflow(years.i64, EPOCH_YEAR, &years.i64))
    return CALVE_OK;
  return calve_predicate_leaf(op, term, &years, 1, arena, out, err);
}

/* ---- comparisons ------------------------------------------------------------------------------
 */

static calve_status compare_term(const calve_expr_item *item, calve_predicate_op op,
                                 const calve_value *literal, calve_arena *arena,
                                 const calve_predicate **out, calve_error *err) {
  bool unit = item->kind == CALVE_ITEM_TERM && calve_expr__is_unit(&item->term);
  if (unit && literal->type == CALVE_STRING) {
    calve_transform_kind kind = item->term.transform.kind;
    calve_value ordinal = {.type = kind == CALVE_DAY ? CALVE_DATE : CALVE_INT};
    if (calve_expr__unit_of_text(kind, calve_str_trim(literal->bytes), &ordinal.i32))
      return calve_predicate_leaf(op, &item->term, &ordinal, 1, arena, out, err);
  }
  if (item->kind == CALVE_ITEM_YEAR) return compare_year(&item->term, op, literal, arena, out, err);
  if (item->kind == CALVE_ITEM_FLOOR || (unit && !is_number(literal->type)))
    return compare_floor(&item->term, op, literal, arena, out, err);
  return one_leaf(&item->term, op, literal, arena, out, err);
}

static bool order_satisfies(calve_predicate_op op, int order) {
  switch (op) {
    case CALVE_OP_LT:
      return order < 0;
    case CALVE_OP_LT_EQ:
      return order <= 0;
    case CALVE_OP_GT:
      return order > 0;
    case CALVE_OP_GT_EQ:
      return order >= 0;
    case CALVE_OP_EQ:
      return order == 0;
    default:
      return order != 0;
  }
}

/* `1 = 1` and the like, which programs write. */
static const calve_predicate *compare_literals(const calve_value *a, calve_predicate_op op,
                                               const calve_value *b) {
  if (a->type != b->type || calve_value_is_nan(a) || calve_value_is_nan(b))
    return &calve_predicate_sql_unknown;
  return order_satisfies(op, calve_value_compare(a, b)) ? &calve_predicate_true
                                                        : &calve_predicate_false;
}

static bool has_term(const calve_expr_item *item) {
  return item->kind >= CALVE_ITEM_TERM;
}

calve_status calve_expr__item_compare(const calve_expr_item *left, calve_predicate_op op,
                                      const calve_expr_item *right, calve_arena *arena,
                                      const calve_predicate **out, calve_error *err) {
  *out = &calve_predicate_sql_unknown;
  if (left->kind == CALVE_ITEM_NULL || right->kind == CALVE_ITEM_NULL) {
    *out = &calve_predicate_sql_null;
    return CALVE_OK;
  }
  if (left->kind == CALVE_ITEM_LITERAL && right->kind == CALVE_ITEM_LITERAL) {
    *out = compare_literals(&left->literal, op, &right->literal);
    return CALVE_OK;
  }
  if (has_term(left) && right->kind == CALVE_ITEM_LITERAL)
    return compare_term(left, op, &right->literal, arena, out, err);
  if (has_term(right) && left->kind == CALVE_ITEM_LITERAL)
    return compare_term(right, mirrored(op), &left->literal, arena, out, err);
  return CALVE_OK;
}

static calve_status in_literals(const calve_term *term, const calve_expr_item *list, size_t count,
                                calve_arena *arena, calve_buffer *values,
                                const calve_predicate **out, calve_error *err) {
  bool unknown = false, null = false;
  for (size_t i = 0; i < count; i++) {
    bool literal = list[i].kind == CALVE_ITEM_LITERAL && !calve_value_is_nan(&list[i].literal);
    if (literal)
      calve_buffer_put(values, &list[i].literal, sizeof list[i].literal);
    else if (list[i].kind == CALVE_ITEM_NULL)
      null = true;
    else
      unknown = true;
  }
  CALVE_TRY(calve_buffer_check(values, err));
  CALVE_TRY(calve_predicate_leaf(CALVE_OP_IN, term, CALVE_ITEMS(values, calve_value),
                                 CALVE_COUNT(values, calve_value), arena, out, err));
  /* Equal to one of the rest, which is not known, or to null, which nothing is. */
  if (null) CALVE_TRY(pair(CALVE_OP_OR, *out, &calve_predicate_sql_null, arena, out, err));
  if (unknown) CALVE_TRY(pair(CALVE_OP_OR, *out, &calve_predicate_sql_unknown, arena, out, err));
  return CALVE_OK;
}

static calve_status in_one_by_one(const calve_expr_item *item, const calve_expr_item *list,
                                  size_t count, calve_arena *arena, calve_buffer *parts,
                                  const calve_predicate **out, calve_error *err) {
  for (size_t i = 0; i < count; i++) {
    const calve_predicate *part;
    CALVE_TRY(calve_expr__item_compare(item, CALVE_OP_EQ, &list[i], arena, &part, err));
    calve_buffer_put(parts, &part, sizeof part);
  }
  CALVE_TRY(calve_buffer_check(parts, err));
  return calve_predicate_or(CALVE_ITEMS(parts, const calve_predicate *), count, arena, out, err);
}

calve_status calve_expr__item_in(const calve_expr_item *item, const calve_expr_item *list,
                                 size_t count, calve_arena *arena, const calve_predicate **out,
                                 calve_error *err) {
  calve_buffer scratch;
  calve_buffer_init(&scratch, arena->allocator);
  bool unit = calve_expr__is_unit(&item->term);
  bool plain = item->kind == CALVE_ITEM_TERM && !unit;
  calve_status status = plain ? in_literals(&item->term, list, count, arena, &scratch, out, err)
                              : in_one_by_one(item, list, count, arena, &scratch, out, err);
  calve_buffer_free(&scratch);
  return status;
}

/* ---- other conditions --------------------------------------------------------------------------
 */

calve_status calve_expr__item_condition(const calve_expr_item *item, calve_arena *arena,
                                        const calve_predicate **out, calve_error *err) {
  static const calve_value yes = {.type = CALVE_BOOLEAN, .b = true};
  *out = &calve_predicate_sql_unknown;
  switch (item->kind) {
    case CALVE_ITEM_CONDITION:
      *out = item->condition;
      return CALVE_OK;
    case CALVE_ITEM_NULL:
      *out = &calve_predicate_sql_null;
      return CALVE_OK;
    case CALVE_ITEM_LITERAL:
      if (item->literal.type == CALVE_BOOLEAN)
        *out = item->literal.b ? &calve_predicate_true : &calve_predicate_false;
      return CALVE_OK;
    case CALVE_ITEM_TERM:
      if (item->term.has_transform) return CALVE_OK;
      return calve_predicate_leaf(CALVE_OP_EQ, &item->term, &yes, 1, arena, out, err);
    default:
      return CALVE_OK;
  }
}

calve_status calve_expr__item_is(const calve_expr_item *item, calve_predicate_op op,
                                 calve_arena *arena, const calve_predicate **out,
                                 calve_error *err) {
  *out = &calve_predicate_sql_unknown;
  bool is_null = op == CALVE_OP_IS_NULL;
  if (item->kind == CALVE_ITEM_NULL) {
    *out = is_null ? &calve_predicate_true : &calve_predicate_sql_null;
  } else if (item->kind == CALVE_ITEM_LITERAL) {
    bool holds = !is_null && calve_value_is_nan(&item->literal);
    *out = holds ? &calve_predicate_true : &calve_predicate_false;
  } else if (has_term(item) && (is_null || !item->term.has_transform)) {
    /* every transform of null is null, and of nothing else */
    calve_term column = calve_term_column(item->term.name);
    return calve_predicate_leaf(op, &column, NULL, 0, arena, out, err);
  }
  return CALVE_OK;
}

calve_status calve_expr__item_same(const calve_expr_item *left, const calve_expr_item *right,
                                   calve_arena *arena, const calve_predicate **out,
                                   calve_error *err) {
  if (right->kind == CALVE_ITEM_NULL)
    return calve_expr__item_is(left, CALVE_OP_IS_NULL, arena, out, err);
  if (left->kind == CALVE_ITEM_NULL)
    return calve_expr__item_is(right, CALVE_OP_IS_NULL, arena, out, err);
  const calve_predicate *equal, *left_null, *right_null, *both;
  CALVE_TRY(calve_expr__item_compare(left, CALVE_OP_EQ, right, arena, &equal, err));
  if (equal->op == CALVE_OP_SQL_UNKNOWN) {
    *out = equal;
    return CALVE_OK;
  }
  /* Never null itself: false where one side is. */
  CALVE_TRY(calve_expr__item_is(left, CALVE_OP_IS_NULL, arena, &left_null, err));
  CALVE_TRY(calve_expr__item_is(right, CALVE_OP_IS_NULL, arena, &right_null, err));
  CALVE_TRY(pair(CALVE_OP_OR, left_null, right_null, arena, &both, err));
  CALVE_TRY(calve_predicate_not(both, arena, &both, err));
  return pair(CALVE_OP_AND, equal, both, arena, out, err);
}

calve_status calve_expr__item_prefix(const calve_expr_item *item, const calve_expr_item *prefix,
                                     calve_arena *arena, const calve_predicate **out,
                                     calve_error *err) {
  *out = &calve_predicate_sql_unknown;
  if (item->kind == CALVE_ITEM_NULL || prefix->kind == CALVE_ITEM_NULL)
    *out = &calve_predicate_sql_null;
  if (item->kind != CALVE_ITEM_TERM || prefix->kind != CALVE_ITEM_LITERAL ||
      prefix->literal.type != CALVE_STRING)
    return CALVE_OK;
  return calve_predicate_leaf(CALVE_OP_STARTS_WITH, &item->term, &prefix->literal, 1, arena, out,
                              err);
}

calve_status calve_expr__item_like(const calve_expr_item *item, const calve_expr_item *pattern,
                                   char escape, calve_arena *arena, const calve_predicate **out,
                                   calve_error *err) {
  if (item->kind != CALVE_ITEM_TERM || pattern->kind != CALVE_ITEM_LITERAL ||
      pattern->literal.type != CALVE_STRING)
    return calve_expr__item_prefix(item, pattern, arena, out, err);
  calve_str text = pattern->literal.bytes;
  char *start = (char *)calve_arena_alloc(arena, text.size + 1);
  if (!start) return calve_fail_oom(err);
  size_t size = 0, at = 0;
  for (; at < text.size && text.data[at] != '%' && text.data[at] != '_'; at++) {
    bool escaped = escape && text.data[at] == escape;
    /* Engines differ on whether a backslash escapes by default: the rest may mean anything. */
    if (escaped ? at + 1 == text.size : (!escape && text.data[at] == '\\')) break;
    if (escaped) at++;
    start[size++] = text.data[at];
  }
  calve_expr_item prefix = *pattern;
  prefix.literal.bytes = (calve_str){start, size};
  if (at == text.size) /* no wildcard */
    return calve_expr__item_compare(item, CALVE_OP_EQ, &prefix, arena, out, err);
  CALVE_TRY(calve_expr__item_prefix(item, &prefix, arena, out, err));
  if (text.data[at] == '%' && at + 1 == text.size) return CALVE_OK;
  return pair(CALVE_OP_AND, *out, &calve_predicate_sql_unknown, arena, out, err);
}
