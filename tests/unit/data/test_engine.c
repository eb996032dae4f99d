/* SPDX-License-Identifier: Apache-2.0 */
/* data/engine and data/rows: settings, errors, cancelling, rows and Arrow streams. */
#include "data_fixture.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>

static void test_settings_are_ours(void **state) {
  (void)state;
  calve_error err;
  fixture f;
  setenv("TZ", "Asia/Seoul", 1); /* no environment may reach the engine */
  fixture_open(&f);
  unsetenv("TZ");
  assert_string_equal(rows_text(&f,
                                "SELECT current_setting('TimeZone'), current_setting('threads'), "
                                "current_setting('autoload_known_extensions'), "
                                "current_setting('autoinstall_known_extensions'), "
                                "CAST(TIMESTAMP '2026-03-01' AS TIMESTAMPTZ)"),
                      "UTC|2|false|false|2026-03-01 00:00:00+00");
  fixture_close(&f);
  calve_engine *engine = NULL;
  calve_engine_options options = {.time_zone = "Asia/Tokyo", .memory_limit_bytes = 100000000};
  assert_ok(calve_engine_open(&options, &engine, &err), &err);
  int64_t hour = 0;
  assert_ok(calve_engine_query_i64(engine, "SELECT hour(TIMESTAMPTZ '2026-03-01 00:00:00+00')", -1,
                                   &hour, 1, &err),
            &err);
  assert_int_equal(hour, 9);
  calve_engine_close(engine);
  options = (calve_engine_options){.time_zone = "No/Such'Zone"};
  assert_fails(calve_engine_open(&options, &engine, &err), CALVE_EUNSUPPORTED, &err);
}

static void test_errors_have_their_class(void **state) {
  fixture *f = *state;
  static const struct {
    const char *sql;
    calve_status status;
    const char *part;
  } rows[] = {
      {"SELEC 1", CALVE_EINVAL, "syntax error"},
      {"", CALVE_EINVAL, "no statement"},
      {"SELECT nope FROM range(3)", CALVE_EINVAL, "nope"},
      {"SELECT * FROM nope", CALVE_ENOTFOUND, "nope"},
      {"SELECT * FROM read_parquet('/nope/*.parquet')", CALVE_ENOTFOUND, "/nope/"},
      {"SELECT CAST('x' AS INTEGER)", CALVE_EINVAL, "'x'"},
      {"SELECT error('our ' || 'text')", CALVE_EINVAL, "our text"},
      {"CREATE TABLE a AS SELECT 1; CREATE TABLE a AS SELECT 1", CALVE_EEXISTS, "already exists"},
      {"INSTALL httpfs FROM '/nope'; LOAD httpfs", CALVE_EIO, "httpfs"},
      {"COPY (SELECT 1) TO '/proc/nope/x.parquet'", CALVE_EIO, "x.parquet"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    calve_status status = calve_engine_run(f->engine, rows[i].sql, &err);
    if (status != rows[i].status) print_error("%s: %s\n", rows[i].sql, err.message);
    assert_int_equal(status, rows[i].status);
    assert_message(&err, rows[i].part);
    assert_null(strstr(err.message, "LINE 1"));
  }
}

static void test_every_statement_of_a_text_runs(void **state) {
  fixture *f = *state;
  run_sql(f, "CREATE TABLE a (i INT); INSERT INTO a VALUES (1), (2); DELETE FROM a WHERE i = 1;");
  assert_string_equal(rows_text(f, "SELECT * FROM a"), "2");
}

/* ---- cancelling ------------------------------------------------------------------------------ */

#define LONG_QUERY "SELECT sum(a.range * b.range) FROM range(100000000) a, range(1000000) b"

static void *interrupt_soon(void *engine) {
  usleep(50000);
  calve_engine_interrupt(engine);
  return NULL;
}

static void test_another_thread_can_interrupt(void **state) {
  fixture *f = *state;
  calve_error err;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, f->engine), 0);
  assert_fails(calve_engine_run(f->engine, LONG_QUERY, &err), CALVE_ECANCELLED, &err);
  pthread_join(thread, NULL);
  assert_string_equal(rows_text(f, "SELECT 1"), "1"); /* the engine goes on */
}

static bool stop_after_some(void *ctx, calve_engine *engine) {
  int *calls = ctx;
  assert_true(calve_engine_progress(engine) <= 100.0);
  return ++*calls > 20;
}

