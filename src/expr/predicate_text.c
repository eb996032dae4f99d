/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive descent over
 *   or      := and (OR and)*
 *   and     := not (AND not)*
 *   not     := NOT* compare
 *   compare := operand (sign operand | [NOT] BETWEEN … | [NOT] IN (…) | [NOT] LIKE … | IS …)*
 *   operand := unary (arithmetic unary)*
 * Operands are in predicate_operand.c. Depth grows by parentheses only, and is capped. */
#include "expr/predicate_text.h"

#include "base/text.h"
#include "expr/predicate_parser.h"

/* ---- tokens -----------------------------------------------------------------------------------
 */

calve_status calve_expr__unexpected(calve_expr_parser *p, const char *expected, calve_error *err) {
  const calve_expr_token *t = &p->lexer.token;
  if (t->kind == CALVE_EXPR_TOKEN_END)
    return calve_fail_at(err, CALVE_EINVAL, "condition", (int64_t)t->offset,
                         "expected %s at the end of the condition", expected);
  return calve_fail_at(err, CALVE_EINVAL, "condition", (int64_t)t->offset,
                       "expected %s at character %zu, found \"%.*s\"", expected, t->offset + 1,
                       CALVE_STR_ARG(t->text));
}

bool calve_expr__at_sign(const calve_expr_parser *p, const char *sign) {
  return p->lexer.token.kind == CALVE_EXPR_TOKEN_SIGN &&
         calve_str_equal_text(p->lexer.token.text, sign);
}

bool calve_expr__at_word(const calve_expr_parser *p, const char *word) {
  return p->lexer.token.kind == CALVE_EXPR_TOKEN_WORD &&
         calve_str_equal_nocase(p->lexer.token.text, calve_str_of(word));
}

calve_status calve_expr__next(calve_expr_parser *p, calve_error *err) {
  p->end = p->lexer.at;
  return calve_expr__lex(&p->lexer, err);
}

calve_status calve_expr__expect_sign(calve_expr_parser *p, const char *sign, calve_error *err) {
  char expected[16];
  if (calve_expr__at_sign(p, sign)) return calve_expr__next(p, err);
  snprintf(expected, sizeof expected, "\"%s\"", sign);
  return calve_expr__unexpected(p, expected, err);
}

calve_status calve_expr__take_word(calve_expr_parser *p, const char *word, bool *taken,
                                   calve_error *err) {
  *taken = calve_expr__at_word(p, word);
  return *taken ? calve_expr__next(p, err) : CALVE_OK;
}

static calve_status expect_word(calve_expr_parser *p, const char *word, calve_error *err) {
  bool taken;
  CALVE_TRY(calve_expr__take_word(p, word, &taken, err));
  return taken ? CALVE_OK : calve_expr__unexpected(p, word, err);
}

/* ---- conditions on an operand ------------------------------------------------------------------
 */

static calve_expr_item condition_item(const calve_predicate *condition) {
  return (calve_expr_item){.kind = CALVE_ITEM_CONDITION, .condition = condition};
}

static calve_status negated(calve_expr_parser *p, bool negate, const calve_predicate *condition,
                            calve_expr_item *out, calve_error *err) {
  if (negate) CALVE_TRY(calve_predicate_not(condition, p->arena, &condition, err));
  *out = condition_item(condition);
  return CALVE_OK;
}

static calve_status parse_between(calve_expr_parser *p, calve_expr_item *item, bool negate,
                                  calve_error *err) {
  bool symmetric;
  calve_expr_item low, high;
  const calve_predicate *both[2];
  CALVE_TRY(calve_expr__take_word(p, "symmetric", &symmetric, err));
  CALVE_TRY(calve_expr__parse_operand(p, &low, err));
  CALVE_TRY(expect_word(p, "AND", err));
  CALVE_TRY(calve_expr__parse_operand(p, &high, err));
  CALVE_TRY(calve_expr__item_compare(item, CALVE_OP_GT_EQ, &low, p->arena, &both[0], err));
  CALVE_TRY(calve_expr__item_compare(item, CALVE_OP_LT_EQ, &high, p->arena, &both[1], err));
  const calve_predicate *condition = &calve_predicate_sql_unknown;
  if (!symmetric) CALVE_TRY(calve_predicate_and(both, 2, p->arena, &condition, err));
  return negated(p, negate, condition, item, err);
}

