/* SPDX-License-Identifier: Apache-2.0 */
/* Rows on standard output: as a table, csv or JSON. */
#define _XOPEN_SOURCE 700 /* wcwidth */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cli/arrow_cell.h"
#include "cli/cli.h"

/* Rows whose cells decide how wide a table's columns are. */
#define MEASURED_ROWS 1000

typedef struct printer {
  const cli_options *options;
  struct ArrowSchema schema;
  cli_text cell;
  int64_t rows;
  void (*before)(void *ctx); /* each time before something is written                           */
  void *before_ctx;
  cli_text keys; /* of JSON objects, each with a NUL behind it                                  */
  /* table */
  cli_text held; /* cells of the first rows, each with a NUL behind it                         */
  cli_text head; /* names of the columns, in the same way                                       */
  int *widths;
  const char **cells; /* of one row                                                             */
  int64_t held_rows;
  bool measured;
} printer;

/* ---- csv and json ------------------------------------------------------------------------- */

static void csv_row(printer *p, const struct ArrowArray *batch, int64_t row) {
  cli_text value = {0};
  p->cell.size = 0;
  for (int64_t i = 0; i < p->schema.n_children; i++) {
    if (i > 0) cli_text_put(&p->cell, ",", 1);
    if (cli_cell_is_null(batch->children[i], row + batch->offset)) continue;
    value.size = 0;
    cli_cell_text(p->schema.children[i], batch->children[i], row + batch->offset, false, &value);
    cli_text_csv_field(&p->cell, value.data ? value.data : "", value.size);
  }
  cli_text_put(&p->cell, "\n", 1);
  p->cell.failed |= value.failed;
  cli_text_free(&value);
  if (!p->cell.failed) fwrite(p->cell.data, 1, p->cell.size, stdout);
}

/* Whether an earlier column has this key, or any column the name. */
static bool is_taken(const printer *p, const char *key, int64_t column) {
  const char *at = p->keys.data;
  for (int64_t i = 0; i < column; i++, at += strlen(at) + 1)
    if (strcmp(at, key) == 0) return true;
  for (int64_t i = 0; i < p->schema.n_children; i++)
    if (i != column && strcmp(p->schema.children[i]->name, key) == 0) return true;
  return false;
}

/* The names of the columns; one that an earlier column has gets a number, as most readers keep one
 * value for a key. */
static void make_keys(printer *p) {
  for (int64_t i = 0; i < p->schema.n_children && !p->keys.failed; i++) {
    const char *name = p->schema.children[i]->name, *at = p->keys.data;
    cli_text key = {0};
    bool again = false;
    for (int64_t j = 0; j < i && !again; j++, at += strlen(at) + 1) again = strcmp(at, name) == 0;
    cli_text_puts(&key, name);
    cli_text_put(&key, "", 1);
    for (int64_t n = 1; again && !key.failed && is_taken(p, key.data, i); n++) {
      key.size = 0;
      cli_text_puts(&key, name);
      cli_text_printf(&key, "_%" PRId64, n);
      cli_text_put(&key, "", 1);
    }
    cli_text_put(&p->keys, key.data ? key.data : "", key.size);
    p->keys.failed |= key.failed;
    cli_text_free(&key);
  }
}

static void json_row(printer *p, const struct ArrowArray *batch, int64_t row) {
  const char *key = p->keys.data;
  p->cell.size = 0;
  cli_text_puts(&p->cell, p->rows > 0 ? ",\n{" : "\n{");
  for (int64_t i = 0; i < p->schema.n_children; i++, key += strlen(key) + 1) {
    if (i > 0) cli_text_puts(&p->cell, ", ");
    cli_text_json_string(&p->cell, key, strlen(key));
    cli_text_puts(&p->cell, ": ");
    if (cli_cell_is_null(batch->children[i], row + batch->offset))
      cli_text_puts(&p->cell, "null");
    else
      cli_cell_text(p->schema.children[i], batch->children[i], row + batch->offset, true, &p->cell);
  }
  cli_text_puts(&p->cell, "}");
  fwrite(p->cell.data, 1, p->cell.size, stdout);
}

