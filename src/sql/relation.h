/* SPDX-License-Identifier: Apache-2.0 */
/* sql/relation: one Iceberg table, or one of its metadata tables, as a relation of the engine.
 * In: a table, which state of it, a condition. Out: the name of a temporary view or table. Used by
 * the
 * query files. The relation holds at least the rows that meet the condition: the engine checks it
 * again. */
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
} calve_relation_request;

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
