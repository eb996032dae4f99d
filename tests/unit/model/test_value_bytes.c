/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

static calve_arena arena;

/* Bounds keep the width that the type had when the file was written. */
static void test_promoted_and_odd_widths(void **state) {
  static const struct {
    const char *type;
    calve_str bytes;
    const char *text; /* NULL: corrupt */
  } rows[] = {
      {"long", CALVE_STR("\x2a\0\0\0"), "42"},
      {"long", CALVE_STR("\xf9\xff\xff\xff"), "-7"}, /* sign-extended */
      {"int", CALVE_STR("\x2a\0\0\0\0\0\0\0"), "42"},
      {"int", CALVE_STR("\xf9\xff\xff\xff\xff\xff\xff\xff"), "-7"},
      {"int", CALVE_STR("\0\0\0\x80\0\0\0\0"), NULL}, /* does not fit int */
      {"int", CALVE_STR("\x2a\0\0"), NULL},
      {"date", CALVE_STR("\xa3\x4d\0\0\0\0\0\0"), "2024-06-01"},
      {"double", CALVE_STR("\0\0\xc0\x3f"), "1.5"},
      {"double", CALVE_STR("\xcd\xcc\xcc\x3d"), "0.10000000149011612"},
      {"float", CALVE_STR("\0\0\0\0\0\0\xf0\x3f"), NULL},
      {"timestamp", CALVE_STR("\x01\0\0\0"), "1970-01-02T00:00:00"}, /* a date before promotion */
      {"timestamp_ns", CALVE_STR("\x01\0\0\0"), "1970-01-02T00:00:00"},
      {"timestamp", CALVE_STR("\xff\xff\xff\x7f"), NULL}, /* that date has no timestamp */
      {"timestamptz", CALVE_STR("\x01\0\0\0"), NULL},
      {"time", CALVE_STR("\x01\0\0\0"), NULL},
      {"time", CALVE_STR("\xff\xff\xff\xff\xff\xff\xff\xff"), NULL}, /* no time of day */
      {"time", CALVE_STR("\0\x60\xd7\x1d\x14\0\0\0"), NULL},
      {"decimal(7, 2)", CALVE_STR("\xf0\xc9\xa7"), "-9969.53"},
      {"decimal(7, 2)", CALVE_STR("\x04\xe2"), "12.50"},
      {"decimal(5, 2)", CALVE_STR("\xfe\x0c"), "-5.00"},
      {"decimal(20, 2)", CALVE_STR("\xfe\x0c"), "-5.00"},
      {"decimal(10, 3)", CALVE_STR("\x27\xf6"), "10.230"},
      {"decimal(10, 3)",
       CALVE_STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe"), "-0.002"},
      {"decimal(10, 3)", CALVE_STR(""), NULL},
      {"decimal(10, 3)", CALVE_STR("12345678901234567"), NULL},
      {"boolean", CALVE_STR("\x02"), "true"},
      {"boolean", CALVE_STR(""), NULL},
      {"string", CALVE_STR("\xff"), NULL},
      {"string", CALVE_STR(""), ""},
      {"fixed[2]", CALVE_STR("abc"), NULL},
      {"uuid", CALVE_STR("0123456789abcde"), NULL},
      {"uuid", CALVE_STR("0123456789abcdef"), "30313233-3435-3637-3839-616263646566"},
  };
  (void)state;
  calve_buffer out;
  calve_buffer_init(&out, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    calve_value v = int_value(77);
    const calve_type *type = parsed_type(&arena, rows[i].type);
    if (rows[i].text) {
      assert_ok(calve_value_from_bytes(type, rows[i].bytes, &v, &err), &err);
      calve_value_print(&v, &out);
      assert_buffer(&out, rows[i].text);
    } else {
      assert_fails(calve_value_from_bytes(type, rows[i].bytes, &v, &err), CALVE_ECORRUPT, &err);
      assert_int_equal(v.i32, 77);
    }
  }
  calve_buffer_free(&out);
}

static void test_types_without_binary_values_are_unsupported(void **state) {
  static const char *const types[] = {"unknown", "variant", "geometry", "geography"};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
    calve_error err;
    calve_value v;
    assert_fails(calve_value_from_bytes(parsed_type(&arena, types[i]), CALVE_STR("\1"), &v, &err),
                 CALVE_EUNSUPPORTED, &err);
    assert_message(&err, types[i]);
  }
}

/* Rule: we write ints and dates in exactly 4 bytes, decimals in the fewest. */
static void test_written_widths(void **state) {
  (void)state;
  const struct {
    calve_value value;
    calve_str bytes;
  } rows[] = {{int_value(42), CALVE_STR("\x2a\0\0\0")},
              {{.type = CALVE_DATE, .i32 = 19875}, CALVE_STR("\xa3\x4d\0\0")},
              {long_value(CALVE_LONG, -7), CALVE_STR("\xf9\xff\xff\xff\xff\xff\xff\xff")},
              {{.type = CALVE_DECIMAL, .i128 = -500, .scale = 2}, CALVE_STR("\xfe\x0c")},
              {{.type = CALVE_DECIMAL, .i128 = -100000, .scale = 4}, CALVE_STR("\xfe\x79\x60")},
              {{.type = CALVE_DECIMAL, .i128 = 0}, CALVE_STR("\0")},
              {{.type = CALVE_BOOLEAN, .b = true}, CALVE_STR("\1")}};
  calve_buffer out;
  calve_buffer_init(&out, NULL);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_value_to_bytes(&rows[i].value, &out);
    assert_true(calve_str_equal(calve_buffer_view(&out), rows[i].bytes));
    calve_buffer_clear(&out);
  }
  calve_buffer_free(&out);
}

static int setup(void **state) {
  (void)state;
  calve_arena_init(&arena, NULL);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  calve_arena_free(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_promoted_and_odd_widths),
      cmocka_unit_test(test_types_without_binary_values_are_unsupported),
      cmocka_unit_test(test_written_widths),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
