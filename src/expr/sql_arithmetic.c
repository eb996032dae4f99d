/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/sql_arithmetic.h"

#include <math.h>

#include "base/calendar.h"
#include "base/text.h"

#define EXACT_DOUBLE (INT64_C(1) << 53) /* whole numbers up to here are doubles */

static const calve_expr_item some_value = {.kind = CALVE_ITEM_OPAQUE};

static calve_expr_item literal(calve_value value) {
  return (calve_expr_item){.kind = CALVE_ITEM_LITERAL, .literal = value};
}

/* ---- numbers --------------------------------------------------------------------------------- */

static calve_expr_item of_double(double v) {
  return isfinite(v) ? literal((calve_value){.type = CALVE_DOUBLE, .f64 = v}) : some_value;
}

/* `/` divides as doubles do. */
static calve_expr_item of_longs(int64_t a, char op, bool whole, int64_t b) {
  calve_value v = {.type = CALVE_LONG};
  bool beyond = false, divides = op == '/' || op == '%';
  if (divides && (b == 0 || (a == INT64_MIN && b == -1))) return some_value; /* null, or an error */
  if (op == '/' && !whole) {
    bool exact = a >= -EXACT_DOUBLE && a <= EXACT_DOUBLE && b >= -EXACT_DOUBLE && b <= EXACT_DOUBLE;
    return exact ? of_double((double)a / (double)b) : some_value;
  }
  switch (op) {
    case '+':
      beyond = __builtin_add_overflow(a, b, &v.i64);
      break;
    case '-':
      beyond = __builtin_sub_overflow(a, b, &v.i64);
      break;
    case '*':
      beyond = __builtin_mul_overflow(a, b, &v.i64);
      break;
    default:
      v.i64 = op == '%' ? a % b : a / b;
  }
  return beyond ? some_value : literal(v);
}

static bool as_decimal(const calve_value *v, calve_int128 *unscaled, int *scale) {
  *unscaled = v->type == CALVE_LONG ? (calve_int128)v->i64 : v->i128;
  *scale = v->type == CALVE_LONG ? 0 : v->scale;
  return v->type == CALVE_LONG || v->type == CALVE_DECIMAL;
}

/* Sums and products have all their digits; engines differ on how they cut quotients. */
static calve_expr_item of_decimals(const calve_value *a, char op, const calve_value *b) {
  calve_int128 x, y, result;
  int x_scale, y_scale;
  if (!as_decimal(a, &x, &x_scale) || !as_decimal(b, &y, &y_scale)) return some_value;
  int scale = op == '*' ? x_scale + y_scale : x_scale > y_scale ? x_scale : y_scale;
  if (scale > 38) return some_value;
  bool fits = true;
  if (op != '*')
    fits = calve_decimal_rescale(x, x_scale, scale, &x) &&
           calve_decimal_rescale(y, y_scale, scale, &y);
  if (!fits || (op != '+' && op != '-' && op != '*')) return some_value;
  bool beyond = op == '+'   ? __builtin_add_overflow(x, y, &result)
                : op == '-' ? __builtin_sub_overflow(x, y, &result)
                            : __builtin_mul_overflow(x, y, &result);
  if (beyond || calve_decimal_digits(result) > 38) return some_value;
  return literal((calve_value){.type = CALVE_DECIMAL, .i128 = result, .scale = (int16_t)scale});
}

static bool as_double(const calve_value *v, double *out) {
  *out = v->type == CALVE_LONG ? (double)v->i64 : v->f64;
  return v->type == CALVE_DOUBLE ||
         (v->type == CALVE_LONG && v->i64 >= -EXACT_DOUBLE && v->i64 <= EXACT_DOUBLE);
}

static calve_expr_item of_doubles(const calve_value *a, char op, bool whole, const calve_value *b) {
  double x, y;
  if (!as_double(a, &x) || !as_double(b, &y) || whole) return some_value;
  switch (op) {
    case '+':
      return of_double(x + y);
    case '-':
      return of_double(x - y);
    case '*':
      return of_double(x * y);
    default:
      return op == '/' && y != 0 ? of_double(x / y) : some_value;
  }
}

/* ---- moments --------------------------------------------------------------------------------- */

static bool is_moment(calve_type_id id) {
  return id == CALVE_DATE || id == CALVE_TIMESTAMP || id == CALVE_TIMESTAMPTZ;
}

static bool move_months(int64_t day, int64_t months, int64_t *out) {
  calve_civil civil = calve_civil_of_day(day);
  int64_t month;
  if (__builtin_add_overflow(civil.year * 12 + civil.month - 1, months, &month)) return false;
  civil.year = calve_floor_div(month, 12);
  civil.month = (int)calve_floor_mod(month, 12) + 1;
  if (civil.year < 1 || civil.year > 9999) return false; /* where engines' ranges end or differ   */
  while (!calve_civil_valid(civil)) civil.day--;
  *out = calve_day_of_civil(civil);
  return true;
}

/* A date moved by an interval is a timestamp, as in DuckDB: where it stays one, that is the same
 * moment. */
static calve_expr_item move(const calve_value *v, const calve_expr_item *interval, int sign) {
  bool is_date = v->type == CALVE_DATE;
  int64_t day = is_date ? v->i32 : calve_floor_div(v->i64, CALVE_US_PER_DAY);
  int64_t us = is_date ? 0 : calve_floor_mod(v->i64, CALVE_US_PER_DAY);
  int64_t days = sign * interval->interval.days, rest = sign * interval->interval.us;
  if (!move_months(day, sign * interval->interval.months, &day)) return some_value;
  calve_value moved = {.type = is_date ? CALVE_TIMESTAMP : v->type};
  if (__builtin_add_overflow(day, days, &day) ||
      __builtin_mul_overflow(day, CALVE_US_PER_DAY, &moved.i64) ||
      __builtin_add_overflow(moved.i64, us, &moved.i64) ||
      __builtin_add_overflow(moved.i64, rest, &moved.i64))
    return some_value;
  return literal(moved);
}

