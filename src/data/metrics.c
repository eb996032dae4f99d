/* SPDX-License-Identifier: Apache-2.0 */
#include "data/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "data/stage.h"

#define DEFAULT_MODE     ((calve_metrics_mode){.kind = CALVE_METRICS_TRUNCATE, .length = 16})
#define MAX_INFERRED_KEY "write.metadata.metrics.max-inferred-column-defaults"
#define MAX_INFERRED     100

/* ---- modes ----------------------------------------------------------------------------------- */

static bool is_sorted_by(const calve_sort_order *order, int32_t field_id) {
  for (int32_t i = 0; order && i < order->field_count; i++)
    if (order->fields[i].source_id == field_id) return true;
  return false;
}

calve_metrics_mode calve_metrics_mode_of(const calve_properties *properties,
                                         const calve_sort_order *order,
                                         const calve_schema_node *node, bool *inferred) {
  static const char prefix[] = "write.metadata.metrics.column.";
  calve_metrics_mode mode;
  *inferred = false;
  for (size_t i = 0; i < properties->count; i++) {
    calve_str key = properties->items[i].key;
    if (key.size != sizeof prefix - 1 + node->full_name.size ||
        memcmp(key.data, prefix, sizeof prefix - 1) != 0 ||
        !calve_str_ends_with(key, node->full_name))
      continue;
    if (calve_metrics_mode_parse(properties->items[i].value, &mode)) return mode;
  }
  calve_str text = calve_properties_get(properties, "write.metadata.metrics.default");
  *inferred = !text.data;
  /* A default that can't be read counts as the default of defaults, as in the reference. */
  if (!text.data || !calve_metrics_mode_parse(text, &mode)) mode = DEFAULT_MODE;
  if (mode.kind < CALVE_METRICS_TRUNCATE && is_sorted_by(order, node->field->id)) {
    *inferred = false;
    return DEFAULT_MODE;
  }
  return mode;
}

/* ---- which leaves ---------------------------------------------------------------------------- */

static size_t index_of_top(const calve_schema *schema, const calve_schema_node *node) {
  while (node->parent) node = node->parent;
  return (size_t)(node->field - schema->root->fields);
}

static int by_field_id(const void *a, const void *b) {
  int32_t x = ((const calve_metrics_leaf *)a)->node->field->id;
  int32_t y = ((const calve_metrics_leaf *)b)->node->field->id;
  return (x > y) - (x < y);
}

calve_status calve_metrics_make(const calve_schema *schema, const bool *staged,
                                const calve_sort_order *order, const calve_properties *properties,
                                calve_arena *arena, calve_metrics *out, calve_error *err) {
  calve_metrics_leaf *leaves =
      CALVE_NEW_ARRAY(arena, calve_metrics_leaf, (size_t)schema->node_count);
  if (!leaves) return calve_fail_oom(err);
  int64_t room = calve_properties_i64(properties, MAX_INFERRED_KEY, MAX_INFERRED);
  size_t count = 0;
  /* Columns of the top level take the room for inferred modes before those in structs do. */
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < schema->node_count; i++) {
      const calve_schema_node *node = &schema->nodes[i];
      if (node->inside_repeated || calve_type_is_nested(node->field->type) ||
          (node->parent != NULL) != (pass == 1) || !staged[index_of_top(schema, node)])
        continue;
      bool inferred;
      calve_metrics_mode mode = calve_metrics_mode_of(properties, order, node, &inferred);
      if (inferred && room-- <= 0 && !is_sorted_by(order, node->field->id)) continue;
      if (mode.kind == CALVE_METRICS_NONE) continue;
      leaves[count] = (calve_metrics_leaf){.node = node, .mode = mode};
      CALVE_TRY(calve_stage__path(schema, node, arena, &leaves[count].sql, err));
      count++;
    }
  }
  if (count > 0) qsort(leaves, count, sizeof leaves[0], by_field_id);
  *out = (calve_metrics){.leaf_count = count, .leaves = leaves};
  return CALVE_OK;
}

/* ---- the aggregates -------------------------------------------------------------------------- */

