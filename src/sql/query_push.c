/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/query_push.h"

#include "sql/push_parts.h"
#include "sql/query_where.h"

/* Nodes of conditions that are looked at: of common table expressions that each use the one before
 * twice there may be more than anybody has time for. */
#define NODES_MAX ((size_t)200000)

/* ---- what a SELECT lets through ------------------------------------------------------------- */

/* Functions that make something else of each call: of fewer calls something else again. */
static bool is_volatile(const calve_json *node) {
  static const char *const names[] = {"random",  "uuid",    "gen_random_uuid",
                                      "uuidv4",  "uuidv7",  "setseed",
                                      "nextval", "currval", "gen_random_uuid_v7"};
  if (!node) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (calve_str_equal_nocase(calve_push__text(node, "function_name"), calve_str_of(names[i])))
      return true;
  for (size_t i = 0; i < node->count; i++)
    if (is_volatile(&node->items[i])) return true;
  return false;
}

/* GROUP BY without ROLLUP and its like, in which a key may be null that the rows have. */
static bool groups_plainly(const calve_json *select) {
  const calve_json *keys = calve_json_get(select, "group_expressions");
  const calve_json *sets = calve_json_get(select, "group_sets");
  size_t count = keys ? keys->count : 0;
  if (!sets || sets->count == 0) return count == 0;
  return sets->count == 1 && sets->items[0].count == count;
}

static bool has_limit(const calve_json *node) {
  const calve_json *modifiers = calve_json_get(node, "modifiers");
  for (size_t i = 0; modifiers && i < modifiers->count; i++) {
    const calve_json *m = &modifiers->items[i];
    bool harmless = calve_push__is(m, "type", "ORDER_MODIFIER") ||
                    (calve_push__is(m, "type", "DISTINCT_MODIFIER") &&
                     !calve_push__present(m, "distinct_on_targets"));
    if (!harmless) return true;
  }
  return false;
}

/* Whether each row that the block makes comes of rows that have its columns as they are, and is the
 * same whatever other rows there are. */
static bool lets_through(const calve_push__context *p, const calve_push__block *block) {
  const calve_json *node = block->node, *list = calve_json_get(node, "select_list");
  if (block->is_opaque || has_limit(node)) return false;
  if (block->left) return true;
  return groups_plainly(node) && !calve_push__present(node, "qualify") &&
         !calve_push__present(node, "sample") && !calve_push__has_class(list, "WINDOW") &&
         !calve_push__has_class(list, "PARAMETER") && /* too deep to be looked into */
         !is_volatile(list) && !(p->options->has_macros && calve_push__has_class(list, "FUNCTION"));
}

/* ---- from outside in ------------------------------------------------------------------------ */

typedef struct passage {
  calve_push__block *block;
  const calve_push__need *need;
} passage;

/* A column of the item that the block is: what that is inside. A string is no literal any more when
 * it is a column, and would not take the type of what it is compared with. */
static calve_status map_inside(void *ctx, calve_push__context *p, const calve_json *node,
                               calve_json *out, bool *changed, calve_error *err) {
  const passage *way = ctx;
  calve_push__ref ref;
  *changed = calve_push__read_ref(p, node, &ref) && ref.item == way->need->item;
  if (!*changed) return CALVE_OK;
  const calve_push__column *column =
      ref.column < way->block->column_count ? &way->block->columns[ref.column] : NULL;
  bool text = column && column->expression && calve_where_is_string(column->expression);
  if (!column || text || (column->expression && ref.path_count > 0)) {
    calve_push__unknown(out);
  } else if (column->expression) {
    *out = *column->expression;
  } else {
    calve_push__ref inside = column->ref;
    size_t count = inside.path_count + ref.path_count;
    calve_json *path = CALVE_NEW_ARRAY(p->arena, calve_json, count);
    if (!path) return calve_fail_oom(err);
    for (size_t i = 0; i < count; i++)
      path[i] = i < inside.path_count ? inside.path[i] : ref.path[i - inside.path_count];
    inside.path = path;
    inside.path_count = count;
    return calve_push__ref_node(p, &inside, out, err);
  }
  return CALVE_OK;
}

/* Of a set operation only columns that have one type on all sides are what they are inside; for
 * both sides they are columns of its own item. */
static calve_status map_set(void *ctx, calve_push__context *p, const calve_json *node,
                            calve_json *out, bool *changed, calve_error *err) {
  const passage *way = ctx;
  const calve_push__block *block = way->block;
  calve_push__ref ref;
  *changed = calve_push__read_ref(p, node, &ref) && ref.item == way->need->item;
  if (!*changed) return CALVE_OK;
  ref.item = block->self;
  if (ref.column < block->column_count && block->columns[ref.column].type)
    return calve_push__ref_node(p, &ref, out, err);
  calve_push__unknown(out);
  return CALVE_OK;
}

static calve_status take_need(calve_push__context *p, calve_push__block *block,
                              const calve_push__need *need, const calve_push__condition **out,
                              calve_error *err) {
  passage way = {block, need};
  const calve_push__condition **tail = out;
  for (const calve_push__condition *c = need->conditions; c; c = c->next) {
    calve_push__condition *made = CALVE_NEW(p->arena, calve_push__condition);
    if (!made) return calve_fail_oom(err);
    CALVE_TRY(calve_push__rewrite(p, c->node, block->left ? map_set : map_inside, &way, &made->node,
                                  err));
    *tail = made;
    tail = &made->next;
  }
  return CALVE_OK;
}

