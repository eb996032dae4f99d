/* SPDX-License-Identifier: Apache-2.0 */
/* sql/query_travel: time travel clauses, taken out of a query before the engine parses it.
 * In: the text of a query. Out: text in which each `name FOR VERSION AS OF …` stands as a plain
 * name, and what those names mean. Used by the session's query files only. Never looks a table up.
 *
 * Known: [FOR] VERSION AS OF x, [FOR] TIMESTAMP AS OF x, FOR SYSTEM_VERSION AS OF x,
 * FOR SYSTEM_TIME AS OF x, and DuckDB's AT (VERSION => x), AT (TIMESTAMP => x). */
#ifndef CALVE_SQL_QUERY_TRAVEL_H
#define CALVE_SQL_QUERY_TRAVEL_H

#include "base/buffer.h"
#include "sql/statement.h"

typedef struct calve_travel {
  calve_str placeholder; /* the name that stands in the text: "calve_travel_0"                  */
  calve_name table;
  bool by_time;   /* TIMESTAMP, else VERSION                                                    */
  calve_str text; /* the expression behind AS OF                                                */
} calve_travel;

/* Also takes out table names of more than three parts behind FROM and JOIN, which the engine's
 * grammar lacks (their text is then absent: no travel). out_text is in the arena. */
CALVE_MUST_USE calve_status calve_travel_extract(calve_str query, calve_arena *arena,
                                                 calve_str *out_text, const calve_travel **out,
                                                 size_t *out_count, calve_error *err);

#endif
