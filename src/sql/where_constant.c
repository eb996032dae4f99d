/* SPDX-License-Identifier: Apache-2.0 */
#include "base/calendar.h"
#include "sql/statement.h"
#include "sql/where_parts.h"

static void write_prefixed(calve_where__writer *w, const char *prefix, calve_str value) {
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
static bool comparable(const calve_where__writer *w, const calve_field *column, calve_str type,
                       calve_str value, bool literal) {
  calve_type_id id = column->type->id;
  bool wall_clock_ok = !calve_where__is_zoned(column->type) || w->options->session_is_utc;
  if (calve_str_equal_text(type, "VARCHAR"))
    return id == CALVE_STRING ? !w->options->has_collation
                              : literal && string_means_same(column, value);
  if (calve_str_equal_text(type, "DATE"))
    return wall_clock_ok &&
           (id == CALVE_DATE || id == CALVE_TIMESTAMP || calve_where__is_zoned(column->type));
  if (calve_str_equal_text(type, "TIMESTAMP"))
    return wall_clock_ok &&
           (id == CALVE_DATE || id == CALVE_TIMESTAMP || calve_where__is_zoned(column->type));
  if (calve_str_equal_text(type, "TIMESTAMP WITH TIME ZONE"))
    return calve_where__is_zoned(column->type) ||
           (id == CALVE_TIMESTAMP && w->options->session_is_utc);
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
static void write_real(calve_where__writer *w, calve_str type, calve_str value, double number,
                       const calve_field *column) {
  char text[CALVE_DOUBLE_TEXT_MAX];
  if (!calve_str_equal_text(type, "FLOAT") || column->type->id == CALVE_DECIMAL) {
    calve_buffer_put_str(w->out, value);
    return;
  }
  calve_double_format((double)(float)number, text);
  calve_buffer_puts(w->out, text);
}

/* X'…' of bytes as the engine prints them: \xFF where they are no plain characters. */
static void write_bytes(calve_where__writer *w, calve_str value) {
  calve_buffer_puts(w->out, "X'");
  for (size_t i = 0; i < value.size; i++) {
    bool escaped = value.data[i] == '\\' && i + 3 < value.size;
    if (escaped) calve_buffer_put(w->out, value.data + i + 2, 2);
    else calve_buffer_printf(w->out, "%02x", (unsigned)(unsigned char)value.data[i]);
    if (escaped) i += 3;
  }
  calve_buffer_putc(w->out, '\'');
}

/* 1973-01-01: from then on all offsets are whole minutes. Earlier ones had seconds, which the
 * engine leaves out when it prints a time of a zone other than UTC. */
#define WHOLE_MINUTES_SINCE_US INT64_C(94694400000000)

/* Writes the constant; *done false (and nothing written) when it has no text here: infinite dates,
 * years before Christ, offsets with seconds. */
static void write_constant(calve_where__writer *w, calve_str type, calve_str value,
                           const calve_field *column, bool *done) {
  *done = true;
  bool decimal = calve_str_starts_with(type, CALVE_STR("DECIMAL"));
  bool real = calve_str_equal_text(type, "DOUBLE") || calve_str_equal_text(type, "FLOAT");
  double number;
  int64_t day, time;
  bool has_offset;
  if (calve_str_equal_text(type, "BLOB") && column->type->id == CALVE_BINARY)
    write_bytes(w, value);
  else if (calve_str_equal_text(type, "VARCHAR") || calve_str_equal_text(type, "UUID"))
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

bool calve_where_is_string(const calve_json *node) {
  const calve_json *type = calve_json_get(calve_json_get(node, "value"), "type");
  const calve_json *id = calve_json_get(type, "id");
  return calve_where__class_is(node, "CONSTANT") && id && calve_str_equal_text(id->text, "VARCHAR");
}

calve_folded calve_where__folded_of(const calve_json *node, const calve_field *column) {
  return (calve_folded){.expression = node,
                        .cast_to = calve_where_is_string(node) ? cast_of_string(column) : NULL};
}

void calve_where__write_folded(calve_where__writer *w, const calve_folded *item,
                               const calve_field *column, bool *done) {
  bool literal = calve_where__class_is(item->expression, "CONSTANT");
  *done = false;
  if (!item->type.data) return;
  if (!item->value.data) { /* NULL */
    calve_buffer_puts(w->out, "NULL");
    *done = true;
  } else if (comparable(w, column, item->type, item->value, literal)) {
    write_constant(w, item->type, item->value, column, done);
  }
}

calve_status calve_where__constant(calve_where__writer *w, const calve_json *node,
                                   const calve_field *column, bool *done, calve_error *err) {
  *done = false;
  if (!node || calve_where_has_column(node)) return CALVE_OK;
  calve_folded item = calve_where__folded_of(node, column);
  CALVE_TRY(w->options->fold(w->options->fold_ctx, &item, 1, w->arena, err));
  calve_where__write_folded(w, &item, column, done);
  return CALVE_OK;
}
