/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/predicate.h"

#include <math.h>

#include "expr_fixture.h"

static const calve_predicate *leaf(calve_predicate_op op, const char *column, int64_t value) {
  const calve_predicate *p = NULL;
  calve_term term = calve_term_column(calve_str_of(column));
  calve_value literal = long_value(value);
  assert_ok(
      calve_predicate_leaf(op, &term, &literal, op <= CALVE_OP_NOT_NAN ? 0 : 1, &arena, &p, &err),
      &err);
  return p;
}

static void test_constants_fold(void **state) {
  (void)state;
  const calve_predicate *c = leaf(CALVE_OP_EQ, "c", 1), *out = NULL;
  const calve_predicate *with_true[] = {&calve_predicate_true, c};
  const calve_predicate *with_false[] = {c, &calve_predicate_false};
  assert_ok(calve_predicate_and(with_true, 2, &arena, &out, &err), &err);
  assert_ptr_equal(out, c);
  assert_ok(calve_predicate_or(with_true, 2, &arena, &out, &err), &err);
  assert_ptr_equal(out, &calve_predicate_true);
  assert_ok(calve_predicate_and(with_false, 2, &arena, &out, &err), &err);
  assert_ptr_equal(out, &calve_predicate_false);
  assert_ok(calve_predicate_or(with_false, 2, &arena, &out, &err), &err);
  assert_ptr_equal(out, c);
  assert_ok(calve_predicate_and(NULL, 0, &arena, &out, &err), &err);
  assert_ptr_equal(out, &calve_predicate_true);
  assert_ok(calve_predicate_or(NULL, 0, &arena, &out, &err), &err);
  assert_ptr_equal(out, &calve_predicate_false);
  assert_ok(calve_predicate_not(c, &arena, &out, &err), &err);
  assert_ok(calve_predicate_not(out, &arena, &out, &err), &err);
  assert_ptr_equal(out, c);
}

static void test_leaves_take_the_literals_that_fit(void **state) {
  (void)state;
  const calve_predicate *p = NULL;
  calve_term term = calve_term_column(CALVE_STR("c"));
  const calve_value two[] = {long_value(1), long_value(2)};
  const calve_value null = calve_value_null(CALVE_LONG);
  const calve_value nan = {.type = CALVE_DOUBLE, .f64 = (double)NAN};
  assert_fails(calve_predicate_leaf(CALVE_OP_EQ, &term, two, 2, &arena, &p, &err), CALVE_EINVAL,
               &err);
  assert_fails(calve_predicate_leaf(CALVE_OP_IS_NULL, &term, two, 1, &arena, &p, &err),
               CALVE_EINVAL, &err);
  assert_fails(calve_predicate_leaf(CALVE_OP_AND, &term, two, 1, &arena, &p, &err), CALVE_EINVAL,
               &err);
  assert_fails(calve_predicate_leaf(CALVE_OP_EQ, &term, &null, 1, &arena, &p, &err), CALVE_EINVAL,
               &err);
  assert_message(&err, "is null");
  assert_fails(calve_predicate_leaf(CALVE_OP_LT, &term, &nan, 1, &arena, &p, &err), CALVE_EINVAL,
               &err);
  assert_message(&err, "NaN");
  assert_null(p);
  assert_ok(calve_predicate_leaf(CALVE_OP_IN, &term, NULL, 0, &arena, &p, &err), &err);
}

static void test_not_turns_every_operator_into_its_opposite(void **state) {
  (void)state;
  for (int op = CALVE_OP_IS_NULL; op <= CALVE_OP_NOT_IN; op++) {
    calve_predicate_op opposite = calve_predicate_opposite((calve_predicate_op)op);
    assert_int_not_equal(opposite, op);
    assert_int_equal(calve_predicate_opposite(opposite), op);
  }
  const calve_predicate *parts[] = {leaf(CALVE_OP_LT, "a", 1), leaf(CALVE_OP_IS_NULL, "b", 0)};
  const calve_predicate *p = NULL;
  assert_ok(calve_predicate_and(parts, 2, &arena, &p, &err), &err);
  assert_ok(calve_predicate_not(p, &arena, &p, &err), &err);
  assert_string_equal(printed(p), "NOT (a < 1 AND b IS NULL)");
  assert_ok(calve_predicate_rewrite_not(p, &arena, &p, &err), &err);
  assert_string_equal(printed(p), "a >= 1 OR b IS NOT NULL");
}

