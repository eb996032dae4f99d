/* SPDX-License-Identifier: Apache-2.0 */
/* A session on a warehouse of its own, for tests that speak SQL.
 *
 *   static void test_x(void **state) {
 *     sql_session *f = *state;                       // setup_session, teardown_session
 *     run(f, "CREATE TABLE db.t (id BIGINT)");
 *     assert_rows(f, "SELECT id FROM db.t", "1|2");  // rows between "|", cells between ","
 *     refuse(f, "ALTER TABLE db.t DROP COLUMN x", CALVE_ENOTFOUND, "x");
 *   }
 * Namespace db is there from the start. */
#ifndef CALVE_TESTS_SQL_SESSION_H
#define CALVE_TESTS_SQL_SESSION_H

#include <stdio.h>

#include "harness.h"

#include "base/text.h"
#include "calve_sql.h"
#include "sql/session.h"

typedef struct sql_session {
  char dir[256];
  calve_session *session;
  calve_cache *cache; /* mostly NULL                                                            */
  calve_arena arena;
} sql_session;

static inline calve_status try_run(sql_session *f, const char *sql, calve_result **out,
                                   calve_error *err) {
  return calve_session_run(f->session, sql, strlen(sql), out, err);
}

/* The message; lives until the test ends. */
static inline const char *run(sql_session *f, const char *sql) {
  calve_error err;
  calve_result *r = NULL;
  calve_status status = try_run(f, sql, &r, &err);
  if (status != CALVE_OK) print_error("%s\n", sql);
  assert_ok(status, &err);
  const char *message = calve_result_message(r);
  message = calve_arena_copy(&f->arena, message, strlen(message) + 1);
  calve_result_free(r);
  return message;
}

static inline void refuse(sql_session *f, const char *sql, calve_status want, const char *part) {
  calve_error err = {0};
  calve_result *r = NULL;
  calve_status status = try_run(f, sql, &r, &err);
  if (status != want) print_error("%s\n", sql);
  assert_fails(status, want, &err);
  assert_message(&err, part);
}

/* One cell of an Arrow array whose format is "u" or "l". */
static inline void put_cell(calve_buffer *out, const struct ArrowSchema *type,
                            const struct ArrowArray *array, int64_t row) {
  int64_t at = row + array->offset;
  const uint8_t *valid = array->buffers[0];
  if (valid && !((valid[at / 8] >> (at % 8)) & 1)) {
    calve_buffer_puts(out, "NULL");
  } else if (strcmp(type->format, "l") == 0) {
    calve_buffer_printf(out, "%lld", (long long)((const int64_t *)array->buffers[1])[at]);
  } else if (strcmp(type->format, "b") == 0) {
    const uint8_t *bits = array->buffers[1];
    calve_buffer_puts(out, (bits[at / 8] >> (at % 8)) & 1 ? "true" : "false");
  } else {
    assert_string_equal(type->format, "u");
    const int32_t *offsets = array->buffers[1];
    const char *text = array->buffers[2];
    calve_buffer_put(out, text + offsets[at], (size_t)(offsets[at + 1] - offsets[at]));
  }
}

/* All rows as text: cells between ",", rows between "|". Lives until the test ends. Columns are
 * text or BIGINT: cast what is neither. */
static inline calve_status try_rows(sql_session *f, const char *sql, const char **out,
                                    calve_error *err) {
  calve_result *r = NULL;
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray array;
  calve_buffer text;
  CALVE_TRY(try_run(f, sql, &r, err));
  assert_true(calve_result_has_rows(r));
  assert_ok(calve_result_take_rows(r, &stream, err), err);
  assert_int_equal(stream.get_schema(&stream, &schema), 0);
  calve_buffer_init(&text, NULL);
  for (;;) {
    int failed = stream.get_next(&stream, &array);
    if (failed) print_error("%s\n  %s\n", sql, stream.get_last_error(&stream));
    assert_int_equal(failed, 0);
    if (!array.release) break;
    for (int64_t i = 0; i < array.length; i++) {
      if (text.size > 0) calve_buffer_putc(&text, '|');
      for (int64_t c = 0; c < array.n_children; c++) {
        if (c > 0) calve_buffer_putc(&text, ',');
        put_cell(&text, schema.children[c], array.children[c], i);
      }
    }
    array.release(&array);
  }
  schema.release(&schema);
  stream.release(&stream);
  calve_result_free(r);
  *out = calve_arena_copy(&f->arena, calve_buffer_cstr(&text), text.size + 1);
  calve_buffer_free(&text);
  return CALVE_OK;
}

