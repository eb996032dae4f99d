/* SPDX-License-Identifier: Apache-2.0 */
/* Which deletes apply to a data file: sequence numbers, partitions, paths, deletion vectors. */
#include "harness.h"

#include "base/text.h"
#include "track/delete_index.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static const calve_partition_field one_field[] = {{.source_id = 1,
                                                   .field_id = 1000,
                                                   .name = {"p", 1},
                                                   .transform = {CALVE_IDENTITY},
                                                   .source_count = 1}};
static const calve_partition_field void_field[] = {{.source_id = 1,
                                                    .field_id = 1000,
                                                    .name = {"p", 1},
                                                    .transform = {CALVE_VOID},
                                                    .source_count = 1}};
static const calve_spec specs[] = {
    {.spec_id = 0, .field_count = 1, .fields = one_field},
    {.spec_id = 1, .field_count = 1, .fields = one_field},
    {.spec_id = 2, .field_count = 0},
    {.spec_id = 3, .field_count = 1, .fields = void_field},
};

typedef struct delete_row {
  const char *path;
  int64_t sequence_number;
  int spec_id, partition; /* partition -1: null                                                 */
  const char *referenced, *lower, *upper;
  bool equality, vector;
} delete_row;

static calve_value value_of(int partition) {
  return partition < 0 ? calve_value_null(CALVE_INT)
                       : (calve_value){.type = CALVE_INT, .i32 = partition};
}

static calve_status add(calve_delete_index *index, const delete_row *row, calve_error *err) {
  static const int32_t ids[] = {1};
  calve_value tuple = value_of(row->partition);
  calve_id_bytes lower = {2147483546, calve_str_of(row->lower)};
  calve_id_bytes upper = {2147483546, calve_str_of(row->upper)};
  calve_manifest_entry e = {.data_sequence_number = row->sequence_number,
                            .file_sequence_number = 99,
                            .file = calve_data_file_blank()};
  e.file.path = calve_str_of(row->path);
  e.file.format = row->vector ? CALVE_STR("puffin") : CALVE_STR("parquet");
  e.file.content = row->equality ? CALVE_CONTENT_EQUALITY_DELETES : CALVE_CONTENT_POSITION_DELETES;
  e.file.spec_id = row->spec_id;
  e.file.partition = &tuple;
  e.file.partition_count = specs[row->spec_id].field_count;
  if (row->equality) e.file.equality_ids = (calve_i32_list){ids, 1};
  e.file.referenced_data_file = calve_str_of(row->referenced);
  if (row->lower) e.file.lower_bounds = (calve_id_bytes_list){&lower, 1};
  if (row->upper) e.file.upper_bounds = (calve_id_bytes_list){&upper, 1};
  if (row->vector) e.file.content_offset = 4, e.file.content_size_bytes = 50;
  return calve_delete_index_add(index, &e, &specs[row->spec_id], err);
}

/* Paths of the deletes that apply, with a space between. */
static void expect(const delete_row *rows, size_t count, const char *path, int64_t sequence_number,
                   int spec_id, int partition, const char *want) {
  calve_error err;
  calve_delete_index *index = NULL;
  assert_ok(calve_delete_index_make(NULL, &index, &err), &err);
  for (size_t i = 0; i < count; i++) assert_ok(add(index, &rows[i], &err), &err);
  assert_ok(calve_delete_index_seal(index, NULL, &err), &err);
  assert_int_equal(calve_delete_index_count(index), count);
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  calve_value tuple = value_of(partition);
  calve_data_file f = calve_data_file_blank();
  f.path = calve_str_of(path);
  f.spec_id = spec_id;
  f.partition = &tuple;
  f.partition_count = specs[spec_id].field_count;
  const calve_delete_file *const *found;
  size_t found_count;
  assert_ok(calve_delete_index_find(index, &f, sequence_number, &arena, &found, &found_count, &err),
            &err);
  char got[200] = "";
  for (size_t i = 0; i < found_count; i++) {
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%.*s", i ? " " : "",
             (int)found[i]->file.path.size, found[i]->file.path.data);
  }
  assert_string_equal(got, want);
  calve_arena_free(&arena);
  calve_delete_index_free(index);
}
#define EXPECT(rows, ...) expect(rows, ARRAY_COUNT(rows), __VA_ARGS__)

/* B062: equality deletes reach older data only, position deletes data of their own commit too; the
 * data sequence number counts, not the file's. */
static void test_sequence_numbers(void **state) {
  (void)state;
  static const delete_row rows[] = {
      {"E", 5, .spec_id = 0, .partition = 1, .equality = true},
      {"P", 5, .spec_id = 0, .partition = 1},
  };
  EXPECT(rows, "D0", 4, 0, 1, "E P");
  EXPECT(rows, "D1", 5, 0, 1, "P");
  EXPECT(rows, "D2", 6, 0, 1, "");
}

/* B058, B025: the partition is spec and values; nulls are equal within one spec only. */
static void test_partition_scope(void **state) {
  (void)state;
  static const delete_row rows[] = {
      {"us", 9, .spec_id = 0, .partition = 1, .equality = true},
      {"null", 9, .spec_id = 0, .partition = -1, .equality = true},
      {"pos", 9, .spec_id = 0, .partition = -1},
  };
  EXPECT(rows, "D", 1, 0, 1, "us");
  EXPECT(rows, "D", 1, 0, 2, "");
  EXPECT(rows, "D", 1, 1, 1, "");
  EXPECT(rows, "D", 1, 0, -1, "null pos");
  EXPECT(rows, "D", 1, 1, -1, "");
}

