/* SPDX-License-Identifier: Apache-2.0 */
/* That what is printed as SQL means the same when it is read again is a law in test_judge.c; here
 * is what people, and the programs that take it, see. */
#include "expr/condense.h"
#include "expr_fixture.h"

static const calve_schema *all_columns(void) {
  return schema_of(
      "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\"},"
      "{\"id\":2,\"name\":\"k\",\"required\":false,\"type\":\"int\"},"
      "{\"id\":3,\"name\":\"s\",\"required\":false,\"type\":\"string\"},"
      "{\"id\":4,\"name\":\"x\",\"required\":false,\"type\":\"float\"},"
      "{\"id\":5,\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"},"
      "{\"id\":6,\"name\":\"f\",\"required\":false,\"type\":\"double\"},"
      "{\"id\":7,\"name\":\"order\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
      "{\"id\":8,\"name\":\"a b\",\"required\":false,\"type\":\"int\"}]}},"
      "{\"id\":9,\"name\":\"d\",\"required\":false,\"type\":\"date\"}");
}

static const char *as_sql(const calve_predicate *p) {
  calve_buffer out;
  calve_str copy;
  calve_buffer_init(&out, NULL);
  calve_predicate_print_sql(p, &out);
  assert_ok(calve_arena_str(&arena, calve_buffer_view(&out), &copy, &err), &err);
  calve_buffer_free(&out);
  return copy.data;
}

/* As plans have it: what is said twice of nulls is said once. */
static const char *planned(const calve_schema *schema, const char *where) {
  const calve_predicate *p;
  assert_ok(calve_condense(bind(schema, where)->root, &arena, &p, &err), &err);
  return as_sql(p);
}

static void test_sql_is_read_as_it_was_meant(void **state) {
  (void)state;
  static const struct {
    const char *where, *sql; /* NULL: the same                                                 */
  } rows[] = {
      {"ts::date = DATE '2025-04-15'", "days(ts) = '2025-04-15'"},
      {"days(ts) = '2025-04-15'", NULL},
      {"date_trunc('month', ts) < DATE '2025-04-01'", "months(ts) < '2025-04'"},
      {"months(ts) IN ('2025-04', '2025-05')", "months(ts) = '2025-04' OR months(ts) = '2025-05'"},
      {"hours(ts) >= '2024-12-26-08'", NULL},
      {"year(ts) = 2025", "years(ts) = '2025'"},
      {"years(d) = '1969'", NULL},
      {"years(ts) > 20000", "years(ts) > 20000"}, /* a year of five digits is no text */
      {"isnan(f)", NULL},
      {"f IS NOT NAN", "NOT isnan(f) AND f IS NOT NULL"},
      {"k <> 5", "k <> 5 AND k IS NOT NULL"},
      {"id <> 5", NULL}, /* never null */
      {"k IS DISTINCT FROM 5", "(k <> 5 AND k IS NOT NULL) OR k IS NULL"},
      {"bucket(16, id) = 3 AND truncate(2, s) = 'ab'", NULL},
      {"\"order\".\"a b\" = 1", NULL},
      {"s = 'it''s' AND s LIKE 'it%'", NULL},
      {"starts_with(s, 'a%')", NULL},
      {"f < CAST('Infinity' AS DOUBLE) OR f > CAST('-0.0' AS DOUBLE)", NULL},
      /* digits of the double that a float equals; but a literal that is no float as it was written
       */
      {"x = 0.5", NULL},
      {"x < 0.1", NULL},
      {"x < 0.50000000001", NULL},
      {"x IN (0.25, 0.1)", NULL},
      {"x > 0.10000000149011612", NULL},
      {"ts < '2026-03-01T10:00:00.000001'", NULL},
      {"d >= '2026-03-01'", NULL},
      {"1 = 1", "TRUE"},
  };
  const calve_schema *schema = all_columns();
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const char *want = rows[i].sql ? rows[i].sql : rows[i].where;
    const char *found = planned(schema, rows[i].where), *again;
    if (strcmp(found, want) != 0) fail_msg("%s\n  is printed as %s", rows[i].where, found);
    again = planned(schema, found);
    if (strcmp(again, found) != 0) fail_msg("%s\n  is read as %s", found, again);
  }
}

/* A condition that is not from SQL holds for nulls where its operator does. */
static void test_nulls_are_named(void **state) {
  (void)state;
  static const struct {
    calve_predicate_op op;
    const char *sql, *for_people;
  } rows[] = {
      {CALVE_OP_NOT_EQ, "k <> 3 OR k IS NULL", "k <> 3"},
      {CALVE_OP_NOT_IN, "k NOT IN (3, 4) OR k IS NULL", "k NOT IN (3, 4)"},
      {CALVE_OP_EQ, "k = 3", "k = 3"},
  };
  const calve_schema *schema = all_columns();
  const calve_value values[2] = {int_value(3), int_value(4)};
  calve_term term = calve_term_column(CALVE_STR("k"));
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_predicate *leaf;
    const calve_bound *bound;
    size_t count = rows[i].op == CALVE_OP_NOT_IN ? 2 : 1;
    assert_ok(calve_predicate_leaf(rows[i].op, &term, values, count, &arena, &leaf, &err), &err);
    assert_ok(calve_bind(leaf, schema, NULL, &arena, &bound, &err), &err);
    assert_string_equal(as_sql(bound->root), rows[i].sql);
    assert_string_equal(printed(bound->root), rows[i].for_people);
  }
}

static void test_only_people_get_short_lists(void **state) {
  (void)state;
  const calve_bound *bound =
      bind(all_columns(), "k IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)");
  assert_string_equal(printed(bound->root), "k IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ... 4 more)");
  assert_string_equal(as_sql(bound->root), "k IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_sql_is_read_as_it_was_meant),
      TEST(test_nulls_are_named),
      TEST(test_only_people_get_short_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
