/* SPDX-License-Identifier: Apache-2.0 */
/* data/read: rows by field id at every depth. Files are written by the engine with hand-made ids.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "data_fixture.h"

#include "data/layout.h"

#define F(id, name, type) \
  "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":" type "}"
#define STRUCT(fields) "{\"type\":\"struct\",\"fields\":[" fields "]}"
#define LIST(id, type) \
  "{\"type\":\"list\",\"element-id\":" #id ",\"element-required\":false,\"element\":" type "}"
#define MAP(key_id, value_id, type)                                                     \
  "{\"type\":\"map\",\"key-id\":" #key_id ",\"key\":\"string\",\"value-id\":" #value_id \
  ",\"value-required\":false,\"value\":" type "}"

typedef struct read_case {
  const char *rule;
  const char *copy[3]; /* statements that write '@/0.parquet', '@/1.parquet' …                   */
  const char *fields;
  const char *properties;
  const char *query;
  const char *want;
} read_case;

static const read_case cases[] = {
    {"B035 a renamed column keeps its values",
     {"COPY (SELECT 1 AS id, 'before' AS old_name) TO '@/0.parquet' (FIELD_IDS {id:1,old_name:2})"},
     F(1, "id", "\"int\"") "," F(2, "new_name", "\"string\""),
     NULL,
     "SELECT id, new_name FROM t",
     "1|before"},
    {"B035 a dropped and re-added name shows no old values",
     {"COPY (SELECT 1 AS id, 'old' AS value) TO '@/0.parquet' (FIELD_IDS {id:1,value:2})",
      "COPY (SELECT 2 AS id, 'new' AS value) TO '@/1.parquet' (FIELD_IDS {id:1,value:3})"},
     F(1, "id", "\"int\"") "," F(3, "value", "\"string\""),
     NULL,
     "SELECT * FROM t ORDER BY id",
     "1|NULL;2|new"},
    {"B035 a filter on a re-added name matches no old value",
     {"COPY (SELECT 1 AS id, 'old' AS value) TO '@/0.parquet' (FIELD_IDS {id:1,value:2})"},
     F(1, "id", "\"int\"") "," F(3, "value", "\"string\""),
     NULL,
     "SELECT * FROM t WHERE value = 'old'",
     ""},
    {"B035 swapped names: values follow ids",
     {"COPY (SELECT 'x' AS a, 'y' AS b) TO '@/0.parquet' (FIELD_IDS {a:1,b:2})"},
     F(2, "a", "\"string\"") "," F(1, "b", "\"string\""),
     NULL,
     "SELECT a, b FROM t",
     "y|x"},
    {"B036 columns of unknown ids are ignored",
     {"COPY (SELECT 1 AS id, 2 AS gone, 3 AS later) TO '@/0.parquet' "
      "(FIELD_IDS {id:1,gone:2,later:2000})"},
     F(1, "id", "\"int\""),
     NULL,
     "SELECT * FROM t",
     "1"},
    {"a column that no file has is null",
     {"COPY (SELECT 1 AS id) TO '@/0.parquet' (FIELD_IDS {id:1})"},
     F(7, "n", STRUCT(F(8, "x", "\"long\""))) "," F(9, "l", LIST(10, "\"date\"")),
     NULL,
     "SELECT *, n IS NULL FROM t",
     "NULL|NULL|true"},
    {"nested renames and swaps go by id",
     {"COPY (SELECT {'a': 1, 'b': 2} AS s UNION ALL SELECT NULL UNION ALL SELECT "
      "{'a': NULL, 'b': NULL}) TO '@/0.parquet' (FIELD_IDS {s:{__duckdb_field_id:1,a:2,b:3}})"},
     F(1, "s", STRUCT(F(3, "a", "\"int\"") "," F(2, "b", "\"long\"") "," F(4, "c", "\"string\""))),
     NULL,
     "SELECT s, s IS NULL FROM t ORDER BY s IS NULL, s.a NULLS LAST",
     "{'a': 2, 'b': 1, 'c': NULL}|false;{'a': NULL, 'b': NULL, 'c': NULL}|false;NULL|true"},
    {"B042 fields added inside struct, element and value",
     {"COPY (SELECT 1 AS id, {'a': 1} AS s, [{'x': 1}, {'x': 2}] AS l, MAP{'k': {'p': 5}} AS m "
      "UNION ALL SELECT 2, NULL, [], MAP{}) TO '@/0.parquet' (FIELD_IDS {id:20, "
      "s:{__duckdb_field_id:1,a:2}, l:{__duckdb_field_id:3,element:{__duckdb_field_id:4,x:5}}, "
      "m:{__duckdb_field_id:6,key:7,value:{__duckdb_field_id:8,p:9}}})"},
     F(20, "id", "\"int\"") "," F(
         1, "s",
         STRUCT(F(10, "b", "\"int\"") "," F(
             2, "a",
             "\"int\""))) "," F(3, "l",
                                LIST(4,
                                     STRUCT(F(5, "x", "\"int\"") "," F(
                                         11, "y",
                                         "\"int\"")))) "," F(6, "m",
                                                             MAP(7, 8,
                                                                 STRUCT(F(12, "q", "\"int\"") "," F(
                                                                     9, "p", "\"long\"")))),
     NULL,
     "SELECT s, l, m FROM t ORDER BY id",
     "{'b': NULL, 'a': 1}|[{'x': 1, 'y': NULL}, {'x': 2, 'y': NULL}]|{k={'q': NULL, 'p': 5}};"
     "NULL|[]|{}"},
    {"B042 only a field that the file lacks: null struct and struct of null differ",
     {"COPY (SELECT 1 AS id, {'a': 1} AS s UNION ALL SELECT 2, NULL) TO '@/0.parquet' "
      "(FIELD_IDS {id:20, s:{__duckdb_field_id:1,a:2}})"},
     F(20, "id", "\"int\"") "," F(1, "s", STRUCT(F(10, "b", "\"int\""))),
     NULL,
     "SELECT s IS NULL, s FROM t ORDER BY id",
     "false|{'b': NULL};true|NULL"},
    {"B043 null, empty, null element, null field and value of a list of structs",
     {"COPY (SELECT * FROM (VALUES (1, NULL::STRUCT(x INT)[]), (2, []), (3, [NULL]), "
      "(4, [{'x': NULL}]), (5, [{'x': 1}])) v(id, l)) TO '@/0.parquet' (FIELD_IDS {id:20, "
      "l:{__duckdb_field_id:3,element:{__duckdb_field_id:4,x:5}}})"},
     F(20, "id", "\"int\"") "," F(3, "l",
                                  LIST(4, STRUCT(F(6, "y", "\"int\"") "," F(5, "z", "\"long\"")))),
     NULL,
     "SELECT l FROM t ORDER BY id",
     "NULL;[];[NULL];[{'y': NULL, 'z': NULL}];[{'y': NULL, 'z': 1}]"},
    {"B043 the same for a map",
     {"COPY (SELECT * FROM (VALUES (1, NULL::MAP(VARCHAR, STRUCT(x INT))), (2, MAP{}), "
      "(3, MAP{'k': NULL}), (4, MAP{'k': {'x': NULL}}), (5, MAP{'k': {'x': 1}})) v(id, m)) TO "
      "'@/0.parquet' (FIELD_IDS {id:20, "
      "m:{__duckdb_field_id:6,key:7,value:{__duckdb_field_id:8,x:9}}})"},
     F(20, "id", "\"int\"") "," F(6, "m", MAP(7, 8, STRUCT(F(9, "renamed", "\"long\"")))),
     NULL,
     "SELECT m FROM t ORDER BY id",
     "NULL;{};{k=NULL};{k={'renamed': NULL}};{k={'renamed': 1}}"},
    {"B043 two levels of lists, elements widened",
     {"COPY (SELECT * FROM (VALUES (1, NULL::INT[][]), (2, []), (3, [NULL]), (4, [[]]), "
      "(5, [[NULL]]), (6, [[1],[2,3]])) v(id, l)) TO '@/0.parquet' (FIELD_IDS {id:20, "
      "l:{__duckdb_field_id:3,element:{__duckdb_field_id:4,element:5}}})"},
     F(20, "id", "\"int\"") "," F(3, "l", LIST(4, LIST(5, "\"long\""))),
     NULL,
     "SELECT l FROM t ORDER BY id",
     "NULL;[];[NULL];[[]];[[NULL]];[[1], [2, 3]]"},
    {"an element id that the file lacks gives null elements, not old values",
     {"COPY (SELECT [1, 2] AS l) TO '@/0.parquet' (FIELD_IDS {l:{__duckdb_field_id:3,element:4}})"},
     F(3, "l", LIST(5, "\"int\"")),
     NULL,
     "SELECT l FROM t",
     "[NULL, NULL]"},
    {"deep: struct in map in list in struct",
     {"COPY (SELECT {'l': [{'m': MAP{'k': {'p': 1, 'q': 2}}}, NULL]} AS c) TO '@/0.parquet' "
      "(FIELD_IDS {c:{__duckdb_field_id:1,l:{__duckdb_field_id:2,element:{__duckdb_field_id:3,"
      "m:{__duckdb_field_id:4,key:5,value:{__duckdb_field_id:6,p:7,q:8}}}}}})"},
     F(1, "c",
       STRUCT(F(2, "l",
                LIST(3, STRUCT(F(4, "m",
                                 MAP(5, 6,
                                     STRUCT(F(8, "p", "\"int\"") "," F(
                                         7, "q", "\"int\"")))) "," F(9, "n", "\"string\"")))))),
     NULL,
     "SELECT c FROM t",
     "{'l': [{'m': {k={'p': 2, 'q': 1}}, 'n': NULL}, NULL]}"},
    {"B045 promotions",
     {"COPY (SELECT -7::INT AS i, 0.1::FLOAT AS f, 1.25::DECIMAL(5,2) AS d) TO '@/0.parquet' "
      "(FIELD_IDS {i:1,f:2,d:3})",
      "COPY (SELECT 4000000001 AS i, 2.5::DOUBLE AS f, 99999999.99::DECIMAL(20,2) AS d) "
      "TO '@/1.parquet' (FIELD_IDS {i:1,f:2,d:3})"},
     F(1, "i", "\"long\"") "," F(2, "f", "\"double\"") "," F(3, "d", "\"decimal(20, 2)\""),
     NULL,
     "SELECT * FROM t ORDER BY i",
     "-7|0.10000000149011612|1.25;4000000001|2.5|99999999.99"},
    {"B045 filters on promoted columns",
     {"COPY (SELECT 42::INT AS i, 1.5::FLOAT AS f) TO '@/0.parquet' (FIELD_IDS {i:1,f:2})",
      "COPY (SELECT -7::INT AS i, 0.1::FLOAT AS f) TO '@/1.parquet' (FIELD_IDS {i:1,f:2})",
      "COPY (SELECT 4000000001 AS i, 7.0::DOUBLE AS f) TO '@/2.parquet' (FIELD_IDS {i:1,f:2})"},
     F(1, "i", "\"long\"") "," F(2, "f", "\"double\""),
     NULL,
     "SELECT (SELECT list(i ORDER BY i) FROM t WHERE i < 0), (SELECT list(i) FROM t WHERE i = 42),"
     " (SELECT list(i) FROM t WHERE i > 4000000000), (SELECT count(*) FROM t WHERE f = 0.1)",
     "[-7]|[42]|[4000000001]|0"},
    {"a date that became a timestamp is midnight to a filter",
     {"COPY (SELECT DATE '2026-03-01' AS d) TO '@/0.parquet' (FIELD_IDS {d:1})"},
     F(1, "d", "\"timestamp\""),
     NULL,
     "SELECT (SELECT count(*) FROM t WHERE d = TIMESTAMP '2026-03-01 12:00:00'), "
     "(SELECT count(*) FROM t WHERE d < TIMESTAMP '2026-03-01 12:00:00')",
     "0|1"},
    {"v3 date to timestamp, also nested",
     {"COPY (SELECT DATE '2026-03-01' AS d, {'d': DATE '1969-12-31'} AS s) TO '@/0.parquet' "
      "(FIELD_IDS {d:1,s:{__duckdb_field_id:2,d:3}})"},
     F(1, "d", "\"timestamp\"") "," F(2, "s", STRUCT(F(3, "d", "\"timestamp\""))),
     NULL,
     "SELECT * FROM t",
     "2026-03-01 00:00:00|{'d': '1969-12-31 00:00:00'}"},
    {"B041 a missing column reads as its initial default, a null stays null",
     {"COPY (SELECT 1 AS id) TO '@/0.parquet' (FIELD_IDS {id:1})",
      "COPY (SELECT * FROM (VALUES (2, 'GB'), (3, NULL)) v(id, c)) TO '@/1.parquet' "
      "(FIELD_IDS {id:1,c:2})"},
     F(1, "id", "\"int\"") ",{\"id\":2,\"name\":\"c\",\"required\":false,\"type\":\"string\","
                           "\"initial-default\":\"US\",\"write-default\":\"GB\"}",
     NULL,
     "SELECT * FROM t ORDER BY id",
     "1|US;2|GB;3|NULL"},
    {"B040 a required column with a default",
     {"COPY (SELECT 1 AS id) TO '@/0.parquet' (FIELD_IDS {id:1})"},
     F(1, "id", "\"int\"") ",{\"id\":2,\"name\":\"x\",\"required\":true,\"type\":\"int\","
                           "\"initial-default\":7,\"write-default\":8}",
     NULL,
     "SELECT * FROM t",
     "1|7"},
    {"B041 defaults inside a struct",
     {"COPY (SELECT 1 AS id, {'x': 3} AS p UNION ALL SELECT 2, NULL) TO '@/0.parquet' "
      "(FIELD_IDS {id:1, p:{__duckdb_field_id:2,x:3}})"},
     F(1, "id", "\"int\"") "," F(
         2, "p",
         STRUCT(F(3, "x", "\"int\"") ",{\"id\":4,\"name\":\"y\","
                                     "\"required\":false,\"type\":\"int\",\"initial-default\":0}")),
     NULL,
     "SELECT p FROM t ORDER BY id",
     "{'x': 3, 'y': 0};NULL"},
    {"B037 a name mapping: several names, nested, literal dots, entries without id",
     {"COPY (SELECT 1 AS record_id, [7] AS list, MAP{'k': 2} AS m, 5 AS \"a.b\", 9 AS junk, "
      "6 AS eight) TO '@/0.parquet'"},
     F(1, "id", "\"int\"") "," F(3, "list", LIST(4, "\"long\"")) "," F(
         5, "m", MAP(6, 7, "\"int\"")) "," F(8, "eight", "\"int\"") "," F(9, "nine", "\"int\""),
     "\"schema.name-mapping.default\":\"[{\\\"field-id\\\":1,\\\"names\\\":[\\\"id\\\",\\\"record_"
     "id\\\"]},"
     "{\\\"field-id\\\":3,\\\"names\\\":[\\\"list\\\"],\\\"fields\\\":[{\\\"field-id\\\":4,"
     "\\\"names\\\":[\\\"element\\\"]}]},"
     "{\\\"field-id\\\":5,\\\"names\\\":[\\\"m\\\"],\\\"fields\\\":[{\\\"field-id\\\":6,"
     "\\\"names\\\":[\\\"key\\\"]},"
     "{\\\"field-id\\\":7,\\\"names\\\":[\\\"value\\\"]}]},{\\\"field-id\\\":8,\\\"names\\\":[]},"
     "{\\\"names\\\":[\\\"junk\\\"]},{\\\"field-id\\\":9,\\\"names\\\":[\\\"a.b\\\"]}]\"",
     "SELECT * FROM t",
     "1|[7]|{k=2}|NULL|5"},
    {"B037 a file with ids does not use the mapping",
     {"COPY (SELECT 42 AS record_id) TO '@/0.parquet' (FIELD_IDS {record_id:42})"},
     F(1, "id", "\"int\""),
     "\"schema.name-mapping.default\":\"[{\\\"field-id\\\":1,\\\"names\\\":[\\\"record_id\\\"]}]\"",
     "SELECT * FROM t",
     "NULL"},
    {"timestamps without the UTC flag are not shifted by the session's zone",
     {"COPY (SELECT TIMESTAMP '2026-03-01 12:00:00' AS a, TIMESTAMPTZ '2026-03-01 12:00:00+00' AS "
      "b)"
      " TO '@/0.parquet' (FIELD_IDS {a:1,b:2})"},
     F(1, "a", "\"timestamptz\"") "," F(2, "b", "\"timestamp\""),
     NULL,
     "SELECT epoch_us(a), epoch_us(b) FROM t",
     "1772366400000000|1772366400000000"},
    {"types that other writers spell differently",
     {"COPY (SELECT 'text'::BLOB AS s, 'bytes' AS b, 7::SMALLINT AS i, 8::UINTEGER AS l, "
      "'0123456789abcdef'::BLOB AS u) TO '@/0.parquet' (FIELD_IDS {s:1,b:2,i:3,l:4,u:5})"},
     F(1, "s", "\"string\"") "," F(2, "b", "\"binary\"") "," F(3, "i", "\"int\"") "," F(
         4, "l", "\"long\"") "," F(5, "u", "\"uuid\""),
     NULL,
     "SELECT * FROM t",
     "text|bytes|7|8|30313233-3435-3637-3839-616263646566"},
    {"a name with quotes, and one like the engine's own columns",
     {"COPY (SELECT 1 AS \"file_index\", 2 AS x) TO '@/0.parquet' (FIELD_IDS {file_index:1,x:2})"},
     F(1, "file_row_number", "\"int\"") "," F(2, "we'ird \\\"name", "\"int\""),
     NULL,
     "SELECT * FROM t",
     "1|2"},
};

