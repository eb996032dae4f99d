/* SPDX-License-Identifier: Apache-2.0 */
/* What is written reads back as it was: every vector manifest through our writer, all versions;
 * names and types of the Avro schema; refusals. */
#include "harness.h"

#include <dirent.h>

#include "base/text.h"
#include "codec/json.h"
#include "track/manifest.h"

static const uint8_t sync_marker[16] = "0123456789abcdef";

static const calve_schema *schema_of(calve_arena *arena, const char *fields) {
  calve_error err;
  calve_str json;
  const calve_schema *schema = NULL;
  assert_ok(calve_arena_printf(arena, &json, &err,
                               "{\"type\":\"struct\",\"schema-id\":3,\"fields\":[%s]}", fields),
            &err);
  assert_ok(calve_schema_parse(json, "schema", arena, &schema, &err), &err);
  return schema;
}

static const calve_spec *spec_of(calve_arena *arena, const char *fields) {
  calve_error err;
  calve_str json;
  const calve_spec *spec = NULL;
  assert_ok(calve_arena_printf(arena, &json, &err, "{\"spec-id\":5,\"fields\":[%s]}", fields),
            &err);
  assert_ok(calve_spec_parse(json, "spec", arena, &spec, &err), &err);
  return spec;
}

static calve_manifest_params params_of(const calve_schema *schema, const calve_spec *spec) {
  return (calve_manifest_params){.format_version = 2,
                                 .schema = schema,
                                 .spec = spec,
                                 .snapshot_id = 77,
                                 .codec_id = CALVE_CODEC_DEFLATE,
                                 .level = -1,
                                 .sync = sync_marker};
}

/* Opens written bytes as the manifest of that record. */
static const calve_manifest_entry *read_back(calve_arena *arena, calve_str bytes,
                                             const calve_manifest_file *m, size_t *count,
                                             calve_manifest_reader *reader) {
  calve_error err;
  const calve_manifest_options all = {.columns = CALVE_COLUMNS_ALL, .keep_deleted = true};
  const calve_manifest_entry *entries = NULL;
  assert_ok(calve_manifest_open(bytes, m, NULL, &all, arena, reader, &err), &err);
  assert_ok(calve_manifest_read_all(reader, arena, &entries, count, &err), &err);
  return entries;
}

static bool same_counts(calve_id_i64_list a, calve_id_i64_list b) {
  if ((a.items == NULL) != (b.items == NULL) || a.count != b.count) return false;
  for (size_t i = 0; i < a.count; i++) {
    if (a.items[i].id != b.items[i].id || a.items[i].value != b.items[i].value) return false;
  }
  return true;
}

static bool same_bounds(calve_id_bytes_list a, calve_id_bytes_list b) {
  if ((a.items == NULL) != (b.items == NULL) || a.count != b.count) return false;
  for (size_t i = 0; i < a.count; i++) {
    if (a.items[i].id != b.items[i].id) return false;
    if (!calve_str_equal(a.items[i].value, b.items[i].value)) return false;
  }
  return true;
}

static void assert_same_file(const calve_data_file *a, const calve_data_file *b) {
  assert_int_equal(a->content, b->content);
  assert_true(calve_str_equal(a->path, b->path));
  assert_true(calve_str_equal(a->format, b->format));
  assert_int_equal(a->partition_count, b->partition_count);
  assert_true(calve_tuple_equal(a->partition, b->partition, (size_t)a->partition_count));
  assert_int_equal(a->record_count, b->record_count);
  assert_int_equal(a->file_size_bytes, b->file_size_bytes);
  assert_true(same_counts(a->column_sizes, b->column_sizes));
  assert_true(same_counts(a->value_counts, b->value_counts));
  assert_true(same_counts(a->null_value_counts, b->null_value_counts));
  assert_true(same_counts(a->nan_value_counts, b->nan_value_counts));
  assert_true(same_bounds(a->lower_bounds, b->lower_bounds));
  assert_true(same_bounds(a->upper_bounds, b->upper_bounds));
  assert_int_equal(a->key_metadata.data == NULL, b->key_metadata.data == NULL);
  assert_true(calve_str_equal(a->key_metadata, b->key_metadata));
  assert_int_equal(a->split_offsets.count, b->split_offsets.count);
  for (size_t i = 0; i < a->split_offsets.count; i++) {
    assert_int_equal(a->split_offsets.items[i], b->split_offsets.items[i]);
  }
  assert_int_equal(a->equality_ids.count, b->equality_ids.count);
  for (size_t i = 0; i < a->equality_ids.count; i++) {
    assert_int_equal(a->equality_ids.items[i], b->equality_ids.items[i]);
  }
  assert_int_equal(a->sort_order_id, b->sort_order_id);
  assert_true(calve_str_equal(a->referenced_data_file, b->referenced_data_file));
  assert_int_equal(a->content_offset, b->content_offset);
  assert_int_equal(a->content_size_bytes, b->content_size_bytes);
}

