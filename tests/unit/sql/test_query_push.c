/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that stand elsewhere than beside the table: which of them reach its plan, and that no
 * row is lost. Each query gives the same rows on temporary copies of the tables, whose every row is
 * read. */
#include "sql_session.h"

/* One file a row of `a` and of `b`, so that whatever is filtered first is a file that is not read.
 */
static void make_tables(sql_session *f) {
  run(f,
      "CREATE TABLE db.a (id BIGINT, g INT, s STRING, d DATE, st STRUCT<x: INT>) "
      "PARTITIONED BY (id, g)");
  run(f, "CREATE TABLE db.b (id INT, g BIGINT, s STRING, k INT) PARTITIONED BY (id, k)");
  run(f,
      "INSERT INTO db.a VALUES (1, 1, 'a', DATE '2025-01-01', {'x': 1}), "
      "(2, 1, 'b', DATE '2025-02-01', {'x': 2}), (3, 2, '3', DATE '2025-03-01', {'x': 3}), "
      "(4, 2, '03', NULL, NULL), (NULL, 3, NULL, DATE '2025-03-01', {'x': 3})");
  run(f,
      "INSERT INTO db.b VALUES (1, 1, 'a', 10), (3, 3, '3', 30), (3, NULL, '03', 31), "
      "(5, 5, 'x', 50), (NULL, 6, NULL, 60)");
  run(f, "CREATE TEMP TABLE a AS SELECT * FROM db.a");
  run(f, "CREATE TEMP TABLE b AS SELECT * FROM db.b");
}

/* "id = 3 [1]": the filter and the files kept of each table, in the order of the text. */
static const char *summary(sql_session *f, const char *query) {
  char sql[1024];
  calve_buffer text;
  snprintf(sql, sizeof sql, "EXPLAIN %s", query);
  const char *at = rows_of(f, sql);
  calve_buffer_init(&text, NULL);
  while ((at = strstr(at, "filter: ")) != NULL) {
    at += 8;
    calve_buffer_printf(&text, "%s%.*s", text.size > 0 ? ", " : "", (int)strcspn(at, "|"), at);
    const char *kept = strstr(at, " files kept");
    while (kept && kept[-1] != '|') kept--;
    if (kept) calve_buffer_printf(&text, " [%d]", atoi(kept));
  }
  at = calve_arena_copy(&f->arena, calve_buffer_cstr(&text), text.size + 1);
  calve_buffer_free(&text);
  return at;
}

/* The query on the copies: "db." is left out. */
static const char *unpruned(sql_session *f, const char *query) {
  calve_buffer text;
  calve_buffer_init(&text, NULL);
  for (const char *at = query; *at; at++) {
    if (strncmp(at, "db.", 3) == 0) at += 3;
    calve_buffer_putc(&text, *at);
  }
  const char *rows = rows_of(f, calve_buffer_cstr(&text));
  calve_buffer_free(&text);
  return rows;
}

typedef struct push_case {
  const char *query, *plan;
} push_case;

/* `query` stands in a SELECT that adds its rows up, so that their types and order are no matter. */
static void check(sql_session *f, const push_case *cases, size_t count) {
  bool failed = false;
  make_tables(f);
  for (size_t i = 0; i < count; i++) {
    char sql[1024];
    snprintf(sql, sizeof sql, "SELECT count(*), sum(hash(q))::VARCHAR FROM (%s) q", cases[i].query);
    const char *plan = summary(f, cases[i].query), *want = unpruned(f, sql);
    failed |= strcmp(plan, cases[i].plan) != 0;
    if (strcmp(plan, cases[i].plan) != 0)
      print_error("%s\n  plan     %s\n  expected %s\n", cases[i].query, plan, cases[i].plan);
    assert_rows(f, sql, want);
  }
  assert_false(failed);
}

/* ---- what a subquery lets through -------------------------------------------------------------
 */

