/* SPDX-License-Identifier: Apache-2.0 */
/* What every store must do, run on the local and on the memory store, plain and behind a guard. */
#include "harness.h"

#include <pthread.h>
#include <sys/stat.h>

#include "base/text.h"
#include "store/guard.h"
#include "store/local.h"
#include "store/memory.h"

typedef struct fixture {
  const calve_store *store;
  char base[256];
  calve_store *memory;
  calve_guard_store guard;
} fixture;

static fixture local_fixture(void) {
  fixture f = {.store = calve_local_store()};
  make_temp_dir(f.base);
  return f;
}

static fixture memory_fixture(void) {
  fixture f = {0};
  calve_error err;
  assert_ok(calve_memory_store_make(NULL, &f.memory, &err), &err);
  f.store = f.memory;
  snprintf(f.base, sizeof f.base, "/wh");
  return f;
}

static void drop(fixture *f) {
  if (!f->memory) remove_temp_dir(f->base);
  calve_memory_store_free(f->memory);
}

static calve_str at(const fixture *f, const char *name) {
  static char path[4][600];
  static unsigned turn;
  char *out = path[turn++ % 4];
  snprintf(out, sizeof path[0], "%s/%s", f->base, name);
  return calve_str_of(out);
}

typedef struct seen {
  size_t count;
  int64_t bytes;
  char names[400];
} seen;

static calve_status see(void *ctx, const calve_store_entry *entry, calve_error *err) {
  (void)err;
  seen *s = ctx;
  s->count++;
  s->bytes += entry->size_bytes;
  assert_true(entry->modified_ms > 0);
  strncat(s->names, strrchr(entry->path, '/'), sizeof s->names - strlen(s->names) - 1);
  return CALVE_OK;
}

static void check_store(fixture *f) {
  calve_error err = {0};
  const calve_store *store = f->store;
  calve_str path = at(f, "a/b/ü '\"*?[%20;x");
  assert_ok(calve_store_check(store, &err), &err);
  assert_ok(calve_store_create(store, path, CALVE_STR("hello"), &err), &err);
  assert_fails(calve_store_create(store, path, CALVE_STR("other"), &err), CALVE_EEXISTS, &err);
  assert_message(&err, "%20;x");

  calve_arena arena;
  calve_arena_init(&arena, NULL);
  calve_str bytes;
  assert_ok(calve_store_read(store, path, 5, &arena, &bytes, &err), &err);
  assert_string_equal(bytes.data, "hello");
  assert_fails(calve_store_read(store, path, 4, &arena, &bytes, &err), CALVE_ECORRUPT, &err);

  char url[700];
  snprintf(url, sizeof url, "file://%.*s", (int)path.size, path.data);
  assert_ok(calve_store_replace(store, calve_str_of(url), CALVE_STR("hello, world"), &err), &err);
  calve_buffer buffer;
  calve_buffer_init(&buffer, NULL);
  assert_ok(calve_store_read_buffer(store, path, 100, &buffer, &err), &err);
  assert_int_equal(buffer.size, 12);

  calve_store_file file;
  char part[8] = "";
  assert_ok(calve_store_open(store, path, &file, &err), &err);
  assert_int_equal(file.size_bytes, 12);
  assert_ok(calve_store_pread(&file, part, 5, 7, &err), &err);
  assert_string_equal(part, "world");
  assert_fails(calve_store_pread(&file, part, 6, 7, &err), CALVE_ECORRUPT, &err);
  assert_fails(calve_store_pread(&file, part, 1, -1, &err), CALVE_ECORRUPT, &err);
  assert_fails(calve_store_pread(&file, part, SIZE_MAX, 1, &err), CALVE_ECORRUPT, &err);

  /* An open file can still be read when its name is gone. */
  assert_ok(calve_store_remove(store, path, &err), &err);
  assert_ok(calve_store_pread(&file, part, 5, 0, &err), &err);
  assert_string_equal(part, "hello");
  calve_store_close(&file);
  assert_fails(calve_store_remove(store, path, &err), CALVE_ENOTFOUND, &err);
  assert_fails(calve_store_open(store, path, &file, &err), CALVE_ENOTFOUND, &err);
  assert_message(&err, "%20;x");

  bool exists = true;
  int64_t size_bytes = -1;
  assert_ok(calve_store_exists(store, path, &exists, &size_bytes, &err), &err);
  assert_false(exists);
  assert_ok(calve_store_create(store, at(f, "a/one"), CALVE_STR("1"), &err), &err);
  assert_ok(calve_store_create(store, at(f, "a/c/d/two"), CALVE_STR("22"), &err), &err);
  assert_ok(calve_store_create(store, at(f, "ab/three"), (calve_str){NULL, 0}, &err), &err);
  assert_ok(calve_store_exists(store, at(f, "a/c/d/two"), &exists, &size_bytes, &err), &err);
  assert_true(exists);
  assert_int_equal(size_bytes, 2);
  assert_ok(calve_store_exists(store, at(f, "a/c"), &exists, &size_bytes, &err), &err);
  assert_false(exists);

  seen all = {0};
  assert_ok(calve_store_list(store, at(f, "a"), see, &all, &err), &err);
  assert_int_equal(all.count, 2);
  assert_int_equal(all.bytes, 3);
  assert_non_null(strstr(all.names, "/one"));
  assert_non_null(strstr(all.names, "/two"));
  seen none = {0};
  assert_ok(calve_store_list(store, at(f, "nothing"), see, &none, &err), &err);
  assert_int_equal(none.count, 0);
  calve_buffer_free(&buffer);
  calve_arena_free(&arena);
}

