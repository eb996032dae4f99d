/* SPDX-License-Identifier: Apache-2.0 */
/* Every store call fails once, and the process dies after every write: the table must stay whole.
 * Rules: after a failure the old rows are there and nothing of the commit is left behind; after
 * CALVE_EUNKNOWN nothing was removed; after a crash the table loads, in its old or new state. */
#include "table_fixture.h"

#include "store/fault.h"

static const char *const merging[] = {"commit.manifest.min-count-to-merge", "2",
                                      "commit.retry.num-retries", "0", NULL};

typedef struct faulty {
  table_fixture f;
  calve_store *memory;
  calve_fault_store fault;
} faulty;

/* Two manifests that the next commit will merge with its own. */
static void fill(table_fixture *f) {
  static const char *const names[] = {"a", "k"};
  fixture_set_property(f->table, "commit.manifest-merge.enabled", "false");
  for (int i = 0; i < 2; i++) {
    calve_error err;
    calve_snapshot_update *u = fixture_update();
    calve_data_file file = fixture_file(f, f->table, names[i], "DE", 10);
    assert_ok(calve_snapshot_update_add(u, &file, &err), &err);
    assert_ok(calve_table_commit_update(f->table, u, &err), &err);
    calve_snapshot_update_free(u);
  }
  fixture_set_property(f->table, "commit.manifest-merge.enabled", "true");
}

static void open_faulty(faulty *x, bool sql) {
  calve_error err;
  assert_ok(calve_memory_store_make(NULL, &x->memory, &err), &err);
  calve_fault_store_init(&x->fault, x->memory, CALVE_FAULT_NONE, 0);
  table_fixture_open(&x->f, &(table_fixture_options){
                                .sql = sql, .store = &x->fault.store, .properties = merging});
  fill(&x->f);
}

static void close_faulty(faulty *x) {
  table_fixture_close(&x->f);
  calve_memory_store_free(x->memory);
}

static void arm(faulty *x, calve_fault_kind kind, long at) {
  x->fault.kind = kind;
  x->fault.at = at;
  x->fault.calls = x->fault.writes = 0;
}

/* A commit that adds, removes, and merges manifests. */
static calve_status big_commit(faulty *x, calve_error *err) {
  calve_snapshot_update *u = fixture_update();
  calve_data_file b = fixture_file(&x->f, x->f.table, "b", "FR", 5);
  calve_data_file c = fixture_file(&x->f, x->f.table, "c", "IT", 5);
  calve_data_file a = fixture_file(&x->f, x->f.table, "a", "DE", 10);
  assert_ok(calve_snapshot_update_add(u, &b, err), err);
  assert_ok(calve_snapshot_update_add(u, &c, err), err);
  assert_ok(calve_snapshot_update_remove(u, a.path, 0, err), err);
  calve_status status = calve_table_commit_update(x->f.table, u, err);
  calve_snapshot_update_free(u);
  return status;
}

/* What a new reader finds, without faults. */
static const char *live_now(faulty *x, calve_table **out) {
  calve_error err;
  arm(x, CALVE_FAULT_NONE, 0);
  assert_ok(calve_table_load(x->f.catalog, &x->f.name, out, &err), &err);
  return fixture_live(&x->f, *out);
}

static void sweep_calls(bool sql) {
  long n = 1;
  bool done = false;
  for (; !done && n < 200; n++) {
    faulty x;
    calve_error err;
    calve_table *t;
    open_faulty(&x, sql);
    arm(&x, CALVE_FAULT_CALL, n);
    calve_status status = big_commit(&x, &err);
    done = x.fault.calls < n; /* the fault was never met */
    const char *live = live_now(&x, &t);
    if (status == CALVE_OK) {
      assert_string_equal(live, "b c k");
    } else {
      assert_int_equal(status, CALVE_EIO);
      assert_string_equal(live, "a k");
      assert_string_equal(fixture_live(&x.f, x.f.table), "a k");
    }
    if (!done && status == CALVE_OK) /* only what comes after the swap may fail unnoticed */
      assert_true(n > 5);
    else
      assert_no_orphans(&x.f, x.memory, t);
    if (done) assert_int_equal(status, CALVE_OK);
    calve_table_close(t);
    close_faulty(&x);
  }
  assert_true(done && n > 12);
}

static void test_every_failing_call_leaves_the_table_whole(void **state) {
  (void)state;
  sweep_calls(false);
  sweep_calls(true);
}

static void sweep_crashes(bool sql) {
  bool old_seen = false, new_seen = false, done = false;
  for (long n = 0; !done && n < 100; n++) {
    faulty x;
    calve_error err;
    calve_table *t;
    open_faulty(&x, sql);
    arm(&x, CALVE_FAULT_CRASH, n);
    calve_status status = big_commit(&x, &err);
    done = x.fault.writes <= n;
    const char *live = live_now(&x, &t);
    if (strcmp(live, "a k") == 0) old_seen = true;
    else if (strcmp(live, "b c k") == 0) new_seen = true;
    else fail_msg("after %ld writes: %s", n, live);
    if (status == CALVE_OK) assert_string_equal(live, "b c k");
    else if (status != CALVE_EUNKNOWN) assert_string_equal(live, "a k");
    fixture_orphans(&x.f, x.memory, t, NULL); /* all that it names is there */
    /* The next writer goes on as if nothing had been. */
    assert_ok(fixture_append(&x.f, t, "z", "DE", 1, &err), &err);
    assert_non_null(strstr(fixture_live(&x.f, t), "z"));
    calve_table_close(t);
    close_faulty(&x);
  }
  assert_true(old_seen && new_seen && done);
}

