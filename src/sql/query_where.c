/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/query_where.h"

#include "base/calendar.h"
#include "base/text.h"
#include "sql/statement.h"

/* What the predicate parser takes for a condition it knows nothing about. */
#define UNKNOWN "calve_unknown(1)"

typedef struct writer {
  const calve_where_options *options;
  calve_arena *arena;
  calve_buffer *out;
} writer;

static calve_status condition(writer *w, const calve_json *node, calve_error *err);

static bool type_is(const calve_json *node, const char *type) {
  const calve_json *j = calve_json_get(node, "type");
  return j && j->kind == CALVE_JSON_STRING && calve_str_equal_text(j->text, type);
}

static bool class_is(const calve_json *node, const char *name) {
  const calve_json *j = calve_json_get(node, "class");
  return j && j->kind == CALVE_JSON_STRING && calve_str_equal_text(j->text, name);
}

static bool function_is(const calve_json *node, const char *name) {
  const calve_json *j = calve_json_get(node, "function_name");
  return class_is(node, "FUNCTION") && j && calve_str_equal_nocase(j->text, calve_str_of(name));
}

static const calve_json *child(const calve_json *node, size_t index) {
  const calve_json *children = calve_json_get(node, "children");
  return children && index < children->count ? &children->items[index] : NULL;
}

static size_t child_count(const calve_json *node) {
  const calve_json *children = calve_json_get(node, "children");
  return children ? children->count : 0;
}

/* ---- columns ------------------------------------------------------------------------------ */

/* The table's own name qualifies, or another item of the FROM clause does, or nothing does. */
static bool qualifies(const writer *w, calve_str part, bool *own) {
  const calve_table_use *use = w->options->use;
  calve_str binding = use->alias.data ? use->alias : use->table;
  *own = calve_str_equal_nocase(part, binding);
  for (size_t i = 0; i < use->scope->binding_count; i++)
    if (calve_str_equal_nocase(part, use->scope->bindings[i])) return true;
  return false;
}

/* A column at top level, without case as the engine resolves it; NULL if none or two fit. */
static const calve_field *struct_field(const calve_type *type, calve_str name) {
  const calve_field *found = NULL;
  for (int32_t i = 0; i < type->field_count; i++) {
    if (!calve_str_equal_nocase(type->fields[i].name, name)) continue;
    if (found) return NULL;
    found = &type->fields[i];
  }
  return found;
}

/* The field that the name's parts from `first` on lead to, through structs only. */
static const calve_field *follow(const writer *w, const calve_json *names, size_t first) {
  const calve_type *type = w->options->schema->root;
  const calve_field *field = NULL;
  for (size_t i = first; i < names->count; i++) {
    if (type->id != CALVE_STRUCT) return NULL;
    field = struct_field(type, names->items[i].text);
    if (!field) return NULL;
    type = field->type;
  }
  return field;
}

/* The column of our table that a COLUMN_REF means; NULL when it means another or that is open. */
static const calve_field *resolve(const writer *w, const calve_json *node) {
  const calve_json *names = calve_json_get(node, "column_names");
  if (!class_is(node, "COLUMN_REF") || !names || names->count == 0) return NULL;
  bool own = false;
  if (names->count == 1) return follow(w, names, 0);
  if (qualifies(w, names->items[0].text, &own)) return own ? follow(w, names, 1) : NULL;
  const calve_table_use *use = w->options->use;
  bool schema = !use->alias.data && names->count > 2 &&
                calve_str_equal_nocase(names->items[0].text, use->schema) &&
                calve_str_equal_nocase(names->items[1].text, use->table);
  return follow(w, names, schema ? 2 : 0);
}

static void write_column(writer *w, const calve_field *field) {
  const calve_schema_node *node = calve_schema_find_id(w->options->schema, field->id);
  calve_buffer_putc(w->out, '"');
  for (size_t i = 0; i < node->full_name.size; i++) {
    if (node->full_name.data[i] == '"') calve_buffer_putc(w->out, '"');
    calve_buffer_putc(w->out, node->full_name.data[i]);
  }
  calve_buffer_putc(w->out, '"');
}

/* ---- constants ---------------------------------------------------------------------------- */

