/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_eval: a predicate, on columns or on partition fields, and a manifest's summaries. */
#include "expr/evaluate.h"
#include "expr/project.h"
#include "runner/predicates.h"

static calve_status filter_of(run *r, const calve_predicate *p, const naming *names, bool on_rows,
                              const calve_predicate **out) {
  if (!on_rows) return calve_bind_partition(p, names->spec, names->schema, &r->row, out, &r->err);
  const calve_bound *bound;
  CALVE_TRY(calve_bind(p, names->schema, NULL, &r->row, &bound, &r->err));
  return calve_project(bound, names->spec, names->schema, CALVE_INCLUSIVE, &r->row, out, &r->err);
}

static calve_field_summary summary_of(run *r, const calve_json *j) {
  calve_field_summary s = {.contains_null = member_bool(j, "contains_null"), .contains_nan = -1};
  calve_str lower = member_str(j, "lower_hex"), upper = member_str(j, "upper_hex");
  if (calve_json_get(j, "contains_nan")) s.contains_nan = member_bool(j, "contains_nan");
  if ((lower.data && !bytes_of_hex(r, lower, &s.lower)) ||
      (upper.data && !bytes_of_hex(r, upper, &s.upper)))
    row_unusable(r, "bounds are not hex");
  return s;
}

void run_manifest_eval(run *r, const calve_json *row) {
  naming names = {.schema = member_schema(r, row, "schema"), .spec = member_spec(r, row, "spec")};
  const calve_json *types_json = calve_json_get(row, "partition_types");
  if (!names.schema || !names.spec || !types_json) return;
  const calve_type **types = calve_arena_array(&r->row, types_json->count, sizeof *types);
  for (size_t i = 0; i < types_json->count; i++)
    if (!(types[i] = type_of_text(r, types_json->items[i].text)))
      row_unusable(r, "partition_types: %s", r->err.message);
  names.tuple_types = types;
  bool on_rows = calve_str_equal_text(member_str(row, "filter_kind"), "row");
  naming columns = {.schema = names.schema};
  const calve_predicate *p =
      predicate_of(r, calve_json_get(row, "expr"), on_rows ? &columns : &names);
  const calve_predicate *filter;
  if (!p) return;
  if (filter_of(r, p, &names, on_rows, &filter) != CALVE_OK) {
    row_unusable(r, "filter: %s", r->err.message);
    return;
  }
  const calve_json *partitions = calve_json_get(row, "partitions");
  size_t count = partitions ? partitions->count : 0;
  calve_field_summary *summaries = calve_arena_array(&r->row, count, sizeof *summaries);
  for (size_t i = 0; i < count; i++) summaries[i] = summary_of(r, &partitions->items[i]);
  expect_bool(r, "result", member_bool(row, "result"),
              calve_manifest_might_match(filter, summaries, count, NULL));
}
