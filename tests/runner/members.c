/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "runner/runner.h"

calve_str member_str(const calve_json *j, const char *key) {
  const calve_json *member = calve_json_get(j, key);
  if (!member || member->kind != CALVE_JSON_STRING) return (calve_str){NULL, 0};
  return member->text;
}

const char *member_text(run *r, const calve_json *j, const char *key) {
  calve_str text = member_str(j, key);
  return text.data ? text_of_str(r, text) : NULL;
}

bool member_bool(const calve_json *j, const char *key) {
  const calve_json *member = calve_json_get(j, key);
  return member && member->kind == CALVE_JSON_BOOL && member->boolean;
}

int64_t member_i64(const calve_json *j, const char *key) {
  int64_t value = 0;
  return calve_json_as_i64(calve_json_get(j, key), &value) ? value : 0;
}

bool member_is_null(const calve_json *j, const char *key) {
  const calve_json *member = calve_json_get(j, key);
  return !member || member->kind == CALVE_JSON_NULL;
}

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool bytes_of_hex(run *r, calve_str hex, calve_str *out) {
  char *bytes = calve_arena_alloc(&r->row, hex.size / 2 + 1);
  if (!bytes || !hex.data || hex.size % 2 != 0) return false;
  for (size_t i = 0; i < hex.size; i += 2) {
    int high = digit_of(hex.data[i]), low = digit_of(hex.data[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i / 2] = (char)(high * 16 + low);
  }
  *out = (calve_str){bytes, hex.size / 2};
  return true;
}

const calve_type *member_type(run *r, const calve_json *j, const char *key) {
  const calve_type *type = type_of_text(r, member_str(j, key));
  if (!type) row_unusable(r, "%s: %s", key, r->err.message);
  return type;
}

const calve_schema *member_schema(run *r, const calve_json *j, const char *key) {
  const calve_json *member = calve_json_get(j, key);
  const calve_schema *schema = NULL;
  if (!member) {
    row_unusable(r, "no %s", key);
  } else if (calve_schema_parse(member->raw, key, &r->row, &schema, &r->err) != CALVE_OK) {
    row_unusable(r, "%s: %s", key, r->err.message);
    return NULL;
  }
  return schema;
}

const calve_spec *member_spec(run *r, const calve_json *j, const char *key) {
  const calve_json *member = calve_json_get(j, key);
  const calve_spec *spec = NULL;
  if (!member) {
    row_unusable(r, "no %s", key);
  } else if (calve_spec_parse(member->raw, key, &r->row, &spec, &r->err) != CALVE_OK) {
    row_unusable(r, "%s: %s", key, r->err.message);
    return NULL;
  }
  return spec;
}

static bool value_of_hex(run *r, const char *key, calve_str hex, const calve_type *type,
                         calve_value *out) {
  calve_str bytes;
  if (!hex.data) {
    *out = calve_value_null(type->id);
    return true;
  }
  if (!bytes_of_hex(r, hex, &bytes)) {
    row_unusable(r, "%s: %.*s is not hex", key, CALVE_STR_ARG(hex));
    return false;
  }
  if (calve_value_from_bytes(type, bytes, out, &r->err) == CALVE_OK) return true;
  row_unusable(r, "%s: %s", key, r->err.message);
  return false;
}

bool member_value(run *r, const calve_json *j, const char *key, const calve_type *type,
                  calve_value *out) {
  return value_of_hex(r, key, member_str(j, text_of(r, "%s_hex", key)), type, out);
}

bool member_value_at(run *r, const calve_json *j, const char *key, size_t i, const calve_type *type,
                     calve_value *out) {
  const calve_json *list = calve_json_get(j, text_of(r, "%s_hex", key));
  calve_str hex = {NULL, 0};
  if (list && i < list->count && list->items[i].kind == CALVE_JSON_STRING)
    hex = list->items[i].text;
  return value_of_hex(r, key, hex, type, out);
}
