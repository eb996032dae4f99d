/* SPDX-License-Identifier: Apache-2.0 */
/* expr/condense: long conditions that programs write, in a form that is judged quickly.
 * In: a bound or projected predicate. Out: one that holds for the same rows. May be used by every
 * room below expr; done once per plan, never per file. Never looks at data.
 * [reference: none; binding and projection keep what others bind and project] */
#ifndef CALVE_EXPR_CONDENSE_H
#define CALVE_EXPR_CONDENSE_H

#include "expr/bind.h"

/* Of eight values or ranges on: `a = 1 OR a = 2 OR a IN (3, 4) …` becomes `a IN (1, 2, 3, 4, …)`,
 * `a <> 1 AND a <> 2 …` becomes `a NOT IN (1, 2, …)`; ranges of one term in an OR are sorted, those
 * that meet are joined, and a file's bounds find theirs by a binary search. Shorter ones stay as
 * they were written. What is said twice of nulls or NaN is said once. */
CALVE_MUST_USE calve_status calve_condense(const calve_predicate *p, calve_arena *arena,
                                        const calve_predicate **out, calve_error *err);

#endif
