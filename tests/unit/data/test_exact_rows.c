/* SPDX-License-Identifier: Apache-2.0 */
/* data/exact_rows: which queries are wrapped, and by what. */
#include "data_fixture.h"

#include "data/exact_rows.h"

static void check(fixture *f, const char *sql, unsigned as_text, const char *expected) {
  duckdb_prepared_statement statement = NULL;
  calve_buffer out;
  calve_error err;
  calve_buffer_init(&out, NULL);
  assert_ok(calve_engine_prepare(f->engine, sql, &statement, &err), &err);
  assert_ok(calve_exact_query(statement, sql, as_text, &out, &err), &err);
  assert_string_equal(calve_buffer_cstr(&out), expected);
  duckdb_destroy_prepare(&statement);
  if (expected[0]) {
    duckdb_prepared_statement wrapped = NULL;
    assert_ok(calve_engine_prepare(f->engine, expected, &wrapped, &err), &err);
    duckdb_destroy_prepare(&wrapped);
  }
  calve_buffer_free(&out);
}

static void test_what_arrow_lacks_becomes_text(void **state) {
  fixture *f = *state;
  const unsigned all = CALVE_TEXT_INSTANTS | CALVE_TEXT_INTERVALS;
  check(f, "SELECT 1 AS a, 'x' AS b, [DATE '2026-01-01'] AS c", all, "");
  check(f, "SELECT TIMESTAMPTZ '2026-01-01 00:00:00+00' AS a, INTERVAL '1 day' AS b", 0, "");
  check(f, "SELECT TIMESTAMPTZ '2026-01-01 00:00:00+00' AS a, INTERVAL '1 day' AS b", all,
        "SELECT CAST(calve_0 AS VARCHAR) AS \"a\", CAST(calve_1 AS VARCHAR) AS \"b\" FROM (\n"
        "SELECT TIMESTAMPTZ '2026-01-01 00:00:00+00' AS a, INTERVAL '1 day' AS b\n"
        ") AS calve_rows(calve_0, calve_1)");
  check(f, "SELECT 1 AS \"a\"\"b\", {'x y': [1.5::DECIMAL(4, 2)], 'z': MAP {1: '1'::BIT}} s -- end",
        0,
        "SELECT calve_0 AS \"a\"\"b\", CAST(calve_1 AS STRUCT(\"x y\" DECIMAL(4, 2)[], \"z\" "
        "MAP(INTEGER, VARCHAR))) AS \"s\" FROM (\n"
        "SELECT 1 AS \"a\"\"b\", {'x y': [1.5::DECIMAL(4, 2)], 'z': MAP {1: '1'::BIT}} s -- end\n"
        ") AS calve_rows(calve_0, calve_1)");
  check(f, "SELECT [['1'::BIT]]::BIT[1][1] AS a, row('1'::BIT) AS r", 0,
        "SELECT CAST(calve_0 AS VARCHAR[1][1]) AS \"a\", CAST(calve_1 AS VARCHAR) AS \"r\" FROM (\n"
        "SELECT [['1'::BIT]]::BIT[1][1] AS a, row('1'::BIT) AS r\n"
        ") AS calve_rows(calve_0, calve_1)");
}

static void test_other_statements_stay(void **state) {
  fixture *f = *state;
  check(f, "CREATE TEMP TABLE t AS SELECT '1'::BIT AS b", 0, "");
  check(f, "SET threads = 1", 0, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_what_arrow_lacks_becomes_text, setup_fixture,
                                      teardown_fixture),
      cmocka_unit_test_setup_teardown(test_other_statements_stay, setup_fixture, teardown_fixture),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
