/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "sql/statement.h"

static calve_arena arena;

static int setup(void **state) {
  (void)state;
  calve_arena_init(&arena, NULL);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  calve_arena_free(&arena);
  return 0;
}

static const calve_statement *parse(const char *text) {
  const calve_statement *s = NULL;
  calve_error err;
  assert_ok(calve_statement_parse(calve_str_of(text), &arena, &s, &err), &err);
  return s;
}

static void assert_str(calve_str s, const char *want) {
  if (!calve_str_equal_text(s, want))
    fail_msg("got \"%.*s\", expected \"%s\"", CALVE_STR_ARG(s), want);
}

static void test_create_table_takes_all_clauses_in_any_order(void **state) {
  (void)state;
  const calve_statement *s = parse(
      "CREATE TABLE IF NOT EXISTS db.orders (order_id BIGINT NOT NULL COMMENT 'the id', "
      "`odd name` STRING, ts TIMESTAMP, amount DECIMAL(18,2) DEFAULT 1.50) "
      "TBLPROPERTIES ('format-version'='3', write.format.default=\"parquet\") USING iceberg "
      "PARTITIONED BY (months(ts), bucket(16, order_id), truncate(`odd name`, 4), amount) "
      "LOCATION '/x' COMMENT 'it''s' WRITE ORDERED BY ts DESC, order_id NULLS LAST");
  assert_int_equal(s->kind, CALVE_SQL_CREATE_TABLE);
  assert_true(s->if_not_exists);
  assert_int_equal(s->name.part_count, 2);
  assert_str(s->name.parts[1], "orders");
  assert_int_equal(s->column_count, 4);
  assert_true(s->columns[0].required);
  assert_str(s->columns[0].comment, "the id");
  assert_str(s->columns[1].name.parts[0], "odd name");
  assert_int_equal(s->columns[2].type->id, CALVE_TIMESTAMPTZ);
  assert_int_equal(s->columns[3].type->precision, 18);
  assert_str(s->columns[3].default_text, "1.50");
  assert_int_equal(s->partitioning_count, 4);
  assert_int_equal(s->partitioning[0].transform.kind, CALVE_MONTH);
  assert_int_equal(s->partitioning[1].transform.parameter, 16);
  assert_int_equal(s->partitioning[2].transform.parameter, 4);
  assert_true(s->partitioning[3].bare);
  assert_str(s->comment, "it's");
  assert_str(s->location, "/x");
  assert_int_equal(s->property_count, 2);
  assert_str(s->properties[1].key, "write.format.default");
  assert_int_equal(s->sort_count, 2);
  assert_true(s->sort[0].descending && s->sort[0].nulls_last);
  assert_true(!s->sort[1].descending && s->sort[1].nulls_last);
}

static void test_create_table_as_keeps_the_query(void **state) {
  (void)state;
  const calve_statement *s =
      parse("CREATE TABLE db.t PARTITIONED BY (days(ts)) AS SELECT * FROM read_csv('a;b')");
  assert_str(s->query, "SELECT * FROM read_csv('a;b')");
  assert_int_equal(s->column_count, 0);
}

