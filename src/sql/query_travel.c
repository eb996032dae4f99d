/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/query_travel.h"

#include "sql/parser.h"

/* DuckDB's grammar takes catalog.schema.table and no more. */
#define ENGINE_NAME_PARTS 3

typedef struct extraction {
  calve_sql_parser p;
  calve_buffer text;    /* the query so far                                                     */
  calve_buffer travels; /* calve_travel                                                         */
  size_t copied;        /* bytes of the query that are in `text`                                */
} extraction;

static bool is_name(const calve_token *t) {
  return t->kind == CALVE_TOKEN_WORD || t->kind == CALVE_TOKEN_QUOTED;
}

/* Steps over [FOR] VERSION AS OF and its kin. */
static bool accept_as_of(calve_sql_parser *p, bool *by_time) {
  size_t start = p->at;
  calve_sql__accept(p, "FOR");
  if (calve_sql__accept(p, "VERSION AS OF") || calve_sql__accept(p, "SYSTEM_VERSION AS OF")) {
    *by_time = false;
    return true;
  }
  if (calve_sql__accept(p, "TIMESTAMP AS OF") || calve_sql__accept(p, "SYSTEM_TIME AS OF")) {
    *by_time = true;
    return true;
  }
  p->at = start;
  return false;
}

/* Steps over AT (VERSION => and its twin. */
static bool accept_at(calve_sql_parser *p, bool *by_time) {
  size_t start = p->at;
  if (calve_sql__accept(p, "AT") && calve_sql__accept_symbol(p, "(")) {
    *by_time = calve_sql__at(p, "TIMESTAMP");
    bool unit = calve_sql__accept(p, "TIMESTAMP") || calve_sql__accept(p, "VERSION");
    if (unit && calve_sql__accept_symbol(p, "=>")) return true;
  }
  p->at = start;
  return false;
}

static void skip_parenthesis(calve_sql_parser *p) {
  int depth = 0;
  do {
    if (calve_token_is_symbol(calve_sql__peek(p), "(")) depth++;
    if (calve_token_is_symbol(calve_sql__peek(p), ")")) depth--;
    p->at++;
  } while (depth > 0 && calve_sql__peek(p)->kind != CALVE_TOKEN_END);
}

/* INTERVAL 1 DAY, INTERVAL '1' DAY, INTERVAL '1 day': what stands behind the word. */
static void skip_interval(calve_sql_parser *p) {
  static const char *const units[] = {
      "YEAR",         "YEARS",  "QUARTER", "QUARTERS", "MONTH",       "MONTHS",      "WEEK",
      "WEEKS",        "DAY",    "DAYS",    "HOUR",     "HOURS",       "MINUTE",      "MINUTES",
      "SECOND",       "SECONDS", "DECADE", "DECADES",  "CENTURY",     "CENTURIES",   "MILLISECOND",
      "MILLISECONDS", "MICROSECOND", "MICROSECONDS", "MILLENNIUM", "MILLENNIA"};
  if (calve_token_is_symbol(calve_sql__peek(p), "("))
    skip_parenthesis(p);
  else
    p->at++;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (calve_sql__accept(p, units[i])) return;
}

/* A literal, TYPE 'literal', a call, a name, or anything in parentheses. */
static calve_status primary(calve_sql_parser *p, calve_error *err) {
  calve_sql__accept_symbol(p, "-");
  const calve_token *t = calve_sql__peek(p);
  if (calve_token_is_symbol(t, "(")) {
    skip_parenthesis(p);
  } else if (t->kind == CALVE_TOKEN_STRING || t->kind == CALVE_TOKEN_NUMBER) {
    p->at++;
  } else if (calve_sql__at(p, "INTERVAL") && p->tokens[p->at + 1].kind != CALVE_TOKEN_END) {
    p->at++;
    skip_interval(p);
  } else if (is_name(t)) {
    p->at++;
    if (calve_sql__peek(p)->kind == CALVE_TOKEN_STRING)
      p->at++;
    else if (calve_token_is_symbol(calve_sql__peek(p), "("))
      skip_parenthesis(p);
  } else {
    return calve_sql__unexpected(p, "a snapshot id, a branch or tag, or a time", err);
  }
  return CALVE_OK;
}

