/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "sql/query_travel.h"

/* Each form of time travel becomes a placeholder; everything else stays byte for byte. */
static void test_time_travel_clauses_are_taken_out(void **state) {
  (void)state;
  static const struct {
    const char *query, *want;
    bool by_time;
    const char *text;
  } rows[] = {
      {"SELECT * FROM db.t VERSION AS OF 12 WHERE a", "SELECT * FROM calve_travel_0 WHERE a",
       false, "12"},
      {"SELECT * FROM db.t FOR VERSION AS OF 'b1' x", "SELECT * FROM calve_travel_0 x", false,
       "'b1'"},
      {"FROM db.t FOR SYSTEM_TIME AS OF TIMESTAMP '2026-01-01' AS x",
       "FROM calve_travel_0 AS x", true, "TIMESTAMP '2026-01-01'"},
      {"FROM t TIMESTAMP AS OF now()", "FROM calve_travel_0", true, "now()"},
      {"FROM t TIMESTAMP AS OF now() - INTERVAL 1 DAY WHERE a", "FROM calve_travel_0 WHERE a", true,
       "now() - INTERVAL 1 DAY"},
      {"FROM t FOR TIMESTAMP AS OF current_date + INTERVAL '2' HOURS - INTERVAL (x) MONTH AS y",
       "FROM calve_travel_0 AS y", true,
       "current_date + INTERVAL '2' HOURS - INTERVAL (x) MONTH"},
      {"FROM t AT (TIMESTAMP => now() - INTERVAL '1 day') x", "FROM calve_travel_0 x", true,
       "now() - INTERVAL '1 day'"},
      {"FROM t TIMESTAMP AS OF now() - INTERVAL 1 MILLISECOND WHERE a",
       "FROM calve_travel_0 WHERE a", true, "now() - INTERVAL 1 MILLISECOND"},
      {"FROM t TIMESTAMP AS OF now() - INTERVAL 2 quarters - INTERVAL 1 MILLENNIUM z",
       "FROM calve_travel_0 z", true, "now() - INTERVAL 2 quarters - INTERVAL 1 MILLENNIUM"},
      {"FROM t AT (VERSION => -5) x", "FROM calve_travel_0 x", false, "-5"},
      {"FROM a.b.c.d JOIN x", "FROM calve_travel_0 JOIN x", false, NULL},
      {"SELECT t.*, a.b.c.d FROM t WHERE version = 1", NULL, false, NULL},
      {"SELECT 'FROM t VERSION AS OF 1'", NULL, false, NULL},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_arena arena;
    calve_error err;
    calve_str text = {0};
    const calve_travel *travels;
    size_t count;
    calve_arena_init(&arena, NULL);
    assert_ok(calve_travel_extract(calve_str_of(rows[i].query), &arena, &text, &travels, &count,
                                   &err),
              &err);
    assert_string_equal(text.data, rows[i].want ? rows[i].want : rows[i].query);
    assert_int_equal(count, rows[i].want ? 1 : 0);
    if (rows[i].text) {
      assert_true(calve_str_equal_text(travels[0].text, rows[i].text));
      assert_int_equal(travels[0].by_time, rows[i].by_time);
    }
    calve_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_time_travel_clauses_are_taken_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
