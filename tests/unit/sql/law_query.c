/* SPDX-License-Identifier: Apache-2.0 */
#include "law_query.h"

#include <string.h>

/* What a condition may speak of: one table, or two that are joined. */
typedef struct scope {
  law_random *r;
  const law_table *table;
  size_t qualifier_count; /* 0: bare columns                                                    */
  const char *qualifiers[2];
  law_text *out;
} scope;

static void condition(scope *s, int depth);

/* ---- operands ----------------------------------------------------------------------------- */

/* Writes a column, or a field of a struct column; gives what it is. */
static law_field put_column(scope *s) {
  const law_column *column = &s->table->columns[law_below(s->r, s->table->column_count)];
  const law_field *field = &column->self;
  if (s->qualifier_count > 0)
    law_put(s->out, "%s.", s->qualifiers[law_below(s->r, s->qualifier_count)]);
  law_put(s->out, "%s", column->self.name);
  if (column->self.kind == LAW_STRUCT && law_chance(s->r, 80)) {
    field = &column->fields[law_below(s->r, column->field_count)];
    law_put(s->out, ".%s", field->name);
  }
  return *field;
}

static bool is_temporal(law_kind kind) {
  return kind == LAW_DATE || kind == LAW_TS || kind == LAW_TSTZ;
}

static bool is_number(law_kind kind) {
  return kind == LAW_INT || kind == LAW_LONG || kind == LAW_FLOAT || kind == LAW_DOUBLE ||
         kind == LAW_DECIMAL;
}

/* Classes of kinds: any, number, real, time, string, bool, list. */
static bool is_of(law_kind kind, char class) {
  switch (class) {
    case 'n':
      return is_number(kind);
    case 'r':
      return kind == LAW_FLOAT || kind == LAW_DOUBLE;
    case 't':
      return is_temporal(kind);
    case 's':
      return kind == LAW_STRING;
    case 'b':
      return kind == LAW_BOOL;
    case 'l':
      return kind == LAW_LIST;
    default:
      return kind != LAW_STRUCT;
  }
}

/* Writes a column of that class; false, and nothing is written, when chance finds none. */
static bool put_column_of(scope *s, char class, law_field *field) {
  for (int tries = 0; tries < 30; tries++) {
    size_t mark = s->out->size;
    *field = put_column(s);
    if (is_of(field->kind, class)) return true;
    s->out->size = mark;
  }
  return false;
}

/* Literals of any type, as they may stand beside a column of one kind. */
/* clang-format off */
static const char *const numbers[] = {
    "1", "0", "-1", "1.5", "-1.5", "2.0", "2.499", "1e0", "1e300", "-1e300", "0.1", "1.50000001",
    "99999999999", "2147483648", "-2147483649", "9223372036854775808", "1e19", "0.001", "-0.0",
    "'1'", "'1.5'", "' 1 '", "'01'", "'nan'", "'inf'", "true", "false", "1 + 1", "2 * 0.75",
    "10 / 4", "10 // 4", "7 % 4", "-(-1)", "'nan'::DOUBLE", "'nan'::FLOAT", "'inf'::DOUBLE",
    "'-inf'::FLOAT", "0.1::FLOAT", "0.1::DOUBLE", "1.5::DECIMAL(18,6)", "16777217", "16777216.5",
    "3.4e38", "1e-40", "5::TINYINT", "200::UTINYINT", "1::HUGEINT", "CAST('5' AS INT)",
    "170141183460469231731687303715884105727", "CASE WHEN true THEN 1 ELSE 2 END",
    "coalesce(NULL, 1)", "'1e2'", "'5 '", "0.5", "-0.5", "1.4999", "3", "'-0.0'::DOUBLE",
    "0.099999994", "0.10000000149011612", "2147483647.5", "'2.5'", "5.0::FLOAT", "(1)",
    "9007199254740992::DOUBLE", "9007199254740992", "'2.499'", "1234567.9::FLOAT", "'1.495'",
    "16777216::FLOAT", "0.1234567890123456789", "1234567.89::DOUBLE",
    "9223372036854775807::DOUBLE", "2147483647::FLOAT", "-1234567.9::FLOAT", "0.01::FLOAT",
    "'0.1'", "1e-2"};
