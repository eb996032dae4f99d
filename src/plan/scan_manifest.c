/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "plan/scan_parts.h"

/* Of tasks and what they point to: manifests that writers cut to their target size (8 MB by
 * default) stay below it, with all metrics too, and are planned in one part. */
#define PART_BYTES ((size_t)64 << 20)

static bool has_all_ids(const calve_scan *scan) {
  return (scan->params.columns & CALVE_COLUMNS_METRICS) && !scan->params.metric_ids;
}

/* What the caller and the filter want together. Where the caller names fields, a list may carry
 * those of the filter too. */
calve_manifest_options calve_plan__options(const calve_scan *scan, const calve_manifest_file *m) {
  const calve_plan__judge *j = &scan->judge;
  calve_manifest_options o = {.columns = scan->params.columns | j->metric_columns};
  if (m->content == CALVE_MANIFEST_DELETES) {
    o.columns |= CALVE_COLUMNS_BOUNDS; /* of the paths that position deletes are about          */
  } else if (!has_all_ids(scan)) {
    o.metric_ids = scan->params.columns & CALVE_COLUMNS_METRICS ? scan->metric_ids : j->metric_ids;
    o.metric_id_count =
        scan->params.columns & CALVE_COLUMNS_METRICS ? scan->metric_id_count : j->metric_id_count;
  }
  return o;
}

calve_status calve_plan__open_manifest(const calve_scan *scan, const calve_manifest_file *m,
                                       calve_plan__slot *slot, calve_manifest_reader *out,
                                       calve_error *err) {
  calve_arena_reset(&slot->opened);
  const calve_cancel *cancel = scan->params.cancel;
  CALVE_TRY(calve_store_read_until(scan->params.store, m->path, CALVE_METADATA_BYTES_MAX, cancel,
                                   &slot->bytes, err));
  calve_manifest_options options = calve_plan__options(scan, m);
  options.cancel = cancel;
  options.forms = &slot->forms;
  return calve_manifest_open(calve_buffer_view(&slot->bytes), m, scan->params.metadata, &options,
                             &slot->opened, out, err);
}

calve_status calve_plan__judge_tuple(calve_plan__work *w, const calve_value *tuple, size_t count,
                                     bool *matches, const calve_predicate **residual,
                                     calve_error *err) {
  *residual = w->scan->judge.bound->root;
  *matches = calve_tuple_might_match(w->spec->inclusive, tuple, count, NULL);
  if (!*matches || !w->spec->residual) return CALVE_OK;
  return calve_residual_of(w->spec->residual, tuple, count, w->residuals, residual, err);
}

/* The same, with the last answer remembered. */
static calve_status judge_tuple(calve_plan__work *w, const calve_data_file *f, bool *matches,
                                const calve_predicate **residual, calve_error *err) {
  size_t count = (size_t)f->partition_count;
  if (w->last_tuple && calve_tuple_equal(w->last_tuple, f->partition, count)) {
    *matches = w->last_matches;
    *residual = w->last_residual;
    return CALVE_OK;
  }
  CALVE_TRY(calve_plan__judge_tuple(w, f->partition, count, matches, residual, err));
  w->last_tuple = f->partition;
  w->last_matches = *matches;
  w->last_residual = *residual;
  return CALVE_OK;
}

/* The file with nothing in it that the caller did not ask for; it still points into the batch. */
static void strip(uint32_t columns, calve_data_file *f) {
  if (!(columns & CALVE_COLUMNS_VALUE_COUNTS)) f->value_counts = (calve_id_i64_list){0};
  if (!(columns & CALVE_COLUMNS_NULL_COUNTS)) f->null_value_counts = (calve_id_i64_list){0};
  if (!(columns & CALVE_COLUMNS_NAN_COUNTS)) f->nan_value_counts = (calve_id_i64_list){0};
  if (columns & CALVE_COLUMNS_BOUNDS) return;
  f->lower_bounds = (calve_id_bytes_list){0};
  f->upper_bounds = (calve_id_bytes_list){0};
}

