/* SPDX-License-Identifier: Apache-2.0 */
/* data/bounds: lower and upper bounds as a manifest keeps them: cut to a length, always sound.
 * In: the exact minimum or maximum of a column. Out: single-value bytes, or nothing when no bound
 * of that length exists. Pure. [spec: Data File Fields; Appendix D; reference: metrics modes] */
#ifndef CALVE_DATA_BOUNDS_H
#define CALVE_DATA_BOUNDS_H

#include "base/arena.h"
#include "model/snapshot.h"
#include "model/value.h"

typedef enum calve_metrics_kind {
  CALVE_METRICS_NONE,
  CALVE_METRICS_COUNTS,
  CALVE_METRICS_TRUNCATE, /* length: code points of strings, bytes of binaries                  */
  CALVE_METRICS_FULL
} calve_metrics_kind;

typedef struct calve_metrics_mode {
  calve_metrics_kind kind;
  int32_t length;
} calve_metrics_mode;

/* "none", "counts", "truncate(16)", "full" in any case; false for anything else. */
bool calve_metrics_mode_parse(calve_str text, calve_metrics_mode *out);

/* The bound's bytes in the arena; absent (data NULL) when there is none: a null value, NaN, a mode
 * without bounds, or an upper bound that can't be raised. A zero of a float column becomes -0.0 as
 * a lower and 0.0 as an upper bound, because min and max take the two for equal. */
CALVE_MUST_USE calve_status calve_bound_bytes(const calve_value *v, bool upper,
                                              calve_metrics_mode mode, calve_arena *arena,
                                              calve_str *out, calve_error *err);

#endif
