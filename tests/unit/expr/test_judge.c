/* SPDX-License-Identifier: Apache-2.0 */
/* The laws of pruning, on random rows, predicates and specs:
 *   a row matches                => its partition, its manifest and its file might match
 *   a partition or file must match => every row of it matches
 *   what a tuple leaves of a filter decides its rows as the filter does
 *   a filter that is printed as SQL, and read again, decides its rows as before
 * CALVE_TEST_SEED repeats one run; a failure prints it. */
#include "expr/judge.h"

#include <inttypes.h>
#include <math.h>

#include "expr_fixture.h"

#define ROUNDS   1500
#define ROWS_MAX 4

static const char *const types[] = {"boolean",   "int",           "long",         "float",
                                    "double",    "decimal(9, 2)", "date",         "time",
                                    "timestamp", "timestamptz",   "timestamp_ns", "timestamptz_ns",
                                    "string",    "uuid",          "fixed[3]",     "binary"};
static const char *const transforms[] = {"identity",    "bucket[4]",    "bucket[10]", "truncate[1]",
                                         "truncate[2]", "truncate[10]", "year",       "month",
                                         "day",         "hour",         "void",       "zorder"};

/* ---- random things -----------------------------------------------------------------------------
 */

typedef struct world {
  uint64_t state, seed;
  int round;
  const calve_type *type;
  const calve_schema *schema;
  const calve_spec *spec;
  const calve_transform *transform;
  const calve_bound *bound;
  calve_value rows[ROWS_MAX];
  size_t row_count;
} world;

static uint64_t next_random(world *w) {
  w->state ^= w->state << 13;
  w->state ^= w->state >> 7;
  w->state ^= w->state << 17;
  return w->state;
}

static size_t below(world *w, size_t n) {
  return (size_t)(next_random(w) % n);
}

static int64_t random_integer(world *w, int64_t min, int64_t max, int64_t unit) {
  int64_t near = (int64_t)below(w, 25) - 12;
  switch (below(w, 8)) {
    case 0:
      return min + (int64_t)below(w, 12);
    case 1:
      return max - (int64_t)below(w, 12);
    case 2:
      return near * unit - 1;
    case 3:
      return near * unit + (int64_t)below(w, 3);
    default:
      return near;
  }
}

static double random_double(world *w) {
  static const double some[] = {0.0, -0.0, 1.0, -1.0, 0.1, 1.5, 1e30, -1e30};
  switch (below(w, 12)) {
    case 0:
      return (double)NAN;
    case 1:
      return (double)INFINITY;
    case 2:
      return -(double)INFINITY;
    default:
      return some[below(w, ARRAY_COUNT(some))];
  }
}

static calve_str random_bytes(world *w, size_t size, bool text) {
  static const char *const letters[] = {"a", "b", "\u4e16", "\U0001F600", "\xef\xbd\x9e"};
  calve_buffer b;
  calve_str copy;
  calve_buffer_init(&b, NULL);
  for (size_t i = 0; i < size; i++) {
    if (text)
      calve_buffer_puts(&b, letters[below(w, ARRAY_COUNT(letters))]);
    else
      calve_buffer_putc(&b, (char)(unsigned char)(below(w, 3) * 0x7f));
  }
  calve_str view = b.size ? calve_buffer_view(&b) : (calve_str){"", 0};
  assert_ok(calve_arena_str(&arena, view, &copy, &err), &err);
  calve_buffer_free(&b);
  return copy;
}

static calve_value random_value(world *w) {
  const calve_type *t = w->type;
  calve_value v = {.type = t->id};
  switch (t->id) {
    case CALVE_BOOLEAN:
      v.b = below(w, 2) == 1;
      break;
    case CALVE_INT:
      v.i32 = (int32_t)random_integer(w, INT32_MIN, INT32_MAX, 10);
      break;
    case CALVE_DATE:
      v.i32 = (int32_t)random_integer(w, -100000, 100000, 31);
      break;
    case CALVE_FLOAT:
      v.f32 = (float)random_double(w);
      break;
    case CALVE_DOUBLE:
      v.f64 = random_double(w);
      break;
    case CALVE_DECIMAL:
      v.scale = 2;
      v.i128 = random_integer(w, -999999999, 999999999, 10);
      break;
    case CALVE_TIME:
      v.i64 = (int64_t)below(w, 20) * 1000003;
      break;
    case CALVE_LONG:
      v.i64 = random_integer(w, INT64_MIN, INT64_MAX, 10);
      break;
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
      v.i64 = random_integer(w, INT64_MIN, INT64_MAX, INT64_C(3600000000) * 24 * 10);
      break;
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      v.i64 = random_integer(w, INT64_MIN, INT64_MAX, INT64_C(3600000000000) * 24 * 10);
      break;
    case CALVE_UUID:
      memset(v.uuid, 0, sizeof v.uuid);
      v.uuid[0] = (uint8_t)(below(w, 3) * 0x7f);
      v.uuid[15] = (uint8_t)below(w, 3);
      break;
    case CALVE_FIXED:
      v.bytes = random_bytes(w, 3, false);
      break;
    default:
      v.bytes = random_bytes(w, below(w, 4), t->id == CALVE_STRING);
  }
  return v;
}

