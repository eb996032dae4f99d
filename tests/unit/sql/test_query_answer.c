/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates that metadata answers: when it does, and that the answer is what the rows give. */
#include "sql_session.h"

#include <time.h>

#include "commit/snapshot_update.h"
#include "law_query.h"

#define SESSION_TEST(function) \
  cmocka_unit_test_setup_teardown(function, setup_session, teardown_session)

static bool is_answered(sql_session *f, const char *query) {
  char sql[8192];
  snprintf(sql, sizeof sql, "EXPLAIN %s", query);
  return strstr(rows_of(f, sql), "answered from metadata") != NULL;
}

static void make_table(sql_session *f) {
  run(f,
      "CREATE TABLE db.t (id BIGINT NOT NULL, k INT, s STRING, m DECIMAL(9,2), d DATE, "
      "ts TIMESTAMP_NTZ, tz TIMESTAMP, f DOUBLE, b BINARY, p STRUCT<x: INT>) "
      "PARTITIONED BY (days(ts), k)");
  run(f,
      "INSERT INTO db.t SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE i % 3 END, 's' || i, "
      "i / 4, DATE '2026-01-01' + i::INT, TIMESTAMP '2026-01-01' + to_hours(i), "
      "TIMESTAMPTZ '1969-12-31 23:59:59.999999+00', i, 'x'::BLOB, {x: i} "
      "FROM range(60) t(i)");
}

/* What is answered is the whole truth, under the names and types that the engine gives. */
static void test_what_metadata_answers(void **state) {
  sql_session *f = *state;
  static const struct {
    const char *query, *rows;
    bool answered;
  } rows[] = {
      {"SELECT count(*) FROM db.t", "60", true},
      {"SELECT count(*) AS n FROM db.t AS u", "60", true},
      {"SELECT count(), count(1) FROM db.t", "60,60", true},
      {"FROM db.t SELECT count(*)", "60", true},
      {"SELECT count(*) FROM db.t VERSION AS OF 'main'", "60", true},
      /* Partitions decide. */
      {"SELECT count(*) FROM db.t WHERE ts >= '2026-01-02'", "36", true},
      {"SELECT count(*) FROM db.t WHERE k = 1", "20", true},
      {"SELECT count(*) FROM db.t WHERE k IS NULL OR k = 1", "40", true},
      {"SELECT count(*) FROM db.t WHERE k <> 1", "20", true},
      {"SELECT count(*) FROM db.t WHERE ts::DATE = '2026-01-01' AND k = 2", "8", true},
      {"SELECT count(*) FROM db.t WHERE year(ts) = 2026", "60", true},
      {"SELECT count(*) FROM db.t WHERE ts = '2030-01-01'", "0", true},
      {"SELECT count(*) FROM db.t WHERE id > 5 AND id < 5", "0", true},
      /* They don't, or not all of it is a condition of Iceberg's. */
      {"SELECT count(*) FROM db.t WHERE ts >= '2026-01-02 01:00:00'", "35", false},
      {"SELECT count(*) FROM db.t WHERE k = 1 AND id % 2 = 0", "10", false},
      {"SELECT count(*) FROM db.t WHERE k = 1 OR id % 2 = 0", "40", false},
      {"SELECT count(*) FROM db.t WHERE s = 's7'", "1", false},
      /* Counts of values, least and greatest. */
      {"SELECT count(k), count(t.id), count(f) FROM db.t", "40,60,60", true},
      {"SELECT min(id), max(id) FROM db.t", "0,59", true},
      {"SELECT max(id), min(db.t.id) FROM db.t WHERE k = 1", "58,1", true},
      {"SELECT min(id) FROM db.t WHERE k = 7", "NULL", true},
      {"SELECT max(p.x)::BIGINT FROM db.t", "59", false}, /* a cast is one thing more */
      {"SELECT count(s) FROM db.t", "60", true},
      {"SELECT count(DISTINCT k) FROM db.t", "2", false},
      {"SELECT count(*) FILTER (WHERE k = 1) FROM db.t", "20", false},
      {"SELECT count(*) FROM db.t WHERE k = 1 GROUP BY k", "20", false},
      {"SELECT count(*) + 1 FROM db.t", "61", false},
      {"SELECT count(*) FROM db.t LIMIT 1", "60", false},
      {"SELECT count(*) FROM db.t HAVING count(*) > 100", "", false},
      {"SELECT count(*) FROM db.t a, db.t b WHERE a.id = b.id", "60", false},
      {"SELECT count(*) FROM db.t TABLESAMPLE 100%", "60", false},
      {"SELECT id FROM db.t WHERE id = 3", "3", false},
  };
  make_table(f);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    if (is_answered(f, rows[i].query) != rows[i].answered)
      fail_msg("%s: expected it to be %s", rows[i].query,
               rows[i].answered ? "answered" : "read from the files");
    assert_rows(f, rows[i].query, rows[i].rows);
  }
}

