/* SPDX-License-Identifier: Apache-2.0 */
#include "api/api_parts.h"

#include <string.h>

#include "base/text.h"

calve_status calve_api__require(const char *text, const char *what, calve_error *err) {
  return text ? CALVE_OK : calve_fail(err, CALVE_EINVAL, what, "a text is needed, not NULL");
}

calve_status calve_api__properties(const calve_setting *settings, size_t count,
                                   calve_arena *arena, calve_properties *out, calve_error *err) {
  calve_property *items = CALVE_NEW_ARRAY(arena, calve_property, count);
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    CALVE_TRY(calve_api__require(settings[i].key, "a property's key", err));
    CALVE_TRY(calve_api__require(settings[i].value, settings[i].key, err));
    items[i] = (calve_property){calve_str_of(settings[i].key), calve_str_of(settings[i].value)};
  }
  *out = (calve_properties){items, count};
  return CALVE_OK;
}

calve_status calve_api__maps(const calve_setting *settings, size_t count, calve_arena *arena,
                             const calve_path_map **out, calve_error *err) {
  calve_path_map *maps = CALVE_NEW_ARRAY(arena, calve_path_map, count);
  if (!maps) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    CALVE_TRY(calve_api__require(settings[i].key, "a path map's key", err));
    CALVE_TRY(calve_api__require(settings[i].value, settings[i].key, err));
    maps[i] = (calve_path_map){calve_str_of(settings[i].key), calve_str_of(settings[i].value)};
  }
  *out = maps;
  return CALVE_OK;
}

calve_status calve_api__roots(const char *const *roots, size_t count, calve_arena *arena,
                              const calve_str **out, calve_error *err) {
  calve_str *items = CALVE_NEW_ARRAY(arena, calve_str, count);
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    CALVE_TRY(calve_api__require(roots[i], "an allowed root", err));
    items[i] = calve_str_of(roots[i]);
  }
  *out = items;
  return CALVE_OK;
}

calve_status calve_api__of_caller(calve_status status, calve_error *err) {
  if (status != CALVE_ECORRUPT) return status;
  if (err) err->code = CALVE_EINVAL;
  return CALVE_EINVAL;
}

/* ---- terms ---- */

bool calve_api__next_term(calve_str *list, calve_str *term) {
  if (!list->data) return false;
  calve_str rest = calve_str_trim(*list);
  int depth = 0;
  char quote = '\0';
  size_t at = 0;
  for (; at < rest.size; at++) {
    char c = rest.data[at];
    if (quote) {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '`') {
      quote = c;
    } else if (c == '(') {
      depth++;
    } else if (c == ')') {
      depth--;
    } else if (c == ',' && depth == 0) {
      break;
    }
  }
  *term = calve_str_trim((calve_str){rest.data, at});
  *list = at < rest.size ? (calve_str){rest.data + at + 1, rest.size - at - 1} : (calve_str){0};
  return true;
}

/* A column in quotes loses them; quotes inside are not supported here. */
static calve_str unquoted(calve_str name) {
  bool quoted = name.size >= 2 && (name.data[0] == '"' || name.data[0] == '`') &&
                name.data[name.size - 1] == name.data[0] &&
                !memchr(name.data + 1, name.data[0], name.size - 2);
  return quoted ? (calve_str){name.data + 1, name.size - 2} : name;
}

static calve_status bad_term(calve_str text, calve_error *err) {
  return calve_fail(err, CALVE_EINVAL, NULL,
                    "\"%.*s\" is no partition term; write a column, or years, months, days or "
                    "hours(column), bucket(N, column) or truncate(W, column)",
                    CALVE_STR_ARG(text));
}

calve_status calve_api__term_parse(calve_str text, calve_api__term *out, calve_error *err) {
  text = calve_str_trim(text);
  const char *open = text.size ? memchr(text.data, '(', text.size) : NULL;
  calve_api__term term = {.column = unquoted(text), .transform = {.kind = CALVE_IDENTITY}};
  if (!open || text.data[0] == '"' || text.data[0] == '`') {
    if (term.column.size == 0) return bad_term(text, err);
    *out = term;
    return CALVE_OK;
  }
  calve_str name = calve_str_trim((calve_str){text.data, (size_t)(open - text.data)});
  if (text.data[text.size - 1] != ')' || !calve_transform_from_function(name, &term.transform.kind))
    return bad_term(text, err);
  calve_str args = {open + 1, text.size - (size_t)(open + 1 - text.data) - 1};
  calve_str parts[3] = {{0}};
  size_t count = 0;
  while (count < 3 && calve_api__next_term(&args, &parts[count])) count++;
  bool has_number = calve_transform_takes_number(term.transform.kind);
  if (count != (has_number ? 2u : 1u)) return bad_term(text, err);
  int64_t number = 0;
  if (has_number) {
    bool first = calve_str_to_i64(parts[0], &number);
    if (!first && !calve_str_to_i64(parts[1], &number)) return bad_term(text, err);
    if (number < 1 || number > INT32_MAX) return bad_term(text, err);
    if (first) parts[0] = parts[1];
  }
  term.transform.parameter = (int32_t)number;
  term.column = unquoted(parts[0]);
  if (term.column.size == 0) return bad_term(text, err);
  *out = term;
  return CALVE_OK;
}
