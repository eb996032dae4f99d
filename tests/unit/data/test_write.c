/* SPDX-License-Identifier: Apache-2.0 */
/* data/write: rows of a query as data files: what is in them, where they lie, what their records
 * say, and what is refused. */
#include "data_fixture.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "data/write.h"

#define F(id, name, type) \
  "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":" type "}"
#define R(id, name, type) \
  "{\"id\":" #id ",\"name\":\"" name "\",\"required\":true,\"type\":" type "}"
#define P(source, id, name, transform)                               \
  "{\"source-id\":" #source ",\"field-id\":" #id ",\"name\":\"" name \
  "\",\"transform\":\"" transform "\"}"
#define SPEC(fields) "{\"spec-id\":0,\"fields\":[" fields "]}"

static calve_status write_rows(fixture *f, const calve_metadata *m, const char *source,
                               calve_written *out, calve_error *err) {
  calve_write_request q = {.metadata = m, .source = source};
  return calve_write_files(f->engine, &q, &f->arena, out, err);
}

/* Makes the view "t" over what was written. */
static void view_written(fixture *f, const calve_metadata *m, const calve_written *w) {
  calve_error err;
  const calve_data_file **list = CALVE_NEW_ARRAY(&f->arena, const calve_data_file *, w->file_count);
  for (size_t i = 0; i < w->file_count; i++) list[i] = &w->files[i];
  calve_read_request q = {
      .schema = m->schema, .metadata = m, .files = list, .file_count = w->file_count};
  assert_ok(calve_read_view(f->engine, &q, "t", &err), &err);
}

/* Data files below the folder. */
static int count_files(const char *path) {
  int count = 0;
  DIR *dir = opendir(path);
  if (!dir) return 0;
  for (struct dirent *e; (e = readdir(dir));) {
    char below[1200];
    struct stat st;
    if (e->d_name[0] == '.') continue;
    snprintf(below, sizeof below, "%s/%s", path, e->d_name);
    assert_int_equal(stat(below, &st), 0);
    count += S_ISDIR(st.st_mode) ? count_files(below) : 1;
  }
  closedir(dir);
  return count;
}

static int table_files(fixture *f) {
  return count_files(at_dir(f, "@/t/data"));
}

static int64_t i64_of(const calve_id_i64_list *list, int32_t id) {
  const int64_t *v = calve_id_i64_find(list, id);
  return v ? *v : -1;
}

static const char *bound_text(fixture *f, const calve_metadata *m, const calve_id_bytes_list *list,
                              int32_t id) {
  calve_error err;
  calve_value v;
  const calve_str *bytes = calve_id_bytes_find(list, id);
  if (!bytes) return "none";
  calve_buffer text;
  calve_buffer_init(&text, NULL);
  const calve_type *type = calve_schema_find_id(m->schema, id)->field->type;
  assert_ok(calve_value_from_bytes(type, *bytes, &v, &err), &err);
  calve_value_print(&v, &text);
  char *copy = calve_arena_copy(&f->arena, calve_buffer_cstr(&text), text.size);
  calve_buffer_free(&text);
  return copy;
}

static void bounds_are(fixture *f, const calve_metadata *m, const calve_data_file *file, int32_t id,
                       const char *lower, const char *upper) {
  assert_string_equal(bound_text(f, m, &file->lower_bounds, id), lower);
  assert_string_equal(bound_text(f, m, &file->upper_bounds, id), upper);
}

static const char *path_tail(fixture *f, const calve_data_file *file) {
  calve_str path = file->path;
  size_t prefix = strlen("file://") + strlen(f->dir) + strlen("/t/data/");
  assert_true(path.size > prefix);
  char *tail = calve_arena_copy(&f->arena, path.data + prefix, path.size - prefix);
  char *slash = strrchr(tail, '/');
  if (slash) *slash = '\0';
  return slash ? tail : "";
}

/* ---- rows and types ---------------------------------------------------------------------------
 */

