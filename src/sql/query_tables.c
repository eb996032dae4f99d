/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/query_tables.h"

#include "base/text.h"

/* Names of common table expressions that are visible at a place: a list from the inside out. */
typedef struct cte_scope {
  const calve_json *map; /* cte_map.map: [{key, value}]                                         */
  const struct cte_scope *outer;
} cte_scope;

typedef struct walk {
  calve_arena *arena;
  calve_buffer tables, columns; /* vectors                                                      */
  bool inside_or, odd_distinct;
} walk;

/* What holds at a place of a FROM clause. */
typedef struct from_context {
  const cte_scope *ctes;
  const calve_json *where; /* NULL where it may not be pushed                                   */
  const calve_scope *scope;
} from_context;

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
    for (size_t i = 0; ctes->map && i < ctes->map->count; i++)
      if (calve_str_equal_nocase(text_of(&ctes->map->items[i], "key"), name)) return true;
  return false;
}

static calve_status walk_any(walk *w, const calve_json *node, const cte_scope *ctes,
                             calve_error *err);

/* Names by which columns of this part of a FROM clause may be qualified. */
static void collect_bindings(const calve_json *from, calve_buffer *out) {
  if (!from || from->kind != CALVE_JSON_OBJECT) return;
  if (has_type(from, "JOIN")) {
    collect_bindings(calve_json_get(from, "left"), out);
    collect_bindings(calve_json_get(from, "right"), out);
    return;
  }
  calve_str alias = text_of(from, "alias");
  if (!alias.data) alias = text_of(from, "table_name");
  if (alias.data) calve_buffer_put(out, &alias, sizeof alias);
}

static calve_status add_table(walk *w, const calve_json *node, const from_context *from,
                              calve_error *err) {
  int64_t offset = 0;
  calve_table_use use = {.catalog = text_of(node, "catalog_name"),
                         .schema = text_of(node, "schema_name"),
                         .table = text_of(node, "table_name"),
                         .alias = text_of(node, "alias"),
                         .where = from->where,
                         .scope = from->scope};
  if (!use.schema.data && is_cte(from->ctes, use.table)) return CALVE_OK;
  if (!calve_json_as_i64(calve_json_get(node, "query_location"), &offset))
    return calve_fail(err, CALVE_EUNSUPPORTED, "SQL",
                      "the engine does not tell where the query names table %.*s",
                      CALVE_STR_ARG(use.table));
  use.offset = (size_t)offset;
  const calve_json *renames = calve_json_get(node, "column_name_alias");
  use.renames_columns = renames && renames->count > 0;
  const calve_json *sample = calve_json_get(node, "sample");
  if (use.renames_columns || (sample && sample->kind != CALVE_JSON_NULL)) use.where = NULL;
  calve_buffer_put(&w->tables, &use, sizeof use);
  return CALVE_OK;
}

/* Which sides of a join may be filtered first by the WHERE above it. */
static void join_sides(const calve_json *join, bool *left, bool *right) {
  calve_str type = text_of(join, "join_type"), kind = text_of(join, "ref_type");
  bool inner = calve_str_equal_text(type, "INNER");
  bool plain = calve_str_equal_text(kind, "REGULAR") || calve_str_equal_text(kind, "CROSS") ||
               calve_str_equal_text(kind, "NATURAL");
  *left = (plain && (inner || calve_str_equal_text(type, "LEFT") ||
                     calve_str_equal_text(type, "SEMI") || calve_str_equal_text(type, "ANTI"))) ||
          (calve_str_equal_text(kind, "ASOF") && inner);
  *right = plain && (inner || calve_str_equal_text(type, "RIGHT"));
}

static calve_status walk_from(walk *w, const calve_json *node, const from_context *from,
                              calve_error *err) {
  if (!node || node->kind != CALVE_JSON_OBJECT) return CALVE_OK;
  if (has_type(node, "BASE_TABLE")) return add_table(w, node, from, err);
  if (!has_type(node, "JOIN")) return walk_any(w, node, from->ctes, err);
  bool keeps_left, keeps_right;
  join_sides(node, &keeps_left, &keeps_right);
  from_context side = *from;
  if (!keeps_left) side.where = NULL;
  CALVE_TRY(walk_from(w, calve_json_get(node, "left"), &side, err));
  side.where = keeps_right ? from->where : NULL;
  CALVE_TRY(walk_from(w, calve_json_get(node, "right"), &side, err));
  return walk_any(w, calve_json_get(node, "condition"), from->ctes, err);
}

static calve_status make_scope(walk *w, const calve_json *from, const calve_scope **out,
                               calve_error *err) {
  calve_buffer bindings;
  calve_buffer_init(&bindings, w->arena->allocator);
  collect_bindings(from, &bindings);
  calve_status status = calve_buffer_check(&bindings, err);
  calve_scope *scope = CALVE_NEW(w->arena, calve_scope);
  void *copy = calve_arena_copy(w->arena, bindings.data, bindings.size);
  if (status == CALVE_OK && (!scope || !copy)) status = calve_fail_oom(err);
  if (status == CALVE_OK) {
    *scope = (calve_scope){copy, CALVE_COUNT(&bindings, calve_str)};
    *out = scope;
  }
  calve_buffer_free(&bindings);
  return status;
}

static calve_status walk_select(walk *w, const calve_json *node, const cte_scope *outer,
                                calve_error *err) {
  const calve_json *from_table = calve_json_get(node, "from_table");
  const calve_json *sample = calve_json_get(node, "sample");
  cte_scope ctes = {calve_json_get(calve_json_get(node, "cte_map"), "map"), outer};
  const calve_json *where = calve_json_get(node, "where_clause");
  from_context from = {.ctes = &ctes};
  if (where && where->kind == CALVE_JSON_OBJECT) from.where = where;
  if (sample && sample->kind != CALVE_JSON_NULL) from.where = NULL;
  CALVE_TRY(make_scope(w, from_table, &from.scope, err));
  for (size_t i = 0; i < node->count; i++) {
    if (calve_str_equal_text(node->keys[i], "from_table"))
      CALVE_TRY(walk_from(w, &node->items[i], &from, err));
    else
      CALVE_TRY(walk_any(w, &node->items[i], &ctes, err));
  }
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

static calve_status walk_items(walk *w, const calve_json *node, const cte_scope *ctes,
                               calve_error *err) {
  cte_scope own = {calve_json_get(calve_json_get(node, "cte_map"), "map"), ctes};
  for (size_t i = 0; i < node->count; i++)
    CALVE_TRY(walk_any(w, &node->items[i], own.map ? &own : ctes, err));
  return CALVE_OK;
}

/* Anything: looks for the SELECTs, tables and columns in it. Depth is capped by the JSON reader. */
static calve_status walk_any(walk *w, const calve_json *node, const cte_scope *ctes,
                             calve_error *err) {
  if (!node) return CALVE_OK;
  bool outer = w->inside_or;
  if (node->kind == CALVE_JSON_OBJECT) {
    if (has_type(node, "SELECT_NODE")) return walk_select(w, node, ctes, err);
    if (has_type(node, "BASE_TABLE")) return add_table(w, node, &(from_context){.ctes = ctes}, err);
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
