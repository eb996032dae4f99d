/* SPDX-License-Identifier: Apache-2.0 */
/* track/snapshot_manifests: the manifests of a snapshot.
 * In: a snapshot and the store. Out: manifest records: from its list, or for old v1 snapshots the
 * manifests that it names itself. May be used by plan, commit, keep, sql. [spec: Snapshots;
 * Manifest Lists] */
#ifndef CALVE_TRACK_SNAPSHOT_MANIFESTS_H
#define CALVE_TRACK_SNAPSHOT_MANIFESTS_H

#include "store/store.h"
#include "track/manifest.h"

/* snapshot NULL: none. Inline manifests have unknown counts and spec id -1 (as their header says).
 */
CALVE_MUST_USE calve_status calve_snapshot_manifests(const calve_snapshot *snapshot,
                                                     const calve_store *store, calve_arena *arena,
                                                     const calve_manifest_file **out,
                                                     size_t *out_count, calve_error *err);
/* The same; ends with CALVE_ECANCELLED soon after the token (may be NULL) is set. */
CALVE_MUST_USE calve_status calve_snapshot_manifests_until(
    const calve_snapshot *snapshot, const calve_store *store, const calve_cancel *cancel,
    calve_arena *arena, const calve_manifest_file **out, size_t *out_count, calve_error *err);
/* What could not be opened may be a manifest of that snapshot, whose path its list has told: then
 * the list becomes part of the message. Reads the list again for errors that may be of this kind.
 */
void calve_snapshot_name_list(const calve_snapshot *snapshot, const calve_store *store,
                              const calve_allocator *allocator, calve_error *err);

#endif