static const char *const times[] = {
    "'2020-02-29'", "'2020-02-29 10:00:00'", "'2020-02-29 10:00:00+02'", "DATE '2020-02-29'",
    "DATE '1969-12-31'", "TIMESTAMP '2020-02-29 10:00:00'", "TIMESTAMP '2020-02-29 00:00:00'",
    "TIMESTAMP '1969-12-31 23:59:59.999999'", "TIMESTAMPTZ '2020-02-29 10:00:00+00'",
    "TIMESTAMPTZ '2020-02-29 22:00:00-05'", "TIMESTAMPTZ '2020-02-29 10:00:00'", "now()",
    "current_date", "today()", "now() - INTERVAL 3 DAY", "DATE '2020-02-28' + INTERVAL 1 DAY",
    "DATE '2020-02-28' + 1", "TIMESTAMP '2020-02-29 10:00:00' - INTERVAL '10 hours'",
    "CAST('2020-02-29' AS DATE)", "'2020-03-01'::TIMESTAMP", "'2020-03-01'::TIMESTAMPTZ",
    "date_trunc('month', DATE '2020-02-29')", "make_date(2020, 2, 29)", "DATE 'infinity'",
    "strptime('2020-02-29', '%Y-%m-%d')", "TIMESTAMP '-infinity'", "DATE '5000-01-01'",
    "TIMESTAMP_NS '2020-02-29 10:00:00.000000001'", "TIMESTAMP_S '2020-02-29 10:00:00'",
    "TIMESTAMP '290000-01-01 00:00:00'", "DATE '-44-03-15'", "DATE '0044-03-15 (BC)'",
    "'2020-3-1'", "'2020/03/01'", "'infinity'", "'epoch'",
    "TIMESTAMP_MS '1969-12-31 23:59:59.999'", "'2020-02-29 10:00:00.0000019'", "' 2020-02-29'",
    "'2020-02-29T10:00:00Z'", "current_timestamp", "TIMESTAMP '2020-02-29 10:00:00.0000005'",
    "DATE '2020-02-29' - INTERVAL 1 MICROSECOND"};
static const char *const texts[] = {
    "'1'", "'a'", "''", "'a' || 'b'", "lower('AB')", "upper('a')", "'x' COLLATE NOCASE", "'abc'",
    "'ab' || chr(0)", "concat('a', 'b')", "5", "1.5", "'TRUE'", "'\xC3\xA9'", "'z'", "'abd'",
    "'aaaaaaaaaaaaaaaaaaaaaaaa'", "'aaaaaaaaaaaaaaaaaaaaaaab'", "'\xF4\x8F\xBF\xBF'", "'aa'",
    "'aaaaaaaaaaaaaaaaa'", "DATE '2020-02-29'", "true", "'2020-02-29'::DATE::VARCHAR"};
static const char *const any[] = {
    "1", "'a'", "''", "'nan'", "'true'", "'2020-02-29'", "'10:00:00'", "NULL", "'t'", "1::BIT",
    "DATE '2020-02-29'", "TIMESTAMP '2020-02-29 10:00:00'", "TIME '10:00:00'", "'abc'::BLOB",
    "'\\xFF'::BLOB", "'00000000-0000-0000-0000-000000000000'", "random()", "[1, NULL]",
    "{'a': 1}", "UUID '80000000-0000-0000-0000-000000000001'", "INTERVAL 1 DAY", "true", "0",
    "1.5", "'80000000000000000000000000000001'", "'80000000-0000-0000-0000-000000000001'",
    "TIMETZ '10:00:00+02'", "'10:00'", "'false'", "NULL::INT"};
/* clang-format on */

