/* SPDX-License-Identifier: Apache-2.0 */
/* codec/avro_schema: the writer's schema of an Avro file as a tree.
 * In: the JSON of "avro.schema". Out: types with Iceberg's field ids, in an arena. For the Avro
 * reader and for track. Never resolves against a reader's schema: avro_reader does.
 * [spec: Appendix A: Format-specific Requirements, Avro] */
#ifndef CALVE_CODEC_AVRO_SCHEMA_H
#define CALVE_CODEC_AVRO_SCHEMA_H

#include "base/arena.h"

typedef enum calve_avro_type_id {
  CALVE_AVRO_NULL,
  CALVE_AVRO_BOOLEAN,
  CALVE_AVRO_INT,
  CALVE_AVRO_LONG,
  CALVE_AVRO_FLOAT,
  CALVE_AVRO_DOUBLE,
  CALVE_AVRO_BYTES,
  CALVE_AVRO_STRING,
  CALVE_AVRO_RECORD,
  CALVE_AVRO_ENUM,
  CALVE_AVRO_ARRAY, /* fields[0] is the element                                                 */
  CALVE_AVRO_MAP,   /* fields[0] is the value; keys are strings                                 */
  CALVE_AVRO_UNION, /* fields are the branches                                                  */
  CALVE_AVRO_FIXED
} calve_avro_type_id;

typedef enum calve_avro_logical {
  CALVE_AVRO_PLAIN, /* no logical type, or one that nobody here knows                           */
  CALVE_AVRO_DATE,
  CALVE_AVRO_TIME_MICROS,
  CALVE_AVRO_TIMESTAMP_MICROS,
  CALVE_AVRO_TIMESTAMP_NANOS,
  CALVE_AVRO_DECIMAL,
  CALVE_AVRO_UUID,
  CALVE_AVRO_KEYED_MAP /* an array of key-value records                                         */
} calve_avro_logical;

typedef struct calve_avro_type calve_avro_type;

typedef struct calve_avro_field {
  calve_str name;
  int32_t field_id; /* field-id of a record's field, element-id, value-id; -1 when absent       */
  const calve_avro_type *type;
} calve_avro_field;

struct calve_avro_type {
  calve_avro_type_id id;
  calve_avro_logical logical;
  bool adjust_to_utc;       /* timestamps                                                       */
  bool recursive;           /* a record that contains itself                                    */
  int32_t precision, scale; /* decimal                                                          */
  size_t size_bytes;        /* fixed                                                            */
  size_t min_bytes;         /* no encoded value is shorter; 0 for null and empty records        */
  calve_str name;           /* named types: the full name                                       */
  size_t field_count;       /* for an enum: the number of symbols, without fields               */
  const calve_avro_field *fields;
};

/* Follows references to named types (also into the record that holds them). Text and strings are
 * copied to the arena where needed; `json` must live as long. Depth is capped at CALVE_DEPTH_MAX.
 * CALVE_ECORRUPT names the place. */
CALVE_MUST_USE calve_status calve_avro_schema_parse(calve_str json, const char *where,
                                                    calve_arena *arena, const calve_avro_type **out,
                                                    calve_error *err);

/* The record's field of that id, else (for files without ids) the one of that name, whose own id
 * must then be absent. NULL when there is none. */
const calve_avro_field *calve_avro_find_field(const calve_avro_type *record, int32_t field_id,
                                              const char *name);
/* The type without its null branch: the other branch of a union of null and one type, the first
 * branch that is not null of a larger one, else the type itself. */
const calve_avro_type *calve_avro_not_null(const calve_avro_type *type);

#endif
