/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a number, date, time, timestamp, uuid or name: what is accepted is printed, and the
 * print reads back as the same value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/number.h"
#include "base/text.h"
#include "base/uuid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok) {
  if (!ok) abort();
}

static void check_calendar(calve_str text) {
  char out[CALVE_TIME_TEXT_MAX];
  int64_t value, again;
  bool zone, zone_again;
  if (calve_date_parse(text, &value)) {
    calve_date_format(value, out);
    check(calve_date_parse(calve_str_of(out), &again) && again == value);
  }
  if (calve_time_parse(text, &value)) {
    calve_time_format(value, out);
    check(calve_time_parse(calve_str_of(out), &again) && again == value);
  }
  if (calve_timestamp_parse(text, false, &value, &zone)) {
    calve_timestamp_format(value, zone, out);
    check(calve_timestamp_parse(calve_str_of(out), false, &again, &zone_again));
    check(again == value && zone_again == zone);
  }
  if (calve_timestamp_parse(text, true, &value, &zone)) {
    calve_timestamp_ns_format(value, zone, out);
    check(calve_timestamp_parse(calve_str_of(out), true, &again, &zone_again));
    check(again == value && zone_again == zone);
  }
}

static void check_numbers(calve_str text) {
  char out[CALVE_DOUBLE_TEXT_MAX], decimal[CALVE_DECIMAL_TEXT_MAX];
  double value, again;
  calve_int128 unscaled, unscaled_again;
  int scale, scale_again;
  if (calve_double_parse(text, &value)) {
    calve_double_format(value, out);
    check(calve_double_parse(calve_str_of(out), &again));
    check(isnan(value) ? isnan(again) != 0 : memcmp(&value, &again, sizeof value) == 0);
  }
  if (!calve_decimal_parse(text, &unscaled, &scale) || scale < 0 || scale > 38) return;
  calve_decimal_format(unscaled, scale, decimal);
  check(calve_decimal_parse(calve_str_of(decimal), &unscaled_again, &scale_again));
  check(unscaled == unscaled_again && scale == scale_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  calve_str text = {(const char *)data, size};
  uint8_t id[16], id_again[16];
  char id_text[CALVE_UUID_TEXT_SIZE];
  check_calendar(text);
  check_numbers(text);
  if (calve_uuid_parse(text, id)) {
    calve_uuid_format(id, id_text);
    check(calve_uuid_parse(calve_str_of(id_text), id_again) && memcmp(id, id_again, 16) == 0);
  }
  check(calve_str_equal_nocase(text, text));
  check(calve_utf8_prefix_bytes(text, size) == size);
  uint32_t code_point;
  size_t at = 0, n = 1;
  for (; at < size && n > 0; at += n)
    n = calve_utf8_decode((calve_str){text.data + at, size - at}, &code_point);
  check(calve_utf8_valid(text) == (n > 0));
  return 0;
}
