/* SPDX-License-Identifier: Apache-2.0 */
/* sql/query_files: the Parquet files that a query names by itself.
 * In: the engine's JSON form of a parsed SELECT. Out: the engine knows them, should one turn out to
 * be damaged (data/damage.h). Used by query_rewrite.c. Finds constants only; looks no file up. */
#ifndef CALVE_SQL_QUERY_FILES_H
#define CALVE_SQL_QUERY_FILES_H

#include "codec/json.h"
#include "data/engine.h"

/* read_parquet('…'), read_parquet(['…', '…']), FROM '….parquet'. */
CALVE_MUST_USE calve_status calve_query_files_note(calve_engine *engine, const calve_json *ast,
                                                   calve_error *err);

#endif