static void put_constant(scope *s, const law_field *field) {
  law_kind kind = field->kind;
  bool number = is_number(kind);
  size_t choice = law_below(s->r, 100);
  if ((choice < 45 ||
       (choice < 92 && !is_number(kind) && !is_temporal(kind) && kind != LAW_STRING)) &&
      kind != LAW_STRUCT)
    law_value(s->r, field, s->out);
  else if (choice < 97 && number)
    law_put(s->out, "%s", LAW_PICK(s->r, numbers));
  else if (choice < 97 && is_temporal(kind))
    law_put(s->out, "%s", LAW_PICK(s->r, times));
  else if (choice < 97 && kind == LAW_STRING)
    law_put(s->out, "%s", LAW_PICK(s->r, texts));
  else
    law_put(s->out, "%s", LAW_PICK(s->r, any));
}

static const char *comparison(law_random *r) {
  /* clang-format off */
  static const char *const all[] = {
      "=", "<>", "!=", "<", "<=", ">", ">=", "==", "=", " IS DISTINCT FROM ",
      " IS NOT DISTINCT FROM "};
  /* clang-format on */
  return LAW_PICK(r, all);
}

/* ---- terms -------------------------------------------------------------------------------- */

static void column_constant(scope *s) {
  law_field field = put_column(s);
  law_put(s->out, " %s ", comparison(s->r));
  put_constant(s, &field);
}

static void constant_column(scope *s) {
  law_text *out = s->out;
  static law_text column;
  law_clear(&column);
  s->out = &column;
  law_field field = put_column(s);
  s->out = out;
  put_constant(s, &field);
  law_put(out, " %s %s", comparison(s->r), column.data);
}

static void column_column(scope *s) {
  law_field field = put_column(s), other;
  law_put(s->out, " %s ", comparison(s->r));
  char class = is_number(field.kind) ? 'n' : is_temporal(field.kind) ? 't' : 'a';
  for (int tries = 0; tries < 20; tries++) {
    size_t mark = s->out->size;
    put_column_of(s, class, &other);
    if (class != 'a' || other.kind == field.kind) return;
    s->out->size = mark;
  }
  law_put(s->out, "NULL");
}

static void between(scope *s) {
  law_field field = put_column(s);
  law_put(s->out, law_chance(s->r, 30) ? " NOT BETWEEN " : " BETWEEN ");
  put_constant(s, &field);
  law_put(s->out, " AND ");
  put_constant(s, &field);
}

static void in_list(scope *s) {
  law_field field = put_column(s);
  law_put(s->out, law_chance(s->r, 40) ? " NOT IN (" : " IN (");
  size_t count = 1 + law_below(s->r, 4);
  for (size_t i = 0; i < count; i++) {
    if (i) law_put(s->out, ", ");
    if (law_chance(s->r, 10))
      law_put(s->out, "NULL");
    else
      put_constant(s, &field);
  }
  law_put(s->out, ")");
}

/* c IN [1, 2], list_contains([1, NULL], c) */
static void in_list_value(scope *s) {
  static law_text column;
  scope other = *s;
  law_clear(&column);
  other.out = &column;
  law_field field = put_column(&other);
  bool call = law_chance(s->r, 40);
  if (law_chance(s->r, 25)) law_put(s->out, "NOT ");
  law_put(s->out, call ? "list_contains([" : "%.*s IN [", (int)column.size, column.data);
  for (size_t i = 0, count = 1 + law_below(s->r, 3); i < count; i++) {
    if (i > 0) law_put(s->out, ", ");
    if (law_chance(s->r, 10))
      law_put(s->out, "NULL");
    else
      put_constant(s, &field);
  }
  law_put(s->out, call ? "], %.*s)" : "]", (int)column.size, column.data);
}

