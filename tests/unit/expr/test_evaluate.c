/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "expr_fixture.h"

/* ---- partition tuples ------------------------------------------------------------------------ */

static void test_null_partitions_answer_null_questions(void **state) { /* B033 */
  (void)state;
  const calve_schema *schema = column_of("string");
  const calve_spec *spec = partition_by("identity");
  calve_value null = calve_value_null(CALVE_STRING);
  assert_true(keeps(schema, spec, "c IS NULL", null));
  assert_false(keeps(schema, spec, "c IS NULL", string_value("a")));
  assert_false(keeps(schema, spec, "c = 'b'", null));
  assert_true(keeps(schema, spec, "c = 'b'", string_value("b")));
  assert_false(keeps(schema, spec, "c <> 'a'", null)); /* SQL: unknown is not true             */
  assert_true(keeps(schema, spec, "c <> 'a'", string_value("b")));
  assert_true(keeps(schema, spec, "c IS DISTINCT FROM 'a'", null));
  assert_false(keeps(schema, spec, "c NOT IN ('a')", null));
  assert_false(keeps(schema, spec, "c < 'b'", null));
  assert_false(keeps(schema, partition_by("truncate[2]"), "c LIKE 'b%'", null));
}

static void test_old_time_partitions_are_found(void **state) { /* B002 */
  (void)state;
  const calve_schema *schema = column_of("timestamp");
  const calve_spec *spec = partition_by("day");
  const char *where[] = {"c = '1969-12-31T10:00:00'", "c < '1969-12-31T12:00:00'",
                         "c IN ('1969-12-31T10:00:00', '1970-01-02T00:00:00')"};
  const bool kept[][3] = {{true, true, false}, {true, true, false}, {true, true, true}};
  const int32_t days[] = {0, -1, 1};
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 3; k++) /* as date and, as some write it, as int */
      for (int as_int = 0; as_int < 2; as_int++) {
        calve_value day = int_value(days[k]);
        if (!as_int) day.type = CALVE_DATE;
        assert_int_equal(keeps(schema, spec, where[i], day), kept[i][k]);
      }
}

static void test_wrapped_hours_are_kept(void **state) { /* B004 */
  (void)state;
  const calve_schema *schema = column_of("timestamp");
  const calve_spec *spec = partition_by("hour");
  assert_true(keeps(schema, spec, "c > '2020-01-01T00:00:00'", int_value(-2120780968)));
  assert_true(keeps(schema, spec, "c < '2020-01-01T00:00:00'", int_value(2120780968)));
  assert_false(keeps(schema, spec, "c > '2020-01-01T00:00:00'", int_value(438000)));
}

static void test_wrapped_truncations_are_kept(void **state) { /* B011 */
  (void)state;
  const calve_schema *schema = column_of("int");
  const calve_spec *spec = partition_by("truncate[10000]");
  const calve_value wrapped = int_value(2147477296);
  assert_true(keeps(schema, spec, "c < 0", wrapped));
  assert_true(keeps(schema, spec, "c = -2147483648", wrapped));
  assert_true(keeps(schema, spec, "c > 0", wrapped));
  assert_false(keeps(schema, spec, "c < 0", int_value(10000)));
  /* the value says nothing for sure either */
  const calve_predicate *strict = project(schema, spec, "c > 0", CALVE_STRICT);
  assert_false(calve_tuple_must_match(strict, &wrapped, 1));

  const calve_schema *longs = column_of("long");
  const calve_spec *by_ten = partition_by("truncate[10]");
  assert_true(keeps(longs, by_ten, "c < 0", long_value(INT64_C(9223372036854775806))));

  /* a manifest that reaches up to where wrapped values lie */
  calve_field_summary summary = {.contains_null = false,
                                 .contains_nan = -1,
                                 .lower = BYTES("\x10\x27\x00\x00"),
                                 .upper = BYTES("\xc0\xf1\xff\x7f")};
  const calve_predicate *below = project(schema, spec, "c < 0", CALVE_INCLUSIVE);
  assert_true(calve_manifest_might_match(below, &summary, 1, NULL));
  summary.upper = BYTES("\x20\x4e\x00\x00");
  assert_false(calve_manifest_might_match(below, &summary, 1, NULL));
}

