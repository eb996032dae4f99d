/* SPDX-License-Identifier: Apache-2.0 */
/* Queries, and what the engine does with queries: COPY … TO, temporary tables. EXPLAIN. */
#include "sql/listing.h"
#include "sql/query_rewrite.h"

void calve_session_hold_clock(calve_session *s) {
  calve_error ignored; /* fails inside a transaction of the user's: then the clock stands already */
  s->in_transaction = calve_engine_run(s->engine, "BEGIN TRANSACTION", &ignored) == CALVE_OK;
}

void calve_session_forget_relations(calve_session *s) {
  calve_error ignored;
  if (s->in_transaction && calve_engine_run(s->engine, "COMMIT", &ignored) != CALVE_OK)
    (void)!calve_engine_run(s->engine, "ROLLBACK", &ignored);
  s->in_transaction = false;
  if (s->views.size > 0)
    (void)!calve_engine_run(s->engine, calve_buffer_cstr(&s->views), &ignored);
  calve_buffer_clear(&s->views);
}

static calve_status make_relation(void *ctx, calve_exec *x, const calve_relation_request *request,
                                  calve_str *name, calve_error *err) {
  (void)ctx;
  return calve_relation_make(x, request, name, err);
}

/* The place of the query inside the statements that hold one: COPY (query) TO …, and CREATE TEMP
 * TABLE t AS
 * query. Everything else is a query, or has none: then the whole text is tried. */
static calve_status find_query(calve_exec *x, calve_str text, size_t *start, size_t *end,
                               calve_error *err) {
  calve_token *t;
  size_t count;
  *start = 0;
  *end = text.size;
  CALVE_TRY(calve_sql_lex(text, x->arena, &t, &count, err));
  if (calve_token_is(&t[0], "COPY") && calve_token_is_symbol(&t[1], "(")) {
    int depth = 0;
    for (size_t i = 1; i < count; i++) {
      if (calve_token_is_symbol(&t[i], "(")) depth++;
      if (!calve_token_is_symbol(&t[i], ")") || --depth > 0) continue;
      *start = t[1].offset + 1;
      *end = t[i].offset;
      return CALVE_OK;
    }
  }
  for (size_t i = 1; calve_token_is(&t[0], "CREATE") && i < count; i++) {
    if (!calve_token_is(&t[i], "AS")) continue;
    *start = t[i].offset + t[i].text.size;
    return CALVE_OK;
  }
  return CALVE_OK;
}

calve_status calve_exec_rewrite_query(calve_exec *x, calve_str query, calve_str *out,
                                      calve_error *err) {
  size_t start, end;
  calve_str inner;
  CALVE_TRY(find_query(x, query, &start, &end, err));
  calve_str part = {query.data + start, end - start};
  CALVE_TRY(calve_query_rewrite(x, part, make_relation, NULL, &inner, err));
  if (start == 0 && end == query.size) {
    *out = inner;
    return CALVE_OK;
  }
  calve_buffer text;
  calve_buffer_init(&text, x->session->allocator);
  calve_buffer_put(&text, query.data, start);
  calve_buffer_putc(&text, ' ');
  calve_buffer_put_str(&text, inner);
  calve_buffer_put(&text, query.data + end, query.size - end);
  calve_status status = calve_buffer_check(&text, err);
  if (status == CALVE_OK) status = calve_arena_str(x->arena, calve_buffer_view(&text), out, err);
  calve_buffer_free(&text);
  return status;
}

calve_status calve_exec_query(calve_exec *x, calve_error *err) {
  calve_str query;
  calve_session_hold_clock(x->session);
  CALVE_TRY(calve_exec_rewrite_query(x, x->statement->query, &query, err));
  calve_status status = calve_exec_rows(x, query.data, err);
  if (status != CALVE_OK) calve_error_set_where(err, "SQL");
  return status;
}

/* ---- EXPLAIN ------------------------------------------------------------------------------ */

static calve_status explain_relation(void *ctx, calve_exec *x,
                                     const calve_relation_request *request, calve_str *name,
                                     calve_error *err) {
  CALVE_TRY(calve_relation_explain(x, request, ctx, err));
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

calve_status calve_exec_explain(calve_exec *x, calve_error *err) {
  calve_buffer plan;
  calve_str query;
  calve_listing listing;
  calve_buffer_init(&plan, x->session->allocator);
  calve_status status =
      calve_query_rewrite(x, x->statement->query, explain_relation, &plan, &query, err);
  if (status == CALVE_OK) status = calve_buffer_check(&plan, err);
  if (status == CALVE_OK && plan.size == 0) calve_buffer_puts(&plan, "no Iceberg table is read\n");
  if (status == CALVE_OK) status = calve_listing_begin(x, "plan VARCHAR", 1, &listing, err);
  if (status == CALVE_OK) {
    list_lines(&listing, calve_buffer_view(&plan));
    status = calve_listing_show(&listing, err);
  }
  calve_buffer_free(&plan);
  return status;
}
