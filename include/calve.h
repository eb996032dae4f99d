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
 *   - A struct that may grow has struct_size as its first member, sizeof of what its maker was
 *     compiled with. New members only ever come behind the last one. Programs and libraries of
 *     different ages fit together: what an older program does not have counts as zero; what this
 *     library does not know is refused with CALVE_EINVAL where it is set in a caller's struct,
 *     zeroed where it is asked for, and ignored in a table of functions. calve_error, calve_str,
 *     calve_setting, calve_cancel and calve_plan_batch stay as they are.
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
  size_t struct_size; /* sizeof(calve_allocator)                                                */
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
  size_t struct_size; /* sizeof(calve_executor)                                                 */
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
  size_t struct_size;  /* set by the store in a listing, by the caller of stat                  */
  const char *path;    /* as the store spells it: "/warehouse/t/data/f.parquet"                 */
  int64_t size_bytes;
  int64_t modified_ms; /* since the epoch; 0 when the store does not know                       */
  /* From stat: another number when the file was replaced or changed (the local store takes inode,
   * size and time for it). 0, as it is at first: the store does not know. */
  uint64_t version;
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
  /* CALVE_ENOTFOUND when there is no such file. Sets all members of *entry but struct_size, which
   * tells which there are, and path. */
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

/* ---- catalogs ------------------------------------------------------------------------------ */

/* A name and a value, both NUL-terminated UTF-8. */
typedef struct calve_setting {
  const char *key;
  const char *value;
} calve_setting;

typedef struct calve_catalog calve_catalog;
typedef struct calve_table calve_table;

/* All borrowed during calve_catalog_open. Zero everything but struct_size for the defaults. */
typedef struct calve_catalog_config {
  size_t struct_size; /* sizeof(calve_catalog_config)                                           */
  const char *name;   /* catalog name; NULL: property "name", else "calve"                       */
  /* Named as PyIceberg names them: "type" ("sql", the default, or "filesystem"), "uri"
   * ("sqlite:////folder/catalog.db"; default: calve.db in the warehouse), "warehouse" (a folder,
   * made on first use). */
  const calve_setting *properties;
  size_t property_count;
  const calve_store *store;         /* outlives the catalog; NULL: calve_local_store            */
  const calve_allocator *allocator; /* outlives the catalog; NULL: the default; usable from any
                                       thread when plans are given an executor                   */
  /* Tables that were copied elsewhere: paths that start with key are looked for under value. */
  const calve_setting *path_maps;
  size_t path_map_count;
  bool read_only;
  /* Metadata that a table names must lie below its location, its write paths or the warehouse, or
   * below these or the folder of the property "allow-root". Data files may lie anywhere. */
  const char *const *allowed_roots;
  size_t allowed_root_count;
} calve_catalog_config;

/* CALVE_EINVAL names the property, CALVE_EUNSUPPORTED a type or uri that this version can't open.
 * A catalog and all that comes from it are for one thread at a time. */
CALVE_API CALVE_MUST_USE calve_status calve_catalog_open(const calve_catalog_config *config,
                                                         calve_catalog **out, calve_error *err);
/* Free its tables before. */
CALVE_API void calve_catalog_free(calve_catalog *catalog);

/* A sorted list of names. */
typedef struct calve_names calve_names;
CALVE_API size_t calve_names_count(const calve_names *names);
CALVE_API calve_str calve_names_get(const calve_names *names, size_t index); /* NUL behind it   */
CALVE_API void calve_names_free(calve_names *names);

/* Names of namespaces and tables are written with dots ("db", "a.b", "db.orders"); a level in
 * double quotes or backquotes may itself hold dots. */

/* CALVE_EEXISTS when it is there. */
CALVE_API CALVE_MUST_USE calve_status calve_namespace_create(calve_catalog *catalog,
                                                             const char *name,
                                                             const calve_setting *properties,
                                                             size_t property_count,
                                                             calve_error *err);
/* CALVE_ENOTFOUND; CALVE_EINVAL when it is not empty. */
CALVE_API CALVE_MUST_USE calve_status calve_namespace_drop(calve_catalog *catalog,
                                                           const char *name, calve_error *err);
