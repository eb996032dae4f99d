/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a single value of a type: the first byte picks type and form. What is accepted is
 * written so that it reads back as the same value, and goes through every transform. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/transform.h"
#include "model/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok) {
  if (!ok) abort();
}

static void check_same(const calve_value *a, const calve_value *b) {
  check(calve_value_equal(a, b));
  check(calve_value_hash(a) == calve_value_hash(b));
  if (!a->is_null) check(calve_value_compare(a, b) == 0);
}

static void try_transforms(const calve_type *type, const calve_value *v, calve_buffer *out) {
  static const calve_transform transforms[] = {{.kind = CALVE_IDENTITY},
                                               {.kind = CALVE_BUCKET, .parameter = 7},
                                               {.kind = CALVE_TRUNCATE, .parameter = 3},
                                               {.kind = CALVE_TRUNCATE, .parameter = INT32_MAX},
                                               {.kind = CALVE_YEAR},
                                               {.kind = CALVE_MONTH},
                                               {.kind = CALVE_DAY},
                                               {.kind = CALVE_HOUR},
                                               {.kind = CALVE_VOID}};
  for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++) {
    const calve_transform *t = &transforms[i];
    calve_value result, again;
    calve_error err;
    if (!calve_transform_accepts(t, type)) continue;
    if (calve_transform_apply(t, type, v, &result, &err) != CALVE_OK) {
      check(err.code == CALVE_EINVAL);
      continue;
    }
    check(result.type == calve_transform_result_type(t, type)->id);
    calve_transform_print_value(t, type, &result, out);
    /* Truncating once more changes nothing, and never goes up. */
    if (t->kind != CALVE_TRUNCATE || v->is_null) continue;
    check(calve_value_compare(&result, v) <= 0);
    check(calve_transform_apply(t, type, &result, &again, &err) == CALVE_OK);
    check_same(&result, &again);
  }
}

static void try_bytes(const calve_type *type, calve_str bytes, calve_buffer *out) {
  calve_value v, again;
  calve_error err;
  if (calve_value_from_bytes(type, bytes, &v, &err) != CALVE_OK) return;
  calve_value_to_bytes(&v, out);
  check(calve_value_from_bytes(type, calve_buffer_view(out), &again, &err) == CALVE_OK);
  check_same(&v, &again);
  calve_buffer text;
  calve_buffer_init(&text, NULL);
  calve_value_print(&v, &text);
  try_transforms(type, &v, &text);
  calve_buffer_free(&text);
}

static void try_json(const calve_type *type, calve_str text, calve_arena *arena,
                     calve_buffer *out) {
  calve_value v, again, copy;
  calve_error err;
  calve_json_reader r;
  calve_json_writer w;
  calve_json_open(&r, text, "value", arena);
  if (calve_value_read_json(&r, type, &v, &err) != CALVE_OK) {
    check(err.code == CALVE_ECORRUPT && err.message[0] != '\0');
    return;
  }
  check(calve_value_copy(&v, arena, &copy, &err) == CALVE_OK);
  check_same(&v, &copy);
  calve_json_write_init(&w, out, 0);
  calve_value_write_json(&v, type, &w);
  calve_json_open(&r, calve_buffer_view(out), "again", arena);
  check(calve_value_read_json(&r, type, &again, &err) == CALVE_OK);
  check(calve_json_end(&r, &err) == CALVE_OK);
  check_same(&v, &again);
}

static void try_nested_json(calve_str text, calve_arena *arena, calve_buffer *out) {
  static const calve_type string = {.id = CALVE_STRING}, number = {.id = CALVE_DOUBLE};
  static const calve_field entry[] = {{.id = 1, .type = &string}, {.id = 2, .type = &number}};
  static const calve_type map = {.id = CALVE_MAP, .field_count = 2, .fields = entry};
  static const calve_field element = {.id = 3, .type = &map};
  static const calve_type list = {.id = CALVE_LIST, .field_count = 1, .fields = &element};
  static const calve_field fields[] = {{.id = 4, .type = &list}, {.id = 5, .type = &string}};
  static const calve_type nested = {.id = CALVE_STRUCT, .field_count = 2, .fields = fields};
  try_json(&nested, text, arena, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const types[] = {
      "boolean", "int",     "long",           "float",          "double",
      "date",    "time",    "timestamp",      "timestamptz",    "timestamp_ns",
      "string",  "uuid",    "timestamptz_ns", "fixed[4]",       "binary",
      "unknown", "variant", "decimal(9, 2)",  "decimal(38, 0)", "decimal(38, 38)"};
  enum { TYPES = sizeof types / sizeof *types };
  if (size == 0) return 0;
  calve_arena arena;
  calve_buffer out;
  calve_error err;
  const calve_type *type;
  calve_str rest = {(const char *)data + 1, size - 1};
  size_t pick = data[0] % (2 * TYPES + 1);
  calve_arena_init(&arena, NULL);
  calve_buffer_init(&out, NULL);
  if (pick == 2 * TYPES) {
    try_nested_json(rest, &arena, &out);
  } else {
    check(calve_type_parse(calve_str_of(types[pick % TYPES]), &arena, &type, &err) == CALVE_OK);
    if (pick < TYPES)
      try_bytes(type, rest, &out);
    else
      try_json(type, rest, &arena, &out);
  }
  calve_buffer_free(&out);
  calve_arena_free(&arena);
  return 0;
}