static calve_status parse_list(calve_expr_parser *p, calve_buffer *items, calve_error *err) {
  while (!calve_expr__at_sign(p, ")")) {
    calve_expr_item item;
    CALVE_TRY(calve_expr__parse_item(p, &item, err));
    calve_buffer_put(items, &item, sizeof item);
    if (calve_expr__at_sign(p, ")")) break;
    CALVE_TRY(calve_expr__expect_sign(p, ",", err));
  }
  CALVE_TRY(calve_expr__next(p, err));
  return calve_buffer_check(items, err);
}

static calve_status parse_in(calve_expr_parser *p, calve_expr_item *item, bool negate,
                             calve_error *err) {
  const calve_predicate *condition = &calve_predicate_sql_unknown;
  if (!calve_expr__at_sign(p, "(")) { /* IN a list column */
    calve_expr_item list;
    CALVE_TRY(calve_expr__parse_operand(p, &list, err));
    return negated(p, negate, condition, item, err);
  }
  CALVE_TRY(calve_expr__next(p, err));
  if (calve_expr__at_word(p, "select") || calve_expr__at_word(p, "with")) {
    CALVE_TRY(calve_expr__skip_balanced(p, err));
    return negated(p, negate, condition, item, err);
  }
  calve_buffer items;
  calve_buffer_init(&items, p->arena->allocator);
  calve_status status = parse_list(p, &items, err);
  if (status == CALVE_OK)
    status = calve_expr__item_in(item, CALVE_ITEMS(&items, calve_expr_item),
                                 CALVE_COUNT(&items, calve_expr_item), p->arena, &condition, err);
  calve_buffer_free(&items);
  CALVE_TRY(status);
  return negated(p, negate, condition, item, err);
}

static calve_status parse_like(calve_expr_parser *p, calve_expr_item *item, bool negate,
                               calve_error *err) {
  calve_expr_item pattern, escape = {.kind = CALVE_ITEM_OPAQUE};
  bool has_escape;
  CALVE_TRY(calve_expr__parse_operand(p, &pattern, err));
  CALVE_TRY(calve_expr__take_word(p, "escape", &has_escape, err));
  if (has_escape) CALVE_TRY(calve_expr__parse_operand(p, &escape, err));
  const calve_predicate *condition = &calve_predicate_sql_unknown;
  bool usable =
      !has_escape || (escape.kind == CALVE_ITEM_LITERAL && escape.literal.type == CALVE_STRING &&
                      escape.literal.bytes.size == 1);
  char c = has_escape && usable ? escape.literal.bytes.data[0] : '\0';
  if (usable) CALVE_TRY(calve_expr__item_like(item, &pattern, c, p->arena, &condition, err));
  return negated(p, negate, condition, item, err);
}

/* IS TRUE and IS FALSE are never null themselves. */
static calve_status is_boolean(calve_expr_parser *p, calve_expr_item *item, bool value, bool negate,
                               calve_error *err) {
  calve_expr_item wanted = {.kind = CALVE_ITEM_LITERAL,
                            .literal = {.type = CALVE_BOOLEAN, .b = value}};
  const calve_predicate *condition = &calve_predicate_sql_unknown;
  if (item->kind == CALVE_ITEM_TERM)
    CALVE_TRY(calve_expr__item_same(item, &wanted, p->arena, &condition, err));
  return negated(p, negate, condition, item, err);
}

static calve_status parse_is(calve_expr_parser *p, calve_expr_item *item, calve_error *err) {
  bool negate, taken;
  const calve_predicate *condition;
  CALVE_TRY(calve_expr__take_word(p, "not", &negate, err));
  CALVE_TRY(calve_expr__take_word(p, "null", &taken, err));
  if (!taken) CALVE_TRY(calve_expr__take_word(p, "unknown", &taken, err));
  if (taken) {
    CALVE_TRY(calve_expr__item_is(item, CALVE_OP_IS_NULL, p->arena, &condition, err));
    return negated(p, negate, condition, item, err);
  }
  CALVE_TRY(calve_expr__take_word(p, "nan", &taken, err));
  if (taken) {
    CALVE_TRY(calve_expr__item_is(item, CALVE_OP_IS_NAN, p->arena, &condition, err));
    return negated(p, negate, condition, item, err);
  }
  CALVE_TRY(calve_expr__take_word(p, "true", &taken, err));
  if (taken) return is_boolean(p, item, true, negate, err);
  CALVE_TRY(calve_expr__take_word(p, "false", &taken, err));
  if (taken) return is_boolean(p, item, false, negate, err);
  CALVE_TRY(calve_expr__take_word(p, "distinct", &taken, err));
  if (!taken)
    return calve_expr__unexpected(p, "NULL, NAN, TRUE, FALSE or DISTINCT FROM after IS", err);
  calve_expr_item other;
  CALVE_TRY(expect_word(p, "FROM", err));
  CALVE_TRY(calve_expr__parse_operand(p, &other, err));
  CALVE_TRY(calve_expr__item_same(item, &other, p->arena, &condition, err));
  return negated(p, !negate, condition, item, err);
}

