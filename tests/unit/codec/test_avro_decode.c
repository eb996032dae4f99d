/* SPDX-License-Identifier: Apache-2.0 */
/* Schema resolution and decoding: any order, any union, unknown fields, all block forms, damage. */
#include "harness.h"

#include "base/text.h"
#include "codec/avro_reader.h"

typedef struct record {
  int64_t number;
  int32_t small;
  bool flag;
  calve_str text;
  calve_i32_list ints;
  calve_id_i64_list counts;
  calve_id_bytes_list bounds;
  calve_avro_scalar scalar;
  struct record *at;
} record;

#define AT(member) offsetof(record, member)

static const calve_avro_want inner_wants[] = {
    {.field_id = 21, .name = "deep", .target = CALVE_AVRO_TO_I64, .offset = AT(number)}};
static const calve_avro_want wants[] = {
    {.field_id = 1, .name = "number", .target = CALVE_AVRO_TO_I64, .offset = AT(number)},
    {.field_id = 2, .name = "small", .target = CALVE_AVRO_TO_I32, .offset = AT(small)},
    {.field_id = 3, .name = "flag", .target = CALVE_AVRO_TO_BOOL, .offset = AT(flag)},
    {.field_id = 4, .name = "text", .target = CALVE_AVRO_TO_STR, .offset = AT(text)},
    {.field_id = 5, .name = "ints", .target = CALVE_AVRO_TO_I32_LIST, .offset = AT(ints)},
    {.field_id = 6,
     .name = "counts",
     .target = CALVE_AVRO_TO_ID_I64,
     .offset = AT(counts),
     .key_id = 117,
     .value_id = 118},
    {.field_id = 7,
     .name = "bounds",
     .target = CALVE_AVRO_TO_ID_BYTES,
     .offset = AT(bounds),
     .key_id = 126,
     .value_id = 127},
    {.field_id = 8, .name = "scalar", .target = CALVE_AVRO_TO_SCALAR, .offset = AT(scalar)},
    {.field_id = 9,
     .name = "at",
     .target = CALVE_AVRO_TO_RECORD_AT,
     .offset = AT(at),
     .fields = inner_wants,
     .field_count = 1},
};

/* Decodes one record of a schema with these fields; *left is how many bytes stay. */
static calve_status decode(calve_arena *arena, const char *fields, const char *bytes, size_t size,
                           record *out, size_t *left, calve_error *err) {
  calve_str json;
  CALVE_TRY(calve_arena_printf(arena, &json, err,
                               "{\"type\":\"record\",\"name\":\"r\",\"fields\":[%s]}", fields));
  const calve_avro_type *schema;
  CALVE_TRY(calve_avro_schema_parse(json, "t.avro", arena, &schema, err));
  const calve_avro_program *program = NULL;
  CALVE_TRY(
      calve_avro_compile(schema, wants, ARRAY_COUNT(wants), NULL, "t.avro", arena, &program, err));
  /* A copy of exactly these bytes, so that reading over the end shows. */
  char *data = malloc(size + 1);
  assert_non_null(data);
  memcpy(data, bytes, size);
  char *exact = realloc(data, size ? size : 1);
  const char *at = exact;
  calve_avro_hints *hints = calve_avro_hints_make(arena);
  assert_non_null(hints);
  calve_status status = calve_avro_decode(program, &at, exact + size, out, hints, arena, err);
  *left = size - (size_t)(at - exact);
  if (status == CALVE_OK && out->text.data) {
    status = calve_arena_str(arena, out->text, &out->text, err);
  }
  free(exact);
  return status;
}

