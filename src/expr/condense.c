/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/condense.h"

#include <string.h>

#include "base/buffer.h"
#include "base/sorting.h"
#include "expr/leaves.h"
#include "expr/spans.h"

/* Sets of different terms that are told apart in one junction, and terms that groups of ranges are
 * looked for; more stay as they were written. */
#define TERMS_MAX 256
#define TRIES_MAX 16

typedef struct condenser {
  calve_arena *arena;
  calve_error *err;
} condenser;

static bool is_junction(const calve_predicate *p) {
  return p->op == CALVE_OP_AND || p->op == CALVE_OP_OR;
}

static bool is_repeated(const calve_predicate *leaf) {
  return leaf->term.node && leaf->term.node->inside_repeated;
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* Whether a leaf adds to a set: `=` and IN below OR, `<>` and NOT IN below AND. */
static bool joins_set(const calve_predicate *leaf, bool is_and) {
  calve_predicate_op one = is_and ? CALVE_OP_NOT_EQ : CALVE_OP_EQ;
  calve_predicate_op many = is_and ? CALVE_OP_NOT_IN : CALVE_OP_IN;
  return (leaf->op == one || leaf->op == many) && !leaf->rounded && !is_repeated(leaf);
}

static bool says_same(const calve_predicate *a, const calve_predicate *b) {
  return a->op == b->op && calve_expr__same_term(&a->term, &b->term);
}

/* A leaf that others may join: its place in the list, how many values it has with them. */
typedef struct first_leaf {
  size_t place, values;
  calve_predicate *made; /* NULL: nobody joined                                                  */
} first_leaf;

/* Short sets stay as they were written. */
static bool is_long(const first_leaf *f) {
  return f->made && f->values >= CALVE_EXPR_SPAN_MIN;
}

/* The place among `known` of what `leaf` joins or repeats; `count` when it is the first. */
static size_t find_first(const calve_predicate *const *list, const first_leaf *known, size_t count,
                         const calve_predicate *leaf, bool is_and) {
  bool set = joins_set(leaf, is_and);
  size_t i = 0;
  for (; i < count; i++) {
    const calve_predicate *other = list[known[i].place];
    if (set ? joins_set(other, is_and) && calve_expr__same_term(&other->term, &leaf->term)
            : says_same(other, leaf))
      break;
  }
  return i;
}

static calve_status join(condenser *m, const calve_predicate *const *list, first_leaf *f,
                         const calve_predicate *leaf) {
  if (leaf->count == 0) return CALVE_OK; /* said before                                          */
  if (!f->made) {
    const calve_predicate *first = list[f->place];
    f->made = CALVE_NEW(m->arena, calve_predicate);
    if (!f->made) return calve_fail_oom(m->err);
    *f->made = *first;
    f->made->op = joins_set(first, true) ? CALVE_OP_NOT_IN : CALVE_OP_IN;
    f->values = first->count;
  }
  f->values += leaf->count;
  return CALVE_OK;
}

/* Writes the values of all leaves that joined, which are marked by `joined`. */
static calve_status fill_set(condenser *m, const calve_predicate *const *list, size_t count,
                             const uint16_t *joined, first_leaf *f, uint16_t mark) {
  calve_value *values = CALVE_NEW_ARRAY(m->arena, calve_value, f->values);
  if (!values) return calve_fail_oom(m->err);
  size_t filled = 0;
  for (size_t i = 0; i < count; i++) {
    if (joined[i] != mark) continue;
    memcpy(values + filled, list[i]->literals, list[i]->count * sizeof *values);
    filled += list[i]->count;
  }
  f->made->literals = values;
  f->made->count = filled;
  calve_expr__sort_set(f->made, values);
  return CALVE_OK;
}

/* Joins leaves of the list that make a set, at the first one's place, and drops repeated ones about
 * nulls and NaN. */
static calve_status join_sets(condenser *m, const calve_predicate **list, size_t *count,
                              bool is_and) {
  uint16_t *joined = CALVE_NEW_ARRAY(m->arena, uint16_t, *count); /* 0: to none                  */
  first_leaf *known = CALVE_NEW_ARRAY(m->arena, first_leaf, TERMS_MAX);
  if (!joined || !known) return calve_fail_oom(m->err);
  size_t known_count = 0;
  for (size_t i = 0; i < *count; i++) {
    const calve_predicate *p = list[i];
    bool unary = p->op >= CALVE_OP_IS_NULL && p->op <= CALVE_OP_NOT_NAN;
    if (!calve_predicate_is_leaf(p) || !(unary || joins_set(p, is_and))) continue;
    size_t f = find_first(list, known, known_count, p, is_and);
    if (f == TERMS_MAX) continue;
    joined[i] = (uint16_t)(f + 1);
    if (f == known_count)
      known[known_count++].place = i;
    else
      CALVE_TRY(join(m, list, &known[f], p));
  }
  for (size_t f = 0; f < known_count; f++)
    if (is_long(&known[f]))
      CALVE_TRY(fill_set(m, list, *count, joined, &known[f], (uint16_t)(f + 1)));
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    const first_leaf *f = joined[i] ? &known[joined[i] - 1] : NULL;
    bool replaced = f && (is_long(f) || list[i]->count == 0);
    if (replaced && f->place != i) continue;
    list[kept++] = f && is_long(f) ? f->made : list[i];
  }
  *count = kept;
  return CALVE_OK;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

typedef struct ranged {
  const calve_predicate *p;
  calve_expr_interval bounds;
  bool pure; /* nothing but these bounds, and a value may lie between them                      */
} ranged;

static bool is_open(const calve_predicate *leaf) {
  return leaf->op == CALVE_OP_LT || leaf->op == CALVE_OP_GT;
}

static bool is_comparison(const calve_predicate *p, const calve_term *term) {
  return p->op >= CALVE_OP_LT && p->op <= CALVE_OP_GT_EQ && calve_expr__same_term(&p->term, term);
}

static bool is_pure(const ranged *r, const calve_term *term) {
  if (r->p->op == CALVE_OP_AND) {
    for (size_t i = 0; i < r->p->count; i++)
      if (!is_comparison(r->p->children[i], term)) return false;
  } else if (!is_comparison(r->p, term)) {
    return false;
  }
  return !r->bounds.lower || !r->bounds.upper ||
         calve_value_compare(r->bounds.lower, r->bounds.upper) < 0 ||
         (calve_value_equal(r->bounds.lower, r->bounds.upper) && !is_open(r->bounds.lower_leaf) &&
          !is_open(r->bounds.upper_leaf));
}

static int compare_ranged(const void *x, const void *y) {
  const ranged *a = x, *b = y;
  int order = calve_expr__compare_lower(&a->bounds, &b->bounds);
  if (order != 0 || !a->bounds.lower) return order;
  return is_open(a->bounds.lower_leaf) - is_open(b->bounds.lower_leaf);
}

/* Whether no value lies between the end of one range and the start of the next. */
static bool meet(const ranged *a, const ranged *next) {
  if (!a->bounds.upper || !next->bounds.lower) return true;
  calve_value end = *a->bounds.upper, start = *next->bounds.lower;
  bool end_open = is_open(a->bounds.upper_leaf), start_open = is_open(next->bounds.lower_leaf);
  int order = calve_value_compare(&start, &end);
  if (order < 0) return true;
  if (order == 0) return !(end_open && start_open);
  if (end_open || start_open) return false;
  return calve_expr__neighbour(&end, 1, &end) && calve_value_compare(&start, &end) <= 0;
}

static bool ends_later(const ranged *a, const ranged *b) {
  if (!a->bounds.upper || !b->bounds.upper) return a->bounds.upper == NULL;
  int order = calve_value_compare(a->bounds.upper, b->bounds.upper);
  return order > 0 || (order == 0 && !is_open(a->bounds.upper_leaf));
}

/* Makes `a` the range from its start to the end of `next`. False: that would be every value. */
static calve_status extend(condenser *m, ranged *a, const ranged *next, bool *done) {
  *done = true;
  if (ends_later(a, next)) return CALVE_OK;
  *done = a->bounds.lower || next->bounds.upper;
  if (!*done) return CALVE_OK;
  a->bounds.upper = next->bounds.upper;
  a->bounds.upper_leaf = next->bounds.upper_leaf;
  const calve_predicate *ends[2] = {a->bounds.lower_leaf, a->bounds.upper_leaf};
  if (!ends[0] || !ends[1]) {
    a->p = ends[0] ? ends[0] : ends[1];
    return CALVE_OK;
  }
  return calve_predicate_and(ends, 2, m->arena, &a->p, m->err);
}

static calve_status join_ranges(condenser *m, ranged *items, size_t *count) {
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    bool joined = false;
    ranged *last = kept > 0 ? &items[kept - 1] : NULL;
    if (last && last->pure && items[i].pure && meet(last, &items[i]))
      CALVE_TRY(extend(m, last, &items[i], &joined));
    if (!joined) items[kept++] = items[i];
  }
  *count = kept;
  return CALVE_OK;
}

