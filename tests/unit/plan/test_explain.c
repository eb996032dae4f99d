/* SPDX-License-Identifier: Apache-2.0 */
/* Explaining is the same plan with its counts told; and why a file is read or not. */
#include "plan_table.h"

#include "plan/explain.h"

#define CMP(op, term, value) "{\"type\":\"" op "\",\"term\":\"" term "\",\"value\":" value "}"
#define EQ(term, value)      CMP("eq", term, value)
#define LT(term, value)      CMP("lt", term, value)
#define AND(a, b)            "{\"type\":\"and\",\"left\":" a ",\"right\":" b "}"
#define OR(a, b)             "{\"type\":\"or\",\"left\":" a ",\"right\":" b "}"
#define FIELD(id, name, type) \
  "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":\"" type "\"}"
#define PART(source, id, name, transform)                            \
  "{\"source-id\":" #source ",\"field-id\":" #id ",\"name\":\"" name \
  "\",\"transform\":"                                                \
  "\"" transform "\"}"
#define SPEC(id, fields) "{\"spec-id\":" #id ",\"fields\":[" fields "]}"

static const char schema_fields[] =
    "{\"id\":1,\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"},"
    "{\"id\":2,\"name\":\"x\",\"required\":false,\"type\":\"long\"}";
static const char specs[] =
    "{\"spec-id\":0,\"fields\":[{\"source-id\":1,\"field-id\":1000,\"name\":\"ts_month\","
    "\"transform\":\"month\"}]},"
    "{\"spec-id\":1,\"fields\":[{\"source-id\":1,\"field-id\":1001,\"name\":\"ts_day\","
    "\"transform\":\"day\"}]}";
static const char filter[] =
    "{\"type\":\"and\",\"left\":{\"type\":\"gt-eq\",\"term\":\"ts\",\"value\":"
    "\"2026-03-05T00:00:00\"},\"right\":{\"type\":\"eq\",\"term\":\"x\",\"value\":3}}";

static void fill(plan_table *t) {
  table_open(t, 2, schema_fields, specs, 1);
  FILES(t, 0, {"/t/feb", "[673]"});
  FILES(t, 0, {"/t/mar", "[674]"},
        {"/t/mar7", "[674]", .bounds_id = 2, .lower = 7, .upper = 9, .record_count = 5});
  FILES(t, 1, {"/t/d4", "[\"2026-03-04\"]"}, {"/t/d5", "[\"2026-03-05\"]"});
  table_commit(t);
}

static const char *explained(plan_table *t, bool json) {
  calve_scan_params p = scan_params(t, filter);
  calve_scan *scan = NULL;
  assert_ok(calve_scan_open(&p, &scan, &t->err), &t->err);
  const calve_scan_task *tasks;
  size_t count = 1;
  while (count > 0) assert_ok(calve_scan_next(scan, &tasks, &count, &t->err), &t->err);
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  if (json)
    calve_scan_explain_json(scan, CALVE_STR("db.t"), &b);
  else
    calve_scan_explain_text(scan, CALVE_STR("db.t"), &b);
  const char *text = calve_arena_copy(&t->arena, calve_buffer_cstr(&b), b.size);
  calve_buffer_free(&b);
  calve_scan_close(scan);
  return text;
}

static void test_text_tells_each_spec_in_its_own_terms(void **state) {
  (void)state;
  plan_table t;
  fill(&t);
  assert_string_equal(planned(&t, filter), "/t/mar /t/d5");
  static const char *const parts[] = {
      "db.t: snapshot 100 of 1970-01-01T00:00:00.001+00:00\n",
      "spec 0 [ts_month]: ts_month >= 2026-03\n",
      "    1 of 2 manifests opened, 1 skipped by partition summaries\n",
      "    1 of 3 files kept, 1 skipped with their manifests, 1 skipped by column metrics\n",
      "spec 1 [ts_day]: ts_day >= 2026-03-05\n",
      "    1 of 2 files kept, 1 skipped by partition\n",
      "  all specs\n    2 of 3 manifests opened",
      "    2 of 9 rows to read, 2.0 KiB\n",
  };
  const char *text = explained(&t, false);
  for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
    if (!strstr(text, parts[i])) fail_msg("\"%s\" is not in:\n%s", parts[i], text);
  }
  table_close(&t);
}

