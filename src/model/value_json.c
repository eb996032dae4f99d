/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/calendar.h"
#include "base/map.h"
#include "base/text.h"
#include "base/uuid.h"
#include "model/value.h"
#include "model/value_private.h"

/* Keys are compared with each other; defaults of maps are tiny if they exist at all. */
#define MAP_ENTRIES_MAX 4096

static calve_status wrong(const calve_json_reader *r, const calve_type *type, calve_str got,
                          calve_error *err) {
  char text[CALVE_TYPE_TEXT_MAX];
  return calve_json_fail(r, err, "'%.*s' is not a value of type %s", CALVE_STR_ARG(got),
                         calve_type_text(type, text));
}

/* NaN and the infinities have no JSON number; they are strings, as the reference writes them. */
static bool special_double(calve_str text, double *out) {
  if (calve_str_equal_text(text, "NaN"))
    *out = (double)NAN;
  else if (calve_str_equal_text(text, "Infinity"))
    *out = (double)INFINITY;
  else if (calve_str_equal_text(text, "-Infinity"))
    *out = (double)-INFINITY;
  else
    return false;
  return true;
}

static calve_status read_double(calve_json_reader *r, const calve_type *type, double *out,
                                calve_error *err) {
  calve_json_kind kind;
  calve_str text;
  CALVE_TRY(calve_json_peek(r, &kind, err));
  if (kind == CALVE_JSON_STRING) {
    CALVE_TRY(calve_json_str(r, &text, err));
    return special_double(text, out) ? CALVE_OK : wrong(r, type, text, err);
  }
  CALVE_TRY(calve_json_number(r, &text, err));
  /* An integer is a value of another type [spec: JSON single-value serialization]. */
  bool integer = !memchr(text.data, '.', text.size) && !memchr(text.data, 'e', text.size) &&
                 !memchr(text.data, 'E', text.size);
  if (integer || !calve_double_parse(text, out)) return wrong(r, type, text, err);
  return CALVE_OK;
}

static bool parse_decimal(const calve_type *type, calve_str text, calve_value *v) {
  int scale;
  v->scale = (int16_t)type->scale;
  return calve_decimal_parse(text, &v->i128, &scale) && scale == type->scale &&
         calve_decimal_digits(v->i128) <= type->precision;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static calve_status read_hex(calve_json_reader *r, const calve_type *type, calve_str text,
                             calve_str *out, calve_error *err) {
  size_t size = text.size / 2;
  bool fits = type->id == CALVE_BINARY || size == (size_t)type->length;
  if (text.size % 2 != 0 || !fits) return wrong(r, type, text, err);
  char *bytes = calve_arena_alloc(r->arena, size + 1);
  if (!bytes) return calve_fail_oom(err);
  for (size_t i = 0; i < size; i++) {
    int high = hex_digit(text.data[2 * i]), low = hex_digit(text.data[2 * i + 1]);
    if (high < 0 || low < 0) return wrong(r, type, text, err);
    bytes[i] = (char)(high * 16 + low);
  }
  *out = (calve_str){bytes, size};
  return CALVE_OK;
}

/* The text without fraction digits that the unit can't hold. What is dropped is less than a unit,
 * so the result floors. False when the text is too long to be one. */
static bool cut_fraction(calve_str text, size_t digits, char out[CALVE_VALUE_TEXT_MAX],
                         calve_str *cut) {
  if (text.size >= CALVE_VALUE_TEXT_MAX) return false;
  size_t kept = 0, fraction = 0;
  bool in_fraction = false;
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    bool digit = c >= '0' && c <= '9';
    if (!digit) in_fraction = c == '.';
    if (in_fraction && digit && ++fraction > digits && fraction <= 9) continue;
    out[kept++] = c;
  }
  *cut = (calve_str){out, kept};
  return true;
}

/* Stricter than what people may type: 'T' between date and time, an offset of zero where the type
 * has a zone and none elsewhere, written as "Z" or "+00:00". [spec: Appendix D] */
