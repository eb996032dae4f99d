/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "base/text.h"
#include "data/sql_text.h"
#include "data/stage.h"

/* One thing that must not be in the rows. */
typedef struct rule {
  const calve_schema_node *node;
  bool null; /* else: a value that Iceberg has no room for                                      */
} rule;

static size_t index_of_top(const calve_schema *schema, const calve_schema_node *node) {
  while (node->parent) node = node->parent;
  return (size_t)(node->field - schema->root->fields);
}

calve_status calve_stage__path(const calve_schema *schema, const calve_schema_node *node,
                               calve_arena *arena, calve_str *out, calve_error *err) {
  if (!node->parent) return calve_arena_printf(arena, out, err, "c%zu", index_of_top(schema, node));
  calve_str parent;
  CALVE_TRY(calve_stage__path(schema, node->parent, arena, &parent, err));
  calve_buffer sql;
  calve_buffer_init(&sql, arena->allocator);
  calve_buffer_puts(&sql, "struct_extract(");
  calve_buffer_put_str(&sql, parent);
  calve_buffer_puts(&sql, ", ");
  calve_sql_string(&sql, node->field->name);
  calve_buffer_putc(&sql, ')');
  calve_status status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK) status = calve_arena_str(arena, calve_buffer_view(&sql), out, err);
  calve_buffer_free(&sql);
  return status;
}

/* ---- conditions ------------------------------------------------------------------------------ */

static void put_test(const rule *r, calve_str value, calve_buffer *out) {
  if (r->null) {
    calve_buffer_put_str(out, value);
    calve_buffer_puts(out, " IS NULL");
  } else if (r->node->field->type->id == CALVE_TIME) {
    calve_buffer_put_str(out, value);
    calve_buffer_puts(out, " >= TIME '24:00:00'");
  } else {
    calve_buffer_puts(out, "NOT isfinite(");
    calve_buffer_put_str(out, value);
    calve_buffer_putc(out, ')');
  }
}

/* Whether something below `value` breaks the rule. chain[0] is the rule's node, chain[depth] the
 * one that `value` is of; parents that are null break nothing. */
static calve_status put_condition(const calve_schema_node *const *chain, size_t depth,
                                  calve_str value, const rule *r, calve_arena *arena,
                                  calve_buffer *out, calve_error *err) {
  if (depth == 0) {
    put_test(r, value, out);
    return CALVE_OK;
  }
  const calve_schema_node *child = chain[depth - 1];
  calve_str inner;
  if (chain[depth]->field->type->id == CALVE_STRUCT) {
    calve_buffer text;
    calve_buffer_init(&text, arena->allocator);
    calve_buffer_puts(&text, "struct_extract(");
    calve_buffer_put_str(&text, value);
    calve_buffer_puts(&text, ", ");
    calve_sql_string(&text, child->field->name);
    calve_buffer_putc(&text, ')');
    calve_status status = calve_buffer_check(&text, err);
    if (status == CALVE_OK) status = calve_arena_str(arena, calve_buffer_view(&text), &inner, err);
    calve_buffer_free(&text);
    CALVE_TRY(status);
    calve_buffer_put_str(out, value);
    calve_buffer_puts(out, " IS NOT NULL AND ");
    return put_condition(chain, depth - 1, inner, r, arena, out, err);
  }
  bool map = chain[depth]->field->type->id == CALVE_MAP;
  CALVE_TRY(calve_arena_printf(arena, &inner, err, "e%zu%s%.*s", depth, map ? "." : "",
                               map ? (int)child->field->name.size : 0,
                               map ? child->field->name.data : ""));
  calve_buffer_puts(out, map ? "len(list_filter(map_entries(" : "len(list_filter(");
  calve_buffer_put_str(out, value);
  calve_buffer_printf(out, "%s, lambda e%zu: ", map ? ")" : "", depth);
  CALVE_TRY(put_condition(chain, depth - 1, inner, r, arena, out, err));
  calve_buffer_puts(out, ")) > 0");
  return CALVE_OK;
}

