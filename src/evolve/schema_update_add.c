/* SPDX-License-Identifier: Apache-2.0 */
/* Adding columns and ordering them. [spec: Schema Evolution; Default values] */
#include <inttypes.h>

#include "evolve/schema_update_parts.h"
#include "model/reading.h"

calve_status calve_update__struct_changes(calve_schema_update *u, int32_t holder_id,
                                          calve_struct_changes **out, calve_error *err) {
  calve_struct_changes *changes = calve_map_get_id(&u->structs, holder_id);
  if (!changes) {
    changes = CALVE_NEW(u->arena, calve_struct_changes);
    if (!changes) return calve_fail_oom(err);
    CALVE_TRY(calve_map_put_id(&u->structs, holder_id, changes, NULL, err));
  }
  *out = changes;
  return CALVE_OK;
}

calve_status calve_update__fresh_ids(const calve_type *type, int depth, int32_t *last_id,
                                     calve_arena *arena, const calve_type **out, calve_error *err) {
  if (!calve_type_is_nested(type)) {
    *out = type;
    return CALVE_OK;
  }
  if (depth > CALVE_DEPTH_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "a type is nested deeper than %d", CALVE_DEPTH_MAX);
  if (type->field_count > CALVE_FIELD_ID_MAX - *last_id)
    return calve_fail(err, CALVE_EINVAL, NULL, "the table has no column ids left");
  calve_type *fresh = CALVE_NEW(arena, calve_type);
  calve_field *fields = CALVE_NEW_ARRAY(arena, calve_field, (size_t)type->field_count);
  if (!fresh || !fields) return calve_fail_oom(err);
  for (int32_t i = 0; i < type->field_count; i++) {
    fields[i] = type->fields[i];
    fields[i].id = ++*last_id;
  }
  for (int32_t i = 0; i < type->field_count; i++)
    CALVE_TRY(calve_update__fresh_ids(type->fields[i].type, depth + 1, last_id, arena,
                                      &fields[i].type, err));
  *fresh = *type;
  fresh->fields = fields;
  *out = fresh;
  return CALVE_OK;
}

/* Where a column goes: the struct, by the id of the field that holds it, and its path. */
typedef struct place {
  int32_t holder_id;
  calve_str path; /* full name of the holder, empty at top level                                */
  const calve_type *fields_of;
} place;

static calve_status find_place(const calve_schema_update *u, const calve_new_column *column,
                               place *out, calve_error *err) {
  calve_shown_name shown;
  if (column->parent.size == 0) {
    if (!column->parent.data && memchr(column->name.data, '.', column->name.size))
      return calve_fail(err, CALVE_EINVAL, calve_update__show(column->name, &shown),
                        "the name has a dot: give the struct as the parent, or an empty parent "
                        "for a top-level column with a dot in its name");
    *out = (place){CALVE_ROOT_ID, {"", 0}, u->schema->root};
    return CALVE_OK;
  }
  calve_update_target t;
  CALVE_TRY(calve_update__find(u, column->parent, &t, err));
  const char *where = calve_update__show_target(&t, &shown);
  if (!t.node)
    return calve_fail(err, CALVE_EINVAL, where,
                      "the struct is added by the same update: add it with all its fields");
  const calve_schema_node *holder = t.node;
  if (holder->field->type->id == CALVE_LIST)
    holder = calve_schema_find_id(u->schema, holder->field->type->fields[0].id);
  else if (holder->field->type->id == CALVE_MAP)
    holder = calve_schema_find_id(u->schema, holder->field->type->fields[1].id);
  if (holder->field->type->id != CALVE_STRUCT) {
    char type[CALVE_TYPE_TEXT_MAX];
    return calve_fail(err, CALVE_EINVAL, where,
                      "it is %s: fields can be added to structs, and to lists and maps of structs",
                      calve_type_text(holder->field->type, type));
  }
  CALVE_TRY(calve_update__check_not_key(holder, err));
  *out = (place){holder->field->id, holder->full_name, holder->field->type};
  return CALVE_OK;
}

/* Names that are taken now, or by another addition. A renamed column leaves its old name only with
 * the result, as all wishes are about the schema that is there. */
static calve_status check_name_free(const calve_schema_update *u, const place *at, calve_str name,
                                    calve_error *err) {
  calve_shown_name shown;
  const char *how = u->case_sensitive ? "" : " (names are compared without case)";
  const calve_struct_changes *changes = calve_map_get_id(&u->structs, at->holder_id);
  for (int32_t i = 0; i < at->fields_of->field_count; i++) {
    const calve_field *f = &at->fields_of->fields[i];
    if (!calve_update__same_name(u, f->name, name) || calve_map_get_id(&u->deleted, f->id))
      continue;
    const calve_schema_node *node = calve_schema_find_id(u->schema, f->id);
    return calve_fail(err, CALVE_EEXISTS, calve_update__show(name, &shown),
                      "column %" PRId32 " (%.*s) has that name%s: choose another name, or rename "
                      "or drop that one first",
                      f->id, CALVE_STR_ARG(node->full_name), how);
  }
  for (size_t i = 0; changes && i < changes->added_count; i++)
    if (calve_update__same_name(u, changes->added[i]->field.name, name))
      return calve_fail(err, CALVE_EEXISTS, calve_update__show(name, &shown),
                        "two columns of that name are added%s: leave out one of them", how);
  return CALVE_OK;
}