calve_status calve_plan__keep(calve_plan__work *w, const calve_manifest_entry *e,
                              const calve_predicate *residual, bool wholly, calve_error *err) {
  calve_scan_spec_report *counts = &w->slot->counts;
  calve_buffer *tasks = &w->slot->tasks;
  calve_scan_task *task =
      (calve_scan_task *)(void *)calve_buffer_reserve(tasks, sizeof(calve_scan_task));
  if (!task) return calve_fail_oom(err);
  task->file = e->file;
  strip(w->scan->params.columns, &task->file);
  task->data_sequence_number = e->data_sequence_number;
  task->file_sequence_number = e->file_sequence_number;
  task->snapshot_id = e->snapshot_id;
  task->spec = w->written;
  task->residual = residual;
  /* What the filter leaves out of the condition, rows that meet the filter may fail.             */
  wholly = wholly && w->scan->judge.bound->exact;
  task->matches_wholly = wholly;
  CALVE_TRY(calve_delete_index_find(w->scan->index, &e->file, e->data_sequence_number,
                                    &w->slot->kept, &task->deletes, &task->delete_count, err));
  tasks->size += sizeof *task;
  counts->files_kept++;
  counts->rows_kept = calve_sum(counts->rows_kept, calve_data_file_rows(&e->file));
  counts->bytes_kept = calve_sum(counts->bytes_kept, e->file.file_size_bytes);
  counts->files_with_deletes += task->delete_count > 0;
  if (wholly) {
    counts->files_matching_wholly++;
    counts->rows_matching_wholly =
        calve_sum(counts->rows_matching_wholly, calve_data_file_rows(&e->file));
  }
  return CALVE_OK;
}

/* Takes the batch's memory over instead of copying what is in it. */
static calve_status take_block(calve_plan__slot *slot, calve_error *err) {
  if (slot->blocks_used == CALVE_COUNT(&slot->blocks, calve_manifest_memory)) {
    calve_manifest_memory fresh;
    calve_manifest_memory_init(&fresh, slot->blocks.allocator);
    calve_buffer_put(&slot->blocks, &fresh, sizeof fresh);
    CALVE_TRY(calve_buffer_check(&slot->blocks, err));
  }
  calve_manifest_memory *blocks = CALVE_ITEMS(&slot->blocks, calve_manifest_memory);
  calve_manifest_memory *block = &blocks[slot->blocks_used++];
  calve_manifest_batch_take(&slot->batch, block);
  slot->blocks_bytes += block->inflated.size + block->arena.used_bytes;
  return CALVE_OK;
}

/* Makes the tasks of this batch outlive it. Metrics are most of a block: where many files carry
 * them, the block is kept as it is; paths and tuples alone are copied out of it. */
static calve_status settle(calve_plan__work *w, size_t first, calve_error *err) {
  calve_plan__slot *slot = w->slot;
  calve_scan_task *tasks = CALVE_ITEMS(&slot->tasks, calve_scan_task);
  size_t count = CALVE_COUNT(&slot->tasks, calve_scan_task);
  bool carries_metrics = w->scan->params.columns & CALVE_COLUMNS_METRICS;
  if (carries_metrics && (count - first) * 4 >= slot->batch.count && count > first) {
    return take_block(slot, err);
  }
  for (size_t i = first; i < count; i++) {
    if (i % CALVE_ITEMS_PER_LOOK == 0) CALVE_TRY(calve_cancel_look(w->scan->params.cancel, err));
    CALVE_TRY(calve_data_file_copy(&tasks[i].file, &slot->kept, &tasks[i].file, err));
  }
  return CALVE_OK;
}

