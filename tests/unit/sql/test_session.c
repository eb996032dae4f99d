/* SPDX-License-Identifier: Apache-2.0 */
/* Rules: a cancelled statement leaves a session that works; INSERT finds columns as queries do. */
#include "sql_session.h"
#include "store/fault.h"
#include "store/local.h"

/* Asks for a cancel as another thread would, while the engine works. */
static bool cancel_now(void *ctx, double percent) {
  (void)percent;
  calve_session_cancel(ctx);
  return false;
}

static void test_a_cancelled_statement_leaves_a_session_that_works(void **state) {
  sql_session *f = *state;
  static const char *const statements[] = {
      "SELECT count(*) FROM db.t, range(200000) a, range(200000) b WHERE a.range * b.range = id",
      "INSERT INTO db.t SELECT a.range * b.range FROM range(200000) a, range(200000) b",
      "SELECT id FROM db.t WHERE id = (SELECT 1) + error('no constant')::BIGINT",
  };
  run(f, "CREATE TABLE db.t (id BIGINT)");
  run(f, "INSERT INTO db.t VALUES (1), (2)");
  for (size_t i = 0; i < ARRAY_COUNT(statements); i++) {
    calve_session_on_progress(f->session, cancel_now, f->session);
    refuse(f, statements[i], CALVE_ECANCELLED, "cancel");
    calve_session_on_progress(f->session, NULL, NULL);
    assert_rows(f, "SELECT id FROM db.t ORDER BY id", "1|2");
    assert_rows(f, "SELECT count(*) FROM duckdb_views() WHERE view_name LIKE 'calve_scan%'", "0");
  }
}

/* A cancel that comes when nothing runs is for nothing. */
static void test_a_cancel_before_a_statement_is_forgotten(void **state) {
  sql_session *f = *state;
  calve_session_cancel(f->session);
  assert_rows(f, "SELECT 1::BIGINT", "1");
}

static void test_insert_finds_columns_without_regard_to_case(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, Day STRING) PARTITIONED BY (Day)");
  run(f, "INSERT INTO db.t PARTITION (DAY = 'a') SELECT 1");
  run(f, "INSERT INTO db.t PARTITION (day = 'b') SELECT 2");
  run(f, "INSERT OVERWRITE db.t PARTITION (dAY = 'a') SELECT 3");
  assert_rows(f, "SELECT id, day FROM db.t ORDER BY id", "2,b|3,a");
  run(f, "INSERT INTO db.t (DAY, Id) VALUES ('c', 4)");
  run(f, "INSERT INTO db.t BY NAME SELECT 'd' AS day, 5 AS ID");
  assert_rows(f, "SELECT id, day FROM db.t WHERE id > 3 ORDER BY id", "4,c|5,d");
  refuse(f, "INSERT INTO db.t PARTITION (day = 'a', DAY = 'b') SELECT 1", CALVE_EINVAL, "twice");
}

static void test_partition_names_whole_columns(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, place STRUCT<day: STRING>) PARTITIONED BY (place.day)");
  refuse(f, "INSERT INTO db.t PARTITION (place.day = 'a') SELECT 1, NULL", CALVE_EUNSUPPORTED,
         "struct");
  run(f, "INSERT INTO db.t SELECT 1, {'day': 'a'}");
  assert_rows(f, "SELECT id, place.day FROM db.t", "1,a");
}

/* What the engine could do to files on the side is refused too. */
static void test_a_read_only_session_writes_nothing(void **state) {
  static const char *const statements[] = {
      "INSERT INTO db.t VALUES (2)", "DROP TABLE db.t", "copy (SELECT 1) TO '/dev/null'",
      "  COPY db.t TO '/dev/null'", "ATTACH '/dev/null' AS x", "EXPORT DATABASE '/dev/null'"};
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT)");
  run(f, "INSERT INTO db.t VALUES (1)");
  f->session->read_only = true;
  for (size_t i = 0; i < ARRAY_COUNT(statements); i++)
    refuse(f, statements[i], CALVE_EDENIED, "read-only");
  assert_rows(f, "SELECT id FROM db.t", "1");
}

