/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "model/schema.h"
#include "model/type_json.h"

typedef struct schema_parts {
  int32_t schema_id; /* 0 when absent, as in the schema of a v1 table                           */
  calve_str kind;
  const calve_field *fields;
  int32_t field_count;
  int32_t *identifiers;
  int32_t identifier_count;
} schema_parts;

static calve_status read_identifiers_into(calve_json_reader *r, calve_buffer *ids,
                                          calve_error *err) {
  CALVE_TRY(calve_json_begin_array(r, err));
  for (;;) {
    bool more;
    int32_t id = 0;
    CALVE_TRY(calve_json_next_item(r, &more, err));
    if (!more) return calve_buffer_check(ids, err);
    CALVE_TRY(calve_json_i32(r, &id, err));
    if (CALVE_COUNT(ids, int32_t) >= CALVE_FIELDS_MAX)
      return calve_json_fail(r, err, "more than %d identifier fields", CALVE_FIELDS_MAX);
    calve_buffer_put(ids, &id, sizeof id);
  }
}

static calve_status read_identifiers(calve_json_reader *r, schema_parts *p, calve_error *err) {
  bool was_null;
  CALVE_TRY(calve_json_null(r, &was_null, err));
  if (was_null) return CALVE_OK;
  calve_buffer ids;
  calve_buffer_init(&ids, r->arena->allocator);
  calve_status status = read_identifiers_into(r, &ids, err);
  if (status == CALVE_OK && ids.size > 0) {
    p->identifiers = (int32_t *)(void *)calve_arena_copy(r->arena, ids.data, ids.size);
    p->identifier_count = (int32_t)CALVE_COUNT(&ids, int32_t);
    if (!p->identifiers) status = calve_fail_oom(err);
  }
  calve_buffer_free(&ids);
  return status;
}

static calve_status read_member(calve_json_reader *r, calve_str key, schema_parts *p,
                                calve_error *err) {
  if (calve_str_equal_text(key, "type")) return calve_json_str(r, &p->kind, err);
  if (calve_str_equal_text(key, "schema-id")) return calve_json_i32(r, &p->schema_id, err);
  if (calve_str_equal_text(key, "identifier-field-ids")) return read_identifiers(r, p, err);
  if (calve_str_equal_text(key, "fields"))
    return calve_type__read_fields(r, 0, &p->fields, &p->field_count, err);
  return calve_json_skip(r, err);
}

calve_status calve_schema_read_json(calve_json_reader *r, const calve_schema **out,
                                    calve_error *err) {
  schema_parts p = {0};
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    calve_str key;
    bool more;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    CALVE_TRY(read_member(r, key, &p, err));
  }
  if (!calve_str_equal_text(p.kind, "struct"))
    return calve_json_fail(r, err, "a schema's \"type\" must be \"struct\"");
  if (!p.fields) return calve_json_fail(r, err, "a schema has no \"fields\"");
  calve_type *root = CALVE_NEW(r->arena, calve_type);
  if (!root) return calve_fail_oom(err);
  *root = (calve_type){.id = CALVE_STRUCT, .field_count = p.field_count, .fields = p.fields};
  calve_error inner;
  calve_status status = calve_schema_make(p.schema_id, root, p.identifiers, p.identifier_count,
                                          r->arena, out, &inner);
  if (status == CALVE_EINVAL) return calve_json_fail(r, err, "%s", inner.message);
  if (status != CALVE_OK && err) *err = inner;
  return status;
}

calve_status calve_schema_parse(calve_str json, const char *where, calve_arena *arena,
                                const calve_schema **out, calve_error *err) {
  calve_json_reader r;
  const calve_schema *schema;
  calve_json_open(&r, json, where, arena);
  CALVE_TRY(calve_schema_read_json(&r, &schema, err));
  CALVE_TRY(calve_json_end(&r, err));
  *out = schema;
  return CALVE_OK;
}

void calve_schema_write_json(const calve_schema *s, calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  calve_json_write_key(w, "type");
  calve_json_write_str(w, CALVE_STR("struct"));
  calve_json_write_key(w, "schema-id");
  calve_json_write_i64(w, s->schema_id);
  if (s->identifier_field_count > 0) {
    calve_json_write_key(w, "identifier-field-ids");
    calve_json_write_begin(w, '[');
    for (int32_t i = 0; i < s->identifier_field_count; i++)
      calve_json_write_i64(w, s->identifier_field_ids[i]);
    calve_json_write_end(w, ']');
  }
  calve_type__write_fields(s->root, w);
  calve_json_write_end(w, '}');
}
