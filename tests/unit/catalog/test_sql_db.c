/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that fails under the catalog's SQLite file: what is not known, and what was not done. */
#include "table_fixture.h"

#include <sqlite3.h>

/* The system's files, but for calls that are to fail. */
static struct {
  sqlite3_vfs vfs;
  sqlite3_vfs *system;
  sqlite3_io_methods methods;
  const sqlite3_io_methods *real;
  bool reads_fail, syncs_fail;
} disk;

static int read_or_fail(sqlite3_file *file, void *to, int size, sqlite3_int64 at) {
  return disk.reads_fail ? SQLITE_IOERR_READ : disk.real->xRead(file, to, size, at);
}

static int sync_or_fail(sqlite3_file *file, int flags) {
  return disk.syncs_fail ? SQLITE_IOERR_FSYNC : disk.real->xSync(file, flags);
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *out_flags) {
  (void)vfs;
  int code = disk.system->xOpen(disk.system, name, file, flags, out_flags);
  if (code != SQLITE_OK || !file->pMethods) return code;
  disk.real = file->pMethods;
  disk.methods = *disk.real;
  disk.methods.iVersion = 1; /* no shared memory, no mapping */
  disk.methods.xRead = read_or_fail;
  disk.methods.xSync = sync_or_fail;
  file->pMethods = &disk.methods;
  return code;
}

static int replace_disk(void **state) {
  (void)state;
  disk.system = sqlite3_vfs_find(NULL);
  disk.vfs = *disk.system;
  disk.vfs.zName = "failing";
  disk.vfs.xOpen = open_file;
  return sqlite3_vfs_register(&disk.vfs, 1);
}

static int restore_disk(void **state) {
  (void)state;
  return sqlite3_vfs_unregister(&disk.vfs);
}

static calve_status open_catalog(const char *folder, calve_catalog **out, calve_error *err) {
  char uri[320];
  snprintf(uri, sizeof uri, "sqlite:///%s/cat.db", folder);
  const calve_property items[] = {{CALVE_STR("uri"), calve_str_of(uri)},
                                  {CALVE_STR("warehouse"), calve_str_of(folder)}};
  const calve_catalog_options options = {.properties = {items, 2}};
  return calve_catalog_open_options(&options, out, err);
}

static calve_status make_namespace(calve_catalog *c, calve_str name, calve_error *err) {
  const calve_namespace space = {&name, 1};
  return calve_catalog_create_namespace(c, &space, NULL, err);
}

static calve_status drop_namespace(calve_catalog *c, calve_str name, calve_error *err) {
  const calve_namespace space = {&name, 1};
  return calve_catalog_drop_namespace(c, &space, err);
}

static void test_only_what_settles_a_change_is_of_unknown_outcome(void **state) {
  (void)state;
  char folder[256];
  calve_error err;
  calve_catalog *c = NULL;
  make_temp_dir(folder);
  assert_ok(open_catalog(folder, &c, &err), &err);
  assert_ok(make_namespace(c, CALVE_STR("a"), &err), &err);

  disk.reads_fail = true; /* another connection may have changed the file: BEGIN looks            */
  assert_fails(make_namespace(c, CALVE_STR("b"), &err), CALVE_EIO, &err);
  assert_fails(drop_namespace(c, CALVE_STR("a"), &err), CALVE_EIO, &err);
  calve_catalog *other = NULL;
  assert_fails(open_catalog(folder, &other, &err), CALVE_EIO, &err);
  disk.reads_fail = false;

  disk.syncs_fail = true; /* COMMIT                                                               */
  assert_fails(make_namespace(c, CALVE_STR("c"), &err), CALVE_EUNKNOWN, &err);
  disk.syncs_fail = false;
  assert_ok(make_namespace(c, CALVE_STR("d"), &err), &err);
  calve_catalog_close(c);
  remove_temp_dir(folder);
}

static void test_one_statement_settles_itself(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.sql = true, .local = true});
  calve_table_name to = f.name;
  to.name = CALVE_STR("other");
  disk.syncs_fail = true;
  assert_fails(calve_catalog_rename_table(f.catalog, &f.name, &to, &err), CALVE_EUNKNOWN, &err);
  disk.syncs_fail = false;
  table_fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_only_what_settles_a_change_is_of_unknown_outcome),
      cmocka_unit_test(test_one_statement_settles_itself),
  };
  return cmocka_run_group_tests(tests, replace_disk, restore_disk);
}
