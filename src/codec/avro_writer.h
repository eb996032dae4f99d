/* SPDX-License-Identifier: Apache-2.0 */
/* codec/avro_writer: Avro object container files, and Avro's primitive encodings.
 * In: a schema's JSON, header entries, values. Out: the bytes of a file in a buffer.
 * For track; no other room writes Avro. Never checks that values fit the schema: the caller made
 * both. Allocation failures are remembered and reported by finish. [spec: Appendix A: Avro] */
#ifndef CALVE_CODEC_AVRO_WRITER_H
#define CALVE_CODEC_AVRO_WRITER_H

#include "base/buffer.h"
#include "codec/avro_reader.h"
#include "codec/compression.h"

/* Plain bytes of a block before it is closed; readers work block by block. */
#define CALVE_AVRO_BLOCK_BYTES 65536

typedef struct calve_avro_writer {
  calve_buffer *out; /* the file so far, the caller's                                           */
  calve_buffer block;
  int64_t block_records;
  calve_codec codec;
  calve_codec_id codec_id;
  int level;
  uint8_t sync[16];
} calve_avro_writer;

typedef struct calve_avro_writer_options {
  calve_str schema_json;
  const calve_avro_meta *meta; /* besides avro.schema and avro.codec                            */
  size_t meta_count;
  calve_codec_id codec_id;
  int level;           /* < 0: the codec's default                                              */
  const uint8_t *sync; /* 16 bytes                                                              */
  const calve_allocator *allocator;
} calve_avro_writer_options;

/* Starts a file in `out` (appended to); all of the options is used up before it returns. Free the
 * writer in any case, finished or not. */
void calve_avro_writer_open(calve_avro_writer *w, calve_buffer *out,
                            const calve_avro_writer_options *options);
void calve_avro_writer_free(calve_avro_writer *w);
/* Encode a record with the puts below into &w->block, then end it; a full block goes out. */
CALVE_MUST_USE calve_status calve_avro_end_record(calve_avro_writer *w, calve_error *err);
CALVE_MUST_USE calve_status calve_avro_writer_finish(calve_avro_writer *w, calve_error *err);

void calve_avro_put_long(calve_buffer *b, int64_t v); /* int, long, enum, union branch, counts  */
void calve_avro_put_bool(calve_buffer *b, bool v);
void calve_avro_put_float(calve_buffer *b, float v);
void calve_avro_put_double(calve_buffer *b, double v);
void calve_avro_put_bytes(calve_buffer *b, calve_str s); /* bytes and string                    */

/* Appends a name made valid for Avro the way the reference does it: "a.b" is "a_x2Eb", "9x" is
 * "_9x"; code points above U+FFFF as two UTF-16 units. [reference: names of partition fields] */
void calve_avro_put_safe_name(calve_buffer *b, calve_str name);
bool calve_avro_name_is_safe(calve_str name);

#endif
