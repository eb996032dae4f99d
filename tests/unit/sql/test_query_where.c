/* SPDX-License-Identifier: Apache-2.0 */
/* What planning makes of a WHERE, and the rows that come of it: one table for each rule that an
 * earlier version broke. test_query_where_law.c looks for more of them by chance. */
#include "sql_session.h"

/* The filter that EXPLAIN shows is this. */
static void assert_filter(sql_session *f, const char *condition, const char *want) {
  char sql[1024];
  snprintf(sql, sizeof sql, "EXPLAIN SELECT * FROM db.t WHERE %s", condition);
  const char *plan = rows_of(f, sql), *at = strstr(plan, "filter: ");
  assert_non_null(at);
  at += 8;
  size_t size = strcspn(at, "|");
  if (size == strlen(want) && memcmp(at, want, size) == 0) return;
  print_error("%s\n  filter   %.*s\n  expected %s\n", condition, (int)size, at, want);
  fail();
}

static void make_table(sql_session *f) {
  run(f,
      "CREATE TABLE db.t (i INT, l BIGINT, f FLOAT, d DOUBLE, dc DECIMAL(9,2), day DATE, "
      "ts TIMESTAMP, n TIMESTAMP_NTZ, s STRING, b BOOLEAN, st STRUCT<x: INT>, "
      "bin BINARY)");
}

