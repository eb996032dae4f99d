/* SPDX-License-Identifier: Apache-2.0 */
/* Several writers of one table, and catalogs that lie. */
#include "table_fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "evolve/schema_update.h"
#include "expr/predicate_text.h"

static calve_table *second_handle(table_fixture *f) {
  calve_error err;
  calve_table *t = NULL;
  assert_ok(calve_table_load(f->catalog, &f->name, &t, &err), &err);
  return t;
}

/* Rule (B068, B071): an append is tried again on top of what others did, whatever that was. */
static void test_appends_are_retried_on_top_of_other_commits(void **state) {
  (void)state;
  for (int sql = 0; sql < 2; sql++) {
    table_fixture f;
    calve_error err;
    table_fixture_open(&f, &(table_fixture_options){.sql = sql});
    calve_table *other = second_handle(&f);
    assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
    assert_ok(fixture_append(&f, other, "b", "DE", 2, &err), &err); /* from an old state */
    assert_int_equal(f.slept_ms > 0, true);
    assert_string_equal(fixture_live(&f, other), "a b");
    const calve_metadata *m = calve_table_metadata(other);
    assert_int_equal(m->snapshot_count, 2);
    assert_int_equal(m->snapshots[1].parent_snapshot_id, m->snapshots[0].snapshot_id);
    assert_int_equal(m->snapshots[1].sequence_number, 2);
    assert_string_equal(fixture_summary(other, "total-records"), "3");
    assert_no_orphans(&f, f.store, other); /* the first attempt's list is gone */

    /* Dropping a column in between does not matter to an append. */
    calve_schema_update *u;
    calve_changes changes;
    assert_ok(calve_schema_update_begin(calve_table_metadata(other), &f.arena, &u, &err), &err);
    assert_ok(calve_schema_update_delete(u, CALVE_STR("ts"), &err), &err);
    assert_ok(calve_schema_update_apply(u, NULL, &changes, &err), &err);
    assert_ok(calve_table_commit_changes(other, &changes, &err), &err);
    assert_ok(fixture_append(&f, f.table, "c", "DE", 1, &err), &err);
    assert_int_equal(calve_table_metadata(f.table)->current_schema_id, 1);
    assert_string_equal(fixture_live(&f, f.table), "a b c");
    calve_table_close(other);
    table_fixture_close(&f);
  }
}

/* Rule (B070): a retry merges again, and only manifests that nobody names are cleaned up. */
static void test_a_retried_merge_loses_no_file(void **state) {
  (void)state;
  static const char *const properties[] = {"commit.manifest.min-count-to-merge", "2", NULL};
  for (int sql = 0; sql < 2; sql++) {
    table_fixture f;
    calve_error err;
    table_fixture_open(&f, &(table_fixture_options){.sql = sql, .properties = properties});
    calve_table *other = second_handle(&f);
    for (int i = 0; i < 4; i++) {
      char mine[] = {'a', (char)('0' + i), '\0'}, theirs[] = {'b', (char)('0' + i), '\0'};
      assert_ok(fixture_append(&f, f.table, mine, "DE", 1, &err), &err);
      assert_ok(fixture_append(&f, other, theirs, "DE", 1, &err), &err); /* conflicts, retries */
    }
    assert_string_equal(fixture_live(&f, other), "a0 a1 a2 a3 b0 b1 b2 b3");
    assert_string_equal(fixture_summary(other, "total-data-files"), "8");
    assert_no_orphans(&f, f.store, other);
    calve_table_close(other);
    table_fixture_close(&f);
  }
}

