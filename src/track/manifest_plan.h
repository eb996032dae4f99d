/* SPDX-License-Identifier: Apache-2.0 */
/* track/manifest_plan: what opening a manifest compiles for reading its blocks.
 * In: made by manifest_open. Out: used by manifest_read. Nobody else includes it. Never outlives
 * the arena the manifest was opened in. [spec: Manifests] */
#ifndef CALVE_TRACK_MANIFEST_PLAN_H
#define CALVE_TRACK_MANIFEST_PLAN_H

#include "codec/avro_reader.h"

/* What a reader compiled for its file. */
struct calve_track__plan {
  const calve_avro_program *program;
  /* For files whose writer put a length before fixed partition values, against the file's own
   * schema. NULL when no value is fixed. Which form a file has shows itself: only one of them ends
   * exactly at the end of every block. */
  const calve_avro_program *prefixed;
  bool is_prefixed;
  size_t tuple_count;
};

#endif
