/* SPDX-License-Identifier: Apache-2.0 */
/* calve: Apache Iceberg for C. The whole public API of libcalve is in this header.
 *
 * Conventions
 *   - A function that can fail returns calve_status (CALVE_OK is 0) and takes a last parameter
 *     `calve_error *err`, which the caller owns and which may be NULL. On failure the out
 *     parameters are untouched.
 *   - Strings that go in are UTF-8 and NUL-terminated unless a calve_str says how long they are.
 *   - `const` pointers that come out are borrowed: they live as long as the object they came from.
 *   - An object made by a call is freed by one call, `calve_<thing>_free`, which accepts NULL.
 *   - Immutable objects may be used from any thread; a handle that changes is for one at a time.
 *   - The library never prints, exits, aborts on bad input, or keeps global state.            */
#ifndef CALVE_H
#define CALVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CALVE_API __attribute__((visibility("default")))
#define CALVE_MUST_USE __attribute__((warn_unused_result))
#define CALVE_PRINTF(fmt_index, args_index) \
  __attribute__((format(printf, fmt_index, args_index)))
#else
#define CALVE_API
#define CALVE_MUST_USE
#define CALVE_PRINTF(fmt_index, args_index)
#endif

/* ---- version ------------------------------------------------------------------------------ */

#define CALVE_VERSION_MAJOR 0
#define CALVE_VERSION_MINOR 1
#define CALVE_VERSION_PATCH 0
#define CALVE_VERSION_STRING "0.1.0"

/* The version of the library that is linked, e.g. "0.1.0". Static storage. */
CALVE_API const char *calve_version(void);

/* ---- status and errors -------------------------------------------------------------------- */

/* What a caller can do about it: each class asks for a different reaction. */
typedef enum calve_status {
  CALVE_OK = 0,
  CALVE_EINVAL = 1,       /* the caller broke the contract or asked for what rules forbid      */
  CALVE_ECORRUPT = 2,     /* bytes on storage disagree with the spec                           */
  CALVE_ENOTFOUND = 3,    /* the named thing does not exist                                    */
  CALVE_EEXISTS = 4,      /* the named thing exists already                                    */
  CALVE_ECONFLICT = 5,    /* somebody else committed first; a retry may help                   */
  CALVE_EUNKNOWN = 6,     /* the outcome of a commit is not known: do NOT delete its files     */
  CALVE_EIO = 7,          /* the store failed; os_errno or http says how                       */
  CALVE_ENOMEM = 8,       /* an allocation failed; nothing was changed                         */
  CALVE_EUNSUPPORTED = 9, /* valid, but this version can't do it                               */
  CALVE_ECANCELLED = 10,  /* the cancel token was set                                          */
  CALVE_EDENIED = 11      /* a path is outside the allowed roots, or permission is denied      */
} calve_status;

typedef struct calve_error {
  calve_status code;
  int os_errno;        /* 0 when not from the operating system                                 */
  int http;            /* 0 when not from HTTP                                                 */
  int64_t byte_offset; /* in the file that `where` names, -1 when not known                    */
  char where[480];     /* file path (middle elided), column, table or spec; may be empty       */
  char message[544];   /* one sentence, no newline, always terminated                          */
} calve_error;

/* A short name such as "corrupt" or "not found". Static storage; never NULL. */
CALVE_API const char *calve_status_name(calve_status status);

/* ---- memory ------------------------------------------------------------------------------- */

/* One function does all: (NULL, 0, n) allocates, (p, old, n) resizes, (p, old, 0) frees and gives
 * NULL. Gives NULL when memory is out, and then leaves `p` as it was. Results are aligned to 16. */
typedef struct calve_allocator {
  void *ctx;
  void *(*resize)(void *ctx, void *p, size_t old_size_bytes, size_t new_size_bytes);
} calve_allocator;

/* The allocator that uses realloc and free. */
CALVE_API const calve_allocator *calve_default_allocator(void);

/* ---- strings ------------------------------------------------------------------------------ */

/* A borrowed run of bytes, most often UTF-8; may hold NUL bytes. data is NULL for "absent". */
typedef struct calve_str {
  const char *data;
  size_t size;
} calve_str;

/* ---- threads and cancelling --------------------------------------------------------------- */

/* Asks work that is going on to end with CALVE_ECANCELLED. Zero it to start; the caller owns it,
 * and it outlives the calls that were given it. Its content is touched only by these functions,
 * which any thread may call; `set` also from a signal handler. NULL is never set. */
typedef struct calve_cancel {
  int flag;
} calve_cancel;

