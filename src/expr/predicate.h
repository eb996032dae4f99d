/* SPDX-License-Identifier: Apache-2.0 */
/* expr/predicate: conditions on rows, as immutable trees in an arena.
 * In: operators, terms, literals. Out: calve_predicate. May be used by every room below expr.
 * Never does IO, never changes a tree that was made. Iceberg's logic is two-valued: a comparison
 * with null is false, but `!=`, NOT IN, NOT STARTS WITH and NOT NAN hold for null, and NOT turns
 * each operator into its opposite. SQL's three-valued conditions go through
 * calve_predicate_two_valued. [spec: Scan Planning; reference: expressions] */
#ifndef CALVE_EXPR_PREDICATE_H
#define CALVE_EXPR_PREDICATE_H

#include "model/schema.h"
#include "model/spec.h"

typedef enum calve_predicate_op {
  CALVE_OP_TRUE,
  CALVE_OP_FALSE,
  CALVE_OP_AND, /* children, two or more                                                        */
  CALVE_OP_OR,
  CALVE_OP_NOT, /* one child; gone after calve_predicate_rewrite_not and after binding          */
  CALVE_OP_IS_NULL, /* from here on: predicates on a term                                       */
  CALVE_OP_NOT_NULL,
  CALVE_OP_IS_NAN,
  CALVE_OP_NOT_NAN,
  CALVE_OP_LT, /* one literal                                                                   */
  CALVE_OP_LT_EQ,
  CALVE_OP_GT,
  CALVE_OP_GT_EQ,
  CALVE_OP_EQ,
  CALVE_OP_NOT_EQ,
  CALVE_OP_STARTS_WITH,
  CALVE_OP_NOT_STARTS_WITH,
  CALVE_OP_IN, /* any number of literals; bound: two or more, sorted, none twice                */
  CALVE_OP_NOT_IN,
  CALVE_OP_SQL_UNKNOWN, /* SQL that has no Iceberg form; only below calve_predicate_two_valued  */
  CALVE_OP_SQL_NULL     /* SQL that is never true, negated neither: `c = NULL`; as above        */
} calve_predicate_op;

/* What a predicate is about: a column, a transform of a column, or a field of a partition tuple. */
typedef struct calve_term {
  calve_str name; /* dotted, as written; bound: as the schema or spec writes it                 */
  bool has_transform;
  calve_transform transform; /* of the column; text borrowed                                    */

  /* Bound terms only. */
  int32_t field_id;              /* of the column or partition field; 0 while unbound           */
  int32_t slot;                  /* column: index into calve_bound.columns; partition field:
                                    index into the tuple                                        */
  const calve_schema_node *node; /* the column; NULL for a partition field                      */
  const calve_partition_field *partition; /* the partition field; NULL for a column             */
  const calve_type *column_type; /* partition field: the type of its source column              */
  const calve_type *source_type; /* of the column or partition field, before term.transform     */
  const calve_type *type;        /* of the term's values                                        */
} calve_term;

typedef struct calve_predicate {
  calve_predicate_op op;
  bool rounded; /* bound: a literal lost digits on its way to float; equality with it is open   */
  bool sql;     /* unbound: literals are SQL's: '2026-03-01' is a timestamp, '5' an int         */
  size_t count; /* of children or of literals                                                   */
  union {
    const struct calve_predicate *const *children; /* AND, OR, NOT                              */
    const calve_value *literals;                   /* unbound: of the type they were written in;
                                                      bound: of term.type                       */
  };
  const struct calve_predicate *written; /* bound, rounded: before that; else NULL              */
  const struct calve_expr_spans *spans; /* OR: finds children by value (expr/spans.h), or NULL  */
  calve_term term; /* from IS_NULL on                                                           */
} calve_predicate;

extern const calve_predicate calve_predicate_true;
extern const calve_predicate calve_predicate_false;
extern const calve_predicate calve_predicate_sql_unknown;
extern const calve_predicate calve_predicate_sql_null;

bool calve_predicate_is_leaf(const calve_predicate *p); /* is on a term                          */
calve_predicate_op calve_predicate_opposite(calve_predicate_op op); /* of a leaf                */

/* Makers. Children are borrowed, arrays are copied. AND and OR fold constants, and give the only
 * child that is left; they don't flatten. NOT folds constants and double negation. */
CALVE_MUST_USE calve_status calve_predicate_and(const calve_predicate *const *children,
                                                size_t count, calve_arena *arena,
                                                const calve_predicate **out, calve_error *err);
CALVE_MUST_USE calve_status calve_predicate_or(const calve_predicate *const *children, size_t count,
                                               calve_arena *arena, const calve_predicate **out,
                                               calve_error *err);
CALVE_MUST_USE calve_status calve_predicate_not(const calve_predicate *child, calve_arena *arena,
                                                const calve_predicate **out, calve_error *err);
/* A leaf on an unbound term. The number of literals must fit op, none may be null or NaN
 * (CALVE_EINVAL). Their bytes are borrowed. */
CALVE_MUST_USE calve_status calve_predicate_leaf(calve_predicate_op op, const calve_term *term,
                                                 const calve_value *literals, size_t count,
                                                 calve_arena *arena, const calve_predicate **out,
                                                 calve_error *err);
calve_term calve_term_column(calve_str name);
calve_term calve_term_transform(calve_transform transform, calve_str name);

/* Pushes NOT down to the leaves, which turn into their opposites. */
CALVE_MUST_USE calve_status calve_predicate_rewrite_not(const calve_predicate *p,
                                                        calve_arena *arena,
                                                        const calve_predicate **out,
                                                        calve_error *err);

/* A condition whose leaves mean what SQL means, as the Iceberg predicate that holds for the same
 * rows: NOT is pushed down, `c <> 5` becomes `c <> 5 AND c IS NOT NULL`, SQL_NULL becomes false.
 * SQL_UNKNOWN becomes true: the result then holds for more rows than the condition, and *exact is
 * false. Literals are bound as SQL casts them. */
CALVE_MUST_USE calve_status calve_predicate_two_valued(const calve_predicate *sql,
                                                       calve_arena *arena,
                                                       const calve_predicate **out, bool *exact,
                                                       calve_error *err);

/* Same operators, terms and literals in the same order. */
bool calve_predicate_equal(const calve_predicate *a, const calve_predicate *b);

/* As people read it, in SQL: "order_ts >= '2026-03-01T00:00:00' AND country IN ('DE', 'FR')"; a
 * partition field's values as its transform prints them: "order_ts_month >= 2026-03". Long IN
 * lists are cut after a few values and counted. */
void calve_predicate_print(const calve_predicate *p, calve_buffer *out);
/* All of it, in SQL that means the same: what holds for null says so, "c <> 5 OR c IS NULL". A
 * bound predicate on columns is read back by calve_predicate_parse. Transforms are Iceberg's
 * functions, with values that the parser takes: "days(ts) = '2026-03-01'", "bucket(16, id) = 3". */
void calve_predicate_print_sql(const calve_predicate *p, calve_buffer *out);

#endif
