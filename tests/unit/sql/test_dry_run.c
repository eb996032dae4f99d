/* SPDX-License-Identifier: Apache-2.0 */
/* --dry-run: what a statement would change is told, and nothing is. */
#include "sql_session.h"

static void dry(sql_session *f, bool on) {
  f->session->dry_run = on;
}

static void test_changes_are_shown_and_not_made(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP, s STRUCT<a: INT>) "
         "PARTITIONED BY (months(ts)) WRITE ORDERED BY id TBLPROPERTIES ('k' = 'v')");
  run(f, "INSERT INTO db.t VALUES (1, NULL, NULL)");
  const char *schema = schema_of(f, "t"), *spec = spec_of(f, "t"), *order = order_of(f, "t");
  dry(f, true);
  run(f, "ALTER TABLE db.t RENAME TO u");
  rows_of(f, "ALTER TABLE db.t ADD COLUMNS (s.b ARRAY<STRING> FIRST, c INT COMMENT 'c')");
  rows_of(f, "ALTER TABLE db.t ADD PARTITION FIELD bucket(4, id)");
  rows_of(f, "ALTER TABLE db.t WRITE UNORDERED");
  rows_of(f, "REPLACE TABLE db.t (x INT) PARTITIONED BY (x)");
  rows_of(f, "REPLACE TABLE db.t AS SELECT 1 AS x");
  dry(f, false);
  assert_string_equal(schema_of(f, "t"), schema);
  assert_string_equal(spec_of(f, "t"), spec);
  assert_string_equal(order_of(f, "t"), order);
}

static void test_each_part_has_its_lines(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP, s STRUCT<a: INT>) "
         "PARTITIONED BY (months(ts)) WRITE ORDERED BY id TBLPROPERTIES ('k' = 'v')");
  dry(f, true);
  assert_rows(f, "ALTER TABLE db.t ADD COLUMNS (s.b ARRAY<STRING> COMMENT 'b' FIRST, c INT)",
              "schema 0 -> 1|+ 5: s.b ARRAY COMMENT 'b'|+ 6: s.b.element STRING|+ 7: c INT");
  assert_rows(f, "ALTER TABLE db.t ALTER COLUMN ts FIRST",
              "schema 0 -> 1|- 1: id BIGINT|+ 1: id BIGINT");
  assert_rows(f, "ALTER TABLE db.t RENAME COLUMN ts TO at",
              "schema 0 -> 1|- 2: ts TIMESTAMP|+ 2: at TIMESTAMP");
  assert_rows(f, "ALTER TABLE db.t REPLACE PARTITION FIELD ts_month WITH days(ts)",
              "spec 0 -> 1|- 1000: months(ts) AS ts_month|+ 1001: days(ts) AS ts_day");
  assert_rows(f, "ALTER TABLE db.t WRITE ORDERED BY id DESC",
              "order 1 -> 2|- id ASC NULLS FIRST|+ id DESC NULLS LAST|properties|"
              "+ 'write.distribution-mode' = 'range'");
  assert_rows(f, "ALTER TABLE db.t UNSET TBLPROPERTIES ('k')", "properties|- 'k' = 'v'");
  assert_rows(f, "ALTER TABLE db.t SET TBLPROPERTIES ('format-version' = '3')",
              "table|- format version 2|+ format version 3");
  assert_rows(f, "ALTER TABLE db.t DROP COLUMN IF EXISTS nope", "");
  refuse(f, "ALTER TABLE db.t DROP COLUMN ts", CALVE_EINVAL, "ts_month");
}

static void test_nothing_is_made_or_dropped(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT)");
  dry(f, true);
  assert_row(f, "CREATE TABLE db.n (a INT) PARTITIONED BY (a)",
             "schema 0|+ 1: a INT|spec 0|+ 1000: a AS a|");
  assert_row(f, "CREATE TABLE db.n AS SELECT 1 AS one", "schema 0|+ 1: one INT|");
  assert_row(f, "REPLACE TABLE db.t (id BIGINT, n INT)", "schema 0 -> 1|+ 2: n INT");
  run(f, "ALTER TABLE db.t RENAME TO u");
  run(f, "INSERT INTO db.t VALUES (1)");
  run(f, "DROP TABLE db.t");
  run(f, "CREATE NAMESPACE no");
  dry(f, false);
  assert_rows(f, "SELECT id FROM db.t", "");
  refuse(f, "SELECT * FROM db.n", CALVE_ENOTFOUND, "n");
  refuse(f, "CREATE TABLE no.t (id INT)", CALVE_ENOTFOUND, "no");
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      T(test_changes_are_shown_and_not_made),
      T(test_each_part_has_its_lines),
      T(test_nothing_is_made_or_dropped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
