/* SPDX-License-Identifier: Apache-2.0 */
#include "api/api_parts.h"
#include "base/calendar.h"
#include "base/number.h"
#include "base/text.h"
#include "expr/predicate_json.h"
#include "expr/predicate_text.h"
#include "plan/explain.h"
#include "track/snapshot_manifests.h"

/* ---- opening -------------------------------------------------------------------------------- */

static calve_status choose_filter(calve_plan *p, const calve_plan_config *c, calve_error *err) {
  if (c->where && c->filter_json) {
    return calve_fail(err, CALVE_EINVAL, NULL, "a plan takes where or filter_json, not both");
  }
  calve_str text;
  if (c->where) {
    CALVE_TRY(calve_arena_str(&p->arena, calve_str_of(c->where), &text, err));
    bool exact;
    CALVE_TRY(
        calve_predicate_parse_noted(text, &p->arena, &p->params.filter, &exact, &p->notes, err));
    p->params.filter_is_partial = !exact;
    p->params.unused = p->notes.unused;
    p->params.unused_count = p->notes.unused_count;
    /* SQL's names have no case; of two columns that differ in it, one can be meant all the same */
    p->params.bind.exact_first = !c->case_insensitive;
    p->params.bind.case_insensitive = true;
    p->params.bind.loose = true;
    return CALVE_OK;
  }
  if (!c->filter_json) return CALVE_OK;
  CALVE_TRY(calve_arena_str(&p->arena, calve_str_of(c->filter_json), &text, err));
  return calve_api__of_caller(
      calve_predicate_parse_json(text, NULL, &p->arena, &p->params.filter, err), err);
}

static calve_status choose_time(calve_plan *p, const char *timestamp, calve_error *err) {
  calve_str text = calve_str_trim(calve_str_of(timestamp));
  int64_t day, us;
  bool has_offset;
  if (calve_date_parse(text, &day))
    us = day * CALVE_US_PER_DAY;
  else if (!calve_timestamp_parse(text, false, &us, &has_offset))
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "\"%s\" is no time; one is written 2026-03-01 or 2026-03-01 12:00:00+01:00",
                      timestamp);
  p->params.at = CALVE_SCAN_TIMESTAMP;
  p->params.timestamp_ms = calve_floor_div(us, 1000);
  return CALVE_OK;
}

/* A number is a snapshot id; a ref that is called like one is reached by `ref`. */
static calve_status choose_snapshot(calve_plan *p, const calve_plan_config *c, calve_error *err) {
  int given = !!c->snapshot + (c->timestamp_ms != 0) + !!c->ref + !!c->timestamp;
  if (given > 1)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "a plan takes a snapshot, a ref or a time: give one");
  if (c->timestamp) return choose_time(p, c->timestamp, err);
  if (c->timestamp_ms != 0) {
    p->params.at = CALVE_SCAN_TIMESTAMP;
    p->params.timestamp_ms = c->timestamp_ms;
  } else if (c->snapshot && calve_str_to_i64(calve_str_of(c->snapshot), &p->params.snapshot_id)) {
    p->params.at = CALVE_SCAN_SNAPSHOT;
  } else if (c->snapshot || c->ref) {
    p->params.at = CALVE_SCAN_REF;
    return calve_arena_str(&p->arena, calve_str_of(c->ref ? c->ref : c->snapshot), &p->params.ref,
                           err);
  }
  return CALVE_OK;
}

/* Where appends begin: an id, or a tag. A branch moves, so that it can't be where somebody was. */
static calve_status choose_appends(calve_plan *p, const calve_plan_config *c, calve_error *err) {
  if (c->row_limit < 0) return calve_fail(err, CALVE_EINVAL, NULL, "row_limit is below 0");
  if (!c->from_snapshot) return CALVE_OK;
  if (!c->appends_only)
    return calve_fail(err, CALVE_EINVAL, NULL, "from_snapshot is for plans with appends_only");
  p->params.has_from = true;
  calve_str text = calve_str_of(c->from_snapshot);
  if (calve_str_to_i64(text, &p->params.from_snapshot_id)) return CALVE_OK;
  const calve_snapshot_ref *ref = calve_metadata_ref(p->params.metadata, text);
  if (!ref || !ref->is_tag)
    return calve_fail(err, CALVE_ENOTFOUND, NULL, "the table has no tag \"%.*s\" to start from",
                      CALVE_STR_ARG(text));
  p->params.from_snapshot_id = ref->snapshot_id;
  return CALVE_OK;
}

