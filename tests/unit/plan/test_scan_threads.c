/* SPDX-License-Identifier: Apache-2.0 */
/* Many manifests on several threads: what a plan gives, what a damaged manifest does to it, and how
 * soon it ends when it is cancelled. */
#include "plan_table.h"

#include <sched.h>
#include <stdatomic.h>

#define FIELD(id, name, type) \
  "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":\"" type "\"}"
#define EQ(name, value) "{\"type\":\"eq\",\"term\":\"" name "\",\"value\":" value "}"

/* Manifest number m of spec m % specs, with one file of x = 5 and one of x = 4. */
static void add_manifests(plan_table *t, int specs, int count) {
  for (int m = 0; m < count; m++) {
    char five[24], four[24];
    snprintf(five, sizeof five, "m%02d-five", m);
    snprintf(four, sizeof four, "m%02d-four", m);
    FILES(t, m % specs, {five, "[5]"}, {four, "[4]"});
  }
  table_commit(t);
}

static void open_specs(plan_table *t, int count) {
  calve_buffer specs;
  calve_buffer_init(&specs, NULL);
  for (int i = 0; i < count; i++) {
    calve_buffer_printf(&specs,
                        "%s{\"spec-id\":%d,\"fields\":[{\"source-id\":1,\"field-id\":%d,"
                        "\"name\":\"p%d\",\"transform\":\"identity\"}]}",
                        i > 0 ? "," : "", i, 1000 + i, i);
  }
  table_open(t, 2, FIELD(1, "x", "int"), calve_buffer_cstr(&specs), 0);
  calve_buffer_free(&specs);
}

/* More schemas than a thread keeps compiled, in turn: each manifest is read by its own. */
static void test_manifests_of_many_schemas_in_turn(void **state) {
  (void)state;
  plan_table t;
  open_specs(&t, 11);
  add_manifests(&t, 11, 44);
  calve_buffer want;
  calve_buffer_init(&want, NULL);
  for (int m = 0; m < 44; m++) calve_buffer_printf(&want, "%sm%02d-five", m ? " " : "", m);
  for (size_t threads = 0; threads <= 2; threads++) {
    calve_thread_pool *pool = NULL;
    calve_scan_params p = scan_params(&t, EQ("x", "5"));
    if (threads > 0) {
      assert_ok(calve_thread_pool_make(threads, NULL, &pool, &t.err), &t.err);
      p.executor = calve_thread_pool_executor(pool);
    }
    assert_string_equal(planned_with(&t, &p), calve_buffer_cstr(&want));
    if (pool) calve_thread_pool_free(pool);
  }
  calve_buffer_free(&want);
  table_close(&t);
}

static void damage(plan_table *t, const char *path) {
  calve_str bytes;
  assert_ok(calve_store_read(t->store, calve_str_of(path), 1 << 20, &t->arena, &bytes, &t->err),
            &t->err);
  bytes.size -= 5;
  assert_ok(calve_store_replace(t->store, calve_str_of(path), bytes, &t->err), &t->err);
}

/* Whatever the number of threads: the tasks of the manifests before a damaged one come, then its
 * error with its path, also when a later one is damaged too; then the same again. */
static void test_damaged_manifest_ends_the_plan_at_its_place(void **state) {
  (void)state;
  plan_table t;
  open_specs(&t, 2);
  add_manifests(&t, 2, 40);
  damage(&t, "/t/m23.avro");
  damage(&t, "/t/m24.avro");
  for (size_t threads = 1; threads <= 4; threads *= 2) {
    for (int round = 0; round < 20; round++) {
      calve_thread_pool *pool = NULL;
      assert_ok(calve_thread_pool_make(threads, NULL, &pool, &t.err), &t.err);
      calve_scan_params p = scan_params(&t, NULL);
      p.executor = calve_thread_pool_executor(pool);
      calve_scan *scan = NULL;
      assert_ok(calve_scan_open(&p, &scan, &t.err), &t.err);
      size_t files = 0, count = 1;
      calve_status status = CALVE_OK;
      while (status == CALVE_OK) {
        const calve_scan_task *tasks;
        status = calve_scan_next(scan, &tasks, &count, &t.err);
        if (status == CALVE_OK) files += count;
        assert_true(status != CALVE_OK || count > 0);
      }
      assert_int_equal(files, 46);
      assert_int_equal(status, CALVE_ECORRUPT);
      assert_message(&t.err, "/t/m23.avro");
      const calve_scan_task *tasks;
      assert_fails(calve_scan_next(scan, &tasks, &count, &t.err), CALVE_ECORRUPT, &t.err);
      assert_message(&t.err, "/t/m23.avro");
      calve_scan_close(scan);
      calve_thread_pool_free(pool);
    }
  }
  table_close(&t);
}

