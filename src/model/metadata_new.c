/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata of a table that is created. Ids are given afresh, as all catalogs do: columns,
 * specs and orders find each other by name. [spec: Partition Evolution] */
#include "model/change.h"
#include "model/metadata_parts.h"
#include "model/reading.h"

/* Keys that say something about a table rather than set it. */
bool calve_property_is_reserved(calve_str key) {
  static const char *const reserved[] = {"format-version",      "uuid",
                                         "snapshot-count",      "current-snapshot-summary",
                                         "current-snapshot-id", "current-snapshot-timestamp-ms",
                                         "current-schema",      "default-partition-spec",
                                         "default-sort-order"};
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (calve_str_equal_text(key, reserved[i])) return true;
  return false;
}

static calve_status read_version(const calve_properties *properties, int32_t *out,
                                 calve_error *err) {
  calve_str text = calve_properties_get(properties, "format-version");
  int64_t version = 2;
  if (text.data && !calve_str_to_i64(text, &version))
    return calve_fail(err, CALVE_EINVAL, "format-version", "\"%.*s\" is no number",
                      CALVE_STR_ARG(text));
  if (version < 1 || version > CALVE_FORMAT_VERSION_MAX)
    return calve_fail(err, CALVE_EUNSUPPORTED, "format-version",
                      "%" PRId64 " is not among the versions this library writes (1 to %d)",
                      version, CALVE_FORMAT_VERSION_MAX);
  *out = (int32_t)version;
  return CALVE_OK;
}

/* zstd for Parquet is the default of new tables only, so that it has to be written down. */
static calve_status fresh_properties(const calve_properties *given, calve_arena *arena,
                                     calve_properties *out, calve_error *err) {
  static const char codec_key[] = "write.parquet.compression-codec";
  calve_property *items = CALVE_NEW_ARRAY(arena, calve_property, given->count + 1);
  if (!items) return calve_fail_oom(err);
  size_t count = 0;
  if (!calve_properties_get(given, codec_key).data)
    items[count++] = (calve_property){calve_str_of(codec_key), CALVE_STR("zstd")};
  for (size_t i = 0; i < given->count; i++)
    if (!calve_property_is_reserved(given->items[i].key)) items[count++] = given->items[i];
  *out = (calve_properties){items, count};
  return CALVE_OK;
}

/* The column of `fresh` that has the name which `source_id` has in `old`. */
static calve_status fresh_source(const calve_schema *old, const calve_schema *fresh,
                                 int32_t source_id, int32_t *out, calve_error *err) {
  const calve_schema_node *was = calve_schema_find_id(old, source_id);
  const calve_schema_node *is = NULL;
  if (was) is = calve_schema_find(fresh, was->full_name);
  if (!is)
    return calve_fail(err, CALVE_EINVAL, NULL, "source column %" PRId32 " is not in the schema",
                      source_id);
  *out = is->field->id;
  return CALVE_OK;
}

static calve_status fresh_sources(const calve_schema *old, const calve_schema *fresh,
                                  const int32_t *ids, int32_t count, calve_arena *arena,
                                  const int32_t **out, calve_error *err) {
  int32_t *fresh_ids = CALVE_NEW_ARRAY(arena, int32_t, (size_t)count);
  if (!fresh_ids) return calve_fail_oom(err);
  for (int32_t i = 0; i < count; i++)
    CALVE_TRY(fresh_source(old, fresh, ids[i], &fresh_ids[i], err));
  *out = fresh_ids;
  return CALVE_OK;
}

static calve_status fresh_spec(const calve_new_table *table, const calve_schema *fresh,
                               calve_arena *arena, const calve_spec **out, calve_error *err) {
  calve_spec *spec = CALVE_NEW(arena, calve_spec);
  if (!spec) return calve_fail_oom(err);
  if (table->spec && table->spec->field_count > 0) {
    int32_t count = table->spec->field_count;
    calve_partition_field *fields = CALVE_NEW_ARRAY(arena, calve_partition_field, (size_t)count);
    if (!fields) return calve_fail_oom(err);
    for (int32_t i = 0; i < count; i++) {
      fields[i] = table->spec->fields[i];
      fields[i].field_id = CALVE_PARTITION_FIELD_ID_START + i;
      CALVE_TRY(fresh_sources(table->schema, fresh, fields[i].source_ids, fields[i].source_count,
                              arena, &fields[i].source_ids, err));
      fields[i].source_id = fields[i].source_ids[0];
    }
    spec->fields = fields;
    spec->field_count = count;
  }
  CALVE_TRY(calve_spec_check(spec, fresh, err));
  *out = spec;
  return CALVE_OK;
}

