/* SPDX-License-Identifier: Apache-2.0 */
/* model/value: one value of an Iceberg type.
 * In: single-value bytes or JSON. Out: calve_value; and back. May be used by every room below
 * model.
 * Never allocates but for strings it must decode (in the arena it is given).
 * [spec: Appendix D: Single-value serialization] */
#ifndef CALVE_MODEL_VALUE_H
#define CALVE_MODEL_VALUE_H

#include "base/number.h"
#include "model/type.h"

/* Small enough to pass by pointer and copy by assignment. What `type` says is what is in the union:
 *   BOOLEAN b · INT, DATE i32 · LONG, TIME, TIMESTAMP*, i64 · FLOAT f32 · DOUBLE f64
 *   DECIMAL unscaled i128 and `scale` · STRING (UTF-8), BINARY, FIXED bytes · UUID uuid
 *   STRUCT, LIST, MAP items (defaults only; MAP: key, value, key, value …)                     */
typedef struct calve_value {
  calve_type_id type;
  bool is_null;
  int16_t scale; /* DECIMAL                                                                     */
  union {
    bool b;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    calve_int128 i128;
    uint8_t uuid[16];
    calve_str bytes;
    struct {
      const struct calve_value *items;
      size_t count;
    } nested;
  };
} calve_value;

calve_value calve_value_null(calve_type_id type);

/* The order of the type, as comparators of the reference have it where it is right: numbers by
 * value (floats: -Infinity < … < -0.0 < 0.0 < … < Infinity < NaN, all NaN equal), strings by code
 * point, bytes and UUIDs unsigned, false < true. Both must be of one type and not null.
 * <0, 0, >0. */
int calve_value_compare(const calve_value *a, const calve_value *b);
/* Equality for partition tuples: nulls equal, all NaN equal, -0.0 and 0.0 differ, decimals by
 * number. [spec: Partitioning] */
bool calve_value_equal(const calve_value *a, const calve_value *b);
uint64_t calve_value_hash(const calve_value *v); /* agrees with calve_value_equal               */
bool calve_value_is_nan(const calve_value *v);

/* Binary single-value form. The value's bytes are borrowed from `bytes`. Widths of types that were
 * promoted are accepted: 4 bytes for long (sign-extended) and double, a date's 4 for timestamp and
 * timestamp_ns; 8 for int and date when the value fits. CALVE_ECORRUPT for other lengths and for
 * bad UTF-8, CALVE_EUNSUPPORTED for types without a form (nested, variant, geometry …): callers
 * that prune take both as "unknown". */
CALVE_MUST_USE calve_status calve_value_from_bytes(const calve_type *type, calve_str bytes,
                                                   calve_value *out, calve_error *err);
/* Appends; v must not be null. */
void calve_value_to_bytes(const calve_value *v, calve_buffer *out);

/* JSON single-value form; all types, null too. Digits of a fraction that the type's unit can't hold
 * are cut; NaN and the infinities are strings. Strings are borrowed from the reader's text or
 * arena: calve_value_copy what shall outlive the text. */
CALVE_MUST_USE calve_status calve_value_read_json(calve_json_reader *r, const calve_type *type,
                                                  calve_value *out, calve_error *err);
void calve_value_write_json(const calve_value *v, const calve_type *type, calve_json_writer *w);

/* How people read it: "2026-03-01", "10.65", "-Infinity", hex in upper case for bytes; "null". No
 * quotes. */
void calve_value_print(const calve_value *v, calve_buffer *out);

CALVE_MUST_USE calve_status calve_value_copy(const calve_value *v, calve_arena *arena,
                                             calve_value *out, calve_error *err);

#endif
