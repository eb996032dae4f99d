/* SPDX-License-Identifier: Apache-2.0 */
#include "data/csv_records.h"

#include <string.h>

#include "calve.h"

#define END (-1)

static calve_status fill(calve_csv_records *r, calve_error *err) {
  int64_t left = r->file.size_bytes - r->offset;
  size_t size = left < (int64_t)sizeof r->bytes ? (size_t)left : sizeof r->bytes;
  CALVE_TRY(calve_store_pread(&r->file, r->bytes, size, r->offset, err));
  r->offset += (int64_t)size;
  r->at = 0;
  r->size = size;
  return CALVE_OK;
}

/* The next byte, which stays; END behind the last. */
static calve_status peek(calve_csv_records *r, int *out, calve_error *err) {
  if (r->at == r->size && r->offset < r->file.size_bytes) CALVE_TRY(fill(r, err));
  *out = r->at == r->size ? END : (unsigned char)r->bytes[r->at];
  return CALVE_OK;
}

calve_status calve_csv_open(calve_str path, const calve_csv_dialect *dialect,
                            calve_csv_records *out, calve_error *err) {
  *out = (calve_csv_records){.dialect = *dialect, .line = 1};
  CALVE_TRY(calve_store_open(calve_local_store(), path, &out->file, err));
  calve_status status = fill(out, err);
  bool gzip = out->size > 1 && memcmp(out->bytes, "\x1f\x8b", 2) == 0;
  bool zstd = out->size > 3 && memcmp(out->bytes, "\x28\xb5\x2f\xfd", 4) == 0;
  if (status == CALVE_OK && (gzip || zstd))
    status = calve_fail(err, CALVE_EUNSUPPORTED, NULL, "the file is compressed");
  if (status != CALVE_OK) calve_csv_close(out);
  return status;
}

static bool is(int byte, char wanted) {
  return wanted && byte == (unsigned char)wanted;
}

/* What a byte inside of quotes does: it ends them, or makes the next one stand for itself. */
static calve_status inside_quotes(calve_csv_records *r, int byte, bool *quoted, bool *escaped,
                                  calve_error *err) {
  int next;
  CALVE_TRY(peek(r, &next, err));
  if (byte == '\n') r->line++;
  if (*escaped)
    *escaped = false;
  else if (is(byte, r->dialect.escape) &&
           (is(next, r->dialect.quote) || is(next, r->dialect.escape)))
    *escaped = true;
  else if (is(byte, r->dialect.quote))
    *quoted = false;
  return CALVE_OK;
}

/* Ends the record when the byte ends a line: \n, \r or both. */
static calve_status end_of_line(calve_csv_records *r, int byte, bool *ends, calve_error *err) {
  int next;
  *ends = byte == '\n' || byte == '\r';
  if (!*ends) return CALVE_OK;
  r->line++;
  CALVE_TRY(peek(r, &next, err));
  if (byte == '\r' && next == '\n') r->at++;
  return CALVE_OK;
}

/* Takes the bytes of one record; its first one is there. */
static calve_status take_record(calve_csv_records *r, calve_csv_record *out, calve_error *err) {
  bool quoted = false, escaped = false, at_start = true, first_line = true, ends = false;
  for (int byte;;) {
    CALVE_TRY(peek(r, &byte, err));
    if (byte == END) return CALVE_OK;
    r->at++;
    if (!quoted) CALVE_TRY(end_of_line(r, byte, &ends, err));
    if (ends) return CALVE_OK;
    if (byte == '\n' || byte == '\r') first_line = false;
    if (first_line && out->shown_size < CALVE_CSV_SHOWN) out->shown[out->shown_size++] = (char)byte;
    bool starts = at_start;
    at_start = false;
    if (quoted) {
      CALVE_TRY(inside_quotes(r, byte, &quoted, &escaped, err));
    } else if (starts && is(byte, r->dialect.quote)) {
      quoted = !out->is_comment;
    } else if (is(byte, r->dialect.delimiter)) {
      out->field_count++;
      at_start = true;
    }
  }
}

calve_status calve_csv_next(calve_csv_records *r, calve_csv_record *out, bool *more,
                            calve_error *err) {
  int byte;
  CALVE_TRY(peek(r, &byte, err));
  *more = byte != END;
  if (!*more) return CALVE_OK;
  *out = (calve_csv_record){
      .line = r->line, .field_count = 1, .is_comment = is(byte, r->dialect.comment)};
  CALVE_TRY(take_record(r, out, err));
  if (out->shown_size == CALVE_CSV_SHOWN) /* not inside a character */
    while (out->shown_size > 0 && ((unsigned char)out->shown[out->shown_size - 1] & 0x80))
      out->shown_size--;
  return CALVE_OK;
}

void calve_csv_close(calve_csv_records *r) {
  calve_store_close(&r->file);
}