/* Moves the ranges of one term to the list's start, sorted and joined; the others follow. */
static calve_status take_group(condenser *m, const calve_predicate **list, size_t *count,
                               const calve_term *term, size_t *out_size) {
  ranged *items = CALVE_NEW_ARRAY(m->arena, ranged, *count);
  const calve_predicate **others =
      (const calve_predicate **)calve_arena_array(m->arena, *count, sizeof *others);
  if (!items || !others) return calve_fail_oom(m->err);
  size_t size = 0, other_count = 0;
  for (size_t i = 0; i < *count; i++) {
    ranged *r = &items[size];
    r->p = list[i];
    if (calve_expr__interval_of(list[i], term, &r->bounds)) {
      r->pure = is_pure(r, term);
      size++;
    } else {
      others[other_count++] = list[i];
    }
  }
  *out_size = 0;
  if (size < CALVE_EXPR_SPAN_MIN) return CALVE_OK;
  CALVE_TRY(calve_sort(items, size, sizeof *items, compare_ranged, m->arena, NULL, m->err));
  CALVE_TRY(join_ranges(m, items, &size));
  for (size_t i = 0; i < size; i++) list[i] = items[i].p;
  memcpy(list + size, others, other_count * sizeof *others);
  *count = size + other_count;
  *out_size = size;
  return CALVE_OK;
}