/* SQL's functions that are called without parentheses parse as columns. */
static bool is_clock(const calve_json *node) {
  static const char *const names[] = {"current_date", "current_timestamp", "localtimestamp"};
  const calve_json *parts = calve_json_get(node, "column_names");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (parts && parts->count == 1 &&
        calve_str_equal_nocase(parts->items[0].text, calve_str_of(names[i])))
      return true;
  return false;
}

static bool has_column(const writer *w, const calve_json *node) {
  if (!node) return false;
  if (node->kind == CALVE_JSON_OBJECT) {
    if (class_is(node, "COLUMN_REF")) return !is_clock(node) || resolve(w, node);
    if (class_is(node, "SUBQUERY") || class_is(node, "PARAMETER") || class_is(node, "STAR") ||
        class_is(node, "LAMBDA"))
      return true;
  }
  for (size_t i = 0; i < node->count; i++)
    if (has_column(w, &node->items[i])) return true;
  return false;
}

static void write_prefixed(writer *w, const char *prefix, calve_str value) {
  calve_buffer_puts(w->out, prefix);
  calve_sql_string_print(value, w->out);
}

static bool is_integer_type(calve_str type) {
  static const char *const names[] = {"TINYINT",  "SMALLINT",  "INTEGER",  "BIGINT",  "HUGEINT",
                                      "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (calve_str_equal_text(type, names[i])) return true;
  return false;
}

static bool is_zoned(const calve_field *column) {
  return column->type->id == CALVE_TIMESTAMPTZ || column->type->id == CALVE_TIMESTAMPTZ_NS;
}

/* Digits that a text has, without sign, point and exponent. */
static size_t digit_count(calve_str text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size && text.data[i] != 'e' && text.data[i] != 'E'; i++)
    count += text.data[i] >= '0' && text.data[i] <= '9';
  return count;
}

/* Whether the engine's comparison of a number with the column is exact, whatever it casts to what:
 * BIGINT beside DOUBLE is compared as DOUBLE, for one, and DECIMAL beside FLOAT as FLOAT. */
static bool compares_exactly(const calve_type *column, calve_str type, calve_str value) {
  bool is_float = calve_str_equal_text(type, "FLOAT");
  bool whole = column->id == CALVE_INT || column->id == CALVE_LONG;
  double number;
  if (is_float || calve_str_equal_text(type, "DOUBLE")) {
    if (!calve_double_parse(value, &number)) return false;
    if (column->id == CALVE_DECIMAL) return column->precision <= (is_float ? 6 : 15);
    double limit = is_float ? 16777216.0 : 9007199254740992.0; /* 2^24, 2^53                     */
    return !whole || (number < limit && number > -limit);
  }
  if (column->id == CALVE_DOUBLE) return digit_count(value) <= 15;
  return column->id != CALVE_FLOAT || digit_count(value) <= 7;
}

/* Whether a string as it was typed means the same to the predicate parser and to the engine. */
static bool string_means_same(const calve_field *column, calve_str value) {
  calve_int128 unscaled;
  int scale;
  return column->type->id == CALVE_DECIMAL && calve_decimal_parse(value, &unscaled, &scale) &&
         scale <= column->type->scale; /* else the engine rounds                                */
}

/* Whether comparing the column with a constant of that type is what the predicate parser makes of
 * it. The engine casts the one to the other; only casts that Iceberg's literals know are taken. */
static bool comparable(const writer *w, const calve_field *column, calve_str type, calve_str value,
                       bool literal) {
  calve_type_id id = column->type->id;
  bool wall_clock_ok = !is_zoned(column) || w->options->session_is_utc;
  if (calve_str_equal_text(type, "VARCHAR"))
    return id == CALVE_STRING ? !w->options->has_collation
                              : literal && string_means_same(column, value);
  if (calve_str_equal_text(type, "DATE"))
    return wall_clock_ok && (id == CALVE_DATE || id == CALVE_TIMESTAMP || is_zoned(column));
  if (calve_str_equal_text(type, "TIMESTAMP"))
    return wall_clock_ok && (id == CALVE_DATE || id == CALVE_TIMESTAMP || is_zoned(column));
  if (calve_str_equal_text(type, "TIMESTAMP WITH TIME ZONE")) return is_zoned(column);
  if (calve_str_equal_text(type, "TIME")) return id == CALVE_TIME;
  if (calve_str_equal_text(type, "UUID")) return id == CALVE_UUID;
  if (calve_str_equal_text(type, "BLOB")) return id == CALVE_BINARY || id == CALVE_FIXED;
  if (calve_str_equal_text(type, "BOOLEAN")) return id == CALVE_BOOLEAN;
  bool number = id == CALVE_INT || id == CALVE_LONG || id == CALVE_FLOAT || id == CALVE_DOUBLE ||
                id == CALVE_DECIMAL;
  return number && compares_exactly(column->type, type, value);
}

