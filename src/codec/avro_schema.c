/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/avro_schema.h"

#include <string.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/text.h"
#include "codec/json.h"

/* One parse: named types seen so far, and where to complain. */
typedef struct parser {
  calve_arena *arena;
  const char *where;
  calve_map named; /* full name -> calve_avro_type *                                            */
} parser;

static calve_status parse_type(parser *p, const calve_json *j, calve_str space, int depth,
                               const calve_avro_type **out, calve_error *err);

static const struct {
  const char *name;
  calve_avro_type type;
} primitives[] = {
    {"null", {.id = CALVE_AVRO_NULL}},
    {"boolean", {.id = CALVE_AVRO_BOOLEAN, .min_bytes = 1}},
    {"int", {.id = CALVE_AVRO_INT, .min_bytes = 1}},
    {"long", {.id = CALVE_AVRO_LONG, .min_bytes = 1}},
    {"float", {.id = CALVE_AVRO_FLOAT, .min_bytes = 4}},
    {"double", {.id = CALVE_AVRO_DOUBLE, .min_bytes = 8}},
    {"bytes", {.id = CALVE_AVRO_BYTES, .min_bytes = 1}},
    {"string", {.id = CALVE_AVRO_STRING, .min_bytes = 1}},
};

static const struct {
  const char *name;
  calve_avro_logical logical;
} logicals[] = {
    {"date", CALVE_AVRO_DATE},
    {"time-micros", CALVE_AVRO_TIME_MICROS},
    {"timestamp-micros", CALVE_AVRO_TIMESTAMP_MICROS},
    {"local-timestamp-micros", CALVE_AVRO_TIMESTAMP_MICROS},
    {"timestamp-nanos", CALVE_AVRO_TIMESTAMP_NANOS},
    {"local-timestamp-nanos", CALVE_AVRO_TIMESTAMP_NANOS},
    {"decimal", CALVE_AVRO_DECIMAL},
    {"uuid", CALVE_AVRO_UUID},
    {"map", CALVE_AVRO_KEYED_MAP},
};

static calve_str text_of(const calve_json *j, const char *key) {
  const calve_json *v = calve_json_get(j, key);
  return v && v->kind == CALVE_JSON_STRING ? v->text : (calve_str){0};
}

static int32_t id_of(const calve_json *j, const char *key) {
  int64_t id;
  if (!calve_json_as_i64(calve_json_get(j, key), &id)) return -1;
  return id >= 0 && id <= INT32_MAX ? (int32_t)id : -1;
}

static calve_status full_name(parser *p, calve_str name, calve_str space, calve_str *out,
                              calve_error *err) {
  if (memchr(name.data, '.', name.size) || space.size == 0) {
    *out = name;
    return CALVE_OK;
  }
  char *full = calve_arena_alloc(p->arena, space.size + 1 + name.size);
  if (!full) return calve_fail_oom(err);
  memcpy(full, space.data, space.size);
  full[space.size] = '.';
  memcpy(full + space.size + 1, name.data, name.size);
  *out = (calve_str){full, space.size + 1 + name.size};
  return CALVE_OK;
}

static calve_str namespace_of(calve_str name) {
  for (size_t i = name.size; i > 0; i--) {
    if (name.data[i - 1] == '.') return (calve_str){name.data, i - 1};
  }
  return (calve_str){"", 0};
}

static calve_status parse_reference(parser *p, calve_str name, calve_str space,
                                    const calve_avro_type **out, calve_error *err) {
  for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++) {
    if (calve_str_equal_text(name, primitives[i].name)) {
      *out = &primitives[i].type;
      return CALVE_OK;
    }
  }
  if (name.size == 0) return calve_fail(err, CALVE_ECORRUPT, p->where, "an Avro type has no name");
  calve_str full;
  CALVE_TRY(full_name(p, name, space, &full, err));
  calve_avro_type *named = calve_map_get_str(&p->named, full);
  if (!named) named = calve_map_get_str(&p->named, name);
  if (!named) {
    return calve_fail(err, CALVE_ECORRUPT, p->where,
                      "the Avro schema names the unknown type \"%.*s\"", CALVE_STR_ARG(name));
  }
  /* A record whose fields are not there yet is the one we are in. */
  if (named->id == CALVE_AVRO_RECORD && !named->fields) named->recursive = true;
  *out = named;
  return CALVE_OK;
}

