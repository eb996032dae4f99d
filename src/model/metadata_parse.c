/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the text. Members may come in any order, so that rules between them wait until
 * all have been read. */
#include "model/metadata.h"
#include "model/metadata_parts.h"
#include "model/reading.h"

enum member {
  HAS_VERSION = 1 << 0,
  HAS_LOCATION = 1 << 1,
  HAS_SEQUENCE = 1 << 2,
  HAS_UPDATED = 1 << 3,
  HAS_LAST_COLUMN = 1 << 4,
  HAS_CURRENT_SCHEMA = 1 << 5,
  HAS_SCHEMAS = 1 << 6,
  HAS_DEFAULT_SPEC = 1 << 7,
  HAS_SPECS = 1 << 8,
  HAS_LAST_PARTITION = 1 << 9,
  HAS_DEFAULT_ORDER = 1 << 10,
  HAS_ORDERS = 1 << 11,
  HAS_CURRENT_SNAPSHOT = 1 << 12,
  HAS_REFS = 1 << 13,
  HAS_NEXT_ROW_ID = 1 << 14
};

typedef struct parsing {
  calve_json_reader r;
  const char *where;
  calve_metadata m;
  unsigned has;
  const calve_schema *v1_schema; /* "schema" and "partition-spec", which v1 had alone           */
  const calve_spec *v1_spec;
  size_t extra_capacity;
} parsing;

/* ---- lists ------------------------------------------------------------------------------ */

/* for (each item of the array that comes next), with the first statement of the body behind it */
#define NEXT_ITEM(r, err)                          \
  bool more_;                                      \
  CALVE_TRY(calve_json_next_item(r, &more_, err)); \
  if (!more_) break

/* Room for one element more in an array that is a member of the metadata. */
#define GROW(p, items, count, capacity, err)                                                     \
  do {                                                                                           \
    void *grown_ = calve_model__grown((p)->r.arena, (void *)(uintptr_t)(items), (size_t)(count), \
                                      &(capacity), sizeof *(items));                             \
    if (!grown_) return calve_fail_oom(err);                                                     \
    (items) = grown_;                                                                            \
  } while (0)

/* The same in an array that may be very long. */
#define GROW_LONG(p, start, items, count, capacity, err)                                       \
  do {                                                                                         \
    void *grown_ = calve_model__room((p)->r.arena, (items), (count), &(capacity),              \
                                     sizeof *(items), (size_t)((p)->r.at - (start)),           \
                                     (size_t)((p)->r.end - (p)->r.at));                        \
    if (!grown_) return calve_fail_oom(err);                                                   \
    (items) = grown_;                                                                          \
  } while (0)

static calve_status read_schemas(parsing *p, calve_error *err) {
  CALVE_TRY(calve_json_begin_array(&p->r, err));
  const calve_schema **items = NULL;
  int32_t count = 0;
  size_t capacity = 0;
  for (;;) {
    NEXT_ITEM(&p->r, err);
    if (count == CALVE_SPECS_MAX) return calve_json_fail(&p->r, err, "too many schemas");
    GROW(p, items, count, capacity, err);
    CALVE_TRY(calve_schema_read_json(&p->r, &items[count], err));
    count++;
  }
  p->m.schemas = items;
  p->m.schema_count = count;
  p->has |= HAS_SCHEMAS;
  return CALVE_OK;
}

static calve_status read_specs(parsing *p, calve_error *err) {
  CALVE_TRY(calve_json_begin_array(&p->r, err));
  const calve_spec **items = NULL;
  int32_t count = 0;
  size_t capacity = 0;
  for (;;) {
    NEXT_ITEM(&p->r, err);
    if (count == CALVE_SPECS_MAX) return calve_json_fail(&p->r, err, "too many partition specs");
    GROW(p, items, count, capacity, err);
    CALVE_TRY(calve_spec_read_json(&p->r, &items[count], err));
    count++;
  }
  p->m.specs = items;
  p->m.spec_count = count;
  p->has |= HAS_SPECS;
  return CALVE_OK;
}

static calve_status read_sort_orders(parsing *p, calve_error *err) {
  CALVE_TRY(calve_json_begin_array(&p->r, err));
  const calve_sort_order **items = NULL;
  int32_t count = 0;
  size_t capacity = 0;
  for (;;) {
    NEXT_ITEM(&p->r, err);
    if (count == CALVE_SPECS_MAX) return calve_json_fail(&p->r, err, "too many sort orders");
    GROW(p, items, count, capacity, err);
    CALVE_TRY(calve_sort_order_read_json(&p->r, &items[count], err));
    count++;
  }
  p->m.sort_orders = items;
  p->m.sort_order_count = count;
  p->has |= HAS_ORDERS;
  return CALVE_OK;
}

