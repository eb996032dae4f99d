/* SPDX-License-Identifier: Apache-2.0 */
/* Names, forms and versions of metadata files: rules B067 and B072. */
#include "table_fixture.h"

#include <sys/stat.h>

#include "catalog/backend.h"
#include "codec/compression.h"

static void put(const calve_store *store, const char *name, calve_str bytes) {
  char path[300];
  calve_error err;
  snprintf(path, sizeof path, "/wh/t/metadata/%s", name);
  assert_ok(calve_store_replace(store, calve_str_of(path), bytes, &err), &err);
}

static void test_names_tell_versions(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int64_t version, number;
  } rows[] = {
      {"v1.metadata.json", 1, -1},
      {"v2.gz.metadata.json", 2, -1},
      {"v3.metadata.json.gz", 3, -1},
      {"v4.gzip.metadata.json", -1, -1}, /* nobody's spelling */
      {"v.metadata.json", -1, -1},
      {"v01.metadata.json", -1, -1},
      {"v0.metadata.json", 0, -1},
      {"v99999999999999999999.metadata.json", -1, -1},
      {"v5.metadata.json.tmp", -1, -1},
      {"x5.metadata.json", -1, -1},
      {"00005-3c2a.metadata.json", -1, 5},
      {"00006-3c2a.gz.metadata.json", -1, 6},
      {"00007-3c2a.metadata.json.gz", -1, 7},
      {"123456-a.metadata.json", -1, 123456},
      {"00005.metadata.json", -1, -1},
      {"snap-1.avro", -1, -1},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_str name = calve_str_of(rows[i].name);
    if (calve_catalog__version_of(name) != rows[i].version ||
        calve_catalog__number_of(name) != rows[i].number)
      fail_msg("%s", rows[i].name);
  }
}

/* Rule (B067): a hint says where to start, never where the end is. */
static void test_any_hint_leads_to_the_newest_version(void **state) {
  (void)state;
  static const struct {
    const char *hint; /* NULL: none                                                               */
    const char *versions;
    int64_t found; /* -1: not found                                                               */
    const char *file;
  } rows[] = {
      {"3", "1 2 3 4 5", 5, "v5.metadata.json"},
      {"3\n", "1 2 3 4 5", 5, "v5.metadata.json"},
      {" 5 \nrest", "1 2 3 4 5", 5, "v5.metadata.json"},
      {NULL, "1 2 3 4 5", 5, "v5.metadata.json"},
      {"abc", "1 2 3 4 5", 5, "v5.metadata.json"},
      {"", "1 2 3 4 5", 5, "v5.metadata.json"},
      {"-2", "1 2 3 4 5", 5, "v5.metadata.json"},
      {"9", "1 2 3 4 5", 5, "v5.metadata.json"},
      {"99999999999999999999", "1 2", 2, "v2.metadata.json"},
      {"3", "1 2 3 5", 3, "v3.metadata.json"}, /* a gap stops the probing… */
      {NULL, "1 2 3 5", 5, "v5.metadata.json"}, /* …but not the listing */
      {"4", "1 2 3 4 5.gz", 5, "v5.gz.metadata.json"},
      {NULL, "9 10 11", 11, "v11.metadata.json"}, /* numbers, not text */
      {NULL, "", -1, NULL},
      {"3", "", -1, NULL},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_store *store;
    calve_error err;
    calve_arena arena;
    calve_arena_init(&arena, NULL);
    assert_ok(calve_memory_store_make(NULL, &store, &err), &err);
    char words[50], name[60];
    snprintf(words, sizeof words, "%s", rows[i].versions);
    char *save = NULL;
    for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
      snprintf(name, sizeof name, "v%s.metadata.json", w);
      put(store, name, CALVE_STR("{}"));
    }
    put(store, "snap-7.avro", CALVE_STR("x"));
    if (rows[i].hint) put(store, "version-hint.text", calve_str_of(rows[i].hint));
    calve_catalog__pointer p = {.version = -1};
    calve_status status =
        calve_catalog__find_version(store, CALVE_STR("file:///wh/t"), &arena, &p, &err);
    if (rows[i].found < 0) {
      assert_fails(status, CALVE_ENOTFOUND, &err);
    } else {
      assert_ok(status, &err);
      assert_int_equal(p.version, rows[i].found);
      assert_true(calve_str_equal_text(calve_path_file_name(p.location), rows[i].file));
      assert_true(calve_str_starts_with(p.location, CALVE_STR("file:///wh/t/metadata/")));
    }
    calve_arena_free(&arena);
    calve_memory_store_free(store);
  }
}

