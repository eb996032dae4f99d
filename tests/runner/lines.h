/* SPDX-License-Identifier: Apache-2.0 */
/* runner/lines: the lines of a file.
 * In: a path. Out: calls. Empty lines are left out. */
#ifndef CALVE_TESTS_LINES_H
#define CALVE_TESTS_LINES_H

#include <stdbool.h>

#include "base/arena.h"

/* Calls `each` with every line and its 1-based number; the text lives in the arena. False after
 * printing why the file can't be read. */
bool lines_each(calve_arena *arena, const char *path,
                void (*each)(void *ctx, calve_str line, long number), void *ctx);
/* The whole file in the arena, zero-terminated; data NULL after printing why it can't be read. */
calve_str file_text(calve_arena *arena, const char *path);

#endif
