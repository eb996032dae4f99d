/* SPDX-License-Identifier: Apache-2.0 */
/* commit/target: the one table that a commit is about, as its catalog shows it.
 * In: nothing; a table of functions that catalog fills for each kind of catalog. Out: current
 * metadata, and the atomic swap. Called by commit only. A target is for one thread at a time.
 * [spec: Optimistic Concurrency]                                                                 */
#ifndef CALVE_COMMIT_TARGET_H
#define CALVE_COMMIT_TARGET_H

#include "model/metadata.h"
#include "store/store.h"

/* A table at one moment. Everything lives in the arena it was loaded into. */
typedef struct calve_table_state {
  const calve_metadata *metadata;
  calve_str metadata_location;
  int64_t version; /* filesystem tables: N of vN.metadata.json; -1 elsewhere                    */
} calve_table_state;

/* Time comes from outside, so that tests need no clock and no sleep. */
typedef struct calve_commit_clock {
  void *ctx;
  int64_t (*now_ms)(void *ctx);
  bool (*sleep_ms)(void *ctx, int64_t ms); /* false: it was cancelled                           */
} calve_commit_clock;

typedef struct calve_commit_target {
  void *ctx;
  const char *name;         /* of the table, for errors                                         */
  const calve_store *store; /* reads and writes all that the table names                        */
  const calve_allocator *allocator;
  calve_commit_clock clock;
  /* The table now. CALVE_ENOTFOUND when there is none. */
  calve_status (*load)(void *ctx, calve_arena *arena, calve_table_state *out, calve_error *err);
  /* Writes `json` as a new metadata file and makes it current if `base` still is; base NULL makes
   * a new table. *location and *version name what was tried, also when it fails.
   * CALVE_ECONFLICT (CALVE_EEXISTS for a new table): base is not current any more. CALVE_EUNKNOWN:
   * nobody knows; the file stays. Anything else: it did not happen, and the file is gone. */
  calve_status (*swap)(void *ctx, const calve_table_state *base, const calve_metadata *metadata,
                       calve_str json, calve_arena *arena, calve_str *location, int64_t *version,
                       calve_error *err);
  /* After CALVE_EUNKNOWN: CALVE_OK when it did happen, CALVE_EUNKNOWN when nothing can be proved.
   * Else it never will, and the new file is gone: CALVE_ECONFLICT when base is not current any
   * more, CALVE_EIO when it still is. */
  calve_status (*settle)(void *ctx, const calve_table_state *base, calve_str location,
                         calve_str json, calve_error *err);
} calve_commit_target;

#endif