static void run_case(fixture *f, const read_case *c) {
  static const char *const paths[] = {"@/0.parquet", "@/1.parquet", "@/2.parquet"};
  calve_error err;
  size_t count = 0;
  for (; count < 3 && c->copy[count]; count++) run_sql(f, c->copy[count]);
  const calve_metadata *m = make_metadata(f, c->fields, NULL, NULL, c->properties);
  assert_ok(view_files(f, m, paths, count, &err), &err);
  const char *got = rows_text(f, c->query);
  if (strcmp(got, c->want) != 0) print_error("%s\n", c->rule);
  assert_string_equal(got, c->want);
}

static void test_rows_follow_field_ids(void **state) {
  (void)state;
  for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
    fixture f;
    fixture_open(&f);
    if (strstr(cases[i].rule, "zone")) run_sql(&f, "SET TimeZone = 'Asia/Seoul'");
    run_case(&f, &cases[i]);
    fixture_close(&f);
  }
}

/* ---- columns that can't be read ---------------------------------------------------------------
 */

static void fails_when_read(fixture *f, const char *sql, const char *part) {
  calve_error err;
  calve_status status = calve_engine_run(f->engine, sql, &err);
  if (status == CALVE_OK) print_error("%s\n", sql);
  assert_int_not_equal(status, CALVE_OK);
  assert_message(&err, part);
}

