/* SPDX-License-Identifier: Apache-2.0 */
/* Manifest lists: written and read back in all versions, row ids assigned, odd lists read. */
#include "harness.h"

#include "base/text.h"
#include "codec/avro_writer.h"
#include "model/snapshot.h"
#include "track/manifest_list.h"

static const uint8_t sync_marker[16] = "0123456789abcdef";

static calve_manifest_list_params params_of(int32_t version) {
  return (calve_manifest_list_params){.format_version = version,
                                      .snapshot_id = 9,
                                      .parent_snapshot_id = CALVE_NO_SNAPSHOT,
                                      .sequence_number = version > 1 ? 5 : 0,
                                      .first_row_id = version > 2 ? 1000 : CALVE_UNSET,
                                      .codec_id = CALVE_CODEC_DEFLATE,
                                      .level = -1,
                                      .sync = sync_marker};
}

static calve_manifest_file manifest_of(const char *path, int32_t content, int64_t added_rows,
                                       int64_t existing_rows) {
  static const calve_field_summary summaries[] = {{.contains_null = true,
                                                   .contains_nan = 0,
                                                   .lower = {"\1\0\0\0", 4},
                                                   .upper = {"\2\0\0\0", 4}},
                                                  {.contains_nan = -1, .lower = {"", 0}}};
  calve_manifest_file m = calve_manifest_file_blank();
  m.path = calve_str_of(path);
  m.length_bytes = 1234;
  m.spec_id = 3;
  m.content = content;
  m.sequence_number = m.min_sequence_number = CALVE_UNSET;
  m.added_files_count = 1;
  m.existing_files_count = m.deleted_files_count = 0;
  m.added_rows_count = added_rows;
  m.existing_rows_count = existing_rows;
  m.deleted_rows_count = 0;
  m.partitions = summaries;
  m.partition_count = 2;
  m.key_metadata = CALVE_STR("key");
  return m;
}

static void test_versions_read_back(void **state) {
  (void)state;
  for (int32_t version = 1; version <= 3; version++) {
    calve_arena arena;
    calve_error err;
    calve_buffer out;
    calve_arena_init(&arena, NULL);
    calve_buffer_init(&out, NULL);
    calve_manifest_file m[2] = {manifest_of("/t/a", CALVE_MANIFEST_DATA, 10, 5),
                                manifest_of("/t/b", CALVE_MANIFEST_DATA, 1, 0)};
    m[1].partitions = NULL;
    calve_manifest_list_params params = params_of(version);
    assert_ok(calve_manifest_list_write(&params, m, 2, &out, NULL, &err), &err);
    const calve_manifest_file *back;
    size_t count;
    assert_ok(calve_manifest_list_read(calve_buffer_view(&out), "l", &arena, &back, &count, &err),
              &err);
    assert_int_equal(count, 2);
    assert_true(calve_str_equal_text(back[0].path, "/t/a"));
    assert_int_equal(back[0].length_bytes, 1234);
    assert_int_equal(back[0].spec_id, 3);
    assert_int_equal(back[0].sequence_number, version > 1 ? 5 : 0);
    assert_int_equal(back[0].min_sequence_number, version > 1 ? 5 : 0);
    assert_int_equal(back[0].added_snapshot_id, 9);
    assert_int_equal(back[0].added_rows_count, 10);
    assert_int_equal(back[0].first_row_id, version > 2 ? 1000 : CALVE_UNSET);
    assert_int_equal(back[1].first_row_id, version > 2 ? 1015 : CALVE_UNSET);
    assert_int_equal(back[0].partition_count, 2);
    assert_true(back[0].partitions[0].contains_null);
    assert_int_equal(back[0].partitions[0].contains_nan, 0);
    assert_int_equal(back[0].partitions[1].contains_nan, -1);
    assert_memory_equal(back[0].partitions[0].upper.data, "\2\0\0\0", 4);
    assert_non_null(back[0].partitions[1].lower.data); /* an empty bound is a bound             */
    assert_null(back[0].partitions[1].upper.data);
    assert_true(calve_str_equal_text(back[0].key_metadata, "key"));
    assert_null(back[1].partitions);
    calve_buffer_free(&out);
    calve_arena_free(&arena);
  }
}

