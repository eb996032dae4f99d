/* SPDX-License-Identifier: Apache-2.0 */
/* data/exact_rows: queries whose rows Arrow can carry without loss.
 * In: a prepared query. Out: the same query, with columns of types that Arrow lacks (BIT,
 * TIMETZ, UHUGEINT, BIGNUM, UNION, VARIANT, at any depth) as their text. Used by
 * data/rows.c. Runs nothing. */
#ifndef CALVE_DATA_EXACT_ROWS_H
#define CALVE_DATA_EXACT_ROWS_H

#include "data/engine.h"

typedef enum calve_text_flag {
  CALVE_TEXT_INSTANTS = 1, /* TIMESTAMPTZ, which is text in the session's time zone               */
  CALVE_TEXT_INTERVALS = 2 /* Arrow's intervals end at 292 years                                  */
} calve_text_flag;

/* Appends to `out` a query that gives the same rows, in the same order and with the same names, as
 * this prepared one, whose text is `sql`; nothing when Arrow carries the rows as they are or when
 * the statement is no query. as_text: CALVE_TEXT_ flags of what shall be text too, for printing. */
CALVE_MUST_USE calve_status calve_exact_query(duckdb_prepared_statement statement, const char *sql,
                                              unsigned as_text, calve_buffer *out,
                                              calve_error *err);

#endif
