/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of metadata that are kept as text: nothing here reads their content, but a file that lacks
 * what the spec requires is refused, so that no other reader fails on what we write back.
 * [spec: Table Statistics; Partition Statistics; Encryption Keys] */
#include "model/metadata_parts.h"
#include "model/reading.h"

typedef struct required_member {
  const char *key;
  calve_json_kind kind;
} required_member;

enum { REQUIRED_MAX = 5 };

static const required_member statistics_members[REQUIRED_MAX] = {
    {"snapshot-id", CALVE_JSON_NUMBER},
    {"statistics-path", CALVE_JSON_STRING},
    {"file-size-in-bytes", CALVE_JSON_NUMBER},
    {"file-footer-size-in-bytes", CALVE_JSON_NUMBER},
    {"blob-metadata", CALVE_JSON_ARRAY}};
static const required_member blob_members[REQUIRED_MAX] = {{"type", CALVE_JSON_STRING},
                                                           {"snapshot-id", CALVE_JSON_NUMBER},
                                                           {"sequence-number", CALVE_JSON_NUMBER},
                                                           {"fields", CALVE_JSON_ARRAY}};
static const required_member partition_statistics_members[REQUIRED_MAX] = {
    {"snapshot-id", CALVE_JSON_NUMBER},
    {"statistics-path", CALVE_JSON_STRING},
    {"file-size-in-bytes", CALVE_JSON_NUMBER}};
static const required_member key_members[REQUIRED_MAX] = {
    {"key-id", CALVE_JSON_STRING}, {"encrypted-key-metadata", CALVE_JSON_STRING}};

static calve_status check_array(calve_json_reader *r, const required_member *members, size_t *count,
                                calve_error *err);

static calve_status check_value(calve_json_reader *r, const required_member *member,
                                calve_error *err) {
  calve_json_kind kind;
  CALVE_TRY(calve_json_peek(r, &kind, err));
  if (kind != member->kind)
    return calve_json_fail(r, err, "\"%s\" is of the wrong kind", member->key);
  if (kind == CALVE_JSON_NUMBER) {
    int64_t number; /* all numbers here are ids, sizes or counts */
    return calve_json_i64(r, &number, err);
  }
  if (strcmp(member->key, "blob-metadata") == 0) {
    size_t count;
    return check_array(r, blob_members, &count, err);
  }
  return calve_json_skip(r, err);
}

static calve_status check_item(calve_json_reader *r, const required_member *members,
                               calve_error *err) {
  unsigned seen = 0;
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    bool more;
    calve_str key;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    size_t i = 0;
    while (i < REQUIRED_MAX && members[i].key && !calve_str_equal_text(key, members[i].key)) i++;
    if (i < REQUIRED_MAX && members[i].key) {
      CALVE_TRY(check_value(r, &members[i], err));
      seen |= 1u << i;
    } else {
      CALVE_TRY(calve_json_skip(r, err));
    }
  }
  for (size_t i = 0; i < REQUIRED_MAX && members[i].key; i++)
    if (!(seen & (1u << i))) return calve_json_fail(r, err, "\"%s\" is missing", members[i].key);
  return CALVE_OK;
}

static calve_status check_array(calve_json_reader *r, const required_member *members, size_t *count,
                                calve_error *err) {
  *count = 0;
  CALVE_TRY(calve_json_begin_array(r, err));
  for (;;) {
    bool more;
    CALVE_TRY(calve_json_next_item(r, &more, err));
    if (!more) return CALVE_OK;
    CALVE_TRY(check_item(r, members, err));
    (*count)++;
  }
}

calve_status calve_metadata__check_kept(calve_kept_array kind, calve_str json, const char *where,
                                        calve_arena *arena, bool *is_empty, calve_error *err) {
  static const required_member *const members[] = {
      [CALVE_KEPT_STATISTICS] = statistics_members,
      [CALVE_KEPT_PARTITION_STATISTICS] = partition_statistics_members,
      [CALVE_KEPT_ENCRYPTION_KEYS] = key_members};
  static const char *const names[] = {[CALVE_KEPT_STATISTICS] = "statistics",
                                      [CALVE_KEPT_PARTITION_STATISTICS] = "partition-statistics",
                                      [CALVE_KEPT_ENCRYPTION_KEYS] = "encryption-keys"};
  size_t count;
  calve_json_reader r;
  calve_json_open(&r, json, where, arena);
  calve_status status = check_array(&r, members[kind], &count, err);
  if (status != CALVE_OK) {
    calve_error_prefix(err, "in %s", names[kind]);
    return status;
  }
  *is_empty = count == 0;
  return CALVE_OK;
}

/* The snapshot-id of one item. */
static calve_status item_snapshot_id(calve_str json, calve_arena *arena, int64_t *out,
                                     calve_error *err) {
  calve_json_reader r;
  calve_json_open(&r, json, NULL, arena);
  CALVE_TRY(calve_json_begin_object(&r, err));
  for (;;) {
    bool more;
    calve_str key;
    CALVE_TRY(calve_json_next_key(&r, &key, &more, err));
    if (!more) return CALVE_OK;
    CALVE_TRY(CALVE_KEY_IS(key, "snapshot-id") ? calve_json_i64(&r, out, err)
                                               : calve_json_skip(&r, err));
  }
}

static calve_status copy_others(calve_str json, const calve_map *removed, calve_arena *arena,
                                calve_json_writer *w, size_t *kept, calve_error *err) {
  calve_json_reader r;
  calve_json_open(&r, json, NULL, arena);
  CALVE_TRY(calve_json_begin_array(&r, err));
  for (;;) {
    bool more;
    calve_str item;
    int64_t snapshot_id = CALVE_NO_SNAPSHOT;
    CALVE_TRY(calve_json_next_item(&r, &more, err));
    if (!more) return CALVE_OK;
    CALVE_TRY(calve_json_raw(&r, &item, err));
    CALVE_TRY(item_snapshot_id(item, arena, &snapshot_id, err));
    if (calve_map_get_id(removed, snapshot_id)) continue;
    calve_json_write_raw(w, item);
    (*kept)++;
  }
}

calve_status calve_metadata__drop_kept(calve_str json, const calve_map *removed, calve_arena *arena,
                                       calve_str *out, calve_error *err) {
  if (!json.data) return CALVE_OK;
  calve_buffer text;
  calve_json_writer w;
  size_t kept = 0;
  calve_buffer_init(&text, arena->allocator);
  calve_json_write_init(&w, &text, 0);
  calve_json_write_begin(&w, '[');
  calve_status status = copy_others(json, removed, arena, &w, &kept, err);
  calve_json_write_end(&w, ']');
  if (status == CALVE_OK) status = calve_buffer_check(&text, err);
  if (status == CALVE_OK) {
    *out = (calve_str){0};
    if (kept) status = calve_arena_str(arena, calve_buffer_view(&text), out, err);
  }
  calve_buffer_free(&text);
  return status;
}
