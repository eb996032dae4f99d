/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/json_scan.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

static const char *refuse(calve_json_fault *fault, const char *at, const char *why) {
  *fault = (calve_json_fault){at, why};
  return NULL;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* The four digits behind "\u"; -1 when they are not there. */
static int32_t hex4(const char *p, const char *end) {
  if (end - p < 4) return -1;
  int32_t value = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(p[i]);
    if (digit < 0) return -1;
    value = value << 4 | digit;
  }
  return value;
}

static bool is_high_surrogate(int32_t unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
static bool is_low_surrogate(int32_t unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* p is at a backslash. Gives the byte behind the escape. */
static const char *scan_escape(const char *p, const char *end, calve_json_fault *fault) {
  if (end - p < 2) return refuse(fault, p, "the text ends inside a string");
  if (p[1] != 'u') {
    if (p[1] == '\0' || !strchr("\"\\/bfnrt", p[1]))
      return refuse(fault, p, "a backslash in a string starts no known escape");
    return p + 2;
  }
  int32_t unit = hex4(p + 2, end);
  if (unit < 0) return refuse(fault, p, "\\u is not followed by four hexadecimal digits");
  if (is_low_surrogate(unit)) return refuse(fault, p, "a low surrogate has no high one before it");
  if (!is_high_surrogate(unit)) return p + 6;
  if (end - p < 12 || p[6] != '\\' || p[7] != 'u' || !is_low_surrogate(hex4(p + 8, end)))
    return refuse(fault, p, "a high surrogate has no low one behind it");
  return p + 12;
}

const char *calve_json__scan_string(const char *p, const char *end, bool *escaped,
                                    calve_json_fault *fault) {
  *escaped = false;
  for (;;) {
    p = calve_json__plain_run(p, end);
    if (p == end) return refuse(fault, p, "the text ends inside a string");
    if (*p == '"') return p;
    if (*p == '\\') {
      *escaped = true;
      p = scan_escape(p, end, fault);
      if (!p) return NULL;
      continue;
    }
    if ((unsigned char)*p < 0x20)
      return refuse(fault, p, "a control byte in a string must be escaped");
    while (p < end && (unsigned char)*p >= 0x80) {
      uint32_t code_point;
      size_t n = calve_utf8_decode((calve_str){p, (size_t)(end - p)}, &code_point);
      if (n == 0) return refuse(fault, p, "a string is not valid UTF-8");
      p += n;
    }
  }
}

static bool is_digit(const char *p, const char *end) {
  return p < end && *p >= '0' && *p <= '9';
}

static const char *skip_digits(const char *p, const char *end) {
  while (is_digit(p, end)) p++;
  return p;
}

const char *calve_json__scan_number(const char *p, const char *end, calve_json_fault *fault) {
  if (p < end && *p == '-') p++;
  if (!is_digit(p, end)) return refuse(fault, p, "a digit is missing in a number");
  if (*p == '0' && is_digit(p + 1, end)) return refuse(fault, p, "a number has a leading zero");
  p = skip_digits(p, end);
  if (p < end && *p == '.') {
    p++;
    if (!is_digit(p, end)) return refuse(fault, p, "a digit is missing behind a decimal point");
    p = skip_digits(p, end);
  }
  if (p < end && (*p == 'e' || *p == 'E')) {
    p++;
    if (p < end && (*p == '+' || *p == '-')) p++;
    if (!is_digit(p, end)) return refuse(fault, p, "a digit is missing in an exponent");
    p = skip_digits(p, end);
  }
  return p;
}

static const char *scan_word(const char *p, const char *end, const char *word, size_t size) {
  if ((size_t)(end - p) < size || memcmp(p, word, size) != 0) return NULL;
  return p + size;
}

static const char *scan_scalar(const char *p, const char *end) {
  calve_json_fault fault;
  bool escaped;
  switch (*p) {
    case '"':
      p = calve_json__string_end(p + 1, end, &escaped, &fault);
      return p ? p + 1 : NULL;
    case 't':
      return scan_word(p, end, "true", 4);
    case 'f':
      return scan_word(p, end, "false", 5);
    case 'n':
      return scan_word(p, end, "null", 4);
    default:
      return calve_json__scan_number(p, end, &fault);
  }
}

/* p is where a key should be. Gives the first byte of its value. */
static const char *scan_key(const char *p, const char *end) {
  calve_json_fault fault;
  bool escaped;
  if (p == end || *p != '"') return NULL;
  p = calve_json__string_end(p + 1, end, &escaped, &fault);
  if (!p) return NULL;
  p = calve_json__skip_space(p + 1, end);
  if (p == end || *p != ':') return NULL;
  return calve_json__skip_space(p + 1, end);
}

/* No recursion: what is open is kept as one byte a level. */
const char *calve_json__scan_value(const char *p, const char *end, int depth_max) {
  char open[CALVE_JSON_DEPTH_MAX];
  int depth = 0;
  for (;;) {
    if (p == end) return NULL;
    if (*p == '{' || *p == '[') {
      if (depth == depth_max || depth == CALVE_JSON_DEPTH_MAX) return NULL;
      char close = *p == '{' ? '}' : ']';
      p = calve_json__skip_space(p + 1, end);
      if (p == end) return NULL;
      if (*p != close) {
        open[depth++] = close;
        if (close == '}' && !(p = scan_key(p, end))) return NULL;
        continue;
      }
      p++;
    } else if (!(p = scan_scalar(p, end))) {
      return NULL;
    }
    for (;;) { /* behind a value */
      if (depth == 0) return p;
      p = calve_json__skip_space(p, end);
      if (p == end) return NULL;
      if (*p == ',') break;
      if (*p != open[depth - 1]) return NULL;
      depth--;
      p++;
    }
    p = calve_json__skip_space(p + 1, end);
    if (open[depth - 1] == '}' && !(p = scan_key(p, end))) return NULL;
  }
}

static char simple_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

size_t calve_json__unescape(const char *p, const char *quote, char *out) {
  char *to = out;
  while (p < quote) {
    const char *backslash = memchr(p, '\\', (size_t)(quote - p));
    size_t run = (size_t)((backslash ? backslash : quote) - p);
    memcpy(to, p, run);
    to += run;
    if (!backslash) break;
    p = backslash + 2;
    if (backslash[1] != 'u') {
      *to++ = simple_escape(backslash[1]);
      continue;
    }
    uint32_t code_point = (uint32_t)hex4(p, quote);
    p += 4;
    if (is_high_surrogate((int32_t)code_point)) {
      uint32_t low = (uint32_t)hex4(p + 2, quote);
      code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
      p += 6;
    }
    to += calve_utf8_encode(code_point, to);
  }
  return (size_t)(to - out);
}
