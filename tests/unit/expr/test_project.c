/* SPDX-License-Identifier: Apache-2.0 */
#include "expr_fixture.h"

typedef struct projection_row {
  const char *where, *inclusive, *strict;
} projection_row;

static void check_rows(const char *type, const char *transform, const projection_row *rows,
                       size_t count) {
  const calve_schema *schema = column_of(type);
  const calve_spec *spec = partition_by(transform);
  for (size_t i = 0; i < count; i++) {
    const char *inclusive = printed(project(schema, spec, rows[i].where, CALVE_INCLUSIVE));
    const char *strict = printed(project(schema, spec, rows[i].where, CALVE_STRICT));
    if (strcmp(inclusive, rows[i].inclusive) != 0 || strcmp(strict, rows[i].strict) != 0)
      fail_msg("%s by %s of %s gives\n  %s\n  %s", rows[i].where, transform, type, inclusive,
               strict);
  }
}

static void test_truncate_moves_bounds_by_one_unit(void **state) { /* B052, B010 */
  (void)state;
  static const projection_row rows[] = {
      {"c < 10", "p <= 0", "p < 10"},
      {"c < 11", "p <= 10", "p < 10"},
      {"c <= 9", "p <= 0", "p < 10"},
      {"c > 19", "p >= 20", "p > 10"},
      {"c >= 20", "p >= 20", "p > 10"},
      {"c <> 5", "p IS NOT NULL", "p <> 0 AND p IS NOT NULL"},
      {"c = 15", "p = 10", "FALSE"},
      {"c IN (5, 25)", "p IN (0, 20)", "FALSE"},
      {"c = -1", "p = -10", "FALSE"},
      {"c < -10", "p <= -20", "p < -10"},
      {"c IS NULL", "p IS NULL", "p IS NULL"},
  };
  check_rows("int", "truncate[10]", rows, ARRAY_COUNT(rows));
}

static void test_truncate_of_decimals(void **state) { /* B010, B047 */
  (void)state;
  static const projection_row rows[] = {
      {"c = 10.65", "p = 10.50", "FALSE"},
      {"c = -10.65", "p = -11.00", "FALSE"},
      {"c < 10.50", "p <= 10.00", "p < 10.50"},
      /* between two values of the type: nothing equals it, and it bounds as the lower one does */
      {"c = 10.655", "FALSE", "FALSE"},
      {"c < 10.655", "p <= 10.50", "p < 10.50"},
      {"c >= 10.655", "p >= 10.50", "p > 10.50"},
      {"c = 10.6", "p = 10.50", "FALSE"},
  };
  check_rows("decimal(9, 2)", "truncate[50]", rows, ARRAY_COUNT(rows));
}

static void test_truncate_ends_at_the_types_limits(void **state) { /* B011, B052 */
  (void)state;
  static const projection_row rows[] = {
      {"c < -2147483648", "FALSE", "FALSE"},
      {"c <= 2147483647", "p <= 2147483640", "p IS NOT NULL"},
      {"c > 2147483647", "FALSE", "p > 2147483640"},
      {"c = -2147483648", "TRUE", "FALSE"},
      {"c >= -2147483648", "TRUE", "p IS NOT NULL"},
      {"c < 3000000000", "p IS NOT NULL", "p IS NOT NULL"},
      {"c > 3000000000", "FALSE", "FALSE"},
  };
  check_rows("int", "truncate[10]", rows, ARRAY_COUNT(rows));
}

static void test_truncate_of_strings_counts_code_points(void **state) { /* B014 */
  (void)state;
  static const projection_row rows[] = {
      {"c = '\u4e16\u754c\u60a8\u597d'", "p = '\u4e16\u754c'", "FALSE"},
      {"c LIKE '\U0001F600%'", "p LIKE '\U0001F600%'", "p LIKE '\U0001F600%'"},
      {"c LIKE '\U0001F600\U0001F600%'", "p = '\U0001F600\U0001F600'",
       "p = '\U0001F600\U0001F600'"},
      {"c LIKE 'abc%'", "p LIKE 'ab%'", "FALSE"},
      {"c NOT LIKE 'abc%'", "p IS NOT NULL", "p NOT LIKE 'ab%' AND p IS NOT NULL"},
      {"c < 'abc'", "p <= 'ab'", "p < 'ab'"},
      {"c LIKE '%'", "p LIKE '%'", "p LIKE '%'"},
  };
  check_rows("string", "truncate[2]", rows, ARRAY_COUNT(rows));
}

