/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/query_words.h"

#include "sql/parser.h"

/* ---- quotes ------------------------------------------------------------------------------- */

static bool has_back_quotes(const calve_token *tokens, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (tokens[i].kind == CALVE_TOKEN_QUOTED && tokens[i].text.data[0] == '`') return true;
  return false;
}

static void put_quoted(calve_buffer *out, calve_str name) {
  calve_buffer_putc(out, '"');
  for (size_t i = 0; i < name.size; i++) {
    if (name.data[i] == '"') calve_buffer_putc(out, '"');
    calve_buffer_putc(out, name.data[i]);
  }
  calve_buffer_putc(out, '"');
}

/* Moves a text into the arena. */
static calve_status keep(calve_buffer *text, calve_arena *arena, calve_str *out, calve_error *err) {
  calve_status status = calve_buffer_check(text, err);
  if (status == CALVE_OK) status = calve_arena_str(arena, calve_buffer_view(text), out, err);
  calve_buffer_free(text);
  return status;
}

calve_status calve_words_unquote(calve_str text, calve_arena *arena, calve_str *out,
                                 calve_error *err) {
  calve_token *t;
  size_t count, copied = 0;
  CALVE_TRY(calve_sql_lex(text, arena, &t, &count, err));
  *out = text;
  if (!has_back_quotes(t, count)) return CALVE_OK;
  calve_buffer quoted;
  calve_buffer_init(&quoted, arena->allocator);
  for (size_t i = 0; i < count; i++) {
    if (t[i].kind != CALVE_TOKEN_QUOTED || t[i].text.data[0] != '`') continue;
    calve_buffer_put(&quoted, text.data + copied, t[i].offset - copied);
    put_quoted(&quoted, t[i].value);
    copied = t[i].offset + t[i].text.size;
  }
  calve_buffer_put(&quoted, text.data + copied, text.size - copied);
  return keep(&quoted, arena, out, err);
}

/* ---- names -------------------------------------------------------------------------------- */

static bool is_one_of(const calve_token *t, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (calve_token_is(t, words[i])) return true;
  return false;
}

calve_status calve_words_forbid_alias(calve_str text, size_t offset, calve_arena *arena, bool *out,
                                      calve_error *err) {
  static const char *const words[] = {"TABLE", "DESCRIBE", "DESC", "SUMMARIZE", "SHOW"};
  calve_token *t;
  size_t count;
  CALVE_TRY(calve_sql_lex(text, arena, &t, &count, err));
  *out = false;
  for (size_t i = 1; i < count; i++)
    if (t[i].offset == offset) *out = is_one_of(&t[i - 1], words, sizeof words / sizeof *words);
  return CALVE_OK;
}

static bool is_name(const calve_token *t) {
  return t->kind == CALVE_TOKEN_WORD || t->kind == CALVE_TOKEN_QUOTED;
}

/* name AS (, as WITH has it. */
static bool is_defined(const calve_token *tokens, size_t count, calve_str name) {
  for (size_t i = 0; i + 2 < count; i++)
    if (is_name(&tokens[i]) && calve_str_equal_nocase(tokens[i].value, name) &&
        calve_token_is(&tokens[i + 1], "AS") && calve_token_is_symbol(&tokens[i + 2], "("))
      return true;
  return false;
}

static bool is_alias(const calve_token *t) {
  static const char *const ends[] = {
      "ON",         "USING", "WHERE",     "GROUP",       "ORDER",   "JOIN",    "LIMIT",  "INNER",
      "LEFT",       "RIGHT", "FULL",      "CROSS",       "NATURAL", "ASOF",    "SEMI",   "ANTI",
      "POSITIONAL", "PIVOT", "UNPIVOT",   "SELECT",      "HAVING",  "QUALIFY", "WINDOW", "UNION",
      "EXCEPT",     "SET",   "INTERSECT", "TABLESAMPLE", "SAMPLE",  "OFFSET",  "WHEN"};
  return is_name(t) &&
         (t->kind == CALVE_TOKEN_QUOTED || !is_one_of(t, ends, sizeof ends / sizeof *ends));
}

/* Parser stands on a name. */
static calve_status take_name(calve_sql_parser *p, size_t count, calve_buffer *names,
                              calve_error *err) {
  calve_word_name found = {0};
  const calve_token *last = calve_sql__peek(p);
  size_t parts = 1;
  for (size_t i = p->at + 1;
       calve_token_is_symbol(&p->tokens[i], ".") && is_name(&p->tokens[i + 1]); i += 2, parts++)
    last = &p->tokens[i + 1];
  calve_str *texts = CALVE_NEW_ARRAY(p->arena, calve_str, parts);
  if (!texts) return calve_fail_oom(err);
  for (size_t i = 0; i < parts; i++) texts[i] = p->tokens[p->at + 2 * i].value;
  found.name = (calve_name){parts, texts, calve_sql__peek(p)->offset};
  found.size = last->offset + last->text.size - found.name.offset;
  found.has_alias = is_alias(last + 1);
  p->at += 2 * parts - 1;
  bool is_call = calve_token_is_symbol(last + 1, "(");
  if (!is_call && (parts > 1 || !is_defined(p->tokens, count, texts[0])))
    calve_buffer_put(names, &found, sizeof found);
  return CALVE_OK;
}

