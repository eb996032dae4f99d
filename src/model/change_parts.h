/* SPDX-License-Identifier: Apache-2.0 */
/* model/change_parts: what the files that apply changes share.
 * In: one change. Out: metadata under construction. For change_*.c of model only. Pure.
 * [open-api: TableUpdate] */
#ifndef CALVE_MODEL_CHANGE_PARTS_H
#define CALVE_MODEL_CHANGE_PARTS_H

#include "model/change.h"
#include "model/metadata_parts.h"

enum { CALVE_CHANGE_NONE = -1, CALVE_CHANGE_LAST_ADDED = -1 };

/* Lists of `m` are base's until something is appended: a capacity of 0 says that. */
typedef struct calve_applying {
  calve_arena *arena;
  const calve_metadata *base;
  int64_t now_ms;
  calve_metadata m;
  int32_t last_schema_id, last_spec_id, last_order_id; /* added here; CALVE_CHANGE_NONE           */
  calve_map added;   /* snapshots added here: id -> any                                         */
  calve_map removed; /* snapshots removed here: id -> any                                       */
  size_t schema_capacity, spec_capacity, order_capacity;
  size_t snapshot_capacity, ref_capacity, log_capacity;
} calve_applying;

calve_status calve_change__add_schema(calve_applying *a, const calve_change *c, calve_error *err);
calve_status calve_change__set_current_schema(calve_applying *a, const calve_change *c,
                                              calve_error *err);
calve_status calve_change__remove_schemas(calve_applying *a, const calve_change *c,
                                          calve_error *err);
calve_status calve_change__add_spec(calve_applying *a, const calve_change *c, calve_error *err);
calve_status calve_change__set_default_spec(calve_applying *a, const calve_change *c,
                                            calve_error *err);
calve_status calve_change__remove_specs(calve_applying *a, const calve_change *c, calve_error *err);
calve_status calve_change__add_sort_order(calve_applying *a, const calve_change *c,
                                          calve_error *err);
calve_status calve_change__set_default_sort_order(calve_applying *a, const calve_change *c,
                                                  calve_error *err);
calve_status calve_change__add_snapshot(calve_applying *a, const calve_change *c, calve_error *err);
calve_status calve_change__remove_snapshots(calve_applying *a, const calve_change *c,
                                            calve_error *err);
calve_status calve_change__set_ref(calve_applying *a, const calve_change *c, calve_error *err);
calve_status calve_change__remove_ref(calve_applying *a, const calve_change *c, calve_error *err);
/* Once all changes are in: entries of the snapshot log that no longer hold are cut. */
calve_status calve_change__mend_log(calve_applying *a, calve_error *err);

/* Room for one more element behind `count`, in a list that may still be base's. */
void *calve_change__room(calve_applying *a, const void *items, size_t count, size_t *capacity,
                         size_t item_size_bytes);

#endif
