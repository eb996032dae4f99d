/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/abi.h"
#include "base/text.h"
#include "data/damage.h"
#include "data/exact_rows.h"
#include "sql/engine_hints.h"

static const struct {
  calve_statement_kind kind;
  calve_exec_fn *run;
  enum { READS, WRITES } writes; /* WRITES: in a dry run it checks and tells only               */
} executors[] = {
    {CALVE_SQL_QUERY, calve_exec_query, READS},
    {CALVE_SQL_EXPLAIN, calve_exec_explain, READS},
    {CALVE_SQL_CREATE_NAMESPACE, calve_exec_create_namespace, WRITES},
    {CALVE_SQL_DROP_NAMESPACE, calve_exec_drop_namespace, WRITES},
    {CALVE_SQL_SHOW_NAMESPACES, calve_exec_show_namespaces, READS},
    {CALVE_SQL_USE, calve_exec_use, READS},
    {CALVE_SQL_CREATE_TABLE, calve_exec_create_table, WRITES},
    {CALVE_SQL_DROP_TABLE, calve_exec_drop_table, WRITES},
    {CALVE_SQL_SHOW_TABLES, calve_exec_show_tables, READS},
    {CALVE_SQL_SHOW_COLUMNS, calve_exec_show_columns, READS},
    {CALVE_SQL_DESCRIBE, calve_exec_describe, READS},
    {CALVE_SQL_SHOW_CREATE, calve_exec_show_create, READS},
    {CALVE_SQL_SHOW_PROPERTIES, calve_exec_show_properties, READS},
    {CALVE_SQL_ALTER_TABLE, calve_exec_alter_table, WRITES},
    {CALVE_SQL_INSERT, calve_exec_insert, WRITES},
    {CALVE_SQL_SET, calve_exec_set, READS},
    {CALVE_SQL_RESET, calve_exec_reset, READS},
};

/* ---- results ------------------------------------------------------------------------------ */

static calve_result *result_make(const calve_allocator *allocator) {
  calve_result *r = allocator->resize(allocator->ctx, NULL, 0, sizeof *r);
  if (!r) return NULL;
  *r = (calve_result){.allocator = allocator, .row_count = -1};
  calve_arena_init(&r->arena, allocator);
  calve_buffer_init(&r->warnings, allocator);
  return r;
}

void calve_result_free(calve_result *result) {
  if (!result) return;
  if (result->rows.release) result->rows.release(&result->rows);
  calve_buffer_free(&result->warnings);
  calve_arena_free(&result->arena);
  const calve_allocator *allocator = result->allocator;
  allocator->resize(allocator->ctx, result, sizeof *result, 0);
}

bool calve_result_has_rows(const calve_result *result) { return result->has_rows; }

calve_status calve_result_take_rows(calve_result *result, struct ArrowArrayStream *out,
                                    calve_error *err) {
  if (!result->rows.release)
    return calve_fail(err, CALVE_EINVAL, "result",
                      "there are no rows, or they were taken already");
  *out = result->rows;
  result->rows = (struct ArrowArrayStream){0};
  return CALVE_OK;
}

const char *calve_result_message(const calve_result *result) {
  return result->message.data ? result->message.data : "";
}

int64_t calve_result_row_count(const calve_result *result) { return result->row_count; }

size_t calve_result_warning_count(const calve_result *result) {
  return CALVE_COUNT(&result->warnings, calve_str);
}

const char *calve_result_warning(const calve_result *result, size_t index) {
  if (index >= calve_result_warning_count(result)) return NULL;
  return CALVE_ITEMS(&result->warnings, calve_str)[index].data;
}

/* A name in it may have lines; the text has one. */
static calve_status one_line(calve_arena *arena, calve_str *text, calve_error *err) {
  char shown[CALVE_SHOWN_MAX];
  size_t size = 0, taken;
  for (size_t at = 0; at < text->size; at += taken)
    size += calve_text_show((calve_str){text->data + at, text->size - at}, shown, &taken);
  if (size == text->size) return CALVE_OK;
  char *line = calve_arena_alloc(arena, size + 1), *end = line;
  if (!line) return calve_fail_oom(err);
  for (size_t at = 0; at < text->size; at += taken) {
    size_t n = calve_text_show((calve_str){text->data + at, text->size - at}, shown, &taken);
    memcpy(end, shown, n);
    end += n;
  }
  *end = '\0';
  *text = (calve_str){line, size};
  return CALVE_OK;
}

