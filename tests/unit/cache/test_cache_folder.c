/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that is slow: every write of an image waits for what another thread asks meanwhile. */
#define _GNU_SOURCE
#include "cache_table.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

static struct {
  calve_cache *cache; /* while it is looked at                                                   */
  int writes;
  bool waited_in_vain;
} disk;

static void *ask(void *arg) {
  (void)cache_counts(arg);
  return NULL;
}

/* Stands for the system's, also in the library. */
ssize_t write(int fd, const void *bytes, size_t size) {
  pthread_t thread;
  if (disk.cache && fd > 2 && pthread_create(&thread, NULL, ask, disk.cache) == 0) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 5;
    disk.writes++;
    if (pthread_timedjoin_np(thread, NULL, &end) != 0) {
      disk.waited_in_vain = true;
      pthread_detach(thread);
    }
  }
  return (ssize_t)syscall(SYS_write, fd, bytes, size);
}

static void test_lookups_do_not_wait_for_the_disk(void **state) {
  (void)state;
  cache_table t;
  char folder[256];
  cache_table_open(&t, 1, 20);
  make_temp_dir(folder);
  cache_sums want = cache_table_plan(&t, NULL, CALVE_COLUMNS_ALL, NULL);
  calve_cache *cache = cache_open(folder, 0);
  disk.cache = cache;
  cache_sums got = cache_table_plan(&t, cache, CALVE_COLUMNS_ALL, NULL);
  disk.cache = NULL;
  assert_true(disk.writes > 0);
  assert_false(disk.waited_in_vain);
  assert_int_equal(cache_counts(cache).stored, 1);
  assert_true(got.sum == want.sum && got.files == want.files);
  got = cache_table_plan(&t, cache, CALVE_COLUMNS_ALL, NULL);
  assert_int_equal(cache_counts(cache).hits, 1);
  assert_true(got.sum == want.sum);
  calve_cache_free(cache);
  remove_temp_dir(folder);
  cache_table_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lookups_do_not_wait_for_the_disk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
