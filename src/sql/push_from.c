/* SPDX-License-Identifier: Apache-2.0 */
/* Joins: which conditions of WHERE and ON hold for the rows of each side. */
#include "sql/push_parts.h"

typedef const calve_push__condition *conditions;

/* What holds while going through one FROM clause. */
typedef struct walk {
  calve_push__context *p;
  const calve_push__block *block;
  size_t next; /* index of the item that comes next                                             */
} walk;

calve_status calve_push__add(calve_push__context *p, const calve_json *node, conditions *list,
                             calve_error *err) {
  if (calve_push__is(node, "type", "CONJUNCTION_AND")) {
    const calve_json *children = calve_json_get(node, "children");
    for (size_t i = 0; children && i < children->count; i++)
      CALVE_TRY(calve_push__add(p, &children->items[i], list, err));
    return CALVE_OK;
  }
  calve_push__condition *made = CALVE_NEW(p->arena, calve_push__condition);
  if (!made) return calve_fail_oom(err);
  *made = (calve_push__condition){.node = node, .next = *list};
  *list = made;
  return CALVE_OK;
}

/* A copy of one condition, in front of *list. */
static calve_status add_copy(walk *w, const calve_push__condition *one, conditions *list,
                             calve_push__condition **out, calve_error *err) {
  calve_push__condition *made = CALVE_NEW(w->p->arena, calve_push__condition);
  if (!made) return calve_fail_oom(err);
  *made = *one;
  made->next = *list;
  *list = made;
  *out = made;
  return CALVE_OK;
}

/* ---- the side that an outer join may lack --------------------------------------------------- */

/* A column of one of the items, or its cast: null where the join lacks the row. */
static bool is_of(const walk *w, const calve_json *node, size_t first, size_t end) {
  calve_push__ref ref;
  while (calve_push__is(node, "class", "CAST")) node = calve_json_get(node, "child");
  return calve_push__read_ref(w->p, node, &ref) && ref.item >= &w->block->items[first] &&
         ref.item < &w->block->items[0] + end;
}

/* Whether the condition does not hold where these items' columns are null. */
static bool refuses_nulls(const walk *w, const calve_json *node, size_t first, size_t end) {
  const calve_json *children = calve_json_get(node, "children");
  const calve_json *child = children && children->count > 0 ? &children->items[0] : NULL;
  if (calve_push__is(node, "class", "COMPARISON"))
    return !calve_push__is(node, "type", "COMPARE_DISTINCT_FROM") &&
           !calve_push__is(node, "type", "COMPARE_NOT_DISTINCT_FROM") &&
           (is_of(w, calve_json_get(node, "left"), first, end) ||
            is_of(w, calve_json_get(node, "right"), first, end));
  if (calve_push__is(node, "class", "BETWEEN"))
    return calve_push__is(node, "type", "COMPARE_BETWEEN") &&
           is_of(w, calve_json_get(node, "input"), first, end);
  bool known = calve_push__is(node, "type", "COMPARE_IN") ||
               calve_push__is(node, "type", "COMPARE_NOT_IN") ||
               calve_push__is(node, "type", "OPERATOR_IS_NOT_NULL") ||
               calve_push__is(node, "function_name", "~~");
  return known && is_of(w, child, first, end);
}

/* Of the conditions above an outer join those that no row without a partner meets: a row of the
 * items that misses them is wanted neither with a partner nor for its being there. */
static calve_status keep_strict(walk *w, conditions list, size_t first, size_t end, conditions *out,
                                calve_error *err) {
  calve_push__condition *copy;
  *out = NULL;
  for (; list; list = list->next)
    if (!list->is_beside && refuses_nulls(w, list->node, first, end))
      CALVE_TRY(add_copy(w, list, out, &copy, err));
  return CALVE_OK;
}

/* Conditions on the other side: a row that finds its partners only among rows that miss them is
 * not wanted. */
static calve_status add_beside(walk *w, conditions list, size_t first, size_t end, conditions *out,
                               calve_error *err) {
  calve_push__condition *copy;
  for (; list; list = list->next) {
    if (list->is_beside) continue;
    CALVE_TRY(add_copy(w, list, out, &copy, err));
    copy->is_beside = true;
    copy->first = &w->block->items[first];
    copy->end = &w->block->items[0] + end;
  }
  return CALVE_OK;
}

static calve_status add_all(walk *w, conditions list, conditions *out, calve_error *err) {
  calve_push__condition *copy;
  for (; list; list = list->next) CALVE_TRY(add_copy(w, list, out, &copy, err));
  return CALVE_OK;
}

/* ---- ON and USING --------------------------------------------------------------------------- */

/* left.name = right.name */
static calve_status add_equal(walk *w, const calve_push__view *left, const calve_push__view *right,
                              const calve_json *name, conditions *out, calve_error *err) {
  calve_push__ref refs[2];
  bool known[2];
  const calve_json *equal;
  const calve_json names = {.kind = CALVE_JSON_ARRAY, .count = 1, .items = name};
  CALVE_TRY(calve_push__resolve(w->p, left, &names, &refs[0], &known[0], err));
  CALVE_TRY(calve_push__resolve(w->p, right, &names, &refs[1], &known[1], err));
  if (!known[0] || !known[1]) return CALVE_OK;
  calve_json *sides = CALVE_NEW_ARRAY(w->p->arena, calve_json, 2);
  if (!sides) return calve_fail_oom(err);
  for (int i = 0; i < 2; i++) {
    refs[i].path_count = 0;
    CALVE_TRY(calve_push__ref_node(w->p, &refs[i], &sides[i], err));
  }
  CALVE_TRY(
      calve_push__make(w->p, "COMPARISON", CALVE_STR("COMPARE_EQUAL"), sides, 2, &equal, err));
  return calve_push__add(w->p, equal, out, err);
}

