/* SPDX-License-Identifier: Apache-2.0 */
/* evolve/schema_update: evolving a table's schema.
 * In: metadata and wishes about columns by name. Out: the new schema with the changes to commit, or
 * a refusal that says what to do instead. May be used by commit and sql. Never does IO, never
 * touches data, never gives an old field id to a new column. [spec: Schema Evolution; Default
 * values; Identifier Field IDs; Column Projection] */
#ifndef CALVE_EVOLVE_SCHEMA_UPDATE_H
#define CALVE_EVOLVE_SCHEMA_UPDATE_H

#include "model/change.h"

/* Wishes that were recorded so far. Lives in the arena given to begin. */
typedef struct calve_schema_update calve_schema_update;

/* A column to add. Ids inside `type` are ignored: fresh ones are given, the column's own first. */
typedef struct calve_new_column {
  /* Where: absent is the top level, and then a dot in `name` is refused; "" (not absent) is the
   * top level and takes any name. A list means its elements, a map its values. */
  calve_str parent;
  calve_str name;
  const calve_type *type;
  calve_str doc; /* may be absent                                                               */
  bool required;
  const calve_value *default_value; /* initial and write default; NULL: none                    */
  const calve_type *default_type;   /* what default_value is of; NULL: of `type`                */
} calve_new_column;

/* Starts on base's current schema. Base must outlive what comes out. Names are case-sensitive
 * until told otherwise. */
CALVE_MUST_USE calve_status calve_schema_update_begin(const calve_metadata *base,
                                                      calve_arena *arena, calve_schema_update **out,
                                                      calve_error *err);
void calve_schema_update_case_sensitive(calve_schema_update *u, bool case_sensitive);
/* Lets required columns without default, and optional -> required, through. Old files may then hold
 * nulls that readers report as errors. */
void calve_schema_update_allow_incompatible(calve_schema_update *u);

/* All of these refuse with CALVE_EINVAL (a rule forbids it), CALVE_ENOTFOUND (no such column) or
 * CALVE_EEXISTS (the name is taken), and leave the update as it was. Names are dotted full names
 * ("addr.zip", "points.element.x", "props.value.y"). Strings and types are borrowed until apply's
 * result is dropped. */
CALVE_MUST_USE calve_status calve_schema_update_add(calve_schema_update *u,
                                                    const calve_new_column *column,
                                                    calve_error *err);
CALVE_MUST_USE calve_status calve_schema_update_delete(calve_schema_update *u, calve_str name,
                                                       calve_error *err);
/* new_name is the last part only. */
CALVE_MUST_USE calve_status calve_schema_update_rename(calve_schema_update *u, calve_str name,
                                                       calve_str new_name, calve_error *err);
CALVE_MUST_USE calve_status calve_schema_update_type(calve_schema_update *u, calve_str name,
                                                     const calve_type *type, calve_error *err);
/* An absent doc removes it. */
CALVE_MUST_USE calve_status calve_schema_update_doc(calve_schema_update *u, calve_str name,
                                                    calve_str doc, calve_error *err);
/* The write default; NULL removes it. value_type NULL: the value is of the column's type. */
CALVE_MUST_USE calve_status calve_schema_update_default(calve_schema_update *u, calve_str name,
                                                        const calve_value *value,
                                                        const calve_type *value_type,
                                                        calve_error *err);
CALVE_MUST_USE calve_status calve_schema_update_make_optional(calve_schema_update *u,
                                                              calve_str name, calve_error *err);
CALVE_MUST_USE calve_status calve_schema_update_require(calve_schema_update *u, calve_str name,
                                                        calve_error *err);
/* Moves inside the column's own struct; columns added before in this update too. */
CALVE_MUST_USE calve_status calve_schema_update_move_first(calve_schema_update *u, calve_str name,
                                                           calve_error *err);
CALVE_MUST_USE calve_status calve_schema_update_move_before(calve_schema_update *u, calve_str name,
                                                            calve_str other, calve_error *err);
CALVE_MUST_USE calve_status calve_schema_update_move_after(calve_schema_update *u, calve_str name,
                                                           calve_str other, calve_error *err);
/* Adds what `other` has more (as optional columns), widens types, takes docs and defaults over;
 * nothing is dropped. Ids of `other` are ignored. A failure may leave parts recorded: drop the
 * update. */
CALVE_MUST_USE calve_status calve_schema_update_union_by_name(calve_schema_update *u,
                                                              const calve_schema *other,
                                                              calve_error *err);
/* Replaces the identifier fields; full names as they are after this update. */
CALVE_MUST_USE calve_status calve_schema_update_identifier_fields(calve_schema_update *u,
                                                                  const calve_str *names,
                                                                  size_t count, calve_error *err);

/* The new schema, by the rules of schemas alone (schema_id as in base); for previews. */
CALVE_MUST_USE calve_status calve_schema_update_preview(calve_schema_update *u,
                                                        const calve_schema **out, calve_error *err);

/* The new schema (out_schema may be NULL) and the changes with their requirements, after the rules
 * of the whole table: types and defaults that the format version knows; no column in use by the
 * default spec or sort order is dropped or changes its partition values; no column takes the name
 * of a partition field. schema.name-mapping.default and the per-column properties of writers follow
 * renames and drops. Nothing to do gives no changes at all. */
CALVE_MUST_USE calve_status calve_schema_update_apply(calve_schema_update *u,
                                                      const calve_schema **out_schema,
                                                      calve_changes *out, calve_error *err);

/* A name that schema.name-mapping.default gave to another column before: files without ids are read
 * differently from then on. `name` absent: there is none. After apply; the first, if there are
 * several. */
typedef struct calve_taken_name {
  calve_str name;
  int32_t from, by; /* column ids; from is -1 when the entry had none                           */
} calve_taken_name;

calve_taken_name calve_schema_update_taken_name(const calve_schema_update *u);

#endif
