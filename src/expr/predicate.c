/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/predicate.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

const calve_predicate calve_predicate_true = {.op = CALVE_OP_TRUE};
const calve_predicate calve_predicate_false = {.op = CALVE_OP_FALSE};
const calve_predicate calve_predicate_sql_unknown = {.op = CALVE_OP_SQL_UNKNOWN};
const calve_predicate calve_predicate_sql_null = {.op = CALVE_OP_SQL_NULL};

bool calve_predicate_is_leaf(const calve_predicate *p) {
  return p->op >= CALVE_OP_IS_NULL && p->op <= CALVE_OP_NOT_IN;
}

calve_predicate_op calve_predicate_opposite(calve_predicate_op op) {
  static const uint8_t opposite[] = {
      [CALVE_OP_TRUE] = CALVE_OP_FALSE,
      [CALVE_OP_FALSE] = CALVE_OP_TRUE,
      [CALVE_OP_AND] = CALVE_OP_OR,
      [CALVE_OP_OR] = CALVE_OP_AND,
      [CALVE_OP_NOT] = CALVE_OP_NOT,
      [CALVE_OP_IS_NULL] = CALVE_OP_NOT_NULL,
      [CALVE_OP_NOT_NULL] = CALVE_OP_IS_NULL,
      [CALVE_OP_IS_NAN] = CALVE_OP_NOT_NAN,
      [CALVE_OP_NOT_NAN] = CALVE_OP_IS_NAN,
      [CALVE_OP_LT] = CALVE_OP_GT_EQ,
      [CALVE_OP_LT_EQ] = CALVE_OP_GT,
      [CALVE_OP_GT] = CALVE_OP_LT_EQ,
      [CALVE_OP_GT_EQ] = CALVE_OP_LT,
      [CALVE_OP_EQ] = CALVE_OP_NOT_EQ,
      [CALVE_OP_NOT_EQ] = CALVE_OP_EQ,
      [CALVE_OP_STARTS_WITH] = CALVE_OP_NOT_STARTS_WITH,
      [CALVE_OP_NOT_STARTS_WITH] = CALVE_OP_STARTS_WITH,
      [CALVE_OP_IN] = CALVE_OP_NOT_IN,
      [CALVE_OP_NOT_IN] = CALVE_OP_IN,
      [CALVE_OP_SQL_UNKNOWN] = CALVE_OP_SQL_UNKNOWN,
      [CALVE_OP_SQL_NULL] = CALVE_OP_SQL_NULL,
  };
  return (calve_predicate_op)opposite[op];
}

/* ---- makers -----------------------------------------------------------------------------------
 */

/* AND and OR: `zero` decides alone, `one` says nothing. */
static calve_status junction(calve_predicate_op op, const calve_predicate *const *children,
                             size_t count, calve_arena *arena, const calve_predicate **out,
                             calve_error *err) {
  calve_predicate_op zero = op == CALVE_OP_AND ? CALVE_OP_FALSE : CALVE_OP_TRUE;
  calve_predicate_op one = calve_predicate_opposite(zero);
  size_t kept = 0;
  const calve_predicate *last = NULL;
  for (size_t i = 0; i < count; i++) {
    if (children[i]->op == zero) {
      *out = zero == CALVE_OP_FALSE ? &calve_predicate_false : &calve_predicate_true;
      return CALVE_OK;
    }
    if (children[i]->op == one) continue;
    kept++;
    last = children[i];
  }
  if (kept < 2) {
    if (!last) last = one == CALVE_OP_TRUE ? &calve_predicate_true : &calve_predicate_false;
    *out = last;
    return CALVE_OK;
  }
  const calve_predicate **list =
      (const calve_predicate **)calve_arena_array(arena, kept, sizeof *list);
  calve_predicate *p = CALVE_NEW(arena, calve_predicate);
  if (!list || !p) return calve_fail_oom(err);
  kept = 0;
  for (size_t i = 0; i < count; i++)
    if (children[i]->op != one) list[kept++] = children[i];
  *p = (calve_predicate){.op = op, .count = kept, .children = list};
  *out = p;
  return CALVE_OK;
}

