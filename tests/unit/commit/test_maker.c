/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots in special places: branches, old v1 tables, deletion vectors, several steps at once. */
#include "table_fixture.h"

#include "evolve/schema_update.h"

static calve_status commit_on(table_fixture *f, const char *branch, const char *name,
                              const char *removed, calve_error *err) {
  calve_snapshot_update *u = fixture_update();
  calve_data_file file = fixture_file(f, f->table, name, "DE", 10);
  assert_ok(calve_snapshot_update_add(u, &file, err), err);
  if (branch) assert_ok(calve_snapshot_update_branch(u, calve_str_of(branch), err), err);
  if (removed) {
    calve_data_file gone = fixture_file(f, f->table, removed, "DE", 10);
    assert_ok(calve_snapshot_update_remove(u, gone.path, 0, err), err);
  }
  calve_status status = calve_table_commit_update(f->table, u, err);
  calve_snapshot_update_free(u);
  return status;
}

/* Rule (B084): a commit to a branch builds on the branch, not on main. */
static void test_branches_build_on_themselves(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){0});
  assert_ok(commit_on(&f, NULL, "a", NULL, &err), &err);
  assert_ok(commit_on(&f, "dev", "b", NULL, &err), &err);
  assert_ok(commit_on(&f, NULL, "c", NULL, &err), &err);
  assert_ok(commit_on(&f, "dev", "d", "b", &err), &err);
  assert_fails(commit_on(&f, "dev", "e", "c", &err), CALVE_ECONFLICT, &err); /* c is on main */
  assert_string_equal(fixture_live(&f, f.table), "a c");
  const calve_metadata *m = calve_table_metadata(f.table);
  const calve_snapshot *dev =
      calve_metadata_snapshot(m, calve_metadata_ref(m, CALVE_STR("dev"))->snapshot_id);
  assert_int_equal(dev->parent_snapshot_id, m->snapshots[1].snapshot_id);
  assert_int_equal(dev->sequence_number, 4);
  char files[100];
  assert_string_equal(snapshot_summary(dev, "total-data-files", files, sizeof files), "2");
  assert_int_equal(m->snapshot_log_count, 2); /* the log is main's */

  const calve_change tag = {.kind = CALVE_SET_SNAPSHOT_REF,
                            .ref = {.name = CALVE_STR("v1"),
                                    .snapshot_id = dev->snapshot_id,
                                    .is_tag = true,
                                    .min_snapshots_to_keep = -1,
                                    .max_snapshot_age_ms = -1,
                                    .max_ref_age_ms = -1}};
  const calve_changes changes = {.change_count = 1, .changes = &tag};
  assert_ok(calve_table_commit_changes(f.table, &changes, &err), &err);
  assert_fails(commit_on(&f, "v1", "x", NULL, &err), CALVE_EINVAL, &err);
  assert_message(&err, "tag");
  table_fixture_close(&f);
}

/* Old v1 snapshots have no list, but name their manifests. [spec: Snapshots, manifests] */
static void test_a_v1_snapshot_that_names_manifests_gets_a_list(void **state) {
  (void)state;
  static const char *const properties[] = {"format-version", "1", NULL};
  table_fixture f;
  calve_error err;
  const calve_manifest_file *m;
  calve_table *t;
  calve_str json, old;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  assert_ok(commit_on(&f, NULL, "a", NULL, &err), &err);
  assert_int_equal(fixture_manifests(&f, f.table, NULL, &m), 1);
  const calve_snapshot *s = calve_metadata_current_snapshot(calve_table_metadata(f.table));
  assert_ok(calve_store_read(f.memory, calve_table_metadata_location(f.table), INT64_MAX, &f.arena,
                             &json, &err),
            &err);
  /* Rewrites the version as an old writer would have written it. */
  assert_ok(calve_arena_printf(&f.arena, &old, &err, "\"manifest-list\":\"%.*s\"",
                               CALVE_STR_ARG(s->manifest_list)),
            &err);
  char *at = strstr(json.data, old.data);
  assert_non_null(at);
  calve_str changed;
  assert_ok(calve_arena_printf(&f.arena, &changed, &err, "%.*s\"manifests\":[\"%.*s\"]%s",
                               (int)(at - json.data), json.data, CALVE_STR_ARG(m[0].path),
                               at + old.size),
            &err);
  assert_ok(calve_store_replace(f.memory, calve_table_metadata_location(f.table), changed, &err),
            &err);
  assert_ok(calve_table_load(f.catalog, &f.name, &t, &err), &err);
  assert_null(calve_metadata_current_snapshot(calve_table_metadata(t))->manifest_list.data);
  assert_ok(fixture_append(&f, t, "b", "DE", 1, &err), &err);
  assert_string_equal(fixture_live(&f, t), "a b");
  calve_snapshot_update *u = fixture_update();
  calve_data_file a = fixture_file(&f, t, "a", "DE", 10);
  assert_ok(calve_snapshot_update_remove(u, a.path, -1, &err), &err);
  assert_ok(calve_table_commit_update(t, u, &err), &err);
  calve_snapshot_update_free(u);
  assert_string_equal(fixture_live(&f, t), "b");
  calve_table_close(t);
  table_fixture_close(&f);
}

