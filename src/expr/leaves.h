/* SPDX-License-Identifier: Apache-2.0 */
/* expr/leaves: what binding, folding and projection share about leaves. Private to expr. */
#ifndef CALVE_EXPR_LEAVES_H
#define CALVE_EXPR_LEAVES_H

#include "expr/project.h"

/* Sorts values, which are p's literals, and drops repeated ones. Gives p; or a constant when none
 * is left; p becomes an equality when one is left. */
const calve_predicate *calve_expr__sort_set(calve_predicate *p, calve_value *values);

/* The next value (by 1) or the one before (-1) of a type whose values are whole numbers of
 * something; false for others, and at the end of the type. */
bool calve_expr__neighbour(const calve_value *v, int by, calve_value *out);

/* calve_project for one bound leaf. */
CALVE_MUST_USE calve_status calve_expr__project_leaf(const calve_predicate *leaf,
                                                     const calve_spec *spec,
                                                     const calve_schema *schema,
                                                     calve_projection kind, calve_arena *arena,
                                                     const calve_predicate **out, calve_error *err);

#endif
