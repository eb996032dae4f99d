/* SPDX-License-Identifier: Apache-2.0 */
/* Recording wishes about columns that exist. All is checked at once, so that an error names the
 * statement that is wrong; what only the whole can tell waits for preview and apply. */
#include <inttypes.h>
#include <stdio.h>

#include "evolve/schema_update_parts.h"
#include "model/reading.h"

calve_status calve_schema_update_begin(const calve_metadata *base, calve_arena *arena,
                                       calve_schema_update **out, calve_error *err) {
  calve_schema_update *u = CALVE_NEW(arena, calve_schema_update);
  if (!u) return calve_fail_oom(err);
  *u = (calve_schema_update){.arena = arena,
                             .base = base,
                             .schema = base->schema,
                             .case_sensitive = true,
                             .last_column_id = base->last_column_id};
  /* A writer may have left last-column-id behind; an id must never be given twice. */
  for (int32_t i = 0; i < base->schema_count; i++)
    if (base->schemas[i]->highest_field_id > u->last_column_id &&
        base->schemas[i]->highest_field_id <= CALVE_FIELD_ID_MAX)
      u->last_column_id = base->schemas[i]->highest_field_id;
  calve_map_init(&u->edits, arena);
  calve_map_init(&u->deleted, arena);
  calve_map_init(&u->structs, arena);
  *out = u;
  return CALVE_OK;
}

void calve_schema_update_case_sensitive(calve_schema_update *u, bool case_sensitive) {
  u->case_sensitive = case_sensitive;
}

void calve_schema_update_allow_incompatible(calve_schema_update *u) {
  u->allow_incompatible = true;
}

/* ---- finding ---------------------------------------------------------------------------- */

const char *calve_update__show(calve_str name, calve_shown_name *out) {
  size_t size = name.size < sizeof out->text - 1 ? name.size : sizeof out->text - 1;
  if (size) memcpy(out->text, name.data, size);
  out->text[size] = '\0';
  return out->text;
}

const char *calve_update__show_node(const calve_schema_node *node, calve_shown_name *out) {
  calve_shown_name name;
  snprintf(out->text, sizeof out->text, "column %" PRId32 " (%.120s)", node->field->id,
           calve_update__show(node->full_name, &name));
  return out->text;
}

const char *calve_update__show_target(const calve_update_target *t, calve_shown_name *out) {
  return t->node ? calve_update__show_node(t->node, out)
                 : calve_update__show(t->edit->full_name, out);
}

bool calve_update__same_name(const calve_schema_update *u, calve_str a, calve_str b) {
  return u->case_sensitive ? calve_str_equal(a, b) : calve_str_equal_nocase(a, b);
}

/* The column added in this update under that full name; of a list's or map's struct also by the
 * short name ("points.x" for "points.element.x"). */
static calve_edit *find_added(const calve_schema_update *u, calve_str name) {
  for (size_t i = 0; i < u->added_count; i++)
    if (calve_update__same_name(u, u->added[i]->full_name, name)) return u->added[i];
  size_t dot = name.size;
  while (dot > 0 && name.data[dot - 1] != '.') dot--;
  if (dot == 0) return NULL;
  const calve_schema_node *parent;
  calve_str holder = {name.data, dot - 1}, last = {name.data + dot, name.size - dot};
  if (calve_schema_resolve(u->schema, holder, u->case_sensitive, &parent, NULL) != CALVE_OK)
    return NULL;
  const calve_type *type = parent->field->type;
  int32_t holder_id = parent->field->id;
  if (type->id == CALVE_LIST) holder_id = type->fields[0].id;
  if (type->id == CALVE_MAP) holder_id = type->fields[1].id;
  for (size_t i = 0; i < u->added_count; i++)
    if (u->added[i]->parent_id == holder_id &&
        calve_update__same_name(u, u->added[i]->field.name, last))
      return u->added[i];
  return NULL;
}

