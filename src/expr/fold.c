/* SPDX-License-Identifier: Apache-2.0 */
/* The leaves of an AND are taken as what is known about the rows that meet all of it, column by
 * column; then the judge of files is asked whether any row like that can meet the AND. An OR always
 * holds when no value of some column can fail all its leaves. */
#include "expr/fold.h"

#include "expr/judge.h"
#include "expr/leaves.h"
#include "expr/unit_range.h"

typedef struct folder {
  const calve_bound *bound;
  calve_expr_range *ranges; /* scratch, one a column                                            */
  calve_arena *arena;
  bool changed;
} folder;

static bool is_float(calve_type_id id) {
  return id == CALVE_FLOAT || id == CALVE_DOUBLE;
}

/* Engines differ on the order of UUIDs; of a list's elements nothing is known. */
static bool has_one_order(const calve_term *term) {
  return term->source_type->id != CALVE_UUID;
}

/* ---- what leaves say of their columns -------------------------------------------------------- */

static double number_of(const calve_value *v) {
  return v->type == CALVE_FLOAT ? (double)v->f32 : v->f64;
}

static void raise_lower(calve_expr_range *r, const calve_value *v) {
  if (!r->has_lower || calve_value_compare(v, &r->lower) > 0) r->lower = *v;
  r->has_lower = true;
}

static void reduce_upper(calve_expr_range *r, const calve_value *v) {
  if (!r->has_upper || calve_value_compare(v, &r->upper) < 0) r->upper = *v;
  r->has_upper = true;
}

/* Bounds from a comparison of the column itself. */
static void take_comparison(calve_predicate_op op, const calve_predicate *leaf,
                            const calve_value *first, const calve_value *last,
                            calve_expr_range *r) {
  calve_value next;
  switch (op) {
    case CALVE_OP_LT:
      reduce_upper(r, calve_expr__neighbour(first, -1, &next) ? &next : first);
      break;
    case CALVE_OP_LT_EQ:
      reduce_upper(r, first);
      break;
    case CALVE_OP_GT:
      raise_lower(r, calve_expr__neighbour(first, 1, &next) ? &next : first);
      break;
    case CALVE_OP_GT_EQ:
      raise_lower(r, first);
      break;
    case CALVE_OP_EQ:
    case CALVE_OP_IN:
      raise_lower(r, first);
      reduce_upper(r, last);
      break;
    case CALVE_OP_STARTS_WITH:
      if (leaf->term.source_type->id == CALVE_STRING) raise_lower(r, first);
      break;
    default:
      break;
  }
}

/* Bounds from a comparison of its year, month, day or hour. */
static void take_unit(const calve_predicate *leaf, calve_expr_range *r) {
  const calve_type *source = leaf->term.source_type;
  calve_transform_kind unit = leaf->term.transform.kind;
  calve_predicate_op op = leaf->op;
  bool equal = op == CALVE_OP_EQ || op == CALVE_OP_IN;
  bool below = equal || op == CALVE_OP_LT || op == CALVE_OP_LT_EQ;
  bool above = equal || op == CALVE_OP_GT || op == CALVE_OP_GT_EQ;
  int32_t first = leaf->literals[0].i32, last = leaf->literals[leaf->count - 1].i32;
  calve_value start;
  if (above && calve_expr__unit_start(unit, first, op == CALVE_OP_GT, source, &start))
    raise_lower(r, &start);
  if (below && calve_expr__unit_start(unit, last, op != CALVE_OP_LT, source, &start) &&
      calve_expr__neighbour(&start, -1, &start))
    reduce_upper(r, &start);
}

/* The rows that meet the leaf, or those that fail it. A null fails a comparison and its opposite.
 */
static void take_leaf(const calve_predicate *leaf, bool fails, calve_expr_range *r) {
  calve_predicate_op op = fails ? calve_predicate_opposite(leaf->op) : leaf->op;
  r->may_null = r->may_null && calve_expr__null_might(leaf->op) != fails;
  if (op == CALVE_OP_IS_NULL || op == CALVE_OP_IS_NAN) r->may_value = false;
  if (!leaf->term.has_transform) r->may_nan = r->may_nan && calve_expr__nan_might(op);
  if (leaf->count == 0 || leaf->rounded || !has_one_order(&leaf->term)) return;
  if (!leaf->term.has_transform)
    take_comparison(op, leaf, &leaf->literals[0], &leaf->literals[leaf->count - 1], r);
  else if (op == leaf->op && calve_expr__is_unit(&leaf->term))
    take_unit(leaf, r);
}

