/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's manifests, without the files that an update removes. Each manifest is judged by the
 * spec it was written with, and rewritten under that spec alone. */
#include <string.h>

#include "base/text.h"
#include "commit/commit_summary.h"
#include "commit/maker.h"
#include "expr/evaluate.h"
#include "expr/project.h"
#include "expr/residual.h"
#include "store/path.h"
#include "track/file_metrics.h"

typedef enum verdict { KEEP, REMOVE } verdict;

/* What remove_matching asks of the files of one spec. */
typedef struct spec_filter {
  int32_t spec_id;
  const calve_predicate *inclusive;
  const calve_residual *residual;
} spec_filter;

typedef struct filter {
  calve_commit__attempt *attempt;
  const calve_snapshot_update *update;
  calve_arena *arena; /* of the attempt                                                         */
  calve_arena scratch; /* of one manifest                                                       */
  calve_map found;     /* keys of removals that were met                                        */
  calve_map removed;   /* keys of data files that are removed now                               */
  calve_map partitions; /* tuples that replace_partitions empties; value: an added file         */
  calve_buffer key;
  const calve_bound *bound; /* NULL: no filter                                                  */
  calve_buffer spec_filters;
  calve_column_metrics *metrics;
} filter;

/* ---- preparing ---- */

/* A key that is equal exactly for equal tuples of one spec. */
static calve_status tuple_key(filter *f, int32_t spec_id, const calve_value *tuple, int32_t count,
                              calve_str *out, calve_error *err) {
  calve_buffer_clear(&f->key);
  calve_buffer_put(&f->key, &spec_id, sizeof spec_id);
  for (int32_t i = 0; i < count; i++) {
    calve_buffer_putc(&f->key, tuple[i].is_null ? 'n' : 'v');
    if (tuple[i].is_null) continue;
    size_t at = f->key.size;
    uint64_t size = 0;
    calve_buffer_put(&f->key, &size, sizeof size);
    calve_value_to_bytes(&tuple[i], &f->key);
    if (f->key.oom) break;
    size = f->key.size - at - sizeof size;
    memcpy(f->key.data + at, &size, sizeof size);
  }
  *out = calve_buffer_view(&f->key);
  return calve_buffer_check(&f->key, err);
}

static calve_status collect_partitions(filter *f, calve_error *err) {
  calve_data_file *files = CALVE_ITEMS(&f->update->added, calve_data_file);
  size_t count = CALVE_COUNT(&f->update->added, calve_data_file);
  for (size_t i = 0; i < count; i++) {
    if (files[i].content != CALVE_CONTENT_DATA) continue;
    calve_str key;
    CALVE_TRY(tuple_key(f, files[i].spec_id, files[i].partition, files[i].partition_count, &key,
                        err));
    if (calve_map_get_str(&f->partitions, key)) continue;
    CALVE_TRY(calve_arena_str(f->arena, key, &key, err));
    CALVE_TRY(calve_map_put_str(&f->partitions, key, &files[i], NULL, err));
  }
  return CALVE_OK;
}

static calve_status prepare(filter *f, calve_error *err) {
  const calve_metadata *base = f->attempt->base;
  if (f->update->replace_partitions) CALVE_TRY(collect_partitions(f, err));
  if (!f->update->filter) return CALVE_OK;
  CALVE_TRY(calve_bind(f->update->filter, base->schema, NULL, f->arena, &f->bound, err));
  f->metrics = CALVE_NEW_ARRAY(f->arena, calve_column_metrics, f->bound->column_count);
  return f->metrics ? CALVE_OK : calve_fail_oom(err);
}

static calve_status spec_filter_of(filter *f, const calve_spec *spec, const spec_filter **out,
                                   calve_error *err) {
  const spec_filter *items = CALVE_ITEMS(&f->spec_filters, spec_filter);
  size_t count = CALVE_COUNT(&f->spec_filters, spec_filter);
  for (size_t i = 0; i < count; i++) {
    if (items[i].spec_id != spec->spec_id) continue;
    *out = &items[i];
    return CALVE_OK;
  }
  const calve_schema *schema = f->attempt->base->schema;
  spec_filter made = {.spec_id = spec->spec_id};
  CALVE_TRY(calve_project(f->bound, spec, schema, CALVE_INCLUSIVE, f->arena, &made.inclusive, err));
  CALVE_TRY(calve_residual_prepare(f->bound, spec, schema, f->arena, &made.residual, err));
  calve_buffer_put(&f->spec_filters, &made, sizeof made);
  CALVE_TRY(calve_buffer_check(&f->spec_filters, err));
  *out = CALVE_ITEMS(&f->spec_filters, spec_filter) + count;
  return CALVE_OK;
}