/* now() - INTERVAL 1 DAY */
static calve_status operand(calve_sql_parser *p, calve_str *out, calve_error *err) {
  size_t first = p->at;
  do {
    CALVE_TRY(primary(p, err));
  } while (calve_sql__accept_symbol(p, "+") || calve_sql__accept_symbol(p, "-"));
  const calve_token *last = &p->tokens[p->at - 1];
  size_t start = p->tokens[first].offset;
  *out = (calve_str){p->text.data + start, last->offset + last->text.size - start};
  return CALVE_OK;
}

/* Puts the placeholder where the name and its clause stood. */
static calve_status replace(extraction *x, size_t start, calve_travel *travel, calve_error *err) {
  size_t index = CALVE_COUNT(&x->travels, calve_travel);
  CALVE_TRY(calve_arena_printf(x->p.arena, &travel->placeholder, err, "calve_travel_%zu", index));
  calve_buffer_put(&x->travels, travel, sizeof *travel);
  calve_buffer_put(&x->text, x->p.text.data + x->copied, start - x->copied);
  calve_buffer_put_str(&x->text, travel->placeholder);
  const calve_token *last = &x->p.tokens[x->p.at - 1];
  x->copied = last->offset + last->text.size;
  return CALVE_OK;
}

/* Parser stands on a name that may be a table's. */
static calve_status try_table(extraction *x, bool after_from, calve_error *err) {
  calve_sql_parser *p = &x->p;
  size_t start = calve_sql__peek(p)->offset;
  calve_travel travel = {0};
  size_t at = p->at;
  while (is_name(calve_sql__peek(p)) && calve_token_is_symbol(&p->tokens[p->at + 1], "."))
    p->at += 2;
  bool whole = is_name(calve_sql__peek(p));
  p->at = at;
  if (!whole) { /* a.* */
    p->at++;
    return CALVE_OK;
  }
  CALVE_TRY(calve_sql__name(p, "a table name", &travel.table, err));
  bool at_form = false;
  if (accept_as_of(p, &travel.by_time) || (at_form = accept_at(p, &travel.by_time))) {
    CALVE_TRY(operand(p, &travel.text, err));
    if (at_form) CALVE_TRY(calve_sql__expect_symbol(p, ")", err));
    return replace(x, start, &travel, err);
  }
  if (after_from && travel.table.part_count > ENGINE_NAME_PARTS)
    return replace(x, start, &travel, err);
  return CALVE_OK;
}

static calve_status extract(extraction *x, calve_error *err) {
  calve_sql_parser *p = &x->p;
  for (bool after_from = false; calve_sql__peek(p)->kind != CALVE_TOKEN_END;) {
    bool from = calve_sql__at(p, "FROM") || calve_sql__at(p, "JOIN");
    if (is_name(calve_sql__peek(p)) && !from)
      CALVE_TRY(try_table(x, after_from, err));
    else
      p->at++;
    after_from = from;
  }
  calve_buffer_put(&x->text, p->text.data + x->copied, p->text.size - x->copied);
  return CALVE_OK;
}

calve_status calve_travel_extract(calve_str query, calve_arena *arena, calve_str *out_text,
                                  const calve_travel **out, size_t *out_count, calve_error *err) {
  extraction x = {.p = {.text = query, .arena = arena}};
  size_t token_count;
  CALVE_TRY(calve_sql_lex(query, arena, &x.p.tokens, &token_count, err));
  calve_buffer_init(&x.text, arena->allocator);
  calve_buffer_init(&x.travels, arena->allocator);
  calve_status status = extract(&x, err);
  if (status == CALVE_OK) status = calve_buffer_check(&x.text, err);
  calve_str text = {NULL, 0};
  if (status == CALVE_OK) status = calve_arena_str(arena, calve_buffer_view(&x.text), &text, err);
  calve_buffer_free(&x.text);
  if (status != CALVE_OK) {
    calve_buffer_free(&x.travels);
    return status;
  }
  CALVE_TRY(calve_sql__take(&x.p, &x.travels, out, sizeof **out, out_count, err));
  *out_text = text;
  return CALVE_OK;
}
