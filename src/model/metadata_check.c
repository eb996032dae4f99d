/* SPDX-License-Identifier: Apache-2.0 */
/* Rules between the parts of metadata, as every reader must hold them. Rules that only bind who
 * writes something new are with the updates: what others have written must stay readable. */
#include "model/metadata_parts.h"
#include "model/reading.h"

/* ---- linking ---------------------------------------------------------------------------- */

static calve_status twice(calve_error *err, const char *where, const char *what, int64_t id) {
  return calve_fail(err, CALVE_ECORRUPT, where, "%s %" PRId64 " is there twice", what, id);
}

/* Puts id into the map; a NULL *value stands for any value that is not NULL. */
static calve_status put_once(calve_map *map, int64_t id, const void *value, const char *where,
                             const char *what, calve_error *err) {
  if (calve_map_get_id(map, id)) return twice(err, where, what, id);
  return calve_map_put_id(map, id, (void *)(uintptr_t)value, NULL, err);
}

static calve_status link_schemas(calve_metadata *m, const char *where, calve_arena *arena,
                                 calve_error *err) {
  calve_map ids;
  calve_map_init(&ids, arena);
  for (int32_t i = 0; i < m->schema_count; i++)
    CALVE_TRY(put_once(&ids, m->schemas[i]->schema_id, m->schemas[i], where, "schema", err));
  m->schema = calve_map_get_id(&ids, m->current_schema_id);
  if (m->schema) return CALVE_OK;
  return calve_fail(err, CALVE_ECORRUPT, where, "current-schema-id %" PRId32 " is no schema",
                    m->current_schema_id);
}

/* Partition fields of one name could not be told apart in manifests and paths. */
static calve_status check_names(const calve_spec *spec, const char *where, calve_arena *arena,
                                calve_error *err) {
  enum { FEW = 16 };
  calve_map names;
  calve_map_init(&names, arena);
  for (int32_t i = 0; i < spec->field_count; i++) {
    const calve_partition_field *f = &spec->fields[i];
    void *other = NULL;
    if (spec->field_count > FEW)
      CALVE_TRY(calve_map_put_str(&names, f->name, (void *)(uintptr_t)f, &other, err));
    else
      other = calve_spec_find_name(spec, f->name) == f ? NULL : (void *)(uintptr_t)f;
    if (other)
      return calve_fail(err, CALVE_ECORRUPT, where,
                        "partition spec %" PRId32 " has two fields named \"%.*s\"", spec->spec_id,
                        CALVE_STR_ARG(f->name));
  }
  return CALVE_OK;
}

static calve_status link_specs(calve_metadata *m, const char *where, calve_arena *arena,
                               calve_error *err) {
  calve_map ids;
  calve_map_init(&ids, arena);
  for (int32_t i = 0; i < m->spec_count; i++)
    CALVE_TRY(put_once(&ids, m->specs[i]->spec_id, m->specs[i], where, "partition spec", err));
  for (int32_t i = 0; i < m->spec_count; i++)
    CALVE_TRY(check_names(m->specs[i], where, arena, err));
  m->spec = calve_map_get_id(&ids, m->default_spec_id);
  if (m->spec) return CALVE_OK;
  return calve_fail(err, CALVE_ECORRUPT, where, "default-spec-id %" PRId32 " is no partition spec",
                    m->default_spec_id);
}

static calve_status link_sort_orders(calve_metadata *m, const char *where, calve_arena *arena,
                                     calve_error *err) {
  static const calve_sort_order unsorted = {0};
  calve_map ids;
  calve_map_init(&ids, arena);
  for (int32_t i = 0; i < m->sort_order_count; i++)
    CALVE_TRY(
        put_once(&ids, m->sort_orders[i]->order_id, m->sort_orders[i], where, "sort order", err));
  if (m->sort_order_count == 0)
    return calve_fail(err, CALVE_ECORRUPT, where, "sort-orders is empty");
  m->sort_order = calve_map_get_id(&ids, m->default_sort_order_id);
  if (!m->sort_order) m->sort_order = &unsorted; /* an order is a wish, never needed to read */
  return CALVE_OK;
}

