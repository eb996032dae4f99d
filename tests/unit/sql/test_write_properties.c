/* SPDX-License-Identifier: Apache-2.0 */
/* sql/write_properties: what no writer can obey is refused when it is set, and told when somebody
 * else has set it. */
#include "sql_session.h"

#include "sql/write_properties.h"

typedef enum outcome { PASSES, WARNS, FAILS } outcome;

static const struct {
  const char *key, *value;
  outcome set, write;
  const char *part; /* of the refusal or warning                                                */
} rows[] = {
    {"write.target-file-size-bytes", "1", PASSES, PASSES, ""},
    {"write.target-file-size-bytes", "abc", FAILS, FAILS, "a whole number from 1 on"},
    {"write.target-file-size-bytes", "1 MB", FAILS, FAILS, "'1 MB'"},
    {"write.target-file-size-bytes", "0", FAILS, WARNS, "a whole number from 1 on"},
    {"commit.retry.num-retries", "0", PASSES, PASSES, ""},
    {"commit.retry.num-retries", "-1", FAILS, WARNS, "from 0 on"},
    {"write.parquet.compression-level", "-3", PASSES, PASSES, ""},
    {"write.metadata.metrics.default", "Truncate(8)", PASSES, PASSES, ""},
    {"write.metadata.metrics.default", "truncate(0)", FAILS, WARNS, "truncate(N)"},
    {"write.metadata.metrics.column.a.b", "full", PASSES, PASSES, ""},
    {"write.metadata.metrics.column.a.b", "some", FAILS, WARNS, "none, counts"},
    {"write.metadata.delete-after-commit.enabled", "TRUE", PASSES, PASSES, ""},
    {"write.metadata.delete-after-commit.enabled", "yes", FAILS, WARNS, "true, false"},
    {"write.parquet.compression-codec", "ZSTD", PASSES, PASSES, ""},
    {"write.parquet.compression-codec", "lzx", FAILS, FAILS, "brotli"},
    {"write.parquet.compression-codec", "zst", FAILS, FAILS, "zstd"},
    {"write.parquet.compression-codec", "", FAILS, FAILS, "can't be ''"},
    {"write.manifest.compression-codec", "zstandard", PASSES, PASSES, ""},
    {"write.metadata.compression-codec", "zstd", FAILS, FAILS, "none, gzip"},
    {"write.format.default", "Parquet", PASSES, PASSES, ""},
    {"write.format.default", "orc", WARNS, WARNS, "this version writes Parquet"},
    {"write.format.default", "csv", FAILS, FAILS, "parquet, orc, avro"},
    {"write.wap.enabled", "perhaps", PASSES, PASSES, ""},
    {"mine", "", PASSES, PASSES, ""},
};

typedef calve_status checker(calve_exec *x, const calve_properties *p, calve_error *err);

static void check(sql_session *f, size_t i, checker *run_check, outcome want) {
  calve_error err = {0};
  const calve_property property = {calve_str_of(rows[i].key), calve_str_of(rows[i].value)};
  const calve_properties properties = {&property, 1};
  calve_result result = {.allocator = f->session->allocator};
  calve_exec x = {.session = f->session, .arena = &f->arena, .result = &result};
  calve_arena_init(&result.arena, f->session->allocator);
  calve_buffer_init(&result.warnings, f->session->allocator);
  calve_status status = run_check(&x, &properties, &err);
  size_t warnings = CALVE_COUNT(&result.warnings, calve_str);
  outcome found = status != CALVE_OK ? FAILS : warnings > 0 ? WARNS : PASSES;
  if (found != want) fail_msg("%s = '%s': %d, not %d", rows[i].key, rows[i].value, found, want);
  if (found == FAILS) {
    assert_fails(status, CALVE_EINVAL, &err);
    assert_message(&err, rows[i].part);
    assert_message(&err, rows[i].key);
  } else if (found == WARNS) {
    assert_non_null(strstr(CALVE_ITEMS(&result.warnings, calve_str)[0].data, rows[i].part));
  }
  calve_buffer_free(&result.warnings);
  calve_arena_free(&result.arena);
}

static void test_values_that_no_writer_obeys(void **state) {
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    check(*state, i, calve_check_set_properties, rows[i].set);
    check(*state, i, calve_check_write_properties, rows[i].write);
  }
}

static void test_statements_refuse_them_and_change_nothing(void **state) {
  sql_session *f = *state;
  refuse(f, "CREATE TABLE db.t (a INT) TBLPROPERTIES ('write.target-file-size-bytes' = 'abc')",
         CALVE_EINVAL, "can't be 'abc'");
  refuse(f, "CREATE TABLE db.t TBLPROPERTIES ('gc.enabled' = '1') AS SELECT 1 AS a", CALVE_EINVAL,
         "true, false");
  run(f, "CREATE TABLE db.t (a INT)");
  refuse(f, "ALTER TABLE db.t SET TBLPROPERTIES ('a' = 'b', 'write.format.default' = 'text')",
         CALVE_EINVAL, "parquet, orc, avro");
  refuse(f, "CREATE OR REPLACE TABLE db.t (b INT) TBLPROPERTIES ('write.format.default' = 'text')",
         CALVE_EINVAL, "parquet, orc, avro");
  run(f, "ALTER TABLE db.t SET TBLPROPERTIES ('write.format.default' = 'avro')");
  run(f, "INSERT INTO db.t VALUES (1)");
  assert_rows(f, "SELECT file_format FROM db.t.files", "PARQUET");
  run(f, "ALTER TABLE db.t UNSET TBLPROPERTIES ('write.format.default')");
}

int main(void) {
#define SESSION_TEST(test) cmocka_unit_test_setup_teardown(test, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      SESSION_TEST(test_values_that_no_writer_obeys),
      SESSION_TEST(test_statements_refuse_them_and_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