calve_status calve_words_find_names(calve_str text, calve_arena *arena, const calve_word_name **out,
                                    size_t *out_count, calve_error *err) {
  static const char *const fronts[] = {"FROM",  "JOIN",        "INTO",    "UPDATE",
                                       "PIVOT", "PIVOT_WIDER", "UNPIVOT", "PIVOT_LONGER",
                                       "USING", "TRUNCATE",    "TABLE",   "COPY"};
  calve_sql_parser p = {.text = text, .arena = arena};
  size_t count;
  CALVE_TRY(calve_sql_lex(text, arena, &p.tokens, &count, err));
  calve_buffer names;
  calve_buffer_init(&names, arena->allocator);
  calve_status status = CALVE_OK;
  for (p.at = 1; p.at + 1 < count && status == CALVE_OK;) {
    const calve_token *front = &p.tokens[p.at - 1];
    if (is_name(&p.tokens[p.at]) && is_one_of(front, fronts, sizeof fronts / sizeof *fronts))
      status = take_name(&p, count, &names, err);
    else
      p.at++;
  }
  if (status != CALVE_OK) {
    calve_buffer_free(&names);
    return status;
  }
  return calve_sql__take(&p, &names, out, sizeof **out, out_count, err);
}

/* ---- statements that hold a query --------------------------------------------------------- */

calve_status calve_words_are_query(calve_str text, calve_arena *arena, bool *out,
                                   calve_error *err) {
  static const char *const starts[] = {"SELECT",      "WITH",    "FROM",        "PIVOT",
                                       "PIVOT_WIDER", "UNPIVOT", "PIVOT_LONGER"};
  calve_token *t;
  size_t count, at = 0;
  CALVE_TRY(calve_sql_lex(text, arena, &t, &count, err));
  while (calve_token_is_symbol(&t[at], "(")) at++;
  *out = is_one_of(&t[at], starts, sizeof starts / sizeof *starts);
  return CALVE_OK;
}

/* CREATE … TABLE name AS: the token behind AS; 0 when the statement is another. */
static size_t create_table_query(const calve_token *t, size_t count) {
  bool table = false;
  int depth = 0;
  for (size_t i = 1; i < count; i++) {
    if (calve_token_is_symbol(&t[i], "(")) depth++;
    if (calve_token_is_symbol(&t[i], ")")) depth--;
    if (i < 6 && calve_token_is(&t[i], "TABLE")) table = true;
    if (depth == 0 && calve_token_is(&t[i], "AS")) return table ? i + 1 : 0;
  }
  return 0;
}

calve_status calve_words_find_query(calve_str text, calve_arena *arena, size_t *start, size_t *end,
                                    calve_error *err) {
  calve_token *t;
  size_t count;
  *start = 0;
  *end = text.size;
  CALVE_TRY(calve_sql_lex(text, arena, &t, &count, err));
  if (calve_token_is(&t[0], "COPY") && calve_token_is_symbol(&t[1], "(")) {
    int depth = 0;
    for (size_t i = 1; i < count; i++) {
      if (calve_token_is_symbol(&t[i], "(")) depth++;
      if (!calve_token_is_symbol(&t[i], ")") || --depth > 0) continue;
      *start = t[1].offset + 1;
      *end = t[i].offset;
      return CALVE_OK;
    }
  }
  size_t query = calve_token_is(&t[0], "CREATE") ? create_table_query(t, count) : 0;
  if (query > 0) *start = t[query - 1].offset + t[query - 1].text.size;
  return CALVE_OK;
}

calve_status calve_words_copy_query(calve_str text, calve_arena *arena, calve_str *out,
                                    calve_error *err) {
  calve_token *t;
  size_t count, i = 1;
  *out = text;
  CALVE_TRY(calve_sql_lex(text, arena, &t, &count, err));
  if (!calve_token_is(&t[0], "COPY") || !is_name(&t[1])) return CALVE_OK;
  while (calve_token_is_symbol(&t[i + 1], ".") && is_name(&t[i + 2])) i += 2;
  if (!calve_token_is(&t[i + 1], "TO")) return CALVE_OK;
  size_t name = t[1].offset, end = t[i].offset + t[i].text.size;
  return calve_arena_printf(arena, out, err, "COPY (FROM %.*s)%.*s", (int)(end - name),
                            text.data + name, (int)(text.size - end), text.data + end);
}

/* ---- statements that are not known ---- */

const char *calve_words_advice(calve_str text, calve_arena *arena, size_t *offset) {
  enum { VERB_COUNT = 4 };
  static const struct {
    const char *word, *advice;
  } known[] = {{"DELETE", "DELETE is not known to this version"},
               {"UPDATE", "UPDATE is not known to this version"},
               {"MERGE", "MERGE is not known to this version"},
               {"TRUNCATE",
                "TRUNCATE is not known to this version; INSERT OVERWRITE with a query "
                "that gives no rows empties a table"},
               {"COPY",
                "COPY reads and writes files of the engine; INSERT INTO … SELECT * FROM "
                "'file' adds a file's rows"},
               {"CREATE", "views and macros can't name tables of the catalog"},
               {"EXPLAIN", "EXPLAIN tells about queries"}};
  calve_token *t;
  size_t count;
  if (calve_sql_lex(text, arena, &t, &count, NULL) == CALVE_OK)
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
      if (!calve_token_is(&t[0], known[i].word)) continue;
      if (i < VERB_COUNT) *offset = t[0].offset;
      return known[i].advice;
    }
  return "the statement can't name tables of the catalog";
}