/* Rule (B071): two spec changes from one base would give one id to two fields. */
static void test_of_two_spec_changes_from_one_base_one_is_refused(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){0});
  calve_table *other = second_handle(&f);
  calve_table *const tables[] = {f.table, other};
  for (int i = 0; i < 2; i++) {
    calve_spec_update *u;
    calve_changes changes;
    const calve_transform bucket = {.kind = CALVE_BUCKET, .parameter = i == 0 ? 4 : 8};
    assert_ok(calve_spec_update_begin(calve_table_metadata(tables[i]), &f.arena, &u, &err), &err);
    assert_ok(calve_spec_update_add(u, CALVE_STR("id"), &bucket, (calve_str){0}, &err), &err);
    assert_ok(calve_spec_update_apply(u, NULL, &changes, &err), &err);
    if (i == 0) assert_ok(calve_table_commit_changes(tables[i], &changes, &err), &err);
    else assert_fails(calve_table_commit_changes(tables[i], &changes, &err), CALVE_ECONFLICT, &err);
  }
  assert_ok(calve_table_refresh(other, &err), &err);
  assert_int_equal(calve_table_metadata(other)->last_partition_id, 1001);
  assert_no_orphans(&f, f.memory, other);
  calve_table_close(other);
  table_fixture_close(&f);
}

/* Rule (B071): a file that somebody rewrote is not removed a second time. */
static void test_removing_what_another_rewrote_is_refused(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){0});
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  calve_table *other = second_handle(&f);
  calve_table *const tables[] = {f.table, other};
  for (int i = 0; i < 2; i++) {
    calve_snapshot_update *u = fixture_update();
    calve_data_file a = fixture_file(&f, f.table, "a", "DE", 1);
    calve_data_file b = fixture_file(&f, f.table, i == 0 ? "a0" : "a1", "DE", 1);
    assert_ok(calve_snapshot_update_remove(u, a.path, 0, &err), &err);
    assert_ok(calve_snapshot_update_add(u, &b, &err), &err);
    calve_status status = calve_table_commit_update(tables[i], u, &err);
    if (i == 0) assert_int_equal(status, CALVE_OK);
    else assert_fails(status, CALVE_ECONFLICT, &err);
    calve_snapshot_update_free(u);
  }
  assert_ok(calve_table_refresh(other, &err), &err);
  assert_string_equal(fixture_live(&f, other), "a0");
  assert_no_orphans(&f, f.memory, other);
  calve_table_close(other);
  table_fixture_close(&f);
}

/* Serializable: what was read must not have got new rows in between; other partitions may. */
static void test_checks_refuse_rows_that_came_in_between(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){0});
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  int64_t start = calve_table_metadata(f.table)->current_snapshot_id;
  calve_table *other = second_handle(&f);
  static const struct {
    const char *name, *country;
    calve_status status;
  } rows[] = {{"b", "FR", CALVE_OK}, {"c", "DE", CALVE_ECONFLICT}};
  const calve_predicate *filter;
  assert_ok(calve_predicate_parse(CALVE_STR("country = 'DE'"), &f.arena, &filter, NULL, &err),
            &err);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    assert_ok(fixture_append(&f, other, rows[i].name, rows[i].country, 1, &err), &err);
    calve_snapshot_update *u = fixture_update();
    calve_data_file d = fixture_file(&f, f.table, rows[i].country, "DE", 1);
    const calve_commit_checks checks = {
        .enabled = true, .since_snapshot_id = start, .filter = filter, .no_new_data = true};
    assert_ok(calve_snapshot_update_add(u, &d, &err), &err);
    calve_snapshot_update_check(u, &checks);
    calve_status status = calve_table_commit_update(f.table, u, &err);
    if (rows[i].status == CALVE_OK) {
      assert_int_equal(status, CALVE_OK);
      start = calve_table_metadata(f.table)->current_snapshot_id;
    } else {
      assert_fails(status, rows[i].status, &err);
      assert_message(&err, "c.parquet");
    }
    calve_snapshot_update_free(u);
  }
  calve_table_close(other);
  table_fixture_close(&f);
}

/* An overwrite replaces what is there when it is committed, as if it had come second. Who read the
 * table to make the new rows has it checked: else rows that came in between would be lost. */
