/* SPDX-License-Identifier: Apache-2.0 */
#include "table_fixture.h"

#include "evolve/property_update.h"

static calve_status set_property(calve_table *t, const char *key, const char *value,
                                 calve_error *err) {
  const calve_property set = {calve_str_of(key), calve_str_of(value)};
  const calve_change change = {.kind = CALVE_SET_PROPERTIES, .properties = {&set, 1}};
  const calve_changes changes = {.change_count = 1, .changes = &change};
  return calve_table_commit_changes(t, &changes, err);
}

static void test_a_new_table_is_what_was_asked_for(void **state) {
  (void)state;
  static const char *const properties[] = {"format-version", "1", "owner", "me", NULL};
  table_fixture f;
  table_fixture_open(&f, &(table_fixture_options){.sql = true, .properties = properties});
  const calve_metadata *m = calve_table_metadata(f.table);
  char location[400];
  snprintf(location, sizeof location, "file://%s/db/t", f.folder);
  assert_true(calve_str_equal_text(m->location, location));
  assert_int_equal(m->format_version, 1);
  assert_null(calve_properties_get(&m->properties, "format-version").data);
  assert_true(calve_str_equal_text(calve_properties_get(&m->properties, "owner"), "me"));
  assert_int_equal(m->table_uuid.size, 36);
  assert_int_equal(m->current_snapshot_id, CALVE_NO_SNAPSHOT);
  assert_int_equal(m->metadata_log_count, 0);
  assert_int_equal(m->spec->field_count, 1);
  assert_string_equal(calve_table_full_name(f.table).data, "db.t");
  calve_str file = calve_path_file_name(calve_table_metadata_location(f.table));
  assert_int_equal(file.size, strlen("00000-12345678-1234-1234-1234-123456789012.metadata.json"));
  assert_memory_equal(file.data, "00000-", 6);
  table_fixture_close(&f);
}

/* CTAS: the table and its first rows become visible together, or neither. */
static void test_a_staged_table_appears_with_its_first_commit(void **state) {
  (void)state;
  for (int sql = 0; sql < 2; sql++) {
    table_fixture f;
    calve_error err;
    calve_table *t, *rival;
    calve_table_definition d;
    calve_table_name name;
    bool exists = true;
    table_fixture_open(&f, &(table_fixture_options){.sql = sql});
    assert_ok(calve_table_name_parse(CALVE_STR("db.new"), &f.arena, &name, &err), &err);
    fixture_definition(&f, &(table_fixture_options){0}, &d);
    assert_ok(calve_table_stage(f.catalog, &name, &d, &t, &err), &err);
    assert_true(calve_table_is_staged(t));
    assert_ok(calve_catalog_table_exists(f.catalog, &name, &exists, &err), &err);
    assert_false(exists);
    assert_ok(calve_table_refresh(t, &err), &err); /* nothing to load yet */
    assert_ok(fixture_append(&f, t, "a", "DE", 1, &err), &err);
    assert_false(calve_table_is_staged(t));
    assert_string_equal(fixture_live(&f, t), "a");
    assert_ok(fixture_append(&f, t, "b", "DE", 1, &err), &err);
    calve_table_close(t);
    assert_ok(calve_table_load(f.catalog, &name, &t, &err), &err);
    assert_int_equal(calve_table_metadata(t)->snapshot_count, 2);
    calve_table_close(t);

    /* Two want the same name: the second is told so, and leaves nothing. */
    assert_ok(calve_table_name_parse(CALVE_STR("db.both"), &f.arena, &name, &err), &err);
    assert_ok(calve_table_stage(f.catalog, &name, &d, &t, &err), &err);
    assert_ok(calve_table_create(f.catalog, &name, &d, &rival, &err), &err);
    assert_fails(fixture_append(&f, t, "a", "DE", 1, &err), CALVE_EEXISTS, &err);
    assert_no_orphans(&f, f.store, rival);
    calve_table_close(rival);
    calve_table_close(t);
    table_fixture_close(&f);
  }
}

