/* SPDX-License-Identifier: Apache-2.0 */
/* CREATE and REPLACE TABLE: ids, names, what is kept; and SHOW CREATE TABLE, whose output makes the
 * table again. */
#include "sql_session.h"

/* ---- names of partition fields ---------------------------------------------------------- */

/* Rule: without a name a field gets the reference's: without the number at CREATE, with it by
 * ALTER. */
static void test_partition_fields_are_named_as_the_reference_does(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP, name STRING, a STRUCT<b: INT>) "
         "PARTITIONED BY (bucket(16, id), truncate(4, name), days(ts), a.b)");
  assert_string_equal(spec_of(f, "t"),
                      "spec 0 of 1, last field 1003: 1000 bucket[16](1) id_bucket, "
                      "1001 truncate[4](3) name_trunc, 1002 day(2) ts_day, 1003 identity(5) a.b");
  run(f, "CREATE TABLE db.u (id BIGINT, name STRING)");
  run(f, "ALTER TABLE db.u ADD PARTITION FIELD bucket(16, id)");
  run(f, "ALTER TABLE db.u ADD PARTITION FIELD truncate(name, 4)");
  assert_string_equal(spec_of(f, "u"),
                      "spec 2 of 3, last field 1001: 1000 bucket[16](1) id_bucket_16, "
                      "1001 truncate[4](2) name_trunc_4");
}

static void test_create_takes_names_for_partition_fields(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) PARTITIONED BY "
         "(bucket(16, id) AS shard, bucket(4, id), bucket(8, id), days(ts) AS `the day`)");
  assert_string_equal(spec_of(f, "t"),
                      "spec 0 of 1, last field 1003: 1000 bucket[16](1) shard, 1001 bucket[4](1) "
                      "id_bucket, 1002 bucket[8](1) id_bucket_8, 1003 day(2) the day");
}

/* B026 (1), (4). */
static void test_a_partition_field_may_not_take_the_name_of_another_column(void **state) {
  sql_session *f = *state;
  refuse(f, "CREATE TABLE db.t (ts TIMESTAMP, ts_day STRING) PARTITIONED BY (days(ts))",
         CALVE_EINVAL, "ts_day");
  refuse(f, "CREATE TABLE db.t (id INT) PARTITIONED BY (bucket(4, id) AS id)", CALVE_EINVAL, "id");
  run(f, "CREATE TABLE db.t (ts TIMESTAMP, ts_day STRING) PARTITIONED BY (days(ts) AS d)");
}

/* ---- SHOW CREATE TABLE ------------------------------------------------------------------ */

static const char *replaced(sql_session *f, const char *text, const char *from, const char *to) {
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  for (const char *at; (at = strstr(text, from)); text = at + strlen(from)) {
    calve_buffer_put(&b, text, (size_t)(at - text));
    calve_buffer_puts(&b, to);
  }
  calve_buffer_puts(&b, text);
  const char *copy = calve_arena_copy(&f->arena, calve_buffer_cstr(&b), b.size);
  calve_buffer_free(&b);
  return copy;
}

static void assert_equal_columns(const calve_schema *a, const calve_schema *b) {
  assert_int_equal(a->node_count, b->node_count);
  for (int32_t i = 0; i < a->node_count; i++) {
    const calve_field *x = a->nodes[i].field, *y = b->nodes[i].field;
    assert_true(calve_str_equal(a->nodes[i].full_name, b->nodes[i].full_name));
    assert_true(calve_str_equal(x->doc, y->doc));
    assert_int_equal(x->type->id, y->type->id);
    assert_int_equal(x->required, y->required);
    assert_int_equal(!x->write_default, !y->write_default);
    if (x->write_default) assert_true(calve_value_equal(x->write_default, y->write_default));
  }
  assert_int_equal(a->identifier_field_count, b->identifier_field_count);
}

