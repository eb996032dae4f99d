/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "codec/murmur3.h"
#include "model/transform.h"
#include "model/transform_private.h"

/* One loop per (transform, C type): `expr` computes *o from *v, both typed; rows without a value
 * are left alone. */
#define EACH_ROW(in_type, out_type, expr)            \
  do {                                               \
    const in_type *v = in->values;                   \
    out_type *o = out_values;                        \
    for (size_t i = 0; i < in->count; i++, v++, o++) \
      if (is_valid(in, i)) expr;                     \
  } while (0)

/* The same for a function that tells whether the result fits. */
#define EACH_ROW_THAT_FITS(in_type, out_type, call)  \
  do {                                               \
    const in_type *v = in->values;                   \
    out_type *o = out_values;                        \
    for (size_t i = 0; i < in->count; i++, v++, o++) \
      if (is_valid(in, i) && !(call)) return i;      \
    return in->count;                                \
  } while (0)

static inline bool is_valid(const calve_column *in, size_t i) {
  return !in->valid || ((in->valid[i / 8] >> (i % 8)) & 1) != 0;
}

static size_t width_of(calve_type_id id) {
  switch (id) {
    case CALVE_BOOLEAN:
      return sizeof(bool);
    case CALVE_INT:
    case CALVE_DATE:
    case CALVE_FLOAT:
      return sizeof(int32_t);
    case CALVE_DECIMAL:
    case CALVE_UUID:
      return sizeof(calve_int128);
    case CALVE_STRING:
    case CALVE_FIXED:
    case CALVE_BINARY:
      return sizeof(calve_str);
    default:
      return sizeof(int64_t);
  }
}

typedef struct uuid_bytes {
  uint8_t bytes[16];
} uuid_bytes;

static void bucket_column(int32_t count, const calve_column *in, void *out_values) {
  switch (in->type->id) {
    case CALVE_INT:
    case CALVE_DATE:
      EACH_ROW(int32_t, int32_t, *o = calve_transform__bucket(calve_murmur3_i64(*v), count));
      return;
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      EACH_ROW(int64_t, int32_t,
               *o = calve_transform__bucket(calve_murmur3_i64(calve_floor_div(*v, CALVE_NS_PER_US)),
                                            count));
      return;
    case CALVE_DECIMAL:
      EACH_ROW(calve_int128, int32_t,
               *o = calve_transform__bucket(calve_transform__hash_decimal(*v), count));
      return;
    case CALVE_UUID:
      EACH_ROW(uuid_bytes, int32_t,
               *o = calve_transform__bucket(calve_murmur3_bytes(v->bytes, 16), count));
      return;
    case CALVE_STRING:
    case CALVE_FIXED:
    case CALVE_BINARY:
      EACH_ROW(calve_str, int32_t,
               *o = calve_transform__bucket(calve_murmur3_bytes(v->data, v->size), count));
      return;
    default:
      EACH_ROW(int64_t, int32_t, *o = calve_transform__bucket(calve_murmur3_i64(*v), count));
  }
}

/* Gives the first row that does not fit, or the count of rows. */
static size_t truncate_column(int32_t width, const calve_column *in, void *out_values) {
  switch (in->type->id) {
    case CALVE_INT:
      EACH_ROW_THAT_FITS(int32_t, int32_t, calve_transform__truncate_i32(*v, width, o));
    case CALVE_LONG:
      EACH_ROW_THAT_FITS(int64_t, int64_t, calve_transform__truncate_i64(*v, width, o));
    case CALVE_DECIMAL:
      EACH_ROW_THAT_FITS(calve_int128, calve_int128,
                         calve_transform__truncate_decimal(*v, width, o));
    case CALVE_STRING:
      EACH_ROW(calve_str, calve_str,
               *o = ((calve_str){v->data, calve_utf8_prefix_bytes(*v, (size_t)width)}));
      return in->count;
    default:
      EACH_ROW(calve_str, calve_str,
               *o = ((calve_str){v->data, v->size < (size_t)width ? v->size : (size_t)width}));
      return in->count;
  }
}

static bool is_ns(calve_type_id id) {
  return id == CALVE_TIMESTAMP_NS || id == CALVE_TIMESTAMPTZ_NS;
}

static size_t hour_column(const calve_column *in, void *out_values) {
  int64_t units = is_ns(in->type->id) ? CALVE_US_PER_HOUR * CALVE_NS_PER_US : CALVE_US_PER_HOUR;
  EACH_ROW_THAT_FITS(int64_t, int32_t, calve_transform__hour(*v, units, o));
}

static void date_column(calve_transform_kind kind, const calve_column *in, void *out_values) {
  if (kind == CALVE_YEAR)
    EACH_ROW(int32_t, int32_t, *o = calve_transform__year(*v));
  else if (kind == CALVE_MONTH)
    EACH_ROW(int32_t, int32_t, *o = calve_transform__month(*v));
  else
    EACH_ROW(int32_t, int32_t, *o = *v);
}

static void timestamp_column(calve_transform_kind kind, const calve_column *in, void *out_values) {
  int64_t units = is_ns(in->type->id) ? CALVE_NS_PER_DAY : CALVE_US_PER_DAY;
  if (kind == CALVE_YEAR)
    EACH_ROW(int64_t, int32_t, *o = calve_transform__year(calve_floor_div(*v, units)));
  else if (kind == CALVE_MONTH)
    EACH_ROW(int64_t, int32_t, *o = calve_transform__month(calve_floor_div(*v, units)));
  else
    EACH_ROW(int64_t, int32_t, *o = (int32_t)calve_floor_div(*v, units));
}

/* The value of a row, for the error message. Only transforms of numbers can fail. */
static calve_value value_of_row(const calve_column *in, size_t row) {
  calve_value v = {.type = in->type->id, .scale = (int16_t)in->type->scale};
  if (v.type == CALVE_INT)
    v.i32 = ((const int32_t *)in->values)[row];
  else if (v.type == CALVE_DECIMAL)
    v.i128 = ((const calve_int128 *)in->values)[row];
  else
    v.i64 = ((const int64_t *)in->values)[row];
  return v;
}

/* Unknown and unfit transforms give the same error as for one value. */
static calve_status check_applies(const calve_transform *t, const calve_column *in,
                                  calve_error *err) {
  calve_value null = calve_value_null(in->type->id), out;
  return calve_transform_apply(t, in->type, &null, &out, err);
}

calve_status calve_transform_apply_column(const calve_transform *t, const calve_column *in,
                                          void *out_values, size_t *bad_row, calve_error *err) {
  size_t reached = in->count;
  CALVE_TRY(check_applies(t, in, err));
  switch (t->kind) {
    case CALVE_IDENTITY:
      if (in->count > 0) memcpy(out_values, in->values, in->count * width_of(in->type->id));
      break;
    case CALVE_BUCKET:
      bucket_column(t->parameter, in, out_values);
      break;
    case CALVE_TRUNCATE:
      reached = truncate_column(t->parameter, in, out_values);
      break;
    case CALVE_HOUR:
      reached = hour_column(in, out_values);
      break;
    case CALVE_YEAR:
    case CALVE_MONTH:
    case CALVE_DAY:
      if (in->type->id == CALVE_DATE)
        date_column(t->kind, in, out_values);
      else
        timestamp_column(t->kind, in, out_values);
      break;
    default: /* void: all null */
      break;
  }
  if (reached == in->count) return CALVE_OK;
  calve_value value = value_of_row(in, reached);
  if (bad_row) *bad_row = reached;
  return calve_transform__overflow(t, &value, err);
}