static void test_a_hint_that_cannot_be_read_is_no_hint(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_table *t;
  table_fixture_open(&f, &(table_fixture_options){.local = true});
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  char hint[400];
  snprintf(hint, sizeof hint, "%s/db/t/metadata/version-hint.text", f.folder);
  assert_int_equal(unlink(hint), 0);
  assert_int_equal(mkdir(hint, 0700), 0); /* as unreadable as it gets, for root too */
  assert_ok(calve_table_load(f.catalog, &f.name, &t, &err), &err);
  assert_string_equal(fixture_live(&f, t), "a");
  assert_ok(fixture_append(&f, t, "b", "DE", 1, &err), &err); /* can't write the hint: no matter */
  calve_table_close(t);
  assert_ok(calve_table_refresh(f.table, &err), &err);
  assert_string_equal(fixture_live(&f, f.table), "a b");
  table_fixture_close(&f);
}

static void test_the_hint_follows_a_commit(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_str hint;
  table_fixture_open(&f, &(table_fixture_options){0});
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  assert_ok(calve_store_read(f.memory, CALVE_STR("/wh/db/t/metadata/version-hint.text"), 100,
                             &f.arena, &hint, &err),
            &err);
  assert_string_equal(hint.data, "2");
  table_fixture_close(&f);
}

static calve_str gzipped(calve_arena *arena, calve_str plain) {
  calve_buffer out;
  calve_codec codec;
  calve_error err;
  calve_str copy;
  calve_buffer_init(&out, NULL);
  calve_codec_init(&codec, NULL);
  assert_ok(calve_compress(&codec, CALVE_CODEC_GZIP, -1, plain, &out, &err), &err);
  assert_ok(calve_arena_str(arena, calve_buffer_view(&out), &copy, &err), &err);
  calve_codec_free(&codec);
  calve_buffer_free(&out);
  return copy;
}

/* Rule (B072): the content tells whether it is compressed, not the name. */
static void test_compression_is_seen_by_content(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_str plain;
  table_fixture_open(&f, &(table_fixture_options){0});
  assert_ok(calve_store_read(f.memory, calve_table_metadata_location(f.table), INT64_MAX, &f.arena,
                             &plain, &err),
            &err);
  calve_str zipped = gzipped(&f.arena, plain);
  static const struct {
    const char *name;
    bool zipped;
    bool cut;
  } rows[] = {{"v1.metadata.json", false, false},      {"v2.gz.metadata.json", true, false},
              {"v3.metadata.json.gz", true, false},    {"v4.gzip.metadata.json", true, false},
              {"5.gz.metadata.json", false, false},    {"6.metadata.json", true, false},
              {"7.gz.metadata.json", true, true}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_metadata *m;
    calve_str bytes = rows[i].zipped ? zipped : plain, path;
    if (rows[i].cut) bytes.size /= 2;
    put(f.memory, rows[i].name, bytes);
    assert_ok(calve_path_join(CALVE_STR("/wh/t/metadata"), rows[i].name, &f.arena, &path, &err),
              &err);
    calve_status status = calve_catalog__read_metadata(f.memory, path, &f.arena, &m, &err);
    if (rows[i].cut) {
      assert_fails(status, CALVE_ECORRUPT, &err);
      assert_message(&err, rows[i].name);
    } else {
      assert_ok(status, &err);
      assert_int_equal(m->format_version, 2);
    }
  }
  table_fixture_close(&f);
}

