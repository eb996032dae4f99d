/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

static calve_arena arena;

static const char nested[] =
    "{\"type\":\"struct\",\"schema-id\":3,\"identifier-field-ids\":[2,1,2],\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\"},"
    "{\"id\":2,\"name\":\"key\",\"required\":true,\"type\":\"string\",\"doc\":\"the key\"},"
    "{\"id\":3,\"name\":\"points\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":4,"
    "\"element\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":5,\"name\":\"x\",\"required\":true,\"type\":\"double\"}]},\"element-required\":true}},"
    "{\"id\":6,\"name\":\"tags\",\"required\":true,\"type\":{\"type\":\"map\",\"key-id\":7,"
    "\"key\":\"string\",\"value-id\":8,\"value\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":9,\"name\":\"n\",\"required\":false,\"type\":\"int\"}]},\"value-required\":true}},"
    "{\"id\":10,\"name\":\"s\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":11,\"name\":\"y\",\"required\":true,\"type\":\"date\"}]}}]}";

static void test_nodes_know_their_place(void **state) {
  static const struct {
    int32_t id;
    const char *full_name;
    bool inside_repeated, can_be_missing;
  } rows[] = {{1, "id", false, false},           {3, "points", false, true},
              {4, "points.element", true, true}, {5, "points.element.x", true, true},
              {6, "tags", false, false},         {7, "tags.key", true, false},
              {9, "tags.value.n", true, true},   {11, "s.y", false, true}};
  (void)state;
  const calve_schema *s = parsed_schema(&arena, nested);
  assert_int_equal(s->schema_id, 3);
  assert_int_equal(s->node_count, 11);
  assert_int_equal(s->highest_field_id, 11);
  assert_int_equal(s->identifier_field_count, 2);
  assert_int_equal(s->identifier_field_ids[0], 1);
  assert_int_equal(s->identifier_field_ids[1], 2);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_schema_node *node = calve_schema_find_id(s, rows[i].id);
    assert_non_null(node);
    assert_true(calve_str_equal_text(node->full_name, rows[i].full_name));
    assert_int_equal(node->inside_repeated, rows[i].inside_repeated);
    assert_int_equal(node->can_be_missing, rows[i].can_be_missing);
    assert_ptr_equal(calve_schema_find(s, calve_str_of(rows[i].full_name)), node);
  }
  assert_int_equal(calve_schema_find_id(s, 11)->parent->field->id, 10);
  assert_null(calve_schema_find_id(s, 12));
}

static void test_short_names_leave_out_element_and_value(void **state) {
  (void)state;
  const calve_schema *s = parsed_schema(&arena, nested);
  assert_int_equal(calve_schema_find(s, CALVE_STR("points.x"))->field->id, 5);
  assert_int_equal(calve_schema_find(s, CALVE_STR("tags.n"))->field->id, 9);
  assert_null(calve_schema_find(s, CALVE_STR("tags.x")));
  /* A full name wins over a short one. */
  s = parsed_schema(&arena,
                    "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"l\",\"required\":true,"
                    "\"type\":{\"type\":\"list\",\"element-id\":2,\"element-required\":true,"
                    "\"element\":{\"type\":\"struct\",\"fields\":[{\"id\":3,\"name\":\"x\","
                    "\"required\":true,\"type\":\"int\"}]}}},"
                    "{\"id\":4,\"name\":\"l.x\",\"required\":true,\"type\":\"int\"}]}");
  assert_int_equal(calve_schema_find(s, CALVE_STR("l.x"))->field->id, 4);
}

/* Names that differ by case only: loading works, asking without case is ambiguous. */
static void test_names_that_differ_by_case(void **state) {
  (void)state;
  calve_error err;
  const calve_schema_node *node = NULL;
  const calve_schema *s =
      parsed_schema(&arena,
                    "{\"type\":\"struct\",\"schema-id\":0,\"fields\":["
                    "{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":\"int\"},"
                    "{\"id\":2,\"name\":\"Col\",\"required\":false,\"type\":\"int\"},"
                    "{\"id\":3,\"name\":\"COL\",\"required\":false,\"type\":\"int\"}]}");
  assert_ok(calve_schema_resolve(s, CALVE_STR("Col"), true, &node, &err), &err);
  assert_int_equal(node->field->id, 2);
  assert_ok(calve_schema_resolve(s, CALVE_STR("ID"), false, &node, &err), &err);
  assert_int_equal(node->field->id, 1);
  assert_fails(calve_schema_resolve(s, CALVE_STR("col"), false, &node, &err), CALVE_EINVAL, &err);
  assert_message(&err, "'Col' and 'COL'");
  assert_fails(calve_schema_resolve(s, CALVE_STR("Col"), false, &node, &err), CALVE_EINVAL, &err);
  assert_fails(calve_schema_resolve(s, CALVE_STR("col"), true, &node, &err), CALVE_ENOTFOUND, &err);
  assert_message(&err, "did you mean 'Col'?");
  assert_fails(calve_schema_resolve(s, CALVE_STR("amount"), true, &node, &err), CALVE_ENOTFOUND,
               &err);
  assert_null(strstr(err.message, "mean"));
  assert_int_equal(node->field->id, 1);
}