static int64_t number(const calve_json *j, const char *key) {
  int64_t v = CALVE_UNSET;
  calve_json_as_i64(calve_json_get(j, key), &v);
  return v;
}

/* The writer's own record, against the one that the reference's writer made of the same entries. */
static void assert_same_record(const calve_manifest_file *m, const calve_json *want) {
  assert_int_equal(m->spec_id, number(want, "partition_spec_id"));
  assert_int_equal(m->content, number(want, "content"));
  assert_int_equal(m->added_files_count, number(want, "added_files_count"));
  assert_int_equal(m->existing_files_count, number(want, "existing_files_count"));
  assert_int_equal(m->deleted_files_count, number(want, "deleted_files_count"));
  assert_int_equal(m->added_rows_count, number(want, "added_rows_count"));
  assert_int_equal(m->existing_rows_count, number(want, "existing_rows_count"));
  assert_int_equal(m->deleted_rows_count, number(want, "deleted_rows_count"));
  const calve_json *parts = calve_json_get(want, "partitions");
  if (!parts || parts->kind != CALVE_JSON_ARRAY) return;
  assert_int_equal(m->partition_count, parts->count);
  for (size_t i = 0; i < parts->count; i++) {
    const calve_json *p = &parts->items[i];
    assert_int_equal(m->partitions[i].contains_null, calve_json_get(p, "contains_null")->boolean);
    assert_int_equal(m->partitions[i].contains_nan, calve_json_get(p, "contains_nan")->boolean);
    const char *keys[] = {"lower_bound", "upper_bound"};
    for (int k = 0; k < 2; k++) {
      calve_str got = k == 0 ? m->partitions[i].lower : m->partitions[i].upper;
      const calve_json *hex = calve_json_get(p, keys[k]);
      bool is_null = !hex || hex->kind != CALVE_JSON_STRING;
      assert_int_equal(got.data == NULL, is_null);
      char text[200] = "";
      for (size_t b = 0; b < got.size && b < 90; b++) {
        snprintf(text + 2 * b, 3, "%02x", (uint8_t)got.data[b]);
      }
      if (!is_null) assert_true(calve_str_equal_text(hex->text, text));
    }
  }
}

/* Reads a vector, writes it again, reads that: all the same. */
static void round_trip(const char *name) {
  calve_arena arena;
  calve_error err;
  calve_arena_init(&arena, NULL);
  char path[600];
  snprintf(path, sizeof path, CALVE_VECTORS_DIR "/manifests/%s.json", name);
  char *json = read_file(path, NULL);
  const calve_json *row = NULL;
  assert_ok(calve_json_parse(calve_str_of(json), path, &arena, &row, &err), &err);
  const calve_json *record = calve_json_get(row, "written_manifest_file");
  int64_t version = number(row, "format_version");
  snprintf(path, sizeof path, CALVE_VECTORS_DIR "/manifests/%s.avro", name);
  size_t size;
  char *avro = read_file(path, &size);

  calve_manifest_file m = calve_manifest_file_blank();
  m.path = calve_str_of(path);
  m.content = (int32_t)number(record, "content");
  m.added_snapshot_id = 200;
  m.sequence_number = version > 1 ? 7 : 0;
  calve_manifest_reader reader, again;
  size_t count, again_count;
  const calve_manifest_entry *entries =
      read_back(&arena, (calve_str){avro, size}, &m, &count, &reader);

  calve_str schema_text = reader.schema_json;
  const calve_schema *schema = NULL;
  assert_ok(calve_schema_parse(schema_text, path, &arena, &schema, &err), &err);
  calve_manifest_params params = params_of(schema, reader.spec);
  params.format_version = (int32_t)version;
  params.content = m.content;
  params.partition_types = reader.partition_types;
  calve_manifest_writer *w = NULL;
  assert_ok(calve_manifest_writer_open(&params, &w, &err), &err);
  for (size_t i = 0; i < count; i++) {
    assert_ok(calve_manifest_writer_add(w, &entries[i], &err), &err);
  }
  assert_int_equal(calve_manifest_writer_count(w), count);
  calve_str bytes;
  calve_manifest_file written;
  assert_ok(calve_manifest_writer_finish(w, &arena, &bytes, &written, &err), &err);
  assert_same_record(&written, record);
  written.path = calve_str_of(path);
  written.sequence_number = m.sequence_number;
  const calve_manifest_entry *back = read_back(&arena, bytes, &written, &again_count, &again);
  assert_int_equal(again_count, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(back[i].status, entries[i].status);
    assert_int_equal(back[i].snapshot_id, entries[i].snapshot_id);
    assert_int_equal(back[i].data_sequence_number, entries[i].data_sequence_number);
    assert_int_equal(back[i].file_sequence_number, entries[i].file_sequence_number);
    assert_same_file(&entries[i].file, &back[i].file);
  }
  calve_manifest_writer_free(w);
  free(json);
  free(avro);
  calve_arena_free(&arena);
}