static void test_a_time_beyond_the_calendar_is_its_end(void **state) {
  (void)state;
  plan_table t;
  fill(&t);
  calve_snapshot *s = (calve_snapshot *)(uintptr_t)calve_metadata_current_snapshot(t.metadata);
  s->timestamp_ms = INT64_MAX;
  assert_non_null(strstr(explained(&t, false), "snapshot 100 of +294247-01-10T04:00:54.775+00:00"));
  table_close(&t);
}

static void test_json_has_the_same_counts(void **state) {
  (void)state;
  plan_table t;
  fill(&t);
  const calve_json *j = NULL;
  assert_ok(calve_json_parse(calve_str_of(explained(&t, true)), "explain", &t.arena, &j, &t.err),
            &t.err);
  int64_t number = 0;
  assert_true(calve_json_as_i64(calve_json_get(j, "snapshot-id"), &number) && number == 100);
  const calve_json *list = calve_json_get(j, "specs");
  assert_int_equal(list->count, 2);
  assert_true(calve_str_equal_text(calve_json_get(&list->items[1], "projected")->text,
                                   "ts_day >= 2026-03-05"));
  static const struct {
    const char *key;
    int64_t value;
  } rows[] = {{"manifests-total", 3},
              {"manifests-opened", 2},
              {"files-total", 5},
              {"files-kept", 2},
              {"rows-total", 9},
              {"rows-kept", 2},
              {"files-skipped-by-metrics", 1},
              {"files-skipped-by-partition", 1},
              {"files-in-skipped-manifests", 1}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    assert_true(calve_json_as_i64(calve_json_get(calve_json_get(j, "all"), rows[i].key), &number));
    assert_int_equal(number, rows[i].value);
  }
  table_close(&t);
}

static void test_why_names_the_field_and_the_bound(void **state) {
  (void)state;
  static const struct {
    const char *path, *line, *known;
  } rows[] = {
      {"/t/mar", "is read", "known: ts_month=2026-03; "},
      {"/t/mar7", "can't hold: x = 3", "known: x: 5 values, 0 null, bounds 7 to 9"},
      {"/t/feb", "can't hold: ts_month >= 2026-03", "known: ts_month=2026-02"},
      {"/t/d4", "is skipped by its partition", "known: ts_day=2026-03-04"},
      {"/t/nowhere", "is no live file", "nowhere"},
  };
  plan_table t;
  fill(&t);
  calve_scan_params p = scan_params(&t, filter);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_scan_why why;
    calve_buffer b;
    calve_buffer_init(&b, NULL);
    calve_str path = calve_str_of(rows[i].path);
    assert_ok(calve_scan_explain_file(&p, path, &t.arena, &why, &t.err), &t.err);
    calve_scan_why_text(&why, path, t.metadata->schema, &b);
    const char *text = calve_buffer_cstr(&b);
    if (!strstr(text, rows[i].line) || !strstr(text, rows[i].known)) fail_msg("%s", text);
    calve_buffer_clear(&b);
    calve_scan_why_json(&why, path, t.metadata->schema, &b);
    const calve_json *j = NULL;
    assert_ok(calve_json_parse(calve_buffer_view(&b), "why", &t.arena, &j, &t.err), &t.err);
    assert_true(calve_str_equal_text(calve_json_get(j, "verdict")->text,
                                     calve_scan_verdict_name(why.verdict)));
    calve_buffer_free(&b);
  }
  table_close(&t);
}

static const char *why_text(plan_table *t, const calve_scan_params *p, const char *path,
                            calve_buffer *b) {
  calve_scan_why why;
  calve_str file = calve_str_of(path);
  calve_buffer_clear(b);
  assert_ok(calve_scan_explain_file(p, file, &t->arena, &why, &t->err), &t->err);
  calve_scan_why_text(&why, file, t->metadata->schema, b);
  return calve_buffer_cstr(b);
}

/* Of a condition with OR each column is shown; of a kept file too, with what is not known said
 * once; one value is "1 value". */
