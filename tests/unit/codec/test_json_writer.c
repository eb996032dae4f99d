/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>

#include "base/text.h"
#include "codec/json.h"
#include "harness.h"

static void write_sample(calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  calve_json_write_key(w, "format-version");
  calve_json_write_i64(w, INT64_MIN);
  calve_json_write_key(w, "empty");
  calve_json_write_begin(w, '[');
  calve_json_write_end(w, ']');
  calve_json_write_key_str(w, CALVE_STR("list"));
  calve_json_write_begin(w, '[');
  calve_json_write_bool(w, true);
  calve_json_write_null(w);
  calve_json_write_begin(w, '{');
  calve_json_write_end(w, '}');
  calve_json_write_str(w, CALVE_STR("x"));
  calve_json_write_raw(w, CALVE_STR("1.50"));
  calve_json_write_end(w, ']');
  calve_json_write_key(w, "b");
  calve_json_write_bool(w, false);
  calve_json_write_end(w, '}');
}

static void test_compact_and_indented(void **state) {
  (void)state;
  static const struct {
    int indent;
    const char *want;
  } rows[] = {
      {0,
       "{\"format-version\":-9223372036854775808,\"empty\":[],\"list\":[true,null,{},\"x\",1.50],"
       "\"b\":false}"},
      {2,
       "{\n  \"format-version\": -9223372036854775808,\n  \"empty\": [],\n  \"list\": [\n"
       "    true,\n    null,\n    {},\n    \"x\",\n    1.50\n  ],\n  \"b\": false\n}"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_buffer b;
    calve_json_writer w;
    calve_buffer_init(&b, NULL);
    calve_json_write_init(&w, &b, rows[i].indent);
    write_sample(&w);
    assert_string_equal(calve_buffer_cstr(&b), rows[i].want);
    calve_buffer_free(&b);
  }
}

static void test_only_what_jackson_escapes_is_escaped(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t size;
    const char *want;
  } rows[] = {
      {"", 0, "\"\""},
      {"plain", 5, "\"plain\""},
      {"\"\\/", 3, "\"\\\"\\\\/\""},
      {"\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\""},
      {"\0\x01\x1F", 3, "\"\\u0000\\u0001\\u001F\""},
      {"\x7F", 1, "\"\x7F\""},
      {"é日😀\xE2\x80\xA8", 12, "\"é日😀\xE2\x80\xA8\""},
      {"a\nlong run of plain text before a quote\"", 40,
       "\"a\\nlong run of plain text before a quote\\\"\""},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_buffer b;
    calve_json_writer w;
    calve_buffer_init(&b, NULL);
    calve_json_write_init(&w, &b, 0);
    calve_json_write_str(&w, (calve_str){rows[i].text, rows[i].size});
    assert_string_equal(calve_buffer_cstr(&b), rows[i].want);
    calve_buffer_free(&b);
  }
}

/* Law: every code point that is written reads back, with jansson and with our reader. */
static void test_every_code_point_round_trips(void **state) {
  (void)state;
  calve_buffer text, b;
  calve_buffer_init(&text, NULL);
  calve_buffer_init(&b, NULL);
  for (uint32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 97) {
    char bytes[4];
    if (c < 0xD800 || c > 0xDFFF) calve_buffer_put(&text, bytes, calve_utf8_encode(c, bytes));
  }
  calve_json_writer w;
  calve_json_write_init(&w, &b, 0);
  calve_json_write_str(&w, calve_buffer_view(&text));
  json_t *theirs = json_loadb(b.data, b.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
  assert_non_null(theirs);
  assert_int_equal(json_string_length(theirs), text.size);
  assert_memory_equal(json_string_value(theirs), text.data, text.size);
  json_decref(theirs);
  calve_arena arena = {0};
  calve_json_reader r;
  calve_str back;
  calve_error err;
  calve_json_open(&r, calve_buffer_view(&b), "t", &arena);
  assert_ok(calve_json_str(&r, &back, &err), &err);
  assert_true(calve_str_equal(back, calve_buffer_view(&text)));
  calve_arena_free(&arena);
  calve_buffer_free(&text);
  calve_buffer_free(&b);
}

static void test_out_of_memory_is_remembered_in_the_buffer(void **state) {
  (void)state;
  failing_allocator mem;
  failing_allocator_init(&mem, 0);
  calve_buffer b;
  calve_json_writer w;
  calve_error err;
  calve_buffer_init(&b, &mem.allocator);
  calve_json_write_init(&w, &b, 2);
  write_sample(&w);
  assert_fails(calve_buffer_check(&b, &err), CALVE_ENOMEM, &err);
  calve_buffer_free(&b);
  assert_int_equal(atomic_load(&mem.live_bytes), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_compact_and_indented),
      cmocka_unit_test(test_only_what_jackson_escapes_is_escaped),
      cmocka_unit_test(test_every_code_point_round_trips),
      cmocka_unit_test(test_out_of_memory_is_remembered_in_the_buffer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