/* Columns that both sides of a NATURAL join have. */
static calve_status add_natural(walk *w, const calve_push__view *left,
                                const calve_push__view *right, conditions *out, calve_error *err) {
  for (size_t i = right->first; i < right->end; i++) {
    bool is_complete;
    size_t count = calve_push__item_columns(&w->block->items[i], &is_complete);
    for (size_t c = 0; c < count; c++) {
      calve_json *name = CALVE_NEW(w->p->arena, calve_json);
      if (!name) return calve_fail_oom(err);
      name->kind = CALVE_JSON_STRING;
      CALVE_TRY(calve_push__item_name(w->p, &w->block->items[i], c, &name->text, err));
      if (name->text.data) CALVE_TRY(add_equal(w, left, right, name, out, err));
    }
  }
  return CALVE_OK;
}

/* What the join itself says. */
static calve_status find_on(walk *w, const calve_json *join, size_t first, size_t middle,
                            size_t end, int hidden, conditions *out, calve_error *err) {
  const calve_json *on = calve_json_get(join, "condition"), *bound;
  const calve_json *names = calve_json_get(join, "using_columns");
  bool half =
      calve_push__is(join, "join_type", "SEMI") || calve_push__is(join, "join_type", "ANTI");
  const calve_push__view both = {w->block, first, end, half ? middle : end, hidden};
  const calve_push__view left = {w->block, first, middle, middle, hidden};
  const calve_push__view right = {w->block, middle, end, end, hidden + half};
  if (on && on->kind == CALVE_JSON_OBJECT) {
    CALVE_TRY(calve_push__bind(w->p, &both, on, &bound, err));
    CALVE_TRY(calve_push__add(w->p, bound, out, err));
  }
  for (size_t i = 0; names && i < names->count; i++)
    CALVE_TRY(add_equal(w, &left, &right, &names->items[i], out, err));
  if (calve_push__is(join, "ref_type", "NATURAL"))
    CALVE_TRY(add_natural(w, &left, &right, out, err));
  return CALVE_OK;
}

/* ---- joins ---------------------------------------------------------------------------------- */

/* For the kinds of a join: conditions above it go to both sides that it keeps; its own to those
 * whose rows it drops when they miss them. */
typedef struct join_kind {
  const char *type;
  bool keeps[2], drops[2], lacks[2]; /* left, right                                             */
} join_kind;

static const join_kind *kind_of(const calve_json *join) {
  static const join_kind kinds[] = {
      {"INNER", {true, true}, {true, true}, {false, false}},
      {"LEFT", {true, false}, {false, true}, {false, true}},
      {"RIGHT", {false, true}, {true, false}, {true, false}},
      {"FULL", {false, false}, {false, false}, {true, true}},
      {"OUTER", {false, false}, {false, false}, {true, true}},
      {"SEMI", {true, false}, {true, true}, {false, false}},
      {"ANTI", {true, false}, {false, true}, {false, false}},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (calve_push__is(join, "join_type", kinds[i].type)) return &kinds[i];
  return NULL;
}

/* What is known of one side's rows (0: left) when `list` holds above the join and `on` in it. */
static calve_status side_of(walk *w, const join_kind *kind, int side, const size_t bounds[3],
                            conditions list, conditions on, conditions *out, calve_error *err) {
  *out = kind->keeps[side] ? list : NULL;
  if (kind->lacks[side]) CALVE_TRY(keep_strict(w, list, bounds[side], bounds[side + 1], out, err));
  if (kind->drops[side] && !kind->keeps[side])
    CALVE_TRY(add_beside(w, list, bounds[1 - side], bounds[2 - side], out, err));
  return kind->drops[side] ? add_all(w, on, out, err) : CALVE_OK;
}

static calve_status walk_from(walk *w, const calve_json *node, int hidden, conditions list,
                              calve_error *err) {
  if (!calve_push__is(node, "type", "JOIN"))
    return calve_push__give(w->p, &w->block->items[w->next++], list, err);
  const calve_json *left = calve_json_get(node, "left"), *right = calve_json_get(node, "right");
  size_t middle = w->next + calve_push__count_items(left);
  const size_t bounds[] = {w->next, middle, middle + calve_push__count_items(right)};
  const join_kind *kind = kind_of(node);
  conditions on = NULL, sides[2] = {NULL, NULL};
  bool plain = kind && (calve_push__is(node, "ref_type", "REGULAR") ||
                        calve_push__is(node, "ref_type", "CROSS") ||
                        calve_push__is(node, "ref_type", "NATURAL"));
  if (plain) {
    CALVE_TRY(find_on(w, node, bounds[0], bounds[1], bounds[2], hidden, &on, err));
    for (int side = 0; side < 2; side++)
      CALVE_TRY(side_of(w, kind, side, bounds, list, on, &sides[side], err));
  } else if (calve_push__is(node, "ref_type", "ASOF") &&
             calve_push__is(node, "join_type", "INNER")) {
    sides[0] = list;
  }
  bool half =
      calve_push__is(node, "join_type", "SEMI") || calve_push__is(node, "join_type", "ANTI");
  CALVE_TRY(walk_from(w, left, hidden, sides[0], err));
  return walk_from(w, right, hidden + half, sides[1], err);
}

calve_status calve_push__from(calve_push__context *p, const calve_push__block *block,
                              conditions list, calve_error *err) {
  walk w = {.p = p, .block = block};
  if (block->item_count == 0) return CALVE_OK;
  return walk_from(&w, calve_json_get(block->node, "from_table"), 0, list, err);
}
