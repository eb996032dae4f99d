/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/runner.h"

/* The first row's schema, for all rows that follow. */
static void keep_schema(run *r, const calve_json *row) {
  const calve_json *member = calve_json_get(row, "schema");
  const calve_schema *schema;
  calve_str text;
  if (!member || calve_arena_str(&r->whole, member->raw, &text, &r->err) != CALVE_OK ||
      calve_schema_parse(text, "schema", &r->whole, &schema, &r->err) != CALVE_OK) {
    row_unusable(r, "%s", r->err.message);
    return;
  }
  r->state = (void *)schema;
}

typedef calve_status name_function(const calve_transform *t, calve_str source_name,
                                   calve_arena *arena, calve_str *out, calve_error *err);

/* One field as a user writes it: a column by name, a transform, a name or none. */
static calve_status make_field(run *r, const calve_json *j, name_function *default_name,
                               int32_t field_id, calve_partition_field *out) {
  const calve_schema_node *source;
  calve_transform t;
  calve_str name = member_str(j, "name");
  CALVE_TRY(calve_schema_resolve(r->state, member_str(j, "source"), true, &source, &r->err));
  CALVE_TRY(calve_transform_parse(member_str(j, "transform"), &r->row, &t, &r->err));
  if (!name.data) CALVE_TRY(default_name(&t, source->full_name, &r->row, &name, &r->err));
  *out = (calve_partition_field){source->field->id, field_id, name, t, 1, &source->field->id};
  return CALVE_OK;
}

static calve_status make_spec(run *r, const calve_json *fields, name_function *default_name,
                              calve_spec *out) {
  calve_partition_field *made = CALVE_NEW_ARRAY(&r->row, calve_partition_field, fields->count);
  if (!made) return calve_fail_oom(&r->err);
  for (size_t i = 0; i < fields->count; i++)
    CALVE_TRY(make_field(r, &fields->items[i], default_name, 1000 + (int32_t)i, &made[i]));
  *out = (calve_spec){0, (int32_t)fields->count, made};
  return calve_spec_check(out, r->state, &r->err);
}

static void run_builder(run *r, const calve_json *row) {
  calve_spec spec;
  const calve_json *fields = calve_json_get(row, "fields");
  if (!fields) return;
  bool ok = make_spec(r, fields, calve_partition_created_name, &spec) == CALVE_OK;
  if (!ok || !member_bool(row, "ok")) {
    expect(r, "result", member_bool(row, "ok") ? "ok" : "error", ok ? "ok" : "error");
    return;
  }
  calve_buffer out;
  calve_json_writer w;
  calve_buffer_init(&out, NULL);
  calve_json_write_init(&w, &out, 0);
  calve_spec_write_json(&spec, &w);
  const calve_json *expected = calve_json_get(row, "spec");
  expect(r, "spec", text_of_str(r, expected->raw), take_text(r, &out));
}

static void run_update(run *r, const calve_json *row) {
  calve_partition_field field;
  calve_json unnamed = *row; /* "name" is the expectation here */
  unnamed.count = 0;
  calve_str keys[2] = {CALVE_STR("source"), CALVE_STR("transform")};
  const calve_json *source = calve_json_get(row, "source");
  const calve_json *transform = calve_json_get(row, "transform");
  if (!source || !transform) return;
  calve_json items[2] = {*source, *transform};
  unnamed.keys = keys;
  unnamed.items = items;
  unnamed.count = 2;
  bool ok = make_field(r, &unnamed, calve_partition_default_name, 1000, &field) == CALVE_OK;
  calve_spec spec = {0, 1, &field};
  ok = ok && calve_spec_check(&spec, r->state, &r->err) == CALVE_OK;
  if (ok && member_bool(row, "ok"))
    expect_str(r, "name", member_str(row, "name"), field.name);
  else
    expect(r, "result", member_bool(row, "ok") ? "ok" : "error", ok ? "ok" : "error");
}

static void run_path(run *r, const calve_json *row) {
  const calve_type **types;
  const calve_schema *schema = member_schema(r, row, "schema");
  const calve_spec *spec = member_spec(r, row, "spec");
  const calve_json *values = calve_json_get(row, "values");
  if (!schema || !spec || !values || values->count != (size_t)spec->field_count) return;
  calve_value *tuple = CALVE_NEW_ARRAY(&r->row, calve_value, values->count);
  if (!tuple || calve_spec_tuple_types(spec, schema, &r->row, &types, &r->err) != CALVE_OK) return;
  for (size_t i = 0; i < values->count; i++)
    if (!member_value(r, &values->items[i], "value", types[i], &tuple[i])) return;
  calve_buffer out;
  calve_buffer_init(&out, NULL);
  calve_spec_tuple_path(spec, schema, tuple, &out);
  expect(r, "path", member_text(r, row, "path"), take_text(r, &out));
}

static void run_from_string(run *r, const calve_json *row) {
  calve_value v;
  const calve_type *type = member_type(r, row, "type");
  if (!type) return;
  bool ok = calve_partition_value_parse(type, member_str(row, "text"), &v, &r->err) == CALVE_OK;
  const char *hex = member_text(r, row, "value_hex");
  const char *expected = !member_bool(row, "ok") ? "error" : hex ? hex : "null";
  expect(r, "value", expected, ok ? value_hex(r, &v) : "error");
}

void run_names(run *r, const calve_json *row) {
  calve_str kind = member_str(row, "kind");
  if (calve_str_equal_text(kind, "schema"))
    keep_schema(r, row);
  else if (calve_str_equal_text(kind, "path"))
    run_path(r, row);
  else if (calve_str_equal_text(kind, "from_partition_string"))
    run_from_string(r, row);
  else if (!r->state)
    row_unusable(r, "no row with a schema stands before this one");
  else if (calve_str_equal_text(kind, "builder"))
    run_builder(r, row);
  else if (calve_str_equal_text(kind, "update"))
    run_update(r, row);
  else
    row_unusable(r, "the kind '%.*s' is not known", CALVE_STR_ARG(kind));
}
