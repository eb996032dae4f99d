/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a query: which items each SELECT reads from, and what these are. */
#include "sql/push_parts.h"
#include "sql/session.h"

/* Common table expressions that are visible at a place, from the inside out. */
typedef struct cte {
  calve_str name;
  calve_push__block *block; /* NULL inside its own recursion                                     */
  const calve_json *names;
  const struct cte *outer;
} cte;

static calve_status build_block(calve_push__context *p, const calve_json *node, const cte *ctes,
                                calve_push__block **out, calve_error *err);

/* ---- queries inside expressions ------------------------------------------------------------- */

static bool is_query(const calve_json *node) {
  return calve_push__is(node, "type", "SELECT_NODE") || calve_json_get(node, "cte_map");
}

/* Queries inside of anything else: all of their rows are wanted, and all of the common table
 * expressions that are named there. */
static calve_status build_inside(calve_push__context *p, const calve_json *node, const cte *ctes,
                                 calve_error *err) {
  calve_push__block *ignored;
  calve_str table = calve_push__text(node, "table_name");
  if (!node || (node->kind != CALVE_JSON_OBJECT && node->kind != CALVE_JSON_ARRAY)) return CALVE_OK;
  if (node->kind == CALVE_JSON_OBJECT && is_query(node))
    return build_block(p, node, ctes, &ignored, err);
  bool names_any = calve_push__is(node, "function_name", "query") ||
                   calve_push__is(node, "function_name", "query_table");
  for (const cte *c = ctes; c && (table.data || names_any); c = c->outer)
    if (c->block && (names_any || calve_str_equal_nocase(c->name, table)))
      CALVE_TRY(calve_push__need_of(p, c->block, NULL, NULL, err));
  for (size_t i = 0; i < node->count; i++) CALVE_TRY(build_inside(p, &node->items[i], ctes, err));
  return CALVE_OK;
}

/* A block whose columns others will name. */
static calve_status build_used(calve_push__context *p, const calve_json *node, const cte *ctes,
                               calve_push__block **out, calve_error *err) {
  CALVE_TRY(build_block(p, node, ctes, out, err));
  return calve_push__find_columns(p, *out, err);
}

/* ---- FROM ----------------------------------------------------------------------------------- */

size_t calve_push__count_items(const calve_json *from) {
  if (!calve_push__is(from, "type", "JOIN")) return 1;
  return calve_push__count_items(calve_json_get(from, "left")) +
         calve_push__count_items(calve_json_get(from, "right"));
}

static const cte *find_cte(const cte *ctes, calve_str name) {
  for (; ctes; ctes = ctes->outer)
    if (calve_str_equal_nocase(ctes->name, name)) return ctes;
  return NULL;
}

static calve_push_table *find_table(const calve_push__context *p, const calve_json *node) {
  int64_t offset;
  if (!calve_json_as_i64(calve_json_get(node, "query_location"), &offset)) return NULL;
  for (size_t i = 0; i < p->options->table_count; i++)
    if (p->options->tables[i].offset == (size_t)offset) return &p->options->tables[i];
  return NULL;
}

static void name_table(calve_push__context *p, const calve_json *node, const cte *ctes,
                       calve_push__item *item) {
  item->table = calve_push__text(node, "table_name");
  item->schema = calve_push__text(node, "schema_name");
  item->catalog = calve_push__text(node, "catalog_name");
  if (!item->binding.data) item->binding = item->table;
  const cte *found = item->schema.data ? NULL : find_cte(ctes, item->table);
  if (found) {
    item->body = found->block;
    item->names = found->names;
    return;
  }
  item->use = find_table(p, node);
  if (!item->use) return;
  if (!calve_push__present(node, "alias")) item->binding = item->use->name;
  item->is_opaque |= calve_push__present(node, "column_name_alias");
  item->has_clash = calve_exec_case_matters(item->use->schema);
}

