/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/murmur3.h"

#include <jansson.h>

#include "base/number.h"
#include "harness.h"

static void test_the_hashes_that_the_spec_lists(void **state) {
  (void)state;
  assert_int_equal(calve_murmur3_i64(34), 2017239379);
  assert_int_equal(calve_murmur3_bytes("\x05\x8C", 2), -500754589);
  assert_int_equal(calve_murmur3_i64(17486), -653330422);
  assert_int_equal(calve_murmur3_i64(81068000000), -662762989);
  assert_int_equal(calve_murmur3_i64(1510871468000000), -2047944441);
  assert_int_equal(calve_murmur3_i64(1510871468000001), -1207196810);
  assert_int_equal(calve_murmur3_bytes("iceberg", 7), 1210000089);
  assert_int_equal(
      calve_murmur3_bytes("\xF7\x9C\x3E\x09\x67\x7C\x4B\xBD\xA4\x79\x3F\x34\x9C\xB7\x85"
                          "\xE7",
                          16),
      1488055340);
  assert_int_equal(calve_murmur3_bytes("\0\1\2\3", 4), -188683207);
  assert_int_equal(calve_murmur3_bytes("", 0), 0);
}

static void test_customer_8237_has_its_buckets(void **state) {
  (void)state;
  assert_int_equal((calve_murmur3_i64(8237) & INT32_MAX) % 16, 11);
  assert_int_equal((calve_murmur3_i64(8237) & INT32_MAX) % 4, 3);
}

static void test_a_number_hashes_as_its_eight_bytes(void **state) {
  (void)state;
  for (int64_t v = -1000; v < 1000; v++) {
    uint8_t bytes[8];
    int64_t wide = v * 4611686018427387;
    calve_store_le64(bytes, (uint64_t)wide);
    assert_int_equal(calve_murmur3_i64(wide), calve_murmur3_bytes(bytes, 8));
  }
}

typedef struct totals {
  size_t checked;
} totals;

/* String rows of the vectors: the hash of every length of tail. */
static void check_row(char *line, size_t number, void *ctx) {
  totals *t = ctx;
  if (!strstr(line, "\"bucket_hash\"")) return;
  json_t *row = json_loads(line, JSON_ALLOW_NUL, NULL);
  assert_non_null(row);
  const char *type = json_string_value(json_object_get(row, "type"));
  json_t *input = json_object_get(row, "input"), *hash = json_object_get(row, "hash");
  if (type && strcmp(type, "string") == 0 && json_is_integer(hash)) {
    int32_t got = calve_murmur3_bytes(json_string_value(input), json_string_length(input));
    if (got != json_integer_value(hash)) fail_msg("line %zu: %d", number, got);
    t->checked++;
  }
  json_decref(row);
}

static void test_strings_of_the_vectors(void **state) {
  (void)state;
  totals t = {0};
  for_each_line(CALVE_VECTORS_DIR "/transforms.jsonl", check_row, &t);
  assert_true(t.checked >= 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_hashes_that_the_spec_lists),
      cmocka_unit_test(test_customer_8237_has_its_buckets),
      cmocka_unit_test(test_a_number_hashes_as_its_eight_bytes),
      cmocka_unit_test(test_strings_of_the_vectors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
