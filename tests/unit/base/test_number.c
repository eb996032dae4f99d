/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include "base/text.h"
#include <locale.h>

#include "harness.h"

#define NINES_38 "99999999999999999999999999999999999999"

static calve_int128 int128_of(const char *text) {
  calve_int128 v = 0;
  int scale = 0;
  if (!calve_decimal_parse(calve_str_of(text), &v, &scale) || scale != 0) fail_msg("%s", text);
  return v;
}

static void test_division_floors(void **state) {
  (void)state;
  static const struct {
    int64_t a, b, div, mod;
  } rows[] = {{7, 3, 2, 1},
              {-7, 3, -3, 2},
              {-6, 3, -2, 0},
              {-1, 86400, -1, 86399},
              {0, 5, 0, 0},
              {INT64_MIN, 1, INT64_MIN, 0},
              {INT64_MIN, 10, -922337203685477581, 2}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    assert_int_equal(calve_floor_div(rows[i].a, rows[i].b), rows[i].div);
    assert_int_equal(calve_floor_mod(rows[i].a, rows[i].b), rows[i].mod);
  }
}

static void test_decimals_parse_exactly_or_not_at_all(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool ok;
    const char *unscaled;
    int scale;
  } rows[] = {
      {"0", true, "0", 0},
      {"-12.30", true, "-1230", 2},
      {"+12.30", true, "1230", 2},
      {".5", true, "5", 1},
      {"5.", true, "5", 0},
      {"1E+3", true, "1", -3},
      {"1.25e-2", true, "125", 4},
      {"000.00", true, "0", 2},
      {"0000000000000000000000000000000000000000000001", true, "1", 0},
      {NINES_38, true, NINES_38, 0},
      {"-0." NINES_38, true, "-" NINES_38, 38},
      {"1" NINES_38, false, NULL, 0},
      {"", false, NULL, 0},
      {".", false, NULL, 0},
      {"-", false, NULL, 0},
      {"1.2.3", false, NULL, 0},
      {"1e", false, NULL, 0},
      {"1e+", false, NULL, 0},
      {"1e99999999999", false, NULL, 0},
      {"1 ", false, NULL, 0},
      {"NaN", false, NULL, 0},
      {"0x1", false, NULL, 0},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_int128 v = -1;
    int scale = 99;
    if (calve_decimal_parse(calve_str_of(rows[i].text), &v, &scale) != rows[i].ok)
      fail_msg("%s", rows[i].text);
    if (!rows[i].ok) continue;
    if (v != int128_of(rows[i].unscaled) || scale != rows[i].scale) fail_msg("%s", rows[i].text);
  }
}

static void test_decimals_format_in_plain_notation(void **state) {
  (void)state;
  static const struct {
    const char *unscaled;
    int scale;
    const char *text;
  } rows[] = {
      {"0", 0, "0"},
      {"0", 2, "0.00"},
      {"-5", 2, "-0.05"},
      {"1230", 2, "12.30"},
      {"-1", 0, "-1"},
      {"100", 2, "1.00"},
      {NINES_38, 38, "0." NINES_38},
      {"-" NINES_38, 0, "-" NINES_38},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char text[CALVE_DECIMAL_TEXT_MAX];
    calve_decimal_format(int128_of(rows[i].unscaled), rows[i].scale, text);
    assert_string_equal(text, rows[i].text);
  }
  char text[CALVE_DECIMAL_TEXT_MAX];
  calve_int128 least = (calve_int128)((calve_uint128)1 << 127);
  calve_decimal_format(least, 38, text);
  assert_string_equal(text, "-1.70141183460469231731687303715884105728");
  assert_int_equal(calve_decimal_digits(least), 39);
}

static void test_digits_and_powers_agree(void **state) {
  (void)state;
  assert_int_equal(calve_decimal_digits(0), 1);
  for (int n = 1; n <= 38; n++) {
    assert_int_equal(calve_decimal_digits(calve_pow10(n)), n + 1);
    assert_int_equal(calve_decimal_digits(calve_pow10(n) - 1), n);
    assert_int_equal(calve_decimal_digits(-calve_pow10(n)), n + 1);
    assert_true(calve_pow10(n) == calve_pow10(n - 1) * 10);
  }
}

static void test_rescale_never_loses_digits(void **state) {
  (void)state;
  static const struct {
    const char *v;
    int from, to;
    bool ok;
    const char *want;
  } rows[] = {
      {"125", 2, 4, true, "12500"},     {"12500", 4, 2, true, "125"}, {"125", 2, 1, false, NULL},
      {"0", 2, -1000, true, "0"},       {"0", 0, 1000000, true, "0"}, {"1", 0, 37, true, NULL},
      {"1", 0, 38, false, NULL},        {"1", 38, 0, false, NULL},    {"1", 1000, 0, false, NULL},
      {"-70", 1, 0, true, "-7"},        {"1", -3, 0, true, "1000"},   {NINES_38, 0, 1, false, NULL},
      {NINES_38, 0, 0, true, NINES_38},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_int128 out = 0;
    if (calve_decimal_rescale(int128_of(rows[i].v), rows[i].from, rows[i].to, &out) != rows[i].ok)
      fail_msg("%s from %d to %d", rows[i].v, rows[i].from, rows[i].to);
    if (rows[i].want) assert_true(out == int128_of(rows[i].want));
  }
}

