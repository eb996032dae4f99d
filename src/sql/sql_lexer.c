/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/sql_lexer.h"

#include <string.h>

#include "base/buffer.h"

typedef struct scan {
  calve_str text;
  size_t at;
} scan;

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Letters, underscore, and every byte of a non-ASCII code point. */
static bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

static bool is_word(char c) { return is_word_start(c) || is_digit(c) || c == '$'; }

static char peek_at(const scan *s, size_t ahead) {
  return s->at + ahead < s->text.size ? s->text.data[s->at + ahead] : '\0';
}

/* Steps over one block comment, which may hold others. False when it is not closed. */
static bool skip_block_comment(scan *s) {
  int depth = 0;
  while (s->at < s->text.size) {
    if (peek_at(s, 0) == '/' && peek_at(s, 1) == '*') {
      depth++;
      s->at += 2;
    } else if (peek_at(s, 0) == '*' && peek_at(s, 1) == '/') {
      s->at += 2;
      if (--depth == 0) return true;
    } else {
      s->at++;
    }
  }
  return false;
}

static calve_status skip_blank(scan *s, calve_error *err) {
  while (s->at < s->text.size) {
    if (is_space(peek_at(s, 0))) {
      s->at++;
    } else if (peek_at(s, 0) == '-' && peek_at(s, 1) == '-') {
      while (s->at < s->text.size && peek_at(s, 0) != '\n') s->at++;
    } else if (peek_at(s, 0) == '/' && peek_at(s, 1) == '*') {
      size_t start = s->at;
      if (!skip_block_comment(s))
        return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)start,
                             "comment is not closed: expected */");
    } else {
      break;
    }
  }
  return CALVE_OK;
}

/* Steps over a quoted token; a doubled quote stands for itself. False when it is not closed. */
static bool skip_quoted(scan *s) {
  char quote = s->text.data[s->at++];
  while (s->at < s->text.size) {
    if (s->text.data[s->at++] != quote) continue;
    if (peek_at(s, 0) != quote) return true;
    s->at++;
  }
  return false;
}

/* $tag$ ... $tag$; at stands on the first dollar. */
static bool skip_dollar_quoted(scan *s, size_t *tag_size) {
  size_t tag = 1;
  while (is_word(peek_at(s, tag)) && peek_at(s, tag) != '$') tag++;
  if (peek_at(s, tag) != '$') return false;
  tag++;
  const char *open = s->text.data + s->at;
  for (size_t at = s->at + tag; at + tag <= s->text.size; at++) {
    if (memcmp(s->text.data + at, open, tag) != 0) continue;
    s->at = at + tag;
    *tag_size = tag;
    return true;
  }
  return false;
}

static calve_status unquote(calve_str text, calve_arena *arena, calve_str *out, calve_error *err) {
  char quote = text.data[0];
  char *value = calve_arena_alloc(arena, text.size);
  if (!value) return calve_fail_oom(err);
  size_t size = 0;
  for (size_t i = 1; i + 1 < text.size; i++) {
    value[size++] = text.data[i];
    if (text.data[i] == quote) i++;
  }
  value[size] = '\0';
  *out = (calve_str){value, size};
  return CALVE_OK;
}

static void skip_number(scan *s) {
  while (is_digit(peek_at(s, 0)) || (peek_at(s, 0) == '_' && is_digit(peek_at(s, 1)))) s->at++;
  if (peek_at(s, 0) == '.' && is_digit(peek_at(s, 1))) s->at++;
  while (is_digit(peek_at(s, 0))) s->at++;
  size_t sign = peek_at(s, 1) == '+' || peek_at(s, 1) == '-' ? 2 : 1;
  if ((peek_at(s, 0) == 'e' || peek_at(s, 0) == 'E') && is_digit(peek_at(s, sign))) {
    s->at += sign;
    while (is_digit(peek_at(s, 0))) s->at++;
  }
}

static bool skip_symbol(scan *s) {
  static const char *const symbols[] = {"::", "=>", "->>", "->", "<=", ">=", "<>", "!=", "==", "||",
                                        ":=", "**", "//", "<<", ">>"};
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    size_t size = strlen(symbols[i]);
    if (s->text.size - s->at >= size && memcmp(s->text.data + s->at, symbols[i], size) == 0) {
      s->at += size;
      return true;
    }
  }
  if (!strchr("().,;=<>+-*/%[]{}:?!@#&|^~$", peek_at(s, 0)) || peek_at(s, 0) == '\0') return false;
  s->at++;
  return true;
}

static calve_status next_quoted(scan *s, calve_token *token, calve_arena *arena,
                                calve_error *err) {
  char quote = peek_at(s, 0);
  size_t start = s->at;
  token->kind = quote == '\'' ? CALVE_TOKEN_STRING : CALVE_TOKEN_QUOTED;
  if (!skip_quoted(s))
    return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)start,
                         "%s is not closed: expected another %c",
                         quote == '\'' ? "string" : "quoted name", quote);
  token->text = (calve_str){s->text.data + start, s->at - start};
  CALVE_TRY(unquote(token->text, arena, &token->value, err));
  if (token->kind == CALVE_TOKEN_QUOTED && token->value.size == 0)
    return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)start, "a quoted name is empty");
  return CALVE_OK;
}

