/* SPDX-License-Identifier: Apache-2.0 */
/* sql/query_columns: names and types of a query's columns, without running it.
 * In: a query of the engine's. Out: names, Iceberg types. Used by the exec_*.c files. */
#ifndef CALVE_SQL_QUERY_COLUMNS_H
#define CALVE_SQL_QUERY_COLUMNS_H

#include "sql/session.h"

typedef struct calve_query_column {
  calve_str name;
  const calve_type *type; /* NULL where Iceberg has none: `problem` says why                    */
  calve_str problem;
} calve_query_column;

CALVE_MUST_USE calve_status calve_query_columns(calve_exec *x, calve_str query,
                                                const calve_query_column **out, size_t *out_count,
                                                calve_error *err);

#endif