/* Those directly below `parent` (NULL: the top level), by the last part of their names. */
CALVE_API CALVE_MUST_USE calve_status calve_namespace_list(calve_catalog *catalog,
                                                           const char *parent, calve_names **out,
                                                           calve_error *err);
/* Tables of a namespace, by the last part of their names. CALVE_ENOTFOUND: no such namespace. */
CALVE_API CALVE_MUST_USE calve_status calve_table_list(calve_catalog *catalog,
                                                       const char *namespace_name,
                                                       calve_names **out, calve_error *err);

/* ---- tables -------------------------------------------------------------------------------- */

/* CALVE_ENOTFOUND suggests the nearest name. The catalog must outlive the table. */
CALVE_API CALVE_MUST_USE calve_status calve_table_open(calve_catalog *catalog, const char *name,
                                                       calve_table **out, calve_error *err);

/* All borrowed during calve_table_open_path. */
typedef struct calve_path_config {
  size_t struct_size; /* sizeof(calve_path_config)                                              */
  const calve_store *store;
  const calve_allocator *allocator;
  const calve_setting *path_maps;
  size_t path_map_count;
  const char *const *allowed_roots; /* folders that may be read besides the table's own         */
  size_t allowed_root_count;
  bool trusted; /* the metadata may name files anywhere                                         */
} calve_path_config;
/* A table without a catalog, for reading: its metadata file, or its folder. config may be NULL. */
CALVE_API CALVE_MUST_USE calve_status calve_table_open_path(const char *path,
                                                            const calve_path_config *config,
                                                            calve_table **out, calve_error *err);
CALVE_API void calve_table_free(calve_table *table);

/* All borrowed during calve_table_make. */
typedef struct calve_table_config {
  size_t struct_size; /* sizeof(calve_table_config)                                             */
  /* An Iceberg schema as JSON: {"type":"struct","fields":[…]}. Field ids are assigned afresh. */
  const char *schema_json;
  /* A list as in SQL: "months(order_ts), bucket(16, customer_id), country"; NULL: unpartitioned. */
  const char *partitioned_by;
  const char *location; /* NULL: chosen by the catalog                                          */
  const calve_setting *properties; /* "format-version" among them is obeyed; default 2          */
  size_t property_count;
} calve_table_config;
/* Makes a table in an existing namespace. CALVE_EEXISTS. out may be NULL. */
CALVE_API CALVE_MUST_USE calve_status calve_table_make(calve_catalog *catalog, const char *name,
                                                       const calve_table_config *config,
                                                       calve_table **out, calve_error *err);
/* The name goes; the files too when `purge` is true and they lie in the table's own folders. In a
 * catalog of type "filesystem" the name is the folder, and goes with all that is in it. Files of a
 * table whose property gc.enabled is false stay: CALVE_EINVAL when they would have to go. */
CALVE_API CALVE_MUST_USE calve_status calve_table_drop(calve_catalog *catalog, const char *name,
                                                       bool purge, calve_error *err);
CALVE_API CALVE_MUST_USE calve_status calve_table_rename(calve_catalog *catalog, const char *from,
                                                         const char *to, calve_error *err);
/* Gives a name to a metadata file that exists. */
CALVE_API CALVE_MUST_USE calve_status calve_table_register(calve_catalog *catalog,
                                                           const char *name,
                                                           const char *metadata_path,
                                                           calve_error *err);

/* Loads the newest state; a table that was opened by its path stays as it is. CALVE_ECONFLICT:
 * another table has taken the name. */
CALVE_API CALVE_MUST_USE calve_status calve_table_refresh(calve_table *table, calve_error *err);

