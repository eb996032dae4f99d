/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include "base/text.h"
#include "harness.h"

static void test_pieces_are_appended_in_order(void **state) {
  (void)state;
  failing_allocator mem;
  failing_allocator_init(&mem, -1);
  calve_buffer b;
  calve_buffer_init(&b, &mem.allocator);
  assert_string_equal(calve_buffer_view(&b).data, "");
  assert_int_equal(calve_buffer_view(&b).size, 0);
  calve_buffer_puts(&b, "one");
  calve_buffer_putc(&b, ',');
  calve_buffer_put_str(&b, CALVE_STR("two"));
  calve_buffer_put(&b, NULL, 0);
  calve_buffer_printf(&b, "-%d-%s", 3, "four");
  assert_string_equal(calve_buffer_cstr(&b), "one,two-3-four");
  assert_int_equal(b.size, 14);
  calve_error err;
  assert_ok(calve_buffer_check(&b, &err), &err);
  calve_buffer_clear(&b);
  assert_string_equal(calve_buffer_cstr(&b), "");
  calve_buffer_free(&b);
  calve_buffer_free(NULL);
  assert_int_equal(atomic_load(&mem.live_bytes), 0);
}

static void test_growth_is_geometric(void **state) {
  (void)state;
  failing_allocator mem;
  failing_allocator_init(&mem, -1);
  calve_buffer b;
  calve_buffer_init(&b, &mem.allocator);
  for (int i = 0; i < 1000000; i++) calve_buffer_putc(&b, (char)('a' + i % 26));
  for (int i = 0; i < 1000000; i++) assert_int_equal(b.data[i], 'a' + i % 26);
  assert_true(atomic_load(&mem.calls) < 30);
  calve_buffer_free(&b);
}

static void test_structs_are_pushed_and_counted(void **state) {
  (void)state;
  typedef struct pair {
    int64_t a;
    const char *b;
  } pair;
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  for (int i = 0; i < 100; i++) CALVE_PUSH(&b, pair, .a = i, .b = "x");
  assert_int_equal(CALVE_COUNT(&b, pair), 100);
  for (int i = 0; i < 100; i++) assert_int_equal(CALVE_ITEMS(&b, pair)[i].a, i);
  calve_buffer_free(&b);
}

static void test_a_failed_allocation_is_remembered_and_nothing_more_is_taken(void **state) {
  (void)state;
  for (long n = 0; n < 4; n++) {
    failing_allocator mem;
    failing_allocator_init(&mem, n);
    calve_buffer b;
    calve_buffer_init(&b, &mem.allocator);
    size_t size_at_failure = 0;
    for (int i = 0; i < 5000; i++) {
      calve_buffer_puts(&b, "0123456789");
      if (b.oom && size_at_failure == 0) size_at_failure = b.size + 1;
    }
    calve_error err;
    assert_fails(calve_buffer_check(&b, &err), CALVE_ENOMEM, &err);
    assert_int_equal(b.size + 1, size_at_failure);
    assert_string_equal(calve_buffer_cstr(&b), "");
    assert_null(calve_buffer_reserve(&b, 1));
    calve_buffer_clear(&b);
    assert_false(b.oom);
    calve_buffer_free(&b);
    assert_int_equal(atomic_load(&mem.live_bytes), 0);
  }
}

static void test_absurd_sizes_are_out_of_memory(void **state) {
  (void)state;
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  calve_buffer_putc(&b, 'x');
  assert_null(calve_buffer_reserve(&b, SIZE_MAX));
  assert_true(b.oom);
  calve_buffer_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces_are_appended_in_order),
      cmocka_unit_test(test_growth_is_geometric),
      cmocka_unit_test(test_structs_are_pushed_and_counted),
      cmocka_unit_test(test_a_failed_allocation_is_remembered_and_nothing_more_is_taken),
      cmocka_unit_test(test_absurd_sizes_are_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
