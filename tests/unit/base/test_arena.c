/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include "base/text.h"
#include "harness.h"

static void test_pieces_are_zero_aligned_and_apart(void **state) {
  (void)state;
  failing_allocator mem;
  failing_allocator_init(&mem, -1);
  calve_arena arena;
  calve_arena_init(&arena, &mem.allocator);
  unsigned char *pieces[2000];
  size_t sum = 0;
  for (size_t i = 0; i < ARRAY_COUNT(pieces); i++) {
    size_t size = i * 37 % 700;
    pieces[i] = calve_arena_alloc(&arena, size);
    assert_non_null(pieces[i]);
    assert_int_equal((uintptr_t)pieces[i] % 16, 0);
    for (size_t k = 0; k < size; k++) assert_int_equal(pieces[i][k], 0);
    memset(pieces[i], (int)(i % 251) + 1, size);
    sum += size;
  }
  for (size_t i = 0; i < ARRAY_COUNT(pieces); i++)
    for (size_t k = 0; k < i * 37 % 700; k++) assert_int_equal(pieces[i][k], i % 251 + 1);
  assert_int_equal(arena.used_bytes, sum);
  assert_true(atomic_load(&mem.calls) < 20);
  calve_arena_free(&arena);
  assert_int_equal(atomic_load(&mem.live_bytes), 0);
}

static void test_large_pieces_leave_the_open_chunk_in_use(void **state) {
  (void)state;
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  char *a = calve_arena_alloc(&arena, 16);
  char *large = calve_arena_alloc(&arena, 5000000);
  char *b = calve_arena_alloc(&arena, 16);
  assert_non_null(large);
  memset(large, 1, 5000000);
  assert_ptr_equal(b, a + 16);
  calve_arena_free(&arena);
}

static void test_reset_keeps_one_chunk_and_zeroes_again(void **state) {
  (void)state;
  failing_allocator mem;
  failing_allocator_init(&mem, -1);
  calve_arena arena;
  calve_arena_init(&arena, &mem.allocator);
  calve_arena_reset(&arena);
  long calls = 0;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 100; i++) {
      char *p = calve_arena_alloc(&arena, 1000);
      assert_non_null(p);
      assert_int_equal(p[0] | p[999], 0);
      memset(p, 0xFF, 1000);
    }
    calve_arena_reset(&arena);
    assert_int_equal(arena.used_bytes, 0);
    size_t kept = atomic_load(&mem.live_bytes);
    assert_true(kept > 0 && kept < 300000);
    if (round > 0) assert_int_equal(atomic_load(&mem.calls), calls);
    calls = atomic_load(&mem.calls);
  }
  calve_arena_free(&arena);
  assert_int_equal(atomic_load(&mem.live_bytes), 0);
}

static void test_a_zero_arena_works_and_null_frees(void **state) {
  (void)state;
  calve_arena arena = {0};
  calve_arena_free(&arena);
  assert_non_null(calve_arena_alloc(&arena, 0));
  calve_arena_free(&arena);
  calve_arena_free(NULL);
}

static void test_sizes_that_overflow_give_null(void **state) {
  (void)state;
  calve_arena arena = {0};
  assert_null(calve_arena_array(&arena, SIZE_MAX / 2, 3));
  assert_null(calve_arena_alloc(&arena, SIZE_MAX));
  assert_null(calve_arena_alloc(&arena, SIZE_MAX - 20));
  assert_null(calve_arena_copy(&arena, "x", SIZE_MAX));
  assert_non_null(calve_arena_array(&arena, 0, 8));
  assert_int_equal(arena.used_bytes, 0);
  calve_arena_free(&arena);
}

static void test_the_last_piece_is_resized_in_place_and_no_other(void **state) {
  (void)state;
  calve_arena arena = {0};
  char *a = calve_arena_alloc(&arena, 40), *b = calve_arena_alloc(&arena, 40);
  memset(b, 1, 40);
  assert_false(calve_arena_resize(&arena, a, 40, 80));
  assert_true(calve_arena_resize(&arena, b, 40, 100));
  assert_int_equal(b[39], 1);
  for (int i = 40; i < 100; i++) assert_int_equal(b[i], 0);
  assert_int_equal(arena.used_bytes, 140);
  assert_true(calve_arena_resize(&arena, b, 100, 20));
  assert_int_equal(arena.used_bytes, 60);
  char *c = calve_arena_alloc(&arena, 1);
  assert_ptr_equal(c, b + 32);
  assert_false(calve_arena_resize(&arena, c, 1, 1 << 20)); /* no room                            */
  assert_false(calve_arena_resize(&arena, c, 1, SIZE_MAX));
  assert_false(calve_arena_resize(&arena, NULL, 0, 8));
  calve_arena_free(&arena);
}

