/* SPDX-License-Identifier: Apache-2.0 */
/* From wishes to the new schema, and to the changes that make it the table's. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/sorting.h"
#include "evolve/schema_update_parts.h"
#include "model/reading.h"

/* ---- the new tree ----------------------------------------------------------------------- */

static size_t place_of(const calve_field *fields, size_t count, int32_t id) {
  size_t i = 0;
  while (i < count && fields[i].id != id) i++;
  return i;
}

static calve_status apply_move(calve_field *fields, size_t count, const calve_move *move,
                               calve_error *err) {
  size_t from = place_of(fields, count, move->field_id);
  size_t to = move->kind == CALVE_MOVE_FIRST ? 0 : place_of(fields, count, move->other_id);
  if (from == count || to == count)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "a column that is dropped by the same update can't be moved, nor can another "
                      "be moved next to it");
  calve_field moved = fields[from];
  memmove(fields + from, fields + from + 1, (count - from - 1) * sizeof *fields);
  if (move->kind != CALVE_MOVE_FIRST) to = place_of(fields, count - 1, move->other_id);
  if (move->kind == CALVE_MOVE_AFTER) to++;
  memmove(fields + to + 1, fields + to, (count - 1 - to) * sizeof *fields);
  fields[to] = moved;
  return CALVE_OK;
}

static calve_status rebuild(const calve_schema_update *u, const calve_type *type, int32_t holder_id,
                            int depth, const calve_type **out, calve_error *err);

/* The field with its edits and with what is below it rebuilt. Elements, keys and values take
 * nothing but a type and whether they may be null. */
static calve_status rebuild_field(const calve_schema_update *u, const calve_field *old,
                                  bool in_struct, int depth, calve_field *out, calve_error *err) {
  const calve_edit *edit = calve_map_get_id(&u->edits, old->id);
  calve_field field = edit && in_struct ? edit->field : *old;
  if (edit) {
    field.required = edit->field.required;
    field.type = edit->field.type;
  }
  if (!edit || !edit->is_added)
    CALVE_TRY(rebuild(u, field.type, old->id, depth + 1, &field.type, err));
  *out = field;
  return CALVE_OK;
}

/* Engines and Parquet have no struct without fields, and no table without columns. */
static calve_status refuse_empty(const calve_schema_update *u, int32_t holder_id,
                                 calve_error *err) {
  calve_shown_name shown;
  if (holder_id == CALVE_ROOT_ID)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "a table keeps one column at least: add another one first, or drop the "
                      "table");
  return calve_fail(err, CALVE_EINVAL,
                    calve_update__show_node(calve_schema_find_id(u->schema, holder_id), &shown),
                    "a struct keeps one field at least: drop the struct itself");
}

/* Renames may swap names, so that only the result tells whether two columns share one. */
static calve_status check_siblings(const calve_schema_update *u, const calve_field *fields,
                                   size_t count, calve_error *err) {
  for (size_t i = 0; i < count; i++) {
    const calve_schema_node *node = calve_schema_find_id(u->schema, fields[i].id);
    const calve_edit *edit = calve_map_get_id(&u->edits, fields[i].id);
    if (!edit || !node || calve_str_equal(node->field->name, edit->field.name)) continue;
    for (size_t k = 0; k < count; k++) {
      calve_shown_name shown;
      if (k == i || !calve_update__same_name(u, fields[k].name, fields[i].name)) continue;
      return calve_fail(err, CALVE_EINVAL, calve_update__show_node(node, &shown),
                        "it can't be named \"%.*s\": column %" PRId32
                        " has that name%s. Choose another name, or rename or drop that one first",
                        CALVE_STR_ARG(fields[i].name), fields[k].id,
                        u->case_sensitive ? "" : " (names are compared without case)");
    }
  }
  return CALVE_OK;
}