static void test_bucket_projects_equality_only(void **state) { /* B009, B052 */
  (void)state;
  static const projection_row rows[] = {
      {"c = 34", "p = 3", "FALSE"},
      {"c IN (34, 2)", "p IN (3, 4)", "FALSE"},
      {"c = -1", "p = 8", "FALSE"},
      {"c = -2147483648", "p = 8", "FALSE"},
      {"c > 3", "TRUE", "FALSE"},
      {"c <> 2", "p IS NOT NULL", "p <> 4 AND p IS NOT NULL"},
      {"bucket(16, c) = 3", "p = 3", "p = 3"},
      {"bucket(8, c) = 3", "TRUE", "FALSE"},
  };
  check_rows("int", "bucket[16]", rows, ARRAY_COUNT(rows));
  static const projection_row of_ten[] = {
      {"c IN (1, 2, 3, 4)", "p IN (0, 2, 5, 6)", "FALSE"},
      {"c = 2", "p = 2", "FALSE"},
  };
  check_rows("int", "bucket[10]", of_ten, ARRAY_COUNT(of_ten));
}

static void test_day_floors_and_lets_old_files_in(void **state) { /* B002, B052 */
  (void)state;
  static const projection_row rows[] = {
      {"c < '2024-02-10'", "p <= 2024-02-09", "p < 2024-02-10"},
      {"c <= '2024-02-10'", "p <= 2024-02-10", "p < 2024-02-10"},
      {"c = '1969-12-31T10:00:00'", "p IN (1969-12-31, 1970-01-01)", "FALSE"},
      {"c < '1969-12-31T12:00:00'", "p <= 1970-01-01", "p < 1969-12-31"},
      {"c > '1969-12-30T12:00:00'", "p >= 1969-12-30", "p > 1969-12-31"},
      {"c IN ('1969-12-31T10:00:00', '1970-01-02')", "p IN (1969-12-31, 1970-01-01, 1970-01-02)",
       "FALSE"},
      {"c <> '1969-12-31T10:00:00'", "p IS NOT NULL",
       "p NOT IN (1969-12-31, 1970-01-01) AND p IS NOT NULL"},
      {"c > '1970-01-03'", "p >= 1970-01-03", "p > 1970-01-03"},
      {"c::date = DATE '2024-02-10'", "p = 2024-02-10", "p = 2024-02-10"},
      {"c::date = DATE '1969-12-31'", "p IN (1969-12-31, 1970-01-01)", "FALSE"},
      {"c::date = DATE '1970-01-01'", "p = 1970-01-01", "FALSE"},
      {"c::date < DATE '1970-01-01'", "p < 1970-01-02", "p < 1970-01-01"},
      {"c::date > DATE '1969-12-30'", "p > 1969-12-30", "p > 1969-12-31"},
      {"c::date <> DATE '1970-01-01'", "p IS NOT NULL", "p <> 1970-01-01 AND p IS NOT NULL"},
  };
  check_rows("timestamp", "day", rows, ARRAY_COUNT(rows));
  static const projection_row of_dates[] = {{"c = '1969-12-31'", "p = 1969-12-31", "FALSE"}};
  check_rows("date", "day", of_dates, ARRAY_COUNT(of_dates));
}

static void test_hours_beyond_int32_are_not_projected(void **state) { /* B004 */
  (void)state;
  static const projection_row rows[] = {
      {"c > '+250000-01-01T00:00:00'", "TRUE", "FALSE"},
      {"c = '+250000-01-01T00:00:00'", "TRUE", "FALSE"},
      {"c > '2020-01-01T00:00:00'", "p >= 2020-01-01-00", "p > 2020-01-01-00"},
  };
  check_rows("timestamp", "hour", rows, ARRAY_COUNT(rows));
}

static void test_identity_answers_transforms_of_its_column(void **state) {
  (void)state;
  static const projection_row rows[] = {
      {"c::date < DATE '2024-02-10'", "days(p) < '2024-02-10'", "days(p) < '2024-02-10'"},
      {"c = '2024-02-10'", "p = 2024-02-10T00:00:00", "p = 2024-02-10T00:00:00"},
  };
  check_rows("timestamp", "identity", rows, ARRAY_COUNT(rows));
}

static void test_what_is_not_known_projects_to_anything(void **state) {
  (void)state;
  static const projection_row rows[] = {{"c = 1", "TRUE", "FALSE"}, {"c IS NULL", "TRUE", "FALSE"}};
  check_rows("int", "void", rows, ARRAY_COUNT(rows));
  check_rows("int", "zorder[3]", rows, ARRAY_COUNT(rows));
  check_rows("int", "day", rows, ARRAY_COUNT(rows)); /* does not accept the column              */

  const calve_schema *schema = column_of("int");
  const calve_spec *several = spec_of(
      "{\"name\":\"p\",\"transform\":\"bucket[4]\",\"source-ids\":[1,2],\"field-id\":1000}");
  const calve_spec *dropped =
      spec_of("{\"name\":\"p\",\"transform\":\"identity\",\"source-id\":7,\"field-id\":1000}");
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    assert_string_equal(printed(project(schema, several, rows[i].where, CALVE_INCLUSIVE)), "TRUE");
    assert_string_equal(printed(project(schema, several, rows[i].where, CALVE_STRICT)), "FALSE");
    assert_string_equal(printed(project(schema, dropped, rows[i].where, CALVE_INCLUSIVE)), "TRUE");
  }
}

