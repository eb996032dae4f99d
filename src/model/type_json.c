/* SPDX-License-Identifier: Apache-2.0 */
#include "model/type_json.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "model/value.h"

/* What a field object says, before its default values can be read: they need the type, which may
 * come after them. */
typedef struct field_parts {
  calve_field field;
  bool has_id, has_name, has_required;
  calve_str initial_default, write_default; /* raw JSON; data NULL when absent                  */
} field_parts;

static calve_status read_type(calve_json_reader *r, int depth, const calve_type **out,
                              calve_error *err);

static calve_status read_string_copy(calve_json_reader *r, calve_str *out, calve_error *err) {
  calve_str text;
  CALVE_TRY(calve_json_str(r, &text, err));
  if (text.size > CALVE_NAME_MAX)
    return calve_json_fail(r, err, "a name of %zu bytes is longer than %d", text.size,
                           CALVE_NAME_MAX);
  return calve_arena_str(r->arena, text, out, err);
}

/* Statements of the engine end at a NUL: such a name would mean another column. */
static calve_status read_name(calve_json_reader *r, calve_str *out, calve_error *err) {
  CALVE_TRY(read_string_copy(r, out, err));
  if (out->size == 0 || !memchr(out->data, '\0', out->size)) return CALVE_OK;
  return calve_json_fail(r, err, "a name has a NUL character in it; rename the column with the "
                                 "engine that made it");
}

/* Reads a default from text that was kept raw. Its reader is large: kept out of the frames of the
 * recursion above. [spec: Default values] */
__attribute__((noinline)) static calve_status read_default(calve_json_reader *r, calve_str raw,
                                                           const calve_type *type,
                                                           const calve_value **out,
                                                           calve_error *err) {
  if (!raw.data) return CALVE_OK;
  calve_json_reader inner;
  calve_json_open(&inner, raw, r->where, r->arena);
  inner.base_offset = r->base_offset + (raw.data - r->text);
  calve_value value;
  CALVE_TRY(calve_value_read_json(&inner, type, &value, err));
  if (value.is_null) return CALVE_OK;
  calve_value *copy = CALVE_NEW(r->arena, calve_value);
  if (!copy) return calve_fail_oom(err);
  CALVE_TRY(calve_value_copy(&value, r->arena, copy, err));
  *out = copy;
  return CALVE_OK;
}

static calve_status read_field_member(calve_json_reader *r, calve_str key, int depth,
                                      field_parts *p, calve_error *err) {
  if (calve_str_equal_text(key, "id")) {
    p->has_id = true;
    return calve_json_i32(r, &p->field.id, err);
  }
  if (calve_str_equal_text(key, "name")) {
    p->has_name = true;
    return read_name(r, &p->field.name, err);
  }
  if (calve_str_equal_text(key, "required")) {
    p->has_required = true;
    return calve_json_bool(r, &p->field.required, err);
  }
  if (calve_str_equal_text(key, "type")) return read_type(r, depth + 1, &p->field.type, err);
  if (calve_str_equal_text(key, "doc")) {
    bool was_null;
    CALVE_TRY(calve_json_null(r, &was_null, err));
    if (was_null) return CALVE_OK;
    calve_str doc;
    CALVE_TRY(calve_json_str(r, &doc, err));
    return calve_arena_str(r->arena, doc, &p->field.doc, err);
  }
  if (calve_str_equal_text(key, "initial-default"))
    return calve_json_raw(r, &p->initial_default, err);
  if (calve_str_equal_text(key, "write-default")) return calve_json_raw(r, &p->write_default, err);
  return calve_json_skip(r, err);
}

static calve_status read_field(calve_json_reader *r, int depth, calve_field *out,
                               calve_error *err) {
  field_parts p = {0};
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    calve_str key;
    bool more;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    CALVE_TRY(read_field_member(r, key, depth, &p, err));
  }
  const char *missing = !p.has_id         ? "id"
                        : !p.has_name     ? "name"
                        : !p.field.type   ? "type"
                        : !p.has_required ? "required"
                                          : NULL;
  if (missing)
    return calve_json_fail(r, err, "field '%.*s' has no \"%s\"", CALVE_STR_ARG(p.field.name),
                           missing);
  calve_status status =
      read_default(r, p.initial_default, p.field.type, &p.field.initial_default, err);
  if (status == CALVE_OK)
    status = read_default(r, p.write_default, p.field.type, &p.field.write_default, err);
  if (status != CALVE_OK) {
    calve_error_prefix(err, "default value of field '%.*s'", CALVE_STR_ARG(p.field.name));
    return status;
  }
  *out = p.field;
  return CALVE_OK;
}

