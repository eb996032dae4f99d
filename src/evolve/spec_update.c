/* SPDX-License-Identifier: Apache-2.0 */
/* Wishes about partition fields, and the spec they lead to. The rules, and the ids above all, are
 * those of the reference; where it searches earlier specs in no order, we go from the newest to the
 * oldest. [spec: Partition Evolution] */
#include "evolve/spec_update.h"

#include <inttypes.h>

#include "evolve/spec_update_parts.h"
#include "model/reading.h"

calve_status calve_spec_update_begin(const calve_metadata *base, calve_arena *arena,
                                     calve_spec_update **out, calve_error *err) {
  const calve_spec *spec = base->spec;
  for (int32_t i = 0; i < spec->field_count; i++) {
    const calve_partition_field *f = &spec->fields[i];
    if (f->transform.kind != CALVE_TRANSFORM_UNKNOWN && f->source_count == 1) continue;
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                      "partition field %" PRId32 " (%.*s) has a transform that this version does "
                      "not know (%.*s): the partitioning can't be changed. Rows can be read; "
                      "change it with the engine that made the field",
                      f->field_id, CALVE_STR_ARG(f->name),
                      CALVE_STR_ARG(f->source_count > 1 ? CALVE_STR("several source columns")
                                                        : f->transform.text));
  }
  calve_spec_update *u = CALVE_NEW(arena, calve_spec_update);
  if (!u) return calve_fail_oom(err);
  *u = (calve_spec_update){.arena = arena,
                           .base = base,
                           .spec = spec,
                           .case_sensitive = true,
                           .set_default = true,
                           .last_partition_id = base->last_partition_id};
  /* A writer may have left last-partition-id behind; an id must never be given twice. */
  for (int32_t s = 0; s < base->spec_count; s++)
    for (int32_t i = 0; i < base->specs[s]->field_count; i++)
      if (base->specs[s]->fields[i].field_id > u->last_partition_id)
        u->last_partition_id = base->specs[s]->fields[i].field_id;
  u->olds = CALVE_NEW_ARRAY(arena, calve_old_field, (size_t)spec->field_count);
  if (!u->olds) return calve_fail_oom(err);
  for (int32_t i = 0; i < spec->field_count; i++) u->olds[i].field = &spec->fields[i];
  *out = u;
  return CALVE_OK;
}

void calve_spec_update_case_sensitive(calve_spec_update *u, bool case_sensitive) {
  u->case_sensitive = case_sensitive;
}

void calve_spec_update_add_non_default(calve_spec_update *u) {
  u->set_default = false;
}

/* ---- finding ---------------------------------------------------------------------------- */

bool calve_spec_update__same_name(const calve_spec_update *u, calve_str a, calve_str b) {
  return u->case_sensitive ? calve_str_equal(a, b) : calve_str_equal_nocase(a, b);
}

/* Fields of other writers may differ by case only: the one that is spelled so comes first. */
calve_old_field *calve_spec_update__find_old(const calve_spec_update *u, calve_str name) {
  for (int32_t i = 0; i < u->spec->field_count; i++)
    if (calve_str_equal(u->olds[i].field->name, name)) return &u->olds[i];
  for (int32_t i = 0; i < u->spec->field_count; i++)
    if (calve_spec_update__same_name(u, u->olds[i].field->name, name)) return &u->olds[i];
  return NULL;
}

/* The last one wins, as a later field is the one that is in use. */
static calve_old_field *find_old_term(const calve_spec_update *u, int32_t source_id,
                                      const calve_transform *transform) {
  for (int32_t i = u->spec->field_count - 1; i >= 0; i--)
    if (u->olds[i].field->source_id == source_id &&
        calve_transform_equal(&u->olds[i].field->transform, transform))
      return &u->olds[i];
  return NULL;
}

static const calve_partition_field *find_added_name(const calve_spec_update *u, calve_str name) {
  for (size_t i = 0; i < u->added_count; i++)
    if (calve_spec_update__same_name(u, u->added[i].name, name)) return &u->added[i];
  return NULL;
}

static const calve_partition_field *find_added_term(const calve_spec_update *u, int32_t source_id,
                                                    const calve_transform *transform) {
  for (size_t i = 0; i < u->added_count; i++)
    if (u->added[i].source_id == source_id &&
        calve_transform_equal(&u->added[i].transform, transform))
      return &u->added[i];
  return NULL;
}

/* Whether the new spec has the id already: of a void that version 1 left, as its field is gone but
 * its place is kept. */