static void test_one_field_in_every_form(void **state) {
  (void)state;
  static const struct {
    const char *name, *fields, *bytes;
    size_t size;
    int64_t number;
  } rows[] = {
      {"plain", "{\"name\":\"x\",\"type\":\"long\",\"field-id\":1}", "\x0a", 1, 5},
      {"int read as long", "{\"name\":\"x\",\"type\":\"int\",\"field-id\":1}", "\x0a", 1, 5},
      {"null first", "{\"name\":\"x\",\"type\":[\"null\",\"long\"],\"field-id\":1}", "\x02\x0a", 2,
       5},
      {"null last", "{\"name\":\"x\",\"type\":[\"long\",\"null\"],\"field-id\":1}", "\x00\x0a", 2,
       5},
      {"is null", "{\"name\":\"x\",\"type\":[\"null\",\"long\"],\"field-id\":1}", "\x00", 1, -1},
      {"is null, last", "{\"name\":\"x\",\"type\":[\"long\",\"null\"],\"field-id\":1}", "\x02", 1,
       -1},
      {"three branches", "{\"name\":\"x\",\"type\":[\"string\",\"null\",\"long\"],\"field-id\":1}",
       "\x04\x0a", 2, 5},
      {"union of one", "{\"name\":\"x\",\"type\":[\"long\"],\"field-id\":1}", "\x00\x0a", 2, 5},
      {"by name without ids", "{\"name\":\"number\",\"type\":\"long\"}", "\x0a", 1, 5},
      {"a name with another id is not it",
       "{\"name\":\"number\",\"type\":\"long\",\"field-id\":99}", "\x0a", 1, -1},
      {"typed in a wrapper",
       "{\"name\":\"x\",\"type\":{\"type\":{\"type\":\"long\"}},\"field-id\":1}", "\x0a", 1, 5},
      {"unknown logical type",
       "{\"name\":\"x\",\"type\":{\"type\":\"long\",\"logicalType\":\"foo\"},\"field-id\":1}",
       "\x0a", 1, 5},
      {"inside a record of a nullable record",
       "{\"name\":\"x\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"i\",\"fields\":["
       "{\"name\":\"skip\",\"type\":\"string\"},{\"name\":\"d\",\"type\":\"long\",\"field-id\":21}]"
       "}],"
       "\"field-id\":9}",
       "\x02\x04zz\x0a", 5, 5},
      {"null", "{\"name\":\"x\",\"type\":\"null\",\"field-id\":1}", "", 0, -1},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_arena arena;
    calve_arena_init(&arena, NULL);
    calve_error err;
    record inner = {.number = -1}, r = {.number = -1, .at = &inner};
    size_t left;
    print_message("%s\n", rows[i].name);
    assert_ok(decode(&arena, rows[i].fields, rows[i].bytes, rows[i].size, &r, &left, &err), &err);
    assert_int_equal(left, 0);
    assert_int_equal(r.number >= 0 ? r.number : inner.number, rows[i].number);
    calve_arena_free(&arena);
  }
}

/* Each unknown field stands before the number that is wanted. */
static void test_unknown_fields_are_skipped(void **state) {
  (void)state;
  static const struct {
    const char *type, *bytes;
    size_t size;
  } rows[] = {
      {"\"null\"", "", 0},
      {"\"boolean\"", "\x01", 1},
      {"\"int\"", "\xac\x02", 2},
      {"\"float\"", "abcd", 4},
      {"\"double\"", "abcdefgh", 8},
      {"\"string\"",
       "\x06"
       "abc",
       4},
      {"{\"type\":\"fixed\",\"name\":\"f\",\"size\":3}", "abc", 3},
      {"{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"B\"]}", "\x02", 1},
      {"{\"type\":\"array\",\"items\":\"int\"}", "\x04\x0a\x0c\x00", 4},
      {"{\"type\":\"array\",\"items\":\"int\"}", "\x03\x04\x0a\x0c\x00", 5},
      {"{\"type\":\"array\",\"items\":\"string\"}",
       "\x04\x02"
       "a\x02"
       "b\x00",
       6},
      {"{\"type\":\"array\",\"items\":\"null\"}", "\x80\x80\x80\x80\x10\x00", 6},
      {"{\"type\":\"map\",\"values\":\"long\"}", "\x02\x02k\x0a\x00", 5},
      {"{\"type\":\"map\",\"values\":\"long\"}", "\x01\x06\x02k\x0a\x00", 6},
      {"[\"null\",\"string\",\"long\"]", "\x02\x02z", 3},
      {"[\"null\",\"string\"]", "\x00", 1},
      {"{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"kv\",\"fields\":["
       "{\"name\":\"key\",\"type\":\"int\"},{\"name\":\"value\",\"type\":\"long\"}]}}",
       "\x04\x02\xac\x02\x04\xac\x02\x00", 8},
      {"{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"kb\",\"fields\":["
       "{\"name\":\"key\",\"type\":\"int\"},{\"name\":\"value\",\"type\":\"bytes\"}]}}",
       "\x04\x02\x02"
       "a\x04\x00\x00",
       7},
      {"{\"type\":\"record\",\"name\":\"node\",\"fields\":[{\"name\":\"v\",\"type\":\"int\"},"
       "{\"name\":\"next\",\"type\":[\"null\",\"node\"]}]}",
       "\x02\x02\x04\x00", 4},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_arena arena;
    calve_arena_init(&arena, NULL);
    calve_error err;
    char fields[600], bytes[64];
    snprintf(fields, sizeof fields,
             "{\"name\":\"other\",\"type\":%s,\"field-id\":999},"
             "{\"name\":\"x\",\"type\":\"long\",\"field-id\":1}",
             rows[i].type);
    memcpy(bytes, rows[i].bytes, rows[i].size);
    bytes[rows[i].size] = 0x0a;
    record r = {.number = -1};
    size_t left;
    assert_ok(decode(&arena, fields, bytes, rows[i].size + 1, &r, &left, &err), &err);
    assert_int_equal(r.number, 5);
    assert_int_equal(left, 0);
    /* Cut anywhere, the record is damaged: never read over the end, never taken as whole. */
    for (size_t size = 0; size <= rows[i].size; size++) {
      assert_fails(decode(&arena, fields, bytes, size, &r, &left, &err), CALVE_ECORRUPT, &err);
    }
    calve_arena_free(&arena);
  }
}

