/* SPDX-License-Identifier: Apache-2.0 */
#include "evolve/schema_update.h"
#include "runner/evolution.h"

static bool is_op(const calve_json *op, const char *name) {
  return calve_str_equal_text(member_str(op, "op"), name);
}

static calve_status read_type(run *r, const calve_json *json, const calve_type **out) {
  calve_json_reader *reader = calve_arena_alloc(&r->row, sizeof *reader);
  calve_json_open(reader, json->raw, "type", &r->row);
  return calve_type_read_json(reader, out, &r->err);
}

/* The default of an operation and its type; both NULL when there is none. */
static calve_status read_default(run *r, const calve_json *op, const calve_type *column_type,
                                 const calve_value **value, const calve_type **type) {
  *value = NULL;
  *type = column_type;
  if (member_is_null(op, "default")) return CALVE_OK;
  if (calve_json_get(op, "default_type"))
    CALVE_TRY(read_type(r, calve_json_get(op, "default_type"), type));
  calve_value *v = calve_arena_alloc(&r->row, sizeof *v);
  calve_json_reader *reader = calve_arena_alloc(&r->row, sizeof *reader);
  calve_json_open(reader, calve_json_get(op, "default")->raw, "default", &r->row);
  *value = v;
  return calve_value_read_json(reader, *type, v, &r->err);
}

static calve_status add(run *r, calve_schema_update *u, const calve_json *op) {
  const calve_json *parent = calve_json_get(op, "parent");
  calve_new_column c = {.name = member_str(op, "name"),
                        .doc = member_str(op, "doc"),
                        .required = member_bool(op, "required")};
  if (parent) c.parent = parent->kind == CALVE_JSON_NULL ? CALVE_STR("") : parent->text;
  CALVE_TRY(read_type(r, calve_json_get(op, "type"), &c.type));
  CALVE_TRY(read_default(r, op, c.type, &c.default_value, &c.default_type));
  return calve_schema_update_add(u, &c, &r->err);
}

static calve_status set_default(run *r, calve_schema_update *u, const calve_json *op) {
  const calve_value *value;
  const calve_type *type;
  CALVE_TRY(read_default(r, op, NULL, &value, &type));
  return calve_schema_update_default(u, member_str(op, "name"), value, type, &r->err);
}

static calve_status set_type(run *r, calve_schema_update *u, const calve_json *op) {
  const calve_type *type;
  CALVE_TRY(read_type(r, calve_json_get(op, "type"), &type));
  return calve_schema_update_type(u, member_str(op, "name"), type, &r->err);
}

static calve_status unite(run *r, calve_schema_update *u, const calve_json *op) {
  const calve_schema *other;
  CALVE_TRY(
      calve_schema_parse(calve_json_get(op, "schema")->raw, "union", &r->row, &other, &r->err));
  return calve_schema_update_union_by_name(u, other, &r->err);
}

static calve_status set_identifiers(run *r, calve_schema_update *u, const calve_json *op) {
  const calve_json *names = calve_json_get(op, "names");
  calve_str *list = calve_arena_array(&r->row, names->count, sizeof *list);
  for (size_t i = 0; i < names->count; i++) list[i] = names->items[i].text;
  return calve_schema_update_identifier_fields(u, list, names->count, &r->err);
}

static calve_status run_op(run *r, calve_schema_update *u, const calve_json *op) {
  calve_str name = member_str(op, "name"), ref = member_str(op, "ref");
  if (is_op(op, "add")) return add(r, u, op);
  if (is_op(op, "delete")) return calve_schema_update_delete(u, name, &r->err);
  if (is_op(op, "rename"))
    return calve_schema_update_rename(u, name, member_str(op, "new_name"), &r->err);
  if (is_op(op, "update_type")) return set_type(r, u, op);
  if (is_op(op, "update_doc"))
    return calve_schema_update_doc(u, name, member_str(op, "doc"), &r->err);
  if (is_op(op, "update_default")) return set_default(r, u, op);
  if (is_op(op, "make_optional")) return calve_schema_update_make_optional(u, name, &r->err);
  if (is_op(op, "require")) return calve_schema_update_require(u, name, &r->err);
  if (is_op(op, "move_first")) return calve_schema_update_move_first(u, name, &r->err);
  if (is_op(op, "move_before")) return calve_schema_update_move_before(u, name, ref, &r->err);
  if (is_op(op, "move_after")) return calve_schema_update_move_after(u, name, ref, &r->err);
  if (is_op(op, "union")) return unite(r, u, op);
  if (is_op(op, "set_identifier_fields")) return set_identifiers(r, u, op);
  if (is_op(op, "allow_incompatible"))
    calve_schema_update_allow_incompatible(u);
  else if (is_op(op, "case_sensitive"))
    calve_schema_update_case_sensitive(u, member_bool(op, "value"));
  else
    row_unusable(r, "unknown operation");
  return CALVE_OK;
}

calve_status schema_commit(run *r, const calve_metadata *base, const calve_json *ops,
                           calve_changes *out) {
  calve_schema_update *u;
  CALVE_TRY(calve_schema_update_begin(base, &r->row, &u, &r->err));
  for (size_t i = 0; i < ops->count; i++) CALVE_TRY(run_op(r, u, &ops->items[i]));
  return calve_schema_update_apply(u, NULL, out, &r->err);
}

void run_schema_updates(run *r, const calve_json *row) {
  run_evolution(r, row);
}
