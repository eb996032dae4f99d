/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN               ((size_t)16)
#define FIRST_CHUNK_BYTES   ((size_t)2048)
#define LARGEST_CHUNK_BYTES ((size_t)1 << 20)
#define KEPT_BYTES_MAX      ((size_t)4 << 20)
/* Of an arena that holds this much, chunks may be as large. */
#define MANY_BYTES ((size_t)32 << 20)

struct calve_arena_chunk {
  struct calve_arena_chunk *older;
  size_t size_bytes; /* of the whole chunk, this head included */
};

/* Memory of a buffer; the note of it is in the arena's own. */
struct calve_arena_guest {
  struct calve_arena_guest *older;
  char *data;
  size_t size_bytes;
};

static void *default_resize(void *ctx, void *p, size_t old_size_bytes, size_t new_size_bytes) {
  (void)ctx;
  (void)old_size_bytes;
  if (new_size_bytes == 0) {
    free(p);
    return NULL;
  }
  return realloc(p, new_size_bytes);
}

const calve_allocator *calve_default_allocator(void) {
  static const calve_allocator allocator = {.struct_size = sizeof allocator,
                                            .resize = default_resize};
  return &allocator;
}

static const calve_allocator *allocator_of(const calve_arena *arena) {
  return arena->allocator ? arena->allocator : calve_default_allocator();
}

static char *chunk_bytes(calve_arena_chunk *chunk) {
  return (char *)chunk + sizeof *chunk;
}

static void chunk_free(const calve_arena *arena, calve_arena_chunk *chunk) {
  const calve_allocator *a = allocator_of(arena);
  a->resize(a->ctx, chunk, chunk->size_bytes, 0);
}

void calve_arena_init(calve_arena *arena, const calve_allocator *allocator) {
  *arena = (calve_arena){.allocator = allocator};
}

static void free_guests(const calve_arena *arena) {
  const calve_allocator *a = allocator_of(arena);
  for (calve_arena_guest *g = arena->guests; g; g = g->older)
    a->resize(a->ctx, g->data, g->size_bytes, 0);
}

void calve_arena_free(calve_arena *arena) {
  if (!arena) return;
  free_guests(arena);
  for (calve_arena_chunk *chunk = arena->chunks; chunk;) {
    calve_arena_chunk *older = chunk->older;
    chunk_free(arena, chunk);
    chunk = older;
  }
  calve_arena_init(arena, arena->allocator);
}

static calve_arena_chunk *new_chunk(const calve_arena *arena, size_t size_bytes) {
  const calve_allocator *a = allocator_of(arena);
  calve_arena_chunk *chunk = a->resize(a->ctx, NULL, 0, size_bytes);
  if (chunk) *chunk = (calve_arena_chunk){.size_bytes = size_bytes};
  return chunk;
}

static void use_only(calve_arena *arena, calve_arena_chunk *chunk) {
  calve_arena_init(arena, arena->allocator);
  arena->chunks = chunk;
  arena->next = chunk_bytes(chunk);
  arena->end = (char *)chunk + chunk->size_bytes;
}

void calve_arena_expect(calve_arena *arena, size_t size_bytes) {
  if (arena->chunks || size_bytes > KEPT_BYTES_MAX) return;
  calve_arena_chunk *chunk = new_chunk(arena, size_bytes + size_bytes / 8 + FIRST_CHUNK_BYTES);
  if (chunk) use_only(arena, chunk);
}

/* Keeps one chunk instead of several: work of the same size costs no allocation next time. */
void calve_arena_reset(calve_arena *arena) {
  free_guests(arena);
  arena->guests = NULL;
  calve_arena_chunk *kept = arena->chunks;
  size_t sum = 0;
  for (calve_arena_chunk *c = arena->chunks; c; c = c->older) {
    if (c->size_bytes > kept->size_bytes) kept = c;
    sum += c->size_bytes;
  }
  /* Chunks double, so that nearly half of them may be empty; pieces are rounded up to 16 bytes. */
  size_t needed = arena->used_bytes + arena->used_bytes / 8 + FIRST_CHUNK_BYTES;
  if (kept && kept->size_bytes < sum && sum <= KEPT_BYTES_MAX) {
    calve_arena_chunk *merged = new_chunk(arena, needed < sum ? needed : sum);
    if (merged) kept = merged;
  }
  for (calve_arena_chunk *chunk = arena->chunks; chunk;) {
    calve_arena_chunk *older = chunk->older;
    if (chunk != kept) chunk_free(arena, chunk);
    chunk = older;
  }
  if (!kept) {
    calve_arena_init(arena, arena->allocator);
    return;
  }
  kept->older = NULL;
  use_only(arena, kept);
}

/* Chunks double, and are no less than an eighth of all that is there, so that small objects stay
 * small and large ones cost few allocations; more would be mostly empty behind one large piece. A
 * piece that would waste most of a chunk gets one of its own, linked behind the newest, which stays
 * in use. */
