/* SPDX-License-Identifier: Apache-2.0 */
#include "evolve/replace_update.h"

#include "evolve/property_update.h"
#include "evolve/schema_update_parts.h"
#include "model/reading.h"

typedef struct replacing {
  calve_arena *arena;
  const calve_metadata *base;
  const calve_schema *given;
  int32_t last_column_id;
  calve_map new_ids; /* provisional id -> const calve_field * with the new id                   */
  const calve_schema *schema;
} replacing;

/* ---- columns ---------------------------------------------------------------------------- */

/* The reference takes a name for enough. But then an id would mean another thing in old files: a
 * branch that is read with the new schema would fail, or read wrong. */
static bool reads_as(const calve_type *from, const calve_type *to) {
  if (calve_type_is_nested(from) || calve_type_is_nested(to)) return from->id == to->id;
  return calve_type_promotable(from, to, 2);
}

/* The current column of that full name whose id the new one may keep, or NULL. */
static const calve_field *kept_field(const replacing *r, const calve_field *given) {
  const calve_schema_node *node = calve_schema_find_id(r->given, given->id);
  const calve_schema_node *old = calve_schema_find(r->base->schema, node->full_name);
  if (!old || !calve_str_equal(old->full_name, node->full_name)) return NULL;
  if (!reads_as(old->field->type, given->type)) return NULL;
  if (!node->parent) return old->parent ? NULL : old->field;
  /* A field of a struct, list or map that is not the old one is not the old one either. */
  const calve_field *parent = calve_map_get_id(&r->new_ids, node->parent->field->id);
  return old->parent && parent->id == old->parent->field->id ? old->field : NULL;
}

static calve_status give_id(replacing *r, const calve_field *given, calve_field *out,
                            calve_error *err) {
  const calve_field *kept = kept_field(r, given);
  *out = *given;
  if (!kept && r->last_column_id >= CALVE_FIELD_ID_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "the table has no field ids left");
  out->id = kept ? kept->id : ++r->last_column_id;
  if (kept) { /* old files lack a column for good: what they mean by that can't be changed */
    out->initial_default = NULL;
    if (kept->initial_default)
      CALVE_TRY(calve_update__convert_default(kept->initial_default, kept->type, given->type,
                                              given->name, r->arena, &out->initial_default, err));
  }
  return calve_map_put_id(&r->new_ids, given->id, out, NULL, err);
}

/* All fields of a level get their ids first, as when a table is created. */
static calve_status give_ids(replacing *r, const calve_type *type, int depth,
                             const calve_type **out, calve_error *err) {
  if (!calve_type_is_nested(type)) {
    *out = type;
    return CALVE_OK;
  }
  if (depth > CALVE_DEPTH_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "the schema is nested deeper than %d",
                      CALVE_DEPTH_MAX);
  calve_type *copy = CALVE_NEW(r->arena, calve_type);
  calve_field *fields = CALVE_NEW_ARRAY(r->arena, calve_field, (size_t)type->field_count);
  if (!copy || !fields) return calve_fail_oom(err);
  for (int32_t i = 0; i < type->field_count; i++)
    CALVE_TRY(give_id(r, &type->fields[i], &fields[i], err));
  for (int32_t i = 0; i < type->field_count; i++)
    CALVE_TRY(give_ids(r, type->fields[i].type, depth + 1, &fields[i].type, err));
  *copy = *type;
  copy->fields = fields;
  *out = copy;
  return CALVE_OK;
}

static calve_status make_schema(replacing *r, calve_error *err) {
  const calve_type *root;
  int32_t count = r->given->identifier_field_count;
  int32_t *identifiers = CALVE_NEW_ARRAY(r->arena, int32_t, (size_t)count);
  if (!identifiers) return calve_fail_oom(err);
  CALVE_TRY(give_ids(r, r->given->root, 0, &root, err));
  for (int32_t i = 0; i < count; i++) {
    const calve_field *field = calve_map_get_id(&r->new_ids, r->given->identifier_field_ids[i]);
    identifiers[i] = field->id;
  }
  return calve_schema_make(0, root, identifiers, count, r->arena, &r->schema, err);
}

