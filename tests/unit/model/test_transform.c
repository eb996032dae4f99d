/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

#include <time.h>

#include "base/calendar.h"
#include "model/transform.h"

static calve_arena arena;

static int32_t int_result(const char *transform, const char *type, calve_value in) {
  calve_error err;
  calve_value out = {0};
  calve_transform t = parsed_transform(&arena, transform);
  assert_ok(calve_transform_apply(&t, parsed_type(&arena, type), &in, &out, &err), &err);
  assert_false(out.is_null);
  assert_true(out.type == CALVE_INT || out.type == CALVE_DATE);
  return out.i32;
}

/* Rule (B001): time transforms floor, on both sides of the epoch. */
static void test_time_transforms_floor_before_1970(void **state) {
  static const struct {
    int64_t us;
    int32_t year, month, day, hour;
  } rows[] = {
      {-1000000, -1, -1, -1, -1},
      {-1, -1, -1, -1, -1},
      {-INT64_C(50400000000), -1, -1, -1, -14},
      {-INT64_C(586433000000), -1, -1, -7, -163},
      {-INT64_C(31536000000000), -1, -12, -365, -8760},
      {-INT64_C(31536000000001), -2, -13, -366, -8761},
      {-INT64_C(61462461539000000), -1948, -23372, -711372, -17072906},
      {0, 0, 0, 0, 0},
      {INT64_C(1704052800000000), 53, 647, 19722, 473348},
  };
  (void)state;
  static const char *const types[] = {"timestamp", "timestamptz"};
  for (size_t k = 0; k < ARRAY_COUNT(types); k++)
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      calve_value v = long_value(parsed_type(&arena, types[k])->id, rows[i].us);
      assert_int_equal(int_result("year", types[k], v), rows[i].year);
      assert_int_equal(int_result("month", types[k], v), rows[i].month);
      assert_int_equal(int_result("day", types[k], v), rows[i].day);
      assert_int_equal(int_result("hour", types[k], v), rows[i].hour);
    }
}

/* Rule (B003): nanoseconds are floored to microseconds before anything else. */
static void test_nanoseconds_floor(void **state) {
  static const struct {
    int64_t ns;
    int32_t day, bucket;
  } rows[] = {{-1, -1, 8}, {-999, -1, 8}, {-1000, -1, 8}};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_value v = long_value(CALVE_TIMESTAMP_NS, rows[i].ns);
    assert_int_equal(int_result("day", "timestamp_ns", v), rows[i].day);
    assert_int_equal(int_result("hour", "timestamp_ns", v), -1);
    assert_int_equal(int_result("bucket[16]", "timestamp_ns", v), rows[i].bucket);
  }
  calve_value minus_two_us = long_value(CALVE_TIMESTAMP_NS, -1001);
  calve_value us = long_value(CALVE_TIMESTAMP, -2);
  assert_int_equal(calve_bucket_hash(&minus_two_us), calve_bucket_hash(&us));
  calve_value v = long_value(CALVE_TIMESTAMP_NS, INT64_C(1510871468000001001));
  assert_int_equal(calve_bucket_hash(&v), -1207196810);
}

/* B004 */
static void test_hour_that_does_not_fit_is_an_error(void **state) {
  (void)state;
  calve_error err;
  calve_value out = int_value(42), far = long_value(CALVE_TIMESTAMP, INT64_C(7827070780800000000));
  calve_transform hour = parsed_transform(&arena, "hour");
  assert_fails(calve_transform_apply(&hour, calve_type_of(CALVE_TIMESTAMP), &far, &out, &err),
               CALVE_EINVAL, &err);
  assert_message(&err, "hour of +250000-01-01");
  assert_int_equal(out.i32, 42);
  calve_value last = long_value(CALVE_TIMESTAMP, INT64_C(2147483647) * CALVE_US_PER_HOUR);
  assert_int_equal(int_result("hour", "timestamp", last), INT32_MAX);
}

