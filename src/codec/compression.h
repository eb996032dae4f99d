/* SPDX-License-Identifier: Apache-2.0 */
/* codec/compression: whole-buffer compression for Avro blocks and metadata files.
 * In: bytes. Out: bytes in a buffer. May be used by every room below. Never writes more than the
 * cap it is given: a bomb is an error, not an allocation. */
#ifndef CALVE_CODEC_COMPRESSION_H
#define CALVE_CODEC_COMPRESSION_H

#include "base/buffer.h"

typedef enum calve_codec_id {
  CALVE_CODEC_NULL,
  CALVE_CODEC_DEFLATE, /* raw RFC 1951, as Avro has it                                          */
  CALVE_CODEC_SNAPPY,  /* Avro's form: the CRC-32 of the content follows, big-endian            */
  CALVE_CODEC_ZSTD,
  CALVE_CODEC_GZIP     /* metadata files; several members are read as one                       */
} calve_codec_id;

/* Keeps a codec's working state between calls (one thread at a time), so that a block costs no
 * allocation. Zero it to start; free it at the end. */
typedef struct calve_codec {
  const calve_allocator *allocator;
  void *inflate, *deflate; /* libdeflate's                                                      */
  int deflate_level;
  void *zstd_reader, *zstd_writer;
} calve_codec;

void calve_codec_init(calve_codec *codec, const calve_allocator *allocator);
void calve_codec_free(calve_codec *codec);

/* Avro names: "null", "deflate", "snappy", "zstandard". CALVE_EUNSUPPORTED names the codec. */
CALVE_MUST_USE calve_status calve_codec_by_name(calve_str name, calve_codec_id *out,
                                                calve_error *err);
const char *calve_codec_name(calve_codec_id id);

/* Replaces out's content; on failure out is empty. out keeps its memory between calls. max_bytes
 * caps the result. CALVE_ECORRUPT for damaged input or a result above the cap. */
CALVE_MUST_USE calve_status calve_decompress(calve_codec *codec, calve_codec_id id, calve_str in,
                                             size_t max_bytes, calve_buffer *out,
                                             calve_error *err);
/* Appends to out. level < 0 is the codec's default; deflate and gzip have 0..12, zstd 1..22.
 * CALVE_EINVAL for another level. */
CALVE_MUST_USE calve_status calve_compress(calve_codec *codec, calve_codec_id id, int level,
                                           calve_str in, calve_buffer *out, calve_error *err);

#endif
