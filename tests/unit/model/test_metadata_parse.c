/* SPDX-License-Identifier: Apache-2.0 */
/* Files as writers of all versions leave them; what is kept as text is checked too.
 * [spec: Table Statistics; Partition Statistics; Encryption Keys] */
#include "unit/model/metadata_fixture.h"

#define SNAPSHOT(id, seq, rest)                        \
  "{\"snapshot-id\":" #id ",\"sequence-number\":" #seq \
  ",\"timestamp-ms\":500,"                             \
  "\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"mem://t/l" #id ".avro\"" rest "}"
#define ONE_SNAPSHOT ",\"snapshots\":[" SNAPSHOT(7, 1, "") "]"

static calve_status parse_rest(fixture *f, int version, const char *rest,
                               const calve_metadata **m) {
  metadata_json(&(table_text){.version = version, .rest = rest}, f->json, sizeof f->json);
  return parse_metadata(f, f->json, m);
}

/* B073: an empty table, whichever way it says so. */
static void test_no_current_snapshot_is_absent_null_or_minus_one(void **state) {
  static const char *const variants[] = {
      "", ",\"current-snapshot-id\":-1", ",\"current-snapshot-id\":null",
      ",\"current-snapshot-id\":-1,\"snapshots\":[],\"refs\":{}",
      ",\"current-snapshot-id\":null,\"snapshots\":[],\"refs\":{},\"snapshot-log\":[]"};
  fixture *f = *state;
  for (int version = 1; version <= 3; version++)
    for (size_t i = 0; i < ARRAY_COUNT(variants); i++) {
      const calve_metadata *m = NULL;
      assert_ok(parse_rest(f, version, variants[i], &m), &f->err);
      assert_int_equal(m->current_snapshot_id, CALVE_NO_SNAPSHOT);
      assert_null(calve_metadata_current_snapshot(m));
      assert_int_equal(m->ref_count, 0);
      assert_non_null(strstr(written_metadata(f, m), version == 3 ? "\"current-snapshot-id\":null"
                                                                  : "\"current-snapshot-id\":-1"));
    }
}

/* B073: main and the current snapshot are one; either may be left out, but not disagree. */
static void test_main_and_current_snapshot_complete_each_other(void **state) {
  static const char *const variants[] = {
      ",\"current-snapshot-id\":7", ",\"current-snapshot-id\":7,\"refs\":{}",
      ",\"refs\":{\"main\":{\"snapshot-id\":7,\"type\":\"branch\"}}",
      ",\"current-snapshot-id\":null,\"refs\":{\"main\":{\"snapshot-id\":7,\"type\":\"branch\"}}"};
  fixture *f = *state;
  char rest[1024];
  for (size_t i = 0; i < ARRAY_COUNT(variants); i++) {
    const calve_metadata *m = NULL;
    snprintf(rest, sizeof rest, ONE_SNAPSHOT "%s", variants[i]);
    assert_ok(parse_rest(f, 2, rest, &m), &f->err);
    assert_int_equal(m->current_snapshot_id, 7);
    assert_int_equal(calve_metadata_ref(m, CALVE_STR("main"))->snapshot_id, 7);
    assert_int_equal(calve_metadata_current_snapshot(m)->snapshot_id, 7);
  }
  const calve_metadata *m = NULL;
  snprintf(
      rest, sizeof rest, ",\"snapshots\":[" SNAPSHOT(7, 1, "") "," SNAPSHOT(8, 2, "") "]%s",
      ",\"current-snapshot-id\":8,\"refs\":{\"main\":{\"snapshot-id\":7,\"type\":\"branch\"}}");
  assert_fails(parse_rest(f, 2, rest, &m), CALVE_ECORRUPT, &f->err);
  assert_message(&f->err, "current-snapshot-id is 8");
}

