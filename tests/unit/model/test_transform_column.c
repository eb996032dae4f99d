/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

#include "base/calendar.h"
#include "model/transform.h"

enum { ROWS = 1000 };

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static bool is_wide(calve_type_id id) {
  return id == CALVE_LONG || id == CALVE_TIME ||
         (id >= CALVE_TIMESTAMP && id <= CALVE_TIMESTAMPTZ_NS);
}

/* Random values of a type in a plain array, and the same as calve_value. */
typedef struct sample {
  calve_value values[ROWS];
  union {
    bool b[ROWS];
    int32_t i32[ROWS];
    int64_t i64[ROWS];
    calve_int128 i128[ROWS];
    uint8_t uuid[ROWS][16];
    calve_str bytes[ROWS];
  } column;
  uint8_t valid[ROWS / 8 + 1];
} sample;

static void fill(sample *s, const calve_type *type, uint64_t seed) {
  static const char text[] = "a\u00e9\u4e16\U0001F600-0123456789";
  static const size_t starts[] = {0, 1, 3, 6, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21};
  memset(s, 0, sizeof *s);
  for (size_t i = 0; i < ROWS; i++) {
    uint64_t bits = next_random(&seed);
    int64_t number = (int64_t)bits >> (bits % 50);
    calve_value *v = &s->values[i];
    *v = (calve_value){.type = type->id, .scale = (int16_t)type->scale};
    v->is_null = bits % 5 == 0;
    if (!v->is_null) s->valid[i / 8] |= (uint8_t)(1u << (i % 8));
    if (type->id == CALVE_BOOLEAN) {
      s->column.b[i] = v->b = bits & 1;
    } else if (type->id == CALVE_DECIMAL) {
      s->column.i128[i] = v->i128 =
          (calve_int128)number * (calve_int128)(int64_t)(bits % 1000000007);
    } else if (type->id == CALVE_UUID) {
      for (size_t k = 0; k < 16; k++) v->uuid[k] = (uint8_t)(bits >> (k % 8) * 8);
      memcpy(s->column.uuid[i], v->uuid, 16);
    } else if (type->id == CALVE_STRING || type->id == CALVE_BINARY) {
      size_t from = starts[bits % ARRAY_COUNT(starts)],
             to = starts[(bits >> 8) % ARRAY_COUNT(starts)];
      size_t low = from < to ? from : to, high = from < to ? to : from;
      s->column.bytes[i] = v->bytes = (calve_str){text + low, high - low};
    } else if (is_wide(type->id)) {
      s->column.i64[i] = v->i64 = number;
    } else {
      s->column.i32[i] = v->i32 = (int32_t)number;
    }
  }
}

static calve_value result_at(const calve_type *type, const void *results, size_t i) {
  calve_value v = {.type = type->id, .scale = (int16_t)type->scale};
  if (type->id == CALVE_BOOLEAN)
    v.b = ((const bool *)results)[i];
  else if (type->id == CALVE_DECIMAL)
    v.i128 = ((const calve_int128 *)results)[i];
  else if (type->id == CALVE_UUID)
    memcpy(v.uuid, (const uint8_t *)results + 16 * i, 16);
  else if (type->id == CALVE_STRING || type->id == CALVE_BINARY)
    v.bytes = ((const calve_str *)results)[i];
  else if (is_wide(type->id))
    v.i64 = ((const int64_t *)results)[i];
  else
    v.i32 = ((const int32_t *)results)[i];
  return v;
}

static sample in;
static calve_int128 results[ROWS];

/* Law: a column gives what its rows give one by one; the first that does not fit is named. */
static void check(const calve_transform *t, const calve_type *type) {
  calve_error err;
  calve_column column = {type, &in.column, in.valid, ROWS};
  const calve_type *result_type = calve_transform_result_type(t, type);
  size_t bad_row = ROWS;
  calve_status status = calve_transform_apply_column(t, &column, results, &bad_row, &err);
  for (size_t i = 0; i < ROWS; i++) {
    calve_value one;
    calve_status expected = calve_transform_apply(t, type, &in.values[i], &one, NULL);
    if (expected != CALVE_OK) {
      assert_int_equal(status, expected);
      assert_int_equal(bad_row, i);
      return;
    }
    if (one.is_null) continue;
    calve_value of_column = result_at(result_type, results, i);
    assert_true(calve_value_equal(&one, &of_column));
  }
  assert_int_equal(status, CALVE_OK);
}

static void test_columns_equal_single_values(void **state) {
  static const char *const types[] = {
      "boolean", "int",         "long",         "decimal(38, 4)", "date", "time",  "timestamp",
      "string",  "timestamptz", "timestamp_ns", "timestamptz_ns", "uuid", "binary"};
  static const char *const transforms[] = {"identity", "bucket[7]", "truncate[3]", "year",
                                           "month",    "day",       "hour",        "void"};
  (void)state;
  calve_arena arena;
  size_t checked = 0;
  calve_arena_init(&arena, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
    const calve_type *type = parsed_type(&arena, types[i]);
    fill(&in, type, 42 + i);
    for (size_t k = 0; k < ARRAY_COUNT(transforms); k++) {
      calve_transform t = parsed_transform(&arena, transforms[k]);
      if (!calve_transform_accepts(&t, type)) continue;
      check(&t, type);
      checked++;
    }
  }
  assert_int_equal(checked, 62);
  calve_arena_free(&arena);
}

static void test_the_row_that_does_not_fit_is_named(void **state) {
  (void)state;
  calve_error err;
  int64_t us[] = {0, INT64_C(7827070780800000000), 1};
  int32_t hours[3] = {0};
  uint8_t only_last = 4;
  size_t bad_row = 99;
  calve_transform hour = {.kind = CALVE_HOUR};
  calve_column column = {calve_type_of(CALVE_TIMESTAMP), us, NULL, 3};
  assert_fails(calve_transform_apply_column(&hour, &column, hours, &bad_row, &err), CALVE_EINVAL,
               &err);
  assert_int_equal(bad_row, 1);
  assert_message(&err, "+250000-01-01T00:00:00");
  column.valid = &only_last; /* what stands in a null row is not looked at */
  assert_ok(calve_transform_apply_column(&hour, &column, hours, &bad_row, &err), &err);
}

static void test_unknown_transform_is_refused(void **state) {
  (void)state;
  calve_error err;
  int32_t values[1] = {1}, out[1] = {5};
  calve_transform later = {.kind = CALVE_TRANSFORM_UNKNOWN, .text = CALVE_STR("zorder")};
  calve_column column = {calve_type_of(CALVE_INT), values, NULL, 1};
  assert_fails(calve_transform_apply_column(&later, &column, out, NULL, &err), CALVE_EUNSUPPORTED,
               &err);
  assert_int_equal(out[0], 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_columns_equal_single_values),
      cmocka_unit_test(test_the_row_that_does_not_fit_is_named),
      cmocka_unit_test(test_unknown_transform_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
