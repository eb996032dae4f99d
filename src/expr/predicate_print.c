/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/calendar.h"
#include "base/text.h"
#include "expr/unit_range.h"

#define PRINTED_LITERALS_MAX 10

/* Two readers: people, who want it short; and parsers, which want all of it, and SQL's nulls. */
typedef struct printer {
  calve_buffer *out;
  bool for_people;
} printer;

/* ---- words ----------------------------------------------------------------------------------- */

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

static bool is_keyword(calve_str name) {
  static const char *const words[] = {
      "all",       "and",      "any",     "array",     "as",     "asc",     "between", "both",
      "case",      "cast",     "check",   "collate",   "column", "create",  "default", "desc",
      "describe",  "distinct", "do",      "else",      "end",    "except",  "exists",  "false",
      "fetch",     "for",      "foreign", "from",      "group",  "having",  "ilike",   "in",
      "intersect", "interval", "into",    "is",        "lambda", "lateral", "leading", "like",
      "limit",     "not",      "null",    "offset",    "on",     "only",    "or",      "order",
      "pivot",     "primary",  "qualify", "returning", "select", "show",    "some",    "table",
      "then",      "to",       "true",    "union",     "unique", "unpivot", "using",   "when",
      "where",     "window",   "with"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (calve_str_equal_nocase(name, calve_str_of(words[i]))) return true;
  return false;
}

/* Dots between the parts of a nested column's name are let through. */
static bool is_plain_name(calve_str name, bool dots) {
  if (name.size == 0 || (name.data[0] >= '0' && name.data[0] <= '9')) return false;
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!word && c != '_' && !(dots && c == '.') && !((unsigned char)c & 0x80)) return false;
  }
  return !is_keyword(name);
}

static void print_name(calve_str name, bool dots, calve_buffer *out) {
  if (is_plain_name(name, dots))
    calve_buffer_put_str(out, name);
  else
    print_quoted(name, '"', out);
}

/* Depth is that of the schema, which is capped. */
static void print_path(const calve_schema_node *node, calve_buffer *out) {
  if (node->parent) {
    print_path(node->parent, out);
    calve_buffer_putc(out, '.');
  }
  print_name(node->field->name, false, out);
}

static void print_column(const calve_term *term, calve_buffer *out) {
  if (term->node)
    print_path(term->node, out);
  else
    print_name(term->name, true, out);
}

/* Iceberg's functions: in SQL, day() is the day of the month, days() is nothing else. */
static void print_term(const calve_term *term, calve_buffer *out) {
  const calve_transform *t = &term->transform;
  bool wrapped = term->has_transform && t->kind != CALVE_IDENTITY;
  if (wrapped && (t->kind == CALVE_BUCKET || t->kind == CALVE_TRUNCATE)) {
    calve_buffer_printf(out, "%s(%d, ", t->kind == CALVE_BUCKET ? "bucket" : "truncate",
                        (int)t->parameter);
  } else if (wrapped) {
    calve_transform_print(t, out);
    calve_buffer_puts(out, calve_expr__is_unit(term) ? "s(" : "(");
  }
  print_column(term, out);
  if (wrapped) calve_buffer_putc(out, ')');
}

/* ---- literals -------------------------------------------------------------------------------- */

/* A number that no digits stand for in SQL. */
static bool print_odd_number(double v, calve_buffer *out) {
  if (isfinite(v) && !(v == 0 && signbit(v))) return false;
  const char *sign = signbit(v) ? "-" : "";
  calve_buffer_printf(out, "CAST('%s%s' AS DOUBLE)", sign, isinf(v) ? "Infinity" : "0.0");
  return true;
}

/* A float's digits are those of the double that equals it: fewer would be another double. */
static void print_real(const calve_value *v, calve_buffer *out) {
  double number = v->type == CALVE_FLOAT ? (double)v->f32 : v->f64;
  calve_value as_double = {.type = CALVE_DOUBLE, .f64 = number};
  if (!print_odd_number(number, out)) calve_value_print(&as_double, out);
}

