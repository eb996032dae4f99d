/* SPDX-License-Identifier: Apache-2.0 */
/* ALTER TABLE from the statement to the metadata and back to the rows: every id is checked. */
#include "sql_session.h"

/* ---- partition fields: typical walks ---------------------------------------------------- */

/* Rule: months, then days beside them, then days alone: three specs, no id moves. */
static void test_months_then_days_beside_then_days_alone(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) PARTITIONED BY (months(ts))");
  run(f, "INSERT INTO db.t VALUES (1, TIMESTAMPTZ '2026-01-05 10:00:00+00')");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD days(ts)");
  assert_string_equal(spec_of(f, "t"),
                      "spec 1 of 2, last field 1001: 1000 month(2) ts_month, 1001 day(2) ts_day");
  run(f, "INSERT INTO db.t VALUES (2, TIMESTAMPTZ '2026-01-05 11:00:00+00')");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD months(ts)");
  assert_string_equal(spec_of(f, "t"), "spec 2 of 3, last field 1001: 1001 day(2) ts_day");
  run(f, "INSERT INTO db.t VALUES (3, TIMESTAMPTZ '2026-01-06 10:00:00+00')");
  assert_rows(f, "SELECT id FROM db.t WHERE ts < TIMESTAMPTZ '2026-01-06 00:00:00+00' ORDER BY id",
              "1|2");
  assert_rows(f, "SELECT spec_id::BIGINT, record_count FROM db.t.files ORDER BY 1", "0,1|1,1|2,1");
}

/* Rule: REPLACE … WITH is one commit and one new spec. */
static void test_replace_goes_there_in_one_step(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) PARTITIONED BY (months(ts))");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD months(ts) WITH days(ts)");
  assert_string_equal(spec_of(f, "t"), "spec 1 of 2, last field 1001: 1001 day(2) ts_day");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD ts_day WITH hours(ts) AS h");
  assert_string_equal(spec_of(f, "t"), "spec 2 of 3, last field 1002: 1002 hour(2) h");
}

/* Rule: what was dropped comes back under its old id, and the old spec is used again (B017). */
static void test_a_dropped_field_comes_back_with_its_id(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) PARTITIONED BY (days(ts), bucket(16, id))");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD ts_day");
  assert_string_equal(spec_of(f, "t"),
                      "spec 1 of 2, last field 1001: 1001 bucket[16](1) id_bucket");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD bucket(8, id) AS b8");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD days(ts)");
  assert_string_equal(spec_of(f, "t"), "spec 3 of 4, last field 1002: 1001 bucket[16](1) "
                                       "id_bucket, 1002 bucket[8](1) b8, 1000 day(2) ts_day");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD b8");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD ts_day");
  assert_string_equal(spec_of(f, "t"),
                      "spec 1 of 5, last field 1002: 1001 bucket[16](1) id_bucket");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD bucket(id, 8) AS other");
  assert_string_equal(spec_of(f, "t"), "spec 5 of 6, last field 1003: 1001 bucket[16](1) "
                                       "id_bucket, 1003 bucket[8](1) other");
}

/* B017, B018: the newest spec is not the current one, and still it is looked at; ids go on behind
 * the highest that was ever given. */
static void test_ids_of_an_unpartitioned_table_that_was_partitioned(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, b INT, ts TIMESTAMP)");
  assert_string_equal(spec_of(f, "t"), "spec 0 of 1, last field 999:");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD id");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD id");
  assert_string_equal(spec_of(f, "t"), "spec 0 of 2, last field 1000:");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD id");
  assert_string_equal(spec_of(f, "t"), "spec 1 of 2, last field 1000: 1000 identity(1) id");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD id WITH bucket(4, b) AS shard");
  assert_string_equal(spec_of(f, "t"), "spec 2 of 3, last field 1001: 1001 bucket[4](2) shard");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD shard WITH days(ts)");
  assert_string_equal(spec_of(f, "t"), "spec 3 of 4, last field 1002: 1002 day(3) ts_day");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD ts_day WITH bucket(4, b) AS shard");
  assert_string_equal(spec_of(f, "t"), "spec 2 of 4, last field 1002: 1001 bucket[4](2) shard");
}