static void parse_logical(const calve_json *j, calve_avro_type *type) {
  calve_str name = text_of(j, "logicalType");
  if (!name.data) return;
  for (size_t i = 0; i < sizeof logicals / sizeof *logicals; i++) {
    if (calve_str_equal_text(name, logicals[i].name)) type->logical = logicals[i].logical;
  }
  /* Plain Avro says "local-…" for what Iceberg marks with adjust-to-utc false. */
  const calve_json *adjust = calve_json_get(j, "adjust-to-utc");
  type->adjust_to_utc = !calve_str_starts_with(name, CALVE_STR("local-"));
  if (adjust && adjust->kind == CALVE_JSON_BOOL) type->adjust_to_utc = adjust->boolean;
  int64_t number = 0;
  if (calve_json_as_i64(calve_json_get(j, "precision"), &number) && number > 0 && number < 10000) {
    type->precision = (int32_t)number;
  }
  if (calve_json_as_i64(calve_json_get(j, "scale"), &number) && number >= 0 && number < 10000) {
    type->scale = (int32_t)number;
  }
}

static calve_status parse_record(parser *p, const calve_json *j, calve_str space, int depth,
                                 calve_avro_type *type, calve_error *err) {
  const calve_json *list = calve_json_get(j, "fields");
  if (!list || list->kind != CALVE_JSON_ARRAY || list->count > CALVE_FIELDS_MAX) {
    return calve_fail(err, CALVE_ECORRUPT, p->where, "the Avro record \"%.*s\" has no fields",
                      CALVE_STR_ARG(type->name));
  }
  calve_avro_field *fields = CALVE_NEW_ARRAY(p->arena, calve_avro_field, list->count + 1);
  if (!fields) return calve_fail_oom(err);
  size_t min_bytes = 0;
  for (size_t i = 0; i < list->count; i++) {
    const calve_json *f = &list->items[i];
    fields[i].name = text_of(f, "name");
    fields[i].field_id = id_of(f, "field-id");
    if (!fields[i].name.data) {
      return calve_fail(err, CALVE_ECORRUPT, p->where,
                        "field %zu of the Avro record \"%.*s\" has no name", i,
                        CALVE_STR_ARG(type->name));
    }
    const calve_json *field_type = calve_json_get(f, "type");
    CALVE_TRY(parse_type(p, field_type, space, depth + 1, &fields[i].type, err));
    min_bytes += fields[i].type->min_bytes;
    if (min_bytes > INT32_MAX) min_bytes = INT32_MAX;
  }
  type->fields = fields;
  type->field_count = list->count;
  type->min_bytes = min_bytes;
  return CALVE_OK;
}

static calve_status parse_named(parser *p, const calve_json *j, calve_str space, int depth,
                                calve_avro_type *type, calve_error *err) {
  calve_str name = text_of(j, "name");
  if (name.size == 0) {
    return calve_fail(err, CALVE_ECORRUPT, p->where, "a named Avro type has no name");
  }
  const calve_json *own_space = calve_json_get(j, "namespace");
  if (own_space && own_space->kind == CALVE_JSON_STRING) space = own_space->text;
  CALVE_TRY(full_name(p, name, space, &type->name, err));
  CALVE_TRY(calve_map_put_str(&p->named, type->name, type, NULL, err));
  if (type->id == CALVE_AVRO_RECORD) {
    return parse_record(p, j, namespace_of(type->name), depth, type, err);
  }
  if (type->id == CALVE_AVRO_ENUM) {
    const calve_json *symbols = calve_json_get(j, "symbols");
    if (!symbols || symbols->kind != CALVE_JSON_ARRAY) {
      return calve_fail(err, CALVE_ECORRUPT, p->where, "the Avro enum \"%.*s\" has no symbols",
                        CALVE_STR_ARG(type->name));
    }
    type->field_count = symbols->count;
    type->min_bytes = 1;
    return CALVE_OK;
  }
  int64_t size = -1;
  if (!calve_json_as_i64(calve_json_get(j, "size"), &size) || size < 0 || size > INT32_MAX) {
    return calve_fail(err, CALVE_ECORRUPT, p->where, "the Avro fixed \"%.*s\" has no valid size",
                      CALVE_STR_ARG(type->name));
  }
  type->size_bytes = type->min_bytes = (size_t)size;
  parse_logical(j, type);
  return CALVE_OK;
}

static calve_status parse_container(parser *p, const calve_json *j, calve_str space, int depth,
                                    calve_avro_type *type, calve_error *err) {
  calve_avro_field *element = CALVE_NEW(p->arena, calve_avro_field);
  if (!element) return calve_fail_oom(err);
  bool is_array = type->id == CALVE_AVRO_ARRAY;
  element->field_id = id_of(j, is_array ? "element-id" : "value-id");
  element->name = is_array ? CALVE_STR("element") : CALVE_STR("value");
  const calve_json *inner = calve_json_get(j, is_array ? "items" : "values");
  CALVE_TRY(parse_type(p, inner, space, depth + 1, &element->type, err));
  type->fields = element;
  type->field_count = 1;
  type->min_bytes = 1;
  parse_logical(j, type);
  return CALVE_OK;
}

