/* SPDX-License-Identifier: Apache-2.0 */
/* A table with a random life: columns of every kind, rows, and changes of its schema and of its
 * partitioning between inserts. The model says what the table's columns are now; the statements
 * that lead there come out as text. */
#ifndef CALVE_TESTS_LAW_TABLE_H
#define CALVE_TESTS_LAW_TABLE_H

#include "law_random.h"

typedef enum law_kind {
  LAW_BOOL,
  LAW_INT,
  LAW_LONG,
  LAW_FLOAT,
  LAW_DOUBLE,
  LAW_DECIMAL,
  LAW_DATE,
  LAW_TIME,
  LAW_TSTZ,
  LAW_TS,
  LAW_STRING,
  LAW_UUID,
  LAW_BINARY,
  LAW_LIST,
  LAW_STRUCT,
  LAW_KINDS
} law_kind;

#define LAW_COLUMNS_MAX 24
#define LAW_FIELDS_MAX  8
#define LAW_NAME_MAX    32

typedef struct law_field {
  law_kind kind;
  int precision; /* of decimals, scale 2                                                        */
  char name[LAW_NAME_MAX]; /* quoted as it must be typed                                        */
} law_field;

typedef struct law_column {
  law_field self;
  size_t field_count; /* of structs                                                             */
  law_field fields[LAW_FIELDS_MAX];
} law_column;

typedef struct law_table {
  char name[LAW_NAME_MAX];
  size_t column_count;
  law_column columns[LAW_COLUMNS_MAX];
  unsigned names_given;
  unsigned partition_fields;
} law_table;

/* Makes the columns, and the CREATE TABLE for them. */
void law_create(law_random *r, law_table *table, law_text *out);
/* INSERT of some rows for the columns of now. */
void law_insert(law_random *r, law_table *table, law_text *out);
/* A change of the table; *after is the table as it is if the statement succeeds (calve may refuse
 * it, such as dropping the source of a partition field). */
void law_evolve(law_random *r, const law_table *table, law_table *after, law_text *out);

/* A literal of a kind, in one of its spellings, from few values so that rows meet conditions. */
void law_value(law_random *r, const law_field *field, law_text *out);

#endif
