/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/limits.h"
#include "track/manifest.h"
#include "track/manifest_plan.h"
#include "track/partition_value.h"

/* ---- batches -------------------------------------------------------------------------------- */

void calve_manifest_memory_init(calve_manifest_memory *m, const calve_allocator *allocator) {
  calve_buffer_init(&m->inflated, allocator);
  calve_arena_init(&m->arena, allocator);
}

void calve_manifest_memory_free(calve_manifest_memory *m) {
  calve_buffer_free(&m->inflated);
  calve_arena_free(&m->arena);
}

void calve_manifest_batch_init(calve_manifest_batch *b, const calve_allocator *allocator) {
  *b = (calve_manifest_batch){0};
  calve_codec_init(&b->codec, allocator);
  calve_manifest_memory_init(&b->memory, allocator);
  calve_buffer_init(&b->entry_memory, allocator);
  calve_arena_init(&b->lasting, allocator);
}

void calve_manifest_batch_free(calve_manifest_batch *b) {
  calve_codec_free(&b->codec);
  calve_manifest_memory_free(&b->memory);
  calve_buffer_free(&b->entry_memory);
  calve_arena_free(&b->lasting);
  b->hints = NULL;
  b->count = 0;
  b->entries = NULL;
}

void calve_manifest_batch_take(calve_manifest_batch *b, calve_manifest_memory *taken) {
  calve_manifest_memory own = b->memory;
  b->memory = *taken;
  *taken = own;
  calve_arena_expect(&b->memory.arena, own.arena.used_bytes); /* blocks are alike               */
}

static calve_status bad_entry(const calve_manifest_entry *e, calve_error *err, const char *what) {
  return calve_fail(err, CALVE_ECORRUPT, NULL, "the entry of file %.*s %s",
                    CALVE_STR_ARG(e->file.path), what);
}

/* Puts in what an entry leaves to its manifest. [spec: Sequence Number Inheritance; First Row ID
 * Inheritance] */
static calve_status inherit(calve_manifest_reader *r, calve_manifest_entry *e, calve_error *err) {
  const calve_manifest_file *m = r->manifest;
  calve_data_file *f = &e->file;
  if (e->status < CALVE_ENTRY_EXISTING || e->status > CALVE_ENTRY_DELETED) {
    return bad_entry(e, err, "has a status that is none of 0, 1 and 2");
  }
  if ((f->content != CALVE_CONTENT_DATA) != (m->content == CALVE_MANIFEST_DELETES) ||
      f->content < CALVE_CONTENT_DATA || f->content > CALVE_CONTENT_EQUALITY_DELETES) {
    return bad_entry(e, err, "is of a content that its manifest does not hold");
  }
  /* -1 is what old versions of Java wrote for Avro files that they imported. */
  bool uncounted = f->record_count == -1 && f->content == CALVE_CONTENT_DATA;
  if ((f->record_count < 0 && !uncounted) || f->file_size_bytes < 0) {
    return bad_entry(e, err, "has a negative record count or size");
  }
  if (e->snapshot_id == CALVE_UNSET) e->snapshot_id = m->added_snapshot_id;
  /* Version 1 knows no sequence numbers; its manifests are listed with 0 after an upgrade. */
  bool inherits = e->status == CALVE_ENTRY_ADDED || m->sequence_number == 0;
  if (e->data_sequence_number == CALVE_UNSET && inherits) {
    e->data_sequence_number = m->sequence_number;
  }
  if (e->file_sequence_number == CALVE_UNSET && inherits) {
    e->file_sequence_number = m->sequence_number;
  }
  if (e->data_sequence_number == CALVE_UNSET) {
    return bad_entry(e, err, "has no sequence_number, but only added files inherit one");
  }
  if (m->content == CALVE_MANIFEST_DATA && r->next_row_id != CALVE_UNSET &&
      f->first_row_id == CALVE_UNSET && e->status != CALVE_ENTRY_DELETED) {
    f->first_row_id = r->next_row_id;
    if (uncounted || f->record_count > INT64_MAX - r->next_row_id) {
      return bad_entry(e, err, "has a record count that is out of range");
    }
    r->next_row_id += f->record_count;
  }
  return CALVE_OK;
}

