/* SPDX-License-Identifier: Apache-2.0 */
/* track/manifest: manifests, read block by block with inheritance applied, and written.
 * In: the bytes of a manifest and its record in the manifest list; or entries. Out: batches of
 * entries; or bytes and a manifest record with counts and summaries. May be used by plan, commit,
 * keep, sql. Does no IO, and decodes only what is asked for. Format versions 1 to 3.
 * [spec: Manifests; Sequence Number Inheritance; First Row ID Inheritance] */
#ifndef CALVE_TRACK_MANIFEST_H
#define CALVE_TRACK_MANIFEST_H

#include "model/metadata.h"
#include "track/manifest_list.h"

/* ---- reading -------------------------------------------------------------------------------- */

/* What to decode besides status, snapshot id, sequence numbers, content, path, format, partition,
 * record count, file size, first row id and (delete manifests) the fields that say what the
 * deletes apply to. */
typedef enum calve_manifest_columns {
  CALVE_COLUMNS_SIZES = 1 << 0,
  CALVE_COLUMNS_VALUE_COUNTS = 1 << 1,
  CALVE_COLUMNS_NULL_COUNTS = 1 << 2,
  CALVE_COLUMNS_NAN_COUNTS = 1 << 3,
  CALVE_COLUMNS_BOUNDS = 1 << 4,
  CALVE_COLUMNS_METRICS = 31, /* all of the above                                               */
  CALVE_COLUMNS_SPLIT_OFFSETS = 1 << 5,
  CALVE_COLUMNS_KEY_METADATA = 1 << 6,
  CALVE_COLUMNS_SORT_ORDER = 1 << 7,
  CALVE_COLUMNS_ALL = 255
} calve_manifest_columns;

/* What the schemas of earlier manifests were compiled to: those of one scan are mostly alike. For
 * one thread, one metadata, and for each content one choice of columns. Zero it to start. */
typedef struct calve_manifest_forms {
  calve_arena arena;
  size_t count;
  struct calve_track__form *forms; /* private                                                   */
} calve_manifest_forms;

void calve_manifest_forms_free(calve_manifest_forms *forms);

typedef struct calve_manifest_options {
  uint32_t columns;          /* calve_manifest_columns                                          */
  const int32_t *metric_ids; /* sorted: metrics of these fields only; NULL: all fields          */
  size_t metric_id_count;
  bool keep_deleted; /* give entries of status DELETED too                                      */
  const calve_cancel *cancel;  /* ends reading with CALVE_ECANCELLED; NULL: nothing does       */
  calve_manifest_forms *forms; /* looked at and added to; outlives the reader; NULL: none       */
} calve_manifest_options;

typedef struct calve_manifest_reader {
  calve_avro_file file;
  const calve_manifest_file *manifest; /* borrowed: what is inherited                           */
  int32_t format_version;              /* of the manifest                                       */
  const calve_spec *spec;              /* the one it was written with                           */
  /* Types of the tuples' values, in the spec's order: by the table's schemas where the file's
   * Avro type fits, else by the Avro type; CALVE_UNKNOWN when the file lacks the field, whose
   * value then reads as null: nothing may be concluded from it. */
  const calve_type *const *partition_types;
  calve_str schema_json; /* header: the table's schema when it was written                      */
  struct calve_track__plan *plan; /* private                                                    */
  int64_t next_row_id, next_position;
  bool keep_deleted;
  const calve_cancel *cancel;
} calve_manifest_reader;

/* What the strings, tuples and lists of a batch's entries are in. */
typedef struct calve_manifest_memory {
  calve_buffer inflated;
  calve_arena arena;
} calve_manifest_memory;

void calve_manifest_memory_init(calve_manifest_memory *m, const calve_allocator *allocator);
void calve_manifest_memory_free(calve_manifest_memory *m);

/* Some entries of a manifest: one Avro block. Zero it to start; reused by the next read, freed
 * once. Entries, tuples and strings live until then. */
typedef struct calve_manifest_batch {
  size_t count;
  calve_manifest_entry *entries;
  calve_codec codec; /* private, as all below                                                   */
  calve_manifest_memory memory;
  calve_buffer entry_memory;
  calve_arena lasting;
  calve_avro_hints *hints; /* in it                                                             */
} calve_manifest_batch;

