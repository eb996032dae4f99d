/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "codec/json.h"
#include "codec/json_scan.h"

void calve_json_write_init(calve_json_writer *w, calve_buffer *out, int indent) {
  *w = (calve_json_writer){.out = out, .indent = indent};
}

static void new_line(calve_json_writer *w) {
  if (w->indent == 0) return;
  size_t spaces = (size_t)w->indent * (size_t)w->depth;
  char *at = calve_buffer_reserve(w->out, spaces + 1);
  if (!at) return;
  at[0] = '\n';
  memset(at + 1, ' ', spaces);
  w->out->size += spaces + 1;
}

/* What stands before a key or a value. */
static void separate(calve_json_writer *w) {
  if (w->after_key) {
    w->after_key = false;
    return;
  }
  if (w->depth == 0) return;
  if (w->need_comma) calve_buffer_putc(w->out, ',');
  new_line(w);
}

void calve_json_write_begin(calve_json_writer *w, char open) {
  assert(open == '{' || open == '[');
  separate(w);
  calve_buffer_putc(w->out, open);
  w->depth++;
  w->need_comma = false;
}

void calve_json_write_end(calve_json_writer *w, char close) {
  assert((close == '}' || close == ']') && w->depth > 0 && !w->after_key);
  w->depth--;
  if (w->need_comma) new_line(w);
  calve_buffer_putc(w->out, close);
  w->need_comma = true;
}

/* Quote, backslash and control bytes, with short forms where there are any: what Jackson escapes by
 * default, so that unchanged metadata keeps its bytes. */
static void put_escape(calve_buffer *out, char c) {
  static const char hex[] = "0123456789ABCDEF";
  static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
  const char *found = c ? strchr(from, c) : NULL;
  if (found) {
    char pair[2] = {'\\', to[found - from]};
    calve_buffer_put(out, pair, sizeof pair);
    return;
  }
  char unit[6] = {'\\', 'u', '0', '0', hex[(unsigned char)c >> 4], hex[c & 0x0F]};
  calve_buffer_put(out, unit, sizeof unit);
}

static void put_string(calve_buffer *out, calve_str s) {
  calve_buffer_putc(out, '"');
  const char *p = s.data, *end = p + s.size;
  while (p < end) {
    const char *stop = calve_json__plain_run(p, end);
    while (stop < end && (unsigned char)*stop >= 0x80) stop++;
    calve_buffer_put(out, p, (size_t)(stop - p));
    p = stop;
    if (p < end && !calve_json__is_plain(*p)) put_escape(out, *p++);
  }
  calve_buffer_putc(out, '"');
}

void calve_json_write_key_str(calve_json_writer *w, calve_str key) {
  assert(w->depth > 0 && !w->after_key);
  separate(w);
  put_string(w->out, key);
  calve_buffer_putc(w->out, ':');
  if (w->indent > 0) calve_buffer_putc(w->out, ' ');
  w->after_key = true;
}

void calve_json_write_key(calve_json_writer *w, const char *key) {
  calve_json_write_key_str(w, calve_str_of(key));
}

void calve_json_write_raw(calve_json_writer *w, calve_str text) {
  separate(w);
  calve_buffer_put_str(w->out, text);
  w->need_comma = true;
}

void calve_json_write_str(calve_json_writer *w, calve_str s) {
  separate(w);
  put_string(w->out, s);
  w->need_comma = true;
}

void calve_json_write_i64(calve_json_writer *w, int64_t v) {
  char text[24];
  int n = snprintf(text, sizeof text, "%lld", (long long)v);
  calve_json_write_raw(w, (calve_str){text, (size_t)n});
}

void calve_json_write_bool(calve_json_writer *w, bool v) {
  calve_json_write_raw(w, v ? CALVE_STR("true") : CALVE_STR("false"));
}

void calve_json_write_null(calve_json_writer *w) {
  calve_json_write_raw(w, CALVE_STR("null"));
}
