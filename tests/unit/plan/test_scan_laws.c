/* SPDX-License-Identifier: Apache-2.0 */
/* Laws on random tables, specs, rows and filters: a file with a matching row is planned; a row of a
 * planned file meets the residual exactly when it meets the filter; in a file that matches wholly
 * every row does. A failure prints the seed that makes it again. */
#include "plan_table.h"

#include "cached_scan.h"

#include "expr/evaluate.h"
#include "expr/predicate_json.h"

#define ROUNDS    150
#define FILES_MAX 40
#define ROWS_MAX  6

static const char schema_fields[] =
    "{\"id\":1,\"name\":\"a\",\"required\":false,\"type\":\"long\"},"
    "{\"id\":2,\"name\":\"b\",\"required\":false,\"type\":\"long\"}";
#define FIELD(source, id, name, transform)                           \
  "{\"source-id\":" #source ",\"field-id\":" #id ",\"name\":\"" name \
  "\",\"transform\":\"" transform "\"}"
static const char specs[] =
    "{\"spec-id\":0,\"fields\":[]},"
    "{\"spec-id\":1,\"fields\":[" FIELD(1, 1000, "a_bucket", "bucket[4]") "]},"
    "{\"spec-id\":2,\"fields\":[" FIELD(2, 1001, "b_trunc", "truncate[10]") ","
    FIELD(1, 1002, "a_void", "void") "]},"
    "{\"spec-id\":3,\"fields\":[" FIELD(1, 1003, "a_same", "identity") ","
    FIELD(2, 1001, "b_trunc", "truncate[10]") "]}";

typedef struct random_file {
  char path[16], partition[64];
  int32_t spec_id;
  size_t row_count;
  calve_value rows[ROWS_MAX][2];
} random_file;

typedef struct state {
  uint64_t seed;
  plan_table t;
  random_file files[FILES_MAX];
  size_t file_count;
} state;

static uint64_t next(state *s) {
  s->seed ^= s->seed << 13;
  s->seed ^= s->seed >> 7;
  s->seed ^= s->seed << 17;
  return s->seed;
}

static int64_t below(state *s, int64_t n) {
  return (int64_t)(next(s) % (uint64_t)n);
}

static calve_value random_value(state *s) {
  if (below(s, 6) == 0) return calve_value_null(CALVE_LONG);
  return (calve_value){.type = CALVE_LONG, .i64 = below(s, 41) - 20};
}

/* The tuple of a row as the JSON that plan_table takes. */
static void partition_of(const calve_spec *spec, const calve_value row[2], char out[64]) {
  size_t at = (size_t)snprintf(out, 64, "[");
  for (int32_t i = 0; i < spec->field_count; i++) {
    const calve_partition_field *f = &spec->fields[i];
    calve_value v;
    calve_error err;
    assert_ok(calve_transform_apply(&f->transform, calve_type_of(CALVE_LONG),
                                    &row[f->source_id - 1], &v, &err),
              &err);
    const char *comma = i > 0 ? "," : "";
    if (v.is_null)
      at += (size_t)snprintf(out + at, 64 - at, "%snull", comma);
    else if (v.type == CALVE_INT)
      at += (size_t)snprintf(out + at, 64 - at, "%s%d", comma, v.i32);
    else
      at += (size_t)snprintf(out + at, 64 - at, "%s%lld", comma, (long long)v.i64);
  }
  snprintf(out + at, 64 - at, "]");
}

/* A file whose rows all have the tuple of the first; often with metrics of one column. */
static file_row random_row(state *s, random_file *f, size_t index) {
  const calve_spec *spec = calve_metadata_spec(s->t.metadata, f->spec_id);
  snprintf(f->path, sizeof f->path, "f%zu", index);
  f->row_count = 0;
  for (int tries = 0; tries < 60 && f->row_count < ROWS_MAX; tries++) {
    calve_value row[2] = {random_value(s), random_value(s)};
    char partition[64];
    partition_of(spec, row, partition);
    if (f->row_count == 0) snprintf(f->partition, sizeof f->partition, "%s", partition);
    if (strcmp(partition, f->partition) != 0) continue;
    memcpy(f->rows[f->row_count++], row, sizeof row);
  }
  file_row out = {
      .path = f->path, .partition = f->partition, .record_count = (int64_t)f->row_count};
  int column = (int)below(s, 3); /* 2: no metrics                                               */
  int64_t lower = INT64_MAX, upper = INT64_MIN;
  bool any_null = false;
  for (size_t i = 0; column < 2 && i < f->row_count; i++) {
    const calve_value *v = &f->rows[i][column];
    any_null = any_null || v->is_null;
    if (!v->is_null && v->i64 < lower) lower = v->i64;
    if (!v->is_null && v->i64 > upper) upper = v->i64;
  }
  if (column < 2 && !any_null) { /* the fixture writes a null count of 0                         */
    out.bounds_id = column + 1;
    out.lower = lower - below(s, 2);
    out.upper = upper + below(s, 2);
  }
  return out;
}

