/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of this room start from: an engine, a folder, metadata from a few JSON texts, and the
 * rows of a query as text. */
#ifndef CALVE_TESTS_DATA_FIXTURE_H
#define CALVE_TESTS_DATA_FIXTURE_H

#include "harness.h"

#include "base/text.h"
#include "data/read.h"
#include "data/rows.h"

typedef struct fixture {
  calve_engine *engine;
  calve_arena arena;
  char dir[256];
} fixture;

static inline void fixture_open(fixture *f) {
  calve_error err;
  calve_engine_options options = {.thread_count = 2};
  make_temp_dir(f->dir);
  options.temp_dir = f->dir;
  calve_arena_init(&f->arena, NULL);
  assert_ok(calve_engine_open(&options, &f->engine, &err), &err);
}

static inline void fixture_close(fixture *f) {
  calve_engine_close(f->engine);
  calve_arena_free(&f->arena);
  remove_temp_dir(f->dir);
}

/* cmocka's setup and teardown. */
static inline int setup_fixture(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  fixture_open(f);
  *state = f;
  return 0;
}

static inline int teardown_fixture(void **state) {
  fixture_close(*state);
  free(*state);
  return 0;
}

/* A copy of `text` with every '@' replaced by the fixture's folder. */
static inline const char *at_dir(fixture *f, const char *text) {
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  for (const char *c = text; *c; c++) {
    if (*c == '@')
      calve_buffer_puts(&b, f->dir);
    else
      calve_buffer_putc(&b, *c);
  }
  char *copy = calve_arena_copy(&f->arena, calve_buffer_cstr(&b), b.size);
  calve_buffer_free(&b);
  assert_non_null(copy);
  return copy;
}

static inline void run_sql(fixture *f, const char *sql) {
  calve_error err;
  assert_ok(calve_engine_run(f->engine, at_dir(f, sql), &err), &err);
}

/* A v3 table. specs may be NULL: one unpartitioned spec; orders and properties too. */
static inline const calve_metadata *make_metadata(fixture *f, const char *fields, const char *specs,
                                                  const char *orders, const char *properties) {
  calve_error err;
  calve_str text;
  const calve_metadata *m = NULL;
  calve_buffer json;
  calve_buffer_init(&json, NULL);
  calve_buffer_printf(
      &json,
      "{\"format-version\":3,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\","
      "\"location\":\"file://%s/t\",\"last-sequence-number\":0,\"last-updated-ms\":1,"
      "\"next-row-id\":0,\"last-column-id\":1000,\"current-schema-id\":0,\"schemas\":[{\"type\":"
      "\"struct\",\"schema-id\":0,\"fields\":[",
      f->dir);
  calve_buffer_puts(&json, fields);
  calve_buffer_printf(&json,
                      "]}],\"default-spec-id\":0,\"last-partition-id\":2000,"
                      "\"partition-specs\":[");
  calve_buffer_puts(&json, specs ? specs : "{\"spec-id\":0,\"fields\":[]}");
  calve_buffer_printf(&json,
                      "],\"default-sort-order-id\":%d,\"sort-orders\":[{\"order-id\":0,"
                      "\"fields\":[]}%s",
                      orders ? 1 : 0, orders ? "," : "");
  calve_buffer_puts(&json, orders ? orders : "");
  calve_buffer_puts(&json, "],\"properties\":{");
  calve_buffer_puts(&json, properties ? properties : "");
  calve_buffer_puts(&json, "},\"current-snapshot-id\":null,\"snapshots\":[],\"refs\":{}}");
  assert_ok(calve_arena_str(&f->arena, calve_buffer_view(&json), &text, &err), &err);
  calve_buffer_free(&json);
  assert_ok(calve_metadata_parse(text, "test.metadata.json", &f->arena, &m, &err), &err);
  return m;
}

/* Rows as "1|a;2|NULL;…", in the order of the query. */
static inline const char *rows_text(fixture *f, const char *sql) {
  calve_error err;
  calve_rows *rows = NULL;
  calve_buffer query, text;
  calve_buffer_init(&query, NULL);
  calve_buffer_init(&text, NULL);
  calve_buffer_printf(&query, "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (");
  calve_buffer_puts(&query, sql);
  calve_buffer_puts(&query, ")");
  assert_ok(calve_engine_query(f->engine, calve_buffer_cstr(&query), &rows, &err), &err);
  for (bool more = true;;) {
    assert_ok(calve_rows_next(rows, &more, &err), &err);
    if (!more) break;
    for (size_t i = 0; i < calve_rows_count(rows); i++) {
      if (text.size > 0) calve_buffer_putc(&text, ';');
      for (size_t c = 0; c < calve_rows_column_count(rows); c++) {
        if (c > 0) calve_buffer_putc(&text, '|');
        calve_str v = calve_rows_text(rows, c, i);
        calve_buffer_put_str(&text, v.data ? v : CALVE_STR("NULL"));
      }
    }
  }
  calve_rows_free(rows);
  char *copy = calve_arena_copy(&f->arena, calve_buffer_cstr(&text), text.size);
  calve_buffer_free(&text);
  calve_buffer_free(&query);
  assert_non_null(copy);
  return copy;
}

/* The view "t" over data files by path, of spec 0 with empty tuples. */
static inline calve_status view_files(fixture *f, const calve_metadata *m, const char *const *paths,
                                      size_t count, calve_error *err) {
  calve_data_file *files = CALVE_NEW_ARRAY(&f->arena, calve_data_file, count);
  const calve_data_file **list = CALVE_NEW_ARRAY(&f->arena, const calve_data_file *, count);
  for (size_t i = 0; i < count; i++) {
    files[i].path = calve_str_of(at_dir(f, paths[i]));
    files[i].format = CALVE_STR("PARQUET");
    list[i] = &files[i];
  }
  calve_read_request q = {.schema = m->schema, .metadata = m, .files = list, .file_count = count};
  return calve_read_view(f->engine, &q, "t", err);
}

#endif
