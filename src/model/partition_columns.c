/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/spec.h"

typedef struct seen_field {
  const calve_partition_field *field;
  int32_t spec_id;
} seen_field;

/* By field id, newest spec first. */
static int compare_seen(const void *a, const void *b) {
  const seen_field *x = a, *y = b;
  if (x->field->field_id != y->field->field_id)
    return x->field->field_id < y->field->field_id ? -1 : 1;
  return (x->spec_id < y->spec_id) - (x->spec_id > y->spec_id);
}

static const calve_type *result_type(const calve_partition_field *f, const calve_schema *schema) {
  const calve_schema_node *source = calve_schema_find_id(schema, f->source_id);
  return source ? calve_transform_result_type(&f->transform, source->field->type)
                : calve_type_of(CALVE_UNKNOWN);
}

calve_status calve_partition_columns(const calve_spec *const *specs, int32_t spec_count,
                                     const calve_schema *schema, calve_arena *arena,
                                     const calve_partition_column **out, int32_t *count,
                                     calve_error *err) {
  size_t total = 0, filled = 0;
  int32_t made = 0;
  for (int32_t i = 0; i < spec_count; i++) total += (size_t)specs[i]->field_count;
  seen_field *seen = CALVE_NEW_ARRAY(arena, seen_field, total);
  calve_partition_column *columns = CALVE_NEW_ARRAY(arena, calve_partition_column, total);
  if (!seen || !columns) return calve_fail_oom(err);
  for (int32_t i = 0; i < spec_count; i++)
    for (int32_t k = 0; k < specs[i]->field_count; k++)
      seen[filled++] = (seen_field){&specs[i]->fields[k], specs[i]->spec_id};
  if (total > 1) qsort(seen, total, sizeof *seen, compare_seen);
  bool is_void = false; /* whether the last column was void in all specs so far */
  for (size_t i = 0; i < total; i++) {
    const calve_partition_field *f = seen[i].field;
    bool first = made == 0 || columns[made - 1].field_id != f->field_id;
    if (first)
      columns[made++] = (calve_partition_column){f->field_id, f->name, result_type(f, schema)};
    else if (is_void && f->transform.kind != CALVE_VOID)
      columns[made - 1].type = result_type(f, schema);
    is_void = f->transform.kind == CALVE_VOID && (first || is_void);
  }
  *out = columns;
  *count = made;
  return CALVE_OK;
}