static void test_unreadable_columns_fail_only_when_asked_for(void **state) {
  fixture *f = *state;
  calve_error err;
  run_sql(f, "COPY (SELECT 1 AS id, 'x' AS w) TO '@/0.parquet' (FIELD_IDS {id:1,w:4})");
  run_sql(
      f, "COPY (SELECT 2 AS id, 'y' AS w, 5 AS Col) TO '@/1.parquet' (FIELD_IDS {id:1,w:4,Col:5})");
  const calve_metadata *m = make_metadata(
      f,
      F(1, "id", "\"int\"") "," F(2, "v", "\"variant\"") ","
      F(3, "ns", STRUCT(F(7, "z", "\"timestamptz_ns\""))) "," F(4, "w", "\"int\"") ","
      F(5, "Col", "\"int\"") "," F(6, "COL", "\"int\"")
      ",{\"id\":9,\"name\":\"r\",\"required\":true,\"type\":\"int\"}",
      NULL, NULL, NULL);
  const char *const paths[] = {"@/0.parquet", "@/1.parquet"};
  assert_ok(view_files(f, m, paths, 2, &err), &err);
  assert_string_equal(rows_text(f, "SELECT id FROM t ORDER BY id"), "1;2");
  assert_string_equal(rows_text(f, "SELECT count(*) FROM t WHERE id > 1"), "1");
  fails_when_read(f, "SELECT v FROM t", "column v (field id 2)");
  fails_when_read(f, "SELECT count(*) FROM t WHERE v IS NULL", "variant");
  fails_when_read(f, "SELECT ns FROM t", "timestamptz_ns");
  fails_when_read(f, "SELECT w FROM t", "can't be read from data files that have it as VARCHAR");
  fails_when_read(f, "SELECT col FROM t", "upper and lower case");
  fails_when_read(f, "SELECT r FROM t", "is required");
  fails_when_read(f, "SELECT * FROM t", "column");
}