calve_status calve_update__find(const calve_schema_update *u, calve_str name,
                                calve_update_target *out, calve_error *err) {
  const calve_schema_node *node = NULL;
  calve_status status = calve_schema_resolve(u->schema, name, u->case_sensitive, &node, err);
  if (status == CALVE_OK && !calve_map_get_id(&u->deleted, node->field->id)) {
    calve_edit *edit = calve_map_get_id(&u->edits, node->field->id);
    *out = (calve_update_target){node, edit, edit ? &edit->field : node->field};
    return CALVE_OK;
  }
  if (status != CALVE_OK && status != CALVE_ENOTFOUND) return status;
  calve_edit *added = find_added(u, name);
  if (added) {
    *out = (calve_update_target){NULL, added, &added->field};
    return CALVE_OK;
  }
  if (status != CALVE_OK) return status;
  calve_shown_name shown;
  return calve_fail(err, CALVE_EINVAL, calve_update__show_node(node, &shown),
                    "the column is dropped by the same update: leave out one of the two changes");
}

calve_status calve_update__edit(calve_schema_update *u, const calve_update_target *t,
                                calve_edit **out, calve_error *err) {
  if (t->edit) {
    *out = t->edit;
    return CALVE_OK;
  }
  calve_edit *edit = CALVE_NEW(u->arena, calve_edit);
  if (!edit) return calve_fail_oom(err);
  edit->field = *t->field;
  CALVE_TRY(calve_map_put_id(&u->edits, t->field->id, edit, NULL, err));
  *out = edit;
  return CALVE_OK;
}

static bool is_member_of(const calve_schema_node *node, calve_type_id holder, int index) {
  return node->parent && node->parent->field->type->id == holder &&
         node->parent->field->type->fields[index].id == node->field->id;
}

/* A list's element or a map's key or value: it has a place, not a name. */
static bool is_nameless(const calve_schema_node *node) {
  return node && node->parent && node->parent->field->type->id != CALVE_STRUCT;
}

calve_status calve_update__check_not_key(const calve_schema_node *node, calve_error *err) {
  for (const calve_schema_node *n = node; n; n = n->parent)
    if (is_member_of(n, CALVE_MAP, 0)) {
      calve_shown_name shown;
      return calve_fail(err, CALVE_EINVAL, calve_update__show_node(node, &shown),
                        "keys of a map can't be changed: equal keys could become different ones. "
                        "Add a new map column instead");
    }
  return CALVE_OK;
}

/* ---- dropping and renaming -------------------------------------------------------------- */

calve_status calve_schema_update_delete(calve_schema_update *u, calve_str name, calve_error *err) {
  calve_shown_name shown;
  calve_update_target t;
  CALVE_TRY(calve_update__find(u, name, &t, err));
  const char *where = calve_update__show_target(&t, &shown);
  if (!t.node)
    return calve_fail(err, CALVE_EINVAL, where,
                      "the column is added by the same update: leave out both changes");
  CALVE_TRY(calve_update__check_not_key(t.node, err));
  if (is_nameless(t.node))
    return calve_fail(err, CALVE_EINVAL, where,
                      "a list can't lose its element, nor a map its value: drop the whole column");
  const calve_struct_changes *inside = calve_map_get_id(&u->structs, t.field->id);
  if (t.edit || (inside && inside->added_count))
    return calve_fail(err, CALVE_EINVAL, where,
                      "the column is changed by the same update: leave out one of the two changes");
  return calve_map_put_id(&u->deleted, t.field->id, (void *)(uintptr_t)t.node, NULL, err);
}

/* Identifier fields that were given by name before a rename mean the same column after it. */
static calve_status rename_identifiers(calve_schema_update *u, const calve_schema_node *node,
                                       calve_str new_name, calve_error *err) {
  calve_str old = node->full_name, renamed;
  CALVE_TRY(calve_arena_printf(u->arena, &renamed, err, "%.*s%.*s",
                               (int)(old.size - node->field->name.size), old.data,
                               (int)new_name.size, new_name.data));
  for (size_t i = 0; i < u->identifier_count; i++)
    if (calve_update__same_name(u, u->identifier_names[i], old)) u->identifier_names[i] = renamed;
  return CALVE_OK;
}

