/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "base/text.h"
#include "plan/scan_parts.h"
#include "store/path.h"

/* One question: which file, and how far the search is. */
typedef struct search {
  const calve_scan_params *params;
  calve_plan__judge judge;
  calve_str path;
  calve_arena *arena;
  calve_scan_why *out;
} search;

static calve_status judge_file(search *s, const calve_manifest_reader *r, calve_scan_why *why,
                               calve_error *err) {
  const calve_plan__spec *spec = calve_plan__judge_spec(&s->judge, r->spec->spec_id);
  const calve_data_file *f = &why->entry.file;
  const calve_predicate *because = NULL;
  size_t count = (size_t)f->partition_count;
  why->spec = r->spec;
  if (why->entry.status == CALVE_ENTRY_DELETED) {
    why->verdict = CALVE_VERDICT_DELETED;
    return CALVE_OK;
  }
  if (s->judge.matches_none) {
    why->verdict = CALVE_VERDICT_NEVER;
    why->filter = s->judge.bound->root;
    why->because = s->judge.bound->root;
    return CALVE_OK;
  }
  why->filter = spec->inclusive;
  why->because = NULL;
  if (!calve_manifest_might_match(spec->inclusive, why->manifest.partitions,
                                  why->manifest.partition_count, &because)) {
    why->verdict = CALVE_VERDICT_MANIFEST_SKIPPED;
    why->because = because;
    return CALVE_OK;
  }
  calve_bound rest = *s->judge.bound;
  if (calve_manifest_tuples_known(r, spec->spec)) {
    if (!calve_tuple_might_match(spec->inclusive, f->partition, count, &because)) {
      why->verdict = CALVE_VERDICT_PARTITION;
      why->because = because;
      return CALVE_OK;
    }
    if (spec->residual) {
      CALVE_TRY(calve_residual_of(spec->residual, f->partition, count, s->arena, &rest.root, err));
    }
  }
  why->filter = rest.root;
  calve_column_metrics *metrics =
      CALVE_NEW_ARRAY(s->arena, calve_column_metrics, s->judge.bound->column_count);
  if (!metrics) return calve_fail_oom(err);
  calve_file_metrics(f, s->judge.bound, NULL, metrics);
  bool keeps =
      s->judge.matches_all || calve_metrics_might_match(&rest, f->record_count, metrics, &because);
  why->verdict = keeps ? CALVE_VERDICT_KEPT : CALVE_VERDICT_METRICS;
  why->because = keeps ? NULL : because;
  return CALVE_OK;
}

/* Looks for the path in one manifest; a live entry ends the search, a DELETED one only counts when
 * no live one is found. */
static calve_status look_in(search *s, const calve_manifest_file *m, calve_manifest_batch *batch,
                            calve_buffer *bytes, bool *found, calve_error *err) {
  const calve_manifest_options options = {.columns = CALVE_COLUMNS_ALL, .keep_deleted = true};
  calve_manifest_reader r;
  CALVE_TRY(
      calve_store_read_buffer(s->params->store, m->path, CALVE_METADATA_BYTES_MAX, bytes, err));
  /* The reader's own memory stays with the answer, which may point at a spec in it. */
  CALVE_TRY(calve_manifest_open(calve_buffer_view(bytes), m, s->params->metadata, &options,
                                s->arena, &r, err));
  for (;;) {
    bool more;
    CALVE_TRY(calve_manifest_next(&r, batch, &more, err));
    if (!more) return CALVE_OK;
    for (size_t i = 0; i < batch->count; i++) {
      const calve_manifest_entry *e = &batch->entries[i];
      if (!calve_path_equal(e->file.path, s->path)) continue;
      calve_scan_why why = {.entry = *e, .manifest = *m};
      CALVE_TRY(calve_data_file_copy(&e->file, s->arena, &why.entry.file, err));
      CALVE_TRY(judge_file(s, &r, &why, err));
      *s->out = why;
      *found = why.verdict != CALVE_VERDICT_DELETED;
      if (*found) return CALVE_OK;
    }
  }
}

calve_status calve_scan_explain_file(const calve_scan_params *params, calve_str path,
                                     calve_arena *arena, calve_scan_why *out, calve_error *err) {
  calve_scan_why why = {.verdict = CALVE_VERDICT_NOT_FOUND};
  search s = {.params = params, .path = path, .arena = arena, .out = &why};
  const calve_snapshot *snapshot;
  const calve_schema *schema;
  if (params->appends_only)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                      "why is asked about the files of a snapshot, not about appends");
  CALVE_TRY(calve_scan_select(params->metadata, params->at, params->snapshot_id,
                              params->timestamp_ms, params->ref, &snapshot, &schema, err));
  CALVE_TRY(calve_plan__judge_make(params, schema, arena, &s.judge, err));
  const calve_manifest_file *manifests = NULL;
  size_t count = 0;
  if (snapshot) {
    CALVE_TRY(calve_snapshot_manifests(snapshot, params->store, arena, &manifests, &count, err));
  }
  calve_manifest_batch batch;
  calve_buffer bytes;
  calve_manifest_batch_init(&batch, params->allocator);
  calve_buffer_init(&bytes, params->allocator);
  calve_status status = CALVE_OK;
  bool found = false;
  for (size_t i = 0; i < count && status == CALVE_OK && !found; i++) {
    if (manifests[i].content == CALVE_MANIFEST_DELETES) continue; /* data files are asked about */
    status = look_in(&s, &manifests[i], &batch, &bytes, &found, err);
  }
  calve_buffer_free(&bytes);
  calve_manifest_batch_free(&batch);
  if (status == CALVE_OK) *out = why;
  return status;
}
