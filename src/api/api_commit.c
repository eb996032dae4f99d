/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "api/api_parts.h"
#include "base/text.h"
#include "expr/predicate_text.h"

struct calve_commit {
  calve_table *table;
  const calve_allocator *allocator;
  calve_arena arena;
  calve_snapshot_update *update;
  bool used;
};

calve_status calve_commit_begin(calve_table *table, calve_commit **out, calve_error *err) {
  const calve_allocator *allocator = calve_table_allocator(table);
  calve_commit *c = allocator->resize(allocator->ctx, NULL, 0, sizeof *c);
  if (!c) return calve_fail_oom(err);
  *c = (calve_commit){.table = table, .allocator = allocator};
  calve_arena_init(&c->arena, allocator);
  calve_status status = calve_snapshot_update_make(allocator, &c->update, err);
  if (status != CALVE_OK) {
    calve_commit_free(c);
    return status;
  }
  *out = c;
  return CALVE_OK;
}

void calve_commit_free(calve_commit *c) {
  if (!c) return;
  const calve_allocator *allocator = c->allocator;
  calve_snapshot_update_free(c->update);
  calve_arena_free(&c->arena);
  allocator->resize(allocator->ctx, c, sizeof *c, 0);
}

/* ---- records ---- */

static int by_field_id(const void *a, const void *b) {
  int32_t x = ((const calve_column_stats *)a)->field_id;
  int32_t y = ((const calve_column_stats *)b)->field_id;
  return (x > y) - (x < y);
}

typedef enum stat { SIZES, VALUES, NULLS, NANS, STAT_COUNT } stat;

static int64_t stat_of(const calve_column_stats *c, stat which) {
  switch (which) {
    case SIZES:
      return c->size_bytes;
    case VALUES:
      return c->value_count;
    case NULLS:
      return c->null_count;
    default:
      return c->nan_count;
  }
}

/* A copy of the record's statistics, by field id. */
static calve_status sort_stats(const calve_file_record *record, calve_arena *arena,
                               const calve_column_stats **out, calve_error *err) {
  size_t count = record->column_count;
  if (!record->columns)
    return calve_fail(err, CALVE_EINVAL, record->path, "column_count is %zu, but columns is NULL",
                      count);
  calve_column_stats *sorted = CALVE_NEW_ARRAY(arena, calve_column_stats, count);
  if (!sorted) return calve_fail_oom(err);
  size_t stride = record->columns[0].struct_size;
  for (size_t i = 0; i < count; i++) {
    const void *at = (const char *)record->columns + i * stride;
    const calve_column_stats *one = at;
    if (one->struct_size != stride)
      return calve_fail(err, CALVE_EINVAL, record->path,
                        "the struct_size of column %zu differs from that of the first", i);
    CALVE_TRY(CALVE_STRUCT_READ(one, calve_column_stats, upper, &sorted[i], err));
  }
  qsort(sorted, count, sizeof *sorted, by_field_id);
  for (size_t i = 1; i < count; i++)
    if (sorted[i].field_id == sorted[i - 1].field_id)
      return calve_fail(err, CALVE_EINVAL, record->path, "field id %d has statistics twice",
                        sorted[i].field_id);
  *out = sorted;
  return CALVE_OK;
}

/* The lists of a manifest entry: by field id, without what is not known. */
static calve_status fill_stats(const calve_file_record *record, calve_arena *arena,
                               calve_data_file *out, calve_error *err) {
  size_t count = record->column_count;
  if (count == 0) return CALVE_OK;
  const calve_column_stats *sorted = NULL;
  CALVE_TRY(sort_stats(record, arena, &sorted, err));
  calve_id_bytes *lower = CALVE_NEW_ARRAY(arena, calve_id_bytes, count);
  calve_id_bytes *upper = CALVE_NEW_ARRAY(arena, calve_id_bytes, count);
  if (!lower || !upper) return calve_fail_oom(err);
  out->lower_bounds.items = lower;
  out->upper_bounds.items = upper;
  for (size_t i = 0; i < count; i++) {
    if (sorted[i].lower.data)
      lower[out->lower_bounds.count++] = (calve_id_bytes){sorted[i].field_id, sorted[i].lower};
    if (sorted[i].upper.data)
      upper[out->upper_bounds.count++] = (calve_id_bytes){sorted[i].field_id, sorted[i].upper};
  }
  calve_id_i64_list *lists[STAT_COUNT] = {&out->column_sizes, &out->value_counts,
                                          &out->null_value_counts, &out->nan_value_counts};
  for (int which = SIZES; which < STAT_COUNT; which++) {
    calve_id_i64 *items = CALVE_NEW_ARRAY(arena, calve_id_i64, count);
    if (!items) return calve_fail_oom(err);
    lists[which]->items = items;
    for (size_t i = 0; i < count; i++) {
      int64_t value = stat_of(&sorted[i], (stat)which);
      if (value >= 0)
        items[lists[which]->count++] = (calve_id_i64){sorted[i].field_id, value};
    }
  }
  return CALVE_OK;
}

static const calve_json *member(const calve_json *object, calve_str key) {
  for (size_t i = 0; object && object->kind == CALVE_JSON_OBJECT && i < object->count; i++)
    if (calve_str_equal(object->keys[i], key)) return &object->items[i];
  return NULL;
}

