/* SPDX-License-Identifier: Apache-2.0 */
#include "track/snapshot_manifests.h"

#include <string.h>

#include "base/limits.h"
#include "store/path.h"

static calve_status inline_manifests(const calve_snapshot *snapshot, calve_arena *arena,
                                     const calve_manifest_file **out, size_t *out_count,
                                     calve_error *err) {
  calve_manifest_file *items =
      CALVE_NEW_ARRAY(arena, calve_manifest_file, snapshot->manifest_count);
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < snapshot->manifest_count; i++) {
    items[i] = calve_manifest_file_blank();
    items[i].path = snapshot->manifests[i];
    items[i].spec_id = -1;
    items[i].added_snapshot_id = snapshot->snapshot_id;
  }
  *out = items;
  *out_count = snapshot->manifest_count;
  return CALVE_OK;
}

/* The fault may be the path's, and so of the file that told it. */
static bool is_about_opening(const calve_error *err) {
  static const calve_status of_opening[] = {CALVE_ENOTFOUND, CALVE_ECORRUPT,     CALVE_EDENIED,
                                            CALVE_EINVAL,    CALVE_EUNSUPPORTED, CALVE_EIO};
  bool is = false;
  for (size_t i = 0; err && i < sizeof of_opening / sizeof *of_opening; i++)
    is |= err->code == of_opening[i] && err->where[0];
  return is;
}

calve_status calve_snapshot_manifests(const calve_snapshot *snapshot, const calve_store *store,
                                      calve_arena *arena, const calve_manifest_file **out,
                                      size_t *out_count, calve_error *err) {
  return calve_snapshot_manifests_until(snapshot, store, NULL, arena, out, out_count, err);
}

calve_status calve_snapshot_manifests_until(const calve_snapshot *snapshot,
                                            const calve_store *store, const calve_cancel *cancel,
                                            calve_arena *arena, const calve_manifest_file **out,
                                            size_t *out_count, calve_error *err) {
  *out = NULL;
  *out_count = 0;
  if (!snapshot) return CALVE_OK;
  if (!snapshot->manifest_list.data)
    return inline_manifests(snapshot, arena, out, out_count, err);
  char where[CALVE_PATH_MAX];
  calve_buffer bytes;
  calve_buffer_init(&bytes, arena->allocator);
  calve_status status = calve_path_c(snapshot->manifest_list, where, err);
  if (status == CALVE_OK)
    status = calve_store_read_until(store, snapshot->manifest_list, CALVE_METADATA_BYTES_MAX,
                                    cancel, &bytes, err);
  if (status != CALVE_OK && is_about_opening(err))
    calve_error_remark(err, "the table's metadata names it as manifest list of snapshot %lld",
                       (long long)snapshot->snapshot_id);
  if (status == CALVE_OK)
    status = calve_manifest_list_read_until(calve_buffer_view(&bytes), where, cancel, arena, out,
                                            out_count, err);
  calve_buffer_free(&bytes);
  return status;
}

void calve_snapshot_name_list(const calve_snapshot *snapshot, const calve_store *store,
                              const calve_allocator *allocator, calve_error *err) {
  if (!is_about_opening(err) || !snapshot || !snapshot->manifest_list.data) return;
  const calve_manifest_file *manifests;
  size_t count;
  calve_arena arena;
  calve_arena_init(&arena, allocator);
  bool found = false;
  if (calve_snapshot_manifests(snapshot, store, &arena, &manifests, &count, NULL) == CALVE_OK) {
    for (size_t i = 0; i < count && !found; i++) {
      calve_error of_manifest = {0}; /* spelled as errors spell places */
      calve_error_set_where(&of_manifest, manifests[i].path.data);
      found = strcmp(of_manifest.where, err->where) == 0;
    }
  }
  if (found) {
    calve_str list = snapshot->manifest_list;
    calve_error_remark(err, "the manifest is listed in %.*s", (int)list.size, list.data);
  }
  calve_arena_free(&arena);
}
