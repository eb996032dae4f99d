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
  if (s->views.size > 0) (void)!calve_engine_run(s->engine, calve_buffer_cstr(&s->views), &ignored);
  calve_buffer_clear(&s->views);
}

static calve_status make_relation(void *ctx, calve_exec *x, const calve_relation_request *request,
                                  calve_str *name, calve_error *err) {
  (void)ctx;
  return calve_relation_make(x, request, name, err);
}

/* The part of an engine's statement that may name Iceberg tables; `prefix` makes it a query. */
typedef struct query_part {
  size_t start, end;
  const char *prefix;
} query_part;

/* CREATE [OR REPLACE] [TEMP] TABLE|VIEW … AS query. Macros, sequences and types hold none. */
static bool creates_relation(const calve_token *t, size_t count) {
  for (size_t i = 1; i < count && i < 5; i++)
    if (calve_token_is(&t[i], "TABLE") || calve_token_is(&t[i], "VIEW")) return true;
  return false;
}

/* Where the query stands in COPY (query) TO …, CREATE … AS query, SUMMARIZE table or query.
 * Everything else is a query, or has none: then the whole text is tried. */
static calve_status find_query(calve_exec *x, calve_str text, query_part *out, calve_error *err) {
  calve_token *t;
  size_t count;
  *out = (query_part){0, text.size, ""};
  CALVE_TRY(calve_sql_lex(text, x->arena, &t, &count, err));
  if (calve_token_is(&t[0], "COPY") && calve_token_is_symbol(&t[1], "(")) {
    int depth = 0;
    for (size_t i = 1; i < count; i++) {
      if (calve_token_is_symbol(&t[i], "(")) depth++;
      if (!calve_token_is_symbol(&t[i], ")") || --depth > 0) continue;
      *out = (query_part){t[1].offset + 1, t[i].offset, ""};
      return CALVE_OK;
    }
  }
  if (calve_token_is(&t[0], "SUMMARIZE")) {
    bool name = t[1].kind == CALVE_TOKEN_QUOTED || calve_token_is_symbol(&t[2], ".");
    *out = (query_part){t[0].offset + t[0].text.size, text.size, name ? "FROM" : ""};
  }
  if (calve_token_is(&t[0], "CREATE") && !creates_relation(t, count)) out->end = 0;
  for (size_t i = 1; calve_token_is(&t[0], "CREATE") && out->end > 0 && i < count; i++) {
    if (!calve_token_is(&t[i], "AS")) continue;
    out->start = t[i].offset + t[i].text.size;
    return CALVE_OK;
  }
  return CALVE_OK;
}

/* Rewrites the part, and puts the rest of the statement around it again. */
static calve_status rewrite_part(calve_exec *x, calve_str text, const query_part *part,
                                 calve_str *out, calve_error *err) {
  calve_str query, inner;
  CALVE_TRY(calve_arena_printf(x->arena, &query, err, "%s%.*s", part->prefix,
                               (int)(part->end - part->start), text.data + part->start));
  CALVE_TRY(calve_query_rewrite(x, query, make_relation, NULL, &inner, err));
  return calve_arena_printf(x->arena, out, err, "%.*s %.*s%.*s", (int)part->start, text.data,
                            (int)inner.size, inner.data, (int)(text.size - part->end),
                            text.data + part->end);
}

calve_status calve_exec_rewrite_query(calve_exec *x, calve_str query, calve_str *out,
                                      calve_error *err) {
  query_part part;
  CALVE_TRY(find_query(x, query, &part, err));
  if (part.end == 0) return calve_arena_str(x->arena, query, out, err);
  calve_error failure = {0};
  calve_status status = rewrite_part(x, query, &part, out, &failure);
  if (status == CALVE_OK) return CALVE_OK;
  /* Places in the part become places in the statement. */
  int64_t prefix_size = (int64_t)calve_str_of(part.prefix).size;
  if (failure.byte_offset >= prefix_size)
    failure.byte_offset += (int64_t)(x->statement->query_offset + part.start) - prefix_size;
  if (err) *err = failure;
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