static calve_status rebuild(const calve_schema_update *u, const calve_type *type, int32_t holder_id,
                            int depth, const calve_type **out, calve_error *err) {
  if (!calve_type_is_nested(type)) {
    *out = type;
    return CALVE_OK;
  }
  if (depth > CALVE_DEPTH_MAX + 1)
    return calve_fail(err, CALVE_EINVAL, NULL, "a type is nested deeper than %d", CALVE_DEPTH_MAX);
  const calve_struct_changes *changes = calve_map_get_id(&u->structs, holder_id);
  size_t room = (size_t)type->field_count + (changes ? changes->added_count : 0), count = 0;
  calve_type *fresh = CALVE_NEW(u->arena, calve_type);
  calve_field *fields = CALVE_NEW_ARRAY(u->arena, calve_field, room);
  if (!fresh || !fields) return calve_fail_oom(err);
  for (int32_t i = 0; i < type->field_count; i++) {
    if (calve_map_get_id(&u->deleted, type->fields[i].id)) continue;
    CALVE_TRY(
        rebuild_field(u, &type->fields[i], type->id == CALVE_STRUCT, depth, &fields[count], err));
    count++;
  }
  for (size_t i = 0; changes && i < changes->added_count; i++)
    fields[count++] = changes->added[i]->field;
  for (size_t i = 0; changes && i < changes->move_count; i++)
    CALVE_TRY(apply_move(fields, count, &changes->moves[i], err));
  if (type->id == CALVE_STRUCT && count == 0 && type->field_count > 0)
    return refuse_empty(u, holder_id, err);
  if (type->id == CALVE_STRUCT) CALVE_TRY(check_siblings(u, fields, count, err));
  *fresh = *type;
  fresh->fields = fields;
  fresh->field_count = (int32_t)count;
  *out = fresh;
  return CALVE_OK;
}

/* ---- identifier fields ------------------------------------------------------------------ */

/* Fields that were not given anew stay, whatever they are called now; dropping one silently would
 * change what a row is. */
static calve_status keep_identifiers(const calve_schema_update *u, const calve_schema *fresh,
                                     calve_error *err) {
  for (int32_t i = 0; i < u->schema->identifier_field_count; i++) {
    int32_t id = u->schema->identifier_field_ids[i];
    if (calve_schema_find_id(fresh, id)) continue;
    const calve_schema_node *node = calve_schema_find_id(u->schema, id);
    calve_shown_name shown;
    return calve_fail(err, CALVE_EINVAL, node ? calve_update__show_node(node, &shown) : NULL,
                      "it is an identifier field and can't be dropped: set other identifier fields "
                      "in the same update, or drop it from them first");
  }
  return CALVE_OK;
}

static calve_status identifiers(const calve_schema_update *u, const calve_schema *fresh,
                                const int32_t **ids, int32_t *count, calve_error *err) {
  int32_t *list = CALVE_NEW_ARRAY(u->arena, int32_t, u->identifier_count);
  if (!list) return calve_fail_oom(err);
  int32_t n = 0;
  for (size_t i = 0; i < u->identifier_count; i++) {
    const calve_schema_node *node;
    calve_status status =
        calve_schema_resolve(fresh, u->identifier_names[i], u->case_sensitive, &node, err);
    if (status != CALVE_OK) {
      calve_error_prefix(err, "identifier field");
      return status;
    }
    list[n++] = node->field->id;
  }
  qsort(list, (size_t)n, sizeof *list, calve_compare_i32);
  int32_t kept = 0;
  for (int32_t i = 0; i < n; i++)
    if (kept == 0 || list[kept - 1] != list[i]) list[kept++] = list[i];
  *ids = list;
  *count = kept;
  return CALVE_OK;
}

static calve_status check_identifier(const calve_schema_node *node, calve_error *err) {
  calve_shown_name shown;
  const char *where = calve_update__show_node(node, &shown);
  calve_type_id type = node->field->type->id;
  if (!calve_type_is_primitive(node->field->type) || type == CALVE_FLOAT || type == CALVE_DOUBLE)
    return calve_fail(err, CALVE_EINVAL, where,
                      "it can't be an identifier field: only primitive types other than float and "
                      "double can tell rows apart");
  if (node->inside_repeated)
    return calve_fail(err, CALVE_EINVAL, where,
                      "it can't be an identifier field: it is inside a list or map");
  if (node->can_be_missing)
    return calve_fail(err, CALVE_EINVAL, where,
                      "it can't be an identifier field: it or a struct around it is optional");
  return CALVE_OK;
}

