/* SPDX-License-Identifier: Apache-2.0 */
#include "model/name_mapping.h"
#include "unit/model/metadata_fixture.h"

/* B037: nested names, entries without id, without names, and names with dots in them. */
static const char mapping_json[] =
    "[{\"field-id\":1,\"names\":[\"id\",\"record_id\"]},{\"field-id\":3,\"names\":[\"list\"],"
    "\"fields\":[{\"field-id\":4,\"names\":[\"element\"]}]},{\"field-id\":5,\"names\":[\"m\"],"
    "\"fields\":[{\"field-id\":6,\"names\":[\"key\"]},{\"field-id\":7,\"names\":[\"value\"]}]},"
    "{\"field-id\":8,\"names\":[]},{\"names\":[\"junk\"]},{\"field-id\":9,\"names\":[\"a.b\"]}]";

static const calve_name_mapping *parse(fixture *f, const char *json) {
  const calve_name_mapping *m = NULL;
  assert_ok(calve_name_mapping_parse(calve_str_of(json), &f->arena, &m, &f->err), &f->err);
  return m;
}

static const char *written(fixture *f, const calve_name_mapping *m) {
  calve_buffer b;
  calve_json_writer w;
  calve_buffer_init(&b, NULL);
  calve_json_write_init(&w, &b, 0);
  calve_name_mapping_write_json(m, &w);
  char *text = calve_arena_copy(&f->arena, b.data, b.size);
  calve_buffer_free(&b);
  return text;
}

static void test_names_are_found_on_their_level_only(void **state) {
  fixture *f = *state;
  const calve_name_mapping *m = parse(f, mapping_json);
  const calve_mapped_field *hit;
  assert_int_equal(m->field_count, 6);
  hit = calve_mapped_field_find(m->fields, m->field_count, CALVE_STR("record_id"));
  assert_int_equal(hit->field_id, 1);
  hit = calve_mapped_field_find(m->fields, m->field_count, CALVE_STR("a.b"));
  assert_int_equal(hit->field_id, 9);
  hit = calve_mapped_field_find(m->fields, m->field_count, CALVE_STR("junk"));
  assert_int_equal(hit->field_id, -1);
  assert_null(calve_mapped_field_find(m->fields, m->field_count, CALVE_STR("element")));
  assert_null(calve_mapped_field_find(m->fields, m->field_count, CALVE_STR("a")));
  hit = calve_mapped_field_find(m->fields, m->field_count, CALVE_STR("m"));
  hit = calve_mapped_field_find(hit->children, hit->child_count, CALVE_STR("value"));
  assert_int_equal(hit->field_id, 7);
  assert_string_equal(written(f, m), mapping_json);
}

static void test_a_schema_maps_to_its_own_names(void **state) {
  fixture *f = *state;
  const calve_metadata *t = make_table(
      f, (table_text){.schema = STRUCT(LONG_FIELD(
                          1, "id") ",{\"id\":2,\"name\":\"l\",\"required\":false,\"type\":{"
                                   "\"type\":\"list\",\"element-id\":3,\"element\":\"int\","
                                   "\"element-required\":false}}")});
  const calve_name_mapping *m = NULL;
  assert_ok(calve_name_mapping_of(t->schema, &f->arena, &m, &f->err), &f->err);
  assert_string_equal(written(f, m),
                      "[{\"field-id\":1,\"names\":[\"id\"]},{\"field-id\":2,\"names\":[\"l\"],"
                      "\"fields\":[{\"field-id\":3,\"names\":[\"element\"]}]}]");
}

static void test_bad_mappings_are_refused(void **state) {
  static const char *const bad[] = {
      "", "{}", "[1]", "[{\"field-id\":-1}]", "[{\"names\":[1]}]", "[{\"field-id\":1.5}]", "[] []"};
  fixture *f = *state;
  const calve_name_mapping *m = NULL;
  for (size_t i = 0; i < ARRAY_COUNT(bad); i++)
    assert_fails(calve_name_mapping_parse(calve_str_of(bad[i]), &f->arena, &m, &f->err),
                 CALVE_ECORRUPT, &f->err);
  calve_buffer deep;
  calve_buffer_init(&deep, NULL);
  for (int i = 0; i < 90; i++) calve_buffer_puts(&deep, "[{\"fields\":");
  calve_buffer_puts(&deep, "[]");
  for (int i = 0; i < 90; i++) calve_buffer_puts(&deep, "}]");
  assert_fails(calve_name_mapping_parse(calve_buffer_view(&deep), &f->arena, &m, &f->err),
               CALVE_ECORRUPT, &f->err);
  calve_buffer_free(&deep);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIXTURE_TEST(test_names_are_found_on_their_level_only),
      FIXTURE_TEST(test_a_schema_maps_to_its_own_names),
      FIXTURE_TEST(test_bad_mappings_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
