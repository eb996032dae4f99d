/* SPDX-License-Identifier: Apache-2.0 */
#include "evolve/sort_update.h"

#include "model/reading.h"

calve_status calve_sort_order_build(const calve_schema *schema, const calve_new_sort_field *fields,
                                    size_t count, bool case_sensitive, calve_arena *arena,
                                    const calve_sort_order **out, calve_error *err) {
  if (count > CALVE_FIELDS_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "more than %d sort fields", CALVE_FIELDS_MAX);
  calve_sort_order *order = CALVE_NEW(arena, calve_sort_order);
  calve_sort_field *list = CALVE_NEW_ARRAY(arena, calve_sort_field, count);
  if (!order || !list) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    const calve_schema_node *node;
    CALVE_TRY(calve_schema_resolve(schema, fields[i].source, case_sensitive, &node, err));
    list[i] = (calve_sort_field){.source_id = node->field->id,
                                 .transform = fields[i].transform,
                                 .descending = fields[i].descending,
                                 .nulls_last = fields[i].nulls_last,
                                 .source_count = 1,
                                 .source_ids = &node->field->id};
  }
  *order = (calve_sort_order){count ? 1 : 0, (int32_t)count, list};
  CALVE_TRY(calve_sort_order_check(order, schema, err));
  *out = order;
  return CALVE_OK;
}

static const calve_sort_order *find_same(const calve_metadata *base,
                                         const calve_sort_order *order) {
  for (int32_t i = 0; i < base->sort_order_count; i++)
    if (calve_sort_order_same(base->sort_orders[i], order)) return base->sort_orders[i];
  return NULL;
}

calve_status calve_sort_update_apply(const calve_metadata *base, const calve_new_sort_field *fields,
                                     size_t count, bool case_sensitive, calve_arena *arena,
                                     calve_changes *out, calve_error *err) {
  enum { CHANGES_MAX = 2, REQUIREMENTS_MAX = 2 };
  const calve_sort_order *order;
  CALVE_TRY(
      calve_sort_order_build(base->schema, fields, count, case_sensitive, arena, &order, err));
  const calve_sort_order *same = find_same(base, order);
  if (same && same->order_id == base->default_sort_order_id) {
    *out = (calve_changes){0};
    return CALVE_OK;
  }
  calve_change *changes = CALVE_NEW_ARRAY(arena, calve_change, CHANGES_MAX);
  calve_requirement *requirements = CALVE_NEW_ARRAY(arena, calve_requirement, REQUIREMENTS_MAX);
  if (!changes || !requirements) return calve_fail_oom(err);
  size_t n = 0, r = 0;
  if (!same) changes[n++] = (calve_change){.kind = CALVE_ADD_SORT_ORDER, .sort_order = order};
  changes[n++] =
      (calve_change){.kind = CALVE_SET_DEFAULT_SORT_ORDER, .id = same ? same->order_id : -1};
  if (base->table_uuid.data)
    requirements[r++] = (calve_requirement){.kind = CALVE_REQUIRE_UUID, .text = base->table_uuid};
  requirements[r++] = (calve_requirement){.kind = CALVE_REQUIRE_DEFAULT_SORT_ORDER_ID,
                                          .id = base->default_sort_order_id};
  *out = (calve_changes){n, changes, r, requirements};
  return CALVE_OK;
}