/* The sources of a field of spec or order, as ids of the new schema. */
static calve_status new_sources(const replacing *r, const int32_t *given, int32_t count,
                                const int32_t **out, calve_error *err) {
  int32_t *ids = CALVE_NEW_ARRAY(r->arena, int32_t, (size_t)count);
  if (!ids) return calve_fail_oom(err);
  for (int32_t i = 0; i < count; i++) {
    const calve_field *field = calve_map_get_id(&r->new_ids, given[i]);
    if (!field)
      return calve_fail(err, CALVE_EINVAL, NULL, "source column %" PRId32 " is not in the schema",
                        given[i]);
    ids[i] = field->id;
  }
  *out = ids;
  return CALVE_OK;
}

/* ---- partition fields ------------------------------------------------------------------- */

static bool same_term(const calve_partition_field *a, const calve_partition_field *b) {
  return a->source_id == b->source_id && a->source_count == b->source_count &&
         calve_transform_equal(&a->transform, &b->transform);
}

/* The highest id that any spec has for that source and transform; 0: none. */
static int32_t known_field_id(const calve_metadata *base, const calve_partition_field *f) {
  int32_t id = 0;
  for (int32_t s = 0; s < base->spec_count; s++)
    for (int32_t i = 0; i < base->specs[s]->field_count; i++) {
      const calve_partition_field *known = &base->specs[s]->fields[i];
      if (known->field_id > id && same_term(known, f)) id = known->field_id;
    }
  return id;
}

static int32_t highest_partition_id(const calve_metadata *base) {
  int32_t id = base->last_partition_id;
  for (int32_t s = 0; s < base->spec_count; s++)
    for (int32_t i = 0; i < base->specs[s]->field_count; i++)
      if (base->specs[s]->fields[i].field_id > id) id = base->specs[s]->fields[i].field_id;
  return id;
}

/* What stays of a v1 field whose term is gone: a hole, out of the way of the names in use. */
static calve_status make_void(const replacing *r, const calve_spec *given,
                              const calve_partition_field *old, calve_partition_field *out,
                              calve_error *err) {
  const calve_schema_node *column = calve_schema_find(r->schema, old->name);
  bool taken = column && column->field->id != old->source_id;
  for (int32_t i = 0; given && i < given->field_count; i++)
    taken |= calve_str_equal(given->fields[i].name, old->name);
  *out = *old;
  out->transform = (calve_transform){.kind = CALVE_VOID};
  if (!taken) return CALVE_OK;
  return calve_arena_printf(r->arena, &out->name, err, "%.*s_%" PRId32, CALVE_STR_ARG(old->name),
                            old->field_id);
}

/* v1 readers go by position: the current fields come first. */
static calve_status carry_fields(const replacing *r, const calve_spec *given,
                                 calve_partition_field *wanted, calve_partition_field *fields,
                                 int32_t *count, calve_error *err) {
  const calve_spec *spec = r->base->spec;
  for (int32_t i = 0; i < spec->field_count; i++) {
    calve_partition_field *same = NULL;
    for (int32_t w = 0; given && w < given->field_count; w++)
      if (wanted[w].field_id == 0 && same_term(&wanted[w], &spec->fields[i])) same = &wanted[w];
    if (same) {
      same->field_id = spec->fields[i].field_id;
      fields[*count] = *same;
    } else {
      CALVE_TRY(make_void(r, given, &spec->fields[i], &fields[*count], err));
    }
    (*count)++;
  }
  return CALVE_OK;
}

