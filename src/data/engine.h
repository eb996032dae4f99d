/* SPDX-License-Identifier: Apache-2.0 */
/* data/engine: one DuckDB database in memory with our settings, and connections to it.
 * In: SQL text. Out: rows chunk by chunk (see data/rows.h), or an error of ours. May be used by
 * sql. Never loads an extension that is not linked in, never reads the environment (time zone: UTC
 * unless the caller says otherwise), never leaves temporary files behind when closed. An engine is
 * for one thread at a time; only calve_engine_interrupt may be called from elsewhere. */
#ifndef CALVE_DATA_ENGINE_H
#define CALVE_DATA_ENGINE_H

#include <duckdb.h>

#include "base/buffer.h"

typedef struct calve_engine calve_engine;

typedef struct calve_engine_options {
  const calve_allocator *allocator; /* NULL: the default one                                    */
  const char *temp_dir;             /* a folder of its own is made in it when rows must spill;
                                       NULL: "/tmp"                                             */
  const char *time_zone;            /* NULL: "UTC"                                              */
  int32_t thread_count;             /* 0: as many as there are cores                            */
  int64_t memory_limit_bytes;       /* 0: DuckDB's own default (80 % of what the machine has)   */
} calve_engine_options;

/* options NULL means all defaults. */
CALVE_MUST_USE calve_status calve_engine_open(const calve_engine_options *options,
                                              calve_engine **out, calve_error *err);
/* One more connection to the same database, for a stream that lives beside other statements. It
 * does not see the temporary tables and views of `engine`, and has its hook. The database closes
 * with its last engine. */
CALVE_MUST_USE calve_status calve_engine_fork(calve_engine *engine, calve_engine **out,
                                              calve_error *err);
void calve_engine_close(calve_engine *engine); /* NULL is fine                                  */

/* Runs every statement of the text and drops their results. */
CALVE_MUST_USE calve_status calve_engine_run(calve_engine *engine, const char *sql,
                                             calve_error *err);

/* Prepares one statement without running it. */
CALVE_MUST_USE calve_status calve_engine_prepare(calve_engine *engine, const char *sql,
                                                 duckdb_prepared_statement *out, calve_error *err);

/* Ends the running statement with CALVE_ECANCELLED. Safe from another thread and from a signal
 * handler: it sets a flag. */
void calve_engine_interrupt(calve_engine *engine);
/* Called again and again while a statement runs, on the thread that runs it: true cancels. It may
 * ask for the progress. NULL takes the hook away. */
typedef bool (*calve_engine_poll)(void *ctx, calve_engine *engine);
void calve_engine_set_poll(calve_engine *engine, calve_engine_poll poll, void *ctx);
/* Per cent done of the running statement, -1 when it can't be told. */
double calve_engine_progress(calve_engine *engine);

/* For what this header doesn't offer; borrowed. */
duckdb_connection calve_engine_connection(calve_engine *engine);
const calve_allocator *calve_engine_allocator(const calve_engine *engine);
/* A number that no other call on this database gets: for names of temporary tables. */
uint64_t calve_engine_serial(calve_engine *engine);

/* ---- for this room --------------------------------------------------------------------------- */

/* Fills err from an error of the engine: class by the kind of error (DUCKDB_ERROR_INVALID: by the
 * message's first words), message without these and without the quoted statement. Gives the status.
 */
calve_status calve_engine__fail(duckdb_error_type type, const char *message, calve_error *err);
/* Begins a message about a damaged Parquet file that says neither which one nor where. */
#define CALVE_ENGINE__VAGUE "a Parquet file that the statement reads is damaged: "
bool calve_engine__is_vague(const char *message);
/* For data/damage.c: the files that the statement reads, as items of a SQL list. */
calve_buffer *calve_engine__reads(calve_engine *engine);
/* Runs one prepared statement; the result may stream. */
CALVE_MUST_USE calve_status calve_engine__execute(calve_engine *engine,
                                                  duckdb_prepared_statement statement,
                                                  duckdb_result *out, calve_error *err);
CALVE_MUST_USE calve_status calve_engine__prepare_extracted(
    calve_engine *engine, duckdb_extracted_statements statements, idx_t index,
    duckdb_prepared_statement *out, calve_error *err);
/* Calls the poll hook; true when the caller should stop. */
bool calve_engine__poll(calve_engine *engine);
/* The open cache of file layouts (data/layout.h), or NULL; freed by `drop` when the engine closes.
 */
void *calve_engine__cache(const calve_engine *engine);
void calve_engine__set_cache(calve_engine *engine, void *cache, void (*drop)(void *cache));
/* Where this database's file_at function looks (data/cuts.h). */
struct calve_cuts;
struct calve_cuts *calve_engine__cuts(calve_engine *engine);
/* True once per name and database: the caller registers the function now. */
CALVE_MUST_USE calve_status calve_engine__first_use(calve_engine *engine, const char *name,
                                                    bool *first, calve_error *err);

#endif
