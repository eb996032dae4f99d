/* SPDX-License-Identifier: Apache-2.0 */
/* model/spec: partition specs, their types, tuples and paths.
 * In: JSON; a schema to bind to. Out: immutable specs in an arena. May be used by every room below
 * model. Never chooses ids for evolution: that is evolve's. [spec: Partitioning; Partition
 * Evolution] */
#ifndef CALVE_MODEL_SPEC_H
#define CALVE_MODEL_SPEC_H

#include "model/schema.h"
#include "model/transform.h"

#define CALVE_PARTITION_FIELD_ID_START 1000

typedef struct calve_partition_field {
  int32_t source_id; /* the first of source_ids                                                 */
  int32_t field_id;
  calve_str name;
  calve_transform transform;
  int32_t source_count;      /* 1, or more for a multi-argument transform (v3 source-ids)       */
  const int32_t *source_ids; /* such fields are kept, never prune, and can't be written         */
} calve_partition_field;

typedef struct calve_spec {
  int32_t spec_id;
  int32_t field_count;
  const calve_partition_field *fields;
} calve_spec;

/* Reads {"spec-id":…,"fields":[…]}; fields without field-id get 1000, 1001, … [spec: Appendix C].
 * Also the bare list of v1's "partition-spec" (spec id then 0). */
CALVE_MUST_USE calve_status calve_spec_read_json(calve_json_reader *r, const calve_spec **out,
                                                 calve_error *err);
CALVE_MUST_USE calve_status calve_spec_parse(calve_str json, const char *where, calve_arena *arena,
                                             const calve_spec **out, calve_error *err);
void calve_spec_write_json(const calve_spec *s, calve_json_writer *w);
void calve_spec_write_json_fields(const calve_spec *s, calve_json_writer *w); /* the list only  */
/* One field in the JSON form, for messages and listings. */
void calve_partition_field_write_json(const calve_partition_field *f, calve_json_writer *w);

bool calve_spec_is_unpartitioned(const calve_spec *s); /* no fields, or void ones only           */
const calve_partition_field *calve_spec_find_name(const calve_spec *s, calve_str name);
bool calve_spec_equal(const calve_spec *a, const calve_spec *b); /* ids, names, all              */
/* Same transforms on the same sources under the same names, in order; field ids may differ: the
 * reference's `compatibleWith`, by which an existing spec is reused. */
bool calve_spec_compatible(const calve_spec *a, const calve_spec *b);

/* The rules for a new spec against a schema: sources exist (but for void) and are primitive and not
 * below a list or map, transforms accept them, names are unique and clash with no column (identity
 * and void may use their own column's name), no redundant fields. An unknown transform passes:
 * whoever creates or evolves a spec refuses it. CALVE_EINVAL names the field. */
CALVE_MUST_USE calve_status calve_spec_check(const calve_spec *s, const calve_schema *schema,
                                             calve_error *err);
/* The same but for redundancy, for a spec that evolved: months may stay when days join them. */
CALVE_MUST_USE calve_status calve_spec_check_evolved(const calve_spec *s,
                                                     const calve_schema *schema,
                                                     calve_error *err);

/* Types of the tuple's fields, spec order: result types of the transforms, by the schema; a source
 * that the schema lacks gives the type calve_type_of(CALVE_UNKNOWN). Array of field_count, in the
 * arena. */
CALVE_MUST_USE calve_status calve_spec_tuple_types(const calve_spec *s, const calve_schema *schema,
                                                   calve_arena *arena, const calve_type ***out,
                                                   calve_error *err);

/* One partition tuple: field_count values in the spec's order. */
bool calve_tuple_equal(const calve_value *a, const calve_value *b, size_t count);
uint64_t calve_tuple_hash(const calve_value *tuple, size_t count);

/* Appends the Hive-style path "ts_day=2026-03-01/id_bucket_4=3", escaped as the reference does
 * (form encoding);
 * nothing for an unpartitioned spec. Cosmetic: nobody may read values from it. */
void calve_spec_tuple_path(const calve_spec *s, const calve_schema *schema,
                           const calve_value *tuple, calve_buffer *out);
/* The same for people: "ts_day=2026-03-01, id_bucket_4=3", not escaped. */
void calve_spec_tuple_print(const calve_spec *s, const calve_schema *schema,
                            const calve_value *tuple, calve_buffer *out);

/* Default name of a partition field: "id", "id_bucket_16", "data_trunc_4", "ts_day", "id_null".
 * source_name is the dotted full name. [reference: default names] */
CALVE_MUST_USE calve_status calve_partition_default_name(const calve_transform *t,
                                                         calve_str source_name, calve_arena *arena,
                                                         calve_str *out, calve_error *err);
/* The name that the reference gives when a table is created: without the number ("id_bucket",
 * "data_trunc"). Two buckets of one column then need names. */
CALVE_MUST_USE calve_status calve_partition_created_name(const calve_transform *t,
                                                         calve_str source_name, calve_arena *arena,
                                                         calve_str *out, calve_error *err);

/* A value from the path of a Hive table, unescaped; "__HIVE_DEFAULT_PARTITION__" is null. Bytes are
 * borrowed. Times, timestamps, fixed and binary have no agreed text: CALVE_EINVAL. Only for
 * importing: never for files that a manifest names. */
CALVE_MUST_USE calve_status calve_partition_value_parse(const calve_type *type, calve_str text,
                                                        calve_value *out, calve_error *err);

#endif