static calve_status format_text(calve_arena *arena, calve_str *out, calve_error *err,
                                const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int size = vsnprintf(NULL, 0, fmt, args);
  char *text = size < 0 ? NULL : calve_arena_alloc(arena, (size_t)size + 1);
  if (text) vsnprintf(text, (size_t)size + 1, fmt, again);
  va_end(again);
  if (!text) return calve_fail_oom(err);
  *out = (calve_str){text, (size_t)size};
  return one_line(arena, out, err);
}

calve_status calve_exec_message(calve_exec *x, calve_error *err, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  calve_status status = format_text(&x->result->arena, &x->result->message, err, fmt, args);
  va_end(args);
  return status;
}

void calve_exec_done(calve_exec *x, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  if (format_text(&x->result->arena, &x->result->message, NULL, fmt, args) != CALVE_OK)
    x->result->message = CALVE_STR("done");
  va_end(args);
}

calve_status calve_exec_warn(calve_exec *x, calve_error *err, const char *fmt, ...) {
  va_list args;
  calve_str text;
  va_start(args, fmt);
  calve_status status = format_text(&x->result->arena, &text, err, fmt, args);
  va_end(args);
  if (status != CALVE_OK) return status;
  calve_buffer_put(&x->result->warnings, &text, sizeof text);
  return calve_buffer_check(&x->result->warnings, err);
}

/* COPY, CREATE TEMP TABLE, SET …: a count of rows, or nothing. */
static calve_status say_done(calve_exec *x, calve_rows *rows, calve_error *err) {
  int64_t count = -1;
  for (bool more = true; more;) {
    CALVE_TRY(calve_rows_next(rows, &more, err));
    if (more && calve_rows_count(rows) == 1 &&
        calve_rows_column_type(rows, 0) == DUCKDB_TYPE_BIGINT)
      count = calve_rows_i64(rows, 0, 0);
  }
  calve_str words = calve_str_trim(x->statement->text);
  bool creates =
      words.size > 6 && calve_str_equal_nocase((calve_str){words.data, 6}, CALVE_STR("CREATE"));
  if (creates) return calve_exec_message(x, err, "created, for this session");
  if (count < 0) return calve_exec_message(x, err, "done");
  return calve_exec_message(x, err, "done: %" PRId64 " row%s", count, count == 1 ? "" : "s");
}

calve_status calve_exec_rows(calve_exec *x, const char *engine_sql, calve_error *err) {
  calve_rows *rows = NULL;
  unsigned as_text = 0;
  if (x->session->times_as_text)
    as_text = CALVE_TEXT_INTERVALS | (x->session->session_is_utc ? 0u : CALVE_TEXT_INSTANTS);
  CALVE_TRY(calve_engine_query_answer(x->session->engine, engine_sql, as_text, &rows, err));
  if (!calve_rows_are_answer(rows)) {
    calve_status done = say_done(x, rows, err);
    calve_rows_free(rows);
    return done;
  }
  calve_status status = calve_rows_to_arrow(rows, NULL, &x->result->rows, err);
  if (status != CALVE_OK) {
    calve_rows_free(rows);
    return status;
  }
  x->result->has_rows = true;
  return CALVE_OK;
}

/* ---- opening and closing ------------------------------------------------------------------ */

/* The engine asks now and then. A cancel that came between two of its statements is seen here. */
static bool poll_engine(void *ctx, calve_engine *engine) {
  calve_session *s = ctx;
  if (calve_cancel_is_set(&s->cancel)) return true;
  return s->report && s->report(s->report_ctx, calve_engine_progress(engine));
}

static calve_status open_parts(calve_session *s, const calve_session_config *config,
                               calve_error *err) {
  CALVE_TRY(calve_catalog_open(config->catalog, &s->catalog, err));
  calve_catalog_set_cancel(s->catalog, &s->cancel);
  calve_engine_options engine = {.allocator = s->allocator,
                                 .temp_dir = config->temp_dir,
                                 .thread_count = config->thread_count,
                                 .memory_limit_bytes = config->memory_limit_bytes};
  CALVE_TRY(calve_engine_open(&engine, &s->engine, err));
  calve_engine_set_poll(s->engine, poll_engine, s);
  return CALVE_OK;
}

