/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

static void test_nearest_name(void **state) {
  static const struct {
    const char *typed, *nearest; /* NULL: too far from all */
  } rows[] = {{"costumer_id", "customer_id"},
              {"custmer", "customer"},
              {"CUSTOMER_IDX", "customer_id"},
              {"ts", "ts"},
              {"tz", "ts"},
              {"zz", NULL},
              {"", NULL},
              {"amount", NULL}};
  const calve_str names[] = {CALVE_STR("customer_id"), CALVE_STR("customer"), CALVE_STR("ts")};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_str found = calve_nearest_name(calve_str_of(rows[i].typed), names, ARRAY_COUNT(names));
    if (rows[i].nearest)
      assert_true(calve_str_equal_text(found, rows[i].nearest));
    else
      assert_null(found.data);
  }
}

static void test_very_long_names_are_not_compared(void **state) {
  (void)state;
  char text[300];
  memset(text, 'a', sizeof text);
  const calve_str names[] = {{text, sizeof text}};
  assert_null(calve_nearest_name((calve_str){text, sizeof text - 1}, names, 1).data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nearest_name),
      cmocka_unit_test(test_very_long_names_are_not_compared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
