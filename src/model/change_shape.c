/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of schemas, partition specs and sort orders. An equal one that exists is used again
 * under its own id. [spec: Partition Evolution; Schema Evolution] */
#include "model/change_parts.h"
#include "model/reading.h"

/* ---- schemas ---------------------------------------------------------------------------- */

calve_status calve_change__add_schema(calve_applying *a, const calve_change *c, calve_error *err) {
  calve_metadata *m = &a->m;
  int64_t last_column_id = c->id > 0 ? c->id : m->last_column_id;
  if (last_column_id < m->last_column_id || last_column_id > INT32_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "last column id %" PRId64 " would fall behind the table's %" PRId32,
                      last_column_id, m->last_column_id);
  CALVE_TRY(calve_schema_check(c->schema, m->format_version, err));
  if (c->schema->highest_field_id > last_column_id) last_column_id = c->schema->highest_field_id;
  m->last_column_id = (int32_t)last_column_id;

  int32_t new_id = m->current_schema_id;
  for (int32_t i = 0; i < m->schema_count; i++) {
    if (calve_schema_same(m->schemas[i], c->schema)) {
      a->last_schema_id = m->schemas[i]->schema_id;
      return CALVE_OK;
    }
    if (m->schemas[i]->schema_id >= new_id) new_id = m->schemas[i]->schema_id + 1;
  }
  calve_schema *schema = CALVE_NEW(a->arena, calve_schema);
  const calve_schema **list =
      calve_change__room(a, m->schemas, (size_t)m->schema_count, &a->schema_capacity, sizeof *list);
  if (!schema || !list) return calve_fail_oom(err);
  *schema = *c->schema;
  schema->schema_id = new_id;
  list[m->schema_count++] = schema;
  m->schemas = list;
  a->last_schema_id = new_id;
  return CALVE_OK;
}

/* The id that is meant: -1 is the one added last. */
static calve_status meant_id(const calve_change *c, int32_t last_added, const char *what,
                             int32_t *out, calve_error *err) {
  if (c->id == CALVE_CHANGE_LAST_ADDED && last_added == CALVE_CHANGE_NONE)
    return calve_fail(err, CALVE_EINVAL, NULL, "no %s was added that could be chosen", what);
  *out = c->id == CALVE_CHANGE_LAST_ADDED ? last_added : (int32_t)c->id;
  if (c->id == CALVE_CHANGE_LAST_ADDED || *out == c->id) return CALVE_OK;
  return calve_fail(err, CALVE_EINVAL, NULL, "%s %" PRId64 " does not exist", what, c->id);
}

calve_status calve_change__set_current_schema(calve_applying *a, const calve_change *c,
                                              calve_error *err) {
  int32_t id;
  CALVE_TRY(meant_id(c, a->last_schema_id, "schema", &id, err));
  const calve_schema *schema = calve_metadata_schema(&a->m, id);
  if (!schema) return calve_fail(err, CALVE_EINVAL, NULL, "schema %" PRId32 " does not exist", id);
  a->m.current_schema_id = id;
  a->m.schema = schema;
  return CALVE_OK;
}

static bool is_listed(const calve_change *c, int64_t id) {
  for (size_t i = 0; i < c->count; i++)
    if (c->ids[i] == id) return true;
  return false;
}

calve_status calve_change__remove_schemas(calve_applying *a, const calve_change *c,
                                          calve_error *err) {
  calve_metadata *m = &a->m;
  if (is_listed(c, m->current_schema_id))
    return calve_fail(err, CALVE_EINVAL, NULL, "the current schema %" PRId32 " can't be removed",
                      m->current_schema_id);
  const calve_schema **list =
      CALVE_NEW_ARRAY(a->arena, const calve_schema *, (size_t)m->schema_count);
  if (!list) return calve_fail_oom(err);
  int32_t count = 0;
  for (int32_t i = 0; i < m->schema_count; i++)
    if (!is_listed(c, m->schemas[i]->schema_id)) list[count++] = m->schemas[i];
  a->schema_capacity = (size_t)m->schema_count;
  m->schemas = list;
  m->schema_count = count;
  return CALVE_OK;
}

/* ---- specs ------------------------------------------------------------------------------ */

/* v1 readers number the fields of a spec by position. */
static calve_status check_sequential(const calve_spec *spec, calve_error *err) {
  for (int32_t i = 0; i < spec->field_count; i++)
    if (spec->fields[i].field_id != CALVE_PARTITION_FIELD_ID_START + i)
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "partition field \"%.*s\" has id %" PRId32
                        ", but in format version 1 ids must be 1000, 1001, … in order",
                        CALVE_STR_ARG(spec->fields[i].name), spec->fields[i].field_id);
  return CALVE_OK;
}

