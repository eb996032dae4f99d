/* SPDX-License-Identifier: Apache-2.0 */
#include "model/snapshot.h"

#include "model/reading.h"

/* ---- snapshots -------------------------------------------------------------------------- */

static calve_status read_manifests(calve_json_reader *r, calve_snapshot *s, calve_error *err) {
  calve_str *items = NULL;
  size_t count = 0, capacity = 0;
  CALVE_TRY(calve_json_begin_array(r, err));
  for (bool more;;) {
    CALVE_TRY(calve_json_next_item(r, &more, err));
    if (!more) break;
    items = calve_model__grown(r->arena, items, count, &capacity, sizeof *items);
    if (!items) return calve_fail_oom(err);
    CALVE_TRY(calve_json_str(r, &items[count], err));
    count++;
  }
  if (!items) items = calve_arena_alloc(r->arena, sizeof *items); /* present, but empty */
  if (!items) return calve_fail_oom(err);
  s->manifests = items;
  s->manifest_count = count;
  return CALVE_OK;
}

/* Checks the summary and keeps its text. An empty one says nothing; one without its operation is
 * read as "overwrite", the kind that promises least. */
static calve_status read_summary(calve_json_reader *r, calve_snapshot *s, calve_error *err) {
  CALVE_TRY(calve_json_begin_object(r, err));
  const char *start = r->value;
  bool any = false;
  s->operation = (calve_str){0};
  for (;;) {
    bool more;
    calve_str key, value;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    any = true;
    CALVE_TRY(calve_json_str(r, &value, err));
    if (CALVE_KEY_IS(key, "operation")) s->operation = value;
  }
  s->summary_json = any ? (calve_str){start, (size_t)(r->at - start)} : (calve_str){0};
  if (any && !s->operation.data) s->operation = CALVE_STR("overwrite");
  return CALVE_OK;
}

/* Reads an integer that may be null, which leaves *out alone. */
static calve_status read_optional_i64(calve_json_reader *r, int64_t *out, calve_error *err) {
  bool was_null;
  CALVE_TRY(calve_json_null(r, &was_null, err));
  return was_null ? CALVE_OK : calve_json_i64(r, out, err);
}

static calve_status read_count(calve_json_reader *r, int64_t *out, calve_error *err) {
  bool was_null;
  CALVE_TRY(calve_json_null(r, &was_null, err));
  if (was_null) return CALVE_OK;
  CALVE_TRY(calve_json_i64(r, out, err));
  return *out < 0 ? calve_json_fail(r, err, "must not be negative") : CALVE_OK;
}

enum { HAS_ID = 1, HAS_TIMESTAMP = 2, HAS_MANIFESTS = 4 };

static calve_status read_member(calve_json_reader *r, calve_str key, calve_snapshot *s,
                                unsigned *has, calve_error *err) {
  bool was_null;
  if (CALVE_KEY_IS(key, "snapshot-id")) {
    *has |= HAS_ID;
    return calve_json_i64(r, &s->snapshot_id, err);
  }
  if (CALVE_KEY_IS(key, "timestamp-ms")) {
    *has |= HAS_TIMESTAMP;
    return calve_json_i64(r, &s->timestamp_ms, err);
  }
  if (CALVE_KEY_IS(key, "summary")) return read_summary(r, s, err);
  if (CALVE_KEY_IS(key, "manifest-list")) return calve_json_str(r, &s->manifest_list, err);
  if (CALVE_KEY_IS(key, "parent-snapshot-id"))
    return read_optional_i64(r, &s->parent_snapshot_id, err);
  if (CALVE_KEY_IS(key, "sequence-number")) return calve_json_i64(r, &s->sequence_number, err);
  if (CALVE_KEY_IS(key, "schema-id")) {
    CALVE_TRY(calve_json_null(r, &was_null, err));
    return was_null ? CALVE_OK : calve_json_i32(r, &s->schema_id, err);
  }
  if (CALVE_KEY_IS(key, "first-row-id")) return read_count(r, &s->first_row_id, err);
  if (CALVE_KEY_IS(key, "added-rows")) return read_count(r, &s->added_rows, err);
  if (CALVE_KEY_IS(key, "manifests")) {
    *has |= HAS_MANIFESTS;
    return read_manifests(r, s, err);
  }
  if (CALVE_KEY_IS(key, "key-id")) {
    CALVE_TRY(calve_json_null(r, &was_null, err));
    return was_null ? CALVE_OK : calve_json_str(r, &s->key_id, err);
  }
  return calve_json_skip(r, err);
}

