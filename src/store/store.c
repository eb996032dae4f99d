/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include <string.h>

#include "base/abi.h"
#include "store/path.h"

calve_status calve_store_check(const calve_store *store, calve_error *err) {
  CALVE_TRY(calve_struct_check(store, CALVE_FIRST_SIZE(calve_store, remove), "calve_store", err));
  if (!store->open || !store->pread || !store->close || !store->create || !store->replace ||
      !store->stat || !store->list || !store->remove)
    return calve_fail(err, CALVE_EINVAL, NULL, "the store lacks one of its functions");
  return CALVE_OK;
}

/* Embedders may forget to name the path; users must not suffer from it. */
static calve_status named(calve_status status, const char *path, calve_error *err) {
  if (status != CALVE_OK) calve_error_set_where(err, path);
  return status;
}

calve_status calve_store_open(const calve_store *store, calve_str path, calve_store_file *out,
                              calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(path, c_path, err));
  void *handle = NULL;
  int64_t size_bytes = 0;
  calve_status status = store->open(store->ctx, c_path, &handle, &size_bytes, err);
  if (status != CALVE_OK) return named(status, c_path, err);
  if (size_bytes < 0) {
    store->close(store->ctx, handle);
    return calve_fail(err, CALVE_EIO, c_path, "the store says that the file's size is negative");
  }
  *out = (calve_store_file){.store = store, .handle = handle, .size_bytes = size_bytes};
  return CALVE_OK;
}

calve_status calve_store_pread(const calve_store_file *file, void *out, size_t size_bytes,
                               int64_t offset, calve_error *err) {
  if (offset < 0 || offset > file->size_bytes ||
      size_bytes > (uint64_t)(file->size_bytes - offset))
    return calve_fail_at(err, CALVE_ECORRUPT, NULL, offset,
                         "%zu bytes are expected here, but the file has only %lld", size_bytes,
                         (long long)file->size_bytes);
  if (size_bytes == 0) return CALVE_OK;
  return file->store->pread(file->store->ctx, file->handle, out, size_bytes, offset, err);
}

void calve_store_close(calve_store_file *file) {
  if (file->store) file->store->close(file->store->ctx, file->handle);
  *file = (calve_store_file){0};
}

/* Opens `path` and checks its size against the cap. */
static calve_status open_capped(const calve_store *store, calve_str path, int64_t max_bytes,
                                calve_store_file *out, calve_error *err) {
  CALVE_TRY(calve_store_open(store, path, out, err));
  if (out->size_bytes <= max_bytes) return CALVE_OK;
  long long size_bytes = (long long)out->size_bytes;
  calve_store_close(out);
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(path, c_path, err));
  return calve_fail(err, CALVE_ECORRUPT, c_path, "the file has %lld bytes, at most %lld are read",
                    size_bytes, (long long)max_bytes);
}

/* Piece of a file that is read between two looks at a cancel token. */
#define PIECE_BYTES ((size_t)4 << 20)

static calve_status read_pieces(const calve_store_file *file, const calve_cancel *cancel, char *to,
                                calve_error *err) {
  size_t size_bytes = (size_t)file->size_bytes;
  if (!cancel) return calve_store_pread(file, to, size_bytes, 0, err);
  for (size_t at = 0; at < size_bytes;) {
    size_t piece = size_bytes - at < PIECE_BYTES ? size_bytes - at : PIECE_BYTES;
    CALVE_TRY(calve_cancel_look(cancel, err));
    CALVE_TRY(calve_store_pread(file, to + at, piece, (int64_t)at, err));
    at += piece;
  }
  return CALVE_OK;
}

static calve_status read_all(calve_store_file *file, calve_str path, const calve_cancel *cancel,
                             char *to, calve_error *err) {
  calve_status status = read_pieces(file, cancel, to, err);
  calve_store_close(file);
  char c_path[CALVE_PATH_MAX];
  if (status != CALVE_OK && calve_path_c(path, c_path, NULL) == CALVE_OK)
    calve_error_set_where(err, c_path);
  return status;
}

