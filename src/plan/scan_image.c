/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a manifest from its image: tuples are judged once each, statistics column by column; what
 * these leave open is judged file by file, as without a cache, by the same functions. */
#include <string.h>

#include "base/number.h"
#include "plan/scan_parts.h"

#define RESIDUALS_MAX   8    /* that are looked at column by column                             */

/* The answer for one of the distinct tuples. */
typedef struct tuple_answer {
  bool known, matches;
  const calve_predicate *residual;
  const uint8_t *ruled_out; /* one a row; NULL: not looked at column by column                  */
} tuple_answer;

typedef struct calve_plan__image {
  calve_plan__work w;
  calve_image_rows rows;
  size_t next_row;
  const calve_image_column **columns; /* of the filter, by slot                                 */
  tuple_answer *answers;
  size_t residual_count;
  struct {
    const calve_predicate *residual;
    const uint8_t *ruled_out;
  } residuals[RESIDUALS_MAX];
} image_work;

/* ---- opening -------------------------------------------------------------------------------- */

/* An image that is found damaged is made anew, once. */
static calve_status read_image(const calve_scan *scan, const calve_manifest_file *m,
                               calve_plan__slot *slot, calve_image_rows *rows, bool *done,
                               calve_error *err) {
  const calve_cache_request request = {.store = scan->params.store,
                                       .metadata = scan->params.metadata,
                                       .manifest = m,
                                       .cancel = scan->params.cancel,
                                       .plan = scan->cache_plan};
  const calve_manifest_options options = calve_plan__options(scan, m);
  for (int attempt = 0; attempt < 2; attempt++) {
    calve_cached *cached = calve_cache_obtain(scan->params.cache, &request, &slot->bytes);
    if (!cached) return CALVE_OK;
    calve_arena_reset(&slot->opened);
    calve_status status =
        calve_image_read(calve_cached_image(cached), &options, &slot->opened, rows, NULL);
    if (status == CALVE_OK) {
      slot->cached = cached;
      *done = true;
      return CALVE_OK;
    }
    if (status != CALVE_ECORRUPT) {
      calve_cache_release(scan->params.cache, cached);
      return calve_fail_oom(err);
    }
    calve_cache_reject(scan->params.cache, cached);
  }
  return CALVE_OK;
}

/* Leaves the slot's image NULL when there is none. */
static calve_status begin(const calve_scan *scan, const calve_manifest_file *m,
                          calve_plan__slot *slot, bool *done, calve_error *err) {
  *done = false;
  if (!scan->params.cache) return CALVE_OK;
  CALVE_TRY(calve_cancel_look(scan->params.cancel, err));
  calve_plan__clear_slot(scan, slot);
  calve_image_rows rows;
  CALVE_TRY(read_image(scan, m, slot, &rows, done, err));
  if (!*done) return CALVE_OK;
  image_work *i = CALVE_NEW(&slot->opened, image_work);
  if (!i) return calve_fail_oom(err);
  const calve_plan__judge *j = &scan->judge;
  slot->image = i;
  slot->counts.spec_id = rows.spec_id;
  i->rows = rows;
  i->w = (calve_plan__work){.scan = scan,
                            .slot = slot,
                            .spec = calve_plan__judge_spec(j, rows.spec_id),
                            .written = calve_metadata_spec(scan->params.metadata, rows.spec_id),
                            .residuals = &slot->opened};
  i->w.judges_tuples = calve_plan__image_tuples_known(i->w.spec, &i->rows);
  i->w.judges_metrics = j->metric_columns != 0;
  return CALVE_OK;
}

/* ---- data files ----------------------------------------------------------------------------- */