static void test_an_overwrite_replaces_what_came_in_between_unless_checked(void **state) {
  (void)state;
  for (int checked = 0; checked < 2; checked++) {
    table_fixture f;
    calve_error err;
    table_fixture_open(&f, &(table_fixture_options){0});
    assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
    calve_table *other = second_handle(&f);
    assert_ok(fixture_append(&f, other, "b", "DE", 1, &err), &err);
    const calve_commit_checks checks = {
        .enabled = checked,
        .since_snapshot_id = calve_table_metadata(f.table)->current_snapshot_id,
        .no_new_data = true};
    calve_snapshot_update *u = fixture_update();
    calve_data_file file = fixture_file(&f, f.table, "new", "DE", 1);
    assert_ok(calve_snapshot_update_add(u, &file, &err), &err);
    calve_snapshot_update_replace_partitions(u);
    calve_snapshot_update_check(u, &checks);
    calve_status status = calve_table_commit_update(f.table, u, &err);
    calve_snapshot_update_free(u);
    if (checked) {
      assert_fails(status, CALVE_ECONFLICT, &err);
      assert_message(&err, "b.parquet");
    } else {
      assert_ok(status, &err);
    }
    assert_ok(calve_table_refresh(other, &err), &err);
    assert_string_equal(fixture_live(&f, other), checked ? "a b" : "new");
    calve_table_close(other);
    table_fixture_close(&f);
  }
}

static void test_retries_end_by_count(void **state) {
  (void)state;
  static const char *const properties[] = {"commit.retry.num-retries", "0", NULL};
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &(table_fixture_options){.properties = properties});
  calve_table *other = second_handle(&f);
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  assert_fails(fixture_append(&f, other, "b", "DE", 2, &err), CALVE_ECONFLICT, &err);
  assert_int_equal(f.slept_ms, 0);
  assert_string_equal(fixture_live(&f, f.table), "a");
  assert_no_orphans(&f, f.memory, f.table);
  calve_table_close(other);
  table_fixture_close(&f);
}

/* ---- catalogs that lie ---- */

typedef enum lie {
  TELLS_TRUTH,
  LANDS_THEN_UNKNOWN,       /* and settling finds it */
  LANDS_THEN_OTHER_UNKNOWN, /* somebody else commits before the look */
  LANDS_THEN_CONFLICT,
  REJECTS_ONCE,
  REJECTS_ALWAYS,
  UNKNOWN_FOR_EVER
} lie;

/* A pointer to a metadata file, and scripted answers. */
typedef struct liar {
  table_fixture *f;
  calve_str location;
  lie lie;
  int swaps;
} liar;

static calve_status liar_load(void *ctx, calve_arena *arena, calve_table_state *out,
                              calve_error *err) {
  liar *l = ctx;
  calve_str text;
  calve_table_state made = {.metadata_location = l->location, .version = -1};
  CALVE_TRY(calve_store_read(l->f->store, l->location, INT64_MAX, arena, &text, err));
  CALVE_TRY(calve_metadata_parse(text, "liar", arena, &made.metadata, err));
  *out = made;
  return CALVE_OK;
}

static void land(liar *l, calve_str json, calve_str location) {
  calve_error err;
  assert_ok(calve_store_create(l->f->store, location, json, &err), &err);
  l->location = location;
}

static calve_commit_target target_of(liar *l);

/* A transaction of one update. */
static calve_status commit_one(const calve_commit_target *target, const calve_snapshot_update *u,
                               calve_arena *arena, calve_table_state *out, calve_error *err) {
  calve_transaction *t;
  assert_ok(calve_transaction_begin(target, NULL, &t, err), err);
  calve_status status = calve_transaction_add_update(t, u, err);
  if (status == CALVE_OK) status = calve_transaction_commit(t, arena, out, err);
  calve_transaction_free(t);
  return status;
}

