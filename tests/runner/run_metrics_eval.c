/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_eval: a predicate and the statistics of a file. */
#include "expr/evaluate.h"
#include "runner/predicates.h"

static int64_t count_or_unknown(const calve_json *column, const char *key) {
  int64_t count;
  return calve_json_as_i64(calve_json_get(column, key), &count) ? count : -1;
}

static calve_str bound_bytes(run *r, const calve_json *column, const char *key) {
  calve_str bytes = {NULL, 0}, hex = member_str(column, key);
  if (hex.data && !bytes_of_hex(r, hex, &bytes))
    row_unusable(r, "%s: %.*s is not hex", key, CALVE_STR_ARG(hex));
  return bytes;
}

static calve_column_metrics metrics_of(run *r, const calve_json *columns, int32_t field_id) {
  const calve_json *column = calve_json_get(columns, text_of(r, "%d", (int)field_id));
  if (!column) return CALVE_NO_METRICS;
  return (calve_column_metrics){.value_count = count_or_unknown(column, "value_count"),
                                .null_count = count_or_unknown(column, "null_count"),
                                .nan_count = count_or_unknown(column, "nan_count"),
                                .lower = bound_bytes(r, column, "lower_hex"),
                                .upper = bound_bytes(r, column, "upper_hex")};
}

void run_metrics_eval(run *r, const calve_json *row) {
  naming columns = {.schema = member_schema(r, row, "schema")};
  if (!columns.schema) return;
  const calve_predicate *p = predicate_of(r, calve_json_get(row, "expr"), &columns);
  const calve_bound *bound;
  if (!p) return;
  if (calve_bind(p, columns.schema, NULL, &r->row, &bound, &r->err) != CALVE_OK) {
    row_unusable(r, "bind: %s", r->err.message);
    return;
  }
  const calve_json *metrics = calve_json_get(row, "metrics");
  calve_column_metrics *slots = calve_arena_array(&r->row, bound->column_count, sizeof *slots);
  for (size_t i = 0; i < bound->column_count; i++)
    slots[i] = metrics_of(r, calve_json_get(metrics, "columns"), bound->columns[i].node->field->id);
  int64_t record_count = member_i64(metrics, "record_count");
  bool might = calve_metrics_might_match(bound, record_count, slots, NULL);
  expect_bool(r, "inclusive", member_bool(row, "inclusive"), might);
  expect_bool(r, "strict", member_bool(row, "strict"),
              calve_metrics_must_match(bound, record_count, slots));
  const calve_bound *again = reread(r, bound, columns.schema);
  if (!again) return;
  for (size_t i = 0; i < again->column_count; i++)
    slots[i] = metrics_of(r, calve_json_get(metrics, "columns"), again->columns[i].node->field->id);
  expect_bool(r, "inclusive, by the printed SQL", might,
              calve_metrics_might_match(again, record_count, slots, NULL));
}
