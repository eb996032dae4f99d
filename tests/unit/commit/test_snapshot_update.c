/* SPDX-License-Identifier: Apache-2.0 */
/* What snapshots hold and say of themselves. [spec: Optional Snapshot Summary Fields] */
#include "table_fixture.h"

#include "expr/predicate_text.h"

static const calve_predicate *where(table_fixture *f, const char *text) {
  const calve_predicate *p = NULL;
  calve_error err;
  bool exact;
  assert_ok(calve_predicate_parse(calve_str_of(text), &f->arena, &p, &exact, &err), &err);
  return p;
}

/* One update that removes by path (words of `removed`), by a condition, or by partition, and adds
 * the files of `added` ("name:country" words). */
static calve_status change(table_fixture *f, const char *removed, const char *condition,
                           bool replace, const char *added, calve_error *err) {
  calve_snapshot_update *u = fixture_update();
  char words[200];
  calve_status status = CALVE_OK;
  snprintf(words, sizeof words, "%s", removed ? removed : "");
  char *save = NULL;
  for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
    calve_data_file file = fixture_file(f, f->table, w, NULL, 0);
    assert_ok(calve_snapshot_update_remove(u, file.path, -1, err), err);
  }
  snprintf(words, sizeof words, "%s", added ? added : "");
  for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
    char *country = strchr(w, ':');
    *country++ = '\0';
    calve_data_file file = fixture_file(f, f->table, w, *country ? country : NULL, 100);
    assert_ok(calve_snapshot_update_add(u, &file, err), err);
  }
  if (condition) status = calve_snapshot_update_remove_matching(u, where(f, condition), err);
  if (replace) calve_snapshot_update_replace_partitions(u);
  if (status == CALVE_OK) status = calve_table_commit_update(f->table, u, err);
  calve_snapshot_update_free(u);
  return status;
}

static void open_with_abc(table_fixture *f) {
  calve_error err;
  table_fixture_open(f, &(table_fixture_options){0});
  assert_ok(fixture_append(f, f->table, "a", "DE", 10, &err), &err);
  assert_ok(change(f, NULL, NULL, false, "b:FR c:FR n:", &err), &err);
}

