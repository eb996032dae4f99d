/* SPDX-License-Identifier: Apache-2.0 */
#include "sql_session.h"

#include "base/text.h"

/* ---- which column a value goes to --------------------------------------------------------- */

static void test_values_go_by_position_by_list_or_by_name(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (a BIGINT, b STRING, c BIGINT)");
  run(f, "INSERT INTO db.t VALUES (1, 'x', 3)");
  run(f, "INSERT INTO db.t (c, a) VALUES (30, 10)");
  run(f, "INSERT INTO db.t BY NAME SELECT 'y' AS B, 300 AS c, 100 AS a");
  run(f, "INSERT INTO db.t TABLE db.t");
  assert_rows(f, "SELECT a, b, c, count(*) FROM db.t GROUP BY ALL ORDER BY a",
              "1,x,3,2|10,NULL,30,2|100,y,300,2");
  refuse(f, "INSERT INTO db.t VALUES (1, 'x')", CALVE_EINVAL, "2 columns");
  refuse(f, "INSERT INTO db.t VALUES (1, 'x', 3, 4)", CALVE_EINVAL, "4 columns");
  refuse(f, "INSERT INTO db.t (a, A) VALUES (1, 2)", CALVE_EINVAL, "twice");
  refuse(f, "INSERT INTO db.t (a, nope) VALUES (1, 2)", CALVE_ENOTFOUND, "nope");
  refuse(f, "INSERT INTO db.t BY NAME SELECT 1 AS a, 2 AS nope", CALVE_ENOTFOUND, "nope");
  refuse(f, "INSERT INTO db.t BY NAME SELECT 1 AS a, 2 AS a", CALVE_EINVAL, "twice");
  refuse(f, "INSERT INTO db.t (a, b, c, a) SELECT 1, 'b', 2, 3", CALVE_EINVAL, "twice");
  assert_rows(f, "SELECT count(*) FROM db.t", "6");
}

/* A query on a table may fill the same table: it sees the table as it was. */
static void test_a_table_can_be_filled_from_itself(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (a BIGINT) PARTITIONED BY (bucket(4, a))");
  run(f, "INSERT INTO db.t SELECT * FROM range(10)");
  run(f, "INSERT INTO db.t SELECT a + 10 FROM db.t WHERE a >= 5");
  run(f, "INSERT OVERWRITE db.t SELECT a FROM db.t WHERE a >= 10");
  assert_rows(f, "SELECT count(*), min(a), max(a) FROM db.t", "5,15,19");
}

static void test_no_rows_make_no_snapshot(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (a BIGINT)");
  calve_error err;
  calve_result *r;
  assert_ok(try_run(f, "INSERT INTO db.t SELECT 1 WHERE false", &r, &err), &err);
  assert_int_equal(calve_result_row_count(r), 0);
  calve_result_free(r);
  assert_rows(f, "SELECT count(*) FROM db.t.snapshots", "0");
}

/* ---- values that can't be stored ---------------------------------------------------------- */

