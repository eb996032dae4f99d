/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/query_where.h"

#include "base/text.h"
#include "sql/where_parts.h"

/* What the predicate parser takes for a condition it knows nothing about. */
#define UNKNOWN "calve_unknown(1)"

static calve_status condition(calve_where__writer *w, const calve_json *node, calve_error *err);

/* ---- conditions --------------------------------------------------------------------------- */

/* Forgets what was written since `mark`, and says "unknown" instead. */
static void give_up(calve_where__writer *w, size_t mark) {
  w->out->size = mark;
  calve_buffer_puts(w->out, UNKNOWN);
}

/* term OP constant; `operator` stands between them. */
static calve_status compare(calve_where__writer *w, const calve_json *left, const char *operator,
                            const calve_json * right, calve_error *err) {
  size_t mark = w->out->size;
  calve_where__term term;
  bool done = calve_where__find_term(w, left, &term);
  if (done) {
    calve_where__write_term(w, &term);
    calve_buffer_printf(w->out, " %s ", operator);
    CALVE_TRY(calve_where__constant(w, right, &term.compared, &done, err));
  }
  if (!done) give_up(w, mark);
  return CALVE_OK;
}

static const struct {
  const char *type, *operator, * flipped;
} comparisons[] = {
    {"COMPARE_EQUAL", "=", "="},
    {"COMPARE_NOTEQUAL", "<>", "<>"},
    {"COMPARE_LESSTHAN", "<", ">"},
    {"COMPARE_GREATERTHAN", ">", "<"},
    {"COMPARE_LESSTHANOREQUALTO", "<=", ">="},
    {"COMPARE_GREATERTHANOREQUALTO", ">=", "<="},
    {"COMPARE_DISTINCT_FROM", "IS DISTINCT FROM", "IS DISTINCT FROM"},
    {"COMPARE_NOT_DISTINCT_FROM", "IS NOT DISTINCT FROM", "IS NOT DISTINCT FROM"},
};

static calve_status comparison(calve_where__writer *w, const calve_json *node, calve_error *err) {
  const calve_json *left = calve_json_get(node, "left"), *right = calve_json_get(node, "right");
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
    if (!calve_where__type_is(node, comparisons[i].type)) continue;
    return calve_where_has_column(left) ? compare(w, left, comparisons[i].operator, right, err)
                                            : compare(w, right, comparisons[i].flipped, left, err);
  }
  give_up(w, w->out->size);
  return CALVE_OK;
}

/* Strings and other constants side by side: the engine casts all of them to their common type, and
 * not each to the column's. */
static bool mixes_strings(const calve_json *const *constants, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (calve_where_is_string(constants[i]) != calve_where_is_string(constants[0])) return true;
  return false;
}

/* FLOAT beside BIGINT: then all of them are compared as FLOAT, the whole numbers of the column too.
 */
static bool mixes_reals(const calve_folded *items, size_t count, const calve_field *column) {
  bool real = false, mixed = false;
  const calve_folded *first = NULL;
  if (column->type->id == CALVE_FLOAT || column->type->id == CALVE_DOUBLE) return false;
  for (size_t i = 0; i < count; i++) {
    calve_str type = items[i].type;
    if (!items[i].value.data) continue;
    if (!first) first = &items[i];
    real |= calve_str_equal_text(type, "FLOAT") || calve_str_equal_text(type, "DOUBLE");
    mixed |= !calve_str_equal(type, first->type);
  }
  return real && mixed;
}

static calve_status between(calve_where__writer *w, const calve_json *node, calve_error *err) {
  const calve_json *bounds[] = {calve_json_get(node, "lower"), calve_json_get(node, "upper")};
  calve_where__term term;
  calve_folded items[2];
  bool known = !mixes_strings(bounds, 2) && !calve_where_has_column(bounds[0]) &&
               !calve_where_has_column(bounds[1]) &&
               calve_where__find_term(w, calve_json_get(node, "input"), &term);
  if (known) {
    for (size_t i = 0; i < 2; i++) items[i] = calve_where__folded_of(bounds[i], &term.compared);
    CALVE_TRY(w->options->fold(w->options->fold_ctx, items, 2, w->arena, err));
  }
  if (!known || mixes_reals(items, 2, &term.compared)) {
    give_up(w, w->out->size);
    return CALVE_OK;
  }
  calve_buffer_putc(w->out, '(');
  for (size_t i = 0; i < 2; i++) {
    size_t mark = w->out->size;
    bool done;
    calve_where__write_term(w, &term);
    calve_buffer_puts(w->out, i == 0 ? " >= " : " <= ");
    calve_where__write_folded(w, &items[i], &term.compared, &done);
    if (!done) give_up(w, mark);
    if (i == 0) calve_buffer_puts(w->out, " AND ");
  }
  calve_buffer_putc(w->out, ')');
  return CALVE_OK;
}

/* The list's items, children of `node` from `first` on, evaluated at once; *out NULL when some are
 * no constants, or of two kinds. */
