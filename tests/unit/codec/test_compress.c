/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "codec/compression.h"
#include "harness.h"

static void test_output_is_appended(void **state) {
  (void)state;
  calve_codec codec;
  calve_buffer out;
  calve_error err;
  calve_codec_init(&codec, NULL);
  calve_buffer_init(&out, NULL);
  calve_buffer_puts(&out, "head");
  assert_ok(calve_compress(&codec, CALVE_CODEC_NULL, -1, CALVE_STR("-body"), &out, &err), &err);
  assert_ok(calve_compress(&codec, CALVE_CODEC_DEFLATE, -1, CALVE_STR(""), &out, &err), &err);
  assert_memory_equal(out.data, "head-body", 9);
  calve_buffer content;
  calve_buffer_init(&content, NULL);
  assert_ok(calve_decompress(&codec, CALVE_CODEC_DEFLATE, (calve_str){out.data + 9, out.size - 9},
                             100, &content, &err),
            &err);
  assert_int_equal(content.size, 0);
  calve_buffer_free(&content);
  calve_buffer_free(&out);
  calve_codec_free(&codec);
  calve_codec_free(NULL);
}

static void test_levels_trade_time_for_size_and_are_checked(void **state) {
  (void)state;
  static const struct {
    calve_codec_id id;
    int least, most;
  } rows[] = {{CALVE_CODEC_DEFLATE, 0, 12}, {CALVE_CODEC_GZIP, 0, 12}, {CALVE_CODEC_ZSTD, 1, 22}};
  static char content[200000];
  uint64_t x = 88172645463325252U;
  for (size_t i = 0; i < sizeof content; i++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    content[i] = "abcd"[x % 4 & x >> 40];
  }
  calve_codec codec;
  calve_buffer small, large;
  calve_error err;
  calve_codec_init(&codec, NULL);
  calve_buffer_init(&small, NULL);
  calve_buffer_init(&large, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_str in = {content, sizeof content};
    calve_buffer_clear(&small);
    calve_buffer_clear(&large);
    assert_ok(calve_compress(&codec, rows[i].id, rows[i].least, in, &large, &err), &err);
    assert_ok(calve_compress(&codec, rows[i].id, rows[i].most, in, &small, &err), &err);
    assert_true(small.size < large.size);
    size_t before = small.size;
    assert_fails(calve_compress(&codec, rows[i].id, rows[i].most + 1, in, &small, &err),
                 CALVE_EINVAL, &err);
    assert_message(&err, calve_codec_name(rows[i].id));
    assert_int_equal(small.size, before);
  }
  assert_fails(calve_compress(&codec, CALVE_CODEC_ZSTD, 0, CALVE_STR("x"), &small, &err),
               CALVE_EINVAL, &err);
  assert_fails(calve_compress(&codec, (calve_codec_id)42, -1, CALVE_STR("x"), &small, &err),
               CALVE_EINVAL, &err);
  calve_buffer_free(&small);
  calve_buffer_free(&large);
  calve_codec_free(&codec);
}

static void test_out_of_memory_is_reported(void **state) {
  (void)state;
  static const calve_codec_id ids[] = {CALVE_CODEC_NULL, CALVE_CODEC_DEFLATE, CALVE_CODEC_SNAPPY,
                                       CALVE_CODEC_ZSTD, CALVE_CODEC_GZIP};
  for (size_t i = 0; i < ARRAY_COUNT(ids); i++) {
    failing_allocator mem;
    failing_allocator_init(&mem, 0);
    calve_codec codec;
    calve_buffer out;
    calve_error err;
    calve_codec_init(&codec, NULL);
    calve_buffer_init(&out, &mem.allocator);
    assert_fails(calve_compress(&codec, ids[i], -1, CALVE_STR("content"), &out, &err), CALVE_ENOMEM,
                 &err);
    assert_int_equal(out.size, 0);
    calve_buffer_free(&out);
    calve_codec_free(&codec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_output_is_appended),
      cmocka_unit_test(test_levels_trade_time_for_size_and_are_checked),
      cmocka_unit_test(test_out_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
