/* SPDX-License-Identifier: Apache-2.0 */
/* residuals: a predicate on columns, a spec, and the partition tuple of a file. */
#include "expr/residual.h"
#include "runner/predicates.h"

static const char *residual_text(run *r, const calve_bound *bound, const calve_spec *spec,
                                 const calve_schema *schema, const calve_value *tuple,
                                 size_t count) {
  const calve_residual *residual;
  const calve_predicate *left;
  if (calve_residual_prepare(bound, spec, schema, &r->row, &residual, &r->err) != CALVE_OK ||
      calve_residual_of(residual, tuple, count, &r->row, &left, &r->err) != CALVE_OK)
    return error_text(r);
  return predicate_text(r, left);
}

void run_residuals(run *r, const calve_json *row) {
  naming columns = {.schema = member_schema(r, row, "schema")};
  const calve_spec *spec = member_spec(r, row, "spec");
  const calve_json *partition = calve_json_get(row, "partition");
  if (!columns.schema || !spec || !partition) return;
  calve_value *tuple = calve_arena_array(&r->row, partition->count, sizeof *tuple);
  for (size_t i = 0; i < partition->count; i++) {
    const calve_type *type = member_type(r, &partition->items[i], "type");
    if (!type || !member_value(r, &partition->items[i], "value", type, &tuple[i])) return;
  }
  const calve_predicate *p = predicate_of(r, calve_json_get(row, "expr"), &columns);
  const calve_bound *bound;
  if (!p) return;
  if (calve_bind(p, columns.schema, NULL, &r->row, &bound, &r->err) != CALVE_OK) {
    row_unusable(r, "bind: %s", r->err.message);
    return;
  }
  const calve_json *residual = calve_json_get(row, "residual");
  const char *expected = residual ? expected_predicate(r, residual, &columns) : "an error";
  expect(r, "residual", expected,
         residual_text(r, bound, spec, columns.schema, tuple, partition->count));
}
