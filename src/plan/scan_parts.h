/* SPDX-License-Identifier: Apache-2.0 */
/* plan/scan_parts: the filter in the terms of each spec, and the scan's own state; private to plan.
 * In: made by scan_open. Out: judgements on manifests and files. Nobody else includes it. What is
 * shared between threads (the judge, the delete index) is immutable while they run; a slot is in
 * one hand at a time. [spec: Scan Planning] */
#ifndef CALVE_PLAN_SCAN_PARTS_H
#define CALVE_PLAN_SCAN_PARTS_H

#include "base/map.h"
#include "base/ordered.h"
#include "cache/cache.h"
#include "expr/evaluate.h"
#include "expr/project.h"
#include "expr/residual.h"
#include "plan/scan.h"
#include "track/file_metrics.h"
#include "track/snapshot_manifests.h"

/* The filter for files of one spec. */
typedef struct calve_plan__spec {
  const calve_spec *spec; /* NULL: not in the metadata, nothing is concluded from tuples        */
  const calve_predicate *inclusive;
  const calve_residual *residual; /* NULL: the whole filter stays                               */
} calve_plan__spec;

typedef struct calve_plan__judge {
  const calve_schema *schema;
  const calve_bound *bound;
  bool matches_all, matches_none; /* the filter is constant                                     */
  size_t spec_count;
  calve_plan__spec *specs; /* as in the metadata                                                */
  calve_plan__spec unknown_spec;
  uint32_t metric_columns; /* calve_manifest_columns that the filter looks at                   */
  size_t metric_id_count;
  const int32_t *metric_ids; /* of these fields, sorted                                         */
} calve_plan__judge;

/* Binds the filter and projects it to every spec, once. All in the arena. */
CALVE_MUST_USE calve_status calve_plan__judge_make(const calve_scan_params *params,
                                                   const calve_schema *schema, calve_arena *arena,
                                                   calve_plan__judge *out, calve_error *err);
/* Never NULL: an unknown spec has one that keeps all. */
const calve_plan__spec *calve_plan__judge_spec(const calve_plan__judge *j, int32_t spec_id);
/* calve_manifest_tuples_known, of an image. */
bool calve_plan__image_tuples_known(const calve_plan__spec *s, const calve_image_rows *rows);

/* What one manifest's files are judged by. */
typedef struct calve_plan__work {
  const calve_scan *scan;
  struct calve_plan__slot *slot;
  const calve_plan__spec *spec;
  const calve_spec *written;     /* the spec it was written with                                */
  calve_manifest_reader *reader; /* NULL: its entries come from an image                        */
  bool judges_tuples, judges_metrics;
  calve_arena *residuals; /* where those are made                                               */
  /* The last tuple's answers: files of one partition often stand side by side. */
  const calve_value *last_tuple;
  bool last_matches;
  const calve_predicate *last_residual;
} calve_plan__work;

/* What a thread works with on one manifest; a slot of base/ordered. */
typedef struct calve_plan__slot {
  calve_buffer bytes;
  calve_manifest_batch batch;
  calve_arena opened; /* of the manifest                                                        */
  calve_manifest_forms forms; /* of those that were opened before: their programs               */
  calve_arena kept;   /* of what is handed out                                                  */
  calve_buffer blocks; /* calve_manifest_memory: of what is handed out too                      */
  size_t blocks_used, blocks_bytes;
  calve_buffer tasks; /* calve_scan_task, or calve_manifest_entry of deletes                    */
  calve_column_metrics *metrics;
  calve_scan_spec_report counts;
  calve_manifest_reader reader;
  calve_plan__work work;
  calve_cached *cached; /* what is handed out points into it; NULL: none                        */
  struct calve_plan__image *image; /* the state of its reading, in `opened`                     */
  bool paused; /* it holds as much as a slot may, and the manifest has more                     */
} calve_plan__slot;

struct calve_scan {
  calve_scan_params params;
  calve_arena arena;
  const calve_snapshot *snapshot;
  calve_plan__judge judge;
  size_t metric_id_count; /* fields whose metrics are read when the caller wants some too */
  const int32_t *metric_ids;
  size_t data_count, delete_count;
  const calve_manifest_file **data, **deletes; /* those to open, in order                       */
  calve_delete_index *index;
  size_t slot_count;
  calve_plan__slot *slots;
  calve_ordered *work;
  calve_scan_report report;
  calve_scan_spec_report *spec_reports; /* judge.spec_count + 1: the last is of unknown specs   */
  calve_map *appended; /* appends_only: id of a snapshot -> it; else NULL                       */
  calve_plan__slot *held; /* its tasks are the caller's now                                     */
  calve_status failed;    /* in a part of a manifest that the first one left                    */
  calve_error failure;
  int64_t sure_rows;   /* that the tasks so far give, whatever the rest of the filter says      */
  uint64_t cache_plan; /* number of this plan, for the cache                                    */
};

