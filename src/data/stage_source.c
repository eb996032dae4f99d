/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "data/sql_text.h"
#include "data/stage.h"
#include "data/store_cast.h"
#include "data/types.h"

/* The source's columns: which field each goes to. */
typedef struct source {
  duckdb_prepared_statement statement;
  size_t column_count;
  int32_t *field_columns; /* by index of the field: its column of the source, or -1             */
  calve_bare_null *bare_nulls; /* by column                                                     */
} source;

/* ---- which column goes where ----------------------------------------------------------------- */

static int32_t field_index(const calve_schema *schema, int32_t field_id) {
  for (int32_t i = 0; i < schema->root->field_count; i++)
    if (schema->root->fields[i].id == field_id) return i;
  return -1;
}

static calve_status assign_columns(const calve_stage *stage, const calve_write_request *q,
                                   source *s, calve_error *err) {
  const calve_type *root = stage->schema->root;
  size_t wanted = q->column_ids ? q->column_count : (size_t)root->field_count;
  if (s->column_count != wanted + (q->traced ? 1 : 0))
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "the query gives %zu column%s, but %zu %s to be written", s->column_count,
                      s->column_count == 1 ? "" : "s", wanted, wanted == 1 ? "is" : "are");
  s->field_columns = CALVE_NEW_ARRAY(stage->arena, int32_t, (size_t)root->field_count);
  if (!s->field_columns) return calve_fail_oom(err);
  for (int32_t i = 0; i < root->field_count; i++) s->field_columns[i] = q->column_ids ? -1 : i;
  for (size_t i = 0; q->column_ids && i < q->column_count; i++) {
    int32_t index = field_index(stage->schema, q->column_ids[i]);
    if (index < 0)
      return calve_fail(err, CALVE_EINVAL, NULL, "the table has no column with field id %d",
                        (int)q->column_ids[i]);
    if (s->field_columns[index] >= 0)
      return calve_fail(err, CALVE_EINVAL, NULL, "column %.*s is listed twice",
                        CALVE_STR_ARG(root->fields[index].name));
    s->field_columns[index] = (int32_t)i;
  }
  return CALVE_OK;
}

/* A column whose type can't be written may be left out of the files when that reads as null. */
static calve_status check_column(const calve_stage *stage, const source *s, int32_t index,
                                 bool *left_out, calve_error *err) {
  const calve_field *field = &stage->schema->root->fields[index];
  const calve_type *part = calve_sql_type_unwritable(field->type);
  const calve_field *clash = calve_sql_type_clash(field->type);
  char text[CALVE_TYPE_TEXT_MAX];
  for (int32_t i = 0; i < index && !clash; i++)
    if (calve_str_equal_nocase(stage->schema->root->fields[i].name, field->name)) clash = field;
  *left_out = part && s->field_columns[index] < 0 && !field->required && !field->initial_default &&
              !field->write_default;
  if (part && !*left_out)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                      "column %.*s can't be written: this version can't write %s%s",
                      CALVE_STR_ARG(field->name), calve_type_text(part, text),
                      part->id == CALVE_UNKNOWN ? ", which is always null: leave it out" : "");
  if (clash)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                      "column %.*s can't be written: the name %.*s is there twice but for upper "
                      "and lower case; rename one of them",
                      CALVE_STR_ARG(field->name), CALVE_STR_ARG(clash->name));
  return CALVE_OK;
}

/* ---- bare nulls ------------------------------------------------------------------------------ */

/* "(source) AS s(x0, x1, …)"; the source may end in a comment. */
static void put_from(const calve_write_request *q, const source *s, calve_buffer *sql) {
  calve_buffer_puts(sql, "(");
  calve_buffer_puts(sql, q->source);
  calve_buffer_puts(sql, "\n) AS s(");
  for (size_t i = 0; i < s->column_count; i++)
    calve_buffer_printf(sql, "%sx%zu", i > 0 ? ", " : "", i);
  calve_buffer_putc(sql, ')');
}

/* A prepared statement says INTEGER for a bare NULL. It matters where no integer may be stored. */
static bool may_be_bare_null(const calve_stage *stage, const source *s, int32_t index) {
  int32_t column = s->field_columns[index];
  if (column < 0) return false;
  duckdb_type given = duckdb_prepared_statement_column_type(s->statement, (idx_t)column);
  if (given == DUCKDB_TYPE_STRUCT || given == DUCKDB_TYPE_LIST || given == DUCKDB_TYPE_MAP)
    return true;
  if (given != DUCKDB_TYPE_INTEGER) return false;
  switch (stage->schema->root->fields[index].type->id) {
    case CALVE_INT:
    case CALVE_LONG:
    case CALVE_FLOAT:
    case CALVE_DOUBLE:
    case CALVE_DECIMAL:
    case CALVE_STRING:
      return false;
    default:
      return true;
  }
}

static calve_bare_null bare_null_of(calve_str type) {
  static const char word[] = "\"NULL\"";
  size_t size = sizeof word - 1;
  for (size_t i = 0; i + size <= type.size; i++)
    if (memcmp(type.data + i, word, size) == 0)
      return type.size == size ? CALVE_BARE_NULL_WHOLE : CALVE_BARE_NULL_INSIDE;
  return CALVE_BARE_NULL_NO;
}

