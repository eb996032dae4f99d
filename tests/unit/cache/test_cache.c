/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cache/image_format.h"

/* Files of the one table in a cache folder. */
static size_t list_images(const char *folder, char paths[][512], size_t most) {
  char table[300];
  size_t count = 0;
  snprintf(table, sizeof table, "%s/" CACHE_TABLE_UUID, folder);
  DIR *dir = opendir(table);
  for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    if (e->d_name[0] == '.' && (!e->d_name[1] || e->d_name[1] == '.')) continue;
    assert_true(count < most);
    snprintf(paths[count++], 512, "%s/%.200s", table, e->d_name);
  }
  if (dir) closedir(dir);
  return count;
}

static size_t count_images(const char *folder) {
  static char paths[64][512];
  return list_images(folder, paths, 64);
}

static void assert_same(cache_sums got, cache_sums want) {
  assert_int_equal(got.files, want.files);
  assert_true(got.sum == want.sum);
}

/* ---- hits ----------------------------------------------------------------------------------- */

static void test_second_plan_decodes_nothing(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256];
  cache_table_open(&t, 3, 50);
  make_temp_dir(folder);
  for (int in_folder = 0; in_folder < 2; in_folder++) {
    cache_sums want = cache_table_plan(&t, NULL, CALVE_COLUMNS_ALL, NULL);
    calve_cache *cache = cache_open(in_folder ? folder : NULL, 0);
    assert_same(cache_table_plan(&t, cache, CALVE_COLUMNS_ALL, NULL), want);
    assert_int_equal(cache_counts(cache).misses, 3);
    assert_int_equal(cache_counts(cache).stored, 3);
    assert_same(cache_table_plan(&t, cache, CALVE_COLUMNS_ALL, NULL), want);
    assert_same(cache_table_plan(&t, cache, CALVE_COLUMNS_ALL, NULL), want);
    assert_int_equal(cache_counts(cache).misses, 3);
    assert_int_equal(cache_counts(cache).hits, 6);
    assert_int_equal(cache_counts(cache).refused, 0);
    assert_true(cache_counts(cache).memory_bytes > 3000);
    calve_cache_free(cache);
  }
  calve_cache *again = cache_open(folder, 0); /* as another process would                        */
  assert_same(cache_table_plan(&t, again, 0, NULL), cache_table_plan(&t, NULL, 0, NULL));
  assert_int_equal(cache_counts(again).hits, 3);
  assert_int_equal(cache_counts(again).misses, 0);
  calve_cache_free(again);
  remove_temp_dir(folder);
  cache_table_close(&t);
}

/* ---- files that are not believed ------------------------------------------------------------ */

static void flip(const char *path, long at) {
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
  int c = fgetc(file);
  fseek(file, -1, SEEK_CUR);
  fputc(c ^ 0x40, file);
  fclose(file);
}

static void test_damaged_files_are_made_anew(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256], paths[64][512];
  cache_table_open(&t, 1, 30);
  make_temp_dir(folder);
  cache_sums want = cache_table_plan(&t, NULL, CALVE_COLUMNS_ALL, NULL);
  const long places[] = {0, 20, 90, 400, 5000, -1};
  for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
    calve_cache *cache = cache_open(folder, 0);
    assert_same(cache_table_plan(&t, cache, CALVE_COLUMNS_ALL, NULL), want);
    calve_cache_free(cache);
    assert_int_equal(list_images(folder, paths, 64), 1);
    flip(paths[0], places[i]);
    cache = cache_open(folder, 0);
    assert_same(cache_table_plan(&t, cache, CALVE_COLUMNS_ALL, NULL), want);
    assert_int_equal(cache_counts(cache).refused, 1);
    assert_int_equal(cache_counts(cache).stored, 1);
    calve_cache_free(cache);
  }
  remove_temp_dir(folder);
  cache_table_close(&t);
}

static void test_torn_and_empty_files_are_made_anew(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256], paths[64][512];
  cache_table_open(&t, 1, 30);
  make_temp_dir(folder);
  cache_sums want = cache_table_plan(&t, NULL, 0, NULL);
  for (int i = 0; i < 3; i++) {
    calve_cache *cache = cache_open(folder, 0);
    assert_same(cache_table_plan(&t, cache, 0, NULL), want);
    assert_int_equal(cache_counts(cache).refused, i > 0);
    calve_cache_free(cache);
    list_images(folder, paths, 64);
    assert_int_equal(truncate(paths[0], i * 4000), 0);
  }
  remove_temp_dir(folder);
  cache_table_close(&t);
}

