/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <string.h>

calve_str calve_str_of(const char *text) {
  return (calve_str){text, text ? strlen(text) : 0};
}

bool calve_str_equal(calve_str a, calve_str b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool calve_str_equal_text(calve_str a, const char *text) {
  return calve_str_equal(a, calve_str_of(text));
}

/* Lower case of the alphabets that names are written in. Full case folding needs Unicode's tables,
 * and can change the number of code points. */
static uint32_t fold(uint32_t c) {
  if (c >= 'A' && c <= 'Z') return c + 32;
  if (c < 0xC0) return c;
  if (c <= 0xDE) return c == 0xD7 ? c : c + 32; /* Latin-1, but not the times sign */
  if (c < 0x100) return c;
  if (c <= 0x17E) { /* Latin Extended-A: pairs */
    if (c == 0x130 || c == 0x131 || c == 0x138 || c == 0x149) return c;
    if (c == 0x178) return 0xFF;
    bool upper_is_odd = (c >= 0x139 && c <= 0x148) || c >= 0x179;
    return ((c & 1U) != 0) == upper_is_odd ? c + 1 : c;
  }
  if (c == 0x386) return 0x3AC; /* Greek with tonos */
  if (c >= 0x388 && c <= 0x38A) return c + 37;
  if (c == 0x38C) return 0x3CC;
  if (c == 0x38E || c == 0x38F) return c + 63;
  if (c >= 0x391 && c <= 0x3AB && c != 0x3A2) return c + 32; /* Greek */
  if (c == 0x3C2) return 0x3C3;                              /* final sigma */
  if (c >= 0x410 && c <= 0x42F) return c + 32;               /* Cyrillic */
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  return c;
}

/* The next code point folded; a byte that is not UTF-8 stands for itself, out of Unicode's range.
 */
static uint32_t next_folded(calve_str *s) {
  uint32_t c = 0;
  size_t n = calve_utf8_decode(*s, &c);
  if (n == 0) {
    c = 0x80000000U | (unsigned char)s->data[0];
    n = 1;
  }
  s->data += n;
  s->size -= n;
  return fold(c);
}

bool calve_str_equal_nocase(calve_str a, calve_str b) {
  while (a.size > 0 && b.size > 0)
    if (next_folded(&a) != next_folded(&b)) return false;
  return a.size == b.size;
}

int calve_str_compare(calve_str a, calve_str b) {
  size_t n = a.size < b.size ? a.size : b.size;
  int order = n > 0 ? memcmp(a.data, b.data, n) : 0;
  if (order != 0) return order;
  return (a.size > b.size) - (a.size < b.size);
}

bool calve_str_starts_with(calve_str s, calve_str prefix) {
  return s.size >= prefix.size && calve_str_equal((calve_str){s.data, prefix.size}, prefix);
}

bool calve_str_ends_with(calve_str s, calve_str suffix) {
  if (s.size < suffix.size) return false;
  return suffix.size == 0 || memcmp(s.data + (s.size - suffix.size), suffix.data, suffix.size) == 0;
}

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

calve_str calve_str_trim(calve_str s) {
  while (s.size > 0 && is_space(s.data[0])) s.data++, s.size--;
  while (s.size > 0 && is_space(s.data[s.size - 1])) s.size--;
  return s;
}

static uint64_t mix(uint64_t h) {
  h ^= h >> 32;
  h *= UINT64_C(0xD6E8FEB86659FD93);
  return h ^ (h >> 29);
}

uint64_t calve_str_hash(calve_str s) {
  uint64_t h = UINT64_C(0x9E3779B97F4A7C15) ^ s.size;
  const char *p = s.data;
  size_t left = s.size;
  for (; left >= 8; p += 8, left -= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    h = mix(h ^ word);
  }
  uint64_t tail = 0;
  if (left > 0) memcpy(&tail, p, left);
  return mix(mix(h ^ tail));
}

bool calve_str_to_i64(calve_str s, int64_t *out) {
  bool negative = s.size > 0 && s.data[0] == '-';
  size_t i = s.size > 0 && (s.data[0] == '-' || s.data[0] == '+') ? 1 : 0;
  if (i == s.size) return false;
  int64_t value = 0; /* kept negative: INT64_MIN has no positive twin */
  for (; i < s.size; i++) {
    int digit = s.data[i] - '0';
    if (digit < 0 || digit > 9) return false;
    if (__builtin_mul_overflow(value, 10, &value)) return false;
    if (__builtin_sub_overflow(value, digit, &value)) return false;
  }
  if (!negative && value == INT64_MIN) return false;
  *out = negative ? value : -value;
  return true;
}
