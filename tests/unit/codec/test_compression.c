/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/compression.h"

#include "base/text.h"
#include "harness.h"

static const calve_codec_id all_codecs[] = {CALVE_CODEC_NULL, CALVE_CODEC_DEFLATE,
                                            CALVE_CODEC_SNAPPY, CALVE_CODEC_ZSTD, CALVE_CODEC_GZIP};
#define MIB ((size_t)1 << 20)

typedef struct tools {
  calve_codec codec;
  calve_buffer packed, out;
  calve_error err;
} tools;

static int set_up(void **state) {
  static tools t;
  calve_codec_init(&t.codec, NULL);
  calve_buffer_init(&t.packed, NULL);
  calve_buffer_init(&t.out, NULL);
  *state = &t;
  return 0;
}

static int tear_down(void **state) {
  tools *t = *state;
  calve_codec_free(&t->codec);
  calve_buffer_free(&t->packed);
  calve_buffer_free(&t->out);
  return 0;
}

static void pack(tools *t, calve_codec_id id, calve_str content) {
  calve_buffer_clear(&t->packed);
  assert_ok(calve_compress(&t->codec, id, -1, content, &t->packed, &t->err), &t->err);
}

static void expect_content(tools *t, calve_codec_id id, calve_str packed, calve_str content) {
  assert_ok(calve_decompress(&t->codec, id, packed, 16 * MIB, &t->out, &t->err), &t->err);
  assert_true(calve_str_equal(calve_buffer_view(&t->out), content));
}

static void expect_refusal(tools *t, calve_codec_id id, calve_str packed, size_t max_bytes) {
  assert_fails(calve_decompress(&t->codec, id, packed, max_bytes, &t->out, &t->err), CALVE_ECORRUPT,
               &t->err);
  assert_message(&t->err, calve_codec_name(id));
  assert_int_equal(t->out.size, 0);
}

static void test_content_comes_back(void **state) {
  tools *t = *state;
  static char content[3000000];
  uint64_t x = 88172645463325252U;
  for (size_t i = 0; i < sizeof content; i++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    content[i] = i % 100000 < 60000 ? (char)('a' + x % 3) : (char)x;
  }
  static const size_t sizes[] = {0, 1, 3, 100, 65536, 1000000, sizeof content};
  for (size_t c = 0; c < ARRAY_COUNT(all_codecs); c++)
    for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
      calve_str part = {content, sizes[i]};
      pack(t, all_codecs[c], part);
      expect_content(t, all_codecs[c], calve_buffer_view(&t->packed), part);
    }
}

static void test_names_are_avros(void **state) {
  tools *t = *state;
  for (size_t c = 0; c < 4; c++) {
    calve_codec_id id = CALVE_CODEC_GZIP;
    assert_ok(calve_codec_by_name(calve_str_of(calve_codec_name(all_codecs[c])), &id, &t->err),
              &t->err);
    assert_int_equal(id, all_codecs[c]);
  }
  static const char *const others[] = {"xz", "zstd", "gzip", "bzip2", "Deflate", ""};
  for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
    calve_codec_id id = CALVE_CODEC_NULL;
    assert_fails(calve_codec_by_name(calve_str_of(others[i]), &id, &t->err), CALVE_EUNSUPPORTED,
                 &t->err);
    assert_message(&t->err, others[i]);
    assert_int_equal(id, CALVE_CODEC_NULL);
  }
  assert_string_equal(calve_codec_name(CALVE_CODEC_GZIP), "gzip");
}

static void test_a_bomb_is_an_error_at_the_cap(void **state) {
  tools *t = *state;
  static char zeros[8 << 20];
  for (size_t c = 0; c < ARRAY_COUNT(all_codecs); c++) {
    pack(t, all_codecs[c], (calve_str){zeros, sizeof zeros});
    calve_str packed = calve_buffer_view(&t->packed);
    calve_buffer_free(&t->out);
    expect_refusal(t, all_codecs[c], packed, sizeof zeros - 1);
    expect_refusal(t, all_codecs[c], packed, 100);
    assert_true(t->out.capacity < 2 * sizeof zeros);
    assert_ok(calve_decompress(&t->codec, all_codecs[c], packed, sizeof zeros, &t->out, &t->err),
              &t->err);
    assert_int_equal(t->out.size, sizeof zeros);
  }
}