calve_status calve_schema_update_rename(calve_schema_update *u, calve_str name, calve_str new_name,
                                        calve_error *err) {
  calve_shown_name shown;
  calve_update_target t;
  CALVE_TRY(calve_update__find(u, name, &t, err));
  const char *where = calve_update__show_target(&t, &shown);
  if (!t.node)
    return calve_fail(err, CALVE_EINVAL, where,
                      "the column is added by the same update: add it under its new name");
  if (!new_name.data || new_name.size == 0)
    return calve_fail(err, CALVE_EINVAL, where, "the new name is empty");
  if (new_name.size > CALVE_NAME_MAX)
    return calve_fail(err, CALVE_EINVAL, where, "the new name is longer than %d bytes",
                      CALVE_NAME_MAX);
  CALVE_TRY(calve_update__check_not_key(t.node, err));
  if (is_nameless(t.node))
    return calve_fail(err, CALVE_EINVAL, where,
                      "elements of lists and values of maps have no names of their own: rename the "
                      "column, or a field of the struct inside");
  CALVE_TRY(rename_identifiers(u, t.node, new_name, err));
  calve_edit *edit;
  CALVE_TRY(calve_update__edit(u, &t, &edit, err));
  edit->field.name = new_name;
  return CALVE_OK;
}

/* ---- type, doc, default, nullability ---------------------------------------------------- */

/* Promotion must not change what a partition field holds for the values that are there: the old
 * tuples could no longer be compared with new ones. [spec: Schema Evolution] */
static calve_status check_partition_values(const calve_schema_update *u,
                                           const calve_update_target *t, const calve_type *type,
                                           calve_error *err) {
  const calve_field *field = t->field;
  if (field->type->id != CALVE_DATE) return CALVE_OK; /* all others keep value and hash */
  for (int32_t s = 0; s < u->base->spec_count; s++) {
    const calve_spec *spec = u->base->specs[s];
    for (int32_t i = 0; i < spec->field_count; i++) {
      const calve_partition_field *f = &spec->fields[i];
      bool keeps_value = f->transform.kind == CALVE_YEAR || f->transform.kind == CALVE_MONTH ||
                         f->transform.kind == CALVE_DAY || f->transform.kind == CALVE_VOID;
      for (int32_t n = 0; n < f->source_count; n++)
        if (f->source_ids[n] == field->id && !keeps_value) {
          char to[CALVE_TYPE_TEXT_MAX];
          calve_shown_name shown;
          return calve_fail(err, CALVE_EINVAL, calve_update__show_target(t, &shown),
                            "date can't become %s: partition field %" PRId32
                            " (%.*s) of spec %" PRId32
                            " would hold other values. Add a new column instead",
                            calve_type_text(type, to), f->field_id, CALVE_STR_ARG(f->name),
                            spec->spec_id);
        }
    }
  }
  return CALVE_OK;
}

static calve_status promote_defaults(calve_schema_update *u, calve_field *field,
                                     const calve_type *type, calve_error *err) {
  const calve_value *const defaults[] = {field->initial_default, field->write_default};
  const calve_value *promoted[] = {NULL, NULL};
  for (int i = 0; i < 2; i++)
    if (defaults[i])
      CALVE_TRY(calve_update__convert_default(defaults[i], field->type, type, field->name, u->arena,
                                              &promoted[i], err));
  field->initial_default = promoted[0];
  field->write_default = promoted[1];
  return CALVE_OK;
}

calve_status calve_schema_update_type(calve_schema_update *u, calve_str name,
                                      const calve_type *type, calve_error *err) {
  calve_shown_name shown;
  calve_update_target t;
  CALVE_TRY(calve_update__find(u, name, &t, err));
  if (calve_type_equal(t.field->type, type)) return CALVE_OK;
  const char *where = calve_update__show_target(&t, &shown);
  if (!calve_type_is_primitive(t.field->type) || !calve_type_is_primitive(type) ||
      !calve_type_promotable(t.field->type, type, u->base->format_version)) {
    char from[CALVE_TYPE_TEXT_MAX], to[CALVE_TYPE_TEXT_MAX];
    return calve_fail(err, CALVE_EINVAL, where,
                      "%s can't become %s: only int to long, float to double%s more decimal "
                      "digits keep what is stored. Add a new column instead",
                      calve_type_text(t.field->type, from), calve_type_text(type, to),
                      u->base->format_version < 3 ? " and" : ", date to timestamp and");
  }
  if (t.node) CALVE_TRY(calve_update__check_not_key(t.node, err));
  CALVE_TRY(check_partition_values(u, &t, type, err));
  calve_field changed = *t.field;
  CALVE_TRY(promote_defaults(u, &changed, type, err));
  calve_edit *edit;
  CALVE_TRY(calve_update__edit(u, &t, &edit, err));
  changed.type = type;
  edit->field = changed;
  return CALVE_OK;
}

