/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_table.h"

#include "cached_scan.h"

#include "expr/predicate_json.h"

static const uint8_t sync_marker[16] = "sync marker of t";

void table_open_text(plan_table *t, const char *json) {
  memset(t, 0, sizeof *t);
  calve_arena_init(&t->arena, NULL);
  calve_buffer_init(&t->manifests, NULL);
  assert_ok(calve_memory_store_make(NULL, &t->store, &t->err), &t->err);
  calve_str text;
  assert_ok(calve_arena_str(&t->arena, calve_str_of(json), &text, &t->err), &t->err);
  assert_ok(calve_metadata_parse(text, "t.metadata.json", &t->arena, &t->metadata, &t->err),
            &t->err);
}

void table_open(plan_table *t, int format_version, const char *schema_fields, const char *specs,
                int default_spec_id) {
  char json[6000];
  int sequence_number = format_version > 1 ? 9 : 0;
  snprintf(
      json, sizeof json,
      "{\"format-version\":%d,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\","
      "\"location\":\"/t\",\"last-sequence-number\":%d,\"last-updated-ms\":1,"
      "\"last-column-id\":99,\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\","
      "\"schema-id\":0,\"fields\":[%s]}],\"default-spec-id\":%d,\"partition-specs\":[%s],"
      "\"last-partition-id\":1999,\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,"
      "\"fields\":[]}],\"current-snapshot-id\":100,\"refs\":{\"main\":{\"snapshot-id\":100,"
      "\"type\":\"branch\"}},\"snapshots\":[{\"snapshot-id\":100,\"sequence-number\":%d,"
      "\"timestamp-ms\":1,\"manifest-list\":\"/t/list.avro\",\"summary\":{\"operation\":"
      "\"append\"},\"schema-id\":0%s}]%s%s}",
      format_version, sequence_number, schema_fields, default_spec_id, specs, sequence_number,
      format_version > 2 ? ",\"first-row-id\":0,\"added-rows\":0" : "",
      format_version > 2 ? ",\"next-row-id\":1000" : "",
      format_version == 1 ? ",\"schema\":{\"type\":\"struct\",\"schema-id\":0,\"fields\":[]},"
                            "\"partition-spec\":[]"
                          : "");
  table_open_text(t, json);
}

void table_close(plan_table *t) {
  calve_buffer_free(&t->manifests);
  calve_memory_store_free(t->store);
  calve_arena_free(&t->arena);
}

/* The tuple, as values of the types that any schema of the table gives. */
static const calve_value *tuple_of(plan_table *t, const calve_spec *spec, const char *json) {
  calve_value *tuple = CALVE_NEW_ARRAY(&t->arena, calve_value, (size_t)spec->field_count);
  calve_json_reader r;
  calve_json_open(&r, calve_str_of(json ? json : "[]"), "partition", &t->arena);
  assert_ok(calve_json_begin_array(&r, &t->err), &t->err);
  for (int32_t i = 0;; i++) {
    bool more;
    assert_ok(calve_json_next_item(&r, &more, &t->err), &t->err);
    if (!more) {
      assert_int_equal(i, spec->field_count);
      return tuple;
    }
    const calve_partition_field *f = &spec->fields[i];
    const calve_schema_node *node = calve_metadata_find_field(t->metadata, f->source_id);
    const calve_type *type = node ? calve_transform_result_type(&f->transform, node->field->type)
                                  : calve_type_of(CALVE_INT);
    assert_ok(calve_value_read_json(&r, type, &tuple[i], &t->err), &t->err);
  }
}

static calve_id_bytes_list bounds_of(plan_table *t, int32_t id, calve_str bytes) {
  calve_id_bytes *one = CALVE_NEW(&t->arena, calve_id_bytes);
  one->id = id;
  one->value = bytes;
  return (calve_id_bytes_list){one, 1};
}

static calve_id_i64_list count_of(plan_table *t, int32_t id, int64_t count) {
  calve_id_i64 *one = CALVE_NEW(&t->arena, calve_id_i64);
  *one = (calve_id_i64){id, count};
  return (calve_id_i64_list){one, 1};
}

