/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "expr/predicate_parser.h"
#include "expr/sql_arithmetic.h"

static const calve_expr_item opaque = {.kind = CALVE_ITEM_OPAQUE};

static calve_expr_item literal_item(calve_type_id type, calve_str bytes) {
  calve_expr_item item = {.kind = CALVE_ITEM_LITERAL, .literal = {.type = type}};
  item.literal.bytes = bytes;
  return item;
}

static calve_expr_item boolean_item(bool value) {
  return (calve_expr_item){.kind = CALVE_ITEM_LITERAL,
                           .literal = {.type = CALVE_BOOLEAN, .b = value}};
}

calve_status calve_expr__skip_balanced(calve_expr_parser *p, calve_error *err) {
  for (size_t open = 1; open > 0;) {
    if (p->lexer.token.kind == CALVE_EXPR_TOKEN_END)
      return calve_expr__unexpected(p, "a closing bracket", err);
    if (calve_expr__at_sign(p, "(") || calve_expr__at_sign(p, "[") || calve_expr__at_sign(p, "{"))
      open++;
    if (calve_expr__at_sign(p, ")") || calve_expr__at_sign(p, "]") || calve_expr__at_sign(p, "}"))
      open--;
    CALVE_TRY(calve_expr__next(p, err));
  }
  return CALVE_OK;
}

/* ---- types, casts and typed literals -----------------------------------------------------------
 */

typedef struct type_spelling {
  calve_str name;
  int32_t precision, scale;
} type_spelling;

static calve_status parse_type_number(calve_expr_parser *p, int32_t *out, calve_error *err) {
  int64_t number;
  if (p->lexer.token.kind != CALVE_EXPR_TOKEN_NUMBER ||
      !calve_str_to_i64(p->lexer.token.text, &number) || number < 0 || number > 65535)
    return calve_expr__unexpected(p, "a small number", err);
  *out = (int32_t)number;
  return calve_expr__next(p, err);
}

/* TIMESTAMP WITH TIME ZONE, DOUBLE PRECISION, DECIMAL(9, 2), INT[] … */
static calve_status parse_type(calve_expr_parser *p, type_spelling *out, calve_error *err) {
  bool taken;
  if (p->lexer.token.kind != CALVE_EXPR_TOKEN_WORD) return calve_expr__unexpected(p, "a type", err);
  *out = (type_spelling){.name = p->lexer.token.text};
  CALVE_TRY(calve_expr__next(p, err));
  CALVE_TRY(calve_expr__take_word(p, "precision", &taken, err));
  if (calve_expr__at_sign(p, "(")) {
    CALVE_TRY(calve_expr__next(p, err));
    CALVE_TRY(parse_type_number(p, &out->precision, err));
    if (calve_expr__at_sign(p, ",")) {
      CALVE_TRY(calve_expr__next(p, err));
      CALVE_TRY(parse_type_number(p, &out->scale, err));
    }
    CALVE_TRY(calve_expr__expect_sign(p, ")", err));
  }
  bool with;
  CALVE_TRY(calve_expr__take_word(p, "with", &with, err));
  taken = with;
  if (!with) CALVE_TRY(calve_expr__take_word(p, "without", &taken, err));
  if (taken) {
    CALVE_TRY(calve_expr__take_word(p, "time", &taken, err));
    if (taken) CALVE_TRY(calve_expr__take_word(p, "zone", &taken, err));
    if (!taken) return calve_expr__unexpected(p, "TIME ZONE", err);
    if (with && calve_str_equal_nocase(out->name, CALVE_STR("timestamp")))
      out->name = CALVE_STR("timestamptz");
  }
  while (calve_expr__at_sign(p, "[")) {
    out->name = CALVE_STR("list");
    CALVE_TRY(calve_expr__next(p, err));
    CALVE_TRY(calve_expr__skip_balanced(p, err));
  }
  return CALVE_OK;
}

static calve_status cast(calve_expr_parser *p, const type_spelling *type, calve_expr_item *item,
                         calve_error *err) {
  calve_expr_item from = *item;
  bool decimal = calve_str_equal_nocase(type->name, CALVE_STR("decimal")) ||
                 calve_str_equal_nocase(type->name, CALVE_STR("numeric"));
  return calve_expr__item_cast(&from, type->name, decimal ? type->precision : 0,
                               decimal ? type->scale : 0, p->arena, item, err);
}