static calve_expr_item move_date(const calve_value *v, int64_t days, int sign) {
  calve_value moved = *v;
  if (days < INT32_MIN + 1 || days > INT32_MAX ||
      __builtin_add_overflow(v->i32, (int32_t)(sign * days), &moved.i32))
    return some_value;
  return literal(moved);
}

static calve_expr_item of_moments(const calve_expr_item *left, char op,
                                  const calve_expr_item *right) {
  int sign = op == '-' ? -1 : 1;
  if (op != '+' && op != '-') return some_value;
  if (left->kind == CALVE_ITEM_INTERVAL) { /* INTERVAL 1 DAY + DATE '…' */
    bool turns = op == '+' && right->kind == CALVE_ITEM_LITERAL && is_moment(right->literal.type);
    return turns ? move(&right->literal, left, 1) : some_value;
  }
  if (left->kind != CALVE_ITEM_LITERAL || !is_moment(left->literal.type)) return some_value;
  if (right->kind == CALVE_ITEM_INTERVAL) return move(&left->literal, right, sign);
  bool days = right->kind == CALVE_ITEM_LITERAL && right->literal.type == CALVE_LONG;
  if (!days || left->literal.type != CALVE_DATE) return some_value;
  return move_date(&left->literal, right->literal.i64, sign);
}

calve_expr_item calve_expr__item_arithmetic(const calve_expr_item *left, calve_str op,
                                            const calve_expr_item *right) {
  char sign = op.data[0];
  bool whole = op.size == 2 && sign == '/';
  bool known = whole || (op.size == 1 &&
                         (sign == '+' || sign == '-' || sign == '*' || sign == '/' || sign == '%'));
  if (!known) return some_value;
  if (left->kind == CALVE_ITEM_NULL || right->kind == CALVE_ITEM_NULL)
    return (calve_expr_item){.kind = CALVE_ITEM_NULL};
  if (left->kind != CALVE_ITEM_LITERAL || right->kind != CALVE_ITEM_LITERAL)
    return of_moments(left, sign, right);
  const calve_value *a = &left->literal, *b = &right->literal;
  /* 1e-1 is a double to engines, and no decimal: sums of them are rounded */
  if (left->has_exponent || right->has_exponent) return some_value;
  if (a->type == CALVE_LONG && b->type == CALVE_LONG) return of_longs(a->i64, sign, whole, b->i64);
  if (is_moment(a->type)) return of_moments(left, sign, right);
  if (a->type == CALVE_DOUBLE || b->type == CALVE_DOUBLE) return of_doubles(a, sign, whole, b);
  return of_decimals(a, sign, b);
}

/* ---- intervals ------------------------------------------------------------------------------- */

typedef struct unit_size {
  const char *name; /* or with an s                                                             */
  int64_t months, days, us;
} unit_size;

static const unit_size sizes[] = {
    {"year", 12, 0, 0},
    {"quarter", 3, 0, 0},
    {"month", 1, 0, 0},
    {"week", 0, 7, 0},
    {"day", 0, 1, 0},
    {"hour", 0, 0, CALVE_US_PER_HOUR},
    {"minute", 0, 0, CALVE_US_PER_HOUR / 60},
    {"second", 0, 0, CALVE_US_PER_HOUR / 3600},
    {"millisecond", 0, 0, 1000},
    {"microsecond", 0, 0, 1},
};

/* So many that sums of products stay far below 64 bits. */
#define INTERVAL_NUMBER_MAX INT64_C(1000000000)

static bool add_unit(calve_expr_item *item, calve_str number, calve_str unit) {
  int64_t count;
  if (unit.size > 1 && (unit.data[unit.size - 1] == 's' || unit.data[unit.size - 1] == 'S'))
    unit.size--;
  if (!calve_str_to_i64(number, &count) || count < -INTERVAL_NUMBER_MAX ||
      count > INTERVAL_NUMBER_MAX)
    return false;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    if (!calve_str_equal_nocase(unit, calve_str_of(sizes[i].name))) continue;
    item->interval.months += count * sizes[i].months;
    item->interval.days += count * sizes[i].days;
    return !__builtin_add_overflow(item->interval.us, count * sizes[i].us, &item->interval.us);
  }
  return false;
}

/* The next word of the text; empty at its end. */
static calve_str take_word(calve_str *text) {
  size_t start = 0, end;
  while (start < text->size && text->data[start] == ' ') start++;
  for (end = start; end < text->size && text->data[end] != ' ';) end++;
  calve_str word = {text->data + start, end - start};
  *text = (calve_str){text->data + end, text->size - end};
  return word;
}

calve_expr_item calve_expr__item_interval(calve_str text, calve_str unit) {
  enum { PARTS_MAX = 10 };
  calve_expr_item item = {.kind = CALVE_ITEM_INTERVAL};
  if (unit.size > 0) return add_unit(&item, calve_str_trim(text), unit) ? item : some_value;
  for (int parts = 0; parts < PARTS_MAX; parts++) {
    calve_str number = take_word(&text), of = take_word(&text);
    if (number.size == 0) return parts > 0 ? item : some_value;
    if (!add_unit(&item, number, of)) return some_value;
  }
  return some_value;
}