/* Columns that a condition names only where it can't be used were looked up by nobody yet. */
static calve_status check_names(const calve_plan *p, calve_error *err) {
  const calve_schema *schema = calve_scan_schema(p->scan);
  const calve_schema_node *node;
  for (size_t i = 0; i < p->notes.column_count; i++) {
    calve_error own;
    calve_status status =
        calve_schema_resolve(schema, p->notes.columns[i], false, &node, err ? err : &own);
    if (status == CALVE_ENOTFOUND) return status;
  }
  return CALVE_OK;
}

static calve_status prepare(calve_plan *p, const calve_plan_config *c, calve_error *err) {
  p->params = (calve_scan_params){
      .metadata = calve_table_metadata(p->table),
      .store = calve_table_store(p->table),
      .bind = {.case_insensitive = c->case_insensitive},
      .columns = CALVE_COLUMNS_SORT_ORDER | (c->with_stats ? CALVE_COLUMNS_METRICS : 0u) |
                 (c->with_split_offsets ? CALVE_COLUMNS_SPLIT_OFFSETS : 0u),
      .executor = c->executor,
      .cancel = c->cancel,
      .allocator = p->allocator,
      .cache = c->cache,
      .row_limit = c->row_limit,
      .appends_only = c->appends_only,
  };
  CALVE_TRY(choose_filter(p, c, err));
  CALVE_TRY(choose_snapshot(p, c, err));
  CALVE_TRY(choose_appends(p, c, err));
  CALVE_TRY(calve_scan_open(&p->params, &p->scan, err));
  return p->notes.unused_count > 0 ? check_names(p, err) : CALVE_OK;
}

calve_status calve_plan_open(calve_table *table, const calve_plan_config *config, calve_plan **out,
                             calve_error *err) {
  calve_plan_config own = {.struct_size = sizeof own};
  if (config) CALVE_TRY(CALVE_STRUCT_READ(config, calve_plan_config, cancel, &own, err));
  CALVE_TRY(calve_executor_check(own.executor, err));
  const calve_allocator *allocator = calve_table_allocator(table);
  calve_plan *p = allocator->resize(allocator->ctx, NULL, 0, sizeof *p);
  if (!p) return calve_fail_oom(err);
  *p = (calve_plan){.table = table, .allocator = allocator};
  calve_arena_init(&p->arena, allocator);
  calve_arena_init(&p->of_batch, allocator);
  calve_buffer_init(&p->tasks, allocator);
  calve_status status = prepare(p, &own, err);
  if (status != CALVE_OK) {
    calve_plan_free(p);
    return status;
  }
  *out = p;
  return CALVE_OK;
}

void calve_plan_free(calve_plan *p) {
  if (!p) return;
  const calve_allocator *allocator = p->allocator;
  calve_scan_close(p->scan);
  calve_buffer_free(&p->tasks);
  calve_arena_free(&p->of_batch);
  calve_arena_free(&p->arena);
  allocator->resize(allocator->ctx, p, sizeof *p, 0);
}

/* ---- tasks ---------------------------------------------------------------------------------- */

calve_plan_task calve_api__task(const calve_scan_task *t) {
  return (calve_plan_task){.struct_size = sizeof(calve_plan_task),
                           .path = t->file.path,
                           .format = t->file.format,
                           .record_count = t->file.record_count,
                           .file_size_bytes = t->file.file_size_bytes,
                           .data_sequence_number = t->data_sequence_number,
                           .snapshot_id = t->snapshot_id,
                           .first_row_id = t->file.first_row_id,
                           .spec_id = t->file.spec_id,
                           .sort_order_id = t->file.sort_order_id,
                           .delete_count = t->delete_count,
                           .matches_wholly = t->matches_wholly,
                           .detail = t};
}

static calve_status with_list(const calve_plan *p, calve_status status, calve_error *err) {
  if (status != CALVE_OK)
    calve_snapshot_name_list(calve_scan_snapshot(p->scan), p->params.store, p->allocator, err);
  return status;
}

calve_status calve_api__next(calve_plan *p, const calve_scan_task **tasks, size_t *count,
                             calve_error *err) {
  return with_list(p, calve_scan_next(p->scan, tasks, count, err), err);
}

calve_status calve_plan_next(calve_plan *p, calve_plan_batch *out, calve_error *err) {
  const calve_scan_task *tasks;
  size_t count;
  calve_arena_reset(&p->of_batch);
  CALVE_TRY(calve_api__next(p, &tasks, &count, err));
  calve_buffer_clear(&p->tasks);
  calve_plan_task *shown =
      (calve_plan_task *)(void *)calve_buffer_reserve(&p->tasks, count * sizeof *shown + 1);
  if (!shown) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    shown[i] = calve_api__task(&tasks[i]);
  }
  *out = (calve_plan_batch){count, sizeof *shown, shown};
  return CALVE_OK;
}

