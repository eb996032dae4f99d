/* SPDX-License-Identifier: Apache-2.0 */
/* A manifest that holds more files than a plan has in hand at once: it is planned in parts, whose
 * tasks are those of the whole. */
#include "plan_table.h"

#define PART_BYTES ((size_t)1 << 20)
enum { FILE_COUNT = 2000, PATH_BYTES = 4000 }; /* 8 MB of paths */
enum { MANY_FILES = 12000, SHORT_PATH_BYTES = 12 }; /* 4 MB of tasks alone */

/* One manifest of files whose paths start with their number. */
static void open_manifest(plan_table *t, size_t file_count, size_t path_bytes) {
  table_open(t, 2, "{\"id\":1,\"name\":\"x\",\"required\":false,\"type\":\"int\"}",
             "{\"spec-id\":0,\"fields\":[{\"source-id\":1,\"field-id\":1000,\"name\":\"x\","
             "\"transform\":\"identity\"}]}",
             0);
  file_row *rows = calloc(file_count, sizeof *rows);
  char *paths = malloc(file_count * (path_bytes + 1));
  assert_true(rows && paths);
  for (size_t i = 0; i < file_count; i++) {
    char *path = paths + i * (path_bytes + 1);
    int size = snprintf(path, path_bytes, "%zu-", i);
    memset(path + size, 'p', path_bytes - (size_t)size);
    path[path_bytes] = '\0';
    rows[i] = (file_row){path, i % 2 ? "[4]" : "[5]"};
  }
  table_manifest(t, 0, CALVE_MANIFEST_DATA, 9, rows, file_count);
  table_commit(t);
  free(rows);
  free(paths);
}

static void open_large(plan_table *t) {
  open_manifest(t, FILE_COUNT, PATH_BYTES);
}

static calve_scan_params part_params(plan_table *t, const char *filter) {
  calve_scan_params p = scan_params(t, filter);
  p.part_bytes = PART_BYTES;
  return p;
}

typedef struct plan {
  calve_status status;
  size_t files, parts;
  int64_t opened, kept, total;
} plan;

/* Asserts that the tasks are those of the files 0, step, 2 * step …; ends at a failure. */
static plan run(plan_table *t, const calve_scan_params *p, size_t step) {
  plan out = {0};
  calve_scan *scan = NULL;
  assert_ok(calve_scan_open(p, &scan, &t->err), &t->err);
  for (size_t count = 1; count > 0;) {
    const calve_scan_task *tasks;
    out.status = calve_scan_next(scan, &tasks, &count, &t->err);
    if (out.status != CALVE_OK) break;
    for (size_t i = 0; i < count; i++) {
      assert_int_equal(strtoul(tasks[i].file.path.data, NULL, 10), step * out.files++);
    }
    out.parts += count > 0;
  }
  if (out.status != CALVE_OK) { /* comes again */
    const calve_scan_task *tasks;
    size_t count;
    assert_fails(calve_scan_next(scan, &tasks, &count, &t->err), out.status, &t->err);
  }
  const calve_scan_report *r = calve_scan_get_report(scan);
  out.opened = r->all.manifests_opened;
  out.kept = r->all.files_kept;
  out.total = r->all.files_total;
  calve_scan_close(scan);
  return out;
}

/* Rounds: all files and half of them, without a cache, with an empty and with a warm one. */
static void assert_parts(plan_table *t, size_t file_count, const calve_executor *executor,
                         calve_cache *cache, bool pauses) {
  for (size_t round = 0; round < 6; round++) {
    bool half = round % 2;
    calve_scan_params p =
        part_params(t, half ? "{\"type\":\"eq\",\"term\":\"x\",\"value\":5}" : NULL);
    p.executor = executor;
    p.cache = round < 2 ? NULL : cache;
    plan got = run(t, &p, half ? 2 : 1);
    assert_int_equal(got.status, CALVE_OK);
    assert_int_equal(got.files, half ? file_count / 2 : file_count);
    assert_int_equal(got.kept, got.files);
    assert_int_equal(got.total, file_count);
    assert_int_equal(got.opened, 1);
    if (!half && (pauses || !p.cache)) assert_in_range(got.parts, 2, 10);
  }
}

static void test_parts_are_the_whole(void **state) {
  (void)state;
  const calve_cache_config config = {.struct_size = sizeof config};
  for (int many = 0; many < 2; many++) {
    plan_table t;
    size_t file_count = many ? MANY_FILES : FILE_COUNT;
    open_manifest(&t, file_count, many ? SHORT_PATH_BYTES : PATH_BYTES);
    for (size_t threads = 0; threads <= 2; threads += 2) {
      calve_thread_pool *pool = NULL;
      calve_cache *cache = NULL;
      if (threads > 0) assert_ok(calve_thread_pool_make(threads, NULL, &pool, &t.err), &t.err);
      assert_ok(calve_cache_open(&config, &cache, &t.err), &t.err);
      /* Long paths stay where the image is, so that tasks alone fill a part. */
      assert_parts(&t, file_count, calve_thread_pool_executor(pool), cache, many);
      calve_cache_free(cache);
      calve_thread_pool_free(pool);
    }
    table_close(&t);
  }
}