/* What the table looks like now. Strings live until it is refreshed, changed or freed. */
CALVE_API calve_str calve_table_full_name(const calve_table *table);
CALVE_API calve_str calve_table_metadata_location(const calve_table *table);
CALVE_API calve_str calve_table_location(const calve_table *table);
CALVE_API calve_str calve_table_uuid(const calve_table *table); /* absent in some old tables    */
CALVE_API int64_t calve_table_snapshot_id(const calve_table *table); /* -1: no snapshot yet     */
CALVE_API int32_t calve_table_format_version(const calve_table *table);
CALVE_API int32_t calve_table_default_spec_id(const calve_table *table);
/* The value of a property; absent when it is not set. */
CALVE_API calve_str calve_table_property(const calve_table *table, const char *key);
/* The metadata as JSON, indented by `indent` spaces, 0 (compact) to 16; else CALVE_EINVAL. */
CALVE_API CALVE_MUST_USE calve_status calve_table_metadata_json(calve_table *table, int indent,
                                                                calve_str *out, calve_error *err);
/* One schema, or one partition spec; -1 is the current one. CALVE_ENOTFOUND. */
CALVE_API CALVE_MUST_USE calve_status calve_table_schema_json(calve_table *table,
                                                              int32_t schema_id, calve_str *out,
                                                              calve_error *err);
CALVE_API CALVE_MUST_USE calve_status calve_table_spec_json(calve_table *table, int32_t spec_id,
                                                            calve_str *out, calve_error *err);

/* ---- planning cache: what manifests said, remembered ----------------------------------------- */

/* Manifests never change, so what was decoded once can be kept: in memory for a process that plans
 * again and again, or in a folder for all processes of one user on one machine. A plan with a cache
 * gives the same tasks in the same order as one without. Nothing that goes wrong with a cache makes
 * a plan fail: damaged, stale or foreign files are found out and made anew, and what can't be kept
 * is not kept. docs/cache.md tells what is assumed. Any number of threads may use one cache. */
typedef struct calve_cache calve_cache;

/* All borrowed during calve_cache_open. */
typedef struct calve_cache_config {
  size_t struct_size; /* sizeof(calve_cache_config)                                             */
  /* On a local disk; made with mode 0700 when it is not there. NULL: in memory only. */
  const char *folder;
  int64_t max_bytes;  /* what is kept at most; 0: 2 GiB in a folder, 256 MiB in memory          */
  const calve_allocator *allocator; /* usable from any thread, outlives the cache; NULL: default */
} calve_cache_config;

/* CALVE_EDENIED when the folder belongs to somebody else or is open to others. */
CALVE_API CALVE_MUST_USE calve_status calve_cache_open(const calve_cache_config *config,
                                                       calve_cache **out, calve_error *err);
/* Free the plans that use it before. */
CALVE_API void calve_cache_free(calve_cache *cache);

/* What was done since it was opened. */
typedef struct calve_cache_counts {
  size_t struct_size; /* sizeof(calve_cache_counts), set by the caller                          */
  int64_t hits;       /* manifests that were answered by the cache                              */
  int64_t misses;     /* … that were decoded                                                    */
  int64_t stored;     /* images of manifests that were kept                                     */
  int64_t refused;    /* images that were found damaged, stale or foreign, and dropped          */
  int64_t memory_bytes; /* that are kept or mapped now                                          */
} calve_cache_counts;
CALVE_API CALVE_MUST_USE calve_status calve_cache_get_counts(calve_cache *cache,
                                                             calve_cache_counts *out,
                                                             calve_error *err);

/* What the folder holds of one table. Borrowed during the visit. */
typedef struct calve_cache_table {
  size_t struct_size;
  const char *table_uuid;
  const char *example; /* path of one manifest; "" when no file tells                           */
  int64_t manifest_count, size_bytes;
  int64_t used_ms; /* when one of its files was last used, since the epoch                      */
} calve_cache_table;
/* By uuid; nothing for a cache in memory. A visit that gives false ends it. */
CALVE_API CALVE_MUST_USE calve_status calve_cache_list(
    calve_cache *cache, bool (*visit)(void *ctx, const calve_cache_table *table), void *ctx,
    calve_error *err);
/* Drops what is kept of a table, or everything (NULL), in memory and in the folder. Files that the
 * cache did not make stay. *removed_bytes (may be NULL) counts files. */
