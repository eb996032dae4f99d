/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/avro_writer.h"

#include <string.h>

#include "base/text.h"

void calve_avro_put_long(calve_buffer *b, int64_t v) {
  uint64_t zigzag = ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
  char bytes[10];
  size_t n = 0;
  for (; zigzag >= 0x80; zigzag >>= 7) bytes[n++] = (char)(uint8_t)(zigzag | 0x80);
  bytes[n++] = (char)(uint8_t)zigzag;
  calve_buffer_put(b, bytes, n);
}

void calve_avro_put_bool(calve_buffer *b, bool v) {
  calve_buffer_putc(b, v ? 1 : 0);
}

void calve_avro_put_float(calve_buffer *b, float v) {
  calve_buffer_put(b, &v, sizeof v);
}

void calve_avro_put_double(calve_buffer *b, double v) {
  calve_buffer_put(b, &v, sizeof v);
}

void calve_avro_put_bytes(calve_buffer *b, calve_str s) {
  calve_avro_put_long(b, (int64_t)s.size);
  calve_buffer_put_str(b, s);
}

/* ---- the container -------------------------------------------------------------------------- */

static void put_meta(calve_buffer *b, const char *key, calve_str value) {
  calve_avro_put_bytes(b, calve_str_of(key));
  calve_avro_put_bytes(b, value);
}

void calve_avro_writer_open(calve_avro_writer *w, calve_buffer *out,
                            const calve_avro_writer_options *options) {
  *w = (calve_avro_writer){.out = out, .codec_id = options->codec_id, .level = options->level};
  calve_buffer_init(&w->block, options->allocator);
  calve_codec_init(&w->codec, options->allocator);
  memcpy(w->sync, options->sync, 16);

  calve_buffer_put(out, "Obj\1", 4);
  calve_avro_put_long(out, (int64_t)options->meta_count + 2);
  put_meta(out, "avro.schema", options->schema_json);
  put_meta(out, "avro.codec", calve_str_of(calve_codec_name(options->codec_id)));
  for (size_t i = 0; i < options->meta_count; i++) {
    calve_avro_put_bytes(out, options->meta[i].key);
    calve_avro_put_bytes(out, options->meta[i].value);
  }
  calve_avro_put_long(out, 0);
  calve_buffer_put(out, w->sync, 16);
}

void calve_avro_writer_free(calve_avro_writer *w) {
  calve_buffer_free(&w->block);
  calve_codec_free(&w->codec);
  w->out = NULL;
}

static calve_status close_block(calve_avro_writer *w, calve_error *err) {
  CALVE_TRY(calve_buffer_check(&w->block, err));
  if (w->block_records == 0) return CALVE_OK;
  calve_avro_put_long(w->out, w->block_records);
  if (w->codec_id == CALVE_CODEC_NULL) {
    calve_avro_put_bytes(w->out, calve_buffer_view(&w->block));
  } else {
    calve_buffer stored;
    calve_buffer_init(&stored, w->block.allocator);
    calve_status status = calve_compress(&w->codec, w->codec_id, w->level,
                                         calve_buffer_view(&w->block), &stored, err);
    if (status == CALVE_OK) calve_avro_put_bytes(w->out, calve_buffer_view(&stored));
    calve_buffer_free(&stored);
    CALVE_TRY(status);
  }
  calve_buffer_put(w->out, w->sync, 16);
  calve_buffer_clear(&w->block);
  w->block_records = 0;
  return calve_buffer_check(w->out, err);
}

calve_status calve_avro_end_record(calve_avro_writer *w, calve_error *err) {
  w->block_records++;
  return w->block.size >= CALVE_AVRO_BLOCK_BYTES ? close_block(w, err) : CALVE_OK;
}

calve_status calve_avro_writer_finish(calve_avro_writer *w, calve_error *err) {
  CALVE_TRY(close_block(w, err));
  return calve_buffer_check(w->out, err);
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool is_letter(uint32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool is_digit(uint32_t c) {
  return c >= '0' && c <= '9';
}

bool calve_avro_name_is_safe(calve_str name) {
  for (size_t i = 0; i < name.size; i++) {
    uint32_t c = (uint8_t)name.data[i];
    if (!is_letter(c) && c != '_' && !(i > 0 && is_digit(c))) return false;
  }
  return name.size > 0;
}

void calve_avro_put_safe_name(calve_buffer *b, calve_str name) {
  if (name.size == 0) calve_buffer_putc(b, '_');
  for (size_t i = 0; i < name.size;) {
    uint32_t c;
    size_t length = calve_utf8_decode((calve_str){name.data + i, name.size - i}, &c);
    if (length == 0) {
      c = (uint8_t)name.data[i];
      length = 1;
    }
    if (is_letter(c) || c == '_') {
      calve_buffer_putc(b, (char)c);
    } else if (is_digit(c)) {
      if (i == 0) calve_buffer_putc(b, '_');
      calve_buffer_putc(b, (char)c);
    } else if (c > 0xffff) {
      calve_buffer_printf(b, "_x%X_x%X", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
    } else {
      calve_buffer_printf(b, "_x%X", c);
    }
    i += length;
  }
}