static calve_status link_snapshots(calve_metadata *m, const char *where, calve_arena *arena,
                                   calve_error *err) {
  if (m->snapshot_count == 0) return CALVE_OK;
  CALVE_TRY(calve_slots_make(&m->snapshots_by_id, m->snapshot_count, arena, err));
  for (size_t i = 0; i < m->snapshot_count; i++) {
    int64_t id = m->snapshots[i].snapshot_id;
    uint32_t *p = calve_slots_first(&m->snapshots_by_id, (uint64_t)id);
    for (; *p; p = calve_slots_next(&m->snapshots_by_id, p))
      if (m->snapshots[*p - 1].snapshot_id == id) return twice(err, where, "snapshot", id);
    *p = (uint32_t)(i + 1);
  }
  return CALVE_OK;
}

calve_status calve_metadata__link(calve_metadata *m, const char *where, calve_arena *arena,
                                  calve_error *err) {
  CALVE_TRY(link_schemas(m, where, arena, err));
  CALVE_TRY(link_specs(m, where, arena, err));
  CALVE_TRY(link_sort_orders(m, where, arena, err));
  return link_snapshots(m, where, arena, err);
}

/* ---- specs and sort orders -------------------------------------------------------------- */

static calve_status bad_source(calve_error *err, const char *where, const char *what, int32_t id,
                               int32_t source_id, const char *why) {
  return calve_fail(err, CALVE_ECORRUPT, where, "%s %" PRId32 ": its source column %" PRId32 " %s",
                    what, id, source_id, why);
}

/* The source of a partition or sort field. Only the spec or order that new data is written with
 * must have all its sources: older ones may outlive a column. */
static calve_status check_source(const calve_metadata *m, const char *where, const char *what,
                                 int32_t id, bool in_use, const calve_transform *transform,
                                 const int32_t *source_ids, int32_t source_count,
                                 calve_error *err) {
  for (int32_t i = 0; i < source_count; i++) {
    const calve_schema_node *node = calve_schema_find_id(m->schema, source_ids[i]);
    if (!node) {
      if (!in_use || transform->kind == CALVE_VOID) continue;
      return bad_source(err, where, what, id, source_ids[i], "is not in the current schema");
    }
    if (in_use && node->inside_repeated)
      return bad_source(err, where, what, id, source_ids[i], "is inside a list or map");
    if (source_count > 1 || transform->kind == CALVE_TRANSFORM_UNKNOWN) continue;
    if (in_use && transform->kind == CALVE_VOID && calve_type_is_primitive(node->field->type))
      continue;
    if (!calve_transform_accepts(transform, node->field->type))
      return bad_source(err, where, what, id, source_ids[i],
                        "has a type that its transform "
                        "does not take");
  }
  return CALVE_OK;
}

static calve_status check_spec(const calve_metadata *m, const calve_spec *spec, const char *where,
                               calve_error *err) {
  for (int32_t i = 0; i < spec->field_count; i++) {
    const calve_partition_field *f = &spec->fields[i];
    CALVE_TRY(check_source(m, where, "partition field", f->field_id, spec == m->spec, &f->transform,
                           f->source_ids, f->source_count, err));
  }
  return CALVE_OK;
}

static calve_status check_sort_order(const calve_metadata *m, const calve_sort_order *order,
                                     const char *where, calve_error *err) {
  if (order->order_id == 0 && order->field_count > 0)
    return calve_fail(err, CALVE_ECORRUPT, where, "sort order 0 is unsorted, but has fields");
  for (int32_t i = 0; i < order->field_count; i++) {
    const calve_sort_field *f = &order->fields[i];
    CALVE_TRY(check_source(m, where, "sort order", order->order_id, order == m->sort_order,
                           &f->transform, f->source_ids, f->source_count, err));
  }
  return CALVE_OK;
}

/* Commits count on from these: a file that is at the end of the numbers can't be right. */
static calve_status check_counters(const calve_metadata *m, const char *where, calve_error *err) {
  const struct {
    const char *key;
    int64_t value;
  } counters[] = {{"last-sequence-number", m->last_sequence_number},
                  {"next-row-id", m->next_row_id}};
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
    if (counters[i].value > CALVE_COUNTER_MAX)
      return calve_fail(err, CALVE_ECORRUPT, where, "%s is %" PRId64 ", expected at most %" PRId64,
                        counters[i].key, counters[i].value, CALVE_COUNTER_MAX);
  return CALVE_OK;
}