static calve_status fresh_sort_order(const calve_new_table *table, const calve_schema *fresh,
                                     calve_arena *arena, const calve_sort_order **out,
                                     calve_error *err) {
  calve_sort_order *order = CALVE_NEW(arena, calve_sort_order);
  if (!order) return calve_fail_oom(err);
  if (table->sort_order && table->sort_order->field_count > 0) {
    int32_t count = table->sort_order->field_count;
    calve_sort_field *fields = CALVE_NEW_ARRAY(arena, calve_sort_field, (size_t)count);
    if (!fields) return calve_fail_oom(err);
    for (int32_t i = 0; i < count; i++) {
      fields[i] = table->sort_order->fields[i];
      CALVE_TRY(fresh_sources(table->schema, fresh, fields[i].source_ids, fields[i].source_count,
                              arena, &fields[i].source_ids, err));
      fields[i].source_id = fields[i].source_ids[0];
    }
    order->order_id = 1;
    order->fields = fields;
    order->field_count = count;
  }
  CALVE_TRY(calve_sort_order_check(order, fresh, err));
  *out = order;
  return CALVE_OK;
}

/* The three parts of a new table, each the only one of its list. */
typedef struct fresh_parts {
  calve_metadata m;
  const calve_schema *schemas[1];
  const calve_spec *specs[1];
  const calve_sort_order *sort_orders[1];
} fresh_parts;

calve_status calve_metadata_new(const calve_new_table *table, int64_t now_ms, calve_arena *arena,
                                const calve_metadata **out, calve_error *err) {
  fresh_parts *parts = CALVE_NEW(arena, fresh_parts);
  if (!parts) return calve_fail_oom(err);
  calve_metadata *m = &parts->m;
  CALVE_TRY(read_version(&table->properties, &m->format_version, err));
  CALVE_TRY(fresh_properties(&table->properties, arena, &m->properties, err));
  CALVE_TRY(calve_schema_assign_fresh_ids(table->schema, 0, &m->last_column_id, arena,
                                          &parts->schemas[0], err));
  CALVE_TRY(calve_schema_check(parts->schemas[0], m->format_version, err));
  CALVE_TRY(calve_schema_check_new_names(parts->schemas[0], NULL, err));
  CALVE_TRY(fresh_spec(table, parts->schemas[0], arena, &parts->specs[0], err));
  CALVE_TRY(fresh_sort_order(table, parts->schemas[0], arena, &parts->sort_orders[0], err));

  m->location = table->location;
  while (calve_str_ends_with(m->location, CALVE_STR("/")) &&
         !calve_str_ends_with(m->location, CALVE_STR("://")))
    m->location.size--;
  m->table_uuid = table->table_uuid;
  m->last_updated_ms = now_ms;
  m->schemas = parts->schemas;
  m->specs = parts->specs;
  m->sort_orders = parts->sort_orders;
  m->schema_count = m->spec_count = m->sort_order_count = 1;
  m->default_sort_order_id = parts->sort_orders[0]->order_id;
  m->last_partition_id = calve_metadata__highest_partition_id(m);
  m->current_snapshot_id = CALVE_NO_SNAPSHOT;
  m->next_row_id = m->format_version >= 3 ? 0 : -1;
  CALVE_TRY(calve_metadata__link(m, NULL, arena, err));
  calve_status status = calve_metadata_check(m, NULL, err);
  if (status == CALVE_ECORRUPT) { /* nothing was read: it is what was asked for */
    if (err) err->code = CALVE_EINVAL;
    return CALVE_EINVAL;
  }
  if (status != CALVE_OK) return status;
  *out = m;
  return CALVE_OK;
}
