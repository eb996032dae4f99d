/* SPDX-License-Identifier: Apache-2.0 */
/* expr/sql_arithmetic: `1 + 1` and `DATE '2026-03-01' - INTERVAL 7 DAY` in conditions.
 * In: two operands and an operator. Out: a literal where all engines agree on it, null where one
 * side is; else some value. Private to expr. Never asks a clock, never fails. */
#ifndef CALVE_EXPR_SQL_ARITHMETIC_H
#define CALVE_EXPR_SQL_ARITHMETIC_H

#include "expr/sql_item.h"

/* op: + - * / % or // (whole quotient). Moments are moved by months, then days, then the rest; a
 * day that a month lacks becomes its last, in UTC. */
calve_expr_item calve_expr__item_arithmetic(const calve_expr_item *left, calve_str op,
                                            const calve_expr_item *right);
/* INTERVAL 'text' unit: "1" with a unit, "2 days", "1 year 6 months" without (unit empty). */
calve_expr_item calve_expr__item_interval(calve_str text, calve_str unit);

#endif
