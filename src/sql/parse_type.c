/* SPDX-License-Identifier: Apache-2.0 */
/* Column types as SQL spells them. */
#include "base/limits.h"
#include "sql/parser.h"

/* Spark's names first: printing takes the first that fits. In Spark TIMESTAMP has a zone. */
static const struct {
  const char *name;
  calve_type_id id;
} names[] = {
    {"BOOLEAN", CALVE_BOOLEAN},
    {"INT", CALVE_INT},
    {"BIGINT", CALVE_LONG},
    {"FLOAT", CALVE_FLOAT},
    {"DOUBLE", CALVE_DOUBLE},
    {"DATE", CALVE_DATE},
    {"TIME", CALVE_TIME},
    {"TIMESTAMP_NTZ", CALVE_TIMESTAMP},
    {"TIMESTAMP", CALVE_TIMESTAMPTZ},
    {"TIMESTAMP_NS", CALVE_TIMESTAMP_NS},
    {"TIMESTAMPTZ_NS", CALVE_TIMESTAMPTZ_NS},
    {"STRING", CALVE_STRING},
    {"UUID", CALVE_UUID},
    {"BINARY", CALVE_BINARY},
    {"VARIANT", CALVE_VARIANT},
    {"UNKNOWN", CALVE_UNKNOWN},
    {"GEOMETRY", CALVE_GEOMETRY},
    {"GEOGRAPHY", CALVE_GEOGRAPHY},
    {"BOOL", CALVE_BOOLEAN},
    {"INTEGER", CALVE_INT},
    {"INT4", CALVE_INT},
    {"INT32", CALVE_INT},
    {"LONG", CALVE_LONG},
    {"INT8", CALVE_LONG},
    {"INT64", CALVE_LONG},
    {"REAL", CALVE_FLOAT},
    {"FLOAT4", CALVE_FLOAT},
    {"FLOAT8", CALVE_DOUBLE},
    {"TIMESTAMP_LTZ", CALVE_TIMESTAMPTZ},
    {"TIMESTAMPTZ", CALVE_TIMESTAMPTZ},
    {"TEXT", CALVE_STRING},
    {"VARBINARY", CALVE_BINARY},
    {"BYTEA", CALVE_BINARY},
    {"BLOB", CALVE_BINARY},
    {"VOID", CALVE_UNKNOWN},
};

const char *calve_sql__type_word(calve_type_id id) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].id == id) return names[i].name;
  return "";
}

/* Types that SQL engines have and Iceberg has not: what to write instead. */
static const struct {
  const char *name, *instead;
} refused[] = {
    {"TINYINT", "Iceberg has no 8-bit integer: use INT"},
    {"BYTE", "Iceberg has no 8-bit integer: use INT"},
    {"INT1", "Iceberg has no 8-bit integer: use INT"},
    {"SMALLINT", "Iceberg has no 16-bit integer: use INT"},
    {"SHORT", "Iceberg has no 16-bit integer: use INT"},
    {"INT2", "Iceberg has no 16-bit integer: use INT"},
    {"HUGEINT", "Iceberg has no 128-bit integer: use DECIMAL(38, 0)"},
    {"UBIGINT", "Iceberg has no unsigned integers: use DECIMAL(20, 0)"},
    {"UINTEGER", "Iceberg has no unsigned integers: use BIGINT"},
    {"UTINYINT", "Iceberg has no unsigned integers: use INT"},
    {"USMALLINT", "Iceberg has no unsigned integers: use INT"},
    {"INTERVAL", "Iceberg has no intervals: use BIGINT or STRING"},
    {"ENUM", "Iceberg has no enums: use STRING"},
    {"JSON", "Iceberg has no JSON: use STRING"},
    {"DATETIME", "write TIMESTAMP (with time zone) or TIMESTAMP_NTZ (without)"},
};

static calve_status refuse_type(const calve_sql_parser *p, calve_error *err) {
  const calve_token *t = calve_sql__peek(p);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    if (calve_token_is(t, refused[i].name))
      return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)t->offset,
                           "%s is no column type: %s", refused[i].name, refused[i].instead);
  return calve_sql__unexpected(p, "a column type such as BIGINT, STRING or STRUCT<…>", err);
}

/* An unsigned whole number within the bounds. */
static calve_status number(calve_sql_parser *p, const char *what, int64_t low, int64_t high,
                           int32_t *out, calve_error *err) {
  int64_t value = 0;
  const calve_token *t = calve_sql__peek(p);
  if (t->kind != CALVE_TOKEN_NUMBER || !calve_str_to_i64(t->text, &value) || value < low ||
      value > high)
    return calve_sql__unexpected(p, what, err);
  *out = (int32_t)value;
  p->at++;
  return CALVE_OK;
}

