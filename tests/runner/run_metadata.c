/* SPDX-License-Identifier: Apache-2.0 */
/* metadata/: index.jsonl says of each file whether it is accepted, and what it is written as. */
#include "model/metadata.h"
#include "runner/lines.h"
#include "runner/runner.h"

/* "same", or where two texts part and what stands there: files are too long to be printed. */
static const char *difference(run *r, calve_str expected, calve_str got) {
  enum { BEFORE = 20, SHOWN = 70 };
  size_t at = 0;
  while (at < expected.size && at < got.size && expected.data[at] == got.data[at]) at++;
  if (at == expected.size && at == got.size) return "same";
  size_t from = at > BEFORE ? at - BEFORE : 0;
  size_t size = got.size - from < SHOWN ? got.size - from : SHOWN;
  return text_of(r, "differs: %s", text_of_str(r, (calve_str){got.data + from, size}));
}

static void check_written(run *r, const calve_json *row, calve_str text, const calve_metadata *m) {
  const calve_json *canonical = calve_json_get(row, "canonical_file");
  calve_str expected = text;
  if (canonical) {
    expected =
        file_text(&r->row, text_of(r, "%s/metadata/%s", r->dir, text_of_str(r, canonical->text)));
    if (!expected.data) row_unusable(r, "no canonical file");
  }
  calve_buffer out;
  calve_json_writer w;
  calve_buffer_init(&out, NULL);
  calve_json_write_init(&w, &out, 0);
  calve_metadata_write_json(m, &w);
  calve_str written = calve_str_of(take_text(r, &out));
  expect(r, "canonical", "same", difference(r, expected, written));

  const calve_metadata *again;
  if (calve_metadata_parse(written, "written", &r->row, &again, &r->err) != CALVE_OK) {
    expect(r, "what was written is read", "ok", error_text(r));
    return;
  }
  calve_buffer_init(&out, NULL);
  calve_json_write_init(&w, &out, 0);
  calve_metadata_write_json(again, &w);
  expect(r, "second round", "same", difference(r, written, calve_str_of(take_text(r, &out))));
}

static void run_file(run *r, const calve_json *row) {
  calve_str text =
      file_text(&r->row, text_of(r, "%s/metadata/%s", r->dir, member_text(r, row, "file")));
  if (!text.data) {
    row_unusable(r, "no such file");
    return;
  }
  const calve_metadata *m;
  calve_status status =
      calve_metadata_parse(text, member_text(r, row, "file"), &r->row, &m, &r->err);
  expect(r, "accepted", member_bool(row, "accepted") ? "yes" : "no",
         status == CALVE_OK ? "yes" : "no");
  if (status != CALVE_OK) error_text(r);
  if (status == CALVE_OK && member_bool(row, "accepted")) check_written(r, row, text, m);
}

static void run_line(void *ctx, calve_str line, long number) {
  run *r = ctx;
  const calve_json *row = NULL;
  calve_status status = calve_json_parse(line, "index.jsonl", &r->whole, &row, &r->err);
  calve_str file = member_str(row, "file");
  begin_row(r, file.data ? calve_arena_copy(&r->whole, file.data, file.size) : "index.jsonl", row);
  if (status != CALVE_OK || !file.data)
    row_unusable(r, "line %ld of index.jsonl is unusable", number);
  else
    run_file(r, row);
  end_row(r);
}

void run_metadata(run *r) {
  char path[4096];
  snprintf(path, sizeof path, "%s/metadata/index.jsonl", r->dir);
  if (!lines_each(&r->whole, path, run_line, r)) r->failed_count++;
}
