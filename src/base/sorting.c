/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sorting.h"

#include <string.h>

typedef struct sorter {
  size_t item_size;
  calve_compare_fn *compare;
  const calve_cancel *cancel;
  size_t comparisons;
} sorter;

int calve_compare_i32(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static bool is_cancelled(sorter *s) {
  return ++s->comparisons % CALVE_ITEMS_PER_LOOK == 0 && calve_cancel_is_set(s->cancel);
}

/* Items that are in order from the first on. */
static size_t sorted_start(sorter *s, const char *items, size_t count) {
  size_t n = 1;
  while (n < count &&
         s->compare(items + (n - 1) * s->item_size, items + n * s->item_size) <= 0) {
    n++;
  }
  return n;
}

/* Merges `left` items at `from` with the `right` ones behind them into `to`. False: cancelled, some
 * of them are not in `to`. */
static bool merge(sorter *s, const char *from, size_t left, size_t right, char *to) {
  const char *a = from, *a_end = a + left * s->item_size;
  const char *b = a_end, *b_end = b + right * s->item_size;
  while (a < a_end && b < b_end) {
    if (is_cancelled(s)) return false;
    bool takes_a = s->compare(a, b) <= 0;
    memcpy(to, takes_a ? a : b, s->item_size);
    to += s->item_size;
    if (takes_a)
      a += s->item_size;
    else
      b += s->item_size;
  }
  memcpy(to, a, (size_t)(a_end - a));
  memcpy(to + (a_end - a), b, (size_t)(b_end - b));
  return true;
}

/* Merges neighbouring runs of `width` items. */
static bool merge_all(sorter *s, const char *from, size_t count, size_t width, char *to) {
  for (size_t i = 0; i < count; i += 2 * width) {
    size_t left = count - i < width ? count - i : width;
    size_t right = count - i - left < width ? count - i - left : width;
    if (!merge(s, from + i * s->item_size, left, right, to + i * s->item_size)) return false;
  }
  return true;
}

calve_status calve_sort(void *items, size_t count, size_t item_size, calve_compare_fn *compare,
                        calve_arena *scratch, const calve_cancel *cancel, calve_error *err) {
  sorter s = {.item_size = item_size, .compare = compare, .cancel = cancel};
  if (count < 2 || sorted_start(&s, items, count) == count) return CALVE_OK;
  char *from = items, *to = calve_arena_room(scratch, count, item_size);
  if (!to) return calve_fail_oom(err);
  for (size_t width = 1; width < count; width *= 2) {
    if (!merge_all(&s, from, count, width, to)) {
      if (from != items) memcpy(items, from, count * item_size);
      return calve_fail(err, CALVE_ECANCELLED, NULL, "cancelled");
    }
    char *other = from;
    from = to;
    to = other;
  }
  if (from != items) memcpy(items, from, count * item_size);
  return CALVE_OK;
}
