/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/runner.h"

static int sign(int64_t v) {
  return (v > 0) - (v < 0);
}

static const char *order_text(int order) {
  return order < 0 ? "<" : order > 0 ? ">" : "=";
}

/* Every pair of the sample values, against the order of their ranks. */
void run_compare(run *r, const calve_json *row) {
  const calve_type *type = member_type(r, row, "type");
  const calve_json *ranks = calve_json_get(row, "ranks");
  if (!type || !ranks) return;
  calve_value *values = CALVE_NEW_ARRAY(&r->row, calve_value, ranks->count);
  for (size_t i = 0; values && i < ranks->count; i++)
    if (!member_value_at(r, row, "ascending", i, type, &values[i])) return;
  for (size_t i = 0; values && i < ranks->count; i++)
    for (size_t j = 0; j < ranks->count; j++) {
      int64_t a = 0, b = 0;
      if (!calve_json_as_i64(&ranks->items[i], &a) || !calve_json_as_i64(&ranks->items[j], &b))
        row_unusable(r, "a rank is no number");
      int got = sign(calve_value_compare(&values[i], &values[j]));
      if (got == sign(a - b)) continue;
      expect(r, text_of(r, "%zu:%zu", i, j), order_text(sign(a - b)), order_text(got));
    }
}