static void test_vectors_written_again_read_the_same(void **state) {
  (void)state;
  DIR *folder = opendir(CALVE_VECTORS_DIR "/manifests");
  assert_non_null(folder);
  size_t done = 0;
  for (struct dirent *e; (e = readdir(folder)) != NULL;) {
    char name[300];
    snprintf(name, sizeof name, "%s", e->d_name);
    char *dot = strrchr(name, '.');
    if (!dot || strcmp(dot, ".avro") != 0) continue;
    *dot = '\0';
    if (!strstr(name, "_data_") && !strstr(name, "_deletes_")) continue;
    print_message("%s\n", name);
    round_trip(name);
    done++;
  }
  closedir(folder);
  assert_true(done >= 40);
}

static const char *avro_schema_of(calve_arena *arena, calve_str bytes) {
  calve_avro_file file;
  calve_error err;
  assert_ok(calve_avro_open(bytes, "written", arena, &file, &err), &err);
  calve_str text = calve_avro_get_meta(&file, "avro.schema");
  return calve_arena_copy(arena, text.data, text.size);
}

/* B031: names that Avro forbids; two that become equal; the old name is kept beside. B030: day is
 * written as date. Fixed, decimal and uuid types have a name each, though they are equal. */
static void test_names_and_types_of_the_tuple(void **state) {
  (void)state;
  calve_arena arena;
  calve_error err;
  calve_arena_init(&arena, NULL);
#define COLUMN(id, name, type) \
  "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":\"" type "\"}"
#define PART(source, id, name, transform)                            \
  "{\"source-id\":" #source ",\"field-id\":" #id ",\"name\":\"" name \
  "\",\"transform\":\"" transform "\"}"
  const calve_schema *schema = schema_of(
      &arena, COLUMN(1, "a", "decimal(9,2)") "," COLUMN(2, "b", "decimal(9,2)") "," COLUMN(
                  3, "u", "uuid") "," COLUMN(4, "v", "uuid") "," COLUMN(5, "ts", "timestamp"));
  const calve_spec *spec = spec_of(
      &arena,
      PART(1, 1000, "data.id", "identity") "," PART(2, 1001, "data_x2Eid", "identity") "," PART(
          3, 1002, "815d_day", "identity") "," PART(4, 1003, "\xf0\x9f\x98\x8e",
                                                    "identity") "," PART(5, 1004, "ts_day", "day"));
  calve_manifest_params params = params_of(schema, spec);
  calve_manifest_writer *w = NULL;
  assert_ok(calve_manifest_writer_open(&params, &w, &err), &err);
  calve_value tuple[] = {{.type = CALVE_DECIMAL, .scale = 2, .i128 = -1065},
                         calve_value_null(CALVE_DECIMAL),
                         {.type = CALVE_UUID, .uuid = {1, 2, 3}},
                         {.type = CALVE_UUID, .uuid = {9, 8, 7}},
                         {.type = CALVE_DATE, .i32 = 19737}};
  calve_manifest_entry e = {.status = CALVE_ENTRY_ADDED,
                            .snapshot_id = CALVE_UNSET,
                            .data_sequence_number = CALVE_UNSET,
                            .file_sequence_number = CALVE_UNSET,
                            .file = calve_data_file_blank()};
  e.file.path = CALVE_STR("/t/f");
  e.file.format = CALVE_STR("PARQUET");
  e.file.partition = tuple;
  e.file.partition_count = 5;
  assert_ok(calve_manifest_writer_add(w, &e, &err), &err);
  calve_str bytes;
  calve_manifest_file m;
  assert_ok(calve_manifest_writer_finish(w, &arena, &bytes, &m, &err), &err);
  const char *schema_text = avro_schema_of(&arena, bytes);
  static const char *const parts[] = {
      "{\"name\":\"data_x2Eid\",",
      "\"iceberg-field-name\":\"data.id\"",
      "{\"name\":\"data_x2Eid_f1001\",",
      "{\"name\":\"_815d_day\",",
      "{\"name\":\"_xD83D_xDE0E\",",
      "\"iceberg-field-name\":\"\xf0\x9f\x98\x8e\"",
      "\"decimal_9_2_f1000\",\"size\":4",
      "\"decimal_9_2_f1001\",\"size\":4",
      "\"uuid_fixed_f1002\"",
      "\"uuid_fixed_f1003\"",
      "{\"name\":\"ts_day\",\"type\":[\"null\",{\"type\":\"int\",\"logicalType\":\"date\"}]"};
  for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
    if (!strstr(schema_text, parts[i])) fail_msg("%s is not in %s", parts[i], schema_text);
  }
  m.path = CALVE_STR("/t/m");
  m.sequence_number = 4;
  calve_manifest_reader reader;
  size_t count;
  const calve_manifest_entry *back = read_back(&arena, bytes, &m, &count, &reader);
  assert_int_equal(count, 1);
  assert_true(calve_tuple_equal(back->file.partition, tuple, 5));
  assert_int_equal(back->data_sequence_number, 4);
  assert_int_equal(back->file_sequence_number, 4);
  assert_int_equal(back->snapshot_id, 77);
  assert_int_equal(back->file.spec_id, 5);
  calve_manifest_writer_free(w);
  calve_arena_free(&arena);
}

