/* SPDX-License-Identifier: Apache-2.0 */
/* Cancels plans of the tables that bench_gen wrote, at times spread over the whole plan, and
 * measures how long it takes until the call that plans has returned.
 *
 *   bench_cancel FOLDER [THREADS [TIMES]]
 *
 * Processor time of the whole process says what is done after the cancel; wall time, on a busy
 * machine, says how long others kept the processors too. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "plan/scan.h"
#include "store/store.h"

static void fail_on(calve_status status, const calve_error *err) {
  if (status == CALVE_OK) return;
  fprintf(stderr, "bench_cancel: %s: %s\n", err->where, err->message);
  exit(1);
}

static double clock_ms(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

typedef struct canceller {
  calve_cancel cancel;
  double after_ms, set_wall_ms, set_cpu_ms;
} canceller;

static void *cancel_later(void *arg) {
  canceller *c = arg;
  struct timespec pause = {(time_t)(c->after_ms / 1e3), (long)(c->after_ms * 1e6) % 1000000000};
  nanosleep(&pause, NULL);
  c->set_wall_ms = clock_ms(CLOCK_MONOTONIC);
  c->set_cpu_ms = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
  calve_cancel_set(&c->cancel);
  return NULL;
}

typedef struct ending {
  calve_status status;
  double wall_ms, cpu_ms; /* when the call returned, and when all is freed                      */
  double closed_wall_ms, closed_cpu_ms;
} ending;

static ending plan(const calve_scan_params *params) {
  calve_error err;
  calve_scan *scan = NULL;
  ending e = {.status = calve_scan_open(params, &scan, &err)};
  for (size_t count = 1; e.status == CALVE_OK && count > 0;) {
    const calve_scan_task *tasks;
    e.status = calve_scan_next(scan, &tasks, &count, &err);
  }
  e.wall_ms = clock_ms(CLOCK_MONOTONIC);
  e.cpu_ms = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
  calve_scan_close(scan);
  e.closed_wall_ms = clock_ms(CLOCK_MONOTONIC);
  e.closed_cpu_ms = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
  if (e.status != CALVE_OK && e.status != CALVE_ECANCELLED) fail_on(e.status, &err);
  return e;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void print(const char *what, double *values, size_t count) {
  qsort(values, count, sizeof *values, compare);
  printf("  %-28s median %7.2f ms, 95 %% %7.2f ms, largest %7.2f ms\n", what, values[count / 2],
         values[count * 95 / 100], values[count - 1]);
}

static void measure(calve_scan_params *params, int times) {
  double start = clock_ms(CLOCK_MONOTONIC);
  plan(params);
  double whole_ms = clock_ms(CLOCK_MONOTONIC) - start;
  double *values = malloc(4 * (size_t)times * sizeof *values);
  if (!values) exit(1);
  double *wall = values, *cpu = wall + times, *closed = cpu + times, *closed_cpu = closed + times;
  size_t n = 0;
  for (int i = 0; i < times; i++) {
    canceller c = {.after_ms = whole_ms * (i + 0.5) / times};
    pthread_t thread;
    params->cancel = &c.cancel;
    if (pthread_create(&thread, NULL, cancel_later, &c) != 0) exit(1);
    ending e = plan(params);
    pthread_join(thread, NULL);
    if (e.status != CALVE_ECANCELLED) continue; /* it was faster                                */
    wall[n] = e.wall_ms - c.set_wall_ms;
    cpu[n] = e.cpu_ms - c.set_cpu_ms;
    closed[n] = e.closed_wall_ms - c.set_wall_ms;
    closed_cpu[n++] = e.closed_cpu_ms - c.set_cpu_ms;
  }
  printf("a plan of %.0f ms, cancelled %zu times\n", whole_ms, n);
  if (n > 0) {
    print("until it returns, wall", wall, n);
    print("until it returns, processor", cpu, n);
    print("until it is closed, wall", closed, n);
    print("until it is closed, processor", closed_cpu, n);
  }
  free(values);
}

int main(int argc, char **argv) {
  char path[4096];
  calve_arena arena;
  calve_error err;
  calve_str bytes;
  const calve_metadata *m;
  calve_thread_pool *pool;
  size_t threads = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 2;
  int times = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 100;
  if (argc < 2 || threads < 1 || threads > 64 || times < 1 || times > 100000) {
    fprintf(stderr, "usage: bench_cancel FOLDER [THREADS [TIMES]]\n");
    return 2;
  }
  snprintf(path, sizeof path, "%s/metadata/v1.metadata.json", argv[1]);
  calve_arena_init(&arena, NULL);
  fail_on(calve_store_read(calve_local_store(), calve_str_of(path), INT64_MAX / 2, &arena, &bytes,
                           &err),
          &err);
  fail_on(calve_metadata_parse(bytes, path, &arena, &m, &err), &err);
  fail_on(calve_thread_pool_make(threads, NULL, &pool, &err), &err);
  calve_scan_params params = {
      .metadata = m, .store = calve_local_store(), .executor = calve_thread_pool_executor(pool)};
  measure(&params, times);
  calve_thread_pool_free(pool);
  calve_arena_free(&arena);
  return 0;
}
