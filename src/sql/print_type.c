/* SPDX-License-Identifier: Apache-2.0 */
/* Types, names and literals as the parser reads them back. */
#include <math.h>

#include "data/sql_text.h"
#include "model/value.h"
#include "sql/parser.h"

void calve_sql_name_print(calve_str name, calve_buffer *out) {
  bool plain = name.size > 0 && !(name.data[0] >= '0' && name.data[0] <= '9');
  for (size_t i = 0; i < name.size && plain; i++) {
    char c = name.data[i];
    plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  if (plain) {
    calve_buffer_put_str(out, name);
    return;
  }
  calve_buffer_putc(out, '`');
  for (size_t i = 0; i < name.size; i++) {
    if (name.data[i] == '`') calve_buffer_putc(out, '`');
    calve_buffer_putc(out, name.data[i]);
  }
  calve_buffer_putc(out, '`');
}

void calve_sql_string_print(calve_str text, calve_buffer *out) {
  calve_buffer_putc(out, '\'');
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] == '\'') calve_buffer_putc(out, '\'');
    calve_buffer_putc(out, text.data[i]);
  }
  calve_buffer_putc(out, '\'');
}

static void struct_print(const calve_type *type, calve_buffer *out) {
  calve_buffer_puts(out, "STRUCT<");
  for (int32_t i = 0; i < type->field_count; i++) {
    const calve_field *field = &type->fields[i];
    if (i > 0) calve_buffer_puts(out, ", ");
    calve_sql_name_print(field->name, out);
    calve_buffer_puts(out, ": ");
    calve_sql_type_print(field->type, out);
    if (field->required) calve_buffer_puts(out, " NOT NULL");
    if (field->write_default) calve_sql_default_print(field->write_default, out);
    if (!field->doc.data) continue;
    calve_buffer_puts(out, " COMMENT ");
    calve_sql_string_print(field->doc, out);
  }
  calve_buffer_putc(out, '>');
}

static void inner_print(const calve_field *field, calve_buffer *out) {
  calve_sql_type_print(field->type, out);
  if (field->required) calve_buffer_puts(out, " NOT NULL");
}

void calve_sql_type_print(const calve_type *type, calve_buffer *out) {
  switch (type->id) {
    case CALVE_STRUCT:
      struct_print(type, out);
      return;
    case CALVE_LIST:
      calve_buffer_puts(out, "ARRAY<");
      inner_print(&type->fields[0], out);
      calve_buffer_putc(out, '>');
      return;
    case CALVE_MAP:
      calve_buffer_puts(out, "MAP<");
      calve_sql_type_print(type->fields[0].type, out);
      calve_buffer_puts(out, ", ");
      inner_print(&type->fields[1], out);
      calve_buffer_putc(out, '>');
      return;
    case CALVE_DECIMAL:
      calve_buffer_printf(out, "DECIMAL(%d, %d)", type->precision, type->scale);
      return;
    case CALVE_FIXED:
      calve_buffer_printf(out, "FIXED(%d)", type->length);
      return;
    default:
      calve_buffer_puts(out, calve_sql__type_word(type->id));
  }
}

/* A number as it stands, where the engine's decimals lose nothing of it; else in quotes. */
static void number_print(const calve_value *v, calve_buffer *out) {
  double d = v->type == CALVE_FLOAT ? (double)v->f32 : v->type == CALVE_DOUBLE ? v->f64 : 1;
  calve_buffer text;
  calve_buffer_init(&text, out->allocator);
  calve_value_print(v, &text);
  bool floating = v->type == CALVE_FLOAT || v->type == CALVE_DOUBLE;
  bool plain = !floating || (isfinite(d) && d != 0 && text.size <= 15);
  if (plain)
    calve_buffer_put_str(out, calve_buffer_view(&text));
  else
    calve_sql_string_print(calve_buffer_view(&text), out);
  calve_buffer_free(&text);
}

bool calve_sql_default_print(const calve_value *value, calve_buffer *out) {
  calve_buffer text;
  switch (value->type) {
    case CALVE_STRUCT:
    case CALVE_LIST:
    case CALVE_MAP:
      return false;
    default:
      break;
  }
  calve_buffer_puts(out, " DEFAULT ");
  switch (value->type) {
    case CALVE_BOOLEAN:
    case CALVE_INT:
    case CALVE_LONG:
    case CALVE_FLOAT:
    case CALVE_DOUBLE:
    case CALVE_DECIMAL:
      number_print(value, out);
      return true;
    case CALVE_STRING:
      calve_sql_string_print(value->bytes, out);
      return true;
    case CALVE_FIXED:
    case CALVE_BINARY:
      calve_sql_blob(out, value->bytes);
      return true;
    default:
      calve_buffer_init(&text, out->allocator);
      calve_value_print(value, &text);
      calve_sql_string_print(calve_buffer_view(&text), out);
      calve_buffer_free(&text);
      return true;
  }
}