static void test_the_newest_spec_is_searched_when_an_older_one_is_current(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, b INT) PARTITIONED BY (id)");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD id WITH bucket(4, b)");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD b_bucket_4 WITH id");
  assert_string_equal(spec_of(f, "t"), "spec 0 of 2, last field 1001: 1000 identity(1) id");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD bucket(4, b)");
  assert_string_equal(spec_of(f, "t"), "spec 2 of 3, last field 1001: 1000 identity(1) id, "
                                       "1001 bucket[4](2) b_bucket_4");
}

/* Rule: v1 keeps the place of what was dropped, and a field that comes back is a new one (B019). */
static void test_v1_leaves_holes(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (category STRING, n INT) PARTITIONED BY (category) "
         "TBLPROPERTIES ('format-version' = '1')");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD n");
  run(f, "INSERT INTO db.t VALUES ('a', 1)");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD n");
  assert_string_equal(spec_of(f, "t"),
                      "spec 2 of 3, last field 1001: 1000 identity(1) category, 1001 void(2) n");
  run(f, "INSERT INTO db.t VALUES ('b', 2)");
  assert_rows(f, "SELECT category FROM db.t WHERE n = 2", "b");
  assert_rows(f, "SELECT category FROM db.t WHERE n IS NOT NULL ORDER BY 1", "a|b");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD n");
  assert_string_equal(spec_of(f, "t"), "spec 3 of 4, last field 1002: 1000 identity(1) category, "
                                       "1001 void(2) n_1001, 1002 identity(2) n");
  refuse(f, "ALTER TABLE db.t ORDER PARTITION FIELDS n, n_1001, category", CALVE_EINVAL,
         "format version 1");
}

/* Rule: the void that version 1 left keeps its id; what comes back in version 2 gets another one,
 * as a manifest could not hold two fields of one id. */
static void test_a_field_comes_back_beside_its_void(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT) PARTITIONED BY (truncate(10, id)) "
         "TBLPROPERTIES ('format-version' = '1')");
  run(f, "INSERT INTO db.t VALUES (1)");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD id_trunc");
  run(f, "ALTER TABLE db.t SET TBLPROPERTIES ('format-version' = '2')");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD truncate(10, id) AS id_trunc");
  assert_string_equal(spec_of(f, "t"), "spec 2 of 3, last field 1001: 1000 void(1) id_trunc_1000, "
                                       "1001 truncate[10](1) id_trunc");
  run(f, "INSERT INTO db.t VALUES (2)");
  assert_rows(f, "SELECT id FROM db.t WHERE id < 10 ORDER BY id", "1|2");
}

static void test_fields_are_renamed_and_ordered(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) PARTITIONED BY (days(ts), bucket(16, id))");
  run(f, "ALTER TABLE db.t RENAME PARTITION FIELD id_bucket TO shard");
  run(f, "ALTER TABLE db.t ORDER PARTITION FIELDS (shard, ts_day)");
  assert_string_equal(spec_of(f, "t"), "spec 2 of 3, last field 1001: 1001 bucket[16](1) shard, "
                                       "1000 day(2) ts_day");
  refuse(f, "ALTER TABLE db.t DROP PARTITION FIELD id_bucket", CALVE_ENOTFOUND, "id_bucket");
  refuse(f, "ALTER TABLE db.t ADD PARTITION FIELD days(ts) AS d2", CALVE_EEXISTS, "ts_day");
  refuse(f, "ALTER TABLE db.t ADD PARTITION FIELD truncate(4, ts)", CALVE_EINVAL, "truncate");
  refuse(f, "ALTER TABLE db.t ADD PARTITION FIELD id AS ts_day", CALVE_EEXISTS, "ts_day");
}

/* ---- columns ---------------------------------------------------------------------------- */

static void make_places(sql_session *f) {
  run(f, "CREATE TABLE db.t (id INT NOT NULL, addr STRUCT<city: STRING, zip: INT>, "
         "points ARRAY<STRUCT<x: INT, y: INT>>, props MAP<STRING, STRUCT<a: FLOAT>>, "
         "d DECIMAL(9, 2))");
  run(f, "INSERT INTO db.t VALUES (1, {'city': 'Ulm', 'zip': 89073}, [{'x': 1, 'y': 2}], "
         "MAP {'k': {'a': 1.5}}, 3.25)");
}

