/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/residual.h"

#include <string.h>

#include "expr/evaluate.h"
#include "expr/leaves.h"

/* Mirrors the filter's tree. */
typedef struct node {
  const calve_predicate *filter;
  const calve_predicate *strict;    /* leaves: when it must match, the leaf holds for all rows    */
  const calve_predicate *inclusive; /* leaves: when it can't match, the leaf holds for none       */
  const struct node *children;      /* filter->count of them                                      */
} node;

struct calve_residual {
  node root;
};

static calve_status prepare(const calve_predicate *p, const calve_spec *spec,
                            const calve_schema *schema, calve_arena *arena, node *out,
                            calve_error *err) {
  out->filter = p;
  if (calve_predicate_is_leaf(p)) {
    CALVE_TRY(calve_expr__project_leaf(p, spec, schema, CALVE_STRICT, arena, &out->strict, err));
    return calve_expr__project_leaf(p, spec, schema, CALVE_INCLUSIVE, arena, &out->inclusive, err);
  }
  if (p->op != CALVE_OP_AND && p->op != CALVE_OP_OR) return CALVE_OK;
  node *children = CALVE_NEW_ARRAY(arena, node, p->count);
  if (!children) return calve_fail_oom(err);
  out->children = children;
  for (size_t i = 0; i < p->count; i++)
    CALVE_TRY(prepare(p->children[i], spec, schema, arena, &children[i], err));
  return CALVE_OK;
}

calve_status calve_residual_prepare(const calve_bound *bound, const calve_spec *spec,
                                    const calve_schema *schema, calve_arena *arena,
                                    const calve_residual **out, calve_error *err) {
  calve_residual *r = CALVE_NEW(arena, calve_residual);
  if (!r) return calve_fail_oom(err);
  CALVE_TRY(prepare(bound->root, spec, schema, arena, &r->root, err));
  *out = r;
  return CALVE_OK;
}

typedef struct tuple_view {
  const calve_value *values;
  size_t count;
  calve_arena *arena;
} tuple_view;

static calve_status settle(const node *n, const tuple_view *t, const calve_predicate **out,
                           calve_error *err);

/* What is kept of a junction's children. The list is made only when a child fell away or changed
 * and two others stay. */
typedef struct kept {
  const calve_predicate **list;
  const calve_predicate *only;
  size_t count;
  bool changed;
} kept;

static calve_status keep(kept *k, const node *n, const calve_predicate *child, calve_arena *arena,
                         calve_error *err) {
  k->count++;
  if (k->count == 1) k->only = child;
  if (k->count == 1 || !k->changed) return CALVE_OK;
  if (!k->list) {
    k->list = (const calve_predicate **)calve_arena_array(arena, n->filter->count, sizeof child);
    if (!k->list) return calve_fail_oom(err);
    /* with more than one kept, those before the first change are a prefix of the children */
    k->list[0] = k->only;
    if (k->count > 2) memcpy(k->list, n->filter->children, (k->count - 1) * sizeof child);
  }
  k->list[k->count - 1] = child;
  return CALVE_OK;
}

static calve_status settle_junction(const node *n, const tuple_view *t, const calve_predicate **out,
                                    calve_error *err) {
  bool is_and = n->filter->op == CALVE_OP_AND;
  const calve_predicate *zero = is_and ? &calve_predicate_false : &calve_predicate_true;
  const calve_predicate *one = is_and ? &calve_predicate_true : &calve_predicate_false;
  kept k = {0};
  for (size_t i = 0; i < n->filter->count; i++) {
    const calve_predicate *child;
    CALVE_TRY(settle(&n->children[i], t, &child, err));
    if (child == zero) {
      *out = zero;
      return CALVE_OK;
    }
    if (child != n->filter->children[i]) k.changed = true;
    if (child != one) CALVE_TRY(keep(&k, n, child, t->arena, err));
  }
  if (!k.changed) {
    *out = n->filter;
  } else if (k.count == 0) {
    *out = one;
  } else if (k.count == 1) {
    *out = k.only;
  } else {
    calve_predicate *made = CALVE_NEW(t->arena, calve_predicate);
    if (!made) return calve_fail_oom(err);
    /* no list: only the last children fell away */
    *made = (calve_predicate){
        .op = n->filter->op, .count = k.count, .children = k.list ? k.list : n->filter->children};
    *out = made;
  }
  return CALVE_OK;
}

static calve_status settle(const node *n, const tuple_view *t, const calve_predicate **out,
                           calve_error *err) {
  if (n->children) return settle_junction(n, t, out, err);
  *out = n->filter;
  if (!n->strict) {
    /* constants stand for themselves, as the two objects that junctions compare with */
    if (n->filter->op == CALVE_OP_TRUE) *out = &calve_predicate_true;
    if (n->filter->op == CALVE_OP_FALSE) *out = &calve_predicate_false;
  } else if (calve_tuple_must_match(n->strict, t->values, t->count)) {
    *out = &calve_predicate_true;
  } else if (!calve_tuple_might_match(n->inclusive, t->values, t->count, NULL)) {
    *out = &calve_predicate_false;
  }
  return CALVE_OK;
}

calve_status calve_residual_of(const calve_residual *r, const calve_value *tuple, size_t count,
                               calve_arena *arena, const calve_predicate **out, calve_error *err) {
  tuple_view t = {.values = tuple, .count = count, .arena = arena};
  return settle(&r->root, &t, out, err);
}

/* ---- residuals of one filter ----------------------------------------------------------------- */

static bool is_junction(const calve_predicate *p) {
  return p->op == CALVE_OP_AND || p->op == CALVE_OP_OR;
}

/* Leaves are the filter's own, and constants are two objects. */
bool calve_residual_equal(const calve_predicate *a, const calve_predicate *b) {
  if (a == b) return true;
  if (!is_junction(a) || a->op != b->op || a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++)
    if (!calve_residual_equal(a->children[i], b->children[i])) return false;
  return true;
}

calve_status calve_residual_copy(const calve_predicate *r, calve_arena *arena,
                                 const calve_predicate **out, calve_error *err) {
  *out = r;
  if (!is_junction(r)) return CALVE_OK;
  calve_predicate *copy = CALVE_NEW(arena, calve_predicate);
  const calve_predicate **children =
      (const calve_predicate **)calve_arena_array(arena, r->count, sizeof r);
  if (!copy || !children) return calve_fail_oom(err);
  for (size_t i = 0; i < r->count; i++)
    CALVE_TRY(calve_residual_copy(r->children[i], arena, &children[i], err));
  *copy = *r;
  copy->children = children;
  *out = copy;
  return CALVE_OK;
}
