/* SPDX-License-Identifier: Apache-2.0 */
/* model/transform_private: the arithmetic of transforms, on plain numbers.
 * In: numbers. Out: numbers; false where the result does not fit. Private to model. Pure.
 * Everything floors: plain C division would put the moments on both sides of the epoch into one
 * partition, and pruning would then lose rows. [spec: Partition Transforms] */
#ifndef CALVE_MODEL_TRANSFORM_PRIVATE_H
#define CALVE_MODEL_TRANSFORM_PRIVATE_H

#include "base/calendar.h"
#include "model/transform.h"

/* Years and months since 1970-01. Any day of an int64 microsecond or an int32 day fits. */
static inline int32_t calve_transform__year(int64_t day) {
  return (int32_t)(calve_civil_of_day(day).year - 1970);
}

static inline int32_t calve_transform__month(int64_t day) {
  calve_civil c = calve_civil_of_day(day);
  return (int32_t)((c.year - 1970) * 12 + c.month - 1);
}

/* int32 hours reach to the year 246953; int64 microseconds go further. */
static inline bool calve_transform__hour(int64_t t, int64_t units_per_hour, int32_t *out) {
  int64_t hour = calve_floor_div(t, units_per_hour);
  *out = (int32_t)hour;
  return hour >= INT32_MIN && hour <= INT32_MAX;
}

/* The largest multiple of the width that is not above v. Near the minimum there is none. */
static inline bool calve_transform__truncate_i32(int32_t v, int32_t width, int32_t *out) {
  return !__builtin_sub_overflow(v, calve_floor_mod(v, width), out);
}

static inline bool calve_transform__truncate_i64(int64_t v, int32_t width, int64_t *out) {
  return !__builtin_sub_overflow(v, calve_floor_mod(v, width), out);
}

/* The width counts units of the last digit. The result may have a digit more than the type's
 * precision (-99.99 to -100.00), which Avro and the binary form can hold. */
static inline bool calve_transform__truncate_decimal(calve_int128 v, int32_t width,
                                                     calve_int128 *out) {
  calve_int128 rest = v % width;
  return !__builtin_sub_overflow(v, rest < 0 ? rest + width : rest, out);
}

static inline int32_t calve_transform__bucket(int32_t hash, int32_t count) {
  return (hash & INT32_MAX) % count;
}

/* Hash of the minimal big-endian bytes of the unscaled value. [spec: Appendix B] */
int32_t calve_transform__hash_decimal(calve_int128 unscaled);

/* An error for a result that does not fit; `value` as people read it. */
calve_status calve_transform__overflow(const calve_transform *t, const calve_value *in,
                                       calve_error *err);

#endif