/* Creates db.copy from what SHOW CREATE TABLE db.original says, and compares all but the ids. */
static void assert_creates_an_equal_table(sql_session *f) {
  const char *text = rows_of(f, "SHOW CREATE TABLE db.original");
  run(f, replaced(f, replaced(f, text, "db.original", "db.copy"), "/original'", "/copy'"));
  const char *again = rows_of(f, "SHOW CREATE TABLE db.copy");
  assert_string_equal(
      replaced(f, replaced(f, again, "db.copy", "db.original"), "/copy'", "/original'"), text);
  calve_table *a = load_table(f, "original"), *b = load_table(f, "copy");
  const calve_metadata *m = calve_table_metadata(a), *n = calve_table_metadata(b);
  assert_int_equal(m->format_version, n->format_version);
  assert_equal_columns(m->schema, n->schema);
  assert_int_equal(m->spec->field_count, n->spec->field_count);
  for (int32_t i = 0; i < m->spec->field_count; i++) {
    const calve_partition_field *x = &m->spec->fields[i], *y = &n->spec->fields[i];
    assert_true(calve_str_equal(x->name, y->name));
    assert_true(calve_transform_equal(&x->transform, &y->transform));
    assert_true(calve_str_equal(calve_schema_find_id(m->schema, x->source_id)->full_name,
                                calve_schema_find_id(n->schema, y->source_id)->full_name));
  }
  assert_int_equal(m->sort_order->field_count, n->sort_order->field_count);
  assert_int_equal(m->properties.count, n->properties.count);
  for (size_t i = 0; i < m->properties.count; i++) {
    calve_str key = m->properties.items[i].key;
    const char *want = property_of(f, "original", key.data);
    assert_string_equal(property_of(f, "copy", key.data), want);
  }
  calve_table_close(a);
  calve_table_close(b);
}

static void test_show_create_of_all_kinds_of_columns(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.original ("
         "id BIGINT NOT NULL COMMENT 'the ''id''', "
         "`odd``name` STRING COMMENT '', `a.b` INT, `sélect` DOUBLE, `1st` DECIMAL(18, 2), "
         "place STRUCT<city: STRING NOT NULL COMMENT 'where', `zip code`: INT, "
         "  deep: STRUCT<x: BIGINT COMMENT 'x', y: ARRAY<STRUCT<z: DATE>>>> NOT NULL, "
         "tags ARRAY<STRING NOT NULL>, "
         "props MAP<STRING, STRUCT<v: TIMESTAMP_NTZ NOT NULL> NOT NULL>, "
         "ts TIMESTAMP, t TIME, u UUID, b BINARY, f BOOLEAN, d DATE, fx FIXED(3), "
         "`not` INT, `comment` STRING, `first` INT, `as` DATE, `default` INT) "
         "PARTITIONED BY (bucket(16, id), months(ts) AS `the month`, `odd``name`, "
         "truncate(3, `a.b`), place.city, `as`) IDENTIFIER FIELDS (id, place.city) "
         "WRITE ORDERED BY days(ts) DESC NULLS FIRST, `1st` ASC NULLS LAST, "
         "bucket(4, place.deep.x) "
         "COMMENT 'all of it' TBLPROPERTIES ('a''b' = 'c\\d', 'format-version' = '2')");
  assert_creates_an_equal_table(f);
}

static void test_show_create_of_defaults(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.original (i INT NOT NULL DEFAULT -7, l BIGINT DEFAULT 9000000000, "
         "f FLOAT DEFAULT 0.1, d DOUBLE DEFAULT 'NaN', z DOUBLE DEFAULT '-0.0', "
         "e DOUBLE DEFAULT 0.30000000000000004, dec DECIMAL(38, 10) DEFAULT -1.0000000001, "
         "s STRING DEFAULT 'it''s', empty STRING DEFAULT '', bo BOOLEAN DEFAULT true, "
         "da DATE DEFAULT DATE '1969-12-31', ti TIME DEFAULT '12:30:00.000001', "
         "ts TIMESTAMP DEFAULT '2026-03-01 12:00:00+01', "
         "tn TIMESTAMP_NTZ DEFAULT '1960-01-01 00:00:00.5', "
         "u UUID DEFAULT 'f79c3e09-677c-4bbd-a479-3f349cb785e7', b BINARY DEFAULT '\\xFF\\x00', "
         "n STRUCT<a: INT DEFAULT 3 COMMENT 'c', b: STRUCT<c: STRING DEFAULT 'x>y'>>) "
         "TBLPROPERTIES ('format-version' = '3')");
  assert_creates_an_equal_table(f);
  run(f, "ALTER TABLE db.original ALTER COLUMN i SET DEFAULT 8");
  run(f, "ALTER TABLE db.original ALTER COLUMN s DROP DEFAULT");
  run(f, "DROP TABLE db.copy PURGE");
  assert_creates_an_equal_table(f);
}

