/* SPDX-License-Identifier: Apache-2.0 */
/* sql/where_parts: what the files that translate a WHERE share; private to query_where.
 * In: nodes of the engine's JSON form. Out: columns of the table, constants and terms as text for
 * the predicate parser. Nobody else includes it. What can't be said exactly is said to be unknown
 * by the caller: nothing here guesses. */
#ifndef CALVE_SQL_WHERE_PARTS_H
#define CALVE_SQL_WHERE_PARTS_H

#include "base/text.h"
#include "sql/query_where.h"

typedef struct calve_where__writer {
  const calve_where_options *options;
  calve_arena *arena;
  calve_buffer *out;
} calve_where__writer;

/* ---- nodes ---------------------------------------------------------------------------------- */

static inline bool calve_where__type_is(const calve_json *node, const char *type) {
  const calve_json *j = calve_json_get(node, "type");
  return j && j->kind == CALVE_JSON_STRING && calve_str_equal_text(j->text, type);
}

static inline bool calve_where__class_is(const calve_json *node, const char *name) {
  const calve_json *j = calve_json_get(node, "class");
  return j && j->kind == CALVE_JSON_STRING && calve_str_equal_text(j->text, name);
}

static inline bool calve_where__function_is(const calve_json *node, const char *name) {
  const calve_json *j = calve_json_get(node, "function_name");
  return calve_where__class_is(node, "FUNCTION") && j &&
         calve_str_equal_nocase(j->text, calve_str_of(name));
}

static inline const calve_json *calve_where__child(const calve_json *node, size_t index) {
  const calve_json *children = calve_json_get(node, "children");
  return children && index < children->count ? &children->items[index] : NULL;
}

static inline size_t calve_where__child_count(const calve_json *node) {
  const calve_json *children = calve_json_get(node, "children");
  return children ? children->count : 0;
}

/* ---- columns (where_column.c) --------------------------------------------------------------- */

/* The column of our table that a bound COLUMN_REF means; NULL when it means another or that is
 * open. */
const calve_field *calve_where__resolve(const calve_where__writer *w, const calve_json *node);
void calve_where__write_column(calve_where__writer *w, const calve_field *field);
bool calve_where__is_zoned(const calve_type *type);

/* ---- terms (where_term.c) ------------------------------------------------------------------- */

/* What a side of a comparison is about: a column, or what a function that predicates know makes of
 * one. */
typedef struct calve_where__term {
  const calve_field *column;
  const char *before, *after; /* text around the column                                         */
  calve_str unit;             /* date_trunc's, between `before` and the column; else absent     */
  int64_t parameter;          /* bucket's and truncate's, the same; else 0                      */
  calve_field compared;       /* what constants are compared with: name and type                */
} calve_where__term;

/* False when the node is something else. */
bool calve_where__find_term(const calve_where__writer *w, const calve_json *node,
                            calve_where__term *out);
void calve_where__write_term(calve_where__writer *w, const calve_where__term *term);

/* ---- constants (where_constant.c) ----------------------------------------------------------- */

/* A constant that is compared with the column, to be evaluated. */
calve_folded calve_where__folded_of(const calve_json *node, const calve_field *column);
/* A constant of the query as it was typed, or what the engine makes of it. *done false, and nothing
 * written, when the comparison would not mean the same to the predicate parser. */
void calve_where__write_folded(calve_where__writer *w, const calve_folded *item,
                               const calve_field *column, bool *done);
CALVE_MUST_USE calve_status calve_where__constant(calve_where__writer *w, const calve_json *node,
                                                  const calve_field *column, bool *done,
                                                  calve_error *err);

#endif
