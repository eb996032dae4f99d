/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

static const char text[] =
    "{\"type\":\"struct\",\"schema-id\":7,\"identifier-field-ids\":[50],\"fields\":["
    "{\"id\":10,\"name\":\"s\",\"required\":true,\"type\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":50,\"name\":\"x\",\"required\":true,\"type\":\"int\"},"
    "{\"id\":3,\"name\":\"l\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":4,"
    "\"element\":\"int\",\"element-required\":true}}]}},"
    "{\"id\":1,\"name\":\"m\",\"required\":false,\"type\":{\"type\":\"map\",\"key-id\":20,"
    "\"key\":\"string\",\"value-id\":21,\"value\":\"int\",\"value-required\":true}},"
    "{\"id\":2,\"name\":\"z\",\"required\":false,\"type\":\"int\"}]}";

/* Rule: all fields of a level first, then the levels below, in the order of fields. */
static void test_levels_are_numbered_one_after_another(void **state) {
  static const struct {
    const char *name;
    int32_t id;
  } rows[] = {{"s", 101},   {"m", 102},           {"z", 103},     {"s.x", 104},
              {"s.l", 105}, {"s.l.element", 106}, {"m.key", 107}, {"m.value", 108}};
  (void)state;
  calve_error err;
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  int32_t last = 100;
  const calve_schema *fresh = NULL, *old = parsed_schema(&arena, text);
  assert_ok(calve_schema_assign_fresh_ids(old, 5, &last, &arena, &fresh, &err), &err);
  assert_int_equal(last, 108);
  assert_int_equal(fresh->schema_id, 5);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
    assert_int_equal(calve_schema_find(fresh, calve_str_of(rows[i].name))->field->id, rows[i].id);
  assert_int_equal(fresh->identifier_field_count, 1);
  assert_int_equal(fresh->identifier_field_ids[0], 104);
  assert_int_equal(calve_schema_find(old, CALVE_STR("s.x"))->field->id, 50);
  calve_arena_free(&arena);
}

static void test_reserved_ids_are_never_given(void **state) {
  (void)state;
  calve_error err;
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  int32_t last = CALVE_FIELD_ID_MAX - 7;
  const calve_schema *fresh = NULL, *old = parsed_schema(&arena, text);
  assert_fails(calve_schema_assign_fresh_ids(old, 5, &last, &arena, &fresh, &err), CALVE_EINVAL,
               &err);
  assert_int_equal(last, CALVE_FIELD_ID_MAX - 7);
  assert_null(fresh);
  last--;
  assert_ok(calve_schema_assign_fresh_ids(old, 5, &last, &arena, &fresh, &err), &err);
  assert_int_equal(last, CALVE_FIELD_ID_MAX);
  calve_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_levels_are_numbered_one_after_another),
      cmocka_unit_test(test_reserved_ids_are_never_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
