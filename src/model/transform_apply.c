/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "base/text.h"
#include "codec/murmur3.h"
#include "model/transform.h"
#include "model/transform_private.h"

int32_t calve_transform__hash_decimal(calve_int128 unscaled) {
  uint8_t bytes[16];
  size_t size = calve_int128_encode(unscaled, bytes);
  return calve_murmur3_bytes(bytes, size);
}

int32_t calve_bucket_hash(const calve_value *v) {
  assert(!v->is_null);
  switch (v->type) {
    case CALVE_INT:
    case CALVE_DATE:
      return calve_murmur3_i64(v->i32); /* as long, so that promotion keeps the bucket */
    case CALVE_LONG:
    case CALVE_TIME:
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
      return calve_murmur3_i64(v->i64);
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS: /* hashed as microseconds [spec: Appendix B] */
      return calve_murmur3_i64(calve_floor_div(v->i64, CALVE_NS_PER_US));
    case CALVE_DECIMAL:
      return calve_transform__hash_decimal(v->i128);
    case CALVE_UUID:
      return calve_murmur3_bytes(v->uuid, sizeof v->uuid);
    default:
      return calve_murmur3_bytes(v->bytes.data, v->bytes.size);
  }
}

static const char *phrase_of(const calve_transform *t, char text[48]) {
  calve_buffer out = {.data = text, .capacity = 48};
  calve_transform_print(t, &out); /* at most "truncate[2147483647]": stays in text */
  text[out.size] = '\0';
  return text;
}

calve_status calve_transform__overflow(const calve_transform *t, const calve_value *in,
                                       calve_error *err) {
  if (!err) return CALVE_EINVAL; /* pruning asks often: nothing is allocated for no reader */
  char name[48];
  calve_buffer value;
  calve_buffer_init(&value, NULL);
  calve_value_print(in, &value);
  calve_status status =
      calve_fail(err, CALVE_EINVAL, NULL, "%s of %s does not fit the partition field's type",
                 phrase_of(t, name), calve_buffer_cstr(&value));
  calve_buffer_free(&value);
  return status;
}

static calve_status apply_truncate(const calve_transform *t, const calve_value *in,
                                   calve_value *out, calve_error *err) {
  calve_value result = *in;
  bool fits = true;
  switch (in->type) {
    case CALVE_INT:
      fits = calve_transform__truncate_i32(in->i32, t->parameter, &result.i32);
      break;
    case CALVE_LONG:
      fits = calve_transform__truncate_i64(in->i64, t->parameter, &result.i64);
      break;
    case CALVE_DECIMAL:
      fits = calve_transform__truncate_decimal(in->i128, t->parameter, &result.i128);
      break;
    case CALVE_STRING: /* code points, never bytes or UTF-16 units */
      result.bytes.size = calve_utf8_prefix_bytes(in->bytes, (size_t)t->parameter);
      break;
    default:
      if (result.bytes.size > (size_t)t->parameter) result.bytes.size = (size_t)t->parameter;
  }
  if (!fits) return calve_transform__overflow(t, in, err);
  *out = result;
  return CALVE_OK;
}

/* Day of a date or timestamp. */
static int64_t day_of(const calve_value *v) {
  if (v->type == CALVE_DATE) return v->i32;
  bool ns = v->type == CALVE_TIMESTAMP_NS || v->type == CALVE_TIMESTAMPTZ_NS;
  return calve_floor_div(v->i64, ns ? CALVE_NS_PER_DAY : CALVE_US_PER_DAY);
}

static calve_status apply_hour(const calve_transform *t, const calve_value *in, calve_value *out,
                               calve_error *err) {
  bool ns = in->type == CALVE_TIMESTAMP_NS || in->type == CALVE_TIMESTAMPTZ_NS;
  int32_t hour;
  if (!calve_transform__hour(in->i64, ns ? CALVE_US_PER_HOUR * CALVE_NS_PER_US : CALVE_US_PER_HOUR,
                             &hour))
    return calve_transform__overflow(t, in, err);
  *out = (calve_value){.type = CALVE_INT, .i32 = hour};
  return CALVE_OK;
}

calve_status calve_transform_apply(const calve_transform *t, const calve_type *source,
                                   const calve_value *in, calve_value *out, calve_error *err) {
  char type[CALVE_TYPE_TEXT_MAX];
  if (t->kind == CALVE_TRANSFORM_UNKNOWN)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL, "the transform '%.*s' is not known",
                      CALVE_STR_ARG(t->text));
  if (!calve_transform_accepts(t, source)) {
    char name[48];
    return calve_fail(err, CALVE_EINVAL, NULL, "%s can't be applied to type %s", phrase_of(t, name),
                      calve_type_text(source, type));
  }
  if (in->is_null || t->kind == CALVE_VOID) {
    *out = calve_value_null(calve_transform_result_type(t, source)->id);
    return CALVE_OK;
  }
  assert(in->type == source->id);
  calve_value result = {.type = CALVE_INT};
  switch (t->kind) {
    case CALVE_IDENTITY:
      *out = *in;
      return CALVE_OK;
    case CALVE_TRUNCATE:
      return apply_truncate(t, in, out, err);
    case CALVE_HOUR:
      return apply_hour(t, in, out, err);
    case CALVE_BUCKET:
      result.i32 = calve_transform__bucket(calve_bucket_hash(in), t->parameter);
      break;
    case CALVE_YEAR:
      result.i32 = calve_transform__year(day_of(in));
      break;
    case CALVE_MONTH:
      result.i32 = calve_transform__month(day_of(in));
      break;
    default:
      result.type = CALVE_DATE;
      result.i32 = (int32_t)day_of(in);
  }
  *out = result;
  return CALVE_OK;
}
