/* SPDX-License-Identifier: Apache-2.0 */
/* sql/sql_lexer: SQL text -> tokens.
 * In: UTF-8 text. Out: tokens that borrow from it, in an arena. May be used by the files of room
 * sql.
 * Knows Spark's and DuckDB's quoting: `a`, "a" are identifiers, 'a' is a string, $$a$$ too;
 * comments are -- to the end of the line and nested slash-star ones. Never looks at the meaning of
 * a word. */
#ifndef CALVE_SQL_LEXER_H
#define CALVE_SQL_LEXER_H

#include "base/arena.h"
#include "base/text.h"

typedef enum calve_token_kind {
  CALVE_TOKEN_END,    /* text is empty, offset is where the input ends                          */
  CALVE_TOKEN_WORD,   /* bare identifier or keyword                                             */
  CALVE_TOKEN_QUOTED, /* quoted identifier; value is unescaped                                  */
  CALVE_TOKEN_STRING, /* value is unescaped                                                     */
  CALVE_TOKEN_NUMBER, /* digits, maybe with point and exponent; never signed                    */
  CALVE_TOKEN_SYMBOL  /* one of the operators, longest first                                    */
} calve_token_kind;

typedef struct calve_token {
  calve_token_kind kind;
  size_t offset;   /* of its first byte in the text                                             */
  calve_str text;  /* as written, quotes included                                               */
  calve_str value; /* what it means                                                             */
} calve_token;

/* All tokens of the text; the last is CALVE_TOKEN_END. CALVE_EINVAL, with the byte offset, for a
 * quote or comment that is not closed, a byte that starts no token, or text that is not UTF-8. */
CALVE_MUST_USE calve_status calve_sql_lex(calve_str text, calve_arena *arena,
                                          calve_token **tokens, size_t *count,
                                          calve_error *err);

/* The token is this keyword (any case), bare. */
bool calve_token_is(const calve_token *t, const char *keyword);
/* The token is this symbol. */
bool calve_token_is_symbol(const calve_token *t, const char *symbol);

/* The next statement of a script: *text loses it and the semicolon behind it. An absent *statement
 * means that only white space and comments are left. With `complete` not NULL, tells whether a
 * semicolon ended it (what an interactive prompt waits for); then an open quote or comment is no
 * error but incomplete. */
CALVE_MUST_USE calve_status calve_sql_next_statement(calve_str *text, calve_str *statement,
                                                     bool *complete, calve_error *err);

#endif