static void test_values_written_before_a_promotion(void **state) { /* B045 */
  (void)state;
  const calve_schema *schema = column_of("long");
  const calve_spec *spec = partition_by("identity");
  assert_true(keeps(schema, spec, "c = 42", int_value(42)));
  assert_true(keeps(schema, spec, "c < 0", int_value(-7)));
  assert_false(keeps(schema, spec, "c > 4000000000", int_value(42)));
  calve_value narrow = {.type = CALVE_FLOAT, .f32 = 1.5F};
  assert_true(keeps(column_of("double"), spec, "c = 1.5", narrow));
  assert_false(keeps(column_of("double"), spec, "c = 1.25", narrow));
  /* no promotion leads from string to long: keep */
  assert_true(keeps(schema, spec, "c = 42", string_value("x")));
  assert_true(keeps(schema, spec, "c IS NULL", string_value("x")));
}

static void test_void_fields_of_any_type_are_ignored(void **state) { /* B021 */
  (void)state;
  const calve_schema *schema = column_of("string");
  const calve_spec *spec = partition_by("void");
  assert_true(keeps(schema, spec, "c = 'a'", calve_value_null(CALVE_INT)));
  assert_true(keeps(schema, spec, "c = 'a'", int_value(0)));
  assert_true(keeps(schema, spec, "c = 'a'", string_value("b")));
}

static void test_tuples_shorter_than_the_spec_are_kept(void **state) {
  (void)state;
  const calve_predicate *p =
      project(column_of("int"), partition_by("identity"), "c = 1", CALVE_INCLUSIVE);
  assert_true(calve_tuple_might_match(p, NULL, 0, NULL));
  assert_false(calve_tuple_must_match(p, NULL, 0));
}

static void test_signed_zeros_and_nan_partitions(void **state) { /* B056 */
  (void)state;
  const calve_schema *schema = column_of("double");
  const calve_spec *spec = partition_by("identity");
  calve_value minus_zero = {.type = CALVE_DOUBLE, .f64 = -0.0};
  calve_value plus_zero = {.type = CALVE_DOUBLE, .f64 = 0.0};
  calve_value nan = {.type = CALVE_DOUBLE, .f64 = (double)NAN};
  const char *both[] = {"c = 0.0",   "c = -0.0",        "c >= 0.0",
                        "c <= -0.0", "c IN (0.0, 7.5)", "c IN (-0.0, -7.5)"};
  for (size_t i = 0; i < ARRAY_COUNT(both); i++) {
    assert_true(keeps(schema, spec, both[i], minus_zero));
    assert_true(keeps(schema, spec, both[i], plus_zero));
  }
  assert_false(keeps(schema, spec, "c = 1.0", plus_zero));
  assert_true(keeps(schema, spec, "c > 5.0", nan));
  assert_true(keeps(schema, spec, "c IS NAN", nan));
  assert_false(keeps(schema, spec, "c < 5.0", nan));
  assert_false(keeps(schema, spec, "c = 5.0", nan));
}

/* ---- manifests --------------------------------------------------------------------------------
 */

static bool keeps_manifest(const char *type, const char *where, const calve_field_summary *s,
                           size_t count) {
  const calve_predicate *p =
      project(column_of(type), partition_by("identity"), where, CALVE_INCLUSIVE);
  return calve_manifest_might_match(p, s, count, NULL);
}

