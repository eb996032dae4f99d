/* SPDX-License-Identifier: Apache-2.0 */
/* expressions: the JSON form, with and without a schema; NOT pushed down; binding. */
#include <stdlib.h>
#include <string.h>

#include "expr/bind.h"
#include "expr/predicate_json.h"
#include "runner/predicates.h"

static const char *json_of(run *r, const calve_predicate *p) {
  calve_buffer out;
  calve_json_writer w;
  calve_buffer_init(&out, NULL);
  calve_json_write_init(&w, &out, 0);
  calve_predicate_write_json(p, &w);
  return take_text(r, &out);
}

static int compare_raw(const void *a, const void *b) {
  return calve_str_compare(((const calve_json *)a)->raw, ((const calve_json *)b)->raw);
}

/* The text of an expression with each list of values sorted: their order says nothing. */
static void put_sorted(run *r, const calve_json *j, bool is_set, calve_buffer *out) {
  if (j->kind != CALVE_JSON_OBJECT && j->kind != CALVE_JSON_ARRAY) {
    calve_buffer_put_str(out, j->raw);
    return;
  }
  bool object = j->kind == CALVE_JSON_OBJECT;
  calve_json *items = calve_arena_array(&r->row, j->count, sizeof *items);
  memcpy(items, j->items, j->count * sizeof *items);
  if (is_set) qsort(items, j->count, sizeof *items, compare_raw);
  calve_buffer_putc(out, object ? '{' : '[');
  for (size_t i = 0; i < j->count; i++) {
    if (i > 0) calve_buffer_putc(out, ',');
    if (object) calve_buffer_printf(out, "\"%.*s\":", CALVE_STR_ARG(j->keys[i]));
    put_sorted(r, &items[i], object && calve_str_equal_text(j->keys[i], "values"), out);
  }
  calve_buffer_putc(out, object ? '}' : ']');
}

static const char *sorted(run *r, const char *text) {
  const calve_json *j;
  calve_buffer out;
  if (calve_json_parse(calve_str_of(text), "text", &r->row, &j, &r->err) != CALVE_OK) return text;
  calve_buffer_init(&out, NULL);
  put_sorted(r, j, false, &out);
  return take_text(r, &out);
}

static void check_bound(run *r, const calve_json *row, const calve_schema *schema,
                        const calve_predicate *p, bool case_insensitive) {
  const char *key = case_insensitive ? "bound_case_insensitive" : "bound";
  const calve_json *error = calve_json_get(row, text_of(r, "%s_error", key));
  const calve_json *expected = calve_json_get(row, key);
  if (!error && !expected) return;
  naming columns = {.schema = schema};
  calve_bind_options options = {.case_insensitive = case_insensitive};
  const calve_bound *bound;
  calve_status status = calve_bind(p, schema, &options, &r->row, &bound, &r->err);
  if (error || status != CALVE_OK) {
    expect(r, key, error ? "error" : "bound", status == CALVE_OK ? "bound" : "error");
    if (status != CALVE_OK) error_text(r);
    return;
  }
  expect(r, key, expected_predicate(r, expected, &columns), predicate_text(r, bound->root));
  const char *text = member_text(r, row, "bound_canonical_text");
  if (text && !case_insensitive)
    expect(r, "bound_canonical_text", sorted(r, text), sorted(r, json_of(r, bound->root)));
}

static void check_parse(run *r, const calve_json *row, const calve_schema *schema) {
  const calve_predicate *p, *plain;
  bool ok = member_bool(row, "ok");
  calve_status status = calve_predicate_parse_json(member_str(row, "json_text"),
                                                   member_bool(row, "with_schema") ? schema : NULL,
                                                   &r->row, &p, &r->err);
  if (status != CALVE_OK || !ok) {
    expect(r, "parse", ok ? "accepted" : "rejected", status == CALVE_OK ? "accepted" : "rejected");
    if (status != CALVE_OK) error_text(r);
    return;
  }
  expect_str(r, "canonical_text", member_str(row, "canonical_text"), calve_str_of(json_of(r, p)));
  if (calve_predicate_rewrite_not(p, &r->row, &plain, &r->err) == CALVE_OK)
    expect_str(r, "rewrite_not_text", member_str(row, "rewrite_not_text"),
               calve_str_of(json_of(r, plain)));
  else
    row_unusable(r, "rewrite_not: %s", r->err.message);
  check_bound(r, row, schema, p, false);
  check_bound(r, row, schema, p, true);
}

/* `c = value`, from a typed value to JSON. */
static void check_literal(run *r, const calve_json *row) {
  const calve_type *type = member_type(r, row, "type");
  calve_value value;
  if (!type || !member_value(r, row, "value", type, &value)) return;
  calve_term term = calve_term_column(CALVE_STR("c"));
  const calve_predicate *p;
  calve_status status = calve_predicate_leaf(CALVE_OP_EQ, &term, &value, 1, &r->row, &p, &r->err);
  const char *bound_text = member_text(r, row, "bound_text");
  if (status != CALVE_OK || !bound_text) {
    expect(r, "literal", bound_text ? "accepted" : "rejected",
           status == CALVE_OK ? "accepted" : "rejected");
    return;
  }
  calve_field field = {.id = 1, .name = term.name, .type = type};
  const calve_type root = {.id = CALVE_STRUCT, .field_count = 1, .fields = &field};
  const calve_schema *schema;
  const calve_bound *bound;
  if (calve_schema_make(0, &root, NULL, 0, &r->row, &schema, &r->err) != CALVE_OK ||
      calve_bind(p, schema, NULL, &r->row, &bound, &r->err) != CALVE_OK) {
    expect(r, "bound_text", bound_text, error_text(r));
    return;
  }
  expect(r, "bound_text", bound_text, json_of(r, bound->root));
}

void run_expressions(run *r, const calve_json *row) {
  calve_str kind = member_str(row, "kind");
  if (calve_str_equal_text(kind, "schema")) {
    const calve_json *json = calve_json_get(row, "schema");
    const calve_schema *schema = NULL;
    char *text = json ? calve_arena_copy(&r->whole, json->raw.data, json->raw.size) : NULL;
    if (!text ||
        calve_schema_parse(calve_str_of(text), "schema", &r->whole, &schema, &r->err) != CALVE_OK)
      row_unusable(r, "schema: %s", r->err.message);
    r->state = (void *)(uintptr_t)schema;
  } else if (calve_str_equal_text(kind, "literal_json")) {
    check_literal(r, row);
  } else if (!r->state) {
    row_unusable(r, "no row gave the schema");
  } else {
    check_parse(r, row, r->state);
  }
}
