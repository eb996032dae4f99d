/* SPDX-License-Identifier: Apache-2.0 */
/* ALTER TABLE: columns, properties, partition fields, write order, identifier fields. */
#include "sql/parser.h"

typedef struct action_list {
  calve_buffer items;
} action_list;

static void push(action_list *list, const calve_sql_action *action) {
  calve_buffer_put(&list->items, action, sizeof *action);
}

static calve_sql_action action_at(const calve_sql_parser *p, calve_action_kind kind) {
  return (calve_sql_action){.kind = kind, .offset = calve_sql__peek(p)->offset};
}

/* ADD [COLUMN|COLUMNS] ( column, … ) | column, … */
static calve_status add_columns(calve_sql_parser *p, action_list *list, calve_error *err) {
  if (!calve_sql__accept(p, "COLUMNS")) calve_sql__accept(p, "COLUMN");
  bool if_not_exists = calve_sql__accept(p, "IF NOT EXISTS");
  bool parenthesis = calve_sql__accept_symbol(p, "(");
  do {
    calve_sql_action action = action_at(p, CALVE_ACTION_ADD_COLUMN);
    action.if_exists = if_not_exists;
    CALVE_TRY(calve_sql__column(p, &action.column, err));
    push(list, &action);
  } while (calve_sql__accept_symbol(p, ","));
  return parenthesis ? calve_sql__expect_symbol(p, ")", err) : CALVE_OK;
}

/* REPLACE COLUMNS (column, …): all columns go, and these come. */
static calve_status replace_columns(calve_sql_parser *p, action_list *list, calve_error *err) {
  calve_sql_action action = action_at(p, CALVE_ACTION_DROP_ALL_COLUMNS);
  if (!calve_token_is_symbol(calve_sql__peek(p), "("))
    return calve_sql__unexpected(p, "( and columns", err);
  push(list, &action);
  return add_columns(p, list, err);
}

static calve_status drop_columns(calve_sql_parser *p, action_list *list, calve_error *err) {
  if (!calve_sql__accept(p, "COLUMNS")) calve_sql__accept(p, "COLUMN");
  bool if_exists = calve_sql__accept(p, "IF EXISTS");
  const calve_name *names = NULL;
  size_t count = 0;
  CALVE_TRY(calve_sql__names(p, true, &names, &count, err));
  for (size_t i = 0; i < count; i++) {
    calve_sql_action action = {.kind = CALVE_ACTION_DROP_COLUMN,
                               .offset = names[i].offset,
                               .name = names[i],
                               .if_exists = if_exists};
    push(list, &action);
  }
  return CALVE_OK;
}

/* One change of ALTER COLUMN name …; *found tells whether there was one. */
static calve_status column_change(calve_sql_parser *p, calve_sql_action *action, bool *found,
                                  calve_error *err) {
  *found = true;
  if (calve_sql__accept(p, "TYPE") || calve_sql__accept(p, "SET DATA TYPE")) {
    action->kind = CALVE_ACTION_COLUMN_TYPE;
    return calve_sql__type(p, 1, &action->type, err);
  }
  if (calve_sql__accept(p, "COMMENT")) {
    action->kind = CALVE_ACTION_COLUMN_COMMENT;
    return calve_sql__string(p, "a comment in quotes", &action->text, err);
  }
  if (calve_sql__accept(p, "SET DEFAULT")) {
    action->kind = CALVE_ACTION_COLUMN_DEFAULT;
    return calve_sql__literal_text(p, &action->text, err);
  }
  if (calve_sql__accept(p, "DROP DEFAULT")) {
    action->kind = CALVE_ACTION_COLUMN_DEFAULT;
    return CALVE_OK;
  }
  if (calve_sql__accept(p, "SET NOT NULL")) {
    action->kind = CALVE_ACTION_COLUMN_REQUIRED;
    return CALVE_OK;
  }
  if (calve_sql__accept(p, "DROP NOT NULL")) {
    action->kind = CALVE_ACTION_COLUMN_NULLABLE;
    return CALVE_OK;
  }
  if (calve_sql__at(p, "FIRST") || calve_sql__at(p, "AFTER") || calve_sql__at(p, "BEFORE")) {
    action->kind = CALVE_ACTION_COLUMN_POSITION;
    return calve_sql__position(p, &action->column, err);
  }
  *found = false;
  return CALVE_OK;
}

/* One column: several changes may follow one another. */
static calve_status column_changes(calve_sql_parser *p, const calve_sql_action *column,
                                   action_list *list, calve_error *err) {
  for (bool found, any = false;; any = true) {
    calve_sql_action one = *column;
    one.offset = calve_sql__peek(p)->offset;
    CALVE_TRY(column_change(p, &one, &found, err));
    if (found)
      push(list, &one);
    else if (any)
      return CALVE_OK;
    else
      return calve_sql__unexpected(p,
                                   "TYPE, COMMENT, FIRST, AFTER, BEFORE, SET NOT NULL, "
                                   "DROP NOT NULL, SET DEFAULT or DROP DEFAULT",
                                   err);
  }
}