/* Rule: all kinds of changes inside structs, elements and values; old rows are read by ids. B042 */
static void test_nested_columns_change_by_path(void **state) {
  sql_session *f = *state;
  make_places(f);
  run(f, "ALTER TABLE db.t ADD COLUMN addr.street STRING COMMENT 'and number' AFTER city");
  run(f, "ALTER TABLE db.t ADD COLUMNS (points.element.z BIGINT FIRST, props.value.b STRING)");
  run(f, "ALTER TABLE db.t ALTER COLUMN points.element.x TYPE BIGINT");
  run(f, "ALTER TABLE db.t ALTER COLUMN props.value.a TYPE DOUBLE");
  run(f, "ALTER TABLE db.t RENAME COLUMN points.element.y TO x2");
  run(f, "ALTER TABLE db.t ALTER COLUMN addr.zip FIRST");
  run(f, "ALTER TABLE db.t DROP COLUMN addr.city");
  run(f, "ALTER TABLE db.t ALTER COLUMN d TYPE DECIMAL(20, 2)");
  assert_string_equal(
      schema_of(f, "t"),
      "schema 8 of 9, last column 16: struct<1: id: required int, 2: addr: optional struct<7: zip: "
      "optional int, 14: street: optional string>, 3: points: optional list<struct<15: z: optional "
      "long, 9: x: optional long, 10: x2: optional int>>, 4: props: optional map<string, "
      "struct<13: a: optional double, 16: b: optional string>>, 5: d: optional decimal(20, 2)>");
  assert_rows(f, "SELECT addr::VARCHAR, points::VARCHAR, props::VARCHAR, d::VARCHAR FROM db.t",
              "{'zip': 89073, 'street': NULL},[{'z': NULL, 'x': 1, 'x2': 2}],"
              "{k={'a': 1.5, 'b': NULL}},3.25");
}

/* B035: values follow ids through swaps; a name that comes back shows nothing old. */
static void test_names_that_change_hands(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (a STRING, b STRING, s STRUCT<p: INT, q: INT>)");
  run(f, "INSERT INTO db.t VALUES ('a', 'b', {'p': 1, 'q': 2})");
  run(f, "ALTER TABLE db.t RENAME COLUMN a TO t");
  run(f, "ALTER TABLE db.t RENAME COLUMN b TO a");
  run(f, "ALTER TABLE db.t RENAME COLUMN t TO b");
  run(f, "ALTER TABLE db.t RENAME COLUMN s.p TO r");
  run(f, "ALTER TABLE db.t RENAME COLUMN s.q TO p");
  run(f, "ALTER TABLE db.t RENAME COLUMN s.r TO q");
  assert_rows(f, "SELECT a, b, s.p::BIGINT, s.q::BIGINT FROM db.t", "b,a,2,1");
  assert_rows(f, "SELECT a FROM db.t WHERE a = 'a'", "");
  run(f, "ALTER TABLE db.t DROP COLUMN a");
  run(f, "ALTER TABLE db.t ADD COLUMN a STRING");
  run(f, "ALTER TABLE db.t DROP COLUMN s.p");
  run(f, "ALTER TABLE db.t ADD COLUMN s.p INT");
  assert_rows(f, "SELECT a, s.p::BIGINT FROM db.t", "NULL,NULL");
  assert_rows(f, "SELECT count(*) FROM db.t WHERE a = 'b' OR s.p = 2", "0");
  assert_string_equal(schema_of(f, "t") + strlen("schema 10 of 11, "),
                      "last column 7: struct<1: b: optional string, 3: s: optional struct<4: q: "
                      "optional int, 7: p: optional int>, 6: a: optional string>");
}

static void test_several_changes_are_one_commit(void **state) {
  sql_session *f = *state;
  make_places(f);
  run(f, "ALTER TABLE db.t ADD COLUMNS (e INT, g STRUCT<h: INT COMMENT 'x'> COMMENT 'g' "
         "AFTER id)");
  run(f, "ALTER TABLE db.t ALTER COLUMN e TYPE BIGINT COMMENT 'wide' FIRST");
  run(f, "ALTER TABLE db.t DROP COLUMNS (e, props)");
  assert_string_equal(schema_of(f, "t"),
                      "schema 3 of 4, last column 16: struct<1: id: required int, 15: g: optional "
                      "struct<16: h: optional int>, 2: addr: optional struct<6: city: optional "
                      "string, 7: zip: optional int>, 3: points: optional list<struct<9: x: "
                      "optional int, 10: y: optional int>>, 5: d: optional decimal(9, 2)>");
}