/* ---- snapshots, refs, logs -------------------------------------------------------------- */

static calve_status check_snapshots(const calve_metadata *m, const char *where, calve_error *err) {
  for (size_t i = 0; i < m->snapshot_count; i++)
    if (m->snapshots[i].sequence_number > m->last_sequence_number)
      return calve_fail(err, CALVE_ECORRUPT, where,
                        "snapshot %" PRId64 " has sequence number %" PRId64
                        ", above last-sequence-number %" PRId64,
                        m->snapshots[i].snapshot_id, m->snapshots[i].sequence_number,
                        m->last_sequence_number);
  if (m->current_snapshot_id != CALVE_NO_SNAPSHOT && !calve_metadata_current_snapshot(m))
    return calve_fail(err, CALVE_ECORRUPT, where, "current-snapshot-id %" PRId64 " is no snapshot",
                      m->current_snapshot_id);
  return CALVE_OK;
}

static calve_status check_refs(const calve_metadata *m, const char *where, calve_error *err) {
  for (size_t i = 0; i < m->ref_count; i++) {
    const calve_snapshot_ref *ref = &m->refs[i];
    if (!calve_metadata_snapshot(m, ref->snapshot_id))
      return calve_fail(err, CALVE_ECORRUPT, where,
                        "ref \"%.*s\" names snapshot %" PRId64 ", which is not there",
                        CALVE_STR_ARG(ref->name), ref->snapshot_id);
    if (calve_str_equal(ref->name, CALVE_MAIN_BRANCH) && ref->snapshot_id != m->current_snapshot_id)
      return calve_fail(err, CALVE_ECORRUPT, where,
                        "ref \"main\" is snapshot %" PRId64 ", but current-snapshot-id is %" PRId64,
                        ref->snapshot_id, m->current_snapshot_id);
  }
  return CALVE_OK;
}

static calve_status check_time(int64_t earlier_ms, int64_t later_ms, const char *what,
                               const char *where, calve_error *err) {
  if (later_ms >= earlier_ms || (uint64_t)earlier_ms - (uint64_t)later_ms <= CALVE_CLOCK_SKEW_MS)
    return CALVE_OK;
  return calve_fail(err, CALVE_ECORRUPT, where,
                    "%s: %" PRId64 " ms follows %" PRId64 " ms, more than a minute later", what,
                    later_ms, earlier_ms);
}

static calve_status check_logs(const calve_metadata *m, const char *where, calve_error *err) {
  for (size_t i = 0; i < m->snapshot_log_count; i++)
    CALVE_TRY(check_time(
        m->snapshot_log[i].timestamp_ms,
        i + 1 < m->snapshot_log_count ? m->snapshot_log[i + 1].timestamp_ms : m->last_updated_ms,
        "snapshot-log is out of order", where, err));
  for (size_t i = 0; i < m->metadata_log_count; i++)
    CALVE_TRY(check_time(
        m->metadata_log[i].timestamp_ms,
        i + 1 < m->metadata_log_count ? m->metadata_log[i + 1].timestamp_ms : m->last_updated_ms,
        "metadata-log is out of order", where, err));
  return CALVE_OK;
}

calve_status calve_metadata_check(const calve_metadata *m, const char *where, calve_error *err) {
  if (m->location.size == 0) return calve_fail(err, CALVE_ECORRUPT, where, "location is empty");
  if (m->format_version > 1 && !m->table_uuid.data)
    return calve_fail(err, CALVE_ECORRUPT, where, "table-uuid is missing");
  for (int32_t i = 0; i < m->spec_count; i++) CALVE_TRY(check_spec(m, m->specs[i], where, err));
  for (int32_t i = 0; i < m->sort_order_count; i++)
    CALVE_TRY(check_sort_order(m, m->sort_orders[i], where, err));
  CALVE_TRY(check_counters(m, where, err));
  CALVE_TRY(check_snapshots(m, where, err));
  CALVE_TRY(check_refs(m, where, err));
  return check_logs(m, where, err);
}
