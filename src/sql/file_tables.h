/* SPDX-License-Identifier: Apache-2.0 */
/* sql/file_tables: the metadata tables that look into manifests: files, partitions.
 * In: a table's snapshot. Out: rows of a listing, partitions united over all specs by field id.
 * Used by metadata_tables.c. Opens every manifest of the snapshot, no data file. */
#ifndef CALVE_SQL_FILE_TABLES_H
#define CALVE_SQL_FILE_TABLES_H

#include "sql/listing.h"
#include "sql/relation.h"

CALVE_MUST_USE calve_status calve_file_table_columns(calve_exec *x,
                                                     const calve_relation_request *request,
                                                     const char **columns, size_t *column_count,
                                                     calve_error *err);
CALVE_MUST_USE calve_status calve_fill_files(calve_exec *x, const calve_relation_request *request,
                                             calve_listing *listing, calve_error *err);
CALVE_MUST_USE calve_status calve_fill_partitions(calve_exec *x,
                                                  const calve_relation_request *request,
                                                  calve_listing *listing, calve_error *err);

/* One partition of the current snapshot: a spec and a tuple. */
typedef struct calve_partition_size {
  int32_t spec_id;
  const calve_value *tuple; /* of the spec's fields                                             */
  int32_t tuple_count;
  int64_t files, rows, bytes; /* of data files                                                  */
} calve_partition_size;
/* In the arena, in the order in which their files come. */
CALVE_MUST_USE calve_status calve_partition_sizes(calve_exec *x, calve_table *table,
                                                  const calve_partition_size **out,
                                                  size_t *out_count, calve_error *err);

#endif
