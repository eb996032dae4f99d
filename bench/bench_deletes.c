/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes delete files and assigns them to data files (table T6), for growing numbers of both: the
 * time a file takes must not grow with them.
 *
 *   bench_deletes [LARGEST]     data files, default 200000; twice as many delete files
 *   bench_deletes COUNT KIND    one case: that many data files, kind number 0 and up
 *
 * One line a case and size: processor milliseconds, nanoseconds a file, deletes assigned. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "track/delete_index.h"

static void fail_on(calve_status status, const calve_error *err) {
  if (status == CALVE_OK) return;
  fprintf(stderr, "bench_deletes: %s: %s\n", err->where, err->message);
  exit(1);
}

static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* What the delete files are. In all cases two of them apply to a data file, so that growth of the
 * answer is not taken for growth of the work; there are as many partitions as a hundredth of the
 * data files, or one. */
typedef enum delete_kind {
  BY_NAME,      /* position deletes that name their data file                                   */
  BY_BOUNDS,    /* position deletes whose path bounds are one file                              */
  BY_PARTITION, /* position deletes of a whole partition, one partition a data file             */
  VECTORS,      /* one deletion vector a data file (v3)                                         */
  EQUALITY,     /* equality deletes of a partition, one partition a data file                   */
  GLOBAL,       /* equality deletes of an unpartitioned spec, older than all but a few files    */
  ONE_PARTITION, /* position deletes of one partition, older than all but a few files           */
  RANGES,   /* position deletes of one partition whose path bounds are of two data files each    */
  OLD_RANGES /* the same with the bounds of all, older than all but a few files                 */
} delete_kind;

static const char *const kind_names[] = {"position, by name",
                                         "position, by bounds",
                                         "position, by partition",
                                         "deletion vectors",
                                         "equality, by partition",
                                         "equality, global",
                                         "position, one partition",
                                         "position, narrow ranges",
                                         "position, old ranges"};

static const calve_partition_field day_field = {
    .field_id = 1000, .source_id = 1, .source_count = 1, .name = {"day", 3}};
static const calve_spec by_day = {.spec_id = 1, .field_count = 1, .fields = &day_field};
static const calve_spec unpartitioned = {.spec_id = 0};

typedef struct case_files {
  delete_kind kind;
  int64_t count; /* data files                                                                  */
} case_files;

static bool is_partitioned(delete_kind kind) {
  return kind != GLOBAL;
}

/* Where deletes have no place of their own, age tells them apart: data files are newer than all but
 * a few. */
static bool is_by_age(delete_kind kind) {
  return kind == GLOBAL || kind == ONE_PARTITION || kind == OLD_RANGES;
}

/* Number of the partition that data file `i` is in. */
static int64_t partition_of(const case_files *c, int64_t i) {
  if (c->kind == GLOBAL || c->kind >= ONE_PARTITION) return 0;
  return c->kind == BY_PARTITION || c->kind == EQUALITY ? i : i / 100;
}

static void set_place(const case_files *c, int64_t i, calve_value *tuple, calve_data_file *f) {
  *tuple = (calve_value){.type = CALVE_INT};
  tuple->i32 = (int32_t)partition_of(c, i);
  f->spec_id = is_partitioned(c->kind) ? by_day.spec_id : unpartitioned.spec_id;
  f->partition = is_partitioned(c->kind) ? tuple : NULL;
  f->partition_count = is_partitioned(c->kind) ? 1 : 0;
  f->record_count = 1000;
  f->file_size_bytes = 100000;
}

static calve_str data_path(char *text, size_t size, int64_t i) {
  int n = snprintf(text, size, "s3://warehouse/db/orders/data/%08" PRId64 ".parquet", i);
  return (calve_str){text, (size_t)n};
}

