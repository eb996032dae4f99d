/* SPDX-License-Identifier: Apache-2.0 */
/* data/layout_tree: Parquet's list of elements as a tree, also when a file lies about it. */
#include "harness.h"

#include "base/buffer.h"
#include "base/text.h"
#include "data/layout_tree.h"

#define GROUP(n, children) \
  { .name = CALVE_STR(n), .child_count = children, .field_id = -1 }
#define ID_GROUP(n, children, id) \
  { .name = CALVE_STR(n), .child_count = children, .field_id = id }
#define LEAF(n, type, id) \
  { .name = CALVE_STR(n), .sql_type = CALVE_STR(type), .field_id = id }

static calve_arena arena;

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

static const char *type_of(const calve_layout_node *node) {
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  calve_layout_type(&b, node);
  char *text = calve_arena_copy(&arena, calve_buffer_cstr(&b), b.size);
  calve_buffer_free(&b);
  return text;
}

static void test_lists_of_all_writers_are_lists(void **state) {
  (void)state;
  calve_error err;
  const calve_layout *layout = NULL;
  calve_layout_element elements[] = {
      GROUP("schema", 6),
      /* three levels, names of no matter */
      ID_GROUP("a", 1, 1), GROUP("bag", 1), LEAF("array_element", "INTEGER", 2),
      /* two levels: the repeated leaf is the element */
      ID_GROUP("b", 1, 3), LEAF("element", "INTEGER", 4),
      /* the repeated group has two fields: it is the element */
      ID_GROUP("c", 1, 5), GROUP("element", 2), LEAF("x", "INTEGER", 6), LEAF("y", "DATE", 7),
      /* a group called array is the element, although it has one field */
      ID_GROUP("d", 1, 8), GROUP("array", 1), LEAF("x", "INTEGER", 9),
      /* repeated without any annotation */
      LEAF("e", "VARCHAR", 10),
      /* the same inside a struct, and a repeated group in it */
      ID_GROUP("f", 2, 11), LEAF("x", "DATE", 12), GROUP("y", 1), LEAF("z", "INTEGER", 13)};
  elements[1].is_list = elements[4].is_list = elements[6].is_list = elements[10].is_list = true;
  elements[2].repeated = elements[5].repeated = elements[7].repeated = true;
  elements[11].repeated = elements[13].repeated = true;
  elements[15].repeated = elements[16].repeated = true;
  assert_ok(
      calve_layout_build(elements, ARRAY_COUNT(elements), CALVE_STR("f"), &arena, &layout, &err),
      &err);
  static const char *const want[] = {"INTEGER[]", "INTEGER[]",
                                     "STRUCT(\"x\" INTEGER, \"y\" DATE)[]",
                                     "STRUCT(\"x\" INTEGER)[]", "VARCHAR[]",
                                     "STRUCT(\"x\" DATE[], \"y\" STRUCT(\"z\" INTEGER)[])"};
  assert_int_equal(layout->column_count, ARRAY_COUNT(want));
  for (size_t i = 0; i < ARRAY_COUNT(want); i++)
    assert_string_equal(type_of(&layout->columns[i]), want[i]);
  assert_int_equal(layout->columns[0].children[0].field_id, 2);
  assert_int_equal(layout->columns[4].field_id, 10);
  assert_int_equal(layout->columns[4].children[0].field_id, -1);
  assert_true(layout->has_ids);
}

static void test_two_columns_with_one_id_are_refused(void **state) {
  (void)state;
  calve_error err;
  const calve_layout *layout = NULL;
  const calve_layout_node *node = NULL;
  calve_layout_element elements[] = {GROUP("schema", 2), LEAF("a", "INTEGER", 1),
                                     LEAF("b", "INTEGER", 1)};
  assert_ok(calve_layout_build(elements, 3, CALVE_STR("/f.parquet"), &arena, &layout, &err), &err);
  assert_fails(calve_layout_find(layout->columns, 2, 1, layout, &node, &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "/f.parquet");
  assert_ok(calve_layout_find(layout->columns, 2, 7, layout, &node, &err), &err);
  assert_null(node);
  assert_ok(calve_layout_find(layout->columns, 2, -1, layout, &node, &err), &err);
  assert_null(node);
}

static void test_names_that_clash_are_found_at_every_depth(void **state) {
  (void)state;
  calve_error err;
  const calve_layout *layout = NULL;
  calve_layout_element elements[] =
      {
          GROUP("schema", 3),      ID_GROUP("s", 2, 1),  LEAF("x", "INTEGER", 2),
          LEAF("y", "INTEGER", 3), ID_GROUP("l", 1, 4),  GROUP("list", 1),
          ID_GROUP("e", 2, 5),     LEAF("x", "DATE", 6), LEAF("X", "DATE", 7),
          LEAF("S", "DATE", 8)}; /* the top level is mapped by id: a clash there is none */
  elements[4].is_list = true;
  assert_ok(
      calve_layout_build(elements, ARRAY_COUNT(elements), CALVE_STR("f"), &arena, &layout, &err),
      &err);
  assert_null(calve_layout_clash(&layout->columns[0]));
  assert_string_equal(calve_layout_clash(&layout->columns[1])->name.data, "X");
}

static void test_schemas_that_lie_are_corrupt(void **state) {
  (void)state;
  calve_layout_element short_of[] = {GROUP("schema", 2), LEAF("a", "INTEGER", 1)};
  calve_layout_element too_many[] = {GROUP("schema", 1), LEAF("a", "INTEGER", 1),
                                     LEAF("b", "INTEGER", 2)};
  calve_layout_element negative[] = {GROUP("schema", -1), LEAF("a", "INTEGER", 1)};
  calve_layout_element inner[] = {GROUP("schema", 1), GROUP("s", 1000000), LEAF("a", "INTEGER", 1)};
  calve_layout_element bad_map[] = {GROUP("schema", 1), GROUP("m", 1),
                                    LEAF("key_value", "DATE", 1)};
  calve_layout_element bad_list[] = {GROUP("schema", 1), GROUP("l", 1)};
  bad_map[1].is_map = true;
  bad_list[1].is_list = true;
  calve_layout_element deep[200];
  for (size_t i = 0; i < 200; i++) deep[i] = (calve_layout_element)GROUP("g", 1);
  const struct {
    const calve_layout_element *elements;
    size_t count;
  } rows[] = {{short_of, 2}, {too_many, 3}, {negative, 2}, {inner, 3},
              {bad_map, 3},  {bad_list, 2}, {deep, 200},   {short_of, 0}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    const calve_layout *layout = NULL;
    assert_fails(calve_layout_build(rows[i].elements, rows[i].count, CALVE_STR("/f.parquet"),
                                    &arena, &layout, &err),
                 CALVE_ECORRUPT, &err);
    assert_message(&err, "/f.parquet");
    assert_null(layout);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {TEST(test_lists_of_all_writers_are_lists),
                                     TEST(test_two_columns_with_one_id_are_refused),
                                     TEST(test_names_that_clash_are_found_at_every_depth),
                                     TEST(test_schemas_that_lie_are_corrupt)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