/* ---- table -------------------------------------------------------------------------------- */

/* Columns that a text takes on a terminal; with `lines`, of its widest line. Control characters
 * take one. */
static int width_of(const char *text, bool lines) {
  int width = 0, widest = 0;
  mbstate_t state = {0};
  while (*text) {
    if (lines && *text == '\n') {
      widest = width > widest ? width : widest;
      width = 0;
      text++;
      continue;
    }
    wchar_t c;
    size_t size = mbrtowc(&c, text, strlen(text), &state);
    if (size == 0 || size > 8) { /* no character: byte by byte */
      state = (mbstate_t){0};
      size = 1;
      width++;
    } else {
      int w = wcwidth(c);
      width += w < 0 ? 1 : w;
    }
    text += size;
  }
  return width > widest ? width : widest;
}

static void put_padded(const char *text, int width, bool right, bool alone, bool last) {
  int pad = width - width_of(text, alone);
  if (right && pad > 0) printf("%*s", pad, "");
  fputs(text, stdout);
  if (!right && !last && pad > 0) printf("%*s", pad, "");
}

static void table_line(const printer *p) {
  for (int64_t i = 0; i < p->schema.n_children; i++) {
    if (i > 0) fputs("-+-", stdout);
    for (int j = 0; j < p->widths[i]; j++) putchar('-');
  }
  putchar('\n');
}

static void table_cells(const printer *p, const char *const *cells) {
  int64_t count = p->schema.n_children;
  for (int64_t i = 0; i < count; i++) {
    if (i > 0) fputs(" | ", stdout);
    put_padded(cells[i], p->widths[i], cli_cell_is_number(p->schema.children[i]), count == 1,
               i + 1 == count);
  }
  putchar('\n');
}

/* Prints the head and the rows that were held back to measure them. */
static void flush_held(printer *p) {
  size_t count = (size_t)p->schema.n_children;
  const char **cells = p->cells, *name = p->head.data;
  for (size_t i = 0; i < count; i++) {
    cells[i] = name;
    name += strlen(name) + 1;
    int width = width_of(cells[i], count == 1);
    if (width > p->widths[i]) p->widths[i] = width;
  }
  table_cells(p, cells);
  table_line(p);
  const char *at = p->held.data;
  for (int64_t row = 0; row < p->held_rows; row++) {
    for (size_t i = 0; i < count; i++) {
      cells[i] = at;
      at += strlen(at) + 1;
    }
    table_cells(p, cells);
  }
  p->measured = true;
}

/* Appends the row's cells to `held`. */
static void hold_row(printer *p, const struct ArrowArray *batch, int64_t row) {
  for (int64_t i = 0; i < p->schema.n_children; i++) {
    size_t start = p->held.size;
    p->cell.size = 0;
    if (cli_cell_is_null(batch->children[i], row + batch->offset))
      cli_text_puts(&p->cell, "NULL");
    else
      cli_cell_text(p->schema.children[i], batch->children[i], row + batch->offset, false,
                    &p->cell);
    cli_text_visible(&p->held, p->cell.data, p->cell.size, p->schema.n_children == 1);
    cli_text_put(&p->held, "", 1);
    if (p->held.failed || p->cell.failed) return;
    int width = width_of(p->held.data + start, p->schema.n_children == 1);
    if (!p->measured && width > p->widths[i]) p->widths[i] = width;
  }
}

static bool table_row(printer *p, const struct ArrowArray *batch, int64_t row) {
  if (p->measured) p->held.size = 0;
  hold_row(p, batch, row);
  if (p->held.failed || p->cell.failed) return false;
  if (!p->measured) {
    if (++p->held_rows == MEASURED_ROWS) flush_held(p);
    return true;
  }
  const char *at = p->held.data;
  for (int64_t i = 0; i < p->schema.n_children; i++) {
    p->cells[i] = at;
    at += strlen(at) + 1;
  }
  table_cells(p, p->cells);
  return true;
}