static calve_status read_snapshots(parsing *p, calve_error *err) {
  calve_snapshot *items = NULL;
  size_t count = 0, capacity = 0;
  CALVE_TRY(calve_json_begin_array(&p->r, err));
  const char *start = p->r.at;
  for (;;) {
    NEXT_ITEM(&p->r, err);
    GROW_LONG(p, start, items, count, capacity, err);
    CALVE_TRY(calve_snapshot_read_json(&p->r, &items[count], err));
    count++;
  }
  p->m.snapshots = items;
  p->m.snapshot_count = count;
  return CALVE_OK;
}

static calve_status read_refs(parsing *p, calve_error *err) {
  calve_snapshot_ref *items = NULL;
  size_t count = 0, capacity = 0;
  CALVE_TRY(calve_json_begin_object(&p->r, err));
  for (;;) {
    bool more;
    calve_str name;
    CALVE_TRY(calve_json_next_key(&p->r, &name, &more, err));
    if (!more) break;
    GROW(p, items, count, capacity, err);
    CALVE_TRY(calve_snapshot_ref_read_json(&p->r, name, &items[count], err));
    count++;
  }
  p->m.refs = items;
  p->m.ref_count = count;
  p->has |= HAS_REFS;
  return CALVE_OK;
}

/* One {"timestamp-ms":…, <other>:…} of a log; `other` is snapshot-id or metadata-file. */
static calve_status read_log_entry(parsing *p, const char *other, int64_t *timestamp_ms,
                                   int64_t *snapshot_id, calve_str *file, calve_error *err) {
  bool has_time = false, has_other = false;
  CALVE_TRY(calve_json_begin_object(&p->r, err));
  for (;;) {
    bool more;
    calve_str key;
    CALVE_TRY(calve_json_next_key(&p->r, &key, &more, err));
    if (!more) break;
    if (CALVE_KEY_IS(key, "timestamp-ms")) {
      CALVE_TRY(calve_json_i64(&p->r, timestamp_ms, err));
      has_time = true;
    } else if (calve_str_equal_text(key, other)) {
      CALVE_TRY(file ? calve_json_str(&p->r, file, err) : calve_json_i64(&p->r, snapshot_id, err));
      has_other = true;
    } else {
      CALVE_TRY(calve_json_skip(&p->r, err));
    }
  }
  if (has_time && has_other) return CALVE_OK;
  return calve_json_fail(&p->r, err, "a log entry lacks %s", has_time ? other : "timestamp-ms");
}

static calve_status read_snapshot_log(parsing *p, calve_error *err) {
  calve_snapshot_log_entry *items = NULL;
  size_t count = 0, capacity = 0;
  CALVE_TRY(calve_json_begin_array(&p->r, err));
  const char *start = p->r.at;
  for (;;) {
    NEXT_ITEM(&p->r, err);
    GROW_LONG(p, start, items, count, capacity, err);
    CALVE_TRY(read_log_entry(p, "snapshot-id", &items[count].timestamp_ms,
                             &items[count].snapshot_id, NULL, err));
    count++;
  }
  p->m.snapshot_log = items;
  p->m.snapshot_log_count = count;
  return CALVE_OK;
}

static calve_status read_metadata_log(parsing *p, calve_error *err) {
  calve_metadata_log_entry *items = NULL;
  size_t count = 0, capacity = 0;
  CALVE_TRY(calve_json_begin_array(&p->r, err));
  for (;;) {
    NEXT_ITEM(&p->r, err);
    GROW(p, items, count, capacity, err);
    CALVE_TRY(read_log_entry(p, "metadata-file", &items[count].timestamp_ms, NULL,
                             &items[count].metadata_file, err));
    count++;
  }
  p->m.metadata_log = items;
  p->m.metadata_log_count = count;
  return CALVE_OK;
}

/* ---- members ---------------------------------------------------------------------------- */

