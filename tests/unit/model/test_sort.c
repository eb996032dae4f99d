/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/parsed.h"

static calve_arena arena;

static const calve_sort_order *parsed_order(const char *text) {
  calve_error err;
  const calve_sort_order *order = NULL;
  assert_ok(calve_sort_order_parse(calve_str_of(text), "order", &arena, &order, &err), &err);
  return order;
}

#define FIELD(transform, source, direction, nulls)                                       \
  "{\"transform\":\"" transform "\",\"source-id\":" source ",\"direction\":\"" direction \
  "\",\"null-order\":\"" nulls "\"}"
#define ORDER(id, fields) "{\"order-id\":" id ",\"fields\":[" fields "]}"

static void test_text_survives_a_round_trip(void **state) {
  static const char *const texts[] = {
      ORDER("0", ""), ORDER("3", FIELD("bucket[4]", "2", "desc", "nulls-last") "," FIELD(
                                     "identity", "1", "asc", "nulls-first"))};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
    calve_buffer out;
    calve_json_writer w;
    calve_buffer_init(&out, NULL);
    calve_json_write_init(&w, &out, 0);
    calve_sort_order_write_json(parsed_order(texts[i]), &w);
    assert_buffer(&out, texts[i]);
    calve_buffer_free(&out);
  }
}

static void test_words_are_read_in_any_case(void **state) {
  (void)state;
  const calve_sort_order *o = parsed_order(ORDER("1", FIELD("day", "2", "DESC", "Nulls-Last")));
  assert_true(o->fields[0].descending && o->fields[0].nulls_last);
}

static void test_same_ignores_the_order_id_only(void **state) {
  static const char *const others[] = {ORDER("1", ""),
                                       ORDER("1", FIELD("day", "2", "desc", "nulls-last")),
                                       ORDER("1", FIELD("day", "2", "asc", "nulls-first")),
                                       ORDER("1", FIELD("hour", "2", "asc", "nulls-last")),
                                       ORDER("1", FIELD("day", "3", "asc", "nulls-last"))};
  (void)state;
  const calve_sort_order *a = parsed_order(ORDER("1", FIELD("day", "2", "asc", "nulls-last")));
  assert_true(
      calve_sort_order_same(a, parsed_order(ORDER("2", FIELD("day", "2", "asc", "nulls-last")))));
  for (size_t i = 0; i < ARRAY_COUNT(others); i++)
    assert_false(calve_sort_order_same(a, parsed_order(others[i])));
}

static void test_bad_orders_are_refused(void **state) {
  static const struct {
    const char *text, *part;
  } rows[] = {
      {ORDER("1", FIELD("day", "2", "up", "nulls-last")), "'up'"},
      {ORDER("1", FIELD("day", "2", "asc", "nulls")), "'nulls'"},
      {ORDER("1", "{\"transform\":\"day\",\"source-id\":1,\"direction\":\"asc\"}"), "null-order"},
      {"{\"fields\":[]}", "order-id"},
      {"{\"order-id\":1}", "fields"}};
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    const calve_sort_order *order = NULL;
    assert_fails(calve_sort_order_parse(calve_str_of(rows[i].text), "o", &arena, &order, &err),
                 CALVE_ECORRUPT, &err);
    assert_message(&err, rows[i].part);
    assert_null(order);
  }
}

static void test_sources_are_checked(void **state) {
  static const struct {
    const char *text, *part; /* NULL: accepted */
  } rows[] = {{ORDER("1", FIELD("identity", "1", "asc", "nulls-first")), NULL},
              {ORDER("1", FIELD("hour", "1", "asc", "nulls-first")), "'id' of type long"},
              {ORDER("1", FIELD("identity", "3", "asc", "nulls-first")), "'l.element'"},
              {ORDER("1", FIELD("identity", "9", "asc", "nulls-first")), "id 9"},
              {ORDER("0", FIELD("identity", "1", "asc", "nulls-first")), "unsorted"}};
  (void)state;
  const calve_schema *schema = parsed_schema(
      &arena,
      "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"id\",\"required\":false,"
      "\"type\":\"long\"},{\"id\":2,\"name\":\"l\",\"required\":false,\"type\":{\"type\":\"list\","
      "\"element-id\":3,\"element\":\"int\",\"element-required\":true}}]}");
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    const calve_sort_order *order = parsed_order(rows[i].text);
    if (rows[i].part) {
      assert_fails(calve_sort_order_check(order, schema, &err), CALVE_EINVAL, &err);
      assert_message(&err, rows[i].part);
    } else {
      assert_ok(calve_sort_order_check(order, schema, &err), &err);
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
      cmocka_unit_test(test_text_survives_a_round_trip),
      cmocka_unit_test(test_words_are_read_in_any_case),
      cmocka_unit_test(test_same_ignores_the_order_id_only),
      cmocka_unit_test(test_bad_orders_are_refused),
      cmocka_unit_test(test_sources_are_checked),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
