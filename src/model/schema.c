/* SPDX-License-Identifier: Apache-2.0 */
#include "model/schema.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/schema_private.h"

/* State of the walk that fills the nodes. Short names wait until all full names are known, so that
 * a short name never hides a full one. */
typedef struct index_walk {
  calve_schema *schema;
  calve_schema_node *nodes;
  calve_arena *arena;
  calve_str *short_names; /* per node; data NULL when equal to the full name                    */
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

static calve_status register_node(index_walk *walk, calve_schema_node *node, calve_error *err) {
  void *other;
  const calve_field *field = node->field;
  CALVE_TRY(calve_map_put_id(&walk->schema->by_id, field->id, node, &other, err));
  if (other)
    return calve_fail(err, CALVE_EINVAL, NULL, "fields '%.*s' and '%.*s' have the same id %" PRId32,
                      CALVE_STR_ARG(((calve_schema_node *)other)->full_name),
                      CALVE_STR_ARG(node->full_name), field->id);
  CALVE_TRY(calve_map_put_str(&walk->schema->by_name, node->full_name, node, &other, err));
  if (other)
    return calve_fail(
        err, CALVE_EINVAL, NULL, "fields %" PRId32 " and %" PRId32 " have the same name '%.*s'",
        ((calve_schema_node *)other)->field->id, field->id, CALVE_STR_ARG(node->full_name));
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
    int32_t number = walk->filled++;
    calve_schema_node *node = &walk->nodes[number];
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
      walk->short_names[number] = own;
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

static calve_status add_short_names(index_walk *walk, calve_error *err) {
  for (int32_t i = 0; i < walk->filled; i++) {
    calve_str name = walk->short_names[i];
    if (!name.data || calve_map_get_str(&walk->schema->by_name, name)) continue;
    CALVE_TRY(calve_map_put_str(&walk->schema->by_name, name, &walk->nodes[i], NULL, err));
  }
  return CALVE_OK;
}

static int compare_ids(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static calve_status copy_identifiers(calve_schema *s, const int32_t *ids, int32_t count,
                                     calve_arena *arena, calve_error *err) {
  if (count == 0) return CALVE_OK;
  int32_t *copy = CALVE_NEW_ARRAY(arena, int32_t, (size_t)count);
  if (!copy) return calve_fail_oom(err);
  memcpy(copy, ids, (size_t)count * sizeof *copy);
  qsort(copy, (size_t)count, sizeof *copy, compare_ids);
  int32_t kept = 0;
  for (int32_t i = 0; i < count; i++)
    if (kept == 0 || copy[kept - 1] != copy[i]) copy[kept++] = copy[i];
  s->identifier_field_ids = copy;
  s->identifier_field_count = kept;
  return calve_schema__check_identifiers(s, err);
}

calve_status calve_schema_make(int32_t schema_id, const calve_type *root,
                               const int32_t *identifier_field_ids, int32_t identifier_field_count,
                               calve_arena *arena, const calve_schema **out, calve_error *err) {
  int64_t count = 0;
  if (root->id != CALVE_STRUCT)
    return calve_fail(err, CALVE_EINVAL, NULL, "a schema must be a struct");
  CALVE_TRY(count_fields(root, 0, &count, err));
  calve_schema *s = CALVE_NEW(arena, calve_schema);
  index_walk walk = {.schema = s, .arena = arena};
  walk.nodes = CALVE_NEW_ARRAY(arena, calve_schema_node, (size_t)count);
  walk.short_names = CALVE_NEW_ARRAY(arena, calve_str, (size_t)count);
  if (!s || !walk.nodes || !walk.short_names) return calve_fail_oom(err);
  s->schema_id = schema_id;
  s->root = root;
  calve_map_init(&s->by_id, arena);
  calve_map_init(&s->by_name, arena);
  CALVE_TRY(walk_fields(&walk, root, (index_place){0}, err));
  CALVE_TRY(add_short_names(&walk, err));
  s->nodes = walk.nodes;
  s->node_count = walk.filled;
  CALVE_TRY(copy_identifiers(s, identifier_field_ids, identifier_field_count, arena, err));
  *out = s;
  return CALVE_OK;
}

const calve_schema_node *calve_schema_find_id(const calve_schema *s, int32_t field_id) {
  return calve_map_get_id(&s->by_id, field_id);
}

const calve_schema_node *calve_schema_find(const calve_schema *s, calve_str name) {
  return calve_map_get_str(&s->by_name, name);
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
