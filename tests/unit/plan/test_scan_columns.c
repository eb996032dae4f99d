/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_table.h"

#include "cached_scan.h"
#include "expr/predicate_text.h"

#define COLUMNS    13
#define FILES_EACH 40
#define ROUNDS     16

static const struct {
  const char *name, *type;
  int width; /* of a bound; 0: any                                                              */
  const char *literals[5];
} columns[COLUMNS] = {
    {"a", "\"int\"", 4, {"-1", "0", "7", "2147483647", "-2147483648"}},
    {"b", "\"long\"", 8, {"-1", "0", "7", "9223372036854775807", "-9223372036854775808"}},
    {"c", "\"float\"", 4, {"-0.0", "0.0", "1.5", "-2.5", "0.1"}},
    {"d", "\"double\"", 8, {"-0.0", "0.0", "1.5", "-2.5", "1e300"}},
    {"e", "\"decimal(9, 2)\"", 0, {"-0.01", "0.00", "1.50", "-300.00", "7.77"}},
    {"f", "\"date\"", 4,
     {"'1970-01-01'", "'1970-01-08'", "'1969-12-31'", "'2026-03-01'", "'1970-01-02'"}},
    {"g", "\"timestamp\"", 8,
     {"'1970-01-01T00:00:00'", "'1970-01-01T00:00:00.000007'", "'1969-12-31T23:59:59.999999'",
      "'2026-03-01T00:00:00'", "'1970-01-02T00:00:00'"}},
    {"h", "\"string\"", 0, {"''", "'abc'", "'abcdefgh'", "'abcdefghi'", "'zz'"}},
    {"i", "\"time\"", 8,
     {"'00:00:00'", "'00:00:00.000007'", "'12:00:00'", "'23:59:59'", "'01:00'"}},
    {"j", "\"boolean\"", 1, {"true", "false", "true", "false", "true"}},
    {"k", "\"decimal(38, 2)\"", 0, {"-0.01", "0.00", "1.50", "-300.00", "7.77"}},
    {"l", "\"binary\"", 0, {NULL}},
    {"m", "\"long\"", 4, {"-1", "0", "7", "2147483648", "-2147483648"}}, /* was an int          */
};

static uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static size_t pick(uint64_t *state, size_t count) {
  return (size_t)(next_random(state) % count);
}

