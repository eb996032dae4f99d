/* SPDX-License-Identifier: Apache-2.0 */
/* data/csv_records: records begin on the lines where an editor shows them. */
#include "harness.h"

#include "base/text.h"
#include "data/csv_records.h"

#define COMMAS {',', '"', '"', '\0'}

/* "line:fields:shown" of all records, one behind another, "|" between them. */
static void check(const char *text, calve_csv_dialect dialect, const char *want) {
  char dir[256], path[300], found[2048] = "";
  make_temp_dir(dir);
  snprintf(path, sizeof path, "%s/f.csv", dir);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  calve_csv_records *r = malloc(sizeof *r);
  calve_csv_record record;
  calve_error err;
  bool more = true;
  assert_non_null(r);
  assert_ok(calve_csv_open(calve_str_of(path), &dialect, r, &err), &err);
  for (;;) {
    assert_ok(calve_csv_next(r, &record, &more, &err), &err);
    if (!more) break;
    size_t used = strlen(found);
    snprintf(found + used, sizeof found - used, "%s%lld:%zu:%.*s%s", used ? "|" : "",
             (long long)record.line, record.field_count, (int)record.shown_size, record.shown,
             record.is_comment ? "!" : "");
  }
  calve_csv_close(r);
  free(r);
  remove_temp_dir(dir);
  assert_string_equal(found, want);
}

static void test_records_lines_and_fields(void **state) {
  (void)state;
  static const struct {
    const char *text;
    calve_csv_dialect dialect;
    const char *want;
  } rows[] = {
      {"", COMMAS, ""},
      {"a,b\n1,2\n", COMMAS, "1:2:a,b|2:2:1,2"},
      {"a,b\n1,2", COMMAS, "1:2:a,b|2:2:1,2"},
      {"a\r\nb\r\rc", COMMAS, "1:1:a|2:1:b|3:1:|4:1:c"},
      {"\n\na", COMMAS, "1:1:|2:1:|3:1:a"},
      {"\"x\ny\",2\nz\n", COMMAS, "1:2:\"x|3:1:z"},
      {"\"a,\"\"b\",c\nd\n", COMMAS, "1:2:\"a,\"\"b\",c|2:1:d"},
      {"a\"b,c\"\nd\n", COMMAS, "1:2:a\"b,c\"|2:1:d"},
      {"\"a\\\",b\",c\nd", {',', '"', '\\', '\0'}, "1:2:\"a\\\",b\",c|2:1:d"},
      {"\"a,b\n", {',', '\0', '\0', '\0'}, "1:2:\"a,b"},
      {"#x\n#\"\n1;2\n", {';', '"', '"', '#'}, "1:1:#x!|2:1:#\"!|3:2:1;2"},
  };
  for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
    check(rows[i].text, rows[i].dialect, rows[i].want);
}

static void test_long_records_are_shown_to_a_whole_character(void **state) {
  (void)state;
  char text[200] = "", want[200] = "1:1:";
  memset(text, 'x', 99);
  memset(want + 4, 'x', 99);
  strcat(text, "\xC3\xA4yyy"); /* its second byte would be the 101st */
  check(text, (calve_csv_dialect)COMMAS, want);
}

static void test_compressed_and_missing_files_are_refused(void **state) {
  (void)state;
  char dir[256], path[300];
  calve_error err;
  calve_csv_records *r = malloc(sizeof *r);
  const calve_csv_dialect dialect = COMMAS;
  assert_non_null(r);
  make_temp_dir(dir);
  snprintf(path, sizeof path, "%s/f.csv.gz", dir);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  fputs("\x1f\x8b\x08", f);
  fclose(f);
  assert_fails(calve_csv_open(calve_str_of(path), &dialect, r, &err), CALVE_EUNSUPPORTED, &err);
  snprintf(path, sizeof path, "%s/none.csv", dir);
  assert_fails(calve_csv_open(calve_str_of(path), &dialect, r, &err), CALVE_ENOTFOUND, &err);
  free(r);
  remove_temp_dir(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_records_lines_and_fields),
      cmocka_unit_test(test_long_records_are_shown_to_a_whole_character),
      cmocka_unit_test(test_compressed_and_missing_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