/* Bounds that exclude each other leave no value. -0.0 and 0.0 don't. */
static void close_range(calve_expr_range *r) {
  if (!r->has_lower || !r->has_upper || calve_value_compare(&r->lower, &r->upper) <= 0) return;
  if (is_float(r->lower.type) && number_of(&r->lower) == number_of(&r->upper)) return;
  r->may_value = false;
  r->has_lower = false;
  r->has_upper = false;
}

/* Fills the ranges from the leaves of a junction: of the rows that meet all, or that fail all. */
static void gather(folder *f, const calve_predicate *p, bool fails) {
  for (size_t i = 0; i < f->bound->column_count; i++) {
    const calve_schema_node *node = f->bound->columns[i].node;
    calve_expr__range_unknown(node->field->type, &f->ranges[i]);
    if (!node->can_be_missing && !node->inside_repeated) f->ranges[i].may_null = false;
  }
  for (size_t i = 0; i < p->count; i++) {
    const calve_predicate *leaf = p->children[i];
    if (!calve_predicate_is_leaf(leaf) || leaf->term.node->inside_repeated) continue;
    take_leaf(leaf, fails, &f->ranges[leaf->term.slot]);
  }
  for (size_t i = 0; i < f->bound->column_count; i++) close_range(&f->ranges[i]);
}

/* ---- the tree ------------------------------------------------------------------------------- */

static bool speaks_of_repeated(const calve_predicate *p) {
  if (calve_predicate_is_leaf(p)) return p->term.node->inside_repeated;
  for (size_t i = 0; i < p->count && (p->op == CALVE_OP_AND || p->op == CALVE_OP_OR); i++)
    if (speaks_of_repeated(p->children[i])) return true;
  return false;
}

static bool contradicts_itself(folder *f, const calve_predicate *p) {
  if (p->op != CALVE_OP_AND || speaks_of_repeated(p)) return false;
  gather(f, p, false);
  return !calve_expr__might_tree(p, f->ranges);
}

/* NaN meets neither a comparison nor its opposite, in some engines; a rounded literal may be on
 * either side. */
static bool has_exact_opposite(const calve_predicate *leaf) {
  return !is_float(leaf->term.source_type->id) && !leaf->rounded && has_one_order(&leaf->term) &&
         !leaf->term.node->inside_repeated;
}

static bool always_holds(folder *f, const calve_predicate *p) {
  if (p->op != CALVE_OP_OR) return false;
  for (size_t i = 0; i < p->count; i++)
    if (!calve_predicate_is_leaf(p->children[i]) || !has_exact_opposite(p->children[i]))
      return false;
  gather(f, p, true);
  for (size_t i = 0; i < p->count; i++) {
    calve_predicate opposite = *p->children[i];
    opposite.op = calve_predicate_opposite(opposite.op);
    if (f->ranges[opposite.term.slot].may_null) continue;
    if (!calve_expr__might_tree(&opposite, f->ranges)) return true;
  }
  return false;
}

static calve_status fold(folder *f, const calve_predicate *p, const calve_predicate **out,
                         calve_error *err) {
  *out = p;
  if (p->op != CALVE_OP_AND && p->op != CALVE_OP_OR) return CALVE_OK;
  if (contradicts_itself(f, p) || always_holds(f, p)) {
    *out = p->op == CALVE_OP_AND ? &calve_predicate_false : &calve_predicate_true;
    f->changed = true;
    return CALVE_OK;
  }
  const calve_predicate **children =
      (const calve_predicate **)calve_arena_array(f->arena, p->count, sizeof *children);
  if (!children) return calve_fail_oom(err);
  bool same = true;
  for (size_t i = 0; i < p->count; i++) {
    CALVE_TRY(fold(f, p->children[i], &children[i], err));
    same = same && children[i] == p->children[i];
  }
  if (same) return CALVE_OK;
  return p->op == CALVE_OP_AND ? calve_predicate_and(children, p->count, f->arena, out, err)
                               : calve_predicate_or(children, p->count, f->arena, out, err);
}

calve_status calve_fold(const calve_bound *bound, calve_arena *arena, const calve_bound **out,
                        calve_error *err) {
  folder f = {.bound = bound, .arena = arena};
  const calve_predicate *root;
  *out = bound;
  if (bound->root->op != CALVE_OP_AND && bound->root->op != CALVE_OP_OR) return CALVE_OK;
  f.ranges = CALVE_NEW_ARRAY(arena, calve_expr_range, bound->column_count);
  calve_bound *folded = CALVE_NEW(arena, calve_bound);
  if (!f.ranges || !folded) return calve_fail_oom(err);
  CALVE_TRY(fold(&f, bound->root, &root, err));
  if (!f.changed) return CALVE_OK;
  *folded = *bound;
  folded->root = root;
  *out = folded;
  return CALVE_OK;
}
