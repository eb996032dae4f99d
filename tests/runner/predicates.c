/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/predicates.h"

#include <stdlib.h>
#include <string.h>

#include "expr/bind.h"
#include "expr/predicate_text.h"

/* In the order of calve_predicate_op. */
static const char *const op_names[] = {
    "alwaysTrue",      "alwaysFalse", "and",   "or", "not",   "is_null", "not_null", "is_nan",
    "not_nan",         "lt",          "lt_eq", "gt", "gt_eq", "eq",      "not_eq",   "starts_with",
    "not_starts_with", "in",          "not_in"};
#define OP_COUNT (sizeof op_names / sizeof *op_names)

/* ---- reading ---------------------------------------------------------------------------- */

static const calve_predicate *unusable(run *r, const char *what) {
  row_unusable(r, "%s: %s", what, r->err.message);
  return NULL;
}

/* Also makes the name that of the schema: the vectors write `I` for the column `i`. */
static const calve_type *type_of_name(const naming *names, calve_str *name) {
  for (int32_t i = 0; names->spec && i < names->spec->field_count; i++)
    if (calve_str_equal(names->spec->fields[i].name, *name)) return names->tuple_types[i];
  const calve_schema_node *node;
  if (names->spec || calve_schema_resolve(names->schema, *name, false, &node, NULL) != CALVE_OK)
    return NULL;
  *name = node->full_name;
  return node->field->type;
}

static const calve_predicate *leaf_of(run *r, calve_predicate_op op, const calve_json *j,
                                      const naming *names) {
  const calve_json *term_json = calve_json_get(j, "term");
  calve_term term = calve_term_column(member_str(term_json ? term_json : j, "ref"));
  const calve_type *type = type_of_name(names, &term.name);
  if (!type) {
    row_unusable(r, "no field %.*s", CALVE_STR_ARG(term.name));
    return NULL;
  }
  if (term_json) {
    term.has_transform = true;
    if (calve_transform_parse(member_str(term_json, "transform"), &r->row, &term.transform,
                              &r->err) != CALVE_OK)
      return unusable(r, "transform");
    type = calve_transform_result_type(&term.transform, type);
  }
  const calve_json *values = calve_json_get(j, "values");
  size_t count = values ? values->count : 0;
  calve_value *literals = calve_arena_array(&r->row, count, sizeof *literals);
  const calve_predicate *out;
  for (size_t i = 0; i < count; i++)
    if (!member_value_at(r, j, "values", i, type, &literals[i])) return NULL;
  if (calve_predicate_leaf(op, &term, literals, count, &r->row, &out, &r->err) != CALVE_OK)
    return unusable(r, "leaf");
  return out;
}

const calve_predicate *predicate_of(run *r, const calve_json *j, const naming *names) {
  calve_str op_name = j->kind == CALVE_JSON_STRING ? j->text : member_str(j, "op");
  size_t op = 0;
  while (op < OP_COUNT && !calve_str_equal_text(op_name, op_names[op])) op++;
  if (op == CALVE_OP_TRUE) return &calve_predicate_true;
  if (op == CALVE_OP_FALSE) return &calve_predicate_false;
  if (op == OP_COUNT) {
    row_unusable(r, "unknown op in %.*s", CALVE_STR_ARG(j->raw));
    return NULL;
  }
  if (op > CALVE_OP_NOT) return leaf_of(r, (calve_predicate_op)op, j, names);
  const calve_json *left = calve_json_get(j, op == CALVE_OP_NOT ? "child" : "left");
  const calve_json *right = calve_json_get(j, "right");
  const calve_predicate *children[2] = {NULL, NULL}, *out;
  if (!left || (op != CALVE_OP_NOT && !right)) {
    row_unusable(r, "missing child in %.*s", CALVE_STR_ARG(j->raw));
    return NULL;
  }
  children[0] = predicate_of(r, left, names);
  if (op != CALVE_OP_NOT) children[1] = predicate_of(r, right, names);
  if (!children[0] || (op != CALVE_OP_NOT && !children[1])) return NULL;
  calve_status status =
      op == CALVE_OP_NOT   ? calve_predicate_not(children[0], &r->row, &out, &r->err)
      : op == CALVE_OP_AND ? calve_predicate_and(children, 2, &r->row, &out, &r->err)
                           : calve_predicate_or(children, 2, &r->row, &out, &r->err);
  return status == CALVE_OK ? out : unusable(r, "junction");
}

