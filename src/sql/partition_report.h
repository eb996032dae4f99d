/* SPDX-License-Identifier: Apache-2.0 */
/* sql/partition_report: how the rows of a table are spread over partitions and files.
 * In: a table. Out: rows of a listing of DESCRIBE (name, value, comment): the largest partitions,
 * sums, and warnings of files that are too small and of columns with too many values to be
 * partitioned by as they are. Used by exec_describe.c. Opens all manifests of the snapshot. */
#ifndef CALVE_SQL_PARTITION_REPORT_H
#define CALVE_SQL_PARTITION_REPORT_H

#include "sql/listing.h"

CALVE_MUST_USE calve_status calve_partition_report(calve_exec *x, calve_table *table,
                                                   calve_listing *listing, calve_error *err);

#endif
