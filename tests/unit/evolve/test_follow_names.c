/* SPDX-License-Identifier: Apache-2.0 */
#include "evolve/schema_update.h"
#include "model/name_mapping.h"
#include "unit/model/metadata_fixture.h"

#define S(literal) CALVE_STR(literal)

static const char people[] = STRUCT(
    LONG_FIELD(1, "id") "," FIELD(2, "first_name", "string") "," FIELD(3, "last_name", "string"));
static const char mapping[] =
    "{\"schema.name-mapping.default\":\"[{\\\"field-id\\\":1,\\\"names\\\":[\\\"id\\\"]},"
    "{\\\"field-id\\\":2,\\\"names\\\":[\\\"first_name\\\"]},"
    "{\\\"field-id\\\":3,\\\"names\\\":[\\\"last_name\\\"]}]\"}";

static const calve_metadata *commit(fixture *f, calve_schema_update *u, const calve_metadata *m) {
  calve_changes changes;
  const calve_metadata *next = NULL;
  assert_ok(calve_schema_update_apply(u, NULL, &changes, &f->err), &f->err);
  assert_ok(apply_changes(f, &changes, m, 2000, &next), &f->err);
  return next;
}

static calve_schema_update *begin(fixture *f, const calve_metadata *m) {
  calve_schema_update *u = NULL;
  assert_ok(calve_schema_update_begin(m, &f->arena, &u, &f->err), &f->err);
  return u;
}

static int32_t mapped_id(fixture *f, const calve_metadata *m, const char *name) {
  const calve_name_mapping *names = NULL;
  calve_str json = calve_properties_get(&m->properties, "schema.name-mapping.default");
  assert_ok(calve_name_mapping_parse(json, &f->arena, &names, &f->err), &f->err);
  const calve_mapped_field *hit =
      calve_mapped_field_find(names->fields, names->field_count, calve_str_of(name));
  return hit ? hit->field_id : 0;
}

/* B038: the name of a dropped column goes to the one that takes it; a rename adds a name. */
static void test_the_name_mapping_follows(void **state) {
  fixture *f = *state;
  const calve_metadata *m =
      make_table(f, (table_text){.schema = people, .properties = mapping, .last_column_id = 3});
  calve_schema_update *u = begin(f, m);
  assert_ok(calve_schema_update_rename(u, S("last_name"), S("surname"), &f->err), &f->err);
  m = commit(f, u, m);
  assert_int_equal(mapped_id(f, m, "last_name"), 3);
  assert_int_equal(mapped_id(f, m, "surname"), 3);
  u = begin(f, m);
  assert_ok(calve_schema_update_delete(u, S("first_name"), &f->err), &f->err);
  m = commit(f, u, m);
  assert_int_equal(mapped_id(f, m, "first_name"), 2);
  u = begin(f, m);
  calve_new_column c = {.name = S("first_name"), .type = calve_type_of(CALVE_STRING)};
  assert_ok(calve_schema_update_add(u, &c, &f->err), &f->err);
  m = commit(f, u, m);
  assert_int_equal(mapped_id(f, m, "first_name"), 4);
  assert_int_equal(mapped_id(f, m, "id"), 1);
}

/* An entry that says what a name is not (it has no id) holds none of the table's columns. */
static void test_entries_without_an_id_get_no_new_columns(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(
      f, (table_text){.schema = people,
                      .last_column_id = 3,
                      .properties = "{\"schema.name-mapping.default\":\"[{\\\"names\\\":"
                                    "[\\\"old\\\"]},{\\\"field-id\\\":1,"
                                    "\\\"names\\\":[\\\"id\\\"]}]\"}"});
  calve_schema_update *u = begin(f, m);
  calve_new_column c = {.name = S("x"), .type = calve_type_of(CALVE_INT)};
  assert_ok(calve_schema_update_add(u, &c, &f->err), &f->err);
  m = commit(f, u, m);
  assert_str(calve_properties_get(&m->properties, "schema.name-mapping.default"),
             "[{\"names\":[\"old\"]},{\"field-id\":1,\"names\":[\"id\"]},"
             "{\"field-id\":4,\"names\":[\"x\"]}]");
}

/* What writers are told per column keeps its column, also when a struct around it is renamed. */
static void test_column_properties_follow(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(
      f, (table_text){.schema = STRUCT(
                          "{\"id\":1,\"name\":\"s\",\"required\":false,\"type\":{\"type\":"
                          "\"struct\",\"fields\":[" LONG_FIELD(2, "x") "]}}," LONG_FIELD(3, "y")),
                      .properties = "{\"write.metadata.metrics.column.s.x\":\"full\","
                                    "\"write.parquet.bloom-filter-enabled.column.y\":\"true\","
                                    "\"write.metadata.metrics.column.z\":\"none\",\"k\":\"v\"}"});
  calve_schema_update *u = begin(f, m);
  assert_ok(calve_schema_update_rename(u, S("s"), S("t"), &f->err), &f->err);
  assert_ok(calve_schema_update_delete(u, S("y"), &f->err), &f->err);
  m = commit(f, u, m);
  assert_int_equal(m->properties.count, 3);
  assert_str(calve_properties_get(&m->properties, "write.metadata.metrics.column.t.x"), "full");
  assert_str(calve_properties_get(&m->properties, "write.metadata.metrics.column.z"), "none");
}

static void test_a_mapping_nobody_can_read_stays(void **state) {
  fixture *f = *state;
  const calve_metadata *m =
      make_table(f, (table_text){.properties = "{\"schema.name-mapping.default\":\"not json\"}"});
  calve_schema_update *u = begin(f, m);
  calve_new_column c = {.name = S("x"), .type = calve_type_of(CALVE_INT)};
  assert_ok(calve_schema_update_add(u, &c, &f->err), &f->err);
  m = commit(f, u, m);
  assert_str(calve_properties_get(&m->properties, "schema.name-mapping.default"), "not json");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIXTURE_TEST(test_the_name_mapping_follows),
      FIXTURE_TEST(test_entries_without_an_id_get_no_new_columns),
      FIXTURE_TEST(test_column_properties_follow),
      FIXTURE_TEST(test_a_mapping_nobody_can_read_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