static calve_status take_tuple(const calve_manifest_reader *r, const calve_avro_scalar *scalars,
                               calve_value *values, calve_manifest_entry *e, calve_error *err) {
  for (size_t i = 0; i < r->plan->tuple_count; i++) {
    if (!calve_track__partition_value(r->partition_types[i], &scalars[i], &values[i])) {
      return calve_fail(
          err, CALVE_ECORRUPT, NULL,
          "the entry of file %.*s has a value of a wrong size for partition field %.*s",
          CALVE_STR_ARG(e->file.path), CALVE_STR_ARG(r->spec->fields[i].name));
    }
  }
  e->file.partition = values;
  e->file.partition_count = (int32_t)r->plan->tuple_count;
  e->file.spec_id = r->spec->spec_id;
  return CALVE_OK;
}

static calve_status too_large(const calve_manifest_reader *r, const calve_avro_block *block,
                              calve_error *err) {
  return calve_fail_at(err, CALVE_ECORRUPT, r->file.where, block->byte_offset,
                       "an Avro block of %lld records takes more than 2 GiB to decode",
                       (long long)block->record_count);
}

/* A block of little on disk may claim very much; files of more entries than anybody writes are
 * refused before memory is taken for them. */
static calve_status check_size(const calve_manifest_reader *r, const calve_avro_block *block,
                               calve_error *err) {
  size_t each = sizeof(calve_manifest_entry) + r->plan->tuple_count * sizeof(calve_value), all;
  if (r->next_position > CALVE_MANIFEST_ENTRIES_MAX - block->record_count) {
    return calve_fail_at(err, CALVE_ECORRUPT, r->file.where, block->byte_offset,
                         "the manifest has more than %lld entries",
                         (long long)CALVE_MANIFEST_ENTRIES_MAX);
  }
  if (!calve_mul_size((size_t)block->record_count, each, &all) ||
      all > (size_t)CALVE_MANIFEST_BATCH_MAX) {
    return too_large(r, block, err);
  }
  return CALVE_OK;
}

static calve_status decode_block(calve_manifest_reader *r, calve_manifest_batch *b,
                                 const calve_avro_block *block, const calve_avro_program *program,
                                 calve_error *err) {
  const calve_manifest_entry blank = {.snapshot_id = CALVE_UNSET,
                                      .data_sequence_number = CALVE_UNSET,
                                      .file_sequence_number = CALVE_UNSET,
                                      .file = calve_data_file_blank()};
  size_t tuple_count = r->plan->tuple_count;
  calve_arena *arena = &b->memory.arena;
  calve_avro_scalar *scalars = CALVE_NEW_ARRAY(arena, calve_avro_scalar, tuple_count);
  /* The block's bytes bound its record count, see calve_avro_next_block. */
  calve_value *values = calve_arena_room(arena, (size_t)block->record_count * tuple_count,
                                         sizeof *values);
  if (!scalars || !values) return calve_fail_oom(err);
  calve_avro_hints_restart(b->hints);
  const char *at = block->data.data, *end = at + block->data.size;
  for (int64_t i = 0; i < block->record_count; i++) {
    if (i % CALVE_ITEMS_PER_LOOK == 0) CALVE_TRY(calve_cancel_look(r->cancel, err));
    if (arena->used_bytes > (size_t)CALVE_MANIFEST_BATCH_MAX) return too_large(r, block, err);
    calve_manifest_entry *e = &b->entries[b->count];
    *e = blank;
    memset(scalars, 0, tuple_count * sizeof *scalars);
    e->file.partition = (const calve_value *)(const void *)scalars; /* RECORD_AT's pointer      */
    calve_status status = calve_avro_decode(program, &at, end, e, b->hints, arena, err);
    if (status == CALVE_OK) status = take_tuple(r, scalars, values, e, err);
    if (status == CALVE_OK) status = inherit(r, e, err);
    if (status != CALVE_OK) {
      calve_avro_decode_fail(&r->file, block, i, err);
      return status;
    }
    e->position = r->next_position++;
    if (e->status == CALVE_ENTRY_DELETED && !r->keep_deleted) continue;
    b->count++;
    values += tuple_count;
  }
  if (at == end) return CALVE_OK;
  return calve_fail_at(err, CALVE_ECORRUPT, r->file.where, block->byte_offset,
                       "an Avro block has %lld bytes behind its last record",
                       (long long)(end - at));
}