/* Damage in a column that nobody asks for costs nothing; who asks for it gets the truth. */
static void test_sections_are_checked_when_they_are_asked_for(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256], paths[64][512];
  cache_table_open(&t, 1, 200);
  make_temp_dir(folder);
  calve_cache *cache = cache_open(folder, 0);
  cache_sums want = cache_table_plan(&t, cache, CALVE_COLUMNS_ALL, NULL);
  calve_cache_free(cache);
  list_images(folder, paths, 64);
  flip(paths[0], -16); /* statistics are last                                                   */
  cache = cache_open(folder, 0);
  assert_same(cache_table_plan(&t, cache, 0, NULL), cache_table_plan(&t, NULL, 0, NULL));
  assert_int_equal(cache_counts(cache).hits, 1);
  assert_int_equal(cache_counts(cache).refused, 0);
  assert_same(cache_table_plan(&t, cache, CALVE_COLUMNS_ALL, NULL), want);
  assert_int_equal(cache_counts(cache).refused, 1);
  assert_int_equal(cache_counts(cache).misses, 1);
  calve_cache_free(cache);
  remove_temp_dir(folder);
  cache_table_close(&t);
}

static void test_a_replaced_manifest_is_read_anew(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256];
  make_temp_dir(folder);
  for (int in_folder = 0; in_folder < 2; in_folder++) {
    cache_table_open(&t, 2, 30);
    calve_cache *cache = cache_open(in_folder ? folder : NULL, 0);
    cache_sums before = cache_table_plan(&t, cache, 0, NULL);
    cache_table_write(&t, 0, 7777);
    cache_sums after = cache_table_plan(&t, NULL, 0, NULL);
    assert_true(before.sum != after.sum);
    assert_same(cache_table_plan(&t, cache, 0, NULL), after);
    assert_true(cache_counts(cache).refused > 0);
    calve_cache_free(cache);
    cache_table_close(&t);
  }
  remove_temp_dir(folder);
}

static void test_foreign_files_are_not_read(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256], paths[64][512], elsewhere[300];
  cache_table_open(&t, 1, 30);
  make_temp_dir(folder);
  snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
  cache_sums want = cache_table_plan(&t, NULL, 0, NULL);
  for (int i = 0; i < 4; i++) {
    calve_cache *cache = cache_open(folder, 0);
    (void)cache_table_plan(&t, cache, 0, NULL);
    calve_cache_free(cache);
    list_images(folder, paths, 64);
    if (i == 0) assert_int_equal(chmod(paths[0], 0622), 0);
    if (i == 1) assert_int_equal(rename(paths[0], elsewhere) | symlink(elsewhere, paths[0]), 0);
    if (i == 2) assert_int_equal(unlink(paths[0]) | mkfifo(paths[0], 0600), 0);
    if (i == 3 && chown(paths[0], 12345, 12345) != 0) break; /* not the superuser               */
    cache = cache_open(folder, 0);
    assert_same(cache_table_plan(&t, cache, 0, NULL), want);
    assert_int_equal(cache_counts(cache).hits, 0);
    assert_int_equal(cache_counts(cache).refused, 1);
    calve_cache_free(cache);
  }
  remove_temp_dir(folder);
  cache_table_close(&t);
}

/* ---- folders -------------------------------------------------------------------------------- */

static void test_folders_are_made_private_or_refused(void **unused) {
  (void)unused;
  char folder[256], path[300];
  calve_error err;
  struct stat st;
  calve_cache *cache = NULL;
  make_temp_dir(folder);
  snprintf(path, sizeof path, "%s/a/b", folder);
  calve_cache_free(cache_open(path, 0));
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0700);
  const calve_cache_config config = {.struct_size = sizeof config, .folder = path};
  for (unsigned mode = 0701; mode <= 0777; mode += 2) {
    assert_int_equal(chmod(path, (mode_t)mode), 0);
    assert_fails(calve_cache_open(&config, &cache, &err), CALVE_EDENIED, &err);
    assert_message(&err, path);
  }
  snprintf(path, sizeof path, "%s/file", folder);
  write_file(path, "x", 1);
  assert_fails(calve_cache_open(&config, &cache, &err), CALVE_EIO, &err);
  const calve_cache_config negative = {.struct_size = sizeof negative, .max_bytes = -1};
  assert_fails(calve_cache_open(&negative, &cache, &err), CALVE_EINVAL, &err);
  assert_null(cache);
  remove_temp_dir(folder);
}

