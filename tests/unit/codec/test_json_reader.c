/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "base/text.h"
#include "codec/json.h"
#include "harness.h"

static calve_arena arena;
static calve_json_reader reader;
static calve_error err;

static calve_json_reader *open_text(const char *text) {
  calve_json_open(&reader, calve_str_of(text), "v3.metadata.json", &arena);
  return &reader;
}

static int free_arena(void **state) {
  (void)state;
  calve_arena_free(&arena);
  return 0;
}

static void test_a_walk_gives_keys_and_values_in_order(void **state) {
  (void)state;
  calve_json_reader *r = open_text(
      " {\"id\" : 8103159149723679745, \"s\":\"caf\\u00e9\",\n\"list\":[1,[],{}] ,"
      "\"b\":true,\"n\":null,\"d\":-1.5e3, \"skip\":{\"a\":[{}]}, \"i\":-7} ");
  int64_t id = 0;
  int32_t i = 0;
  calve_str s = {0}, d = {0}, key, raw = {0};
  bool b = false, null = false, more = false;
  size_t items = 0, keys = 0;
  calve_json_kind kind;
  assert_ok(calve_json_begin_object(r, &err), &err);
  for (;; keys++) {
    assert_ok(calve_json_next_key(r, &key, &more, &err), &err);
    if (!more) break;
    if (calve_str_equal_text(key, "id")) {
      assert_ok(calve_json_peek(r, &kind, &err), &err);
      assert_int_equal(kind, CALVE_JSON_NUMBER);
      assert_ok(calve_json_i64(r, &id, &err), &err);
    } else if (calve_str_equal_text(key, "s")) {
      assert_ok(calve_json_null(r, &null, &err), &err);
      assert_false(null);
      assert_ok(calve_json_str(r, &s, &err), &err);
    } else if (calve_str_equal_text(key, "list")) {
      assert_ok(calve_json_begin_array(r, &err), &err);
      for (;; items++) {
        assert_ok(calve_json_next_item(r, &more, &err), &err);
        if (!more) break;
        assert_ok(calve_json_skip(r, &err), &err);
      }
    } else if (calve_str_equal_text(key, "b")) {
      assert_ok(calve_json_bool(r, &b, &err), &err);
    } else if (calve_str_equal_text(key, "n")) {
      assert_ok(calve_json_null(r, &null, &err), &err);
    } else if (calve_str_equal_text(key, "d")) {
      assert_ok(calve_json_number(r, &d, &err), &err);
    } else if (calve_str_equal_text(key, "i")) {
      assert_ok(calve_json_i32(r, &i, &err), &err);
    } else {
      assert_ok(calve_json_raw(r, &raw, &err), &err);
    }
  }
  assert_ok(calve_json_end(r, &err), &err);
  assert_int_equal(keys, 8);
  assert_int_equal(items, 3);
  assert_int_equal(id, 8103159149723679745);
  assert_int_equal(i, -7);
  assert_true(b && null);
  assert_true(calve_str_equal_text(s, "café"));
  assert_true(calve_str_equal_text(d, "-1.5e3"));
  assert_true(calve_str_equal_text(raw, "{\"a\":[{}]}"));
}

static void test_strings_without_escapes_are_slices_of_the_text(void **state) {
  (void)state;
  static const char text[] = "\"a plain string, longer than sixteen bytes é\"";
  calve_str s;
  assert_ok(calve_json_str(open_text(text), &s, &err), &err);
  assert_ptr_equal(s.data, text + 1);
  assert_int_equal(s.size, strlen(text) - 2);
}

static void test_escapes_are_decoded(void **state) {
  (void)state;
  static const struct {
    const char *text, *want;
    size_t size;
  } rows[] = {
      {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8},
      {"\"\\u0041\\u00E9\\u65e5\"", "Aé日", 6},
      {"\"\\ud83d\\ude00!\"", "😀!", 5},
      {"\"a\\u0000b\"", "a\0b", 3},
      {"\"\\uFFFF\"", "\xEF\xBF\xBF", 3},
      {"\"\"", "", 0},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_str s;
    assert_ok(calve_json_str(open_text(rows[i].text), &s, &err), &err);
    assert_int_equal(s.size, rows[i].size);
    assert_memory_equal(s.data, rows[i].want, s.size);
  }
}