/* A number is compared as the engine compares it, or not at all. */
static void test_numbers_of_other_types(void **state) {
  sql_session *f = *state;
  make_table(f);
  static const struct {
    const char *condition, *filter;
  } rows[] = {
      {"i NOT IN ('0.1', 1.4999)", "TRUE"}, /* the engine takes their common type for all */
      {"i BETWEEN '1' AND 7.5", "TRUE"},
      {"i IN ('1', '2')", "i IN (1, 2)"},
      {"i > 1.5", "i > 1"},
      {"i = 1.5", "FALSE"},
      {"i < 3000000000", "i IS NOT NULL"},
      {"d = 0.1::FLOAT", "d = 0.10000000149011612"},
      {"f = 0.1::FLOAT", "f = 0.1"},
      {"l = 9007199254740992::DOUBLE", "TRUE"}, /* 9007199254740993 is equal to it as DOUBLE */
      {"i = 16777216::FLOAT", "TRUE"},
      {"dc = 1234567.9::FLOAT", "TRUE"},
      {"dc = 1.5::DOUBLE", "dc = 1.50"},
      {"dc = '1.495'", "TRUE"}, /* the engine rounds it to 1.50 */
      {"dc = '1.5'", "dc = 1.50"},
      {"d = 'nan'", "TRUE"},
      {"d > 0.1234567890123456789", "TRUE"},
      {"2 < i", "i > 2"},
      {"i = 1 + 1", "i = 2"},
      {"i = random()", "TRUE"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
    assert_filter(f, rows[i].condition, rows[i].filter);
}

static void test_dates_beside_times(void **state) {
  sql_session *f = *state;
  make_table(f);
  static const struct {
    const char *condition, *filter;
  } rows[] = {
      {"day < TIMESTAMP '2020-03-01 10:00:00'", "day <= '2020-03-01'"},
      {"day > TIMESTAMP '2020-03-01 10:00:00'", "day > '2020-03-01'"},
      {"day = TIMESTAMP '2020-03-01 10:00:00'", "FALSE"},
      {"day < TIMESTAMP '2020-03-01 00:00:00'", "day < '2020-03-01'"},
      {"n >= DATE '2020-03-01'", "n >= '2020-03-01T00:00:00'"},
      {"day = '2020-3-1'", "day = '2020-03-01'"},
      {"day < DATE 'infinity'", "TRUE"},
      {"day > DATE '2020-02-28' + INTERVAL 1 DAY", "day > '2020-02-29'"},
      {"ts::DATE = DATE '2020-03-01'", "days(ts) = '2020-03-01'"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
    assert_filter(f, rows[i].condition, rows[i].filter);
}

/* Bytes as the engine prints them, quotes, backslashes and all, are bytes again. */
static void test_bytes(void **state) {
  sql_session *f = *state;
  make_table(f);
  static const struct {
    const char *condition, *filter;
  } rows[] = {
      {"bin = '\\x80\\x00z'::BLOB", "bin = X'80007a'"},
      {"bin > 'a''\\x5C\"'::BLOB", "bin > X'61275c22'"},
      {"bin <= ''::BLOB", "bin <= X''"},
      {"bin IN ('a'::BLOB, '\\xFF'::BLOB)", "bin IN (X'61', X'ff')"},
      {"s::BLOB = 'a'::BLOB", "TRUE"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
    assert_filter(f, rows[i].condition, rows[i].filter);
}

/* The session's zone rules what a wall clock means. */
static void test_time_zone_of_the_session(void **state) {
  sql_session *f = *state;
  make_table(f);
  run(f, "SET TimeZone = 'Asia/Kolkata'");
  assert_filter(f, "ts = '2020-03-01'", "ts = '2020-02-29T18:30:00+00:00'");
  assert_filter(f, "ts = TIMESTAMPTZ '2020-03-01 00:00:00'", "ts = '2020-02-29T18:30:00+00:00'");
  assert_filter(f, "ts = TIMESTAMPTZ '1900-06-15 12:00:00+00'", "TRUE"); /* +05:21:10 then */
  assert_filter(f, "ts >= TIMESTAMP '2020-03-01'", "TRUE");
  assert_filter(f, "year(ts) = 2020", "TRUE");
  assert_filter(f, "n = '2020-03-01'", "n = '2020-03-01T00:00:00'");
  run(f, "RESET TimeZone");
  run(f, "INSERT INTO db.t (ts) VALUES (TIMESTAMPTZ '2020-03-01 00:00:00+00')");
  run(f, "SET TimeZone = 'Asia/Kolkata'");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE ts <> '2020-3-1'", "1");
}

static void test_collations_are_not_bytes(void **state) {
  sql_session *f = *state;
  make_table(f);
  run(f, "INSERT INTO db.t (s) VALUES ('A')");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE s = 'a' COLLATE NOCASE", "1");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE s IN ('b', 'a' COLLATE NOCASE)", "1");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE s COLLATE NOCASE = 'a'", "1");
  run(f, "SET default_collation = 'NOCASE'");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE s = 'a'", "1");
  run(f, "RESET default_collation");
  run(f, "PRAGMA default_collation = 'NOCASE'");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE s LIKE 'a' OR s = 'a'", "1");
}

static void test_like_with_wildcards_and_escapes(void **state) {
  sql_session *f = *state;
  make_table(f);
  run(f, "INSERT INTO db.t (s) VALUES ('a_c'), ('abc'), ('a%c'), (NULL)");
  assert_rows(f, "SELECT s FROM db.t WHERE s LIKE 'a\\_c' ESCAPE '\\'", "a_c");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE s LIKE 'a_c'", "3");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE s LIKE 'a\\_c'", "0");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE s NOT LIKE 'x%'", "3");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE NOT (s LIKE 'a%')", "0");
  assert_filter(f, "s LIKE 'ab%'", "s LIKE 'ab%'");
}

static void test_nulls_and_nan(void **state) {
  sql_session *f = *state;
  make_table(f);
  run(f,
      "INSERT INTO db.t (i, d, b) VALUES (NULL, NULL, NULL), (5, 'nan'::DOUBLE, true), "
      "(6, '-0.0'::DOUBLE, false)");
  run(f, "INSERT INTO db.t (i, d, b) VALUES (NULL, 'nan'::DOUBLE, NULL)");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE i <> 5", "1");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE i NOT IN (5, NULL)", "0");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE i IS DISTINCT FROM 5", "3");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE d > 1e308", "2");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE d = 'nan'::DOUBLE", "2");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE d = 0", "1");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE b", "1");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE NOT b", "1");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE st.x IS NULL", "4");
  /* engine: an all-null file whose statistics are misread */
  assert_rows(f, "SELECT count(*) FROM db.t WHERE b IS DISTINCT FROM true OR b < false", "3");
}

