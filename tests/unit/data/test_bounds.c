/* SPDX-License-Identifier: Apache-2.0 */
/* data/bounds: a cut bound still bounds; where none exists there is none. */
#include "harness.h"

#include <math.h>

#include "base/text.h"
#include "data/bounds.h"

static calve_arena arena;

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

static void test_modes_are_parsed(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool ok;
    calve_metrics_kind kind;
    int32_t length;
  } rows[] = {
      {"none", true, CALVE_METRICS_NONE, 0},
      {"Counts", true, CALVE_METRICS_COUNTS, 0},
      {" FULL ", true, CALVE_METRICS_FULL, 0},
      {"truncate(16)", true, CALVE_METRICS_TRUNCATE, 16},
      {"TRUNCATE(1)", true, CALVE_METRICS_TRUNCATE, 1},
      {"truncate(0)", false, 0, 0},
      {"truncate(-1)", false, 0, 0},
      {"truncate()", false, 0, 0},
      {"truncate(16", false, 0, 0},
      {"truncate(99999999999)", false, 0, 0},
      {"some", false, 0, 0},
      {"", false, 0, 0},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_metrics_mode mode;
    assert_int_equal(calve_metrics_mode_parse(calve_str_of(rows[i].text), &mode), rows[i].ok);
    if (!rows[i].ok) continue;
    assert_int_equal(mode.kind, rows[i].kind);
    assert_int_equal(mode.length, rows[i].length);
  }
}

static void check_text(calve_type_id type, const char *value, int32_t length, bool upper,
                       const char *want) {
  calve_error err;
  calve_str out;
  calve_value v = {.type = type, .bytes = calve_str_of(value)};
  calve_metrics_mode mode = {CALVE_METRICS_TRUNCATE, length};
  assert_ok(calve_bound_bytes(&v, upper, mode, &arena, &out, &err), &err);
  if (!want) {
    if (out.data) fail_msg("%s: a bound %s where none exists", value, out.data);
    return;
  }
  assert_non_null(out.data);
  assert_int_equal(out.size, strlen(want));
  assert_memory_equal(out.data, want, out.size);
}

static void test_strings_are_cut_by_code_points(void **state) {
  (void)state;
  static const struct {
    const char *value;
    int32_t length;
    const char *lower, *upper;
  } rows[] = {
      {"", 16, "", ""},
      {"abc", 3, "abc", "abc"},
      {"abcd", 3, "abc", "abd"},
      {"iceberg", 1, "i", "j"},
      {"aé!", 2, "aé", "aê"},
      {"a\x7F!", 2, "a\x7F", "a\xC2\x80"},                         /* one byte longer         */
      {"a\xED\x9F\xBFz", 2, "a\xED\x9F\xBF", "a\xEE\x80\x80"},     /* U+D7FF: no surrogates   */
      {"a\xEF\xBF\xBFz", 2, "a\xEF\xBF\xBF", "a\xF0\x90\x80\x80"}, /* U+FFFF                  */
      {"a\xF4\x8F\xBF\xBFz", 2, "a\xF4\x8F\xBF\xBF", "b"},         /* U+10FFFF can't be raised */
      {"\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBFz", 2, "\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF", NULL},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    check_text(CALVE_STRING, rows[i].value, rows[i].length, false, rows[i].lower);
    check_text(CALVE_STRING, rows[i].value, rows[i].length, true, rows[i].upper);
  }
}

static void test_binaries_are_cut_by_bytes(void **state) {
  (void)state;
  check_text(CALVE_BINARY, "\x01\x02\x03", 2, false, "\x01\x02");
  check_text(CALVE_BINARY, "\x01\x02\x03", 2, true, "\x01\x03");
  check_text(CALVE_BINARY, "\x01\xFF\x03", 2, true, "\x02");
  check_text(CALVE_BINARY, "\xFF\xFF\x03", 2, true, NULL);
  check_text(CALVE_BINARY, "\xFF\xFF", 2, true, "\xFF\xFF"); /* not cut: exact */
}

static void test_numbers_zeros_and_nans(void **state) {
  (void)state;
  calve_error err;
  calve_str out;
  calve_metrics_mode mode = {CALVE_METRICS_TRUNCATE, 2}, counts = {CALVE_METRICS_COUNTS, 0};
  calve_value v = {.type = CALVE_DECIMAL, .scale = 2, .i128 = -996953};
  assert_ok(calve_bound_bytes(&v, false, mode, &arena, &out, &err), &err);
  assert_int_equal(out.size, 3); /* B047: minimal two's complement */
  assert_memory_equal(out.data, "\xF0\xC9\xA7", 3);
  assert_ok(calve_bound_bytes(&v, false, counts, &arena, &out, &err), &err);
  assert_null(out.data);
  v = (calve_value){.type = CALVE_DOUBLE, .f64 = 0.0};
  assert_ok(calve_bound_bytes(&v, false, mode, &arena, &out, &err), &err);
  assert_memory_equal(out.data, "\0\0\0\0\0\0\0\x80", 8);
  v.f64 = -0.0;
  assert_ok(calve_bound_bytes(&v, true, mode, &arena, &out, &err), &err);
  assert_memory_equal(out.data, "\0\0\0\0\0\0\0\0", 8);
  v.f64 = (double)NAN;
  assert_ok(calve_bound_bytes(&v, true, mode, &arena, &out, &err), &err);
  assert_null(out.data);
  v = calve_value_null(CALVE_INT);
  assert_ok(calve_bound_bytes(&v, true, mode, &arena, &out, &err), &err);
  assert_null(out.data);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_modes_are_parsed), TEST(test_strings_are_cut_by_code_points),
      TEST(test_binaries_are_cut_by_bytes), TEST(test_numbers_zeros_and_nans)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