CALVE_API void calve_cancel_set(calve_cancel *cancel);
CALVE_API bool calve_cancel_is_set(const calve_cancel *cancel);

/* Where calve runs what it does in parallel; an embedder may fill in its own. The thread that calls
 * calve always takes part in the work itself, so that a busy or refusing executor only makes it
 * slower. A NULL executor means: no other threads. */
typedef struct calve_executor {
  void *ctx;
  size_t worker_count; /* threads besides the caller's that it is worth giving work to           */
  /* Has fn(arg) called once, soon, by any thread. Gives false when it can't, and then never calls
   * it. May be called by several threads at a time. */
  bool (*submit)(void *ctx, void (*fn)(void *arg), void *arg);
} calve_executor;

/* calve's own executor: a few threads that sleep while there is nothing to do. They are started
 * when first needed and take no signals. */
typedef struct calve_thread_pool calve_thread_pool;

/* thread_count counts the caller's own, so that 1 starts none; 0 is the number of processors. A
 * NULL allocator is the default one; else it is usable from any thread and outlives the pool. */
CALVE_API CALVE_MUST_USE calve_status calve_thread_pool_make(size_t thread_count,
                                                             const calve_allocator *allocator,
                                                             calve_thread_pool **out,
                                                             calve_error *err);
CALVE_API const calve_executor *calve_thread_pool_executor(const calve_thread_pool *pool);
/* Waits for what was submitted. Free what uses the pool (plans, scans) before. */
CALVE_API void calve_thread_pool_free(calve_thread_pool *pool);

/* ---- store: where files live -------------------------------------------------------------- */

/* One file of a listing or a look at it. The path is borrowed for the time of the call. */
typedef struct calve_store_entry {
  const char *path;    /* as the store spells it: "/warehouse/t/data/f.parquet"                 */
  int64_t size_bytes;
  int64_t modified_ms; /* since the epoch; 0 when the store does not know                       */
} calve_store_entry;

typedef calve_status (*calve_store_visit)(void *visit_ctx, const calve_store_entry *entry,
                                          calve_error *err);

/* How calve reaches files. An embedder may hand in its own; calve_local_store is used otherwise.
 * Paths are what tables say: "/p", "file:/p", "file:///p" (the same file for the local store),
 * "s3://…". Every function may be called from several threads at once, keeps `path` only during
 * the call, and fills err when it fails. Classes: CALVE_ENOTFOUND, CALVE_EEXISTS, CALVE_EDENIED,
 * CALVE_EIO; CALVE_EUNKNOWN from create and replace only, when the bytes may be there or not.   */
typedef struct calve_store {
  size_t struct_size; /* sizeof(calve_store)                                                    */
  void *ctx;
  /* Opens for reading; *size_bytes is the length now. Files never change once created. */
  calve_status (*open)(void *ctx, const char *path, void **file, int64_t *size_bytes,
                       calve_error *err);
  /* Reads exactly size_bytes; CALVE_ECORRUPT when the file ends before. */
  calve_status (*pread)(void *ctx, void *file, void *out, size_t size_bytes, int64_t offset,
                        calve_error *err);
  void (*close)(void *ctx, void *file);
  /* Makes a new file, folders too: all bytes or no file at that path, whatever happens; durable
   * when it returns. Of several callers with one path exactly one wins, the others get
   * CALVE_EEXISTS: commits of filesystem tables stand on this. */
  calve_status (*create)(void *ctx, const char *path, const void *bytes, size_t size_bytes,
                         calve_error *err);
  /* The same, but an existing file is replaced in one step. */
  calve_status (*replace)(void *ctx, const char *path, const void *bytes, size_t size_bytes,
                          calve_error *err);
  /* CALVE_ENOTFOUND when there is no such file. entry->path is not set. */
  calve_status (*stat)(void *ctx, const char *path, calve_store_entry *entry, calve_error *err);
  /* Every file below `folder`, at any depth, in no order; a folder that is not there has none.
   * A visit that fails ends the listing with its status. */
  calve_status (*list)(void *ctx, const char *folder, calve_store_visit visit, void *visit_ctx,
                       calve_error *err);
  /* CALVE_ENOTFOUND when there is no such file. */
  calve_status (*remove)(void *ctx, const char *path, calve_error *err);
} calve_store;

/* The local file system. Static storage. */
CALVE_API const calve_store *calve_local_store(void);

/* ---- rows: the Arrow C Data Interface ----------------------------------------------------- */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};
#endif

#ifdef __cplusplus
}
#endif
#endif
