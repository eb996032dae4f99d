/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

#include <math.h>

static calve_arena arena;

static void test_void_and_transform_have_their_own_types(void **state) {
  (void)state;
  calve_error err;
  const calve_type **types = NULL;
  const calve_schema *schema =
      parsed_schema(&arena,
                    "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"s\",\"required\":false,"
                    "\"type\":\"string\"},{\"id\":2,\"name\":\"ts\",\"required\":false,\"type\":"
                    "\"timestamp\"}]}");
  const calve_spec *spec = parsed_spec(
      &arena,
      "{\"spec-id\":1,\"fields\":["
      "{\"name\":\"a\",\"transform\":\"bucket[2]\",\"source-id\":1,\"field-id\":1000},"
      "{\"name\":\"b\",\"transform\":\"void\",\"source-id\":1,\"field-id\":1001},"
      "{\"name\":\"c\",\"transform\":\"day\",\"source-id\":2,\"field-id\":1002},"
      "{\"name\":\"d\",\"transform\":\"later\",\"source-id\":2,\"field-id\":1003},"
      "{\"name\":\"e\",\"transform\":\"identity\",\"source-id\":9,\"field-id\":1004}]}");
  static const calve_type_id expected[] = {CALVE_INT, CALVE_STRING, CALVE_DATE, CALVE_STRING,
                                           CALVE_UNKNOWN};
  assert_ok(calve_spec_tuple_types(spec, schema, &arena, &types, &err), &err);
  for (size_t i = 0; i < ARRAY_COUNT(expected); i++) assert_int_equal(types[i]->id, expected[i]);
}

static void test_unpartitioned(void **state) {
  (void)state;
  assert_true(calve_spec_is_unpartitioned(parsed_spec(&arena, "{\"spec-id\":0,\"fields\":[]}")));
  assert_true(calve_spec_is_unpartitioned(
      parsed_spec(&arena, "[{\"name\":\"n\",\"transform\":\"void\",\"source-id\":1}]")));
  assert_false(calve_spec_is_unpartitioned(
      parsed_spec(&arena, "[{\"name\":\"n\",\"transform\":\"later\",\"source-id\":1}]")));
}

static void test_find(void **state) {
  (void)state;
  const calve_spec *s = parsed_spec(&arena,
                                    "[{\"name\":\"n\",\"transform\":\"void\",\"source-id\":1},"
                                    "{\"name\":\"m\",\"transform\":\"day\",\"source-id\":2}]");
  assert_ptr_equal(calve_spec_find_name(s, CALVE_STR("m")), &s->fields[1]);
  assert_null(calve_spec_find_name(s, CALVE_STR("M")));
}

/* Rule: tuples are the same partition when values are; NaN is one value, the zeros are two. */
static void test_tuples(void **state) {
  (void)state;
  calve_value nan = {.type = CALVE_FLOAT, .f32 = NAN},
              other_nan = {.type = CALVE_FLOAT, .f32 = -NAN},
              zero = {.type = CALVE_FLOAT, .f32 = 0.0f},
              minus = {.type = CALVE_FLOAT, .f32 = -0.0f};
  calve_value a[] = {int_value(1), nan}, b[] = {int_value(1), other_nan},
              c[] = {int_value(1), zero}, d[] = {int_value(1), minus},
              e[] = {calve_value_null(CALVE_INT), zero};
  assert_true(calve_tuple_equal(a, b, 2));
  assert_true(calve_tuple_hash(a, 2) == calve_tuple_hash(b, 2));
  assert_false(calve_tuple_equal(c, d, 2));
  assert_false(calve_tuple_equal(c, e, 2));
  assert_true(calve_tuple_equal(c, d, 1));
  calve_value swapped[] = {int_value(2), int_value(1)}, plain[] = {int_value(1), int_value(2)};
  assert_true(calve_tuple_hash(swapped, 2) != calve_tuple_hash(plain, 2));
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
      cmocka_unit_test(test_void_and_transform_have_their_own_types),
      cmocka_unit_test(test_unpartitioned),
      cmocka_unit_test(test_find),
      cmocka_unit_test(test_tuples),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
