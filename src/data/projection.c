/* SPDX-License-Identifier: Apache-2.0 */
#include "data/projection.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "data/sql_text.h"
#include "data/types.h"

/* ---- leaves ---------------------------------------------------------------------------------- */

/* How a leaf of one DuckDB type is read as another; %s stands for the input. Only what loses
 * nothing: promotions of the spec, and types that other writers spell differently. */
static const struct {
  const char *file, *table, *format;
} conversions[] = {
    {"INTEGER", "BIGINT", NULL}, /* NULL: a cast */
    {"FLOAT", "DOUBLE", NULL},
    {"DATE", "TIMESTAMP", NULL},
    {"DATE", "TIMESTAMP_NS", NULL},
    {"TINYINT", "INTEGER", NULL},
    {"SMALLINT", "INTEGER", NULL},
    {"UTINYINT", "INTEGER", NULL},
    {"USMALLINT", "INTEGER", NULL},
    {"TINYINT", "BIGINT", NULL},
    {"SMALLINT", "BIGINT", NULL},
    {"UTINYINT", "BIGINT", NULL},
    {"USMALLINT", "BIGINT", NULL},
    {"UINTEGER", "BIGINT", NULL},
    {"TIME WITH TIME ZONE", "TIME", NULL},
    {"TIMESTAMP", "TIMESTAMP_NS", NULL},
    /* The flag for UTC is missing or wrong in files of old writers (INT96 has none). The numbers
     * are right; a cast would shift them by the session's time zone. */
    {"TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "timezone('UTC', %s)"},
    {"TIMESTAMP WITH TIME ZONE", "TIMESTAMP", "timezone('UTC', %s)"},
    /* Strings without the UTF8 annotation, and the other way. */
    {"BLOB", "VARCHAR", "decode(%s)"},
    {"VARCHAR", "BLOB", "encode(%s)"},
    /* 16 bytes without the UUID annotation. */
    {"BLOB", "UUID", "CAST(hex(%s) AS UUID)"},
};

static bool decimal_of(calve_str type, int *precision, int *scale) {
  char text[40];
  if (type.size >= sizeof text) return false;
  if (type.size > 0) memcpy(text, type.data, type.size);
  text[type.size] = '\0';
  return sscanf(text, "DECIMAL(%d,%d)", precision, scale) == 2;
}

/* The format that reads a leaf, or NULL. *plain: the types are equal. *cast: a cast does it. */
static const char *leaf_conversion(calve_str file, const calve_type *type, calve_buffer *name,
                                   bool *plain, bool *cast) {
  *plain = *cast = false;
  name->size = 0; /* keeps its oom, unlike calve_buffer_clear */
  calve_sql_type(name, type);
  calve_str table = calve_buffer_view(name);
  if (calve_str_equal(file, table)) {
    *plain = true;
    return NULL;
  }
  int precision, scale;
  if (type->id == CALVE_DECIMAL && decimal_of(file, &precision, &scale)) {
    *cast = scale == type->scale && precision <= type->precision;
    return NULL;
  }
  if (calve_str_equal_text(file, "\"NULL\"")) {
    *cast = true;
    return NULL;
  }
  for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++) {
    if (!calve_str_equal_text(file, conversions[i].file) ||
        !calve_str_equal_text(table, conversions[i].table))
      continue;
    *cast = conversions[i].format == NULL;
    return conversions[i].format;
  }
  return NULL;
}

/* ---- equal shapes ---------------------------------------------------------------------------- */

static bool same_shape(const calve_type *type, const calve_layout_node *node, calve_buffer *name) {
  if (node->kind == CALVE_LAYOUT_LEAF) {
    if (calve_type_is_nested(type)) return false;
    bool plain, cast;
    (void)leaf_conversion(node->sql_type, type, name, &plain, &cast);
    return plain;
  }
  calve_layout_kind kind = type->id == CALVE_STRUCT ? CALVE_LAYOUT_STRUCT
                           : type->id == CALVE_LIST ? CALVE_LAYOUT_LIST
                                                    : CALVE_LAYOUT_MAP;
  if (!calve_type_is_nested(type) || kind != node->kind ||
      (size_t)type->field_count != node->child_count)
    return false;
  for (size_t i = 0; i < node->child_count; i++) {
    const calve_field *field = &type->fields[i];
    const calve_layout_node *child = &node->children[i];
    if (field->id != child->field_id) return false;
    if (kind == CALVE_LAYOUT_STRUCT && !calve_str_equal(field->name, child->name)) return false;
    if (!same_shape(field->type, child, name)) return false;
  }
  return true;
}