static void test_subqueries_that_let_conditions_through(void **state) {
  static const push_case cases[] = {
      {"SELECT * FROM (SELECT * FROM db.a) WHERE id = 3", "id = 3 [1]"},
      {"SELECT * FROM (SELECT * FROM (SELECT * FROM db.a) x) y WHERE y.id = 3", "id = 3 [1]"},
      {"SELECT * FROM (SELECT id AS k, g FROM db.a) WHERE k = 3", "id = 3 [1]"},
      {"SELECT * FROM (SELECT * FROM db.a) t(k, h) WHERE k = 3 AND h = 2", "id = 3 AND g = 2 [1]"},
      {"SELECT * FROM (SELECT * FROM db.a WHERE g = 2) WHERE id > 3", "id > 3 AND g = 2 [1]"},
      {"SELECT * FROM (SELECT * EXCLUDE (g) FROM db.a) WHERE id = 3", "id = 3 [1]"},
      {"SELECT * FROM (SELECT * REPLACE (g AS id) FROM db.a) WHERE id = 2", "g = 2 [2]"},
      {"SELECT * FROM (SELECT id, upper(s) AS s FROM db.a) WHERE id = 3 AND s = 'A'", "id = 3 [1]"},
      {"SELECT * FROM (SELECT date_trunc('month', d) AS m FROM db.a) WHERE m = DATE '2025-02-01'",
       "months(d) = '2025-02' [1]"},
      {"SELECT * FROM (SELECT st.x AS x, st FROM db.a) WHERE x = 3 AND st.x < 4",
       "st.x = 3 AND st.x < 4 [2]"},
      {"SELECT * FROM (SELECT DISTINCT id, g FROM db.a) WHERE id = 3", "id = 3 [1]"},
      {"SELECT * FROM (SELECT id, count(*) AS n FROM db.a GROUP BY id) WHERE id = 3 AND n = 1",
       "id = 3 [1]"},
      {"SELECT * FROM (SELECT g, max(id) AS id FROM db.a GROUP BY ALL) WHERE id = 3 AND g = 2",
       "g = 2 [2]"},
      {"SELECT * FROM (SELECT * FROM db.a ORDER BY id) WHERE id = 3", "id = 3 [1]"},
      {"SELECT * FROM (FROM db.a SELECT \"id\" AS \"a b\") WHERE \"a b\" = 3", "id = 3 [1]"},
      {"SELECT max(\"ID\") FROM (SELECT * FROM db.a) AS \"T\" WHERE t.\"Id\" = 3", "id = 3 [1]"},
      {"SELECT (SELECT max(s) FROM (SELECT * FROM db.a) WHERE id = 3) AS m", "id = 3 [1]"},
      {"SELECT * FROM db.b WHERE EXISTS (SELECT 1 FROM (SELECT * FROM db.a) t WHERE t.id = b.id "
       "AND t.id = 3)",
       "TRUE [5], id = 3 [1]"},
      {"SELECT id FROM db.a GROUP BY id HAVING id = 3", "id = 3 [1]"},
      {"SELECT count(*) FROM db.a GROUP BY id, g HAVING id = 3 AND count(*) = 1", "id = 3 [1]"},
      {"SELECT id, count(*) FROM db.a GROUP BY 1 HAVING id = 3", "id = 3 [1]"},
      {"SELECT * FROM db.a WHERE id = (SELECT 3)", "id = 3 [1]"},
      {"SELECT * FROM db.a WHERE id = getvariable('three')", "id = 3 [1]"},
  };
  run(*state, "SET VARIABLE three = 3");
  check(*state, cases, ARRAY_COUNT(cases));
}

static void test_subqueries_that_keep_conditions_out(void **state) {
  static const push_case cases[] = {
      {"SELECT * FROM (SELECT * FROM db.a ORDER BY id LIMIT 2) WHERE id = 2", "TRUE [5]"},
      {"SELECT * FROM (SELECT * FROM db.a ORDER BY id OFFSET 1) WHERE id = 2", "TRUE [5]"},
      {"SELECT * FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM db.a) WHERE id = 3",
       "TRUE [5]"},
      {"SELECT * FROM (SELECT * FROM db.a QUALIFY row_number() OVER (ORDER BY id) < 3) "
       "WHERE id = 2",
       "TRUE [5]"},
      {"SELECT * FROM (SELECT DISTINCT ON (g) * FROM db.a ORDER BY g, id) WHERE id = 2",
       "TRUE [5]"},
      {"SELECT * FROM (SELECT max(id) AS id FROM db.a) WHERE id = 3", "TRUE [5]"},
      {"SELECT * FROM (SELECT id, count(*) FROM db.a GROUP BY ROLLUP (id)) WHERE id IS NULL",
       "TRUE [5]"},
      {"SELECT id, count(*) FROM db.a GROUP BY CUBE (id, g) HAVING id IS NULL", "TRUE [5]"},
      {"SELECT g AS id, count(*) AS n FROM db.a GROUP BY g HAVING id = 2", "TRUE [5]"},
      {"SELECT * FROM (SELECT * FROM db.a TABLESAMPLE 100%) WHERE id = 3", "TRUE [5]"},
      {"SELECT id FROM (SELECT id, random() AS r FROM db.a) WHERE id = 3", "TRUE [5]"},
      {"SELECT * FROM (SELECT id + 1 AS id FROM db.a) WHERE id = 3", "TRUE [5]"},
      {"SELECT * FROM (SELECT s, '3' AS t FROM db.a) WHERE t = '3'", "TRUE [5]"},
      {"SELECT * FROM (SELECT id, g AS id, g AS id_1 FROM db.a) WHERE id_1 = 3", "TRUE [5]"},
      {"SELECT * FROM (SELECT unnest(st), id AS k FROM db.a) WHERE k = 3", "TRUE [5]"},
  };
  check(*state, cases, ARRAY_COUNT(cases));
}

