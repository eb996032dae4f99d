/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting files and packing the pieces. */
#include "harness.h"

#include "base/text.h"
#include "plan/split.h"
#include "split_rows.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

typedef struct file_row {
  int64_t size;
  const char *format;
  int64_t offsets[4];
  size_t offset_count;
} file_row;

/* "task@offset+length …" with "|" between groups. */
static void expect(const file_row *rows, size_t count, calve_split_options options,
                   const char *want) {
  calve_arena arena;
  calve_error err;
  calve_arena_init(&arena, NULL);
  calve_scan_task tasks[16];
  memset(tasks, 0, sizeof tasks);
  for (size_t i = 0; i < count; i++) {
    tasks[i].file = calve_data_file_blank();
    tasks[i].file.file_size_bytes = rows[i].size;
    tasks[i].file.format = calve_str_of(rows[i].format);
    tasks[i].file.split_offsets = (calve_i64_list){rows[i].offsets, rows[i].offset_count};
  }
  const calve_split_group *groups;
  size_t group_count;
  assert_ok(calve_split_tasks(tasks, count, &options, &arena, &groups, &group_count, &err), &err);
  char got[800] = "";
  for (size_t g = 0; g < group_count; g++) {
    for (size_t s = 0; s < groups[g].split_count; s++) {
      const calve_split *p = &groups[g].splits[s];
      snprintf(got + strlen(got), sizeof got - strlen(got), "%s%zu@%d+%d",
               s > 0 ? " " : (g > 0 ? " | " : ""), p->task_index, (int)p->offset_bytes,
               (int)p->length_bytes);
    }
  }
  assert_string_equal(got, want);
  calve_arena_free(&arena);
}

static void test_small_files_share_a_group(void **state) {
  (void)state;
  static const file_row rows[] = {{40, "PARQUET"}, {40, "PARQUET"}, {40, "PARQUET"}};
  expect(rows, 3, (calve_split_options){100, 1, 10}, "0@0+40 1@0+40 | 2@0+40");
}

static void test_the_cost_of_opening_counts(void **state) {
  (void)state;
  static const file_row rows[] = {{1, "PARQUET"}, {1, "PARQUET"}, {1, "PARQUET"}};
  expect(rows, 3, (calve_split_options){100, 50, 10}, "0@0+1 1@0+1 | 2@0+1");
}

static void test_files_are_cut_at_their_offsets(void **state) {
  (void)state;
  static const file_row rows[] = {{100, "PARQUET", {4, 60, 90}, 3}, {30, "PARQUET"}};
  /* Neighbours that end up together are one piece again. */
  expect(rows, 2, (calve_split_options){65, 1, 10}, "0@4+56 | 0@60+40 | 1@0+30");
  /* Offsets that do not rise, or lie outside, are not trusted. */
  static const file_row bad[] = {{100, "PARQUET", {4, 90, 60}, 3}, {100, "PARQUET", {4, 100}, 2}};
  expect(bad, 2, (calve_split_options){100, 1, 10}, "0@0+100 | 1@0+100");
}

static void test_files_without_offsets_are_cut_by_size(void **state) {
  (void)state;
  static const file_row rows[] = {{250, "avro"}, {250, "unheard-of"}};
  expect(rows, 2, (calve_split_options){100, 1, 10}, "0@0+100 | 0@100+100 | 0@200+50 | 1@0+250");
}

static void test_lookback_bounds_the_open_groups(void **state) {
  (void)state;
  static const file_row rows[] = {
      {60, "PARQUET"}, {70, "PARQUET"}, {30, "PARQUET"}, {40, "PARQUET"}};
  expect(rows, 4, (calve_split_options){100, 1, 10}, "0@0+60 2@0+30 | 1@0+70 | 3@0+40");
  expect(rows, 4, (calve_split_options){100, 1, 1}, "1@0+70 | 0@0+60 2@0+30 | 3@0+40");
}

