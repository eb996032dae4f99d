/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/listing.h"

#include <inttypes.h>

#include "data/sql_text.h"

/* Bytes of one INSERT: large enough to be fast, small enough for the engine's parser. */
#define BATCH_BYTES (256 * 1024)

calve_status calve_listing_begin(calve_exec *x, const char *columns, size_t column_count,
                                 calve_listing *out, calve_error *err) {
  calve_session *s = x->session;
  calve_listing l = {.x = x, .column_count = column_count};
  CALVE_TRY(calve_arena_printf(x->arena, &l.table, err, "calve_rows_%" PRIu64,
                               calve_engine_serial(s->engine)));
  calve_str create;
  CALVE_TRY(calve_arena_printf(x->arena, &create, err, "CREATE TEMP TABLE %s (%s)", l.table.data,
                               columns));
  CALVE_TRY(calve_engine_run(s->engine, create.data, err));
  calve_buffer_printf(&s->views, "DROP TABLE IF EXISTS %s;", l.table.data);
  calve_buffer_init(&l.insert, s->allocator);
  calve_buffer_printf(&l.insert, "INSERT INTO %s VALUES ", l.table.data);
  l.head_size = l.insert.size;
  *out = l;
  return CALVE_OK;
}

static void flush(calve_listing *l) {
  if ((l->insert.size == l->head_size && !l->insert.oom) || l->failed) return;
  l->failed = calve_buffer_check(&l->insert, &l->error) != CALVE_OK ||
              calve_engine_run(l->x->session->engine, calve_buffer_cstr(&l->insert), &l->error) !=
                  CALVE_OK;
  l->insert.size = l->head_size;
}

/* What stands before a cell. */
static void open_cell(calve_listing *l) {
  if (l->column > 0)
    calve_buffer_putc(&l->insert, ',');
  else
    calve_buffer_puts(&l->insert, l->insert.size == l->head_size ? "(" : ",(");
}

static void close_cell(calve_listing *l) {
  if (++l->column < l->column_count) return;
  l->column = 0;
  calve_buffer_putc(&l->insert, ')');
  if (l->insert.size > BATCH_BYTES) flush(l);
}

void calve_listing_text(calve_listing *l, calve_str text) {
  open_cell(l);
  if (!l->failed && !calve_utf8_valid(text)) {
    (void)calve_fail(&l->error, CALVE_ECORRUPT, NULL, "a text in its metadata is no UTF-8: %.*s",
                     CALVE_STR_ARG(text));
    l->failed = true;
  }
  if (text.data)
    calve_sql_string(&l->insert, text);
  else
    calve_buffer_puts(&l->insert, "NULL");
  close_cell(l);
}

void calve_listing_i64(calve_listing *l, int64_t value) {
  open_cell(l);
  calve_buffer_printf(&l->insert, "%" PRId64, value);
  close_cell(l);
}

void calve_listing_null(calve_listing *l) {
  open_cell(l);
  calve_buffer_puts(&l->insert, "NULL");
  close_cell(l);
}

void calve_listing_i64_or_null(calve_listing *l, int64_t value, int64_t null_value) {
  if (value == null_value)
    calve_listing_null(l);
  else
    calve_listing_i64(l, value);
}

void calve_listing_bool(calve_listing *l, bool value) {
  open_cell(l);
  calve_buffer_puts(&l->insert, value ? "true" : "false");
  close_cell(l);
}

void calve_listing_ms(calve_listing *l, int64_t ms) {
  open_cell(l);
  calve_buffer_printf(&l->insert, "make_timestamptz(%" PRId64 "000)", ms);
  close_cell(l);
}

void calve_listing_expression(calve_listing *l, const calve_buffer *sql) {
  open_cell(l);
  calve_buffer_put_str(&l->insert, calve_buffer_view(sql));
  l->insert.oom |= sql->oom;
  close_cell(l);
}

void calve_listing_free(calve_listing *l) { calve_buffer_free(&l->insert); }

calve_status calve_listing_end(calve_listing *l, calve_error *err) {
  flush(l);
  calve_listing_free(l);
  if (!l->failed) return CALVE_OK;
  if (err) *err = l->error;
  return l->error.code;
}

calve_status calve_listing_show(calve_listing *l, calve_error *err) {
  CALVE_TRY(calve_listing_end(l, err));
  calve_str sql;
  CALVE_TRY(calve_arena_printf(l->x->arena, &sql, err, "FROM %s", l->table.data));
  return calve_exec_rows(l->x, sql.data, err);
}