static void put_metrics(plan_table *t, const file_row *row, calve_data_file *f) {
  if (row->bounds_id) {
    f->lower_bounds =
        bounds_of(t, row->bounds_id, (calve_str){calve_arena_copy(&t->arena, &row->lower, 8), 8});
    f->upper_bounds =
        bounds_of(t, row->bounds_id, (calve_str){calve_arena_copy(&t->arena, &row->upper, 8), 8});
    f->value_counts = count_of(t, row->bounds_id, f->record_count);
    f->null_value_counts = count_of(t, row->bounds_id, 0);
  }
  if (row->path_lower) {
    f->lower_bounds = bounds_of(t, 2147483546, calve_str_of(row->path_lower));
    f->upper_bounds = bounds_of(t, 2147483546, calve_str_of(row->path_upper));
  }
}

static calve_manifest_entry entry_of(plan_table *t, const calve_spec *spec, const file_row *row) {
  calve_manifest_entry e = {.status = row->status ? row->status : CALVE_ENTRY_ADDED,
                            .snapshot_id = CALVE_UNSET,
                            .data_sequence_number = CALVE_UNSET,
                            .file_sequence_number = CALVE_UNSET,
                            .file = calve_data_file_blank()};
  if (row->sequence_number) {
    e.data_sequence_number = row->sequence_number;
    e.file_sequence_number = row->sequence_number;
    if (!row->status) e.status = CALVE_ENTRY_EXISTING;
  }
  calve_data_file *f = &e.file;
  f->content = row->content;
  f->path = calve_str_of(row->path);
  f->format = row->is_vector ? CALVE_STR("PUFFIN") : CALVE_STR("PARQUET");
  f->record_count = row->record_count ? row->record_count : 1;
  f->file_size_bytes = 1000;
  f->partition = tuple_of(t, spec, row->partition);
  f->partition_count = spec->field_count;
  put_metrics(t, row, f);
  if (row->equality_id) {
    int32_t *id = CALVE_NEW(&t->arena, int32_t);
    *id = row->equality_id;
    f->equality_ids = (calve_i32_list){id, 1};
  }
  f->referenced_data_file = calve_str_of(row->referenced);
  if (row->is_vector) f->content_offset = 4, f->content_size_bytes = 40;
  return e;
}

void table_manifest(plan_table *t, int32_t spec_id, int32_t content, int64_t sequence_number,
                    const file_row *rows, size_t count) {
  const calve_spec *spec = calve_metadata_spec(t->metadata, spec_id);
  assert_non_null(spec);
  /* Types by all schemas: the writer of an old spec knew the column that was dropped since. */
  const calve_type **types =
      CALVE_NEW_ARRAY(&t->arena, const calve_type *, (size_t)spec->field_count);
  for (int32_t i = 0; i < spec->field_count; i++) {
    const calve_schema_node *node =
        calve_metadata_find_field(t->metadata, spec->fields[i].source_id);
    types[i] = node ? calve_transform_result_type(&spec->fields[i].transform, node->field->type)
                    : calve_type_of(CALVE_INT);
  }
  calve_manifest_params params = {.format_version = t->metadata->format_version,
                                  .content = content,
                                  .schema = t->metadata->schema,
                                  .spec = spec,
                                  .partition_types = types,
                                  .snapshot_id = 100,
                                  .codec_id = CALVE_CODEC_DEFLATE,
                                  .level = -1,
                                  .sync = sync_marker};
  calve_manifest_writer *w = NULL;
  assert_ok(calve_manifest_writer_open(&params, &w, &t->err), &t->err);
  for (size_t i = 0; i < count; i++) {
    calve_manifest_entry e = entry_of(t, spec, &rows[i]);
    assert_ok(calve_manifest_writer_add(w, &e, &t->err), &t->err);
  }
  calve_str bytes;
  calve_manifest_file m;
  assert_ok(calve_manifest_writer_finish(w, &t->arena, &bytes, &m, &t->err), &t->err);
  if (m.sequence_number == CALVE_UNSET) m.sequence_number = sequence_number;
  if (m.min_sequence_number == CALVE_UNSET) m.min_sequence_number = sequence_number;
  assert_ok(calve_arena_printf(&t->arena, &m.path, &t->err, "/t/m%zu.avro",
                               CALVE_COUNT(&t->manifests, calve_manifest_file)),
            &t->err);
  assert_ok(calve_store_create(t->store, m.path, bytes, &t->err), &t->err);
  calve_manifest_writer_free(w);
  calve_buffer_put(&t->manifests, &m, sizeof m);
}

