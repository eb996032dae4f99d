/* SPDX-License-Identifier: Apache-2.0 */
/* A default that was given as some literal, as a value of the column's type. Nothing wraps, and
 * only float and double round: what does not fit is refused. [spec: Default values] */
#include <math.h>

#include "evolve/schema_update_parts.h"
#include "model/reading.h"
#include "model/value.h"

static bool whole_number(const calve_value *v, int64_t *out) {
  if (v->type != CALVE_INT && v->type != CALVE_LONG) return false;
  *out = v->type == CALVE_INT ? v->i32 : v->i64;
  return true;
}

static bool from_whole(int64_t n, const calve_type *to, calve_value *out) {
  switch (to->id) {
    case CALVE_INT:
      out->i32 = (int32_t)n;
      return n >= INT32_MIN && n <= INT32_MAX;
    case CALVE_LONG:
      out->i64 = n;
      return true;
    case CALVE_FLOAT:
      out->f32 = (float)n;
      return true;
    case CALVE_DOUBLE:
      out->f64 = (double)n;
      return true;
    case CALVE_DECIMAL:
      out->scale = (int16_t)to->scale;
      return calve_decimal_rescale(n, 0, to->scale, &out->i128) &&
             calve_decimal_digits(out->i128) <= to->precision;
    default:
      return false;
  }
}

static bool from_floating(const calve_value *v, const calve_type *to, calve_value *out) {
  double d = v->type == CALVE_FLOAT ? (double)v->f32 : v->f64;
  if (to->id == CALVE_DOUBLE) {
    out->f64 = d;
    return true;
  }
  if (to->id != CALVE_FLOAT) return false;
  out->f32 = (float)d;
  return isinf(d) || isnan(d) || !isinf((double)out->f32);
}

static bool from_decimal(const calve_value *v, const calve_type *to, calve_value *out) {
  if (to->id != CALVE_DECIMAL) return false;
  out->scale = (int16_t)to->scale;
  return calve_decimal_rescale(v->i128, v->scale, to->scale, &out->i128) &&
         calve_decimal_digits(out->i128) <= to->precision;
}

static bool from_bytes(const calve_value *v, const calve_type *to, calve_value *out) {
  out->bytes = v->bytes;
  return to->id == CALVE_BINARY || (to->id == CALVE_FIXED && v->bytes.size == (size_t)to->length);
}

/* The start of the day. Nanoseconds reach from 1677 to 2262 only. */
static bool from_date(int32_t day, const calve_type *to, calve_value *out) {
  const int64_t seconds = 86400;
  if (to->id == CALVE_TIMESTAMP) {
    out->i64 = day * seconds * 1000000;
    return true;
  }
  return to->id == CALVE_TIMESTAMP_NS &&
         !__builtin_mul_overflow(day * seconds, INT64_C(1000000000), &out->i64);
}

/* Text of a date, a time, a UUID or a decimal is what JSON has for it. */
static calve_status from_text(const calve_value *v, const calve_type *to, calve_arena *arena,
                              bool *fits, calve_value *out, calve_error *err) {
  switch (to->id) {
    case CALVE_DATE:
    case CALVE_TIME:
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
    case CALVE_UUID:
    case CALVE_DECIMAL:
      break;
    default:
      *fits = false;
      return CALVE_OK;
  }
  calve_buffer json;
  calve_json_writer w;
  calve_str text;
  calve_buffer_init(&json, arena->allocator);
  calve_json_write_init(&w, &json, 0);
  calve_json_write_str(&w, v->bytes);
  calve_status status = calve_buffer_check(&json, err);
  if (status == CALVE_OK) status = calve_arena_str(arena, calve_buffer_view(&json), &text, err);
  calve_buffer_free(&json);
  if (status != CALVE_OK) return status;
  calve_json_reader r;
  calve_json_open(&r, text, NULL, arena);
  status = calve_value_read_json(&r, to, out, err);
  *fits = status == CALVE_OK;
  return status == CALVE_ENOMEM ? status : CALVE_OK;
}

static calve_status convert(const calve_value *v, const calve_type *from, const calve_type *to,
                            calve_arena *arena, bool *fits, calve_value *out, calve_error *err) {
  int64_t n;
  if (calve_type_is_nested(to)) {
    *fits = false;
    return CALVE_OK;
  }
  if (v->type == to->id && calve_type_equal(from, to)) {
    *fits = true;
    return calve_value_copy(v, arena, out, err);
  }
  *out = (calve_value){.type = to->id};
  if (whole_number(v, &n))
    *fits = from_whole(n, to, out);
  else if (v->type == CALVE_FLOAT || v->type == CALVE_DOUBLE)
    *fits = from_floating(v, to, out);
  else if (v->type == CALVE_DECIMAL)
    *fits = from_decimal(v, to, out);
  else if (v->type == CALVE_DATE)
    *fits = from_date(v->i32, to, out);
  else if (v->type == CALVE_BINARY || v->type == CALVE_FIXED)
    *fits = from_bytes(v, to, out);
  else if (v->type == CALVE_STRING)
    return from_text(v, to, arena, fits, out, err);
  else
    *fits = false;
  return CALVE_OK;
}

calve_status calve_update__convert_default(const calve_value *value, const calve_type *from,
                                           const calve_type *to, calve_str name, calve_arena *arena,
                                           const calve_value **out, calve_error *err) {
  bool fits = false;
  calve_value *result = CALVE_NEW(arena, calve_value);
  if (!result) return calve_fail_oom(err);
  CALVE_TRY(convert(value, from, to, arena, &fits, result, err));
  if (fits) {
    *out = result;
    return CALVE_OK;
  }
  calve_shown_name shown;
  char given[CALVE_TYPE_TEXT_MAX], wanted[CALVE_TYPE_TEXT_MAX];
  return calve_fail(err, CALVE_EINVAL, calve_update__show(name, &shown),
                    calve_type_is_nested(to)
                        ? "the default is a %s, but a column of type %s can have no default: give "
                          "its fields defaults instead"
                        : "the default is a %s that does not fit the column's type %s",
                    calve_type_text(from, given), calve_type_text(to, wanted));
}
