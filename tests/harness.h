/* SPDX-License-Identifier: Apache-2.0 */
/* Small helpers for cmocka tests: include this instead of <cmocka.h>.
 *
 * What is here: assertions on statuses that print the error's message, a folder for a test's files
 * that is removed again, an allocator that fails the n-th allocation, and JSON lines.
 * Everything is static inline, so that a test stays one file.                                    */
#ifndef CALVE_TESTS_HARNESS_H
#define CALVE_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <stdatomic.h>
#include "calve.h"

#define ARRAY_COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- statuses --------------------------------------------------------------------------- */

/* assert_ok(calve_x(…, &err), &err): on failure prints what the error says. */
#define assert_ok(call, err) assert_status_((call), CALVE_OK, (err), #call, __FILE__, __LINE__)
/* assert_fails(calve_x(…, &err), CALVE_EINVAL, &err): the same for an expected failure; checks too
 * that the error carries the status and a message.                                             */
#define assert_fails(call, status, err) \
  assert_status_((call), (status), (err), #call, __FILE__, __LINE__)

static inline void assert_status_(calve_status got, calve_status want, const calve_error *err,
                                  const char *text, const char *file, int line) {
  if (got != want) {
    print_error("%s\n  gives %s, expected %s\n", text, calve_status_name(got),
                calve_status_name(want));
    if (got != CALVE_OK && err) print_error("  %s: %s\n", err->where, err->message);
    _fail(file, line);
  }
  if (want != CALVE_OK && err && (err->code != want || err->message[0] == '\0')) {
    print_error("%s\n  left an error without its status or message\n", text);
    _fail(file, line);
  }
}

/* assert_message(&err, "part"): the message or `where` has this in it. */
#define assert_message(err, part) assert_message_((err), (part), __FILE__, __LINE__)
static inline void assert_message_(const calve_error *err, const char *part, const char *file,
                                   int line) {
  if (strstr(err->message, part) || strstr(err->where, part)) return;
  print_error("expected \"%s\" in: %s: %s\n", part, err->where, err->message);
  _fail(file, line);
}

/* ---- allocations that fail -------------------------------------------------------------- */

/* Allocation number `fail_at` (0-based; -1: none) and only that one gives NULL. Counts live bytes,
 * so that a test can see that all came back, and checks the old sizes it is told.
 *
 *   failing_allocator mem;
 *   for (long n = 0; n < 10000; n++) {
 *     failing_allocator_init(&mem, n);
 *     if (calve_x(…, &mem.allocator, …) == CALVE_OK) break;   // n allocations were needed
 *     assert_int_equal(mem.live_bytes, 0);
 *   }                                                                                          */
typedef struct failing_allocator {
  calve_allocator allocator;
  long fail_at;
  atomic_long calls;
  atomic_size_t live_bytes;
} failing_allocator;

#define FAILING_HEADER 16
static inline void *failing_resize_(void *ctx, void *p, size_t old_size, size_t new_size) {
  failing_allocator *self = (failing_allocator *)ctx;
  char *block = p ? (char *)p - FAILING_HEADER : NULL;
  size_t known_size = 0;
  if (block) memcpy(&known_size, block, sizeof known_size);
  if (known_size != old_size) {
    print_error("allocator: told %zu as the old size of a block of %zu\n", old_size, known_size);
    abort();
  }
  if (new_size == 0) {
    atomic_fetch_sub(&self->live_bytes, old_size);
    free(block);
    return NULL;
  }
  if (atomic_fetch_add(&self->calls, 1) == self->fail_at) return NULL;
  block = (char *)realloc(block, new_size + FAILING_HEADER);
  if (!block) abort();
  memcpy(block, &new_size, sizeof new_size);
  atomic_fetch_add(&self->live_bytes, new_size);
  atomic_fetch_sub(&self->live_bytes, old_size);
  return block + FAILING_HEADER;
}

static inline void failing_allocator_init(failing_allocator *self, long fail_at) {
  self->allocator = (calve_allocator){
      .struct_size = sizeof(calve_allocator), .ctx = self, .resize = failing_resize_};
  self->fail_at = fail_at;
  atomic_init(&self->calls, 0);
  atomic_init(&self->live_bytes, 0);
}

/* ---- files ------------------------------------------------------------------------------ */

/* Makes an empty folder of its own below $TMPDIR and writes its path into `path`. */
static inline void make_temp_dir(char path[static 256]) {
  const char *base = getenv("TMPDIR");
  snprintf(path, 256, "%s/calve-test-XXXXXX", base ? base : "/tmp");
  assert_non_null(mkdtemp(path));
}

/* Removes the folder and all below it. Paths come from make_temp_dir only. */
static inline void remove_temp_dir(const char *path) {
  char command[320];
  assert_non_null(strstr(path, "/calve-test-"));
  snprintf(command, sizeof command, "rm -rf '%s'", path);
  assert_int_equal(system(command), 0);
}

static inline void write_file(const char *path, const void *bytes, size_t size_bytes) {
  FILE *file = fopen(path, "wb");
  if (!file) fail_msg("cannot write %s", path);
  assert_int_equal(fwrite(bytes, 1, size_bytes, file), size_bytes);
  assert_int_equal(fclose(file), 0);
}

/* The whole file with a zero byte behind it; the caller frees it. `size_bytes` may be NULL. */
static inline char *read_file(const char *path, size_t *size_bytes) {
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("cannot read %s", path);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  assert_true(size >= 0);
  rewind(file);
  char *bytes = (char *)malloc((size_t)size + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, (size_t)size, file), (size_t)size);
  fclose(file);
  bytes[size] = '\0';
  if (size_bytes) *size_bytes = (size_t)size;
  return bytes;
}

/* Calls `each` with every non-empty line of a file (zero-terminated, without its newline) and its
 * 1-based number; returns how many there were, so that a test can refuse an empty file.         */
static inline size_t for_each_line(const char *path,
                                   void (*each)(char *line, size_t number, void *ctx),
                                   void *ctx) {
  size_t number = 0, count = 0;
  char *text = read_file(path, NULL);
  for (char *line = text, *next; *line; line = next) {
    size_t length = strcspn(line, "\n");
    next = line + length + (line[length] == '\n');
    line[length] = '\0';
    number++;
    if (length == 0) continue;
    count++;
    each(line, number, ctx);
  }
  free(text);
  return count;
}

#endif
