/* SPDX-License-Identifier: Apache-2.0 */
/* DESCRIBE EXTENDED: partitions with their sizes, and what is wrong with how rows are spread. */
#include "sql_session.h"

static bool describes(sql_session *f, const char *part) {
  return strstr(rows_of(f, "DESCRIBE EXTENDED db.t"), part) != NULL;
}

static void test_partitions_of_all_specs_are_listed(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP, c STRING) PARTITIONED BY (months(ts), c)");
  run(f, "INSERT INTO db.t VALUES (1, TIMESTAMPTZ '2026-03-01 00:00:00+00', 'a'), "
         "(2, TIMESTAMPTZ '2026-03-02 00:00:00+00', 'a'), (3, NULL, NULL)");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD c");
  run(f, "INSERT INTO db.t VALUES (4, TIMESTAMPTZ '1969-12-31 00:00:00+00', 'b')");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD ts_month");
  run(f, "INSERT INTO db.t SELECT 5, NULL, 'c'");
  assert_true(describes(f, "# partitions,4,4 files, 5 rows, "));
  assert_true(describes(f, "# partition,ts_month=2026-03, c=a,1 file, 2 rows, "));
  assert_true(describes(f, "# partition,ts_month=null, c=null,1 file, 1 row, "));
  assert_true(describes(f, "# partition,ts_month=1969-12,1 file, 1 row, "));
  assert_true(describes(f, "# partition,not partitioned,1 file, 1 row, "));
  assert_true(describes(f, " (spec 2)"));
  assert_false(describes(f, "# warning"));
}

static void test_an_empty_table_has_no_partitions(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT) PARTITIONED BY (id)");
  assert_false(describes(f, "# partitions"));
}

static void test_tiny_files_and_many_values_are_warned_of(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT) PARTITIONED BY (id)");
  run(f, "INSERT INTO db.t SELECT * FROM range(1001)");
  assert_true(describes(f, "# partitions,1001,1001 files, 1001 rows, "));
  assert_true(describes(f, "# warning,1001 files are tiny: "));
  assert_true(describes(f, "Most are alone in their partition"));
  assert_true(describes(f, "# warning,partition field id has 1001 different values"));
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD id WITH bucket(4, id)");
  assert_false(describes(f, "different values"));
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      T(test_partitions_of_all_specs_are_listed),
      T(test_an_empty_table_has_no_partitions),
      T(test_tiny_files_and_many_values_are_warned_of),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
