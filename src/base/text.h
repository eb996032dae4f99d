/* SPDX-License-Identifier: Apache-2.0 */
/* base/text: strings with a length, and UTF-8.
 * In: borrowed bytes. Out: answers and borrowed parts. May be used by every room.
 * Never allocates; knows no locale. */
#ifndef CALVE_BASE_TEXT_H
#define CALVE_BASE_TEXT_H

#include "base/status.h"

/* A calve_str of a string literal. */
#define CALVE_STR(literal) ((calve_str){"" literal, sizeof(literal) - 1})

calve_str calve_str_of(const char *text); /* NULL gives an absent string                        */
bool calve_str_equal(calve_str a, calve_str b);
bool calve_str_equal_text(calve_str a, const char *text);
/* ASCII letters compare without case; other code points compare by simple case folding of Latin-1,
 * Greek and Cyrillic, which is what names need. */
bool calve_str_equal_nocase(calve_str a, calve_str b);
/* Unsigned bytes, shorter first: for UTF-8 this is code point order. <0, 0, >0. */
int calve_str_compare(calve_str a, calve_str b);
bool calve_str_starts_with(calve_str s, calve_str prefix);
bool calve_str_ends_with(calve_str s, calve_str suffix);
calve_str calve_str_trim(calve_str s); /* ASCII white space, both ends                          */
uint64_t calve_str_hash(calve_str s);

/* Whole string as a decimal integer; false when it is not one or does not fit. */
bool calve_str_to_i64(calve_str s, int64_t *out);

bool calve_utf8_valid(calve_str s);
/* Bytes taken by the first n code points of valid UTF-8 (all of them if there are fewer). */
size_t calve_utf8_prefix_bytes(calve_str s, size_t code_points);
/* Reads one code point at s.data[0]; gives its length in bytes, 0 when it is not valid. */
size_t calve_utf8_decode(calve_str s, uint32_t *code_point);
/* Writes 1..4 bytes. code_point must be a scalar value. */
size_t calve_utf8_encode(uint32_t code_point, char out[4]);
/* The first character of a text that is not empty as messages show it: itself, or an escape for
 * what would end the line, move the cursor or turn the direction (\n, \t, \x1B, \x9B, \u202E) and
 * for a byte that is no UTF-8 (\xFF). Gives the bytes written to `out` without a NUL; *taken: those
 * of the text that they stand for. */
#define CALVE_SHOWN_MAX 6
size_t calve_text_show(calve_str text, char out[CALVE_SHOWN_MAX], size_t *taken);

#endif