static void test_values_that_do_not_fit_are_refused_and_change_nothing(void **state) {
  sql_session *f = *state;
  run(f,
      "CREATE TABLE db.t (i INT, l BIGINT, f FLOAT, dc DECIMAL(5,2), d DATE, ts TIMESTAMP, "
      "n TIMESTAMP_NTZ, u UUID, b BOOLEAN, s STRUCT<x: INT>, r INT NOT NULL)");
  static const struct {
    const char *columns, *values, *part;
  } rows[] = {
      {"i, r", "2147483648, 1", "i"},
      {"i, r", "-2147483649, 1", "i"},
      {"i, r", "'abc', 1", "string can't be stored in int"},
      {"l, r", "9223372036854775808, 1", "9223372036854775808"},
      {"dc, r", "1000, 1", "1000"},
      {"dc, r", "'x', 1", "string can't be stored in decimal"},
      {"d, r", "'2020-02-30', 1", "2020-02-30"},
      {"d, r", "DATE 'infinity', 1", "infinity"},
      {"ts, r", "TIMESTAMP 'infinity', 1", "infinity"},
      {"n, r", "TIMESTAMP '-infinity', 1", "infinity"},
      {"u, r", "'nope', 1", "nope"},
      {"b, r", "'maybe', 1", "string can't be stored in boolean"},
      {"r", "NULL", "r"},
      {"i", "1", "r"},
  };
  run(f, "INSERT INTO db.t (i, r) VALUES (1, 1)");
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char sql[256];
    snprintf(sql, sizeof sql, "INSERT INTO db.t (%s) VALUES (%s)", rows[i].columns, rows[i].values);
    calve_error err = {0};
    calve_result *r = NULL;
    calve_status status = try_run(f, sql, &r, &err);
    if (status == CALVE_OK) {
      print_error("%s is taken\n", sql);
      calve_result_free(r);
    }
    assert_int_not_equal(status, CALVE_OK);
    if (!strstr(err.message, rows[i].part) && !strstr(err.where, rows[i].part))
      print_error("%s\n", sql);
    assert_message(&err, rows[i].part);
  }
  assert_rows(f, "SELECT count(*) FROM db.t", "1");
  assert_rows(f, "SELECT count(*) FROM db.t.snapshots", "1");
}

static size_t count_files(sql_session *f, const char *table) {
  char command[512];
  snprintf(command, sizeof command, "find %s -path '*%s*' -type f 2>/dev/null | wc -l", f->dir,
           table);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t count = 0;
  assert_int_equal(fscanf(pipe, "%zu", &count), 1);
  pclose(pipe);
  return count;
}

/* A row far behind the first files fails: these go again. */
static void test_a_failed_insert_leaves_no_files(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (a INT) PARTITIONED BY (bucket(4, a))");
  size_t before = count_files(f, "/t/");
  refuse(f,
         "INSERT INTO db.t SELECT CASE WHEN range = 99999 THEN 3000000000 ELSE range END "
         "FROM range(100000)",
         CALVE_EINVAL, "3000000000");
  refuse(f, "INSERT INTO db.t SELECT error('stop') FROM range(10)", CALVE_EINVAL, "stop");
  assert_int_equal(count_files(f, "/t/"), before);
}

/* ---- CREATE TABLE AS ---------------------------------------------------------------------- */

static void test_a_failed_ctas_leaves_nothing(void **state) {
  sql_session *f = *state;
  static const char *const queries[] = {
      "SELECT CASE WHEN range = 99999 THEN 'x' ELSE '1' END::INT AS a FROM range(100000)",
      "SELECT error('stop') AS a",
      "SELECT 1 AS a, 2 AS a",
      "SELECT INTERVAL 1 DAY AS a",
      "SELECT 1::HUGEINT AS a",
      "SELECT * FROM db.nope",
      "SELECT FROM",
  };
  for (size_t i = 0; i < ARRAY_COUNT(queries); i++) {
    char sql[256];
    calve_error err;
    calve_result *r = NULL;
    snprintf(sql, sizeof sql, "CREATE TABLE db.c USING iceberg AS %s", queries[i]);
    if (try_run(f, sql, &r, &err) == CALVE_OK) print_error("%s is taken\n", sql);
    calve_result_free(r);
    assert_null(r);
    assert_int_equal(count_files(f, "/c/"), 0);
    assert_rows(f, "SELECT 1::BIGINT", "1");
  }
  refuse(f, "DESCRIBE db.c", CALVE_ENOTFOUND, "db.c");
}

static void test_ctas_takes_nested_types(void **state) {
  sql_session *f = *state;
  run(f,
      "CREATE TABLE db.c PARTITIONED BY (truncate(1, name)) AS "
      "SELECT 1 AS id, 'ab' AS name, {'x': 1, 'y': [1.5::DOUBLE, NULL], 'z': {'w': DATE "
      "'2020-01-01'}} AS s, MAP {'k': [1, 2]} AS m, [{'a': 1}, NULL] AS l, NULL::UUID AS u");
  run(f, "INSERT INTO db.c SELECT * FROM db.c");
  assert_rows(f,
              "SELECT id::BIGINT, s::VARCHAR, m::VARCHAR, l::VARCHAR, count(*) FROM db.c "
              "GROUP BY ALL",
              "1,{'x': 1, 'y': [1.5, NULL], 'z': {'w': 2020-01-01}},{k=[1, 2]},[{'a': 1}, NULL],2");
  run(f, "CREATE TABLE db.e AS SELECT * FROM db.c WHERE false");
  assert_rows(f, "SELECT count(*) FROM db.e", "0");
}

