/* SPDX-License-Identifier: Apache-2.0 */
/* base/buffer: bytes that grow, for writers; and vectors of structs.
 * In: pieces. Out: one run of bytes. May be used by every room. A failed allocation is remembered
 * (`oom`): writers append freely and ask once at the end with calve_buffer_check. */
#ifndef CALVE_BASE_BUFFER_H
#define CALVE_BASE_BUFFER_H

#include "base/status.h"

typedef struct calve_buffer {
  const calve_allocator *allocator;
  char *data; /* NULL while empty; not NUL-terminated unless calve_buffer_cstr is called         */
  size_t size, capacity;
  bool oom;
} calve_buffer;

void calve_buffer_init(calve_buffer *b, const calve_allocator *allocator);
void calve_buffer_free(calve_buffer *b);
void calve_buffer_clear(calve_buffer *b); /* size and oom to 0; keeps the memory                */

/* Room for `more` further bytes; gives where they start, or NULL and sets oom. */
char *calve_buffer_reserve(calve_buffer *b, size_t more);
size_t calve_buffer_room(const calve_buffer *b); /* bytes that can be had without more memory   */
void calve_buffer_put(calve_buffer *b, const void *bytes, size_t size_bytes);
void calve_buffer_put_str(calve_buffer *b, calve_str s);
void calve_buffer_puts(calve_buffer *b, const char *text);
void calve_buffer_putc(calve_buffer *b, char c);
void calve_buffer_printf(calve_buffer *b, const char *fmt, ...) CALVE_PRINTF(2, 3);

/* The bytes with a NUL behind them (not counted); "" when empty or out of memory. */
const char *calve_buffer_cstr(calve_buffer *b);
calve_str calve_buffer_view(const calve_buffer *b);
CALVE_MUST_USE calve_status calve_buffer_check(const calve_buffer *b, calve_error *err);

/* A vector of structs on a buffer: CALVE_PUSH(&b, calve_field, value) appends,
 * CALVE_ITEMS(&b, calve_field) and CALVE_COUNT(&b, calve_field) read. */
#define CALVE_PUSH(b, type, ...) calve_buffer_put((b), &(type){__VA_ARGS__}, sizeof(type))
#define CALVE_ITEMS(b, type) ((type *)(void *)(b)->data)
#define CALVE_COUNT(b, type) ((b)->size / sizeof(type))

#endif
