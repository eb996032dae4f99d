/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/literal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/calendar.h"
#include "base/text.h"
#include "base/uuid.h"

static bool is_ns(calve_type_id id) {
  return id == CALVE_TIMESTAMP_NS || id == CALVE_TIMESTAMPTZ_NS;
}

static bool has_zone(calve_type_id id) {
  return id == CALVE_TIMESTAMPTZ || id == CALVE_TIMESTAMPTZ_NS;
}

/* ---- numbers ----------------------------------------------------------------------------------
 */

static calve_expr_fit integer_to_i32(int64_t v, calve_value *out) {
  if (v > INT32_MAX) return CALVE_FIT_ABOVE_MAX;
  if (v < INT32_MIN) return CALVE_FIT_BELOW_MIN;
  out->i32 = (int32_t)v;
  return CALVE_FIT_EXACT;
}

static calve_expr_fit decimal_to_decimal(calve_int128 v, int scale, const calve_type *type,
                                         calve_value *out) {
  out->scale = (int16_t)type->scale;
  if (calve_decimal_rescale(v, scale, type->scale, &out->i128)) return CALVE_FIT_EXACT;
  if (scale <= type->scale) return v > 0 ? CALVE_FIT_ABOVE_MAX : CALVE_FIT_BELOW_MIN;
  if (scale - type->scale > 38) {
    out->i128 = v < 0 ? -1 : 0;
    return CALVE_FIT_BETWEEN;
  }
  calve_int128 divisor = calve_pow10(scale - type->scale);
  calve_int128 quotient = v / divisor;
  if (v % divisor < 0) quotient--;
  out->i128 = quotient;
  return CALVE_FIT_BETWEEN;
}

/* A whole number is what comes out at scale 0. */
static calve_expr_fit decimal_to_integer(calve_int128 v, int scale, const calve_type *type,
                                         calve_value *out) {
  const calve_type whole = {.id = CALVE_DECIMAL, .precision = 38};
  calve_value floor;
  calve_expr_fit fit = decimal_to_decimal(v, scale, &whole, &floor);
  if (fit != CALVE_FIT_EXACT && fit != CALVE_FIT_BETWEEN) return fit;
  calve_int128 max = type->id == CALVE_LONG ? INT64_MAX : INT32_MAX;
  if (floor.i128 > max) return CALVE_FIT_ABOVE_MAX;
  if (floor.i128 < -max - 1) return CALVE_FIT_BELOW_MIN;
  if (type->id == CALVE_LONG)
    out->i64 = (int64_t)floor.i128;
  else
    out->i32 = (int32_t)floor.i128;
  return fit;
}

static calve_expr_fit double_to_float(double v, calve_value *out) {
  if (isfinite(v) && v > (double)FLT_MAX) {
    out->f32 = FLT_MAX; /* infinity is above the literal                                          */
    return CALVE_FIT_BETWEEN;
  }
  if (isfinite(v) && v < (double)-FLT_MAX) {
    out->f32 = -INFINITY;
    return CALVE_FIT_BETWEEN;
  }
  out->f32 = (float)v;
  return (double)out->f32 == v ? CALVE_FIT_EXACT : CALVE_FIT_ROUNDED;
}

static calve_expr_fit double_to_decimal(double v, const calve_type *type, calve_value *out) {
  if (isinf(v)) return v > 0 ? CALVE_FIT_ABOVE_MAX : CALVE_FIT_BELOW_MIN;
  char text[CALVE_DOUBLE_TEXT_MAX];
  calve_double_format(v, text);
  calve_int128 unscaled;
  int scale;
  if (!calve_decimal_parse(calve_str_of(text), &unscaled, &scale)) {
    if (fabs(v) < 1.0) return decimal_to_decimal(v < 0 ? -1 : 1, 38 + 39, type, out);
    return v > 0 ? CALVE_FIT_ABOVE_MAX : CALVE_FIT_BELOW_MIN;
  }
  return decimal_to_decimal(unscaled, scale, type, out);
}