/* An alias is not the column that has its name. */
static void test_names_that_hide_others(void **state) {
  static const push_case cases[] = {
      {"SELECT * FROM (SELECT id AS g, g AS id FROM db.a) WHERE id = 2", "g = 2 [2]"},
      {"SELECT * FROM (SELECT id, g AS id FROM db.a) WHERE id = 2", "id = 2 [1]"},
      {"SELECT g AS id FROM db.a WHERE id = 3", "id = 3 [1]"},
      {"SELECT * FROM (SELECT st.* FROM db.a AS st) WHERE st.x = 3", "st.x = 3 [2]"},
      {"SELECT g AS id, count(*) AS n FROM db.a GROUP BY g, id HAVING id = 3", "id = 3 [1]"},
      {"SELECT * FROM (SELECT a.*, b.k FROM db.a, db.b) WHERE k = 10 AND id = 3",
       "id = 3 [1], k = 10 [1]"},
      {"SELECT * FROM (SELECT * FROM db.a, db.b) WHERE id = 3 AND k = 10",
       "id = 3 [1], k = 10 [1]"},
      {"SELECT * FROM (SELECT a.*, b.k FROM db.a JOIN db.b USING (id)) WHERE id = 3",
       "id = 3 [1], id = 3 [2]"},
      {"WITH a AS (SELECT * FROM db.b) SELECT * FROM a WHERE id = 3", "id = 3 [2]"},
      {"WITH c AS (SELECT * FROM db.a), d AS (WITH c AS (SELECT * FROM db.b) SELECT * FROM c) "
       "SELECT * FROM d WHERE id = 3",
       "TRUE [5], id = 3 [2]"},
  };
  check(*state, cases, ARRAY_COUNT(cases));
}

/* ---- common table expressions and set operations ----------------------------------------------
 */

static void test_common_table_expressions(void **state) {
  static const push_case cases[] = {
      {"WITH c AS (SELECT * FROM db.a) SELECT * FROM c WHERE id = 3", "id = 3 [1]"},
      {"WITH c(k) AS (SELECT id FROM db.a) SELECT * FROM c WHERE k = 3", "id = 3 [1]"},
      {"WITH c AS MATERIALIZED (SELECT * FROM db.a), e AS (SELECT * FROM c WHERE g = 2) "
       "SELECT * FROM e WHERE id > 3",
       "id > 3 AND g = 2 [1]"},
      {"WITH c AS (SELECT * FROM db.a) SELECT x.s FROM c x JOIN c y ON x.g = y.g WHERE x.id = 3 "
       "AND y.id = 4",
       "id = 3 OR id = 4 [2]"},
      {"WITH c AS (SELECT * FROM db.a) SELECT * FROM c WHERE id = 3 AND g <= (SELECT max(g) FROM "
       "c)",
       "TRUE [5]"},
      {"WITH c AS (SELECT * FROM db.a) SELECT * FROM c WHERE id = 3 UNION ALL "
       "SELECT * FROM c WHERE id = 1",
       "id = 1 OR id = 3 [2]"},
      {"WITH c AS (SELECT id, g FROM db.a) SELECT id FROM c WHERE id = 3 UNION ALL "
       "SELECT \"1\" FROM c PIVOT (max(id) FOR g IN (1, 2))",
       "TRUE [5]"},
      {"WITH RECURSIVE r AS (SELECT id FROM db.a UNION ALL SELECT id + 1 FROM r WHERE id < 4) "
       "SELECT * FROM r WHERE id = 4",
       "TRUE [5]"},
      {"WITH p AS (SELECT DATE '2025-02-01' AS lo, 3 AS k) SELECT a.* FROM db.a, p "
       "WHERE d >= p.lo AND id = k",
       "d >= '2025-02-01' AND id = 3 [1]"},
      {"WITH p AS (SELECT '3' AS k) SELECT a.* FROM db.a, p WHERE s = p.k", "TRUE [5]"},
  };
  check(*state, cases, ARRAY_COUNT(cases));
}