calve_status calve_change__add_spec(calve_applying *a, const calve_change *c, calve_error *err) {
  calve_metadata *m = &a->m;
  int32_t new_id = 0;
  for (int32_t i = 0; i < m->spec_count; i++) {
    if (calve_spec_compatible(c->spec, m->specs[i])) {
      a->last_spec_id = m->specs[i]->spec_id;
      return CALVE_OK;
    }
    if (m->specs[i]->spec_id >= new_id) new_id = m->specs[i]->spec_id + 1;
  }
  CALVE_TRY(calve_spec_check_evolved(c->spec, m->schema, err));
  if (m->format_version == 1) CALVE_TRY(check_sequential(c->spec, err));
  calve_spec *spec = CALVE_NEW(a->arena, calve_spec);
  const calve_spec **list =
      calve_change__room(a, m->specs, (size_t)m->spec_count, &a->spec_capacity, sizeof *list);
  if (!spec || !list) return calve_fail_oom(err);
  *spec = *c->spec;
  spec->spec_id = new_id;
  list[m->spec_count++] = spec;
  m->specs = list;
  for (int32_t i = 0; i < spec->field_count; i++)
    if (spec->fields[i].field_id > m->last_partition_id)
      m->last_partition_id = spec->fields[i].field_id;
  a->last_spec_id = new_id;
  return CALVE_OK;
}

calve_status calve_change__set_default_spec(calve_applying *a, const calve_change *c,
                                            calve_error *err) {
  int32_t id;
  CALVE_TRY(meant_id(c, a->last_spec_id, "partition spec", &id, err));
  const calve_spec *spec = calve_metadata_spec(&a->m, id);
  if (!spec)
    return calve_fail(err, CALVE_EINVAL, NULL, "partition spec %" PRId32 " does not exist", id);
  a->m.default_spec_id = id;
  a->m.spec = spec;
  return CALVE_OK;
}

calve_status calve_change__remove_specs(calve_applying *a, const calve_change *c,
                                        calve_error *err) {
  calve_metadata *m = &a->m;
  if (is_listed(c, m->default_spec_id))
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "the default partition spec %" PRId32 " can't be removed",
                      m->default_spec_id);
  const calve_spec **list = CALVE_NEW_ARRAY(a->arena, const calve_spec *, (size_t)m->spec_count);
  if (!list) return calve_fail_oom(err);
  int32_t count = 0;
  for (int32_t i = 0; i < m->spec_count; i++)
    if (!is_listed(c, m->specs[i]->spec_id)) list[count++] = m->specs[i];
  a->spec_capacity = (size_t)m->spec_count;
  m->specs = list;
  m->spec_count = count;
  return CALVE_OK;
}

/* ---- sort orders ------------------------------------------------------------------------ */

calve_status calve_change__add_sort_order(calve_applying *a, const calve_change *c,
                                          calve_error *err) {
  calve_metadata *m = &a->m;
  bool is_unsorted = c->sort_order->field_count == 0;
  int32_t new_id = is_unsorted ? 0 : 1;
  for (int32_t i = 0; i < m->sort_order_count; i++) {
    const calve_sort_order *other = m->sort_orders[i];
    if (calve_sort_order_same(other, c->sort_order)) {
      a->last_order_id = other->order_id;
      return CALVE_OK;
    }
    if (!is_unsorted && other->order_id >= new_id) new_id = other->order_id + 1;
  }
  CALVE_TRY(calve_sort_order_check(c->sort_order, m->schema, err));
  calve_sort_order *order = CALVE_NEW(a->arena, calve_sort_order);
  const calve_sort_order **list = calve_change__room(a, m->sort_orders, (size_t)m->sort_order_count,
                                                     &a->order_capacity, sizeof *list);
  if (!order || !list) return calve_fail_oom(err);
  *order = *c->sort_order;
  order->order_id = new_id;
  list[m->sort_order_count++] = order;
  m->sort_orders = list;
  a->last_order_id = new_id;
  return CALVE_OK;
}

calve_status calve_change__set_default_sort_order(calve_applying *a, const calve_change *c,
                                                  calve_error *err) {
  int32_t id;
  CALVE_TRY(meant_id(c, a->last_order_id, "sort order", &id, err));
  const calve_sort_order *order = calve_metadata_sort_order(&a->m, id);
  if (!order)
    return calve_fail(err, CALVE_EINVAL, NULL, "sort order %" PRId32 " does not exist", id);
  a->m.default_sort_order_id = id;
  a->m.sort_order = order;
  return CALVE_OK;
}
