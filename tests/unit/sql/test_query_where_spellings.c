/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions as people write them: how many files are opened, and whether all rows are found. */
#include "sql_session.h"

#define ROWS                                                                                      \
  "SELECT i AS id, CASE WHEN i % 7 = 0 THEN NULL ELSE i % 50 END AS k, ['de-berlin', 'de-bonn', " \
  "'fr-paris', 'us-nyc', 'us_x'][i % 5 + 1] AS region, (i * 1.25)::DECIMAL(9,2) AS amount, "      \
  "m::DATE AS d, m AS ts, m::TIMESTAMPTZ AS tz, i / 3.0 AS f, i % 2 = 0 AS flag FROM "            \
  "(SELECT i, TIMESTAMP '2025-12-20' + to_hours((i * 5)::BIGINT) AS m FROM range(100) t(i))"
#define COLUMNS                                                                                \
  "(id BIGINT NOT NULL, k INT, region STRING, amount DECIMAL(9,2), d DATE, ts TIMESTAMP_NTZ, " \
  "tz TIMESTAMP, f DOUBLE, flag BOOLEAN) "
#define NO_METRICS " TBLPROPERTIES ('write.metadata.metrics.default' = 'none')"

/* The same hundred rows four times: a file for each; by day and by month with no metrics at all, so
 * that partitions alone decide; and in the engine, as the full scan to compare with. */
static void make_tables(sql_session *f) {
  run(f, "CREATE TABLE db.files " COLUMNS "PARTITIONED BY (hours(ts))");
  run(f, "CREATE TABLE db.days " COLUMNS "PARTITIONED BY (days(ts), days(tz), days(d))" NO_METRICS);
  run(f, "CREATE TABLE db.months " COLUMNS
         "PARTITIONED BY (months(ts), months(tz), months(d))" NO_METRICS);
  run(f, "INSERT INTO db.files " ROWS);
  run(f, "INSERT INTO db.days " ROWS);
  run(f, "INSERT INTO db.months " ROWS);
  run(f, "CREATE TEMP TABLE scan AS " ROWS);
}

#define SESSION_TEST(function) \
  cmocka_unit_test_setup_teardown(function, setup_session, teardown_session)
#define NOTHING -1, -1, -1

/* Files that EXPLAIN says are kept; -1 when nothing was opened at all. */
static int files_kept(sql_session *f, const char *table, const char *where) {
  char sql[600];
  snprintf(sql, sizeof sql, "EXPLAIN SELECT * FROM db.%s WHERE %s", table, where);
  const char *plan = rows_of(f, sql), *of = strstr(plan, " files kept");
  if (strstr(plan, "manifests opened") == NULL) {
    if (!strstr(plan, "no row can meet it")) fail_msg("%s: %s", where, plan);
    return -1;
  }
  while (of > plan && of[-1] != '|') of--;
  return atoi(of);
}

static void check(sql_session *f, const char *table, const char *where, int kept) {
  char sql[600], want[200];
  int found = files_kept(f, table, where);
  if (found != kept) fail_msg("%s: %d files of db.%s are kept, not %d", where, found, table, kept);
  snprintf(sql, sizeof sql, "SELECT count(*), sum(id)::BIGINT FROM scan WHERE %s", where);
  snprintf(want, sizeof want, "%s", rows_of(f, sql));
  snprintf(sql, sizeof sql, "SELECT count(*), sum(id)::BIGINT FROM db.%s WHERE %s", table, where);
  const char *rows = rows_of(f, sql);
  if (strcmp(rows, want) != 0) fail_msg("%s: db.%s gives %s, not %s", where, table, rows, want);
}

