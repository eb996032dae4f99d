/* SPDX-License-Identifier: Apache-2.0 */
/* Planning tables whose specs and schemas evolved: each manifest by its own spec, each column by
 * its id, what is unknown is kept. */
#include "plan_table.h"

#include "cached_scan.h"

#define EQ(term, value)      "{\"type\":\"eq\",\"term\":\"" term "\",\"value\":" value "}"
#define CMP(op, term, value) "{\"type\":\"" op "\",\"term\":\"" term "\",\"value\":" value "}"
#define UNARY(op, term)      "{\"type\":\"" op "\",\"term\":\"" term "\"}"
#define IN(op, term, values) "{\"type\":\"" op "\",\"term\":\"" term "\",\"values\":[" values "]}"
#define AND(a, b)            "{\"type\":\"and\",\"left\":" a ",\"right\":" b "}"
#define FIELD(id, name, type) \
  "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":\"" type "\"}"
#define PART(source, id, name, transform)                            \
  "{\"source-id\":" #source ",\"field-id\":" #id ",\"name\":\"" name \
  "\",\"transform\":\"" transform "\"}"
#define SPEC(id, fields) "{\"spec-id\":" #id ",\"fields\":[" fields "]}"

/* B015: the source of an old spec's field was dropped; the table stays readable, and the filter
 * prunes by the specs it can be projected to. */
static void test_dropped_source_of_an_old_spec(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "id", "int") "," FIELD(3, "distance", "int"),
             SPEC(0, PART(2, 1000, "trip_bucket", "bucket[8]")) "," SPEC(
                 1, PART(3, 1001, "distance_bucket", "bucket[4]")),
             1);
  FILES(&t, 0, {"old", "[4]"});
  FILES(&t, 1, {"b0", "[0]"}, {"b1", "[1]"}, {"b2", "[2]"}, {"b3", "[3]"});
  table_commit(&t);
  assert_string_equal(planned(&t, NULL), "old b0 b1 b2 b3");
  /* bucket[4](10) = 0. */
  assert_string_equal(planned(&t, EQ("distance", "10")), "old b0");
  assert_string_equal(residuals(&t, EQ("distance", "10")), "old: distance = 10; b0: distance = 10");
  table_close(&t);
}

/* B019: in v1 a removed field stays as void; it proves nothing. */
static void test_void_field_keeps_all(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 1, FIELD(1, "category", "string") "," FIELD(2, "n", "int"),
             SPEC(0, PART(1, 1000, "category", "identity")) "," SPEC(
                 1, PART(1, 1000, "category", "identity") "," PART(2, 1001, "n", "void")),
             1);
  FILES(&t, 0, {"a", "[\"a\"]"});
  FILES(&t, 1, {"b", "[\"b\",null]"});
  table_commit(&t);
  assert_string_equal(planned(&t, EQ("n", "2")), "a b");
  assert_string_equal(planned(&t, UNARY("not-null", "n")), "a b");
  assert_string_equal(planned(&t, EQ("category", "\"b\"")), "b");
  assert_string_equal(planned(&t, NULL), "a b");
  table_close(&t);
}

/* B022: v1 specs without field ids number from 1000 each; each manifest goes by its own. */
static void test_field_ids_reused_by_v1_specs(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 1, FIELD(1, "data", "string"),
             "{\"spec-id\":0,\"fields\":[{\"source-id\":1,\"name\":\"data_bucket\",\"transform\":"
             "\"bucket[4]\"}]},"
             "{\"spec-id\":1,\"fields\":[{\"source-id\":1,\"name\":\"data_bucket\",\"transform\":"
             "\"bucket[10]\"}]}",
             1);
  FILES(&t, 0, {"four0", "[0]"}, {"four2", "[2]"});
  FILES(&t, 1, {"ten0", "[0]"}, {"ten2", "[2]"});
  table_commit(&t);
  assert_string_equal(planned(&t, EQ("data", "\"a\"")), "four2 ten0");
  table_close(&t);
}

