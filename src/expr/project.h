/* SPDX-License-Identifier: Apache-2.0 */
/* expr/project: a condition on rows, as a condition on partition tuples.
 * In: a bound predicate and a spec. Out: a predicate on the tuple's fields. May be used by every
 * room below expr; done once per spec, never per file. Never projects through what it does not
 * know: an unknown transform, several sources or a dropped source give "any" (inclusive) or "none"
 * (strict). Time transforms are widened for partition values that very old Java writers put one too
 * high before 1970, as in the reference. [spec: Scan Planning] */
#ifndef CALVE_EXPR_PROJECT_H
#define CALVE_EXPR_PROJECT_H

#include "expr/bind.h"

typedef enum calve_projection {
  CALVE_INCLUSIVE, /* a row matches => its partition matches                                    */
  CALVE_STRICT     /* the partition matches => all its rows match                               */
} calve_projection;

/* `schema` tells the types of the spec's sources: the one that `bound` was bound to. */
CALVE_MUST_USE calve_status calve_project(const calve_bound *bound, const calve_spec *spec,
                                          const calve_schema *schema, calve_projection kind,
                                          calve_arena *arena, const calve_predicate **out,
                                          calve_error *err);

#endif
