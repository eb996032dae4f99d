/* SPDX-License-Identifier: Apache-2.0 */
/* track/data_file: one data or delete file as a manifest records it.
 * In: nothing; plain structs that the manifest reader fills and writers hand over. Out: lookups.
 * May be used by plan, commit, keep, data and sql. Never owns memory: strings and lists are
 * borrowed from where the struct came from (a batch, an arena). [spec: Data File Fields] */
#ifndef CALVE_TRACK_DATA_FILE_H
#define CALVE_TRACK_DATA_FILE_H

#include "codec/avro_reader.h"
#include "model/spec.h"

typedef enum calve_file_content {
  CALVE_CONTENT_DATA = 0,
  CALVE_CONTENT_POSITION_DELETES = 1, /* also deletion vectors: those have format PUFFIN        */
  CALVE_CONTENT_EQUALITY_DELETES = 2
} calve_file_content;

typedef enum calve_entry_status {
  CALVE_ENTRY_EXISTING = 0,
  CALVE_ENTRY_ADDED = 1,
  CALVE_ENTRY_DELETED = 2
} calve_entry_status;

#define CALVE_UNSET INT64_C(-1) /* numbers of an entry that are null                            */

typedef struct calve_data_file {
  int32_t content; /* calve_file_content                                                        */
  int32_t spec_id; /* of the manifest                                                           */
  calve_str path;
  calve_str format; /* as written: "PARQUET", "parquet", "ORC", "AVRO", "PUFFIN"                */
  int64_t record_count; /* -1: nobody counted them (data files that old Java versions imported)   */
  int64_t file_size_bytes;
  const calve_value *partition; /* partition_count values in the order of the spec's fields     */
  int32_t partition_count;
  int32_t sort_order_id; /* -1 when absent                                                      */
  /* Metrics by field id, sorted by id; items NULL when the map is absent or was not asked for. */
  calve_id_i64_list column_sizes;
  calve_id_i64_list value_counts;
  calve_id_i64_list null_value_counts;
  calve_id_i64_list nan_value_counts;
  calve_id_bytes_list lower_bounds; /* single-value bytes                                       */
  calve_id_bytes_list upper_bounds;
  calve_str key_metadata; /* data NULL when absent, also below                                  */
  calve_i64_list split_offsets;
  calve_i32_list equality_ids;
  int64_t first_row_id; /* CALVE_UNSET when absent, also below                                  */
  calve_str referenced_data_file;
  int64_t content_offset;
  int64_t content_size_bytes;
} calve_data_file;

typedef struct calve_manifest_entry {
  int32_t status;               /* calve_entry_status                                           */
  int64_t snapshot_id;          /* read: inherited. To write: CALVE_UNSET inherits              */
  int64_t data_sequence_number; /* the same                                                     */
  int64_t file_sequence_number; /* the same                                                     */
  int64_t position;             /* of the entry in its manifest; ignored by the writer          */
  calve_data_file file;
} calve_manifest_entry;

/* A file with nothing set: numbers that may be null are CALVE_UNSET, lists absent. */
calve_data_file calve_data_file_blank(void);

bool calve_data_file_is_format(const calve_data_file *f, const char *format); /* without case   */
bool calve_data_file_is_deletion_vector(const calve_data_file *f);

/* What the file adds to a sum of rows. */
static inline int64_t calve_data_file_rows(const calve_data_file *f) {
  return f->record_count > 0 ? f->record_count : 0;
}

/* Binary search; NULL when the id has no value. */
const int64_t *calve_id_i64_find(const calve_id_i64_list *list, int32_t id);
const calve_str *calve_id_bytes_find(const calve_id_bytes_list *list, int32_t id);

/* A deep copy in the arena. */
CALVE_MUST_USE calve_status calve_data_file_copy(const calve_data_file *f, calve_arena *arena,
                                                 calve_data_file *out, calve_error *err);

#endif