/* Delete file number `copy` (0 or 1) for data file `i`. */
static void add_delete(calve_delete_index *index, const case_files *c, int64_t i, int copy) {
  static const int32_t ids[] = {1};
  char data[96], last_data[96], path[96];
  calve_value tuple;
  calve_error err;
  calve_manifest_entry e = {.status = CALVE_ENTRY_ADDED, .file = calve_data_file_blank()};
  set_place(c, i, &tuple, &e.file);
  e.data_sequence_number = is_by_age(c->kind) ? 2 * i + copy + 1 : 10;
  e.file.content =
      c->kind == EQUALITY || c->kind == GLOBAL ? CALVE_CONTENT_EQUALITY_DELETES
                                               : CALVE_CONTENT_POSITION_DELETES;
  snprintf(path, sizeof path, "s3://warehouse/db/orders/data/d%08" PRId64 "-%d", i, copy);
  e.file.path = calve_str_of(path);
  e.file.format = c->kind == VECTORS ? CALVE_STR("PUFFIN") : CALVE_STR("PARQUET");
  calve_str target = data_path(data, sizeof data, i);
  calve_id_bytes bound = {2147483546, target}; /* file_path of position deletes                 */
  if (c->kind == BY_NAME || c->kind == VECTORS) e.file.referenced_data_file = target;
  if (c->kind == VECTORS) {
    e.file.content_offset = 4;
    e.file.content_size_bytes = 40;
  }
  if (c->kind == BY_BOUNDS) {
    e.file.lower_bounds = (calve_id_bytes_list){&bound, 1};
    e.file.upper_bounds = (calve_id_bytes_list){&bound, 1};
  }
  calve_id_bytes last = {bound.id, data_path(last_data, sizeof last_data,
                                             c->kind == RANGES ? i + 1 : c->count)};
  if (c->kind == OLD_RANGES) bound.value = data_path(data, sizeof data, 0);
  if (c->kind == RANGES || c->kind == OLD_RANGES) {
    e.file.lower_bounds = (calve_id_bytes_list){&bound, 1};
    e.file.upper_bounds = (calve_id_bytes_list){&last, 1};
  }
  if (e.file.content == CALVE_CONTENT_EQUALITY_DELETES)
    e.file.equality_ids = (calve_i32_list){ids, 1};
  fail_on(calve_delete_index_add(index, &e, is_partitioned(c->kind) ? &by_day : &unpartitioned,
                                 &err),
          &err);
}

static int64_t find_all(const calve_delete_index *index, const case_files *c) {
  calve_arena arena;
  calve_error err;
  int64_t assigned = 0;
  calve_arena_init(&arena, NULL);
  for (int64_t i = 0; i < c->count; i++) {
    char text[96];
    calve_value tuple;
    calve_data_file f = calve_data_file_blank();
    const calve_delete_file *const *deletes;
    size_t count;
    set_place(c, i, &tuple, &f);
    f.path = data_path(text, sizeof text, i);
    f.format = CALVE_STR("PARQUET");
    int64_t sequence_number = is_by_age(c->kind) ? 2 * c->count - 1 : 1;
    if (i % 1024 == 0) calve_arena_reset(&arena);
    fail_on(calve_delete_index_find(index, &f, sequence_number, &arena, &deletes, &count, &err),
            &err);
    assigned += (int64_t)count;
  }
  calve_arena_free(&arena);
  return assigned;
}

/* A function of its own, so that callgrind can count its instructions (tests/perf). */
__attribute__((noinline)) static void run_case(const case_files *c) {
  calve_delete_index *index;
  calve_error err;
  int copies = c->kind == VECTORS || c->kind == RANGES ? 1 : 2;
  double start = cpu_ms();
  fail_on(calve_delete_index_make(NULL, &index, &err), &err);
  for (int64_t i = 0; i < c->count; i++)
    for (int copy = 0; copy < copies; copy++) add_delete(index, c, i, copy);
  fail_on(calve_delete_index_seal(index, NULL, &err), &err);
  int64_t assigned = find_all(index, c);
  calve_delete_index_free(index);
  double ms = cpu_ms() - start;
  printf("%-24s %8" PRId64 " %9.2f ms %7.0f ns a file %9" PRId64 " assigned\n", kind_names[c->kind],
         c->count, ms, ms * 1e6 / (double)c->count, assigned);
  fflush(stdout);
}

int main(int argc, char **argv) {
  int64_t largest = argc > 1 ? strtoll(argv[1], NULL, 10) : 200000;
  long only = argc > 2 ? strtol(argv[2], NULL, 10) : -1;
  if (largest < 8 || only > OLD_RANGES) {
    fprintf(stderr, "usage: bench_deletes [COUNT [KIND]]\n");
    return 2;
  }
  if (only >= 0) {
    run_case(&(case_files){(delete_kind)only, largest});
    return 0;
  }
  for (int kind = BY_NAME; kind <= OLD_RANGES; kind++)
    for (int64_t count = largest / 8; count <= largest; count *= 2)
      run_case(&(case_files){(delete_kind)kind, count});
  return 0;
}
