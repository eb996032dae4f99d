/* SPDX-License-Identifier: Apache-2.0 */
/* model/transform_json: transforms as JSON strings, for specs and sort orders.
 * In: a reader at the string; a writer. Out: a transform in the reader's arena. Private to model.
 * [spec: Appendix C: Partition Specs] */
#ifndef CALVE_MODEL_TRANSFORM_JSON_H
#define CALVE_MODEL_TRANSFORM_JSON_H

#include "codec/json.h"
#include "model/transform.h"

CALVE_MUST_USE calve_status calve_transform__read_json(calve_json_reader *r, calve_transform *out,
                                                       calve_error *err);
void calve_transform__write_json(const calve_transform *t, calve_json_writer *w);

#endif
