/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/statement.h"

#include <string.h>

#include "sql/parser.h"

typedef calve_status parse_fn(calve_sql_parser *p, calve_statement *s, calve_error *err);

static calve_status create_namespace(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  s->kind = CALVE_SQL_CREATE_NAMESPACE;
  s->if_not_exists = calve_sql__accept(p, "IF NOT EXISTS");
  CALVE_TRY(calve_sql__name(p, "a namespace name", &s->name, err));
  for (;;) {
    if (!s->comment.data && calve_sql__accept(p, "COMMENT"))
      CALVE_TRY(calve_sql__string(p, "a comment in quotes", &s->comment, err));
    else if (!s->location.data && calve_sql__accept(p, "LOCATION"))
      CALVE_TRY(calve_sql__string(p, "a path in quotes", &s->location, err));
    else if (!s->properties &&
             (calve_sql__accept(p, "WITH DBPROPERTIES") || calve_sql__accept(p, "WITH PROPERTIES")))
      CALVE_TRY(calve_sql__properties(p, false, &s->properties, &s->property_count, err));
    else
      return CALVE_OK;
  }
}

static calve_status drop_namespace(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  s->kind = CALVE_SQL_DROP_NAMESPACE;
  s->if_exists = calve_sql__accept(p, "IF EXISTS");
  CALVE_TRY(calve_sql__name(p, "a namespace name", &s->name, err));
  s->cascade = calve_sql__accept(p, "CASCADE");
  if (!s->cascade) calve_sql__accept(p, "RESTRICT");
  return CALVE_OK;
}

static calve_status drop_table(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  s->kind = CALVE_SQL_DROP_TABLE;
  s->if_exists = calve_sql__accept(p, "IF EXISTS");
  CALVE_TRY(calve_sql__name(p, "a table name", &s->name, err));
  s->purge = calve_sql__accept(p, "PURGE");
  return CALVE_OK;
}

/* SHOW NAMESPACES | TABLES [IN|FROM name] */
static calve_status show_list(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  s->kind = calve_sql__at(p, "TABLES") ? CALVE_SQL_SHOW_TABLES : CALVE_SQL_SHOW_NAMESPACES;
  p->at++;
  if (calve_sql__accept(p, "IN") || calve_sql__accept(p, "FROM"))
    return calve_sql__name(p, "a namespace name", &s->name, err);
  return CALVE_OK;
}

static calve_status show_create(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  s->kind = CALVE_SQL_SHOW_CREATE;
  return calve_sql__name(p, "a table name", &s->name, err);
}

/* SHOW TBLPROPERTIES table [('key')] */
static calve_status show_properties(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  const calve_sql_property *keys;
  size_t count;
  s->kind = CALVE_SQL_SHOW_PROPERTIES;
  CALVE_TRY(calve_sql__name(p, "a table name", &s->name, err));
  if (!calve_token_is_symbol(calve_sql__peek(p), "(")) return CALVE_OK;
  CALVE_TRY(calve_sql__properties(p, true, &keys, &count, err));
  s->setting = keys[0].key;
  return count == 1 ? CALVE_OK : calve_sql__unexpected(p, "one key", err);
}

/* SHOW COLUMNS IN table [IN namespace] */
static calve_status show_columns(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  calve_name space;
  s->kind = CALVE_SQL_SHOW_COLUMNS;
  if (!calve_sql__accept(p, "FROM")) CALVE_TRY(calve_sql__expect(p, "IN", err));
  CALVE_TRY(calve_sql__name(p, "a table name", &s->name, err));
  if (!calve_sql__accept(p, "FROM") && !calve_sql__accept(p, "IN")) return CALVE_OK;
  CALVE_TRY(calve_sql__name(p, "a namespace name", &space, err));
  calve_str *parts = CALVE_NEW_ARRAY(p->arena, calve_str, space.part_count + s->name.part_count);
  if (!parts) return calve_fail_oom(err);
  memcpy(parts, space.parts, space.part_count * sizeof *parts);
  memcpy(parts + space.part_count, s->name.parts, s->name.part_count * sizeof *parts);
  s->name.parts = parts;
  s->name.part_count += space.part_count;
  return CALVE_OK;
}

static calve_status engine_statement(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  size_t start = p->at;
  for (; calve_sql__peek(p)->kind != CALVE_TOKEN_END; p->at++)
    if (calve_token_is_symbol(calve_sql__peek(p), ";"))
      return calve_sql__unexpected(p, "one statement", err);
  p->at = start;
  s->kind = CALVE_SQL_QUERY;
  calve_sql__rest(p, s);
  return CALVE_OK;
}

static calve_status describe(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  if (calve_sql__at(p, "SELECT") || calve_sql__at(p, "WITH") || calve_sql__at(p, "FROM") ||
      calve_sql__at(p, "VALUES") ||
      calve_token_is_symbol(calve_sql__peek(p), "(")) { /* the engine describes queries */
    p->at--;
    return engine_statement(p, s, err);
  }
  s->kind = CALVE_SQL_DESCRIBE;
  calve_sql__accept(p, "TABLE");
  s->extended = calve_sql__accept(p, "EXTENDED") || calve_sql__accept(p, "FORMATTED");
  CALVE_TRY(calve_sql__name(p, "a table name", &s->name, err));
  if (calve_sql__peek(p)->kind == CALVE_TOKEN_END) return CALVE_OK;
  return calve_sql__name(p, "a column name, or the end of the statement", &s->column, err);
}

