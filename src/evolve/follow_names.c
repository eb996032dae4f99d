/* SPDX-License-Identifier: Apache-2.0 */
/* Properties that name columns follow a schema update: the mapping of names in files without ids,
 * and what writers are told per column. [spec: Column Projection, name mapping] */
#include "evolve/schema_update_parts.h"
#include "model/name_mapping.h"
#include "model/reading.h"

static const char mapping_key[] = "schema.name-mapping.default";

/* ---- the name mapping ------------------------------------------------------------------- */

typedef struct mapped_list {
  calve_mapped_field *items;
  size_t count;
} mapped_list;

/* A name that a column takes now is no longer another one's: without that, a column that was
 * dropped and one that was added later would share the data of old files. `takers` has the id of
 * the field that takes each name. */
static calve_status drop_taken(calve_schema_update *u, calve_mapped_field *f,
                               const calve_map *takers, calve_error *err) {
  calve_str *names = CALVE_NEW_ARRAY(u->arena, calve_str, f->name_count);
  if (!names) return calve_fail_oom(err);
  size_t kept = 0;
  for (size_t i = 0; i < f->name_count; i++) {
    const calve_edit *taker = calve_map_get_str(takers, f->names[i]);
    if (!taker || taker->field.id == f->field_id)
      names[kept++] = f->names[i];
    else if (!u->taken.name.data)
      u->taken = (calve_taken_name){f->names[i], f->field_id, taker->field.id};
  }
  f->names = names;
  f->name_count = kept;
  return CALVE_OK;
}

static calve_status add_name(calve_mapped_field *f, calve_str name, calve_arena *arena,
                             calve_error *err) {
  for (size_t i = 0; i < f->name_count; i++)
    if (calve_str_equal(f->names[i], name)) return CALVE_OK;
  calve_str *names = CALVE_NEW_ARRAY(arena, calve_str, f->name_count + 1);
  if (!names) return calve_fail_oom(err);
  if (f->name_count) memcpy(names, f->names, f->name_count * sizeof *names);
  names[f->name_count++] = name;
  f->names = names;
  return CALVE_OK;
}

static calve_status map_added(const calve_schema_update *u, const calve_edit *edit,
                              calve_mapped_field *out, calve_error *err) {
  const calve_name_mapping *below;
  calve_str *name = CALVE_NEW(u->arena, calve_str);
  if (!name) return calve_fail_oom(err);
  *name = edit->field.name;
  CALVE_TRY(calve_name_mapping_of_type(edit->field.type, u->arena, &below, err));
  *out = (calve_mapped_field){.field_id = edit->field.id,
                              .name_count = 1,
                              .names = name,
                              .child_count = below->field_count,
                              .children = below->fields};
  return CALVE_OK;
}

static calve_status put_taker(calve_map *takers, const calve_edit *edit, calve_error *err) {
  return calve_map_put_str(takers, edit->field.name, (void *)(uintptr_t)edit, NULL, err);
}

/* Holds no columns: an entry of the mapping that has no id. */
enum { NO_COLUMN = -2 };

/* Members of the field with id holder_id, as they are after the update. As deep as the parsed
 * mapping, which is capped. */
static calve_status update_members(calve_schema_update *u, const calve_mapped_field *fields,
                                   size_t count, int32_t holder_id, mapped_list *out,
                                   calve_error *err) {
  const calve_struct_changes *changes = calve_map_get_id(&u->structs, holder_id);
  size_t added_count = changes ? changes->added_count : 0;
  calve_mapped_field *items = CALVE_NEW_ARRAY(u->arena, calve_mapped_field, count + added_count);
  if (!items) return calve_fail_oom(err);
  calve_map takers;
  calve_map_init(&takers, u->arena);
  for (size_t i = 0; i < count; i++) {
    items[i] = fields[i];
    const calve_edit *edit = calve_map_get_id(&u->edits, fields[i].field_id);
    if (edit && fields[i].field_id >= 0) {
      CALVE_TRY(add_name(&items[i], edit->field.name, u->arena, err));
      CALVE_TRY(put_taker(&takers, edit, err));
    }
    mapped_list children;
    int32_t holder = fields[i].field_id >= 0 ? fields[i].field_id : NO_COLUMN;
    CALVE_TRY(update_members(u, fields[i].children, fields[i].child_count, holder, &children, err));
    items[i].children = children.items;
    items[i].child_count = children.count;
  }
  for (size_t i = 0; i < added_count; i++) CALVE_TRY(put_taker(&takers, changes->added[i], err));
  for (size_t i = 0; i < count; i++) CALVE_TRY(drop_taken(u, &items[i], &takers, err));
  for (size_t i = 0; i < added_count; i++)
    CALVE_TRY(map_added(u, changes->added[i], &items[count + i], err));
  *out = (mapped_list){items, count + added_count};
  return CALVE_OK;
}

