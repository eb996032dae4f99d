/* SPDX-License-Identifier: Apache-2.0 */
/* Rule (design: dynamic overwrite after evolution): what the tuple and the bounds of a file under
 * another spec say about a partition. */
#include "harness.h"

#include <math.h>

#include "base/calendar.h"
#include "base/text.h"
#include "commit/maker.h"

static const char schema_json[] =
    "{\"type\":\"struct\",\"schema-id\":0,\"fields\":["
    "{\"id\":1,\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"},"
    "{\"id\":2,\"name\":\"id\",\"required\":false,\"type\":\"long\"},"
    "{\"id\":3,\"name\":\"x\",\"required\":false,\"type\":\"double\"},"
    "{\"id\":4,\"name\":\"s\",\"required\":false,\"type\":\"string\"}]}";

#define NONE CALVE_OVERLAP_NONE
#define WHOLE CALVE_OVERLAP_WHOLE
#define OPEN CALVE_OVERLAP_OPEN
#define NULL_VALUE INT64_MIN
#define NO_BOUNDS INT64_MIN, 0

static calve_value number(calve_type_id type, int64_t v) {
  calve_value out = calve_value_null(type);
  if (v == NULL_VALUE) return out;
  out.is_null = false;
  if (type == CALVE_INT || type == CALVE_DATE) out.i32 = (int32_t)v;
  else out.i64 = v;
  return out;
}

static calve_spec one_field(calve_partition_field *f, int32_t source, calve_transform_kind kind,
                            int32_t parameter) {
  static const int32_t sources[] = {0, 1, 2, 3, 4};
  *f = (calve_partition_field){.source_id = source,
                               .field_id = 1000,
                               .name = CALVE_STR("p"),
                               .transform = {.kind = kind, .parameter = parameter},
                               .source_count = 1,
                               .source_ids = &sources[source]};
  return (calve_spec){.spec_id = 0, .field_count = 1, .fields = f};
}

static calve_type_id result_of(int32_t source, calve_transform_kind kind) {
  if (kind == CALVE_DAY) return CALVE_DATE;
  if (kind == CALVE_YEAR || kind == CALVE_MONTH || kind == CALVE_HOUR || kind == CALVE_BUCKET)
    return CALVE_INT;
  return source == 1 ? CALVE_TIMESTAMP : CALVE_LONG;
}

#define US_DAY CALVE_US_PER_DAY
#define US_HOUR CALVE_US_PER_HOUR

