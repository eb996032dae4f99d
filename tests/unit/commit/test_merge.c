/* SPDX-License-Identifier: Apache-2.0 */
#include "table_fixture.h"

/* Without merging; what comes after it merges again. */
static void append_alone(table_fixture *f, const char *name, const char *country, int32_t spec_id) {
  calve_error err;
  fixture_set_property(f->table, "commit.manifest-merge.enabled", "false");
  calve_snapshot_update *u = fixture_update();
  calve_data_file file = fixture_file(f, f->table, name, country, 1);
  file.spec_id = spec_id;
  assert_ok(calve_snapshot_update_add(u, &file, &err), &err);
  assert_ok(calve_table_commit_update(f->table, u, &err), &err);
  calve_snapshot_update_free(u);
  fixture_set_property(f->table, "commit.manifest-merge.enabled", "true");
}

static void add_bucket_field(table_fixture *f) {
  calve_error err;
  calve_spec_update *u;
  calve_changes changes;
  const calve_transform truncate = {.kind = CALVE_TRUNCATE, .parameter = 2};
  assert_ok(calve_spec_update_begin(calve_table_metadata(f->table), &f->arena, &u, &err), &err);
  assert_ok(calve_spec_update_replace(u, CALVE_STR("country"), CALVE_STR("country"), &truncate,
                                      CALVE_STR("land"), &err),
            &err);
  assert_ok(calve_spec_update_apply(u, NULL, &changes, &err), &err);
  assert_ok(calve_table_commit_changes(f->table, &changes, &err), &err);
}

/* Rule (B029): manifests of different specs are never merged; entries keep what they were. */
static void test_each_spec_is_merged_by_itself(void **state) {
  (void)state;
  static const char *const properties[] = {"commit.manifest.min-count-to-merge", "2", NULL};
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  append_alone(&f, "a", "DE", 0);
  append_alone(&f, "b", "FR", 0);
  append_alone(&f, "c", NULL, 0);
  add_bucket_field(&f);
  append_alone(&f, "d", "DE", 1);
  append_alone(&f, "e", "FR", 1);
  const calve_manifest_file *m;
  assert_int_equal(fixture_manifests(&f, f.table, NULL, &m), 5);
  assert_ok(fixture_append(&f, f.table, "g", "IT", 1, &err), &err); /* spec 0 */
  assert_int_equal(fixture_manifests(&f, f.table, NULL, &m), 2);
  assert_int_equal(m[0].spec_id, 0);
  assert_int_equal(m[1].spec_id, 1);
  assert_int_equal(m[0].added_files_count, 1);
  assert_int_equal(m[0].existing_files_count, 3);
  assert_int_equal(m[0].min_sequence_number, 1);
  assert_int_equal(m[0].sequence_number, 6);
  assert_int_equal(m[1].existing_files_count, 2);
  assert_int_equal(m[1].added_files_count, 0);
  assert_string_equal(fixture_live(&f, f.table), "a b c d e g");

  const calve_metadata *meta = calve_table_metadata(f.table);
  fixture_entry e[8];
  assert_int_equal(fixture_entries(&f, f.table, true, e, 8), 6);
  for (size_t i = 0; i < 6; i++) {
    int n = e[i].name.data[0] == 'g' ? 5 : e[i].name.data[0] - 'a'; /* the n-th snapshot */
    assert_int_equal(e[i].spec_id, n == 3 || n == 4);
    assert_int_equal(e[i].sequence_number, n + 1);
    assert_int_equal(e[i].snapshot_id, meta->snapshots[n].snapshot_id);
    assert_int_equal(e[i].status, n == 5 ? CALVE_ENTRY_ADDED : CALVE_ENTRY_EXISTING);
  }
  table_fixture_close(&f);
}

static void test_merging_waits_for_enough_manifests(void **state) {
  (void)state;
  static const char *const properties[] = {"commit.manifest.min-count-to-merge", "3", NULL};
  table_fixture f;
  calve_error err;
  const calve_manifest_file *m;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  static const size_t counts[] = {1, 2, 1, 2, 1, 2};
  for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
    char name[2] = {(char)('a' + i), '\0'};
    assert_ok(fixture_append(&f, f.table, name, "DE", 1, &err), &err);
    assert_int_equal(fixture_manifests(&f, f.table, NULL, &m), counts[i]);
    assert_no_orphans(&f, f.memory, f.table); /* merged-away manifests live on in older snapshots */
  }
  assert_string_equal(fixture_live(&f, f.table), "a b c d e f");
  table_fixture_close(&f);
}

/* Bins are filled from the oldest manifest on; what is full is not touched again. */
static void test_manifests_of_the_target_size_stay(void **state) {
  (void)state;
  static const char *const properties[] = {"commit.manifest.min-count-to-merge", "2",
                                           "commit.manifest.target-size-bytes", "1", NULL};
  table_fixture f;
  const calve_manifest_file *m;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  for (char c = 'a'; c < 'e'; c++) {
    char name[2] = {c, '\0'};
    assert_ok(fixture_append(&f, f.table, name, "DE", 1, &err), &err);
  }
  assert_int_equal(fixture_manifests(&f, f.table, NULL, &m), 4);
  table_fixture_close(&f);
}