static void test_summaries_without_bounds(void **state) { /* B057 */
  (void)state;
  const calve_field_summary contradictory = {.contains_null = false, .contains_nan = -1};
  const calve_field_summary all_null = {.contains_null = true, .contains_nan = -1};
  assert_true(keeps_manifest("date", "c = '2024-01-01'", NULL, 0)); /* none, or fewer          */
  assert_true(keeps_manifest("date", "c = '2024-01-01'", &contradictory, 1));
  assert_false(keeps_manifest("date", "c = '2024-01-01'", &all_null, 1));
  assert_true(keeps_manifest("date", "c IS NULL", &all_null, 1));
  assert_false(keeps_manifest("date", "c IS NULL", &contradictory, 1));
  assert_true(keeps_manifest("double", "c > 1.5", &contradictory, 1));
  assert_true(keeps_manifest("double", "c IS NAN", &contradictory, 1));
  const calve_field_summary no_nan = {.contains_null = true, .contains_nan = 0};
  assert_false(keeps_manifest("double", "c IS NAN", &no_nan, 1));
}

static void test_malformed_summaries_are_unknown(void **state) {
  (void)state;
  calve_field_summary s = {
      .contains_nan = -1, .lower = BYTES("\x05\x00\x00"), .upper = BYTES("\x09\x00\x00\x00")};
  assert_true(keeps_manifest("int", "c = 3", &s, 1));   /* a lower bound of 3 bytes              */
  assert_false(keeps_manifest("int", "c = 10", &s, 1)); /* the upper one holds                  */
  s.lower = BYTES("\x0a\x00\x00\x00");                  /* 10 > 9: inverted                     */
  assert_true(keeps_manifest("int", "c = 3", &s, 1));
  assert_true(keeps_manifest("int", "c = 12", &s, 1));
}

static void test_the_reason_is_the_smallest_part(void **state) {
  (void)state;
  const calve_schema *schema = column_of("timestamp");
  const calve_spec *spec =
      spec_of("{\"name\":\"c_month\",\"transform\":\"month\",\"source-id\":1,\"field-id\":1000}");
  const calve_predicate *p =
      project(schema, spec, "c >= '2026-07-04' AND c < '2026-08-01'", CALVE_INCLUSIVE);
  const calve_predicate *why = NULL;
  calve_value june = int_value(677);
  assert_false(calve_tuple_might_match(p, &june, 1, &why));
  assert_string_equal(printed(why), "c_month >= 2026-07");
  calve_value august = int_value(679);
  assert_false(calve_tuple_might_match(p, &august, 1, &why));
  assert_string_equal(printed(why), "c_month <= 2026-07");
}

/* ---- files ------------------------------------------------------------------------------------
 */

static calve_column_metrics bounds(calve_str lower, calve_str upper) {
  return (calve_column_metrics){3, 0, -1, lower, upper};
}

static void test_bounds_written_before_a_promotion(void **state) { /* B045, B046 */
  (void)state;
  const calve_schema *longs = column_of("long");
  calve_column_metrics one = bounds(BYTES("\x2a\0\0\0"), BYTES("\x2a\0\0\0"));
  calve_column_metrics two = bounds(BYTES("\xf9\xff\xff\xff"), BYTES("\xf9\xff\xff\xff"));
  assert_true(keeps_file(longs, "c = 42", one));
  assert_false(keeps_file(longs, "c = 42", two));
  assert_true(keeps_file(longs, "c < 0", two)); /* sign-extended                                */
  assert_false(keeps_file(longs, "c < 0", one));
  assert_false(keeps_file(longs, "c > 4000000000", one));
  assert_false(keeps_file(longs, "c > 4000000000", two));

  const calve_schema *doubles = column_of("double");
  calve_column_metrics narrow = bounds(BYTES("\0\0\xc0\x3f"), BYTES("\0\0\xc0\x3f"));
  narrow.nan_count = 0;
  assert_true(keeps_file(doubles, "c = 1.5", narrow));
  assert_false(keeps_file(doubles, "c > 1.5", narrow));

  const calve_schema *ints = column_of("int");
  calve_column_metrics wide = bounds(BYTES("\x2a\0\0\0\0\0\0\0"), BYTES("\x2a\0\0\0\0\0\0\0"));
  assert_true(keeps_file(ints, "c = 42", wide));
  assert_true(keeps_file(ints, "c = 42", bounds(BYTES("\x2a\0"), BYTES("\x2a\0\0"))));
  assert_true(keeps_file(ints, "c = 7", bounds(BYTES("\x2a\0"), BYTES("\x2a\0\0")))); /* keep  */
  calve_column_metrics dates = bounds(BYTES("\xa3\x4d\0\0\0\0\0\0"), BYTES("\xa3\x4d\0\0\0\0\0\0"));
  assert_true(keeps_file(column_of("date"), "c = '2024-06-01'", dates));
}