static void test_strings_are_copied_with_a_nul(void **state) {
  (void)state;
  calve_arena arena = {0};
  calve_error err;
  calve_str s = {"x", 1};
  assert_ok(calve_arena_str(&arena, (calve_str){"abc", 2}, &s, &err), &err);
  assert_string_equal(s.data, "ab");
  assert_ok(calve_arena_str(&arena, (calve_str){NULL, 0}, &s, &err), &err);
  assert_null(s.data);
  assert_ok(calve_arena_str(&arena, CALVE_STR(""), &s, &err), &err);
  assert_string_equal(s.data, "");
  assert_ok(calve_arena_printf(&arena, &s, &err, "%s-%05d", "f", 42), &err);
  assert_string_equal(s.data, "f-00042");
  assert_int_equal(s.size, 7);
  calve_arena_free(&arena);
}

static calve_status build_many(calve_arena *arena, calve_error *err) {
  for (int i = 0; i < 300; i++) {
    calve_str s;
    CALVE_TRY(calve_arena_printf(arena, &s, err, "%d and %0200d", i, i));
    CALVE_TRY(calve_arena_str(arena, s, &s, err));
    if (!CALVE_NEW_ARRAY(arena, int64_t, 10)) return calve_fail_oom(err);
  }
  return CALVE_OK;
}

/* 200 MB in small pieces: the chunks are few, so that they are soon given back. */
static void test_many_pieces_take_few_chunks(void **state) {
  (void)state;
  enum { PIECES = 200 * 1024 };
  failing_allocator mem;
  failing_allocator_init(&mem, 80);
  calve_arena arena;
  calve_arena_init(&arena, &mem.allocator);
  int *first = NULL, *last = NULL;
  for (int i = 0; i < PIECES; i++) {
    last = calve_arena_room(&arena, 1, 1024);
    assert_non_null(last);
    *last = i;
    if (!first) first = last;
  }
  assert_int_equal(*first, 0);
  assert_int_equal(*last, PIECES - 1);
  assert_true(atomic_load(&mem.live_bytes) < 2 * (size_t)PIECES * 1024);
  calve_arena_free(&arena);
  assert_int_equal(atomic_load(&mem.live_bytes), 0);
}

static void test_every_failed_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  calve_status status = CALVE_ENOMEM;
  long needed = 0;
  for (; status != CALVE_OK; needed++) {
    failing_allocator mem;
    calve_error err;
    failing_allocator_init(&mem, needed);
    calve_arena arena;
    calve_arena_init(&arena, &mem.allocator);
    status = build_many(&arena, &err);
    if (status != CALVE_OK) assert_int_equal(err.code, CALVE_ENOMEM);
    calve_arena_free(&arena);
    assert_int_equal(atomic_load(&mem.live_bytes), 0);
  }
  assert_true(needed > 3);
}

/* Two buffers, one of them larger than any chunk, and one that holds nothing. */
static calve_status take_buffers(const calve_allocator *allocator, calve_arena *arena,
                                 calve_error *err) {
  static const size_t sizes[] = {3, 2000000, 0};
  for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
    calve_buffer b;
    calve_buffer_init(&b, allocator);
    char *at = calve_buffer_reserve(&b, 2 * sizes[i]);
    if (at) memset(at, 'x', sizes[i]);
    b.size = at ? sizes[i] : 0;
    calve_str text = {NULL, 0};
    calve_status status = calve_arena_take(arena, &b, &text, err);
    if (status == CALVE_OK) {
      assert_null(b.data);
      assert_int_equal(text.size, sizes[i]);
      assert_int_equal(strlen(text.data), sizes[i]);
    }
    calve_buffer_free(&b);
    CALVE_TRY(status);
  }
  return CALVE_OK;
}

static void test_buffers_are_taken_in_and_freed_with_the_arena(void **state) {
  (void)state;
  calve_status status = CALVE_ENOMEM;
  for (long n = 0; status != CALVE_OK; n++) {
    failing_allocator mem;
    calve_error err;
    failing_allocator_init(&mem, n);
    calve_arena arena;
    calve_arena_init(&arena, &mem.allocator);
    status = take_buffers(&mem.allocator, &arena, &err);
    if (status == CALVE_OK) {
      calve_arena_reset(&arena);
      assert_true(atomic_load(&mem.live_bytes) < 10000);
    }
    calve_arena_free(&arena);
    assert_int_equal(atomic_load(&mem.live_bytes), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces_are_zero_aligned_and_apart),
      cmocka_unit_test(test_large_pieces_leave_the_open_chunk_in_use),
      cmocka_unit_test(test_reset_keeps_one_chunk_and_zeroes_again),
      cmocka_unit_test(test_a_zero_arena_works_and_null_frees),
      cmocka_unit_test(test_sizes_that_overflow_give_null),
      cmocka_unit_test(test_the_last_piece_is_resized_in_place_and_no_other),
      cmocka_unit_test(test_strings_are_copied_with_a_nul),
      cmocka_unit_test(test_many_pieces_take_few_chunks),
      cmocka_unit_test(test_every_failed_allocation_is_reported_and_nothing_leaks),
      cmocka_unit_test(test_buffers_are_taken_in_and_freed_with_the_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
