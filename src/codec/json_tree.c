/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "codec/json.h"

/* Members of containers that are still open lie on two stacks; a closed one is copied to the arena,
 * so that its items are side by side. */
typedef struct builder {
  calve_json_reader reader;
  calve_buffer items, keys;
} builder;

static calve_status parse_value(builder *b, calve_json *out, calve_error *err);

static void *copy_to_arena(calve_arena *arena, calve_buffer *stack, size_t from) {
  void *copy = calve_arena_alloc(arena, stack->size - from);
  if (copy && stack->size > from) memcpy(copy, stack->data + from, stack->size - from);
  stack->size = from;
  return copy;
}

static calve_status parse_members(builder *b, calve_json *out, calve_error *err) {
  calve_json_reader *r = &b->reader;
  bool is_object = out->kind == CALVE_JSON_OBJECT;
  size_t items_from = b->items.size, keys_from = b->keys.size;
  CALVE_TRY(is_object ? calve_json_begin_object(r, err) : calve_json_begin_array(r, err));
  for (;;) {
    bool more;
    calve_str key = {NULL, 0};
    CALVE_TRY(is_object ? calve_json_next_key(r, &key, &more, err)
                        : calve_json_next_item(r, &more, err));
    if (!more) break;
    calve_json item;
    CALVE_TRY(parse_value(b, &item, err));
    calve_buffer_put(&b->items, &item, sizeof item);
    if (is_object) calve_buffer_put(&b->keys, &key, sizeof key);
    out->count++;
  }
  CALVE_TRY(calve_buffer_check(&b->items, err));
  CALVE_TRY(calve_buffer_check(&b->keys, err));
  out->items = copy_to_arena(r->arena, &b->items, items_from);
  if (!out->items) return calve_fail_oom(err);
  if (!is_object) return CALVE_OK;
  out->keys = copy_to_arena(r->arena, &b->keys, keys_from);
  return out->keys ? CALVE_OK : calve_fail_oom(err);
}

/* Recursion is capped by the reader: CALVE_JSON_DEPTH_MAX. */
static calve_status parse_value(builder *b, calve_json *out, calve_error *err) {
  calve_json_reader *r = &b->reader;
  calve_json value = {.kind = CALVE_JSON_NULL};
  CALVE_TRY(calve_json_peek(r, &value.kind, err));
  const char *start = r->at;
  bool is_null;
  switch (value.kind) {
    case CALVE_JSON_NULL:
      CALVE_TRY(calve_json_null(r, &is_null, err));
      break;
    case CALVE_JSON_BOOL:
      CALVE_TRY(calve_json_bool(r, &value.boolean, err));
      break;
    case CALVE_JSON_NUMBER:
      CALVE_TRY(calve_json_number(r, &value.text, err));
      break;
    case CALVE_JSON_STRING:
      CALVE_TRY(calve_json_str(r, &value.text, err));
      break;
    case CALVE_JSON_ARRAY:
    case CALVE_JSON_OBJECT:
      CALVE_TRY(parse_members(b, &value, err));
      break;
  }
  value.raw = (calve_str){start, (size_t)(r->at - start)};
  *out = value;
  return CALVE_OK;
}

calve_status calve_json_parse(calve_str text, const char *where, calve_arena *arena,
                              const calve_json **out, calve_error *err) {
  builder b;
  calve_json_open(&b.reader, text, where, arena);
  calve_buffer_init(&b.items, arena->allocator);
  calve_buffer_init(&b.keys, arena->allocator);
  calve_json *root = CALVE_NEW(arena, calve_json);
  calve_status status = root ? parse_value(&b, root, err) : calve_fail_oom(err);
  if (status == CALVE_OK) status = calve_json_end(&b.reader, err);
  calve_buffer_free(&b.items);
  calve_buffer_free(&b.keys);
  if (status == CALVE_OK) *out = root;
  return status;
}

/* From the end: of two members with one name the last one counts, as in the reference. */
const calve_json *calve_json_get(const calve_json *j, const char *key) {
  if (!j || j->kind != CALVE_JSON_OBJECT) return NULL;
  for (size_t i = j->count; i > 0; i--)
    if (calve_str_equal_text(j->keys[i - 1], key)) return &j->items[i - 1];
  return NULL;
}

bool calve_json_as_i64(const calve_json *j, int64_t *out) {
  return j && j->kind == CALVE_JSON_NUMBER && calve_str_to_i64(j->text, out);
}
