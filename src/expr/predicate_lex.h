/* SPDX-License-Identifier: Apache-2.0 */
/* expr/predicate_lex: the words of SQL conditions. Private to expr.
 * In: text. Out: one token at a time. Never allocates but for strings with doubled quotes. */
#ifndef CALVE_EXPR_PREDICATE_LEX_H
#define CALVE_EXPR_PREDICATE_LEX_H

#include "base/arena.h"

typedef enum calve_expr_token_kind {
  CALVE_EXPR_TOKEN_END,
  CALVE_EXPR_TOKEN_WORD,   /* bare: a keyword or a name                                        */
  CALVE_EXPR_TOKEN_NAME,   /* quoted                                                           */
  CALVE_EXPR_TOKEN_STRING, /* 'text'                                                           */
  CALVE_EXPR_TOKEN_HEX,    /* X'0a'; text is the digits                                        */
  CALVE_EXPR_TOKEN_NUMBER,
  CALVE_EXPR_TOKEN_SIGN /* an operator or punctuation                                          */
} calve_expr_token_kind;

typedef struct calve_expr_token {
  calve_expr_token_kind kind;
  calve_str text; /* without quotes, doubled quotes undone                                       */
  size_t offset;
} calve_expr_token;

typedef struct calve_expr_lexer {
  calve_str text;
  size_t at;
  calve_arena *arena;
  calve_expr_token token; /* the one to look at                                                  */
} calve_expr_lexer;

/* Reads the next token into lexer->token. CALVE_EINVAL for text that is no token. */
CALVE_MUST_USE calve_status calve_expr__lex(calve_expr_lexer *lexer, calve_error *err);

#endif
