/* SPDX-License-Identifier: Apache-2.0 */
/* model/metadata_parts: what the files that read, check and change metadata share.
 * In: metadata under construction. Out: the same, linked and checked. For metadata_*.c and
 * change_*.c of model only. Does no IO. [spec: Table Metadata] */
#ifndef CALVE_MODEL_METADATA_PARTS_H
#define CALVE_MODEL_METADATA_PARTS_H

#include "base/map.h"
#include "model/metadata.h"

#define CALVE_MAIN_BRANCH CALVE_STR("main")

/* Clocks of writers may differ by this much before logs count as out of order. */
#define CALVE_CLOCK_SKEW_MS 60000

/* Fills schema, spec, sort_order and snapshots_by_id from the lists and ids. Refuses ids that are
 * missing or stand twice; a default sort order that is missing is the unsorted one. */
calve_status calve_metadata__link(calve_metadata *m, const char *where, calve_arena *arena,
                                  calve_error *err);

/* The highest id of a partition field in any spec; 999 when there is none. */
int32_t calve_metadata__highest_partition_id(const calve_metadata *m);

/* "statistics", "partition-statistics" and "encryption-keys" are kept as text. This checks that
 * such an array has what the spec requires of its items. */
typedef enum calve_kept_array {
  CALVE_KEPT_STATISTICS,
  CALVE_KEPT_PARTITION_STATISTICS,
  CALVE_KEPT_ENCRYPTION_KEYS
} calve_kept_array;

calve_status calve_metadata__check_kept(calve_kept_array kind, calve_str json, const char *where,
                                        calve_arena *arena, bool *is_empty, calve_error *err);
/* The array without the items whose snapshot-id is a key of `removed`. */
calve_status calve_metadata__drop_kept(calve_str json, const calve_map *removed, calve_arena *arena,
                                       calve_str *out, calve_error *err);

#endif
