/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

#include <math.h>

static calve_value double_value(double v) {
  return (calve_value){.type = CALVE_DOUBLE, .f64 = v};
}
static calve_value float_value(float v) {
  return (calve_value){.type = CALVE_FLOAT, .f32 = v};
}
static calve_value decimal_value(int64_t unscaled, int16_t scale) {
  return (calve_value){.type = CALVE_DECIMAL, .i128 = unscaled, .scale = scale};
}

/* Asserts that the values stand in ascending order, none equal, and that hashes agree. */
static void assert_ascending(const calve_value *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      int order = calve_value_compare(&values[i], &values[j]);
      assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
      assert_int_equal(calve_value_equal(&values[i], &values[j]), i == j);
      if (i == j) assert_true(calve_value_hash(&values[i]) == calve_value_hash(&values[j]));
    }
}

/* Rule: strings order by code point, which is the order of UTF-8 bytes, not of UTF-16 units. */
static void test_strings_order_by_code_point(void **state) {
  (void)state;
  const calve_value rows[] = {text_value(CALVE_STR("")),          text_value(CALVE_STR("\0")),
                              text_value(CALVE_STR("a")),         text_value(CALVE_STR("ab")),
                              text_value(CALVE_STR("\u00e9")),    text_value(CALVE_STR("\uff5e")),
                              text_value(CALVE_STR("\U0001F600"))};
  assert_ascending(rows, ARRAY_COUNT(rows));
}

static void test_floats_order_totally(void **state) {
  (void)state;
  const calve_value doubles[] = {
      double_value(-INFINITY), double_value(-1.5),     double_value(-5e-324),
      double_value(-0.0),      double_value(0.0),      double_value(5e-324),
      double_value(1.5),       double_value(INFINITY), double_value(NAN)};
  const calve_value floats[] = {float_value(-INFINITY), float_value(-1.5f),  float_value(-0.0f),
                                float_value(0.0f),      float_value(1e-45f), float_value(INFINITY),
                                float_value(NAN)};
  assert_ascending(doubles, ARRAY_COUNT(doubles));
  assert_ascending(floats, ARRAY_COUNT(floats));
}

/* Rule: in partition tuples all NaN are one value, whatever their bits; the zeros are two. */
static void test_all_nan_are_equal_and_zeros_are_not(void **state) {
  (void)state;
  uint64_t odd_bits = UINT64_C(0xfff8000000000001);
  calve_value a = double_value(NAN), b = double_value(0), zero = double_value(0.0),
              minus = double_value(-0.0);
  memcpy(&b.f64, &odd_bits, sizeof odd_bits);
  assert_true(calve_value_equal(&a, &b));
  assert_true(calve_value_hash(&a) == calve_value_hash(&b));
  assert_false(calve_value_equal(&zero, &minus));
  assert_true(calve_value_is_nan(&b));
  assert_false(calve_value_is_nan(&zero));
  calve_value null = calve_value_null(CALVE_DOUBLE);
  assert_false(calve_value_is_nan(&null));
  assert_false(calve_value_equal(&null, &zero));
  assert_true(calve_value_equal(&null, &null));
}

static void test_decimals_compare_by_number(void **state) {
  (void)state;
  const calve_value rows[] = {decimal_value(INT64_MIN, 0), decimal_value(-501, 2),
                              decimal_value(-5, 0),        decimal_value(0, 3),
                              decimal_value(10230, 3),     decimal_value(1024, 2),
                              decimal_value(INT64_MAX, 0)};
  assert_ascending(rows, ARRAY_COUNT(rows));
  calve_value a = decimal_value(1023, 2), b = decimal_value(10230, 3), zero = decimal_value(0, 9),
              other_zero = decimal_value(0, 0);
  assert_true(calve_value_equal(&a, &b));
  assert_true(calve_value_hash(&a) == calve_value_hash(&b));
  assert_true(calve_value_equal(&zero, &other_zero));
  assert_true(calve_value_hash(&zero) == calve_value_hash(&other_zero));
  calve_value huge = decimal_value(0, 0), tiny = decimal_value(1, 38);
  huge.i128 = calve_pow10(38) - 1;
  assert_true(calve_value_compare(&huge, &tiny) > 0);
  assert_true(calve_value_compare(&tiny, &huge) < 0);
  huge.i128 = -huge.i128;
  assert_true(calve_value_compare(&huge, &tiny) < 0);
}

static void test_uuids_order_by_unsigned_bytes(void **state) {
  (void)state;
  calve_value low = {.type = CALVE_UUID, .uuid = {0x7f}},
              high = {.type = CALVE_UUID, .uuid = {0x80}};
  assert_true(calve_value_compare(&low, &high) < 0);
}

static void test_print_is_for_people(void **state) {
  (void)state;
  calve_buffer out;
  calve_value bytes = {.type = CALVE_BINARY, .bytes = CALVE_STR("\x01\xab")};
  calve_value items[] = {int_value(1), calve_value_null(CALVE_INT)};
  calve_value list = {.type = CALVE_LIST, .nested = {items, 2}};
  const struct {
    calve_value value;
    const char *text;
  } rows[] = {{int_value(-7), "-7"},
              {long_value(CALVE_LONG, INT64_MIN), "-9223372036854775808"},
              {{.type = CALVE_BOOLEAN, .b = true}, "true"},
              {double_value(-INFINITY), "-Infinity"},
              {decimal_value(1065, 2), "10.65"},
              {{.type = CALVE_DATE, .i32 = 20513}, "2026-03-01"},
              {long_value(CALVE_TIMESTAMP, -1), "1969-12-31T23:59:59.999999"},
              {calve_value_null(CALVE_STRING), "null"},
              {long_value(CALVE_TIME, -1), "-1"}, /* a foreign value that is no time of day */
              {bytes, "01AB"},
              {list, "[1, null]"}};
  calve_buffer_init(&out, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_value_print(&rows[i].value, &out);
    assert_buffer(&out, rows[i].text);
  }
  calve_buffer_free(&out);
}

static void test_copy_outlives_its_source(void **state) {
  (void)state;
  calve_error err;
  calve_arena arena;
  char text[] = "abc";
  calve_value items[] = {text_value(calve_str_of(text)), calve_value_null(CALVE_STRING)}, copy;
  calve_value list = {.type = CALVE_LIST, .nested = {items, 2}};
  calve_arena_init(&arena, NULL);
  assert_ok(calve_value_copy(&list, &arena, &copy, &err), &err);
  memset(text, 'x', 3);
  items[1] = int_value(3);
  assert_true(calve_str_equal_text(copy.nested.items[0].bytes, "abc"));
  assert_true(copy.nested.items[1].is_null);
  calve_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_strings_order_by_code_point),
      cmocka_unit_test(test_floats_order_totally),
      cmocka_unit_test(test_all_nan_are_equal_and_zeros_are_not),
      cmocka_unit_test(test_decimals_compare_by_number),
      cmocka_unit_test(test_uuids_order_by_unsigned_bytes),
      cmocka_unit_test(test_print_is_for_people),
      cmocka_unit_test(test_copy_outlives_its_source),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
