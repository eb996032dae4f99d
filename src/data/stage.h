/* SPDX-License-Identifier: Apache-2.0 */
/* data/stage: the rows to be written, once, in a temporary table.
 * In: a query and what it is written into. Out: a table in which every row has the column types of
 * the schema, its partition values, and an order in which each partition is one run of row ids,
 * sorted by the table's sort order. For data/write. Spills to the engine's temporary folder.
 * Refuses rows that break NOT NULL or that the format can't hold. */
#ifndef CALVE_DATA_STAGE_H
#define CALVE_DATA_STAGE_H

#include "data/rows.h"
#include "data/write.h"

/* One partition: a run of row ids. */
typedef struct calve_stage_group {
  const calve_value *tuple; /* as many values as the spec has fields                            */
  int64_t first_row, row_count;
} calve_stage_group;

typedef struct calve_stage {
  calve_engine *engine;
  const calve_schema *schema;
  const calve_spec *spec;
  const calve_sort_order *order;
  calve_arena *arena;
  const calve_type **tuple_types;
  char table[48]; /* the temporary table's name; "" when there is none                          */
  bool *columns;  /* which top-level columns it has, as "c<index>"                              */
  int64_t row_count;
  size_t group_count;
  const calve_stage_group *groups; /* by first row                                              */
} calve_stage;

/* Makes the table. On failure there is none; else calve_stage_drop must be called. */
CALVE_MUST_USE calve_status calve_stage_make(calve_engine *engine, const calve_write_request *q,
                                             calve_arena *arena, calve_stage *out,
                                             calve_error *err);
void calve_stage_drop(calve_stage *stage);

/* ---- between the files of the stage ---------------------------------------------------------- */

/* The SELECT that gives "c<index>" columns of the schema's types from the request's source; fills
 * stage->columns. */
CALVE_MUST_USE calve_status calve_stage__source(calve_stage *stage, const calve_write_request *q,
                                                calve_buffer *sql, calve_error *err);
/* Rows that no file may hold: null where it is forbidden, infinite dates. */
CALVE_MUST_USE calve_status calve_stage__check_rows(const calve_stage *stage, calve_error *err);
/* A field of the schema as an expression over a staged row; the field is below structs only. */
CALVE_MUST_USE calve_status calve_stage__path(const calve_schema *schema,
                                              const calve_schema_node *node, calve_arena *arena,
                                              calve_str *out, calve_error *err);

#endif
