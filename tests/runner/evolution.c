/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/evolution.h"

#include <string.h>

#include "model/name_mapping.h"

enum { BASE_TIME_MS = 1000 };

/* ---- the base --------------------------------------------------------------------------- */

static void put_member(calve_buffer *b, const char *key, const calve_json *value) {
  if (value) calve_buffer_printf(b, ",\"%s\":%.*s", key, (int)value->raw.size, value->raw.data);
}

/* The row's short form of a table as the metadata file that has the same parts. */
static calve_str metadata_text(run *r, int64_t version, const calve_json *base) {
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  calve_buffer_printf(&b,
                      "{\"format-version\":%d,\"table-uuid\":\"f79c3e09-677c-4bbd-a479-"
                      "3f349cb785e7\",\"location\":\"mem://t\",\"last-sequence-number\":0,"
                      "\"last-updated-ms\":%d,\"next-row-id\":0,\"current-snapshot-id\":null,"
                      "\"snapshots\":[]",
                      (int)version, BASE_TIME_MS);
  const calve_json *schema = calve_json_get(base, "schema");
  calve_buffer_printf(&b, ",\"schemas\":[%.*s]", (int)schema->raw.size, schema->raw.data);
  put_member(&b, "current-schema-id", calve_json_get(base, "current_schema_id"));
  put_member(&b, "last-column-id", calve_json_get(base, "last_column_id"));
  put_member(&b, "partition-specs", calve_json_get(base, "specs"));
  put_member(&b, "default-spec-id", calve_json_get(base, "default_spec_id"));
  put_member(&b, "last-partition-id", calve_json_get(base, "last_partition_id"));
  put_member(&b, "sort-orders", calve_json_get(base, "sort_orders"));
  put_member(&b, "default-sort-order-id", calve_json_get(base, "default_sort_order_id"));
  put_member(&b, "properties", calve_json_get(base, "properties"));
  calve_buffer_putc(&b, '}');
  return calve_str_of(take_text(r, &b));
}

static const calve_metadata *read_state(run *r, int64_t version, const calve_json *state) {
  const calve_metadata *m;
  if (calve_metadata_parse(metadata_text(r, version, state), "base", &r->row, &m, &r->err) ==
      CALVE_OK)
    return m;
  row_unusable(r, "%s", r->err.message);
  return NULL;
}

/* A base that the reference refuses must not be made by us either. */
static void check_bad_base(run *r, const calve_json *row) {
  const calve_json *input = calve_json_get(row, "base_input");
  calve_properties none = {0};
  calve_new_table table = {
      .location = CALVE_STR("mem://t"), .properties = none, .table_uuid = CALVE_STR("u")};
  calve_str version = calve_json_get(input, "format_version")->text;
  calve_property property = {CALVE_STR("format-version"), version};
  table.properties = (calve_properties){&property, 1};
  const calve_json *spec = calve_json_get(input, "spec");
  calve_status status = calve_schema_parse(calve_json_get(input, "schema")->raw, "base", &r->row,
                                           &table.schema, &r->err);
  if (status == CALVE_OK && spec)
    status = calve_spec_parse(spec->raw, "base", &r->row, &table.spec, &r->err);
  const calve_metadata *m;
  if (status == CALVE_OK) status = calve_metadata_new(&table, 0, &r->row, &m, &r->err);
  expect(r, "base", "refused", status == CALVE_OK ? "made" : "refused");
}

/* ---- what came out ---------------------------------------------------------------------- */

static const char *shape_text(run *r, const calve_metadata *m) {
  calve_buffer b;
  calve_json_writer w;
  calve_buffer_init(&b, NULL);
  calve_json_write_init(&w, &b, 0);
  calve_json_write_begin(&w, '[');
  calve_schema_write_json(m->schema, &w);
  for (int32_t i = 0; i < m->spec_count; i++) calve_spec_write_json(m->specs[i], &w);
  for (int32_t i = 0; i < m->sort_order_count; i++)
    calve_sort_order_write_json(m->sort_orders[i], &w);
  calve_json_write_end(&w, ']');
  return take_text(r, &b);
}

static const char *ids_text(run *r, const calve_metadata *m) {
  return text_of(r, "schema %d, last column %d, spec %d, last partition %d, order %d",
                 (int)m->current_schema_id, (int)m->last_column_id, (int)m->default_spec_id,
                 (int)m->last_partition_id, (int)m->default_sort_order_id);
}

/* A name mapping in one spelling; anything else as it is. */
static const char *property_text(run *r, calve_str key, calve_str value) {
  const calve_name_mapping *mapping;
  if (!value.data) return "absent";
  if (!calve_str_equal_text(key, "schema.name-mapping.default") ||
      calve_name_mapping_parse(value, &r->row, &mapping, NULL) != CALVE_OK)
    return text_of_str(r, value);
  calve_buffer b;
  calve_json_writer w;
  calve_buffer_init(&b, NULL);
  calve_json_write_init(&w, &b, 0);
  calve_name_mapping_write_json(mapping, &w);
  return take_text(r, &b);
}

static void check_properties(run *r, const calve_properties *expected,
                             const calve_properties *got) {
  for (size_t i = 0; i < expected->count; i++) {
    calve_str key = expected->items[i].key;
    expect(r, text_of_str(r, key), property_text(r, key, expected->items[i].value),
           property_text(r, key, calve_properties_get(got, text_of_str(r, key))));
  }
  expect(r, "property count", text_of(r, "%zu", expected->count), text_of(r, "%zu", got->count));
}

static void check_result(run *r, int64_t version, const calve_json *commit,
                         const calve_metadata *got) {
  const calve_metadata *expected = read_state(r, version, calve_json_get(commit, "result"));
  if (!expected) return;
  expect(r, "ids", ids_text(r, expected), ids_text(r, got));
  expect(r, "shape", shape_text(r, expected), shape_text(r, got));
  check_properties(r, &expected->properties, &got->properties);
}

/* ---- commits ---------------------------------------------------------------------------- */

static bool is_schema_commit(const calve_json *commit) {
  return calve_str_equal(member_str(commit, "kind"), CALVE_STR("schema"));
}

void run_evolution(run *r, const calve_json *row) {
  int64_t version = member_i64(row, "format_version");
  if (calve_json_get(row, "base_error")) {
    check_bad_base(r, row);
    return;
  }
  const calve_metadata *m = read_state(r, version, calve_json_get(row, "base"));
  const calve_json *commits = calve_json_get(row, "commits");
  for (size_t i = 0; m && i < commits->count; i++) {
    const calve_json *commit = &commits->items[i], *ops = calve_json_get(commit, "ops");
    calve_changes changes;
    calve_status status = is_schema_commit(commit) ? schema_commit(r, m, ops, &changes)
                                                   : spec_commit(r, m, ops, &changes);
    if (status == CALVE_OK) status = calve_requirements_check(&changes, m, &r->err);
    const calve_metadata *next = m;
    if (status == CALVE_OK)
      status = calve_changes_apply(&changes, m, (calve_str){0}, BASE_TIME_MS + 1, &r->row, &next,
                                   &r->err);
    if (status != CALVE_OK) error_text(r);
    expect(r, text_of(r, "commit %zu", i), member_bool(commit, "ok") ? "ok" : "refused",
           status == CALVE_OK ? "ok" : "refused");
    if (status == CALVE_OK && member_bool(commit, "ok")) check_result(r, version, commit, next);
    m = next;
  }
}