static calve_status fold_list(calve_where__writer *w, const calve_json *node, size_t first,
                              const calve_field *column, calve_folded **out, calve_error *err) {
  size_t count = calve_where__child_count(node) - first;
  *out = NULL;
  for (size_t i = 0; i < count; i++) {
    const calve_json *pair[] = {calve_where__child(node, first),
                                calve_where__child(node, i + first)};
    if (calve_where_has_column(pair[1]) || mixes_strings(pair, 2)) return CALVE_OK;
  }
  calve_folded *items = CALVE_NEW_ARRAY(w->arena, calve_folded, count);
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++)
    items[i] = calve_where__folded_of(calve_where__child(node, i + first), column);
  CALVE_TRY(w->options->fold(w->options->fold_ctx, items, count, w->arena, err));
  if (!mixes_reals(items, count, column)) *out = items;
  return CALVE_OK;
}

/* `operator` and the items from `first` on; with nulls only where `nulls` says so. */
static calve_status write_list(calve_where__writer *w, const calve_json *node, size_t first,
                               const calve_field *compared, const char *operator, bool nulls,
                               bool *done, calve_error *err) {
  calve_folded *items = NULL;
  size_t count = calve_where__child_count(node);
  CALVE_TRY(fold_list(w, node, first, compared, &items, err));
  calve_buffer_puts(w->out, operator);
  *done = items != NULL;
  for (size_t i = 0; i + first < count && *done; i++) {
    if (i > 0) calve_buffer_puts(w->out, ", ");
    calve_where__write_folded(w, &items[i], compared, done);
    *done = *done && (nulls || items[i].value.data);
  }
  calve_buffer_putc(w->out, ')');
  return CALVE_OK;
}

static calve_status in_list(calve_where__writer *w, const calve_json *node, bool negated,
                            calve_error *err) {
  size_t mark = w->out->size;
  calve_where__term term;
  bool done = calve_where__child_count(node) > 1 &&
              calve_where__find_term(w, calve_where__child(node, 0), &term);
  if (done) {
    calve_where__write_term(w, &term);
    CALVE_TRY(
        write_list(w, node, 1, &term.compared, negated ? " NOT IN (" : " IN (", true, &done, err));
  }
  if (!done) give_up(w, mark);
  return CALVE_OK;
}

/* c IN [1, 2], which is contains([1, 2], c). A null in the list, or as the column, gives no null
 * here: what is said must not be turned round by a NOT, hence "AND unknown". */
static calve_status in_list_value(calve_where__writer *w, const calve_json *list,
                                  const calve_json *item, calve_error *err) {
  size_t mark = w->out->size;
  calve_where__term term;
  bool done = calve_where__child_count(list) > 0 && calve_where__find_term(w, item, &term);
  if (done) {
    calve_buffer_putc(w->out, '(');
    calve_where__write_term(w, &term);
    CALVE_TRY(write_list(w, list, 0, &term.compared, " IN (", false, &done, err));
    calve_buffer_puts(w->out, " AND " UNKNOWN ")");
  }
  if (!done) give_up(w, mark);
  return CALVE_OK;
}

static calve_status null_test(calve_where__writer *w, const calve_json *node, bool negated) {
  const calve_field *column = calve_where__resolve(w, calve_where__child(node, 0));
  if (!column) {
    give_up(w, w->out->size);
    return CALVE_OK;
  }
  calve_where__write_column(w, column);
  calve_buffer_puts(w->out, negated ? " IS NOT NULL" : " IS NULL");
  return CALVE_OK;
}

/* ---- strings and their beginnings ----------------------------------------------------------- */

/* starts_with(c, 'abc') and its kin. */
static calve_status prefix(calve_where__writer *w, const calve_json *node,
                           const calve_field *column, calve_error *err) {
  size_t mark = w->out->size;
  bool done;
  calve_buffer_puts(w->out, "starts_with(");
  calve_where__write_column(w, column);
  calve_buffer_puts(w->out, ", ");
  CALVE_TRY(calve_where__constant(w, calve_where__child(node, 1), column, &done, err));
  calve_buffer_putc(w->out, ')');
  if (!done) give_up(w, mark);
  return CALVE_OK;
}

/* c LIKE 'a$_b%' ESCAPE '$' */
static calve_status like_escape(calve_where__writer *w, const calve_json *node,
                                const calve_field *column, const char *operator,
                                calve_error * err) {
  size_t mark = w->out->size;
  bool done;
  calve_where__write_column(w, column);
  calve_buffer_printf(w->out, " %s ", operator);
  CALVE_TRY(calve_where__constant(w, calve_where__child(node, 1), column, &done, err));
  calve_buffer_puts(w->out, " ESCAPE ");
  if (done) CALVE_TRY(calve_where__constant(w, calve_where__child(node, 2), column, &done, err));
  if (!done) give_up(w, mark);
  return CALVE_OK;
}

static bool is_one_of(const calve_json *node, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (calve_where__function_is(node, names[i])) return true;
  return false;
}

