/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/metadata_fixture.h"

static const calve_schema *parse_schema(fixture *f, const char *json) {
  const calve_schema *s = NULL;
  assert_ok(calve_schema_parse(calve_str_of(json), "schema", &f->arena, &s, &f->err), &f->err);
  return s;
}

static const calve_spec *parse_spec(fixture *f, const char *json) {
  const calve_spec *s = NULL;
  assert_ok(calve_spec_parse(calve_str_of(json), "spec", &f->arena, &s, &f->err), &f->err);
  return s;
}

static const char nested[] =
    "{\"type\":\"struct\",\"schema-id\":7,\"fields\":[{\"id\":40,\"name\":\"s\",\"required\":true,"
    "\"type\":{\"type\":\"struct\",\"fields\":[" LONG_FIELD(50, "x") "]}}," LONG_FIELD(41,
                                                                                       "id") "]}";

/* B076: ids are given afresh, a level at a time; specs and orders follow by name. */
static void test_ids_are_given_afresh(void **state) {
  fixture *f = *state;
  const calve_metadata *m = NULL;
  const calve_sort_order *order = NULL;
  assert_ok(calve_sort_order_parse(
                CALVE_STR("{\"order-id\":5,\"fields\":[{\"transform\":\"identity\",\"source-id\":"
                          "41,\"direction\":\"desc\",\"null-order\":\"nulls-last\"}]}"),
                "order", &f->arena, &order, &f->err),
            &f->err);
  calve_new_table table = {
      .schema = parse_schema(f, nested),
      .spec = parse_spec(f,
                         "{\"spec-id\":3,\"fields\":[{\"name\":\"sx\",\"transform\":\"identity\","
                         "\"source-id\":50,\"field-id\":1900}]}"),
      .sort_order = order,
      .location = CALVE_STR("file:///w/t/"),
      .table_uuid = CALVE_STR(UUID_TEXT)};
  assert_ok(calve_metadata_new(&table, 77, &f->arena, &m, &f->err), &f->err);
  assert_int_equal(m->schema->schema_id, 0);
  assert_int_equal(calve_schema_find(m->schema, CALVE_STR("s"))->field->id, 1);
  assert_int_equal(calve_schema_find(m->schema, CALVE_STR("id"))->field->id, 2);
  assert_int_equal(calve_schema_find(m->schema, CALVE_STR("s.x"))->field->id, 3);
  assert_int_equal(m->last_column_id, 3);
  assert_string_equal(spec_line(f, m->spec), "1000:identity(3) sx");
  assert_int_equal(m->spec->spec_id, 0);
  assert_int_equal(m->last_partition_id, 1000);
  assert_int_equal(m->sort_order->order_id, 1);
  assert_int_equal(m->sort_order->fields[0].source_id, 2);
  assert_int_equal(m->format_version, 2);
  assert_int_equal(m->last_updated_ms, 77);
  assert_str(m->location, "file:///w/t");
  const calve_metadata *again = NULL;
  assert_ok(parse_metadata(f, written_metadata(f, m), &again), &f->err);
  assert_string_equal(written_metadata(f, again), written_metadata(f, m));
}

/* B018: a table without partitions starts at 999, so that its first field gets 1000. */
static void test_an_unpartitioned_table_starts_at_999(void **state) {
  fixture *f = *state;
  const calve_metadata *m = NULL;
  calve_new_table table = {.schema = parse_schema(f, STRUCT(LONG_FIELD(1, "id"))),
                           .location = CALVE_STR("x"),
                           .table_uuid = CALVE_STR(UUID_TEXT)};
  assert_ok(calve_metadata_new(&table, 0, &f->arena, &m, &f->err), &f->err);
  assert_int_equal(m->last_partition_id, 999);
  assert_int_equal(m->spec->field_count, 0);
  assert_int_equal(m->sort_order->order_id, 0);
  assert_int_equal(m->current_snapshot_id, CALVE_NO_SNAPSHOT);
}

static void test_format_version_is_obeyed_and_not_stored(void **state) {
  fixture *f = *state;
  const calve_metadata *m = NULL;
  calve_property given[] = {{CALVE_STR("format-version"), CALVE_STR("3")},
                            {CALVE_STR("owner"), CALVE_STR("me")},
                            {CALVE_STR("snapshot-count"), CALVE_STR("5")}};
  calve_new_table table = {.schema = parse_schema(f, STRUCT(LONG_FIELD(1, "id"))),
                           .location = CALVE_STR("x"),
                           .properties = {given, ARRAY_COUNT(given)},
                           .table_uuid = CALVE_STR(UUID_TEXT)};
  assert_ok(calve_metadata_new(&table, 0, &f->arena, &m, &f->err), &f->err);
  assert_int_equal(m->format_version, 3);
  assert_int_equal(m->next_row_id, 0);
  assert_null(calve_properties_get(&m->properties, "format-version").data);
  assert_null(calve_properties_get(&m->properties, "snapshot-count").data);
  assert_str(calve_properties_get(&m->properties, "owner"), "me");
  assert_str(calve_properties_get(&m->properties, "write.parquet.compression-codec"), "zstd");
  given[0].value = CALVE_STR("4");
  assert_fails(calve_metadata_new(&table, 0, &f->arena, &m, &f->err), CALVE_EUNSUPPORTED, &f->err);
  given[0].value = CALVE_STR("two");
  assert_fails(calve_metadata_new(&table, 0, &f->arena, &m, &f->err), CALVE_EINVAL, &f->err);
}

/* B026: a partition field may have the name of its own column only as identity or void. */
static void test_partition_names_must_not_be_other_columns(void **state) {
  static const struct {
    const char *field;
    bool ok;
  } rows[] = {
      {"\"name\":\"ts_day\",\"transform\":\"day\",\"source-id\":1", false},
      {"\"name\":\"d\",\"transform\":\"day\",\"source-id\":1", true},
      {"\"name\":\"ts\",\"transform\":\"identity\",\"source-id\":1", true},
      {"\"name\":\"ts\",\"transform\":\"void\",\"source-id\":1", true},
      {"\"name\":\"ts\",\"transform\":\"bucket[4]\",\"source-id\":1", false},
  };
  fixture *f = *state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char spec[256];
    const calve_metadata *m = NULL;
    snprintf(spec, sizeof spec, "{\"spec-id\":0,\"fields\":[{%s,\"field-id\":1000}]}",
             rows[i].field);
    calve_new_table table = {
        .schema =
            parse_schema(f, STRUCT(FIELD(1, "ts", "timestamp") "," FIELD(2, "ts_day", "string"))),
        .spec = parse_spec(f, spec),
        .location = CALVE_STR("x"),
        .table_uuid = CALVE_STR(UUID_TEXT)};
    calve_status status = calve_metadata_new(&table, 0, &f->arena, &m, &f->err);
    if (rows[i].ok)
      assert_ok(status, &f->err);
    else
      assert_fails(status, CALVE_EINVAL, &f->err);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIXTURE_TEST(test_ids_are_given_afresh),
      FIXTURE_TEST(test_an_unpartitioned_table_starts_at_999),
      FIXTURE_TEST(test_format_version_is_obeyed_and_not_stored),
      FIXTURE_TEST(test_partition_names_must_not_be_other_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