static bool at_change(const calve_sql_parser *p) {
  static const char *const words[] = {"TYPE",  "COMMENT", "SET",   "DROP",
                                      "FIRST", "AFTER",   "BEFORE"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (calve_sql__at(p, words[i])) return true;
  return false;
}

/* CHANGE COLUMN a a type [changes]: Hive's form, which names the column twice. */
static calve_status change_like_hive(calve_sql_parser *p, const calve_sql_action *column,
                                     action_list *list, calve_error *err) {
  calve_sql_action typed = *column;
  calve_str again, last = column->name.parts[column->name.part_count - 1];
  CALVE_TRY(calve_sql__identifier(p, "the column's name again, or a change", &again, err));
  if (!calve_str_equal_nocase(again, last))
    return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)column->offset,
                         "CHANGE COLUMN does not rename: use ALTER TABLE ... RENAME COLUMN %.*s "
                         "TO %.*s",
                         CALVE_STR_ARG(last), CALVE_STR_ARG(again));
  CALVE_TRY(calve_sql__type(p, 1, &typed.type, err));
  push(list, &typed);
  return at_change(p) ? column_changes(p, column, list, err) : CALVE_OK;
}

/* ALTER | CHANGE [COLUMN] name change… , name change… */
static calve_status alter_columns(calve_sql_parser *p, bool hive, action_list *list,
                                  calve_error *err) {
  calve_sql__accept(p, "COLUMN");
  do {
    calve_sql_action action = action_at(p, CALVE_ACTION_COLUMN_TYPE);
    CALVE_TRY(calve_sql__name(p, "a column name", &action.name, err));
    CALVE_TRY(hive && !at_change(p) ? change_like_hive(p, &action, list, err)
                                    : column_changes(p, &action, list, err));
  } while (calve_sql__accept_symbol(p, ","));
  return CALVE_OK;
}

static calve_status new_name(calve_sql_parser *p, const char *word, calve_sql_action *action,
                             calve_error *err) {
  CALVE_TRY(calve_sql__expect(p, word, err));
  return calve_sql__identifier(p, "a new name", &action->new_name, err);
}

/* RENAME COLUMN a TO b | RENAME PARTITION FIELD a TO b | RENAME TO table */
static calve_status rename(calve_sql_parser *p, action_list *list, calve_error *err) {
  calve_sql_action action = action_at(p, CALVE_ACTION_RENAME_TABLE);
  if (calve_sql__accept(p, "TO")) {
    CALVE_TRY(calve_sql__name(p, "a table name", &action.name, err));
  } else if (calve_sql__accept(p, "PARTITION FIELD")) {
    action.kind = CALVE_ACTION_RENAME_FIELD;
    CALVE_TRY(calve_sql__term(p, &action.term, err));
    CALVE_TRY(new_name(p, "TO", &action, err));
  } else {
    CALVE_TRY(calve_sql__expect(p, "COLUMN", err));
    action.kind = CALVE_ACTION_RENAME_COLUMN;
    CALVE_TRY(calve_sql__name(p, "a column name", &action.name, err));
    CALVE_TRY(new_name(p, "TO", &action, err));
  }
  push(list, &action);
  return CALVE_OK;
}

static calve_status optional_as(calve_sql_parser *p, calve_sql_action *action, calve_error *err) {
  return calve_sql__at(p, "AS") ? new_name(p, "AS", action, err) : CALVE_OK;
}

static calve_status add_field(calve_sql_parser *p, action_list *list, calve_error *err) {
  calve_sql_action action = action_at(p, CALVE_ACTION_ADD_FIELD);
  CALVE_TRY(calve_sql__term(p, &action.term, err));
  CALVE_TRY(optional_as(p, &action, err));
  push(list, &action);
  return CALVE_OK;
}

static calve_status drop_field(calve_sql_parser *p, action_list *list, calve_error *err) {
  calve_sql_action action = action_at(p, CALVE_ACTION_DROP_FIELD);
  CALVE_TRY(calve_sql__term(p, &action.term, err));
  push(list, &action);
  return CALVE_OK;
}

static calve_status replace_field(calve_sql_parser *p, action_list *list, calve_error *err) {
  CALVE_TRY(calve_sql__expect(p, "PARTITION FIELD", err));
  calve_sql_action action = action_at(p, CALVE_ACTION_REPLACE_FIELD);
  CALVE_TRY(calve_sql__term(p, &action.term, err));
  CALVE_TRY(calve_sql__expect(p, "WITH", err));
  CALVE_TRY(calve_sql__term(p, &action.with, err));
  CALVE_TRY(optional_as(p, &action, err));
  push(list, &action);
  return CALVE_OK;
}