static calve_value random_literal(world *w) {
  for (;;) {
    calve_value v = random_value(w);
    if (!calve_value_is_nan(&v)) return v;
  }
}

static const calve_predicate *random_leaf(world *w) {
  const calve_predicate *leaf;
  calve_term term = calve_term_column(CALVE_STR("c"));
  calve_value literals[5];
  bool floats = w->type->id == CALVE_FLOAT || w->type->id == CALVE_DOUBLE;
  calve_predicate_op op;
  do op = (calve_predicate_op)(CALVE_OP_IS_NULL + below(w, 14));
  while ((!floats && (op == CALVE_OP_IS_NAN || op == CALVE_OP_NOT_NAN)) ||
         (w->type->id != CALVE_STRING &&
          (op == CALVE_OP_STARTS_WITH || op == CALVE_OP_NOT_STARTS_WITH)));
  size_t count = op <= CALVE_OP_NOT_NAN ? 0 : 1;
  if (op == CALVE_OP_IN || op == CALVE_OP_NOT_IN) count = below(w, 5);
  for (size_t i = 0; i < count; i++) literals[i] = random_literal(w);
  /* now and then on a transform of the column, with a value that the transform can give */
  bool wanted = op != CALVE_OP_IS_NAN && op != CALVE_OP_NOT_NAN && below(w, 4) == 0;
  calve_transform t = *w->transform;
  if (below(w, 2) == 0)
    assert_ok(calve_transform_parse(calve_str_of(transforms[below(w, 10)]), &arena, &t, &err),
              &err);
  bool plain = t.kind == CALVE_TRANSFORM_UNKNOWN || t.kind == CALVE_VOID;
  if (wanted && !plain && calve_transform_accepts(&t, w->type)) {
    bool fits = true;
    calve_value of[5];
    for (size_t i = 0; i < count; i++)
      fits = fits && calve_transform_apply(&t, w->type, &literals[i], &of[i], NULL) == CALVE_OK;
    bool prefix = op == CALVE_OP_STARTS_WITH || op == CALVE_OP_NOT_STARTS_WITH;
    if (fits && !(prefix && t.kind == CALVE_BUCKET)) {
      term = calve_term_transform(t, term.name);
      memcpy(literals, of, count * sizeof *of);
    }
  }
  assert_ok(calve_predicate_leaf(op, &term, literals, count, &arena, &leaf, &err), &err);
  return leaf;
}

static const calve_predicate *random_predicate(world *w, int depth) {
  const calve_predicate *children[3], *out;
  size_t kind = depth > 2 ? 0 : below(w, 6);
  size_t count = 2 + below(w, 2);
  if (kind < 3) return random_leaf(w);
  for (size_t i = 0; i < count; i++) children[i] = random_predicate(w, depth + 1);
  calve_status status = kind == 3   ? calve_predicate_and(children, count, &arena, &out, &err)
                        : kind == 4 ? calve_predicate_or(children, count, &arena, &out, &err)
                                    : calve_predicate_not(children[0], &arena, &out, &err);
  assert_ok(status, &err);
  return out;
}

/* ---- the laws
 * ------------------------------------------------------------------------------------ */

static void broken(world *w, const char *law) {
  calve_buffer text;
  calve_buffer_init(&text, NULL);
  for (size_t i = 0; i < w->row_count; i++) {
    calve_buffer_puts(&text, i ? ", " : "");
    calve_value_print(&w->rows[i], &text);
  }
  calve_buffer_puts(&text, " by ");
  calve_transform_print(w->transform, &text);
  calve_buffer_puts(&text, ": ");
  calve_predicate_print(w->bound->root, &text);
  fail_msg("CALVE_TEST_SEED=%" PRIu64 " round %d, %s, rows %s", w->seed, w->round, law,
           calve_buffer_cstr(&text));
}