/* Its structs are looked at, and its store is the one that is used. */
static void test_a_session_takes_the_configuration_of_a_catalog(void **state) {
  (void)state;
  calve_error err;
  calve_session *s = NULL;
  calve_fault_store store;
  calve_fault_store_init(&store, calve_local_store(), CALVE_FAULT_NONE, 0);
  char dir[256];
  make_temp_dir(dir);
  const calve_setting properties[] = {{"warehouse", dir}, {"name", "mine"}};
  calve_catalog_config catalog = {.struct_size = sizeof catalog,
                                  .properties = properties,
                                  .property_count = 2,
                                  .store = &store.store};
  calve_session_config config = {.struct_size = sizeof config, .temp_dir = dir};
  assert_fails(calve_session_open(NULL, &s, &err), CALVE_EINVAL, &err);
  assert_fails(calve_session_open(&config, &s, &err), CALVE_EINVAL, &err);
  assert_message(&err, "calve_catalog_config");
  config.catalog = &catalog;
  catalog.struct_size = 3;
  assert_fails(calve_session_open(&config, &s, &err), CALVE_EINVAL, &err);
  catalog.struct_size = sizeof catalog;
  config.struct_size = 0;
  assert_fails(calve_session_open(&config, &s, &err), CALVE_EINVAL, &err);
  assert_message(&err, "sizeof(calve_session_config)");
  config.struct_size = sizeof config;
  assert_null(s);
  assert_ok(calve_session_open(&config, &s, &err), &err);
  sql_session own = {.session = s};
  calve_arena_init(&own.arena, NULL);
  run(&own, "CREATE NAMESPACE db");
  run(&own, "CREATE TABLE mine.db.t (id INT)");
  long before = store.calls;
  assert_true(store.writes > 0);
  run(&own, "INSERT INTO db.t VALUES (1), (2)");
  assert_rows(&own, "SELECT count(*) FROM mine.db.t", "2");
  assert_true(store.calls > before);
  calve_session_free(s);
  calve_session_free(NULL);
  calve_arena_free(&own.arena);
  remove_temp_dir(dir);
}

/* What the session says is lines of its own: names end none, and move no cursor. */
static void test_names_are_escaped_in_what_is_said(void **state) {
  sql_session *f = *state;
  assert_string_equal(run(f, "CREATE TABLE db.\"a\nb\x1b[31m\" (\"c\nd\" INT)"),
                      "table db.a\\nb\\x1B[31m created");
  refuse(f, "CREATE TABLE db.\"a\nb\x1b[31m\" (i INT)", CALVE_EEXISTS, "db.a\\nb\\x1B[31m");
  refuse(f, "SELECT * FROM db.\"no\nne\"", CALVE_ENOTFOUND, "no\\nne");
  refuse(f, "ALTER TABLE db.\"a\nb\x1b[31m\" DROP COLUMN \"\xC2\x9Bx\"", CALVE_ENOTFOUND,
         "\\x9Bx");
  calve_error err;
  calve_result *r = NULL;
  assert_fails(try_run(f, "SELECT nope FROM db.\"a\nb\x1b[31m\"", &r, &err), CALVE_EINVAL, &err);
  assert_null(strchr(err.message, '\n'));
  assert_null(strstr(err.message, "\\n")); /* the engine's own lines are joined */
}

/* A statement for the engine's table goes to it whole. */
static void test_long_queries_into_engine_tables(void **state) {
  sql_session *f = *state;
  char sql[700];
  run(f, "CREATE TABLE db.t (id BIGINT)");
  run(f, "INSERT INTO db.t VALUES (1)");
  run(f, "CREATE TEMP TABLE mine (id BIGINT, s TEXT)");
  snprintf(sql, sizeof sql, "INSERT INTO mine SELECT id, '%0400d' FROM db.t", 7);
  run(f, sql);
  assert_rows(f, "SELECT id, length(s) FROM mine", "1,400");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_names_are_escaped_in_what_is_said, setup_session,
                                      teardown_session),
      cmocka_unit_test_setup_teardown(test_long_queries_into_engine_tables, setup_session,
                                      teardown_session),
      cmocka_unit_test_setup_teardown(test_a_cancelled_statement_leaves_a_session_that_works,
                                      setup_session, teardown_session),
      cmocka_unit_test_setup_teardown(test_a_cancel_before_a_statement_is_forgotten,
                                      setup_session, teardown_session),
      cmocka_unit_test_setup_teardown(test_insert_finds_columns_without_regard_to_case,
                                      setup_session, teardown_session),
      cmocka_unit_test_setup_teardown(test_partition_names_whole_columns, setup_session,
                                      teardown_session),
      cmocka_unit_test_setup_teardown(test_a_read_only_session_writes_nothing, setup_session,
                                      teardown_session),
      cmocka_unit_test(test_a_session_takes_the_configuration_of_a_catalog),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