static void test_spellings_reach_pruning(void **state) {
  sql_session *f = *state;
  static const struct {
    const char *where;
    int files, days, months; /* kept                                                            */
  } rows[] = {
      {"ts::date = '2026-01-01'", 5, 1, 1},
      {"ts::date = DATE '2026-01-01'", 5, 1, 1},
      {"CAST(ts AS DATE) BETWEEN '2026-01-01' AND '2026-01-02'", 10, 2, 1},
      {"CAST(tz AS DATE) = '2026-01-01'", 5, 1, 1},
      {"tz::date >= '2026-01-05'", 23, 5, 1},
      {"date_trunc('day', ts) = '2026-01-01'", 5, 1, 1},
      {"date_trunc('month', ts) = TIMESTAMP '2026-01-01'", 42, 9, 1},
      {"date_trunc('month', ts) = DATE '2026-01-01'", 42, 9, 1},
      {"date_trunc('year', ts) = '2026-01-01'", 42, 9, 1},
      {"date_trunc('hour', ts) = '2026-01-01 01:00:00'", 0, 1, 1},
      {"date_trunc('hour', ts) < '2025-12-21 01:00:00'", 5, 2, 1},
      {"date_trunc('week', ts) = '2025-12-22'", 100, 21, 2},
      {"date_trunc('month', d) = '2026-01-01'", 42, 9, 1},
      {"date_trunc('day', tz) = '2026-01-01'", 5, 1, 1},
      {"year(ts) = 2026", 42, 9, 1},
      {"year(ts) < 2026", 58, 12, 1},
      {"year(ts) IN (2025)", 58, 12, 1},
      {"year(d) = 2026", 42, 9, 1},
      {"year(tz) = 2026", 42, 9, 1},
      {"extract(year FROM ts) = 2026", 42, 9, 1},
      {"date_part('year', ts) = 2026", 42, 9, 1},
      {"datepart('year', ts) = 2026", 42, 9, 1},
      {"year(ts) = 2026 AND month(ts) = 1", 42, 9, 1},
      {"date(ts) = '2026-01-01'", 5, 1, 1},
      {"ts BETWEEN '2026-01-01' AND '2026-01-02'", 5, 2, 1},
      {"ts >= '2026-01-01' AND ts < '2026-01-02'", 5, 1, 1},
      {"ts > TIMESTAMP '2026-01-01' - INTERVAL 1 DAY AND ts < DATE '2026-01-02'", 10, 2, 2},
      {"ts >= '2026-01-01'::timestamp", 42, 9, 1},
      {"tz >= TIMESTAMPTZ '2026-01-01 02:00:00+02' AND tz < '2026-01-02 00:00:00+00'", 5, 1, 1},
      {"tz = '2026-01-01 01:00:00+01'", 0, 1, 1},
      {"id IN (1, 2, 3)", 3, 21, 2},
      {"id = 7", 1, 21, 2},
      {"id = 7.0", 1, 21, 2},
      {"id = 7.5", NOTHING},
      {"id > 7.5 AND id < 9", 1, 21, 2},
      {"id = '7'", 1, 21, 2},
      {"k = 3", 2, 21, 2},
      {"k IS NULL", 15, 21, 2},
      {"k IS NOT NULL AND k < 2", 3, 21, 2},
      {"k = 3000000000", NOTHING},
      {"k < 3000000000", 85, 21, 2},
      {"amount = 12.5", 1, 21, 2},
      {"amount > 120", 3, 21, 2},
      {"amount > 120.125", 3, 21, 2},
      {"amount IN (1.25, 2.5)", 2, 21, 2},
      {"region = 'de-bonn'", 20, 21, 2},
      {"region LIKE 'de-%'", 40, 21, 2},
      {"region LIKE 'us\\_x' ESCAPE '\\'", 20, 21, 2},
      {"region LIKE 'us_x'", 40, 21, 2},
      {"region LIKE 'us$_%' ESCAPE '$'", 20, 21, 2},
      {"region NOT LIKE 'de%'", 60, 21, 2},
      {"starts_with(region, 'fr')", 20, 21, 2},
      {"prefix(region, 'fr')", 20, 21, 2},
      {"region ^@ 'fr'", 20, 21, 2},
      {"region > 'us'", 40, 21, 2},
      {"f < 1.0", 3, 21, 2},
      {"f >= 33", 1, 21, 2},
      {"f > 1e0", 96, 21, 2},
      {"flag", 50, 21, 2},
      {"NOT flag", 50, 21, 2},
      {"flag = true", 50, 21, 2},
      {"flag IS TRUE", 50, 21, 2},
      {"d = '2026-01-01'", 5, 1, 1},
      {"d = '2026-01-01'::timestamp", 5, 1, 1},
      {"d BETWEEN '2026-01-01' AND '2026-01-03'", 14, 3, 1},
      {"d IN ('2026-01-01', '2026-01-02')", 10, 2, 1},
      {"d >= DATE '2026-01-01' + INTERVAL 3 DAY", 28, 6, 1},
      {"id + 1 = 3", 100, 21, 2},
      {"(ts::date = '2026-01-01' OR ts::date = '2026-01-03') AND id > 0", 9, 2, 1},
      {"NOT (ts < '2026-01-05')", 23, 5, 1},
      {"NOT (id <> 5)", 1, 21, 2},
      {"NOT (id < 5 OR id > 6)", 2, 21, 2},
      {"ts < '2026-01-01' AND ts > '2026-01-02'", NOTHING},
      {"id = 1 AND id = 2", NOTHING},
      {"id IN (1,2) AND id > 5", NOTHING},
      {"id > 5 AND id < 6", NOTHING},
      {"k IS NULL AND k = 3", NOTHING},
      {"k IS NULL AND k IS NOT NULL", NOTHING},
      {"1 = 0", NOTHING},
      {"false", NOTHING},
      {"id > 0 AND 1 = 0", NOTHING},
      {"1 = 1", 100, 21, 2},
      {"id > 5 OR id <= 5", 100, 21, 2},
      {"k > 5 OR k <= 5", 85, 21, 2},
      {"k IS NULL OR k IS NOT NULL", 100, 21, 2},
      {"k = NULL", NOTHING},
      {"k IN (NULL)", NOTHING},
      {"k <> 3", 83, 21, 2},
      {"k IS DISTINCT FROM 3", 98, 21, 2},
      {"id BETWEEN 3 AND 1", NOTHING},
      {"ts = '2026-01-01' AND year(ts) = 2025", NOTHING},
      {"ts::timestamp = '2026-01-01'", 0, 1, 1},
      {"ts::timestamptz = '2026-01-01'", 0, 1, 1},
      {"k::bigint = 3", 2, 21, 2},
      {"d::timestamp = '2026-01-01'", 5, 1, 1},
      {"ts AT TIME ZONE 'UTC' = '2026-01-01 00:00:00+00'", 0, 1, 1},
      {"tz AT TIME ZONE 'UTC' = '2026-01-01 00:00:00'", 0, 1, 1},
      {"year(ts) = 2026 OR year(ts) = 2025", 100, 21, 2},
      {"ts >= make_timestamp(2026,1,1,0,0,0)", 42, 9, 1},
      {"ts >= make_date(2026,1,1)", 42, 9, 1},
      {"list_contains([1,2,3], id)", 3, 21, 2},
      {"id IN [1,2,3]", 3, 21, 2},
      {"ts IN ('2026-01-01 00:00:00', '2026-01-02 01:00:00')", 0, 2, 1},
      {"ts::date IN ('2026-01-01', '2026-01-02')", 10, 2, 1},
      {"date_trunc('day', ts) IN (DATE '2026-01-01', DATE '2026-01-02')", 10, 2, 1},
      {"date_trunc('month', ts) BETWEEN '2026-01-01' AND '2026-02-01'", 42, 9, 1},
      {"bucket(16, id) = 3", 12, 21, 2},
      {"days(ts) < DATE '2026-01-01'", 58, 12, 1},
      {"years(ts) = 56", 42, 9, 1},
      {"months(ts) = 672", 42, 9, 1},
      {"truncate(3, region) = 'de-'", 40, 21, 2},
  };
  make_tables(f);
  /* Makes the transforms known to the engine, for queries on its own table. */
  rows_of(f, "SELECT days(DATE '2026-01-01')::VARCHAR");
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    check(f, "files", rows[i].where, rows[i].files);
    check(f, "days", rows[i].where, rows[i].days);
    check(f, "months", rows[i].where, rows[i].months);
  }
}