static calve_status decimal_type(calve_sql_parser *p, const calve_type **out, calve_error *err) {
  int32_t precision = 10, scale = 0; /* Spark's DECIMAL without parameters */
  if (calve_sql__accept_symbol(p, "(")) {
    CALVE_TRY(number(p, "a precision from 1 to 38", 1, CALVE_DECIMAL_PRECISION_MAX, &precision,
                     err));
    if (calve_sql__accept_symbol(p, ","))
      CALVE_TRY(number(p, "a scale from 0 to the precision", 0, precision, &scale, err));
    CALVE_TRY(calve_sql__expect_symbol(p, ")", err));
  }
  return calve_type_decimal(precision, scale, p->arena, out, err);
}

/* VARCHAR(10), CHAR(3): Iceberg strings have no length, so the number would be a lie. */
static calve_status string_type(calve_sql_parser *p, const calve_type **out, calve_error *err) {
  *out = calve_type_of(CALVE_STRING);
  if (!calve_token_is_symbol(calve_sql__peek(p), "(")) return CALVE_OK;
  return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)calve_sql__peek(p)->offset,
                       "Iceberg strings have no maximum length: write STRING");
}

static bool accept_open(calve_sql_parser *p, bool *angle) {
  *angle = calve_sql__accept_symbol(p, "<");
  return *angle || calve_sql__accept_symbol(p, "(");
}

/* Closes a nested type. ">>" is one token: the first half is taken by moving its start. */
static calve_status expect_close(calve_sql_parser *p, bool angle, calve_error *err) {
  if (!angle) return calve_sql__expect_symbol(p, ")", err);
  if (calve_token_is_symbol(calve_sql__peek(p), ">>")) {
    calve_token *half = &p->tokens[p->at];
    half->offset++;
    half->text = half->value = (calve_str){half->text.data + 1, 1};
    return CALVE_OK;
  }
  return calve_sql__expect_symbol(p, ">", err);
}

static calve_status make_nested(calve_sql_parser *p, calve_type_id id, const calve_field *fields,
                                size_t count, const calve_type **out, calve_error *err) {
  calve_type *type = CALVE_NEW(p->arena, calve_type);
  if (!type) return calve_fail_oom(err);
  *type = (calve_type){.id = id, .field_count = (int32_t)count, .fields = fields};
  *out = type;
  return CALVE_OK;
}

static calve_status field_default(calve_sql_parser *p, int32_t id, calve_error *err) {
  calve_sql_default *d = CALVE_NEW(p->arena, calve_sql_default);
  if (!d) return calve_fail_oom(err);
  *d = (calve_sql_default){.id = id, .next = p->defaults};
  CALVE_TRY(calve_sql__literal_text(p, &d->text, err));
  p->defaults = d;
  return CALVE_OK;
}

/* name[:] type [NOT NULL] [DEFAULT literal] [COMMENT 'text'] */
static calve_status struct_field(calve_sql_parser *p, int depth, calve_field *out,
                                 calve_error *err) {
  out->id = p->next_id++;
  CALVE_TRY(calve_sql__identifier(p, "a field name", &out->name, err));
  calve_sql__accept_symbol(p, ":");
  CALVE_TRY(calve_sql__type(p, depth + 1, &out->type, err));
  out->required = calve_sql__accept(p, "NOT NULL");
  if (calve_sql__accept(p, "DEFAULT")) CALVE_TRY(field_default(p, out->id, err));
  if (calve_sql__accept(p, "COMMENT"))
    CALVE_TRY(calve_sql__string(p, "a comment in quotes", &out->doc, err));
  return CALVE_OK;
}

static calve_status struct_type(calve_sql_parser *p, int depth, const calve_type **out,
                                calve_error *err) {
  bool angle;
  if (!accept_open(p, &angle)) return calve_sql__unexpected(p, "< and the fields of STRUCT", err);
  calve_buffer fields;
  calve_buffer_init(&fields, p->arena->allocator);
  calve_status status;
  do {
    calve_field field = {0};
    status = struct_field(p, depth, &field, err);
    calve_buffer_put(&fields, &field, sizeof field);
  } while (status == CALVE_OK && calve_sql__accept_symbol(p, ","));
  if (status == CALVE_OK) status = expect_close(p, angle, err);
  if (status != CALVE_OK) {
    calve_buffer_free(&fields);
    return status;
  }
  const calve_field *items = NULL;
  size_t count = 0;
  CALVE_TRY(calve_sql__take(p, &fields, &items, sizeof *items, &count, err));
  return make_nested(p, CALVE_STRUCT, items, count, out, err);
}

/* An element or value is optional unless NOT NULL follows; a key is always required. */
static calve_status inner_field(calve_sql_parser *p, int depth, calve_str name, calve_field *out,
                                calve_error *err) {
  *out = (calve_field){.id = p->next_id++, .name = name};
  CALVE_TRY(calve_sql__type(p, depth + 1, &out->type, err));
  out->required = calve_sql__accept(p, "NOT NULL");
  return CALVE_OK;
}

static calve_status list_type(calve_sql_parser *p, int depth, const calve_type **out,
                              calve_error *err) {
  bool angle;
  if (!accept_open(p, &angle)) return calve_sql__unexpected(p, "< and the type of elements", err);
  calve_field *fields = CALVE_NEW(p->arena, calve_field);
  if (!fields) return calve_fail_oom(err);
  CALVE_TRY(inner_field(p, depth, CALVE_STR("element"), &fields[0], err));
  CALVE_TRY(expect_close(p, angle, err));
  return make_nested(p, CALVE_LIST, fields, 1, out, err);
}

