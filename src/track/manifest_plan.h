/* SPDX-License-Identifier: Apache-2.0 */
/* track/manifest_plan: what opening a manifest compiles for reading its blocks.
 * In: made by manifest_open. Out: used by manifest_read. Nobody else includes it. Never outlives
 * the arena the manifest was opened in. [spec: Manifests] */
#ifndef CALVE_TRACK_MANIFEST_PLAN_H
#define CALVE_TRACK_MANIFEST_PLAN_H

#include "codec/avro_reader.h"
#include "model/spec.h"

/* What the schema of a manifest means to a reader. Manifests with the same text of it, spec and
 * content share one. */
typedef struct calve_track__form {
  calve_str schema_text;
  const calve_spec *spec;
  int32_t content;
  const calve_avro_type *schema;
  const calve_type *const *partition_types;
  const calve_avro_program *program;
  /* For files whose writer put a length before fixed partition values, against the file's own
   * schema. NULL when no value is fixed. Which form a file has shows itself: only one of them ends
   * exactly at the end of every block. */
  const calve_avro_program *prefixed;
} calve_track__form;

/* What a reader compiled for its file, or found compiled. */
struct calve_track__plan {
  const calve_avro_program *program, *prefixed; /* of its form                                  */
  bool is_prefixed;
  size_t tuple_count;
};

#endif
