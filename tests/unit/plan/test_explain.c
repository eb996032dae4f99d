/* SPDX-License-Identifier: Apache-2.0 */
/* Explaining is the same plan with its counts told; and why a file is read or not. */
#include "plan_table.h"

#include "plan/explain.h"

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
      {"/t/mar", "is read", "known: ts_month=2026-03"},
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text_tells_each_spec_in_its_own_terms),
      cmocka_unit_test(test_a_time_beyond_the_calendar_is_its_end),
      cmocka_unit_test(test_json_has_the_same_counts),
      cmocka_unit_test(test_why_names_the_field_and_the_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
