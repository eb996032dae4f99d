/* SPDX-License-Identifier: Apache-2.0 */
/* catalog/catalog: names -> tables.
 * In: properties as PyIceberg names them. Out: an open catalog; namespaces and tables by name.
 * May be used by keep and sql, and through calve.h. A catalog is for one thread at a time; open it
 * once per thread. Never prints a secret, never pastes a name into SQL.
 * Kinds (property "type"): "sql" (the default; a SQLite file with the layout that PyIceberg's
 * SqlCatalog and Java's JdbcCatalog share) and "filesystem" or "hadoop" (folders with
 * version-hint.text).                                                                            */
#ifndef CALVE_CATALOG_CATALOG_H
#define CALVE_CATALOG_CATALOG_H

#include "commit/target.h"
#include "commit/transaction.h"
#include "store/path.h"

#define CALVE_NAMESPACE_LEVELS_MAX 64

typedef struct calve_catalog calve_catalog;

/* "a.b" is {"a","b"}; no level is empty. */
typedef struct calve_namespace {
  const calve_str *levels;
  size_t count;
} calve_namespace;

typedef struct calve_table_name {
  calve_namespace space; /* one level at least                                                  */
  calve_str name;
} calve_table_name;

/* Splits at dots; a level in double quotes or backquotes may hold dots, a doubled quote is one. */
CALVE_MUST_USE calve_status calve_namespace_parse(calve_str text, calve_arena *arena,
                                                  calve_namespace *out, calve_error *err);
CALVE_MUST_USE calve_status calve_table_name_parse(calve_str text, calve_arena *arena,
                                                   calve_table_name *out, calve_error *err);
/* "a.b.t", as messages print it and as the catalog's columns hold the namespace. */
CALVE_MUST_USE calve_status calve_namespace_text(const calve_namespace *space, calve_arena *arena,
                                                 calve_str *out, calve_error *err);
CALVE_MUST_USE calve_status calve_table_name_text(const calve_table_name *name, calve_arena *arena,
                                                  calve_str *out, calve_error *err);

typedef struct calve_catalog_options {
  calve_str name;              /* catalog name; absent: property "name", else "calve"           */
  calve_properties properties; /* type, uri, warehouse, …                                       */
  const calve_store *store;    /* NULL: calve_local_store                                       */
  const calve_allocator *allocator; /* NULL: the default                                        */
  calve_commit_clock clock;         /* functions NULL: the system's                             */
  const calve_path_map *maps;       /* --map-prefix                                             */
  size_t map_count;
  bool read_only; /* no file or folder is made                                                  */
  const calve_str *roots; /* --allow-root: where metadata of tables may lie besides; the property
                             "allow-root" adds one                                              */
  size_t root_count;
} calve_catalog_options;

/* Properties: "uri" ("sqlite:///relative.db", "sqlite:////absolute.db"; default: calve.db in the
 * warehouse folder), "warehouse" (a folder; made on first use). All is copied.
 * CALVE_EINVAL names the property; CALVE_EUNSUPPORTED other types. */
CALVE_MUST_USE calve_status calve_catalog_open_options(const calve_catalog_options *options,
                                                       calve_catalog **out, calve_error *err);
void calve_catalog_close(calve_catalog *c); /* NULL is fine; tables must be closed before        */
calve_str calve_catalog_name(const calve_catalog *c);
/* Waiting for a lock and between tries ends when it is set: CALVE_ECANCELLED; of a commit that was
 * sent, and whose outcome is not known, CALVE_EUNKNOWN. Borrowed; NULL: none. */
void calve_catalog_set_cancel(calve_catalog *c, const calve_cancel *cancel);
const calve_allocator *calve_catalog_allocator(const calve_catalog *c);
const calve_store *calve_catalog_store(const calve_catalog *c);

/* Names of other catalogs in the same file, "a, b", when this one has nothing in it; else "". */
CALVE_MUST_USE calve_status calve_catalog_others(calve_catalog *c, calve_arena *arena,
                                                 calve_str *out, calve_error *err);

