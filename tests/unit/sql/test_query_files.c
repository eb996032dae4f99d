/* SPDX-License-Identifier: Apache-2.0 */
/* sql/query_files and data/damage together: statements that come upon a damaged page of a data
 * file, whatever reads it, tell the file and the column. */
#include <errno.h>
#include <fcntl.h>

#include "sql_session.h"

/* A table of four files of one row group each; the pages of column s in the file that has the
 * id make no sense. Gives that file's path. */
static const char *make_damaged(sql_session *f, int id) {
  char sql[800];
  run(f, "CREATE TABLE db.t (id BIGINT, s STRING) "
         "TBLPROPERTIES ('write.parquet.compression-codec' = 'gzip')");
  for (int i = 0; i < 4; i++) {
    snprintf(sql, sizeof sql,
             "INSERT INTO db.t SELECT i, hash(i)::VARCHAR FROM range(%d, %d) t(i)", i * 30000,
             i * 30000 + 30000);
    run(f, sql);
  }
  snprintf(sql, sizeof sql,
           "SELECT filename FROM read_parquet('%s/db/t/data/*', filename => true) WHERE id = %d",
           f->dir, id);
  const char *path = rows_of(f, sql);
  snprintf(sql, sizeof sql,
           "SELECT least(data_page_offset, coalesce(dictionary_page_offset, data_page_offset))"
           "::VARCHAR FROM parquet_metadata('%s') WHERE path_in_schema = 's'",
           path);
  long offset = strtol(rows_of(f, sql), NULL, 10);
  char bytes[400];
  memset(bytes, 0xFF, sizeof bytes);
  int file = open(path, O_WRONLY);
  assert_true(file >= 0 && offset > 0);
  assert_int_equal(pwrite(file, bytes, sizeof bytes, offset + 60), sizeof bytes);
  close(file);
  return path;
}

static void test_every_reader_tells_the_file(void **state) {
  sql_session *f = *state;
  const char *path = make_damaged(f, 0);
  char sql[600], name[300];
  snprintf(name, sizeof name, "%s", path);
  run(f, "CREATE TABLE db.u (id BIGINT, s STRING)");
  run(f, "INSERT INTO db.u VALUES (1, 'one')");
  static const char *const statements[] = {
      "SELECT count(DISTINCT s) FROM db.t",
      "SELECT count(*) FROM db.u JOIN db.t ON u.id < length(t.s)",
      "SELECT count(DISTINCT s) FROM db.t WHERE id >= 0",
      "INSERT INTO db.u SELECT * FROM db.t",
      "INSERT OVERWRITE db.u SELECT * FROM db.t",
      "CREATE TABLE db.v AS SELECT * FROM db.t",
      "CREATE TEMP TABLE v AS SELECT * FROM db.t",
      "SELECT count(DISTINCT s) FROM '@'",
      "SELECT count(DISTINCT s) FROM read_parquet('@')",
      "WITH p AS (SELECT * FROM parquet_scan(['@'])) SELECT count(DISTINCT s) FROM p",
      "INSERT INTO db.u SELECT id, s FROM read_parquet(['@'])",
  };
  for (size_t i = 0; i < ARRAY_COUNT(statements); i++) {
    const char *at = strchr(statements[i], '@');
    if (at)
      snprintf(sql, sizeof sql, "%.*s%s%s", (int)(at - statements[i]), statements[i], name, at + 1);
    else
      snprintf(sql, sizeof sql, "%s", statements[i]);
    calve_error err = {0};
    calve_result *r = NULL;
    assert_fails(try_run(f, sql, &r, &err), CALVE_ECORRUPT, &err);
    if (strcmp(err.where, name) != 0) print_error("%s\n  %s: %s\n", sql, err.where, err.message);
    assert_string_equal(err.where, name);
    assert_message(&err, "the Parquet file is damaged in column s: ");
  }
  /* What is not damaged is as it was. */
  assert_rows(f, "SELECT id, s FROM db.u", "1,one");
  assert_rows(f, "SELECT count(*) FROM db.u.snapshots", "1");
  assert_rows(f, "SELECT count(id), max(id) FROM db.t", "120000,119999");
  assert_rows(f, "SHOW TABLES IN db", "db,t|db,u");
}

/* Rows stream: the damage may lie behind rows that were given out already. */
static void test_a_stream_tells_the_file(void **state) {
  sql_session *f = *state;
  const char *path = make_damaged(f, 0);
  calve_error err = {0};
  calve_result *r = NULL;
  struct ArrowArrayStream stream;
  struct ArrowArray array;
  run(f, "SET threads = 1"); /* else another one may come upon the damage before */
  assert_ok(try_run(f, "SELECT id, s FROM db.t", &r, &err), &err);
  assert_ok(calve_result_take_rows(r, &stream, &err), &err);
  int failed;
  while (!(failed = stream.get_next(&stream, &array)) && array.release) array.release(&array);
  assert_int_equal(failed, EIO);
  const char *message = stream.get_last_error(&stream);
  assert_int_equal(strncmp(message, path, strlen(path)), 0);
  assert_non_null(strstr(message, ": the Parquet file is damaged in column s: "));
  stream.release(&stream);
  calve_result_free(r);
  assert_rows(f, "SELECT count(id) FROM db.t", "120000");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      TEST(test_every_reader_tells_the_file),
      TEST(test_a_stream_tells_the_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
