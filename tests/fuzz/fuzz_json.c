/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as JSON: the tree and the skipping cursor accept the same, faults lie inside the text,
 * and what the writer makes of an accepted text reads back as the same tree. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "codec/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok) {
  if (!ok) abort();
}

static void write_tree(calve_json_writer *w, const calve_json *j) {
  switch (j->kind) {
    case CALVE_JSON_NULL:
      calve_json_write_null(w);
      break;
    case CALVE_JSON_BOOL:
      calve_json_write_bool(w, j->boolean);
      break;
    case CALVE_JSON_NUMBER:
      calve_json_write_raw(w, j->text);
      break;
    case CALVE_JSON_STRING:
      calve_json_write_str(w, j->text);
      break;
    case CALVE_JSON_ARRAY:
    case CALVE_JSON_OBJECT:
      calve_json_write_begin(w, j->kind == CALVE_JSON_OBJECT ? '{' : '[');
      for (size_t i = 0; i < j->count; i++) {
        if (j->keys) calve_json_write_key_str(w, j->keys[i]);
        write_tree(w, &j->items[i]);
      }
      calve_json_write_end(w, j->kind == CALVE_JSON_OBJECT ? '}' : ']');
  }
}

static void check_same(const calve_json *a, const calve_json *b) {
  check(a->kind == b->kind && a->boolean == b->boolean && a->count == b->count);
  check(calve_str_equal(a->text, b->text));
  for (size_t i = 0; i < a->count; i++) {
    if (a->keys) check(calve_str_equal(a->keys[i], b->keys[i]));
    check_same(&a->items[i], &b->items[i]);
  }
}

/* Numbers by the cursor's fast way and by their text. */
static void check_numbers(const calve_json *j, calve_arena *arena) {
  for (size_t i = 0; i < j->count; i++) check_numbers(&j->items[i], arena);
  if (j->kind != CALVE_JSON_NUMBER) return;
  calve_json_reader r;
  int64_t by_cursor = 0, by_text = 0;
  calve_json_open(&r, j->raw, "number", arena);
  calve_status status = calve_json_i64(&r, &by_cursor, NULL);
  check((status == CALVE_OK) == calve_json_as_i64(j, &by_text));
  check(by_cursor == by_text && (status != CALVE_OK || r.at == r.end));
}

static void check_round_trip(const calve_json *tree, int indent, calve_arena *arena) {
  calve_buffer text;
  calve_json_writer w;
  const calve_json *again = NULL;
  calve_buffer_init(&text, NULL);
  calve_json_write_init(&w, &text, indent);
  write_tree(&w, tree);
  check(calve_json_parse(calve_buffer_view(&text), "again", arena, &again, NULL) == CALVE_OK);
  check_same(tree, again);
  calve_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  calve_str text = {(const char *)data, size};
  calve_arena arena = {0};
  calve_error parse_err, skip_err;
  const calve_json *tree = NULL;
  calve_json_reader r;
  calve_status parsed = calve_json_parse(text, "input", &arena, &tree, &parse_err);
  calve_json_open(&r, text, "input", &arena);
  calve_status skipped = calve_json_skip(&r, &skip_err);
  if (skipped == CALVE_OK) skipped = calve_json_end(&r, &skip_err);
  check(parsed == skipped);
  if (parsed == CALVE_OK) {
    check_numbers(tree, &arena);
    check_round_trip(tree, 0, &arena);
    check_round_trip(tree, 3, &arena);
  } else {
    check(parsed == CALVE_ECORRUPT && strcmp(parse_err.message, skip_err.message) == 0);
    check(parse_err.byte_offset == skip_err.byte_offset);
    check(parse_err.byte_offset >= 0 && (size_t)parse_err.byte_offset <= size);
  }
  calve_arena_free(&arena);
  return 0;
}