static const calve_scan_task *detail_of(const calve_plan_task *task) {
  return task->detail;
}

/* Moves a written text into the arena; frees the buffer. */
static calve_status keep_text(calve_buffer *text, calve_arena *arena, calve_str *out,
                              calve_error *err) {
  calve_status status = calve_buffer_check(text, err);
  calve_str view = {text->data ? text->data : "", text->size};
  if (status == CALVE_OK) status = calve_arena_str(arena, view, out, err);
  calve_buffer_free(text);
  return status;
}

/* A value whose type no schema tells any more is written as people read it. */
static void write_partition_json(const calve_plan *plan, const calve_scan_task *t,
                                 calve_buffer *out) {
  calve_json_writer w;
  calve_json_write_init(&w, out, 0);
  calve_json_write_begin(&w, '{');
  for (int32_t i = 0; i < t->spec->field_count && i < t->file.partition_count; i++) {
    const calve_partition_field *field = &t->spec->fields[i];
    const calve_value *value = &t->file.partition[i];
    const calve_schema_node *source =
        calve_metadata_find_field(plan->params.metadata, field->source_id);
    calve_json_write_key_str(&w, field->name);
    if (value->is_null) {
      calve_json_write_null(&w);
    } else if (source && field->transform.kind != CALVE_TRANSFORM_UNKNOWN) {
      calve_value_write_json(
          value, calve_transform_result_type(&field->transform, source->field->type), &w);
    } else {
      calve_buffer shown;
      calve_buffer_init(&shown, plan->allocator);
      calve_value_print(value, &shown);
      calve_json_write_str(&w, calve_buffer_view(&shown));
      out->oom |= shown.oom;
      calve_buffer_free(&shown);
    }
  }
  calve_json_write_end(&w, '}');
}

calve_status calve_plan_task_partition(calve_plan *plan, const calve_plan_task *task, bool json,
                                       calve_str *out, calve_error *err) {
  const calve_scan_task *t = detail_of(task);
  calve_buffer text;
  calve_buffer_init(&text, plan->allocator);
  if (json)
    write_partition_json(plan, t, &text);
  else
    calve_spec_tuple_print(t->spec, calve_scan_schema(plan->scan), t->file.partition, &text);
  return keep_text(&text, &plan->of_batch, out, err);
}

calve_status calve_plan_task_residual(calve_plan *plan, const calve_plan_task *task, calve_str *out,
                                      calve_error *err) {
  calve_buffer text;
  calve_buffer_init(&text, plan->allocator);
  calve_predicate_print_sql(detail_of(task)->residual, &text);
  return keep_text(&text, &plan->of_batch, out, err);
}

calve_status calve_plan_task_delete(const calve_plan_task *task, size_t index,
                                    calve_plan_delete *out, calve_error *err) {
  const calve_scan_task *t = detail_of(task);
  if (index >= t->delete_count)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "the task of file %.*s has %zu delete files; there is no index %zu",
                      CALVE_STR_ARG(t->file.path), t->delete_count, index);
  const calve_delete_file *d = t->deletes[index];
  const calve_plan_delete found = {.path = d->file.path,
                                   .format = d->file.format,
                                   .content = d->file.content,
                                   .record_count = d->file.record_count,
                                   .file_size_bytes = d->file.file_size_bytes,
                                   .data_sequence_number = d->data_sequence_number,
                                   .content_offset = d->file.content_offset,
                                   .content_size_bytes = d->file.content_size_bytes,
                                   .equality_ids = d->file.equality_ids.items,
                                   .equality_id_count = d->file.equality_ids.count};
  return CALVE_STRUCT_WRITE(out, calve_plan_delete, equality_id_count, &found, err);
}

calve_status calve_plan_task_stats(const calve_plan_task *task, int32_t field_id,
                                   calve_column_stats *out, calve_error *err) {
  const calve_data_file *f = &detail_of(task)->file;
  const calve_id_i64_list *lists[] = {&f->column_sizes, &f->value_counts, &f->null_value_counts,
                                      &f->nan_value_counts};
  int64_t numbers[4];
  for (size_t i = 0; i < 4; i++) {
    const int64_t *found = calve_id_i64_find(lists[i], field_id);
    numbers[i] = found ? *found : -1;
  }
  const calve_str *lower = calve_id_bytes_find(&f->lower_bounds, field_id);
  const calve_str *upper = calve_id_bytes_find(&f->upper_bounds, field_id);
  const calve_column_stats found = {.field_id = field_id,
                                    .size_bytes = numbers[0],
                                    .value_count = numbers[1],
                                    .null_count = numbers[2],
                                    .nan_count = numbers[3],
                                    .lower = lower ? *lower : (calve_str){0},
                                    .upper = upper ? *upper : (calve_str){0}};
  return CALVE_STRUCT_WRITE(out, calve_column_stats, upper, &found, err);
}

