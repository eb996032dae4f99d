/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that other implementations had (docs/field-reports.md), from statement to rows: each test
 * is the report's own reproduction with its right value. */
#include <inttypes.h>
#include <stdio.h>

#include "sql_session.h"

/* ---- partition values ----------------------------------------------------------------------- */

/* B001 */
static void test_instants_before_1970_are_found(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, ts TIMESTAMP_NTZ) PARTITIONED BY (days(ts))");
  run(f, "INSERT INTO db.t VALUES (1, '1969-12-25 05:06:07'), (2, '1969-12-31 23:59:59.999999'), "
         "(3, '0022-05-01 22:01:01')");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE ts = '1969-12-25 05:06:07'", "1");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE ts < '1969-12-31 00:00:00' ORDER BY 1", "1|3");
  assert_rows(f,
              "SELECT datediff('day', DATE '1970-01-01', partition.ts_day) FROM db.t.partitions "
              "ORDER BY 1",
              "-711372|-7|-1");
  run(f, "CREATE TABLE db.y (ts TIMESTAMP_NTZ) PARTITIONED BY (years(ts))");
  run(f, "INSERT INTO db.y VALUES ('1969-01-01 00:00:00'), ('1968-12-31 23:59:59.999999')");
  assert_rows(f, "SELECT partition.ts_year::BIGINT FROM db.y.partitions ORDER BY 1", "-2|-1");
}

/* B004: never wrapped: refused before a file is written; as a literal it prunes nothing wrongly. */
static void test_an_hour_beyond_int32_is_refused(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (x TIMESTAMP_NTZ) PARTITIONED BY (hours(x))");
  run(f, "INSERT INTO db.t VALUES ('2026-01-01 00:00:00')");
  refuse(f, "INSERT INTO db.t VALUES ('250000-01-01 00:00:00')", CALVE_EINVAL, "hour");
  assert_rows(f, "SELECT count(*) FROM db.t", "1");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE x > '2020-01-01 00:00:00'", "1");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE x < '250000-01-01 00:00:00'", "1");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE x > '250000-01-01 00:00:00'", "0");
}

/* B005: the partition is that of UTC in whatever zone the session is, and so is the predicate. */
static void test_no_zone_reaches_a_partition_value(void **state) {
  sql_session *f = *state;
  static const char *const zones[] = {"UTC", "Asia/Kolkata", "America/Los_Angeles"};
  run(f, "CREATE TABLE db.t (zone STRING, ts TIMESTAMP) PARTITIONED BY (days(ts))");
  for (int i = 0; i < 3; i++) {
    char sql[256];
    snprintf(sql, sizeof sql, "SET TimeZone = '%s'", zones[i]);
    run(f, sql);
    snprintf(sql, sizeof sql, "INSERT INTO db.t VALUES ('%s', '2023-12-31 20:00:00+00')", zones[i]);
    run(f, sql);
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM db.t WHERE ts = TIMESTAMPTZ '2024-01-01 01:30:00+05:30' AND "
             "zone = '%s'",
             zones[i]);
    assert_rows(f, sql, "1");
  }
  assert_rows(f, "SELECT partition.ts_day::VARCHAR, record_count FROM db.t.partitions",
              "2023-12-31,3");
}

/* B007, B008: the tuple is an int, the file is planned. */
static void test_buckets_of_uuids_and_strings_are_found(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (u UUID, s STRING) PARTITIONED BY (bucket(16, u), bucket(16, s))");
  run(f, "INSERT INTO db.t VALUES ('f79c3e09-677c-4bbd-a479-3f349cb785e7', '\U0001F4B0')");
  assert_rows(f, "SELECT partition.u_bucket::BIGINT, partition.s_bucket::BIGINT FROM db.t.files",
              "12,12");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE u = 'f79c3e09-677c-4bbd-a479-3f349cb785e7'", "1");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE s = '\U0001F4B0'", "1");
}

