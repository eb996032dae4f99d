/* SPDX-License-Identifier: Apache-2.0 */
/* Merging small manifests, so that planning opens few files: as the reference's merge append does,
 * by commit.manifest-merge.enabled, .manifest.min-count-to-merge and .manifest.target-size-bytes.
 * Only manifests of one spec and one content are ever merged, under that spec. */
#include "base/number.h"
#include "commit/maker.h"

#define DEFAULT_MIN_COUNT 100

typedef struct merger {
  calve_commit__attempt *attempt;
  int64_t target_bytes, min_count;
  calve_buffer out; /* calve_manifest_file                                                      */
  calve_arena scratch;
} merger;

/* Entries of all manifests of a bin, or *same_types false when their tuples are stored in
 * different types (a source column was promoted in between): these stay apart. */
static calve_status read_bin(merger *m, const calve_manifest_file *bin, size_t count,
                             calve_manifest_reader *readers, const calve_manifest_entry **entries,
                             size_t *entry_counts, bool *same_types, calve_error *err) {
  const calve_metadata *base = m->attempt->base;
  calve_manifest_file *records = CALVE_NEW_ARRAY(&m->scratch, calve_manifest_file, count);
  if (!records) return calve_fail_oom(err);
  *same_types = true;
  for (size_t i = 0; i < count && *same_types; i++) {
    /* A manifest of this commit has no sequence number yet: it will have the snapshot's. */
    records[i] = bin[i];
    if (records[i].sequence_number == CALVE_UNSET)
      records[i].sequence_number = base->format_version >= 2 ? base->last_sequence_number + 1 : 0;
    CALVE_TRY(calve_commit__entries_of(m->attempt, &records[i], CALVE_COLUMNS_ALL, &m->scratch,
                                       &readers[i], &entries[i], &entry_counts[i], err));
    const calve_spec *spec = readers[0].spec;
    for (int32_t f = 0; f < spec->field_count; f++) {
      const calve_type *a = readers[0].partition_types[f], *b = readers[i].partition_types[f];
      if (!calve_type_equal(a, b) || a->id == CALVE_UNKNOWN) *same_types = false;
    }
  }
  return CALVE_OK;
}

static calve_status write_bin(merger *m, const calve_manifest_file *bin, size_t count,
                              const calve_manifest_reader *readers,
                              const calve_manifest_entry *const *entries,
                              const size_t *entry_counts, calve_error *err) {
  calve_commit__attempt *a = m->attempt;
  calve_commit__manifest_out out = {.maker = a->maker,
                                    .base = a->base,
                                    .spec = readers[0].spec,
                                    .partition_types = readers[0].partition_types,
                                    .content = bin[0].content,
                                    .target_bytes = INT64_MAX,
                                    .arena = a->arena,
                                    .out = &m->out};
  calve_status status = CALVE_OK;
  for (size_t i = 0; i < count; i++) {
    calve_commit__need(a->maker, bin[i].path, false);
    for (size_t k = 0; k < entry_counts[i] && status == CALVE_OK; k++) {
      calve_manifest_entry entry = entries[i][k];
      /* What this snapshot added stays ADDED and inherits its sequence number; what older ones
       * added is EXISTING now, with the numbers it has. */
      bool is_new = entry.status == CALVE_ENTRY_ADDED && entry.snapshot_id == a->maker->snapshot_id;
      if (is_new) {
        entry.data_sequence_number = CALVE_UNSET;
        entry.file_sequence_number = CALVE_UNSET;
      } else if (entry.status == CALVE_ENTRY_ADDED) {
        entry.status = CALVE_ENTRY_EXISTING;
      }
      status = calve_commit__out_add(&out, &entry, err);
    }
  }
  if (status == CALVE_OK) status = calve_commit__out_end(&out, err);
  calve_commit__out_drop(&out);
  return status;
}

static calve_status keep_bin(merger *m, const calve_manifest_file *bin, size_t count,
                             calve_error *err) {
  for (size_t i = 0; i < count; i++) {
    calve_commit__need(m->attempt->maker, bin[i].path, true);
    calve_buffer_put(&m->out, &bin[i], sizeof bin[i]);
  }
  return calve_buffer_check(&m->out, err);
}

