/* SPDX-License-Identifier: Apache-2.0 */
/* Queries, and what the engine does with queries: COPY … TO, temporary tables. EXPLAIN. */
#include "data/damage.h"
#include "data/sql_text.h"
#include "sql/listing.h"
#include "data/transform_sql.h"
#include "sql/query_answer.h"
#include "sql/query_columns.h"
#include "sql/query_rewrite.h"
#include "sql/query_words.h"

void calve_session_hold_clock(calve_session *s) {
  calve_error ignored; /* fails inside a transaction of the user's: then the clock stands already */
  s->in_transaction = calve_engine_run(s->engine, "BEGIN TRANSACTION", &ignored) == CALVE_OK;
}

/* Not by calve_engine_run: what a cancelled statement leaves goes away all the same. */
static bool clean_up(calve_session *s, const char *sql) {
  return duckdb_query(calve_engine_connection(s->engine), sql, NULL) == DuckDBSuccess;
}

void calve_session_forget_relations(calve_session *s) {
  if (s->in_transaction && !clean_up(s, "COMMIT")) (void)clean_up(s, "ROLLBACK");
  s->in_transaction = false;
  if (s->views.size > 0) (void)clean_up(s, calve_buffer_cstr(&s->views));
  calve_damage_forget(s->engine);
  calve_buffer_clear(&s->views);
}

static calve_status make_relation(void *ctx, calve_exec *x, const calve_relation_request *request,
                                  calve_str *name, calve_error *err) {
  calve_relation_request wanted = *request;
  (void)ctx;
  if (request->aggregate_count > 0) CALVE_TRY(calve_answer_find(x, request, &x->answers, err));
  wanted.is_answered = x->answers != NULL;
  return calve_relation_make(x, &wanted, name, err);
}

/* SELECT 17::BIGINT AS "count_star()", …: named as the engine names what the query asks for. */
static calve_status answer_query(calve_exec *x, calve_str query, calve_str *out, calve_error *err) {
  const calve_query_column *columns;
  size_t count;
  calve_buffer text;
  CALVE_TRY(calve_query_columns(x, query, &columns, &count, err));
  calve_buffer_init(&text, x->session->allocator);
  calve_buffer_puts(&text, "SELECT ");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) calve_buffer_puts(&text, ", ");
    calve_buffer_put_str(&text, x->answers[i]);
    calve_buffer_puts(&text, " AS ");
    calve_sql_name(&text, columns[i].name);
  }
  calve_status status = calve_buffer_check(&text, err);
  if (status == CALVE_OK) status = calve_arena_str(x->arena, calve_buffer_view(&text), out, err);
  calve_buffer_free(&text);
  return status;
}

/* A constant that can't be evaluated ends the engine's transaction, and the relations in it. */
static calve_status rewrite_again(calve_exec *x, calve_str query, calve_relation_visit visit,
                                  void *ctx, calve_str *out, calve_error *err) {
  x->answers = NULL;
  calve_status status = calve_query_rewrite(x, query, visit, ctx, out, err);
  if (x->asked_in_vain) {
    calve_session_forget_relations(x->session);
    calve_session_hold_clock(x->session);
    x->answers = NULL;
    status = calve_query_rewrite(x, query, visit, ctx, out, err);
  }
  return status == CALVE_OK && x->answers ? answer_query(x, *out, out, err) : status;
}

/* The query inside the statement's text, its tables replaced by what `visit` makes of them. */
static calve_status rewrite_query(calve_exec *x, calve_str query, calve_relation_visit visit,
                                  void *ctx, calve_str *out, calve_error *err) {
  size_t start, end;
  calve_str text, inner;
  calve_error failure = {0};
  CALVE_TRY(calve_words_copy_query(query, x->arena, &text, err));
  CALVE_TRY(calve_words_find_query(text, x->arena, &start, &end, err));
  calve_str part = {text.data + start, end - start};
  calve_status status = rewrite_again(x, part, visit, ctx, &inner, &failure);
  if (status == CALVE_OK)
    return calve_arena_printf(x->arena, out, err, "%.*s %.*s%.*s", (int)start, text.data,
                              (int)inner.size, inner.data, (int)(text.size - end), text.data + end);
  /* Places in the part become places in the statement. */
  if (failure.byte_offset >= 0)
    failure.byte_offset += (int64_t)(x->statement->query_offset + start);
  if (text.data != query.data) failure.byte_offset = -1;
  if (err) *err = failure;
  return status;
}

calve_status calve_exec_rewrite_query(calve_exec *x, calve_str query, calve_str *out,
                                      calve_error *err) {
  return rewrite_query(x, query, make_relation, NULL, out, err);
}

/* Statements of the engine that write files or open other databases. */
static calve_status may_run(calve_exec *x, calve_error *err) {
  static const char *const words[] = {"COPY",    "EXPORT", "IMPORT",    "ATTACH",
                                      "INSTALL", "LOAD",   "CHECKPOINT"};
  calve_str text = calve_str_trim(x->statement->query);
  size_t size = 0;
  while (size < text.size && ((text.data[size] | 0x20) >= 'a' && (text.data[size] | 0x20) <= 'z'))
    size++;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (calve_str_equal_nocase((calve_str){text.data, size}, calve_str_of(words[i])))
      return calve_exec_may_write(x, err);
  return CALVE_OK;
}

