/* SPDX-License-Identifier: Apache-2.0 */
/* data/cuts: which data file a staged row goes to.
 * In: the first row id of each file, ascending. Out: the file's index, as a SQL function of the row
 * id. For data/write only: set before a statement that calls the function, cleared behind it. */
#ifndef CALVE_DATA_CUTS_H
#define CALVE_DATA_CUTS_H

#include "data/engine.h"

typedef struct calve_cuts {
  const int64_t *first_rows;
  size_t count;
} calve_cuts;

/* The name of the function: (BIGINT row id) -> BIGINT file index. Registered when first needed. */
#define CALVE_CUTS_FUNCTION "__calve_file_at"
CALVE_MUST_USE calve_status calve_cuts_register(calve_engine *engine, calve_error *err);

/* Index of the last first_row <= row; 0 when there is none. */
size_t calve_cuts_find(const calve_cuts *cuts, int64_t row);

#endif
