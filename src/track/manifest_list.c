/* SPDX-License-Identifier: Apache-2.0 */
#include "track/manifest_list.h"

#include <stddef.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

/* A summary as it is decoded: every member may turn out to be missing. */
typedef struct summary_row {
  int8_t contains_null, contains_nan; /* -1: not said                                           */
  calve_str lower, upper;
} summary_row;

#define IN_SUMMARY(member) offsetof(summary_row, member)
#define IN_FILE(member)    offsetof(calve_manifest_file, member)

static const summary_row blank_summary = {.contains_null = -1, .contains_nan = -1};

static const calve_avro_want summary_wants[] = {
    {509, "contains_null", CALVE_AVRO_TO_BOOL, .offset = IN_SUMMARY(contains_null)},
    {518, "contains_nan", CALVE_AVRO_TO_BOOL, .offset = IN_SUMMARY(contains_nan)},
    {510, "lower_bound", CALVE_AVRO_TO_STR, .offset = IN_SUMMARY(lower)},
    {511, "upper_bound", CALVE_AVRO_TO_STR, .offset = IN_SUMMARY(upper)},
};

/* What a record is decoded into: the list of summaries comes as the decoder makes lists. */
typedef struct row {
  calve_manifest_file file;
  calve_record_list summaries;
} row;

static const calve_avro_want row_wants[] = {
    {500, "manifest_path", CALVE_AVRO_TO_STR, true, .offset = IN_FILE(path)},
    {501, "manifest_length", CALVE_AVRO_TO_I64, true, .offset = IN_FILE(length_bytes)},
    {502, "partition_spec_id", CALVE_AVRO_TO_I32, true, .offset = IN_FILE(spec_id)},
    {517, "content", CALVE_AVRO_TO_I32, .offset = IN_FILE(content)},
    {515, "sequence_number", CALVE_AVRO_TO_I64, .offset = IN_FILE(sequence_number)},
    {516, "min_sequence_number", CALVE_AVRO_TO_I64, .offset = IN_FILE(min_sequence_number)},
    {503, "added_snapshot_id", CALVE_AVRO_TO_I64, .offset = IN_FILE(added_snapshot_id)},
    {504, "added_files_count", CALVE_AVRO_TO_I64, .offset = IN_FILE(added_files_count)},
    {505, "existing_files_count", CALVE_AVRO_TO_I64, .offset = IN_FILE(existing_files_count)},
    {506, "deleted_files_count", CALVE_AVRO_TO_I64, .offset = IN_FILE(deleted_files_count)},
    {512, "added_rows_count", CALVE_AVRO_TO_I64, .offset = IN_FILE(added_rows_count)},
    {513, "existing_rows_count", CALVE_AVRO_TO_I64, .offset = IN_FILE(existing_rows_count)},
    {514, "deleted_rows_count", CALVE_AVRO_TO_I64, .offset = IN_FILE(deleted_rows_count)},
    {507, "partitions", CALVE_AVRO_TO_RECORDS, .offset = offsetof(row, summaries),
     .fields = summary_wants, .field_count = sizeof summary_wants / sizeof *summary_wants,
     .item_size = sizeof(summary_row), .item_blank = &blank_summary},
    {519, "key_metadata", CALVE_AVRO_TO_STR, .offset = IN_FILE(key_metadata)},
    {520, "first_row_id", CALVE_AVRO_TO_I64, .offset = IN_FILE(first_row_id)},
};

calve_manifest_file calve_manifest_file_blank(void) {
  return (calve_manifest_file){.spec_id = -1,
                               .added_snapshot_id = CALVE_UNSET,
                               .added_files_count = CALVE_UNSET,
                               .existing_files_count = CALVE_UNSET,
                               .deleted_files_count = CALVE_UNSET,
                               .added_rows_count = CALVE_UNSET,
                               .existing_rows_count = CALVE_UNSET,
                               .deleted_rows_count = CALVE_UNSET,
                               .first_row_id = CALVE_UNSET};
}