/* A FLOAT is written as the double that it is beside a DOUBLE, and as its own few digits beside a
 * DECIMAL, which the engine rounds to FLOAT. */
static void write_real(writer *w, calve_str type, calve_str value, double number,
                       const calve_field *column) {
  char text[CALVE_DOUBLE_TEXT_MAX];
  if (!calve_str_equal_text(type, "FLOAT") || column->type->id == CALVE_DECIMAL) {
    calve_buffer_put_str(w->out, value);
    return;
  }
  calve_double_format((double)(float)number, text);
  calve_buffer_puts(w->out, text);
}

/* 1973-01-01: from then on all offsets are whole minutes. Earlier ones had seconds, which the
 * engine leaves out when it prints a time of a zone other than UTC. */
#define WHOLE_MINUTES_SINCE_US INT64_C(94694400000000)

/* Writes the constant; *done false (and nothing written) when it has no text here: infinite dates,
 * years before Christ, offsets with seconds. */
static void write_constant(writer *w, calve_str type, calve_str value, const calve_field *column,
                           bool *done) {
  *done = true;
  bool decimal = calve_str_starts_with(type, CALVE_STR("DECIMAL"));
  bool real = calve_str_equal_text(type, "DOUBLE") || calve_str_equal_text(type, "FLOAT");
  double number;
  int64_t day, time;
  bool has_offset;
  if (calve_str_equal_text(type, "VARCHAR") || calve_str_equal_text(type, "UUID"))
    calve_sql_string_print(value, w->out);
  else if (calve_str_equal_text(type, "TIME"))
    calve_sql_string_print(value, w->out);
  else if (calve_str_equal_text(type, "DATE") && calve_date_parse(value, &day))
    write_prefixed(w, "DATE ", value);
  else if (calve_str_equal_text(type, "TIMESTAMP") &&
           calve_timestamp_parse(value, false, &time, &has_offset) && !has_offset)
    write_prefixed(w, "TIMESTAMP ", value);
  else if (calve_str_equal_text(type, "TIMESTAMP WITH TIME ZONE") &&
           calve_timestamp_parse(value, false, &time, &has_offset) && has_offset &&
           (w->options->session_is_utc || time >= WHOLE_MINUTES_SINCE_US))
    write_prefixed(w, "TIMESTAMPTZ ", value);
  else if (calve_str_equal_text(type, "BOOLEAN") || is_integer_type(type) || decimal)
    calve_buffer_put_str(w->out, value);
  else if (real && calve_double_parse(value, &number) && number - number == 0)
    write_real(w, type, value, number, column);
  else
    *done = false;
}

/* What the engine casts a string to that stands beside such a column; NULL: nothing. */
static const char *cast_of_string(const calve_field *column) {
  switch (column->type->id) {
    case CALVE_DATE:
      return "DATE";
    case CALVE_TIME:
      return "TIME";
    case CALVE_TIMESTAMP:
      return "TIMESTAMP";
    case CALVE_TIMESTAMPTZ:
      return "TIMESTAMP WITH TIME ZONE";
    case CALVE_UUID:
      return "UUID";
    case CALVE_INT:
      return "INTEGER";
    case CALVE_LONG:
      return "BIGINT";
    case CALVE_FLOAT:
      return "FLOAT";
    case CALVE_DOUBLE:
      return "DOUBLE";
    case CALVE_BOOLEAN:
      return "BOOLEAN";
    default:
      return NULL;
  }
}