/* All conditions of a list as one node. */
static calve_status conjunction(calve_push__context *p, const calve_push__condition *list,
                                calve_json *out, calve_error *err) {
  size_t count = 0, at = 0;
  const calve_json *made;
  for (const calve_push__condition *c = list; c; c = c->next) count++;
  calve_json *children = CALVE_NEW_ARRAY(p->arena, calve_json, count);
  if (!children) return calve_fail_oom(err);
  for (const calve_push__condition *c = list; c; c = c->next) children[at++] = *c->node;
  CALVE_TRY(calve_push__make(p, "CONJUNCTION", CALVE_STR("CONJUNCTION_AND"), children, count, &made,
                             err));
  *out = *made;
  return CALVE_OK;
}

/* A row is wanted when any of the places wants it. */
static calve_status combine(calve_push__context *p, calve_push__block *block,
                            const calve_push__condition **out, calve_error *err) {
  size_t count = 0;
  const calve_json *any;
  for (const calve_push__need *n = block->needs; n; n = n->next) count++;
  size_t at = count; /* the last one is the first of the list */
  if (count == 1) return take_need(p, block, block->needs, out, err);
  calve_json *places = CALVE_NEW_ARRAY(p->arena, calve_json, count);
  if (!places) return calve_fail_oom(err);
  for (const calve_push__need *n = block->needs; n; n = n->next) {
    const calve_push__condition *list = NULL;
    CALVE_TRY(take_need(p, block, n, &list, err));
    CALVE_TRY(conjunction(p, list, &places[--at], err));
  }
  CALVE_TRY(
      calve_push__make(p, "CONJUNCTION", CALVE_STR("CONJUNCTION_OR"), places, count, &any, err));
  return calve_push__add(p, any, out, err);
}

/* ---- HAVING --------------------------------------------------------------------------------- */

static bool same_names(const calve_json *a, const calve_json *b) {
  if (!a || !b || a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++)
    if (!calve_str_equal_nocase(a->items[i].text, b->items[i].text)) return false;
  return true;
}

/* A key of the groups as it is written there. In HAVING a name of the SELECT list goes before a
 * column that is no key. */
static bool is_key(const calve_json *select, const calve_json *names) {
  const calve_json *keys = calve_json_get(select, "group_expressions");
  const calve_json *list = calve_json_get(select, "select_list");
  bool by_place = calve_push__is(select, "aggregate_handling", "FORCE_AGGREGATES"), listed = false;
  for (size_t i = 0; keys && i < keys->count; i++) {
    if (same_names(calve_json_get(&keys->items[i], "column_names"), names)) return true;
    by_place |= calve_push__is(&keys->items[i], "class", "CONSTANT");
  }
  for (size_t i = 0; list && i < list->count; i++) {
    calve_str alias = calve_push__text(&list->items[i], "alias");
    if (alias.data && calve_str_equal_nocase(alias, names->items[names->count - 1].text))
      return false;
    listed |= same_names(calve_json_get(&list->items[i], "column_names"), names);
  }
  return by_place && listed;
}

static calve_status bind_key(void *ctx, calve_push__context *p, const calve_json *node,
                             calve_json *out, bool *changed, calve_error *err) {
  const calve_push__view *view = ctx;
  const calve_json *names = calve_json_get(node, "column_names");
  calve_push__ref ref;
  *changed = false;
  if (!names || names->count == 0 || !is_key(view->block->node, names)) return CALVE_OK;
  CALVE_TRY(calve_push__resolve(p, view, names, &ref, changed, err));
  return *changed ? calve_push__ref_node(p, &ref, out, err) : CALVE_OK;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static calve_status add_clauses(calve_push__context *p, calve_push__block *block,
                                const calve_push__condition **out, calve_error *err) {
  const calve_json *where = calve_json_get(block->node, "where_clause"), *bound;
  const calve_json *having = calve_json_get(block->node, "having");
  calve_push__view view = {block, 0, block->item_count, block->item_count, 0};
  if (having && having->kind == CALVE_JSON_OBJECT && groups_plainly(block->node)) {
    CALVE_TRY(calve_push__rewrite(p, having, bind_key, &view, &bound, err));
    CALVE_TRY(calve_push__add(p, bound, out, err));
  }
  if (!where || where->kind != CALVE_JSON_OBJECT) return CALVE_OK;
  CALVE_TRY(calve_push__bind(p, &view, where, &bound, err));
  return calve_push__add(p, bound, out, err);
}

static calve_status push_block(calve_push__context *p, calve_push__block *block, calve_error *err) {
  const calve_push__condition *list = NULL;
  bool wanted = block->needs && lets_through(p, block);
  for (const calve_push__need *n = block->needs; n; n = n->next) wanted &= n->conditions != NULL;
  if (wanted) CALVE_TRY(combine(p, block, &list, err));
  if (block->left) {
    CALVE_TRY(calve_push__need_of(p, block->left, block->self, list, err));
    return calve_push__need_of(p, block->right, block->self, list, err);
  }
  if (!calve_push__present(block->node, "sample") && !block->is_opaque)
    CALVE_TRY(add_clauses(p, block, &list, err));
  return calve_push__from(p, block, list, err);
}

calve_status calve_query_push(calve_push_options *options, const calve_json *ast,
                              calve_arena *arena, calve_error *err) {
  calve_push__context p = {
      .options = options, .arena = arena, .node_max = NODES_MAX + ast->raw.size / 10};
  for (size_t i = 0; i < options->table_count; i++) options->tables[i].item = 0;
  calve_buffer_init(&p.items, arena->allocator);
  calve_status status = calve_push__build(&p, ast, err);
  if (status == CALVE_OK) status = calve_buffer_check(&p.items, err);
  for (calve_push__block *b = p.last; b && status == CALVE_OK; b = b->previous)
    status = push_block(&p, b, err);
  calve_buffer_free(&p.items);
  return status;
}
