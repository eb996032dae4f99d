/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "expr/predicate.h"

#define PRINTED_LITERALS_MAX 10

static void print_hex(calve_str bytes, calve_buffer *out) {
  calve_buffer_puts(out, "X'");
  for (size_t i = 0; i < bytes.size; i++)
    calve_buffer_printf(out, "%02x", (unsigned)(unsigned char)bytes.data[i]);
  calve_buffer_putc(out, '\'');
}

static void print_quoted(calve_str text, char quote, calve_buffer *out) {
  calve_buffer_putc(out, quote);
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] == quote) calve_buffer_putc(out, quote);
    calve_buffer_putc(out, text.data[i]);
  }
  calve_buffer_putc(out, quote);
}

static bool is_plain_name(calve_str name) {
  if (name.size == 0 || (name.data[0] >= '0' && name.data[0] <= '9')) return false;
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!word && c != '_' && c != '.' && !((unsigned char)c & 0x80)) return false;
  }
  return true;
}

static void print_term(const calve_term *term, calve_buffer *out) {
  bool wrapped = term->has_transform && term->transform.kind != CALVE_IDENTITY;
  bool has_parameter =
      wrapped && (term->transform.kind == CALVE_BUCKET || term->transform.kind == CALVE_TRUNCATE);
  if (has_parameter)
    calve_buffer_printf(out, "%s(%d, ",
                        term->transform.kind == CALVE_BUCKET ? "bucket" : "truncate",
                        (int)term->transform.parameter);
  else if (wrapped) {
    calve_transform_print(&term->transform, out);
    calve_buffer_putc(out, '(');
  }
  if (is_plain_name(term->name))
    calve_buffer_put_str(out, term->name);
  else
    print_quoted(term->name, '"', out);
  if (wrapped) calve_buffer_putc(out, ')');
}

static void print_literal(const calve_term *term, const calve_value *v, calve_buffer *out) {
  switch (v->type) {
    case CALVE_STRING:
      print_quoted(v->bytes, '\'', out);
      return;
    case CALVE_BINARY:
    case CALVE_FIXED:
      print_hex(v->bytes, out);
      return;
    default:
      break;
  }
  if (term->partition && !term->has_transform && term->column_type) {
    calve_transform_print_value(&term->partition->transform, term->column_type, v, out);
    return;
  }
  if (term->has_transform && term->source_type) {
    calve_transform_print_value(&term->transform, term->source_type, v, out);
    return;
  }
  bool quoted = v->type == CALVE_UUID || (v->type >= CALVE_DATE && v->type <= CALVE_TIMESTAMPTZ_NS);
  if (term->has_transform) quoted = false;
  if (quoted) calve_buffer_putc(out, '\'');
  calve_value_print(v, out);
  if (quoted) calve_buffer_putc(out, '\'');
}

static void print_list(const calve_predicate *p, calve_buffer *out) {
  calve_buffer_puts(out, p->op == CALVE_OP_IN ? " IN (" : " NOT IN (");
  for (size_t i = 0; i < p->count; i++) {
    if (i > 0) calve_buffer_puts(out, ", ");
    if (i == PRINTED_LITERALS_MAX && p->count > PRINTED_LITERALS_MAX + 1) {
      calve_buffer_printf(out, "... %zu more", p->count - i);
      break;
    }
    print_literal(&p->term, &p->literals[i], out);
  }
  calve_buffer_putc(out, ')');
}

/* LIKE 'abc%', or starts_with where the prefix itself has what LIKE takes for wildcards. */
static void print_prefix(const calve_predicate *p, calve_buffer *out) {
  calve_str prefix = p->literals[0].bytes;
  bool positive = p->op == CALVE_OP_STARTS_WITH;
  for (size_t i = 0; i < prefix.size; i++) {
    char c = prefix.data[i];
    if (c != '%' && c != '_' && c != '\\') continue;
    calve_buffer_puts(out, positive ? "starts_with(" : "NOT starts_with(");
    print_term(&p->term, out);
    calve_buffer_puts(out, ", ");
    print_quoted(prefix, '\'', out);
    calve_buffer_putc(out, ')');
    return;
  }
  print_term(&p->term, out);
  calve_buffer_puts(out, positive ? " LIKE " : " NOT LIKE ");
  print_quoted(prefix, '\'', out);
  if (out->size > 0) out->data[out->size - 1] = '%'; /* in place of the closing quote */
  calve_buffer_putc(out, '\'');
}

static void print_leaf(const calve_predicate *p, calve_buffer *out) {
  static const char *const signs[] = {
      [CALVE_OP_IS_NULL] = " IS NULL", [CALVE_OP_NOT_NULL] = " IS NOT NULL",
      [CALVE_OP_IS_NAN] = " IS NAN",   [CALVE_OP_NOT_NAN] = " IS NOT NAN",
      [CALVE_OP_LT] = " < ",           [CALVE_OP_LT_EQ] = " <= ",
      [CALVE_OP_GT] = " > ",           [CALVE_OP_GT_EQ] = " >= ",
      [CALVE_OP_EQ] = " = ",           [CALVE_OP_NOT_EQ] = " <> ",
  };
  if (p->op == CALVE_OP_STARTS_WITH || p->op == CALVE_OP_NOT_STARTS_WITH) {
    print_prefix(p, out);
    return;
  }
  print_term(&p->term, out);
  if (p->op == CALVE_OP_IN || p->op == CALVE_OP_NOT_IN) {
    print_list(p, out);
  } else {
    calve_buffer_puts(out, signs[p->op]);
    if (p->count == 1) print_literal(&p->term, &p->literals[0], out);
  }
}

static void print(const calve_predicate *p, bool parentheses, calve_buffer *out) {
  switch (p->op) {
    case CALVE_OP_TRUE:
      calve_buffer_puts(out, "TRUE");
      return;
    case CALVE_OP_FALSE:
      calve_buffer_puts(out, "FALSE");
      return;
    case CALVE_OP_SQL_NULL:
      calve_buffer_puts(out, "NULL");
      return;
    case CALVE_OP_SQL_UNKNOWN:
      calve_buffer_puts(out, "(not understood)");
      return;
    case CALVE_OP_NOT:
      calve_buffer_puts(out, "NOT ");
      print(p->children[0], true, out);
      return;
    case CALVE_OP_AND:
    case CALVE_OP_OR:
      break;
    default:
      print_leaf(p, out);
      return;
  }
  if (parentheses) calve_buffer_putc(out, '(');
  for (size_t i = 0; i < p->count; i++) {
    if (i > 0) calve_buffer_puts(out, p->op == CALVE_OP_AND ? " AND " : " OR ");
    print(p->children[i], true, out);
  }
  if (parentheses) calve_buffer_putc(out, ')');
}

void calve_predicate_print(const calve_predicate *p, calve_buffer *out) {
  print(p, false, out);
}
