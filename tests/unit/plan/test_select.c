/* SPDX-License-Identifier: Apache-2.0 */
/* Which snapshot a scan reads, and with which schema. */
#include "plan_table.h"

#define SCHEMA(id, fields) "{\"type\":\"struct\",\"schema-id\":" #id ",\"fields\":[" fields "]}"
#define COLUMN(id, name) \
  "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":\"long\"}"
#define SNAPSHOT(id, sequence, ms, schema)                                           \
  "{\"snapshot-id\":" #id ",\"sequence-number\":" #sequence ",\"timestamp-ms\":" #ms \
  ",\"manifest-list\":\"/t/" #id ".avro\"" schema "}"

static const char metadata[] =
    "{\"format-version\":2,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\","
    "\"location\":\"/t\",\"last-sequence-number\":3,\"last-updated-ms\":300,\"last-column-id\":3,"
    "\"current-schema-id\":2,\"schemas\":[" SCHEMA(0, COLUMN(1, "id1") "," COLUMN(2, "id2")) ","
    SCHEMA(2, COLUMN(1, "id1") "," COLUMN(3, "id3")) "],\"default-spec-id\":0,"
    "\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}],\"last-partition-id\":999,"
    "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],"
    "\"current-snapshot-id\":2,\"refs\":{\"main\":{\"snapshot-id\":2,\"type\":\"branch\"},"
    "\"b\":{\"snapshot-id\":1,\"type\":\"branch\"},\"t\":{\"snapshot-id\":1,\"type\":\"tag\"}},"
    "\"snapshots\":[" SNAPSHOT(1, 1, 100, ",\"schema-id\":0") "," SNAPSHOT(2, 2, 200,
    ",\"schema-id\":2") "," SNAPSHOT(3, 3, 300, "") "],"
    "\"snapshot-log\":[{\"timestamp-ms\":100,\"snapshot-id\":1},"
    "{\"timestamp-ms\":200,\"snapshot-id\":3},{\"timestamp-ms\":250,\"snapshot-id\":2}]}";

/* B077: old snapshots and tags come with their schema, branches with today's; time goes by the
 * log. */
static void test_snapshot_and_schema(void **state) {
  (void)state;
  static const struct {
    calve_scan_at at;
    int64_t id, ms;
    const char *ref;
    int64_t snapshot_id;
    int32_t schema_id;
  } rows[] = {
      {CALVE_SCAN_CURRENT, 0, 0, NULL, 2, 2},     {CALVE_SCAN_SNAPSHOT, 1, 0, NULL, 1, 0},
      {CALVE_SCAN_SNAPSHOT, 3, 0, NULL, 3, 2},    {CALVE_SCAN_REF, 0, 0, "b", 1, 2},
      {CALVE_SCAN_REF, 0, 0, "t", 1, 0},          {CALVE_SCAN_REF, 0, 0, "main", 2, 2},
      {CALVE_SCAN_TIMESTAMP, 0, 100, NULL, 1, 0}, {CALVE_SCAN_TIMESTAMP, 0, 249, NULL, 3, 2},
      {CALVE_SCAN_TIMESTAMP, 0, 999, NULL, 2, 2},
  };
  plan_table t;
  table_open_text(&t, metadata);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_snapshot *snapshot = NULL;
    const calve_schema *schema = NULL;
    assert_ok(calve_scan_select(t.metadata, rows[i].at, rows[i].id, rows[i].ms,
                                calve_str_of(rows[i].ref), &snapshot, &schema, &t.err),
              &t.err);
    assert_int_equal(snapshot->snapshot_id, rows[i].snapshot_id);
    assert_int_equal(schema->schema_id, rows[i].schema_id);
  }
  table_close(&t);
}

static void test_missing_snapshots_are_named(void **state) {
  (void)state;
  plan_table t;
  table_open_text(&t, metadata);
  const calve_snapshot *snapshot;
  const calve_schema *schema;
  assert_fails(calve_scan_select(t.metadata, CALVE_SCAN_SNAPSHOT, 77, 0, (calve_str){0}, &snapshot,
                                 &schema, &t.err),
               CALVE_ENOTFOUND, &t.err);
  assert_message(&t.err, "77");
  assert_fails(calve_scan_select(t.metadata, CALVE_SCAN_REF, 0, 0, CALVE_STR("nope"), &snapshot,
                                 &schema, &t.err),
               CALVE_ENOTFOUND, &t.err);
  assert_message(&t.err, "nope");
  assert_fails(calve_scan_select(t.metadata, CALVE_SCAN_TIMESTAMP, 0, 99, (calve_str){0}, &snapshot,
                                 &schema, &t.err),
               CALVE_ENOTFOUND, &t.err);
  table_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_snapshot_and_schema),
      cmocka_unit_test(test_missing_snapshots_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