static void test_refresh_sees_other_commits_and_other_tables(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_table *other, *rival;
  calve_table_definition d;
  table_fixture_open(&f, &(table_fixture_options){.sql = true});
  assert_ok(calve_table_load(f.catalog, &f.name, &other, &err), &err);
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  assert_int_equal(calve_table_metadata(other)->snapshot_count, 0);
  const calve_metadata *before = calve_table_metadata(f.table);
  assert_ok(calve_table_refresh(f.table, &err), &err);
  assert_ptr_equal(calve_table_metadata(f.table), before); /* nothing new, nothing read */
  assert_ok(calve_table_refresh(other, &err), &err);
  assert_int_equal(calve_table_metadata(other)->snapshot_count, 1);

  assert_ok(calve_catalog_drop_table(f.catalog, &f.name, false, &err), &err);
  assert_fails(calve_table_refresh(other, &err), CALVE_ENOTFOUND, &err);
  fixture_definition(&f, &(table_fixture_options){0}, &d);
  assert_ok(calve_table_create(f.catalog, &f.name, &d, &rival, &err), &err);
  assert_fails(calve_table_refresh(other, &err), CALVE_ECONFLICT, &err);
  assert_fails(fixture_append(&f, other, "b", "DE", 1, &err), CALVE_ECONFLICT, &err);
  assert_ok(calve_table_refresh(rival, &err), &err);
  assert_int_equal(calve_table_metadata(rival)->snapshot_count, 0);
  calve_table_close(rival);
  calve_table_close(other);
  table_fixture_close(&f);
}

static void test_metadata_and_data_go_where_properties_say(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.sql = true});
  assert_ok(set_property(f.table, "write.metadata.path", "file:///meta/t/", &err), &err);
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  calve_str location = calve_table_metadata_location(f.table);
  assert_true(calve_str_starts_with(location, CALVE_STR("file:///meta/t/00002-")));
  const calve_snapshot *s = calve_metadata_current_snapshot(calve_table_metadata(f.table));
  assert_true(calve_str_starts_with(s->manifest_list, CALVE_STR("file:///meta/t/snap-")));
  table_fixture_close(&f);

  table_fixture_open(&f, &(table_fixture_options){0});
  assert_fails(set_property(f.table, "write.metadata.path", "file:///meta/t", &err), CALVE_EINVAL,
               &err);
  table_fixture_close(&f);
}

/* [reference: write.metadata.previous-versions-max, write.metadata.delete-after-commit.enabled] */
static void test_old_metadata_files_go_when_they_leave_the_log(void **state) {
  (void)state;
  for (int deletes = 0; deletes < 2; deletes++) {
    static const char *const kept[] = {"write.metadata.previous-versions-max", "2", NULL};
    static const char *const removed[] = {"write.metadata.previous-versions-max", "2",
                                          "write.metadata.delete-after-commit.enabled", "true",
                                          NULL};
    table_fixture f;
    calve_error err;
    table_fixture_open(&f, &(table_fixture_options){.properties = deletes ? removed : kept});
    for (int i = 0; i < 4; i++)
      assert_ok(set_property(f.table, "n", i % 2 ? "1" : "0", &err), &err);
    const calve_metadata *m = calve_table_metadata(f.table);
    assert_int_equal(m->metadata_log_count, 2);
    assert_true(calve_str_ends_with(m->metadata_log[1].metadata_file,
                                    CALVE_STR("/v4.metadata.json")));
    bool exists;
    for (int v = 1; v <= 5; v++) {
      char path[100];
      snprintf(path, sizeof path, "/wh/db/t/metadata/v%d.metadata.json", v);
      assert_ok(calve_store_exists(f.memory, calve_str_of(path), &exists, NULL, &err), &err);
      assert_int_equal(exists, !deletes || v >= 3);
    }
    table_fixture_close(&f);
  }
}

/* Rule (B079): a rollback is a new entry of the log; numbers never run backwards. */
static void test_rolling_back_goes_forward_in_time(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){0});
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  f.now_ms += 120000;
  assert_ok(fixture_append(&f, f.table, "b", "DE", 1, &err), &err);
  f.now_ms += 180000;
  int64_t first = calve_table_metadata(f.table)->snapshots[0].snapshot_id, rolled = f.now_ms;
  const calve_change change = {.kind = CALVE_SET_SNAPSHOT_REF,
                               .ref = {.name = CALVE_STR("main"),
                                       .snapshot_id = first,
                                       .min_snapshots_to_keep = -1,
                                       .max_snapshot_age_ms = -1,
                                       .max_ref_age_ms = -1}};
  const calve_changes changes = {.change_count = 1, .changes = &change};
  assert_ok(calve_table_commit_changes(f.table, &changes, &err), &err);
  const calve_metadata *m = calve_table_metadata(f.table);
  assert_string_equal(fixture_live(&f, f.table), "a");
  assert_int_equal(m->snapshot_log_count, 3);
  assert_int_equal(m->snapshot_log[2].snapshot_id, first);
  assert_true(m->snapshot_log[2].timestamp_ms >= rolled);
  assert_true(m->last_updated_ms >= rolled);
  assert_ok(fixture_append(&f, f.table, "c", "DE", 1, &err), &err);
  m = calve_table_metadata(f.table);
  assert_string_equal(fixture_live(&f, f.table), "a c");
  const calve_snapshot *s = calve_metadata_current_snapshot(m);
  assert_int_equal(s->parent_snapshot_id, first);
  assert_int_equal(s->sequence_number, 3);
  assert_string_equal(fixture_summary(f.table, "total-data-files"), "2");

  /* A clock that went back does not take the log with it. */
  f.now_ms -= 1000000;
  assert_ok(fixture_append(&f, f.table, "d", "DE", 1, &err), &err);
  m = calve_table_metadata(f.table);
  assert_true(m->snapshot_log[4].timestamp_ms >= m->snapshot_log[3].timestamp_ms);
  calve_table *again;
  assert_ok(calve_table_load(f.catalog, &f.name, &again, &err), &err);
  calve_table_close(again);
  table_fixture_close(&f);
}

