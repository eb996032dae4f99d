/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

static calve_arena arena;

static void test_canonical_text(void **state) {
  static const struct {
    const char *text, *canonical;
  } rows[] = {{"INT", "int"},
              {"decimal(38,38)", "decimal(38, 38)"},
              {"Decimal( 9 ,2 )", "decimal(9, 2)"},
              {"fixed[ 16 ]", "fixed[16]"},
              {"geometry", "geometry(OGC:CRS84)"},
              {"geometry(EPSG:4326)", "geometry(EPSG:4326)"},
              {"geography(OGC:CRS84, KARNEY)", "geography(OGC:CRS84, karney)"},
              {"timestamptz_ns", "timestamptz_ns"}};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_buffer out;
    calve_buffer_init(&out, NULL);
    calve_type_print(parsed_type(&arena, rows[i].text), &out);
    assert_buffer(&out, rows[i].canonical);
    calve_buffer_free(&out);
  }
}

static void test_bad_text_is_named(void **state) {
  static const char *const rows[] = {"",
                                     "in",
                                     "int ",
                                     "bigint",
                                     "decimal",
                                     "decimal(9)",
                                     "decimal(9,2",
                                     "decimal(9,2)x",
                                     "decimal(+9,2)",
                                     "decimal(99999999999999999999,2)",
                                     "fixed",
                                     "fixed[-1]",
                                     "fixed[x]",
                                     "fixed[4294967296]",
                                     "fixed(3)",
                                     "geometry()",
                                     "geography(a, b)",
                                     "struct",
                                     "list",
                                     "map",
                                     "int[3]",
                                     "timestamp(3)"};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    const calve_type *type = NULL;
    assert_fails(calve_type_parse(calve_str_of(rows[i]), &arena, &type, &err), CALVE_EINVAL, &err);
    assert_message(&err, rows[i]);
    assert_null(type);
  }
}

static void test_text_for_messages_is_cut_between_characters(void **state) {
  (void)state;
  calve_field fields[40];
  char text[CALVE_TYPE_TEXT_MAX];
  for (int i = 0; i < 40; i++)
    fields[i] =
        (calve_field){.id = i, .name = CALVE_STR("\u4e16\u754c"), .type = calve_type_of(CALVE_INT)};
  calve_type wide = {.id = CALVE_STRUCT, .field_count = 40, .fields = fields};
  calve_type_text(&wide, text);
  assert_true(strlen(text) > CALVE_TYPE_TEXT_MAX - 4);
  assert_true(calve_utf8_valid(calve_str_of(text)));
  wide.field_count = 2;
  assert_string_equal(calve_type_text(&wide, text),
                      "struct<\u4e16\u754c: int, \u4e16\u754c: int>");
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
      cmocka_unit_test(test_canonical_text),
      cmocka_unit_test(test_bad_text_is_named),
      cmocka_unit_test(test_text_for_messages_is_cut_between_characters),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
