/* SPDX-License-Identifier: Apache-2.0 */
#include "model/name_mapping.h"

#include "model/reading.h"

/* ---- reading ---------------------------------------------------------------------------- */

typedef struct field_list {
  calve_mapped_field *items;
  size_t count;
} field_list;

static calve_status read_fields(calve_json_reader *r, int depth, field_list *out, calve_error *err);

static calve_status read_names(calve_json_reader *r, calve_mapped_field *f, calve_error *err) {
  calve_str *names = NULL;
  size_t count = 0, capacity = 0;
  CALVE_TRY(calve_json_begin_array(r, err));
  for (;;) {
    bool more;
    calve_str name;
    CALVE_TRY(calve_json_next_item(r, &more, err));
    if (!more) break;
    CALVE_TRY(calve_json_str(r, &name, err));
    names = calve_model__grown(r->arena, names, count, &capacity, sizeof *names);
    if (!names) return calve_fail_oom(err);
    names[count++] = name;
  }
  f->names = names;
  f->name_count = count;
  return CALVE_OK;
}

static calve_status read_field(calve_json_reader *r, int depth, calve_mapped_field *out,
                               calve_error *err) {
  calve_mapped_field f = {.field_id = -1};
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    bool more, was_null;
    calve_str key;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    CALVE_TRY(calve_json_null(r, &was_null, err));
    if (was_null) continue;
    if (CALVE_KEY_IS(key, "field-id")) {
      CALVE_TRY(calve_json_i32(r, &f.field_id, err));
      if (f.field_id < 0) return calve_json_fail(r, err, "a field id can't be negative");
    } else if (CALVE_KEY_IS(key, "names")) {
      CALVE_TRY(read_names(r, &f, err));
    } else if (CALVE_KEY_IS(key, "fields")) {
      field_list children;
      CALVE_TRY(read_fields(r, depth + 1, &children, err));
      f.children = children.items;
      f.child_count = children.count;
    } else {
      CALVE_TRY(calve_json_skip(r, err));
    }
  }
  *out = f;
  return CALVE_OK;
}

static calve_status read_fields(calve_json_reader *r, int depth, field_list *out,
                                calve_error *err) {
  if (depth > CALVE_DEPTH_MAX)
    return calve_json_fail(r, err, "nested deeper than %d", CALVE_DEPTH_MAX);
  field_list list = {0};
  size_t capacity = 0;
  CALVE_TRY(calve_json_begin_array(r, err));
  for (;;) {
    bool more;
    CALVE_TRY(calve_json_next_item(r, &more, err));
    if (!more) break;
    list.items =
        calve_model__grown(r->arena, list.items, list.count, &capacity, sizeof *list.items);
    if (!list.items) return calve_fail_oom(err);
    CALVE_TRY(read_field(r, depth, &list.items[list.count], err));
    list.count++;
  }
  *out = list;
  return CALVE_OK;
}

calve_status calve_name_mapping_parse(calve_str json, calve_arena *arena,
                                      const calve_name_mapping **out, calve_error *err) {
  calve_name_mapping *mapping = CALVE_NEW(arena, calve_name_mapping);
  if (!mapping) return calve_fail_oom(err);
  field_list fields;
  calve_json_reader r;
  calve_json_open(&r, json, "schema.name-mapping.default", arena);
  CALVE_TRY(read_fields(&r, 1, &fields, err));
  CALVE_TRY(calve_json_end(&r, err));
  mapping->fields = fields.items;
  mapping->field_count = fields.count;
  *out = mapping;
  return CALVE_OK;
}

/* ---- writing ---------------------------------------------------------------------------- */

/* As deep as what was read or made of a schema, which both are capped. */
static void write_fields(const calve_mapped_field *fields, size_t count, calve_json_writer *w) {
  calve_json_write_begin(w, '[');
  for (size_t i = 0; i < count; i++) {
    calve_json_write_begin(w, '{');
    if (fields[i].field_id >= 0) {
      calve_json_write_key(w, "field-id");
      calve_json_write_i64(w, fields[i].field_id);
    }
    calve_json_write_key(w, "names");
    calve_json_write_begin(w, '[');
    for (size_t n = 0; n < fields[i].name_count; n++) calve_json_write_str(w, fields[i].names[n]);
    calve_json_write_end(w, ']');
    if (fields[i].child_count) {
      calve_json_write_key(w, "fields");
      write_fields(fields[i].children, fields[i].child_count, w);
    }
    calve_json_write_end(w, '}');
  }
  calve_json_write_end(w, ']');
}

void calve_name_mapping_write_json(const calve_name_mapping *m, calve_json_writer *w) {
  write_fields(m->fields, m->field_count, w);
}

/* ---- making and finding ----------------------------------------------------------------- */

static calve_status map_type(const calve_type *type, int depth, calve_arena *arena, field_list *out,
                             calve_error *err) {
  *out = (field_list){0};
  if (!calve_type_is_nested(type)) return CALVE_OK;
  if (depth > CALVE_DEPTH_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "a type is nested deeper than %d", CALVE_DEPTH_MAX);
  out->count = (size_t)type->field_count;
  out->items = CALVE_NEW_ARRAY(arena, calve_mapped_field, out->count);
  if (!out->items) return calve_fail_oom(err);
  for (size_t i = 0; i < out->count; i++) {
    field_list children;
    CALVE_TRY(map_type(type->fields[i].type, depth + 1, arena, &children, err));
    out->items[i] = (calve_mapped_field){.field_id = type->fields[i].id,
                                         .name_count = 1,
                                         .names = &type->fields[i].name,
                                         .child_count = children.count,
                                         .children = children.items};
  }
  return CALVE_OK;
}

calve_status calve_name_mapping_of(const calve_schema *schema, calve_arena *arena,
                                   const calve_name_mapping **out, calve_error *err) {
  return calve_name_mapping_of_type(schema->root, arena, out, err);
}

calve_status calve_name_mapping_of_type(const calve_type *type, calve_arena *arena,
                                        const calve_name_mapping **out, calve_error *err) {
  calve_name_mapping *mapping = CALVE_NEW(arena, calve_name_mapping);
  if (!mapping) return calve_fail_oom(err);
  field_list fields;
  CALVE_TRY(map_type(type, 1, arena, &fields, err));
  mapping->fields = fields.items;
  mapping->field_count = fields.count;
  *out = mapping;
  return CALVE_OK;
}

const calve_mapped_field *calve_mapped_field_find(const calve_mapped_field *fields, size_t count,
                                                  calve_str name) {
  for (size_t i = 0; i < count; i++)
    for (size_t n = 0; n < fields[i].name_count; n++)
      if (calve_str_equal(fields[i].names[n], name)) return &fields[i];
  return NULL;
}