static calve_status liar_swap(void *ctx, const calve_table_state *base, const calve_metadata *m,
                              calve_str json, calve_arena *arena, calve_str *location,
                              int64_t *version, calve_error *err) {
  liar *l = ctx;
  (void)arena;
  *version = -1;
  CALVE_TRY(calve_arena_printf(&l->f->arena, location, err, "%.*s/metadata/%d.json",
                               CALVE_STR_ARG(m->location), l->swaps++));
  bool current = calve_str_equal(base->metadata_location, l->location);
  if (!current || l->lie == REJECTS_ALWAYS || (l->lie == REJECTS_ONCE && l->swaps == 1))
    return calve_fail(err, CALVE_ECONFLICT, "liar", "no");
  if (l->lie == UNKNOWN_FOR_EVER) return calve_fail(err, CALVE_EUNKNOWN, "liar", "who knows");
  land(l, json, *location);
  lie told = l->lie;
  l->lie = TELLS_TRUTH;
  if (told == LANDS_THEN_CONFLICT) return calve_fail(err, CALVE_ECONFLICT, "liar", "no");
  if (told == LANDS_THEN_OTHER_UNKNOWN) {
    calve_snapshot_update *u = fixture_update();
    calve_data_file file = fixture_file(l->f, l->f->table, "other", "DE", 1);
    calve_commit_target target = target_of(l);
    calve_table_state state;
    assert_ok(calve_snapshot_update_add(u, &file, err), err);
    assert_ok(commit_one(&target, u, &l->f->arena, &state, err), err);
    calve_snapshot_update_free(u);
  }
  if (told == LANDS_THEN_UNKNOWN || told == LANDS_THEN_OTHER_UNKNOWN)
    return calve_fail(err, CALVE_EUNKNOWN, "liar", "who knows");
  return CALVE_OK;
}

static calve_status liar_settle(void *ctx, const calve_table_state *base, calve_str location,
                                calve_str json, calve_error *err) {
  liar *l = ctx;
  calve_table_state now;
  (void)base;
  (void)json;
  if (l->lie == UNKNOWN_FOR_EVER) return calve_fail(err, CALVE_EUNKNOWN, "liar", "who knows");
  CALVE_TRY(liar_load(l, &l->f->arena, &now, err));
  bool landed = calve_str_equal(now.metadata_location, location);
  for (size_t i = 0; i < now.metadata->metadata_log_count; i++)
    landed |= calve_str_equal(now.metadata->metadata_log[i].metadata_file, location);
  return landed ? CALVE_OK : calve_fail(err, CALVE_ECONFLICT, "liar", "no");
}

static calve_commit_target target_of(liar *l) {
  return (calve_commit_target){.ctx = l,
                               .name = "liar",
                               .store = l->f->store,
                               .clock = {l->f, fixture_now_, fixture_sleep_},
                               .load = liar_load,
                               .swap = liar_swap,
                               .settle = liar_settle};
}

/* Rule: a cancel ends the waiting between tries, and the commit with it; what is not known, or has
 * happened, is not called cancelled. */
static void test_a_cancel_between_tries_ends_the_commit(void **state) {
  (void)state;
  static const struct {
    lie lie;
    calve_status status;
    int swaps;
  } rows[] = {
      {REJECTS_ALWAYS, CALVE_ECANCELLED, 1},
      {REJECTS_ONCE, CALVE_ECANCELLED, 1},
      {LANDS_THEN_CONFLICT, CALVE_OK, 1},
      {UNKNOWN_FOR_EVER, CALVE_EUNKNOWN, 1},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    table_fixture f;
    calve_error err = {0};
    calve_arena arena;
    table_fixture_open(&f, &(table_fixture_options){0});
    calve_arena_init(&arena, NULL);
    assert_ok(fixture_append(&f, f.table, "a", "DE", 10, &err), &err);
    size_t before = calve_memory_store_count(f.memory);
    liar l = {.f = &f, .lie = rows[i].lie};
    assert_ok(calve_arena_str(&f.arena, calve_table_metadata_location(f.table), &l.location, &err),
              &err);
    calve_commit_target target = target_of(&l);
    calve_table_state made;
    calve_snapshot_update *u = fixture_update();
    calve_data_file b = fixture_file(&f, f.table, "b", "DE", 5);
    assert_ok(calve_snapshot_update_add(u, &b, &err), &err);
    f.cancelled = true;
    calve_status status = commit_one(&target, u, &arena, &made, &err);
    calve_snapshot_update_free(u);
    if (status != rows[i].status)
      fail_msg("lie %d: %s %s", rows[i].lie, calve_status_name(status), err.message);
    assert_int_equal(l.swaps, rows[i].swaps);
    if (status == CALVE_ECANCELLED)
      assert_int_equal(calve_memory_store_count(f.memory), before); /* nothing is left behind */
    calve_arena_free(&arena);
    table_fixture_close(&f);
  }
}

