/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an SQL condition: faults lie inside the text; what is accepted prints, binds to a
 * schema of all types, projects through specs, and judges without statistics as "keep". */
#include <stdlib.h>

#include "base/text.h"
#include "expr/evaluate.h"
#include "expr/predicate_json.h"
#include "expr/predicate_text.h"
#include "expr/project.h"
#include "expr/residual.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok) {
  if (!ok) abort();
}

#define FIELD(id, name, type) \
  "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":\"" type "\"}"

static const char schema_json[] =
    "{\"type\":\"struct\",\"fields\":[" FIELD(1, "b", "boolean") "," FIELD(2, "c", "int") ","
    FIELD(3, "l", "long") "," FIELD(4, "f", "float") "," FIELD(5, "d", "double") ","
    FIELD(6, "dec", "decimal(9, 2)") "," FIELD(7, "day", "date") "," FIELD(8, "t", "time") ","
    FIELD(9, "ts", "timestamp") "," FIELD(10, "tz", "timestamptz") ","
    FIELD(11, "ns", "timestamp_ns") "," FIELD(12, "s", "string") "," FIELD(13, "u", "uuid") ","
    FIELD(14, "x", "fixed[2]") "," FIELD(15, "bin", "binary") "]}";
static const char spec_json[] =
    "{\"spec-id\":0,\"fields\":["
    "{\"name\":\"p\",\"transform\":\"truncate[10]\",\"source-id\":2,\"field-id\":1000},"
    "{\"name\":\"q\",\"transform\":\"hour\",\"source-id\":9,\"field-id\":1001},"
    "{\"name\":\"r\",\"transform\":\"truncate[2]\",\"source-id\":12,\"field-id\":1002},"
    "{\"name\":\"v\",\"transform\":\"bucket[4]\",\"source-id\":6,\"field-id\":1003},"
    "{\"name\":\"w\",\"transform\":\"identity\",\"source-id\":5,\"field-id\":1004},"
    "{\"name\":\"z\",\"transform\":\"month\",\"source-id\":7,\"field-id\":1005}]}";

static void print_and_write(const calve_predicate *p) {
  calve_buffer out;
  calve_json_writer w;
  calve_buffer_init(&out, NULL);
  calve_predicate_print(p, &out);
  calve_buffer_clear(&out);
  calve_json_write_init(&w, &out, 0);
  calve_predicate_write_json(p, &w);
  check(calve_buffer_check(&out, NULL) == CALVE_OK);
  calve_buffer_free(&out);
}

static void use_bound(const calve_bound *bound, const calve_spec *spec, const calve_schema *schema,
                      calve_arena *arena) {
  const calve_predicate *inclusive, *strict, *left;
  const calve_residual *residual;
  print_and_write(bound->root);
  check(calve_project(bound, spec, schema, CALVE_INCLUSIVE, arena, &inclusive, NULL) == CALVE_OK);
  check(calve_project(bound, spec, schema, CALVE_STRICT, arena, &strict, NULL) == CALVE_OK);
  print_and_write(inclusive);
  calve_column_metrics *columns = CALVE_NEW_ARRAY(arena, calve_column_metrics, bound->column_count);
  for (size_t i = 0; i < bound->column_count; i++) columns[i] = CALVE_NO_METRICS;
  bool never = bound->root->op == CALVE_OP_FALSE;
  check(never || calve_metrics_might_match(bound, 5, columns, NULL));
  check(inclusive->op == CALVE_OP_FALSE || calve_manifest_might_match(inclusive, NULL, 0, NULL));
  check(calve_residual_prepare(bound, spec, schema, arena, &residual, NULL) == CALVE_OK);
  check(calve_residual_of(residual, NULL, 0, arena, &left, NULL) == CALVE_OK);
  check(strict->op == CALVE_OP_TRUE || !calve_tuple_must_match(strict, NULL, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  calve_arena arena;
  calve_error err = {.byte_offset = -1};
  const calve_predicate *p;
  const calve_schema *schema;
  const calve_spec *spec;
  const calve_bound *bound;
  bool exact;
  calve_arena_init(&arena, NULL);
  calve_str text = {(const char *)data, size};
  calve_status status = calve_predicate_parse(text, &arena, &p, &exact, &err);
  check(status == CALVE_OK || (status == CALVE_EINVAL && err.message[0] != '\0'));
  if (status != CALVE_OK) check(err.byte_offset >= -1 && err.byte_offset <= (int64_t)size);
  if (status == CALVE_OK) {
    const calve_bind_options options = {.lenient = true};
    print_and_write(p);
    check(calve_schema_parse(calve_str_of(schema_json), "schema", &arena, &schema, NULL) ==
          CALVE_OK);
    check(calve_spec_parse(calve_str_of(spec_json), "spec", &arena, &spec, NULL) == CALVE_OK);
    if (calve_bind(p, schema, &options, &arena, &bound, &err) == CALVE_OK)
      use_bound(bound, spec, schema, &arena);
  }
  calve_arena_free(&arena);
  return 0;
}