/* Decodes the block in the form the file has; the first block of a file with fixed values settles
 * which one that is. */
static calve_status decode_either(calve_manifest_reader *r, calve_manifest_batch *b,
                                  const calve_avro_block *block, calve_error *err) {
  struct calve_track__plan *plan = r->plan;
  int64_t row_id = r->next_row_id, position = r->next_position;
  const calve_avro_program *first = plan->is_prefixed ? plan->prefixed : plan->program;
  const calve_avro_program *second = plan->is_prefixed ? plan->program : plan->prefixed;
  calve_status status = decode_block(r, b, block, first, err);
  if (status != CALVE_ECORRUPT || !second) return status;
  r->next_row_id = row_id;
  r->next_position = position;
  b->count = 0;
  if (decode_block(r, b, block, second, NULL) != CALVE_OK) {
    b->count = 0;
    return status;
  }
  plan->is_prefixed = !plan->is_prefixed;
  return CALVE_OK;
}

calve_status calve_manifest_next(calve_manifest_reader *r, calve_manifest_batch *b, bool *more,
                                 calve_error *err) {
  b->count = 0;
  b->entries = NULL;
  calve_arena_reset(&b->memory.arena);
  calve_avro_block block;
  CALVE_TRY(calve_avro_next_block(&r->file, &b->codec, &b->memory.inflated, &block, more, err));
  if (!*more) return CALVE_OK;
  CALVE_TRY(check_size(r, &block, err));
  calve_buffer_clear(&b->entry_memory);
  size_t entry_bytes = (size_t)block.record_count * sizeof(calve_manifest_entry);
  b->entries = (calve_manifest_entry *)(void *)calve_buffer_reserve(&b->entry_memory, entry_bytes);
  if (!b->hints) b->hints = calve_avro_hints_make(&b->lasting);
  if (!b->entries || !b->hints) return calve_fail_oom(err);
  calve_status status = decode_either(r, b, &block, err);
  if (status != CALVE_OK) b->count = 0;
  return status;
}

static calve_status append_batch(const calve_manifest_batch *b, calve_arena *arena,
                                 calve_buffer *all, calve_error *err) {
  for (size_t i = 0; i < b->count; i++) {
    calve_manifest_entry copy = b->entries[i];
    CALVE_TRY(calve_data_file_copy(&b->entries[i].file, arena, &copy.file, err));
    calve_buffer_put(all, &copy, sizeof copy);
  }
  return calve_buffer_check(all, err);
}

calve_status calve_manifest_read_all(calve_manifest_reader *r, calve_arena *arena,
                                     const calve_manifest_entry **out, size_t *out_count,
                                     calve_error *err) {
  calve_manifest_batch batch;
  calve_buffer all;
  calve_manifest_batch_init(&batch, arena->allocator);
  calve_buffer_init(&all, arena->allocator);
  calve_status status;
  for (bool more = true;;) {
    status = calve_manifest_next(r, &batch, &more, err);
    if (status != CALVE_OK || !more) break;
    status = append_batch(&batch, arena, &all, err);
    if (status != CALVE_OK) break;
  }
  if (status == CALVE_OK) {
    void *entries = calve_arena_copy(arena, all.data ? all.data : "", all.size);
    if (entries) {
      *out = entries;
      *out_count = CALVE_COUNT(&all, calve_manifest_entry);
    } else {
      status = calve_fail_oom(err);
    }
  }
  calve_buffer_free(&all);
  calve_manifest_batch_free(&batch);
  return status;
}
