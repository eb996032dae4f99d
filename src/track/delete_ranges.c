/* SPDX-License-Identifier: Apache-2.0 */
#include "track/delete_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorting.h"

#define RANGES_MAX (1 << 26)

/* A lower end comes before an upper one of the same path: a range may be of one path alone. */
static int by_place(const void *a, const void *b) {
  const calve_track__range_end *x = a, *y = b;
  int order = calve_str_compare(x->path, y->path);
  if (order != 0) return order;
  return (int)x->is_upper - (int)y->is_upper;
}

/* Leaf of a path: the number of ends that it is behind. */
static size_t leaf_of(const calve_track__ranges *r, calve_str path) {
  size_t low = 0, high = r->end_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = calve_str_compare(path, r->ends[middle].path);
    if (order > 0 || (order == 0 && !r->ends[middle].is_upper))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Leaves first to last of a range; first > last: none. */
typedef struct leaves {
  uint32_t first, last;
} leaves;

/* Every end of the ranges, sorted, and from their places the leaves of each range. */
static calve_status sort_ends(const calve_track__range *ranges, size_t count,
                              const calve_cancel *cancel, calve_arena *arena, leaves *spans,
                              calve_track__ranges *r, calve_error *err) {
  calve_track__range_end *ends = CALVE_NEW_ARRAY(arena, calve_track__range_end, 2 * count);
  if (!ends) return calve_fail_oom(err);
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t number = (uint32_t)i;
    if (ranges[i].lower.data) ends[n++] = (calve_track__range_end){ranges[i].lower, false, number};
    if (ranges[i].upper.data) ends[n++] = (calve_track__range_end){ranges[i].upper, true, number};
  }
  calve_arena scratch;
  calve_arena_init(&scratch, arena->allocator);
  calve_status status = calve_sort(ends, n, sizeof *ends, by_place, &scratch, cancel, err);
  calve_arena_free(&scratch);
  CALVE_TRY(status);
  for (size_t i = 0; i < count; i++) spans[i] = (leaves){0, (uint32_t)n};
  for (size_t i = 0; i < n; i++) {
    if (ends[i].is_upper)
      spans[ends[i].range].last = (uint32_t)i;
    else
      spans[ends[i].range].first = (uint32_t)i + 1;
  }
  r->ends = ends;
  r->end_count = n;
  return CALVE_OK;
}

/* The nodes that make up the leaves of a span, one a call, from the bottom up; 0 at the end. */
typedef struct walk {
  size_t low, high, pending;
} walk;

static walk walk_of(leaves span, size_t leaf_count) {
  if (span.first > span.last) return (walk){0};
  return (walk){.low = span.first + leaf_count, .high = span.last + leaf_count + 1};
}

static size_t next_node(walk *w) {
  if (w->pending) {
    size_t node = w->pending;
    w->pending = 0;
    return node;
  }
  while (w->low < w->high) {
    size_t left = w->low & 1 ? w->low++ : 0, right = w->high & 1 ? --w->high : 0;
    w->low /= 2;
    w->high /= 2;
    if (!left && !right) continue;
    if (left) w->pending = right;
    return left ? left : right;
  }
  return 0;
}

/* Counts the notes of each node, then writes them: by rising number, as ranges come. */
static calve_status write_notes(const leaves *spans, size_t count, const calve_cancel *cancel,
                                calve_arena *arena, calve_track__ranges *r, calve_error *err) {
  size_t leaf_count = r->end_count + 1, total = 0;
  uint32_t *starts = CALVE_NEW_ARRAY(arena, uint32_t, 2 * leaf_count + 1);
  if (!starts) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    if (i % CALVE_ITEMS_PER_LOOK == 0) CALVE_TRY(calve_cancel_look(cancel, err));
    walk w = walk_of(spans[i], leaf_count);
    for (size_t node; (node = next_node(&w)) != 0; total++) starts[node]++;
  }
  uint32_t *notes = total <= UINT32_MAX ? calve_arena_room(arena, total, sizeof *notes) : NULL;
  if (!notes) return calve_fail_oom(err);
  /* The ends of all first; each note then goes before the ones of its node that are written. */
  for (size_t node = 1; node <= 2 * leaf_count; node++) starts[node] += starts[node - 1];
  for (size_t i = count; i > 0; i--) {
    if (i % CALVE_ITEMS_PER_LOOK == 0) CALVE_TRY(calve_cancel_look(cancel, err));
    walk w = walk_of(spans[i - 1], leaf_count);
    for (size_t node; (node = next_node(&w)) != 0;) notes[--starts[node]] = (uint32_t)(i - 1);
  }
  r->starts = starts;
  r->notes = notes;
  return CALVE_OK;
}

calve_status calve_track__ranges_make(const calve_track__range *ranges, size_t count,
                                      const calve_cancel *cancel, calve_arena *arena,
                                      calve_track__ranges *out, calve_error *err) {
  calve_track__ranges r = {.ranges = ranges};
  if (count > RANGES_MAX) return calve_fail_oom(err);
  leaves *spans = CALVE_NEW_ARRAY(arena, leaves, count);
  if (!spans) return calve_fail_oom(err);
  CALVE_TRY(sort_ends(ranges, count, cancel, arena, spans, &r, err));
  CALVE_TRY(write_notes(spans, count, cancel, arena, &r, err));
  *out = r;
  return CALVE_OK;
}

/* The node's notes of ranges with at least that sequence number; *count of them. */
static const uint32_t *new_enough(const calve_track__ranges *r, size_t node,
                                  int64_t sequence_number, size_t *count) {
  size_t low = r->starts[node], high = r->starts[node + 1], end = high;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (r->ranges[r->notes[middle]].sequence_number < sequence_number)
      low = middle + 1;
    else
      high = middle;
  }
  *count = end - low;
  return r->notes + low;
}

size_t calve_track__ranges_count(const calve_track__ranges *r, calve_str path,
                                 int64_t sequence_number) {
  size_t total = 0, count;
  for (size_t node = leaf_of(r, path) + r->end_count + 1; node > 0; node /= 2) {
    new_enough(r, node, sequence_number, &count);
    total += count;
  }
  return total;
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

void calve_track__ranges_find(const calve_track__ranges *r, calve_str path,
                              int64_t sequence_number, uint32_t *out) {
  size_t total = 0, count;
  for (size_t node = leaf_of(r, path) + r->end_count + 1; node > 0; node /= 2) {
    const uint32_t *notes = new_enough(r, node, sequence_number, &count);
    if (count > 0) memcpy(out + total, notes, count * sizeof *out);
    total += count;
  }
  qsort(out, total, sizeof *out, by_number);
}
