/* SPDX-License-Identifier: Apache-2.0 */
/* From wishes to the new spec and the changes that make it the table's; and specs of new tables. */
#include <inttypes.h>

#include "base/text.h"
#include "evolve/spec_update_parts.h"
#include "model/reading.h"

/* ---- order ------------------------------------------------------------------------------ */

static calve_status add_move(calve_spec_update *u, calve_field_move_kind kind, calve_str name,
                             calve_str other, calve_error *err) {
  if (u->base->format_version == 1)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "partition fields can't be reordered in format version 1, whose readers go "
                      "by position: upgrade the table to version 2 first");
  calve_field_move *list =
      calve_model__grown(u->arena, u->moves, u->move_count, &u->move_capacity, sizeof *list);
  if (!list) return calve_fail_oom(err);
  u->moves = list;
  list[u->move_count++] = (calve_field_move){kind, name, other};
  return CALVE_OK;
}

calve_status calve_spec_update_move_first(calve_spec_update *u, calve_str name, calve_error *err) {
  return add_move(u, CALVE_FIELD_FIRST, name, (calve_str){0}, err);
}

calve_status calve_spec_update_move_before(calve_spec_update *u, calve_str name, calve_str other,
                                           calve_error *err) {
  return add_move(u, CALVE_FIELD_BEFORE, name, other, err);
}

calve_status calve_spec_update_move_after(calve_spec_update *u, calve_str name, calve_str other,
                                          calve_error *err) {
  return add_move(u, CALVE_FIELD_AFTER, name, other, err);
}

static calve_status place_of(const calve_spec_update *u, const calve_partition_field *fields,
                             int32_t count, calve_str name, int32_t *out, calve_error *err) {
  for (int32_t i = 0; i < count; i++)
    if (calve_spec_update__same_name(u, fields[i].name, name)) {
      *out = i;
      return CALVE_OK;
    }
  return calve_fail(err, CALVE_ENOTFOUND, NULL,
                    "there is no partition field \"%.*s\" that could be moved, or moved next to",
                    CALVE_STR_ARG(name));
}

static calve_status apply_move(const calve_spec_update *u, calve_partition_field *fields,
                               int32_t count, const calve_field_move *move, calve_error *err) {
  int32_t from, to = 0;
  CALVE_TRY(place_of(u, fields, count, move->name, &from, err));
  if (move->kind != CALVE_FIELD_FIRST) {
    CALVE_TRY(place_of(u, fields, count, move->other, &to, err));
    if (to == from)
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "partition field \"%.*s\" can't be moved next to itself",
                        CALVE_STR_ARG(move->name));
    if (from < to) to--;
    if (move->kind == CALVE_FIELD_AFTER) to++;
  }
  calve_partition_field moved = fields[from];
  memmove(fields + from, fields + from + 1, (size_t)(count - from - 1) * sizeof *fields);
  memmove(fields + to + 1, fields + to, (size_t)(count - 1 - to) * sizeof *fields);
  fields[to] = moved;
  return CALVE_OK;
}

/* ---- the new spec ----------------------------------------------------------------------- */

static calve_status build(const calve_spec_update *u, calve_spec **out, calve_error *err) {
  static const calve_transform removed = {.kind = CALVE_VOID};
  calve_spec *spec = CALVE_NEW(u->arena, calve_spec);
  calve_partition_field *fields = CALVE_NEW_ARRAY(u->arena, calve_partition_field,
                                                  (size_t)u->spec->field_count + u->added_count);
  if (!spec || !fields) return calve_fail_oom(err);
  int32_t count = 0;
  for (int32_t i = 0; i < u->spec->field_count; i++) {
    const calve_old_field *old = &u->olds[i];
    /* v1 readers find values by position: what is removed stays as a hole. */
    if (old->is_removed && u->base->format_version >= 2) continue;
    calve_partition_field *f = &fields[count++];
    *f = *old->field;
    if (old->is_removed) f->transform = removed;
    if (old->new_name.data) f->name = old->new_name;
  }
  for (size_t i = 0; i < u->added_count; i++) fields[count++] = u->added[i];
  for (size_t i = 0; i < u->move_count; i++)
    CALVE_TRY(apply_move(u, fields, count, &u->moves[i], err));
  *spec = (calve_spec){.spec_id = -1, .field_count = count, .fields = fields};
  *out = spec;
  return CALVE_OK;
}

