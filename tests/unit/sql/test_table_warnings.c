/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that are gone though a partition field was made of them (B015): what can't be made safe
 * is refused, what is broken already opens with a warning and can be mended. */
#include "sql_session.h"

/* The warnings of a statement, "|" between them. */
static const char *warnings_of(sql_session *f, const char *sql) {
  calve_error err;
  calve_result *r = NULL;
  calve_buffer text;
  calve_buffer_init(&text, NULL);
  assert_ok(try_run(f, sql, &r, &err), &err);
  for (size_t i = 0; i < calve_result_warning_count(r); i++)
    calve_buffer_printf(&text, "%s%s", i ? "|" : "", calve_result_warning(r, i));
  calve_result_free(r);
  const char *copy = calve_arena_copy(&f->arena, calve_buffer_cstr(&text), text.size);
  calve_buffer_free(&text);
  return copy;
}

/* What another engine did to the table: the column is dropped, whatever that breaks. */
static void drop_by_force(sql_session *f, const char *name, const char *dropped) {
  calve_error err;
  calve_table *table = load_table(f, name);
  const calve_metadata *m = calve_table_metadata(table);
  const calve_type *old = m->schema->root;
  calve_field *fields = CALVE_NEW_ARRAY(&f->arena, calve_field, (size_t)old->field_count);
  int32_t count = 0;
  for (int32_t i = 0; i < old->field_count; i++)
    if (!calve_str_equal_text(old->fields[i].name, dropped)) fields[count++] = old->fields[i];
  calve_type root = {.id = CALVE_STRUCT, .field_count = count, .fields = fields};
  const calve_schema *schema;
  assert_ok(calve_schema_make(1, &root, NULL, 0, &f->arena, &schema, &err), &err);
  calve_change list[] = {
      {.kind = CALVE_ADD_SCHEMA, .schema = schema, .id = m->last_column_id},
      {.kind = CALVE_SET_CURRENT_SCHEMA, .id = -1}};
  calve_changes changes = {.change_count = 2, .changes = list};
  assert_ok(calve_table_commit_changes(table, &changes, &err), &err);
  calve_table_close(table);
}

/* Rule: rows of the old spec stay readable and plannable; the user is told what other engines make
 * of them. */
static void test_source_of_an_old_spec_can_go_with_a_warning(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, trip_id INT, distance INT) "
         "PARTITIONED BY (bucket(8, trip_id))");
  run(f, "INSERT INTO db.t VALUES (1, 1, 10)");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD bucket(8, trip_id) WITH bucket(4, distance)");
  assert_string_equal(
      warnings_of(f, "ALTER TABLE db.t DROP COLUMN trip_id"),
      "table db.t: spec 0: partition field 1000 (trip_id_bucket) was made of column 2 (trip_id), "
      "which is gone; the current snapshot has 1 file of that spec. Rows are read and planned "
      "right, but other engines may fail to list files and partitions while there are such files "
      "(SELECT file_path FROM db.t.files WHERE spec_id = 0)");
  assert_string_equal(warnings_of(f, "INSERT INTO db.t VALUES (2, 20)"), "");
  assert_rows(f, "SELECT id::BIGINT, distance::BIGINT FROM db.t ORDER BY 1", "1,10|2,20");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE distance = 10", "1");
  assert_rows(f, "SELECT spec_id::BIGINT, record_count FROM db.t.partitions ORDER BY 1",
              "0,1|1,1");
  assert_row(f, "DESCRIBE db.t", "# warning,spec 0: partition field 1000 (trip_id_bucket)");
  run(f, "ALTER TABLE db.t ADD COLUMN trip_id STRING");
  run(f, "INSERT INTO db.t VALUES (3, 30, 'x')");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE trip_id = 'x'", "3");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE trip_id IS NULL ORDER BY 1", "1|2");
}

static void test_source_of_the_current_spec_stays(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, n STRUCT<a: INT, b: INT>) PARTITIONED BY (n.a)");
  refuse(f, "ALTER TABLE db.t DROP COLUMN n.a", CALVE_EINVAL, "drop that partition field first");
  refuse(f, "ALTER TABLE db.t DROP COLUMN n", CALVE_EINVAL, "drop that partition field first");
  run(f, "ALTER TABLE db.t DROP COLUMN n.b");
}