/* Partition values in manifests of before a column was widened keep their narrow form. */
static void test_partitions_by_columns_that_were_widened(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.w (f FLOAT, i INT, d DECIMAL(5,2)) PARTITIONED BY (f, i, d)");
  run(f, "INSERT INTO db.w VALUES ('1.5'::FLOAT, 7, 1.25), ('-2'::FLOAT, -7, -1.25)");
  run(f, "ALTER TABLE db.w ALTER COLUMN f TYPE DOUBLE");
  run(f, "ALTER TABLE db.w ALTER COLUMN i TYPE BIGINT");
  run(f, "ALTER TABLE db.w ALTER COLUMN d TYPE DECIMAL(12,2)");
  run(f, "INSERT INTO db.w VALUES (1.5, 7, 1.25)");
  assert_rows(f, "SELECT count(*) FROM db.w WHERE f = 1.5 AND i = 7 AND d = 1.25", "2");
  assert_rows(f, "SELECT count(*) FROM db.w WHERE f <> 1.5", "1");
  assert_rows(f, "SELECT count(*) FROM db.w WHERE f < 0 AND i < 0 AND d < 0", "1");
}

/* A constant that fails is the query's error only if a row meets it. */
static void test_constants_that_fail(void **state) {
  sql_session *f = *state;
  make_table(f);
  run(f, "INSERT INTO db.t (i) VALUES (1)");
  refuse(f, "SELECT * FROM db.t WHERE i = 'abc'", CALVE_EINVAL, "abc");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE i = 2 AND day = '2020-02-30'", "0");
  assert_rows(f, "SELECT count(*) FROM db.t", "1");
}

static void test_long_lists_are_evaluated_at_once(void **state) {
  sql_session *f = *state;
  make_table(f);
  run(f, "INSERT INTO db.t (i, day) VALUES (77, DATE '2020-01-01')");
  calve_buffer sql;
  calve_buffer_init(&sql, NULL);
  calve_buffer_puts(&sql, "SELECT count(*) FROM db.t WHERE i IN (-1");
  for (int i = 0; i < 10000; i++) calve_buffer_printf(&sql, ", %d", i);
  calve_buffer_puts(&sql, ") AND day IN (DATE '2019-01-01'");
  for (int i = 0; i < 1200; i++) calve_buffer_printf(&sql, ", DATE '2020-01-01' + %d", i);
  calve_buffer_puts(&sql, ")");
  assert_rows(f, calve_buffer_cstr(&sql), "1");
  calve_buffer_free(&sql);
}

static void test_deep_expressions_run(void **state) {
  sql_session *f = *state;
  make_table(f);
  run(f, "INSERT INTO db.t (s) VALUES ('a')");
  calve_buffer sql;
  calve_buffer_init(&sql, NULL);
  calve_buffer_puts(&sql, "SELECT count(*) FROM db.t WHERE s = 'a'");
  for (int i = 0; i < 120; i++) calve_buffer_puts(&sql, " || ''");
  assert_rows(f, calve_buffer_cstr(&sql), "1");
  calve_buffer_free(&sql);
}

int main(void) {
#define SESSION_TEST(test) cmocka_unit_test_setup_teardown(test, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      SESSION_TEST(test_numbers_of_other_types),
      SESSION_TEST(test_dates_beside_times),
      SESSION_TEST(test_bytes),
      SESSION_TEST(test_time_zone_of_the_session),
      SESSION_TEST(test_collations_are_not_bytes),
      SESSION_TEST(test_like_with_wildcards_and_escapes),
      SESSION_TEST(test_nulls_and_nan),
      SESSION_TEST(test_partitions_by_columns_that_were_widened),
      SESSION_TEST(test_constants_that_fail),
      SESSION_TEST(test_long_lists_are_evaluated_at_once),
      SESSION_TEST(test_deep_expressions_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