static calve_status parse_sign(calve_expr_parser *p, calve_expr_item *item, bool *done,
                               calve_error *err) {
  static const struct {
    const char *sign;
    calve_predicate_op op;
  } signs[] = {{"=", CALVE_OP_EQ},      {"==", CALVE_OP_EQ},   {"<>", CALVE_OP_NOT_EQ},
               {"!=", CALVE_OP_NOT_EQ}, {"<", CALVE_OP_LT},    {"<=", CALVE_OP_LT_EQ},
               {">", CALVE_OP_GT},      {">=", CALVE_OP_GT_EQ}};
  static const char *const others[] = {"~", "~~", "!~", "!~~", "~~*", "!~~*", "^@"};
  const calve_predicate *condition = &calve_predicate_sql_unknown;
  calve_expr_item right;
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    if (!calve_expr__at_sign(p, signs[i].sign)) continue;
    CALVE_TRY(calve_expr__next(p, err));
    CALVE_TRY(calve_expr__parse_operand(p, &right, err));
    CALVE_TRY(calve_expr__item_compare(item, signs[i].op, &right, p->arena, &condition, err));
    return negated(p, false, condition, item, err);
  }
  if (calve_expr__at_sign(p, "<=>")) {
    CALVE_TRY(calve_expr__next(p, err));
    CALVE_TRY(calve_expr__parse_operand(p, &right, err));
    CALVE_TRY(calve_expr__item_same(item, &right, p->arena, &condition, err));
    return negated(p, false, condition, item, err);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (!calve_expr__at_sign(p, others[i])) continue;
    CALVE_TRY(calve_expr__next(p, err));
    CALVE_TRY(calve_expr__parse_operand(p, &right, err));
    return negated(p, false, condition, item, err);
  }
  *done = true;
  return CALVE_OK;
}

/* What begins with a word: IS, [NOT] BETWEEN, IN, LIKE and the patterns that Iceberg lacks. */
static calve_status parse_word_condition(calve_expr_parser *p, calve_expr_item *item, bool *done,
                                         calve_error *err) {
  static const char *const patterns[] = {"ilike", "similar", "glob", "rlike", "regexp"};
  bool negate, taken;
  CALVE_TRY(calve_expr__take_word(p, "is", &taken, err));
  if (taken) return parse_is(p, item, err);
  CALVE_TRY(calve_expr__take_word(p, "not", &negate, err));
  CALVE_TRY(calve_expr__take_word(p, "between", &taken, err));
  if (taken) return parse_between(p, item, negate, err);
  CALVE_TRY(calve_expr__take_word(p, "in", &taken, err));
  if (taken) return parse_in(p, item, negate, err);
  CALVE_TRY(calve_expr__take_word(p, "like", &taken, err));
  if (taken) return parse_like(p, item, negate, err);
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    CALVE_TRY(calve_expr__take_word(p, patterns[i], &taken, err));
    if (!taken) continue;
    if (i == 1) CALVE_TRY(expect_word(p, "TO", err));
    calve_expr_item ignored = {.kind = CALVE_ITEM_OPAQUE};
    CALVE_TRY(parse_like(p, &ignored, negate, err));
    *item = condition_item(&calve_predicate_sql_unknown);
    return CALVE_OK;
  }
  if (negate) return calve_expr__unexpected(p, "BETWEEN, IN or LIKE after NOT", err);
  *done = true;
  return CALVE_OK;
}

/* ---- parts that can't be used ------------------------------------------------------------------
 */