calve_status calve_predicate_and(const calve_predicate *const *children, size_t count,
                                 calve_arena *arena, const calve_predicate **out,
                                 calve_error *err) {
  return junction(CALVE_OP_AND, children, count, arena, out, err);
}

calve_status calve_predicate_or(const calve_predicate *const *children, size_t count,
                                calve_arena *arena, const calve_predicate **out, calve_error *err) {
  return junction(CALVE_OP_OR, children, count, arena, out, err);
}

calve_status calve_predicate_not(const calve_predicate *child, calve_arena *arena,
                                 const calve_predicate **out, calve_error *err) {
  switch (child->op) {
    case CALVE_OP_TRUE:
      *out = &calve_predicate_false;
      return CALVE_OK;
    case CALVE_OP_FALSE:
      *out = &calve_predicate_true;
      return CALVE_OK;
    case CALVE_OP_NOT:
      *out = child->children[0];
      return CALVE_OK;
    case CALVE_OP_SQL_UNKNOWN:
    case CALVE_OP_SQL_NULL:
      *out = child;
      return CALVE_OK;
    default:
      break;
  }
  const calve_predicate **list =
      (const calve_predicate **)calve_arena_array(arena, 1, sizeof *list);
  calve_predicate *p = CALVE_NEW(arena, calve_predicate);
  if (!list || !p) return calve_fail_oom(err);
  list[0] = child;
  *p = (calve_predicate){.op = CALVE_OP_NOT, .count = 1, .children = list};
  *out = p;
  return CALVE_OK;
}

calve_status calve_predicate_leaf(calve_predicate_op op, const calve_term *term,
                                  const calve_value *literals, size_t count, calve_arena *arena,
                                  const calve_predicate **out, calve_error *err) {
  bool set = op == CALVE_OP_IN || op == CALVE_OP_NOT_IN;
  size_t wanted = op <= CALVE_OP_NOT_NAN ? 0 : 1;
  if (op < CALVE_OP_IS_NULL || op > CALVE_OP_NOT_IN || (!set && count != wanted))
    return calve_fail(err, CALVE_EINVAL, NULL, "a predicate on \"%.*s\" has %zu literals",
                      CALVE_STR_ARG(term->name), count);
  for (size_t i = 0; i < count; i++) {
    if (!literals[i].is_null && !calve_value_is_nan(&literals[i])) continue;
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "\"%.*s\" is compared with %s: use \"is null\" or \"is NaN\"",
                      CALVE_STR_ARG(term->name), literals[i].is_null ? "null" : "NaN");
  }
  calve_value *copy = CALVE_NEW_ARRAY(arena, calve_value, count);
  calve_predicate *p = CALVE_NEW(arena, calve_predicate);
  if (!copy || !p) return calve_fail_oom(err);
  if (count) memcpy(copy, literals, count * sizeof *copy);
  *p = (calve_predicate){.op = op, .count = count, .literals = copy, .term = *term};
  *out = p;
  return CALVE_OK;
}

calve_term calve_term_column(calve_str name) {
  return (calve_term){.name = name};
}

calve_term calve_term_transform(calve_transform transform, calve_str name) {
  return (calve_term){.name = name, .has_transform = true, .transform = transform};
}

/* ---- rewriting --------------------------------------------------------------------------------
 */

typedef struct rewrite {
  calve_arena *arena;
  bool from_sql; /* leaves mean what SQL means                                                   */
  bool exact;
} rewrite;

/* In SQL these are unknown for null, in Iceberg they hold. */
static bool holds_for_null(calve_predicate_op op) {
  return op == CALVE_OP_NOT_EQ || op == CALVE_OP_NOT_IN || op == CALVE_OP_NOT_STARTS_WITH ||
         op == CALVE_OP_NOT_NAN;
}