/* B086: both array forms, several blocks. */
static void test_lists_in_every_block_form(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t size;
  } rows[] = {{"\x04\x0a\x0c\x00", 4},
              {"\x03\x04\x0a\x0c\x00", 5},
              {"\x02\x0a\x02\x0c\x00", 5},
              {"\x01\x02\x0a\x02\x0c\x00", 6}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_arena arena;
    calve_arena_init(&arena, NULL);
    calve_error err;
    record r = {0};
    size_t left;
    assert_ok(
        decode(&arena,
               "{\"name\":\"x\",\"type\":{\"type\":\"array\",\"items\":\"int\"},\"field-id\":5}",
               rows[i].bytes, rows[i].size, &r, &left, &err),
        &err);
    assert_int_equal(r.ints.count, 2);
    assert_int_equal(r.ints.items[0], 5);
    assert_int_equal(r.ints.items[1], 6);
    calve_arena_free(&arena);
  }
}

#define COUNTS(first, second)                                                                  \
  "{\"name\":\"x\",\"type\":[\"null\",{\"type\":\"array\",\"logicalType\":\"map\",\"items\":{" \
  "\"type\":\"record\",\"name\":\"kv\",\"fields\":[" first "," second "]}}],\"field-id\":6}"
#define KEY   "{\"name\":\"key\",\"type\":\"int\",\"field-id\":117}"
#define VALUE "{\"name\":\"value\",\"type\":\"long\",\"field-id\":118}"

static void test_maps_by_id(void **state) {
  (void)state;
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  calve_error err;
  record r = {0};
  size_t left;
  assert_ok(decode(&arena, COUNTS(KEY, VALUE), "\x02\x04\x02\x0a\x04\x0c\x00", 7, &r, &left, &err),
            &err);
  assert_int_equal(r.counts.count, 2);
  assert_int_equal(r.counts.items[0].id, 1);
  assert_int_equal(r.counts.items[0].value, 5);
  assert_int_equal(r.counts.items[1].value, 6);
  /* Value before key; ids that come unsorted and one that comes twice. */
  r = (record){0};
  assert_ok(decode(&arena, COUNTS(VALUE, KEY), "\x02\x08\x0a\x06\x0c\x04\x0e\x02\x10\x04\x00", 11,
                   &r, &left, &err),
            &err);
  assert_int_equal(r.counts.count, 2);
  assert_int_equal(r.counts.items[0].id, 1);
  assert_int_equal(r.counts.items[0].value, 7);
  assert_int_equal(r.counts.items[1].id, 3);
  /* An empty map is not an absent one. */
  r = (record){0};
  assert_ok(decode(&arena, COUNTS(KEY, VALUE), "\x02\x00", 2, &r, &left, &err), &err);
  assert_non_null(r.counts.items);
  assert_int_equal(r.counts.count, 0);
  r = (record){0};
  assert_ok(decode(&arena, COUNTS(KEY, VALUE), "\x00", 1, &r, &left, &err), &err);
  assert_null(r.counts.items);
  calve_arena_free(&arena);
}

