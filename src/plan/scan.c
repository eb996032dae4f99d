/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorting.h"
#include "plan/scan_parts.h"

static void slot_init(calve_plan__slot *s, const calve_allocator *allocator) {
  calve_buffer_init(&s->bytes, allocator);
  calve_buffer_init(&s->tasks, allocator);
  calve_buffer_init(&s->blocks, allocator);
  calve_manifest_batch_init(&s->batch, allocator);
  calve_arena_init(&s->opened, allocator);
  calve_arena_init(&s->forms.arena, allocator);
  calve_arena_init(&s->kept, allocator);
}

static void slot_free(calve_plan__slot *s) {
  calve_buffer_free(&s->bytes);
  calve_buffer_free(&s->tasks);
  for (size_t i = 0; i < CALVE_COUNT(&s->blocks, calve_manifest_memory); i++) {
    calve_manifest_memory_free(&CALVE_ITEMS(&s->blocks, calve_manifest_memory)[i]);
  }
  calve_buffer_free(&s->blocks);
  calve_manifest_batch_free(&s->batch);
  calve_arena_free(&s->opened);
  calve_manifest_forms_free(&s->forms);
  calve_arena_free(&s->kept);
}

/* One slot for each thread, one that the consumer holds and one that waits for it: with fewer a
 * thread idles whenever another takes longer. */
static calve_status make_slots(calve_scan *scan, calve_error *err) {
  const calve_executor *executor = scan->params.executor;
  size_t count = executor ? executor->worker_count + 3 : 1;
  calve_plan__slot *slots = CALVE_NEW_ARRAY(&scan->arena, calve_plan__slot, count);
  if (!slots) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    slots[i].metrics =
        CALVE_NEW_ARRAY(&scan->arena, calve_column_metrics, scan->judge.bound->column_count);
    if (!slots[i].metrics) return calve_fail_oom(err);
  }
  for (size_t i = 0; i < count; i++) slot_init(&slots[i], scan->params.allocator);
  scan->slots = slots;
  scan->slot_count = count;
  return CALVE_OK;
}

/* The caller's fields and the filter's, each once. */
static calve_status merge_ids(calve_scan *scan, calve_error *err) {
  const calve_scan_params *p = &scan->params;
  size_t count = p->metric_id_count + scan->judge.metric_id_count, kept = 0;
  int32_t *ids = CALVE_NEW_ARRAY(&scan->arena, int32_t, count);
  if (!ids) return calve_fail_oom(err);
  if (p->metric_id_count > 0) memcpy(ids, p->metric_ids, p->metric_id_count * sizeof *ids);
  if (scan->judge.metric_id_count > 0) {
    memcpy(ids + p->metric_id_count, scan->judge.metric_ids,
           scan->judge.metric_id_count * sizeof *ids);
  }
  qsort(ids, count, sizeof *ids, calve_compare_i32);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || ids[i] != ids[kept - 1]) ids[kept++] = ids[i];
  }
  scan->metric_ids = ids;
  scan->metric_id_count = kept;
  return CALVE_OK;
}

static calve_ordered_options work_options(calve_scan *scan, size_t count, calve_ordered_fn *fn) {
  return (calve_ordered_options){.executor = scan->params.executor,
                                 .cancel = scan->params.cancel,
                                 .allocator = scan->params.allocator,
                                 .task_count = count,
                                 .window = scan->slot_count,
                                 .fn = fn,
                                 .arg = scan};
}

static calve_status index_slot(calve_scan *scan, const calve_plan__slot *slot, calve_error *err) {
  const calve_plan__spec *s = calve_plan__judge_spec(&scan->judge, slot->counts.spec_id);
  const calve_manifest_entry *entries = CALVE_ITEMS(&slot->tasks, const calve_manifest_entry);
  size_t count = CALVE_COUNT(&slot->tasks, calve_manifest_entry);
  for (size_t i = 0; i < count; i++) {
    if (i % CALVE_ITEMS_PER_LOOK == 0) CALVE_TRY(calve_cancel_look(scan->params.cancel, err));
    CALVE_TRY(calve_delete_index_add(scan->index, &entries[i], s->spec, err));
  }
  scan->report.delete_manifests_opened++;
  scan->report.delete_files_total += slot->counts.files_total;
  scan->report.delete_files_kept += slot->counts.files_kept;
  return CALVE_OK;
}