static bool is_float(const calve_metrics_leaf *leaf) {
  calve_type_id id = leaf->node->field->type->id;
  return id == CALVE_FLOAT || id == CALVE_DOUBLE;
}

static bool has_bounds(const calve_metrics_leaf *leaf) {
  return leaf->mode.kind >= CALVE_METRICS_TRUNCATE;
}

static void put_call(calve_buffer *out, const char *function, calve_str argument,
                     const char *filter) {
  calve_buffer_printf(out, ", %s(", function);
  calve_buffer_put_str(out, argument);
  calve_buffer_putc(out, ')');
  if (!filter) return;
  calve_buffer_printf(out, " FILTER (WHERE %s(", filter);
  calve_buffer_put_str(out, argument);
  calve_buffer_puts(out, "))");
}

void calve_metrics_sql(const calve_metrics *m, calve_buffer *out) {
  for (size_t i = 0; i < m->leaf_count; i++) {
    const calve_metrics_leaf *leaf = &m->leaves[i];
    const char *filter = is_float(leaf) ? "NOT isnan" : NULL;
    put_call(out, "count", leaf->sql, NULL);
    if (is_float(leaf)) put_call(out, "count", leaf->sql, "isnan");
    if (!has_bounds(leaf)) continue;
    put_call(out, "min", leaf->sql, filter);
    put_call(out, "max", leaf->sql, filter);
  }
}

static calve_status take_bound(const calve_metrics_leaf *leaf, const calve_rows *rows,
                               size_t column, size_t row, bool upper, calve_arena *arena,
                               calve_id_bytes *items, size_t *count, calve_error *err) {
  calve_value v;
  calve_str bytes;
  CALVE_TRY(calve_rows_value(rows, column, row, leaf->node->field->type, &v, err));
  CALVE_TRY(calve_bound_bytes(&v, upper, leaf->mode, arena, &bytes, err));
  if (bytes.data) items[(*count)++] = (calve_id_bytes){leaf->node->field->id, bytes};
  return CALVE_OK;
}

calve_status calve_metrics_take(const calve_metrics *m, const calve_rows *rows, size_t column,
                                size_t row, calve_arena *arena, calve_data_file *file,
                                calve_error *err) {
  size_t n = m->leaf_count, nans = 0, lowers = 0, uppers = 0;
  calve_id_i64 *values = CALVE_NEW_ARRAY(arena, calve_id_i64, n);
  calve_id_i64 *nulls = CALVE_NEW_ARRAY(arena, calve_id_i64, n);
  calve_id_i64 *nan = CALVE_NEW_ARRAY(arena, calve_id_i64, n);
  calve_id_bytes *lower = CALVE_NEW_ARRAY(arena, calve_id_bytes, n);
  calve_id_bytes *upper = CALVE_NEW_ARRAY(arena, calve_id_bytes, n);
  if (!values || !nulls || !nan || !lower || !upper) return calve_fail_oom(err);
  for (size_t i = 0; i < n; i++) {
    const calve_metrics_leaf *leaf = &m->leaves[i];
    int32_t id = leaf->node->field->id;
    values[i] = (calve_id_i64){id, file->record_count};
    nulls[i] = (calve_id_i64){id, file->record_count - calve_rows_i64(rows, column++, row)};
    if (is_float(leaf)) nan[nans++] = (calve_id_i64){id, calve_rows_i64(rows, column++, row)};
    if (!has_bounds(leaf)) continue;
    CALVE_TRY(take_bound(leaf, rows, column++, row, false, arena, lower, &lowers, err));
    CALVE_TRY(take_bound(leaf, rows, column++, row, true, arena, upper, &uppers, err));
  }
  file->value_counts = (calve_id_i64_list){values, n};
  file->null_value_counts = (calve_id_i64_list){nulls, n};
  file->nan_value_counts = (calve_id_i64_list){nan, nans};
  file->lower_bounds = (calve_id_bytes_list){lower, lowers};
  file->upper_bounds = (calve_id_bytes_list){upper, uppers};
  return CALVE_OK;
}
