/* SPDX-License-Identifier: Apache-2.0 */
/* Rules: a cancelled statement leaves a session that works; INSERT finds columns as queries do. */
#include "sql_session.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
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
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
