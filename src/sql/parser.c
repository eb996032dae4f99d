/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/parser.h"

#include <string.h>

const calve_token *calve_sql__peek(const calve_sql_parser *p) { return &p->tokens[p->at]; }

bool calve_sql__at(const calve_sql_parser *p, const char *keyword) {
  return calve_token_is(calve_sql__peek(p), keyword);
}

/* Counts the tokens that match the words; 0 when one does not. */
static size_t match_words(const calve_sql_parser *p, const char *words) {
  size_t matched = 0;
  while (*words) {
    size_t size = strcspn(words, " ");
    const calve_token *t = &p->tokens[p->at + matched];
    calve_str word = {words, size};
    if (t->kind != CALVE_TOKEN_WORD || !calve_str_equal_nocase(t->text, word)) return 0;
    matched++;
    words += size;
    while (*words == ' ') words++;
  }
  return matched;
}

bool calve_sql__at_words(const calve_sql_parser *p, const char *words) {
  return match_words(p, words) > 0;
}

bool calve_sql__accept(calve_sql_parser *p, const char *words) {
  size_t matched = match_words(p, words);
  p->at += matched;
  return matched > 0;
}

bool calve_sql__accept_symbol(calve_sql_parser *p, const char *symbol) {
  if (!calve_token_is_symbol(calve_sql__peek(p), symbol)) return false;
  p->at++;
  return true;
}

calve_status calve_sql__unexpected(const calve_sql_parser *p, const char *what, calve_error *err) {
  const calve_token *t = calve_sql__peek(p);
  if (t->kind == CALVE_TOKEN_END)
    return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)t->offset,
                         "expected %s, but the statement ends here", what);
  return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)t->offset, "expected %s, found %.*s",
                       what, CALVE_STR_ARG(t->text));
}

calve_status calve_sql__expect(calve_sql_parser *p, const char *words, calve_error *err) {
  return calve_sql__accept(p, words) ? CALVE_OK : calve_sql__unexpected(p, words, err);
}

calve_status calve_sql__expect_symbol(calve_sql_parser *p, const char *symbol, calve_error *err) {
  return calve_sql__accept_symbol(p, symbol) ? CALVE_OK : calve_sql__unexpected(p, symbol, err);
}

calve_status calve_sql__identifier(calve_sql_parser *p, const char *what, calve_str *out,
                                   calve_error *err) {
  const calve_token *t = calve_sql__peek(p);
  if (t->kind != CALVE_TOKEN_WORD && t->kind != CALVE_TOKEN_QUOTED)
    return calve_sql__unexpected(p, what, err);
  *out = t->value;
  p->at++;
  return CALVE_OK;
}

calve_status calve_sql__take(calve_sql_parser *p, calve_buffer *vector, void *out_pointer,
                             size_t item_size, size_t *count, calve_error *err) {
  calve_status status = calve_buffer_check(vector, err);
  void *copy = NULL;
  if (status == CALVE_OK) {
    copy = calve_arena_copy(p->arena, vector->data, vector->size);
    if (!copy) status = calve_fail_oom(err);
  }
  if (status == CALVE_OK) {
    memcpy(out_pointer, &copy, sizeof copy);
    *count = vector->size / item_size;
  }
  calve_buffer_free(vector);
  return status;
}

calve_status calve_sql__name(calve_sql_parser *p, const char *what, calve_name *out,
                             calve_error *err) {
  calve_name name = {.offset = calve_sql__peek(p)->offset};
  calve_buffer parts;
  calve_buffer_init(&parts, p->arena->allocator);
  calve_status status;
  do {
    calve_str part = {0};
    status = calve_sql__identifier(p, what, &part, err);
    calve_buffer_put(&parts, &part, sizeof part);
  } while (status == CALVE_OK && calve_sql__accept_symbol(p, "."));
  if (status != CALVE_OK) {
    calve_buffer_free(&parts);
    return status;
  }
  CALVE_TRY(calve_sql__take(p, &parts, &name.parts, sizeof *name.parts, &name.part_count, err));
  *out = name;
  return CALVE_OK;
}

calve_status calve_sql__string(calve_sql_parser *p, const char *what, calve_str *out,
                               calve_error *err) {
  const calve_token *t = calve_sql__peek(p);
  /* Spark users write "text" for strings where no name can stand. */
  bool quoted = t->kind == CALVE_TOKEN_QUOTED && t->text.data[0] == '"';
  if (t->kind != CALVE_TOKEN_STRING && !quoted) return calve_sql__unexpected(p, what, err);
  *out = t->value;
  p->at++;
  return CALVE_OK;
}

calve_status calve_sql__list(calve_sql_parser *p, calve_sql__read_item *read, size_t item_size,
                             const char *close, void *out_pointer, size_t *count,
                             calve_error *err) {
  calve_buffer items;
  calve_buffer_init(&items, p->arena->allocator);
  calve_status status;
  do {
    char *item = calve_buffer_reserve(&items, item_size);
    if (!item) {
      status = calve_fail_oom(err);
      break;
    }
    memset(item, 0, item_size);
    status = read(p, item, err);
    items.size += item_size;
  } while (status == CALVE_OK && calve_sql__accept_symbol(p, ","));
  if (status == CALVE_OK && close) status = calve_sql__expect_symbol(p, close, err);
  if (status != CALVE_OK) {
    calve_buffer_free(&items);
    return status;
  }
  return calve_sql__take(p, &items, out_pointer, item_size, count, err);
}

