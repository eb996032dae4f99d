/* SPDX-License-Identifier: Apache-2.0 */
/* calve_sql: SQL on Iceberg tables, the public API of libcalve_sql.
 *
 * A session holds one open catalog and one query engine. Statements run one after another; their
 * rows come out as Arrow streams. Conventions are those of calve.h: statuses, caller-owned errors,
 * one call to free. A session is for one thread at a time; only calve_session_cancel may be called
 * from another thread or from a signal handler. Nothing here prints or exits.                  */
#ifndef CALVE_SQL_H
#define CALVE_SQL_H

#include "calve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct calve_session calve_session;
typedef struct calve_result calve_result;

/* All borrowed during calve_session_open. Zero everything but struct_size and catalog for the
 * defaults. */
typedef struct calve_session_config {
  size_t struct_size; /* sizeof(calve_session_config)                                           */
  /* As for calve_catalog_open; its allocator is the session's too, and read_only refuses every
   * statement that would change something. The engine itself opens data files, by their paths on
   * the local file system; a store of the caller's serves metadata and manifests. */
  const calve_catalog_config *catalog;
  const char *temp_dir;       /* where rows may spill; NULL: "/tmp"                             */
  int32_t thread_count;       /* 0: one per core                                                */
  int64_t memory_limit_bytes; /* of the engine; 0: most of the machine's                        */
  bool dry_run; /* CREATE, REPLACE and ALTER TABLE give rows that tell what would change, and change
                   nothing; other statements that would change something are not run: their
                   message says so                                                             */
  bool times_as_text; /* for programs that print: intervals come as text, and while the session's
                         TimeZone is not UTC instants do, in that zone                         */
  calve_cache *cache; /* for planning; outlives the session; NULL: none                         */
  bool explain_json;  /* EXPLAIN gives one row for each Iceberg table: plan, the JSON object of
                         calve_plan_explain, and whether metadata answers the query             */
} calve_session_config;

/* The properties of a catalog as the user configured it, PyIceberg's way: the text of a
 * .pyiceberg.yaml (NULL: there is none; yaml_path names it in errors) and environment entries
 * "NAME=value", of which those that begin with PYICEBERG_ count and win. catalog NULL means the
 * configured default, else "default"; visit first gets the key "name". CALVE_ENOTFOUND when it is
 * not configured. allocator NULL: the default one. */
CALVE_API CALVE_MUST_USE calve_status calve_config_read_catalog(
    const char *yaml, const char *yaml_path, const char *const *environment, const char *catalog,
    void (*visit)(void *ctx, const char *key, const char *value), void *ctx,
    const calve_allocator *allocator, calve_error *err);

/* Opens the catalog (a warehouse folder that is not there is made) and the engine. */
CALVE_API CALVE_MUST_USE calve_status calve_session_open(const calve_session_config *config,
                                                         calve_session **out, calve_error *err);
/* Free its results before. */
CALVE_API void calve_session_free(calve_session *session);

/* The first statement of a script: *script (NUL-terminated) moves behind it and its semicolon;
 * *statement and *size_bytes are borrowed from the script, size 0 when nothing is left. *complete
 * (may be NULL) tells whether a semicolon ended it; then an open quote is no error but
 * incomplete. */
CALVE_API CALVE_MUST_USE calve_status calve_sql_split(const char **script, const char **statement,
                                                      size_t *size_bytes, bool *complete,
                                                      calve_error *err);

/* Runs one statement without its semicolon. A syntax error has where "SQL" and its byte_offset in
 * the statement. A failed statement leaves tables as they were (CALVE_EUNKNOWN: look before trying
 * again). */
CALVE_API CALVE_MUST_USE calve_status calve_session_run(calve_session *session,
                                                        const char *statement, size_t size_bytes,
                                                        calve_result **out, calve_error *err);
/* Ends the running statement with CALVE_ECANCELLED as soon as that is safe. */
CALVE_API void calve_session_cancel(calve_session *session);
/* Per cent done of the running statement, -1 when it can't be told. `report` is called on the
 * thread that runs the statement, now and then; returning true cancels. NULL takes it away. */
CALVE_API void calve_session_on_progress(calve_session *session,
                                         bool (*report)(void *ctx, double percent), void *ctx);

/* ---- results ------------------------------------------------------------------------------ */

/* Whether the statement gives rows (SELECT, SHOW …) or only a message (CREATE, INSERT …). */
CALVE_API bool calve_result_has_rows(const calve_result *result);
/* Moves the rows out; call once. The stream must be released before the session runs another
 * statement. Values of types that Arrow lacks (BIT, TIMETZ, UHUGEINT, BIGNUM, UNION, VARIANT) come
 * as their text. */
CALVE_API CALVE_MUST_USE calve_status calve_result_take_rows(calve_result *result,
                                                             struct ArrowArrayStream *out,
                                                             calve_error *err);
/* One line for people: "3 rows inserted into db.orders: 2 files, snapshot 123". "" with rows. */
CALVE_API const char *calve_result_message(const calve_result *result);
/* Rows inserted; -1 for statements that insert none. */
CALVE_API int64_t calve_result_row_count(const calve_result *result);
CALVE_API size_t calve_result_warning_count(const calve_result *result);
/* NULL when there is no such index. */
CALVE_API const char *calve_result_warning(const calve_result *result, size_t index);
CALVE_API void calve_result_free(calve_result *result);

/* Names that begin with `prefix`, for completion at a prompt: keywords, namespaces, tables and,
 * behind "table.", its columns. Calls visit for each; stops when it gives false. */
CALVE_API CALVE_MUST_USE calve_status calve_session_complete(calve_session *session,
                                                             const char *prefix,
                                                             bool (*visit)(void *ctx,
                                                                           const char *name),
                                                             void *ctx, calve_error *err);

#ifdef __cplusplus
}
#endif
#endif
