/* SPDX-License-Identifier: Apache-2.0 */
/* Planning through the public functions, with nothing but calve.h. */
#include "harness.h"

static const char schema[] =
    "{\"type\":\"struct\",\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\"},"
    "{\"id\":2,\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"}]}";

typedef struct fixture {
  char folder[256], path[300];
  calve_catalog *catalog;
  calve_table *table;
  calve_error err;
} fixture;

static void add(fixture *f, const char *name, const char *values, int64_t lower, int64_t upper) {
  calve_commit *c = NULL;
  snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
  const calve_column_stats stats = {.struct_size = sizeof stats,
                                    .field_id = 1,
                                    .size_bytes = 80,
                                    .value_count = 10,
                                    .null_count = 0,
                                    .nan_count = -1,
                                    .lower = {(const char *)&lower, 8},
                                    .upper = {(const char *)&upper, 8}};
  const calve_file_record record = {.struct_size = sizeof record,
                                    .path = f->path,
                                    .record_count = 10,
                                    .file_size_bytes = 999,
                                    .spec_id = -1,
                                    .values_json = values,
                                    .sort_order_id = -1,
                                    .columns = &stats,
                                    .column_count = 1};
  assert_ok(calve_commit_begin(f->table, &c, &f->err), &f->err);
  assert_ok(calve_commit_add_file(c, &record, &f->err), &f->err);
  assert_ok(calve_commit_run(c, &f->err), &f->err);
  calve_commit_free(c);
}

/* Two files of March under months, one of April under days. */
static void open_fixture(fixture *f) {
  make_temp_dir(f->folder);
  const calve_setting properties[] = {{"warehouse", f->folder}};
  const calve_catalog_config config = {
      .struct_size = sizeof config, .properties = properties, .property_count = 1};
  assert_ok(calve_catalog_open(&config, &f->catalog, &f->err), &f->err);
  assert_ok(calve_namespace_create(f->catalog, "db", NULL, 0, &f->err), &f->err);
  const calve_table_config table = {
      .struct_size = sizeof table, .schema_json = schema, .partitioned_by = "months(ts)"};
  assert_ok(calve_table_make(f->catalog, "db.t", &table, &f->table, &f->err), &f->err);
  add(f, "a", "{\"ts\":\"2026-03-01T00:00:00\"}", 1, 9);
  add(f, "b", "{\"ts\":\"2026-03-20T00:00:00\"}", 10, 19);
  calve_evolution *e = NULL;
  assert_ok(calve_evolution_begin(f->table, &e, &f->err), &f->err);
  assert_ok(calve_evolution_replace_partition(e, "ts_month", "days(ts)", NULL, &f->err), &f->err);
  assert_ok(calve_evolution_run(e, &f->err), &f->err);
  calve_evolution_free(e);
  add(f, "c", "{\"ts\":\"2026-04-02T00:00:00\"}", 20, 29);
}

static void close_fixture(fixture *f) {
  calve_table_free(f->table);
  calve_catalog_free(f->catalog);
  remove_temp_dir(f->folder);
}

/* "name(partition; residual)" of the planned files. */
static void expect_one_plan(fixture *f, const calve_plan_config *config, const char *want) {
  calve_plan *plan = NULL;
  assert_ok(calve_plan_open(f->table, config, &plan, &f->err), &f->err);
  char got[600] = "";
  for (;;) {
    calve_plan_batch batch;
    assert_ok(calve_plan_next(plan, &batch, &f->err), &f->err);
    if (batch.count == 0) break;
    for (size_t i = 0; i < batch.count; i++) {
      const calve_plan_task *t = CALVE_PLAN_TASK(&batch, i);
      calve_str partition, residual;
      assert_ok(calve_plan_task_partition(plan, t, false, &partition, &f->err), &f->err);
      assert_ok(calve_plan_task_residual(plan, t, &residual, &f->err), &f->err);
      assert_int_equal(t->record_count, 10);
      assert_int_equal(t->file_size_bytes, 999);
      assert_int_equal(t->delete_count, 0);
      snprintf(got + strlen(got), sizeof got - strlen(got), "%s%c(%.*s; %.*s)%s", got[0] ? " " : "",
               t->path.data[t->path.size - 1], (int)partition.size, partition.data,
               (int)residual.size, residual.data, t->matches_wholly ? "*" : "");
    }
  }
  assert_string_equal(got, want);
  calve_plan_free(plan);
}

