/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/predicate_lex.h"

#include <string.h>

#include "base/text.h"

static char char_at(const calve_expr_lexer *l, size_t at) {
  return at < l->text.size ? l->text.data[at] : '\0';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || ((unsigned char)c & 0x80);
}

static bool continues_word(char c) {
  return starts_word(c) || is_digit(c) || c == '$';
}

static calve_status bad(size_t at, calve_error *err, const char *what) {
  return calve_fail_at(err, CALVE_EINVAL, "condition", (int64_t)at, "%s at character %zu", what,
                       at + 1);
}

/* White space and comments. */
static calve_status skip_space(calve_expr_lexer *l, calve_error *err) {
  for (;;) {
    char c = char_at(l, l->at);
    if (l->at < l->text.size && (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f')) {
      l->at++;
    } else if (c == '-' && char_at(l, l->at + 1) == '-') {
      while (l->at < l->text.size && l->text.data[l->at] != '\n') l->at++;
    } else if (c == '/' && char_at(l, l->at + 1) == '*') {
      size_t start = l->at;
      l->at += 2;
      while (!(char_at(l, l->at) == '*' && char_at(l, l->at + 1) == '/'))
        if (++l->at >= l->text.size) return bad(start, err, "a comment has no end: it starts");
      l->at += 2;
    } else {
      return CALVE_OK;
    }
  }
}

/* From an opening quote to its closing one; the quote doubled stands for itself. */
static calve_status lex_quoted(calve_expr_lexer *l, char quote, calve_str *out, calve_error *err) {
  size_t start = l->at++, doubled = 0, begin = l->at;
  for (;; l->at++) {
    if (l->at >= l->text.size) return bad(start, err, "a quote has no end: it starts");
    if (l->text.data[l->at] != quote) continue;
    if (char_at(l, l->at + 1) != quote) break;
    doubled++;
    l->at++;
  }
  *out = (calve_str){l->text.data + begin, l->at - begin};
  l->at++;
  if (!calve_utf8_valid(*out)) return bad(start, err, "a quoted text is no valid UTF-8: it starts");
  if (doubled == 0) return CALVE_OK;
  char *copy = (char *)calve_arena_alloc(l->arena, out->size);
  if (!copy) return calve_fail_oom(err);
  size_t size = 0;
  for (size_t i = 0; i < out->size; i++) {
    copy[size++] = out->data[i];
    if (out->data[i] == quote) i++;
  }
  *out = (calve_str){copy, size};
  return CALVE_OK;
}

static calve_status lex_number(calve_expr_lexer *l, calve_error *err) {
  size_t start = l->at;
  while (is_digit(char_at(l, l->at))) l->at++;
  if (char_at(l, l->at) == '.') l->at++;
  while (is_digit(char_at(l, l->at))) l->at++;
  char c = char_at(l, l->at), sign = char_at(l, l->at + 1);
  bool has_sign = sign == '+' || sign == '-';
  if ((c == 'e' || c == 'E') && is_digit(char_at(l, l->at + 1 + has_sign))) {
    l->at += 1 + (size_t)has_sign;
    while (is_digit(char_at(l, l->at))) l->at++;
  }
  l->token.kind = CALVE_EXPR_TOKEN_NUMBER;
  l->token.text = (calve_str){l->text.data + start, l->at - start};
  if (char_at(l, l->at) == 'L' && !continues_word(char_at(l, l->at + 1))) l->at++; /* Spark's 5L */
  if (continues_word(char_at(l, l->at))) return bad(start, err, "not a number");
  return CALVE_OK;
}

static calve_status lex_sign(calve_expr_lexer *l, calve_error *err) {
  static const char *const signs[] = {
      "<=>", "!~~*", "!~~", "~~*", "~~", "!~", "<=", ">=", "<>", "!=", "==", "::", "||", "->", "^@",
      "//",  "**",   "<",   ">",   "=",  "(",  ")",  ",",  ".",  "+",  "-",  "*",  "/",  "%",  "[",
      "]",   "{",    "}",   ":",   "?",  "~",  "$",  "&",  "|",  "^",  "#",  "@",  ";"};
  calve_str rest = {l->text.data + l->at, l->text.size - l->at};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    calve_str sign = calve_str_of(signs[i]);
    if (!calve_str_starts_with(rest, sign)) continue;
    l->token.kind = CALVE_EXPR_TOKEN_SIGN;
    l->token.text = sign;
    l->at += sign.size;
    return CALVE_OK;
  }
  return bad(l->at, err, "an unexpected character");
}

calve_status calve_expr__lex(calve_expr_lexer *l, calve_error *err) {
  CALVE_TRY(skip_space(l, err));
  l->token.offset = l->at;
  if (l->at >= l->text.size) {
    l->token.kind = CALVE_EXPR_TOKEN_END;
    l->token.text = (calve_str){"", 0};
    return CALVE_OK;
  }
  char c = l->text.data[l->at], next = char_at(l, l->at + 1);
  if ((c == 'x' || c == 'X') && next == '\'') {
    l->at++;
    l->token.kind = CALVE_EXPR_TOKEN_HEX;
    return lex_quoted(l, '\'', &l->token.text, err);
  }
  if (starts_word(c)) {
    size_t start = l->at;
    while (l->at < l->text.size && continues_word(l->text.data[l->at])) l->at++;
    l->token.kind = CALVE_EXPR_TOKEN_WORD;
    l->token.text = (calve_str){l->text.data + start, l->at - start};
    if (!calve_utf8_valid(l->token.text)) return bad(start, err, "no valid UTF-8");
    return CALVE_OK;
  }
  if (is_digit(c) || (c == '.' && is_digit(next))) return lex_number(l, err);
  if (c == '\'' || c == '"' || c == '`') {
    l->token.kind = c == '\'' ? CALVE_EXPR_TOKEN_STRING : CALVE_EXPR_TOKEN_NAME;
    return lex_quoted(l, c, &l->token.text, err);
  }
  return lex_sign(l, err);
}