/* B023: only a file whose own spec settles the condition loses it. */
static void test_residual_by_the_files_own_spec(void **state) {
  (void)state;
  static const struct {
    const char *transform, *b, *c, *want;
  } rows[] = {
      {"identity", "[\"a\"]", "[\"b\"]", "A: dt = 'a'; B: TRUE *"},
      {"truncate[1]", "[\"a\"]", "[\"b\"]", "A: dt = 'a'; B: dt = 'a'"},
      {"bucket[4]", "[2]", "[3]", "A: dt = 'a'; B: dt = 'a'"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    plan_table t;
    char specs[300];
    snprintf(specs, sizeof specs,
             SPEC(0, "") ",{\"spec-id\":1,\"fields\":[{\"source-id\":1,\"field-id\":1000,"
                         "\"name\":\"dt_part\",\"transform\":\"%s\"}]}",
             rows[i].transform);
    table_open(&t, 2, FIELD(1, "dt", "string") "," FIELD(2, "x", "int"), specs, 1);
    FILES(&t, 0, {"A", "[]"});
    FILES(&t, 1, {"B", rows[i].b}, {"C", rows[i].c});
    table_commit(&t);
    assert_string_equal(residuals(&t, EQ("dt", "\"a\"")), rows[i].want);
    table_close(&t);
  }
}

/* B027: columns are found by id: a renamed source, and a new column under its old name. */
static void test_renamed_source_and_reused_name(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2,
             FIELD(1, "id", "int") "," FIELD(2, "name1", "string") "," FIELD(3, "name", "int"),
             SPEC(0, PART(2, 1000, "name_part", "identity")), 0);
  FILES(&t, 0, {"a", "[\"a\"]"}, {"b", "[\"b\"]"});
  table_commit(&t);
  assert_string_equal(planned(&t, EQ("name1", "\"a\"")), "a");
  assert_string_equal(planned(&t, EQ("name", "7")), "a b");
  table_close(&t);
}

/* B033: null partition values are values. Iceberg's `!=` and NOT IN hold for null. */
static void test_null_partition_values(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "dt", "string"), SPEC(0, PART(1, 1000, "dt", "identity")), 0);
  FILES(&t, 0, {"n1", "[null]"}, {"a", "[\"a\"]"}, {"n2", "[null]"}, {"b", "[\"b\"]"});
  table_commit(&t);
  assert_string_equal(planned(&t, NULL), "n1 a n2 b");
  assert_string_equal(planned(&t, UNARY("is-null", "dt")), "n1 n2");
  assert_string_equal(planned(&t, EQ("dt", "\"b\"")), "b");
  assert_string_equal(planned(&t, CMP("not-eq", "dt", "\"a\"")), "n1 n2 b");
  assert_string_equal(planned(&t, IN("not-in", "dt", "\"a\"")), "n1 n2 b");
  const calve_manifest_file *m = CALVE_ITEMS(&t.manifests, calve_manifest_file);
  assert_true(m->partitions[0].contains_null);
  assert_true(calve_str_equal_text(m->partitions[0].lower, "a"));
  assert_true(calve_str_equal_text(m->partitions[0].upper, "b"));
  table_close(&t);
}

/* B053: long IN lists prune as short ones do; a list that straddles the bounds prunes too. */
static void test_long_in_lists(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "id", "long"), SPEC(0, ""), 0);
  file_row rows[20];
  char paths[20][8];
  memset(rows, 0, sizeof rows);
  for (int i = 0; i < 20; i++) {
    snprintf(paths[i], sizeof paths[i], "f%d", i);
    rows[i] = (file_row){.path = paths[i], .bounds_id = 1, .lower = i * 10, .upper = i * 10 + 9};
  }
  table_manifest(&t, 0, CALVE_MANIFEST_DATA, 9, rows, 20);
  table_commit(&t);
  static const size_t sizes[] = {200, 201, 100000};
  for (size_t s = 0; s < ARRAY_COUNT(sizes); s++) {
    calve_buffer b;
    calve_buffer_init(&b, NULL);
    calve_buffer_puts(&b, "{\"type\":\"in\",\"term\":\"id\",\"values\":[15");
    for (size_t i = 1; i < sizes[s]; i++) calve_buffer_printf(&b, ",%zu", 10 + i % 10);
    calve_buffer_puts(&b, "]}");
    assert_string_equal(planned(&t, calve_buffer_cstr(&b)), "f1");
    calve_buffer_free(&b);
  }
  assert_string_equal(planned(&t, IN("in", "id", "9,100000")), "f0");
  assert_string_equal(planned(&t, IN("in", "id", "")), "");
  table_close(&t);
}

