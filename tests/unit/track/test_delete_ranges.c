/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that hold a path are found as a look at each of them finds them. */
#include "track/delete_ranges.h"

#include "harness.h"

#define RANGES 60
#define ROUNDS 3000

static uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* One of few texts, so that ends are often equal and one text is often the start of another. */
static calve_str random_path(uint64_t *seed, calve_arena *arena) {
  char text[4];
  size_t size = next_random(seed) % sizeof text;
  for (size_t i = 0; i < size; i++) text[i] = (char)('a' + next_random(seed) % 3);
  char *copy = calve_arena_copy(arena, text, size);
  assert_non_null(copy);
  return (calve_str){copy, size};
}

static bool holds(const calve_track__range *r, calve_str path) {
  if (r->lower.data && calve_str_compare(path, r->lower) < 0) return false;
  return !r->upper.data || calve_str_compare(path, r->upper) <= 0;
}

static void check(const calve_track__ranges *r, size_t count, calve_str path, int64_t from,
                  uint64_t round) {
  uint32_t want[RANGES], got[RANGES];
  size_t wanted = 0;
  for (size_t i = 0; i < count; i++) {
    const calve_track__range *range = &r->ranges[i];
    if (range->sequence_number >= from && holds(range, path)) want[wanted++] = (uint32_t)i;
  }
  size_t found = calve_track__ranges_count(r, path, from);
  if (found != wanted) {
    fail_msg("round %llu: %zu ranges hold %.*s, not %zu", (unsigned long long)round, wanted,
             CALVE_STR_ARG(path), found);
  }
  calve_track__ranges_find(r, path, from, got);
  assert_memory_equal(got, want, wanted * sizeof *got);
}

static void test_ranges_are_found_as_one_by_one(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (uint64_t round = 0; round < ROUNDS; round++) {
    calve_arena arena = {0};
    calve_error err;
    calve_track__range ranges[RANGES];
    size_t count = next_random(&seed) % (RANGES + 1);
    int64_t sequence_number = 1;
    for (size_t i = 0; i < count; i++) {
      calve_str a = random_path(&seed, &arena), b = random_path(&seed, &arena);
      bool in_order = calve_str_compare(a, b) <= 0 || next_random(&seed) % 8 == 0;
      sequence_number += (int64_t)(next_random(&seed) % 3);
      ranges[i] = (calve_track__range){in_order ? a : b, in_order ? b : a, sequence_number};
      if (next_random(&seed) % 8 == 0) ranges[i].lower = (calve_str){0};
      if (next_random(&seed) % 8 == 0) ranges[i].upper = (calve_str){0};
    }
    calve_track__ranges r;
    assert_ok(calve_track__ranges_make(ranges, count, NULL, &arena, &r, &err), &err);
    for (int i = 0; i < 20; i++) {
      int64_t from = (int64_t)(next_random(&seed) % (uint64_t)(sequence_number + 2));
      check(&r, count, random_path(&seed, &arena), from, round);
    }
    calve_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ranges_are_found_as_one_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
