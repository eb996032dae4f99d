/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in memory for tests of planning: metadata from text, manifests from rows. */
#ifndef CALVE_TESTS_PLAN_TABLE_H
#define CALVE_TESTS_PLAN_TABLE_H

#include "harness.h"

#include "base/text.h"
#include "plan/scan.h"
#include "store/memory.h"

/* Rows name what they need; the rest is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* One entry of a manifest. Sequence number 0: inherited (added now). */
typedef struct file_row {
  const char *path, *partition; /* JSON array of single values; NULL: []                        */
  int64_t sequence_number;
  int32_t bounds_id; /* 0: no metrics; else long bounds of that field, no nulls                 */
  int64_t lower, upper;
  int64_t record_count; /* 0: 1                                                                 */
  int32_t status;       /* 0 is EXISTING and needs a sequence number; else as the spec numbers  */
  int32_t content;
  int32_t equality_id;
  const char *referenced, *path_lower, *path_upper;
  bool is_vector;
} file_row;

typedef struct plan_table {
  calve_arena arena;
  calve_store *store;
  const calve_metadata *metadata;
  calve_buffer manifests; /* calve_manifest_file, in order                                      */
  calve_error err;
} plan_table;

/* Schema, specs and so on as members of the metadata: "\"schemas\":[…],\"partition-specs\":[…],…".
 * A snapshot 100 with sequence number 9 and the list /t/list.avro is added. */
void table_open(plan_table *t, int format_version, const char *schema_fields, const char *specs,
                int default_spec_id);
/* The same from whole metadata text. */
void table_open_text(plan_table *t, const char *json);
void table_close(plan_table *t);
/* Adds a manifest; sequence number is that of its commit. */
void table_manifest(plan_table *t, int32_t spec_id, int32_t content, int64_t sequence_number,
                    const file_row *rows, size_t count);
/* Writes the manifest list. */
void table_commit(plan_table *t);

/* Paths of the planned files with a space between; deletes in brackets: "a b[d1,d2] c". The scan
 * uses `executor`, and is made with caches too, which must change nothing. Filter is Iceberg's JSON
 * or NULL. The result lives in the table's arena. */
const char *planned(plan_table *t, const char *filter);
const char *planned_with(plan_table *t, const calve_scan_params *params);
/* "path: residual" lines of the planned files, " *" where a file matches wholly. */
const char *residuals(plan_table *t, const char *filter);
calve_scan_params scan_params(plan_table *t, const char *filter);

#define FILES(t, spec_id, ...)                                                            \
  table_manifest((t), (spec_id), CALVE_MANIFEST_DATA, 9, (const file_row[]){__VA_ARGS__}, \
                 sizeof((const file_row[]){__VA_ARGS__}) / sizeof(file_row))
#define DELETES(t, spec_id, ...)                                                             \
  table_manifest((t), (spec_id), CALVE_MANIFEST_DELETES, 9, (const file_row[]){__VA_ARGS__}, \
                 sizeof((const file_row[]){__VA_ARGS__}) / sizeof(file_row))

#endif