/* [spec: First Row ID Assignment]: manifests that have one keep it, deletes get none. */
static void test_row_ids_are_assigned(void **state) {
  (void)state;
  calve_arena arena;
  calve_error err;
  calve_buffer out;
  calve_arena_init(&arena, NULL);
  calve_buffer_init(&out, NULL);
  calve_manifest_file m[5] = {
      manifest_of("/existing", CALVE_MANIFEST_DATA, 75, 0),
      manifest_of("/added1", CALVE_MANIFEST_DATA, 100, 25),
      manifest_of("/deletes", CALVE_MANIFEST_DELETES, 7, 7),
      manifest_of("/added2", CALVE_MANIFEST_DATA, 0, 100),
      manifest_of("/added3", CALVE_MANIFEST_DATA, 125, 25),
  };
  m[0].first_row_id = 925;
  m[2].first_row_id = 3;
  calve_manifest_list_params params = params_of(3);
  int64_t next_row_id = 0;
  assert_ok(calve_manifest_list_write(&params, m, 5, &out, &next_row_id, &err), &err);
  assert_int_equal(next_row_id, 1375);
  const calve_manifest_file *back;
  size_t count;
  assert_ok(calve_manifest_list_read(calve_buffer_view(&out), "l", &arena, &back, &count, &err),
            &err);
  static const int64_t want[] = {925, 1000, CALVE_UNSET, 1125, 1225};
  for (size_t i = 0; i < 5; i++) assert_int_equal(back[i].first_row_id, want[i]);
  calve_buffer_free(&out);
  calve_arena_free(&arena);
}

static void test_records_that_the_version_cannot_say_are_refused(void **state) {
  (void)state;
  calve_error err;
  calve_buffer out;
  calve_buffer_init(&out, NULL);
  calve_manifest_file m = manifest_of("/a", CALVE_MANIFEST_DATA, 1, 0);
  m.added_rows_count = CALVE_UNSET;
  calve_manifest_list_params params = params_of(2);
  assert_fails(calve_manifest_list_write(&params, &m, 1, &out, NULL, &err), CALVE_EINVAL, &err);
  assert_message(&err, "counts");
  params = params_of(1);
  assert_ok(calve_manifest_list_write(&params, &m, 1, &out, NULL, &err), &err);
  m.content = CALVE_MANIFEST_DELETES;
  assert_fails(calve_manifest_list_write(&params, &m, 1, &out, NULL, &err), CALVE_EINVAL, &err);
  calve_buffer_free(&out);
}

/* B057, B087: every field of the summaries null, a null element, fields in another order, fields
 * nobody knows, counts missing. */
static void test_odd_lists_are_read(void **state) {
  (void)state;
  calve_arena arena;
  calve_error err;
  calve_buffer out;
  calve_arena_init(&arena, NULL);
  calve_buffer_init(&out, NULL);
  calve_avro_writer w;
  calve_avro_writer_open(
      &w, &out,
      &(calve_avro_writer_options){
          .schema_json = CALVE_STR(
              "{\"type\":\"record\",\"name\":\"m\",\"fields\":["
              "{\"name\":\"extra\",\"type\":[\"null\",\"string\"],\"field-id\":999},"
              "{\"name\":\"partition_spec_id\",\"type\":\"int\",\"field-id\":502},"
              "{\"name\":\"partitions\",\"type\":[{\"type\":\"array\",\"items\":[\"null\",{"
              "\"type\":\"record\",\"name\":\"s\",\"fields\":["
              "{\"name\":\"lower_bound\",\"type\":[\"bytes\",\"null\"],\"field-id\":510},"
              "{\"name\":\"contains_null\",\"type\":\"boolean\",\"field-id\":509}]}]},\"null\"],"
              "\"field-id\":507},"
              "{\"name\":\"manifest_path\",\"type\":\"string\",\"field-id\":500},"
              "{\"name\":\"manifest_length\",\"type\":\"long\",\"field-id\":501}]}"),
          .codec_id = CALVE_CODEC_NULL,
          .level = -1,
          .sync = sync_marker});
  calve_avro_put_long(&w.block, 1);
  calve_avro_put_bytes(&w.block, CALVE_STR("ignored"));
  calve_avro_put_long(&w.block, 4); /* spec id                                                  */
  calve_avro_put_long(&w.block, 0); /* partitions: the array                                    */
  calve_avro_put_long(&w.block, 2);
  calve_avro_put_long(&w.block, 1); /* a summary: no lower bound, contains null                 */
  calve_avro_put_long(&w.block, 1);
  calve_avro_put_bool(&w.block, true);
  calve_avro_put_long(&w.block, 0); /* a null summary                                           */
  calve_avro_put_long(&w.block, 0);
  calve_avro_put_bytes(&w.block, CALVE_STR("/m"));
  calve_avro_put_long(&w.block, 10);
  assert_ok(calve_avro_end_record(&w, &err), &err);
  assert_ok(calve_avro_writer_finish(&w, &err), &err);
  calve_avro_writer_free(&w);
  const calve_manifest_file *back;
  size_t count;
  assert_ok(calve_manifest_list_read(calve_buffer_view(&out), "l", &arena, &back, &count, &err),
            &err);
  assert_int_equal(count, 1);
  assert_int_equal(back->spec_id, 4);
  assert_null(back->partitions); /* one of them says nothing: nothing is concluded               */
  assert_int_equal(back->added_files_count, CALVE_UNSET);
  assert_int_equal(back->sequence_number, 0);
  assert_true(calve_manifest_may_have_live_files(back));
  calve_buffer_free(&out);
  calve_arena_free(&arena);
}

