/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

#define FIRST_CAPACITY ((size_t)8)

void calve_map_init(calve_map *map, calve_arena *arena) {
  *map = (calve_map){.arena = arena};
}

/* Ids are often consecutive and hashes are not: one multiplication spreads both. */
static size_t first_slot(const calve_map *map, int64_t id) {
  uint64_t h = (uint64_t)id * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)(h ^ (h >> 32)) & (map->slot_count - 1);
}

static bool same_key(const calve_map_entry *entry, int64_t id, calve_str key) {
  if (entry->id != id || (entry->key.data != NULL) != (key.data != NULL)) return false;
  return calve_str_equal(entry->key, key);
}

/* The slot that holds the key, or the empty one where it belongs. */
static uint32_t *find_slot(const calve_map *map, int64_t id, calve_str key) {
  size_t i = first_slot(map, id);
  while (map->slots[i] != 0 && !same_key(&map->entries[map->slots[i] - 1], id, key))
    i = (i + 1) & (map->slot_count - 1);
  return &map->slots[i];
}

/* Half of the slots stay empty, so that a probe is short. */
static calve_status grow(calve_map *map, calve_error *err) {
  if (map->capacity > UINT32_MAX / 4) return calve_fail_oom(err);
  size_t capacity = map->capacity > 0 ? map->capacity * 2 : FIRST_CAPACITY;
  calve_map_entry *entries = CALVE_NEW_ARRAY(map->arena, calve_map_entry, capacity);
  uint32_t *slots = CALVE_NEW_ARRAY(map->arena, uint32_t, capacity * 2);
  if (!entries || !slots) return calve_fail_oom(err);
  if (map->count > 0) memcpy(entries, map->entries, map->count * sizeof *entries);
  map->entries = entries;
  map->slots = slots;
  map->capacity = capacity;
  map->slot_count = capacity * 2;
  for (size_t i = 0; i < map->count; i++)
    *find_slot(map, entries[i].id, entries[i].key) = (uint32_t)(i + 1);
  return CALVE_OK;
}

static calve_status put(calve_map *map, int64_t id, calve_str key, void *value, void **replaced,
                        calve_error *err) {
  assert(value);
  if (map->count == map->capacity) CALVE_TRY(grow(map, err));
  uint32_t *slot = find_slot(map, id, key);
  void *old = NULL;
  if (*slot != 0) {
    calve_map_entry *entry = &map->entries[*slot - 1];
    old = entry->value;
    entry->value = value;
  } else {
    map->entries[map->count] = (calve_map_entry){key, id, value};
    *slot = (uint32_t)++map->count;
  }
  if (replaced) *replaced = old;
  return CALVE_OK;
}

static void *get(const calve_map *map, int64_t id, calve_str key) {
  if (map->count == 0) return NULL;
  uint32_t slot = *find_slot(map, id, key);
  return slot != 0 ? map->entries[slot - 1].value : NULL;
}

/* An absent string is the empty key: NULL data marks integer keys. */
static calve_str present(calve_str key) {
  return key.data ? key : (calve_str){"", 0};
}

calve_status calve_map_put_id(calve_map *map, int64_t id, void *value, void **replaced,
                              calve_error *err) {
  return put(map, id, (calve_str){NULL, 0}, value, replaced, err);
}

calve_status calve_map_put_str(calve_map *map, calve_str key, void *value, void **replaced,
                               calve_error *err) {
  return put(map, (int64_t)calve_str_hash(key), present(key), value, replaced, err);
}

void *calve_map_get_id(const calve_map *map, int64_t id) {
  return get(map, id, (calve_str){NULL, 0});
}

void *calve_map_get_str(const calve_map *map, calve_str key) {
  return get(map, (int64_t)calve_str_hash(key), present(key));
}
