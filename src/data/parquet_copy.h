/* SPDX-License-Identifier: Apache-2.0 */
/* data/parquet_copy: a run of staged rows as one Parquet file.
 * In: a stage, a range of row ids, a path. Out: the file, its size and the size of each column; for
 * files of several row groups also where they start. For data/write. Does not sync, does not clean
 * up behind a failure. [spec: Parquet; Data File Fields] */
#ifndef CALVE_DATA_PARQUET_COPY_H
#define CALVE_DATA_PARQUET_COPY_H

#include "data/stage.h"

typedef struct calve_copy_leaf {
  int32_t field_id;
  calve_str path; /* as the engine's statistics name it: "s"."a", "l"."element"                 */
} calve_copy_leaf;

/* What all files of one write share. */
typedef struct calve_copy {
  const calve_stage *stage;
  calve_str columns; /* the SELECT list                                                         */
  calve_str options; /* COPY's, without the row group size                                      */
  int64_t row_group_rows;
  size_t leaf_count;
  const calve_copy_leaf *leaves; /* by field id                                                 */
} calve_copy;

/* Reads write.parquet.{compression-codec,compression-level} from the properties; CALVE_EINVAL for a
 * codec that the engine lacks. */
CALVE_MUST_USE calve_status calve_copy_make(const calve_stage *stage,
                                            const calve_properties *properties, calve_copy *out,
                                            calve_error *err);
/* Sets record count, file size, column sizes of `file`; the path is a plain one. */
CALVE_MUST_USE calve_status calve_copy_rows(const calve_copy *copy, int64_t first_row,
                                            int64_t row_count, calve_str path, calve_arena *arena,
                                            calve_data_file *file, calve_error *err);
/* Sets split_offsets of files; paths[i] is the place of files[i]. */
CALVE_MUST_USE calve_status calve_copy_split_offsets(const calve_copy *copy, const calve_str *paths,
                                                     calve_data_file *files, size_t count,
                                                     calve_arena *arena, calve_error *err);

#endif
