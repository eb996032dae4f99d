/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/text.h"
#include "model/spec.h"

static bool is_time(const calve_transform *t) {
  return t->kind >= CALVE_YEAR && t->kind <= CALVE_HOUR;
}

static calve_status check_source(const calve_partition_field *f, int32_t source_id,
                                 const calve_schema *schema, calve_error *err) {
  char type[CALVE_TYPE_TEXT_MAX];
  const calve_schema_node *source = calve_schema_find_id(schema, source_id);
  if (f->transform.kind == CALVE_VOID) return CALVE_OK; /* its source may be gone */
  if (!source)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "partition field '%.*s': there is no column with id %" PRId32,
                      CALVE_STR_ARG(f->name), source_id);
  if (source->inside_repeated)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "partition field '%.*s': column '%.*s' is in a list or map, which has no one "
                      "value a row",
                      CALVE_STR_ARG(f->name), CALVE_STR_ARG(source->full_name));
  if (!calve_type_is_primitive(source->field->type) ||
      (f->source_count == 1 && !calve_transform_accepts(&f->transform, source->field->type)))
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "partition field '%.*s': its transform can't take column '%.*s' of type %s",
                      CALVE_STR_ARG(f->name), CALVE_STR_ARG(source->full_name),
                      calve_type_text(source->field->type, type));
  return CALVE_OK;
}

/* A partition field may be named as a column only if it is that column, or was it. */
static calve_status check_name(const calve_spec *s, int32_t index, const calve_schema *schema,
                               calve_error *err) {
  const calve_partition_field *f = &s->fields[index];
  bool may_share = f->transform.kind == CALVE_IDENTITY || f->transform.kind == CALVE_VOID;
  if (f->name.size == 0 || f->name.size > CALVE_NAME_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "partition field %" PRId32 ": a name has 1 to %d bytes", f->field_id,
                      CALVE_NAME_MAX);
  if (calve_spec_find_name(s, f->name) != f)
    return calve_fail(err, CALVE_EINVAL, NULL, "there are two partition fields named '%.*s'",
                      CALVE_STR_ARG(f->name));
  const calve_schema_node *column = calve_schema_find(schema, f->name);
  if (column && !(may_share && column->field->id == f->source_id))
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "partition field %" PRId32 " (%.*s) has the name of column %" PRId32
                      ": only identity fields may be named as the column they are made of. Give it "
                      "another name",
                      f->field_id, CALVE_STR_ARG(f->name), column->field->id);
  return CALVE_OK;
}

/* Tables that have an id twice are on disk, and may evolve; no new one is made. */
static calve_status check_id(const calve_spec *s, int32_t index, calve_error *err) {
  const calve_partition_field *f = &s->fields[index];
  for (int32_t i = 0; i < index; i++)
    if (s->fields[i].field_id == f->field_id)
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "partition fields '%.*s' and '%.*s' have the same id %" PRId32,
                        CALVE_STR_ARG(s->fields[i].name), CALVE_STR_ARG(f->name), f->field_id);
  return CALVE_OK;
}

/* Two identities or two time units of one column: one of them says all. Other transforms may be
 * repeated under different names. [reference] */
static calve_status check_redundant(const calve_spec *s, int32_t index, calve_error *err) {
  const calve_partition_field *f = &s->fields[index];
  for (int32_t i = 0; i < index; i++) {
    const calve_partition_field *other = &s->fields[i];
    if (other->source_id != f->source_id || f->source_count > 1 || other->source_count > 1)
      continue;
    bool both_identity =
        f->transform.kind == CALVE_IDENTITY && other->transform.kind == CALVE_IDENTITY;
    bool both_time = is_time(&f->transform) && is_time(&other->transform);
    if (both_identity || both_time)
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "partition field '%.*s' is redundant next to '%.*s', which has the same "
                        "source column",
                        CALVE_STR_ARG(f->name), CALVE_STR_ARG(other->name));
  }
  return CALVE_OK;
}

calve_status calve_spec_check_evolved(const calve_spec *s, const calve_schema *schema,
                                      calve_error *err) {
  for (int32_t i = 0; i < s->field_count; i++) {
    const calve_partition_field *f = &s->fields[i];
    for (int32_t j = 0; j < f->source_count; j++)
      CALVE_TRY(check_source(f, f->source_ids[j], schema, err));
    CALVE_TRY(check_name(s, i, schema, err));
  }
  return CALVE_OK;
}

calve_status calve_spec_check(const calve_spec *s, const calve_schema *schema, calve_error *err) {
  CALVE_TRY(calve_spec_check_evolved(s, schema, err));
  for (int32_t i = 0; i < s->field_count; i++) {
    CALVE_TRY(check_id(s, i, err));
    CALVE_TRY(check_redundant(s, i, err));
  }
  return CALVE_OK;
}
