/* SPDX-License-Identifier: Apache-2.0 */
/* model/partition_union: the partition fields of all specs of a table as one struct.
 * In: metadata. Out: the united fields and where each spec's fields went. For listings only:
 * nothing is planned by it. A field that two specs use for different transforms (v1 tables reuse
 * ids) appears twice, under two names. [spec: Partition Evolution; reference: partition metadata
 * tables] */
#ifndef CALVE_MODEL_PARTITION_UNION_H
#define CALVE_MODEL_PARTITION_UNION_H

#include "model/metadata.h"

typedef struct calve_united_field {
  calve_str name;         /* by the newest spec; unique                                         */
  int32_t field_id;
  calve_transform transform; /* void only if it never was anything else                         */
  int32_t source_id;
  const calve_type *type; /* of the values; CALVE_UNKNOWN when no schema has the source         */
} calve_united_field;

typedef struct calve_partition_union {
  int32_t field_count;
  const calve_united_field *fields; /* specs from the oldest, their fields in order             */
  const int32_t *const *places;     /* places[i][j]: field of spec number i's (in the order of
                                       metadata->specs) j-th field                              */
} calve_partition_union;

CALVE_MUST_USE calve_status calve_partition_union_make(const calve_metadata *m, calve_arena *arena,
                                                       const calve_partition_union **out,
                                                       calve_error *err);

#endif
