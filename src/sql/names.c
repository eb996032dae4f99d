/* SPDX-License-Identifier: Apache-2.0 */
/* Names and literals of statements, as the catalog and the tables understand them. */
#include "data/sql_text.h"
#include "data/types.h"
#include "sql/session.h"
#include "sql/table_warnings.h"

calve_status calve_exec_may_write(calve_exec *x, calve_error *err) {
  if (!x->session->read_only) return CALVE_OK;
  return calve_fail(err, CALVE_EDENIED, NULL,
                    "the session is read-only: the statement would change something");
}

/* The parts behind the catalog's own name, if that stands in front. */
static void without_catalog(calve_exec *x, const calve_name *name, size_t least,
                            const calve_str **parts, size_t *count) {
  *parts = name->parts;
  *count = name->part_count;
  if (*count <= least) return;
  if (calve_str_equal_nocase((*parts)[0], calve_catalog_name(x->session->catalog))) {
    (*parts)++;
    (*count)--;
  }
}

calve_status calve_exec_namespace(calve_exec *x, const calve_name *name, calve_namespace *out,
                                  calve_error *err) {
  without_catalog(x, name, 1, &out->levels, &out->count);
  if (out->count > CALVE_NAMESPACE_LEVELS_MAX)
    return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)name->offset,
                         "a namespace has at most %d levels", CALVE_NAMESPACE_LEVELS_MAX);
  return CALVE_OK;
}

calve_status calve_exec_table_name(calve_exec *x, const calve_name *name, calve_table_name *out,
                                   calve_error *err) {
  const calve_str *parts;
  size_t count;
  without_catalog(x, name, 2, &parts, &count);
  out->name = parts[count - 1];
  out->space = (calve_namespace){parts, count - 1};
  if (count > 1) return CALVE_OK;
  out->space = x->session->space;
  if (out->space.count > 0) return CALVE_OK;
  return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)name->offset,
                       "table %.*s needs a namespace: write namespace.%.*s, or USE one first",
                       CALVE_STR_ARG(out->name), CALVE_STR_ARG(out->name));
}

calve_status calve_exec_open(calve_exec *x, const calve_table_name *name, calve_table **out,
                             calve_error *err) {
  calve_table *table;
  CALVE_TRY(calve_table_load(x->session->catalog, name, &table, err));
  calve_status status = calve_exec_warn_of_table(x, table, err);
  if (status != CALVE_OK) {
    calve_table_close(table);
    return status;
  }
  *out = table;
  return CALVE_OK;
}

calve_status calve_exec_load(calve_exec *x, const calve_name *name, calve_table **out,
                             calve_error *err) {
  calve_table_name table;
  CALVE_TRY(calve_exec_table_name(x, name, &table, err));
  return calve_exec_open(x, &table, out, err);
}

calve_status calve_exec_is_engine_table(calve_exec *x, const calve_name *name, bool *out,
                                        calve_error *err) {
  bool exists = false;
  *out = false;
  if (name->part_count != 1) return CALVE_OK;
  if (x->session->space.count > 0) {
    calve_table_name table = {.space = x->session->space, .name = name->parts[0]};
    CALVE_TRY(calve_catalog_table_exists(x->session->catalog, &table, &exists, err));
  }
  if (exists) return CALVE_OK;
  int64_t count = 0;
  calve_buffer sql;
  calve_buffer_init(&sql, x->session->allocator);
  calve_buffer_puts(&sql, "SELECT count(*) FROM duckdb_tables() WHERE lower(table_name) = lower(");
  calve_sql_string(&sql, name->parts[0]);
  calve_buffer_putc(&sql, ')');
  calve_status status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK)
    status = calve_engine_query_i64(x->session->engine, calve_buffer_cstr(&sql), 0, &count, 1,
                                    err);
  calve_buffer_free(&sql);
  if (status == CALVE_OK) *out = count > 0;
  return status;
}

calve_status calve_exec_dotted(calve_exec *x, const calve_name *name, calve_str *out,
                               calve_error *err) {
  if (name->part_count == 1) {
    *out = name->parts[0];
    return CALVE_OK;
  }
  calve_buffer text;
  calve_buffer_init(&text, x->session->allocator);
  for (size_t i = 0; i < name->part_count; i++) {
    if (i > 0) calve_buffer_putc(&text, '.');
    calve_buffer_put_str(&text, name->parts[i]);
  }
  calve_status status = calve_buffer_check(&text, err);
  if (status == CALVE_OK) status = calve_arena_str(x->arena, calve_buffer_view(&text), out, err);
  calve_buffer_free(&text);
  return status;
}

bool calve_exec_case_matters(const calve_schema *schema) {
  return calve_sql_type_clash(schema->root) != NULL;
}

const calve_schema_node *calve_exec_find_column(const calve_schema *schema, calve_str name) {
  const calve_schema_node *node;
  bool case_matters = calve_exec_case_matters(schema);
  return calve_schema_resolve(schema, name, case_matters, &node, NULL) == CALVE_OK ? node : NULL;
}

/* The engine casts: what it would take into such a column is what a literal may be. */
static calve_status cast_literal(calve_exec *x, const char *sql, calve_str text,
                                 const calve_type *type, calve_value *out, calve_error *err) {
  calve_rows *rows = NULL;
  calve_error cause = {0};
  char type_text[CALVE_TYPE_TEXT_MAX];
  calve_status status = calve_engine_query(x->session->engine, sql, &rows, &cause);
  bool more = false;
  if (status == CALVE_OK) status = calve_rows_next(rows, &more, &cause);
  calve_value value = calve_value_null(type->id);
  if (status == CALVE_OK && more && calve_rows_count(rows) == 1 && !calve_rows_is_null(rows, 0, 0))
    status = calve_rows_value(rows, 0, 0, type, &value, &cause);
  bool not_its_fault = status == CALVE_ENOMEM || status == CALVE_ECANCELLED;
  if (status == CALVE_OK)
    status = calve_value_copy(&value, x->arena, out, err);
  else if (not_its_fault && err)
    *err = cause;
  else if (!not_its_fault)
    status = calve_fail(err, CALVE_EINVAL, "SQL", "%.*s is no value of type %s: %s",
                        CALVE_STR_ARG(text), calve_type_text(type, type_text), cause.message);
  calve_rows_free(rows);
  return status;
}

calve_status calve_exec_literal(calve_exec *x, calve_str text, const calve_type *type,
                                calve_value *out, calve_error *err) {
  char type_text[CALVE_TYPE_TEXT_MAX];
  if (!calve_type_is_primitive(type) || type->id == CALVE_UNKNOWN ||
      calve_sql_type_unreadable(type))
    return calve_fail(err, CALVE_EUNSUPPORTED, "SQL", "%.*s can't be read as a value of type %s",
                      CALVE_STR_ARG(text), calve_type_text(type, type_text));
  calve_buffer sql;
  calve_buffer_init(&sql, x->session->allocator);
  calve_buffer_puts(&sql, "SELECT CAST((");
  calve_buffer_put_str(&sql, text);
  calve_buffer_puts(&sql, ") AS ");
  calve_sql_type(&sql, type);
  calve_buffer_putc(&sql, ')');
  calve_status status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK)
    status = cast_literal(x, calve_buffer_cstr(&sql), text, type, out, err);
  calve_buffer_free(&sql);
  return status;
}