static void test_a_crash_after_every_write_leaves_the_old_or_the_new_state(void **state) {
  (void)state;
  sweep_crashes(false);
  sweep_crashes(true);
}

static void sweep_lost(bool sql, calve_fault_kind kind) {
  bool done = false;
  for (long n = 1; !done && n < 100; n++) {
    faulty x;
    calve_error err;
    calve_table *t;
    open_faulty(&x, sql);
    arm(&x, kind, n);
    calve_status status = big_commit(&x, &err);
    done = x.fault.writes < n;
    const char *live = live_now(&x, &t);
    /* Manifests whose writing is not sure: the commit fails for sure. The version file whose
     * writing is not sure: it is read back, and the answer is right or honest. */
    if (status == CALVE_OK) assert_string_equal(live, "b c k");
    else if (status != CALVE_EUNKNOWN) assert_string_equal(live, "a k");
    if (status != CALVE_OK && status != CALVE_EUNKNOWN)
      assert_no_orphans(&x.f, x.memory, t);
    calve_table_close(t);
    close_faulty(&x);
  }
  assert_true(done);
}

static void test_lost_answers_are_looked_into(void **state) {
  (void)state;
  for (int sql = 0; sql < 2; sql++) {
    sweep_lost(sql, CALVE_FAULT_LOST_RESPONSE);
    sweep_lost(sql, CALVE_FAULT_LOST_WRITE);
  }
}

/* Rule (B069): the version was written, the answer got lost: that is a success. */
static void test_a_version_whose_answer_was_lost_is_found(void **state) {
  (void)state;
  faulty x;
  calve_error err;
  calve_table *t;
  open_faulty(&x, false);
  x.fault.only = "v6.metadata.json";
  arm(&x, CALVE_FAULT_LOST_RESPONSE, 1);
  assert_ok(big_commit(&x, &err), &err);
  assert_string_equal(fixture_live(&x.f, x.f.table), "b c k");
  assert_string_equal(live_now(&x, &t), "b c k");
  assert_no_orphans(&x.f, x.memory, t);
  calve_table_close(t);
  close_faulty(&x);

  /* Not written, and nobody can tell for sure: unknown, and nothing is removed. */
  open_faulty(&x, false);
  size_t before = calve_memory_store_count(x.memory);
  x.fault.only = "v6.metadata.json";
  arm(&x, CALVE_FAULT_LOST_WRITE, 1);
  assert_fails(big_commit(&x, &err), CALVE_EUNKNOWN, &err);
  assert_true(x.f.slept_ms > 0);
  assert_string_equal(live_now(&x, &t), "a k");
  assert_true(calve_memory_store_count(x.memory) > before);
  calve_table_close(t);
  close_faulty(&x);
}

static void test_a_full_disk_fails_the_commit_and_names_it(void **state) {
  (void)state;
  for (int sql = 0; sql < 2; sql++) {
    for (long n = 1; n < 4; n++) {
      faulty x;
      calve_error err;
      calve_table *t;
      open_faulty(&x, sql);
      arm(&x, CALVE_FAULT_NO_SPACE, n);
      assert_fails(big_commit(&x, &err), CALVE_EIO, &err);
      assert_message(&err, "No space left");
      assert_string_equal(live_now(&x, &t), "a k");
      calve_table_close(t);
      close_faulty(&x);
    }
  }
}

/* Rule: every allocation may fail; the table stays as it was. */
static void test_every_failing_allocation_leaves_the_table_whole(void **state) {
  (void)state;
  long n = 0;
  bool done = false;
  for (; !done && n < 5000; n++) {
    failing_allocator mem;
    table_fixture f;
    calve_error err = {0};
    calve_table *again;
    failing_allocator_init(&mem, -1);
    table_fixture_open(&f, &(table_fixture_options){.allocator = &mem.allocator,
                                                    .properties = merging});
    fill(&f);
    faulty x = {.f = f};
    mem.fail_at = mem.calls + n;
    calve_status status = big_commit(&x, &err);
    done = mem.calls <= mem.fail_at;
    mem.fail_at = -1;
    assert_ok(calve_table_load(f.catalog, &f.name, &again, &err), &err);
    if (status == CALVE_OK) {
      assert_string_equal(fixture_live(&f, again), "b c k");
    } else if (status == CALVE_EUNKNOWN) {
      assert_string_equal(fixture_live(&f, again), "b c k"); /* after the swap */
    } else {
      assert_int_equal(status, CALVE_ENOMEM);
      assert_string_equal(fixture_live(&f, again), "a k");
      assert_no_orphans(&f, f.memory, again);
    }
    calve_table_close(again);
    f.table = x.f.table;
    table_fixture_close(&f);
    assert_int_equal(mem.live_bytes, 0);
  }
  assert_true(done && n > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_failing_call_leaves_the_table_whole),
      cmocka_unit_test(test_a_crash_after_every_write_leaves_the_old_or_the_new_state),
      cmocka_unit_test(test_lost_answers_are_looked_into),
      cmocka_unit_test(test_a_version_whose_answer_was_lost_is_found),
      cmocka_unit_test(test_a_full_disk_fails_the_commit_and_names_it),
      cmocka_unit_test(test_every_failing_allocation_leaves_the_table_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
