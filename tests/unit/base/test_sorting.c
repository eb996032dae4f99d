/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting: order, stability, few comparisons where all is sorted, and what cancelling leaves. */
#include "base/sorting.h"

#include "harness.h"

typedef struct pair {
  int key, place;
} pair;

static size_t comparisons;
static calve_cancel cancel;

static int by_key(const void *a, const void *b) {
  const pair *x = a, *y = b;
  comparisons++;
  return x->key < y->key ? -1 : x->key > y->key;
}

static int by_key_until_cancelled(const void *a, const void *b) {
  if (comparisons == 5000) calve_cancel_set(&cancel);
  return by_key(a, b);
}

static uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  return z ^ (z >> 31);
}

static void test_equal_items_keep_their_order(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int round = 0; round < 2000; round++) {
    pair items[70];
    calve_arena arena = {0};
    calve_error err;
    size_t count = next_random(&seed) % (ARRAY_COUNT(items) + 1);
    int keys = 1 + (int)(next_random(&seed) % 40);
    for (size_t i = 0; i < count; i++)
      items[i] = (pair){(int)(next_random(&seed) % (uint64_t)keys), (int)i};
    assert_ok(calve_sort(items, count, sizeof *items, by_key, &arena, NULL, &err), &err);
    for (size_t i = 1; i < count; i++) {
      pair a = items[i - 1], b = items[i];
      if (a.key > b.key || (a.key == b.key && a.place >= b.place)) fail_msg("round %d", round);
    }
    calve_arena_free(&arena);
  }
}

static void test_sorted_items_are_looked_at_once(void **state) {
  (void)state;
  pair items[1000];
  calve_arena arena = {0};
  calve_error err;
  for (int i = 0; i < 1000; i++) items[i] = (pair){i / 3, i};
  comparisons = 0;
  assert_ok(calve_sort(items, 1000, sizeof *items, by_key, &arena, NULL, &err), &err);
  assert_int_equal(comparisons, 999);
  assert_int_equal(arena.used_bytes, 0);
  for (int i = 0; i < 1000; i++) items[i] = (pair){-i, i};
  comparisons = 0;
  assert_ok(calve_sort(items, 1000, sizeof *items, by_key, &arena, NULL, &err), &err);
  assert_int_equal(items[0].key, -999);
  assert_true(comparisons <= 10000); /* n log n                                                 */
  calve_arena_free(&arena);
}

/* The token is seen within CALVE_ITEMS_PER_LOOK comparisons, and no item is lost. */
static void test_cancelled_sort_ends_soon(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  static pair items[COUNT];
  static bool seen[COUNT];
  calve_arena arena = {0};
  calve_error err;
  uint64_t seed = 7;
  for (int i = 0; i < COUNT; i++) items[i] = (pair){(int)(next_random(&seed) % 1000), i};
  comparisons = 0;
  assert_fails(
      calve_sort(items, COUNT, sizeof *items, by_key_until_cancelled, &arena, &cancel, &err),
      CALVE_ECANCELLED, &err);
  assert_true(comparisons <= 5000 + CALVE_ITEMS_PER_LOOK);
  for (int i = 0; i < COUNT; i++) {
    assert_false(seen[items[i].place]);
    seen[items[i].place] = true;
  }
  calve_arena_free(&arena);
}

static void test_ids_are_compared_without_overflow(void **state) {
  (void)state;
  static const int32_t ids[] = {INT32_MIN, -1, 0, 1, INT32_MAX};
  for (int a = 0; a < 5; a++)
    for (int b = 0; b < 5; b++)
      assert_int_equal(calve_compare_i32(&ids[a], &ids[b]), (a > b) - (a < b));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_items_keep_their_order),
      cmocka_unit_test(test_sorted_items_are_looked_at_once),
      cmocka_unit_test(test_cancelled_sort_ends_soon),
      cmocka_unit_test(test_ids_are_compared_without_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
