/* SPDX-License-Identifier: Apache-2.0 */
#include "store/memory.h"

#include <pthread.h>
#include <string.h>

#include "base/text.h"
#include "store/path.h"

/* A file is kept while it is open, also when it was removed or replaced meanwhile, as on POSIX. */
typedef struct memory_file {
  struct memory_file *next;
  char *path; /* NULL once removed                                                              */
  size_t path_size;
  char *bytes;
  size_t size_bytes;
  int64_t modified_ms;
  size_t open_count;
} memory_file;

typedef struct memory_store {
  calve_store store;
  const calve_allocator *allocator;
  pthread_mutex_t lock;
  memory_file *files;
  int64_t ticks; /* modified_ms of the next file: a clock that tests can rely on                */
} memory_store;

static void *take(const memory_store *m, size_t size_bytes) {
  return m->allocator->resize(m->allocator->ctx, NULL, 0, size_bytes);
}

static void give_back(const memory_store *m, void *p, size_t size_bytes) {
  if (p) m->allocator->resize(m->allocator->ctx, p, size_bytes, 0);
}

static memory_file *find(const memory_store *m, const char *path) {
  for (memory_file *f = m->files; f; f = f->next)
    if (f->path && calve_path_equal((calve_str){f->path, f->path_size}, calve_str_of(path)))
      return f;
  return NULL;
}

static void unlink_name(memory_store *m, memory_file *f) {
  give_back(m, f->path, f->path_size + 1);
  f->path = NULL;
}

/* Frees files that have neither a name nor a reader. */
static void sweep(memory_store *m) {
  for (memory_file **at = &m->files; *at;) {
    memory_file *f = *at;
    if (f->path || f->open_count) {
      at = &f->next;
      continue;
    }
    *at = f->next;
    give_back(m, f->bytes, f->size_bytes + 1);
    give_back(m, f, sizeof *f);
  }
}

static calve_status no_such_file(const char *path, calve_error *err) {
  return calve_fail(err, CALVE_ENOTFOUND, path, "there is no such file");
}

static calve_status memory_open(void *ctx, const char *path, void **file, int64_t *size_bytes,
                                calve_error *err) {
  memory_store *m = ctx;
  pthread_mutex_lock(&m->lock);
  memory_file *f = find(m, path);
  if (f) {
    f->open_count++;
    *file = f;
    *size_bytes = (int64_t)f->size_bytes;
  }
  pthread_mutex_unlock(&m->lock);
  return f ? CALVE_OK : no_such_file(path, err);
}

static calve_status memory_pread(void *ctx, void *file, void *out, size_t size_bytes,
                                 int64_t offset, calve_error *err) {
  (void)ctx;
  const memory_file *f = file;
  if (offset < 0 || (uint64_t)offset > f->size_bytes || size_bytes > f->size_bytes - (size_t)offset)
    return calve_fail_at(err, CALVE_ECORRUPT, NULL, offset, "the file ends before it should");
  memcpy(out, f->bytes + offset, size_bytes);
  return CALVE_OK;
}

static void memory_close(void *ctx, void *file) {
  memory_store *m = ctx;
  pthread_mutex_lock(&m->lock);
  ((memory_file *)file)->open_count--;
  sweep(m);
  pthread_mutex_unlock(&m->lock);
}

static memory_file *make_file(const memory_store *m, const char *path, const void *bytes,
                              size_t size_bytes) {
  size_t path_size = strlen(path);
  memory_file *f = take(m, sizeof *f);
  char *name = take(m, path_size + 1), *copy = take(m, size_bytes + 1);
  if (!f || !name || !copy) {
    give_back(m, f, sizeof *f);
    give_back(m, name, path_size + 1);
    give_back(m, copy, size_bytes + 1);
    return NULL;
  }
  memcpy(name, path, path_size + 1);
  if (size_bytes) memcpy(copy, bytes, size_bytes);
  *f = (memory_file){
      .path = name, .path_size = path_size, .bytes = copy, .size_bytes = size_bytes};
  return f;
}

static calve_status put(memory_store *m, const char *path, const void *bytes, size_t size_bytes,
                        bool may_replace, calve_error *err) {
  memory_file *f = make_file(m, path, bytes, size_bytes);
  if (!f) return calve_fail_oom(err);
  pthread_mutex_lock(&m->lock);
  memory_file *old = find(m, path);
  bool refused = old && !may_replace;
  if (refused) {
    unlink_name(m, f);
  } else if (old) {
    unlink_name(m, old);
  }
  f->modified_ms = ++m->ticks;
  f->next = m->files;
  m->files = f;
  sweep(m);
  pthread_mutex_unlock(&m->lock);
  if (refused) return calve_fail(err, CALVE_EEXISTS, path, "the file exists already");
  return CALVE_OK;
}