/* CAST(item AS type), TRY_CAST(item AS type) */
static calve_status parse_cast(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  bool as;
  type_spelling type;
  CALVE_TRY(calve_expr__parse_item(p, out, err));
  CALVE_TRY(calve_expr__take_word(p, "as", &as, err));
  if (!as) return calve_expr__unexpected(p, "AS and a type", err);
  CALVE_TRY(parse_type(p, &type, err));
  CALVE_TRY(calve_expr__expect_sign(p, ")", err));
  return cast(p, &type, out, err);
}

/* DATE '2026-03-01': the type's name was read, the lexer stands at the string. */
static calve_status parse_typed_literal(calve_expr_parser *p, calve_str type, calve_expr_item *out,
                                        calve_error *err) {
  calve_expr_item text = literal_item(CALVE_STRING, p->lexer.token.text);
  CALVE_TRY(calve_expr__item_cast(&text, type, 0, 0, p->arena, out, err));
  if (out->kind == CALVE_ITEM_OPAQUE && calve_str_equal_nocase(type, CALVE_STR("timestamp")))
    CALVE_TRY(calve_expr__item_cast(&text, CALVE_STR("timestamptz"), 0, 0, p->arena, out, err));
  calve_expr_item exact = *out;
  if (out->kind == CALVE_ITEM_OPAQUE) /* nanoseconds, which engines cut off or round              */
    CALVE_TRY(calve_expr__item_cast(&text, CALVE_STR("timestamp_ns"), 0, 0, p->arena, &exact, err));
  if (exact.kind == CALVE_ITEM_OPAQUE) return calve_expr__unexpected(p, "a date or time", err);
  return calve_expr__next(p, err);
}

