/* SPDX-License-Identifier: Apache-2.0 */
/* codec/avro_reader: Avro object container files, decoded straight into C structs.
 * In: the bytes of a file and a table of wanted fields. Out: blocks, and records in the caller's
 * structs whose strings point into the block. For track; no other room reads Avro.
 * Never builds generic values, never reads outside the bytes it was given, never trusts a count or
 * a length. [spec: Manifests; Appendix A: Avro]
 *
 * The writer's schema and the wanted fields are compiled once into a flat program; each record is
 * one run of it. Fields nobody wants are skipped, long maps of numbers 16 bytes at a time. */
#ifndef CALVE_CODEC_AVRO_READER_H
#define CALVE_CODEC_AVRO_READER_H

#include "base/buffer.h"
#include "codec/avro_schema.h"
#include "codec/compression.h"

/* ---- the container -------------------------------------------------------------------------- */

typedef struct calve_avro_meta {
  calve_str key, value;
} calve_avro_meta;

typedef struct calve_avro_file {
  calve_str bytes;   /* the whole file, borrowed                                                */
  const char *where; /* names it in errors, borrowed                                            */
  size_t at;         /* the next block starts here                                              */
  calve_codec_id codec_id;
  uint8_t sync[16];
  const calve_avro_type *schema;
  size_t meta_count;
  const calve_avro_meta *meta; /* values point into bytes                                       */
} calve_avro_file;

/* Reads the header. CALVE_ECORRUPT (offset and file named) when it is no Avro file or damaged;
 * CALVE_EUNSUPPORTED names an unknown codec. */
CALVE_MUST_USE calve_status calve_avro_open(calve_str bytes, const char *where, calve_arena *arena,
                                            calve_avro_file *out, calve_error *err);
/* The two halves of it, for files whose schemas are alike: out->schema is NULL, to be set to what
 * the text parses to; *schema points into the bytes. */
CALVE_MUST_USE calve_status calve_avro_open_head(calve_str bytes, const char *where,
                                                 calve_arena *arena, calve_avro_file *out,
                                                 calve_str *schema, calve_error *err);
CALVE_MUST_USE calve_status calve_avro_parse_records(calve_str schema, const char *where,
                                                     calve_arena *arena,
                                                     const calve_avro_type **out,
                                                     calve_error *err);
calve_str calve_avro_get_meta(const calve_avro_file *file, const char *key); /* absent: no key */

typedef struct calve_avro_block {
  int64_t record_count;
  calve_str data;      /* plain; in the file's bytes or in the buffer that inflates             */
  int64_t byte_offset; /* of the block in the file, for errors                                  */
} calve_avro_block;

/* The next block with records; *more is false at the end of the file, *out is then untouched.
 * `inflated` holds the block's data if the codec needs it (it keeps its memory between calls). */
CALVE_MUST_USE calve_status calve_avro_next_block(calve_avro_file *file, calve_codec *codec,
                                                  calve_buffer *inflated, calve_avro_block *out,
                                                  bool *more, calve_error *err);

/* ---- what the caller wants ------------------------------------------------------------------ */

/* Lists in target structs; items NULL: the list was null. The memory is the decode's arena. */
typedef struct calve_i32_list {
  const int32_t *items;
  size_t count;
} calve_i32_list;

typedef struct calve_i64_list {
  const int64_t *items;
  size_t count;
} calve_i64_list;

typedef struct calve_id_i64 {
  int32_t id;
  int64_t value;
} calve_id_i64;

typedef struct calve_id_bytes {
  int32_t id;
  calve_str value;
} calve_id_bytes;

/* Maps by field id, sorted by id. An id that the file gives twice is left out: nothing is known
 * about it then (where only some ids are wanted, one of the two may stay). */
typedef struct calve_id_i64_list {
  const calve_id_i64 *items;
  size_t count;
} calve_id_i64_list;

typedef struct calve_id_bytes_list {
  const calve_id_bytes *items;
  size_t count;
} calve_id_bytes_list;

typedef struct calve_record_list {
  void *items;
  size_t count;
} calve_record_list;

/* What the target in the C struct is. A null in the file leaves the target alone: the caller
 * fills the struct with the values that stand for null before it decodes. */
