/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

#include "model/metadata.h"
#include "model/partition_union.h"

static calve_arena arena;

#define TABLE_START                                                                            \
  "{\"format-version\":2,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\","             \
  "\"location\":\"/t\",\"last-sequence-number\":0,\"last-updated-ms\":1,\"last-column-id\":2," \
  "\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\",\"schema-id\":0,\"fields\":["     \
  "{\"id\":1,\"name\":\"s\",\"required\":false,\"type\":\"string\"},"                          \
  "{\"id\":2,\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"}]}],"                   \
  "\"default-spec-id\":0,\"last-partition-id\":1002,\"default-sort-order-id\":0,"              \
  "\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],\"partition-specs\":["
#define SPEC(id, fields) "{\"spec-id\":" id ",\"fields\":[" fields "]}"
#define FIELD(name, transform, source, id)                                       \
  "{\"name\":\"" name "\",\"transform\":\"" transform "\",\"source-id\":" source \
  ",\"field-id\":" id "}"

static void check(const char *specs, const char *fields, const char *places) {
  calve_error err;
  const calve_metadata *m = NULL;
  const calve_partition_union *u = NULL;
  calve_str text = {NULL, 0};
  calve_buffer out;
  assert_ok(calve_arena_printf(&arena, &text, &err, "%s%s]}", TABLE_START, specs), &err);
  assert_ok(calve_metadata_parse(text, "v1.metadata.json", &arena, &m, &err), &err);
  assert_ok(calve_partition_union_make(m, &arena, &u, &err), &err);
  calve_buffer_init(&out, NULL);
  for (int32_t i = 0; i < u->field_count; i++) {
    char type[CALVE_TYPE_TEXT_MAX];
    calve_buffer_printf(&out, "%s%d %.*s %s", i > 0 ? ", " : "", u->fields[i].field_id,
                        CALVE_STR_ARG(u->fields[i].name), calve_type_text(u->fields[i].type, type));
  }
  assert_buffer(&out, fields);
  for (int32_t i = 0; i < m->spec_count; i++) {
    calve_buffer_putc(&out, '[');
    for (int32_t j = 0; j < m->specs[i]->field_count; j++)
      calve_buffer_printf(&out, " %d", u->places[i][j]);
    calve_buffer_puts(&out, " ]");
  }
  assert_buffer(&out, places);
  calve_buffer_free(&out);
}

/* Rule: what was a bucket stays an int when it is dropped; the newest spec gives the name. */
static void test_void_does_not_win_over_the_transform(void **state) {
  (void)state;
  check(SPEC("0", FIELD("s_bucket", "bucket[2]", "1", "1000")) "," SPEC(
            "1", FIELD("s_bucket_1000", "void", "1", "1000")),
        "1000 s_bucket_1000 int", "[ 0 ][ 0 ]");
  check(SPEC("1", FIELD("s_bucket_1000", "void", "1", "1000")) "," SPEC(
            "0", FIELD("s_bucket", "bucket[2]", "1", "1000")),
        "1000 s_bucket_1000 int", "[ 0 ][ 0 ]");
  check(SPEC("0", FIELD("s_null", "void", "1", "1000")), "1000 s_null string", "[ 0 ]");
}

static void test_fields_of_all_specs_by_id(void **state) {
  (void)state;
  check(
      SPEC("0", FIELD("ts_month", "month", "2", "1000")) "," SPEC(
          "2", FIELD("ts_day", "day", "2",
                     "1001")) "," SPEC("1", FIELD("gone", "identity", "9",
                                                  "1002") "," FIELD("month", "month", "2", "1000")),
      "1000 month int, 1002 gone unknown, 1001 ts_day date", "[ 0 ][ 2 ][ 1 0 ]");
}

/* v1 tables of old writers give an id to two fields: neither may read the other's values. */
static void test_a_reused_id_is_two_fields(void **state) {
  (void)state;
  check(
      SPEC("0", FIELD("p", "bucket[2]", "1", "1000")) "," SPEC("1", FIELD("p", "day", "2", "1000")),
      "1000 p_1000_0 int, 1000 p date", "[ 0 ][ 1 ]");
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
      cmocka_unit_test(test_a_reused_id_is_two_fields),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
