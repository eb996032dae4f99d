/* SPDX-License-Identifier: Apache-2.0 */
/* expr/residual: what is left to check on the rows of a file, once its partition tuple is known.
 * In: a bound predicate, the spec that the file was written with, its tuple. Out: a predicate on
 * columns; often the filter itself, or true. May be used by every room below expr; prepared once
 * per spec, cheap per file. Never drops a condition that the tuple does not settle for every row.
 * [spec: Scan Planning] */
#ifndef CALVE_EXPR_RESIDUAL_H
#define CALVE_EXPR_RESIDUAL_H

#include "expr/bind.h"

typedef struct calve_residual calve_residual;

/* `bound` and `spec` are borrowed. Immutable: may be used from any thread. */
CALVE_MUST_USE calve_status calve_residual_prepare(const calve_bound *bound, const calve_spec *spec,
                                                   const calve_schema *schema, calve_arena *arena,
                                                   const calve_residual **out, calve_error *err);
/* The residual stays bound: its slots are those of bound->columns. Allocates in arena only when a
 * part of the filter falls away and another stays. Of a long IN, only the values stay that lie in
 * the tuple's bucket. */
CALVE_MUST_USE calve_status calve_residual_of(const calve_residual *r, const calve_value *tuple,
                                              size_t count, calve_arena *arena,
                                              const calve_predicate **out, calve_error *err);

/* Residuals of one filter: whether they are the same parts of it; and one that lives as long as
 * the arena and the filter do, whatever arena it was made in. */
bool calve_residual_equal(const calve_predicate *a, const calve_predicate *b);
CALVE_MUST_USE calve_status calve_residual_copy(const calve_predicate *r, calve_arena *arena,
                                                const calve_predicate **out, calve_error *err);

#endif