calve_status calve_snapshot_read_json(calve_json_reader *r, calve_snapshot *out, calve_error *err) {
  calve_snapshot s = {.parent_snapshot_id = CALVE_NO_SNAPSHOT,
                      .schema_id = -1,
                      .first_row_id = -1,
                      .added_rows = -1};
  unsigned has = 0;
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    bool more;
    calve_str key;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    CALVE_TRY(read_member(r, key, &s, &has, err));
  }
  if (!(has & HAS_ID)) return calve_json_fail(r, err, "a snapshot lacks its snapshot-id");
  if (!(has & HAS_TIMESTAMP))
    return calve_json_fail(r, err, "snapshot %" PRId64 " lacks timestamp-ms", s.snapshot_id);
  if (!s.manifest_list.data && !(has & HAS_MANIFESTS))
    return calve_json_fail(r, err, "snapshot %" PRId64 " has no manifest-list", s.snapshot_id);
  if (s.first_row_id >= 0 && s.added_rows < 0)
    return calve_json_fail(r, err, "snapshot %" PRId64 " has first-row-id but not added-rows",
                           s.snapshot_id);
  if (s.first_row_id < 0) s.added_rows = -1; /* means nothing alone [spec: Row Lineage] */
  if (s.manifest_list.data) {
    s.manifests = NULL; /* the list wins over what v1 writers added for older readers */
    s.manifest_count = 0;
  }
  *out = s;
  return CALVE_OK;
}

static void write_i64(calve_json_writer *w, const char *key, int64_t value) {
  calve_json_write_key(w, key);
  calve_json_write_i64(w, value);
}

calve_status calve_snapshot_summary(const calve_snapshot *s, calve_arena *arena,
                                    calve_properties *out, calve_error *err) {
  calve_properties read = {0};
  calve_json_reader r;
  *out = read;
  if (s->summary_json.size == 0) return CALVE_OK;
  calve_json_open(&r, s->summary_json, NULL, arena);
  CALVE_TRY(calve_properties_read_json(&r, &read, err));
  calve_property *items = CALVE_NEW_ARRAY(arena, calve_property, read.count + 1);
  if (!items) return calve_fail_oom(err);
  size_t count = 0;
  items[count++] = (calve_property){CALVE_STR("operation"), s->operation};
  for (size_t i = 0; i < read.count; i++)
    if (!CALVE_KEY_IS(read.items[i].key, "operation")) items[count++] = read.items[i];
  *out = (calve_properties){items, count};
  return CALVE_OK;
}

calve_status calve_snapshot_set_summary(calve_snapshot *s, const calve_properties *summary,
                                        calve_arena *arena, calve_error *err) {
  calve_buffer text;
  calve_json_writer w;
  calve_buffer_init(&text, arena->allocator);
  calve_json_write_init(&w, &text, 0);
  calve_properties_write_json(summary, &w);
  calve_status status = calve_buffer_check(&text, err);
  if (status == CALVE_OK)
    status = calve_arena_str(arena, calve_buffer_view(&text), &s->summary_json, err);
  s->operation = calve_properties_get(summary, "operation");
  calve_buffer_free(&text);
  return status;
}

/* "operation" comes first, as the reference writes it, wherever the file had it. */
static void write_summary(const calve_snapshot *s, calve_json_writer *w) {
  calve_arena arena;
  calve_properties summary;
  calve_arena_init(&arena, w->out->allocator);
  if (calve_snapshot_summary(s, &arena, &summary, NULL) == CALVE_OK) {
    calve_json_write_key(w, "summary");
    calve_properties_write_json(&summary, w);
  } else {
    w->out->oom = true; /* the text was read before: nothing else can be wrong */
  }
  calve_arena_free(&arena);
}

