/* SPDX-License-Identifier: Apache-2.0 */
#include "sql_session.h"

static void make_table(sql_session *f) {
  run(f, "CREATE TABLE db.t (i BIGINT, s STRING, \"we.ird\" BIGINT)");
  run(f, "INSERT INTO db.t VALUES (1, 'a', 10), (2, 'b', 20), (3, 'a', 30)");
}

/* Every place where a query can name a table, and every way to name it. */
static void test_queries_name_tables_anywhere(void **state) {
  sql_session *f = *state;
  make_table(f);
  static const struct {
    const char *query, *rows;
  } all[] = {
      {"/* \xC3\xBCn\xC3\xAF */ SELECT '\xC3\xBC', t.i FROM -- db.t\n db.t /* x */ WHERE i = 1",
       "\xC3\xBC,1"},
      {"SELECT db.t.i, calve.db.t.s FROM calve.db.t WHERE db.t.i = 2", "2,b"},
      {"SELECT \"we.ird\" FROM db.t AS \"a.b\" WHERE \"a.b\".\"we.ird\" = 10", "10"},
      {"SELECT `we.ird` FROM `db`.`t` WHERE `i` = 2", "20"},
      {"SELECT count(*) FROM db.t a, db.t b WHERE a.i = b.i AND a.i > 1", "2"},
      {"SELECT count(*) FROM db.t JOIN db.t u USING (i, s)", "3"},
      {"SELECT count(*) FROM db.t NATURAL JOIN db.t u", "3"},
      {"SELECT count(*) FROM db.t a LEFT JOIN db.t b ON a.i = b.i AND b.i = 1 WHERE b.i IS NULL",
       "2"},
      {"SELECT count(*) FROM db.t a ASOF JOIN db.t b ON a.i >= b.i WHERE a.i > 1", "2"},
      {"SELECT count(*) FROM db.t a POSITIONAL JOIN db.t b WHERE b.i = 1", "1"},
      {"SELECT i FROM db.t ANTI JOIN (SELECT 1 AS i) USING (i) ORDER BY i", "2|3"},
      {"SELECT count(*) FROM db.t TABLESAMPLE 100% WHERE i < 3", "2"},
      {"WITH t AS (SELECT 9::BIGINT AS i) SELECT i FROM t", "9"},
      {"WITH q AS (SELECT * FROM db.t WHERE i > 1) SELECT max(i) FROM q WHERE i < 3", "2"},
      {"SELECT max(i) FROM db.t o WHERE i < (SELECT max(i) FROM db.t WHERE s = o.s)", "1"},
      {"SELECT i FROM db.t UNION SELECT i + 1 FROM db.t ORDER BY 1", "1|2|3|4"},
      {"FROM db.t SELECT max(i) WHERE s = 'b'", "2"},
      {"SELECT max(i) FROM (TABLE db.t)", "3"},
      {"SELECT count(*) FROM (SUMMARIZE db.t)", "3"},
      {"SELECT count(*) FROM (DESCRIBE SELECT * FROM db.t)", "3"},
      {"SELECT a, b FROM (PIVOT (SELECT i, s FROM db.t) ON s USING max(i))", "3,2"},
      {"SELECT a, b FROM (SELECT i, s FROM db.t) PIVOT (max(i) FOR s IN ('a', 'b'))", "3,2"},
      {"SELECT count(*) FROM (UNPIVOT db.t ON i, \"we.ird\" INTO NAME n VALUE v)", "6"},
      {"SELECT i FROM db.t QUALIFY row_number() OVER (ORDER BY i DESC) = 1", "3"},
      {"SELECT i AS j FROM db.t WHERE j = 2", "2"},
      {"SELECT 5::BIGINT AS i FROM db.t WHERE i = 2", "5"},
      {"SELECT count(*) FROM db.t AT (VERSION => 'main')", "3"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(all); i++) assert_rows(f, all[i].query, all[i].rows);
}

/* What can't be must say so in words of ours, and touch nothing. */
static void test_other_statements_on_tables_say_why_not(void **state) {
  sql_session *f = *state;
  make_table(f);
  static const struct {
    const char *statement, *part;
  } all[] = {
      {"DELETE FROM db.t WHERE i = 1", "DELETE is not known"},
      {"UPDATE db.t SET i = 2", "UPDATE is not known"},
      {"MERGE INTO db.t USING db.t AS u ON t.i = u.i WHEN MATCHED THEN DELETE", "MERGE"},
      {"TRUNCATE TABLE db.t", "INSERT OVERWRITE"},
      {"CREATE VIEW v AS SELECT * FROM db.t", "views"},
      {"CREATE TEMP VIEW v AS SELECT * FROM db.t", "views"},
      {"CREATE MACRO m() AS TABLE SELECT * FROM db.t", "macros"},
      {"COPY db.t FROM 'x.csv'", "INSERT INTO"},
      {"PREPARE p AS SELECT * FROM db.t", "can't name tables"},
      {"EXPLAIN DELETE FROM db.t", "DELETE"},
      {"EXPLAIN ANALYZE SELECT * FROM db.t", "which files"},
      {"BEGIN", "transaction"},
      {"COMMIT", "transaction"},
      {"SELECT 1; SELECT 2", "one statement"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(all); i++) {
    calve_error err = {0};
    calve_result *r = NULL;
    if (try_run(f, all[i].statement, &r, &err) == CALVE_OK)
      print_error("%s is taken\n", all[i].statement);
    assert_null(r);
    assert_message(&err, all[i].part);
  }
  assert_rows(f, "SELECT count(*) FROM db.t", "3");
}

static void test_temporary_tables_are_the_engines(void **state) {
  sql_session *f = *state;
  make_table(f);
  run(f, "CREATE TEMP TABLE x AS SELECT * FROM db.t WHERE i > 1");
  run(f, "INSERT INTO x SELECT * FROM db.t");
  run(f, "INSERT INTO x (i) VALUES (7)");
  assert_rows(f, "SELECT count(*) FROM x", "6");
  run(f, "CREATE TEMP TABLE y (a INT DEFAULT (CAST('1' AS INT)))");
  run(f, "DROP TABLE x");
  refuse(f, "DROP TABLE x", CALVE_EINVAL, "namespace");
  run(f, "USE db");
  run(f, "CREATE TEMP TABLE t AS SELECT 1 AS i");
  run(f, "INSERT INTO t VALUES (4, 'd', 40)"); /* the catalog's hides the engine's */
  assert_rows(f, "SELECT count(*) FROM db.t", "4");
}

static void test_copy_writes_a_table_to_a_file(void **state) {
  sql_session *f = *state;
  char sql[400];
  make_table(f);
  snprintf(sql, sizeof sql, "COPY db.t TO '%s/x.csv'", f->dir);
  run(f, sql);
  snprintf(sql, sizeof sql, "COPY (SELECT i FROM db.t WHERE i = 1) TO '%s/y.csv'", f->dir);
  run(f, sql);
  snprintf(sql, sizeof sql, "SELECT count(*) FROM read_csv('%s/?.csv', union_by_name = true)",
           f->dir);
  assert_rows(f, sql, "4");
}

/* The place in an error is a place in the statement. */
static void test_errors_tell_where(void **state) {
  sql_session *f = *state;
  make_table(f);
  static const char *const statements[] = {"COPY (SELECT * FROM db.t WHERE AND) TO 'x'",
                                           "EXPLAIN SELECT * FROM db.t WHERE AND",
                                           "SELECT * FROM db.t WHERE AND"};
  for (size_t i = 0; i < ARRAY_COUNT(statements); i++) {
    calve_error err = {0};
    calve_result *r = NULL;
    assert_fails(try_run(f, statements[i], &r, &err), CALVE_EINVAL, &err);
    assert_int_equal(err.byte_offset, strstr(statements[i], "AND") - statements[i]);
  }
  refuse(f, "SELECT * FROM db.t.nope", CALVE_ENOTFOUND,
         "it has snapshots, history, refs, manifests, files and partitions");
  refuse(f, "SELECT * FROM db.nope", CALVE_ENOTFOUND, "db.nope");
  refuse(f, "SELECT nope FROM db.t", CALVE_EINVAL, "nope");
}

int main(void) {
#define SESSION_TEST(test) cmocka_unit_test_setup_teardown(test, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      SESSION_TEST(test_queries_name_tables_anywhere),
      SESSION_TEST(test_other_statements_on_tables_say_why_not),
      SESSION_TEST(test_temporary_tables_are_the_engines),
      SESSION_TEST(test_copy_writes_a_table_to_a_file),
      SESSION_TEST(test_errors_tell_where),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
