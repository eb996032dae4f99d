/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/bind.h"

#include "expr/predicate_json.h"
#include "expr_fixture.h"

static calve_status try_bind(const calve_schema *schema, const char *where,
                             calve_bind_options options, const calve_bound **out) {
  const calve_predicate *p = NULL;
  assert_ok(calve_predicate_parse(calve_str_of(where), &arena, &p, NULL, &err), &err);
  return calve_bind(p, schema, &options, &arena, out, &err);
}

static void test_literals_become_values_of_the_column(void **state) {
  (void)state;
  static const struct {
    const char *type, *where, *bound;
  } rows[] = {
      {"long", "c = 5", "c = 5"},
      {"int", "c = 5.0", "c = 5"},
      {"int", "c < 5.5", "c <= 5"},
      {"int", "c >= 5.5", "c > 5"},
      {"int", "c >= -5.5", "c > -6"},
      {"int", "c = 5.5", "FALSE"},
      {"int", "c <> 5.5", "c IS NOT NULL"},
      {"int", "c < 3000000000", "c IS NOT NULL"},
      {"int", "c >= 3000000000", "FALSE"},
      {"int", "c > -3000000000", "c IS NOT NULL"},
      {"int", "c IN (1, 3000000000, 1)", "c = 1"},
      {"int", "c IN (3, 1, 2, 1)", "c IN (1, 2, 3)"},
      {"int", "c NOT IN (3000000000)", "c IS NOT NULL"},
      {"int", "c = '5'", "c = 5"},
      /* a column that SQL casts to a double is compared as one */
      {"int", "c <= 60::DOUBLE", "c <= 60"},
      {"int", "c < 2.5::DOUBLE", "c <= 2"},
      {"int", "c > -2.5::FLOAT", "c > -3"},
      {"int", "c < 1e300", "c IS NOT NULL"},
      {"int", "c > CAST('-Infinity' AS DOUBLE)", "c IS NOT NULL"},
      {"long", "c = 9007199254740992::DOUBLE", "c = 9007199254740992"},
      {"long", "c < CAST('Infinity' AS DOUBLE)", "c IS NOT NULL"},
      {"int", "c = 7 / 2", "FALSE"},
      {"int", "c >= 7 / 2", "c > 3"},
      {"double", "c = 5", "c = 5.0"},
      {"float", "c > 1e300", "c > 3.4028235E38"},
      {"decimal(9, 2)", "c = 10.2", "c = 10.20"},
      {"decimal(9, 2)", "c > 10.205", "c > 10.20"},
      {"decimal(9, 2)", "c = '7'", "c = 7.00"},
      {"boolean", "c", "c = true"},
      {"date", "c = '2024-02-10'", "c = '2024-02-10'"},
      /* a date is its midnight: the 10th is before noon of the 10th */
      {"date", "c < TIMESTAMP '2024-02-10 12:00:00'", "c <= '2024-02-10'"},
      {"date", "c >= TIMESTAMP '2024-02-10 12:00:00'", "c > '2024-02-10'"},
      {"date", "c = TIMESTAMP '2024-02-10 00:00:00'", "c = '2024-02-10'"},
      {"timestamp", "c >= DATE '2024-02-10'", "c >= '2024-02-10T00:00:00'"},
      {"timestamp", "c >= '2024-02-10'", "c >= '2024-02-10T00:00:00'"},
      {"timestamp", "c >= TIMESTAMP_NS '2024-02-10 00:00:00.000000001'",
       "c > '2024-02-10T00:00:00'"},
      {"timestamp", "c > TIMESTAMP '2024-02-10 00:00:00.000000001'", "TRUE"},
      {"timestamptz", "c >= '2024-02-10 01:00:00+01:00'", "c >= '2024-02-10T00:00:00+00:00'"},
      {"timestamptz", "c >= '2024-02-10'", "c >= '2024-02-10T00:00:00+00:00'"},
      {"timestamp_ns", "c >= TIMESTAMP '2024-02-10 00:00:00'", "c >= '2024-02-10T00:00:00'"},
      {"timestamp_ns", "c < TIMESTAMP '9999-01-01 00:00:00'", "c IS NOT NULL"},
      {"uuid", "c = 'f79c3e09-677c-4bbd-a479-3f349cb785e7'",
       "c = 'f79c3e09-677c-4bbd-a479-3f349cb785e7'"},
      {"binary", "c = X'0a'", "c = X'0a'"},
      {"fixed[2]", "c = X'0a0b'", "c = X'0a0b'"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const char *got = printed(bind(column_of(rows[i].type), rows[i].where)->root);
    if (strcmp(got, rows[i].bound) != 0)
      fail_msg("%s of %s gives %s", rows[i].where, rows[i].type, got);
  }
}

/* What engines round or read in their own ways is refused, lest rows are lost. */
static void test_casts_that_engines_do_not_agree_on(void **state) {
  (void)state;
  static const struct {
    const char *type, *where;
  } refused[] = {{"int", "c = '5.7'"},
                 {"decimal(9, 2)", "c = '10.655'"},
                 {"binary", "c = '0a'"},
                 {"float", "c = '1e300'"},
                 {"int", "c = '3000000000'"},
                 {"timestamp", "c = '2024-02-10 00:00:00.000000001'"},
                 {"date", "c = '2024-02-10 10:00:00'"},
                 {"timestamp", "c = '2024-02-10 00:00:00Z'"}};
  for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
    const calve_bound *bound = NULL;
    const calve_bind_options strict = {0}, lenient = {.lenient = true};
    const calve_schema *schema = column_of(refused[i].type);
    assert_fails(try_bind(schema, refused[i].where, strict, &bound), CALVE_EINVAL, &err);
    assert_ok(try_bind(schema, refused[i].where, lenient, &bound), &err);
    assert_string_equal(printed(bound->root), "TRUE");
    assert_false(bound->exact);
  }
}

