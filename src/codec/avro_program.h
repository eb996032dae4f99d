/* SPDX-License-Identifier: Apache-2.0 */
/* codec/avro_program: the flat program that decodes a record; private to avro_compile and what
 * runs it (avro_cursor).
 * In: ops made by the compiler. Out: what the decoder runs. Nobody else includes it. Never holds
 * pointers into data. [spec: Appendix A: Avro] */
#ifndef CALVE_CODEC_AVRO_PROGRAM_H
#define CALVE_CODEC_AVRO_PROGRAM_H

#include <string.h>

#include "codec/avro_reader.h"

typedef enum calve_avro__code {
  CALVE_OP_END,
  CALVE_OP_SKIP_VARINTS,      /* n of them                                                      */
  CALVE_OP_SKIP_RAW,          /* n bytes                                                        */
  CALVE_OP_SKIP_TEXT,         /* a length and that many bytes                                   */
  CALVE_OP_SKIP_NUMBER_ITEMS, /* an array whose items are n varints each                        */
  CALVE_OP_SKIP_TEXT_PAIRS,   /* an array of (varint, text); n: which of the hints are its own   */
  CALVE_OP_SKIP_TYPE,         /* anything, by walking the type                                  */
  CALVE_OP_OPTIONAL,          /* union of null (branch `small`) and one more: null jumps to n   */
  CALVE_OP_BRANCHES,          /* union of n branches: jumps by the table `more`                 */
  CALVE_OP_JUMP,              /* to n                                                           */
  CALVE_OP_FAIL,              /* the value can't be taken: `more` says why                      */
  CALVE_OP_BOOL,
  CALVE_OP_I32,
  CALVE_OP_I64,
  CALVE_OP_TEXT,
  CALVE_OP_FIXED,       /* n bytes                                                              */
  CALVE_OP_PREFIXED,    /* n bytes behind a length that must say n                              */
  CALVE_OP_SCALAR,      /* by the type `more`; `small` 1: fixed has a length in front           */
  CALVE_OP_SCALAR_LONG, /* a scalar from int, long or enum                                      */
  CALVE_OP_SCALAR_NULL, /* nothing to read                                                      */
  CALVE_OP_ENTER,       /* targets are now where the pointer at `offset` points                 */
  CALVE_OP_LEAVE,
  CALVE_OP_NUMBERS, /* list of int32 (`small` 4) or int64 (8); `more`: how an item decodes      */
  CALVE_OP_PAIRS,   /* map by id; `small` 1: values are text; `more`: calve_avro__pairs         */
  CALVE_OP_RECORDS  /* list of structs; `more`: calve_avro__records                             */
} calve_avro__code;

typedef struct calve_avro__op {
  uint8_t code;
  uint8_t small;
  uint16_t reserved;
  uint32_t offset;
  uint64_t n;
  const void *more;
} calve_avro__op;

struct calve_avro_program {
  const calve_avro__op *ops;
  size_t op_count;
};

typedef struct calve_avro__pairs {
  const calve_avro_program *item; /* decodes a calve_id_i64 or calve_id_bytes                   */
  bool plain;                     /* items are (varint, varint) or (varint, text): no program   */
  size_t item_min_bytes;
  const int32_t *only_ids; /* NULL: all                                                         */
  size_t only_count;
  size_t map; /* which of the hints are its own                                                 */
} calve_avro__pairs;

typedef struct calve_avro__records {
  const calve_avro_program *item;
  size_t item_size, item_min_bytes;
  const void *blank;
} calve_avro__records;

typedef struct calve_avro__numbers {
  const calve_avro_program *item; /* decodes an int64_t                                         */
  size_t item_min_bytes;
} calve_avro__numbers;

/* Most items of one list or map that are kept; hostile counts above are refused. */
#define CALVE_AVRO__LIST_MAX (1 << 20)
/* Targets nest no deeper than this (RECORD_AT inside RECORD_AT). */
#define CALVE_AVRO__BASES_MAX 4

static inline int64_t calve_avro__unzigzag(uint64_t v) {
  return (int64_t)((v >> 1) ^ (0 - (v & 1)));
}

/* A varint, zigzag undone. False when the data ends or the number has more than 64 bits. */
bool calve_avro__read_long_slow(const char **at, const char *end, int64_t *out);

static inline bool calve_avro__read_long(const char **at, const char *end, int64_t *out) {
  /* Lengths, counts, branches and ids nearly always take one byte or two. */
  const char *p = *at;
  if (p < end && (uint8_t)*p < 0x80) {
    *out = calve_avro__unzigzag((uint8_t)*p);
    *at = p + 1;
    return true;
  }
  if (end - p >= 2 && (uint8_t)p[1] < 0x80) {
    *out = calve_avro__unzigzag(((uint64_t)(uint8_t)p[1] << 7) | (*p & 0x7f));
    *at = p + 2;
    return true;
  }
  return calve_avro__read_long_slow(at, end, out);
}

/* The low seven bits of each byte, put together. */
static inline uint64_t calve_avro__pack(uint64_t w) {
  w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
  w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
  return (w & UINT64_C(0x000000000fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* The same for numbers of any size, in one go of 8 bytes: lengths that differ from one to the next
 * cost no guess of the processor. */
static inline bool calve_avro__read_number(const char **at, const char *end, int64_t *out) {
  const char *p = *at;
  if (end - p < 10) return calve_avro__read_long_slow(at, end, out);
  uint64_t w;
  memcpy(&w, p, 8); /* little-endian, as this machine is                                        */
  uint64_t ends = ~w & UINT64_C(0x8080808080808080);
  if (ends != 0) {
    w = calve_avro__pack(w & (ends ^ (ends - 1)));
    *at = p + (__builtin_ctzll(ends) >> 3) + 1;
  } else { /* a random snapshot id: 9 or 10 bytes                                                 */
    uint64_t ninth = (uint8_t)p[8], tenth = (uint8_t)p[9];
    bool is_long = ninth >= 0x80;
    if (is_long && tenth > 1) return false; /* more than 64 bits                                 */
    w = calve_avro__pack(w) | (ninth & 0x7f) << 56 | (is_long ? tenth << 63 : 0);
    *at = p + 9 + is_long;
  }
  *out = calve_avro__unzigzag(w);
  return true;
}

/* Skips a value of any type; false: damaged, or nested too deep. */
bool calve_avro__skip_type(const calve_avro_type *type, const char **at, const char *end,
                           int depth);

/* Starts a block of an array or map: *count is 0 at the end. With a byte size given, *size_bytes
 * is it (checked against the data), else -1. False: damaged. */
bool calve_avro__next_items_slow(const char **at, const char *end, int64_t *count,
                                 int64_t *size_bytes);

static inline bool calve_avro__next_items(const char **at, const char *end, int64_t *count,
                                          int64_t *size_bytes) {
  if (*at == end || (uint8_t) * *at & 0x81) { /* many items, or a negative count */
    return calve_avro__next_items_slow(at, end, count, size_bytes);
  }
  *count = (uint8_t) * *at >> 1;
  *size_bytes = -1;
  (*at)++;
  return true;
}

#endif