static void test_every_type_is_read_back(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(
      f,
      F(1, "b", "\"boolean\"") "," F(2, "i", "\"int\"") "," F(3, "l", "\"long\"") ","
      F(4, "f", "\"float\"") "," F(5, "d", "\"double\"") "," F(6, "dec", "\"decimal(38, 3)\"") ","
      F(7, "dt", "\"date\"") "," F(8, "t", "\"time\"") "," F(9, "ts", "\"timestamp\"") ","
      F(10, "tz", "\"timestamptz\"") "," F(11, "ns", "\"timestamp_ns\"") ","
      F(12, "s", "\"string\"") "," F(13, "u", "\"uuid\"") "," F(14, "bin", "\"binary\""),
      NULL, NULL, NULL);
  const char *source =
      "SELECT true, -2147483648, 9223372036854775807, 1.5::FLOAT, '-inf'::DOUBLE, "
      "-12345678901234567890.125::DECIMAL(38,3), DATE '1969-12-31', TIME '23:59:59.999999', "
      "TIMESTAMP '1969-12-31 23:59:59.999999', TIMESTAMPTZ '2026-03-01 00:00:00+09', "
      "'2026-03-01 00:00:00.000000001'::TIMESTAMP_NS, 'é\xF0\x9F\x98\x8E', "
      "'f79c3e09-677c-4bbd-a479-3f349cb785e7'::UUID, '\\x00\\xFF'::BLOB "
      "UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
      "NULL, NULL";
  assert_ok(write_rows(f, m, source, &w, &err), &err);
  assert_int_equal(w.file_count, 1);
  assert_int_equal(w.row_count, 2);
  view_written(f, m, &w);
  assert_string_equal(
      rows_text(f, "SELECT * FROM t ORDER BY i NULLS LAST"),
      "true|-2147483648|9223372036854775807|1.5|-inf|-12345678901234567890.125|1969-12-31|"
      "23:59:59.999999|1969-12-31 23:59:59.999999|2026-02-28 15:00:00+00|"
      "2026-03-01 00:00:00.000000001|é\xF0\x9F\x98\x8E|f79c3e09-677c-4bbd-a479-3f349cb785e7|"
      "\\x00\\xFF;NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL");
  const calve_data_file *file = &w.files[0];
  for (int32_t id = 1; id <= 14; id++) {
    assert_int_equal(i64_of(&file->value_counts, id), 2);
    assert_int_equal(i64_of(&file->null_value_counts, id), 1);
    assert_true(i64_of(&file->column_sizes, id) > 0);
    assert_non_null(calve_id_bytes_find(&file->lower_bounds, id));
  }
  assert_int_equal(calve_id_bytes_find(&file->lower_bounds, 2)->size, 4); /* B046 */
  assert_int_equal(calve_id_bytes_find(&file->lower_bounds, 7)->size, 4);
  assert_memory_equal(calve_id_bytes_find(&file->lower_bounds, 13)->data,
                      "\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7\x85\xe7", 16);
  bounds_are(f, m, file, 6, "-12345678901234567890.125", "-12345678901234567890.125");
  bounds_are(f, m, file, 10, "2026-02-28T15:00:00+00:00", "2026-02-28T15:00:00+00:00");
  assert_int_equal(file->split_offsets.count, 1);
  assert_int_equal(file->split_offsets.items[0], 4);
  assert_int_equal(file->record_count, 2);
  struct stat st;
  assert_int_equal(stat(file->path.data + strlen("file://"), &st), 0);
  assert_int_equal(st.st_size, file->file_size_bytes);
}

static void test_field_ids_are_in_the_files_at_every_depth(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(
      f,
      F(1, "s",
        "{\"type\":\"struct\",\"fields\":[" F(2, "a b", "\"int\"") ","
        F(3, "q\\\"'", "\"string\"") "]}")
      ",{\"id\":4,\"name\":\"l\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":5,"
      "\"element-required\":false,\"element\":{\"type\":\"struct\",\"fields\":["
      F(6, "x", "\"int\"")
      "]}}},{\"id\":7,\"name\":\"m\",\"required\":false,\"type\":{\"type\":\"map\",\"key-id\":8,"
      "\"key\":\"string\",\"value-id\":9,\"value-required\":false,\"value\":{\"type\":\"list\","
      "\"element-id\":10,\"element-required\":false,\"element\":\"long\"}}}",
      NULL, NULL, NULL);
  assert_ok(write_rows(f, m,
                       "SELECT {'a b': 1, 'q\"''': 'x'}, [{'x': 1}, NULL], MAP{'k': [1, NULL]} "
                       "UNION ALL SELECT NULL, [], MAP{} UNION ALL SELECT {'a b': NULL, 'q\"''': "
                       "NULL}, NULL, NULL",
                       &w, &err),
            &err);
  char sql[600];
  snprintf(sql, sizeof sql,
           "SELECT string_agg(name || ':' || field_id, ', ' ORDER BY column_id) FROM "
           "parquet_schema('%s') "
           "WHERE field_id IS NOT NULL",
           w.files[0].path.data);
  assert_string_equal(rows_text(f, sql),
                      "s:1, a b:2, q\"':3, l:4, element:5, x:6, m:7, key:8, value:9, element:10");
  view_written(f, m, &w);
  /* B043: null, empty and null inside stay apart. */
  assert_string_equal(rows_text(f, "SELECT s IS NULL, l, m FROM t"),
                      "false|[{'x': 1}, NULL]|{k=[1, NULL]};true|[]|{};false|NULL|NULL");
  const calve_data_file *file = &w.files[0];
  assert_int_equal(i64_of(&file->null_value_counts, 2), 2); /* the null struct counts too */
  assert_int_equal(i64_of(&file->value_counts, 2), 3);
  bounds_are(f, m, file, 3, "x", "x");
  assert_int_equal(i64_of(&file->value_counts, 6), -1); /* below a list: sizes only */
  for (int32_t id = 6; id <= 10; id += 2) assert_true(i64_of(&file->column_sizes, id) > 0);
}