static void test_set_operations(void **state) {
  static const push_case cases[] = {
      {"SELECT * FROM (SELECT id, g FROM db.a UNION ALL SELECT id, k FROM db.b) WHERE id = 3",
       "id = 3 [1], id = 3 [2]"},
      {"SELECT * FROM (SELECT id, g FROM db.a UNION SELECT k, id FROM db.b) WHERE id = 10",
       "id = 10 [0], k = 10 [1]"},
      {"SELECT * FROM (SELECT * FROM db.a WHERE g = 1 UNION ALL SELECT * FROM db.a) WHERE id = 3",
       "id = 3 AND g = 1 [0], id = 3 [1]"},
      {"SELECT * FROM (SELECT id FROM db.a EXCEPT SELECT id FROM db.b) WHERE id = 3",
       "id = 3 [1], id = 3 [2]"},
      {"SELECT * FROM (SELECT id FROM db.a INTERSECT SELECT id FROM db.b) WHERE id < 3",
       "id < 3 [2], id < 3 [1]"},
      /* As text '3' is more than '10'. */
      {"SELECT * FROM (SELECT s FROM db.a UNION ALL SELECT id FROM db.b) WHERE s >= '10'",
       "TRUE [5], TRUE [5]"},
      {"SELECT * FROM (SELECT id FROM db.a UNION ALL SELECT id FROM db.b ORDER BY id LIMIT 2) "
       "WHERE id = 1",
       "TRUE [5], TRUE [5]"},
      {"SELECT * FROM (SELECT id FROM db.a UNION ALL (SELECT id FROM db.b ORDER BY id LIMIT 2)) "
       "WHERE id = 3",
       "id = 3 [1], TRUE [5]"},
      {"SELECT * FROM (SELECT id, g FROM db.a UNION ALL BY NAME SELECT g, id FROM db.b) "
       "WHERE id = 3",
       "TRUE [5], TRUE [5]"},
  };
  check(*state, cases, ARRAY_COUNT(cases));
}

/* ---- joins ------------------------------------------------------------------------------------
 */

static void test_joins_carry_conditions_over(void **state) {
  static const push_case cases[] = {
      {"SELECT * FROM db.a, db.b WHERE a.id = b.id AND b.id = 3", "id = 3 [1], id = 3 [2]"},
      {"SELECT * FROM db.a JOIN db.b ON a.id = b.id WHERE b.id = 3", "id = 3 [1], id = 3 [2]"},
      {"SELECT * FROM db.a JOIN db.b ON a.id = b.id AND b.id = 3", "id = 3 [1], id = 3 [2]"},
      {"SELECT * FROM db.a x, db.b y, db.a z WHERE x.id = y.id AND y.id = z.id AND z.id = 3",
       "id = 3 [1], id = 3 [2], id = 3 [1]"},
      {"SELECT * FROM db.a JOIN db.b USING (id) WHERE id = 3", "id = 3 [1], id = 3 [2]"},
      {"SELECT * FROM db.a JOIN (VALUES (3), (4)) v(k) ON a.id = v.k", "id IN (3, 4) [2]"},
      {"SELECT * FROM db.a JOIN (VALUES ('3')) v(k) ON a.s = v.k", "s = '3' [1]"},
      {"SELECT * FROM db.a JOIN (SELECT * FROM db.b WHERE id = 3) b ON a.id = b.id",
       "TRUE [5], id = 3 [2]"},
      {"SELECT * FROM db.a SEMI JOIN db.b ON a.id = b.id AND b.k = 30 WHERE a.g = 2",
       "g = 2 [2], k = 30 [1]"},
      {"SELECT * FROM db.a SEMI JOIN db.b ON a.id = b.id WHERE a.id = 3", "id = 3 [1], id = 3 [2]"},
      {"SELECT * FROM db.a ANTI JOIN db.b ON a.id = b.id AND b.k > 10 AND a.g = 1 WHERE a.id < 3",
       "id < 3 [2], id < 3 AND k > 10 [0]"},
      /* '03' is no 3 as text, but it is as a number */
      {"SELECT * FROM db.a x JOIN db.a y ON x.id = y.s::BIGINT WHERE y.s = '03'",
       "TRUE [5], s = '03' [1]"},
      {"SELECT * FROM db.a JOIN db.b ON a.id = b.id OR b.id = 3 WHERE b.id = 3",
       "TRUE [5], id = 3 [2]"},
  };
  check(*state, cases, ARRAY_COUNT(cases));
}

