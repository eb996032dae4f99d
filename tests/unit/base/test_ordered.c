/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ordered.h"

#include "harness.h"

#define WINDOW 5

typedef struct job_log {
  size_t slots[WINDOW];  /* what the task left there, index * index */
  atomic_int runs[1000]; /* how often each task ran */
  atomic_size_t begun;   /* tasks begun */
  size_t fail_at;        /* this task fails */
  const calve_cancel *cancel;
} job_log;

static calve_status square(void *arg, size_t index, size_t slot, calve_error *err) {
  job_log *log = arg;
  atomic_fetch_add(&log->runs[index], 1);
  atomic_fetch_add(&log->begun, 1);
  if (index == log->fail_at) return calve_fail(err, CALVE_ECORRUPT, "m7.avro", "task %zu", index);
  log->slots[slot] = index * index;
  return CALVE_OK;
}

static calve_ordered_options options_of(job_log *log, calve_thread_pool *pool, size_t count) {
  *log = (job_log){.fail_at = SIZE_MAX};
  return (calve_ordered_options){.executor = calve_thread_pool_executor(pool),
                                 .task_count = count,
                                 .window = WINDOW,
                                 .fn = square,
                                 .arg = log};
}

static void test_results_come_in_order_and_each_task_runs_once(void **state) {
  (void)state;
  static const size_t thread_counts[] = {1, 2, 4, 9}, task_counts[] = {0, 1, 3, 5, 6, 1000};
  for (size_t t = 0; t < ARRAY_COUNT(thread_counts); t++) {
    calve_thread_pool *pool;
    calve_error err;
    assert_ok(calve_thread_pool_make(thread_counts[t], NULL, &pool, &err), &err);
    for (size_t c = 0; c < ARRAY_COUNT(task_counts); c++) {
      static job_log log;
      calve_ordered_options options = options_of(&log, pool, task_counts[c]);
      calve_ordered *o;
      assert_ok(calve_ordered_open(&options, &o, &err), &err);
      size_t taken = 0, index, slot;
      for (bool more;; taken++) {
        assert_ok(calve_ordered_next(o, &index, &slot, &more, &err), &err);
        if (!more) break;
        assert_int_equal(index, taken);
        assert_int_equal(log.slots[slot], index * index);
        /* The window bounds what is begun and not taken. */
        assert_true(atomic_load(&log.begun) <= taken + WINDOW);
      }
      assert_int_equal(taken, task_counts[c]);
      for (size_t i = 0; i < taken; i++) assert_int_equal(atomic_load(&log.runs[i]), 1);
      calve_ordered_close(o);
    }
    calve_thread_pool_free(pool);
  }
}

static void test_a_failure_comes_in_its_place_and_stays(void **state) {
  (void)state;
  for (size_t threads = 1; threads <= 4; threads++) {
    calve_thread_pool *pool;
    calve_error err;
    assert_ok(calve_thread_pool_make(threads, NULL, &pool, &err), &err);
    static job_log log;
    calve_ordered_options options = options_of(&log, pool, 500);
    log.fail_at = 7;
    calve_ordered *o;
    assert_ok(calve_ordered_open(&options, &o, &err), &err);
    size_t index = 0, slot = 0;
    bool more = false;
    for (size_t i = 0; i < 7; i++)
      assert_ok(calve_ordered_next(o, &index, &slot, &more, &err), &err);
    for (int again = 0; again < 2; again++) {
      assert_fails(calve_ordered_next(o, &index, &slot, &more, &err), CALVE_ECORRUPT, &err);
      assert_message(&err, "task 7");
      assert_message(&err, "m7.avro");
    }
    assert_int_equal(index, 6); /* out parameters are untouched */
    calve_ordered_close(o);
    assert_true(atomic_load(&log.begun) <= 7 + WINDOW);
    calve_thread_pool_free(pool);
  }
}

static void test_early_close_begins_nothing_more(void **state) {
  (void)state;
  calve_thread_pool *pool;
  calve_error err;
  assert_ok(calve_thread_pool_make(3, NULL, &pool, &err), &err);
  for (int round = 0; round < 50; round++) {
    static job_log log;
    calve_ordered_options options = options_of(&log, pool, 1000);
    calve_ordered *o;
    size_t index, slot;
    bool more;
    assert_ok(calve_ordered_open(&options, &o, &err), &err);
    assert_ok(calve_ordered_next(o, &index, &slot, &more, &err), &err);
    calve_ordered_close(o);
    size_t begun = atomic_load(&log.begun);
    assert_true(begun >= 1 && begun <= WINDOW);
    usleep(100);
    assert_int_equal(atomic_load(&log.begun), begun);
  }
  calve_thread_pool_free(pool);
}

static calve_status wait_for_cancel(void *arg, size_t index, size_t slot, calve_error *err) {
  job_log *log = arg;
  (void)slot;
  atomic_fetch_add(&log->begun, 1);
  while (index > 0 && !calve_cancel_is_set(log->cancel)) usleep(50);
  if (index == 0) return CALVE_OK;
  return calve_fail(err, CALVE_ECANCELLED, NULL, "cancelled");
}

static void set_later(void *arg) {
  usleep(2000);
  calve_cancel_set(arg);
}

