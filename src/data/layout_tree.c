/* SPDX-License-Identifier: Apache-2.0 */
#include "data/layout_tree.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "data/sql_text.h"

typedef struct builder {
  const calve_layout_element *elements;
  size_t count, at;
  calve_str path;
  calve_arena *arena;
  bool has_ids;
} builder;

static calve_status corrupt(const builder *b, const char *what, calve_error *err) {
  return calve_fail(err, CALVE_ECORRUPT, b->path.data, "the Parquet schema %s", what);
}

static calve_status build_node(builder *b, int depth, calve_layout_node *out, calve_error *err);

/* A repeated element outside of LIST and MAP is a list of its own; it has no element id, so that
 * only its own id can be asked for. */
static calve_status wrap_repeated(builder *b, calve_layout_node *node, calve_error *err) {
  calve_layout_node *element = CALVE_NEW(b->arena, calve_layout_node);
  if (!element) return calve_fail_oom(err);
  *element = *node;
  element->field_id = -1;
  node->kind = CALVE_LAYOUT_LIST;
  node->child_count = 1;
  node->children = element;
  return CALVE_OK;
}

/* `count` nodes from the current element on. `listed`: the node is the repeated element of a list
 * that stands around it. */
static calve_status build_children(builder *b, int64_t count, bool listed, int depth,
                                   const calve_layout_node **out, calve_error *err) {
  if (count < 0 || (uint64_t)count > b->count - b->at)
    return corrupt(b, "ends before all of its elements are there", err);
  calve_layout_node *nodes = CALVE_NEW_ARRAY(b->arena, calve_layout_node, (size_t)count);
  if (!nodes) return calve_fail_oom(err);
  for (int64_t i = 0; i < count; i++) {
    bool repeated = b->at < b->count && b->elements[b->at].repeated && !listed;
    CALVE_TRY(build_node(b, depth, &nodes[i], err));
    if (repeated) CALVE_TRY(wrap_repeated(b, &nodes[i], err));
  }
  *out = nodes;
  return CALVE_OK;
}

/* Whether the repeated group below a LIST is itself the element, as old writers have it. */
static bool is_element(const calve_layout_element *repeated, calve_str list_name) {
  if (repeated->child_count != 1) return true;
  if (calve_str_equal_text(repeated->name, "array")) return true;
  static const char suffix[] = "_tuple";
  return repeated->name.size == list_name.size + sizeof suffix - 1 &&
         calve_str_starts_with(repeated->name, list_name) &&
         calve_str_ends_with(repeated->name, CALVE_STR("_tuple"));
}

static calve_status build_list(builder *b, const calve_layout_element *e, int depth,
                               calve_layout_node *out, calve_error *err) {
  if (b->at >= b->count) return corrupt(b, "has a list without an element", err);
  const calve_layout_element *repeated = &b->elements[b->at];
  out->kind = CALVE_LAYOUT_LIST;
  out->child_count = 1;
  bool is_own_element = is_element(repeated, e->name);
  if (!is_own_element) b->at++; /* step into the group in between */
  return build_children(b, 1, is_own_element, depth, &out->children, err);
}

static calve_status build_map(builder *b, int depth, calve_layout_node *out, calve_error *err) {
  if (b->at >= b->count || b->elements[b->at].child_count != 2)
    return corrupt(b, "has a map without key and value", err);
  b->at++;
  out->kind = CALVE_LAYOUT_MAP;
  out->child_count = 2;
  return build_children(b, 2, false, depth, &out->children, err);
}

static calve_status build_node(builder *b, int depth, calve_layout_node *out, calve_error *err) {
  if (depth > CALVE_DEPTH_MAX) return corrupt(b, "nests deeper than this version reads", err);
  if (b->at >= b->count) return corrupt(b, "ends before all of its elements are there", err);
  const calve_layout_element *e = &b->elements[b->at++];
  memset(out, 0, sizeof *out);
  out->field_id = e->field_id < 0 || e->field_id > INT32_MAX ? -1 : (int32_t)e->field_id;
  if (out->field_id >= 0) b->has_ids = true;
  CALVE_TRY(calve_arena_str(b->arena, e->name, &out->name, err));
  if (e->child_count == 0) {
    out->kind = CALVE_LAYOUT_LEAF;
    return calve_arena_str(b->arena, e->sql_type, &out->sql_type, err);
  }
  if (e->is_map) return build_map(b, depth + 1, out, err);
  if (e->is_list && e->child_count == 1) return build_list(b, e, depth + 1, out, err);
  out->kind = CALVE_LAYOUT_STRUCT;
  out->child_count = (size_t)e->child_count;
  return build_children(b, e->child_count, false, depth + 1, &out->children, err);
}

calve_status calve_layout_build(const calve_layout_element *elements, size_t count, calve_str path,
                                calve_arena *arena, const calve_layout **out, calve_error *err) {
  builder b = {.elements = elements, .count = count, .path = path, .arena = arena, .at = 1};
  if (count == 0) return corrupt(&b, "is empty", err);
  calve_layout *layout = CALVE_NEW(arena, calve_layout);
  if (!layout) return calve_fail_oom(err);
  CALVE_TRY(build_children(&b, elements[0].child_count, false, 1, &layout->columns, err));
  layout->column_count = (size_t)elements[0].child_count;
  if (b.at != count) return corrupt(&b, "has elements that belong to no column", err);
  CALVE_TRY(calve_arena_str(arena, path, &layout->example, err));
  layout->has_ids = b.has_ids;
  *out = layout;
  return CALVE_OK;
}

