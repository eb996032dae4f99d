/* SPDX-License-Identifier: Apache-2.0 */
#include "model/snapshot.h"

#include "base/text.h"
#include "harness.h"
#include "model/metadata.h"

static calve_arena arena;

#define SNAPSHOT(summary)                                                                      \
  "{\"snapshot-id\":7,\"timestamp-ms\":1,\"manifest-list\":\"l.avro\",\"summary\":" summary    \
  "}"

static calve_status read_snapshot(const char *json, calve_snapshot *out, calve_error *err) {
  calve_json_reader r;
  calve_json_open(&r, calve_str_of(json), "t.json", &arena);
  return calve_snapshot_read_json(&r, out, err);
}

/* "key=value …", in order. */
static const char *summary_line(const calve_snapshot *s) {
  static char out[300];
  calve_properties p;
  calve_error err;
  size_t n = 0;
  assert_ok(calve_snapshot_summary(s, &arena, &p, &err), &err);
  out[0] = '\0';
  for (size_t i = 0; i < p.count; i++)
    n += (size_t)snprintf(out + n, sizeof out - n, "%s%.*s=%.*s", i ? " " : "",
                          CALVE_STR_ARG(p.items[i].key), CALVE_STR_ARG(p.items[i].value));
  return out;
}

static const char *written(const calve_snapshot *s) {
  static char out[300];
  calve_buffer b;
  calve_json_writer w;
  calve_buffer_init(&b, NULL);
  calve_json_write_init(&w, &b, 0);
  calve_snapshot_write_json(s, &w);
  snprintf(out, sizeof out, "%.*s", (int)b.size, b.data);
  calve_buffer_free(&b);
  return out;
}

static void test_summary_is_read_when_it_is_asked_for(void **state) {
  (void)state;
  static const struct {
    const char *summary, *line, *operation, *written;
  } rows[] = {
      {"{\"added-records\":\"3\",\"operation\":\"append\"}", "operation=append added-records=3",
       "append", "{\"operation\":\"append\",\"added-records\":\"3\"}"},
      /* Without its operation it promises least. */
      {"{\"a\":\"1\"}", "operation=overwrite a=1", "overwrite",
       "{\"operation\":\"overwrite\",\"a\":\"1\"}"},
      /* The last of two counts, as in other readers. */
      {"{\"operation\":\"append\",\"a\":\"1\",\"a\":\"2\",\"operation\":\"delete\"}",
       "operation=delete a=2", "delete", "{\"operation\":\"delete\",\"a\":\"2\"}"},
      {"{ \"operation\" : \"app\\u0065nd\", \"q\\n\" : \"\\\"\" }", "operation=append q\n=\"",
       "append", "{\"operation\":\"append\",\"q\\n\":\"\\\"\"}"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    char json[300], want[300];
    calve_snapshot s;
    calve_error err;
    snprintf(json, sizeof json, SNAPSHOT("%s"), rows[i].summary);
    assert_ok(read_snapshot(json, &s, &err), &err);
    assert_string_equal(summary_line(&s), rows[i].line);
    assert_true(calve_str_equal_text(s.operation, rows[i].operation));
    snprintf(want, sizeof want,
             "{\"snapshot-id\":7,\"timestamp-ms\":1,\"summary\":%s,\"manifest-list\":\"l.avro\"}",
             rows[i].written);
    assert_string_equal(written(&s), want);
  }
}

static void test_empty_summary_is_none(void **state) {
  (void)state;
  calve_snapshot s;
  calve_error err;
  assert_ok(read_snapshot(SNAPSHOT("{}"), &s, &err), &err);
  assert_null(s.operation.data);
  assert_string_equal(summary_line(&s), "");
  assert_null(strstr(written(&s), "summary"));
}

/* What is read later was checked when it came in. */
static void test_damaged_summary_is_refused_at_once(void **state) {
  (void)state;
  static const char *const bad[] = {"{\"a\":1}", "{\"a\":null}", "[]", "{\"a\"}", "{\"a\":\"\\x\"}",
                                    "{\"a\":\"1\""};
  for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
    char json[200];
    calve_snapshot s;
    calve_error err;
    snprintf(json, sizeof json, SNAPSHOT("%s"), bad[i]);
    assert_fails(read_snapshot(json, &s, &err), CALVE_ECORRUPT, &err);
  }
}

