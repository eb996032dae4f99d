/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <string.h>

static bool is_tail(unsigned char c) {
  return (c & 0xC0U) == 0x80U;
}

/* Shortest forms only, no surrogates, nothing above U+10FFFF (RFC 3629). */
size_t calve_utf8_decode(calve_str s, uint32_t *code_point) {
  if (s.size == 0) return 0;
  const unsigned char *p = (const unsigned char *)s.data;
  uint32_t c = p[0];
  if (c < 0x80) {
    *code_point = c;
    return 1;
  }
  if (c < 0xC2 || c > 0xF4) return 0;
  size_t n = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
  if (s.size < n) return 0;
  c &= 0x7FU >> n;
  for (size_t i = 1; i < n; i++) {
    if (!is_tail(p[i])) return 0;
    c = c << 6 | (p[i] & 0x3FU);
  }
  if (n == 3 && (c < 0x800 || (c >= 0xD800 && c <= 0xDFFF))) return 0;
  if (n == 4 && (c < 0x10000 || c > 0x10FFFF)) return 0;
  *code_point = c;
  return n;
}

bool calve_utf8_valid(calve_str s) {
  size_t i = 0;
  while (i < s.size) {
    /* Most text is ASCII: eight bytes at a time. */
    uint64_t word;
    if (s.size - i >= 8) {
      memcpy(&word, s.data + i, 8);
      if ((word & UINT64_C(0x8080808080808080)) == 0) {
        i += 8;
        continue;
      }
    }
    uint32_t code_point;
    size_t n = calve_utf8_decode((calve_str){s.data + i, s.size - i}, &code_point);
    if (n == 0) return false;
    i += n;
  }
  return true;
}

size_t calve_utf8_prefix_bytes(calve_str s, size_t code_points) {
  size_t i = 0;
  for (; i < s.size; i++) {
    if (is_tail((unsigned char)s.data[i])) continue;
    if (code_points == 0) break;
    code_points--;
  }
  return i;
}

size_t calve_utf8_encode(uint32_t code_point, char out[4]) {
  if (code_point < 0x80) {
    out[0] = (char)code_point;
    return 1;
  }
  size_t n = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
  for (size_t i = n - 1; i > 0; i--) {
    out[i] = (char)(0x80U | (code_point & 0x3FU));
    code_point >>= 6;
  }
  out[0] = (char)((0xF00U >> n & 0xFFU) | code_point);
  return n;
}

static size_t put_escape(char *out, char kind, uint32_t number, int digits) {
  out[0] = '\\';
  out[1] = kind;
  for (int i = 0; i < digits; i++)
    out[2 + i] = "0123456789ABCDEF"[number >> (4 * (digits - 1 - i)) & 15];
  return 2 + (size_t)digits;
}

size_t calve_text_show(calve_str text, char out[CALVE_SHOWN_MAX], size_t *taken) {
  uint32_t c;
  *taken = calve_utf8_decode(text, &c);
  if (*taken == 0) {
    *taken = 1;
    return put_escape(out, 'x', (unsigned char)text.data[0], 2);
  }
  if (c == '\n') return put_escape(out, 'n', 0, 0);
  if (c == '\t') return put_escape(out, 't', 0, 0);
  if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return put_escape(out, 'x', c, 2);
  if ((c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069))
    return put_escape(out, 'u', c, 4);
  memcpy(out, text.data, *taken);
  return *taken;
}
