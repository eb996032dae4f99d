/* SPDX-License-Identifier: Apache-2.0 */
/* model/snapshot: snapshots, refs and key-value maps of metadata.
 * In: JSON. Out: structs in an arena. May be used by every room below model.
 * [spec: Snapshots; Snapshot References] */
#ifndef CALVE_MODEL_SNAPSHOT_H
#define CALVE_MODEL_SNAPSHOT_H

#include "base/arena.h"
#include "codec/json.h"

typedef struct calve_property {
  calve_str key, value;
} calve_property;

typedef struct calve_properties {
  const calve_property *items; /* in the order of the file; no key twice                        */
  size_t count;
} calve_properties;

/* Absent string when there is no such key. */
calve_str calve_properties_get(const calve_properties *p, const char *key);
/* The value as an integer or bool, or the fallback when absent or unreadable. */
int64_t calve_properties_i64(const calve_properties *p, const char *key, int64_t fallback);
bool calve_properties_bool(const calve_properties *p, const char *key, bool fallback);
CALVE_MUST_USE calve_status calve_properties_read_json(calve_json_reader *r, calve_properties *out,
                                                       calve_error *err);
void calve_properties_write_json(const calve_properties *p, calve_json_writer *w);

#define CALVE_NO_SNAPSHOT INT64_C(-1)

typedef struct calve_snapshot {
  int64_t snapshot_id;
  int64_t parent_snapshot_id; /* CALVE_NO_SNAPSHOT when absent                                  */
  int64_t sequence_number;    /* 0 in v1                                                        */
  int64_t timestamp_ms;
  calve_str manifest_list;    /* absent in old v1 snapshots, which name manifests               */
  const calve_str *manifests; /* v1 only                                                        */
  size_t manifest_count;
  calve_str operation;    /* of the summary, "overwrite" where that says none; absent without one */
  calve_str summary_json; /* the summary's object; absent or empty: none. See
                             calve_snapshot_summary                                             */
  int32_t schema_id;      /* -1 when absent                                                     */
  int64_t first_row_id;     /* v3; -1 when absent                                               */
  int64_t added_rows;       /* v3; -1 when absent                                               */
  calve_str key_id;         /* v3 encryption; absent mostly                                     */
} calve_snapshot;

typedef struct calve_snapshot_ref {
  calve_str name;
  int64_t snapshot_id;
  bool is_tag;                  /* else a branch                                                */
  int64_t min_snapshots_to_keep; /* -1 when absent, here and below                              */
  int64_t max_snapshot_age_ms;
  int64_t max_ref_age_ms;
} calve_snapshot_ref;

/* One snapshot object; strings are slices of the text where they can be. v3's rule that rows are
 * counted where they are numbered is checked. */
CALVE_MUST_USE calve_status calve_snapshot_read_json(calve_json_reader *r, calve_snapshot *out,
                                                     calve_error *err);
/* The summary's properties, "operation" first; none when there is no summary. A long history has
 * many, and hardly one is asked for: they are read when somebody does. */
CALVE_MUST_USE calve_status calve_snapshot_summary(const calve_snapshot *s, calve_arena *arena,
                                                   calve_properties *out, calve_error *err);
/* Gives the snapshot this summary, as text in the arena. */
CALVE_MUST_USE calve_status calve_snapshot_set_summary(calve_snapshot *s,
                                                       const calve_properties *summary,
                                                       calve_arena *arena, calve_error *err);
void calve_snapshot_write_json(const calve_snapshot *s, calve_json_writer *w);

/* One ref's object, without its name: the reader stands behind the key. */
CALVE_MUST_USE calve_status calve_snapshot_ref_read_json(calve_json_reader *r, calve_str name,
                                                         calve_snapshot_ref *out,
                                                         calve_error *err);
void calve_snapshot_ref_write_json(const calve_snapshot_ref *ref, calve_json_writer *w);

#endif
