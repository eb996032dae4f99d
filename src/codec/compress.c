/* SPDX-License-Identifier: Apache-2.0 */
/* Writing: each encoder appends to the buffer, in room for the worst case. */
#include <libdeflate.h>
#include <string.h>
#include <zstd.h>
#if CALVE_HAVE_SNAPPY
#include <snappy-c.h>
#endif

#include "base/number.h"
#include "codec/compression.h"

#define DEFLATE_LEVEL 6
#define ZSTD_LEVEL    3

static calve_status fail_level(calve_error *err, calve_codec_id id, int level, int least,
                               int most) {
  return calve_fail(err, CALVE_EINVAL, NULL, "%s has compression levels %d to %d, not %d",
                    calve_codec_name(id), least, most, level);
}

static calve_status prepare_deflate(calve_codec *codec, calve_codec_id id, int level,
                                    calve_error *err) {
  if (level < 0) level = DEFLATE_LEVEL;
  if (level > 12) return fail_level(err, id, level, 0, 12);
  if (codec->deflate && codec->deflate_level == level) return CALVE_OK;
  if (codec->deflate) libdeflate_free_compressor(codec->deflate);
  codec->deflate = libdeflate_alloc_compressor(level);
  codec->deflate_level = level;
  return codec->deflate ? CALVE_OK : calve_fail_oom(err);
}

static calve_status put_deflate(calve_codec *codec, calve_codec_id id, int level, calve_str in,
                                calve_buffer *out, calve_error *err) {
  CALVE_TRY(prepare_deflate(codec, id, level, err));
  bool gzip = id == CALVE_CODEC_GZIP;
  size_t bound = gzip ? libdeflate_gzip_compress_bound(codec->deflate, in.size)
                      : libdeflate_deflate_compress_bound(codec->deflate, in.size);
  char *to = calve_buffer_reserve(out, bound);
  if (!to) return calve_fail_oom(err);
  out->size += gzip ? libdeflate_gzip_compress(codec->deflate, in.data, in.size, to, bound)
                    : libdeflate_deflate_compress(codec->deflate, in.data, in.size, to, bound);
  return CALVE_OK;
}

static calve_status put_zstd(calve_codec *codec, int level, calve_str in, calve_buffer *out,
                             calve_error *err) {
  if (level < 0) level = ZSTD_LEVEL;
  if (level < 1 || level > ZSTD_maxCLevel())
    return fail_level(err, CALVE_CODEC_ZSTD, level, 1, ZSTD_maxCLevel());
  if (!codec->zstd_writer) codec->zstd_writer = ZSTD_createCCtx();
  size_t bound = ZSTD_compressBound(in.size);
  char *to = calve_buffer_reserve(out, bound);
  if (!codec->zstd_writer || !to) return calve_fail_oom(err);
  size_t n = ZSTD_compressCCtx(codec->zstd_writer, to, bound, in.data, in.size, level);
  if (ZSTD_isError(n)) return calve_fail_oom(err); /* nothing else can fail in room for all */
  out->size += n;
  return CALVE_OK;
}

static calve_status put_snappy(calve_str in, calve_buffer *out, calve_error *err) {
#if CALVE_HAVE_SNAPPY
  size_t n = snappy_max_compressed_length(in.size);
  char *to = calve_buffer_reserve(out, n + 4);
  if (!to || snappy_compress(in.data, in.size, to, &n) != SNAPPY_OK) return calve_fail_oom(err);
  calve_store_be32((uint8_t *)to + n, libdeflate_crc32(0, in.data, in.size));
  out->size += n + 4;
  return CALVE_OK;
#else
  (void)in, (void)out;
  return calve_fail(err, CALVE_EUNSUPPORTED, NULL, "this build can't write snappy data");
#endif
}

calve_status calve_compress(calve_codec *codec, calve_codec_id id, int level, calve_str in,
                            calve_buffer *out, calve_error *err) {
  if (!in.data) in = (calve_str){"", 0};
  switch (id) {
    case CALVE_CODEC_NULL:
      calve_buffer_put_str(out, in);
      return calve_buffer_check(out, err);
    case CALVE_CODEC_DEFLATE:
    case CALVE_CODEC_GZIP:
      return put_deflate(codec, id, level, in, out, err);
    case CALVE_CODEC_SNAPPY:
      return put_snappy(in, out, err);
    case CALVE_CODEC_ZSTD:
      return put_zstd(codec, level, in, out, err);
  }
  return calve_fail(err, CALVE_EINVAL, NULL, "there is no codec %d", (int)id);
}