static void test_time_zone_of_the_process_does_not_matter(void **state) {
  static const char *const zones[] = {"UTC", "Asia/Seoul", "America/Los_Angeles", "Asia/Kolkata"};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(zones); i++) {
    setenv("TZ", zones[i], 1);
    tzset();
    calve_value v = long_value(CALVE_TIMESTAMPTZ, INT64_C(1704052800000000));
    assert_int_equal(int_result("day", "timestamptz", v), 19722);
    assert_int_equal(int_result("hour", "timestamptz", v), 473348);
    assert_int_equal(int_result("month", "timestamptz", v), 647);
    assert_int_equal(int_result("year", "timestamptz", v), 53);
    calve_buffer out;
    calve_buffer_init(&out, NULL);
    calve_value_print(&v, &out);
    assert_buffer(&out, "2023-12-31T20:00:00+00:00");
    calve_transform day = parsed_transform(&arena, "day");
    calve_value date = {.type = CALVE_DATE, .i32 = 19722};
    calve_transform_print_value(&day, calve_type_of(CALVE_TIMESTAMPTZ), &date, &out);
    assert_buffer(&out, "2023-12-31");
    calve_buffer_free(&out);
  }
  unsetenv("TZ");
  tzset();
}

/* B007 */
static void test_uuid_is_hashed_as_its_16_bytes(void **state) {
  (void)state;
  calve_value v = {.type = CALVE_UUID,
                   .uuid = {0xf7, 0x9c, 0x3e, 0x09, 0x67, 0x7c, 0x4b, 0xbd, 0xa4, 0x79, 0x3f, 0x34,
                            0x9c, 0xb7, 0x85, 0xe7}};
  assert_int_equal(calve_bucket_hash(&v), 1488055340);
  assert_int_equal(int_result("bucket[16]", "uuid", v), 12);
}

/* B008 */
static void test_strings_are_hashed_as_utf8(void **state) {
  static const struct {
    calve_str text;
    int32_t hash, bucket;
  } rows[] = {
      {{"", 0}, 0, 0},
      {{"a", 1}, 1009084850, 2},
      {{"\xc3\xa9", 2}, 269551495, 7},
      {{"\xe4\xb8\x96\xe7\x95\x8c", 6}, -1974475094, 10},
      {{"\xf0\x9f\x92\xb0", 4}, -1486360756, 12},
      {{"string with a surrogate pair: \xf0\x9f\x92\xb0", 34}, -1601900220, 4},
      {{"\0", 1}, 1364076727, 7},
  };
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_value v = text_value(rows[i].text);
    assert_int_equal(calve_bucket_hash(&v), rows[i].hash);
    assert_int_equal(int_result("bucket[16]", "string", v), rows[i].bucket);
  }
}

/* Rule (B009): the sign bit is cleared before the modulus; ints hash as longs. */
static void test_bucket_of_negative_hashes(void **state) {
  (void)state;
  static const int32_t of_10[] = {6, 2, 5, 0};
  for (int32_t v = 1; v <= 4; v++) {
    assert_int_equal(int_result("bucket[10]", "int", int_value(v)), of_10[v - 1]);
    assert_int_equal(int_result("bucket[10]", "long", long_value(CALVE_LONG, v)), of_10[v - 1]);
  }
  calve_value two = int_value(2), lowest = int_value(INT32_MIN);
  assert_int_equal(calve_bucket_hash(&two), -971005196);
  assert_int_equal(calve_bucket_hash(&lowest), -2073034792);
  assert_int_equal(int_result("bucket[16]", "int", two), 4);
  assert_int_equal(int_result("bucket[16]", "int", int_value(-1)), 8);
  assert_int_equal(int_result("bucket[16]", "int", lowest), 8);
  assert_int_equal(int_result("bucket[16]", "long", long_value(CALVE_LONG, 8237)), 11);
  assert_int_equal(int_result("bucket[4]", "long", long_value(CALVE_LONG, 8237)), 3);
}