/* The same without a cache, with an empty one and with a warm one. */
static void expect_plan(fixture *f, const calve_plan_config *config, const char *want) {
  const calve_cache_config memory = {.struct_size = sizeof memory};
  calve_plan_config cached = {.struct_size = sizeof cached};
  if (config) cached = *config;
  expect_one_plan(f, config, want);
  assert_ok(calve_cache_open(&memory, &cached.cache, &f->err), &f->err);
  expect_one_plan(f, &cached, want);
  calve_cache_counts empty = {.struct_size = sizeof empty}, warm = empty;
  assert_ok(calve_cache_get_counts(cached.cache, &empty, &f->err), &f->err);
  expect_one_plan(f, &cached, want);
  assert_ok(calve_cache_get_counts(cached.cache, &warm, &f->err), &f->err);
  assert_int_equal(empty.hits, 0);
  if (!cached.row_limit) { /* threads may be ahead of where a limit ends a plan                  */
    assert_int_equal(warm.hits, empty.misses);
    assert_int_equal(warm.misses, empty.misses);
  }
  calve_cache_free(cached.cache);
}

static void test_plans_of_both_generations(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  expect_plan(&f, NULL,
              "c(ts_day=2026-04-02; TRUE)* b(ts_month=2026-03; TRUE)* a(ts_month=2026-03; TRUE)*");
  static const struct {
    const char *where, *want;
  } rows[] = {
      {"id = 12", "b(ts_month=2026-03; id = 12)"},
      {"ts >= TIMESTAMP '2026-04-01 00:00:00'", "c(ts_day=2026-04-02; TRUE)*"},
      {"id < 20 AND ts < TIMESTAMP '2026-04-01 00:00:00'",
       "b(ts_month=2026-03; id < 20)* a(ts_month=2026-03; id < 20)*"},
      {"1 = 2", ""},
      /* No file is sure to meet what only an engine can tell, whatever the rest says. */
      {"abs(id) = 25",
       "c(ts_day=2026-04-02; TRUE) b(ts_month=2026-03; TRUE) "
       "a(ts_month=2026-03; TRUE)"},
      {"id >= 20 AND abs(id) = 25", "c(ts_day=2026-04-02; id >= 20)"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_plan_config config = {.struct_size = sizeof config, .where = rows[i].where};
    expect_plan(&f, &config, rows[i].want);
  }
  const calve_plan_config json = {.struct_size = sizeof json,
                                  .filter_json = "{\"type\":\"eq\",\"term\":\"ID\",\"value\":25}",
                                  .case_insensitive = true};
  expect_plan(&f, &json, "c(ts_day=2026-04-02; id = 25)");
  close_fixture(&f);
}

static void test_statistics_counts_and_reasons(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  const calve_plan_config config = {
      .struct_size = sizeof config, .where = "id = 12", .with_stats = true};
  calve_plan *plan = NULL;
  assert_ok(calve_plan_open(f.table, &config, &plan, &f.err), &f.err);
  calve_plan_batch batch;
  assert_ok(calve_plan_next(plan, &batch, &f.err), &f.err);
  assert_int_equal(batch.count, 1);
  calve_column_stats stats = CALVE_COLUMN_STATS_INIT;
  const calve_plan_task *task = CALVE_PLAN_TASK(&batch, 0);
  assert_ok(calve_plan_task_stats(task, 1, &stats, &f.err), &f.err);
  assert_int_equal(stats.size_bytes, 80);
  assert_int_equal(stats.value_count, 10);
  assert_int_equal(stats.nan_count, -1);
  assert_int_equal(stats.upper.size, 8);
  assert_int_equal(stats.upper.data[0], 19);
  assert_ok(calve_plan_task_stats(task, 2, &stats, &f.err), &f.err);
  assert_int_equal(stats.value_count, -1);
  assert_null(stats.lower.data);
  stats.struct_size = 8;
  assert_fails(calve_plan_task_stats(task, 1, &stats, &f.err), CALVE_EINVAL, &f.err);
  calve_plan_delete none = {.struct_size = sizeof none};
  assert_fails(calve_plan_task_delete(task, 0, &none, &f.err), CALVE_EINVAL, &f.err);
  /* With statistics the path has no NUL behind it. */
  snprintf(f.path, sizeof f.path, "%s/b has 0 delete files", f.folder);
  assert_message(&f.err, f.path);
  assert_string_equal(f.err.where, "");
  while (batch.count > 0) assert_ok(calve_plan_next(plan, &batch, &f.err), &f.err);

  calve_plan_counts counts = {.struct_size = sizeof counts};
  assert_ok(calve_plan_get_counts(plan, &counts, &f.err), &f.err);
  assert_int_equal(counts.files_total, 3);
  assert_int_equal(counts.files_kept, 1);
  assert_int_equal(counts.files_skipped_by_stats, 2);
  calve_str text;
  assert_ok(calve_plan_explain(plan, false, &text, &f.err), &f.err);
  assert_non_null(strstr(text.data, "filter: id = 12"));
  assert_ok(calve_plan_explain(plan, true, &text, &f.err), &f.err);
  assert_non_null(strstr(text.data, "\"files-kept\": 1"));
  snprintf(f.path, sizeof f.path, "%s/a", f.folder);
  assert_ok(calve_plan_why(plan, f.path, false, &text, &f.err), &f.err);
  assert_non_null(strstr(text.data, "bounds 1 to 9"));
  calve_plan_free(plan);
  close_fixture(&f);
}

static void test_what_is_not_used_is_told(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  calve_plan_config config = {.struct_size = sizeof config,
                              .where = "ID = 12 AND (foo(id) = 1 OR ts > now())"};
  calve_plan *plan;
  calve_str text;
  assert_ok(calve_plan_open(f.table, &config, &plan, &f.err), &f.err);
  assert_int_equal(calve_plan_unused(plan, 0).size, strlen("foo(id) = 1"));
  assert_memory_equal(calve_plan_unused(plan, 1).data, "ts > now()", strlen("ts > now()"));
  assert_null(calve_plan_unused(plan, 2).data);
  assert_ok(calve_plan_explain(plan, false, &text, &f.err), &f.err);
  assert_non_null(strstr(text.data, "filter: id = 12\n  not used for planning: foo(id) = 1\n"));
  assert_ok(calve_plan_explain(plan, true, &text, &f.err), &f.err);
  assert_non_null(strstr(text.data, "\"not-used-for-planning\": [\n    \"foo(id) = 1\""));
  calve_plan_free(plan);
  /* a column that is named only there must exist all the same */
  config.where = "foo(idd) = 1";
  assert_fails(calve_plan_open(f.table, &config, &plan, &f.err), CALVE_ENOTFOUND, &f.err);
  assert_message(&f.err, "did you mean 'id'");
  close_fixture(&f);
}

static void test_states_of_the_past(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  char id[24];
  snprintf(id, sizeof id, "%lld", (long long)calve_table_snapshot_id(f.table));
  add(&f, "d", "{\"ts\":\"2026-05-01T00:00:00\"}", 1, 2);
  const calve_plan_config by_id = {
      .struct_size = sizeof by_id, .snapshot = id, .where = "ts IS NOT NULL AND id > 15"};
  expect_plan(&f, &by_id, "c(ts_day=2026-04-02; id > 15)* b(ts_month=2026-03; id > 15)");
  const calve_plan_config by_ref = {
      .struct_size = sizeof by_ref, .snapshot = "main", .where = "id < 3"};
  expect_plan(&f, &by_ref, "d(ts_day=2026-05-01; id < 3)* a(ts_month=2026-03; id < 3)");
  static const char *const later[] = {"2199-01-01", "2199-01-01 00:00", "2199-01-01T00:00:00.5Z"};
  for (size_t i = 0; i < ARRAY_COUNT(later); i++) {
    const calve_plan_config by_time = {
        .struct_size = sizeof by_time, .timestamp = later[i], .where = "id < 3"};
    expect_plan(&f, &by_time, "d(ts_day=2026-05-01; id < 3)* a(ts_month=2026-03; id < 3)");
  }
  const calve_plan_config by_name = {
      .struct_size = sizeof by_name, .ref = "main", .where = "id < 3"};
  expect_plan(&f, &by_name, "d(ts_day=2026-05-01; id < 3)* a(ts_month=2026-03; id < 3)");
  close_fixture(&f);
}

static void remove_file(fixture *f, const char *name) {
  calve_commit *c = NULL;
  snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
  assert_ok(calve_commit_begin(f->table, &c, &f->err), &f->err);
  assert_ok(calve_commit_remove_file(c, f->path, &f->err), &f->err);
  assert_ok(calve_commit_run(c, &f->err), &f->err);
  calve_commit_free(c);
}

/* Which files appends between two snapshots added, as Java's IncrementalAppendScan has it: the
 * start is not among them, other commits are passed over, what was deleted later is still there. */
static void test_appends_between_snapshots(void **state) {
  (void)state;
  fixture f;
  char ids[6][24];
  open_fixture(&f); /* a, b, c */
  snprintf(ids[0], sizeof ids[0], "%lld", (long long)calve_table_snapshot_id(f.table));
  add(&f, "d", "{\"ts\":\"2026-05-01T00:00:00\"}", 30, 39);
  snprintf(ids[1], sizeof ids[1], "%lld", (long long)calve_table_snapshot_id(f.table));
  remove_file(&f, "d");
  snprintf(ids[2], sizeof ids[2], "%lld", (long long)calve_table_snapshot_id(f.table));
  add(&f, "e", "{\"ts\":\"2026-04-02T00:00:00\"}", 40, 49);
  snprintf(ids[3], sizeof ids[3], "%lld", (long long)calve_table_snapshot_id(f.table));
  const struct {
    const char *from, *to, *where, *want;
  } rows[] = {
      {NULL, NULL, NULL,
       "a(ts_month=2026-03; TRUE)* b(ts_month=2026-03; TRUE)* c(ts_day=2026-04-02; TRUE)* "
       "d(ts_day=2026-05-01; TRUE)* e(ts_day=2026-04-02; TRUE)*"},
      {ids[0], NULL, NULL, "d(ts_day=2026-05-01; TRUE)* e(ts_day=2026-04-02; TRUE)*"},
      {ids[0], ids[1], NULL, "d(ts_day=2026-05-01; TRUE)*"},
      {ids[1], ids[2], NULL, ""}, /* a delete adds nothing */
      {ids[1], "main", NULL, "e(ts_day=2026-04-02; TRUE)*"},
      {ids[2], ids[3], "id < 45", "e(ts_day=2026-04-02; id < 45)"},
      {ids[2], ids[3], "id < 40", ""},
      {ids[0], NULL, "ts < TIMESTAMP '2026-04-03 00:00:00'", "e(ts_day=2026-04-02; TRUE)*"},
      {ids[3], NULL, NULL, ""}, /* nothing since */
      {NULL, ids[0], "id > 15", "b(ts_month=2026-03; id > 15) c(ts_day=2026-04-02; id > 15)*"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_plan_config config = {.struct_size = sizeof config,
                                      .where = rows[i].where,
                                      .snapshot = rows[i].to,
                                      .appends_only = true,
                                      .from_snapshot = rows[i].from};
    expect_plan(&f, &config, rows[i].want);
  }
  const struct {
    const char *from, *to;
    bool appends_only;
    calve_status status;
  } bad[] = {{ids[1], ids[0], true, CALVE_EINVAL},  {"77", NULL, true, CALVE_EINVAL},
             {"main", NULL, true, CALVE_ENOTFOUND}, {"nope", NULL, true, CALVE_ENOTFOUND},
             {ids[0], NULL, false, CALVE_EINVAL},   {ids[0], "nope", true, CALVE_ENOTFOUND}};
  for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
    calve_plan *plan = NULL;
    const calve_plan_config config = {.struct_size = sizeof config,
                                      .snapshot = bad[i].to,
                                      .appends_only = bad[i].appends_only,
                                      .from_snapshot = bad[i].from};
    assert_fails(calve_plan_open(f.table, &config, &plan, &f.err), bad[i].status, &f.err);
  }
  close_fixture(&f);
}

/* A limit of rows ends the plan with the file that makes sure of them, at any number of threads;
 * files that need a look at their rows make sure of none. */
static void test_limit_ends_the_plan(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f); /* ten rows each; the newest manifest comes first: c b a */
  static const struct {
    int64_t limit;
    const char *where, *want;
    int64_t opened;
    bool ended;
  } rows[] = {
      {1, NULL, "c(ts_day=2026-04-02; TRUE)*", 1, true},
      {10, NULL, "c(ts_day=2026-04-02; TRUE)*", 1, true},
      {11, NULL, "c(ts_day=2026-04-02; TRUE)* b(ts_month=2026-03; TRUE)*", 2, true},
      {31, NULL,
       "c(ts_day=2026-04-02; TRUE)* b(ts_month=2026-03; TRUE)* a(ts_month=2026-03; TRUE)*", 3,
       false},
      /* Of c no row is sure; b is whole. */
      {5, "id < 25 AND id >= 10",
       "c(ts_day=2026-04-02; id < 25 AND id >= 10) b(ts_month=2026-03; "
       "id < 25 AND id >= 10)*",
       2, true},
      {5, "id = 25", "c(ts_day=2026-04-02; id = 25)", 3, false},
      {5, "id >= 10 AND abs(id) < 25",
       "c(ts_day=2026-04-02; id >= 10) b(ts_month=2026-03; id >= 10)", 3, false},
  };
  for (size_t threads = 0; threads < 4; threads++) {
    calve_thread_pool *pool = NULL;
    if (threads > 0) assert_ok(calve_thread_pool_make(threads, NULL, &pool, &f.err), &f.err);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      const calve_plan_config config = {.struct_size = sizeof config,
                                        .where = rows[i].where,
                                        .executor = pool ? calve_thread_pool_executor(pool) : NULL,
                                        .row_limit = rows[i].limit};
      expect_plan(&f, &config, rows[i].want);
      calve_plan *plan = NULL;
      calve_plan_batch batch;
      calve_plan_counts counts = {.struct_size = sizeof counts};
      calve_str text;
      assert_ok(calve_plan_open(f.table, &config, &plan, &f.err), &f.err);
      do assert_ok(calve_plan_next(plan, &batch, &f.err), &f.err);
      while (batch.count > 0);
      assert_ok(calve_plan_get_counts(plan, &counts, &f.err), &f.err);
      assert_int_equal(counts.manifests_opened, rows[i].opened);
      assert_ok(calve_plan_explain(plan, false, &text, &f.err), &f.err);
      assert_int_equal(strstr(text.data, "ended by the limit") != NULL, rows[i].ended);
      calve_plan_free(plan);
    }
    calve_thread_pool_free(pool);
  }
  close_fixture(&f);
}