/* Names are found in any case, as Spark and the engine do it, and keep the one they were given. */
static void test_names_are_found_in_any_case(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT NOT NULL, Data STRING, ts TIMESTAMP, s STRUCT<Aa: INT>) "
         "PARTITIONED BY (days(TS)) IDENTIFIER FIELDS (ID) WRITE ORDERED BY DATA");
  run(f, "INSERT INTO db.t (ID, data) VALUES (1, 'x')");
  run(f, "ALTER TABLE db.t RENAME COLUMN DATA TO payload");
  run(f, "ALTER TABLE db.t ADD COLUMN S.Bb INT AFTER aa");
  run(f, "ALTER TABLE db.t ADD PARTITION FIELD bucket(4, Id)");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD days(Ts)");
  run(f, "ALTER TABLE db.t WRITE ORDERED BY TS");
  run(f, "ALTER TABLE db.t DROP IDENTIFIER FIELDS ID");
  run(f, "ALTER TABLE db.t DROP COLUMN IF EXISTS Payload");
  refuse(f, "ALTER TABLE db.t ADD COLUMN TS INT", CALVE_EEXISTS, "TS");
  assert_string_equal(schema_of(f, "t") + strlen("schema 4 of 5, "),
                      "last column 6: struct<1: id: required long, 3: ts: optional timestamptz, "
                      "4: s: optional struct<5: Aa: optional int, 6: Bb: optional int>>");
  assert_string_equal(spec_of(f, "t"),
                      "spec 2 of 3, last field 1001: 1001 bucket[4](1) id_bucket_4");
}

static void test_if_exists_and_if_not_exists(void **state) {
  sql_session *f = *state;
  make_places(f);
  assert_string_equal(run(f, "ALTER TABLE db.t DROP COLUMN IF EXISTS nope"),
                      "table db.t: nothing to change");
  assert_string_equal(run(f, "ALTER TABLE db.t ADD COLUMN IF NOT EXISTS addr.zip INT"),
                      "table db.t: nothing to change");
  run(f, "ALTER TABLE IF EXISTS db.nowhere DROP COLUMN x");
  refuse(f, "ALTER TABLE db.t DROP COLUMN nope", CALVE_ENOTFOUND, "nope");
  refuse(f, "ALTER TABLE db.t ADD COLUMN addr.zip INT", CALVE_EEXISTS, "zip");
  refuse(f, "ALTER TABLE db.nowhere DROP COLUMN x", CALVE_ENOTFOUND, "nowhere");
}

/* Refusals say what the rule is, and leave the table as it was. */
static void test_what_would_break_the_table_is_refused(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT NOT NULL, ts TIMESTAMP, m MAP<STRUCT<k: INT>, INT>, "
         "s STRING) PARTITIONED BY (days(ts)) IDENTIFIER FIELDS (id) WRITE ORDERED BY s");
  const char *before = schema_of(f, "t");
  refuse(f, "ALTER TABLE db.t DROP COLUMN ts", CALVE_EINVAL, "ts_day");
  refuse(f, "ALTER TABLE db.t DROP COLUMN s", CALVE_EINVAL, "sort order");
  refuse(f, "ALTER TABLE db.t DROP COLUMN id", CALVE_EINVAL, "identifier");
  refuse(f, "ALTER TABLE db.t ALTER COLUMN id DROP NOT NULL", CALVE_EINVAL, "identifier");
  refuse(f, "ALTER TABLE db.t ADD COLUMN ts_day INT", CALVE_EINVAL, "ts_day"); /* B026 (2) */
  refuse(f, "ALTER TABLE db.t RENAME COLUMN s TO ts_day", CALVE_EINVAL, "ts_day");
  refuse(f, "ALTER TABLE db.t ADD COLUMN m.key.x INT", CALVE_EINVAL, "key");
  refuse(f, "ALTER TABLE db.t ALTER COLUMN id TYPE INT", CALVE_EINVAL, "int");
  refuse(f, "ALTER TABLE db.t ALTER COLUMN s SET NOT NULL", CALVE_EINVAL, "s");
  refuse(f, "ALTER TABLE db.t ADD COLUMN r INT NOT NULL", CALVE_EINVAL, "r");     /* B040 */
  refuse(f, "ALTER TABLE db.t ADD COLUMN r INT DEFAULT 5", CALVE_EINVAL, "r");    /* v2 */
  refuse(f, "ALTER TABLE db.t RENAME COLUMN s TO id", CALVE_EINVAL, "column 1 has that name");
  assert_string_equal(schema_of(f, "t"), before);
}