static void test_bad_files_are_named(void **state) {
  fixture *f = *state;
  calve_error err;
  const char *paths[] = {"@/0.parquet"};
  const calve_metadata *m = make_metadata(f, F(1, "id", "\"int\""), NULL, NULL, NULL);
  assert_fails(view_files(f, m, paths, 1, &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "the file is missing, but the table names it");
  assert_int_equal(mkfifo(at_dir(f, "@/0.parquet"), 0600), 0);
  assert_fails(view_files(f, m, paths, 1, &err), CALVE_EIO, &err);
  assert_int_equal(unlink(at_dir(f, "@/0.parquet")), 0);
  const char *odd[] = {"@/\xFF.parquet"};
  assert_fails(view_files(f, m, odd, 1, &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "is no UTF-8");
  write_file(at_dir(f, "@/0.parquet"), "this is no Parquet file at all", 30);
  assert_fails(view_files(f, m, paths, 1, &err), CALVE_ECORRUPT, &err);
  assert_message(&err, "0.parquet");
  for (int i = 0; i < 3; i++) { /* a bad footer among good ones: the engine does not name it */
    size_t size = 0;
    const char *many[] = {"@/a.parquet", "@/b.parquet", "@/c.parquet", "@/d.parquet"};
    for (int j = 0; j < 4; j++) {
      char sql[160];
      snprintf(sql, sizeof sql, "COPY (SELECT 1 AS id) TO '%s' (FIELD_IDS {id:1})", many[j]);
      run_sql(f, sql);
    }
    char *bytes = read_file(at_dir(f, many[i]), &size);
    memset(bytes + size - 60, 0xAA, 50);
    write_file(at_dir(f, many[i]), bytes, size);
    free(bytes);
    calve_layouts_forget(f->engine, 0);
    assert_fails(view_files(f, m, many, 4, &err), CALVE_ECORRUPT, &err);
    assert_message(&err, many[i] + 2);
  }
  run_sql(f, "COPY (SELECT 1 AS id) TO '@/1.parquet'");
  paths[0] = "@/1.parquet";
  assert_fails(view_files(f, m, paths, 1, &err), CALVE_EINVAL, &err);
  assert_message(&err, "schema.name-mapping.default");
  assert_message(&err, "1.parquet");
}

static void test_deletes_and_other_formats_are_refused(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_buffer sql;
  calve_buffer_init(&sql, NULL);
  const calve_metadata *m = make_metadata(f, F(1, "id", "\"int\""), NULL, NULL, NULL);
  calve_data_file file = {.path = CALVE_STR("/x.orc"), .format = CALVE_STR("ORC")};
  const calve_data_file *list[] = {&file};
  calve_read_request q = {.schema = m->schema, .metadata = m, .files = list, .file_count = 1};
  assert_fails(calve_read_relation(f->engine, &q, &sql, &err), CALVE_EUNSUPPORTED, &err);
  assert_message(&err, "ORC");
  file.format = CALVE_STR("parquet");
  file.content = CALVE_CONTENT_POSITION_DELETES;
  assert_fails(calve_read_relation(f->engine, &q, &sql, &err), CALVE_EINVAL, &err);
  file.content = CALVE_CONTENT_DATA;
  q.has_deletes = true;
  assert_fails(calve_read_relation(f->engine, &q, &sql, &err), CALVE_EUNSUPPORTED, &err);
  assert_message(&err, "row-level deletes");
  calve_buffer_free(&sql);
}

static void test_no_files_give_no_rows_of_the_right_types(void **state) {
  fixture *f = *state;
  calve_error err;
  const calve_metadata *m =
      make_metadata(f,
                    F(1, "id", "\"long\"") "," F(2, "s", STRUCT(F(3, "a", "\"date\""))) "," F(
                        4, "v", "\"variant\""),
                    NULL, NULL, NULL);
  assert_ok(view_files(f, m, NULL, 0, &err), &err);
  assert_string_equal(rows_text(f, "SELECT count(*) FROM t"), "0");
  assert_string_equal(rows_text(f, "SELECT column_type FROM (DESCRIBE t)"),
                      "BIGINT;STRUCT(a DATE);VARCHAR");
}

/* ---- partition values, paths, positions -------------------------------------------------------
 */

/* B039: the value of an identity partition field stands in for a column that the file lacks; those
 * of other transforms never do; a column that the file has is read from the file. */
static void test_identity_partition_values_fill_columns_that_files_lack(void **state) {
  fixture *f = *state;
  calve_error err;
  run_sql(f, "COPY (SELECT 1 AS id) TO '@/0.parquet' (FIELD_IDS {id:1})");
  run_sql(f, "COPY (SELECT 2 AS id) TO '@/1.parquet' (FIELD_IDS {id:1})");
  run_sql(f,
          "COPY (SELECT 3 AS id, 'North' AS region) TO '@/2.parquet' (FIELD_IDS {id:1,region:2})");
  const calve_metadata *m = make_metadata(
      f,
      F(1, "id", "\"int\"") "," F(2, "region", "\"string\"") "," F(3, "ts", "\"timestamp\"") "," F(
          4, "amt", "\"decimal(9, 2)\"") "," F(5, "d", "\"date\"") "," F(6, "u", "\"uuid\""),
      "{\"spec-id\":0,\"fields\":["
      "{\"source-id\":2,\"field-id\":1000,\"name\":\"region\",\"transform\":\"identity\"},"
      "{\"source-id\":3,\"field-id\":1001,\"name\":\"ts\",\"transform\":\"identity\"},"
      "{\"source-id\":4,\"field-id\":1002,\"name\":\"amt\",\"transform\":\"identity\"},"
      "{\"source-id\":5,\"field-id\":1003,\"name\":\"d\",\"transform\":\"identity\"},"
      "{\"source-id\":6,\"field-id\":1004,\"name\":\"u_bucket\",\"transform\":\"bucket[4]\"}]}",
      NULL, NULL);
  const calve_value tuples[3][5] = {{{.type = CALVE_STRING, .bytes = CALVE_STR("East")},
                                     {.type = CALVE_TIMESTAMP, .i64 = INT64_C(1756298096000000)},
                                     {.type = CALVE_DECIMAL, .scale = 2, .i128 = -325},
                                     {.type = CALVE_DATE, .i32 = 20327},
                                     {.type = CALVE_INT, .i32 = 2}},
                                    {{.type = CALVE_STRING, .is_null = true},
                                     {.type = CALVE_TIMESTAMP, .i64 = -1},
                                     {.type = CALVE_DECIMAL, .scale = 2, .i128 = -325},
                                     {.type = CALVE_DATE, .i32 = -1},
                                     {.type = CALVE_INT, .i32 = 2}},
                                    {{.type = CALVE_STRING, .bytes = CALVE_STR("South")},
                                     {.type = CALVE_TIMESTAMP, .is_null = true},
                                     {.type = CALVE_DECIMAL, .is_null = true},
                                     {.type = CALVE_DATE, .is_null = true},
                                     {.type = CALVE_INT, .is_null = true}}};
  calve_data_file files[3];
  const calve_data_file *list[3];
  for (int i = 0; i < 3; i++) {
    char path[32];
    snprintf(path, sizeof path, "file:@/%d.parquet", i);
    files[i] = (calve_data_file){.path = calve_str_of(at_dir(f, path)),
                                 .format = CALVE_STR("PARQUET"),
                                 .partition = tuples[i],
                                 .partition_count = 5};
    list[i] = &files[i];
  }
  calve_read_request q = {.schema = m->schema, .metadata = m, .files = list, .file_count = 3};
  assert_ok(calve_read_view(f->engine, &q, "t", &err), &err);
  assert_string_equal(rows_text(f, "SELECT * FROM t ORDER BY id"),
                      "1|East|2025-08-27 12:34:56|-3.25|2025-08-27|NULL;"
                      "2|NULL|1969-12-31 23:59:59.999999|-3.25|1969-12-31|NULL;"
                      "3|North|NULL|NULL|NULL|NULL");
  assert_string_equal(rows_text(f, "SELECT count(*) FROM t WHERE region = 'West'"), "0");
  assert_string_equal(rows_text(f, "SELECT id FROM t WHERE region = 'East'"), "1");
}

static void test_paths_mean_themselves_and_positions_are_told(void **state) {
  fixture *f = *state;
  calve_error err;
  run_sql(f,
          "COPY (SELECT unnest([10, 11]) AS id) TO '@/a*[1]?''q %20#é.parquet' (FIELD_IDS {id:1})");
  run_sql(f, "COPY (SELECT 20 AS id) TO '@/aX1Y''q %20#é.parquet' (FIELD_IDS {id:1})");
  run_sql(f, "COPY (SELECT 30 AS id) TO '@/b\\s.parquet' (FIELD_IDS {id:1})");
  const calve_metadata *m = make_metadata(f, F(1, "id", "\"int\""), NULL, NULL, NULL);
  const char *const spelled[] = {"file://@/a*[1]?'q %20#é.parquet", "@/b\\s.parquet",
                                 "file:@/a*[1]?'q %20#é.parquet"};
  calve_data_file files[3];
  const calve_data_file *list[3];
  for (int i = 0; i < 3; i++) {
    files[i] = (calve_data_file){.path = calve_str_of(at_dir(f, spelled[i])),
                                 .format = CALVE_STR("parquet")};
    list[i] = &files[i];
  }
  calve_read_request q = {
      .schema = m->schema, .metadata = m, .files = list, .file_count = 3, .with_position = true};
  assert_ok(calve_read_view(f->engine, &q, "t", &err), &err);
  /* B070: a file that a table names twice is read twice. */
  assert_string_equal(rows_text(f, at_dir(f,
                                          "SELECT id, replace(_file, '@', ''), _pos FROM t "
                                          "ORDER BY id, _file")),
                      "10|file:///a*[1]?'q %20#é.parquet|0;10|file:/a*[1]?'q %20#é.parquet|0;"
                      "11|file:///a*[1]?'q %20#é.parquet|1;11|file:/a*[1]?'q %20#é.parquet|1;"
                      "30|/b\\s.parquet|0");
  q.file_count = 1;
  files[0].path = CALVE_STR("/a\\b*.parquet");
  calve_buffer sql;
  calve_buffer_init(&sql, NULL);
  assert_fails(calve_read_relation(f->engine, &q, &sql, &err), CALVE_EUNSUPPORTED, &err);
  files[0].path = CALVE_STR("s3://bucket/a.parquet");
  assert_fails(calve_read_relation(f->engine, &q, &sql, &err), CALVE_EUNSUPPORTED, &err);
  const calve_str roots[] = {CALVE_STR("/somewhere/else")};
  const calve_path_rules rules = {.confined = true, .roots = roots, .root_count = 1};
  q.rules = &rules;
  files[0].path = calve_str_of(at_dir(f, spelled[0]));
  assert_fails(calve_read_relation(f->engine, &q, &sql, &err), CALVE_EDENIED, &err);
  calve_buffer_free(&sql);
}

/* Folder names such as region=x are no columns. */
static void test_values_in_folder_names_are_not_read(void **state) {
  fixture *f = *state;
  calve_error err;
  run_sql(f,
          "COPY (SELECT 1 AS id, 2 AS region) TO '@/h' (FORMAT parquet, PARTITION_BY (region), "
          "FIELD_IDS {id:1}, FILENAME_PATTERN 'f_{i}')");
  const calve_metadata *m =
      make_metadata(f, F(1, "id", "\"int\"") "," F(2, "region", "\"int\""), NULL, NULL, NULL);
  const char *const paths[] = {"@/h/region=2/f_0.parquet"};
  assert_ok(view_files(f, m, paths, 1, &err), &err);
  assert_string_equal(rows_text(f, "SELECT * FROM t"), "1|NULL");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_fixture, teardown_fixture)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_follow_field_ids),
      TEST(test_unreadable_columns_fail_only_when_asked_for),
      TEST(test_bad_files_are_named),
      TEST(test_deletes_and_other_formats_are_refused),
      TEST(test_no_files_give_no_rows_of_the_right_types),
      TEST(test_identity_partition_values_fill_columns_that_files_lack),
      TEST(test_paths_mean_themselves_and_positions_are_told),
      TEST(test_values_in_folder_names_are_not_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
