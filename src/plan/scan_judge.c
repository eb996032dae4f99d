/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/sorting.h"
#include "expr/condense.h"
#include "expr/fold.h"
#include "plan/scan_parts.h"

/* Which statistics the filter asks for, over all its columns. */
static calve_status choose_metrics(calve_plan__judge *j, calve_arena *arena, calve_error *err) {
  int32_t *ids = CALVE_NEW_ARRAY(arena, int32_t, j->bound->column_count);
  if (!ids) return calve_fail_oom(err);
  for (size_t i = 0; i < j->bound->column_count; i++) {
    const calve_bound_column *c = &j->bound->columns[i];
    if (c->node->inside_repeated) continue; /* bounds of elements say nothing about rows        */
    ids[j->metric_id_count++] = c->node->field->id;
    if (c->needs & CALVE_NEEDS_COUNTS) {
      j->metric_columns |= CALVE_COLUMNS_VALUE_COUNTS | CALVE_COLUMNS_NULL_COUNTS;
    }
    if (c->needs & CALVE_NEEDS_NAN_COUNT) {
      j->metric_columns |= CALVE_COLUMNS_VALUE_COUNTS | CALVE_COLUMNS_NAN_COUNTS;
    }
    if (c->needs & CALVE_NEEDS_BOUNDS) j->metric_columns |= CALVE_COLUMNS_BOUNDS;
  }
  qsort(ids, j->metric_id_count, sizeof *ids, calve_compare_i32);
  j->metric_ids = ids;
  return CALVE_OK;
}

static calve_status project_specs(calve_plan__judge *j, const calve_metadata *metadata,
                                  calve_arena *arena, calve_error *err) {
  j->spec_count = (size_t)metadata->spec_count;
  j->specs = CALVE_NEW_ARRAY(arena, calve_plan__spec, j->spec_count);
  if (!j->specs) return calve_fail_oom(err);
  for (size_t i = 0; i < j->spec_count; i++) {
    calve_plan__spec *s = &j->specs[i];
    s->spec = metadata->specs[i];
    s->inclusive = &calve_predicate_true;
    if (j->matches_all || j->matches_none) continue;
    CALVE_TRY(
        calve_project(j->bound, s->spec, j->schema, CALVE_INCLUSIVE, arena, &s->inclusive, err));
    CALVE_TRY(calve_condense(s->inclusive, arena, &s->inclusive, err));
    CALVE_TRY(calve_residual_prepare(j->bound, s->spec, j->schema, arena, &s->residual, err));
  }
  j->unknown_spec.inclusive = &calve_predicate_true;
  return CALVE_OK;
}

/* The filter that files are judged by, of what was bound. */
static calve_status settle_filter(calve_plan__judge *j, bool partial, calve_arena *arena,
                                  calve_error *err) {
  const calve_bound *folded;
  calve_bound *bound = CALVE_NEW(arena, calve_bound);
  if (!bound) return calve_fail_oom(err);
  CALVE_TRY(calve_fold(j->bound, arena, &folded, err));
  j->matches_all = folded->root->op == CALVE_OP_TRUE;
  j->matches_none = folded->root->op == CALVE_OP_FALSE;
  *bound = j->matches_none ? *j->bound : *folded; /* people see what they wrote                  */
  CALVE_TRY(calve_condense(bound->root, arena, &bound->root, err));
  bound->exact = bound->exact && !partial;
  j->bound = bound;
  return CALVE_OK;
}

calve_status calve_plan__judge_make(const calve_scan_params *params, const calve_schema *schema,
                                    calve_arena *arena, calve_plan__judge *out, calve_error *err) {
  calve_plan__judge j = {.schema = schema};
  const calve_predicate *filter = params->filter ? params->filter : &calve_predicate_true;
  CALVE_TRY(calve_bind(filter, schema, &params->bind, arena, &j.bound, err));
  CALVE_TRY(settle_filter(&j, params->filter_is_partial, arena, err));
  CALVE_TRY(choose_metrics(&j, arena, err));
  CALVE_TRY(project_specs(&j, params->metadata, arena, err));
  *out = j;
  return CALVE_OK;
}

const calve_plan__spec *calve_plan__judge_spec(const calve_plan__judge *j, int32_t spec_id) {
  for (size_t i = 0; i < j->spec_count; i++) {
    if (j->specs[i].spec->spec_id == spec_id) return &j->specs[i];
  }
  return &j->unknown_spec;
}

bool calve_plan__image_tuples_known(const calve_plan__spec *s, const calve_image_rows *rows) {
  for (int32_t i = 0; s->spec && i < s->spec->field_count; i++) {
    bool unknown = rows->unknown_fields >> i & 1;
    if (unknown && s->spec->fields[i].transform.kind != CALVE_VOID) return false;
  }
  return s->spec != NULL;
}