calve_status calve_session_open(const calve_session_config *given, calve_session **out,
                                calve_error *err) {
  calve_session_config config;
  calve_catalog_config catalog;
  CALVE_TRY(CALVE_STRUCT_READ(given, calve_session_config, times_as_text, &config, err));
  CALVE_TRY(CALVE_STRUCT_READ(config.catalog, calve_catalog_config, read_only, &catalog, err));
  CALVE_TRY(calve_allocator_check(catalog.allocator, err));
  const calve_allocator *allocator =
      catalog.allocator ? catalog.allocator : calve_default_allocator();
  calve_session *s = allocator->resize(allocator->ctx, NULL, 0, sizeof *s);
  if (!s) return calve_fail_oom(err);
  int32_t thread_count = config.thread_count > 0 ? config.thread_count : 0;
  *s = (calve_session){.allocator = allocator,
                       .read_only = catalog.read_only,
                       .dry_run = config.dry_run,
                       .cache = config.cache,
                       .times_as_text = config.times_as_text,
                       .explain_json = config.explain_json,
                       .thread_count = (size_t)thread_count,
                       .session_is_utc = true};
  calve_arena_init(&s->arena, allocator);
  calve_buffer_init(&s->views, allocator);
  calve_map_init(&s->warned, &s->arena);
  calve_status status = open_parts(s, &config, err);
  if (status != CALVE_OK) {
    calve_session_free(s);
    return status;
  }
  *out = s;
  return CALVE_OK;
}

void calve_session_free(calve_session *session) {
  if (!session) return;
  calve_engine_close(session->engine);
  calve_catalog_close(session->catalog);
  calve_thread_pool_free(session->pool);
  calve_buffer_free(&session->views);
  calve_arena_free(&session->arena);
  const calve_allocator *allocator = session->allocator;
  allocator->resize(allocator->ctx, session, sizeof *session, 0);
}

void calve_session_cancel(calve_session *session) {
  calve_cancel_set(&session->cancel);
  calve_engine_interrupt(session->engine);
}

void calve_session_on_progress(calve_session *session, bool (*report)(void *ctx, double percent),
                               void *ctx) {
  session->report = report;
  session->report_ctx = ctx;
}

/* ---- statements --------------------------------------------------------------------------- */

calve_status calve_sql_split(const char **script, const char **statement, size_t *size_bytes,
                             bool *complete, calve_error *err) {
  calve_str text = calve_str_of(*script), one;
  CALVE_TRY(calve_sql_next_statement(&text, &one, complete, err));
  *script = text.data;
  *statement = one.data ? one.data : text.data;
  *size_bytes = one.data ? one.size : 0;
  return CALVE_OK;
}

static calve_status run_parsed(calve_exec *x, calve_error *err) {
  for (size_t i = 0; i < sizeof executors / sizeof *executors; i++) {
    if (executors[i].kind != x->statement->kind) continue;
    if (executors[i].writes) CALVE_TRY(calve_exec_may_write(x, err));
    return executors[i].run(x, err);
  }
  return calve_fail(err, CALVE_EUNSUPPORTED, "SQL", "statement has no executor");
}

calve_status calve_session_run(calve_session *session, const char *statement, size_t size_bytes,
                               calve_result **out, calve_error *err) {
  calve_arena arena;
  calve_arena_init(&arena, session->allocator);
  /* A cancel is for the statement that runs, and may come from another thread even now. */
  __atomic_store_n(&session->cancel.flag, 0, __ATOMIC_RELEASE);
  calve_session_forget_relations(session);
  calve_exec x = {.session = session, .arena = &arena, .result = result_make(session->allocator)};
  calve_status status = x.result ? CALVE_OK : calve_fail_oom(err);
  if (status == CALVE_OK)
    status = calve_statement_parse((calve_str){statement, size_bytes}, &arena, &x.statement, err);
  if (status == CALVE_OK) {
    calve_error failure = {0};
    status = run_parsed(&x, &failure);
    calve_damage_name(session->engine, &failure);
    if (status == CALVE_ENOTFOUND) status = calve_hint_about_names(&x, &failure);
    if (status != CALVE_OK && err) *err = failure;
  }
  if (status == CALVE_OK)
    *out = x.result;
  else
    calve_result_free(x.result);
  calve_arena_free(&arena);
  return status;
}
