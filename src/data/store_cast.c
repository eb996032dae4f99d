/* SPDX-License-Identifier: Apache-2.0 */
#include "data/store_cast.h"

#include <stdio.h>

#include "base/text.h"
#include "data/sql_text.h"
#include "data/types.h"

typedef enum value_class {
  OTHER,
  NOTHING, /* the type of a bare NULL */
  BOOL,
  INTEGER,
  DECIMAL,
  FLOATING,
  TEXT,
  BYTES,
  UUID,
  DATE,
  TIME,
  STAMP, /* without zone */
  STAMP_TZ,
  NESTED
} value_class;

static value_class class_of_source(duckdb_type id) {
  switch (id) {
    case DUCKDB_TYPE_SQLNULL:
      return NOTHING;
    case DUCKDB_TYPE_BOOLEAN:
      return BOOL;
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_BIGNUM:
    case DUCKDB_TYPE_INTEGER_LITERAL:
      return INTEGER;
    case DUCKDB_TYPE_DECIMAL:
      return DECIMAL;
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
      return FLOATING;
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_ENUM:
    case DUCKDB_TYPE_STRING_LITERAL:
      return TEXT;
    case DUCKDB_TYPE_BLOB:
      return BYTES;
    case DUCKDB_TYPE_UUID:
      return UUID;
    case DUCKDB_TYPE_DATE:
      return DATE;
    case DUCKDB_TYPE_TIME:
    case DUCKDB_TYPE_TIME_NS:
      return TIME;
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return STAMP;
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return STAMP_TZ;
    case DUCKDB_TYPE_STRUCT:
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_ARRAY:
    case DUCKDB_TYPE_MAP:
      return NESTED;
    default:
      return OTHER;
  }
}

static value_class class_of_column(const calve_type *type) {
  switch (type->id) {
    case CALVE_BOOLEAN:
      return BOOL;
    case CALVE_INT:
    case CALVE_LONG:
      return INTEGER;
    case CALVE_DECIMAL:
      return DECIMAL;
    case CALVE_FLOAT:
    case CALVE_DOUBLE:
      return FLOATING;
    case CALVE_STRING:
      return TEXT;
    case CALVE_FIXED:
    case CALVE_BINARY:
      return BYTES;
    case CALVE_UUID:
      return UUID;
    case CALVE_DATE:
      return DATE;
    case CALVE_TIME:
      return TIME;
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMP_NS:
      return STAMP;
    case CALVE_TIMESTAMPTZ:
      return STAMP_TZ;
    case CALVE_STRUCT:
    case CALVE_LIST:
    case CALVE_MAP:
      return NESTED;
    default:
      return OTHER;
  }
}

static bool is_number(value_class c) {
  return c == INTEGER || c == DECIMAL || c == FLOATING;
}

/* Which classes may be stored in which: the value itself is checked when it is cast. */
static bool assignable(value_class from, value_class to) {
  if (from == NOTHING || from == to) return true;
  if (from == OTHER || to == OTHER || to == NESTED) return false;
  switch (to) {
    case INTEGER:
    case DECIMAL:
    case FLOATING:
      return is_number(from);
    case TEXT:
      return from != NESTED && from != BYTES;
    case UUID:
    case BYTES:
    case TIME:
      return from == TEXT;
    case DATE:
      return from == TEXT || from == STAMP;
    case STAMP:
      return from == TEXT || from == DATE || from == STAMP_TZ;
    case STAMP_TZ:
      return from == TEXT || from == DATE || from == STAMP;
    default:
      return false;
  }
}

static calve_status refuse(const calve_field *field, const calve_type *given, const char *why,
                           calve_error *err) {
  char source[CALVE_TYPE_TEXT_MAX], column[CALVE_TYPE_TEXT_MAX];
  return calve_fail(err, CALVE_EINVAL, NULL, "column %.*s: %s can't be stored in %s%s%s",
                    CALVE_STR_ARG(field->name),
                    given ? calve_type_text(given, source) : "a value of this type",
                    calve_type_text(field->type, column), *why ? "; " : "", why);
}

/* ---- nested ---------------------------------------------------------------------------------- */

static calve_status check_part(const calve_type *given, const calve_type *wanted, bool nulls,
                               const calve_field *top, calve_error *err);

static calve_status check_struct(const calve_type *given, const calve_type *wanted, bool nulls,
                                 const calve_field *top, calve_error *err) {
  /* row(…) has no names: its values go by position. */
  bool unnamed = given->field_count > 0 && given->fields[0].name.size == 0;
  if (unnamed && given->field_count != wanted->field_count)
    return refuse(top, given, "the number of fields differs", err);
  for (int32_t i = 0; i < given->field_count; i++) {
    const calve_field *match = unnamed ? &wanted->fields[i] : NULL;
    for (int32_t j = 0; j < wanted->field_count && !match; j++)
      if (calve_str_equal_nocase(given->fields[i].name, wanted->fields[j].name))
        match = &wanted->fields[j];
    if (!match) {
      char why[160];
      snprintf(why, sizeof why, "it has no field %.*s", CALVE_STR_ARG(given->fields[i].name));
      return refuse(top, given, why, err);
    }
    CALVE_TRY(check_part(given->fields[i].type, match->type, nulls, top, err));
  }
  return CALVE_OK;
}

