/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ordered.h"

#include <assert.h>
#include <pthread.h>

#include "base/number.h"

typedef struct result {
  bool done;
  calve_status status;
  calve_error error; /* only when status is a failure */
} result;

/* Indices move through: not claimed | running | done | held by the consumer | released. Claims and
 * deliveries both go upwards, so counters tell the states apart; the lock is taken a few times a
 * task and never while one runs. */
struct calve_ordered {
  calve_ordered_options options;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  size_t end;       /* tasks from here on are not begun: the count, or behind a failure */
  size_t claimed;   /* tasks below are running or done */
  size_t delivered; /* tasks below were given to the consumer */
  bool held;        /* the last delivered one is still the consumer's */
  bool stopping;    /* no more claims */
  size_t running;   /* inside fn now */
  size_t jobs;      /* submitted to the executor and not yet ended */
  size_t owners;    /* the consumer and each job: the last one frees */
  result *results;  /* by slot; gone after close */
};

static const calve_allocator *allocator_of(const calve_ordered_options *options) {
  return options->allocator ? options->allocator : calve_default_allocator();
}

static void free_results(calve_ordered *o) {
  const calve_allocator *a = allocator_of(&o->options);
  if (o->results) a->resize(a->ctx, o->results, o->options.window * sizeof(result), 0);
  o->results = NULL;
}

/* An executor may get to a job long after close, when the caller's allocator is gone: this head,
 * which jobs look at, is the default one's. */
static void free_head(calve_ordered *o) {
  const calve_allocator *a = calve_default_allocator();
  a->resize(a->ctx, o, sizeof *o, 0);
}

static void destroy(calve_ordered *o) {
  pthread_cond_destroy(&o->changed);
  pthread_mutex_destroy(&o->lock);
  free_head(o);
}

/* Gives up one ownership, and the lock. */
static void release(calve_ordered *o) {
  bool last = --o->owners == 0;
  pthread_mutex_unlock(&o->lock);
  if (last) destroy(o);
}

static calve_status make(const calve_ordered_options *options, calve_ordered **out,
                         calve_error *err) {
  size_t window = options->window, size;
  if (window > options->task_count) window = options->task_count > 0 ? options->task_count : 1;
  if (!calve_mul_size(window, sizeof(result), &size)) return calve_fail_oom(err);
  const calve_allocator *a = allocator_of(options), *own = calve_default_allocator();
  result *results = a->resize(a->ctx, NULL, 0, size);
  if (!results) return calve_fail_oom(err);
  for (size_t i = 0; i < window; i++) results[i].done = false;
  calve_ordered *o = own->resize(own->ctx, NULL, 0, sizeof *o);
  if (!o) {
    a->resize(a->ctx, results, size, 0);
    return calve_fail_oom(err);
  }
  *o = (calve_ordered){
      .options = *options, .end = options->task_count, .owners = 1, .results = results};
  o->options.window = window;
  *out = o;
  return CALVE_OK;
}

calve_status calve_ordered_open(const calve_ordered_options *options, calve_ordered **out,
                                calve_error *err) {
  assert(options->window > 0 && options->fn);
  calve_ordered *o;
  CALVE_TRY(make(options, &o, err));
  bool locked = pthread_mutex_init(&o->lock, NULL) == 0;
  if (!locked || pthread_cond_init(&o->changed, NULL) != 0) {
    if (locked) pthread_mutex_destroy(&o->lock);
    free_results(o);
    free_head(o);
    return calve_fail_oom(err);
  }
  *out = o;
  return CALVE_OK;
}

/* How many tasks may be begun now. */
static size_t claimable(const calve_ordered *o) {
  if (o->stopping) return 0;
  size_t limit = o->delivered - o->held + o->options.window;
  if (limit > o->end) limit = o->end;
  return limit > o->claimed ? limit - o->claimed : 0;
}

/* Begins the next task if one may be; the lock is free while it runs. */
static bool run_one(calve_ordered *o) {
  if (claimable(o) == 0) return false;
  size_t index = o->claimed++, slot = index % o->options.window;
  result *r = &o->results[slot];
  o->running++;
  pthread_mutex_unlock(&o->lock);

  r->status = calve_cancel_look(o->options.cancel, &r->error);
  if (r->status == CALVE_OK)
    r->status = o->options.fn(o->options.arg, index, slot, &r->error);

  pthread_mutex_lock(&o->lock);
  r->done = true;
  o->running--;
  if (r->status != CALVE_OK && o->end > index + 1) o->end = index + 1;
  pthread_cond_broadcast(&o->changed);
  return true;
}

static void job(void *arg) {
  calve_ordered *o = arg;
  pthread_mutex_lock(&o->lock);
  while (run_one(o)) continue;
  o->jobs--;
  release(o);
}

/* Called with the lock, which is free while the executor is asked: it may call the job at once. */
static void start_jobs(calve_ordered *o) {
  const calve_executor *executor = o->options.executor;
  if (!executor) return;
  size_t wanted = claimable(o);
  for (; wanted > 0 && o->jobs < executor->worker_count; wanted--) {
    o->jobs++;
    o->owners++;
    pthread_mutex_unlock(&o->lock);
    bool taken = executor->submit(executor->ctx, job, o);
    pthread_mutex_lock(&o->lock);
    if (taken) continue;
    o->jobs--;
    o->owners--;
    break;
  }
}

static calve_status deliver(calve_ordered *o, size_t *index, size_t *slot, bool *more,
                            calve_error *err) {
  size_t at = o->delivered % o->options.window;
  const result *r = &o->results[at];
  if (r->status != CALVE_OK) {
    o->stopping = true;
    if (err) *err = r->error;
    return r->status;
  }
  *index = o->delivered++;
  *slot = at;
  *more = true;
  o->held = true;
  return CALVE_OK;
}

calve_status calve_ordered_next(calve_ordered *o, size_t *index, size_t *slot, bool *more,
                                calve_error *err) {
  CALVE_TRY(calve_cancel_look(o->options.cancel, err));
  calve_status status = CALVE_OK;
  pthread_mutex_lock(&o->lock);
  if (o->held) {
    o->held = false;
    o->results[(o->delivered - 1) % o->options.window].done = false;
  }
  if (o->delivered == o->options.task_count) {
    *more = false;
  } else {
    start_jobs(o);
    /* Claims go upwards, so that the task that is waited for is begun before any other; while
     * another thread has it, this one does what comes after. */
    while (!o->results[o->delivered % o->options.window].done)
      if (!run_one(o)) pthread_cond_wait(&o->changed, &o->lock);
    status = deliver(o, index, slot, more, err);
  }
  pthread_mutex_unlock(&o->lock);
  return status;
}

void calve_ordered_close(calve_ordered *o) {
  if (!o) return;
  pthread_mutex_lock(&o->lock);
  o->stopping = true;
  while (o->running > 0) pthread_cond_wait(&o->changed, &o->lock);
  free_results(o);
  release(o);
}