/* ---- judging one entry ---- */

/* How the entries of one manifest are judged. */
typedef struct judge {
  const calve_spec *spec; /* NULL: nothing may be concluded from their tuples                   */
  const spec_filter *filter; /* NULL: none, or no spec                                          */
} judge;

/* The tuple settles what it can; the file's statistics must prove the rest for every row. */
static calve_status judge_by_filter(filter *f, const spec_filter *sf, const calve_data_file *file,
                                    verdict *out, calve_error *err) {
  size_t width = (size_t)file->partition_count;
  calve_bound bound = *f->bound;
  if (sf) {
    if (!calve_tuple_might_match(sf->inclusive, file->partition, width, NULL)) return CALVE_OK;
    CALVE_TRY(
        calve_residual_of(sf->residual, file->partition, width, &f->scratch, &bound.root, err));
  }
  calve_file_metrics(file, f->bound, NULL, f->metrics);
  if (!calve_metrics_might_match(&bound, file->record_count, f->metrics, NULL)) return CALVE_OK;
  if (!calve_metrics_must_match(&bound, file->record_count, f->metrics)) {
    char path[CALVE_PATH_MAX];
    CALVE_TRY(calve_path_c(file->path, path, err));
    return calve_fail(err, CALVE_EINVAL, path,
                      "some rows of the file may match the condition and others not: whole files "
                      "can't be removed by it; use a condition on partitions, or DELETE");
  }
  *out = REMOVE;
  return CALVE_OK;
}

static calve_status judge_by_partition(filter *f, const calve_spec *spec,
                                       const calve_data_file *file, verdict *out,
                                       calve_error *err) {
  if (spec) {
    calve_str key;
    CALVE_TRY(tuple_key(f, spec->spec_id, file->partition, file->partition_count, &key, err));
    if (calve_map_get_str(&f->partitions, key)) *out = REMOVE;
  }
  for (size_t i = 0; i < f->partitions.count && *out == KEEP; i++) {
    const calve_data_file *added = f->partitions.entries[i].value;
    if (spec && added->spec_id == spec->spec_id) continue;
    const calve_metadata *base = f->attempt->base;
    const calve_spec *added_spec = calve_metadata_spec(base, added->spec_id);
    switch (calve_commit__overlap_of(base->schema, added_spec, added->partition, spec, file)) {
      case CALVE_OVERLAP_NONE:
        break;
      case CALVE_OVERLAP_WHOLE:
        *out = REMOVE;
        break;
      case CALVE_OVERLAP_OPEN: {
        char path[CALVE_PATH_MAX];
        CALVE_TRY(calve_path_c(file->path, path, err));
        calve_buffer_clear(&f->key);
        calve_spec_tuple_print(added_spec, base->schema, added->partition, &f->key);
        return calve_fail(
            err, CALVE_EUNSUPPORTED, path,
            "the overwritten partition \"%s\" may have rows in this file, which was written with "
            "partition spec %d, next to rows of other partitions; rewrite such files to the "
            "current spec first (rewrite_data_files), or DELETE the rows and then INSERT",
            calve_buffer_cstr(&f->key), file->spec_id);
      }
    }
  }
  return CALVE_OK;
}

/* Deletion vectors go with their data file. [spec: Deletion Vectors] */
static calve_status judge_delete_file(filter *f, const calve_data_file *file, verdict *out,
                                      calve_error *err) {
  if (!file->referenced_data_file.data || !calve_data_file_is_deletion_vector(file))
    return CALVE_OK;
  calve_str key;
  CALVE_TRY(calve_path_key(file->referenced_data_file, &f->scratch, &key, err));
  if (calve_map_get_str(&f->removed, key)) *out = REMOVE;
  return CALVE_OK;
}

