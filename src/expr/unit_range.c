/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/unit_range.h"

#include "base/calendar.h"
#include "base/text.h"

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

/* Of places that are known to be digits. */
static int number_at(calve_str text, size_t at, size_t digits) {
  int number = 0;
  for (size_t i = at; i < at + digits; i++) number = number * 10 + (text.data[i] - '0');
  return number;
}

bool calve_expr__unit_of_text(calve_transform_kind unit, calve_str text, int32_t *ordinal) {
  static const char form[] = "dddd-dd-dd-dd";
  static const size_t sizes[] = {4, 7, 10, 13}; /* from CALVE_YEAR on */
  if (unit < CALVE_YEAR || unit > CALVE_HOUR || text.size != sizes[unit - CALVE_YEAR]) return false;
  for (size_t i = 0; i < text.size; i++) {
    bool digit = text.data[i] >= '0' && text.data[i] <= '9';
    if (form[i] == 'd' ? !digit : text.data[i] != '-') return false;
  }
  calve_civil civil = {.year = number_at(text, 0, 4), .month = 1, .day = 1};
  if (unit >= CALVE_MONTH) civil.month = number_at(text, 5, 2);
  if (unit >= CALVE_DAY) civil.day = number_at(text, 8, 2);
  int hour = unit == CALVE_HOUR ? number_at(text, 11, 2) : 0;
  if (!calve_civil_valid(civil) || hour > 23) return false;
  int64_t months = (civil.year - EPOCH_YEAR) * 12 + civil.month - 1;
  int64_t number = unit == CALVE_YEAR    ? civil.year - EPOCH_YEAR
                   : unit == CALVE_MONTH ? months
                                         : calve_day_of_civil(civil);
  if (unit == CALVE_HOUR) number = number * 24 + hour;
  *ordinal = (int32_t)number;
  return true;
}
