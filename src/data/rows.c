/* SPDX-License-Identifier: Apache-2.0 */
#include "data/rows.h"

#include <string.h>

#include "data/exact_rows.h"
#include "data/rows_internal.h"

/* Runs the statement; it is the rows' from here on, also on failure. */
static calve_status open_rows(calve_engine *engine, duckdb_prepared_statement statement,
                              calve_rows **out, calve_error *err) {
  const calve_allocator *allocator = calve_engine_allocator(engine);
  calve_rows *rows = allocator->resize(allocator->ctx, NULL, 0, sizeof *rows);
  if (!rows) {
    duckdb_destroy_prepare(&statement);
    return calve_fail_oom(err);
  }
  memset(rows, 0, sizeof *rows);
  rows->engine = engine;
  rows->statement = statement;
  calve_status status = calve_engine__execute(engine, statement, &rows->result, err);
  rows->has_result = status == CALVE_OK;
  if (status == CALVE_OK) {
    rows->column_count = (size_t)duckdb_column_count(&rows->result);
    *out = rows;
  } else {
    calve_rows_free(rows);
  }
  return status;
}

calve_status calve_engine_query(calve_engine *engine, const char *sql, calve_rows **out,
                                calve_error *err) {
  duckdb_prepared_statement statement = NULL;
  CALVE_TRY(calve_engine_prepare(engine, sql, &statement, err));
  return open_rows(engine, statement, out, err);
}

static calve_status query_all(calve_engine *engine, duckdb_extracted_statements statements,
                              idx_t count, calve_rows **out, calve_error *err) {
  for (idx_t i = 0; i < count; i++) {
    duckdb_prepared_statement statement = NULL;
    calve_rows *rows = NULL;
    CALVE_TRY(calve_engine__prepare_extracted(engine, statements, i, &statement, err));
    CALVE_TRY(open_rows(engine, statement, &rows, err));
    if (i + 1 == count)
      *out = rows;
    else
      calve_rows_free(rows);
  }
  return CALVE_OK;
}

static calve_status query_exactly(calve_engine *engine, const char *sql, unsigned as_text,
                                  calve_rows **out, calve_error *err) {
  duckdb_prepared_statement statement = NULL;
  calve_buffer exact;
  CALVE_TRY(calve_engine_prepare(engine, sql, &statement, err));
  calve_buffer_init(&exact, calve_engine_allocator(engine));
  calve_status status = calve_exact_query(statement, sql, as_text, &exact, err);
  if (status != CALVE_OK || exact.size > 0) duckdb_destroy_prepare(&statement);
  if (status == CALVE_OK)
    status = exact.size > 0 ? calve_engine_query(engine, calve_buffer_cstr(&exact), out, err)
                            : open_rows(engine, statement, out, err);
  calve_buffer_free(&exact);
  return status;
}

calve_status calve_engine_query_answer(calve_engine *engine, const char *sql, unsigned as_text,
                                       calve_rows **out, calve_error *err) {
  duckdb_extracted_statements statements = NULL;
  idx_t count = duckdb_extract_statements(calve_engine_connection(engine), sql, &statements);
  calve_status status = count > 1 ? query_all(engine, statements, count, out, err)
                                  : query_exactly(engine, sql, as_text, out, err);
  duckdb_destroy_extracted(&statements);
  return status;
}

bool calve_rows_are_answer(const calve_rows *rows) {
  return duckdb_result_return_type(rows->result) == DUCKDB_RESULT_TYPE_QUERY_RESULT;
}

void calve_rows_free(calve_rows *rows) {
  if (!rows) return;
  const calve_allocator *allocator = calve_engine_allocator(rows->engine);
  if (rows->chunk) duckdb_destroy_data_chunk(&rows->chunk);
  if (rows->has_result) duckdb_destroy_result(&rows->result);
  if (rows->statement) duckdb_destroy_prepare(&rows->statement);
  /* The transaction of a stream that was not read to its end stays open until the connection runs
   * something else; what is done meanwhile (registering a function) would be rolled back with it.
   */
  if (rows->has_result && !rows->at_end)
    (void)duckdb_query(calve_engine_connection(rows->engine), "SELECT 1", NULL);
  allocator->resize(allocator->ctx, rows, sizeof *rows, 0);
}