/* The value of one partition field, from the column's value in the caller's JSON. */
static calve_status partition_value(const calve_metadata *m, const calve_partition_field *field,
                                    const calve_json *values, const char *path,
                                    calve_arena *arena, calve_value *out, calve_error *err) {
  if (field->transform.kind == CALVE_VOID) {
    *out = calve_value_null(CALVE_UNKNOWN);
    return CALVE_OK;
  }
  const calve_schema_node *node = calve_schema_find_id(m->schema, field->source_id);
  if (!node)
    return calve_fail(err, CALVE_EINVAL, path,
                      "the column of partition field \"%.*s\" has been dropped",
                      CALVE_STR_ARG(field->name));
  const calve_json *value = member(values, node->full_name);
  if (!value)
    return calve_fail(err, CALVE_EINVAL, path,
                      "values_json lacks column \"%.*s\", which the table is partitioned by",
                      CALVE_STR_ARG(node->full_name));
  calve_json_reader r;
  calve_value in;
  calve_json_open(&r, value->raw, path, arena);
  CALVE_TRY(calve_value_read_json(&r, node->field->type, &in, err));
  return calve_transform_apply(&field->transform, node->field->type, &in, out, err);
}

static calve_status fill_partition(const calve_metadata *m, const calve_file_record *record,
                                   calve_arena *arena, calve_data_file *out, calve_error *err) {
  int32_t spec_id = record->spec_id == -1 ? m->default_spec_id : record->spec_id;
  const calve_spec *spec = calve_metadata_spec(m, spec_id);
  if (!spec)
    return calve_fail(err, CALVE_EINVAL, record->path, "the table has no partition spec %d",
                      spec_id);
  const calve_json *values = NULL;
  if (record->values_json)
    CALVE_TRY(calve_json_parse(calve_str_of(record->values_json), "values_json", arena, &values,
                               err));
  calve_value *tuple = CALVE_NEW_ARRAY(arena, calve_value, (size_t)spec->field_count);
  if (!tuple) return calve_fail_oom(err);
  for (int32_t i = 0; i < spec->field_count; i++)
    CALVE_TRY(
        partition_value(m, &spec->fields[i], values, record->path, arena, &tuple[i], err));
  out->spec_id = spec_id;
  out->partition = tuple;
  out->partition_count = spec->field_count;
  return CALVE_OK;
}

calve_status calve_commit_add_file(calve_commit *c, const calve_file_record *record,
                                   calve_error *err) {
  calve_file_record own;
  CALVE_TRY(CALVE_STRUCT_READ(record, calve_file_record, column_count, &own, err));
  record = &own;
  CALVE_TRY(calve_api__require(record->path, "path", err));
  calve_data_file file = calve_data_file_blank();
  file.content = CALVE_CONTENT_DATA;
  file.path = calve_str_of(record->path);
  file.format = calve_str_of(record->format ? record->format : "PARQUET");
  file.record_count = record->record_count;
  file.file_size_bytes = record->file_size_bytes;
  file.sort_order_id = record->sort_order_id;
  CALVE_TRY(calve_api__of_caller(
      fill_partition(calve_table_metadata(c->table), record, &c->arena, &file, err), err));
  CALVE_TRY(fill_stats(record, &c->arena, &file, err));
  return calve_snapshot_update_add(c->update, &file, err);
}

/* ---- the rest ---- */

calve_status calve_commit_remove_file(calve_commit *c, const char *path, calve_error *err) {
  CALVE_TRY(calve_api__require(path, "path", err));
  return calve_snapshot_update_remove(c->update, calve_str_of(path), -1, err);
}

calve_status calve_commit_remove_where(calve_commit *c, const char *condition, calve_error *err) {
  CALVE_TRY(calve_api__require(condition, "condition", err));
  const calve_predicate *filter;
  bool exact;
  calve_str text;
  CALVE_TRY(calve_arena_str(&c->arena, calve_str_of(condition), &text, err));
  CALVE_TRY(calve_predicate_parse(text, &c->arena, &filter, &exact, err));
  if (!exact)
    return calve_fail(err, CALVE_EUNSUPPORTED, condition,
                      "the condition is more than comparisons of columns with literals: it can't "
                      "be told from statistics which files it holds for");
  return calve_snapshot_update_remove_matching(c->update, filter, err);
}

void calve_commit_replace_partitions(calve_commit *c) {
  calve_snapshot_update_replace_partitions(c->update);
}

calve_status calve_commit_note(calve_commit *c, const char *key, const char *value,
                               calve_error *err) {
  CALVE_TRY(calve_api__require(key, "key", err));
  CALVE_TRY(calve_api__require(value, key, err));
  return calve_snapshot_update_summary(c->update, calve_str_of(key), calve_str_of(value), err);
}

calve_status calve_commit_run(calve_commit *c, calve_error *err) {
  if (c->used)
    return calve_fail(err, CALVE_EINVAL, calve_table_full_name(c->table).data,
                      "the commit was run already; begin a new one");
  c->used = true;
  return calve_table_commit_update(c->table, c->update, err);
}