static bool is_time_type(calve_str word) {
  static const char *const names[] = {
      "date", "time", "timestamp", "timestamptz", "timestamp_ntz", "timestamp_ltz", "timestamp_ns"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (calve_str_equal_nocase(word, calve_str_of(names[i]))) return true;
  return false;
}

/* ---- forms that are some value ------------------------------------------------------------------
 */

/* CASE … END */
static calve_status parse_case(calve_expr_parser *p, calve_error *err) {
  static const char *const words[] = {"when", "then", "else"};
  for (;;) {
    bool taken = false, end;
    CALVE_TRY(calve_expr__take_word(p, "end", &end, err));
    if (end) return CALVE_OK;
    for (size_t i = 0; i < 3 && !taken; i++)
      CALVE_TRY(calve_expr__take_word(p, words[i], &taken, err));
    calve_expr_item ignored;
    CALVE_TRY(calve_expr__parse_item(p, &ignored, err));
  }
}

/* INTERVAL '1 day', INTERVAL 1 DAY, INTERVAL (n) DAY */
static calve_status parse_interval(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  static const char *const not_units[] = {"and",     "or", "not",  "in",   "is",   "like",
                                          "between", "as", "then", "when", "else", "end"};
  bool known = !calve_expr__at_sign(p, "(");
  calve_str number = p->lexer.token.text, unit = {"", 0};
  CALVE_TRY(calve_expr__next(p, err));
  if (!known) CALVE_TRY(calve_expr__skip_balanced(p, err));
  bool has_unit = p->lexer.token.kind == CALVE_EXPR_TOKEN_WORD;
  for (size_t i = 0; i < sizeof not_units / sizeof *not_units; i++)
    if (calve_expr__at_word(p, not_units[i])) has_unit = false;
  if (has_unit) {
    unit = p->lexer.token.text;
    CALVE_TRY(calve_expr__next(p, err));
  }
  if (known) *out = calve_expr__item_interval(number, unit);
  return CALVE_OK;
}

/* EXTRACT(year FROM c) */
static calve_status parse_extract(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  bool from;
  calve_expr_item argument;
  calve_str unit = p->lexer.token.text;
  if (p->lexer.token.kind != CALVE_EXPR_TOKEN_WORD &&
      p->lexer.token.kind != CALVE_EXPR_TOKEN_STRING)
    return calve_expr__unexpected(p, "a unit such as YEAR", err);
  CALVE_TRY(calve_expr__next(p, err));
  CALVE_TRY(calve_expr__take_word(p, "from", &from, err));
  if (!from) return calve_expr__unexpected(p, "FROM", err);
  CALVE_TRY(calve_expr__parse_item(p, &argument, err));
  CALVE_TRY(calve_expr__expect_sign(p, ")", err));
  *out = opaque;
  if (!calve_str_equal_nocase(unit, CALVE_STR("year"))) return CALVE_OK;
  return calve_expr__item_call(unit, &argument, 1, p->arena, out, err);
}

/* ---- names and calls
 * ----------------------------------------------------------------------------- */

static calve_status parse_arguments(calve_expr_parser *p, calve_buffer *list, calve_error *err) {
  bool distinct;
  CALVE_TRY(calve_expr__take_word(p, "distinct", &distinct, err));
  while (!calve_expr__at_sign(p, ")")) {
    calve_expr_item item = opaque;
    if (calve_expr__at_sign(p, "*"))
      CALVE_TRY(calve_expr__next(p, err));
    else
      CALVE_TRY(calve_expr__parse_item(p, &item, err));
    calve_buffer_put(list, &item, sizeof item);
    if (calve_expr__at_sign(p, ")")) break;
    CALVE_TRY(calve_expr__expect_sign(p, ",", err));
  }
  CALVE_TRY(calve_expr__next(p, err));
  return calve_buffer_check(list, err);
}

static calve_status parse_call(calve_expr_parser *p, calve_str name, calve_expr_item *out,
                               calve_error *err) {
  CALVE_TRY(calve_expr__next(p, err));
  if (calve_str_equal_nocase(name, CALVE_STR("cast")) ||
      calve_str_equal_nocase(name, CALVE_STR("try_cast")))
    return parse_cast(p, out, err);
  if (calve_str_equal_nocase(name, CALVE_STR("extract"))) return parse_extract(p, out, err);
  if (calve_str_equal_nocase(name, CALVE_STR("exists"))) {
    *out = opaque;
    return calve_expr__skip_balanced(p, err);
  }
  calve_buffer list;
  calve_buffer_init(&list, p->arena->allocator);
  calve_status status = parse_arguments(p, &list, err);
  if (status == CALVE_OK)
    status = calve_expr__item_call(name, CALVE_ITEMS(&list, calve_expr_item),
                                   CALVE_COUNT(&list, calve_expr_item), p->arena, out, err);
  calve_buffer_free(&list);
  return status;
}

/* Functions that SQL calls without parentheses. */
static bool is_special(calve_str name) {
  static const char *const names[] = {"current_date",   "current_time",   "current_timestamp",
                                      "localtime",      "localtimestamp", "current_user",
                                      "session_user",   "user",           "current_role",
                                      "current_schema", "current_catalog"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (calve_str_equal_nocase(name, calve_str_of(names[i]))) return true;
  return false;
}

/* A column, dotted, or a call. `first` was read; the lexer stands behind it. */
static calve_status parse_name(calve_expr_parser *p, calve_str first, calve_expr_item *out,
                               calve_error *err) {
  calve_str whole = first, last = first;
  while (calve_expr__at_sign(p, ".")) {
    CALVE_TRY(calve_expr__next(p, err));
    last = p->lexer.token.text;
    if (p->lexer.token.kind != CALVE_EXPR_TOKEN_WORD &&
        p->lexer.token.kind != CALVE_EXPR_TOKEN_NAME)
      return calve_expr__unexpected(p, "a name after \".\"", err);
    CALVE_TRY(calve_expr__next(p, err));
    if (whole.size + last.size > CALVE_NAME_MAX)
      return calve_expr__unexpected(p, "the end of a very long name", err);
    calve_str left = whole;
    char *joined = (char *)calve_arena_alloc(p->arena, left.size + 1 + last.size);
    if (!joined) return calve_fail_oom(err);
    for (size_t i = 0; i < left.size; i++) joined[i] = left.data[i];
    joined[left.size] = '.';
    for (size_t i = 0; i < last.size; i++) joined[left.size + 1 + i] = last.data[i];
    whole = (calve_str){joined, left.size + 1 + last.size};
  }
  if (calve_expr__at_sign(p, "(")) return parse_call(p, last, out, err);
  *out = (calve_expr_item){.kind = CALVE_ITEM_TERM, .term = calve_term_column(whole)};
  if (!is_special(whole)) calve_buffer_put(&p->columns, &whole, sizeof whole);
  return calve_buffer_check(&p->columns, err);
}

static bool is_reserved(calve_str word) {
  static const char *const words[] = {"and",   "or",      "not",  "in",    "is",     "like",
                                      "ilike", "between", "as",   "when",  "then",   "else",
                                      "end",   "select",  "from", "where", "having", "group",
                                      "order", "limit",   "union"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (calve_str_equal_nocase(word, calve_str_of(words[i]))) return true;
  return false;
}

static calve_status parse_word(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  calve_str word = p->lexer.token.text;
  if (is_reserved(word)) return calve_expr__unexpected(p, "a column or a value", err);
  CALVE_TRY(calve_expr__next(p, err));
  *out = opaque;
  calve_expr_token_kind kind = p->lexer.token.kind;
  if (is_time_type(word) && kind == CALVE_EXPR_TOKEN_STRING)
    return parse_typed_literal(p, word, out, err);
  if (calve_str_equal_nocase(word, CALVE_STR("case"))) return parse_case(p, err);
  if (calve_str_equal_nocase(word, CALVE_STR("interval")) &&
      (kind == CALVE_EXPR_TOKEN_STRING || kind == CALVE_EXPR_TOKEN_NUMBER ||
       calve_expr__at_sign(p, "(")))
    return parse_interval(p, out, err);
  if (calve_str_equal_nocase(word, CALVE_STR("true")))
    *out = boolean_item(true);
  else if (calve_str_equal_nocase(word, CALVE_STR("false")))
    *out = boolean_item(false);
  else if (calve_str_equal_nocase(word, CALVE_STR("null")))
    out->kind = CALVE_ITEM_NULL;
  else
    return parse_name(p, word, out, err);
  return CALVE_OK;
}

/* ---- operands -----------------------------------------------------------------------------------
 */

static calve_status parse_parentheses(calve_expr_parser *p, calve_expr_item *out,
                                      calve_error *err) {
  if (calve_expr__at_word(p, "select") || calve_expr__at_word(p, "with")) {
    *out = opaque;
    return calve_expr__skip_balanced(p, err);
  }
  CALVE_TRY(calve_expr__parse_item(p, out, err));
  if (calve_expr__at_sign(p, ",")) { /* a row of values */
    *out = opaque;
    return calve_expr__skip_balanced(p, err);
  }
  return calve_expr__expect_sign(p, ")", err);
}

static calve_status parse_hex(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  calve_expr_item digits = literal_item(CALVE_STRING, p->lexer.token.text);
  CALVE_TRY(calve_expr__item_cast(&digits, CALVE_STR("hex digits"), 0, 0, p->arena, out, err));
  if (out->kind != CALVE_ITEM_LITERAL)
    return calve_expr__unexpected(p, "an even number of hex digits", err);
  return calve_expr__next(p, err);
}

static calve_status parse_primary(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  calve_expr_token token = p->lexer.token;
  *out = opaque;
  switch (token.kind) {
    case CALVE_EXPR_TOKEN_STRING:
      *out = literal_item(CALVE_STRING, token.text);
      return calve_expr__next(p, err);
    case CALVE_EXPR_TOKEN_HEX:
      return parse_hex(p, out, err);
    case CALVE_EXPR_TOKEN_NUMBER:
      *out = calve_expr__item_number(token.text);
      return calve_expr__next(p, err);
    case CALVE_EXPR_TOKEN_NAME:
      CALVE_TRY(calve_expr__next(p, err));
      return parse_name(p, token.text, out, err);
    case CALVE_EXPR_TOKEN_WORD:
      return parse_word(p, out, err);
    case CALVE_EXPR_TOKEN_END:
      return calve_expr__unexpected(p, "a column or a value", err);
    default:
      break;
  }
  bool open = calve_expr__at_sign(p, "(");
  bool list = calve_expr__at_sign(p, "[") || calve_expr__at_sign(p, "{");
  bool parameter = calve_expr__at_sign(p, "?") || calve_expr__at_sign(p, "$");
  if (!open && !list && !parameter) return calve_expr__unexpected(p, "a column or a value", err);
  CALVE_TRY(calve_expr__next(p, err));
  if (open) return parse_parentheses(p, out, err);
  if (list) return calve_expr__skip_balanced(p, err);
  return p->lexer.token.kind == CALVE_EXPR_TOKEN_NUMBER ? calve_expr__next(p, err) : CALVE_OK;
}

static calve_status parse_postfix(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  CALVE_TRY(parse_primary(p, out, err));
  for (;;) {
    bool taken;
    if (calve_expr__at_sign(p, "::")) {
      type_spelling type;
      CALVE_TRY(calve_expr__next(p, err));
      CALVE_TRY(parse_type(p, &type, err));
      CALVE_TRY(cast(p, &type, out, err));
      continue;
    }
    if (calve_expr__at_sign(p, "[")) {
      CALVE_TRY(calve_expr__next(p, err));
      CALVE_TRY(calve_expr__skip_balanced(p, err));
      *out = opaque;
      continue;
    }
    CALVE_TRY(calve_expr__take_word(p, "collate", &taken, err));
    if (taken) {
      *out = opaque;
      CALVE_TRY(calve_expr__next(p, err));
      continue;
    }
    CALVE_TRY(calve_expr__take_word(p, "at", &taken, err));
    if (!taken) return CALVE_OK;
    CALVE_TRY(calve_expr__take_word(p, "time", &taken, err));
    if (taken) CALVE_TRY(calve_expr__take_word(p, "zone", &taken, err));
    if (!taken) return calve_expr__unexpected(p, "TIME ZONE", err);
    calve_expr_item zone;
    CALVE_TRY(parse_primary(p, &zone, err));
    *out = opaque;
  }
}

static void negate_number(calve_expr_item *item) {
  calve_value *v = &item->literal;
  bool literal = item->kind == CALVE_ITEM_LITERAL;
  if (literal && v->type == CALVE_LONG && v->i64 != INT64_MIN)
    v->i64 = -v->i64;
  else if (literal && v->type == CALVE_DECIMAL)
    v->i128 = -v->i128;
  else if (literal && v->type == CALVE_DOUBLE)
    v->f64 = -v->f64;
  else if (literal && v->type == CALVE_FLOAT)
    v->f32 = -v->f32;
  else if (item->kind != CALVE_ITEM_NULL)
    *item = opaque;
}

static calve_status parse_unary(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  bool negate = false;
  while (calve_expr__at_sign(p, "-") || calve_expr__at_sign(p, "+")) {
    if (calve_expr__at_sign(p, "-")) negate = !negate;
    CALVE_TRY(calve_expr__next(p, err));
  }
  CALVE_TRY(parse_postfix(p, out, err));
  if (negate) negate_number(out);
  return CALVE_OK;
}

/* The first of the signs that the lexer stands at; NULL: none. */
static const char *at_one_of(const calve_expr_parser *p, const char *const *signs, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (calve_expr__at_sign(p, signs[i])) return signs[i];
  return NULL;
}

typedef calve_status operand_function(calve_expr_parser *p, calve_expr_item *out, calve_error *err);

/* Operators of one rank, from left to right. */
static calve_status parse_rank(calve_expr_parser *p, operand_function *higher,
                               const char *const *signs, size_t count, calve_expr_item *out,
                               calve_error *err) {
  const char *sign;
  CALVE_TRY(higher(p, out, err));
  while ((sign = at_one_of(p, signs, count))) {
    calve_expr_item left = *out, right;
    if (sign[0] == '-' && sign[1] == '>') p->has_lambda = true;
    CALVE_TRY(calve_expr__next(p, err));
    CALVE_TRY(higher(p, &right, err));
    *out = calve_expr__item_arithmetic(&left, calve_str_of(sign), &right);
  }
  return CALVE_OK;
}

static calve_status parse_power(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  static const char *const signs[] = {"^", "**"};
  return parse_rank(p, parse_unary, signs, 2, out, err);
}

static calve_status parse_product(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  static const char *const signs[] = {"*", "/", "//", "%"};
  return parse_rank(p, parse_power, signs, 4, out, err);
}

static calve_status parse_sum(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  static const char *const signs[] = {"+", "-"};
  return parse_rank(p, parse_product, signs, 2, out, err);
}

calve_status calve_expr__parse_operand(calve_expr_parser *p, calve_expr_item *out,
                                       calve_error *err) {
  static const char *const signs[] = {"||", "->", "&", "|", "#", "@"};
  return parse_rank(p, parse_sum, signs, 6, out, err);
}
