/* SPDX-License-Identifier: Apache-2.0 */
/* Specs as JSON, in all forms. [spec: Partition Specs] */
#include "unit/model/parsed.h"

static calve_arena arena;

static void assert_written(const calve_spec *spec, const char *expected) {
  calve_buffer out;
  calve_json_writer w;
  calve_buffer_init(&out, NULL);
  calve_json_write_init(&w, &out, 0);
  calve_spec_write_json(spec, &w);
  assert_buffer(&out, expected);
  calve_buffer_free(&out);
}

static void test_text_survives_a_round_trip(void **state) {
  static const char *const texts[] = {
      "{\"spec-id\":0,\"fields\":[]}",
      "{\"spec-id\":3,\"fields\":[{\"name\":\"a\\nb\",\"transform\":\"bucket[16]\",\"source-id\":4,"
      "\"field-id\":1004},{\"name\":\"z\",\"transform\":\"z order\",\"source-ids\":[1,2],"
      "\"field-id\":1000}]}"};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
    assert_written(parsed_spec(&arena, texts[i]), texts[i]);
}

/* v1: a bare list, and ids that are counted up. */
static void test_fields_without_ids_are_counted_up(void **state) {
  (void)state;
  assert_written(parsed_spec(&arena,
                             "[{\"source-id\":1,\"transform\":\"DAY\",\"name\":\"a\"},"
                             "{\"source-id\":2,\"transform\":\"identity\",\"name\":\"b\"}]"),
                 "{\"spec-id\":0,\"fields\":[{\"name\":\"a\",\"transform\":\"day\",\"source-id\":1,"
                 "\"field-id\":1000},{\"name\":\"b\",\"transform\":\"identity\",\"source-id\":2,"
                 "\"field-id\":1001}]}");
}

static void test_source_ids_of_one_are_a_source_id(void **state) {
  (void)state;
  const calve_spec *s = parsed_spec(
      &arena, "[{\"name\":\"a\",\"transform\":\"day\",\"source-id\":7,\"source-ids\":[3]}]");
  assert_int_equal(s->fields[0].source_id, 3);
  assert_int_equal(s->fields[0].source_count, 1);
  assert_written(s,
                 "{\"spec-id\":0,\"fields\":[{\"name\":\"a\",\"transform\":\"day\",\"source-id\":3,"
                 "\"field-id\":1000}]}");
}

static void test_bad_specs_are_refused(void **state) {
  static const struct {
    const char *text, *part;
  } rows[] = {
      {"{\"fields\":[]}", "spec-id"},
      {"{\"spec-id\":1}", "fields"},
      {"[{\"transform\":\"day\",\"source-id\":1}]", "name"},
      {"[{\"name\":\"a\",\"source-id\":1}]", "transform"},
      {"[{\"name\":\"a\",\"transform\":\"day\"}]", "source-id"},
      {"[{\"name\":\"a\",\"transform\":\"day\",\"source-ids\":[]}]", "source-ids"},
      {"[{\"name\":\"a\",\"transform\":\"bucket[0]\",\"source-id\":1}]", "bucket[0]"},
      {"[{\"name\":\"a\",\"transform\":\"day\",\"source-id\":1,\"field-id\":1000},"
       "{\"name\":\"b\",\"transform\":\"day\",\"source-id\":1}]",
       "1 of 2"},
      {"[{\"name\":\"a\",\"transform\":\"day\",\"source-id\":9007199254740993}]", "/0/source-id"},
      {"7", ""},
  };
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    const calve_spec *spec = NULL;
    assert_fails(calve_spec_parse(calve_str_of(rows[i].text), "spec", &arena, &spec, &err),
                 CALVE_ECORRUPT, &err);
    assert_message(&err, rows[i].part);
    assert_null(spec);
  }
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
      cmocka_unit_test(test_text_survives_a_round_trip),
      cmocka_unit_test(test_fields_without_ids_are_counted_up),
      cmocka_unit_test(test_source_ids_of_one_are_a_source_id),
      cmocka_unit_test(test_bad_specs_are_refused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
