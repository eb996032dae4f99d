/* SPDX-License-Identifier: Apache-2.0 */
#include "model/value.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/calendar.h"
#include "base/text.h"
#include "base/uuid.h"
#include "model/value_private.h"

calve_value calve_value_null(calve_type_id type) {
  return (calve_value){.type = type, .is_null = true};
}

bool calve_value_is_nan(const calve_value *v) {
  if (v->is_null) return false;
  return v->type == CALVE_FLOAT ? isnan(v->f32) : v->type == CALVE_DOUBLE && isnan(v->f64);
}

/* Total order of doubles as that of integers; all NaN equal and greatest. */
static int64_t order_of_double(double v) {
  int64_t bits;
  if (isnan(v)) return INT64_MAX;
  memcpy(&bits, &v, sizeof bits);
  return bits < 0 ? INT64_MIN - bits - 1 : bits;
}

static int compare_i64(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

static int compare_i128(calve_int128 a, calve_int128 b) {
  return (a > b) - (a < b);
}

/* By number: 1.5 equals 1.50. */
static int compare_decimals(const calve_value *a, const calve_value *b) {
  if (a->scale == b->scale) return compare_i128(a->i128, b->i128);
  if (a->scale > b->scale) return -compare_decimals(b, a);
  calve_int128 raised;
  int by = b->scale - a->scale;
  if (by > CALVE_DECIMAL_PRECISION_MAX || __builtin_mul_overflow(a->i128, calve_pow10(by), &raised))
    return compare_i128(a->i128, 0) != 0 ? compare_i128(a->i128, 0) : -compare_i128(b->i128, 0);
  return compare_i128(raised, b->i128);
}

static int compare_items(const calve_value *a, const calve_value *b) {
  size_t shorter = a->nested.count < b->nested.count ? a->nested.count : b->nested.count;
  for (size_t i = 0; i < shorter; i++) {
    const calve_value *x = &a->nested.items[i], *y = &b->nested.items[i];
    int order =
        x->is_null || y->is_null ? (int)y->is_null - (int)x->is_null : calve_value_compare(x, y);
    if (order != 0) return order;
  }
  return (a->nested.count > b->nested.count) - (a->nested.count < b->nested.count);
}

int calve_value_compare(const calve_value *a, const calve_value *b) {
  assert(a->type == b->type && !a->is_null && !b->is_null);
  switch (a->type) {
    case CALVE_BOOLEAN:
      return (int)a->b - (int)b->b;
    case CALVE_INT:
    case CALVE_DATE:
      return (a->i32 > b->i32) - (a->i32 < b->i32);
    case CALVE_LONG:
    case CALVE_TIME:
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      return compare_i64(a->i64, b->i64);
    case CALVE_FLOAT: /* widening keeps the order, and which zero it is */
      return compare_i64(order_of_double((double)a->f32), order_of_double((double)b->f32));
    case CALVE_DOUBLE:
      return compare_i64(order_of_double(a->f64), order_of_double(b->f64));
    case CALVE_DECIMAL:
      return compare_decimals(a, b);
    case CALVE_UUID: /* unsigned bytes: java.util.UUID's signed halves are not the order of the spec
                      */
      return memcmp(a->uuid, b->uuid, sizeof a->uuid);
    case CALVE_STRUCT:
    case CALVE_LIST:
    case CALVE_MAP:
      return compare_items(a, b);
    default:
      return calve_str_compare(a->bytes, b->bytes);
  }
}

bool calve_value_equal(const calve_value *a, const calve_value *b) {
  if (a->type != b->type) return false;
  if (a->is_null || b->is_null) return a->is_null && b->is_null;
  return calve_value_compare(a, b) == 0;
}

static uint64_t mix(uint64_t h) {
  h ^= h >> 33;
  h *= UINT64_C(0xff51afd7ed558ccd);
  h ^= h >> 33;
  h *= UINT64_C(0xc4ceb9fe1a85ec53);
  return h ^ (h >> 33);
}

/* Equal numbers hash alike at any scale: trailing zeros don't count. */
static uint64_t hash_decimal(const calve_value *v) {
  calve_int128 n = v->i128;
  int scale = n == 0 ? 0 : v->scale;
  while (n != 0 && n % 10 == 0) {
    n /= 10;
    scale--;
  }
  return mix((uint64_t)n) ^ mix((uint64_t)(n >> 64) + (uint64_t)(int64_t)scale);
}

uint64_t calve_value_hash(const calve_value *v) {
  uint64_t h = 0;
  if (v->is_null) return mix((uint64_t)v->type + 1);
  switch (v->type) {
    case CALVE_BOOLEAN:
      return mix(v->b ? 2 : 1);
    case CALVE_INT:
    case CALVE_DATE:
      return mix((uint64_t)(int64_t)v->i32);
    case CALVE_LONG:
    case CALVE_TIME:
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      return mix((uint64_t)v->i64);
    case CALVE_FLOAT:
      return mix((uint64_t)order_of_double((double)v->f32));
    case CALVE_DOUBLE:
      return mix((uint64_t)order_of_double(v->f64));
    case CALVE_DECIMAL:
      return hash_decimal(v);
    case CALVE_UUID:
      return calve_str_hash((calve_str){(const char *)v->uuid, sizeof v->uuid});
    case CALVE_STRUCT:
    case CALVE_LIST:
    case CALVE_MAP:
      for (size_t i = 0; i < v->nested.count; i++)
        h = mix(h + calve_value_hash(&v->nested.items[i]));
      return h;
    default:
      return calve_str_hash(v->bytes);
  }
}

void calve_value__print_hex(calve_str bytes, calve_buffer *out) {
  for (size_t i = 0; i < bytes.size; i++)
    calve_buffer_printf(out, "%02X", (unsigned)(unsigned char)bytes.data[i]);
}

static void print_items(const calve_value *v, calve_buffer *out) {
  bool map = v->type == CALVE_MAP;
  calve_buffer_putc(out, v->type == CALVE_LIST ? '[' : '{');
  for (size_t i = 0; i < v->nested.count; i++) {
    if (i > 0) calve_buffer_puts(out, map && i % 2 == 1 ? ": " : ", ");
    calve_value_print(&v->nested.items[i], out);
  }
  calve_buffer_putc(out, v->type == CALVE_LIST ? ']' : '}');
}

/* Dates, times and timestamps as text; false for other types. */
bool calve_value__time_text(const calve_value *v, char text[CALVE_TIME_TEXT_MAX]) {
  switch (v->type) {
    case CALVE_DATE:
      calve_date_format(v->i32, text);
      return true;
    case CALVE_TIME: /* a foreign partition value may be no time of day */
      if (v->i64 >= 0 && v->i64 < CALVE_US_PER_DAY)
        calve_time_format(v->i64, text);
      else
        snprintf(text, CALVE_TIME_TEXT_MAX, "%" PRId64, v->i64);
      return true;
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
      calve_timestamp_format(v->i64, v->type == CALVE_TIMESTAMPTZ, text);
      return true;
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      calve_timestamp_ns_format(v->i64, v->type == CALVE_TIMESTAMPTZ_NS, text);
      return true;
    default:
      return false;
  }
}

/* Numbers and UUIDs as text; false for other types. */
static bool number_text(const calve_value *v, char text[CALVE_VALUE_TEXT_MAX]) {
  switch (v->type) {
    case CALVE_FLOAT:
      calve_float_format(v->f32, text);
      return true;
    case CALVE_DOUBLE:
      calve_double_format(v->f64, text);
      return true;
    case CALVE_DECIMAL:
      calve_decimal_format(v->i128, v->scale, text);
      return true;
    case CALVE_UUID:
      calve_uuid_format(v->uuid, text);
      return true;
    default:
      return calve_value__time_text(v, text);
  }
}

void calve_value_print(const calve_value *v, calve_buffer *out) {
  char text[CALVE_VALUE_TEXT_MAX];
  if (v->is_null) {
    calve_buffer_puts(out, "null");
  } else if (number_text(v, text)) {
    calve_buffer_puts(out, text);
  } else {
    switch (v->type) {
      case CALVE_BOOLEAN:
        calve_buffer_puts(out, v->b ? "true" : "false");
        return;
      case CALVE_INT:
        calve_buffer_printf(out, "%" PRId32, v->i32);
        return;
      case CALVE_LONG:
        calve_buffer_printf(out, "%" PRId64, v->i64);
        return;
      case CALVE_STRING:
        calve_buffer_put_str(out, v->bytes);
        return;
      case CALVE_STRUCT:
      case CALVE_LIST:
      case CALVE_MAP:
        print_items(v, out);
        return;
      default:
        calve_value__print_hex(v->bytes, out);
    }
  }
}

calve_status calve_value_copy(const calve_value *v, calve_arena *arena, calve_value *out,
                              calve_error *err) {
  calve_value copy = *v;
  bool nested = v->type == CALVE_STRUCT || v->type == CALVE_LIST || v->type == CALVE_MAP;
  if (!v->is_null && nested) {
    calve_value *items = CALVE_NEW_ARRAY(arena, calve_value, v->nested.count);
    if (!items) return calve_fail_oom(err);
    for (size_t i = 0; i < v->nested.count; i++)
      CALVE_TRY(calve_value_copy(&v->nested.items[i], arena, &items[i], err));
    copy.nested.items = items;
  } else if (!v->is_null &&
             (v->type == CALVE_STRING || v->type == CALVE_FIXED || v->type == CALVE_BINARY)) {
    CALVE_TRY(calve_arena_str(arena, v->bytes, &copy.bytes, err));
  }
  *out = copy;
  return CALVE_OK;
}