/* B066: statistics of dropped columns, and of a name that came back under another id. */
static void test_metrics_go_by_id(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "id", "long") "," FIELD(4, "x", "long"), SPEC(0, ""), 0);
  FILES(&t, 0, {"old", .bounds_id = 2, .lower = 1, .upper = 5},
        {"new", .bounds_id = 4, .lower = 1, .upper = 5}, {"none"});
  table_commit(&t);
  assert_string_equal(planned(&t, EQ("x", "9")), "old none");
  assert_string_equal(planned(&t, EQ("x", "3")), "old new none");
  assert_string_equal(residuals(&t, CMP("lt", "x", "6")), "old: x < 6; new: x < 6 *; none: x < 6");
  table_close(&t);
}

/* Old versions of Java imported Avro files with -1 records: such a file is kept whatever is asked,
 * meets nothing wholly, and adds nothing to sums. */
static void test_uncounted_rows_are_kept(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "p", "int") "," FIELD(2, "x", "long"),
             SPEC(0, PART(1, 1000, "p", "identity")), 0);
  FILES(&t, 0, {"a", "[1]", .record_count = -1, .sequence_number = 3},
        {"b", "[1]", .record_count = 5, .bounds_id = 2, .lower = 1, .upper = 4});
  table_commit(&t);
  assert_string_equal(planned(&t, EQ("x", "7")), "a");
  assert_string_equal(planned(&t, EQ("p", "2")), "");
  assert_string_equal(residuals(&t, CMP("lt", "x", "7")), "a: x < 7; b: x < 7 *");
  calve_scan_params p = {.metadata = t.metadata, .store = t.store};
  calve_scan *scan = NULL;
  const calve_scan_task *tasks;
  size_t count;
  assert_ok(calve_scan_open(&p, &scan, &t.err), &t.err);
  do assert_ok(calve_scan_next(scan, &tasks, &count, &t.err), &t.err);
  while (count > 0);
  assert_int_equal(calve_scan_get_report(scan)->all.files_kept, 2);
  assert_int_equal(calve_scan_get_report(scan)->all.rows_kept, 5);
  assert_int_equal(calve_scan_get_report(scan)->all.rows_total, 5);
  calve_scan_close(scan);
  assert_same_in_memory(&p);
  table_close(&t);
}

/* A spec that the metadata lacks: its manifests say what they are, and nothing is pruned. */
static void test_unknown_spec_is_kept(void **state) {
  (void)state;
  plan_table t, other;
  table_open(&t, 2, FIELD(1, "dt", "string"), SPEC(0, PART(1, 1000, "dt", "identity")), 0);
  table_open(&other, 2, FIELD(1, "dt", "string"), SPEC(7, PART(1, 1005, "dt", "identity")), 7);
  FILES(&t, 0, {"a", "[\"a\"]"});
  FILES(&other, 7, {"seven", "[\"b\"]"});
  calve_manifest_file foreign = CALVE_ITEMS(&other.manifests, calve_manifest_file)[0];
  calve_str bytes;
  assert_ok(calve_store_read(other.store, foreign.path, 1 << 20, &t.arena, &bytes, &t.err), &t.err);
  foreign.path = CALVE_STR("/t/foreign.avro");
  assert_ok(calve_store_create(t.store, foreign.path, bytes, &t.err), &t.err);
  calve_buffer_put(&t.manifests, &foreign, sizeof foreign);
  table_commit(&t);
  assert_string_equal(planned(&t, EQ("dt", "\"a\"")), "a seven");
  assert_string_equal(residuals(&t, EQ("dt", "\"a\"")), "a: TRUE *; seven: dt = 'a'");
  table_close(&other);
  table_close(&t);
}

/* B065: a selective scan opens one manifest; manifests of DELETED entries are never opened. */
static void test_only_needed_manifests_are_opened(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "p", "int"), SPEC(0, PART(1, 1000, "p", "identity")), 0);
  for (int p = 0; p < 40; p++) {
    char partition[16], a[16], b[16];
    snprintf(partition, sizeof partition, "[%d]", p);
    snprintf(a, sizeof a, "a%d", p);
    snprintf(b, sizeof b, "b%d", p);
    FILES(&t, 0, {a, partition, .record_count = 3}, {b, partition});
  }
  for (int i = 0; i < 5; i++) {
    FILES(&t, 0, {"gone", "[17]", .sequence_number = 3, .status = CALVE_ENTRY_DELETED});
  }
  table_commit(&t);
  calve_scan_params p = scan_params(&t, EQ("p", "17"));
  calve_scan *scan = NULL;
  assert_ok(calve_scan_open(&p, &scan, &t.err), &t.err);
  const calve_scan_task *tasks;
  size_t count, total = 0;
  do {
    assert_ok(calve_scan_next(scan, &tasks, &count, &t.err), &t.err);
    total += count;
  } while (count > 0);
  const calve_scan_report *r = calve_scan_get_report(scan);
  assert_int_equal(total, 2);
  assert_int_equal(r->spec_count, 1);
  assert_int_equal(r->all.manifests_total, 45);
  assert_int_equal(r->all.manifests_opened, 1);
  assert_int_equal(r->all.manifests_skipped_partition, 39);
  assert_int_equal(r->all.manifests_skipped_empty, 5);
  assert_int_equal(r->all.files_total, 80);
  assert_int_equal(r->all.files_in_skipped_manifests, 78);
  assert_int_equal(r->all.files_kept, 2);
  assert_int_equal(r->all.rows_kept, 4);
  assert_int_equal(r->all.bytes_kept, 2000);
  assert_int_equal(r->all.files_matching_wholly, 2);
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  calve_predicate_print(r->specs[0].projected, &b);
  assert_string_equal(calve_buffer_cstr(&b), "p = 17");
  calve_buffer_free(&b);
  calve_scan_close(scan);
  table_close(&t);
}