/* ---- cancelling ------------------------------------------------------------------------------ */

/* A store that sets the token when it is asked for something the n-th time, and counts. */
typedef struct cancelling_store {
  calve_store store;
  const calve_store *inner;
  calve_cancel *cancel;
  atomic_long opens;
  long at;
} cancelling_store;

static calve_status open_and_cancel(void *ctx, const char *path, void **file, int64_t *size_bytes,
                                    calve_error *err) {
  cancelling_store *s = ctx;
  if (++s->opens == s->at) calve_cancel_set(s->cancel);
  return s->inner->open(s->inner->ctx, path, file, size_bytes, err);
}

static calve_status pread_inner(void *ctx, void *file, void *out, size_t size_bytes,
                                int64_t offset, calve_error *err) {
  const cancelling_store *s = ctx;
  return s->inner->pread(s->inner->ctx, file, out, size_bytes, offset, err);
}

static void close_inner(void *ctx, void *file) {
  const cancelling_store *s = ctx;
  s->inner->close(s->inner->ctx, file);
}

static calve_status plan_all(const calve_scan_params *p, calve_error *err) {
  calve_scan *scan = NULL;
  CALVE_TRY(calve_scan_open(p, &scan, err));
  calve_status status = CALVE_OK;
  for (size_t count = 1; status == CALVE_OK && count > 0;) {
    const calve_scan_task *tasks;
    status = calve_scan_next(scan, &tasks, &count, err);
  }
  calve_scan_close(scan);
  return status;
}

/* Wherever a plan is when it is cancelled, in the list, in deletes or in data: no file is opened
 * any more but those that the other threads had in hand. */
static void test_cancelled_plan_opens_no_more_files(void **state) {
  (void)state;
  plan_table t;
  open_specs(&t, 1);
  for (int i = 0; i < 10; i++) {
    DELETES(&t, 0, {"eq", "[5]", .content = CALVE_CONTENT_EQUALITY_DELETES, .equality_id = 1});
  }
  add_manifests(&t, 1, 20);
  for (size_t threads = 0; threads <= 3; threads++) {
    calve_thread_pool *pool = NULL;
    if (threads > 0) assert_ok(calve_thread_pool_make(threads, NULL, &pool, &t.err), &t.err);
    for (long at = 1; at <= 31; at++) {
      calve_cancel cancel = {0};
      cancelling_store s = {.store = {.struct_size = sizeof(calve_store),
                                      .ctx = &s,
                                      .open = open_and_cancel,
                                      .pread = pread_inner,
                                      .close = close_inner},
                            .inner = t.store,
                            .cancel = &cancel,
                            .at = at};
      calve_scan_params p = scan_params(&t, NULL);
      p.store = &s.store;
      p.cancel = &cancel;
      p.executor = pool ? calve_thread_pool_executor(pool) : NULL;
      assert_fails(plan_all(&p, &t.err), CALVE_ECANCELLED, &t.err);
      assert_true(s.opens <= at + (long)threads);
    }
    if (pool) calve_thread_pool_free(pool);
  }
  table_close(&t);
}

