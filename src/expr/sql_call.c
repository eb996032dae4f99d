/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/limits.h"
#include "base/text.h"
#include "expr/literal.h"
#include "expr/sql_item.h"

/* ---- functions --------------------------------------------------------------------------------
 */

typedef struct unit_name {
  const char *plural; /* Iceberg's transform, by its own numbers: years since 1970 …             */
  const char
      *singular; /* in SQL a part of the calendar; years are the only ones that are ordered */
  calve_transform_kind kind;
} unit_name;

static const unit_name units[] = {{"years", "year", CALVE_YEAR},
                                  {"months", "month", CALVE_MONTH},
                                  {"days", "day", CALVE_DAY},
                                  {"hours", "hour", CALVE_HOUR}};
#define UNIT_COUNT (sizeof units / sizeof *units)

static bool is_name(calve_str text, const char *name) {
  return calve_str_equal_nocase(text, calve_str_of(name));
}

static bool is_column(const calve_expr_item *item) {
  return item->kind == CALVE_ITEM_TERM && !item->term.has_transform;
}

static calve_expr_item unit_of(calve_expr_item_kind kind, calve_transform_kind unit,
                               const calve_expr_item *column) {
  calve_transform transform = {.kind = unit};
  return (calve_expr_item){.kind = kind,
                           .term = calve_term_transform(transform, column->term.name)};
}

/* years(c) … and, where a date is what it is compared with, day(c). */
static bool call_unit(calve_str name, const calve_expr_item *column, calve_expr_item *out) {
  for (size_t i = 0; i < UNIT_COUNT; i++) {
    if (is_name(name, units[i].plural)) {
      *out = unit_of(CALVE_ITEM_TERM, units[i].kind, column);
      return true;
    }
    if (!is_name(name, units[i].singular)) continue;
    bool year = units[i].kind == CALVE_YEAR;
    *out = unit_of(year ? CALVE_ITEM_YEAR : CALVE_ITEM_FLOOR, units[i].kind, column);
    return true;
  }
  return false;
}

/* date_trunc('day', c) */
static bool call_trunc(const calve_expr_item *unit, const calve_expr_item *column,
                       calve_expr_item *out) {
  if (unit->kind != CALVE_ITEM_LITERAL || unit->literal.type != CALVE_STRING) return false;
  for (size_t i = 0; i < UNIT_COUNT; i++) {
    if (!is_name(unit->literal.bytes, units[i].singular) &&
        !is_name(unit->literal.bytes, units[i].plural))
      continue;
    *out = unit_of(CALVE_ITEM_FLOOR, units[i].kind, column);
    return true;
  }
  return false;
}

/* bucket(16, c) and truncate(4, c), the number on either side. */
static bool call_parameter(calve_transform_kind kind, const calve_expr_item *a,
                           const calve_expr_item *b, calve_expr_item *out) {
  const calve_expr_item *number = a->kind == CALVE_ITEM_LITERAL ? a : b;
  const calve_expr_item *column = number == a ? b : a;
  if (number->kind != CALVE_ITEM_LITERAL || number->literal.type != CALVE_LONG ||
      number->literal.i64 < 1 || number->literal.i64 > INT32_MAX || !is_column(column))
    return false;
  calve_transform transform = {.kind = kind, .parameter = (int32_t)number->literal.i64};
  *out = (calve_expr_item){.kind = CALVE_ITEM_TERM,
                           .term = calve_term_transform(transform, column->term.name)};
  return true;
}

static calve_status as_condition(const calve_predicate *condition, calve_expr_item *out) {
  *out = (calve_expr_item){.kind = CALVE_ITEM_CONDITION, .condition = condition};
  return CALVE_OK;
}

calve_status calve_expr__item_call(calve_str name, const calve_expr_item *arguments, size_t count,
                                   calve_arena *arena, calve_expr_item *out, calve_error *err) {
  const calve_expr_item *first = arguments;
  const calve_predicate *condition;
  *out = (calve_expr_item){.kind = CALVE_ITEM_OPAQUE};
  if (count == 1 && (is_name(name, "isnan") || is_name(name, "is_nan"))) {
    CALVE_TRY(calve_expr__item_is(first, CALVE_OP_IS_NAN, arena, &condition, err));
    return as_condition(condition, out);
  }
  if (count == 1 && is_column(first)) {
    if (is_name(name, "identity"))
      *out = *first;
    else if (is_name(name, "date"))
      *out = unit_of(CALVE_ITEM_FLOOR, CALVE_DAY, first);
    else
      call_unit(name, first, out);
    return CALVE_OK;
  }
  if (count != 2) return CALVE_OK;
  const calve_expr_item *second = arguments + 1;
  if (is_name(name, "starts_with") || is_name(name, "startswith") || is_name(name, "prefix")) {
    CALVE_TRY(calve_expr__item_prefix(first, second, arena, &condition, err));
    return as_condition(condition, out);
  }
  if (is_name(name, "bucket"))
    call_parameter(CALVE_BUCKET, first, second, out);
  else if (is_name(name, "truncate"))
    call_parameter(CALVE_TRUNCATE, first, second, out);
  else if (is_name(name, "date_trunc") && is_column(second))
    call_trunc(first, second, out);
  return CALVE_OK;
}

