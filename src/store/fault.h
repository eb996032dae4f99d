/* SPDX-License-Identifier: Apache-2.0 */
/* store/fault: a store that fails on purpose; a test double.
 * In: a store and a script. Out: a store that behaves like it but for the scripted fault.
 * Calls are counted from 1 over open, pread, create, replace, stat, list and remove.             */
#ifndef CALVE_STORE_FAULT_H
#define CALVE_STORE_FAULT_H

#include <stdatomic.h>

#include "store/store.h"

typedef enum calve_fault_kind {
  CALVE_FAULT_NONE,
  CALVE_FAULT_CALL,          /* call number `at` fails with CALVE_EIO and does nothing           */
  CALVE_FAULT_CRASH,         /* after `at` writes every call fails: the process is gone          */
  CALVE_FAULT_LOST_RESPONSE, /* write number `at` happens, but says CALVE_EUNKNOWN               */
  CALVE_FAULT_LOST_WRITE,    /* write number `at` does not happen and says CALVE_EUNKNOWN        */
  CALVE_FAULT_NO_SPACE       /* writes from number `at` on fail with ENOSPC                      */
} calve_fault_kind;

typedef struct calve_fault_store {
  calve_store store; /* first member: hand out &fault.store                                     */
  const calve_store *inner;
  calve_fault_kind kind;
  long at;
  const char *only; /* faults only for paths that hold this text; NULL: all                     */
  atomic_long calls, writes; /* so far; writes are create, replace and remove                   */
} calve_fault_store;

/* The fault store must not move afterwards. */
void calve_fault_store_init(calve_fault_store *fault, const calve_store *inner,
                            calve_fault_kind kind, long at);

#endif
