/* SPDX-License-Identifier: Apache-2.0 */
/* What every kind of catalog does, on SQL and filesystem catalogs alike; and what only one does. */
#include "table_fixture.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "store/local.h"

static calve_namespace space(table_fixture *f, const char *text) {
  calve_namespace s = {0};
  calve_error err;
  assert_ok(calve_namespace_parse(calve_str_of(text), &f->arena, &s, &err), &err);
  return s;
}

static calve_table_name name_of(table_fixture *f, const char *text) {
  calve_table_name n = {0};
  calve_error err;
  assert_ok(calve_table_name_parse(calve_str_of(text), &f->arena, &n, &err), &err);
  return n;
}

/* "a b c" */
static const char *joined(const calve_str *items, size_t count) {
  static char text[500];
  size_t size = 0;
  text[0] = '\0';
  for (size_t i = 0; i < count; i++)
    size += (size_t)snprintf(text + size, sizeof text - size, "%s%.*s", i ? " " : "",
                             CALVE_STR_ARG(items[i]));
  return text;
}

static const char *spaces(table_fixture *f, const char *parent) {
  const calve_str *items;
  size_t count;
  calve_error err;
  calve_namespace p = {0};
  if (parent) p = space(f, parent);
  assert_ok(calve_catalog_list_namespaces(f->catalog, parent ? &p : NULL, &f->arena, &items, &count,
                                          &err),
            &err);
  return joined(items, count);
}

static const char *tables(table_fixture *f, const char *in) {
  const calve_str *items;
  size_t count;
  calve_error err;
  calve_namespace s = space(f, in);
  assert_ok(calve_catalog_list_tables(f->catalog, &s, &f->arena, &items, &count, &err), &err);
  return joined(items, count);
}

static calve_status make(table_fixture *f, const char *name, calve_error *err) {
  calve_table_definition d;
  calve_table_name n = name_of(f, name);
  calve_table *t = NULL;
  fixture_definition(f, &(table_fixture_options){0}, &d);
  calve_status status = calve_table_create(f->catalog, &n, &d, &t, err);
  calve_table_close(t);
  return status;
}

static const table_fixture_options kinds[] = {
    {.sql = true}, {.local = true}, {0}, {.sql = true, .local = true}};

static void test_namespaces_nest(void **state) {
  (void)state;
  for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
    table_fixture f;
    calve_error err;
    table_fixture_open(&f, &kinds[k]); /* has db and db.t */
    calve_namespace deep = space(&f, "a.b.c"), a = space(&f, "a"), b = space(&f, "a.b");
    bool exists;
    assert_ok(calve_catalog_create_namespace(f.catalog, &deep, NULL, &err), &err);
    assert_fails(calve_catalog_create_namespace(f.catalog, &deep, NULL, &err), CALVE_EEXISTS,
                 &err);
    assert_string_equal(spaces(&f, NULL), "a db");
    assert_string_equal(spaces(&f, "a"), "b");
    assert_string_equal(spaces(&f, "a.b"), "c");
    assert_string_equal(spaces(&f, "a.b.c"), "");
    assert_string_equal(spaces(&f, "db"), "");
    assert_ok(calve_catalog_namespace_exists(f.catalog, &b, &exists, &err), &err);
    assert_true(exists);
    assert_fails(calve_catalog_drop_namespace(f.catalog, &a, &err), CALVE_EINVAL, &err);
    assert_ok(calve_catalog_drop_namespace(f.catalog, &deep, &err), &err);
    assert_ok(calve_catalog_namespace_exists(f.catalog, &deep, &exists, &err), &err);
    assert_false(exists);
    assert_fails(calve_catalog_drop_namespace(f.catalog, &deep, &err), CALVE_ENOTFOUND, &err);
    calve_namespace db = space(&f, "db");
    assert_fails(calve_catalog_drop_namespace(f.catalog, &db, &err), CALVE_EINVAL, &err);
    table_fixture_close(&f);
  }
}