static inline const char *rows_of(sql_session *f, const char *sql) {
  calve_error err;
  const char *text[1] = {""}; /* an array: gcc 12 takes the address of a plain one for its value */
  calve_status status = try_rows(f, sql, &text[0], &err);
  if (status != CALVE_OK) print_error("%s\n", sql);
  assert_ok(status, &err);
  return text[0];
}

static inline void assert_rows_(sql_session *f, const char *sql, const char *want,
                                const char *file, int line) {
  const char *got = rows_of(f, sql);
  if (strcmp(got, want) == 0) return;
  print_error("%s\n  gives    %s\n  expected %s\n", sql, got, want);
  _fail(file, line);
}
#define assert_rows(f, sql, want) assert_rows_((f), (sql), (want), __FILE__, __LINE__)

/* One of the rows is this, or begins with it. */
static inline void assert_row(sql_session *f, const char *sql, const char *want) {
  const char *rows = rows_of(f, sql);
  for (const char *at = rows; (at = strstr(at, want)); at++)
    if (at == rows || at[-1] == '|') return;
  print_error("%s\n  gives no row %s but\n  %s\n", sql, want, rows);
  fail();
}

/* The table as it is; close it. */
static inline calve_table *load_table(sql_session *f, const char *name) {
  calve_error err;
  calve_table *table = NULL;
  calve_str level = CALVE_STR("db");
  calve_table_name full = {.space = {&level, 1}, .name = calve_str_of(name)};
  assert_ok(calve_table_load(f->session->catalog, &full, &table, &err), &err);
  return table;
}

/* Makes db.NAME of db.t's metadata, as if another engine had written it: each text of `pairs`
 * (from, to, from, to, …, NULL) is replaced everywhere. All must be there. */
