/* SPDX-License-Identifier: Apache-2.0 */
#include "model/transform.h"

#include <inttypes.h>

#include "base/text.h"

static const char *const plain_names[] = {
    [CALVE_IDENTITY] = "identity", [CALVE_YEAR] = "year", [CALVE_MONTH] = "month",
    [CALVE_DAY] = "day",           [CALVE_HOUR] = "hour", [CALVE_VOID] = "void",
};

/* "name[digits]"; *number is -1 when the digits don't fit 32 bits. */
static bool split_parameter(calve_str text, calve_str *name, int64_t *number) {
  size_t open = 0;
  while (open < text.size && text.data[open] != '[') open++;
  if (open + 2 >= text.size || text.data[text.size - 1] != ']') return false;
  *name = (calve_str){text.data, open};
  *number = 0;
  for (size_t i = open + 1; i + 1 < text.size; i++) {
    if (text.data[i] < '0' || text.data[i] > '9') return false;
    if (*number >= 0) *number = *number * 10 + (text.data[i] - '0');
    if (*number > INT32_MAX) *number = -1;
  }
  return true;
}

calve_status calve_transform_parse(calve_str text, calve_arena *arena, calve_transform *out,
                                   calve_error *err) {
  calve_str name;
  int64_t number;
  for (size_t i = 0; i < sizeof plain_names / sizeof *plain_names; i++)
    if (plain_names[i] && calve_str_equal_nocase(text, calve_str_of(plain_names[i]))) {
      *out = (calve_transform){.kind = (calve_transform_kind)i};
      return CALVE_OK;
    }
  if (split_parameter(text, &name, &number)) {
    bool bucket = calve_str_equal_nocase(name, CALVE_STR("bucket"));
    if (bucket || calve_str_equal_nocase(name, CALVE_STR("truncate"))) {
      if (number <= 0)
        return calve_fail(err, CALVE_EINVAL, NULL,
                          "transform '%.*s': the number must be from 1 to %d", CALVE_STR_ARG(text),
                          (int)INT32_MAX);
      *out = (calve_transform){.kind = bucket ? CALVE_BUCKET : CALVE_TRUNCATE,
                               .parameter = (int32_t)number};
      return CALVE_OK;
    }
  }
  calve_str copy;
  if (text.size > CALVE_NAME_MAX)
    return calve_fail(err, CALVE_EINVAL, NULL, "a transform's text is longer than %d bytes",
                      CALVE_NAME_MAX);
  CALVE_TRY(calve_arena_str(arena, text, &copy, err));
  *out = (calve_transform){.kind = CALVE_TRANSFORM_UNKNOWN, .text = copy};
  return CALVE_OK;
}

bool calve_transform_from_function(calve_str name, calve_transform_kind *out) {
  static const struct {
    const char *name;
    calve_transform_kind kind;
  } functions[] = {
      {"identity", CALVE_IDENTITY}, {"bucket", CALVE_BUCKET},  {"truncate", CALVE_TRUNCATE},
      {"trunc", CALVE_TRUNCATE},    {"year", CALVE_YEAR},      {"years", CALVE_YEAR},
      {"month", CALVE_MONTH},       {"months", CALVE_MONTH},   {"day", CALVE_DAY},
      {"days", CALVE_DAY},          {"date", CALVE_DAY},       {"hour", CALVE_HOUR},
      {"hours", CALVE_HOUR},        {"date_hour", CALVE_HOUR}, {"void", CALVE_VOID},
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (!calve_str_equal_nocase(name, calve_str_of(functions[i].name))) continue;
    *out = functions[i].kind;
    return true;
  }
  return false;
}

bool calve_transform_takes_number(calve_transform_kind kind) {
  return kind == CALVE_BUCKET || kind == CALVE_TRUNCATE;
}

void calve_transform_print(const calve_transform *t, calve_buffer *out) {
  switch (t->kind) {
    case CALVE_BUCKET:
      calve_buffer_printf(out, "bucket[%" PRId32 "]", t->parameter);
      return;
    case CALVE_TRUNCATE:
      calve_buffer_printf(out, "truncate[%" PRId32 "]", t->parameter);
      return;
    case CALVE_TRANSFORM_UNKNOWN:
      calve_buffer_put_str(out, t->text);
      return;
    default:
      calve_buffer_puts(out, plain_names[t->kind]);
  }
}

bool calve_transform_equal(const calve_transform *a, const calve_transform *b) {
  return a->kind == b->kind && a->parameter == b->parameter &&
         (a->kind != CALVE_TRANSFORM_UNKNOWN || calve_str_equal(a->text, b->text));
}

static bool is_timestamp(calve_type_id id) {
  return id == CALVE_TIMESTAMP || id == CALVE_TIMESTAMPTZ || id == CALVE_TIMESTAMP_NS ||
         id == CALVE_TIMESTAMPTZ_NS;
}

/* Source types of bucket: all that the spec gives a hash for partitioning. [spec: Appendix B] */
static bool bucket_accepts(calve_type_id id) {
  switch (id) {
    case CALVE_INT:
    case CALVE_LONG:
    case CALVE_DECIMAL:
    case CALVE_DATE:
    case CALVE_TIME:
    case CALVE_STRING:
    case CALVE_UUID:
    case CALVE_FIXED:
    case CALVE_BINARY:
      return true;
    default:
      return is_timestamp(id);
  }
}

bool calve_transform_accepts(const calve_transform *t, const calve_type *source) {
  calve_type_id id = source->id;
  switch (t->kind) {
    case CALVE_IDENTITY:
      return calve_type_is_primitive(source) && id != CALVE_GEOMETRY && id != CALVE_GEOGRAPHY;
    case CALVE_BUCKET:
      return bucket_accepts(id);
    case CALVE_TRUNCATE:
      return id == CALVE_INT || id == CALVE_LONG || id == CALVE_DECIMAL || id == CALVE_STRING ||
             id == CALVE_BINARY;
    case CALVE_YEAR:
    case CALVE_MONTH:
    case CALVE_DAY:
      return id == CALVE_DATE || is_timestamp(id);
    case CALVE_HOUR:
      return is_timestamp(id);
    case CALVE_VOID:
    case CALVE_TRANSFORM_UNKNOWN:
      return true;
  }
  return false;
}

const calve_type *calve_transform_result_type(const calve_transform *t, const calve_type *source) {
  switch (t->kind) {
    case CALVE_BUCKET:
    case CALVE_YEAR:
    case CALVE_MONTH:
    case CALVE_HOUR:
      return calve_type_of(CALVE_INT);
    case CALVE_DAY:
      return calve_type_of(CALVE_DATE);
    case CALVE_TRANSFORM_UNKNOWN:
      return calve_type_of(CALVE_STRING);
    default:
      return source;
  }
}

bool calve_transform_preserves_order(const calve_transform *t) {
  return t->kind != CALVE_BUCKET && t->kind != CALVE_VOID && t->kind != CALVE_TRANSFORM_UNKNOWN;
}

bool calve_transform_satisfies_order_of(const calve_transform *t, const calve_transform *other) {
  if (calve_transform_equal(t, other)) return true;
  bool time = t->kind >= CALVE_YEAR && t->kind <= CALVE_HOUR;
  if (t->kind == CALVE_IDENTITY) return calve_transform_preserves_order(other);
  if (t->kind == CALVE_TRUNCATE && other->kind == CALVE_TRUNCATE)
    return t->parameter >= other->parameter;
  return time && other->kind >= CALVE_YEAR && other->kind <= t->kind;
}
