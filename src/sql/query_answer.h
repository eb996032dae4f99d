/* SPDX-License-Identifier: Apache-2.0 */
/* sql/query_answer: queries that metadata answers without reading a data file.
 * In: a query's JSON form; then a table with its condition. Out: the aggregates of SELECT count(*),
 * min(a) … FROM t WHERE …, and their values. Used by the session's query files only. Gives no value
 * that is not exact: each file must meet the condition wholly and have no deletes, and bounds count
 * only where writers take them from all values. [spec: Data File Fields] */
#ifndef CALVE_SQL_QUERY_ANSWER_H
#define CALVE_SQL_QUERY_ANSWER_H

#include "sql/relation.h"

typedef enum calve_aggregate_kind {
  CALVE_AGGREGATE_ROWS,  /* count(*)                                                            */
  CALVE_AGGREGATE_COUNT, /* count(c): values that are not null                                  */
  CALVE_AGGREGATE_MIN,
  CALVE_AGGREGATE_MAX
} calve_aggregate_kind;

typedef struct calve_aggregate {
  calve_aggregate_kind kind;
  const calve_json *column; /* a COLUMN_REF; NULL for ROWS                                      */
  const calve_field *field; /* what that is; filled by who knows the table                      */
} calve_aggregate;

/* The aggregates, when the statement is nothing but them over one table; else *out_count is 0.
 * Columns are not resolved yet. */
CALVE_MUST_USE calve_status calve_answer_shape(const calve_json *ast, calve_arena *arena,
                                               calve_aggregate **out, size_t *out_count,
                                               calve_error *err);

/* The column, or a field in it, that a COLUMN_REF means in a query of one table, whose columns may
 * be qualified by `table` or space.table; NULL when it is none. */
const calve_field *calve_answer_column(const calve_schema *schema, calve_str space,
                                       calve_str table, const calve_json *node);

/* How many rows of one table a statement wants that is nothing but SELECT columns FROM t WHERE …
 * LIMIT n OFFSET m: any n + m of them will do. 0: all, or the order decides which. */
int64_t calve_answer_limit(const calve_json *ast);

/* The values of request->aggregates as SQL expressions, in the arena; *out NULL when metadata does
 * not tell. Reads manifests up to the first file that is not decided. */
CALVE_MUST_USE calve_status calve_answer_find(calve_exec *x, const calve_relation_request *request,
                                              const calve_str **out, calve_error *err);

#endif
