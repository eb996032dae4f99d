/* SPDX-License-Identifier: Apache-2.0 */
/* evolve/replace_update: REPLACE TABLE: a new schema, spec and order for a table that keeps its
 * history.
 * In: metadata and what the table shall be. Out: changes to commit, or a refusal. May be used by
 * commit and sql. Never does IO; snapshots, refs other than main, and old files stay.
 * [spec: Schema Evolution; Partition Evolution]
 *
 * Ids: a column with the full name of a current one keeps its id if the old values can be read as
 * the new type (equal, or widened); all others get fresh ids behind last-column-id. A partition
 * field keeps the id that some spec has for its source and transform (v2 and later); v1 carries the
 * fields of the current spec on, as void where they are gone. */
#ifndef CALVE_EVOLVE_REPLACE_UPDATE_H
#define CALVE_EVOLVE_REPLACE_UPDATE_H

#include "model/change.h"

typedef struct calve_replacement {
  const calve_schema *schema;         /* ids are provisional                                    */
  const calve_spec *spec;             /* NULL: unpartitioned; source ids of `schema`            */
  const calve_sort_order *sort_order; /* NULL: unsorted                                         */
  calve_str location;                 /* absent: stays                                          */
  calve_properties properties; /* set on top of those that are there; "format-version" upgrades */
} calve_replacement;

/* Main has no snapshot afterwards. Base must outlive what comes out. CALVE_EINVAL for schemas,
 * specs and properties that break a rule; a concurrent change of schema, specs or order makes the
 * commit fail. */
CALVE_MUST_USE calve_status calve_replace_update_apply(const calve_metadata *base,
                                                       const calve_replacement *replacement,
                                                       calve_arena *arena, calve_changes *out,
                                                       calve_error *err);

#endif
