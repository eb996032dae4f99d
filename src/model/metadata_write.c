/* SPDX-License-Identifier: Apache-2.0 */
/* Members in the order in which the reference writes them, so that files of both can be compared
 * as text. v1 files repeat schema and spec for readers from before there were lists. */
#include "model/metadata_parts.h"
#include "model/reading.h"

static void write_i64(calve_json_writer *w, const char *key, int64_t value) {
  calve_json_write_key(w, key);
  calve_json_write_i64(w, value);
}

static void write_array_or_empty(calve_json_writer *w, const char *key, calve_str json) {
  calve_json_write_key(w, key);
  calve_json_write_raw(w, json.data ? json : CALVE_STR("[]"));
}

static void write_schemas_and_specs(const calve_metadata *m, calve_json_writer *w) {
  if (m->format_version == 1) {
    calve_json_write_key(w, "schema");
    calve_schema_write_json(m->schema, w);
  }
  write_i64(w, "current-schema-id", m->current_schema_id);
  calve_json_write_key(w, "schemas");
  calve_json_write_begin(w, '[');
  for (int32_t i = 0; i < m->schema_count; i++) calve_schema_write_json(m->schemas[i], w);
  calve_json_write_end(w, ']');

  if (m->format_version == 1) {
    calve_json_write_key(w, "partition-spec");
    calve_spec_write_json_fields(m->spec, w);
  }
  write_i64(w, "default-spec-id", m->default_spec_id);
  calve_json_write_key(w, "partition-specs");
  calve_json_write_begin(w, '[');
  for (int32_t i = 0; i < m->spec_count; i++) calve_spec_write_json(m->specs[i], w);
  calve_json_write_end(w, ']');
  write_i64(w, "last-partition-id", m->last_partition_id);

  write_i64(w, "default-sort-order-id", m->default_sort_order_id);
  calve_json_write_key(w, "sort-orders");
  calve_json_write_begin(w, '[');
  for (int32_t i = 0; i < m->sort_order_count; i++)
    calve_sort_order_write_json(m->sort_orders[i], w);
  calve_json_write_end(w, ']');
}

static void write_snapshots(const calve_metadata *m, calve_json_writer *w) {
  calve_json_write_key(w, "refs");
  calve_json_write_begin(w, '{');
  for (size_t i = 0; i < m->ref_count; i++) {
    calve_json_write_key_str(w, m->refs[i].name);
    calve_snapshot_ref_write_json(&m->refs[i], w);
  }
  calve_json_write_end(w, '}');
  calve_json_write_key(w, "snapshots");
  calve_json_write_begin(w, '[');
  for (size_t i = 0; i < m->snapshot_count; i++) calve_snapshot_write_json(&m->snapshots[i], w);
  calve_json_write_end(w, ']');
}

static void write_logs(const calve_metadata *m, calve_json_writer *w) {
  calve_json_write_key(w, "snapshot-log");
  calve_json_write_begin(w, '[');
  for (size_t i = 0; i < m->snapshot_log_count; i++) {
    calve_json_write_begin(w, '{');
    write_i64(w, "timestamp-ms", m->snapshot_log[i].timestamp_ms);
    write_i64(w, "snapshot-id", m->snapshot_log[i].snapshot_id);
    calve_json_write_end(w, '}');
  }
  calve_json_write_end(w, ']');
  calve_json_write_key(w, "metadata-log");
  calve_json_write_begin(w, '[');
  for (size_t i = 0; i < m->metadata_log_count; i++) {
    calve_json_write_begin(w, '{');
    write_i64(w, "timestamp-ms", m->metadata_log[i].timestamp_ms);
    calve_json_write_key(w, "metadata-file");
    calve_json_write_str(w, m->metadata_log[i].metadata_file);
    calve_json_write_end(w, '}');
  }
  calve_json_write_end(w, ']');
}

/* v3 says "none" with null; before, -1 is what older readers understand. [spec: Appendix F] */
static void write_current_snapshot_id(const calve_metadata *m, calve_json_writer *w) {
  calve_json_write_key(w, "current-snapshot-id");
  if (m->current_snapshot_id == CALVE_NO_SNAPSHOT && m->format_version >= 3)
    calve_json_write_null(w);
  else
    calve_json_write_i64(w, m->current_snapshot_id);
}

void calve_metadata_write_json(const calve_metadata *m, calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  write_i64(w, "format-version", m->format_version);
  calve_json_write_key(w, "table-uuid");
  if (m->table_uuid.data)
    calve_json_write_str(w, m->table_uuid);
  else
    calve_json_write_null(w);
  calve_json_write_key(w, "location");
  calve_json_write_str(w, m->location);
  if (m->format_version > 1) write_i64(w, "last-sequence-number", m->last_sequence_number);
  write_i64(w, "last-updated-ms", m->last_updated_ms);
  write_i64(w, "last-column-id", m->last_column_id);
  write_schemas_and_specs(m, w);
  calve_json_write_key(w, "properties");
  calve_properties_write_json(&m->properties, w);
  write_current_snapshot_id(m, w);
  if (m->format_version >= 3) write_i64(w, "next-row-id", m->next_row_id);
  if (m->encryption_keys_json.data)
    write_array_or_empty(w, "encryption-keys", m->encryption_keys_json);
  write_snapshots(m, w);
  write_array_or_empty(w, "statistics", m->statistics_json);
  write_array_or_empty(w, "partition-statistics", m->partition_statistics_json);
  write_logs(m, w);
  for (size_t i = 0; i < m->extra_count; i++) {
    calve_json_write_key_str(w, m->extra[i].key);
    calve_json_write_raw(w, m->extra[i].json);
  }
  calve_json_write_end(w, '}');
}
