/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/uuid.h"
#include "codec/avro_writer.h"
#include "model/snapshot.h"
#include "track/manifest_list.h"
#include "track/manifest_schema.h"

#define META_MAX 6

/* Header entries, their numbers as text. */
typedef struct header {
  calve_avro_meta meta[META_MAX];
  char text[META_MAX][24];
  size_t count;
} header;

static void put_number(header *h, const char *key, int64_t value) {
  int size = snprintf(h->text[h->count], sizeof h->text[0], "%" PRId64, value);
  h->meta[h->count] = (calve_avro_meta){{key, strlen(key)}, {h->text[h->count], (size_t)size}};
  h->count++;
}

static void put_header(header *h, const calve_manifest_list_params *p) {
  put_number(h, "format-version", p->format_version);
  put_number(h, "snapshot-id", p->snapshot_id);
  if (p->parent_snapshot_id != CALVE_NO_SNAPSHOT) {
    put_number(h, "parent-snapshot-id", p->parent_snapshot_id);
  } else {
    h->meta[h->count++] = (calve_avro_meta){CALVE_STR("parent-snapshot-id"), CALVE_STR("null")};
  }
  if (p->format_version > 1) put_number(h, "sequence-number", p->sequence_number);
  if (p->format_version > 2) put_number(h, "first-row-id", p->first_row_id);
}

/* The record with what the snapshot gives filled in; refuses what the version can't say. */
static calve_status complete(const calve_manifest_list_params *p, calve_manifest_file *m,
                             int64_t *next_row_id, calve_error *err) {
  const char *what = NULL;
  if (p->format_version > 1 && !calve_manifest_file_is_counted(m)) {
    what = "its file and row counts are not known";
  }
  if (p->format_version == 1 && m->content != CALVE_MANIFEST_DATA) {
    what = "version 1 tables have no deletes";
  }
  if (m->path.size == 0) what = "it has no path";
  if (m->spec_id < 0) what = "its spec id is not known";
  if (what) {
    return calve_fail(err, CALVE_EINVAL, NULL, "manifest %.*s can't be listed: %s",
                      CALVE_STR_ARG(m->path), what);
  }
  if (m->added_snapshot_id == CALVE_UNSET) m->added_snapshot_id = p->snapshot_id;
  if (m->sequence_number == CALVE_UNSET) m->sequence_number = p->sequence_number;
  if (m->min_sequence_number == CALVE_UNSET) m->min_sequence_number = p->sequence_number;
  if (p->format_version < 3 || m->content == CALVE_MANIFEST_DELETES) {
    m->first_row_id = CALVE_UNSET; /* [spec: First Row ID Assignment]                           */
  } else if (m->first_row_id == CALVE_UNSET) {
    m->first_row_id = *next_row_id;
    int64_t rows;
    if (__builtin_add_overflow(m->added_rows_count, m->existing_rows_count, &rows) ||
        __builtin_add_overflow(*next_row_id, rows, next_row_id))
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "manifest %.*s can't be listed: its row counts are out of range",
                        CALVE_STR_ARG(m->path));
  }
  return CALVE_OK;
}

static void put_optional_long(calve_buffer *b, int64_t v) {
  calve_avro_put_long(b, v == CALVE_UNSET ? 0 : 1);
  if (v != CALVE_UNSET) calve_avro_put_long(b, v);
}

static void put_optional_bytes(calve_buffer *b, calve_str s) {
  calve_avro_put_long(b, s.data ? 1 : 0);
  if (s.data) calve_avro_put_bytes(b, s);
}

static void put_summaries(calve_buffer *b, const calve_manifest_file *m) {
  calve_avro_put_long(b, m->partitions ? 1 : 0);
  if (!m->partitions) return;
  if (m->partition_count > 0) calve_avro_put_long(b, (int64_t)m->partition_count);
  for (size_t i = 0; i < m->partition_count; i++) {
    const calve_field_summary *s = &m->partitions[i];
    calve_avro_put_bool(b, s->contains_null);
    calve_avro_put_long(b, s->contains_nan < 0 ? 0 : 1);
    if (s->contains_nan >= 0) calve_avro_put_bool(b, s->contains_nan == 1);
    put_optional_bytes(b, s->lower);
    put_optional_bytes(b, s->upper);
  }
  calve_avro_put_long(b, 0);
}

static void put_record(calve_buffer *b, int32_t version, const calve_manifest_file *m) {
  calve_avro_put_bytes(b, m->path);
  calve_avro_put_long(b, m->length_bytes);
  calve_avro_put_long(b, m->spec_id);
  if (version > 1) {
    calve_avro_put_long(b, m->content);
    calve_avro_put_long(b, m->sequence_number);
    calve_avro_put_long(b, m->min_sequence_number);
  }
  calve_avro_put_long(b, m->added_snapshot_id);
  const int64_t counts[] = {m->added_files_count, m->existing_files_count, m->deleted_files_count,
                            m->added_rows_count,  m->existing_rows_count,  m->deleted_rows_count};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    if (version == 1)
      put_optional_long(b, counts[i]);
    else
      calve_avro_put_long(b, counts[i]);
  }
  put_summaries(b, m);
  put_optional_bytes(b, m->key_metadata);
  if (version > 2) put_optional_long(b, m->first_row_id);
}

static calve_status put_records(calve_avro_writer *w, const calve_manifest_list_params *p,
                                const calve_manifest_file *manifests, size_t count,
                                int64_t *next_row_id, calve_error *err) {
  for (size_t i = 0; i < count; i++) {
    calve_manifest_file m = manifests[i];
    CALVE_TRY(complete(p, &m, next_row_id, err));
    put_record(&w->block, p->format_version, &m);
    CALVE_TRY(calve_avro_end_record(w, err));
  }
  return calve_avro_writer_finish(w, err);
}

calve_status calve_manifest_list_write(const calve_manifest_list_params *params,
                                       const calve_manifest_file *manifests, size_t count,
                                       calve_buffer *out, int64_t *next_row_id, calve_error *err) {
  uint8_t sync[16];
  if (!params->sync) CALVE_TRY(calve_uuid_random(sync, err));
  header h = {.count = 0};
  put_header(&h, params);
  calve_buffer schema;
  calve_buffer_init(&schema, params->allocator);
  calve_track__put_list_schema(&schema, params->format_version);
  calve_avro_writer w;
  calve_avro_writer_open(&w, out,
                         &(calve_avro_writer_options){.schema_json = calve_buffer_view(&schema),
                                                      .meta = h.meta,
                                                      .meta_count = h.count,
                                                      .codec_id = params->codec_id,
                                                      .level = params->level,
                                                      .sync = params->sync ? params->sync : sync,
                                                      .allocator = params->allocator});
  calve_status status = calve_buffer_check(&schema, err);
  int64_t next = params->first_row_id;
  if (status == CALVE_OK) status = put_records(&w, params, manifests, count, &next, err);
  if (status == CALVE_OK && next_row_id) *next_row_id = next;
  calve_avro_writer_free(&w);
  calve_buffer_free(&schema);
  return status;
}