/* Rule: a void that v1 leaves needs its column, in the reference and in PyIceberg, to write. */
static void test_source_of_a_void_stays_until_the_void_is_gone(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, c INT, d INT) PARTITIONED BY (c) "
         "TBLPROPERTIES ('format-version' = '1')");
  run(f, "INSERT INTO db.t VALUES (1, 1, 1)");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD c WITH d");
  refuse(f, "ALTER TABLE db.t DROP COLUMN c", CALVE_EINVAL,
         "upgrade the table to format version 2");
  run(f, "ALTER TABLE db.t SET TBLPROPERTIES ('format-version' = '2')");
  refuse(f, "ALTER TABLE db.t DROP COLUMN c", CALVE_EINVAL, "drop that partition field first");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD void(c)");
  run(f, "ALTER TABLE db.t DROP COLUMN c");
  run(f, "INSERT INTO db.t VALUES (2, 2)");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE d = 1", "1");
}

static void test_a_v1_table_that_is_broken_already_is_mended(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, c INT, d INT) PARTITIONED BY (c) "
         "TBLPROPERTIES ('format-version' = '1')");
  run(f, "INSERT INTO db.t VALUES (1, 1, 1)");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD c WITH d");
  drop_by_force(f, "t", "c");
  const char *warning = warnings_of(f, "SELECT id FROM db.t WHERE d = 1");
  assert_non_null(strstr(warning, "spec 1: partition field 1000 (c) was made of column 2 (c), "
                                  "which is gone. Other engines can't write to the table until it "
                                  "is upgraded to format version 2 and then ALTER TABLE ... DROP "
                                  "PARTITION FIELD c"));
  run(f, "INSERT INTO db.t VALUES (2, 2)");
  run(f, "ALTER TABLE db.t SET TBLPROPERTIES ('format-version' = '2')");
  run(f, "ALTER TABLE db.t DROP PARTITION FIELD c");
  assert_string_equal(spec_of(f, "t"), "spec 2 of 3, last field 1001: 1001 identity(3) d");
  run(f, "INSERT INTO db.t VALUES (3, 3)");
  assert_rows(f, "SELECT id::BIGINT FROM db.t ORDER BY 1", "1|2|3");
}

/* B026: what is on disk already still loads; the name is told. */
static void test_a_column_with_the_name_of_a_partition_field_is_told(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, ts DATE) PARTITIONED BY (days(ts))");
  run(f, "INSERT INTO db.t VALUES (1, DATE '2026-01-01')");
  calve_error err;
  calve_table *table = load_table(f, "t");
  const calve_metadata *m = calve_table_metadata(table);
  calve_field fields[] = {m->schema->root->fields[0], m->schema->root->fields[1],
                          {.id = 3, .name = CALVE_STR("ts_day"), .type = calve_type_of(CALVE_INT)}};
  calve_type root = {.id = CALVE_STRUCT, .field_count = 3, .fields = fields};
  const calve_schema *schema;
  assert_ok(calve_schema_make(1, &root, NULL, 0, &f->arena, &schema, &err), &err);
  calve_change list[] = {{.kind = CALVE_ADD_SCHEMA, .schema = schema, .id = 3},
                         {.kind = CALVE_SET_CURRENT_SCHEMA, .id = -1}};
  calve_changes changes = {.change_count = 2, .changes = list};
  assert_ok(calve_table_commit_changes(table, &changes, &err), &err);
  calve_table_close(table);
  assert_row(f, "DESCRIBE db.t",
             "# warning,partition field 1000 (ts_day) has the name of column 3");
  run(f, "INSERT INTO db.t VALUES (2, DATE '2026-01-02', 7)");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE ts_day = 7", "2");
  assert_rows(f, "SELECT id::BIGINT FROM db.t WHERE ts = DATE '2026-01-01'", "1");
}

/* ---- transforms that are not known ------------------------------------------------------- */

/* Rule: an unknown transform, and one of several columns, blocks writing and evolving the spec;
 * never reading, nor what has nothing to do with it. */