/* B059 and the rules of the spec: what does not fit is refused, and says why. */
static void test_entries_that_do_not_fit_are_refused(void **state) {
  (void)state;
  calve_arena arena;
  calve_error err;
  calve_arena_init(&arena, NULL);
  const calve_schema *schema = schema_of(&arena, COLUMN(1, "a", "int"));
  const calve_spec *spec = spec_of(&arena, PART(1, 1000, "a", "identity"));
  calve_value number_value = {.type = CALVE_INT, .i32 = 1};
  calve_value text_value = {.type = CALVE_STRING, .bytes = {"x", 1}};
  static const struct {
    int32_t status, content, partition_count;
    bool text, vector;
    int64_t records, sequence_number;
    const char *path, *message;
  } rows[] = {
      {CALVE_ENTRY_ADDED, 0, 0, false, false, 1, -1, "/f", "partition values"},
      {CALVE_ENTRY_ADDED, 0, 1, true, false, 1, -1, "/f", "is no int"},
      {CALVE_ENTRY_ADDED, 1, 1, false, false, 1, -1, "/f", "manifests of their own"},
      {CALVE_ENTRY_ADDED, 0, 1, false, false, -1, -1, "/f", "negative"},
      {CALVE_ENTRY_ADDED, 0, 1, false, false, 1, -1, "", "path"},
      {CALVE_ENTRY_EXISTING, 0, 1, false, false, 1, -1, "/f", "sequence number"},
      {CALVE_ENTRY_DELETED, 0, 1, false, false, 1, -1, "/f", "sequence number"},
      {9, 0, 1, false, false, 1, 1, "/f", "status"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_manifest_params params = params_of(schema, spec);
    calve_manifest_writer *w = NULL;
    assert_ok(calve_manifest_writer_open(&params, &w, &err), &err);
    calve_manifest_entry e = {.status = rows[i].status,
                              .data_sequence_number = rows[i].sequence_number,
                              .file_sequence_number = rows[i].sequence_number,
                              .file = calve_data_file_blank()};
    e.file.content = rows[i].content;
    e.file.path = calve_str_of(rows[i].path);
    e.file.format = CALVE_STR("PARQUET");
    e.file.record_count = rows[i].records;
    e.file.partition = rows[i].text ? &text_value : &number_value;
    e.file.partition_count = rows[i].partition_count;
    assert_fails(calve_manifest_writer_add(w, &e, &err), CALVE_EINVAL, &err);
    assert_message(&err, rows[i].message);
    calve_manifest_writer_free(w);
  }
  calve_manifest_params deletes = params_of(schema, spec);
  deletes.format_version = 1;
  deletes.content = CALVE_MANIFEST_DELETES;
  calve_manifest_writer *w = NULL;
  assert_fails(calve_manifest_writer_open(&deletes, &w, &err), CALVE_EINVAL, &err);
  deletes.format_version = 4;
  assert_fails(calve_manifest_writer_open(&deletes, &w, &err), CALVE_EUNSUPPORTED, &err);
  calve_arena_free(&arena);
}

/* Manifests of writers before Iceberg 1.1 have no file_sequence_number: what is carried on from
 * them has none either, and nobody may make one up. [spec: Sequence Number Inheritance] */
static void test_a_file_sequence_number_that_is_not_known_stays_null(void **state) {
  (void)state;
  calve_arena arena;
  calve_error err;
  calve_arena_init(&arena, NULL);
  const calve_schema *schema = schema_of(&arena, COLUMN(1, "a", "int"));
  const calve_spec *spec = spec_of(&arena, PART(1, 1000, "a", "identity"));
  calve_value one = {.type = CALVE_INT, .i32 = 1};
  calve_manifest_params params = params_of(schema, spec);
  calve_manifest_writer *w = NULL;
  assert_ok(calve_manifest_writer_open(&params, &w, &err), &err);
  calve_manifest_entry e = {.status = CALVE_ENTRY_EXISTING,
                            .snapshot_id = 5,
                            .data_sequence_number = 3,
                            .file_sequence_number = CALVE_UNSET,
                            .file = calve_data_file_blank()};
  e.file.path = CALVE_STR("/t/f");
  e.file.format = CALVE_STR("PARQUET");
  e.file.partition = &one;
  e.file.partition_count = 1;
  assert_ok(calve_manifest_writer_add(w, &e, &err), &err);
  e.status = CALVE_ENTRY_DELETED;
  assert_ok(calve_manifest_writer_add(w, &e, &err), &err);
  calve_str bytes;
  calve_manifest_file m;
  assert_ok(calve_manifest_writer_finish(w, &arena, &bytes, &m, &err), &err);
  assert_int_equal(m.min_sequence_number, 3);
  m.path = CALVE_STR("/t/m");
  m.sequence_number = 9;
  calve_manifest_reader reader;
  size_t count;
  const calve_manifest_entry *back = read_back(&arena, bytes, &m, &count, &reader);
  assert_int_equal(count, 2);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(back[i].data_sequence_number, 3);
    assert_int_equal(back[i].file_sequence_number, CALVE_UNSET);
  }
  calve_manifest_writer_free(w);
  calve_arena_free(&arena);
}