static void make_table(state *s) {
  table_open(&s->t, 2, schema_fields, specs, 3);
  s->file_count = 0;
  while (s->file_count + 6 < FILES_MAX) {
    file_row rows[6];
    int32_t spec_id = (int32_t)below(s, 4);
    size_t count = 1 + (size_t)below(s, 6);
    for (size_t i = 0; i < count; i++) {
      random_file *f = &s->files[s->file_count];
      f->spec_id = spec_id;
      rows[i] = random_row(s, f, s->file_count);
      s->file_count++;
    }
    table_manifest(&s->t, spec_id, CALVE_MANIFEST_DATA, 9, rows, count);
  }
  table_commit(&s->t);
}

static void random_leaf(state *s, calve_buffer *out) {
  static const char *const ops[] = {"lt", "lt-eq", "gt", "gt-eq", "eq", "not-eq"};
  const char *column = below(s, 2) ? "a" : "b";
  int64_t kind = below(s, 9);
  if (kind < 6) {
    calve_buffer_printf(out, "{\"type\":\"%s\",\"term\":\"%s\",\"value\":%d}", ops[kind], column,
                        (int)below(s, 45) - 22);
  } else if (kind < 8) {
    calve_buffer_printf(out, "{\"type\":\"%s\",\"term\":\"%s\"}",
                        kind == 6 ? "is-null" : "not-null", column);
  } else {
    calve_buffer_printf(out, "{\"type\":\"%s\",\"term\":\"%s\",\"values\":[%d,%d,%d]}",
                        below(s, 2) ? "in" : "not-in", column, (int)below(s, 41) - 20,
                        (int)below(s, 41) - 20, (int)below(s, 41) - 20);
  }
}

static void random_filter(state *s, int depth, calve_buffer *out) {
  int64_t kind = depth > 0 ? below(s, 4) : 3;
  if (kind == 3) {
    random_leaf(s, out);
  } else if (kind == 2) {
    calve_buffer_puts(out, "{\"type\":\"not\",\"child\":");
    random_filter(s, depth - 1, out);
    calve_buffer_putc(out, '}');
  } else {
    calve_buffer_printf(out, "{\"type\":\"%s\",\"left\":", kind == 0 ? "and" : "or");
    random_filter(s, depth - 1, out);
    calve_buffer_puts(out, ",\"right\":");
    random_filter(s, depth - 1, out);
    calve_buffer_putc(out, '}');
  }
}

static bool matches(const calve_bound *bound, const calve_predicate *root,
                    const calve_value row[2]) {
  calve_bound b = *bound;
  b.root = root;
  calve_value by_slot[2];
  for (size_t i = 0; i < b.column_count; i++) {
    by_slot[i] = row[b.columns[i].node->field->id - 1];
  }
  return calve_row_matches(&b, by_slot);
}

/* Judges each planned file, and finds those that were left out; gives what is wrong, or NULL. */
static const char *check_plan(state *s, calve_scan *scan) {
  bool planned_files[FILES_MAX] = {false};
  const calve_bound *bound = calve_scan_filter(scan);
  for (;;) {
    const calve_scan_task *tasks;
    size_t count;
    assert_ok(calve_scan_next(scan, &tasks, &count, &s->t.err), &s->t.err);
    if (count == 0) break;
    for (size_t i = 0; i < count; i++) {
      size_t index = (size_t)atoi(tasks[i].file.path.data + 1);
      planned_files[index] = true;
      const random_file *f = &s->files[index];
      for (size_t r = 0; r < f->row_count; r++) {
        bool row_matches = matches(bound, bound->root, f->rows[r]);
        if (tasks[i].matches_wholly && !row_matches)
          return "a wholly matching file has a row that does not";
        if (matches(bound, tasks[i].residual, f->rows[r]) != row_matches) {
          return "a residual and the filter differ on a row";
        }
      }
    }
  }
  for (size_t i = 0; i < s->file_count; i++) {
    for (size_t r = 0; !planned_files[i] && r < s->files[i].row_count; r++) {
      if (matches(bound, bound->root, s->files[i].rows[r]))
        return "a file with a matching row is left out";
    }
  }
  return NULL;
}

static void test_no_row_is_lost(void **unused) {
  (void)unused;
  static state s;
  size_t pruned = 0;
  for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
    s.seed = seed * UINT64_C(0x9e3779b97f4a7c15);
    make_table(&s);
    for (int f = 0; f < 12; f++) {
      calve_buffer filter;
      calve_buffer_init(&filter, NULL);
      random_filter(&s, 3, &filter);
      calve_scan_params p = scan_params(&s.t, calve_buffer_cstr(&filter));
      calve_scan *scan = NULL;
      assert_ok(calve_scan_open(&p, &scan, &s.t.err), &s.t.err);
      const char *wrong = check_plan(&s, scan);
      if (f % 4 == 0) assert_same_in_memory(&p);
      if (wrong) fail_msg("seed %d: %s: %s", (int)seed, wrong, calve_buffer_cstr(&filter));
      pruned += s.file_count - (size_t)calve_scan_get_report(scan)->all.files_kept;
      calve_scan_close(scan);
      calve_buffer_free(&filter);
    }
    table_close(&s.t);
  }
  assert_true(pruned > ROUNDS * 12 * 5); /* a plan that keeps all would pass the laws            */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_row_is_lost)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