/* A stranger's metadata reads only what lies in the folder that the user pointed at. */
static void test_a_bare_file_is_confined(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_table *bare;
  calve_store_file file;
  bool exists;
  table_fixture_open(&f, &(table_fixture_options){0});
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  assert_ok(calve_store_create(f.memory, CALVE_STR("/etc/passwd"), CALVE_STR("x"), &err), &err);
  assert_ok(calve_store_create(f.memory, CALVE_STR("/more/f"), CALVE_STR("x"), &err), &err);
  const calve_str root = CALVE_STR("/more");
  const calve_table_file_options options = {.store = f.memory, .roots = &root, .root_count = 1};
  assert_ok(calve_table_open_file(CALVE_STR("/wh/db/t"), &options, &bare, &err), &err);
  assert_true(calve_table_is_read_only(bare));
  assert_string_equal(fixture_live(&f, bare), "a"); /* reads list and manifests */
  const calve_store *store = calve_table_store(bare);
  assert_fails(calve_store_open(store, CALVE_STR("/etc/passwd"), &file, &err), CALVE_EDENIED, &err);
  assert_message(&err, "--allow-root");
  assert_fails(calve_store_open(store, CALVE_STR("/wh/db/t/../../../etc/passwd"), &file, &err),
               CALVE_EDENIED, &err);
  assert_ok(calve_store_exists(store, CALVE_STR("/more/f"), &exists, NULL, &err), &err);
  assert_fails(calve_store_remove(store, CALVE_STR("/wh/db/t/metadata/v1.metadata.json"), &err),
               CALVE_EDENIED, &err);
  calve_table_close(bare);

  const calve_table_file_options trusted = {.store = f.memory, .trusted = true};
  assert_ok(calve_table_open_file(calve_table_metadata_location(f.table), &trusted, &bare, &err),
            &err);
  assert_ok(calve_store_exists(calve_table_store(bare), CALVE_STR("/etc/passwd"), &exists, NULL,
                               &err),
            &err);
  calve_table_close(bare);
  table_fixture_close(&f);
}

/* A warehouse that was copied elsewhere opens by a map of prefixes. */
static void test_a_copied_table_opens_by_its_map(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_table *bare;
  table_fixture_open(&f, &(table_fixture_options){0});
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  fixture_entry e[1];
  const calve_manifest_file *m;
  assert_int_equal(fixture_entries(&f, f.table, false, e, 1), 1);
  fixture_manifests(&f, f.table, NULL, &m);
  const calve_snapshot *s = calve_metadata_current_snapshot(calve_table_metadata(f.table));
  const calve_str files[] = {calve_table_metadata_location(f.table), s->manifest_list, m[0].path};
  for (size_t i = 0; i < 3; i++) {
    calve_str bytes, copy;
    assert_ok(calve_store_read(f.memory, files[i], INT64_MAX, &f.arena, &bytes, &err), &err);
    assert_ok(calve_arena_printf(&f.arena, &copy, &err, "/moved/t/metadata/%.*s",
                                 CALVE_STR_ARG(calve_path_file_name(files[i]))),
              &err);
    assert_ok(calve_store_create(f.memory, copy, bytes, &err), &err);
    assert_ok(calve_store_remove(f.memory, files[i], &err), &err);
  }
  const calve_path_map map = {CALVE_STR("/wh/db/t"), CALVE_STR("/moved/t")};
  const calve_table_file_options options = {.store = f.memory, .maps = &map, .map_count = 1};
  assert_ok(calve_table_open_file(CALVE_STR("/moved/t"), &options, &bare, &err), &err);
  assert_string_equal(fixture_live(&f, bare), "a");
  calve_table_close(bare);
  table_fixture_close(&f);
}

