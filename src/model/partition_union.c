/* SPDX-License-Identifier: Apache-2.0 */
#include "model/partition_union.h"

#include <inttypes.h>

#include "base/text.h"

typedef struct uniting {
  const calve_metadata *metadata;
  calve_arena *arena;
  calve_united_field *fields;
  int32_t count;
} uniting;

/* void says nothing about what the field was. */
static bool same_meaning(const calve_united_field *united, const calve_partition_field *field) {
  if (united->field_id != field->field_id || united->source_id != field->source_id) return false;
  return united->transform.kind == CALVE_VOID || field->transform.kind == CALVE_VOID ||
         calve_transform_equal(&united->transform, &field->transform);
}

static const calve_type *value_type(const calve_metadata *m, const calve_partition_field *field) {
  const calve_schema_node *source = calve_metadata_find_field(m, field->source_id);
  if (!source || field->transform.kind == CALVE_TRANSFORM_UNKNOWN || field->source_count > 1)
    return calve_type_of(CALVE_UNKNOWN);
  return calve_transform_result_type(&field->transform, source->field->type);
}

static int32_t place_field(uniting *u, const calve_partition_field *field) {
  int32_t i = 0;
  while (i < u->count && !same_meaning(&u->fields[i], field)) i++;
  calve_united_field *united = &u->fields[i];
  if (i == u->count) {
    u->count++;
    *united = (calve_united_field){.field_id = field->field_id, .source_id = field->source_id};
    united->transform = field->transform;
    united->type = value_type(u->metadata, field);
  } else if (united->transform.kind == CALVE_VOID) {
    united->transform = field->transform;
    united->type = value_type(u->metadata, field);
  }
  united->name = field->name; /* the newest spec comes last */
  return i;
}

/* Names that two fields share get their ids behind them; the later one of equal ids its place. */
static calve_status make_unique(uniting *u, calve_error *err) {
  for (int32_t i = 0; i < u->count; i++) {
    for (int32_t j = 0; j < u->count; j++) {
      calve_united_field *field = &u->fields[i];
      if (i == j || !calve_str_equal_nocase(field->name, u->fields[j].name)) continue;
      CALVE_TRY(calve_arena_printf(u->arena, &field->name, err, "%.*s_%" PRId32 "_%" PRId32,
                                   (int)field->name.size, field->name.data, field->field_id, i));
      break;
    }
  }
  return CALVE_OK;
}

/* Positions of the specs in metadata->specs, by spec id. */
static void order_specs(const calve_metadata *m, int32_t *order) {
  for (int32_t i = 0; i < m->spec_count; i++) {
    int32_t at = i;
    for (; at > 0 && m->specs[order[at - 1]]->spec_id > m->specs[i]->spec_id; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
}

calve_status calve_partition_union_make(const calve_metadata *m, calve_arena *arena,
                                        const calve_partition_union **out, calve_error *err) {
  size_t total = 0, specs = (size_t)m->spec_count;
  for (size_t i = 0; i < specs; i++) total += (size_t)m->specs[i]->field_count;
  calve_partition_union *result = CALVE_NEW(arena, calve_partition_union);
  uniting u = {.metadata = m, .arena = arena};
  u.fields = CALVE_NEW_ARRAY(arena, calve_united_field, total);
  const int32_t **places = CALVE_NEW_ARRAY(arena, const int32_t *, specs);
  int32_t *order = CALVE_NEW_ARRAY(arena, int32_t, specs);
  if (!result || !u.fields || !places || !order) return calve_fail_oom(err);
  order_specs(m, order);
  for (size_t i = 0; i < specs; i++) {
    const calve_spec *spec = m->specs[order[i]];
    int32_t *place = CALVE_NEW_ARRAY(arena, int32_t, (size_t)spec->field_count);
    if (!place) return calve_fail_oom(err);
    for (int32_t j = 0; j < spec->field_count; j++) place[j] = place_field(&u, &spec->fields[j]);
    places[order[i]] = place;
  }
  CALVE_TRY(make_unique(&u, err));
  *result = (calve_partition_union){u.count, u.fields, places};
  *out = result;
  return CALVE_OK;
}
