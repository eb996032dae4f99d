/* SPDX-License-Identifier: Apache-2.0 */
/* evolve/spec_update: evolving how a table is partitioned.
 * In: metadata and wishes about partition fields. Out: the new spec with the changes to commit, or
 * a refusal that says what to do instead. May be used by commit and sql. Never does IO, never moves
 * data: files keep the spec they were written with. [spec: Partition Evolution]
 *
 * Ids: an unchanged field keeps its id. v2 and later: a field that an earlier spec had (same source
 * and transform, and same name if one is given) gets that id and name back; specs are searched from
 * the newest (highest spec id) to the oldest, fields in their order. Else, and always in v1, or
 * when a void of the spec has that id, the id is last-partition-id + 1. */
#ifndef CALVE_EVOLVE_SPEC_UPDATE_H
#define CALVE_EVOLVE_SPEC_UPDATE_H

#include "model/change.h"

typedef struct calve_spec_update calve_spec_update;

/* Starts on base's default spec; CALVE_EUNSUPPORTED when it has a transform that this version does
 * not know. Base must outlive what comes out. */
CALVE_MUST_USE calve_status calve_spec_update_begin(const calve_metadata *base, calve_arena *arena,
                                                    calve_spec_update **out, calve_error *err);
void calve_spec_update_case_sensitive(calve_spec_update *u, bool case_sensitive);
/* The new spec is added, the default stays. */
void calve_spec_update_add_non_default(calve_spec_update *u);

/* All of these refuse with CALVE_EINVAL, CALVE_ENOTFOUND or CALVE_EEXISTS, and leave the update as
 * it was. `source` is a column's dotted full name; `name` is a partition field's. Strings are
 * borrowed until apply's result is dropped. */

/* name absent: the default name ("ts_day", "id_bucket_16"). Adding what was removed in this update
 * takes the removal back (and renames it if the name differs). */
CALVE_MUST_USE calve_status calve_spec_update_add(calve_spec_update *u, calve_str source,
                                                  const calve_transform *transform, calve_str name,
                                                  calve_error *err);
CALVE_MUST_USE calve_status calve_spec_update_remove(calve_spec_update *u, calve_str name,
                                                     calve_error *err);
CALVE_MUST_USE calve_status calve_spec_update_remove_term(calve_spec_update *u, calve_str source,
                                                          const calve_transform *transform,
                                                          calve_error *err);
CALVE_MUST_USE calve_status calve_spec_update_rename(calve_spec_update *u, calve_str name,
                                                     calve_str new_name, calve_error *err);
/* Remove and add in one step, as REPLACE PARTITION FIELD does; the new field comes last. */
CALVE_MUST_USE calve_status calve_spec_update_replace(calve_spec_update *u, calve_str name,
                                                      calve_str source,
                                                      const calve_transform *transform,
                                                      calve_str new_name, calve_error *err);
/* Order of the fields, after all else is applied; names as they are then. Refused for v1, whose
 * readers go by position. */
CALVE_MUST_USE calve_status calve_spec_update_move_first(calve_spec_update *u, calve_str name,
                                                         calve_error *err);
CALVE_MUST_USE calve_status calve_spec_update_move_before(calve_spec_update *u, calve_str name,
                                                          calve_str other, calve_error *err);
CALVE_MUST_USE calve_status calve_spec_update_move_after(calve_spec_update *u, calve_str name,
                                                         calve_str other, calve_error *err);

/* The new spec (out_spec may be NULL; its spec_id is the one it will get) and the changes with
 * their requirements. A spec that is equal to an existing one becomes the default again under its
 * own id; nothing to do gives no changes at all. */
CALVE_MUST_USE calve_status calve_spec_update_apply(calve_spec_update *u,
                                                    const calve_spec **out_spec, calve_changes *out,
                                                    calve_error *err);

/* CREATE TABLE: a spec from terms in one go, for a table that does not exist yet. Field ids from
 * 1000 on; absent names are those that the reference gives at creation, without the numbers of
 * buckets and widths ("id_bucket"), unless two fields would then share one. */
typedef struct calve_new_partition_field {
  calve_str source;
  calve_transform transform;
  calve_str name; /* may be absent                                                              */
} calve_new_partition_field;

CALVE_MUST_USE calve_status calve_spec_build(const calve_schema *schema,
                                             const calve_new_partition_field *fields, size_t count,
                                             bool case_sensitive, calve_arena *arena,
                                             const calve_spec **out, calve_error *err);

#endif
