/* SPDX-License-Identifier: Apache-2.0 */
/* data/read: the rows of data files as a relation of DuckDB, read by field id at every depth.
 * In: the schema to read with, the files of a scan with their partition tuples. Out: SQL text of a
 * SELECT, or a temporary view. May be used by sql. Opens footers of files only; never reads a
 * column by name or position; never ignores delete files. A column that can't be read fails when a
 * query looks at it, and only then. [spec: Column Projection] */
#ifndef CALVE_DATA_READ_H
#define CALVE_DATA_READ_H

#include "data/engine.h"
#include "model/metadata.h"
#include "store/path.h"
#include "track/data_file.h"

typedef struct calve_read_request {
  const calve_schema *schema;     /* its top-level fields are the relation's columns, in order   */
  const calve_metadata *metadata; /* for the specs and schema.name-mapping.default               */
  const calve_path_rules *rules;  /* where files may lie; NULL: anywhere                         */
  const calve_data_file *const *files;
  size_t file_count;
  const char *table; /* for errors about files; NULL: they don't name it                         */
  bool with_position; /* adds _file VARCHAR (as the manifest spells it) and _pos BIGINT          */
  bool has_deletes;   /* some file has rows that delete files take away: refused in this version */
} calve_read_request;

/* Appends "SELECT … UNION ALL SELECT …", without a semicolon; for use between parentheses.
 * CALVE_EUNSUPPORTED  deletes; files that are not Parquet
 * CALVE_EINVAL        files without field ids in a table without a name mapping
 * CALVE_ENOTFOUND, CALVE_ECORRUPT, CALVE_EDENIED  name the file                                 */
CALVE_MUST_USE calve_status calve_read_relation(calve_engine *engine,
                                                const calve_read_request *request,
                                                calve_buffer *sql, calve_error *err);
/* The same as a temporary view of that name (replaced if it is there). */
CALVE_MUST_USE calve_status calve_read_view(calve_engine *engine, const calve_read_request *request,
                                            const char *name, calve_error *err);

#endif
