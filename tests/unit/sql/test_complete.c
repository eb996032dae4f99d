/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/sql/sql_session.h"

static bool add(void *ctx, const char *name) {
  calve_buffer *found = ctx;
  if (found->size > 0) calve_buffer_putc(found, ' ');
  calve_buffer_puts(found, name);
  return strcmp(name, "db.stop") != 0;
}

static void test_what_stands_behind_a_prefix_is_offered(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.orders (id INT, items ARRAY<INT>)");
  run(f, "CREATE TABLE db.stop (id INT)");
  run(f, "CREATE TABLE db.zone (id INT)");
  run(f, "CREATE NAMESPACE db.sub");
  const struct {
    const char *prefix, *found;
  } rows[] = {
      {"sel", "select"},
      {"NAMES", "NAMESPACE NAMESPACES"},
      {"DEL", ""},
      {"d", "desc describe distinct drop db"},
      {"db.o", "db.orders"},
      {"db.", "db.orders db.stop"}, /* the visit ends it */
      {"db.sub", "db.sub"},
      {"db.orders.i", "db.orders.id db.orders.items"},
      {"db.orders.", "db.orders.id db.orders.items db.orders.snapshots db.orders.history "
                     "db.orders.refs db.orders.manifests db.orders.files db.orders.partitions"},
      {"orders.", ""},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    calve_buffer found;
    calve_buffer_init(&found, NULL);
    calve_status status = calve_session_complete(f->session, rows[i].prefix, add, &found, &err);
    assert_ok(status, &err);
    assert_string_equal(calve_buffer_cstr(&found), rows[i].found);
    calve_buffer_free(&found);
  }
}

static void test_names_of_the_used_namespace_need_no_namespace(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.orders (id INT)");
  run(f, "USE db");
  calve_error err;
  calve_buffer found;
  calve_buffer_init(&found, NULL);
  assert_ok(calve_session_complete(f->session, "orders.f", add, &found, &err), &err);
  assert_ok(calve_session_complete(f->session, "ord", add, &found, &err), &err);
  assert_string_equal(calve_buffer_cstr(&found), "orders.files order ordered orders");
  calve_buffer_free(&found);
}

int main(void) {
#define SESSION_TEST(test) cmocka_unit_test_setup_teardown(test, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      SESSION_TEST(test_what_stands_behind_a_prefix_is_offered),
      SESSION_TEST(test_names_of_the_used_namespace_need_no_namespace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