/* ---- comparing -------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void print_leaf(run *r, const calve_predicate *p, calve_buffer *out) {
  const char **values = calve_arena_array(&r->row, p->count, sizeof *values);
  for (size_t i = 0; i < p->count; i++) values[i] = value_hex(r, &p->literals[i]);
  if (p->count > 1) qsort(values, p->count, sizeof *values, compare_texts);
  size_t kept = p->count > 0;
  for (size_t i = 1; i < p->count; i++)
    if (strcmp(values[i], values[kept - 1]) != 0) values[kept++] = values[i];
  calve_predicate_op op = p->op;
  if (kept == 1 && op == CALVE_OP_IN) op = CALVE_OP_EQ;
  if (kept == 1 && op == CALVE_OP_NOT_IN) op = CALVE_OP_NOT_EQ;
  if (op == CALVE_OP_IN && kept == 0) {
    calve_buffer_puts(out, "alwaysFalse");
    return;
  }
  if (op == CALVE_OP_NOT_IN && kept == 0) {
    calve_buffer_puts(out, "alwaysTrue");
    return;
  }
  calve_buffer_puts(out, op_names[op]);
  calve_buffer_putc(out, '(');
  if (p->term.has_transform) {
    calve_transform_print(&p->term.transform, out);
    calve_buffer_putc(out, ' ');
  }
  calve_buffer_put_str(out, p->term.name);
  for (size_t i = 0; i < kept; i++) calve_buffer_printf(out, " %s", values[i]);
  calve_buffer_putc(out, ')');
}

static void print(run *r, const calve_predicate *p, calve_predicate_op inside, calve_buffer *out) {
  if (calve_predicate_is_leaf(p)) {
    print_leaf(r, p, out);
    return;
  }
  bool open = p->count > 0 && p->op != inside;
  if (p->op != inside) calve_buffer_puts(out, op_names[p->op]);
  if (open) calve_buffer_putc(out, '(');
  for (size_t i = 0; i < p->count; i++) {
    if (i > 0) calve_buffer_puts(out, ", ");
    print(r, p->children[i], p->op, out);
  }
  if (open) calve_buffer_putc(out, ')');
}

const char *predicate_text(run *r, const calve_predicate *p) {
  const calve_predicate *plain;
  calve_buffer out;
  if (calve_predicate_rewrite_not(p, &r->row, &plain, &r->err) != CALVE_OK) return error_text(r);
  calve_buffer_init(&out, NULL);
  print(r, plain, CALVE_OP_NOT, &out);
  return take_text(r, &out);
}

const char *expected_predicate(run *r, const calve_json *j, const naming *names) {
  if (calve_json_get(j, "unconvertible_values")) return "unusable";
  const calve_predicate *p = predicate_of(r, j, names);
  return p ? predicate_text(r, p) : "unusable";
}

const calve_bound *reread(run *r, const calve_bound *bound, const calve_schema *schema) {
  calve_buffer text;
  calve_str sql;
  calve_buffer_init(&text, NULL);
  calve_predicate_print_sql(bound->root, &text);
  calve_status status = calve_arena_str(&r->row, calve_buffer_view(&text), &sql, &r->err);
  calve_buffer_free(&text);
  const calve_predicate *p;
  const calve_bound *again;
  bool exact = true;
  if (status == CALVE_OK) status = calve_predicate_parse(sql, &r->row, &p, &exact, &r->err);
  if (status == CALVE_OK) status = calve_bind(p, schema, NULL, &r->row, &again, &r->err);
  if (status == CALVE_OK && exact) return again;
  expect(r, "printed as SQL", "text that is read again",
         text_of(r, "%s: %s", sql.data, status == CALVE_OK ? "not exact" : error_text(r)));
  return NULL;
}