CALVE_API CALVE_MUST_USE calve_status calve_cache_clear(calve_cache *cache, const char *table_uuid,
                                                        int64_t *removed_bytes, calve_error *err);

/* ---- planning: which files a query must read ------------------------------------------------ */

/* All borrowed until the plan is freed. Zero everything but struct_size for a plain scan. */
typedef struct calve_plan_config {
  size_t struct_size; /* sizeof(calve_plan_config)                                              */
  /* Which rows are asked for, at most one of the two: an SQL condition ("ts >= DATE '2026-03-01'
   * AND country = 'DE'"), or Iceberg's JSON form of an expression. What SQL can say and Iceberg
   * can't counts as true: files are kept, the engine decides, and none of them matches wholly.
   * NULL: all rows. */
  const char *where;
  const char *filter_json;
  const char *snapshot;  /* an id, or the name of a branch or tag; NULL: the current state       */
  int64_t timestamp_ms;  /* what was current then; 0: not asked for                              */
  /* Names of columns in filter_json have no case. In SQL they never have; without this, a name that
   * is written as the column's is means that one, where two differ in nothing else. */
  bool case_insensitive;
  bool with_stats;       /* tasks carry statistics of all columns                             */
  bool with_split_offsets;
  const calve_executor *executor; /* NULL: no other threads                                     */
  const calve_cancel *cancel;     /* may be NULL                                                */
  calve_cache *cache;             /* NULL: none                                                 */
  /* Only files that appends added: commits of other kinds count for nothing, and no deletes are
   * applied. Up to `snapshot`, from the one after from_snapshot on: an id (which may have been
   * expired) or a tag, on the branch that leads to `snapshot`, else CALVE_EINVAL; NULL: from the
   * first. Rows are read with the current schema. */
  bool appends_only;
  const char *from_snapshot;
  /* Ends the plan with the task that makes sure of so many rows, by files that meet the condition
   * wholly and have no deletes. A consumer with another end in mind stops calling calve_plan_next,
   * and frees the plan: manifests are read only a few ahead. 0: no limit. */
  int64_t row_limit;
  /* Two more ways to choose a state, each instead of snapshot and timestamp_ms: a branch or tag by
   * its name, also one that reads like an id; a time as people write it ("2026-03-01",
   * "2026-03-01 12:00:00.5+01:00"; UTC without an offset). NULL: not asked for. */
  const char *ref;
  const char *timestamp;
} calve_plan_config;

/* A plan in the making: manifests are read while it is walked, so that its memory does not grow
 * with the number of files. The table must not be refreshed, changed or freed before it. */
typedef struct calve_plan calve_plan;

/* One data file to read. */
typedef struct calve_plan_task {
  size_t struct_size; /* of the library's struct: newer ones may have more behind what you know */
  calve_str path, format;
  int64_t record_count, file_size_bytes;
  int64_t data_sequence_number, snapshot_id;
  int64_t first_row_id;  /* -1 when the file has none                                           */
  int32_t spec_id;       /* the partition spec it was written with                              */
  int32_t sort_order_id; /* -1: not known                                                       */
  size_t delete_count;   /* delete files to apply, see calve_plan_task_delete                   */
  bool matches_wholly;   /* every row meets the condition (deletes aside)                       */
  const void *detail;    /* for the functions below                                             */
} calve_plan_task;

/* Tasks lie task_size_bytes apart: take them with CALVE_PLAN_TASK(&batch, i). */
typedef struct calve_plan_batch {
  size_t count;
  size_t task_size_bytes;
  const void *tasks;
} calve_plan_batch;
#define CALVE_PLAN_TASK(batch, index)                                     \
  ((const calve_plan_task *)(const void *)((const char *)(batch)->tasks + \
                                           (index) * (batch)->task_size_bytes))

/* config may be NULL. CALVE_ENOTFOUND names a column (with the nearest one), a snapshot or a ref;
 * CALVE_EINVAL a condition that can't be understood. */
CALVE_API CALVE_MUST_USE calve_status calve_plan_open(calve_table *table,
                                                      const calve_plan_config *config,
                                                      calve_plan **out, calve_error *err);