static void test_tables_are_made_found_and_dropped(void **state) {
  (void)state;
  for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
    table_fixture f;
    calve_error err;
    calve_table *t;
    bool exists;
    table_fixture_open(&f, &kinds[k]);
    assert_ok(make(&f, "db.zebra", &err), &err);
    assert_ok(make(&f, "db.antelope", &err), &err);
    assert_string_equal(tables(&f, "db"), "antelope t zebra");
    assert_fails(make(&f, "db.zebra", &err), CALVE_EEXISTS, &err);
    assert_fails(make(&f, "nowhere.x", &err), CALVE_ENOTFOUND, &err);
    assert_message(&err, "nowhere");
    calve_table_name near = name_of(&f, "db.zebras");
    assert_fails(calve_table_load(f.catalog, &near, &t, &err), CALVE_ENOTFOUND, &err);
    assert_message(&err, "zebra\" meant");
    assert_ok(calve_catalog_table_exists(f.catalog, &near, &exists, &err), &err);
    assert_false(exists);
    calve_table_name zebra = name_of(&f, "db.zebra");
    assert_ok(calve_catalog_drop_table(f.catalog, &zebra, false, &err), &err);
    assert_string_equal(tables(&f, "db"), "antelope t");
    assert_fails(calve_catalog_drop_table(f.catalog, &zebra, false, &err), CALVE_ENOTFOUND, &err);
    table_fixture_close(&f);
  }
}

static calve_status count_file(void *ctx, const calve_store_entry *entry, calve_error *err) {
  (void)entry;
  (void)err;
  ++*(size_t *)ctx;
  return CALVE_OK;
}

static void test_purge_removes_every_file_of_the_table_and_no_other(void **state) {
  (void)state;
  for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
    table_fixture f;
    calve_error err;
    size_t left = 0;
    table_fixture_open(&f, &kinds[k]);
    const calve_store *store = calve_catalog_store(f.catalog);
    calve_data_file own = fixture_file(&f, f.table, "a", "DE", 1);
    calve_data_file foreign = fixture_file(&f, f.table, "b", "DE", 1);
    calve_str elsewhere;
    assert_ok(calve_arena_printf(&f.arena, &elsewhere, &err, "%s/imported.parquet", f.folder),
              &err);
    foreign.path = elsewhere;
    calve_snapshot_update *u = fixture_update();
    assert_ok(calve_store_create(store, own.path, CALVE_STR("x"), &err), &err);
    assert_ok(calve_store_create(store, foreign.path, CALVE_STR("x"), &err), &err);
    assert_ok(calve_snapshot_update_add(u, &own, &err), &err);
    assert_ok(calve_snapshot_update_add(u, &foreign, &err), &err);
    assert_ok(calve_table_commit_update(f.table, u, &err), &err);
    calve_snapshot_update_free(u);
    calve_str location;
    assert_ok(calve_arena_str(&f.arena, calve_table_metadata(f.table)->location, &location, &err),
              &err);
    assert_ok(calve_catalog_drop_table(f.catalog, &f.name, true, &err), &err);
    assert_ok(calve_store_list(store, location, count_file, &left, &err), &err);
    assert_int_equal(left, 0);
    bool exists = false;
    assert_ok(calve_store_exists(store, elsewhere, &exists, NULL, &err), &err);
    assert_true(exists);
    table_fixture_close(&f);
  }
}

static void test_purge_respects_gc_enabled(void **state) {
  (void)state;
  static const char *const properties[] = {"gc.enabled", "false", NULL};
  for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
    table_fixture_options options = kinds[k];
    table_fixture f;
    calve_error err;
    options.properties = properties;
    table_fixture_open(&f, &options);
    assert_fails(calve_catalog_drop_table(f.catalog, &f.name, true, &err), CALVE_EINVAL, &err);
    assert_message(&err, kinds[k].sql ? "without PURGE" : "unset gc.enabled");
    assert_string_equal(tables(&f, "db"), "t");
    /* A folder is the name and the files, so that the name alone can't go. */
    calve_status status = calve_catalog_drop_table(f.catalog, &f.name, false, &err);
    assert_int_equal(status, kinds[k].sql ? CALVE_OK : CALVE_EINVAL);
    assert_string_equal(tables(&f, "db"), kinds[k].sql ? "" : "t");
    table_fixture_close(&f);
  }
}

/* In a catalog of folders a table and a namespace of one name would be one folder. */
static void test_folders_are_a_table_or_a_namespace(void **state) {
  (void)state;
  for (size_t k = 1; k <= 2; k++) {
    table_fixture f;
    calve_error err;
    table_fixture_open(&f, &kinds[k]);
    calve_namespace same = space(&f, "db.t"), inside = space(&f, "db.t.x"), a = space(&f, "a.b");
    assert_fails(calve_catalog_create_namespace(f.catalog, &same, NULL, &err), CALVE_EEXISTS,
                 &err);
    assert_message(&err, "is a table");
    assert_fails(calve_catalog_create_namespace(f.catalog, &inside, NULL, &err), CALVE_EEXISTS,
                 &err);
    assert_fails(make(&f, "db.t.x", &err), CALVE_ENOTFOUND, &err);
    assert_ok(calve_catalog_create_namespace(f.catalog, &a, NULL, &err), &err);
    assert_ok(make(&f, "a.b.t", &err), &err);
    calve_namespace top = space(&f, "a");
    bool exists = false;
    assert_ok(calve_catalog_namespace_exists(f.catalog, &top, &exists, &err), &err);
    assert_true(exists);
    assert_fails(make(&f, "a.b", &err), CALVE_EEXISTS, &err);
    assert_message(&err, "namespace that holds tables");
    assert_string_equal(tables(&f, "a.b"), "t");
    table_fixture_close(&f);
  }
}

