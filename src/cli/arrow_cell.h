/* SPDX-License-Identifier: Apache-2.0 */
/* cli/arrow_cell: one value of an Arrow array as text.
 * In: an Arrow schema and array (C Data Interface), a row. Out: text, exact: a decimal keeps its
 * digits, a double reads back as the same value. Nested values are JSON. Never reads beyond the
 * array. */
#ifndef CALVE_CLI_ARROW_CELL_H
#define CALVE_CLI_ARROW_CELL_H

#include <stdio.h>

#include "calve.h"

/* Text that grows; `failed` when memory ran out. */
typedef struct cli_text {
  char *data;
  size_t size, capacity;
  bool failed;
} cli_text;

void cli_text_put(cli_text *t, const char *bytes, size_t size);
void cli_text_puts(cli_text *t, const char *text);
void cli_text_printf(cli_text *t, const char *fmt, ...) CALVE_PRINTF(2, 3);
/* A JSON string of the bytes. */
void cli_text_json_string(cli_text *t, const char *bytes, size_t size);
/* A cell, which must not move the cursor or colour the screen: control characters are shown as
 * escapes, those of U+0080 … U+009F too. Alone in its row a cell may have lines. */
void cli_text_visible(cli_text *t, const char *bytes, size_t size, bool lines);
/* A csv field: quoted where RFC 4180 asks for it; an empty string is quoted, so that it is no
 * NULL. */
void cli_text_csv_field(cli_text *t, const char *bytes, size_t size);
void cli_text_free(cli_text *t);

bool cli_cell_is_null(const struct ArrowArray *array, int64_t row);
/* Appends the value as people and csv have it (no quotes), or as JSON. */
void cli_cell_text(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row,
                   bool json, cli_text *out);
/* Numbers are set to the right. */
bool cli_cell_is_number(const struct ArrowSchema *schema);

#endif