/* The next tasks, at least one; count 0 at the end. They come in the order of the table's
 * manifests, whatever the number of threads, and live until the next call. A failure ends the plan
 * and names the file. */
CALVE_API CALVE_MUST_USE calve_status calve_plan_next(calve_plan *plan, calve_plan_batch *out,
                                                      calve_error *err);
CALVE_API void calve_plan_free(calve_plan *plan);

/* The partition for people: "ts_day=2026-03-01, id_bucket=3", empty for none; or as a JSON object
 * of Iceberg's single values: {"ts_day": "2026-03-01", "ts_month": 674}. This and the next live as
 * long as the task. */
CALVE_API CALVE_MUST_USE calve_status calve_plan_task_partition(calve_plan *plan,
                                                                const calve_plan_task *task,
                                                                bool json, calve_str *out,
                                                                calve_error *err);
/* What the rows must still meet, as SQL: the condition without what the file's partition settles;
 * "TRUE" when that is all. Where bounds alone settle the rest, matches_wholly says so. It is never
 * cut, and as `where` of a plan it means the same; what holds for null says so ("c <> 5 OR c IS
 * NULL"). Conditions on transforms are in Iceberg's functions, which engines may lack: "bucket(16,
 * id) = 3", "truncate(4, s) = 'abcd'", "years(ts) = '2025'", "months(ts) = '2025-04'", "days(ts) =
 * '2025-04-15'", "hours(ts) >= '2025-04-15-08'". */
CALVE_API CALVE_MUST_USE calve_status calve_plan_task_residual(calve_plan *plan,
                                                               const calve_plan_task *task,
                                                               calve_str *out, calve_error *err);

/* A part of a file to read: row groups that start in [offset, offset + length). */
typedef struct calve_plan_piece {
  const calve_plan_task *task; /* with its deletes, partition and residual                     */
  int64_t offset_bytes, length_bytes;
} calve_plan_piece;

/* How work is shared out; what is 0 is taken from the table: read.split.target-size,
 * read.split.open-file-cost, read.split.planning-lookback. */
typedef struct calve_group_config {
  size_t struct_size; /* sizeof(calve_group_config)                                             */
  int64_t target_bytes;    /* of a group                                                        */
  int64_t open_cost_bytes; /* what opening one file costs                                       */
  int32_t lookback;        /* groups that are open at a time                                    */
} calve_group_config;

/* Takes what calve_plan_next has not given yet, cuts files (at their split offsets, when the plan
 * has with_split_offsets, else by size) and packs the pieces into groups of about equal work: the
 * groups that Iceberg's Java library makes. All tasks are in memory then. config may be NULL.
 * Pieces and their tasks live as long as the plan; a visit that gives false ends the groups. */
CALVE_API CALVE_MUST_USE calve_status calve_plan_groups(
    calve_plan *plan, const calve_group_config *config,
    bool (*visit)(void *ctx, const calve_plan_piece *pieces, size_t count), void *ctx,
    calve_error *err);

/* One delete file of a task. Its texts and ids live as long as the task. */
typedef struct calve_plan_delete {
  size_t struct_size; /* sizeof(calve_plan_delete), set by the caller                           */
  calve_str path, format;
  int32_t content; /* 1: positions (a deletion vector when format is PUFFIN), 2: equality       */
  int64_t record_count, file_size_bytes, data_sequence_number;
  int64_t content_offset, content_size_bytes; /* of a deletion vector; else -1                  */
  const int32_t *equality_ids;
  size_t equality_id_count;
} calve_plan_delete;
/* CALVE_EINVAL when index is not below task->delete_count. */
CALVE_API CALVE_MUST_USE calve_status calve_plan_task_delete(const calve_plan_task *task,
                                                             size_t index, calve_plan_delete *out,
                                                             calve_error *err);

/* What is known of one column of a file; numbers are -1 and bounds absent when not known. Bounds
 * are in Iceberg's binary single-value form, and may be cut as long as they stay bounds. To fill
 * one in, begin with CALVE_COLUMN_STATS_INIT, which knows nothing: a zeroed one says that there are
 * no values and no nulls. */
