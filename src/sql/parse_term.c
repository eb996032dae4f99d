/* SPDX-License-Identifier: Apache-2.0 */
/* Transform terms and sort lists: bucket(16, id), days(ts), name DESC NULLS LAST. */
#include <string.h>

#include "sql/parser.h"

static calve_status transform_kind(const calve_sql_parser *p, calve_transform_kind *out,
                                   calve_error *err) {
  const calve_token *t = calve_sql__peek(p);
  if (calve_transform_from_function(t->text, out)) return CALVE_OK;
  return calve_sql__unexpected(
      p, "a transform (identity, bucket, truncate, years, months, days, hours)", err);
}

/* The N of bucket and the W of truncate. */
static calve_status parameter(calve_sql_parser *p, calve_transform *transform, calve_error *err) {
  int64_t value = 0;
  const calve_token *t = calve_sql__peek(p);
  if (t->kind != CALVE_TOKEN_NUMBER || !calve_str_to_i64(t->text, &value) || value < 1 ||
      value > INT32_MAX)
    return calve_sql__unexpected(p, "a whole number from 1 to 2147483647", err);
  transform->parameter = (int32_t)value;
  p->at++;
  return CALVE_OK;
}

/* Number and column may stand in either order. */
static calve_status arguments(calve_sql_parser *p, calve_sql_term *term, calve_error *err) {
  bool takes_number = calve_transform_takes_number(term->transform.kind);
  bool number_first = takes_number && calve_sql__peek(p)->kind == CALVE_TOKEN_NUMBER;
  if (number_first) {
    CALVE_TRY(parameter(p, &term->transform, err));
    CALVE_TRY(calve_sql__expect_symbol(p, ",", err));
  }
  CALVE_TRY(calve_sql__name(p, "a column name", &term->column, err));
  if (takes_number && !number_first) {
    CALVE_TRY(calve_sql__expect_symbol(p, ",", err));
    CALVE_TRY(parameter(p, &term->transform, err));
  }
  return calve_sql__expect_symbol(p, ")", err);
}

calve_status calve_sql__term(calve_sql_parser *p, calve_sql_term *out, calve_error *err) {
  calve_sql_term term = {.transform = {.kind = CALVE_IDENTITY}};
  bool call = calve_sql__peek(p)->kind == CALVE_TOKEN_WORD &&
              calve_token_is_symbol(&p->tokens[p->at + 1], "(");
  if (call) {
    CALVE_TRY(transform_kind(p, &term.transform.kind, err));
    p->at += 2;
    CALVE_TRY(arguments(p, &term, err));
  } else {
    term.bare = true;
    CALVE_TRY(calve_sql__name(p, "a column or a transform such as days(ts)", &term.column, err));
  }
  *out = term;
  return CALVE_OK;
}

static calve_status sort_item(calve_sql_parser *p, void *item, calve_error *err) {
  calve_sql_sort *out = item;
  CALVE_TRY(calve_sql__term(p, &out->term, err));
  out->descending = calve_sql__accept(p, "DESC");
  if (!out->descending) calve_sql__accept(p, "ASC");
  /* Defaults of the reference: nulls first when ascending, last when descending. */
  out->nulls_last = out->descending;
  if (calve_sql__accept(p, "NULLS FIRST"))
    out->nulls_last = false;
  else if (calve_sql__accept(p, "NULLS LAST"))
    out->nulls_last = true;
  else if (calve_sql__at(p, "NULLS"))
    return calve_sql__unexpected(p, "NULLS FIRST or NULLS LAST", err);
  return CALVE_OK;
}

calve_status calve_sql__sort_list(calve_sql_parser *p, const calve_sql_sort **out, size_t *count,
                                  calve_error *err) {
  bool parenthesis = calve_sql__accept_symbol(p, "(");
  return calve_sql__list(p, sort_item, sizeof **out, parenthesis ? ")" : NULL, out, count, err);
}
