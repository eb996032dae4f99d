/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "catalog/catalog.h"

/* One level from text[*at] on; quotes may enclose it whole. */
static calve_status read_level(calve_str text, size_t *at, calve_arena *arena, calve_str *out,
                               calve_error *err) {
  char quote = *at < text.size ? text.data[*at] : '\0';
  if (quote != '"' && quote != '`') {
    size_t start = *at;
    while (*at < text.size && text.data[*at] != '.') ++*at;
    return calve_arena_str(arena, (calve_str){text.data + start, *at - start}, out, err);
  }
  char *level = calve_arena_alloc(arena, text.size + 1);
  if (!level) return calve_fail_oom(err);
  size_t size = 0;
  for (++*at; *at < text.size; ++*at) {
    if (text.data[*at] == quote) {
      bool doubled = *at + 1 < text.size && text.data[*at + 1] == quote;
      ++*at;
      if (!doubled) {
        level[size] = '\0';
        *out = (calve_str){level, size};
        return CALVE_OK;
      }
    }
    level[size++] = text.data[*at];
  }
  return calve_fail(err, CALVE_EINVAL, NULL, "the name %.*s has an open quote",
                    CALVE_STR_ARG(text));
}

calve_status calve_namespace_parse(calve_str text, calve_arena *arena, calve_namespace *out,
                                   calve_error *err) {
  calve_str levels[CALVE_NAMESPACE_LEVELS_MAX];
  size_t count = 0;
  for (size_t at = 0;; at++) {
    if (count == CALVE_NAMESPACE_LEVELS_MAX)
      return calve_fail(err, CALVE_EINVAL, NULL, "the name \"%.*s\" has more than %d levels",
                        CALVE_STR_ARG(text), CALVE_NAMESPACE_LEVELS_MAX);
    CALVE_TRY(read_level(text, &at, arena, &levels[count], err));
    bool ends = at >= text.size;
    if (levels[count].size == 0 || (!ends && text.data[at] != '.') ||
        memchr(levels[count].data, 0, levels[count].size) || !calve_utf8_valid(levels[count]))
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "\"%.*s\" is no name: levels are separated by single dots",
                        CALVE_STR_ARG(text));
    count++;
    if (ends) break;
  }
  const void *copy = calve_arena_copy(arena, levels, count * sizeof *levels);
  if (!copy) return calve_fail_oom(err);
  *out = (calve_namespace){copy, count};
  return CALVE_OK;
}

calve_status calve_table_name_parse(calve_str text, calve_arena *arena, calve_table_name *out,
                                    calve_error *err) {
  calve_namespace all;
  CALVE_TRY(calve_namespace_parse(text, arena, &all, err));
  if (all.count < 2)
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "\"%.*s\" names no namespace; write namespace.table", CALVE_STR_ARG(text));
  out->name = all.levels[all.count - 1];
  out->space = (calve_namespace){all.levels, all.count - 1};
  return CALVE_OK;
}

static calve_status join(const calve_namespace *space, const calve_str *last, calve_arena *arena,
                         calve_str *out, calve_error *err) {
  size_t size = last ? last->size + 1 : 0;
  for (size_t i = 0; i < space->count; i++) size += space->levels[i].size + 1;
  char *text = calve_arena_alloc(arena, size + 1), *at = text;
  if (!text) return calve_fail_oom(err);
  for (size_t i = 0; i < space->count; i++) {
    if (i > 0) *at++ = '.';
    memcpy(at, space->levels[i].data, space->levels[i].size);
    at += space->levels[i].size;
  }
  if (last) {
    if (at > text) *at++ = '.';
    memcpy(at, last->data, last->size);
    at += last->size;
  }
  *at = '\0';
  *out = (calve_str){text, (size_t)(at - text)};
  return CALVE_OK;
}

calve_status calve_namespace_text(const calve_namespace *space, calve_arena *arena, calve_str *out,
                                  calve_error *err) {
  return join(space, NULL, arena, out, err);
}

calve_status calve_table_name_text(const calve_table_name *name, calve_arena *arena,
                                   calve_str *out, calve_error *err) {
  return join(&name->space, &name->name, arena, out, err);
}