/* A full disk: no file may grow. */
static void test_what_cannot_be_written_is_not_kept(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256];
  cache_table_open(&t, 3, 30);
  make_temp_dir(folder);
  cache_sums want = cache_table_plan(&t, NULL, 0, NULL);
  calve_cache *cache = cache_open(folder, 0);
  struct rlimit limit, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  small = limit;
  small.rlim_cur = 512;
  void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  cache_sums got = cache_table_plan(&t, cache, 0, NULL);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  signal(SIGXFSZ, before);
  assert_same(got, want);
  assert_int_equal(cache_counts(cache).stored, 0);
  assert_int_equal(count_images(folder), 0);
  assert_same(cache_table_plan(&t, cache, 0, NULL), want); /* and later there is room again      */
  assert_int_equal(cache_counts(cache).stored, 3);
  calve_cache_free(cache);
  remove_temp_dir(folder);
  cache_table_close(&t);
}

static void test_a_folder_that_is_gone_does_no_harm(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256];
  cache_table_open(&t, 2, 30);
  make_temp_dir(folder);
  cache_sums want = cache_table_plan(&t, NULL, 0, NULL);
  calve_cache *cache = cache_open(folder, 0);
  remove_temp_dir(folder);
  assert_same(cache_table_plan(&t, cache, 0, NULL), want);
  assert_same(cache_table_plan(&t, cache, 0, NULL), want);
  calve_cache_free(cache);
  cache_table_close(&t);
}

static void test_a_manifest_that_is_gone_fails_as_without_a_cache(void **unused) {
  (void)unused;
  cache_table t;
  calve_scan *scan = NULL;
  const calve_scan_task *tasks;
  size_t count;
  cache_table_open(&t, 1, 30);
  calve_cache *cache = cache_open(NULL, 0);
  (void)cache_table_plan(&t, cache, 0, NULL);
  assert_ok(calve_store_remove(calve_local_store(), t.manifests[0].path, &t.err), &t.err);
  const calve_scan_params params = {
      .metadata = t.metadata, .store = calve_local_store(), .cache = cache};
  assert_ok(calve_scan_open(&params, &scan, &t.err), &t.err);
  assert_fails(calve_scan_next(scan, &tasks, &count, &t.err), CALVE_ENOTFOUND, &t.err);
  calve_scan_close(scan);
  calve_cache_free(cache);
  cache_table_close(&t);
}

/* ---- room ----------------------------------------------------------------------------------- */

static int64_t folder_bytes(const char *folder) {
  static char paths[64][512];
  int64_t total = 0;
  struct stat st;
  size_t count = list_images(folder, paths, 64);
  for (size_t i = 0; i < count; i++)
    if (stat(paths[i], &st) == 0) total += st.st_size;
  return total;
}

/* Pretends that all files were used long ago. */
static void make_old(const char *folder) {
  static char paths[64][512];
  const struct timespec long_ago[2] = {{1000000, 0}, {1000000, 0}};
  size_t count = list_images(folder, paths, 64);
  for (size_t i = 0; i < count; i++) utimensat(AT_FDCWD, paths[i], long_ago, 0);
}

static void test_size_is_bounded_and_the_oldest_go_first(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256];
  cache_table_open(&t, 10, 100);
  make_temp_dir(folder);
  calve_cache *cache = cache_open(folder, 0);
  cache_sums want = cache_table_plan(&t, cache, 0, NULL);
  calve_cache_free(cache);
  int64_t one = folder_bytes(folder) / 10, most = one * 5;
  make_old(folder);
  assert_int_equal(count_images(folder), 10);
  cache_table_write(&t, 0, 5); /* one more image needs room: old ones go until there is some      */
  want = cache_table_plan(&t, NULL, 0, NULL);
  cache = cache_open(folder, most);
  assert_same(cache_table_plan(&t, cache, 0, NULL), want);
  assert_true(folder_bytes(folder) <= most);
  assert_true(cache_counts(cache).stored > 0);
  calve_cache_free(cache);
  remove_temp_dir(folder);
  cache_table_close(&t);
}

/* A table that is larger than the cache: what was just used stays, so that the next plan finds
 * something, instead of each image pushing out the one that is needed next. */
static void test_a_large_table_does_not_push_itself_out(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256];
  cache_table_open(&t, 10, 100);
  make_temp_dir(folder);
  calve_cache *probe = cache_open(NULL, 0);
  cache_sums want = cache_table_plan(&t, probe, 0, NULL);
  int64_t most = cache_counts(probe).memory_bytes / 2;
  calve_cache_free(probe);
  for (int in_folder = 0; in_folder < 2; in_folder++) {
    calve_cache *cache = cache_open(in_folder ? folder : NULL, most);
    for (int i = 0; i < 3; i++) assert_same(cache_table_plan(&t, cache, 0, NULL), want);
    assert_true(cache_counts(cache).hits >= 2 * 3);
    /* Once it is full, no more images are made in vain. */
    assert_true(cache_counts(cache).misses <= cache_counts(cache).stored + 3);
    assert_true(cache_counts(cache).memory_bytes <= most);
    calve_cache_free(cache);
  }
  remove_temp_dir(folder);
  cache_table_close(&t);
}

