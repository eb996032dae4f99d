/* SPDX-License-Identifier: Apache-2.0 */
/* data/stage and all that stands around it: every allocation of a write and of a read fails once,
 * with an error each time and nothing left. */
#include "data_fixture.h"

#include "data/layout.h"
#include "data/write.h"

#define FIELDS                                                                                     \
  "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"int\"},"                                 \
  "{\"id\":2,\"name\":\"s\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":[{\"id\":" \
  "3,"                                                                                             \
  "\"name\":\"a\",\"required\":false,\"type\":\"string\"}]}},"                                     \
  "{\"id\":4,\"name\":\"d\",\"required\":false,\"type\":\"decimal(9, 2)\"}"
#define SPECS                                                                             \
  "{\"spec-id\":0,\"fields\":[{\"source-id\":1,\"field-id\":1000,\"name\":\"id_bucket\"," \
  "\"transform\":\"bucket[2]\"},{\"source-id\":3,\"field-id\":1001,\"name\":\"s.a\","     \
  "\"transform\":\"identity\"}]}"

typedef struct sweep {
  fixture f;
  failing_allocator memory;
  const calve_metadata *metadata;
} sweep;

static void open_sweep(sweep *s) {
  calve_error err;
  memset(s, 0, sizeof *s);
  failing_allocator_init(&s->memory, -1);
  make_temp_dir(s->f.dir);
  calve_arena_init(&s->f.arena, NULL);
  calve_engine_options options = {
      .allocator = &s->memory.allocator, .temp_dir = s->f.dir, .thread_count = 1};
  assert_ok(calve_engine_open(&options, &s->f.engine, &err), &err);
  s->metadata = make_metadata(&s->f, FIELDS, SPECS, NULL, NULL);
}

static void close_sweep(sweep *s) {
  fixture_close(&s->f);
  assert_int_equal(s->memory.live_bytes, 0);
}

static void arm(sweep *s, long n) {
  s->memory.fail_at = n < 0 ? -1 : atomic_load(&s->memory.calls) + n;
}

/* Inside of the engine's own callbacks a failure is told as text only. */
static void is_about_memory(calve_status status, const calve_error *err) {
  if (status != CALVE_ENOMEM && !strstr(err->message, "memory"))
    fail_msg("%s: %s", calve_status_name(status), err->message);
}

static calve_status write_once(sweep *s, calve_arena *arena, calve_written *w, calve_error *err) {
  calve_write_request q = {.metadata = s->metadata,
                           .source = "SELECT i::INT, {'a': 'x' || i % 2}, 1.5 FROM range(6) t(i)"};
  return calve_write_files(s->f.engine, &q, arena, w, err);
}

static void test_every_allocation_of_a_write_fails_once(void **state) {
  (void)state;
  sweep s;
  open_sweep(&s);
  calve_written w = {0};
  long n = 0;
  for (;; n++) {
    calve_error err;
    calve_arena arena;
    calve_arena_init(&arena, &s.memory.allocator);
    arm(&s, n);
    long before = atomic_load(&s.memory.calls);
    calve_status status = write_once(&s, &arena, &w, &err);
    bool failed = atomic_load(&s.memory.calls) - before > n;
    arm(&s, -1);
    if (failed && status == CALVE_OK) fail_msg("nobody noticed that allocation %ld failed", n);
    if (status != CALVE_OK) is_about_memory(status, &err);
    if (status == CALVE_OK) calve_written_discard(&w, NULL, NULL);
    calve_arena_free(&arena);
    assert_string_equal(rows_text(&s.f, "SELECT count(*) FROM duckdb_tables()"), "0");
    assert_string_equal(
        rows_text(&s.f, at_dir(&s.f, "SELECT count(*) FROM glob('@/t/**/*.parquet')")), "0");
    if (status == CALVE_OK) break;
  }
  assert_true(n > 50);
  close_sweep(&s);
}

static void test_every_allocation_of_a_read_fails_once(void **state) {
  (void)state;
  sweep s;
  open_sweep(&s);
  calve_written w;
  calve_error err;
  assert_ok(write_once(&s, &s.f.arena, &w, &err), &err);
  const calve_data_file *files[8];
  assert_true(w.file_count <= 8);
  for (size_t i = 0; i < w.file_count; i++) files[i] = &w.files[i];
  calve_read_request q = {.schema = s.metadata->schema,
                          .metadata = s.metadata,
                          .files = files,
                          .file_count = w.file_count,
                          .with_position = true};
  long n = 0;
  for (;; n++) {
    calve_layouts_forget(s.f.engine, 0);
    arm(&s, n);
    long before = atomic_load(&s.memory.calls);
    calve_status status = calve_read_view(s.f.engine, &q, "t", &err);
    bool failed = atomic_load(&s.memory.calls) - before > n;
    arm(&s, -1);
    if (failed && status == CALVE_OK) fail_msg("nobody noticed that allocation %ld failed", n);
    if (status == CALVE_OK) break;
    is_about_memory(status, &err);
  }
  assert_true(n > 20);
  assert_string_equal(rows_text(&s.f, "SELECT count(*), min(s.a), sum(d) FROM t"), "6|x0|9.00");
  close_sweep(&s);
}

static void test_every_allocation_of_opening_fails_once(void **state) {
  (void)state;
  for (long n = 0;; n++) {
    failing_allocator memory;
    calve_error err;
    calve_engine *engine = NULL;
    failing_allocator_init(&memory, n);
    calve_engine_options options = {.allocator = &memory.allocator, .thread_count = 1};
    calve_status status = calve_engine_open(&options, &engine, &err);
    if (status != CALVE_OK) is_about_memory(status, &err);
    calve_engine_close(engine);
    assert_int_equal(memory.live_bytes, 0);
    if (status == CALVE_OK) break;
    assert_true(n < 20);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_allocation_of_a_write_fails_once),
      cmocka_unit_test(test_every_allocation_of_a_read_fails_once),
      cmocka_unit_test(test_every_allocation_of_opening_fails_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
