/* SPDX-License-Identifier: Apache-2.0 */
/* track/delete_ranges: which of very many ranges of paths hold a path; private to track.
 * In: ranges by sequence number, then paths. Out: for each path the ranges that hold it and are new
 * enough, found in time that grows with their number and the logarithm of all. For delete_index.
 * Never looks at a range twice. [spec: Scan Planning, Delete Files] */
#ifndef CALVE_TRACK_DELETE_RANGES_H
#define CALVE_TRACK_DELETE_RANGES_H

#include "base/arena.h"
#include "base/text.h"

/* Paths from lower to upper, both included; an absent end is open. */
typedef struct calve_track__range {
  calve_str lower, upper; /* borrowed                                                           */
  int64_t sequence_number;
} calve_track__range;

/* One end of a range: paths are behind it when they are above `path`, or equal to a lower one. */
typedef struct calve_track__range_end {
  calve_str path;
  bool is_upper;
  uint32_t range;
} calve_track__range_end;

/* A segment tree: between two ends no path differs from another, so each such place is a leaf, and
 * a range is noted at the few nodes that together make up its leaves. The ranges that hold a path
 * are those noted from its leaf up to the root. */
typedef struct calve_track__ranges {
  const calve_track__range *ranges;
  size_t end_count;
  const calve_track__range_end *ends; /* sorted                                                 */
  const uint32_t *starts; /* of each node's notes; node 1 is the root, leaves are last          */
  const uint32_t *notes;  /* numbers of ranges; of one node: going up                           */
} calve_track__ranges;

/* `ranges` go up by sequence number, are at most 2^26, and are borrowed. CALVE_ENOMEM;
 * CALVE_ECANCELLED soon after the token (may be NULL) is set. */
CALVE_MUST_USE calve_status calve_track__ranges_make(const calve_track__range *ranges,
                                                     size_t count, const calve_cancel *cancel,
                                                     calve_arena *arena, calve_track__ranges *out,
                                                     calve_error *err);
/* How many hold the path and have at least that sequence number. */
size_t calve_track__ranges_count(const calve_track__ranges *r, calve_str path,
                                 int64_t sequence_number);
/* Their numbers, going up, into out, which has room for them all. */
void calve_track__ranges_find(const calve_track__ranges *r, calve_str path,
                              int64_t sequence_number, uint32_t *out);

#endif