/* B010, B011, B013 */
static void test_truncated_negatives_are_found_or_refused(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (x INT) PARTITIONED BY (truncate(10, x))");
  run(f, "INSERT INTO db.t VALUES (-1), (-10), (-11), (1)");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE x = -1", "1");
  assert_rows(f, "SELECT partition.x_trunc::BIGINT, record_count FROM db.t.partitions ORDER BY 1",
              "-20,1|-10,2|0,1");
  run(f, "CREATE TABLE db.low (x INT) PARTITIONED BY (truncate(10000, x))");
  refuse(f, "INSERT INTO db.low VALUES (-2147483648)", CALVE_EINVAL, "truncate");
  assert_rows(f, "SELECT count(*) FROM db.low", "0");
  run(f, "CREATE TABLE db.exact (x INT) PARTITIONED BY (truncate(16, x))");
  run(f, "INSERT INTO db.exact VALUES (-2147483648)");
  assert_rows(f, "SELECT count(*) FROM db.exact WHERE x < 0", "1");
  run(f, "CREATE TABLE db.d (a DECIMAL(7, 3)) PARTITIONED BY (truncate(10, a))");
  refuse(f, "INSERT INTO db.d VALUES (-9999.999), (5)", CALVE_EINVAL, "decimal(7, 3)");
  run(f, "INSERT INTO db.d VALUES (-9999.990), (5)");
  assert_rows(f, "SELECT a::VARCHAR FROM db.d WHERE a < 0", "-9999.990");
  /* no digit is lost in the engine's narrow integers: -1 is in [-65536, 0), which 16 bits lack */
  run(f, "CREATE TABLE db.n (a DECIMAL(4, 0)) PARTITIONED BY (truncate(65536, a))");
  refuse(f, "INSERT INTO db.n VALUES (-1)", CALVE_EINVAL, "decimal(4, 0)");
  run(f, "INSERT INTO db.n VALUES (1)");
}

/* ---- specs ---------------------------------------------------------------------------------- */

/* B021: the field is an int where it was a bucket, null where it is void. */
static void test_partitions_over_a_bucket_and_its_void(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (s STRING) PARTITIONED BY (bucket(2, s)) "
         "TBLPROPERTIES ('format-version' = '1')");
  run(f, "INSERT INTO db.t VALUES ('a')");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD s_bucket");
  run(f, "INSERT INTO db.t VALUES ('b')");
  assert_rows(f, "SELECT spec_id::BIGINT, partition.s_bucket::BIGINT, record_count "
                 "FROM db.t.partitions ORDER BY 1",
              "0,0,1|1,NULL,1");
  assert_rows(f, "SELECT s FROM db.t WHERE s >= 'a' ORDER BY 1", "a|b");
}

/* B023: each file's rest of the condition comes from its own spec. */
static void test_a_field_added_later_filters_no_older_file(void **state) {
  sql_session *f = *state;
  static const char *const terms[] = {"dt", "truncate(1, dt)", "bucket(4, dt)"};
  for (int i = 0; i < 3; i++) {
    char sql[128];
    run(f, "CREATE TABLE db.t (dt STRING, x INT)");
    run(f, "INSERT INTO db.t VALUES ('a', 1), ('b', 2)");
    snprintf(sql, sizeof sql, "ALTER TABLE db.t ADD PARTITION FIELD %s", terms[i]);
    run(f, sql);
    run(f, "INSERT INTO db.t VALUES ('a', 3), ('b', 4)");
    assert_rows(f, "SELECT x::BIGINT FROM db.t WHERE dt = 'a' ORDER BY 1", "1|3");
    assert_row(f, "EXPLAIN SELECT x FROM db.t WHERE dt = 'a'", "    2 of 3 files kept");
    run(f, "DROP TABLE db.t PURGE");
  }
}

/* B025 */
static void test_partitions_that_differ_by_spec_only_are_told_apart(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (c STRING, d STRING, e STRING) PARTITIONED BY (c)");
  run(f, "INSERT INTO db.t SELECT NULL, NULL, NULL FROM range(3)");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD d");
  run(f, "INSERT INTO db.t SELECT NULL, NULL, NULL FROM range(5)");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD e");
  run(f, "INSERT INTO db.t SELECT NULL, NULL, NULL FROM range(7)");
  assert_rows(f, "SELECT spec_id::BIGINT, record_count FROM db.t.partitions ORDER BY 1",
              "0,3|1,5|2,7");
}

