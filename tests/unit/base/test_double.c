/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <locale.h>
#include <math.h>

#include "base/number.h"
#include "base/text.h"
#include "harness.h"

static const struct {
  double value;
  const char *text;
} doubles[] = {
    {0.0, "0.0"},
    {-0.0, "-0.0"},
    {1.0, "1.0"},
    {-1.5, "-1.5"},
    {0.1, "0.1"},
    {100.0, "100.0"},
    {1234567.0, "1234567.0"},
    {9999999.0, "9999999.0"},
    {1e7, "1.0E7"},
    {123456789.125, "1.23456789125E8"},
    {0.001, "0.001"},
    {0.00123, "0.00123"},
    {9.99e-4, "9.99E-4"},
    {2e23, "2.0E23"},
    {1.0 / 3, "0.3333333333333333"},
    {9007199254740992.0, "9.007199254740992E15"},
    {5.684341886080802e-14, "5.684341886080802E-14"},
    {2.2250738585072014e-308, "2.2250738585072014E-308"},
    {DBL_MAX, "1.7976931348623157E308"},
    {4.9e-324, "4.9E-324"},
    {INFINITY, "Infinity"},
    {-INFINITY, "-Infinity"},
};

static void test_doubles_print_as_java_does_and_read_back(void **state) {
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(doubles); i++) {
    char text[CALVE_DOUBLE_TEXT_MAX];
    double back = 5;
    calve_double_format(doubles[i].value, text);
    assert_string_equal(text, doubles[i].text);
    assert_true(calve_double_parse(calve_str_of(text), &back));
    assert_memory_equal(&back, &doubles[i].value, sizeof back);
  }
  char text[CALVE_DOUBLE_TEXT_MAX];
  double nan = 0;
  calve_double_format(NAN, text);
  assert_string_equal(text, "NaN");
  assert_true(calve_double_parse(CALVE_STR("NaN"), &nan) && isnan(nan));
}

static void test_floats_print_their_own_digits(void **state) {
  (void)state;
  static const struct {
    float value;
    const char *text;
  } rows[] = {{0.1F, "0.1"},
              {1.1F, "1.1"},
              {16777216.0F, "1.6777216E7"},
              {FLT_MAX, "3.4028235E38"},
              {1.4e-45F, "1.4E-45"},
              {FLT_MIN, "1.1754944E-38"},
              {-0.0F, "-0.0"},
              {3.0e-39F, "3.0E-39"}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char text[CALVE_DOUBLE_TEXT_MAX];
    calve_float_format(rows[i].value, text);
    assert_string_equal(text, rows[i].text);
  }
}

/* Law: text reads back as the same bits, and no shorter text does. */
static void test_random_doubles_round_trip_in_shortest_form(void **state) {
  (void)state;
  uint64_t x = 88172645463325252U;
  for (int round = 0; round < 20000; round++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    uint64_t bits = round % 4 == 0 ? x & UINT64_C(0xFFF0000000000000) : x;
    double v, back;
    memcpy(&v, &bits, sizeof v);
    if (!isfinite(v)) continue;
    char text[CALVE_DOUBLE_TEXT_MAX], shorter[64];
    calve_double_format(v, text);
    if (!calve_double_parse(calve_str_of(text), &back) || memcmp(&v, &back, sizeof v) != 0)
      fail_msg("%s of %a", text, v);
    int digits = 0;
    for (const char *p = text; *p && *p != 'E'; p++) digits += *p >= '0' && *p <= '9';
    for (int n = 2; n < digits - 2; n++) { /* zeros around the point count in `digits` */
      snprintf(shorter, sizeof shorter, "%.*e", n - 1, v);
      if (fabs(v) >= 1e-3 && fabs(v) < 1e7) break;
      if (strtod(shorter, NULL) == v) fail_msg("%s is longer than %s", text, shorter);
    }
  }
}

static void test_what_is_no_number_is_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"",    " ",  "1 ",    " 1",  "+",   ".",        "e5",  "1e",
                                    "1e+", "1x", "0x1p3", "nan", "inf", "INFINITY", "1,5", "1.5f"};
  for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
    double out = 3;
    if (calve_double_parse(calve_str_of(bad[i]), &out)) fail_msg("%s", bad[i]);
    assert_true(out == 3);
  }
}

static void test_long_and_extreme_numbers_round_right(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } rows[] = {
      {"1e400", INFINITY},
      {"-1e400", -INFINITY},
      {"1e-400", 0},
      {"1e999999999999999999999", INFINITY},
      {"0e999999999999999999999", 0},
      {"1e-999999999999999999999", 0},
      {".5", 0.5},
      {"5.", 5},
      {"+5E0", 5},
      {"00000000000000000000000000001", 1},
      {"9007199254740993", 9007199254740992.0}, /* half way: to even */
      {"9007199254740993.0000000000000000000000000000000000000001", 9007199254740994.0},
      {"2.2250738585072011e-308", 2.2250738585072011e-308},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    double out = 3;
    if (!calve_double_parse(calve_str_of(rows[i].text), &out) || out != rows[i].value)
      fail_msg("%s gives %g", rows[i].text, out);
  }
  /* The digit that decides stands behind two thousand zeros. */
  char text[2100] = "9007199254740993.";
  size_t n = strlen(text);
  memset(text + n, '0', 2000);
  double out = 0;
  assert_true(calve_double_parse((calve_str){text, n + 2000}, &out) && out == 9007199254740992.0);
  text[n + 2000] = '1';
  assert_true(calve_double_parse((calve_str){text, n + 2001}, &out) && out == 9007199254740994.0);
}

static void test_no_locale_changes_the_point(void **state) {
  (void)state;
  static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8"};
  char before[100];
  snprintf(before, sizeof before, "%s", setlocale(LC_ALL, NULL));
  for (size_t i = 0; i < ARRAY_COUNT(locales); i++) {
    if (!setlocale(LC_ALL, locales[i])) continue;
    char text[CALVE_DOUBLE_TEXT_MAX];
    double back = 0;
    calve_double_format(1234.5, text);
    assert_string_equal(text, "1234.5");
    assert_true(calve_double_parse(CALVE_STR("0.25"), &back) && back == 0.25);
  }
  setlocale(LC_ALL, before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_doubles_print_as_java_does_and_read_back),
      cmocka_unit_test(test_floats_print_their_own_digits),
      cmocka_unit_test(test_random_doubles_round_trip_in_shortest_form),
      cmocka_unit_test(test_what_is_no_number_is_refused),
      cmocka_unit_test(test_long_and_extreme_numbers_round_right),
      cmocka_unit_test(test_no_locale_changes_the_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