static void test_identifier_fields(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT NOT NULL, s STRUCT<k: INT NOT NULL> NOT NULL, o INT)");
  run(f, "ALTER TABLE db.t SET IDENTIFIER FIELDS id, s.k");
  assert_row(f, "DESCRIBE db.t", "# identifier field,id,NULL|# identifier field,s.k,NULL");
  run(f, "ALTER TABLE db.t DROP IDENTIFIER FIELDS id");
  run(f, "ALTER TABLE db.t RENAME COLUMN s.k TO key");
  assert_row(f, "DESCRIBE db.t", "# identifier field,s.key,NULL|# part");
  refuse(f, "ALTER TABLE db.t SET IDENTIFIER FIELDS o", CALVE_EINVAL, "optional");
  refuse(f, "ALTER TABLE db.t DROP IDENTIFIER FIELDS id", CALVE_EINVAL, "identifier");
}

/* ---- format version, defaults ----------------------------------------------------------- */

/* B040, B041: the default at the time of adding is what old rows show, the one of today what new
 * rows get; a null that was written stays null. */
static void test_defaults_of_version_3(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT)");
  run(f, "INSERT INTO db.t VALUES (1)");
  run(f, "ALTER TABLE db.t SET TBLPROPERTIES ('format-version' = '3')");
  assert_row(f, "DESCRIBE db.t", "# format version,3,");
  run(f, "ALTER TABLE db.t ADD COLUMN c STRING DEFAULT 'US'");
  run(f, "ALTER TABLE db.t ADD COLUMN n INT NOT NULL DEFAULT 7");
  run(f, "ALTER TABLE db.t ALTER COLUMN c SET DEFAULT 'GB'");
  run(f, "INSERT INTO db.t (id) VALUES (2)");
  run(f, "INSERT INTO db.t VALUES (3, NULL, 0)");
  run(f, "ALTER TABLE db.t ALTER COLUMN c DROP DEFAULT");
  run(f, "INSERT INTO db.t (id) VALUES (4)");
  assert_rows(f, "SELECT id, c, n::BIGINT FROM db.t ORDER BY id",
              "1,US,7|2,GB,7|3,NULL,0|4,NULL,7");
  assert_rows(f, "SELECT id FROM db.t WHERE c = 'US'", "1");
  refuse(f, "ALTER TABLE db.t SET TBLPROPERTIES ('format-version' = '2')", CALVE_EINVAL,
         "format-version");
  refuse(f, "ALTER TABLE db.t SET TBLPROPERTIES ('format-version' = '4')", CALVE_EUNSUPPORTED,
         "format-version");
}

static void test_defaults_inside_structs(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, s STRUCT<x: INT>) TBLPROPERTIES ('format-version' = '3')");
  run(f, "INSERT INTO db.t VALUES (1, {'x': 1}), (2, NULL)");
  run(f, "ALTER TABLE db.t ADD COLUMN s.y INT DEFAULT 5");
  assert_rows(f, "SELECT id, s::VARCHAR FROM db.t ORDER BY id", "1,{'x': 1, 'y': 5}|2,NULL");
}

static void test_upgrade_step_by_step_keeps_the_rows(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, c STRING) PARTITIONED BY (c) "
         "TBLPROPERTIES ('format-version' = '1')");
  run(f, "INSERT INTO db.t VALUES (1, 'a')");
  run(f, "ALTER TABLE db.t SET TBLPROPERTIES ('format-version' = '2')");
  run(f, "INSERT INTO db.t VALUES (2, 'b')");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD c");
  run(f, "INSERT INTO db.t VALUES (3, 'a')");
  run(f, "ALTER TABLE db.t SET TBLPROPERTIES ('format-version' = '3')");
  run(f, "INSERT INTO db.t VALUES (4, 'a')");
  assert_string_equal(spec_of(f, "t"), "spec 1 of 2, last field 1000:");
  assert_rows(f, "SELECT id FROM db.t WHERE c = 'a' ORDER BY id", "1|3|4");
}

/* ---- order, properties, name ------------------------------------------------------------ */