static bool row_matches(world *w, size_t i) {
  return calve_row_matches(w->bound, &w->rows[i]);
}

static void check_residual(world *w, size_t row, const calve_value *tuple) {
  const calve_residual *prepared;
  const calve_predicate *left;
  assert_ok(calve_residual_prepare(w->bound, w->spec, w->schema, &arena, &prepared, &err), &err);
  assert_ok(calve_residual_of(prepared, tuple, 1, &arena, &left, &err), &err);
  calve_bound rest = *w->bound;
  rest.root = left;
  if (calve_row_matches(&rest, &w->rows[row]) != row_matches(w, row))
    broken(w, "the residual decides a row otherwise than the filter");
}

/* Partition values as a writer makes them: now and then as old ones did before 1970. */
static bool tuple_of(world *w, size_t row, calve_value *out) {
  if (w->transform->kind == CALVE_TRANSFORM_UNKNOWN) {
    *out = calve_value_null(CALVE_STRING);
    return true;
  }
  if (calve_transform_apply(w->transform, w->type, &w->rows[row], out, NULL) != CALVE_OK)
    return false;
  bool time = w->transform->kind >= CALVE_YEAR && w->transform->kind <= CALVE_HOUR;
  bool exact = w->transform->kind == CALVE_DAY && w->type->id == CALVE_DATE;
  if (time && !exact && !out->is_null && out->i32 < 0 && below(w, 4) == 0) out->i32++;
  return true;
}

static void check_partition(world *w) {
  const calve_predicate *inclusive, *strict;
  assert_ok(calve_project(w->bound, w->spec, w->schema, CALVE_INCLUSIVE, &arena, &inclusive, &err),
            &err);
  assert_ok(calve_project(w->bound, w->spec, w->schema, CALVE_STRICT, &arena, &strict, &err), &err);
  for (size_t i = 0; i < w->row_count; i++) {
    calve_value tuple;
    if (!tuple_of(w, i, &tuple)) continue;
    if (row_matches(w, i) && !calve_tuple_might_match(inclusive, &tuple, 1, NULL))
      broken(w, "a row is lost with its partition");
    if (!row_matches(w, i) && calve_tuple_must_match(strict, &tuple, 1))
      broken(w, "a partition that must match holds a row that does not");
    check_residual(w, i, &tuple);
  }
}

static calve_str bytes_of(const calve_value *v) {
  calve_buffer b;
  calve_str copy;
  calve_buffer_init(&b, NULL);
  calve_value_to_bytes(v, &b);
  calve_str view = b.size ? calve_buffer_view(&b) : (calve_str){"", 0};
  assert_ok(calve_arena_str(&arena, view, &copy, &err), &err);
  calve_buffer_free(&b);
  return copy;
}

/* Smallest and greatest of values that are neither null nor NaN; data NULL when there is none. */
static void bounds_of(const calve_value *values, size_t count, calve_str *lower, calve_str *upper) {
  const calve_value *least = NULL, *greatest = NULL;
  for (size_t i = 0; i < count; i++) {
    if (values[i].is_null || calve_value_is_nan(&values[i])) continue;
    if (!least || calve_value_compare(&values[i], least) < 0) least = &values[i];
    if (!greatest || calve_value_compare(&values[i], greatest) > 0) greatest = &values[i];
  }
  *lower = least ? bytes_of(least) : (calve_str){NULL, 0};
  *upper = greatest ? bytes_of(greatest) : (calve_str){NULL, 0};
}

static void check_manifest(world *w) {
  const calve_predicate *inclusive;
  calve_value tuples[ROWS_MAX];
  calve_field_summary s = {.contains_nan = 0};
  if (w->transform->kind == CALVE_TRANSFORM_UNKNOWN) return;
  for (size_t i = 0; i < w->row_count; i++) {
    if (calve_transform_apply(w->transform, w->type, &w->rows[i], &tuples[i], NULL) != CALVE_OK)
      return;
    if (tuples[i].is_null) s.contains_null = true;
    if (calve_value_is_nan(&tuples[i])) s.contains_nan = 1;
  }
  bounds_of(tuples, w->row_count, &s.lower, &s.upper);
  if (below(w, 6) == 0) s.contains_nan = -1;
  assert_ok(calve_project(w->bound, w->spec, w->schema, CALVE_INCLUSIVE, &arena, &inclusive, &err),
            &err);
  bool kept = calve_manifest_might_match(inclusive, &s, 1, NULL);
  for (size_t i = 0; i < w->row_count; i++)
    if (row_matches(w, i) && !kept) broken(w, "a row is lost with its manifest");
}

