/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/condense.h"

#include "expr_fixture.h"

static const calve_schema *all_columns(void) {
  return schema_of(
      "{\"id\":1,\"name\":\"c\",\"required\":false,\"type\":\"long\"},"
      "{\"id\":2,\"name\":\"k\",\"required\":false,\"type\":\"int\"},"
      "{\"id\":3,\"name\":\"s\",\"required\":false,\"type\":\"string\"},"
      "{\"id\":4,\"name\":\"f\",\"required\":false,\"type\":\"double\"},"
      "{\"id\":5,\"name\":\"m\",\"required\":false,\"type\":\"decimal(9, 2)\"}");
}

static const calve_predicate *condensed(const calve_bound *bound) {
  const calve_predicate *out;
  assert_ok(calve_condense(bound->root, &arena, &out, &err), &err);
  return out;
}

static void test_long_conditions_are_condensed(void **state) {
  (void)state;
  static const struct {
    const char *where, *merged; /* NULL: stays as it is                                         */
  } rows[] = {
      {"c = 9 OR c = 2 OR c = 3 OR c = 4 OR c = 5 OR c = 6 OR c IN (7, 8, 2)",
       "c IN (2, 3, 4, 5, 6, 7, 8, 9)"},
      {"c = 1 OR c = 2", NULL},
      {"c = 9 OR c = 2 OR c = 3 OR k = 1 OR c = 4 OR c = 5 OR c = 6 OR c IN (7, 8, 2)",
       "c IN (2, 3, 4, 5, 6, 7, 8, 9) OR k = 1"},
      {"c = 1 OR c = 1 OR c = 1 OR c = 1 OR c = 1 OR c = 1 OR c = 1 OR c = 1", "c = 1"},
      {"c <> 8 AND c <> 7 AND c <> 6 AND c <> 5 AND c <> 4 AND c <> 3 AND c NOT IN (2, 1)",
       "c NOT IN (1, 2, 3, 4, 5, 6, 7, 8) AND c IS NOT NULL"},
      {"c <> 1 AND c <> 2", "c <> 1 AND c IS NOT NULL AND c <> 2"},
      {"k IS NULL OR c = 1 OR k IS NULL", "k IS NULL OR c = 1"},
      /* a value of one column says nothing of another's, nor of a transform's */
      {"c = 1 OR k = 2 OR bucket(4, c) = 3 OR c = 4 OR k = 5 OR bucket(4, c) = 1 OR c = 7 OR k = 8",
       NULL},
      /* ranges that meet are joined: whole numbers have neighbours */
      {"c < 1 OR c BETWEEN 8 AND 9 OR c BETWEEN 3 AND 4 OR c BETWEEN 4 AND 5 OR c BETWEEN 5 AND 6"
       " OR (c >= 20 AND c < 25) OR (c > 25 AND c <= 27) OR (c > 24 AND c < 26) OR c > 50",
       "c < 1 OR (c >= 3 AND c <= 6) OR (c >= 8 AND c <= 9) OR (c >= 20 AND c <= 27) OR c > 50"},
      {"m BETWEEN 1.00 AND 1.99 OR m BETWEEN 2.00 AND 2.99 OR m BETWEEN 3.01 AND 4 OR m > 90 OR m >"
       " 91 OR m > 92 OR m > 93 OR m < -5",
       "m < -5.00 OR (m >= 1.00 AND m <= 2.99) OR (m >= 3.01 AND m <= 4.00) OR m > 90.00"},
      {"s BETWEEN 'a' AND 'b' OR s BETWEEN 'b' AND 'c' OR (s > 'd' AND s < 'e') OR (s > 'e' AND s <"
       " 'f') OR s BETWEEN 'g' AND 'h' OR s > 'p' OR s > 'q' OR s > 'r'",
       "(s >= 'a' AND s <= 'c') OR (s > 'd' AND s < 'e') OR (s > 'e' AND s < 'f') OR (s >= 'g' AND "
       "s <= 'h') OR s > 'p'"},
      /* what would be all values stays in two parts: it is not true of null */
      {"c < 9 OR c > 1 OR c > 2 OR c > 3 OR c > 4 OR c > 5 OR c > 6 OR c > 7", "c < 9 OR c > 1"},
      /* signed zeros and NaN: no order to search by */
      {"f > 1 OR f > 2 OR f > 3 OR f > 4 OR f > 5 OR f > 6 OR f > 7 OR f > 8", NULL},
  };
  const calve_schema *schema = all_columns();
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_bound *bound = bind(schema, rows[i].where);
    const char *want = rows[i].merged ? rows[i].merged : printed(bound->root);
    const char *found = printed(condensed(bound));
    if (strcmp(found, want) != 0) fail_msg("%s\n  condenses to %s", rows[i].where, found);
  }
}

/* ---- laws ------------------------------------------------------------------------------------ */

