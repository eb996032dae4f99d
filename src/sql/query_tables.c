/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/query_tables.h"

#include "base/text.h"

/* Names of common table expressions that are visible at a place: a list from the inside out. */
typedef struct cte_scope {
  const calve_json *map; /* cte_map.map: [{key, value}]                                         */
  size_t count;          /* of its entries, those that are visible                              */
  const struct cte_scope *outer;
} cte_scope;

typedef struct walk {
  calve_arena *arena;
  calve_buffer tables, columns; /* vectors                                                      */
  bool inside_or, odd_distinct;
} walk;

static calve_str text_of(const calve_json *node, const char *key) {
  const calve_json *j = calve_json_get(node, key);
  if (!j || j->kind != CALVE_JSON_STRING || j->text.size == 0) return (calve_str){NULL, 0};
  return j->text;
}

static bool has_type(const calve_json *node, const char *type) {
  return calve_str_equal_text(text_of(node, "type"), type);
}

static bool is_cte(const cte_scope *ctes, calve_str name) {
  for (; ctes; ctes = ctes->outer)
    for (size_t i = 0; i < ctes->count; i++)
      if (calve_str_equal_nocase(text_of(&ctes->map->items[i], "key"), name)) return true;
  return false;
}

static calve_status walk_any(walk *w, const calve_json *node, const cte_scope *ctes,
                             calve_error *err);

static calve_status add_table(walk *w, const calve_json *node, const cte_scope *ctes,
                              calve_error *err) {
  int64_t offset = 0;
  calve_table_use use = {.catalog = text_of(node, "catalog_name"),
                         .schema = text_of(node, "schema_name"),
                         .table = text_of(node, "table_name"),
                         .alias = text_of(node, "alias")};
  if (!use.schema.data && is_cte(ctes, use.table)) return CALVE_OK;
  if (!calve_json_as_i64(calve_json_get(node, "query_location"), &offset))
    return calve_fail(err, CALVE_EUNSUPPORTED, "SQL",
                      "the engine does not tell where the query names table %.*s",
                      CALVE_STR_ARG(use.table));
  use.offset = (size_t)offset;
  calve_buffer_put(&w->tables, &use, sizeof use);
  return CALVE_OK;
}

static void add_column(walk *w, const calve_json *node) {
  calve_column_use use = {.names = calve_json_get(node, "column_names")};
  int64_t offset;
  if (!use.names || use.names->count < 3) return;
  if (!calve_json_as_i64(calve_json_get(node, "query_location"), &offset)) return;
  use.offset = (size_t)offset;
  calve_buffer_put(&w->columns, &use, sizeof use);
}

/* A side of the comparison is [1, 2], {'a': 1} or the like. */
static bool makes_nested(const calve_json *comparison) {
  static const char *const names[] = {"list_value", "struct_pack", "row", "map"};
  static const char *const sides[] = {"left", "right"};
  for (size_t side = 0; side < 2; side++) {
    calve_str function = text_of(calve_json_get(comparison, sides[side]), "function_name");
    for (size_t i = 0; function.data && i < sizeof names / sizeof *names; i++)
      if (calve_str_equal_text(function, names[i])) return true;
  }
  return false;
}

/* Each common table expression sees those in front of it, and itself only when it is recursive. */
static calve_status walk_ctes(walk *w, cte_scope *ctes, calve_error *err) {
  for (; ctes->map && ctes->count < ctes->map->count; ctes->count++) {
    const calve_json *entry = &ctes->map->items[ctes->count];
    const calve_json *query = calve_json_get(calve_json_get(entry, "value"), "query");
    bool recursive = has_type(calve_json_get(query, "node"), "RECURSIVE_CTE_NODE");
    cte_scope seen = {ctes->map, ctes->count + recursive, ctes->outer};
    CALVE_TRY(walk_any(w, calve_json_get(entry, "value"), &seen, err));
  }
  return CALVE_OK;
}

static calve_status walk_items(walk *w, const calve_json *node, const cte_scope *ctes,
                               calve_error *err) {
  const calve_json *own = calve_json_get(node, "cte_map");
  cte_scope scope = {calve_json_get(own, "map"), 0, ctes};
  CALVE_TRY(walk_ctes(w, &scope, err));
  for (size_t i = 0; i < node->count; i++)
    if (&node->items[i] != own) CALVE_TRY(walk_any(w, &node->items[i], own ? &scope : ctes, err));
  return CALVE_OK;
}

/* Anything: looks for the SELECTs, tables and columns in it. Depth is capped by the JSON reader. */
static calve_status walk_any(walk *w, const calve_json *node, const cte_scope *ctes,
                             calve_error *err) {
  if (!node) return CALVE_OK;
  bool outer = w->inside_or;
  if (node->kind == CALVE_JSON_OBJECT) {
    if (has_type(node, "BASE_TABLE")) return add_table(w, node, ctes, err);
    if (has_type(node, "COLUMN_REF")) add_column(w, node);
    if (has_type(node, "CONJUNCTION_OR")) w->inside_or = true;
    if (has_type(node, "COMPARE_DISTINCT_FROM") || has_type(node, "COMPARE_NOT_DISTINCT_FROM"))
      w->odd_distinct |= w->inside_or || makes_nested(node);
  } else if (node->kind != CALVE_JSON_ARRAY) {
    return CALVE_OK;
  }
  calve_status status = walk_items(w, node, ctes, err);
  w->inside_or = outer;
  return status;
}

static calve_status take(walk *w, calve_buffer *vector, const void **out, calve_error *err) {
  CALVE_TRY(calve_buffer_check(vector, err));
  void *copy = calve_arena_copy(w->arena, vector->data, vector->size);
  if (!copy) return calve_fail_oom(err);
  *out = copy;
  return CALVE_OK;
}

calve_status calve_query_tables_find(const calve_json *ast, calve_arena *arena,
                                     calve_query_tables *out, calve_error *err) {
  walk w = {.arena = arena};
  calve_buffer_init(&w.tables, arena->allocator);
  calve_buffer_init(&w.columns, arena->allocator);
  const void *tables = NULL, *columns = NULL;
  calve_status status = walk_any(&w, ast, NULL, err);
  if (status == CALVE_OK) status = take(&w, &w.tables, &tables, err);
  if (status == CALVE_OK) status = take(&w, &w.columns, &columns, err);
  if (status == CALVE_OK)
    *out = (calve_query_tables){.table_count = CALVE_COUNT(&w.tables, calve_table_use),
                                .tables = tables,
                                .column_count = CALVE_COUNT(&w.columns, calve_column_use),
                                .columns = columns,
                                .odd_distinct = w.odd_distinct};
  calve_buffer_free(&w.tables);
  calve_buffer_free(&w.columns);
  return status;
}