typedef enum calve_avro_target {
  CALVE_AVRO_TO_BOOL,      /* bool                                                              */
  CALVE_AVRO_TO_I32,       /* int32_t; from int or long in range                                */
  CALVE_AVRO_TO_I64,       /* int64_t; from int or long                                         */
  CALVE_AVRO_TO_STR,       /* calve_str; from string, bytes or fixed                            */
  CALVE_AVRO_TO_SCALAR,    /* calve_avro_scalar; from any type that is no record, list or map   */
  CALVE_AVRO_TO_RECORD,    /* `fields` with offsets from the same struct                        */
  CALVE_AVRO_TO_RECORD_AT, /* void *: `fields` have offsets from where it points                */
  CALVE_AVRO_TO_I32_LIST,
  CALVE_AVRO_TO_I64_LIST,
  CALVE_AVRO_TO_ID_I64,   /* calve_id_i64_list; from an array of key-value records             */
  CALVE_AVRO_TO_ID_BYTES, /* calve_id_bytes_list                                               */
  CALVE_AVRO_TO_RECORDS   /* calve_record_list of structs of item_size bytes                   */
} calve_avro_target;

/* One value of whatever type the writer used. */
typedef struct calve_avro_scalar {
  bool is_set; /* false: null in the file                                                       */
  union {
    int64_t i64; /* boolean, int, long, enum                                                    */
    double f64; /* float and double: one may be read where the other was written                */
  };
  calve_str bytes; /* string, bytes, fixed                                                      */
} calve_avro_scalar;

typedef struct calve_avro_want {
  int32_t field_id;
  const char *name; /* used when the file has no field ids; for messages                        */
  calve_avro_target target;
  bool required; /* the writer's schema must have it, and no value may be null                  */
  size_t offset; /* of the target in its struct                                                 */
  const struct calve_avro_want *fields; /* RECORD, RECORD_AT, RECORDS                           */
  size_t field_count;
  size_t item_size;         /* RECORDS: size of a struct                                         */
  const void *item_blank;   /* RECORDS: what each struct starts as; NULL: zero                   */
  int32_t key_id, value_id; /* ID_I64, ID_BYTES: field ids of the pair                          */
  const int32_t *only_ids;  /* ID_I64, ID_BYTES: keep these (sorted) and skip the rest;         */
  size_t only_count;        /* only_ids NULL: keep all                                          */
} calve_avro_want;

typedef struct calve_avro_program calve_avro_program;

typedef struct calve_avro_options {
  /* Fixed values below this record field (by id) carry a length in front: a fault of one writer
   * (see docs). 0: none. */
  int32_t prefixed_fixed_in;
} calve_avro_options;

/* `schema` must be a record. CALVE_ECORRUPT names a required field that is missing and a field
 * whose type cannot become its target. The program lives in the arena and may be shared between
 * threads. options may be NULL. */
CALVE_MUST_USE calve_status calve_avro_compile(const calve_avro_type *schema,
                                               const calve_avro_want *wants, size_t want_count,
                                               const calve_avro_options *options, const char *where,
                                               calve_arena *arena, const calve_avro_program **out,
                                               calve_error *err);

/* What was learned from the records before: where the next is alike, comparing costs less than
 * reading. Nothing in it is believed unchecked, so that hints may be used with any program and
 * data; for one thread at a time. */
typedef struct calve_avro_hints calve_avro_hints;

calve_avro_hints *calve_avro_hints_make(calve_arena *arena); /* NULL: out of memory             */
/* To be called before the first record of a block, so that what a block's records are read as
 * depends on nothing before it. */
void calve_avro_hints_restart(calve_avro_hints *hints);

/* Decodes one record at *at and moves *at behind it. Lists are made in `arena`; strings point into
 * the data. CALVE_ECORRUPT when the data is damaged; `record` may then be half filled, *at stands
 * somewhere inside. Errors carry no place: calve_avro_decode_fail adds it. */
CALVE_MUST_USE calve_status calve_avro_decode(const calve_avro_program *program, const char **at,
                                              const char *end, void *record,
                                              calve_avro_hints *hints, calve_arena *arena,
                                              calve_error *err);

/* Puts file, block offset and record number into an error that calve_avro_decode left. */
void calve_avro_decode_fail(const calve_avro_file *file, const calve_avro_block *block,
                            int64_t record_index, calve_error *err);

#endif