/* What evolution leaves behind: fields whose columns were renamed, names that ALTER gave. */
static void test_show_create_of_an_evolved_table(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.original (id BIGINT, ts TIMESTAMP) "
         "PARTITIONED BY (months(ts), bucket(4, id))");
  run(f, "ALTER TABLE db.original RENAME COLUMN ts TO at");
  run(f, "ALTER TABLE db.original ADD PARTITION FIELD bucket(8, id)");
  run(f, "ALTER TABLE db.original DROP PARTITION FIELD bucket(4, id)");
  run(f, "ALTER TABLE db.original WRITE ORDERED BY id");
  assert_creates_an_equal_table(f);
}

/* ---- REPLACE TABLE ---------------------------------------------------------------------- */

static void test_replace_keeps_history_uuid_and_the_ids_of_names(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, a STRUCT<x: INT, y: STRING>, gone STRING, l ARRAY<INT>) "
         "PARTITIONED BY (bucket(16, id), gone) WRITE ORDERED BY id TBLPROPERTIES ('k' = 'v')");
  run(f, "INSERT INTO db.t VALUES (1, {'x': 1, 'y': 'y'}, 'g', [1])");
  calve_table *before = load_table(f, "t");
  run(f, "REPLACE TABLE db.t (l ARRAY<INT>, a STRUCT<z: INT, y: STRING>, id BIGINT NOT NULL) "
         "PARTITIONED BY (truncate(10, id), bucket(16, id)) TBLPROPERTIES ('n' = 'w')");
  assert_string_equal(schema_of(f, "t"),
                      "schema 1 of 2, last column 8: struct<4: l: optional list<int>, 2: a: "
                      "optional struct<8: z: optional int, 6: y: optional string>, 1: id: required "
                      "long>");
  assert_string_equal(spec_of(f, "t"),
                      "spec 1 of 2, last field 1002: 1002 truncate[10](1) id_trunc, "
                      "1000 bucket[16](1) id_bucket");
  assert_string_equal(order_of(f, "t"), "order 0 of 2:");
  assert_string_equal(property_of(f, "t", "k"), "v");
  assert_string_equal(property_of(f, "t", "n"), "w");
  assert_rows(f, "SELECT count(*) FROM db.t", "0");
  calve_table *after = load_table(f, "t");
  const calve_metadata *m = calve_table_metadata(before), *n = calve_table_metadata(after);
  assert_true(calve_str_equal(m->table_uuid, n->table_uuid));
  assert_true(n->current_snapshot_id == CALVE_NO_SNAPSHOT);
  assert_int_equal(n->snapshot_count, 1);
  assert_int_equal(n->snapshot_log_count, 1);
  char travel[200];
  snprintf(travel, sizeof travel, "SELECT id::BIGINT, gone FROM db.t FOR VERSION AS OF %lld",
           (long long)m->current_snapshot_id);
  assert_rows(f, travel, "1,g");
  calve_table_close(before);
  calve_table_close(after);
  run(f, "INSERT INTO db.t VALUES ([2], {'z': 2, 'y': 'y2'}, 2)");
  assert_rows(f, "SELECT id, a.y FROM db.t", "2,y2");
}

/* Safer than the reference: the id of a name whose values can't be read as the new type is not
 * taken for it. */
static void test_replace_gives_fresh_ids_where_the_type_is_another(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id STRING, a STRUCT<x: INT>, n BIGINT) "
         "PARTITIONED BY (bucket(4, id))");
  run(f, "REPLACE TABLE db.t (id BIGINT, a ARRAY<STRUCT<x: INT>>, n INT) "
         "PARTITIONED BY (bucket(4, id))");
  assert_string_equal(schema_of(f, "t"),
                      "schema 1 of 2, last column 9: struct<5: id: optional long, 6: a: optional "
                      "list<struct<9: x: optional int>>, 7: n: optional int>");
  assert_string_equal(spec_of(f, "t"),
                      "spec 1 of 2, last field 1001: 1001 bucket[4](5) id_bucket");
}

static void test_replace_gives_no_id_again(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, a INT, b INT)");
  run(f, "ALTER TABLE db.t DROP COLUMN b");
  run(f, "REPLACE TABLE db.t (b INT, id BIGINT)");
  assert_string_equal(schema_of(f, "t"), "schema 2 of 3, last column 4: struct<4: b: optional int, "
                                         "1: id: optional long>");
}