static void test_write_order_and_distribution(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP)");
  run(f, "ALTER TABLE db.t WRITE ORDERED BY bucket(4, id) DESC, ts NULLS LAST");
  assert_string_equal(order_of(f, "t"),
                      "order 1 of 2: bucket[4](1) desc nulls last, identity(2) asc nulls last");
  assert_string_equal(property_of(f, "t", "write.distribution-mode"), "range");
  run(f, "ALTER TABLE db.t WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY id");
  assert_string_equal(order_of(f, "t"), "order 2 of 3: identity(1) asc nulls first");
  assert_string_equal(property_of(f, "t", "write.distribution-mode"), "hash");
  run(f, "ALTER TABLE db.t WRITE LOCALLY ORDERED BY bucket(id, 4) DESC, ts ASC NULLS LAST");
  assert_string_equal(order_of(f, "t"),
                      "order 1 of 3: bucket[4](1) desc nulls last, identity(2) asc nulls last");
  assert_string_equal(property_of(f, "t", "write.distribution-mode"), "hash"); /* as it was */
  run(f, "ALTER TABLE db.t WRITE UNORDERED");
  assert_string_equal(order_of(f, "t"), "order 0 of 3:");
  assert_string_equal(property_of(f, "t", "write.distribution-mode"), "none");
  run(f, "ALTER TABLE db.t WRITE DISTRIBUTED BY PARTITION");
  assert_string_equal(property_of(f, "t", "write.distribution-mode"), "hash");
}

static void test_properties_are_set_and_unset(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT) TBLPROPERTIES ('a' = '1')");
  run(f, "ALTER TABLE db.t SET TBLPROPERTIES ('b.c' = '2', a = '3')");
  assert_string_equal(property_of(f, "t", "a"), "3");
  run(f, "ALTER TABLE db.t UNSET TBLPROPERTIES ('a', 'never.there')");
  assert_string_equal(property_of(f, "t", "a"), "");
  assert_row(f, "SHOW TBLPROPERTIES db.t", "b.c,2");
  refuse(f, "ALTER TABLE db.t SET TBLPROPERTIES ('current-snapshot-id' = '1')", CALVE_EINVAL,
         "reserved");
}

static void test_tables_are_renamed(void **state) {
  sql_session *f = *state;
  run(f, "CREATE NAMESPACE other");
  run(f, "CREATE TABLE db.t (id BIGINT)");
  run(f, "CREATE TABLE db.taken (id BIGINT)");
  run(f, "INSERT INTO db.t VALUES (1)");
  run(f, "ALTER TABLE db.t RENAME TO u");
  run(f, "ALTER TABLE db.u RENAME TO other.v");
  assert_rows(f, "SELECT id FROM other.v", "1");
  refuse(f, "SELECT id FROM db.t", CALVE_ENOTFOUND, "db.t");
  refuse(f, "ALTER TABLE other.v RENAME TO db.taken", CALVE_EEXISTS, "taken");
}

/* ---- somebody else evolves meanwhile ---------------------------------------------------- */

/* Rule: a change that was made for another schema or spec is refused, whole; nothing is guessed. */
static void test_a_change_for_an_older_state_is_a_conflict(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT)");
  calve_error err;
  calve_table *mine = load_table(f, "t");
  run(f, "ALTER TABLE db.t ADD COLUMN theirs INT");
  const calve_metadata *m = calve_table_metadata(mine);
  calve_requirement requirements[] = {
      {.kind = CALVE_REQUIRE_LAST_FIELD_ID, .id = m->last_column_id}};
  calve_change change = {.kind = CALVE_ADD_SCHEMA, .schema = m->schema};
  calve_changes changes = {1, &change, 1, requirements};
  assert_fails(calve_table_commit_changes(mine, &changes, &err), CALVE_ECONFLICT, &err);
  assert_message(&err, "last column id is 2, expected 1");
  calve_table_close(mine);
}

