/* SPDX-License-Identifier: Apache-2.0 */
/* model/type_json: the pieces of the JSON form of types that schemas share.
 * In: a reader at the value. Out: fields in its arena. Private to model. Never looks at "type".
 * [spec: Appendix C: JSON serialization] */
#ifndef CALVE_MODEL_TYPE_JSON_H
#define CALVE_MODEL_TYPE_JSON_H

#include "model/type.h"

/* The array of a struct's fields. depth is that of the struct; *fields is never NULL on success. */
CALVE_MUST_USE calve_status calve_type__read_fields(calve_json_reader *r, int depth,
                                                    const calve_field **fields, int32_t *count,
                                                    calve_error *err);
/* The member "fields":[…] into an open object. */
void calve_type__write_fields(const calve_type *t, calve_json_writer *w);

#endif
