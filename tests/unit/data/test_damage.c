/* SPDX-License-Identifier: Apache-2.0 */
#include "data/damage.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "data_fixture.h"

/* A file of two columns whose pages of the second make no sense. */
static void make_file(fixture *f, const char *name, bool damaged) {
  calve_error err;
  char sql[600], path[300];
  snprintf(path, sizeof path, "%s/%s", f->dir, name);
  snprintf(sql, sizeof sql,
           "COPY (SELECT i, i::DECIMAL(20,3) AS \"odd \"\"name\" FROM range(1000) t(i)) TO '%s' "
           "(FORMAT parquet, CODEC gzip)",
           path);
  assert_ok(calve_engine_run(f->engine, sql, &err), &err);
  if (!damaged) return;
  int64_t place[2];
  snprintf(sql, sizeof sql,
           "SELECT data_page_offset, total_compressed_size FROM parquet_metadata('%s') "
           "WHERE column_id = 1",
           path);
  assert_ok(calve_engine_query_i64(f->engine, sql, -1, place, 2, &err), &err);
  int file = open(path, O_WRONLY);
  char bytes[4096];
  memset(bytes, 0xFF, sizeof bytes);
  assert_true(file >= 0 && place[1] > 40 && place[1] < (int64_t)sizeof bytes);
  assert_true(pwrite(file, bytes, (size_t)place[1] - 40, (off_t)place[0] + 40) > 0);
  close(file);
}

/* "'DIR/name'" */
static void note(fixture *f, const char *name) {
  char item[300];
  snprintf(item, sizeof item, "'%s/%s'", f->dir, name);
  calve_error err;
  assert_ok(calve_damage_note(f->engine, calve_str_of(item), &err), &err);
}

/* What the engine says of all files of the folder, which is read whole. */
static calve_status read_all(fixture *f, calve_error *err) {
  char sql[400];
  int64_t sum;
  snprintf(sql, sizeof sql,
           "SELECT sum(\"odd \"\"name\")::BIGINT FROM read_parquet('%s/*.parquet')", f->dir);
  return calve_engine_query_i64(f->engine, sql, 0, &sum, 1, err);
}

static void test_the_file_and_the_column_are_named(void **state) {
  fixture *f = *state;
  calve_error err;
  char want[300];
  make_file(f, "a.parquet", false);
  make_file(f, "b.parquet", true);
  make_file(f, "c.parquet", false);
  assert_fails(read_all(f, &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "a Parquet file that the statement reads is damaged: Failed to");
  calve_error vague = err;
  calve_damage_name(f->engine, &err); /* no file is known */
  assert_memory_equal(&err, &vague, sizeof err);
  note(f, "a.parquet");
  note(f, "*.parquet");
  calve_damage_name(f->engine, &err);
  snprintf(want, sizeof want, "%s/b.parquet", f->dir);
  assert_string_equal(err.where, want);
  assert_int_equal(err.code, CALVE_ECORRUPT);
  assert_message(&err, "the Parquet file is damaged in column odd \"name: Failed to decompress");
}

static void test_where_no_file_is_damaged_the_error_stays(void **state) {
  fixture *f = *state;
  calve_error err;
  make_file(f, "a.parquet", false);
  make_file(f, "b.parquet", true);
  assert_fails(read_all(f, &err), CALVE_ECORRUPT, &err);
  calve_error vague = err;
  note(f, "a.parquet");
  note(f, "none.parquet");
  calve_damage_name(f->engine, &err);
  assert_memory_equal(&err, &vague, sizeof err);
  note(f, "b.parquet");
  calve_damage_forget(f->engine);
  calve_damage_name(f->engine, &err);
  assert_memory_equal(&err, &vague, sizeof err);
}

static bool count_calls(void *ctx, calve_engine *engine) {
  (void)engine;
  return ++*(int *)ctx < 0;
}

/* An error that names a file, or that is about something else, opens none. */
static void test_other_errors_cost_nothing(void **state) {
  fixture *f = *state;
  int calls = 0;
  make_file(f, "b.parquet", true);
  note(f, "b.parquet");
  calve_engine_set_poll(f->engine, count_calls, &calls);
  static const struct {
    calve_status code;
    const char *message;
  } rows[] = {{CALVE_ECORRUPT, "Failed to read file \"x\": Snappy decompression failure"},
              {CALVE_EINVAL, "a Parquet file that the statement reads is damaged: no"},
              {CALVE_ECANCELLED, "the statement was cancelled"}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    (void)calve_fail(&err, rows[i].code, "", "%s", rows[i].message);
    calve_damage_name(f->engine, &err);
    assert_string_equal(err.message, rows[i].message);
    assert_string_equal(err.where, "");
  }
  assert_int_equal(calls, 0);
}

static bool cancel(void *ctx, calve_engine *engine) {
  (void)engine;
  ++*(int *)ctx;
  return true;
}

static void test_the_hook_stops_the_search(void **state) {
  fixture *f = *state;
  calve_error err;
  int calls = 0;
  make_file(f, "b.parquet", true);
  assert_fails(read_all(f, &err), CALVE_ECORRUPT, &err);
  calve_error vague = err;
  note(f, "b.parquet");
  calve_engine_set_poll(f->engine, cancel, &calls);
  calve_damage_name(f->engine, &err);
  assert_memory_equal(&err, &vague, sizeof err);
  assert_true(calls > 0);
}

/* The footer says where pages are, so that a file may have a hole in front of it. */
static void test_the_search_ends_at_a_cap(void **state) {
  fixture *f = *state;
  calve_error err;
  char path[300], tail[8192];
  make_file(f, "a.parquet", false);
  make_file(f, "b.parquet", true);
  assert_fails(read_all(f, &err), CALVE_ECORRUPT, &err);
  calve_error vague = err;
  note(f, "a.parquet");
  note(f, "b.parquet");
  snprintf(path, sizeof path, "%s/a.parquet", f->dir);
  int file = open(path, O_RDWR);
  struct stat facts;
  assert_true(file >= 0 && fstat(file, &facts) == 0);
  uint8_t size[4];
  assert_int_equal(pread(file, size, 4, facts.st_size - 8), 4);
  size_t footer = 8 + (size[0] | (size_t)size[1] << 8);
  assert_true(footer < sizeof tail);
  assert_int_equal(pread(file, tail, footer, facts.st_size - (off_t)footer), footer);
  if (pwrite(file, tail, footer, CALVE_DAMAGE_BYTES_MAX) == (ssize_t)footer) {
    calve_damage_name(f->engine, &err);
    assert_memory_equal(&err, &vague, sizeof err);
    assert_int_equal(ftruncate(file, facts.st_size), 0);
  }
  close(file);
  calve_damage_name(f->engine, &err);
  assert_true(strcmp(err.message, vague.message) != 0);
  assert_non_null(strstr(err.where, "/b.parquet"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_fixture, teardown_fixture)
  const struct CMUnitTest tests[] = {
      TEST(test_the_file_and_the_column_are_named),
      TEST(test_where_no_file_is_damaged_the_error_stays),
      TEST(test_other_errors_cost_nothing),
      TEST(test_the_hook_stops_the_search),
      TEST(test_the_search_ends_at_a_cap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