static void test_sql_tables_are_renamed_and_registered(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_table *t;
  table_fixture_open(&f, &(table_fixture_options){.sql = true});
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  calve_namespace other = space(&f, "other");
  assert_ok(calve_catalog_create_namespace(f.catalog, &other, NULL, &err), &err);
  calve_table_name to = name_of(&f, "other.moved"), x = name_of(&f, "db.x");
  calve_table_name bad = name_of(&f, "nowhere.x");
  assert_ok(make(&f, "db.x", &err), &err);
  assert_fails(calve_catalog_rename_table(f.catalog, &f.name, &x, &err), CALVE_EEXISTS, &err);
  assert_message(&err, "db.x");
  assert_fails(calve_catalog_rename_table(f.catalog, &f.name, &bad, &err), CALVE_ENOTFOUND, &err);
  assert_ok(calve_catalog_rename_table(f.catalog, &f.name, &to, &err), &err);
  assert_fails(calve_catalog_rename_table(f.catalog, &f.name, &to, &err), CALVE_ENOTFOUND, &err);
  assert_ok(calve_table_load(f.catalog, &to, &t, &err), &err);
  assert_string_equal(fixture_live(&f, t), "a");

  calve_table_name registered = name_of(&f, "db.again");
  assert_ok(calve_catalog_register_table(f.catalog, &registered, calve_table_metadata_location(t),
                                         &err),
            &err);
  assert_fails(calve_catalog_register_table(f.catalog, &registered,
                                            calve_table_metadata_location(t), &err),
               CALVE_EEXISTS, &err);
  assert_fails(calve_catalog_register_table(f.catalog, &bad, calve_table_metadata_location(t),
                                            &err),
               CALVE_ENOTFOUND, &err);
  calve_table_name missing = name_of(&f, "db.missing");
  assert_fails(calve_catalog_register_table(f.catalog, &missing, CALVE_STR("/wh/none.json"), &err),
               CALVE_ENOTFOUND, &err);
  calve_table_close(t);
  table_fixture_close(&f);
}

static void test_namespace_properties_of_a_sql_catalog(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.sql = true});
  const calve_property items[] = {{CALVE_STR("owner"), CALVE_STR("it's me")},
                                  {CALVE_STR("location"), CALVE_STR("file:///elsewhere/")}};
  const calve_properties properties = {items, 2};
  calve_namespace s = space(&f, "sales");
  assert_ok(calve_catalog_create_namespace(f.catalog, &s, &properties, &err), &err);
  calve_properties got;
  assert_ok(calve_catalog_namespace_properties(f.catalog, &s, &f.arena, &got, &err), &err);
  assert_int_equal(got.count, 2);
  assert_true(calve_str_equal_text(calve_properties_get(&got, "owner"), "it's me"));
  const calve_property set = {CALVE_STR("owner"), CALVE_STR("you")};
  const calve_str unset = CALVE_STR("location");
  assert_ok(calve_catalog_alter_namespace(f.catalog, &s, &(calve_properties){&set, 1}, &unset, 1,
                                          &err),
            &err);
  assert_ok(calve_catalog_namespace_properties(f.catalog, &s, &f.arena, &got, &err), &err);
  assert_int_equal(got.count, 1);
  assert_true(calve_str_equal_text(calve_properties_get(&got, "owner"), "you"));
  /* A namespace's location is where its tables go. */
  const calve_property back = items[1];
  assert_ok(calve_catalog_alter_namespace(f.catalog, &s, &(calve_properties){&back, 1}, NULL, 0,
                                          &err),
            &err);
  calve_table_definition d;
  calve_table *t;
  calve_table_name n = name_of(&f, "sales.orders");
  fixture_definition(&f, &(table_fixture_options){0}, &d);
  assert_ok(calve_table_create(f.catalog, &n, &d, &t, &err), &err);
  assert_true(calve_str_equal_text(calve_table_metadata(t)->location, "file:///elsewhere/orders"));
  calve_table_close(t);
  table_fixture_close(&f);
}

