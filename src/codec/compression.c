/* SPDX-License-Identifier: Apache-2.0 */
/* Reading. Neither Avro blocks nor streamed zstd frames say how long their content is, so each
 * decoder is a function that fills the memory it is given or asks for more; one loop owns growth
 * and the cap. The buffer keeps its memory from block to block, so that mostly the first try fits.
 */
#include "codec/compression.h"

#include <assert.h>
#include <libdeflate.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>
#if CALVE_HAVE_SNAPPY
#include <snappy-c.h>
#endif

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"

typedef enum verdict { DONE, NEEDS_SPACE, DAMAGED, OUT_OF_MEMORY } verdict;
typedef verdict decoder(calve_codec *codec, calve_str in, char *to, size_t room, size_t *size);

static const struct {
  const char *name;
  calve_codec_id id;
} avro_names[] = {{"null", CALVE_CODEC_NULL},
                  {"deflate", CALVE_CODEC_DEFLATE},
                  {"snappy", CALVE_CODEC_SNAPPY},
                  {"zstandard", CALVE_CODEC_ZSTD}};

void calve_codec_init(calve_codec *codec, const calve_allocator *allocator) {
  *codec = (calve_codec){.allocator = allocator};
}

void calve_codec_free(calve_codec *codec) {
  if (!codec) return;
  if (codec->inflate) libdeflate_free_decompressor(codec->inflate);
  if (codec->deflate) libdeflate_free_compressor(codec->deflate);
  ZSTD_freeDCtx(codec->zstd_reader);
  ZSTD_freeCCtx(codec->zstd_writer);
  calve_codec_init(codec, codec->allocator);
}

calve_status calve_codec_by_name(calve_str name, calve_codec_id *out, calve_error *err) {
  for (size_t i = 0; i < sizeof avro_names / sizeof *avro_names; i++) {
    if (!calve_str_equal_text(name, avro_names[i].name)) continue;
    *out = avro_names[i].id;
    return CALVE_OK;
  }
  return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                    "compression codec \"%.*s\" is not one of null, deflate, snappy, zstandard",
                    CALVE_STR_ARG(name));
}

const char *calve_codec_name(calve_codec_id id) {
  if (id == CALVE_CODEC_GZIP) return "gzip";
  for (size_t i = 0; i < sizeof avro_names / sizeof *avro_names; i++)
    if (avro_names[i].id == id) return avro_names[i].name;
  return "unknown";
}

/* ---- one try ------------------------------------------------------------------------------ */

static verdict verdict_of(enum libdeflate_result result) {
  if (result == LIBDEFLATE_SUCCESS) return DONE;
  return result == LIBDEFLATE_INSUFFICIENT_SPACE ? NEEDS_SPACE : DAMAGED;
}

static bool has_inflate(calve_codec *codec) {
  if (!codec->inflate) codec->inflate = libdeflate_alloc_decompressor();
  return codec->inflate != NULL;
}

/* Bytes behind the end of the stream are ignored: a widespread Python writer leaves three bytes of
 * zlib's checksum there. */
static verdict try_deflate(calve_codec *codec, calve_str in, char *to, size_t room, size_t *size) {
  if (!has_inflate(codec)) return OUT_OF_MEMORY;
  size_t consumed;
  return verdict_of(libdeflate_deflate_decompress_ex(codec->inflate, in.data, in.size, to, room,
                                                     &consumed, size));
}

static bool all_zero(const char *p, size_t size) {
  return size == 0 || (p[0] == 0 && memcmp(p, p + 1, size - 1) == 0);
}

/* RFC 1952: members stand one behind the other. Zeros at the end are padding. */
static verdict try_gzip(calve_codec *codec, calve_str in, char *to, size_t room, size_t *size) {
  if (!has_inflate(codec)) return OUT_OF_MEMORY;
  size_t total = 0;
  do {
    size_t consumed = 0, produced = 0;
    verdict v = verdict_of(libdeflate_gzip_decompress_ex(
        codec->inflate, in.data, in.size, to + total, room - total, &consumed, &produced));
    if (v != DONE) return v;
    total += produced;
    in.data += consumed;
    in.size -= consumed;
  } while (!all_zero(in.data, in.size));
  *size = total;
  return DONE;
}

/* In one shot, for a window in memory of its own, as a stream needs, is what a hostile frame would
 * ask 128 MiB for. */
static verdict try_zstd(calve_codec *codec, calve_str in, char *to, size_t room, size_t *size) {
  if (!codec->zstd_reader) codec->zstd_reader = ZSTD_createDCtx();
  if (!codec->zstd_reader) return OUT_OF_MEMORY;
  size_t n = ZSTD_decompressDCtx(codec->zstd_reader, to, room, in.data, in.size);
  if (ZSTD_isError(n))
    return ZSTD_getErrorCode(n) == ZSTD_error_dstSize_tooSmall ? NEEDS_SPACE : DAMAGED;
  *size = n;
  return DONE;
}

