/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/query_fold.h"

#include "base/text.h"
#include "data/sql_text.h"

/* Constants that are asked for at once. */
#define BATCH_MAX 500

/* ---- what may be evaluated ---------------------------------------------------------------- */

/* Functions whose result is the same whenever they are called in one transaction. All others
 * (random(), nextval(), the user's own) are left to the engine, row by row. */
static bool is_stable(calve_str name) {
  static const char *const names[] = {"+",
                                      "-",
                                      "*",
                                      "/",
                                      "%",
                                      "//",
                                      "||",
                                      "trunc",
                                      "to_days",
                                      "to_hours",
                                      "to_minutes",
                                      "to_seconds",
                                      "to_weeks",
                                      "to_months",
                                      "to_years",
                                      "date_trunc",
                                      "make_date",
                                      "make_timestamp",
                                      "date_add",
                                      "date_sub",
                                      "lower",
                                      "upper",
                                      "concat",
                                      "abs",
                                      "round",
                                      "floor",
                                      "ceil",
                                      "now",
                                      "today",
                                      "current_date",
                                      "strptime",
                                      "date",
                                      "timestamp",
                                      "list_value",
                                      "getvariable",
                                      "get_current_timestamp",
                                      "current_localtimestamp"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (calve_str_equal_nocase(name, calve_str_of(names[i]))) return true;
  return false;
}

/* Stable ones that tell the time of the transaction. */
static bool is_clock(calve_str name) {
  static const char *const names[] = {"now", "today", "current_date", "get_current_timestamp",
                                      "current_localtimestamp"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (calve_str_equal_nocase(name, calve_str_of(names[i]))) return true;
  return false;
}

/* Without a transaction that spans planning and reading, the clock is not asked ahead: it would be
 * a little later when the rows are read. */
static bool is_foldable(const calve_json *node, bool clock_stands, bool has_macros) {
  const calve_json *function = calve_json_get(node, "function_name");
  const calve_json *class = calve_json_get(node, "class");
  if (node->kind == CALVE_JSON_OBJECT && node->raw.size == 0) return false; /* not the engine's */
  if (class && calve_str_equal_text(class->text, "COLLATE"))
    return false; /* rules both sides */
  if (function && (has_macros || !is_stable(function->text))) return false;
  if (function && !clock_stands && is_clock(function->text)) return false;
  if (calve_json_get(node, "column_names") && !clock_stands) return false; /* current_date */
  for (size_t i = 0; i < node->count; i++)
    if (!is_foldable(&node->items[i], clock_stands, has_macros)) return false;
  return true;
}

/* ---- constants that need no engine -------------------------------------------------------- */

/* 15 at scale 1 is 1.5 */
static calve_status decimal_text(calve_str digits, int64_t scale, calve_arena *arena,
                                 calve_str *out, calve_error *err) {
  bool negative = digits.size > 0 && digits.data[0] == '-';
  if (negative) digits = (calve_str){digits.data + 1, digits.size - 1};
  size_t fraction = (size_t)scale;
  size_t whole = digits.size > fraction ? digits.size - fraction : 0;
  static const char zeros[] = "0000000000000000000000000000000000000000";
  size_t missing = fraction > digits.size ? fraction - digits.size : 0;
  return calve_arena_printf(arena, out, err, "%s%.*s.%.*s%.*s", negative ? "-" : "",
                            whole ? (int)whole : 1, whole ? digits.data : "0", (int)missing, zeros,
                            (int)(digits.size - whole), digits.data + whole);
}

/* Literals as they are typed: integers, decimals, strings, NULL. *done false for others. */
static calve_status fold_literal(calve_folded *item, calve_arena *arena, bool *done,
                                 calve_error *err) {
  const calve_json *value = calve_json_get(item->expression, "value");
  const calve_json *type = calve_json_get(value, "type"), *id = calve_json_get(type, "id");
  const calve_json *is_null = calve_json_get(value, "is_null");
  const calve_json *class = calve_json_get(item->expression, "class");
  const calve_json *content = calve_json_get(value, "value");
  *done = false;
  if (!class || !calve_str_equal_text(class->text, "CONSTANT") || !id || !is_null) return CALVE_OK;
  bool text = calve_str_equal_text(id->text, "VARCHAR");
  bool whole =
      calve_str_equal_text(id->text, "INTEGER") || calve_str_equal_text(id->text, "BIGINT");
  int64_t scale = -1;
  if (calve_str_equal_text(id->text, "DECIMAL"))
    calve_json_as_i64(calve_json_get(calve_json_get(type, "type_info"), "scale"), &scale);
  bool number = content && content->kind == CALVE_JSON_NUMBER;
  bool string = content && content->kind == CALVE_JSON_STRING;
  if (is_null->boolean) {
    item->type = id->text;
  } else if ((text && string) || (whole && number)) {
    item->type = id->text;
    item->value = content->text;
  } else if (number && scale > 0 && scale <= 38) {
    CALVE_TRY(decimal_text(content->text, scale, arena, &item->value, err));
    item->type = id->text;
  } else {
    return CALVE_OK;
  }
  *done = true;
  return CALVE_OK;
}

/* ---- asking ------------------------------------------------------------------------------- */

/* The expression, or its cast. */
static void put_cast(const calve_folded *item, const char *cast_to, calve_buffer *out) {
  if (cast_to)
    calve_buffer_puts(out,
                      "{\"class\":\"CAST\",\"type\":\"OPERATOR_CAST\",\"alias\":\"\","
                      "\"query_location\":0,\"child\":");
  if (item->cast_to && item->cast_to != cast_to)
    put_cast(item, item->cast_to, out);
  else
    calve_buffer_put_str(out, item->expression->raw);
  if (cast_to)
    calve_buffer_printf(
        out, ",\"cast_type\":{\"id\":\"%s\",\"type_info\":null},\"try_cast\":false}", cast_to);
}

/* SELECT typeof(<item>), CAST(<item> AS VARCHAR), …, as the engine's own serialization has it. */
static void put_select(calve_folded *const *items, size_t count, calve_buffer *out) {
  calve_buffer_puts(out,
                    "{\"error\":false,\"statements\":[{\"node\":{\"type\":\"SELECT_NODE\","
                    "\"modifiers\":[],\"cte_map\":{\"map\":[]},\"select_list\":[");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) calve_buffer_putc(out, ',');
    calve_buffer_puts(out,
                      "{\"class\":\"FUNCTION\",\"type\":\"FUNCTION\",\"alias\":\"\","
                      "\"query_location\":0,\"function_name\":\"typeof\",\"schema\":\"\","
                      "\"children\":[");
    put_cast(items[i], items[i]->cast_to, out);
    calve_buffer_puts(out,
                      "],\"filter\":null,\"order_bys\":{\"type\":\"ORDER_MODIFIER\","
                      "\"orders\":[]},\"distinct\":false,\"is_operator\":false,"
                      "\"export_state\":false,\"catalog\":\"\"},");
    put_cast(items[i], "VARCHAR", out);
  }
  calve_buffer_puts(out,
                    "],\"from_table\":{\"type\":\"EMPTY\",\"alias\":\"\",\"sample\":null},"
                    "\"where_clause\":null,\"group_expressions\":[],\"group_sets\":[],"
                    "\"aggregate_handling\":\"STANDARD_HANDLING\",\"having\":null,"
                    "\"sample\":null,\"qualify\":null},\"named_param_map\":[]}]}");
}

