/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include <errno.h>

#include "base/text.h"
#include "store/fault.h"
#include "store/memory.h"

/* Three writes, with a look between: which of them say OK ('o'), fail ('f') or don't know ('u');
 * then which of the files are there. */
static void run(calve_fault_kind kind, long at, char verdicts[7], char files[4]) {
  static const char *const paths[] = {"/a", "/b", "/c"};
  calve_store *memory;
  calve_error err = {0};
  assert_ok(calve_memory_store_make(NULL, &memory, &err), &err);
  calve_fault_store fault;
  calve_fault_store_init(&fault, memory, kind, at);
  for (int i = 0; i < 3; i++) {
    bool exists;
    calve_status looked = calve_store_exists(&fault.store, CALVE_STR("/x"), &exists, NULL, &err);
    calve_status wrote =
        calve_store_create(&fault.store, calve_str_of(paths[i]), CALVE_STR("1"), &err);
    verdicts[2 * i] = looked == CALVE_OK ? 'o' : 'f';
    verdicts[2 * i + 1] = wrote == CALVE_OK ? 'o' : wrote == CALVE_EUNKNOWN ? 'u' : 'f';
    if (kind == CALVE_FAULT_NO_SPACE && wrote != CALVE_OK) assert_int_equal(err.os_errno, ENOSPC);
  }
  for (int i = 0; i < 3; i++) {
    bool exists = false;
    assert_ok(calve_store_exists(memory, calve_str_of(paths[i]), &exists, NULL, &err), &err);
    files[i] = exists ? '1' : '0';
  }
  verdicts[6] = files[3] = '\0';
  calve_memory_store_free(memory);
}

static void test_each_fault_does_what_it_says(void **state) {
  (void)state;
  static const struct {
    calve_fault_kind kind;
    long at;
    const char *verdicts, *files;
  } rows[] = {
      {CALVE_FAULT_NONE, 0, "oooooo", "111"},
      {CALVE_FAULT_CALL, 1, "fooooo", "111"},
      {CALVE_FAULT_CALL, 4, "ooofoo", "101"},
      {CALVE_FAULT_CRASH, 0, "ffffff", "000"},
      {CALVE_FAULT_CRASH, 1, "ooffff", "100"},
      {CALVE_FAULT_CRASH, 3, "oooooo", "111"},
      {CALVE_FAULT_LOST_RESPONSE, 2, "ooouoo", "111"},
      {CALVE_FAULT_LOST_WRITE, 2, "ooouoo", "101"},
      {CALVE_FAULT_NO_SPACE, 2, "ooofof", "100"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char verdicts[7], files[4];
    run(rows[i].kind, rows[i].at, verdicts, files);
    assert_string_equal(verdicts, rows[i].verdicts);
    assert_string_equal(files, rows[i].files);
  }
}

static void test_only_the_named_paths_fail(void **state) {
  (void)state;
  calve_store *memory;
  calve_error err;
  assert_ok(calve_memory_store_make(NULL, &memory, &err), &err);
  calve_fault_store fault;
  calve_fault_store_init(&fault, memory, CALVE_FAULT_NO_SPACE, 1);
  fault.only = "metadata";
  assert_ok(calve_store_create(&fault.store, CALVE_STR("/data/f"), CALVE_STR("1"), &err), &err);
  assert_fails(calve_store_create(&fault.store, CALVE_STR("/metadata/f"), CALVE_STR("1"), &err),
               CALVE_EIO, &err);
  assert_ok(calve_store_remove(&fault.store, CALVE_STR("/data/f"), &err), &err);
  calve_memory_store_free(memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_fault_does_what_it_says),
      cmocka_unit_test(test_only_the_named_paths_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
