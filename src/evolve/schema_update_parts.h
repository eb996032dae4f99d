/* SPDX-License-Identifier: Apache-2.0 */
/* evolve/schema_update_parts: what the files of schema updates share.
 * In: wishes recorded one by one. Out: the state that is applied at the end. For schema_update*.c,
 * default_value.c and follow_names.c of evolve only. Pure. [spec: Schema Evolution] */
#ifndef CALVE_EVOLVE_SCHEMA_UPDATE_PARTS_H
#define CALVE_EVOLVE_SCHEMA_UPDATE_PARTS_H

#include "base/map.h"
#include "evolve/schema_update.h"

enum { CALVE_ROOT_ID = -1 };

/* A field as it will be: an existing one with edits, or an added one. */
typedef struct calve_edit {
  calve_field field;
  bool is_added;
  int32_t parent_id;   /* of the field that holds it; CALVE_ROOT_ID at top level. Added ones    */
  calve_str full_name; /* only                                                                  */
} calve_edit;

typedef enum calve_move_kind {
  CALVE_MOVE_FIRST,
  CALVE_MOVE_BEFORE,
  CALVE_MOVE_AFTER
} calve_move_kind;

typedef struct calve_move {
  calve_move_kind kind;
  int32_t field_id, other_id;
} calve_move;

/* What happens to the members of one struct, by the id of the field that holds it. */
typedef struct calve_struct_changes {
  calve_edit **added;
  size_t added_count, added_capacity;
  calve_move *moves;
  size_t move_count, move_capacity;
} calve_struct_changes;

struct calve_schema_update {
  calve_arena *arena;
  const calve_metadata *base;
  const calve_schema *schema;
  bool case_sensitive, allow_incompatible;
  int32_t last_column_id;
  calve_map edits;    /* field id -> calve_edit *, existing and added                            */
  calve_map deleted;  /* field id -> const calve_schema_node *                                   */
  calve_map structs;  /* holder id -> calve_struct_changes *                                     */
  calve_edit **added; /* all, in the order of their ids                                         */
  size_t added_count, added_capacity;
  bool identifiers_given;
  calve_str *identifier_names;
  size_t identifier_count;
  calve_taken_name taken; /* found by apply                                                     */
};

/* Where a name leads: to a field of the schema, or to one that was added before. */
typedef struct calve_update_target {
  const calve_schema_node *node; /* NULL: added                                                 */
  calve_edit *edit;              /* NULL: untouched so far                                      */
  const calve_field *field;      /* as it stands with the edits so far                          */
} calve_update_target;

calve_status calve_update__find(const calve_schema_update *u, calve_str name,
                                calve_update_target *out, calve_error *err);
/* The edit of a target, made from its field when there is none yet. */
calve_status calve_update__edit(calve_schema_update *u, const calve_update_target *t,
                                calve_edit **out, calve_error *err);
/* CALVE_EINVAL when the field is a map's key or inside of one: keys must stay what they are. */
calve_status calve_update__check_not_key(const calve_schema_node *node, calve_error *err);
calve_status calve_update__struct_changes(calve_schema_update *u, int32_t holder_id,
                                          calve_struct_changes **out, calve_error *err);
bool calve_update__same_name(const calve_schema_update *u, calve_str a, calve_str b);
/* The name as errors show it: NUL-terminated, cut. */
typedef struct calve_shown_name {
  char text[160];
} calve_shown_name;
const char *calve_update__show(calve_str name, calve_shown_name *out);
/* "column 7 (addr.zip)" of a column that the table has; the name alone of one that is added. */
const char *calve_update__show_node(const calve_schema_node *node, calve_shown_name *out);
const char *calve_update__show_target(const calve_update_target *t, calve_shown_name *out);

/* A default value made fit for a column's type: numbers that fit, text of dates and times. */
calve_status calve_update__convert_default(const calve_value *value, const calve_type *from,
                                           const calve_type *to, calve_str name, calve_arena *arena,
                                           const calve_value **out, calve_error *err);

/* A copy of `type` in which every field has an id from *last_id + 1 on: those of one level first,
 * then what is below each. */
calve_status calve_update__fresh_ids(const calve_type *type, int depth, int32_t *last_id,
                                     calve_arena *arena, const calve_type **out, calve_error *err);

/* Properties that must follow the names of columns: the name mapping, metrics modes, Parquet
 * options. set and removed are what has to change; both may stay empty. */
calve_status calve_update__follow_names(calve_schema_update *u, const calve_schema *new_schema,
                                        calve_properties *set, const calve_str **removed,
                                        size_t *removed_count, calve_error *err);

#endif
