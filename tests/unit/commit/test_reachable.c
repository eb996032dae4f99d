/* SPDX-License-Identifier: Apache-2.0 */
#include "table_fixture.h"

typedef struct seen {
  size_t count[5];
  calve_reachable_kind last;
  bool in_order;
  calve_status answer;
} seen;

static calve_status see(void *ctx, calve_reachable_kind kind, calve_str path, calve_error *err) {
  seen *s = ctx;
  assert_true(path.size > 0);
  s->count[kind]++;
  if (kind < s->last) s->in_order = false;
  s->last = kind;
  return s->answer == CALVE_OK ? CALVE_OK : calve_fail(err, s->answer, NULL, "enough");
}

static void test_each_file_comes_up_by_its_kind(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){0});
  const calve_metadata *m = calve_table_metadata(f.table);
  seen s = {.in_order = true};
  assert_ok(calve_reachable_files(f.memory, m, NULL, see, &s, &err), &err);
  assert_int_equal(s.count[CALVE_REACHABLE_DATA] + s.count[CALVE_REACHABLE_METADATA], 0);

  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  assert_ok(fixture_append(&f, f.table, "b", "DE", 1, &err), &err);
  calve_snapshot_update *u = fixture_update();
  calve_data_file a = fixture_file(&f, f.table, "a", "DE", 1);
  assert_ok(calve_snapshot_update_remove(u, a.path, 0, &err), &err);
  assert_ok(calve_table_commit_update(f.table, u, &err), &err);
  calve_snapshot_update_free(u);
  m = calve_table_metadata(f.table);
  s = (seen){.in_order = true};
  assert_ok(calve_reachable_files(f.memory, m, NULL, see, &s, &err), &err);
  assert_true(s.in_order);
  /* Manifests: a's, b's, and the one that says that a is gone. */
  assert_int_equal(s.count[CALVE_REACHABLE_DATA], 3);
  assert_int_equal(s.count[CALVE_REACHABLE_MANIFEST], 3);
  assert_int_equal(s.count[CALVE_REACHABLE_MANIFEST_LIST], 3);
  assert_int_equal(s.count[CALVE_REACHABLE_METADATA], 3);
  assert_int_equal(s.count[CALVE_REACHABLE_STATISTICS], 0);

  s = (seen){.answer = CALVE_ECANCELLED};
  assert_fails(calve_reachable_files(f.memory, m, NULL, see, &s, &err), CALVE_ECANCELLED, &err);
  const calve_manifest_file *manifests;
  fixture_manifests(&f, f.table, NULL, &manifests);
  assert_ok(calve_store_remove(f.memory, manifests[0].path, &err), &err);
  s = (seen){0};
  assert_fails(calve_reachable_files(f.memory, m, NULL, see, &s, &err), CALVE_ENOTFOUND, &err);
  table_fixture_close(&f);
}

static void test_statistics_files_come_up(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){0});
  calve_metadata m = *calve_table_metadata(f.table);
  m.statistics_json = CALVE_STR("[{\"snapshot-id\":1,\"statistics-path\":\"/s/1.puffin\"}]");
  m.partition_statistics_json = CALVE_STR("[{\"statistics-path\":\"/s/2.parquet\"},{}]");
  seen s = {0};
  assert_ok(calve_reachable_files(f.memory, &m, NULL, see, &s, &err), &err);
  assert_int_equal(s.count[CALVE_REACHABLE_STATISTICS], 2);
  table_fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_file_comes_up_by_its_kind),
      cmocka_unit_test(test_statistics_files_come_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