/* [spec: Primitive Types; Schema Evolution]: null, and in no file, until it is given a type. */
static void test_unknown_columns_are_null_until_they_have_a_type(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.u (id INT, u UNKNOWN, s STRUCT<u: UNKNOWN, a: INT>) "
         "TBLPROPERTIES ('format-version' = '3')");
  run(f, "INSERT INTO db.u (id) VALUES (1)");
  assert_rows(f, "SELECT id::BIGINT, u::BIGINT, s.u::BIGINT FROM db.u", "1,NULL,NULL");
  assert_rows(f, "SELECT id::BIGINT FROM db.u WHERE u IS NULL AND s.u IS NULL", "1");
  assert_rows(f, "SELECT id::BIGINT FROM db.u WHERE u IS NOT NULL OR u = 5", "");
  refuse(f, "INSERT INTO db.u (id, u) VALUES (2, 5)", CALVE_EUNSUPPORTED, "leave it out");
  refuse(f, "ALTER TABLE db.u ALTER COLUMN u SET DEFAULT 5", CALVE_EUNSUPPORTED, "unknown");
  run(f, "ALTER TABLE db.u ALTER COLUMN s.u TYPE STRING, u TYPE BIGINT");
  run(f, "INSERT INTO db.u VALUES (2, 5, {'u': 'x', 'a': 1})");
  assert_rows(f, "SELECT id::BIGINT, u, s.u FROM db.u ORDER BY id", "1,NULL,NULL|2,5,x");
  refuse(f, "ALTER TABLE db.u ALTER COLUMN u TYPE DATE", CALVE_EINVAL, "long can't become date");
}

/* Rule: metadata of before field ids were tracked (one schema, one spec, no ids) opens, evolves and
 * is planned right; ids are given by place, from 1000 on (B022, B074). */
static void test_metadata_without_partition_field_ids_evolves(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, s STRING) PARTITIONED BY (bucket(4, id), s) "
         "TBLPROPERTIES ('format-version' = '1')");
  run(f, "INSERT INTO db.t VALUES (1, 'a'), (2, 'b')");
  register_edited(f, "old", (const char *[]){",\"field-id\":1000", "", ",\"field-id\":1001", "",
                                             "\"partition-specs\"", "\"x-specs\"",
                                             "\"last-partition-id\"", "\"x-last\"",
                                             "\"schemas\"", "\"x-schemas\"",
                                             "\"current-schema-id\"", "\"x-current\"", NULL});
  assert_string_equal(spec_of(f, "old"),
                      "spec 0 of 1, last field 1001: 1000 bucket[4](1) id_bucket, "
                      "1001 identity(2) s");
  run(f, "ALTER TABLE db.old DROP PARTITION FIELD s");
  run(f, "ALTER TABLE db.old ADD PARTITION FIELD truncate(1, s)");
  run(f, "ALTER TABLE db.old RENAME COLUMN s TO t");
  run(f, "INSERT INTO db.old VALUES (3, 'a'), (4, 'b')");
  assert_string_equal(spec_of(f, "old"),
                      "spec 2 of 3, last field 1002: 1000 bucket[4](1) id_bucket, 1001 void(2) s, "
                      "1002 truncate[1](2) s_trunc_1");
  assert_rows(f, "SELECT id::BIGINT FROM db.old WHERE t = 'a' ORDER BY 1", "1|3");
  assert_rows(f, "SELECT id::BIGINT FROM db.old WHERE id = 4", "4");
  assert_row(f, "EXPLAIN SELECT * FROM db.old WHERE t = 'a'", "    2 of 4 files kept");
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      T(test_months_then_days_beside_then_days_alone),
      T(test_replace_goes_there_in_one_step),
      T(test_a_dropped_field_comes_back_with_its_id),
      T(test_ids_of_an_unpartitioned_table_that_was_partitioned),
      T(test_the_newest_spec_is_searched_when_an_older_one_is_current),
      T(test_v1_leaves_holes),
      T(test_a_field_comes_back_beside_its_void),
      T(test_fields_are_renamed_and_ordered),
      T(test_nested_columns_change_by_path),
      T(test_names_that_change_hands),
      T(test_several_changes_are_one_commit),
      T(test_names_are_found_in_any_case),
      T(test_if_exists_and_if_not_exists),
      T(test_what_would_break_the_table_is_refused),
      T(test_identifier_fields),
      T(test_defaults_of_version_3),
      T(test_defaults_inside_structs),
      T(test_upgrade_step_by_step_keeps_the_rows),
      T(test_write_order_and_distribution),
      T(test_properties_are_set_and_unset),
      T(test_tables_are_renamed),
      T(test_a_change_for_an_older_state_is_a_conflict),
      T(test_unknown_columns_are_null_until_they_have_a_type),
      T(test_metadata_without_partition_field_ids_evolves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