static calve_status judge_entry(filter *f, const judge *j, const calve_data_file *file,
                                verdict *out, calve_error *err) {
  *out = KEEP;
  calve_str key = {0};
  if (f->update->removed_keys.count > 0) {
    CALVE_TRY(calve_path_key(file->path, &f->scratch, &key, err));
    calve_commit__removal *removal = calve_map_get_str(&f->update->removed_keys, key);
    if (removal) {
      CALVE_TRY(calve_map_put_str(&f->found, removal->key, removal, NULL, err));
      *out = REMOVE;
    }
  }
  if (file->content != CALVE_CONTENT_DATA)
    return *out == KEEP ? judge_delete_file(f, file, out, err) : CALVE_OK;
  if (*out == KEEP && f->bound) CALVE_TRY(judge_by_filter(f, j->filter, file, out, err));
  if (*out == KEEP && f->partitions.count > 0)
    CALVE_TRY(judge_by_partition(f, j->spec, file, out, err));
  return CALVE_OK;
}

/* ---- one manifest ---- */

/* Whether the manifest may name a file that is to be removed; its own spec decides. */
static calve_status may_hold(filter *f, const calve_manifest_file *m, bool *out,
                             calve_error *err) {
  const calve_snapshot_update *u = f->update;
  const calve_commit__removal *removals = CALVE_ITEMS(&u->removed, calve_commit__removal);
  size_t removal_count = CALVE_COUNT(&u->removed, calve_commit__removal);
  *out = true;
  if (f->found.count < removal_count)
    for (size_t i = 0; i < removal_count; i++)
      if (removals[i].spec_id == -1 || removals[i].spec_id == m->spec_id) return CALVE_OK;
  if (m->content == CALVE_MANIFEST_DELETES) {
    *out = f->removed.count > 0;
    return CALVE_OK;
  }
  if (f->partitions.count > 0) return CALVE_OK;
  *out = false;
  if (!f->bound) return CALVE_OK;
  const calve_spec *spec = calve_metadata_spec(f->attempt->base, m->spec_id);
  if (!spec) {
    *out = true; /* the reader says what is wrong */
    return CALVE_OK;
  }
  const spec_filter *sf;
  CALVE_TRY(spec_filter_of(f, spec, &sf, err));
  *out = calve_manifest_might_match(sf->inclusive, m->partitions, m->partition_count, NULL);
  return CALVE_OK;
}

static calve_status note_removed(filter *f, const calve_data_file *file, calve_error *err) {
  f->attempt->removed_count++;
  CALVE_TRY(calve_commit__summary_count(f->attempt->summary, false, f->attempt->base, file, err));
  if (file->content != CALVE_CONTENT_DATA) return CALVE_OK;
  calve_str key;
  CALVE_TRY(calve_path_key(file->path, f->arena, &key, err));
  return calve_map_put_str(&f->removed, key, f, NULL, err);
}

/* Writes the manifest anew: removed files as DELETED, the others as EXISTING, with the snapshot
 * ids and sequence numbers they had. [spec: Manifest Entry Fields] */
static calve_status rewrite(filter *f, const calve_manifest_file *m,
                            const calve_manifest_reader *reader,
                            const calve_manifest_entry *entries, const verdict *verdicts,
                            size_t count, calve_error *err) {
  calve_commit__attempt *a = f->attempt;
  calve_commit__manifest_out out = {.maker = a->maker,
                                    .base = a->base,
                                    .spec = reader->spec,
                                    .partition_types = reader->partition_types,
                                    .content = m->content,
                                    .target_bytes = INT64_MAX,
                                    .arena = a->arena,
                                    .out = &a->manifests};
  calve_status status = CALVE_OK;
  for (size_t i = 0; i < count && status == CALVE_OK; i++) {
    calve_manifest_entry entry = entries[i];
    entry.status = verdicts[i] == REMOVE ? CALVE_ENTRY_DELETED : CALVE_ENTRY_EXISTING;
    if (verdicts[i] == REMOVE) {
      entry.snapshot_id = a->maker->snapshot_id;
      status = note_removed(f, &entry.file, err);
    }
    if (status == CALVE_OK) status = calve_commit__out_add(&out, &entry, err);
  }
  if (status == CALVE_OK) status = calve_commit__out_end(&out, err);
  calve_commit__out_drop(&out);
  return status;
}