static void test_a_claimed_size_is_not_believed(void **state) {
  tools *t = *state;
  static const struct {
    calve_codec_id id;
    const char *bytes;
    size_t size;
  } rows[] = {
      /* snappy: a varint of 2^32 - 1 and no content; zstd: a frame header of 1 TiB; gzip: the size
       * at the end is 4 GiB - 1. */
      {CALVE_CODEC_SNAPPY, "\xFF\xFF\xFF\xFF\x0F\0\0\0\0", 9},
      {CALVE_CODEC_ZSTD, "\x28\xB5\x2F\xFD\xE0\0\0\0\0\0\1\0\0\x01\0\0", 16},
      {CALVE_CODEC_GZIP, "\x1F\x8B\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\xFF\xFF\xFF\xFF", 20},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    failing_allocator mem;
    failing_allocator_init(&mem, -1);
    calve_buffer out;
    calve_buffer_init(&out, &mem.allocator);
    assert_fails(calve_decompress(&t->codec, rows[i].id, (calve_str){rows[i].bytes, rows[i].size},
                                  (size_t)1 << 40, &out, &t->err),
                 CALVE_ECORRUPT, &t->err);
    assert_true(atomic_load(&mem.live_bytes) < 100000);
    calve_buffer_free(&out);
  }
}

/* The buffer of one block does for the next. */
static void test_memory_is_used_again(void **state) {
  tools *t = *state;
  char content[5000];
  for (size_t i = 0; i < sizeof content; i++) content[i] = (char)(i * i % 251);
  pack(t, CALVE_CODEC_DEFLATE, (calve_str){content, sizeof content});
  calve_str packed = calve_buffer_view(&t->packed);
  expect_content(t, CALVE_CODEC_DEFLATE, packed, (calve_str){content, sizeof content});
  size_t capacity = t->out.capacity;
  for (int i = 0; i < 10; i++) {
    expect_content(t, CALVE_CODEC_DEFLATE, packed, (calve_str){content, sizeof content});
  }
  assert_int_equal(t->out.capacity, capacity);
}

static void test_cut_and_changed_input_is_refused(void **state) {
  tools *t = *state;
  calve_str content = CALVE_STR("the same words, the same words, and the same words once more");
  for (size_t c = 1; c < ARRAY_COUNT(all_codecs); c++) {
    pack(t, all_codecs[c], content);
    calve_str packed = calve_buffer_view(&t->packed);
    for (size_t n = 0; n < packed.size; n++) {
      char *exact = malloc(n > 0 ? n : 1);
      memcpy(exact, packed.data, n);
      if (n == 0 && all_codecs[c] == CALVE_CODEC_ZSTD)
        expect_content(t, all_codecs[c], (calve_str){exact, 0},
                       CALVE_STR("")); /* no frame at all */
      else
        expect_refusal(t, all_codecs[c], (calve_str){exact, n}, MIB);
      free(exact);
    }
  }
  /* Snappy and gzip have checksums: no changed byte changes the content unseen. */
  for (size_t c = 2; c < ARRAY_COUNT(all_codecs); c += 2) {
    pack(t, all_codecs[c], content);
    size_t first = all_codecs[c] == CALVE_CODEC_GZIP ? 10 : 0, refused = 0;
    for (size_t i = first; i < t->packed.size; i++) {
      t->packed.data[i] ^= 0x20;
      calve_status status = calve_decompress(&t->codec, all_codecs[c],
                                             calve_buffer_view(&t->packed), MIB, &t->out, &t->err);
      if (status == CALVE_OK) assert_true(calve_str_equal(calve_buffer_view(&t->out), content));
      refused += status == CALVE_ECORRUPT;
      t->packed.data[i] ^= 0x20;
    }
    assert_true(refused + 2 >= t->packed.size - first);
  }
}

/* Deflate of nothing is 03 00; bytes behind the end of a stream are a known writer's. */
/* B085 */
static void test_deflate_is_raw_and_may_have_bytes_behind_it(void **state) {
  tools *t = *state;
  expect_content(t, CALVE_CODEC_DEFLATE, (calve_str){"\x03\0", 2}, CALVE_STR(""));
  pack(t, CALVE_CODEC_DEFLATE, CALVE_STR("content"));
  calve_buffer_put(&t->packed, "\x0B\xC4\x02", 3);
  expect_content(t, CALVE_CODEC_DEFLATE, calve_buffer_view(&t->packed), CALVE_STR("content"));
  /* A zlib header is not raw deflate. */
  expect_refusal(t, CALVE_CODEC_DEFLATE, (calve_str){"\x78\x9C\x03\0\0\0\0\1", 8}, MIB);
}

