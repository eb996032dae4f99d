/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/uuid.h"
#include "codec/avro_writer.h"
#include "track/manifest.h"
#include "track/manifest_schema.h"
#include "track/partition_summary.h"
#include "track/partition_value.h"

/* What v1 files must name and nobody reads [spec: Data File Fields]. */
#define BLOCK_SIZE_V1 67108864

struct calve_manifest_writer {
  calve_manifest_params params;
  calve_arena arena;
  calve_buffer out;
  calve_avro_writer avro;
  const calve_type **types; /* NULL: the field is left out                                      */
  calve_track__summary *summaries;
  calve_value *tuple; /* of the entry being written                                             */
  int64_t files[3], rows[3]; /* by status                                                       */
  int64_t min_sequence_number;
  bool lacks_fields;
};

static calve_status refuse(const calve_manifest_entry *e, calve_error *err, const char *what) {
  return calve_fail(err, CALVE_EINVAL, NULL, "file %.*s can't be written to the manifest: %s",
                    CALVE_STR_ARG(e->file.path), what);
}

/* ---- opening and freeing -------------------------------------------------------------------- */

static calve_status open_avro(calve_manifest_writer *w, calve_error *err) {
  const calve_manifest_params *p = &w->params;
  uint8_t sync[16];
  if (!p->sync) CALVE_TRY(calve_uuid_random(sync, err));
  calve_buffer avro, schema, spec;
  calve_buffer_init(&avro, p->allocator);
  calve_buffer_init(&schema, p->allocator);
  calve_buffer_init(&spec, p->allocator);
  calve_track__put_manifest_schema(&avro, p->format_version, p->spec, w->types);
  calve_json_writer json;
  calve_json_write_init(&json, &schema, 0);
  calve_schema_write_json(p->schema, &json);
  calve_json_write_init(&json, &spec, 0);
  calve_spec_write_json_fields(p->spec, &json);

  char schema_id[24], spec_id[24], version[24];
  snprintf(schema_id, sizeof schema_id, "%" PRId32, p->schema->schema_id);
  snprintf(spec_id, sizeof spec_id, "%" PRId32, p->spec->spec_id);
  snprintf(version, sizeof version, "%" PRId32, p->format_version);
  bool deletes = p->content == CALVE_MANIFEST_DELETES;
  const calve_avro_meta meta[] = {
      {CALVE_STR("schema"), calve_buffer_view(&schema)},
      {CALVE_STR("schema-id"), calve_str_of(schema_id)},
      {CALVE_STR("partition-spec"), calve_buffer_view(&spec)},
      {CALVE_STR("partition-spec-id"), calve_str_of(spec_id)},
      {CALVE_STR("format-version"), calve_str_of(version)},
      {CALVE_STR("content"), deletes ? CALVE_STR("deletes") : CALVE_STR("data")},
  };
  size_t meta_count = sizeof meta / sizeof *meta - (p->format_version == 1 ? 1 : 0);
  calve_avro_writer_open(&w->avro, &w->out,
                         &(calve_avro_writer_options){.schema_json = calve_buffer_view(&avro),
                                                      .meta = meta,
                                                      .meta_count = meta_count,
                                                      .codec_id = p->codec_id,
                                                      .level = p->level,
                                                      .sync = p->sync ? p->sync : sync,
                                                      .allocator = p->allocator});
  bool oom = avro.oom || schema.oom || spec.oom || w->out.oom;
  calve_buffer_free(&avro);
  calve_buffer_free(&schema);
  calve_buffer_free(&spec);
  return oom ? calve_fail_oom(err) : CALVE_OK;
}

/* A field that the manifest which is written anew lacks stays out: as null it would be a value. */
static calve_status choose_types(calve_manifest_writer *w, calve_error *err) {
  const calve_manifest_params *p = &w->params;
  if (!p->partition_types)
    return calve_spec_tuple_types(p->spec, p->schema, &w->arena, &w->types, err);
  w->types = CALVE_NEW_ARRAY(&w->arena, const calve_type *, (size_t)p->spec->field_count);
  if (!w->types) return calve_fail_oom(err);
  for (int32_t i = 0; i < p->spec->field_count; i++) {
    const calve_type *type = p->partition_types[i];
    bool is_void = p->spec->fields[i].transform.kind == CALVE_VOID;
    bool is_out = type->id == CALVE_UNKNOWN && !is_void;
    w->types[i] = is_out ? NULL : type;
    w->lacks_fields = w->lacks_fields || is_out;
  }
  return CALVE_OK;
}