static void test_names_and_types_are_the_engines(void **state) {
  sql_session *f = *state;
  make_table(f);
  run(f,
      "CREATE TEMP TABLE a AS SELECT count(*), min(k), max(t.m), min(d) AS lo, max(ts), min(tz) "
      "FROM db.t");
  assert_rows(f,
              "SELECT string_agg(name || ' ' || type, ', ' ORDER BY cid) FROM "
              "pragma_table_info('a')",
              "count_star() BIGINT, min(k) INTEGER, max(t.m) DECIMAL(9,2), lo DATE, "
              "max(ts) TIMESTAMP, min(tz) TIMESTAMP WITH TIME ZONE");
  assert_rows(f, "SELECT a::VARCHAR FROM a",
              "{'count_star()': 60, 'min(k)': 1, 'max(t.m)': 14.75, 'lo': 2026-01-01, "
              "'max(ts)': '2026-01-03 11:00:00', "
              "'min(tz)': '1969-12-31 23:59:59.999999+00'}");
  assert_true(
      is_answered(f, "SELECT count(*), min(k), max(t.m), min(d), max(ts), min(tz) FROM db.t"));
}

/* Strings are cut, floats have NaN and two zeros, other statistics may be missing. */
static void test_bounds_that_may_not_be_values(void **state) {
  sql_session *f = *state;
  make_table(f);
  assert_false(is_answered(f, "SELECT min(s) FROM db.t"));
  assert_false(is_answered(f, "SELECT max(f) FROM db.t"));
  assert_false(is_answered(f, "SELECT min(b) FROM db.t"));
  static const char *const modes[] = {"none", "counts", "truncate(2)", "full"};
  for (size_t i = 0; i < ARRAY_COUNT(modes); i++) {
    char sql[300];
    run(f, "DROP TABLE IF EXISTS db.u PURGE");
    snprintf(sql, sizeof sql,
             "CREATE TABLE db.u (i INT, n INT) TBLPROPERTIES "
             "('write.metadata.metrics.default' = '%s')",
             modes[i]);
    run(f, sql);
    run(f, "INSERT INTO db.u VALUES (3, NULL), (5, NULL)");
    assert_true(is_answered(f, "SELECT count(*) FROM db.u"));
    assert_int_equal(is_answered(f, "SELECT count(i) FROM db.u"), i >= 1);
    assert_int_equal(is_answered(f, "SELECT min(i), max(i) FROM db.u"), i >= 2);
    assert_int_equal(is_answered(f, "SELECT min(n) FROM db.u"), i >= 1); /* nulls alone          */
    assert_rows(f, "SELECT count(*), count(i), count(n), min(i)::BIGINT, min(n)::BIGINT FROM db.u",
                "2,2,0,3,NULL");
    assert_rows(f, "SELECT count(*), count(i), count(n) FROM db.u", "2,2,0");
    run(f, "CREATE OR REPLACE TEMP TABLE a AS SELECT min(i) AS i, max(n) AS n FROM db.u");
    assert_rows(f, "SELECT i::BIGINT, n::BIGINT FROM a", "3,NULL");
  }
}

/* A column that was added later, widened or renamed: files without it have no statistics of it. */
static void test_evolved_columns(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (a INT)");
  run(f, "INSERT INTO db.t VALUES (7), (9)");
  run(f, "ALTER TABLE db.t ALTER COLUMN a TYPE BIGINT");
  run(f, "ALTER TABLE db.t RENAME COLUMN a TO id");
  assert_true(is_answered(f, "SELECT min(id), max(id) FROM db.t"));
  assert_rows(f, "SELECT min(id), max(id) FROM db.t", "7,9");
  run(f, "ALTER TABLE db.t ADD COLUMN b BIGINT");
  assert_false(is_answered(f, "SELECT count(b) FROM db.t"));
  assert_rows(f, "SELECT count(b), min(b) FROM db.t", "0,NULL");
  run(f, "INSERT INTO db.t VALUES (NULL, 1)");
  assert_rows(f, "SELECT count(b), min(b), max(id), count(*) FROM db.t", "1,1,9,3");
  assert_true(is_answered(f, "SELECT max(id), count(id) FROM db.t"));
  run(f, "CREATE TEMP MACRO count(x) AS 5");
  assert_rows(f, "SELECT count(id)::BIGINT FROM db.t", "5|5|5");
}

