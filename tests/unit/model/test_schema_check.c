/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

static calve_arena arena;

static calve_status parse_with(const char *identifiers, const char *fields,
                               const calve_schema **out, calve_error *err) {
  calve_str text;
  CALVE_TRY(calve_arena_printf(
      &arena, &text, err, "{\"type\":\"struct\",\"identifier-field-ids\":[%s],\"fields\":[%s]}",
      identifiers, fields));
  return calve_schema_parse(text, "schema", &arena, out, err);
}

static void test_what_a_format_version_lacks(void **state) {
  static const struct {
    const char *field, *part;
    int since; /* format version */
  } rows[] = {
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"timestamp\"}", "", 1},
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"timestamp_ns\"}", "timestamp_ns", 3},
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"variant\"}", "variant", 3},
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"geometry\"}", "geometry", 3},
      {"{\"id\":1,\"name\":\"a\",\"required\":false,\"type\":\"unknown\"}", "unknown", 3},
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"int\",\"initial-default\":1}",
       "default value", 3},
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"int\",\"write-default\":1}", "", 1},
      {"{\"id\":2147483447,\"name\":\"a\",\"required\":true,\"type\":\"int\"}", "", 1},
      {"{\"id\":2147483448,\"name\":\"a\",\"required\":true,\"type\":\"int\"}", "reserved", 4},
      {"{\"id\":-1,\"name\":\"a\",\"required\":true,\"type\":\"int\"}", "reserved", 4},
  };
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    const calve_schema *s = NULL;
    assert_ok(parse_with("", rows[i].field, &s, &err), &err); /* storage may have it */
    for (int version = 1; version <= 3; version++) {
      if (version >= rows[i].since) {
        assert_ok(calve_schema_check(s, version, &err), &err);
      } else {
        assert_fails(calve_schema_check(s, version, &err), CALVE_EINVAL, &err);
        assert_message(&err, rows[i].part);
        assert_message(&err, "'a'");
      }
    }
  }
}

static void test_identifier_fields(void **state) {
  static const char fields[] =
      "{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"long\"},"
      "{\"id\":2,\"name\":\"b\",\"required\":false,\"type\":\"long\"},"
      "{\"id\":3,\"name\":\"c\",\"required\":true,\"type\":\"double\"},"
      "{\"id\":4,\"name\":\"d\",\"required\":true,\"type\":{\"type\":\"list\",\"element-id\":5,"
      "\"element\":\"int\",\"element-required\":true}},"
      "{\"id\":6,\"name\":\"e\",\"required\":true,\"type\":{\"type\":\"struct\",\"fields\":["
      "{\"id\":7,\"name\":\"x\",\"required\":true,\"type\":\"int\"}]}},"
      "{\"id\":8,\"name\":\"f\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
      "{\"id\":9,\"name\":\"x\",\"required\":true,\"type\":\"int\"}]}}";
  static const struct {
    const char *ids, *part;
  } rows[] = {{"1", NULL},        {"7, 1", NULL},           {"2", "optional"},
              {"3", "float"},     {"4", "primitive"},       {"5", "list or map"},
              {"6", "primitive"}, {"9", "optional struct"}, {"99", "not in the schema"}};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    const calve_schema *s = NULL;
    if (rows[i].part) {
      assert_fails(parse_with(rows[i].ids, fields, &s, &err), CALVE_ECORRUPT, &err);
      assert_message(&err, rows[i].part);
    } else {
      assert_ok(parse_with(rows[i].ids, fields, &s, &err), &err);
    }
  }
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
      cmocka_unit_test(test_what_a_format_version_lacks),
      cmocka_unit_test(test_identifier_fields),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
