/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include "base/text.h"
#include "harness.h"

static int values[20000];

static void test_ids_are_found_in_insertion_order(void **state) {
  (void)state;
  calve_arena arena = {0};
  calve_map map;
  calve_error err;
  calve_map_init(&map, &arena);
  assert_null(calve_map_get_id(&map, 1));
  for (int i = 0; i < 20000; i++)
    assert_ok(calve_map_put_id(&map, (int64_t)i * 1000003 - 5, &values[i], NULL, &err), &err);
  assert_int_equal(map.count, 20000);
  for (int i = 0; i < 20000; i++) {
    assert_ptr_equal(calve_map_get_id(&map, (int64_t)i * 1000003 - 5), &values[i]);
    assert_null(calve_map_get_id(&map, (int64_t)i * 1000003 - 4));
    assert_ptr_equal(map.entries[i].value, &values[i]);
  }
  calve_arena_free(&arena);
}

static void test_strings_are_found_and_differ_from_ids(void **state) {
  (void)state;
  calve_arena arena = {0};
  calve_map map;
  calve_error err;
  calve_map_init(&map, &arena);
  for (int i = 0; i < 5000; i++) {
    calve_str key;
    assert_ok(calve_arena_printf(&arena, &key, &err, "column_%d", i), &err);
    assert_ok(calve_map_put_str(&map, key, &values[i], NULL, &err), &err);
  }
  assert_ptr_equal(calve_map_get_str(&map, CALVE_STR("column_77")), &values[77]);
  assert_null(calve_map_get_str(&map, CALVE_STR("column_")));
  assert_null(calve_map_get_id(&map, (int64_t)calve_str_hash(CALVE_STR("column_77"))));
  /* The empty and the absent string are one key, and no id. */
  assert_null(calve_map_get_str(&map, CALVE_STR("")));
  assert_ok(calve_map_put_str(&map, calve_str_of(NULL), &values[1], NULL, &err), &err);
  assert_ptr_equal(calve_map_get_str(&map, CALVE_STR("")), &values[1]);
  calve_arena_free(&arena);
}

static void test_put_replaces_and_says_so(void **state) {
  (void)state;
  calve_arena arena = {0};
  calve_map map;
  calve_error err;
  void *replaced = &err;
  calve_map_init(&map, &arena);
  assert_ok(calve_map_put_id(&map, 7, &values[0], &replaced, &err), &err);
  assert_null(replaced);
  assert_ok(calve_map_put_id(&map, 7, &values[1], &replaced, &err), &err);
  assert_ptr_equal(replaced, &values[0]);
  assert_ptr_equal(calve_map_get_id(&map, 7), &values[1]);
  assert_int_equal(map.count, 1);
  calve_arena_free(&arena);
}

static void test_a_failed_allocation_leaves_the_map_as_it_was(void **state) {
  (void)state;
  bool done = false;
  for (long n = 0; !done; n++) {
    failing_allocator mem;
    failing_allocator_init(&mem, n);
    calve_arena arena;
    calve_arena_init(&arena, &mem.allocator);
    calve_map map;
    calve_error err;
    calve_map_init(&map, &arena);
    int i = 0;
    while (i < 2000 && calve_map_put_id(&map, i, &values[i], NULL, &err) == CALVE_OK) i++;
    done = i == 2000;
    if (!done) assert_int_equal(err.code, CALVE_ENOMEM);
    assert_int_equal(map.count, i);
    for (int k = 0; k < i; k++) assert_ptr_equal(calve_map_get_id(&map, k), &values[k]);
    assert_null(calve_map_get_id(&map, i));
    calve_arena_free(&arena);
    assert_int_equal(atomic_load(&mem.live_bytes), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ids_are_found_in_insertion_order),
      cmocka_unit_test(test_strings_are_found_and_differ_from_ids),
      cmocka_unit_test(test_put_replaces_and_says_so),
      cmocka_unit_test(test_a_failed_allocation_leaves_the_map_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