bool calve_manifest_file_is_counted(const calve_manifest_file *m) {
  return m->added_files_count >= 0 && m->existing_files_count >= 0 &&
         m->deleted_files_count >= 0 && m->added_rows_count >= 0 && m->existing_rows_count >= 0 &&
         m->deleted_rows_count >= 0;
}

bool calve_manifest_may_have_live_files(const calve_manifest_file *m) {
  return m->added_files_count != 0 || m->existing_files_count != 0;
}

calve_status calve_manifest_file_copy(const calve_manifest_file *m, calve_arena *arena,
                                      calve_manifest_file *out, calve_error *err) {
  calve_manifest_file c = *m;
  CALVE_TRY(calve_arena_str(arena, m->path, &c.path, err));
  CALVE_TRY(calve_arena_str(arena, m->key_metadata, &c.key_metadata, err));
  if (m->partitions) {
    calve_field_summary *copies = CALVE_NEW_ARRAY(arena, calve_field_summary, m->partition_count);
    if (!copies) return calve_fail_oom(err);
    for (size_t i = 0; i < m->partition_count; i++) {
      copies[i] = m->partitions[i];
      CALVE_TRY(calve_arena_str(arena, m->partitions[i].lower, &copies[i].lower, err));
      CALVE_TRY(calve_arena_str(arena, m->partitions[i].upper, &copies[i].upper, err));
    }
    c.partitions = copies;
  }
  *out = c;
  return CALVE_OK;
}

/* Old versions of Java took the -1 rows of an Avro file that they imported into their sums. */
static void forget_wrong_sums(calve_manifest_file *m) {
  int64_t *rows[] = {&m->added_rows_count, &m->existing_rows_count, &m->deleted_rows_count};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (*rows[i] < 0) *rows[i] = CALVE_UNSET;
}

static calve_status check(const calve_manifest_file *m, calve_error *err) {
  const char *what = NULL;
  if (m->path.size == 0) what = "it has no path";
  if (m->path.size > 0 && memchr(m->path.data, 0, m->path.size)) what = "a zero byte in its path";
  if (!calve_utf8_valid(m->path)) what = "its path is no UTF-8";
  if (m->length_bytes < 0) what = "its length is negative";
  if (m->spec_id < 0) what = "its partition_spec_id is negative";
  if (m->content != CALVE_MANIFEST_DATA && m->content != CALVE_MANIFEST_DELETES) {
    what = "its content is neither 0 (data) nor 1 (deletes)";
  }
  if (m->sequence_number < 0) what = "its sequence number is negative";
  if (m->min_sequence_number < 0) what = "its min_sequence_number is negative";
  if (m->first_row_id < CALVE_UNSET) what = "its first_row_id is negative";
  if (m->added_files_count < CALVE_UNSET || m->existing_files_count < CALVE_UNSET ||
      m->deleted_files_count < CALVE_UNSET) {
    what = "it counts less than no files";
  }
  if (!what) return CALVE_OK;
  return calve_fail(err, CALVE_ECORRUPT, NULL, "the record of manifest %.*s is wrong: %s",
                    CALVE_STR_ARG(m->path), what);
}

/* A summary that does not say whether there are nulls says nothing; so do all of its manifest. */
static calve_status take_summaries(row *r, calve_arena *arena, calve_error *err) {
  const summary_row *rows = r->summaries.items;
  size_t count = r->summaries.count;
  if (!rows) return CALVE_OK;
  calve_field_summary *out = CALVE_NEW_ARRAY(arena, calve_field_summary, count);
  if (!out) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    if (rows[i].contains_null < 0) return CALVE_OK;
    out[i] = (calve_field_summary){.contains_null = rows[i].contains_null == 1,
                                   .contains_nan = rows[i].contains_nan,
                                   .lower = rows[i].lower,
                                   .upper = rows[i].upper};
  }
  r->file.partitions = out;
  r->file.partition_count = count;
  return CALVE_OK;
}

/* What a read works with besides its result. */
typedef struct scratch {
  calve_codec codec;
  calve_buffer inflated, all;
  calve_arena arena;
  calve_avro_hints *hints;
  const calve_cancel *cancel;
} scratch;