static void test_binary_form_is_minimal_and_round_trips(void **state) {
  (void)state;
  static const struct {
    int64_t v;
    size_t size;
    uint8_t bytes[3];
  } rows[] = {{0, 1, {0}},          {-1, 1, {0xFF}},
              {127, 1, {0x7F}},     {128, 2, {0, 0x80}},
              {-128, 1, {0x80}},    {-129, 2, {0xFF, 0x7F}},
              {1420, 2, {5, 0x8C}}, {65535, 3, {0, 0xFF, 0xFF}}};
  uint8_t bytes[16];
  calve_int128 back;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    assert_int_equal(calve_int128_encode(rows[i].v, bytes), rows[i].size);
    assert_memory_equal(bytes, rows[i].bytes, rows[i].size);
  }
  for (int bit = 0; bit < 127; bit++)
    for (int64_t near = -1; near <= 1; near++)
      for (int sign = -1; sign <= 1; sign += 2) {
        calve_int128 v = sign * ((calve_int128)1 << bit) + near;
        size_t n = calve_int128_encode(v, bytes);
        assert_true(calve_int128_decode(bytes, n, &back) && back == v);
        if (n > 1) assert_false(calve_int128_decode(bytes + 1, n - 1, &back) && back == v);
      }
  assert_false(calve_int128_decode(bytes, 0, &back));
  assert_false(calve_int128_decode(bytes, 17, &back));
}

static void test_integers_have_their_bytes_in_order(void **state) {
  (void)state;
  uint8_t bytes[8];
  calve_store_le32(bytes, 0x81020304U);
  assert_memory_equal(bytes, "\x04\x03\x02\x81", 4);
  assert_int_equal(calve_load_le32(bytes), 0x81020304U);
  calve_store_be32(bytes, 0x81020304U);
  assert_memory_equal(bytes, "\x81\x02\x03\x04", 4);
  assert_int_equal(calve_load_be32(bytes), 0x81020304U);
  calve_store_le64(bytes, UINT64_C(0xF102030405060708));
  assert_memory_equal(bytes, "\x08\x07\x06\x05\x04\x03\x02\xF1", 8);
  assert_true(calve_load_le64(bytes) == UINT64_C(0xF102030405060708));
}

static void test_sizes_are_checked(void **state) {
  (void)state;
  size_t out = 5;
  assert_true(calve_mul_size(3, 4, &out) && out == 12);
  assert_true(calve_add_size(SIZE_MAX - 1, 1, &out) && out == SIZE_MAX);
  assert_false(calve_mul_size(SIZE_MAX / 2, 3, &out));
  assert_false(calve_add_size(SIZE_MAX, 1, &out));
  assert_true(out == SIZE_MAX);
}

static void test_sizes_are_shown_with_one_digit_in_every_locale(void **state) {
  (void)state;
  static const struct {
    int64_t bytes;
    const char *text;
  } rows[] = {
      {0, "0 bytes"},          {1023, "1023 bytes"},      {1024, "1.0 KiB"},
      {1536, "1.5 KiB"},       {1587, "1.5 KiB"},         {1588, "1.6 KiB"},
      {1048524, "1023.9 KiB"}, {1048575, "1.0 MiB"},      {1572864, "1.5 MiB"},
      {-5, "-5 bytes"},        {INT64_C(7) << 39, "3.5 TiB"}, {INT64_MAX, "8388608.0 TiB"},
  };
  static const char *const locales[] = {"C", "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
  char text[CALVE_SIZE_TEXT_MAX];
  for (size_t l = 0; l < ARRAY_COUNT(locales); l++) {
    if (!setlocale(LC_NUMERIC, locales[l])) continue;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      calve_size_format(rows[i].bytes, text);
      assert_string_equal(text, rows[i].text);
    }
  }
  setlocale(LC_NUMERIC, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_division_floors),
      cmocka_unit_test(test_decimals_parse_exactly_or_not_at_all),
      cmocka_unit_test(test_decimals_format_in_plain_notation),
      cmocka_unit_test(test_digits_and_powers_agree),
      cmocka_unit_test(test_rescale_never_loses_digits),
      cmocka_unit_test(test_binary_form_is_minimal_and_round_trips),
      cmocka_unit_test(test_integers_have_their_bytes_in_order),
      cmocka_unit_test(test_sizes_are_checked),
      cmocka_unit_test(test_sizes_are_shown_with_one_digit_in_every_locale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