typedef struct calve_column_stats {
  size_t struct_size; /* sizeof(calve_column_stats), set by the caller                          */
  int32_t field_id;
  int64_t size_bytes, value_count, null_count, nan_count;
  calve_str lower, upper;
} calve_column_stats;
#define CALVE_COLUMN_STATS_INIT \
  { sizeof(calve_column_stats), 0, -1, -1, -1, -1, {NULL, 0}, {NULL, 0} }
/* All unknown unless the plan was opened with_stats. Bounds live as long as the task. */
CALVE_API CALVE_MUST_USE calve_status calve_plan_task_stats(const calve_plan_task *task,
                                                            int32_t field_id,
                                                            calve_column_stats *out,
                                                            calve_error *err);
/* Where the file may be cut; *count 0 when it is not known (or not asked for). */
CALVE_API const int64_t *calve_plan_task_split_offsets(const calve_plan_task *task, size_t *count);

/* What the plan did so far; whole once it was walked to its end. */
typedef struct calve_plan_counts {
  size_t struct_size; /* sizeof(calve_plan_counts), set by the caller                           */
  int64_t manifests_total, manifests_opened;
  int64_t files_total, files_kept, files_skipped_by_partition, files_skipped_by_stats;
  int64_t files_in_skipped_manifests;
  int64_t rows_total, rows_kept, bytes_kept;
  int64_t files_matching_wholly, rows_matching_wholly, files_with_deletes;
  int64_t nothing_matches; /* 1: no row can meet the condition; not even the list of manifests was
                              read, and the totals are zero                                     */
} calve_plan_counts;
CALVE_API CALVE_MUST_USE calve_status calve_plan_get_counts(calve_plan *plan,
                                                            calve_plan_counts *out,
                                                            calve_error *err);
/* The same for people, or as JSON: for each partition spec the condition in its own terms and what
 * it skipped. Lives as long as the plan. */
CALVE_API CALVE_MUST_USE calve_status calve_plan_explain(calve_plan *plan, bool json,
                                                         calve_str *out, calve_error *err);
/* Parts of `where` that no plan can use, as they were written: functions that Iceberg lacks, other
 * columns on both sides. Files are kept whatever they say; the engine must apply them. data NULL
 * from the last one on. Lives as long as the plan. */
CALVE_API calve_str calve_plan_unused(const calve_plan *plan, size_t index);
/* Why one file is read or not: the decision, the field and the bound that made it. Instead of a
 * path a partition may be named, "ts_month=2026-03" or "ts_month=2026-03, id_bucket=3": then the
 * decisions about its files. CALVE_ENOTFOUND: the planned state has no such file or partition. */
CALVE_API CALVE_MUST_USE calve_status calve_plan_why(calve_plan *plan, const char *path, bool json,
                                                     calve_str *out, calve_error *err);

/* ---- commits of files that the caller wrote ------------------------------------------------ */

/* A file that is on storage already, whole and synced. Begin with CALVE_FILE_RECORD_INIT: a zeroed
 * record says that the file was written with spec 0, in sort order 0. All borrowed during
 * calve_commit_add_file. */
typedef struct calve_file_record {
  size_t struct_size; /* sizeof(calve_file_record)                                              */
  const char *path;
  const char *format; /* NULL: "PARQUET"                                                        */
  int64_t record_count;
  int64_t file_size_bytes;
  int32_t spec_id; /* of the partition spec that the file was written with; -1: the default one */
  /* Values of the columns that the table is partitioned by, as a JSON object: the same for all rows
   * of the file as far as the partition goes: {"order_ts":"2026-03-01T12:00:00","country":null}.
   * The library applies the transforms. NULL for an unpartitioned table. */
  const char *values_json;
  int32_t sort_order_id; /* the order of its rows; -1: not known                                */
  /* Statistics, each column once, all of one struct_size: that is how far apart they lie. */
  const calve_column_stats *columns;
  size_t column_count;
} calve_file_record;
#define CALVE_FILE_RECORD_INIT \
  { sizeof(calve_file_record), NULL, NULL, 0, 0, -1, NULL, -1, NULL, 0 }

