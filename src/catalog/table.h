/* SPDX-License-Identifier: Apache-2.0 */
/* catalog/table: one loaded table: its state now, its store, and commits to it.
 * In: a catalog and a name, or the path of a metadata file. Out: a handle for one thread at a time
 * (calve_table in calve.h). May be used by keep and sql. The metadata it shows is immutable and
 * lives until the next refresh, commit or close. */
#ifndef CALVE_CATALOG_TABLE_H
#define CALVE_CATALOG_TABLE_H

#include "catalog/catalog.h"

typedef struct calve_table calve_table;

/* CALVE_ENOTFOUND names the table and, if one is near, suggests it. */
CALVE_MUST_USE calve_status calve_table_load(calve_catalog *c, const calve_table_name *name,
                                             calve_table **out, calve_error *err);

/* A table without a catalog, read-only: its metadata file, or a table's folder (the newest version
 * in its metadata folder). Reading is confined to the table's location and the extra roots unless
 * `trusted`. */
typedef struct calve_table_file_options {
  const calve_store *store;         /* NULL: calve_local_store                                  */
  const calve_allocator *allocator; /* NULL: the default                                        */
  const calve_path_map *maps;
  size_t map_count;
  const calve_str *roots; /* --allow-root                                                       */
  size_t root_count;
  bool trusted;
} calve_table_file_options;
CALVE_MUST_USE calve_status calve_table_open_file(calve_str path,
                                                  const calve_table_file_options *options,
                                                  calve_table **out, calve_error *err);
void calve_table_close(calve_table *t); /* NULL is fine                                         */

/* What CREATE TABLE needs. Field ids of schema, spec and order are assigned afresh, by name. */
typedef struct calve_table_definition {
  const calve_schema *schema;
  const calve_spec *spec;             /* NULL: unpartitioned                                    */
  const calve_sort_order *sort_order; /* NULL: unsorted                                         */
  calve_str location; /* absent: the namespace's property "location", else the warehouse,
                         then /namespace/table as PyIceberg does                                */
  calve_properties properties;
} calve_table_definition;
/* The namespace must exist. CALVE_EEXISTS. */
CALVE_MUST_USE calve_status calve_table_create(calve_catalog *c, const calve_table_name *name,
                                               const calve_table_definition *definition,
                                               calve_table **out, calve_error *err);
/* The same without committing: a transaction that makes the table together with its first rows
 * (CTAS). The table shows the initial metadata; it does not exist until
 * calve_table_commit_transaction. */
CALVE_MUST_USE calve_status calve_table_stage(calve_catalog *c, const calve_table_name *name,
                                              const calve_table_definition *definition,
                                              calve_table **out, calve_error *err);

/* ---- looking ---- */

const calve_metadata *calve_table_metadata(const calve_table *t);
/* In calve.h: calve_table_full_name ("ns.t", or the path it was opened by),
 * calve_table_metadata_location (absent while staged), calve_table_refresh. */
const calve_store *calve_table_store(const calve_table *t); /* guarded: maps and confines       */
const calve_allocator *calve_table_allocator(const calve_table *t);
/* For rooms that let an engine open files itself: calve_path_resolve(rules, …). */
const calve_path_rules *calve_table_path_rules(const calve_table *t);
bool calve_table_is_staged(const calve_table *t);
bool calve_table_is_read_only(const calve_table *t);

/* Memory that lives as long as the state that the table shows now; for texts about it. */
calve_arena *calve_table_state_arena(calve_table *t);

/* ---- committing; the table then shows the new state ---- */

CALVE_MUST_USE calve_status calve_table_commit_changes(calve_table *t,
                                                       const calve_changes *changes,
                                                       calve_error *err);
CALVE_MUST_USE calve_status calve_table_commit_update(calve_table *t,
                                                      const calve_snapshot_update *update,
                                                      calve_error *err);
/* Several steps: begin, calve_transaction_add_…, commit (or free). */
CALVE_MUST_USE calve_status calve_table_begin(calve_table *t, calve_transaction **out,
                                              calve_error *err);
CALVE_MUST_USE calve_status calve_table_commit_transaction(calve_table *t,
                                                           calve_transaction *transaction,
                                                           calve_error *err);

#endif
