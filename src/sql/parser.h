/* SPDX-License-Identifier: Apache-2.0 */
/* sql/parser: what the parse_*.c files of the statement grammar share.
 * In: tokens. Out: pieces of a calve_statement. Used by statement.c and parse_*.c only. Recursive
 * descent; nesting of types is capped at CALVE_DEPTH_MAX. */
#ifndef CALVE_SQL_PARSER_H
#define CALVE_SQL_PARSER_H

#include "base/buffer.h"
#include "sql/statement.h"

typedef struct calve_sql_parser {
  calve_str text;
  calve_token *tokens; /* ends with CALVE_TOKEN_END                                       */
  size_t at;
  calve_arena *arena;
  int32_t next_id; /* provisional field ids                                                     */
  const calve_sql_default *defaults; /* of struct fields so far                                 */
} calve_sql_parser;

const calve_token *calve_sql__peek(const calve_sql_parser *p);
bool calve_sql__at(const calve_sql_parser *p, const char *keyword);
/* The words that follow are these, e.g. "IF NOT EXISTS". */
bool calve_sql__at_words(const calve_sql_parser *p, const char *words);
/* Steps over the words if they come next. */
bool calve_sql__accept(calve_sql_parser *p, const char *words);
bool calve_sql__accept_symbol(calve_sql_parser *p, const char *symbol);
calve_status calve_sql__expect(calve_sql_parser *p, const char *words, calve_error *err);
calve_status calve_sql__expect_symbol(calve_sql_parser *p, const char *symbol, calve_error *err);
/* CALVE_EINVAL at the token that comes next: "expected <what>, found <token>". */
calve_status calve_sql__unexpected(const calve_sql_parser *p, const char *what, calve_error *err);

calve_status calve_sql__identifier(calve_sql_parser *p, const char *what, calve_str *out,
                                   calve_error *err);
calve_status calve_sql__name(calve_sql_parser *p, const char *what, calve_name *out,
                             calve_error *err);
calve_status calve_sql__string(calve_sql_parser *p, const char *what, calve_str *out,
                               calve_error *err);
/* ( name, name … ) or, with bare_allowed, the names without parentheses. */
calve_status calve_sql__names(calve_sql_parser *p, bool bare_allowed, const calve_name **out,
                              size_t *count, calve_error *err);
/* The SQL text of a literal or of a call (DATE '…', CAST(… AS …), -5): up to the next comma,
 * closing parenthesis or bracket of a type, or keyword that can't belong to it. */
calve_status calve_sql__literal_text(calve_sql_parser *p, calve_str *out, calve_error *err);
/* item, item … of `item_size` bytes, each read by `read` into a zeroed one; with `close` (")") they
 * end there. The list lives in the arena. */
typedef calve_status calve_sql__read_item(calve_sql_parser *p, void *item, calve_error *err);
calve_status calve_sql__list(calve_sql_parser *p, calve_sql__read_item *read, size_t item_size,
                             const char *close, void *out_pointer, size_t *count,
                             calve_error *err);
/* Moves a vector into the arena. */
calve_status calve_sql__take(calve_sql_parser *p, calve_buffer *vector, void *out_pointer,
                             size_t item_size, size_t *count, calve_error *err);

calve_status calve_sql__type(calve_sql_parser *p, int depth, const calve_type **out,
                             calve_error *err);
/* The name that a type without parameters is printed by. */
const char *calve_sql__type_word(calve_type_id id);
calve_status calve_sql__column(calve_sql_parser *p, calve_sql_column *out, calve_error *err);
/* FIRST | AFTER name | BEFORE name */
calve_status calve_sql__position(calve_sql_parser *p, calve_sql_column *column, calve_error *err);
calve_status calve_sql__term(calve_sql_parser *p, calve_sql_term *out, calve_error *err);
calve_status calve_sql__sort_list(calve_sql_parser *p, const calve_sql_sort **out, size_t *count,
                                  calve_error *err);
/* ( 'key' = 'value', … ); keys may be dotted words; with keys_only no values. */
calve_status calve_sql__properties(calve_sql_parser *p, bool keys_only,
                                   const calve_sql_property **out, size_t *count,
                                   calve_error *err);

calve_status calve_sql__parse_create_table(calve_sql_parser *p, calve_statement *s,
                                           calve_error *err);
calve_status calve_sql__parse_alter(calve_sql_parser *p, calve_statement *s, calve_error *err);
calve_status calve_sql__parse_insert(calve_sql_parser *p, calve_statement *s, calve_error *err);
/* The rest of the statement as text. */
void calve_sql__rest(calve_sql_parser *p, calve_statement *s);

#endif