/* ---- the stream --------------------------------------------------------------------------- */

static void print_head(printer *p) {
  p->before(p->before_ctx);
  if (p->options->format == CLI_JSON) putchar('[');
  if (p->options->format != CLI_CSV) return;
  for (int64_t i = 0; i < p->schema.n_children; i++) {
    const char *name = p->schema.children[i]->name;
    if (i > 0) cli_text_put(&p->cell, ",", 1);
    cli_text_csv_field(&p->cell, name, strlen(name));
  }
  cli_text_put(&p->cell, "\n", 1);
  if (!p->cell.failed) fwrite(p->cell.data, 1, p->cell.size, stdout);
}

static bool print_batch(printer *p, const struct ArrowArray *batch) {
  p->before(p->before_ctx);
  for (int64_t row = 0; row < batch->length; row++) {
    if (p->options->format == CLI_CSV)
      csv_row(p, batch, row);
    else if (p->options->format == CLI_JSON)
      json_row(p, batch, row);
    else if (!table_row(p, batch, row))
      return false;
    p->rows++;
  }
  return !p->cell.failed;
}

static void print_tail(printer *p) {
  p->before(p->before_ctx);
  if (p->options->format == CLI_JSON) fputs(p->rows > 0 ? "\n]\n" : "]\n", stdout);
  if (p->options->format != CLI_TABLE) return;
  if (!p->measured) flush_held(p);
  if (!p->options->quiet) printf("(%" PRId64 " row%s)\n", p->rows, p->rows == 1 ? "" : "s");
}

static int stream_failed(struct ArrowArrayStream *stream, int failed) {
  const char *message = stream->get_last_error(stream);
  fflush(stdout);
  if (cli_was_interrupted()) {
    fputs("calve: interrupted\n", stderr);
    return cli_interrupted_code();
  }
  fprintf(stderr, "calve: %s\n", message && message[0] ? message : "the rows can't be read");
  return failed == EIO ? CLI_STORAGE : failed == ENOMEM ? CLI_MEMORY : CLI_FAILED;
}

static int print_all(printer *p, struct ArrowArrayStream *stream) {
  int code = stream->get_schema(stream, &p->schema);
  if (code != 0) return stream_failed(stream, code);
  p->widths = calloc((size_t)p->schema.n_children + 1, sizeof *p->widths);
  p->cells = calloc((size_t)p->schema.n_children + 1, sizeof *p->cells);
  if (!p->widths || !p->cells) return CLI_MEMORY;
  for (int64_t i = 0; i < p->schema.n_children; i++) {
    const char *name = p->schema.children[i]->name;
    cli_text_visible(&p->head, name, strlen(name), p->schema.n_children == 1);
    cli_text_put(&p->head, "", 1);
  }
  make_keys(p);
  if (p->head.failed || p->keys.failed) return CLI_MEMORY;
  print_head(p);
  for (;;) {
    struct ArrowArray batch = {0};
    code = stream->get_next(stream, &batch);
    if (code != 0) return stream_failed(stream, code);
    if (!batch.release) break;
    bool ok = print_batch(p, &batch);
    batch.release(&batch);
    if (!ok) return CLI_MEMORY;
    if (ferror(stdout)) return CLI_STORAGE; /* a closed pipe: the reader has had enough */
  }
  print_tail(p);
  return CLI_OK;
}

int cli_print_rows(struct ArrowArrayStream *stream, const cli_options *options,
                   void (*before)(void *ctx), void *before_ctx) {
  printer p = {.options = options, .before = before, .before_ctx = before_ctx};
  int code = print_all(&p, stream);
  if (code == CLI_MEMORY) fputs("calve: out of memory\n", stderr);
  if (p.schema.release) p.schema.release(&p.schema);
  stream->release(stream);
  cli_text_free(&p.cell);
  cli_text_free(&p.held);
  cli_text_free(&p.head);
  cli_text_free(&p.keys);
  free(p.cells);
  free(p.widths);
  return code;
}