/* Commits add to these numbers: a file that holds the last one there is can't be committed to. */
static void test_counters_leave_room_to_count(void **state) {
  fixture *f = *state;
  static const char *const numbers[] = {"4611686018427387904", "4611686018427387905",
                                        "9223372036854775807"};
  char text[700];
  for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
    const calve_metadata *m = NULL;
    snprintf(text, sizeof text,
             "{\"format-version\":2,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\","
             "\"location\":\"file:///t\",\"last-sequence-number\":%s,\"last-updated-ms\":1,"
             "\"last-column-id\":1,\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\","
             "\"schema-id\":0,\"fields\":[" LONG_FIELD(1, "id") "]}],\"default-spec-id\":0,"
             "\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}],\"last-partition-id\":999,"
             "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}]}",
             numbers[i]);
    if (i == 0) {
      assert_ok(parse_metadata(f, text, &m), &f->err);
      continue;
    }
    assert_fails(parse_metadata(f, text, &m), CALVE_ECORRUPT, &f->err);
    assert_message(&f->err, "last-sequence-number");
  }
}

/* B074: what old v1 writers left out follows from what they wrote. */
static void test_v1_without_lists_gets_them_from_the_single_parts(void **state) {
  fixture *f = *state;
  const calve_metadata *m = NULL;
  assert_ok(
      parse_metadata(
          f,
          "{\"format-version\":1,\"location\":\"file:///t/\",\"last-updated-ms\":1,"
          "\"last-column-id\":2,\"schema\":{\"type\":\"struct\",\"fields\":[" LONG_FIELD(
              1, "id") "," FIELD(2, "ts", "timestamp") "]},\"partition-spec\":[{\"name\":\"a\","
                                                       "\"transform\":\"day\",\"source-id\":2},{"
                                                       "\"name\":\"b\",\"transform\":\"bucket[4]\","
                                                       "\"source-id\":1}],\"properties\":{},"
                                                       "\"current-snapshot-id\":5,\"snapshots\":["
                                                       "{\"snapshot-id\":4,\"timestamp-ms\":1,"
                                                       "\"manifests\":[\"m1\",\"m2\"]},"
                                                       "{\"snapshot-id\":5,\"timestamp-ms\":2,"
                                                       "\"manifest-list\":\"l\","
                                                       "\"summary\":{\"added-records\":\"3\"}}]}",
          &m),
      &f->err);
  assert_int_equal(m->current_schema_id, 0);
  assert_int_equal(m->schema_count, 1);
  assert_string_equal(spec_line(f, m->spec), "1000:day(2) a, 1001:bucket[4](1) b");
  assert_int_equal(m->last_partition_id, 1001);
  assert_int_equal(m->sort_order->field_count, 0);
  assert_null(m->table_uuid.data);
  assert_str(m->location, "file:///t");
  const calve_snapshot *inline_one = calve_metadata_snapshot(m, 4);
  assert_int_equal(inline_one->manifest_count, 2);
  assert_str(inline_one->manifests[1], "m2");
  assert_int_equal(inline_one->sequence_number, 0);
  assert_null(inline_one->operation.data);
  assert_ptr_equal(calve_metadata_snapshot_schema(m, inline_one), m->schema);
  assert_str(calve_metadata_current_snapshot(m)->operation, "overwrite");
}

/* B018: last-partition-id of an old file is the highest of all specs, or 999. */
static void test_missing_last_partition_id_is_the_highest_of_all_specs(void **state) {
  fixture *f = *state;
  const calve_metadata *m = NULL;
  static const char head[] =
      "{\"format-version\":1,\"location\":\"x\",\"last-updated-ms\":1,\"last-column-id\":1,"
      "\"schemas\":[" STRUCT(LONG_FIELD(1, "id")) "],\"current-schema-id\":0,"
      "\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}%s]}";
  char json[2048];
  snprintf(json, sizeof json, head, "");
  assert_ok(parse_metadata(f, json, &m), &f->err);
  assert_int_equal(m->last_partition_id, 999);
  snprintf(json, sizeof json, head,
           ",{\"spec-id\":1,\"fields\":[{\"name\":\"a\",\"transform\":\"void\",\"source-id\":1,"
           "\"field-id\":1003},{\"name\":\"b\",\"transform\":\"identity\",\"source-id\":1,"
           "\"field-id\":1000}]}");
  assert_ok(parse_metadata(f, json, &m), &f->err);
  assert_int_equal(m->last_partition_id, 1003);
}