/* The whole life of a table in a filesystem catalog under a map of prefixes. */
static void test_a_copied_warehouse_can_be_written_to(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_catalog *c;
  calve_table *t;
  table_fixture_open(&f, &(table_fixture_options){0});
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  const calve_property properties[] = {{CALVE_STR("type"), CALVE_STR("hadoop")},
                                       {CALVE_STR("warehouse"), CALVE_STR("/old")}};
  const calve_path_map map = {CALVE_STR("/old"), CALVE_STR("/wh")};
  const calve_catalog_options options = {.properties = {properties, 2},
                                         .store = f.store,
                                         .clock = {&f, fixture_now_, fixture_sleep_},
                                         .maps = &map,
                                         .map_count = 1};
  assert_ok(calve_catalog_open_options(&options, &c, &err), &err);
  assert_ok(calve_table_load(c, &f.name, &t, &err), &err);
  assert_ok(fixture_append(&f, t, "b", "DE", 1, &err), &err);
  assert_string_equal(fixture_live(&f, t), "a b");
  calve_table_close(t);
  calve_catalog_close(c);
  assert_ok(calve_table_refresh(f.table, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "a b");
  table_fixture_close(&f);
}

static calve_status live_a_life(const table_fixture_options *o, table_fixture *f,
                                calve_error *err) {
  calve_catalog *c;
  calve_table *t = NULL;
  calve_table_definition d;
  const calve_str *names;
  size_t count;
  calve_status status = fixture_open_catalog(f, o, &c, err);
  if (status != CALVE_OK) return status;
  fixture_definition(f, o, &d);
  status = calve_catalog_create_namespace(c, &f->name.space, NULL, err);
  if (status == CALVE_OK) status = calve_table_create(c, &f->name, &d, &t, err);
  if (status == CALVE_OK) status = calve_table_refresh(t, err);
  calve_table_close(t);
  t = NULL;
  if (status == CALVE_OK) status = calve_table_load(c, &f->name, &t, err);
  if (status == CALVE_OK)
    status = calve_catalog_list_tables(c, &f->name.space, &f->arena, &names, &count, err);
  calve_table_close(t);
  if (status == CALVE_OK) status = calve_catalog_drop_table(c, &f->name, true, err);
  if (status == CALVE_OK) status = calve_catalog_drop_namespace(c, &f->name.space, err);
  calve_catalog_close(c);
  return status;
}

static void test_every_failing_allocation_is_reported(void **state) {
  (void)state;
  for (int sql = 0; sql < 2; sql++) {
    bool done = false;
    long n = 0;
    for (; !done && n < 5000; n++) {
      failing_allocator mem;
      table_fixture f = {.now_ms = 1};
      calve_error err;
      failing_allocator_init(&mem, n);
      calve_arena_init(&f.arena, NULL);
      snprintf(f.folder, sizeof f.folder, "/wh");
      if (sql) make_temp_dir(f.folder);
      assert_ok(calve_memory_store_make(NULL, &f.memory, &err), &err);
      f.store = f.memory;
      assert_ok(calve_table_name_parse(CALVE_STR("db.t"), &f.arena, &f.name, &err), &err);
      calve_status status =
          live_a_life(&(table_fixture_options){.sql = sql, .allocator = &mem.allocator}, &f, &err);
      done = mem.calls <= n;
      if (done) assert_ok(status, &err);
      else assert_true(status == CALVE_ENOMEM || status == CALVE_EUNKNOWN || status == CALVE_OK);
      assert_int_equal(mem.live_bytes, 0);
      table_fixture_close(&f);
    }
    assert_true(done && n > 30);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_new_table_is_what_was_asked_for),
      cmocka_unit_test(test_a_staged_table_appears_with_its_first_commit),
      cmocka_unit_test(test_refresh_sees_other_commits_and_other_tables),
      cmocka_unit_test(test_metadata_and_data_go_where_properties_say),
      cmocka_unit_test(test_old_metadata_files_go_when_they_leave_the_log),
      cmocka_unit_test(test_rolling_back_goes_forward_in_time),
      cmocka_unit_test(test_a_bare_file_is_confined),
      cmocka_unit_test(test_a_copied_table_opens_by_its_map),
      cmocka_unit_test(test_a_copied_warehouse_can_be_written_to),
      cmocka_unit_test(test_every_failing_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