/* With delete files rows are gone that the counts still have. */
static void test_deletes_are_never_answered(void **state) {
  sql_session *f = *state;
  calve_error err;
  make_table(f);
  calve_table *t = load_table(f, "t");
  calve_snapshot_update *u = NULL;
  calve_value tuple[2] = {{.type = CALVE_DATE, .i32 = 20454}, {.type = CALVE_INT, .i32 = 1}};
  calve_data_file gone = {.content = CALVE_CONTENT_POSITION_DELETES,
                          .format = CALVE_STR("parquet"),
                          .record_count = 1,
                          .file_size_bytes = 100,
                          .partition = tuple,
                          .partition_count = 2,
                          .content_offset = CALVE_UNSET,
                          .content_size_bytes = CALVE_UNSET,
                          .first_row_id = CALVE_UNSET};
  assert_ok(calve_arena_printf(&f->arena, &gone.path, &err, "%.*s/data/gone.parquet",
                               CALVE_STR_ARG(calve_table_metadata(t)->location)),
            &err);
  assert_ok(calve_snapshot_update_make(NULL, &u, &err), &err);
  assert_ok(calve_snapshot_update_add(u, &gone, &err), &err);
  assert_ok(calve_table_commit_update(t, u, &err), &err);
  calve_snapshot_update_free(u);
  calve_table_close(t);
  refuse(f, "SELECT count(*) FROM db.t", CALVE_EUNSUPPORTED, "row-level deletes");
  refuse(f, "SELECT max(id) FROM db.t WHERE k = 1", CALVE_EUNSUPPORTED, "row-level deletes");
  /* Partitions that the deletes are not in. */
  assert_rows(f, "SELECT count(*) FROM db.t WHERE k = 2", "20");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE ts >= '2026-01-02'", "36");
}

/* Commits a file of three rows, with its metrics, to db.v. */
static void commit_file(sql_session *f, calve_data_file *file) {
  calve_error err;
  calve_table *t = load_table(f, "v");
  calve_snapshot_update *u = NULL;
  file->format = CALVE_STR("parquet");
  file->record_count = 3;
  file->file_size_bytes = 100;
  assert_ok(calve_arena_printf(&f->arena, &file->path, &err, "%.*s/data/made.parquet",
                               CALVE_STR_ARG(calve_table_metadata(t)->location)),
            &err);
  assert_ok(calve_snapshot_update_make(NULL, &u, &err), &err);
  assert_ok(calve_snapshot_update_add(u, file, &err), &err);
  assert_ok(calve_table_commit_update(t, u, &err), &err);
  calve_snapshot_update_free(u);
  calve_table_close(t);
}

/* The file of one column with these metrics. */
static void add_file(sql_session *f, const char *lower, size_t lower_size, const char *upper,
                     size_t upper_size, int64_t values, int64_t nulls) {
  calve_id_i64 value_count = {1, values}, null_count = {1, nulls};
  calve_id_bytes low = {1, {lower, lower_size}}, high = {1, {upper, upper_size}};
  calve_data_file file = calve_data_file_blank();
  if (values != CALVE_UNSET) file.value_counts = (calve_id_i64_list){&value_count, 1};
  file.null_value_counts = (calve_id_i64_list){&null_count, 1};
  if (lower) file.lower_bounds = (calve_id_bytes_list){&low, 1};
  if (upper) file.upper_bounds = (calve_id_bytes_list){&high, 1};
  commit_file(f, &file);
}

/* The file is not there: the query runs on metadata or not at all. */
static bool runs(sql_session *f, const char *query) {
  calve_error err;
  calve_result *r = NULL;
  calve_status status = try_run(f, query, &r, &err);
  calve_result_free(r);
  if (status != CALVE_OK) assert_message(&err, "made.parquet");
  return status == CALVE_OK;
}