static void test_decimal_bounds(void **state) { /* B047 */
  (void)state;
  const calve_schema *wide = column_of("decimal(7, 2)");
  calve_column_metrics m = bounds(BYTES("\xf0\xc9\xa7"), BYTES("\x04\xe2"));
  assert_true(keeps_file(wide, "c = -9969.53", m));
  assert_true(keeps_file(wide, "c < 0", m));
  assert_false(keeps_file(wide, "c < -9969.53", m));
  assert_false(keeps_file(wide, "c > 12.5", m));
  const calve_schema *grown = column_of("decimal(20, 2)");
  m = bounds(BYTES("\xfe\x0c"), BYTES("\xfe\x0c"));
  assert_true(keeps_file(grown, "c = -5.00", m));
  assert_true(keeps_file(grown, "c < 0", m));
  assert_true(keeps_file(grown, "c <= -5.00", m));
  assert_true(file_must_match(grown, "c = -5", m));
  assert_false(keeps_file(grown, "c > -5", m));
  const calve_schema *thousandths = column_of("decimal(10, 3)");
  m = bounds(BYTES("\x27\xf6"), BYTES("\x27\xf6"));
  assert_true(keeps_file(thousandths, "c = 10.230", m));
  assert_true(keeps_file(thousandths, "c = 10.23", m));
  assert_false(keeps_file(thousandths, "c = 10.24", m));
}

static void test_strings_are_ordered_by_code_point(void **state) { /* B050 */
  (void)state;
  const calve_schema *schema = column_of("string");
  calve_column_metrics m = bounds(BYTES("\xef\xbd\x9e"), BYTES("\xf0\x9f\x98\x80"));
  assert_true(keeps_file(schema, "c = '\U0001F600'", m));
  assert_true(keeps_file(schema, "c > '\uff5e'", m));
  assert_false(keeps_file(schema, "c > '\U0001F600'", m));
  assert_true(keeps_file(schema, "c LIKE '\uff5e%'", m));
  assert_false(keeps_file(schema, "c LIKE 'z%'", m));
}

static void test_long_lists_prune_as_short_ones(void **state) { /* B053 */
  (void)state;
  const calve_schema *schema = column_of("int");
  const size_t counts[] = {200, 201, 100000};
  for (size_t n = 0; n < ARRAY_COUNT(counts); n++) {
    calve_buffer text;
    calve_buffer_init(&text, NULL);
    calve_buffer_puts(&text, "c IN (10");
    for (size_t i = 1; i < counts[n]; i++)
      calve_buffer_printf(&text, ", %zu", i % 2 ? 10 + i % 10 : 1000 + i);
    calve_buffer_putc(&text, ')');
    const calve_bound *bound = bind(schema, calve_buffer_cstr(&text));
    calve_column_metrics first = bounds(BYTES("\x0a\0\0\0"), BYTES("\x13\0\0\0"));
    calve_column_metrics second = bounds(BYTES("\x14\0\0\0"), BYTES("\x1d\0\0\0"));
    assert_true(calve_metrics_might_match(bound, 3, &first, NULL));
    assert_false(calve_metrics_might_match(bound, 3, &second, NULL));
    calve_buffer_free(&text);
  }
  calve_column_metrics between = bounds(BYTES("\x0a\0\0\0"), BYTES("\x13\0\0\0"));
  assert_false(keeps_file(schema, "c IN (9, 100000)", between));
  assert_true(keeps_file(schema, "c NOT IN (10, 19)", between));
  assert_false(keeps_file(schema, "c IN ()", between));
  assert_true(keeps_file(schema, "c NOT IN ()", between));
  calve_column_metrics single = bounds(BYTES("\x0a\0\0\0"), BYTES("\x0a\0\0\0"));
  assert_false(keeps_file(schema, "c NOT IN (10, 19)", single));
  single.null_count = 1;
  assert_true(keeps_file(schema, "c NOT IN (10, 19)", single)); /* the nulls might            */
  assert_true(keeps_file(schema, "c IS NULL OR c NOT IN (10, 19)", single));
}