/* B075: ids never go through a double; what is no integer is refused. */
static void test_ids_beyond_2_53_survive_exactly(void **state) {
  static const char rest[] =
      ",\"current-snapshot-id\":8103159149723679872,\"snapshots\":["
      "{\"snapshot-id\":5184430069070270604,\"timestamp-ms\":1,\"manifest-list\":\"a\"},"
      "{\"snapshot-id\":8103159149723679872,\"parent-snapshot-id\":5184430069070270604,"
      "\"timestamp-ms\":2,\"manifest-list\":\"b\"},"
      "{\"snapshot-id\":9223372036854775807,\"timestamp-ms\":3,\"manifest-list\":\"c\"}],"
      "\"refs\":{\"main\":{\"snapshot-id\":8103159149723679872,\"type\":\"branch\"},"
      "\"t\":{\"snapshot-id\":9223372036854775807,\"type\":\"tag\"}},"
      "\"statistics\":[{\"snapshot-id\":5184430069070270604,\"statistics-path\":\"p\","
      "\"file-size-in-bytes\":9,\"file-footer-size-in-bytes\":3,\"blob-metadata\":[]}],"
      "\"snapshot-log\":[{\"timestamp-ms\":2,\"snapshot-id\":8103159149723679872}]";
  fixture *f = *state;
  const calve_metadata *m = NULL;
  assert_ok(parse_rest(f, 2, rest, &m), &f->err);
  assert_true(calve_metadata_current_snapshot(m)->parent_snapshot_id == 5184430069070270604);
  const char *again = written_metadata(f, m);
  assert_non_null(strstr(again, "\"snapshot-id\":9223372036854775807,\"type\":\"tag\""));
  assert_non_null(strstr(again, "\"parent-snapshot-id\":5184430069070270604"));
  assert_non_null(strstr(again, "{\"snapshot-id\":5184430069070270604,\"statistics-path\""));
  static const char *const bad[] = {"4.5982866113522427e+18", "9223372036854775808", "1.5",
                                    "\"7\""};
  for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
    char text[256];
    snprintf(text, sizeof text, ",\"current-snapshot-id\":%s", bad[i]);
    assert_fails(parse_rest(f, 2, text, &m), CALVE_ECORRUPT, &f->err);
    assert_message(&f->err, "current-snapshot-id");
  }
}

/* B075: what calve does not know is written back, statistics too. */
static void test_unknown_members_and_statistics_are_written_back(void **state) {
  static const char rest[] =
      ",\"x-vendor\":{\"a\":[1,2.50,\"\\u00e9\"]},\"partition-statistics\":[{\"snapshot-id\":3,"
      "\"statistics-path\":\"p\",\"file-size-in-bytes\":1,\"more\":true}]";
  fixture *f = *state;
  const calve_metadata *m = NULL;
  assert_ok(parse_rest(f, 2, rest, &m), &f->err);
  assert_int_equal(m->extra_count, 1);
  const char *again = written_metadata(f, m);
  assert_non_null(strstr(again, "\"x-vendor\":{\"a\":[1,2.50,\"\\u00e9\"]}"));
  assert_non_null(strstr(again, "\"file-size-in-bytes\":1,\"more\":true}"));
}

/* B015, B036: a spec whose column was dropped loads, as long as it is not the one in use. */
static void test_old_specs_outlive_their_columns(void **state) {
  static const char specs[] =
      "[{\"spec-id\":0,\"fields\":[{\"name\":\"b\",\"transform\":\"bucket[8]\",\"source-id\":9,"
      "\"field-id\":1000}]},{\"spec-id\":1,\"fields\":[]}]";
  fixture *f = *state;
  const calve_metadata *m = make_table(f, (table_text){.specs = specs, .default_spec = 1});
  assert_int_equal(calve_metadata_spec(m, 0)->fields[0].source_id, 9);
  assert_null(calve_metadata_find_field(m, 9));
  metadata_json(&(table_text){.specs = specs}, f->json, sizeof f->json);
  assert_fails(parse_metadata(f, f->json, &m), CALVE_ECORRUPT, &f->err);
  assert_message(&f->err, "source column 9");
}