/* Also in the middle of one manifest with very many entries: it is not read to its end. */
static void test_cancelled_plan_leaves_a_large_manifest(void **state) {
  (void)state;
  enum { ROWS = 20000 };
  plan_table t;
  open_specs(&t, 1);
  file_row *rows = calloc(ROWS, sizeof *rows);
  assert_non_null(rows);
  for (int i = 0; i < ROWS; i++) rows[i] = (file_row){"same", "[5]"};
  table_manifest(&t, 0, CALVE_MANIFEST_DATA, 9, rows, ROWS);
  table_commit(&t);
  free(rows);
  const calve_manifest_file *m = CALVE_ITEMS(&t.manifests, const calve_manifest_file);
  calve_cancel cancel = {0};
  calve_str bytes;
  calve_manifest_reader r;
  calve_manifest_batch batch;
  const calve_manifest_options options = {.cancel = &cancel};
  assert_ok(calve_store_read(t.store, m->path, 1 << 30, &t.arena, &bytes, &t.err), &t.err);
  assert_ok(calve_manifest_open(bytes, m, t.metadata, &options, &t.arena, &r, &t.err), &t.err);
  calve_manifest_batch_init(&batch, NULL);
  bool more = false;
  assert_ok(calve_manifest_next(&r, &batch, &more, &t.err), &t.err);
  assert_true(more && batch.count > 0);
  calve_cancel_set(&cancel);
  assert_fails(calve_manifest_next(&r, &batch, &more, &t.err), CALVE_ECANCELLED, &t.err);
  assert_int_equal(batch.count, 0);
  calve_manifest_batch_free(&batch);
  table_close(&t);
}

/* ---- consumers that are slow or stop --------------------------------------------------------- */

/* The most memory a plan held when it handed out tasks; the consumer takes `most` batches, and
 * waits at each until the threads have run ahead as far as they may. */
static size_t peak_bytes(plan_table *t, size_t most) {
  enum { THREADS = 2, WINDOW = THREADS + 2 };
  failing_allocator mem;
  failing_allocator_init(&mem, -1);
  cancelling_store s = {.store = {.struct_size = sizeof(calve_store),
                                  .ctx = &s,
                                  .open = open_and_cancel,
                                  .pread = pread_inner,
                                  .close = close_inner},
                        .inner = t->store};
  calve_thread_pool *pool = NULL;
  assert_ok(calve_thread_pool_make(THREADS, NULL, &pool, &t->err), &t->err);
  calve_scan_params p = scan_params(t, NULL);
  p.store = &s.store;
  p.allocator = &mem.allocator;
  p.executor = calve_thread_pool_executor(pool);
  p.columns = CALVE_COLUMNS_METRICS;
  calve_scan *scan = NULL;
  assert_ok(calve_scan_open(&p, &scan, &t->err), &t->err);
  size_t peak = 0, count = 1;
  for (size_t i = 0; i < most && count > 0; i++) {
    const calve_scan_task *tasks;
    assert_ok(calve_scan_next(scan, &tasks, &count, &t->err), &t->err);
    /* The list, the manifests before the one in hand, and a window from that one on. */
    long bound = (long)(1 + i + WINDOW);
    for (int wait = 0; wait < 2000 && s.opens < bound; wait++) sched_yield();
    assert_true(s.opens <= bound);
    if (mem.live_bytes > peak) peak = mem.live_bytes;
  }
  calve_scan_close(scan);
  calve_thread_pool_free(pool);
  assert_int_equal(mem.live_bytes, 0);
  return peak;
}

static void test_memory_is_bounded_by_the_window(void **state) {
  (void)state;
  size_t peaks[2];
  for (int size = 0; size < 2; size++) {
    plan_table t;
    open_specs(&t, 1);
    int manifests = size ? 90 : 18;
    for (int m = 0; m < manifests; m++) {
      file_row rows[200];
      for (int i = 0; i < 200; i++)
        rows[i] = (file_row){"same", "[5]", .bounds_id = 1, .lower = i, .upper = i};
      table_manifest(&t, 0, CALVE_MANIFEST_DATA, 9, rows, 200);
    }
    table_commit(&t);
    peaks[size] = peak_bytes(&t, SIZE_MAX);
    for (size_t most = 0; most < 6; most++) (void)peak_bytes(&t, most);
    table_close(&t);
  }
  /* Five times the manifests. How full the window gets is up to the threads; beside it are the
   * records of the manifest list, some hundred bytes for each. */
  assert_true(peaks[1] <= 2 * peaks[0]);
  assert_true(peaks[0] > 100000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_manifests_of_many_schemas_in_turn),
      cmocka_unit_test(test_damaged_manifest_ends_the_plan_at_its_place),
      cmocka_unit_test(test_cancelled_plan_opens_no_more_files),
      cmocka_unit_test(test_cancelled_plan_leaves_a_large_manifest),
      cmocka_unit_test(test_memory_is_bounded_by_the_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