static calve_status read_block(const calve_avro_file *file, const calve_avro_program *program,
                               const calve_avro_block *block, scratch *s, calve_arena *arena,
                               calve_error *err) {
  const char *at = block->data.data, *end = at + block->data.size;
  calve_avro_hints_restart(s->hints);
  for (int64_t i = 0; i < block->record_count; i++) {
    if (i % CALVE_ITEMS_PER_LOOK == 0) CALVE_TRY(calve_cancel_look(s->cancel, err));
    row r = {.file = calve_manifest_file_blank()};
    calve_status status = calve_avro_decode(program, &at, end, &r, s->hints, &s->arena, err);
    if (status == CALVE_OK) status = check(&r.file, err);
    forget_wrong_sums(&r.file);
    if (status != CALVE_OK) {
      calve_avro_decode_fail(file, block, i, err);
      return status;
    }
    CALVE_TRY(take_summaries(&r, &s->arena, err));
    calve_manifest_file copy;
    CALVE_TRY(calve_manifest_file_copy(&r.file, arena, &copy, err));
    calve_buffer_put(&s->all, &copy, sizeof copy);
    calve_arena_reset(&s->arena);
  }
  if (at == end) return calve_buffer_check(&s->all, err);
  return calve_fail_at(err, CALVE_ECORRUPT, file->where, block->byte_offset,
                       "an Avro block has %lld bytes behind its last record",
                       (long long)(end - at));
}

static calve_status read_blocks(calve_str bytes, const char *where, scratch *s, calve_arena *arena,
                                calve_error *err) {
  calve_arena program_arena;
  calve_arena_init(&program_arena, arena->allocator);
  calve_avro_file file;
  const calve_avro_program *program = NULL;
  calve_status status = calve_avro_open(bytes, where, &program_arena, &file, err);
  if (status == CALVE_OK) {
    status = calve_avro_compile(file.schema, row_wants, sizeof row_wants / sizeof *row_wants, NULL,
                                where, &program_arena, &program, err);
  }
  if (status == CALVE_OK) {
    s->hints = calve_avro_hints_make(&program_arena);
    if (!s->hints) status = calve_fail_oom(err);
  }
  while (status == CALVE_OK) {
    calve_avro_block block;
    bool more;
    status = calve_avro_next_block(&file, &s->codec, &s->inflated, &block, &more, err);
    if (status != CALVE_OK || !more) break;
    status = read_block(&file, program, &block, s, arena, err);
  }
  calve_arena_free(&program_arena);
  return status;
}

calve_status calve_manifest_list_read(calve_str bytes, const char *where, calve_arena *arena,
                                      const calve_manifest_file **out, size_t *out_count,
                                      calve_error *err) {
  return calve_manifest_list_read_until(bytes, where, NULL, arena, out, out_count, err);
}

calve_status calve_manifest_list_read_until(calve_str bytes, const char *where,
                                            const calve_cancel *cancel, calve_arena *arena,
                                            const calve_manifest_file **out, size_t *out_count,
                                            calve_error *err) {
  scratch s = {.cancel = cancel};
  calve_codec_init(&s.codec, arena->allocator);
  calve_buffer_init(&s.inflated, arena->allocator);
  calve_buffer_init(&s.all, arena->allocator);
  calve_arena_init(&s.arena, arena->allocator);
  calve_status status = read_blocks(bytes, where, &s, arena, err);
  void *all = NULL;
  if (status == CALVE_OK) {
    all = calve_arena_copy(arena, s.all.data ? s.all.data : "", s.all.size);
    if (!all) status = calve_fail_oom(err);
  }
  if (status == CALVE_OK) {
    *out = all;
    *out_count = CALVE_COUNT(&s.all, calve_manifest_file);
  }
  calve_arena_free(&s.arena);
  calve_buffer_free(&s.all);
  calve_buffer_free(&s.inflated);
  calve_codec_free(&s.codec);
  return status;
}