static calve_status judge_entry(calve_plan__work *w, const calve_manifest_entry *e,
                                calve_error *err) {
  const calve_plan__judge *j = &w->scan->judge;
  calve_scan_spec_report *counts = &w->slot->counts;
  const calve_predicate *residual = j->bound->root;
  if (!calve_plan__was_appended(w->scan, e->status, e->snapshot_id)) return CALVE_OK;
  counts->files_total++;
  counts->rows_total = calve_sum(counts->rows_total, calve_data_file_rows(&e->file));
  if (j->matches_all) return calve_plan__keep(w, e, &calve_predicate_true, true, err);
  if (w->judges_tuples) {
    bool matches;
    CALVE_TRY(judge_tuple(w, &e->file, &matches, &residual, err));
    if (!matches) {
      counts->files_skipped_partition++;
      return CALVE_OK;
    }
  }
  bool wholly = residual->op == CALVE_OP_TRUE;
  if (w->judges_metrics) {
    calve_file_metrics(&e->file, j->bound, NULL, w->slot->metrics);
    /* What the tuple settled is settled; statistics are asked about the rest. */
    calve_bound rest = *j->bound;
    rest.root = residual;
    if (!calve_metrics_might_match(&rest, e->file.record_count, w->slot->metrics, NULL)) {
      counts->files_skipped_metrics++;
      return CALVE_OK;
    }
    wholly = wholly || calve_metrics_must_match(&rest, e->file.record_count, w->slot->metrics);
  }
  return calve_plan__keep(w, e, residual, wholly, err);
}

/* Reads the next block; *more false: there is none. */
static calve_status next_batch(calve_plan__work *w, bool *more, calve_error *err) {
  CALVE_TRY(calve_cancel_look(w->scan->params.cancel, err));
  w->last_tuple = NULL;
  return calve_manifest_next(w->reader, &w->slot->batch, more, err);
}

static void clear_tasks(calve_plan__slot *slot) {
  calve_arena_reset(&slot->kept);
  calve_buffer_clear(&slot->tasks);
  slot->blocks_used = 0;
  slot->blocks_bytes = 0;
  slot->paused = false;
  slot->counts = (calve_scan_spec_report){.spec_id = slot->counts.spec_id};
}

void calve_plan__clear_slot(const calve_scan *scan, calve_plan__slot *slot) {
  clear_tasks(slot);
  slot->counts.manifests_opened = 1;
  calve_cache_release(scan->params.cache, slot->cached);
  slot->cached = NULL;
  slot->image = NULL;
}

bool calve_plan__is_full(const calve_scan *scan, const calve_plan__slot *slot) {
  size_t most = scan->params.part_bytes ? scan->params.part_bytes : PART_BYTES;
  return slot->tasks.size + slot->kept.used_bytes + slot->blocks_bytes >= most;
}

static calve_status begin(const calve_scan *scan, const calve_manifest_file *m,
                          calve_plan__slot *slot, calve_error *err) {
  calve_plan__clear_slot(scan, slot);
  CALVE_TRY(calve_plan__open_manifest(scan, m, slot, &slot->reader, err));
  int32_t spec_id = slot->reader.spec->spec_id;
  slot->counts.spec_id = spec_id;
  slot->work = (calve_plan__work){.scan = scan,
                                  .slot = slot,
                                  .spec = calve_plan__judge_spec(&scan->judge, spec_id),
                                  .written = slot->reader.spec,
                                  .reader = &slot->reader,
                                  .residuals = &slot->kept};
  slot->work.judges_tuples = calve_manifest_tuples_known(&slot->reader, slot->work.spec->spec);
  slot->work.judges_metrics = scan->judge.metric_columns != 0;
  return CALVE_OK;
}