static void test_text_survives_a_round_trip(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{\"type\":\"struct\",\"schema-id\":0,\"fields\":[]}",
      "{\"type\":\"struct\",\"schema-id\":1,\"identifier-field-ids\":[1],\"fields\":["
      "{\"id\":1,\"name\":\"a\\\"b\",\"required\":true,\"type\":\"decimal(9, 2)\",\"doc\":\"\","
      "\"initial-default\":\"1.50\",\"write-default\":\"2.00\"},"
      "{\"id\":2,\"name\":\"g\",\"required\":false,\"type\":\"geography(OGC:CRS84, spherical)\"},"
      "{\"id\":3,\"name\":\"l\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":4,"
      "\"element\":{\"type\":\"map\",\"key-id\":5,\"key\":\"string\",\"value-id\":6,"
      "\"value\":\"variant\",\"value-required\":false},\"element-required\":true}}]}"};
  for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
    calve_buffer out;
    calve_json_writer w;
    calve_buffer_init(&out, NULL);
    calve_json_write_init(&w, &out, 0);
    calve_schema_write_json(parsed_schema(&arena, texts[i]), &w);
    assert_buffer(&out, texts[i]);
    calve_buffer_free(&out);
  }
}

/* Members may come in any order, and unknown ones are passed over. */
static void test_order_of_members_does_not_matter(void **state) {
  (void)state;
  const calve_schema *a = parsed_schema(
      &arena,
      "{\"fields\":[{\"write-default\":7,\"type\":{\"element\":\"int\",\"element-required\":false,"
      "\"type\":\"list\",\"element-id\":2},\"x\":[{}],\"required\":true,\"name\":\"l\",\"id\":1,"
      "\"write-default\":null}],\"type\":\"struct\"}");
  const calve_schema *b = parsed_schema(
      &arena,
      "{\"type\":\"struct\",\"schema-id\":9,\"fields\":[{\"id\":1,\"name\":\"l\",\"required\":true,"
      "\"type\":{\"type\":\"list\",\"element-id\":2,\"element\":\"int\",\"element-required\":false}"
      "}]}");
  assert_true(calve_schema_same(a, b));
}

static void test_difference_in_defaults_is_seen(void **state) {
  (void)state;
  const char *format =
      "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":false,"
      "\"type\":\"int\"%s}]}";
  const char *defaults[] = {"", ",\"write-default\":1", ",\"write-default\":2",
                            ",\"initial-default\":1"};
  const calve_schema *schemas[4];
  for (size_t i = 0; i < 4; i++) {
    char text[200];
    snprintf(text, sizeof text, format, defaults[i]);
    calve_str kept;
    assert_int_equal(calve_arena_str(&arena, calve_str_of(text), &kept, NULL), CALVE_OK);
    schemas[i] = parsed_schema(&arena, kept.data);
  }
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 4; j++)
      assert_int_equal(calve_schema_same(schemas[i], schemas[j]), i == j);
}

static void test_impossible_schemas_are_refused(void **state) {
  static const struct {
    const char *fields, *part;
  } rows[] = {
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"int\"},"
       "{\"id\":1,\"name\":\"b\",\"required\":true,\"type\":\"int\"}",
       "'a' and 'b' have the same id 1"},
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"int\"},"
       "{\"id\":2,\"name\":\"a\",\"required\":true,\"type\":\"int\"}",
       "1 and 2 have the same name 'a'"},
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"int96\"}", "int96"},
      {"{\"id\":1,\"name\":\"a\",\"required\":true}", "field 'a' has no \"type\""},
      {"{\"id\":1,\"name\":\"a\",\"type\":\"int\"}", "has no \"required\""},
      {"{\"name\":\"a\",\"required\":true,\"type\":\"int\"}", "has no \"id\""},
      {"{\"id\":4294967297,\"name\":\"a\",\"required\":true,\"type\":\"int\"}", "id"},
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"unknown\"}", "can't be required"},
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"int\",\"write-default\":\"x\"}",
       "default value of field 'a'"},
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":{\"type\":\"list\",\"element\":\"int\","
       "\"element-required\":true}}",
       "element-id"},
      {"{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":{\"type\":\"set\"}}", "'set'"},
  };
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char text[600];
    calve_error err;
    const calve_schema *schema = NULL;
    snprintf(text, sizeof text, "{\"type\":\"struct\",\"fields\":[%s]}", rows[i].fields);
    assert_fails(calve_schema_parse(calve_str_of(text), "v1.json", &arena, &schema, &err),
                 CALVE_ECORRUPT, &err);
    assert_message(&err, rows[i].part);
    assert_message(&err, "v1.json");
    assert_null(schema);
  }
}