/* Names are bound, never pasted; as folders they can't leave the warehouse. */
static void test_strange_names_are_only_names(void **state) {
  (void)state;
  static const char *const names[] = {"x'; DROP TABLE iceberg_tables; --",
                                      "\"\"quoted\"\"",
                                      "100%",
                                      "a_b",
                                      "ü🧊",
                                      "..",
                                      "a/b",
                                      "../../up",
                                      "line\nbreak",
                                      "*?[x]"};
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.sql = true});
  calve_namespace db = space(&f, "db");
  for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
    calve_table_name n = {db, calve_str_of(names[i])};
    calve_table_definition d;
    calve_table *t;
    fixture_definition(&f, &(table_fixture_options){0}, &d);
    assert_ok(calve_table_create(f.catalog, &n, &d, &t, &err), &err);
    calve_str location = calve_table_metadata(t)->location, root;
    assert_ok(calve_arena_printf(&f.arena, &root, &err, "file://%s/db", f.folder), &err);
    assert_true(calve_path_inside(location, root));
    calve_table_close(t);
    assert_ok(calve_table_load(f.catalog, &n, &t, &err), &err);
    calve_table_close(t);
  }
  const calve_str *items;
  size_t count;
  assert_ok(calve_catalog_list_tables(f.catalog, &db, &f.arena, &items, &count, &err), &err);
  assert_int_equal(count, ARRAY_COUNT(names) + 1);
  for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
    calve_table_name n = {db, calve_str_of(names[i])};
    assert_ok(calve_catalog_drop_table(f.catalog, &n, true, &err), &err);
  }
  assert_string_equal(tables(&f, "db"), "t");
  table_fixture_close(&f);

  table_fixture_open(&f, &(table_fixture_options){0}); /* folders are pickier */
  static const char *const refused[] = {"..", ".hidden", "a/b", "line\nbreak"};
  for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
    calve_table_name n = {db, calve_str_of(refused[i])};
    calve_table *t;
    calve_table_definition d;
    fixture_definition(&f, &(table_fixture_options){0}, &d);
    n.space = space(&f, "db");
    assert_fails(calve_table_create(f.catalog, &n, &d, &t, &err), CALVE_EINVAL, &err);
  }
  table_fixture_close(&f);
}

static void run_sql(const char *path, const char *sql) {
  sqlite3 *db;
  char *message = NULL;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) fail_msg("%s: %s", sql, message);
  sqlite3_close(db);
}

static calve_status open_uri(const char *uri, const char *warehouse, bool read_only,
                             calve_catalog **out, calve_error *err) {
  calve_property items[2];
  size_t count = 0;
  if (uri) items[count++] = (calve_property){CALVE_STR("uri"), calve_str_of(uri)};
  if (warehouse) items[count++] = (calve_property){CALVE_STR("warehouse"), calve_str_of(warehouse)};
  const calve_catalog_options options = {.properties = {items, count}, .read_only = read_only};
  return calve_catalog_open_options(&options, out, err);
}