/* One item, or the two sides of a join; *next is the place for the next item. */
static calve_status build_from(calve_push__context *p, const calve_json *from, const cte *ctes,
                               int hidden, calve_push__item **next, calve_error *err) {
  if (calve_push__is(from, "type", "JOIN")) {
    bool half =
        calve_push__is(from, "join_type", "SEMI") || calve_push__is(from, "join_type", "ANTI");
    CALVE_TRY(build_from(p, calve_json_get(from, "left"), ctes, hidden, next, err));
    CALVE_TRY(build_from(p, calve_json_get(from, "right"), ctes, hidden + half, next, err));
    return build_inside(p, calve_json_get(from, "condition"), ctes, err);
  }
  calve_push__item *item = (*next)++;
  calve_buffer_put(&p->items, &item, sizeof item);
  *item = (calve_push__item){.id = (int64_t)CALVE_COUNT(&p->items, calve_push__item *),
                             .binding = calve_push__text(from, "alias"),
                             .renames = calve_json_get(from, "column_name_alias"),
                             .hidden = hidden,
                             .is_opaque = calve_push__present(from, "sample")};
  if (calve_push__is(from, "type", "BASE_TABLE")) {
    name_table(p, from, ctes, item);
    return CALVE_OK;
  }
  if (calve_push__is(from, "type", "SUBQUERY"))
    return build_used(p, calve_json_get(calve_json_get(from, "subquery"), "node"), ctes,
                      &item->body, err);
  if (calve_push__is(from, "type", "EXPRESSION_LIST"))
    item->values = calve_json_get(from, "values");
  return build_inside(p, from, ctes, err);
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Each sees those in front of it, and itself only when it is recursive. */
static calve_status build_ctes(calve_push__context *p, const calve_json *node, const cte **ctes,
                               calve_error *err) {
  const calve_json *map = calve_json_get(calve_json_get(node, "cte_map"), "map");
  for (size_t i = 0; map && i < map->count; i++) {
    const calve_json *value = calve_json_get(&map->items[i], "value");
    const calve_json *query = calve_json_get(calve_json_get(value, "query"), "node");
    cte *made = CALVE_NEW(p->arena, cte);
    if (!made) return calve_fail_oom(err);
    *made = (cte){.name = calve_push__text(&map->items[i], "key"),
                  .names = calve_json_get(value, "aliases"),
                  .outer = *ctes};
    bool recursive = calve_push__is(query, "type", "RECURSIVE_CTE_NODE");
    calve_push__block *block;
    CALVE_TRY(build_used(p, query, recursive ? made : *ctes, &block, err));
    made->block = block;
    if (p->options->has_macros) /* their text may name it too */
      CALVE_TRY(calve_push__need_of(p, block, NULL, NULL, err));
    *ctes = made;
  }
  return CALVE_OK;
}

static calve_status build_select(calve_push__context *p, const calve_json *node, const cte *ctes,
                                 calve_push__block *block, calve_error *err) {
  const calve_json *from = calve_json_get(node, "from_table");
  if (from && from->kind == CALVE_JSON_OBJECT && !calve_push__is(from, "type", "EMPTY")) {
    block->item_count = calve_push__count_items(from);
    block->items = CALVE_NEW_ARRAY(p->arena, calve_push__item, block->item_count);
    if (!block->items) return calve_fail_oom(err);
    calve_push__item *next = block->items;
    CALVE_TRY(build_from(p, from, ctes, 0, &next, err));
  }
  for (size_t i = 0; i < node->count; i++)
    if (&node->items[i] != from && !calve_str_equal_text(node->keys[i], "cte_map"))
      CALVE_TRY(build_inside(p, &node->items[i], ctes, err));
  return CALVE_OK;
}

static calve_status build_set(calve_push__context *p, const calve_json *node, const cte *ctes,
                              calve_push__block *block, calve_error *err) {
  calve_push__item *self = CALVE_NEW(p->arena, calve_push__item);
  if (!self) return calve_fail_oom(err);
  calve_buffer_put(&p->items, &self, sizeof self);
  self->id = (int64_t)CALVE_COUNT(&p->items, calve_push__item *);
  self->body = block;
  block->self = self;
  CALVE_TRY(build_used(p, calve_json_get(node, "left"), ctes, &block->left, err));
  CALVE_TRY(build_used(p, calve_json_get(node, "right"), ctes, &block->right, err));
  return build_inside(p, calve_json_get(node, "modifiers"), ctes, err);
}

static calve_status build_block(calve_push__context *p, const calve_json *node, const cte *ctes,
                                calve_push__block **out, calve_error *err) {
  calve_push__block *block = CALVE_NEW(p->arena, calve_push__block);
  if (!block) return calve_fail_oom(err);
  *block = (calve_push__block){.node = node};
  CALVE_TRY(build_ctes(p, node, &ctes, err));
  bool by_place = calve_push__is(node, "setop_type", "UNION") ||
                  calve_push__is(node, "setop_type", "INTERSECT") ||
                  calve_push__is(node, "setop_type", "EXCEPT");
  if (calve_push__is(node, "type", "SELECT_NODE")) {
    CALVE_TRY(build_select(p, node, ctes, block, err));
  } else if (calve_push__is(node, "type", "SET_OPERATION_NODE") && by_place) {
    CALVE_TRY(build_set(p, node, ctes, block, err));
  } else {
    block->is_opaque = true;
    for (size_t i = 0; node && i < node->count; i++)
      if (!calve_str_equal_text(node->keys[i], "cte_map"))
        CALVE_TRY(build_inside(p, &node->items[i], ctes, err));
  }
  block->previous = p->last;
  p->last = block;
  *out = block;
  return CALVE_OK;
}

calve_status calve_push__build(calve_push__context *p, const calve_json *ast, calve_error *err) {
  return build_inside(p, ast, NULL, err);
}