/* B026, B044: collisions that are on disk already must not keep the table from being read. */
static void test_collisions_on_disk_load(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(
      f, (table_text){.schema = STRUCT(LONG_FIELD(1, "id") "," LONG_FIELD(2, "Col") "," LONG_FIELD(
                          3, "COL") "," LONG_FIELD(4, "id_bucket")),
                      .specs = "[{\"spec-id\":0,\"fields\":[{\"name\":\"id_bucket\",\"transform\":"
                               "\"bucket[4]\",\"source-id\":1,\"field-id\":1000}]}]"});
  assert_int_equal(m->schema->node_count, 4);
  assert_int_equal(calve_schema_find(m->schema, CALVE_STR("Col"))->field->id, 2);
}

/* B022: specs of v1 may give one id two meanings: each is kept as its own spec has it. */
static void test_v1_field_ids_may_repeat_across_specs(void **state) {
  fixture *f = *state;
  const calve_metadata *m = make_table(
      f, (table_text){.version = 1,
                      .specs = "[{\"spec-id\":0,\"fields\":[{\"name\":\"a\",\"transform\":"
                               "\"bucket[4]\",\"source-id\":2}]},{\"spec-id\":1,\"fields\":["
                               "{\"name\":\"b\",\"transform\":\"bucket[10]\",\"source-id\":2},"
                               "{\"name\":\"a\",\"transform\":\"bucket[4]\",\"source-id\":2}]}]",
                      .default_spec = 1});
  assert_string_equal(spec_line(f, m->specs[0]), "1000:bucket[4](2) a");
  assert_string_equal(spec_line(f, m->specs[1]), "1000:bucket[10](2) b, 1001:bucket[4](2) a");
}

static void test_bad_metadata_is_refused_with_a_place(void **state) {
  static const struct {
    const char *rest, *part;
  } rows[] = {
      {",\"snapshots\":[" SNAPSHOT(7, 1, "") "," SNAPSHOT(7, 2, "") "]", "7 is there twice"},
      {",\"snapshots\":[" SNAPSHOT(7, 10, "") "]", "above last-sequence-number 9"},
      {",\"snapshots\":[{\"snapshot-id\":7,\"timestamp-ms\":1}]", "no manifest-list"},
      {",\"snapshots\":[{\"snapshot-id\":7,\"timestamp-ms\":1,\"manifest-list\":5}]",
       "snapshots/0"},
      {",\"refs\":{\"t\":{\"snapshot-id\":3,\"type\":\"tag\"}}", "snapshot 3, which is not there"},
      {",\"refs\":{\"t\":{\"snapshot-id\":3,\"type\":\"tag\",\"min-snapshots-to-keep\":2}}",
       "only branches can"},
      {",\"current-snapshot-id\":4", "current-snapshot-id 4 is no snapshot"},
      {",\"snapshot-log\":[{\"timestamp-ms\":900000,\"snapshot-id\":1}]", "out of order"},
      {",\"schemas\":[]", "no schema"},
      {",\"schemas\":[],\"schemas\":[]", "no schema"},
      {",\"sort-orders\":[]", "sort-orders is empty"},
      {",\"location\":\"\"", "location is empty"},
      {",\"statistics\":[{\"snapshot-id\":1}]", "statistics-path"},
      {",\"format-version\":0", "format-version"},
  };
  fixture *f = *state;
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_metadata *m = NULL;
    assert_fails(parse_rest(f, 2, rows[i].rest, &m), CALVE_ECORRUPT, &f->err);
    assert_message(&f->err, rows[i].part);
    assert_message(&f->err, "v1.metadata.json");
    assert_null(m);
  }
  const calve_metadata *m = NULL;
  assert_fails(parse_rest(f, 2, ",\"format-version\":4", &m), CALVE_EUNSUPPORTED, &f->err);
  assert_message(&f->err, "newer");
}