calve_status calve_schema_update_preview(calve_schema_update *u, const calve_schema **out,
                                         calve_error *err) {
  const calve_type *root;
  const calve_schema *fresh;
  CALVE_TRY(rebuild(u, u->schema->root, CALVE_ROOT_ID, 0, &root, err));
  CALVE_TRY(calve_schema_make(u->schema->schema_id, root, NULL, 0, u->arena, &fresh, err));
  const int32_t *ids = u->schema->identifier_field_ids;
  int32_t count = u->schema->identifier_field_count;
  CALVE_TRY(u->identifiers_given ? identifiers(u, fresh, &ids, &count, err)
                                 : keep_identifiers(u, fresh, err));
  CALVE_TRY(calve_schema_make(u->schema->schema_id, root, ids, count, u->arena, &fresh, err));
  for (int32_t i = 0; i < fresh->identifier_field_count; i++)
    CALVE_TRY(check_identifier(calve_schema_find_id(fresh, fresh->identifier_field_ids[i]), err));
  *out = fresh;
  return CALVE_OK;
}

/* ---- the table's rules ------------------------------------------------------------------ */

static bool is_new_name(const calve_schema_update *u, const calve_schema_node *node) {
  const calve_schema_node *old = calve_schema_find_id(u->schema, node->field->id);
  return !old || !calve_str_equal(old->full_name, node->full_name);
}

/* A column must not take the name of a partition field: manifests and other engines would see two
 * things of one name. What was on disk before is left alone. */
static calve_status check_partition_names(const calve_schema_update *u, const calve_schema *fresh,
                                          calve_error *err) {
  const calve_spec *spec = u->base->spec;
  for (int32_t i = 0; i < spec->field_count; i++) {
    const calve_partition_field *f = &spec->fields[i];
    for (int32_t n = 0; n < fresh->node_count; n++) {
      const calve_schema_node *node = &fresh->nodes[n];
      if (node->field->id == f->source_id || !is_new_name(u, node)) continue;
      if (!calve_update__same_name(u, node->full_name, f->name)) continue;
      calve_shown_name shown;
      const calve_schema_node *old = calve_schema_find_id(u->schema, node->field->id);
      return calve_fail(err, CALVE_EINVAL,
                        old ? calve_update__show_node(old, &shown)
                            : calve_update__show(node->full_name, &shown),
                        "partition field %" PRId32 " (%.*s) has that name: rename that field "
                        "first, or give the column another name",
                        f->field_id, CALVE_STR_ARG(f->name));
    }
  }
  return CALVE_OK;
}

/* Without case, two columns that differ only by it could not be told apart: one that is new or
 * renamed is refused. */
static calve_status check_case(const calve_schema_update *u, const calve_schema *fresh,
                               calve_error *err) {
  if (u->case_sensitive) return CALVE_OK;
  for (int32_t i = 0; i < fresh->node_count; i++) {
    const calve_schema_node *node = &fresh->nodes[i], *other;
    if (!is_new_name(u, node)) continue;
    calve_status status = calve_schema_resolve(fresh, node->full_name, false, &other, err);
    if (status != CALVE_OK) return status;
  }
  return CALVE_OK;
}

/* A void field keeps the place of one that was dropped. Its source is never looked at here, but the
 * reference and others look it up for each file they write, and fail when it is gone. */
static calve_status refuse_void_source(const calve_schema_update *u, const calve_partition_field *f,
                                       const char *where, calve_error *err) {
  if (u->base->format_version == 1)
    return calve_fail(err, CALVE_EINVAL, where,
                      "partition field %" PRId32 " (%.*s), which format version 1 keeps as void, "
                      "was made of it, and other engines could not write to the table without it: "
                      "upgrade the table to format version 2, drop that partition field, then the "
                      "column",
                      f->field_id, CALVE_STR_ARG(f->name));
  return calve_fail(err, CALVE_EINVAL, where,
                    "void partition field %" PRId32 " (%.*s) was made of it, and other engines "
                    "could not write to the table without it: drop that partition field first",
                    f->field_id, CALVE_STR_ARG(f->name));
}

/* What new data is written with needs its source columns. Older specs may outlive theirs: nobody
 * computes their values again, and readers plan them as "any value". */
