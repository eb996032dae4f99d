/* SPDX-License-Identifier: Apache-2.0 */
/* sql/session: the state between statements, and what statements work with.
 * In: statements. Out: results (calve_sql.h). Used by the files of room sql. Each exec_*.c runs
 * some kinds of statements; a statement either commits whole or leaves every table as it was. */
#ifndef CALVE_SQL_SESSION_H
#define CALVE_SQL_SESSION_H

#include "base/map.h"
#include "calve_sql.h"
#include "catalog/table.h"
#include "data/engine.h"
#include "data/rows.h"
#include "sql/statement.h"

struct calve_session {
  const calve_allocator *allocator;
  calve_arena arena; /* lives as long as the session: names, settings                           */
  calve_catalog *catalog;
  calve_engine *engine;
  calve_thread_pool *pool; /* for planning                                                      */
  calve_cache *cache;      /* the same; NULL: none                                              */
  calve_cancel cancel;     /* set by calve_session_cancel                                       */
  size_t thread_count;     /* 0: one per core                                                   */
  calve_namespace space; /* of USE; count 0 when there was none                                 */
  bool read_only;
  bool dry_run;           /* see calve_sql.h                                                    */
  bool dynamic_overwrite; /* SET partition_overwrite_mode = dynamic                             */
  calve_map warned;       /* name of a table -> size_t *: how many of its faults were told     */
  bool session_is_utc;    /* the engine's TimeZone                                              */
  bool times_as_text;     /* see calve_sql.h                                                    */
  bool explain_json;      /* see calve_sql.h                                                    */
  bool has_collation;     /* the engine's default_collation                                     */
  bool has_macros;        /* functions may be the user's: year() need not be the engine's       */
  bool truncate_is_theirs; /* a macro of that name was made                                    */
  bool (*report)(void *ctx, double percent);
  void *report_ctx;
  bool in_transaction; /* of the engine: of the last query, whose rows may still be read        */
  calve_buffer views;  /* DROP statements for the temporary relations of the last statement     */
};

struct calve_result {
  const calve_allocator *allocator;
  calve_arena arena;
  calve_str message; /* NUL behind it; absent: none                                             */
  calve_buffer warnings; /* calve_str, NUL behind each                                          */
  int64_t row_count;
  bool has_rows;
  struct ArrowArrayStream rows; /* release NULL when taken or none                              */
};

/* One statement on its way. */
typedef struct calve_exec {
  calve_session *session;
  const calve_statement *statement;
  calve_arena *arena; /* until the statement is done                                            */
  calve_result *result;
  bool asked_in_vain; /* the engine could not evaluate a constant; now none is asked for         */
  const calve_str *answers; /* what metadata gives for the items of the query, as SQL; or NULL   */
} calve_exec;

typedef calve_status calve_exec_fn(calve_exec *x, calve_error *err);

calve_exec_fn calve_exec_create_namespace, calve_exec_drop_namespace, calve_exec_show_namespaces,
    calve_exec_use, calve_exec_show_tables, calve_exec_create_table, calve_exec_drop_table,
    calve_exec_alter_table, calve_exec_insert, calve_exec_describe, calve_exec_show_create,
    calve_exec_show_columns, calve_exec_show_properties, calve_exec_set, calve_exec_reset,
    calve_exec_query,
    calve_exec_explain;

/* ---- results ------------------------------------------------------------------------------ */

CALVE_MUST_USE calve_status calve_exec_message(calve_exec *x, calve_error *err, const char *fmt,
                                               ...) CALVE_PRINTF(3, 4);
CALVE_MUST_USE calve_status calve_exec_warn(calve_exec *x, calve_error *err, const char *fmt, ...)
    CALVE_PRINTF(3, 4);
/* Says what the statement has done. It has happened already and can't fail any more: when memory is
 * short, less is said. */
