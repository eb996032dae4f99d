/* SPDX-License-Identifier: Apache-2.0 */
/* expr/predicate_parser: what the two files of the SQL parser share. Private to expr.
 * In: a lexer that stands at a token. Out: items; the lexer stands behind them. */
#ifndef CALVE_EXPR_PREDICATE_PARSER_H
#define CALVE_EXPR_PREDICATE_PARSER_H

#include <stdio.h>

#include "base/limits.h"
#include "expr/predicate_lex.h"
#include "expr/sql_item.h"

typedef struct calve_expr_parser {
  calve_expr_lexer lexer;
  calve_arena *arena;
  int depth;
  size_t end; /* in the text, of the last token that was passed                                 */
  calve_buffer columns, unused; /* calve_str: see calve_predicate_notes                         */
  bool has_lambda; /* x -> …: some of the names are no columns                                  */
} calve_expr_parser;

/* "expected … at character 7, found …" */
calve_status calve_expr__unexpected(calve_expr_parser *p, const char *expected, calve_error *err);
bool calve_expr__at_sign(const calve_expr_parser *p, const char *sign);
bool calve_expr__at_word(const calve_expr_parser *p, const char *word); /* any case              */
CALVE_MUST_USE calve_status calve_expr__next(calve_expr_parser *p, calve_error *err);
CALVE_MUST_USE calve_status calve_expr__expect_sign(calve_expr_parser *p, const char *sign,
                                                    calve_error *err);
CALVE_MUST_USE calve_status calve_expr__take_word(calve_expr_parser *p, const char *word,
                                                  bool *taken, calve_error *err);

/* A whole expression. */
CALVE_MUST_USE calve_status calve_expr__parse_item(calve_expr_parser *p, calve_expr_item *out,
                                                   calve_error *err);
/* One side of a comparison. */
CALVE_MUST_USE calve_status calve_expr__parse_operand(calve_expr_parser *p, calve_expr_item *out,
                                                      calve_error *err);
/* Behind an opening bracket: goes on behind the one that closes it. */
CALVE_MUST_USE calve_status calve_expr__skip_balanced(calve_expr_parser *p, calve_error *err);

#endif
