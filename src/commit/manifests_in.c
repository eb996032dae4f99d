/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "commit/maker.h"
#include "store/path.h"

/* Counts of one manifest that no list describes, from its live entries. */
static calve_status describe(calve_commit__attempt *a, calve_manifest_file *m, calve_error *err) {
  calve_arena scratch;
  calve_arena_init(&scratch, a->maker->target->allocator);
  calve_manifest_reader reader;
  const calve_manifest_entry *entries;
  size_t count;
  calve_status status =
      calve_commit__entries_of(a, m, 0, &scratch, &reader, &entries, &count, err);
  if (status == CALVE_OK) {
    m->length_bytes = (int64_t)a->bytes.size;
    m->spec_id = reader.spec->spec_id;
    m->added_files_count = m->added_rows_count = 0;
    m->existing_files_count = m->existing_rows_count = 0;
    m->deleted_files_count = m->deleted_rows_count = 0;
    for (size_t i = 0; i < count; i++) {
      bool added = entries[i].status == CALVE_ENTRY_ADDED;
      *(added ? &m->added_files_count : &m->existing_files_count) += 1;
      *(added ? &m->added_rows_count : &m->existing_rows_count) += entries[i].file.record_count;
    }
  }
  calve_arena_free(&scratch);
  return status;
}

/* Old v1 snapshots name their manifests themselves. [spec: Snapshots, manifests] */
static calve_status inline_manifests(calve_commit__attempt *a, const calve_snapshot *snapshot,
                                     const calve_manifest_file **out, size_t *out_count,
                                     calve_error *err) {
  calve_manifest_file *items =
      CALVE_NEW_ARRAY(a->arena, calve_manifest_file, snapshot->manifest_count);
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < snapshot->manifest_count; i++) {
    items[i] = calve_manifest_file_blank();
    items[i].path = snapshot->manifests[i];
    items[i].spec_id = -1;
    items[i].added_snapshot_id = snapshot->snapshot_id;
    CALVE_TRY(describe(a, &items[i], err));
  }
  *out = items;
  *out_count = snapshot->manifest_count;
  return CALVE_OK;
}

calve_status calve_commit__manifests_of(calve_commit__attempt *a,
                                        const calve_snapshot *snapshot,
                                        const calve_manifest_file **out, size_t *out_count,
                                        calve_error *err) {
  *out = NULL;
  *out_count = 0;
  if (!snapshot) return CALVE_OK;
  if (!snapshot->manifest_list.data) return inline_manifests(a, snapshot, out, out_count, err);
  calve_buffer bytes;
  calve_buffer_init(&bytes, a->maker->target->allocator);
  char where[CALVE_PATH_MAX];
  calve_status status = calve_path_c(snapshot->manifest_list, where, err);
  if (status == CALVE_OK)
    status = calve_store_read_buffer(a->maker->target->store, snapshot->manifest_list,
                                     CALVE_METADATA_BYTES_MAX, &bytes, err);
  if (status == CALVE_OK)
    status = calve_manifest_list_read(calve_buffer_view(&bytes), where, a->arena, out, out_count,
                                      err);
  calve_buffer_free(&bytes);
  return status;
}

calve_status calve_commit__entries_of(calve_commit__attempt *a, const calve_manifest_file *manifest,
                                      uint32_t columns, calve_arena *arena,
                                      calve_manifest_reader *reader,
                                      const calve_manifest_entry **out, size_t *out_count,
                                      calve_error *err) {
  const calve_manifest_options options = {.columns = columns};
  CALVE_TRY(calve_store_read_buffer(a->maker->target->store, manifest->path,
                                    CALVE_METADATA_BYTES_MAX, &a->bytes, err));
  CALVE_TRY(calve_manifest_open(calve_buffer_view(&a->bytes), manifest, a->base, &options, arena,
                                reader, err));
  return calve_manifest_read_all(reader, arena, out, out_count, err);
}