/* Whether the printed form is read as the same value: not for years before 0 or after 9999. */
static bool reads_back(const calve_value *v, calve_str text) {
  int64_t number;
  bool offset, ns = v->type == CALVE_TIMESTAMP_NS || v->type == CALVE_TIMESTAMPTZ_NS;
  if (v->type == CALVE_DATE) return calve_date_parse(text, &number) && number == v->i32;
  if (v->type == CALVE_TIME || v->type == CALVE_UUID) return true;
  return calve_timestamp_parse(text, ns, &number, &offset) && number == v->i64;
}

/* Far moments as the days, or microseconds, since 1970 that binding takes as well. */
static void print_moment(const calve_value *v, calve_buffer *out) {
  calve_buffer text;
  calve_buffer_init(&text, out->allocator);
  calve_value_print(v, &text);
  bool ns = v->type == CALVE_TIMESTAMP_NS || v->type == CALVE_TIMESTAMPTZ_NS;
  if (reads_back(v, calve_buffer_view(&text)) || (ns && v->i64 % CALVE_NS_PER_US != 0))
    print_quoted(calve_buffer_view(&text), '\'', out);
  else if (v->type == CALVE_DATE)
    calve_buffer_printf(out, "%d", (int)v->i32);
  else
    calve_buffer_printf(out, "%lld", (long long)(ns ? v->i64 / CALVE_NS_PER_US : v->i64));
  out->oom = out->oom || text.oom;
  calve_buffer_free(&text);
}

/* '2026-03', or the number of months since 1970 where that is not read back. */
static void print_unit(const calve_term *term, const calve_value *v, calve_buffer *out) {
  calve_buffer text;
  int32_t ordinal;
  calve_buffer_init(&text, out->allocator);
  bool known = v->type == CALVE_INT || v->type == CALVE_DATE;
  if (known) calve_transform_print_value(&term->transform, term->source_type, v, &text);
  if (known && calve_expr__unit_of_text(term->transform.kind, calve_buffer_view(&text), &ordinal) &&
      ordinal == v->i32)
    print_quoted(calve_buffer_view(&text), '\'', out);
  else if (v->type == CALVE_LONG)
    calve_value_print(v, out);
  else
    calve_buffer_printf(out, "%d", (int)v->i32);
  out->oom = out->oom || text.oom;
  calve_buffer_free(&text);
}

