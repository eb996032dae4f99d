/* SPDX-License-Identifier: Apache-2.0 */
/* evolve/sort_update: replacing a table's sort order.
 * In: metadata and sort terms. Out: changes to commit, or a refusal. May be used by commit and sql.
 * Never does IO; files that were written keep the order they claim. [spec: Sorting] */
#ifndef CALVE_EVOLVE_SORT_UPDATE_H
#define CALVE_EVOLVE_SORT_UPDATE_H

#include "model/change.h"

typedef struct calve_new_sort_field {
  calve_str source; /* dotted full name                                                         */
  calve_transform transform;
  bool descending;
  bool nulls_last;
} calve_new_sort_field;

/* The order of these fields on a schema; order id 1, or 0 when count is 0 (unsorted). */
CALVE_MUST_USE calve_status calve_sort_order_build(const calve_schema *schema,
                                                   const calve_new_sort_field *fields, size_t count,
                                                   bool case_sensitive, calve_arena *arena,
                                                   const calve_sort_order **out, calve_error *err);
/* Makes it the default order of base; an equal one that exists is used again. Nothing to do gives
 * no changes at all. */
CALVE_MUST_USE calve_status calve_sort_update_apply(const calve_metadata *base,
                                                    const calve_new_sort_field *fields,
                                                    size_t count, bool case_sensitive,
                                                    calve_arena *arena, calve_changes *out,
                                                    calve_error *err);

#endif
