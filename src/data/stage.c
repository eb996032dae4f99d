/* SPDX-License-Identifier: Apache-2.0 */
#include "data/stage.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "data/transform_sql.h"

/* Whether field i of the spec has a column in the stage ("p<i>"); void ones are always null. */
static bool has_column(const calve_spec *spec, int32_t i) {
  return spec->fields[i].transform.kind != CALVE_VOID;
}

/* -0.0 and 0.0 are different partitions, but equal to the engine: a second column tells them apart.
 */
static bool has_sign(const calve_stage *stage, int32_t i) {
  calve_type_id id = stage->tuple_types[i]->id;
  return has_column(stage->spec, i) && (id == CALVE_FLOAT || id == CALVE_DOUBLE);
}

/* ---- before the rows ------------------------------------------------------------------------- */

static calve_status check_spec(const calve_stage *stage, calve_error *err) {
  for (int32_t i = 0; i < stage->spec->field_count; i++) {
    const calve_partition_field *f = &stage->spec->fields[i];
    const calve_schema_node *node = calve_schema_find_id(stage->schema, f->source_id);
    if (f->transform.kind == CALVE_VOID) continue;
    if (f->transform.kind == CALVE_TRANSFORM_UNKNOWN || f->source_count > 1)
      return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                        "partition field %.*s has the transform %.*s, which this version can't "
                        "compute; the table can be read but not written",
                        CALVE_STR_ARG(f->name), CALVE_STR_ARG(f->transform.text));
    if (!node || node->inside_repeated)
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "partition field %.*s is made from the column with field id %d, which the "
                        "schema does not have",
                        CALVE_STR_ARG(f->name), (int)f->source_id);
  }
  return CALVE_OK;
}

static calve_status resolve(const calve_write_request *q, calve_stage *stage, calve_error *err) {
  stage->schema = q->schema ? q->schema : q->metadata->schema;
  stage->spec = q->spec ? q->spec : q->metadata->spec;
  stage->order = q->sort_order ? q->sort_order : q->metadata->sort_order;
  CALVE_TRY(check_spec(stage, err));
  return calve_spec_tuple_types(stage->spec, stage->schema, stage->arena, &stage->tuple_types, err);
}

/* ---- the statement --------------------------------------------------------------------------- */

static calve_status put_transform(calve_stage *stage, const calve_transform *t, int32_t source_id,
                                  calve_buffer *sql, calve_error *err) {
  const calve_schema_node *node = calve_schema_find_id(stage->schema, source_id);
  calve_str input;
  CALVE_TRY(calve_stage__path(stage->schema, node, stage->arena, &input, err));
  return calve_sql_transform(stage->engine, t, node->field->type, input, sql, err);
}

static calve_status put_partition_columns(calve_stage *stage, calve_buffer *sql, calve_error *err) {
  for (int32_t i = 0; i < stage->spec->field_count; i++) {
    if (!has_column(stage->spec, i)) continue;
    const calve_partition_field *f = &stage->spec->fields[i];
    calve_buffer_puts(sql, ", ");
    CALVE_TRY(put_transform(stage, &f->transform, f->source_id, sql, err));
    calve_buffer_printf(sql, " AS p%d", (int)i);
    if (!has_sign(stage, i)) continue;
    calve_buffer_puts(sql, ", signbit(");
    CALVE_TRY(put_transform(stage, &f->transform, f->source_id, sql, err));
    /* All NaN are one partition, whatever their sign. */
    calve_buffer_puts(sql, ") AND NOT isnan(");
    CALVE_TRY(put_transform(stage, &f->transform, f->source_id, sql, err));
    calve_buffer_printf(sql, ") AS z%d", (int)i);
  }
  return CALVE_OK;
}

/* "p0, z0, p2"; gives whether there is any. */
static bool put_partition_names(const calve_stage *stage, calve_buffer *sql) {
  bool any = false;
  for (int32_t i = 0; i < stage->spec->field_count; i++) {
    if (!has_column(stage->spec, i)) continue;
    calve_buffer_printf(sql, "%sp%d", any ? ", " : "", (int)i);
    if (has_sign(stage, i)) calve_buffer_printf(sql, ", z%d", (int)i);
    any = true;
  }
  return any;
}

static bool can_sort_by(const calve_stage *stage, const calve_sort_field *f) {
  const calve_schema_node *node = calve_schema_find_id(stage->schema, f->source_id);
  return node && !node->inside_repeated && f->source_count <= 1 &&
         f->transform.kind != CALVE_VOID && f->transform.kind != CALVE_TRANSFORM_UNKNOWN;
}

