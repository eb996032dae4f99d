/* SPDX-License-Identifier: Apache-2.0 */
/* codec/json_scan: the tokens of JSON, for the files of codec that read or write it.
 * In: a position and the end of the text. Out: where the token ends, or what is wrong with it.
 * Only for codec/json_*.c. Never allocates, never reads at or beyond `end`. RFC 8259. */
#ifndef CALVE_CODEC_JSON_SCAN_H
#define CALVE_CODEC_JSON_SCAN_H

#include "base/status.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Filled only when a scan fails. `why` is a whole sentence without its subject's place. */
typedef struct calve_json_fault {
  const char *at;
  const char *why;
} calve_json_fault;

/* p is behind the opening quote. Gives the closing quote, or NULL. Checks escapes, control bytes,
 * UTF-8 and surrogate pairs; *escaped tells whether there is a backslash. */
const char *calve_json__scan_string(const char *p, const char *end, bool *escaped,
                                    calve_json_fault *fault);
/* p is at '-' or a digit. Gives the first byte behind the number, or NULL. */
const char *calve_json__scan_number(const char *p, const char *end, calve_json_fault *fault);
/* p is at the first byte of a value. Gives the first byte behind it, or NULL when it is damaged or
 * nests deeper than depth_max. */
const char *calve_json__scan_value(const char *p, const char *end, int depth_max);
/* Decodes what scan_string accepted, p up to the closing quote; out holds as many bytes as that.
 * Gives the bytes written. */
size_t calve_json__unescape(const char *p, const char *quote, char *out);

static inline const char *calve_json__skip_space(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
  return p;
}

/* Whether a byte of a string is only itself: printable ASCII, no quote, no backslash. */
static inline bool calve_json__is_plain(char c) {
  return (signed char)c >= 0x20 && c != '"' && c != '\\';
}

/* The first byte that is not plain, or end. */
static inline const char *calve_json__plain_run(const char *p, const char *end) {
#if defined(__SSE2__)
  const __m128i space = _mm_set1_epi8(0x20), quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  for (; end - p >= 16; p += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    /* As signed numbers, control bytes and those of non-ASCII characters are both below space. */
    __m128i special =
        _mm_or_si128(_mm_cmplt_epi8(bytes, space),
                     _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
    int mask = _mm_movemask_epi8(special);
    if (mask != 0) return p + __builtin_ctz((unsigned)mask);
  }
#endif
  while (p < end && calve_json__is_plain(*p)) p++;
  return p;
}

/* scan_string, with the common case inline: ASCII without escapes. */
static inline const char *calve_json__string_end(const char *p, const char *end, bool *escaped,
                                                 calve_json_fault *fault) {
  const char *stop = calve_json__plain_run(p, end);
  *escaped = false;
  if (stop < end && *stop == '"') return stop;
  return calve_json__scan_string(p, end, escaped, fault);
}

#endif
