/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/runner.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "runner/exceptions.h"

static void out_of_memory(void) {
  printf("out of memory\n");
  exit(2);
}

/* ---- texts ------------------------------------------------------------------------------ */

const char *text_of_str(run *r, calve_str s) {
  char *copy = calve_arena_copy(&r->row, s.data ? s.data : "", s.size);
  if (!copy) out_of_memory();
  return copy;
}

const char *take_text(run *r, calve_buffer *b) {
  if (b->oom) out_of_memory();
  const char *text = text_of_str(r, calve_buffer_view(b));
  calve_buffer_free(b);
  return text;
}

static const char *text_of_list(run *r, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int size = vsnprintf(NULL, 0, fmt, args);
  char *text = size >= 0 ? calve_arena_alloc(&r->row, (size_t)size + 1) : NULL;
  if (!text) out_of_memory();
  vsnprintf(text, (size_t)size + 1, fmt, again);
  va_end(again);
  return text;
}

const char *text_of(run *r, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  const char *text = text_of_list(r, fmt, args);
  va_end(args);
  return text;
}

const char *hex_of(run *r, calve_str bytes) {
  calve_buffer out;
  calve_buffer_init(&out, NULL);
  for (size_t i = 0; i < bytes.size; i++)
    calve_buffer_printf(&out, "%02x", (unsigned)(unsigned char)bytes.data[i]);
  return take_text(r, &out);
}

const char *error_text(run *r) {
  r->note =
      calve_str_of(text_of(r, "%s%s%s", r->err.where, r->err.where[0] ? ": " : "", r->err.message));
  return text_of(r, "error: %s", calve_status_name(r->err.code));
}

const char *value_hex(run *r, const calve_value *v) {
  if (v->is_null) return "null";
  calve_buffer bytes;
  calve_buffer_init(&bytes, NULL);
  calve_value_to_bytes(v, &bytes);
  const char *hex = hex_of(r, calve_buffer_view(&bytes));
  if (bytes.oom) out_of_memory();
  calve_buffer_free(&bytes);
  return hex;
}

/* ---- checks ----------------------------------------------------------------------------- */

static void add_part(calve_buffer *b, const char *label, calve_str text) {
  if (b->size > 0) calve_buffer_puts(b, "; ");
  calve_buffer_puts(b, label);
  calve_buffer_puts(b, ": ");
  calve_buffer_put_str(b, text);
}

void expect_str(run *r, const char *label, calve_str expected, calve_str got) {
  if (calve_str_equal(expected, got)) return;
  r->failed = true;
  add_part(&r->expected, label, expected);
  add_part(&r->got, label, got);
}

void expect(run *r, const char *label, const char *expected, const char *got) {
  expect_str(r, label, calve_str_of(expected), calve_str_of(got));
}

void expect_bool(run *r, const char *label, bool expected, bool got) {
  expect(r, label, expected ? "true" : "false", got ? "true" : "false");
}

void row_unusable(run *r, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  expect(r, "row", "a row that can be run", text_of_list(r, fmt, args));
  va_end(args);
}

void begin_row(run *r, const char *id, const calve_json *json) {
  /* A folder's case may have filled the row's arena already: it is reset when the case ends. */
  r->id = calve_str_of(id);
  r->json = json;
  r->failed = false;
  r->note = (calve_str){NULL, 0};
  calve_buffer_clear(&r->expected);
  calve_buffer_clear(&r->got);
}

static void print_failure(run *r, const char *what) {
  printf("FAIL %s %.*s: %s\n  expected %s\n  got      %s\n", r->kind, CALVE_STR_ARG(r->id), what,
         calve_buffer_cstr(&r->expected), calve_buffer_cstr(&r->got));
  if (r->note.size > 0) printf("  message  %.*s\n", (int)r->note.size, r->note.data);
}

static void write_failure(run *r) {
  calve_buffer line;
  calve_json_writer w;
  if (!r->failures || !r->json) return;
  calve_buffer_init(&line, NULL);
  calve_json_write_init(&w, &line, 0);
  calve_json_write_begin(&w, '{');
  calve_json_write_key(&w, "why");
  calve_json_write_str(&w, CALVE_STR(""));
  calve_json_write_key(&w, "ours");
  calve_json_write_str(&w, calve_buffer_view(&r->got));
  calve_json_write_key(&w, "row");
  calve_json_write_raw(&w, r->json->raw);
  calve_json_write_end(&w, '}');
  fprintf(r->failures, "%s\n", calve_buffer_cstr(&line));
  calve_buffer_free(&line);
}

void end_row(run *r) {
  const exception *e = r->exceptions ? exceptions_find(r->exceptions, r->json) : NULL;
  bool as_listed = e && calve_str_equal(e->ours, calve_buffer_view(&r->got));
  if (e && !r->failed) {
    printf("FAIL %s %.*s: agrees with the reference, but stands in the exceptions: %.*s\n", r->kind,
           CALVE_STR_ARG(r->id), CALVE_STR_ARG(e->why));
    r->failed_count++;
  } else if (r->failed && as_listed) {
    r->differing_count++;
    r->passed_count++;
  } else if (r->failed) {
    if (e) {
      print_failure(r, "neither as the reference nor as the exceptions say");
      printf("  excepted %.*s\n", (int)e->ours.size, e->ours.data);
    } else {
      print_failure(r, "differs from the reference");
    }
    write_failure(r);
    r->failed_count++;
  } else {
    r->passed_count++;
  }
  calve_arena_reset(&r->row);
}
