/* SPDX-License-Identifier: Apache-2.0 */
/* The model's types and values as text. */
#include "history_model.h"

static const struct {
  const char *spark, *engine;
} words[] = {
    [K_BOOL] = {"BOOLEAN", "BOOLEAN"},
    [K_INT] = {"INT", "INTEGER"},
    [K_LONG] = {"BIGINT", "BIGINT"},
    [K_FLOAT] = {"FLOAT", "FLOAT"},
    [K_DOUBLE] = {"DOUBLE", "DOUBLE"},
    [K_DECIMAL] = {"DECIMAL", "DECIMAL"},
    [K_DATE] = {"DATE", "DATE"},
    [K_TIMESTAMP] = {"TIMESTAMP_NTZ", "TIMESTAMP"},
    [K_STRING] = {"STRING", "VARCHAR"},
};

void print_type(const column *c, calve_buffer *out) {
  if (c->kind == K_LIST || c->kind == K_MAP) {
    calve_buffer_puts(out, c->kind == K_LIST ? "ARRAY<" : "MAP<STRING, ");
    print_type(c->children[0], out);
    calve_buffer_putc(out, '>');
  } else if (c->kind == K_STRUCT) {
    calve_buffer_puts(out, "STRUCT<");
    for (int i = 0; i < c->child_count; i++) {
      calve_buffer_printf(out, "%s%s: ", i ? ", " : "", c->children[i]->name);
      print_type(c->children[i], out);
    }
    calve_buffer_putc(out, '>');
  } else {
    calve_buffer_puts(out, words[c->kind].spark);
    if (c->kind == K_DECIMAL) calve_buffer_printf(out, "(%d, 2)", c->precision);
  }
}

void print_engine_type(const column *c, calve_buffer *out) {
  if (c->kind == K_LIST) {
    print_engine_type(c->children[0], out);
    calve_buffer_puts(out, "[]");
  } else if (c->kind == K_MAP) {
    calve_buffer_puts(out, "MAP(VARCHAR, ");
    print_engine_type(c->children[0], out);
    calve_buffer_putc(out, ')');
  } else if (c->kind == K_STRUCT) {
    calve_buffer_puts(out, "STRUCT(");
    for (int i = 0; i < c->child_count; i++) {
      calve_buffer_printf(out, "%s\"%s\" ", i ? ", " : "", c->children[i]->name);
      print_engine_type(c->children[i], out);
    }
    calve_buffer_putc(out, ')');
  } else {
    calve_buffer_puts(out, words[c->kind].engine);
    if (c->kind == K_DECIMAL) calve_buffer_printf(out, "(%d, 2)", c->precision);
  }
}

/* Year, month and day of a day of 1970 and the years around it, by counting. */
static void print_day(int64_t day, calve_buffer *out) {
  static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year = 1970, month = 0;
  while (day < 0) day += 365, year--; /* 1968 is not reached */
  assert_true(year >= 1969 && day < 2 * 365);
  while (day >= 365) day -= 365, year++;
  while (day >= lengths[month]) day -= lengths[month++];
  calve_buffer_printf(out, "%04d-%02d-%02d", year, month + 1, (int)day + 1);
}

static void print_second(int64_t second, calve_buffer *out) {
  int64_t day = second >= 0 ? second / 86400 : -((-second + 86399) / 86400);
  int rest = (int)(second - day * 86400);
  print_day(day, out);
  calve_buffer_printf(out, " %02d:%02d:%02d", rest / 3600, rest / 60 % 60, rest % 60);
}

static void print_leaf(const value *v, column_kind kind, const char *quote, calve_buffer *out) {
  long long n = v->n, positive = n < 0 ? -n : n;
  switch (kind) {
    case K_BOOL:
      calve_buffer_puts(out, n ? "true" : "false");
      return;
    case K_INT:
    case K_LONG:
      calve_buffer_printf(out, "%lld", n);
      return;
    case K_FLOAT:
    case K_DOUBLE:
      calve_buffer_printf(out, "%s%lld.%d", n < 0 ? "-" : "", positive / 2, positive % 2 ? 5 : 0);
      return;
    case K_DECIMAL:
      calve_buffer_printf(out, "%s%lld.%02lld", n < 0 ? "-" : "", positive / 100, positive % 100);
      return;
    default:
      calve_buffer_puts(out, quote);
      if (kind == K_DATE) print_day(n, out);
      else if (kind == K_TIMESTAMP) print_second(n, out);
      else calve_buffer_puts(out, v->s);
      calve_buffer_puts(out, quote);
  }
}

void print_literal(const value *v, const column *c, calve_buffer *out) {
  if (v->null) {
    calve_buffer_puts(out, "NULL");
    return;
  }
  if (c->kind < K_STRUCT) {
    if (c->kind == K_DATE) calve_buffer_puts(out, "DATE ");
    if (c->kind == K_TIMESTAMP) calve_buffer_puts(out, "TIMESTAMP ");
    print_leaf(v, c->kind, "'", out);
    return;
  }
  calve_buffer_puts(out, c->kind == K_LIST ? "[" : c->kind == K_MAP ? "MAP {" : "{");
  for (int i = 0; i < v->count; i++) {
    const column *child = c->children[c->kind == K_STRUCT ? i : 0];
    if (i) calve_buffer_puts(out, ", ");
    if (c->kind == K_STRUCT) calve_buffer_printf(out, "'%s': ", child->name);
    if (c->kind == K_MAP) calve_buffer_printf(out, "'%s': ", v->items[i].key);
    print_literal(&v->items[i], child, out);
  }
  calve_buffer_puts(out, c->kind == K_LIST ? "]" : "}");
}

void print_json(const value *v, const column *c, calve_buffer *out) {
  if (v->null) {
    calve_buffer_puts(out, "null");
    return;
  }
  if (c->kind < K_STRUCT) {
    print_leaf(v, c->kind, "\"", out);
    return;
  }
  if (c->kind == K_STRUCT) {
    print_row(v, c, out);
    return;
  }
  calve_buffer_putc(out, c->kind == K_LIST ? '[' : '{');
  for (int i = 0; i < v->count; i++) {
    if (i) calve_buffer_putc(out, ',');
    if (c->kind == K_MAP) calve_buffer_printf(out, "\"%s\":", v->items[i].key);
    print_json(&v->items[i], c->children[0], out);
  }
  calve_buffer_putc(out, c->kind == K_LIST ? ']' : '}');
}

void print_row(const value *row, const column *root, calve_buffer *out) {
  calve_buffer_putc(out, '{');
  for (int i = 0; i < root->child_count; i++) {
    const column *c = root->children[i];
    calve_buffer_printf(out, "%s\"%s\":", i ? "," : "", c->name);
    print_json(model_field(row, c), c, out);
  }
  calve_buffer_putc(out, '}');
}