static calve_status check_column(const calve_schema_update *u, const calve_new_column *column,
                                 calve_error *err) {
  calve_shown_name shown;
  const char *where = calve_update__show(column->name, &shown);
  if (column->name.size == 0) return calve_fail(err, CALVE_EINVAL, NULL, "a column needs a name");
  if (column->name.size > CALVE_NAME_MAX)
    return calve_fail(err, CALVE_EINVAL, where, "the name is longer than %d bytes", CALVE_NAME_MAX);
  bool has_default = column->default_value && !column->default_value->is_null;
  if (column->required && !has_default && !u->allow_incompatible)
    return calve_fail(err, CALVE_EINVAL, where,
                      "a required column needs a default (format version 3), for the rows that are "
                      "there have no value: add it as optional, or with a default");
  if (u->last_column_id >= CALVE_FIELD_ID_MAX)
    return calve_fail(err, CALVE_EINVAL, where, "the table has no column ids left");
  return CALVE_OK;
}

static calve_status make_field(const calve_schema_update *u, const calve_new_column *column,
                               int32_t *last_id, calve_field *out, calve_error *err) {
  calve_field field = {
      .id = ++*last_id, .required = column->required, .name = column->name, .doc = column->doc};
  CALVE_TRY(calve_update__fresh_ids(column->type, 1, last_id, u->arena, &field.type, err));
  if (column->default_value && !column->default_value->is_null) {
    const calve_type *from = column->default_type ? column->default_type : column->type;
    CALVE_TRY(calve_update__convert_default(column->default_value, from, column->type, column->name,
                                            u->arena, &field.initial_default, err));
    field.write_default = field.initial_default;
  }
  *out = field;
  return CALVE_OK;
}

calve_status calve_schema_update_add(calve_schema_update *u, const calve_new_column *column,
                                     calve_error *err) {
  place at;
  CALVE_TRY(check_column(u, column, err));
  CALVE_TRY(find_place(u, column, &at, err));
  CALVE_TRY(check_name_free(u, &at, column->name, err));

  calve_struct_changes *changes;
  CALVE_TRY(calve_update__struct_changes(u, at.holder_id, &changes, err));
  calve_edit *edit = CALVE_NEW(u->arena, calve_edit);
  calve_edit **siblings = calve_model__grown(u->arena, changes->added, changes->added_count,
                                             &changes->added_capacity, sizeof *siblings);
  if (!edit || !siblings) return calve_fail_oom(err);
  changes->added = siblings;
  calve_edit **all =
      calve_model__grown(u->arena, u->added, u->added_count, &u->added_capacity, sizeof *all);
  if (!all) return calve_fail_oom(err);
  u->added = all;

  int32_t last_id = u->last_column_id;
  CALVE_TRY(make_field(u, column, &last_id, &edit->field, err));
  edit->is_added = true;
  edit->parent_id = at.holder_id;
  edit->full_name = column->name;
  if (at.path.size)
    CALVE_TRY(calve_arena_printf(u->arena, &edit->full_name, err, "%.*s.%.*s", (int)at.path.size,
                                 at.path.data, (int)column->name.size, column->name.data));
  CALVE_TRY(calve_map_put_id(&u->edits, edit->field.id, edit, NULL, err));
  u->last_column_id = last_id;
  siblings[changes->added_count++] = edit;
  all[u->added_count++] = edit;
  return CALVE_OK;
}

/* ---- order ------------------------------------------------------------------------------ */

/* The id of the field that holds the target. */
static int32_t holder_of(const calve_update_target *t) {
  if (!t->node) return t->edit->parent_id;
  return t->node->parent ? t->node->parent->field->id : CALVE_ROOT_ID;
}

static calve_status add_move(calve_schema_update *u, calve_str name, calve_move_kind kind,
                             calve_str other, calve_error *err) {
  calve_shown_name shown;
  calve_update_target t, o = {0};
  CALVE_TRY(calve_update__find(u, name, &t, err));
  if (kind != CALVE_MOVE_FIRST) CALVE_TRY(calve_update__find(u, other, &o, err));
  const char *where = calve_update__show_target(&t, &shown);
  if (t.node && t.node->parent && t.node->parent->field->type->id != CALVE_STRUCT)
    return calve_fail(err, CALVE_EINVAL, where,
                      "elements of lists, keys and values of maps have no place to move to");
  if (kind != CALVE_MOVE_FIRST && t.field->id == o.field->id)
    return calve_fail(err, CALVE_EINVAL, where, "a column can't be moved next to itself");
  if (kind != CALVE_MOVE_FIRST && holder_of(&t) != holder_of(&o)) {
    calve_shown_name shown_other;
    return calve_fail(err, CALVE_EINVAL, where,
                      "%s is not in the same struct: columns move inside their own struct only",
                      calve_update__show_target(&o, &shown_other));
  }
  if (t.node) CALVE_TRY(calve_update__check_not_key(t.node, err));
  calve_struct_changes *changes;
  CALVE_TRY(calve_update__struct_changes(u, holder_of(&t), &changes, err));
  calve_move *moves = calve_model__grown(u->arena, changes->moves, changes->move_count,
                                         &changes->move_capacity, sizeof *moves);
  if (!moves) return calve_fail_oom(err);
  moves[changes->move_count++] =
      (calve_move){kind, t.field->id, kind == CALVE_MOVE_FIRST ? CALVE_ROOT_ID : o.field->id};
  changes->moves = moves;
  return CALVE_OK;
}

calve_status calve_schema_update_move_first(calve_schema_update *u, calve_str name,
                                            calve_error *err) {
  return add_move(u, name, CALVE_MOVE_FIRST, (calve_str){0}, err);
}

calve_status calve_schema_update_move_before(calve_schema_update *u, calve_str name,
                                             calve_str other, calve_error *err) {
  return add_move(u, name, CALVE_MOVE_BEFORE, other, err);
}

calve_status calve_schema_update_move_after(calve_schema_update *u, calve_str name, calve_str other,
                                            calve_error *err) {
  return add_move(u, name, CALVE_MOVE_AFTER, other, err);
}
