/* SPDX-License-Identifier: Apache-2.0 */
/* Rules: every allocation of a session and of a statement may fail, and every call of the store.
 * Then the statement fails as a whole or has happened as a whole, no file that nobody names stays,
 * nothing leaks, and the session goes on. */
#include "sql_session.h"

#include "store/fault.h"
#include "store/local.h"

typedef struct faulty_session {
  sql_session f; /* first member: what sql_session.h works with                                 */
  failing_allocator mem;
  calve_fault_store fault;
} faulty_session;

static calve_status open_session(faulty_session *x, const char *type, calve_error *err) {
  calve_setting settings[] = {{"type", type}, {"warehouse", x->f.dir}};
  calve_catalog_config catalog = {.struct_size = sizeof catalog,
                                  .properties = settings,
                                  .property_count = 2,
                                  .allocator = &x->mem.allocator,
                                  .store = &x->fault.store};
  calve_session_config config = {.struct_size = sizeof config,
                                 .catalog = &catalog,
                                 .temp_dir = x->f.dir,
                                 .thread_count = 1};
  return calve_session_open(&config, &x->f.session, err);
}

static calve_status count_one(void *ctx, const calve_store_entry *entry, calve_error *err) {
  (void)err;
  *(size_t *)ctx += !strstr(entry->path, "calve.db") && !strstr(entry->path, "version-hint");
  return CALVE_OK;
}

/* What a statement may change: where the table is, and how many files there are. */
typedef struct state {
  char location[512];
  size_t file_count;
} state;

static state state_of(faulty_session *x) {
  calve_error err;
  state now = {.file_count = 0};
  calve_table *table = load_table(&x->f, "t");
  calve_str location = calve_table_metadata_location(table);
  snprintf(now.location, sizeof now.location, "%.*s", CALVE_STR_ARG(location));
  calve_table_close(table);
  assert_ok(calve_store_list(calve_local_store(), calve_str_of(x->f.dir), count_one,
                             &now.file_count, &err),
            &err);
  return now;
}

/* The table as `start` made it: each try begins with the same. */
static void make_table(faulty_session *x) {
  run(&x->f, "DROP TABLE IF EXISTS db.n PURGE");
  run(&x->f, "DROP TABLE IF EXISTS db.t PURGE");
  run(&x->f, "CREATE TABLE db.t (id BIGINT, s STRING) PARTITIONED BY (bucket(2, id))");
  run(&x->f, "INSERT INTO db.t VALUES (1, 'a'), (2, 'b')");
}

static void start(faulty_session *x, const char *type) {
  calve_error err;
  memset(x, 0, sizeof *x);
  make_temp_dir(x->f.dir);
  calve_arena_init(&x->f.arena, NULL);
  failing_allocator_init(&x->mem, -1);
  calve_fault_store_init(&x->fault, calve_local_store(), CALVE_FAULT_NONE, 0);
  assert_ok(open_session(x, type, &err), &err);
  run(&x->f, "CREATE NAMESPACE db");
  make_table(x);
}

static void end(faulty_session *x) {
  calve_session_free(x->f.session);
  calve_arena_free(&x->f.arena);
  assert_int_equal(x->mem.live_bytes, 0);
  remove_temp_dir(x->f.dir);
}

static const char *const statements[] = {
    "INSERT INTO db.t VALUES (3, 'c'), (4, 'd')",
    "INSERT OVERWRITE db.t SELECT id, upper(s) FROM db.t WHERE id < 3",
    "CREATE TABLE db.n PARTITIONED BY (s) AS SELECT * FROM db.t WHERE id > 1",
    "ALTER TABLE db.t ADD COLUMNS (c STRUCT<x: INT, y: ARRAY<STRING>>)",
    "ALTER TABLE db.t REPLACE PARTITION FIELD id_bucket WITH bucket(4, id)",
    "CREATE OR REPLACE TABLE db.t (id BIGINT, n INT) PARTITIONED BY (n) TBLPROPERTIES ('a' = 'b')",
    "SELECT id, s FROM db.t WHERE id >= 2 AND s <> 'x' ORDER BY id",
    "EXPLAIN SELECT id FROM db.t WHERE id = 2",
    "DESCRIBE TABLE EXTENDED db.t",
    "SELECT * FROM db.t.files",
    "SELECT * FROM db.t.partitions",
    "SELECT * FROM db.t.manifests",
    "SELECT * FROM db.t.snapshots",
    "SHOW CREATE TABLE db.t",
    "SELECT id FROM db.t FOR VERSION AS OF 'main' JOIN db.t u USING (id) WHERE u.s IN ('a', 'b')",
    "WITH c AS (SELECT id AS k, s FROM db.t UNION ALL SELECT * FROM db.t) SELECT x.k FROM c x "
    "NATURAL JOIN c y LEFT JOIN (VALUES (2)) v(n) ON x.k = v.n WHERE x.k = 2 AND v.n > 1",
};
#define CHANGING_COUNT 6