static void test_integers_are_exact_and_in_range(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool ok64, ok32;
    int64_t value;
    const char *message;
  } rows[] = {
      {"0", true, true, 0, NULL},
      {"-0", true, true, 0, NULL},
      {"2147483647", true, true, INT32_MAX, NULL},
      {"-2147483648", true, true, INT32_MIN, NULL},
      {"2147483648", true, false, 2147483648, "2147483648 is out of range"},
      {"9223372036854775807", true, false, INT64_MAX, "out of range"},
      {"-9223372036854775808", true, false, INT64_MIN, "out of range"},
      {"9223372036854775808", false, false, 0, "9223372036854775808 is out of range"},
      {"1.0", false, false, 0, "expected an integer, found 1.0"},
      {"8.1e18", false, false, 0, "expected an integer, found 8.1e18"},
      {"1E3", false, false, 0, "expected an integer, found 1E3"},
      {"\"1\"", false, false, 0, "expected an integer, found a string"},
      {"null", false, false, 0, "expected an integer, found null"},
      {"01", false, false, 0, "leading zero"},
      {"-", false, false, 0, "a digit is missing"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    int64_t wide = 77;
    int32_t narrow = 77;
    calve_status status = calve_json_i64(open_text(rows[i].text), &wide, &err);
    assert_int_equal(status, rows[i].ok64 ? CALVE_OK : CALVE_ECORRUPT);
    assert_int_equal(wide, rows[i].ok64 ? rows[i].value : 77);
    status = calve_json_i32(open_text(rows[i].text), &narrow, &err);
    assert_int_equal(status, rows[i].ok32 ? CALVE_OK : CALVE_ECORRUPT);
    assert_int_equal(narrow, rows[i].ok32 ? rows[i].value : 77);
    if (!rows[i].ok32) assert_message(&err, rows[i].message);
  }
}

/* The place of a fault and what was expected there, found alike by skipping. */
static void test_faults_are_told_with_offset_and_pointer(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t offset;
    const char *message;
  } rows[] = {
      {"", 0, "expected a value, found the end of the text"},
      {"  ", 2, "expected a value, found the end of the text"},
      {"\xEF\xBB\xBF{}", 0, "expected a value, found a byte order mark"},
      {"[1,]", 3, "/1: expected a value, found ']'"},
      {"[1 2]", 3, "/0: expected ',' or ']', found a number"},
      {"[1", 2, "/0: expected ',' or ']', found the end of the text"},
      {"[,1]", 1, "/0: expected a value, found ','"},
      {"{\"a\":1,}", 7, "/a: expected a key in quotes, found '}'"},
      {"{\"a\" 1}", 5, "/a: expected ':' behind the key, found a number"},
      {"{a:1}", 1, "expected a key in quotes, found 'a'"},
      {"{\"a\":1]", 6, "/a: expected ',' or '}', found ']'"},
      {"{\"a\":{\"b/c\":[0,{\"d~\":tru}]}}", 21, "/a/b~1c/1/d~0: expected true or false"},
      {"[nul]", 1, "/0: expected null"},
      {"\"abc", 4, "the text ends inside a string"},
      {"\"a\nb\"", 2, "a control byte in a string must be escaped"},
      {"\"\\x\"", 1, "starts no known escape"},
      {"\"\\", 1, "the text ends inside a string"},
      {"\"\\u12g4\"", 1, "four hexadecimal digits"},
      {"\"\\ud800\"", 1, "a high surrogate has no low one behind it"},
      {"\"\\ud800\\u0041\"", 1, "a high surrogate has no low one behind it"},
      {"\"\\udc00\"", 1, "a low surrogate has no high one before it"},
      {"[\"\xC0\x80\"]", 2, "/0: a string is not valid UTF-8"},
      {"[\"\xED\xA0\x80\"]", 2, "/0: a string is not valid UTF-8"},
      {"-01", 1, "a number has a leading zero"},
      {"1.", 2, "a digit is missing behind a decimal point"},
      {"1e+", 3, "a digit is missing in an exponent"},
      {"+1", 0, "expected a value, found '+'"},
      {"\x01", 0, "expected a value, found byte 0x01"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    assert_fails(calve_json_skip(open_text(rows[i].text), &err), CALVE_ECORRUPT, &err);
    assert_message(&err, rows[i].message);
    assert_string_equal(err.where, "v3.metadata.json");
    if (err.byte_offset != rows[i].offset)
      fail_msg("%s: offset %lld", rows[i].text, (long long)err.byte_offset);
    reader.base_offset = 1000;
    reader.at = reader.text;
    reader.depth = 0;
    assert_fails(calve_json_skip(&reader, &err), CALVE_ECORRUPT, &err);
    assert_int_equal(err.byte_offset, rows[i].offset + 1000);
  }
}

static void test_only_white_space_may_follow(void **state) {
  (void)state;
  calve_json_reader *r = open_text("{} \r\n\t ");
  assert_ok(calve_json_skip(r, &err), &err);
  assert_ok(calve_json_end(r, &err), &err);
  r = open_text("{} {}");
  assert_ok(calve_json_skip(r, &err), &err);
  assert_fails(calve_json_end(r, &err), CALVE_ECORRUPT, &err);
  assert_int_equal(err.byte_offset, 3);
}

