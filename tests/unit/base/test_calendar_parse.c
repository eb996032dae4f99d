/* SPDX-License-Identifier: Apache-2.0 */
#include "base/calendar.h"
#include "base/text.h"
#include "harness.h"

#define BAD INT64_C(-4242)

static void test_dates(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t day; /* BAD: refused */
  } rows[] = {
      {"1970-01-01", 0},          {"2020-02-29", 18321},     {"+10000-01-01", 2932897},
      {"-0001-01-01", -719893},   {"0000-01-01", -719528},   {"+999999999-12-31", 365241780471},
      {"2021-02-29", BAD},        {"2020-2-9", BAD},         {"20200229", BAD},
      {"10000-01-01", BAD},       {"+2020-01-01", BAD},      {"-0000-01-01", BAD},
      {"2020-00-01", BAD},        {"2020-13-01", BAD},       {"2020-01-32", BAD},
      {"2020-01-1", BAD},         {"2020-01-011", BAD},      {"2020-01-01 ", BAD},
      {" 2020-01-01", BAD},       {"2020-01-01T00:00", BAD}, {"", BAD},
      {"+1000000000-01-01", BAD}, {"2020/01/01", BAD},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    int64_t day = BAD;
    bool ok = calve_date_parse(calve_str_of(rows[i].text), &day);
    if (ok != (rows[i].day != BAD) || day != rows[i].day) fail_msg("%s", rows[i].text);
  }
}

static void test_times(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t us;
  } rows[] = {
      {"00:00", 0},
      {"10:11:12.1", 36672100000},
      {"10:11:12.123456", 36672123456},
      {"10:11:12.123456000", 36672123456},
      {"23:59:59.999999", CALVE_US_PER_DAY - 1},
      {"10:11:12.1234567", BAD},
      {"24:00:00", BAD},
      {"10:60:00", BAD},
      {"10:11:60", BAD},
      {"10:11:12.", BAD},
      {"10:11:12Z", BAD},
      {"10:11:", BAD},
      {"1:11:12", BAD},
      {"10", BAD},
      {"", BAD},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    int64_t us = BAD;
    bool ok = calve_time_parse(calve_str_of(rows[i].text), &us);
    if (ok != (rows[i].us != BAD) || us != rows[i].us) fail_msg("%s", rows[i].text);
  }
}

static void test_timestamps(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool ns;
    int64_t value;
    bool has_offset;
  } rows[] = {
      {"1970-01-01T00:00:00", false, 0, false},
      {"1969-12-31 23:59:59.999999", false, -1, false},
      {"2017-11-16t22:31:08.000001Z", false, 1510871468000001, true},
      {"2017-11-16T22:31:08.000001+00:00", false, 1510871468000001, true},
      {"1970-01-01T01:30+01:30", false, 0, true},
      {"1970-01-01T00:00:00-00:00", false, 0, true},
      {"1970-01-01T09:00+09", false, 0, true},
      {"1969-12-31T16:00:00-0800", false, 0, true},
      {"1970-01-01T00:00:01+00:00:01", false, 0, true},
      {"2020-01-01T10:11:12.123456789", true, 1577873472123456789, false},
      {"2262-04-11T23:47:16.854775807", true, INT64_MAX, false},
      {"1677-09-21T00:12:43.145224192", true, INT64_MIN, false},
      {"+294247-01-10T04:00:54.775807", false, INT64_MAX, false},
      {"-290308-12-21T19:59:05.224192Z", false, INT64_MIN, true},
      {"2262-04-11T23:47:16.854775808", true, BAD, false},
      {"1677-09-21T00:12:43.145224191", true, BAD, false},
      {"+294247-01-10T04:00:54.775808", false, BAD, false},
      {"2300-01-01T00:00:00", true, BAD, false},
      {"2020-01-01T10:11:12.123456789", false, BAD, false},
      {"2020-01-01", false, BAD, false},
      {"2020-01-01T", false, BAD, false},
      {"2020-01-01  10:00", false, BAD, false},
      {"2020-01-01T10:00+", false, BAD, false},
      {"2020-01-01T10:00+1", false, BAD, false},
      {"2020-01-01T10:00+19:00", false, BAD, false},
      {"2020-01-01T10:00+18:01", false, BAD, false},
      {"2020-01-01T10:00+01:60", false, BAD, false},
      {"2020-01-01T10:00+01:", false, BAD, false},
      {"2020-01-01T10:00+01:00:", false, BAD, false},
      {"2020-01-01T10:00ZZ", false, BAD, false},
      {"2020-01-01T10:00[UTC]", false, BAD, false},
      {"1577873472000000", false, BAD, false},
      {"", false, BAD, false},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    int64_t value = BAD;
    bool has_offset = false;
    bool ok = calve_timestamp_parse(calve_str_of(rows[i].text), rows[i].ns, &value, &has_offset);
    if (ok != (rows[i].value != BAD) || value != rows[i].value || has_offset != rows[i].has_offset)
      fail_msg("%s gives %lld", rows[i].text, (long long)value);
  }
}

/* Law: what is formatted is parsed to the same, under any time zone of the process. */
static void test_format_and_parse_are_inverse(void **state) {
  (void)state;
  uint64_t x = 88172645463325252U;
  setenv("TZ", "Asia/Seoul", 1);
  for (int round = 0; round < 100000; round++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    int64_t value = (int64_t)x >> (round % 40), back = 0;
    bool ns = round % 2 != 0, zone = round % 3 == 0, has_offset = !zone;
    char text[CALVE_TIME_TEXT_MAX];
    if (ns)
      calve_timestamp_ns_format(value, zone, text);
    else
      calve_timestamp_format(value, zone, text);
    if (!calve_timestamp_parse(calve_str_of(text), ns, &back, &has_offset) || back != value ||
        has_offset != zone)
      fail_msg("%lld as %s", (long long)value, text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dates),
      cmocka_unit_test(test_times),
      cmocka_unit_test(test_timestamps),
      cmocka_unit_test(test_format_and_parse_are_inverse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