/* … or lets in what any of them does, for whoever looks at the rows again. */
static void test_casts_may_be_loose(void **state) {
  (void)state;
  static const struct {
    const char *type, *where, *bound;
  } rows[] = {
      {"double", "c = 'NaN'", "TRUE"},
      {"float", "c IN (1, 'nan')", "TRUE"},
      {"date", "c > '2024-02-10 12:00:00'", "c > '2024-02-10'"},
      {"date", "c >= '2024-02-10 12:00:00'", "c >= '2024-02-10'"},
      {"date", "c < '2024-02-10 12:00:00'", "c <= '2024-02-10'"},
      {"date", "c = '2024-02-10T12:00:00'", "c = '2024-02-10'"},
      {"date", "c <> '2024-02-10 12:00:00'", "c IS NOT NULL"},
      {"date", "c IN ('2024-02-09', '2024-02-10 12:00:00')", "c IN ('2024-02-09', '2024-02-10')"},
      {"date", "c NOT IN ('2024-02-09', '2024-02-10 12:00:00')", "c IS NOT NULL"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_bound *bound = NULL;
    const calve_bind_options strict = {0}, loose = {.loose = true};
    const calve_schema *schema = column_of(rows[i].type);
    assert_fails(try_bind(schema, rows[i].where, strict, &bound), CALVE_EINVAL, &err);
    assert_ok(try_bind(schema, rows[i].where, loose, &bound), &err);
    assert_string_equal(printed(bound->root), rows[i].bound);
    assert_false(bound->exact);
  }
}

/* Literals of the JSON form are as strict as the reference's, those of SQL are cast. */
static void test_only_sql_casts_strings(void **state) {
  (void)state;
  static const struct {
    const char *type, *json;
  } refused[] = {{"int", "\"5\""},        {"timestamp", "\"2024-02-10\""},
                 {"boolean", "\"true\""}, {"timestamptz", "\"2024-02-10T00:00:00\""},
                 {"string", "5"},         {"date", "\"soon\""},
                 {"fixed[2]", "\"0a\""},  {"uuid", "\"1\""},
                 {"int", "5.0"}};
  for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
    const calve_predicate *p = NULL;
    const calve_bound *bound = NULL;
    calve_str json;
    assert_ok(calve_arena_printf(&arena, &json, &err,
                                 "{\"type\":\"eq\",\"term\":\"c\",\"value\":%s}", refused[i].json),
              &err);
    assert_ok(calve_predicate_parse_json(json, NULL, &arena, &p, &err), &err);
    assert_fails(calve_bind(p, column_of(refused[i].type), NULL, &arena, &bound, &err),
                 CALVE_EINVAL, &err);
    assert_message(&err, "\"c\" is of type");
    assert_null(bound);
  }
}

static void test_lenient_binding_keeps_the_rest(void **state) {
  (void)state;
  const calve_bind_options lenient = {.lenient = true};
  const calve_bound *bound = NULL;
  assert_ok(try_bind(column_of("int"), "c = 'x' AND c > 1", lenient, &bound), &err);
  assert_string_equal(printed(bound->root), "c > 1");
  assert_false(bound->exact);
  assert_ok(try_bind(column_of("string"), "c::date = DATE '2024-02-10'", lenient, &bound), &err);
  assert_string_equal(printed(bound->root), "TRUE");
  assert_fails(try_bind(column_of("int"), "d = 1", lenient, &bound), CALVE_ENOTFOUND, &err);
}