static bool has_unknown(const calve_predicate *p) {
  bool found = p->op == CALVE_OP_SQL_UNKNOWN;
  bool inner = p->op == CALVE_OP_AND || p->op == CALVE_OP_OR || p->op == CALVE_OP_NOT;
  for (size_t i = 0; inner && i < p->count && !found; i++) found = has_unknown(p->children[i]);
  return found;
}

/* Where a part of the text starts, and what was noted before it. */
typedef struct part_start {
  size_t at, noted;
} part_start;

static part_start start_part(const calve_expr_parser *p) {
  return (part_start){.at = p->lexer.token.offset, .noted = p->unused.size};
}

/* Whether `whole` is nothing but the part, in parentheses. */
static bool only_wraps(calve_str whole, calve_str part) {
  while (whole.size > part.size && whole.data[0] == '(' && whole.data[whole.size - 1] == ')') {
    whole = calve_str_trim((calve_str){whole.data + 1, whole.size - 2});
    if (whole.data == part.data && whole.size == part.size) return true;
  }
  return false;
}

/* Notes the part that has been read, if it, or something in it that was not noted, is lost. */
static calve_status end_part(calve_expr_parser *p, part_start start,
                             const calve_predicate *condition, calve_error *err) {
  calve_str text = {p->lexer.text.data + start.at, p->end - start.at};
  bool one = p->unused.size == start.noted + sizeof text;
  if (one && only_wraps(text, CALVE_ITEMS(&p->unused, calve_str)[start.noted / sizeof text]))
    return CALVE_OK;
  if (condition->op == CALVE_OP_SQL_UNKNOWN)
    p->unused.size = start.noted; /* more than what was lost in it                               */
  else if (p->unused.size > start.noted || !has_unknown(condition))
    return CALVE_OK;
  calve_buffer_put(&p->unused, &text, sizeof text);
  return calve_buffer_check(&p->unused, err);
}

/* What was read since `start`, as a condition. */
static calve_status as_condition(calve_expr_parser *p, part_start start,
                                 const calve_expr_item *item, const calve_predicate **out,
                                 calve_error *err) {
  CALVE_TRY(calve_expr__item_condition(item, p->arena, out, err));
  return item->kind == CALVE_ITEM_CONDITION ? CALVE_OK : end_part(p, start, *out, err);
}

static calve_status parse_compare(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  part_start start = start_part(p);
  CALVE_TRY(calve_expr__parse_operand(p, out, err));
  for (bool done = false; !done;) {
    if (p->lexer.token.kind == CALVE_EXPR_TOKEN_SIGN)
      CALVE_TRY(parse_sign(p, out, &done, err));
    else if (p->lexer.token.kind == CALVE_EXPR_TOKEN_WORD)
      CALVE_TRY(parse_word_condition(p, out, &done, err));
    else
      done = true;
  }
  return out->kind == CALVE_ITEM_CONDITION ? end_part(p, start, out->condition, err) : CALVE_OK;
}

/* ---- NOT, AND, OR ------------------------------------------------------------------------------
 */

static calve_status parse_not(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  bool negate = false, any = false, taken;
  for (;;) {
    CALVE_TRY(calve_expr__take_word(p, "not", &taken, err));
    if (!taken) break;
    negate = !negate;
    any = true;
  }
  part_start start = start_part(p);
  CALVE_TRY(parse_compare(p, out, err));
  if (!any) return CALVE_OK;
  const calve_predicate *condition;
  CALVE_TRY(as_condition(p, start, out, &condition, err));
  return negated(p, negate, condition, out, err);
}

typedef calve_status parse_function(calve_expr_parser *p, calve_expr_item *out, calve_error *err);

/* One `part`, or several with the word between them; these are conditions then. */
static calve_status parse_parts(calve_expr_parser *p, parse_function *part, const char *word,
                                calve_buffer *list, calve_expr_item *out, calve_error *err) {
  part_start start = start_part(p);
  CALVE_TRY(part(p, out, err));
  if (!calve_expr__at_word(p, word)) return CALVE_OK;
  for (bool more = true; more;) {
    const calve_predicate *condition;
    CALVE_TRY(as_condition(p, start, out, &condition, err));
    calve_buffer_put(list, &condition, sizeof condition);
    CALVE_TRY(calve_expr__take_word(p, word, &more, err));
    start = start_part(p);
    if (more) CALVE_TRY(part(p, out, err));
  }
  CALVE_TRY(calve_buffer_check(list, err));
  const calve_predicate *const *parts = CALVE_ITEMS(list, const calve_predicate *);
  size_t count = CALVE_COUNT(list, const calve_predicate *);
  const calve_predicate *whole;
  CALVE_TRY(word[0] == 'a' ? calve_predicate_and(parts, count, p->arena, &whole, err)
                           : calve_predicate_or(parts, count, p->arena, &whole, err));
  *out = condition_item(whole);
  return CALVE_OK;
}