static void test_missing_counts_are_not_zero(void **state) { /* B055 */
  (void)state;
  const calve_schema *schema = column_of("int");
  calve_column_metrics m = CALVE_NO_METRICS;
  assert_true(keeps_file(schema, "c > 0", m));
  assert_true(keeps_file(schema, "c IS NULL", m));
  assert_true(keeps_file(schema, "c IS NOT NULL", m));
  m.lower = BYTES("\x01\0\0\0");
  m.upper = BYTES("\x02\0\0\0");
  assert_true(keeps_file(schema, "c > 0", m));
  assert_false(file_must_match(schema, "c > 0", m)); /* rows 1, 2, null                         */
  m.null_count = 0;
  assert_true(file_must_match(schema, "c > 0", m));
  calve_column_metrics counts = {3, 3, -1, {NULL, 0}, {NULL, 0}};
  assert_false(keeps_file(schema, "c > 0", counts));
  assert_true(file_must_match(schema, "c IS NULL", counts));
  counts.value_count = -1; /* three nulls of nobody knows how many values                       */
  assert_true(keeps_file(schema, "c > 0", counts));
  assert_false(file_must_match(schema, "c IS NULL", counts));
}

static void test_nan_and_inverted_bounds(void **state) { /* B056 */
  (void)state;
  const calve_schema *schema = column_of("double");
#define NAN_BYTES  BYTES("\0\0\0\0\0\0\xf8\x7f")
#define ONE_BYTES  BYTES("\0\0\0\0\0\0\xf0\x3f")
#define FIVE_BYTES BYTES("\0\0\0\0\0\0\x14\x40")
  const calve_column_metrics files[] = {bounds(NAN_BYTES, NAN_BYTES), bounds(ONE_BYTES, NAN_BYTES),
                                        bounds(FIVE_BYTES, ONE_BYTES)};
  for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
    assert_true(keeps_file(schema, "c = 1.0", files[i]));
    assert_true(keeps_file(schema, "c > 1.5", files[i]));
    assert_true(keeps_file(schema, "c IS NAN", files[i]));
  }
  calve_column_metrics all_nan = {3, 0, 3, {NULL, 0}, {NULL, 0}};
  assert_false(keeps_file(schema, "c = 1.0", all_nan));
  assert_false(keeps_file(schema, "c < 0", all_nan));
  assert_true(keeps_file(schema, "c > 1.5", all_nan)); /* NaN is greatest to SQL engines       */
  all_nan.nan_count = -1;
  assert_true(keeps_file(schema, "c = 1.0", all_nan));

  /* bounds leave NaN out: only a NaN count of zero allows to prune from above */
  calve_column_metrics small = bounds(ONE_BYTES, ONE_BYTES);
  assert_true(keeps_file(schema, "c > 5.0", small));
  assert_false(keeps_file(schema, "c < 0.5", small));
  assert_false(file_must_match(schema, "c < 5.0", small));
  small.nan_count = 0;
  assert_false(keeps_file(schema, "c > 5.0", small));
  assert_true(file_must_match(schema, "c < 5.0", small));

  calve_column_metrics zero = bounds(BYTES("\0\0\0\0\0\0\0\x80"), BYTES("\0\0\0\0\0\0\0\x80"));
  zero.nan_count = 0;
  assert_true(keeps_file(schema, "c = 0.0", zero));
  assert_true(keeps_file(schema, "c >= 0.0", zero));
  assert_true(keeps_file(schema, "c IN (0.0, 3.0)", zero));
  assert_false(file_must_match(schema, "c < 0.0", zero));
}