static void test_depth_is_capped(void **state) {
  (void)state;
  enum { DEEP = 5000 };
  static const char open[] =
      "{\"type\":\"list\",\"element-id\":1,\"element-required\":true,\"element\":";
  calve_error err;
  const calve_schema *schema = NULL;
  calve_buffer text;
  calve_buffer_init(&text, NULL);
  calve_buffer_puts(
      &text,
      "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":");
  for (int i = 0; i < DEEP; i++) calve_buffer_puts(&text, open);
  calve_buffer_puts(&text, "\"int\"");
  for (int i = 0; i < DEEP; i++) calve_buffer_putc(&text, '}');
  calve_buffer_puts(&text, "}]}");
  assert_fails(calve_schema_parse(calve_buffer_view(&text), "deep", &arena, &schema, &err),
               CALVE_ECORRUPT, &err);
  calve_buffer_free(&text);

  enum { LEVELS = 100 };
  calve_type types[LEVELS];
  calve_field fields[LEVELS];
  for (int i = 0; i < LEVELS; i++) {
    types[i] = (calve_type){.id = CALVE_STRUCT, .field_count = 1, .fields = &fields[i]};
    fields[i] = (calve_field){.id = i,
                              .name = CALVE_STR("f"),
                              .type = i + 1 < LEVELS ? &types[i + 1] : calve_type_of(CALVE_INT)};
  }
  assert_fails(calve_schema_make(0, &types[0], NULL, 0, &arena, &schema, &err), CALVE_EINVAL, &err);
  assert_message(&err, "nested deeper than 64");
  assert_null(schema);
}

/* Every allocation fails once. */
static void test_parse_survives_every_oom(void **state) {
  (void)state;
  bool done = false;
  for (long n = 0; n < 1000 && !done; n++) {
    failing_allocator mem;
    calve_arena own;
    calve_error err;
    const calve_schema *schema = NULL;
    failing_allocator_init(&mem, n);
    calve_arena_init(&own, &mem.allocator);
    calve_status status = calve_schema_parse(calve_str_of(nested), "s", &own, &schema, &err);
    done = status == CALVE_OK;
    if (!done) {
      assert_int_equal(status, CALVE_ENOMEM);
      assert_int_equal(err.code, CALVE_ENOMEM);
      assert_null(schema);
    } else {
      assert_int_equal(calve_schema_find(schema, CALVE_STR("points.x"))->field->id, 5);
      assert_true(n > 3);
    }
    calve_arena_free(&own);
    assert_int_equal(mem.live_bytes, 0);
  }
  assert_true(done);
}

static void test_strings_outlive_the_text(void **state) {
  (void)state;
  calve_error err;
  const calve_schema *schema = NULL;
  char *text = strdup(
      "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"abc\",\"required\":false,"
      "\"type\":\"string\",\"doc\":\"d\",\"write-default\":\"w\"}]}");
  assert_ok(calve_schema_parse(calve_str_of(text), "s", &arena, &schema, &err), &err);
  memset(text, 'x', strlen(text));
  free(text);
  const calve_field *f = &schema->root->fields[0];
  assert_true(calve_str_equal_text(f->name, "abc"));
  assert_true(calve_str_equal_text(f->doc, "d"));
  assert_true(calve_str_equal_text(f->write_default->bytes, "w"));
  assert_ptr_equal(calve_schema_find(schema, CALVE_STR("abc"))->field, f);
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
      cmocka_unit_test(test_nodes_know_their_place),
      cmocka_unit_test(test_short_names_leave_out_element_and_value),
      cmocka_unit_test(test_names_that_differ_by_case),
      cmocka_unit_test(test_text_survives_a_round_trip),
      cmocka_unit_test(test_order_of_members_does_not_matter),
      cmocka_unit_test(test_difference_in_defaults_is_seen),
      cmocka_unit_test(test_impossible_schemas_are_refused),
      cmocka_unit_test(test_depth_is_capped),
      cmocka_unit_test(test_parse_survives_every_oom),
      cmocka_unit_test(test_strings_outlive_the_text),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
