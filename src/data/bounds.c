/* SPDX-License-Identifier: Apache-2.0 */
#include "data/bounds.h"

#include <string.h>

#include "base/buffer.h"
#include "base/text.h"

bool calve_metrics_mode_parse(calve_str text, calve_metrics_mode *out) {
  text = calve_str_trim(text);
  if (calve_str_equal_nocase(text, CALVE_STR("none"))) {
    *out = (calve_metrics_mode){.kind = CALVE_METRICS_NONE};
  } else if (calve_str_equal_nocase(text, CALVE_STR("counts"))) {
    *out = (calve_metrics_mode){.kind = CALVE_METRICS_COUNTS};
  } else if (calve_str_equal_nocase(text, CALVE_STR("full"))) {
    *out = (calve_metrics_mode){.kind = CALVE_METRICS_FULL};
  } else {
    static const char word[] = "truncate(";
    size_t size = sizeof word - 1;
    int64_t length = 0;
    if (text.size < size + 2 || text.data[text.size - 1] != ')' ||
        !calve_str_equal_nocase((calve_str){text.data, size}, CALVE_STR("truncate(")) ||
        !calve_str_to_i64((calve_str){text.data + size, text.size - size - 1}, &length) ||
        length < 1 || length > INT32_MAX)
      return false;
    *out = (calve_metrics_mode){.kind = CALVE_METRICS_TRUNCATE, .length = (int32_t)length};
  }
  return true;
}

/* Start of the last code point. */
static size_t last_code_point(calve_str s) {
  size_t at = s.size - 1;
  while (at > 0 && ((unsigned char)s.data[at] & 0xC0) == 0x80) at--;
  return at;
}

/* The smallest string above all that start with s: its last code point raised by one, those that
 * can't be raised cut off. False when nothing is left. Surrogates are no characters. */
static bool raise_string(calve_str s, char *copy, calve_str *out) {
  if (s.size > 0) memcpy(copy, s.data, s.size);
  while (s.size > 0) {
    size_t at = last_code_point(s);
    uint32_t c = 0;
    if (calve_utf8_decode((calve_str){s.data + at, s.size - at}, &c) == 0) return false;
    if (c < 0x10FFFF) {
      c = c == 0xD7FF ? 0xE000 : c + 1;
      *out = (calve_str){copy, at + calve_utf8_encode(c, copy + at)};
      return true;
    }
    s.size = at;
  }
  return false;
}

static bool raise_bytes(calve_str s, char *copy, calve_str *out) {
  if (s.size > 0) memcpy(copy, s.data, s.size);
  for (size_t size = s.size; size > 0; size--) {
    unsigned char last = (unsigned char)copy[size - 1];
    if (last == 0xFF) continue;
    copy[size - 1] = (char)(last + 1);
    *out = (calve_str){copy, size};
    return true;
  }
  return false;
}

/* Cuts bytes or text; gives false when there is no such bound. */
static bool cut(const calve_value *v, bool upper, int32_t length, calve_arena *arena,
                calve_str *out, bool *oom) {
  bool text = v->type == CALVE_STRING;
  size_t size = text ? calve_utf8_prefix_bytes(v->bytes, (size_t)length)
                     : (v->bytes.size < (size_t)length ? v->bytes.size : (size_t)length);
  calve_str prefix = {v->bytes.data, size};
  *out = prefix;
  if (size == v->bytes.size || !upper) return true;
  char *copy = calve_arena_alloc(arena, size + 4); /* a raised code point may be one byte longer */
  *oom = copy == NULL;
  return copy && (text ? raise_string(prefix, copy, out) : raise_bytes(prefix, copy, out));
}

calve_status calve_bound_bytes(const calve_value *v, bool upper, calve_metrics_mode mode,
                               calve_arena *arena, calve_str *out, calve_error *err) {
  *out = (calve_str){0};
  if (v->is_null || calve_value_is_nan(v) || mode.kind < CALVE_METRICS_TRUNCATE) return CALVE_OK;
  calve_value bound = *v;
  if (v->type == CALVE_FLOAT && v->f32 == 0.0f) bound.f32 = upper ? 0.0f : -0.0f;
  if (v->type == CALVE_DOUBLE && v->f64 == 0.0) bound.f64 = upper ? 0.0 : -0.0;
  bool cuttable = v->type == CALVE_STRING || v->type == CALVE_BINARY || v->type == CALVE_FIXED;
  if (cuttable && mode.kind == CALVE_METRICS_TRUNCATE) {
    bool oom = false;
    if (!cut(v, upper, mode.length, arena, &bound.bytes, &oom))
      return oom ? calve_fail_oom(err) : CALVE_OK;
  }
  calve_buffer bytes;
  calve_buffer_init(&bytes, arena->allocator);
  calve_value_to_bytes(&bound, &bytes);
  calve_status status = calve_buffer_check(&bytes, err);
  if (status == CALVE_OK) {
    char *copy = calve_arena_copy(arena, bytes.data, bytes.size); /* "" is a bound too */
    if (copy)
      *out = (calve_str){copy, bytes.size};
    else
      status = calve_fail_oom(err);
  }
  calve_buffer_free(&bytes);
  return status;
}