/* B085 */
static void test_snappy_carries_the_crc_of_the_content_big_endian(void **state) {
  tools *t = *state;
  pack(t, CALVE_CODEC_SNAPPY, CALVE_STR("123456789"));
  calve_str packed = calve_buffer_view(&t->packed);
  assert_memory_equal(packed.data + packed.size - 4, "\xCB\xF4\x39\x26", 4);
}

static void test_gzip_members_are_read_as_one(void **state) {
  tools *t = *state;
  pack(t, CALVE_CODEC_GZIP, CALVE_STR("{\"format-"));
  assert_ok(calve_compress(&t->codec, CALVE_CODEC_GZIP, 1, CALVE_STR("version\":2}"), &t->packed,
                           &t->err),
            &t->err);
  expect_content(t, CALVE_CODEC_GZIP, calve_buffer_view(&t->packed),
                 CALVE_STR("{\"format-version\":2}"));
  calve_buffer_put(&t->packed, "\0\0\0", 3);
  expect_content(t, CALVE_CODEC_GZIP, calve_buffer_view(&t->packed),
                 CALVE_STR("{\"format-version\":2}"));
  calve_buffer_putc(&t->packed, 'x');
  expect_refusal(t, CALVE_CODEC_GZIP, calve_buffer_view(&t->packed), MIB);
  /* FEXTRA, FNAME, FCOMMENT and FHCRC are skipped: Python's gzip of "hi" with a name. */
  static const char named[] =
      "\x1F\x8B\x08\x08\0\0\0\0\x02\xFF"
      "a.json\0\xCB\xC8\x04\0\xAC\x2A\x93\xD8\x02\0\0\0";
  expect_content(t, CALVE_CODEC_GZIP, (calve_str){named, sizeof named - 1}, CALVE_STR("hi"));
}

/* B085 */
static void test_zstd_frames_of_unknown_size_and_several_frames(void **state) {
  tools *t = *state;
  /* As Java's stream writes it: no content size. One raw block "hello". */
  static const char frame[] = "\x28\xB5\x2F\xFD\x00\x58\x29\0\0hello";
  expect_content(t, CALVE_CODEC_ZSTD, (calve_str){frame, sizeof frame - 1}, CALVE_STR("hello"));
  pack(t, CALVE_CODEC_ZSTD, CALVE_STR("one "));
  calve_buffer_put(&t->packed, frame, sizeof frame - 1);
  expect_content(t, CALVE_CODEC_ZSTD, calve_buffer_view(&t->packed), CALVE_STR("one hello"));
}

static void test_out_of_memory_is_told_apart_from_damage(void **state) {
  tools *t = *state;
  static char zeros[100000];
  for (size_t c = 0; c < ARRAY_COUNT(all_codecs); c++) {
    pack(t, all_codecs[c], (calve_str){zeros, sizeof zeros});
    for (long n = 0;; n++) {
      failing_allocator mem;
      failing_allocator_init(&mem, n);
      calve_buffer out;
      calve_buffer_init(&out, &mem.allocator);
      calve_status status = calve_decompress(&t->codec, all_codecs[c],
                                             calve_buffer_view(&t->packed), MIB, &out, &t->err);
      assert_true(status == CALVE_OK || status == CALVE_ENOMEM);
      calve_buffer_free(&out);
      assert_int_equal(atomic_load(&mem.live_bytes), 0);
      if (status == CALVE_OK) break;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_content_comes_back),
      cmocka_unit_test(test_names_are_avros),
      cmocka_unit_test(test_a_bomb_is_an_error_at_the_cap),
      cmocka_unit_test(test_a_claimed_size_is_not_believed),
      cmocka_unit_test(test_memory_is_used_again),
      cmocka_unit_test(test_cut_and_changed_input_is_refused),
      cmocka_unit_test(test_deflate_is_raw_and_may_have_bytes_behind_it),
      cmocka_unit_test(test_snappy_carries_the_crc_of_the_content_big_endian),
      cmocka_unit_test(test_gzip_members_are_read_as_one),
      cmocka_unit_test(test_zstd_frames_of_unknown_size_and_several_frames),
      cmocka_unit_test(test_out_of_memory_is_told_apart_from_damage),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
