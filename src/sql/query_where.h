/* SPDX-License-Identifier: Apache-2.0 */
/* sql/query_where: the part of a WHERE that speaks of one table, for planning its scan.
 * In: conditions as the engine parsed them and query_push bound them, the table's schema. Out: text
 * for calve_predicate_parse, with columns resolved to the table's and constants evaluated. Used by
 * the session's query files only. What it can't say stands as a call that the predicate parser
 * takes for "unknown": the scan may keep too much, never too little, and the engine applies all of
 * the conditions again. */
#ifndef CALVE_SQL_QUERY_WHERE_H
#define CALVE_SQL_QUERY_WHERE_H

#include "base/buffer.h"
#include "codec/json.h"
#include "model/schema.h"

/* A constant and what it is. */
typedef struct calve_folded {
  const calve_json *expression; /* without columns; its raw text is the engine's                */
  const char *cast_to;          /* a type of the engine's to cast it to; NULL: as it is         */
  calve_str type, value; /* as the engine prints them; type absent: it can't be evaluated ahead;
                            value absent: NULL                                                  */
} calve_folded;

/* Fills types and values of all items. */
typedef calve_status (*calve_fold)(void *ctx, calve_folded *items, size_t count,
                                   calve_arena *arena, calve_error *err);

typedef struct calve_where_options {
  const calve_schema *schema;
  int64_t item; /* which of the query's items the table is: columns of it are bound so           */
  const calve_json *const *conditions; /* all of them hold                                      */
  size_t condition_count;
  bool session_is_utc; /* else wall-clock literals say nothing about timestamptz columns        */
  bool has_collation;  /* then strings say nothing at all                                       */
  bool has_macros;     /* then functions may be the user's own, and say nothing                 */
  calve_fold fold;
  void *fold_ctx;
} calve_where_options;

CALVE_MUST_USE calve_status calve_where_text(const calve_where_options *options,
                                             calve_arena *arena, calve_buffer *out,
                                             calve_error *err);

/* Whether the node speaks of any column, or of what can't be evaluated ahead. */
bool calve_where_has_column(const calve_json *node);
bool calve_where_is_string(const calve_json *node); /* a string literal                         */

#endif
