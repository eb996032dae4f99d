/* SPDX-License-Identifier: Apache-2.0 */
/* data/write: the rows of a query as data files of a table, with the records to commit.
 * In: a SELECT, a table's schema, spec, sort order and properties. Out: durable Parquet files, one
 * partition each, with field ids, and their records with exact metrics. May be used by sql. Commits
 * nothing: the caller commits the records, or removes the files again. On failure no file is left.
 * [spec: Writer Requirements; Parquet; Partitioning; Sorting] */
#ifndef CALVE_DATA_WRITE_H
#define CALVE_DATA_WRITE_H

#include "data/engine.h"
#include "model/metadata.h"
#include "store/path.h"
#include "track/data_file.h"

typedef struct calve_write_request {
  const calve_metadata *metadata; /* location and properties                                */
  const calve_schema *schema;     /* NULL: the metadata's current one, likewise below       */
  const calve_spec *spec;
  const calve_sort_order *sort_order;
  const calve_path_rules *rules; /* NULL: files may be written anywhere                    */
  const char *source;            /* one query, without semicolon                           */
  /* The top-level field that each column of the source goes to; the others get their write default
   * or null. NULL: all fields in the schema's order. */
  const int32_t *column_ids;
  size_t column_count;
  bool traced; /* of calve_write_trace                                                          */
} calve_write_request;

typedef struct calve_written {
  size_t file_count;
  const calve_data_file *files; /* paths as the table spells them                               */
  int64_t row_count;
  size_t partition_count;
  calve_str warning; /* absent, or one sentence for the user: many small partitions             */
  calve_str root;    /* plain local path: folders below it that become empty are the write's    */
} calve_written;

/* CALVE_EINVAL names the column: wrong number of columns, a value or type that does not fit, null
 * in a required column. CALVE_EUNSUPPORTED: a type or transform that this version can't write.
 * CALVE_EIO: the disk is full, and the like. *out lives in the arena. */
CALVE_MUST_USE calve_status calve_write_files(calve_engine *engine,
                                              const calve_write_request *request,
                                              calve_arena *arena, calve_written *out,
                                              calve_error *err);
/* Tells which row it was that calve_write_files has refused, by reading them once more.
 * request->traced is true, and the source gives one more column behind those of the list: a text
 * that tells the rows apart. CALVE_EINVAL: the message is the text of a row, and then what does not
 * fit. CALVE_OK when all rows fit or none can be read. Other failures say nothing of the rows. */
CALVE_MUST_USE calve_status calve_write_trace(calve_engine *engine,
                                              const calve_write_request *request,
                                              calve_arena *arena, calve_error *err);
/* Removes the files of a write whose commit is known to have failed, and folders left empty. */
void calve_written_discard(const calve_written *written, const calve_path_rules *rules,
                           const calve_allocator *allocator);

#endif