/* WRITE [DISTRIBUTED BY PARTITION] [LOCALLY] ORDERED BY …, in either order | WRITE UNORDERED */
static calve_status write_order(calve_sql_parser *p, action_list *list, calve_error *err) {
  calve_sql_action action = action_at(p, CALVE_ACTION_WRITE_ORDER);
  action.distribution = CALVE_DISTRIBUTION_NONE;
  bool partition = false, ordered = false, unordered = false;
  for (;;) {
    if (!partition && calve_sql__accept(p, "DISTRIBUTED BY PARTITION")) {
      partition = true;
    } else if (!ordered && !unordered && calve_sql__accept(p, "UNORDERED")) {
      unordered = true;
    } else if (!ordered && !unordered &&
               (calve_sql__at_words(p, "ORDERED BY") ||
                calve_sql__at_words(p, "LOCALLY ORDERED BY"))) {
      ordered = true;
      action.distribution = calve_sql__accept(p, "LOCALLY") ? CALVE_DISTRIBUTION_AS_IT_IS
                                                            : CALVE_DISTRIBUTION_RANGE;
      p->at += 2;
      CALVE_TRY(calve_sql__sort_list(p, &action.sort, &action.sort_count, err));
    } else {
      break;
    }
  }
  if (!partition && !ordered && !unordered)
    return calve_sql__unexpected(
        p, "ORDERED BY, LOCALLY ORDERED BY, DISTRIBUTED BY PARTITION or UNORDERED", err);
  if (partition) action.distribution = CALVE_DISTRIBUTION_PARTITION;
  push(list, &action);
  return CALVE_OK;
}

static calve_status identifier_fields(calve_sql_parser *p, calve_action_kind kind,
                                      action_list *list, calve_error *err) {
  calve_sql_action action = action_at(p, kind);
  CALVE_TRY(calve_sql__names(p, true, &action.names, &action.name_count, err));
  push(list, &action);
  return CALVE_OK;
}

static calve_status order_fields(calve_sql_parser *p, action_list *list, calve_error *err) {
  CALVE_TRY(calve_sql__expect(p, "PARTITION FIELDS", err));
  return identifier_fields(p, CALVE_ACTION_ORDER_FIELDS, list, err);
}

static calve_status properties(calve_sql_parser *p, bool unset, action_list *list,
                               calve_error *err) {
  calve_sql_action action =
      action_at(p, unset ? CALVE_ACTION_UNSET_PROPERTIES : CALVE_ACTION_SET_PROPERTIES);
  action.if_exists = unset && calve_sql__accept(p, "IF EXISTS");
  CALVE_TRY(
      calve_sql__properties(p, unset, &action.properties, &action.property_count, err));
  push(list, &action);
  return CALVE_OK;
}

static calve_status set_location(calve_sql_parser *p, action_list *list, calve_error *err) {
  calve_sql_action action = action_at(p, CALVE_ACTION_SET_LOCATION);
  CALVE_TRY(calve_sql__string(p, "a path in quotes", &action.text, err));
  push(list, &action);
  return CALVE_OK;
}

static calve_status one_action(calve_sql_parser *p, action_list *list, calve_error *err) {
  if (calve_sql__accept(p, "ADD PARTITION FIELD")) return add_field(p, list, err);
  if (calve_sql__accept(p, "DROP PARTITION FIELD")) return drop_field(p, list, err);
  if (calve_sql__accept(p, "REPLACE COLUMNS")) return replace_columns(p, list, err);
  if (calve_sql__accept(p, "REPLACE")) return replace_field(p, list, err);
  if (calve_sql__accept(p, "ORDER")) return order_fields(p, list, err);
  if (calve_sql__accept(p, "DROP IDENTIFIER FIELDS"))
    return identifier_fields(p, CALVE_ACTION_DROP_IDENTIFIER, list, err);
  if (calve_sql__accept(p, "SET IDENTIFIER FIELDS"))
    return identifier_fields(p, CALVE_ACTION_SET_IDENTIFIER, list, err);
  if (calve_sql__accept(p, "SET TBLPROPERTIES")) return properties(p, false, list, err);
  if (calve_sql__accept(p, "UNSET TBLPROPERTIES")) return properties(p, true, list, err);
  if (calve_sql__accept(p, "SET LOCATION")) return set_location(p, list, err);
  if (calve_sql__accept(p, "ADD")) return add_columns(p, list, err);
  if (calve_sql__accept(p, "DROP")) return drop_columns(p, list, err);
  if (calve_sql__accept(p, "RENAME")) return rename(p, list, err);
  if (calve_sql__accept(p, "ALTER")) return alter_columns(p, false, list, err);
  if (calve_sql__accept(p, "CHANGE")) return alter_columns(p, true, list, err);
  if (calve_sql__accept(p, "WRITE")) return write_order(p, list, err);
  return calve_sql__unexpected(
      p, "ADD, DROP, RENAME, ALTER, REPLACE, SET, UNSET, ORDER or WRITE", err);
}

/* Stands behind ALTER TABLE. */
calve_status calve_sql__parse_alter(calve_sql_parser *p, calve_statement *s, calve_error *err) {
  s->kind = CALVE_SQL_ALTER_TABLE;
  s->if_exists = calve_sql__accept(p, "IF EXISTS");
  CALVE_TRY(calve_sql__name(p, "a table name", &s->name, err));
  action_list list;
  calve_buffer_init(&list.items, p->arena->allocator);
  calve_status status = one_action(p, &list, err);
  if (status != CALVE_OK) {
    calve_buffer_free(&list.items);
    return status;
  }
  return calve_sql__take(p, &list.items, &s->actions, sizeof *s->actions, &s->action_count, err);
}