static void test_a_value_of_another_kind_is_named(void **state) {
  (void)state;
  calve_str s;
  bool b;
  assert_fails(calve_json_begin_object(open_text("[]"), &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "expected an object, found an array");
  assert_fails(calve_json_begin_array(open_text("{}"), &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "expected an array, found an object");
  assert_fails(calve_json_str(open_text("12"), &s, &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "expected a string, found a number");
  assert_fails(calve_json_number(open_text("true"), &s, &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "expected a number, found a boolean");
  assert_fails(calve_json_bool(open_text("null"), &b, &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "expected true or false, found null");
}

static void test_callers_fail_at_the_value_they_read(void **state) {
  (void)state;
  calve_json_reader *r = open_text("{\"snapshots\":[{},{\"id\": 55 }]}");
  calve_str key;
  bool more;
  int64_t id;
  assert_ok(calve_json_begin_object(r, &err), &err);
  assert_ok(calve_json_next_key(r, &key, &more, &err), &err);
  assert_ok(calve_json_begin_array(r, &err), &err);
  assert_ok(calve_json_next_item(r, &more, &err), &err);
  assert_ok(calve_json_skip(r, &err), &err);
  assert_ok(calve_json_next_item(r, &more, &err), &err);
  assert_ok(calve_json_begin_object(r, &err), &err);
  assert_ok(calve_json_next_key(r, &key, &more, &err), &err);
  assert_ok(calve_json_i64(r, &id, &err), &err);
  assert_int_equal(calve_json_fail(r, &err, "no schema %d", 55), CALVE_ECORRUPT);
  assert_string_equal(err.message, "/snapshots/1/id: no schema 55");
  assert_int_equal(err.byte_offset, 24);
}

/* The middle of a deep one is left out; one of long names is cut in front. */
static void test_long_pointers_keep_their_near_end(void **state) {
  (void)state;
  char text[15000] = "", *at = text;
  for (int i = 0; i < 100; i++) at += sprintf(at, "{\"l%d\":", i);
  sprintf(at, "x");
  assert_fails(calve_json_skip(open_text(text), &err), CALVE_ECORRUPT, &err);
  assert_message(&err,
                 "/l0/l1/l2/l3/l4/l5/l6/l7/.../l98/l99: expected a value, found 'x'");
  assert_int_equal(err.message[0], '/');
  at = text;
  for (int i = 0; i < 10; i++) at += sprintf(at, "{\"l%d\":", i);
  sprintf(at, "x");
  assert_fails(calve_json_skip(open_text(text), &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "/l6/l7/l8/l9: expected");
  at = text;
  for (int i = 0; i < 100; i++) at += sprintf(at, "{\"%0100d\":", i);
  sprintf(at, "x");
  assert_fails(calve_json_skip(open_text(text), &err), CALVE_ECORRUPT, &err);
  assert_int_equal(strncmp(err.message, "...", 3), 0);
  assert_message(&err, "99: expected a value, found 'x'");
}

static void test_depth_is_capped(void **state) {
  (void)state;
  static char text[1000000];
  for (int extra = 0; extra <= 1; extra++) {
    memset(text, 0, sizeof text);
    memset(text, '[', (size_t)(CALVE_JSON_DEPTH_MAX + extra));
    memset(text + strlen(text), ']', (size_t)(CALVE_JSON_DEPTH_MAX + extra));
    calve_status status = calve_json_skip(open_text(text), &err);
    assert_int_equal(status, extra ? CALVE_ECORRUPT : CALVE_OK);
  }
  assert_message(&err, "values nest deeper than 200");
  memset(text, '[', sizeof text - 1);
  assert_fails(calve_json_skip(open_text(text), &err), CALVE_ECORRUPT, &err);
}

static void test_no_byte_behind_the_end_is_read(void **state) {
  (void)state;
  static const char doc[] =
      "{\"key\\n\":[1.5e-3,true,false,null,\"\\ud83d\\ude00 long enough é\"]}";
  for (size_t n = 0; n < sizeof doc - 1; n++) {
    char *exact = malloc(n > 0 ? n : 1); /* the sanitizer guards its end */
    memcpy(exact, doc, n);
    calve_json_open(&reader, (calve_str){exact, n}, "t", &arena);
    assert_fails(calve_json_skip(&reader, &err), CALVE_ECORRUPT, &err);
    assert_true(err.byte_offset <= (int64_t)n);
    free(exact);
  }
}

static void test_out_of_memory_is_told_apart_from_bad_text(void **state) {
  (void)state;
  failing_allocator mem;
  failing_allocator_init(&mem, 0);
  calve_arena poor;
  calve_arena_init(&poor, &mem.allocator);
  calve_json_open(&reader, CALVE_STR("\"a\\n\""), "t", &poor);
  calve_str s;
  assert_fails(calve_json_str(&reader, &s, &err), CALVE_ENOMEM, &err);
  calve_arena_free(&poor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_walk_gives_keys_and_values_in_order),
      cmocka_unit_test(test_strings_without_escapes_are_slices_of_the_text),
      cmocka_unit_test(test_escapes_are_decoded),
      cmocka_unit_test(test_integers_are_exact_and_in_range),
      cmocka_unit_test(test_faults_are_told_with_offset_and_pointer),
      cmocka_unit_test(test_only_white_space_may_follow),
      cmocka_unit_test(test_a_value_of_another_kind_is_named),
      cmocka_unit_test(test_callers_fail_at_the_value_they_read),
      cmocka_unit_test(test_long_pointers_keep_their_near_end),
      cmocka_unit_test(test_depth_is_capped),
      cmocka_unit_test(test_no_byte_behind_the_end_is_read),
      cmocka_unit_test(test_out_of_memory_is_told_apart_from_bad_text),
  };
  return cmocka_run_group_tests(tests, NULL, free_arena);
}