static bool is_new_name(const calve_spec_update *u, const calve_partition_field *f) {
  for (int32_t i = 0; i < u->spec->field_count; i++)
    if (u->spec->fields[i].field_id == f->field_id &&
        calve_str_equal(u->spec->fields[i].name, f->name))
      return false;
  return true;
}

/* Without case, a new name must differ from those of other fields and columns in more than case:
 * engines that fold names could not tell the two apart. */
static calve_status check_case(const calve_spec_update *u, const calve_spec *spec,
                               calve_error *err) {
  if (u->case_sensitive) return CALVE_OK;
  for (int32_t i = 0; i < spec->field_count; i++) {
    const calve_partition_field *f = &spec->fields[i];
    if (!is_new_name(u, f)) continue;
    for (int32_t k = 0; k < spec->field_count; k++)
      if (k != i && calve_str_equal_nocase(spec->fields[k].name, f->name))
        return calve_fail(err, CALVE_EEXISTS, NULL,
                          "partition field %" PRId32 " (%.*s) has that name already (names are "
                          "compared without case): choose another one",
                          spec->fields[k].field_id, CALVE_STR_ARG(spec->fields[k].name));
    bool may_share = f->transform.kind == CALVE_IDENTITY || f->transform.kind == CALVE_VOID;
    const calve_schema *schema = u->base->schema;
    for (int32_t n = 0; n < schema->node_count; n++) {
      const calve_schema_node *node = &schema->nodes[n];
      if (!calve_str_equal_nocase(node->full_name, f->name) ||
          (may_share && node->field->id == f->source_id))
        continue;
      return calve_fail(err, CALVE_EEXISTS, NULL,
                        "column %" PRId32 " (%.*s) has the name \"%.*s\" (names are compared "
                        "without case): give the partition field another one",
                        node->field->id, CALVE_STR_ARG(node->full_name), CALVE_STR_ARG(f->name));
    }
  }
  return CALVE_OK;
}

/* The existing spec that this one is equal to, or NULL; and the id that a new one will get. */
static const calve_spec *find_same(const calve_metadata *base, const calve_spec *spec,
                                   int32_t *next_id) {
  *next_id = 0;
  for (int32_t i = 0; i < base->spec_count; i++) {
    if (calve_spec_compatible(spec, base->specs[i])) return base->specs[i];
    if (base->specs[i]->spec_id >= *next_id) *next_id = base->specs[i]->spec_id + 1;
  }
  return NULL;
}

static calve_status make_changes(const calve_spec_update *u, const calve_spec *spec, bool is_new,
                                 calve_changes *out, calve_error *err) {
  enum { CHANGES_MAX = 2, REQUIREMENTS_MAX = 4 };
  const calve_metadata *base = u->base;
  calve_change *changes = CALVE_NEW_ARRAY(u->arena, calve_change, CHANGES_MAX);
  calve_requirement *requirements = CALVE_NEW_ARRAY(u->arena, calve_requirement, REQUIREMENTS_MAX);
  if (!changes || !requirements) return calve_fail_oom(err);
  size_t n = 0, r = 0;
  if (is_new) changes[n++] = (calve_change){.kind = CALVE_ADD_SPEC, .spec = spec};
  if (u->set_default && (is_new || spec->spec_id != base->default_spec_id))
    changes[n++] =
        (calve_change){.kind = CALVE_SET_DEFAULT_SPEC, .id = is_new ? -1 : spec->spec_id};
  if (n == 0) {
    *out = (calve_changes){0};
    return CALVE_OK;
  }
  if (base->table_uuid.data)
    requirements[r++] = (calve_requirement){.kind = CALVE_REQUIRE_UUID, .text = base->table_uuid};
  /* Ids were chosen against these. Sources and names of a new spec are checked again when it is
   * applied, so that a change of other columns meanwhile is no conflict; an old one is not. */
  requirements[r++] =
      (calve_requirement){.kind = CALVE_REQUIRE_LAST_PARTITION_ID, .id = base->last_partition_id};
  requirements[r++] =
      (calve_requirement){.kind = CALVE_REQUIRE_DEFAULT_SPEC_ID, .id = base->default_spec_id};
  if (!is_new)
    requirements[r++] = (calve_requirement){.kind = CALVE_REQUIRE_CURRENT_SCHEMA_ID,
                                            .id = base->current_schema_id};
  *out = (calve_changes){n, changes, r, requirements};
  return CALVE_OK;
}

