/* SPDX-License-Identifier: Apache-2.0 */
/* base/slots: a hash table of numbers, for an array that is there anyway.
 * In: how many items there will be; hashes. Out: places to look at. May be used by every room. The
 * keys stay in the caller's array: four to eight bytes an item is all that this takes, where
 * base/map takes forty. Never grows, never removes. */
#ifndef CALVE_BASE_SLOTS_H
#define CALVE_BASE_SLOTS_H

#include "base/arena.h"

typedef struct calve_slots {
  uint32_t *items; /* number + 1; 0 is empty; NULL: nothing is there                            */
  size_t mask;
} calve_slots;

/* Room for `count` numbers; half of the places stay empty, so that a search is short. */
CALVE_MUST_USE static inline calve_status calve_slots_make(calve_slots *out, size_t count,
                                                           calve_arena *arena, calve_error *err) {
  size_t size = 4;
  if (count > UINT32_MAX / 4) return calve_fail_oom(err);
  while (size < count * 2) size *= 2;
  uint32_t *items = CALVE_NEW_ARRAY(arena, uint32_t, size);
  if (!items) return calve_fail_oom(err);
  *out = (calve_slots){items, size - 1};
  return CALVE_OK;
}

/* for (uint32_t *p = calve_slots_first(&s, hash); *p; p = calve_slots_next(&s, p)) … *p - 1 …;
 * where the loop ends a new number may be written. `s` must have been made. */
static inline uint32_t *calve_slots_first(const calve_slots *s, uint64_t hash) {
  uint64_t h = hash * UINT64_C(0x9E3779B97F4A7C15);
  return &s->items[(size_t)(h ^ (h >> 32)) & s->mask];
}

static inline uint32_t *calve_slots_next(const calve_slots *s, uint32_t *p) {
  return &s->items[((size_t)(p - s->items) + 1) & s->mask];
}

#endif