static bool is_string_literal(const calve_json *node) {
  const calve_json *type = calve_json_get(calve_json_get(node, "value"), "type");
  const calve_json *id = calve_json_get(type, "id");
  return class_is(node, "CONSTANT") && id && calve_str_equal_text(id->text, "VARCHAR");
}

static calve_folded folded_of(const calve_json *node, const calve_field *column) {
  return (calve_folded){.expression = node,
                        .cast_to = is_string_literal(node) ? cast_of_string(column) : NULL};
}

/* A constant of the query as it was typed, or what the engine makes of it. */
static void write_folded(writer *w, const calve_folded *item, const calve_field *column,
                         bool *done) {
  bool literal = class_is(item->expression, "CONSTANT");
  *done = false;
  if (!item->type.data) return;
  if (!item->value.data) { /* NULL */
    calve_buffer_puts(w->out, "NULL");
    *done = true;
  } else if (comparable(w, column, item->type, item->value, literal)) {
    write_constant(w, item->type, item->value, column, done);
  }
}

static calve_status constant(writer *w, const calve_json *node, const calve_field *column,
                             bool *done, calve_error *err) {
  *done = false;
  if (!node || has_column(w, node)) return CALVE_OK;
  calve_folded item = folded_of(node, column);
  CALVE_TRY(w->options->fold(w->options->fold_ctx, &item, 1, w->arena, err));
  write_folded(w, &item, column, done);
  return CALVE_OK;
}

/* ---- terms -------------------------------------------------------------------------------- */

/* The column that a side of a comparison is about, bare or in one of the functions that predicates
 * know; NULL when it is something else. Wall-clock functions of timestamptz columns follow the
 * session's zone, and partition values are UTC. */
static const calve_field *term_column(const writer *w, const calve_json *node,
                                      const char **function) {
  *function = NULL;
  const calve_field *column = resolve(w, node);
  if (column) return column;
  if (class_is(node, "CAST")) {
    column = resolve(w, calve_json_get(node, "child"));
    const calve_json *type = calve_json_get(calve_json_get(node, "cast_type"), "id");
    if (!type || !calve_str_equal_text(type->text, "DATE")) return NULL;
    *function = "CAST";
  } else if (function_is(node, "date_trunc") && child_count(node) == 2) {
    column = resolve(w, child(node, 1));
    *function = "date_trunc";
  } else if (function_is(node, "year") && child_count(node) == 1) {
    column = resolve(w, child(node, 0));
    *function = "year";
  }
  if (!column || (is_zoned(column) && !w->options->session_is_utc)) return NULL;
  bool temporal = column->type->id == CALVE_DATE || column->type->id == CALVE_TIMESTAMP ||
                  column->type->id == CALVE_TIMESTAMPTZ;
  return temporal ? column : NULL;
}

static bool write_term(writer *w, const calve_json *node, const calve_field *column,
                       const char *function) {
  if (!function) {
    write_column(w, column);
    return true;
  }
  if (function[0] == 'C') {
    calve_buffer_puts(w->out, "CAST(");
    write_column(w, column);
    calve_buffer_puts(w->out, " AS DATE)");
    return true;
  }
  calve_buffer_printf(w->out, "%s(", function);
  if (function[0] == 'd') {
    const calve_json *unit = calve_json_get(calve_json_get(child(node, 0), "value"), "value");
    if (!unit || unit->kind != CALVE_JSON_STRING) return false;
    calve_sql_string_print(unit->text, w->out);
    calve_buffer_puts(w->out, ", ");
  }
  write_column(w, column);
  calve_buffer_putc(w->out, ')');
  return true;
}

/* What constants are compared with: the column, or what the function makes of it. */
static calve_field compared_field(const calve_field *column, const char *function) {
  calve_field field = *column;
  if (!function) return field;
  if (function[0] == 'y')
    field.type = calve_type_of(CALVE_LONG);
  else if (function[0] == 'C')
    field.type = calve_type_of(CALVE_DATE);
  return field;
}

/* ---- conditions --------------------------------------------------------------------------- */