static calve_status ask_for_types(const calve_stage *stage, const calve_write_request *q, source *s,
                                  calve_error *err) {
  calve_buffer sql;
  calve_buffer_init(&sql, calve_engine_allocator(stage->engine));
  /* The join gives one row whatever the source gives, and the limit keeps the source from running.
   */
  calve_buffer_puts(&sql, "SELECT ");
  for (size_t i = 0; i < s->column_count; i++)
    calve_buffer_printf(&sql, "%stypeof(x%zu)", i > 0 ? ", " : "", i);
  calve_buffer_puts(&sql, " FROM (SELECT 1) LEFT JOIN (SELECT * FROM ");
  put_from(q, s, &sql);
  calve_buffer_puts(&sql, " LIMIT 0) ON true");
  const char *text = calve_buffer_cstr(&sql);
  calve_rows *rows = NULL;
  bool more = false;
  calve_status status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK) status = calve_engine_query(stage->engine, text, &rows, err);
  if (status == CALVE_OK) status = calve_rows_next(rows, &more, err);
  for (size_t i = 0; status == CALVE_OK && more && i < s->column_count; i++)
    s->bare_nulls[i] = bare_null_of(calve_rows_text(rows, i, 0));
  calve_rows_free(rows);
  calve_buffer_free(&sql);
  return status;
}

static calve_status find_bare_nulls(const calve_stage *stage, const calve_write_request *q,
                                    source *s, calve_error *err) {
  s->bare_nulls = CALVE_NEW_ARRAY(stage->arena, calve_bare_null, s->column_count);
  if (!s->bare_nulls) return calve_fail_oom(err);
  for (int32_t i = 0; i < stage->schema->root->field_count; i++)
    if (may_be_bare_null(stage, s, i)) return ask_for_types(stage, q, s, err);
  return CALVE_OK;
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* A column that the statement does not mention. */
static calve_status put_default(const calve_field *field, calve_buffer *sql, calve_error *err) {
  const calve_value *value = field->write_default;
  if (value && !value->is_null && !calve_type_is_nested(field->type))
    return calve_sql_value(sql, value, field->type, err);
  if (field->required && !value)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "column %.*s is required (NOT NULL) and has no default; give it a value",
                      CALVE_STR_ARG(field->name));
  calve_buffer_puts(sql, "NULL::");
  calve_sql_type(sql, field->type);
  return CALVE_OK;
}

static calve_status put_column(const calve_stage *stage, const source *s, int32_t index,
                               calve_str place, calve_buffer *sql, calve_error *err) {
  const calve_field *field = &stage->schema->root->fields[index];
  int32_t column = s->field_columns[index];
  if (column < 0) return put_default(field, sql, err);
  calve_str input;
  CALVE_TRY(calve_arena_printf(stage->arena, &input, err, "x%d", (int)column));
  duckdb_logical_type type =
      duckdb_prepared_statement_column_logical_type(s->statement, (idx_t)column);
  calve_status status =
      calve_store_cast(type, s->bare_nulls[column], field, input, place, stage->arena, sql, err);
  duckdb_destroy_logical_type(&type);
  return status;
}

/* The column of a traced request: NOT NULL is looked at row by row, too. */
static calve_status put_traced(const calve_stage *stage, const source *s, int32_t index,
                               calve_str place, calve_buffer *sql, calve_error *err) {
  const calve_field *field = &stage->schema->root->fields[index];
  if (!field->required) return put_column(stage, s, index, place, sql, err);
  calve_str text;
  CALVE_TRY(calve_arena_printf(stage->arena, &text, err,
                               "column %.*s is required (NOT NULL), but has no value there",
                               CALVE_STR_ARG(field->name)));
  calve_buffer_puts(sql, "coalesce(");
  CALVE_TRY(put_column(stage, s, index, place, sql, err));
  calve_buffer_puts(sql, ", error(");
  calve_buffer_put_str(sql, place);
  calve_buffer_puts(sql, " || ");
  calve_sql_string(sql, text);
  calve_buffer_puts(sql, ")::");
  calve_sql_type(sql, field->type);
  calve_buffer_putc(sql, ')');
  return CALVE_OK;
}

static calve_status put_columns(calve_stage *stage, const source *s, bool traced,
                                calve_buffer *sql, calve_error *err) {
  int32_t count = stage->schema->root->field_count;
  bool any = false;
  calve_str place = {NULL, 0};
  if (traced)
    CALVE_TRY(calve_arena_printf(stage->arena, &place, err, "x%zu", s->column_count - 1));
  for (int32_t i = 0; i < count; i++) {
    bool left_out = false;
    CALVE_TRY(check_column(stage, s, i, &left_out, err));
    left_out |= traced && s->field_columns[i] < 0;
    stage->columns[i] = !left_out;
    if (left_out) continue;
    calve_buffer_puts(sql, any ? ", " : "SELECT ");
    CALVE_TRY(traced ? put_traced(stage, s, i, place, sql, err)
                     : put_column(stage, s, i, place, sql, err));
    calve_buffer_printf(sql, " AS c%d", (int)i);
    any = true;
  }
  return CALVE_OK;
}

calve_status calve_stage__source(calve_stage *stage, const calve_write_request *q,
                                 calve_buffer *sql, calve_error *err) {
  source s = {0};
  CALVE_TRY(calve_engine_prepare(stage->engine, q->source, &s.statement, err));
  s.column_count = (size_t)duckdb_prepared_statement_column_count(s.statement);
  stage->columns = CALVE_NEW_ARRAY(stage->arena, bool, (size_t)stage->schema->root->field_count);
  calve_status status = stage->columns ? CALVE_OK : calve_fail_oom(err);
  if (status == CALVE_OK) status = assign_columns(stage, q, &s, err);
  if (status == CALVE_OK) status = find_bare_nulls(stage, q, &s, err);
  if (status == CALVE_OK) status = put_columns(stage, &s, q->traced, sql, err);
  duckdb_destroy_prepare(&s.statement);
  calve_buffer_puts(sql, " FROM ");
  put_from(q, &s, sql);
  return status;
}
