/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "codec/json.h"
#include "harness.h"

static const char document[] =
    " {\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\\tb\",\"required\":true},{}],"
    "\"n\":null,\"x\":-1.50,\"id\":1,\"id\":2} ";

static calve_status parse(calve_arena *arena, const calve_json **out, calve_error *err) {
  return calve_json_parse(calve_str_of(document), "s.json", arena, out, err);
}

static void test_a_tree_keeps_order_raw_text_and_all_members(void **state) {
  (void)state;
  calve_arena arena = {0};
  calve_error err;
  const calve_json *j = NULL;
  assert_ok(parse(&arena, &j, &err), &err);
  assert_int_equal(j->kind, CALVE_JSON_OBJECT);
  assert_int_equal(j->count, 6);
  assert_true(calve_str_equal_text(j->keys[1], "fields"));
  const calve_json *fields = calve_json_get(j, "fields");
  assert_int_equal(fields->count, 2);
  assert_true(calve_str_equal_text(calve_json_get(&fields->items[0], "name")->text, "a\tb"));
  assert_true(calve_json_get(&fields->items[0], "required")->boolean);
  assert_int_equal(fields->items[1].count, 0);
  assert_true(calve_str_equal_text(fields->items[1].raw, "{}"));
  assert_true(calve_str_equal_text(calve_json_get(j, "x")->text, "-1.50"));
  assert_int_equal(calve_json_get(j, "n")->kind, CALVE_JSON_NULL);
  assert_int_equal(j->raw.size, strlen(document) - 2);
  calve_arena_free(&arena);
}

static void test_of_two_members_with_one_name_the_last_counts(void **state) {
  (void)state;
  calve_arena arena = {0};
  calve_error err;
  const calve_json *j = NULL;
  int64_t id = 0;
  assert_ok(parse(&arena, &j, &err), &err);
  assert_true(calve_json_as_i64(calve_json_get(j, "id"), &id));
  assert_int_equal(id, 2);
  calve_arena_free(&arena);
}

static void test_what_is_not_there_is_null(void **state) {
  (void)state;
  calve_arena arena = {0};
  calve_error err;
  const calve_json *j = NULL;
  int64_t id = 5;
  assert_ok(parse(&arena, &j, &err), &err);
  assert_null(calve_json_get(j, "none"));
  assert_null(calve_json_get(NULL, "x"));
  assert_null(calve_json_get(calve_json_get(j, "fields"), "x"));
  assert_false(calve_json_as_i64(NULL, &id));
  assert_false(calve_json_as_i64(calve_json_get(j, "x"), &id));
  assert_false(calve_json_as_i64(calve_json_get(j, "type"), &id));
  assert_int_equal(id, 5);
  calve_arena_free(&arena);
}

static void test_bad_text_leaves_out_untouched(void **state) {
  (void)state;
  calve_arena arena = {0};
  calve_error err;
  const calve_json *j = NULL;
  assert_fails(calve_json_parse(CALVE_STR("{\"a\":[1,{\"b\":}]}"), "s.json", &arena, &j, &err),
               CALVE_ECORRUPT, &err);
  assert_string_equal(err.message, "/a/1/b: expected a value, found '}'");
  assert_null(j);
  assert_fails(calve_json_parse(CALVE_STR("1 2"), "s.json", &arena, &j, &err), CALVE_ECORRUPT,
               &err);
  char deep[500];
  memset(deep, '[', sizeof deep);
  assert_fails(calve_json_parse((calve_str){deep, sizeof deep}, "s.json", &arena, &j, &err),
               CALVE_ECORRUPT, &err);
  assert_message(&err, "deeper than 200");
  assert_null(j);
  calve_arena_free(&arena);
}

static void test_every_failed_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  calve_status status = CALVE_ENOMEM;
  long needed = -1;
  while (status != CALVE_OK) {
    failing_allocator mem;
    failing_allocator_init(&mem, ++needed);
    calve_arena arena;
    calve_error err;
    const calve_json *j = NULL;
    calve_arena_init(&arena, &mem.allocator);
    status = parse(&arena, &j, &err);
    if (status != CALVE_OK) {
      assert_int_equal(err.code, CALVE_ENOMEM);
      assert_null(j);
    }
    calve_arena_free(&arena);
    assert_int_equal(atomic_load(&mem.live_bytes), 0);
  }
  assert_true(needed >= 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_tree_keeps_order_raw_text_and_all_members),
      cmocka_unit_test(test_of_two_members_with_one_name_the_last_counts),
      cmocka_unit_test(test_what_is_not_there_is_null),
      cmocka_unit_test(test_bad_text_leaves_out_untouched),
      cmocka_unit_test(test_every_failed_allocation_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