static calve_status memory_create(void *ctx, const char *path, const void *bytes,
                                  size_t size_bytes, calve_error *err) {
  return put(ctx, path, bytes, size_bytes, false, err);
}

static calve_status memory_replace(void *ctx, const char *path, const void *bytes,
                                   size_t size_bytes, calve_error *err) {
  return put(ctx, path, bytes, size_bytes, true, err);
}

static calve_status memory_stat(void *ctx, const char *path, calve_store_entry *entry,
                                calve_error *err) {
  memory_store *m = ctx;
  pthread_mutex_lock(&m->lock);
  const memory_file *f = find(m, path);
  if (f) {
    entry->size_bytes = (int64_t)f->size_bytes;
    entry->modified_ms = f->modified_ms;
  }
  pthread_mutex_unlock(&m->lock);
  return f ? CALVE_OK : no_such_file(path, err);
}

/* The names below a folder are copied first, so that a visit may use the store. */
static calve_status memory_list(void *ctx, const char *folder, calve_store_visit visit,
                                void *visit_ctx, calve_error *err) {
  memory_store *m = ctx;
  calve_arena names;
  calve_arena_init(&names, m->allocator);
  calve_buffer entries;
  calve_buffer_init(&entries, m->allocator);
  pthread_mutex_lock(&m->lock);
  for (const memory_file *f = m->files; f; f = f->next) {
    calve_str path = {f->path, f->path_size};
    if (!f->path || !calve_path_inside(path, calve_str_of(folder))) continue;
    const char *copy = calve_arena_copy(&names, path.data, path.size);
    if (!copy) entries.oom = true;
    CALVE_PUSH(&entries, calve_store_entry, .struct_size = sizeof(calve_store_entry),
               .path = copy, .size_bytes = (int64_t)f->size_bytes, .modified_ms = f->modified_ms);
  }
  pthread_mutex_unlock(&m->lock);
  calve_status status = calve_buffer_check(&entries, err);
  const calve_store_entry *items = CALVE_ITEMS(&entries, calve_store_entry);
  for (size_t i = 0; status == CALVE_OK && i < CALVE_COUNT(&entries, calve_store_entry); i++)
    status = visit(visit_ctx, &items[i], err);
  calve_buffer_free(&entries);
  calve_arena_free(&names);
  return status;
}

static calve_status memory_remove(void *ctx, const char *path, calve_error *err) {
  memory_store *m = ctx;
  pthread_mutex_lock(&m->lock);
  memory_file *f = find(m, path);
  if (f) {
    unlink_name(m, f);
    sweep(m);
  }
  pthread_mutex_unlock(&m->lock);
  return f ? CALVE_OK : no_such_file(path, err);
}

calve_status calve_memory_store_make(const calve_allocator *allocator, calve_store **out,
                                     calve_error *err) {
  if (!allocator) allocator = calve_default_allocator();
  memory_store *m = allocator->resize(allocator->ctx, NULL, 0, sizeof *m);
  if (!m) return calve_fail_oom(err);
  *m = (memory_store){.allocator = allocator};
  if (pthread_mutex_init(&m->lock, NULL) != 0) {
    give_back(m, m, sizeof *m);
    return calve_fail_oom(err);
  }
  m->store = (calve_store){.struct_size = sizeof(calve_store),
                           .ctx = m,
                           .open = memory_open,
                           .pread = memory_pread,
                           .close = memory_close,
                           .create = memory_create,
                           .replace = memory_replace,
                           .stat = memory_stat,
                           .list = memory_list,
                           .remove = memory_remove};
  *out = &m->store;
  return CALVE_OK;
}

void calve_memory_store_free(calve_store *store) {
  if (!store) return;
  memory_store *m = store->ctx;
  for (memory_file *f = m->files; f; f = f->next) {
    if (f->path) unlink_name(m, f);
    f->open_count = 0;
  }
  sweep(m);
  pthread_mutex_destroy(&m->lock);
  give_back(m, m, sizeof *m);
}

size_t calve_memory_store_count(const calve_store *store) {
  memory_store *m = store->ctx;
  size_t count = 0;
  pthread_mutex_lock(&m->lock);
  for (const memory_file *f = m->files; f; f = f->next) count += f->path != NULL;
  pthread_mutex_unlock(&m->lock);
  return count;
}
