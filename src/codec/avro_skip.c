/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/avro_skip.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/limits.h"

bool calve_avro__read_long_slow(const char **at, const char *end, int64_t *out) {
  const char *p = *at;
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (p == end) return false;
    uint8_t byte = (uint8_t)*p++;
    if (shift == 63 && (byte & 0x7e)) return false; /* bits above 64                            */
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *out = calve_avro__unzigzag(value);
      *at = p;
      return true;
    }
  }
  return false;
}

bool calve_avro__next_items_slow(const char **at, const char *end, int64_t *count,
                                 int64_t *size_bytes) {
  int64_t n, size = -1;
  if (!calve_avro__read_long(at, end, &n) || n == INT64_MIN) return false;
  if (n < 0) {
    n = -n;
    if (!calve_avro__read_long(at, end, &size) || size < 0 || size > end - *at) return false;
  }
  *count = n;
  *size_bytes = size;
  return true;
}

/* Ends of varints in the STRIDE bytes at p: how many there are, and a mask with one bit for each;
 * a byte takes BITS of it. */
#ifdef __SSE2__
#define STRIDE 16
#define BITS   1
static uint64_t ends_in_stride(const char *p, uint64_t *mask) {
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
  __m128i ends = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(-1)); /* 0xff where the top bit is clear   */
  __m128i sums = _mm_sad_epu8(_mm_and_si128(ends, _mm_set1_epi8(1)), _mm_setzero_si128());
  *mask = (uint64_t)(unsigned)_mm_movemask_epi8(ends);
  return (uint64_t)(_mm_cvtsi128_si32(sums) + _mm_extract_epi16(sums, 4));
}
#else
#define STRIDE 8
#define BITS   8
static uint64_t ends_in_stride(const char *p, uint64_t *mask) {
  uint64_t bytes;
  memcpy(&bytes, p, 8);
  *mask = (~bytes >> 7) & UINT64_C(0x0101010101010101);
  return (*mask * UINT64_C(0x0101010101010101)) >> 56;
}
#endif

bool calve_avro__skip_varints(const char **at, const char *end, uint64_t count) {
  const char *p = *at;
  while (count > 0 && end - p >= STRIDE) {
    uint64_t mask, ends = ends_in_stride(p, &mask);
    if (ends < count) {
      count -= ends;
      p += STRIDE;
      continue;
    }
    while (--count > 0) mask &= mask - 1;
    p += __builtin_ctzll(mask) / BITS + 1;
  }
  for (; count > 0; p++) {
    if (p == end) return false;
    if ((uint8_t)*p < 0x80) count--;
  }
  *at = p;
  return true;
}

bool calve_avro__skip_number_items(const char **at, const char *end, uint64_t varints_per_item) {
  for (;;) {
    int64_t count, size;
    if (!calve_avro__next_items(at, end, &count, &size)) return false;
    if (count == 0) return true;
    if (size >= 0) {
      *at += size;
      continue;
    }
    if ((uint64_t)count > (uint64_t)(end - *at) / varints_per_item) return false;
    if (!calve_avro__skip_varints(at, end, (uint64_t)count * varints_per_item)) return false;
  }
}

/* One pair of any form. */
static bool skip_text_item(const char **at, const char *end) {
  const char *p = *at;
  int64_t length;
  while (p < end && (uint8_t)*p >= 0x80) p++;
  if (p == end) return false;
  p++;
  if (!calve_avro__read_long(&p, end, &length) || length < 0 || length > end - p) return false;
  *at = p + length;
  return true;
}

bool calve_avro__skip_text_items(const char **at, const char *end, int64_t count) {
  const char *p = *at;
  for (; count > 0; count--) {
    /* Nearly always an id and a length of one byte each, or an id of two. */
    if (end - p > 3 + 63) {
      bool is_long_id = (uint8_t)p[0] >= 0x80;
      uint8_t id = (uint8_t)p[is_long_id], length = (uint8_t)p[is_long_id + 1];
      if (!(id & 0x80) && !(length & 0x81)) {
        p += is_long_id + 2 + (length >> 1);
        continue;
      }
    }
    if (!skip_text_item(&p, end)) return false;
  }
  *at = p;
  return true;
}

bool calve_avro__skip_text_pairs(const char **at, const char *end) {
  for (;;) {
    int64_t count, size;
    if (!calve_avro__next_items(at, end, &count, &size)) return false;
    if (count == 0) return true;
    if (size >= 0)
      *at += size;
    else if (!calve_avro__skip_text_items(at, end, count))
      return false;
  }
}

static bool skip_bytes(const char **at, const char *end, uint64_t size) {
  if (size > (uint64_t)(end - *at)) return false;
  *at += size;
  return true;
}

static bool skip_items(const calve_avro_type *type, const char **at, const char *end, int depth) {
  const calve_avro_type *item = type->fields[0].type;
  for (;;) {
    int64_t count, size;
    if (!calve_avro__next_items(at, end, &count, &size)) return false;
    if (count == 0) return true;
    if (size >= 0) {
      *at += size;
      continue;
    }
    bool is_map = type->id == CALVE_AVRO_MAP;
    if (!is_map && item->min_bytes == 0) continue; /* any number of nothing                     */
    for (; count > 0; count--) {
      int64_t length;
      if (is_map && (!calve_avro__read_long(at, end, &length) || length < 0 ||
                     !skip_bytes(at, end, (uint64_t)length))) {
        return false;
      }
      if (!calve_avro__skip_type(item, at, end, depth + 1)) return false;
    }
  }
}

bool calve_avro__skip_type(const calve_avro_type *type, const char **at, const char *end,
                           int depth) {
  if (type->min_bytes == 0) return true;
  if (depth > 2 * CALVE_DEPTH_MAX) return false;
  int64_t number;
  switch (type->id) {
    case CALVE_AVRO_NULL:
      return true;
    case CALVE_AVRO_BOOLEAN:
      return skip_bytes(at, end, 1);
    case CALVE_AVRO_INT:
    case CALVE_AVRO_LONG:
    case CALVE_AVRO_ENUM:
      return calve_avro__skip_varints(at, end, 1);
    case CALVE_AVRO_FLOAT:
      return skip_bytes(at, end, 4);
    case CALVE_AVRO_DOUBLE:
      return skip_bytes(at, end, 8);
    case CALVE_AVRO_FIXED:
      return skip_bytes(at, end, type->size_bytes);
    case CALVE_AVRO_BYTES:
    case CALVE_AVRO_STRING:
      return calve_avro__read_long(at, end, &number) && number >= 0 &&
             skip_bytes(at, end, (uint64_t)number);
    case CALVE_AVRO_ARRAY:
    case CALVE_AVRO_MAP:
      return skip_items(type, at, end, depth);
    case CALVE_AVRO_UNION:
      return calve_avro__read_long(at, end, &number) && number >= 0 &&
             (uint64_t)number < type->field_count &&
             calve_avro__skip_type(type->fields[number].type, at, end, depth + 1);
    case CALVE_AVRO_RECORD:
      for (size_t i = 0; i < type->field_count; i++) {
        if (!calve_avro__skip_type(type->fields[i].type, at, end, depth + 1)) return false;
      }
      return true;
  }
  return false;
}
