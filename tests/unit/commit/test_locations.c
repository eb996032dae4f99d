/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "base/text.h"
#include "commit/locations.h"

static void test_properties_say_where_files_go(void **state) {
  (void)state;
  static const struct {
    const char *key, *value, *data, *metadata;
  } rows[] = {
      {"x", "y", "file:///t/data", "file:///t/metadata"},
      {"write.data.path", "file:///d/", "file:///d", "file:///t/metadata"},
      {"write.folder-storage.path", "/f", "/f", "file:///t/metadata"},
      {"write.object-storage.path", "s3://b/o//", "s3://b/o", "file:///t/metadata"},
      {"write.metadata.path", "/m/", "file:///t/data", "/m"},
      {"write.data.path", "", "file:///t/data", "file:///t/metadata"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_arena arena;
    calve_error err;
    calve_str data, metadata;
    const calve_property p = {calve_str_of(rows[i].key), calve_str_of(rows[i].value)};
    const calve_metadata m = {.location = CALVE_STR("file:///t"), .properties = {&p, 1}};
    calve_arena_init(&arena, NULL);
    assert_ok(calve_data_folder(&m, &arena, &data, &err), &err);
    assert_ok(calve_metadata_folder(&m, &arena, &metadata, &err), &err);
    assert_string_equal(data.data, rows[i].data);
    assert_string_equal(metadata.data, rows[i].metadata);
    calve_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_properties_say_where_files_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
