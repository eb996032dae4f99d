/* SPDX-License-Identifier: Apache-2.0 */
#include "base/abi.h"

#include "harness.h"

/* A struct through three releases; this library knows the second. */
typedef struct first {
  size_t struct_size;
  int64_t a;
} first;
typedef struct second {
  size_t struct_size;
  int64_t a, b;
} second;
typedef struct third {
  size_t struct_size;
  int64_t a, b, c;
} third;

static calve_status read_it(const void *given, second *out, calve_error *err) {
  return calve_struct_read(given, CALVE_FIRST_SIZE(first, a), out, sizeof *out, "second", err);
}

static calve_status write_it(void *out, const second *ours, calve_error *err) {
  return calve_struct_write(out, CALVE_FIRST_SIZE(first, a), ours, sizeof *ours, "second", err);
}

static void test_an_older_programs_struct_is_read_with_zeroes_behind_it(void **state) {
  (void)state;
  calve_error err;
  const struct {
    first old;
    int64_t not_its_own;
  } given = {{sizeof(first), 7}, 99};
  second got = {1, 2, 3};
  assert_ok(read_it(&given.old, &got, &err), &err);
  assert_int_equal(got.struct_size, sizeof(second));
  assert_int_equal(got.a, 7);
  assert_int_equal(got.b, 0);
}

static void test_a_newer_programs_struct_is_read_unless_it_sets_what_is_not_known(void **state) {
  (void)state;
  calve_error err;
  second got = {1, 2, 3};
  third given = {sizeof given, 7, 8, 9};
  assert_fails(read_it(&given, &got, &err), CALVE_EINVAL, &err);
  assert_message(&err, "behind the 24 bytes");
  assert_int_equal(got.b, 3); /* out is untouched on failure */
  given.c = 0;
  assert_ok(read_it(&given, &got, &err), &err);
  assert_int_equal(got.a, 7);
  assert_int_equal(got.b, 8);
  assert_int_equal(got.struct_size, sizeof(second));
}

static void test_a_struct_smaller_than_the_first_release_is_refused(void **state) {
  (void)state;
  calve_error err;
  second got;
  first given = {sizeof given - 1, 7};
  assert_fails(read_it(&given, &got, &err), CALVE_EINVAL, &err);
  assert_message(&err, "struct_size is 15; set it to sizeof(second)");
  given.struct_size = 0;
  assert_fails(read_it(&given, &got, &err), CALVE_EINVAL, &err);
  assert_fails(read_it(NULL, &got, &err), CALVE_EINVAL, &err);
  assert_message(&err, "not NULL");
  assert_fails(write_it(&given, &got, &err), CALVE_EINVAL, &err);
  assert_fails(write_it(NULL, &got, &err), CALVE_EINVAL, &err);
}

static void test_a_struct_is_filled_as_far_as_the_program_has_it(void **state) {
  (void)state;
  calve_error err;
  const second ours = {0, 7, 8};
  struct {
    first old;
    int64_t not_its_own;
  } small = {{sizeof(first), 0}, 99};
  assert_ok(write_it(&small.old, &ours, &err), &err);
  assert_int_equal(small.old.struct_size, sizeof(first));
  assert_int_equal(small.old.a, 7);
  assert_int_equal(small.not_its_own, 99);
  third large = {sizeof large, 1, 2, 3};
  assert_ok(write_it(&large, &ours, &err), &err);
  assert_int_equal(large.struct_size, sizeof(third));
  assert_int_equal(large.b, 8);
  assert_int_equal(large.c, 0);
}

static void *resize(void *ctx, void *p, size_t old_size, size_t new_size) {
  (void)ctx, (void)old_size, (void)new_size;
  return p;
}

static bool submit(void *ctx, void (*fn)(void *arg), void *arg) {
  (void)ctx, (void)fn, (void)arg;
  return false;
}

static void test_tables_of_functions_may_be_newer_but_must_be_whole(void **state) {
  (void)state;
  calve_error err;
  assert_ok(calve_allocator_check(NULL, &err), &err);
  assert_ok(calve_allocator_check(calve_default_allocator(), &err), &err);
  assert_ok(calve_allocator_check(&(calve_allocator){1000, NULL, resize}, &err), &err);
  assert_fails(calve_allocator_check(&(calve_allocator){0, NULL, resize}, &err), CALVE_EINVAL,
               &err);
  assert_fails(calve_allocator_check(&(calve_allocator){1000, NULL, NULL}, &err), CALVE_EINVAL,
               &err);
  assert_ok(calve_executor_check(NULL, &err), &err);
  assert_ok(calve_executor_check(&(calve_executor){1000, NULL, 2, submit}, &err), &err);
  assert_ok(calve_executor_check(&(calve_executor){1000, NULL, 0, NULL}, &err), &err);
  assert_fails(calve_executor_check(&(calve_executor){1000, NULL, 2, NULL}, &err), CALVE_EINVAL,
               &err);
  assert_fails(calve_executor_check(&(calve_executor){8, NULL, 2, submit}, &err), CALVE_EINVAL,
               &err);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_older_programs_struct_is_read_with_zeroes_behind_it),
      cmocka_unit_test(test_a_newer_programs_struct_is_read_unless_it_sets_what_is_not_known),
      cmocka_unit_test(test_a_struct_smaller_than_the_first_release_is_refused),
      cmocka_unit_test(test_a_struct_is_filled_as_far_as_the_program_has_it),
      cmocka_unit_test(test_tables_of_functions_may_be_newer_but_must_be_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