static calve_status parse_and(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  calve_buffer list;
  calve_buffer_init(&list, p->arena->allocator);
  calve_status status = parse_parts(p, parse_not, "and", &list, out, err);
  calve_buffer_free(&list);
  return status;
}

calve_status calve_expr__parse_item(calve_expr_parser *p, calve_expr_item *out, calve_error *err) {
  if (p->depth >= CALVE_CONDITION_DEPTH_MAX)
    return calve_fail_at(err, CALVE_EINVAL, "condition", (int64_t)p->lexer.token.offset,
                         "parentheses are nested deeper than %d at character %zu",
                         CALVE_CONDITION_DEPTH_MAX, p->lexer.token.offset + 1);
  p->depth++;
  calve_buffer list;
  calve_buffer_init(&list, p->arena->allocator);
  calve_status status = parse_parts(p, parse_and, "or", &list, out, err);
  calve_buffer_free(&list);
  p->depth--;
  return status;
}

/* ---- all --------------------------------------------------------------------------------------
 */

static calve_status parse_all(calve_expr_parser *p, const calve_predicate **out, calve_error *err) {
  calve_expr_item item;
  CALVE_TRY(calve_expr__next(p, err));
  part_start start = start_part(p);
  CALVE_TRY(calve_expr__parse_item(p, &item, err));
  CALVE_TRY(as_condition(p, start, &item, out, err));
  if (calve_expr__at_sign(p, ";")) CALVE_TRY(calve_expr__next(p, err));
  if (p->lexer.token.kind != CALVE_EXPR_TOKEN_END)
    return calve_expr__unexpected(p, "AND, OR or the end of the condition", err);
  return CALVE_OK;
}

static calve_status keep_list(const calve_buffer *list, calve_arena *arena, size_t *count,
                              const calve_str **out, calve_error *err) {
  calve_str *copy = CALVE_NEW_ARRAY(arena, calve_str, CALVE_COUNT(list, calve_str));
  if (!copy) return calve_fail_oom(err);
  *count = CALVE_COUNT(list, calve_str);
  for (size_t i = 0; i < *count; i++) copy[i] = CALVE_ITEMS(list, calve_str)[i];
  *out = copy;
  return CALVE_OK;
}

static calve_status parse_text(calve_str text, calve_arena *arena, const calve_predicate **out,
                               calve_predicate_notes *notes, calve_error *err) {
  calve_expr_parser p = {.lexer = {.text = text, .arena = arena}, .arena = arena};
  calve_buffer_init(&p.columns, arena->allocator);
  calve_buffer_init(&p.unused, arena->allocator);
  const calve_predicate *sql;
  calve_status status = parse_all(&p, &sql, err);
  if (p.has_lambda) calve_buffer_clear(&p.columns);
  if (status == CALVE_OK && notes) {
    status = keep_list(&p.columns, arena, &notes->column_count, &notes->columns, err);
    if (status == CALVE_OK)
      status = keep_list(&p.unused, arena, &notes->unused_count, &notes->unused, err);
  }
  calve_buffer_free(&p.columns);
  calve_buffer_free(&p.unused);
  if (status == CALVE_OK) *out = sql;
  return status;
}

calve_status calve_predicate_parse_sql(calve_str text, calve_arena *arena,
                                       const calve_predicate **out, calve_error *err) {
  return parse_text(text, arena, out, NULL, err);
}

calve_status calve_predicate_parse_noted(calve_str text, calve_arena *arena,
                                         const calve_predicate **out, bool *exact,
                                         calve_predicate_notes *notes, calve_error *err) {
  const calve_predicate *sql;
  CALVE_TRY(parse_text(text, arena, &sql, notes, err));
  return calve_predicate_two_valued(sql, arena, out, exact, err);
}

calve_status calve_predicate_parse(calve_str text, calve_arena *arena, const calve_predicate **out,
                                   bool *exact, calve_error *err) {
  return calve_predicate_parse_noted(text, arena, out, exact, NULL, err);
}