/* A set of changes to a table's files that becomes visible as one new snapshot. */
typedef struct calve_commit calve_commit;
CALVE_API CALVE_MUST_USE calve_status calve_commit_begin(calve_table *table, calve_commit **out,
                                                         calve_error *err);
CALVE_API void calve_commit_free(calve_commit *commit);
/* CALVE_EINVAL when the record does not fit the table. */
CALVE_API CALVE_MUST_USE calve_status calve_commit_add_file(calve_commit *commit,
                                                            const calve_file_record *file,
                                                            calve_error *err);
/* The commit fails with CALVE_ECONFLICT when the file is not in the table any more. */
CALVE_API CALVE_MUST_USE calve_status calve_commit_remove_file(calve_commit *commit,
                                                               const char *path,
                                                               calve_error *err);
/* Removes the files in which every row matches an SQL condition ("country = 'DE'"). The commit
 * fails with CALVE_EINVAL when in some file only a part of the rows may match. */
CALVE_API CALVE_MUST_USE calve_status calve_commit_remove_where(calve_commit *commit,
                                                                const char *condition,
                                                                calve_error *err);
/* The partitions of the added files lose all files that they had before. */
CALVE_API void calve_commit_replace_partitions(calve_commit *commit);
/* One more entry of the snapshot's summary. */
CALVE_API CALVE_MUST_USE calve_status calve_commit_note(calve_commit *commit, const char *key,
                                                        const char *value, calve_error *err);
/* Commits, once; `table` then shows the new state. When other writers are faster it is tried again
 * on top of what they did, by the table's commit.retry properties.
 * CALVE_EUNKNOWN: it may have happened: do NOT delete the files; refresh the table to see. After
 * any other failure nothing has changed, and the caller may delete the files it wrote. */
CALVE_API CALVE_MUST_USE calve_status calve_commit_run(calve_commit *commit, calve_error *err);

/* ---- evolution: schema, partitioning, properties ------------------------------------------- */

/* Changes that become visible together and rewrite no data. Refusals (CALVE_EINVAL, _ENOTFOUND,
 * _EEXISTS) say what to do instead, and leave what was recorded before. Columns are named with dots
 * ("addr.zip", "points.element.x"). Changes to columns come first, then those to partitioning. */
typedef struct calve_evolution calve_evolution;
CALVE_API CALVE_MUST_USE calve_status calve_evolution_begin(calve_table *table,
                                                            calve_evolution **out,
                                                            calve_error *err);
CALVE_API void calve_evolution_free(calve_evolution *evolution);
/* type: an Iceberg type, "long", "decimal(18, 2)", or the JSON of a nested one. parent NULL: the
 * top level. The column is optional; doc may be NULL. Names are those before this evolution. */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_add_column(calve_evolution *evolution,
                                                                 const char *parent,
                                                                 const char *name,
                                                                 const char *type, const char *doc,
                                                                 calve_error *err);
/* The same with all that a column can have. All borrowed during the call. */
typedef enum calve_place {
  CALVE_PLACE_LAST = 0, /* where an added column goes; not for moves                            */
  CALVE_PLACE_FIRST = 1,
  CALVE_PLACE_BEFORE = 2,
  CALVE_PLACE_AFTER = 3
} calve_place;
typedef struct calve_column_config {
  size_t struct_size; /* sizeof(calve_column_config)                                            */
  const char *parent, *name, *type, *doc; /* as above                                           */
  /* What earlier rows show and new ones take, as the JSON of a value: "7", "\"US\"". NULL: none.
   * Format version 3; a primitive type. */
  const char *default_json;
  bool required;     /* needs a default                                                         */
  int32_t place;     /* calve_place                                                             */
  const char *other; /* the full name of the column that it goes before or after; else NULL     */
} calve_column_config;
CALVE_API CALVE_MUST_USE calve_status calve_evolution_add_column_config(
    calve_evolution *evolution, const calve_column_config *config, calve_error *err);
