/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "harness.h"

static void test_every_scalar_value_round_trips(void **state) {
  (void)state;
  for (uint32_t c = 0; c <= 0x10FFFF; c++) {
    if (c == 0xD800) c = 0xE000;
    char bytes[4];
    uint32_t back = 0;
    size_t n = calve_utf8_encode(c, bytes);
    size_t want = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (n != want || calve_utf8_decode((calve_str){bytes, n}, &back) != n || back != c)
      fail_msg("U+%04X", c);
    if (n > 1) assert_int_equal(calve_utf8_decode((calve_str){bytes, n - 1}, &back), 0);
  }
}

static void test_what_is_not_utf8_is_refused_anywhere(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t size;
    const char *why;
  } rows[] = {
      {"\x80", 1, "a tail alone"},
      {"\xC0\x80", 2, "NUL in two bytes"},
      {"\xC1\xBF", 2, "two bytes for ASCII"},
      {"\xE0\x9F\xBF", 3, "three bytes for U+07FF"},
      {"\xF0\x8F\xBF\xBF", 4, "four bytes for U+FFFF"},
      {"\xED\xA0\x80", 3, "a high surrogate"},
      {"\xED\xBF\xBF", 3, "a low surrogate"},
      {"\xF4\x90\x80\x80", 4, "above U+10FFFF"},
      {"\xF5\x80\x80\x80", 4, "an unused lead"},
      {"\xFF", 1, "an unused byte"},
      {"\xC3", 1, "cut"},
      {"\xE2\x82", 2, "cut"},
      {"\xF0\x9F\x98", 3, "cut"},
      {"\xC3"
       "A",
       2, "no tail"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
    for (size_t before = 0; before < 20; before++) {
      char text[40];
      memset(text, 'x', sizeof text);
      memcpy(text + before, rows[i].bytes, rows[i].size);
      if (calve_utf8_valid((calve_str){text, before + rows[i].size}))
        fail_msg("%s at %zu", rows[i].why, before);
    }
}

static void test_good_text_is_valid(void **state) {
  (void)state;
  assert_true(calve_utf8_valid(CALVE_STR("")));
  assert_true(calve_utf8_valid((calve_str){NULL, 0}));
  assert_true(calve_utf8_valid(CALVE_STR("plain ASCII, longer than a word")));
  assert_true(calve_utf8_valid(CALVE_STR("naïve 日本語 text 😀 and more")));
  assert_true(calve_utf8_valid((calve_str){"a\0b", 3}));
}

static void test_prefix_counts_code_points(void **state) {
  (void)state;
  calve_str text = CALVE_STR("aé日😀b");
  static const size_t bytes[] = {0, 1, 3, 6, 10, 11, 11};
  for (size_t n = 0; n < ARRAY_COUNT(bytes); n++)
    assert_int_equal(calve_utf8_prefix_bytes(text, n), bytes[n]);
  assert_int_equal(calve_utf8_prefix_bytes((calve_str){NULL, 0}, 3), 0);
}

/* What messages show of each character: nothing in a name ends the line or moves the cursor. */
static void test_characters_are_shown_or_escaped(void **state) {
  (void)state;
  static const struct {
    const char *text, *shown;
    size_t taken;
  } rows[] = {{"ab", "a", 1},
              {"\\n", "\\", 1},
              {"\n", "\\n", 1},
              {"\t", "\\t", 1},
              {"\r", "\\x0D", 1},
              {"\x1b[31m", "\\x1B", 1},
              {"\x7f", "\\x7F", 1},
              {"\xC2\x9B", "\\x9B", 2}, /* CSI, as good as ESC [ */
              {"\xC2\xA0", "\xC2\xA0", 2},
              {"日", "日", 3},
              {"😀", "😀", 4},
              {"\xE2\x80\xA7", "\xE2\x80\xA7", 3},
              {"\xE2\x80\xA8", "\\u2028", 3}, /* a line's end                                     */
              {"\xE2\x80\xAE", "\\u202E", 3}, /* from here on from right to left                  */
              {"\xE2\x81\xA9", "\\u2069", 3},
              {"\xFF", "\\xFF", 1},
              {"\xC3(", "\\xC3", 1}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char out[CALVE_SHOWN_MAX];
    size_t taken, n = calve_text_show(calve_str_of(rows[i].text), out, &taken);
    assert_int_equal(n, strlen(rows[i].shown));
    assert_memory_equal(out, rows[i].shown, n);
    assert_int_equal(taken, rows[i].taken);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_scalar_value_round_trips),
      cmocka_unit_test(test_what_is_not_utf8_is_refused_anywhere),
      cmocka_unit_test(test_good_text_is_valid),
      cmocka_unit_test(test_prefix_counts_code_points),
      cmocka_unit_test(test_characters_are_shown_or_escaped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