static void test_replace_gives_no_partition_id_twice(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT) PARTITIONED BY (bucket(4, id))");
  run(f, "REPLACE TABLE db.t (id BIGINT) PARTITIONED BY (bucket(4, id) AS a, bucket(4, id) AS b)");
  assert_string_equal(spec_of(f, "t"), "spec 1 of 2, last field 1001: 1000 bucket[4](1) a, "
                                       "1001 bucket[4](1) b");
}

static void test_replace_v1_keeps_holes_where_fields_were(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, c STRING, d DATE) PARTITIONED BY (c, bucket(4, id), "
         "days(d)) TBLPROPERTIES ('format-version' = '1')");
  run(f, "INSERT INTO db.t VALUES (1, 'a', DATE '2026-01-01')");
  run(f, "REPLACE TABLE db.t (id BIGINT, c INT, e DATE) PARTITIONED BY (years(e), bucket(4, id))");
  assert_string_equal(spec_of(f, "t"),
                      "spec 1 of 2, last field 1003: 1000 void(2) c_1000, 1001 bucket[4](1) "
                      "id_bucket, 1002 void(3) d_day, 1003 year(5) e_year");
  run(f, "INSERT INTO db.t VALUES (2, 5, DATE '2026-01-01')");
  assert_rows(f, "SELECT id, c::BIGINT FROM db.t WHERE c = 5", "2,5");
}

static void test_replace_as_query_is_one_commit(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT, c STRING)");
  run(f, "INSERT INTO db.t VALUES (1, 'a'), (2, 'b')");
  run(f, "REPLACE TABLE db.t PARTITIONED BY (c) AS SELECT id + 10 AS id, c, 'new' AS n FROM db.t");
  assert_rows(f, "SELECT id, c, n FROM db.t ORDER BY id", "11,a,new|12,b,new");
  assert_rows(f, "SELECT count(*) FROM db.t.history", "2");
  assert_string_equal(schema_of(f, "t"),
                      "schema 1 of 2, last column 3: struct<1: id: optional long, 2: c: optional "
                      "string, 3: n: optional string>");
  refuse(f, "REPLACE TABLE db.t AS SELECT error('stop') AS id", CALVE_EINVAL, "stop");
  assert_rows(f, "SELECT count(*) FROM db.t", "2");
  run(f, "CREATE OR REPLACE TABLE db.fresh AS SELECT 1 AS one");
  run(f, "CREATE OR REPLACE TABLE db.fresh AS SELECT 1 AS one WHERE false");
  assert_rows(f, "SELECT count(*) FROM db.fresh", "0");
  refuse(f, "REPLACE TABLE db.nowhere (id INT)", CALVE_ENOTFOUND, "nowhere");
}

static void test_replace_can_upgrade_but_not_go_back(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id BIGINT)");
  refuse(f, "REPLACE TABLE db.t (id BIGINT) TBLPROPERTIES ('format-version' = '1')", CALVE_EINVAL,
         "format-version");
  refuse(f, "REPLACE TABLE db.t (id BIGINT, n INT DEFAULT 5)", CALVE_EINVAL, "n");
  run(f, "REPLACE TABLE db.t (id BIGINT, n INT DEFAULT 5) TBLPROPERTIES ('format-version' = '3')");
  run(f, "INSERT INTO db.t (id) VALUES (1)");
  assert_rows(f, "SELECT id, n::BIGINT FROM db.t", "1,5");
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      T(test_partition_fields_are_named_as_the_reference_does),
      T(test_create_takes_names_for_partition_fields),
      T(test_a_partition_field_may_not_take_the_name_of_another_column),
      T(test_show_create_of_all_kinds_of_columns),
      T(test_show_create_of_defaults),
      T(test_show_create_of_an_evolved_table),
      T(test_replace_keeps_history_uuid_and_the_ids_of_names),
      T(test_replace_gives_fresh_ids_where_the_type_is_another),
      T(test_replace_gives_no_id_again),
      T(test_replace_gives_no_partition_id_twice),
      T(test_replace_v1_keeps_holes_where_fields_were),
      T(test_replace_as_query_is_one_commit),
      T(test_replace_can_upgrade_but_not_go_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
