/* SPDX-License-Identifier: Apache-2.0 */
/* Column definitions and CREATE TABLE. */
#include "sql/parser.h"

calve_status calve_sql__position(calve_sql_parser *p, calve_sql_column *column, calve_error *err) {
  if (calve_sql__accept(p, "FIRST")) {
    column->position = CALVE_POSITION_FIRST;
    return CALVE_OK;
  }
  bool after = calve_sql__accept(p, "AFTER");
  if (!after) CALVE_TRY(calve_sql__expect(p, "BEFORE", err));
  column->position = after ? CALVE_POSITION_AFTER : CALVE_POSITION_BEFORE;
  return calve_sql__name(p, "a column name", &column->reference, err);
}

/* The options behind a type, in any order, each once. */
static calve_status column_options(calve_sql_parser *p, calve_sql_column *column,
                                   calve_error *err) {
  for (;;) {
    if (!column->required && calve_sql__accept(p, "NOT NULL")) {
      column->required = true;
    } else if (!column->comment.data && calve_sql__accept(p, "COMMENT")) {
      CALVE_TRY(calve_sql__string(p, "a comment in quotes", &column->comment, err));
    } else if (!column->default_text.data && calve_sql__accept(p, "DEFAULT")) {
      CALVE_TRY(calve_sql__literal_text(p, &column->default_text, err));
    } else if (column->position == CALVE_POSITION_NONE &&
               (calve_sql__at(p, "FIRST") || calve_sql__at(p, "AFTER") ||
                calve_sql__at(p, "BEFORE"))) {
      CALVE_TRY(calve_sql__position(p, column, err));
    } else if (calve_sql__at_words(p, "PRIMARY KEY") || calve_sql__at(p, "UNIQUE") ||
               calve_sql__at(p, "CHECK") || calve_sql__at(p, "REFERENCES")) {
      return calve_sql__unexpected(
          p, "no constraint (Iceberg enforces none; see SET IDENTIFIER FIELDS)", err);
    } else {
      return CALVE_OK;
    }
  }
}

calve_status calve_sql__column(calve_sql_parser *p, calve_sql_column *out, calve_error *err) {
  calve_sql_column column = {.id = p->next_id++};
  CALVE_TRY(calve_sql__name(p, "a column name", &column.name, err));
  calve_sql__accept_symbol(p, ":");
  CALVE_TRY(calve_sql__type(p, 1, &column.type, err));
  CALVE_TRY(column_options(p, &column, err));
  *out = column;
  return CALVE_OK;
}

static calve_status new_column(calve_sql_parser *p, void *item, calve_error *err) {
  calve_sql_column *column = item;
  CALVE_TRY(calve_sql__column(p, column, err));
  if (column->name.part_count > 1)
    return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)column->name.offset,
                         "a column of a new table has a simple name; quote a name that holds a "
                         "dot, or declare a STRUCT");
  if (column->position != CALVE_POSITION_NONE)
    return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)column->name.offset,
                         "FIRST, AFTER and BEFORE belong to ALTER TABLE");
  return CALVE_OK;
}

static calve_status partition_term(calve_sql_parser *p, void *item, calve_error *err) {
  calve_sql_term *term = item;
  CALVE_TRY(calve_sql__term(p, term, err));
  if (!calve_sql__accept(p, "AS")) return CALVE_OK;
  return calve_sql__identifier(p, "a name for the partition field", &term->name, err);
}

static calve_status partition_list(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  CALVE_TRY(calve_sql__expect_symbol(p, "(", err));
  return calve_sql__list(p, partition_term, sizeof *s->partitioning, ")", &s->partitioning,
                         &s->partitioning_count, err);
}

static calve_status using_format(calve_sql_parser *p, calve_error *err) {
  if (!calve_sql__accept(p, "ICEBERG")) return calve_sql__unexpected(p, "ICEBERG", err);
  return CALVE_OK;
}

/* The clauses behind the column list, in any order, each once. */
static calve_status table_clauses(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  bool format = false;
  for (;;) {
    if (!format && calve_sql__accept(p, "USING")) {
      format = true;
      CALVE_TRY(using_format(p, err));
    } else if (!s->partitioning && calve_sql__accept(p, "PARTITIONED BY")) {
      CALVE_TRY(partition_list(p, s, err));
    } else if (!s->sort && calve_sql__accept(p, "WRITE ORDERED BY")) {
      CALVE_TRY(calve_sql__sort_list(p, &s->sort, &s->sort_count, err));
    } else if (!s->identifiers && calve_sql__accept(p, "IDENTIFIER FIELDS")) {
      CALVE_TRY(calve_sql__names(p, false, &s->identifiers, &s->identifier_count, err));
    } else if (!s->comment.data && calve_sql__accept(p, "COMMENT")) {
      CALVE_TRY(calve_sql__string(p, "a comment in quotes", &s->comment, err));
    } else if (!s->location.data && calve_sql__accept(p, "LOCATION")) {
      CALVE_TRY(calve_sql__string(p, "a path in quotes", &s->location, err));
    } else if (!s->properties && calve_sql__accept(p, "TBLPROPERTIES")) {
      CALVE_TRY(calve_sql__properties(p, false, &s->properties, &s->property_count, err));
    } else {
      return CALVE_OK;
    }
  }
}

/* Stands behind CREATE [OR REPLACE] TABLE or REPLACE TABLE. */
calve_status calve_sql__parse_create_table(calve_sql_parser *p, calve_statement *s,
                                           calve_error *err) {
  s->kind = CALVE_SQL_CREATE_TABLE;
  s->if_not_exists = calve_sql__accept(p, "IF NOT EXISTS");
  CALVE_TRY(calve_sql__name(p, "a table name", &s->name, err));
  if (calve_sql__accept_symbol(p, "("))
    CALVE_TRY(calve_sql__list(p, new_column, sizeof *s->columns, ")", &s->columns,
                              &s->column_count, err));
  CALVE_TRY(table_clauses(p, s, err));
  bool as = calve_sql__accept(p, "AS");
  if (as || calve_sql__at(p, "SELECT") || calve_sql__at(p, "WITH")) {
    if (s->column_count > 0)
      return calve_sql__unexpected(
          p, "no query, since the columns are listed (leave the list out, or use INSERT)", err);
    if (calve_sql__peek(p)->kind == CALVE_TOKEN_END)
      return calve_sql__unexpected(p, "a query", err);
    calve_sql__rest(p, s);
  } else if (s->column_count == 0) {
    return calve_sql__unexpected(p, "( and columns, or AS and a query", err);
  }
  return CALVE_OK;
}
