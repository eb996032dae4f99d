/* SPDX-License-Identifier: Apache-2.0 */
/* base/sorting: a sort that can be cancelled, and a comparison for qsort.
 * In: items of one size. Out: the same in order; equal ones stay as they were (stable).
 * May be used by every room. Takes n log n comparisons at most, n - 1 where all is in order; needs
 * memory for a copy of the items, which it takes from the arena. Never recurses. */
#ifndef CALVE_BASE_SORTING_H
#define CALVE_BASE_SORTING_H

#include "base/arena.h"

typedef int calve_compare_fn(const void *a, const void *b); /* as for qsort                      */
/* Of items that begin with an int32_t, such as ids and pairs of one. */
int calve_compare_i32(const void *a, const void *b);

/* CALVE_ENOMEM; CALVE_ECANCELLED soon after the token is set (NULL: never): all items are then
 * there, but in no order. */
CALVE_MUST_USE calve_status calve_sort(void *items, size_t count, size_t item_size,
                                       calve_compare_fn *compare, calve_arena *scratch,
                                       const calve_cancel *cancel, calve_error *err);

#endif