/* Metrics that can't be what they say answer nothing. */
static void test_impossible_metrics_answer_nothing(void **state) {
  sql_session *f = *state;
#define TWO  "\2\0\0\0\0\0\0"
#define NINE "\11\0\0\0\0\0\0"
  static const struct {
    const char *rule, *type, *lower;
    size_t lower_size;
    const char *upper;
    size_t upper_size;
    int64_t values, nulls;
    bool answered, counted;
  } rows[] = {
      {"as they should be", "BIGINT", TWO, 8, NINE, 8, 3, 1, true, true},
      {"equal", "BIGINT", TWO, 8, TWO, 8, 3, 0, true, true},
      {"of the narrow type before a promotion", "BIGINT", TWO, 4, NINE, 4, 3, 0, true, true},
      {"nulls alone", "BIGINT", NULL, 0, NULL, 0, 3, 3, true, true},
      {"lower above upper", "BIGINT", NINE, 8, TWO, 8, 3, 0, false, true},
      {"no upper", "BIGINT", TWO, 8, NULL, 0, 3, 0, false, true},
      {"no lower", "BIGINT", NULL, 0, NINE, 8, 3, 0, false, true},
      {"of two widths", "BIGINT", TWO, 4, NINE, 8, 3, 0, false, true},
      {"three bytes", "BIGINT", TWO, 3, NINE, 3, 3, 0, false, true},
      {"no bytes", "BIGINT", TWO, 0, NINE, 8, 3, 0, false, true},
      {"eight bytes of an int", "INT", TWO, 8, NINE, 8, 3, 0, false, true},
      {"a decimal too wide for its type", "DECIMAL(4,2)", "\0", 1, NINE, 8, 3, 0, false, true},
      {"a decimal in two lengths", "DECIMAL(4,2)", "\2", 1, "\1\0", 2, 3, 0, true, true},
      {"nulls alone, with bounds", "BIGINT", TWO, 8, NINE, 8, 3, 3, false, true},
      {"more nulls than values", "BIGINT", TWO, 8, NINE, 8, 3, 4, false, false},
      {"nulls below zero", "BIGINT", TWO, 8, NINE, 8, 3, -1, false, false},
      {"values are not rows", "BIGINT", TWO, 8, NINE, 8, 4, 0, false, false},
      {"no count of values", "BIGINT", TWO, 8, NINE, 8, CALVE_UNSET, 0, false, false},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char sql[300];
    run(f, "DROP TABLE IF EXISTS db.v");
    snprintf(sql, sizeof sql, "CREATE TABLE db.v (c %s)", rows[i].type);
    run(f, sql);
    add_file(f, rows[i].lower, rows[i].lower_size, rows[i].upper, rows[i].upper_size,
             rows[i].values, rows[i].nulls);
    if (runs(f, "SELECT min(c) FROM db.v") != rows[i].answered ||
        runs(f, "SELECT max(c) FROM db.v") != rows[i].answered ||
        runs(f, "SELECT count(c) FROM db.v") != rows[i].counted ||
        (strcmp(rows[i].rule, "lower above upper") == 0 &&
         runs(f, "SELECT count(*) FROM db.v WHERE c < 100")))
      fail_msg("%s: min %d, max %d, count %d", rows[i].rule, runs(f, "SELECT min(c) FROM db.v"),
               runs(f, "SELECT max(c) FROM db.v"), runs(f, "SELECT count(c) FROM db.v"));
  }
}

/* A column that a list of metrics names twice is not known, wherever it stands. */
static void test_an_id_that_comes_twice_answers_nothing(void **state) {
  sql_session *f = *state;
  static const calve_id_bytes low[] = {{1, {TWO, 8}}, {2, {TWO, 8}}, {1, {NINE, 8}}},
                              high[] = {{1, {NINE, 8}}, {2, {NINE, 8}}};
  static const calve_id_i64 values[] = {{1, 3}, {2, 3}}, nulls[] = {{1, 0}, {2, 0}, {1, 1}};
  static const struct {
    size_t lows, nulls;
    bool answered, counted;
  } rows[] = {{2, 2, true, true}, {3, 2, false, true}, {2, 3, false, false}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_data_file file = calve_data_file_blank();
    file.value_counts = (calve_id_i64_list){values, 2};
    file.null_value_counts = (calve_id_i64_list){nulls, rows[i].nulls};
    file.lower_bounds = (calve_id_bytes_list){low, rows[i].lows};
    file.upper_bounds = (calve_id_bytes_list){high, 2};
    run(f, "DROP TABLE IF EXISTS db.v");
    run(f, "CREATE TABLE db.v (c BIGINT, d BIGINT)");
    commit_file(f, &file);
    assert_int_equal(runs(f, "SELECT min(c) FROM db.v"), rows[i].answered);
    assert_int_equal(runs(f, "SELECT max(c) FROM db.v"), rows[i].answered);
    assert_int_equal(runs(f, "SELECT count(c) FROM db.v"), rows[i].counted);
    assert_int_equal(runs(f, "SELECT count(*) FROM db.v WHERE c >= 1"), rows[i].answered);
    assert_true(runs(f, "SELECT min(d), max(d), count(d), count(*) FROM db.v"));
  }
}