/* One token; s stands on its first byte. */
static calve_status next_token(scan *s, calve_token *token, calve_arena *arena, calve_error *err) {
  size_t start = s->at, tag_size = 0;
  char c = peek_at(s, 0);
  *token = (calve_token){.offset = start};
  if (c == '\'' || c == '"' || c == '`') return next_quoted(s, token, arena, err);
  if (is_word_start(c)) {
    token->kind = CALVE_TOKEN_WORD;
    while (s->at < s->text.size && is_word(peek_at(s, 0))) s->at++;
  } else if (is_digit(c) || (c == '.' && is_digit(peek_at(s, 1)))) {
    token->kind = CALVE_TOKEN_NUMBER;
    skip_number(s);
  } else if (c == '$' && skip_dollar_quoted(s, &tag_size)) {
    token->kind = CALVE_TOKEN_STRING;
  } else if (skip_symbol(s)) {
    token->kind = CALVE_TOKEN_SYMBOL;
  } else {
    return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)start,
                         "byte 0x%02x can't start a word, number or operator", (unsigned char)c);
  }
  token->text = (calve_str){s->text.data + start, s->at - start};
  token->value = (calve_str){token->text.data + tag_size, token->text.size - 2 * tag_size};
  return CALVE_OK;
}

calve_status calve_sql_lex(calve_str text, calve_arena *arena, calve_token **tokens,
                           size_t *count, calve_error *err) {
  if (!calve_utf8_valid(text)) return calve_fail(err, CALVE_EINVAL, "SQL", "text is not UTF-8");
  calve_buffer list;
  calve_buffer_init(&list, arena->allocator);
  scan s = {text, 0};
  calve_status status = CALVE_OK;
  for (bool more = true; more && status == CALVE_OK;) {
    calve_token token = {.kind = CALVE_TOKEN_END, .text = {"", 0}, .value = {"", 0}};
    status = skip_blank(&s, err);
    token.offset = s.at;
    more = s.at < text.size;
    if (status == CALVE_OK && more) status = next_token(&s, &token, arena, err);
    calve_buffer_put(&list, &token, sizeof token);
  }
  if (status == CALVE_OK) status = calve_buffer_check(&list, err);
  void *copy = NULL;
  if (status == CALVE_OK) {
    copy = calve_arena_copy(arena, list.data, list.size);
    if (!copy) status = calve_fail_oom(err);
  }
  if (status == CALVE_OK) {
    *tokens = copy;
    *count = CALVE_COUNT(&list, calve_token);
  }
  calve_buffer_free(&list);
  return status;
}

bool calve_token_is(const calve_token *t, const char *keyword) {
  return t->kind == CALVE_TOKEN_WORD && calve_str_equal_nocase(t->text, calve_str_of(keyword));
}

bool calve_token_is_symbol(const calve_token *t, const char *symbol) {
  return t->kind == CALVE_TOKEN_SYMBOL && calve_str_equal_text(t->text, symbol);
}

/* Steps over a token without unescaping it; false when it is not closed. Bytes that start no token
 * are stepped over: lexing the statement will name them. */
static bool skip_token(scan *s) {
  size_t tag;
  char c = peek_at(s, 0);
  if (c == '\'' || c == '"' || c == '`') return skip_quoted(s);
  if (is_word_start(c)) {
    while (s->at < s->text.size && is_word(peek_at(s, 0))) s->at++;
    return true;
  }
  if (c == '$' && skip_dollar_quoted(s, &tag)) return true;
  s->at++;
  return true;
}

calve_status calve_sql_next_statement(calve_str *text, calve_str *statement, bool *complete,
                                      calve_error *err) {
  scan s = {*text, 0};
  calve_error open = {0};
  if (complete) *complete = false;
  size_t start = text->size, end = 0;
  bool ended = false;
  while (!ended) {
    calve_status status = skip_blank(&s, &open);
    size_t at = s.at;
    if (status == CALVE_OK && at >= text->size) break;
    if (status == CALVE_OK && peek_at(&s, 0) == ';') {
      s.at++;
      ended = start < text->size; /* an empty statement is stepped over */
      continue;
    }
    if (status == CALVE_OK && skip_token(&s)) {
      if (start > at) start = at;
      end = s.at;
      continue;
    }
    if (!complete) { /* the lexer's message names the open quote or comment */
      if (status != CALVE_OK)
        return calve_fail_at(err, CALVE_EINVAL, "SQL", open.byte_offset, "%s", open.message);
      return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)at,
                           "a quote that opens here is not closed");
    }
    if (start > at) start = at;
    end = text->size;
    s.at = text->size;
    break;
  }
  *statement = start < end ? (calve_str){text->data + start, end - start} : (calve_str){NULL, 0};
  *text = (calve_str){text->data + s.at, text->size - s.at};
  if (complete) *complete = ended;
  return CALVE_OK;
}