/* A v1 table that is upgraded keeps its manifests; new snapshots get sequence numbers. */
static void test_an_upgraded_table_goes_on(void **state) {
  (void)state;
  static const char *const properties[] = {"format-version", "1",
                                           "commit.manifest.min-count-to-merge", "2", NULL};
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  assert_ok(commit_on(&f, NULL, "a", NULL, &err), &err);
  for (int version = 2; version <= 3; version++) {
    const calve_change change = {.kind = CALVE_UPGRADE_FORMAT_VERSION, .id = version};
    const calve_changes changes = {.change_count = 1, .changes = &change};
    assert_ok(calve_table_commit_changes(f.table, &changes, &err), &err);
    assert_ok(commit_on(&f, NULL, version == 2 ? "b" : "c", NULL, &err), &err);
  }
  assert_string_equal(fixture_live(&f, f.table), "a b c");
  fixture_entry e[4];
  assert_int_equal(fixture_entries(&f, f.table, true, e, 4), 3);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(e[i].sequence_number, e[i].name.data[0] - 'a');
    assert_true(e[i].first_row_id >= 0); /* all rows have ids now */
  }
  assert_int_equal(calve_table_metadata(f.table)->last_sequence_number, 2);
  table_fixture_close(&f);
}

/* Counts of a version 1 list are optional: later versions require them, so that what the old list
 * does not tell is read from the manifests, once. */
static void test_an_upgraded_table_counts_what_its_list_left_out(void **state) {
  (void)state;
  static const char *const properties[] = {"format-version", "1", NULL};
  for (int version = 2; version <= 3; version++) {
    table_fixture f;
    calve_error err;
    const calve_manifest_file *m;
    table_fixture_open(&f, &(table_fixture_options){.properties = properties});
    calve_snapshot_update *u = fixture_update();
    for (const char *name = "a\0x\0"; *name; name += 2) {
      calve_data_file file = fixture_file(&f, f.table, name, "DE", 10);
      assert_ok(calve_snapshot_update_add(u, &file, &err), &err);
    }
    assert_ok(calve_table_commit_update(f.table, u, &err), &err);
    calve_snapshot_update_free(u);
    assert_ok(commit_on(&f, NULL, "b", "a", &err), &err); /* a DELETED, x EXISTING, b ADDED */
    assert_int_equal(fixture_manifests(&f, f.table, NULL, &m), 2);
    calve_manifest_file bare[2];
    for (size_t i = 0; i < 2; i++) {
      bare[i] = m[i];
      bare[i].added_files_count = bare[i].existing_files_count = CALVE_UNSET;
      bare[i].deleted_files_count = bare[i].deleted_rows_count = CALVE_UNSET;
      bare[i].added_rows_count = bare[i].existing_rows_count = CALVE_UNSET;
    }
    const calve_snapshot *s = calve_metadata_current_snapshot(calve_table_metadata(f.table));
    const calve_manifest_list_params params = {.format_version = 1,
                                               .snapshot_id = s->snapshot_id,
                                               .parent_snapshot_id = s->parent_snapshot_id,
                                               .first_row_id = CALVE_UNSET};
    calve_buffer list;
    calve_buffer_init(&list, NULL);
    assert_ok(calve_manifest_list_write(&params, bare, 2, &list, NULL, &err), &err);
    assert_ok(calve_store_replace(f.memory, s->manifest_list, calve_buffer_view(&list), &err),
              &err);
    calve_buffer_free(&list);
    const calve_change change = {.kind = CALVE_UPGRADE_FORMAT_VERSION, .id = version};
    const calve_changes changes = {.change_count = 1, .changes = &change};
    assert_ok(calve_table_commit_changes(f.table, &changes, &err), &err);
    assert_ok(commit_on(&f, NULL, "c", NULL, &err), &err);
    assert_string_equal(fixture_live(&f, f.table), "b c x");
    size_t count = fixture_manifests(&f, f.table, NULL, &m);
    int64_t added = 0, existing = 0, deleted = 0, rows = 0, deleted_rows = 0;
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
      added += m[i].added_files_count;
      deleted += m[i].deleted_files_count;
      existing += m[i].existing_files_count;
      rows += m[i].added_rows_count + m[i].existing_rows_count;
      deleted_rows += m[i].deleted_rows_count;
    }
    assert_int_equal(added, 2);
    assert_int_equal(existing, 1);
    assert_int_equal(rows, 30);
    assert_int_equal(deleted, 1);
    assert_int_equal(deleted_rows, 10);
    table_fixture_close(&f);
  }
}

