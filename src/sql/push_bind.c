/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions with columns bound to items: {"class":"COLUMN_REF","item":3,"column":0,"path":[]}. */
#include <string.h>

#include "sql/push_parts.h"

static calve_json text_node(calve_str text) {
  return (calve_json){.kind = CALVE_JSON_STRING, .text = text, .raw = {"", 0}};
}

static calve_status number_node(calve_push__context *p, int64_t number, calve_json *out,
                                calve_error *err) {
  *out = (calve_json){.kind = CALVE_JSON_NUMBER, .raw = {"", 0}};
  return calve_arena_printf(p->arena, &out->text, err, "%lld", (long long)number);
}

bool calve_push__has_class(const calve_json *node, const char *name) {
  if (!node) return false;
  if (calve_push__is(node, "class", name)) return true;
  for (size_t i = 0; i < node->count; i++)
    if (calve_push__has_class(&node->items[i], name)) return true;
  return false;
}

void calve_push__unknown(calve_json *out) {
  static const calve_str keys[] = {{"class", 5}};
  static const calve_json items[] = {
      {.kind = CALVE_JSON_STRING, .text = {"PARAMETER", 9}, .raw = {"", 0}}};
  *out = (calve_json){
      .kind = CALVE_JSON_OBJECT, .count = 1, .keys = keys, .items = items, .raw = {"", 0}};
}

calve_status calve_push__ref_node(calve_push__context *p, const calve_push__ref *ref,
                                  calve_json *out, calve_error *err) {
  static const calve_str keys[] = {{"class", 5}, {"item", 4}, {"column", 6}, {"path", 4}};
  calve_json *items = CALVE_NEW_ARRAY(p->arena, calve_json, 4);
  if (!items) return calve_fail_oom(err);
  items[0] = text_node(CALVE_STR("COLUMN_REF"));
  CALVE_TRY(number_node(p, ref->item->id, &items[1], err));
  CALVE_TRY(number_node(p, (int64_t)ref->column, &items[2], err));
  items[3] = (calve_json){.kind = CALVE_JSON_ARRAY,
                          .count = ref->path_count,
                          .items = ref->path_count > 0 ? ref->path : NULL,
                          .raw = {"", 0}};
  *out = (calve_json){
      .kind = CALVE_JSON_OBJECT, .count = 4, .keys = keys, .items = items, .raw = {"", 0}};
  return CALVE_OK;
}

bool calve_push__read_ref(const calve_push__context *p, const calve_json *node,
                          calve_push__ref *out) {
  int64_t column, item;
  const calve_json *path = calve_json_get(node, "path");
  if (!path || !calve_push__is(node, "class", "COLUMN_REF") ||
      !calve_json_as_i64(calve_json_get(node, "item"), &item) ||
      !calve_json_as_i64(calve_json_get(node, "column"), &column))
    return false;
  *out = (calve_push__ref){.item = CALVE_ITEMS(&p->items, const calve_push__item *)[item - 1],
                           .column = (size_t)column,
                           .path = path->items,
                           .path_count = path->count};
  return true;
}

calve_status calve_push__make(calve_push__context *p, const char *class, calve_str type,
                              const calve_json *children, size_t count, const calve_json **out,
                              calve_error *err) {
  static const calve_str keys[] = {
      {"class", 5}, {"type", 4}, {"children", 8}, {"left", 4}, {"right", 5}};
  bool comparison = calve_str_equal_text(calve_str_of(class), "COMPARISON");
  calve_json *made = CALVE_NEW(p->arena, calve_json);
  calve_json *items = CALVE_NEW_ARRAY(p->arena, calve_json, 5);
  if (!made || !items) return calve_fail_oom(err);
  items[0] = text_node(calve_str_of(class));
  items[1] = text_node(type);
  items[2] =
      (calve_json){.kind = CALVE_JSON_ARRAY, .count = count, .items = children, .raw = {"", 0}};
  if (comparison) items[3] = children[0];
  if (comparison) items[4] = children[1];
  *made = (calve_json){.kind = CALVE_JSON_OBJECT,
                       .count = comparison ? 5 : 3,
                       .keys = keys,
                       .items = items,
                       .raw = {"", 0}};
  *out = made;
  return CALVE_OK;
}

/* ---- mapping -------------------------------------------------------------------------------- */

static calve_status rewrite(calve_push__context *p, const calve_json *node, int depth,
                            calve_push__map map, void *ctx, calve_json *out, bool *changed,
                            calve_error *err) {
  *out = *node;
  *changed = false;
  if (node->kind != CALVE_JSON_OBJECT && node->kind != CALVE_JSON_ARRAY) return CALVE_OK;
  if (calve_push__is(node, "class", "COLUMN_REF")) return map(ctx, p, node, out, changed, err);
  if (calve_push__is(node, "class", "CONSTANT") || calve_push__is(node, "class", "SUBQUERY") ||
      calve_push__is(node, "class", "LAMBDA"))
    return CALVE_OK; /* columns of a subquery are others, and nothing is read from it */
  p->node_count += node->count;
  if (depth > CALVE_JSON_DEPTH_MAX || p->node_count > p->node_max) {
    calve_push__unknown(out);
    *changed = true;
    return CALVE_OK;
  }
  calve_json *items = NULL;
  for (size_t i = 0; i < node->count; i++) {
    calve_json item;
    bool other;
    CALVE_TRY(rewrite(p, &node->items[i], depth + 1, map, ctx, &item, &other, err));
    if (!other) continue;
    if (!items) items = CALVE_NEW_ARRAY(p->arena, calve_json, node->count);
    if (!items) return calve_fail_oom(err);
    if (!*changed) memcpy(items, node->items, node->count * sizeof *items);
    *changed = true;
    items[i] = item;
  }
  if (!*changed) return CALVE_OK;
  out->items = items;
  out->raw = (calve_str){"", 0}; /* the engine's text of it says something else */
  return CALVE_OK;
}

calve_status calve_push__rewrite(calve_push__context *p, const calve_json *node,
                                 calve_push__map map, void *ctx, const calve_json **out,
                                 calve_error *err) {
  calve_json made;
  bool changed;
  *out = node;
  CALVE_TRY(rewrite(p, node, 0, map, ctx, &made, &changed, err));
  if (!changed) return CALVE_OK;
  calve_json *kept = CALVE_NEW(p->arena, calve_json);
  if (!kept) return calve_fail_oom(err);
  *kept = made;
  *out = kept;
  return CALVE_OK;
}

/* Columns that are none of the view's stay as they are: without an item they are no table's. */
static calve_status bind_one(void *ctx, calve_push__context *p, const calve_json *node,
                             calve_json *out, bool *changed, calve_error *err) {
  calve_push__ref ref;
  CALVE_TRY(calve_push__resolve(p, ctx, calve_json_get(node, "column_names"), &ref, changed, err));
  return *changed ? calve_push__ref_node(p, &ref, out, err) : CALVE_OK;
}

calve_status calve_push__bind(calve_push__context *p, const calve_push__view *view,
                              const calve_json *node, const calve_json **out, calve_error *err) {
  calve_push__view copy = *view;
  return calve_push__rewrite(p, node, bind_one, &copy, out, err);
}