static void test_outer_joins(void **state) {
  static const push_case cases[] = {
      {"SELECT * FROM db.a LEFT JOIN db.b ON a.id = b.id WHERE a.id = 3", "id = 3 [1], id = 3 [2]"},
      {"SELECT * FROM db.a LEFT JOIN db.b ON a.id = b.id WHERE b.id IS NULL", "TRUE [5], TRUE [5]"},
      {"SELECT * FROM db.a LEFT JOIN db.b ON a.id = b.id WHERE coalesce(b.k, 10) = 10",
       "TRUE [5], TRUE [5]"},
      {"SELECT * FROM db.a LEFT JOIN db.b ON a.id = b.id WHERE b.k IS DISTINCT FROM 30",
       "TRUE [5], TRUE [5]"},
      {"SELECT * FROM db.a LEFT JOIN db.b ON a.id = b.id WHERE b.k = 30 OR a.id = 1",
       "TRUE [5], TRUE [5]"},
      {"SELECT * FROM db.a LEFT JOIN db.b ON a.id = b.id WHERE b.k = 30", "TRUE [5], k = 30 [1]"},
      {"SELECT * FROM db.a LEFT JOIN db.b ON a.id = b.id AND b.k = 30", "TRUE [5], k = 30 [1]"},
      {"SELECT * FROM db.a LEFT JOIN db.b ON a.id = b.id AND a.id = 3", "TRUE [5], id = 3 [2]"},
      {"SELECT * FROM db.a RIGHT JOIN db.b ON a.id = b.id WHERE b.id = 3",
       "id = 3 [1], id = 3 [2]"},
      {"SELECT * FROM db.a RIGHT JOIN db.b ON a.id = b.id WHERE a.g = 2 OR a.g IS NULL",
       "TRUE [5], TRUE [5]"},
      {"SELECT * FROM db.a FULL JOIN db.b ON a.id = b.id WHERE a.id = 3", "id = 3 [1], TRUE [5]"},
      {"SELECT * FROM db.a FULL JOIN db.b ON a.id = b.id AND b.id = 3", "TRUE [5], TRUE [5]"},
      {"SELECT * FROM db.a FULL JOIN db.b USING (id) WHERE id = 5", "TRUE [5], TRUE [5]"},
      {"SELECT * FROM (SELECT a.id, b.k FROM db.a LEFT JOIN db.b ON a.id = b.id) WHERE k = 30",
       "TRUE [5], k = 30 [1]"},
      {"SELECT * FROM (SELECT a.id, b.k FROM db.a LEFT JOIN db.b ON a.id = b.id) WHERE k IS NULL",
       "TRUE [5], TRUE [5]"},
      {"SELECT * FROM db.a LEFT JOIN (SELECT 3 AS k) c ON a.id = c.k "
       "WHERE a.id IS DISTINCT FROM c.k",
       "TRUE [5]"},
      {"SELECT * FROM db.a LEFT JOIN (db.b JOIN db.a c ON b.g = c.g) ON a.id = b.id WHERE a.id = 3",
       "id = 3 [1], id = 3 [2], TRUE [5]"},
      {"SELECT * FROM db.a x POSITIONAL JOIN db.a y WHERE x.id = 3", "TRUE [5], TRUE [5]"},
  };
  check(*state, cases, ARRAY_COUNT(cases));
}

