/* SPDX-License-Identifier: Apache-2.0 */
/* track/manifest_list: the list of a snapshot's manifests, with summaries of their partitions.
 * In: the bytes of a list, or manifest records to write. Out: records in an arena, or bytes.
 * May be used by plan, commit, keep, sql. Does no IO. Format versions 1 to 3.
 * [spec: Manifest Lists; First Row ID Assignment; Sequence Number Inheritance] */
#ifndef CALVE_TRACK_MANIFEST_LIST_H
#define CALVE_TRACK_MANIFEST_LIST_H

#include "expr/evaluate.h"
#include "track/data_file.h"

typedef enum calve_manifest_content {
  CALVE_MANIFEST_DATA = 0,
  CALVE_MANIFEST_DELETES = 1
} calve_manifest_content;

typedef struct calve_manifest_file {
  calve_str path;
  int64_t length_bytes;
  int32_t spec_id;
  int32_t content; /* calve_manifest_content                                                    */
  int64_t sequence_number;     /* 0 in v1. To write: CALVE_UNSET takes the snapshot's           */
  int64_t min_sequence_number; /* the same                                                      */
  int64_t added_snapshot_id;
  int64_t added_files_count; /* counts: CALVE_UNSET when unknown (v1), never less               */
  int64_t existing_files_count;
  int64_t deleted_files_count;
  int64_t added_rows_count;
  int64_t existing_rows_count;
  int64_t deleted_rows_count;
  const calve_field_summary *partitions; /* in the order of the spec's fields; NULL: absent     */
  size_t partition_count;
  calve_str key_metadata;
  int64_t first_row_id; /* v3; CALVE_UNSET when absent                                          */
} calve_manifest_file;

/* A record with unknown counts and no summaries, as a v1 snapshot's inline manifest is. */
calve_manifest_file calve_manifest_file_blank(void);
/* Whether all counts of files and rows are known. */
bool calve_manifest_file_is_counted(const calve_manifest_file *m);
/* False only when the counts prove that no entry is live (all DELETED, or none). */
bool calve_manifest_may_have_live_files(const calve_manifest_file *m);

/* Strings are copied to the arena: `bytes` may go. In the list's order. CALVE_ECORRUPT names
 * `where` (its path) and the place. */
CALVE_MUST_USE calve_status calve_manifest_list_read(calve_str bytes, const char *where,
                                                     calve_arena *arena,
                                                     const calve_manifest_file **out,
                                                     size_t *out_count, calve_error *err);
/* The same; ends with CALVE_ECANCELLED soon after the token (may be NULL) is set. */
CALVE_MUST_USE calve_status calve_manifest_list_read_until(
    calve_str bytes, const char *where, const calve_cancel *cancel, calve_arena *arena,
    const calve_manifest_file **out, size_t *out_count, calve_error *err);

typedef struct calve_manifest_list_params {
  int32_t format_version;
  int64_t snapshot_id;
  int64_t parent_snapshot_id; /* CALVE_NO_SNAPSHOT when there is none                           */
  int64_t sequence_number;    /* 0 in v1                                                        */
  int64_t first_row_id;       /* v3: the table's next-row-id; else CALVE_UNSET                  */
  calve_codec_id codec_id;    /* CALVE_CODEC_DEFLATE unless a property says otherwise           */
  int level;
  const uint8_t *sync; /* 16 random bytes; NULL: taken from the system's source                 */
  const calve_allocator *allocator;
} calve_manifest_list_params;

/* Appends the file's bytes to `out`. Numbers that are CALVE_UNSET are taken from params; in v3
 * data manifests without a first_row_id get one, and *next_row_id (may be NULL) is the table's next
 * one. CALVE_EINVAL when a record lacks what the version requires (v2: counts), or when a v1 list
 * is given delete manifests. */
CALVE_MUST_USE calve_status calve_manifest_list_write(const calve_manifest_list_params *params,
                                                      const calve_manifest_file *manifests,
                                                      size_t count, calve_buffer *out,
                                                      int64_t *next_row_id, calve_error *err);

CALVE_MUST_USE calve_status calve_manifest_file_copy(const calve_manifest_file *m,
                                                     calve_arena *arena, calve_manifest_file *out,
                                                     calve_error *err);

#endif
