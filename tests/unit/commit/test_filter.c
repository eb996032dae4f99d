/* SPDX-License-Identifier: Apache-2.0 */
/* Which files go, where a manifest of another writer does not say what their partitions are. */
#include "table_fixture.h"

#include "expr/predicate_text.h"

static void replace_file(table_fixture *f, calve_str path, calve_str bytes) {
  calve_error err;
  assert_ok(calve_store_remove(f->store, path, &err), &err);
  assert_ok(calve_store_create(f->store, path, bytes, &err), &err);
}

static const char country_de[] = "DE";
static const calve_id_bytes bound = {3, {country_de, 2}};
static const calve_id_i64 ten = {3, 10}, none = {3, 0};

/* The table's only manifest, of spec 0 without the field "country", holding data files "a" and "b"
 * of 10 rows each; a list without summaries. Only b's statistics say that its rows are of DE. */
static void write_without_field(table_fixture *f) {
  calve_error err;
  const calve_manifest_file *m;
  const calve_snapshot *now = calve_metadata_current_snapshot(calve_table_metadata(f->table));
  assert_int_equal(fixture_manifests(f, f->table, NULL, &m), 1);
  const calve_spec no_fields = {.spec_id = 0};
  const calve_manifest_params params = {.format_version = 2,
                                        .schema = calve_table_metadata(f->table)->schema,
                                        .spec = &no_fields,
                                        .snapshot_id = now->snapshot_id};
  calve_manifest_writer *w = NULL;
  assert_ok(calve_manifest_writer_open(&params, &w, &err), &err);
  for (int i = 0; i < 2; i++) {
    calve_manifest_entry e = {.status = CALVE_ENTRY_ADDED,
                              .snapshot_id = now->snapshot_id,
                              .data_sequence_number = CALVE_UNSET,
                              .file_sequence_number = CALVE_UNSET,
                              .file = fixture_file(f, f->table, i ? "b" : "a", NULL, 10)};
    e.file.partition_count = 0;
    if (i == 1) {
      e.file.lower_bounds = e.file.upper_bounds = (calve_id_bytes_list){&bound, 1};
      e.file.value_counts = (calve_id_i64_list){&ten, 1};
      e.file.null_value_counts = (calve_id_i64_list){&none, 1};
    }
    assert_ok(calve_manifest_writer_add(w, &e, &err), &err);
  }
  calve_str bytes;
  calve_manifest_file made;
  assert_ok(calve_manifest_writer_finish(w, &f->arena, &bytes, &made, &err), &err);
  replace_file(f, m[0].path, bytes);
  made.path = m[0].path;
  made.partitions = NULL;
  made.partition_count = 0;
  calve_manifest_writer_free(w);
  const calve_manifest_list_params list = {.format_version = 2,
                                           .snapshot_id = now->snapshot_id,
                                           .parent_snapshot_id = CALVE_NO_SNAPSHOT,
                                           .sequence_number = 1,
                                           .first_row_id = CALVE_UNSET};
  calve_buffer text;
  calve_buffer_init(&text, NULL);
  assert_ok(calve_manifest_list_write(&list, &made, 1, &text, NULL, &err), &err);
  replace_file(f, now->manifest_list, calve_buffer_view(&text));
  calve_buffer_free(&text);
}

/* Removes by condition, or replaces the partition of `added`. */
static calve_status change(table_fixture *f, const char *condition, const char *added,
                           const char *removed, calve_error *err) {
  calve_snapshot_update *u = fixture_update();
  if (condition) {
    const calve_predicate *p = NULL;
    bool exact;
    assert_ok(calve_predicate_parse(calve_str_of(condition), &f->arena, &p, &exact, err), err);
    assert_ok(calve_snapshot_update_remove_matching(u, p, err), err);
  }
  if (added) {
    calve_data_file file = fixture_file(f, f->table, "new", *added ? added : NULL, 1);
    assert_ok(calve_snapshot_update_add(u, &file, err), err);
    calve_snapshot_update_replace_partitions(u);
  }
  if (removed) {
    calve_data_file file = fixture_file(f, f->table, removed, NULL, 10);
    assert_ok(calve_snapshot_update_remove(u, file.path, -1, err), err);
  }
  calve_status status = calve_table_commit_update(f->table, u, err);
  calve_snapshot_update_free(u);
  return status;
}

static void open_without_field(table_fixture *f) {
  calve_error err;
  table_fixture_open(f, &(table_fixture_options){0});
  assert_ok(fixture_append(f, f->table, "x", "DE", 10, &err), &err);
  write_without_field(f);
  assert_string_equal(fixture_live(f, f->table), "a b");
}

/* Rule (invariant 2): a tuple that the manifest lacks is not null, and not unequal to anything. */
static void test_tuples_that_are_not_known_settle_nothing(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  open_without_field(&f);
  static const struct {
    const char *condition, *added;
    calve_status status;
  } rows[] = {
      {"country IS NULL", NULL, CALVE_EINVAL}, /* a may be null                                 */
      {"country = 'DE'", NULL, CALVE_EINVAL},  /* a may be of DE                                */
      {NULL, "", CALVE_EUNSUPPORTED},
      {NULL, "DE", CALVE_EUNSUPPORTED},
      {NULL, "FR", CALVE_EUNSUPPORTED},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    assert_fails(change(&f, rows[i].condition, rows[i].added, NULL, &err), rows[i].status, &err);
    assert_message(&err, "/a.parquet");
    assert_string_equal(fixture_live(&f, f.table), "a b");
  }
  table_fixture_close(&f);
}

/* … and stays so when the manifest is written anew; what statistics or paths settle is done. */
static void test_what_is_not_known_stays_unknown(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  open_without_field(&f);
  assert_ok(change(&f, NULL, NULL, "a", &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "b");
  assert_ok(change(&f, "country IS NULL", NULL, NULL, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "b");
  assert_ok(change(&f, NULL, "", NULL, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "b new");
  assert_ok(change(&f, "country = 'DE'", NULL, NULL, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "new");
  table_fixture_close(&f);
}

static void test_everything_can_be_removed_whatever_is_known(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  open_without_field(&f);
  assert_ok(change(&f, "true", NULL, NULL, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "");
  table_fixture_close(&f);
}

/* Rule: what others added counts as a conflict unless it is known not to be one. */
static void test_checks_take_unknown_tuples_as_conflicts(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  open_without_field(&f);
  const calve_predicate *filter;
  assert_ok(calve_predicate_parse(CALVE_STR("country = 'FR'"), &f.arena, &filter, NULL, &err),
            &err);
  const calve_commit_checks checks = {.enabled = true,
                                      .since_snapshot_id = CALVE_NO_SNAPSHOT,
                                      .filter = filter,
                                      .no_new_data = true};
  calve_snapshot_update *u = fixture_update();
  calve_data_file file = fixture_file(&f, f.table, "new", "FR", 1);
  assert_ok(calve_snapshot_update_add(u, &file, &err), &err);
  calve_snapshot_update_check(u, &checks);
  assert_fails(calve_table_commit_update(f.table, u, &err), CALVE_ECONFLICT, &err);
  assert_message(&err, "/a.parquet");
  calve_snapshot_update_free(u);
  table_fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tuples_that_are_not_known_settle_nothing),
      cmocka_unit_test(test_what_is_not_known_stays_unknown),
      cmocka_unit_test(test_everything_can_be_removed_whatever_is_known),
      cmocka_unit_test(test_checks_take_unknown_tuples_as_conflicts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