/* The rows of one statement; *known false when the engine refuses it. */
static void ask(calve_exec *x, calve_buffer *sql, calve_rows **rows, bool *known) {
  calve_error cause; /* what can't be evaluated ahead is the engine's business later */
  bool more = false;
  *known =
      calve_buffer_check(sql, &cause) == CALVE_OK &&
      calve_engine_query(x->session->engine, calve_buffer_cstr(sql), rows, &cause) == CALVE_OK &&
      calve_rows_next(*rows, &more, &cause) == CALVE_OK && more;
}

/* The serialized SELECT as text: json_execute_serialized_sql would run it on another connection,
 * with another time zone and another clock. */
static void deserialize(calve_exec *x, const calve_buffer *ast, calve_buffer *sql, bool *known) {
  calve_buffer question;
  calve_rows *rows = NULL;
  calve_buffer_init(&question, x->session->allocator);
  calve_buffer_puts(&question, "SELECT json_deserialize_sql(");
  calve_sql_string(&question, calve_buffer_view(ast));
  calve_buffer_putc(&question, ')');
  ask(x, &question, &rows, known);
  if (*known) calve_buffer_put_str(sql, calve_rows_text(rows, 0, 0));
  calve_rows_free(rows);
  calve_buffer_free(&question);
}

static calve_status take_answers(const calve_rows *rows, calve_folded *const *items, size_t count,
                                 calve_arena *arena, calve_error *err) {
  for (size_t i = 0; i < count; i++) {
    calve_str type = {NULL, 0}, value = calve_rows_text(rows, 2 * i + 1, 0);
    CALVE_TRY(calve_arena_str(arena, calve_rows_text(rows, 2 * i, 0), &type, err));
    if (value.data) CALVE_TRY(calve_arena_str(arena, value, &items[i]->value, err));
    items[i]->type = type;
  }
  return CALVE_OK;
}

static calve_status ask_batch(calve_exec *x, calve_folded *const *items, size_t count,
                              calve_arena *arena, calve_error *err) {
  calve_buffer ast, sql;
  calve_rows *rows = NULL;
  bool known = false;
  calve_buffer_init(&ast, x->session->allocator);
  calve_buffer_init(&sql, x->session->allocator);
  put_select(items, count, &ast);
  calve_status status = calve_buffer_check(&ast, err);
  if (status == CALVE_OK) deserialize(x, &ast, &sql, &known);
  if (known) ask(x, &sql, &rows, &known);
  if (known && calve_rows_column_count(rows) == 2 * count)
    status = take_answers(rows, items, count, arena, err);
  calve_rows_free(rows);
  calve_buffer_free(&sql);
  calve_buffer_free(&ast);
  if (!known && x->session->in_transaction) x->asked_in_vain = true;
  return status;
}

calve_status calve_query_fold(void *ctx, calve_folded *items, size_t count, calve_arena *arena,
                              calve_error *err) {
  calve_exec *x = ctx;
  calve_folded *batch[BATCH_MAX];
  size_t size = 0;
  bool clock_stands = x->session->in_transaction || x->statement->kind == CALVE_SQL_EXPLAIN;
  for (size_t i = 0; i < count; i++) {
    bool done = false;
    items[i].type = items[i].value = (calve_str){NULL, 0};
    if (!items[i].cast_to) CALVE_TRY(fold_literal(&items[i], arena, &done, err));
    if (!done && is_foldable(items[i].expression, clock_stands, x->session->has_macros))
      batch[size++] = &items[i];
    if (size > 0 && (size == BATCH_MAX || i + 1 == count)) {
      if (!x->asked_in_vain) CALVE_TRY(ask_batch(x, batch, size, arena, err));
      size = 0;
    }
  }
  return CALVE_OK;
}
