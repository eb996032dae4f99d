/* SPDX-License-Identifier: Apache-2.0 */
#include "table_fixture.h"

static void check_appends(const table_fixture_options *options) {
  table_fixture f;
  calve_error err = {0};
  table_fixture_open(&f, options);
  assert_string_equal(fixture_live(&f, f.table), "");
  assert_ok(fixture_append(&f, f.table, "a", "DE", 10, &err), &err);
  assert_ok(fixture_append(&f, f.table, "b", NULL, 5, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "a b");

  const calve_metadata *m = calve_table_metadata(f.table);
  assert_int_equal(m->snapshot_count, 2);
  assert_int_equal(m->snapshot_log_count, 2);
  assert_int_equal(m->last_sequence_number, 2);
  assert_int_equal(m->snapshots[1].parent_snapshot_id, m->snapshots[0].snapshot_id);
  assert_int_equal(m->snapshots[0].sequence_number, 1);
  assert_int_equal(m->snapshots[1].sequence_number, 2);
  assert_int_equal(m->snapshots[1].schema_id, 0);
  assert_int_equal(m->metadata_log_count, 2);
  assert_int_equal(calve_metadata_ref(m, CALVE_STR("main"))->snapshot_id,
                   m->snapshots[1].snapshot_id);
  assert_string_equal(fixture_summary(f.table, "operation"), "append");
  assert_string_equal(fixture_summary(f.table, "added-data-files"), "1");
  assert_string_equal(fixture_summary(f.table, "added-records"), "5");
  assert_string_equal(fixture_summary(f.table, "added-files-size"), "1005");
  assert_string_equal(fixture_summary(f.table, "changed-partition-count"), "1");
  assert_string_equal(fixture_summary(f.table, "total-records"), "15");
  assert_string_equal(fixture_summary(f.table, "total-data-files"), "2");
  assert_string_equal(fixture_summary(f.table, "total-files-size"), "2015");
  assert_string_equal(fixture_summary(f.table, "total-delete-files"), "0");

  fixture_entry e[4];
  assert_int_equal(fixture_entries(&f, f.table, true, e, 4), 2);
  assert_int_equal(e[0].sequence_number, 2); /* newest manifest first, inherited numbers */
  assert_int_equal(e[1].sequence_number, 1);
  assert_int_equal(e[0].snapshot_id, m->snapshots[1].snapshot_id);
  assert_int_equal(e[1].status, CALVE_ENTRY_ADDED);

  /* Another handle sees the same. */
  calve_table *again;
  assert_ok(calve_table_load(f.catalog, &f.name, &again, &err), &err);
  assert_string_equal(fixture_live(&f, again), "a b");
  calve_table_close(again);
  table_fixture_close(&f);
}

static void test_appends_on_a_filesystem_catalog(void **state) {
  (void)state;
  check_appends(&(table_fixture_options){0});
  check_appends(&(table_fixture_options){.local = true});
}

static void test_appends_on_a_sql_catalog(void **state) {
  (void)state;
  check_appends(&(table_fixture_options){.sql = true});
}

static void test_an_unpartitioned_v1_table_gets_sequence_number_0(void **state) {
  (void)state;
  static const char *const properties[] = {"format-version", "1", NULL};
  table_fixture f;
  calve_error err;
  table_fixture_open(&f,
                     &(table_fixture_options){.properties = properties, .unpartitioned = true});
  assert_ok(fixture_append(&f, f.table, "a", NULL, 1, &err), &err);
  assert_ok(fixture_append(&f, f.table, "b", NULL, 1, &err), &err);
  assert_int_equal(calve_table_metadata(f.table)->format_version, 1);
  assert_int_equal(calve_table_metadata(f.table)->snapshots[1].sequence_number, 0);
  assert_string_equal(fixture_live(&f, f.table), "a b");
  table_fixture_close(&f);
}

/* [spec: First Row ID Assignment] */
static void test_v3_gives_row_ids(void **state) {
  (void)state;
  static const char *const properties[] = {"format-version", "3", NULL};
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  assert_ok(fixture_append(&f, f.table, "a", "DE", 10, &err), &err);
  assert_ok(fixture_append(&f, f.table, "b", "DE", 7, &err), &err);
  const calve_metadata *m = calve_table_metadata(f.table);
  assert_int_equal(m->next_row_id, 17);
  assert_int_equal(m->snapshots[0].first_row_id, 0);
  assert_int_equal(m->snapshots[0].added_rows, 10);
  assert_int_equal(m->snapshots[1].first_row_id, 10);
  assert_int_equal(m->snapshots[1].added_rows, 7);
  fixture_entry e[4];
  assert_int_equal(fixture_entries(&f, f.table, true, e, 4), 2);
  assert_int_equal(e[0].first_row_id, 10);
  assert_int_equal(e[1].first_row_id, 0);
  table_fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_appends_on_a_filesystem_catalog),
      cmocka_unit_test(test_appends_on_a_sql_catalog),
      cmocka_unit_test(test_an_unpartitioned_v1_table_gets_sequence_number_0),
      cmocka_unit_test(test_v3_gives_row_ids),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
