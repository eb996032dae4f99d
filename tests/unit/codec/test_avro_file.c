/* SPDX-License-Identifier: Apache-2.0 */
/* Avro container files: codecs, headers, block framing, damage. */
#include "harness.h"

#include "base/text.h"
#include "codec/avro_program.h"
#include "codec/avro_writer.h"

#define SCHEMA                                                                                 \
  "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"n\",\"type\":\"long\",\"field-" \
  "id\":1}]}"

static const uint8_t sync_marker[16] = "0123456789abcdef";

typedef struct fixture {
  calve_arena arena;
  calve_buffer out;
  calve_codec codec;
  calve_buffer inflated;
  calve_error err;
} fixture;

static void fixture_init(fixture *f) {
  memset(f, 0, sizeof *f);
  calve_arena_init(&f->arena, NULL);
  calve_buffer_init(&f->out, NULL);
  calve_buffer_init(&f->inflated, NULL);
  calve_codec_init(&f->codec, NULL);
}

static void fixture_free(fixture *f) {
  calve_arena_free(&f->arena);
  calve_buffer_free(&f->out);
  calve_buffer_free(&f->inflated);
  calve_codec_free(&f->codec);
}

/* A file of the numbers 0 … count-1. */
static void write_numbers(fixture *f, calve_codec_id codec, int64_t count) {
  calve_avro_writer w;
  calve_avro_meta meta = {CALVE_STR("greeting"), CALVE_STR("hello")};
  calve_avro_writer_open(&w, &f->out,
                         &(calve_avro_writer_options){.schema_json = CALVE_STR(SCHEMA),
                                                      .meta = &meta,
                                                      .meta_count = 1,
                                                      .codec_id = codec,
                                                      .level = -1,
                                                      .sync = sync_marker});
  for (int64_t i = 0; i < count; i++) {
    calve_avro_put_long(&w.block, i);
    assert_ok(calve_avro_end_record(&w, &f->err), &f->err);
  }
  assert_ok(calve_avro_writer_finish(&w, &f->err), &f->err);
  calve_avro_writer_free(&w);
}

/* Sums the numbers of a file; fails as the reader does. */
static calve_status sum_numbers(fixture *f, calve_str bytes, int64_t *count, int64_t *sum) {
  calve_avro_file file;
  CALVE_TRY(calve_avro_open(bytes, "t.avro", &f->arena, &file, &f->err));
  const calve_avro_want want = {
      .field_id = 1, .name = "n", .target = CALVE_AVRO_TO_I64, .required = true};
  const calve_avro_program *program = NULL;
  CALVE_TRY(
      calve_avro_compile(file.schema, &want, 1, NULL, "t.avro", &f->arena, &program, &f->err));
  calve_avro_hints *hints = calve_avro_hints_make(&f->arena);
  assert_non_null(hints);
  *count = *sum = 0;
  for (;;) {
    calve_avro_block block;
    bool more;
    CALVE_TRY(calve_avro_next_block(&file, &f->codec, &f->inflated, &block, &more, &f->err));
    if (!more) return CALVE_OK;
    const char *at = block.data.data, *end = at + block.data.size;
    for (int64_t i = 0; i < block.record_count; i++) {
      int64_t number;
      CALVE_TRY(calve_avro_decode(program, &at, end, &number, hints, &f->arena, &f->err));
      *sum += number;
      *count += 1;
    }
  }
}

static void test_all_codecs_read_back(void **state) {
  (void)state;
  static const calve_codec_id codecs[] = {CALVE_CODEC_NULL, CALVE_CODEC_DEFLATE, CALVE_CODEC_SNAPPY,
                                          CALVE_CODEC_ZSTD};
  for (size_t i = 0; i < ARRAY_COUNT(codecs); i++) {
    fixture f;
    fixture_init(&f);
    write_numbers(&f, codecs[i], 100000); /* several blocks                                     */
    int64_t count, sum;
    assert_ok(sum_numbers(&f, calve_buffer_view(&f.out), &count, &sum), &f.err);
    assert_int_equal(count, 100000);
    assert_int_equal(sum, INT64_C(4999950000));
    fixture_free(&f);
  }
}

/* Takes the first block of a file with one block of so many bytes that claims so many records. */
static calve_status take_block(fixture *f, calve_codec_id codec, const char *bytes, size_t size,
                               int64_t records, size_t *got) {
  calve_avro_writer w;
  calve_avro_file file;
  calve_avro_block block;
  bool more;
  calve_buffer_clear(&f->out);
  calve_avro_writer_open(&w, &f->out,
                         &(calve_avro_writer_options){.schema_json = CALVE_STR(SCHEMA),
                                                      .codec_id = codec,
                                                      .level = -1,
                                                      .sync = sync_marker});
  calve_buffer_put(&w.block, bytes, size);
  w.block_records = records;
  assert_ok(calve_avro_writer_finish(&w, &f->err), &f->err);
  calve_avro_writer_free(&w);
  assert_ok(calve_avro_open(calve_buffer_view(&f->out), "t.avro", &f->arena, &file, &f->err),
            &f->err);
  CALVE_TRY(calve_avro_next_block(&file, &f->codec, &f->inflated, &block, &more, &f->err));
  *got = block.data.size;
  return CALVE_OK;
}