/* Overwrites the only place of a file that holds `from` with `to`, as long as it. */
static void edit_file(const char *path, const char *from, const char *to) {
  static char bytes[1 << 16];
  FILE *file = fopen(path, "r+");
  assert_non_null(file);
  size_t size = fread(bytes, 1, sizeof bytes, file), at = 0;
  assert_int_equal(strlen(from), strlen(to));
  while (at + strlen(from) <= size && memcmp(bytes + at, from, strlen(from)) != 0) at++;
  assert_true(at + strlen(from) <= size);
  assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
  assert_int_equal(fwrite(to, 1, strlen(to), file), strlen(to));
  fclose(file);
}

/* B030: a day is a date in the partition and in the path, also where a manifest has it as a plain
 * int; both are one partition, and go into one manifest. */
static void test_days_are_dates_however_they_were_written(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, ts TIMESTAMP) PARTITIONED BY (days(ts)) "
         "TBLPROPERTIES ('commit.manifest-merge.enabled' = 'false')");
  run(f, "INSERT INTO db.t VALUES (1, '2024-01-15 10:00:00+00')");
  const char *manifest = rows_of(f, "SELECT path FROM db.t.manifests");
  edit_file(manifest + strlen("file://"), "\"logicalType\":\"date\"", "\"ignoredProp\":\"date\"");
  run(f, "INSERT INTO db.t VALUES (2, '2024-01-15 11:00:00+00'), (3, '2024-01-16 00:00:00+00')");
  const char *partitions = "SELECT partition.ts_day::VARCHAR, record_count FROM db.t.partitions "
                           "ORDER BY 1";
  assert_rows(f, partitions, "2024-01-15,2|2024-01-16,1");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE ts >= '2024-01-15 10:30:00+00' ORDER BY 1",
              "2|3");
  assert_row(f, "EXPLAIN SELECT * FROM db.t WHERE ts >= '2024-01-16 00:00:00+00'",
             "    1 of 3 files kept");
  run(f, "ALTER TABLE db.t SET TBLPROPERTIES ('commit.manifest-merge.enabled' = 'true', "
         "'commit.manifest.min-count-to-merge' = '2')");
  run(f, "INSERT INTO db.t VALUES (4, '2024-01-17 00:00:00+00')");
  assert_rows(f, "SELECT count(*) FROM db.t.manifests", "1");
  assert_rows(f, partitions, "2024-01-15,2|2024-01-16,1|2024-01-17,1");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE ts < '2024-01-16 00:00:00+00' ORDER BY 1",
              "1|2");
  assert_rows(f, "SELECT count(*) FROM db.t.files WHERE file_path LIKE '%/ts_day=2024-01-15/%'",
              "2");
}

/* B031, B032: odd names and values go to disk and come back. */
static void test_odd_partition_names_and_values_come_back(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (data STRUCT<id: STRING>, n INT) PARTITIONED BY (data.id, "
         "bucket(25, n) AS `my!int:bucket`, n AS `815d_day`, truncate(3, n) AS `x#y`)");
  static const char *const values[] = {"( )", "a/b", "a=b", "", "100%", "\u00fc", "a b+c"};
  for (int i = 0; i < 7; i++) {
    char sql[256];
    snprintf(sql, sizeof sql, "INSERT INTO db.t VALUES ({'id': '%s'}, %d)", values[i], i);
    run(f, sql);
    snprintf(sql, sizeof sql, "SELECT n::BIGINT FROM db.t WHERE data.id = '%s'", values[i]);
    char want[8];
    snprintf(want, sizeof want, "%d", i);
    assert_rows(f, sql, want);
  }
  assert_rows(f, "SELECT count(*) FROM db.t.files WHERE file_path LIKE "
                 "'%/data.id=%28+%29/my%21int%3Abucket=%/815d_day=0/x%23y=0/%'",
              "1");
  assert_rows(f, "SELECT count(*) FROM db.t.files WHERE file_path LIKE '%/data.id=a%2Fb/%'", "1");
}