calve_status calve_schema_update_doc(calve_schema_update *u, calve_str name, calve_str doc,
                                     calve_error *err) {
  calve_update_target t;
  CALVE_TRY(calve_update__find(u, name, &t, err));
  if ((t.field->doc.data != NULL) == (doc.data != NULL) && calve_str_equal(t.field->doc, doc))
    return CALVE_OK;
  if (t.node) CALVE_TRY(calve_update__check_not_key(t.node, err));
  calve_edit *edit;
  CALVE_TRY(calve_update__edit(u, &t, &edit, err));
  edit->field.doc = doc;
  return CALVE_OK;
}

calve_status calve_schema_update_default(calve_schema_update *u, calve_str name,
                                         const calve_value *value, const calve_type *value_type,
                                         calve_error *err) {
  calve_shown_name shown;
  calve_update_target t;
  CALVE_TRY(calve_update__find(u, name, &t, err));
  if (is_nameless(t.node))
    return calve_fail(err, CALVE_EINVAL, calve_update__show_target(&t, &shown),
                      "only columns and fields of structs have defaults");
  const calve_value *converted = NULL;
  if (value && !value->is_null)
    CALVE_TRY(calve_update__convert_default(value, value_type ? value_type : t.field->type,
                                            t.field->type, name, u->arena, &converted, err));
  if (t.node) CALVE_TRY(calve_update__check_not_key(t.node, err));
  calve_edit *edit;
  CALVE_TRY(calve_update__edit(u, &t, &edit, err));
  edit->field.write_default = converted;
  return CALVE_OK;
}

static calve_status set_required(calve_schema_update *u, calve_str name, bool required,
                                 calve_error *err) {
  calve_shown_name shown;
  calve_update_target t;
  CALVE_TRY(calve_update__find(u, name, &t, err));
  if (t.field->required == required) return CALVE_OK;
  bool added_with_default = !t.node && t.field->initial_default;
  if (required && !added_with_default && !u->allow_incompatible)
    return calve_fail(err, CALVE_EINVAL, calve_update__show_target(&t, &shown),
                      "an optional column can't become required: rows that are there may hold "
                      "nulls. Add a new required column with a default instead");
  if (t.node) CALVE_TRY(calve_update__check_not_key(t.node, err));
  calve_edit *edit;
  CALVE_TRY(calve_update__edit(u, &t, &edit, err));
  edit->field.required = required;
  return CALVE_OK;
}

calve_status calve_schema_update_make_optional(calve_schema_update *u, calve_str name,
                                               calve_error *err) {
  return set_required(u, name, false, err);
}

calve_status calve_schema_update_require(calve_schema_update *u, calve_str name, calve_error *err) {
  return set_required(u, name, true, err);
}

/* ---- identifier fields ------------------------------------------------------------------ */

calve_status calve_schema_update_identifier_fields(calve_schema_update *u, const calve_str *names,
                                                   size_t count, calve_error *err) {
  calve_str *copy = CALVE_NEW_ARRAY(u->arena, calve_str, count);
  if (!copy) return calve_fail_oom(err);
  if (count) memcpy(copy, names, count * sizeof *copy);
  u->identifiers_given = true;
  u->identifier_names = copy;
  u->identifier_count = count;
  return CALVE_OK;
}

calve_taken_name calve_schema_update_taken_name(const calve_schema_update *u) {
  return u->taken;
}
