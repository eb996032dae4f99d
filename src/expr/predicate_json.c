/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/predicate_json.h"

#include "base/text.h"

/* In the order of calve_predicate_op. */
static const char *const type_names[] = {
    "true",  "false", "and", "or",    "not", "is-null", "not-null",    "is-nan",          "not-nan",
    "lt",    "lt-eq", "gt",  "gt-eq", "eq",  "not-eq",  "starts-with", "not-starts-with", "in",
    "not-in"};
#define TYPE_NAME_COUNT (sizeof type_names / sizeof *type_names)

/* ---- reading ----------------------------------------------------------------------------------
 */

typedef struct parser {
  const calve_schema *schema; /* or NULL                                                         */
  calve_arena *arena;
} parser;

static calve_status bad(const calve_json *json, calve_error *err, const char *what) {
  if (!json)
    return calve_fail(err, CALVE_EINVAL, NULL, "expression: expected %s, found nothing", what);
  return calve_fail(err, CALVE_EINVAL, NULL, "expression: expected %s, found %.*s", what,
                    CALVE_STR_ARG(json->raw));
}

/* Names come in any case, with "_" or "-". */
static bool names_type(calve_str text, const char *name) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    if (c == '_') c = '-';
    if (c != name[i]) return false;
  }
  return name[text.size] == '\0';
}

static calve_status read_type(const calve_json *json, calve_predicate_op *op, calve_error *err) {
  const calve_json *type = calve_json_get(json, "type");
  if (!type || type->kind != CALVE_JSON_STRING)
    return bad(type ? type : json, err, "an object with a \"type\"");
  for (size_t i = CALVE_OP_AND; i < TYPE_NAME_COUNT; i++) {
    if (!names_type(type->text, type_names[i])) continue;
    *op = (calve_predicate_op)i;
    return CALVE_OK;
  }
  return bad(type, err, "a known expression type");
}

/* A name, {"type":"reference","term":name} or {"type":"transform","transform":…,"term":term}. */
static calve_status read_term(parser *p, const calve_json *json, int depth, calve_term *out,
                              calve_error *err) {
  if (json && json->kind == CALVE_JSON_STRING) {
    *out = calve_term_column(json->text);
    return CALVE_OK;
  }
  const calve_json *type = calve_json_get(json, "type");
  const calve_json *inner = calve_json_get(json, "term");
  if (!type || type->kind != CALVE_JSON_STRING || depth > CALVE_DEPTH_MAX)
    return bad(json, err, "a column name or a term object");
  if (calve_str_equal_text(type->text, "reference")) {
    if (!inner || inner->kind != CALVE_JSON_STRING) return bad(json, err, "a \"term\" that names");
    *out = calve_term_column(inner->text);
    return CALVE_OK;
  }
  const calve_json *transform = calve_json_get(json, "transform");
  if (!calve_str_equal_text(type->text, "transform") || !transform ||
      transform->kind != CALVE_JSON_STRING)
    return bad(json, err, "a reference or a transform");
  calve_term term;
  CALVE_TRY(read_term(p, inner, depth + 1, &term, err));
  /* a transform of a transform is that of the column, as in the reference */
  CALVE_TRY(calve_transform_parse(transform->text, p->arena, &term.transform, err));
  term.has_transform = true;
  *out = term;
  return CALVE_OK;
}

/* The type that literals are read as: that of the term, once it is bound. */
static calve_status type_of_term(parser *p, const calve_term *term, const calve_type **out,
                                 calve_error *err) {
  *out = NULL;
  if (!p->schema) return CALVE_OK;
  const calve_schema_node *node;
  CALVE_TRY(calve_schema_resolve(p->schema, term->name, false, &node, err));
  *out = node->field->type;
  if (!term->has_transform) return CALVE_OK;
  if (term->transform.kind == CALVE_TRANSFORM_UNKNOWN)
    return calve_fail(err, CALVE_EINVAL, NULL, "there is no transform '%.*s'",
                      CALVE_STR_ARG(term->transform.text));
  if (!calve_transform_accepts(&term->transform, *out))
    return calve_fail(err, CALVE_EINVAL, NULL, "the transform of \"%.*s\" does not accept its type",
                      CALVE_STR_ARG(term->name));
  *out = calve_transform_result_type(&term->transform, *out);
  return CALVE_OK;
}

