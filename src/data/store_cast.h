/* SPDX-License-Identifier: Apache-2.0 */
/* data/store_cast: a value of a query as a value of a column, or a refusal that names the column.
 * In: the query's DuckDB type, the column's field. Out: an expression of exactly the column's type
 * that fails on a value which does not fit. For data/stage. Rounds decimals to the column's scale
 * and numbers to FLOAT, as docs/sql.md says; rounds, cuts and guesses nothing else silently: text
 * goes into dates and times but not into numbers, fractions not into integers.
 * [SQL: store assignment; reference: Spark's ANSI policy] */
#ifndef CALVE_DATA_STORE_CAST_H
#define CALVE_DATA_STORE_CAST_H

#include <duckdb.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "model/type.h"

/* NULL without a type, for which a prepared statement says INTEGER. */
typedef enum calve_bare_null {
  CALVE_BARE_NULL_NO,
  CALVE_BARE_NULL_WHOLE, /* the value is one                                                    */
  CALVE_BARE_NULL_INSIDE /* one is somewhere in a list, struct or map: [] or {'a': NULL}        */
} calve_bare_null;

/* CALVE_EINVAL names the column and both types when no value of the source can be stored. `place`
 * is absent, or an expression of text that a refusal of a value begins with; then text goes into
 * numbers too, so that the value that is none is told. */
CALVE_MUST_USE calve_status calve_store_cast(duckdb_logical_type source, calve_bare_null bare_null,
                                             const calve_field *field, calve_str input,
                                             calve_str place, calve_arena *scratch,
                                             calve_buffer *out, calve_error *err);

#endif
