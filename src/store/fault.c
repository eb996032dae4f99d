/* SPDX-License-Identifier: Apache-2.0 */
#include "store/fault.h"

#include <errno.h>
#include <string.h>

typedef enum verdict { GO_ON, FAIL, LOSE_RESPONSE, LOSE_WRITE } verdict;

static bool touches(const calve_fault_store *fault, const char *path) {
  return !fault->only || (path && strstr(path, fault->only));
}

static calve_status broken(const char *path, calve_error *err) {
  return calve_fail(err, CALVE_EIO, path, "the store fails on purpose");
}

/* path NULL: pread, which has none and counts as a call only. */
static verdict judge(calve_fault_store *fault, const char *path, bool is_write,
                     const char *name_in_error, calve_error *err) {
  bool counted = touches(fault, path) || (!path && !fault->only);
  long call = counted ? atomic_fetch_add(&fault->calls, 1) + 1 : 0;
  long write = atomic_load(&fault->writes);
  if (is_write && counted) write = atomic_fetch_add(&fault->writes, 1) + 1;
  switch (fault->kind) {
    case CALVE_FAULT_NONE:
      return GO_ON;
    case CALVE_FAULT_CALL:
      if (call != fault->at) return GO_ON;
      broken(name_in_error, err);
      return FAIL;
    case CALVE_FAULT_CRASH:
      if (is_write ? write <= fault->at : write < fault->at) return GO_ON;
      broken(name_in_error, err);
      return FAIL;
    case CALVE_FAULT_LOST_RESPONSE:
      return is_write && counted && write == fault->at ? LOSE_RESPONSE : GO_ON;
    case CALVE_FAULT_LOST_WRITE:
      return is_write && counted && write == fault->at ? LOSE_WRITE : GO_ON;
    case CALVE_FAULT_NO_SPACE:
      if (!is_write || !counted || write < fault->at) return GO_ON;
      calve_fail_os(err, ENOSPC, name_in_error, "writing fails");
      return FAIL;
  }
  return GO_ON;
}

static calve_status unknown(const char *path, calve_error *err) {
  return calve_fail(err, CALVE_EUNKNOWN, path, "the answer of the store was lost");
}

static calve_status fault_open(void *ctx, const char *path, void **file, int64_t *size_bytes,
                               calve_error *err) {
  calve_fault_store *f = ctx;
  if (judge(f, path, false, path, err) == FAIL) return CALVE_EIO;
  return f->inner->open(f->inner->ctx, path, file, size_bytes, err);
}

static calve_status fault_pread(void *ctx, void *file, void *out, size_t size_bytes,
                                int64_t offset, calve_error *err) {
  calve_fault_store *f = ctx;
  if (judge(f, NULL, false, NULL, err) == FAIL) return CALVE_EIO;
  return f->inner->pread(f->inner->ctx, file, out, size_bytes, offset, err);
}

static void fault_close(void *ctx, void *file) {
  calve_fault_store *f = ctx;
  f->inner->close(f->inner->ctx, file);
}

static calve_status fault_write(calve_fault_store *f, const char *path, const void *bytes,
                                size_t size_bytes, calve_error *err,
                                calve_status (*write)(void *, const char *, const void *, size_t,
                                                      calve_error *)) {
  calve_status status;
  switch (judge(f, path, true, path, err)) {
    case FAIL:
      return CALVE_EIO;
    case LOSE_WRITE:
      return unknown(path, err);
    case LOSE_RESPONSE:
      status = write(f->inner->ctx, path, bytes, size_bytes, err);
      return status == CALVE_OK ? unknown(path, err) : status;
    case GO_ON:
      break;
  }
  return write(f->inner->ctx, path, bytes, size_bytes, err);
}

static calve_status fault_create(void *ctx, const char *path, const void *bytes,
                                 size_t size_bytes, calve_error *err) {
  calve_fault_store *f = ctx;
  return fault_write(f, path, bytes, size_bytes, err, f->inner->create);
}

static calve_status fault_replace(void *ctx, const char *path, const void *bytes,
                                  size_t size_bytes, calve_error *err) {
  calve_fault_store *f = ctx;
  return fault_write(f, path, bytes, size_bytes, err, f->inner->replace);
}

static calve_status fault_stat(void *ctx, const char *path, calve_store_entry *entry,
                               calve_error *err) {
  calve_fault_store *f = ctx;
  if (judge(f, path, false, path, err) == FAIL) return CALVE_EIO;
  return f->inner->stat(f->inner->ctx, path, entry, err);
}

static calve_status fault_list(void *ctx, const char *folder, calve_store_visit visit,
                               void *visit_ctx, calve_error *err) {
  calve_fault_store *f = ctx;
  if (judge(f, folder, false, folder, err) == FAIL) return CALVE_EIO;
  return f->inner->list(f->inner->ctx, folder, visit, visit_ctx, err);
}

static calve_status fault_remove(void *ctx, const char *path, calve_error *err) {
  calve_fault_store *f = ctx;
  if (judge(f, path, true, path, err) == FAIL) return CALVE_EIO;
  return f->inner->remove(f->inner->ctx, path, err);
}

void calve_fault_store_init(calve_fault_store *fault, const calve_store *inner,
                            calve_fault_kind kind, long at) {
  memset(fault, 0, sizeof *fault);
  fault->inner = inner;
  fault->kind = kind;
  fault->at = at;
  fault->store = (calve_store){.struct_size = sizeof(calve_store),
                               .ctx = fault,
                               .open = fault_open,
                               .pread = fault_pread,
                               .close = fault_close,
                               .create = fault_create,
                               .replace = fault_replace,
                               .stat = fault_stat,
                               .list = fault_list,
                               .remove = fault_remove};
}