/* What a manifest does not say of its tuples must not become null when it is written anew: null
 * would be a value. */
static void test_a_partition_field_that_was_lacking_stays_out(void **state) {
  (void)state;
  calve_arena arena;
  calve_error err;
  calve_arena_init(&arena, NULL);
  const calve_schema *schema = schema_of(&arena, COLUMN(1, "a", "int") "," COLUMN(2, "b", "int"));
  const calve_spec *spec = spec_of(
      &arena, PART(1, 1000, "a", "identity") "," PART(2, 1001, "b", "identity"));
  const calve_type *const types[] = {calve_type_of(CALVE_UNKNOWN), calve_type_of(CALVE_INT)};
  calve_value tuple[] = {calve_value_null(CALVE_UNKNOWN), {.type = CALVE_INT, .i32 = 7}};
  calve_manifest_params params = params_of(schema, spec);
  params.partition_types = types;
  calve_manifest_writer *w = NULL;
  assert_ok(calve_manifest_writer_open(&params, &w, &err), &err);
  calve_manifest_entry e = {.status = CALVE_ENTRY_ADDED,
                            .data_sequence_number = CALVE_UNSET,
                            .file_sequence_number = CALVE_UNSET,
                            .file = calve_data_file_blank()};
  e.file.path = CALVE_STR("/t/f");
  e.file.format = CALVE_STR("PARQUET");
  e.file.partition = tuple;
  e.file.partition_count = 2;
  assert_ok(calve_manifest_writer_add(w, &e, &err), &err);
  calve_str bytes;
  calve_manifest_file m;
  assert_ok(calve_manifest_writer_finish(w, &arena, &bytes, &m, &err), &err);
  assert_null(m.partitions); /* "contains null, no bounds" would say that all are null */
  assert_int_equal(m.partition_count, 0);
  m.path = CALVE_STR("/t/m");
  m.sequence_number = 4;
  calve_manifest_reader reader;
  size_t count;
  const calve_manifest_entry *back = read_back(&arena, bytes, &m, &count, &reader);
  assert_int_equal(count, 1);
  assert_int_equal(reader.partition_types[0]->id, CALVE_UNKNOWN);
  assert_int_equal(reader.partition_types[1]->id, CALVE_INT);
  assert_false(calve_manifest_tuples_known(&reader, reader.spec));
  assert_int_equal(back->file.partition[1].i32, 7);
  calve_manifest_writer_free(w);
  calve_arena_free(&arena);
}

