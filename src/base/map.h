/* SPDX-License-Identifier: Apache-2.0 */
/* base/map: hash maps from an integer or a string to a pointer, in an arena.
 * In: keys (string keys are borrowed) and values. Out: values. May be used by every room.
 * Never removes; iteration is by insertion order over entries[]. */
#ifndef CALVE_BASE_MAP_H
#define CALVE_BASE_MAP_H

#include "base/arena.h"

typedef struct calve_map_entry {
  calve_str key; /* data NULL for an integer key                                                */
  int64_t id;    /* the integer key, or the hash of the string                                  */
  void *value;
} calve_map_entry;

typedef struct calve_map {
  calve_arena *arena;
  calve_map_entry *entries; /* insertion order                                                  */
  uint32_t *slots;          /* index into entries + 1; 0 is empty                               */
  size_t count, capacity, slot_count;
} calve_map;

void calve_map_init(calve_map *map, calve_arena *arena);
/* Value pointers must not be NULL. put replaces an equal key's value; *replaced may be NULL. */
CALVE_MUST_USE calve_status calve_map_put_id(calve_map *map, int64_t id, void *value,
                                             void **replaced, calve_error *err);
CALVE_MUST_USE calve_status calve_map_put_str(calve_map *map, calve_str key, void *value,
                                              void **replaced, calve_error *err);
void *calve_map_get_id(const calve_map *map, int64_t id); /* NULL when absent                   */
void *calve_map_get_str(const calve_map *map, calve_str key);

#endif
