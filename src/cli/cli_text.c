/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arrow_cell.h"

static bool grow(cli_text *t, size_t more) {
  if (t->failed || more > SIZE_MAX / 4 - t->size) return !(t->failed = true);
  size_t needed = t->size + more + 1;
  if (needed <= t->capacity) return true;
  size_t capacity = needed * 2;
  char *data = realloc(t->data, capacity);
  if (!data) return !(t->failed = true);
  t->data = data;
  t->capacity = capacity;
  return true;
}

void cli_text_put(cli_text *t, const char *bytes, size_t size) {
  if (!grow(t, size)) return;
  if (size > 0) memcpy(t->data + t->size, bytes, size);
  t->size += size;
  t->data[t->size] = '\0';
}

void cli_text_puts(cli_text *t, const char *text) {
  cli_text_put(t, text, strlen(text));
}

void cli_text_printf(cli_text *t, const char *fmt, ...) {
  char piece[512];
  va_list args;
  va_start(args, fmt);
  int size = vsnprintf(piece, sizeof piece, fmt, args);
  va_end(args);
  if (size < 0 || (size_t)size >= sizeof piece)
    t->failed = true;
  else
    cli_text_put(t, piece, (size_t)size);
}

void cli_text_json_string(cli_text *t, const char *bytes, size_t size) {
  static const char escapes[] = "btn?fr"; /* 0x08 … 0x0d; vertical tab has none */
  size_t plain = 0;                       /* from there on nothing was to be escaped            */
  cli_text_put(t, "\"", 1);
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)bytes[i];
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    cli_text_put(t, bytes + plain, i - plain);
    plain = i + 1;
    if (c == '"' || c == '\\')
      cli_text_printf(t, "\\%c", c);
    else if (c >= 0x08 && c <= 0x0d && c != 0x0b)
      cli_text_printf(t, "\\%c", escapes[c - 0x08]);
    else
      cli_text_printf(t, "\\u%04x", c);
  }
  cli_text_put(t, bytes + plain, size - plain);
  cli_text_put(t, "\"", 1);
}

void cli_text_visible(cli_text *t, const char *bytes, size_t size, bool lines) {
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)bytes[i],
                  next = i + 1 < size ? (unsigned char)bytes[i + 1] : 0;
    if (c == '\n' && !lines)
      cli_text_puts(t, "\\n");
    else if (c == '\t')
      cli_text_puts(t, "\\t");
    else if ((c < 0x20 && c != '\n') || c == 0x7f)
      cli_text_printf(t, "\\x%02X", c);
    else if (c == 0xC2 && next >= 0x80 && next < 0xA0)
      cli_text_printf(t, "\\x%02X", (unsigned char)bytes[++i]);
    else
      cli_text_put(t, &bytes[i], 1);
  }
}

void cli_text_csv_field(cli_text *t, const char *bytes, size_t size) {
  bool quote = size == 0;
  for (size_t i = 0; i < size && !quote; i++)
    quote = bytes[i] == '"' || bytes[i] == ',' || bytes[i] == '\n' || bytes[i] == '\r';
  if (!quote) {
    cli_text_put(t, bytes, size);
    return;
  }
  cli_text_put(t, "\"", 1);
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] == '"') cli_text_put(t, "\"", 1);
    cli_text_put(t, &bytes[i], 1);
  }
  cli_text_put(t, "\"", 1);
}

void cli_text_free(cli_text *t) {
  free(t->data);
  *t = (cli_text){0};
}