static calve_status read_version(parsing *p, calve_error *err) {
  CALVE_TRY(calve_json_i32(&p->r, &p->m.format_version, err));
  p->has |= HAS_VERSION;
  if (p->m.format_version < 1) return calve_json_fail(&p->r, err, "there is no such version");
  if (p->m.format_version > CALVE_FORMAT_VERSION_MAX)
    return calve_fail(err, CALVE_EUNSUPPORTED, p->where,
                      "format version %" PRId32 " is newer than this library reads (1 to %d)",
                      p->m.format_version, CALVE_FORMAT_VERSION_MAX);
  return CALVE_OK;
}

static calve_status read_uuid(parsing *p, calve_error *err) {
  bool was_null;
  CALVE_TRY(calve_json_null(&p->r, &was_null, err));
  return was_null ? CALVE_OK : calve_json_str(&p->r, &p->m.table_uuid, err);
}

static calve_status read_location(parsing *p, calve_error *err) {
  calve_str s;
  CALVE_TRY(calve_json_str(&p->r, &s, err));
  while (calve_str_ends_with(s, CALVE_STR("/")) && !calve_str_ends_with(s, CALVE_STR("://")))
    s.size--;
  p->m.location = s;
  p->has |= HAS_LOCATION;
  return CALVE_OK;
}

static calve_status read_current_snapshot(parsing *p, calve_error *err) {
  bool was_null;
  CALVE_TRY(calve_json_null(&p->r, &was_null, err));
  if (was_null) return CALVE_OK;
  p->has |= HAS_CURRENT_SNAPSHOT;
  CALVE_TRY(calve_json_i64(&p->r, &p->m.current_snapshot_id, err));
  if (p->m.current_snapshot_id < 0) p->m.current_snapshot_id = CALVE_NO_SNAPSHOT;
  return CALVE_OK;
}

static calve_status read_kept(parsing *p, calve_kept_array kind, calve_str *out, calve_error *err) {
  calve_str text;
  bool is_empty;
  CALVE_TRY(calve_json_raw(&p->r, &text, err));
  CALVE_TRY(calve_metadata__check_kept(kind, text, p->where, p->r.arena, &is_empty, err));
  if (!is_empty) *out = text;
  return CALVE_OK;
}

static calve_status read_extra(parsing *p, calve_str key, calve_error *err) {
  calve_raw_member *items = (calve_raw_member *)(uintptr_t)p->m.extra;
  items =
      calve_model__grown(p->r.arena, items, p->m.extra_count, &p->extra_capacity, sizeof *items);
  if (!items) return calve_fail_oom(err);
  items[p->m.extra_count].key = key;
  CALVE_TRY(calve_json_raw(&p->r, &items[p->m.extra_count].json, err));
  p->m.extra = items;
  p->m.extra_count++;
  return CALVE_OK;
}

static calve_status read_i32(parsing *p, unsigned member, int32_t *out, calve_error *err) {
  p->has |= member;
  return calve_json_i32(&p->r, out, err);
}

static calve_status read_i64(parsing *p, unsigned member, int64_t *out, calve_error *err) {
  p->has |= member;
  return calve_json_i64(&p->r, out, err);
}

/* null counts as absent: only v1 files may lack it. */
static calve_status read_last_partition_id(parsing *p, calve_error *err) {
  bool was_null;
  CALVE_TRY(calve_json_null(&p->r, &was_null, err));
  return was_null ? CALVE_OK : read_i32(p, HAS_LAST_PARTITION, &p->m.last_partition_id, err);
}

static calve_status read_list_member(parsing *p, calve_str key, calve_error *err) {
  calve_json_reader *r = &p->r;
  if (CALVE_KEY_IS(key, "schema")) return calve_schema_read_json(r, &p->v1_schema, err);
  if (CALVE_KEY_IS(key, "schemas")) return read_schemas(p, err);
  if (CALVE_KEY_IS(key, "partition-spec")) return calve_spec_read_json(r, &p->v1_spec, err);
  if (CALVE_KEY_IS(key, "partition-specs")) return read_specs(p, err);
  if (CALVE_KEY_IS(key, "sort-orders")) return read_sort_orders(p, err);
  if (CALVE_KEY_IS(key, "properties")) return calve_properties_read_json(r, &p->m.properties, err);
  if (CALVE_KEY_IS(key, "snapshots")) return read_snapshots(p, err);
  if (CALVE_KEY_IS(key, "refs")) return read_refs(p, err);
  if (CALVE_KEY_IS(key, "snapshot-log")) return read_snapshot_log(p, err);
  if (CALVE_KEY_IS(key, "metadata-log")) return read_metadata_log(p, err);
  if (CALVE_KEY_IS(key, "statistics"))
    return read_kept(p, CALVE_KEPT_STATISTICS, &p->m.statistics_json, err);
  if (CALVE_KEY_IS(key, "partition-statistics"))
    return read_kept(p, CALVE_KEPT_PARTITION_STATISTICS, &p->m.partition_statistics_json, err);
  if (CALVE_KEY_IS(key, "encryption-keys"))
    return read_kept(p, CALVE_KEPT_ENCRYPTION_KEYS, &p->m.encryption_keys_json, err);
  return read_extra(p, key, err);
}

