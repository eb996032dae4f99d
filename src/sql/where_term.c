/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/statement.h"
#include "sql/where_parts.h"

static bool is_time(const calve_type *type) {
  return type->id == CALVE_DATE || type->id == CALVE_TIMESTAMP || type->id == CALVE_TIMESTAMPTZ;
}

/* Wall-clock functions of timestamptz columns follow the session's zone, and partition values are
 * those of UTC. */
static bool is_wall_clock(const calve_where__writer *w, const calve_field *column) {
  return column && is_time(column->type) &&
         (!calve_where__is_zoned(column->type) || w->options->session_is_utc);
}

/* A string literal's text; absent for all else. */
static calve_str string_of(const calve_json *node) {
  const calve_json *value = calve_json_get(calve_json_get(node, "value"), "value");
  if (!value || value->kind != CALVE_JSON_STRING || !calve_where_is_string(node))
    return (calve_str){NULL, 0};
  return value->text;
}

static bool take(calve_where__term *out, const char *before, const char *after,
                 const calve_type *compared) {
  out->before = before;
  out->after = after;
  out->compared.type = compared;
  return true;
}

/* ---- casts that change no value -------------------------------------------------------------- */

/* Each value stays what it is, and so does the order: the cast is the column. */
static bool cast_keeps_values(const calve_where__writer *w, calve_type_id from, calve_str to,
                              const calve_type **type) {
  static const struct {
    calve_type_id from, as;
    const char *to;
    bool in_utc; /* the session's zone takes part                                               */
  } casts[] = {
      {CALVE_BOOLEAN, CALVE_BOOLEAN, "BOOLEAN", false},
      {CALVE_INT, CALVE_INT, "INTEGER", false},
      {CALVE_INT, CALVE_LONG, "BIGINT", false},
      {CALVE_LONG, CALVE_LONG, "BIGINT", false},
      {CALVE_DOUBLE, CALVE_DOUBLE, "DOUBLE", false},
      {CALVE_STRING, CALVE_STRING, "VARCHAR", false},
      {CALVE_DATE, CALVE_TIMESTAMP, "TIMESTAMP", false},
      {CALVE_TIMESTAMP, CALVE_TIMESTAMP, "TIMESTAMP", false},
      {CALVE_TIMESTAMP, CALVE_TIMESTAMPTZ, "TIMESTAMP WITH TIME ZONE", true},
      {CALVE_TIMESTAMPTZ, CALVE_TIMESTAMPTZ, "TIMESTAMP WITH TIME ZONE", false},
      {CALVE_TIMESTAMPTZ, CALVE_TIMESTAMP, "TIMESTAMP", true},
  };
  for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
    if (casts[i].from != from || !calve_str_equal_text(to, casts[i].to)) continue;
    *type = calve_type_of(casts[i].as);
    return !casts[i].in_utc || w->options->session_is_utc;
  }
  return false;
}

static bool find_cast(const calve_where__writer *w, const calve_json *node,
                      calve_where__term *out) {
  const calve_json *type = calve_json_get(calve_json_get(node, "cast_type"), "id");
  const calve_type *as;
  out->column = calve_where__resolve(w, calve_json_get(node, "child"));
  if (!type || !out->column) return false;
  if (calve_str_equal_text(type->text, "DATE"))
    return is_wall_clock(w, out->column) &&
           take(out, "CAST(", " AS DATE)", calve_type_of(CALVE_DATE));
  return cast_keeps_values(w, out->column->type->id, type->text, &as) && take(out, "", "", as);
}

/* ---- functions ------------------------------------------------------------------------------ */