/* Files that EXPLAIN says are kept. */
static int files_kept(sql_session *f, const char *query) {
  char sql[600];
  snprintf(sql, sizeof sql, "EXPLAIN %s", query);
  const char *plan = rows_of(f, sql), *of = strstr(plan, " files kept");
  assert_non_null(of);
  while (of > plan && of[-1] != '|') of--;
  return atoi(of);
}

/* Where any rows will do, files are opened for as many as are asked for. */
static void test_limit_opens_few_files(void **state) {
  sql_session *f = *state;
  static const struct {
    const char *query;
    int kept, rows;
  } rows[] = {
      {"SELECT * FROM db.t LIMIT 3", 1, 3},
      {"FROM db.t LIMIT 1 OFFSET 20", 3, 1},
      {"SELECT id, 5 FROM db.t WHERE ts >= '2026-01-02' LIMIT 9", 2, 9},
      {"SELECT id FROM db.t WHERE ts >= '2026-01-01 12:00:00' LIMIT 2", 4, 2}, /* day 1: not sure */
      {"SELECT id FROM db.t WHERE id % 2 = 0 LIMIT 2", 9, 2},
      {"SELECT id FROM db.t ORDER BY id LIMIT 2", 9, 2},
      {"SELECT DISTINCT k FROM db.t LIMIT 2", 9, 2},
      {"SELECT count(*) FROM db.t LIMIT 1", 9, 1},
      {"SELECT sum(id) OVER () FROM db.t LIMIT 1", 9, 1},
      {"SELECT * REPLACE (id + 1 AS id) FROM db.t LIMIT 1", 9, 1},
      {"SELECT a.id FROM db.t a, db.t b LIMIT 1", 9, 1},
      {"SELECT id FROM (FROM db.t) LIMIT 1", 9, 1},
      {"SELECT id FROM db.t LIMIT 10%", 9, 6},
      {"SELECT id FROM db.t LIMIT (SELECT 2)", 9, 2},
  };
  make_table(f);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char sql[300], want[20];
    int kept = files_kept(f, rows[i].query);
    if (kept != rows[i].kept) fail_msg("%s: %d files are kept", rows[i].query, kept);
    snprintf(sql, sizeof sql, "CREATE OR REPLACE TEMP TABLE a AS %s", rows[i].query);
    run(f, sql);
    snprintf(want, sizeof want, "%d", rows[i].rows);
    assert_rows(f, "SELECT count(*) FROM a", want);
  }
}

/* ---- the law: an answer is what the rows of a full scan give --------------------------------- */

typedef struct life {
  sql_session *f;
  law_random random;
  law_table table;
  law_text text, where;
  size_t queries, answered, refused;
} life;

static calve_status try_text(life *l) {
  calve_error err;
  calve_result *r = NULL;
  calve_status status = try_run(l->f, l->text.data, &r, &err);
  calve_result_free(r);
  return status;
}

static void put_aggregates(life *l) {
  static const char *const forms[] = {"count(*)", "count(%s)", "min(%s)", "max(%s)"};
  size_t count = 1 + law_below(&l->random, 3);
  for (size_t i = 0; i < count; i++) {
    const char *column = l->table.columns[law_below(&l->random, l->table.column_count)].self.name;
    const char *form = LAW_PICK(&l->random, forms);
    law_put(&l->text, i ? ", " : "SELECT ");
    for (const char *p = form; *p; p++) {
      if (p[0] == '%')
        law_put(&l->text, "%s", column), p++;
      else
        law_put(&l->text, "%c", *p);
    }
    law_put(&l->text, " AS n%zu", i);
  }
}

static void put_where(life *l) {
  static const char *const tests[] = {" IS NULL", " IS NOT NULL"};
  law_clear(&l->where);
  switch (law_below(&l->random, 4)) {
    case 0:
      return;
    case 1:
      law_put(&l->where, " WHERE %s%s",
              l->table.columns[law_below(&l->random, l->table.column_count)].self.name,
              LAW_PICK(&l->random, tests));
      return;
    default:
      law_put(&l->where, " WHERE ");
      law_condition(&l->random, &l->table, &l->where);
  }
}