/* B058, B059, B062 in a whole plan: deletes by partition, global ones, and those that the filter
 * rules out: by partition, and by statistics of the columns that equality goes by, not of others.
 */
static void test_deletes_are_attached(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "p", "int") "," FIELD(2, "x", "long") "," FIELD(3, "y", "long"),
             SPEC(0, PART(1, 1000, "p", "identity")) "," SPEC(1, ""), 0);
  FILES(&t, 0, {"old1", "[1]", .sequence_number = 3}, {"new1", "[1]"},
        {"old2", "[2]", .sequence_number = 3});
  DELETES(&t, 0,
          {"part1", "[1]", .content = CALVE_CONTENT_EQUALITY_DELETES, .equality_id = 2,
           .sequence_number = 5, .bounds_id = 2, .lower = 7, .upper = 9},
          {"pos1", "[1]", .content = CALVE_CONTENT_POSITION_DELETES, .path_lower = "new1",
           .path_upper = "new1"});
  DELETES(&t, 1,
          {"all", "[]", .content = CALVE_CONTENT_EQUALITY_DELETES, .equality_id = 2,
           .sequence_number = 6, .bounds_id = 3, .lower = 7, .upper = 9});
  table_commit(&t);
  assert_string_equal(planned(&t, NULL), "old1[all,part1] new1[pos1] old2[all]");
  assert_string_equal(planned(&t, EQ("p", "2")), "old2[all]");
  assert_string_equal(planned(&t, EQ("x", "5")), "old1[all] new1[pos1] old2[all]");
  /* `y` is a column of the delete file, but its rows may differ there from those they delete. */
  assert_string_equal(planned(&t, EQ("y", "5")), "old1[all,part1] new1[pos1] old2[all]");
  table_close(&t);
}

/* A filter that is false opens nothing at all: not even the list is there. */
static void test_empty_plan_reads_nothing(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "p", "int"), SPEC(0, ""), 0);
  assert_string_equal(planned(&t, "false"), "");
  calve_scan_params p = scan_params(&t, NULL);
  calve_scan *scan = NULL;
  assert_fails(calve_scan_open(&p, &scan, &t.err), CALVE_ENOTFOUND, &t.err);
  assert_message(&t.err, "/t/list.avro");
  assert_null(scan);
  table_close(&t);
}

static void test_unknown_column_suggests_a_name(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "country", "string"), SPEC(0, ""), 0);
  table_commit(&t);
  calve_scan_params p = scan_params(&t, EQ("contry", "\"DE\""));
  calve_scan *scan = NULL;
  assert_fails(calve_scan_open(&p, &scan, &t.err), CALVE_ENOTFOUND, &t.err);
  assert_message(&t.err, "country");
  table_close(&t);
}

/* A damaged manifest ends the plan with its path; the tasks before it were given. */
static void test_damaged_manifest_is_named(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "p", "int"), SPEC(0, ""), 0);
  FILES(&t, 0, {"a"});
  FILES(&t, 0, {"b"});
  table_commit(&t);
  calve_str bytes;
  assert_ok(calve_store_read(t.store, CALVE_STR("/t/m1.avro"), 1 << 20, &t.arena, &bytes, &t.err),
            &t.err);
  bytes.size -= 5;
  assert_ok(calve_store_replace(t.store, CALVE_STR("/t/m1.avro"), bytes, &t.err), &t.err);
  calve_scan_params p = scan_params(&t, NULL);
  calve_scan *scan = NULL;
  assert_ok(calve_scan_open(&p, &scan, &t.err), &t.err);
  const calve_scan_task *tasks;
  size_t count;
  assert_ok(calve_scan_next(scan, &tasks, &count, &t.err), &t.err);
  assert_int_equal(count, 1);
  for (int i = 0; i < 2; i++) {
    assert_fails(calve_scan_next(scan, &tasks, &count, &t.err), CALVE_ECORRUPT, &t.err);
    assert_message(&t.err, "/t/m1.avro");
  }
  calve_scan_close(scan);
  table_close(&t);
}

