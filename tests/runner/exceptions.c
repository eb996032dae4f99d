/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/exceptions.h"

#include <stdio.h>

#include "base/buffer.h"
#include "base/text.h"
#include "runner/lines.h"

static bool matches(const calve_json *pattern, const calve_json *value) {
  if (!value) return pattern->kind == CALVE_JSON_NULL;
  if (pattern->kind != value->kind) return false;
  if (pattern->kind == CALVE_JSON_STRING) return calve_str_equal(pattern->text, value->text);
  if (pattern->kind == CALVE_JSON_ARRAY) {
    if (pattern->count != value->count) return false;
    for (size_t i = 0; i < pattern->count; i++)
      if (!matches(&pattern->items[i], &value->items[i])) return false;
    return true;
  }
  if (pattern->kind != CALVE_JSON_OBJECT) return calve_str_equal(pattern->raw, value->raw);
  for (size_t i = 0; i < pattern->count; i++) {
    const calve_json *member = NULL;
    for (size_t k = 0; k < value->count && !member; k++)
      if (calve_str_equal(pattern->keys[i], value->keys[k])) member = &value->items[k];
    if (!matches(&pattern->items[i], member)) return false;
  }
  return true;
}

typedef struct reading {
  exceptions *list;
  calve_buffer items;
  const char *path;
  bool good;
} reading;

static void read_line(void *ctx, calve_str line, long number) {
  reading *in = ctx;
  const calve_json *j;
  calve_error err;
  if (calve_json_parse(line, in->path, &in->list->arena, &j, &err) != CALVE_OK) {
    printf("%s:%ld: %s\n", in->path, number, err.message);
    in->good = false;
    return;
  }
  const calve_json *why = calve_json_get(j, "why"), *ours = calve_json_get(j, "ours");
  const calve_json *row = calve_json_get(j, "row");
  if (!why || why->text.size == 0 || !ours || ours->kind != CALVE_JSON_STRING || !row ||
      row->kind != CALVE_JSON_OBJECT || row->count == 0) {
    printf("%s:%ld: an exception needs why, ours and row\n", in->path, number);
    in->good = false;
    return;
  }
  CALVE_PUSH(&in->items, exception, why->text, ours->text, row, 0);
}

bool exceptions_read(exceptions *list, const char *path) {
  reading in = {.list = list, .path = path, .good = true};
  calve_arena_init(&list->arena, NULL);
  calve_buffer_init(&in.items, NULL);
  FILE *file = fopen(path, "rb");
  if (!file) return true;
  fclose(file);
  if (!lines_each(&list->arena, path, read_line, &in)) in.good = false;
  list->count = CALVE_COUNT(&in.items, exception);
  list->items = (exception *)(void *)calve_arena_copy(
      &list->arena, calve_buffer_view(&in.items).data, in.items.size);
  calve_buffer_free(&in.items);
  return in.good && list->items;
}

void exceptions_free(exceptions *list) {
  calve_arena_free(&list->arena);
  *list = (exceptions){0};
}

const exception *exceptions_find(exceptions *list, const calve_json *row) {
  for (size_t i = 0; row && i < list->count; i++)
    if (matches(list->items[i].row, row)) {
      list->items[i].used_count++;
      return &list->items[i];
    }
  return NULL;
}