static calve_status read_fields_into(calve_json_reader *r, int depth, calve_buffer *fields,
                                     calve_error *err) {
  CALVE_TRY(calve_json_begin_array(r, err));
  for (;;) {
    bool more;
    calve_field field = {0};
    CALVE_TRY(calve_json_next_item(r, &more, err));
    if (!more) return calve_buffer_check(fields, err);
    CALVE_TRY(read_field(r, depth, &field, err));
    if (CALVE_COUNT(fields, calve_field) >= CALVE_FIELDS_MAX)
      return calve_json_fail(r, err, "a struct has more than %d fields", CALVE_FIELDS_MAX);
    calve_buffer_put(fields, &field, sizeof field);
  }
}

calve_status calve_type__read_fields(calve_json_reader *r, int depth, const calve_field **fields,
                                     int32_t *count, calve_error *err) {
  calve_buffer found;
  calve_buffer_init(&found, r->arena->allocator);
  calve_status status = read_fields_into(r, depth, &found, err);
  if (status == CALVE_OK) {
    size_t n = CALVE_COUNT(&found, calve_field);
    calve_field *copy = CALVE_NEW_ARRAY(r->arena, calve_field, n);
    if (copy) {
      for (size_t i = 0; i < n; i++) copy[i] = CALVE_ITEMS(&found, calve_field)[i];
      *fields = copy;
      *count = (int32_t)n;
    } else {
      status = calve_fail_oom(err);
    }
  }
  calve_buffer_free(&found);
  return status;
}

/* What the members of a nested type's object say. Keys of the three kinds differ, so that they
 * need not wait for "type", which may come last. */
typedef struct nested_parts {
  calve_str kind;
  const calve_field *fields; /* struct                                                          */
  int32_t field_count;
  calve_field element, key, value;
  bool has_element_id, has_key_id, has_value_id, has_element_required, has_value_required;
} nested_parts;

static calve_status read_nested_member(calve_json_reader *r, calve_str key, int depth,
                                       nested_parts *p, calve_error *err) {
  if (calve_str_equal_text(key, "type")) return calve_json_str(r, &p->kind, err);
  if (calve_str_equal_text(key, "fields"))
    return calve_type__read_fields(r, depth, &p->fields, &p->field_count, err);
  if (calve_str_equal_text(key, "element")) return read_type(r, depth + 1, &p->element.type, err);
  if (calve_str_equal_text(key, "key")) return read_type(r, depth + 1, &p->key.type, err);
  if (calve_str_equal_text(key, "value")) return read_type(r, depth + 1, &p->value.type, err);
  if (calve_str_equal_text(key, "element-id")) {
    p->has_element_id = true;
    return calve_json_i32(r, &p->element.id, err);
  }
  if (calve_str_equal_text(key, "key-id")) {
    p->has_key_id = true;
    return calve_json_i32(r, &p->key.id, err);
  }
  if (calve_str_equal_text(key, "value-id")) {
    p->has_value_id = true;
    return calve_json_i32(r, &p->value.id, err);
  }
  if (calve_str_equal_text(key, "element-required")) {
    p->has_element_required = true;
    return calve_json_bool(r, &p->element.required, err);
  }
  if (calve_str_equal_text(key, "value-required")) {
    p->has_value_required = true;
    return calve_json_bool(r, &p->value.required, err);
  }
  return calve_json_skip(r, err);
}

static calve_status make_nested(calve_json_reader *r, nested_parts *p, const calve_type **out,
                                calve_error *err) {
  calve_type type = {0};
  p->element.name = CALVE_STR("element");
  p->key.name = CALVE_STR("key");
  p->value.name = CALVE_STR("value");
  p->key.required = true; /* map keys are never null [spec: Nested Types] */
  calve_field members[2] = {{0}, {0}};
  if (calve_str_equal_text(p->kind, "struct")) {
    if (!p->fields) return calve_json_fail(r, err, "a struct type has no \"fields\"");
    type = (calve_type){.id = CALVE_STRUCT, .field_count = p->field_count, .fields = p->fields};
  } else if (calve_str_equal_text(p->kind, "list")) {
    if (!p->has_element_id || !p->element.type || !p->has_element_required)
      return calve_json_fail(
          r, err, "a list type needs \"element-id\", \"element\" and \"element-required\"");
    type = (calve_type){.id = CALVE_LIST, .field_count = 1};
    members[0] = p->element;
  } else if (calve_str_equal_text(p->kind, "map")) {
    if (!p->has_key_id || !p->key.type || !p->has_value_id || !p->value.type ||
        !p->has_value_required)
      return calve_json_fail(r, err,
                             "a map type needs \"key-id\", \"key\", \"value-id\", \"value\" and "
                             "\"value-required\"");
    type = (calve_type){.id = CALVE_MAP, .field_count = 2};
    members[0] = p->key;
    members[1] = p->value;
  } else {
    return calve_json_fail(r, err,
                           "a nested type's \"type\" is '%.*s', expected struct, list or map",
                           CALVE_STR_ARG(p->kind));
  }
  calve_type *copy = CALVE_NEW(r->arena, calve_type);
  if (!copy) return calve_fail_oom(err);
  if (type.id != CALVE_STRUCT) {
    calve_field *fields = CALVE_NEW_ARRAY(r->arena, calve_field, (size_t)type.field_count);
    if (!fields) return calve_fail_oom(err);
    for (int32_t i = 0; i < type.field_count; i++) fields[i] = members[i];
    type.fields = fields;
  }
  *copy = type;
  *out = copy;
  return CALVE_OK;
}