static calve_status prepare(image_work *i, calve_error *err) {
  const calve_bound *bound = i->w.scan->judge.bound;
  calve_arena *arena = &i->w.slot->opened;
  i->answers = CALVE_NEW_ARRAY(arena, tuple_answer, i->rows.tuple_count);
  i->columns = (const calve_image_column **)calve_arena_array(arena, bound->column_count,
                                                              sizeof *i->columns);
  if (!i->answers || !i->columns) return calve_fail_oom(err);
  for (size_t c = 0; c < bound->column_count; c++) {
    const calve_schema_node *node = bound->columns[c].node;
    if (!node->inside_repeated) i->columns[c] = calve_image_find(&i->rows, node->field->id);
  }
  /* Tasks carry what the caller asked for alone. */
  i->rows.columns = i->w.scan->params.columns;
  return CALVE_OK;
}

/* Residuals are made afresh for each tuple, but are few: parts of one filter. */
static calve_status rule_out(image_work *i, const calve_predicate *residual, const uint8_t **out,
                             calve_error *err) {
  *out = NULL;
  for (size_t r = 0; r < i->residual_count; r++) {
    if (!calve_residual_equal(i->residuals[r].residual, residual)) continue;
    *out = i->residuals[r].ruled_out;
    return CALVE_OK;
  }
  if (i->residual_count == RESIDUALS_MAX) return CALVE_OK;
  uint8_t *ruled_out = calve_arena_alloc(&i->w.slot->opened, i->rows.count + 1);
  if (!ruled_out) return calve_fail_oom(err);
  CALVE_TRY(calve_plan__rule_out(residual, i->columns, &i->rows, &i->w.slot->opened, ruled_out,
                                 err));
  i->residuals[i->residual_count].residual = residual;
  i->residuals[i->residual_count++].ruled_out = ruled_out;
  *out = ruled_out;
  return CALVE_OK;
}

static calve_status answer_tuple(image_work *i, size_t tuple, tuple_answer *a, calve_error *err) {
  a->known = true;
  a->matches = true;
  a->residual = i->w.scan->judge.bound->root;
  if (i->w.judges_tuples) {
    CALVE_TRY(calve_plan__judge_tuple(&i->w, i->rows.tuples + tuple * i->rows.field_count,
                                      i->rows.field_count, &a->matches, &a->residual, err));
  }
  if (!a->matches || !i->w.judges_metrics) return CALVE_OK;
  return rule_out(i, a->residual, &a->ruled_out, err);
}

/* The filter's statistics of one file, into the slot. */
static void take_metrics(const image_work *i, size_t row) {
  const calve_bound *bound = i->w.scan->judge.bound;
  for (size_t c = 0; c < bound->column_count; c++) {
    calve_column_metrics *m = &i->w.slot->metrics[c];
    const calve_image_column *column = i->columns[c];
    *m = CALVE_NO_METRICS;
    if (!column) continue;
    const calve_image_numbers *numbers[] = {&column->values, &column->nulls, &column->nans};
    int64_t *counts[] = {&m->value_count, &m->null_count, &m->nan_count};
    for (int k = 0; k < 3; k++) {
      if (numbers[k]->exists && !calve_image_is_absent(numbers[k]->absent, row))
        *counts[k] = calve_image_number(numbers[k], row);
    }
    if (column->lower.exists && !calve_image_is_absent(column->lower.absent, row))
      m->lower = calve_image_text(&column->lower, row);
    if (column->upper.exists && !calve_image_is_absent(column->upper.absent, row))
      m->upper = calve_image_text(&column->upper, row);
  }
}

static calve_status keep(image_work *i, size_t row, const calve_predicate *residual, bool wholly,
                         calve_error *err) {
  calve_manifest_entry e;
  CALVE_TRY(calve_image_entry(&i->rows, row, &i->w.slot->kept, &e, err));
  return calve_plan__keep(&i->w, &e, residual, wholly, err);
}