#if CALVE_HAVE_SNAPPY
static verdict try_snappy(calve_codec *codec, calve_str in, char *to, size_t room, size_t *size) {
  (void)codec;
  if (in.size < 4) return DAMAGED;
  size_t body = in.size - 4, n = 0;
  if (snappy_uncompressed_length(in.data, body, &n) != SNAPPY_OK) return DAMAGED;
  if (n / 64 > body) return DAMAGED; /* three bytes give at most 64 */
  if (n > room) return NEEDS_SPACE;
  if (snappy_uncompress(in.data, body, to, &n) != SNAPPY_OK) return DAMAGED;
  uint32_t crc = calve_load_be32((const uint8_t *)in.data + body);
  if (libdeflate_crc32(0, to, n) != crc) return DAMAGED;
  *size = n;
  return DONE;
}
#endif

static verdict try_copy(calve_codec *codec, calve_str in, char *to, size_t room, size_t *size) {
  (void)codec;
  if (in.size > room) return NEEDS_SPACE;
  if (in.size > 0) memcpy(to, in.data, in.size);
  *size = in.size;
  return DONE;
}

/* ---- the loop ----------------------------------------------------------------------------- */

static decoder *decoder_of(calve_codec_id id) {
  switch (id) {
    case CALVE_CODEC_NULL:
      return try_copy;
    case CALVE_CODEC_DEFLATE:
      return try_deflate;
    case CALVE_CODEC_GZIP:
      return try_gzip;
    case CALVE_CODEC_ZSTD:
      return try_zstd;
    case CALVE_CODEC_SNAPPY:
#if CALVE_HAVE_SNAPPY
      return try_snappy;
#else
      return NULL;
#endif
  }
  return NULL;
}

/* How long the content says it is, where the format says so; else a guess. Never believed beyond
 * what deflate could make of the input: more is taken only when a try has filled what there was. */
static size_t first_room(calve_codec_id id, calve_str in) {
  size_t guess = in.size < SIZE_MAX / 8 ? in.size * 6 : in.size, likely = guess;
  size_t most = in.size < SIZE_MAX / 2048 ? in.size * CALVE_INFLATE_RATIO_MAX : SIZE_MAX;
  if (id == CALVE_CODEC_NULL) return in.size;
  if (id == CALVE_CODEC_GZIP && in.size >= 18)
    likely = calve_load_le32((const uint8_t *)in.data + in.size - 4);
  if (id == CALVE_CODEC_ZSTD) {
    unsigned long long n = ZSTD_getFrameContentSize(in.data, in.size);
    if (n != ZSTD_CONTENTSIZE_UNKNOWN && n != ZSTD_CONTENTSIZE_ERROR) likely = (size_t)n;
  }
#if CALVE_HAVE_SNAPPY
  if (id == CALVE_CODEC_SNAPPY && in.size >= 4 &&
      snappy_uncompressed_length(in.data, in.size - 4, &likely) != SNAPPY_OK)
    likely = guess;
#endif
  return likely <= most ? likely : guess;
}

calve_status calve_decompress(calve_codec *codec, calve_codec_id id, calve_str in, size_t max_bytes,
                              calve_buffer *out, calve_error *err) {
  calve_buffer_clear(out);
  decoder *decode = decoder_of(id);
  if (!decode)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL, "this build can't read %s data",
                      calve_codec_name(id));
  if (!in.data) in = (calve_str){"", 0};
  size_t room = first_room(id, in);
  if (room < calve_buffer_room(out)) room = calve_buffer_room(out);
  for (;;) {
    if (room > max_bytes) room = max_bytes;
    size_t size = 0;
    char *to = calve_buffer_reserve(out, room);
    verdict v = to ? decode(codec, in, to, room, &size) : OUT_OF_MEMORY;
    if (v == DONE) {
      out->size = size;
      return CALVE_OK;
    }
    if (v == OUT_OF_MEMORY) return calve_fail_oom(err);
    if (v == DAMAGED)
      return calve_fail(err, CALVE_ECORRUPT, NULL, "%zu bytes of %s data are damaged or cut off",
                        in.size, calve_codec_name(id));
    if (room == max_bytes)
      return calve_fail(err, CALVE_ECORRUPT, NULL,
                        "%zu bytes of %s data hold more than the %zu bytes that are allowed",
                        in.size, calve_codec_name(id), max_bytes);
    room = room < SIZE_MAX / 2 ? room * 2 + 64 : SIZE_MAX;
  }
}
