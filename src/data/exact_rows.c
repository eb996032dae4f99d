/* SPDX-License-Identifier: Apache-2.0 */
#include "data/exact_rows.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/text.h"
#include "data/sql_text.h"

static const char *plain_name(duckdb_type id) {
  static const char *const names[] = {
      [DUCKDB_TYPE_BOOLEAN] = "BOOLEAN",
      [DUCKDB_TYPE_TINYINT] = "TINYINT",
      [DUCKDB_TYPE_SMALLINT] = "SMALLINT",
      [DUCKDB_TYPE_INTEGER] = "INTEGER",
      [DUCKDB_TYPE_BIGINT] = "BIGINT",
      [DUCKDB_TYPE_UTINYINT] = "UTINYINT",
      [DUCKDB_TYPE_USMALLINT] = "USMALLINT",
      [DUCKDB_TYPE_UINTEGER] = "UINTEGER",
      [DUCKDB_TYPE_UBIGINT] = "UBIGINT",
      [DUCKDB_TYPE_FLOAT] = "FLOAT",
      [DUCKDB_TYPE_DOUBLE] = "DOUBLE",
      [DUCKDB_TYPE_TIMESTAMP] = "TIMESTAMP",
      [DUCKDB_TYPE_DATE] = "DATE",
      [DUCKDB_TYPE_TIME] = "TIME",
      [DUCKDB_TYPE_INTERVAL] = "INTERVAL",
      [DUCKDB_TYPE_HUGEINT] = "HUGEINT",
      [DUCKDB_TYPE_BLOB] = "BLOB",
      [DUCKDB_TYPE_TIMESTAMP_S] = "TIMESTAMP_S",
      [DUCKDB_TYPE_TIMESTAMP_MS] = "TIMESTAMP_MS",
      [DUCKDB_TYPE_TIMESTAMP_NS] = "TIMESTAMP_NS",
      [DUCKDB_TYPE_UUID] = "UUID",
      [DUCKDB_TYPE_TIMESTAMP_TZ] = "TIMESTAMPTZ",
      [DUCKDB_TYPE_TIME_NS] = "TIME_NS",
  };
  /* Names of an enum are text; types that come later are, too. */
  return (size_t)id < sizeof names / sizeof *names && names[id] ? names[id] : "VARCHAR";
}

static bool is_lost(duckdb_logical_type type, unsigned as_text, int depth);

static bool is_child_lost(duckdb_logical_type child, unsigned as_text, int depth) {
  bool lost = is_lost(child, as_text, depth + 1);
  duckdb_destroy_logical_type(&child);
  return lost;
}

/* Whether Arrow has no such values, or would lose a part of them. */
static bool is_lost(duckdb_logical_type type, unsigned as_text, int depth) {
  bool lost = false;
  if (depth > CALVE_DEPTH_MAX) return true;
  switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_BIT:
    case DUCKDB_TYPE_TIME_TZ:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_BIGNUM:
    case DUCKDB_TYPE_UNION:
    case DUCKDB_TYPE_VARIANT:
      return true;
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return (as_text & CALVE_TEXT_INSTANTS) != 0;
    case DUCKDB_TYPE_INTERVAL:
      return (as_text & CALVE_TEXT_INTERVALS) != 0;
    case DUCKDB_TYPE_LIST:
      return is_child_lost(duckdb_list_type_child_type(type), as_text, depth);
    case DUCKDB_TYPE_ARRAY:
      return is_child_lost(duckdb_array_type_child_type(type), as_text, depth);
    case DUCKDB_TYPE_MAP:
      return is_child_lost(duckdb_map_type_key_type(type), as_text, depth) ||
             is_child_lost(duckdb_map_type_value_type(type), as_text, depth);
    case DUCKDB_TYPE_STRUCT:
      for (idx_t i = 0; i < duckdb_struct_type_child_count(type) && !lost; i++)
        lost = is_child_lost(duckdb_struct_type_child_type(type, i), as_text, depth);
      return lost;
    default:
      return false;
  }
}

/* ---- the type to cast to ------------------------------------------------------------------ */

/* The type as SQL, with VARCHAR in the place of what would be lost. */
static void put_type(calve_buffer *out, duckdb_logical_type type, unsigned as_text, int depth);

/* Writes the type and frees it. */
static void put_child(calve_buffer *out, duckdb_logical_type child, unsigned as_text, int depth) {
  put_type(out, child, as_text, depth + 1);
  duckdb_destroy_logical_type(&child);
}