static void test_cancel_ends_waiting_and_later_calls(void **state) {
  (void)state;
  calve_thread_pool *pool, *other;
  calve_error err;
  calve_cancel cancel = {0};
  assert_ok(calve_thread_pool_make(3, NULL, &pool, &err), &err);
  assert_ok(calve_thread_pool_make(2, NULL, &other, &err), &err);
  static job_log log;
  calve_ordered_options options = options_of(&log, pool, 100);
  options.fn = wait_for_cancel;
  options.cancel = log.cancel = &cancel;
  calve_ordered *o;
  size_t index, slot;
  bool more;
  assert_ok(calve_ordered_open(&options, &o, &err), &err);
  assert_ok(calve_ordered_next(o, &index, &slot, &more, &err), &err);
  const calve_executor *aside = calve_thread_pool_executor(other);
  assert_true(aside->submit(aside->ctx, set_later, &cancel));
  assert_fails(calve_ordered_next(o, &index, &slot, &more, &err), CALVE_ECANCELLED, &err);
  assert_fails(calve_ordered_next(o, &index, &slot, &more, &err), CALVE_ECANCELLED, &err);
  calve_ordered_close(o);
  assert_true(atomic_load(&log.begun) <= 1 + WINDOW);
  calve_thread_pool_free(pool);
  calve_thread_pool_free(other);
}

/* Executors that an embedder may bring: one that refuses, one that runs at once in the caller. */
static bool refuse(void *ctx, void (*fn)(void *arg), void *arg) {
  (void)fn, (void)arg;
  atomic_fetch_add((atomic_int *)ctx, 1);
  return false;
}

static bool run_at_once(void *ctx, void (*fn)(void *arg), void *arg) {
  atomic_fetch_add((atomic_int *)ctx, 1);
  fn(arg);
  return true;
}

static void test_foreign_executors_only_change_the_speed(void **state) {
  (void)state;
  atomic_int calls = 0;
  const calve_executor executors[] = {
      {sizeof(calve_executor), &calls, 4, refuse},
      {sizeof(calve_executor), &calls, 4, run_at_once},
      {sizeof(calve_executor), NULL, 0, NULL}};
  for (size_t e = 0; e < ARRAY_COUNT(executors); e++) {
    static job_log log;
    calve_ordered_options options = options_of(&log, NULL, 100);
    options.executor = &executors[e];
    calve_ordered *o;
    calve_error err;
    size_t index, slot, taken = 0;
    assert_ok(calve_ordered_open(&options, &o, &err), &err);
    for (bool more;; taken++) {
      assert_ok(calve_ordered_next(o, &index, &slot, &more, &err), &err);
      if (!more) break;
      assert_int_equal(log.slots[slot], taken * taken);
    }
    assert_int_equal(taken, 100);
    calve_ordered_close(o);
    if (executors[e].submit) assert_true(atomic_exchange(&calls, 0) > 0);
  }
}

/* Keeps one job for later. */
typedef struct late_executor {
  void (*fn)(void *arg);
  void *arg;
} late_executor;

static bool keep_for_later(void *ctx, void (*fn)(void *arg), void *arg) {
  late_executor *late = ctx;
  *late = (late_executor){fn, arg};
  return true;
}

static void *resize_while_alive(void *ctx, void *p, size_t old_size, size_t new_size) {
  const bool *alive = ctx;
  const calve_allocator *a = calve_default_allocator();
  assert_true(*alive);
  return a->resize(a->ctx, p, old_size, new_size);
}

static void test_a_job_that_comes_late_needs_nothing_of_the_callers(void **state) {
  (void)state;
  late_executor late = {0};
  bool alive = true;
  const calve_executor executor = {.struct_size = sizeof executor,
                                   .ctx = &late,
                                   .worker_count = 1,
                                   .submit = keep_for_later};
  const calve_allocator allocator = {sizeof allocator, &alive, resize_while_alive};
  static job_log log;
  calve_ordered_options options = options_of(&log, NULL, 10);
  options.executor = &executor;
  options.allocator = &allocator;
  calve_ordered *o;
  calve_error err;
  size_t index, slot;
  bool more;
  assert_ok(calve_ordered_open(&options, &o, &err), &err);
  assert_ok(calve_ordered_next(o, &index, &slot, &more, &err), &err);
  calve_ordered_close(o);
  alive = false;
  size_t begun = atomic_load(&log.begun);
  assert_non_null(late.fn);
  late.fn(late.arg);
  assert_int_equal(atomic_load(&log.begun), begun);
}

static void test_out_of_memory_is_reported(void **state) {
  (void)state;
  failing_allocator mem;
  calve_error err;
  static job_log log;
  calve_ordered_options options = options_of(&log, NULL, 10);
  calve_ordered *o = NULL;
  failing_allocator_init(&mem, 0);
  options.allocator = &mem.allocator;
  assert_fails(calve_ordered_open(&options, &o, &err), CALVE_ENOMEM, &err);
  assert_null(o);
  failing_allocator_init(&mem, -1);
  assert_ok(calve_ordered_open(&options, &o, &err), &err);
  calve_ordered_close(o);
  calve_ordered_close(NULL);
  assert_int_equal(atomic_load(&mem.live_bytes), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_results_come_in_order_and_each_task_runs_once),
      cmocka_unit_test(test_a_failure_comes_in_its_place_and_stays),
      cmocka_unit_test(test_early_close_begins_nothing_more),
      cmocka_unit_test(test_cancel_ends_waiting_and_later_calls),
      cmocka_unit_test(test_foreign_executors_only_change_the_speed),
      cmocka_unit_test(test_a_job_that_comes_late_needs_nothing_of_the_callers),
      cmocka_unit_test(test_out_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
