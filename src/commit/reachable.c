/* SPDX-License-Identifier: Apache-2.0 */
#include "commit/reachable.h"

#include "base/limits.h"
#include "base/map.h"
#include "base/text.h"
#include "store/path.h"
#include "track/manifest.h"

typedef struct walker {
  const calve_store *store;
  const calve_metadata *metadata;
  calve_reachable_visit visit;
  void *ctx;
  calve_arena arena;
  calve_map manifests; /* path -> calve_manifest_file                                           */
  calve_buffer bytes;
} walker;

static calve_status add_manifest(walker *w, const calve_manifest_file *m, calve_error *err) {
  if (calve_map_get_str(&w->manifests, m->path)) return CALVE_OK;
  calve_manifest_file *copy = CALVE_NEW(&w->arena, calve_manifest_file);
  if (!copy) return calve_fail_oom(err);
  *copy = *m;
  return calve_map_put_str(&w->manifests, copy->path, copy, NULL, err);
}

static calve_status collect_snapshot(walker *w, const calve_snapshot *s, calve_error *err) {
  for (size_t i = 0; i < s->manifest_count; i++) {
    calve_manifest_file blank = calve_manifest_file_blank();
    blank.path = s->manifests[i];
    blank.spec_id = -1;
    blank.added_snapshot_id = s->snapshot_id;
    CALVE_TRY(add_manifest(w, &blank, err));
  }
  if (!s->manifest_list.data) return CALVE_OK;
  char where[CALVE_PATH_MAX];
  const calve_manifest_file *items;
  size_t count;
  CALVE_TRY(calve_path_c(s->manifest_list, where, err));
  CALVE_TRY(calve_store_read_buffer(w->store, s->manifest_list, CALVE_METADATA_BYTES_MAX,
                                    &w->bytes, err));
  CALVE_TRY(calve_manifest_list_read(calve_buffer_view(&w->bytes), where, &w->arena, &items,
                                     &count, err));
  for (size_t i = 0; i < count; i++) CALVE_TRY(add_manifest(w, &items[i], err));
  return CALVE_OK;
}

static calve_status visit_entries(walker *w, calve_manifest_reader *reader,
                                  calve_manifest_batch *batch, calve_error *err) {
  for (bool more = true; more;) {
    CALVE_TRY(calve_manifest_next(reader, batch, &more, err));
    for (size_t i = 0; i < batch->count; i++)
      CALVE_TRY(w->visit(w->ctx, CALVE_REACHABLE_DATA, batch->entries[i].file.path, err));
  }
  return CALVE_OK;
}

static calve_status visit_manifest(walker *w, const calve_manifest_file *m,
                                   calve_manifest_batch *batch, calve_error *err) {
  const calve_manifest_options options = {.keep_deleted = true};
  calve_manifest_reader reader;
  calve_arena scratch;
  calve_arena_init(&scratch, w->arena.allocator);
  calve_status status =
      calve_store_read_buffer(w->store, m->path, CALVE_METADATA_BYTES_MAX, &w->bytes, err);
  if (status == CALVE_OK)
    status = calve_manifest_open(calve_buffer_view(&w->bytes), m, w->metadata, &options, &scratch,
                                 &reader, err);
  if (status == CALVE_OK) status = visit_entries(w, &reader, batch, err);
  calve_arena_free(&scratch);
  return status;
}

/* The members "statistics-path" of an array of objects. */
static calve_status visit_statistics(walker *w, calve_str json, calve_error *err) {
  if (!json.data) return CALVE_OK;
  const calve_json *list;
  CALVE_TRY(calve_json_parse(json, "statistics", &w->arena, &list, err));
  for (size_t i = 0; list->kind == CALVE_JSON_ARRAY && i < list->count; i++) {
    const calve_json *path = calve_json_get(&list->items[i], "statistics-path");
    if (path && path->kind == CALVE_JSON_STRING)
      CALVE_TRY(w->visit(w->ctx, CALVE_REACHABLE_STATISTICS, path->text, err));
  }
  return CALVE_OK;
}

static calve_status visit_all(walker *w, calve_manifest_batch *batch, calve_error *err) {
  const calve_metadata *m = w->metadata;
  for (size_t i = 0; i < m->snapshot_count; i++)
    CALVE_TRY(collect_snapshot(w, &m->snapshots[i], err));
  for (size_t i = 0; i < w->manifests.count; i++)
    CALVE_TRY(visit_manifest(w, w->manifests.entries[i].value, batch, err));
  for (size_t i = 0; i < w->manifests.count; i++)
    CALVE_TRY(w->visit(w->ctx, CALVE_REACHABLE_MANIFEST, w->manifests.entries[i].key, err));
  for (size_t i = 0; i < m->snapshot_count; i++)
    if (m->snapshots[i].manifest_list.data)
      CALVE_TRY(
          w->visit(w->ctx, CALVE_REACHABLE_MANIFEST_LIST, m->snapshots[i].manifest_list, err));
  CALVE_TRY(visit_statistics(w, m->statistics_json, err));
  CALVE_TRY(visit_statistics(w, m->partition_statistics_json, err));
  for (size_t i = 0; i < m->metadata_log_count; i++)
    CALVE_TRY(w->visit(w->ctx, CALVE_REACHABLE_METADATA, m->metadata_log[i].metadata_file, err));
  return CALVE_OK;
}

calve_status calve_reachable_files(const calve_store *store, const calve_metadata *metadata,
                                   const calve_allocator *allocator, calve_reachable_visit visit,
                                   void *ctx, calve_error *err) {
  walker w = {.store = store, .metadata = metadata, .visit = visit, .ctx = ctx};
  calve_manifest_batch batch = {0};
  calve_arena_init(&w.arena, allocator);
  calve_map_init(&w.manifests, &w.arena);
  calve_buffer_init(&w.bytes, allocator);
  calve_manifest_batch_init(&batch, allocator);
  calve_status status = visit_all(&w, &batch, err);
  calve_manifest_batch_free(&batch);
  calve_buffer_free(&w.bytes);
  calve_arena_free(&w.arena);
  return status;
}
