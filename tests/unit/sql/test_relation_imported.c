/* SPDX-License-Identifier: Apache-2.0 */
/* Tables whose first files came from Hive: Parquet without field ids, partition columns only in the
 * folders' names. They are read through SQL after the table has evolved in every way. */
#include <inttypes.h>
#include <stdio.h>

#include "commit/snapshot_update.h"
#include "sql_session.h"

#define MAPPING                                                                                 \
  "[{\"field-id\":1,\"names\":[\"id\"]},{\"field-id\":2,\"names\":[\"name\",\"nm\"]},"          \
  "{\"field-id\":3,\"names\":[\"st\"],\"fields\":[{\"field-id\":6,\"names\":[\"a\"]},"          \
  "{\"field-id\":7,\"names\":[\"b\"]}]}]"

/* Commits one file as the caller of the C API does, under spec 0. */
static void add_file(sql_session *f, const char *table_name, const char *path, int64_t records,
                     const calve_value *tuple, int32_t tuple_count) {
  calve_error err;
  calve_snapshot_update *update;
  calve_table *table = load_table(f, table_name);
  calve_data_file file = calve_data_file_blank();
  char full[512];
  snprintf(full, sizeof full, "file://%s/%s", f->dir, path);
  file.path = calve_str_of(full);
  file.format = CALVE_STR("PARQUET");
  file.record_count = records;
  file.file_size_bytes = 1; /* nobody relies on it */
  file.partition = tuple;
  file.partition_count = tuple_count;
  assert_ok(calve_snapshot_update_make(NULL, &update, &err), &err);
  assert_ok(calve_snapshot_update_add(update, &file, &err), &err);
  assert_ok(calve_table_commit_update(table, update, &err), &err);
  calve_snapshot_update_free(update);
  calve_table_close(table);
}

static void copy(sql_session *f, const char *query, const char *path, const char *options) {
  char sql[1024];
  snprintf(sql, sizeof sql, "COPY (%s) TO '%s/%s' (FORMAT parquet%s)", query, f->dir, path,
           options);
  run(f, sql);
}

static int64_t current_snapshot(sql_session *f, const char *table_name) {
  calve_table *table = load_table(f, table_name);
  int64_t id = calve_table_metadata(table)->current_snapshot_id;
  calve_table_close(table);
  return id;
}

static void assert_property(sql_session *f, const char *key, const char *want) {
  char sql[256];
  snprintf(sql, sizeof sql, "SHOW TBLPROPERTIES db.t ('%s')", key);
  const char *got = rows_of(f, sql);
  if (strcmp(got + strlen(key) + 1, want) == 0) return;
  print_error("%s\n  expected %s\n", got, want);
  fail();
}

/* Two files of a Hive table that is partitioned by dt and region. */
static void import(sql_session *f) {
  char sql[1024];
  snprintf(sql, sizeof sql,
           "CREATE TABLE db.t (id INT, name STRING, st STRUCT<a: INT, b: STRING>, dt DATE, "
           "region STRING) PARTITIONED BY (dt, region) "
           "TBLPROPERTIES ('schema.name-mapping.default' = '%s')",
           MAPPING);
  run(f, sql);
  copy(f, "SELECT 'x' AS nm, 1 AS id, {'b': 'p', 'a': 10} AS st", "one.parquet", "");
  copy(f, "SELECT {'a': 20, 'b': 'q'} AS st, 2 AS id, 'y' AS name, 5 AS junk", "two.parquet",
       "");
  const calve_value one[] = {{.type = CALVE_DATE, .i32 = 20454},
                             {.type = CALVE_STRING, .bytes = CALVE_STR("north")}};
  const calve_value two[] = {{.type = CALVE_DATE, .i32 = 20455},
                             {.type = CALVE_STRING, .is_null = true}};
  add_file(f, "t", "one.parquet", 1, one, 2);
  add_file(f, "t", "two.parquet", 1, two, 2);
}