/* B033: SQL's three values in SQL. */
static void test_null_partitions(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (dt STRING, x INT) PARTITIONED BY (dt)");
  run(f, "INSERT INTO db.t VALUES (NULL, 1), ('a', 2), (NULL, 3), ('b', 4)");
  assert_rows(f, "SELECT x::BIGINT FROM db.t WHERE dt IS NULL ORDER BY 1", "1|3");
  assert_rows(f, "SELECT x::BIGINT FROM db.t WHERE dt = 'b'", "4");
  assert_rows(f, "SELECT x::BIGINT FROM db.t WHERE dt <> 'a'", "4");
  assert_rows(f, "SELECT x::BIGINT FROM db.t WHERE dt NOT IN ('a')", "4");
  assert_rows(f, "SELECT count(*) FROM db.t", "4");
  run(f, "CREATE TABLE db.b (dt STRING) PARTITIONED BY (bucket(8, dt))");
  run(f, "INSERT INTO db.b VALUES (NULL)");
  assert_rows(f, "SELECT partition.dt_bucket::BIGINT FROM db.b.files", "NULL");
}

/* B015: the file of the old spec can be replaced too. */
static void test_a_spec_without_its_source_does_not_hold_files_back(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, trip_id INT, distance INT) "
         "PARTITIONED BY (bucket(8, trip_id))");
  run(f, "INSERT INTO db.t VALUES (1, 1, 10)");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD bucket(8, trip_id) WITH bucket(4, distance)");
  run(f, "ALTER TABLE db.t DROP COLUMN trip_id");
  run(f, "INSERT INTO db.t VALUES (2, 20)");
  assert_rows(f, "SELECT partition.trip_id_bucket::BIGINT FROM db.t.partitions WHERE spec_id = 0",
              "4");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE distance = 10", "1");
  run(f, "INSERT OVERWRITE db.t SELECT id, distance FROM db.t");
  assert_rows(f, "SELECT id::BIGINT, distance::BIGINT FROM db.t ORDER BY 1", "1,10|2,20");
  assert_rows(f, "SELECT count(*) FROM db.t.files WHERE spec_id = 0", "0");
}

/* ---- schemas -------------------------------------------------------------------------------- */

/* What another engine did to the table. */
static void commit_schema(sql_session *f, const char *name, const calve_field *fields,
                          int32_t count, int32_t last_id) {
  calve_error err;
  calve_table *table = load_table(f, name);
  calve_type root = {.id = CALVE_STRUCT, .field_count = count, .fields = fields};
  const calve_schema *schema;
  assert_ok(calve_schema_make(1, &root, NULL, 0, &f->arena, &schema, &err), &err);
  calve_change list[] = {{.kind = CALVE_ADD_SCHEMA, .schema = schema, .id = last_id},
                         {.kind = CALVE_SET_CURRENT_SCHEMA, .id = -1}};
  calve_changes changes = {.change_count = 2, .changes = list};
  assert_ok(calve_table_commit_changes(table, &changes, &err), &err);
  calve_table_close(table);
}

/* B040 */
static void test_a_required_column_that_files_lack_is_told(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT)");
  run(f, "INSERT INTO db.t VALUES (1)");
  refuse(f, "ALTER TABLE db.t ADD COLUMN x INT NOT NULL", CALVE_EINVAL, "default");
  const calve_field fields[] = {
      {.id = 1, .name = CALVE_STR("id"), .type = calve_type_of(CALVE_INT)},
      {.id = 2, .name = CALVE_STR("x"), .type = calve_type_of(CALVE_INT), .required = true}};
  commit_schema(f, "t", fields, 2, 2);
  assert_rows(f, "SELECT id::BIGINT FROM db.t", "1");
  refuse(f, "SELECT x FROM db.t", CALVE_EINVAL, "column x (field id 2, int) is required");
}