/* Conditions that exclude or complete each other. */
static void twins(scope *s) {
  static const char *const pairs[][2] = {{" > ", " < "},  {" > ", " <= "}, {" = ", " = "},
                                         {" = ", " <> "}, {" >= ", " < "}, {" <= ", " > "}};
  static law_text column;
  scope other = *s;
  law_clear(&column);
  other.out = &column;
  law_field field = put_column(&other);
  size_t pair = law_below(s->r, sizeof pairs / sizeof *pairs);
  law_put(s->out, "(%.*s%s", (int)column.size, column.data, pairs[pair][0]);
  put_constant(s, &field);
  law_put(s->out, law_chance(s->r, 50) ? " AND " : " OR ");
  if (law_chance(s->r, 15)) {
    law_put(s->out, "%.*s IS NULL)", (int)column.size, column.data);
    return;
  }
  law_put(s->out, "%.*s%s", (int)column.size, column.data, pairs[pair][1]);
  put_constant(s, &field);
  law_put(s->out, ")");
}

static void null_test(scope *s) {
  /* clang-format off */
  static const char *const tests[] = {
      " IS NULL", " IS NOT NULL", " ISNULL", " NOTNULL"};
  /* clang-format on */
  put_column(s);
  law_put(s->out, "%s", LAW_PICK(s->r, tests));
}

static void truth_test(scope *s) {
  /* clang-format off */
  static const char *const tests[] = {
      " IS TRUE", " IS NOT TRUE", " IS FALSE", " IS NOT FALSE", " IS UNKNOWN", "", " = true",
      " <> false", " IS NULL", " < true"};
  /* clang-format on */
  law_field field;
  if (law_chance(s->r, 20)) law_put(s->out, "NOT ");
  if (put_column_of(s, 'b', &field))
    law_put(s->out, "%s", LAW_PICK(s->r, tests));
  else
    column_constant(s);
}

static void real_test(scope *s) {
  /* clang-format off */
  static const char *const fronts[] = {
      "isnan(", "isfinite(", "isinf(", "NOT isnan("};
  /* clang-format on */
  size_t mark = s->out->size;
  law_field field;
  law_put(s->out, "%s", LAW_PICK(s->r, fronts));
  if (put_column_of(s, 'r', &field)) {
    law_put(s->out, ")");
  } else {
    s->out->size = mark;
    column_constant(s);
  }
}

static void like(scope *s) {
  /* clang-format off */
  static const char *const operators[] = {
      " LIKE ", " NOT LIKE ", " ILIKE ", " NOT ILIKE ", " GLOB ", " SIMILAR TO ", " LIKE "};
  static const char *const patterns[] = {
      "'a%'", "'a_c'", "'a\\_c'", "'%c'", "'ab'", "''", "'%'", "'a%c'", "'_'", "'A%'",
      "'\xC3\xA9%'", "'ab%%'", "'a\\%c'", "NULL", "'a' || '%'", "'5%'", "'a*'",
      "'\xE6\x97\xA5_%'", "'aaaaaaaaaaaaaaaaaaaaa%'"};
  static const char *const escaped[] = {
      " LIKE 'a$_c' ESCAPE '$'", " LIKE 'a\\_%' ESCAPE '\\'", " NOT LIKE 'a$%%' ESCAPE '$'",
      " LIKE 'ab$$' ESCAPE '$'"};
  /* clang-format on */
  law_field field;
  if (!put_column_of(s, 's', &field)) {
    column_constant(s);
  } else if (law_chance(s->r, 20)) {
    law_put(s->out, "%s", LAW_PICK(s->r, escaped));
  } else {
    const char *operator= LAW_PICK(s->r, operators);
    law_put(s->out, "%s%s", operator, LAW_PICK(s->r, patterns));
  }
}

static void prefix(scope *s) {
  /* clang-format off */
  static const char *const names[] = {
      "starts_with", "starts_with", "prefix", "suffix", "contains", "regexp_matches"};
  static const char *const values[] = {
      "'a'", "'ab'", "''", "'\xC3\xA9'", "NULL"};
  /* clang-format on */
  size_t mark = s->out->size;
  law_field field;
  law_put(s->out, "%s(", LAW_PICK(s->r, names));
  if (put_column_of(s, 's', &field)) {
    law_put(s->out, ", %s)", LAW_PICK(s->r, values));
  } else {
    s->out->size = mark;
    column_constant(s);
  }
}