/* Forgets what was written since `mark`, and says "unknown" instead. */
static void give_up(writer *w, size_t mark) {
  w->out->size = mark;
  calve_buffer_puts(w->out, UNKNOWN);
}

/* term OP constant; `operator` stands between them. */
static calve_status compare(writer *w, const calve_json *left, const char *operator,
                            const calve_json * right, calve_error *err) {
  size_t mark = w->out->size;
  const char *function;
  const calve_field *column = term_column(w, left, &function);
  bool done = column && write_term(w, left, column, function);
  if (done) {
    calve_field field = compared_field(column, function);
    calve_buffer_printf(w->out, " %s ", operator);
    CALVE_TRY(constant(w, right, &field, &done, err));
  }
  if (!done) give_up(w, mark);
  return CALVE_OK;
}

static const struct {
  const char *type, *operator, * flipped;
} comparisons[] = {
    {"COMPARE_EQUAL", "=", "="},
    {"COMPARE_NOTEQUAL", "<>", "<>"},
    {"COMPARE_LESSTHAN", "<", ">"},
    {"COMPARE_GREATERTHAN", ">", "<"},
    {"COMPARE_LESSTHANOREQUALTO", "<=", ">="},
    {"COMPARE_GREATERTHANOREQUALTO", ">=", "<="},
    {"COMPARE_DISTINCT_FROM", "IS DISTINCT FROM", "IS DISTINCT FROM"},
    {"COMPARE_NOT_DISTINCT_FROM", "IS NOT DISTINCT FROM", "IS NOT DISTINCT FROM"},
};

static calve_status comparison(writer *w, const calve_json *node, calve_error *err) {
  const calve_json *left = calve_json_get(node, "left"), *right = calve_json_get(node, "right");
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
    if (!type_is(node, comparisons[i].type)) continue;
    return has_column(w, left) ? compare(w, left, comparisons[i].operator, right, err)
                               : compare(w, right, comparisons[i].flipped, left, err);
  }
  give_up(w, w->out->size);
  return CALVE_OK;
}

/* Strings and other constants side by side: the engine casts all of them to their common type, and
 * not each to the column's. */
static bool mixes_strings(const calve_json *const *constants, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (is_string_literal(constants[i]) != is_string_literal(constants[0])) return true;
  return false;
}

static calve_status between(writer *w, const calve_json *node, calve_error *err) {
  const calve_json *input = calve_json_get(node, "input");
  const calve_json *bounds[] = {calve_json_get(node, "lower"), calve_json_get(node, "upper")};
  if (mixes_strings(bounds, 2)) {
    give_up(w, w->out->size);
    return CALVE_OK;
  }
  calve_buffer_putc(w->out, '(');
  CALVE_TRY(compare(w, input, ">=", calve_json_get(node, "lower"), err));
  calve_buffer_puts(w->out, " AND ");
  CALVE_TRY(compare(w, input, "<=", calve_json_get(node, "upper"), err));
  calve_buffer_putc(w->out, ')');
  return CALVE_OK;
}

/* The list's items, evaluated at once; *out NULL when some are no constants, or of two kinds. */
static calve_status fold_list(writer *w, const calve_json *node, const calve_field *column,
                              calve_folded **out, calve_error *err) {
  size_t count = child_count(node) - 1;
  *out = NULL;
  for (size_t i = 0; i < count; i++) {
    const calve_json *pair[] = {child(node, 1), child(node, i + 1)};
    if (has_column(w, pair[1]) || mixes_strings(pair, 2)) return CALVE_OK;
  }
  calve_folded *items = CALVE_NEW_ARRAY(w->arena, calve_folded, count);
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) items[i] = folded_of(child(node, i + 1), column);
  CALVE_TRY(w->options->fold(w->options->fold_ctx, items, count, w->arena, err));
  *out = items;
  return CALVE_OK;
}