/* Deletion vectors go with their data file; others in the same Puffin file stay. */
static void test_deletion_vectors_go_with_their_data_file(void **state) {
  (void)state;
  static const char *const properties[] = {"format-version", "3", NULL};
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  assert_ok(commit_on(&f, NULL, "a", NULL, &err), &err);
  assert_ok(commit_on(&f, NULL, "b", NULL, &err), &err);
  calve_snapshot_update *u = fixture_update();
  for (int i = 0; i < 2; i++) {
    calve_data_file dv = fixture_file(&f, f.table, "dv", "DE", 3);
    dv.content = CALVE_CONTENT_POSITION_DELETES;
    dv.format = CALVE_STR("PUFFIN");
    dv.referenced_data_file = fixture_file(&f, f.table, i ? "b" : "a", "DE", 0).path;
    dv.content_offset = 4 + 40 * i;
    dv.content_size_bytes = 40;
    assert_ok(calve_snapshot_update_add(u, &dv, &err), &err);
  }
  assert_ok(calve_table_commit_update(f.table, u, &err), &err);
  calve_snapshot_update_free(u);
  assert_string_equal(fixture_summary(f.table, "added-dvs"), "2");
  assert_string_equal(fixture_summary(f.table, "added-files-size"), "80");
  assert_ok(commit_on(&f, NULL, "a2", "a", &err), &err);
  assert_string_equal(fixture_summary(f.table, "removed-dvs"), "1");
  assert_string_equal(fixture_summary(f.table, "total-delete-files"), "1");
  fixture_entry e[8];
  size_t count = fixture_entries(&f, f.table, true, e, 8), live = 0, gone = 0;
  for (size_t i = 0; i < count; i++) {
    if (e[i].content == CALVE_CONTENT_DATA) continue;
    *(e[i].status == CALVE_ENTRY_DELETED ? &gone : &live) += 1;
  }
  assert_int_equal(live, 1);
  assert_int_equal(gone, 1);
  table_fixture_close(&f);
}

/* Schema change and rows in one commit: both or none. */
static void test_several_steps_become_visible_together(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_table *rival;
  table_fixture_open(&f, &(table_fixture_options){0});
  assert_ok(calve_table_load(f.catalog, &f.name, &rival, &err), &err);
  for (int round = 0; round < 2; round++) {
    calve_transaction *t;
    calve_schema_update *u;
    calve_changes changes;
    const calve_metadata *now;
    const calve_new_column column = {.name = round ? CALVE_STR("y") : CALVE_STR("x"),
                                     .type = calve_type_of(CALVE_INT)};
    assert_ok(calve_table_begin(f.table, &t, &err), &err);
    assert_ok(calve_schema_update_begin(calve_table_metadata(f.table), &f.arena, &u, &err), &err);
    assert_ok(calve_schema_update_add(u, &column, &err), &err);
    assert_ok(calve_schema_update_apply(u, NULL, &changes, &err), &err);
    assert_ok(calve_transaction_add_changes(t, &changes, &err), &err);
    assert_ok(calve_transaction_preview(t, &now, &err), &err);
    assert_non_null(calve_schema_find(now->schema, column.name));
    calve_snapshot_update *append = fixture_update();
    calve_snapshot_update *more = fixture_update();
    calve_data_file a = fixture_file(&f, f.table, round ? "c" : "a", "DE", 1);
    calve_data_file b = fixture_file(&f, f.table, round ? "d" : "b", "DE", 2);
    assert_ok(calve_snapshot_update_add(append, &a, &err), &err);
    assert_ok(calve_snapshot_update_add(more, &b, &err), &err);
    assert_ok(calve_transaction_add_update(t, append, &err), &err);
    assert_ok(calve_transaction_add_update(t, more, &err), &err);
    assert_ok(calve_transaction_preview(t, &now, &err), &err);
    assert_int_equal(now->snapshot_count, round ? 5 : 2);
    /* In the second round somebody appends in between: all is done again on top. */
    if (round) assert_ok(fixture_append(&f, rival, "r2", "DE", 1, &err), &err);
    assert_ok(calve_table_commit_transaction(f.table, t, &err), &err);
    assert_fails(calve_table_commit_transaction(f.table, t, &err), CALVE_EINVAL, &err);
    calve_transaction_free(t);
    calve_snapshot_update_free(append);
    calve_snapshot_update_free(more);
    if (!round) {
      assert_string_equal(fixture_live(&f, f.table), "a b");
      assert_int_equal(calve_table_metadata(f.table)->metadata_log_count, 1); /* one commit */
      assert_ok(fixture_append(&f, rival, "r", "DE", 1, &err), &err);
      assert_ok(calve_table_refresh(f.table, &err), &err);
    }
  }
  assert_string_equal(fixture_live(&f, f.table), "a b c d r r2");
  const calve_metadata *m = calve_table_metadata(f.table);
  assert_int_equal(m->snapshot_count, 6);
  assert_int_equal(calve_metadata_current_snapshot(m)->schema_id, m->current_schema_id);
  assert_non_null(calve_schema_find(m->schema, CALVE_STR("y")));
  assert_no_orphans(&f, f.memory, f.table);
  calve_table_close(rival);
  table_fixture_close(&f);
}