static void check_file(world *w) {
  calve_column_metrics m = {(int64_t)w->row_count, 0, 0, {NULL, 0}, {NULL, 0}};
  for (size_t i = 0; i < w->row_count; i++) {
    if (w->rows[i].is_null) m.null_count++;
    if (calve_value_is_nan(&w->rows[i])) m.nan_count++;
  }
  bounds_of(w->rows, w->row_count, &m.lower, &m.upper);
  if (below(w, 8) == 0) m.value_count = -1;
  if (below(w, 8) == 0) m.null_count = -1;
  if (below(w, 8) == 0) m.nan_count = -1;
  if (below(w, 8) == 0) m.lower.data = NULL;
  if (below(w, 8) == 0) m.upper.data = NULL;
  /* of a wrong length, or a prefix; a decimal would become another one */
  if (below(w, 16) == 0 && m.lower.size > 0 && w->type->id != CALVE_DECIMAL) m.lower.size--;
  int64_t records = below(w, 16) == 0 ? -1 : (int64_t)w->row_count;
  bool might = calve_metrics_might_match(w->bound, records, &m, NULL);
  bool must = calve_metrics_must_match(w->bound, records, &m);
  for (size_t i = 0; i < w->row_count; i++) {
    if (row_matches(w, i) && !might) broken(w, "a row is lost with its file");
    if (!row_matches(w, i) && must) broken(w, "a file that must match holds a row that does not");
  }
}

static void check_text(world *w) {
  calve_buffer text;
  const calve_predicate *p;
  const calve_bound *again = w->bound;
  bool exact;
  calve_buffer_init(&text, NULL);
  calve_predicate_print_sql(w->bound->root, &text);
  calve_str copy;
  assert_ok(calve_arena_str(&arena, calve_buffer_view(&text), &copy, &err), &err);
  calve_buffer_free(&text);
  if (calve_predicate_parse(copy, &arena, &p, &exact, &err) != CALVE_OK ||
      calve_bind(p, w->schema, NULL, &arena, &again, &err) != CALVE_OK)
    fail_msg("%s\n  %s", copy.data, err.message);
  if (!exact) broken(w, "what is printed is not understood whole");
  for (size_t i = 0; i < w->row_count; i++)
    if (calve_row_matches(again, &w->rows[i]) != row_matches(w, i))
      broken(w, copy.data);
}

static void check_round(world *w) {
  const calve_predicate *p = random_predicate(w, 0);
  assert_ok(calve_bind(p, w->schema, NULL, &arena, &w->bound, &err), &err);
  w->row_count = 1 + below(w, ROWS_MAX);
  for (size_t i = 0; i < w->row_count; i++)
    w->rows[i] = below(w, 6) == 0 ? calve_value_null(w->type->id) : random_value(w);
  check_partition(w);
  check_manifest(w);
  check_file(w);
  check_text(w);
}

static uint64_t seed_of_run(void) {
  const char *text = getenv("CALVE_TEST_SEED");
  return text ? strtoull(text, NULL, 10) : 20130101;
}

static void test_laws_of_pruning(void **state) {
  (void)state;
  world w = {.seed = seed_of_run()};
  w.state = w.seed | 1;
  long checked = 0;
  for (size_t t = 0; t < ARRAY_COUNT(types); t++) {
    for (size_t f = 0; f < ARRAY_COUNT(transforms); f++) {
      calve_arena_init(&arena, NULL);
      w.schema = column_of(types[t]);
      w.type = w.schema->nodes[0].field->type;
      w.spec = partition_by(transforms[f]);
      w.transform = &w.spec->fields[0].transform;
      bool unknown = w.transform->kind == CALVE_TRANSFORM_UNKNOWN;
      bool usable = unknown || calve_transform_accepts(w.transform, w.type);
      for (w.round = 0; usable && w.round < ROUNDS; w.round++, checked++) check_round(&w);
      calve_arena_free(&arena);
    }
  }
  assert_true(checked > 100 * ROUNDS / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_laws_of_pruning)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
