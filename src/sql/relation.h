/* SPDX-License-Identifier: Apache-2.0 */
/* sql/relation: one Iceberg table, or one of its metadata tables, as a relation of the engine.
 * In: a table, which state of it, a condition. Out: the name of a temporary view or table. Used by
 * the query files. The relation holds at least the rows that meet the condition: the engine checks
 * it again. */
#ifndef CALVE_SQL_RELATION_H
#define CALVE_SQL_RELATION_H

#include "expr/predicate.h"
#include "plan/scan.h"
#include "sql/session.h"

typedef struct calve_relation_request {
  calve_table *table;
  calve_str metadata_table;      /* "files", "snapshots" …; absent: the rows                    */
  calve_scan_at at;              /* which state: with snapshot_id, timestamp_ms or ref          */
  int64_t snapshot_id, timestamp_ms;
  calve_str ref;
  const calve_snapshot *snapshot; /* what that means; NULL: the table is empty                  */
  const calve_schema *schema;     /* what the rows are read with                                */
  const calve_predicate *filter; /* on the schema's columns; NULL: none                         */
  bool filter_is_exact;          /* it holds for the rows that the WHERE holds for, no more     */
  const struct calve_aggregate *aggregates; /* all that the query asks of the table             */
  size_t aggregate_count;                   /* 0: it asks for more than aggregates              */
  int64_t row_limit; /* any so many rows will do; 0: all are wanted                             */
  bool is_answered; /* nobody will look at the relation's rows: it may be empty                 */
} calve_relation_request;

/* A scan for the request. Tasks carry the metrics of these fields (sorted ids) that `columns` (of
 * calve_manifest_columns) names. */
CALVE_MUST_USE calve_status calve_relation_scan(calve_exec *x,
                                                const calve_relation_request *request,
                                                uint32_t columns, const int32_t *metric_ids,
                                                size_t metric_id_count, calve_scan **out,
                                                calve_error *err);

/* *name is in the arena; the relation lives until the session forgets its relations. */
CALVE_MUST_USE calve_status calve_relation_make(calve_exec *x,
                                                const calve_relation_request *request,
                                                calve_str *name, calve_error *err);

bool calve_is_metadata_table(calve_str name);
/* Their names, one by one; NULL behind the last. */
const char *calve_metadata_table_name(size_t index);
/* For calve_relation_make. */
CALVE_MUST_USE calve_status calve_metadata_table_make(calve_exec *x,
                                                      const calve_relation_request *request,
                                                      calve_str *name, calve_error *err);

/* What EXPLAIN tells of one table of a query. */
CALVE_MUST_USE calve_status calve_relation_explain(calve_exec *x,
                                                   const calve_relation_request *request,
                                                   calve_buffer *out, calve_error *err);

#endif
