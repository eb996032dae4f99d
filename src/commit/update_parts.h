/* SPDX-License-Identifier: Apache-2.0 */
/* commit/update_parts: what a snapshot update recorded; private to commit.
 * In: wishes from snapshot_update.c. Out: borrowed lists for the files that carry them out. */
#ifndef CALVE_COMMIT_UPDATE_PARTS_H
#define CALVE_COMMIT_UPDATE_PARTS_H

#include "base/buffer.h"
#include "base/map.h"
#include "commit/snapshot_update.h"
#include "model/snapshot.h"

typedef struct calve_commit__removal {
  calve_str path;
  calve_str key; /* calve_path_key                                                              */
  int32_t spec_id;
} calve_commit__removal;

struct calve_snapshot_update {
  const calve_allocator *allocator;
  calve_arena arena;
  calve_buffer added;   /* calve_data_file                                                      */
  calve_buffer removed; /* calve_commit__removal                                                */
  calve_map added_keys, removed_keys;
  const calve_predicate *filter; /* NULL: none                                                  */
  bool replace_partitions;
  calve_str branch;     /* absent: main                                                         */
  calve_buffer summary; /* calve_property                                                       */
  calve_commit_checks checks;
};

#endif