/* Columns are those of the state that is read. */
static void test_time_travel(void **state) {
  sql_session *f = *state;
  make_tables(f);
  run(f, "ALTER TABLE db.a RENAME COLUMN g TO h");
  run(f, "INSERT INTO db.a VALUES (3, 9, 'new', NULL, NULL)");
  static const push_case cases[] = {
      {"SELECT * FROM (SELECT * FROM db.a FOR VERSION AS OF 'main') WHERE h = 9", "h = 9 [1]"},
      {"SELECT * FROM (SELECT * FROM db.a FOR TIMESTAMP AS OF now()) t WHERE t.h = 2", "h = 2 [2]"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
    assert_string_equal(summary(f, cases[i].query), cases[i].plan);
  const char *id =
      rows_of(f, "SELECT min(snapshot_id) FROM db.a.snapshots WHERE parent_id IS NULL");
  char sql[512];
  snprintf(sql, sizeof sql,
           "SELECT s FROM (SELECT g AS h, s FROM db.a FOR VERSION AS OF %s) WHERE h = 2 ORDER BY s",
           id);
  assert_string_equal(summary(f, sql), "g = 2 [2]");
  assert_rows(f, sql, "03|3");
}

/* ---- what makes others of names -----------------------------------------------------------------
 */

/* A function of the user's may be a window, or read a common table expression. */
static void test_macros_keep_conditions_out(void **state) {
  sql_session *f = *state;
  static const push_case cases[] = {
      {"SELECT * FROM (SELECT id, place(id) AS p FROM db.a) WHERE id = 3", "TRUE [5]"},
      {"SELECT * FROM (SELECT id FROM db.a) WHERE id = 3", "id = 3 [1]"},
      {"WITH c AS (SELECT * FROM db.a) SELECT * FROM c WHERE id = 3", "TRUE [5]"},
  };
  run(f, "CREATE TEMP MACRO place(x) AS row_number() OVER (ORDER BY x)");
  check(f, cases, ARRAY_COUNT(cases));
}

/* A common table expression sees the table whose name it takes. */
static void test_an_expression_named_like_its_table(void **state) {
  sql_session *f = *state;
  make_tables(f);
  run(f, "USE db");
  assert_rows(f, "WITH a AS (SELECT * FROM a WHERE g = 2) SELECT id FROM a WHERE id = 3", "3");
}

/* What lies too deep to be looked into may be a window. */
static void test_windows_however_deep(void **state) {
  sql_session *f = *state;
  make_tables(f);
  for (int depth = 70; depth < 100; depth++) {
    calve_buffer sql;
    calve_buffer_init(&sql, NULL);
    calve_buffer_puts(&sql, "SELECT n FROM (SELECT id, ");
    for (int i = 0; i < depth; i++) calve_buffer_puts(&sql, "abs(");
    calve_buffer_puts(&sql, "row_number() OVER (ORDER BY id)");
    for (int i = 0; i < depth; i++) calve_buffer_putc(&sql, ')');
    calve_buffer_puts(&sql, " AS n FROM db.a) WHERE id = 3");
    assert_rows(f, calve_buffer_cstr(&sql), "3");
    calve_buffer_free(&sql);
  }
}

/* Twenty that each use the one before twice would make a million conditions. */
static void test_conditions_that_double(void **state) {
  sql_session *f = *state;
  calve_buffer text;
  make_tables(f);
  calve_buffer_init(&text, NULL);
  calve_buffer_puts(&text, "WITH c0 AS (SELECT id FROM db.a WHERE id = 3)");
  for (int i = 1; i < 24; i++)
    calve_buffer_printf(&text, ", c%d AS (SELECT x.id FROM c%d x, c%d y WHERE x.id > y.id - %d)", i,
                        i - 1, i - 1, i);
  calve_buffer_puts(&text, " SELECT id FROM c3 WHERE id = 3");
  assert_rows(f, calve_buffer_cstr(&text), "3");
  calve_buffer_free(&text);
}

#define SESSION_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup_session, teardown_session)

int main(void) {
  const struct CMUnitTest tests[] = {
      SESSION_TEST(test_subqueries_that_let_conditions_through),
      SESSION_TEST(test_subqueries_that_keep_conditions_out),
      SESSION_TEST(test_names_that_hide_others),
      SESSION_TEST(test_common_table_expressions),
      SESSION_TEST(test_set_operations),
      SESSION_TEST(test_joins_carry_conditions_over),
      SESSION_TEST(test_outer_joins),
      SESSION_TEST(test_time_travel),
      SESSION_TEST(test_macros_keep_conditions_out),
      SESSION_TEST(test_an_expression_named_like_its_table),
      SESSION_TEST(test_windows_however_deep),
      SESSION_TEST(test_conditions_that_double),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
