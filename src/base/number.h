/* SPDX-License-Identifier: Apache-2.0 */
/* base/number: 128-bit integers, decimals as text and bytes, floor division, bytes of integers,
 * sizes as text. In: numbers. Out: numbers, text, bytes. May be used by every room. Never
 * allocates; overflow is an answer (false), never a wrap. */
#ifndef CALVE_BASE_NUMBER_H
#define CALVE_BASE_NUMBER_H

#include "base/status.h"

__extension__ typedef __int128 calve_int128;
__extension__ typedef unsigned __int128 calve_uint128;

#define CALVE_DECIMAL_TEXT_MAX 48 /* sign, 38 digits + scale padding, point, NUL; see format     */

int64_t calve_floor_div(int64_t a, int64_t b); /* b > 0                                         */
int64_t calve_floor_mod(int64_t a, int64_t b); /* b > 0; 0 <= result < b                        */

/* 10^n, n in 0..38. */
calve_int128 calve_pow10(int n);
/* Digits of |v|; 1 for 0. */
int calve_decimal_digits(calve_int128 v);
/* Unscaled value from text such as "-12.30", "1E+3"; gives the scale it was written with. False
 * when it is no number or has more than 38 digits. */
bool calve_decimal_parse(calve_str text, calve_int128 *unscaled, int *scale);
/* v * 10^(to - from); false when digits would be lost or 38 digits exceeded. */
bool calve_decimal_rescale(calve_int128 v, int from_scale, int to_scale, calve_int128 *out);
/* Plain notation with exactly `scale` digits behind the point ("-0.05"); scale in 0..38. */
void calve_decimal_format(calve_int128 v, int scale, char out[CALVE_DECIMAL_TEXT_MAX]);

/* Two's complement, big-endian. encode gives the minimal length (1..16) [spec: Appendix D];
 * decode takes 1..16 bytes, false for other lengths. */
size_t calve_int128_encode(calve_int128 v, uint8_t out[16]);
bool calve_int128_decode(const uint8_t *bytes, size_t size_bytes, calve_int128 *out);

void calve_store_le32(uint8_t *out, uint32_t v);
void calve_store_le64(uint8_t *out, uint64_t v);
uint32_t calve_load_le32(const uint8_t *in);
uint64_t calve_load_le64(const uint8_t *in);
void calve_store_be32(uint8_t *out, uint32_t v);
uint32_t calve_load_be32(const uint8_t *in);

/* A size as people read it, with one rounded digit: "300 bytes", "1.5 MiB"; up to TiB. Without the
 * process's locale. */
#define CALVE_SIZE_TEXT_MAX 32
void calve_size_format(int64_t size_bytes, char out[CALVE_SIZE_TEXT_MAX]);

bool calve_mul_size(size_t a, size_t b, size_t *out); /* false on overflow                      */
bool calve_add_size(size_t a, size_t b, size_t *out);
/* A sum of counts (none negative) that files claim, however large they are: INT64_MAX when it is
 * larger. */
static inline int64_t calve_sum(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Shortest text that reads back as the same value ("1.0", "1.0E10" as Java prints, "NaN",
 * "Infinity", "-Infinity"). out is NUL-terminated. */
#define CALVE_DOUBLE_TEXT_MAX 40
void calve_double_format(double v, char out[CALVE_DOUBLE_TEXT_MAX]);
void calve_float_format(float v, char out[CALVE_DOUBLE_TEXT_MAX]);
/* Whole text as a double, locale-free; false when it is not a number. */
bool calve_double_parse(calve_str text, double *out);

#endif