static calve_status read_member(parsing *p, calve_str key, calve_error *err) {
  calve_metadata *m = &p->m;
  if (CALVE_KEY_IS(key, "format-version")) return read_version(p, err);
  if (CALVE_KEY_IS(key, "table-uuid")) return read_uuid(p, err);
  if (CALVE_KEY_IS(key, "location")) return read_location(p, err);
  if (CALVE_KEY_IS(key, "last-sequence-number"))
    return read_i64(p, HAS_SEQUENCE, &m->last_sequence_number, err);
  if (CALVE_KEY_IS(key, "last-updated-ms"))
    return read_i64(p, HAS_UPDATED, &m->last_updated_ms, err);
  if (CALVE_KEY_IS(key, "last-column-id"))
    return read_i32(p, HAS_LAST_COLUMN, &m->last_column_id, err);
  if (CALVE_KEY_IS(key, "current-schema-id"))
    return read_i32(p, HAS_CURRENT_SCHEMA, &m->current_schema_id, err);
  if (CALVE_KEY_IS(key, "default-spec-id"))
    return read_i32(p, HAS_DEFAULT_SPEC, &m->default_spec_id, err);
  if (CALVE_KEY_IS(key, "last-partition-id")) return read_last_partition_id(p, err);
  if (CALVE_KEY_IS(key, "default-sort-order-id"))
    return read_i32(p, HAS_DEFAULT_ORDER, &m->default_sort_order_id, err);
  if (CALVE_KEY_IS(key, "current-snapshot-id")) return read_current_snapshot(p, err);
  if (CALVE_KEY_IS(key, "next-row-id")) return read_i64(p, HAS_NEXT_ROW_ID, &m->next_row_id, err);
  return read_list_member(p, key, err);
}

/* ---- what the versions require ---------------------------------------------------------- */

static calve_status require(const parsing *p, unsigned member, const char *name, calve_error *err) {
  if (p->has & member) return CALVE_OK;
  return calve_fail(err, CALVE_ECORRUPT, p->where, "%s is missing", name);
}

/* Parts that old v1 writers did not have yet follow from those that they had.
 * [spec: Appendix F, and Appendix C: Table Metadata and Snapshots] */
static calve_status complete_v1(parsing *p, calve_error *err) {
  calve_metadata *m = &p->m;
  static const calve_sort_order unsorted = {0};
  static const calve_sort_order *const only_unsorted[] = {&unsorted};
  m->last_sequence_number = 0;
  if (!(p->has & HAS_SCHEMAS)) {
    if (!p->v1_schema)
      return calve_fail(err, CALVE_ECORRUPT, p->where, "neither schemas nor schema is there");
    const calve_schema **only = CALVE_NEW(p->r.arena, const calve_schema *);
    if (!only) return calve_fail_oom(err);
    *only = p->v1_schema;
    m->schemas = only;
    m->schema_count = 1;
    m->current_schema_id = p->v1_schema->schema_id;
    p->has |= HAS_SCHEMAS | HAS_CURRENT_SCHEMA;
  }
  if (!(p->has & HAS_SPECS)) {
    if (!p->v1_spec)
      return calve_fail(err, CALVE_ECORRUPT, p->where,
                        "neither partition-specs nor partition-spec is there");
    const calve_spec **only = CALVE_NEW(p->r.arena, const calve_spec *);
    if (!only) return calve_fail_oom(err);
    *only = p->v1_spec;
    m->specs = only;
    m->spec_count = 1;
    m->default_spec_id = p->v1_spec->spec_id;
    p->has |= HAS_SPECS | HAS_DEFAULT_SPEC;
  }
  if (!(p->has & HAS_LAST_PARTITION)) {
    m->last_partition_id = calve_metadata__highest_partition_id(m);
    p->has |= HAS_LAST_PARTITION;
  }
  if (!(p->has & HAS_ORDERS)) {
    m->sort_orders = only_unsorted;
    m->sort_order_count = 1;
    m->default_sort_order_id = 0;
    p->has |= HAS_ORDERS | HAS_DEFAULT_ORDER;
  }
  return CALVE_OK;
}