static calve_status string_function(calve_where__writer *w, const calve_json *node,
                                    const calve_field *column, calve_error *err) {
  static const char *const prefixes[] = {"starts_with", "prefix", "^@"};
  if (calve_where__function_is(node, "~~") || calve_where__function_is(node, "!~~"))
    return compare(w, calve_where__child(node, 0),
                   calve_where__function_is(node, "~~") ? "LIKE" : "NOT LIKE",
                   calve_where__child(node, 1), err);
  if (calve_where__function_is(node, "like_escape"))
    return like_escape(w, node, column, "LIKE", err);
  if (calve_where__function_is(node, "not_like_escape"))
    return like_escape(w, node, column, "NOT LIKE", err);
  if (is_one_of(node, prefixes, sizeof prefixes / sizeof *prefixes))
    return prefix(w, node, column, err);
  give_up(w, w->out->size);
  return CALVE_OK;
}

/* ---- functions that are conditions ---------------------------------------------------------- */

static calve_status function(calve_where__writer *w, const calve_json *node, calve_error *err) {
  static const char *const lists[] = {"contains", "list_contains", "list_has", "array_contains",
                                      "array_has"};
  const calve_json *first = calve_where__child(node, 0);
  const calve_field *column = calve_where__resolve(w, first);
  if (!w->options->has_macros && column && column->type->id == CALVE_STRING)
    return string_function(w, node, column, err);
  if (!w->options->has_macros && calve_where__function_is(node, "isnan") && column) {
    calve_buffer_puts(w->out, "isnan(");
    calve_where__write_column(w, column);
    calve_buffer_putc(w->out, ')');
    return CALVE_OK;
  }
  if (!w->options->has_macros && is_one_of(node, lists, sizeof lists / sizeof *lists) &&
      calve_where__function_is(first, "list_value"))
    return in_list_value(w, first, calve_where__child(node, 1), err);
  give_up(w, w->out->size);
  return CALVE_OK;
}

static calve_status conjunction(calve_where__writer *w, const calve_json *node, const char *word,
                                calve_error *err) {
  calve_buffer_putc(w->out, '(');
  for (size_t i = 0; i < calve_where__child_count(node); i++) {
    if (i > 0) calve_buffer_printf(w->out, " %s ", word);
    CALVE_TRY(condition(w, calve_where__child(node, i), err));
  }
  calve_buffer_putc(w->out, ')');
  return CALVE_OK;
}

/* A constant condition: WHERE false, WHERE 1 = 0. */
static calve_status constant_condition(calve_where__writer *w, const calve_json *node,
                                       calve_error *err) {
  calve_field boolean = {.type = calve_type_of(CALVE_BOOLEAN)};
  size_t mark = w->out->size;
  bool done;
  CALVE_TRY(calve_where__constant(w, node, &boolean, &done, err));
  if (!done) give_up(w, mark);
  return CALVE_OK;
}

static calve_status condition(calve_where__writer *w, const calve_json *node, calve_error *err) {
  if (calve_where__type_is(node, "CONJUNCTION_AND")) return conjunction(w, node, "AND", err);
  if (calve_where__type_is(node, "CONJUNCTION_OR")) return conjunction(w, node, "OR", err);
  if (calve_where__type_is(node, "OPERATOR_NOT")) {
    calve_buffer_puts(w->out, "NOT (");
    CALVE_TRY(condition(w, calve_where__child(node, 0), err));
    calve_buffer_putc(w->out, ')');
    return CALVE_OK;
  }
  if (!calve_where_has_column(node)) return constant_condition(w, node, err);
  if (calve_where__class_is(node, "COMPARISON")) return comparison(w, node, err);
  if (calve_where__class_is(node, "BETWEEN") && calve_where__type_is(node, "COMPARE_BETWEEN"))
    return between(w, node, err);
  if (calve_where__type_is(node, "COMPARE_IN")) return in_list(w, node, false, err);
  if (calve_where__type_is(node, "COMPARE_NOT_IN")) return in_list(w, node, true, err);
  if (calve_where__type_is(node, "OPERATOR_IS_NULL")) return null_test(w, node, false);
  if (calve_where__type_is(node, "OPERATOR_IS_NOT_NULL")) return null_test(w, node, true);
  if (calve_where__class_is(node, "FUNCTION")) return function(w, node, err);
  const calve_field *column = calve_where__resolve(w, node);
  if (column && column->type->id == CALVE_BOOLEAN)
    calve_where__write_column(w, column);
  else
    give_up(w, w->out->size);
  return CALVE_OK;
}

calve_status calve_where_text(const calve_where_options *options, calve_arena *arena,
                              calve_buffer *out, calve_error *err) {
  calve_where__writer w = {options, arena, out};
  if (options->condition_count == 1) {
    CALVE_TRY(condition(&w, options->conditions[0], err));
    return calve_buffer_check(out, err);
  }
  calve_buffer_putc(out, '(');
  for (size_t i = 0; i < options->condition_count; i++) {
    if (i > 0) calve_buffer_puts(out, " AND ");
    CALVE_TRY(condition(&w, options->conditions[i], err));
  }
  calve_buffer_putc(out, ')');
  return calve_buffer_check(out, err);
}