typedef struct groups {
  calve_plan *plan;
  char text[300];
  int count, stop_after;
} groups;

/* "c@0+400 | c@400+400 …" */
static bool note_group(void *ctx, const calve_plan_piece *pieces, size_t count) {
  groups *g = ctx;
  calve_error err;
  for (size_t i = 0; i < count; i++) {
    const calve_plan_task *t = pieces[i].task;
    calve_str partition, residual;
    assert_ok(calve_plan_task_partition(g->plan, t, false, &partition, &err), &err);
    assert_ok(calve_plan_task_residual(g->plan, t, &residual, &err), &err);
    assert_true(partition.size > 0);
    /* What months settle is left out; April is on days. */
    const char *want = t->path.data[t->path.size - 1] == 'c'
                           ? "id >= 5 AND id < 25 AND ts < '2026-04-02T12:00:00'"
                           : "id >= 5 AND id < 25";
    assert_string_equal(residual.data, want);
    size_t used = strlen(g->text);
    snprintf(g->text + used, sizeof g->text - used, "%s%c@%d+%d",
             i > 0          ? " "
             : g->count > 0 ? " | "
                            : "",
             t->path.data[t->path.size - 1], (int)pieces[i].offset_bytes,
             (int)pieces[i].length_bytes);
  }
  return ++g->count != g->stop_after;
}

