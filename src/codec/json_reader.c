/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "codec/json.h"
#include "codec/json_scan.h"

#define POINTER_MAX 200
/* Steps of a deep pointer that are shown, from its start and to its end. */
#define POINTER_FIRST 8
#define POINTER_LAST  2

void calve_json_open(calve_json_reader *r, calve_str text, const char *where, calve_arena *arena) {
  const char *start = text.data ? text.data : "";
  r->text = r->at = r->value = start;
  r->end = start + text.size;
  r->where = where;
  r->arena = arena;
  r->base_offset = 0;
  r->depth = 0;
}

/* ---- errors ------------------------------------------------------------------------------- */

/* Puts a part before what is in out[*start..]; false when there is no room. */
static bool prepend(char *out, size_t *start, const char *part, size_t size) {
  if (size > *start) return false;
  *start -= size;
  memcpy(out + *start, part, size);
  return true;
}

static bool prepend_key(char *out, size_t *start, calve_str key) {
  for (size_t i = key.size; i > 0; i--) { /* RFC 6901: ~ is ~0, / is ~1 */
    char c = key.data[i - 1];
    const char *part = c == '~' ? "~0" : c == '/' ? "~1" : &key.data[i - 1];
    if (!prepend(out, start, part, c == '~' || c == '/' ? 2 : 1)) return false;
  }
  return true;
}

/* The JSON pointer to the current value; the middle of a deep one is left out, and the near end is
 * kept when it is too long. Gives its first
 * byte in out. */
static const char *pointer_of(const calve_json_reader *r, char out[POINTER_MAX]) {
  size_t start = POINTER_MAX - 1;
  out[start] = '\0';
  bool whole = true;
  for (int i = r->depth - 1; i >= 0 && whole; i--) {
    const calve_json_frame *frame = &r->frames[i];
    if (!frame->started) continue;
    if (r->depth > POINTER_FIRST + POINTER_LAST && i == r->depth - 1 - POINTER_LAST) {
      whole = prepend(out, &start, "/...", 4);
      i = POINTER_FIRST;
      continue;
    }
    char number[24];
    if (frame->index < 0) {
      whole = prepend_key(out, &start, frame->key);
    } else {
      int n = snprintf(number, sizeof number, "%" PRId64, frame->index);
      whole = prepend(out, &start, number, (size_t)n);
    }
    whole = whole && prepend(out, &start, "/", 1);
  }
  if (whole) return out + start;
  start = start < 3 ? 0 : start - 3;
  memcpy(out + start, "...", 3);
  return out + start;
}

static calve_status fail_at(const calve_json_reader *r, const char *at, calve_error *err,
                            const char *fmt, ...) CALVE_PRINTF(4, 5);
static calve_status vfail_at(const calve_json_reader *r, const char *at, calve_error *err,
                             const char *fmt, va_list args) CALVE_PRINTF(4, 0);

static calve_status vfail_at(const calve_json_reader *r, const char *at, calve_error *err,
                             const char *fmt, va_list args) {
  if (!err) return CALVE_ECORRUPT;
  char sentence[512], pointer_buffer[POINTER_MAX];
  vsnprintf(sentence, sizeof sentence, fmt, args);
  const char *pointer = pointer_of(r, pointer_buffer);
  return calve_fail_at(err, CALVE_ECORRUPT, r->where, r->base_offset + (at - r->text), "%s%s%s",
                       pointer, *pointer ? ": " : "", sentence);
}

static calve_status fail_at(const calve_json_reader *r, const char *at, calve_error *err,
                            const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  calve_status status = vfail_at(r, at, err, fmt, args);
  va_end(args);
  return status;
}

calve_status calve_json_fail(const calve_json_reader *r, calve_error *err, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  calve_status status = vfail_at(r, r->value, err, fmt, args);
  va_end(args);
  return status;
}

static calve_status fail_fault(const calve_json_reader *r, calve_json_fault fault,
                               calve_error *err) {
  return fail_at(r, fault.at, err, "%s", fault.why);
}

