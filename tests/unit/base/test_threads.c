/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include <pthread.h>
#include <signal.h>

typedef struct probe {
  atomic_int count;
  atomic_int with_open_signals;
} probe;

static void count_up(void *arg) {
  probe *p = arg;
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  if (!sigismember(&mask, SIGINT)) atomic_fetch_add(&p->with_open_signals, 1);
  atomic_fetch_add(&p->count, 1);
}

static void test_free_waits_for_all_that_was_submitted(void **state) {
  (void)state;
  for (size_t threads = 2; threads <= 5; threads++) {
    calve_thread_pool *pool;
    calve_error err;
    assert_ok(calve_thread_pool_make(threads, NULL, &pool, &err), &err);
    const calve_executor *executor = calve_thread_pool_executor(pool);
    assert_int_equal(executor->worker_count, threads - 1);
    static probe p;
    p = (probe){0};
    int taken = 0;
    for (int i = 0; i < 500; i++) taken += executor->submit(executor->ctx, count_up, &p);
    calve_thread_pool_free(pool);
    assert_int_equal(taken, 500);
    assert_int_equal(atomic_load(&p.count), 500);
    assert_int_equal(atomic_load(&p.with_open_signals), 0);
  }
}

static void test_one_thread_means_no_worker_and_submit_refuses(void **state) {
  (void)state;
  calve_thread_pool *pool;
  calve_error err;
  assert_ok(calve_thread_pool_make(1, NULL, &pool, &err), &err);
  const calve_executor *executor = calve_thread_pool_executor(pool);
  probe p = {0};
  assert_int_equal(executor->worker_count, 0);
  assert_false(executor->submit(executor->ctx, count_up, &p));
  calve_thread_pool_free(pool);
  assert_int_equal(atomic_load(&p.count), 0);
}

static void test_zero_threads_is_the_number_of_processors(void **state) {
  (void)state;
  calve_thread_pool *pool;
  calve_error err;
  assert_ok(calve_thread_pool_make(0, NULL, &pool, &err), &err);
  assert_int_equal(calve_thread_pool_executor(pool)->worker_count,
                   sysconf(_SC_NPROCESSORS_ONLN) - 1);
  calve_thread_pool_free(pool);
}

static void wait_for_gate(void *arg) {
  while (atomic_load((atomic_int *)arg) == 0) usleep(50);
}

static void test_a_full_queue_refuses(void **state) {
  (void)state;
  calve_thread_pool *pool;
  calve_error err;
  atomic_int gate = 0;
  assert_ok(calve_thread_pool_make(2, NULL, &pool, &err), &err);
  const calve_executor *executor = calve_thread_pool_executor(pool);
  int taken = 0;
  while (taken < 5000 && executor->submit(executor->ctx, wait_for_gate, &gate)) taken++;
  assert_in_range(taken, 1024, 1025);
  atomic_store(&gate, 1);
  calve_thread_pool_free(pool);
}

static void test_absurd_counts_and_lost_memory_are_refused(void **state) {
  (void)state;
  calve_thread_pool *pool = NULL;
  calve_error err;
  assert_fails(calve_thread_pool_make(100000, NULL, &pool, &err), CALVE_EINVAL, &err);
  assert_message(&err, "100000");
  failing_allocator mem;
  failing_allocator_init(&mem, 0);
  assert_fails(calve_thread_pool_make(2, &mem.allocator, &pool, &err), CALVE_ENOMEM, &err);
  assert_null(pool);
  failing_allocator_init(&mem, -1);
  assert_ok(calve_thread_pool_make(2, &mem.allocator, &pool, &err), &err);
  calve_thread_pool_free(pool);
  calve_thread_pool_free(NULL);
  assert_null(calve_thread_pool_executor(NULL));
  assert_int_equal(atomic_load(&mem.live_bytes), 0);
}

static calve_cancel from_handler;
static void on_signal(int number) {
  (void)number;
  calve_cancel_set(&from_handler);
}

static void test_cancel_is_set_from_a_signal_handler(void **state) {
  (void)state;
  assert_false(calve_cancel_is_set(NULL));
  assert_false(calve_cancel_is_set(&from_handler));
  calve_cancel_set(NULL);
  void (*before)(int) = signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  signal(SIGUSR1, before);
  assert_true(calve_cancel_is_set(&from_handler));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_waits_for_all_that_was_submitted),
      cmocka_unit_test(test_one_thread_means_no_worker_and_submit_refuses),
      cmocka_unit_test(test_zero_threads_is_the_number_of_processors),
      cmocka_unit_test(test_a_full_queue_refuses),
      cmocka_unit_test(test_absurd_counts_and_lost_memory_are_refused),
      cmocka_unit_test(test_cancel_is_set_from_a_signal_handler),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