static void test_groups_of_about_equal_work(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f); /* 999 bytes each */
  static const struct {
    int64_t target, open_cost;
    int stop_after;
    const char *want;
  } rows[] = {
      {0, 0, 0, "c@0+999 b@0+999 a@0+999"}, /* 128 MiB */
      {1000, 1, 0, "c@0+999 | b@0+999 | a@0+999"},
      {600, 1, 0, "c@0+600 | c@600+399 | b@0+600 | b@600+399 | a@0+600 | a@600+399"},
      {800, 1, 0, "c@0+800 | c@800+199 b@800+199 a@800+199 | b@0+800 | a@0+800"},
      {2000, 1, 0, "c@0+999 b@0+999 | a@0+999"},
      {2000, 1500, 0, "c@0+999 | b@0+999 | a@0+999"},
      {1000, 1, 2, "c@0+999 | b@0+999"},
  };
  const calve_plan_config config = {
      .struct_size = sizeof config,
      .where = "id >= 5 AND id < 25 AND ts >= '2026-03-01' AND ts < '2026-04-02T12:00:00'"};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    groups g = {.stop_after = rows[i].stop_after};
    const calve_group_config how = {.struct_size = sizeof how,
                                    .target_bytes = rows[i].target,
                                    .open_cost_bytes = rows[i].open_cost};
    assert_ok(calve_plan_open(f.table, &config, &g.plan, &f.err), &f.err);
    assert_ok(calve_plan_groups(g.plan, &how, note_group, &g, &f.err), &f.err);
    assert_string_equal(g.text, rows[i].want);
    calve_plan_free(g.plan);
  }
  groups g = {0};
  const calve_group_config bad = {.struct_size = sizeof bad, .target_bytes = -1};
  assert_ok(calve_plan_open(f.table, &config, &g.plan, &f.err), &f.err);
  assert_fails(calve_plan_groups(g.plan, &bad, note_group, &g, &f.err), CALVE_EINVAL, &f.err);
  assert_ok(calve_plan_groups(g.plan, NULL, note_group, &g, &f.err), &f.err);
  assert_string_equal(g.text, "c@0+999 b@0+999 a@0+999");
  calve_plan_free(g.plan);
  close_fixture(&f);
}

