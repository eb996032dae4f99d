/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "base/text.h"
#include "catalog/catalog.h"

static void test_names_are_split_at_dots_outside_of_quotes(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *levels[4]; /* the last one is the table; NULL first: refused */
  } rows[] = {
      {"db.t", {"db", "t"}},
      {"a.b.t", {"a", "b", "t"}},
      {"\"a.b\".t", {"a.b", "t"}},
      {"`a``b`.\"x\"\"y\"", {"a`b", "x\"y"}},
      {"db.line 1", {"db", "line 1"}},
      {"t", {NULL}},
      {"", {NULL}},
      {"db.", {NULL}},
      {".t", {NULL}},
      {"a..t", {NULL}},
      {"\"a.t", {NULL}},
      {"\"a\"b.t", {NULL}},
      {"db.\xff", {NULL}},
  };
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_table_name name;
    calve_error err;
    calve_status status = calve_table_name_parse(calve_str_of(rows[i].text), &arena, &name, &err);
    if (!rows[i].levels[0]) {
      assert_fails(status, CALVE_EINVAL, &err);
      continue;
    }
    assert_ok(status, &err);
    size_t count = 0;
    while (count < 4 && rows[i].levels[count]) count++;
    assert_int_equal(name.space.count, count - 1);
    for (size_t k = 0; k + 1 < count; k++)
      assert_true(calve_str_equal_text(name.space.levels[k], rows[i].levels[k]));
    assert_true(calve_str_equal_text(name.name, rows[i].levels[count - 1]));
  }
  calve_arena_free(&arena);
}

static void test_names_print_with_dots(void **state) {
  (void)state;
  calve_arena arena;
  calve_table_name name;
  calve_error err;
  calve_str text;
  calve_arena_init(&arena, NULL);
  assert_ok(calve_table_name_parse(CALVE_STR("a.b.t"), &arena, &name, &err), &err);
  assert_ok(calve_table_name_text(&name, &arena, &text, &err), &err);
  assert_string_equal(text.data, "a.b.t");
  assert_ok(calve_namespace_text(&name.space, &arena, &text, &err), &err);
  assert_string_equal(text.data, "a.b");
  calve_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_are_split_at_dots_outside_of_quotes),
      cmocka_unit_test(test_names_print_with_dots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