static void test_local_store_keeps_the_contract(void **state) {
  (void)state;
  fixture f = local_fixture();
  check_store(&f);
  seen all = {0};
  calve_error err;
  assert_ok(calve_store_list(f.store, calve_str_of(f.base), see, &all, &err), &err);
  assert_int_equal(all.count, 3); /* no temporary file is left */
  drop(&f);
}

static void test_memory_store_keeps_the_contract(void **state) {
  (void)state;
  fixture f = memory_fixture();
  check_store(&f);
  assert_int_equal(calve_memory_store_count(f.store), 3);
  drop(&f);
}

static void test_guarded_store_keeps_the_contract(void **state) {
  (void)state;
  fixture f = local_fixture();
  calve_str root = calve_str_of(f.base);
  const calve_path_rules rules = {.confined = true, .roots = &root, .root_count = 1};
  calve_guard_store_init(&f.guard, calve_local_store(), &rules, &root, 1, NULL);
  f.store = &f.guard.store;
  check_store(&f);
  drop(&f);
}

static void test_guard_of_a_table_opens_only_below_its_roots(void **state) {
  (void)state;
  fixture f = memory_fixture();
  calve_error err;
  const calve_path_map map = {CALVE_STR("file:///elsewhere"), CALVE_STR("/wh")};
  const calve_str allowed = CALVE_STR("/allowed");
  const calve_path_rules rules = {
      .maps = &map, .map_count = 1, .absolute = true, .roots = &allowed, .root_count = 1};
  const calve_str roots[] = {CALVE_STR("file:/elsewhere/t"), CALVE_STR("file:///"), {0}};
  static const struct {
    const char *path;
    calve_status status;
  } rows[] = {
      {"/elsewhere/t/f", CALVE_OK},          {"/wh/t/f", CALVE_OK},
      {"file:///allowed/f", CALVE_OK},       {"/wh/u/f", CALVE_EDENIED},
      {"/wh/t/../u/f", CALVE_EDENIED},       {"wh/t/f", CALVE_EDENIED},
      {"file:t/f", CALVE_EDENIED},           {"/wh/t/gone", CALVE_ECORRUPT},
  };
  calve_guard_store_init(&f.guard, f.memory, &rules, NULL, 0, NULL);
  calve_guard_store_confine(&f.guard, roots, ARRAY_COUNT(roots));
  assert_ok(calve_store_create(f.memory, CALVE_STR("/wh/t/f"), CALVE_STR("x"), &err), &err);
  assert_ok(calve_store_create(f.memory, CALVE_STR("/wh/u/f"), CALVE_STR("x"), &err), &err);
  assert_ok(calve_store_create(f.memory, CALVE_STR("/allowed/f"), CALVE_STR("x"), &err), &err);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_store_file file = {0};
    calve_status status =
        calve_store_open(&f.guard.store, calve_str_of(rows[i].path), &file, &err);
    if (status != rows[i].status) fail_msg("%s: status %d", rows[i].path, (int)status);
    calve_store_close(&file);
  }
  drop(&f);
}