static calve_status column_name(calve_sql_parser *p, void *item, calve_error *err) {
  return calve_sql__name(p, "a column name", item, err);
}

calve_status calve_sql__names(calve_sql_parser *p, bool bare_allowed, const calve_name **out,
                              size_t *count, calve_error *err) {
  bool parenthesis = calve_sql__accept_symbol(p, "(");
  if (!parenthesis && !bare_allowed)
    return calve_sql__unexpected(p, "( and a list of columns", err);
  return calve_sql__list(p, column_name, sizeof **out, parenthesis ? ")" : NULL, out, count, err);
}

/* Words that end a DEFAULT or a partition value. */
static bool ends_literal(const calve_sql_parser *p) {
  static const char *const words[] = {"COMMENT", "NOT", "FIRST", "AFTER", "BEFORE"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (calve_sql__at(p, words[i])) return true;
  return false;
}

calve_status calve_sql__literal_text(calve_sql_parser *p, calve_str *out, calve_error *err) {
  size_t first = p->at;
  for (int depth = 0;; p->at++) {
    const calve_token *t = calve_sql__peek(p);
    if (t->kind == CALVE_TOKEN_END) break;
    if (calve_token_is_symbol(t, "(")) depth++;
    if (depth == 0 && (calve_token_is_symbol(t, ",") || calve_token_is_symbol(t, ")") ||
                       calve_token_is_symbol(t, ">") || calve_token_is_symbol(t, ">>")))
      break;
    if (calve_token_is_symbol(t, ")")) depth--;
    if (depth == 0 && p->at > first && ends_literal(p)) break;
  }
  if (p->at == first) return calve_sql__unexpected(p, "a value", err);
  const calve_token *last = &p->tokens[p->at - 1];
  size_t start = p->tokens[first].offset;
  *out = (calve_str){p->text.data + start, last->offset + last->text.size - start};
  return CALVE_OK;
}

/* 'a.b' or a.b: keys of properties may be strings or dotted words. */
static calve_status property_key(calve_sql_parser *p, calve_str *out, calve_error *err) {
  const calve_token *t = calve_sql__peek(p);
  if (t->kind == CALVE_TOKEN_STRING || t->kind == CALVE_TOKEN_QUOTED)
    return calve_sql__string(p, "a property key", out, err);
  size_t first = p->at;
  bool word = true;
  for (; t->kind != CALVE_TOKEN_END; t = calve_sql__peek(p)) {
    bool joint = calve_token_is_symbol(t, ".") || calve_token_is_symbol(t, "-");
    if (word ? t->kind != CALVE_TOKEN_WORD : !joint) break;
    word = !word;
    p->at++;
  }
  if (p->at == first || word) return calve_sql__unexpected(p, "a property key", err);
  const calve_token *last = &p->tokens[p->at - 1];
  size_t start = p->tokens[first].offset;
  *out = (calve_str){p->text.data + start, last->offset + last->text.size - start};
  return CALVE_OK;
}

static calve_status property_value(calve_sql_parser *p, calve_str *out, calve_error *err) {
  const calve_token *t = calve_sql__peek(p);
  if (t->kind == CALVE_TOKEN_NUMBER || calve_token_is(t, "TRUE") || calve_token_is(t, "FALSE")) {
    *out = t->text;
    p->at++;
    return CALVE_OK;
  }
  return calve_sql__string(p, "a property value in quotes", out, err);
}

static calve_status key_only(calve_sql_parser *p, void *item, calve_error *err) {
  return property_key(p, &((calve_sql_property *)item)->key, err);
}

static calve_status key_and_value(calve_sql_parser *p, void *item, calve_error *err) {
  calve_sql_property *property = item;
  CALVE_TRY(property_key(p, &property->key, err));
  if (!calve_sql__accept_symbol(p, "==")) CALVE_TRY(calve_sql__expect_symbol(p, "=", err));
  return property_value(p, &property->value, err);
}

calve_status calve_sql__properties(calve_sql_parser *p, bool keys_only,
                                   const calve_sql_property **out, size_t *count,
                                   calve_error *err) {
  CALVE_TRY(calve_sql__expect_symbol(p, "(", err));
  return calve_sql__list(p, keys_only ? key_only : key_and_value, sizeof **out, ")", out, count,
                         err);
}

void calve_sql__rest(calve_sql_parser *p, calve_statement *s) {
  s->query_offset = calve_sql__peek(p)->offset;
  s->query = (calve_str){p->text.data + s->query_offset, p->text.size - s->query_offset};
  while (calve_sql__peek(p)->kind != CALVE_TOKEN_END) p->at++;
}
