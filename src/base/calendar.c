/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "base/calendar.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/number.h"

/* The calendar repeats every 400 years. Years are counted from 1 March, so that the leap day is the
 * last of a year and months have a simple formula. */
#define DAYS_PER_ERA     INT64_C(146097)
#define EPOCH_ERA        4 /* 1970-01-01 is day 135080 of the era that began 1600-03-01 */
#define EPOCH_DAY_OF_ERA 135080

calve_civil calve_civil_of_day(int64_t day) {
  int64_t era = calve_floor_div(day, DAYS_PER_ERA) + EPOCH_ERA;
  int64_t day_of_era = calve_floor_mod(day, DAYS_PER_ERA) + EPOCH_DAY_OF_ERA;
  if (day_of_era >= DAYS_PER_ERA) {
    day_of_era -= DAYS_PER_ERA;
    era++;
  }
  int64_t leap_fix = day_of_era / 1460 - day_of_era / 36524 + day_of_era / (DAYS_PER_ERA - 1);
  int64_t year_of_era = (day_of_era - leap_fix) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t month = (5 * day_of_year + 2) / 153; /* 0 is March */
  calve_civil c;
  c.day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
  c.month = (int)(month < 10 ? month + 3 : month - 9);
  c.year = year_of_era + era * 400 + (c.month <= 2);
  return c;
}

int64_t calve_day_of_civil(calve_civil c) {
  assert(calve_civil_valid(c));
  int64_t year = c.year - (c.month <= 2);
  int64_t era = calve_floor_div(year, 400);
  int64_t year_of_era = calve_floor_mod(year, 400);
  int64_t month = c.month > 2 ? c.month - 3 : c.month + 9;
  int64_t day_of_year = (153 * month + 2) / 5 + c.day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return (era - EPOCH_ERA) * DAYS_PER_ERA + (day_of_era - EPOCH_DAY_OF_ERA);
}

static int days_in_month(int64_t year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (month == 2 && leap);
}

bool calve_civil_valid(calve_civil c) {
  return c.month >= 1 && c.month <= 12 && c.day >= 1 && c.day <= days_in_month(c.year, c.month);
}

static int print_date(int64_t day, char *out) {
  calve_civil c = calve_civil_of_day(day);
  const char *fmt = "%04" PRId64 "-%02d-%02d";
  if (c.year > 9999) fmt = "+%" PRId64 "-%02d-%02d";
  if (c.year < 0) fmt = "%05" PRId64 "-%02d-%02d"; /* the sign takes one place */
  return snprintf(out, CALVE_TIME_TEXT_MAX, fmt, c.year, c.month, c.day);
}

/* The fraction has as many digits as it needs. */
static int print_time(int64_t ns_of_day, char *out) {
  int64_t second = ns_of_day / (CALVE_US_PER_SECOND * CALVE_NS_PER_US);
  int64_t fraction = ns_of_day % (CALVE_US_PER_SECOND * CALVE_NS_PER_US);
  int n = snprintf(out, CALVE_TIME_TEXT_MAX, "%02d:%02d:%02d", (int)(second / 3600),
                   (int)(second / 60 % 60), (int)(second % 60));
  if (fraction == 0) return n;
  int digits = 9;
  for (; fraction % 10 == 0; fraction /= 10) digits--;
  return n + snprintf(out + n, 12, ".%0*" PRId64, digits, fraction);
}

void calve_date_format(int64_t day, char out[CALVE_TIME_TEXT_MAX]) {
  print_date(day, out);
}

void calve_time_format(int64_t us_of_day, char out[CALVE_TIME_TEXT_MAX]) {
  assert(us_of_day >= 0 && us_of_day < CALVE_US_PER_DAY);
  print_time(us_of_day * CALVE_NS_PER_US, out);
}

static void print_timestamp(int64_t day, int64_t ns_of_day, bool with_zone, char *out) {
  int n = print_date(day, out);
  out[n++] = 'T';
  n += print_time(ns_of_day, out + n);
  if (with_zone) snprintf(out + n, 7, "+00:00");
}

void calve_timestamp_format(int64_t us, bool with_zone, char out[CALVE_TIME_TEXT_MAX]) {
  print_timestamp(calve_floor_div(us, CALVE_US_PER_DAY),
                  calve_floor_mod(us, CALVE_US_PER_DAY) * CALVE_NS_PER_US, with_zone, out);
}

void calve_timestamp_ms_format(int64_t ms, char out[CALVE_TIME_TEXT_MAX]) {
  const int64_t most = INT64_MAX / 1000;
  calve_timestamp_format((ms > most ? most : ms < -most ? -most : ms) * 1000, true, out);
}

void calve_timestamp_ns_format(int64_t ns, bool with_zone, char out[CALVE_TIME_TEXT_MAX]) {
  print_timestamp(calve_floor_div(ns, CALVE_NS_PER_DAY), calve_floor_mod(ns, CALVE_NS_PER_DAY),
                  with_zone, out);
}

int64_t calve_now_ms(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