static void test_alter_table_actions(void **state) {
  (void)state;
  const calve_statement *s =
      parse("ALTER TABLE t ADD COLUMNS (addr.zip STRING COMMENT 'z' AFTER city, n INT FIRST)");
  assert_int_equal(s->action_count, 2);
  assert_int_equal(s->actions[0].column.name.part_count, 2);
  assert_int_equal(s->actions[0].column.position, CALVE_POSITION_AFTER);
  assert_str(s->actions[0].column.reference.parts[0], "city");
  assert_int_equal(s->actions[1].column.position, CALVE_POSITION_FIRST);

  s = parse("alter table a.b.t alter column points.element.x type double");
  assert_int_equal(s->actions[0].kind, CALVE_ACTION_COLUMN_TYPE);
  assert_int_equal(s->actions[0].name.part_count, 3);
  assert_int_equal(s->actions[0].type->id, CALVE_DOUBLE);

  s = parse("ALTER TABLE t REPLACE PARTITION FIELD months(ts) WITH days(ts) AS day");
  assert_int_equal(s->actions[0].kind, CALVE_ACTION_REPLACE_FIELD);
  assert_int_equal(s->actions[0].term.transform.kind, CALVE_MONTH);
  assert_int_equal(s->actions[0].with.transform.kind, CALVE_DAY);
  assert_str(s->actions[0].new_name, "day");

  s = parse("ALTER TABLE t DROP PARTITION FIELD ts_day");
  assert_true(s->actions[0].term.bare);

  s = parse("ALTER TABLE t WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY a, bucket(4, b) DESC");
  assert_int_equal(s->actions[0].distribution, CALVE_DISTRIBUTION_PARTITION);
  assert_int_equal(s->actions[0].sort_count, 2);

  s = parse("ALTER TABLE t SET IDENTIFIER FIELDS id, s.x");
  assert_int_equal(s->actions[0].name_count, 2);

  s = parse("ALTER TABLE t ALTER COLUMN c DROP NOT NULL COMMENT 'x' AFTER d");
  assert_int_equal(s->action_count, 3);
}

static void test_insert_forms(void **state) {
  (void)state;
  const calve_statement *s = parse("INSERT INTO db.t (a, s) VALUES (1, ';')");
  assert_int_equal(s->kind, CALVE_SQL_INSERT);
  assert_int_equal(s->insert_column_count, 2);
  assert_str(s->query, "VALUES (1, ';')");
  s = parse("INSERT OVERWRITE TABLE db.t PARTITION (dt = DATE '2026-03-01', c) SELECT 1");
  assert_true(s->overwrite);
  assert_int_equal(s->static_value_count, 2);
  assert_str(s->static_values[0].value_text, "DATE '2026-03-01'");
  assert_null(s->static_values[1].value_text.data);
  s = parse("INSERT INTO t BY NAME (SELECT 1 AS a)");
  assert_true(s->by_name);
  s = parse("INSERT INTO t (SELECT 1)");
  assert_int_equal(s->insert_column_count, 0);
}

static void test_what_is_not_ours_is_a_query(void **state) {
  (void)state;
  static const char *const queries[] = {"SELECT 1",          "WITH a AS (SELECT 1) FROM a",
                                        "FROM db.t",         "COPY (SELECT 1) TO 'x.csv'",
                                        "DESCRIBE SELECT 1", "CREATE TEMP TABLE x AS SELECT 1"};
  for (size_t i = 0; i < ARRAY_COUNT(queries); i++)
    assert_int_equal(parse(queries[i])->kind, CALVE_SQL_QUERY);
}

static void test_types_print_as_they_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text, *want;
  } rows[] = {
      {"varchar", "STRING"},
      {"decimal", "DECIMAL(10, 0)"},
      {"int[]", "ARRAY<INT>"},
      {"struct<a:int,b array<map<string,struct<`c d`:bigint not null>>>>",
       "STRUCT<a: INT, b: ARRAY<MAP<STRING, STRUCT<`c d`: BIGINT NOT NULL>>>>"},
      {"timestamp with time zone", "TIMESTAMP"},
      {"TIMESTAMP_NTZ", "TIMESTAMP_NTZ"},
      {"array<double not null>", "ARRAY<DOUBLE NOT NULL>"},
      {"fixed(16)", "FIXED(16)"},
      {"struct(a integer comment 'it''s')", "STRUCT<a: INT COMMENT 'it''s'>"},
  };
  calve_buffer text;
  calve_buffer_init(&text, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_type *type = NULL;
    calve_error err;
    assert_ok(calve_sql_type_parse(calve_str_of(rows[i].text), &arena, &type, &err), &err);
    calve_buffer_clear(&text);
    calve_sql_type_print(type, &text);
    assert_string_equal(calve_buffer_cstr(&text), rows[i].want);
    assert_ok(calve_sql_type_parse(calve_str_of(rows[i].want), &arena, &type, &err), &err);
  }
  calve_buffer_free(&text);
}

