/* SPDX-License-Identifier: Apache-2.0 */
/* data/durable: folders and files that the engine writes, made durable together.
 * In: plain local paths. Out: files that survive a crash. For data/write. A few files are synced
 * one by one; very many by one call for each file system, which takes seconds instead of minutes.
 */
#ifndef CALVE_DATA_DURABLE_H
#define CALVE_DATA_DURABLE_H

#include "base/arena.h"

typedef struct calve_durable {
  calve_str last_folder; /* borrowed: the one that was asked for last                           */
  size_t fresh_count;    /* folders made whose parents do not know them durably yet             */
} calve_durable;

/* The folder of a file, made when it is not there; durable after calve_durable_sync only. The path
 * must live until then. */
CALVE_MUST_USE calve_status calve_durable_folder(calve_durable *d, calve_str file,
                                                 calve_error *err);
/* All files, and the folders that were made for them. Paths end in a NUL. */
CALVE_MUST_USE calve_status calve_durable_sync(const calve_durable *d, const calve_str *files,
                                               size_t count, calve_error *err);

#endif