static calve_status make_spec(const replacing *r, const calve_spec *given, const calve_spec **out,
                              calve_error *err) {
  int32_t given_count = given ? given->field_count : 0, count = 0;
  int32_t last_id = highest_partition_id(r->base);
  size_t room = (size_t)given_count + (size_t)r->base->spec->field_count;
  calve_spec *spec = CALVE_NEW(r->arena, calve_spec);
  calve_partition_field *wanted =
      CALVE_NEW_ARRAY(r->arena, calve_partition_field, (size_t)given_count);
  calve_partition_field *fields = CALVE_NEW_ARRAY(r->arena, calve_partition_field, room);
  if (!spec || !wanted || !fields) return calve_fail_oom(err);
  bool by_position = r->base->format_version == 1;
  for (int32_t i = 0; i < given_count; i++) {
    wanted[i] = given->fields[i];
    CALVE_TRY(new_sources(r, wanted[i].source_ids, wanted[i].source_count, &wanted[i].source_ids,
                          err));
    wanted[i].source_id = wanted[i].source_ids[0];
    wanted[i].field_id = by_position ? 0 : known_field_id(r->base, &wanted[i]);
    for (int32_t w = 0; w < i; w++) /* the same term under another name */
      if (wanted[w].field_id == wanted[i].field_id) wanted[i].field_id = 0;
  }
  if (by_position) CALVE_TRY(carry_fields(r, given, wanted, fields, &count, err));
  for (int32_t i = 0; i < given_count; i++) {
    if (by_position && wanted[i].field_id != 0) continue;
    if (wanted[i].field_id == 0) wanted[i].field_id = ++last_id;
    fields[count++] = wanted[i];
  }
  *spec = (calve_spec){.spec_id = -1, .field_count = count, .fields = fields};
  CALVE_TRY(calve_spec_check(spec, r->schema, err));
  *out = spec;
  return CALVE_OK;
}

/* ---- order and properties --------------------------------------------------------------- */

static calve_status make_order(const replacing *r, const calve_sort_order *given,
                               const calve_sort_order **out, calve_error *err) {
  int32_t count = given ? given->field_count : 0;
  calve_sort_order *order = CALVE_NEW(r->arena, calve_sort_order);
  calve_sort_field *fields = CALVE_NEW_ARRAY(r->arena, calve_sort_field, (size_t)count);
  if (!order || !fields) return calve_fail_oom(err);
  for (int32_t i = 0; i < count; i++) {
    fields[i] = given->fields[i];
    CALVE_TRY(new_sources(r, fields[i].source_ids, fields[i].source_count, &fields[i].source_ids,
                          err));
    fields[i].source_id = fields[i].source_ids[0];
  }
  *order = (calve_sort_order){count > 0, count, fields};
  *out = order;
  return CALVE_OK;
}

/* As for a new table: zstd is the default of new tables only, so that it has to be written down. */
static calve_status new_properties(const replacing *r, const calve_properties *given,
                                   calve_properties *out, calve_error *err) {
  static const char codec_key[] = "write.parquet.compression-codec";
  calve_property *items = CALVE_NEW_ARRAY(r->arena, calve_property, given->count + 1);
  if (!items) return calve_fail_oom(err);
  size_t count = 0;
  if (!calve_properties_get(given, codec_key).data)
    items[count++] = (calve_property){calve_str_of(codec_key), CALVE_STR("zstd")};
  for (size_t i = 0; i < given->count; i++) items[count++] = given->items[i];
  *out = (calve_properties){items, count};
  return CALVE_OK;
}

/* ---- the changes ------------------------------------------------------------------------ */

