/* SPDX-License-Identifier: Apache-2.0 */
/* sql/source_rows: which row of which file a query's rows come from, once they did not fit.
 * In: a query that reads a file in its FROM, an error that tells of its rows without file and
 * place. Out: the error with file, line (of CSV) or row. Used by the exec_*.c files; files are read
 * (once more) when a write has failed, never before. Where it can't be found out the error
 * stays as it is. */
#ifndef CALVE_SQL_SOURCE_ROWS_H
#define CALVE_SQL_SOURCE_ROWS_H

#include "data/write.h"
#include "sql/query_columns.h"

/* Before: CALVE_EINVAL when the query reads a pipe, as its types are asked for more than once. */
CALVE_MUST_USE calve_status calve_source_check(calve_exec *x, calve_str query, calve_error *err);

/* `request` is the one that failed with *err; its source is looked at as `query`, whose columns are
 * the first column_count of the request's. Gives err's code. */
calve_status calve_source_tell_row(calve_exec *x, calve_str query, size_t column_count,
                                   const calve_write_request *request, calve_error *err);
/* The query gives `count` columns where `wanted` are to be filled. When it is all of a CSV file,
 * tells what is wrong with the file or what was made of it: it is empty, a row has another number
 * of values, the names of the columns. Gives err's code. */
calve_status calve_source_tell_columns(calve_exec *x, calve_str query,
                                       const calve_query_column *columns, size_t count,
                                       size_t wanted, calve_error *err);

#endif
