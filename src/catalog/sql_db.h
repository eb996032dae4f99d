/* SPDX-License-Identifier: Apache-2.0 */
/* catalog/sql_db: statements on the SQLite file of a catalog; private to catalog.
 * In: SQL text that holds no value, and values that are bound. Out: rows; failures with their
 * class. Never pastes a value into SQL. */
#ifndef CALVE_CATALOG_SQL_DB_H
#define CALVE_CATALOG_SQL_DB_H

#include <sqlite3.h>

#include "catalog/backend.h"

typedef struct calve_catalog__statement {
  calve_catalog *catalog;
  sqlite3_stmt *handle;
} calve_catalog__statement;

/* Binds args to ?1, ?2, …; an absent string is NULL. The args are borrowed until end. */
CALVE_MUST_USE calve_status calve_catalog__begin(calve_catalog *c, const char *sql,
                                                 const calve_str *args, size_t arg_count,
                                                 calve_catalog__statement *out, calve_error *err);
/* *row false: no further row. */
CALVE_MUST_USE calve_status calve_catalog__row(calve_catalog__statement *s, bool *row,
                                               calve_error *err);
/* A copy of a text column of the row; absent for NULL. */
CALVE_MUST_USE calve_status calve_catalog__column(calve_catalog__statement *s, int column,
                                                  calve_arena *arena, calve_str *out,
                                                  calve_error *err);
void calve_catalog__end(calve_catalog__statement *s);
/* One statement without rows; *changed (may be NULL): rows it changed. CALVE_EUNKNOWN when the disk
 * failed while a change was settled, by the statement itself or by COMMIT: it may have happened. */
CALVE_MUST_USE calve_status calve_catalog__execute(calve_catalog *c, const char *sql,
                                                   const calve_str *args, size_t arg_count,
                                                   int *changed, calve_error *err);
/* The class of SQLite's last failure, with its message: CALVE_EEXISTS for a key that is taken,
 * CALVE_ECONFLICT when others held the file locked for too long. */
calve_status calve_catalog__sql_failure(calve_catalog *c, int code, const char *doing,
                                        calve_error *err);

/* ---- sql_namespaces.c ---- */

/* "a.b", as the catalog's columns hold it; a level with a dot in it is CALVE_EINVAL. */
CALVE_MUST_USE calve_status calve_catalog__space_text(const calve_namespace *space,
                                                      calve_arena *arena, calve_str *out,
                                                      calve_error *err);
/* As in calve_catalog__backend. */
calve_status calve_catalog__sql_create_namespace(calve_catalog *c, const calve_namespace *space,
                                                 const calve_properties *properties,
                                                 calve_error *err);
calve_status calve_catalog__sql_drop_namespace(calve_catalog *c, const calve_namespace *space,
                                               calve_error *err);
calve_status calve_catalog__sql_namespace_exists(calve_catalog *c, const calve_namespace *space,
                                                 bool *exists, calve_error *err);
calve_status calve_catalog__sql_list_namespaces(calve_catalog *c, const calve_namespace *parent,
                                                calve_arena *arena, calve_buffer *out,
                                                calve_error *err);
calve_status calve_catalog__sql_namespace_properties(calve_catalog *c,
                                                     const calve_namespace *space,
                                                     calve_arena *arena, calve_properties *out,
                                                     calve_error *err);
calve_status calve_catalog__sql_alter_namespace(calve_catalog *c, const calve_namespace *space,
                                                const calve_properties *set,
                                                const calve_str *unset, size_t unset_count,
                                                calve_error *err);

#endif
