/* SPDX-License-Identifier: Apache-2.0 */
/* The files that appends between two snapshots added: commits of other kinds are passed over, with
 * what they added, removed or rewrote. [reference: IncrementalAppendScan] */
#include <inttypes.h>

#include "base/text.h"
#include "plan/scan_parts.h"

/* How far the lineage goes back; a cycle in damaged metadata ends it. */
typedef struct lineage {
  const calve_snapshot **snapshots; /* newest first                                             */
  size_t count;
  bool meets_start;
} lineage;

static calve_status walk(const calve_scan *scan, calve_arena *arena, lineage *out,
                         calve_error *err) {
  const calve_metadata *m = scan->params.metadata;
  const calve_scan_params *p = &scan->params;
  *out = (lineage){.meets_start = !p->has_from};
  out->snapshots =
      (const calve_snapshot **)calve_arena_array(arena, m->snapshot_count, sizeof(void *));
  if (!out->snapshots) return calve_fail_oom(err);
  const calve_snapshot *s = scan->snapshot;
  if (p->has_from && s && s->snapshot_id == p->from_snapshot_id) {
    out->meets_start = true;
    return CALVE_OK;
  }
  while (s && out->count < m->snapshot_count) {
    out->snapshots[out->count++] = s;
    if (p->has_from && s->parent_snapshot_id == p->from_snapshot_id) {
      out->meets_start = true; /* the start itself may have been expired                        */
      return CALVE_OK;
    }
    s = calve_metadata_snapshot(m, s->parent_snapshot_id);
  }
  return CALVE_OK;
}

/* Manifests that an append made, each once: later snapshots list them too. */
static calve_status add_manifests(calve_scan *scan, const calve_snapshot *s, calve_map *paths,
                                  calve_buffer *list, calve_error *err) {
  const calve_manifest_file *manifests;
  size_t count;
  CALVE_TRY(calve_snapshot_manifests_until(s, scan->params.store, scan->params.cancel, &scan->arena,
                                           &manifests, &count, err));
  for (size_t i = 0; i < count; i++) {
    const calve_manifest_file *m = &manifests[i];
    if (m->content != CALVE_MANIFEST_DATA ||
        !calve_map_get_id(scan->appended, m->added_snapshot_id) ||
        calve_map_get_str(paths, m->path))
      continue;
    CALVE_TRY(calve_map_put_str(paths, m->path, (void *)(uintptr_t)m, NULL, err));
    calve_buffer_put(list, m, sizeof *m);
  }
  return calve_buffer_check(list, err);
}

static calve_status collect(calve_scan *scan, const lineage *l, calve_buffer *list,
                            calve_error *err) {
  calve_map paths;
  calve_map_init(&paths, &scan->arena);
  for (size_t i = l->count; i-- > 0;) {
    const calve_snapshot *s = l->snapshots[i];
    if (!calve_str_equal_text(s->operation, "append")) continue;
    CALVE_TRY(calve_map_put_id(scan->appended, s->snapshot_id, (void *)(uintptr_t)s, NULL, err));
  }
  for (size_t i = l->count; i-- > 0;)
    if (calve_map_get_id(scan->appended, l->snapshots[i]->snapshot_id))
      CALVE_TRY(add_manifests(scan, l->snapshots[i], &paths, list, err));
  return CALVE_OK;
}

calve_status calve_plan__appended_manifests(calve_scan *scan, const calve_manifest_file **out,
                                            size_t *out_count, calve_error *err) {
  lineage l;
  scan->appended = CALVE_NEW(&scan->arena, calve_map);
  if (!scan->appended) return calve_fail_oom(err);
  calve_map_init(scan->appended, &scan->arena);
  CALVE_TRY(walk(scan, &scan->arena, &l, err));
  if (!l.meets_start)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "snapshot %" PRId64
                      " is not before the one that the appends are asked up to, on its branch",
                      scan->params.from_snapshot_id);
  scan->report.snapshots_between = (int64_t)l.count;
  calve_buffer list;
  calve_buffer_init(&list, scan->arena.allocator);
  calve_status status = collect(scan, &l, &list, err);
  scan->report.snapshots_appending = (int64_t)scan->appended->count;
  void *copy = status == CALVE_OK ? calve_arena_copy(&scan->arena, list.data, list.size) : NULL;
  if (status == CALVE_OK && !copy) status = calve_fail_oom(err);
  if (status == CALVE_OK) {
    *out = copy;
    *out_count = CALVE_COUNT(&list, calve_manifest_file);
  }
  calve_buffer_free(&list);
  return status;
}

bool calve_plan__was_appended(const calve_scan *scan, int64_t status, int64_t snapshot_id) {
  return !scan->appended || (status == CALVE_ENTRY_ADDED &&
                             calve_map_get_id(scan->appended, snapshot_id) != NULL);
}