/* B037, B039: names of any age in any order, values from the folders; columns follow renames. */
static void test_imported_files_are_read_after_evolution(void **state) {
  sql_session *f = *state;
  import(f);
  char sql[512];
  int64_t then = current_snapshot(f, "t");
  assert_rows(f, "SELECT id::BIGINT, name, st.a::BIGINT, st.b, dt::VARCHAR, region FROM db.t "
                 "ORDER BY id",
              "1,x,10,p,2026-01-01,north|2,y,20,q,2026-01-02,NULL");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE region = 'north'", "1");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE region IS NULL", "2");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE dt > '2026-01-01'", "2");
  assert_row(f, "EXPLAIN SELECT id FROM db.t WHERE dt > '2026-01-01'",
             "    1 of 2 manifests opened");

  run(f, "ALTER TABLE db.t RENAME COLUMN name TO label");
  run(f, "ALTER TABLE db.t RENAME COLUMN st.a TO z");
  run(f, "ALTER TABLE db.t RENAME COLUMN region TO area");
  run(f, "ALTER TABLE db.t RENAME COLUMN dt TO day");
  run(f, "ALTER TABLE db.t ALTER COLUMN id TYPE BIGINT");
  run(f, "ALTER TABLE db.t ALTER COLUMN st.b FIRST");
  run(f, "ALTER TABLE db.t ADD COLUMN st.c INT FIRST");
  assert_property(f, "schema.name-mapping.default",
                  "[{\"field-id\":1,\"names\":[\"id\"]},"
                  "{\"field-id\":2,\"names\":[\"name\",\"nm\",\"label\"]},"
                  "{\"field-id\":3,\"names\":[\"st\"],\"fields\":["
                  "{\"field-id\":6,\"names\":[\"a\",\"z\"]},{\"field-id\":7,\"names\":[\"b\"]},"
                  "{\"field-id\":8,\"names\":[\"c\"]}]}]");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD day WITH months(day)");
  run(f, "INSERT INTO db.t VALUES (3, 'new', {'c': 1, 'b': 'r', 'z': 30}, '2026-02-03', 'south')");
  assert_rows(f, "SELECT id, label, st.c::BIGINT, st.b, st.z::BIGINT, day::VARCHAR, area FROM db.t "
                 "ORDER BY id",
              "1,x,NULL,p,10,2026-01-01,north|2,y,NULL,q,20,2026-01-02,NULL|"
              "3,new,1,r,30,2026-02-03,south");
  assert_rows(f, "SELECT id FROM db.t WHERE day >= '2026-01-02' AND label <> 'x' ORDER BY id",
              "2|3");
  assert_rows(f, "SELECT id FROM db.t WHERE area = 'north' AND st.z = 10", "1");

  /* With its partition field gone the column still takes its values from the old tuples. */
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD region");
  run(f, "INSERT INTO db.t (id, area) VALUES (4, 'east')");
  assert_rows(f, "SELECT id, area FROM db.t ORDER BY id", "1,north|2,NULL|3,south|4,east");
  snprintf(sql, sizeof sql,
           "SELECT id::BIGINT, name, st.a::BIGINT, dt::VARCHAR, region FROM db.t "
           "FOR VERSION AS OF %" PRId64 " WHERE region = 'north' OR name = 'y' ORDER BY id",
           then);
  assert_rows(f, sql, "1,x,10,2026-01-01,north|2,y,20,2026-01-02,NULL");
}

/* B035, B039: a dropped column is gone with its values in the tuples too. */
static void test_a_dropped_partition_column_does_not_come_back_by_its_name(void **state) {
  sql_session *f = *state;
  import(f);
  char sql[256];
  int64_t then = current_snapshot(f, "t");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD region");
  run(f, "ALTER TABLE db.t DROP COLUMN region");
  run(f, "ALTER TABLE db.t ADD COLUMN region STRING");
  run(f, "INSERT INTO db.t (id, region) VALUES (3, 'north')");
  assert_rows(f, "SELECT id::BIGINT, region FROM db.t ORDER BY id", "1,NULL|2,NULL|3,north");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE region = 'north'", "3");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE region IS NULL ORDER BY id", "1|2");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD region AS area");
  run(f, "INSERT INTO db.t (id, region) VALUES (4, 'south')");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE region = 'south'", "4");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE region <> 'south'", "3");
  snprintf(sql, sizeof sql, "SELECT id::BIGINT FROM db.t FOR VERSION AS OF %" PRId64
                            " WHERE region = 'north'", then);
  assert_rows(f, sql, "1");
}

/* B038: the reader obeys the mapping, and a column that takes a name takes it from whoever had it;
 * the statement says so. */
static void test_a_name_in_files_without_ids_goes_to_who_has_it_now(void **state) {
  sql_session *f = *state;
  import(f);
  run(f, "ALTER TABLE db.t DROP COLUMN name");
  assert_rows(f, "SELECT id::BIGINT FROM db.t ORDER BY id", "1|2");
  calve_error err;
  calve_result *r = NULL;
  assert_ok(try_run(f, "ALTER TABLE db.t ADD COLUMN name STRING", &r, &err), &err);
  assert_int_equal(calve_result_warning_count(r), 1);
  assert_null(calve_result_warning(r, 1));
  assert_non_null(strstr(calve_result_warning(r, 0),
                         "\"name\" is from now on column 8, and no longer column 2"));
  calve_result_free(r);
  assert_rows(f, "SELECT id::BIGINT, name FROM db.t ORDER BY id", "1,NULL|2,y");
}

/* Columns are never guessed by their place. */
static void test_files_without_ids_and_mapping_are_refused(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.u (id INT, name STRING)");
  copy(f, "SELECT 1 AS id, 'x' AS name", "plain.parquet", "");
  add_file(f, "u", "plain.parquet", 1, NULL, 0);
  refuse(f, "SELECT * FROM db.u", CALVE_EINVAL, "plain.parquet");
  refuse(f, "SELECT count(id) FROM db.u", CALVE_EINVAL, "schema.name-mapping.default");
  run(f, "ALTER TABLE db.u SET TBLPROPERTIES ('schema.name-mapping.default' = "
         "'[{\"field-id\": 1, \"names\": [\"id\"]}, {\"field-id\": 2, \"names\": [\"name\"]}]')");
  assert_rows(f, "SELECT id::BIGINT, name FROM db.u", "1,x");
  refuse(f, "ALTER TABLE db.u SET TBLPROPERTIES ('schema.name-mapping.default' = '{')",
         CALVE_EINVAL, "name-mapping");
}

