/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/calendar.h"
#include "base/text.h"
#include "base/uuid.h"
#include "model/spec.h"

/* Form encoding, as the reference escapes paths. */
static void put_escaped(calve_str text, calve_buffer *out) {
  for (size_t i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 c == '*' || c == '-' || c == '_' || c == '.';
    if (plain)
      calve_buffer_putc(out, (char)c);
    else if (c == ' ')
      calve_buffer_putc(out, '+');
    else
      calve_buffer_printf(out, "%%%02X", c);
  }
}

static const calve_type *source_type(const calve_partition_field *f, const calve_schema *schema) {
  const calve_schema_node *source = calve_schema_find_id(schema, f->source_id);
  return source ? source->field->type : calve_type_of(CALVE_UNKNOWN);
}

static void put_path_field(const calve_partition_field *f, const calve_schema *schema,
                           const calve_value *value, calve_buffer *out) {
  calve_buffer text;
  calve_buffer_init(&text, out->allocator);
  calve_transform_print_value(&f->transform, source_type(f, schema), value, &text);
  put_escaped(f->name, out);
  calve_buffer_putc(out, '=');
  put_escaped(calve_buffer_view(&text), out);
  if (text.oom) out->oom = true;
  calve_buffer_free(&text);
}

void calve_spec_tuple_path(const calve_spec *s, const calve_schema *schema,
                           const calve_value *tuple, calve_buffer *out) {
  if (calve_spec_is_unpartitioned(s)) return;
  for (int32_t i = 0; i < s->field_count; i++) {
    if (i > 0) calve_buffer_putc(out, '/');
    put_path_field(&s->fields[i], schema, &tuple[i], out);
  }
}

void calve_spec_tuple_print(const calve_spec *s, const calve_schema *schema,
                            const calve_value *tuple, calve_buffer *out) {
  for (int32_t i = 0; i < s->field_count; i++) {
    const calve_partition_field *f = &s->fields[i];
    if (i > 0) calve_buffer_puts(out, ", ");
    calve_buffer_put_str(out, f->name);
    calve_buffer_putc(out, '=');
    calve_transform_print_value(&f->transform, source_type(f, schema), &tuple[i], out);
  }
}

static calve_status make_name(const calve_transform *t, bool with_parameter, calve_str source_name,
                              calve_arena *arena, calve_str *out, calve_error *err) {
  static const char *const suffixes[] = {
      [CALVE_IDENTITY] = "",  [CALVE_BUCKET] = "_bucket", [CALVE_TRUNCATE] = "_trunc",
      [CALVE_YEAR] = "_year", [CALVE_MONTH] = "_month",   [CALVE_DAY] = "_day",
      [CALVE_HOUR] = "_hour", [CALVE_VOID] = "_null",
  };
  if (t->kind == CALVE_TRANSFORM_UNKNOWN)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL, "the transform '%.*s' is not known",
                      CALVE_STR_ARG(t->text));
  char suffix[32];
  bool number = with_parameter && (t->kind == CALVE_BUCKET || t->kind == CALVE_TRUNCATE);
  if (number)
    snprintf(suffix, sizeof suffix, "%s_%" PRId32, suffixes[t->kind], t->parameter);
  else
    snprintf(suffix, sizeof suffix, "%s", suffixes[t->kind]);
  size_t suffix_size = strlen(suffix);
  char *name = calve_arena_alloc(arena, source_name.size + suffix_size + 1);
  if (!name) return calve_fail_oom(err);
  if (source_name.size > 0) memcpy(name, source_name.data, source_name.size);
  memcpy(name + source_name.size, suffix, suffix_size);
  *out = (calve_str){name, source_name.size + suffix_size};
  return CALVE_OK;
}

calve_status calve_partition_default_name(const calve_transform *t, calve_str source_name,
                                          calve_arena *arena, calve_str *out, calve_error *err) {
  return make_name(t, true, source_name, arena, out, err);
}

calve_status calve_partition_created_name(const calve_transform *t, calve_str source_name,
                                          calve_arena *arena, calve_str *out, calve_error *err) {
  return make_name(t, false, source_name, arena, out, err);
}

/* ---- values from the paths of Hive tables -------------------------------------------------- */

static bool parse_double(calve_str text, double *out) {
  static const struct {
    const char *text;
    double value;
  } specials[] = {{"NaN", (double)__builtin_nan("")},
                  {"Infinity", (double)__builtin_inf()},
                  {"-Infinity", (double)-__builtin_inf()}};
  for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
    if (calve_str_equal_text(text, specials[i].text)) {
      *out = specials[i].value;
      return true;
    }
  return calve_double_parse(text, out);
}

static bool parse_text(const calve_type *type, calve_str text, calve_value *v) {
  int64_t wide;
  double number;
  int scale;
  switch (type->id) {
    case CALVE_BOOLEAN:
      v->b = calve_str_equal_nocase(text, CALVE_STR("true"));
      return v->b || calve_str_equal_nocase(text, CALVE_STR("false"));
    case CALVE_INT:
      if (!calve_str_to_i64(text, &wide) || wide < INT32_MIN || wide > INT32_MAX) return false;
      v->i32 = (int32_t)wide;
      return true;
    case CALVE_LONG:
      return calve_str_to_i64(text, &v->i64);
    case CALVE_FLOAT:
      if (!parse_double(text, &number)) return false;
      v->f32 = (float)number;
      return true;
    case CALVE_DOUBLE:
      return parse_double(text, &v->f64);
    case CALVE_DECIMAL:
      v->scale = (int16_t)type->scale;
      return calve_decimal_parse(text, &v->i128, &scale) &&
             calve_decimal_rescale(v->i128, scale, type->scale, &v->i128) &&
             calve_decimal_digits(v->i128) <= type->precision;
    case CALVE_DATE:
      if (!calve_date_parse(text, &wide) || wide < INT32_MIN || wide > INT32_MAX) return false;
      v->i32 = (int32_t)wide;
      return true;
    case CALVE_STRING:
      v->bytes = text;
      return calve_utf8_valid(text);
    case CALVE_UUID:
      return calve_uuid_parse(text, v->uuid);
    default:
      return false;
  }
}

calve_status calve_partition_value_parse(const calve_type *type, calve_str text, calve_value *out,
                                         calve_error *err) {
  calve_value v = {.type = type->id};
  char name[CALVE_TYPE_TEXT_MAX];
  if (calve_str_equal_text(text, "__HIVE_DEFAULT_PARTITION__"))
    v = calve_value_null(type->id);
  else if (!parse_text(type, text, &v))
    return calve_fail(err, CALVE_EINVAL, NULL, "the partition value '%.*s' is not of type %s",
                      CALVE_STR_ARG(text), calve_type_text(type, name));
  *out = v;
  return CALVE_OK;
}
