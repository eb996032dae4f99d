/* SPDX-License-Identifier: Apache-2.0 */
/* track/partition_summary: gathers what a manifest list says about a manifest's partition values.
 * In: tuples. Out: one calve_field_summary per field. Private to the manifest writer. Never keeps a
 * borrowed value: smallest and greatest are copied. [spec: Manifest Lists, field_summary] */
#ifndef CALVE_TRACK_PARTITION_SUMMARY_H
#define CALVE_TRACK_PARTITION_SUMMARY_H

#include "expr/evaluate.h"

typedef struct calve_track__summary {
  bool contains_null, contains_nan, has_bounds;
  calve_value lower, upper; /* their bytes are in the buffers                                   */
  calve_buffer lower_bytes, upper_bytes;
} calve_track__summary;

void calve_track__summary_init(calve_track__summary *s, const calve_allocator *allocator);
void calve_track__summary_free(calve_track__summary *s);
CALVE_MUST_USE calve_status calve_track__summary_add(calve_track__summary *s, const calve_value *v,
                                                     calve_error *err);
CALVE_MUST_USE calve_status calve_track__summary_get(const calve_track__summary *s,
                                                     calve_arena *arena, calve_field_summary *out,
                                                     calve_error *err);

#endif
