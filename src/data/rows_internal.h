/* SPDX-License-Identifier: Apache-2.0 */
/* data/rows_internal: what a calve_rows is made of, for data/rows.c and data/arrow.c alone.
 * In, out: nothing. Never included elsewhere. */
#ifndef CALVE_DATA_ROWS_INTERNAL_H
#define CALVE_DATA_ROWS_INTERNAL_H

#include "data/rows.h"

struct calve_rows {
  calve_engine *engine;
  duckdb_prepared_statement statement;
  duckdb_result result;
  bool has_result, at_end;
  duckdb_data_chunk chunk; /* the current one, or NULL                                          */
  size_t row_count, column_count;
};

/* The RFC bytes of a UUID as DuckDB keeps it. */
void calve_rows__uuid(duckdb_hugeint stored, uint8_t out[16]);

#endif