/* Mirrors what is done with an entry that was decoded. */
static calve_status judge_row(image_work *i, size_t row, int64_t record_count, calve_error *err) {
  const calve_bound *bound = i->w.scan->judge.bound;
  calve_scan_spec_report *counts = &i->w.slot->counts;
  size_t tuple = (size_t)calve_image_number(&i->rows.tuple, row);
  tuple_answer *a = &i->answers[tuple];
  if (!a->known) CALVE_TRY(answer_tuple(i, tuple, a, err));
  if (!a->matches) {
    counts->files_skipped_partition++;
    return CALVE_OK;
  }
  bool wholly = a->residual->op == CALVE_OP_TRUE;
  if (i->w.judges_metrics && !(wholly && record_count != 0)) {
    if (a->ruled_out && a->ruled_out[row]) {
      counts->files_skipped_metrics++;
      return CALVE_OK;
    }
    take_metrics(i, row);
    calve_bound rest = *bound;
    rest.root = a->residual;
    if (!calve_metrics_might_match(&rest, record_count, i->w.slot->metrics, NULL)) {
      counts->files_skipped_metrics++;
      return CALVE_OK;
    }
    wholly = wholly || calve_metrics_must_match(&rest, record_count, i->w.slot->metrics);
  }
  return keep(i, row, a->residual, wholly, err);
}

static bool was_appended(const image_work *i, size_t row) {
  const calve_image_numbers *ids = &i->rows.snapshot_ids;
  bool absent = !ids->exists || calve_image_is_absent(ids->absent, row);
  return calve_plan__was_appended(i->w.scan, calve_image_number(&i->rows.statuses, row),
                                  absent ? CALVE_UNSET : calve_image_number(ids, row));
}

static calve_status look_at_row(image_work *i, size_t row, calve_error *err) {
  const calve_scan *scan = i->w.scan;
  calve_scan_spec_report *counts = &i->w.slot->counts;
  if (scan->appended && !was_appended(i, row)) return CALVE_OK;
  int64_t record_count = calve_image_number(&i->rows.record_counts, row);
  counts->files_total++;
  counts->rows_total = calve_sum(counts->rows_total, record_count);
  if (scan->judge.matches_all) return keep(i, row, &calve_predicate_true, true, err);
  return judge_row(i, row, record_count, err);
}

calve_status calve_plan__image_go_on(calve_plan__slot *slot, calve_error *err) {
  image_work *i = slot->image;
  for (; i->next_row < i->rows.count && !slot->paused; i->next_row++) {
    CALVE_TRY(look_at_row(i, i->next_row, err));
    if (i->next_row % CALVE_ITEMS_PER_LOOK != 0) continue;
    CALVE_TRY(calve_cancel_look(i->w.scan->params.cancel, err));
    slot->paused = calve_plan__is_full(i->w.scan, slot);
  }
  return CALVE_OK;
}

calve_status calve_plan__image_data(const calve_scan *scan, const calve_manifest_file *m,
                                    calve_plan__slot *slot, bool *done, calve_error *err) {
  CALVE_TRY(begin(scan, m, slot, done, err));
  if (!*done) return CALVE_OK;
  CALVE_TRY(prepare(slot->image, err));
  return calve_plan__image_go_on(slot, err);
}

/* ---- delete files --------------------------------------------------------------------------- */

calve_status calve_plan__image_deletes(const calve_scan *scan, const calve_manifest_file *m,
                                       calve_plan__slot *slot, bool *done, calve_error *err) {
  CALVE_TRY(begin(scan, m, slot, done, err));
  image_work *i = slot->image;
  for (size_t row = 0; *done && row < i->rows.count; row++) {
    calve_manifest_entry e;
    if (row % CALVE_ITEMS_PER_LOOK == 0) CALVE_TRY(calve_cancel_look(scan->params.cancel, err));
    CALVE_TRY(calve_image_entry(&i->rows, row, &slot->kept, &e, err));
    CALVE_TRY(calve_plan__judge_delete(&i->w, &e, err));
  }
  return calve_buffer_check(&slot->tasks, err);
}
