/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "plan/scan_parts.h"
#include "store/path.h"

/* One question: which file or which partition, and how far the search is. */
typedef struct search {
  const calve_scan_params *params;
  calve_plan__judge judge;
  calve_str path;       /* of a file                                                            */
  calve_buffer *pieces; /* calve_str, "NAME=VALUE" each: of a partition; else NULL              */
  calve_arena *arena;
  calve_column_metrics *metrics; /* one for each of the condition's columns                     */
  calve_scan_why *out;
  calve_scan_partition_why *sum;
} search;

static calve_status judge_file(search *s, const calve_manifest_reader *r, calve_scan_why *why,
                               calve_error *err) {
  const calve_plan__spec *spec = calve_plan__judge_spec(&s->judge, r->spec->spec_id);
  const calve_data_file *f = &why->entry.file;
  const calve_predicate *because = NULL;
  size_t count = (size_t)f->partition_count;
  why->spec = r->spec;
  why->condition = s->judge.bound;
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
  calve_file_metrics(f, s->judge.bound, NULL, s->metrics);
  bool keeps = s->judge.matches_all ||
               calve_metrics_might_match(&rest, f->record_count, s->metrics, &because);
  why->matches_wholly = keeps && rest.exact &&
                        (s->judge.matches_all || rest.root->op == CALVE_OP_TRUE ||
                         calve_metrics_must_match(&rest, f->record_count, s->metrics));
  why->verdict = keeps ? CALVE_VERDICT_KEPT : CALVE_VERDICT_METRICS;
  why->because = keeps ? NULL : because;
  return CALVE_OK;
}

/* Whether a partition field has the value that a piece says, as people or paths write it. */
static bool field_is(const calve_spec *spec, int32_t field, const calve_schema *schema,
                     const calve_value *tuple, calve_str piece, calve_buffer *text) {
  calve_spec one = *spec;
  one.fields = &spec->fields[field];
  one.field_count = 1;
  calve_buffer_clear(text);
  calve_spec_tuple_print(&one, schema, &tuple[field], text);
  if (calve_str_equal(calve_buffer_view(text), piece)) return true;
  calve_buffer_clear(text);
  calve_spec_tuple_path(&one, schema, &tuple[field], text);
  return calve_str_equal(calve_buffer_view(text), piece);
}

static bool is_in_partition(const search *s, const calve_spec *spec, const calve_data_file *f) {
  const calve_str *pieces = CALVE_ITEMS(s->pieces, calve_str);
  calve_buffer text;
  calve_buffer_init(&text, s->params->allocator);
  bool all = true;
  for (size_t i = 0; i < CALVE_COUNT(s->pieces, calve_str) && all; i++) {
    bool found = false;
    for (int32_t k = 0; k < spec->field_count && k < f->partition_count && !found; k++)
      found = field_is(spec, k, s->judge.schema, f->partition, pieces[i], &text);
    all = found;
  }
  s->pieces->oom |= text.oom;
  calve_buffer_free(&text);
  return all;
}

/* A live entry ends the search for a file, a DELETED one only counts when no live one is found. */
static calve_status look_at(search *s, const calve_manifest_reader *r, const calve_manifest_file *m,
                            const calve_manifest_entry *e, bool *found, calve_error *err) {
  calve_scan_why why = {.entry = *e, .manifest = *m};
  if (!s->pieces) {
    CALVE_TRY(calve_data_file_copy(&e->file, s->arena, &why.entry.file, err));
    CALVE_TRY(judge_file(s, r, &why, err));
    *s->out = why;
    *found = why.verdict != CALVE_VERDICT_DELETED;
    return CALVE_OK;
  }
  if (e->status == CALVE_ENTRY_DELETED) return CALVE_OK;
  CALVE_TRY(judge_file(s, r, &why, err));
  if (s->sum->files[why.verdict]++ == 0) {
    CALVE_TRY(calve_data_file_copy(&e->file, s->arena, &why.entry.file, err));
    s->sum->first[why.verdict] = why;
  }
  s->sum->rows[why.verdict] = calve_sum(s->sum->rows[why.verdict], calve_data_file_rows(&e->file));
  s->sum->files_matching_wholly += why.matches_wholly;
  return CALVE_OK;
}

/* Looks for the file or the files in one manifest. */
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
    CALVE_TRY(calve_cancel_look(s->params->cancel, err));
    CALVE_TRY(calve_manifest_next(&r, batch, &more, err));
    if (!more) return CALVE_OK;
    for (size_t i = 0; i < batch->count && !*found; i++) {
      const calve_manifest_entry *e = &batch->entries[i];
      bool asked = s->pieces ? is_in_partition(s, r.spec, &e->file)
                             : calve_path_equal(e->file.path, s->path);
      if (asked) CALVE_TRY(look_at(s, &r, m, e, found, err));
    }
    if (*found) return CALVE_OK;
  }
}

