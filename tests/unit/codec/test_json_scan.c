/* SPDX-License-Identifier: Apache-2.0 */
/* Jansson is the judge of what is JSON, and of its values. */
#include <jansson.h>

#include "base/number.h"
#include "base/text.h"
#include "codec/json.h"
#include "harness.h"

#define ROUNDS 40000

static uint64_t seed = UINT64_C(20260301);

static uint32_t random_below(uint32_t n) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (uint32_t)(seed >> 32) % n;
}

/* ---- random documents --------------------------------------------------------------------- */

static void put_space(calve_buffer *b) {
  static const char *const spaces[] = {"", "", "", "", " ", "\n", "\t", "\r\n  "};
  calve_buffer_puts(b, spaces[random_below(ARRAY_COUNT(spaces))]);
}

static void put_string(calve_buffer *b) {
  static const char *const parts[] = {
      "a",       "schema-id", " ",
      "é",       "日本",      "😀",
      "\\n",     "\\\"",      "\\\\",
      "\\/",     "\\u00e9",   "\\ud83d\\ude00",
      "\\u65E5", "\x7F",      "a longer run of plain bytes than one vector holds"};
  calve_buffer_putc(b, '"');
  for (uint32_t n = random_below(6); n > 0; n--)
    calve_buffer_puts(b, parts[random_below(ARRAY_COUNT(parts))]);
  calve_buffer_putc(b, '"');
}

static void put_number(calve_buffer *b) {
  static const char *const numbers[] = {
      "0",    "-0",  "7",      "-12",     "9007199254740993",    "0.5",
      "-0.0", "1e5", "2.5E-3", "1.25e+2", "9223372036854775807", "-9223372036854775808"};
  calve_buffer_puts(b, numbers[random_below(ARRAY_COUNT(numbers))]);
}

static void put_value(calve_buffer *b, int depth) {
  put_space(b);
  uint32_t kind = random_below(depth > 0 ? 8 : 5);
  if (kind == 0) calve_buffer_puts(b, "null");
  if (kind == 1) calve_buffer_puts(b, random_below(2) ? "true" : "false");
  if (kind == 2) put_number(b);
  if (kind == 3 || kind == 4) put_string(b);
  if (kind >= 5) {
    bool object = kind >= 6;
    calve_buffer_putc(b, object ? '{' : '[');
    put_space(b);
    for (uint32_t i = 0, n = random_below(5); i < n; i++) {
      if (i > 0) calve_buffer_putc(b, ',');
      if (object) {
        put_space(b);
        put_string(b);
        put_space(b);
        calve_buffer_putc(b, ':');
      }
      put_value(b, depth - 1);
    }
    calve_buffer_putc(b, object ? '}' : ']');
  }
  put_space(b);
}

/* Changes, removes or repeats a few bytes: most results are not JSON any more. */
static void damage(calve_buffer *b) {
  static const char bytes[] = "{}[]\",:\\0123456789eE+-.tfnu \n\x01\x80\xC3\xED\xFF/";
  for (uint32_t n = 1 + random_below(3); n > 0 && b->size > 1; n--) {
    size_t at = random_below((uint32_t)b->size);
    switch (random_below(4)) {
      case 0:
        b->data[at] = bytes[random_below(sizeof bytes - 1)];
        break;
      case 1:
        memmove(b->data + at, b->data + at + 1, --b->size - at);
        break;
      case 2:
        b->size = at > 0 ? at : 1;
        break;
      default:
        b->data[at] = (char)(b->data[at] ^ (1 << random_below(8)));
        break;
    }
  }
}

/* ---- comparison --------------------------------------------------------------------------- */

static bool same(const calve_json *ours, json_t *theirs);

static bool same_object(const calve_json *ours, json_t *theirs) {
  const char *name;
  json_t *value;
  if (ours->kind != CALVE_JSON_OBJECT) return false;
  json_object_foreach(theirs, name,
                      value) if (!same(calve_json_get(ours, name), value)) return false;
  for (size_t i = 0; i < ours->count; i++) {
    char key[1000];
    snprintf(key, sizeof key, "%.*s", (int)ours->keys[i].size, ours->keys[i].data);
    if (!json_object_get(theirs, key)) return false;
  }
  return true;
}