static calve_expr_fit from_integer(int64_t v, bool is_long, const calve_type *type,
                                   calve_value *out) {
  switch (type->id) {
    case CALVE_INT:
    case CALVE_DATE:
      return integer_to_i32(v, out);
    case CALVE_LONG:
      out->i64 = v;
      return CALVE_FIT_EXACT;
    case CALVE_FLOAT:
      out->f32 = (float)v;
      return (calve_int128)(double)out->f32 == v ? CALVE_FIT_EXACT : CALVE_FIT_ROUNDED;
    case CALVE_DOUBLE:
      out->f64 = (double)v;
      return (calve_int128)out->f64 == v ? CALVE_FIT_EXACT : CALVE_FIT_ROUNDED;
    case CALVE_DECIMAL:
      return decimal_to_decimal(v, 0, type, out);
    case CALVE_TIME:
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
      out->i64 = v;
      return is_long ? CALVE_FIT_EXACT : CALVE_FIT_NONE;
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      /* Microseconds, as for the other timestamps. One that does not fit was meant as nanoseconds,
       * most likely: better refused than folded. */
      if (!is_long || __builtin_mul_overflow(v, CALVE_NS_PER_US, &out->i64)) return CALVE_FIT_NONE;
      return CALVE_FIT_EXACT;
    default:
      return CALVE_FIT_NONE;
  }
}

static calve_expr_fit from_double(double v, const calve_type *type, calve_value *out) {
  if (isnan(v)) return CALVE_FIT_NONE;
  switch (type->id) {
    case CALVE_FLOAT:
      return double_to_float(v, out);
    case CALVE_DOUBLE:
      out->f64 = v;
      return CALVE_FIT_EXACT;
    case CALVE_DECIMAL:
      return double_to_decimal(v, type, out);
    default:
      return CALVE_FIT_NONE;
  }
}

/* SQL casts the column: its values are exact up to `exact`, and beyond stay on their side of all
 * literals up to there. */
static calve_expr_fit double_to_integer(double v, double exact, const calve_type *type,
                                        calve_value *out) {
  double top = type->id == CALVE_INT ? 0x1p31 : 0x1p63;
  if (v > top) return CALVE_FIT_ABOVE_MAX;
  if (v < -top) return CALVE_FIT_BELOW_MIN;
  if (isnan(v) || v > exact || v < -exact) return CALVE_FIT_NONE;
  if (type->id == CALVE_INT && v > (double)INT32_MAX) return CALVE_FIT_ABOVE_MAX;
  double below = floor(v);
  if (type->id == CALVE_INT)
    out->i32 = (int32_t)below;
  else
    out->i64 = (int64_t)below;
  return below == v ? CALVE_FIT_EXACT : CALVE_FIT_BETWEEN;
}

static calve_expr_fit from_decimal(calve_int128 v, int scale, const calve_type *type,
                                   calve_value *out) {
  char text[CALVE_DECIMAL_TEXT_MAX];
  double number;
  switch (type->id) {
    case CALVE_DECIMAL:
      return decimal_to_decimal(v, scale, type, out);
    case CALVE_INT:
    case CALVE_LONG:
      return decimal_to_integer(v, scale, type, out);
    case CALVE_FLOAT:
    case CALVE_DOUBLE:
      if (scale < 0 || scale > 38) return CALVE_FIT_NONE;
      calve_decimal_format(v, scale, text);
      if (!calve_double_parse(calve_str_of(text), &number)) return CALVE_FIT_NONE;
      return from_double(number, type, out);
    default:
      return CALVE_FIT_NONE;
  }
}

/* ---- times ------------------------------------------------------------------------------------
 */

static calve_expr_fit from_timestamp(int64_t v, bool ns, const calve_type *type, calve_value *out) {
  int64_t unit;
  switch (type->id) {
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
      out->i64 = ns ? calve_floor_div(v, CALVE_NS_PER_US) : v;
      return ns && calve_floor_mod(v, CALVE_NS_PER_US) != 0 ? CALVE_FIT_BETWEEN : CALVE_FIT_EXACT;
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      if (ns) {
        out->i64 = v;
        return CALVE_FIT_EXACT;
      }
      if (__builtin_mul_overflow(v, CALVE_NS_PER_US, &out->i64))
        return v > 0 ? CALVE_FIT_ABOVE_MAX : CALVE_FIT_BELOW_MIN;
      return CALVE_FIT_EXACT;
    case CALVE_DATE:
      unit = ns ? CALVE_NS_PER_DAY : CALVE_US_PER_DAY;
      out->i32 = (int32_t)calve_floor_div(v, unit);
      return calve_floor_mod(v, unit) != 0 ? CALVE_FIT_BETWEEN : CALVE_FIT_EXACT;
    default:
      return CALVE_FIT_NONE;
  }
}

