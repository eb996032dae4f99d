/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "commit/maker.h"
#include "track/snapshot_manifests.h"

static calve_status read_entries(calve_commit__attempt *a, const calve_manifest_file *manifest,
                                 const calve_manifest_options *options, calve_arena *arena,
                                 calve_manifest_reader *reader, const calve_manifest_entry **out,
                                 size_t *out_count, calve_error *err) {
  CALVE_TRY(calve_store_read_buffer(a->maker->target->store, manifest->path,
                                    CALVE_METADATA_BYTES_MAX, &a->bytes, err));
  CALVE_TRY(calve_manifest_open(calve_buffer_view(&a->bytes), manifest, a->base, options, arena,
                                reader, err));
  return calve_manifest_read_all(reader, arena, out, out_count, err);
}

static void count_entry(calve_manifest_file *m, const calve_manifest_entry *e) {
  int64_t *const files[] = {[CALVE_ENTRY_EXISTING] = &m->existing_files_count,
                            [CALVE_ENTRY_ADDED] = &m->added_files_count,
                            [CALVE_ENTRY_DELETED] = &m->deleted_files_count};
  int64_t *const rows[] = {[CALVE_ENTRY_EXISTING] = &m->existing_rows_count,
                           [CALVE_ENTRY_ADDED] = &m->added_rows_count,
                           [CALVE_ENTRY_DELETED] = &m->deleted_rows_count};
  *files[e->status] += 1;
  *rows[e->status] = calve_sum(*rows[e->status], calve_data_file_rows(&e->file));
}

/* Counts of one manifest that no list tells, from its entries. */
static calve_status describe(calve_commit__attempt *a, calve_manifest_file *m, calve_error *err) {
  const calve_manifest_options options = {.keep_deleted = true};
  calve_arena scratch;
  calve_arena_init(&scratch, a->maker->target->allocator);
  calve_manifest_reader reader;
  const calve_manifest_entry *entries;
  size_t count;
  calve_status status =
      read_entries(a, m, &options, &scratch, &reader, &entries, &count, err);
  if (status == CALVE_OK) {
    m->length_bytes = (int64_t)a->bytes.size;
    m->spec_id = reader.spec->spec_id;
    m->added_files_count = m->added_rows_count = 0;
    m->existing_files_count = m->existing_rows_count = 0;
    m->deleted_files_count = m->deleted_rows_count = 0;
    for (size_t i = 0; i < count; i++) count_entry(m, &entries[i]);
  }
  calve_arena_free(&scratch);
  return status;
}

/* Old v1 snapshots name their manifests themselves, and lists of version 1 may leave out counts
 * that later versions require: what a list does not tell is read from the manifests. From the next
 * snapshot on the list tells it. [spec: Snapshots, manifests; Manifest Lists] */
static bool is_to_be_described(const calve_commit__attempt *a, const calve_manifest_file *m) {
  return m->spec_id < 0 ||
         (a->base->format_version > 1 && !calve_manifest_file_is_counted(m));
}

static calve_status describe_all(calve_commit__attempt *a, const calve_manifest_file **manifests,
                                 size_t count, calve_error *err) {
  calve_manifest_file *items = NULL;
  for (size_t i = 0; i < count; i++) {
    if (!is_to_be_described(a, &(*manifests)[i])) continue;
    if (!items) {
      items = CALVE_NEW_ARRAY(a->arena, calve_manifest_file, count);
      if (!items) return calve_fail_oom(err);
      memcpy(items, *manifests, count * sizeof *items);
    }
    CALVE_TRY(describe(a, &items[i], err));
  }
  if (items) *manifests = items;
  return CALVE_OK;
}

calve_status calve_commit__manifests_of(calve_commit__attempt *a,
                                        const calve_snapshot *snapshot,
                                        const calve_manifest_file **out, size_t *out_count,
                                        calve_error *err) {
  CALVE_TRY(calve_snapshot_manifests(snapshot, a->maker->target->store, a->arena, out, out_count,
                                     err));
  return describe_all(a, out, *out_count, err);
}

calve_status calve_commit__entries_of(calve_commit__attempt *a, const calve_manifest_file *manifest,
                                      uint32_t columns, calve_arena *arena,
                                      calve_manifest_reader *reader,
                                      const calve_manifest_entry **out, size_t *out_count,
                                      calve_error *err) {
  const calve_manifest_options options = {.columns = columns};
  return read_entries(a, manifest, &options, arena, reader, out, out_count, err);
}