/* … and a catalog's own clock tells of its token, however short the wait. */
static void test_a_cancelled_catalog_does_not_try_again(void **state) {
  (void)state;
  table_fixture f;
  calve_error err;
  calve_catalog *catalog;
  calve_table *late;
  table_fixture_open(&f, &(table_fixture_options){0});
  const calve_property properties[] = {{CALVE_STR("type"), CALVE_STR("filesystem")},
                                       {CALVE_STR("warehouse"), CALVE_STR("/wh")}};
  const calve_catalog_options options = {.properties = {properties, 2}, .store = f.store};
  assert_ok(calve_catalog_open_options(&options, &catalog, &err), &err);
  assert_ok(calve_table_load(catalog, &f.name, &late, &err), &err);
  assert_ok(fixture_append(&f, f.table, "a", "DE", 1, &err), &err);
  calve_cancel cancel = {0};
  calve_catalog_set_cancel(catalog, &cancel);
  calve_cancel_set(&cancel);
  assert_fails(fixture_append(&f, late, "b", "DE", 1, &err), CALVE_ECANCELLED, &err);
  assert_string_equal(fixture_live(&f, f.table), "a");
  assert_no_orphans(&f, f.memory, f.table);
  calve_table_close(late);
  calve_catalog_close(catalog);
  table_fixture_close(&f);
}

/* Rules (B069, B070): the outcome decides what is cleaned up, and no file is added twice. */
static void test_what_a_lying_catalog_did_is_found_out(void **state) {
  (void)state;
  static const struct {
    lie lie;
    calve_status status;
    const char *records; /* total of the current snapshot, as the catalog has it at the end */
    size_t snapshots;
    bool clean;
  } rows[] = {
      {TELLS_TRUTH, CALVE_OK, "15", 2, true},
      {LANDS_THEN_UNKNOWN, CALVE_OK, "15", 2, true},
      {LANDS_THEN_OTHER_UNKNOWN, CALVE_OK, "16", 3, true},
      {LANDS_THEN_CONFLICT, CALVE_OK, "15", 2, true},
      {REJECTS_ONCE, CALVE_OK, "15", 2, true},
      {REJECTS_ALWAYS, CALVE_ECONFLICT, "10", 1, true},
      {UNKNOWN_FOR_EVER, CALVE_EUNKNOWN, "10", 1, false},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    table_fixture f;
    calve_error err = {0};
    calve_arena arena;
    table_fixture_open(&f, &(table_fixture_options){0});
    calve_arena_init(&arena, NULL);
    assert_ok(fixture_append(&f, f.table, "a", "DE", 10, &err), &err);
    size_t before = calve_memory_store_count(f.memory);
    liar l = {.f = &f, .lie = rows[i].lie};
    assert_ok(calve_arena_str(&f.arena, calve_table_metadata_location(f.table), &l.location, &err),
              &err);
    calve_commit_target target = target_of(&l);
    calve_table_state state_after = {0};
    calve_snapshot_update *u = fixture_update();
    calve_data_file b = fixture_file(&f, f.table, "b", "DE", 5);
    assert_ok(calve_snapshot_update_add(u, &b, &err), &err);
    calve_status status = commit_one(&target, u, &arena, &state_after, &err);
    calve_snapshot_update_free(u);
    if (status != rows[i].status)
      fail_msg("lie %d: %s %s", rows[i].lie, calve_status_name(status), err.message);

    calve_table_state now;
    assert_ok(liar_load(&l, &arena, &now, &err), &err);
    assert_int_equal(now.metadata->snapshot_count, rows[i].snapshots);
    const calve_snapshot *s = calve_metadata_current_snapshot(now.metadata);
    char records[100];
    assert_string_equal(snapshot_summary(s, "total-records", records, sizeof records),
                        rows[i].records);
    if (status == CALVE_OK)
      assert_int_equal(state_after.metadata->snapshot_count, rows[i].snapshots);
    /* A commit leaves 3 files: manifest, list, metadata; a failed one none; an unknown one all. */
    size_t commits = rows[i].snapshots - 1;
    size_t expected = rows[i].clean ? before + 3 * commits : before + 2;
    assert_int_equal(calve_memory_store_count(f.memory), expected);
    calve_arena_free(&arena);
    table_fixture_close(&f);
  }
}

