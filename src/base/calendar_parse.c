/* SPDX-License-Identifier: Apache-2.0 */
#include "base/calendar.h"
#include "base/number.h"

#define NS_PER_SECOND    INT64_C(1000000000)
#define YEAR_DIGITS_MAX  9
#define OFFSET_HOURS_MAX 18 /* what java.time allows */

typedef struct cursor {
  const char *at, *end;
} cursor;

static bool at_digit(const cursor *c) {
  return c->at < c->end && *c->at >= '0' && *c->at <= '9';
}

static bool take(cursor *c, char wanted) {
  if (c->at == c->end || *c->at != wanted) return false;
  c->at++;
  return true;
}

/* Exactly two digits, 0..most. */
static bool take_two(cursor *c, int most, int *out) {
  int value = 0;
  for (int i = 0; i < 2; i++) {
    if (!at_digit(c)) return false;
    value = value * 10 + (*c->at++ - '0');
  }
  *out = value;
  return value <= most;
}

/* Four digits; more only with a sign, as ISO 8601 has it: "10000-01-01" could be anything. */
static bool take_year(cursor *c, int64_t *out) {
  bool minus = take(c, '-'), plus = !minus && take(c, '+');
  int64_t value = 0;
  int digits = 0;
  for (; at_digit(c) && digits <= YEAR_DIGITS_MAX; digits++) value = value * 10 + (*c->at++ - '0');
  if (digits < 4 || digits > YEAR_DIGITS_MAX) return false;
  if (plus ? digits < 5 : !minus && digits > 4) return false;
  if (minus && value == 0) return false;
  *out = minus ? -value : value;
  return true;
}

static bool take_date(cursor *c, int64_t *day) {
  calve_civil civil;
  if (!take_year(c, &civil.year) || !take(c, '-') || !take_two(c, 12, &civil.month) ||
      !take(c, '-') || !take_two(c, 31, &civil.day) || !calve_civil_valid(civil))
    return false;
  *day = calve_day_of_civil(civil);
  return true;
}

/* HH:MM[:SS[.fraction]] in nanoseconds. */
static bool take_time(cursor *c, int64_t *ns_of_day) {
  int hour, minute, second = 0;
  int64_t fraction = 0;
  if (!take_two(c, 23, &hour) || !take(c, ':') || !take_two(c, 59, &minute)) return false;
  if (take(c, ':')) {
    if (!take_two(c, 59, &second)) return false;
    if (take(c, '.')) {
      if (!at_digit(c)) return false;
      for (int64_t unit = NS_PER_SECOND / 10; at_digit(c); unit /= 10) {
        int digit = *c->at++ - '0';
        if (unit == 0 && digit != 0) return false;
        fraction += digit * unit;
      }
    }
  }
  *ns_of_day = ((int64_t)hour * 3600 + minute * 60 + second) * NS_PER_SECOND + fraction;
  return true;
}

static bool take_offset(cursor *c, int64_t *seconds) {
  *seconds = 0;
  if (take(c, 'Z') || take(c, 'z')) return true;
  bool minus = take(c, '-');
  if (!minus && !take(c, '+')) return false;
  int hours, minutes = 0, rest = 0;
  if (!take_two(c, OFFSET_HOURS_MAX, &hours)) return false;
  bool colon = take(c, ':');
  if (colon || c->at < c->end) {
    if (!take_two(c, 59, &minutes)) return false;
    if (colon && take(c, ':') && !take_two(c, 59, &rest)) return false;
  }
  int64_t total = (int64_t)hours * 3600 + minutes * 60 + rest;
  if (total > OFFSET_HOURS_MAX * 3600) return false;
  *seconds = minus ? -total : total;
  return true;
}

bool calve_date_parse(calve_str text, int64_t *day) {
  if (text.size == 0) return false;
  cursor c = {text.data, text.data + text.size};
  int64_t value;
  if (!take_date(&c, &value) || c.at != c.end) return false;
  *day = value;
  return true;
}

bool calve_time_parse(calve_str text, int64_t *us_of_day) {
  if (text.size == 0) return false;
  cursor c = {text.data, text.data + text.size};
  int64_t ns;
  if (!take_time(&c, &ns) || c.at != c.end || ns % CALVE_NS_PER_US != 0) return false;
  *us_of_day = ns / CALVE_NS_PER_US;
  return true;
}

bool calve_timestamp_parse(calve_str text, bool ns, int64_t *out, bool *has_offset) {
  if (text.size == 0) return false;
  cursor c = {text.data, text.data + text.size};
  int64_t day, ns_of_day, offset_s = 0;
  if (!take_date(&c, &day)) return false;
  if (!take(&c, 'T') && !take(&c, 't') && !take(&c, ' ')) return false;
  if (!take_time(&c, &ns_of_day)) return false;
  bool with_offset = c.at < c.end;
  if (with_offset && (!take_offset(&c, &offset_s) || c.at != c.end)) return false;

  int64_t unit_ns = ns ? 1 : CALVE_NS_PER_US;
  if (ns_of_day % unit_ns != 0) return false;
  /* The day alone may be out of range where the moment is not: 128 bits in between. */
  calve_int128 moment = (calve_int128)day * (CALVE_NS_PER_DAY / unit_ns) + ns_of_day / unit_ns -
                        (calve_int128)offset_s * (NS_PER_SECOND / unit_ns);
  if (moment < INT64_MIN || moment > INT64_MAX) return false;
  *out = (int64_t)moment;
  *has_offset = with_offset;
  return true;
}