static void test_impossible_values_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *fields, *bytes;
    size_t size;
    const char *message;
  } rows[] = {
      {"{\"name\":\"x\",\"type\":\"long\",\"field-id\":2}", "\x80\x80\x80\x80\x20", 5,
       "out of range"},
      {"{\"name\":\"x\",\"type\":\"string\",\"field-id\":4}", "\x01", 1, "length"},
      {"{\"name\":\"x\",\"type\":\"string\",\"field-id\":4}",
       "\xfe\xff\xff\xff\x0f"
       "a",
       6, "length"},
      {"{\"name\":\"x\",\"type\":[\"null\",\"long\"],\"field-id\":1}", "\x04", 1, "branch"},
      {"{\"name\":\"x\",\"type\":[\"null\",\"long\",\"int\"],\"field-id\":1}", "\x06", 1, "branch"},
      {"{\"name\":\"x\",\"type\":[\"null\",\"string\",\"long\"],\"field-id\":1}", "\x02\x02z", 3,
       "does not fit"},
      {COUNTS(KEY, VALUE), "\x02\xfe\xff\xff\xff\x0f\x02", 7, "more items"},
      {COUNTS(KEY, VALUE), "\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, "length"},
      {"{\"name\":\"x\",\"type\":\"string\",\"field-id\":1}", "", 0, "can't hold"},
      {"{\"name\":\"x\",\"type\":\"nowhere\",\"field-id\":1}", "", 0, "nowhere"},
      {"{\"name\":\"x\",\"field-id\":1}", "", 0, "without a type"},
      {"{\"name\":\"x\",\"type\":[[\"null\"]],\"field-id\":1}", "", 0, "union"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_arena arena;
    calve_arena_init(&arena, NULL);
    calve_error err;
    record r = {0};
    size_t left;
    calve_status status =
        decode(&arena, rows[i].fields, rows[i].bytes, rows[i].size, &r, &left, &err);
    if (rows[i].message[0] == 'c') { /* optional fields of a type that does not fit             */
      assert_int_equal(status, CALVE_ECORRUPT);
    }
    assert_int_equal(status, CALVE_ECORRUPT);
    assert_message(&err, rows[i].message);
    calve_arena_free(&arena);
  }
}

/* Named types by reference, also inside a namespace. */
static void test_named_types_by_reference(void **state) {
  (void)state;
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  calve_error err;
  record r = {0};
  size_t left;
  assert_ok(
      decode(&arena,
             "{\"name\":\"a\",\"type\":{\"type\":\"fixed\",\"name\":\"f4\",\"namespace\":\"n.s\","
             "\"size\":4},\"field-id\":50},"
             "{\"name\":\"b\",\"type\":[\"null\",\"n.s.f4\"],\"field-id\":4}",
             "abcd\x02"
             "efgh",
             9, &r, &left, &err),
      &err);
  assert_true(calve_str_equal_text(r.text, "efgh"));
  calve_arena_free(&arena);
}

static void test_schema_depth_is_capped(void **state) {
  (void)state;
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  calve_error err;
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  for (int i = 0; i < 90; i++) calve_buffer_puts(&b, "{\"type\":\"array\",\"items\":");
  calve_buffer_puts(&b, "\"int\"");
  for (int i = 0; i < 90; i++) calve_buffer_puts(&b, "}");
  const calve_avro_type *schema;
  assert_fails(calve_avro_schema_parse(calve_buffer_view(&b), "t.avro", &arena, &schema, &err),
               CALVE_ECORRUPT, &err);
  assert_message(&err, "deeper");
  calve_buffer_free(&b);
  calve_arena_free(&arena);
}

/* Only the ids asked for are kept, whatever the order. */
static void test_other_ids_are_left_out(void **state) {
  (void)state;
  static const int32_t only[] = {2, 5};
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  calve_error err;
  calve_str json =
      CALVE_STR("{\"type\":\"record\",\"name\":\"r\",\"fields\":[" COUNTS(KEY, VALUE) "]}");
  const calve_avro_type *schema = NULL;
  assert_ok(calve_avro_schema_parse(json, "t.avro", &arena, &schema, &err), &err);
  calve_avro_want want = wants[5];
  want.only_ids = only;
  want.only_count = 2;
  const calve_avro_program *program = NULL;
  assert_ok(calve_avro_compile(schema, &want, 1, NULL, "t.avro", &arena, &program, &err), &err);
  const char bytes[] = "\x02\x08\x02\x0a\x0a\x0c\x04\x0e\x06\x10\x00";
  const char *at = bytes;
  record r = {0};
  calve_avro_hints *hints = calve_avro_hints_make(&arena);
  assert_non_null(hints);
  assert_ok(calve_avro_decode(program, &at, bytes + sizeof bytes - 1, &r, hints, &arena, &err),
            &err);
  assert_int_equal(r.counts.count, 2);
  assert_int_equal(r.counts.items[0].id, 2);
  assert_int_equal(r.counts.items[0].value, 7);
  assert_int_equal(r.counts.items[1].id, 5);
  assert_int_equal(r.counts.items[1].value, 6);
  calve_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_field_in_every_form),
      cmocka_unit_test(test_unknown_fields_are_skipped),
      cmocka_unit_test(test_lists_in_every_block_form),
      cmocka_unit_test(test_maps_by_id),
      cmocka_unit_test(test_impossible_values_are_refused),
      cmocka_unit_test(test_named_types_by_reference),
      cmocka_unit_test(test_schema_depth_is_capped),
      cmocka_unit_test(test_other_ids_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
