/* SPDX-License-Identifier: Apache-2.0 */
/* base/ordered: work done in parallel whose results are taken in order.
 * In: a count of tasks and a function. Out: the tasks' results, one after the other, by index.
 * May be used by every room. At most `window` tasks are begun but not yet taken, so that memory is
 * bounded however slow the consumer is. Never runs a task twice, never one behind a failure or a
 * close. Without an executor everything runs in the thread that calls next. */
#ifndef CALVE_BASE_ORDERED_H
#define CALVE_BASE_ORDERED_H

#include "base/status.h"

typedef struct calve_ordered calve_ordered;

/* Does task `index`, on any thread. What it makes belongs to a slot, 0 to window - 1: the caller
 * keeps an array of that many states (arena, buffers, codec), and a slot is in one hand at a time.
 * Looks at the cancel token by itself when it takes long. */
typedef calve_status calve_ordered_fn(void *arg, size_t index, size_t slot, calve_error *err);

typedef struct calve_ordered_options {
  const calve_executor *executor;   /* NULL: the caller's thread alone                          */
  const calve_cancel *cancel;       /* may be NULL                                              */
  const calve_allocator *allocator; /* NULL is the default one; else usable from any thread     */
  size_t task_count;
  size_t window; /* at least 1; worker_count + 3 or more keeps all threads busy                 */
  calve_ordered_fn *fn;
  void *arg;
} calve_ordered_options;

/* Starts nothing yet. executor, cancel, allocator and arg are borrowed until close, also when the
 * executor runs a job only afterwards: it finds nothing to do. */
CALVE_MUST_USE calve_status calve_ordered_open(const calve_ordered_options *options,
                                               calve_ordered **out, calve_error *err);

/* Waits for the next task in order, working meanwhile. *slot is the caller's until the next call of
 * next or close; *more is false behind the last task. A task's failure comes at its place in the
 * order, and then again each time. CALVE_ECANCELLED as soon as the token is set. */
CALVE_MUST_USE calve_status calve_ordered_next(calve_ordered *o, size_t *index, size_t *slot,
                                               bool *more, calve_error *err);

/* Waits for tasks that run; those not begun never do. NULL is fine. */
void calve_ordered_close(calve_ordered *o);

#endif