static calve_status look_everywhere(search *s, calve_error *err) {
  const calve_scan_params *params = s->params;
  const calve_snapshot *snapshot;
  const calve_schema *schema;
  if (params->appends_only)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                      "why is asked about the files of a snapshot, not about appends");
  CALVE_TRY(calve_scan_select(params->metadata, params->at, params->snapshot_id,
                              params->timestamp_ms, params->ref, &snapshot, &schema, err));
  CALVE_TRY(calve_plan__judge_make(params, schema, s->arena, &s->judge, err));
  s->metrics = CALVE_NEW_ARRAY(s->arena, calve_column_metrics, s->judge.bound->column_count);
  if (!s->metrics) return calve_fail_oom(err);
  const calve_manifest_file *manifests = NULL;
  size_t count = 0;
  if (snapshot)
    CALVE_TRY(calve_snapshot_manifests(snapshot, params->store, s->arena, &manifests, &count, err));
  calve_manifest_batch batch;
  calve_buffer bytes;
  calve_manifest_batch_init(&batch, params->allocator);
  calve_buffer_init(&bytes, params->allocator);
  calve_status status = CALVE_OK;
  bool found = false;
  for (size_t i = 0; i < count && status == CALVE_OK && !found; i++) {
    if (manifests[i].content == CALVE_MANIFEST_DELETES) continue; /* data files are asked about */
    status = look_in(s, &manifests[i], &batch, &bytes, &found, err);
  }
  calve_buffer_free(&bytes);
  calve_manifest_batch_free(&batch);
  return status;
}

calve_status calve_scan_explain_file(const calve_scan_params *params, calve_str path,
                                     calve_arena *arena, calve_scan_why *out, calve_error *err) {
  calve_scan_why why = {.verdict = CALVE_VERDICT_NOT_FOUND};
  search s = {.params = params, .path = path, .arena = arena, .out = &why};
  CALVE_TRY(look_everywhere(&s, err));
  *out = why;
  return CALVE_OK;
}

/* ---- partitions ----------------------------------------------------------------------------- */

/* "a=1, b=2" and "a=1/b=2" as pieces, into `pieces` (may be NULL). Whether each piece is about a
 * field of the metadata's specs. */
static bool cut_partition(const calve_metadata *metadata, calve_str text, calve_buffer *pieces) {
  if (text.size > 0 && text.data[text.size - 1] == '/') text.size--; /* as shells complete it     */
  while (text.size > 0) {
    size_t size = 0, equal = 0;
    while (size < text.size && text.data[size] != '/' &&
           !(text.data[size] == ',' && size + 1 < text.size && text.data[size + 1] == ' '))
      size++;
    while (equal < size && text.data[equal] != '=') equal++;
    if (equal == size) return false;
    bool known = false;
    for (int32_t i = 0; i < metadata->spec_count; i++)
      known = known || calve_spec_find_name(metadata->specs[i], (calve_str){text.data, equal});
    if (!known) return false;
    const calve_str piece = {text.data, size};
    if (pieces) calve_buffer_put(pieces, &piece, sizeof piece);
    if (size == text.size) return true;
    size += text.data[size] == '/' ? 1 : 2;
    text = (calve_str){text.data + size, text.size - size};
  }
  return false;
}

bool calve_scan_is_partition(const calve_metadata *metadata, calve_str text) {
  return cut_partition(metadata, text, NULL);
}

calve_status calve_scan_explain_partition(const calve_scan_params *params, calve_str text,
                                          calve_arena *arena, calve_scan_partition_why *out,
                                          calve_error *err) {
  calve_scan_partition_why sum = {0};
  calve_buffer pieces;
  calve_buffer_init(&pieces, params->allocator);
  if (!cut_partition(params->metadata, text, &pieces)) {
    calve_buffer_free(&pieces);
    return calve_fail(err, CALVE_EINVAL, NULL, "\"%.*s\" names no partition", CALVE_STR_ARG(text));
  }
  search s = {.params = params, .pieces = &pieces, .arena = arena, .sum = &sum};
  calve_status status = calve_buffer_check(&pieces, err);
  if (status == CALVE_OK) status = look_everywhere(&s, err);
  if (status == CALVE_OK) status = calve_buffer_check(&pieces, err);
  calve_buffer_free(&pieces);
  if (status == CALVE_OK) *out = sum;
  return status;
}
