/* SPDX-License-Identifier: Apache-2.0 */
/* sql/insert: rows of a query into a table; and what CREATE TABLE shares with it.
 * In: a query of the engine's. Out: a commit. Used by the exec_*.c files. */
#ifndef CALVE_SQL_INSERT_H
#define CALVE_SQL_INSERT_H

#include "evolve/sort_update.h"
#include "sql/session.h"

typedef struct calve_insert {
  calve_table *table; /* loaded or staged                                                       */
  calve_str query;    /* of the engine: its Iceberg tables are rewritten already                */
  bool creates;       /* CREATE TABLE AS: the table is staged                                   */
  calve_transaction *transaction; /* REPLACE TABLE AS: what the rows are committed with, borrowed;
                                     else NULL                                                  */
  const calve_metadata *metadata; /* REPLACE TABLE AS: the table as it will be; else NULL       */
} calve_insert;

/* Writes the rows as the statement says (columns, BY NAME, OVERWRITE, PARTITION) and commits;
 * fills the result's message, warnings and row count. A failure removes the files that were
 * written, but for CALVE_EUNKNOWN. */
CALVE_MUST_USE calve_status calve_insert_run(calve_exec *x, const calve_insert *insert,
                                             calve_error *err);

/* The statement's query; where it is VALUES, with the columns' write defaults (NULL where there is
 * none) for the word DEFAULT. */
CALVE_MUST_USE calve_status calve_insert_fill_defaults(calve_exec *x, const calve_schema *schema,
                                                       calve_str *out, calve_error *err);

/* The columns of a query as a schema with provisional ids. */
CALVE_MUST_USE calve_status calve_exec_query_schema(calve_exec *x, calve_str query,
                                                    const calve_schema **out, calve_error *err);

/* Sort items as evolve takes them. */
CALVE_MUST_USE calve_status calve_exec_sort_fields(calve_exec *x, const calve_sql_sort *sort,
                                                   size_t count, const calve_new_sort_field **out,
                                                   calve_error *err);

#endif