/* ---- namespaces ---- */

/* CALVE_EEXISTS. Parents are made on the fly. */
CALVE_MUST_USE calve_status calve_catalog_create_namespace(calve_catalog *c,
                                                           const calve_namespace *space,
                                                           const calve_properties *properties,
                                                           calve_error *err);
/* CALVE_ENOTFOUND; CALVE_EINVAL when it holds tables or namespaces. */
CALVE_MUST_USE calve_status calve_catalog_drop_namespace(calve_catalog *c,
                                                         const calve_namespace *space,
                                                         calve_error *err);
CALVE_MUST_USE calve_status calve_catalog_namespace_exists(calve_catalog *c,
                                                           const calve_namespace *space,
                                                           bool *exists, calve_error *err);
/* Sorted. Direct children of `parent` (NULL: top level), last level only. */
CALVE_MUST_USE calve_status calve_catalog_list_namespaces(calve_catalog *c,
                                                          const calve_namespace *parent,
                                                          calve_arena *arena,
                                                          const calve_str **out, size_t *out_count,
                                                          calve_error *err);
CALVE_MUST_USE calve_status calve_catalog_namespace_properties(calve_catalog *c,
                                                               const calve_namespace *space,
                                                               calve_arena *arena,
                                                               calve_properties *out,
                                                               calve_error *err);
/* Sets and removes; CALVE_EUNSUPPORTED for filesystem catalogs. */
CALVE_MUST_USE calve_status calve_catalog_alter_namespace(calve_catalog *c,
                                                          const calve_namespace *space,
                                                          const calve_properties *set,
                                                          const calve_str *unset,
                                                          size_t unset_count, calve_error *err);

/* ---- tables (load and create: catalog/table.h) ---- */

/* A location that the user gives a table (or a namespace: name NULL), as our tables spell it.
 * CALVE_EINVAL when it is relative: to what, nobody could tell. CALVE_EEXISTS when it is the folder
 * of another table than `name`: who cleans up after one would remove files of the other. */
CALVE_MUST_USE calve_status calve_catalog_own_location(calve_catalog *c,
                                                       const calve_table_name *name,
                                                       calve_str location, calve_arena *arena,
                                                       calve_str *out, calve_error *err);
/* Names of a namespace's tables, sorted. */
CALVE_MUST_USE calve_status calve_catalog_list_tables(calve_catalog *c,
                                                      const calve_namespace *space,
                                                      calve_arena *arena, const calve_str **out,
                                                      size_t *out_count, calve_error *err);
CALVE_MUST_USE calve_status calve_catalog_table_exists(calve_catalog *c,
                                                       const calve_table_name *name, bool *exists,
                                                       calve_error *err);
/* The name goes; files stay unless `purge`, which removes every file that the table's snapshots
 * and logs name and that lies below its location or write paths. Filesystem catalogs always
 * remove the table's folder: without it there is no name. */
CALVE_MUST_USE calve_status calve_catalog_drop_table(calve_catalog *c, const calve_table_name *name,
                                                     bool purge, calve_error *err);
/* Whether that could be done now. */
CALVE_MUST_USE calve_status calve_catalog_check_drop(calve_catalog *c,
                                                     const calve_table_name *name, bool purge,
                                                     calve_error *err);
bool calve_catalog_drop_removes_files(const calve_catalog *c); /* even without purge           */
/* CALVE_EEXISTS; CALVE_EUNSUPPORTED for filesystem catalogs. */
CALVE_MUST_USE calve_status calve_catalog_rename_table(calve_catalog *c,
                                                       const calve_table_name *from,
                                                       const calve_table_name *to,
                                                       calve_error *err);
/* Gives a name to an existing metadata file, which is read and checked before. */
CALVE_MUST_USE calve_status calve_catalog_register_table(calve_catalog *c,
                                                         const calve_table_name *name,
                                                         calve_str metadata_location,
                                                         calve_error *err);

#endif
