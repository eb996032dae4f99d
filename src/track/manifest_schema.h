/* SPDX-License-Identifier: Apache-2.0 */
/* track/manifest_schema: the Avro schemas that manifests and lists are written with.
 * In: a format version, a spec and the types of its tuple. Out: JSON. Private to the writers.
 * Never writes two types of one name: some readers know no references. [spec: Manifests; Manifest
 * Lists; Appendix A: Avro] */
#ifndef CALVE_TRACK_MANIFEST_SCHEMA_H
#define CALVE_TRACK_MANIFEST_SCHEMA_H

#include "model/spec.h"

/* Partition fields get their names made valid for Avro; names that become equal, a number.
 * A field whose type is NULL is left out. */
void calve_track__put_manifest_schema(calve_buffer *json, int32_t format_version,
                                      const calve_spec *spec,
                                      const calve_type *const *partition_types);
void calve_track__put_list_schema(calve_buffer *json, int32_t format_version);

#endif
