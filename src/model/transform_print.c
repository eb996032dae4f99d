/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/calendar.h"
#include "base/text.h"
#include "model/transform.h"
#include "model/value_private.h"

/* As the reference's paths have it: no plus sign for years beyond 9999, unlike ISO 8601. */
static void print_year(int64_t year, calve_buffer *out) {
  calve_buffer_printf(out, "%04" PRId64, year);
}

static void print_day(int64_t day, calve_buffer *out) {
  calve_civil c = calve_civil_of_day(day);
  print_year(c.year, out);
  calve_buffer_printf(out, "-%02d-%02d", c.month, c.day);
}

static void print_base64(calve_str bytes, calve_buffer *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < bytes.size; i += 3) {
    size_t left = bytes.size - i;
    uint32_t group = 0;
    for (size_t j = 0; j < 3; j++)
      group = group << 8 | (j < left ? (unsigned char)bytes.data[i + j] : 0u);
    calve_buffer_putc(out, digits[group >> 18 & 63]);
    calve_buffer_putc(out, digits[group >> 12 & 63]);
    calve_buffer_putc(out, left > 1 ? digits[group >> 6 & 63] : '=');
    calve_buffer_putc(out, left > 2 ? digits[group & 63] : '=');
  }
}

/* "22:31", "22:31:08": seconds of zero are left out, as in the reference's paths. */
static void print_time(const calve_value *v, calve_buffer *out) {
  char text[CALVE_TIME_TEXT_MAX];
  calve_value__time_text(v, text);
  size_t size = strlen(text);
  if (size == 8 && strcmp(text + 5, ":00") == 0) text[5] = '\0';
  calve_buffer_puts(out, text);
}

/* Tiny numbers as the reference's paths have them: "-1.23E-8". [java.math.BigDecimal.toString] */
static void print_decimal(const calve_value *v, calve_buffer *out) {
  int exponent = calve_decimal_digits(v->i128) - 1 - v->scale;
  if (exponent >= -6) {
    calve_value_print(v, out);
    return;
  }
  char digits[CALVE_DECIMAL_TEXT_MAX];
  calve_decimal_format(v->i128, 0, digits);
  const char *at = digits;
  if (*at == '-') calve_buffer_putc(out, *at++);
  calve_buffer_putc(out, *at++);
  if (*at) calve_buffer_printf(out, ".%s", at);
  calve_buffer_printf(out, "E%d", exponent);
}

static void print_value(const calve_value *v, calve_buffer *out) {
  switch (v->type) {
    case CALVE_DECIMAL:
      print_decimal(v, out);
      return;
    case CALVE_DATE:
      print_day(v->i32, out);
      return;
    case CALVE_TIME:
      print_time(v, out);
      return;
    case CALVE_FIXED:
    case CALVE_BINARY:
      print_base64(v->bytes, out);
      return;
    default:
      calve_value_print(v, out);
  }
}

void calve_transform_print_value(const calve_transform *t, const calve_type *source,
                                 const calve_value *result, calve_buffer *out) {
  (void)source; /* the value's own type says enough for the transforms of today */
  bool number = !result->is_null && (result->type == CALVE_INT || result->type == CALVE_DATE);
  if (result->is_null) {
    calve_buffer_puts(out, "null");
  } else if (number && t->kind == CALVE_YEAR) {
    print_year(INT64_C(1970) + result->i32, out);
  } else if (number && t->kind == CALVE_MONTH) {
    print_year(1970 + calve_floor_div(result->i32, 12), out);
    calve_buffer_printf(out, "-%02d", (int)calve_floor_mod(result->i32, 12) + 1);
  } else if (number && t->kind == CALVE_DAY) { /* readers must accept int for day's result */
    print_day(result->i32, out);
  } else if (number && t->kind == CALVE_HOUR) {
    print_day(calve_floor_div(result->i32, 24), out);
    calve_buffer_printf(out, "-%02d", (int)calve_floor_mod(result->i32, 24));
  } else {
    print_value(result, out);
  }
}