/* ---- OVERWRITE ---------------------------------------------------------------------------- */

static void make_days(sql_session *f) {
  run(f, "CREATE TABLE db.t (id BIGINT, day STRING, n BIGINT) PARTITIONED BY (day)");
  run(f, "INSERT INTO db.t VALUES (1, 'a', 1), (2, 'b', 1), (3, NULL, 1), (4, 'a', 2)");
}

static void test_static_overwrite_replaces_all_or_one_partition(void **state) {
  sql_session *f = *state;
  make_days(f);
  run(f, "INSERT OVERWRITE db.t PARTITION (day = 'a') VALUES (10, 5), (11, 5)");
  assert_rows(f, "SELECT id, day FROM db.t ORDER BY id", "2,b|3,NULL|10,a|11,a");
  run(f, "INSERT OVERWRITE TABLE db.t PARTITION (DAY = NULL) SELECT 12, 5");
  assert_rows(f, "SELECT id, day FROM db.t ORDER BY id", "2,b|10,a|11,a|12,NULL");
  run(f, "INSERT OVERWRITE db.t PARTITION (day = 'b') SELECT 1, 2 WHERE false");
  assert_rows(f, "SELECT id, day FROM db.t ORDER BY id", "10,a|11,a|12,NULL");
  run(f, "INSERT INTO db.t PARTITION (day = 'q') VALUES (13, 1)");
  assert_rows(f, "SELECT day FROM db.t WHERE id = 13", "q");
  run(f, "INSERT OVERWRITE db.t VALUES (99, 'z', 1)");
  assert_rows(f, "SELECT id, day FROM db.t", "99,z");
  run(f, "INSERT OVERWRITE db.t SELECT * FROM db.t WHERE false");
  assert_rows(f, "SELECT count(*) FROM db.t", "0");
  refuse(f, "INSERT OVERWRITE db.t PARTITION (n = 1) VALUES (1, 'a')", CALVE_EINVAL, "n");
  refuse(f, "INSERT OVERWRITE db.t PARTITION (nope = 1) VALUES (1, 'a')", CALVE_ENOTFOUND, "nope");
  refuse(f, "INSERT OVERWRITE db.t PARTITION (day = 'a', day = 'b') VALUES (1, 1)", CALVE_EINVAL,
         "twice");
}

static void test_dynamic_overwrite_replaces_the_partitions_of_the_rows(void **state) {
  sql_session *f = *state;
  make_days(f);
  run(f, "SET partition_overwrite_mode = dynamic");
  run(f, "INSERT OVERWRITE db.t VALUES (10, 'a', 5), (12, NULL, 5), (13, 'new', 5)");
  assert_rows(f, "SELECT id, day FROM db.t ORDER BY id", "2,b|10,a|12,NULL|13,new");
  run(f, "INSERT OVERWRITE db.t SELECT * FROM db.t WHERE false");
  assert_rows(f, "SELECT count(*) FROM db.t", "4");
}

/* Rows of the overwritten partitions in files of older specs must go too, or be refused: never
 * doubled. */
static void test_dynamic_overwrite_after_evolution_never_doubles(void **state) {
  sql_session *f = *state;
  make_days(f);
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD bucket(2, id)");
  run(f, "SET partition_overwrite_mode = dynamic");
  calve_error err = {0};
  calve_result *r = NULL;
  calve_status status = try_run(f, "INSERT OVERWRITE db.t VALUES (1, 'a', 7)", &r, &err);
  calve_result_free(r);
  if (status == CALVE_OK) {
    assert_rows(f, "SELECT n FROM db.t WHERE id = 1", "7");
  } else {
    assert_int_equal(err.code, CALVE_EUNSUPPORTED);
    assert_rows(f, "SELECT count(*) FROM db.t", "4");
  }
}