static calve_status map_type(calve_sql_parser *p, int depth, const calve_type **out,
                             calve_error *err) {
  bool angle;
  if (!accept_open(p, &angle))
    return calve_sql__unexpected(p, "< and the types of key and value", err);
  calve_field *fields = CALVE_NEW_ARRAY(p->arena, calve_field, 2);
  if (!fields) return calve_fail_oom(err);
  CALVE_TRY(inner_field(p, depth, CALVE_STR("key"), &fields[0], err));
  fields[0].required = true;
  CALVE_TRY(calve_sql__expect_symbol(p, ",", err));
  CALVE_TRY(inner_field(p, depth, CALVE_STR("value"), &fields[1], err));
  CALVE_TRY(expect_close(p, angle, err));
  return make_nested(p, CALVE_MAP, fields, 2, out, err);
}

static calve_status fixed_type(calve_sql_parser *p, const calve_type **out, calve_error *err) {
  int32_t length = 0;
  CALVE_TRY(calve_sql__expect_symbol(p, "(", err));
  CALVE_TRY(number(p, "a length in bytes", 1, INT32_MAX, &length, err));
  CALVE_TRY(calve_sql__expect_symbol(p, ")", err));
  return calve_type_fixed(length, p->arena, out, err);
}

/* The two-word forms: TIMESTAMP WITH TIME ZONE, DOUBLE PRECISION. */
static const calve_type *multi_word_type(calve_sql_parser *p) {
  if (calve_sql__accept(p, "TIMESTAMP WITH TIME ZONE")) return calve_type_of(CALVE_TIMESTAMPTZ);
  if (calve_sql__accept(p, "TIMESTAMP WITHOUT TIME ZONE")) return calve_type_of(CALVE_TIMESTAMP);
  if (calve_sql__accept(p, "DOUBLE PRECISION")) return calve_type_of(CALVE_DOUBLE);
  return NULL;
}

static calve_status base_type(calve_sql_parser *p, int depth, const calve_type **out,
                              calve_error *err) {
  *out = multi_word_type(p);
  if (*out) return CALVE_OK;
  if (calve_sql__accept(p, "STRUCT") || calve_sql__accept(p, "ROW"))
    return struct_type(p, depth, out, err);
  if (calve_sql__accept(p, "ARRAY") || calve_sql__accept(p, "LIST"))
    return list_type(p, depth, out, err);
  if (calve_sql__accept(p, "MAP")) return map_type(p, depth, out, err);
  if (calve_sql__accept(p, "DECIMAL") || calve_sql__accept(p, "DEC") ||
      calve_sql__accept(p, "NUMERIC"))
    return decimal_type(p, out, err);
  if (calve_sql__accept(p, "VARCHAR") || calve_sql__accept(p, "CHAR"))
    return string_type(p, out, err);
  if (calve_sql__accept(p, "FIXED")) return fixed_type(p, out, err);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!calve_sql__accept(p, names[i].name)) continue;
    *out = calve_type_of(names[i].id);
    return CALVE_OK;
  }
  return refuse_type(p, err);
}

calve_status calve_sql__type(calve_sql_parser *p, int depth, const calve_type **out,
                             calve_error *err) {
  if (depth > CALVE_DEPTH_MAX)
    return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)calve_sql__peek(p)->offset,
                         "types are nested deeper than %d", CALVE_DEPTH_MAX);
  const calve_type *type = NULL;
  CALVE_TRY(base_type(p, depth, &type, err));
  while (calve_token_is_symbol(calve_sql__peek(p), "[") &&
         calve_token_is_symbol(&p->tokens[p->at + 1], "]")) { /* DuckDB's INT[] */
    if (++depth > CALVE_DEPTH_MAX)
      return calve_sql__unexpected(p, "fewer levels of nesting", err);
    p->at += 2;
    calve_field *element = CALVE_NEW(p->arena, calve_field);
    if (!element) return calve_fail_oom(err);
    *element = (calve_field){.id = p->next_id++, .name = CALVE_STR("element"), .type = type};
    CALVE_TRY(make_nested(p, CALVE_LIST, element, 1, &type, err));
  }
  *out = type;
  return CALVE_OK;
}

calve_status calve_sql_type_parse(calve_str text, calve_arena *arena, const calve_type **out,
                                  calve_error *err) {
  calve_sql_parser p = {.text = text, .arena = arena, .next_id = 1};
  size_t count;
  CALVE_TRY(calve_sql_lex(text, arena, &p.tokens, &count, err));
  const calve_type *type = NULL;
  CALVE_TRY(calve_sql__type(&p, 1, &type, err));
  if (calve_sql__peek(&p)->kind != CALVE_TOKEN_END)
    return calve_sql__unexpected(&p, "nothing behind the type", err);
  *out = type;
  return CALVE_OK;
}