static void test_tuples_and_bounds_settle_what_they_can(void **state) {
  (void)state;
  static const struct {
    int32_t source;
    calve_transform_kind want;
    int32_t want_parameter;
    int64_t value;
    calve_transform_kind have;
    int32_t have_parameter;
    int64_t in_file;
    int64_t lower, upper, nulls; /* lower INT64_MIN: no bounds; nulls -1: not known; of 10 rows */
    calve_commit__overlap expected;
  } rows[] = {
      /* finer times tell coarser ones, before the epoch too */
      {1, CALVE_MONTH, 0, 0, CALVE_DAY, 0, 30, NO_BOUNDS, -1, WHOLE},
      {1, CALVE_MONTH, 0, 0, CALVE_DAY, 0, 31, NO_BOUNDS, -1, NONE},
      {1, CALVE_MONTH, 0, -1, CALVE_DAY, 0, -1, NO_BOUNDS, -1, WHOLE},
      {1, CALVE_MONTH, 0, 0, CALVE_DAY, 0, -1, NO_BOUNDS, -1, NONE},
      {1, CALVE_DAY, 0, 1, CALVE_HOUR, 0, 47, NO_BOUNDS, -1, WHOLE},
      {1, CALVE_DAY, 0, -1, CALVE_HOUR, 0, -24, NO_BOUNDS, -1, WHOLE},
      {1, CALVE_DAY, 0, -1, CALVE_HOUR, 0, -25, NO_BOUNDS, -1, NONE},
      {1, CALVE_YEAR, 0, 56, CALVE_MONTH, 0, 56 * 12 + 11, NO_BOUNDS, -1, WHOLE},
      {1, CALVE_YEAR, 0, 56, CALVE_HOUR, 0, 0, NO_BOUNDS, -1, NONE},
      /* coarser ones rule out, the rest is up to the bounds */
      {1, CALVE_DAY, 0, 40, CALVE_MONTH, 0, 0, NO_BOUNDS, -1, NONE},
      {1, CALVE_DAY, 0, 40, CALVE_MONTH, 0, 1, NO_BOUNDS, -1, OPEN},
      {1, CALVE_DAY, 0, 40, CALVE_MONTH, 0, 1, 40 * US_DAY, 41 * US_DAY - 1, 0, WHOLE},
      {1, CALVE_DAY, 0, 40, CALVE_MONTH, 0, 1, 40 * US_DAY, 41 * US_DAY - 1, 1, OPEN},
      {1, CALVE_DAY, 0, 40, CALVE_MONTH, 0, 1, 40 * US_DAY, 41 * US_DAY - 1, -1, OPEN},
      {1, CALVE_DAY, 0, 40, CALVE_MONTH, 0, 1, 41 * US_DAY, 50 * US_DAY, 0, NONE},
      {1, CALVE_DAY, 0, 40, CALVE_MONTH, 0, 1, 32 * US_DAY, 40 * US_DAY - 1, 0, NONE},
      {1, CALVE_DAY, 0, 40, CALVE_MONTH, 0, 1, 40 * US_DAY, 41 * US_DAY, 0, OPEN},
      {1, CALVE_HOUR, 0, 5, CALVE_DAY, 0, 0, 5 * US_HOUR, 6 * US_HOUR - 1, 0, WHOLE},
      /* identity tells all, in both directions */
      {2, CALVE_BUCKET, 4, 3, CALVE_IDENTITY, 0, 8237, NO_BOUNDS, -1, WHOLE},
      {2, CALVE_BUCKET, 4, 2, CALVE_IDENTITY, 0, 8237, NO_BOUNDS, -1, NONE},
      {2, CALVE_IDENTITY, 0, 8237, CALVE_BUCKET, 4, 3, NO_BOUNDS, -1, OPEN},
      {2, CALVE_IDENTITY, 0, 8237, CALVE_BUCKET, 4, 2, NO_BOUNDS, -1, NONE},
      {2, CALVE_TRUNCATE, 10, 20, CALVE_IDENTITY, 0, 29, NO_BOUNDS, -1, WHOLE},
      {2, CALVE_TRUNCATE, 10, 20, CALVE_IDENTITY, 0, 30, NO_BOUNDS, -1, NONE},
      {2, CALVE_TRUNCATE, 10, 20, CALVE_BUCKET, 4, 1, 20, 29, 0, WHOLE},
      {2, CALVE_TRUNCATE, 10, 20, CALVE_BUCKET, 4, 1, 20, 30, 0, OPEN},
      {2, CALVE_TRUNCATE, 10, 20, CALVE_BUCKET, 4, 1, 30, 40, 0, NONE},
      /* buckets of another number say nothing; bounds only when they leave one value */
      {2, CALVE_BUCKET, 4, 3, CALVE_BUCKET, 8, 3, 8236, 8237, 0, OPEN},
      {2, CALVE_BUCKET, 4, 3, CALVE_BUCKET, 8, 3, 8237, 8237, 0, WHOLE},
      {2, CALVE_BUCKET, 4, 2, CALVE_BUCKET, 8, 3, 8237, 8237, 0, NONE},
      /* inverted bounds are no bounds */
      {2, CALVE_IDENTITY, 0, 5, CALVE_VOID, 0, NULL_VALUE, 9, 3, 0, OPEN},
      {1, CALVE_DAY, 0, 40, CALVE_MONTH, 0, 1, 50 * US_DAY, 41 * US_DAY, 0, OPEN},
      {2, CALVE_BUCKET, 4, 3, CALVE_BUCKET, 4, 3, NO_BOUNDS, -1, WHOLE},
      {2, CALVE_BUCKET, 4, 3, CALVE_BUCKET, 4, 1, NO_BOUNDS, -1, NONE},
      /* nulls go with nulls */
      {2, CALVE_BUCKET, 4, NULL_VALUE, CALVE_IDENTITY, 0, NULL_VALUE, NO_BOUNDS, -1, WHOLE},
      {2, CALVE_BUCKET, 4, NULL_VALUE, CALVE_IDENTITY, 0, 5, NO_BOUNDS, -1, NONE},
      {2, CALVE_BUCKET, 4, 1, CALVE_IDENTITY, 0, NULL_VALUE, NO_BOUNDS, -1, NONE},
      {2, CALVE_IDENTITY, 0, NULL_VALUE, CALVE_VOID, 0, NULL_VALUE, NO_BOUNDS, 10, WHOLE},
      {2, CALVE_IDENTITY, 0, NULL_VALUE, CALVE_VOID, 0, NULL_VALUE, NO_BOUNDS, 0, NONE},
      {2, CALVE_IDENTITY, 0, NULL_VALUE, CALVE_VOID, 0, NULL_VALUE, NO_BOUNDS, 4, OPEN},
      {2, CALVE_IDENTITY, 0, 7, CALVE_VOID, 0, NULL_VALUE, NO_BOUNDS, 10, NONE},
      {2, CALVE_IDENTITY, 0, 7, CALVE_VOID, 0, NULL_VALUE, 7, 7, 0, WHOLE},
  };
  calve_arena arena;
  calve_arena_init(&arena, NULL);
  const calve_schema *schema;
  calve_error err;
  assert_ok(calve_schema_parse(calve_str_of(schema_json), "schema", &arena, &schema, &err), &err);
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_partition_field want, have;
    int32_t source = rows[i].source;
    calve_spec spec = one_field(&want, source, rows[i].want, rows[i].want_parameter);
    calve_spec file_spec = one_field(&have, source, rows[i].have, rows[i].have_parameter);
    calve_value tuple = number(result_of(source, rows[i].want), rows[i].value);
    calve_value in_file = number(result_of(source, rows[i].have), rows[i].in_file);
    calve_data_file file = calve_data_file_blank();
    file.record_count = 10;
    file.partition = &in_file;
    file.partition_count = 1;
    uint8_t low[8], high[8];
    calve_store_le64(low, (uint64_t)rows[i].lower);
    calve_store_le64(high, (uint64_t)rows[i].upper);
    const calve_id_bytes lower = {source, {(const char *)low, 8}};
    const calve_id_bytes upper = {source, {(const char *)high, 8}};
    const calve_id_i64 nulls = {source, rows[i].nulls};
    if (rows[i].lower != INT64_MIN) {
      file.lower_bounds = (calve_id_bytes_list){&lower, 1};
      file.upper_bounds = (calve_id_bytes_list){&upper, 1};
    }
    const calve_id_i64 values = {source, 10};
    if (rows[i].nulls >= 0) {
      file.null_value_counts = (calve_id_i64_list){&nulls, 1};
      file.value_counts = (calve_id_i64_list){&values, 1};
    }
    calve_commit__overlap got =
        calve_commit__overlap_of(schema, &spec, &tuple, &file_spec, &file);
    if (got != rows[i].expected) fail_msg("row %zu: %d, expected %d", i, got, rows[i].expected);
  }
  calve_arena_free(&arena);
}

