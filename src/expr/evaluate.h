/* SPDX-License-Identifier: Apache-2.0 */
/* expr/evaluate: judges manifests, partition tuples, files and rows.
 * In: a bound or projected predicate and what is known about some rows. Out: whether a row might
 * match (the file must be kept) and whether every row must match. May be called from any thread, by
 * every room below expr. Never allocates, never fails: what is missing, malformed, of another
 * type, NaN, inverted or wrapped counts as unknown, and unknown keeps. [spec: Scan Planning] */
#ifndef CALVE_EXPR_EVALUATE_H
#define CALVE_EXPR_EVALUATE_H

#include "expr/bind.h"

/* ---- manifests: one summary per partition field, in the spec's order ----------------------- */

typedef struct calve_field_summary {
  bool contains_null;
  int8_t contains_nan;    /* 1, 0, or -1: not known                                             */
  calve_str lower, upper; /* single-value bytes; data NULL when absent                          */
} calve_field_summary;

/* `filter` comes from calve_project or calve_bind_partition. Fewer summaries than the spec has
 * fields (or none): the others are unknown. When the answer of a might-function is false and why
 * (may be NULL) is given, it gets the smallest part of the filter that no row can meet. */
bool calve_manifest_might_match(const calve_predicate *filter, const calve_field_summary *summaries,
                                size_t count, const calve_predicate **why);

/* ---- partition tuples ---------------------------------------------------------------------- */

/* Values may be of a type that was promoted since (int where the field is long). */
bool calve_tuple_might_match(const calve_predicate *filter, const calve_value *tuple, size_t count,
                             const calve_predicate **why);
bool calve_tuple_must_match(const calve_predicate *filter, const calve_value *tuple, size_t count);

/* ---- files: statistics of the columns that the predicate asks about ------------------------ */

/* One column of one file. The planner decodes only bound->columns[i].needs, into slot i. */
typedef struct calve_column_metrics {
  int64_t value_count, null_count, nan_count; /* -1: not known                                  */
  calve_str lower, upper;                     /* single-value bytes; data NULL when absent      */
} calve_column_metrics;

#define CALVE_NO_METRICS ((calve_column_metrics){-1, -1, -1, {NULL, 0}, {NULL, 0}})

/* columns: bound->column_count of them; those not known hold CALVE_NO_METRICS. */
bool calve_metrics_might_match(const calve_bound *bound, int64_t record_count,
                               const calve_column_metrics *columns, const calve_predicate **why);
bool calve_metrics_must_match(const calve_bound *bound, int64_t record_count,
                              const calve_column_metrics *columns);

/* ---- rows ---------------------------------------------------------------------------------- */

/* values: bound->column_count of them, by slot, of the columns' types. The order is that of
 * calve_value_compare: NaN is greater than all numbers, -0.0 below 0.0. (The might- and must-
 * functions hold whichever way an engine reads signed zeros.) A transform's result that does not
 * fit its type counts as lying beyond it: truncate(10, -2147483648) is below all int. */
bool calve_row_matches(const calve_bound *bound, const calve_value *values);

#endif
