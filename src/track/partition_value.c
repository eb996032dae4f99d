/* SPDX-License-Identifier: Apache-2.0 */
#include "track/partition_value.h"

#include <string.h>

#include "base/text.h"

/* ---- reading -------------------------------------------------------------------------------- */

static bool is_timestamp_ns(calve_type_id id) {
  return id == CALVE_TIMESTAMP_NS || id == CALVE_TIMESTAMPTZ_NS;
}

static bool is_binary(const calve_avro_type *t) {
  return t->id == CALVE_AVRO_BYTES || t->id == CALVE_AVRO_FIXED;
}

static bool long_fits(const calve_avro_type *avro, calve_type_id id) {
  if (avro->id != CALVE_AVRO_LONG) return false;
  switch (avro->logical) {
    case CALVE_AVRO_TIME_MICROS:
      return id == CALVE_TIME;
    case CALVE_AVRO_TIMESTAMP_MICROS:
      return id == CALVE_TIMESTAMP || id == CALVE_TIMESTAMPTZ;
    case CALVE_AVRO_TIMESTAMP_NANOS:
      return is_timestamp_ns(id);
    default:
      return true; /* writers that leave logical types out                               */
  }
}

static bool fits(const calve_avro_type *avro, const calve_type *type) {
  switch (type->id) {
    case CALVE_BOOLEAN:
      return avro->id == CALVE_AVRO_BOOLEAN;
    case CALVE_INT:
    case CALVE_DATE:
      return avro->id == CALVE_AVRO_INT; /* day() is int in older files          */
    case CALVE_LONG:
      return (avro->id == CALVE_AVRO_INT || avro->id == CALVE_AVRO_LONG) &&
             avro->logical == CALVE_AVRO_PLAIN;
    case CALVE_TIME:
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      return long_fits(avro, type->id);
    case CALVE_FLOAT:
      return avro->id == CALVE_AVRO_FLOAT;
    case CALVE_DOUBLE:
      return avro->id == CALVE_AVRO_FLOAT || avro->id == CALVE_AVRO_DOUBLE;
    case CALVE_DECIMAL:
      return is_binary(avro) && (avro->logical != CALVE_AVRO_DECIMAL || avro->scale == type->scale);
    case CALVE_STRING:
      return avro->id == CALVE_AVRO_STRING;
    case CALVE_UUID:
      return avro->id == CALVE_AVRO_BYTES ||
             (avro->id == CALVE_AVRO_FIXED && avro->size_bytes == 16);
    case CALVE_FIXED:
      return avro->id == CALVE_AVRO_BYTES ||
             (avro->id == CALVE_AVRO_FIXED && avro->size_bytes == (size_t)type->length);
    case CALVE_BINARY:
      return is_binary(avro);
    default:
      return false;
  }
}

static calve_type_id type_of_long(const calve_avro_type *avro) {
  switch (avro->logical) {
    case CALVE_AVRO_TIME_MICROS:
      return CALVE_TIME;
    case CALVE_AVRO_TIMESTAMP_MICROS:
      return avro->adjust_to_utc ? CALVE_TIMESTAMPTZ : CALVE_TIMESTAMP;
    case CALVE_AVRO_TIMESTAMP_NANOS:
      return avro->adjust_to_utc ? CALVE_TIMESTAMPTZ_NS : CALVE_TIMESTAMP_NS;
    default:
      return CALVE_LONG;
  }
}