static void test_names(void **state) { /* B044 */
  (void)state;
  const calve_schema *schema = schema_of(
      "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"int\"},"
      "{\"id\":2,\"name\":\"Col\",\"required\":false,\"type\":\"int\"},"
      "{\"id\":3,\"name\":\"COL\",\"required\":false,\"type\":\"int\"},"
      "{\"id\":4,\"name\":\"Other\",\"required\":false,\"type\":\"int\"}");
  const calve_bind_options exact = {0}, insensitive = {.case_insensitive = true};
  const calve_bind_options sql = {.case_insensitive = true, .exact_first = true};
  const calve_bound *bound = NULL;
  assert_ok(try_bind(schema, "COL = 1 AND OTHER = 2", sql, &bound), &err);
  assert_string_equal(printed(bound->root), "COL = 1 AND Other = 2");
  assert_fails(try_bind(schema, "col = 1", sql, &bound), CALVE_EINVAL, &err);
  assert_ok(try_bind(schema, "Col = 1", exact, &bound), &err);
  assert_int_equal(bound->root->term.field_id, 2);
  assert_fails(try_bind(schema, "col = 1", insensitive, &bound), CALVE_EINVAL, &err);
  assert_ok(try_bind(schema, "other = 1", insensitive, &bound), &err);
  assert_string_equal(printed(bound->root), "Other = 1");
  assert_fails(try_bind(schema, "other = 1", exact, &bound), CALVE_ENOTFOUND, &err);
  assert_message(&err, "Other");
  assert_ok(try_bind(schema, "id IS NULL", exact, &bound), &err); /* required                   */
  assert_string_equal(printed(bound->root), "FALSE");
}

static void test_conditions_that_no_value_meets_are_errors(void **state) {
  (void)state;
  const calve_bound *bound = NULL;
  const calve_bind_options sql = {0};
  assert_fails(try_bind(column_of("int"), "isnan(c)", sql, &bound), CALVE_EINVAL, &err);
  assert_fails(try_bind(column_of("int"), "c LIKE 'a%'", sql, &bound), CALVE_EINVAL, &err);
  assert_fails(try_bind(column_of("string"), "days(c) = 5", sql, &bound), CALVE_EINVAL, &err);
  assert_message(&err, "does not accept");
}

static void test_junctions_are_flat_and_columns_counted_once(void **state) {
  (void)state;
  const calve_schema *schema = schema_of(
      "{\"id\":1,\"name\":\"a\",\"required\":false,\"type\":\"double\"},"
      "{\"id\":9,\"name\":\"b\",\"required\":false,\"type\":\"string\"}");
  const calve_bound *bound =
      bind(schema, "(a > 1 AND (b = 'x' AND a < 5)) AND NOT (b = 'y' OR a = 3)");
  assert_string_equal(printed(bound->root),
                      "a > 1.0 AND b = 'x' AND a < 5.0 AND b <> 'y' AND b IS NOT NULL AND "
                      "a <> 3.0 AND a IS NOT NULL");
  assert_int_equal(bound->column_count, 2);
  assert_int_equal(bound->columns[0].node->field->id, 1);
  assert_int_equal(bound->columns[0].needs,
                   CALVE_NEEDS_COUNTS | CALVE_NEEDS_NAN_COUNT | CALVE_NEEDS_BOUNDS);
  assert_int_equal(bind(schema, "b IS NULL")->columns[0].needs, CALVE_NEEDS_COUNTS);
}

static void test_partition_fields(void **state) {
  (void)state;
  const calve_schema *schema = column_of("timestamp");
  const calve_spec *spec = spec_of(
      "{\"name\":\"c_day\",\"transform\":\"day\",\"source-id\":1,\"field-id\":1000},"
      "{\"name\":\"odd\",\"transform\":\"zorder[2]\",\"source-id\":1,\"field-id\":1001}");
  const calve_predicate *p = NULL, *bound = NULL;
  assert_ok(calve_predicate_parse(CALVE_STR("c_day >= DATE '2026-03-01' AND odd = 3"), &arena, &p,
                                  NULL, &err),
            &err);
  assert_ok(calve_bind_partition(p, spec, schema, &arena, &bound, &err), &err);
  assert_string_equal(printed(bound), "c_day >= 2026-03-01");
  calve_value day = {.type = CALVE_DATE, .i32 = 20512}; /* 2026-02-28                           */
  assert_false(calve_tuple_might_match(bound, &day, 1, NULL));
  assert_ok(calve_predicate_parse(CALVE_STR("day = 3"), &arena, &p, NULL, &err), &err);
  assert_fails(calve_bind_partition(p, spec, schema, &arena, &bound, &err), CALVE_ENOTFOUND, &err);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_literals_become_values_of_the_column),
      TEST(test_casts_that_engines_do_not_agree_on),
      TEST(test_casts_may_be_loose),
      TEST(test_only_sql_casts_strings),
      TEST(test_lenient_binding_keeps_the_rest),
      TEST(test_names),
      TEST(test_conditions_that_no_value_meets_are_errors),
      TEST(test_junctions_are_flat_and_columns_counted_once),
      TEST(test_partition_fields),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