/* The memory that a plan holds is that of a part, with and without metrics to keep. */
static void test_memory_is_that_of_a_part(void **state) {
  (void)state;
  plan_table t;
  open_large(&t);
  for (int metrics = 0; metrics < 2; metrics++) {
    failing_allocator mem;
    failing_allocator_init(&mem, -1);
    calve_scan_params p = part_params(&t, NULL);
    p.allocator = &mem.allocator;
    p.columns = metrics ? CALVE_COLUMNS_METRICS : 0;
    calve_scan *scan = NULL;
    assert_ok(calve_scan_open(&p, &scan, &t.err), &t.err);
    size_t count = 1, most = 0;
    while (count > 0) {
      const calve_scan_task *tasks;
      assert_ok(calve_scan_next(scan, &tasks, &count, &t.err), &t.err);
      if (mem.live_bytes > most) most = mem.live_bytes;
    }
    calve_scan_close(scan);
    assert_int_equal(mem.live_bytes, 0);
    assert_in_range(most, PART_BYTES, 3 * PART_BYTES);
  }
  table_close(&t);
}

static void test_failure_in_a_later_part_ends_the_plan(void **state) {
  (void)state;
  plan_table t;
  calve_str bytes;
  open_large(&t);
  assert_ok(calve_store_read(t.store, CALVE_STR("/t/m0.avro"), 1 << 30, &t.arena, &bytes, &t.err),
            &t.err);
  bytes.size -= 5;
  assert_ok(calve_store_replace(t.store, CALVE_STR("/t/m0.avro"), bytes, &t.err), &t.err);
  calve_scan_params p = part_params(&t, NULL);
  plan got = run(&t, &p, 1);
  assert_int_equal(got.status, CALVE_ECORRUPT);
  assert_message(&t.err, "/t/m0.avro");
  assert_true(got.parts > 0 && got.files < FILE_COUNT);
  table_close(&t);
}

static void test_cancel_between_parts(void **state) {
  (void)state;
  plan_table t;
  calve_cancel cancel = {0};
  calve_scan *scan = NULL;
  const calve_scan_task *tasks;
  size_t count;
  open_large(&t);
  calve_scan_params p = part_params(&t, NULL);
  p.cancel = &cancel;
  assert_ok(calve_scan_open(&p, &scan, &t.err), &t.err);
  assert_ok(calve_scan_next(scan, &tasks, &count, &t.err), &t.err);
  assert_true(count > 0 && count < FILE_COUNT);
  calve_cancel_set(&cancel);
  assert_fails(calve_scan_next(scan, &tasks, &count, &t.err), CALVE_ECANCELLED, &t.err);
  calve_scan_close(scan);
  table_close(&t);
}

static void test_limit_ends_in_a_later_part(void **state) {
  (void)state;
  plan_table t;
  open_large(&t);
  calve_scan_params p = part_params(&t, NULL);
  p.row_limit = FILE_COUNT - 1; /* one row each */
  plan got = run(&t, &p, 1);
  assert_int_equal(got.status, CALVE_OK);
  assert_int_equal(got.files, FILE_COUNT - 1);
  assert_int_equal(got.kept, FILE_COUNT - 1);
  assert_true(got.parts > 1);
  table_close(&t);
}

/* ---- closing --------------------------------------------------------------------------------- */

/* Takes jobs, and runs them when the test says. */
typedef struct late_executor {
  calve_executor executor;
  struct {
    void (*fn)(void *arg);
    void *arg;
  } jobs[64];
  size_t count;
} late_executor;

static bool take_job(void *ctx, void (*fn)(void *arg), void *arg) {
  late_executor *e = ctx;
  if (e->count == ARRAY_COUNT(e->jobs)) return false;
  e->jobs[e->count].fn = fn;
  e->jobs[e->count++].arg = arg;
  return true;
}

/* Jobs that the close of a plan gave to the executor, which run when all else is gone. */
static size_t jobs_of_close(plan_table *t, size_t part_bytes, const calve_allocator *allocator) {
  late_executor e = {.executor = {.struct_size = sizeof e.executor,
                                  .ctx = &e,
                                  .worker_count = 1,
                                  .submit = take_job}};
  calve_scan_params p = scan_params(t, NULL);
  calve_scan *scan = NULL;
  const calve_scan_task *tasks;
  size_t count;
  p.part_bytes = part_bytes;
  p.executor = &e.executor;
  p.allocator = allocator;
  assert_ok(calve_scan_open(&p, &scan, &t->err), &t->err);
  assert_ok(calve_scan_next(scan, &tasks, &count, &t->err), &t->err);
  assert_true(count > 0);
  size_t before = e.count;
  calve_scan_close(scan);
  size_t given = e.count - before;
  for (size_t i = 0; i < e.count; i++) e.jobs[i].fn(e.jobs[i].arg);
  return given;
}

/* To give back much memory takes longer than who cancels should wait. */
static void test_much_memory_is_given_back_by_the_executor(void **state) {
  (void)state;
  plan_table t;
  failing_allocator mem;
  failing_allocator_init(&mem, -1);
  open_manifest(&t, 6 * FILE_COUNT, PATH_BYTES); /* 48 MB of paths */
  assert_int_equal(jobs_of_close(&t, 0, NULL), 1);
  assert_int_equal(jobs_of_close(&t, 0, calve_default_allocator()), 1);
  assert_int_equal(jobs_of_close(&t, PART_BYTES, NULL), 0);
  assert_int_equal(jobs_of_close(&t, 0, &mem.allocator), 0);
  assert_int_equal(mem.live_bytes, 0);
  table_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts_are_the_whole),
      cmocka_unit_test(test_memory_is_that_of_a_part),
      cmocka_unit_test(test_failure_in_a_later_part_ends_the_plan),
      cmocka_unit_test(test_cancel_between_parts),
      cmocka_unit_test(test_limit_ends_in_a_later_part),
      cmocka_unit_test(test_much_memory_is_given_back_by_the_executor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