/* Keys that stand twice count once, the last one; also where there are very many. */
static void test_repeated_properties_keep_the_last_value(void **state) {
  fixture *f = *state;
  const calve_metadata *m =
      make_table(f, (table_text){.properties = "{\"a\":\"1\",\"b\":\"2\",\"a\":\"3\"}"});
  assert_int_equal(m->properties.count, 2);
  assert_str(calve_properties_get(&m->properties, "a"), "3");
  char many[8192] = "{";
  size_t n = 1;
  for (int i = 0; i < 400; i++)
    n += (size_t)snprintf(many + n, sizeof many - n, "%s\"k%d\":\"%d\"", i ? "," : "", i % 100, i);
  snprintf(many + n, sizeof many - n, "}");
  m = make_table(f, (table_text){.properties = many});
  assert_int_equal(m->properties.count, 100);
  assert_str(calve_properties_get(&m->properties, "k7"), "307");
}

static const char sweep_rest[] =
    ",\"current-snapshot-id\":8,\"snapshots\":[" SNAPSHOT(7, 1, "") "," SNAPSHOT(
        8, 2, ",\"parent-snapshot-id\":7,\"schema-id\":0") "],\"snapshot-log\":[{"
    "\"timestamp-ms\":1,\"snapshot-id\":7}],\"metadata-log\":[{\"timestamp-ms\":1,"
    "\"metadata-file\":\"f\"}],\"extra\":{\"a\":1}";

static void test_parse_survives_every_failing_allocation(void **state) {
  fixture *f = *state;
  failing_allocator mem;
  bool done = false;
  metadata_json(&(table_text){.rest = sweep_rest,
                              .properties = "{\"a\":\"b\"}",
                              .specs = "[{\"spec-id\":0,\"fields\":[{\"name\":\"b\",\"transform\":"
                                       "\"bucket[8]\",\"source-id\":1,\"field-id\":1000}]}]"},
                f->json, sizeof f->json);
  for (long n = 0; n < 10000 && !done; n++) {
    failing_allocator_init(&mem, n);
    calve_arena arena;
    calve_arena_init(&arena, &mem.allocator);
    const calve_metadata *m = NULL;
    calve_status status =
        calve_metadata_parse(calve_str_of(f->json), "m.json", &arena, &m, &f->err);
    if (status == CALVE_OK)
      done = n > 0;
    else
      assert_int_equal(status, CALVE_ENOMEM);
    assert_true((status == CALVE_OK) == (m != NULL));
    calve_arena_free(&arena);
    assert_int_equal(mem.live_bytes, 0);
  }
  assert_true(done);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FIXTURE_TEST(test_no_current_snapshot_is_absent_null_or_minus_one),
      FIXTURE_TEST(test_main_and_current_snapshot_complete_each_other),
      FIXTURE_TEST(test_counters_leave_room_to_count),
      FIXTURE_TEST(test_v1_without_lists_gets_them_from_the_single_parts),
      FIXTURE_TEST(test_missing_last_partition_id_is_the_highest_of_all_specs),
      FIXTURE_TEST(test_ids_beyond_2_53_survive_exactly),
      FIXTURE_TEST(test_unknown_members_and_statistics_are_written_back),
      FIXTURE_TEST(test_old_specs_outlive_their_columns),
      FIXTURE_TEST(test_collisions_on_disk_load),
      FIXTURE_TEST(test_v1_field_ids_may_repeat_across_specs),
      FIXTURE_TEST(test_bad_metadata_is_refused_with_a_place),
      FIXTURE_TEST(test_repeated_properties_keep_the_last_value),
      FIXTURE_TEST(test_parse_survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