void table_commit(plan_table *t) {
  calve_manifest_list_params params = {.format_version = t->metadata->format_version,
                                       .snapshot_id = 100,
                                       .parent_snapshot_id = CALVE_NO_SNAPSHOT,
                                       .sequence_number = t->metadata->format_version > 1 ? 9 : 0,
                                       .first_row_id = t->metadata->format_version > 2 ? 0 : -1,
                                       .codec_id = CALVE_CODEC_DEFLATE,
                                       .level = -1,
                                       .sync = sync_marker};
  calve_buffer out;
  calve_buffer_init(&out, NULL);
  assert_ok(calve_manifest_list_write(&params, CALVE_ITEMS(&t->manifests, calve_manifest_file),
                                      CALVE_COUNT(&t->manifests, calve_manifest_file), &out, NULL,
                                      &t->err),
            &t->err);
  assert_ok(
      calve_store_create(t->store, CALVE_STR("/t/list.avro"), calve_buffer_view(&out), &t->err),
      &t->err);
  calve_buffer_free(&out);
}

calve_scan_params scan_params(plan_table *t, const char *filter) {
  calve_scan_params p = {.metadata = t->metadata, .store = t->store};
  if (filter) {
    assert_ok(calve_predicate_parse_json(calve_str_of(filter), NULL, &t->arena, &p.filter, &t->err),
              &t->err);
  }
  return p;
}

const char *planned_with(plan_table *t, const calve_scan_params *params) {
  calve_scan *scan = NULL;
  assert_same_with_caches(params);
  assert_ok(calve_scan_open(params, &scan, &t->err), &t->err);
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  for (;;) {
    const calve_scan_task *tasks;
    size_t count;
    assert_ok(calve_scan_next(scan, &tasks, &count, &t->err), &t->err);
    if (count == 0) break;
    for (size_t i = 0; i < count; i++) {
      if (b.size > 0) calve_buffer_putc(&b, ' ');
      calve_buffer_put_str(&b, tasks[i].file.path);
      for (size_t d = 0; d < tasks[i].delete_count; d++) {
        calve_buffer_putc(&b, d == 0 ? '[' : ',');
        calve_buffer_put_str(&b, tasks[i].deletes[d]->file.path);
      }
      if (tasks[i].delete_count > 0) calve_buffer_putc(&b, ']');
    }
  }
  calve_scan_close(scan);
  const char *text = calve_buffer_cstr(&b);
  text = calve_arena_copy(&t->arena, text, strlen(text));
  calve_buffer_free(&b);
  return text;
}

const char *planned(plan_table *t, const char *filter) {
  calve_scan_params p = scan_params(t, filter);
  return planned_with(t, &p);
}

const char *residuals(plan_table *t, const char *filter) {
  calve_scan_params p = scan_params(t, filter);
  calve_scan *scan = NULL;
  assert_same_with_caches(&p);
  assert_ok(calve_scan_open(&p, &scan, &t->err), &t->err);
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  for (;;) {
    const calve_scan_task *tasks;
    size_t count;
    assert_ok(calve_scan_next(scan, &tasks, &count, &t->err), &t->err);
    if (count == 0) break;
    for (size_t i = 0; i < count; i++) {
      if (b.size > 0) calve_buffer_puts(&b, "; ");
      calve_buffer_put_str(&b, tasks[i].file.path);
      calve_buffer_puts(&b, ": ");
      calve_predicate_print(tasks[i].residual, &b);
      if (tasks[i].matches_wholly) calve_buffer_puts(&b, " *");
    }
  }
  calve_scan_close(scan);
  const char *text = calve_buffer_cstr(&b);
  text = calve_arena_copy(&t->arena, text, strlen(text));
  calve_buffer_free(&b);
  return text;
}
