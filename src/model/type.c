/* SPDX-License-Identifier: Apache-2.0 */
#include "model/type.h"

#include <assert.h>

#include "base/text.h"
#include "model/value.h"

static const calve_type simple_types[] = {
    {.id = CALVE_BOOLEAN},     {.id = CALVE_INT},          {.id = CALVE_LONG},
    {.id = CALVE_FLOAT},       {.id = CALVE_DOUBLE},       {.id = CALVE_DECIMAL},
    {.id = CALVE_DATE},        {.id = CALVE_TIME},         {.id = CALVE_TIMESTAMP},
    {.id = CALVE_TIMESTAMPTZ}, {.id = CALVE_TIMESTAMP_NS}, {.id = CALVE_TIMESTAMPTZ_NS},
    {.id = CALVE_STRING},      {.id = CALVE_UUID},         {.id = CALVE_FIXED},
    {.id = CALVE_BINARY},      {.id = CALVE_UNKNOWN},      {.id = CALVE_VARIANT},
    {.id = CALVE_GEOMETRY},    {.id = CALVE_GEOGRAPHY},
};

const calve_type *calve_type_of(calve_type_id id) {
  assert(id <= CALVE_GEOGRAPHY && id != CALVE_DECIMAL && id != CALVE_FIXED);
  assert(simple_types[id].id == id);
  return &simple_types[id];
}

bool calve_type_is_nested(const calve_type *t) {
  return t->id == CALVE_STRUCT || t->id == CALVE_LIST || t->id == CALVE_MAP;
}

bool calve_type_is_primitive(const calve_type *t) {
  return !calve_type_is_nested(t) && t->id != CALVE_VARIANT;
}

calve_status calve_type_decimal(int32_t precision, int32_t scale, calve_arena *arena,
                                const calve_type **out, calve_error *err) {
  if (precision < 0 || precision > CALVE_DECIMAL_PRECISION_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "decimal precision %d is not in 0 to %d",
                      (int)precision, CALVE_DECIMAL_PRECISION_MAX);
  /* A scale above the precision is legal: 0.01 has one digit and scale 2. */
  if (scale < 0 || scale > CALVE_DECIMAL_PRECISION_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "decimal scale %d is not in 0 to %d", (int)scale,
                      CALVE_DECIMAL_PRECISION_MAX);
  calve_type *type = CALVE_NEW(arena, calve_type);
  if (!type) return calve_fail_oom(err);
  *type = (calve_type){.id = CALVE_DECIMAL, .precision = precision, .scale = scale};
  *out = type;
  return CALVE_OK;
}

calve_status calve_type_fixed(int32_t length, calve_arena *arena, const calve_type **out,
                              calve_error *err) {
  if (length < 0)
    return calve_fail(err, CALVE_EINVAL, NULL, "fixed length %d is negative", (int)length);
  calve_type *type = CALVE_NEW(arena, calve_type);
  if (!type) return calve_fail_oom(err);
  *type = (calve_type){.id = CALVE_FIXED, .length = length};
  *out = type;
  return CALVE_OK;
}

static bool field_equal(const calve_field *a, const calve_field *b, int depth);

static bool type_equal(const calve_type *a, const calve_type *b, int depth) {
  if (a == b) return true;
  if (a->id != b->id || a->precision != b->precision || a->scale != b->scale ||
      a->length != b->length || a->field_count != b->field_count)
    return false;
  if (!calve_str_equal(a->crs, b->crs) || !calve_str_equal(a->algorithm, b->algorithm))
    return false;
  if (depth > CALVE_DEPTH_MAX) return false;
  for (int32_t i = 0; i < a->field_count; i++)
    if (!field_equal(&a->fields[i], &b->fields[i], depth + 1)) return false;
  return true;
}

static bool field_equal(const calve_field *a, const calve_field *b, int depth) {
  return a->id == b->id && a->required == b->required && calve_str_equal(a->name, b->name) &&
         !a->doc.data == !b->doc.data && calve_str_equal(a->doc, b->doc) &&
         type_equal(a->type, b->type, depth);
}

bool calve_type_equal(const calve_type *a, const calve_type *b) {
  return type_equal(a, b, 0);
}

bool calve_type_promotable(const calve_type *from, const calve_type *to, int format_version) {
  if (calve_type_equal(from, to)) return true;
  switch (from->id) {
    case CALVE_INT:
      return to->id == CALVE_LONG;
    case CALVE_FLOAT:
      return to->id == CALVE_DOUBLE;
    case CALVE_DECIMAL:
      return to->id == CALVE_DECIMAL && to->scale == from->scale &&
             to->precision >= from->precision;
    case CALVE_DATE:
      return format_version >= 3 && (to->id == CALVE_TIMESTAMP || to->id == CALVE_TIMESTAMP_NS);
    case CALVE_UNKNOWN:
      return format_version >= 3;
    default:
      return false;
  }
}