static calve_status prepare(calve_manifest_writer *w, calve_error *err) {
  const calve_manifest_params *p = &w->params;
  size_t count = (size_t)p->spec->field_count;
  CALVE_TRY(choose_types(w, err));
  w->tuple = CALVE_NEW_ARRAY(&w->arena, calve_value, count);
  w->summaries = CALVE_NEW_ARRAY(&w->arena, calve_track__summary, count);
  if (!w->tuple || !w->summaries) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) calve_track__summary_init(&w->summaries[i], p->allocator);
  return open_avro(w, err);
}

/* Tuples are read by field id: two fields of one id could never be told apart again. */
static calve_status check_field_ids(const calve_spec *spec, calve_error *err) {
  for (int32_t i = 0; i < spec->field_count; i++) {
    for (int32_t j = 0; j < i; j++) {
      if (spec->fields[i].field_id != spec->fields[j].field_id) continue;
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "partition fields %.*s and %.*s of spec %" PRId32
                        " have one field id, %" PRId32 ": no manifest can be written with it",
                        CALVE_STR_ARG(spec->fields[j].name), CALVE_STR_ARG(spec->fields[i].name),
                        spec->spec_id, spec->fields[i].field_id);
    }
  }
  return CALVE_OK;
}

calve_status calve_manifest_writer_open(const calve_manifest_params *params,
                                        calve_manifest_writer **out, calve_error *err) {
  if (params->format_version < 1 || params->format_version > CALVE_FORMAT_VERSION_MAX) {
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                      "manifests of format version %" PRId32 " can't be written",
                      params->format_version);
  }
  if (params->format_version == 1 && params->content == CALVE_MANIFEST_DELETES) {
    return calve_fail(err, CALVE_EINVAL, NULL, "a version 1 table can't have delete files");
  }
  CALVE_TRY(check_field_ids(params->spec, err));
  calve_arena arena;
  calve_arena_init(&arena, params->allocator);
  calve_manifest_writer *w = CALVE_NEW(&arena, calve_manifest_writer);
  if (!w) {
    calve_arena_free(&arena);
    return calve_fail_oom(err);
  }
  w->params = *params;
  w->arena = arena; /* the writer lives in its own arena                                        */
  w->min_sequence_number = CALVE_UNSET;
  calve_buffer_init(&w->out, params->allocator);
  calve_status status = prepare(w, err);
  if (status != CALVE_OK) {
    calve_manifest_writer_free(w);
    return status;
  }
  *out = w;
  return CALVE_OK;
}

void calve_manifest_writer_free(calve_manifest_writer *w) {
  if (!w) return;
  if (w->avro.out) calve_avro_writer_free(&w->avro);
  calve_buffer_free(&w->out);
  for (int32_t i = 0; w->summaries && i < w->params.spec->field_count; i++) {
    calve_track__summary_free(&w->summaries[i]);
  }
  calve_arena arena = w->arena;
  calve_arena_free(&arena);
}

/* ---- entries -------------------------------------------------------------------------------- */

static calve_status check_content(const calve_manifest_writer *w, const calve_manifest_entry *e,
                                  calve_error *err) {
  const calve_data_file *f = &e->file;
  bool is_data = f->content == CALVE_CONTENT_DATA;
  if (is_data != (w->params.content == CALVE_MANIFEST_DATA)) {
    return refuse(e, err, "data files and delete files go to manifests of their own");
  }
  if (f->content < CALVE_CONTENT_DATA || f->content > CALVE_CONTENT_EQUALITY_DELETES) {
    return refuse(e, err, "its content is none of data, position deletes, equality deletes");
  }
  if (f->content == CALVE_CONTENT_EQUALITY_DELETES && f->equality_ids.count == 0) {
    return refuse(e, err, "equality deletes need equality ids");
  }
  if (calve_data_file_is_deletion_vector(f)) {
    if (w->params.format_version < 3) return refuse(e, err, "deletion vectors need version 3");
    if (!f->referenced_data_file.data || f->content_offset < 0 || f->content_size_bytes < 0) {
      return refuse(e, err, "a deletion vector needs its data file, offset and size");
    }
  }
  return CALVE_OK;
}

