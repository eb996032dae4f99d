/* SPDX-License-Identifier: Apache-2.0 */
/* commit/snapshot_update: what one new snapshot changes: files added and files removed.
 * In: records of files that are on storage already (durable), and what they replace. Out: a list
 * of wishes that a transaction turns into a snapshot, as often as it must be retried.
 * May be used by data's callers (sql), keep and the C API. Does no IO itself, changes no file that
 * a snapshot names. A file keeps the spec it was written with.
 * [spec: Snapshots; Manifests; Partition Evolution; Optimistic Concurrency]                      */
#ifndef CALVE_COMMIT_SNAPSHOT_UPDATE_H
#define CALVE_COMMIT_SNAPSHOT_UPDATE_H

#include "expr/predicate.h"
#include "track/data_file.h"

typedef struct calve_snapshot_update calve_snapshot_update;

CALVE_MUST_USE calve_status calve_snapshot_update_make(const calve_allocator *allocator,
                                                       calve_snapshot_update **out,
                                                       calve_error *err);
void calve_snapshot_update_free(calve_snapshot_update *u); /* NULL is fine                      */

/* A new data or delete file; copied. spec_id is that of the spec it was written with; a tuple that
 * does not fit that spec, or a spec that the table lacks, is CALVE_EINVAL when it is committed.
 * Adding one path twice is CALVE_EINVAL. */
CALVE_MUST_USE calve_status calve_snapshot_update_add(calve_snapshot_update *u,
                                                      const calve_data_file *file,
                                                      calve_error *err);
/* A live file, by path (equal as calve_path_equal says). spec_id tells where to look: -1 when it is
 * not known. If it is gone when the commit happens the commit fails with CALVE_ECONFLICT: somebody
 * rewrote or removed it, and what was made from it may be out of date. */
CALVE_MUST_USE calve_status calve_snapshot_update_remove(calve_snapshot_update *u, calve_str path,
                                                         int32_t spec_id, calve_error *err);
/* Removes each live data file in which every row matches (Iceberg's two-valued logic; names are
 * bound to the current schema when it is committed). A file in which only some rows may match
 * refuses the commit with CALVE_EINVAL, and nothing changes. Static overwrite, DELETE of whole
 * files. */
CALVE_MUST_USE calve_status calve_snapshot_update_remove_matching(calve_snapshot_update *u,
                                                                  const calve_predicate *filter,
                                                                  calve_error *err);
/* Dynamic overwrite: the partitions of the files added here lose all older data files. Files of
 * other specs lose theirs too if their tuple and bounds prove that all rows belong to those
 * partitions; are kept if these prove that none does; else the commit is refused with
 * CALVE_EUNSUPPORTED, which names file and remedy. With no file added nothing is removed. Files
 * that others added meanwhile go too (as with remove_matching): who made the new rows from the
 * table's old ones asks for a check. */
void calve_snapshot_update_replace_partitions(calve_snapshot_update *u);

/* A branch other than main; made from main's head when it is not there. */
CALVE_MUST_USE calve_status calve_snapshot_update_branch(calve_snapshot_update *u, calve_str name,
                                                         calve_error *err);
/* One more entry of the snapshot's summary. */
CALVE_MUST_USE calve_status calve_snapshot_update_summary(calve_snapshot_update *u, calve_str key,
                                                          calve_str value, calve_error *err);

/* What others may not have done since snapshot_id (CALVE_NO_SNAPSHOT: since the table was empty):
 * added data files that may match `filter` (serializable isolation), or added deletes that may. The
 * filter NULL means any file. CALVE_ECONFLICT names the file. */
typedef struct calve_commit_checks {
  bool enabled;
  int64_t since_snapshot_id;
  const calve_predicate *filter;
  bool no_new_data;
  bool no_new_deletes;
} calve_commit_checks;
/* The filter is borrowed until the commit is done. */
void calve_snapshot_update_check(calve_snapshot_update *u, const calve_commit_checks *checks);

#endif
