/* SPDX-License-Identifier: Apache-2.0 */
#include "model/change_parts.h"
#include "model/reading.h"

void *calve_change__room(calve_applying *a, const void *items, size_t count, size_t *capacity,
                         size_t item_size_bytes) {
  void *own = (void *)(uintptr_t)items;
  if (*capacity > 0) return calve_model__grown(a->arena, own, count, capacity, item_size_bytes);
  size_t wanted = count + 8;
  void *copy = calve_arena_array(a->arena, wanted, item_size_bytes);
  if (!copy) return NULL;
  if (count) memcpy(copy, items, count * item_size_bytes);
  *capacity = wanted;
  return copy;
}

/* ---- members without parts -------------------------------------------------------------- */

static calve_status assign_uuid(calve_applying *a, const calve_change *c, calve_error *err) {
  if (c->text.size == 0) return calve_fail(err, CALVE_EINVAL, NULL, "the new uuid is empty");
  if (a->m.table_uuid.data && !calve_str_equal_nocase(a->m.table_uuid, c->text))
    return calve_fail(err, CALVE_EINVAL, NULL, "the table's uuid %.*s can't be changed",
                      CALVE_STR_ARG(a->m.table_uuid));
  a->m.table_uuid = c->text;
  return CALVE_OK;
}

static calve_status upgrade(calve_applying *a, const calve_change *c, calve_error *err) {
  if (c->id > CALVE_FORMAT_VERSION_MAX)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                      "can't upgrade to format version %" PRId64 ": this library writes 1 to %d",
                      c->id, CALVE_FORMAT_VERSION_MAX);
  if (c->id < a->m.format_version)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "can't go back from format version %" PRId32 " to %" PRId64,
                      a->m.format_version, c->id);
  a->m.format_version = (int32_t)c->id;
  if (a->m.format_version >= 3 && a->m.next_row_id < 0) a->m.next_row_id = 0;
  return CALVE_OK;
}

static calve_status set_location(calve_applying *a, const calve_change *c, calve_error *err) {
  calve_str s = c->text;
  while (calve_str_ends_with(s, CALVE_STR("/")) && !calve_str_ends_with(s, CALVE_STR("://")))
    s.size--;
  if (s.size == 0) return calve_fail(err, CALVE_EINVAL, NULL, "the new location is empty");
  a->m.location = s;
  return CALVE_OK;
}

static calve_status set_properties(calve_applying *a, const calve_change *c, calve_error *err) {
  const calve_properties *old = &a->m.properties;
  calve_property *items =
      CALVE_NEW_ARRAY(a->arena, calve_property, old->count + c->properties.count);
  if (!items) return calve_fail_oom(err);
  if (old->count) memcpy(items, old->items, old->count * sizeof *items);
  calve_map places;
  calve_map_init(&places, a->arena);
  size_t count = old->count;
  for (size_t i = 0; i < count; i++)
    CALVE_TRY(calve_map_put_str(&places, items[i].key, &items[i], NULL, err));
  for (size_t i = 0; i < c->properties.count; i++) {
    calve_property *place = calve_map_get_str(&places, c->properties.items[i].key);
    if (!place) {
      place = &items[count++];
      CALVE_TRY(calve_map_put_str(&places, c->properties.items[i].key, place, NULL, err));
    }
    *place = c->properties.items[i];
  }
  a->m.properties = (calve_properties){items, count};
  return CALVE_OK;
}

static calve_status remove_properties(calve_applying *a, const calve_change *c, calve_error *err) {
  const calve_properties *old = &a->m.properties;
  calve_property *items = CALVE_NEW_ARRAY(a->arena, calve_property, old->count);
  if (!items) return calve_fail_oom(err);
  calve_map gone;
  calve_map_init(&gone, a->arena);
  for (size_t i = 0; i < c->count; i++)
    CALVE_TRY(calve_map_put_str(&gone, c->keys[i], items, NULL, err));
  size_t count = 0;
  for (size_t i = 0; i < old->count; i++)
    if (!calve_map_get_str(&gone, old->items[i].key)) items[count++] = old->items[i];
  a->m.properties = (calve_properties){items, count};
  return CALVE_OK;
}

/* ---- all -------------------------------------------------------------------------------- */

