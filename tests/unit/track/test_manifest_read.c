/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests as all kinds of writers make them: order, nullability, types, names, headers, and what
 * an entry inherits. [spec: Manifest Entry Fields; Appendix A: Format-specific Requirements] */
#include "harness.h"

#include "base/text.h"
#include "codec/avro_writer.h"
#include "track/manifest.h"

static const uint8_t sync_marker[16] = "0123456789abcdef";

typedef struct fixture {
  calve_arena arena;
  calve_buffer out;
  calve_avro_writer w;
  calve_manifest_file m;
  calve_error err;
} fixture;

static void begin(fixture *f, const char *schema, const char *spec, const char *version) {
  memset(f, 0, sizeof *f);
  calve_arena_init(&f->arena, NULL);
  calve_buffer_init(&f->out, NULL);
  const calve_avro_meta meta[] = {{CALVE_STR("partition-spec"), calve_str_of(spec)},
                                  {CALVE_STR("partition-spec-id"), CALVE_STR("4")},
                                  {CALVE_STR("format-version"), calve_str_of(version)}};
  calve_avro_writer_open(&f->w, &f->out,
                         &(calve_avro_writer_options){.schema_json = calve_str_of(schema),
                                                      .meta = meta,
                                                      .meta_count = version ? 3 : 2,
                                                      .codec_id = CALVE_CODEC_DEFLATE,
                                                      .level = -1,
                                                      .sync = sync_marker});
  f->m = calve_manifest_file_blank();
  f->m.path = CALVE_STR("/t/m.avro");
  f->m.sequence_number = 7;
  f->m.added_snapshot_id = 70;
}

static void end(fixture *f) {
  calve_avro_writer_free(&f->w);
  calve_buffer_free(&f->out);
  calve_arena_free(&f->arena);
}

static calve_status read_entries(fixture *f, calve_manifest_reader *r,
                                 const calve_manifest_entry **entries, size_t *count) {
  const calve_manifest_options options = {.columns = CALVE_COLUMNS_ALL, .keep_deleted = true};
  assert_ok(calve_avro_writer_finish(&f->w, &f->err), &f->err);
  CALVE_TRY(calve_manifest_open(calve_buffer_view(&f->out), &f->m, NULL, &options, &f->arena, r,
                                &f->err));
  return calve_manifest_read_all(r, &f->arena, entries, count, &f->err);
}

/* B087: shuffled fields, an unknown record, the partition in a union, null last, a decimal as
 * bytes, the status as long, the header's spec as an object, a logical type that nobody knows. */