static void test_sql_unknown_only_widens(void **state) {
  (void)state;
  const calve_predicate *parts[] = {leaf(CALVE_OP_EQ, "a", 1), &calve_predicate_sql_unknown};
  const calve_predicate *p = NULL;
  bool exact = true;
  assert_ok(calve_predicate_and(parts, 2, &arena, &p, &err), &err);
  assert_ok(calve_predicate_two_valued(p, &arena, &p, &exact, &err), &err);
  assert_string_equal(printed(p), "a = 1");
  assert_false(exact);
  /* a condition that is false whatever the unknown says stays exact in what it keeps */
  const calve_predicate *never[] = {&calve_predicate_sql_null, leaf(CALVE_OP_EQ, "a", 1)};
  assert_ok(calve_predicate_or(never, 2, &arena, &p, &err), &err);
  assert_ok(calve_predicate_two_valued(p, &arena, &p, &exact, &err), &err);
  assert_string_equal(printed(p), "a = 1");
  assert_true(exact);
}

static void test_equality(void **state) {
  (void)state;
  assert_true(calve_predicate_equal(leaf(CALVE_OP_EQ, "a", 1), leaf(CALVE_OP_EQ, "a", 1)));
  assert_false(calve_predicate_equal(leaf(CALVE_OP_EQ, "a", 1), leaf(CALVE_OP_EQ, "a", 2)));
  assert_false(calve_predicate_equal(leaf(CALVE_OP_EQ, "a", 1), leaf(CALVE_OP_EQ, "b", 1)));
  assert_false(calve_predicate_equal(leaf(CALVE_OP_EQ, "a", 1), leaf(CALVE_OP_LT, "a", 1)));
}

static void test_long_lists_are_printed_short(void **state) {
  (void)state;
  calve_value values[100];
  for (int i = 0; i < 100; i++) values[i] = long_value(i);
  calve_term term = calve_term_column(CALVE_STR("c"));
  const calve_predicate *p = NULL;
  assert_ok(calve_predicate_leaf(CALVE_OP_IN, &term, values, 100, &arena, &p, &err), &err);
  assert_string_equal(printed(p), "c IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ... 90 more)");
}

/* ---- memory that runs out ----------------------------------------------------------------------
 */

static const char long_condition[] =
    "(ts >= '2026-03-01' AND NOT (s LIKE 'a''%' OR c IN (3, 1, 2, 3000000000)))"
    " AND ts::date < DATE '2026-04-01' AND a.\"b\" = 1 AND c + 1 = 5";

static calve_status walk(calve_arena *own, const calve_schema *schema, const calve_spec *spec,
                         calve_error *error) {
  const calve_predicate *p, *inclusive, *strict, *left;
  const calve_bound *bound;
  const calve_residual *residual;
  const calve_value tuple[] = {{.type = CALVE_DATE, .i32 = 20514}, int_value(0)};
  CALVE_TRY(calve_predicate_parse(calve_str_of(long_condition), own, &p, NULL, error));
  CALVE_TRY(calve_bind(p, schema, NULL, own, &bound, error));
  CALVE_TRY(calve_project(bound, spec, schema, CALVE_INCLUSIVE, own, &inclusive, error));
  CALVE_TRY(calve_project(bound, spec, schema, CALVE_STRICT, own, &strict, error));
  CALVE_TRY(calve_residual_prepare(bound, spec, schema, own, &residual, error));
  return calve_residual_of(residual, tuple, 2, own, &left, error);
}

static void test_every_failed_allocation_is_reported(void **state) {
  (void)state;
  const calve_schema *schema = schema_of(
      "{\"id\":1,\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"},"
      "{\"id\":2,\"name\":\"s\",\"required\":false,\"type\":\"string\"},"
      "{\"id\":3,\"name\":\"c\",\"required\":false,\"type\":\"int\"},"
      "{\"id\":4,\"name\":\"a\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
      "{\"id\":5,\"name\":\"b\",\"required\":false,\"type\":\"int\"}]}}");
  const calve_spec *spec = spec_of(
      "{\"name\":\"d\",\"transform\":\"day\",\"source-id\":1,\"field-id\":1000},"
      "{\"name\":\"p\",\"transform\":\"bucket[4]\",\"source-id\":3,\"field-id\":1001}");
  long needed = 0;
  for (;; needed++) {
    failing_allocator mem;
    calve_arena own;
    calve_error error = {0};
    failing_allocator_init(&mem, needed);
    calve_arena_init(&own, &mem.allocator);
    calve_status status = walk(&own, schema, spec, &error);
    calve_arena_free(&own);
    assert_int_equal(mem.live_bytes, 0);
    if (status == CALVE_OK) break;
    assert_int_equal(status, CALVE_ENOMEM);
    assert_true(error.message[0] != '\0' && needed < 1000);
  }
  assert_true(needed > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_constants_fold),
      TEST(test_leaves_take_the_literals_that_fit),
      TEST(test_not_turns_every_operator_into_its_opposite),
      TEST(test_sql_unknown_only_widens),
      TEST(test_equality),
      TEST(test_long_lists_are_printed_short),
      TEST(test_every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