/* NaN is outside of the bounds: only a NaN count of 0 makes them complete. */
static void test_nan_rows_are_not_in_the_bounds(void **state) {
  (void)state;
  calve_arena arena;
  const calve_schema *schema;
  calve_error err;
  calve_partition_field want;
  calve_arena_init(&arena, NULL);
  assert_ok(calve_schema_parse(calve_str_of(schema_json), "schema", &arena, &schema, &err), &err);
  calve_spec spec = one_field(&want, 3, CALVE_IDENTITY, 0);
  const calve_spec file_spec = {.spec_id = 1};
  double one = 1.0;
  const calve_id_bytes bound = {3, {(const char *)&one, 8}};
  const calve_id_i64 nulls = {3, 0}, no_nans = {3, 0}, a_nan = {3, 1};
  calve_data_file file = calve_data_file_blank();
  file.record_count = 10;
  file.lower_bounds = file.upper_bounds = (calve_id_bytes_list){&bound, 1};
  file.null_value_counts = (calve_id_i64_list){&nulls, 1};
  const calve_value value = {.type = CALVE_DOUBLE, .f64 = 1.0};
  const calve_value nan = {.type = CALVE_DOUBLE, .f64 = (double)NAN};
  assert_int_equal(calve_commit__overlap_of(schema, &spec, &value, &file_spec, &file), OPEN);
  file.nan_value_counts = (calve_id_i64_list){&a_nan, 1};
  assert_int_equal(calve_commit__overlap_of(schema, &spec, &value, &file_spec, &file), OPEN);
  file.nan_value_counts = (calve_id_i64_list){&no_nans, 1};
  assert_int_equal(calve_commit__overlap_of(schema, &spec, &value, &file_spec, &file), WHOLE);
  assert_int_equal(calve_commit__overlap_of(schema, &spec, &nan, &file_spec, &file), NONE);
  calve_arena_free(&arena);
}

