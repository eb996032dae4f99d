/* SPDX-License-Identifier: Apache-2.0 */
/* Who told a path that can't be opened: the metadata of a list, the list of a manifest. */
#include "track/snapshot_manifests.h"

#include "harness.h"

#include "base/text.h"
#include "store/memory.h"

typedef struct fixture {
  calve_store *store;
  calve_arena arena;
  calve_snapshot snapshot;
} fixture;

static int setup(void **state) {
  calve_error err;
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  assert_ok(calve_memory_store_make(NULL, &f->store, &err), &err);
  calve_arena_init(&f->arena, NULL);
  f->snapshot.snapshot_id = 42;
  f->snapshot.manifest_list = CALVE_STR("/t/metadata/snap-42.avro");
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  calve_arena_free(&f->arena);
  calve_memory_store_free(f->store);
  free(f);
  return 0;
}

static void write_list(fixture *f, const char *path) {
  calve_error err;
  calve_buffer bytes;
  calve_manifest_list_params params = {.format_version = 2,
                                       .snapshot_id = 42,
                                       .parent_snapshot_id = CALVE_NO_SNAPSHOT,
                                       .sequence_number = 1,
                                       .first_row_id = CALVE_UNSET,
                                       .codec_id = CALVE_CODEC_NULL,
                                       .level = -1,
                                       .sync = (const uint8_t *)"0123456789abcdef"};
  calve_manifest_file m = calve_manifest_file_blank();
  m.path = calve_str_of(path);
  m.spec_id = 0;
  m.added_files_count = m.added_rows_count = 1;
  m.existing_files_count = m.existing_rows_count = 0;
  m.deleted_files_count = m.deleted_rows_count = 0;
  calve_buffer_init(&bytes, NULL);
  assert_ok(calve_manifest_list_write(&params, &m, 1, &bytes, NULL, &err), &err);
  assert_ok(calve_store_create(f->store, f->snapshot.manifest_list, calve_buffer_view(&bytes),
                               &err),
            &err);
  calve_buffer_free(&bytes);
}

static calve_status read_list(fixture *f, calve_error *err) {
  const calve_manifest_file *items;
  size_t count;
  return calve_snapshot_manifests(&f->snapshot, f->store, &f->arena, &items, &count, err);
}

static void test_a_list_that_is_not_there_tells_its_snapshot(void **state) {
  fixture *f = *state;
  calve_error err;
  assert_fails(read_list(f, &err), CALVE_ENOTFOUND, &err);
  assert_string_equal(err.where, "/t/metadata/snap-42.avro");
  assert_message(&err, "; the table's metadata names it as manifest list of snapshot 42");
}

static void test_a_path_that_is_no_utf8_is_the_lists_fault(void **state) {
  fixture *f = *state;
  calve_error err;
  write_list(f, "/t/metadata/\xFF.avro");
  assert_fails(read_list(f, &err), CALVE_ECORRUPT, &err);
  assert_string_equal(err.where, "/t/metadata/snap-42.avro");
  assert_message(&err, "its path is no UTF-8");
}

static void test_what_can_not_be_opened_tells_the_list(void **state) {
  fixture *f = *state;
  /* The place is shown with its controls escaped, and is known all the same. */
  const char *path = "/t/metadata/a\nb-m0.avro";
  write_list(f, path);
  static const struct {
    calve_status code;
    bool told;
  } rows[] = {{CALVE_ENOTFOUND, true},  {CALVE_EDENIED, true},     {CALVE_EINVAL, true},
              {CALVE_EIO, true},        {CALVE_EUNSUPPORTED, true}, {CALVE_ECORRUPT, true},
              {CALVE_ECANCELLED, false}, {CALVE_ENOMEM, false},    {CALVE_ECONFLICT, false}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    (void)calve_fail(&err, rows[i].code, path, "it fails");
    err.os_errno = 2;
    calve_snapshot_name_list(&f->snapshot, f->store, NULL, &err);
    assert_string_equal(
        err.message, rows[i].told
                         ? "it fails; the manifest is listed in /t/metadata/snap-42.avro"
                         : "it fails");
    assert_int_equal(err.os_errno, 2);
  }
}

static void test_other_errors_stay(void **state) {
  fixture *f = *state;
  calve_error err;
  static const char *const places[] = {"", "/t/metadata/other.avro", "db.t"};
  write_list(f, "/t/metadata/a.avro");
  for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
    (void)calve_fail(&err, CALVE_ENOTFOUND, places[i], "it fails");
    calve_snapshot_name_list(&f->snapshot, f->store, NULL, &err);
    assert_string_equal(err.message, "it fails");
  }
  (void)calve_fail(&err, CALVE_ENOTFOUND, "/t/metadata/a.avro", "it fails");
  calve_snapshot_name_list(NULL, f->store, NULL, &err);
  calve_snapshot_name_list(&f->snapshot, f->store, NULL, NULL);
  f->snapshot.manifest_list = CALVE_STR("/t/metadata/gone.avro");
  calve_snapshot_name_list(&f->snapshot, f->store, NULL, &err);
  assert_string_equal(err.message, "it fails");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_a_list_that_is_not_there_tells_its_snapshot),
      TEST(test_a_path_that_is_no_utf8_is_the_lists_fault),
      TEST(test_what_can_not_be_opened_tells_the_list),
      TEST(test_other_errors_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