static void test_made_summary_reads_as_a_read_one(void **state) {
  (void)state;
  const calve_property items[] = {{CALVE_STR("operation"), CALVE_STR("append")},
                                  {CALVE_STR("note"), CALVE_STR("a \"b\"")}};
  calve_snapshot s = {.snapshot_id = 7, .manifest_list = CALVE_STR("l"), .schema_id = -1};
  calve_error err;
  assert_ok(calve_snapshot_set_summary(&s, &(calve_properties){items, 2}, &arena, &err), &err);
  assert_string_equal(summary_line(&s), "operation=append note=a \"b\"");
  assert_true(calve_str_equal_text(s.operation, "append"));
}

/* ---- memory ------------------------------------------------------------------------------- */

typedef struct meter {
  size_t now, peak;
} meter;

static void *metered(void *ctx, void *p, size_t old_size, size_t new_size) {
  meter *m = ctx;
  void *q = NULL;
  if (new_size == 0)
    free(p);
  else if (!(q = realloc(p, new_size)))
    return NULL;
  m->now += new_size - old_size;
  if (m->now > m->peak) m->peak = m->now;
  return q;
}

static void put_history(calve_buffer *b, int count) {
  calve_buffer_printf(b,
                      "{\"format-version\":2,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1"
                      "\",\"location\":\"s3://w/t\",\"last-sequence-number\":%d,"
                      "\"last-updated-ms\":9,\"last-column-id\":1,\"current-schema-id\":0,"
                      "\"schemas\":[{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":1,"
                      "\"name\":\"a\",\"required\":false,\"type\":\"int\"}]}],"
                      "\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}],"
                      "\"last-partition-id\":999,\"default-sort-order-id\":0,\"sort-orders\":["
                      "{\"order-id\":0,\"fields\":[]}],\"snapshots\":[",
                      count);
  for (int i = 0; i < count; i++)
    calve_buffer_printf(
        b,
        "%s{\"sequence-number\":%d,\"snapshot-id\":%d,\"timestamp-ms\":%d,\"summary\":{"
        "\"operation\":\"append\",\"spark.app.id\":\"local-%d\",\"added-data-files\":\"1\","
        "\"added-records\":\"200\",\"added-files-size\":\"12345\",\"changed-partition-count\":"
        "\"1\",\"total-records\":\"%d\",\"total-files-size\":\"0\",\"total-data-files\":\"0\"},"
        "\"manifest-list\":\"s3://warehouse/db/orders/metadata/snap-%d-1-9c12d441.avro\","
        "\"schema-id\":0}",
        i ? "," : "", i + 1, i + 1000, i, i, i, i);
  calve_buffer_puts(b, "]}");
}

/* A long history costs less than half of its text, whatever its length. */
static void test_memory_of_a_long_history(void **state) {
  (void)state;
  static const int counts[] = {100, 1000, 3000, 5000};
  for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
    calve_buffer text;
    meter m = {0};
    const calve_allocator allocator = {sizeof allocator, &m, metered};
    calve_arena own;
    const calve_metadata *metadata;
    calve_error err;
    calve_buffer_init(&text, NULL);
    put_history(&text, counts[i]);
    calve_arena_init(&own, &allocator);
    assert_ok(calve_metadata_parse(calve_buffer_view(&text), "m.json", &own, &metadata, &err),
              &err);
    assert_int_equal(metadata->snapshot_count, counts[i]);
    for (int s = 0; s < counts[i]; s++)
      assert_int_equal(calve_metadata_snapshot(metadata, s + 1000)->sequence_number, s + 1);
    assert_null(calve_metadata_snapshot(metadata, 999));
    if (counts[i] >= 1000) assert_true(m.peak < text.size / 2);
    calve_arena_free(&own);
    calve_buffer_free(&text);
  }
}

static int setup(void **state) {
  (void)state;
  calve_arena_init(&arena, NULL);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  calve_arena_free(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_summary_is_read_when_it_is_asked_for),
      cmocka_unit_test(test_empty_summary_is_none),
      cmocka_unit_test(test_damaged_summary_is_refused_at_once),
      cmocka_unit_test(test_made_summary_reads_as_a_read_one),
      cmocka_unit_test(test_memory_of_a_long_history),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