static calve_status update_mapping(calve_schema_update *u, calve_str json, calve_str *out,
                                   calve_error *err) {
  const calve_name_mapping *old;
  calve_status status = calve_name_mapping_parse(json, u->arena, &old, err);
  if (status != CALVE_OK) {
    /* What nobody can read is no reason to forbid an evolution: it stays as it is. */
    *out = json;
    return status == CALVE_ENOMEM ? status : CALVE_OK;
  }
  mapped_list fields;
  CALVE_TRY(update_members(u, old->fields, old->field_count, CALVE_ROOT_ID, &fields, err));
  calve_name_mapping fresh = {fields.count, fields.items};
  calve_buffer text;
  calve_json_writer w;
  calve_buffer_init(&text, u->arena->allocator);
  calve_json_write_init(&w, &text, 0);
  calve_name_mapping_write_json(&fresh, &w);
  status = calve_buffer_check(&text, err);
  if (status == CALVE_OK) status = calve_arena_str(u->arena, calve_buffer_view(&text), out, err);
  calve_buffer_free(&text);
  return status;
}

/* ---- properties per column -------------------------------------------------------------- */

static const char *const column_prefixes[] = {"write.metadata.metrics.column.",
                                              "write.parquet.bloom-filter-enabled.column.",
                                              "write.parquet.stats-enabled.column."};

static calve_str column_of(calve_str key, calve_str *prefix) {
  for (size_t i = 0; i < sizeof column_prefixes / sizeof *column_prefixes; i++) {
    *prefix = calve_str_of(column_prefixes[i]);
    if (calve_str_starts_with(key, *prefix))
      return (calve_str){key.data + prefix->size, key.size - prefix->size};
  }
  return (calve_str){0};
}

typedef struct following {
  calve_property *set;
  size_t set_count;
  calve_str *removed;
  size_t removed_count;
} following;

static calve_status follow_column(const calve_schema_update *u, const calve_schema *fresh,
                                  const calve_property *p, following *f, calve_error *err) {
  calve_str prefix, column = column_of(p->key, &prefix), key;
  if (!column.data) return CALVE_OK;
  const calve_schema_node *was = calve_schema_find(u->schema, column);
  if (!was) return CALVE_OK;
  const calve_schema_node *is = calve_schema_find_id(fresh, was->field->id);
  if (is && calve_str_equal(is->full_name, was->full_name)) return CALVE_OK;
  f->removed[f->removed_count++] = p->key;
  if (!is) return CALVE_OK;
  CALVE_TRY(calve_arena_printf(u->arena, &key, err, "%.*s%.*s", (int)prefix.size, prefix.data,
                               (int)is->full_name.size, is->full_name.data));
  f->set[f->set_count++] = (calve_property){key, p->value};
  return CALVE_OK;
}

calve_status calve_update__follow_names(calve_schema_update *u, const calve_schema *new_schema,
                                        calve_properties *set, const calve_str **removed,
                                        size_t *removed_count, calve_error *err) {
  const calve_properties *old = &u->base->properties;
  following f = {.set = CALVE_NEW_ARRAY(u->arena, calve_property, old->count + 1),
                 .removed = CALVE_NEW_ARRAY(u->arena, calve_str, old->count + 1)};
  if (!f.set || !f.removed) return calve_fail_oom(err);
  for (size_t i = 0; i < old->count; i++) {
    if (!calve_str_equal_text(old->items[i].key, mapping_key)) {
      CALVE_TRY(follow_column(u, new_schema, &old->items[i], &f, err));
      continue;
    }
    if (u->edits.count == 0) continue;
    calve_str json;
    CALVE_TRY(update_mapping(u, old->items[i].value, &json, err));
    if (!calve_str_equal(json, old->items[i].value))
      f.set[f.set_count++] = (calve_property){old->items[i].key, json};
  }
  *set = (calve_properties){f.set, f.set_count};
  *removed = f.removed;
  *removed_count = f.removed_count;
  return CALVE_OK;
}
