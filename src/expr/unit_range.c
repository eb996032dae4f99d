/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/unit_range.h"

#include "base/calendar.h"

#define EPOCH_YEAR 1970

bool calve_expr__is_unit(const calve_term *term) {
  return term->has_transform && term->transform.kind >= CALVE_YEAR &&
         term->transform.kind <= CALVE_HOUR;
}

/* The day that a year, month or day starts with. */
static int64_t first_day(calve_transform_kind unit, int64_t ordinal) {
  if (unit == CALVE_DAY) return ordinal;
  int64_t months = unit == CALVE_YEAR ? ordinal * 12 : ordinal;
  calve_civil civil = {.year = EPOCH_YEAR + calve_floor_div(months, 12),
                       .month = (int)calve_floor_mod(months, 12) + 1,
                       .day = 1};
  return calve_day_of_civil(civil);
}

bool calve_expr__unit_start(calve_transform_kind unit, int32_t ordinal, int plus,
                            const calve_type *source, calve_value *out) {
  int64_t number = (int64_t)ordinal + plus, start = number, per = 1;
  if (unit != CALVE_HOUR) start = first_day(unit, number);
  *out = (calve_value){.type = source->id};
  switch (source->id) {
    case CALVE_DATE:
      out->i32 = (int32_t)start;
      return unit != CALVE_HOUR && out->i32 == start;
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
      per = unit == CALVE_HOUR ? CALVE_US_PER_HOUR : CALVE_US_PER_DAY;
      return !__builtin_mul_overflow(start, per, &out->i64);
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      per = unit == CALVE_HOUR ? CALVE_NS_PER_DAY / 24 : CALVE_NS_PER_DAY;
      return !__builtin_mul_overflow(start, per, &out->i64);
    default:
      return false;
  }
}