static void *alloc_from_new_chunk(calve_arena *arena, size_t size) {
  size_t chunk_size = FIRST_CHUNK_BYTES;
  if (arena->chunks) chunk_size = arena->chunks->size_bytes * 2;
  if (chunk_size < arena->used_bytes / 8) chunk_size = arena->used_bytes / 8;
  if (chunk_size > LARGEST_CHUNK_BYTES) chunk_size = LARGEST_CHUNK_BYTES;
  if (arena->used_bytes > MANY_BYTES) chunk_size = MANY_BYTES;
  size_t head = sizeof(calve_arena_chunk);
  bool own = size > chunk_size / 4;
  if (own) {
    if (size > SIZE_MAX - head) return NULL;
    chunk_size = size + head;
  }
  calve_arena_chunk *chunk = new_chunk(arena, chunk_size);
  if (!chunk) return NULL;
  if (own && arena->chunks) {
    chunk->older = arena->chunks->older;
    arena->chunks->older = chunk;
    return chunk_bytes(chunk);
  }
  chunk->older = arena->chunks;
  arena->chunks = chunk;
  arena->next = chunk_bytes(chunk) + size;
  arena->end = (char *)chunk + chunk_size;
  return chunk_bytes(chunk);
}

static void *alloc_raw(calve_arena *arena, size_t size_bytes) {
  static_assert(sizeof(calve_arena_chunk) % 16 == 0, "pieces behind the head are aligned");
  if (size_bytes > SIZE_MAX - ALIGN) return NULL;
  size_t size = (size_bytes + ALIGN - 1) & ~(ALIGN - 1);
  if (size == 0) size = ALIGN;
  char *p = arena->next;
  if (p && size <= (size_t)(arena->end - p))
    arena->next = p + size;
  else
    p = alloc_from_new_chunk(arena, size);
  if (p) arena->used_bytes += size_bytes;
  return p;
}

void *calve_arena_alloc(calve_arena *arena, size_t size_bytes) {
  void *p = alloc_raw(arena, size_bytes);
  if (p) memset(p, 0, size_bytes);
  return p;
}

void *calve_arena_array(calve_arena *arena, size_t count, size_t size_bytes) {
  if (size_bytes != 0 && count > SIZE_MAX / size_bytes) return NULL;
  return calve_arena_alloc(arena, count * size_bytes);
}

void *calve_arena_room(calve_arena *arena, size_t count, size_t size_bytes) {
  if (size_bytes != 0 && count > SIZE_MAX / size_bytes) return NULL;
  return alloc_raw(arena, count * size_bytes);
}

bool calve_arena_resize(calve_arena *arena, void *p, size_t old_size_bytes, size_t size_bytes) {
  size_t old_size = (old_size_bytes + ALIGN - 1) & ~(ALIGN - 1);
  if (old_size == 0 || (char *)p + old_size != arena->next || size_bytes == 0) return false;
  if (size_bytes > (size_t)(arena->end - (char *)p) - ALIGN + 1) return false;
  arena->next = (char *)p + ((size_bytes + ALIGN - 1) & ~(ALIGN - 1));
  if (size_bytes > old_size_bytes) {
    memset((char *)p + old_size_bytes, 0, size_bytes - old_size_bytes);
  }
  arena->used_bytes += size_bytes - old_size_bytes;
  return true;
}

char *calve_arena_copy(calve_arena *arena, const void *bytes, size_t size_bytes) {
  if (size_bytes == SIZE_MAX) return NULL;
  char *copy = alloc_raw(arena, size_bytes + 1);
  if (!copy) return NULL;
  if (size_bytes > 0) memcpy(copy, bytes, size_bytes);
  copy[size_bytes] = '\0';
  return copy;
}

calve_status calve_arena_str(calve_arena *arena, calve_str s, calve_str *out, calve_error *err) {
  calve_str copy = {NULL, 0};
  if (s.data) {
    copy = (calve_str){calve_arena_copy(arena, s.data, s.size), s.size};
    if (!copy.data) return calve_fail_oom(err);
  }
  *out = copy;
  return CALVE_OK;
}

calve_status calve_arena_take(calve_arena *arena, calve_buffer *b, calve_str *out,
                              calve_error *err) {
  const calve_allocator *a = allocator_of(arena);
  CALVE_TRY(calve_buffer_check(b, err));
  if (!b->data) return calve_arena_str(arena, (calve_str){"", 0}, out, err);
  calve_arena_guest *guest = CALVE_NEW(arena, calve_arena_guest);
  if (!guest) return calve_fail_oom(err);
  (void)calve_buffer_cstr(b);
  size_t size = b->size, needed = size + 1;
  char *data = needed < b->capacity ? a->resize(a->ctx, b->data, b->capacity, needed) : NULL;
  *guest = (calve_arena_guest){.older = arena->guests,
                               .data = data ? data : b->data,
                               .size_bytes = data ? needed : b->capacity};
  arena->guests = guest;
  calve_buffer_init(b, b->allocator);
  *out = (calve_str){guest->data, size};
  return CALVE_OK;
}

calve_status calve_arena_printf(calve_arena *arena, calve_str *out, calve_error *err,
                                const char *fmt, ...) {
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  char *text = n < 0 ? NULL : alloc_raw(arena, (size_t)n + 1);
  if (text) vsnprintf(text, (size_t)n + 1, fmt, again);
  va_end(again);
  if (!text) return calve_fail_oom(err);
  *out = (calve_str){text, (size_t)n};
  return CALVE_OK;
}