static void test_another_writers_manifest(void **state) {
  (void)state;
  fixture f;
  begin(&f,
        "{\"type\":\"record\",\"name\":\"e\",\"fields\":["
        "{\"name\":\"odd\",\"type\":{\"type\":\"record\",\"name\":\"odd\",\"fields\":["
        "{\"name\":\"x\",\"type\":\"string\"}]},\"field-id\":999},"
        "{\"name\":\"data_file\",\"field-id\":2,\"type\":{\"type\":\"record\",\"name\":\"f\","
        "\"fields\":["
        "{\"name\":\"record_count\",\"type\":\"long\",\"field-id\":103},"
        "{\"name\":\"partition\",\"field-id\":102,\"type\":[\"null\",{\"type\":\"record\",\"name\":"
        "\"p\",\"fields\":["
        "{\"name\":\"day\",\"type\":[\"int\",\"null\"],\"field-id\":1001},"
        "{\"name\":\"amount\",\"type\":[\"null\",{\"type\":\"bytes\",\"logicalType\":\"decimal\","
        "\"precision\":9,\"scale\":2}],\"field-id\":1000}]}]},"
        "{\"name\":\"file_size_in_bytes\",\"type\":{\"type\":\"int\",\"logicalType\":\"foo\"},"
        "\"field-id\":104},"
        "{\"name\":\"file_format\",\"type\":\"string\",\"field-id\":101},"
        "{\"name\":\"file_path\",\"type\":[\"null\",\"string\"],\"field-id\":100}]}},"
        "{\"name\":\"snapshot_id\",\"type\":[\"long\",\"null\"],\"field-id\":1},"
        "{\"name\":\"status\",\"type\":\"long\",\"field-id\":0}]}",
        "{\"spec-id\":4,\"fields\":[{\"source-id\":1,\"field-id\":1000,\"name\":\"amount\","
        "\"transform\":\"identity\"},{\"source-id\":2,\"field-id\":1001,\"name\":\"ts_day\","
        "\"transform\":\"day\"}]}",
        "2");
  calve_buffer *b = &f.w.block;
  calve_avro_put_bytes(b, CALVE_STR("ignored"));
  calve_avro_put_long(b, 33);
  calve_avro_put_long(b, 1); /* partition is there                                              */
  calve_avro_put_long(b, 0); /* day: first branch                                               */
  calve_avro_put_long(b, 19737);
  calve_avro_put_long(b, 1);
  calve_avro_put_bytes(b, (calve_str){"\xff\x38", 2}); /* -2.00                                 */
  calve_avro_put_long(b, 500);
  calve_avro_put_bytes(b, CALVE_STR("parquet"));
  calve_avro_put_long(b, 1);
  calve_avro_put_bytes(b, CALVE_STR("/t/a"));
  calve_avro_put_long(b, 1); /* snapshot id null                                                */
  calve_avro_put_long(b, 1); /* ADDED                                                           */
  assert_ok(calve_avro_end_record(&f.w, &f.err), &f.err);
  calve_manifest_reader r;
  const calve_manifest_entry *e;
  size_t count;
  assert_ok(read_entries(&f, &r, &e, &count), &f.err);
  assert_int_equal(count, 1);
  assert_int_equal(e->snapshot_id, 70);
  assert_int_equal(e->data_sequence_number, 7);
  assert_int_equal(e->file.record_count, 33);
  assert_int_equal(e->file.file_size_bytes, 500);
  assert_int_equal(e->file.spec_id, 4);
  assert_true(calve_data_file_is_format(&e->file, "PARQUET"));
  assert_int_equal(e->file.partition_count, 2);
  assert_int_equal(e->file.partition[0].type, CALVE_DECIMAL);
  assert_true(e->file.partition[0].i128 == -200 && e->file.partition[0].scale == 2);
  assert_int_equal(e->file.partition[1].i32, 19737);
  end(&f);
}

#define ENTRY(status_type, file_fields)                                                        \
  "{\"type\":\"record\",\"name\":\"e\",\"fields\":[{\"name\":\"status\",\"type\":" status_type \
  ",\"field-id\":0},{\"name\":\"data_file\",\"field-id\":2,\"type\":{\"type\":\"record\","     \
  "\"name\":"                                                                                  \
  "\"f\",\"fields\":[" file_fields "]}}]}"
#define BASICS                                                       \
  "{\"name\":\"file_path\",\"type\":\"string\",\"field-id\":100},"   \
  "{\"name\":\"file_format\",\"type\":\"string\",\"field-id\":101}," \
  "{\"name\":\"record_count\",\"type\":\"long\",\"field-id\":103},"  \
  "{\"name\":\"file_size_in_bytes\",\"type\":\"long\",\"field-id\":104}"
#define BASICS_WITHOUT_IDS                          \
  "{\"name\":\"file_path\",\"type\":\"string\"},"   \
  "{\"name\":\"file_format\",\"type\":\"string\"}," \
  "{\"name\":\"record_count\",\"type\":\"long\"},"  \
  "{\"name\":\"file_size_in_bytes\",\"type\":\"long\"}"

static void put_basic(fixture *f, int64_t status, int64_t records) {
  calve_avro_put_long(&f->w.block, status);
  calve_avro_put_bytes(&f->w.block, CALVE_STR("/t/a"));
  calve_avro_put_bytes(&f->w.block, CALVE_STR("PARQUET"));
  calve_avro_put_long(&f->w.block, records);
  calve_avro_put_long(&f->w.block, 10);
  assert_ok(calve_avro_end_record(&f->w, &f->err), &f->err);
}