/* ---- showing and clearing ------------------------------------------------------------------- */

typedef struct shown {
  size_t tables;
  calve_cache_table last;
  char uuid[64], example[512];
} shown;

static bool take_shown(void *ctx, const calve_cache_table *table) {
  shown *s = ctx;
  s->tables++;
  s->last = *table;
  snprintf(s->uuid, sizeof s->uuid, "%s", table->table_uuid);
  snprintf(s->example, sizeof s->example, "%s", table->example);
  return true;
}

static void test_clearing_removes_what_the_cache_made(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256], mine[600], paths[64][512];
  calve_error err;
  int64_t removed = 0;
  cache_table_open(&t, 3, 30);
  make_temp_dir(folder);
  calve_cache *cache = cache_open(folder, 0);
  (void)cache_table_plan(&t, cache, 0, NULL);
  shown s = {0};
  assert_ok(calve_cache_list(cache, take_shown, &s, &err), &err);
  assert_int_equal(s.tables, 1);
  assert_string_equal(s.uuid, CACHE_TABLE_UUID);
  assert_int_equal(s.last.manifest_count, 3);
  assert_true(s.last.size_bytes >= folder_bytes(folder));
  assert_non_null(strstr(s.example, "/m"));
  assert_true(s.last.used_ms > 0);
  list_images(folder, paths, 64);
  snprintf(mine, sizeof mine, "%.300s/%.200s", folder, CACHE_TABLE_UUID "/mine.txt");
  write_file(mine, "x", 1);
  assert_fails(calve_cache_clear(cache, "nonsense", NULL, &err), CALVE_EINVAL, &err);
  assert_ok(calve_cache_clear(cache, "00000000-0000-0000-0000-000000000000", &removed, &err), &err);
  assert_int_equal(removed, 0);
  assert_ok(calve_cache_clear(cache, CACHE_TABLE_UUID, &removed, &err), &err);
  assert_int_equal(removed, s.last.size_bytes);
  assert_int_equal(count_images(folder), 1); /* mine.txt                                         */
  assert_int_equal(cache_counts(cache).memory_bytes, 0);
  (void)cache_table_plan(&t, cache, 0, NULL);
  assert_int_equal(cache_counts(cache).misses, 6);
  assert_ok(calve_cache_clear(cache, NULL, &removed, &err), &err);
  assert_int_equal(access(mine, R_OK), 0);
  calve_cache_free(cache);
  remove_temp_dir(folder);
  cache_table_close(&t);
}

/* ---- many at a time ------------------------------------------------------------------------- */

#define PROCESSES 4
#define ROUNDS    25

/* One of them damages and clears what the others read and write. */
static int be_process(const cache_table *t, const char *folder, int number, cache_sums want) {
  char paths[64][512];
  for (int i = 0; i < ROUNDS; i++) {
    const calve_cache_config config = {
        .struct_size = sizeof config, .folder = folder, .max_bytes = 200000};
    calve_cache *cache = NULL;
    if (calve_cache_open(&config, &cache, NULL) != CALVE_OK) return 1;
    cache_sums got = cache_table_plan(t, cache, i % 2 ? CALVE_COLUMNS_ALL : 0, NULL);
    if (got.files != want.files || (i % 2 && got.sum != want.sum)) return 2;
    if (number == 0 && i % 5 == 0 && calve_cache_clear(cache, NULL, NULL, NULL) != CALVE_OK)
      return 3;
    calve_cache_free(cache);
    size_t count = number == 1 ? list_images(folder, paths, 64) : 0;
    if (count > 0) { /* rewritten in another way than the cache does, but never shorter          */
      int fd = open(paths[(size_t)i % count], O_WRONLY);
      if (fd >= 0 && pwrite(fd, "damage", 6, 100 + i * 40) != 6) return 4;
      if (fd >= 0) close(fd);
    }
  }
  return 0;
}