static void test_the_hook_cancels(void **state) {
  fixture *f = *state;
  calve_error err;
  int calls = 0;
  calve_engine_set_poll(f->engine, stop_after_some, &calls);
  assert_fails(calve_engine_run(f->engine, LONG_QUERY, &err), CALVE_ECANCELLED, &err);
  assert_int_equal(calls, 21);
  calve_engine_set_poll(f->engine, NULL, NULL);
  assert_string_equal(rows_text(f, "SELECT 1"), "1");
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void test_errors_behind_the_first_rows_are_told(void **state) {
  fixture *f = *state;
  calve_error err = {0};
  calve_rows *rows = NULL;
  int64_t count = 0;
  assert_ok(calve_engine_query(f->engine,
                               "SELECT CASE WHEN i = 3000000 THEN error('late') ELSE i END "
                               "FROM range(5000000) t(i)",
                               &rows, &err),
            &err);
  calve_status status = CALVE_OK;
  for (bool more = true; status == CALVE_OK && more;) {
    status = calve_rows_next(rows, &more, &err);
    count += (int64_t)calve_rows_count(rows);
  }
  assert_int_equal(status, CALVE_EINVAL);
  assert_message(&err, "late");
  assert_true(count > 0 && count < 5000000);
  calve_rows_free(rows);
}

static void test_values_of_every_type(void **state) {
  fixture *f = *state;
  static const struct {
    const char *sql, *type, *want;
  } rows[] = {
      {"true", "boolean", "true"},
      {"-5::INTEGER", "int", "-5"},
      {"9223372036854775807", "long", "9223372036854775807"},
      {"1.5::FLOAT", "float", "1.5"},
      {"'-inf'::DOUBLE", "double", "-Infinity"},
      {"-1.25::DECIMAL(4,2)", "decimal(4,2)", "-1.25"},
      {"-1.25::DECIMAL(9,2)", "decimal(9,2)", "-1.25"},
      {"-1.25::DECIMAL(18,2)", "decimal(18,2)", "-1.25"},
      {"-12345678901234567890.25::DECIMAL(38,2)", "decimal(38,2)", "-12345678901234567890.25"},
      {"DATE '1969-12-31'", "date", "1969-12-31"},
      {"TIME '10:00:01.123456'", "time", "10:00:01.123456"},
      {"TIMESTAMP '1969-12-31 23:59:59.999999'", "timestamp", "1969-12-31T23:59:59.999999"},
      {"TIMESTAMPTZ '2026-03-01 09:00:00+09'", "timestamptz", "2026-03-01T00:00:00+00:00"},
      {"'2026-03-01 00:00:00.000000001'::TIMESTAMP_NS", "timestamp_ns",
       "2026-03-01T00:00:00.000000001"},
      {"'é'", "string", "é"},
      {"'f79c3e09-677c-4bbd-a479-3f349cb785e7'::UUID", "uuid",
       "f79c3e09-677c-4bbd-a479-3f349cb785e7"},
      {"'\\x00\\xFF'::BLOB", "binary", "00FF"},
      {"NULL::INTEGER", "int", "null"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    char sql[160];
    bool more;
    calve_value v;
    calve_rows *r = NULL;
    const calve_type *type = NULL;
    calve_buffer text;
    calve_buffer_init(&text, NULL);
    snprintf(sql, sizeof sql, "SELECT %s", rows[i].sql);
    assert_ok(calve_type_parse(calve_str_of(rows[i].type), &f->arena, &type, &err), &err);
    assert_ok(calve_engine_query(f->engine, sql, &r, &err), &err);
    assert_ok(calve_rows_next(r, &more, &err), &err);
    assert_ok(calve_rows_value(r, 0, 0, type, &v, &err), &err);
    calve_value_print(&v, &text);
    if (strcasecmp(calve_buffer_cstr(&text), rows[i].want) != 0)
      fail_msg("%s gives %s, expected %s", rows[i].sql, calve_buffer_cstr(&text), rows[i].want);
    calve_buffer_free(&text);
    calve_rows_free(r);
  }
}

static void test_rows_as_an_arrow_stream(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_engine *fork = NULL;
  calve_rows *rows = NULL;
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray array;
  assert_ok(calve_engine_fork(f->engine, &fork, &err), &err);
  assert_ok(calve_engine_query(fork, "SELECT i, 's' || i AS s FROM range(5000) t(i)", &rows, &err),
            &err);
  assert_ok(calve_rows_to_arrow(rows, fork, &stream, &err), &err);
  run_sql(f, "SELECT 1"); /* other statements run beside the stream */
  assert_int_equal(stream.get_schema(&stream, &schema), 0);
  assert_int_equal(schema.n_children, 2);
  assert_string_equal(schema.children[0]->name, "i");
  assert_string_equal(schema.children[0]->format, "l");
  assert_string_equal(schema.children[1]->format, "u");
  schema.release(&schema);
  int64_t count = 0, sum = 0;
  for (;;) {
    assert_int_equal(stream.get_next(&stream, &array), 0);
    if (!array.release) break;
    const int64_t *values = array.children[0]->buffers[1];
    for (int64_t i = 0; i < array.length; i++) sum += values[i];
    count += array.length;
    array.release(&array);
  }
  assert_int_equal(count, 5000);
  assert_int_equal(sum, 4999 * 2500);
  stream.release(&stream);
  assert_null(stream.release);
}

/* Rows that spill leave nothing behind. */
static void test_closing_removes_temporary_files(void **state) {
  (void)state;
  calve_error err;
  char dir[256];
  make_temp_dir(dir);
  calve_engine *engine = NULL;
  calve_engine_options options = {
      .temp_dir = dir, .memory_limit_bytes = INT64_C(60000000), .thread_count = 1};
  assert_ok(calve_engine_open(&options, &engine, &err), &err);
  assert_ok(calve_engine_run(engine,
                             "CREATE TEMP TABLE t AS SELECT i, hash(i) AS h, 'text' || i AS s "
                             "FROM range(3000000) t(i) ORDER BY h",
                             &err),
            &err);
  int64_t spilled = 0;
  assert_ok(calve_engine_query_i64(engine, "SELECT count(*) FROM duckdb_temporary_files()", -1,
                                   &spilled, 1, &err),
            &err);
  assert_true(spilled > 0);
  calve_engine_close(engine);
  assert_int_equal(rmdir(dir), 0); /* it is empty */
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_fixture, teardown_fixture)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_settings_are_ours),
      TEST(test_errors_have_their_class),
      TEST(test_every_statement_of_a_text_runs),
      TEST(test_another_thread_can_interrupt),
      TEST(test_the_hook_cancels),
      TEST(test_errors_behind_the_first_rows_are_told),
      TEST(test_values_of_every_type),
      TEST(test_rows_as_an_arrow_stream),
      cmocka_unit_test(test_closing_removes_temporary_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
