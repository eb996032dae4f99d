/* SPDX-License-Identifier: Apache-2.0 */
/* model/type: Iceberg types as immutable values in an arena.
 * In: type strings and JSON. Out: calve_type trees. May be used by every room below model.
 * Never does IO. Types whose data this version can't read (variant, geometry, geography, unknown)
 * are modelled all the same. [spec: Schemas and Data Types; Appendix C] */
#ifndef CALVE_MODEL_TYPE_H
#define CALVE_MODEL_TYPE_H

#include "base/arena.h"
#include "codec/json.h"

typedef enum calve_type_id {
  CALVE_BOOLEAN,
  CALVE_INT,
  CALVE_LONG,
  CALVE_FLOAT,
  CALVE_DOUBLE,
  CALVE_DECIMAL, /* precision, scale                                                            */
  CALVE_DATE,    /* int32 days                                                                  */
  CALVE_TIME,    /* int64 microseconds of the day                                               */
  CALVE_TIMESTAMP,
  CALVE_TIMESTAMPTZ,
  CALVE_TIMESTAMP_NS,
  CALVE_TIMESTAMPTZ_NS,
  CALVE_STRING,
  CALVE_UUID,
  CALVE_FIXED, /* length                                                                        */
  CALVE_BINARY,
  CALVE_UNKNOWN,
  CALVE_VARIANT,
  CALVE_GEOMETRY,  /* crs                                                                       */
  CALVE_GEOGRAPHY, /* crs, algorithm                                                            */
  CALVE_STRUCT,
  CALVE_LIST, /* fields[0] is the element                                                       */
  CALVE_MAP   /* fields[0] is the key, fields[1] the value                                      */
} calve_type_id;

typedef struct calve_type calve_type;
struct calve_value;

/* A struct's field; a list's element (named "element"); a map's key and value (so named). */
typedef struct calve_field {
  int32_t id;
  bool required;
  calve_str name;
  calve_str doc; /* data NULL when absent                                                       */
  const calve_type *type;
  const struct calve_value *initial_default; /* NULL when absent [spec: Default values]         */
  const struct calve_value *write_default;
} calve_field;

struct calve_type {
  calve_type_id id;
  int32_t precision, scale; /* decimal                                                          */
  int32_t length;           /* fixed, bytes                                                     */
  calve_str crs, algorithm; /* geometry, geography; data NULL for the default                   */
  int32_t field_count;
  const calve_field *fields; /* nested types                                                    */
};

bool calve_type_is_primitive(const calve_type *t); /* no struct, list, map, variant              */
bool calve_type_is_nested(const calve_type *t);    /* struct, list, map                          */
/* Same shape, ids, names, requiredness and docs (all of what a schema writes but defaults). */
bool calve_type_equal(const calve_type *a, const calve_type *b);

/* The shared, immutable type of an id without parameters (CALVE_INT … CALVE_BINARY, UNKNOWN,
 * VARIANT, and the default GEOMETRY, GEOGRAPHY). Static storage. */
const calve_type *calve_type_of(calve_type_id id);
CALVE_MUST_USE calve_status calve_type_decimal(int32_t precision, int32_t scale, calve_arena *arena,
                                               const calve_type **out, calve_error *err);
CALVE_MUST_USE calve_status calve_type_fixed(int32_t length, calve_arena *arena,
                                             const calve_type **out, calve_error *err);

/* A primitive type string: "int", "decimal(9,2)", "fixed[16]", "geometry(srid:3857)" … Case does
 * not matter, white space inside the parentheses neither. CALVE_EINVAL names the text. */
CALVE_MUST_USE calve_status calve_type_parse(calve_str text, calve_arena *arena,
                                             const calve_type **out, calve_error *err);
/* Appends the canonical string: "decimal(9, 2)"; nested types print as "struct<1: a: optional
 * int>", "list<int>", "map<string, int>". */
void calve_type_print(const calve_type *t, calve_buffer *out);
/* For error messages: the same without ids, "struct<a: int>", as a NUL-terminated string cut to
 * size. Gives out. */
#define CALVE_TYPE_TEXT_MAX 128
const char *calve_type_text(const calve_type *t, char out[CALVE_TYPE_TEXT_MAX]);

/* JSON form: a string for primitives, an object for nested types [spec: Appendix C]. The reader
 * stands at the value. Depth is capped at CALVE_DEPTH_MAX. */
CALVE_MUST_USE calve_status calve_type_read_json(calve_json_reader *r, const calve_type **out,
                                                 calve_error *err);
void calve_type_write_json(const calve_type *t, calve_json_writer *w);
/* The members "type":"struct","fields":[…] only, into an object that is open (schemas add more). */
void calve_struct_write_json_members(const calve_type *t, calve_json_writer *w);

/* Whether reading data of `from` as `to` is a legal promotion in a table of that format version
 * (equal types count). [spec: Schema Evolution] */
bool calve_type_promotable(const calve_type *from, const calve_type *to, int format_version);

#endif
