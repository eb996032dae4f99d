/* SPDX-License-Identifier: Apache-2.0 */
#include "track/snapshot_manifests.h"

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
  if (status == CALVE_OK)
    status = calve_manifest_list_read_until(calve_buffer_view(&bytes), where, cancel, arena, out,
                                            out_count, err);
  calve_buffer_free(&bytes);
  return status;
}
