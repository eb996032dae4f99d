/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/avro_reader.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "codec/avro_program.h"

/* Header entries that are kept: tables with long schemas have few of them, only long values. */
#define META_MAX 10000

static calve_status corrupt(const calve_avro_file *f, const char *at, calve_error *err,
                            const char *what) {
  return calve_fail_at(err, CALVE_ECORRUPT, f->where, at - f->bytes.data,
                       "the Avro file is damaged: %s", what);
}

static bool read_text(const char **at, const char *end, calve_str *out) {
  int64_t size;
  if (!calve_avro__read_long(at, end, &size) || size < 0 || size > end - *at) return false;
  *out = (calve_str){*at, (size_t)size};
  *at += size;
  return true;
}

/* The header's map<bytes>; all block forms are legal here too. */
static calve_status read_meta(calve_avro_file *f, const char **at, const char *end,
                              calve_buffer *found, calve_error *err) {
  for (;;) {
    int64_t count, size_bytes;
    if (!calve_avro__next_items(at, end, &count, &size_bytes)) {
      return corrupt(f, *at, err, "its header has no valid map of properties");
    }
    if (count == 0) return CALVE_OK;
    for (int64_t i = 0; i < count; i++) {
      calve_avro_meta entry;
      if (!read_text(at, end, &entry.key) || !read_text(at, end, &entry.value)) {
        return corrupt(f, *at, err, "a property of its header is cut off");
      }
      if (CALVE_COUNT(found, calve_avro_meta) >= META_MAX) {
        return corrupt(f, *at, err, "its header has more than 10000 properties");
      }
      calve_buffer_put(found, &entry, sizeof entry);
    }
  }
}

static calve_status read_header(calve_avro_file *f, calve_buffer *found, calve_arena *arena,
                                calve_error *err) {
  const char *at = f->bytes.data, *end = at + f->bytes.size;
  if (f->bytes.size < 4 || memcmp(at, "Obj\1", 4) != 0) {
    return calve_fail_at(err, CALVE_ECORRUPT, f->where, 0,
                         "this is no Avro file: it does not start with \"Obj\" and 1");
  }
  at += 4;
  CALVE_TRY(read_meta(f, &at, end, found, err));
  CALVE_TRY(calve_buffer_check(found, err));
  if (end - at < 16) return corrupt(f, at, err, "it ends before the sync marker of its header");
  memcpy(f->sync, at, 16);
  f->at = (size_t)(at + 16 - f->bytes.data);

  f->meta_count = CALVE_COUNT(found, calve_avro_meta);
  calve_avro_meta *kept = CALVE_NEW_ARRAY(arena, calve_avro_meta, f->meta_count + 1);
  if (!kept) return calve_fail_oom(err);
  if (f->meta_count > 0) memcpy(kept, found->data, found->size);
  f->meta = kept;
  return CALVE_OK;
}

calve_str calve_avro_get_meta(const calve_avro_file *file, const char *key) {
  for (size_t i = 0; i < file->meta_count; i++) {
    if (calve_str_equal_text(file->meta[i].key, key)) return file->meta[i].value;
  }
  return (calve_str){0};
}

/* A codec that Avro has and we have not, or a name that damage made. [Avro: Required Codecs] */
static calve_status bad_codec(calve_str codec, const char *where, calve_status status,
                              calve_error *err) {
  bool known =
      calve_str_equal(codec, CALVE_STR("bzip2")) || calve_str_equal(codec, CALVE_STR("xz"));
  calve_error_set_where(err, where);
  if (known) return status;
  if (err) err->code = CALVE_ECORRUPT;
  return CALVE_ECORRUPT;
}

calve_status calve_avro_open_head(calve_str bytes, const char *where, calve_arena *arena,
                                  calve_avro_file *out, calve_str *schema, calve_error *err) {
  calve_avro_file f = {.bytes = bytes, .where = where};
  if (!bytes.data) f.bytes = (calve_str){"", 0};
  calve_buffer found;
  calve_buffer_init(&found, arena->allocator);
  calve_status status = read_header(&f, &found, arena, err);
  calve_buffer_free(&found);
  CALVE_TRY(status);

  calve_str codec = calve_avro_get_meta(&f, "avro.codec");
  f.codec_id = CALVE_CODEC_NULL;
  if (codec.data) {
    status = calve_codec_by_name(codec, &f.codec_id, err);
    if (status != CALVE_OK) return bad_codec(codec, where, status, err);
  }
  *schema = calve_avro_get_meta(&f, "avro.schema");
  if (!schema->data) {
    return calve_fail(err, CALVE_ECORRUPT, where, "the Avro file has no schema (avro.schema)");
  }
  *out = f;
  return CALVE_OK;
}

