/* SPDX-License-Identifier: Apache-2.0 */
/* track/delete_index: which delete files apply to a data file.
 * In: entries of delete manifests; then data files. Out: for each the deletes that must be applied.
 * May be used by plan and keep. Built by one thread; looked up by any. Never applies a delete to a
 * file of another spec or tuple, but for equality deletes of an unpartitioned spec.
 * [spec: Scan Planning, Delete Files; Deletion Vectors] */
#ifndef CALVE_TRACK_DELETE_INDEX_H
#define CALVE_TRACK_DELETE_INDEX_H

#include "track/data_file.h"

typedef struct calve_delete_file {
  calve_data_file file; /* content tells position from equality; see also
                           calve_data_file_is_deletion_vector                                   */
  int64_t data_sequence_number;
  const calve_spec *spec;
  size_t order; /* of adding: ties are broken by it                                             */
} calve_delete_file;

typedef struct calve_delete_index calve_delete_index;

CALVE_MUST_USE calve_status calve_delete_index_make(const calve_allocator *allocator,
                                                    calve_delete_index **out, calve_error *err);
void calve_delete_index_free(calve_delete_index *index); /* NULL is fine                        */

/* The entry is copied, spec borrowed. CALVE_ECORRUPT for a deletion vector without data file,
 * offset or size, for an equality delete without ids, and for a second deletion vector of one data
 * file. */
CALVE_MUST_USE calve_status calve_delete_index_add(calve_delete_index *index,
                                                   const calve_manifest_entry *entry,
                                                   const calve_spec *spec, calve_error *err);
/* No adding after this; no lookup before it. Ends soon with CALVE_ECANCELLED when the token (may be
 * NULL) is set; the index is then only to be freed. */
CALVE_MUST_USE calve_status calve_delete_index_seal(calve_delete_index *index,
                                                    const calve_cancel *cancel, calve_error *err);
size_t calve_delete_index_count(const calve_delete_index *index);
size_t calve_delete_index_bytes(const calve_delete_index *index); /* of memory, about            */

/* The deletes of a data file of that sequence number, equality deletes first, each kind by
 * sequence number. *out is an array in the arena (NULL when *out_count is 0). */
CALVE_MUST_USE calve_status calve_delete_index_find(
    const calve_delete_index *index, const calve_data_file *file, int64_t data_sequence_number,
    calve_arena *arena, const calve_delete_file *const **out, size_t *out_count, calve_error *err);

#endif