/* Deletes come first: a data file's task is whole when it is handed out. */
static calve_status read_deletes(calve_scan *scan, calve_error *err) {
  CALVE_TRY(calve_delete_index_make(scan->params.allocator, &scan->index, err));
  if (scan->delete_count > 0) {
    calve_ordered_options options =
        work_options(scan, scan->delete_count, calve_plan__plan_deletes);
    calve_ordered *work;
    CALVE_TRY(calve_ordered_open(&options, &work, err));
    calve_status status;
    for (bool more = true;;) {
      size_t index, slot;
      status = calve_ordered_next(work, &index, &slot, &more, err);
      if (status == CALVE_OK && more) status = index_slot(scan, &scan->slots[slot], err);
      if (status != CALVE_OK || !more) break;
    }
    calve_ordered_close(work);
    CALVE_TRY(status);
  }
  return calve_delete_index_seal(scan->index, scan->params.cancel, err);
}

static calve_status prepare(calve_scan *scan, calve_error *err) {
  const calve_scan_params *p = &scan->params;
  const calve_schema *schema;
  CALVE_TRY(calve_scan_select(p->metadata, p->at, p->snapshot_id, p->timestamp_ms, p->ref,
                              &scan->snapshot, &schema, err));
  if (p->appends_only) schema = p->metadata->schema;
  CALVE_TRY(calve_plan__judge_make(p, schema, &scan->arena, &scan->judge, err));
  CALVE_TRY(merge_ids(scan, err));
  CALVE_TRY(make_slots(scan, err));
  const calve_manifest_file *manifests = NULL;
  size_t count = 0;
  if (scan->snapshot && !scan->judge.matches_none) {
    CALVE_TRY(p->appends_only
                  ? calve_plan__appended_manifests(scan, &manifests, &count, err)
                  : calve_snapshot_manifests_until(scan->snapshot, p->store, p->cancel,
                                                   &scan->arena, &manifests, &count, err));
  }
  CALVE_TRY(calve_plan__choose(scan, manifests, count, err));
  CALVE_TRY(read_deletes(scan, err));
  calve_ordered_options options = work_options(scan, scan->data_count, calve_plan__plan_data);
  return calve_ordered_open(&options, &scan->work, err);
}

calve_status calve_scan_open(const calve_scan_params *params, calve_scan **out, calve_error *err) {
  calve_arena arena;
  calve_arena_init(&arena, params->allocator);
  calve_scan *scan = CALVE_NEW(&arena, calve_scan);
  if (!scan) {
    calve_arena_free(&arena);
    return calve_fail_oom(err);
  }
  scan->arena = arena; /* the scan lives in its own arena                                       */
  scan->params = *params;
  if (params->cache) scan->cache_plan = calve_cache_begin(params->cache);
  calve_status status = prepare(scan, err);
  if (status != CALVE_OK) {
    calve_scan_close(scan);
    return status;
  }
  *out = scan;
  return CALVE_OK;
}

/* What is not handed out was not kept. */
static void uncount(calve_scan *scan, const calve_scan_task *task) {
  int64_t rows = calve_data_file_rows(&task->file);
  calve_plan__count(
      scan, &(calve_scan_spec_report){
                .spec_id = task->spec->spec_id,
                .files_kept = -1,
                .rows_kept = -rows,
                .bytes_kept = -task->file.file_size_bytes,
                .files_with_deletes = -(task->delete_count > 0),
                .files_matching_wholly = -task->matches_wholly,
                .rows_matching_wholly = task->matches_wholly ? -rows : 0});
}

