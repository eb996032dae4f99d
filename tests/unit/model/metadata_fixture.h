/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata for tests, from short JSON: members that a test does not care about are filled in. */
#ifndef CALVE_TESTS_METADATA_FIXTURE_H
#define CALVE_TESTS_METADATA_FIXTURE_H

#include "harness.h"

#include "base/text.h"
#include "model/change.h"
#include "model/metadata.h"

#define UUID_TEXT "f79c3e09-677c-4bbd-a479-3f349cb785e7"
#define LONG_FIELD(id, name) \
  "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":\"long\"}"
#define FIELD(id, name, type) \
  "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":\"" type "\"}"
#define STRUCT(fields) "{\"type\":\"struct\",\"schema-id\":0,\"fields\":[" fields "]}"

/* What stands in a metadata file; NULL members get a plain default. */
typedef struct table_text {
  int version;         /* 0 is 2                                                              */
  const char *schema;  /* one schema with id 0; or                                            */
  const char *schemas; /* "[…]" with current schema 0                                         */
  const char *specs;   /* "[…]"                                                               */
  int default_spec;
  int last_partition_id; /* 0 is 999                                                            */
  int last_column_id;    /* 0 is 20                                                             */
  const char *orders;    /* "[…]", default order 0                                              */
  int default_order;
  const char *properties; /* "{…}"                                                              */
  const char *rest;       /* ",\"refs\":{…}" and so on                                          */
} table_text;

static inline const char *metadata_json(const table_text *t, char *out, size_t size) {
  int version = t->version ? t->version : 2;
  int n = snprintf(
      out, size,
      "{\"format-version\":%d,\"table-uuid\":\"" UUID_TEXT
      "\",\"location\":\"mem://t\","
      "\"last-sequence-number\":%d,\"last-updated-ms\":1000,\"last-column-id\":%d,"
      "\"current-schema-id\":0,\"schemas\":%s%s%s,\"default-spec-id\":%d,\"partition-specs\":%s,"
      "\"last-partition-id\":%d,\"default-sort-order-id\":%d,\"sort-orders\":%s,"
      "\"properties\":%s,\"next-row-id\":0%s}",
      version, version == 1 ? 0 : 9, t->last_column_id ? t->last_column_id : 20,
      t->schemas ? "" : "[",
      t->schemas  ? t->schemas
      : t->schema ? t->schema
                  : STRUCT(LONG_FIELD(1, "id") "," FIELD(2, "data", "string")),
      t->schemas ? "" : "]", t->default_spec,
      t->specs ? t->specs : "[{\"spec-id\":0,\"fields\":[]}]",
      t->last_partition_id ? t->last_partition_id : 999, t->default_order,
      t->orders ? t->orders : "[{\"order-id\":0,\"fields\":[]}]",
      t->properties ? t->properties : "{}", t->rest ? t->rest : "");
  assert_true(n > 0 && (size_t)n < size);
  return out;
}

/* An arena for one test, and its metadata in it. */
typedef struct fixture {
  calve_arena arena;
  calve_error err;
  char json[16384];
} fixture;

static inline int fixture_setup(void **state) {
  fixture *f = (fixture *)calloc(1, sizeof *f);
  assert_non_null(f);
  calve_arena_init(&f->arena, NULL);
  *state = f;
  return 0;
}

static inline int fixture_teardown(void **state) {
  fixture *f = (fixture *)*state;
  calve_arena_free(&f->arena);
  free(f);
  return 0;
}

#define FIXTURE_TEST(function) \
  cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

static inline calve_status parse_metadata(fixture *f, const char *json,
                                          const calve_metadata **out) {
  /* A copy: slices of the text must live as long as the metadata. */
  char *text = calve_arena_copy(&f->arena, json, strlen(json));
  assert_non_null(text);
  return calve_metadata_parse(calve_str_of(text), "v1.metadata.json", &f->arena, out, &f->err);
}

static inline const calve_metadata *make_table(fixture *f, table_text text) {
  const calve_metadata *m = NULL;
  metadata_json(&text, f->json, sizeof f->json);
  assert_ok(parse_metadata(f, f->json, &m), &f->err);
  return m;
}

/* The text of metadata as it is written; the caller need not free it. */
static inline const char *written_metadata(fixture *f, const calve_metadata *m) {
  calve_buffer b;
  calve_json_writer w;
  calve_buffer_init(&b, NULL);
  calve_json_write_init(&w, &b, 0);
  calve_metadata_write_json(m, &w);
  char *text = calve_arena_copy(&f->arena, b.data, b.size);
  calve_buffer_free(&b);
  assert_non_null(text);
  return text;
}

static inline void assert_str(calve_str got, const char *expected) {
  if (calve_str_equal_text(got, expected)) return;
  fail_msg("got \"%.*s\", expected \"%s\"", (int)got.size, got.data ? got.data : "", expected);
}

/* "1000:identity(1) id, 1001:bucket[4](2) b": the fields of a spec in one line. */
static inline const char *spec_line(fixture *f, const calve_spec *s) {
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  for (int32_t i = 0; i < s->field_count; i++) {
    calve_buffer_printf(&b, "%s%d:", i ? ", " : "", (int)s->fields[i].field_id);
    calve_transform_print(&s->fields[i].transform, &b);
    calve_buffer_printf(&b, "(%d) %.*s", (int)s->fields[i].source_id,
                        CALVE_STR_ARG(s->fields[i].name));
  }
  char *text = calve_arena_copy(&f->arena, b.data ? b.data : "", b.size);
  calve_buffer_free(&b);
  return text;
}

/* Applies changes whose requirements must hold. */
static inline calve_status apply_changes(fixture *f, const calve_changes *changes,
                                         const calve_metadata *base, int64_t now_ms,
                                         const calve_metadata **out) {
  assert_ok(calve_requirements_check(changes, base, &f->err), &f->err);
  return calve_changes_apply(changes, base, (calve_str){0}, now_ms, &f->arena, out, &f->err);
}

#endif
