/* SPDX-License-Identifier: Apache-2.0 */
/* codec/avro_program: the flat program that decodes a record; private to avro_compile and
 * avro_decode.
 * In: ops made by the compiler. Out: what the decoder runs. Nobody else includes it. Never holds
 * pointers into data. [spec: Appendix A: Avro] */
#ifndef CALVE_CODEC_AVRO_PROGRAM_H
#define CALVE_CODEC_AVRO_PROGRAM_H

#include "codec/avro_reader.h"

typedef enum calve_avro__code {
  CALVE_OP_END,
  CALVE_OP_SKIP_VARINTS,      /* n of them                                                      */
  CALVE_OP_SKIP_RAW,          /* n bytes                                                        */
  CALVE_OP_SKIP_TEXT,         /* a length and that many bytes                                   */
  CALVE_OP_SKIP_NUMBER_ITEMS, /* an array whose items are n varints each                        */
  CALVE_OP_SKIP_TEXT_PAIRS,   /* an array of (varint, text)                                     */
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

/* A varint, zigzag undone. False when the data ends or the number has more than 64 bits. */
bool calve_avro__read_long_slow(const char **at, const char *end, int64_t *out);

static inline int64_t calve_avro__unzigzag(uint64_t v) {
  return (int64_t)((v >> 1) ^ (0 - (v & 1)));
}

static inline bool calve_avro__read_long(const char **at, const char *end, int64_t *out) {
  /* Nearly all numbers in a manifest's maps take one byte. */
  const char *p = *at;
  if (p < end && (uint8_t)*p < 0x80) {
    *out = calve_avro__unzigzag((uint8_t)*p);
    *at = p + 1;
    return true;
  }
  return calve_avro__read_long_slow(at, end, out);
}

/* Skips a value of any type; false: damaged, or nested too deep. */
bool calve_avro__skip_type(const calve_avro_type *type, const char **at, const char *end,
                           int depth);

/* Starts a block of an array or map: *count is 0 at the end. With a byte size given, *size_bytes
 * is it (checked against the data), else -1. False: damaged. */
bool calve_avro__next_items(const char **at, const char *end, int64_t *count, int64_t *size_bytes);

#endif