static void test_why_shows_each_column(void **state) {
  (void)state;
  plan_table t;
  table_open(&t, 2, FIELD(1, "p", "int") "," FIELD(2, "x", "long") "," FIELD(3, "y", "long"),
             SPEC(0, PART(1, 1000, "p", "identity")), 0);
  FILES(&t, 0, {"/t/a", "[1]", .bounds_id = 2, .lower = 1, .upper = 5}, {"/t/b", "[2]"});
  table_commit(&t);
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  calve_scan_params p = scan_params(&t, OR(EQ("x", "7"), EQ("x", "9")));
  assert_non_null(strstr(why_text(&t, &p, "/t/a", &b), "known: x: "));
  assert_non_null(strstr(calve_buffer_cstr(&b), "bounds 1 to 5\n"));
  p = scan_params(&t, OR(EQ("x", "7"), EQ("y", "9")));
  assert_non_null(strstr(why_text(&t, &p, "/t/a", &b), "is read: nothing"));
  assert_non_null(strstr(calve_buffer_cstr(&b), "known: p=1; x: "));
  assert_non_null(strstr(calve_buffer_cstr(&b), "bounds 1 to 5; y: no bounds\n"));
  assert_null(strstr(calve_buffer_cstr(&b), " 1 values"));
  p = scan_params(&t, EQ("p", "1"));
  assert_non_null(strstr(why_text(&t, &p, "/t/a", &b), "is read, and matches wholly"));
  calve_buffer_free(&b);
  table_close(&t);
}

/* A partition is asked for in the form of people or of paths, whole or in part. */
static void test_why_of_a_partition(void **state) {
  (void)state;
  static const struct {
    const char *text, *lines[3];
  } rows[] = {
      {"p=1",
       {"p=1: 3 files", "  1 file is read; 1 matches wholly: /t/a\n",
        "  2 files are skipped by column metrics, such as /t/b\n    can't hold: x < 7\n    known: "
        "x: "}},
      {"p=1/", {"1 file is read", "2 files are skipped by column metrics", "p=1/: 3 files"}},
      {"p=2, q=a b",
       {": 1 file,", "1 file is skipped by its partition: /t/d", "known: p=2, q=a b"}},
      {"p=2/q=a+b", {": 1 file,", "can't hold: p = 1", "is skipped"}},
      {"q=a b", {"4 files", "1 file is read", "1 file is skipped by its partition"}},
      {"p=3", {"0 files", "0 rows", "p=3"}},
  };
  plan_table t;
  table_open(&t, 2, FIELD(1, "p", "int") "," FIELD(2, "x", "long") "," FIELD(3, "q", "string"),
             SPEC(0, PART(1, 1000, "p", "identity") "," PART(3, 1001, "q", "identity")), 0);
  FILES(&t, 0, {"/t/a", "[1,\"a b\"]", .bounds_id = 2, .lower = 1, .upper = 5},
        {"/t/b", "[1,\"a b\"]", .bounds_id = 2, .lower = 8, .upper = 9},
        {"/t/c", "[1,\"a b\"]", .bounds_id = 2, .lower = 8, .upper = 9},
        {"/t/gone", "[1,\"a b\"]", .sequence_number = 2, .status = CALVE_ENTRY_DELETED},
        {"/t/d", "[2,\"a b\"]"});
  table_commit(&t);
  calve_scan_params p = scan_params(&t, AND(EQ("p", "1"), LT("x", "7")));
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_scan_partition_why why;
    calve_buffer b;
    calve_buffer_init(&b, NULL);
    calve_str text = calve_str_of(rows[i].text);
    assert_true(calve_scan_is_partition(t.metadata, text));
    assert_ok(calve_scan_explain_partition(&p, text, &t.arena, &why, &t.err), &t.err);
    calve_scan_partition_text(&why, text, t.metadata->schema, &b);
    for (size_t k = 0; k < 3; k++)
      if (!strstr(calve_buffer_cstr(&b), rows[i].lines[k]))
        fail_msg("%s lacks \"%s\"", calve_buffer_cstr(&b), rows[i].lines[k]);
    calve_buffer_clear(&b);
    calve_scan_partition_json(&why, text, t.metadata->schema, &b);
    const calve_json *j = NULL;
    assert_ok(calve_json_parse(calve_buffer_view(&b), "why", &t.arena, &j, &t.err), &t.err);
    assert_true(calve_str_equal_text(calve_json_get(j, "partition")->text, rows[i].text));
    calve_buffer_free(&b);
  }
  static const char *const files[] = {"r=1", "/t/a", "/t/p=1/x.parquet", "p", "", "=", "p=1/q"};
  for (size_t i = 0; i < ARRAY_COUNT(files); i++)
    assert_false(calve_scan_is_partition(t.metadata, calve_str_of(files[i])));
  table_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text_tells_each_spec_in_its_own_terms),
      cmocka_unit_test(test_a_time_beyond_the_calendar_is_its_end),
      cmocka_unit_test(test_json_has_the_same_counts),
      cmocka_unit_test(test_why_names_the_field_and_the_bound),
      cmocka_unit_test(test_why_shows_each_column),
      cmocka_unit_test(test_why_of_a_partition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