/* ---- what is refused --------------------------------------------------------------------------
 */

static void test_values_that_do_not_fit_are_refused_by_column(void **state) {
  fixture *f = *state;
  static const struct {
    const char *type, *value, *part;
    bool fits;
  } rows[] = {
      {"int", "5000000000", "column x: the value 5000000000 does not fit int", false},
      {"int", "500::HUGEINT", "", true},
      {"int", "'abc'", "column x", false},
      {"int", "'12'", "column x", false},
      {"int", "1.5", "column x: the value 1.5 does not fit int", false},
      {"int", "2.0", "", true},
      {"int", "1e300", "does not fit int", false},
      {"int", "true", "column x", false},
      {"long", "12345678901234567890::HUGEINT", "does not fit long", false},
      {"boolean", "1", "column x", false},
      {"decimal(5, 2)", "1000.00", "column x: the value 1000.00 does not fit decimal(5, 2)", false},
      {"decimal(5, 2)", "999.99", "", true},
      {"double", "1.25::DECIMAL(5,2)", "", true},
      {"float", "1e300", "does not fit float", false},
      {"date", "'2026-02-30'", "column x: the value 2026-02-30 does not fit date", false},
      {"date", "'2026-02-28'", "", true},
      {"date", "TIMESTAMP '2026-02-28 01:00:00'", "does not fit date", false},
      {"date", "TIMESTAMP '2026-02-28 00:00:00'", "", true},
      {"date", "'infinity'::DATE", "infinity", false},
      {"date", "20260228", "column x", false},
      {"timestamp", "'infinity'::TIMESTAMP", "infinity", false},
      {"timestamp", "'2026-03-01 00:00:00.000000001'::TIMESTAMP_NS", "does not fit", false},
      {"time", "'12:00:00.123456789'::TIME_NS", "does not fit", false},
      {"timestamp", "'nonsense'", "column x: the value nonsense does not fit timestamp", false},
      {"timestamptz", "DATE '2026-03-01'", "", true},
      {"time", "'24:00:00'::TIME", "24:00:00", false},
      {"uuid", "'no uuid'", "column x: the value no uuid does not fit uuid", false},
      {"string", "5", "", true},
      {"string", "[1]", "column x", false},
      {"string", "NULL", "", true},
      {"binary", "5", "column x", false},
      {"int", "INTERVAL 1 DAY", "column x", false},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_error err;
    calve_written w;
    char fields[160], source[200];
    snprintf(fields, sizeof fields, "{\"id\":1,\"name\":\"x\",\"required\":false,\"type\":\"%s\"}",
             rows[i].type);
    snprintf(source, sizeof source, "SELECT %s FROM range(10)", rows[i].value);
    const calve_metadata *m = make_metadata(f, fields, NULL, NULL, NULL);
    int before = table_files(f);
    calve_status status = write_rows(f, m, source, &w, &err);
    if ((status == CALVE_OK) != rows[i].fits)
      fail_msg("%s into %s: %s", rows[i].value, rows[i].type, err.message);
    if (rows[i].fits) continue;
    assert_int_equal(status, CALVE_EINVAL);
    assert_message(&err, rows[i].part);
    assert_int_equal(table_files(f), before);
  }
}