/* How many tasks are wanted. Ends the plan when enough rows are sure. */
static size_t tasks_within_limit(calve_scan *scan, const calve_scan_task *tasks, size_t count) {
  int64_t limit = scan->params.row_limit;
  if (limit <= 0) return count;
  size_t wanted = 0;
  while (wanted < count && scan->sure_rows < limit) {
    const calve_scan_task *t = &tasks[wanted++];
    bool sure = t->matches_wholly && t->delete_count == 0 && t->file.record_count > 0;
    if (sure && __builtin_add_overflow(scan->sure_rows, t->file.record_count, &scan->sure_rows))
      scan->sure_rows = INT64_MAX;
  }
  if (scan->sure_rows >= limit) scan->report.ended_by_limit = true;
  for (size_t i = wanted; i < count; i++) uncount(scan, &tasks[i]);
  return wanted;
}

static calve_status next_manifest(calve_scan *scan, calve_error *err) {
  size_t index, slot;
  bool more = false;
  scan->held = NULL;
  if (scan->work) CALVE_TRY(calve_ordered_next(scan->work, &index, &slot, &more, err));
  if (more) scan->held = &scan->slots[slot];
  return CALVE_OK;
}

/* Holds the next part of the manifest in hand, or the next manifest; NULL at the end. */
static calve_status next_slot(calve_scan *scan, calve_error *err) {
  if (scan->failed == CALVE_OK && scan->held && scan->held->paused)
    scan->failed = calve_plan__go_on(scan->held, &scan->failure);
  else if (scan->failed == CALVE_OK)
    return next_manifest(scan, err);
  if (scan->failed != CALVE_OK && err) *err = scan->failure;
  return scan->failed;
}

calve_status calve_scan_next(calve_scan *scan, const calve_scan_task **tasks, size_t *count,
                             calve_error *err) {
  if (scan->report.ended_by_limit) {
    calve_ordered_close(scan->work);
    scan->work = NULL;
    scan->held = NULL;
  }
  for (;;) {
    CALVE_TRY(next_slot(scan, err));
    const calve_plan__slot *slot = scan->held;
    if (!slot) {
      *tasks = NULL;
      *count = 0;
      return CALVE_OK;
    }
    calve_plan__count(scan, &slot->counts);
    if (slot->tasks.size == 0) continue;
    *tasks = CALVE_ITEMS(&slot->tasks, const calve_scan_task);
    *count = tasks_within_limit(scan, *tasks, CALVE_COUNT(&slot->tasks, calve_scan_task));
    return CALVE_OK;
  }
}

/* ---- closing -------------------------------------------------------------------------------- */

/* More takes longer to give back than who cancels a plan should wait. */
#define FREED_AT_ONCE_BYTES ((size_t)32 << 20)

static size_t held_bytes(const calve_scan *scan) {
  size_t sum = scan->index ? calve_delete_index_bytes(scan->index) : 0;
  for (size_t i = 0; i < scan->slot_count; i++) {
    const calve_plan__slot *s = &scan->slots[i];
    sum += s->bytes.capacity + s->tasks.capacity + s->kept.used_bytes + s->blocks_bytes;
  }
  return sum;
}

static void free_memory(void *arg) {
  calve_scan *scan = arg;
  calve_delete_index_free(scan->index);
  for (size_t i = 0; i < scan->slot_count; i++) slot_free(&scan->slots[i]);
  calve_arena arena = scan->arena;
  calve_arena_free(&arena);
}

/* Whether another thread gives the memory back. The caller's own allocator may be gone by then. */
static bool frees_elsewhere(calve_scan *scan) {
  const calve_executor *e = scan->params.executor;
  const calve_allocator *a = scan->params.allocator;
  if (!e || e->worker_count == 0 || (a && a != calve_default_allocator())) return false;
  return held_bytes(scan) > FREED_AT_ONCE_BYTES && e->submit(e->ctx, free_memory, scan);
}

void calve_scan_close(calve_scan *scan) {
  if (!scan) return;
  calve_ordered_close(scan->work);
  for (size_t i = 0; i < scan->slot_count; i++)
    calve_cache_release(scan->params.cache, scan->slots[i].cached);
  if (!frees_elsewhere(scan)) free_memory(scan);
}

const calve_snapshot *calve_scan_snapshot(const calve_scan *scan) {
  return scan->snapshot;
}
const calve_schema *calve_scan_schema(const calve_scan *scan) {
  return scan->judge.schema;
}
const calve_bound *calve_scan_filter(const calve_scan *scan) {
  return scan->judge.bound;
}
