/* SPDX-License-Identifier: Apache-2.0 */
/* data/rows: the rows of a statement, chunk by chunk; and as an Arrow stream.
 * In: one SQL statement. Out: values, borrowed until the next chunk. May be used by sql.
 * The rows stream: they must be freed before the next statement runs on the same engine (fork one
 * for a stream that lives longer). */
#ifndef CALVE_DATA_ROWS_H
#define CALVE_DATA_ROWS_H

#include "data/engine.h"
#include "model/value.h"

typedef struct calve_rows calve_rows;

/* One statement of any kind; CALVE_EINVAL when the text has none or more than one. */
CALVE_MUST_USE calve_status calve_engine_query(calve_engine *engine, const char *sql,
                                               calve_rows **out, calve_error *err);
/* The same for a statement of the user's, whose rows leave as Arrow: what Arrow has no type for is
 * text in them (data/exact_rows.h, also for as_text). The engine itself makes several statements of
 * some texts, as it does with PIVOT: gives the rows of the last one. */
CALVE_MUST_USE calve_status calve_engine_query_answer(calve_engine *engine, const char *sql,
                                                      unsigned as_text, calve_rows **out,
                                                      calve_error *err);
void calve_rows_free(calve_rows *rows); /* NULL is fine; stops a statement that still runs       */

/* Whether they are an answer (SELECT, PRAGMA …); other statements give a count of rows or nothing.
 */
bool calve_rows_are_answer(const calve_rows *rows);
size_t calve_rows_column_count(const calve_rows *rows);
duckdb_type calve_rows_column_type(const calve_rows *rows, size_t column);

/* Steps to the next chunk; *more is false behind the last one. */
CALVE_MUST_USE calve_status calve_rows_next(calve_rows *rows, bool *more, calve_error *err);
size_t calve_rows_count(const calve_rows *rows); /* rows of this chunk                           */
bool calve_rows_is_null(const calve_rows *rows, size_t column, size_t row);
/* Integers of any width, booleans, dates, times and timestamps as DuckDB keeps them; not null. */
int64_t calve_rows_i64(const calve_rows *rows, size_t column, size_t row);
double calve_rows_f64(const calve_rows *rows, size_t column, size_t row); /* FLOAT or DOUBLE      */
/* VARCHAR or BLOB; absent when null. */
calve_str calve_rows_text(const calve_rows *rows, size_t column, size_t row);
/* A value of a column that has the DuckDB type of `type` (primitive). Bytes are borrowed. */
CALVE_MUST_USE calve_status calve_rows_value(const calve_rows *rows, size_t column, size_t row,
                                             const calve_type *type, calve_value *out,
                                             calve_error *err);

/* The first row's columns into the caller's array of i64, for one-row questions; CALVE_ENOTFOUND
 * when there is no row. A null gives `null_as`. */
CALVE_MUST_USE calve_status calve_engine_query_i64(calve_engine *engine, const char *sql,
                                                   int64_t null_as, int64_t *out, size_t count,
                                                   calve_error *err);

/* Hands the rows over to an Arrow stream; they are freed with it. On failure they stay the
 * caller's. With `own_engine` the engine is closed with the stream too. Errors while reading are
 * told by the stream's get_last_error. */
CALVE_MUST_USE calve_status calve_rows_to_arrow(calve_rows *rows, calve_engine *own_engine,
                                                struct ArrowArrayStream *out, calve_error *err);

#endif