void calve_snapshot_write_json(const calve_snapshot *s, calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  if (s->sequence_number > 0) write_i64(w, "sequence-number", s->sequence_number);
  write_i64(w, "snapshot-id", s->snapshot_id);
  if (s->parent_snapshot_id != CALVE_NO_SNAPSHOT)
    write_i64(w, "parent-snapshot-id", s->parent_snapshot_id);
  write_i64(w, "timestamp-ms", s->timestamp_ms);
  if (s->operation.data) write_summary(s, w);
  if (s->manifest_list.data) {
    calve_json_write_key(w, "manifest-list");
    calve_json_write_str(w, s->manifest_list);
  } else {
    calve_json_write_key(w, "manifests");
    calve_json_write_begin(w, '[');
    for (size_t i = 0; i < s->manifest_count; i++) calve_json_write_str(w, s->manifests[i]);
    calve_json_write_end(w, ']');
  }
  if (s->schema_id >= 0) write_i64(w, "schema-id", s->schema_id);
  if (s->first_row_id >= 0) write_i64(w, "first-row-id", s->first_row_id);
  if (s->added_rows >= 0) write_i64(w, "added-rows", s->added_rows);
  if (s->key_id.data) {
    calve_json_write_key(w, "key-id");
    calve_json_write_str(w, s->key_id);
  }
  calve_json_write_end(w, '}');
}

/* ---- refs ------------------------------------------------------------------------------- */

/* A retention limit: absent, null, or positive. */
static calve_status read_limit(calve_json_reader *r, int64_t *out, calve_error *err) {
  bool was_null;
  CALVE_TRY(calve_json_null(r, &was_null, err));
  if (was_null) return CALVE_OK;
  CALVE_TRY(calve_json_i64(r, out, err));
  return *out <= 0 ? calve_json_fail(r, err, "must be greater than 0") : CALVE_OK;
}

calve_status calve_snapshot_ref_read_json(calve_json_reader *r, calve_str name,
                                          calve_snapshot_ref *out, calve_error *err) {
  calve_snapshot_ref ref = {.name = name,
                            .snapshot_id = CALVE_NO_SNAPSHOT,
                            .min_snapshots_to_keep = -1,
                            .max_snapshot_age_ms = -1,
                            .max_ref_age_ms = -1};
  calve_str type = {0};
  bool has_id = false;
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    bool more;
    calve_str key;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    if (CALVE_KEY_IS(key, "snapshot-id")) {
      CALVE_TRY(calve_json_i64(r, &ref.snapshot_id, err));
      has_id = true;
    } else if (CALVE_KEY_IS(key, "type")) {
      CALVE_TRY(calve_json_str(r, &type, err));
    } else if (CALVE_KEY_IS(key, "min-snapshots-to-keep")) {
      CALVE_TRY(read_limit(r, &ref.min_snapshots_to_keep, err));
    } else if (CALVE_KEY_IS(key, "max-snapshot-age-ms")) {
      CALVE_TRY(read_limit(r, &ref.max_snapshot_age_ms, err));
    } else if (CALVE_KEY_IS(key, "max-ref-age-ms")) {
      CALVE_TRY(read_limit(r, &ref.max_ref_age_ms, err));
    } else {
      CALVE_TRY(calve_json_skip(r, err));
    }
  }
  if (!has_id) return calve_json_fail(r, err, "a ref lacks its snapshot-id");
  ref.is_tag = calve_str_equal_nocase(type, CALVE_STR("tag"));
  if (!ref.is_tag && !calve_str_equal_nocase(type, CALVE_STR("branch")))
    return calve_json_fail(r, err, "the type of a ref must be \"branch\" or \"tag\"");
  if (ref.is_tag && (ref.min_snapshots_to_keep >= 0 || ref.max_snapshot_age_ms >= 0))
    return calve_json_fail(r, err, "a tag can't have retention of snapshots: only branches can");
  *out = ref;
  return CALVE_OK;
}

void calve_snapshot_ref_write_json(const calve_snapshot_ref *ref, calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  write_i64(w, "snapshot-id", ref->snapshot_id);
  calve_json_write_key(w, "type");
  calve_json_write_str(w, ref->is_tag ? CALVE_STR("tag") : CALVE_STR("branch"));
  if (ref->min_snapshots_to_keep >= 0)
    write_i64(w, "min-snapshots-to-keep", ref->min_snapshots_to_keep);
  if (ref->max_snapshot_age_ms >= 0) write_i64(w, "max-snapshot-age-ms", ref->max_snapshot_age_ms);
  if (ref->max_ref_age_ms >= 0) write_i64(w, "max-ref-age-ms", ref->max_ref_age_ms);
  calve_json_write_end(w, '}');
}
