/* SPDX-License-Identifier: Apache-2.0 */
/* codec/avro_cursor: where a running program stands, and what it learned; private to avro_decode,
 * avro_pairs and avro_skip.
 * In: made by calve_avro_decode. Out: small readers that move on or say that the data is damaged.
 * Nobody else includes it. Never reads outside the data. [spec: Appendix A: Avro] */
#ifndef CALVE_CODEC_AVRO_CURSOR_H
#define CALVE_CODEC_AVRO_CURSOR_H

#include "codec/avro_program.h"

/* ---- hints ---------------------------------------------------------------------------------- */

/* How an item (varint, text) of a map started, in the last record that had one at this place: id
 * and length together, in `head`. Where the next record's bytes are the same, so are id and length;
 * the place of the next item is then known without waiting for this one's length to be loaded.
 * All zero is right too: four bytes of zero are id 0 and an empty text. */
typedef struct calve_avro__text_hint {
  uint32_t head;    /* the item's first four bytes; those behind its length are 0xff             */
  uint32_t behind;  /* 0xff in those                                                             */
  uint16_t id_more; /* bytes of the id beyond the first: 0 or 1                               */
  uint16_t text_bytes;
  int32_t id;
} calve_avro__text_hint;

/* Bytes of the longest item that a hint can tell. */
#define CALVE_AVRO__TEXT_HINT_BYTES (3 + 63)
/* Items of a map that have a hint each; those behind share the last. */
#define CALVE_AVRO__HINT_ITEMS 512
/* Maps of a program that have hints of their own. */
#define CALVE_AVRO__HINT_MAPS 4
/* Wanted ids of a map whose place is remembered. */
#define CALVE_AVRO__HINT_PLACES 8

struct calve_avro_hints {
  calve_avro__text_hint texts[CALVE_AVRO__HINT_MAPS][CALVE_AVRO__HINT_ITEMS];
  /* Which pair of a map of numbers held the wanted id; UINT32_MAX: none. */
  uint32_t places[CALVE_AVRO__HINT_MAPS][CALVE_AVRO__HINT_PLACES];
};

/* Makes the hint tell an item that starts with these four bytes; false: it has another form. */
bool calve_avro__text_hint_learn(calve_avro__text_hint *hint, uint32_t start);

/* Whether the item at p (with CALVE_AVRO__TEXT_HINT_BYTES before the end of the data) is what the
 * hint now tells. */
static inline bool calve_avro__text_hint_fits(calve_avro__text_hint *hint, const char *p) {
  uint32_t start;
  memcpy(&start, p, 4);
  return (start | hint->behind) == hint->head || calve_avro__text_hint_learn(hint, start);
}

/* Bytes of the item that the hint tells. */
static inline size_t calve_avro__text_hint_bytes(const calve_avro__text_hint *hint) {
  return 2 + (size_t)hint->id_more + hint->text_bytes;
}

/* ---- the cursor ----------------------------------------------------------------------------- */

typedef struct calve_avro__cursor {
  const char *at, *end; /* the data left                                                        */
  calve_arena *arena;   /* lists are made here                                                  */
  calve_avro_hints *hints;
  calve_error *err;
} calve_avro__cursor;

calve_status calve_avro__run(const calve_avro_program *program, calve_avro__cursor *c,
                             char *record);
calve_status calve_avro__damaged(const calve_avro__cursor *c, const char *what);
calve_status calve_avro__cut_off(const calve_avro__cursor *c);

/* Items collected so far; grows in the arena, where old pieces stay until it is reset. */
typedef struct calve_avro__list {
  char *items;
  size_t count, capacity, item_size;
} calve_avro__list;

/* Room for `more` items behind the last; lists are never NULL once this succeeded. */
calve_status calve_avro__list_reserve(calve_avro__cursor *c, calve_avro__list *l, size_t more);
/* The head of a list's next block: count items follow, 0 at its end. The data must be long enough
 * to hold them. */
calve_status calve_avro__list_next(calve_avro__cursor *c, size_t item_min_bytes, int64_t *count);

/* Runs a CALVE_OP_PAIRS. */
calve_status calve_avro__decode_pairs(const calve_avro__op *op, calve_avro__cursor *c,
                                      char *target);

#endif
