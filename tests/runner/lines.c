/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/lines.h"

#include <stdio.h>
#include <string.h>

calve_str file_text(calve_arena *arena, const char *path) {
  calve_str text = {NULL, 0};
  FILE *file = fopen(path, "rb");
  if (file && fseek(file, 0, SEEK_END) == 0) {
    long size = ftell(file);
    char *bytes = size >= 0 ? calve_arena_alloc(arena, (size_t)size + 1) : NULL;
    rewind(file);
    if (bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size)
      text = (calve_str){bytes, (size_t)size};
  }
  if (file) fclose(file);
  if (!text.data) printf("FAIL %s: can't be read\n", path);
  return text;
}

bool lines_each(calve_arena *arena, const char *path,
                void (*each)(void *ctx, calve_str line, long number), void *ctx) {
  calve_str text = file_text(arena, path);
  if (!text.data) return false;
  const char *end = text.data + text.size;
  long number = 0;
  for (const char *line = text.data; line < end;) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    const char *stop = newline ? newline : end;
    number++;
    if (stop > line) each(ctx, (calve_str){line, (size_t)(stop - line)}, number);
    line = stop + 1;
  }
  return true;
}