/* The next files of the manifest, up to what a slot may hold. */
static calve_status read_files(calve_plan__work *w, calve_error *err) {
  calve_plan__slot *slot = w->slot;
  while (!slot->paused) {
    bool more;
    CALVE_TRY(next_batch(w, &more, err));
    if (!more) return CALVE_OK;
    size_t first = CALVE_COUNT(&slot->tasks, calve_scan_task);
    for (size_t i = 0; i < slot->batch.count; i++) {
      if (i % CALVE_ITEMS_PER_LOOK == 0) CALVE_TRY(calve_cancel_look(w->scan->params.cancel, err));
      CALVE_TRY(judge_entry(w, &slot->batch.entries[i], err));
    }
    CALVE_TRY(settle(w, first, err));
    slot->paused = calve_plan__is_full(w->scan, slot);
  }
  return CALVE_OK;
}

calve_status calve_plan__plan_data(void *arg, size_t index, size_t slot_index, calve_error *err) {
  const calve_scan *scan = arg;
  calve_plan__slot *slot = &scan->slots[slot_index];
  bool done;
  CALVE_TRY(calve_plan__image_data(scan, scan->data[index], slot, &done, err));
  if (done) return CALVE_OK;
  CALVE_TRY(begin(scan, scan->data[index], slot, err));
  return read_files(&slot->work, err);
}

calve_status calve_plan__go_on(calve_plan__slot *slot, calve_error *err) {
  clear_tasks(slot);
  return slot->image ? calve_plan__image_go_on(slot, err) : read_files(&slot->work, err);
}

/* ---- deletes -------------------------------------------------------------------------------- */

/* Whether rows that the filter keeps may be among the deleted ones. The rows of equality deletes
 * are like the rows they delete in the columns of equality_ids, and only there. */
calve_status calve_plan__judge_delete(calve_plan__work *w, const calve_manifest_entry *e,
                                      calve_error *err) {
  const calve_plan__judge *j = &w->scan->judge;
  const calve_data_file *f = &e->file;
  w->slot->counts.files_total++;
  if (!j->matches_all && w->judges_tuples) {
    bool matches;
    const calve_predicate *residual;
    CALVE_TRY(judge_tuple(w, f, &matches, &residual, err));
    if (!matches) return CALVE_OK;
  }
  if (w->judges_metrics && f->content == CALVE_CONTENT_EQUALITY_DELETES) {
    calve_file_metrics(f, j->bound, &f->equality_ids, w->slot->metrics);
    if (!calve_metrics_might_match(j->bound, f->record_count, w->slot->metrics, NULL)) {
      return CALVE_OK;
    }
  }
  calve_manifest_entry copy = *e;
  CALVE_TRY(calve_data_file_copy(f, &w->slot->kept, &copy.file, err));
  calve_buffer_put(&w->slot->tasks, &copy, sizeof copy);
  w->slot->counts.files_kept++;
  return CALVE_OK;
}

calve_status calve_plan__plan_deletes(void *arg, size_t index, size_t slot_index,
                                      calve_error *err) {
  const calve_scan *scan = arg;
  calve_plan__slot *slot = &scan->slots[slot_index];
  const calve_manifest_file *m = scan->deletes[index];
  bool done;
  CALVE_TRY(calve_plan__image_deletes(scan, m, slot, &done, err));
  if (done) return CALVE_OK;
  CALVE_TRY(begin(scan, m, slot, err));
  calve_plan__work *w = &slot->work;
  if (!w->spec->spec) {
    return calve_fail(err, CALVE_ECORRUPT, NULL,
                      "delete manifest %.*s is of partition spec %d, which is not in the metadata",
                      CALVE_STR_ARG(m->path), slot->reader.spec->spec_id);
  }
  for (;;) {
    bool more;
    CALVE_TRY(next_batch(w, &more, err));
    if (!more) return calve_buffer_check(&slot->tasks, err);
    for (size_t i = 0; i < slot->batch.count; i++) {
      if (i % CALVE_ITEMS_PER_LOOK == 0) CALVE_TRY(calve_cancel_look(scan->params.cancel, err));
      CALVE_TRY(calve_plan__judge_delete(w, &slot->batch.entries[i], err));
    }
  }
}