/* Opens a manifest into the slot. */
CALVE_MUST_USE calve_status calve_plan__open_manifest(const calve_scan *scan,
                                                      const calve_manifest_file *m,
                                                      calve_plan__slot *slot,
                                                      calve_manifest_reader *out, calve_error *err);
/* appends_only: the manifests that hold what appends added, in the order of the commits; then
 * whether an entry is one of that. */
CALVE_MUST_USE calve_status calve_plan__appended_manifests(calve_scan *scan,
                                                           const calve_manifest_file **out,
                                                           size_t *out_count, calve_error *err);
bool calve_plan__was_appended(const calve_scan *scan, int64_t status, int64_t snapshot_id);
/* What the caller and the filter want together of a manifest. */
calve_manifest_options calve_plan__options(const calve_scan *scan, const calve_manifest_file *m);
/* Makes a task of the entry. */
CALVE_MUST_USE calve_status calve_plan__keep(calve_plan__work *w, const calve_manifest_entry *e,
                                             const calve_predicate *residual, bool wholly,
                                             calve_error *err);
/* Takes a delete file among the slot's tasks if it may be about rows that the filter keeps. */
CALVE_MUST_USE calve_status calve_plan__judge_delete(calve_plan__work *w,
                                                     const calve_manifest_entry *e,
                                                     calve_error *err);
/* Whether the tuple lets rows match, and what is left of the filter then. */
CALVE_MUST_USE calve_status calve_plan__judge_tuple(calve_plan__work *w, const calve_value *tuple,
                                                    size_t count, bool *matches,
                                                    const calve_predicate **residual,
                                                    calve_error *err);

/* The manifest's entries from the scan's cache, if it has one and an image can be had of it: *done
 * is false when not, and nothing happened then. */
CALVE_MUST_USE calve_status calve_plan__image_data(const calve_scan *scan,
                                                   const calve_manifest_file *m,
                                                   calve_plan__slot *slot, bool *done,
                                                   calve_error *err);
CALVE_MUST_USE calve_status calve_plan__image_deletes(const calve_scan *scan,
                                                      const calve_manifest_file *m,
                                                      calve_plan__slot *slot, bool *done,
                                                      calve_error *err);
/* The files of a paused slot's image that come next. */
CALVE_MUST_USE calve_status calve_plan__image_go_on(calve_plan__slot *slot, calve_error *err);
/* Lets go of what the slot's last manifest left: tasks, memory, image. */
void calve_plan__clear_slot(const calve_scan *scan, calve_plan__slot *slot);
/* Whether the slot holds as much as it may: then it pauses, and memory stays bounded however many
 * files a manifest has. */
bool calve_plan__is_full(const calve_scan *scan, const calve_plan__slot *slot);

/* Columns of the filter, by slot, in an image: NULL where it says nothing about rows. */
typedef const calve_image_column *const *calve_plan__columns;
/* out[i] is 1 when the statistics of entry i prove that no row of it meets p, for each of `count`
 * entries; what they leave open is 0, and calve_metrics_might_match decides. CALVE_ENOMEM only. */
CALVE_MUST_USE calve_status calve_plan__rule_out(const calve_predicate *p,
                                                 calve_plan__columns columns,
                                                 const calve_image_rows *rows, calve_arena *scratch,
                                                 uint8_t *out, calve_error *err);

/* Functions for base/ordered: task `index` of scan->data or scan->deletes. */
calve_status calve_plan__plan_data(void *arg, size_t index, size_t slot, calve_error *err);
calve_status calve_plan__plan_deletes(void *arg, size_t index, size_t slot, calve_error *err);
/* Puts the next files of a paused slot in place of those it holds. */
CALVE_MUST_USE calve_status calve_plan__go_on(calve_plan__slot *slot, calve_error *err);

/* Splits the snapshot's manifests into those to open and those to skip, and counts. */
CALVE_MUST_USE calve_status calve_plan__choose(calve_scan *scan, const calve_manifest_file *all,
                                               size_t count, calve_error *err);
/* Counts of a manifest that was worked on. */
void calve_plan__count(calve_scan *scan, const calve_scan_spec_report *counts);

#endif