/* The second snapshot's merge replaces a manifest that the first one's list goes on naming. */
static void test_a_later_step_leaves_what_an_earlier_one_names(void **state) {
  (void)state;
  static const char *const properties[] = {"commit.manifest.min-count-to-merge", "2", NULL};
  table_fixture f;
  calve_error err;
  calve_table *rival;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  assert_ok(commit_on(&f, NULL, "a", NULL, &err), &err);
  assert_ok(calve_table_load(f.catalog, &f.name, &rival, &err), &err);
  static const char *const names[] = {"b", "c", "d", "e"};
  for (int round = 0; round < 2; round++) {
    calve_transaction *t;
    calve_snapshot_update *steps[2];
    assert_ok(calve_table_begin(f.table, &t, &err), &err);
    for (int i = 0; i < 2; i++) {
      calve_data_file file = fixture_file(&f, f.table, names[2 * round + i], "DE", 1);
      steps[i] = fixture_update();
      assert_ok(calve_snapshot_update_add(steps[i], &file, &err), &err);
      assert_ok(calve_transaction_add_update(t, steps[i], &err), &err);
    }
    const calve_metadata *now;
    assert_ok(calve_transaction_preview(t, &now, &err), &err);
    /* In the second round the first attempt is in vain. */
    if (round) assert_ok(calve_table_refresh(rival, &err), &err);
    if (round) assert_ok(fixture_append(&f, rival, "r", "DE", 1, &err), &err);
    assert_ok(calve_table_commit_transaction(f.table, t, &err), &err);
    calve_transaction_free(t);
    for (int i = 0; i < 2; i++) calve_snapshot_update_free(steps[i]);
    assert_string_equal(fixture_live(&f, f.table), round ? "a b c d e r" : "a b c");
    assert_no_orphans(&f, f.store, f.table); /* fails too when a named one is gone */
  }
  calve_table_close(rival);
  table_fixture_close(&f);
}

static void test_a_transaction_that_is_dropped_leaves_nothing(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_transaction *t;
  const calve_metadata *now;
  table_fixture_open(&f, &(table_fixture_options){0});
  calve_snapshot_update *u = fixture_update();
  calve_data_file a = fixture_file(&f, f.table, "a", "DE", 1);
  size_t before = calve_memory_store_count(f.memory);
  assert_ok(calve_snapshot_update_add(u, &a, &err), &err);
  assert_ok(calve_table_begin(f.table, &t, &err), &err);
  assert_ok(calve_transaction_add_update(t, u, &err), &err);
  assert_ok(calve_transaction_preview(t, &now, &err), &err);
  assert_int_equal(calve_memory_store_count(f.memory), before + 2);
  calve_transaction_free(t);
  calve_snapshot_update_free(u);
  assert_int_equal(calve_memory_store_count(f.memory), before);
  table_fixture_close(&f);
}

static void test_a_commit_without_steps_writes_nothing(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){0});
  size_t before = calve_memory_store_count(f.memory);
  const calve_changes none = {0};
  assert_ok(calve_table_commit_changes(f.table, &none, &err), &err);
  assert_int_equal(calve_memory_store_count(f.memory), before);
  assert_int_equal(calve_table_metadata(f.table)->metadata_log_count, 0);
  table_fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_branches_build_on_themselves),
      cmocka_unit_test(test_a_v1_snapshot_that_names_manifests_gets_a_list),
      cmocka_unit_test(test_an_upgraded_table_goes_on),
      cmocka_unit_test(test_an_upgraded_table_counts_what_its_list_left_out),
      cmocka_unit_test(test_deletion_vectors_go_with_their_data_file),
      cmocka_unit_test(test_several_steps_become_visible_together),
      cmocka_unit_test(test_a_later_step_leaves_what_an_earlier_one_names),
      cmocka_unit_test(test_a_transaction_that_is_dropped_leaves_nothing),
      cmocka_unit_test(test_a_commit_without_steps_writes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
