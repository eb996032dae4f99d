/* SPDX-License-Identifier: Apache-2.0 */
/* commit/commit_summary: the counts in a snapshot's summary; private to commit.
 * In: files added and removed. Out: the summary's properties, with the keys and the totals that
 * the reference writes. [spec: Snapshot Summary Fields (Appendix F)] */
#ifndef CALVE_COMMIT_COMMIT_SUMMARY_H
#define CALVE_COMMIT_COMMIT_SUMMARY_H

#include "commit/maker.h"

typedef struct calve_commit__counts {
  int64_t data_files, records, size_bytes;
  int64_t delete_files, position_delete_files, equality_delete_files, dvs;
  int64_t position_deletes, equality_deletes;
} calve_commit__counts;

typedef struct calve_commit__summary {
  calve_commit__counts added, removed;
  calve_map partitions; /* "spec-less" path -> any; as the reference counts them                */
  calve_buffer path;    /* scratch                                                              */
} calve_commit__summary;

void calve_commit__summary_init(calve_commit__summary *s, calve_arena *arena,
                                const calve_allocator *allocator);
void calve_commit__summary_free(calve_commit__summary *s);
CALVE_MUST_USE calve_status calve_commit__summary_count(calve_commit__summary *s, bool added,
                                                        const calve_metadata *base,
                                                        const calve_data_file *file,
                                                        calve_error *err);
/* "operation" first, then the update's own entries, then counts, then totals on those of parent
 * (NULL: from 0). A total whose parent value is missing is left out: it is not known. */
CALVE_MUST_USE calve_status calve_commit__summary_build(const calve_commit__summary *s,
                                                        const calve_commit__attempt *a,
                                                        const char *operation,
                                                        calve_properties *out, calve_error *err);

#endif