/* ---- casts ------------------------------------------------------------------------------------
 */

typedef struct type_name {
  const char *name;
  calve_type_id id;
} type_name;

static const type_name type_names[] = {
    {"boolean", CALVE_BOOLEAN},
    {"bool", CALVE_BOOLEAN},
    {"int", CALVE_LONG},
    {"integer", CALVE_LONG},
    {"smallint", CALVE_LONG},
    {"tinyint", CALVE_LONG},
    {"bigint", CALVE_LONG},
    {"long", CALVE_LONG},
    {"float", CALVE_FLOAT},
    {"real", CALVE_FLOAT},
    {"double", CALVE_DOUBLE},
    {"decimal", CALVE_DECIMAL},
    {"numeric", CALVE_DECIMAL},
    {"date", CALVE_DATE},
    {"time", CALVE_TIME},
    {"timestamp", CALVE_TIMESTAMP},
    {"datetime", CALVE_TIMESTAMP},
    {"timestamp_ntz", CALVE_TIMESTAMP},
    {"timestamp_ltz", CALVE_TIMESTAMPTZ},
    {"timestamptz", CALVE_TIMESTAMPTZ},
    {"timestamp_ns", CALVE_TIMESTAMP_NS},
    {"timestamptz_ns", CALVE_TIMESTAMPTZ_NS},
    {"string", CALVE_STRING},
    {"varchar", CALVE_STRING},
    {"text", CALVE_STRING},
    {"uuid", CALVE_UUID},
    {"hex digits", CALVE_BINARY} /* of X'…': no name that SQL can spell */,
};

/* decimal without numbers is DuckDB's decimal(18, 3); what does not fit it exactly is not used. */
static calve_type type_of_cast(calve_type_id id, int32_t precision, int32_t scale) {
  calve_type type = {.id = id, .precision = precision, .scale = scale};
  if (id == CALVE_DECIMAL && precision == 0) {
    type.precision = 18;
    type.scale = 3;
  }
  return type;
}

static calve_status cast_literal(const calve_value *literal, const calve_type *type,
                                 calve_arena *arena, calve_expr_item *out, calve_error *err) {
  calve_expr_fit fit;
  calve_value value;
  bool sql = type->id != CALVE_BINARY; /* of X'…' are hex digits                                */
  CALVE_TRY(calve_expr__convert(literal, type, sql, arena, &value, &fit, err));
  bool rounded = fit == CALVE_FIT_ROUNDED && type->id == CALVE_DOUBLE;
  /* '2026-03-01 10:00+01'::timestamp: engines differ on what becomes of the offset */
  if (fit == CALVE_FIT_EXACT || rounded)
    *out = (calve_expr_item){.kind = CALVE_ITEM_LITERAL, .literal = value};
  return CALVE_OK;
}

calve_status calve_expr__item_cast(const calve_expr_item *item, calve_str type_text,
                                   int32_t precision, int32_t scale, calve_arena *arena,
                                   calve_expr_item *out, calve_error *err) {
  *out = (calve_expr_item){.kind = CALVE_ITEM_OPAQUE};
  if (precision < 0 || precision > CALVE_DECIMAL_PRECISION_MAX || scale < 0 || scale > precision)
    return CALVE_OK;
  for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
    if (!is_name(type_text, type_names[i].name)) continue;
    calve_type type = type_of_cast(type_names[i].id, precision, scale);
    if (item->kind == CALVE_ITEM_LITERAL)
      return cast_literal(&item->literal, &type, arena, out, err);
    if (item->kind == CALVE_ITEM_NULL) *out = *item;
    if (is_column(item) && type.id == CALVE_DATE) *out = unit_of(CALVE_ITEM_FLOOR, CALVE_DAY, item);
    return CALVE_OK;
  }
  return CALVE_OK;
}

/* ---- numbers ----------------------------------------------------------------------------------
 */

calve_expr_item calve_expr__item_number(calve_str text) {
  calve_expr_item item = {.kind = CALVE_ITEM_LITERAL};
  int scale;
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] == 'e' || text.data[i] == 'E') item.has_exponent = true;
  item.literal.type = CALVE_LONG;
  if (calve_str_to_i64(text, &item.literal.i64)) return item;
  item.literal.type = CALVE_DECIMAL;
  calve_int128 unscaled;
  bool decimal = calve_decimal_parse(text, &unscaled, &scale) && scale <= 38;
  if (decimal && scale >= 0) {
    item.literal.i128 = unscaled;
    item.literal.scale = (int16_t)scale;
    return item;
  }
  if (decimal && calve_decimal_rescale(unscaled, scale, 0, &item.literal.i128)) return item;
  item.literal.type = CALVE_DOUBLE;
  if (!calve_double_parse(text, &item.literal.f64) || isinf(item.literal.f64))
    item.kind = CALVE_ITEM_OPAQUE;
  return item;
}
