/* SPDX-License-Identifier: Apache-2.0 */
/* Taking over what another schema has more: columns, wider types, docs and defaults. Members of
 * nested types come before the members of the type that holds them, as in the reference, so that
 * the same union gives the same ids everywhere. */
#include "evolve/schema_update_parts.h"
#include "model/reading.h"

static const calve_field *find_member(const calve_schema_update *u, const calve_type *type,
                                      calve_str name) {
  for (int32_t i = 0; i < type->field_count; i++)
    if (calve_update__same_name(u, type->fields[i].name, name)) return &type->fields[i];
  return NULL;
}

static calve_str full_name(const calve_schema_update *u, const calve_field *field) {
  const calve_schema_node *node = calve_schema_find_id(u->schema, field->id);
  return node->full_name;
}

/* A type that is narrower than ours, or the same kind of nested type, asks for nothing. */
static bool needs_type(const calve_schema_update *u, const calve_type *ours,
                       const calve_type *theirs) {
  if (!calve_type_is_primitive(ours)) return ours->id != theirs->id;
  if (!calve_type_is_primitive(theirs)) return true;
  return theirs->id == CALVE_UNKNOWN ||
         !calve_type_promotable(theirs, ours, u->base->format_version);
}

static calve_status update_member(calve_schema_update *u, const calve_field *theirs,
                                  const calve_field *ours, calve_error *err) {
  calve_str name = full_name(u, ours);
  if (!theirs->required && ours->required)
    CALVE_TRY(calve_schema_update_make_optional(u, name, err));
  if (needs_type(u, ours->type, theirs->type))
    CALVE_TRY(calve_schema_update_type(u, name, theirs->type, err));
  if (theirs->doc.data) CALVE_TRY(calve_schema_update_doc(u, name, theirs->doc, err));
  if (theirs->write_default &&
      (!ours->write_default || !calve_value_equal(theirs->write_default, ours->write_default)))
    CALVE_TRY(calve_schema_update_default(u, name, theirs->write_default, theirs->type, err));
  return CALVE_OK;
}

static calve_status add_member(calve_schema_update *u, const calve_field *theirs,
                               const calve_field *holder, calve_error *err) {
  calve_new_column column = {.parent = holder ? full_name(u, holder) : CALVE_STR(""),
                             .name = theirs->name,
                             .type = theirs->type,
                             .doc = theirs->doc,
                             .default_value = theirs->initial_default};
  CALVE_TRY(calve_schema_update_add(u, &column, err));
  /* Added last: its write default may be another one. */
  calve_field *added = &u->added[u->added_count - 1]->field;
  if (!theirs->write_default) {
    added->write_default = NULL;
    return CALVE_OK;
  }
  return calve_update__convert_default(theirs->write_default, theirs->type, added->type,
                                       theirs->name, u->arena, &added->write_default, err);
}

/* holder is our field whose type is `ours`; NULL for the table itself. */
static calve_status unite(calve_schema_update *u, const calve_type *theirs, const calve_type *ours,
                          const calve_field *holder, int depth, calve_error *err) {
  if (!calve_type_is_nested(theirs) || theirs->id != ours->id) return CALVE_OK;
  if (depth > CALVE_DEPTH_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "a type is nested deeper than %d", CALVE_DEPTH_MAX);
  bool is_struct = ours->id == CALVE_STRUCT;
  for (int32_t i = 0; i < theirs->field_count; i++) {
    const calve_field *member =
        is_struct ? find_member(u, ours, theirs->fields[i].name) : &ours->fields[i];
    if (member) CALVE_TRY(unite(u, theirs->fields[i].type, member->type, member, depth + 1, err));
  }
  for (int32_t i = 0; i < theirs->field_count; i++) {
    const calve_field *member =
        is_struct ? find_member(u, ours, theirs->fields[i].name) : &ours->fields[i];
    CALVE_TRY(member ? update_member(u, &theirs->fields[i], member, err)
                     : add_member(u, &theirs->fields[i], holder, err));
  }
  return CALVE_OK;
}

calve_status calve_schema_update_union_by_name(calve_schema_update *u, const calve_schema *other,
                                               calve_error *err) {
  return unite(u, other->root, u->schema->root, NULL, 1, err);
}