size_t calve_rows_column_count(const calve_rows *rows) {
  return rows->column_count;
}

/* DuckDB's accessors take a mutable result although they only read. */
duckdb_type calve_rows_column_type(const calve_rows *rows, size_t column) {
  duckdb_result result = rows->result;
  return duckdb_column_type(&result, column);
}

calve_status calve_rows_next(calve_rows *rows, bool *more, calve_error *err) {
  if (rows->chunk) duckdb_destroy_data_chunk(&rows->chunk);
  rows->row_count = 0;
  for (;;) {
    if (calve_engine__poll(rows->engine)) {
      calve_engine_interrupt(rows->engine);
      return calve_fail(err, CALVE_ECANCELLED, NULL, "the statement was cancelled");
    }
    rows->chunk = duckdb_fetch_chunk(rows->result);
    if (!rows->chunk) break;
    rows->row_count = (size_t)duckdb_data_chunk_get_size(rows->chunk);
    if (rows->row_count > 0) {
      *more = true;
      return CALVE_OK;
    }
    duckdb_destroy_data_chunk(&rows->chunk);
  }
  const char *why = duckdb_result_error(&rows->result);
  if (why && *why)
    return calve_engine__fail(duckdb_result_error_type(&rows->result), why, err);
  rows->at_end = true;
  *more = false;
  return CALVE_OK;
}

size_t calve_rows_count(const calve_rows *rows) {
  return rows->row_count;
}

static duckdb_vector vector_of(const calve_rows *rows, size_t column) {
  return duckdb_data_chunk_get_vector(rows->chunk, column);
}

bool calve_rows_is_null(const calve_rows *rows, size_t column, size_t row) {
  uint64_t *valid = duckdb_vector_get_validity(vector_of(rows, column));
  return valid && !duckdb_validity_row_is_valid(valid, row);
}

int64_t calve_rows_i64(const calve_rows *rows, size_t column, size_t row) {
  const void *data = duckdb_vector_get_data(vector_of(rows, column));
  switch (calve_rows_column_type(rows, column)) {
    case DUCKDB_TYPE_BOOLEAN:
      return ((const bool *)data)[row];
    case DUCKDB_TYPE_TINYINT:
      return ((const int8_t *)data)[row];
    case DUCKDB_TYPE_UTINYINT:
      return ((const uint8_t *)data)[row];
    case DUCKDB_TYPE_SMALLINT:
      return ((const int16_t *)data)[row];
    case DUCKDB_TYPE_USMALLINT:
      return ((const uint16_t *)data)[row];
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_DATE:
      return ((const int32_t *)data)[row];
    case DUCKDB_TYPE_UINTEGER:
      return ((const uint32_t *)data)[row];
    case DUCKDB_TYPE_HUGEINT:
      return (int64_t)((const duckdb_hugeint *)data)[row].lower;
    default:
      return ((const int64_t *)data)[row];
  }
}

double calve_rows_f64(const calve_rows *rows, size_t column, size_t row) {
  const void *data = duckdb_vector_get_data(vector_of(rows, column));
  if (calve_rows_column_type(rows, column) == DUCKDB_TYPE_FLOAT)
    return (double)((const float *)data)[row];
  return ((const double *)data)[row];
}

calve_str calve_rows_text(const calve_rows *rows, size_t column, size_t row) {
  if (calve_rows_is_null(rows, column, row)) return (calve_str){0};
  duckdb_string_t *strings = duckdb_vector_get_data(vector_of(rows, column));
  return (calve_str){duckdb_string_t_data(&strings[row]), duckdb_string_t_length(strings[row])};
}

