/* SPDX-License-Identifier: Apache-2.0 */
/* sql/push_parts: what the files that push conditions towards tables share; private to query_push.
 * In: nodes of the engine's JSON form. Out: the blocks of a query, what their columns are made of,
 * conditions with columns bound to items. Nobody else includes it. What is not understood stays
 * unbound, and says nothing about any table. */
#ifndef CALVE_SQL_PUSH_PARTS_H
#define CALVE_SQL_PUSH_PARTS_H

#include "base/text.h"
#include "sql/query_push.h"

typedef struct calve_push__block calve_push__block;
typedef struct calve_push__item calve_push__item;

/* A column of an item, or a field of a struct in it. */
typedef struct calve_push__ref {
  const calve_push__item *item;
  size_t column; /* of a table: its index in the schema; else the place in the item's columns    */
  const calve_json *path; /* path_count names of struct fields                                   */
  size_t path_count;
} calve_push__ref;

/* What stands in a place of a block's SELECT list, in terms of the block's own items. */
typedef struct calve_push__column {
  calve_str name;               /* absent: the engine makes one of a function's text             */
  const calve_json *expression; /* NULL: `ref`, as it is                                         */
  calve_push__ref ref;
  const calve_type *type; /* Iceberg's; NULL when it is not known                                */
} calve_push__column;

/* A table, subquery or list of a FROM clause. */
struct calve_push__item {
  int64_t id; /* from 1 on, in all of the query                                                  */
  calve_str binding, catalog, schema, table;
  calve_push_table *use;             /* an Iceberg table; else NULL                              */
  calve_push__block *body;           /* a subquery or a common table expression; else NULL       */
  const calve_json *values;          /* rows of a VALUES; else NULL                              */
  const calve_json *renames, *names; /* t(a, b), and those of WITH c(a, b); may be NULL          */
  int hidden; /* SEMI and ANTI joins that it is right of: only their ON can speak of it          */
  bool has_clash; /* of a table: two of its columns differ by case only, and one can't be seen   */
  bool is_opaque; /* a sample, or renamed columns of a table: nothing may be filtered first      */
};

/* Conditions, one conjunct each, that hold for all that is wanted of an item's rows; the last one
 * first. */
typedef struct calve_push__condition {
  const calve_json *node; /* bound                                                               */
  const struct calve_push__condition *next;
  /* Of rows that an outer join may lack, or a SEMI join looks for: the condition is one on the
   * other side's items only, those from `first` up to `end`, and no fact about these rows. */
  bool is_beside;
  const calve_push__item *first, *end;
} calve_push__condition;

/* The conditions of one place where a block is used; in terms of the item there. */
typedef struct calve_push__need {
  const calve_push__item *item;
  const calve_push__condition *conditions; /* NULL: all rows are wanted                          */
  const struct calve_push__need *next;
} calve_push__need;

/* The items that a clause of a block can speak of. */
typedef struct calve_push__view {
  const calve_push__block *block;
  size_t first, end; /* of its items                                                            */
  size_t half;       /* from here on they are right of the SEMI join whose ON it is             */
  int hidden;        /* how deep the clause itself is in such joins                             */
} calve_push__view;

/* A query node: SELECT, or a set operation of two. */
struct calve_push__block {
  const calve_json *node;
  calve_push__block *left, *right; /* of a set operation; NULL for a SELECT                      */
  const calve_push__item *self;    /* of one too: what its conditions are about                  */
  calve_push__item *items;         /* of a SELECT, in the order of the text                      */
  size_t item_count;
  bool is_opaque; /* recursive, or of a kind that is not known                             */
  const calve_push__column *columns; /* the first ones, as far as they are certain               */
  size_t column_count;
  bool is_complete; /* there are no more                                                     */
  const calve_push__need *needs;
  calve_push__block *previous; /* made before this one: what a block uses is                     */
};

typedef struct calve_push__context {
  calve_push_options *options;
  calve_arena *arena;
  calve_push__block *last; /* of all blocks                                                      */
  calve_buffer items;      /* vector of calve_push__item *, by id - 1                            */
  size_t node_count, node_max; /* nodes looked at in conditions so far; beyond, they are unknown */
} calve_push__context;

/* ---- nodes ---------------------------------------------------------------------------------- */

static inline calve_str calve_push__text(const calve_json *node, const char *key) {
  const calve_json *j = calve_json_get(node, key);
  if (!j || j->kind != CALVE_JSON_STRING || j->text.size == 0) return (calve_str){NULL, 0};
  return j->text;
}

static inline bool calve_push__is(const calve_json *node, const char *key, const char *text) {
  return calve_str_equal_text(calve_push__text(node, key), text);
}