/* Sizes are what a list claims: two of the largest are no small sum. */
static void test_sizes_beyond_all_bounds_are_full_bins(void **state) {
  (void)state;
  static const char *const properties[] = {"commit.manifest.min-count-to-merge", "2", NULL};
  table_fixture f;
  calve_error err;
  const calve_manifest_file *m;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  append_alone(&f, "a", "DE", 0);
  append_alone(&f, "b", "FR", 0);
  assert_int_equal(fixture_manifests(&f, f.table, NULL, &m), 2);
  calve_manifest_file vast[2] = {m[0], m[1]};
  vast[0].length_bytes = vast[1].length_bytes = INT64_MAX;
  const calve_snapshot *s = calve_metadata_current_snapshot(calve_table_metadata(f.table));
  const calve_manifest_list_params params = {.format_version = 2,
                                             .snapshot_id = s->snapshot_id,
                                             .parent_snapshot_id = s->parent_snapshot_id,
                                             .sequence_number = s->sequence_number,
                                             .first_row_id = CALVE_UNSET};
  calve_buffer list;
  calve_buffer_init(&list, NULL);
  assert_ok(calve_manifest_list_write(&params, vast, 2, &list, NULL, &err), &err);
  assert_ok(calve_store_replace(f.memory, s->manifest_list, calve_buffer_view(&list), &err), &err);
  calve_buffer_free(&list);
  assert_ok(fixture_append(&f, f.table, "c", "IT", 1, &err), &err);
  assert_int_equal(fixture_manifests(&f, f.table, NULL, &m), 3);
  assert_string_equal(fixture_live(&f, f.table), "a b c");
  table_fixture_close(&f);
}

static void test_merging_can_be_switched_off(void **state) {
  (void)state;
  static const char *const properties[] = {"commit.manifest.min-count-to-merge", "2",
                                           "commit.manifest-merge.enabled", "false", NULL};
  table_fixture f;
  const calve_manifest_file *m;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  for (char c = 'a'; c < 'd'; c++) {
    char name[2] = {c, '\0'};
    assert_ok(fixture_append(&f, f.table, name, "DE", 1, &err), &err);
  }
  assert_int_equal(fixture_manifests(&f, f.table, NULL, &m), 3);
  table_fixture_close(&f);
}

/* A manifest that says what this snapshot removed keeps saying so. */
static void test_removals_survive_merging(void **state) {
  (void)state;
  static const char *const properties[] = {"commit.manifest.min-count-to-merge", "2", NULL};
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  append_alone(&f, "a", "DE", 0);
  append_alone(&f, "b", "FR", 0);
  append_alone(&f, "c", "IT", 0);
  calve_snapshot_update *u = fixture_update();
  calve_data_file file = fixture_file(&f, f.table, "b", "FR", 1);
  calve_data_file added = fixture_file(&f, f.table, "b2", "FR", 1);
  assert_ok(calve_snapshot_update_remove(u, file.path, 0, &err), &err);
  assert_ok(calve_snapshot_update_add(u, &added, &err), &err);
  assert_ok(calve_table_commit_update(f.table, u, &err), &err);
  calve_snapshot_update_free(u);
  fixture_entry e[8];
  size_t count = fixture_entries(&f, f.table, true, e, 8), deleted = 0;
  for (size_t i = 0; i < count; i++) deleted += e[i].status == CALVE_ENTRY_DELETED;
  assert_int_equal(count, 4);
  assert_int_equal(deleted, 1);
  assert_string_equal(fixture_live(&f, f.table), "a b2 c");
  assert_no_orphans(&f, f.memory, f.table);
  table_fixture_close(&f);
}

/* v3: rows keep the ids they were given when manifests are merged. */
static void test_row_ids_survive_merging(void **state) {
  (void)state;
  static const char *const properties[] = {"commit.manifest.min-count-to-merge", "3",
                                           "format-version", "3", NULL};
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  for (char c = 'a'; c < 'd'; c++) {
    char name[2] = {c, '\0'};
    assert_ok(fixture_append(&f, f.table, name, "DE", 10, &err), &err);
  }
  fixture_entry e[8];
  assert_int_equal(fixture_entries(&f, f.table, true, e, 8), 3);
  bool seen[3] = {false};
  for (size_t i = 0; i < 3; i++) {
    int n = e[i].name.data[0] - 'a';
    seen[n] = true;
    if (n < 2) assert_int_equal(e[i].first_row_id, n * 10);
    else assert_true(e[i].first_row_id >= 20);
  }
  assert_true(seen[0] && seen[1] && seen[2]);
  const calve_metadata *m = calve_table_metadata(f.table);
  assert_true(m->next_row_id >= 30);
  table_fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_spec_is_merged_by_itself),
      cmocka_unit_test(test_merging_waits_for_enough_manifests),
      cmocka_unit_test(test_manifests_of_the_target_size_stay),
      cmocka_unit_test(test_sizes_beyond_all_bounds_are_full_bins),
      cmocka_unit_test(test_merging_can_be_switched_off),
      cmocka_unit_test(test_removals_survive_merging),
      cmocka_unit_test(test_row_ids_survive_merging),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
