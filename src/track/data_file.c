/* SPDX-License-Identifier: Apache-2.0 */
#include "track/data_file.h"

#include <string.h>

#include "base/text.h"

calve_data_file calve_data_file_blank(void) {
  return (calve_data_file){.sort_order_id = -1,
                           .first_row_id = CALVE_UNSET,
                           .content_offset = CALVE_UNSET,
                           .content_size_bytes = CALVE_UNSET};
}

bool calve_data_file_is_format(const calve_data_file *f, const char *format) {
  return calve_str_equal_nocase(f->format, calve_str_of(format));
}

bool calve_data_file_is_deletion_vector(const calve_data_file *f) {
  return f->content == CALVE_CONTENT_POSITION_DELETES && calve_data_file_is_format(f, "puffin");
}

/* Items start with their id; gives the one with `id`, or NULL. */
static const void *find_id(const void *items, size_t count, size_t item_size, int32_t id) {
  const char *base = items;
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int32_t at;
    memcpy(&at, base + middle * item_size, sizeof at);
    if (at == id) return base + middle * item_size;
    if (at < id)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

const int64_t *calve_id_i64_find(const calve_id_i64_list *list, int32_t id) {
  const calve_id_i64 *found = find_id(list->items, list->count, sizeof *found, id);
  return found ? &found->value : NULL;
}

const calve_str *calve_id_bytes_find(const calve_id_bytes_list *list, int32_t id) {
  const calve_id_bytes *found = find_id(list->items, list->count, sizeof *found, id);
  return found ? &found->value : NULL;
}

/* A copy of an array; an absent one (NULL) stays absent, an empty one stays present. */
static calve_status copy_array(const void *items, size_t count, size_t item_size,
                               calve_arena *arena, const void **out, calve_error *err) {
  if (!items) {
    *out = NULL;
    return CALVE_OK;
  }
  void *copy = calve_arena_copy(arena, items, count * item_size);
  if (!copy) return calve_fail_oom(err);
  *out = copy;
  return CALVE_OK;
}

static calve_status copy_counts(const calve_id_i64_list *from, calve_arena *arena,
                                calve_id_i64_list *to, calve_error *err) {
  const void *items = NULL;
  CALVE_TRY(copy_array(from->items, from->count, sizeof *from->items, arena, &items, err));
  *to = (calve_id_i64_list){items, from->count};
  return CALVE_OK;
}

static calve_status copy_bounds(const calve_id_bytes_list *from, calve_arena *arena,
                                calve_id_bytes_list *to, calve_error *err) {
  *to = (calve_id_bytes_list){0};
  if (!from->items) return CALVE_OK;
  size_t total = 0; /* bounds are many and short: they share one piece of memory                */
  for (size_t i = 0; i < from->count; i++) total += from->items[i].value.size;
  calve_id_bytes *items = (calve_id_bytes *)(void *)calve_arena_copy(
      arena, from->items, from->count * sizeof *from->items);
  char *bytes = calve_arena_alloc(arena, total + 1);
  if (!items || !bytes) return calve_fail_oom(err);
  for (size_t i = 0; i < from->count; i++) {
    size_t size = items[i].value.size;
    if (size > 0) memcpy(bytes, items[i].value.data, size);
    items[i].value.data = bytes;
    bytes += size;
  }
  *to = (calve_id_bytes_list){items, from->count};
  return CALVE_OK;
}

static calve_status copy_tuple(const calve_data_file *f, calve_arena *arena, calve_data_file *out,
                               calve_error *err) {
  size_t count = (size_t)f->partition_count;
  calve_value *values = calve_arena_room(arena, count, sizeof *values);
  if (!values) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    CALVE_TRY(calve_value_copy(&f->partition[i], arena, &values[i], err));
  }
  out->partition = values;
  return CALVE_OK;
}

/* Puts a NUL behind it; an absent text stays absent. */
static char *copy_text(char *to, calve_str *text) {
  if (!text->data) return to;
  memcpy(to, text->data, text->size);
  to[text->size] = '\0';
  text->data = to;
  return to + text->size + 1;
}

/* A file has two texts at least, all short: they share one piece of memory. */
static calve_status copy_texts(calve_data_file *c, calve_arena *arena, calve_error *err) {
  size_t size = c->path.size + c->format.size + c->key_metadata.size + c->referenced_data_file.size;
  char *to = calve_arena_room(arena, size + 4, 1);
  if (!to) return calve_fail_oom(err);
  to = copy_text(to, &c->path);
  to = copy_text(to, &c->format);
  to = copy_text(to, &c->key_metadata);
  copy_text(to, &c->referenced_data_file);
  return CALVE_OK;
}

static calve_status copy_metrics(const calve_data_file *f, calve_arena *arena, calve_data_file *c,
                                 calve_error *err) {
  CALVE_TRY(copy_counts(&f->column_sizes, arena, &c->column_sizes, err));
  CALVE_TRY(copy_counts(&f->value_counts, arena, &c->value_counts, err));
  CALVE_TRY(copy_counts(&f->null_value_counts, arena, &c->null_value_counts, err));
  CALVE_TRY(copy_counts(&f->nan_value_counts, arena, &c->nan_value_counts, err));
  CALVE_TRY(copy_bounds(&f->lower_bounds, arena, &c->lower_bounds, err));
  return copy_bounds(&f->upper_bounds, arena, &c->upper_bounds, err);
}

calve_status calve_data_file_copy(const calve_data_file *f, calve_arena *arena,
                                  calve_data_file *out, calve_error *err) {
  calve_data_file c = *f;
  CALVE_TRY(copy_texts(&c, arena, err));
  if (f->partition) CALVE_TRY(copy_tuple(f, arena, &c, err));
  CALVE_TRY(copy_metrics(f, arena, &c, err));
  const void *items = NULL;
  CALVE_TRY(copy_array(f->split_offsets.items, f->split_offsets.count, sizeof(int64_t), arena,
                       &items, err));
  c.split_offsets.items = items;
  CALVE_TRY(copy_array(f->equality_ids.items, f->equality_ids.count, sizeof(int32_t), arena, &items,
                       err));
  c.equality_ids.items = items;
  *out = c;
  return CALVE_OK;
}
