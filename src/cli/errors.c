/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/cli.h"

/* Bytes of a line that are shown around the place of an error. */
#define BEFORE_PLACE 60
#define BEHIND_PLACE 60

static bool is_inside_character(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* Columns of a run of UTF-8: one per code point is near enough for a caret. */
static int columns(const char *text, size_t size) {
  int count = 0;
  for (size_t i = 0; i < size; i++) count += !is_inside_character(text[i]);
  return count;
}

/* The line of the text that has the offset, and a caret below it. Of a long line the part that is
 * near. */
static void show_place(const char *text, size_t size, size_t offset) {
  size_t start = offset, end = offset, from, to;
  int number = 1;
  while (start > 0 && text[start - 1] != '\n') start--;
  while (end < size && text[end] != '\n') end++;
  for (size_t i = 0; i < start; i++) number += text[i] == '\n';
  from = offset - start > BEFORE_PLACE + 1 ? offset - BEFORE_PLACE : start;
  to = end - offset > BEHIND_PLACE + 1 ? offset + BEHIND_PLACE : end;
  while (from < offset && is_inside_character(text[from])) from++;
  while (to < end && is_inside_character(text[to])) to++;
  int indent = fprintf(stderr, "  line %d: %s", number, from > start ? "…" : "");
  if (from > start) indent -= (int)strlen("…") - 1;
  for (size_t i = from; i < to; i++) fputc((unsigned char)text[i] < 0x20 ? ' ' : text[i], stderr);
  fprintf(stderr, "%s\n%*s^\n", to < end ? "…" : "", indent + columns(text + from, offset - from),
          "");
}

int cli_fail(const calve_error *err, const char *script, size_t at) {
  size_t size = script ? strlen(script) : 0;
  bool about_text = strcmp(err->where, "SQL") == 0 || strcmp(err->where, "condition") == 0;
  bool in_script = about_text && size > 0 && err->byte_offset >= 0 && at <= size &&
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
    case CALVE_EDENIED: /* by the system: the storage; else by a rule or an option               */
      return err->os_errno ? CLI_STORAGE : CLI_FAILED;
    case CALVE_ENOMEM:
      return CLI_MEMORY;
    case CALVE_ECANCELLED:
      return cli_interrupted_code();
    default:
      return CLI_FAILED;
  }
}