/* Ten thousand values are looked up by a binary search, and evaluated at once. */
static void test_long_lists(void **state) {
  sql_session *f = *state;
  calve_buffer where, sql;
  make_tables(f);
  calve_buffer_init(&where, NULL);
  calve_buffer_init(&sql, NULL);
  calve_buffer_puts(&where, "id IN (");
  for (int i = 0; i < 10000; i++) calve_buffer_printf(&where, "%s%d", i ? ", " : "", i * 7);
  calve_buffer_putc(&where, ')');
  for (int turn = 0; turn < 2; turn++) {
    calve_buffer_clear(&sql);
    calve_buffer_printf(&sql, "%sSELECT count(*) FROM db.files WHERE %s", turn ? "" : "EXPLAIN ",
                        calve_buffer_cstr(&where));
    if (turn == 0)
      assert_row(f, calve_buffer_cstr(&sql), "    15 of 100 files kept");
    else
      assert_rows(f, calve_buffer_cstr(&sql), "15");
  }
  calve_buffer_free(&where);
  calve_buffer_free(&sql);
}

/* A macro may be named like a function of the engine: then the name says nothing. */
static void test_macros_hide_functions(void **state) {
  sql_session *f = *state;
  make_tables(f);
  assert_rows(f, "SELECT count(*) FROM db.days WHERE year(ts) = 2025", "58");
  run(f, "CREATE TEMP MACRO year(x) AS 2025");
  run(f, "CREATE TEMP MACRO lower(x) AS 'us-nyc'");
  run(f, "CREATE TEMP MACRO starts_with(x, y) AS true");
  assert_rows(f, "SELECT count(*) FROM db.days WHERE year(ts) = 2025", "100");
  assert_rows(f, "SELECT count(*) FROM db.days WHERE starts_with(region, 'fr')", "100");
  assert_rows(f, "SELECT count(*) FROM db.files WHERE region = lower('DE-BONN')", "20");
  assert_rows(f, "SELECT count(*) FROM db.days WHERE ts::DATE = '2026-01-01'", "5");
}

