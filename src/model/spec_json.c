/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "model/reading.h"
#include "model/source_ids.h"
#include "model/spec.h"
#include "model/transform_json.h"

#define FIELDS_MAX 10000 /* of one spec; a partition tuple has a value for each                 */

typedef struct fields_parts {
  calve_partition_field *fields;
  size_t count, capacity;
  size_t with_id; /* fields that say their field-id                                             */
} fields_parts;

static calve_status read_field(calve_json_reader *r, calve_partition_field *out, bool *has_id,
                               calve_error *err) {
  calve_partition_field f = {0};
  calve_source_ids sources = {0};
  bool has_transform = false;
  *has_id = false;
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    calve_str key;
    bool more, taken;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    CALVE_TRY(calve_source_ids__read(r, key, &sources, &taken, err));
    if (taken) continue;
    if (CALVE_KEY_IS(key, "name")) {
      calve_str name;
      CALVE_TRY(calve_json_str(r, &name, err));
      CALVE_TRY(calve_arena_str(r->arena, name, &f.name, err));
    } else if (CALVE_KEY_IS(key, "transform")) {
      has_transform = true;
      CALVE_TRY(calve_transform__read_json(r, &f.transform, err));
    } else if (CALVE_KEY_IS(key, "field-id")) {
      *has_id = true;
      CALVE_TRY(calve_json_i32(r, &f.field_id, err));
    } else {
      CALVE_TRY(calve_json_skip(r, err));
    }
  }
  const char *missing = !f.name.data         ? "name"
                        : !has_transform     ? "transform"
                        : sources.count == 0 ? "source-id"
                                             : NULL;
  if (missing) return calve_json_fail(r, err, "a partition field has no \"%s\"", missing);
  f.source_id = sources.ids[0];
  f.source_ids = sources.ids;
  f.source_count = sources.count;
  *out = f;
  return CALVE_OK;
}

static calve_status read_fields(calve_json_reader *r, fields_parts *p, calve_error *err) {
  CALVE_TRY(calve_json_begin_array(r, err));
  for (;;) {
    bool more, has_id;
    CALVE_TRY(calve_json_next_item(r, &more, err));
    if (!more) break;
    if (p->count >= FIELDS_MAX)
      return calve_json_fail(r, err, "a partition spec has more than %d fields", FIELDS_MAX);
    p->fields = calve_model__grown(r->arena, p->fields, p->count, &p->capacity, sizeof *p->fields);
    if (!p->fields) return calve_fail_oom(err);
    CALVE_TRY(read_field(r, &p->fields[p->count], &has_id, err));
    p->count++;
    if (has_id) p->with_id++;
  }
  if (p->with_id == p->count) return CALVE_OK;
  /* v1 tables of old writers have no ids: they are counted up. [spec: Appendix C] */
  if (p->with_id > 0)
    return calve_json_fail(r, err, "%zu of %zu partition fields have no \"field-id\"",
                           p->count - p->with_id, p->count);
  for (size_t i = 0; i < p->count; i++)
    p->fields[i].field_id = CALVE_PARTITION_FIELD_ID_START + (int32_t)i;
  return CALVE_OK;
}

static calve_status read_object(calve_json_reader *r, int32_t *spec_id, fields_parts *p,
                                calve_error *err) {
  bool has_id = false, has_fields = false;
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    calve_str key;
    bool more;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    if (CALVE_KEY_IS(key, "spec-id")) {
      has_id = true;
      CALVE_TRY(calve_json_i32(r, spec_id, err));
    } else if (CALVE_KEY_IS(key, "fields")) {
      *p = (fields_parts){0}; /* a repeated key: the last one counts */
      has_fields = true;
      CALVE_TRY(read_fields(r, p, err));
    } else {
      CALVE_TRY(calve_json_skip(r, err));
    }
  }
  if (has_id && has_fields) return CALVE_OK;
  return calve_json_fail(r, err, "a partition spec has no \"%s\"", has_id ? "fields" : "spec-id");
}

calve_status calve_spec_read_json(calve_json_reader *r, const calve_spec **out, calve_error *err) {
  calve_json_kind kind;
  fields_parts p = {0};
  int32_t spec_id = 0;
  CALVE_TRY(calve_json_peek(r, &kind, err));
  if (kind == CALVE_JSON_ARRAY)
    CALVE_TRY(read_fields(r, &p, err));
  else
    CALVE_TRY(read_object(r, &spec_id, &p, err));
  calve_spec *spec = CALVE_NEW(r->arena, calve_spec);
  if (!spec) return calve_fail_oom(err);
  *spec = (calve_spec){spec_id, (int32_t)p.count, p.fields};
  *out = spec;
  return CALVE_OK;
}

calve_status calve_spec_parse(calve_str json, const char *where, calve_arena *arena,
                              const calve_spec **out, calve_error *err) {
  calve_json_reader r;
  const calve_spec *spec;
  calve_json_open(&r, json, where, arena);
  CALVE_TRY(calve_spec_read_json(&r, &spec, err));
  CALVE_TRY(calve_json_end(&r, err));
  *out = spec;
  return CALVE_OK;
}

void calve_partition_field_write_json(const calve_partition_field *f, calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  calve_json_write_key(w, "name");
  calve_json_write_str(w, f->name);
  calve_json_write_key(w, "transform");
  calve_transform__write_json(&f->transform, w);
  calve_source_ids__write(f->source_ids, f->source_count, w);
  calve_json_write_key(w, "field-id");
  calve_json_write_i64(w, f->field_id);
  calve_json_write_end(w, '}');
}

void calve_spec_write_json_fields(const calve_spec *s, calve_json_writer *w) {
  calve_json_write_begin(w, '[');
  for (int32_t i = 0; i < s->field_count; i++) calve_partition_field_write_json(&s->fields[i], w);
  calve_json_write_end(w, ']');
}

void calve_spec_write_json(const calve_spec *s, calve_json_writer *w) {
  calve_json_write_begin(w, '{');
  calve_json_write_key(w, "spec-id");
  calve_json_write_i64(w, s->spec_id);
  calve_json_write_key(w, "fields");
  calve_spec_write_json_fields(s, w);
  calve_json_write_end(w, '}');
}