static calve_expr_fit from_date(int32_t day, const calve_type *type, calve_value *out) {
  switch (type->id) {
    case CALVE_DATE:
      out->i32 = day;
      return CALVE_FIT_EXACT;
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      if (__builtin_mul_overflow((int64_t)day,
                                 is_ns(type->id) ? CALVE_NS_PER_DAY : CALVE_US_PER_DAY, &out->i64))
        return day > 0 ? CALVE_FIT_ABOVE_MAX : CALVE_FIT_BELOW_MIN;
      return CALVE_FIT_EXACT;
    default:
      return CALVE_FIT_NONE;
  }
}

static calve_expr_fit timestamp_of_text(calve_str text, const calve_type *type, bool sql,
                                        calve_value *out) {
  bool has_offset;
  int64_t day, ns;
  if (sql && calve_date_parse(text, &day) && day >= INT32_MIN && day <= INT32_MAX)
    return from_date((int32_t)day, type, out);
  calve_expr_fit fit = CALVE_FIT_EXACT;
  if (!calve_timestamp_parse(text, is_ns(type->id), &out->i64, &has_offset)) {
    /* more digits than microseconds hold: between two values */
    if (is_ns(type->id) || !calve_timestamp_parse(text, true, &ns, &has_offset))
      return CALVE_FIT_NONE;
    fit = from_timestamp(ns, true, type, out);
  }
  bool allowed = has_offset == has_zone(type->id) || (sql && !has_offset);
  return allowed ? fit : CALVE_FIT_NONE;
}

/* ---- strings ----------------------------------------------------------------------------------
 */

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static calve_status bytes_of_hex(calve_str text, const calve_type *type, calve_arena *arena,
                                 calve_value *out, calve_expr_fit *fit, calve_error *err) {
  size_t size = text.size / 2;
  *fit = CALVE_FIT_NONE;
  if (text.size % 2 != 0 || (type->id == CALVE_FIXED && size != (size_t)type->length))
    return CALVE_OK;
  char *bytes = (char *)calve_arena_alloc(arena, size ? size : 1);
  if (!bytes) return calve_fail_oom(err);
  for (size_t i = 0; i < size; i++) {
    int high = hex_digit(text.data[2 * i]), low = hex_digit(text.data[2 * i + 1]);
    if (high < 0 || low < 0) return CALVE_OK;
    bytes[i] = (char)(unsigned char)(high * 16 + low);
  }
  out->bytes = (calve_str){bytes, size};
  *fit = CALVE_FIT_EXACT;
  return CALVE_OK;
}

/* What SQL casts a string to, where the reference refuses. */
static calve_expr_fit sql_of_text(calve_str text, const calve_type *type, calve_value *out) {
  calve_int128 unscaled;
  int scale;
  double number;
  text = calve_str_trim(text);
  switch (type->id) {
    case CALVE_BOOLEAN:
      out->b = calve_str_equal_nocase(text, CALVE_STR("true"));
      return out->b || calve_str_equal_nocase(text, CALVE_STR("false")) ? CALVE_FIT_EXACT
                                                                        : CALVE_FIT_NONE;
    case CALVE_INT:
    case CALVE_LONG:
      if (!calve_decimal_parse(text, &unscaled, &scale)) return CALVE_FIT_NONE;
      return decimal_to_integer(unscaled, scale, type, out);
    case CALVE_FLOAT:
    case CALVE_DOUBLE:
      if (!calve_double_parse(text, &number)) return CALVE_FIT_NONE;
      return from_double(number, type, out);
    default:
      return CALVE_FIT_NONE;
  }
}

static calve_expr_fit from_text(calve_str text, const calve_type *type, bool sql,
                                calve_value *out) {
  calve_int128 unscaled;
  int scale;
  int64_t day;
  switch (type->id) {
    case CALVE_STRING:
      out->bytes = text;
      return CALVE_FIT_EXACT;
    case CALVE_DATE:
      if (!calve_date_parse(text, &day) || day < INT32_MIN || day > INT32_MAX)
        return CALVE_FIT_NONE;
      out->i32 = (int32_t)day;
      return CALVE_FIT_EXACT;
    case CALVE_TIME:
      return calve_time_parse(text, &out->i64) ? CALVE_FIT_EXACT : CALVE_FIT_NONE;
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      return timestamp_of_text(text, type, sql, out);
    case CALVE_UUID:
      return calve_uuid_parse(text, out->uuid) ? CALVE_FIT_EXACT : CALVE_FIT_NONE;
    case CALVE_DECIMAL:
      if (!calve_decimal_parse(text, &unscaled, &scale)) return CALVE_FIT_NONE;
      return decimal_to_decimal(unscaled, scale, type, out);
    default:
      return sql ? sql_of_text(text, type, out) : CALVE_FIT_NONE;
  }
}