static void test_compressed_metadata_is_written_under_the_right_name(void **state) {
  (void)state;
  static const char *const properties[] = {"write.metadata.compression-codec", "gzip", NULL};
  for (int sql = 0; sql < 2; sql++) {
    table_fixture f;
    calve_error err;
    calve_table *again;
    calve_str bytes;
    table_fixture_open(&f, &(table_fixture_options){.sql = sql, .properties = properties});
    assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
    calve_str location = calve_table_metadata_location(f.table);
    assert_true(calve_str_ends_with(location, CALVE_STR(".gz.metadata.json")));
    assert_ok(calve_store_read(f.store, location, INT64_MAX, &f.arena, &bytes, &err), &err);
    assert_memory_equal(bytes.data, "\x1f\x8b", 2);
    assert_ok(calve_table_load(f.catalog, &f.name, &again, &err), &err);
    assert_string_equal(fixture_live(&f, again), "a");
    calve_table_close(again);
    table_fixture_close(&f);
  }
}

static void test_codecs_that_metadata_files_lack_are_refused(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){0});
  const calve_property set = {CALVE_STR("write.metadata.compression-codec"), CALVE_STR("zstd")};
  const calve_change change = {.kind = CALVE_SET_PROPERTIES, .properties = {&set, 1}};
  const calve_changes changes = {.change_count = 1, .changes = &change};
  assert_fails(calve_table_commit_changes(f.table, &changes, &err), CALVE_EINVAL, &err);
  assert_message(&err, "zstd");
  table_fixture_close(&f);
}

/* All writers on one version try one name, also when one of them switches compression on. */
static void test_switching_compression_loses_no_commit(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_table *other;
  table_fixture_open(&f, &(table_fixture_options){0});
  assert_ok(calve_table_load(f.catalog, &f.name, &other, &err), &err);
  const calve_property set = {CALVE_STR("write.metadata.compression-codec"), CALVE_STR("gzip")};
  const calve_change change = {.kind = CALVE_SET_PROPERTIES, .properties = {&set, 1}};
  const calve_changes changes = {.change_count = 1, .changes = &change};
  assert_ok(calve_table_commit_changes(f.table, &changes, &err), &err);
  assert_ok(fixture_append(&f, other, "a", "DE", 1, &err), &err);
  assert_string_equal(fixture_live(&f, other), "a");
  const calve_properties *p = &calve_table_metadata(other)->properties;
  assert_true(calve_str_equal_text(calve_properties_get(p, set.key.data), "gzip"));
  assert_true(calve_str_ends_with(calve_table_metadata_location(other),
                                  CALVE_STR("/v3.gz.metadata.json")));
  calve_table_close(other);
  table_fixture_close(&f);
}

static void test_numbered_files_are_found_unless_two_are_newest(void **state) {
  (void)state;
  calve_store *store;
  calve_error err;
  calve_arena arena;
  calve_catalog__pointer p;
  calve_arena_init(&arena, NULL);
  assert_ok(calve_memory_store_make(NULL, &store, &err), &err);
  calve_str folder = CALVE_STR("/wh/t");
  assert_fails(calve_catalog__find_numbered(store, folder, &arena, &p, &err), CALVE_ENOTFOUND,
               &err);
  put(store, "00001-a.metadata.json", CALVE_STR("{}"));
  put(store, "00003-b.metadata.json", CALVE_STR("{}"));
  put(store, "00002-c.metadata.json", CALVE_STR("{}"));
  assert_ok(calve_catalog__find_numbered(store, folder, &arena, &p, &err), &err);
  assert_string_equal(p.location.data, "/wh/t/metadata/00003-b.metadata.json");
  put(store, "00003-d.metadata.json", CALVE_STR("{}"));
  assert_fails(calve_catalog__find_numbered(store, folder, &arena, &p, &err), CALVE_EINVAL, &err);
  assert_message(&err, "name the file");
  calve_arena_free(&arena);
  calve_memory_store_free(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_tell_versions),
      cmocka_unit_test(test_any_hint_leads_to_the_newest_version),
      cmocka_unit_test(test_a_hint_that_cannot_be_read_is_no_hint),
      cmocka_unit_test(test_the_hint_follows_a_commit),
      cmocka_unit_test(test_compression_is_seen_by_content),
      cmocka_unit_test(test_compressed_metadata_is_written_under_the_right_name),
      cmocka_unit_test(test_codecs_that_metadata_files_lack_are_refused),
      cmocka_unit_test(test_switching_compression_loses_no_commit),
      cmocka_unit_test(test_numbered_files_are_found_unless_two_are_newest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
