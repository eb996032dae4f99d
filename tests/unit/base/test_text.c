/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include "harness.h"

static calve_str s(const char *text) {
  return calve_str_of(text);
}

static void test_equality_is_by_bytes(void **state) {
  (void)state;
  assert_true(calve_str_equal(s("ab"), CALVE_STR("ab")));
  assert_false(calve_str_equal(s("ab"), s("abc")));
  assert_false(calve_str_equal(s("ab"), s("aB")));
  assert_true(calve_str_equal(s(NULL), s("")));
  assert_true(calve_str_equal_text(s("x"), "x"));
  assert_false(calve_str_equal((calve_str){"a\0b", 3}, s("a")));
  assert_null(calve_str_of(NULL).data);
}

static void test_nocase_folds_the_alphabets_of_names(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    bool equal;
  } rows[] = {
      {"Order_ID", "oRDER_id", true},
      {"a", "b", false},
      {"a", "ab", false},
      {"[", "{", false},
      {"@", "`", false},
      {"ÀÉÎÕÜÞ", "àéîõüþ", true},
      {"×", "÷", false},
      {"ΑΒΓΣΩ", "αβγσω", true},
      {"ς", "Σ", true},
      {"ΆΈΉΊΌΎΏ", "άέήίόύώ", true},
      {"ЖУРНАЛ", "журнал", true},
      {"ЁЂЏ", "ёђџ", true},
      {"ŁÓDŹ", "łódź", true},
      {"ŠŽČŸ", "šžčÿ", true},
      {"ı", "I", false},
      {"İ", "i", false},
      {"日本", "日本", true},
      {"日本", "日本語", false},
      {"\xFF", "\xFF", true},
      {"\xFF", "\xFE", false},
      {"ß", "ss", false},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    if (calve_str_equal_nocase(s(rows[i].a), s(rows[i].b)) != rows[i].equal ||
        calve_str_equal_nocase(s(rows[i].b), s(rows[i].a)) != rows[i].equal)
      fail_msg("%s and %s", rows[i].a, rows[i].b);
  }
}

static void test_order_is_of_unsigned_bytes(void **state) {
  (void)state;
  /* U+FFFD is before U+1F600: in UTF-16, as Java's String compares, it is not. */
  static const char *const ascending[] = {"",     "A", "AB",           "B", "a",
                                          "\x7F", "é", "\xEF\xBF\xBD", "😀"};
  for (size_t i = 0; i < ARRAY_COUNT(ascending); i++)
    for (size_t k = 0; k < ARRAY_COUNT(ascending); k++) {
      int order = calve_str_compare(s(ascending[i]), s(ascending[k]));
      assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
    }
}

static void test_prefix_suffix_and_trim(void **state) {
  (void)state;
  assert_true(calve_str_starts_with(s("metadata/v1"), s("metadata/")));
  assert_true(calve_str_starts_with(s("x"), s("")));
  assert_false(calve_str_starts_with(s("meta"), s("metadata")));
  assert_true(calve_str_ends_with(s("v1.json.gz"), s(".gz")));
  assert_true(calve_str_ends_with(s(""), s("")));
  assert_false(calve_str_ends_with(s("gz"), s(".gz")));
  assert_true(calve_str_equal_text(calve_str_trim(s(" \t a b\r\n")), "a b"));
  assert_int_equal(calve_str_trim(s(" \n ")).size, 0);
}

static void test_integers_are_exact_or_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool ok;
    int64_t value;
  } rows[] = {
      {"0", true, 0},
      {"-0", true, 0},
      {"+7", true, 7},
      {"007", true, 7},
      {"9223372036854775807", true, INT64_MAX},
      {"-9223372036854775808", true, INT64_MIN},
      {"8103159149723679745", true, 8103159149723679745},
      {"9223372036854775808", false, 0},
      {"-9223372036854775809", false, 0},
      {"92233720368547758070", false, 0},
      {"", false, 0},
      {"-", false, 0},
      {"1.0", false, 0},
      {"1e3", false, 0},
      {" 1", false, 0},
      {"1 ", false, 0},
      {"--1", false, 0},
      {"0x10", false, 0},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    int64_t value = 77;
    if (calve_str_to_i64(s(rows[i].text), &value) != rows[i].ok) fail_msg("%s", rows[i].text);
    assert_int_equal(value, rows[i].ok ? rows[i].value : 77);
  }
}

static void test_hash_spreads_and_depends_on_all_bytes(void **state) {
  (void)state;
  char text[24] = "abcdefghijklmnopqrstuvw";
  for (size_t n = 0; n < sizeof text; n++) {
    uint64_t before = calve_str_hash((calve_str){text, n});
    assert_true(before == calve_str_hash((calve_str){text, n}));
    assert_true(before != calve_str_hash((calve_str){text, n + 1}));
    for (size_t i = 0; i < n; i++) {
      text[i] ^= 1;
      assert_true(before != calve_str_hash((calve_str){text, n}));
      text[i] ^= 1;
    }
  }
  assert_true(calve_str_hash(s(NULL)) == calve_str_hash(s("")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equality_is_by_bytes),
      cmocka_unit_test(test_nocase_folds_the_alphabets_of_names),
      cmocka_unit_test(test_order_is_of_unsigned_bytes),
      cmocka_unit_test(test_prefix_suffix_and_trim),
      cmocka_unit_test(test_integers_are_exact_or_refused),
      cmocka_unit_test(test_hash_spreads_and_depends_on_all_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