static void test_all_fields_of_a_column_count(void **state) {
  (void)state;
  const calve_schema *schema = column_of("timestamp");
  const calve_spec *spec = spec_of(
      "{\"name\":\"d\",\"transform\":\"day\",\"source-id\":1,\"field-id\":1000},"
      "{\"name\":\"h\",\"transform\":\"hour\",\"source-id\":1,\"field-id\":1001}");
  assert_string_equal(printed(project(schema, spec, "c > '2024-01-01T01:00:00'", CALVE_INCLUSIVE)),
                      "d >= 2024-01-01 AND h >= 2024-01-01-01");
  assert_string_equal(printed(project(schema, spec, "c > '2024-01-01T01:00:00'", CALVE_STRICT)),
                      "d > 2024-01-01 OR h > 2024-01-01-01");
}

static void test_fields_are_found_by_id_not_name(void **state) { /* B027 */
  (void)state;
  /* column 2 was called "name" when it became the source of the field "name" */
  const calve_schema *schema = schema_of(
      "{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":\"int\"},"
      "{\"id\":2,\"name\":\"name1\",\"required\":false,\"type\":\"string\"},"
      "{\"id\":3,\"name\":\"name\",\"required\":false,\"type\":\"int\"}");
  const calve_spec *spec =
      spec_of("{\"name\":\"name\",\"transform\":\"identity\",\"source-id\":2,\"field-id\":1000}");
  assert_true(keeps(schema, spec, "name1 = 'a'", string_value("a")));
  assert_false(keeps(schema, spec, "name1 = 'a'", string_value("b")));
  assert_true(keeps(schema, spec, "name = 7", string_value("a")));
}

/* year(ts) on days, days(ts) on months: the unit's ends are bounds of the column. */
static void test_units_of_time_are_seen_in_other_units(void **state) {
  (void)state;
  static const projection_row days[] = {
      {"year(c) = 2026", "p >= 2026-01-01 AND p <= 2026-12-31",
       "p > 2025-12-31 AND p < 2027-01-01"},
      {"year(c) < 2026", "p <= 2025-12-31", "p < 2026-01-01"},
      {"year(c) <= 2026", "p <= 2026-12-31", "p < 2027-01-01"},
      {"year(c) > 2026", "p >= 2027-01-01", "p > 2026-12-31"},
      {"year(c) >= 2026", "p >= 2026-01-01", "p > 2025-12-31"},
      {"date_trunc('month', c) = '2024-02-01'", "p >= 2024-02-01 AND p <= 2024-02-29",
       "p > 2024-01-31 AND p < 2024-03-01"},
      {"months(c) IN (0, 12)",
       "(p >= 1970-01-01 AND p <= 1970-01-31) OR (p >= 1971-01-01 AND p <= 1971-01-31)",
       "(p > 1970-01-01 AND p < 1970-02-01) OR (p > 1970-12-31 AND p < 1971-02-01)"},
      {"year(c) <> 2026", "p IS NOT NULL",
       "(p < 2026-01-01 OR p > 2026-12-31) AND p IS NOT NULL"},
      {"date_trunc('hour', c) = '2026-03-01 10:00:00'", "p = 2026-03-01", "FALSE"},
      /* Rows of 1969-12-31 may have been written to 1970-01-01. */
      {"year(c) = 1969", "p >= 1969-01-01 AND p <= 1970-01-01",
       "p > 1969-01-01 AND p < 1970-01-01"},
  };
  static const projection_row months[] = {
      {"c::date = '2026-03-05'", "p = 2026-03", "FALSE"},
      {"c::date < '2026-03-01'", "p <= 2026-02", "p < 2026-03"},
      {"c::date < '2026-03-02'", "p <= 2026-03", "p < 2026-03"},
      {"year(c) = 2026", "p >= 2026-01 AND p <= 2026-12", "p > 2025-12 AND p < 2027-01"},
  };
  static const projection_row years[] = {
      {"date_trunc('month', c) < '2026-01-01'", "p <= 2025", "p < 2026"},
      {"year(c) = 2026", "p = 2026", "p = 2026"},
  };
  check_rows("timestamp", "day", days, ARRAY_COUNT(days));
  check_rows("timestamp", "month", months, ARRAY_COUNT(months));
  check_rows("timestamp", "year", years, ARRAY_COUNT(years));
  check_rows("date", "day", days, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_truncate_moves_bounds_by_one_unit),
      TEST(test_truncate_of_decimals),
      TEST(test_truncate_ends_at_the_types_limits),
      TEST(test_truncate_of_strings_counts_code_points),
      TEST(test_bucket_projects_equality_only),
      TEST(test_day_floors_and_lets_old_files_in),
      TEST(test_hours_beyond_int32_are_not_projected),
      TEST(test_identity_answers_transforms_of_its_column),
      TEST(test_what_is_not_known_projects_to_anything),
      TEST(test_all_fields_of_a_column_count),
      TEST(test_fields_are_found_by_id_not_name),
      TEST(test_units_of_time_are_seen_in_other_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
