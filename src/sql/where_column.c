/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/where_parts.h"

/* The table's own name qualifies, or another item of the FROM clause does, or nothing does. */
static bool qualifies(const calve_where__writer *w, calve_str part, bool *own) {
  const calve_table_use *use = w->options->use;
  calve_str binding = use->alias.data ? use->alias : use->table;
  *own = calve_str_equal_nocase(part, binding);
  for (size_t i = 0; i < use->scope->binding_count; i++)
    if (calve_str_equal_nocase(part, use->scope->bindings[i])) return true;
  return false;
}

/* A column at top level, without case as the engine resolves it; NULL if none or two fit. */
static const calve_field *struct_field(const calve_type *type, calve_str name) {
  const calve_field *found = NULL;
  for (int32_t i = 0; i < type->field_count; i++) {
    if (!calve_str_equal_nocase(type->fields[i].name, name)) continue;
    if (found) return NULL;
    found = &type->fields[i];
  }
  return found;
}

/* The field that the name's parts from `first` on lead to, through structs only. */
static const calve_field *follow(const calve_where__writer *w, const calve_json *names,
                                 size_t first) {
  const calve_type *type = w->options->schema->root;
  const calve_field *field = NULL;
  for (size_t i = first; i < names->count; i++) {
    if (type->id != CALVE_STRUCT) return NULL;
    field = struct_field(type, names->items[i].text);
    if (!field) return NULL;
    type = field->type;
  }
  return field;
}

const calve_field *calve_where__resolve(const calve_where__writer *w, const calve_json *node) {
  const calve_json *names = calve_json_get(node, "column_names");
  if (!calve_where__class_is(node, "COLUMN_REF") || !names || names->count == 0) return NULL;
  bool own = false;
  if (names->count == 1) return follow(w, names, 0);
  if (qualifies(w, names->items[0].text, &own)) return own ? follow(w, names, 1) : NULL;
  const calve_table_use *use = w->options->use;
  bool schema = !use->alias.data && names->count > 2 &&
                calve_str_equal_nocase(names->items[0].text, use->schema) &&
                calve_str_equal_nocase(names->items[1].text, use->table);
  return follow(w, names, schema ? 2 : 0);
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

bool calve_where__has_column(const calve_where__writer *w, const calve_json *node) {
  if (!node) return false;
  if (node->kind == CALVE_JSON_OBJECT) {
    if (calve_where__class_is(node, "COLUMN_REF"))
      return !is_clock(node) || calve_where__resolve(w, node);
    if (calve_where__class_is(node, "SUBQUERY") || calve_where__class_is(node, "PARAMETER") ||
        calve_where__class_is(node, "STAR") || calve_where__class_is(node, "LAMBDA"))
      return true;
  }
  for (size_t i = 0; i < node->count; i++)
    if (calve_where__has_column(w, &node->items[i])) return true;
  return false;
}

bool calve_where__is_zoned(const calve_type *type) {
  return type->id == CALVE_TIMESTAMPTZ || type->id == CALVE_TIMESTAMPTZ_NS;
}

const calve_field *calve_where_column(const calve_where_options *options, const calve_json *node) {
  const calve_where__writer w = {.options = options};
  return calve_where__resolve(&w, node);
}