calve_status calve_store_read(const calve_store *store, calve_str path, int64_t max_bytes,
                              calve_arena *arena, calve_str *out, calve_error *err) {
  calve_store_file file;
  CALVE_TRY(open_capped(store, path, max_bytes, &file, err));
  size_t size_bytes = (size_t)file.size_bytes;
  char *bytes = calve_arena_alloc(arena, size_bytes + 1);
  if (!bytes) {
    calve_store_close(&file);
    return calve_fail_oom(err);
  }
  CALVE_TRY(read_all(&file, path, NULL, bytes, err));
  bytes[size_bytes] = '\0';
  *out = (calve_str){bytes, size_bytes};
  return CALVE_OK;
}

calve_status calve_store_read_buffer(const calve_store *store, calve_str path, int64_t max_bytes,
                                     calve_buffer *out, calve_error *err) {
  return calve_store_read_until(store, path, max_bytes, NULL, out, err);
}

calve_status calve_store_read_until(const calve_store *store, calve_str path, int64_t max_bytes,
                                    const calve_cancel *cancel, calve_buffer *out,
                                    calve_error *err) {
  calve_store_file file;
  CALVE_TRY(open_capped(store, path, max_bytes, &file, err));
  size_t size_bytes = (size_t)file.size_bytes;
  calve_buffer_clear(out);
  char *bytes = calve_buffer_reserve(out, size_bytes ? size_bytes : 1);
  if (!bytes) {
    calve_store_close(&file);
    return calve_fail_oom(err);
  }
  CALVE_TRY(read_all(&file, path, cancel, bytes, err));
  out->size = size_bytes;
  return CALVE_OK;
}

calve_status calve_store_create(const calve_store *store, calve_str path, calve_str bytes,
                                calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(path, c_path, err));
  return named(store->create(store->ctx, c_path, bytes.data, bytes.size, err), c_path, err);
}

calve_status calve_store_replace(const calve_store *store, calve_str path, calve_str bytes,
                                 calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(path, c_path, err));
  return named(store->replace(store->ctx, c_path, bytes.data, bytes.size, err), c_path, err);
}

calve_status calve_store_exists(const calve_store *store, calve_str path, bool *exists,
                                int64_t *size_bytes, calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(path, c_path, err));
  calve_store_entry entry = {.struct_size = sizeof entry};
  calve_error own = {0};
  calve_status status = store->stat(store->ctx, c_path, &entry, &own);
  if (status != CALVE_OK && status != CALVE_ENOTFOUND) {
    if (err) *err = own;
    return named(status, c_path, err);
  }
  *exists = status == CALVE_OK;
  if (size_bytes && status == CALVE_OK) *size_bytes = entry.size_bytes;
  return CALVE_OK;
}

calve_status calve_store_stat(const calve_store *store, calve_str path, calve_store_entry *out,
                              calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(path, c_path, err));
  calve_store_entry entry = {.struct_size = sizeof entry};
  CALVE_TRY(named(store->stat(store->ctx, c_path, &entry, err), c_path, err));
  entry.path = NULL;
  *out = entry;
  return CALVE_OK;
}

typedef struct visitor {
  calve_store_visit visit;
  void *ctx;
} visitor;

static calve_status visit_checked(void *ctx, const calve_store_entry *entry, calve_error *err) {
  const visitor *v = ctx;
  CALVE_TRY(calve_struct_check(entry, CALVE_FIRST_SIZE(calve_store_entry, modified_ms),
                               "calve_store_entry", err));
  return v->visit(v->ctx, entry, err);
}

calve_status calve_store_list(const calve_store *store, calve_str folder, calve_store_visit visit,
                              void *visit_ctx, calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(folder, c_path, err));
  visitor v = {visit, visit_ctx};
  return named(store->list(store->ctx, c_path, visit_checked, &v, err), c_path, err);
}

calve_status calve_store_remove(const calve_store *store, calve_str path, calve_error *err) {
  char c_path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(path, c_path, err));
  return named(store->remove(store->ctx, c_path, err), c_path, err);
}
