/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/residual.h"

#include <string.h>

#include "base/sorting.h"
#include "expr/evaluate.h"
#include "expr/leaves.h"
#include "expr/spans.h"

/* The values of an IN by the partition value that each is in, where the order of values does not
 * tell: a file's bounds then meet few of them, which else lie close to some value of the list. */
typedef struct part {
  calve_value partition;
  const calve_predicate *leaf; /* the IN, or an equality, with those values                     */
} part;

typedef struct parts {
  const calve_term *term; /* of the partition field                                             */
  size_t count;
  const part *items; /* sorted                                                                  */
} parts;

/* Mirrors the filter's tree. */
typedef struct node {
  const calve_predicate *filter;
  const calve_predicate *strict;    /* leaves: when it must match, the leaf holds for all rows    */
  const calve_predicate *inclusive; /* leaves: when it can't match, the leaf holds for none       */
  const struct node *children;      /* filter->count of them; NULL: no tuple settles any of it    */
  const calve_expr_spans *spans;    /* OR: finds children by their inclusive projections          */
  const parts *parts;               /* IN: by partition value, or NULL                            */
} node;

struct calve_residual {
  node root;
};

typedef struct preparation {
  const calve_spec *spec;
  const calve_schema *schema;
  calve_arena *arena;
} preparation;

typedef struct member {
  calve_value partition, literal;
} member;

static int compare_members(const void *a, const void *b) {
  return calve_value_compare(&((const member *)a)->partition, &((const member *)b)->partition);
}

/* members[0 .. count), of one partition value, as a leaf. They are in order: the sort is stable. */
static calve_status make_part(const preparation *r, const calve_predicate *leaf,
                              const member *members, size_t count, part *out, calve_error *err) {
  calve_predicate *made = CALVE_NEW(r->arena, calve_predicate);
  calve_value *values = CALVE_NEW_ARRAY(r->arena, calve_value, count);
  if (!made || !values) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) values[i] = members[i].literal;
  *made = *leaf;
  made->op = count == 1 ? CALVE_OP_EQ : CALVE_OP_IN;
  made->count = count;
  made->literals = values;
  *out = (part){.partition = members[0].partition, .leaf = made};
  return CALVE_OK;
}

/* `term` is of the bucket's field. */
static calve_status make_parts(const preparation *r, const calve_predicate *leaf,
                               const calve_term *term, const parts **out, calve_error *err) {
  member *members = CALVE_NEW_ARRAY(r->arena, member, leaf->count);
  part *items = CALVE_NEW_ARRAY(r->arena, part, leaf->count);
  parts *made = CALVE_NEW(r->arena, parts);
  if (!members || !items || !made) return calve_fail_oom(err);
  for (size_t i = 0; i < leaf->count; i++) {
    members[i].literal = leaf->literals[i];
    CALVE_TRY(calve_transform_apply(&term->partition->transform, leaf->term.source_type,
                                    &leaf->literals[i], &members[i].partition, err));
  }
  CALVE_TRY(
      calve_sort(members, leaf->count, sizeof *members, compare_members, r->arena, NULL, err));
  *made = (parts){.term = term, .items = items};
  for (size_t first = 0, end; first < leaf->count; first = end) {
    for (end = first + 1; end < leaf->count; end++)
      if (compare_members(&members[first], &members[end]) != 0) break;
    CALVE_TRY(make_part(r, leaf, members + first, end - first, &items[made->count++], err));
  }
  *out = made;
  return CALVE_OK;
}

/* The projection of an IN to a bucket's number, among those to all fields of its column. */
static const calve_predicate *find_bucket(const calve_predicate *inclusive) {
  if (inclusive->op == CALVE_OP_AND) {
    const calve_predicate *found = NULL;
    for (size_t i = 0; i < inclusive->count && !found; i++)
      found = find_bucket(inclusive->children[i]);
    return found;
  }
  bool set = inclusive->op == CALVE_OP_IN || inclusive->op == CALVE_OP_EQ;
  return set && inclusive->term.partition->transform.kind == CALVE_BUCKET ? inclusive : NULL;
}

static calve_status prepare_leaf(const preparation *r, node *out, calve_error *err) {
  const calve_predicate *leaf = out->filter;
  CALVE_TRY(calve_expr__project_leaf(leaf, r->spec, r->schema, CALVE_STRICT, r->arena, &out->strict,
                                     err));
  CALVE_TRY(calve_expr__project_leaf(leaf, r->spec, r->schema, CALVE_INCLUSIVE, r->arena,
                                     &out->inclusive, err));
  if (out->strict->op == CALVE_OP_FALSE && out->inclusive->op == CALVE_OP_TRUE) out->strict = NULL;
  if (leaf->op != CALVE_OP_IN || leaf->count < CALVE_EXPR_SPAN_MIN || leaf->term.has_transform)
    return CALVE_OK; /* the reference leaves such a list whole; a short one costs little        */
  const calve_predicate *bucket = find_bucket(out->inclusive);
  return bucket ? make_parts(r, leaf, &bucket->term, &out->parts, err) : CALVE_OK;
}

static bool is_constant(const calve_predicate *p) {
  return p->op == CALVE_OP_TRUE || p->op == CALVE_OP_FALSE;
}

static calve_status prepare(const preparation *r, const calve_predicate *p, node *out,
                            calve_error *err);

