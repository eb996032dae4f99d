/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

static calve_arena arena;

static const char columns[] =
    "{\"type\":\"struct\",\"fields\":["
    "{\"id\":1,\"name\":\"a\",\"required\":false,\"type\":\"string\"},"
    "{\"id\":2,\"name\":\"b\",\"required\":false,\"type\":\"time\"},"
    "{\"id\":3,\"name\":\"c\",\"required\":false,\"type\":\"timestamp\"}]}";

/* B032 */
static void test_names_and_values_are_escaped(void **state) {
  (void)state;
  const calve_schema *schema = parsed_schema(&arena, columns);
  const calve_spec *spec =
      parsed_spec(&arena,
                  "[{\"name\":\"my#str%bucket\",\"transform\":\"truncate[19]\",\"source-id\":1},"
                  "{\"name\":\"other str+bucket\",\"transform\":\"identity\",\"source-id\":1},"
                  "{\"name\":\"my!int:bucket\",\"transform\":\"bucket[25]\",\"source-id\":1}]");
  const calve_value tuple[] = {text_value(CALVE_STR("my+str")), text_value(CALVE_STR("( )")),
                               int_value(10)};
  calve_buffer out;
  calve_buffer_init(&out, NULL);
  calve_spec_tuple_path(spec, schema, tuple, &out);
  assert_buffer(&out, "my%23str%25bucket=my%2Bstr/other+str%2Bbucket=%28+%29/my%21int%3Abucket=10");
  calve_spec_tuple_print(spec, schema, tuple, &out);
  assert_buffer(&out, "my#str%bucket=my+str, other str+bucket=( ), my!int:bucket=10");
  calve_buffer_free(&out);
}

static void test_values_of_paths(void **state) {
  (void)state;
  const struct {
    const char *transform;
    int source;
    calve_value value;
    const char *path;
  } rows[] = {
      {"identity", 1, text_value(CALVE_STR("a/b")), "p=a%2Fb"},
      {"identity", 1, text_value(CALVE_STR("a=b")), "p=a%3Db"},
      {"identity", 1, text_value(CALVE_STR("")), "p="},
      {"identity", 1, calve_value_null(CALVE_STRING), "p=null"},
      {"identity", 1, text_value(CALVE_STR("\u00fc*-_.")), "p=%C3%BC*-_."},
      {"identity", 2, long_value(CALVE_TIME, INT64_C(45000000000)), "p=12%3A30"},
      {"identity", 2, long_value(CALVE_TIME, INT64_C(45001000000)), "p=12%3A30%3A01"},
      {"year", 3, int_value(-1971), "p=-001"},
      {"month", 3, int_value(-1), "p=1969-12"},
      {"day", 3, {.type = CALVE_DATE, .i32 = 20513}, "p=2026-03-01"},
      {"day", 3, int_value(20513), "p=2026-03-01"},
      {"hour", 3, int_value(-1), "p=1969-12-31-23"},
  };
  const calve_schema *schema = parsed_schema(&arena, columns);
  calve_buffer out;
  calve_buffer_init(&out, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    int32_t source_id = rows[i].source;
    calve_partition_field field = {
        source_id, 1000,      CALVE_STR("p"), parsed_transform(&arena, rows[i].transform),
        1,         &source_id};
    calve_spec spec = {0, 1, &field};
    calve_spec_tuple_path(&spec, schema, &rows[i].value, &out);
    assert_buffer(&out, rows[i].path);
  }
  calve_buffer_free(&out);
}

static void test_unpartitioned_has_no_path(void **state) {
  (void)state;
  const calve_schema *schema = parsed_schema(&arena, columns);
  calve_value null = calve_value_null(CALVE_STRING);
  calve_buffer out;
  calve_buffer_init(&out, NULL);
  calve_spec_tuple_path(parsed_spec(&arena, "[]"), schema, NULL, &out);
  calve_spec_tuple_path(
      parsed_spec(&arena, "[{\"name\":\"p\",\"transform\":\"void\",\"source-id\":1}]"), schema,
      &null, &out);
  assert_int_equal(out.size, 0);
  calve_buffer_free(&out);
}

static void test_default_names(void **state) {
  static const struct {
    const char *transform, *by_evolution, *at_creation;
  } rows[] = {{"identity", "s.x", "s.x"},
              {"bucket[16]", "s.x_bucket_16", "s.x_bucket"},
              {"truncate[2147483647]", "s.x_trunc_2147483647", "s.x_trunc"},
              {"year", "s.x_year", "s.x_year"},
              {"month", "s.x_month", "s.x_month"},
              {"day", "s.x_day", "s.x_day"},
              {"hour", "s.x_hour", "s.x_hour"},
              {"void", "s.x_null", "s.x_null"}};
  (void)state;
  calve_error err;
  calve_str name = {NULL, 0};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_transform t = parsed_transform(&arena, rows[i].transform);
    assert_ok(calve_partition_default_name(&t, CALVE_STR("s.x"), &arena, &name, &err), &err);
    assert_true(calve_str_equal_text(name, rows[i].by_evolution));
    assert_ok(calve_partition_created_name(&t, CALVE_STR("s.x"), &arena, &name, &err), &err);
    assert_true(calve_str_equal_text(name, rows[i].at_creation));
  }
  calve_transform later = parsed_transform(&arena, "zorder");
  assert_fails(calve_partition_default_name(&later, CALVE_STR("x"), &arena, &name, &err),
               CALVE_EUNSUPPORTED, &err);
}

static void test_values_of_hive_paths(void **state) {
  static const struct {
    const char *type, *text, *value; /* NULL: refused */
  } rows[] = {{"int", "34", "34"},
              {"int", "2147483648", NULL},
              {"int", "null", NULL},
              {"long", "-9223372036854775808", "-9223372036854775808"},
              {"boolean", "TRUE", "true"},
              {"boolean", "x", NULL},
              {"double", "NaN", "NaN"},
              {"decimal(9, 2)", "14.2", "14.20"},
              {"decimal(9, 2)", "14.205", NULL},
              {"decimal(3, 2)", "14.20", NULL},
              {"date", "2026-03-01", "2026-03-01"},
              {"string", "", ""},
              {"string", "\xff", NULL},
              {"timestamp", "2026-03-01T00:00:00", NULL},
              {"int", "__HIVE_DEFAULT_PARTITION__", "null"}};
  (void)state;
  calve_buffer out;
  calve_buffer_init(&out, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    calve_value v;
    const calve_type *type = parsed_type(&arena, rows[i].type);
    calve_str text = calve_str_of(rows[i].text);
    if (rows[i].value) {
      assert_ok(calve_partition_value_parse(type, text, &v, &err), &err);
      calve_value_print(&v, &out);
      assert_buffer(&out, rows[i].value);
    } else {
      assert_fails(calve_partition_value_parse(type, text, &v, &err), CALVE_EINVAL, &err);
    }
  }
  calve_buffer_free(&out);
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
      cmocka_unit_test(test_names_and_values_are_escaped), cmocka_unit_test(test_values_of_paths),
      cmocka_unit_test(test_unpartitioned_has_no_path),    cmocka_unit_test(test_default_names),
      cmocka_unit_test(test_values_of_hive_paths),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