static calve_status use(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  s->kind = CALVE_SQL_USE;
  if (!calve_sql__accept(p, "NAMESPACE")) calve_sql__accept(p, "SCHEMA");
  return calve_sql__name(p, "a namespace name", &s->name, err);
}

static calve_status explain(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  s->kind = CALVE_SQL_EXPLAIN;
  if (calve_sql__at(p, "ANALYZE"))
    return calve_sql__unexpected(p, "a query (EXPLAIN tells which files it reads, and why)", err);
  if (calve_sql__peek(p)->kind == CALVE_TOKEN_END)
    return calve_sql__unexpected(p, "a query", err);
  calve_sql__rest(p, s);
  return CALVE_OK;
}

static calve_status create_or_replace(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  s->replace = s->or_replace = true;
  return calve_sql__parse_create_table(p, s, err);
}

static calve_status replace(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  s->replace = true;
  return calve_sql__parse_create_table(p, s, err);
}

/* The value of SET: a literal, or the words up to the end. */
static calve_status set(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  if (calve_sql__at(p, "VARIABLE")) { /* a variable of the engine */
    p->at--;
    return engine_statement(p, s, err);
  }
  s->kind = CALVE_SQL_SET;
  calve_name name = {0};
  const calve_token *scope = calve_sql__peek(p);
  bool equals_next = calve_token_is_symbol(&p->tokens[p->at + 1], "=");
  if (!equals_next && scope->kind == CALVE_TOKEN_WORD && !calve_token_is(scope + 1, "TO") &&
      (calve_token_is(scope, "SESSION") || calve_token_is(scope, "LOCAL") ||
       calve_token_is(scope, "GLOBAL")))
    p->at++;
  CALVE_TRY(calve_sql__name(p, "a setting", &name, err));
  size_t end = name.offset;
  const calve_token *last = &p->tokens[p->at - 1];
  end = last->offset + last->text.size;
  s->setting = (calve_str){p->text.data + name.offset, end - name.offset};
  if (!calve_sql__accept_symbol(p, "=")) CALVE_TRY(calve_sql__expect(p, "TO", err));
  const calve_token *value = calve_sql__peek(p);
  if (value->kind == CALVE_TOKEN_END) return calve_sql__unexpected(p, "a value", err);
  if (value->kind == CALVE_TOKEN_STRING || value->kind == CALVE_TOKEN_QUOTED) {
    s->setting_value = value->value;
    p->at++;
    return CALVE_OK;
  }
  return calve_sql__literal_text(p, &s->setting_value, err);
}

/* A commit is one statement's work: there is nothing that several statements could be in. */
static calve_status transaction(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  (void)s;
  return calve_fail_at(err, CALVE_EUNSUPPORTED, "SQL",
                       (int64_t)p->tokens[p->at - 1].offset,
                       "each statement is a transaction of its own; there are none of several "
                       "statements");
}

static calve_status reset(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  s->kind = CALVE_SQL_RESET;
  return calve_sql__identifier(p, "a setting", &s->setting, err);
}

/* How the statements that are ours begin. Everything else is the engine's. */
static const struct {
  const char *words;
  parse_fn *parse;
} statements[] = {
    {"CREATE NAMESPACE", create_namespace},
    {"CREATE SCHEMA", create_namespace},
    {"CREATE DATABASE", create_namespace},
    {"DROP NAMESPACE", drop_namespace},
    {"DROP SCHEMA", drop_namespace},
    {"DROP DATABASE", drop_namespace},
    {"CREATE TABLE", calve_sql__parse_create_table},
    {"CREATE OR REPLACE TABLE", create_or_replace},
    {"REPLACE TABLE", replace},
    {"DROP TABLE", drop_table},
    {"ALTER TABLE", calve_sql__parse_alter},
    {"INSERT", calve_sql__parse_insert},
    {"SHOW CREATE TABLE", show_create},
    {"SHOW TBLPROPERTIES", show_properties},
    {"SHOW COLUMNS", show_columns},
    {"DESCRIBE", describe},
    {"DESC", describe},
    {"USE", use},
    {"EXPLAIN", explain},
    {"SET", set},
    {"RESET", reset},
    {"BEGIN", transaction},
    {"START TRANSACTION", transaction},
    {"COMMIT", transaction},
    {"ROLLBACK", transaction},
    {"ABORT", transaction},
};

static calve_status dispatch(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  if (calve_sql__at_words(p, "SHOW TABLES") || calve_sql__at_words(p, "SHOW NAMESPACES") ||
      calve_sql__at_words(p, "SHOW SCHEMAS") || calve_sql__at_words(p, "SHOW DATABASES")) {
    p->at++;
    return show_list(p, s, err);
  }
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
    if (calve_sql__accept(p, statements[i].words)) return statements[i].parse(p, s, err);
  return engine_statement(p, s, err);
}

calve_status calve_statement_parse(calve_str text, calve_arena *arena, const calve_statement **out,
                                   calve_error *err) {
  calve_sql_parser p = {.text = text, .arena = arena, .next_id = 1};
  size_t count;
  CALVE_TRY(calve_sql_lex(text, arena, &p.tokens, &count, err));
  calve_statement *s = CALVE_NEW(arena, calve_statement);
  if (!s) return calve_fail_oom(err);
  s->text = text;
  CALVE_TRY(dispatch(&p, s, err));
  if (calve_sql__peek(&p)->kind != CALVE_TOKEN_END)
    return calve_sql__unexpected(&p, "the end of the statement", err);
  s->defaults = p.defaults;
  *out = s;
  return CALVE_OK;
}
