/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/map.h"
#include "model/schema.h"

/* Old and new id of each field, for the identifier fields. */
typedef struct fresh_ids {
  calve_arena *arena;
  int32_t last_id;
  calve_map new_fields; /* old id -> const calve_field * with the new id                        */
} fresh_ids;

static calve_status next_id(fresh_ids *ids, int32_t *out, calve_error *err) {
  if (ids->last_id >= CALVE_FIELD_ID_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "no field ids are left above %" PRId32,
                      ids->last_id);
  *out = ++ids->last_id;
  return CALVE_OK;
}

/* All fields of a level get their ids first, then the levels below. */
static calve_status refresh(fresh_ids *ids, const calve_type *t, int depth, const calve_type **out,
                            calve_error *err) {
  if (!calve_type_is_nested(t)) {
    *out = t;
    return CALVE_OK;
  }
  if (depth > CALVE_DEPTH_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "the schema is nested deeper than %d",
                      CALVE_DEPTH_MAX);
  calve_type *copy = CALVE_NEW(ids->arena, calve_type);
  calve_field *fields = CALVE_NEW_ARRAY(ids->arena, calve_field, (size_t)t->field_count);
  if (!copy || !fields) return calve_fail_oom(err);
  for (int32_t i = 0; i < t->field_count; i++) {
    fields[i] = t->fields[i];
    CALVE_TRY(next_id(ids, &fields[i].id, err));
    CALVE_TRY(calve_map_put_id(&ids->new_fields, t->fields[i].id, &fields[i], NULL, err));
  }
  for (int32_t i = 0; i < t->field_count; i++)
    CALVE_TRY(refresh(ids, t->fields[i].type, depth + 1, &fields[i].type, err));
  *copy = *t;
  copy->fields = fields;
  *out = copy;
  return CALVE_OK;
}

calve_status calve_schema_assign_fresh_ids(const calve_schema *s, int32_t schema_id,
                                           int32_t *last_column_id, calve_arena *arena,
                                           const calve_schema **out, calve_error *err) {
  fresh_ids ids = {.arena = arena, .last_id = *last_column_id};
  const calve_type *root;
  calve_map_init(&ids.new_fields, arena);
  CALVE_TRY(refresh(&ids, s->root, 0, &root, err));
  int32_t *identifiers = CALVE_NEW_ARRAY(arena, int32_t, (size_t)s->identifier_field_count);
  if (!identifiers) return calve_fail_oom(err);
  for (int32_t i = 0; i < s->identifier_field_count; i++) {
    const calve_field *field = calve_map_get_id(&ids.new_fields, s->identifier_field_ids[i]);
    identifiers[i] = field->id; /* calve_schema_make has seen that it exists */
  }
  CALVE_TRY(
      calve_schema_make(schema_id, root, identifiers, s->identifier_field_count, arena, out, err));
  *last_column_id = ids.last_id;
  return CALVE_OK;
}