static void test_null_is_kept_out_of_required_columns_at_every_depth(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(
      f,
      R(1, "id", "\"int\"") ","
      F(2, "s", "{\"type\":\"struct\",\"fields\":[" R(3, "a", "\"int\"") "]}")
      ",{\"id\":4,\"name\":\"l\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":5,"
      "\"element-required\":true,\"element\":{\"type\":\"struct\",\"fields\":[" R(6, "x", "\"int\"")
      "]}}},{\"id\":7,\"name\":\"m\",\"required\":false,\"type\":{\"type\":\"map\",\"key-id\":8,"
      "\"key\":\"string\",\"value-id\":9,\"value-required\":true,\"value\":\"int\"}}",
      NULL, NULL, NULL);
  static const struct {
    const char *source, *column; /* NULL: it is written */
  } rows[] = {
      {"SELECT 1, {'a': 1}, [{'x': 1}], MAP{'k': 1}", NULL},
      {"SELECT 1, NULL, NULL, NULL", NULL},
      {"SELECT 1, NULL, [], MAP{}", NULL},
      {"SELECT NULL, NULL, NULL, NULL", "column id is required"},
      {"SELECT 1, {'a': NULL}, NULL, NULL", "column s.a is required"},
      {"SELECT 1, NULL, [NULL], NULL", "column l.element is required"},
      {"SELECT 1, NULL, [{'x': 1}, {'x': NULL}], NULL", "column l.element.x is required"},
      {"SELECT 1, NULL, NULL, MAP{'k': NULL}", "column m.value is required"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_status status = write_rows(f, m, rows[i].source, &w, &err);
    if ((status == CALVE_OK) != (rows[i].column == NULL))
      fail_msg("%s: %s", rows[i].source, err.message);
    if (rows[i].column) assert_message(&err, rows[i].column);
  }
  assert_int_equal(table_files(f), 3);
}

static void test_columns_are_counted_listed_and_defaulted(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(
      f,
      R(1, "id", "\"int\"") "," F(2, "s", "\"string\"")
      ",{\"id\":3,\"name\":\"c\",\"required\":true,\"type\":\"string\",\"initial-default\":\"US\","
      "\"write-default\":\"GB\"}," F(4, "fx", "\"fixed[4]\""),
      NULL, NULL, NULL);
  const int32_t ids[] = {2, 1};
  calve_write_request q = {
      .metadata = m, .source = "SELECT 'x', 7", .column_ids = ids, .column_count = 2};
  assert_ok(calve_write_files(f->engine, &q, &f->arena, &w, &err), &err);
  view_written(f, m, &w);
  assert_string_equal(rows_text(f, "SELECT * FROM t"), "7|x|GB|NULL");
  q.source = "SELECT 1";
  assert_fails(calve_write_files(f->engine, &q, &f->arena, &w, &err), CALVE_EINVAL, &err);
  assert_message(&err, "the query gives 1 column, but 2 are to be written");
  const int32_t twice[] = {1, 1}, absent[] = {1, 99}, fixed[] = {1, 4}, only_s[] = {2};
  q.source = "SELECT 1, 2";
  q.column_ids = twice;
  assert_fails(calve_write_files(f->engine, &q, &f->arena, &w, &err), CALVE_EINVAL, &err);
  assert_message(&err, "listed twice");
  q.column_ids = absent;
  assert_fails(calve_write_files(f->engine, &q, &f->arena, &w, &err), CALVE_EINVAL, &err);
  q.column_ids = fixed;
  assert_fails(calve_write_files(f->engine, &q, &f->arena, &w, &err), CALVE_EUNSUPPORTED, &err);
  assert_message(&err, "column fx can't be written: this version can't write fixed[4]");
  q = (calve_write_request){
      .metadata = m, .source = "SELECT 'x'", .column_ids = only_s, .column_count = 1};
  assert_fails(calve_write_files(f->engine, &q, &f->arena, &w, &err), CALVE_EINVAL, &err);
  assert_message(&err, "column id is required");
  q.source = "SELEC 1";
  assert_fails(calve_write_files(f->engine, &q, &f->arena, &w, &err), CALVE_EINVAL, &err);
  q.source = "SELECT 1 AS x WHERE false"; /* no rows: no file */
  q.column_ids = (const int32_t[]){1};
  assert_ok(calve_write_files(f->engine, &q, &f->arena, &w, &err), &err);
  assert_int_equal(w.file_count, 0);
  assert_string_equal(rows_text(f, "SELECT count(*) FROM duckdb_tables()"), "0");
}

/* ---- partitions -------------------------------------------------------------------------------
 */

static void test_rows_in_any_order_go_to_exact_partitions(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(
      f, F(1, "id", "\"long\"") "," F(2, "ts", "\"timestamptz\"") "," F(3, "s", "\"string\""),
      SPEC(P(2, 1000, "ts_month", "month") "," P(1, 1001, "id_bucket", "bucket[4]") "," P(
          3, 1002, "old", "void")),
      NULL, NULL);
  run_sql(f, "SET TimeZone = 'America/Los_Angeles'"); /* B005: no zone reaches a transform */
  assert_ok(write_rows(f, m,
                       "SELECT i, TIMESTAMPTZ '1969-12-01 00:00:00+00' + INTERVAL (i % 60) DAY, "
                       "'s' || i FROM range(10000) t(i)",
                       &w, &err),
            &err);
  assert_int_equal(w.file_count, 8);
  assert_int_equal(w.partition_count, 8);
  int64_t rows = 0;
  for (size_t i = 0; i < w.file_count; i++) {
    const calve_data_file *file = &w.files[i];
    assert_int_equal(file->partition_count, 3);
    int32_t month = file->partition[0].i32, bucket = file->partition[1].i32;
    assert_true(month == -1 || month == 0); /* B001: December 1969 is month -1 */
    assert_true(bucket >= 0 && bucket < 4);
    assert_true(file->partition[2].is_null);
    rows += file->record_count;
    char want[64];
    snprintf(want, sizeof want, "ts_month=%s/id_bucket=%d/old=null",
             month == -1 ? "1969-12" : "1970-01", (int)bucket);
    assert_string_equal(path_tail(f, file), want);
    char sql[700];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM read_parquet('%s', hive_partitioning => false) WHERE "
             "(timezone('UTC', ts) < TIMESTAMP '1970-01-01') <> (%d = -1)",
             file->path.data, (int)month);
    assert_string_equal(rows_text(f, sql), "0");
  }
  assert_int_equal(rows, 10000);
  view_written(f, m, &w);
  assert_string_equal(rows_text(f, "SELECT count(*), count(DISTINCT id) FROM t"), "10000|10000");
}

