/* SPDX-License-Identifier: Apache-2.0 */
/* projections: a predicate on the column `c`, projected through the one field `p` of a spec. */
#include "expr/project.h"
#include "runner/predicates.h"

static const calve_schema *one_column(run *r, const calve_type *type, bool required) {
  const calve_schema *schema = NULL;
  calve_field *field = calve_arena_alloc(&r->row, sizeof *field);
  calve_type *root = calve_arena_alloc(&r->row, sizeof *root);
  *field = (calve_field){.id = 1, .required = required, .name = CALVE_STR("c"), .type = type};
  *root = (calve_type){.id = CALVE_STRUCT, .field_count = 1, .fields = field};
  if (calve_schema_make(0, root, NULL, 0, &r->row, &schema, &r->err) != CALVE_OK)
    row_unusable(r, "schema: %s", r->err.message);
  return schema;
}

static const calve_spec *one_field(run *r, const calve_json *row) {
  calve_partition_field *field = calve_arena_alloc(&r->row, sizeof *field);
  calve_spec *spec = calve_arena_alloc(&r->row, sizeof *spec);
  *field = (calve_partition_field){
      .source_id = 1, .field_id = 1000, .name = CALVE_STR("p"), .source_count = 1};
  field->source_ids = &field->source_id;
  if (calve_transform_parse(member_str(row, "transform"), &r->row, &field->transform, &r->err) !=
      CALVE_OK) {
    row_unusable(r, "transform: %s", r->err.message);
    return NULL;
  }
  *spec = (calve_spec){.field_count = 1, .fields = field};
  return spec;
}

static void check(run *r, const calve_json *row, const char *label, calve_projection kind,
                  const calve_bound *bound, const naming *partition) {
  const calve_predicate *got;
  const char *text = calve_project(bound, partition->spec, partition->schema, kind, &r->row, &got,
                                   &r->err) == CALVE_OK
                         ? predicate_text(r, got)
                         : error_text(r);
  expect(r, label, expected_predicate(r, calve_json_get(row, label), partition), text);
}

void run_projections(run *r, const calve_json *row) {
  const calve_type *type = member_type(r, row, "type");
  const calve_type *partition_type = member_type(r, row, "partition_type");
  if (!type || !partition_type) return;
  const calve_schema *schema = one_column(r, type, member_bool(row, "required"));
  const calve_spec *spec = one_field(r, row);
  if (!schema || !spec) return;
  naming columns = {.schema = schema};
  naming partition = {.schema = schema, .spec = spec, .tuple_types = &partition_type};
  const calve_predicate *p = predicate_of(r, calve_json_get(row, "expr"), &columns);
  const calve_bound *bound;
  if (!p) return;
  if (calve_bind(p, schema, NULL, &r->row, &bound, &r->err) != CALVE_OK) {
    row_unusable(r, "bind: %s", r->err.message);
    return;
  }
  check(r, row, "inclusive", CALVE_INCLUSIVE, bound, &partition);
  check(r, row, "strict", CALVE_STRICT, bound, &partition);
}