/* ---- two processes ---- */

static bool real_sleep(void *ctx, int64_t ms) {
  (void)ctx;
  struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000};
  nanosleep(&wait, NULL);
  return true;
}

#define APPENDS 50

/* A process of its own: opens the catalog itself, appends 50 files. Exit code 0: all went well. */
static int append_many(table_fixture *parent, bool sql, char who) {
  table_fixture f = *parent;
  calve_error err = {0};
  calve_catalog *catalog;
  calve_table *t;
  calve_arena_init(&f.arena, NULL);
  const calve_property properties[] = {
      {CALVE_STR("type"), sql ? CALVE_STR("sql") : CALVE_STR("filesystem")},
      {CALVE_STR("warehouse"), calve_str_of(f.folder)}};
  const calve_catalog_options options = {.properties = {properties, 2},
                                         .clock = {NULL, NULL, real_sleep}};
  if (calve_catalog_open_options(&options, &catalog, &err) != CALVE_OK) return 1;
  if (calve_table_load(catalog, &f.name, &t, &err) != CALVE_OK) {
    fprintf(stderr, "%s: %s\n", err.where, err.message);
    return 2;
  }
  for (int i = 0; i < APPENDS; i++) {
    char name[32];
    snprintf(name, sizeof name, "%c%02d", who, i);
    calve_status status;
    while ((status = fixture_append(&f, t, name, "DE", 1, &err)) == CALVE_ECONFLICT) continue;
    if (status != CALVE_OK) {
      fprintf(stderr, "%s %s: %s\n", calve_status_name(status), err.where, err.message);
      return 3;
    }
  }
  calve_table_close(t);
  calve_catalog_close(catalog);
  calve_arena_free(&f.arena);
  return 0;
}

/* Rule (B068): 50 appends by each of two processes are 100 snapshots in one line, and 100 files. */
static void check_two_processes(bool sql) {
  static const char *const properties[] = {"commit.retry.min-wait-ms", "1", NULL};
  table_fixture f;
  calve_error err;
  const table_fixture_options options = {.sql = sql, .local = true, .properties = properties};
  table_fixture_open(&f, &options);
  calve_table_close(f.table); /* SQLite connections must not go through a fork */
  calve_catalog_close(f.catalog);
  pid_t children[2];
  for (int i = 0; i < 2; i++) {
    children[i] = fork();
    assert_true(children[i] >= 0);
    if (children[i] == 0) _exit(append_many(&f, sql, (char)('a' + i)));
  }
  for (int i = 0; i < 2; i++) {
    int how;
    assert_int_equal(waitpid(children[i], &how, 0), children[i]);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
  }
  assert_ok(fixture_open_catalog(&f, &options, &f.catalog, &err), &err);
  assert_ok(calve_table_load(f.catalog, &f.name, &f.table, &err), &err);
  const calve_metadata *m = calve_table_metadata(f.table);
  assert_int_equal(m->snapshot_count, 2 * APPENDS);
  int64_t id = m->current_snapshot_id;
  size_t length = 0;
  for (; id != CALVE_NO_SNAPSHOT; length++) {
    const calve_snapshot *s = calve_metadata_snapshot(m, id);
    assert_int_equal(s->sequence_number, 2 * APPENDS - (int64_t)length);
    id = s->parent_snapshot_id;
  }
  assert_int_equal(length, 2 * APPENDS);
  assert_string_equal(fixture_summary(f.table, "total-data-files"), "100");
  fixture_entry *entries = calloc(200, sizeof *entries);
  assert_non_null(entries);
  assert_int_equal(fixture_entries(&f, f.table, false, entries, 200), 2 * APPENDS);
  free(entries);
  assert_no_orphans(&f, calve_local_store(), f.table);
  table_fixture_close(&f);
}