/* year(ts) = 2020, ts::DATE < …, date_trunc(…) …, i + 1 = …: functions of one column. */
static void function_constant(scope *s) {
  static const struct {
    char takes;
    const char *front, *back;
    law_kind gives;
  } forms[] = {{'t', "year(", ")", LAW_INT},
               {'t', "year(", ")", LAW_INT},
               {'t', "month(", ")", LAW_INT},
               {'t', "EXTRACT(YEAR FROM ", ")", LAW_INT},
               {'t', "date_part('year', ", ")", LAW_INT},
               {'t', "datepart('YEAR', ", ")", LAW_INT},
               {'t', "years(", ")", LAW_INT},
               {'t', "months(", ")", LAW_INT},
               {'t', "days(", ")", LAW_DATE},
               {'t', "days(", ")", LAW_TS},
               {'t', "hours(", ")", LAW_INT},
               {'n', "bucket(4, ", ")", LAW_INT},
               {'s', "bucket(4, ", ")", LAW_INT},
               {'t', "bucket(4, ", ")", LAW_INT},
               {'n', "truncate(10, ", ")", LAW_INT},
               {'s', "truncate(2, ", ")", LAW_STRING},
               {'t', "", " AT TIME ZONE 'UTC'", LAW_TS},
               {'t', "", " AT TIME ZONE 'UTC'", LAW_TSTZ},
               {'t', "", "::TIMESTAMP", LAW_DATE},
               {'t', "", "::TIMESTAMPTZ", LAW_TS},
               {'n', "", "::BIGINT", LAW_LONG},
               {'n', "", "::DOUBLE", LAW_FLOAT},
               {'s', "", "::VARCHAR", LAW_STRING},
               {'b', "", "::BOOLEAN", LAW_BOOL},
               {'t', "date_trunc('day', ", ")", LAW_TS},
               {'t', "date_trunc('month', ", ")", LAW_DATE},
               {'t', "date_trunc('year', ", ")", LAW_TS},
               {'t', "date_trunc('hour', ", ")", LAW_TSTZ},
               {'t', "date_trunc('week', ", ")", LAW_TS},
               {'t', "date_trunc('quarter', ", ")", LAW_DATE},
               {'t', "date_trunc('decade', ", ")", LAW_DATE},
               {'t', "DATE_TRUNC('DAYS', ", ")", LAW_TS},
               {'t', "datetrunc('month', ", ")", LAW_TS},
               {'t', "CAST(", " AS DATE)", LAW_DATE},
               {'t', "", "::DATE", LAW_TS},
               {'t', "", "::DATE", LAW_DATE},
               {'t', "TRY_CAST(", " AS DATE)", LAW_DATE},
               {'t', "CAST(", " AS TIMESTAMP)", LAW_TS},
               {'t', "", "::TIMESTAMPTZ", LAW_TSTZ},
               {'t', "date(", ")", LAW_DATE},
               {'t', "day(", ")", LAW_INT},
               {'t', "", " AT TIME ZONE 'Asia/Tokyo'", LAW_TS},
               {'t', "year(", "::DATE)", LAW_INT},
               {'t', "year(date_trunc('month', ", "))", LAW_INT},
               {'t', "", " + INTERVAL 1 DAY", LAW_TS},
               {'n', "CAST(", " AS INT)", LAW_INT},
               {'n', "CAST(", " AS BIGINT)", LAW_DECIMAL},
               {'n', "CAST(", " AS DOUBLE)", LAW_DOUBLE},
               {'n', "", " + 1", LAW_INT},
               {'n', "-", "", LAW_INT},
               {'n', "CAST(", " AS FLOAT)", LAW_FLOAT},
               {'n', "", "::BOOLEAN", LAW_BOOL},
               {'n', "CAST(", " AS DECIMAL(18,1))", LAW_DECIMAL},
               {'n', "abs(", ")", LAW_DOUBLE},
               {'n', "round(", ")", LAW_INT},
               {'a', "CAST(", " AS VARCHAR)", LAW_STRING},
               {'s', "lower(", ")", LAW_STRING},
               {'s', "upper(", ")", LAW_STRING},
               {'s', "", " || 'a'", LAW_STRING},
               {'s', "length(", ")", LAW_INT},
               {'s', "", " COLLATE NOCASE", LAW_STRING},
               {'s', "substring(", ", 1, 2)", LAW_STRING},
               {'s', "left(", ", 1)", LAW_STRING},
               {'l', "len(", ")", LAW_INT},
               {'l', "", "[1]", LAW_INT},
               {'s', "coalesce(", ", 'a')", LAW_STRING},
               {'n', "coalesce(", ", 5)", LAW_INT},
               {'a', "hash(", ") % 2", LAW_INT},
               {'b', "NOT ", "", LAW_BOOL},
               {'s', "TRY_CAST(", " AS DATE)", LAW_DATE},
               {'s', "TRY_CAST(", " AS INT)", LAW_INT}};
  size_t form = law_below(s->r, sizeof forms / sizeof *forms), mark = s->out->size;
  law_field gives = {.kind = forms[form].gives}, field;
  bool first = law_chance(s->r, 20);
  if (first) {
    put_constant(s, &gives);
    law_put(s->out, " %s ", comparison(s->r));
  }
  law_put(s->out, "%s", forms[form].front);
  if (!put_column_of(s, forms[form].takes, &field)) {
    s->out->size = mark;
    column_constant(s);
    return;
  }
  law_put(s->out, "%s", forms[form].back);
  if (first) return;
  if (law_chance(s->r, 15)) {
    law_put(s->out, " IN (");
    put_constant(s, &gives);
    law_put(s->out, ", NULL, ");
    put_constant(s, &gives);
    law_put(s->out, ")");
  } else {
    law_put(s->out, " %s ", comparison(s->r));
    put_constant(s, &gives);
  }
}