/* Found by fuzzing: the file that such a spec gave could not be opened again. */
static void test_a_spec_with_one_id_twice_writes_no_manifest(void **state) {
  (void)state;
  calve_arena arena;
  calve_error err;
  calve_manifest_writer *w = NULL;
  calve_arena_init(&arena, NULL);
  const calve_schema *schema =
      schema_of(&arena, "{\"id\":1,\"name\":\"a\",\"required\":false,\"type\":\"int\"}");
  const calve_spec *spec = spec_of(
      &arena, "{\"name\":\"x\",\"transform\":\"identity\",\"source-id\":1,\"field-id\":1000},"
              "{\"name\":\"y\",\"transform\":\"bucket[4]\",\"source-id\":1,\"field-id\":1000}");
  const calve_manifest_params params = params_of(schema, spec);
  assert_fails(calve_manifest_writer_open(&params, &w, &err), CALVE_EINVAL, &err);
  assert_message(&err, "x and y of spec 5");
  assert_null(w);
  calve_arena_free(&arena);
}

static void test_writer_survives_every_oom(void **state) {
  (void)state;
  calve_arena arena;
  calve_error err;
  calve_arena_init(&arena, NULL);
  const calve_schema *schema = schema_of(&arena, COLUMN(1, "a", "string"));
  const calve_spec *spec = spec_of(&arena, PART(1, 1000, "a.b", "identity"));
  calve_value text_value = {.type = CALVE_STRING, .bytes = {"x", 1}};
  calve_manifest_entry e = {.status = CALVE_ENTRY_ADDED,
                            .snapshot_id = CALVE_UNSET,
                            .data_sequence_number = CALVE_UNSET,
                            .file_sequence_number = CALVE_UNSET,
                            .file = calve_data_file_blank()};
  e.file.path = CALVE_STR("/t/f");
  e.file.format = CALVE_STR("PARQUET");
  e.file.partition = &text_value;
  e.file.partition_count = 1;
  long needed = -1;
  for (long n = 0; n < 1000 && needed < 0; n++) {
    failing_allocator mem;
    failing_allocator_init(&mem, n);
    calve_arena own;
    calve_arena_init(&own, &mem.allocator);
    calve_manifest_params params = params_of(schema, spec);
    params.allocator = &mem.allocator;
    calve_manifest_writer *w = NULL;
    calve_str bytes;
    calve_manifest_file m;
    calve_status status = calve_manifest_writer_open(&params, &w, &err);
    if (status == CALVE_OK) status = calve_manifest_writer_add(w, &e, &err);
    if (status == CALVE_OK) status = calve_manifest_writer_finish(w, &own, &bytes, &m, &err);
    calve_manifest_writer_free(w);
    calve_arena_free(&own);
    assert_int_equal(mem.live_bytes, 0);
    if (status == CALVE_OK)
      needed = n;
    else
      assert_int_equal(status, CALVE_ENOMEM);
  }
  assert_true(needed > 5);
  calve_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vectors_written_again_read_the_same),
      cmocka_unit_test(test_names_and_types_of_the_tuple),
      cmocka_unit_test(test_entries_that_do_not_fit_are_refused),
      cmocka_unit_test(test_a_file_sequence_number_that_is_not_known_stays_null),
      cmocka_unit_test(test_a_partition_field_that_was_lacking_stays_out),
      cmocka_unit_test(test_a_spec_with_one_id_twice_writes_no_manifest),
      cmocka_unit_test(test_writer_survives_every_oom),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
