/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_table.h"

#include "base/uuid.h"

static const uint8_t sync_marker[16] = "sync marker of c";

static const char metadata_json[] =
    "{\"format-version\":2,\"table-uuid\":\"" CACHE_TABLE_UUID "\",\"location\":\"%s\","
    "\"last-sequence-number\":9,\"last-updated-ms\":1,\"last-column-id\":4,"
    "\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\",\"schema-id\":0,\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":\"long\"},"
    "{\"id\":2,\"name\":\"d\",\"required\":false,\"type\":\"date\"},"
    "{\"id\":3,\"name\":\"s\",\"required\":false,\"type\":\"string\"},"
    "{\"id\":4,\"name\":\"x\",\"required\":false,\"type\":\"double\"}]}],"
    "\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":["
    "{\"source-id\":2,\"field-id\":1000,\"transform\":\"month\",\"name\":\"d_month\"},"
    "{\"source-id\":3,\"field-id\":1001,\"transform\":\"identity\",\"name\":\"s\"}]}],"
    "\"last-partition-id\":1001,\"default-sort-order-id\":0,"
    "\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],\"current-snapshot-id\":100,"
    "\"refs\":{\"main\":{\"snapshot-id\":100,\"type\":\"branch\"}},"
    "\"snapshots\":[{\"snapshot-id\":100,\"sequence-number\":9,\"timestamp-ms\":1,"
    "\"manifest-list\":\"%s/list.avro\",\"summary\":{\"operation\":\"append\"},"
    "\"schema-id\":0}]}";

static void fill_entry(calve_arena *arena, size_t i, int64_t shift, calve_manifest_entry *e) {
  int64_t n = (int64_t)i + shift;
  calve_str path;
  calve_error err;
  assert_ok(calve_arena_printf(arena, &path, &err, "/data/month=%d/%zu.parquet", (int)(i / 3), i),
            &err);
  *e = (calve_manifest_entry){.status = CALVE_ENTRY_ADDED,
                              .snapshot_id = CALVE_UNSET,
                              .data_sequence_number = CALVE_UNSET,
                              .file_sequence_number = CALVE_UNSET,
                              .file = calve_data_file_blank()};
  calve_data_file *f = &e->file;
  calve_value *tuple = CALVE_NEW_ARRAY(arena, calve_value, 2);
  calve_id_i64 *counts = CALVE_NEW_ARRAY(arena, calve_id_i64, 4);
  calve_id_bytes *bounds = CALVE_NEW_ARRAY(arena, calve_id_bytes, 2);
  int64_t *offsets = CALVE_NEW_ARRAY(arena, int64_t, 2);
  tuple[0] = (calve_value){.type = CALVE_INT};
  tuple[0].i32 = (int32_t)(i / 3);
  tuple[1] = i % 5 == 0 ? calve_value_null(CALVE_STRING) : (calve_value){.type = CALVE_STRING};
  if (i % 5) tuple[1].bytes = i % 2 ? CALVE_STR("odd") : CALVE_STR("even ones");
  for (int32_t c = 0; c < 4; c++) counts[c] = (calve_id_i64){c + 1, 100 + n * (c + 1)};
  bounds[0] = (calve_id_bytes){1, {calve_arena_copy(arena, &n, 8), 8}};
  bounds[1] = (calve_id_bytes){3, i % 2 ? CALVE_STR("a") : CALVE_STR("banana")};
  offsets[0] = 4;
  offsets[1] = 4 + n;
  f->path = path;
  f->format = CALVE_STR("PARQUET");
  f->record_count = 10 + n;
  f->file_size_bytes = 1000 + n;
  f->partition = tuple;
  f->partition_count = 2;
  f->sort_order_id = i % 7 == 0 ? -1 : 0;
  f->column_sizes = (calve_id_i64_list){counts, 4};
  f->value_counts = (calve_id_i64_list){counts, i % 4 ? 4 : 1};
  f->lower_bounds = (calve_id_bytes_list){bounds, i % 6 == 0 ? 0 : 2};
  f->upper_bounds = (calve_id_bytes_list){bounds, 2};
  if (i % 3) f->split_offsets = (calve_i64_list){offsets, 2};
  if (i % 4 == 1) f->key_metadata = CALVE_STR("key");
}

void cache_table_write(cache_table *t, size_t manifest, int64_t shift) {
  calve_manifest_params params = {.format_version = 2,
                                  .schema = t->metadata->schema,
                                  .spec = t->metadata->specs[0],
                                  .snapshot_id = 100,
                                  .codec_id = CALVE_CODEC_DEFLATE,
                                  .level = -1,
                                  .sync = sync_marker};
  calve_manifest_writer *w = NULL;
  assert_ok(calve_manifest_writer_open(&params, &w, &t->err), &t->err);
  for (size_t i = 0; i < t->file_count; i++) {
    calve_manifest_entry e;
    fill_entry(&t->arena, i, shift, &e);
    assert_ok(calve_manifest_writer_add(w, &e, &t->err), &t->err);
  }
  calve_str bytes;
  calve_manifest_file *m = &t->manifests[manifest];
  assert_ok(calve_manifest_writer_finish(w, &t->arena, &bytes, m, &t->err), &t->err);
  m->sequence_number = 9;
  m->min_sequence_number = 9;
  assert_ok(calve_arena_printf(&t->arena, &m->path, &t->err, "%s/m%zu.avro", t->folder, manifest),
            &t->err);
  assert_ok(calve_store_replace(calve_local_store(), m->path, bytes, &t->err), &t->err);
  calve_manifest_writer_free(w);
}

static void write_list(cache_table *t) {
  calve_manifest_list_params params = {.format_version = 2,
                                       .snapshot_id = 100,
                                       .parent_snapshot_id = CALVE_NO_SNAPSHOT,
                                       .sequence_number = 9,
                                       .first_row_id = -1,
                                       .codec_id = CALVE_CODEC_NULL,
                                       .level = -1,
                                       .sync = sync_marker};
  calve_buffer out;
  calve_str path;
  calve_buffer_init(&out, NULL);
  assert_ok(calve_manifest_list_write(&params, t->manifests, t->manifest_count, &out, NULL,
                                      &t->err),
            &t->err);
  assert_ok(calve_arena_printf(&t->arena, &path, &t->err, "%s/list.avro", t->folder), &t->err);
  assert_ok(calve_store_replace(calve_local_store(), path, calve_buffer_view(&out), &t->err),
            &t->err);
  calve_buffer_free(&out);
}

void cache_table_open(cache_table *t, size_t manifests, size_t files) {
  memset(t, 0, sizeof *t);
  calve_arena_init(&t->arena, NULL);
  make_temp_dir(t->folder);
  calve_str json;
  assert_ok(calve_arena_printf(&t->arena, &json, &t->err, metadata_json, t->folder, t->folder),
            &t->err);
  assert_ok(calve_metadata_parse(json, "t.metadata.json", &t->arena, &t->metadata, &t->err),
            &t->err);
  t->manifests = CALVE_NEW_ARRAY(&t->arena, calve_manifest_file, manifests);
  t->manifest_count = manifests;
  t->file_count = files;
  for (size_t i = 0; i < manifests; i++) cache_table_write(t, i, (int64_t)(i * 1000));
  write_list(t);
}

void cache_table_close(cache_table *t) {
  remove_temp_dir(t->folder);
  calve_arena_free(&t->arena);
}

calve_image_key cache_table_key(const cache_table *t, size_t manifest) {
  uint8_t uuid[16];
  assert_true(calve_uuid_parse(t->metadata->table_uuid, uuid));
  return calve_image_key_of(uuid, &t->manifests[manifest], 77);
}

calve_str cache_table_image(cache_table *t, size_t manifest, calve_image_key *key) {
  calve_str bytes;
  calve_buffer image;
  bool made = false;
  *key = cache_table_key(t, manifest);
  calve_buffer_init(&image, NULL);
  assert_ok(calve_store_read(calve_local_store(), t->manifests[manifest].path, 1 << 20, &t->arena,
                             &bytes, &t->err),
            &t->err);
  assert_ok(calve_image_build(key, bytes, &t->manifests[manifest], t->metadata, NULL, &image, &made,
                              &t->err),
            &t->err);
  assert_true(made);
  calve_str copy = {calve_arena_copy(&t->arena, image.data, image.size), image.size};
  calve_buffer_free(&image);
  return copy;
}

static uint64_t mix(uint64_t sum, uint64_t v) {
  return (sum ^ v) * UINT64_C(0x9E3779B185EBCA87) + (sum >> 31);
}

static uint64_t sum_of(const calve_data_file *f) {
  uint64_t sum = mix(calve_str_hash(f->path), (uint64_t)f->record_count);
  sum = mix(sum, (uint64_t)f->file_size_bytes);
  sum = mix(sum, (uint64_t)(uint32_t)f->sort_order_id);
  sum = mix(sum, calve_tuple_hash(f->partition, (size_t)f->partition_count));
  const calve_id_i64_list *counts[] = {&f->column_sizes, &f->value_counts};
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < counts[k]->count; i++)
      sum = mix(mix(sum, (uint64_t)counts[k]->items[i].id), (uint64_t)counts[k]->items[i].value);
  const calve_id_bytes_list *bounds[] = {&f->lower_bounds, &f->upper_bounds};
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < bounds[k]->count; i++)
      sum = mix(sum, calve_str_hash(bounds[k]->items[i].value));
  for (size_t i = 0; i < f->split_offsets.count; i++)
    sum = mix(sum, (uint64_t)f->split_offsets.items[i]);
  return f->key_metadata.data ? mix(sum, calve_str_hash(f->key_metadata)) : sum;
}