static void constant_alone(scope *s) {
  /* clang-format off */
  static const char *const all[] = {
      "true", "false", "NULL", "1 = 1", "1 = 0", "now() > DATE '2020-01-01'", "NULL IS NULL", "1",
      "'a' = 'a'", "true IS NULL", "0", "NULL::BOOLEAN", "1 < NULL",
      "current_date > DATE '2020-01-01'", "2 BETWEEN 1 AND 3"};
  /* clang-format on */
  law_put(s->out, "%s", LAW_PICK(s->r, all));
}

static void case_when(scope *s) {
  law_put(s->out, "CASE WHEN ");
  condition(s, 3);
  law_put(s->out, " THEN ");
  condition(s, 3);
  law_put(s->out, law_chance(s->r, 50) ? " ELSE false END" : " END");
}

static void subquery(scope *s) {
  scope inner = *s;
  inner.qualifier_count = 1;
  inner.qualifiers[0] = "inner_t";
  if (law_chance(s->r, 50)) {
    const law_column *column = &s->table->columns[law_below(s->r, s->table->column_count)];
    if (s->qualifier_count) law_put(s->out, "%s.", s->qualifiers[0]);
    law_put(s->out, "%s %sIN (SELECT inner_t.%s FROM @ AS inner_t WHERE ", column->self.name,
            law_chance(s->r, 30) ? "NOT " : "", column->self.name);
  } else {
    law_put(s->out, "%sEXISTS (SELECT 1 FROM @ inner_t WHERE ", law_chance(s->r, 30) ? "NOT " : "");
    if (s->qualifier_count && law_chance(s->r, 60)) {
      inner.qualifier_count = 2;
      inner.qualifiers[1] = s->qualifiers[0];
    }
  }
  condition(&inner, 2);
  law_put(s->out, ")");
}