static bool at_word(const calve_json_reader *r, const char *word) {
  size_t size = strlen(word);
  return (size_t)(r->end - r->at) >= size && memcmp(r->at, word, size) == 0;
}

static calve_status fail_expected(const calve_json_reader *r, const char *expected,
                                  calve_error *err) {
  char found[24];
  const char *name = found;
  unsigned char c = r->at < r->end ? (unsigned char)*r->at : 0;
  if (r->at == r->end)
    name = "the end of the text";
  else if (c == '"')
    name = "a string";
  else if (c == '{')
    name = "an object";
  else if (c == '[')
    name = "an array";
  else if (c == '-' || (c >= '0' && c <= '9'))
    name = "a number";
  else if (at_word(r, "true") || at_word(r, "false"))
    name = "a boolean";
  else if (at_word(r, "null"))
    name = "null";
  else if (c == 0xEF)
    name = "a byte order mark or another byte outside ASCII";
  else if (c > 0x20 && c < 0x7F)
    snprintf(found, sizeof found, "'%c'", c);
  else
    snprintf(found, sizeof found, "byte 0x%02X", c);
  return fail_at(r, r->at, err, "expected %s, found %s", expected, name);
}

/* ---- objects and arrays ------------------------------------------------------------------- */

/* Moves to the first byte of the next value. */
static char start_value(calve_json_reader *r) {
  r->at = r->value = calve_json__skip_space(r->at, r->end);
  return r->at < r->end ? *r->at : '\0';
}

static calve_status begin(calve_json_reader *r, int64_t index, calve_error *err) {
  if (r->depth == CALVE_JSON_DEPTH_MAX)
    return fail_at(r, r->at, err, "values nest deeper than %d", CALVE_JSON_DEPTH_MAX);
  r->frames[r->depth++] = (calve_json_frame){.index = index};
  r->at++;
  return CALVE_OK;
}

calve_status calve_json_begin_object(calve_json_reader *r, calve_error *err) {
  if (start_value(r) != '{') return fail_expected(r, "an object", err);
  return begin(r, -1, err);
}

calve_status calve_json_begin_array(calve_json_reader *r, calve_error *err) {
  if (start_value(r) != '[') return fail_expected(r, "an array", err);
  return begin(r, 0, err);
}

/* Steps over the comma, or over the closing bracket. */
static calve_status next(calve_json_reader *r, char close, bool *more, calve_error *err) {
  calve_json_frame *frame = &r->frames[r->depth - 1];
  r->at = calve_json__skip_space(r->at, r->end);
  char c = r->at < r->end ? *r->at : '\0';
  if (c == close) {
    r->at++;
    r->depth--;
    *more = false;
    return CALVE_OK;
  }
  *more = true;
  if (!frame->started) return CALVE_OK;
  if (c != ',') return fail_expected(r, close == '}' ? "',' or '}'" : "',' or ']'", err);
  r->at = calve_json__skip_space(r->at + 1, r->end);
  return CALVE_OK;
}

/* r->at is at the opening quote. */
static calve_status read_string(calve_json_reader *r, calve_str *out, calve_error *err) {
  calve_json_fault fault;
  bool escaped;
  const char *start = r->at + 1;
  const char *quote = calve_json__string_end(start, r->end, &escaped, &fault);
  if (!quote) return fail_fault(r, fault, err);
  calve_str s = {start, (size_t)(quote - start)};
  if (escaped) {
    char *copy = calve_arena_alloc(r->arena, s.size + 1);
    if (!copy) return calve_fail_oom(err);
    s = (calve_str){copy, calve_json__unescape(start, quote, copy)};
  }
  r->at = quote + 1;
  *out = s;
  return CALVE_OK;
}