/* Null counts of a field inside a struct may leave out the rows whose struct is null: 8 values and
 * no null of 10 rows are 2 rows that nobody counted. */
static void test_rows_with_a_null_struct_are_counted(void **state) {
  (void)state;
  static const char nested_json[] =
      "{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"addr\","
      "\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":[{\"id\":2,\"name\":\"country\","
      "\"required\":false,\"type\":\"string\"}]}}]}";
  static const struct {
    int64_t values, nulls;
    calve_commit__overlap of_de, of_null;
  } rows[] = {
      {8, 0, OPEN, OPEN},
      {10, 0, WHOLE, NONE},
      {8, 8, NONE, WHOLE}, /* null there, and null where the struct is */
      {10, 2, OPEN, OPEN},
      {-1, 0, OPEN, OPEN}, /* nobody says how many were counted */
  };
  calve_arena arena;
  const calve_schema *schema;
  calve_error err;
  calve_partition_field want;
  calve_arena_init(&arena, NULL);
  assert_ok(calve_schema_parse(calve_str_of(nested_json), "schema", &arena, &schema, &err), &err);
  calve_spec spec = one_field(&want, 2, CALVE_IDENTITY, 0);
  const calve_spec file_spec = {.spec_id = 1};
  const calve_value de = {.type = CALVE_STRING, .bytes = {"DE", 2}};
  const calve_value null = calve_value_null(CALVE_STRING);
  const calve_id_bytes bound = {2, {"DE", 2}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const calve_id_i64 values = {2, rows[i].values}, nulls = {2, rows[i].nulls};
    calve_data_file file = calve_data_file_blank();
    file.record_count = 10;
    file.lower_bounds = file.upper_bounds = (calve_id_bytes_list){&bound, 1};
    if (rows[i].values >= 0) file.value_counts = (calve_id_i64_list){&values, 1};
    file.null_value_counts = (calve_id_i64_list){&nulls, 1};
    if (rows[i].nulls == 8) file.lower_bounds = file.upper_bounds = (calve_id_bytes_list){0};
    calve_commit__overlap got[] = {
        calve_commit__overlap_of(schema, &spec, &de, &file_spec, &file),
        calve_commit__overlap_of(schema, &spec, &null, &file_spec, &file)};
    if (got[0] != rows[i].of_de) fail_msg("row %zu, DE: %d", i, got[0]);
    if (got[1] != rows[i].of_null) fail_msg("row %zu, null: %d", i, got[1]);
  }
  calve_arena_free(&arena);
}

/* Java's bounds of UUIDs are those of its signed order: from 90… to 10… holds 95…, but not 50…. */
static void test_bounds_of_uuids_hold_in_either_order(void **state) {
  (void)state;
  static const struct {
    uint8_t lower, upper, value;
    calve_commit__overlap expected;
  } rows[] = {
      {0x90, 0x10, 0x95, OPEN}, {0x10, 0x20, 0x15, OPEN},  {0x10, 0x20, 0x25, NONE},
      {0x95, 0x95, 0x95, WHOLE}, {0x95, 0x95, 0x94, NONE},
  };
  static const char uuid_json[] =
      "{\"type\":\"struct\",\"schema-id\":0,\"fields\":["
      "{\"id\":1,\"name\":\"u\",\"required\":false,\"type\":\"uuid\"}]}";
  calve_arena arena;
  const calve_schema *schema;
  calve_error err;
  calve_partition_field want;
  calve_arena_init(&arena, NULL);
  assert_ok(calve_schema_parse(calve_str_of(uuid_json), "schema", &arena, &schema, &err), &err);
  calve_spec spec = one_field(&want, 1, CALVE_IDENTITY, 0);
  const calve_spec file_spec = {.spec_id = 1};
  const calve_id_i64 values = {1, 10}, nulls = {1, 0};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    const char low[16] = {(char)rows[i].lower}, high[16] = {(char)rows[i].upper};
    const calve_id_bytes lower = {1, {low, 16}}, upper = {1, {high, 16}};
    const calve_value value = {.type = CALVE_UUID, .uuid = {rows[i].value}};
    calve_data_file file = calve_data_file_blank();
    file.record_count = 10;
    file.lower_bounds = (calve_id_bytes_list){&lower, 1};
    file.upper_bounds = (calve_id_bytes_list){&upper, 1};
    file.value_counts = (calve_id_i64_list){&values, 1};
    file.null_value_counts = (calve_id_i64_list){&nulls, 1};
    calve_commit__overlap got = calve_commit__overlap_of(schema, &spec, &value, &file_spec, &file);
    if (got != rows[i].expected) fail_msg("row %zu: %d, expected %d", i, got, rows[i].expected);
  }
  calve_arena_free(&arena);
}

/* A manifest may lack its spec's field: then the tuple says nothing, and the statistics decide. */
static void test_without_a_tuple_the_statistics_decide(void **state) {
  (void)state;
  calve_arena arena;
  const calve_schema *schema;
  calve_error err;
  calve_partition_field want;
  calve_arena_init(&arena, NULL);
  assert_ok(calve_schema_parse(calve_str_of(schema_json), "schema", &arena, &schema, &err), &err);
  calve_spec spec = one_field(&want, 4, CALVE_IDENTITY, 0);
  const calve_value de = {.type = CALVE_STRING, .bytes = {"DE", 2}};
  const calve_value null = calve_value_null(CALVE_STRING);
  calve_data_file file = calve_data_file_blank();
  file.record_count = 10;
  file.partition = &null; /* as the reader gives it */
  file.partition_count = 1;
  assert_int_equal(calve_commit__overlap_of(schema, &spec, &de, NULL, &file), OPEN);
  assert_int_equal(calve_commit__overlap_of(schema, &spec, &null, NULL, &file), OPEN);
  const calve_id_bytes bound = {4, {"DE", 2}};
  const calve_id_i64 values = {4, 10}, nulls = {4, 0};
  file.lower_bounds = file.upper_bounds = (calve_id_bytes_list){&bound, 1};
  file.value_counts = (calve_id_i64_list){&values, 1};
  file.null_value_counts = (calve_id_i64_list){&nulls, 1};
  assert_int_equal(calve_commit__overlap_of(schema, &spec, &de, NULL, &file), WHOLE);
  assert_int_equal(calve_commit__overlap_of(schema, &spec, &null, NULL, &file), NONE);
  calve_arena_free(&arena);
}

static void test_an_unpartitioned_spec_holds_every_row(void **state) {
  (void)state;
  calve_arena arena;
  const calve_schema *schema;
  calve_error err;
  calve_partition_field dropped;
  calve_arena_init(&arena, NULL);
  assert_ok(calve_schema_parse(calve_str_of(schema_json), "schema", &arena, &schema, &err), &err);
  const calve_spec none = {.spec_id = 0};
  calve_spec other = one_field(&dropped, 2, CALVE_IDENTITY, 0);
  const calve_value value = number(CALVE_LONG, 5);
  calve_data_file file = calve_data_file_blank();
  file.partition = &value;
  file.partition_count = 1;
  assert_int_equal(calve_commit__overlap_of(schema, &none, NULL, &other, &file), WHOLE);
  dropped.source_id = 99; /* a column that is gone: nothing is known */
  assert_int_equal(calve_commit__overlap_of(schema, &other, &value, &none, &file), OPEN);
  calve_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tuples_and_bounds_settle_what_they_can),
      cmocka_unit_test(test_nan_rows_are_not_in_the_bounds),
      cmocka_unit_test(test_rows_with_a_null_struct_are_counted),
      cmocka_unit_test(test_bounds_of_uuids_hold_in_either_order),
      cmocka_unit_test(test_without_a_tuple_the_statistics_decide),
      cmocka_unit_test(test_an_unpartitioned_spec_holds_every_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
