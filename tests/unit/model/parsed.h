/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a table from text that must be right, for the tests of this room. */
#ifndef CALVE_TESTS_MODEL_PARSED_H
#define CALVE_TESTS_MODEL_PARSED_H

#include "harness.h"
#include "base/text.h"
#include "model/schema.h"
#include "model/sort.h"
#include "model/spec.h"
#include "model/value.h"

static inline const calve_type *parsed_type(calve_arena *arena, const char *text) {
  calve_error err;
  const calve_type *type = NULL;
  assert_ok(calve_type_parse(calve_str_of(text), arena, &type, &err), &err);
  return type;
}

static inline const calve_schema *parsed_schema(calve_arena *arena, const char *json) {
  calve_error err;
  const calve_schema *schema = NULL;
  assert_ok(calve_schema_parse(calve_str_of(json), "schema", arena, &schema, &err), &err);
  return schema;
}

static inline const calve_spec *parsed_spec(calve_arena *arena, const char *json) {
  calve_error err;
  const calve_spec *spec = NULL;
  assert_ok(calve_spec_parse(calve_str_of(json), "spec", arena, &spec, &err), &err);
  return spec;
}

static inline calve_transform parsed_transform(calve_arena *arena, const char *text) {
  calve_error err;
  calve_transform t = {0};
  assert_ok(calve_transform_parse(calve_str_of(text), arena, &t, &err), &err);
  return t;
}

static inline calve_value int_value(int32_t v) {
  return (calve_value){.type = CALVE_INT, .i32 = v};
}

static inline calve_value long_value(calve_type_id type, int64_t v) {
  return (calve_value){.type = type, .i64 = v};
}

static inline calve_value text_value(calve_str text) {
  return (calve_value){.type = CALVE_STRING, .bytes = text};
}

/* What a writer left in a buffer, which is then empty again. */
static inline void assert_buffer(calve_buffer *b, const char *expected) {
  assert_string_equal(calve_buffer_cstr(b), expected);
  calve_buffer_clear(b);
}

#endif