/* B074: a v1 manifest without sequence numbers, listed with sequence number 0 after an upgrade or
 * named by a snapshot itself; its spec id is the header's. */
static void test_v1_manifest_inherits_zero(void **state) {
  (void)state;
  fixture f;
  begin(&f, ENTRY("\"int\"", BASICS), "[]", NULL);
  f.m.sequence_number = 0;
  put_basic(&f, 0, 3);
  put_basic(&f, 1, 4);
  calve_manifest_reader r;
  const calve_manifest_entry *e;
  size_t count;
  assert_ok(read_entries(&f, &r, &e, &count), &f.err);
  assert_int_equal(count, 2);
  assert_int_equal(r.format_version, 1);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(e[i].data_sequence_number, 0);
    assert_int_equal(e[i].file_sequence_number, 0);
    assert_int_equal(e[i].snapshot_id, 70);
    assert_int_equal(e[i].file.content, CALVE_CONTENT_DATA);
    assert_int_equal(e[i].file.spec_id, 4);
    assert_int_equal(e[i].position, i);
  }
  end(&f);
}

static void test_names_stand_in_for_missing_ids(void **state) {
  (void)state;
  fixture f;
  begin(&f,
        "{\"type\":\"record\",\"name\":\"e\",\"fields\":[{\"name\":\"status\",\"type\":\"int\"},"
        "{\"name\":\"data_file\",\"type\":{\"type\":\"record\",\"name\":\"f\",\"fields\":"
        "[" BASICS_WITHOUT_IDS "]}}]}",
        "[]", "2");
  put_basic(&f, 1, 3);
  calve_manifest_reader r;
  const calve_manifest_entry *e;
  size_t count;
  assert_ok(read_entries(&f, &r, &e, &count), &f.err);
  assert_int_equal(count, 1);
  assert_int_equal(e->file.record_count, 3);
  end(&f);
}

/* Row ids go to files that have none, in order, not to DELETED ones. */
static void test_row_ids_are_inherited(void **state) {
  (void)state;
  fixture f;
  begin(&f, ENTRY("\"int\"", BASICS), "[]", "3");
  f.m.sequence_number = 0;
  f.m.first_row_id = 1000;
  put_basic(&f, 1, 10);
  put_basic(&f, 2, 20);
  put_basic(&f, 0, 30);
  put_basic(&f, 1, 40);
  calve_manifest_reader r;
  const calve_manifest_entry *e;
  size_t count;
  assert_ok(read_entries(&f, &r, &e, &count), &f.err);
  static const int64_t want[] = {1000, CALVE_UNSET, 1010, 1040};
  for (size_t i = 0; i < 4; i++) assert_int_equal(e[i].file.first_row_id, want[i]);
  end(&f);
}