static void test_empty_files_and_impossible_sizes(void **state) {
  (void)state;
  static const file_row empty[] = {{0, "PARQUET"}};
  expect(empty, 1, (calve_split_options){100, 4, 10}, "0@0+0");
  calve_arena arena;
  calve_error err;
  calve_arena_init(&arena, NULL);
  calve_scan_task task = {.file = calve_data_file_blank()};
  task.file.file_size_bytes = INT64_MAX;
  task.file.format = CALVE_STR("PARQUET");
  const calve_split_group *groups;
  size_t count;
  assert_ok(
      calve_split_tasks(&task, 1, &(calve_split_options){1, 0, 10}, &arena, &groups, &count, &err),
      &err);
  assert_true(count <= 100001);
  calve_arena_free(&arena);
}

static void test_a_cost_of_opening_beyond_all_numbers_gives_groups_of_one(void **state) {
  (void)state;
  calve_arena arena;
  calve_error err;
  calve_arena_init(&arena, NULL);
  calve_delete_file deletes = {.file = calve_data_file_blank()};
  deletes.file.file_size_bytes = 10;
  const calve_delete_file *const all[] = {&deletes, &deletes};
  calve_scan_task tasks[2] = {{.file = calve_data_file_blank(), .deletes = all, .delete_count = 2},
                              {.file = calve_data_file_blank(), .deletes = all, .delete_count = 2}};
  for (size_t i = 0; i < 2; i++) {
    tasks[i].file.file_size_bytes = 1;
    tasks[i].file.format = CALVE_STR("PARQUET");
  }
  /* Three times this is a small number again when it wraps around. */
  const calve_split_options options = {100, INT64_C(6148914691236517206), 10};
  const calve_split_group *groups;
  size_t count;
  assert_ok(calve_split_tasks(tasks, 2, &options, &arena, &groups, &count, &err), &err);
  assert_int_equal(count, 2);
  calve_arena_free(&arena);
}

/* "120[4,60] 33" */
static size_t read_files(const char *text, file_row *rows) {
  size_t count = 0;
  for (char *end; *text; text = *end == ' ' ? end + 1 : end) {
    file_row *row = &rows[count++];
    *row = (file_row){.size = strtol(text, &end, 10), .format = "PARQUET"};
    if (*end != '[') continue;
    do row->offsets[row->offset_count++] = strtol(end + 1, &end, 10);
    while (*end == ',');
    end++;
  }
  return count;
}

static void test_groups_are_the_references(void **state) {
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(split_rows); i++) {
    file_row files[16];
    size_t count = read_files(split_rows[i].files, files);
    expect(files, count,
           (calve_split_options){split_rows[i].target, split_rows[i].open_cost,
                                 split_rows[i].lookback},
           split_rows[i].groups);
  }
}

static void test_options_from_properties(void **state) {
  (void)state;
  calve_split_options o = calve_split_options_of(&(calve_properties){0});
  assert_int_equal(o.target_bytes, 134217728);
  assert_int_equal(o.open_cost_bytes, 4194304);
  assert_int_equal(o.lookback, 10);
  const calve_property set[] = {{CALVE_STR("read.split.target-size"), CALVE_STR("1000")},
                                {CALVE_STR("read.split.open-file-cost"), CALVE_STR("7")},
                                {CALVE_STR("read.split.planning-lookback"), CALVE_STR("0")}};
  o = calve_split_options_of(&(calve_properties){set, 3});
  assert_int_equal(o.target_bytes, 1000);
  assert_int_equal(o.open_cost_bytes, 7);
  assert_int_equal(o.lookback, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_files_share_a_group),
      cmocka_unit_test(test_the_cost_of_opening_counts),
      cmocka_unit_test(test_files_are_cut_at_their_offsets),
      cmocka_unit_test(test_files_without_offsets_are_cut_by_size),
      cmocka_unit_test(test_lookback_bounds_the_open_groups),
      cmocka_unit_test(test_empty_files_and_impossible_sizes),
      cmocka_unit_test(test_a_cost_of_opening_beyond_all_numbers_gives_groups_of_one),
      cmocka_unit_test(test_groups_are_the_references),
      cmocka_unit_test(test_options_from_properties),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
