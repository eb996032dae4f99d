/* SPDX-License-Identifier: Apache-2.0 */
/* codec/json: JSON text <-> C values, our own because table metadata is a hot path.
 * In: UTF-8 text. Out: values, slices of the text, strings in an arena; or text in a buffer.
 * May be used by every room below. Never recurses without a cap (CALVE_JSON_DEPTH_MAX), never goes
 * through double for integers, never changes key order. RFC 8259; a BOM is refused.
 *
 * Reading is by a cursor in one pass: the caller walks objects and arrays in the order of the text
 * and must consume (read, skip or raw) exactly one value for each key or element:
 *
 *     calve_json_reader r;
 *     calve_json_open(&r, text, "v3.metadata.json", arena);
 *     CALVE_TRY(calve_json_begin_object(&r, err));
 *     for (calve_str key; ; ) {
 *       bool more;
 *       CALVE_TRY(calve_json_next_key(&r, &key, &more, err));
 *       if (!more) break;
 *       if (calve_str_equal(key, CALVE_STR("schema-id"))) CALVE_TRY(calve_json_i32(&r, &id, err));
 *       else CALVE_TRY(calve_json_skip(&r, err));
 *     }
 *     CALVE_TRY(calve_json_end(&r, err));   // only white space may follow
 *
 * Errors are CALVE_ECORRUPT with `where` (the name given to open), the byte offset, and a message
 * led by a JSON pointer: "/snapshots/3/snapshot-id: expected an integer, found a string".        */
#ifndef CALVE_CODEC_JSON_H
#define CALVE_CODEC_JSON_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/limits.h"

typedef enum calve_json_kind {
  CALVE_JSON_NULL,
  CALVE_JSON_BOOL,
  CALVE_JSON_NUMBER,
  CALVE_JSON_STRING,
  CALVE_JSON_ARRAY,
  CALVE_JSON_OBJECT
} calve_json_kind;

typedef struct calve_json_frame {
  calve_str key;  /* current key, object only (decoded)                                         */
  int64_t index;  /* current index, array only; -1 for an object                                */
  bool started;   /* a first member was seen                                                    */
} calve_json_frame;

typedef struct calve_json_reader {
  const char *text, *at, *end;
  const char *value; /* where the value just read began: the place of calve_json_fail           */
  const char *where;
  calve_arena *arena; /* for strings with escapes; others are slices of the text                */
  int64_t base_offset; /* added to offsets in errors: the text is a part of a larger file       */
  int depth;
  calve_json_frame frames[CALVE_JSON_DEPTH_MAX];
} calve_json_reader;

/* text and where are borrowed while reading; strings read live as long as text and arena. */
void calve_json_open(calve_json_reader *r, calve_str text, const char *where, calve_arena *arena);
/* Kind of the value that comes next; nothing is consumed. */
CALVE_MUST_USE calve_status calve_json_peek(calve_json_reader *r, calve_json_kind *kind,
                                            calve_error *err);
CALVE_MUST_USE calve_status calve_json_begin_object(calve_json_reader *r, calve_error *err);
CALVE_MUST_USE calve_status calve_json_next_key(calve_json_reader *r, calve_str *key, bool *more,
                                                calve_error *err);
CALVE_MUST_USE calve_status calve_json_begin_array(calve_json_reader *r, calve_error *err);
CALVE_MUST_USE calve_status calve_json_next_item(calve_json_reader *r, bool *more,
                                                 calve_error *err);
/* Integers: exact; a fraction or exponent is refused, as is a value out of range. */
CALVE_MUST_USE calve_status calve_json_i32(calve_json_reader *r, int32_t *out, calve_error *err);
CALVE_MUST_USE calve_status calve_json_i64(calve_json_reader *r, int64_t *out, calve_error *err);
/* The number's own text, checked by the grammar. */
CALVE_MUST_USE calve_status calve_json_number(calve_json_reader *r, calve_str *text,
                                              calve_error *err);
CALVE_MUST_USE calve_status calve_json_bool(calve_json_reader *r, bool *out, calve_error *err);
/* Decoded; valid UTF-8 is checked; lone surrogates are refused. NUL behind it only when it was
 * copied to the arena: use the size. */
CALVE_MUST_USE calve_status calve_json_str(calve_json_reader *r, calve_str *out, calve_error *err);
/* Consumes null and gives true, or consumes nothing and gives false. */
CALVE_MUST_USE calve_status calve_json_null(calve_json_reader *r, bool *was_null,
                                            calve_error *err);
CALVE_MUST_USE calve_status calve_json_skip(calve_json_reader *r, calve_error *err);
/* Skips a value and gives its text, to be kept or opened later. */
CALVE_MUST_USE calve_status calve_json_raw(calve_json_reader *r, calve_str *text,
                                           calve_error *err);
/* Checks that only white space follows the top value. */
CALVE_MUST_USE calve_status calve_json_end(calve_json_reader *r, calve_error *err);
/* An error about the value just read: adds offset and pointer. */
calve_status calve_json_fail(const calve_json_reader *r, calve_error *err, const char *fmt, ...)
    CALVE_PRINTF(3, 4);

/* ---- a tree, for small texts (expressions, tests) ---------------------------------------- */

typedef struct calve_json {
  calve_json_kind kind;
  bool boolean;
  calve_str text; /* string: decoded; number: its own text                                      */
  calve_str raw;  /* the value's text as it stands in the input                                 */
  size_t count;   /* items of an array, members of an object                                    */
  const calve_str *keys;          /* object only, in the order of the text                      */
  const struct calve_json *items; /* values of members, or elements                             */
} calve_json;

CALVE_MUST_USE calve_status calve_json_parse(calve_str text, const char *where, calve_arena *arena,
                                             const calve_json **out, calve_error *err);
/* The member's value; NULL when j is NULL, no object, or has no such key. */
const calve_json *calve_json_get(const calve_json *j, const char *key);
/* The number as an exact int64; false when j is NULL, no number, or no integer in range. */
bool calve_json_as_i64(const calve_json *j, int64_t *out);

/* ---- writing ------------------------------------------------------------------------------ */

/* Writes into a buffer; commas, quotes and escapes are its business. Compact, or indented by
 * `indent` spaces the way people read it. */
typedef struct calve_json_writer {
  calve_buffer *out;
  int indent; /* 0 is compact                                                                   */
  int depth;
  bool need_comma;
  bool after_key;
} calve_json_writer;

void calve_json_write_init(calve_json_writer *w, calve_buffer *out, int indent);
void calve_json_write_begin(calve_json_writer *w, char open);  /* '{' or '['                    */
void calve_json_write_end(calve_json_writer *w, char close);   /* '}' or ']'                    */
void calve_json_write_key(calve_json_writer *w, const char *key);
void calve_json_write_key_str(calve_json_writer *w, calve_str key);
void calve_json_write_str(calve_json_writer *w, calve_str s);
void calve_json_write_i64(calve_json_writer *w, int64_t v);
void calve_json_write_bool(calve_json_writer *w, bool v);
void calve_json_write_null(calve_json_writer *w);
/* Text that is valid JSON already: a number, or a value that was kept raw. */
void calve_json_write_raw(calve_json_writer *w, calve_str text);

#endif
