/* SPDX-License-Identifier: Apache-2.0 */
/* expr/unit_range: which values of a column lie in a year, month, day or hour. Private to expr.
 * In: a unit's ordinal, as its transform gives it. Out: the first value of the column's type in it.
 * Never allocates. [spec: Partition Transforms] */
#ifndef CALVE_EXPR_UNIT_RANGE_H
#define CALVE_EXPR_UNIT_RANGE_H

#include "expr/predicate.h"

/* Whether the term is years(), months(), days() or hours() of a column. */
bool calve_expr__is_unit(const calve_term *term);

/* The first value of type `source` (a date or timestamp) in the unit `ordinal` + `plus`; false when
 * the type does not reach that far. */
bool calve_expr__unit_start(calve_transform_kind unit, int32_t ordinal, int plus,
                            const calve_type *source, calve_value *out);

/* The unit that a text names as Iceberg prints it: '2026', '2026-03', '2026-03-01',
 * '2026-03-01-07'. False for other texts, and for years that don't have four digits. */
bool calve_expr__unit_of_text(calve_transform_kind unit, calve_str text, int32_t *ordinal);

#endif