/* A small block that inflates to very much takes no more than 64 MiB; a large one may. */
static void test_bombs_end_before_they_take_much_memory(void **state) {
  (void)state;
  enum { BYTES = 70 << 20 };
  static const calve_codec_id codecs[] = {CALVE_CODEC_DEFLATE, CALVE_CODEC_ZSTD};
  char *bytes = calloc(BYTES, 1);
  size_t got;
  assert_non_null(bytes);
  for (size_t i = 0; i < ARRAY_COUNT(codecs); i++) {
    fixture f;
    fixture_init(&f);
    assert_fails(take_block(&f, codecs[i], bytes, BYTES, 4, &got), CALVE_ECORRUPT, &f.err);
    assert_message(&f.err, "more than the 67108864 bytes");
    assert_fails(take_block(&f, codecs[i], bytes, BYTES, BYTES, &got), CALVE_ECORRUPT, &f.err);
    assert_true(f.inflated.capacity <= (size_t)128 << 20);
    assert_ok(take_block(&f, codecs[i], bytes, (size_t)64 << 20, BYTES / 2, &got), &f.err);
    fixture_free(&f);
  }
  uint64_t random = 1;
  for (size_t i = 0; i < BYTES; i++) {
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    bytes[i] = (char)(random >> 56);
  }
  fixture f;
  fixture_init(&f);
  assert_ok(take_block(&f, CALVE_CODEC_ZSTD, bytes, BYTES, BYTES / 8, &got), &f.err);
  assert_int_equal(got, BYTES);
  assert_fails(take_block(&f, CALVE_CODEC_ZSTD, bytes, BYTES, 4, &got), CALVE_ECORRUPT, &f.err);
  fixture_free(&f);
  free(bytes);
}

static void test_header_properties_are_found(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  write_numbers(&f, CALVE_CODEC_DEFLATE, 0);
  calve_avro_file file;
  assert_ok(calve_avro_open(calve_buffer_view(&f.out), "t.avro", &f.arena, &file, &f.err), &f.err);
  assert_true(calve_str_equal_text(calve_avro_get_meta(&file, "greeting"), "hello"));
  assert_true(calve_str_equal_text(calve_avro_get_meta(&file, "avro.codec"), "deflate"));
  assert_null(calve_avro_get_meta(&file, "missing").data);
  fixture_free(&f);
}

/* The header's map may be written in the form with a byte size, and a file may name no codec. */
static void test_header_map_with_negative_count(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  calve_buffer entries;
  calve_buffer_init(&entries, NULL);
  calve_avro_put_bytes(&entries, CALVE_STR("avro.schema"));
  calve_avro_put_bytes(&entries, CALVE_STR(SCHEMA));
  calve_buffer_put(&f.out, "Obj\1", 4);
  calve_avro_put_long(&f.out, -1);
  calve_avro_put_long(&f.out, (int64_t)entries.size);
  calve_buffer_put_str(&f.out, calve_buffer_view(&entries));
  calve_avro_put_long(&f.out, 0);
  calve_buffer_put(&f.out, sync_marker, 16);
  static const int64_t empty_block[] = {0, 0};
  for (size_t i = 0; i < 2; i++) calve_avro_put_long(&f.out, empty_block[i]);
  calve_buffer_put(&f.out, sync_marker, 16);
  calve_avro_put_long(&f.out, 2);
  calve_avro_put_long(&f.out, 3);
  calve_avro_put_long(&f.out, 5);
  calve_avro_put_long(&f.out, 1000);
  calve_buffer_put(&f.out, sync_marker, 16);
  int64_t count, sum;
  assert_ok(sum_numbers(&f, calve_buffer_view(&f.out), &count, &sum), &f.err);
  assert_int_equal(count, 2);
  assert_int_equal(sum, 1005);
  calve_buffer_free(&entries);
  fixture_free(&f);
}

static void test_every_truncation_is_an_error_or_a_shorter_file(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  write_numbers(&f, CALVE_CODEC_DEFLATE, 1000);
  size_t header = 0;
  for (size_t size = 0; size < f.out.size; size++) {
    int64_t count, sum;
    calve_status status = sum_numbers(&f, (calve_str){f.out.data, size}, &count, &sum);
    if (status == CALVE_OK) {
      assert_int_equal(count, 0); /* cut between the header and the only block                  */
      header++;
    } else {
      assert_int_equal(status, CALVE_ECORRUPT);
      assert_message(&f.err, "t.avro");
    }
  }
  assert_int_equal(header, 1);
  fixture_free(&f);
}

