/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a schema, a partition spec and a sort order: what is accepted is written as text
 * that reads back as the same, can be asked and given fresh ids. */
#include <stdlib.h>

#include "base/text.h"
#include "model/schema.h"
#include "model/sort.h"
#include "model/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok) {
  if (!ok) abort();
}

static const calve_schema *try_schema(calve_str text, calve_arena *arena, calve_buffer *out) {
  const calve_schema *s = NULL, *again = NULL, *fresh = NULL;
  calve_json_writer w;
  calve_error err;
  if (calve_schema_parse(text, "schema", arena, &s, &err) != CALVE_OK) {
    check(err.code == CALVE_ECORRUPT && err.message[0] != '\0' && !s);
    return NULL;
  }
  calve_buffer_clear(out);
  calve_json_write_init(&w, out, 0);
  calve_schema_write_json(s, &w);
  check(calve_schema_parse(calve_buffer_view(out), "again", arena, &again, &err) == CALVE_OK);
  check(calve_schema_same(s, again) && s->schema_id == again->schema_id);
  for (int32_t i = 0; i < s->node_count; i++) {
    check(calve_schema_find(s, s->nodes[i].full_name) == &s->nodes[i]);
    check(calve_schema_find_id(s, s->nodes[i].field->id) == &s->nodes[i]);
  }
  int32_t last = 0;
  check(calve_schema_assign_fresh_ids(s, 1, &last, arena, &fresh, &err) == CALVE_OK);
  check(last == s->node_count && fresh->highest_field_id == last);
  for (int version = 1; version <= 3; version++)
    check(calve_schema_check(s, version, &err) == CALVE_OK || err.code == CALVE_EINVAL);
  return s;
}

static void try_spec(calve_str text, const calve_schema *schema, calve_arena *arena,
                     calve_buffer *out) {
  const calve_spec *spec = NULL, *again = NULL;
  const calve_type **types = NULL;
  calve_json_writer w;
  calve_error err;
  if (calve_spec_parse(text, "spec", arena, &spec, &err) != CALVE_OK) return;
  calve_buffer_clear(out);
  calve_json_write_init(&w, out, 0);
  calve_spec_write_json(spec, &w);
  check(calve_spec_parse(calve_buffer_view(out), "again", arena, &again, &err) == CALVE_OK);
  check(calve_spec_equal(spec, again));
  check(calve_spec_check(spec, schema, &err) == CALVE_OK || err.code == CALVE_EINVAL);
  check(calve_spec_tuple_types(spec, schema, arena, &types, &err) == CALVE_OK);
}

static void try_order(calve_str text, const calve_schema *schema, calve_arena *arena,
                      calve_buffer *out) {
  const calve_sort_order *order = NULL, *again = NULL;
  calve_json_writer w;
  calve_error err;
  if (calve_sort_order_parse(text, "order", arena, &order, &err) != CALVE_OK) return;
  calve_buffer_clear(out);
  calve_json_write_init(&w, out, 0);
  calve_sort_order_write_json(order, &w);
  check(calve_sort_order_parse(calve_buffer_view(out), "again", arena, &again, &err) == CALVE_OK);
  check(calve_sort_order_same(order, again) && order->order_id == again->order_id);
  check(calve_sort_order_check(order, schema, &err) == CALVE_OK || err.code == CALVE_EINVAL);
}

/* A schema alone, or a line with a schema and behind it specs and orders, one a line. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char none[] = "{\"type\":\"struct\",\"fields\":[]}";
  calve_arena arena;
  calve_buffer out;
  const calve_schema *schema = NULL;
  const char *at = (const char *)data, *end = at + size;
  calve_arena_init(&arena, NULL);
  calve_buffer_init(&out, NULL);
  calve_error err;
  check(calve_schema_parse(calve_str_of(none), "none", &arena, &schema, &err) == CALVE_OK);
  while (at < end) {
    const char *stop = at;
    while (stop < end && *stop != '\n') stop++;
    calve_str line = {at, (size_t)(stop - at)};
    const calve_schema *found = try_schema(line, &arena, &out);
    if (found) schema = found;
    try_spec(line, schema, &arena, &out);
    try_order(line, schema, &arena, &out);
    at = stop + 1;
  }
  calve_buffer_free(&out);
  calve_arena_free(&arena);
  return 0;
}
