/* SPDX-License-Identifier: Apache-2.0 */
#include "model/spec.h"

#include "base/text.h"

bool calve_spec_is_unpartitioned(const calve_spec *s) {
  for (int32_t i = 0; i < s->field_count; i++)
    if (s->fields[i].transform.kind != CALVE_VOID) return false;
  return true;
}

const calve_partition_field *calve_spec_find_name(const calve_spec *s, calve_str name) {
  for (int32_t i = 0; i < s->field_count; i++)
    if (calve_str_equal(s->fields[i].name, name)) return &s->fields[i];
  return NULL;
}

static bool same_sources(const calve_partition_field *a, const calve_partition_field *b) {
  if (a->source_count != b->source_count) return false;
  for (int32_t i = 0; i < a->source_count; i++)
    if (a->source_ids[i] != b->source_ids[i]) return false;
  return true;
}

bool calve_spec_compatible(const calve_spec *a, const calve_spec *b) {
  if (a->field_count != b->field_count) return false;
  for (int32_t i = 0; i < a->field_count; i++) {
    const calve_partition_field *x = &a->fields[i], *y = &b->fields[i];
    if (!same_sources(x, y) || !calve_transform_equal(&x->transform, &y->transform) ||
        !calve_str_equal(x->name, y->name))
      return false;
  }
  return true;
}

bool calve_spec_equal(const calve_spec *a, const calve_spec *b) {
  if (a->spec_id != b->spec_id || !calve_spec_compatible(a, b)) return false;
  for (int32_t i = 0; i < a->field_count; i++)
    if (a->fields[i].field_id != b->fields[i].field_id) return false;
  return true;
}

calve_status calve_spec_tuple_types(const calve_spec *s, const calve_schema *schema,
                                    calve_arena *arena, const calve_type ***out, calve_error *err) {
  const calve_type **types = CALVE_NEW_ARRAY(arena, const calve_type *, (size_t)s->field_count);
  if (!types) return calve_fail_oom(err);
  for (int32_t i = 0; i < s->field_count; i++) {
    const calve_partition_field *field = &s->fields[i];
    const calve_schema_node *source = calve_schema_find_id(schema, field->source_id);
    types[i] = source ? calve_transform_result_type(&field->transform, source->field->type)
                      : calve_type_of(CALVE_UNKNOWN);
  }
  *out = types;
  return CALVE_OK;
}

bool calve_tuple_equal(const calve_value *a, const calve_value *b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!calve_value_equal(&a[i], &b[i])) return false;
  return true;
}

uint64_t calve_tuple_hash(const calve_value *tuple, size_t count) {
  uint64_t h = count;
  for (size_t i = 0; i < count; i++)
    h = (h ^ calve_value_hash(&tuple[i])) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ (h >> 32);
}
