/* SPDX-License-Identifier: Apache-2.0 */
/* model/schema: a table's schema with its index by id and by name.
 * In: JSON or a struct type. Out: an immutable calve_schema in an arena. May be used by every room
 * below model. Never reassigns ids by itself. [spec: Schemas and Data Types; Appendix C] */
#ifndef CALVE_MODEL_SCHEMA_H
#define CALVE_MODEL_SCHEMA_H

#include "base/slots.h"
#include "model/type.h"

/* One field of the schema at any depth. */
typedef struct calve_schema_node {
  const calve_field *field;
  const struct calve_schema_node *parent; /* NULL at top level                                  */
  calve_str full_name;  /* dotted: "points.element.x", as written; what users type              */
  bool inside_repeated; /* below a list or a map: no row-level value, no usable bounds          */
  bool can_be_missing;  /* it or one of its parents is optional                                 */
} calve_schema_node;

typedef struct calve_schema {
  int32_t schema_id;
  const calve_type *root; /* CALVE_STRUCT                                                       */
  int32_t identifier_field_count;
  const int32_t *identifier_field_ids; /* sorted                                                */
  int32_t node_count;
  const calve_schema_node *nodes; /* depth first, in the order of fields                        */
  int32_t highest_field_id;       /* 0 when there are no fields                                 */
  int32_t short_name_count;
  const struct calve_schema_name *short_names; /* of fields of lists and maps of structs         */
  calve_slots by_id;   /* indexes into nodes                                                    */
  calve_slots by_name; /* the same, then those into short_names                                 */
} calve_schema;

typedef struct calve_schema_name {
  calve_str name;
  const calve_schema_node *node;
} calve_schema_name;

/* Builds the index. Refuses what no table can have: duplicate ids, duplicate full names, required
 * columns of type unknown, identifier fields that are optional, floats or nested, more than
 * CALVE_FIELDS_MAX fields, deeper than CALVE_DEPTH_MAX. Root is borrowed, identifiers are copied.
 */
CALVE_MUST_USE calve_status calve_schema_make(int32_t schema_id, const calve_type *root,
                                              const int32_t *identifier_field_ids,
                                              int32_t identifier_field_count, calve_arena *arena,
                                              const calve_schema **out, calve_error *err);

const calve_schema_node *calve_schema_find_id(const calve_schema *s, int32_t field_id);
/* Short names of list elements and map values may be left out where that is not ambiguous
 * ("points.x" for "points.element.x"), as in the reference. NULL when there is none. */
const calve_schema_node *calve_schema_find(const calve_schema *s, calve_str name);
/* CALVE_ENOTFOUND suggests the nearest name; CALVE_EINVAL when, without case, two names fit. */
CALVE_MUST_USE calve_status calve_schema_resolve(const calve_schema *s, calve_str name,
                                                 bool case_sensitive, const calve_schema_node **out,
                                                 calve_error *err);

/* Names, docs and defaults are copied to the arena: the text may go afterwards. */
CALVE_MUST_USE calve_status calve_schema_read_json(calve_json_reader *r, const calve_schema **out,
                                                   calve_error *err);
CALVE_MUST_USE calve_status calve_schema_parse(calve_str json, const char *where,
                                               calve_arena *arena, const calve_schema **out,
                                               calve_error *err);
void calve_schema_write_json(const calve_schema *s, calve_json_writer *w);
/* Equal but for the schema id. */
bool calve_schema_same(const calve_schema *a, const calve_schema *b);

/* The rules for a new schema in a table of this format version, on top of calve_schema_make's:
 * types and defaults that the version lacks, reserved ids. What is on storage may break them.
 * [spec: Schemas and Data Types] */
CALVE_MUST_USE calve_status calve_schema_check(const calve_schema *s, int format_version,
                                               calve_error *err);

/* The names of columns that `before` (NULL: a new table) does not have under their id: those of
 * metadata columns (_file, _row_id, ...) are refused at top level, as writers and engines put these
 * beside the table's own. [spec: Reserved Field IDs] */
CALVE_MUST_USE calve_status calve_schema_check_new_names(const calve_schema *s,
                                                         const calve_schema *before,
                                                         calve_error *err);

/* A copy with fresh ids from *last_column_id + 1 on: all fields of a level first, then their
 * children, as the reference does when a table is created. Identifier ids follow. */
CALVE_MUST_USE calve_status calve_schema_assign_fresh_ids(const calve_schema *s, int32_t schema_id,
                                                          int32_t *last_column_id,
                                                          calve_arena *arena,
                                                          const calve_schema **out,
                                                          calve_error *err);

/* The name nearest to `name` among `count` candidates (edit distance, at most a third of its
 * length), or an absent string. For error messages. */
calve_str calve_nearest_name(calve_str name, const calve_str *candidates, size_t count);

#endif