static uint64_t seed;

static int64_t below(int64_t n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (int64_t)(seed % (uint64_t)n);
}

static void put_part(calve_buffer *out, int kind) {
  static const char *const ops[] = {"<", "<=", ">", ">=", "=", "<>"};
  const char *column = below(8) == 0 ? "k" : "c";
  int low = (int)below(120) - 60;
  switch (kind) {
    case 0:
      calve_buffer_printf(out, "%s = %d", column, low);
      break;
    case 1:
      calve_buffer_printf(out, "%s BETWEEN %d AND %d", column, low, low + (int)below(4) - 1);
      break;
    case 2:
      calve_buffer_printf(out, "(%s > %d AND %s < %d AND k = %d)", column, low, column,
                          low + (int)below(5), (int)below(4));
      break;
    case 3:
      calve_buffer_printf(out, "%s IN (%d, %d, %d)", column, low, (int)below(90), (int)below(30));
      break;
    case 4:
      calve_buffer_printf(out, "%s IS %s", column, below(2) ? "NULL" : "NOT NULL");
      break;
    case 5:
      calve_buffer_printf(out, "bucket(4, %s) = %d", column, (int)below(4));
      break;
    default:
      calve_buffer_printf(out, "%s %s %d", column, ops[below(6)], low);
  }
}

/* Mostly ORs of one or two kinds of parts, now and then with what joins all of them. */
static const char *random_where(void) {
  calve_buffer out;
  calve_str copy;
  calve_buffer_init(&out, NULL);
  bool negated = below(4) == 0;
  int first = (int)below(7), second = (int)below(6);
  int64_t count = 2 + below(40);
  if (negated) calve_buffer_puts(&out, "NOT (");
  for (int64_t i = 0; i < count; i++) {
    if (i > 0) calve_buffer_puts(&out, " OR ");
    put_part(&out, below(3) ? first : second);
  }
  if (negated) calve_buffer_puts(&out, ")");
  assert_ok(calve_arena_str(&arena, calve_buffer_view(&out), &copy, &err), &err);
  calve_buffer_free(&out);
  return copy.data;
}

static calve_value random_value(calve_type_id type) {
  calve_value v = calve_value_null(type);
  if (below(5) == 0) return v;
  v.is_null = false;
  int64_t number = below(130) - 65;
  if (type == CALVE_LONG)
    v.i64 = number;
  else
    v.i32 = (int32_t)number;
  return v;
}

static void take_row(calve_column_metrics *m, calve_value bounds[2], const calve_value *v) {
  m->value_count++;
  if (v->is_null) {
    m->null_count++;
    return;
  }
  if (!m->lower.data || calve_value_compare(v, &bounds[0]) < 0) bounds[0] = *v;
  if (!m->lower.data || calve_value_compare(v, &bounds[1]) > 0) bounds[1] = *v;
  m->lower.data = "";
}

static calve_str bytes_of(const calve_value *v) {
  calve_buffer b;
  calve_str copy;
  calve_buffer_init(&b, NULL);
  calve_value_to_bytes(v, &b);
  assert_ok(calve_arena_str(&arena, calve_buffer_view(&b), &copy, &err), &err);
  calve_buffer_free(&b);
  return copy;
}

typedef struct condense_case {
  const char *where;
  const calve_bound *plain;
  calve_bound merged;
  calve_value rows[4][2]; /* by slot                                                            */
  size_t row_count;
} condense_case;

static calve_type_id type_of_slot(const condense_case *c, size_t slot) {
  return c->plain->columns[slot].node->field->type->id;
}

static void check_rows_and_files(condense_case *c) {
  calve_column_metrics m[2];
  bool any = false, all = true;
  for (size_t slot = 0; slot < c->plain->column_count; slot++) {
    calve_value bounds[2];
    m[slot] = (calve_column_metrics){0};
    for (size_t i = 0; i < c->row_count; i++) take_row(&m[slot], bounds, &c->rows[i][slot]);
    bool bounded = m[slot].lower.data && below(6) != 0;
    m[slot].lower = bounded ? bytes_of(&bounds[0]) : (calve_str){0};
    m[slot].upper = bounded ? bytes_of(&bounds[1]) : (calve_str){0};
  }
  for (size_t i = 0; i < c->row_count; i++) {
    bool matches = calve_row_matches(c->plain, c->rows[i]);
    if (calve_row_matches(&c->merged, c->rows[i]) != matches) fail_msg("a row: %s", c->where);
    any = any || matches;
    all = all && matches;
  }
  int64_t records = (int64_t)c->row_count;
  bool might = calve_metrics_might_match(&c->merged, records, m, NULL);
  bool must = calve_metrics_must_match(&c->merged, records, m);
  if (might != calve_metrics_might_match(c->plain, records, m, NULL))
    fail_msg("might match: %s", c->where);
  if (!must && calve_metrics_must_match(c->plain, records, m)) fail_msg("must: %s", c->where);
  if ((any && !might) || (must && !all)) fail_msg("unsound: %s", c->where);
}

