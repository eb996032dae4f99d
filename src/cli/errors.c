/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/cli.h"

/* Columns of a run of UTF-8: one per code point is near enough for a caret. */
static int columns(const char *text, size_t size) {
  int count = 0;
  for (size_t i = 0; i < size; i++) count += ((unsigned char)text[i] & 0xC0) != 0x80;
  return count;
}

/* The line of the text that has the offset, and a caret below it. */
static void show_place(const char *text, size_t size, size_t offset) {
  size_t start = offset, end = offset;
  int number = 1;
  while (start > 0 && text[start - 1] != '\n') start--;
  while (end < size && text[end] != '\n') end++;
  for (size_t i = 0; i < start; i++) number += text[i] == '\n';
  int indent = fprintf(stderr, "  line %d: ", number);
  for (size_t i = start; i < end; i++) fputc((unsigned char)text[i] < 0x20 ? ' ' : text[i], stderr);
  fprintf(stderr, "\n%*s^\n", indent + columns(text + start, offset - start), "");
}

int cli_fail(const calve_error *err, const char *script, size_t at) {
  size_t size = script ? strlen(script) : 0;
  bool about_text = strcmp(err->where, "SQL") == 0 || strcmp(err->where, "condition") == 0;
  bool in_script = about_text && script && err->byte_offset >= 0 && at <= size &&
                   (size_t)err->byte_offset <= size - at;
  fflush(stdout);
  if (err->where[0] && !about_text)
    fprintf(stderr, "calve: %s: %s\n", err->where, err->message);
  else
    fprintf(stderr, "calve: %s\n", err->message);
  if (in_script) show_place(script, size, at + (size_t)err->byte_offset);
  switch (err->code) {
    case CALVE_OK:
      return CLI_OK;
    case CALVE_ECONFLICT:
      return CLI_CONFLICT;
    case CALVE_EUNKNOWN:
      return CLI_UNKNOWN;
    case CALVE_ECORRUPT:
    case CALVE_EIO:
      return CLI_STORAGE;
    case CALVE_ENOMEM:
      return CLI_MEMORY;
    case CALVE_ECANCELLED:
      return cli_interrupted_code();
    default:
      return CLI_FAILED;
  }
}