static calve_status put_sort(calve_stage *stage, calve_buffer *sql, calve_error *err) {
  calve_buffer_puts(sql, " ORDER BY ");
  bool any = put_partition_names(stage, sql);
  for (int32_t i = 0; i < stage->order->field_count; i++) {
    const calve_sort_field *f = &stage->order->fields[i];
    if (!can_sort_by(stage, f))
      return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                        "the table's sort order has a field (source id %d) that this version "
                        "can't sort by",
                        (int)f->source_id);
    if (any) calve_buffer_puts(sql, ", ");
    CALVE_TRY(put_transform(stage, &f->transform, f->source_id, sql, err));
    calve_buffer_puts(sql, f->descending ? " DESC" : " ASC");
    calve_buffer_puts(sql, f->nulls_last ? " NULLS LAST" : " NULLS FIRST");
    any = true;
  }
  return CALVE_OK;
}

/* A name of its own for each table, so that nested use can't clash. */
static void name_table(calve_stage *stage) {
  snprintf(stage->table, sizeof stage->table, "temp.__calve_stage_%llu",
           (unsigned long long)calve_engine_serial(stage->engine));
}

static calve_status make_table(calve_stage *stage, const calve_write_request *q, calve_error *err) {
  calve_buffer sql;
  calve_buffer_init(&sql, calve_engine_allocator(stage->engine));
  char table[sizeof stage->table];
  name_table(stage);
  snprintf(table, sizeof table, "%s", stage->table);
  stage->table[0] = '\0'; /* nothing to drop until it is there */
  calve_buffer_printf(&sql, "CREATE TEMP TABLE %s AS SELECT r.*", table + sizeof "temp." - 1);
  calve_status status = CALVE_OK;
  calve_buffer from;
  calve_buffer_init(&from, calve_engine_allocator(stage->engine));
  status = calve_stage__source(stage, q, &from, err);
  if (status == CALVE_OK) status = put_partition_columns(stage, &sql, err);
  calve_buffer_puts(&sql, " FROM (");
  calve_buffer_put_str(&sql, calve_buffer_view(&from));
  calve_buffer_puts(&sql, ") AS r");
  if (status == CALVE_OK && stage->order->field_count > 0) status = put_sort(stage, &sql, err);
  if (status == CALVE_OK) status = calve_buffer_check(&from, err);
  const char *text = calve_buffer_cstr(&sql);
  if (status == CALVE_OK) status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK) status = calve_engine_run(stage->engine, text, err);
  if (status == CALVE_OK) snprintf(stage->table, sizeof stage->table, "%s", table);
  calve_buffer_free(&from);
  calve_buffer_free(&sql);
  return status;
}

/* ---- partitions ------------------------------------------------------------------------------ */

static calve_status take_tuple(const calve_stage *stage, const calve_rows *rows, size_t row,
                               const calve_value **out, calve_error *err) {
  size_t column = 0;
  calve_value *tuple = CALVE_NEW_ARRAY(stage->arena, calve_value, (size_t)stage->spec->field_count);
  if (!tuple) return calve_fail_oom(err);
  for (int32_t i = 0; i < stage->spec->field_count; i++) {
    const calve_type *type = stage->tuple_types[i];
    if (!has_column(stage->spec, i)) {
      tuple[i] = calve_value_null(type->id);
      continue;
    }
    calve_value v;
    CALVE_TRY(calve_rows_value(rows, column++, row, type, &v, err));
    if (has_sign(stage, i)) {
      bool negative = !v.is_null && calve_rows_i64(rows, column, row) != 0;
      column++;
      /* The engine may have kept either zero for the group. */
      if (!v.is_null && type->id == CALVE_FLOAT && v.f32 == 0.0f) v.f32 = negative ? -0.0f : 0.0f;
      if (!v.is_null && type->id == CALVE_DOUBLE && v.f64 == 0.0) v.f64 = negative ? -0.0 : 0.0;
      if (type->id == CALVE_FLOAT && calve_value_is_nan(&v)) v.f32 = (float)NAN;
      if (type->id == CALVE_DOUBLE && calve_value_is_nan(&v)) v.f64 = (double)NAN;
    }
    CALVE_TRY(calve_value_copy(&v, stage->arena, &tuple[i], err));
  }
  *out = tuple;
  return CALVE_OK;
}

