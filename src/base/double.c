/* SPDX-License-Identifier: Apache-2.0 */
/* Floating point <-> text without the process's locale: printf and strtod are given, and asked
 * for, nothing that holds a decimal point. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* More digits than these can't change the nearest double, but whether any of them is non-zero can.
 */
#define DIGITS_MAX 800

typedef struct decimal {
  bool negative;
  char digits[20]; /* first digit is before the point */
  int count;
  int exponent; /* of the first digit */
} decimal;

/* v to `count` significant digits; what printf puts between them is the locale's point. */
static void to_digits(double v, int count, decimal *out) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", count - 1, fabs(v));
  char *e = strchr(text, 'e');
  out->negative = signbit(v) != 0;
  out->count = 0;
  for (const char *p = text; p < e; p++)
    if (*p >= '0' && *p <= '9') out->digits[out->count++] = *p;
  out->exponent = (int)strtol(e + 1, NULL, 10);
}

static bool reads_back(const decimal *d, double v, bool as_float) {
  char text[48];
  snprintf(text, sizeof text, "%.*se%d", d->count, d->digits, d->exponent - (d->count - 1));
  return as_float ? (double)strtof(text, NULL) == fabs(v) : strtod(text, NULL) == fabs(v);
}

/* The next larger decimal of as many digits. At a power of two the gap above is twice the one
 * below, so the nearest decimal may fail from below where this one reads back. */
static void step_up(decimal *d) {
  int i = d->count - 1;
  while (i >= 0 && d->digits[i] == '9') d->digits[i--] = '0';
  if (i >= 0) {
    d->digits[i]++;
    return;
  }
  d->digits[0] = '1';
  d->exponent++;
}

/* At least two digits, as java.lang.Double does: 4.9E-324 is nearer than 5E-324. */
static void shortest(double v, bool as_float, decimal *d) {
  int sure = as_float ? FLT_DIG : DBL_DIG, most = as_float ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
  bool subnormal = fabs(v) < (as_float ? (double)FLT_MIN : DBL_MIN);
  for (int count = subnormal ? 2 : sure; count <= most; count++) {
    to_digits(v, count, d);
    if (reads_back(d, v, as_float)) break;
    int unused;
    if (frexp(fabs(v), &unused) != 0.5) continue;
    step_up(d);
    if (reads_back(d, v, as_float)) break;
  }
  while (d->count > 1 && d->digits[d->count - 1] == '0') d->count--;
}

/* Plain from 10^-3 to below 10^7, else d.dddEn: the form of java.lang.Double. */
static void print(const decimal *d, char *out) {
  if (d->negative) *out++ = '-';
  if (d->exponent >= -3 && d->exponent < 7) {
    int e = d->exponent;
    if (e < 0) {
      *out++ = '0';
      *out++ = '.';
      for (int i = -1; i > e; i--) *out++ = '0';
      memcpy(out, d->digits, (size_t)d->count);
      out[d->count] = '\0';
      return;
    }
    for (int i = 0; i <= e; i++) *out++ = i < d->count ? d->digits[i] : '0';
    *out++ = '.';
    if (d->count <= e + 1) *out++ = '0';
    for (int i = e + 1; i < d->count; i++) *out++ = d->digits[i];
    *out = '\0';
    return;
  }
  *out++ = d->digits[0];
  *out++ = '.';
  if (d->count == 1) *out++ = '0';
  for (int i = 1; i < d->count; i++) *out++ = d->digits[i];
  snprintf(out, 8, "E%d", d->exponent);
}

static void format(double v, bool as_float, char *out) {
  if (isnan(v)) {
    memcpy(out, "NaN", 4);
  } else if (isinf(v)) {
    snprintf(out, CALVE_DOUBLE_TEXT_MAX, "%sInfinity", v < 0 ? "-" : "");
  } else if (v == 0) {
    snprintf(out, CALVE_DOUBLE_TEXT_MAX, "%s0.0", signbit(v) ? "-" : "");
  } else {
    decimal d;
    shortest(v, as_float, &d);
    print(&d, out);
  }
}

void calve_double_format(double v, char out[CALVE_DOUBLE_TEXT_MAX]) {
  format(v, false, out);
}

void calve_float_format(float v, char out[CALVE_DOUBLE_TEXT_MAX]) {
  format((double)v, true, out);
}

static bool parse_word(calve_str text, double *out) {
  static const struct {
    const char *word;
    double value;
  } words[] = {
      {"NaN", NAN}, {"Infinity", INFINITY}, {"+Infinity", INFINITY}, {"-Infinity", -INFINITY}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strlen(words[i].word) != text.size) continue;
    if (memcmp(words[i].word, text.data, text.size) != 0) continue;
    *out = words[i].value;
    return true;
  }
  return false;
}

static bool parse_exponent(const char *p, const char *end, int64_t *exponent) {
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end) return false;
  int64_t value = 0;
  for (; p < end; p++) {
    if (*p < '0' || *p > '9') return false;
    if (value < INT64_C(1000000000)) value = value * 10 + (*p - '0');
  }
  *exponent += negative ? -value : value;
  return true;
}

/* The digits without their point, and the power of ten that puts it back: a form that strtod reads
 * alike in every locale. */
bool calve_double_parse(calve_str text, double *out) {
  const char *p = text.data, *end = p + text.size;
  if (text.size == 0) return false;
  if (parse_word(text, out)) return true;
  char digits[DIGITS_MAX + 48];
  size_t count = 0;
  int64_t exponent = 0;
  bool any = false, point = false, beyond = false;
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  for (; p < end; p++) {
    if (*p == '.' && !point) {
      point = true;
      continue;
    }
    if (*p < '0' || *p > '9') break;
    any = true;
    if (count == 0 && *p == '0') {
      exponent -= point;
    } else if (count < DIGITS_MAX) {
      digits[count++] = *p;
      exponent -= point;
    } else {
      beyond = beyond || *p != '0';
      exponent += !point;
    }
  }
  if (!any) return false;
  if (p < end && ((*p != 'e' && *p != 'E') || !parse_exponent(p + 1, end, &exponent))) return false;
  if (count == 0) digits[count++] = '0';
  if (beyond) {
    digits[count++] = '1';
    exponent--;
  }
  snprintf(digits + count, sizeof digits - count, "e%lld", (long long)exponent);
  double value = strtod(digits, NULL);
  *out = negative ? -value : value;
  return true;
}
