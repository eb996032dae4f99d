/* SPDX-License-Identifier: Apache-2.0 */
/* model/name_mapping: names of columns in data files that carry no field ids.
 * In: the JSON of schema.name-mapping.default. Out: a tree; and back. May be used by evolve and
 * data.
 * Never guesses by position. [spec: Column Projection; Appendix C: Name mapping serialization] */
#ifndef CALVE_MODEL_NAME_MAPPING_H
#define CALVE_MODEL_NAME_MAPPING_H

#include "model/schema.h"

typedef struct calve_mapped_field {
  int32_t field_id; /* -1 when absent: names that are known and ignored                         */
  size_t name_count;
  const calve_str *names; /* literal names: a dot is part of the name                           */
  size_t child_count;
  const struct calve_mapped_field *children;
} calve_mapped_field;

typedef struct calve_name_mapping {
  size_t field_count;
  const calve_mapped_field *fields;
} calve_name_mapping;

CALVE_MUST_USE calve_status calve_name_mapping_parse(calve_str json, calve_arena *arena,
                                                     const calve_name_mapping **out,
                                                     calve_error *err);
void calve_name_mapping_write_json(const calve_name_mapping *m, calve_json_writer *w);
/* The mapping that names each field of a schema by its own name. */
CALVE_MUST_USE calve_status calve_name_mapping_of(const calve_schema *schema, calve_arena *arena,
                                                  const calve_name_mapping **out,
                                                  calve_error *err);
/* The same for the fields below a type: empty for a primitive one. */
CALVE_MUST_USE calve_status calve_name_mapping_of_type(const calve_type *type, calve_arena *arena,
                                                       const calve_name_mapping **out,
                                                       calve_error *err);
/* Field `name` among count siblings; NULL when there is none. */
const calve_mapped_field *calve_mapped_field_find(const calve_mapped_field *fields, size_t count,
                                                  calve_str name);

#endif