static calve_status read_untyped(const calve_json *json, calve_value *out, calve_error *err) {
  *out = calve_value_null(CALVE_LONG);
  out->is_null = false;
  switch (json->kind) {
    case CALVE_JSON_BOOL:
      out->type = CALVE_BOOLEAN;
      out->b = json->boolean;
      return CALVE_OK;
    case CALVE_JSON_STRING:
      out->type = CALVE_STRING;
      out->bytes = json->text;
      return CALVE_OK;
    case CALVE_JSON_NUMBER:
      if (calve_json_as_i64(json, &out->i64)) return CALVE_OK;
      for (size_t i = 0; i < json->text.size; i++) {
        char c = json->text.data[i];
        if (c != '.' && c != 'e' && c != 'E') continue;
        out->type = CALVE_DOUBLE;
        return calve_double_parse(json->text, &out->f64) ? CALVE_OK
                                                         : bad(json, err, "a number in range");
      }
      return bad(json, err, "a number in range");
    default:
      return bad(json, err, "a literal");
  }
}

static calve_status read_literal(parser *p, const calve_json *json, const calve_type *type,
                                 calve_value *out, calve_error *err) {
  const calve_json *kind = calve_json_get(json, "type");
  if (kind) {
    if (kind->kind != CALVE_JSON_STRING || !names_type(kind->text, "literal"))
      return bad(kind, err, "\"literal\"");
    json = calve_json_get(json, "value");
    if (!json) return bad(NULL, err, "the \"value\" of a literal");
  }
  if (!type) return read_untyped(json, out, err);
  calve_json_reader r;
  calve_json_open(&r, json->raw, "expression", p->arena);
  CALVE_TRY(calve_value_read_json(&r, type, out, err));
  return CALVE_OK;
}

static calve_status read_leaf(parser *p, calve_predicate_op op, const calve_json *json,
                              const calve_predicate **out, calve_error *err) {
  calve_term term;
  const calve_type *type;
  const calve_json *value = calve_json_get(json, "value");
  const calve_json *values = calve_json_get(json, "values");
  bool set = op == CALVE_OP_IN || op == CALVE_OP_NOT_IN;
  bool unary = op <= CALVE_OP_NOT_NAN;
  const calve_json *wanted = set ? values : value;
  CALVE_TRY(read_term(p, calve_json_get(json, "term"), 0, &term, err));
  CALVE_TRY(type_of_term(p, &term, &type, err));
  if (unary ? (value || values) : (!wanted || (set ? value : values)))
    return bad(json, err,
               unary ? "no value"
               : set ? "\"values\" and no \"value\""
                     : "one \"value\"");
  if (unary) return calve_predicate_leaf(op, &term, NULL, 0, p->arena, out, err);
  if (set && values->kind != CALVE_JSON_ARRAY) return bad(values, err, "a list of values");
  size_t count = set ? values->count : 1;
  calve_value *literals = CALVE_NEW_ARRAY(p->arena, calve_value, count);
  if (!literals) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++)
    CALVE_TRY(read_literal(p, set ? &values->items[i] : value, type, &literals[i], err));
  return calve_predicate_leaf(op, &term, literals, count, p->arena, out, err);
}

static calve_status read_expression(parser *p, const calve_json *json, const calve_predicate **out,
                                    calve_error *err);

static calve_status read_child(parser *p, const calve_json *json, const char *name,
                               const calve_predicate **out, calve_error *err) {
  const calve_json *child = calve_json_get(json, name);
  if (!child) return bad(json, err, "\"left\" and \"right\", or a \"child\"");
  return read_expression(p, child, out, err);
}

/* Depth is that of the JSON, which its parser caps. */
static calve_status read_expression(parser *p, const calve_json *json, const calve_predicate **out,
                                    calve_error *err) {
  if (json->kind == CALVE_JSON_BOOL) {
    *out = json->boolean ? &calve_predicate_true : &calve_predicate_false;
    return CALVE_OK;
  }
  if (json->kind != CALVE_JSON_OBJECT) return bad(json, err, "true, false or an object");
  const calve_json *type = calve_json_get(json, "type");
  if (type && type->kind == CALVE_JSON_STRING && names_type(type->text, "literal")) {
    const calve_json *value = calve_json_get(json, "value");
    if (!value || value->kind != CALVE_JSON_BOOL) return bad(value, err, "true or false");
    *out = value->boolean ? &calve_predicate_true : &calve_predicate_false;
    return CALVE_OK;
  }
  calve_predicate_op op = CALVE_OP_TRUE;
  CALVE_TRY(read_type(json, &op, err));
  const calve_predicate *children[2];
  switch (op) {
    case CALVE_OP_NOT:
      CALVE_TRY(read_child(p, json, "child", &children[0], err));
      return calve_predicate_not(children[0], p->arena, out, err);
    case CALVE_OP_AND:
    case CALVE_OP_OR:
      CALVE_TRY(read_child(p, json, "left", &children[0], err));
      CALVE_TRY(read_child(p, json, "right", &children[1], err));
      return op == CALVE_OP_AND ? calve_predicate_and(children, 2, p->arena, out, err)
                                : calve_predicate_or(children, 2, p->arena, out, err);
    default:
      return read_leaf(p, op, json, out, err);
  }
}