static void test_damage_is_named(void **state) {
  (void)state;
  static const struct {
    const char *codec, *tail; /* block bytes behind the header                                  */
    size_t tail_size;
    calve_status status;
    const char *message;
  } rows[] = {
      {"xz", "", 0, CALVE_EUNSUPPORTED, "xz"},
      {"null",
       "\x02\x02\x0a"
       "0123456789abcdeX",
       19, CALVE_ECORRUPT, "sync marker"},
      {"null", "\x02\x80\x80\x80\x80\x10\x0a", 7, CALVE_ECORRUPT, "longer than the rest"},
      {"null",
       "\x01\x02\x0a"
       "0123456789abcdef",
       19, CALVE_ECORRUPT, "negative"},
      {"null",
       "\xfe\xff\xff\xff\x0f\x02\x0a"
       "0123456789abcdef",
       23, CALVE_ECORRUPT, "more records"},
      {"deflate",
       "\x02\x06zzz"
       "0123456789abcdef",
       21, CALVE_ECORRUPT, ""},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    fixture f;
    fixture_init(&f);
    calve_buffer_put(&f.out, "Obj\1", 4);
    calve_avro_put_long(&f.out, 2);
    calve_avro_put_bytes(&f.out, CALVE_STR("avro.schema"));
    calve_avro_put_bytes(&f.out, CALVE_STR(SCHEMA));
    calve_avro_put_bytes(&f.out, CALVE_STR("avro.codec"));
    calve_avro_put_bytes(&f.out, calve_str_of(rows[i].codec));
    calve_avro_put_long(&f.out, 0);
    calve_buffer_put(&f.out, sync_marker, 16);
    calve_buffer_put(&f.out, rows[i].tail, rows[i].tail_size);
    int64_t count, sum;
    assert_fails(sum_numbers(&f, calve_buffer_view(&f.out), &count, &sum), rows[i].status, &f.err);
    assert_message(&f.err, rows[i].message);
    fixture_free(&f);
  }
}

static void test_empty_deflate_block(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  write_numbers(&f, CALVE_CODEC_DEFLATE, 0);
  calve_avro_put_long(&f.out, 0);
  calve_avro_put_bytes(&f.out, (calve_str){"\x03\x00", 2});
  calve_buffer_put(&f.out, sync_marker, 16);
  int64_t count, sum;
  assert_ok(sum_numbers(&f, calve_buffer_view(&f.out), &count, &sum), &f.err);
  assert_int_equal(count, 0);
  fixture_free(&f);
}

static void test_not_avro(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  int64_t count, sum;
  assert_fails(sum_numbers(&f, CALVE_STR("PAR1 and more"), &count, &sum), CALVE_ECORRUPT, &f.err);
  assert_message(&f.err, "no Avro file");
  assert_fails(sum_numbers(&f, (calve_str){0}, &count, &sum), CALVE_ECORRUPT, &f.err);
  fixture_free(&f);
}

static void test_longs_keep_their_value(void **state) {
  (void)state;
  static const int64_t rows[] = {
      0, -1, 1, 63, -64, 64, -65, INT32_MAX, INT32_MIN, INT64_C(1) << 53, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_buffer b;
    calve_buffer_init(&b, NULL);
    calve_avro_put_long(&b, rows[i]);
    const char *at = b.data;
    int64_t number = 7;
    assert_true(calve_avro__read_long(&at, b.data + b.size, &number));
    assert_int_equal(number, rows[i]);
    assert_ptr_equal(at, b.data + b.size);
    at = b.data;
    assert_false(calve_avro__read_long(&at, b.data + b.size - 1, &number));
    calve_buffer_free(&b);
  }
  const char *too_long = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
  int64_t number;
  assert_false(calve_avro__read_long(&too_long, too_long + 10, &number));
}

/* B031: names become valid the way the reference makes them. */
static void test_names_are_made_safe(void **state) {
  (void)state;
  static const struct {
    const char *name, *safe;
  } rows[] = {{"data.id", "data_x2Eid"},
              {"815d_day", "_815d_day"},
              {"a key", "a_x20key"},
              {"x#y", "x_x23y"},
              {"plain_1", "plain_1"},
              {"", "_"},
              {"\xf0\x9f\x98\x8e", "_xD83D_xDE0E"}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_buffer b;
    calve_buffer_init(&b, NULL);
    calve_avro_put_safe_name(&b, calve_str_of(rows[i].name));
    assert_string_equal(calve_buffer_cstr(&b), rows[i].safe);
    assert_int_equal(calve_avro_name_is_safe(calve_str_of(rows[i].name)),
                     strcmp(rows[i].name, rows[i].safe) == 0);
    calve_buffer_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_codecs_read_back),
      cmocka_unit_test(test_bombs_end_before_they_take_much_memory),
      cmocka_unit_test(test_header_properties_are_found),
      cmocka_unit_test(test_header_map_with_negative_count),
      cmocka_unit_test(test_every_truncation_is_an_error_or_a_shorter_file),
      cmocka_unit_test(test_damage_is_named),
      cmocka_unit_test(test_empty_deflate_block),
      cmocka_unit_test(test_not_avro),
      cmocka_unit_test(test_longs_keep_their_value),
      cmocka_unit_test(test_names_are_made_safe),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
