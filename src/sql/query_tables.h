/* SPDX-License-Identifier: Apache-2.0 */
/* sql/query_tables: which tables a query names.
 * In: the engine's JSON form of a parsed SELECT (json_serialize_sql). Out: the references to base
 * tables, with their places in the text. Used by the session's query files only. Never looks a
 * table up. */
#ifndef CALVE_SQL_QUERY_TABLES_H
#define CALVE_SQL_QUERY_TABLES_H

#include "codec/json.h"

typedef struct calve_table_use {
  calve_str catalog, schema, table; /* catalog and schema may be absent                         */
  calve_str alias;                  /* absent when the query gives none                         */
  size_t offset;                    /* of the name in the query's text                          */
} calve_table_use;

/* A column reference of three parts or more: it may be schema.table.column. */
typedef struct calve_column_use {
  const calve_json *names;
  size_t offset;
} calve_column_use;

typedef struct calve_query_tables {
  size_t table_count;
  const calve_table_use *tables; /* common table expressions are left out                       */
  size_t column_count;
  const calve_column_use *columns;
  bool odd_distinct; /* an IS [NOT] DISTINCT FROM stands inside an OR, or beside a list          */
} calve_query_tables;

CALVE_MUST_USE calve_status calve_query_tables_find(const calve_json *ast, calve_arena *arena,
                                                    calve_query_tables *out, calve_error *err);

#endif