static size_t add_requirements(const calve_metadata *base, calve_requirement *list) {
  size_t n = 0;
  if (base->table_uuid.data)
    list[n++] = (calve_requirement){.kind = CALVE_REQUIRE_UUID, .text = base->table_uuid};
  list[n++] = (calve_requirement){.kind = CALVE_REQUIRE_LAST_FIELD_ID, .id = base->last_column_id};
  list[n++] = (calve_requirement){.kind = CALVE_REQUIRE_CURRENT_SCHEMA_ID,
                                  .id = base->current_schema_id};
  list[n++] = (calve_requirement){.kind = CALVE_REQUIRE_LAST_PARTITION_ID,
                                  .id = base->last_partition_id};
  list[n++] =
      (calve_requirement){.kind = CALVE_REQUIRE_DEFAULT_SPEC_ID, .id = base->default_spec_id};
  list[n++] = (calve_requirement){.kind = CALVE_REQUIRE_DEFAULT_SORT_ORDER_ID,
                                  .id = base->default_sort_order_id};
  return n;
}

static size_t add_changes(const replacing *r, const calve_replacement *wanted,
                          const calve_spec *spec, const calve_sort_order *order,
                          calve_change *list) {
  size_t n = 0;
  if (calve_metadata_ref(r->base, CALVE_STR("main")))
    list[n++] =
        (calve_change){.kind = CALVE_REMOVE_SNAPSHOT_REF, .text = CALVE_STR("main")};
  list[n++] =
      (calve_change){.kind = CALVE_ADD_SCHEMA, .schema = r->schema, .id = r->last_column_id};
  list[n++] = (calve_change){.kind = CALVE_SET_CURRENT_SCHEMA, .id = -1};
  list[n++] = (calve_change){.kind = CALVE_ADD_SPEC, .spec = spec};
  list[n++] = (calve_change){.kind = CALVE_SET_DEFAULT_SPEC, .id = -1};
  list[n++] = (calve_change){.kind = CALVE_ADD_SORT_ORDER, .sort_order = order};
  list[n++] = (calve_change){.kind = CALVE_SET_DEFAULT_SORT_ORDER, .id = -1};
  if (wanted->location.size > 0)
    list[n++] = (calve_change){.kind = CALVE_SET_LOCATION, .text = wanted->location};
  return n;
}

calve_status calve_replace_update_apply(const calve_metadata *base, const calve_replacement *wanted,
                                        calve_arena *arena, calve_changes *out, calve_error *err) {
  enum { CHANGES_MAX = 8, REQUIREMENTS_MAX = 6 };
  replacing r = {.arena = arena,
                 .base = base,
                 .given = wanted->schema,
                 .last_column_id = base->last_column_id};
  const calve_spec *spec;
  const calve_sort_order *order;
  calve_properties properties;
  calve_changes set;
  calve_map_init(&r.new_ids, arena);
  for (int32_t i = 0; i < base->schema_count; i++)
    if (base->schemas[i]->highest_field_id > r.last_column_id)
      r.last_column_id = base->schemas[i]->highest_field_id;
  CALVE_TRY(make_schema(&r, err));
  CALVE_TRY(calve_schema_check_new_names(r.schema, base->schema, err));
  CALVE_TRY(make_spec(&r, wanted->spec, &spec, err));
  CALVE_TRY(make_order(&r, wanted->sort_order, &order, err));
  CALVE_TRY(new_properties(&r, &wanted->properties, &properties, err));
  CALVE_TRY(calve_property_update_apply(base, &properties, NULL, 0, arena, &set, err));
  calve_change *changes = CALVE_NEW_ARRAY(arena, calve_change, set.change_count + CHANGES_MAX);
  calve_requirement *requirements = CALVE_NEW_ARRAY(arena, calve_requirement, REQUIREMENTS_MAX);
  if (!changes || !requirements) return calve_fail_oom(err);
  /* An upgrade comes first, as the new schema may need it. */
  for (size_t i = 0; i < set.change_count; i++) changes[i] = set.changes[i];
  size_t count = set.change_count;
  count += add_changes(&r, wanted, spec, order, changes + count);
  *out = (calve_changes){.change_count = count,
                         .changes = changes,
                         .requirement_count = add_requirements(base, requirements),
                         .requirements = requirements};
  return CALVE_OK;
}