static void leaf(scope *s) {
  static void (*const leaves[])(scope *) = {column_constant,
                                            column_constant,
                                            column_constant,
                                            column_constant,
                                            constant_column,
                                            column_column,
                                            between,
                                            between,
                                            in_list,
                                            in_list,
                                            in_list_value,
                                            twins,
                                            twins,
                                            null_test,
                                            null_test,
                                            like,
                                            prefix,
                                            function_constant,
                                            function_constant,
                                            function_constant,
                                            constant_alone,
                                            truth_test,
                                            real_test};
  LAW_PICK(s->r, leaves)(s);
}

static void condition(scope *s, int depth) {
  size_t choice = law_below(s->r, 10);
  if (depth >= 3 || choice < 4) {
    if (depth < 2 && law_chance(s->r, 4))
      subquery(s);
    else if (depth < 2 && law_chance(s->r, 3))
      case_when(s);
    else
      leaf(s);
    return;
  }
  if (choice == 9 && law_chance(s->r, 50)) law_put(s->out, "NOT ");
  law_put(s->out, "(");
  condition(s, depth + 1);
  if (choice < 9) {
    law_put(s->out, choice < 7 ? " AND " : " OR ");
    condition(s, depth + 1);
  }
  law_put(s->out, ")");
}

/* ---- queries ------------------------------------------------------------------------------ */

static void where(scope *s) {
  law_put(s->out, " WHERE ");
  condition(s, 0);
}

void law_condition(law_random *r, const law_table *table, law_text *out) {
  scope s = {.r = r, .table = table, .out = out};
  condition(&s, 2);
}

static void plain(scope *s) {
  /* clang-format off */
  static const char *const lists[] = {
      "*", "count(*)", "* EXCLUDE (%s)", "COLUMNS(*)", "%s, count(*)", "DISTINCT %s",
      "%s AS z, row(1)", "5 AS %s"};
  /* clang-format on */
  const char *list = LAW_PICK(s->r, lists);
  const char *column = s->table->columns[law_below(s->r, s->table->column_count)].self.name;
  law_put(s->out, "SELECT ");
  for (const char *p = list; *p; p++) {
    if (p[0] == '%')
      law_put(s->out, "%s", column), p++;
    else
      law_put(s->out, "%c", *p);
  }
  law_put(s->out, " FROM @");
  s->qualifier_count = law_chance(s->r, 40) ? 1 : 0;
  s->qualifiers[0] = "~";
  if (law_chance(s->r, 30)) {
    law_put(s->out, " AS a");
    s->qualifiers[0] = "a";
  }
  where(s);
  if (strstr(list, "count") && list[0] == '%') law_put(s->out, " GROUP BY ALL");
}

static void alias_in_where(scope *s) {
  const law_table *t = s->table;
  law_put(s->out, "SELECT %s AS %s, count(*) OVER () FROM @",
          t->columns[law_below(s->r, t->column_count)].self.name,
          law_chance(s->r, 50) ? t->columns[law_below(s->r, t->column_count)].self.name : "z");
  where(s);
}