static void test_two_processes_append_to_a_filesystem_table(void **state) {
  (void)state;
  check_two_processes(false);
}

static void test_two_processes_append_to_a_sql_table(void **state) {
  (void)state;
  check_two_processes(true);
}

/* Rule (B068): a writer that is killed at any moment leaves a table that loads and goes on. */
static void check_killed_writers(bool sql) {
  static const char *const properties[] = {"commit.retry.min-wait-ms", "1", NULL};
  const table_fixture_options options = {.sql = sql, .local = true, .properties = properties};
  table_fixture f;
  calve_error err;
  table_fixture_open(&f, &options);
  calve_table_close(f.table);
  calve_catalog_close(f.catalog);
  size_t before = 0;
  for (int round = 0; round < 8; round++) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(append_many(&f, sql, (char)('a' + round)));
    real_sleep(NULL, 3 + 7 * round);
    kill(child, SIGKILL);
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_ok(fixture_open_catalog(&f, &options, &f.catalog, &err), &err);
    assert_ok(calve_table_load(f.catalog, &f.name, &f.table, &err), &err);
    size_t count = calve_table_metadata(f.table)->snapshot_count;
    assert_true(count >= before);
    char name[32];
    snprintf(name, sizeof name, "after%d", round);
    assert_ok(fixture_append(&f, f.table, name, "DE", 1, &err), &err);
    fixture_entry *entries = calloc(600, sizeof *entries);
    assert_non_null(entries);
    before = count + 1;
    assert_int_equal(fixture_entries(&f, f.table, false, entries, 600), before);
    free(entries);
    fixture_orphans(&f, calve_local_store(), f.table, NULL); /* nothing that it names is gone */
    calve_table_close(f.table);
    calve_catalog_close(f.catalog);
  }
  f.table = NULL;
  f.catalog = NULL;
  table_fixture_close(&f);
}

static void test_killed_writers_harm_nobody(void **state) {
  (void)state;
  check_killed_writers(false);
  check_killed_writers(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_appends_are_retried_on_top_of_other_commits),
      cmocka_unit_test(test_a_retried_merge_loses_no_file),
      cmocka_unit_test(test_of_two_spec_changes_from_one_base_one_is_refused),
      cmocka_unit_test(test_removing_what_another_rewrote_is_refused),
      cmocka_unit_test(test_checks_refuse_rows_that_came_in_between),
      cmocka_unit_test(test_an_overwrite_replaces_what_came_in_between_unless_checked),
      cmocka_unit_test(test_retries_end_by_count),
      cmocka_unit_test(test_a_cancel_between_tries_ends_the_commit),
      cmocka_unit_test(test_a_cancelled_catalog_does_not_try_again),
      cmocka_unit_test(test_what_a_lying_catalog_did_is_found_out),
      cmocka_unit_test(test_two_processes_append_to_a_filesystem_table),
      cmocka_unit_test(test_two_processes_append_to_a_sql_table),
      cmocka_unit_test(test_killed_writers_harm_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