calve_status calve_avro_parse_records(calve_str schema, const char *where, calve_arena *arena,
                                      const calve_avro_type **out, calve_error *err) {
  const calve_avro_type *type;
  CALVE_TRY(calve_avro_schema_parse(schema, where, arena, &type, err));
  if (type->id != CALVE_AVRO_RECORD) {
    return calve_fail(err, CALVE_ECORRUPT, where, "the Avro file does not hold records");
  }
  *out = type;
  return CALVE_OK;
}

calve_status calve_avro_open(calve_str bytes, const char *where, calve_arena *arena,
                             calve_avro_file *out, calve_error *err) {
  calve_avro_file f;
  calve_str schema;
  CALVE_TRY(calve_avro_open_head(bytes, where, arena, &f, &schema, err));
  CALVE_TRY(calve_avro_parse_records(schema, where, arena, &f.schema, err));
  *out = f;
  return CALVE_OK;
}

/* Frames one block: its counts, its stored bytes and its sync marker. */
static calve_status frame_block(calve_avro_file *f, calve_avro_block *block, calve_str *stored,
                                calve_error *err) {
  const char *start = f->bytes.data + f->at, *end = f->bytes.data + f->bytes.size, *at = start;
  int64_t count, size;
  if (!calve_avro__read_long(&at, end, &count) || !calve_avro__read_long(&at, end, &size)) {
    return corrupt(f, start, err, "the head of a block is cut off");
  }
  if (count < 0 || size < 0) return corrupt(f, start, err, "a block has a negative size or count");
  if (size > end - at || end - at - size < 16) {
    return corrupt(f, start, err, "a block is longer than the rest of the file");
  }
  *stored = (calve_str){at, (size_t)size};
  at += size;
  if (memcmp(at, f->sync, 16) != 0) {
    return corrupt(f, at, err, "a block does not end with the file's sync marker");
  }
  block->record_count = count;
  block->byte_offset = start - f->bytes.data;
  f->at = (size_t)(at + 16 - f->bytes.data);
  return CALVE_OK;
}

/* How many bytes a block may inflate to. Blocks of writers inflate to kilobytes, at most a few
 * times their size; one that is tiny, or claims few records, and inflates to hundreds of megabytes
 * is made to take memory. */
static size_t block_max(size_t stored_bytes, int64_t record_count) {
  const size_t always = CALVE_MANIFEST_BLOCK_ALWAYS, most = CALVE_MANIFEST_BLOCK_MAX;
  size_t by_size = always, by_records = most;
  if (stored_bytes > always / CALVE_MANIFEST_RATIO_MAX)
    by_size = stored_bytes < most ? stored_bytes * CALVE_MANIFEST_RATIO_MAX : most;
  if ((uint64_t)record_count < most / CALVE_MANIFEST_RECORD_MAX)
    by_records = always + (size_t)record_count * CALVE_MANIFEST_RECORD_MAX;
  size_t least = by_size < by_records ? by_size : by_records;
  return least < most ? least : most;
}

calve_status calve_avro_next_block(calve_avro_file *file, calve_codec *codec,
                                   calve_buffer *inflated, calve_avro_block *out, bool *more,
                                   calve_error *err) {
  while (file->at < file->bytes.size) {
    calve_avro_block block = {0};
    calve_str stored;
    CALVE_TRY(frame_block(file, &block, &stored, err));
    if (block.record_count == 0 && stored.size == 0) continue;
    if (file->codec_id == CALVE_CODEC_NULL) {
      block.data = stored;
    } else {
      calve_status status =
          calve_decompress(codec, file->codec_id, stored,
                           block_max(stored.size, block.record_count), inflated, err);
      if (status != CALVE_OK) {
        calve_error_set_where(err, file->where);
        if (err) err->byte_offset = block.byte_offset;
        return status;
      }
      block.data = calve_buffer_view(inflated);
      if (!block.data.data) block.data = (calve_str){"", 0};
    }
    if (block.record_count == 0) {
      if (block.data.size == 0) continue;
      return corrupt(file, file->bytes.data + block.byte_offset, err,
                     "a block claims no records, but has bytes");
    }
    size_t least = file->schema->min_bytes > 0 ? file->schema->min_bytes : 1;
    if ((uint64_t)block.record_count > block.data.size / least) {
      return corrupt(file, file->bytes.data + block.byte_offset, err,
                     "a block claims more records than its bytes can hold");
    }
    *out = block;
    *more = true;
    return CALVE_OK;
  }
  *more = false;
  return CALVE_OK;
}

void calve_avro_decode_fail(const calve_avro_file *file, const calve_avro_block *block,
                            int64_t record_index, calve_error *err) {
  if (!err) return;
  calve_error_set_where(err, file->where);
  if (err->code == CALVE_ENOMEM) return;
  err->byte_offset = block->byte_offset;
  calve_error_prefix(err, "record %lld of the Avro block at byte %lld", (long long)record_index,
                     (long long)block->byte_offset);
}