static bool same(const calve_json *ours, json_t *theirs) {
  int64_t integer;
  double real;
  if (!ours) return false;
  switch (json_typeof(theirs)) {
    case JSON_NULL:
      return ours->kind == CALVE_JSON_NULL;
    case JSON_TRUE:
      return ours->kind == CALVE_JSON_BOOL && ours->boolean;
    case JSON_FALSE:
      return ours->kind == CALVE_JSON_BOOL && !ours->boolean;
    case JSON_INTEGER:
      return calve_json_as_i64(ours, &integer) && integer == json_integer_value(theirs);
    case JSON_REAL:
      return ours->kind == CALVE_JSON_NUMBER && calve_double_parse(ours->text, &real) &&
             real == json_real_value(theirs);
    case JSON_STRING:
      return ours->kind == CALVE_JSON_STRING && ours->text.size == json_string_length(theirs) &&
             memcmp(ours->text.data, json_string_value(theirs), ours->text.size) == 0;
    case JSON_ARRAY:
      if (ours->kind != CALVE_JSON_ARRAY || ours->count != json_array_size(theirs)) return false;
      for (size_t i = 0; i < ours->count; i++)
        if (!same(&ours->items[i], json_array_get(theirs, i))) return false;
      return true;
    case JSON_OBJECT:
      return same_object(ours, theirs);
  }
  return false;
}

static bool skips(calve_str text, calve_arena *arena) {
  calve_json_reader r;
  calve_json_open(&r, text, "t", arena);
  return calve_json_skip(&r, NULL) == CALVE_OK && calve_json_end(&r, NULL) == CALVE_OK;
}

static void compare(calve_str text, size_t counts[2]) {
  calve_arena arena = {0};
  calve_error err;
  const calve_json *ours = NULL;
  json_error_t error;
  json_t *theirs = json_loadb(text.data, text.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
  bool accepted = calve_json_parse(text, "t", &arena, &ours, &err) == CALVE_OK;
  if (skips(text, &arena) != accepted) fail_msg("skip and parse differ: %.*s", CALVE_STR_ARG(text));
  /* Jansson has no place for larger numbers, where we keep the text, and ends at a NUL byte. */
  bool has_nul = memchr(text.data, 0, text.size) != NULL;
  bool too_large = !theirs && json_error_code(&error) == json_error_numeric_overflow;
  if (has_nul) {
    assert_false(accepted);
  } else if (!too_large) {
    if (accepted != (theirs != NULL))
      fail_msg("%s; %s: %.*s", accepted ? "accepted" : err.message, error.text,
               CALVE_STR_ARG(text));
    if (theirs && !same(ours, theirs)) fail_msg("other values: %.*s", CALVE_STR_ARG(text));
    counts[accepted]++;
  }
  json_decref(theirs);
  calve_arena_free(&arena);
}

static void test_random_documents_are_judged_as_jansson_does(void **state) {
  (void)state;
  size_t counts[2] = {0, 0};
  for (int round = 0; round < ROUNDS; round++) {
    calve_buffer b;
    calve_buffer_init(&b, NULL);
    put_value(&b, 4);
    if (round % 4 != 0) damage(&b);
    /* Exactly as many bytes as the text has, so that the sanitizer guards its end. */
    char *exact = malloc(b.size);
    memcpy(exact, b.data, b.size);
    compare((calve_str){exact, b.size}, counts);
    free(exact);
    calve_buffer_free(&b);
  }
  assert_true(counts[0] > ROUNDS / 10 && counts[1] > ROUNDS / 10);
}

static void test_every_byte_alone_in_a_string_is_judged_alike(void **state) {
  (void)state;
  size_t counts[2] = {0, 0};
  for (int first = 0; first < 256; first++)
    for (int second = 0; second < 256; second++) {
      char text[] = {'"', (char)first, (char)second, '"'};
      compare((calve_str){text, sizeof text}, counts);
    }
  assert_true(counts[1] > 90 * 90);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_documents_are_judged_as_jansson_does),
      cmocka_unit_test(test_every_byte_alone_in_a_string_is_judged_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