static void test_guard_removes_only_below_the_delete_roots(void **state) {
  (void)state;
  fixture f = memory_fixture();
  calve_error err;
  const calve_path_map map = {CALVE_STR("file:///elsewhere"), CALVE_STR("/wh")};
  const calve_path_rules rules = {.maps = &map, .map_count = 1};
  calve_str root = CALVE_STR("file:/elsewhere/t");
  calve_guard_store_init(&f.guard, f.memory, &rules, &root, 1, NULL);
  assert_ok(calve_store_create(f.memory, CALVE_STR("/wh/t/f"), CALVE_STR("x"), &err), &err);
  assert_ok(calve_store_create(f.memory, CALVE_STR("/wh/t/g"), CALVE_STR("x"), &err), &err);
  assert_ok(calve_store_create(f.memory, CALVE_STR("/wh/u/f"), CALVE_STR("x"), &err), &err);
  const calve_store *store = &f.guard.store;
  assert_fails(calve_store_remove(store, CALVE_STR("/elsewhere/u/f"), &err), CALVE_EDENIED, &err);
  assert_fails(calve_store_remove(store, CALVE_STR("/wh/u/f"), &err), CALVE_EDENIED, &err);
  assert_fails(calve_store_remove(store, CALVE_STR("/elsewhere/t/../u/f"), &err), CALVE_EDENIED,
               &err);
  assert_ok(calve_store_remove(store, CALVE_STR("/elsewhere/t/f"), &err), &err);
  assert_ok(calve_store_remove(store, CALVE_STR("/wh/t/g"), &err), &err); /* as listed */
  assert_int_equal(calve_memory_store_count(f.memory), 1);
  root = CALVE_STR("file:///"); /* metadata may say so; that makes no file the table's own */
  assert_fails(calve_store_remove(store, CALVE_STR("/wh/u/f"), &err), CALVE_EDENIED, &err);
  assert_int_equal(calve_memory_store_count(f.memory), 1);
  drop(&f);
}

/* Rule (B068): of many that create one path exactly one wins. */
typedef struct racer {
  const fixture *f;
  char name;
  int wins;
} racer;

static void *race(void *arg) {
  racer *r = arg;
  for (int i = 0; i < 100; i++) {
    char path[300];
    snprintf(path, sizeof path, "%s/v%d.metadata.json", r->f->base, i);
    calve_str bytes = {&r->name, 1};
    calve_status status = calve_store_create(r->f->store, calve_str_of(path), bytes, NULL);
    if (status == CALVE_OK) r->wins++;
    else if (status != CALVE_EEXISTS) r->wins = -10000;
  }
  return NULL;
}

static void check_race(fixture *f) {
  racer racers[4];
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    racers[i] = (racer){f, (char)('a' + i), 0};
    assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
  }
  int wins = 0;
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    wins += racers[i].wins;
  }
  assert_int_equal(wins, 100);
}

static void test_of_many_creators_one_wins_local(void **state) {
  (void)state;
  fixture f = local_fixture();
  check_race(&f);
  drop(&f);
}

static void test_of_many_creators_one_wins_memory(void **state) {
  (void)state;
  fixture f = memory_fixture();
  check_race(&f);
  drop(&f);
}

