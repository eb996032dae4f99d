/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/runner.h"

void run_spec_compat(run *r, const calve_json *row) {
  const calve_spec *a = member_spec(r, row, "a"), *b = member_spec(r, row, "b");
  if (!a || !b) return;
  expect_bool(r, "equals", member_bool(row, "equals"), calve_spec_equal(a, b));
  expect_bool(r, "compatible_with", member_bool(row, "compatible_with"),
              calve_spec_compatible(a, b));
}