/* date_trunc('month', c), date_part('year', c), timezone('UTC', c): a text and a column. */
static bool find_with_text(const calve_where__writer *w, const calve_json *node,
                           calve_where__term *out) {
  calve_str text = string_of(calve_where__child(node, 0));
  out->column = calve_where__resolve(w, calve_where__child(node, 1));
  if (!text.data || !out->column) return false;
  calve_type_id id = out->column->type->id;
  if (calve_where__function_is(node, "timezone")) {
    if (!calve_str_equal_text(text, "UTC")) return false;
    if (id == CALVE_TIMESTAMPTZ) return take(out, "", "", calve_type_of(CALVE_TIMESTAMP));
    return id == CALVE_TIMESTAMP && take(out, "", "", calve_type_of(CALVE_TIMESTAMPTZ));
  }
  if (!is_wall_clock(w, out->column)) return false;
  if (calve_where__function_is(node, "date_trunc")) {
    out->unit = text;
    return take(out, "date_trunc(", ")", out->column->type);
  }
  bool part =
      calve_where__function_is(node, "date_part") || calve_where__function_is(node, "datepart");
  return part && calve_str_equal_nocase(text, CALVE_STR("year")) &&
         take(out, "year(", ")", calve_type_of(CALVE_LONG));
}

/* bucket(16, c), truncate(3, c): the number first, as in Spark. */
static bool find_with_number(const calve_where__writer *w, const calve_json *node,
                             calve_where__term *out) {
  bool bucket = calve_where__function_is(node, "bucket");
  const calve_json *number = calve_json_get(calve_where__child(node, 0), "value");
  out->column = calve_where__resolve(w, calve_where__child(node, 1));
  if (!out->column || !calve_json_as_i64(calve_json_get(number, "value"), &out->parameter) ||
      out->parameter < 1 || (!bucket && !calve_where__function_is(node, "truncate")))
    return false;
  return take(out, bucket ? "bucket(" : "truncate(", ")",
              bucket ? calve_type_of(CALVE_INT) : out->column->type);
}

/* year(c), and the transforms years(c) … hours(c), which are UTC's whatever the session's zone. */
static bool find_unary(const calve_where__writer *w, const calve_json *node,
                       calve_where__term *out) {
  static const struct {
    const char *name, *before;
    calve_type_id compared;
  } units[] = {{"years", "years(", CALVE_INT},
               {"months", "months(", CALVE_INT},
               {"days", "days(", CALVE_DATE},
               {"hours", "hours(", CALVE_INT}};
  out->column = calve_where__resolve(w, calve_where__child(node, 0));
  if (!out->column) return false;
  if (calve_where__function_is(node, "year"))
    return is_wall_clock(w, out->column) && take(out, "year(", ")", calve_type_of(CALVE_LONG));
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (calve_where__function_is(node, units[i].name))
      return is_time(out->column->type) &&
             take(out, units[i].before, ")", calve_type_of(units[i].compared));
  return false;
}

bool calve_where__find_term(const calve_where__writer *w, const calve_json *node,
                            calve_where__term *out) {
  *out = (calve_where__term){.column = calve_where__resolve(w, node), .before = "", .after = ""};
  if (out->column) out->compared = *out->column;
  if (out->column) return true;
  bool found = false;
  if (calve_where__class_is(node, "CAST"))
    found = find_cast(w, node, out);
  else if (!calve_where__class_is(node, "FUNCTION") || w->options->has_macros)
    return false;
  else if (calve_where__child_count(node) == 1)
    found = find_unary(w, node, out);
  else if (calve_where__child_count(node) == 2)
    found = find_with_text(w, node, out) || find_with_number(w, node, out);
  if (!found) return false;
  const calve_type *compared = out->compared.type;
  out->compared = *out->column;
  out->compared.type = compared;
  return true;
}

void calve_where__write_term(calve_where__writer *w, const calve_where__term *term) {
  calve_buffer_puts(w->out, term->before);
  if (term->parameter) calve_buffer_printf(w->out, "%d, ", (int)term->parameter);
  if (term->unit.data) {
    calve_sql_string_print(term->unit, w->out);
    calve_buffer_puts(w->out, ", ");
  }
  calve_where__write_column(w, term->column);
  calve_buffer_puts(w->out, term->after);
}
