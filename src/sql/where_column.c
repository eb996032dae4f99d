/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/where_parts.h"

/* A field of a struct, without case as the engine resolves it; NULL if none or two fit. */
static const calve_field *struct_field(const calve_type *type, calve_str name) {
  const calve_field *found = NULL;
  for (int32_t i = 0; i < type->field_count; i++) {
    if (!calve_str_equal_nocase(type->fields[i].name, name)) continue;
    if (found) return NULL;
    found = &type->fields[i];
  }
  return found;
}

/* The path leads through structs only. */
const calve_field *calve_where__resolve(const calve_where__writer *w, const calve_json *node) {
  const calve_type *root = w->options->schema->root;
  const calve_json *path = calve_json_get(node, "path");
  int64_t item, column;
  if (!path || !calve_where__class_is(node, "COLUMN_REF") ||
      !calve_json_as_i64(calve_json_get(node, "item"), &item) || item != w->options->item ||
      !calve_json_as_i64(calve_json_get(node, "column"), &column) || column < 0 ||
      column >= root->field_count)
    return NULL;
  const calve_field *field = &root->fields[column];
  for (size_t i = 0; i < path->count && field; i++)
    field = field->type->id == CALVE_STRUCT ? struct_field(field->type, path->items[i].text) : NULL;
  return field;
}

void calve_where__write_column(calve_where__writer *w, const calve_field *field) {
  const calve_schema_node *node = calve_schema_find_id(w->options->schema, field->id);
  calve_buffer_putc(w->out, '"');
  for (size_t i = 0; i < node->full_name.size; i++) {
    if (node->full_name.data[i] == '"') calve_buffer_putc(w->out, '"');
    calve_buffer_putc(w->out, node->full_name.data[i]);
  }
  calve_buffer_putc(w->out, '"');
}

/* SQL's functions that are called without parentheses parse as columns. */
static bool is_clock(const calve_json *node) {
  static const char *const names[] = {"current_date", "current_timestamp", "localtimestamp"};
  const calve_json *parts = calve_json_get(node, "column_names");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (parts && parts->count == 1 &&
        calve_str_equal_nocase(parts->items[0].text, calve_str_of(names[i])))
      return true;
  return false;
}

/* Any column inside, whatever it is called. */
static bool names_column(const calve_json *node) {
  if (calve_where__class_is(node, "COLUMN_REF") || calve_where__class_is(node, "PARAMETER"))
    return true;
  for (size_t i = 0; i < node->count; i++)
    if (names_column(&node->items[i])) return true;
  return false;
}

/* (SELECT 3): one value, of no table. */
static bool is_constant_subquery(const calve_json *node) {
  const calve_json *type = calve_json_get(node, "subquery_type");
  const calve_json *select = calve_json_get(calve_json_get(node, "subquery"), "node");
  const calve_json *list = calve_json_get(select, "select_list");
  const calve_json *ctes = calve_json_get(calve_json_get(select, "cte_map"), "map");
  return calve_where__class_is(node, "SUBQUERY") && type &&
         calve_str_equal_text(type->text, "SCALAR") &&
         calve_where__type_is(select, "SELECT_NODE") && list && list->count == 1 && ctes &&
         ctes->count == 0 && calve_where__type_is(calve_json_get(select, "from_table"), "EMPTY") &&
         !calve_where_has_column(list) && !names_column(select);
}

bool calve_where_has_column(const calve_json *node) {
  if (!node) return false;
  if (node->kind == CALVE_JSON_OBJECT) {
    if (calve_where__class_is(node, "COLUMN_REF")) return !is_clock(node);
    if (is_constant_subquery(node)) return false;
    if (calve_where__class_is(node, "SUBQUERY") || calve_where__class_is(node, "PARAMETER") ||
        calve_where__class_is(node, "STAR") || calve_where__class_is(node, "LAMBDA"))
      return true;
  }
  for (size_t i = 0; i < node->count; i++)
    if (calve_where_has_column(&node->items[i])) return true;
  return false;
}

bool calve_where__is_zoned(const calve_type *type) {
  return type->id == CALVE_TIMESTAMPTZ || type->id == CALVE_TIMESTAMPTZ_NS;
}
