/* SPDX-License-Identifier: Apache-2.0 */
/* commit/maker: turns one snapshot update into manifests, a manifest list and a snapshot; private
 * to commit.
 * In: a snapshot update, the metadata it is applied to. Out: changes (add-snapshot,
 * set-snapshot-ref) and a log of the files written. A maker serves all attempts of a transaction:
 * the snapshot id and the manifests of added files stay the same.                                */
#ifndef CALVE_COMMIT_MAKER_H
#define CALVE_COMMIT_MAKER_H

#include "base/uuid.h"
#include "commit/target.h"
#include "commit/update_parts.h"
#include "model/change.h"
#include "track/manifest.h"

/* A file that this commit wrote. `needed`: the attempt at hand names it. A later snapshot of the
 * transaction never takes that back: the earlier one's manifest list names the file. */
typedef struct calve_commit__written {
  const struct calve_commit__maker *maker; /* that wrote it                                     */
  calve_str path;
  bool needed;
} calve_commit__written;

typedef struct calve_commit__maker {
  const calve_commit_target *target;
  const calve_snapshot_update *update;
  calve_arena arena;     /* for what all attempts share                                         */
  calve_buffer *written; /* calve_commit__written, of the whole transaction                     */
  int64_t snapshot_id;
  char uuid[CALVE_UUID_TEXT_SIZE];
  int manifest_count, attempt_count;
  int32_t added_version; /* format version of `added`; 0: not written yet                       */
  calve_buffer added;    /* calve_manifest_file                                                 */
} calve_commit__maker;

CALVE_MUST_USE calve_status calve_commit__maker_init(calve_commit__maker *maker,
                                                     const calve_commit_target *target,
                                                     const calve_snapshot_update *update,
                                                     calve_buffer *written, calve_error *err);
void calve_commit__maker_free(calve_commit__maker *maker);

/* The changes that make the snapshot on `base`; they live in `arena`, which is one attempt's. */
CALVE_MUST_USE calve_status calve_commit__make(calve_commit__maker *maker,
                                               const calve_metadata *base, int64_t now_ms,
                                               calve_arena *arena, calve_changes *out,
                                               calve_error *err);

/* ---- parts, one file each -------------------------------------------------------------------- */

/* One attempt. */
typedef struct calve_commit__attempt {
  calve_commit__maker *maker;
  const calve_metadata *base;
  const calve_snapshot *parent; /* NULL: none                                                   */
  calve_arena *arena;
  calve_buffer bytes;     /* of the manifest that is read                                       */
  calve_buffer manifests; /* calve_manifest_file: result so far, newest first                   */
  struct calve_commit__summary *summary;
  size_t removed_count; /* files that this attempt removes                                      */
} calve_commit__attempt;

/* manifest_out.c: writes entries of one spec and content into manifests of the target size; each
 * finished one is appended to `out`. Its records live in `arena`. */
typedef struct calve_commit__manifest_out {
  calve_commit__maker *maker;
  const calve_metadata *base;
  const calve_spec *spec;
  const calve_type *const *partition_types; /* NULL: by the schema                              */
  int32_t content;                          /* calve_manifest_content                           */
  int64_t target_bytes;                     /* INT64_MAX: one manifest                          */
  calve_arena *arena;
  calve_buffer *out;
  calve_manifest_writer *writer;
} calve_commit__manifest_out;

CALVE_MUST_USE calve_status calve_commit__out_add(calve_commit__manifest_out *o,
                                                  const calve_manifest_entry *entry,
                                                  calve_error *err);
/* Finishes the last manifest; must be called, or _drop. */
CALVE_MUST_USE calve_status calve_commit__out_end(calve_commit__manifest_out *o, calve_error *err);
void calve_commit__out_drop(calve_commit__manifest_out *o);
/* Writes a new metadata file of the table into its metadata folder, logs it as needed, and gives
 * its path (in arena). */
CALVE_MUST_USE calve_status calve_commit__write(calve_commit__maker *maker,
                                                const calve_metadata *base, const char *name,
                                                calve_str bytes, calve_arena *arena,
                                                calve_str *path, calve_error *err);
/* Marks a file that this maker wrote as needed by the attempt at hand, or not; knows no others. */
void calve_commit__need(calve_commit__maker *maker, calve_str path, bool needed);
int64_t calve_commit__target_bytes(const calve_metadata *base);

/* manifests_in.c: the manifests of a snapshot, with what the table's version requires to be known
 * of them, and their entries. */
CALVE_MUST_USE calve_status calve_commit__manifests_of(calve_commit__attempt *a,
                                                       const calve_snapshot *snapshot,
                                                       const calve_manifest_file **out,
                                                       size_t *out_count, calve_error *err);
/* All live entries, in `arena`; the bytes are in a->bytes until the next call. */
CALVE_MUST_USE calve_status calve_commit__entries_of(calve_commit__attempt *a,
                                                     const calve_manifest_file *manifest,
                                                     uint32_t columns, calve_arena *arena,
                                                     calve_manifest_reader *reader,
                                                     const calve_manifest_entry **out,
                                                     size_t *out_count, calve_error *err);

/* added.c: manifests of the added files. Checks specs and tuples. */
CALVE_MUST_USE calve_status calve_commit__put_added(calve_commit__attempt *a, calve_error *err);
/* filter.c: manifests of the parent, without what is removed. */
CALVE_MUST_USE calve_status calve_commit__put_existing(calve_commit__attempt *a, calve_error *err);
/* merge.c: fewer manifests in a->manifests. */
CALVE_MUST_USE calve_status calve_commit__merge(calve_commit__attempt *a, calve_error *err);
/* checks.c: what others did since the update's starting point. */
CALVE_MUST_USE calve_status calve_commit__check_others(calve_commit__attempt *a,
                                                       calve_error *err);

/* overlap.c: file_spec NULL: nothing may be concluded from the file's tuple. */
typedef enum calve_commit__overlap {
  CALVE_OVERLAP_NONE,  /* no row of the file is in the partition                                */
  CALVE_OVERLAP_WHOLE, /* every row is                                                          */
  CALVE_OVERLAP_OPEN   /* some may be                                                           */
} calve_commit__overlap;
calve_commit__overlap calve_commit__overlap_of(const calve_schema *schema, const calve_spec *spec,
                                               const calve_value *tuple,
                                               const calve_spec *file_spec,
                                               const calve_data_file *file);

#endif
