/* SPDX-License-Identifier: Apache-2.0 */
/* sql/listing: rows that calve makes by itself (SHOW, DESCRIBE, metadata tables) for the engine.
 * In: a column list, cells one by one. Out: a temporary table of the engine. Used by the files of
 * room sql. Cells go through data/sql_text: nothing is pasted. */
#ifndef CALVE_SQL_LISTING_H
#define CALVE_SQL_LISTING_H

#include "sql/session.h"

typedef struct calve_listing {
  calve_exec *x;
  calve_str table;     /* name of the temporary table                                           */
  calve_buffer insert; /* the INSERT that is being filled                                       */
  size_t head_size;    /* of "INSERT INTO … VALUES "                                            */
  size_t column_count, column;
  bool failed;         /* a flush failed: `error` tells                                         */
  calve_error error;
} calve_listing;

/* columns: a column list of the engine's, `name VARCHAR, "id" BIGINT`. */
CALVE_MUST_USE calve_status calve_listing_begin(calve_exec *x, const char *columns,
                                                size_t column_count, calve_listing *out,
                                                calve_error *err);
/* Cells in the order of columns, row after row. */
void calve_listing_text(calve_listing *l, calve_str text); /* absent: NULL                       */
void calve_listing_i64(calve_listing *l, int64_t value);
void calve_listing_i64_or_null(calve_listing *l, int64_t value, int64_t null_value);
void calve_listing_bool(calve_listing *l, bool value);
void calve_listing_null(calve_listing *l);
void calve_listing_ms(calve_listing *l, int64_t ms); /* TIMESTAMP WITH TIME ZONE                 */
/* An expression of the engine's, made with data/sql_text. One that memory was too short for fails
 * the listing. */
void calve_listing_expression(calve_listing *l, const calve_buffer *sql);
/* Sends what is left. The table's rows are in the order of the cells. Frees the listing. */
CALVE_MUST_USE calve_status calve_listing_end(calve_listing *l, calve_error *err);
void calve_listing_free(calve_listing *l); /* for a failure before the end                      */
/* end, and the rows become the result's. */
CALVE_MUST_USE calve_status calve_listing_show(calve_listing *l, calve_error *err);

#endif
