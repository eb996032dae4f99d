/* SPDX-License-Identifier: Apache-2.0 */
#include "model/schema.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/sorting.h"
#include "base/text.h"
#include "model/schema_private.h"

/* State of the walk that fills the nodes. Short names wait until all full names are known, so that
 * a short name never hides a full one. */
typedef struct index_walk {
  calve_schema *schema;
  calve_schema_node *nodes;
  calve_arena *arena;
  calve_buffer short_names; /* calve_schema_name, where they are not the full ones               */
  int32_t filled;
} index_walk;

static calve_status count_fields(const calve_type *t, int depth, int64_t *count, calve_error *err) {
  if (depth > CALVE_DEPTH_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "the schema is nested deeper than %d",
                      CALVE_DEPTH_MAX);
  *count += t->field_count;
  if (*count > CALVE_FIELDS_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "the schema has more than %d fields",
                      CALVE_FIELDS_MAX);
  for (int32_t i = 0; i < t->field_count; i++)
    if (calve_type_is_nested(t->fields[i].type))
      CALVE_TRY(count_fields(t->fields[i].type, depth + 1, count, err));
  return CALVE_OK;
}

/* "prefix.name", or the name alone where there is no prefix. */
static calve_status join_names(calve_arena *arena, calve_str prefix, calve_str name, calve_str *out,
                               calve_error *err) {
  if (!prefix.data) {
    *out = name;
    return CALVE_OK;
  }
  char *text = calve_arena_alloc(arena, prefix.size + name.size + 2);
  if (!text) return calve_fail_oom(err);
  memcpy(text, prefix.data, prefix.size);
  text[prefix.size] = '.';
  if (name.size > 0) memcpy(text + prefix.size + 1, name.data, name.size);
  *out = (calve_str){text, prefix.size + 1 + name.size};
  return CALVE_OK;
}

static const calve_schema_node *find_id(const calve_schema *s, const calve_schema_node *nodes,
                                        int32_t id, uint32_t **place) {
  uint32_t *p = calve_slots_first(&s->by_id, (uint32_t)id);
  for (; *p; p = calve_slots_next(&s->by_id, p))
    if (nodes[*p - 1].field->id == id) return &nodes[*p - 1];
  *place = p;
  return NULL;
}

/* `names` may still be growing. */
static const calve_schema_node *find_name(const calve_schema *s, const calve_schema_node *nodes,
                                          uint32_t node_count, const calve_schema_name *names,
                                          calve_str name, uint32_t **place) {
  uint32_t *p = calve_slots_first(&s->by_name, calve_str_hash(name));
  for (; *p; p = calve_slots_next(&s->by_name, p)) {
    uint32_t index = *p - 1;
    const calve_schema_name *other = index < node_count ? NULL : &names[index - node_count];
    if (calve_str_equal(other ? other->name : nodes[index].full_name, name))
      return other ? other->node : &nodes[index];
  }
  *place = p;
  return NULL;
}

static calve_status register_node(index_walk *walk, const calve_schema_node *node,
                                  calve_error *err) {
  const calve_field *field = node->field;
  calve_schema *s = walk->schema;
  uint32_t *place, number = (uint32_t)walk->filled;
  const calve_schema_node *other = find_id(s, walk->nodes, field->id, &place);
  if (other)
    return calve_fail(err, CALVE_EINVAL, NULL, "fields '%.*s' and '%.*s' have the same id %" PRId32,
                      CALVE_STR_ARG(other->full_name), CALVE_STR_ARG(node->full_name), field->id);
  *place = number;
  other = find_name(s, walk->nodes, UINT32_MAX, NULL, node->full_name, &place);
  if (other)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "fields %" PRId32 " and %" PRId32 " have the same name '%.*s'",
                      other->field->id, field->id, CALVE_STR_ARG(node->full_name));
  *place = number;
  if (field->type->id == CALVE_UNKNOWN && field->required)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "column '%.*s' of type unknown can't be required: it is always null",
                      CALVE_STR_ARG(node->full_name));
  if (field->id > walk->schema->highest_field_id) walk->schema->highest_field_id = field->id;
  return CALVE_OK;
}

/* Where the fields of one type stand. */
typedef struct index_place {
  const calve_schema_node *parent;
  calve_str prefix, short_prefix;
  bool inside_repeated;
} index_place;

static calve_status walk_fields(index_walk *walk, const calve_type *t, index_place place,
                                calve_error *err) {
  bool repeats = t->id != CALVE_STRUCT;
  for (int32_t i = 0; i < t->field_count; i++) {
    const calve_field *field = &t->fields[i];
    calve_schema_node *node = &walk->nodes[walk->filled++];
    node->field = field;
    node->parent = place.parent;
    node->inside_repeated = place.inside_repeated || repeats;
    node->can_be_missing = !field->required || (place.parent && place.parent->can_be_missing);
    CALVE_TRY(join_names(walk->arena, place.prefix, field->name, &node->full_name, err));
    /* "points.x" for "points.element.x": the element of a list and the value of a map are left out
     * where they are structs. [reference: short names] */
    bool left_out =
        (t->id == CALVE_LIST || (t->id == CALVE_MAP && i == 1)) && field->type->id == CALVE_STRUCT;
    calve_str own = node->full_name, below = place.short_prefix;
    if (place.short_prefix.size != place.prefix.size) {
      CALVE_TRY(join_names(walk->arena, place.short_prefix, field->name, &own, err));
      CALVE_PUSH(&walk->short_names, calve_schema_name, own, node);
    }
    if (!left_out) below = own;
    CALVE_TRY(register_node(walk, node, err));
    if (calve_type_is_nested(field->type)) {
      index_place inner = {node, node->full_name, below, node->inside_repeated};
      CALVE_TRY(walk_fields(walk, field->type, inner, err));
    }
  }
  return CALVE_OK;
}

