/* SPDX-License-Identifier: Apache-2.0 */
/* track/file_metrics: what a file's record says of the columns that a condition asks about.
 * In: a file's record and a bound condition. Out: metrics by the condition's slots, as the
 * evaluators of expr take them. May be used by plan, commit, keep, sql. Never allocates, never
 * fails, concludes nothing: what the record does not say is not known. [spec: Data File Fields] */
#ifndef CALVE_TRACK_FILE_METRICS_H
#define CALVE_TRACK_FILE_METRICS_H

#include "expr/evaluate.h"
#include "track/data_file.h"

/* `out` has bound->column_count slots; it borrows the file's bounds. Only columns among only_ids
 * count when it is given (sorted or not). Counts and bounds of elements say nothing about rows, so
 * nothing is known of a column inside a list or map. */
void calve_file_metrics(const calve_data_file *file, const calve_bound *bound,
                        const calve_i32_list *only_ids, calve_column_metrics *out);

#endif
