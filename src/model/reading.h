/* SPDX-License-Identifier: Apache-2.0 */
/* model/reading: small helpers of the JSON readers of this room.
 * In: keys, arrays under construction. Out: answers, larger arrays in the arena. For files of model
 * and evolve. Never copies text. */
#ifndef CALVE_MODEL_READING_H
#define CALVE_MODEL_READING_H

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"

/* Whether a key is this literal; inline, because metadata has a hundred thousand keys. */
#define CALVE_KEY_IS(key, literal)         \
  ((key).size == sizeof("" literal) - 1 && \
   memcmp((key).data, "" literal, sizeof("" literal) - 1) == 0)

/* An array with room for one element more than `count`: the same one, made longer where it is if
 * nothing stands behind it, or a copy of twice the capacity. NULL when memory is out. What is left
 * behind stays in the arena: at most as much as the array itself in the end. */
static inline void *calve_model__grown(calve_arena *arena, void *items, size_t count,
                                       size_t *capacity, size_t item_size_bytes) {
  if (count < *capacity) return items;
  size_t wanted = *capacity ? *capacity * 2 : 8;
  size_t old_bytes = count * item_size_bytes;
  if (calve_arena_resize(arena, items, old_bytes, wanted * item_size_bytes)) {
    *capacity = wanted;
    return items;
  }
  void *larger = calve_arena_array(arena, wanted, item_size_bytes);
  if (!larger) return NULL;
  if (count) memcpy(larger, items, old_bytes);
  *capacity = wanted;
  return larger;
}

/* The first room for an array of many small objects of a text: as if all that is left of the text
 * were like the first ones, because what is doubled leaves its old places behind in the arena. Not
 * zeroed: pages that are not written to cost nothing. NULL when memory is out. */
static inline void *calve_model__room(calve_arena *arena, void *items, size_t count,
                                      size_t *capacity, size_t item_size_bytes, size_t bytes_read,
                                      size_t bytes_left) {
  enum { SAMPLE = 64 };
  if (count < *capacity) return items;
  size_t wanted = count ? count * 2 : SAMPLE;
  if (count == SAMPLE) wanted = count + bytes_left / (bytes_read / count + 1) + 1;
  void *larger = calve_arena_room(arena, wanted, item_size_bytes);
  if (!larger) return NULL;
  if (count) memcpy(larger, items, count * item_size_bytes);
  *capacity = wanted;
  return larger;
}

#endif