/* Files from before views existed have no iceberg_type; views in newer ones are no tables. */
static void test_files_of_older_and_newer_peers_are_used_as_they_are(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_catalog *c;
  char folder[256], path[300], uri[320];
  make_temp_dir(folder);
  snprintf(path, sizeof path, "%s/cat.db", folder);
  snprintf(uri, sizeof uri, "sqlite:///%s", path);
  run_sql(path,
          "CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace "
          "VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, metadata_location "
          "VARCHAR(1000), previous_metadata_location VARCHAR(1000), PRIMARY KEY (catalog_name, "
          "table_namespace, table_name));"
          "CREATE TABLE iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL, "
          "namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255) NOT NULL, property_value "
          "VARCHAR(1000) NOT NULL, PRIMARY KEY (catalog_name, namespace, property_key));"
          "INSERT INTO iceberg_namespace_properties VALUES ('other', 'x', 'exists', 'true')");
  assert_ok(open_uri(uri, folder, false, &c, &err), &err);
  memset(&f, 0, sizeof f);
  calve_arena_init(&f.arena, NULL);
  f.catalog = c;
  assert_string_equal(spaces(&f, NULL), ""); /* another catalog's rows are not ours */
  calve_namespace db = space(&f, "db");
  assert_ok(calve_catalog_create_namespace(c, &db, NULL, &err), &err);
  assert_ok(make(&f, "db.t", &err), &err);
  f.name = name_of(&f, "db.t");
  assert_ok(calve_table_load(c, &f.name, &f.table, &err), &err);
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  calve_table_close(f.table);
  calve_catalog_close(c);

  run_sql(path, "ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5);"
                "INSERT INTO iceberg_tables VALUES ('calve','db','v','/x',NULL,'VIEW')");
  assert_ok(open_uri(uri, folder, false, &c, &err), &err);
  f.catalog = c;
  assert_string_equal(tables(&f, "db"), "t"); /* its iceberg_type is NULL: a table */
  calve_table_name v = name_of(&f, "db.v");
  assert_fails(calve_table_load(c, &v, &f.table, &err), CALVE_ENOTFOUND, &err);
  assert_fails(make(&f, "db.v", &err), CALVE_EEXISTS, &err);
  assert_ok(calve_table_load(c, &f.name, &f.table, &err), &err);
  assert_ok(fixture_append(&f, f.table, "b", "DE", 1, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "a b");
  calve_table_close(f.table);
  calve_catalog_close(c);
  calve_arena_free(&f.arena);
  remove_temp_dir(folder);
}

static void test_bad_catalogs_are_refused_with_a_reason(void **state) {
  (void)state;
  calve_error err;
  calve_catalog *c;
  char folder[256], uri[320], file[300];
  make_temp_dir(folder);
  assert_fails(open_uri(NULL, NULL, false, &c, &err), CALVE_EINVAL, &err);
  assert_fails(open_uri("postgresql://me:secret@host/db", NULL, false, &c, &err),
               CALVE_EUNSUPPORTED, &err);
  assert_null(strstr(err.message, "secret"));
  assert_null(strstr(err.where, "secret"));
  assert_fails(open_uri(NULL, "s3://bucket/wh", false, &c, &err), CALVE_EINVAL, &err);
  assert_fails(open_uri(NULL, folder, true, &c, &err), CALVE_ENOTFOUND, &err);
  snprintf(file, sizeof file, "%s/junk.db", folder);
  write_file(file, "this is no database, but long enough to be looked at as one.............", 70);
  snprintf(uri, sizeof uri, "sqlite:///%s", file);
  assert_fails(open_uri(uri, NULL, false, &c, &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "junk.db");
  snprintf(uri, sizeof uri, "sqlite:///%s/no/such/folder.db", folder);
  assert_fails(open_uri(uri, NULL, false, &c, &err), CALVE_EDENIED, &err);
  const calve_property type = {CALVE_STR("type"), CALVE_STR("hive")};
  const calve_catalog_options options = {.properties = {&type, 1}};
  assert_fails(calve_catalog_open_options(&options, &c, &err), CALVE_EUNSUPPORTED, &err);
  assert_message(&err, "hive");
  remove_temp_dir(folder);
}

static void test_a_read_only_catalog_changes_nothing(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_catalog *c;
  calve_table *t;
  table_fixture_open(&f, &(table_fixture_options){.sql = true, .local = true});
  assert_ok(open_uri(NULL, f.folder, true, &c, &err), &err);
  assert_ok(calve_table_load(c, &f.name, &t, &err), &err);
  assert_fails(fixture_append(&f, t, "a", "DE", 1, &err), CALVE_EDENIED, &err);
  calve_namespace s = space(&f, "new");
  assert_fails(calve_catalog_create_namespace(c, &s, NULL, &err), CALVE_EDENIED, &err);
  assert_fails(calve_catalog_drop_table(c, &f.name, true, &err), CALVE_EDENIED, &err);
  calve_table_close(t);
  calve_catalog_close(c);
  table_fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_namespaces_nest),
      cmocka_unit_test(test_tables_are_made_found_and_dropped),
      cmocka_unit_test(test_purge_removes_every_file_of_the_table_and_no_other),
      cmocka_unit_test(test_purge_respects_gc_enabled),
      cmocka_unit_test(test_folders_are_a_table_or_a_namespace),
      cmocka_unit_test(test_sql_tables_are_renamed_and_registered),
      cmocka_unit_test(test_namespace_properties_of_a_sql_catalog),
      cmocka_unit_test(test_strange_names_are_only_names),
      cmocka_unit_test(test_files_of_older_and_newer_peers_are_used_as_they_are),
      cmocka_unit_test(test_bad_catalogs_are_refused_with_a_reason),
      cmocka_unit_test(test_a_read_only_catalog_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
