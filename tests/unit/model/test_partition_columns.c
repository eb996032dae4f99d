/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

static calve_arena arena;

static const char columns[] =
    "{\"type\":\"struct\",\"fields\":["
    "{\"id\":1,\"name\":\"s\",\"required\":false,\"type\":\"string\"},"
    "{\"id\":2,\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"}]}";

static void check(const char *const *texts, int32_t spec_count, const char *expected) {
  calve_error err;
  const calve_spec *specs[4];
  const calve_partition_column *made = NULL;
  int32_t count = 0;
  calve_buffer out;
  for (int32_t i = 0; i < spec_count; i++) specs[i] = parsed_spec(&arena, texts[i]);
  assert_ok(calve_partition_columns(specs, spec_count, parsed_schema(&arena, columns), &arena,
                                    &made, &count, &err),
            &err);
  calve_buffer_init(&out, NULL);
  for (int32_t i = 0; i < count; i++) {
    char type[CALVE_TYPE_TEXT_MAX];
    calve_buffer_printf(&out, "%s%d %.*s %s", i > 0 ? ", " : "", made[i].field_id,
                        CALVE_STR_ARG(made[i].name), calve_type_text(made[i].type, type));
  }
  assert_buffer(&out, expected);
  calve_buffer_free(&out);
}

/* Rule: what was a bucket stays an int when it is dropped; the newest spec gives the name. */
static void test_void_does_not_win_over_the_transform(void **state) {
  (void)state;
  static const char *const dropped[] = {
      "{\"spec-id\":0,\"fields\":[{\"name\":\"s_bucket\",\"transform\":\"bucket[2]\",\"source-id\":"
      "1,"
      "\"field-id\":1000}]}",
      "{\"spec-id\":1,\"fields\":[{\"name\":\"s_bucket_1000\",\"transform\":\"void\",\"source-id\":"
      "1,"
      "\"field-id\":1000}]}"};
  static const char *const other_way[] = {dropped[1], dropped[0]};
  check(dropped, 2, "1000 s_bucket_1000 int");
  check(other_way, 2, "1000 s_bucket_1000 int");
  check(dropped + 1, 1, "1000 s_bucket_1000 string");
}

static void test_fields_of_all_specs_by_id(void **state) {
  (void)state;
  static const char *const specs[] = {
      "{\"spec-id\":0,\"fields\":[{\"name\":\"ts_month\",\"transform\":\"month\",\"source-id\":2,"
      "\"field-id\":1000}]}",
      "{\"spec-id\":2,\"fields\":[{\"name\":\"ts_day\",\"transform\":\"day\",\"source-id\":2,"
      "\"field-id\":1001}]}",
      "{\"spec-id\":1,\"fields\":[{\"name\":\"gone\",\"transform\":\"identity\",\"source-id\":9,"
      "\"field-id\":1002},{\"name\":\"month\",\"transform\":\"month\",\"source-id\":2,"
      "\"field-id\":1000}]}"};
  check(specs, 3, "1000 month int, 1001 ts_day date, 1002 gone unknown");
  check(specs, 0, "");
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
      cmocka_unit_test(test_void_does_not_win_over_the_transform),
      cmocka_unit_test(test_fields_of_all_specs_by_id),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
