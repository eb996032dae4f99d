/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of an evolving table should be, told without the code under test.
 *
 * Columns and values are trees. A column has a uid that is never used again; a row keeps the values
 * it was written with under the uids of then. What a row shows under another schema follows: the
 * value of the same uid, else the default that the column was added with, else null.
 * Lists have one child, the element; maps have string keys and one child, the value.            */
#ifndef CALVE_TESTS_HISTORY_MODEL_H
#define CALVE_TESTS_HISTORY_MODEL_H

#include "base/arena.h"
#include "base/buffer.h"
#include "harness.h"


typedef enum column_kind {
  K_BOOL,
  K_INT,
  K_LONG,
  K_FLOAT,
  K_DOUBLE,
  K_DECIMAL, /* scale 2 */
  K_DATE,
  K_TIMESTAMP, /* without zone, whole seconds */
  K_STRING,
  K_STRUCT,
  K_LIST,
  K_MAP
} column_kind;

#define CHILDREN_MAX 16

/* One value; what `n` counts: 0/1, numbers, halves (floats), hundredths, days, seconds. */
typedef struct value {
  int uid; /* of a struct's field */
  bool null;
  int64_t n;
  char s[8];   /* of a string */
  char key[4]; /* of a map's entry */
  int count;   /* of items: fields, elements, entries */
  struct value *items;
} value;

typedef struct column {
  int uid;
  char name[24];
  column_kind kind;
  int precision;
  bool required;
  const value *initial, *write; /* defaults; NULL: none */
  int child_count;
  struct column *children[CHILDREN_MAX];
} column;

/* A column at its place. */
typedef struct place {
  column *column, *parent; /* parent NULL: a top-level column */
  char path[256];          /* "points.element.x" */
  bool repeated;           /* below a list or map */
} place;

typedef struct history_random {
  uint64_t state;
} history_random;

uint32_t history_pick(history_random *r, uint32_t below);
bool history_chance(history_random *r, uint32_t percent);

typedef struct model {
  calve_arena *arena;
  history_random random;
  int last_uid;
  column *root;        /* K_STRUCT; its first column is "rid", a required K_LONG */
  const value **rows;  /* structs */
  int row_count, row_room;
} model;

column *model_column(model *m, column_kind kind, const char *name);
/* A column of a random type, nested at most `depth` levels. */
column *model_random_column(model *m, const char *name, int depth);
column *model_copy(model *m, const column *c); /* deep; uids stay */
const value *model_random_value(model *m, const column *c);
/* All columns below root, depth first; list elements and map values too. */
int model_places(const column *root, place *out, int room);

/* What the row holds for the column of that uid under `shown`; used by the printers below. */
const value *model_field(const value *structure, const column *c);

/* Text for statements and for comparing. */
void print_type(const column *c, calve_buffer *out);               /* Spark's */
void print_engine_type(const column *c, calve_buffer *out);        /* DuckDB's */
void print_literal(const value *v, const column *c, calve_buffer *out);
void print_json(const value *v, const column *c, calve_buffer *out); /* as to_json prints it */
/* The row under that schema, as to_json prints it; missing fields get what old rows show. */
void print_row(const value *row, const column *root, calve_buffer *out);
/* <0, 0, >0; both not null, of the kind. */
int compare_values(const value *a, const value *b, column_kind kind);

#endif
