/* SPDX-License-Identifier: Apache-2.0 */
/* sql/query_push: which conditions of a query hold for the rows of each table in it.
 * In: the engine's JSON form of a SELECT, the schemas of its Iceberg tables. Out: for each of them
 * the conditions by which its rows may be filtered first without changing the result: of WHERE, ON
 * and HAVING, brought down through subqueries, common table expressions and set operations, and
 * carried over by equal columns. Used by the session's query files only. Never looks a table up.
 * What it does not understand says nothing: a table may get too few conditions, never a wrong
 * one. */
#ifndef CALVE_SQL_QUERY_PUSH_H
#define CALVE_SQL_QUERY_PUSH_H

#include "codec/json.h"
#include "model/schema.h"

typedef struct calve_push_table {
  size_t offset;  /* of the name in the query's text                                 */
  calve_str name; /* which columns may be qualified by when there is no alias        */
  const calve_schema *schema;
  int64_t item; /* out: what columns are bound to, see calve_where_options         */
  const calve_json *const *conditions; /* out: all of them hold                                 */
  size_t condition_count;
} calve_push_table;

typedef struct calve_push_options {
  calve_push_table *tables; /* Iceberg tables only, in any order                                */
  size_t table_count;
  bool has_macros; /* then a function may be a window's or an aggregate                         */
} calve_push_options;

CALVE_MUST_USE calve_status calve_query_push(calve_push_options *options, const calve_json *ast,
                                             calve_arena *arena, calve_error *err);

#endif
