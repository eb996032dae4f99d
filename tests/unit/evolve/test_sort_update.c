/* SPDX-License-Identifier: Apache-2.0 */
#include "evolve/sort_update.h"

#include "unit/model/metadata_fixture.h"

#define S(literal) CALVE_STR(literal)

static const calve_metadata *sort_by(fixture *f, const calve_metadata *m,
                                     const calve_new_sort_field *fields, size_t count) {
  calve_changes changes;
  const calve_metadata *next = NULL;
  assert_ok(calve_sort_update_apply(m, fields, count, true, &f->arena, &changes, &f->err), &f->err);
  assert_ok(apply_changes(f, &changes, m, 2000, &next), &f->err);
  return next;
}

static void test_orders_are_added_and_used_again(void **state) {
  fixture *f = *state;
  calve_new_sort_field by_id = {.source = S("id"), .descending = true, .nulls_last = true};
  calve_new_sort_field by_data = {.source = S("data"),
                                  .transform = {.kind = CALVE_BUCKET, .parameter = 4}};
  const calve_metadata *m = make_table(f, (table_text){0});
  m = sort_by(f, m, &by_id, 1);
  assert_int_equal(m->default_sort_order_id, 1);
  assert_int_equal(m->sort_order->fields[0].source_id, 1);
  assert_true(m->sort_order->fields[0].descending);
  m = sort_by(f, m, &by_data, 1);
  assert_int_equal(m->default_sort_order_id, 2);
  m = sort_by(f, m, NULL, 0);
  assert_int_equal(m->default_sort_order_id, 0);
  m = sort_by(f, m, &by_id, 1);
  assert_int_equal(m->default_sort_order_id, 1);
  assert_int_equal(m->sort_order_count, 3);
  assert_ptr_equal(sort_by(f, m, &by_id, 1), m);
}

static void test_bad_orders_are_refused(void **state) {
  fixture *f = *state;
  calve_changes changes;
  const calve_metadata *m = make_table(f, (table_text){0});
  calve_new_sort_field field = {.source = S("nope")};
  assert_fails(calve_sort_update_apply(m, &field, 1, true, &f->arena, &changes, &f->err),
               CALVE_ENOTFOUND, &f->err);
  field = (calve_new_sort_field){.source = S("id"), .transform = {.kind = CALVE_DAY}};
  assert_fails(calve_sort_update_apply(m, &field, 1, true, &f->arena, &changes, &f->err),
               CALVE_EINVAL, &f->err);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIXTURE_TEST(test_orders_are_added_and_used_again),
      FIXTURE_TEST(test_bad_orders_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
