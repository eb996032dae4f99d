/* SPDX-License-Identifier: Apache-2.0 */
/* row_eval: a predicate on the optional column `c` and one value of it. */
#include "expr/evaluate.h"
#include "runner/predicates.h"

void run_row_eval(run *r, const calve_json *row) {
  const calve_type *type = member_type(r, row, "type");
  if (!type) return;
  calve_field field = {.id = 1, .name = CALVE_STR("c"), .type = type};
  const calve_type root = {.id = CALVE_STRUCT, .field_count = 1, .fields = &field};
  naming columns = {0};
  const calve_bound *bound;
  calve_value value;
  if (calve_schema_make(0, &root, NULL, 0, &r->row, &columns.schema, &r->err) != CALVE_OK) {
    row_unusable(r, "schema: %s", r->err.message);
    return;
  }
  const calve_predicate *p = predicate_of(r, calve_json_get(row, "expr"), &columns);
  if (!p || !member_value(r, row, "input", type, &value)) return;
  if (calve_bind(p, columns.schema, NULL, &r->row, &bound, &r->err) != CALVE_OK) {
    expect(r, "result", calve_json_get(row, "error") ? "error" : "a result", error_text(r));
    return;
  }
  bool matches = calve_row_matches(bound, &value);
  expect_bool(r, "result", member_bool(row, "result"), matches);
  const calve_bound *again = reread(r, bound, columns.schema);
  if (again) expect_bool(r, "by the printed SQL", matches, calve_row_matches(again, &value));
}