static calve_status check_entry(const calve_manifest_writer *w, const calve_manifest_entry *e,
                                calve_error *err) {
  const calve_data_file *f = &e->file;
  if (e->status < CALVE_ENTRY_EXISTING || e->status > CALVE_ENTRY_DELETED) {
    return refuse(e, err, "its status is none of existing, added, deleted");
  }
  if (f->path.size == 0 || f->format.size == 0) return refuse(e, err, "it has no path or format");
  bool uncounted = f->record_count == -1 && f->content == CALVE_CONTENT_DATA &&
                   e->status != CALVE_ENTRY_ADDED;
  if ((f->record_count < 0 && !uncounted) || f->file_size_bytes < 0) {
    return refuse(e, err, "its record count or size is negative");
  }
  if (w->params.format_version > 1 && e->status != CALVE_ENTRY_ADDED &&
      e->data_sequence_number == CALVE_UNSET) {
    return refuse(e, err, "existing and deleted entries need their sequence number");
  }
  return check_content(w, e, err);
}

static calve_status fit_tuple(calve_manifest_writer *w, const calve_manifest_entry *e,
                              calve_error *err) {
  const calve_data_file *f = &e->file;
  const calve_spec *spec = w->params.spec;
  if (f->partition_count != spec->field_count) {
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "file %.*s has %" PRId32 " partition values, but spec %" PRId32
                      " has %" PRId32 " fields",
                      CALVE_STR_ARG(f->path), f->partition_count, spec->spec_id, spec->field_count);
  }
  for (int32_t i = 0; i < spec->field_count; i++) {
    const calve_type *wanted = w->types[i] ? w->types[i] : calve_type_of(CALVE_UNKNOWN);
    if (calve_track__fit_value(wanted, &f->partition[i], &w->tuple[i])) continue;
    char type[CALVE_TYPE_TEXT_MAX];
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "file %.*s has a value for partition field %.*s of spec %" PRId32
                      " that is no %s",
                      CALVE_STR_ARG(f->path), CALVE_STR_ARG(spec->fields[i].name), spec->spec_id,
                      calve_type_text(wanted, type));
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

static void put_counts(calve_buffer *b, const calve_id_i64_list *list) {
  calve_avro_put_long(b, list->items ? 1 : 0);
  if (!list->items) return;
  if (list->count > 0) calve_avro_put_long(b, (int64_t)list->count);
  for (size_t i = 0; i < list->count; i++) {
    calve_avro_put_long(b, list->items[i].id);
    calve_avro_put_long(b, list->items[i].value);
  }
  calve_avro_put_long(b, 0);
}

static void put_bounds(calve_buffer *b, const calve_id_bytes_list *list) {
  calve_avro_put_long(b, list->items ? 1 : 0);
  if (!list->items) return;
  if (list->count > 0) calve_avro_put_long(b, (int64_t)list->count);
  for (size_t i = 0; i < list->count; i++) {
    calve_avro_put_long(b, list->items[i].id);
    calve_avro_put_bytes(b, list->items[i].value);
  }
  calve_avro_put_long(b, 0);
}

static void put_lists(calve_buffer *b, int32_t version, const calve_data_file *f) {
  calve_avro_put_long(b, f->split_offsets.items ? 1 : 0);
  if (f->split_offsets.items) {
    if (f->split_offsets.count > 0) calve_avro_put_long(b, (int64_t)f->split_offsets.count);
    for (size_t i = 0; i < f->split_offsets.count; i++) {
      calve_avro_put_long(b, f->split_offsets.items[i]);
    }
    calve_avro_put_long(b, 0);
  }
  if (version == 1) return;
  bool has_ids = f->equality_ids.count > 0;
  calve_avro_put_long(b, has_ids ? 1 : 0);
  if (!has_ids) return;
  calve_avro_put_long(b, (int64_t)f->equality_ids.count);
  for (size_t i = 0; i < f->equality_ids.count; i++) {
    calve_avro_put_long(b, f->equality_ids.items[i]);
  }
  calve_avro_put_long(b, 0);
}

static void put_file(calve_manifest_writer *w, const calve_data_file *f) {
  calve_buffer *b = &w->avro.block;
  int32_t version = w->params.format_version;
  if (version > 1) calve_avro_put_long(b, f->content);
  calve_avro_put_bytes(b, f->path);
  calve_avro_put_bytes(b, f->format);
  for (int32_t i = 0; i < w->params.spec->field_count; i++) {
    if (!w->types[i]) continue;
    calve_avro_put_long(b, w->tuple[i].is_null ? 0 : 1);
    if (!w->tuple[i].is_null) calve_track__put_avro_value(b, w->types[i], &w->tuple[i]);
  }
  calve_avro_put_long(b, f->record_count);
  calve_avro_put_long(b, f->file_size_bytes);
  if (version == 1) calve_avro_put_long(b, BLOCK_SIZE_V1);
  put_counts(b, &f->column_sizes);
  put_counts(b, &f->value_counts);
  put_counts(b, &f->null_value_counts);
  put_counts(b, &f->nan_value_counts);
  put_bounds(b, &f->lower_bounds);
  put_bounds(b, &f->upper_bounds);
  put_optional_bytes(b, f->key_metadata);
  put_lists(b, version, f);
  put_optional_long(b, f->sort_order_id);
  if (version > 2) put_optional_long(b, f->first_row_id);
  if (version > 1) put_optional_bytes(b, f->referenced_data_file);
  if (version > 2) {
    put_optional_long(b, f->content_offset);
    put_optional_long(b, f->content_size_bytes);
  }
}