static calve_status put_rule(const calve_stage *stage, const rule *r, calve_buffer *out,
                             calve_error *err) {
  const calve_schema_node *chain[CALVE_DEPTH_MAX + 2];
  size_t count = 0;
  for (const calve_schema_node *n = r->node; n; n = n->parent) {
    if (count > CALVE_DEPTH_MAX)
      return calve_fail(err, CALVE_EUNSUPPORTED, NULL, "column %.*s is nested too deep",
                        CALVE_STR_ARG(r->node->full_name));
    chain[count++] = n;
  }
  calve_str top;
  CALVE_TRY(
      calve_arena_printf(stage->arena, &top, err, "c%zu", index_of_top(stage->schema, r->node)));
  calve_buffer_puts(out, "count(*) FILTER (WHERE ");
  CALVE_TRY(put_condition(chain, count - 1, top, r, stage->arena, out, err));
  calve_buffer_putc(out, ')');
  return CALVE_OK;
}

/* ---- the check ------------------------------------------------------------------------------- */

static bool can_be_infinite(const calve_type *type) {
  return type->id == CALVE_DATE || type->id == CALVE_TIME || type->id == CALVE_TIMESTAMP ||
         type->id == CALVE_TIMESTAMPTZ || type->id == CALVE_TIMESTAMP_NS;
}

static bool is_map_key(const calve_schema_node *node) {
  return node->parent && node->parent->field->type->id == CALVE_MAP &&
         node->field == &node->parent->field->type->fields[0];
}

static void collect(const calve_stage *stage, calve_buffer *rules) {
  for (int32_t i = 0; i < stage->schema->node_count; i++) {
    const calve_schema_node *node = &stage->schema->nodes[i];
    if (!stage->columns[index_of_top(stage->schema, node)]) continue;
    /* The engine itself keeps null out of map keys. */
    if (node->field->required && !is_map_key(node)) CALVE_PUSH(rules, rule, node, true);
    if (can_be_infinite(node->field->type)) CALVE_PUSH(rules, rule, node, false);
  }
}

static calve_status complain(const rule *r, int64_t rows, calve_error *err) {
  const calve_schema_node *node = r->node;
  const char *plural = rows == 1 ? "row has" : "rows have";
  if (r->null)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "column %.*s is required (NOT NULL), but %lld %s null there",
                      CALVE_STR_ARG(node->full_name), (long long)rows, plural);
  return calve_fail(err, CALVE_EINVAL, NULL,
                    "column %.*s: %lld %s a value that Iceberg can't store (%s)",
                    CALVE_STR_ARG(node->full_name), (long long)rows, plural,
                    node->field->type->id == CALVE_TIME ? "24:00:00" : "infinity");
}

calve_status calve_stage__check_rows(const calve_stage *stage, calve_error *err) {
  const calve_allocator *allocator = calve_engine_allocator(stage->engine);
  calve_buffer rules, sql;
  calve_buffer_init(&rules, allocator);
  calve_buffer_init(&sql, allocator);
  collect(stage, &rules);
  size_t count = CALVE_COUNT(&rules, rule);
  calve_status status = calve_buffer_check(&rules, err);
  calve_buffer_puts(&sql, "SELECT ");
  for (size_t i = 0; i < count && status == CALVE_OK; i++) {
    if (i > 0) calve_buffer_puts(&sql, ", ");
    status = put_rule(stage, &CALVE_ITEMS(&rules, rule)[i], &sql, err);
  }
  calve_buffer_printf(&sql, " FROM %s", stage->table);
  const char *text = calve_buffer_cstr(&sql);
  int64_t *bad = CALVE_NEW_ARRAY(stage->arena, int64_t, count);
  if (status == CALVE_OK) status = bad ? calve_buffer_check(&sql, err) : calve_fail_oom(err);
  if (status == CALVE_OK && count > 0)
    status = calve_engine_query_i64(stage->engine, text, 0, bad, count, err);
  for (size_t i = 0; i < count && status == CALVE_OK; i++)
    if (bad[i] > 0) status = complain(&CALVE_ITEMS(&rules, rule)[i], bad[i], err);
  calve_buffer_free(&sql);
  calve_buffer_free(&rules);
  return status;
}
