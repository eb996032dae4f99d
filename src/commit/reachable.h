/* SPDX-License-Identifier: Apache-2.0 */
/* commit/reachable: every file that a table names.
 * In: metadata and a store. Out: one visit per file. May be used by catalog (purge) and keep.
 * Never removes anything; a manifest that can't be read is an error, not an empty one.
 * [spec: Snapshots; Manifests; Table Metadata]                                                   */
#ifndef CALVE_COMMIT_REACHABLE_H
#define CALVE_COMMIT_REACHABLE_H

#include "model/metadata.h"
#include "store/store.h"

typedef enum calve_reachable_kind {
  CALVE_REACHABLE_DATA, /* data and delete files, of live and deleted entries                   */
  CALVE_REACHABLE_MANIFEST,
  CALVE_REACHABLE_MANIFEST_LIST,
  CALVE_REACHABLE_STATISTICS,
  CALVE_REACHABLE_METADATA /* of the metadata log                                               */
} calve_reachable_kind;

typedef calve_status (*calve_reachable_visit)(void *ctx, calve_reachable_kind kind,
                                              calve_str path, calve_error *err);

/* Manifests and lists are read and visited once each; a data file comes up once for every manifest
 * that names it. Data files come first, then manifests, lists, statistics, old metadata, so that
 * removing in this order never leaves a name without its file but at the very end. Paths live
 * during the visit. Memory grows with the number of manifests, not of files. */
CALVE_MUST_USE calve_status calve_reachable_files(const calve_store *store,
                                                  const calve_metadata *metadata,
                                                  const calve_allocator *allocator,
                                                  calve_reachable_visit visit, void *ctx,
                                                  calve_error *err);

#endif
