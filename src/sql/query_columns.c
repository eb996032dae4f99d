/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/query_columns.h"

#include "data/types.h"
#include "sql/insert.h"
#include "sql/source_rows.h"

static calve_status one_column(calve_exec *x, duckdb_prepared_statement statement, idx_t index,
                               calve_query_column *out, calve_error *err) {
  const char *name = duckdb_prepared_statement_column_name(statement, index);
  calve_status status = calve_arena_str(x->arena, calve_str_of(name), &out->name, err);
  duckdb_free((void *)(uintptr_t)name);
  CALVE_TRY(status);
  duckdb_logical_type type = duckdb_prepared_statement_column_logical_type(statement, index);
  calve_error problem = {0};
  status = calve_type_of_duckdb(type, x->arena, &out->type, &problem);
  duckdb_destroy_logical_type(&type);
  if (status == CALVE_OK) return CALVE_OK;
  if (status == CALVE_ENOMEM) return calve_fail_oom(err);
  out->type = NULL;
  return calve_arena_str(x->arena, calve_str_of(problem.message), &out->problem, err);
}

calve_status calve_query_columns(calve_exec *x, calve_str query, const calve_query_column **out,
                                 size_t *out_count, calve_error *err) {
  calve_str text;
  duckdb_prepared_statement statement = NULL;
  CALVE_TRY(calve_source_check(x, query, err));
  CALVE_TRY(calve_arena_str(x->arena, query, &text, err));
  CALVE_TRY(calve_engine_prepare(x->session->engine, text.data, &statement, err));
  idx_t count = duckdb_prepared_statement_column_count(statement);
  calve_query_column *columns = CALVE_NEW_ARRAY(x->arena, calve_query_column, count);
  calve_status status = columns ? CALVE_OK : calve_fail_oom(err);
  for (idx_t i = 0; i < count && status == CALVE_OK; i++)
    status = one_column(x, statement, i, &columns[i], err);
  duckdb_destroy_prepare(&statement);
  if (status != CALVE_OK) return status;
  *out = columns;
  *out_count = count;
  return CALVE_OK;
}

/* A copy of the type with ids from *next on: the engine's types have none. */
static calve_status number_type(calve_arena *arena, const calve_type *type, int32_t *next,
                                const calve_type **out, calve_error *err) {
  *out = type;
  if (!calve_type_is_nested(type)) return CALVE_OK;
  calve_type *copy = CALVE_NEW(arena, calve_type);
  calve_field *fields = CALVE_NEW_ARRAY(arena, calve_field, (size_t)type->field_count);
  if (!copy || !fields) return calve_fail_oom(err);
  for (int32_t i = 0; i < type->field_count; i++) {
    fields[i] = type->fields[i];
    fields[i].id = (*next)++;
    CALVE_TRY(number_type(arena, type->fields[i].type, next, &fields[i].type, err));
  }
  *copy = *type;
  copy->fields = fields;
  *out = copy;
  return CALVE_OK;
}

calve_status calve_exec_query_schema(calve_exec *x, calve_str query, const calve_schema **out,
                                     calve_error *err) {
  const calve_query_column *columns;
  size_t count;
  CALVE_TRY(calve_query_columns(x, query, &columns, &count, err));
  calve_field *fields = CALVE_NEW_ARRAY(x->arena, calve_field, count);
  calve_type *root = CALVE_NEW(x->arena, calve_type);
  if (!fields || !root) return calve_fail_oom(err);
  int32_t next = 1;
  for (size_t i = 0; i < count; i++) {
    if (!columns[i].type)
      return calve_fail(err, CALVE_EUNSUPPORTED, columns[i].name.data,
                        "the query's column can't be a column of a table: %s",
                        columns[i].problem.data);
    fields[i] = (calve_field){.id = next++, .name = columns[i].name};
    CALVE_TRY(number_type(x->arena, columns[i].type, &next, &fields[i].type, err));
  }
  *root = (calve_type){.id = CALVE_STRUCT, .field_count = (int32_t)count, .fields = fields};
  return calve_schema_make(0, root, NULL, 0, x->arena, out, err);
}