/* ---- questions ------------------------------------------------------------------------------- */

calve_status calve_layout_find(const calve_layout_node *nodes, size_t count, int32_t field_id,
                               const calve_layout *layout, const calve_layout_node **out,
                               calve_error *err) {
  const calve_layout_node *found = NULL;
  for (size_t i = 0; i < count; i++) {
    if (nodes[i].field_id != field_id || field_id < 0) continue;
    if (found)
      return calve_fail(err, CALVE_ECORRUPT, layout->example.data,
                        "the data file has two columns with field id %d: %.*s and %.*s",
                        (int)field_id, CALVE_STR_ARG(found->name), CALVE_STR_ARG(nodes[i].name));
    found = &nodes[i];
  }
  *out = found;
  return CALVE_OK;
}

bool calve_layout_has_id(const calve_layout_node *nodes, size_t count, int32_t field_id) {
  for (size_t i = 0; i < count; i++)
    if (nodes[i].field_id == field_id ||
        calve_layout_has_id(nodes[i].children, nodes[i].child_count, field_id))
      return true;
  return false;
}

const calve_layout_node *calve_layout_clash(const calve_layout_node *node) {
  for (size_t i = 0; i < node->child_count; i++) {
    const calve_layout_node *child = &node->children[i];
    for (size_t j = 0; node->kind == CALVE_LAYOUT_STRUCT && j < i; j++)
      if (calve_str_equal_nocase(child->name, node->children[j].name)) return child;
    const calve_layout_node *below = calve_layout_clash(child);
    if (below) return below;
  }
  return NULL;
}

void calve_layout_type(calve_buffer *out, const calve_layout_node *node) {
  switch (node->kind) {
    case CALVE_LAYOUT_LEAF:
      calve_buffer_put_str(out, node->sql_type);
      return;
    case CALVE_LAYOUT_LIST:
      calve_layout_type(out, &node->children[0]);
      calve_buffer_puts(out, "[]");
      return;
    case CALVE_LAYOUT_MAP:
      calve_buffer_puts(out, "MAP(");
      calve_layout_type(out, &node->children[0]);
      calve_buffer_puts(out, ", ");
      calve_layout_type(out, &node->children[1]);
      calve_buffer_putc(out, ')');
      return;
    case CALVE_LAYOUT_STRUCT:
      calve_buffer_puts(out, "STRUCT(");
      for (size_t i = 0; i < node->child_count; i++) {
        if (i > 0) calve_buffer_puts(out, ", ");
        calve_sql_name(out, node->children[i].name);
        calve_buffer_putc(out, ' ');
        calve_layout_type(out, &node->children[i]);
      }
      calve_buffer_putc(out, ')');
      return;
  }
}

/* ---- name mapping ---------------------------------------------------------------------------- */

/* The names that the mapping has for list elements, map keys and values; the file's own names for
 * these groups mean nothing. */
static calve_str mapped_name(const calve_layout_node *parent, size_t index) {
  if (parent->kind == CALVE_LAYOUT_LIST) return CALVE_STR("element");
  if (parent->kind == CALVE_LAYOUT_MAP) return index == 0 ? CALVE_STR("key") : CALVE_STR("value");
  return parent->children[index].name;
}

static calve_status map_node(calve_layout_node *node, calve_str name,
                             const calve_mapped_field *fields, size_t field_count,
                             calve_arena *arena, calve_error *err) {
  const calve_mapped_field *mapped = calve_mapped_field_find(fields, field_count, name);
  node->field_id = mapped ? mapped->field_id : -1;
  if (node->child_count == 0) return CALVE_OK;
  calve_layout_node *children = CALVE_NEW_ARRAY(arena, calve_layout_node, node->child_count);
  if (!children) return calve_fail_oom(err);
  memcpy(children, node->children, node->child_count * sizeof *children);
  for (size_t i = 0; i < node->child_count; i++)
    CALVE_TRY(map_node(&children[i], mapped_name(node, i), mapped ? mapped->children : NULL,
                       mapped ? mapped->child_count : 0, arena, err));
  node->children = children;
  return CALVE_OK;
}

calve_status calve_layout_with_mapping(const calve_layout *layout,
                                       const calve_name_mapping *mapping, calve_arena *arena,
                                       const calve_layout **out, calve_error *err) {
  calve_layout *copy = CALVE_NEW(arena, calve_layout);
  calve_layout_node *columns = CALVE_NEW_ARRAY(arena, calve_layout_node, layout->column_count);
  if (!copy || !columns) return calve_fail_oom(err);
  *copy = *layout;
  for (size_t i = 0; i < layout->column_count; i++) {
    columns[i] = layout->columns[i];
    CALVE_TRY(
        map_node(&columns[i], columns[i].name, mapping->fields, mapping->field_count, arena, err));
  }
  copy->columns = columns;
  *out = copy;
  return CALVE_OK;
}