static void test_mistakes_are_named(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  const struct {
    calve_plan_config config;
    calve_status status;
    const char *message;
  } rows[] = {
      {{.struct_size = 1}, CALVE_EINVAL, "calve_plan_config"},
      {{.struct_size = sizeof(calve_plan_config), .where = "idd = 1"}, CALVE_ENOTFOUND, "id"},
      {{.struct_size = sizeof(calve_plan_config), .where = "id = = 1"}, CALVE_EINVAL, ""},
      {{.struct_size = sizeof(calve_plan_config), .snapshot = "nope"}, CALVE_ENOTFOUND, "nope"},
      {{.struct_size = sizeof(calve_plan_config), .snapshot = "77"}, CALVE_ENOTFOUND, "77"},
      {{.struct_size = sizeof(calve_plan_config), .where = "TRUE", .filter_json = "true"},
       CALVE_EINVAL,
       "not both"},
      {{.struct_size = sizeof(calve_plan_config), .snapshot = "main", .timestamp_ms = 5},
       CALVE_EINVAL,
       "give one"},
      {{.struct_size = sizeof(calve_plan_config), .ref = "main", .timestamp = "2026-03-01"},
       CALVE_EINVAL,
       "give one"},
      {{.struct_size = sizeof(calve_plan_config), .ref = "77"}, CALVE_ENOTFOUND, "tag \"77\""},
      {{.struct_size = sizeof(calve_plan_config), .timestamp = "2026-02-30"},
       CALVE_EINVAL,
       "is no time"},
      {{.struct_size = sizeof(calve_plan_config), .timestamp = "1970-01-01 00:00:00"},
       CALVE_ENOTFOUND,
       "nothing was current then"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_plan *plan = NULL;
    assert_fails(calve_plan_open(f.table, &rows[i].config, &plan, &f.err), rows[i].status, &f.err);
    assert_message(&f.err, rows[i].message);
    assert_null(plan);
  }
  calve_plan_free(NULL);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plans_of_both_generations),
      cmocka_unit_test(test_statistics_counts_and_reasons),
      cmocka_unit_test(test_states_of_the_past),
      cmocka_unit_test(test_what_is_not_used_is_told),
      cmocka_unit_test(test_appends_between_snapshots),
      cmocka_unit_test(test_limit_ends_the_plan),
      cmocka_unit_test(test_groups_of_about_equal_work),
      cmocka_unit_test(test_mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