/* In another zone the wall clock says nothing of partitions, and the transforms stay UTC's. */
static void test_time_zones(void **state) {
  sql_session *f = *state;
  make_tables(f);
  run(f, "SET TimeZone = 'Asia/Tokyo'");
  static const struct {
    const char *where;
    int kept, rows;
  } rows[] = {
      {"tz::DATE = '2026-01-01'", 21, 5},
      {"ts::DATE = '2026-01-01'", 1, 5},
      {"days(tz) = DATE '2026-01-01'", 1, 5},
      {"tz AT TIME ZONE 'UTC' < '2025-12-21'", 1, 5},
      {"ts::TIMESTAMPTZ < '2025-12-20'", 21, 0},
      {"tz >= '2026-01-01' AND tz < '2026-01-02'", 2, 5},
      {"tz >= '2026-01-01 00:00:00+09' AND tz < '2026-01-02 00:00:00+09'", 2, 5},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char sql[300], want[20];
    int kept = files_kept(f, "days", rows[i].where);
    snprintf(sql, sizeof sql, "SELECT count(*) FROM db.days WHERE %s", rows[i].where);
    snprintf(want, sizeof want, "%d", rows[i].rows);
    if (kept != rows[i].kept) fail_msg("%s: %d files kept", rows[i].where, kept);
    assert_rows(f, sql, want);
  }
}

static void test_transforms_as_functions(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (i INT, l BIGINT, s STRING, d DATE, ts TIMESTAMP_NTZ)");
  run(f,
      "INSERT INTO db.t VALUES (34, 34, 'iceberg', DATE '1969-12-31', "
      "TIMESTAMP '1969-12-31 23:59:59'), (NULL, NULL, NULL, NULL, NULL)");
  assert_rows(f,
              "SELECT concat_ws(' ', bucket(16, i), bucket(16, l), bucket(16, s), truncate(10, i), "
              "truncate(3, s), years(d), months(ts), days(ts), hours(ts)) FROM db.t "
              "WHERE i IS NOT NULL",
              "3 3 9 30 ice -1 -1 1969-12-31 -1");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE bucket(4, i) IS NULL AND days(d) IS NULL", "1");
  refuse(f, "SELECT bucket(0, i) FROM db.t", CALVE_EINVAL, "must be a number above 0");
  refuse(f, "SELECT bucket(i, l) FROM db.t", CALVE_EINVAL, "must be a number above 0");
  refuse(f, "SELECT years(s) FROM db.t", CALVE_EINVAL, "No function matches");
}

/* Each transform of each type that Iceberg allows gives what the table's partitions have. */
static void check_transform(sql_session *f, const char *type, const char *value,
                            const char *transform) {
  char sql[400], shown[200];
  bool cuts = strncmp(transform, "truncate", 8) == 0;
  run(f, "DROP TABLE IF EXISTS db.t");
  snprintf(sql, sizeof sql,
           "CREATE TABLE db.t (c %s) PARTITIONED BY (%s) TBLPROPERTIES ('format-version' = '3')",
           type, transform);
  run(f, sql);
  snprintf(sql, sizeof sql, "INSERT INTO db.t VALUES (%s)", value);
  run(f, sql);
  snprintf(sql, sizeof sql, "SELECT typeof(%s) = %s FROM db.t", transform,
           cuts                                 ? "typeof(c)"
           : strncmp(transform, "days", 4) == 0 ? "'DATE'"
                                                : "'INTEGER'");
  assert_rows(f, sql, "true");
  snprintf(sql, sizeof sql, "SELECT (%s)::VARCHAR FROM db.t", transform);
  snprintf(shown, sizeof shown, "%s", rows_of(f, sql));
  const char *partition = rows_of(
      f, "SELECT regexp_extract(partition::VARCHAR, ': \"?([^\"}]*)', 1) FROM db.t.partitions");
  if (strcmp(partition, shown) != 0)
    fail_msg("%s of %s: %s, the partition has %s", transform, type, shown, partition);
}