static calve_status prepare_junction(const preparation *r, node *out, calve_error *err) {
  const calve_predicate *p = out->filter;
  bool is_and = p->op == CALVE_OP_AND;
  node *children = CALVE_NEW_ARRAY(r->arena, node, p->count);
  const calve_predicate **inclusive =
      (const calve_predicate **)calve_arena_array(r->arena, p->count, sizeof *inclusive);
  if (!children || !inclusive) return calve_fail_oom(err);
  bool settled = false;
  for (size_t i = 0; i < p->count; i++) {
    CALVE_TRY(prepare(r, p->children[i], &children[i], err));
    inclusive[i] = children[i].inclusive;
    settled = settled || children[i].strict || children[i].children || is_constant(p->children[i]);
  }
  if (settled) out->children = children;
  if (!is_and && settled)
    CALVE_TRY(calve_expr__spans_make(inclusive, p->count, r->arena, &out->spans, err));
  return is_and ? calve_predicate_and(inclusive, p->count, r->arena, &out->inclusive, err)
                : calve_predicate_or(inclusive, p->count, r->arena, &out->inclusive, err);
}

static calve_status prepare(const preparation *r, const calve_predicate *p, node *out,
                            calve_error *err) {
  *out = (node){.filter = p, .inclusive = p};
  if (calve_predicate_is_leaf(p)) return prepare_leaf(r, out, err);
  return p->op == CALVE_OP_AND || p->op == CALVE_OP_OR ? prepare_junction(r, out, err) : CALVE_OK;
}

calve_status calve_residual_prepare(const calve_bound *bound, const calve_spec *spec,
                                    const calve_schema *schema, calve_arena *arena,
                                    const calve_residual **out, calve_error *err) {
  calve_residual *r = CALVE_NEW(arena, calve_residual);
  if (!r) return calve_fail_oom(err);
  const preparation how = {.spec = spec, .schema = schema, .arena = arena};
  CALVE_TRY(prepare(&how, bound->root, &r->root, err));
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
  size_t count, skipped;
  bool changed;
  bool decided; /* a child decides the whole                                                    */
} kept;

static calve_status keep(kept *k, const node *n, const calve_predicate *child, calve_arena *arena,
                         calve_error *err) {
  k->count++;
  if (k->count == 1) k->only = child;
  if (k->count == 1 || !k->changed) return CALVE_OK;
  if (!k->list) {
    k->list = (const calve_predicate **)calve_arena_array(arena, n->filter->count - k->skipped,
                                                          sizeof child);
    if (!k->list) return calve_fail_oom(err);
    /* with more than one kept, those before the first change are a prefix of the children */
    k->list[0] = k->only;
    if (k->count > 2) memcpy(k->list, n->filter->children, (k->count - 1) * sizeof child);
  }
  k->list[k->count - 1] = child;
  return CALVE_OK;
}

static calve_status settle_children(const node *n, const tuple_view *t, size_t first, size_t end,
                                    kept *k, calve_error *err) {
  bool is_and = n->filter->op == CALVE_OP_AND;
  const calve_predicate *zero = is_and ? &calve_predicate_false : &calve_predicate_true;
  const calve_predicate *one = is_and ? &calve_predicate_true : &calve_predicate_false;
  for (size_t i = first; i < end && !k->decided; i++) {
    const calve_predicate *child;
    CALVE_TRY(settle(&n->children[i], t, &child, err));
    k->decided = child == zero;
    if (child != n->filter->children[i]) k->changed = true;
    if (child != one && !k->decided) CALVE_TRY(keep(k, n, child, t->arena, err));
  }
  return CALVE_OK;
}

/* Of a long OR, most children may be out of the tuple's reach: they hold for no row. */
static calve_status settle_junction(const node *n, const tuple_view *t, const calve_predicate **out,
                                    calve_error *err) {
  bool is_and = n->filter->op == CALVE_OP_AND;
  kept k = {0};
  size_t done = 0;
  for (size_t s = 0; n->spans && s < n->spans->count; s++) {
    const calve_expr_span *span = &n->spans->items[s];
    calve_expr_range range;
    size_t first, end;
    CALVE_TRY(settle_children(n, t, done, span->first, &k, err));
    calve_expr__tuple_range(span->term, t->values, t->count, &range);
    calve_expr__span_find(span, &range, &first, &end);
    k.skipped += span->count - (end - first);
    k.changed = k.changed || end - first < span->count;
    CALVE_TRY(settle_children(n, t, first, end, &k, err));
    done = span->first + span->count;
  }
  CALVE_TRY(settle_children(n, t, done, n->filter->count, &k, err));
  if (k.decided) {
    *out = is_and ? &calve_predicate_false : &calve_predicate_true;
    return CALVE_OK;
  }
  if (!k.changed) {
    *out = n->filter;
  } else if (k.count == 0) {
    *out = is_and ? &calve_predicate_true : &calve_predicate_false;
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

/* The values of an IN that may be in the file; all when the tuple does not tell. */
static const calve_predicate *find_part(const node *n, const tuple_view *t) {
  const parts *p = n->parts;
  calve_expr_range range;
  calve_expr__tuple_range(p->term, t->values, t->count, &range);
  if (range.may_null || !range.has_lower || !range.has_upper) return n->filter;
  size_t low = 0, high = p->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (calve_value_compare(&p->items[middle].partition, &range.lower) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < p->count && calve_value_compare(&p->items[low].partition, &range.lower) == 0;
  return found ? p->items[low].leaf : n->filter;
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
  } else if (n->parts) {
    *out = find_part(n, t);
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