static calve_status sort_ranges(condenser *m, const calve_predicate **list, size_t *count) {
  size_t done = 0, at = 0;
  for (int tries = 0; tries < TRIES_MAX && *count - done >= CALVE_EXPR_SPAN_MIN; tries++) {
    const calve_term *term = NULL;
    while (at < *count && !(term = calve_expr__bounded_term(list[at]))) at++;
    if (!term) return CALVE_OK;
    size_t size, left = *count - done;
    CALVE_TRY(take_group(m, list + done, &left, term, &size));
    *count = done + left;
    done += size;
    at = size > 0 ? done : at + 1;
  }
  return CALVE_OK;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static calve_status condense(condenser *m, const calve_predicate *p, const calve_predicate **out);

/* Children of a junction, those of nested junctions of the same kind among them. */
static calve_status gather(condenser *m, const calve_predicate *p, calve_predicate_op op,
                           calve_buffer *list) {
  for (size_t i = 0; i < p->count; i++) {
    const calve_predicate *child = p->children[i];
    if (child->op != op) CALVE_TRY(condense(m, child, &child));
    if (child->op == op)
      CALVE_TRY(gather(m, child, op, list));
    else
      calve_buffer_put(list, &child, sizeof child);
  }
  return calve_buffer_check(list, m->err);
}

static calve_status arrange(condenser *m, calve_predicate_op op, const calve_predicate **list,
                            size_t count, const calve_predicate **out) {
  bool is_and = op == CALVE_OP_AND;
  CALVE_TRY(join_sets(m, list, &count, is_and));
  if (!is_and) CALVE_TRY(sort_ranges(m, list, &count));
  const calve_predicate *made;
  CALVE_TRY(is_and ? calve_predicate_and(list, count, m->arena, &made, m->err)
                   : calve_predicate_or(list, count, m->arena, &made, m->err));
  *out = made;
  if (is_and || made->op != CALVE_OP_OR) return CALVE_OK;
  calve_predicate *indexed = CALVE_NEW(m->arena, calve_predicate);
  if (!indexed) return calve_fail_oom(m->err);
  *indexed = *made;
  *out = indexed;
  return calve_expr__spans_make(made->children, made->count, m->arena, &indexed->spans, m->err);
}

/* Depth is that of the predicate, which its makers cap. */
static calve_status condense(condenser *m, const calve_predicate *p, const calve_predicate **out) {
  *out = p;
  if (!is_junction(p)) return CALVE_OK;
  calve_buffer list;
  calve_buffer_init(&list, m->arena->allocator);
  calve_status status = gather(m, p, p->op, &list);
  if (status == CALVE_OK)
    status = arrange(m, p->op, CALVE_ITEMS(&list, const calve_predicate *),
                     CALVE_COUNT(&list, const calve_predicate *), out);
  calve_buffer_free(&list);
  return status;
}

calve_status calve_condense(const calve_predicate *p, calve_arena *arena,
                            const calve_predicate **out, calve_error *err) {
  condenser m = {.arena = arena, .err = err};
  const calve_predicate *made;
  CALVE_TRY(condense(&m, p, &made));
  *out = made;
  return CALVE_OK;
}