calve_status calve_track__partition_type(const calve_avro_type *avro, const calve_type *expected,
                                         calve_arena *arena, const calve_type **out,
                                         calve_error *err) {
  if (expected && fits(avro, expected)) {
    *out = expected;
    return CALVE_OK;
  }
  calve_type_id id = CALVE_UNKNOWN;
  switch (avro->id) {
    case CALVE_AVRO_BOOLEAN:
      id = CALVE_BOOLEAN;
      break;
    case CALVE_AVRO_INT:
      id = avro->logical == CALVE_AVRO_DATE ? CALVE_DATE : CALVE_INT;
      break;
    case CALVE_AVRO_LONG:
      id = type_of_long(avro);
      break;
    case CALVE_AVRO_FLOAT:
      id = CALVE_FLOAT;
      break;
    case CALVE_AVRO_DOUBLE:
      id = CALVE_DOUBLE;
      break;
    case CALVE_AVRO_STRING:
      id = CALVE_STRING;
      break;
    case CALVE_AVRO_BYTES:
    case CALVE_AVRO_FIXED:
      if (avro->logical == CALVE_AVRO_DECIMAL && avro->precision > 0 && avro->precision <= 38 &&
          avro->scale <= avro->precision) {
        return calve_type_decimal(avro->precision, avro->scale, arena, out, err);
      }
      if (avro->id == CALVE_AVRO_BYTES) {
        id = CALVE_BINARY;
      } else if (avro->logical == CALVE_AVRO_UUID && avro->size_bytes == 16) {
        id = CALVE_UUID;
      } else {
        return calve_type_fixed((int32_t)avro->size_bytes, arena, out, err);
      }
      break;
    default:
      break;
  }
  *out = calve_type_of(id);
  return CALVE_OK;
}

