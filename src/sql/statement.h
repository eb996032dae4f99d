/* SPDX-License-Identifier: Apache-2.0 */
/* sql/statement: the statements that calve runs by itself, as trees.
 * In: the text of one statement. Out: a calve_statement in an arena. May be used by the files of
 * room sql.
 * Never looks a name up: whether a table or column exists is the session's business. What is no
 * statement of ours is a CALVE_SQL_QUERY and goes to the engine. The grammar is that of Spark's DDL
 * and of Iceberg's Spark extension (docs/sql.md has it). */
#ifndef CALVE_SQL_STATEMENT_H
#define CALVE_SQL_STATEMENT_H

#include "base/buffer.h"
#include "model/transform.h"
#include "sql/sql_lexer.h"

/* A dotted name: db.orders, addr.zip. */
typedef struct calve_name {
  size_t part_count;
  const calve_str *parts;
  size_t offset; /* in the statement, for errors                                                */
} calve_name;

/* A transform of a column: bucket(16, id), days(ts), or a bare column (identity, and bare is
 * true). */
typedef struct calve_sql_term {
  calve_name column;
  calve_transform transform;
  bool bare;
  calve_str name; /* PARTITIONED BY (days(ts) AS name): ours; absent otherwise                  */
} calve_sql_term;

typedef struct calve_sql_sort {
  calve_sql_term term;
  bool descending, nulls_last;
} calve_sql_sort;

typedef enum calve_sql_position {
  CALVE_POSITION_NONE,
  CALVE_POSITION_FIRST,
  CALVE_POSITION_AFTER,
  CALVE_POSITION_BEFORE
} calve_sql_position;

/* A column as CREATE TABLE and ADD COLUMN spell it. Field ids inside `type` are provisional: 1, 2,
 * … in the order of the text; whoever adds the column gives real ones. */
typedef struct calve_sql_column {
  calve_name name;
  int32_t id; /* provisional                                                                    */
  const calve_type *type;
  bool required;
  calve_str comment;      /* absent when not given                                              */
  calve_str default_text; /* SQL text of a literal; absent when not given                       */
  calve_sql_position position;
  calve_name reference; /* of AFTER and BEFORE                                                  */
} calve_sql_column;

/* DEFAULT of a field inside a STRUCT type: `id` is the field's provisional id. */
typedef struct calve_sql_default {
  int32_t id;
  calve_str text; /* SQL text of a literal                                                      */
  const struct calve_sql_default *next;
} calve_sql_default;

typedef struct calve_sql_property {
  calve_str key, value;
} calve_sql_property;

typedef enum calve_statement_kind {
  CALVE_SQL_QUERY,   /* text                                                                    */
  CALVE_SQL_EXPLAIN, /* query: what is explained                                                */
  CALVE_SQL_CREATE_NAMESPACE, /* name, if_not_exists, properties                                */
  CALVE_SQL_DROP_NAMESPACE,   /* name, if_exists                                                */
  CALVE_SQL_SHOW_NAMESPACES,  /* name: parent, may be empty                                     */
  CALVE_SQL_USE,              /* name                                                           */
  CALVE_SQL_CREATE_TABLE,     /* name, columns, partitioning, query …                         */
  CALVE_SQL_DROP_TABLE,       /* name, if_exists, purge                                         */
  CALVE_SQL_SHOW_TABLES,      /* name: namespace, may be empty                                  */
  CALVE_SQL_SHOW_COLUMNS,     /* name                                                           */
  CALVE_SQL_DESCRIBE,         /* name, extended, column (part_count 0: the whole table)         */
  CALVE_SQL_SHOW_CREATE,      /* name                                                           */
  CALVE_SQL_SHOW_PROPERTIES,  /* name, setting: one key (absent: all)                           */
  CALVE_SQL_ALTER_TABLE,      /* name, actions                                                  */
  CALVE_SQL_INSERT,           /* name, overwrite, by_name, insert_columns, static_values, query */
  CALVE_SQL_SET,              /* setting key and value                                          */
  CALVE_SQL_RESET             /* setting key                                                    */
} calve_statement_kind;

