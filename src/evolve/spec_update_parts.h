/* SPDX-License-Identifier: Apache-2.0 */
/* evolve/spec_update_parts: what the files of spec updates share.
 * In: wishes recorded one by one. Out: the state that is applied at the end. For spec_update*.c and
 * sort_update.c of evolve only. Pure. [spec: Partition Evolution] */
#ifndef CALVE_EVOLVE_SPEC_UPDATE_PARTS_H
#define CALVE_EVOLVE_SPEC_UPDATE_PARTS_H

#include "evolve/spec_update.h"

/* A field of the default spec with what is to become of it. */
typedef struct calve_old_field {
  const calve_partition_field *field;
  bool is_removed;
  calve_str new_name; /* absent: keeps its name                                                 */
} calve_old_field;

typedef enum calve_field_move_kind {
  CALVE_FIELD_FIRST,
  CALVE_FIELD_BEFORE,
  CALVE_FIELD_AFTER
} calve_field_move_kind;

typedef struct calve_field_move {
  calve_field_move_kind kind;
  calve_str name, other;
} calve_field_move;

struct calve_spec_update {
  calve_arena *arena;
  const calve_metadata *base;
  const calve_spec *spec; /* the default one of base                                            */
  bool case_sensitive, set_default;
  int32_t last_partition_id;
  calve_old_field *olds; /* one for each field of spec, in order                                */
  calve_partition_field *added;
  size_t added_count, added_capacity;
  calve_field_move *moves;
  size_t move_count, move_capacity;
};

bool calve_spec_update__same_name(const calve_spec_update *u, calve_str a, calve_str b);
/* The field of the default spec with that name, also when it is removed; NULL when there is none.
 */
calve_old_field *calve_spec_update__find_old(const calve_spec_update *u, calve_str name);
/* The source column of a term, if the transform can be taken of it. */
calve_status calve_spec_update__source(const calve_schema *schema, calve_str source,
                                       bool case_sensitive, const calve_transform *transform,
                                       calve_arena *arena, const calve_schema_node **out,
                                       calve_error *err);

#endif