static void check_tuple(condense_case *c, const calve_schema *schema, const calve_spec *spec) {
  const calve_predicate *plain, *projected, *left;
  const calve_residual *residual;
  calve_value tuple = random_value(CALVE_LONG);
  calve_transform t = spec->fields[0].transform;
  const calve_value source = tuple;
  assert_ok(calve_transform_apply(&t, calve_type_of(CALVE_LONG), &source, &tuple, &err), &err);
  assert_ok(calve_project(c->plain, spec, schema, CALVE_INCLUSIVE, &arena, &plain, &err), &err);
  assert_ok(calve_project(&c->merged, spec, schema, CALVE_INCLUSIVE, &arena, &projected, &err),
            &err);
  assert_ok(calve_condense(projected, &arena, &projected, &err), &err);
  if (calve_tuple_might_match(plain, &tuple, 1, NULL) !=
      calve_tuple_might_match(projected, &tuple, 1, NULL))
    fail_msg("a tuple: %s", c->where);
  assert_ok(calve_residual_prepare(&c->merged, spec, schema, &arena, &residual, &err), &err);
  assert_ok(calve_residual_of(residual, &tuple, 1, &arena, &left, &err), &err);
  calve_bound rest = c->merged;
  rest.root = left;
  for (size_t i = 0; i < c->row_count; i++) {
    calve_value of_row;
    size_t slot = c->plain->columns[0].node->field->id == 1 ? 0 : 1;
    if (slot >= c->plain->column_count) return;
    assert_ok(
        calve_transform_apply(&t, calve_type_of(CALVE_LONG), &c->rows[i][slot], &of_row, &err),
        &err);
    if (of_row.is_null != tuple.is_null) continue;
    if (!tuple.is_null && !calve_value_equal(&of_row, &tuple)) continue;
    if (calve_row_matches(&rest, c->rows[i]) != calve_row_matches(c->plain, c->rows[i]))
      fail_msg("a residual: %s", c->where);
  }
}

static void test_condensing_changes_no_answer(void **state) {
  (void)state;
  static const char *const transforms[] = {"identity", "bucket[4]", "truncate[10]", "bucket[2]"};
  for (int round = 0; round < 4000; round++) {
    seed = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(round + 1);
    calve_arena_reset(&arena);
    const calve_schema *schema = all_columns();
    condense_case c = {.where = random_where()};
    c.plain = bind(schema, c.where);
    c.merged = *c.plain;
    c.merged.root = condensed(c.plain);
    for (int files = 0; files < 8; files++) {
      c.row_count = 1 + (size_t)below(4);
      int64_t spread = 1 + below(60); /* files of few values are the ones that are skipped       */
      calve_value middle[2];
      for (size_t slot = 0; slot < 2; slot++) middle[slot] = random_value(CALVE_LONG);
      for (size_t i = 0; i < c.row_count; i++) {
        for (size_t slot = 0; slot < c.plain->column_count; slot++) {
          calve_value *v = &c.rows[i][slot];
          *v = random_value(type_of_slot(&c, slot));
          if (v->is_null || middle[slot].is_null) continue;
          if (v->type == CALVE_LONG) v->i64 = middle[slot].i64 + v->i64 % spread;
        }
      }
      check_rows_and_files(&c);
      check_tuple(&c, schema, partition_by(transforms[below(4)]));
    }
  }
}

/* ---- memory that runs out -------------------------------------------------------------------- */

static void test_every_failed_allocation_is_reported(void **state) {
  (void)state;
  const calve_bound *bound =
      bind(all_columns(),
           "(c = 1 OR c = 2 OR c = 3 OR c = 4 OR c = 5 OR c = 6 OR c = 7 OR c = 8 OR k < 1 OR k > 9"
           " OR k BETWEEN 4 AND 5 OR k = 6 OR k BETWEEN 5 AND 7 OR k > 20 OR k > 30 OR k > 40)"
           " AND s IS NOT NULL AND s IS NOT NULL");
  long needed = 0;
  for (;; needed++) {
    failing_allocator mem;
    calve_arena own;
    calve_error error = {0};
    const calve_predicate *out = NULL;
    failing_allocator_init(&mem, needed);
    calve_arena_init(&own, &mem.allocator);
    calve_status status = calve_condense(bound->root, &own, &out, &error);
    calve_arena_free(&own);
    assert_int_equal(mem.live_bytes, 0);
    if (status == CALVE_OK) break;
    assert_int_equal(status, CALVE_ENOMEM);
    assert_true(out == NULL && needed < 100);
  }
  assert_true(needed > 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_long_conditions_are_condensed),
      TEST(test_condensing_changes_no_answer),
      TEST(test_every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