/* B059: an unpartitioned spec, or one of void fields only, makes equality deletes global; position
 * deletes never are. */
static void test_global_equality_deletes(void **state) {
  (void)state;
  static const delete_row rows[] = {
      {"all2", 9, .spec_id = 3, .partition = -1, .equality = true},
      {"all1", 8, .spec_id = 2, .equality = true},
      {"pos", 9, .spec_id = 2},
  };
  EXPECT(rows, "D", 1, 0, 1, "all1 all2");
  EXPECT(rows, "D", 8, 1, -1, "all2");
  EXPECT(rows, "D", 1, 2, 0, "all1 all2 pos");
}

/* Position deletes that say which files they are about, by reference or bounds. */
static void test_paths(void **state) {
  (void)state;
  static const delete_row rows[] = {
      {"ref", 9, .spec_id = 0, .partition = 1, .referenced = "/t/a"},
      {"equal", 9, .spec_id = 0, .partition = 1, .lower = "/t/b", .upper = "/t/b"},
      {"range", 9, .spec_id = 0, .partition = 1, .lower = "/t/a", .upper = "/t/c"},
      {"open", 9, .spec_id = 0, .partition = 1, .lower = "/t/c"},
      {"other", 9, .spec_id = 0, .partition = 2, .referenced = "/t/a"},
  };
  EXPECT(rows, "/t/a", 1, 0, 1, "range ref");
  EXPECT(rows, "/t/b", 1, 0, 1, "range equal");
  EXPECT(rows, "/t/c", 1, 0, 1, "range open");
  EXPECT(rows, "/t/d", 1, 0, 1, "open");
  EXPECT(rows, "/t/a", 10, 0, 1, "");
  /* B062: another tuple than the data file's: by the spec it is not applied. */
  EXPECT(rows, "/t/a", 1, 0, 2, "other");
}

/* Bounded and unbounded ones come together by sequence number, ties as they were added; bounds in
 * the wrong order are of a damaged file: they bound nothing, and the rows stay deleted. */
static void test_bounded_deletes_come_in_order(void **state) {
  (void)state;
  static const delete_row rows[] = {
      {"d", 7, .spec_id = 0, .partition = 1, .lower = "/t/a", .upper = "/t/f"},
      {"any", 6, .spec_id = 0, .partition = 1},
      {"c", 6, .spec_id = 0, .partition = 1, .lower = "/t/b", .upper = "/t/d"},
      {"a", 3, .spec_id = 0, .partition = 1, .lower = "/t/a", .upper = "/t/b"},
      {"b", 5, .spec_id = 0, .partition = 1, .upper = "/t/c"},
      {"wrong", 8, .spec_id = 0, .partition = 1, .lower = "/t/c", .upper = "/t/b"},
  };
  EXPECT(rows, "/t/a", 1, 0, 1, "a b any d wrong");
  EXPECT(rows, "/t/b", 1, 0, 1, "a b any c d wrong");
  EXPECT(rows, "/t/b", 6, 0, 1, "any c d wrong");
  EXPECT(rows, "/t/e", 1, 0, 1, "any d wrong");
  EXPECT(rows, "/s", 1, 0, 1, "b any wrong");
  EXPECT(rows, "/t/b", 1, 0, 2, "");
}

/* B064: a vector stands for all position deletes of its file, not for equality deletes. */
static void test_deletion_vectors(void **state) {
  (void)state;
  static const delete_row rows[] = {
      {"old", 3, .spec_id = 0, .partition = 1, .referenced = "/t/a"},
      {"wide", 4, .spec_id = 0, .partition = 1},
      {"dv", 5, .spec_id = 0, .partition = 1, .referenced = "/t/a", .vector = true},
      {"eq", 6, .spec_id = 0, .partition = 1, .equality = true},
  };
  EXPECT(rows, "/t/a", 1, 0, 1, "eq dv");
  EXPECT(rows, "/t/b", 1, 0, 1, "eq wide");
  EXPECT(rows, "/t/a", 6, 0, 1, "");
}

static void test_unusable_deletes_are_errors(void **state) {
  (void)state;
  static const delete_row no_target[] = {{"dv", 5, .spec_id = 0, .partition = 1, .vector = true}};
  static const delete_row two[] = {
      {"dv1", 5, .spec_id = 0, .partition = 1, .referenced = "/t/a", .vector = true},
      {"dv2", 5, .spec_id = 0, .partition = 1, .referenced = "/t/a", .vector = true},
  };
  calve_error err;
  calve_delete_index *index = NULL;
  assert_ok(calve_delete_index_make(NULL, &index, &err), &err);
  assert_fails(add(index, no_target, &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "referenced_data_file");
  calve_manifest_entry no_ids = {.file = calve_data_file_blank()};
  no_ids.file.content = CALVE_CONTENT_EQUALITY_DELETES;
  assert_fails(calve_delete_index_add(index, &no_ids, &specs[2], &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "equality_ids");
  assert_ok(add(index, &two[0], &err), &err);
  assert_ok(add(index, &two[1], &err), &err);
  assert_fails(calve_delete_index_seal(index, NULL, &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "dv2");
  calve_delete_index_free(index);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sequence_numbers),
      cmocka_unit_test(test_partition_scope),
      cmocka_unit_test(test_global_equality_deletes),
      cmocka_unit_test(test_paths),
      cmocka_unit_test(test_bounded_deletes_come_in_order),
      cmocka_unit_test(test_deletion_vectors),
      cmocka_unit_test(test_unusable_deletes_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