static bool has_id(const calve_spec_update *u, int32_t field_id) {
  for (int32_t i = 0; i < u->spec->field_count; i++)
    if (!u->olds[i].is_removed && u->olds[i].field->field_id == field_id) return true;
  for (size_t i = 0; i < u->added_count; i++)
    if (u->added[i].field_id == field_id) return true;
  return false;
}

/* A field of an earlier spec with that source and transform, and that name if one is given. */
static const calve_partition_field *find_earlier(const calve_spec_update *u, int32_t source_id,
                                                 const calve_transform *transform, calve_str name) {
  const calve_partition_field *found = NULL;
  int32_t found_spec = INT32_MIN;
  for (int32_t s = 0; s < u->base->spec_count; s++) {
    const calve_spec *spec = u->base->specs[s];
    if (spec->spec_id <= found_spec) continue;
    for (int32_t i = 0; i < spec->field_count; i++) {
      const calve_partition_field *f = &spec->fields[i];
      if (f->source_id != source_id || f->source_count != 1 ||
          !calve_transform_equal(&f->transform, transform) || has_id(u, f->field_id) ||
          (name.data && !calve_str_equal(f->name, name)))
        continue;
      found = f;
      found_spec = spec->spec_id;
      break;
    }
  }
  return found;
}

static calve_status no_such_field(const calve_spec_update *u, calve_str name, calve_error *err) {
  calve_str nearest = {0};
  calve_str *names = CALVE_NEW_ARRAY(u->arena, calve_str, (size_t)u->spec->field_count);
  if (!names) return calve_fail_oom(err);
  for (int32_t i = 0; i < u->spec->field_count; i++) names[i] = u->olds[i].field->name;
  nearest = calve_nearest_name(name, names, (size_t)u->spec->field_count);
  if (nearest.data)
    return calve_fail(err, CALVE_ENOTFOUND, NULL,
                      "there is no partition field \"%.*s\"; did you mean \"%.*s\"?",
                      CALVE_STR_ARG(name), CALVE_STR_ARG(nearest));
  return calve_fail(err, CALVE_ENOTFOUND, NULL,
                    u->spec->field_count ? "there is no partition field \"%.*s\""
                                         : "the table is not partitioned: there is no partition "
                                           "field \"%.*s\"",
                    CALVE_STR_ARG(name));
}

calve_status calve_spec_update__source(const calve_schema *schema, calve_str source,
                                       bool case_sensitive, const calve_transform *transform,
                                       calve_arena *arena, const calve_schema_node **out,
                                       calve_error *err) {
  const calve_schema_node *node;
  CALVE_TRY(calve_schema_resolve(schema, source, case_sensitive, &node, err));
  if (transform->kind == CALVE_TRANSFORM_UNKNOWN)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL, "transform \"%.*s\" is not known",
                      CALVE_STR_ARG(transform->text));
  if (node->inside_repeated)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "column %" PRId32 " (%.*s) is inside a list or map: a row has many of its "
                      "values, and can't be in many partitions. Partition by a column outside",
                      node->field->id, CALVE_STR_ARG(node->full_name));
  if (!calve_transform_accepts(transform, node->field->type)) {
    char type[CALVE_TYPE_TEXT_MAX];
    calve_buffer name;
    calve_buffer_init(&name, arena->allocator);
    calve_transform_print(transform, &name);
    calve_status status =
        calve_fail(err, CALVE_EINVAL, NULL, "%s can't be taken of column %" PRId32 " (%.*s), %s %s",
                   calve_buffer_cstr(&name), node->field->id, CALVE_STR_ARG(node->full_name),
                   "whose type is", calve_type_text(node->field->type, type));
    calve_buffer_free(&name);
    return status;
  }
  *out = node;
  return CALVE_OK;
}

/* ---- removing and renaming -------------------------------------------------------------- */

static calve_status remove_old(calve_old_field *old, calve_error *err) {
  if (old->new_name.data)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "partition field %" PRId32 " (%.*s) is renamed by the same update: leave out "
                      "one of the two changes",
                      old->field->field_id, CALVE_STR_ARG(old->field->name));
  old->is_removed = true;
  return CALVE_OK;
}

static calve_status just_added(calve_str name, calve_error *err) {
  return calve_fail(err, CALVE_EINVAL, NULL,
                    "partition field \"%.*s\" is added by the same update: leave out both changes",
                    CALVE_STR_ARG(name));
}

