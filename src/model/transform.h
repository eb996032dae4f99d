/* SPDX-License-Identifier: Apache-2.0 */
/* model/transform: partition transforms.
 * In: a transform string, source values one by one or in arrays. Out: partition values.
 * May be used by every room below model. Pure; the environment's time zone is never asked. A
 * result that does not fit its type is an error, never a wrap. [spec: Partition Transforms;
 * Appendix B] */
#ifndef CALVE_MODEL_TRANSFORM_H
#define CALVE_MODEL_TRANSFORM_H

#include "model/value.h"

typedef enum calve_transform_kind {
  CALVE_IDENTITY,
  CALVE_BUCKET,   /* parameter: number of buckets                                               */
  CALVE_TRUNCATE, /* parameter: width                                                           */
  CALVE_YEAR,
  CALVE_MONTH,
  CALVE_DAY,
  CALVE_HOUR,
  CALVE_VOID,
  CALVE_TRANSFORM_UNKNOWN /* kept as text; plans as "any value", blocks writing and evolving    */
} calve_transform_kind;

typedef struct calve_transform {
  calve_transform_kind kind;
  int32_t parameter;
  calve_str text; /* UNKNOWN: as it was written                                                 */
} calve_transform;

/* "bucket[16]", "day" … without case. Text that is no known transform gives UNKNOWN ("days",
 * "bucket[ 16]"); a known name with a number that is 0 or above int32 is CALVE_EINVAL. */
CALVE_MUST_USE calve_status calve_transform_parse(calve_str text, calve_arena *arena,
                                                  calve_transform *out, calve_error *err);
/* As statements call it: "days", "bucket", "trunc" … without case; false: none is called so. */
bool calve_transform_from_function(calve_str name, calve_transform_kind *out);
bool calve_transform_takes_number(calve_transform_kind kind); /* bucket and truncate            */
void calve_transform_print(const calve_transform *t, calve_buffer *out); /* canonical          */
bool calve_transform_equal(const calve_transform *a, const calve_transform *b);

bool calve_transform_accepts(const calve_transform *t, const calve_type *source);
/* The type of results; `source` must be accepted. day gives date; void and unknown give the source
 * type (unknown: string, as in the reference). */
const calve_type *calve_transform_result_type(const calve_transform *t, const calve_type *source);
bool calve_transform_preserves_order(const calve_transform *t);
/* Sorting by `t` also sorts by `other` (day satisfies month …). For truncate it is the rule of
 * strings, as in the reference: ask for numbers only with equal widths. */
bool calve_transform_satisfies_order_of(const calve_transform *t, const calve_transform *other);

/* One value; null gives null. `source` is the type of in. Bytes of the result are borrowed from
 * in's. CALVE_EINVAL when the result does not fit (hour of a far timestamp, truncate of int and
 * long near the minimum) and for a source that the transform does not take; CALVE_EUNSUPPORTED for
 * UNKNOWN. A truncated decimal may have more digits than the source's precision: who writes it in a
 * fixed width checks that. */
CALVE_MUST_USE calve_status calve_transform_apply(const calve_transform *t,
                                                  const calve_type *source, const calve_value *in,
                                                  calve_value *out, calve_error *err);

/* A column of `count` values as plain arrays. `values` has the C type that calve_value's union has
 * for the type (bool, int32_t, int64_t, float, double, calve_int128, uint8_t[16], calve_str).
 * `valid` has a bit per row, least significant first, or is NULL: all valid. */
typedef struct calve_column {
  const calve_type *type;
  const void *values;
  const uint8_t *valid;
  size_t count;
} calve_column;

/* The same results as calve_transform_apply, row by row, into out_values (the C type of the result
 * type; rows that are null are left alone: validity is the source's, and for void all are null).
 * On failure *bad_row tells which row did not fit. */
CALVE_MUST_USE calve_status calve_transform_apply_column(const calve_transform *t,
                                                         const calve_column *in, void *out_values,
                                                         size_t *bad_row, calve_error *err);

/* The hash that bucket uses, before the modulus; `v` not null, its type accepted by bucket. */
int32_t calve_bucket_hash(const calve_value *v);

/* A partition value as people and paths have it: "2026-03", "2026-03-01-07" for hours, base64 for
 * bytes, else the value. result is a value of the transform's result type; null prints "null". */
void calve_transform_print_value(const calve_transform *t, const calve_type *source,
                                 const calve_value *result, calve_buffer *out);

#endif
