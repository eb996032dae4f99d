/* SPDX-License-Identifier: Apache-2.0 */
#include "data/cuts.h"

#include "base/arena.h"

size_t calve_cuts_find(const calve_cuts *cuts, int64_t row) {
  size_t low = 0, high = cuts->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (cuts->first_rows[middle] <= row)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? low - 1 : 0;
}

/* Row ids of a chunk run upwards, so the file of the row before is nearly always the answer. */
static void file_at(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const calve_cuts *cuts = duckdb_scalar_function_get_extra_info(info);
  const int64_t *rows = duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0));
  int64_t *files = duckdb_vector_get_data(output);
  idx_t count = duckdb_data_chunk_get_size(input);
  size_t file = 0;
  for (idx_t i = 0; i < count; i++) {
    bool same = i > 0 && file < cuts->count && cuts->first_rows[file] <= rows[i] &&
                (file + 1 == cuts->count || rows[i] < cuts->first_rows[file + 1]);
    if (!same) file = calve_cuts_find(cuts, rows[i]);
    files[i] = (int64_t)file;
  }
}

calve_status calve_cuts_register(calve_engine *engine, calve_error *err) {
  bool first = false;
  CALVE_TRY(calve_engine__first_use(engine, CALVE_CUTS_FUNCTION, &first, err));
  if (!first) return CALVE_OK;
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_logical_type bigint = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
  duckdb_scalar_function_set_name(function, CALVE_CUTS_FUNCTION);
  duckdb_scalar_function_add_parameter(function, bigint);
  duckdb_scalar_function_set_return_type(function, bigint);
  duckdb_scalar_function_set_extra_info(function, calve_engine__cuts(engine), NULL);
  duckdb_scalar_function_set_function(function, file_at);
  /* Volatile: the same row id is in another file in the next statement. */
  duckdb_scalar_function_set_volatile(function);
  duckdb_state state = duckdb_register_scalar_function(calve_engine_connection(engine), function);
  duckdb_destroy_logical_type(&bigint);
  duckdb_destroy_scalar_function(&function);
  if (state != DuckDBSuccess)
    return calve_fail(err, CALVE_EINVAL, NULL, "DuckDB refuses the function %s",
                      CALVE_CUTS_FUNCTION);
  return CALVE_OK;
}
