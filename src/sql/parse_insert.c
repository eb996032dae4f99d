/* SPDX-License-Identifier: Apache-2.0 */
/* INSERT INTO and INSERT OVERWRITE. */
#include "sql/parser.h"

/* dt = '2026-03-01' or country, of PARTITION ( … ) */
static calve_status partition_value(calve_sql_parser *p, void *item, calve_error *err) {
  calve_sql_partition_value *value = item;
  CALVE_TRY(calve_sql__name(p, "a column name", &value->column, err));
  if (!calve_sql__accept_symbol(p, "=")) return CALVE_OK;
  return calve_sql__literal_text(p, &value->value_text, err);
}

static calve_status static_partition(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  CALVE_TRY(calve_sql__expect_symbol(p, "(", err));
  return calve_sql__list(p, partition_value, sizeof *s->static_values, ")", &s->static_values,
                         &s->static_value_count, err);
}

/* "(a, b) SELECT" lists columns; "(SELECT …)" and "(VALUES …)" are the query itself. */
static bool at_column_list(const calve_sql_parser *p) {
  if (!calve_token_is_symbol(calve_sql__peek(p), "(")) return false;
  const calve_token *next = &p->tokens[p->at + 1];
  static const char *const starts[] = {"SELECT", "VALUES", "WITH", "FROM", "TABLE"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (calve_token_is(next, starts[i])) return false;
  return next->kind == CALVE_TOKEN_WORD || next->kind == CALVE_TOKEN_QUOTED;
}

/* INSERT INTO t FOR VERSION AS OF … */
static calve_status refuse_earlier_state(const calve_sql_parser *p, calve_error *err) {
  static const char *const clauses[] = {"FOR",          "VERSION AS OF",        "TIMESTAMP AS OF",
                                        "AT", "SYSTEM_VERSION AS OF", "SYSTEM_TIME AS OF"};
  for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
    if (calve_sql__at_words(p, clauses[i]))
      return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)calve_sql__peek(p)->offset,
                           "rows go into the table as it is now: an earlier state can be read, but "
                           "not written to");
  return CALVE_OK;
}

/* Stands behind INSERT. */
calve_status calve_sql__parse_insert(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  s->kind = CALVE_SQL_INSERT;
  s->overwrite = calve_sql__accept(p, "OVERWRITE");
  if (!s->overwrite && !calve_sql__accept(p, "INTO"))
    return calve_sql__unexpected(p, "INTO or OVERWRITE", err);
  if (s->overwrite) calve_sql__accept(p, "INTO");
  if (!calve_token_is_symbol(&p->tokens[p->at + 1], ".")) calve_sql__accept(p, "TABLE");
  CALVE_TRY(calve_sql__name(p, "a table name", &s->name, err));
  CALVE_TRY(refuse_earlier_state(p, err));
  if (calve_sql__accept(p, "PARTITION")) CALVE_TRY(static_partition(p, s, err));
  s->by_name = calve_sql__accept(p, "BY NAME");
  if (!s->by_name && at_column_list(p))
    CALVE_TRY(calve_sql__names(p, false, &s->insert_columns, &s->insert_column_count, err));
  if (calve_sql__peek(p)->kind == CALVE_TOKEN_END)
    return calve_sql__unexpected(p, "VALUES or a query", err);
  calve_sql__rest(p, s);
  return CALVE_OK;
}
