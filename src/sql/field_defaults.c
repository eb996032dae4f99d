/* SPDX-License-Identifier: Apache-2.0 */
/* DEFAULT inside STRUCT types: the parser leaves texts beside the type, as only the engine can read
 * them. */
#include "sql/session.h"

static const calve_sql_default *find_default(const calve_exec *x, int32_t id) {
  const calve_sql_default *d = x->statement->defaults;
  while (d && d->id != id) d = d->next;
  return d;
}

static calve_status with_defaults(calve_exec *x, const calve_type *type, int depth,
                                  const calve_type **out, calve_error *err);

static calve_status field_with_default(calve_exec *x, calve_field *field, int depth,
                                       calve_error *err) {
  CALVE_TRY(with_defaults(x, field->type, depth + 1, &field->type, err));
  const calve_sql_default *d = find_default(x, field->id);
  if (!d) return CALVE_OK;
  calve_value *value = CALVE_NEW(x->arena, calve_value);
  if (!value) return calve_fail_oom(err);
  CALVE_TRY(calve_exec_literal(x, d->text, field->type, value, err));
  if (!value->is_null) field->initial_default = field->write_default = value;
  return CALVE_OK;
}

/* The parser has capped the depth. */
static calve_status with_defaults(calve_exec *x, const calve_type *type, int depth,
                                  const calve_type **out, calve_error *err) {
  if (!calve_type_is_nested(type) || depth > CALVE_DEPTH_MAX) {
    *out = type;
    return CALVE_OK;
  }
  calve_type *copy = CALVE_NEW(x->arena, calve_type);
  calve_field *fields = CALVE_NEW_ARRAY(x->arena, calve_field, (size_t)type->field_count);
  if (!copy || !fields) return calve_fail_oom(err);
  for (int32_t i = 0; i < type->field_count; i++) {
    fields[i] = type->fields[i];
    CALVE_TRY(field_with_default(x, &fields[i], depth, err));
  }
  *copy = *type;
  copy->fields = fields;
  *out = copy;
  return CALVE_OK;
}

calve_status calve_exec_type(calve_exec *x, const calve_type *type, const calve_type **out,
                             calve_error *err) {
  if (!x->statement->defaults) {
    *out = type;
    return CALVE_OK;
  }
  return with_defaults(x, type, 1, out, err);
}
