/* SPDX-License-Identifier: Apache-2.0 */
/* plan/scan: which files a query must read, and what is left to check on their rows.
 * In: table metadata, a store, a snapshot, a predicate. Out: tasks in batches, in the order of
 * manifests and entries whatever the number of threads; and counts of what was pruned why.
 * May be used by commit, keep, data, sql. Opens metadata only, never a data file; never judges a
 * manifest by another spec than its own; keeps what it is not sure about. Memory does not grow with
 * the number of files: at most a few manifests are in hand, and of a large one a part.
 * [spec: Scan Planning; Partition Evolution; Table Metadata, snapshot-log] */
#ifndef CALVE_PLAN_SCAN_H
#define CALVE_PLAN_SCAN_H

#include "expr/bind.h"
#include "store/store.h"
#include "track/delete_index.h"
#include "track/manifest.h"

/* ---- what to plan --------------------------------------------------------------------------- */

typedef enum calve_scan_at {
  CALVE_SCAN_CURRENT,  /* main's snapshot, with the current schema                             */
  CALVE_SCAN_SNAPSHOT, /* by id, with that snapshot's schema                                   */
  CALVE_SCAN_REF,      /* a branch with the current schema, a tag with its snapshot's          */
  CALVE_SCAN_TIMESTAMP /* what was current then by the snapshot log, with its schema            */
} calve_scan_at;

typedef struct calve_scan_params {
  const calve_metadata *metadata; /* all pointers are borrowed until the scan is closed         */
  const calve_store *store;       /* confined and mapped by its maker (store/guard.h)           */
  calve_scan_at at;
  int64_t snapshot_id;
  int64_t timestamp_ms;
  calve_str ref;
  /* Only files that appends added, after a snapshot (or ever) and up to the chosen one, which its
   * branch leads to; commits of other kinds count for nothing, and no deletes are applied. Rows are
   * read with the current schema. [reference: IncrementalAppendScan] */
  bool appends_only, has_from;
  int64_t from_snapshot_id;      /* may have been expired                                       */
  const calve_predicate *filter; /* unbound; NULL: all rows                                     */
  bool filter_is_partial; /* rows must meet more than it says: no file is said to match wholly  */
  const calve_str *unused; /* parts of its text that it does not say, for the report          */
  size_t unused_count;
  calve_bind_options bind;
  uint32_t columns;          /* calve_manifest_columns that tasks shall carry                   */
  const int32_t *metric_ids; /* sorted; metrics of these fields only; NULL: of all              */
  size_t metric_id_count;
  /* Ends the plan with the task that makes sure of so many rows: of files that meet the filter
   * wholly and have no deletes. The same task at any number of threads. 0: no limit             */
  int64_t row_limit;
  size_t part_bytes; /* of a manifest's tasks that are in hand at once, some; 0: 64 MB         */
  const calve_executor *executor;   /* NULL: the caller's thread alone                          */
  const calve_cancel *cancel;       /* may be NULL                                              */
  const calve_allocator *allocator; /* usable from any thread; NULL: the default                */
  calve_cache *cache;               /* NULL: manifests are decoded each time                    */
} calve_scan_params;

/* Snapshot and schema that a selection means. *snapshot is NULL for a table without one.
 * CALVE_ENOTFOUND names the id, ref or time. */
CALVE_MUST_USE calve_status calve_scan_select(const calve_metadata *metadata, calve_scan_at at,
                                              int64_t snapshot_id, int64_t timestamp_ms,
                                              calve_str ref, const calve_snapshot **snapshot,
                                              const calve_schema **schema, calve_error *err);

/* ---- tasks ---------------------------------------------------------------------------------- */

/* One data file to read. Valid until the next call of next or close. */
typedef struct calve_scan_task {
  calve_data_file file; /* metrics: as asked for                                                */
  int64_t data_sequence_number, file_sequence_number, snapshot_id;
  const calve_spec *spec;          /* the one it was written with                               */
  const calve_predicate *residual; /* bound; what its rows must still meet; never NULL          */
  bool matches_wholly; /* every row meets the whole condition (deletes aside)                   */
  size_t delete_count;
  const calve_delete_file *const *deletes; /* to apply; live as long as the scan                */
} calve_scan_task;

typedef struct calve_scan calve_scan;

/* Reads the manifest list and the delete manifests; data manifests are opened by next. Binding
 * errors are CALVE_ENOTFOUND and CALVE_EINVAL (as is a from_snapshot_id elsewhere); damaged files
 * CALVE_ECORRUPT with their path. */
CALVE_MUST_USE calve_status calve_scan_open(const calve_scan_params *params, calve_scan **out,
                                            calve_error *err);
/* Some tasks, at least one; *count 0 at the end. A failure ends the scan, and comes again. */
CALVE_MUST_USE calve_status calve_scan_next(calve_scan *scan, const calve_scan_task **tasks,
                                            size_t *count, calve_error *err);
/* NULL is fine; also before the end. Much memory of the default allocator is given back by the
 * executor, after the return. */