/* Bytes that often stand near the literals, at the ends of their type, or for nothing at all. */
static calve_str random_bound(plan_table *t, uint64_t *r, int column, bool tidy) {
  static const char *const texts[] = {"",         "a",          "abc",       "abcd",
                                      "abcdefgh", "abcdefghij", "zz",        "zzz",
                                      "\xc3\xa9", "\xff\xfe",   "\xf0\x9f\x92", "abcdefgh\xff"};
  static const int64_t numbers[] = {-1, 0, 1, 6, 7, 8, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
  static const double reals[] = {-0.0, 0.0, 1.5, -2.5, 0.1, 1e300, -1e300};
  char bytes[16] = {0};
  size_t size = (size_t)columns[column].width;
  if (columns[column].name[0] == 'h' || columns[column].name[0] == 'l')
    return calve_str_of(texts[pick(r, tidy ? 9 : ARRAY_COUNT(texts))]);
  double real = reals[pick(r, ARRAY_COUNT(reals))];
  int64_t number = numbers[pick(r, ARRAY_COUNT(numbers))];
  if (columns[column].name[0] == 'c') {
    float narrow = (float)real;
    if (!tidy && pick(r, 8) == 0) narrow = (float)(real * 0.0 / 0.0);
    memcpy(bytes, &narrow, 4);
  } else if (columns[column].name[0] == 'd') {
    if (!tidy && pick(r, 8) == 0) real = real * 0.0 / 0.0;
    memcpy(bytes, &real, 8);
  } else if (size == 0) { /* decimals: big-endian, now and then longer than need be              */
    uint8_t minimal[16];
    size_t used = calve_int128_encode(pick(r, 3) ? number % 1000 : number, minimal);
    size_t extra = pick(r, 4) ? 0 : pick(r, 16 - used);
    memset(bytes, minimal[0] & 0x80 ? 0xff : 0, sizeof bytes);
    memcpy(bytes + extra, minimal, used);
    size = used + extra;
  } else {
    memcpy(bytes, &number, 8);
  }
  if (!tidy && pick(r, 30) == 0) size = pick(r, 16);
  return (calve_str){calve_arena_copy(&t->arena, bytes, size), size};
}

/* What may be wrong with a column's statistics in a manifest; each with some of the files. */
enum { ODD_BOUNDS = 1, NO_VALUES = 2, NO_NULLS = 4, NO_NANS = 8, NO_LOWER = 16, NO_UPPER = 32 };

static unsigned random_defects(uint64_t *r) {
  unsigned defects = pick(r, 2) ? ODD_BOUNDS : 0;
  for (unsigned bit = NO_VALUES; bit <= NO_UPPER; bit *= 2)
    if (pick(r, 7) == 0) defects |= bit;
  return defects;
}

static bool is_there(uint64_t *r, unsigned defects, unsigned defect) {
  return !(defects & defect) || pick(r, 4) > 0;
}

static void random_file(plan_table *t, uint64_t *r, const unsigned *defects, calve_data_file *f) {
  calve_id_i64 *values = CALVE_NEW_ARRAY(&t->arena, calve_id_i64, COLUMNS);
  calve_id_i64 *nulls = CALVE_NEW_ARRAY(&t->arena, calve_id_i64, COLUMNS);
  calve_id_i64 *nans = CALVE_NEW_ARRAY(&t->arena, calve_id_i64, COLUMNS);
  calve_id_bytes *lower = CALVE_NEW_ARRAY(&t->arena, calve_id_bytes, COLUMNS);
  calve_id_bytes *upper = CALVE_NEW_ARRAY(&t->arena, calve_id_bytes, COLUMNS);
  f->record_count = (int64_t)pick(r, 4) * 5;
  f->value_counts = (calve_id_i64_list){values, 0};
  f->null_value_counts = (calve_id_i64_list){nulls, 0};
  f->nan_value_counts = (calve_id_i64_list){nans, 0};
  f->lower_bounds = (calve_id_bytes_list){lower, 0};
  f->upper_bounds = (calve_id_bytes_list){upper, 0};
  for (int c = 0; c < COLUMNS; c++) {
    int64_t null_count = pick(r, 3) ? 0 : f->record_count * (int64_t)pick(r, 2);
    if (is_there(r, defects[c], NO_VALUES))
      values[f->value_counts.count++] = (calve_id_i64){c + 1, f->record_count};
    if (is_there(r, defects[c], NO_NULLS))
      nulls[f->null_value_counts.count++] = (calve_id_i64){c + 1, null_count};
    if ((c == 2 || c == 3) && is_there(r, defects[c], NO_NANS))
      nans[f->nan_value_counts.count++] = (calve_id_i64){c + 1, pick(r, 5) == 0};
    bool tidy = !(defects[c] & ODD_BOUNDS);
    if (is_there(r, defects[c], NO_LOWER))
      lower[f->lower_bounds.count++] = (calve_id_bytes){c + 1, random_bound(t, r, c, tidy)};
    if (is_there(r, defects[c], NO_UPPER))
      upper[f->upper_bounds.count++] = (calve_id_bytes){c + 1, random_bound(t, r, c, tidy)};
  }
}

static void write_random_manifest(plan_table *t, uint64_t *r) {
  unsigned defects[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) defects[c] = random_defects(r);
  calve_manifest_params params = {.format_version = 2,
                                  .schema = t->metadata->schema,
                                  .spec = t->metadata->specs[0],
                                  .snapshot_id = 100,
                                  .codec_id = CALVE_CODEC_NULL,
                                  .sync = (const uint8_t *)"sync marker of s"};
  calve_manifest_writer *w = NULL;
  assert_ok(calve_manifest_writer_open(&params, &w, &t->err), &t->err);
  for (size_t i = 0; i < FILES_EACH; i++) {
    calve_manifest_entry e = {.status = CALVE_ENTRY_ADDED,
                              .snapshot_id = CALVE_UNSET,
                              .data_sequence_number = CALVE_UNSET,
                              .file_sequence_number = CALVE_UNSET,
                              .file = calve_data_file_blank()};
    calve_value tuple = {.type = CALVE_INT};
    tuple.i32 = (int32_t)pick(r, 4);
    e.file.path = CALVE_STR("/data/f.parquet");
    e.file.format = CALVE_STR("PARQUET");
    e.file.partition = &tuple;
    e.file.partition_count = 1;
    random_file(t, r, defects, &e.file);
    assert_ok(calve_manifest_writer_add(w, &e, &t->err), &t->err);
  }
  calve_str bytes;
  calve_manifest_file m;
  assert_ok(calve_manifest_writer_finish(w, &t->arena, &bytes, &m, &t->err), &t->err);
  m.sequence_number = 9;
  m.min_sequence_number = 9;
  m.path = CALVE_STR("/t/m.avro");
  assert_ok(calve_store_create(t->store, m.path, bytes, &t->err), &t->err);
  calve_manifest_writer_free(w);
  calve_buffer_put(&t->manifests, &m, sizeof m);
}

static void random_filter(uint64_t *r, int depth, calve_buffer *out) {
  static const char *const operators[] = {"=", "<>", "<", "<=", ">", ">="};
  if (depth > 0 && pick(r, 2)) {
    calve_buffer_putc(out, '(');
    random_filter(r, depth - 1, out);
    calve_buffer_puts(out, pick(r, 2) ? " AND " : " OR ");
    random_filter(r, depth - 1, out);
    calve_buffer_putc(out, ')');
    return;
  }
  size_t c = pick(r, 3) ? pick(r, COLUMNS + 1) : 7; /* texts have the most ways to go wrong      */
  if (c == COLUMNS || columns[c].literals[0] == NULL) {
    calve_buffer_printf(out, "%s IS %sNULL", columns[pick(r, COLUMNS)].name,
                        pick(r, 2) ? "" : "NOT ");
  } else if (pick(r, 8) == 0 && columns[c].name[0] == 'h') {
    calve_buffer_printf(out, "h LIKE '%s%%'", pick(r, 2) ? "abc" : "abcdefghi");
  } else if (pick(r, 5) == 0) {
    calve_buffer_printf(out, "%s IN (%s, %s)", columns[c].name, columns[c].literals[pick(r, 5)],
                        columns[c].literals[pick(r, 5)]);
  } else {
    calve_buffer_printf(out, "%s %s %s", columns[c].name,
                        operators[pick(r, ARRAY_COUNT(operators))],
                        columns[c].literals[pick(r, 5)]);
  }
}

static void open_table(plan_table *t) {
  char fields[3000];
  size_t at = 0;
  for (int c = 0; c < COLUMNS; c++)
    at += (size_t)snprintf(fields + at, sizeof fields - at,
                           "%s{\"id\":%d,\"name\":\"%s\",\"required\":false,\"type\":%s}",
                           c ? "," : "", c + 1, columns[c].name, columns[c].type);
  table_open(t, 2, fields,
             "{\"spec-id\":0,\"fields\":[{\"source-id\":2,\"field-id\":1000,\"transform\":"
             "\"bucket[4]\",\"name\":\"b_bucket\"}]}",
             0);
}

/* What columns rule out is what file by file is ruled out, whatever the statistics are. */
static void test_columns_decide_as_files_do(void **unused) {
  (void)unused;
  for (uint64_t round = 1; round <= ROUNDS; round++) {
    uint64_t r = round * UINT64_C(0x2545F4914F6CDD1D);
    plan_table t;
    open_table(&t);
    write_random_manifest(&t, &r);
    table_commit(&t);
    for (int f = 0; f < 30; f++) {
      calve_buffer text;
      calve_scan_params p = {.metadata = t.metadata, .store = t.store};
      calve_buffer_init(&text, NULL);
      random_filter(&r, 3, &text);
      assert_ok(calve_predicate_parse(calve_str_of(calve_buffer_cstr(&text)), &t.arena, &p.filter,
                                      NULL, &t.err),
                &t.err);
      assert_same_in_memory(&p);
      calve_buffer_free(&text);
    }
    table_close(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns_decide_as_files_do)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