/* Reads the groups; *in_runs tells whether each is one run of row ids. */
static calve_status take_groups(const calve_stage *stage, calve_rows *rows, calve_buffer *groups,
                                bool *in_runs, calve_error *err) {
  size_t columns = calve_rows_column_count(rows);
  *in_runs = true;
  for (;;) {
    bool more;
    CALVE_TRY(calve_rows_next(rows, &more, err));
    if (!more) return calve_buffer_check(groups, err);
    for (size_t i = 0; i < calve_rows_count(rows); i++) {
      calve_stage_group g = {.first_row = calve_rows_i64(rows, columns - 3, i),
                             .row_count = calve_rows_i64(rows, columns - 1, i)};
      CALVE_TRY(take_tuple(stage, rows, i, &g.tuple, err));
      if (calve_rows_i64(rows, columns - 2, i) - g.first_row + 1 != g.row_count) *in_runs = false;
      calve_buffer_put(groups, &g, sizeof g);
    }
  }
}

static calve_status find_groups(calve_stage *stage, bool *in_runs, calve_error *err) {
  calve_buffer sql, groups;
  calve_buffer_init(&sql, calve_engine_allocator(stage->engine));
  calve_buffer_init(&groups, calve_engine_allocator(stage->engine));
  calve_buffer_puts(&sql, "SELECT ");
  bool any = put_partition_names(stage, &sql);
  calve_buffer_printf(&sql, "%smin(rowid), max(rowid), count(*) FROM %s", any ? ", " : "",
                      stage->table);
  if (any) {
    calve_buffer_puts(&sql, " GROUP BY ");
    (void)put_partition_names(stage, &sql);
    calve_buffer_puts(&sql, " ORDER BY min(rowid)");
  } else {
    calve_buffer_puts(&sql, " HAVING count(*) > 0");
  }
  const char *text = calve_buffer_cstr(&sql);
  calve_rows *rows = NULL;
  calve_status status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK) status = calve_engine_query(stage->engine, text, &rows, err);
  if (status == CALVE_OK) status = take_groups(stage, rows, &groups, in_runs, err);
  calve_rows_free(rows);
  if (status == CALVE_OK) {
    stage->group_count = CALVE_COUNT(&groups, calve_stage_group);
    const void *copy = calve_arena_copy(stage->arena, groups.data, groups.size);
    stage->groups = copy;
    stage->row_count = 0;
    if (!copy) status = calve_fail_oom(err);
    for (size_t i = 0; copy && i < stage->group_count; i++)
      stage->row_count += stage->groups[i].row_count;
  }
  calve_buffer_free(&groups);
  calve_buffer_free(&sql);
  return status;
}

/* A second table in which each partition is one run; inside of a partition rows keep their order.
 */
static calve_status sort_by_partition(calve_stage *stage, calve_error *err) {
  char old[sizeof stage->table];
  snprintf(old, sizeof old, "%s", stage->table);
  calve_buffer sql;
  calve_buffer_init(&sql, calve_engine_allocator(stage->engine));
  name_table(stage);
  calve_buffer_printf(&sql, "CREATE TEMP TABLE %s AS SELECT * FROM %s ORDER BY ",
                      stage->table + sizeof "temp." - 1, old);
  (void)put_partition_names(stage, &sql);
  calve_buffer_printf(&sql, ", rowid; DROP TABLE %s", old);
  const char *text = calve_buffer_cstr(&sql);
  calve_status status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK) status = calve_engine_run(stage->engine, text, err);
  if (status != CALVE_OK) {
    calve_stage_drop(stage);
    snprintf(stage->table, sizeof stage->table, "%s", old);
  }
  calve_buffer_free(&sql);
  return status;
}

calve_status calve_stage_make(calve_engine *engine, const calve_write_request *q,
                              calve_arena *arena, calve_stage *out, calve_error *err) {
  calve_stage stage = {.engine = engine, .arena = arena};
  bool in_runs = true;
  CALVE_TRY(resolve(q, &stage, err));
  CALVE_TRY(make_table(&stage, q, err));
  calve_status status = calve_stage__check_rows(&stage, err);
  if (status == CALVE_OK) status = find_groups(&stage, &in_runs, err);
  if (status == CALVE_OK && !in_runs) {
    status = sort_by_partition(&stage, err);
    if (status == CALVE_OK) status = find_groups(&stage, &in_runs, err);
    if (status == CALVE_OK && !in_runs)
      status = calve_fail(err, CALVE_EINVAL, NULL,
                          "the rows can't be put in order; is preserve_insertion_order off?");
  }
  if (status == CALVE_OK)
    *out = stage;
  else
    calve_stage_drop(&stage);
  return status;
}

void calve_stage_drop(calve_stage *stage) {
  if (!stage->table[0]) return;
  char sql[sizeof stage->table + 32];
  snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %s", stage->table);
  /* Not by calve_engine_run: a hook that has just cancelled must not keep the table alive. */
  (void)duckdb_query(calve_engine_connection(stage->engine), sql, NULL);
  stage->table[0] = '\0';
}
