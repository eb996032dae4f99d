/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/abi.h"

#define THREADS_MAX ((size_t)256)
#define QUEUE_MAX   ((size_t)1024)

typedef struct job {
  void (*fn)(void *arg);
  void *arg;
} job;

struct calve_thread_pool {
  calve_executor executor; /* what the outside sees; its ctx is this pool */
  const calve_allocator *allocator;
  size_t size_bytes;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  job queue[QUEUE_MAX]; /* a ring */
  size_t first, queued;
  size_t started, idle;
  bool stopping;
  pthread_t threads[]; /* worker_count of them */
};

void calve_cancel_set(calve_cancel *cancel) {
  if (cancel) __atomic_store_n(&cancel->flag, 1, __ATOMIC_RELEASE);
}

bool calve_cancel_is_set(const calve_cancel *cancel) {
  return cancel && __atomic_load_n(&cancel->flag, __ATOMIC_ACQUIRE) != 0;
}

calve_status calve_cancel_look(const calve_cancel *cancel, calve_error *err) {
  if (!calve_cancel_is_set(cancel)) return CALVE_OK;
  return calve_fail(err, CALVE_ECANCELLED, NULL, "cancelled");
}

static void *work(void *arg) {
  calve_thread_pool *pool = arg;
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    while (pool->queued == 0 && !pool->stopping) {
      pool->idle++;
      pthread_cond_wait(&pool->changed, &pool->lock);
      pool->idle--;
    }
    if (pool->queued == 0) break;
    job next = pool->queue[pool->first];
    pool->first = (pool->first + 1) % QUEUE_MAX;
    pool->queued--;
    pthread_mutex_unlock(&pool->lock);
    next.fn(next.arg);
    pthread_mutex_lock(&pool->lock);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

/* Signals are for the embedder's threads: a new thread inherits a mask that blocks them all. */
static bool start_thread(calve_thread_pool *pool) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
  bool ok = pthread_create(&pool->threads[pool->started], NULL, work, pool) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pool->started += ok;
  return ok;
}

static bool submit(void *ctx, void (*fn)(void *arg), void *arg) {
  calve_thread_pool *pool = ctx;
  pthread_mutex_lock(&pool->lock);
  if (pool->queued >= pool->idle && pool->started < pool->executor.worker_count)
    (void)start_thread(pool); /* without it the others have to do */
  bool taken = pool->started > 0 && pool->queued < QUEUE_MAX && !pool->stopping;
  if (taken) {
    pool->queue[(pool->first + pool->queued) % QUEUE_MAX] = (job){fn, arg};
    pool->queued++;
    pthread_cond_signal(&pool->changed);
  }
  pthread_mutex_unlock(&pool->lock);
  return taken;
}

static size_t processor_count(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (size_t)n : 1;
}

calve_status calve_thread_pool_make(size_t thread_count, const calve_allocator *allocator,
                                    calve_thread_pool **out, calve_error *err) {
  if (thread_count == 0) thread_count = processor_count();
  if (thread_count > THREADS_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "%zu threads are more than the %zu that are allowed",
                      thread_count, THREADS_MAX);
  CALVE_TRY(calve_allocator_check(allocator, err));
  const calve_allocator *a = allocator ? allocator : calve_default_allocator();
  size_t worker_count = thread_count - 1;
  size_t size = sizeof(calve_thread_pool) + worker_count * sizeof(pthread_t);
  calve_thread_pool *pool = a->resize(a->ctx, NULL, 0, size);
  if (!pool) return calve_fail_oom(err);
  *pool = (calve_thread_pool){.executor = {sizeof(calve_executor), pool, worker_count, submit},
                              .allocator = a,
                              .size_bytes = size};
  bool locked = pthread_mutex_init(&pool->lock, NULL) == 0;
  if (!locked || pthread_cond_init(&pool->changed, NULL) != 0) {
    if (locked) pthread_mutex_destroy(&pool->lock);
    a->resize(a->ctx, pool, size, 0);
    return calve_fail_oom(err);
  }
  *out = pool;
  return CALVE_OK;
}

const calve_executor *calve_thread_pool_executor(const calve_thread_pool *pool) {
  return pool ? &pool->executor : NULL;
}

void calve_thread_pool_free(calve_thread_pool *pool) {
  if (!pool) return;
  pthread_mutex_lock(&pool->lock);
  pool->stopping = true;
  size_t started = pool->started;
  pthread_cond_broadcast(&pool->changed);
  pthread_mutex_unlock(&pool->lock);
  for (size_t i = 0; i < started; i++) pthread_join(pool->threads[i], NULL);
  pthread_cond_destroy(&pool->changed);
  pthread_mutex_destroy(&pool->lock);
  const calve_allocator *a = pool->allocator;
  a->resize(a->ctx, pool, pool->size_bytes, 0);
}
