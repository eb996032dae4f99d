/* SPDX-License-Identifier: Apache-2.0 */
/* store/store: bytes by path, through the public calve_store table of functions.
 * In: paths as tables say them (calve_str, need not be NUL-terminated). Out: bytes.
 * May be used by every room below. Never changes a file that exists but by calve_store_replace;
 * never asks whether a path is allowed: a guard (store/guard.h) around the store does.           */
#ifndef CALVE_STORE_STORE_H
#define CALVE_STORE_STORE_H

#include "base/arena.h"
#include "base/buffer.h"

#define CALVE_PATH_MAX 4096 /* bytes of a path, NUL included                                    */

typedef struct calve_store_file {
  const calve_store *store;
  void *handle;
  int64_t size_bytes;
} calve_store_file;

/* All errors carry the path in `where`. A path that is empty, too long or holds a NUL is
 * CALVE_EINVAL. */
CALVE_MUST_USE calve_status calve_store_open(const calve_store *store, calve_str path,
                                             calve_store_file *out, calve_error *err);
/* Exactly size_bytes from offset; CALVE_ECORRUPT when the file ends before. Any thread. */
CALVE_MUST_USE calve_status calve_store_pread(const calve_store_file *file, void *out,
                                              size_t size_bytes, int64_t offset, calve_error *err);
void calve_store_close(calve_store_file *file); /* all zero is fine                             */

/* A whole file into the arena, NUL behind it; CALVE_ECORRUPT when it is larger than max_bytes. */
CALVE_MUST_USE calve_status calve_store_read(const calve_store *store, calve_str path,
                                             int64_t max_bytes, calve_arena *arena, calve_str *out,
                                             calve_error *err);
/* The same into a buffer, whose content is replaced and whose memory is reused. With a cancel token
 * it reads a piece at a time, and ends with CALVE_ECANCELLED when the token is set. */
CALVE_MUST_USE calve_status calve_store_read_buffer(const calve_store *store, calve_str path,
                                                    int64_t max_bytes, calve_buffer *out,
                                                    calve_error *err);
CALVE_MUST_USE calve_status calve_store_read_until(const calve_store *store, calve_str path,
                                                   int64_t max_bytes, const calve_cancel *cancel,
                                                   calve_buffer *out, calve_error *err);

/* A new file, atomic and durable; CALVE_EEXISTS when the path is taken. */
CALVE_MUST_USE calve_status calve_store_create(const calve_store *store, calve_str path,
                                               calve_str bytes, calve_error *err);
CALVE_MUST_USE calve_status calve_store_replace(const calve_store *store, calve_str path,
                                                calve_str bytes, calve_error *err);
/* *exists false is no failure; *size_bytes may be NULL. */
CALVE_MUST_USE calve_status calve_store_exists(const calve_store *store, calve_str path,
                                               bool *exists, int64_t *size_bytes,
                                               calve_error *err);
/* CALVE_ENOTFOUND when it is not there. out->path is not set. */
CALVE_MUST_USE calve_status calve_store_stat(const calve_store *store, calve_str path,
                                             calve_store_entry *out, calve_error *err);
CALVE_MUST_USE calve_status calve_store_list(const calve_store *store, calve_str folder,
                                             calve_store_visit visit, void *visit_ctx,
                                             calve_error *err);
CALVE_MUST_USE calve_status calve_store_remove(const calve_store *store, calve_str path,
                                               calve_error *err);
/* Whether the table has all functions and the size that this version needs. */
CALVE_MUST_USE calve_status calve_store_check(const calve_store *store, calve_error *err);

#endif