/* The spec's own hashes [spec: Appendix B]: 34 -> 2017239379, so bucket 3 of 16; "iceberg" ->
 * 1210000089, bucket 9. */
static void test_buckets_are_those_of_the_spec(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(
      f,
      F(1, "i", "\"int\"") "," F(2, "s", "\"string\"") "," F(3, "d", "\"decimal(9, 2)\"") "," F(
          4, "dt", "\"date\"") "," F(5, "u", "\"uuid\"") "," F(6, "b", "\"binary\""),
      SPEC(P(1, 1000, "i", "bucket[16]") "," P(2, 1001, "s_", "bucket[16]") "," P(
          3, 1002, "d_", "bucket[16]") "," P(4, 1003, "dt_",
                                             "bucket[16]") "," P(5, 1004, "u_",
                                                                 "bucket[16]") "," P(6, 1005, "b_",
                                                                                     "bucket[16]")),
      NULL, NULL);
  assert_ok(write_rows(f, m,
                       "SELECT 34, 'iceberg', 14.20, DATE '2017-11-16', "
                       "'f79c3e09-677c-4bbd-a479-3f349cb785e7'::UUID, '\\x00\\x01\\x02\\x03'::BLOB "
                       "UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL",
                       &w, &err),
            &err);
  assert_int_equal(w.file_count, 2);
  const int64_t hashes[] = {2017239379, 1210000089, -500754589, -653330422, 1488055340, -188683207};
  const calve_data_file *file = &w.files[w.files[0].partition[0].is_null ? 1 : 0];
  const calve_data_file *null_file = &w.files[w.files[0].partition[0].is_null ? 0 : 1];
  for (int i = 0; i < 6; i++) {
    assert_int_equal(file->partition[i].i32, (hashes[i] & INT32_MAX) % 16);
    assert_true(null_file->partition[i].is_null);
  }
}

static void test_identity_truncate_and_nested_sources(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(
      f,
      F(1, "s", "{\"type\":\"struct\",\"fields\":[" F(2, "city", "\"string\"") "]}") "," F(
          3, "n", "\"int\"") "," F(4, "d", "\"decimal(5, 2)\"") "," F(5, "f", "\"double\""),
      SPEC(P(2, 1000, "s.city", "identity") "," P(3, 1001, "n_trunc", "truncate[10]") "," P(
          4, 1002, "d_trunc", "truncate[50]") "," P(2, 1003, "city_trunc",
                                                    "truncate[2]") "," P(5, 1004, "f", "identity")),
      NULL, NULL);
  assert_ok(write_rows(f, m, "SELECT {'city': 'a/b é'}, -1, -0.01, 'nan'::DOUBLE", &w, &err), &err);
  assert_int_equal(w.file_count, 1);
  assert_string_equal(path_tail(f, &w.files[0]),
                      "s.city=a%2Fb+%C3%A9/n_trunc=-10/d_trunc=-0.50/city_trunc=a%2F/f=NaN");
  view_written(f, m, &w);
  assert_string_equal(rows_text(f, "SELECT * FROM t"), "{'city': a/b é}|-1|-0.01|nan");
  assert_ok(write_rows(f, m, "SELECT NULL, NULL, NULL, NULL", &w, &err), &err);
  for (int i = 0; i < 5; i++) assert_true(w.files[0].partition[i].is_null);
}

/* All NaN are one partition; -0.0 and 0.0 are two. [spec: Partitioning] */
static void test_float_partitions_tell_zeros_apart_and_join_nans(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(f, F(1, "f", "\"double\"") "," F(2, "i", "\"int\""),
                                          SPEC(P(1, 1000, "f", "identity")), NULL, NULL);
  assert_ok(write_rows(f, m,
                       "SELECT CASE i % 4 WHEN 0 THEN 0.0::DOUBLE WHEN 1 THEN -(0.0::DOUBLE) WHEN "
                       "2 THEN 'nan'::DOUBLE ELSE -('nan'::DOUBLE) END, i FROM range(100) t(i)",
                       &w, &err),
            &err);
  assert_int_equal(w.file_count, 3);
  for (size_t i = 0; i < 3; i++) {
    const calve_data_file *file = &w.files[i];
    bool nan = calve_value_is_nan(&file->partition[0]);
    assert_int_equal(file->record_count, nan ? 50 : 25);
    assert_int_equal(i64_of(&file->nan_value_counts, 1), nan ? 50 : 0);
    if (nan)
      bounds_are(f, m, file, 1, "none", "none"); /* B056 */
    else
      bounds_are(f, m, file, 1, "-0.0", "0.0");
  }
}

