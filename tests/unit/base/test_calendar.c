/* SPDX-License-Identifier: Apache-2.0 */
#include "base/calendar.h"

#include "base/number.h"
#include "harness.h"

static const struct {
  int64_t day;
  const char *text;
} dates[] = {
    {0, "1970-01-01"},
    {-1, "1969-12-31"},
    {31, "1970-02-01"},
    {17486, "2017-11-16"},
    {18321, "2020-02-29"},
    {11016, "2000-02-29"},
    {-25508, "1900-03-01"},
    {-719162, "0001-01-01"},
    {-719163, "0000-12-31"},
    {-719528, "0000-01-01"},
    {-719529, "-0001-12-31"},
    {-719893, "-0001-01-01"},
    {2932896, "9999-12-31"},
    {2932897, "+10000-01-01"},
    {INT32_MAX, "+5881580-07-11"},
    {INT32_MIN, "-5877641-06-23"},
};

static void test_days_have_the_proleptic_gregorian_date(void **state) {
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(dates); i++) {
    char text[CALVE_TIME_TEXT_MAX];
    calve_date_format(dates[i].day, text);
    assert_string_equal(text, dates[i].text);
    assert_int_equal(calve_day_of_civil(calve_civil_of_day(dates[i].day)), dates[i].day);
  }
}

/* Law: each day is followed by the next of the calendar. */
static void test_each_day_follows_the_one_before(void **state) {
  (void)state;
  calve_civil before = calve_civil_of_day(-800001);
  for (int64_t day = -800000; day < 800000; day++) {
    calve_civil c = calve_civil_of_day(day), next = before;
    next.day++;
    if (!calve_civil_valid(next)) next = (calve_civil){before.year, before.month + 1, 1};
    if (!calve_civil_valid(next)) next = (calve_civil){before.year + 1, 1, 1};
    if (c.year != next.year || c.month != next.month || c.day != next.day)
      fail_msg("day %lld", (long long)day);
    if (calve_day_of_civil(c) != day) fail_msg("back to day %lld", (long long)day);
    before = c;
  }
}

static void test_extreme_days_do_not_overflow(void **state) {
  (void)state;
  assert_true(calve_civil_of_day(INT64_MAX).year > 25000000000000000);
  assert_true(calve_civil_of_day(INT64_MIN).year < -25000000000000000);
  char text[CALVE_TIME_TEXT_MAX];
  calve_date_format(INT64_MIN, text);
  assert_true(strlen(text) < sizeof text);
}

static void test_which_days_exist(void **state) {
  (void)state;
  static const struct {
    calve_civil c;
    bool valid;
  } rows[] = {{{2020, 2, 29}, true},  {{2021, 2, 29}, false}, {{1900, 2, 29}, false},
              {{2000, 2, 29}, true},  {{-4, 2, 29}, true},    {{2020, 4, 31}, false},
              {{2020, 12, 31}, true}, {{2020, 13, 1}, false}, {{2020, 0, 1}, false},
              {{2020, 1, 0}, false},  {{2020, 1, 32}, false}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
    if (calve_civil_valid(rows[i].c) != rows[i].valid) fail_msg("row %zu", i);
}

static void test_fractions_have_the_digits_they_need(void **state) {
  (void)state;
  static const struct {
    int64_t us;
    const char *text;
  } rows[] = {{0, "00:00:00"},
              {1, "00:00:00.000001"},
              {1000, "00:00:00.001"},
              {36672100000, "10:11:12.1"},
              {81068123456, "22:31:08.123456"},
              {CALVE_US_PER_DAY - 1, "23:59:59.999999"}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char text[CALVE_TIME_TEXT_MAX];
    calve_time_format(rows[i].us, text);
    assert_string_equal(text, rows[i].text);
  }
}

static void test_timestamps_before_the_epoch_are_in_the_day_before(void **state) {
  (void)state;
  char text[CALVE_TIME_TEXT_MAX];
  calve_timestamp_format(-1, false, text);
  assert_string_equal(text, "1969-12-31T23:59:59.999999");
  calve_timestamp_format(1510871468000001, true, text);
  assert_string_equal(text, "2017-11-16T22:31:08.000001+00:00");
  calve_timestamp_ns_format(-1, true, text);
  assert_string_equal(text, "1969-12-31T23:59:59.999999999+00:00");
  calve_timestamp_ns_format(INT64_MAX, false, text);
  assert_string_equal(text, "2262-04-11T23:47:16.854775807");
  calve_timestamp_ns_format(INT64_MIN, false, text);
  assert_string_equal(text, "1677-09-21T00:12:43.145224192");
  calve_timestamp_format(INT64_MIN, true, text);
  assert_string_equal(text, "-290308-12-21T19:59:05.224192+00:00");
  calve_timestamp_format(INT64_MAX, true, text);
  assert_string_equal(text, "+294247-01-10T04:00:54.775807+00:00");
  calve_timestamp_ms_format(-1, text);
  assert_string_equal(text, "1969-12-31T23:59:59.999+00:00");
  calve_timestamp_ms_format(INT64_MAX, text);
  assert_string_equal(text, "+294247-01-10T04:00:54.775+00:00");
  calve_timestamp_ms_format(INT64_MIN, text);
  assert_string_equal(text, "-290308-12-21T19:59:05.225+00:00");
}

static void test_now_is_after_this_was_written(void **state) {
  (void)state;
  int64_t now = calve_now_ms();
  assert_true(now > INT64_C(1760000000000) && now < INT64_C(9000000000000));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_days_have_the_proleptic_gregorian_date),
      cmocka_unit_test(test_each_day_follows_the_one_before),
      cmocka_unit_test(test_extreme_days_do_not_overflow),
      cmocka_unit_test(test_which_days_exist),
      cmocka_unit_test(test_fractions_have_the_digits_they_need),
      cmocka_unit_test(test_timestamps_before_the_epoch_are_in_the_day_before),
      cmocka_unit_test(test_now_is_after_this_was_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
