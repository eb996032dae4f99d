/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "base/calendar.h"
#include "base/text.h"
#include "model/value.h"

static calve_status bad_bytes(const calve_type *type, calve_str bytes, calve_error *err) {
  char text[CALVE_TYPE_TEXT_MAX];
  return calve_fail(err, CALVE_ECORRUPT, NULL, "%zu bytes are no value of type %s", bytes.size,
                    calve_type_text(type, text));
}

/* Little-endian integer of 4 or 8 bytes. Bounds keep the width of the type at the time of writing:
 * a column promoted from int to long has bounds of 4 bytes, which are sign-extended; and some
 * writers store int and date in 8. */
static bool load_integer(calve_str bytes, int64_t *out) {
  const uint8_t *at = (const uint8_t *)bytes.data;
  if (bytes.size == 4)
    *out = (int32_t)calve_load_le32(at);
  else if (bytes.size == 8)
    *out = (int64_t)calve_load_le64(at);
  else
    return false;
  return true;
}

static bool load_i32(calve_str bytes, int32_t *out) {
  int64_t wide;
  if (!load_integer(bytes, &wide) || wide < INT32_MIN || wide > INT32_MAX) return false;
  *out = (int32_t)wide;
  return true;
}

/* 4 bytes are a date: promotion from date to timestamp. [spec: Schema Evolution, v3] */
static bool load_timestamp(calve_str bytes, bool from_date, int64_t units_per_day, int64_t *out) {
  if (bytes.size == 8) return load_integer(bytes, out);
  int64_t days;
  if (!from_date || !load_integer(bytes, &days)) return false;
  return !__builtin_mul_overflow(days, units_per_day, out);
}

static float float_of(const char *bytes) {
  uint32_t bits = calve_load_le32((const uint8_t *)bytes);
  float v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

static double double_of(const char *bytes) {
  uint64_t bits = calve_load_le64((const uint8_t *)bytes);
  double v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

static bool load_double(calve_str bytes, double *out) {
  if (bytes.size != 4 && bytes.size != 8) return false;
  *out = bytes.size == 4 ? (double)float_of(bytes.data) : double_of(bytes.data);
  return true;
}

/* False when the length does not fit the type, or the number is none of the type's values. */
static bool load_fixed_width(const calve_type *type, calve_str bytes, calve_value *v) {
  switch (type->id) {
    case CALVE_BOOLEAN:
      v->b = bytes.size == 1 && bytes.data[0] != 0;
      return bytes.size == 1;
    case CALVE_INT:
    case CALVE_DATE:
      return load_i32(bytes, &v->i32);
    case CALVE_LONG:
      return load_integer(bytes, &v->i64);
    case CALVE_TIME:
      return bytes.size == 8 && load_integer(bytes, &v->i64) && v->i64 >= 0 &&
             v->i64 < CALVE_US_PER_DAY;
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
      return load_timestamp(bytes, type->id == CALVE_TIMESTAMP, CALVE_US_PER_DAY, &v->i64);
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      return load_timestamp(bytes, type->id == CALVE_TIMESTAMP_NS, CALVE_NS_PER_DAY, &v->i64);
    case CALVE_FLOAT:
      if (bytes.size == 4) v->f32 = float_of(bytes.data);
      return bytes.size == 4;
    case CALVE_DOUBLE:
      return load_double(bytes, &v->f64);
    case CALVE_UUID:
      if (bytes.size == sizeof v->uuid) memcpy(v->uuid, bytes.data, sizeof v->uuid);
      return bytes.size == sizeof v->uuid;
    case CALVE_DECIMAL:
      v->scale = (int16_t)type->scale;
      return calve_int128_decode((const uint8_t *)bytes.data, bytes.size, &v->i128);
    default:
      return false;
  }
}

calve_status calve_value_from_bytes(const calve_type *type, calve_str bytes, calve_value *out,
                                    calve_error *err) {
  calve_value v = {.type = type->id};
  char text[CALVE_TYPE_TEXT_MAX];
  switch (type->id) {
    case CALVE_STRING:
      if (!calve_utf8_valid(bytes))
        return calve_fail(err, CALVE_ECORRUPT, NULL, "a value of type string is not UTF-8");
      v.bytes = bytes;
      break;
    case CALVE_FIXED:
      if (bytes.size != (size_t)type->length) return bad_bytes(type, bytes, err);
      v.bytes = bytes;
      break;
    case CALVE_BINARY:
      v.bytes = bytes;
      break;
    case CALVE_UNKNOWN:
    case CALVE_VARIANT:
    case CALVE_GEOMETRY:
    case CALVE_GEOGRAPHY:
    case CALVE_STRUCT:
    case CALVE_LIST:
    case CALVE_MAP:
      return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                        "values of type %s have no binary form that is read here",
                        calve_type_text(type, text));
    default:
      if (!load_fixed_width(type, bytes, &v)) return bad_bytes(type, bytes, err);
  }
  *out = v;
  return CALVE_OK;
}

static void put_le32(uint32_t v, calve_buffer *out) {
  uint8_t bytes[4];
  calve_store_le32(bytes, v);
  calve_buffer_put(out, bytes, sizeof bytes);
}

static void put_le64(uint64_t v, calve_buffer *out) {
  uint8_t bytes[8];
  calve_store_le64(bytes, v);
  calve_buffer_put(out, bytes, sizeof bytes);
}

void calve_value_to_bytes(const calve_value *v, calve_buffer *out) {
  uint32_t bits32;
  uint64_t bits64;
  uint8_t bytes[16];
  assert(!v->is_null);
  switch (v->type) {
    case CALVE_BOOLEAN:
      calve_buffer_putc(out, v->b ? 1 : 0);
      return;
    case CALVE_INT:
    case CALVE_DATE:
      put_le32((uint32_t)v->i32, out);
      return;
    case CALVE_LONG:
    case CALVE_TIME:
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      put_le64((uint64_t)v->i64, out);
      return;
    case CALVE_FLOAT:
      memcpy(&bits32, &v->f32, sizeof bits32);
      put_le32(bits32, out);
      return;
    case CALVE_DOUBLE:
      memcpy(&bits64, &v->f64, sizeof bits64);
      put_le64(bits64, out);
      return;
    case CALVE_DECIMAL:
      calve_buffer_put(out, bytes, calve_int128_encode(v->i128, bytes));
      return;
    case CALVE_UUID:
      calve_buffer_put(out, v->uuid, sizeof v->uuid);
      return;
    case CALVE_STRING:
    case CALVE_FIXED:
    case CALVE_BINARY:
      calve_buffer_put_str(out, v->bytes);
      return;
    default:
      assert(!"a type without a binary single-value form");
  }
}