static void test_unknown_transforms_refuse_the_write(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m =
      make_metadata(f, F(1, "i", "\"int\""), SPEC(P(1, 1000, "z", "zorder[3]")), NULL, NULL);
  assert_fails(write_rows(f, m, "SELECT 1", &w, &err), CALVE_EUNSUPPORTED, &err);
  assert_message(&err, "zorder[3]");
  assert_message(&err, "partition field z");
}

static void test_a_partition_value_too_long_for_a_folder(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m =
      make_metadata(f, F(1, "s", "\"string\""), SPEC(P(1, 1000, "s", "identity")), NULL, NULL);
  assert_ok(write_rows(f, m, "SELECT repeat('/', 3000) || i FROM range(3) t(i)", &w, &err), &err);
  assert_int_equal(w.file_count, 3);
  assert_int_equal(table_files(f), 3);
  view_written(f, m, &w);
  assert_string_equal(rows_text(f, "SELECT count(DISTINCT s) FROM t"), "3");
}

/* ---- order and size ---------------------------------------------------------------------------
 */

static void test_rows_are_sorted_inside_of_partitions(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(
      f, F(1, "i", "\"int\"") "," F(2, "p", "\"int\""), SPEC(P(2, 1000, "p", "identity")),
      "{\"order-id\":1,\"fields\":[{\"transform\":\"identity\",\"source-id\":1,\"direction\":"
      "\"desc\",\"null-order\":\"nulls-first\"}]}",
      NULL);
  assert_ok(write_rows(f, m,
                       "SELECT CASE WHEN i % 10 = 0 THEN NULL ELSE (i * 7919) % 10007 END, i % 3 "
                       "FROM range(10000) t(i)",
                       &w, &err),
            &err);
  assert_int_equal(w.file_count, 3);
  for (size_t i = 0; i < 3; i++) {
    char sql[600];
    assert_int_equal(w.files[i].sort_order_id, 1);
    snprintf(
        sql, sizeof sql,
        "SELECT count(*) FROM (SELECT i, lag(i) OVER (ORDER BY file_row_number) AS before, "
        "file_row_number AS n FROM read_parquet('%s', hive_partitioning => false)) WHERE n > 0 "
        "AND ((before IS NOT NULL AND i IS NULL) OR i > before)",
        w.files[i].path.data);
    assert_string_equal(rows_text(f, sql), "0");
  }
}

/* Without a sort order, rows of a partition keep the order of the query, so that data that comes
 * sorted by time has narrow bounds. */
static void test_unsorted_tables_keep_the_order_of_the_query(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(f, F(1, "i", "\"int\"") "," F(2, "p", "\"int\""),
                                          SPEC(P(2, 1000, "p", "identity")), NULL,
                                          "\"write.target-file-size-bytes\":\"50000\"");
  assert_ok(write_rows(f, m, "SELECT i, i % 2 FROM range(300000) t(i)", &w, &err), &err);
  assert_true(w.file_count > 4);
  int32_t last[2] = {-1, -1};
  for (size_t i = 0; i < w.file_count; i++) {
    int32_t p = w.files[i].partition[0].i32;
    calve_value lower, upper;
    assert_ok(calve_value_from_bytes(calve_type_of(CALVE_INT),
                                     w.files[i].lower_bounds.items[0].value, &lower, &err),
              &err);
    assert_ok(calve_value_from_bytes(calve_type_of(CALVE_INT),
                                     w.files[i].upper_bounds.items[0].value, &upper, &err),
              &err);
    assert_true(lower.i32 > last[p]);
    last[p] = upper.i32;
    assert_in_range(w.files[i].file_size_bytes, 20000, 80000);
  }
  assert_int_equal(last[0], 299998);
  assert_int_equal(last[1], 299999);
}

static void test_split_offsets_tell_the_row_groups(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(f, F(1, "i", "\"int\""), NULL, NULL, NULL);
  assert_ok(write_rows(f, m, "SELECT hash(i)::HUGEINT % 100000 FROM range(300000) t(i)", &w, &err),
            &err);
  assert_int_equal(w.file_count, 1);
  const calve_i64_list *offsets = &w.files[0].split_offsets;
  assert_int_equal(offsets->count, 3);
  assert_int_equal(offsets->items[0], 4);
  assert_true(offsets->items[1] > 1000 && offsets->items[2] > offsets->items[1]);
  assert_true(offsets->items[2] < w.files[0].file_size_bytes);
}

/* ---- metrics ----------------------------------------------------------------------------------
 */

