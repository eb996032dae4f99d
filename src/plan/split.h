/* SPDX-License-Identifier: Apache-2.0 */
/* plan/split: tasks cut at split offsets and packed into groups of about equal work.
 * In: tasks. Out: groups of pieces. May be used by data, sql and the C API. Deterministic; does no
 * IO. [reference: split planning: target size, open cost, lookback] */
#ifndef CALVE_PLAN_SPLIT_H
#define CALVE_PLAN_SPLIT_H

#include "plan/scan.h"

typedef struct calve_split_options {
  int64_t target_bytes;    /* read.split.target-size                                            */
  int64_t open_cost_bytes; /* read.split.open-file-cost                                         */
  int32_t lookback;        /* read.split.planning-lookback                                      */
} calve_split_options;

/* 128 MiB, 4 MiB, 10, or what the table's properties say. */
calve_split_options calve_split_options_of(const calve_properties *properties);

typedef struct calve_split {
  size_t task_index; /* into the tasks given                                                    */
  int64_t offset_bytes, length_bytes;
} calve_split;

typedef struct calve_split_group {
  size_t split_count;
  const calve_split *splits; /* by task, then offset                                            */
} calve_split_group;

/* Files with split offsets (or of a format that can be cut anywhere) are cut; pieces of one file
 * that end up side by side in a group are joined again. In the arena. */
CALVE_MUST_USE calve_status calve_split_tasks(const calve_scan_task *tasks, size_t task_count,
                                              const calve_split_options *options,
                                              calve_arena *arena, const calve_split_group **out,
                                              size_t *out_count, calve_error *err);

#endif
