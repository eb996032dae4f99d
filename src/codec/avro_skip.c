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

#ifdef __SSE2__
/* Ends of varints in the 16 bytes at p: bytes whose top bit is clear. */
static uint64_t count_ends(const char *p) {
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
  __m128i ends = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(-1)); /* -1 where one is                   */
  __m128i sums = _mm_sad_epu8(_mm_sub_epi8(_mm_setzero_si128(), ends), _mm_setzero_si128());
  return (uint64_t)(_mm_cvtsi128_si32(sums) + _mm_extract_epi16(sums, 4));
}
#endif

bool calve_avro__skip_varints(const char **at, const char *end, uint64_t count) {
  const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
  const char *p = *at;
#ifdef __SSE2__
  while (count > 16 && end - p >= 16) { /* 16 bytes can't hold the last one: all is skipped     */
    count -= count_ends(p);
    p += 16;
  }
#endif
  while (count > 0 && end - p >= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    uint64_t sums = ((~word >> 7) & ones) * ones; /* byte i: ends in bytes 0 to i, little-endian */
    if (sums >> 56 < count) {
      count -= sums >> 56;
      p += 8;
      continue;
    }
    /* The first byte whose sum reaches count, which is at most 8. */
    p += (__builtin_ctzll(((sums | tops) - count * ones) & tops) >> 3) + 1;
    count = 0;
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

bool calve_avro__text_hint_learn(calve_avro__text_hint *hint, uint32_t start) {
  /* Nearly always an id of one byte or two, and a length of one. */
  unsigned id_more = start >> 7 & 1;
  if (id_more && start >> 15 & 1) return false;
  uint32_t id = id_more ? (start & 0x7f) | (start >> 1 & 0x3f80) : start & 0x7f;
  uint32_t length = start >> (8 + 8 * id_more) & 0xff;
  if (length & 0x81) return false; /* two bytes or more, or negative                            */
  uint32_t behind = id_more ? UINT32_C(0xff000000) : UINT32_C(0xffff0000);
  *hint = (calve_avro__text_hint){.head = start | behind,
                                  .behind = behind,
                                  .id_more = (uint16_t)id_more,
                                  .text_bytes = (uint16_t)(length >> 1),
                                  .id = (int32_t)calve_avro__unzigzag(id)};
  return true;
}

bool calve_avro__skip_text_items(const char **at, const char *end, calve_avro__text_hint *hints,
                                 size_t index, uint64_t count) {
  const char *p = *at;
  calve_avro__text_hint *const last = &hints[CALVE_AVRO__HINT_ITEMS - 1];
  calve_avro__text_hint *hint = index < CALVE_AVRO__HINT_ITEMS ? &hints[index] : last;
  while (count > 0) {
    /* So many that each can be told by a hint of its own, without a look at the end. */
    uint64_t sure = (uint64_t)(end - p) / CALVE_AVRO__TEXT_HINT_BYTES;
    if (sure > count) sure = count;
    if (sure > (uint64_t)(last - hint)) sure = (uint64_t)(last - hint);
    const calve_avro__text_hint *stop = hint + sure;
    for (; hint < stop && calve_avro__text_hint_fits(hint, p); hint++, count--) {
      p += calve_avro__text_hint_bytes(hint);
    }
    if (count == 0) break;
    if (!skip_text_item(&p, end)) return false;
    count--;
    if (hint < last) hint++;
  }
  *at = p;
  return true;
}

bool calve_avro__skip_text_pairs(const char **at, const char *end, calve_avro__text_hint *hints) {
  size_t index = 0;
  for (;;) {
    int64_t count, size;
    if (!calve_avro__next_items(at, end, &count, &size)) return false;
    if (count == 0) return true;
    if (size >= 0)
      *at += size;
    else if (!calve_avro__skip_text_items(at, end, hints, index, (uint64_t)count))
      return false;
    index += (size_t)count;
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