calve_status calve_json_next_key(calve_json_reader *r, calve_str *key, bool *more,
                                 calve_error *err) {
  assert(r->depth > 0 && r->frames[r->depth - 1].index < 0);
  bool found;
  CALVE_TRY(next(r, '}', &found, err));
  if (found) {
    calve_str name;
    if (r->at == r->end || *r->at != '"') return fail_expected(r, "a key in quotes", err);
    CALVE_TRY(read_string(r, &name, err));
    calve_json_frame *frame = &r->frames[r->depth - 1];
    frame->key = name;
    frame->started = true;
    r->at = calve_json__skip_space(r->at, r->end);
    if (r->at == r->end || *r->at != ':') return fail_expected(r, "':' behind the key", err);
    r->at++;
    *key = name;
  }
  *more = found;
  return CALVE_OK;
}

calve_status calve_json_next_item(calve_json_reader *r, bool *more, calve_error *err) {
  assert(r->depth > 0 && r->frames[r->depth - 1].index >= 0);
  bool found;
  CALVE_TRY(next(r, ']', &found, err));
  if (found) {
    calve_json_frame *frame = &r->frames[r->depth - 1];
    frame->index += frame->started;
    frame->started = true;
  }
  *more = found;
  return CALVE_OK;
}

calve_status calve_json_end(calve_json_reader *r, calve_error *err) {
  assert(r->depth == 0);
  r->at = calve_json__skip_space(r->at, r->end);
  return r->at == r->end ? CALVE_OK : fail_expected(r, "nothing behind the value", err);
}

/* ---- values ------------------------------------------------------------------------------- */

static bool is_number_start(char c) {
  return c == '-' || (c >= '0' && c <= '9');
}

calve_status calve_json_peek(calve_json_reader *r, calve_json_kind *kind, calve_error *err) {
  char c = start_value(r);
  switch (c) {
    case '{':
      *kind = CALVE_JSON_OBJECT;
      return CALVE_OK;
    case '[':
      *kind = CALVE_JSON_ARRAY;
      return CALVE_OK;
    case '"':
      *kind = CALVE_JSON_STRING;
      return CALVE_OK;
    case 't':
    case 'f':
      *kind = CALVE_JSON_BOOL;
      return CALVE_OK;
    case 'n':
      *kind = CALVE_JSON_NULL;
      return CALVE_OK;
    default:
      break;
  }
  if (!is_number_start(c)) return fail_expected(r, "a value", err);
  *kind = CALVE_JSON_NUMBER;
  return CALVE_OK;
}

static calve_status read_number(calve_json_reader *r, const char *expected, calve_str *text,
                                calve_error *err) {
  if (!is_number_start(start_value(r))) return fail_expected(r, expected, err);
  calve_json_fault fault;
  const char *behind = calve_json__scan_number(r->at, r->end, &fault);
  if (!behind) return fail_fault(r, fault, err);
  *text = (calve_str){r->at, (size_t)(behind - r->at)};
  r->at = behind;
  return CALVE_OK;
}

calve_status calve_json_number(calve_json_reader *r, calve_str *text, calve_error *err) {
  return read_number(r, "a number", text, err);
}

/* What nearly all integers are: no more digits than surely fit, no leading zero. */
static bool take_integer(calve_json_reader *r, int64_t *out) {
  bool negative = start_value(r) == '-';
  const char *first = r->at + negative, *p = first;
  const char *end = r->end - first > 18 ? first + 18 : r->end;
  int64_t value = 0;
  while (p < end && *p >= '0' && *p <= '9') value = value * 10 + (*p++ - '0');
  if (p == first || p == r->end || (*first == '0' && p - first > 1)) return false;
  if ((*p >= '0' && *p <= '9') || *p == '.' || *p == 'e' || *p == 'E') return false;
  r->at = p;
  *out = negative ? -value : value;
  return true;
}