calve_status calve_predicate_read_json(const calve_json *json, const calve_schema *schema,
                                       calve_arena *arena, const calve_predicate **out,
                                       calve_error *err) {
  parser p = {.schema = schema, .arena = arena};
  return read_expression(&p, json, out, err);
}

calve_status calve_predicate_parse_json(calve_str text, const calve_schema *schema,
                                        calve_arena *arena, const calve_predicate **out,
                                        calve_error *err) {
  const calve_json *json;
  CALVE_TRY(calve_json_parse(text, "expression", arena, &json, err));
  return calve_predicate_read_json(json, schema, arena, out, err);
}

/* ---- writing ----------------------------------------------------------------------------------
 */

static void write_term(const calve_term *term, calve_json_writer *w) {
  if (!term->has_transform) {
    calve_json_write_str(w, term->name);
    return;
  }
  calve_buffer text;
  calve_buffer_init(&text, w->out->allocator);
  calve_transform_print(&term->transform, &text);
  calve_json_write_begin(w, '{');
  calve_json_write_key(w, "type");
  calve_json_write_str(w, CALVE_STR("transform"));
  calve_json_write_key(w, "transform");
  calve_json_write_str(w, calve_buffer_view(&text));
  calve_json_write_key(w, "term");
  calve_json_write_str(w, term->name);
  calve_json_write_end(w, '}');
  if (text.oom) w->out->oom = true;
  calve_buffer_free(&text);
}

static void write_literal(const calve_predicate *p, const calve_value *v, calve_json_writer *w) {
  /* literals are primitive: all that their JSON depends on is in the value */
  const calve_type own = {.id = v->type, .scale = v->scale};
  calve_value_write_json(v, p->term.type ? p->term.type : &own, w);
}

static void write_leaf(const calve_predicate *p, calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  calve_json_write_key(w, "type");
  calve_json_write_str(w, calve_str_of(type_names[p->op]));
  calve_json_write_key(w, "term");
  write_term(&p->term, w);
  if (p->op == CALVE_OP_IN || p->op == CALVE_OP_NOT_IN) {
    calve_json_write_key(w, "values");
    calve_json_write_begin(w, '[');
    for (size_t i = 0; i < p->count; i++) write_literal(p, &p->literals[i], w);
    calve_json_write_end(w, ']');
  } else if (p->count == 1) {
    calve_json_write_key(w, "value");
    write_literal(p, &p->literals[0], w);
  }
  calve_json_write_end(w, '}');
}

/* The form has pairs only. Halving keeps the depth small, so that every reader can follow. */
static void write_junction(const calve_predicate *p, size_t from, size_t to, calve_json_writer *w) {
  if (to - from == 1) {
    calve_predicate_write_json(p->children[from], w);
    return;
  }
  size_t middle = from + (to - from) / 2;
  calve_json_write_begin(w, '{');
  calve_json_write_key(w, "type");
  calve_json_write_str(w, calve_str_of(type_names[p->op]));
  calve_json_write_key(w, "left");
  write_junction(p, from, middle, w);
  calve_json_write_key(w, "right");
  write_junction(p, middle, to, w);
  calve_json_write_end(w, '}');
}

void calve_predicate_write_json(const calve_predicate *p, calve_json_writer *w) {
  switch (p->op) {
    case CALVE_OP_TRUE:
    case CALVE_OP_FALSE:
      calve_json_write_bool(w, p->op == CALVE_OP_TRUE);
      return;
    case CALVE_OP_AND:
    case CALVE_OP_OR:
      write_junction(p, 0, p->count, w);
      return;
    case CALVE_OP_NOT:
      calve_json_write_begin(w, '{');
      calve_json_write_key(w, "type");
      calve_json_write_str(w, CALVE_STR("not"));
      calve_json_write_key(w, "child");
      calve_predicate_write_json(p->children[0], w);
      calve_json_write_end(w, '}');
      return;
    case CALVE_OP_SQL_UNKNOWN:
      calve_json_write_bool(w, true);
      return;
    case CALVE_OP_SQL_NULL:
      calve_json_write_bool(w, false);
      return;
    default:
      write_leaf(p, w);
      return;
  }
}