static calve_status merge_bin(merger *m, const calve_manifest_file *bin, size_t count,
                              bool has_newest, calve_error *err) {
  if (count < 2 || (has_newest && (int64_t)count < m->min_count))
    return keep_bin(m, bin, count, err);
  calve_arena_reset(&m->scratch);
  calve_manifest_reader *readers = CALVE_NEW_ARRAY(&m->scratch, calve_manifest_reader, count);
  const calve_manifest_entry **entries =
      CALVE_NEW_ARRAY(&m->scratch, const calve_manifest_entry *, count);
  size_t *entry_counts = CALVE_NEW_ARRAY(&m->scratch, size_t, count);
  if (!readers || !entries || !entry_counts) return calve_fail_oom(err);
  bool same_types;
  CALVE_TRY(read_bin(m, bin, count, readers, entries, entry_counts, &same_types, err));
  if (!same_types) return keep_bin(m, bin, count, err);
  return write_bin(m, bin, count, readers, entries, entry_counts, err);
}

/* A manifest that is to stay as it is: DELETED entries of this snapshot must not get lost in a
 * merge, and a spec that the table lacks can't be written. */
static bool must_stay(const merger *m, const calve_manifest_file *file) {
  return (file->added_snapshot_id == m->attempt->maker->snapshot_id &&
          file->deleted_files_count != 0) ||
         !calve_metadata_spec(m->attempt->base, file->spec_id);
}

/* One spec and content: bins of the target size, filled from the oldest manifest on, so that only
 * the newest bin is open; that one is merged when it has enough manifests. */
static calve_status merge_group(merger *m, const calve_manifest_file *group, size_t count,
                                calve_error *err) {
  size_t end = count; /* of the bin that is being filled; bins are runs of the group            */
  calve_buffer starts;
  calve_buffer_init(&starts, m->attempt->maker->target->allocator);
  int64_t bytes = 0;
  for (size_t i = count; i-- > 0;) {
    if (i + 1 < end && calve_sum(bytes, group[i].length_bytes) > m->target_bytes) {
      size_t start = i + 1;
      calve_buffer_put(&starts, &start, sizeof start);
      end = start;
      bytes = 0;
    }
    bytes = calve_sum(bytes, group[i].length_bytes);
  }
  calve_status status = calve_buffer_check(&starts, err);
  const size_t *cuts = CALVE_ITEMS(&starts, size_t);
  size_t cut_count = CALVE_COUNT(&starts, size_t);
  for (size_t bin = 0; bin <= cut_count && status == CALVE_OK; bin++) {
    size_t from = bin == 0 ? 0 : cuts[cut_count - bin];
    size_t to = bin == cut_count ? count : cuts[cut_count - bin - 1];
    status = merge_bin(m, group + from, to - from, bin == 0, err);
  }
  calve_buffer_free(&starts);
  return status;
}

static calve_status merge_groups(merger *m, const calve_manifest_file *all, size_t count,
                                 calve_error *err) {
  calve_arena *arena = m->attempt->arena;
  bool *done = CALVE_NEW_ARRAY(arena, bool, count);
  calve_manifest_file *group = CALVE_NEW_ARRAY(arena, calve_manifest_file, count);
  if (!done || !group) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    if (done[i]) continue;
    size_t size = 0;
    for (size_t k = i; k < count; k++) {
      if (done[k] || all[k].spec_id != all[i].spec_id || all[k].content != all[i].content) continue;
      done[k] = true;
      if (must_stay(m, &all[k])) CALVE_TRY(keep_bin(m, &all[k], 1, err));
      else group[size++] = all[k];
    }
    CALVE_TRY(merge_group(m, group, size, err));
  }
  return CALVE_OK;
}

calve_status calve_commit__merge(calve_commit__attempt *a, calve_error *err) {
  const calve_properties *p = &a->base->properties;
  size_t count = CALVE_COUNT(&a->manifests, calve_manifest_file);
  if (count < 2 || !calve_properties_bool(p, "commit.manifest-merge.enabled", true))
    return CALVE_OK;
  merger m = {.attempt = a, .target_bytes = calve_commit__target_bytes(a->base)};
  m.min_count = calve_properties_i64(p, "commit.manifest.min-count-to-merge", DEFAULT_MIN_COUNT);
  if (m.min_count < 2) m.min_count = 2;
  calve_buffer_init(&m.out, a->maker->target->allocator);
  calve_arena_init(&m.scratch, a->maker->target->allocator);
  const calve_manifest_file *all = CALVE_ITEMS(&a->manifests, calve_manifest_file);
  calve_status status = merge_groups(&m, all, count, err);
  calve_arena_free(&m.scratch);
  if (status == CALVE_OK) {
    calve_buffer_free(&a->manifests);
    a->manifests = m.out;
    return CALVE_OK;
  }
  calve_buffer_free(&m.out);
  return status;
}