CALVE_API CALVE_MUST_USE calve_status calve_evolution_drop_column(calve_evolution *evolution,
                                                                  const char *name,
                                                                  calve_error *err);
CALVE_API CALVE_MUST_USE calve_status calve_evolution_rename_column(calve_evolution *evolution,
                                                                    const char *name,
                                                                    const char *new_name,
                                                                    calve_error *err);
/* int -> long, float -> double, decimals to more digits, and what format version 3 adds. */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_widen_column(calve_evolution *evolution,
                                                                   const char *name,
                                                                   const char *type,
                                                                   calve_error *err);
CALVE_API CALVE_MUST_USE calve_status calve_evolution_make_optional(calve_evolution *evolution,
                                                                    const char *name,
                                                                    calve_error *err);
/* Inside its own struct; other: NULL for CALVE_PLACE_FIRST. */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_move_column(calve_evolution *evolution,
                                                                  const char *name, int32_t place,
                                                                  const char *other,
                                                                  calve_error *err);
/* doc NULL removes it. */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_set_doc(calve_evolution *evolution,
                                                              const char *name, const char *doc,
                                                              calve_error *err);
/* What new rows take that have no value; earlier rows stay as they are. NULL removes it. */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_set_default(calve_evolution *evolution,
                                                                  const char *name,
                                                                  const char *default_json,
                                                                  calve_error *err);
/* Replaces the identifier fields; names as they are after this evolution. */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_set_identifier_fields(
    calve_evolution *evolution, const char *const *names, size_t count, calve_error *err);
/* Takes over what a schema (its JSON) has more: columns, as optional ones, wider types, docs and
 * defaults. Columns are matched by name; ids of that schema do not count, and nothing is dropped.
 * After a failure free the evolution: parts of it may be recorded. */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_union_by_name(calve_evolution *evolution,
                                                                    const char *schema_json,
                                                                    calve_error *err);
/* Names of columns and partition fields are found in any case, and two that differ by it only are
 * refused. Before anything else; CALVE_EINVAL later. */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_ignore_case(calve_evolution *evolution,
                                                                  calve_error *err);
/* A transform of a column: "country", "days(order_ts)", "bucket(16, customer_id)",
 * "truncate(4, code)". name NULL: the default ("order_ts_day"). */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_add_partition(calve_evolution *evolution,
                                                                    const char *term,
                                                                    const char *name,
                                                                    calve_error *err);
/* By the partition field's name ("order_ts_month"). */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_drop_partition(calve_evolution *evolution,
                                                                     const char *name,
                                                                     calve_error *err);
/* By what it is made of ("months(order_ts)"). */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_drop_partition_term(
    calve_evolution *evolution, const char *term, calve_error *err);
/* Among the partition fields as they are after all else; refused in format version 1, which finds
 * them by their place. */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_move_partition(calve_evolution *evolution,
                                                                     const char *name,
                                                                     int32_t place,
                                                                     const char *other,
                                                                     calve_error *err);
/* The new partitioning is added, but rows are written by the old one until it is made the default
 * (by an evolution that ends in it). */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_keep_default_spec(calve_evolution *evolution,
                                                                        calve_error *err);
CALVE_API CALVE_MUST_USE calve_status calve_evolution_rename_partition(calve_evolution *evolution,
                                                                       const char *name,
                                                                       const char *new_name,
                                                                       calve_error *err);
CALVE_API CALVE_MUST_USE calve_status calve_evolution_replace_partition(calve_evolution *evolution,
                                                                        const char *name,
                                                                        const char *term,
                                                                        const char *new_name,
                                                                        calve_error *err);
/* value NULL removes the property; "format-version" upgrades the table. */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_set_property(calve_evolution *evolution,
                                                                   const char *key,
                                                                   const char *value,
                                                                   calve_error *err);
/* Commits, once; the table then shows the new state. CALVE_ECONFLICT: somebody evolved the table at
 * the same time; refresh it, look again, and begin anew. CALVE_EUNKNOWN as for calve_commit_run. */
CALVE_API CALVE_MUST_USE calve_status calve_evolution_run(calve_evolution *evolution,
                                                          calve_error *err);

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