static void join(scope *s) {
  /* clang-format off */
  static const char *const kinds[] = {
      "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN", "INNER JOIN",
      "LEFT JOIN"};
  static const char *const free_kinds[] = {
      " CROSS JOIN ", ", ", " NATURAL JOIN ", " NATURAL LEFT JOIN "};
  /* clang-format on */
  const char *column = s->table->columns[law_below(s->r, s->table->column_count)].self.name;
  const char *kind = LAW_PICK(s->r, kinds);
  bool one_side = strcmp(kind, "SEMI JOIN") == 0 || strcmp(kind, "ANTI JOIN") == 0;
  law_put(s->out, "SELECT %s FROM ", law_chance(s->r, 50) ? "count(*)" : "*");
  bool inner_where = law_chance(s->r, 20);
  s->qualifiers[0] = "a";
  s->qualifiers[1] = "b";
  if (inner_where) {
    law_put(s->out, "(SELECT * FROM @");
    s->qualifier_count = 0;
    where(s);
    law_put(s->out, ") AS a ");
  } else {
    law_put(s->out, "@ AS a ");
  }
  if (law_chance(s->r, 20)) {
    law_put(s->out, "%s@ b", LAW_PICK(s->r, free_kinds));
    one_side = false;
  } else if (law_chance(s->r, 30)) {
    law_put(s->out, "%s @ b USING (%s)", kind, column);
  } else {
    law_put(s->out, "%s @ b ON a.%s = b.%s", kind, column, column);
    if (law_chance(s->r, 30)) {
      law_put(s->out, " AND ");
      s->qualifier_count = 2;
      condition(s, 2);
    }
  }
  if (law_chance(s->r, 20) && !one_side)
    law_put(s->out, " LEFT JOIN @ c ON b.%s = c.%s", column, column);
  s->qualifier_count = one_side ? 1 : 2;
  where(s);
}

/* Which of several equal rows an ASOF join takes is open: only the other side is looked at. */
static void asof_join(scope *s) {
  const char *column = s->table->columns[law_below(s->r, s->table->column_count)].self.name;
  law_put(s->out, "SELECT a.* FROM @ a ASOF %s @ b ON a.%s >= b.%s",
          law_chance(s->r, 50) ? "JOIN" : "LEFT JOIN", column, column);
  s->qualifier_count = 1;
  s->qualifiers[0] = "a";
  where(s);
}

static void common_table(scope *s) {
  law_put(s->out, "WITH q AS %s(SELECT * FROM @", law_chance(s->r, 30) ? "MATERIALIZED " : "");
  s->qualifier_count = 0;
  where(s);
  if (law_chance(s->r, 50)) {
    law_put(s->out, ") SELECT * FROM q");
    where(s);
  } else {
    law_put(s->out, ") SELECT count(*), (SELECT count(*) FROM q) FROM @ AS a");
    s->qualifier_count = 1;
    s->qualifiers[0] = "a";
    where(s);
  }
}

static void set_operation(scope *s) {
  /* clang-format off */
  static const char *const kinds[] = {
      " UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT ", " UNION ALL BY NAME "};
  /* clang-format on */
  law_put(s->out, "SELECT * FROM @");
  s->qualifier_count = 0;
  where(s);
  law_put(s->out, "%sSELECT * FROM @", LAW_PICK(s->r, kinds));
  where(s);
}

static void from_first(scope *s) {
  law_put(s->out, "FROM @ a SELECT count(*)");
  s->qualifier_count = 1;
  s->qualifiers[0] = "a";
  where(s);
  if (law_chance(s->r, 30)) law_put(s->out, " HAVING count(*) > 0");
}

static void lateral(scope *s) {
  law_put(s->out, "SELECT count(*) FROM @ a, LATERAL (SELECT * FROM @ b");
  s->qualifier_count = 2;
  s->qualifiers[0] = "a";
  s->qualifiers[1] = "b";
  where(s);
  law_put(s->out, ") c");
  s->qualifier_count = 1;
  where(s);
}

void law_query(law_random *r, const law_table *table, law_text *out) {
  static void (*const shapes[])(scope *) = {
      plain, plain, plain,     plain,        plain,         plain,      alias_in_where,
      join,  join,  asof_join, common_table, set_operation, from_first, lateral};
  scope s = {.r = r, .table = table, .out = out};
  LAW_PICK(r, shapes)(&s);
}

void law_query_on(const law_text *query, const char *table, const char *name, law_text *out) {
  for (size_t i = 0; i < query->size; i++) {
    if (query->data[i] == '@')
      law_put(out, "%s", table);
    else if (query->data[i] == '~')
      law_put(out, "%s", name);
    else
      law_put(out, "%c", query->data[i]);
  }
}