void calve_scan_close(calve_scan *scan);

const calve_snapshot *calve_scan_snapshot(const calve_scan *scan); /* NULL: an empty table      */
const calve_schema *calve_scan_schema(const calve_scan *scan);
const calve_bound *calve_scan_filter(const calve_scan *scan); /* bound; its root may be true    */

/* ---- what was done -------------------------------------------------------------------------- */

/* Of the data manifests of one spec. Files of skipped manifests count in files_total where the
 * manifest list knows how many they are. */
typedef struct calve_scan_spec_report {
  int32_t spec_id;
  const calve_spec *spec;           /* NULL when the metadata lacks it: nothing was pruned      */
  const calve_predicate *projected; /* the filter in this spec's own terms                      */
  int64_t manifests_total;
  int64_t manifests_skipped_empty;     /* all entries DELETED                                   */
  int64_t manifests_skipped_partition; /* by partition summaries                                */
  int64_t manifests_opened;
  int64_t files_total, rows_total;
  int64_t files_in_skipped_manifests; /* of these, as far as known                              */
  int64_t files_skipped_partition;
  int64_t files_skipped_metrics;
  int64_t files_kept, rows_kept, bytes_kept;
  int64_t files_matching_wholly, rows_matching_wholly;
  int64_t files_with_deletes;
} calve_scan_spec_report;

typedef struct calve_scan_report {
  size_t spec_count;
  const calve_scan_spec_report *specs; /* by spec id                                            */
  calve_scan_spec_report all;          /* sums; spec_id -1                                      */
  int64_t snapshots_between, snapshots_appending; /* appends_only: commits looked at, and of these
                                                     appends                                    */
  bool ended_by_limit; /* manifests behind it were not opened                                   */
  bool nothing_matches; /* no row can meet the filter: not even the manifest list was read      */
  const calve_str *unused; /* as in the params                                                  */
  size_t unused_count;
  int64_t delete_manifests_total, delete_manifests_opened;
  int64_t delete_files_total, delete_files_kept;
} calve_scan_report;

/* Counts so far; whole once next has given 0 tasks. Lives as long as the scan. */
const calve_scan_report *calve_scan_get_report(calve_scan *scan);

/* ---- why ------------------------------------------------------------------------------------ */

typedef enum calve_scan_verdict {
  CALVE_VERDICT_KEPT,
  CALVE_VERDICT_NOT_FOUND,        /* no live file of the snapshot has that path                 */
  CALVE_VERDICT_DELETED,          /* its entry says DELETED: the snapshot does not have it      */
  CALVE_VERDICT_MANIFEST_SKIPPED, /* by the partition summaries of its manifest                 */
  CALVE_VERDICT_PARTITION,        /* by its partition tuple                                     */
  CALVE_VERDICT_METRICS,          /* by counts or bounds                                        */
  CALVE_VERDICT_NEVER             /* no row of any file can meet the filter                     */
} calve_scan_verdict;

typedef struct calve_scan_why {
  calve_scan_verdict verdict;
  calve_manifest_entry entry;   /* unless NOT_FOUND; with all columns                         */
  calve_manifest_file manifest; /* the same                                                   */
  const calve_spec *spec;
  const calve_bound *condition;   /* the whole filter, on columns                               */
  bool matches_wholly;            /* KEPT: as calve_scan_task has it                            */
  const calve_predicate *filter;  /* in the terms it was judged by: partition or columns        */
  const calve_predicate *because; /* the smallest part of it that no row can meet; NULL if kept */
} calve_scan_why;

/* Judges one file by path the way a scan with these params does. Opens manifests until it is
 * found. Everything lives in the arena. Not for appends_only (CALVE_EUNSUPPORTED). */
CALVE_MUST_USE calve_status calve_scan_explain_file(const calve_scan_params *params, calve_str path,
                                                    calve_arena *arena, calve_scan_why *out,
                                                    calve_error *err);

#define CALVE_VERDICT_COUNT (CALVE_VERDICT_NEVER + 1)

/* The files of a partition, by what was decided about them; deleted ones don't count. */
typedef struct calve_scan_partition_why {
  int64_t files[CALVE_VERDICT_COUNT], rows[CALVE_VERDICT_COUNT];
  int64_t files_matching_wholly;
  calve_scan_why first[CALVE_VERDICT_COUNT]; /* of each that has files                          */
} calve_scan_partition_why;

/* Whether a text names a partition: "ts_month=2026-03", "ts_month=2026-03, id_bucket=3" or the same
 * with slashes, where each name is a partition field of some spec. */
bool calve_scan_is_partition(const calve_metadata *metadata, calve_str text);
/* Judges all files whose tuple has the values that the text names, in the forms that people and
 * paths have. Opens all data manifests. Else as above. */
CALVE_MUST_USE calve_status calve_scan_explain_partition(const calve_scan_params *params,
                                                         calve_str text, calve_arena *arena,
                                                         calve_scan_partition_why *out,
                                                         calve_error *err);

#endif