/* The fields of ROW(…) have no names, and can't be written. */
static bool has_names(duckdb_logical_type type) {
  char *name = duckdb_struct_type_child_name(type, 0);
  bool named = name && name[0];
  duckdb_free(name);
  return named;
}

static void put_struct(calve_buffer *out, duckdb_logical_type type, unsigned as_text, int depth) {
  idx_t count = duckdb_struct_type_child_count(type);
  calve_buffer_puts(out, "STRUCT(");
  for (idx_t i = 0; i < count; i++) {
    char *name = duckdb_struct_type_child_name(type, i);
    if (i > 0) calve_buffer_puts(out, ", ");
    calve_sql_name(out, calve_str_of(name ? name : ""));
    calve_buffer_putc(out, ' ');
    duckdb_free(name);
    put_child(out, duckdb_struct_type_child_type(type, i), as_text, depth);
  }
  calve_buffer_putc(out, ')');
}

static void put_type(calve_buffer *out, duckdb_logical_type type, unsigned as_text, int depth) {
  duckdb_type id = duckdb_get_type_id(type);
  if (depth > CALVE_DEPTH_MAX) id = DUCKDB_TYPE_VARCHAR;
  if (id == DUCKDB_TYPE_DECIMAL) {
    calve_buffer_printf(out, "DECIMAL(%d, %d)", (int)duckdb_decimal_width(type),
                        (int)duckdb_decimal_scale(type));
  } else if (id == DUCKDB_TYPE_STRUCT && has_names(type)) {
    put_struct(out, type, as_text, depth);
  } else if (id == DUCKDB_TYPE_LIST) {
    put_child(out, duckdb_list_type_child_type(type), as_text, depth);
    calve_buffer_puts(out, "[]");
  } else if (id == DUCKDB_TYPE_ARRAY) {
    put_child(out, duckdb_array_type_child_type(type), as_text, depth);
    calve_buffer_printf(out, "[%" PRIu64 "]", (uint64_t)duckdb_array_type_array_size(type));
  } else if (id == DUCKDB_TYPE_MAP) {
    calve_buffer_puts(out, "MAP(");
    put_child(out, duckdb_map_type_key_type(type), as_text, depth);
    calve_buffer_puts(out, ", ");
    put_child(out, duckdb_map_type_value_type(type), as_text, depth);
    calve_buffer_putc(out, ')');
  } else {
    calve_buffer_puts(out, is_lost(type, as_text, 0) ? "VARCHAR" : plain_name(id));
  }
}

/* ---- the query ---------------------------------------------------------------------------- */

/* One column of the outer SELECT, which finds it by place: a name may be there twice. */
static bool put_column(calve_buffer *out, duckdb_prepared_statement statement, idx_t i,
                       unsigned as_text) {
  duckdb_logical_type type = duckdb_prepared_statement_column_logical_type(statement, i);
  const char *name = duckdb_prepared_statement_column_name(statement, i);
  bool lost = is_lost(type, as_text, 0);
  calve_buffer_puts(out, i > 0 ? ", " : "SELECT ");
  calve_buffer_printf(out, lost ? "CAST(calve_%" PRIu64 " AS " : "calve_%" PRIu64, (uint64_t)i);
  if (lost) {
    put_type(out, type, as_text, 0);
    calve_buffer_putc(out, ')');
  }
  calve_buffer_puts(out, " AS ");
  calve_sql_name(out, calve_str_of(name ? name : ""));
  duckdb_free((void *)(uintptr_t)name);
  duckdb_destroy_logical_type(&type);
  return lost;
}

calve_status calve_exact_query(duckdb_prepared_statement statement, const char *sql,
                               unsigned as_text, calve_buffer *out, calve_error *err) {
  if (duckdb_prepared_statement_type(statement) != DUCKDB_STATEMENT_TYPE_SELECT) return CALVE_OK;
  idx_t count = duckdb_prepared_statement_column_count(statement);
  size_t start = out->size;
  bool lost = false;
  for (idx_t i = 0; i < count; i++) lost |= put_column(out, statement, i, as_text);
  if (!lost) {
    out->size = start;
    return CALVE_OK;
  }
  /* On lines of its own: the query may end in a comment. */
  calve_buffer_puts(out, " FROM (\n");
  calve_buffer_puts(out, sql);
  calve_buffer_puts(out, "\n) AS calve_rows(");
  for (idx_t i = 0; i < count; i++)
    calve_buffer_printf(out, "%scalve_%" PRIu64, i > 0 ? ", " : "", (uint64_t)i);
  calve_buffer_putc(out, ')');
  return calve_buffer_check(out, err);
}
