/* SPDX-License-Identifier: Apache-2.0 */
/* Plans scans of the tables that bench_gen wrote, and times them against the floor: libdeflate
 * alone over the manifests that must be opened, on as many threads.
 *
 *   bench_plan FOLDER [THREADS [REPEATS [SCENARIO|- [CACHE]]]]
 *
 * CACHE is a folder for a planning cache, opened anew by each plan as by a process of its own, or
 * "memory": one cache that all plans share. A first plan, shown too, finds it empty.
 * One line a scenario: milliseconds (best of REPEATS), the floor's, their ratio, counts; warm. With
 * 0 repeats each plan is made once and there is no floor: the peak memory is the plan's. */
#include <inttypes.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/text.h"
#include "expr/predicate_text.h"
#include "expr/evaluate.h"
#include "expr/project.h"
#include "plan/scan.h"
#include "store/store.h"
#include "track/snapshot_manifests.h"

static void fail_on(calve_status status, const calve_error *err) {
  if (status == CALVE_OK) return;
  fprintf(stderr, "bench_plan: %s: %s\n", err->where, err->message);
  exit(1);
}

/* Wall time, and time of all the process's threads on processors: on a busy machine only the
 * latter says something. */
typedef struct moment {
  double wall_ms, cpu_ms;
} moment;