static void test_metrics_obey_the_properties(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(
      f,
      F(1, "a", "\"string\"") "," F(2, "b", "\"string\"") "," F(3, "c", "\"string\"") "," F(
          4, "d", "\"string\"") "," F(5, "e",
                                      "\"double\"") "," F(6, "s",
                                                          "{\"type\":\"struct\",\"fields\":[" F(
                                                              7, "x", "\"string\"") "]}"),
      NULL, NULL,
      "\"write.metadata.metrics.column.b\":\"full\",\"write.metadata.metrics.column.c\":\"counts\","
      "\"write.metadata.metrics.column.d\":\"none\",\"write.metadata.metrics.column.s.x\":"
      "\"truncate(2)\"");
  assert_ok(write_rows(f, m,
                       "SELECT s, s, s, s, CASE WHEN i = 0 THEN 'nan'::DOUBLE ELSE i END, {'x': s} "
                       "FROM (SELECT 'abcdefghijklmnopq' || i AS s, i FROM range(3) t(i))",
                       &w, &err),
            &err);
  const calve_data_file *file = &w.files[0];
  bounds_are(f, m, file, 1, "abcdefghijklmnop", "abcdefghijklmnoq");
  bounds_are(f, m, file, 2, "abcdefghijklmnopq0", "abcdefghijklmnopq2");
  bounds_are(f, m, file, 3, "none", "none");
  bounds_are(f, m, file, 4, "none", "none");
  bounds_are(f, m, file, 5, "1.0", "2.0");
  bounds_are(f, m, file, 7, "ab", "ac");
  assert_int_equal(i64_of(&file->value_counts, 3), 3);
  assert_int_equal(i64_of(&file->value_counts, 4), -1);
  assert_int_equal(i64_of(&file->nan_value_counts, 5), 1);
  assert_int_equal(i64_of(&file->nan_value_counts, 1), -1);
}

/* B050: bounds are in the order of code points, not of UTF-16 units. */
static void test_string_bounds_are_in_code_point_order(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(f, F(1, "s", "\"string\""), NULL, NULL, NULL);
  assert_ok(write_rows(f, m, "VALUES (chr(65374)), (chr(128512))", &w, &err), &err);
  bounds_are(f, m, &w.files[0], 1, "\xEF\xBD\x9E", "\xF0\x9F\x98\x80");
}

static void test_inferred_metrics_end_at_a_hundred_columns(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  calve_buffer fields, source;
  calve_buffer_init(&fields, NULL);
  calve_buffer_init(&source, NULL);
  for (int i = 1; i <= 120; i++) {
    calve_buffer_printf(&fields,
                        "%s{\"id\":%d,\"name\":\"c%d\",\"required\":false,\"type\":\"int\"}",
                        i > 1 ? "," : "", i, i);
    calve_buffer_printf(&source, "%s%d", i > 1 ? ", " : "SELECT ", i);
  }
  const calve_metadata *m = make_metadata(f, calve_buffer_cstr(&fields), NULL, NULL, NULL);
  assert_ok(write_rows(f, m, calve_buffer_cstr(&source), &w, &err), &err);
  assert_int_equal(w.files[0].lower_bounds.count, 100);
  assert_int_equal(w.files[0].column_sizes.count, 120);
  m = make_metadata(f, calve_buffer_cstr(&fields), NULL, NULL,
                    "\"write.metadata.metrics.default\":\"counts\"");
  assert_ok(write_rows(f, m, calve_buffer_cstr(&source), &w, &err), &err);
  assert_int_equal(w.files[0].value_counts.count, 120);
  assert_int_equal(w.files[0].lower_bounds.count, 0);
  calve_buffer_free(&source);
  calve_buffer_free(&fields);
}

/* ---- places and failures ----------------------------------------------------------------------
 */

static void test_data_path_rules_and_codecs(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  char properties[400];
  snprintf(properties, sizeof properties,
           "\"write.data.path\":\"%s/else where\",\"write.parquet.compression-codec\":\"snappy\"",
           f->dir);
  const calve_metadata *m = make_metadata(f, F(1, "i", "\"int\""), NULL, NULL, properties);
  assert_ok(write_rows(f, m, "SELECT 1", &w, &err), &err);
  assert_int_equal(count_files(at_dir(f, "@/else where")), 1);
  char sql[600];
  snprintf(sql, sizeof sql, "SELECT compression FROM parquet_metadata('%s')", w.files[0].path.data);
  assert_string_equal(rows_text(f, sql), "SNAPPY");
  calve_written_discard(&w, NULL, NULL);
  assert_int_equal(count_files(at_dir(f, "@/else where")), 0);
  const calve_str roots[] = {CALVE_STR("/somewhere/else")};
  const calve_path_rules rules = {.confined = true, .roots = roots, .root_count = 1};
  calve_write_request q = {.metadata = m, .source = "SELECT 1", .rules = &rules};
  assert_fails(calve_write_files(f->engine, &q, &f->arena, &w, &err), CALVE_EDENIED, &err);
  m = make_metadata(f, F(1, "i", "\"int\""), NULL, NULL,
                    "\"write.parquet.compression-codec\":\"lzo\"");
  assert_fails(write_rows(f, m, "SELECT 1", &w, &err), CALVE_EINVAL, &err);
  assert_message(&err, "lzo");
}

static bool cancel_at(void *ctx, calve_engine *engine) {
  (void)engine;
  int *left = ctx;
  return --*left < 0;
}