calve_status calve_spec_update_remove(calve_spec_update *u, calve_str name, calve_error *err) {
  if (find_added_name(u, name)) return just_added(name, err);
  calve_old_field *old = calve_spec_update__find_old(u, name);
  return old ? remove_old(old, err) : no_such_field(u, name, err);
}

/* Says which fields the column has: it was another transform, or another column. */
static calve_status no_such_term(const calve_spec_update *u, const calve_schema_node *node,
                                 calve_error *err) {
  calve_buffer has;
  calve_buffer_init(&has, u->arena->allocator);
  for (int32_t i = 0; i < u->spec->field_count; i++) {
    const calve_partition_field *f = u->olds[i].field;
    if (f->source_id != node->field->id) continue;
    calve_buffer_printf(&has, "%s%.*s (", has.size ? ", " : "; it has ", CALVE_STR_ARG(f->name));
    calve_transform_print(&f->transform, &has);
    calve_buffer_putc(&has, ')');
  }
  calve_status status = calve_fail(err, CALVE_ENOTFOUND, NULL,
                                   "no partition field has that transform of column %" PRId32
                                   " (%.*s)%s",
                                   node->field->id, CALVE_STR_ARG(node->full_name),
                                   has.size ? calve_buffer_cstr(&has) : "");
  calve_buffer_free(&has);
  return status;
}

calve_status calve_spec_update_remove_term(calve_spec_update *u, calve_str source,
                                           const calve_transform *transform, calve_error *err) {
  const calve_schema_node *node;
  CALVE_TRY(calve_spec_update__source(u->base->schema, source, u->case_sensitive, transform,
                                      u->arena, &node, err));
  const calve_partition_field *added = find_added_term(u, node->field->id, transform);
  if (added) return just_added(added->name, err);
  calve_old_field *old = find_old_term(u, node->field->id, transform);
  if (old) return remove_old(old, err);
  return no_such_term(u, node, err);
}

/* A void field that stands in the way of a name gets its id behind it, as it is read by nobody. */
static calve_status yield_name(calve_spec_update *u, calve_old_field *old, calve_error *err) {
  return calve_arena_printf(u->arena, &old->new_name, err, "%.*s_%" PRId32,
                            (int)old->field->name.size, old->field->name.data,
                            old->field->field_id);
}

calve_status calve_spec_update_rename(calve_spec_update *u, calve_str name, calve_str new_name,
                                      calve_error *err) {
  if (find_added_name(u, name))
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "partition field \"%.*s\" is added by the same update: add it under its new "
                      "name",
                      CALVE_STR_ARG(name));
  calve_old_field *old = calve_spec_update__find_old(u, name);
  if (!old) return no_such_field(u, name, err);
  if (new_name.size == 0 || new_name.size > CALVE_NAME_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "a partition field's name has 1 to %d bytes",
                      CALVE_NAME_MAX);
  if (old->is_removed)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "partition field %" PRId32 " (%.*s) is dropped by the same update: leave out "
                      "one of the two changes",
                      old->field->field_id, CALVE_STR_ARG(name));
  calve_old_field *other = calve_spec_update__find_old(u, new_name);
  if (other && other != old && !other->is_removed && other->field->transform.kind == CALVE_VOID)
    CALVE_TRY(yield_name(u, other, err));
  old->new_name = new_name;
  return CALVE_OK;
}

/* ---- adding ----------------------------------------------------------------------------- */

static bool is_time(const calve_transform *t) {
  return t->kind == CALVE_YEAR || t->kind == CALVE_MONTH || t->kind == CALVE_DAY ||
         t->kind == CALVE_HOUR;
}

static calve_status check_redundant(const calve_spec_update *u, const calve_partition_field *fresh,
                                    calve_error *err) {
  if (!is_time(&fresh->transform)) return CALVE_OK;
  for (size_t i = 0; i < u->added_count; i++)
    if (u->added[i].source_id == fresh->source_id && is_time(&u->added[i].transform))
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "partition fields \"%.*s\" and \"%.*s\" of one update both cut the same "
                        "column by time: add the finer one only",
                        CALVE_STR_ARG(u->added[i].name), CALVE_STR_ARG(fresh->name));
  return CALVE_OK;
}

/* The field to add: an earlier one that comes back, or a new one. In v1 ids count positions, so
 * that none can come back. */
