/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "base/number.h"
#include "commit/maker.h"
#include "track/snapshot_manifests.h"

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
      int64_t *rows = added ? &m->added_rows_count : &m->existing_rows_count;
      *rows = calve_sum(*rows, calve_data_file_rows(&entries[i].file));
    }
  }
  calve_arena_free(&scratch);
  return status;
}

/* Old v1 snapshots name their manifests themselves: what a list would tell is read from them.
 * [spec: Snapshots, manifests] */
static calve_status describe_all(calve_commit__attempt *a, const calve_manifest_file **manifests,
                                 size_t count, calve_error *err) {
  calve_manifest_file *items = CALVE_NEW_ARRAY(a->arena, calve_manifest_file, count);
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    items[i] = (*manifests)[i];
    CALVE_TRY(describe(a, &items[i], err));
  }
  *manifests = items;
  return CALVE_OK;
}

calve_status calve_commit__manifests_of(calve_commit__attempt *a,
                                        const calve_snapshot *snapshot,
                                        const calve_manifest_file **out, size_t *out_count,
                                        calve_error *err) {
  CALVE_TRY(calve_snapshot_manifests(snapshot, a->maker->target->store, a->arena, out, out_count,
                                     err));
  return snapshot && !snapshot->manifest_list.data ? describe_all(a, out, *out_count, err)
                                                   : CALVE_OK;
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
