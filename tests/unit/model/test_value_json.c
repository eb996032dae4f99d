/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

static calve_arena arena;

static calve_status read_text(const calve_type *type, const char *text, calve_value *out,
                              calve_error *err) {
  calve_json_reader r;
  calve_json_open(&r, calve_str_of(text), "default", &arena);
  CALVE_TRY(calve_value_read_json(&r, type, out, err));
  return calve_json_end(&r, err);
}

static void test_values_keep_their_text(void **state) {
  static const struct {
    const char *type, *text;
  } rows[] = {{"boolean", "false"},
              {"long", "9223372036854775807"},
              {"double", "0.1"},
              {"double", "\"NaN\""},
              {"float", "\"-Infinity\""},
              {"decimal(38, 0)", "\"99999999999999999999999999999999999999\""},
              {"decimal(9, 2)", "\"-0.05\""},
              {"date", "\"-0001-12-31\""},
              {"time", "\"22:31:08.123456\""},
              {"timestamp", "\"1969-12-31T23:59:59.999999\""},
              {"timestamptz", "\"2026-03-01T00:00:00+00:00\""},
              {"timestamp_ns", "\"2017-11-16T22:31:08.000001001\""},
              {"string", "\"\\u0000 \\\" \\\\\""},
              {"uuid", "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\""},
              {"fixed[2]", "\"00FF\""},
              {"binary", "\"\""},
              {"unknown", "null"}};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    calve_value v;
    calve_buffer out;
    calve_json_writer w;
    const calve_type *type = parsed_type(&arena, rows[i].type);
    assert_ok(read_text(type, rows[i].text, &v, &err), &err);
    calve_buffer_init(&out, NULL);
    calve_json_write_init(&w, &out, 0);
    calve_value_write_json(&v, type, &w);
    assert_buffer(&out, rows[i].text);
    calve_buffer_free(&out);
  }
}

static void test_bad_values_are_named(void **state) {
  static const struct {
    const char *type, *text, *part;
  } rows[] = {{"decimal(4, 2)", "\"100.00\"", "'100.00' is not a value of type decimal(4, 2)"},
              {"decimal(4, 2)", "\"1.5\"", "1.5"},
              {"timestamp", "\"2026-03-01 00:00:00\"", "timestamp"},
              {"timestamp", "\"2026-03-01T00:00:00Z\"", "timestamp"},
              {"timestamptz", "\"2026-03-01T00:00:00+01:00\"", "timestamptz"},
              {"fixed[2]", "\"0\"", "fixed[2]"},
              {"uuid", "\"f79c3e09\"", "uuid"},
              {"geometry", "\"POINT (1 1)\"", "must be null"},
              {"float", "\"nan\"", "'nan'"},
              {"int", "1e3", ""}};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    calve_value v = int_value(77);
    assert_fails(read_text(parsed_type(&arena, rows[i].type), rows[i].text, &v, &err),
                 CALVE_ECORRUPT, &err);
    assert_message(&err, rows[i].part);
    assert_message(&err, "default");
    assert_int_equal(v.i32, 77);
  }
}

/* Every allocation fails once: the error is ENOMEM and nothing is half-built. */
static void test_nested_value_survives_every_oom(void **state) {
  static const char text[] =
      "{\"1\":{\"keys\":[\"a\",\"\\u00e9\"],\"values\":[\"AB\",null]},\"2\":[1]}";
  (void)state;
  calve_field bytes[2] = {{.id = 3, .type = calve_type_of(CALVE_STRING)},
                          {.id = 4, .type = calve_type_of(CALVE_BINARY)}};
  calve_field element = {.id = 5, .type = calve_type_of(CALVE_INT)};
  calve_type map = {.id = CALVE_MAP, .field_count = 2, .fields = bytes};
  calve_type list = {.id = CALVE_LIST, .field_count = 1, .fields = &element};
  calve_field fields[2] = {{.id = 1, .type = &map}, {.id = 2, .type = &list}};
  calve_type type = {.id = CALVE_STRUCT, .field_count = 2, .fields = fields};
  long needed = -1;
  for (long n = 0; n < 1000 && needed < 0; n++) {
    failing_allocator mem;
    calve_arena own;
    calve_json_reader r;
    calve_error err;
    calve_value v = int_value(77);
    failing_allocator_init(&mem, n);
    calve_arena_init(&own, &mem.allocator);
    calve_json_open(&r, calve_str_of(text), "default", &own);
    calve_status status = calve_value_read_json(&r, &type, &v, &err);
    if (status == CALVE_OK) {
      needed = n;
      assert_int_equal(v.nested.items[0].nested.count, 4);
    } else {
      assert_int_equal(status, CALVE_ENOMEM);
      assert_int_equal(v.i32, 77);
    }
    calve_arena_free(&own);
    assert_int_equal(mem.live_bytes, 0);
  }
  assert_true(needed > 0);
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
      cmocka_unit_test(test_values_keep_their_text),
      cmocka_unit_test(test_bad_values_are_named),
      cmocka_unit_test(test_nested_value_survives_every_oom),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