static void test_local_errors_name_the_path_and_the_reason(void **state) {
  (void)state;
  fixture f = local_fixture();
  calve_error err;
  calve_store_file file;
  assert_fails(calve_store_open(f.store, calve_str_of(f.base), &file, &err), CALVE_EIO, &err);
  assert_message(&err, "irectory");
  assert_fails(calve_store_open(f.store, CALVE_STR("s3://b/k"), &file, &err), CALVE_EUNSUPPORTED,
               &err);
  assert_message(&err, "s3://b/k");
  assert_ok(calve_store_create(f.store, at(&f, "plain"), CALVE_STR("x"), &err), &err);
  assert_fails(calve_store_open(f.store, at(&f, "plain/below"), &file, &err), CALVE_EIO, &err);
  assert_fails(calve_store_create(f.store, at(&f, "plain/below"), CALVE_STR("x"), &err), CALVE_EIO,
               &err);
  if (geteuid() != 0) {
    assert_int_equal(chmod(f.base, 0500), 0);
    assert_fails(calve_store_create(f.store, at(&f, "new"), CALVE_STR("x"), &err), CALVE_EDENIED,
                 &err);
    assert_int_equal(chmod(f.base, 0700), 0);
  }
  assert_ok(calve_local_sync(at(&f, "plain"), &err), &err);
  assert_fails(calve_local_sync(at(&f, "nothing"), &err), CALVE_ENOTFOUND, &err);
  assert_ok(calve_local_make_folder(at(&f, "x/y/z"), &err), &err);
  assert_ok(calve_local_make_folder(at(&f, "x/y/z"), &err), &err);
  assert_fails(calve_local_make_folder(at(&f, "plain/z"), &err), CALVE_EIO, &err);
  drop(&f);
}

/* Opening a pipe must not wait for somebody who writes to it. */
static calve_str copied(calve_str text, char out[300]) {
  snprintf(out, 300, "%.*s", CALVE_STR_ARG(text));
  return calve_str_of(out);
}

static void test_folders_go_with_their_last_file_below_the_root(void **state) {
  (void)state;
  fixture f = local_fixture();
  calve_error err;
  char paths[3][300]; /* at() keeps four */
  calve_str root = copied(at(&f, "t"), paths[0]), a = copied(at(&f, "t/data/k=1/a"), paths[1]),
            b = copied(at(&f, "t/data/k=2/b"), paths[2]);
  bool exists;
  assert_ok(calve_store_create(f.store, a, CALVE_STR("a"), &err), &err);
  assert_ok(calve_store_create(f.store, b, CALVE_STR("b"), &err), &err);
  calve_guard_store guard;
  calve_path_rules rules = {0};
  calve_guard_store_init(&guard, f.store, &rules, &root, 1, NULL);
  calve_local_remove_empty(a, root); /* nothing is empty yet */
  assert_ok(calve_store_exists(f.store, a, &exists, NULL, &err), &err);
  assert_true(exists);
  assert_ok(calve_store_remove(&guard.store, a, &err), &err);
  assert_ok(calve_local_folder_exists(at(&f, "t/data/k=1"), &exists, &err), &err);
  assert_false(exists);
  assert_ok(calve_local_folder_exists(at(&f, "t/data"), &exists, &err), &err);
  assert_true(exists);
  assert_ok(calve_store_remove(&guard.store, b, &err), &err);
  assert_ok(calve_local_folder_exists(at(&f, "t/data"), &exists, &err), &err);
  assert_false(exists);
  assert_ok(calve_local_folder_exists(root, &exists, &err), &err);
  assert_true(exists); /* the root is not ours to remove */
  calve_local_remove_empty(at(&f, "t/x"), at(&f, "t/y")); /* not below it */
  assert_ok(calve_local_folder_exists(root, &exists, &err), &err);
  assert_true(exists);
  drop(&f);
}

static void test_local_pipes_are_no_files(void **state) {
  (void)state;
  fixture f = local_fixture();
  calve_error err;
  calve_store_file file;
  assert_int_equal(mkfifo(at(&f, "pipe").data, 0600), 0);
  assert_fails(calve_store_open(f.store, at(&f, "pipe"), &file, &err), CALVE_EIO, &err);
  assert_message(&err, "pipe");
  drop(&f);
}

/* A map can make a path longer than any that a table may have. */
static void test_local_paths_too_long_are_refused_behind_a_map(void **state) {
  (void)state;
  fixture f = local_fixture();
  calve_error err;
  char to[CALVE_PATH_MAX];
  memset(to, 'x', sizeof to);
  memcpy(to, "/tmp/", 5);
  const calve_path_map map = {CALVE_STR("/a"), {to, sizeof to - 1}};
  const calve_path_rules rules = {.maps = &map, .map_count = 1};
  calve_guard_store_init(&f.guard, calve_local_store(), &rules, NULL, 0, NULL);
  const calve_store *store = &f.guard.store;
  assert_fails(calve_store_create(store, CALVE_STR("/a/b"), CALVE_STR("x"), &err), CALVE_EINVAL,
               &err);
  assert_message(&err, "longer than");
  drop(&f);
}

