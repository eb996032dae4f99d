/* SPDX-License-Identifier: Apache-2.0 */
/* catalog/backend: what each kind of catalog does in its own way; private to catalog.
 * In: an open catalog. Out: answers about names, and the pointer to each table's metadata file. */
#ifndef CALVE_CATALOG_BACKEND_H
#define CALVE_CATALOG_BACKEND_H

#include "base/buffer.h"
#include "catalog/catalog.h"
#include "commit/locations.h"
#include "store/guard.h"

typedef struct calve_catalog__pointer {
  calve_str location; /* of the current metadata file                                           */
  int64_t version;    /* filesystem: N; else -1                                                 */
} calve_catalog__pointer;

typedef struct calve_catalog__backend {
  bool names_are_folders; /* dropping a name removes what lies in the folder                     */
  calve_status (*create_namespace)(calve_catalog *c, const calve_namespace *space,
                                   const calve_properties *properties, calve_error *err);
  calve_status (*drop_namespace)(calve_catalog *c, const calve_namespace *space,
                                 calve_error *err);
  calve_status (*namespace_exists)(calve_catalog *c, const calve_namespace *space, bool *exists,
                                   calve_error *err);
  /* Appends calve_str to out, in any order, perhaps twice. */
  calve_status (*list_namespaces)(calve_catalog *c, const calve_namespace *parent,
                                  calve_arena *arena, calve_buffer *out, calve_error *err);
  calve_status (*list_tables)(calve_catalog *c, const calve_namespace *space, calve_arena *arena,
                              calve_buffer *out, calve_error *err);
  calve_status (*namespace_properties)(calve_catalog *c, const calve_namespace *space,
                                       calve_arena *arena, calve_properties *out,
                                       calve_error *err);
  calve_status (*alter_namespace)(calve_catalog *c, const calve_namespace *space,
                                  const calve_properties *set, const calve_str *unset,
                                  size_t unset_count, calve_error *err);
  /* CALVE_ENOTFOUND without a message that the table's name is needed for. */
  calve_status (*locate)(calve_catalog *c, const calve_table_name *name, calve_arena *arena,
                         calve_catalog__pointer *out, calve_error *err);
  /* Where a new table goes by default. */
  calve_status (*default_location)(calve_catalog *c, const calve_table_name *name,
                                   calve_arena *arena, calve_str *out, calve_error *err);
  calve_status (*drop)(calve_catalog *c, const calve_table_name *name, calve_error *err);
  calve_status (*rename)(calve_catalog *c, const calve_table_name *from,
                         const calve_table_name *to, calve_error *err);
  calve_status (*enroll)(calve_catalog *c, const calve_table_name *name, calve_str location,
                         calve_error *err);
  /* As in calve_commit_target; store is the table's. */
  calve_status (*swap)(calve_catalog *c, const calve_table_name *name, const calve_store *store,
                       const calve_table_state *base, const calve_metadata *metadata,
                       calve_str json, calve_arena *arena, calve_str *location, int64_t *version,
                       calve_error *err);
  calve_status (*settle)(calve_catalog *c, const calve_table_name *name, const calve_store *store,
                         const calve_table_state *base, calve_str location, calve_str json,
                         calve_error *err);
  /* Another table than `name` in this folder; absent: none. NULL: there can be none. */
  calve_status (*table_at)(calve_catalog *c, calve_str location, const calve_table_name *name,
                           calve_arena *arena, calve_str *out, calve_error *err);
  /* As calve_catalog_others; NULL: there can be none. */
  calve_status (*others)(calve_catalog *c, calve_arena *arena, calve_str *out, calve_error *err);
  void (*close)(calve_catalog *c);
} calve_catalog__backend;

struct calve_catalog {
  const calve_allocator *allocator;
  calve_arena arena; /* until close                                                             */
  const calve_catalog__backend *backend;
  calve_str name, warehouse; /* warehouse as our tables spell it: "file:///…"                   */
  calve_properties properties;
  calve_commit_clock clock;
  calve_path_rules rules;     /* maps; a configured catalog is trusted                          */
  calve_path_rules table_rules; /* the same, with what a table's paths must be, and the roots   */
  calve_guard_store guard;    /* looks for metadata files; removes nothing                      */
  calve_guard_store table_guard; /* reads those that the catalog names                          */
  const calve_store *inner;   /* unguarded                                                      */
  bool read_only;
  const calve_cancel *cancel; /* of waiting; may be NULL                                        */
  /* sql */
  struct sqlite3 *db;
  const char *db_path;
  bool has_type_column;
  int64_t busy_timeout_ms;
};

