/* SPDX-License-Identifier: Apache-2.0 */
#include "base/uuid.h"

#include "base/text.h"
#include "harness.h"

static void test_text_is_the_bytes_in_order(void **state) {
  (void)state;
  static const uint8_t bytes[16] = {0xF7, 0x9C, 0x3E, 0x09, 0x67, 0x7C, 0x4B, 0xBD,
                                    0xA4, 0x79, 0x3F, 0x34, 0x9C, 0xB7, 0x85, 0xE7};
  uint8_t back[16] = {0};
  char text[CALVE_UUID_TEXT_SIZE];
  calve_uuid_format(bytes, text);
  assert_string_equal(text, "f79c3e09-677c-4bbd-a479-3f349cb785e7");
  assert_true(calve_uuid_parse(calve_str_of(text), back));
  assert_memory_equal(back, bytes, 16);
  memset(back, 0, 16);
  assert_true(calve_uuid_parse(CALVE_STR("F79C3E09-677C-4BBD-A479-3F349CB785E7"), back));
  assert_memory_equal(back, bytes, 16);
}

static void test_other_forms_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"",
                                    "f79c3e09677c4bbda4793f349cb785e7",
                                    "{f79c3e09-677c-4bbd-a479-3f349cb785e7}",
                                    "f79c3e09-677c-4bbd-a479-3f349cb785e",
                                    "f79c3e09-677c-4bbd-a479-3f349cb785e77",
                                    "f79c3e09-677c-4bbda-479-3f349cb785e7",
                                    "f79c3e09-677c-4bbd-a479_3f349cb785e7",
                                    "g79c3e09-677c-4bbd-a479-3f349cb785e7"};
  for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
    uint8_t out[16] = {42};
    if (calve_uuid_parse(calve_str_of(bad[i]), out)) fail_msg("%s", bad[i]);
    assert_int_equal(out[0], 42);
  }
}

static void test_random_ids_have_their_version_and_differ(void **state) {
  (void)state;
  uint8_t a[16], b[16];
  calve_error err;
  for (int i = 0; i < 100; i++) {
    assert_ok(calve_uuid_random(a, &err), &err);
    assert_ok(calve_uuid_random(b, &err), &err);
    assert_int_equal(a[6] >> 4, 4);
    assert_int_equal(a[8] >> 6, 2);
    assert_memory_not_equal(a, b, 16);
    int64_t x = 0, y = 0;
    assert_ok(calve_random_id(&x, &err), &err);
    assert_ok(calve_random_id(&y, &err), &err);
    assert_true(x > 0 && y > 0 && x != y);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text_is_the_bytes_in_order),
      cmocka_unit_test(test_other_forms_are_refused),
      cmocka_unit_test(test_random_ids_have_their_version_and_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