void calve_exec_done(calve_exec *x, const char *fmt, ...) CALVE_PRINTF(2, 3);
/* For a dry run: what differs between two states (before NULL: none) as rows. */
CALVE_MUST_USE calve_status calve_exec_show_diff(calve_exec *x, const calve_metadata *before,
                                                 const calve_metadata *after, calve_error *err);
/* For a dry run: the difference that `changes` (count of them, in their order) would make. */
CALVE_MUST_USE calve_status calve_exec_show_changes(calve_exec *x, calve_table *table,
                                                    const calve_changes *changes, size_t count,
                                                    calve_error *err);
/* The rows of an engine statement become the result's. */
CALVE_MUST_USE calve_status calve_exec_rows(calve_exec *x, const char *engine_sql,
                                            calve_error *err);

/* ---- names -------------------------------------------------------------------------------- */

/* A table name as typed: the catalog's name in front is dropped, one part alone is in the namespace
 * of USE. CALVE_EINVAL when no namespace is known. */
CALVE_MUST_USE calve_status calve_exec_table_name(calve_exec *x, const calve_name *name,
                                                  calve_table_name *out, calve_error *err);
CALVE_MUST_USE calve_status calve_exec_namespace(calve_exec *x, const calve_name *name,
                                                 calve_namespace *out, calve_error *err);
/* Loads a table; the result warns of what is wrong with it, once a session. */
CALVE_MUST_USE calve_status calve_exec_open(calve_exec *x, const calve_table_name *name,
                                            calve_table **out, calve_error *err);
CALVE_MUST_USE calve_status calve_exec_load(calve_exec *x, const calve_name *name,
                                            calve_table **out, calve_error *err);
/* Whether a name of one part means a table of the engine's (CREATE TEMP TABLE makes one). A table
 * of the namespace in use hides it. */
CALVE_MUST_USE calve_status calve_exec_is_engine_table(calve_exec *x, const calve_name *name,
                                                       bool *out, calve_error *err);
/* "addr.zip" of a name's parts, in the arena. */
CALVE_MUST_USE calve_status calve_exec_dotted(calve_exec *x, const calve_name *name, calve_str *out,
                                              calve_error *err);
/* Whether column names must be spelled as they are: only where two differ in nothing but case. */
bool calve_exec_case_matters(const calve_schema *schema);
/* The column of that name, as calve_exec_case_matters has it; NULL when there is none or two. */
const calve_schema_node *calve_exec_find_column(const calve_schema *schema, calve_str name);
/* CALVE_EDENIED in a read-only session. */
CALVE_MUST_USE calve_status calve_exec_may_write(calve_exec *x, calve_error *err);

/* A SQL literal's value as a value of an Iceberg type, by the engine's cast; CALVE_EINVAL names
 * the text when it does not fit. */
CALVE_MUST_USE calve_status calve_exec_literal(calve_exec *x, calve_str text,
                                               const calve_type *type, calve_value *out,
                                               calve_error *err);

/* The type with the DEFAULTs of the struct fields in it; the same type when there are none. */
CALVE_MUST_USE calve_status calve_exec_type(calve_exec *x, const calve_type *type,
                                            const calve_type **out, calve_error *err);

/* Looks at settings of the engine that change what conditions mean: wall-clock literals are UTC
 * only in one zone, and strings are compared byte by byte only without a collation. */
CALVE_MUST_USE calve_status calve_exec_note_settings(calve_exec *x, calve_error *err);

/* ---- queries ------------------------------------------------------------------------------ */

/* The query with every Iceberg table in it replaced by a relation of the engine that reads just
 * the files which may match. The relations live until the next statement. */
CALVE_MUST_USE calve_status calve_exec_rewrite_query(calve_exec *x, calve_str query,
                                                     calve_str *out, calve_error *err);
/* Makes the engine's clock stand still until the relations are forgotten, so that now() means the
 * same while planning and while reading. */
void calve_session_hold_clock(calve_session *s);
/* Drops the temporary relations of the last statement. */
void calve_session_forget_relations(calve_session *s);

#endif