calve_status calve_manifest_writer_add(calve_manifest_writer *w, const calve_manifest_entry *e,
                                       calve_error *err) {
  CALVE_TRY(check_entry(w, e, err));
  CALVE_TRY(fit_tuple(w, e, err));
  calve_buffer *b = &w->avro.block;
  bool is_added = e->status == CALVE_ENTRY_ADDED;
  int64_t snapshot_id = e->snapshot_id;
  if (snapshot_id == CALVE_UNSET && w->params.format_version == 1) {
    snapshot_id = w->params.snapshot_id; /* v1 has no inheritance                               */
  }
  calve_avro_put_long(b, e->status);
  put_optional_long(b, snapshot_id);
  if (w->params.format_version > 1) {
    put_optional_long(b, e->data_sequence_number);
    /* The commit assigns it, whatever the data's age is [spec: Sequence Number Inheritance]. */
    put_optional_long(b, is_added ? CALVE_UNSET : e->file_sequence_number);
  }
  put_file(w, &e->file);
  CALVE_TRY(calve_avro_end_record(&w->avro, err));

  w->files[e->status]++;
  w->rows[e->status] = calve_sum(w->rows[e->status], calve_data_file_rows(&e->file));
  for (int32_t i = 0; i < w->params.spec->field_count; i++) {
    CALVE_TRY(calve_track__summary_add(&w->summaries[i], &w->tuple[i], err));
  }
  int64_t sequence = e->data_sequence_number;
  if (e->status != CALVE_ENTRY_DELETED && sequence != CALVE_UNSET &&
      (w->min_sequence_number == CALVE_UNSET || sequence < w->min_sequence_number)) {
    w->min_sequence_number = sequence;
  }
  return CALVE_OK;
}

int64_t calve_manifest_writer_size_bytes(const calve_manifest_writer *w) {
  return (int64_t)(w->out.size + w->avro.block.size);
}

int64_t calve_manifest_writer_count(const calve_manifest_writer *w) {
  return w->files[0] + w->files[1] + w->files[2];
}

calve_status calve_manifest_writer_finish(calve_manifest_writer *w, calve_arena *arena,
                                          calve_str *bytes, calve_manifest_file *out,
                                          calve_error *err) {
  CALVE_TRY(calve_avro_writer_finish(&w->avro, err));
  size_t count = (size_t)w->params.spec->field_count;
  calve_field_summary *summaries = CALVE_NEW_ARRAY(arena, calve_field_summary, count);
  if (!summaries) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    CALVE_TRY(calve_track__summary_get(&w->summaries[i], arena, &summaries[i], err));
  }
  bool is_v1 = w->params.format_version == 1;
  calve_manifest_file m = {
      .length_bytes = (int64_t)w->out.size,
      .spec_id = w->params.spec->spec_id,
      .content = w->params.content,
      .sequence_number = is_v1 ? 0 : CALVE_UNSET,
      .min_sequence_number = is_v1 ? 0 : w->min_sequence_number,
      .added_snapshot_id = w->params.snapshot_id,
      .added_files_count = w->files[CALVE_ENTRY_ADDED],
      .existing_files_count = w->files[CALVE_ENTRY_EXISTING],
      .deleted_files_count = w->files[CALVE_ENTRY_DELETED],
      .added_rows_count = w->rows[CALVE_ENTRY_ADDED],
      .existing_rows_count = w->rows[CALVE_ENTRY_EXISTING],
      .deleted_rows_count = w->rows[CALVE_ENTRY_DELETED],
      .partitions = w->lacks_fields ? NULL : summaries,
      .partition_count = w->lacks_fields ? 0 : count,
      .first_row_id = CALVE_UNSET,
  };
  *bytes = calve_buffer_view(&w->out);
  *out = m;
  return CALVE_OK;
}