/* B010 */
static void test_truncate_of_negative_integers(void **state) {
  static const struct {
    const char *transform;
    int32_t in, out;
  } rows[] = {{"truncate[10]", -1, -10},  {"truncate[10]", -10, -10},
              {"truncate[10]", -11, -20}, {"truncate[10]", -12, -20},
              {"truncate[10]", 1, 0},     {"truncate[3]", -3, -3},
              {"truncate[3]", -4, -6},    {"truncate[16]", INT32_MIN, INT32_MIN}};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    assert_int_equal(int_result(rows[i].transform, "int", int_value(rows[i].in)), rows[i].out);
    calve_error err;
    calve_value in = long_value(CALVE_LONG, rows[i].in), out;
    calve_transform t = parsed_transform(&arena, rows[i].transform);
    assert_ok(calve_transform_apply(&t, calve_type_of(CALVE_LONG), &in, &out, &err), &err);
    assert_int_equal(out.i64, rows[i].out);
  }
}

/* B011 */
static void test_truncate_below_the_minimum_is_an_error(void **state) {
  (void)state;
  calve_error err;
  calve_value out, low = int_value(INT32_MIN), low_long = long_value(CALVE_LONG, INT64_MIN);
  calve_transform by_10000 = parsed_transform(&arena, "truncate[10000]");
  calve_transform by_10 = parsed_transform(&arena, "truncate[10]");
  assert_fails(calve_transform_apply(&by_10000, calve_type_of(CALVE_INT), &low, &out, &err),
               CALVE_EINVAL, &err);
  assert_message(&err, "truncate[10000] of -2147483648");
  assert_fails(calve_transform_apply(&by_10, calve_type_of(CALVE_LONG), &low_long, &out, &err),
               CALVE_EINVAL, &err);
}

/* B010, B013: also where the result has a digit more than the type. */
static void test_truncate_of_decimals_is_exact(void **state) {
  static const struct {
    const char *type, *transform;
    int in, out;
  } rows[] = {{"decimal(9, 2)", "truncate[50]", 1065, 1050},
              {"decimal(9, 2)", "truncate[50]", -1065, -1100},
              {"decimal(9, 2)", "truncate[10]", -5, -10},
              {"decimal(7, 3)", "truncate[10]", -9999999, -10000000},
              {"decimal(5, 4)", "truncate[10]", -99999, -100000}};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    const calve_type *type = parsed_type(&arena, rows[i].type);
    calve_value out,
        in = {.type = CALVE_DECIMAL, .scale = (int16_t)type->scale, .i128 = rows[i].in};
    calve_transform t = parsed_transform(&arena, rows[i].transform);
    assert_ok(calve_transform_apply(&t, type, &in, &out, &err), &err);
    assert_true(out.i128 == rows[i].out);
    assert_int_equal(out.scale, type->scale);
  }
}

/* B014 */
static void test_truncate_of_strings_counts_code_points(void **state) {
  static const struct {
    const char *transform, *type, *in, *out;
  } rows[] = {
      {"truncate[5]", "string", "\u4e16\u754c\u60a8\u597d\u4e16\u754c",
       "\u4e16\u754c\u60a8\u597d\u4e16"},
      {"truncate[1]", "string", "\U0001F600a", "\U0001F600"},
      {"truncate[2]", "string", "\U0001F600a\U0001F600b", "\U0001F600a"},
      {"truncate[3]", "string", "iceberg", "ice"},
      {"truncate[3]", "string", "", ""},
      {"truncate[3]", "binary", "\x01\x02\x03\x04\x05", "\x01\x02\x03"},
      {"truncate[3]", "binary", "\xe4\xb8\x96\xe7\x95\x8c", "\xe4\xb8\x96"},
      {"truncate[4]", "binary", "\xe4\xb8\x96\xe7\x95\x8c", "\xe4\xb8\x96\xe7"},
  };
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    const calve_type *type = parsed_type(&arena, rows[i].type);
    calve_value out, in = {.type = type->id, .bytes = calve_str_of(rows[i].in)};
    calve_transform t = parsed_transform(&arena, rows[i].transform);
    assert_ok(calve_transform_apply(&t, type, &in, &out, &err), &err);
    assert_true(calve_str_equal_text(out.bytes, rows[i].out));
  }
}