static void test_memory_store_survives_every_failed_allocation(void **state) {
  (void)state;
  failing_allocator mem;
  long n = 0;
  for (; n < 100; n++) {
    failing_allocator_init(&mem, n);
    calve_store *store = NULL;
    calve_error err;
    calve_status status = calve_memory_store_make(&mem.allocator, &store, &err);
    if (status == CALVE_OK)
      status = calve_store_create(store, CALVE_STR("/a"), CALVE_STR("x"), &err);
    if (status == CALVE_OK)
      status = calve_store_replace(store, CALVE_STR("/a"), CALVE_STR("yy"), &err);
    seen all = {0};
    if (status == CALVE_OK) status = calve_store_list(store, CALVE_STR("/"), see, &all, &err);
    calve_memory_store_free(store);
    assert_int_equal(mem.live_bytes, 0);
    if (status == CALVE_OK) break;
    assert_int_equal(status, CALVE_ENOMEM);
  }
  assert_true(n > 5 && n < 100);
}

/* A store of a caller: what it says of its own size is looked at. */
static calve_status list_one_file(void *ctx, const char *folder, calve_store_visit visit,
                                  void *visit_ctx, calve_error *err) {
  (void)folder;
  return visit(visit_ctx, ctx, err);
}

static calve_status count_visit(void *ctx, const calve_store_entry *entry, calve_error *err) {
  (void)entry, (void)err;
  ++*(int *)ctx;
  return CALVE_OK;
}

static void test_stores_of_another_age_are_used_when_they_are_whole(void **state) {
  (void)state;
  calve_error err;
  calve_store_entry entry = {.struct_size = sizeof entry, .path = "/a", .size_bytes = 1};
  calve_store store = *calve_local_store();
  store.ctx = &entry;
  store.list = list_one_file;
  store.struct_size = 1000; /* a newer one: what is behind does not matter */
  assert_ok(calve_store_check(&store, &err), &err);
  int visits = 0;
  assert_ok(calve_store_list(&store, CALVE_STR("/"), count_visit, &visits, &err), &err);
  assert_int_equal(visits, 1);
  entry.struct_size = 0;
  assert_fails(calve_store_list(&store, CALVE_STR("/"), count_visit, &visits, &err), CALVE_EINVAL,
               &err);
  assert_message(&err, "sizeof(calve_store_entry)");
  assert_int_equal(visits, 1);
  store.struct_size = sizeof store - 1;
  assert_fails(calve_store_check(&store, &err), CALVE_EINVAL, &err);
  assert_fails(calve_store_check(NULL, &err), CALVE_EINVAL, &err);
  store.struct_size = sizeof store;
  store.remove = NULL;
  assert_fails(calve_store_check(&store, &err), CALVE_EINVAL, &err);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_local_store_keeps_the_contract),
      cmocka_unit_test(test_memory_store_keeps_the_contract),
      cmocka_unit_test(test_guarded_store_keeps_the_contract),
      cmocka_unit_test(test_guard_of_a_table_opens_only_below_its_roots),
      cmocka_unit_test(test_guard_removes_only_below_the_delete_roots),
      cmocka_unit_test(test_of_many_creators_one_wins_local),
      cmocka_unit_test(test_of_many_creators_one_wins_memory),
      cmocka_unit_test(test_local_errors_name_the_path_and_the_reason),
      cmocka_unit_test(test_folders_go_with_their_last_file_below_the_root),
      cmocka_unit_test(test_local_pipes_are_no_files),
      cmocka_unit_test(test_local_paths_too_long_are_refused_behind_a_map),
      cmocka_unit_test(test_memory_store_survives_every_failed_allocation),
      cmocka_unit_test(test_stores_of_another_age_are_used_when_they_are_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