/* B044: such a table loads, is listed and evolves; the engine can't tell the two apart. */
static void test_columns_that_differ_by_case_only(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT)");
  run(f, "INSERT INTO db.t VALUES (1)");
  const calve_field fields[] = {
      {.id = 1, .name = CALVE_STR("id"), .type = calve_type_of(CALVE_INT)},
      {.id = 2, .name = CALVE_STR("Col"), .type = calve_type_of(CALVE_INT)},
      {.id = 3, .name = CALVE_STR("COL"), .type = calve_type_of(CALVE_INT)}};
  commit_schema(f, "t", fields, 3, 3);
  assert_rows(f, "SHOW COLUMNS IN db.t", "id|Col|COL");
  refuse(f, "ALTER TABLE db.t RENAME COLUMN col TO other", CALVE_ENOTFOUND, "col");
  run(f, "ALTER TABLE db.t RENAME COLUMN COL TO other");
  assert_rows(f, "SELECT id::BIGINT, Col::BIGINT, other::BIGINT FROM db.t", "1,NULL,NULL");
  refuse(f, "ALTER TABLE db.t ADD COLUMNS (column INT, COLUMN INT)", CALVE_EEXISTS, "COLUMN");
}

/* B045: values and bounds of before are found as what they are now. */
static void test_promoted_columns_are_found(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (x INT, d FLOAT, p INT) PARTITIONED BY (p)");
  run(f, "INSERT INTO db.t VALUES (42, 1.5, 42)");
  run(f, "INSERT INTO db.t VALUES (-7, 0.1, -7)");
  run(f, "ALTER TABLE db.t ALTER COLUMN x TYPE BIGINT, d TYPE DOUBLE, p TYPE BIGINT");
  run(f, "INSERT INTO db.t VALUES (5000000000, 0.1, 5000000000)");
  assert_rows(f, "SELECT x FROM db.t WHERE x = 42", "42");
  assert_rows(f, "SELECT x FROM db.t WHERE x < 0", "-7");
  assert_rows(f, "SELECT x FROM db.t WHERE x > 4000000000", "5000000000");
  assert_rows(f, "SELECT x FROM db.t WHERE p < 0", "-7");
  assert_rows(f, "SELECT x FROM db.t WHERE p > 4000000000", "5000000000");
  assert_rows(f, "SELECT x FROM db.t WHERE d = 1.5::DOUBLE", "42");
  assert_rows(f, "SELECT x FROM db.t WHERE d = 0.1::DOUBLE", "5000000000");
  assert_row(f, "EXPLAIN SELECT x FROM db.t WHERE x > 4000000000", "    1 of 3 files kept");
}

/* B047, B050 */
static void test_decimals_and_strings_are_bounded_right(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (x DECIMAL(5, 2))");
  run(f, "INSERT INTO db.t VALUES (-5), (-5), (-5)");
  run(f, "ALTER TABLE db.t ALTER COLUMN x TYPE DECIMAL(20, 2)");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE x = -5.00", "3");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE x < 0", "3");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE x <= -5.00", "3");
  run(f, "CREATE TABLE db.w (x DECIMAL(7, 2), y DECIMAL(10, 3))");
  run(f, "INSERT INTO db.w VALUES (-9969.53, 10.230), (12.50, 10.230)");
  assert_rows(f, "SELECT x::VARCHAR FROM db.w WHERE x < 0", "-9969.53");
  assert_rows(f, "SELECT count(*) FROM db.w WHERE y = 10.23", "2");
  run(f, "CREATE TABLE db.s (s STRING)");
  run(f, "INSERT INTO db.s VALUES ('\uff5e'), ('\U0001F600')");
  assert_rows(f, "SELECT count(*) FROM db.s WHERE s = '\U0001F600'", "1");
  assert_rows(f, "SELECT s FROM db.s WHERE s > '\uff5e'", "\U0001F600");
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      T(test_instants_before_1970_are_found),
      T(test_an_hour_beyond_int32_is_refused),
      T(test_no_zone_reaches_a_partition_value),
      T(test_buckets_of_uuids_and_strings_are_found),
      T(test_truncated_negatives_are_found_or_refused),
      T(test_partitions_over_a_bucket_and_its_void),
      T(test_a_field_added_later_filters_no_older_file),
      T(test_partitions_that_differ_by_spec_only_are_told_apart),
      T(test_days_are_dates_however_they_were_written),
      T(test_odd_partition_names_and_values_come_back),
      T(test_null_partitions),
      T(test_a_spec_without_its_source_does_not_hold_files_back),
      T(test_a_required_column_that_files_lack_is_told),
      T(test_columns_that_differ_by_case_only),
      T(test_promoted_columns_are_found),
      T(test_decimals_and_strings_are_bounded_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