static void test_null_gives_null_and_unknown_gives_an_error(void **state) {
  (void)state;
  calve_error err;
  calve_value out, null = calve_value_null(CALVE_STRING), text = text_value(CALVE_STR("x"));
  const calve_type *string = calve_type_of(CALVE_STRING);
  calve_transform bucket = parsed_transform(&arena, "bucket[4]");
  calve_transform none = parsed_transform(&arena, "void"), later = parsed_transform(&arena, "z[1]");
  assert_ok(calve_transform_apply(&bucket, string, &null, &out, &err), &err);
  assert_true(out.is_null && out.type == CALVE_INT);
  assert_ok(calve_transform_apply(&none, string, &text, &out, &err), &err);
  assert_true(out.is_null && out.type == CALVE_STRING);
  assert_fails(calve_transform_apply(&later, string, &text, &out, &err), CALVE_EUNSUPPORTED, &err);
  assert_fails(calve_transform_apply(&bucket, calve_type_of(CALVE_DOUBLE), &null, &out, &err),
               CALVE_EINVAL, &err);
  assert_message(&err, "bucket[4] can't be applied to type double");
}

static void test_numbers_of_transforms_are_checked(void **state) {
  static const char *const bad[] = {"bucket[0]", "truncate[0]", "bucket[2147483648]",
                                    "truncate[99999999999999999999999999]"};
  static const char *const unknown[] = {"days",     "bucket[-1]", "bucket[ 16]",
                                        "bucket[]", "",           "x[3]"};
  (void)state;
  calve_error err;
  calve_transform t;
  for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
    assert_fails(calve_transform_parse(calve_str_of(bad[i]), &arena, &t, &err), CALVE_EINVAL, &err);
    assert_message(&err, bad[i]);
  }
  for (size_t i = 0; i < ARRAY_COUNT(unknown); i++) {
    t = parsed_transform(&arena, unknown[i]);
    assert_int_equal(t.kind, CALVE_TRANSFORM_UNKNOWN);
    assert_true(calve_str_equal_text(t.text, unknown[i]));
  }
  t = parsed_transform(&arena, "BUCKET[2147483647]");
  assert_int_equal(t.parameter, INT32_MAX);
}

static void test_functions_of_statements_have_singular_and_plural_names(void **state) {
  (void)state;
  const struct {
    const char *name;
    calve_transform_kind kind;
  } rows[] = {{"days", CALVE_DAY},       {"DAY", CALVE_DAY},         {"date_hour", CALVE_HOUR},
              {"trunc", CALVE_TRUNCATE}, {"truncate", CALVE_TRUNCATE}, {"Bucket", CALVE_BUCKET},
              {"void", CALVE_VOID},      {"months", CALVE_MONTH}};
  calve_transform_kind kind;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    assert_true(calve_transform_from_function(calve_str_of(rows[i].name), &kind));
    assert_int_equal(kind, rows[i].kind);
    assert_int_equal(calve_transform_takes_number(kind),
                     kind == CALVE_BUCKET || kind == CALVE_TRUNCATE);
  }
  assert_false(calve_transform_from_function(CALVE_STR("week"), &kind));
  assert_false(calve_transform_from_function(CALVE_STR(""), &kind));
}

static int setup(void **state) {
  (void)state;
  calve_arena_init(&arena, NULL);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  calve_arena_free(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_time_transforms_floor_before_1970),
      cmocka_unit_test(test_nanoseconds_floor),
      cmocka_unit_test(test_hour_that_does_not_fit_is_an_error),
      cmocka_unit_test(test_time_zone_of_the_process_does_not_matter),
      cmocka_unit_test(test_uuid_is_hashed_as_its_16_bytes),
      cmocka_unit_test(test_strings_are_hashed_as_utf8),
      cmocka_unit_test(test_bucket_of_negative_hashes),
      cmocka_unit_test(test_truncate_of_negative_integers),
      cmocka_unit_test(test_truncate_below_the_minimum_is_an_error),
      cmocka_unit_test(test_truncate_of_decimals_is_exact),
      cmocka_unit_test(test_truncate_of_strings_counts_code_points),
      cmocka_unit_test(test_null_gives_null_and_unknown_gives_an_error),
      cmocka_unit_test(test_numbers_of_transforms_are_checked),
      cmocka_unit_test(test_functions_of_statements_have_singular_and_plural_names),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
