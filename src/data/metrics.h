/* SPDX-License-Identifier: Apache-2.0 */
/* data/metrics: counts and bounds of the columns of data files, exact, from the staged rows.
 * In: the schema, the table's metrics properties. Out: a statement that aggregates many files at
 * once, and its rows as the metrics of data files. For data/write. Columns below lists and maps
 * have no metrics but sizes. [spec: Data File Fields; reference: write.metadata.metrics.*] */
#ifndef CALVE_DATA_METRICS_H
#define CALVE_DATA_METRICS_H

#include "data/bounds.h"
#include "data/rows.h"
#include "model/sort.h"
#include "track/data_file.h"

typedef struct calve_metrics_leaf {
  const calve_schema_node *node;
  calve_str sql; /* the value in a staged row                                                   */
  calve_metrics_mode mode;
} calve_metrics_leaf;

typedef struct calve_metrics {
  size_t leaf_count;
  const calve_metrics_leaf *leaves; /* by field id                                              */
} calve_metrics;

/* staged[i] tells whether top-level column i is in the stage, as "c<i>". */
CALVE_MUST_USE calve_status calve_metrics_make(const calve_schema *schema, const bool *staged,
                                               const calve_sort_order *order,
                                               const calve_properties *properties,
                                               calve_arena *arena, calve_metrics *out,
                                               calve_error *err);
/* Appends ", count(…), …": the aggregates of all leaves, for a SELECT … GROUP BY file. */
void calve_metrics_sql(const calve_metrics *m, calve_buffer *out);
/* Fills the metrics of one file from row `row` of that statement, the aggregates starting at
 * `column`. The file's record_count must be set. */
CALVE_MUST_USE calve_status calve_metrics_take(const calve_metrics *m, const calve_rows *rows,
                                               size_t column, size_t row, calve_arena *arena,
                                               calve_data_file *file, calve_error *err);
/* The mode of a column by the properties alone (the cap on inferred columns is make's). */
calve_metrics_mode calve_metrics_mode_of(const calve_properties *properties,
                                         const calve_sort_order *order,
                                         const calve_schema_node *node, bool *inferred);

#endif