static void check_readable_only(sql_session *f, const char *name) {
  char sql[256];
#define SQL(text) (snprintf(sql, sizeof sql, text, name), sql)
  assert_rows(f, SQL("SELECT id::BIGINT, c::BIGINT FROM db.%s ORDER BY 1"), "1,10|2,20|3,NULL");
  assert_rows(f, SQL("SELECT id::BIGINT FROM db.%s WHERE c = 10"), "1");
  assert_rows(f, SQL("SELECT id::BIGINT FROM db.%s WHERE c IS NULL"), "3");
  assert_rows(f, SQL("SELECT id::BIGINT FROM db.%s WHERE c <> 10 OR id = 3 ORDER BY 1"), "2|3");
  assert_rows(f, SQL("SELECT count(*) FROM db.%s.files"), "3");
  assert_row(f, SQL("DESCRIBE db.%s"), "# warning,partition field 1000 (p) has a transform that "
                                       "this version does not know");
  refuse(f, SQL("INSERT INTO db.%s VALUES (4, 40)"), CALVE_EUNSUPPORTED, "p");
  refuse(f, SQL("INSERT OVERWRITE db.%s VALUES (4, 40)"), CALVE_EUNSUPPORTED, "p");
  refuse(f, SQL("ALTER TABLE db.%s ADD PARTITION FIELD id"), CALVE_EUNSUPPORTED, "1000 (p)");
  refuse(f, SQL("ALTER TABLE db.%s DROP PARTITION FIELD p"), CALVE_EUNSUPPORTED, "1000 (p)");
  refuse(f, SQL("ALTER TABLE db.%s RENAME PARTITION FIELD p TO q"), CALVE_EUNSUPPORTED, "1000 (p)");
  refuse(f, SQL("ALTER TABLE db.%s DROP COLUMN c"), CALVE_EINVAL, "1000, p");
  run(f, SQL("ALTER TABLE db.%s RENAME COLUMN c TO d"));
  run(f, SQL("ALTER TABLE db.%s SET TBLPROPERTIES ('a' = 'b')"));
  assert_rows(f, SQL("SELECT id::BIGINT, d::BIGINT FROM db.%s ORDER BY 1"), "1,10|2,20|3,NULL");
#undef SQL
}

static void test_unknown_transforms_block_writing_and_evolving_only(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, c INT) PARTITIONED BY (bucket(4, c) AS p) "
         "TBLPROPERTIES ('format-version' = '3')");
  run(f, "INSERT INTO db.t VALUES (1, 10)");
  run(f, "INSERT INTO db.t VALUES (2, 20)");
  run(f, "INSERT INTO db.t VALUES (3, NULL)");
  register_edited(f, "later", (const char *[]){"\"bucket[4]\"", "\"zorder[4]\"", NULL});
  check_readable_only(f, "later");
  register_edited(f, "many", (const char *[]){"\"source-id\":2", "\"source-ids\":[1,2]", NULL});
  check_readable_only(f, "many");
}

/* As an old spec it is in nobody's way. */
static void test_an_unknown_transform_of_an_old_spec_is_no_hindrance(void **state) {
  sql_session *f = *state;
  run(f, "CREATE TABLE db.t (id INT, c INT) PARTITIONED BY (bucket(4, c) AS p)");
  run(f, "INSERT INTO db.t VALUES (1, 10), (2, 20)");
  run(f, "ALTER TABLE db.t REPLACE PARTITION FIELD p WITH id");
  register_edited(f, "later", (const char *[]){"\"bucket[4]\"", "\"zorder[4]\"", NULL});
  run(f, "INSERT INTO db.later VALUES (3, 30)");
  run(f, "ALTER TABLE db.later ADD PARTITION FIELD truncate(10, c)");
  run(f, "INSERT INTO db.later VALUES (4, 40)");
  assert_rows(f, "SELECT id::BIGINT FROM db.later WHERE c >= 20 ORDER BY 1", "2|3|4");
  assert_rows(f, "SELECT id::BIGINT FROM db.later WHERE id = 1", "1");
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup_session, teardown_session)
  const struct CMUnitTest tests[] = {
      T(test_source_of_an_old_spec_can_go_with_a_warning),
      T(test_source_of_the_current_spec_stays),
      T(test_source_of_a_void_stays_until_the_void_is_gone),
      T(test_a_v1_table_that_is_broken_already_is_mended),
      T(test_a_column_with_the_name_of_a_partition_field_is_told),
      T(test_unknown_transforms_block_writing_and_evolving_only),
      T(test_an_unknown_transform_of_an_old_spec_is_no_hindrance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