static void test_static_overwrite_after_evolution_sees_old_files(void **state) {
  sql_session *f = *state;
  make_days(f);
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD truncate(2, id)");
  run(f, "INSERT INTO db.t VALUES (5, 'a', 3), (6, 'b', 3)");
  run(f, "INSERT OVERWRITE db.t PARTITION (day = 'a') VALUES (50, 9)");
  assert_rows(f, "SELECT id, day FROM db.t ORDER BY id", "2,b|3,NULL|6,b|50,a");
}

/* A file of before the table was partitioned by day holds rows of several days. */
static void test_overwrite_of_a_part_of_a_file_is_refused(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, day STRING)");
  run(f, "INSERT INTO db.t VALUES (1, 'a'), (2, 'b')");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD day");
  calve_error err = {0};
  calve_result *r = NULL;
  calve_status status =
      try_run(f, "INSERT OVERWRITE db.t PARTITION (day = 'a') VALUES (9)", &r, &err);
  calve_result_free(r);
  if (status == CALVE_OK)
    assert_rows(f, "SELECT id, day FROM db.t ORDER BY id", "2,b|9,a");
  else
    assert_rows(f, "SELECT id, day FROM db.t ORDER BY id", "1,a|2,b");
  assert_true(status == CALVE_OK || err.message[0] != '\0');
}

/* ---- properties that rule files ----------------------------------------------------------- */

static void test_write_order_holds_inside_files(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (a BIGINT, b STRING)");
  run(f, "ALTER TABLE db.t WRITE ORDERED BY b DESC, a");
  run(f,
      "INSERT INTO db.t SELECT (range * 7919) % 1000, chr((65 + range % 26)::INT) FROM "
      "range(5000)");
  assert_rows(
      f,
      "SELECT count(*) FROM (SELECT b, a, lag(b) OVER (ORDER BY n) AS pb, "
      "lag(a) OVER (ORDER BY n) AS pa FROM (SELECT *, row_number() OVER () AS n FROM db.t)) "
      "WHERE b > pb OR (b = pb AND a < pa)",
      "0");
  assert_rows(f, "SELECT DISTINCT sort_order_id::BIGINT FROM db.t.files", "1");
}

static void test_target_file_size_cuts_files(void **state) {
  sql_session *f = *state;
  run(f,
      "CREATE TABLE db.t (a BIGINT, s STRING) TBLPROPERTIES "
      "('write.target-file-size-bytes' = '200000')");
  run(f, "INSERT INTO db.t SELECT range, md5(range::VARCHAR) FROM range(50000)");
  assert_rows(f,
              "SELECT count(*) > 4, max(file_size_in_bytes) < 600000, sum(record_count)::BIGINT "
              "FROM db.t.files",
              "true,true,50000");
}

static void test_data_path_is_where_files_go(void **state) {
  sql_session *f = *state;
  char sql[600];
  snprintf(sql, sizeof sql,
           "CREATE TABLE db.t (a BIGINT) TBLPROPERTIES ('write.data.path' = '%s/else where')",
           f->dir);
  run(f, sql);
  run(f, "INSERT INTO db.t VALUES (1)");
  assert_rows(f, "SELECT contains(file_path, 'else where') FROM db.t.files", "true");
  assert_rows(f, "SELECT a FROM db.t", "1");
}

/* ---- versions of the format --------------------------------------------------------------- */

static void test_all_format_versions_take_rows(void **state) {
  sql_session *f = *state;
  for (int version = 1; version <= 3; version++) {
    char sql[200];
    snprintf(sql, sizeof sql,
             "CREATE TABLE db.v%d (a BIGINT, d DATE) PARTITIONED BY (years(d)) TBLPROPERTIES "
             "('format-version' = '%d')",
             version, version);
    run(f, sql);
    snprintf(sql, sizeof sql, "INSERT INTO db.v%d VALUES (1, DATE '1969-12-31'), (2, NULL)",
             version);
    run(f, sql);
    run(f, sql);
    snprintf(sql, sizeof sql,
             "SELECT a, count(*) FROM db.v%d WHERE d < DATE '1970-01-01' "
             "GROUP BY a",
             version);
    assert_rows(f, sql, "1,2");
  }
}