/* Cancelled anywhere, a write leaves no file and no table behind. */
static void test_a_cancelled_write_leaves_nothing(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(f, F(1, "i", "\"int\"") "," F(2, "p", "\"int\""),
                                          SPEC(P(2, 1000, "p", "identity")), NULL, NULL);
  int done = 0;
  for (int at = 0; at < 400 && !done; at += 7) {
    int left = at;
    calve_engine_set_poll(f->engine, cancel_at, &left);
    calve_status status = write_rows(f, m, "SELECT i, i % 5 FROM range(20000) t(i)", &w, &err);
    calve_engine_set_poll(f->engine, NULL, NULL);
    done = status == CALVE_OK;
    if (!done) {
      assert_int_equal(status, CALVE_ECANCELLED);
      assert_int_equal(table_files(f), 0);
    }
    assert_string_equal(rows_text(f, "SELECT count(*) FROM duckdb_tables()"), "0");
  }
  assert_true(done);
  assert_int_equal(table_files(f), 5);
}

static void test_a_write_that_fails_half_way_removes_its_files(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m =
      make_metadata(f, F(1, "p", "\"int\""), SPEC(P(1, 1000, "p", "identity")), NULL, NULL);
  /* A file stands where the folder of the third partition should be. */
  run_sql(f, "COPY (SELECT 1) TO '@/x.csv'");
  assert_int_equal(mkdir(at_dir(f, "@/t"), 0700), 0);
  assert_int_equal(mkdir(at_dir(f, "@/t/data"), 0700), 0);
  write_file(at_dir(f, "@/t/data/p=2"), "x", 1);
  calve_status status = write_rows(f, m, "SELECT i FROM range(5) t(i)", &w, &err);
  assert_int_not_equal(status, CALVE_OK);
  assert_int_equal(table_files(f), 1); /* the one in the way */
}

/* A file system without room: the write fails, and nothing of it stays. */
static void test_a_full_disk_leaves_nothing(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(f, F(1, "i", "\"long\"") "," F(2, "p", "\"int\""),
                                          SPEC(P(2, 1000, "p", "identity")), NULL, NULL);
  struct rlimit before, small;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = (struct rlimit){.rlim_cur = 20000, .rlim_max = before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  calve_status status =
      write_rows(f, m,
                 "SELECT (hash(i) >> 1)::BIGINT, CASE WHEN i < 100 THEN 0 ELSE 1 END "
                 "FROM range(20000) t(i)",
                 &w, &err);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  assert_int_equal(status, CALVE_EIO);
  assert_message(&err, ".parquet");
  assert_int_equal(table_files(f), 0);
}

static void test_many_partitions_are_written_with_a_warning(void **state) {
  fixture *f = *state;
  calve_error err;
  calve_written w;
  const calve_metadata *m = make_metadata(f, F(1, "i", "\"int\"") "," F(2, "p", "\"int\""),
                                          SPEC(P(2, 1000, "p", "identity")), NULL, NULL);
  assert_ok(write_rows(f, m, "SELECT i, i % 1500 FROM range(4500) t(i)", &w, &err), &err);
  assert_int_equal(w.file_count, 1500);
  assert_int_equal(table_files(f), 1500);
  assert_non_null(w.warning.data);
  assert_non_null(strstr(w.warning.data, "bucket"));
  view_written(f, m, &w);
  assert_string_equal(rows_text(f, "SELECT count(*), sum(i) FROM t"), "4500|10122750");
  assert_ok(write_rows(f, m, "SELECT 1, 1", &w, &err), &err);
  assert_null(w.warning.data);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_fixture, teardown_fixture)
  const struct CMUnitTest tests[] = {
      TEST(test_every_type_is_read_back),
      TEST(test_field_ids_are_in_the_files_at_every_depth),
      TEST(test_values_that_do_not_fit_are_refused_by_column),
      TEST(test_null_is_kept_out_of_required_columns_at_every_depth),
      TEST(test_columns_are_counted_listed_and_defaulted),
      TEST(test_rows_in_any_order_go_to_exact_partitions),
      TEST(test_buckets_are_those_of_the_spec),
      TEST(test_identity_truncate_and_nested_sources),
      TEST(test_float_partitions_tell_zeros_apart_and_join_nans),
      TEST(test_unknown_transforms_refuse_the_write),
      TEST(test_a_partition_value_too_long_for_a_folder),
      TEST(test_rows_are_sorted_inside_of_partitions),
      TEST(test_unsorted_tables_keep_the_order_of_the_query),
      TEST(test_split_offsets_tell_the_row_groups),
      TEST(test_metrics_obey_the_properties),
      TEST(test_string_bounds_are_in_code_point_order),
      TEST(test_inferred_metrics_end_at_a_hundred_columns),
      TEST(test_data_path_rules_and_codecs),
      TEST(test_a_cancelled_write_leaves_nothing),
      TEST(test_a_write_that_fails_half_way_removes_its_files),
      TEST(test_a_full_disk_leaves_nothing),
      TEST(test_many_partitions_are_written_with_a_warning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