static void test_files_are_removed_by_path(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  open_with_abc(&f);
  assert_ok(change(&f, "b", NULL, false, NULL, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "a c n");
  assert_string_equal(fixture_summary(f.table, "operation"), "delete");
  assert_string_equal(fixture_summary(f.table, "deleted-data-files"), "1");
  assert_string_equal(fixture_summary(f.table, "deleted-records"), "100");
  assert_string_equal(fixture_summary(f.table, "removed-files-size"), "1100");
  assert_string_equal(fixture_summary(f.table, "total-records"), "210");
  assert_string_equal(fixture_summary(f.table, "changed-partition-count"), "1");
  assert_string_equal(fixture_summary(f.table, "added-data-files"), "(none)");

  /* The rewritten manifest: b DELETED by this snapshot, the others EXISTING as they were. */
  const calve_metadata *m = calve_table_metadata(f.table);
  fixture_entry e[8];
  size_t count = fixture_entries(&f, f.table, true, e, 8), checked = 0;
  assert_int_equal(count, 4);
  for (size_t i = 0; i < count; i++) {
    bool is_b = calve_str_equal(e[i].name, CALVE_STR("b"));
    bool is_a = calve_str_equal(e[i].name, CALVE_STR("a"));
    assert_int_equal(e[i].status, is_b   ? CALVE_ENTRY_DELETED
                                  : is_a ? CALVE_ENTRY_ADDED
                                         : CALVE_ENTRY_EXISTING);
    assert_int_equal(e[i].sequence_number, is_a ? 1 : 2);
    assert_int_equal(e[i].snapshot_id, m->snapshots[is_b ? 2 : is_a ? 0 : 1].snapshot_id);
    checked += is_b;
  }
  assert_int_equal(checked, 1);

  assert_fails(change(&f, "b", NULL, false, NULL, &err), CALVE_ECONFLICT, &err);
  assert_message(&err, "b.parquet");
  assert_int_equal(calve_table_metadata(f.table)->snapshot_count, 3);

  /* All of a manifest's files gone: the next snapshot does not list it any more. */
  assert_ok(change(&f, "a c n", NULL, false, NULL, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "");
  assert_ok(change(&f, NULL, NULL, false, "d:DE", &err), &err);
  const calve_manifest_file *manifests;
  assert_int_equal(fixture_manifests(&f, f.table, NULL, &manifests), 1);
  assert_string_equal(fixture_summary(f.table, "total-records"), "100");
  table_fixture_close(&f);
}

static void test_rewriting_files_is_one_overwrite(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  open_with_abc(&f);
  assert_ok(change(&f, "b c", NULL, false, "bc:FR", &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "a bc n");
  assert_string_equal(fixture_summary(f.table, "operation"), "overwrite");
  assert_string_equal(fixture_summary(f.table, "total-data-files"), "3");
  table_fixture_close(&f);
}

static void test_matching_files_go_when_every_row_matches(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  open_with_abc(&f);
  assert_ok(change(&f, NULL, "country = 'FR'", false, "x:FR", &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "a n x");
  assert_ok(change(&f, NULL, "country IS NULL", false, NULL, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "a x");
  assert_ok(change(&f, NULL, "country = 'IT'", false, NULL, &err), &err); /* none matches */
  assert_string_equal(fixture_live(&f, f.table), "a x");
  /* id is not a partition column and there are no bounds: nobody can tell. */
  assert_fails(change(&f, NULL, "id = 5", false, NULL, &err), CALVE_EINVAL, &err);
  assert_message(&err, ".parquet");
  assert_fails(change(&f, NULL, "county = 'FR'", false, NULL, &err), CALVE_ENOTFOUND, &err);
  assert_string_equal(fixture_live(&f, f.table), "a x");
  table_fixture_close(&f);
}

static void test_bounds_prove_that_every_row_matches(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){0});
  calve_snapshot_update *u = fixture_update();
  calve_data_file file = fixture_file(&f, f.table, "a", "DE", 3);
  static const char low[8] = {10}, high[8] = {20};
  const calve_id_bytes lower = {1, {low, 8}}, upper = {1, {high, 8}};
  const calve_id_i64 values = {1, 3}, nulls = {1, 0};
  file.lower_bounds = (calve_id_bytes_list){&lower, 1};
  file.upper_bounds = (calve_id_bytes_list){&upper, 1};
  file.value_counts = (calve_id_i64_list){&values, 1};
  file.null_value_counts = (calve_id_i64_list){&nulls, 1};
  assert_ok(calve_snapshot_update_add(u, &file, &err), &err);
  assert_ok(calve_table_commit_update(f.table, u, &err), &err);
  calve_snapshot_update_free(u);
  assert_ok(change(&f, NULL, "id < 10", false, NULL, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "a");
  assert_fails(change(&f, NULL, "id < 20", false, NULL, &err), CALVE_EINVAL, &err);
  /* The tuple settles the country, the bounds settle the id. */
  assert_ok(change(&f, NULL, "country = 'DE' AND id <= 20", false, NULL, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "");
  table_fixture_close(&f);
}

static void test_replacing_partitions_empties_only_those_written(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  open_with_abc(&f);
  assert_ok(change(&f, NULL, NULL, true, "x:FR y:", &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "a x y");
  assert_string_equal(fixture_summary(f.table, "operation"), "overwrite");
  assert_string_equal(fixture_summary(f.table, "replace-partitions"), "true");
  assert_string_equal(fixture_summary(f.table, "changed-partition-count"), "2");
  assert_ok(change(&f, NULL, NULL, true, NULL, &err), &err); /* nothing written, nothing removed */
  assert_string_equal(fixture_live(&f, f.table), "a x y");
  table_fixture_close(&f);
}

static void evolve_to_truncated_country(table_fixture *f) {
  calve_error err;
  calve_spec_update *u;
  calve_changes changes;
  const calve_transform truncate = {.kind = CALVE_TRUNCATE, .parameter = 1};
  assert_ok(calve_spec_update_begin(calve_table_metadata(f->table), &f->arena, &u, &err), &err);
  assert_ok(calve_spec_update_replace(u, CALVE_STR("country"), CALVE_STR("country"), &truncate,
                                      (calve_str){0}, &err),
            &err);
  assert_ok(calve_spec_update_apply(u, NULL, &changes, &err), &err);
  assert_ok(calve_table_commit_changes(f->table, &changes, &err), &err);
  assert_int_equal(calve_table_metadata(f->table)->default_spec_id, 1);
}

/* Rule (B034): a file stays under the spec it was written with, whatever the default is now. */
static void test_files_keep_their_spec_after_evolution(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  open_with_abc(&f);
  evolve_to_truncated_country(&f);
  assert_ok(fixture_append(&f, f.table, "late", "DE", 1, &err), &err); /* spec 0 */
  calve_snapshot_update *u = fixture_update();
  calve_data_file file = fixture_file(&f, f.table, "new", "D", 1);
  file.spec_id = 1;
  assert_ok(calve_snapshot_update_add(u, &file, &err), &err);
  assert_ok(calve_table_commit_update(f.table, u, &err), &err);
  calve_snapshot_update_free(u);
  fixture_entry e[8];
  size_t count = fixture_entries(&f, f.table, false, e, 8);
  assert_int_equal(count, 6);
  for (size_t i = 0; i < count; i++)
    assert_int_equal(e[i].spec_id, calve_str_equal(e[i].name, CALVE_STR("new")) ? 1 : 0);
  table_fixture_close(&f);
}

/* Rule (B028): deletes of files of an older spec go to a delete manifest of that spec, and never to
 * one of the current spec; else no reader would find the files they are for. */
static void test_deletes_go_to_manifests_of_the_files_spec(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  const calve_manifest_file *m;
  open_with_abc(&f);
  evolve_to_truncated_country(&f);
  calve_snapshot_update *u = fixture_update();
  calve_data_file old = fixture_file(&f, f.table, "old-deletes", "DE", 1);
  old.content = CALVE_CONTENT_POSITION_DELETES;
  assert_ok(calve_snapshot_update_add(u, &old, &err), &err); /* spec 0 */
  calve_data_file now = fixture_file(&f, f.table, "new-deletes", "D", 1);
  now.content = CALVE_CONTENT_POSITION_DELETES;
  now.spec_id = 1;
  assert_ok(calve_snapshot_update_add(u, &now, &err), &err);
  assert_ok(calve_table_commit_update(f.table, u, &err), &err);
  calve_snapshot_update_free(u);
  size_t count = fixture_manifests(&f, f.table, NULL, &m), seen[2] = {0};
  for (size_t i = 0; i < count; i++) {
    if (m[i].content != CALVE_MANIFEST_DELETES) continue;
    assert_in_range(m[i].spec_id, 0, 1);
    assert_int_equal(m[i].added_files_count, 1);
    seen[m[i].spec_id]++;
  }
  assert_int_equal(seen[0], 1);
  assert_int_equal(seen[1], 1);
  table_fixture_close(&f);
}

/* Rule (design: dynamic overwrite after evolution): rows of the overwritten partition do not stay
 * behind in files of older specs. */
static void test_replacing_partitions_reaches_files_of_older_specs(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  open_with_abc(&f);
  evolve_to_truncated_country(&f);
  calve_snapshot_update *u = fixture_update();
  calve_data_file file = fixture_file(&f, f.table, "new", "F", 1);
  file.spec_id = 1;
  assert_ok(calve_snapshot_update_add(u, &file, &err), &err);
  calve_snapshot_update_replace_partitions(u);
  assert_ok(calve_table_commit_update(f.table, u, &err), &err);
  calve_snapshot_update_free(u);
  assert_string_equal(fixture_live(&f, f.table), "a n new");

  /* The other way: FR may be among the rows of partition F. */
  assert_fails(change(&f, NULL, NULL, true, "x:FR", &err), CALVE_EUNSUPPORTED, &err);
  assert_message(&err, "new.parquet");
  assert_message(&err, "country=FR");
  assert_string_equal(fixture_live(&f, f.table), "a n new");
  assert_ok(change(&f, NULL, NULL, true, "x:DE", &err), &err); /* F holds no D… */
  assert_string_equal(fixture_live(&f, f.table), "n new x");
  table_fixture_close(&f);
}

/* Rule (B059): a spec that the table lacks, or a tuple that is not of that spec, is refused. */
static void test_records_that_do_not_fit_a_spec_are_refused(void **state) {
  (void)state;
  table_fixture f;
  open_with_abc(&f);
  const calve_value number = {.type = CALVE_LONG, .i64 = 5};
  const struct {
    const char *what, *message;
    calve_status status;
  } rows[] = {{"spec", "spec 7", CALVE_EINVAL},
              {"count", "0 values", CALVE_EINVAL},
              {"type", "type string", CALVE_EINVAL},
              {"delete", "0 values", CALVE_EINVAL}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    calve_snapshot_update *u = fixture_update();
    calve_data_file file = fixture_file(&f, f.table, "x", "DE", 1);
    if (i == 0) file.spec_id = 7;
    if (i == 1 || i == 3) file.partition_count = 0;
    if (i == 2) file.partition = &number;
    if (i == 3) file.content = CALVE_CONTENT_EQUALITY_DELETES; /* a "global" delete on spec 0 */
    assert_ok(calve_snapshot_update_add(u, &file, &err), &err);
    assert_fails(calve_table_commit_update(f.table, u, &err), rows[i].status, &err);
    assert_message(&err, rows[i].message);
    calve_snapshot_update_free(u);
  }
  assert_string_equal(fixture_live(&f, f.table), "a b c n");
  table_fixture_close(&f);
}

static void test_bad_records_are_refused_when_they_are_added(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){0});
  calve_snapshot_update *u = fixture_update();
  calve_data_file file = fixture_file(&f, f.table, "x", "DE", 1);
  assert_ok(calve_snapshot_update_add(u, &file, &err), &err);
  assert_fails(calve_snapshot_update_add(u, &file, &err), CALVE_EINVAL, &err);
  assert_message(&err, "twice");
  file.path = CALVE_STR("");
  assert_fails(calve_snapshot_update_add(u, &file, &err), CALVE_EINVAL, &err);
  file = fixture_file(&f, f.table, "y", "DE", -1);
  assert_fails(calve_snapshot_update_add(u, &file, &err), CALVE_EINVAL, &err);
  file = fixture_file(&f, f.table, "y", "DE", 1);
  file.content = 3;
  assert_fails(calve_snapshot_update_add(u, &file, &err), CALVE_EINVAL, &err);
  calve_snapshot_update_free(u);
  table_fixture_close(&f);
}

/* Delete files, on a branch, with entries of their own in the summary. */
static void test_delete_files_get_manifests_of_their_own(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  open_with_abc(&f);
  calve_snapshot_update *u = fixture_update();
  calve_data_file data = fixture_file(&f, f.table, "x", "DE", 4);
  calve_data_file deletes = fixture_file(&f, f.table, "y", "DE", 2);
  deletes.content = CALVE_CONTENT_POSITION_DELETES;
  assert_ok(calve_snapshot_update_add(u, &deletes, &err), &err);
  assert_ok(calve_snapshot_update_add(u, &data, &err), &err);
  assert_ok(calve_snapshot_update_branch(u, CALVE_STR("audit"), &err), &err);
  assert_ok(calve_snapshot_update_summary(u, CALVE_STR("wap.id"), CALVE_STR("7"), &err), &err);
  assert_ok(calve_table_commit_update(f.table, u, &err), &err);
  calve_snapshot_update_free(u);

  const calve_metadata *m = calve_table_metadata(f.table);
  const calve_snapshot_ref *branch = calve_metadata_ref(m, CALVE_STR("audit"));
  assert_non_null(branch);
  assert_false(branch->is_tag);
  assert_int_equal(m->current_snapshot_id, m->snapshots[1].snapshot_id); /* main stays */
  assert_string_equal(fixture_live(&f, f.table), "a b c n");
  const calve_snapshot *s = calve_metadata_snapshot(m, branch->snapshot_id);
  assert_int_equal(s->parent_snapshot_id, m->snapshots[1].snapshot_id);
  const calve_manifest_file *manifests;
  size_t count = fixture_manifests(&f, f.table, s, &manifests), deletes_seen = 0;
  assert_int_equal(count, 4);
  for (size_t i = 0; i < count; i++) deletes_seen += manifests[i].content == CALVE_MANIFEST_DELETES;
  assert_int_equal(deletes_seen, 1);
  static const char *const wanted[][2] = {{"operation", "overwrite"},
                                          {"wap.id", "7"},
                                          {"added-position-deletes", "2"},
                                          {"added-position-delete-files", "1"},
                                          {"added-delete-files", "1"},
                                          {"total-delete-files", "1"},
                                          {"total-position-deletes", "2"},
                                          {"total-records", "314"}};
  for (size_t i = 0; i < ARRAY_COUNT(wanted); i++) {
    char value[100];
    if (strcmp(snapshot_summary(s, wanted[i][0], value, sizeof value), wanted[i][1]) != 0)
      fail_msg("%s: %s", wanted[i][0], value);
  }
  table_fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_files_are_removed_by_path),
      cmocka_unit_test(test_rewriting_files_is_one_overwrite),
      cmocka_unit_test(test_matching_files_go_when_every_row_matches),
      cmocka_unit_test(test_bounds_prove_that_every_row_matches),
      cmocka_unit_test(test_replacing_partitions_empties_only_those_written),
      cmocka_unit_test(test_files_keep_their_spec_after_evolution),
      cmocka_unit_test(test_deletes_go_to_manifests_of_the_files_spec),
      cmocka_unit_test(test_replacing_partitions_reaches_files_of_older_specs),
      cmocka_unit_test(test_records_that_do_not_fit_a_spec_are_refused),
      cmocka_unit_test(test_bad_records_are_refused_when_they_are_added),
      cmocka_unit_test(test_delete_files_get_manifests_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