static calve_status parse_union(parser *p, const calve_json *j, calve_str space, int depth,
                                const calve_avro_type **out, calve_error *err) {
  calve_avro_type *type = CALVE_NEW(p->arena, calve_avro_type);
  calve_avro_field *branches = CALVE_NEW_ARRAY(p->arena, calve_avro_field, j->count + 1);
  if (!type || !branches) return calve_fail_oom(err);
  if (j->count == 0 || j->count > 1000) {
    return calve_fail(err, CALVE_ECORRUPT, p->where, "an Avro union has %zu branches", j->count);
  }
  for (size_t i = 0; i < j->count; i++) {
    branches[i].field_id = -1;
    if (j->items[i].kind == CALVE_JSON_ARRAY) {
      return calve_fail(err, CALVE_ECORRUPT, p->where, "an Avro union stands in a union");
    }
    CALVE_TRY(parse_type(p, &j->items[i], space, depth + 1, &branches[i].type, err));
  }
  *type = (calve_avro_type){
      .id = CALVE_AVRO_UNION, .min_bytes = 1, .fields = branches, .field_count = j->count};
  *out = type;
  return CALVE_OK;
}

static calve_status parse_type(parser *p, const calve_json *j, calve_str space, int depth,
                               const calve_avro_type **out, calve_error *err) {
  if (depth > CALVE_DEPTH_MAX) {
    return calve_fail(err, CALVE_ECORRUPT, p->where, "the Avro schema is nested deeper than %d",
                      CALVE_DEPTH_MAX);
  }
  if (j && j->kind == CALVE_JSON_STRING) return parse_reference(p, j->text, space, out, err);
  if (j && j->kind == CALVE_JSON_ARRAY) return parse_union(p, j, space, depth, out, err);
  const calve_json *kind = j ? calve_json_get(j, "type") : NULL;
  if (!kind || j->kind != CALVE_JSON_OBJECT) {
    return calve_fail(err, CALVE_ECORRUPT, p->where, "the Avro schema has a place without a type");
  }
  /* {"type": {"type": …}}: a wrapper that some writers put around a field's type. */
  if (kind->kind != CALVE_JSON_STRING) return parse_type(p, kind, space, depth + 1, out, err);

  static const struct {
    const char *name;
    calve_avro_type_id id;
  } complex_types[] = {{"record", CALVE_AVRO_RECORD}, {"error", CALVE_AVRO_RECORD},
                       {"enum", CALVE_AVRO_ENUM},     {"fixed", CALVE_AVRO_FIXED},
                       {"array", CALVE_AVRO_ARRAY},   {"map", CALVE_AVRO_MAP}};
  calve_avro_type *type = CALVE_NEW(p->arena, calve_avro_type);
  if (!type) return calve_fail_oom(err);
  for (size_t i = 0; i < sizeof complex_types / sizeof *complex_types; i++) {
    if (!calve_str_equal_text(kind->text, complex_types[i].name)) continue;
    type->id = complex_types[i].id;
    *out = type;
    bool named = type->id != CALVE_AVRO_ARRAY && type->id != CALVE_AVRO_MAP;
    return named ? parse_named(p, j, space, depth, type, err)
                 : parse_container(p, j, space, depth, type, err);
  }
  const calve_avro_type *plain;
  CALVE_TRY(parse_reference(p, kind->text, space, &plain, err));
  if (plain->name.data) { /* a named type in a wrapper: nothing may be added to it */
    *out = plain;
    return CALVE_OK;
  }
  *type = *plain;
  parse_logical(j, type);
  *out = type;
  return CALVE_OK;
}

calve_status calve_avro_schema_parse(calve_str json, const char *where, calve_arena *arena,
                                     const calve_avro_type **out, calve_error *err) {
  parser p = {.arena = arena, .where = where};
  calve_map_init(&p.named, arena);
  const calve_json *tree;
  CALVE_TRY(calve_json_parse(json, where, arena, &tree, err));
  const calve_avro_type *type;
  CALVE_TRY(parse_type(&p, tree, (calve_str){"", 0}, 0, &type, err));
  *out = type;
  return CALVE_OK;
}

const calve_avro_field *calve_avro_find_field(const calve_avro_type *record, int32_t field_id,
                                              const char *name) {
  for (size_t i = 0; i < record->field_count; i++) {
    if (record->fields[i].field_id == field_id && field_id >= 0) return &record->fields[i];
  }
  for (size_t i = 0; i < record->field_count; i++) {
    const calve_avro_field *f = &record->fields[i];
    if (f->field_id < 0 && name && calve_str_equal_text(f->name, name)) return f;
  }
  return NULL;
}

const calve_avro_type *calve_avro_not_null(const calve_avro_type *type) {
  if (type->id != CALVE_AVRO_UNION) return type;
  for (size_t i = 0; i < type->field_count; i++) {
    if (type->fields[i].type->id != CALVE_AVRO_NULL) return type->fields[i].type;
  }
  return type->fields[0].type;
}