void calve_manifest_batch_init(calve_manifest_batch *b, const calve_allocator *allocator);
void calve_manifest_batch_free(calve_manifest_batch *b);
/* Hands over what the entries point to, so that copies of the structs stay valid as long as *taken
 * (and the manifest's bytes) are left alone; the batch goes on with what was in *taken. */
void calve_manifest_batch_take(calve_manifest_batch *b, calve_manifest_memory *taken);

/* bytes: the whole file; manifest: its record (for a v1 inline manifest a blank one with path and
 * snapshot id; spec_id -1 then means "as the header says"). The spec is the metadata's of the
 * record's spec id, else the header's. The reader lives in the arena, borrows all it is given, and
 * needs no free. A reader is for one thread at a time.
 * CALVE_ECORRUPT when it is no manifest; names the path. */
CALVE_MUST_USE calve_status calve_manifest_open(calve_str bytes,
                                                const calve_manifest_file *manifest,
                                                const calve_metadata *metadata,
                                                const calve_manifest_options *options,
                                                calve_arena *arena, calve_manifest_reader *out,
                                                calve_error *err);
/* Whether something may be concluded from the tuples of its entries: it is of `spec`, the table's
 * (NULL: the table lacks it), and has all fields of it but void ones. */
bool calve_manifest_tuples_known(const calve_manifest_reader *r, const calve_spec *spec);
/* A number that stands for how the tuples of that spec are read with this metadata: names, ids,
 * transforms, and the types that its schemas expect. Where it is the same, so are the values. */
uint64_t calve_manifest_tuple_reading(const calve_spec *spec, const calve_metadata *metadata);
/* *more false: the end; the batch is then empty. A batch may have count 0 before the end. */
CALVE_MUST_USE calve_status calve_manifest_next(calve_manifest_reader *r, calve_manifest_batch *b,
                                                bool *more, calve_error *err);
/* All entries as one array in the arena; for small manifests, commits and tests. */
CALVE_MUST_USE calve_status calve_manifest_read_all(calve_manifest_reader *r, calve_arena *arena,
                                                    const calve_manifest_entry **out,
                                                    size_t *out_count, calve_error *err);

/* ---- writing -------------------------------------------------------------------------------- */

typedef struct calve_manifest_params {
  int32_t format_version; /* of the table                                                       */
  int32_t content;        /* calve_manifest_content                                             */
  const calve_schema *schema; /* goes into the header; gives the types of the tuple             */
  const calve_spec *spec;
  const calve_type *const *partition_types; /* NULL: by schema and spec; else as a reader gave:
                                               what that manifest lacks, this one lacks too    */
  int64_t snapshot_id; /* of the commit; CALVE_UNSET leaves added_snapshot_id to the caller     */
  calve_codec_id codec_id;
  int level;           /* < 0: the codec's default; Java's default for deflate is 9             */
  const uint8_t *sync; /* 16 random bytes; NULL: taken from the system's source                 */
  const calve_allocator *allocator;
} calve_manifest_params;

typedef struct calve_manifest_writer calve_manifest_writer;

/* All of params is borrowed until finish. */
CALVE_MUST_USE calve_status calve_manifest_writer_open(const calve_manifest_params *params,
                                                       calve_manifest_writer **out,
                                                       calve_error *err);
/* The entry is used up before it returns. CALVE_EINVAL names the file when the entry does not fit
 * the manifest: content, tuple length and types, negative sizes, EXISTING or DELETED without a data
 * sequence number in v2 and v3 [spec: Sequence Number Inheritance]. A file sequence number that
 * such an entry lacks stays null: manifests of writers before Iceberg 1.1 know none. */
CALVE_MUST_USE calve_status calve_manifest_writer_add(calve_manifest_writer *w,
                                                      const calve_manifest_entry *e,
                                                      calve_error *err);
/* Bytes the file would have about now, to cut at a target size. */
int64_t calve_manifest_writer_size_bytes(const calve_manifest_writer *w);
int64_t calve_manifest_writer_count(const calve_manifest_writer *w);
/* Ends the file. *bytes is borrowed from the writer; *out is the record for the manifest list,
 * without its path (set it), its strings in `arena`. */
CALVE_MUST_USE calve_status calve_manifest_writer_finish(calve_manifest_writer *w,
                                                         calve_arena *arena, calve_str *bytes,
                                                         calve_manifest_file *out,
                                                         calve_error *err);
void calve_manifest_writer_free(calve_manifest_writer *w); /* NULL is fine                      */

#endif