bool calve_track__partition_value(const calve_type *type, const calve_avro_scalar *scalar,
                                  calve_value *out) {
  calve_value v = {.type = type->id};
  if (!scalar->is_set || type->id == CALVE_UNKNOWN) {
    v.is_null = true;
    *out = v;
    return true;
  }
  switch (type->id) {
    case CALVE_BOOLEAN:
      v.b = scalar->i64 != 0;
      break;
    case CALVE_INT:
    case CALVE_DATE:
      if (scalar->i64 < INT32_MIN || scalar->i64 > INT32_MAX) return false;
      v.i32 = (int32_t)scalar->i64;
      break;
    case CALVE_FLOAT:
      v.f32 = (float)scalar->f64;
      break;
    case CALVE_DOUBLE:
      v.f64 = scalar->f64;
      break;
    case CALVE_DECIMAL:
      v.scale = (int16_t)type->scale;
      if (!calve_int128_decode((const uint8_t *)scalar->bytes.data, scalar->bytes.size, &v.i128)) {
        return false;
      }
      break;
    case CALVE_UUID:
      if (scalar->bytes.size != 16) return false;
      memcpy(v.uuid, scalar->bytes.data, 16);
      break;
    case CALVE_FIXED:
      if (scalar->bytes.size != (size_t)type->length) return false;
      v.bytes = scalar->bytes;
      break;
    case CALVE_STRING:
    case CALVE_BINARY:
      v.bytes = scalar->bytes;
      break;
    default:
      v.i64 = scalar->i64;
      break;
  }
  *out = v;
  return true;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Bytes that hold any decimal of the precision in two's complement. */
static int decimal_bytes(int32_t precision) {
  int bytes = 1;
  calve_int128 limit = 128;
  while (bytes < 16 && calve_pow10(precision) > limit) {
    bytes++;
    if (bytes < 16) limit *= 256;
  }
  return bytes;
}

void calve_track__put_avro_type(calve_buffer *json, const calve_type *type, int32_t field_id) {
  switch (type->id) {
    case CALVE_BOOLEAN:
      calve_buffer_puts(json, "\"boolean\"");
      break;
    case CALVE_INT:
      calve_buffer_puts(json, "\"int\"");
      break;
    case CALVE_DATE:
      calve_buffer_puts(json, "{\"type\":\"int\",\"logicalType\":\"date\"}");
      break;
    case CALVE_LONG:
      calve_buffer_puts(json, "\"long\"");
      break;
    case CALVE_FLOAT:
      calve_buffer_puts(json, "\"float\"");
      break;
    case CALVE_DOUBLE:
      calve_buffer_puts(json, "\"double\"");
      break;
    case CALVE_TIME:
      calve_buffer_puts(json, "{\"type\":\"long\",\"logicalType\":\"time-micros\"}");
      break;
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      calve_buffer_printf(
          json, "{\"type\":\"long\",\"logicalType\":\"timestamp-%s\",\"adjust-to-utc\":%s}",
          is_timestamp_ns(type->id) ? "nanos" : "micros",
          type->id == CALVE_TIMESTAMPTZ || type->id == CALVE_TIMESTAMPTZ_NS ? "true" : "false");
      break;
    case CALVE_DECIMAL:
      calve_buffer_printf(json,
                          "{\"type\":\"fixed\",\"name\":\"decimal_%d_%d_f%d\",\"size\":%d,"
                          "\"logicalType\":\"decimal\",\"precision\":%d,\"scale\":%d}",
                          type->precision, type->scale, field_id, decimal_bytes(type->precision),
                          type->precision, type->scale);
      break;
    case CALVE_UUID:
      calve_buffer_printf(json,
                          "{\"type\":\"fixed\",\"name\":\"uuid_fixed_f%d\",\"size\":16,"
                          "\"logicalType\":\"uuid\"}",
                          field_id);
      break;
    case CALVE_FIXED:
      calve_buffer_printf(json, "{\"type\":\"fixed\",\"name\":\"fixed_%d_f%d\",\"size\":%d}",
                          type->length, field_id, type->length);
      break;
    case CALVE_BINARY:
      calve_buffer_puts(json, "\"bytes\"");
      break;
    default:
      calve_buffer_puts(json, "\"string\"");
      break; /* unknown: always null             */
  }
}

bool calve_track__fit_value(const calve_type *type, const calve_value *v, calve_value *out) {
  calve_value fitted = *v;
  fitted.type = type->id;
  if (v->is_null) {
    *out = calve_value_null(type->id);
    return true;
  }
  switch (type->id) {
    case CALVE_INT:
    case CALVE_DATE: /* day() is an int to some and a date to others                            */
      if (v->type != CALVE_INT && v->type != CALVE_DATE) return false;
      break;
    case CALVE_LONG:
      if (v->type == CALVE_INT)
        fitted.i64 = v->i32;
      else if (v->type != CALVE_LONG)
        return false;
      break;
    case CALVE_DOUBLE:
      if (v->type == CALVE_FLOAT)
        fitted.f64 = (double)v->f32;
      else if (v->type != CALVE_DOUBLE)
        return false;
      break;
    case CALVE_DECIMAL:
      if (v->type != CALVE_DECIMAL ||
          !calve_decimal_rescale(v->i128, v->scale, type->scale, &fitted.i128) ||
          calve_decimal_digits(fitted.i128) > type->precision) {
        return false;
      }
      fitted.scale = (int16_t)type->scale;
      break;
    case CALVE_FIXED:
      if (v->type != CALVE_FIXED || v->bytes.size != (size_t)type->length) return false;
      break;
    case CALVE_UNKNOWN:
      return false;
    default:
      if (v->type != type->id) return false;
      break;
  }
  *out = fitted;
  return true;
}

static void put_decimal(calve_buffer *out, const calve_type *type, const calve_value *v) {
  size_t size = (size_t)decimal_bytes(type->precision);
  uint8_t minimal[16], padded[16];
  size_t used = calve_int128_encode(v->i128, minimal);
  memset(padded, v->i128 < 0 ? 0xff : 0, sizeof padded);
  memcpy(padded + size - used, minimal, used);
  calve_buffer_put(out, padded, size);
}

void calve_track__put_avro_value(calve_buffer *out, const calve_type *type, const calve_value *v) {
  switch (type->id) {
    case CALVE_BOOLEAN:
      calve_avro_put_bool(out, v->b);
      break;
    case CALVE_INT:
    case CALVE_DATE:
      calve_avro_put_long(out, v->i32);
      break;
    case CALVE_FLOAT:
      calve_avro_put_float(out, v->f32);
      break;
    case CALVE_DOUBLE:
      calve_avro_put_double(out, v->f64);
      break;
    case CALVE_DECIMAL:
      put_decimal(out, type, v);
      break;
    case CALVE_UUID:
      calve_buffer_put(out, v->uuid, 16);
      break;
    case CALVE_FIXED:
      calve_buffer_put_str(out, v->bytes);
      break;
    case CALVE_STRING:
    case CALVE_BINARY:
      calve_avro_put_bytes(out, v->bytes);
      break;
    default:
      calve_avro_put_long(out, v->i64);
      break;
  }
}