const int64_t *calve_plan_task_split_offsets(const calve_plan_task *task, size_t *count) {
  const calve_i64_list *offsets = &detail_of(task)->file.split_offsets;
  *count = offsets->count;
  return offsets->items;
}

/* ---- what was done -------------------------------------------------------------------------- */

calve_status calve_plan_get_counts(calve_plan *plan, calve_plan_counts *out, calve_error *err) {
  const calve_scan_report *report = calve_scan_get_report(plan->scan);
  const calve_scan_spec_report *all = &report->all;
  const calve_plan_counts counts = {
      .manifests_total = all->manifests_total,
      .manifests_opened = all->manifests_opened,
      .files_total = all->files_total,
      .files_kept = all->files_kept,
      .files_skipped_by_partition = all->files_skipped_partition,
      .files_skipped_by_stats = all->files_skipped_metrics,
      .files_in_skipped_manifests = all->files_in_skipped_manifests,
      .rows_total = all->rows_total,
      .rows_kept = all->rows_kept,
      .bytes_kept = all->bytes_kept,
      .files_matching_wholly = all->files_matching_wholly,
      .rows_matching_wholly = all->rows_matching_wholly,
      .files_with_deletes = all->files_with_deletes,
      .nothing_matches = report->nothing_matches,
  };
  return CALVE_STRUCT_WRITE(out, calve_plan_counts, files_with_deletes, &counts, err);
}

calve_status calve_plan_explain(calve_plan *plan, bool json, calve_str *out, calve_error *err) {
  calve_buffer text;
  calve_buffer_init(&text, plan->allocator);
  calve_str name = calve_table_full_name(plan->table);
  if (json)
    calve_scan_explain_json(plan->scan, name, &text);
  else
    calve_scan_explain_text(plan->scan, name, &text);
  return keep_text(&text, &plan->arena, out, err);
}

calve_str calve_plan_unused(const calve_plan *plan, size_t index) {
  return index < plan->notes.unused_count ? plan->notes.unused[index] : (calve_str){NULL, 0};
}

static calve_status why_partition(calve_plan *plan, calve_str name, bool json, calve_buffer *text,
                                  calve_error *err) {
  calve_scan_partition_why why;
  int64_t files = 0;
  CALVE_TRY(with_list(
      plan, calve_scan_explain_partition(&plan->params, name, &plan->arena, &why, err), err));
  for (size_t i = 0; i < CALVE_VERDICT_COUNT; i++) files = calve_sum(files, why.files[i]);
  if (files == 0)
    return calve_fail(err, CALVE_ENOTFOUND, NULL, "the snapshot has no file in the partition %.*s",
                      CALVE_STR_ARG(name));
  const calve_schema *schema = calve_scan_schema(plan->scan);
  if (json)
    calve_scan_partition_json(&why, name, schema, text);
  else
    calve_scan_partition_text(&why, name, schema, text);
  return CALVE_OK;
}

static calve_status why_file(calve_plan *plan, calve_str path, bool json, calve_buffer *text,
                             calve_error *err) {
  calve_scan_why why;
  CALVE_TRY(with_list(
      plan, calve_scan_explain_file(&plan->params, path, &plan->arena, &why, err), err));
  if (why.verdict == CALVE_VERDICT_NOT_FOUND)
    return calve_fail(err, CALVE_ENOTFOUND, NULL, "%.*s is no live file of the snapshot",
                      CALVE_STR_ARG(path));
  const calve_schema *schema = calve_scan_schema(plan->scan);
  if (json)
    calve_scan_why_json(&why, path, schema, text);
  else
    calve_scan_why_text(&why, path, schema, text);
  return CALVE_OK;
}

calve_status calve_plan_why(calve_plan *plan, const char *path, bool json, calve_str *out,
                            calve_error *err) {
  CALVE_TRY(calve_api__require(path, "path", err));
  calve_str what = calve_str_of(path);
  calve_buffer text;
  calve_buffer_init(&text, plan->allocator);
  bool partition = calve_scan_is_partition(plan->params.metadata, what);
  calve_status status = (partition ? why_partition : why_file)(plan, what, json, &text, err);
  if (status == CALVE_OK) return keep_text(&text, &plan->arena, out, err);
  calve_buffer_free(&text);
  return status;
}