/* B065 and the law: the same tasks in the same order at 1, 2 and 4 threads, and the same counts. */
static void test_threads_change_nothing(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "p", "int") "," FIELD(2, "x", "long"),
             SPEC(0, PART(1, 1000, "p", "identity")), 0);
  for (int m = 0; m < 30; m++) {
    file_row rows[40];
    char names[40][16];
    memset(rows, 0, sizeof rows);
    for (int i = 0; i < 40; i++) {
      snprintf(names[i], sizeof names[i], "m%d-%d", m, i);
      rows[i] = (file_row){.path = names[i],
                           .partition = m % 2 ? "[1]" : "[2]",
                           .bounds_id = 2,
                           .lower = i,
                           .upper = i + 3};
    }
    table_manifest(&t, 0, CALVE_MANIFEST_DATA, 9, rows, 40);
  }
  DELETES(&t, 0,
          {"eq", "[1]", .content = CALVE_CONTENT_EQUALITY_DELETES, .equality_id = 2,
           .sequence_number = 8});
  table_commit(&t);
  static const char *const filters[] = {NULL, EQ("x", "5"), AND(EQ("p", "1"), EQ("x", "5"))};
  for (size_t f = 0; f < ARRAY_COUNT(filters); f++) {
    const char *alone = planned(&t, filters[f]);
    assert_true(strlen(alone) > 100);
    for (size_t threads = 1; threads <= 4; threads *= 2) {
      calve_thread_pool *pool = NULL;
      assert_ok(calve_thread_pool_make(threads, NULL, &pool, &t.err), &t.err);
      calve_scan_params p = scan_params(&t, filters[f]);
      p.executor = calve_thread_pool_executor(pool);
      assert_string_equal(planned_with(&t, &p), alone);
      calve_thread_pool_free(pool);
    }
  }
  table_close(&t);
}

static void test_cancelled_scan_ends(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "p", "int"), SPEC(0, ""), 0);
  FILES(&t, 0, {"a"});
  table_commit(&t);
  calve_cancel cancel = {0};
  calve_scan_params p = scan_params(&t, NULL);
  p.cancel = &cancel;
  calve_scan *scan = NULL;
  assert_ok(calve_scan_open(&p, &scan, &t.err), &t.err);
  calve_cancel_set(&cancel);
  const calve_scan_task *tasks;
  size_t count;
  assert_fails(calve_scan_next(scan, &tasks, &count, &t.err), CALVE_ECANCELLED, &t.err);
  calve_scan_close(scan);
  table_close(&t);
}

/* Metrics come when they are asked for, also those of other columns than the filter's. */
static void test_metrics_as_asked(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "x", "long") "," FIELD(2, "y", "long"), SPEC(0, ""), 0);
  FILES(&t, 0, {"a", .bounds_id = 2, .lower = 1, .upper = 5});
  table_commit(&t);
  for (int asked = 0; asked < 3; asked++) {
    static const int32_t ids[] = {2};
    calve_scan_params p = scan_params(&t, EQ("x", "3"));
    if (asked > 0) p.columns = CALVE_COLUMNS_METRICS;
    if (asked > 1) p.metric_ids = ids, p.metric_id_count = 1;
    calve_scan *scan = NULL;
    assert_ok(calve_scan_open(&p, &scan, &t.err), &t.err);
    const calve_scan_task *tasks;
    size_t count;
    assert_ok(calve_scan_next(scan, &tasks, &count, &t.err), &t.err);
    assert_int_equal(count, 1);
    const int64_t *values = calve_id_i64_find(&tasks[0].file.value_counts, 2);
    assert_int_equal(values != NULL, asked > 0);
    assert_int_equal(tasks[0].file.lower_bounds.count, asked > 0);
    calve_scan_close(scan);
  }
  table_close(&t);
}