static inline void register_edited(sql_session *f, const char *name, const char *const *pairs) {
  calve_error err;
  calve_table *table = load_table(f, "t");
  calve_str text;
  assert_ok(calve_store_read(calve_table_store(table), calve_table_metadata_location(table),
                             INT64_MAX, &f->arena, &text, &err),
            &err);
  assert_ok(calve_arena_str(&f->arena, text, &text, &err), &err); /* with a NUL behind it */
  const char *edited = text.data;
  for (; *pairs; pairs += 2) {
    calve_buffer next;
    calve_buffer_init(&next, NULL);
    const char *at = edited;
    for (const char *hit; (hit = strstr(at, pairs[0])); at = hit + strlen(pairs[0])) {
      calve_buffer_put(&next, at, (size_t)(hit - at));
      calve_buffer_puts(&next, pairs[1]);
    }
    if (at == edited) print_error("no %s\n", pairs[0]);
    assert_true(at > edited);
    calve_buffer_puts(&next, at);
    edited = calve_arena_copy(&f->arena, calve_buffer_cstr(&next), next.size + 1);
    calve_buffer_free(&next);
  }
  char path[512];
  snprintf(path, sizeof path, "%s/%s.metadata.json", f->dir, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fwrite(edited, 1, strlen(edited), file);
  fclose(file);
  calve_table_close(table);
  calve_str level = CALVE_STR("db");
  calve_table_name full = {.space = {&level, 1}, .name = calve_str_of(name)};
  assert_ok(calve_catalog_register_table(f->session->catalog, &full, calve_str_of(path), &err),
            &err);
}

/* "schema 1 of 2, last column 4: struct<1: id: required long, …>". */
static inline const char *schema_of(sql_session *f, const char *name) {
  calve_table *table = load_table(f, name);
  const calve_metadata *m = calve_table_metadata(table);
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  calve_buffer_printf(&b, "schema %d of %d, last column %d: ", m->current_schema_id,
                      m->schema_count, m->last_column_id);
  calve_type_print(m->schema->root, &b);
  const char *text = calve_arena_copy(&f->arena, calve_buffer_cstr(&b), b.size);
  calve_buffer_free(&b);
  calve_table_close(table);
  return text;
}

/* "spec 1 of 2, last field 1001: 1000 month(2) ts_month, 1001 day(2) ts_day". */
static inline const char *spec_of(sql_session *f, const char *name) {
  calve_table *table = load_table(f, name);
  const calve_metadata *m = calve_table_metadata(table);
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  calve_buffer_printf(&b, "spec %d of %d, last field %d:", m->default_spec_id, m->spec_count,
                      m->last_partition_id);
  for (int32_t i = 0; i < m->spec->field_count; i++) {
    const calve_partition_field *field = &m->spec->fields[i];
    calve_buffer_printf(&b, "%s %d ", i ? "," : "", field->field_id);
    calve_transform_print(&field->transform, &b);
    calve_buffer_printf(&b, "(%d) %.*s", field->source_id, CALVE_STR_ARG(field->name));
  }
  const char *text = calve_arena_copy(&f->arena, calve_buffer_cstr(&b), b.size);
  calve_buffer_free(&b);
  calve_table_close(table);
  return text;
}

/* "order 1 of 2: bucket[4](1) desc nulls last, identity(2) asc nulls first". */
static inline const char *order_of(sql_session *f, const char *name) {
  calve_table *table = load_table(f, name);
  const calve_metadata *m = calve_table_metadata(table);
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  calve_buffer_printf(&b, "order %d of %d:", m->default_sort_order_id, m->sort_order_count);
  for (int32_t i = 0; i < m->sort_order->field_count; i++) {
    const calve_sort_field *field = &m->sort_order->fields[i];
    calve_buffer_puts(&b, i ? ", " : " ");
    calve_transform_print(&field->transform, &b);
    calve_buffer_printf(&b, "(%d) %s nulls %s", field->source_id,
                        field->descending ? "desc" : "asc", field->nulls_last ? "last" : "first");
  }
  const char *text = calve_arena_copy(&f->arena, calve_buffer_cstr(&b), b.size);
  calve_buffer_free(&b);
  calve_table_close(table);
  return text;
}

/* The property's value; "" when it is not set. */
static inline const char *property_of(sql_session *f, const char *name, const char *key) {
  calve_table *table = load_table(f, name);
  calve_str found = calve_properties_get(&calve_table_metadata(table)->properties, key);
  const char *text = calve_arena_copy(&f->arena, found.data ? found.data : "", found.size);
  calve_table_close(table);
  return text;
}

static inline int setup_session(void **state) {
  calve_error err;
  sql_session *f = calloc(1, sizeof *f);
  assert_non_null(f);
  make_temp_dir(f->dir);
  calve_arena_init(&f->arena, NULL);
  const char *kept = getenv("CALVE_WAREHOUSE"); /* a folder that stays                          */
  calve_setting warehouse[] = {{"type", "sql"}, {"warehouse", kept ? kept : f->dir}};
  calve_catalog_config catalog = {
      .struct_size = sizeof catalog, .properties = warehouse, .property_count = 2};
  calve_session_config config = {.struct_size = sizeof config,
                                 .catalog = &catalog,
                                 .temp_dir = f->dir,
                                 .thread_count = 2};
  if (getenv("CALVE_TEST_PLAN_CACHE")) { /* see tests/cache/test_histories_with_cache.sh         */
    const calve_cache_config memory = {.struct_size = sizeof memory};
    assert_ok(calve_cache_open(&memory, &f->cache, &err), &err);
    config.cache = f->cache;
  }
  assert_ok(calve_session_open(&config, &f->session, &err), &err);
  run(f, "CREATE NAMESPACE db");
  *state = f;
  return 0;
}

static inline int teardown_session(void **state) {
  sql_session *f = *state;
  calve_session_free(f->session);
  calve_cache_free(f->cache);
  calve_arena_free(&f->arena);
  remove_temp_dir(f->dir);
  free(f);
  return 0;
}

#endif
