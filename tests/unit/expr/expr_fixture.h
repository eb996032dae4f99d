/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of expr share: schemas and specs from JSON, filters from SQL, answers as text. All
 * lives in one arena, which setup and teardown make and free around each test. */
#ifndef CALVE_TESTS_EXPR_FIXTURE_H
#define CALVE_TESTS_EXPR_FIXTURE_H

#include "harness.h"

#include "base/buffer.h"
#include "base/text.h"
#include "expr/evaluate.h"
#include "expr/predicate_text.h"
#include "expr/project.h"
#include "expr/residual.h"

static calve_arena arena;
static calve_error err;

static inline int setup(void **state) {
  (void)state;
  calve_arena_init(&arena, NULL);
  return 0;
}

static inline int teardown(void **state) {
  (void)state;
  calve_arena_free(&arena);
  return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

static inline const calve_schema *schema_of(const char *fields) {
  const calve_schema *schema = NULL;
  calve_str json;
  assert_ok(
      calve_arena_printf(&arena, &json, &err, "{\"type\":\"struct\",\"fields\":[%s]}", fields),
      &err);
  assert_ok(calve_schema_parse(json, "schema", &arena, &schema, &err), &err);
  return schema;
}

/* One optional column `c`, id 1. */
static inline const calve_schema *column_of(const char *type) {
  calve_str field;
  assert_ok(
      calve_arena_printf(&arena, &field, &err,
                         "{\"id\":1,\"name\":\"c\",\"required\":false,\"type\":\"%s\"}", type),
      &err);
  return schema_of(field.data);
}

static inline const calve_spec *spec_of(const char *fields) {
  const calve_spec *spec = NULL;
  calve_str json;
  assert_ok(calve_arena_printf(&arena, &json, &err, "{\"spec-id\":0,\"fields\":[%s]}", fields),
            &err);
  assert_ok(calve_spec_parse(json, "spec", &arena, &spec, &err), &err);
  return spec;
}

/* One field `p` of the column 1. */
static inline const calve_spec *partition_by(const char *transform) {
  calve_str field;
  assert_ok(calve_arena_printf(&arena, &field, &err,
                               "{\"name\":\"p\",\"transform\":\"%s\",\"source-id\":1,"
                               "\"field-id\":1000}",
                               transform),
            &err);
  return spec_of(field.data);
}

static inline const calve_bound *bind(const calve_schema *schema, const char *where) {
  const calve_predicate *p = NULL;
  const calve_bound *bound = NULL;
  assert_ok(calve_predicate_parse(calve_str_of(where), &arena, &p, NULL, &err), &err);
  assert_ok(calve_bind(p, schema, NULL, &arena, &bound, &err), &err);
  return bound;
}

static inline const calve_predicate *project(const calve_schema *schema, const calve_spec *spec,
                                             const char *where, calve_projection kind) {
  const calve_predicate *out = NULL;
  assert_ok(calve_project(bind(schema, where), spec, schema, kind, &arena, &out, &err), &err);
  return out;
}

static inline const char *printed(const calve_predicate *p) {
  calve_buffer out;
  calve_str copy;
  calve_buffer_init(&out, NULL);
  calve_predicate_print(p, &out);
  assert_ok(calve_arena_str(&arena, calve_buffer_view(&out), &copy, &err), &err);
  calve_buffer_free(&out);
  return copy.data;
}

#define BYTES(literal) ((calve_str){"" literal, sizeof(literal) - 1})

static inline calve_value long_value(int64_t v) {
  return (calve_value){.type = CALVE_LONG, .i64 = v};
}
static inline calve_value int_value(int32_t v) {
  return (calve_value){.type = CALVE_INT, .i32 = v};
}
static inline calve_value string_value(const char *text) {
  return (calve_value){.type = CALVE_STRING, .bytes = calve_str_of(text)};
}

/* Whether a file with this one partition value is kept. */
static inline bool keeps(const calve_schema *schema, const calve_spec *spec, const char *where,
                         calve_value value) {
  return calve_tuple_might_match(project(schema, spec, where, CALVE_INCLUSIVE), &value, 1, NULL);
}

/* Whether a file with these statistics of its one column is kept. */
static inline bool keeps_file(const calve_schema *schema, const char *where,
                              calve_column_metrics metrics) {
  const calve_bound *bound = bind(schema, where);
  return calve_metrics_might_match(bound, 3, &metrics, NULL);
}

static inline bool file_must_match(const calve_schema *schema, const char *where,
                                   calve_column_metrics metrics) {
  const calve_bound *bound = bind(schema, where);
  return calve_metrics_must_match(bound, 3, &metrics);
}

#endif