static void test_wrong_entries_are_named(void **state) {
  (void)state;
  static const struct {
    const char *schema;
    int64_t status, records;
    const char *message;
  } rows[] = {
      {ENTRY("\"int\"", BASICS), 3, 1, "status"},
      {ENTRY("\"int\"", BASICS), -1, 1, "status"},
      {ENTRY("\"int\"", BASICS), 1, -2, "negative"},
      {ENTRY("\"int\"", BASICS), 0, 1, "sequence_number"},
      {ENTRY("\"string\"", BASICS), 0, 1, "status"},
      {ENTRY("\"int\"", "{\"name\":\"file_path\",\"type\":\"string\",\"field-id\":100}"), 1, 1,
       "file_format"},
      {"{\"type\":\"record\",\"name\":\"e\",\"fields\":[{\"name\":\"status\",\"type\":\"int\","
       "\"field-id\":0}]}",
       1, 1, "data_file"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    fixture f;
    begin(&f, rows[i].schema, "[]", "2");
    put_basic(&f, rows[i].status, rows[i].records);
    calve_manifest_reader r;
    const calve_manifest_entry *e;
    size_t count;
    assert_fails(read_entries(&f, &r, &e, &count), CALVE_ECORRUPT, &f.err);
    assert_message(&f.err, rows[i].message);
    assert_message(&f.err, "/t/m.avro");
    end(&f);
  }
}

static void test_content_must_be_the_manifests(void **state) {
  (void)state;
  fixture f;
  begin(&f, ENTRY("\"int\"", BASICS), "[]", "2");
  f.m.content = CALVE_MANIFEST_DELETES;
  put_basic(&f, 1, 1);
  calve_manifest_reader r;
  const calve_manifest_entry *e;
  size_t count;
  assert_fails(read_entries(&f, &r, &e, &count), CALVE_ECORRUPT, &f.err);
  assert_message(&f.err, "content");
  end(&f);
}

static void test_versions_to_come_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *version;
    calve_status status;
  } rows[] = {{"4", CALVE_EUNSUPPORTED}, {"0", CALVE_ECORRUPT}, {"two", CALVE_ECORRUPT}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    fixture f;
    begin(&f, ENTRY("\"int\"", BASICS), "[]", rows[i].version);
    calve_manifest_reader r;
    const calve_manifest_entry *e;
    size_t count;
    assert_fails(read_entries(&f, &r, &e, &count), rows[i].status, &f.err);
    end(&f);
  }
}

static void test_encrypted_manifests_say_so(void **state) {
  (void)state;
  fixture f;
  begin(&f, ENTRY("\"int\"", BASICS), "[]", "2");
  f.m.key_metadata = CALVE_STR("key");
  const calve_manifest_options options = {.columns = CALVE_COLUMNS_ALL};
  calve_manifest_reader r;
  assert_fails(
      calve_manifest_open(CALVE_STR("AGS1 sealed"), &f.m, NULL, &options, &f.arena, &r, &f.err),
      CALVE_EUNSUPPORTED, &f.err);
  assert_message(&f.err, "encrypted");
  end(&f);
}

/* A few kilobytes whose block of zeros is very many records, each with a tuple of very many fields
 * that the file lacks: refused before gigabytes are taken for them. */
static void test_bombs_are_refused_before_they_take_memory(void **state) {
  (void)state;
  enum { RECORDS = 400000, FIELDS = 200 };
  fixture f;
  calve_buffer spec;
  calve_buffer_init(&spec, NULL);
  calve_buffer_putc(&spec, '[');
  for (int i = 0; i < FIELDS; i++) {
    calve_buffer_printf(&spec,
                        "%s{\"name\":\"p%d\",\"transform\":\"identity\",\"source-id\":1,"
                        "\"field-id\":%d}",
                        i > 0 ? "," : "", i, 2000 + i);
  }
  calve_buffer_putc(&spec, ']');
  begin(&f, ENTRY("\"int\"", BASICS), calve_buffer_cstr(&spec), "2");
  size_t size = (size_t)RECORDS * 32;
  char *zeros = calve_buffer_reserve(&f.w.block, size);
  assert_non_null(zeros);
  memset(zeros, 0, size);
  f.w.block.size = size;
  f.w.block_records = RECORDS;
  calve_manifest_reader r;
  const calve_manifest_entry *e;
  size_t count;
  assert_fails(read_entries(&f, &r, &e, &count), CALVE_ECORRUPT, &f.err);
  assert_message(&f.err, "400000 records takes more than 2 GiB");
  assert_true(f.out.size < 100000);
  assert_true(f.arena.used_bytes < 10000000);
  end(&f);
  calve_buffer_free(&spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_another_writers_manifest),
      cmocka_unit_test(test_v1_manifest_inherits_zero),
      cmocka_unit_test(test_names_stand_in_for_missing_ids),
      cmocka_unit_test(test_row_ids_are_inherited),
      cmocka_unit_test(test_wrong_entries_are_named),
      cmocka_unit_test(test_content_must_be_the_manifests),
      cmocka_unit_test(test_versions_to_come_are_refused),
      cmocka_unit_test(test_encrypted_manifests_say_so),
      cmocka_unit_test(test_bombs_are_refused_before_they_take_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