static void test_float_columns_and_double_literals(void **state) {
  (void)state;
  const calve_schema *schema = column_of("float");
  /* 0.1f = 0.100000001…: an engine that compares as double has it above 0.1 */
  calve_column_metrics m = bounds(BYTES("\xcd\xcc\xcc\x3d"), BYTES("\xcd\xcc\xcc\x3d"));
  m.nan_count = 0;
  assert_true(keeps_file(schema, "c > 0.1", m));
  assert_true(keeps_file(schema, "c = 0.1", m));
  assert_false(file_must_match(schema, "c = 0.1", m));
  assert_false(keeps_file(schema, "c > 0.11", m));
  /* infinity is beyond every literal */
  calve_column_metrics infinite = bounds(BYTES("\0\0\x80\x7f"), BYTES("\0\0\x80\x7f"));
  infinite.nan_count = 0;
  assert_true(keeps_file(schema, "c > 1e300", infinite));
  assert_false(keeps_file(schema, "c < 1e300", infinite));
}

static void test_metrics_of_other_and_nested_columns(void **state) { /* B066 */
  (void)state;
  const calve_schema *schema = schema_of(
      "{\"id\":1,\"name\":\"a\",\"required\":false,\"type\":\"int\"},"
      "{\"id\":4,\"name\":\"b\",\"required\":false,\"type\":\"int\"},"
      "{\"id\":5,\"name\":\"s\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
      "{\"id\":6,\"name\":\"x\",\"required\":true,\"type\":\"int\"}]}},"
      "{\"id\":7,\"name\":\"l\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":8,"
      "\"element\":\"int\",\"element-required\":true}}");
  calve_column_metrics m = bounds(BYTES("\x01\0\0\0"), BYTES("\x02\0\0\0"));
  const calve_bound *bound = bind(schema, "b = 7 AND a = 1");
  assert_int_equal(bound->column_count, 2);
  assert_int_equal(bound->columns[0].node->field->id, 4);
  calve_column_metrics slots[] = {CALVE_NO_METRICS, m};
  assert_true(calve_metrics_might_match(bound, 3, slots, NULL)); /* 4 is new to the file        */

  assert_false(keeps_file(schema, "s.x = 7", m)); /* bounds of struct fields are good …         */
  assert_true(keeps_file(schema, "s.x = 1", m));
  assert_false(keeps_file(schema, "s.x IS NULL", m)); /* … and counts when they cover all rows  */
  m.value_count = 2;
  assert_true(keeps_file(schema, "s.x IS NULL", m));
  assert_false(file_must_match(schema, "s.x > 0", m));
  assert_true(keeps_file(schema, "l.element = 7", m)); /* those inside lists are not            */
  assert_false(file_must_match(schema, "l.element > 0", m));
}