/* Also reads the rows: what streams may fail late. */
static calve_status run_once(faulty_session *x, const char *sql, calve_error *err) {
  calve_result *r = NULL;
  struct ArrowArrayStream rows;
  calve_status status = try_run(&x->f, sql, &r, err);
  if (status != CALVE_OK) return status;
  if (calve_result_has_rows(r)) {
    assert_ok(calve_result_take_rows(r, &rows, err), err);
    for (bool more = true; more;) {
      struct ArrowArray batch = {0};
      if (rows.get_next(&rows, &batch) != 0)
        status = calve_fail(err, CALVE_ENOMEM, NULL, "%s", rows.get_last_error(&rows));
      more = batch.release != NULL;
      if (more) batch.release(&batch);
    }
    rows.release(&rows);
  }
  calve_result_free(r);
  return status;
}

static void assert_nothing_happened(faulty_session *x, const state *before, const char *what,
                                    long n) {
  state now = state_of(x);
  if (strcmp(before->location, now.location) != 0 || before->file_count != now.file_count)
    fail_msg("%s, %ld: a failure changed the table or left files: %zu instead of %zu", what, n,
             now.file_count, before->file_count);
}

/* ---- allocations -------------------------------------------------------------------------- */

static void sweep_allocations(faulty_session *x, const char *sql, bool changes) {
  long n = 0, failures = 0;
  for (bool met = true; met; n++) {
    calve_error err = {0};
    state before = state_of(x);
    x->mem.fail_at = x->mem.calls + n;
    calve_status status = run_once(x, sql, &err);
    met = x->mem.calls > x->mem.fail_at;
    x->mem.fail_at = -1;
    if (status == CALVE_OK) {
      if (changes) make_table(x);
      continue;
    }
    if (status != CALVE_ENOMEM)
      fail_msg("%s, allocation %ld: %s: %s", sql, n, calve_status_name(status), err.message);
    assert_nothing_happened(x, &before, sql, n);
    failures++;
  }
  if (n >= 5000 || failures < 10) fail_msg("%s: %ld tries, %ld failures", sql, n, failures);
}

static void test_every_failing_allocation_of_a_statement_leaves_the_table_whole(void **unused) {
  (void)unused;
  faulty_session x;
  start(&x, "sql");
  for (size_t i = 0; i < ARRAY_COUNT(statements); i++)
    sweep_allocations(&x, statements[i], i < CHANGING_COUNT);
  assert_rows(&x.f, "SELECT id FROM db.t ORDER BY id", "1|2");
  end(&x);
}

static void test_every_failing_allocation_of_opening_is_told(void **unused) {
  (void)unused;
  faulty_session x;
  start(&x, "sql");
  calve_session_free(x.f.session);
  assert_int_equal(x.mem.live_bytes, 0);
  calve_status status = CALVE_ENOMEM;
  for (long n = 0; status != CALVE_OK; n++) {
    calve_error err = {0};
    x.mem.fail_at = x.mem.calls + n;
    status = open_session(&x, "sql", &err);
    x.mem.fail_at = -1;
    if (status != CALVE_OK) {
      assert_fails(status, CALVE_ENOMEM, &err);
      assert_int_equal(x.mem.live_bytes, 0);
    }
    assert_true(n < 1000);
  }
  assert_rows(&x.f, "SELECT id FROM db.t ORDER BY id", "1|2");
  end(&x);
}

/* ---- the store ---------------------------------------------------------------------------- */

static void sweep_calls(faulty_session *x, const char *sql, calve_fault_kind kind) {
  long n = 1;
  for (bool met = true; met; n++) {
    calve_error err = {0};
    state before = state_of(x);
    x->fault.calls = x->fault.writes = 0;
    x->fault.kind = kind;
    x->fault.at = n;
    calve_status status = run_once(x, sql, &err);
    met = (kind == CALVE_FAULT_CALL ? x->fault.calls : x->fault.writes) >= n;
    x->fault.kind = CALVE_FAULT_NONE;
    if (status == CALVE_OK || status == CALVE_EUNKNOWN) {
      make_table(x);
      continue;
    }
    if (status != CALVE_EIO)
      fail_msg("%s, call %ld: %s: %s", sql, n, calve_status_name(status), err.message);
    assert_nothing_happened(x, &before, sql, n);
  }
  assert_true(n > 2 && n < 500);
}

static void test_every_failing_call_of_the_store_leaves_the_table_whole(void **unused) {
  (void)unused;
  static const char *const types[] = {"sql", "filesystem"};
  for (size_t t = 0; t < ARRAY_COUNT(types); t++) {
    faulty_session x;
    start(&x, types[t]);
    for (size_t i = 0; i < CHANGING_COUNT; i++) {
      sweep_calls(&x, statements[i], CALVE_FAULT_CALL);
      sweep_calls(&x, statements[i], CALVE_FAULT_LOST_RESPONSE);
    }
    assert_rows(&x.f, "SELECT id FROM db.t ORDER BY id", "1|2");
    end(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_failing_allocation_of_a_statement_leaves_the_table_whole),
      cmocka_unit_test(test_every_failing_allocation_of_opening_is_told),
      cmocka_unit_test(test_every_failing_call_of_the_store_leaves_the_table_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