/* Values inside of structs, lists and maps are cast together, without a check of each: only types
 * that lose nothing by a cast, or whose cast fails by itself, may differ there. */
static calve_status check_part(const calve_type *given, const calve_type *wanted, bool nulls,
                               const calve_field *top, calve_error *err) {
  value_class from = class_of_column(given), to = class_of_column(wanted);
  if (nulls && given->id == CALVE_INT) return CALVE_OK; /* a NULL; else the cast is refused */
  if (given->id == CALVE_STRUCT && wanted->id == CALVE_STRUCT)
    return check_struct(given, wanted, nulls, top, err);
  if (given->id != wanted->id && (from == NESTED || to == NESTED))
    return refuse(top, given, "", err);
  if (from == NESTED) {
    for (int32_t i = 0; i < given->field_count; i++)
      CALVE_TRY(check_part(given->fields[i].type, wanted->fields[i].type, nulls, top, err));
    return CALVE_OK;
  }
  bool loses = (to == INTEGER && from != INTEGER) || (to == DATE && from == STAMP);
  if (!assignable(from, to) || loses) return refuse(top, given, "", err);
  return CALVE_OK;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void put_cast(calve_buffer *out, const char *word, calve_str input, calve_str type) {
  calve_buffer_printf(out, "%s(", word);
  calve_buffer_put_str(out, input);
  calve_buffer_puts(out, " AS ");
  calve_buffer_put_str(out, type);
  calve_buffer_putc(out, ')');
}

/* The column that a value goes to, and where the value comes from as an expression, or absent. */
typedef struct target {
  const calve_field *field;
  calve_str place;
} target;

/* error('column c: the value ' || x || ' does not fit int')::T */
static void put_misfit(calve_buffer *out, const target *to, calve_str input, calve_str type) {
  const calve_field *field = to->field;
  char column[CALVE_TYPE_TEXT_MAX];
  calve_buffer text;
  calve_buffer_init(&text, out->allocator);
  calve_buffer_puts(out, "error(");
  calve_buffer_put_str(out, to->place);
  if (to->place.size > 0) calve_buffer_puts(out, " || ");
  calve_buffer_printf(&text, "column %.*s: the value ", CALVE_STR_ARG(field->name));
  calve_sql_string(out, calve_buffer_view(&text));
  calve_buffer_puts(out, " || left(CAST(");
  calve_buffer_put_str(out, input);
  calve_buffer_puts(out, " AS VARCHAR), 100) || ");
  text.size = 0; /* keeps its oom, unlike calve_buffer_clear */
  calve_buffer_printf(&text, " does not fit %s", calve_type_text(field->type, column));
  calve_sql_string(out, calve_buffer_view(&text));
  calve_buffer_puts(out, ")::");
  calve_buffer_put_str(out, type);
  out->oom |= text.oom;
  calve_buffer_free(&text);
}

/* , CASE WHEN x IS NOT NULL THEN error(…) END): the last part of a coalesce. */
static void put_else_misfit(calve_buffer *out, const target *to, calve_str input,
                            calve_str type) {
  calve_buffer_puts(out, ", CASE WHEN ");
  calve_buffer_put_str(out, input);
  calve_buffer_puts(out, " IS NOT NULL THEN ");
  put_misfit(out, to, input, type);
  calve_buffer_puts(out, " END)");
}

/* The condition under which a cast would lose something that it does not complain about. */
static bool put_loss(calve_buffer *out, value_class from, value_class to, duckdb_type source,
                     const calve_type *type, calve_str input) {
  const char *format = NULL;
  if (to == INTEGER && from == FLOATING) format = "%s <> trunc(%s)";
  if (to == INTEGER && from == DECIMAL) format = "%s %% 1 <> 0";
  if (to == DATE && from == STAMP) format = "%s <> CAST(CAST(%s AS DATE) AS TIMESTAMP)";
  if ((type->id == CALVE_TIMESTAMP && source == DUCKDB_TYPE_TIMESTAMP_NS) ||
      (type->id == CALVE_TIME && source == DUCKDB_TYPE_TIME_NS))
    format = "epoch_ns(%s) %% 1000 <> 0";
  if (!format) return false;
  for (const char *c = format; *c; c++) {
    if (c[0] == '%' && c[1] == 's')
      calve_buffer_put_str(out, input);
    else if (c[0] == '%')
      calve_buffer_putc(out, '%');
    else
      calve_buffer_putc(out, *c);
    if (c[0] == '%') c++;
  }
  return true;
}

/* coalesce(TRY_CAST(x AS T), CASE WHEN x IS NOT NULL THEN error(…) END): one cast for a good row.
 */
static void put_checked(calve_buffer *out, const target *to, value_class from,
                        duckdb_type source, calve_str input, calve_str type) {
  calve_buffer loss;
  calve_buffer_init(&loss, out->allocator);
  const calve_type *wanted = to->field->type;
  bool may_lose = put_loss(&loss, from, class_of_column(wanted), source, wanted, input);
  if (may_lose) {
    calve_buffer_puts(out, "CASE WHEN ");
    calve_buffer_put_str(out, calve_buffer_view(&loss));
    calve_buffer_puts(out, " THEN ");
    put_misfit(out, to, input, type);
    calve_buffer_puts(out, " ELSE ");
  }
  calve_buffer_puts(out, "coalesce(");
  put_cast(out, "TRY_CAST", input, type);
  put_else_misfit(out, to, input, type);
  if (may_lose) calve_buffer_puts(out, " END");
  out->oom |= loss.oom;
  calve_buffer_free(&loss);
}

/* TRY_CAST would make the part that does not fit null, and keep the rest. */
static void put_nested(calve_buffer *out, const target *to, calve_str input, calve_str type) {
  calve_buffer_puts(out, "coalesce(TRY(");
  put_cast(out, "CAST", input, type);
  calve_buffer_puts(out, ")");
  put_else_misfit(out, to, input, type);
}

static calve_status put_expression(duckdb_logical_type source, const calve_type *given, bool nulls,
                                   const target *t, calve_str input, calve_str type,
                                   calve_buffer *out, calve_error *err) {
  const calve_field *field = t->field;
  duckdb_type id = duckdb_get_type_id(source);
  value_class from = class_of_source(id), to = class_of_column(field->type);
  /* Text of a file goes into no number, but the row that made it text is looked for. */
  bool looks = t->place.size > 0 && from == TEXT && is_number(to);
  if (!assignable(from, to) && !looks)
    return refuse(field, given, from == TEXT ? "cast it if that is meant" : "", err);
  if (from == NESTED) {
    CALVE_TRY(check_part(given, field->type, nulls, field, err));
    put_nested(out, t, input, type);
    return CALVE_OK;
  }
  bool never_fails = from == NOTHING || to == TEXT ||
                     (from == to && from != INTEGER && from != DECIMAL && from != FLOATING &&
                      from != STAMP && from != TIME);
  if (never_fails)
    put_cast(out, "CAST", input, type);
  else
    put_checked(out, t, from, id, input, type);
  return CALVE_OK;
}

calve_status calve_store_cast(duckdb_logical_type source, calve_bare_null bare_null,
                              const calve_field *field, calve_str input, calve_str place,
                              calve_arena *scratch, calve_buffer *out, calve_error *err) {
  const target to = {field, place};
  const calve_type *given = NULL;
  duckdb_type id = duckdb_get_type_id(source);
  /* HUGEINT and its like have no Iceberg type, yet their values may fit the column. */
  calve_status known = calve_type_of_duckdb(source, scratch, &given, err);
  if (known == CALVE_ENOMEM) return known;
  if (known != CALVE_OK) {
    given = NULL;
    if (class_of_source(id) == NESTED) return refuse(field, NULL, "", err);
  }
  calve_buffer type, own;
  calve_buffer_init(&type, out->allocator);
  calve_buffer_init(&own, out->allocator);
  calve_sql_type(&type, field->type);
  if (given && bare_null != CALVE_BARE_NULL_WHOLE) calve_sql_type(&own, given);
  calve_status status = calve_buffer_check(&type, err);
  if (status == CALVE_OK) status = calve_buffer_check(&own, err);
  if (status == CALVE_OK) {
    /* Small integers widen to int in Iceberg's eyes, but the engine's type still differs. */
    bool exact = given && calve_str_equal(calve_buffer_view(&type), calve_buffer_view(&own)) &&
                 id != DUCKDB_TYPE_TINYINT && id != DUCKDB_TYPE_SMALLINT &&
                 id != DUCKDB_TYPE_UTINYINT && id != DUCKDB_TYPE_USMALLINT &&
                 id != DUCKDB_TYPE_UINTEGER && id != DUCKDB_TYPE_ENUM &&
                 id != DUCKDB_TYPE_TIMESTAMP_S && id != DUCKDB_TYPE_TIMESTAMP_MS &&
                 class_of_source(id) != NESTED;
    if (bare_null == CALVE_BARE_NULL_WHOLE)
      put_cast(out, "CAST", input, calve_buffer_view(&type));
    else if (exact)
      calve_buffer_put_str(out, input);
    else
      status = put_expression(source, given, bare_null == CALVE_BARE_NULL_INSIDE, &to, input,
                              calve_buffer_view(&type), out, err);
  }
  calve_buffer_free(&own);
  calve_buffer_free(&type);
  return status;
}