static void print_literal(const printer *to, const calve_term *term, const calve_value *v) {
  calve_buffer *out = to->out;
  bool partition = term->partition && !term->has_transform && term->column_type;
  if (v->type == CALVE_STRING) {
    print_quoted(v->bytes, '\'', out);
  } else if (v->type == CALVE_BINARY || v->type == CALVE_FIXED) {
    print_hex(v->bytes, out);
  } else if (partition) {
    calve_transform_print_value(&term->partition->transform, term->column_type, v, out);
  } else if (calve_expr__is_unit(term)) {
    print_unit(term, v, out);
  } else if (!to->for_people && (v->type == CALVE_FLOAT || v->type == CALVE_DOUBLE)) {
    print_real(v, out);
  } else if (v->type == CALVE_UUID || (v->type >= CALVE_DATE && v->type <= CALVE_TIMESTAMPTZ_NS)) {
    print_moment(v, out);
  } else {
    calve_value_print(v, out);
  }
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static void print_list(const printer *to, const calve_predicate *p, bool in) {
  calve_buffer *out = to->out;
  size_t most =
      to->for_people && p->count > PRINTED_LITERALS_MAX + 1 ? PRINTED_LITERALS_MAX : p->count;
  calve_buffer_puts(out, in ? " IN (" : " NOT IN (");
  for (size_t i = 0; i < most; i++) {
    if (i > 0) calve_buffer_puts(out, ", ");
    print_literal(to, &p->term, &p->literals[i]);
  }
  if (most < p->count) calve_buffer_printf(out, ", ... %zu more", p->count - most);
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

static void print_comparison(const printer *to, const calve_predicate *p) {
  static const char *const signs[] = {
      [CALVE_OP_IS_NULL] = " IS NULL", [CALVE_OP_NOT_NULL] = " IS NOT NULL",
      [CALVE_OP_LT] = " < ",           [CALVE_OP_LT_EQ] = " <= ",
      [CALVE_OP_GT] = " > ",           [CALVE_OP_GT_EQ] = " >= ",
      [CALVE_OP_EQ] = " = ",           [CALVE_OP_NOT_EQ] = " <> ",
  };
  calve_buffer *out = to->out;
  switch (p->op) {
    case CALVE_OP_STARTS_WITH:
    case CALVE_OP_NOT_STARTS_WITH:
      print_prefix(p, out);
      return;
    case CALVE_OP_IS_NAN:
    case CALVE_OP_NOT_NAN:
      calve_buffer_puts(out, p->op == CALVE_OP_IS_NAN ? "isnan(" : "NOT isnan(");
      print_term(&p->term, out);
      calve_buffer_putc(out, ')');
      return;
    case CALVE_OP_IS_NULL:
    case CALVE_OP_NOT_NULL: /* a transform is null where its column is                           */
      print_column(&p->term, out);
      calve_buffer_puts(out, signs[p->op]);
      return;
    default:
      break;
  }
  print_term(&p->term, out);
  if (p->op == CALVE_OP_IN || p->op == CALVE_OP_NOT_IN) {
    print_list(to, p, p->op == CALVE_OP_IN);
  } else {
    calve_buffer_puts(out, signs[p->op]);
    print_literal(to, &p->term, &p->literals[0]);
  }
}

/* In Iceberg these hold for null, in SQL they don't. */
static bool holds_for_null(calve_predicate_op op) {
  return op == CALVE_OP_NOT_EQ || op == CALVE_OP_NOT_IN || op == CALVE_OP_NOT_STARTS_WITH ||
         op == CALVE_OP_NOT_NAN;
}

static bool may_be_null(const calve_term *term) {
  return !term->node || term->node->can_be_missing || term->node->inside_repeated;
}

/* Whether the AND that p stands in, if any, says that its column is not null. */
static bool is_not_null_in(const calve_predicate *parent, const calve_predicate *p) {
  for (size_t i = 0; parent && parent->op == CALVE_OP_AND && i < parent->count; i++) {
    const calve_predicate *other = parent->children[i];
    if (other->op == CALVE_OP_NOT_NULL && calve_str_equal(other->term.name, p->term.name))
      return true;
  }
  return false;
}

static void print_leaf(const printer *to, const calve_predicate *p, const calve_predicate *parent) {
  bool with_null = !to->for_people && holds_for_null(p->op) && may_be_null(&p->term) &&
                   !is_not_null_in(parent, p);
  bool always_null = p->term.has_transform && p->term.transform.kind == CALVE_VOID;
  if (always_null && !to->for_people) {
    bool holds = holds_for_null(p->op) || p->op == CALVE_OP_IS_NULL;
    calve_buffer_puts(to->out, holds ? "TRUE" : "FALSE");
    return;
  }
  if (with_null && parent) calve_buffer_putc(to->out, '(');
  if (p->written) {
    calve_predicate as_written = *p->written;
    as_written.term = p->term;
    print_comparison(to, &as_written);
  } else {
    print_comparison(to, p);
  }
  if (!with_null) return;
  calve_buffer_puts(to->out, " OR ");
  print_column(&p->term, to->out);
  calve_buffer_puts(to->out, parent ? " IS NULL)" : " IS NULL");
}

/* ---- the tree -------------------------------------------------------------------------------- */

static void print(const printer *to, const calve_predicate *p, const calve_predicate *parent) {
  calve_buffer *out = to->out;
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
      print(to, p->children[0], p);
      return;
    case CALVE_OP_AND:
    case CALVE_OP_OR:
      break;
    default:
      print_leaf(to, p, parent);
      return;
  }
  if (parent) calve_buffer_putc(out, '(');
  for (size_t i = 0; i < p->count; i++) {
    if (i > 0) calve_buffer_puts(out, p->op == CALVE_OP_AND ? " AND " : " OR ");
    print(to, p->children[i], p);
  }
  if (parent) calve_buffer_putc(out, ')');
}

void calve_predicate_print(const calve_predicate *p, calve_buffer *out) {
  const printer to = {.out = out, .for_people = true};
  print(&to, p, NULL);
}

void calve_predicate_print_sql(const calve_predicate *p, calve_buffer *out) {
  const printer to = {.out = out};
  print(&to, p, NULL);
}
