/* SPDX-License-Identifier: Apache-2.0 */
#include "base/slots.h"

#include "harness.h"

enum { COUNT = 20000 };

static int64_t keys[COUNT];

static uint32_t *find(const calve_slots *s, int64_t key) {
  uint32_t *p = calve_slots_first(s, (uint64_t)key);
  while (*p && keys[*p - 1] != key) p = calve_slots_next(s, p);
  return p;
}

/* Consecutive, far apart, and all equal in their low bits. */
static void test_all_kinds_of_keys_are_found(void **state) {
  (void)state;
  static const int64_t steps[] = {1, 1000003, INT64_C(1) << 32, -7};
  for (size_t k = 0; k < ARRAY_COUNT(steps); k++) {
    calve_arena arena = {0};
    calve_error err;
    calve_slots s;
    assert_ok(calve_slots_make(&s, COUNT, &arena, &err), &err);
    for (uint32_t i = 0; i < COUNT; i++) {
      keys[i] = (int64_t)i * steps[k] - 5;
      uint32_t *p = find(&s, keys[i]);
      assert_int_equal(*p, 0);
      *p = i + 1;
    }
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(*find(&s, keys[i]), i + 1);
    assert_int_equal(*find(&s, INT64_MIN), 0);
    assert_true(s.mask + 1 >= 2 * (size_t)COUNT); /* half stays empty: searches end            */
    calve_arena_free(&arena);
  }
}

static void test_no_items_need_no_room(void **state) {
  (void)state;
  calve_arena arena = {0};
  calve_error err;
  calve_slots s;
  assert_ok(calve_slots_make(&s, 0, &arena, &err), &err);
  assert_int_equal(*calve_slots_first(&s, 17), 0);
  assert_fails(calve_slots_make(&s, SIZE_MAX, &arena, &err), CALVE_ENOMEM, &err);
  calve_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_kinds_of_keys_are_found),
      cmocka_unit_test(test_no_items_need_no_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