static double clock_ms(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static moment now(void) {
  return (moment){clock_ms(CLOCK_MONOTONIC), clock_ms(CLOCK_PROCESS_CPUTIME_ID)};
}

static moment since(moment start) {
  moment m = now();
  return (moment){m.wall_ms - start.wall_ms, m.cpu_ms - start.cpu_ms};
}

static void keep_best(moment *best, moment m) {
  if (m.wall_ms < best->wall_ms) best->wall_ms = m.wall_ms;
  if (m.cpu_ms < best->cpu_ms) best->cpu_ms = m.cpu_ms;
}

/* ---- the floor ----------------------------------------------------------------------------- */

typedef struct floor_work {
  const calve_manifest_file *const *manifests;
  size_t count;
  atomic_size_t next;
  _Atomic int64_t inflated;
} floor_work;

static int64_t read_long(const uint8_t **at) {
  uint64_t v = 0;
  for (int shift = 0;; shift += 7) {
    uint8_t b = *(*at)++;
    v |= (uint64_t)(b & 0x7f) << shift;
    if (!(b & 0x80)) break;
  }
  return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* Steps over the header of an Avro file of our own: magic, metadata map, sync. */
static const uint8_t *skip_header(const uint8_t *at) {
  at += 4;
  for (int64_t count; (count = read_long(&at)) != 0;)
    for (int64_t i = 0; i < 2 * count; i++) {
      int64_t size = read_long(&at);
      at += size;
    }
  return at + 16;
}

static void inflate_file(calve_str bytes, struct libdeflate_decompressor *d, uint8_t **out,
                         size_t *capacity, floor_work *work) {
  const uint8_t *at = skip_header((const uint8_t *)bytes.data);
  const uint8_t *end = (const uint8_t *)bytes.data + bytes.size;
  while (at < end) {
    read_long(&at);
    size_t size = (size_t)read_long(&at), got;
    while (libdeflate_deflate_decompress(d, at, size, *out, *capacity, &got) != 0) {
      *capacity *= 2;
      *out = realloc(*out, *capacity);
      if (!*out) exit(1);
    }
    work->inflated += (int64_t)got;
    at += size + 16;
  }
}

static void *floor_thread(void *arg) {
  floor_work *work = arg;
  struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
  size_t capacity = 1 << 20;
  uint8_t *out = malloc(capacity);
  calve_buffer bytes;
  calve_error err;
  calve_buffer_init(&bytes, NULL);
  if (!out || !d) exit(1);
  for (size_t i; (i = work->next++) < work->count;) {
    fail_on(calve_store_read_buffer(calve_local_store(), work->manifests[i]->path, INT64_MAX / 2,
                                    &bytes, &err),
            &err);
    inflate_file(calve_buffer_view(&bytes), d, &out, &capacity, work);
  }
  libdeflate_free_decompressor(d);
  free(out);
  calve_buffer_free(&bytes);
  return NULL;
}

static moment floor_time(const calve_manifest_file *const *manifests, size_t count,
                         size_t thread_count) {
  floor_work work = {.manifests = manifests, .count = count};
  pthread_t threads[64];
  moment start = now();
  for (size_t i = 1; i < thread_count; i++)
    if (pthread_create(&threads[i], NULL, floor_thread, &work) != 0) exit(1);
  floor_thread(&work);
  for (size_t i = 1; i < thread_count; i++) pthread_join(threads[i], NULL);
  return since(start);
}

/* ---- scenarios ----------------------------------------------------------------------------- */

typedef struct scenario {
  const char *name, *where;
  uint32_t columns; /* to deliver                                                               */
  int32_t column;   /* the table must have that many, else the scenario is left out             */
} scenario;

static const scenario scenarios[] = {
    {"all tasks", NULL, 0, 0},
    {"all tasks, all metrics", NULL, CALVE_COLUMNS_METRICS, 0},
    {"a day, day half",
     "order_ts >= '2017-05-05T00:00:00+00:00' AND order_ts < '2017-05-06T00:00:00+00:00'", 0, 0},
    {"a day, month half",
     "order_ts >= '2012-05-05T00:00:00+00:00' AND order_ts < '2012-05-06T00:00:00+00:00'", 0, 0},
    {"a month and a customer",
     "order_ts >= '2017-05-01T00:00:00+00:00' AND order_ts < '2017-06-01T00:00:00+00:00' AND "
     "customer_id = 8237",
     0, 0},
    {"a metric of column 6", "c6 > 16777215", 0, 6},
    {"a customer", "customer_id = 8237", 0, 0},
    {"a metric of column 251", "c251 > 16777215", 0, 251},
};

/* Where manifests are remembered, if they are. */
typedef struct remembered {
  const char *folder; /* NULL: in `shared`, if at all                                           */
  calve_cache *shared;
} remembered;

typedef struct outcome {
  moment time;
  int64_t files, bytes, rows, opened, listed; /* sums that peers must come to as well           */
  uint64_t checksum;
} outcome;

/* Reads every value that was asked for, as a consumer would. */
static uint64_t consume(const calve_scan_task *task) {
  const calve_data_file *f = &task->file;
  uint64_t sum = (uint64_t)f->file_size_bytes + (uint64_t)f->record_count + f->path.size;
  for (int32_t i = 0; i < f->partition_count; i++) sum += (uint64_t)f->partition[i].i32;
  const calve_id_i64_list *counts[] = {&f->column_sizes, &f->value_counts, &f->null_value_counts};
  const calve_id_bytes_list *bounds[] = {&f->lower_bounds, &f->upper_bounds};
  for (int k = 0; k < 3; k++)
    for (size_t i = 0; i < counts[k]->count; i++) sum += (uint64_t)counts[k]->items[i].value;
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < bounds[k]->count; i++) sum += (uint8_t)bounds[k]->items[i].value.data[0];
  return sum;
}

/* From opening the metadata file to the last task. A function of its own, so that callgrind can
 * count its instructions (tests/perf). */
__attribute__((noinline)) static outcome plan_once(const char *path, const scenario *s,
                                                   const calve_executor *executor,
                                                   const remembered *cache) {
  calve_arena arena;
  calve_error err;
  calve_cache_config config = {
      .struct_size = sizeof config, .folder = cache->folder, .max_bytes = INT64_C(1) << 33};
  calve_cache *own = NULL;
  calve_str bytes, text;
  const calve_metadata *metadata;
  const calve_predicate *filter = NULL;
  calve_scan *scan;
  outcome o = {0};
  moment start = now();
  calve_arena_init(&arena, NULL);
  fail_on(calve_store_read(calve_local_store(), calve_str_of(path), INT64_MAX / 2, &arena, &bytes,
                           &err),
          &err);
  fail_on(calve_metadata_plain_text(bytes, path, &arena, &text, &err), &err);
  fail_on(calve_metadata_parse(text, path, &arena, &metadata, &err), &err);
  if (s->where)
    fail_on(calve_predicate_parse(calve_str_of(s->where), &arena, &filter, NULL, &err), &err);
  calve_scan_params params = {.metadata = metadata,
                              .store = calve_local_store(),
                              .filter = filter,
                              .columns = s->columns,
                              .executor = executor,
                              .cache = cache->shared};
  if (cache->folder) {
    fail_on(calve_cache_open(&config, &own, &err), &err);
    params.cache = own;
  }
  fail_on(calve_scan_open(&params, &scan, &err), &err);
  for (;;) {
    const calve_scan_task *tasks;
    size_t count;
    fail_on(calve_scan_next(scan, &tasks, &count, &err), &err);
    if (count == 0) break;
    for (size_t i = 0; i < count; i++) {
      o.checksum += consume(&tasks[i]);
      o.bytes += tasks[i].file.file_size_bytes;
      o.rows += tasks[i].file.record_count;
    }
    o.files += (int64_t)count;
  }
  o.opened = calve_scan_get_report(scan)->all.manifests_opened;
  o.listed = calve_scan_get_report(scan)->all.manifests_total;
  calve_scan_close(scan);
  calve_cache_free(own);
  calve_arena_free(&arena);
  o.time = since(start);
  return o;
}

/* The manifests that the scenario opens: told by their summaries, as the plan does. */
static size_t opened_manifests(const calve_metadata *m, const scenario *s, calve_arena *arena,
                               const calve_manifest_file ***out) {
  const calve_manifest_file *all;
  const calve_predicate *parsed,
      *projected[3] = {&calve_predicate_true, &calve_predicate_true, &calve_predicate_true};
  const calve_bound *bound = NULL;
  size_t count, kept = 0;
  calve_error err;
  fail_on(calve_snapshot_manifests(calve_metadata_current_snapshot(m), calve_local_store(), arena,
                                   &all, &count, &err),
          &err);
  *out = CALVE_NEW_ARRAY(arena, const calve_manifest_file *, count);
  if (!*out) exit(1);
  if (s->where) {
    fail_on(calve_predicate_parse(calve_str_of(s->where), arena, &parsed, NULL, &err), &err);
    fail_on(calve_bind(parsed, m->schema, NULL, arena, &bound, &err), &err);
    for (int i = 0; i < m->spec_count && i < 3; i++)
      fail_on(calve_project(bound, calve_metadata_spec(m, i), m->schema, CALVE_INCLUSIVE, arena,
                            &projected[i], &err),
              &err);
  }
  for (size_t i = 0; i < count; i++)
    if (!bound || calve_manifest_might_match(projected[all[i].spec_id], all[i].partitions,
                                             all[i].partition_count, NULL))
      (*out)[kept++] = &all[i];
  return kept;
}

static void show(const char *name, moment plan, moment floor, const outcome *o) {
  printf("%-24s %9.2f %9.2f %6.2f %9.2f %9.2f %6.2f  %8" PRId64 " %15" PRId64 " %13" PRId64
         " %6" PRId64 " %6" PRId64 " %016" PRIx64 "\n",
         name, plan.wall_ms, floor.wall_ms, plan.wall_ms / floor.wall_ms, plan.cpu_ms, floor.cpu_ms,
         plan.cpu_ms / floor.cpu_ms, o->files, o->bytes, o->rows, o->opened, o->listed,
         o->checksum);
  fflush(stdout);
}

static void run_scenario(const char *path, const scenario *s, const calve_metadata *m,
                         size_t threads, int repeats, const calve_executor *executor,
                         const remembered *cache) {
  calve_arena arena;
  calve_error err;
  const calve_manifest_file **opened;
  calve_arena_init(&arena, NULL);
  size_t count = opened_manifests(m, s, &arena, &opened);
  moment floor = {1e300, 1e300}, plan = floor;
  outcome o = {0}, first = {0};
  if (cache->shared) fail_on(calve_cache_clear(cache->shared, NULL, NULL, &err), &err);
  if (repeats == 0 || cache->shared || cache->folder) first = plan_once(path, s, executor, cache);
  if (repeats == 0) { /* memory is asked about: no floor                                        */
    o = first;
    plan = floor = o.time;
  }
  for (int i = 0; i < repeats; i++) {
    keep_best(&floor, floor_time(opened, count, threads));
    o = plan_once(path, s, executor, cache);
    keep_best(&plan, o.time);
  }
  if (first.files != 0 && repeats > 0) show("  the first time", first.time, floor, &first);
  show(s->name, plan, floor, &o);
  calve_arena_free(&arena);
}

/* Reading and parsing what every plan starts with, the metadata file and the manifest list. */
static moment read_start(const char *path) {
  calve_arena arena;
  calve_error err;
  calve_str bytes;
  const calve_metadata *m;
  const calve_manifest_file *all;
  size_t count;
  moment start = now();
  calve_arena_init(&arena, NULL);
  fail_on(calve_store_read(calve_local_store(), calve_str_of(path), INT64_MAX / 2, &arena, &bytes,
                           &err),
          &err);
  fail_on(calve_metadata_parse(bytes, path, &arena, &m, &err), &err);
  fail_on(calve_snapshot_manifests(calve_metadata_current_snapshot(m), calve_local_store(), &arena,
                                   &all, &count, &err),
          &err);
  calve_arena_free(&arena);
  return since(start);
}

/* An empty cache as the command line names it. */
static void open_cache(const char *name, remembered *out) {
  calve_error err;
  calve_cache_config config = {.struct_size = sizeof config, .max_bytes = INT64_C(1) << 33};
  if (!name) return;
  if (strcmp(name, "memory") != 0) out->folder = config.folder = name;
  fail_on(calve_cache_open(&config, &out->shared, &err), &err);
  if (!out->folder) return;
  fail_on(calve_cache_clear(out->shared, NULL, NULL, &err), &err);
  calve_cache_free(out->shared);
  out->shared = NULL;
}

int main(int argc, char **argv) {
  char path[4096];
  calve_arena arena;
  calve_error err;
  calve_str bytes;
  const calve_metadata *m;
  calve_thread_pool *pool;
  if (argc < 2) {
    fprintf(stderr, "usage: bench_plan FOLDER [THREADS [REPEATS [SCENARIO|- [CACHE]]]]\n");
    return 2;
  }
  size_t threads = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 2;
  int repeats = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 5;
  const char *only = argc > 4 && strcmp(argv[4], "-") != 0 ? argv[4] : NULL;
  remembered cache = {0};
  if (threads < 1 || threads > 64 || repeats < 0) return 2;
  snprintf(path, sizeof path, "%s/metadata/v1.metadata.json", argv[1]);
  calve_arena_init(&arena, NULL);
  fail_on(calve_store_read(calve_local_store(), calve_str_of(path), INT64_MAX / 2, &arena, &bytes,
                           &err),
          &err);
  fail_on(calve_metadata_parse(bytes, path, &arena, &m, &err), &err);
  fail_on(calve_thread_pool_make(threads, NULL, &pool, &err), &err);
  open_cache(argc > 5 ? argv[5] : NULL, &cache);
  printf("%-24s %9s %9s %6s %9s %9s %6s  %8s %15s %13s %6s %6s\n", "scenario", "plan ms",
         "floor ms", "ratio", "plan cpu", "floor cpu", "ratio", "files", "bytes", "rows", "opened",
         "listed");
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
    if (scenarios[i].column <= m->schema->root->field_count &&
        (!only || strcmp(only, scenarios[i].name) == 0))
      run_scenario(path, &scenarios[i], m, threads, repeats, calve_thread_pool_executor(pool),
                   &cache);
  calve_cache_free(cache.shared);
  moment reading = {1e300, 1e300};
  for (int i = 0; i < repeats; i++) keep_best(&reading, read_start(path));
  if (repeats > 0)
    printf("metadata and list        %9.2f ms to read and parse\n", reading.wall_ms);
  calve_thread_pool_free(pool);
  calve_arena_free(&arena);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("peak memory %ld MB\n", usage.ru_maxrss / 1024);
  return 0;
}