static bool parse_timestamp(calve_type_id id, calve_str text, int64_t *out) {
  char bytes[CALVE_VALUE_TEXT_MAX];
  bool zoned = id == CALVE_TIMESTAMPTZ || id == CALVE_TIMESTAMPTZ_NS;
  bool ns = id == CALVE_TIMESTAMP_NS || id == CALVE_TIMESTAMPTZ_NS;
  bool has_offset;
  if (!cut_fraction(text, ns ? 9 : 6, bytes, &text)) return false;
  if (memchr(text.data, ' ', text.size)) return false;
  bool plain_offset = calve_str_ends_with(text, CALVE_STR("Z")) ||
                      calve_str_ends_with(text, CALVE_STR("z")) ||
                      calve_str_ends_with(text, CALVE_STR("+00:00")) ||
                      calve_str_ends_with(text, CALVE_STR("-00:00"));
  return plain_offset == zoned && calve_timestamp_parse(text, ns, out, &has_offset) &&
         has_offset == zoned;
}

static bool parse_time(calve_str text, int64_t *out) {
  char bytes[CALVE_VALUE_TEXT_MAX];
  return cut_fraction(text, 6, bytes, &text) && calve_time_parse(text, out);
}

static bool parse_date(calve_str text, int32_t *out) {
  int64_t day;
  if (!calve_date_parse(text, &day) || day < INT32_MIN || day > INT32_MAX) return false;
  *out = (int32_t)day;
  return true;
}

static calve_status read_from_string(calve_json_reader *r, const calve_type *type, calve_value *v,
                                     calve_error *err) {
  calve_str text;
  CALVE_TRY(calve_json_str(r, &text, err));
  switch (type->id) {
    case CALVE_STRING:
      v->bytes = text;
      return CALVE_OK;
    case CALVE_DECIMAL:
      return parse_decimal(type, text, v) ? CALVE_OK : wrong(r, type, text, err);
    case CALVE_DATE:
      return parse_date(text, &v->i32) ? CALVE_OK : wrong(r, type, text, err);
    case CALVE_TIME:
      return parse_time(text, &v->i64) ? CALVE_OK : wrong(r, type, text, err);
    case CALVE_UUID:
      return calve_uuid_parse(text, v->uuid) ? CALVE_OK : wrong(r, type, text, err);
    case CALVE_FIXED:
    case CALVE_BINARY:
      return read_hex(r, type, text, &v->bytes, err);
    default:
      return parse_timestamp(type->id, text, &v->i64) ? CALVE_OK : wrong(r, type, text, err);
  }
}

static calve_status read_value(calve_json_reader *r, const calve_type *type, int depth,
                               calve_value *out, calve_error *err);

static calve_status read_elements(calve_json_reader *r, const calve_type *type, int depth,
                                  calve_buffer *items, calve_error *err) {
  CALVE_TRY(calve_json_begin_array(r, err));
  for (;;) {
    bool more;
    calve_value item;
    CALVE_TRY(calve_json_next_item(r, &more, err));
    if (!more) return calve_buffer_check(items, err);
    CALVE_TRY(read_value(r, type, depth + 1, &item, err));
    calve_buffer_put(items, &item, sizeof item);
  }
}

/* An array of values, copied to the arena. */
static calve_status read_array(calve_json_reader *r, const calve_type *type, int depth,
                               const calve_value **out, size_t *count, calve_error *err) {
  calve_buffer items;
  calve_buffer_init(&items, r->arena->allocator);
  calve_status status = read_elements(r, type, depth, &items, err);
  if (status == CALVE_OK) {
    size_t n = CALVE_COUNT(&items, calve_value);
    calve_value *copy = CALVE_NEW_ARRAY(r->arena, calve_value, n);
    if (copy) {
      if (n > 0) memcpy(copy, items.data, items.size);
      *out = copy;
      *count = n;
    } else {
      status = calve_fail_oom(err);
    }
  }
  calve_buffer_free(&items);
  return status;
}

