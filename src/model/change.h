/* SPDX-License-Identifier: Apache-2.0 */
/* model/change: changes to table metadata and the requirements they stand on, as in the REST
 * protocol.
 * In: metadata and a list of changes. Out: new metadata. Pure: time and ids are passed in. May be
 * used by evolve (which makes changes), commit (which applies them) and catalog. [open-api:
 * TableUpdate, TableRequirement] */
#ifndef CALVE_MODEL_CHANGE_H
#define CALVE_MODEL_CHANGE_H

#include "model/metadata.h"

typedef enum calve_change_kind {
  CALVE_ASSIGN_UUID,            /* text                                                         */
  CALVE_UPGRADE_FORMAT_VERSION, /* id                                                           */
  CALVE_ADD_SCHEMA,             /* schema (its schema_id is ignored), id: last column id        */
  CALVE_SET_CURRENT_SCHEMA,     /* id; -1 is the last added here                                */
  CALVE_ADD_SPEC,               /* spec (its spec_id is ignored; an equal one is reused)        */
  CALVE_SET_DEFAULT_SPEC,       /* id; -1 is the last added here                                */
  CALVE_ADD_SORT_ORDER,         /* sort_order, likewise                                         */
  CALVE_SET_DEFAULT_SORT_ORDER, /* id; -1 is the last added here                                */
  CALVE_ADD_SNAPSHOT,           /* snapshot                                                     */
  CALVE_SET_SNAPSHOT_REF,       /* ref                                                          */
  CALVE_REMOVE_SNAPSHOTS,       /* ids                                                          */
  CALVE_REMOVE_SNAPSHOT_REF,    /* text                                                         */
  CALVE_SET_LOCATION,           /* text                                                         */
  CALVE_SET_PROPERTIES,         /* properties                                                   */
  CALVE_REMOVE_PROPERTIES,      /* keys                                                         */
  CALVE_REMOVE_SPECS,           /* ids                                                          */
  CALVE_REMOVE_SCHEMAS          /* ids                                                          */
} calve_change_kind;

typedef struct calve_change {
  calve_change_kind kind;
  int64_t id;
  calve_str text;
  const calve_schema *schema;
  const calve_spec *spec;
  const calve_sort_order *sort_order;
  const calve_snapshot *snapshot;
  calve_snapshot_ref ref;
  calve_properties properties;
  const calve_str *keys;
  const int64_t *ids;
  size_t count; /* of keys or ids                                                               */
} calve_change;

typedef enum calve_requirement_kind {
  CALVE_REQUIRE_CREATE,
  CALVE_REQUIRE_UUID,
  CALVE_REQUIRE_REF_SNAPSHOT_ID, /* text: ref, id: snapshot or CALVE_NO_SNAPSHOT                */
  CALVE_REQUIRE_LAST_FIELD_ID,
  CALVE_REQUIRE_CURRENT_SCHEMA_ID,
  CALVE_REQUIRE_LAST_PARTITION_ID,
  CALVE_REQUIRE_DEFAULT_SPEC_ID,
  CALVE_REQUIRE_DEFAULT_SORT_ORDER_ID
} calve_requirement_kind;

typedef struct calve_requirement {
  calve_requirement_kind kind;
  calve_str text;
  int64_t id;
} calve_requirement;

/* A list of changes with what must still hold when they are applied. */
typedef struct calve_changes {
  size_t change_count;
  const calve_change *changes;
  size_t requirement_count;
  const calve_requirement *requirements;
} calve_changes;

/* CALVE_ECONFLICT names the first requirement that base (NULL: no table yet) does not meet. */
CALVE_MUST_USE calve_status calve_requirements_check(const calve_changes *changes,
                                                     const calve_metadata *base, calve_error *err);

/* New metadata from base: ids for schemas, specs and orders are given here (an equal one that
 * exists is reused), logs are kept, last_updated_ms becomes now_ms (never before base's).
 * base_location (may be absent) is the metadata file that base came from: it joins the metadata
 * log, which is cut to write.metadata.previous-versions-max. CALVE_EINVAL for a change that breaks
 * the rules; CALVE_ECONFLICT for a snapshot whose sequence number or first row id has been
 * overtaken. No changes give base itself. The result shares parts with base and with what the
 * changes point to: their arenas must live as long. */
CALVE_MUST_USE calve_status calve_changes_apply(const calve_changes *changes,
                                                const calve_metadata *base,
                                                calve_str base_location, int64_t now_ms,
                                                calve_arena *arena, const calve_metadata **out,
                                                calve_error *err);

/* What a new table starts from. Fresh ids are assigned to schema, spec and order (by name). */
typedef struct calve_new_table {
  const calve_schema *schema;
  const calve_spec *spec;             /* NULL: unpartitioned; source ids of `schema`            */
  const calve_sort_order *sort_order; /* NULL: unsorted                                         */
  calve_str location;
  calve_properties properties; /* "format-version" among them is obeyed and not stored          */
  calve_str table_uuid;
} calve_new_table;

/* Whether a property key is one that tables only report ("uuid", "current-snapshot-id", …) or that
 * is obeyed but not stored ("format-version"). */
bool calve_property_is_reserved(calve_str key);

CALVE_MUST_USE calve_status calve_metadata_new(const calve_new_table *table, int64_t now_ms,
                                               calve_arena *arena, const calve_metadata **out,
                                               calve_error *err);

#endif
