/* SPDX-License-Identifier: Apache-2.0 */
/* Types as values. [spec: Primitive Types; Nested Types] */
#include "unit/model/parsed.h"

static calve_arena arena;

static void test_promotions_are_those_of_the_spec(void **state) {
  static const struct {
    const char *from, *to;
    int since; /* format version; 0: never */
  } rows[] = {{"int", "long", 1},
              {"long", "int", 0},
              {"float", "double", 1},
              {"double", "float", 0},
              {"decimal(5, 2)", "decimal(20, 2)", 1},
              {"decimal(5, 2)", "decimal(5, 2)", 1},
              {"decimal(5, 2)", "decimal(20, 3)", 0},
              {"decimal(20, 2)", "decimal(5, 2)", 0},
              {"date", "timestamp", 3},
              {"date", "timestamp_ns", 3},
              {"date", "timestamptz", 0},
              {"unknown", "string", 3},
              {"int", "string", 0},
              {"fixed[4]", "binary", 0},
              {"timestamp", "timestamp_ns", 0}};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
    for (int version = 1; version <= 3; version++) {
      bool expected = rows[i].since > 0 && version >= rows[i].since;
      assert_int_equal(calve_type_promotable(parsed_type(&arena, rows[i].from),
                                             parsed_type(&arena, rows[i].to), version),
                       expected);
    }
}

static void test_equality_looks_at_all_that_a_schema_writes(void **state) {
  (void)state;
  calve_field a = {.id = 1, .name = CALVE_STR("x"), .type = calve_type_of(CALVE_INT)};
  calve_field b = a;
  calve_type left = {.id = CALVE_STRUCT, .field_count = 1, .fields = &a};
  calve_type right = {.id = CALVE_STRUCT, .field_count = 1, .fields = &b};
  assert_true(calve_type_equal(&left, &right));
  b.id = 2;
  assert_false(calve_type_equal(&left, &right));
  b = a;
  b.required = true;
  assert_false(calve_type_equal(&left, &right));
  b = a;
  b.doc = CALVE_STR("");
  assert_false(calve_type_equal(&left, &right));
  b = a;
  b.name = CALVE_STR("X");
  assert_false(calve_type_equal(&left, &right));
  b = a;
  b.type = calve_type_of(CALVE_LONG);
  assert_false(calve_type_equal(&left, &right));
  assert_true(calve_type_equal(parsed_type(&arena, "geometry"),
                               parsed_type(&arena, "geometry(OGC:CRS84)")));
  assert_false(calve_type_equal(parsed_type(&arena, "geometry"),
                                parsed_type(&arena, "geometry(srid:3857)")));
  assert_false(calve_type_equal(parsed_type(&arena, "fixed[3]"), parsed_type(&arena, "fixed[4]")));
}

static void test_bad_parameters_leave_out_untouched(void **state) {
  (void)state;
  calve_error err;
  const calve_type *out = NULL;
  assert_fails(calve_type_decimal(39, 0, &arena, &out, &err), CALVE_EINVAL, &err);
  assert_message(&err, "39");
  assert_fails(calve_type_decimal(9, -1, &arena, &out, &err), CALVE_EINVAL, &err);
  assert_fails(calve_type_decimal(9, 39, &arena, &out, &err), CALVE_EINVAL, &err);
  assert_fails(calve_type_fixed(-1, &arena, &out, &err), CALVE_EINVAL, &err);
  assert_null(out);
}

static int setup(void **state) {
  (void)state;
  calve_arena_init(&arena, NULL);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  calve_arena_free(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_promotions_are_those_of_the_spec),
      cmocka_unit_test(test_equality_looks_at_all_that_a_schema_writes),
      cmocka_unit_test(test_bad_parameters_leave_out_untouched),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