/* Those that hide no other name. */
static calve_status add_short_names(index_walk *walk, calve_error *err) {
  calve_schema *s = walk->schema;
  CALVE_TRY(calve_buffer_check(&walk->short_names, err));
  const calve_schema_name *found = CALVE_ITEMS(&walk->short_names, const calve_schema_name);
  size_t count = CALVE_COUNT(&walk->short_names, calve_schema_name);
  if (count == 0) return CALVE_OK;
  calve_schema_name *names = CALVE_NEW_ARRAY(walk->arena, calve_schema_name, count);
  if (!names) return calve_fail_oom(err);
  uint32_t node_count = (uint32_t)walk->filled, kept = 0, *place;
  for (size_t i = 0; i < count; i++) {
    if (find_name(s, walk->nodes, node_count, names, found[i].name, &place)) continue;
    names[kept++] = found[i];
    *place = node_count + kept;
  }
  s->short_names = names;
  s->short_name_count = (int32_t)kept;
  return CALVE_OK;
}

static calve_status copy_identifiers(calve_schema *s, const int32_t *ids, int32_t count,
                                     calve_arena *arena, calve_error *err) {
  if (count == 0) return CALVE_OK;
  int32_t *copy = CALVE_NEW_ARRAY(arena, int32_t, (size_t)count);
  if (!copy) return calve_fail_oom(err);
  memcpy(copy, ids, (size_t)count * sizeof *copy);
  qsort(copy, (size_t)count, sizeof *copy, calve_compare_i32);
  int32_t kept = 0;
  for (int32_t i = 0; i < count; i++)
    if (kept == 0 || copy[kept - 1] != copy[i]) copy[kept++] = copy[i];
  s->identifier_field_ids = copy;
  s->identifier_field_count = kept;
  return calve_schema__check_identifiers(s, err);
}

static calve_status build_index(index_walk *walk, size_t count, calve_error *err) {
  calve_schema *s = walk->schema;
  walk->nodes = CALVE_NEW_ARRAY(walk->arena, calve_schema_node, count);
  if (!walk->nodes) return calve_fail_oom(err);
  bool may_have_short_names = count > (size_t)s->root->field_count;
  CALVE_TRY(calve_slots_make(&s->by_id, count, walk->arena, err));
  CALVE_TRY(
      calve_slots_make(&s->by_name, may_have_short_names ? 2 * count : count, walk->arena, err));
  CALVE_TRY(walk_fields(walk, s->root, (index_place){0}, err));
  CALVE_TRY(add_short_names(walk, err));
  s->nodes = walk->nodes;
  s->node_count = walk->filled;
  return CALVE_OK;
}

calve_status calve_schema_make(int32_t schema_id, const calve_type *root,
                               const int32_t *identifier_field_ids, int32_t identifier_field_count,
                               calve_arena *arena, const calve_schema **out, calve_error *err) {
  int64_t count = 0;
  if (root->id != CALVE_STRUCT)
    return calve_fail(err, CALVE_EINVAL, NULL, "a schema must be a struct");
  CALVE_TRY(count_fields(root, 0, &count, err));
  calve_schema *s = CALVE_NEW(arena, calve_schema);
  if (!s) return calve_fail_oom(err);
  s->schema_id = schema_id;
  s->root = root;
  index_walk walk = {.schema = s, .arena = arena};
  calve_buffer_init(&walk.short_names, arena->allocator);
  calve_status status = build_index(&walk, (size_t)count, err);
  calve_buffer_free(&walk.short_names);
  if (status != CALVE_OK) return status;
  CALVE_TRY(copy_identifiers(s, identifier_field_ids, identifier_field_count, arena, err));
  *out = s;
  return CALVE_OK;
}

const calve_schema_node *calve_schema_find_id(const calve_schema *s, int32_t field_id) {
  uint32_t *place;
  return find_id(s, s->nodes, field_id, &place);
}

const calve_schema_node *calve_schema_find(const calve_schema *s, calve_str name) {
  uint32_t *place;
  return find_name(s, s->nodes, (uint32_t)s->node_count, s->short_names, name, &place);
}

bool calve_schema_same(const calve_schema *a, const calve_schema *b) {
  if (a == b) return true;
  if (a->identifier_field_count != b->identifier_field_count || a->node_count != b->node_count)
    return false;
  for (int32_t i = 0; i < a->identifier_field_count; i++)
    if (a->identifier_field_ids[i] != b->identifier_field_ids[i]) return false;
  for (int32_t i = 0; i < a->node_count; i++)
    if (!calve_schema__defaults_equal(a->nodes[i].field, b->nodes[i].field)) return false;
  return calve_type_equal(a->root, b->root);
}
