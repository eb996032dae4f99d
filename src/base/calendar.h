/* SPDX-License-Identifier: Apache-2.0 */
/* base/calendar: dates, times and timestamps of the proleptic Gregorian calendar, UTC.
 * In: days, microseconds, nanoseconds since 1970-01-01, or ISO-8601 text. Out: the other.
 * May be used by every room. Knows no time zone database, reads no environment and no clock but in
 * calve_now_ms. Every division floors: the moment before the epoch is in day -1. */
#ifndef CALVE_BASE_CALENDAR_H
#define CALVE_BASE_CALENDAR_H

#include "base/status.h"

#define CALVE_US_PER_SECOND INT64_C(1000000)
#define CALVE_US_PER_HOUR (INT64_C(3600) * CALVE_US_PER_SECOND)
#define CALVE_US_PER_DAY (INT64_C(24) * CALVE_US_PER_HOUR)
#define CALVE_NS_PER_US INT64_C(1000)
#define CALVE_NS_PER_DAY (CALVE_US_PER_DAY * CALVE_NS_PER_US)

#define CALVE_TIME_TEXT_MAX 48

typedef struct calve_civil {
  int64_t year; /* astronomical: year 0 exists                                                  */
  int month;    /* 1..12                                                                        */
  int day;      /* 1..31                                                                        */
} calve_civil;

calve_civil calve_civil_of_day(int64_t day);
/* Days since 1970-01-01; month and day must be valid. */
int64_t calve_day_of_civil(calve_civil c);
bool calve_civil_valid(calve_civil c); /* the month exists and has that day                       */

/* ISO text, as the spec's JSON single-value form has it [spec: Appendix D]:
 * "2017-11-16", "22:31:08.123456", "2017-11-16T22:31:08.123456", "…+00:00"; the fraction has
 * as many digits as it needs (none when zero, "10:11:12.1"); seconds are always there; years beyond
 * 9999 carry a sign ("+10000-01-01"), years before 0 a minus ("-0001-01-01"). */
void calve_date_format(int64_t day, char out[CALVE_TIME_TEXT_MAX]);
void calve_time_format(int64_t us_of_day, char out[CALVE_TIME_TEXT_MAX]);
void calve_timestamp_format(int64_t us, bool with_zone, char out[CALVE_TIME_TEXT_MAX]);
/* Of milliseconds, in UTC. Times that no microseconds can tell are shown as the nearest that they
 * can: a metadata file may claim any. */
void calve_timestamp_ms_format(int64_t ms, char out[CALVE_TIME_TEXT_MAX]);
void calve_timestamp_ns_format(int64_t ns, bool with_zone, char out[CALVE_TIME_TEXT_MAX]);

/* Whole text must match. Accepts 'T', 't' or one space between date and time, optional seconds,
 * fraction digits (beyond what the unit holds: false unless they are zero), years of four digits
 * or signed ones of up to nine. Offsets within 18 hours: "Z", "+HH", "+HH:MM", "+HHMM",
 * "+HH:MM:SS" (also "-"). */
bool calve_date_parse(calve_str text, int64_t *day);
bool calve_time_parse(calve_str text, int64_t *us_of_day);
/* *has_offset tells whether the text carried one; the result is then the UTC instant.
 * ns = true gives nanoseconds, else microseconds. False also when out of int64 range. */
bool calve_timestamp_parse(calve_str text, bool ns, int64_t *out, bool *has_offset);

/* Milliseconds since the epoch, from the system's clock. Only for commit, catalog, sql. */
int64_t calve_now_ms(void);

#endif