/* {"keys":[…],"values":[…]} */
static calve_status read_map(calve_json_reader *r, const calve_type *type, int depth,
                             calve_value *v, calve_error *err) {
  const calve_value *keys = NULL, *values = NULL;
  size_t key_count = 0, value_count = 0;
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    calve_str key;
    bool more;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    if (calve_str_equal_text(key, "keys"))
      CALVE_TRY(read_array(r, type->fields[0].type, depth, &keys, &key_count, err));
    else if (calve_str_equal_text(key, "values"))
      CALVE_TRY(read_array(r, type->fields[1].type, depth, &values, &value_count, err));
    else
      CALVE_TRY(calve_json_skip(r, err));
  }
  if (!keys || !values || key_count != value_count)
    return calve_json_fail(r, err, "a map value needs \"keys\" and \"values\" of one length");
  if (key_count > MAP_ENTRIES_MAX)
    return calve_json_fail(r, err, "a map value has more than %d entries", MAP_ENTRIES_MAX);
  calve_value *items = CALVE_NEW_ARRAY(r->arena, calve_value, 2 * key_count);
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < key_count; i++) {
    if (keys[i].is_null) return calve_json_fail(r, err, "a map's key is null");
    for (size_t j = 0; j < i; j++)
      if (calve_value_equal(&keys[i], &keys[j]))
        return calve_json_fail(r, err, "a map's key is there twice");
    items[2 * i] = keys[i];
    items[2 * i + 1] = values[i];
  }
  v->nested.items = items;
  v->nested.count = 2 * key_count;
  return CALVE_OK;
}

/* {"1": …, "2": …}: fields by id; what the type lacks is skipped, what is not there is null. */
static calve_status read_struct(calve_json_reader *r, const calve_type *type, int depth,
                                calve_value *v, calve_error *err) {
  calve_map by_id;
  calve_map_init(&by_id, r->arena);
  calve_value *items = CALVE_NEW_ARRAY(r->arena, calve_value, (size_t)type->field_count);
  if (!items) return calve_fail_oom(err);
  for (int32_t i = 0; i < type->field_count; i++) {
    items[i] = calve_value_null(type->fields[i].type->id);
    CALVE_TRY(calve_map_put_id(&by_id, type->fields[i].id, &items[i], NULL, err));
  }
  CALVE_TRY(calve_json_begin_object(r, err));
  for (;;) {
    calve_str key;
    bool more;
    int64_t id;
    CALVE_TRY(calve_json_next_key(r, &key, &more, err));
    if (!more) break;
    calve_value *item = calve_str_to_i64(key, &id) ? calve_map_get_id(&by_id, id) : NULL;
    if (item)
      CALVE_TRY(read_value(r, type->fields[item - items].type, depth + 1, item, err));
    else
      CALVE_TRY(calve_json_skip(r, err));
  }
  v->nested.items = items;
  v->nested.count = (size_t)type->field_count;
  return CALVE_OK;
}

static calve_status read_present(calve_json_reader *r, const calve_type *type, int depth,
                                 calve_value *v, calve_error *err) {
  char text[CALVE_TYPE_TEXT_MAX];
  double wide = 0;
  switch (type->id) {
    case CALVE_BOOLEAN:
      return calve_json_bool(r, &v->b, err);
    case CALVE_INT:
      return calve_json_i32(r, &v->i32, err);
    case CALVE_LONG:
      return calve_json_i64(r, &v->i64, err);
    case CALVE_FLOAT:
      CALVE_TRY(read_double(r, type, &wide, err));
      v->f32 = (float)wide;
      return CALVE_OK;
    case CALVE_DOUBLE:
      return read_double(r, type, &v->f64, err);
    case CALVE_STRUCT:
      return read_struct(r, type, depth, v, err);
    case CALVE_LIST:
      return read_array(r, type->fields[0].type, depth, &v->nested.items, &v->nested.count, err);
    case CALVE_MAP:
      return read_map(r, type, depth, v, err);
    case CALVE_UNKNOWN:
    case CALVE_VARIANT:
    case CALVE_GEOMETRY:
    case CALVE_GEOGRAPHY:
      return calve_json_fail(r, err, "a value of type %s must be null",
                             calve_type_text(type, text));
    default:
      return read_from_string(r, type, v, err);
  }
}

static calve_status read_value(calve_json_reader *r, const calve_type *type, int depth,
                               calve_value *out, calve_error *err) {
  calve_value v = calve_value_null(type->id);
  if (depth > CALVE_DEPTH_MAX)
    return calve_json_fail(r, err, "values are nested deeper than %d", CALVE_DEPTH_MAX);
  CALVE_TRY(calve_json_null(r, &v.is_null, err));
  if (!v.is_null) CALVE_TRY(read_present(r, type, depth, &v, err));
  *out = v;
  return CALVE_OK;
}

calve_status calve_value_read_json(calve_json_reader *r, const calve_type *type, calve_value *out,
                                   calve_error *err) {
  return read_value(r, type, 0, out, err);
}