static calve_status filter_one(filter *f, const calve_manifest_file *m, calve_error *err) {
  calve_commit__attempt *a = f->attempt;
  bool read;
  CALVE_TRY(may_hold(f, m, &read, err));
  size_t removed = 0;
  if (read) {
    calve_arena_reset(&f->scratch);
    calve_manifest_reader reader;
    const calve_manifest_entry *entries;
    size_t count;
    CALVE_TRY(calve_commit__entries_of(a, m, CALVE_COLUMNS_ALL, &f->scratch, &reader, &entries,
                                       &count, err));
    const calve_spec *spec = calve_metadata_spec(a->base, reader.spec->spec_id);
    judge j = {.spec = calve_manifest_tuples_known(&reader, spec) ? spec : NULL};
    if (f->bound && j.spec && m->content == CALVE_MANIFEST_DATA)
      CALVE_TRY(spec_filter_of(f, spec, &j.filter, err));
    verdict *verdicts = CALVE_NEW_ARRAY(&f->scratch, verdict, count);
    if (!verdicts) return calve_fail_oom(err);
    for (size_t i = 0; i < count; i++) {
      CALVE_TRY(judge_entry(f, &j, &entries[i].file, &verdicts[i], err));
      removed += verdicts[i] == REMOVE;
    }
    if (removed > 0) return rewrite(f, m, &reader, entries, verdicts, count, err);
  }
  calve_buffer_put(&a->manifests, m, sizeof *m);
  return calve_buffer_check(&a->manifests, err);
}

static calve_status check_all_found(const filter *f, calve_error *err) {
  const calve_commit__removal *removals = CALVE_ITEMS(&f->update->removed, calve_commit__removal);
  size_t count = CALVE_COUNT(&f->update->removed, calve_commit__removal);
  for (size_t i = 0; i < count; i++) {
    if (calve_map_get_str(&f->found, removals[i].key)) continue;
    char path[CALVE_PATH_MAX];
    CALVE_TRY(calve_path_c(removals[i].path, path, err));
    return calve_fail(err, CALVE_ECONFLICT, path,
                      "the file to remove is no longer in the table: another commit removed or "
                      "rewrote it");
  }
  return CALVE_OK;
}

/* Data before deletes: which deletion vectors go depends on which data files went. Manifests
 * without live files are not carried on: only the snapshot that emptied them needs them. */
static calve_status run(filter *f, const calve_manifest_file *manifests, size_t count,
                        calve_error *err) {
  for (int32_t content = CALVE_MANIFEST_DATA; content <= CALVE_MANIFEST_DELETES; content++)
    for (size_t i = 0; i < count; i++)
      if (manifests[i].content == content && calve_manifest_may_have_live_files(&manifests[i]))
        CALVE_TRY(filter_one(f, &manifests[i], err));
  return check_all_found(f, err);
}

calve_status calve_commit__put_existing(calve_commit__attempt *a, calve_error *err) {
  const calve_allocator *allocator = a->maker->target->allocator;
  filter f = {.attempt = a, .update = a->maker->update, .arena = a->arena};
  calve_arena_init(&f.scratch, allocator);
  calve_buffer_init(&f.key, allocator);
  calve_buffer_init(&f.spec_filters, allocator);
  calve_map_init(&f.found, a->arena);
  calve_map_init(&f.removed, a->arena);
  calve_map_init(&f.partitions, a->arena);
  const calve_manifest_file *manifests;
  size_t count;
  calve_status status = prepare(&f, err);
  if (status == CALVE_OK)
    status = calve_commit__manifests_of(a, a->parent, &manifests, &count, err);
  if (status == CALVE_OK) status = run(&f, manifests, count, err);
  calve_buffer_free(&f.spec_filters);
  calve_buffer_free(&f.key);
  calve_arena_free(&f.scratch);
  return status;
}