/* CREATE MACRO year(x) AS …, or a database with such macros: from then on a function's name says
 * nothing about what it does. */
static calve_status note_macros(calve_exec *x, calve_error *err) {
  static const char *const words[] = {"ATTACH", "IMPORT", "LOAD", "USE"};
  calve_token *t;
  size_t count, at = 1;
  if (calve_sql_lex(x->statement->query, x->arena, &t, &count, NULL) != CALVE_OK) return CALVE_OK;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    x->session->has_macros |= calve_token_is(&t[0], words[i]);
  if (!calve_token_is(&t[0], "CREATE")) return CALVE_OK;
  while (at < count && !calve_token_is(&t[at], "MACRO") && !calve_token_is(&t[at], "FUNCTION"))
    at++;
  if (at >= count) return CALVE_OK;
  x->session->has_macros = true;
  while (at + 1 < count && !calve_token_is_symbol(&t[at + 1], "(")) at++;
  if (!calve_token_is(&t[at], "truncate") || x->session->truncate_is_theirs) return CALVE_OK;
  CALVE_TRY(calve_sql_truncate_is_theirs(x->session->engine, err));
  x->session->truncate_is_theirs = true;
  return CALVE_OK;
}

calve_status calve_exec_query(calve_exec *x, calve_error *err) {
  calve_str query;
  CALVE_TRY(may_run(x, err));
  CALVE_TRY(note_macros(x, err));
  calve_session_hold_clock(x->session);
  CALVE_TRY(calve_exec_rewrite_query(x, x->statement->query, &query, err));
  calve_status status = calve_exec_rows(x, query.data, err);
  if (status != CALVE_OK) calve_error_set_where(err, "SQL");
  calve_str words = calve_str_trim(x->statement->query);
  bool pragma =
      words.size > 6 && calve_str_equal_nocase((calve_str){words.data, 6}, CALVE_STR("PRAGMA"));
  if (status == CALVE_OK && pragma && !x->result->has_rows) return calve_exec_note_settings(x, err);
  return status;
}

/* ---- EXPLAIN ------------------------------------------------------------------------------ */

/* What EXPLAIN says of the tables so far, one after another. */
typedef struct explanation {
  calve_buffer text;
  calve_buffer tables; /* explained_table                                                       */
} explanation;

typedef struct explained_table {
  size_t end; /* of its text                                                                    */
  bool answered;
} explained_table;

static calve_status explain_relation(void *ctx, calve_exec *x,
                                     const calve_relation_request *request, calve_str *name,
                                     calve_error *err) {
  explanation *e = ctx;
  const calve_str *answers = NULL;
  CALVE_TRY(calve_relation_explain(x, request, &e->text, err));
  if (request->aggregate_count > 0) CALVE_TRY(calve_answer_find(x, request, &answers, err));
  if (answers && !x->session->explain_json)
    calve_buffer_puts(&e->text, "  answered from metadata: no data file is read\n");
  const explained_table table = {e->text.size, answers != NULL};
  calve_buffer_put(&e->tables, &table, sizeof table);
  return calve_relation_make(x, request, name, err);
}

static void list_lines(calve_listing *listing, calve_str text) {
  while (text.size > 0) {
    size_t size = 0;
    while (size < text.size && text.data[size] != '\n') size++;
    calve_listing_text(listing, (calve_str){text.data, size});
    size_t step = size < text.size ? size + 1 : size;
    text = (calve_str){text.data + step, text.size - step};
  }
}

static calve_status show_lines(calve_exec *x, explanation *e, calve_error *err) {
  calve_listing listing;
  if (e->text.size == 0) calve_buffer_puts(&e->text, "no Iceberg table is read\n");
  CALVE_TRY(calve_buffer_check(&e->text, err));
  CALVE_TRY(calve_listing_begin(x, "plan VARCHAR", 1, &listing, err));
  list_lines(&listing, calve_buffer_view(&e->text));
  return calve_listing_show(&listing, err);
}

static calve_status show_objects(calve_exec *x, const explanation *e, calve_error *err) {
  calve_listing listing;
  const explained_table *tables = CALVE_ITEMS(&e->tables, explained_table);
  size_t start = 0;
  CALVE_TRY(
      calve_listing_begin(x, "plan JSON, \"answered-from-metadata\" BOOLEAN", 2, &listing, err));
  for (size_t i = 0; i < CALVE_COUNT(&e->tables, explained_table); i++) {
    calve_str plan = {e->text.data + start, tables[i].end - start};
    calve_listing_text(&listing, calve_str_trim(plan));
    calve_listing_bool(&listing, tables[i].answered);
    start = tables[i].end;
  }
  return calve_listing_show(&listing, err);
}

calve_status calve_exec_explain(calve_exec *x, calve_error *err) {
  explanation e;
  calve_str query;
  calve_buffer_init(&e.text, x->session->allocator);
  calve_buffer_init(&e.tables, x->session->allocator);
  calve_status status = rewrite_query(x, x->statement->query, explain_relation, &e, &query, err);
  if (status == CALVE_OK) status = calve_buffer_check(&e.text, err);
  if (status == CALVE_OK) status = calve_buffer_check(&e.tables, err);
  if (status == CALVE_OK)
    status = x->session->explain_json ? show_objects(x, &e, err) : show_lines(x, &e, err);
  calve_buffer_free(&e.text);
  calve_buffer_free(&e.tables);
  return status;
}