/* B035, B042: at every depth a name that was dropped and comes back is another column; files of all
 * generations are read side by side, and each earlier state under its own names. */
static void test_names_come_back_empty_at_every_depth(void **state) {
  sql_session *f = *state;
  char sql[512];
  run(f, "CREATE TABLE db.t (id INT, s STRUCT<x: INT, y: INT>, l ARRAY<STRUCT<x: INT, y: INT>>, "
         "m MAP<STRING, STRUCT<x: INT, y: INT>>, d STRUCT<e: ARRAY<STRUCT<x: INT, y: INT>>>)");
  run(f, "INSERT INTO db.t VALUES (1, {'x': 1, 'y': 2}, [{'x': 1, 'y': 2}], "
         "MAP {'k': {'x': 1, 'y': 2}}, {'e': [{'x': 1, 'y': 2}]})");
  int64_t then = current_snapshot(f, "t");
  static const char *const holders[] = {"s", "l.element", "m.value", "d.e.element"};
  for (int i = 0; i < 4; i++) {
    snprintf(sql, sizeof sql, "ALTER TABLE db.t DROP COLUMN %s.x", holders[i]);
    run(f, sql);
    snprintf(sql, sizeof sql, "ALTER TABLE db.t RENAME COLUMN %s.y TO x", holders[i]);
    run(f, sql);
    snprintf(sql, sizeof sql, "ALTER TABLE db.t ADD COLUMN %s.y INT FIRST", holders[i]);
    run(f, sql);
  }
  run(f, "INSERT INTO db.t VALUES (2, {'y': 7, 'x': 8}, [{'y': 7, 'x': 8}], "
         "MAP {'k': {'y': 7, 'x': 8}}, {'e': [{'y': 7, 'x': 8}]})");
  const char *columns = "id::BIGINT, s::VARCHAR, l::VARCHAR, m::VARCHAR, d::VARCHAR";
  snprintf(sql, sizeof sql, "SELECT %s FROM db.t ORDER BY id", columns);
  assert_rows(f, sql,
              "1,{'y': NULL, 'x': 2},[{'y': NULL, 'x': 2}],{k={'y': NULL, 'x': 2}},"
              "{'e': [{'y': NULL, 'x': 2}]}|"
              "2,{'y': 7, 'x': 8},[{'y': 7, 'x': 8}],{k={'y': 7, 'x': 8}},"
              "{'e': [{'y': 7, 'x': 8}]}");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE s.x = 1", "");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE s.x = 2", "1");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE s.y IS NULL", "1");
  snprintf(sql, sizeof sql, "SELECT %s FROM db.t FOR VERSION AS OF %" PRId64 " WHERE s.x = 1",
           columns, then);
  assert_rows(f, sql,
              "1,{'x': 1, 'y': 2},[{'x': 1, 'y': 2}],{k={'x': 1, 'y': 2}},"
              "{'e': [{'x': 1, 'y': 2}]}");
}

/* B027: each spec is planned by its own fields, found by column id whatever the names are now. */
static void test_source_columns_that_change_names_are_planned_by_id(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, c STRING) PARTITIONED BY (c)");
  run(f, "INSERT INTO db.t VALUES (1, 'a'), (2, 'b')");
  run(f, "ALTER TABLE db.t RENAME COLUMN c TO old");
  run(f, "ALTER TABLE db.t RENAME PARTITION FIELD c TO old");
  run(f, "ALTER TABLE db.t ADD COLUMN c STRING");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD c");
  run(f, "INSERT INTO db.t VALUES (3, 'a', 'b'), (4, 'b', 'a')");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE old = 'a' ORDER BY id", "1|3");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE c = 'a'", "4");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE c IS NULL ORDER BY id", "1|2");
  assert_row(f, "EXPLAIN SELECT * FROM db.t WHERE old = 'a'", "    2 of 4 files kept");
  assert_row(f, "EXPLAIN SELECT * FROM db.t WHERE c = 'a'", "    3 of 4 files kept");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD old");
  run(f, "ALTER TABLE db.t DROP COLUMN old");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE c = 'a'", "4");
  assert_rows(f, "SELECT id::BIGINT, c FROM db.t ORDER BY id", "1,NULL|2,NULL|3,b|4,a");
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      T(test_imported_files_are_read_after_evolution),
      T(test_a_dropped_partition_column_does_not_come_back_by_its_name),
      T(test_a_name_in_files_without_ids_goes_to_who_has_it_now),
      T(test_files_without_ids_and_mapping_are_refused),
      T(test_names_come_back_empty_at_every_depth),
      T(test_source_columns_that_change_names_are_planned_by_id),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