calve_status calve_spec_update_apply(calve_spec_update *u, const calve_spec **out_spec,
                                     calve_changes *out, calve_error *err) {
  calve_spec *spec;
  calve_changes changes;
  int32_t next_id;
  CALVE_TRY(build(u, &spec, err));
  const calve_spec *same = find_same(u->base, spec, &next_id);
  if (!same) {
    CALVE_TRY(check_case(u, spec, err));
    CALVE_TRY(calve_spec_check_evolved(spec, u->base->schema, err));
    spec->spec_id = next_id;
  }
  const calve_spec *result = same ? same : spec;
  CALVE_TRY(make_changes(u, result, !same, &changes, err));
  if (out_spec) *out_spec = result;
  *out = changes;
  return CALVE_OK;
}

/* ---- specs of new tables ---------------------------------------------------------------- */

/* The name that the reference gives at creation ("id_bucket"); with its number ("id_bucket_16"), as
 * ALTER TABLE gives it, when an earlier field has taken that. */
static calve_status name_created(const calve_partition_field *list, int32_t index,
                                 calve_str source, calve_arena *arena, calve_str *out,
                                 calve_error *err) {
  const calve_transform *transform = &list[index].transform;
  calve_str name;
  CALVE_TRY(calve_partition_created_name(transform, source, arena, &name, err));
  for (int32_t i = 0; i < index; i++)
    if (calve_str_equal(list[i].name, name) &&
        !calve_transform_equal(&list[i].transform, transform))
      return calve_partition_default_name(transform, source, arena, out, err);
  *out = name;
  return CALVE_OK;
}

calve_status calve_spec_build(const calve_schema *schema, const calve_new_partition_field *fields,
                              size_t count, bool case_sensitive, calve_arena *arena,
                              const calve_spec **out, calve_error *err) {
  calve_spec *spec = CALVE_NEW(arena, calve_spec);
  calve_partition_field *list = CALVE_NEW_ARRAY(arena, calve_partition_field, count);
  if (!spec || !list) return calve_fail_oom(err);
  if (count > CALVE_FIELDS_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "more than %d partition fields", CALVE_FIELDS_MAX);
  for (size_t i = 0; i < count; i++) {
    const calve_schema_node *node;
    CALVE_TRY(calve_spec_update__source(schema, fields[i].source, case_sensitive,
                                        &fields[i].transform, arena, &node, err));
    list[i] = (calve_partition_field){
        .source_id = node->field->id,
        .field_id = CALVE_PARTITION_FIELD_ID_START + (int32_t)i,
        .name = fields[i].name,
        .transform = fields[i].transform,
        .source_count = 1,
        .source_ids = &node->field->id,
    };
    if (!list[i].name.data)
      CALVE_TRY(name_created(list, (int32_t)i, node->full_name, arena, &list[i].name, err));
  }
  *spec = (calve_spec){.field_count = (int32_t)count, .fields = list};
  CALVE_TRY(calve_spec_check(spec, schema, err));
  *out = spec;
  return CALVE_OK;
}
