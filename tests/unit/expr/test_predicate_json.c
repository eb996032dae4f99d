/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/predicate_json.h"

#include "expr_fixture.h"

static const char *written(const calve_predicate *p) {
  calve_buffer out;
  calve_str copy;
  calve_json_writer w;
  calve_buffer_init(&out, NULL);
  calve_json_write_init(&w, &out, 0);
  calve_predicate_write_json(p, &w);
  assert_ok(calve_arena_str(&arena, calve_buffer_view(&out), &copy, &err), &err);
  calve_buffer_free(&out);
  return copy.data;
}

static const calve_predicate *parse(const char *json, const calve_schema *schema) {
  const calve_predicate *p = NULL;
  assert_ok(calve_predicate_parse_json(calve_str_of(json), schema, &arena, &p, &err), &err);
  return p;
}

static void test_what_is_written_reads_back(void **state) {
  (void)state;
  static const char *const texts[] = {
      "true",
      "{\"type\":\"eq\",\"term\":\"c\",\"value\":9223372036854775807}",
      "{\"type\":\"lt-eq\",\"term\":\"c\",\"value\":1.5}",
      "{\"type\":\"not-in\",\"term\":\"c\",\"values\":[\"a\",\"\\\"\"]}",
      "{\"type\":\"in\",\"term\":\"c\",\"values\":[]}",
      "{\"type\":\"not\",\"child\":{\"type\":\"is-nan\",\"term\":\"c\"}}",
      "{\"type\":\"starts-with\",\"term\":{\"type\":\"transform\",\"transform\":\"truncate[4]\","
      "\"term\":\"c\"},\"value\":\"ab\"}",
      "{\"type\":\"or\",\"left\":{\"type\":\"is-null\",\"term\":\"c\"},\"right\":{\"type\":\"and\","
      "\"left\":{\"type\":\"not-null\",\"term\":\"c\"},\"right\":{\"type\":\"eq\",\"term\":\"d\","
      "\"value\":true}}}",
  };
  for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
    assert_string_equal(written(parse(texts[i], NULL)), texts[i]);
}

/* The form has pairs; a long list of them must not nest as deep as it is long. */
static void test_long_junctions_are_written_as_balanced_pairs(void **state) {
  (void)state;
  const calve_schema *schema = column_of("long");
  calve_buffer where;
  calve_buffer_init(&where, NULL);
  calve_buffer_puts(&where, "c = 0");
  for (int i = 1; i < 5000; i++) calve_buffer_printf(&where, " OR c = %d", i);
  const calve_bound *bound = bind(schema, calve_buffer_cstr(&where));
  calve_buffer_free(&where);
  assert_int_equal(bound->root->count, 5000);
  const calve_bound *again = NULL;
  assert_ok(calve_bind(parse(written(bound->root), schema), schema, NULL, &arena, &again, &err),
            &err);
  assert_true(calve_predicate_equal(bound->root, again->root));
}

static void test_literals_are_typed_by_the_schema(void **state) {
  (void)state;
  const calve_schema *schema = column_of("date");
  const calve_predicate *p =
      parse("{\"type\":\"gt\",\"term\":\"C\",\"value\":\"2026-03-01\"}", schema);
  assert_int_equal(p->literals[0].type, CALVE_DATE);
  assert_int_equal(p->literals[0].i32, 20513);
  assert_string_equal(written(p), "{\"type\":\"gt\",\"term\":\"C\",\"value\":\"2026-03-01\"}");
  p = parse(
      "{\"type\":\"eq\",\"term\":{\"type\":\"transform\",\"transform\":\"month\",\"term\":\"c\"},"
      "\"value\":674}",
      schema);
  assert_int_equal(p->literals[0].type, CALVE_INT);
}

static void test_errors_say_what_was_expected(void **state) {
  (void)state;
  static const struct {
    const char *json, *message;
  } rows[] = {
      {"7", "true, false or an object"},
      {"{\"type\":\"between\",\"term\":\"c\"}", "a known expression type"},
      {"{\"type\":\"eq\",\"term\":\"c\"}", "one \"value\""},
      {"{\"type\":\"is-null\",\"term\":\"c\",\"value\":1}", "no value"},
      {"{\"type\":\"in\",\"term\":\"c\",\"values\":3}", "a list of values"},
      {"{\"type\":\"eq\",\"term\":5,\"value\":1}", "a column name"},
      {"{\"type\":\"eq\",\"term\":\"c\",\"value\":null}", "a literal"},
      {"{\"type\":\"and\",\"left\":true}", "\"left\" and \"right\""},
      {"{\"type\":\"eq\",\"term\":{\"type\":\"transform\",\"transform\":\"bucket[0]\","
       "\"term\":\"c\"},\"value\":1}",
       "bucket"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_predicate *p = NULL;
    calve_status status =
        calve_predicate_parse_json(calve_str_of(rows[i].json), NULL, &arena, &p, &err);
    if (status != CALVE_EINVAL) fail_msg("%s gives %s", rows[i].json, calve_status_name(status));
    assert_message(&err, rows[i].message);
    assert_null(p);
  }
}

static void test_deep_json_is_refused(void **state) {
  (void)state;
  calve_buffer text;
  const calve_predicate *p = NULL;
  calve_buffer_init(&text, NULL);
  for (int i = 0; i < 5000; i++) calve_buffer_puts(&text, "{\"type\":\"not\",\"child\":");
  assert_int_not_equal(calve_predicate_parse_json(calve_buffer_view(&text), NULL, &arena, &p, &err),
                       CALVE_OK);
  assert_null(p);
  calve_buffer_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_what_is_written_reads_back),
      TEST(test_long_junctions_are_written_as_balanced_pairs),
      TEST(test_literals_are_typed_by_the_schema),
      TEST(test_errors_say_what_was_expected),
      TEST(test_deep_json_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