/* A decimal's unscaled value, at the width that DuckDB keeps it with. */
static calve_int128 decimal_at(const calve_rows *rows, size_t column, size_t row) {
  duckdb_vector vector = vector_of(rows, column);
  const void *data = duckdb_vector_get_data(vector);
  duckdb_logical_type logical = duckdb_vector_get_column_type(vector);
  duckdb_type internal = duckdb_decimal_internal_type(logical);
  duckdb_destroy_logical_type(&logical);
  switch (internal) {
    case DUCKDB_TYPE_SMALLINT:
      return ((const int16_t *)data)[row];
    case DUCKDB_TYPE_INTEGER:
      return ((const int32_t *)data)[row];
    case DUCKDB_TYPE_BIGINT:
      return ((const int64_t *)data)[row];
    default: {
      duckdb_hugeint v = ((const duckdb_hugeint *)data)[row];
      return (calve_int128)(((calve_uint128)(uint64_t)v.upper << 64) | v.lower);
    }
  }
}

void calve_rows__uuid(duckdb_hugeint stored, uint8_t out[16]) {
  /* DuckDB flips the top bit, so that signed order is the order of the bytes. */
  uint64_t high = (uint64_t)stored.upper ^ (UINT64_C(1) << 63);
  for (int i = 0; i < 8; i++) {
    out[i] = (uint8_t)(high >> (56 - 8 * i));
    out[8 + i] = (uint8_t)(stored.lower >> (56 - 8 * i));
  }
}

calve_status calve_rows_value(const calve_rows *rows, size_t column, size_t row,
                              const calve_type *type, calve_value *out, calve_error *err) {
  calve_value v = calve_value_null(type->id);
  if (!calve_rows_is_null(rows, column, row)) {
    v.is_null = false;
    switch (type->id) {
      case CALVE_BOOLEAN:
        v.b = calve_rows_i64(rows, column, row) != 0;
        break;
      case CALVE_INT:
      case CALVE_DATE:
        v.i32 = (int32_t)calve_rows_i64(rows, column, row);
        break;
      case CALVE_LONG:
      case CALVE_TIME:
      case CALVE_TIMESTAMP:
      case CALVE_TIMESTAMPTZ:
      case CALVE_TIMESTAMP_NS:
        v.i64 = calve_rows_i64(rows, column, row);
        break;
      case CALVE_FLOAT:
        v.f32 = (float)calve_rows_f64(rows, column, row);
        break;
      case CALVE_DOUBLE:
        v.f64 = calve_rows_f64(rows, column, row);
        break;
      case CALVE_DECIMAL:
        v.i128 = decimal_at(rows, column, row);
        v.scale = (int16_t)type->scale;
        break;
      case CALVE_STRING:
      case CALVE_FIXED:
      case CALVE_BINARY:
        v.bytes = calve_rows_text(rows, column, row);
        break;
      case CALVE_UUID: {
        const duckdb_hugeint *data = duckdb_vector_get_data(vector_of(rows, column));
        calve_rows__uuid(data[row], v.uuid);
        break;
      }
      default:
        return calve_fail(err, CALVE_EUNSUPPORTED, NULL, "DuckDB has no value of this type");
    }
  }
  *out = v;
  return CALVE_OK;
}

calve_status calve_engine_query_i64(calve_engine *engine, const char *sql, int64_t null_as,
                                    int64_t *out, size_t count, calve_error *err) {
  calve_rows *rows = NULL;
  CALVE_TRY(calve_engine_query(engine, sql, &rows, err));
  bool more = false;
  calve_status status = calve_rows_next(rows, &more, err);
  if (status == CALVE_OK && !more)
    status = calve_fail(err, CALVE_ENOTFOUND, NULL, "the query gives no row");
  for (size_t i = 0; status == CALVE_OK && i < count && i < rows->column_count; i++)
    out[i] = calve_rows_is_null(rows, i, 0) ? null_as : calve_rows_i64(rows, i, 0);
  calve_rows_free(rows);
  return status;
}
