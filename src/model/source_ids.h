/* SPDX-License-Identifier: Apache-2.0 */
/* model/source_ids: the source columns of a partition or sort field in JSON.
 * In: a reader at a member, a writer. Out: ids in the reader's arena. Private to model.
 * [spec: Appendix C: Partition Specs, Sort Orders] */
#ifndef CALVE_MODEL_SOURCE_IDS_H
#define CALVE_MODEL_SOURCE_IDS_H

#include "codec/json.h"

typedef struct calve_source_ids {
  int32_t count; /* 0 while neither "source-id" nor "source-ids" was seen                       */
  const int32_t *ids;
} calve_source_ids;

/* Takes the members "source-id" and "source-ids"; *taken tells whether the key was one of them. */
CALVE_MUST_USE calve_status calve_source_ids__read(calve_json_reader *r, calve_str key,
                                                   calve_source_ids *out, bool *taken,
                                                   calve_error *err);
/* "source-id" for one source, "source-ids" for several. */
void calve_source_ids__write(const int32_t *ids, int32_t count, calve_json_writer *w);

#endif
