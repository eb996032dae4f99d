/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"

int64_t calve_floor_div(int64_t a, int64_t b) {
  assert(b > 0);
  return a / b - (a % b < 0);
}

int64_t calve_floor_mod(int64_t a, int64_t b) {
  assert(b > 0);
  int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

calve_int128 calve_pow10(int n) {
  static const uint64_t small[] = {
      1,
      10,
      100,
      1000,
      10000,
      100000,
      1000000,
      10000000,
      100000000,
      1000000000,
      10000000000,
      100000000000,
      1000000000000,
      10000000000000,
      100000000000000,
      1000000000000000,
      10000000000000000,
      100000000000000000,
      1000000000000000000,
      UINT64_C(10000000000000000000),
  };
  assert(n >= 0 && n <= CALVE_DECIMAL_PRECISION_MAX);
  if (n <= 19) return (calve_int128)small[n];
  return (calve_int128)small[19] * (calve_int128)small[n - 19];
}

/* |v| without overflow: the least value has no positive twin. */
static calve_uint128 magnitude(calve_int128 v) {
  return v < 0 ? (calve_uint128)0 - (calve_uint128)v : (calve_uint128)v;
}

static int digits_of(calve_uint128 m) {
  int n = 1;
  while (n <= CALVE_DECIMAL_PRECISION_MAX && m >= (calve_uint128)calve_pow10(n)) n++;
  return n;
}

int calve_decimal_digits(calve_int128 v) {
  return digits_of(magnitude(v));
}

/* The exponent behind E: an optional sign and digits. Values that no scale can hold are refused. */
static bool parse_exponent(const char *p, const char *end, int *out) {
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end) return false;
  int value = 0;
  for (; p < end; p++) {
    if (*p < '0' || *p > '9') return false;
    value = value * 10 + (*p - '0');
    if (value > 1000000) return false;
  }
  *out = negative ? -value : value;
  return true;
}

bool calve_decimal_parse(calve_str text, calve_int128 *unscaled, int *scale) {
  const char *p = text.data, *end = p + text.size;
  if (text.size == 0 || text.size > 1000000) return false;
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  calve_uint128 value = 0;
  int digits = 0, behind_point = 0, exponent = 0;
  bool any = false, point = false;
  for (; p < end; p++) {
    if (*p == '.' && !point) {
      point = true;
      continue;
    }
    if (*p < '0' || *p > '9') break;
    any = true;
    if (value != 0 || *p != '0') digits++;
    if (digits > CALVE_DECIMAL_PRECISION_MAX) return false;
    value = value * 10 + (unsigned)(*p - '0');
    behind_point += point;
  }
  if (!any) return false;
  if (p < end) {
    if ((*p != 'e' && *p != 'E') || !parse_exponent(p + 1, end, &exponent)) return false;
  }
  *unscaled = negative ? -(calve_int128)value : (calve_int128)value;
  *scale = behind_point - exponent;
  return true;
}

bool calve_decimal_rescale(calve_int128 v, int from_scale, int to_scale, calve_int128 *out) {
  int64_t shift = (int64_t)to_scale - from_scale;
  if (v == 0) {
    *out = 0;
    return true;
  }
  calve_int128 result = v;
  if (shift >= 0) {
    if (shift + calve_decimal_digits(v) > CALVE_DECIMAL_PRECISION_MAX) return false;
    result = v * calve_pow10((int)shift);
  } else {
    if (shift < -CALVE_DECIMAL_PRECISION_MAX) return false;
    calve_int128 unit = calve_pow10((int)-shift);
    if (v % unit != 0) return false;
    result = v / unit;
    if (calve_decimal_digits(result) > CALVE_DECIMAL_PRECISION_MAX) return false;
  }
  *out = result;
  return true;
}

void calve_decimal_format(calve_int128 v, int scale, char out[CALVE_DECIMAL_TEXT_MAX]) {
  assert(scale >= 0 && scale <= CALVE_DECIMAL_PRECISION_MAX);
  char reversed[CALVE_DECIMAL_TEXT_MAX];
  size_t n = 0;
  calve_uint128 m = magnitude(v);
  for (int i = 0; i <= scale || m != 0; i++) {
    if (i == scale && scale > 0) reversed[n++] = '.';
    reversed[n++] = (char)('0' + (int)(m % 10));
    m /= 10;
  }
  if (v < 0) reversed[n++] = '-';
  while (n > 0) *out++ = reversed[--n];
  *out = '\0';
}

size_t calve_int128_encode(calve_int128 v, uint8_t out[16]) {
  size_t n = 1;
  while (n < 16 && (v >> (8 * n - 1)) != 0 && (v >> (8 * n - 1)) != -1) n++;
  for (size_t i = 0; i < n; i++) out[i] = (uint8_t)(v >> (8 * (n - 1 - i)));
  return n;
}

bool calve_int128_decode(const uint8_t *bytes, size_t size_bytes, calve_int128 *out) {
  if (size_bytes < 1 || size_bytes > 16) return false;
  calve_uint128 v = (bytes[0] & 0x80U) != 0 ? ~(calve_uint128)0 : 0;
  for (size_t i = 0; i < size_bytes; i++) v = v << 8 | bytes[i];
  *out = (calve_int128)v;
  return true;
}

void calve_store_le32(uint8_t *out, uint32_t v) {
  for (int i = 0; i < 4; i++) out[i] = (uint8_t)(v >> (8 * i));
}

void calve_store_le64(uint8_t *out, uint64_t v) {
  for (int i = 0; i < 8; i++) out[i] = (uint8_t)(v >> (8 * i));
}

uint32_t calve_load_le32(const uint8_t *in) {
  return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

uint64_t calve_load_le64(const uint8_t *in) {
  return (uint64_t)calve_load_le32(in) | (uint64_t)calve_load_le32(in + 4) << 32;
}

void calve_store_be32(uint8_t *out, uint32_t v) {
  for (int i = 0; i < 4; i++) out[i] = (uint8_t)(v >> (24 - 8 * i));
}

uint32_t calve_load_be32(const uint8_t *in) {
  return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | (uint32_t)in[3];
}

void calve_size_format(int64_t size_bytes, char out[CALVE_SIZE_TEXT_MAX]) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
  if (size_bytes < 1024) {
    snprintf(out, CALVE_SIZE_TEXT_MAX, "%" PRId64 " bytes", size_bytes);
    return;
  }
  int64_t bytes = 1024;
  for (size_t unit = 0; unit < sizeof units / sizeof *units; unit++, bytes *= 1024) {
    int64_t rest = size_bytes % bytes;
    int64_t tenths = size_bytes / bytes * 10 + (rest * 10 + bytes / 2) / bytes;
    snprintf(out, CALVE_SIZE_TEXT_MAX, "%" PRId64 ".%" PRId64 " %s", tenths / 10, tenths % 10,
             units[unit]);
    if (tenths < 10240) return;
  }
}

bool calve_mul_size(size_t a, size_t b, size_t *out) {
  size_t product;
  if (__builtin_mul_overflow(a, b, &product)) return false;
  *out = product;
  return true;
}

bool calve_add_size(size_t a, size_t b, size_t *out) {
  size_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return false;
  *out = sum;
  return true;
}