cache_sums cache_table_plan(const cache_table *t, calve_cache *cache, uint32_t columns,
                            const calve_executor *executor) {
  const calve_scan_params params = {.metadata = t->metadata,
                                    .store = calve_local_store(),
                                    .columns = columns,
                                    .executor = executor,
                                    .cache = cache};
  calve_scan *scan = NULL;
  calve_error err;
  cache_sums sums = {0};
  assert_ok(calve_scan_open(&params, &scan, &err), &err);
  for (;;) {
    const calve_scan_task *tasks;
    size_t count;
    assert_ok(calve_scan_next(scan, &tasks, &count, &err), &err);
    if (count == 0) break;
    for (size_t i = 0; i < count; i++) sums.sum = mix(sums.sum, sum_of(&tasks[i].file));
    sums.files += count;
  }
  calve_scan_close(scan);
  return sums;
}

calve_cache_counts cache_counts(calve_cache *cache) {
  calve_cache_counts counts = {.struct_size = sizeof counts};
  calve_error err;
  assert_ok(calve_cache_get_counts(cache, &counts, &err), &err);
  return counts;
}

calve_cache *cache_open(const char *folder, int64_t max_bytes) {
  const calve_cache_config config = {
      .struct_size = sizeof config, .folder = folder, .max_bytes = max_bytes};
  calve_cache *cache = NULL;
  calve_error err;
  assert_ok(calve_cache_open(&config, &cache, &err), &err);
  return cache;
}
