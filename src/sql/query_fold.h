/* SPDX-License-Identifier: Apache-2.0 */
/* sql/query_fold: constants of a WHERE, evaluated by the engine before the rows are read.
 * In: expressions without columns, as the engine's JSON has them. Out: their types and texts. Used
 * by the session's query files only. Asks once for many. What may give another value when the rows
 * are read (random(), a clock that does not stand still) is not evaluated. */
#ifndef CALVE_SQL_QUERY_FOLD_H
#define CALVE_SQL_QUERY_FOLD_H

#include "sql/query_where.h"
#include "sql/session.h"

/* A calve_fold; ctx is the calve_exec. An error of the engine ends its transaction: then
 * x->asked_in_vain is set, and from there on nothing is asked. */
CALVE_MUST_USE calve_status calve_query_fold(void *ctx, calve_folded *items, size_t count,
                                             calve_arena *arena, calve_error *err);

#endif