void calve_project_input_type(const calve_field *field, const calve_layout_node *node,
                              calve_buffer *out, bool *as_is) {
  calve_buffer name;
  calve_buffer_init(&name, out->allocator);
  bool plain = same_shape(field->type, node, &name), cast = false;
  if (!plain && node->kind == CALVE_LAYOUT_LEAF && !calve_type_is_nested(field->type)) {
    /* Only these: the reader compares a pushed-down constant in the file's type, and 0.1 is equal
     * to a float's 0.1, noon equal to its date. Integers and decimals it compares exactly. */
    bool promoted = field->type->id == CALVE_LONG || field->type->id == CALVE_DECIMAL;
    (void)leaf_conversion(node->sql_type, field->type, &name, &plain, &cast);
    plain |= cast && promoted;
  }
  *as_is = plain;
  if (plain)
    calve_sql_type(out, field->type);
  else
    calve_layout_type(out, node);
  out->oom |= name.oom;
  calve_buffer_free(&name);
}

/* ---- columns that the file lacks ------------------------------------------------------------- */

static const calve_projection_constant *constant_of(const calve_projection *p, int32_t id) {
  for (size_t i = 0; i < p->constant_count; i++)
    if (p->constants[i].field_id == id) return &p->constants[i];
  return NULL;
}

static bool has_constant(const calve_projection *p, const calve_type *type) {
  if (p->constant_count == 0 || type->id != CALVE_STRUCT) return false;
  for (int32_t i = 0; i < type->field_count; i++)
    if (constant_of(p, type->fields[i].id) || has_constant(p, type->fields[i].type)) return true;
  return false;
}

static void put_failure(const calve_projection *p, const calve_field *field, const char *what,
                        calve_str detail, calve_buffer *out) {
  char type_text[CALVE_TYPE_TEXT_MAX];
  calve_buffer message, type;
  calve_buffer_init(&message, out->allocator);
  calve_buffer_init(&type, out->allocator);
  calve_buffer_printf(&message, "column %.*s (field id %d, %s) %s%.*s; a file of this kind is %.*s",
                      CALVE_STR_ARG(field->name), (int)field->id,
                      calve_type_text(field->type, type_text), what, CALVE_STR_ARG(detail),
                      CALVE_STR_ARG(p->layout->example));
  calve_sql_type(&type, field->type);
  calve_sql_error(out, calve_buffer_cstr(&type), calve_buffer_cstr(&message));
  out->oom |= message.oom || type.oom;
  calve_buffer_free(&type);
  calve_buffer_free(&message);
}

static calve_status put_missing(const calve_projection *p, const calve_field *field,
                                calve_buffer *out, calve_error *err) {
  const calve_projection_constant *constant = constant_of(p, field->id);
  if (constant) {
    calve_buffer_put_str(out, constant->sql);
    return CALVE_OK;
  }
  const calve_value *value = field->initial_default;
  if (value && !value->is_null && !calve_type_is_nested(field->type))
    return calve_sql_value(out, value, field->type, err);
  /* A struct's default can only be {}: its fields then have their own defaults. */
  if ((value && !value->is_null && field->type->id == CALVE_STRUCT) ||
      has_constant(p, field->type)) {
    calve_buffer_puts(out, "struct_pack(");
    for (int32_t i = 0; i < field->type->field_count; i++) {
      if (i > 0) calve_buffer_puts(out, ", ");
      calve_sql_name(out, field->type->fields[i].name);
      calve_buffer_puts(out, " := ");
      CALVE_TRY(put_missing(p, &field->type->fields[i], out, err));
    }
    calve_buffer_putc(out, ')');
    return CALVE_OK;
  }
  if (field->required) {
    put_failure(p, field, "is required, but data files without it exist and it has no default",
                (calve_str){0}, out);
    return CALVE_OK;
  }
  calve_buffer_puts(out, "NULL::");
  calve_sql_type(out, field->type);
  return CALVE_OK;
}

/* ---- columns that it has --------------------------------------------------------------------- */

static void put_leaf(const calve_projection *p, const calve_field *field,
                     const calve_layout_node *node, calve_str input, calve_buffer *out) {
  if (field->type->id == CALVE_UNKNOWN) { /* always null, whatever a writer put there */
    calve_buffer_puts(out, "NULL::");
    calve_sql_type(out, field->type);
    return;
  }
  calve_buffer name;
  calve_buffer_init(&name, out->allocator);
  bool plain, cast;
  const char *format = leaf_conversion(node->sql_type, field->type, &name, &plain, &cast);
  if (plain) {
    calve_buffer_put_str(out, input);
  } else if (cast) {
    calve_buffer_puts(out, "CAST(");
    calve_buffer_put_str(out, input);
    calve_buffer_puts(out, " AS ");
    calve_buffer_put_str(out, calve_buffer_view(&name));
    calve_buffer_putc(out, ')');
  } else if (format) {
    const char *hole = strstr(format, "%s");
    calve_buffer_put(out, format, (size_t)(hole - format));
    calve_buffer_put_str(out, input);
    calve_buffer_puts(out, hole + 2);
  } else {
    put_failure(p, field, "can't be read from data files that have it as ", node->sql_type, out);
  }
  out->oom |= name.oom;
  calve_buffer_free(&name);
}

/* Text built in a buffer, kept in the scratch arena. */
static calve_status keep(const calve_projection *p, calve_buffer *b, calve_str *out,
                         calve_error *err) {
  calve_status status = calve_buffer_check(b, err);
  if (status == CALVE_OK) status = calve_arena_str(p->scratch, calve_buffer_view(b), out, err);
  calve_buffer_free(b);
  return status;
}