static calve_status read_integer(calve_json_reader *r, int64_t least, int64_t most, int64_t *out,
                                 calve_error *err) {
  calve_str text;
  int64_t value;
  if (take_integer(r, &value) && value >= least && value <= most) {
    *out = value;
    return CALVE_OK;
  }
  r->at = r->value;
  CALVE_TRY(read_number(r, "an integer", &text, err));
  if (calve_str_to_i64(text, &value) && value >= least && value <= most) {
    *out = value;
    return CALVE_OK;
  }
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] == '.' || text.data[i] == 'e' || text.data[i] == 'E')
      return calve_json_fail(r, err, "expected an integer, found %.*s", CALVE_STR_ARG(text));
  return calve_json_fail(r, err, "%.*s is out of range: expected %" PRId64 " to %" PRId64,
                         CALVE_STR_ARG(text), least, most);
}

calve_status calve_json_i32(calve_json_reader *r, int32_t *out, calve_error *err) {
  int64_t value;
  CALVE_TRY(read_integer(r, INT32_MIN, INT32_MAX, &value, err));
  *out = (int32_t)value;
  return CALVE_OK;
}

calve_status calve_json_i64(calve_json_reader *r, int64_t *out, calve_error *err) {
  return read_integer(r, INT64_MIN, INT64_MAX, out, err);
}

static bool take_word(calve_json_reader *r, const char *word) {
  if (!at_word(r, word)) return false;
  r->at += strlen(word);
  return true;
}

calve_status calve_json_bool(calve_json_reader *r, bool *out, calve_error *err) {
  start_value(r);
  bool value = take_word(r, "true");
  if (!value && !take_word(r, "false")) return fail_expected(r, "true or false", err);
  *out = value;
  return CALVE_OK;
}

calve_status calve_json_str(calve_json_reader *r, calve_str *out, calve_error *err) {
  if (start_value(r) != '"') return fail_expected(r, "a string", err);
  return read_string(r, out, err);
}

calve_status calve_json_null(calve_json_reader *r, bool *was_null, calve_error *err) {
  if (start_value(r) != 'n') {
    *was_null = false;
    return CALVE_OK;
  }
  if (!take_word(r, "null")) return fail_at(r, r->at, err, "expected null or another value");
  *was_null = true;
  return CALVE_OK;
}

/* ---- skipping ----------------------------------------------------------------------------- */

static calve_status step_into_value(calve_json_reader *r, calve_error *err) {
  calve_json_kind kind;
  calve_str text;
  bool flag;
  CALVE_TRY(calve_json_peek(r, &kind, err));
  switch (kind) {
    case CALVE_JSON_OBJECT:
      return calve_json_begin_object(r, err);
    case CALVE_JSON_ARRAY:
      return calve_json_begin_array(r, err);
    case CALVE_JSON_STRING:
      return calve_json_str(r, &text, err);
    case CALVE_JSON_NUMBER:
      return calve_json_number(r, &text, err);
    case CALVE_JSON_BOOL:
      return calve_json_bool(r, &flag, err);
    case CALVE_JSON_NULL:
      break;
  }
  return calve_json_null(r, &flag, err);
}

/* Walks a value that the fast scan refused, to find what is wrong and where. */
static calve_status skip_with_care(calve_json_reader *r, calve_error *err) {
  int depth = r->depth;
  for (;;) {
    CALVE_TRY(step_into_value(r, err));
    for (bool more = false; !more;) {
      if (r->depth == depth) return CALVE_OK;
      calve_str key;
      if (r->frames[r->depth - 1].index < 0)
        CALVE_TRY(calve_json_next_key(r, &key, &more, err));
      else
        CALVE_TRY(calve_json_next_item(r, &more, err));
    }
  }
}

calve_status calve_json_skip(calve_json_reader *r, calve_error *err) {
  start_value(r);
  const char *start = r->at;
  const char *behind = calve_json__scan_value(r->at, r->end, CALVE_JSON_DEPTH_MAX - r->depth);
  if (!behind) return skip_with_care(r, err);
  r->at = behind;
  r->value = start;
  return CALVE_OK;
}

calve_status calve_json_raw(calve_json_reader *r, calve_str *text, calve_error *err) {
  CALVE_TRY(calve_json_skip(r, err));
  *text = (calve_str){r->value, (size_t)(r->at - r->value)};
  return CALVE_OK;
}