static calve_status in_list(writer *w, const calve_json *node, bool negated, calve_error *err) {
  size_t mark = w->out->size, count = child_count(node);
  const char *function;
  const calve_field *column = term_column(w, child(node, 0), &function);
  bool done = column && count > 1 && write_term(w, child(node, 0), column, function);
  calve_folded *items = NULL;
  calve_field field = {0};
  if (done) {
    field = compared_field(column, function);
    CALVE_TRY(fold_list(w, node, &field, &items, err));
    calve_buffer_puts(w->out, negated ? " NOT IN (" : " IN (");
  }
  done = done && items;
  for (size_t i = 0; i + 1 < count && done; i++) {
    if (i > 0) calve_buffer_puts(w->out, ", ");
    write_folded(w, &items[i], &field, &done);
  }
  if (done)
    calve_buffer_putc(w->out, ')');
  else
    give_up(w, mark);
  return CALVE_OK;
}

static calve_status null_test(writer *w, const calve_json *node, bool negated) {
  const calve_field *column = resolve(w, child(node, 0));
  if (!column) {
    give_up(w, w->out->size);
    return CALVE_OK;
  }
  write_column(w, column);
  calve_buffer_puts(w->out, negated ? " IS NOT NULL" : " IS NULL");
  return CALVE_OK;
}

static calve_status function(writer *w, const calve_json *node, calve_error *err) {
  const calve_field *column = resolve(w, child(node, 0));
  bool like = function_is(node, "~~"), unlike = function_is(node, "!~~");
  if ((like || unlike) && column && column->type->id == CALVE_STRING)
    return compare(w, child(node, 0), like ? "LIKE" : "NOT LIKE", child(node, 1), err);
  if (function_is(node, "isnan") && column) {
    calve_buffer_puts(w->out, "isnan(");
    write_column(w, column);
    calve_buffer_putc(w->out, ')');
    return CALVE_OK;
  }
  give_up(w, w->out->size);
  return CALVE_OK;
}

static calve_status conjunction(writer *w, const calve_json *node, const char *word,
                                calve_error *err) {
  calve_buffer_putc(w->out, '(');
  for (size_t i = 0; i < child_count(node); i++) {
    if (i > 0) calve_buffer_printf(w->out, " %s ", word);
    CALVE_TRY(condition(w, child(node, i), err));
  }
  calve_buffer_putc(w->out, ')');
  return CALVE_OK;
}

/* A constant condition: WHERE false, WHERE 1 = 0. */
static calve_status constant_condition(writer *w, const calve_json *node, calve_error *err) {
  calve_field boolean = {.type = calve_type_of(CALVE_BOOLEAN)};
  size_t mark = w->out->size;
  bool done;
  CALVE_TRY(constant(w, node, &boolean, &done, err));
  if (!done) give_up(w, mark);
  return CALVE_OK;
}

static calve_status condition(writer *w, const calve_json *node, calve_error *err) {
  if (type_is(node, "CONJUNCTION_AND")) return conjunction(w, node, "AND", err);
  if (type_is(node, "CONJUNCTION_OR")) return conjunction(w, node, "OR", err);
  if (type_is(node, "OPERATOR_NOT")) {
    calve_buffer_puts(w->out, "NOT (");
    CALVE_TRY(condition(w, child(node, 0), err));
    calve_buffer_putc(w->out, ')');
    return CALVE_OK;
  }
  if (!has_column(w, node)) return constant_condition(w, node, err);
  if (class_is(node, "COMPARISON")) return comparison(w, node, err);
  if (class_is(node, "BETWEEN") && type_is(node, "COMPARE_BETWEEN")) return between(w, node, err);
  if (type_is(node, "COMPARE_IN")) return in_list(w, node, false, err);
  if (type_is(node, "COMPARE_NOT_IN")) return in_list(w, node, true, err);
  if (type_is(node, "OPERATOR_IS_NULL")) return null_test(w, node, false);
  if (type_is(node, "OPERATOR_IS_NOT_NULL")) return null_test(w, node, true);
  if (class_is(node, "FUNCTION")) return function(w, node, err);
  const calve_field *column = resolve(w, node);
  if (column && column->type->id == CALVE_BOOLEAN)
    write_column(w, column);
  else
    give_up(w, w->out->size);
  return CALVE_OK;
}

calve_status calve_where_text(const calve_where_options *options, calve_arena *arena,
                              calve_buffer *out, calve_error *err) {
  writer w = {options, arena, out};
  CALVE_TRY(condition(&w, options->use->where, err));
  return calve_buffer_check(out, err);
}
