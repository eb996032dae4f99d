/* SPDX-License-Identifier: Apache-2.0 */
#include "track/file_metrics.h"

static bool is_among(const calve_i32_list *ids, int32_t id) {
  for (size_t i = 0; i < ids->count; i++) {
    if (ids->items[i] == id) return true;
  }
  return false;
}

void calve_file_metrics(const calve_data_file *file, const calve_bound *bound,
                        const calve_i32_list *only_ids, calve_column_metrics *out) {
  for (size_t i = 0; i < bound->column_count; i++) {
    const calve_schema_node *node = bound->columns[i].node;
    int32_t id = node->field->id;
    out[i] = CALVE_NO_METRICS;
    if (node->inside_repeated || (only_ids && !is_among(only_ids, id))) continue;
    const int64_t *values = calve_id_i64_find(&file->value_counts, id);
    const int64_t *nulls = calve_id_i64_find(&file->null_value_counts, id);
    const int64_t *nans = calve_id_i64_find(&file->nan_value_counts, id);
    const calve_str *lower = calve_id_bytes_find(&file->lower_bounds, id);
    const calve_str *upper = calve_id_bytes_find(&file->upper_bounds, id);
    if (values) out[i].value_count = *values;
    if (nulls) out[i].null_count = *nulls;
    if (nans) out[i].nan_count = *nans;
    if (lower) out[i].lower = *lower;
    if (upper) out[i].upper = *upper;
  }
}
