/* SPDX-License-Identifier: Apache-2.0 */
/* runner/runner: what the files run_<kind>.c use to judge one row of vectors after another.
 * In: rows as JSON trees. Out: checks that passed or failed. Never knows a row: expectations come
 * from the folder, deliberate differences from tests/vectors-exceptions.
 *
 * A kind with a file NAME.jsonl has a function that is called for each line; it makes its checks
 * with expect(). A kind with a folder has a function that is called once, finds its cases itself
 * and wraps each into begin_row and end_row. A row passes when all its checks do.
 * A new kind is a file run_<kind>.c, a declaration here and a line in the table of main.c.      */
#ifndef CALVE_TESTS_RUNNER_H
#define CALVE_TESTS_RUNNER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"
#include "codec/json.h"
#include "model/schema.h"
#include "model/spec.h"
#include "model/type.h"
#include "model/value.h"

struct exceptions;

typedef struct run {
  const char *dir;   /* the vectors                                                             */
  const char *kind;  /* "transforms"                                                            */
  calve_arena row;   /* reset before each row                                                   */
  calve_arena whole; /* lives as long as the kind runs                                          */
  void *state;       /* of the kind, NULL at first: what a first row says for those that follow */
  calve_error err;   /* for calls of the library; error_text reads it                           */

  /* of the row that runs; not for the kinds */
  const calve_json *json;
  calve_str id;
  calve_buffer expected, got; /* "label: value; label: value" of the checks that failed         */
  calve_str note;
  bool failed;
  struct exceptions *exceptions;
  long passed_count, failed_count, differing_count;
  FILE *failures; /* failing rows in the form of exceptions, or NULL                            */
} run;

typedef void run_row_function(run *r, const calve_json *row);
typedef void run_folder_function(run *r);

/* ---- checks ----------------------------------------------------------------------------- */

/* One check of the row: passes when the two texts are equal. `label` tells checks apart. */
void expect(run *r, const char *label, const char *expected, const char *got);
void expect_bool(run *r, const char *label, bool expected, bool got);
void expect_str(run *r, const char *label, calve_str expected, calve_str got);
/* A row that can't be run at all: a failure that no exception can excuse. */
void row_unusable(run *r, const char *fmt, ...) CALVE_PRINTF(2, 3);

/* Around each case of a folder kind. `json` describes the case for exceptions; may be NULL. */
void begin_row(run *r, const char *id, const calve_json *json);
void end_row(run *r);

/* ---- texts ------------------------------------------------------------------------------ */

/* In the row's arena. Memory that runs out ends the runner. */
const char *text_of(run *r, const char *fmt, ...) CALVE_PRINTF(2, 3);
const char *text_of_str(run *r, calve_str s);
/* The bytes of a buffer, which is freed. */
const char *take_text(run *r, calve_buffer *b);
const char *hex_of(run *r, calve_str bytes);
/* "error: invalid", by the status of r->err; its message is printed with a failing row. */
const char *error_text(run *r);
/* "null", or the binary single-value form in hex. */
const char *value_hex(run *r, const calve_value *v);

/* ---- members of a row ------------------------------------------------------------------- */

calve_str member_str(const calve_json *j, const char *key); /* absent: data NULL                */
const char *member_text(run *r, const calve_json *j, const char *key); /* absent: NULL           */
bool member_bool(const calve_json *j, const char *key);     /* absent: false                     */
int64_t member_i64(const calve_json *j, const char *key);   /* absent: 0                         */
bool member_is_null(const calve_json *j, const char *key);  /* absent or null                    */
/* The bytes of a string of hex digits in the row's arena; false when it is none. */
bool bytes_of_hex(run *r, calve_str hex, calve_str *out);

/* A primitive type string, or a nested one ("list<long>", "struct<1: a: required int>"). NULL, and
 * r->err says why, when it is neither. */
const calve_type *type_of_text(run *r, calve_str text);
/* Members "type" and so on, which must be right: row_unusable and NULL otherwise. */
const calve_type *member_type(run *r, const calve_json *j, const char *key);
const calve_schema *member_schema(run *r, const calve_json *j, const char *key);
const calve_spec *member_spec(run *r, const calve_json *j, const char *key);
/* KEY_hex if it is there, else null. row_unusable and false when the bytes are no such value. */
bool member_value(run *r, const calve_json *j, const char *key, const calve_type *type,
                  calve_value *out);
/* The same for item `i` of the parallel arrays KEY and KEY_hex. */
bool member_value_at(run *r, const calve_json *j, const char *key, size_t i,
                     const calve_type *type, calve_value *out);

/* ---- kinds ------------------------------------------------------------------------------ */

run_row_function run_compare, run_expressions, run_manifest_eval, run_metrics_eval, run_names,
    run_projections, run_residuals, run_row_eval, run_schema_updates, run_spec_compat,
    run_spec_updates, run_transforms, run_values;
run_folder_function run_manifests, run_metadata;

#endif