static calve_status apply_one(calve_applying *a, const calve_change *c, calve_error *err) {
  switch (c->kind) {
    case CALVE_ASSIGN_UUID:
      return assign_uuid(a, c, err);
    case CALVE_UPGRADE_FORMAT_VERSION:
      return upgrade(a, c, err);
    case CALVE_ADD_SCHEMA:
      return calve_change__add_schema(a, c, err);
    case CALVE_SET_CURRENT_SCHEMA:
      return calve_change__set_current_schema(a, c, err);
    case CALVE_ADD_SPEC:
      return calve_change__add_spec(a, c, err);
    case CALVE_SET_DEFAULT_SPEC:
      return calve_change__set_default_spec(a, c, err);
    case CALVE_ADD_SORT_ORDER:
      return calve_change__add_sort_order(a, c, err);
    case CALVE_SET_DEFAULT_SORT_ORDER:
      return calve_change__set_default_sort_order(a, c, err);
    case CALVE_ADD_SNAPSHOT:
      return calve_change__add_snapshot(a, c, err);
    case CALVE_SET_SNAPSHOT_REF:
      return calve_change__set_ref(a, c, err);
    case CALVE_REMOVE_SNAPSHOTS:
      return calve_change__remove_snapshots(a, c, err);
    case CALVE_REMOVE_SNAPSHOT_REF:
      return calve_change__remove_ref(a, c, err);
    case CALVE_SET_LOCATION:
      return set_location(a, c, err);
    case CALVE_SET_PROPERTIES:
      return set_properties(a, c, err);
    case CALVE_REMOVE_PROPERTIES:
      return remove_properties(a, c, err);
    case CALVE_REMOVE_SPECS:
      return calve_change__remove_specs(a, c, err);
    case CALVE_REMOVE_SCHEMAS:
      return calve_change__remove_schemas(a, c, err);
  }
  return calve_fail(err, CALVE_EINVAL, NULL, "unknown kind of change: %d", (int)c->kind);
}

/* The file that base came from joins the log, and the oldest leave it. */
static calve_status extend_metadata_log(calve_applying *a, calve_str base_location,
                                        calve_error *err) {
  if (!base_location.data) return CALVE_OK;
  int64_t limit =
      calve_properties_i64(&a->m.properties, "write.metadata.previous-versions-max", 100);
  if (limit < 1) limit = 1;
  size_t count = a->m.metadata_log_count;
  size_t skip = count >= (size_t)limit ? count - (size_t)limit + 1 : 0;
  calve_metadata_log_entry *log =
      CALVE_NEW_ARRAY(a->arena, calve_metadata_log_entry, count - skip + 1);
  if (!log) return calve_fail_oom(err);
  if (count > skip) memcpy(log, a->m.metadata_log + skip, (count - skip) * sizeof *log);
  log[count - skip] = (calve_metadata_log_entry){a->base->last_updated_ms, base_location};
  a->m.metadata_log = log;
  a->m.metadata_log_count = count - skip + 1;
  return CALVE_OK;
}

/* Time never runs backwards in a table, whatever the clocks of its writers say: readers refuse a
 * file that is older than its logs. */
static void set_last_updated(calve_metadata *m, int64_t now_ms) {
  if (now_ms > m->last_updated_ms) m->last_updated_ms = now_ms;
  if (m->snapshot_log_count == 0) return;
  int64_t last_ms = m->snapshot_log[m->snapshot_log_count - 1].timestamp_ms;
  if (last_ms > m->last_updated_ms) m->last_updated_ms = last_ms;
}

/* What breaks the rules of a file that is read breaks, here, the rules of a change. */
static calve_status as_bad_change(calve_status status, calve_error *err) {
  if (status != CALVE_ECORRUPT) return status;
  if (err) err->code = CALVE_EINVAL;
  return CALVE_EINVAL;
}

calve_status calve_changes_apply(const calve_changes *changes, const calve_metadata *base,
                                 calve_str base_location, int64_t now_ms, calve_arena *arena,
                                 const calve_metadata **out, calve_error *err) {
  if (changes->change_count == 0) {
    *out = base;
    return CALVE_OK;
  }
  calve_applying *a = CALVE_NEW(arena, calve_applying);
  if (!a) return calve_fail_oom(err);
  *a = (calve_applying){.arena = arena,
                        .base = base,
                        .now_ms = now_ms,
                        .m = *base,
                        .last_schema_id = CALVE_CHANGE_NONE,
                        .last_spec_id = CALVE_CHANGE_NONE,
                        .last_order_id = CALVE_CHANGE_NONE};
  calve_map_init(&a->added, arena);
  calve_map_init(&a->removed, arena);
  for (size_t i = 0; i < changes->change_count; i++)
    CALVE_TRY(apply_one(a, &changes->changes[i], err));
  CALVE_TRY(calve_change__mend_log(a, err));
  CALVE_TRY(extend_metadata_log(a, base_location, err));
  set_last_updated(&a->m, now_ms);
  CALVE_TRY(as_bad_change(calve_metadata__link(&a->m, NULL, arena, err), err));
  CALVE_TRY(as_bad_change(calve_metadata_check(&a->m, NULL, err), err));
  *out = &a->m;
  return CALVE_OK;
}