/* Each error says where it is and what was expected. */
static void test_errors_point_at_the_token(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t offset;
    const char *part;
  } rows[] = {
      {"CREATE TABLE db.t (a SMALLINT)", 21, "use INT"},
      {"CREATE TABLE db.t (a HUGEINT)", 21, "DECIMAL(38, 0)"},
      {"CREATE TABLE db.t", 17, "the statement ends here"},
      {"CREATE TABLE db.t (a INT) USING delta", 32, "ICEBERG"},
      {"CREATE TABLE db.t (a INT PRIMARY KEY)", 25, "SET IDENTIFIER FIELDS"},
      {"CREATE TABLE t (a INT) PARTITIONED BY (bucket(0, a))", 46, "from 1 to"},
      {"CREATE TABLE t (a INT) PARTITIONED BY (weeks(a))", 39, "a transform"},
      {"ALTER TABLE t FROB x", 14, "ADD, DROP"},
      {"ALTER TABLE t ALTER COLUMN x", 28, "TYPE"},
      {"SELECT 'a", 7, "is not closed"},
      {"SELECT /* x", 7, "is not closed"},
      {"INSERT db.t VALUES (1)", 7, "INTO or OVERWRITE"},
      {"DROP TABLE db.t PURGE now", 22, "the end of the statement"},
      {"CREATE TABLE t (a VARCHAR(10))", 25, "no maximum length"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_statement *s = NULL;
    calve_error err;
    assert_fails(calve_statement_parse(calve_str_of(rows[i].text), &arena, &s, &err), CALVE_EINVAL,
                 &err);
    assert_message(&err, rows[i].part);
    if (err.byte_offset != rows[i].offset)
      fail_msg("%s: offset %d, expected %d", rows[i].text, (int)err.byte_offset,
               (int)rows[i].offset);
    assert_null(s);
  }
}

static void test_deep_types_are_refused(void **state) {
  (void)state;
  char text[1200] = "";
  for (int i = 0; i < 200; i++) strcat(text, "list<");
  const calve_type *type;
  calve_error err;
  assert_fails(calve_sql_type_parse(calve_str_of(text), &arena, &type, &err), CALVE_EINVAL, &err);
  assert_message(&err, "nested deeper");
}

static void test_scripts_are_cut_at_semicolons_outside_quotes(void **state) {
  (void)state;
  calve_str text = calve_str_of(";; SELECT ';' -- a;b\n ; /* ; */ SELECT \"x;\" ;\n-- end");
  calve_str one;
  calve_error err;
  assert_ok(calve_sql_next_statement(&text, &one, NULL, &err), &err);
  assert_str(one, "SELECT ';'");
  assert_ok(calve_sql_next_statement(&text, &one, NULL, &err), &err);
  assert_str(one, "SELECT \"x;\"");
  assert_ok(calve_sql_next_statement(&text, &one, NULL, &err), &err);
  assert_null(one.data);
  bool complete = true;
  text = calve_str_of("SELECT 'open");
  assert_ok(calve_sql_next_statement(&text, &one, &complete, &err), &err);
  assert_false(complete);
  text = calve_str_of("SELECT 1;");
  assert_ok(calve_sql_next_statement(&text, &one, &complete, &err), &err);
  assert_true(complete);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_create_table_takes_all_clauses_in_any_order),
      cmocka_unit_test(test_create_table_as_keeps_the_query),
      cmocka_unit_test(test_alter_table_actions),
      cmocka_unit_test(test_insert_forms),
      cmocka_unit_test(test_what_is_not_ours_is_a_query),
      cmocka_unit_test(test_types_print_as_they_are_read),
      cmocka_unit_test(test_errors_point_at_the_token),
      cmocka_unit_test(test_deep_types_are_refused),
      cmocka_unit_test(test_scripts_are_cut_at_semicolons_outside_quotes),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