static inline bool calve_push__present(const calve_json *node, const char *key) {
  const calve_json *j = calve_json_get(node, key);
  return j && j->kind != CALVE_JSON_NULL && (j->kind != CALVE_JSON_ARRAY || j->count > 0);
}

/* ---- blocks (push_blocks.c) ----------------------------------------------------------------- */

/* How many items a FROM clause, or a side of a join in it, has. */
size_t calve_push__count_items(const calve_json *from);
CALVE_MUST_USE calve_status calve_push__build(calve_push__context *p, const calve_json *ast,
                                              calve_error *err);

/* ---- columns (push_columns.c) --------------------------------------------------------------- */

/* Fills block->columns; those of the blocks that it uses are there. */
CALVE_MUST_USE calve_status calve_push__find_columns(calve_push__context *p,
                                                     calve_push__block *block, calve_error *err);
/* What a column's name means; *found false when it is no column of the view's, or that is open. */
CALVE_MUST_USE calve_status calve_push__resolve(calve_push__context *p,
                                                const calve_push__view *view,
                                                const calve_json *names, calve_push__ref *out,
                                                bool *found, calve_error *err);
/* How many columns of an item are known, from the first on. */
size_t calve_push__item_columns(const calve_push__item *item, bool *is_complete);
/* Absent when the engine makes one of a function's text. */
CALVE_MUST_USE calve_status calve_push__item_name(calve_push__context *p,
                                                  const calve_push__item *item, size_t column,
                                                  calve_str *out, calve_error *err);
/* The Iceberg type; NULL when it is not known. */
const calve_type *calve_push__type(const calve_push__ref *ref);
/* The type of both, when conditions on a value mean the same for the one as for the other: equal
 * types, or whole numbers. Else NULL: as text '03' is no 3. */
const calve_type *calve_push__common_type(const calve_type *a, const calve_type *b);

/* ---- conditions (push_bind.c) --------------------------------------------------------------- */

/* What to put for a COLUMN_REF; *changed false (as it is): the node itself. */
typedef calve_status (*calve_push__map)(void *ctx, calve_push__context *p, const calve_json *node,
                                        calve_json *out, bool *changed, calve_error *err);

/* The node with its columns mapped; parts without columns are shared. Columns inside of subqueries
 * and lambdas are left alone. */
CALVE_MUST_USE calve_status calve_push__rewrite(calve_push__context *p, const calve_json *node,
                                                calve_push__map map, void *ctx,
                                                const calve_json **out, calve_error *err);
/* A copy with the columns of the view bound to its items. */
CALVE_MUST_USE calve_status calve_push__bind(calve_push__context *p, const calve_push__view *view,
                                             const calve_json *node, const calve_json **out,
                                             calve_error *err);
/* A COLUMN_REF that is bound. */
CALVE_MUST_USE calve_status calve_push__ref_node(calve_push__context *p, const calve_push__ref *ref,
                                                 calve_json *out, calve_error *err);
/* Reads one. False for all else. */
bool calve_push__read_ref(const calve_push__context *p, const calve_json *node,
                          calve_push__ref *out);
/* A conjunction or list of these children, or a comparison of the two. */
CALVE_MUST_USE calve_status calve_push__make(calve_push__context *p, const char *class,
                                             calve_str type, const calve_json *children,
                                             size_t count, const calve_json **out,
                                             calve_error *err);
/* Whether the node, or any in it, is of that class. */
bool calve_push__has_class(const calve_json *node, const char *name);
/* What says nothing. */
void calve_push__unknown(calve_json *out);

/* ---- going down (push_from.c, push_item.c) -------------------------------------------------- */

/* The conjuncts of a bound node, in front of *list. */
CALVE_MUST_USE calve_status calve_push__add(calve_push__context *p, const calve_json *node,
                                            const calve_push__condition **list, calve_error *err);
/* Gives each item of a SELECT its conditions, when `conditions` hold for the rows that it makes. */
CALVE_MUST_USE calve_status calve_push__from(calve_push__context *p, const calve_push__block *block,
                                             const calve_push__condition *conditions,
                                             calve_error *err);
/* Tells the item's table or block what is wanted of it. */
CALVE_MUST_USE calve_status calve_push__give(calve_push__context *p, const calve_push__item *item,
                                             const calve_push__condition *conditions,
                                             calve_error *err);
CALVE_MUST_USE calve_status calve_push__need_of(calve_push__context *p, calve_push__block *block,
                                                const calve_push__item *item,
                                                const calve_push__condition *conditions,
                                                calve_error *err);

#endif