static calve_status rewrite_leaf(rewrite *r, const calve_predicate *p, bool negate,
                                 const calve_predicate **out, calve_error *err) {
  if (!negate && !r->from_sql) {
    *out = p;
    return CALVE_OK;
  }
  calve_predicate *leaf = CALVE_NEW(r->arena, calve_predicate);
  if (!leaf) return calve_fail_oom(err);
  *leaf = *p;
  if (negate) leaf->op = calve_predicate_opposite(p->op);
  if (r->from_sql) leaf->sql = true;
  if (!r->from_sql || !holds_for_null(leaf->op)) {
    *out = leaf;
    return CALVE_OK;
  }
  const calve_predicate *both[2] = {leaf, NULL};
  CALVE_TRY(calve_predicate_leaf(CALVE_OP_NOT_NULL, &p->term, NULL, 0, r->arena, &both[1], err));
  return calve_predicate_and(both, 2, r->arena, out, err);
}

static calve_status push_not(rewrite *r, const calve_predicate *p, bool negate, int depth,
                             const calve_predicate **out, calve_error *err) {
  if (depth > CALVE_JSON_DEPTH_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "a predicate is nested deeper than %d",
                      CALVE_JSON_DEPTH_MAX);
  switch (p->op) {
    case CALVE_OP_TRUE:
    case CALVE_OP_FALSE:
      *out = (p->op == CALVE_OP_TRUE) != negate ? &calve_predicate_true : &calve_predicate_false;
      return CALVE_OK;
    case CALVE_OP_SQL_UNKNOWN:
      r->exact = false;
      *out = &calve_predicate_true;
      return CALVE_OK;
    case CALVE_OP_SQL_NULL:
      *out = &calve_predicate_false;
      return CALVE_OK;
    case CALVE_OP_NOT:
      return push_not(r, p->children[0], !negate, depth + 1, out, err);
    case CALVE_OP_AND:
    case CALVE_OP_OR:
      break;
    default:
      return rewrite_leaf(r, p, negate, out, err);
  }
  const calve_predicate **list =
      (const calve_predicate **)calve_arena_array(r->arena, p->count, sizeof *list);
  if (!list) return calve_fail_oom(err);
  for (size_t i = 0; i < p->count; i++)
    CALVE_TRY(push_not(r, p->children[i], negate, depth + 1, &list[i], err));
  calve_predicate_op op = negate ? calve_predicate_opposite(p->op) : p->op;
  return junction(op, list, p->count, r->arena, out, err);
}

calve_status calve_predicate_rewrite_not(const calve_predicate *p, calve_arena *arena,
                                         const calve_predicate **out, calve_error *err) {
  rewrite r = {.arena = arena, .exact = true};
  return push_not(&r, p, false, 0, out, err);
}

calve_status calve_predicate_two_valued(const calve_predicate *sql, calve_arena *arena,
                                        const calve_predicate **out, bool *exact,
                                        calve_error *err) {
  rewrite r = {.arena = arena, .from_sql = true, .exact = true};
  CALVE_TRY(push_not(&r, sql, false, 0, out, err));
  if (exact) *exact = r.exact;
  return CALVE_OK;
}

/* ---- equality ---------------------------------------------------------------------------------
 */

static bool same_term(const calve_term *a, const calve_term *b) {
  return calve_str_equal(a->name, b->name) && a->has_transform == b->has_transform &&
         (!a->has_transform || calve_transform_equal(&a->transform, &b->transform)) &&
         a->field_id == b->field_id && !a->partition == !b->partition;
}

bool calve_predicate_equal(const calve_predicate *a, const calve_predicate *b) {
  if (a == b) return true;
  if (a->op != b->op || a->count != b->count || a->rounded != b->rounded) return false;
  if (!calve_predicate_is_leaf(a)) {
    for (size_t i = 0; i < a->count; i++)
      if (!calve_predicate_equal(a->children[i], b->children[i])) return false;
    return true;
  }
  if (!same_term(&a->term, &b->term)) return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->literals[i].type != b->literals[i].type ||
        !calve_value_equal(&a->literals[i], &b->literals[i]))
      return false;
  return true;
}
