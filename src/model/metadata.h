/* SPDX-License-Identifier: Apache-2.0 */
/* model/metadata: table metadata of format versions 1, 2 and 3.
 * In: the text of a metadata file. Out: one immutable calve_metadata in an arena, validated; and
 * the text back.
 * May be used by every room below model. Does no IO: gunzip and reading are metadata_file's
 * callers.
 * [spec: Table Metadata; Appendix C; Appendix F] */
#ifndef CALVE_MODEL_METADATA_H
#define CALVE_MODEL_METADATA_H

#include "model/snapshot.h"
#include "model/sort.h"
#include "model/spec.h"

#define CALVE_FORMAT_VERSION_MAX 3

typedef struct calve_snapshot_log_entry {
  int64_t timestamp_ms, snapshot_id;
} calve_snapshot_log_entry;

typedef struct calve_metadata_log_entry {
  int64_t timestamp_ms;
  calve_str metadata_file;
} calve_metadata_log_entry;

/* A member that is kept as text: unknown top-level keys, statistics, encryption keys. */
typedef struct calve_raw_member {
  calve_str key;
  calve_str json;
} calve_raw_member;

typedef struct calve_metadata {
  int32_t format_version;
  calve_str table_uuid; /* absent in some v1 files; not invented on read                        */
  calve_str location;   /* without a slash at its end                                           */
  int64_t last_sequence_number;
  int64_t last_updated_ms;
  int32_t last_column_id;

  int32_t schema_count;
  const calve_schema *const *schemas;
  int32_t current_schema_id;
  int32_t spec_count;
  const calve_spec *const *specs;
  int32_t default_spec_id;
  int32_t last_partition_id;
  int32_t sort_order_count;
  const calve_sort_order *const *sort_orders;
  int32_t default_sort_order_id;

  calve_properties properties;
  int64_t current_snapshot_id; /* CALVE_NO_SNAPSHOT when there is none                          */
  size_t snapshot_count;
  const calve_snapshot *snapshots; /* in the order of the file                                  */
  calve_slots snapshots_by_id;     /* indexes into snapshots; not made when there is none       */
  size_t snapshot_log_count;
  const calve_snapshot_log_entry *snapshot_log;
  size_t metadata_log_count;
  const calve_metadata_log_entry *metadata_log;
  size_t ref_count;
  const calve_snapshot_ref *refs; /* "main" among them when there is a current snapshot         */

  calve_str statistics_json;           /* arrays kept as text; absent when absent               */
  calve_str partition_statistics_json;
  calve_str encryption_keys_json;
  int64_t next_row_id; /* v3; -1 when absent                                                    */
  size_t extra_count;
  const calve_raw_member *extra; /* unknown top-level members, written back                     */

  const calve_schema *schema; /* the current one; never NULL                                    */
  const calve_spec *spec;     /* the default one; never NULL                                    */
  const calve_sort_order *sort_order;
} calve_metadata;

/* Parses and validates. `text` is plain JSON (see calve_metadata_plain_text); it must live as long
 * as the arena when nothing is copied: pass text that is in the arena. `where` names the file in
 * errors. */
CALVE_MUST_USE calve_status calve_metadata_parse(calve_str text, const char *where,
                                                 calve_arena *arena, const calve_metadata **out,
                                                 calve_error *err);
/* The rules between parts, as for a file just read [spec: Table Metadata]. parse calls it. */
CALVE_MUST_USE calve_status calve_metadata_check(const calve_metadata *m, const char *where,
                                                 calve_error *err);
/* Bytes of a metadata file as plain JSON in the arena: inflates when they start with the gzip
 * magic, whatever the file's name says. [spec: Appendix F] */
CALVE_MUST_USE calve_status calve_metadata_plain_text(calve_str file_bytes, const char *where,
                                                      calve_arena *arena, calve_str *out,
                                                      calve_error *err);
/* Canonical JSON, key order as the reference writes. */
void calve_metadata_write_json(const calve_metadata *m, calve_json_writer *w);

const calve_schema *calve_metadata_schema(const calve_metadata *m, int32_t schema_id); /* NULL */
const calve_spec *calve_metadata_spec(const calve_metadata *m, int32_t spec_id);       /* NULL */
const calve_sort_order *calve_metadata_sort_order(const calve_metadata *m, int32_t order_id);
const calve_snapshot *calve_metadata_snapshot(const calve_metadata *m, int64_t snapshot_id);
const calve_snapshot *calve_metadata_current_snapshot(const calve_metadata *m); /* NULL: empty   */
const calve_snapshot_ref *calve_metadata_ref(const calve_metadata *m, calve_str name);
/* The snapshot that was current at that time by the snapshot log (not by parents); CALVE_ENOTFOUND
 * when the table is younger. [spec: Table Metadata, snapshot-log] */
CALVE_MUST_USE calve_status calve_metadata_snapshot_at(const calve_metadata *m,
                                                       int64_t timestamp_ms,
                                                       const calve_snapshot **out,
                                                       calve_error *err);
/* The schema a snapshot is read with: its schema-id's, or the current one when it has none. */
const calve_schema *calve_metadata_snapshot_schema(const calve_metadata *m,
                                                   const calve_snapshot *s);
/* Any schema, newest first, that has the field; for specs and metrics of dropped columns. NULL. */
const calve_schema_node *calve_metadata_find_field(const calve_metadata *m, int32_t field_id);

#endif