static calve_status read_type_string(calve_json_reader *r, const calve_type **out,
                                     calve_error *err) {
  calve_str text;
  calve_error inner;
  CALVE_TRY(calve_json_str(r, &text, err));
  calve_status status = calve_type_parse(text, r->arena, out, &inner);
  if (status == CALVE_EINVAL) return calve_json_fail(r, err, "%s", inner.message);
  if (status != CALVE_OK && err) *err = inner;
  return status;
}

static calve_status read_type(calve_json_reader *r, int depth, const calve_type **out,
                              calve_error *err) {
  calve_json_kind kind;
  CALVE_TRY(calve_json_peek(r, &kind, err));
  if (kind != CALVE_JSON_OBJECT) return read_type_string(r, out, err);
  if (depth >= CALVE_DEPTH_MAX)
    return calve_json_fail(r, err, "types are nested deeper than %d", CALVE_DEPTH_MAX);
  nested_parts p = {0};
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    calve_str key;
    bool more;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) return make_nested(r, &p, out, err);
    CALVE_TRY(read_nested_member(r, key, depth, &p, err));
  }
}

calve_status calve_type_read_json(calve_json_reader *r, const calve_type **out, calve_error *err) {
  return read_type(r, 0, out, err);
}

static void write_field(const calve_field *f, calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  calve_json_write_key(w, "id");
  calve_json_write_i64(w, f->id);
  calve_json_write_key(w, "name");
  calve_json_write_str(w, f->name);
  calve_json_write_key(w, "required");
  calve_json_write_bool(w, f->required);
  calve_json_write_key(w, "type");
  calve_type_write_json(f->type, w);
  if (f->doc.data) {
    calve_json_write_key(w, "doc");
    calve_json_write_str(w, f->doc);
  }
  if (f->initial_default) {
    calve_json_write_key(w, "initial-default");
    calve_value_write_json(f->initial_default, f->type, w);
  }
  if (f->write_default) {
    calve_json_write_key(w, "write-default");
    calve_value_write_json(f->write_default, f->type, w);
  }
  calve_json_write_end(w, '}');
}

void calve_struct_write_json_members(const calve_type *t, calve_json_writer *w) {
  calve_json_write_key(w, "type");
  calve_json_write_str(w, CALVE_STR("struct"));
  calve_type__write_fields(t, w);
}

void calve_type__write_fields(const calve_type *t, calve_json_writer *w) {
  calve_json_write_key(w, "fields");
  calve_json_write_begin(w, '[');
  for (int32_t i = 0; i < t->field_count; i++) write_field(&t->fields[i], w);
  calve_json_write_end(w, ']');
}

static void write_member(const char *name, const char *id_key, const char *required_key,
                         const calve_field *f, calve_json_writer *w) {
  calve_json_write_key(w, id_key);
  calve_json_write_i64(w, f->id);
  calve_json_write_key(w, name);
  calve_type_write_json(f->type, w);
  if (!required_key) return;
  calve_json_write_key(w, required_key);
  calve_json_write_bool(w, f->required);
}

void calve_type_write_json(const calve_type *t, calve_json_writer *w) {
  if (!calve_type_is_nested(t)) {
    calve_buffer text;
    calve_buffer_init(&text, w->out->allocator);
    calve_type_print(t, &text);
    calve_json_write_str(w, calve_buffer_view(&text));
    if (text.oom) w->out->oom = true;
    calve_buffer_free(&text);
    return;
  }
  calve_json_write_begin(w, '{');
  if (t->id == CALVE_STRUCT) {
    calve_struct_write_json_members(t, w);
  } else if (t->id == CALVE_LIST) {
    calve_json_write_key(w, "type");
    calve_json_write_str(w, CALVE_STR("list"));
    write_member("element", "element-id", "element-required", &t->fields[0], w);
  } else {
    calve_json_write_key(w, "type");
    calve_json_write_str(w, CALVE_STR("map"));
    write_member("key", "key-id", NULL, &t->fields[0], w);
    write_member("value", "value-id", "value-required", &t->fields[1], w);
  }
  calve_json_write_end(w, '}');
}
