/* SPDX-License-Identifier: Apache-2.0 */
/* track/partition_value: values of a partition tuple between Avro and the model.
 * In: Avro types and scalars; model values. Out: model types and values; Avro bytes.
 * Private to the manifest reader and writer. Never guesses a unit: what does not fit the type that
 * the table's schema says is typed by the Avro file. [spec: Appendix A: Avro] */
#ifndef CALVE_TRACK_PARTITION_VALUE_H
#define CALVE_TRACK_PARTITION_VALUE_H

#include "codec/avro_writer.h"
#include "model/value.h"

/* The type that values of the Avro type are read as: `expected` (may be NULL) when they fit it,
 * else what the Avro type says; CALVE_UNKNOWN when nothing fits. */
CALVE_MUST_USE calve_status calve_track__partition_type(const calve_avro_type *avro,
                                                        const calve_type *expected,
                                                        calve_arena *arena, const calve_type **out,
                                                        calve_error *err);
/* false: the bytes have a wrong length for the type. Bytes are borrowed. */
bool calve_track__partition_value(const calve_type *type, const calve_avro_scalar *scalar,
                                  calve_value *out);

/* Appends the JSON of the Avro type for values of `type`. Named types are called after the field:
 * every one has a name of its own, because some readers know no references. */
void calve_track__put_avro_type(calve_buffer *json, const calve_type *type, int32_t field_id);
/* The value as one of that type: null, equal in type, or promoted to it; false when it is neither,
 * or can't be held (a decimal of too many digits, a fixed of another length). */
bool calve_track__fit_value(const calve_type *type, const calve_value *v, calve_value *out);
/* Appends a value that is not null and that was fitted. */
void calve_track__put_avro_value(calve_buffer *out, const calve_type *type, const calve_value *v);

#endif
