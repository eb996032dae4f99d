/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the JSON form of a predicate, with a schema and without: what is accepted is written
 * as a text that reads back to the same predicate. */
#include <stdlib.h>

#include "base/text.h"
#include "expr/bind.h"
#include "expr/predicate_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok) {
  if (!ok) abort();
}

static const char schema_json[] =
    "{\"type\":\"struct\",\"fields\":["
    "{\"id\":1,\"name\":\"i\",\"required\":false,\"type\":\"int\"},"
    "{\"id\":2,\"name\":\"d\",\"required\":false,\"type\":\"double\"},"
    "{\"id\":3,\"name\":\"s\",\"required\":true,\"type\":\"string\"},"
    "{\"id\":4,\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"},"
    "{\"id\":5,\"name\":\"dec\",\"required\":false,\"type\":\"decimal(9, 2)\"}]}";

static void check_round_trip(const calve_predicate *p, calve_arena *arena) {
  const calve_predicate *again;
  calve_buffer first, second;
  calve_json_writer w;
  calve_buffer_init(&first, NULL);
  calve_buffer_init(&second, NULL);
  calve_json_write_init(&w, &first, 0);
  calve_predicate_write_json(p, &w);
  check(calve_predicate_parse_json(calve_buffer_view(&first), NULL, arena, &again, NULL) ==
        CALVE_OK);
  calve_json_write_init(&w, &second, 0);
  calve_predicate_write_json(again, &w);
  check(calve_str_equal(calve_buffer_view(&first), calve_buffer_view(&second)));
  calve_buffer_free(&first);
  calve_buffer_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  calve_arena arena;
  const calve_predicate *p;
  const calve_schema *schema;
  const calve_bound *bound;
  calve_str text = {(const char *)data, size};
  calve_arena_init(&arena, NULL);
  check(calve_schema_parse(calve_str_of(schema_json), "schema", &arena, &schema, NULL) == CALVE_OK);
  if (calve_predicate_parse_json(text, NULL, &arena, &p, NULL) == CALVE_OK) {
    check_round_trip(p, &arena);
    if (calve_bind(p, schema, NULL, &arena, &bound, NULL) == CALVE_OK)
      check(bound->column_count <= 5);
  }
  if (calve_predicate_parse_json(text, schema, &arena, &p, NULL) == CALVE_OK)
    (void)calve_bind(p, schema, NULL, &arena, &bound, NULL);
  calve_arena_free(&arena);
  return 0;
}