static void test_why_a_file_is_read_or_not(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "p", "int") "," FIELD(2, "x", "long"),
             SPEC(0, PART(1, 1000, "p", "identity")), 0);
  FILES(&t, 0, {"/t/a", "[1]", .bounds_id = 2, .lower = 1, .upper = 5},
        {"/t/b", "[1]", .bounds_id = 2, .lower = 7, .upper = 9}, {"/t/c", "[2]"});
  FILES(&t, 0, {"/t/d", "[8]"},
        {"/t/e", "[1]", .sequence_number = 2, .status = CALVE_ENTRY_DELETED});
  table_commit(&t);
  static const struct {
    const char *path;
    calve_scan_verdict verdict;
    const char *because;
  } rows[] = {
      {"/t/a", CALVE_VERDICT_KEPT, ""},           {"file:/t/b", CALVE_VERDICT_METRICS, "x = 3"},
      {"/t/c", CALVE_VERDICT_PARTITION, "p = 1"}, {"/t/d", CALVE_VERDICT_PARTITION, "p = 1"},
      {"/t/e", CALVE_VERDICT_DELETED, ""},        {"/t/f", CALVE_VERDICT_NOT_FOUND, ""}};
  calve_scan_params p = scan_params(&t, AND(EQ("p", "1"), EQ("x", "3")));
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_scan_why why;
    assert_ok(calve_scan_explain_file(&p, calve_str_of(rows[i].path), &t.arena, &why, &t.err),
              &t.err);
    assert_int_equal(why.verdict, rows[i].verdict);
    calve_buffer b;
    calve_buffer_init(&b, NULL);
    if (why.verdict != CALVE_VERDICT_NOT_FOUND && why.because)
      calve_predicate_print(why.because, &b);
    assert_string_equal(calve_buffer_cstr(&b), rows[i].because);
    calve_buffer_free(&b);
  }
  table_close(&t);
}

/* Every allocation of a scan fails once: an error, nothing leaked. */
static void test_scan_survives_every_oom(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "p", "int") "," FIELD(2, "x", "long"),
             SPEC(0, PART(1, 1000, "p", "identity")), 0);
  FILES(&t, 0, {"a", "[1]", .bounds_id = 2, .lower = 1, .upper = 5}, {"b", "[2]"});
  DELETES(&t, 0, {"eq", "[1]", .content = CALVE_CONTENT_EQUALITY_DELETES, .equality_id = 2});
  table_commit(&t);
  failing_allocator mem;
  long needed = -1;
  for (long n = 0; n < 5000 && needed < 0; n++) {
    failing_allocator_init(&mem, n);
    calve_scan_params p = scan_params(&t, EQ("p", "1"));
    p.allocator = &mem.allocator;
    calve_scan *scan = NULL;
    calve_status status = calve_scan_open(&p, &scan, &t.err);
    size_t count = 1;
    while (status == CALVE_OK && count > 0) {
      const calve_scan_task *tasks;
      status = calve_scan_next(scan, &tasks, &count, &t.err);
    }
    calve_scan_close(scan);
    assert_int_equal(mem.live_bytes, 0);
    if (status == CALVE_OK)
      needed = n;
    else
      assert_int_equal(status, CALVE_ENOMEM);
  }
  assert_true(needed > 20);
  table_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dropped_source_of_an_old_spec),
      cmocka_unit_test(test_void_field_keeps_all),
      cmocka_unit_test(test_field_ids_reused_by_v1_specs),
      cmocka_unit_test(test_residual_by_the_files_own_spec),
      cmocka_unit_test(test_renamed_source_and_reused_name),
      cmocka_unit_test(test_null_partition_values),
      cmocka_unit_test(test_long_in_lists),
      cmocka_unit_test(test_metrics_go_by_id),
      cmocka_unit_test(test_uncounted_rows_are_kept),
      cmocka_unit_test(test_unknown_spec_is_kept),
      cmocka_unit_test(test_only_needed_manifests_are_opened),
      cmocka_unit_test(test_deletes_are_attached),
      cmocka_unit_test(test_empty_plan_reads_nothing),
      cmocka_unit_test(test_unknown_column_suggests_a_name),
      cmocka_unit_test(test_damaged_manifest_is_named),
      cmocka_unit_test(test_threads_change_nothing),
      cmocka_unit_test(test_cancelled_scan_ends),
      cmocka_unit_test(test_metrics_as_asked),
      cmocka_unit_test(test_why_a_file_is_read_or_not),
      cmocka_unit_test(test_scan_survives_every_oom),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