typedef enum calve_action_kind {
  CALVE_ACTION_ADD_COLUMN,       /* column                                                      */
  CALVE_ACTION_DROP_COLUMN,      /* name, if_exists                                             */
  CALVE_ACTION_DROP_ALL_COLUMNS, /* REPLACE COLUMNS; the additions follow                       */
  CALVE_ACTION_RENAME_COLUMN,    /* name, new_name                                              */
  CALVE_ACTION_COLUMN_TYPE,      /* name, type                                                  */
  CALVE_ACTION_COLUMN_COMMENT,   /* name, text                                                  */
  CALVE_ACTION_COLUMN_POSITION,  /* name, column.position, column.reference                     */
  CALVE_ACTION_COLUMN_NULLABLE,  /* name: DROP NOT NULL                                         */
  CALVE_ACTION_COLUMN_REQUIRED,  /* name: SET NOT NULL                                          */
  CALVE_ACTION_COLUMN_DEFAULT,   /* name, text: SQL literal, absent: DROP DEFAULT               */
  CALVE_ACTION_SET_PROPERTIES,   /* properties                                                  */
  CALVE_ACTION_UNSET_PROPERTIES, /* properties: keys only, if_exists                            */
  CALVE_ACTION_RENAME_TABLE,     /* name                                                        */
  CALVE_ACTION_SET_LOCATION,     /* text                                                        */
  CALVE_ACTION_ADD_FIELD,        /* term, new_name (absent: default name)                       */
  CALVE_ACTION_DROP_FIELD,       /* term                                                        */
  CALVE_ACTION_REPLACE_FIELD,    /* term, with, new_name                                        */
  CALVE_ACTION_RENAME_FIELD,     /* term (its bare name), new_name: ours                        */
  CALVE_ACTION_ORDER_FIELDS,     /* names: ours                                                 */
  CALVE_ACTION_WRITE_ORDER,      /* sort, sort_count, distribution                              */
  CALVE_ACTION_SET_IDENTIFIER,   /* names                                                       */
  CALVE_ACTION_DROP_IDENTIFIER   /* names                                                       */
} calve_action_kind;

typedef enum calve_sql_distribution {
  CALVE_DISTRIBUTION_RANGE,     /* ORDERED BY                                                   */
  CALVE_DISTRIBUTION_NONE,      /* UNORDERED                                                    */
  CALVE_DISTRIBUTION_PARTITION, /* DISTRIBUTED BY PARTITION                                     */
  CALVE_DISTRIBUTION_AS_IT_IS   /* LOCALLY ORDERED BY                                           */
} calve_sql_distribution;

/* One change of an ALTER TABLE; which members count, its kind says. */
typedef struct calve_sql_action {
  calve_action_kind kind;
  size_t offset;
  calve_name name;
  calve_str new_name, text;
  bool if_exists;
  const calve_type *type;
  calve_sql_column column;
  calve_sql_term term, with;
  const calve_name *names;
  size_t name_count;
  const calve_sql_property *properties;
  size_t property_count;
  const calve_sql_sort *sort;
  size_t sort_count;
  calve_sql_distribution distribution;
} calve_sql_action;

/* PARTITION (dt = '2026-03-01', country): value_text is absent for a dynamic column. */
typedef struct calve_sql_partition_value {
  calve_name column;
  calve_str value_text; /* SQL text of a literal                                                */
} calve_sql_partition_value;

typedef struct calve_statement {
  calve_statement_kind kind;
  calve_str text; /* the whole statement                                                        */
  calve_name name;
  bool if_exists, if_not_exists, or_replace, replace, purge, cascade, extended;
  bool overwrite, by_name;
  const calve_sql_column *columns; /* CREATE TABLE                                              */
  size_t column_count;
  const calve_sql_term *partitioning;
  size_t partitioning_count;
  calve_name column;             /* DESCRIBE table column                                       */
  const calve_name *identifiers; /* IDENTIFIER FIELDS: ours                                     */
  size_t identifier_count;
  const calve_sql_default *defaults; /* of fields inside STRUCT types; NULL: none               */
  const calve_sql_sort *sort;
  size_t sort_count;
  calve_str comment, location;
  const calve_sql_property *properties;
  size_t property_count;
  const calve_sql_action *actions;
  size_t action_count;
  const calve_name *insert_columns;
  size_t insert_column_count;
  const calve_sql_partition_value *static_values;
  size_t static_value_count;
  calve_str query; /* SELECT, VALUES, TABLE …: text; absent when there is none                  */
  size_t query_offset;
  calve_str setting, setting_value;
} calve_statement;

/* Parses one statement (no semicolon). CALVE_EINVAL with `where` "SQL" and the byte offset of the
 * token that was not expected; the message says what was. */
CALVE_MUST_USE calve_status calve_statement_parse(calve_str text, calve_arena *arena,
                                                  const calve_statement **out, calve_error *err);

/* A column type as SQL spells it: Spark's names (design: TIMESTAMP is timestamptz, TIMESTAMP_NTZ
 * is timestamp) and DuckDB's where they are unambiguous. Ids of nested fields are provisional. */
CALVE_MUST_USE calve_status calve_sql_type_parse(calve_str text, calve_arena *arena,
                                                 const calve_type **out, calve_error *err);
/* Appends the type as SQL spells it, such that calve_sql_type_parse reads it back. */
void calve_sql_type_print(const calve_type *type, calve_buffer *out);
/* Appends a default as a literal behind DEFAULT, such that it is read back; nothing, and false, for
 * values that SQL has no literal for (of nested types). */
bool calve_sql_default_print(const struct calve_value *value, calve_buffer *out);
/* Appends an identifier, in back quotes when it needs them. */
void calve_sql_name_print(calve_str name, calve_buffer *out);
/* Appends a string literal in single quotes. */
void calve_sql_string_print(calve_str text, calve_buffer *out);

#endif