static void test_defaults_fill_what_is_not_given(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (a BIGINT) TBLPROPERTIES ('format-version' = '3')");
  run(f, "INSERT INTO db.t VALUES (1)");
  run(f, "ALTER TABLE db.t ADD COLUMN b STRING DEFAULT 'x'");
  run(f, "INSERT INTO db.t (a) VALUES (2)");
  run(f, "ALTER TABLE db.t ALTER COLUMN b SET DEFAULT 'y'");
  run(f, "INSERT INTO db.t (a) VALUES (3)");
  run(f, "INSERT INTO db.t VALUES (4, NULL)");
  assert_rows(f, "SELECT a, b FROM db.t ORDER BY a", "1,x|2,x|3,y|4,NULL");
  assert_rows(f, "SELECT a FROM db.t WHERE b = 'x' ORDER BY a", "1|2");
}

static void test_default_stands_for_a_value(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (a INT NOT NULL, p STRING, l ARRAY<INT>) PARTITIONED BY (p) "
         "TBLPROPERTIES ('format-version' = '3')");
  run(f, "ALTER TABLE db.t ADD COLUMN b INT DEFAULT 7");
  run(f, "INSERT INTO db.t VALUES (1, DEFAULT, [1, 2], default), (2, 'DEFAULT', DEFAULT, 5)");
  run(f, "INSERT INTO db.t (b, a) VALUES (DEFAULT, 3)");
  run(f, "INSERT INTO db.t PARTITION (p = 'x') VALUES (4, DEFAULT, DEFAULT)");
  assert_rows(f, "SELECT a::BIGINT, p, len(l), b::BIGINT FROM db.t ORDER BY a",
              "1,NULL,2,7|2,DEFAULT,NULL,5|3,NULL,NULL,7|4,x,NULL,7");
  refuse(f, "INSERT INTO db.t (a) VALUES (DEFAULT)", CALVE_EINVAL, "required");
  refuse(f, "INSERT INTO db.t VALUES (1, DEFAULT)", CALVE_EINVAL, "2 columns");
  refuse(f, "INSERT INTO db.t (a) VALUES (1 + DEFAULT)", CALVE_EINVAL, "DEFAULT");
}

int main(void) {
#define SESSION_TEST(test) cmocka_unit_test_setup_teardown(test, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      SESSION_TEST(test_values_go_by_position_by_list_or_by_name),
      SESSION_TEST(test_a_table_can_be_filled_from_itself),
      SESSION_TEST(test_no_rows_make_no_snapshot),
      SESSION_TEST(test_values_that_do_not_fit_are_refused_and_change_nothing),
      SESSION_TEST(test_a_failed_insert_leaves_no_files),
      SESSION_TEST(test_a_failed_ctas_leaves_nothing),
      SESSION_TEST(test_ctas_takes_nested_types),
      SESSION_TEST(test_static_overwrite_replaces_all_or_one_partition),
      SESSION_TEST(test_dynamic_overwrite_replaces_the_partitions_of_the_rows),
      SESSION_TEST(test_dynamic_overwrite_after_evolution_never_doubles),
      SESSION_TEST(test_static_overwrite_after_evolution_sees_old_files),
      SESSION_TEST(test_overwrite_of_a_part_of_a_file_is_refused),
      SESSION_TEST(test_write_order_holds_inside_files),
      SESSION_TEST(test_target_file_size_cuts_files),
      SESSION_TEST(test_data_path_is_where_files_go),
      SESSION_TEST(test_all_format_versions_take_rows),
      SESSION_TEST(test_defaults_fill_what_is_not_given),
      SESSION_TEST(test_default_stands_for_a_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