static void test_processes_share_a_folder(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256];
  pid_t pids[PROCESSES];
  cache_table_open(&t, 6, 60);
  make_temp_dir(folder);
  cache_sums want = cache_table_plan(&t, NULL, CALVE_COLUMNS_ALL, NULL);
  for (int i = 0; i < PROCESSES; i++) {
    pids[i] = fork();
    assert_true(pids[i] >= 0);
    if (pids[i] == 0) _exit(be_process(&t, folder, i, want));
  }
  for (int i = 0; i < PROCESSES; i++) {
    int status;
    assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
  remove_temp_dir(folder);
  cache_table_close(&t);
}

typedef struct shared {
  const cache_table *table;
  calve_cache *cache;
  cache_sums want, got[10];
} shared;

static void *plan_often(void *arg) {
  shared *s = arg;
  calve_thread_pool *pool = NULL;
  if (calve_thread_pool_make(2, NULL, &pool, NULL) != CALVE_OK) return NULL;
  for (size_t i = 0; i < ARRAY_COUNT(s->got); i++) {
    s->got[i] = cache_table_plan(s->table, s->cache, CALVE_COLUMNS_ALL,
                                 calve_thread_pool_executor(pool));
    if (i == 4 && calve_cache_clear(s->cache, CACHE_TABLE_UUID, NULL, NULL) != CALVE_OK) break;
  }
  calve_thread_pool_free(pool);
  return NULL;
}

static void test_plans_of_many_threads_share_a_cache(void **unused) {
  (void)unused;
  cache_table t;
  char folder[256];
  cache_table_open(&t, 6, 60);
  make_temp_dir(folder);
  for (int in_folder = 0; in_folder < 2; in_folder++) {
    shared s[3];
    pthread_t threads[3];
    calve_cache *cache = cache_open(in_folder ? folder : NULL, 200000);
    for (int i = 0; i < 3; i++) {
      s[i] = (shared){.table = &t, .cache = cache};
      s[i].want = cache_table_plan(&t, NULL, CALVE_COLUMNS_ALL, NULL);
      assert_int_equal(pthread_create(&threads[i], NULL, plan_often, &s[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
      pthread_join(threads[i], NULL);
      for (size_t k = 0; k < ARRAY_COUNT(s[i].got); k++) assert_same(s[i].got[k], s[i].want);
    }
    assert_true(cache_counts(cache).hits > 0);
    calve_cache_free(cache);
  }
  remove_temp_dir(folder);
  cache_table_close(&t);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* A cache that has no memory left is no failure of a plan. */
static void test_plans_survive_every_oom_of_the_cache(void **unused) {
  (void)unused;
  cache_table t;
  cache_table_open(&t, 2, 10);
  cache_sums want = cache_table_plan(&t, NULL, 0, NULL);
  for (long n = 0; n < 10000; n++) {
    failing_allocator mem;
    calve_cache *cache = NULL;
    failing_allocator_init(&mem, n);
    const calve_cache_config config = {.struct_size = sizeof config, .allocator = &mem.allocator};
    calve_status status = calve_cache_open(&config, &cache, &t.err);
    if (status == CALVE_OK) {
      assert_same(cache_table_plan(&t, cache, 0, NULL), want);
      assert_same(cache_table_plan(&t, cache, 0, NULL), want);
      calve_cache_free(cache);
    } else {
      assert_int_equal(status, CALVE_ENOMEM);
    }
    assert_int_equal(mem.live_bytes, 0);
    if (mem.calls <= n) {
      assert_true(n > 20);
      cache_table_close(&t);
      return;
    }
  }
  fail_msg("it never succeeds");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_second_plan_decodes_nothing),
      cmocka_unit_test(test_damaged_files_are_made_anew),
      cmocka_unit_test(test_torn_and_empty_files_are_made_anew),
      cmocka_unit_test(test_sections_are_checked_when_they_are_asked_for),
      cmocka_unit_test(test_a_replaced_manifest_is_read_anew),
      cmocka_unit_test(test_foreign_files_are_not_read),
      cmocka_unit_test(test_folders_are_made_private_or_refused),
      cmocka_unit_test(test_what_cannot_be_written_is_not_kept),
      cmocka_unit_test(test_a_folder_that_is_gone_does_no_harm),
      cmocka_unit_test(test_a_manifest_that_is_gone_fails_as_without_a_cache),
      cmocka_unit_test(test_size_is_bounded_and_the_oldest_go_first),
      cmocka_unit_test(test_a_large_table_does_not_push_itself_out),
      cmocka_unit_test(test_clearing_removes_what_the_cache_made),
      cmocka_unit_test(test_processes_share_a_folder),
      cmocka_unit_test(test_plans_of_many_threads_share_a_cache),
      cmocka_unit_test(test_plans_survive_every_oom_of_the_cache),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