/* ---- all together -----------------------------------------------------------------------------
 */

static calve_expr_fit convert(const calve_value *l, const calve_type *type, bool sql,
                              calve_value *out) {
  bool whole = type->id == CALVE_INT || type->id == CALVE_LONG;
  switch (l->type) {
    case CALVE_BOOLEAN:
      out->b = l->b;
      return type->id == CALVE_BOOLEAN ? CALVE_FIT_EXACT : CALVE_FIT_NONE;
    case CALVE_INT:
      return from_integer(l->i32, false, type, out);
    case CALVE_LONG:
      return from_integer(l->i64, true, type, out);
    case CALVE_FLOAT:
      return whole && sql ? double_to_integer((double)l->f32, 0x1p24, type, out)
                          : from_double((double)l->f32, type, out);
    case CALVE_DOUBLE:
      return whole && sql ? double_to_integer(l->f64, 0x1p53, type, out)
                          : from_double(l->f64, type, out);
    case CALVE_DECIMAL:
      return from_decimal(l->i128, l->scale, type, out);
    case CALVE_DATE:
      return from_date(l->i32, type, out);
    case CALVE_TIME:
      out->i64 = l->i64;
      return type->id == CALVE_TIME ? CALVE_FIT_EXACT : CALVE_FIT_NONE;
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      return from_timestamp(l->i64, is_ns(l->type), type, out);
    case CALVE_STRING:
      return from_text(l->bytes, type, sql, out);
    case CALVE_UUID:
      memcpy(out->uuid, l->uuid, sizeof out->uuid);
      return type->id == CALVE_UUID ? CALVE_FIT_EXACT : CALVE_FIT_NONE;
    case CALVE_FIXED:
    case CALVE_BINARY:
      out->bytes = l->bytes;
      return type->id == CALVE_BINARY ||
                     (type->id == CALVE_FIXED && l->bytes.size == (size_t)type->length)
                 ? CALVE_FIT_EXACT
                 : CALVE_FIT_NONE;
    default:
      return CALVE_FIT_NONE;
  }
}

calve_status calve_expr__convert(const calve_value *literal, const calve_type *type, bool sql,
                                 calve_arena *arena, calve_value *out, calve_expr_fit *fit,
                                 calve_error *err) {
  calve_value v = calve_value_null(type->id);
  v.is_null = false;
  bool text = literal->type == CALVE_STRING;
  bool hex = text && (type->id == CALVE_FIXED || type->id == CALVE_BINARY);
  if (hex && !sql)
    CALVE_TRY(bytes_of_hex(literal->bytes, type, arena, &v, fit, err));
  else
    *fit = hex ? CALVE_FIT_NONE : convert(literal, type, sql, &v);
  /* Engines round what a cast from text can't hold, each in its way, and refuse what is too large;
   * and they differ on what bytes a text stands for. */
  if (text && sql && *fit != CALVE_FIT_EXACT && *fit != CALVE_FIT_ROUNDED) *fit = CALVE_FIT_NONE;
  *out = v;
  return CALVE_OK;
}

bool calve_expr__day_of_moment(const calve_value *literal, const calve_type *type,
                               calve_value *out) {
  int64_t ns;
  bool has_offset;
  if (literal->type != CALVE_STRING || type->id != CALVE_DATE) return false;
  calve_str text = calve_str_trim(literal->bytes);
  if (!calve_timestamp_parse(text, true, &ns, &has_offset) || has_offset) return false;
  *out = calve_value_null(CALVE_DATE);
  out->is_null = false;
  out->i32 = (int32_t)calve_floor_div(ns, CALVE_NS_PER_DAY);
  return true;
}

bool calve_expr__is_nan_text(const calve_value *literal, const calve_type *type) {
  bool floats = type->id == CALVE_FLOAT || type->id == CALVE_DOUBLE;
  return floats && literal->type == CALVE_STRING &&
         calve_str_equal_nocase(calve_str_trim(literal->bytes), CALVE_STR("nan"));
}
