/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include <sys/stat.h>

#include "base/text.h"
#include "store/path.h"

/* B082 */
static void test_three_spellings_of_a_local_path_are_equal(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    bool equal;
  } rows[] = {
      {"/wh/t", "file:/wh/t", true},
      {"/wh/t", "file:///wh/t", true},
      {"file:/wh/t", "FILE:///wh//t/", true},
      {"file://localhost/wh/t", "/wh/./t", true},
      {"/wh/t", "/wh/T", false},
      {"/wh/t", "/wh/t2", false},
      {"/wh/a%20b", "/wh/a b", false}, /* nothing is decoded */
      {"wh/t", "/wh/t", false},
      {"s3://b/wh/t", "/wh/t", false},
      {"s3://b/wh//t", "s3://b/wh/t", true},
      {"s3://b/t", "s3a://b/t", false},
      {"/a/../b", "/b", false}, /* links may lead elsewhere */
      {"file://host/wh", "/wh", false},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
    if (calve_path_equal(calve_str_of(rows[i].a), calve_str_of(rows[i].b)) != rows[i].equal)
      fail_msg("%s and %s", rows[i].a, rows[i].b);
}

static void test_key_is_equal_exactly_for_equal_paths(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"file:/wh//t/", "/wh/t"}, {"/", "/"},           {"file:///a", "/a"},
      {"s3://b//k", "s3://b/k"}, {"a/./b", "a/b"},     {"/p/ü *?[\"'%2F", "/p/ü *?[\"'%2F"},
      {"a:b", "a:b"},            {"name:x/y", "name:x/y"},
  };
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_str key;
    calve_error err;
    assert_ok(calve_path_key(calve_str_of(rows[i][0]), &arena, &key, &err), &err);
    assert_string_equal(key.data, rows[i][1]);
  }
  calve_arena_free(&arena);
}

static void test_inside_goes_by_whole_segments(void **state) {
  (void)state;
  static const struct {
    const char *path, *folder;
    bool inside;
  } rows[] = {
      {"file:///wh/t/data/f", "/wh/t", true}, {"/wh/t", "/wh/t/", true},
      {"/wh/t2/f", "/wh/t", false},           {"/wh/t/../x/f", "/wh/t", false},
      {"/wh", "/wh/t", false},                {"s3://b/t/f", "s3://b/t", true},
      {"s3://b2/t/f", "s3://b/t", false},     {"/anything", "/", true},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
    if (calve_path_inside(calve_str_of(rows[i].path), calve_str_of(rows[i].folder)) !=
        rows[i].inside)
      fail_msg("%s in %s", rows[i].path, rows[i].folder);
}

static void test_own_tables_spell_paths_with_three_slashes(void **state) {
  (void)state;
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  calve_str out;
  calve_error err;
  assert_ok(calve_path_own(CALVE_STR("/wh//t/"), &arena, &out, &err), &err);
  assert_string_equal(out.data, "file:///wh/t");
  assert_ok(calve_path_own(CALVE_STR("file:/wh/t"), &arena, &out, &err), &err);
  assert_string_equal(out.data, "file:///wh/t");
  assert_ok(calve_path_own(CALVE_STR("s3://b/t/"), &arena, &out, &err), &err);
  assert_string_equal(out.data, "s3://b/t");
  char folder[1024];
  assert_non_null(getcwd(folder, sizeof folder));
  assert_ok(calve_path_own(CALVE_STR("wh"), &arena, &out, &err), &err);
  assert_memory_equal(out.data, "file://", 7);
  assert_memory_equal(out.data + 7, folder, strlen(folder));
  assert_string_equal(out.data + 7 + strlen(folder), "/wh");
  assert_ok(calve_path_own(CALVE_STR("/usr/../usr/./wh"), &arena, &out, &err), &err);
  assert_string_equal(out.data, "file:///usr/wh");
  assert_ok(calve_path_own(CALVE_STR("/usr/lib/../../wh/t"), &arena, &out, &err), &err);
  assert_string_equal(out.data, "file:///wh/t");
  calve_arena_free(&arena);
}

static void test_maps_replace_leading_segments_byte_for_byte(void **state) {
  (void)state;
  const calve_path_map maps[] = {{CALVE_STR("file:/old/wh"), CALVE_STR("/new")},
                                 {CALVE_STR("s3://b"), CALVE_STR("/mirror/")}};
  const calve_path_rules rules = {.maps = maps, .map_count = 2};
  static const char *const rows[][2] = {
      {"file:///old/wh/t/a%20b//c", "/new/t/a%20b//c"},
      {"/old/wh2/t", "/old/wh2/t"},
      {"s3://b/t/x", "/mirror/t/x"},
  };
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_str out;
    calve_error err;
    assert_ok(calve_path_resolve(&rules, calve_str_of(rows[i][0]), &arena, &out, &err), &err);
    assert_string_equal(out.data, rows[i][1]);
  }
  calve_arena_free(&arena);
}

static void test_confined_paths_do_not_leave_their_roots(void **state) {
  (void)state;
  char base[256], text[512], linked[512];
  make_temp_dir(base);
  snprintf(text, sizeof text, "%s/t", base);
  assert_int_equal(mkdir(text, 0700), 0);
  snprintf(linked, sizeof linked, "%s/t/out", base);
  assert_int_equal(symlink("/etc", linked), 0);

  const calve_str root = calve_str_of(text);
  const calve_path_rules rules = {.confined = true, .roots = &root, .root_count = 1};
  static const struct {
    const char *below;
    bool allowed;
  } rows[] = {
      {"/t/metadata/v1.metadata.json", true}, /* need not exist */
      {"/t/out/passwd", false},               /* a link that leads out */
      {"/t/../t/f", false},
      {"/u/f", false},
      {"/tt", false},
  };
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char path[600];
    snprintf(path, sizeof path, "file://%s%s", base, rows[i].below);
    calve_str out;
    calve_error err = {0};
    assert_status_(calve_path_resolve(&rules, calve_str_of(path), &arena, &out, &err),
                   rows[i].allowed ? CALVE_OK : CALVE_EDENIED, &err, path, __FILE__, __LINE__);
  }
  calve_arena_free(&arena);
  remove_temp_dir(base);
}

static void test_paths_that_no_store_can_take_are_refused(void **state) {
  (void)state;
  char out[CALVE_PATH_MAX];
  calve_error err;
  char *too_long = malloc(CALVE_PATH_MAX);
  assert_non_null(too_long);
  memset(too_long, 'a', CALVE_PATH_MAX);
  assert_fails(calve_path_c((calve_str){NULL, 0}, out, &err), CALVE_EINVAL, &err);
  assert_fails(calve_path_c((calve_str){"a\0b", 3}, out, &err), CALVE_EINVAL, &err);
  assert_fails(calve_path_c((calve_str){too_long, CALVE_PATH_MAX}, out, &err), CALVE_EINVAL, &err);
  assert_ok(calve_path_c((calve_str){too_long, CALVE_PATH_MAX - 1}, out, &err), &err);
  free(too_long);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_three_spellings_of_a_local_path_are_equal),
      cmocka_unit_test(test_key_is_equal_exactly_for_equal_paths),
      cmocka_unit_test(test_inside_goes_by_whole_segments),
      cmocka_unit_test(test_own_tables_spell_paths_with_three_slashes),
      cmocka_unit_test(test_maps_replace_leading_segments_byte_for_byte),
      cmocka_unit_test(test_confined_paths_do_not_leave_their_roots),
      cmocka_unit_test(test_paths_that_no_store_can_take_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
