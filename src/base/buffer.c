/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FIRST_CAPACITY_BYTES ((size_t)256)

static const calve_allocator *allocator_of(const calve_buffer *b) {
  return b->allocator ? b->allocator : calve_default_allocator();
}

void calve_buffer_init(calve_buffer *b, const calve_allocator *allocator) {
  *b = (calve_buffer){.allocator = allocator};
}

void calve_buffer_free(calve_buffer *b) {
  if (!b) return;
  if (b->data) {
    const calve_allocator *a = allocator_of(b);
    a->resize(a->ctx, b->data, b->capacity, 0);
  }
  calve_buffer_init(b, b->allocator);
}

void calve_buffer_clear(calve_buffer *b) {
  b->size = 0;
  b->oom = false;
}

static bool grow(calve_buffer *b, size_t more) {
  if (more >= SIZE_MAX / 2 - b->size) return false;
  size_t needed = b->size + more + 1;
  size_t capacity = b->capacity > 0 ? b->capacity + b->capacity / 2 : FIRST_CAPACITY_BYTES;
  if (capacity < needed) capacity = needed;
  const calve_allocator *a = allocator_of(b);
  char *data = a->resize(a->ctx, b->data, b->capacity, capacity);
  if (!data) return false;
  b->data = data;
  b->capacity = capacity;
  return true;
}

/* Once out of memory, nothing more is taken: a hole in the middle would look like whole output. A
 * byte stays free for the NUL of calve_buffer_cstr, which thus can't fail after a check. */
char *calve_buffer_reserve(calve_buffer *b, size_t more) {
  if (b->oom) return NULL;
  if (!b->data || more >= b->capacity - b->size) {
    if (!grow(b, more)) {
      b->oom = true;
      return NULL;
    }
  }
  return b->data + b->size;
}

size_t calve_buffer_room(const calve_buffer *b) {
  return b->data && b->capacity > b->size ? b->capacity - b->size - 1 : 0;
}

void calve_buffer_put(calve_buffer *b, const void *bytes, size_t size_bytes) {
  if (size_bytes == 0) return;
  char *at = calve_buffer_reserve(b, size_bytes);
  if (!at) return;
  memcpy(at, bytes, size_bytes);
  b->size += size_bytes;
}

void calve_buffer_put_str(calve_buffer *b, calve_str s) {
  calve_buffer_put(b, s.data, s.size);
}

void calve_buffer_puts(calve_buffer *b, const char *text) {
  calve_buffer_put(b, text, strlen(text));
}

void calve_buffer_putc(calve_buffer *b, char c) {
  char *at = calve_buffer_reserve(b, 1);
  if (!at) return;
  *at = c;
  b->size++;
}

void calve_buffer_printf(calve_buffer *b, const char *fmt, ...) {
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  if (n < 0) b->oom = true;
  char *at = n < 0 ? NULL : calve_buffer_reserve(b, (size_t)n + 1);
  if (at) {
    vsnprintf(at, (size_t)n + 1, fmt, again);
    b->size += (size_t)n;
  }
  va_end(again);
}

const char *calve_buffer_cstr(calve_buffer *b) {
  if (b->oom || !b->data) return "";
  b->data[b->size] = '\0';
  return b->data;
}

calve_str calve_buffer_view(const calve_buffer *b) {
  return (calve_str){b->data ? b->data : "", b->size};
}

calve_status calve_buffer_check(const calve_buffer *b, calve_error *err) {
  return b->oom ? calve_fail_oom(err) : CALVE_OK;
}
