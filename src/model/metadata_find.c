/* SPDX-License-Identifier: Apache-2.0 */
#include "base/calendar.h"
#include "base/limits.h"
#include "codec/compression.h"
#include "model/metadata_parts.h"
#include "model/reading.h"

const calve_schema *calve_metadata_schema(const calve_metadata *m, int32_t schema_id) {
  for (int32_t i = m->schema_count - 1; i >= 0; i--)
    if (m->schemas[i]->schema_id == schema_id) return m->schemas[i];
  return NULL;
}

const calve_spec *calve_metadata_spec(const calve_metadata *m, int32_t spec_id) {
  for (int32_t i = m->spec_count - 1; i >= 0; i--)
    if (m->specs[i]->spec_id == spec_id) return m->specs[i];
  return NULL;
}

const calve_sort_order *calve_metadata_sort_order(const calve_metadata *m, int32_t order_id) {
  for (int32_t i = m->sort_order_count - 1; i >= 0; i--)
    if (m->sort_orders[i]->order_id == order_id) return m->sort_orders[i];
  return NULL;
}

const calve_snapshot *calve_metadata_snapshot(const calve_metadata *m, int64_t snapshot_id) {
  if (m->snapshot_count == 0) return NULL;
  uint32_t *p = calve_slots_first(&m->snapshots_by_id, (uint64_t)snapshot_id);
  for (; *p; p = calve_slots_next(&m->snapshots_by_id, p))
    if (m->snapshots[*p - 1].snapshot_id == snapshot_id) return &m->snapshots[*p - 1];
  return NULL;
}

const calve_snapshot *calve_metadata_current_snapshot(const calve_metadata *m) {
  if (m->current_snapshot_id == CALVE_NO_SNAPSHOT) return NULL;
  return calve_metadata_snapshot(m, m->current_snapshot_id);
}

const calve_snapshot_ref *calve_metadata_ref(const calve_metadata *m, calve_str name) {
  for (size_t i = 0; i < m->ref_count; i++)
    if (calve_str_equal(m->refs[i].name, name)) return &m->refs[i];
  return NULL;
}

calve_status calve_metadata_snapshot_at(const calve_metadata *m, int64_t timestamp_ms,
                                        const calve_snapshot **out, calve_error *err) {
  /* The last entry wins, not the latest time: clocks of writers may differ a little, and the
   * order of the log is the order of commits. */
  int64_t snapshot_id = CALVE_NO_SNAPSHOT;
  for (size_t i = 0; i < m->snapshot_log_count; i++)
    if (m->snapshot_log[i].timestamp_ms <= timestamp_ms)
      snapshot_id = m->snapshot_log[i].snapshot_id;
  if (snapshot_id == CALVE_NO_SNAPSHOT && m->snapshot_log_count == 0)
    return calve_fail(err, CALVE_ENOTFOUND, NULL, "the table has no history");
  if (snapshot_id == CALVE_NO_SNAPSHOT) {
    char begin[CALVE_TIME_TEXT_MAX];
    calve_timestamp_ms_format(m->snapshot_log[0].timestamp_ms, begin);
    return calve_fail(err, CALVE_ENOTFOUND, NULL,
                      "nothing was current then: the table's history begins at %s", begin);
  }
  const calve_snapshot *found = calve_metadata_snapshot(m, snapshot_id);
  if (!found)
    return calve_fail(err, CALVE_ENOTFOUND, NULL,
                      "snapshot %" PRId64 " was current then, but has been expired", snapshot_id);
  *out = found;
  return CALVE_OK;
}

const calve_schema *calve_metadata_snapshot_schema(const calve_metadata *m,
                                                   const calve_snapshot *s) {
  const calve_schema *schema = s->schema_id >= 0 ? calve_metadata_schema(m, s->schema_id) : NULL;
  return schema ? schema : m->schema;
}

const calve_schema_node *calve_metadata_find_field(const calve_metadata *m, int32_t field_id) {
  const calve_schema_node *node = calve_schema_find_id(m->schema, field_id);
  for (int32_t i = m->schema_count - 1; i >= 0 && !node; i--)
    node = calve_schema_find_id(m->schemas[i], field_id);
  return node;
}

int32_t calve_metadata__highest_partition_id(const calve_metadata *m) {
  int32_t highest = CALVE_PARTITION_FIELD_ID_START - 1;
  for (int32_t i = 0; i < m->spec_count; i++)
    for (int32_t f = 0; f < m->specs[i]->field_count; f++)
      if (m->specs[i]->fields[f].field_id > highest) highest = m->specs[i]->fields[f].field_id;
  return highest;
}

/* Text of metadata repeats itself, but a file that is nothing else than repetition is a bomb. */
static size_t inflated_max(calve_str file_bytes) {
  const int64_t most = CALVE_TABLE_METADATA_MAX, always = CALVE_TABLE_METADATA_ALWAYS;
  int64_t size = file_bytes.size < (size_t)most ? (int64_t)file_bytes.size : most;
  bool small = size < (most - always) / CALVE_TABLE_METADATA_RATIO_MAX;
  return (size_t)(small ? always + size * CALVE_TABLE_METADATA_RATIO_MAX : most);
}

calve_status calve_metadata_plain_text(calve_str file_bytes, const char *where, calve_arena *arena,
                                       calve_str *out, calve_error *err) {
  if (file_bytes.size < 2 || memcmp(file_bytes.data, "\x1f\x8b", 2) != 0) {
    *out = file_bytes;
    return CALVE_OK;
  }
  calve_codec codec;
  calve_buffer plain;
  calve_codec_init(&codec, arena->allocator);
  calve_buffer_init(&plain, arena->allocator);
  calve_status status =
      calve_decompress(&codec, CALVE_CODEC_GZIP, file_bytes, inflated_max(file_bytes), &plain, err);
  if (status == CALVE_OK) status = calve_arena_take(arena, &plain, out, err);
  if (status != CALVE_OK) calve_error_set_where(err, where);
  calve_buffer_free(&plain);
  calve_codec_free(&codec);
  return status;
}
