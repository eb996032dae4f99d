/* SPDX-License-Identifier: Apache-2.0 */
/* commit/transaction: one or several changes to a table that become visible together.
 * In: a target, the state the caller knows, changes (from evolve) and snapshot updates. Out: the
 * new state, or a failure that leaves the table as it was. May be used by catalog, keep, sql.
 * Never deletes a file unless it knows that no table state names it: after CALVE_EUNKNOWN all
 * files stay; else files that this commit made and did not need are removed. Data files are the
 * caller's: remove them on any failure but CALVE_EUNKNOWN.
 * [spec: Optimistic Concurrency; Commit Conflict Resolution and Retry]                           */
#ifndef CALVE_COMMIT_TRANSACTION_H
#define CALVE_COMMIT_TRANSACTION_H

#include "commit/snapshot_update.h"
#include "commit/target.h"
#include "model/change.h"

typedef struct calve_transaction calve_transaction;

/* `start` is what the first attempt builds on, without asking the catalog again; NULL loads it.
 * The target and all that is added below are borrowed until free. */
CALVE_MUST_USE calve_status calve_transaction_begin(const calve_commit_target *target,
                                                    const calve_table_state *start,
                                                    calve_transaction **out, calve_error *err);
/* A table that does not exist yet (calve_metadata_new): CREATE TABLE, CTAS. */
CALVE_MUST_USE calve_status calve_transaction_begin_create(const calve_commit_target *target,
                                                           const calve_metadata *initial,
                                                           calve_transaction **out,
                                                           calve_error *err);
void calve_transaction_free(calve_transaction *t); /* NULL is fine                              */

/* Steps are applied in the order they were added. */
CALVE_MUST_USE calve_status calve_transaction_add_changes(calve_transaction *t,
                                                          const calve_changes *changes,
                                                          calve_error *err);
CALVE_MUST_USE calve_status calve_transaction_add_update(calve_transaction *t,
                                                         const calve_snapshot_update *update,
                                                         calve_error *err);
/* The metadata after all steps so far, on the first attempt's base; for steps that build on
 * earlier ones (evolve's builders). It lives until free. Steps that are snapshot updates write
 * their manifests now. */
CALVE_MUST_USE calve_status calve_transaction_preview(calve_transaction *t,
                                                      const calve_metadata **out,
                                                      calve_error *err);

/* Commits once; then the transaction is used up. When others were faster it starts again from the
 * table as it is now: requirements of changes are checked again, snapshots are rebuilt, by
 * commit.retry.{num-retries,min-wait-ms,max-wait-ms,total-timeout-ms}. When the answer is lost the
 * table is asked, by commit.status-check.{num-retries,min-wait-ms,max-wait-ms}. A commit without
 * any step that changes something writes nothing. *out lives in out_arena.
 * CALVE_ECONFLICT: requirements no longer hold or the changes are no longer legal, a file to remove
 * is gone, or retries ran out.
 * CALVE_ECANCELLED: cancelled between two tries (the clock says so); nothing was changed.
 * CALVE_EUNKNOWN: it may have happened; load the table to see. */
CALVE_MUST_USE calve_status calve_transaction_commit(calve_transaction *t, calve_arena *out_arena,
                                                     calve_table_state *out, calve_error *err);

#endif