/* Java orders the two halves as signed numbers: its least value may be our greatest. */
static void test_uuid_bounds_of_either_order(void **state) {
  (void)state;
  const calve_schema *schema = column_of("uuid");
  const char *low_half = "c = '00000000-0000-0001-1000-000000000000'";
  calve_column_metrics m = bounds(BYTES("\0\0\0\0\0\0\0\x01\x90\0\0\0\0\0\0\0"),
                                  BYTES("\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\0"));
  assert_true(keeps_file(schema, low_half, m));
  assert_false(keeps_file(schema, "c = '00000000-0000-0003-1000-000000000000'", m));
  /* signed, 0x90… is below 0x10…: inverted to us, so unknown */
  m = bounds(BYTES("\x90\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
             BYTES("\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"));
  assert_true(keeps_file(schema, low_half, m));
  m.upper = m.lower;
  assert_false(keeps_file(schema, low_half, m));
}

static void test_transforms_of_bounds(void **state) {
  (void)state;
  const calve_schema *schema = column_of("timestamp");
  /* 2024-02-10T00:00:00 to 2024-02-10T12:00:00 */
  calve_column_metrics m =
      bounds(BYTES("\x00\x20\xc8\xb9\xfb\x10\x06\x00"), BYTES("\x00\xd0\xb3\xc8\x05\x11\x06\x00"));
  assert_true(keeps_file(schema, "c::date = DATE '2024-02-10'", m));
  assert_false(keeps_file(schema, "c::date = DATE '2024-02-11'", m));
  assert_false(keeps_file(schema, "c::date < DATE '2024-02-10'", m));
  assert_true(file_must_match(schema, "c::date = DATE '2024-02-10'", m));
  assert_true(file_must_match(schema, "year(c) = 2024", m));
}

static void test_record_counts(void **state) {
  (void)state;
  const calve_bound *bound = bind(column_of("int"), "c = 1");
  const calve_predicate *why = NULL;
  calve_column_metrics m = CALVE_NO_METRICS;
  assert_false(calve_metrics_might_match(bound, 0, &m, &why));
  assert_ptr_equal(why, bound->root);
  assert_true(calve_metrics_must_match(bound, 0, &m));
  assert_true(calve_metrics_might_match(bound, -1, &m, NULL)); /* nobody counted               */
  assert_false(calve_metrics_must_match(bound, -1, &m));
}

/* ---- rows -------------------------------------------------------------------------------------
 */

static void test_rows(void **state) {
  (void)state;
  const calve_schema *schema = column_of("long");
  const struct {
    const char *where;
    int64_t value;
    bool matches;
  } rows[] = {{"c > 4", 5, true},
              {"c > 5", 5, false},
              {"c IN (3, 5)", 5, true},
              {"c NOT IN (3, 5)", 5, false},
              {"truncate(10, c) = -10", -1, true},
              {"bucket(16, c) = 3", 34, true},
              {"c = 1 OR c = 5", 5, true},
              {"truncate(10, c) < 0", INT64_MIN, true},
              {"truncate(10, c) = 0", INT64_MIN, false}};
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
    calve_value v = long_value(rows[i].value);
    if (calve_row_matches(bind(schema, rows[i].where), &v) != rows[i].matches)
      fail_msg("%s", rows[i].where);
  }
  calve_value null = calve_value_null(CALVE_LONG);
  assert_false(calve_row_matches(bind(schema, "c < 5"), &null));
  assert_false(calve_row_matches(bind(schema, "c < 9999999999999999999"), &null));
  assert_false(calve_row_matches(bind(schema, "c <> 5"), &null));
  assert_true(calve_row_matches(bind(schema, "c IS DISTINCT FROM 5"), &null));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_null_partitions_answer_null_questions),
      TEST(test_old_time_partitions_are_found),
      TEST(test_wrapped_hours_are_kept),
      TEST(test_wrapped_truncations_are_kept),
      TEST(test_values_written_before_a_promotion),
      TEST(test_void_fields_of_any_type_are_ignored),
      TEST(test_tuples_shorter_than_the_spec_are_kept),
      TEST(test_signed_zeros_and_nan_partitions),
      TEST(test_summaries_without_bounds),
      TEST(test_malformed_summaries_are_unknown),
      TEST(test_the_reason_is_the_smallest_part),
      TEST(test_bounds_written_before_a_promotion),
      TEST(test_decimal_bounds),
      TEST(test_strings_are_ordered_by_code_point),
      TEST(test_long_lists_prune_as_short_ones),
      TEST(test_missing_counts_are_not_zero),
      TEST(test_nan_and_inverted_bounds),
      TEST(test_float_columns_and_double_literals),
      TEST(test_metrics_of_other_and_nested_columns),
      TEST(test_uuid_bounds_of_either_order),
      TEST(test_transforms_of_bounds),
      TEST(test_record_counts),
      TEST(test_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