static void test_transforms_give_what_partitions_have(void **state) {
  static const struct {
    const char *type, *value, *transforms[6];
  } rows[] = {
      {"INT", "-34", {"bucket(16, c)", "truncate(10, c)"}},
      {"BIGINT", "34", {"bucket(16, c)", "truncate(10, c)"}},
      {"DECIMAL(4,2)", "14.20", {"bucket(16, c)", "truncate(50, c)"}},
      {"DECIMAL(9,2)", "-14.20", {"bucket(16, c)", "truncate(50, c)"}},
      {"DECIMAL(12,2)", "12345.67", {"bucket(16, c)", "truncate(100, c)"}},
      {"DECIMAL(18,0)", "-123456789012345678", {"bucket(16, c)", "truncate(100, c)"}},
      {"DECIMAL(38,10)", "-123456789012345678.0123456789", {"bucket(16, c)", "truncate(100, c)"}},
      {"DECIMAL(38,38)", "0.5", {"bucket(16, c)", "truncate(100, c)"}},
      {"DATE", "DATE '1969-12-31'", {"bucket(16, c)", "years(c)", "months(c)", "days(c)"}},
      {"TIME", "TIME '22:31:08'", {"bucket(16, c)"}},
      {"TIMESTAMP_NTZ",
       "TIMESTAMP '1969-12-31 22:31:08'",
       {"bucket(16, c)", "years(c)", "months(c)", "days(c)", "hours(c)"}},
      {"TIMESTAMP",
       "TIMESTAMPTZ '2017-11-16 14:31:08-08:00'",
       {"bucket(16, c)", "years(c)", "months(c)", "days(c)", "hours(c)"}},
      {"TIMESTAMP_NS",
       "'1969-12-31 22:31:08.000000001'::TIMESTAMP_NS",
       {"bucket(16, c)", "years(c)", "months(c)", "days(c)", "hours(c)"}},
      {"STRING", "'iceberg'", {"bucket(16, c)", "truncate(3, c)"}},
      {"UUID", "'f79c3e09-677c-4bbd-a479-3f349cb785e7'", {"bucket(16, c)"}},
      {"BINARY", "'\\x00\\x01\\xFE\\x03'::BLOB", {"bucket(16, c)", "truncate(3, c)"}},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
    for (size_t k = 0; rows[i].transforms[k]; k++)
      check_transform(*state, rows[i].type, rows[i].value, rows[i].transforms[k]);
}

static void test_truncate_of_decimals(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (m DECIMAL(12,2)) PARTITIONED BY (truncate(100, m))");
  run(f, "INSERT INTO db.t VALUES (12.34), (-0.01), (NULL)");
  assert_rows(f, "SELECT string_agg(truncate(100, m), ' ' ORDER BY m) FROM db.t", "-1.00 12.00");
  assert_int_equal(files_kept(f, "t", "truncate(100, m) = 12"), 1);
  assert_rows(f, "SELECT count(*) FROM db.t WHERE truncate(100, m) = 12", "1");
  /* What the engine widens by itself is widened still. */
  assert_rows(f,
              "SELECT concat_ws(' ', bucket(16, 34::TINYINT), bucket(16, 34::UINTEGER), "
              "bucket(16, 34::SMALLINT), truncate(10, (-4)::TINYINT), truncate(10, 34::USMALLINT))",
              "3 3 3 -10 30");
  refuse(f, "SELECT truncate(3, 1.5::DOUBLE)", CALVE_EINVAL, "truncate() takes whole numbers");
  refuse(f, "SELECT bucket(3, true)", CALVE_EINVAL, "bucket() takes whole numbers");
  refuse(f, "SELECT truncate(10, -9999.999::DECIMAL(7,3))", CALVE_EINVAL, "below what the type");
  /* A macro of the user's takes the name over. */
  run(f, "CREATE MACRO mine(a, b) AS truncate(a, b)");
  assert_rows(f, "SELECT mine(5, 1.2)::VARCHAR", "1.0");
  run(f, "CREATE MACRO truncate(a, b) AS a");
  assert_rows(f, "SELECT truncate(5, 1.2)::BIGINT", "5");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      SESSION_TEST(test_spellings_reach_pruning),
      SESSION_TEST(test_long_lists),
      SESSION_TEST(test_macros_hide_functions),
      SESSION_TEST(test_time_zones),
      SESSION_TEST(test_transforms_as_functions),
      SESSION_TEST(test_transforms_give_what_partitions_have),
      SESSION_TEST(test_truncate_of_decimals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
