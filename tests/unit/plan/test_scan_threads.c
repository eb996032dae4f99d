/* SPDX-License-Identifier: Apache-2.0 */
/* Many manifests on several threads: what a plan gives, what a damaged manifest does to it, and how
 * soon it ends when it is cancelled. */
#include "plan_table.h"

#include <stdatomic.h>

#define FIELD(id, name, type) \
  "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":\"" type "\"}"
#define EQ(name, value) "{\"type\":\"eq\",\"term\":\"" name "\",\"value\":" value "}"

/* Manifest number m of spec m % specs, with one file of x = 5 and one of x = 4. */
static void add_manifests(plan_table *t, int specs, int count) {
  for (int m = 0; m < count; m++) {
    char five[24], four[24];
    snprintf(five, sizeof five, "m%02d-five", m);
    snprintf(four, sizeof four, "m%02d-four", m);
    FILES(t, m % specs, {five, "[5]"}, {four, "[4]"});
  }
  table_commit(t);
}

static void open_specs(plan_table *t, int count) {
  calve_buffer specs;
  calve_buffer_init(&specs, NULL);
  for (int i = 0; i < count; i++) {
    calve_buffer_printf(&specs,
                        "%s{\"spec-id\":%d,\"fields\":[{\"source-id\":1,\"field-id\":%d,"
                        "\"name\":\"p%d\",\"transform\":\"identity\"}]}",
                        i > 0 ? "," : "", i, 1000 + i, i);
  }
  table_open(t, 2, FIELD(1, "x", "int"), calve_buffer_cstr(&specs), 0);
  calve_buffer_free(&specs);
}

/* More schemas than a thread keeps compiled, in turn: each manifest is read by its own. */
static void test_manifests_of_many_schemas_in_turn(void **state) {
  (void)state;
  plan_table t;
  open_specs(&t, 11);
  add_manifests(&t, 11, 44);
  calve_buffer want;
  calve_buffer_init(&want, NULL);
  for (int m = 0; m < 44; m++) calve_buffer_printf(&want, "%sm%02d-five", m ? " " : "", m);
  for (size_t threads = 0; threads <= 2; threads++) {
    calve_thread_pool *pool = NULL;
    calve_scan_params p = scan_params(&t, EQ("x", "5"));
    if (threads > 0) {
      assert_ok(calve_thread_pool_make(threads, NULL, &pool, &t.err), &t.err);
      p.executor = calve_thread_pool_executor(pool);
    }
    assert_string_equal(planned_with(&t, &p), calve_buffer_cstr(&want));
    if (pool) calve_thread_pool_free(pool);
  }
  calve_buffer_free(&want);
  table_close(&t);
}

static void damage(plan_table *t, const char *path) {
  calve_str bytes;
  assert_ok(calve_store_read(t->store, calve_str_of(path), 1 << 20, &t->arena, &bytes, &t->err),
            &t->err);
  bytes.size -= 5;
  assert_ok(calve_store_replace(t->store, calve_str_of(path), bytes, &t->err), &t->err);
}

/* Whatever the number of threads: the tasks of the manifests before a damaged one come, then its
 * error with its path, also when a later one is damaged too; then the same again. */
static void test_damaged_manifest_ends_the_plan_at_its_place(void **state) {
  (void)state;
  plan_table t;
  open_specs(&t, 2);
  add_manifests(&t, 2, 40);
  damage(&t, "/t/m23.avro");
  damage(&t, "/t/m24.avro");
  for (size_t threads = 1; threads <= 4; threads *= 2) {
    for (int round = 0; round < 20; round++) {
      calve_thread_pool *pool = NULL;
      assert_ok(calve_thread_pool_make(threads, NULL, &pool, &t.err), &t.err);
      calve_scan_params p = scan_params(&t, NULL);
      p.executor = calve_thread_pool_executor(pool);
      calve_scan *scan = NULL;
      assert_ok(calve_scan_open(&p, &scan, &t.err), &t.err);
      size_t files = 0, count = 1;
      calve_status status = CALVE_OK;
      while (status == CALVE_OK) {
        const calve_scan_task *tasks;
        status = calve_scan_next(scan, &tasks, &count, &t.err);
        if (status == CALVE_OK) files += count;
        assert_true(status != CALVE_OK || count > 0);
      }
      assert_int_equal(files, 46);
      assert_int_equal(status, CALVE_ECORRUPT);
      assert_message(&t.err, "/t/m23.avro");
      const calve_scan_task *tasks;
      assert_fails(calve_scan_next(scan, &tasks, &count, &t.err), CALVE_ECORRUPT, &t.err);
      assert_message(&t.err, "/t/m23.avro");
      calve_scan_close(scan);
      calve_thread_pool_free(pool);
    }
  }
  table_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_manifests_of_many_schemas_in_turn),
      cmocka_unit_test(test_damaged_manifest_ends_the_plan_at_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