static calve_status put_field(const calve_projection *p, const calve_field *field,
                              const calve_layout_node *node, calve_str input, int depth,
                              calve_buffer *out, calve_error *err);

static calve_status put_struct(const calve_projection *p, const calve_type *type,
                               const calve_layout_node *node, calve_str input, int depth,
                               calve_buffer *out, calve_error *err) {
  calve_buffer_puts(out, "CASE WHEN ");
  calve_buffer_put_str(out, input);
  calve_buffer_puts(out, " IS NOT NULL THEN struct_pack(");
  for (int32_t i = 0; i < type->field_count; i++) {
    const calve_field *field = &type->fields[i];
    const calve_layout_node *child = NULL;
    CALVE_TRY(
        calve_layout_find(node->children, node->child_count, field->id, p->layout, &child, err));
    calve_str child_input = {0};
    if (child) {
      calve_buffer text;
      calve_buffer_init(&text, out->allocator);
      calve_buffer_puts(&text, "struct_extract(");
      calve_buffer_put_str(&text, input);
      calve_buffer_puts(&text, ", ");
      calve_sql_string(&text, child->name);
      calve_buffer_putc(&text, ')');
      CALVE_TRY(keep(p, &text, &child_input, err));
    }
    if (i > 0) calve_buffer_puts(out, ", ");
    calve_sql_name(out, field->name);
    calve_buffer_puts(out, " := ");
    CALVE_TRY(put_field(p, field, child, child_input, depth + 1, out, err));
  }
  calve_buffer_puts(out, ") END");
  return CALVE_OK;
}

/* list_transform keeps a null list null and an empty one empty. */
static calve_status put_list(const calve_projection *p, const calve_type *type,
                             const calve_layout_node *node, calve_str input, int depth,
                             calve_buffer *out, calve_error *err) {
  const calve_field *field = &type->fields[0];
  const calve_layout_node *element = &node->children[0];
  calve_str name;
  CALVE_TRY(calve_arena_printf(p->scratch, &name, err, "e%d", depth));
  calve_buffer_puts(out, "list_transform(");
  calve_buffer_put_str(out, input);
  calve_buffer_printf(out, ", lambda e%d: ", depth);
  CALVE_TRY(put_field(p, field, element->field_id == field->id ? element : NULL, name, depth + 1,
                      out, err));
  calve_buffer_putc(out, ')');
  return CALVE_OK;
}

static calve_status put_map(const calve_projection *p, const calve_type *type,
                            const calve_layout_node *node, calve_str input, int depth,
                            calve_buffer *out, calve_error *err) {
  calve_buffer_puts(out, "map_from_entries(list_transform(map_entries(");
  calve_buffer_put_str(out, input);
  calve_buffer_printf(out, "), lambda e%d: struct_pack(", depth);
  for (int i = 0; i < 2; i++) {
    const calve_field *field = &type->fields[i];
    const calve_layout_node *child = &node->children[i];
    calve_str name;
    CALVE_TRY(calve_arena_printf(p->scratch, &name, err, "e%d.%s", depth, i ? "value" : "key"));
    calve_buffer_printf(out, "%s := ", i ? ", v" : "k");
    CALVE_TRY(put_field(p, field, child->field_id == field->id ? child : NULL, name, depth + 1, out,
                        err));
  }
  calve_buffer_puts(out, ")))");
  return CALVE_OK;
}

static calve_status put_field(const calve_projection *p, const calve_field *field,
                              const calve_layout_node *node, calve_str input, int depth,
                              calve_buffer *out, calve_error *err) {
  if (!node) return put_missing(p, field, out, err);
  calve_buffer name;
  calve_buffer_init(&name, out->allocator);
  bool same = same_shape(field->type, node, &name);
  out->oom |= name.oom;
  calve_buffer_free(&name);
  if (same) {
    calve_buffer_put_str(out, input);
    return CALVE_OK;
  }
  switch (field->type->id) {
    case CALVE_STRUCT:
      if (node->kind == CALVE_LAYOUT_STRUCT)
        return put_struct(p, field->type, node, input, depth, out, err);
      break;
    case CALVE_LIST:
      if (node->kind == CALVE_LAYOUT_LIST)
        return put_list(p, field->type, node, input, depth, out, err);
      break;
    case CALVE_MAP:
      if (node->kind == CALVE_LAYOUT_MAP)
        return put_map(p, field->type, node, input, depth, out, err);
      break;
    default:
      if (node->kind != CALVE_LAYOUT_LEAF) break;
      put_leaf(p, field, node, input, out);
      return CALVE_OK;
  }
  put_failure(p, field, "can't be read from data files that have another kind of column",
              (calve_str){0}, out);
  return CALVE_OK;
}

calve_status calve_project_field(const calve_projection *p, const calve_field *field,
                                 const calve_layout_node *node, calve_str input, calve_buffer *out,
                                 calve_error *err) {
  return put_field(p, field, node, input, 0, out, err);
}