static calve_status check_sources(const calve_schema_update *u, const calve_schema *fresh,
                                  calve_error *err) {
  const calve_spec *spec = u->base->spec;
  const calve_sort_order *order = u->base->sort_order;
  for (size_t d = 0; d < u->deleted.count; d++) {
    const calve_schema_node *node = u->deleted.entries[d].value;
    calve_shown_name shown;
    const char *where = calve_update__show_node(node, &shown);
    for (int32_t i = 0; i < spec->field_count; i++)
      for (int32_t n = 0; n < spec->fields[i].source_count; n++) {
        int32_t id = spec->fields[i].source_ids[n];
        const calve_schema_node *source = calve_schema_find_id(u->schema, id);
        while (source && source != node) source = source->parent;
        if (!source) continue;
        if (spec->fields[i].transform.kind == CALVE_VOID)
          return refuse_void_source(u, &spec->fields[i], where, err);
        return calve_fail(err, CALVE_EINVAL, where,
                          "the table is partitioned by it (partition field %" PRId32
                          ", %.*s): drop that partition field first",
                          spec->fields[i].field_id, CALVE_STR_ARG(spec->fields[i].name));
      }
    for (int32_t i = 0; i < order->field_count; i++)
      for (int32_t n = 0; n < order->fields[i].source_count; n++)
        if (!calve_schema_find_id(fresh, order->fields[i].source_ids[n]))
          return calve_fail(err, CALVE_EINVAL, where,
                            "the table's sort order %" PRId32
                            " uses it: change the sort order first (WRITE ORDERED BY, or WRITE "
                            "UNORDERED)",
                            order->order_id);
  }
  return CALVE_OK;
}

/* ---- the changes ------------------------------------------------------------------------ */

/* Ids were chosen against the schema; what may be dropped, named or retyped was judged against the
 * spec and the order that data is written with. */
static size_t add_requirements(const calve_schema_update *u, calve_requirement *list) {
  size_t n = 0;
  if (u->base->table_uuid.data)
    list[n++] = (calve_requirement){.kind = CALVE_REQUIRE_UUID, .text = u->base->table_uuid};
  list[n++] =
      (calve_requirement){.kind = CALVE_REQUIRE_LAST_FIELD_ID, .id = u->base->last_column_id};
  list[n++] = (calve_requirement){.kind = CALVE_REQUIRE_CURRENT_SCHEMA_ID,
                                  .id = u->base->current_schema_id};
  list[n++] =
      (calve_requirement){.kind = CALVE_REQUIRE_DEFAULT_SPEC_ID, .id = u->base->default_spec_id};
  if (u->deleted.count > 0)
    list[n++] = (calve_requirement){.kind = CALVE_REQUIRE_DEFAULT_SORT_ORDER_ID,
                                    .id = u->base->default_sort_order_id};
  return n;
}

static calve_status make_changes(calve_schema_update *u, const calve_schema *fresh,
                                 calve_changes *out, calve_error *err) {
  enum { CHANGES_MAX = 4, REQUIREMENTS_MAX = 5 };
  calve_change *changes = CALVE_NEW_ARRAY(u->arena, calve_change, CHANGES_MAX);
  calve_requirement *requirements = CALVE_NEW_ARRAY(u->arena, calve_requirement, REQUIREMENTS_MAX);
  if (!changes || !requirements) return calve_fail_oom(err);
  size_t n = 0;
  if (!calve_schema_same(fresh, u->schema)) {
    changes[n++] =
        (calve_change){.kind = CALVE_ADD_SCHEMA, .schema = fresh, .id = u->last_column_id};
    changes[n++] = (calve_change){.kind = CALVE_SET_CURRENT_SCHEMA, .id = -1};
  }
  calve_change set = {.kind = CALVE_SET_PROPERTIES}, removed = {.kind = CALVE_REMOVE_PROPERTIES};
  CALVE_TRY(
      calve_update__follow_names(u, fresh, &set.properties, &removed.keys, &removed.count, err));
  if (removed.count) changes[n++] = removed;
  if (set.properties.count) changes[n++] = set;
  *out = (calve_changes){.change_count = n,
                         .changes = changes,
                         .requirement_count = n ? add_requirements(u, requirements) : 0,
                         .requirements = requirements};
  return CALVE_OK;
}

calve_status calve_schema_update_apply(calve_schema_update *u, const calve_schema **out_schema,
                                       calve_changes *out, calve_error *err) {
  const calve_schema *fresh;
  calve_changes changes;
  CALVE_TRY(calve_schema_update_preview(u, &fresh, err));
  CALVE_TRY(check_case(u, fresh, err));
  CALVE_TRY(check_sources(u, fresh, err));
  CALVE_TRY(check_partition_names(u, fresh, err));
  CALVE_TRY(calve_schema_check(fresh, u->base->format_version, err));
  CALVE_TRY(calve_schema_check_new_names(fresh, u->schema, err));
  CALVE_TRY(make_changes(u, fresh, &changes, err));
  if (out_schema) *out_schema = fresh;
  *out = changes;
  return CALVE_OK;
}
