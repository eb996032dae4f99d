/* SPDX-License-Identifier: Apache-2.0 */
/* expr/sql_item: what parts of an SQL condition mean. Private to expr.
 * In: operands and operators, as the parser meets them. Out: predicates whose leaves mean what SQL
 * means. What has no Iceberg form is CALVE_OP_SQL_UNKNOWN; never an error but for memory. */
#ifndef CALVE_EXPR_SQL_ITEM_H
#define CALVE_EXPR_SQL_ITEM_H

#include "base/buffer.h"
#include "expr/predicate.h"

typedef enum calve_expr_item_kind {
  CALVE_ITEM_OPAQUE,    /* some value                                                            */
  CALVE_ITEM_CONDITION, /* true, false or null                                                   */
  CALVE_ITEM_LITERAL,
  CALVE_ITEM_NULL, /* the literal                                                               */
  CALVE_ITEM_INTERVAL,
  CALVE_ITEM_TERM, /* a column, or bucket(), truncate(), years() … of one                       */
  CALVE_ITEM_FLOOR, /* date_trunc(unit, column): a timestamp; term.transform is the unit's       */
  CALVE_ITEM_YEAR   /* year(column): the number of the year                                      */
} calve_expr_item_kind;

typedef struct calve_expr_item {
  calve_expr_item_kind kind;
  const calve_predicate *condition;
  calve_value literal;
  bool has_exponent; /* a number that was written so: 1e3 is a double to engines                */
  struct {
    int64_t months, days, us;
  } interval;
  calve_term term;
} calve_expr_item;

/* A list of items that the parser made; of `calve_expr_item`. */
typedef calve_buffer calve_expr_items;

/* The operand as a condition: a boolean column is `column = true`. */
CALVE_MUST_USE calve_status calve_expr__item_condition(const calve_expr_item *item,
                                                       calve_arena *arena,
                                                       const calve_predicate **out,
                                                       calve_error *err);
/* left op right, op one of LT … NOT_EQ. */
CALVE_MUST_USE calve_status calve_expr__item_compare(const calve_expr_item *left,
                                                     calve_predicate_op op,
                                                     const calve_expr_item *right,
                                                     calve_arena *arena,
                                                     const calve_predicate **out, calve_error *err);
/* item IN (list). */
CALVE_MUST_USE calve_status calve_expr__item_in(const calve_expr_item *item,
                                                const calve_expr_item *list, size_t count,
                                                calve_arena *arena, const calve_predicate **out,
                                                calve_error *err);
/* item LIKE pattern; escape is '\0' for none. */
CALVE_MUST_USE calve_status calve_expr__item_like(const calve_expr_item *item,
                                                  const calve_expr_item *pattern, char escape,
                                                  calve_arena *arena, const calve_predicate **out,
                                                  calve_error *err);
/* starts_with(item, prefix). */
CALVE_MUST_USE calve_status calve_expr__item_prefix(const calve_expr_item *item,
                                                    const calve_expr_item *prefix,
                                                    calve_arena *arena, const calve_predicate **out,
                                                    calve_error *err);
/* item IS NULL, item IS NAN: op IS_NULL or IS_NAN. */
CALVE_MUST_USE calve_status calve_expr__item_is(const calve_expr_item *item, calve_predicate_op op,
                                                calve_arena *arena, const calve_predicate **out,
                                                calve_error *err);
/* left IS NOT DISTINCT FROM right. */
CALVE_MUST_USE calve_status calve_expr__item_same(const calve_expr_item *left,
                                                  const calve_expr_item *right, calve_arena *arena,
                                                  const calve_predicate **out, calve_error *err);

/* A function call by its name (the last part, any case). Gives OPAQUE for what it does not know. */
CALVE_MUST_USE calve_status calve_expr__item_call(calve_str name, const calve_expr_item *arguments,
                                                  size_t count, calve_arena *arena,
                                                  calve_expr_item *out, calve_error *err);
/* CAST(item AS type). The type's name without parameters; precision and scale are 0 or given. */
CALVE_MUST_USE calve_status calve_expr__item_cast(const calve_expr_item *item, calve_str type,
                                                  int32_t precision, int32_t scale,
                                                  calve_arena *arena, calve_expr_item *out,
                                                  calve_error *err);
/* A number as it was written: long, or decimal, or double. */
calve_expr_item calve_expr__item_number(calve_str text);

#endif
