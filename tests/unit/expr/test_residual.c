/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/residual.h"

#include "expr_fixture.h"

static const char *residual(const calve_bound *bound, const calve_spec *spec,
                            const calve_schema *schema, const calve_value *tuple, size_t count) {
  const calve_residual *prepared = NULL;
  const calve_predicate *left = NULL;
  assert_ok(calve_residual_prepare(bound, spec, schema, &arena, &prepared, &err), &err);
  assert_ok(calve_residual_of(prepared, tuple, count, &arena, &left, &err), &err);
  return printed(left);
}

/* B023: what a file's own spec settles, and no other. */
static void test_each_spec_settles_its_own_files(void **state) {
  (void)state;
  const calve_schema *schema = column_of("string");
  const calve_bound *bound = bind(schema, "c = 'a'");
  const calve_value a = string_value("a"), b = string_value("b");
  const calve_value bucket = int_value(0); /* hash 1009084850 by 4 is 2: this is another        */
  const calve_value bucket_of_a = int_value(2);
  assert_string_equal(residual(bound, spec_of(""), schema, NULL, 0), "c = 'a'");
  assert_string_equal(residual(bound, partition_by("identity"), schema, &a, 1), "TRUE");
  assert_string_equal(residual(bound, partition_by("identity"), schema, &b, 1), "FALSE");
  assert_string_equal(residual(bound, partition_by("truncate[1]"), schema, &a, 1), "c = 'a'");
  assert_string_equal(residual(bound, partition_by("bucket[4]"), schema, &bucket_of_a, 1),
                      "c = 'a'");
  assert_string_equal(residual(bound, partition_by("bucket[4]"), schema, &bucket, 1), "FALSE");
}

static void test_days_inside_a_range_need_no_check(void **state) {
  (void)state;
  const calve_schema *schema = column_of("timestamp");
  const calve_spec *spec = partition_by("day");
  const calve_bound *bound = bind(schema, "c >= '2024-02-10T12:00:00' AND c < '2024-02-13'");
  static const struct {
    int32_t day;
    const char *residual;
  } rows[] = {{19762, "FALSE"},
              {19763, "c >= '2024-02-10T12:00:00'"},
              {19764, "TRUE"},
              {19765, "TRUE"},
              {19766, "FALSE"}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_value day = {.type = CALVE_DATE, .i32 = rows[i].day};
    assert_string_equal(residual(bound, spec, schema, &day, 1), rows[i].residual);
  }
}

static void test_parts_fall_away_in_every_place(void **state) {
  (void)state;
  const calve_schema *schema = schema_of(
      "{\"id\":1,\"name\":\"c\",\"required\":false,\"type\":\"int\"},"
      "{\"id\":2,\"name\":\"d\",\"required\":false,\"type\":\"int\"}");
  const calve_spec *spec = partition_by("identity");
  static const struct {
    const char *where, *residual;
  } rows[] = {
      {"c = 1 AND d = 2 AND d = 3", "d = 2 AND d = 3"},
      {"d = 2 AND c = 1 AND d = 3", "d = 2 AND d = 3"},
      {"d = 2 AND d = 3 AND c = 1", "d = 2 AND d = 3"},
      {"d = 2 AND d = 3 AND c = 1 AND d = 4", "d = 2 AND d = 3 AND d = 4"},
      {"d = 2 AND c = 1 AND d = 3 AND c > 0 AND d = 4", "d = 2 AND d = 3 AND d = 4"},
      {"c = 1 AND d = 2", "d = 2"},
      {"c = 5 OR d = 2 OR d = 3", "d = 2 OR d = 3"},
      {"c = 1 OR d = 2", "TRUE"},
      {"d = 2 AND (c = 5 OR d = 3)", "d = 2 AND d = 3"},
      {"d = 2 AND d = 4 AND (c = 5 OR d = 3) AND d = 5", "d = 2 AND d = 4 AND d = 3 AND d = 5"},
      {"d = 2 OR d = 3", "d = 2 OR d = 3"},
      {"d = 2 AND c = 5", "FALSE"},
      {"c IN (1, 2)", "TRUE"},
      {"c IS NOT NULL", "TRUE"},
      {"TRUE", "TRUE"},
      {"FALSE", "FALSE"},
  };
  const calve_value one = int_value(1);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const char *got = residual(bind(schema, rows[i].where), spec, schema, &one, 1);
    if (strcmp(got, rows[i].residual) != 0) fail_msg("%s gives %s", rows[i].where, got);
  }
}

static void test_nothing_is_allocated_when_all_or_nothing_stays(void **state) {
  (void)state;
  const calve_schema *schema = column_of("int");
  const calve_residual *prepared = NULL;
  const calve_predicate *left = NULL;
  const calve_bound *bound = bind(schema, "c > 1 AND c < 9 AND c IN (3, 4)");
  assert_ok(
      calve_residual_prepare(bound, partition_by("truncate[10]"), schema, &arena, &prepared, &err),
      &err);
  size_t before = arena.used_bytes;
  calve_value values[] = {int_value(0), int_value(10), int_value(-10)};
  for (size_t i = 0; i < ARRAY_COUNT(values); i++)
    assert_ok(calve_residual_of(prepared, &values[i], 1, &arena, &left, &err), &err);
  assert_int_equal(arena.used_bytes, before);
}

/* What was made for one file may be wanted longer than the file's memory. */
static void test_copies_outlive_the_arena_of_a_residual(void **state) {
  (void)state;
  const calve_schema *schema = schema_of(
      "{\"id\":1,\"name\":\"c\",\"required\":false,\"type\":\"int\"},"
      "{\"id\":2,\"name\":\"d\",\"required\":false,\"type\":\"int\"}");
  static const char *const rows[] = {"c = 1 AND d = 2 AND (d = 4 OR c = 5 OR d = 3)",
                                     "d = 2 AND c = 1 AND d = 3", "d = 2", "c = 1", "c = 5"};
  const calve_value one = int_value(1), five = int_value(5);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_bound *bound = bind(schema, rows[i]);
    const calve_residual *prepared = NULL;
    const calve_predicate *of_one, *again, *of_five, *copy;
    calve_arena short_lived;
    calve_arena_init(&short_lived, NULL);
    assert_ok(calve_residual_prepare(bound, partition_by("identity"), schema, &arena, &prepared,
                                     &err),
              &err);
    assert_ok(calve_residual_of(prepared, &one, 1, &short_lived, &of_one, &err), &err);
    assert_ok(calve_residual_of(prepared, &one, 1, &short_lived, &again, &err), &err);
    assert_ok(calve_residual_of(prepared, &five, 1, &short_lived, &of_five, &err), &err);
    assert_true(calve_residual_equal(of_one, again));
    assert_int_equal(calve_residual_equal(of_one, of_five), strstr(rows[i], "c") == NULL);
    assert_ok(calve_residual_copy(of_one, &arena, &copy, &err), &err);
    assert_true(calve_residual_equal(copy, of_one));
    const char *want = printed(of_one);
    calve_arena_free(&short_lived);
    assert_string_equal(printed(copy), want);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_each_spec_settles_its_own_files),
      TEST(test_days_inside_a_range_need_no_check),
      TEST(test_parts_fall_away_in_every_place),
      TEST(test_nothing_is_allocated_when_all_or_nothing_stays),
      TEST(test_copies_outlive_the_arena_of_a_residual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
