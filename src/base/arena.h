/* SPDX-License-Identifier: Apache-2.0 */
/* base/arena: memory that is freed in one call.
 * In: sizes. Out: memory aligned to 16, zeroed where not said otherwise, that lives until the arena
 * is freed or reset.
 * May be used by every room. Never frees a single piece; never aborts: NULL when memory is out.
 * An arena belongs to one thread at a time. */
#ifndef CALVE_BASE_ARENA_H
#define CALVE_BASE_ARENA_H

#include "base/buffer.h"

typedef struct calve_arena_chunk calve_arena_chunk;
typedef struct calve_arena_guest calve_arena_guest;

typedef struct calve_arena {
  const calve_allocator *allocator;
  calve_arena_chunk *chunks; /* newest first                                                   */
  char *next, *end;          /* free bytes of the newest chunk                                 */
  calve_arena_guest *guests; /* buffers that were taken in                                     */
  size_t used_bytes;         /* sum of all sizes handed out, guests not counted                */
} calve_arena;

/* allocator NULL means the default one. Allocates nothing yet. */
void calve_arena_init(calve_arena *arena, const calve_allocator *allocator);
void calve_arena_free(calve_arena *arena);  /* an arena that is all zero is fine too             */
void calve_arena_reset(calve_arena *arena); /* keeps one chunk for reuse: all that was in use, up */
                                            /* to 4 MB                                           */
/* Gets an arena that holds nothing yet memory for about that much, up to 4 MB; without it chunks
 * grow from small ones. Not being able to is no failure. */
void calve_arena_expect(calve_arena *arena, size_t size_bytes);

CALVE_MUST_USE void *calve_arena_alloc(calve_arena *arena, size_t size_bytes);
/* count * size with overflow check; never NULL for count 0 unless memory is out. */
CALVE_MUST_USE void *calve_arena_array(calve_arena *arena, size_t count, size_t size_bytes);
/* As calve_arena_array, but not zeroed: for what is written at once. */
CALVE_MUST_USE void *calve_arena_room(calve_arena *arena, size_t count, size_t size_bytes);
/* Makes the piece that was handed out last longer (zeroed) or shorter where it is. False, and
 * nothing done, when it was not the last or there is no room behind it. */
bool calve_arena_resize(calve_arena *arena, void *p, size_t old_size_bytes, size_t size_bytes);
/* A copy of n bytes and a NUL behind them. */
CALVE_MUST_USE char *calve_arena_copy(calve_arena *arena, const void *bytes, size_t size_bytes);
/* Copies s into *out, NUL behind it (an absent s gives an absent *out). */
CALVE_MUST_USE calve_status calve_arena_str(calve_arena *arena, calve_str s, calve_str *out,
                                            calve_error *err);
/* Takes the buffer's memory in as it is, nothing copied: *out is its content with a NUL behind it,
 * freed with the arena, and the buffer is empty. The buffer keeps what it has when that fails. Both
 * have the same allocator. */
CALVE_MUST_USE calve_status calve_arena_take(calve_arena *arena, calve_buffer *b, calve_str *out,
                                             calve_error *err);
CALVE_MUST_USE calve_status calve_arena_printf(calve_arena *arena, calve_str *out, calve_error *err,
                                               const char *fmt, ...) CALVE_PRINTF(4, 5);

/* Typed sugar: CALVE_NEW(arena, calve_field), CALVE_NEW_ARRAY(arena, calve_field, n). */
#define CALVE_NEW(arena, type) ((type *)calve_arena_alloc((arena), sizeof(type)))
#define CALVE_NEW_ARRAY(arena, type, count) \
  ((type *)calve_arena_array((arena), (count), sizeof(type)))

#endif