static calve_status require_members(const parsing *p, calve_error *err) {
  CALVE_TRY(require(p, HAS_LOCATION, "location", err));
  CALVE_TRY(require(p, HAS_UPDATED, "last-updated-ms", err));
  CALVE_TRY(require(p, HAS_LAST_COLUMN, "last-column-id", err));
  CALVE_TRY(require(p, HAS_SCHEMAS, "schemas", err));
  CALVE_TRY(require(p, HAS_CURRENT_SCHEMA, "current-schema-id", err));
  CALVE_TRY(require(p, HAS_SPECS, "partition-specs", err));
  CALVE_TRY(require(p, HAS_DEFAULT_SPEC, "default-spec-id", err));
  CALVE_TRY(require(p, HAS_LAST_PARTITION, "last-partition-id", err));
  CALVE_TRY(require(p, HAS_ORDERS, "sort-orders", err));
  CALVE_TRY(require(p, HAS_DEFAULT_ORDER, "default-sort-order-id", err));
  if (p->m.format_version == 1) return CALVE_OK;
  CALVE_TRY(require(p, HAS_SEQUENCE, "last-sequence-number", err));
  if (!p->m.table_uuid.data)
    return calve_fail(err, CALVE_ECORRUPT, p->where, "table-uuid is missing");
  return p->m.format_version < 3 ? CALVE_OK : require(p, HAS_NEXT_ROW_ID, "next-row-id", err);
}

/* The current snapshot and the main branch are one thing that is written down twice; writers have
 * left out either. [spec: Table Metadata, refs] */
static calve_status complete_main(parsing *p, calve_error *err) {
  calve_metadata *m = &p->m;
  const calve_snapshot_ref *main = calve_metadata_ref(m, CALVE_MAIN_BRANCH);
  if (!(p->has & HAS_CURRENT_SNAPSHOT) && main) m->current_snapshot_id = main->snapshot_id;
  if (main || m->current_snapshot_id == CALVE_NO_SNAPSHOT) return CALVE_OK;
  calve_snapshot_ref *refs = CALVE_NEW_ARRAY(p->r.arena, calve_snapshot_ref, m->ref_count + 1);
  if (!refs) return calve_fail_oom(err);
  refs[0] = (calve_snapshot_ref){.name = CALVE_MAIN_BRANCH,
                                 .snapshot_id = m->current_snapshot_id,
                                 .min_snapshots_to_keep = -1,
                                 .max_snapshot_age_ms = -1,
                                 .max_ref_age_ms = -1};
  if (m->ref_count) memcpy(refs + 1, m->refs, m->ref_count * sizeof *refs);
  m->refs = refs;
  m->ref_count++;
  return CALVE_OK;
}

calve_status calve_metadata_parse(calve_str text, const char *where, calve_arena *arena,
                                  const calve_metadata **out, calve_error *err) {
  parsing *p = CALVE_NEW(arena, parsing);
  if (!p) return calve_fail_oom(err);
  p->where = where;
  p->m.current_snapshot_id = CALVE_NO_SNAPSHOT;
  p->m.next_row_id = -1;
  calve_json_open(&p->r, text, where, arena);
  CALVE_TRY(calve_json_begin_object(&p->r, err));
  for (;;) {
    bool more;
    calve_str key;
    CALVE_TRY(calve_json_next_key(&p->r, &key, &more, err));
    if (!more) break;
    CALVE_TRY(read_member(p, key, err));
  }
  CALVE_TRY(calve_json_end(&p->r, err));
  CALVE_TRY(require(p, HAS_VERSION, "format-version", err));
  if (p->m.format_version == 1) CALVE_TRY(complete_v1(p, err));
  if (p->m.format_version < 3) p->m.next_row_id = -1;
  CALVE_TRY(require_members(p, err));
  CALVE_TRY(complete_main(p, err));
  CALVE_TRY(calve_metadata__link(&p->m, where, arena, err));
  CALVE_TRY(calve_metadata_check(&p->m, where, err));
  *out = &p->m;
  return CALVE_OK;
}
