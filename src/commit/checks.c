/* SPDX-License-Identifier: Apache-2.0 */
/* What other commits did since the snapshot that an update was prepared on: serializable isolation.
 * Only files that a snapshot of that stretch ADDED count; compactions add none that are new. */
#include "base/text.h"
#include "commit/maker.h"
#include "expr/evaluate.h"
#include "expr/project.h"
#include "store/path.h"
#include "track/file_metrics.h"

typedef struct stretch {
  calve_commit__attempt *attempt;
  const calve_commit_checks *checks;
  const calve_bound *bound; /* NULL: every file matches                                         */
  calve_column_metrics *metrics;
  calve_arena scratch;
} stretch;

/* `tuples`: the filter in terms of the manifest's spec; NULL: its tuples tell nothing. */
static bool may_match(const stretch *s, const calve_predicate *tuples,
                      const calve_data_file *file) {
  if (!s->bound) return true;
  if (tuples &&
      !calve_tuple_might_match(tuples, file->partition, (size_t)file->partition_count, NULL))
    return false;
  if (file->content != CALVE_CONTENT_DATA) return true;
  calve_file_metrics(file, s->bound, NULL, s->metrics);
  return calve_metrics_might_match(s->bound, file->record_count, s->metrics, NULL);
}

static calve_status check_manifest(stretch *s, const calve_manifest_file *m, int64_t snapshot_id,
                                   calve_error *err) {
  calve_arena_reset(&s->scratch);
  calve_manifest_reader reader;
  const calve_manifest_entry *entries;
  size_t count;
  CALVE_TRY(calve_commit__entries_of(s->attempt, m, CALVE_COLUMNS_METRICS, &s->scratch, &reader,
                                     &entries, &count, err));
  const calve_metadata *base = s->attempt->base;
  const calve_spec *spec = calve_metadata_spec(base, reader.spec->spec_id);
  const calve_predicate *tuples = NULL;
  if (s->bound && calve_manifest_tuples_known(&reader, spec))
    CALVE_TRY(calve_project(s->bound, spec, base->schema, CALVE_INCLUSIVE, &s->scratch, &tuples,
                            err));
  for (size_t i = 0; i < count; i++) {
    if (entries[i].status != CALVE_ENTRY_ADDED || entries[i].snapshot_id != snapshot_id) continue;
    if (!may_match(s, tuples, &entries[i].file)) continue;
    char path[CALVE_PATH_MAX];
    CALVE_TRY(calve_path_c(entries[i].file.path, path, err));
    return calve_fail(err, CALVE_ECONFLICT, path,
                      m->content == CALVE_MANIFEST_DATA
                          ? "another commit added this file, whose rows may belong to what is "
                            "being changed; run the statement again"
                          : "another commit deleted rows of files that are being changed; run the "
                            "statement again");
  }
  return CALVE_OK;
}

static calve_status check_snapshot(stretch *s, const calve_snapshot *snapshot, calve_error *err) {
  bool rows_stay = calve_str_equal_text(snapshot->operation, "replace");
  const calve_manifest_file *manifests;
  size_t count;
  CALVE_TRY(calve_commit__manifests_of(s->attempt, snapshot, &manifests, &count, err));
  for (size_t i = 0; i < count; i++) {
    const calve_manifest_file *m = &manifests[i];
    bool is_data = m->content == CALVE_MANIFEST_DATA;
    bool wanted = is_data ? s->checks->no_new_data && !rows_stay : s->checks->no_new_deletes;
    if (!wanted || m->added_snapshot_id != snapshot->snapshot_id) continue;
    CALVE_TRY(check_manifest(s, m, snapshot->snapshot_id, err));
  }
  return CALVE_OK;
}

static calve_status walk(stretch *s, calve_error *err) {
  const calve_metadata *base = s->attempt->base;
  const calve_snapshot *at = s->attempt->parent;
  for (size_t steps = 0; at && at->snapshot_id != s->checks->since_snapshot_id; steps++) {
    CALVE_TRY(check_snapshot(s, at, err));
    bool is_first = at->parent_snapshot_id == CALVE_NO_SNAPSHOT;
    at = is_first ? NULL : calve_metadata_snapshot(base, at->parent_snapshot_id);
    if ((!at && !is_first) || steps > base->snapshot_count)
      return calve_fail(err, CALVE_ECONFLICT, s->attempt->maker->target->name,
                        "the history since the snapshot that was read has been removed, so it "
                        "can't be checked what others changed; run the statement again");
  }
  if (!at && s->checks->since_snapshot_id != CALVE_NO_SNAPSHOT)
    return calve_fail(err, CALVE_ECONFLICT, s->attempt->maker->target->name,
                      "the snapshot that was read is no longer in the table's history "
                      "(a rollback?); run the statement again");
  return CALVE_OK;
}

calve_status calve_commit__check_others(calve_commit__attempt *a, calve_error *err) {
  const calve_commit_checks *checks = &a->maker->update->checks;
  int64_t parent_id = a->parent ? a->parent->snapshot_id : CALVE_NO_SNAPSHOT;
  if (!checks->enabled || parent_id == checks->since_snapshot_id) return CALVE_OK;
  stretch s = {.attempt = a, .checks = checks};
  if (checks->filter) {
    CALVE_TRY(calve_bind(checks->filter, a->base->schema, NULL, a->arena, &s.bound, err));
    s.metrics = CALVE_NEW_ARRAY(a->arena, calve_column_metrics, s.bound->column_count);
    if (!s.metrics) return calve_fail_oom(err);
  }
  calve_arena_init(&s.scratch, a->maker->target->allocator);
  calve_status status = walk(&s, err);
  calve_arena_free(&s.scratch);
  return status;
}
