/* SPDX-License-Identifier: Apache-2.0 */
#include "evolve/spec_update.h"
#include "runner/evolution.h"

static bool is_op(const calve_json *op, const char *name) {
  return calve_str_equal_text(member_str(op, "op"), name);
}

/* A column, or {"ref", "transform"}. */
static calve_status read_term(run *r, const calve_json *op, calve_str *source,
                              calve_transform *transform) {
  const calve_json *term = calve_json_get(op, "term");
  calve_str text = term ? member_str(term, "transform") : (calve_str){0};
  *source = term ? member_str(term, "ref") : member_str(op, "name");
  *transform = (calve_transform){.kind = CALVE_IDENTITY};
  return text.data ? calve_transform_parse(text, &r->row, transform, &r->err) : CALVE_OK;
}

static calve_status run_op(run *r, calve_spec_update *u, const calve_json *op) {
  calve_str name = member_str(op, "name"), source;
  calve_transform transform;
  if (is_op(op, "add_ref") || is_op(op, "add")) {
    CALVE_TRY(read_term(r, op, &source, &transform));
    calve_str given = is_op(op, "add") ? name : (calve_str){0};
    return calve_spec_update_add(u, source, &transform, given, &r->err);
  }
  if (is_op(op, "remove_name")) return calve_spec_update_remove(u, name, &r->err);
  if (is_op(op, "remove_term")) {
    CALVE_TRY(read_term(r, op, &source, &transform));
    return calve_spec_update_remove_term(u, source, &transform, &r->err);
  }
  if (is_op(op, "rename"))
    return calve_spec_update_rename(u, name, member_str(op, "new_name"), &r->err);
  if (is_op(op, "add_non_default"))
    calve_spec_update_add_non_default(u);
  else if (is_op(op, "case_sensitive"))
    calve_spec_update_case_sensitive(u, member_bool(op, "value"));
  else
    row_unusable(r, "unknown operation");
  return CALVE_OK;
}

calve_status spec_commit(run *r, const calve_metadata *base, const calve_json *ops,
                         calve_changes *out) {
  calve_spec_update *u;
  CALVE_TRY(calve_spec_update_begin(base, &r->row, &u, &r->err));
  for (size_t i = 0; i < ops->count; i++) CALVE_TRY(run_op(r, u, &ops->items[i]));
  return calve_spec_update_apply(u, NULL, out, &r->err);
}

void run_spec_updates(run *r, const calve_json *row) {
  run_evolution(r, row);
}