/* A list of one record that holds the one number besides what is required. */
static void put_list_with(const char *name, int id, int64_t number, calve_buffer *out) {
  calve_error err;
  char schema[500];
  snprintf(schema, sizeof schema,
           "{\"type\":\"record\",\"name\":\"m\",\"fields\":["
           "{\"name\":\"manifest_path\",\"type\":\"string\",\"field-id\":500},"
           "{\"name\":\"manifest_length\",\"type\":\"long\",\"field-id\":501},"
           "{\"name\":\"partition_spec_id\",\"type\":\"int\",\"field-id\":502},"
           "{\"name\":\"%s\",\"type\":\"long\",\"field-id\":%d}]}",
           name, id);
  calve_avro_writer w;
  calve_avro_writer_open(&w, out,
                         &(calve_avro_writer_options){.schema_json = calve_str_of(schema),
                                                      .codec_id = CALVE_CODEC_NULL,
                                                      .level = -1,
                                                      .sync = sync_marker});
  calve_avro_put_bytes(&w.block, CALVE_STR("/m"));
  calve_avro_put_long(&w.block, 10);
  calve_avro_put_long(&w.block, 0);
  calve_avro_put_long(&w.block, number);
  assert_ok(calve_avro_end_record(&w, &err), &err);
  assert_ok(calve_avro_writer_finish(&w, &err), &err);
  calve_avro_writer_free(&w);
}

/* -1 stands for "not said"; old versions of Java summed up the -1 rows of imported Avro files. */
static void test_negative_numbers_are_refused_or_unknown(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int id;
    int64_t number;
    const char *refusal;
    size_t at;
  } rows[] = {
      {"first_row_id", 520, -9, "first_row_id", 0},
      {"first_row_id", 520, INT64_MIN, "first_row_id", 0},
      {"first_row_id", 520, -1, NULL, offsetof(calve_manifest_file, first_row_id)},
      {"min_sequence_number", 516, -2, "min_sequence_number", 0},
      {"added_files_count", 504, -2, "counts", 0},
      {"existing_files_count", 505, INT64_MIN, "counts", 0},
      {"deleted_files_count", 506, -2, "counts", 0},
      {"added_files_count", 504, -1, NULL, offsetof(calve_manifest_file, added_files_count)},
      {"added_rows_count", 512, -3, NULL, offsetof(calve_manifest_file, added_rows_count)},
      {"existing_rows_count", 513, INT64_MIN, NULL,
       offsetof(calve_manifest_file, existing_rows_count)},
      {"deleted_rows_count", 514, -2, NULL, offsetof(calve_manifest_file, deleted_rows_count)},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_arena arena;
    calve_error err;
    calve_buffer out;
    calve_arena_init(&arena, NULL);
    calve_buffer_init(&out, NULL);
    put_list_with(rows[i].name, rows[i].id, rows[i].number, &out);
    const calve_manifest_file *back = NULL;
    size_t count = 0;
    calve_status status =
        calve_manifest_list_read(calve_buffer_view(&out), "l", &arena, &back, &count, &err);
    assert_status_(status, rows[i].refusal ? CALVE_ECORRUPT : CALVE_OK, &err, rows[i].name,
                   __FILE__, __LINE__);
    if (rows[i].refusal) assert_message(&err, rows[i].refusal);
    int64_t got = CALVE_UNSET;
    if (back) memcpy(&got, (const char *)back + rows[i].at, sizeof got);
    assert_int_equal(got, CALVE_UNSET);
    calve_buffer_free(&out);
    calve_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_versions_read_back),
      cmocka_unit_test(test_row_ids_are_assigned),
      cmocka_unit_test(test_records_that_the_version_cannot_say_are_refused),
      cmocka_unit_test(test_odd_lists_are_read),
      cmocka_unit_test(test_negative_numbers_are_refused_or_unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