CALVE_MUST_USE calve_status calve_catalog__open_sql(calve_catalog *c, calve_error *err);
CALVE_MUST_USE calve_status calve_catalog__open_filesystem(calve_catalog *c, calve_error *err);

/* ---- metadata files: metadata_files.c ---- */

CALVE_MUST_USE calve_status calve_catalog__read_metadata(const calve_store *store,
                                                         calve_str location, calve_arena *arena,
                                                         const calve_metadata **out,
                                                         calve_error *err);
/* The bytes of a metadata file: gzip when `compressed`. */
CALVE_MUST_USE calve_status calve_catalog__encode_metadata(calve_str json, bool compressed,
                                                           calve_buffer *out, calve_error *err);
/* write.metadata.compression-codec is gzip. CALVE_EINVAL for other codecs than none and gzip. */
CALVE_MUST_USE calve_status calve_catalog__wants_gzip(const calve_metadata *m, bool *out,
                                                      calve_error *err);
/* "00007-<uuid>.metadata.json" in the metadata folder, one more than `previous` has. */
CALVE_MUST_USE calve_status calve_catalog__next_location(const calve_metadata *m,
                                                         calve_str previous, bool compressed,
                                                         calve_arena *arena, calve_str *out,
                                                         calve_error *err);
/* "v7.metadata.json", "v7.gz.metadata.json", "v7.metadata.json.gz": 7; else -1. */
int64_t calve_catalog__version_of(calve_str file_name);
/* "00007-….metadata.json" (also gz forms): 7; else -1. */
int64_t calve_catalog__number_of(calve_str file_name);
/* The file of a version in a folder, under one of its three names; *found false: there is none. */
CALVE_MUST_USE calve_status calve_catalog__find_file(const calve_store *store, calve_str folder,
                                                     int64_t version, calve_arena *arena,
                                                     calve_catalog__pointer *out, bool *found,
                                                     calve_error *err);
/* The current version of a table with version files; CALVE_ENOTFOUND when it has none. */
CALVE_MUST_USE calve_status calve_catalog__find_version(const calve_store *store,
                                                        calve_str table_folder,
                                                        calve_arena *arena,
                                                        calve_catalog__pointer *out,
                                                        calve_error *err);
/* The newest "NNNNN-uuid.metadata.json" of a folder; CALVE_EINVAL when two share that number. */
CALVE_MUST_USE calve_status calve_catalog__find_numbered(const calve_store *store,
                                                         calve_str table_folder,
                                                         calve_arena *arena,
                                                         calve_catalog__pointer *out,
                                                         calve_error *err);

/* ---- where a table's metadata may lie: table_roots.c ---- */

/* Its own folders, a few that its log of metadata files names, and the warehouse. */
#define CALVE_TABLE_ROOTS_MAX (CALVE_OWN_FOLDERS_MAX + 8)
typedef struct calve_catalog__roots {
  calve_str items[CALVE_TABLE_ROOTS_MAX]; /* borrowed from catalog, metadata and its location   */
  size_t count;
} calve_catalog__roots;
/* The folder of a table with this metadata file: the one above "metadata", else the file's own. */
calve_str calve_catalog__folder_of_file(calve_str metadata_file);
void calve_catalog__table_roots(const calve_catalog *c, const calve_metadata *m,
                                calve_str metadata_location, calve_catalog__roots *out);
/* A guard that reads the table's metadata and removes nothing. */
void calve_catalog__guard_table(const calve_catalog *c, const calve_catalog__roots *roots,
                                calve_guard_store *out);

/* What the files of a dropped table made of their removal. */
typedef struct calve_catalog__leftovers {
  const calve_store *store;
  size_t count, of_count; /* files that could not be removed, of so many                        */
  calve_error first;      /* why not                                                            */
} calve_catalog__leftovers;
/* Removes one; a failure is counted, not given. */
void calve_catalog__remove_file(calve_catalog__leftovers *left, calve_str path);
/* CALVE_OK when nothing is left; else the first failure, which tells that the table is gone. */
calve_status calve_catalog__tell_leftovers(const calve_catalog__leftovers *left, calve_str table,
                                           calve_error *err);

/* Fails with CALVE_ENOTFOUND; suggests a table of the namespace whose name is near. */
calve_status calve_catalog__no_such_table(calve_catalog *c, const calve_table_name *name,
                                          calve_error *err);

#endif