static calve_status make_field(calve_spec_update *u, const calve_schema_node *source,
                               const calve_transform *transform, calve_str name,
                               calve_partition_field *out, calve_error *err) {
  const calve_partition_field *earlier = NULL;
  if (u->base->format_version >= 2) earlier = find_earlier(u, source->field->id, transform, name);
  if (earlier) {
    *out = *earlier;
    return CALVE_OK;
  }
  if (u->last_partition_id == INT32_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "the table has no partition field ids left");
  calve_partition_field f = {.source_id = source->field->id,
                             .field_id = u->last_partition_id + 1,
                             .name = name,
                             .transform = *transform,
                             .source_count = 1};
  f.source_ids = &source->field->id;
  if (!name.data)
    CALVE_TRY(calve_partition_default_name(transform, source->full_name, u->arena, &f.name, err));
  *out = f;
  return CALVE_OK;
}

static calve_status check_name(const calve_spec_update *u, const calve_partition_field *fresh,
                               calve_old_field **in_the_way, calve_error *err) {
  calve_old_field *old = calve_spec_update__find_old(u, fresh->name);
  *in_the_way = old;
  if (!old || old->is_removed || old->field->transform.kind == CALVE_VOID) return CALVE_OK;
  return calve_fail(err, CALVE_EEXISTS, NULL,
                    "partition field %" PRId32 " has the name \"%.*s\": give the new one another "
                    "name, or drop or rename that one first",
                    old->field->field_id, CALVE_STR_ARG(fresh->name));
}

static calve_status append(calve_spec_update *u, const calve_partition_field *fresh,
                           calve_error *err) {
  calve_partition_field *list =
      calve_model__grown(u->arena, u->added, u->added_count, &u->added_capacity, sizeof *list);
  if (!list) return calve_fail_oom(err);
  u->added = list;
  list[u->added_count++] = *fresh;
  if (fresh->field_id > u->last_partition_id) u->last_partition_id = fresh->field_id;
  return CALVE_OK;
}

calve_status calve_spec_update_add(calve_spec_update *u, calve_str source,
                                   const calve_transform *transform, calve_str name,
                                   calve_error *err) {
  const calve_schema_node *node;
  if (name.data && (name.size == 0 || name.size > CALVE_NAME_MAX))
    return calve_fail(err, CALVE_EINVAL, NULL, "a partition field's name has 1 to %d bytes",
                      CALVE_NAME_MAX);
  if (name.data && find_added_name(u, name))
    return calve_fail(err, CALVE_EEXISTS, NULL, "partition field \"%.*s\" is added twice",
                      CALVE_STR_ARG(name));
  CALVE_TRY(calve_spec_update__source(u->base->schema, source, u->case_sensitive, transform,
                                      u->arena, &node, err));
  calve_old_field *old = find_old_term(u, node->field->id, transform);
  if (old && old->is_removed) { /* taken back, perhaps under another name */
    old->is_removed = false;
    if (!name.data || calve_str_equal(name, old->field->name)) return CALVE_OK;
    calve_status status = calve_spec_update_rename(u, old->field->name, name, err);
    if (status != CALVE_OK) old->is_removed = true;
    return status;
  }
  const calve_partition_field *same =
      old ? old->field : find_added_term(u, node->field->id, transform);
  if (same)
    return calve_fail(err, CALVE_EEXISTS, NULL,
                      "partition field %" PRId32 " (%.*s) has that transform of column %" PRId32
                      " (%.*s) already: RENAME PARTITION FIELD gives it another name",
                      same->field_id, CALVE_STR_ARG(same->name), node->field->id,
                      CALVE_STR_ARG(node->full_name));
  calve_partition_field fresh;
  calve_old_field *in_the_way;
  CALVE_TRY(make_field(u, node, transform, name, &fresh, err));
  if (find_added_name(u, fresh.name))
    return calve_fail(err, CALVE_EEXISTS, NULL, "partition field \"%.*s\" is added twice",
                      CALVE_STR_ARG(fresh.name));
  CALVE_TRY(check_redundant(u, &fresh, err));
  CALVE_TRY(check_name(u, &fresh, &in_the_way, err));
  if (in_the_way) CALVE_TRY(yield_name(u, in_the_way, err));
  return append(u, &fresh, err);
}

calve_status calve_spec_update_replace(calve_spec_update *u, calve_str name, calve_str source,
                                       const calve_transform *transform, calve_str new_name,
                                       calve_error *err) {
  CALVE_TRY(calve_spec_update_remove(u, name, err));
  calve_status status = calve_spec_update_add(u, source, transform, new_name, err);
  calve_old_field *old = calve_spec_update__find_old(u, name);
  if (status != CALVE_OK) old->is_removed = false;
  return status;
}