static void check_query(life *l) {
  char list[2000];
  const char *explain = l->text.data;
  law_clear(&l->text);
  put_aggregates(l);
  put_where(l);
  snprintf(list, sizeof list, "%s", l->text.data);
  if (strstr(l->where.data, "random()") || strstr(l->where.data, "now()") ||
      strstr(l->where.data, "current_") || strchr(l->where.data, '@'))
    return;
  law_clear(&l->text);
  law_put(&l->text, "CREATE OR REPLACE TEMP TABLE theirs AS %s FROM copy%s", list, l->where.data);
  calve_status theirs = try_text(l);
  law_clear(&l->text);
  law_put(&l->text, "CREATE OR REPLACE TEMP TABLE ours AS %s FROM db.t%s", list, l->where.data);
  if (theirs != CALVE_OK || try_text(l) != CALVE_OK) {
    l->refused++;
    return;
  }
  l->queries++;
  law_clear(&l->text);
  law_put(&l->text, "%s FROM db.t%s", list, l->where.data);
  if (!is_answered(l->f, explain)) return; /* -0.0 or 0.0 is least as the rows come, else       */
  l->answered++;
  const char *same = rows_of(l->f,
                             "SELECT (SELECT ours::VARCHAR FROM ours) = "
                             "(SELECT theirs::VARCHAR FROM theirs)");
  if (strcmp(same, "true") != 0)
    fail_msg("%s\n  ours   %s\n  theirs %s", explain,
             rows_of(l->f, "SELECT ours::VARCHAR FROM ours"),
             rows_of(l->f, "SELECT theirs::VARCHAR FROM theirs"));
}

static void live(life *l, uint64_t seed) {
  static const char *const modes[] = {"none", "counts", "truncate(3)", "full"};
  sql_session *f = l->f;
  l->random.state = seed;
  run(f, "DROP TABLE IF EXISTS db.t PURGE");
  do {
    l->table = (law_table){.name = "t"};
    law_clear(&l->text);
    law_create(&l->random, &l->table, &l->text);
  } while (try_text(l) != CALVE_OK);
  for (int round = 0; round < 4; round++) {
    law_clear(&l->text);
    law_put(&l->text,
            "ALTER TABLE db.t SET TBLPROPERTIES ('write.metadata.metrics.default' = '%s')",
            LAW_PICK(&l->random, modes));
    assert_int_equal(try_text(l), CALVE_OK);
    for (int i = 0; i < 2; i++) {
      law_clear(&l->text);
      law_insert(&l->random, &l->table, &l->text);
      if (try_text(l) != CALVE_OK) l->refused++;
    }
    run(f, "CREATE OR REPLACE TEMP TABLE copy AS SELECT * FROM db.t");
    for (int i = 0; i < 15; i++) check_query(l);
    law_table after;
    law_clear(&l->text);
    law_evolve(&l->random, &l->table, &after, &l->text);
    if (!strchr(l->text.data, ';') && try_text(l) == CALVE_OK) l->table = after;
  }
}

static void test_answers_are_what_the_rows_give(void **state) {
  life *l = calloc(1, sizeof *l);
  assert_non_null(l);
  l->f = *state;
  const char *seconds = getenv("CALVE_LAW_SECONDS"), *first = getenv("CALVE_LAW_SEED");
  time_t end = time(NULL) + (seconds ? atoi(seconds) : 8);
  uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
  for (; time(NULL) < end; seed++) {
    print_message("seed %llu\n", (unsigned long long)seed);
    live(l, seed);
  }
  print_message("%zu queries, %zu answered, %zu refused\n", l->queries, l->answered, l->refused);
  assert_true(l->answered * 10 > l->queries);
  free(l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      SESSION_TEST(test_what_metadata_answers),
      SESSION_TEST(test_names_and_types_are_the_engines),
      SESSION_TEST(test_bounds_that_may_not_be_values),
      SESSION_TEST(test_evolved_columns),
      SESSION_TEST(test_deletes_are_never_answered),
      SESSION_TEST(test_impossible_metrics_answer_nothing),
      SESSION_TEST(test_an_id_that_comes_twice_answers_nothing),
      SESSION_TEST(test_limit_opens_few_files),
      SESSION_TEST(test_answers_are_what_the_rows_give),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
