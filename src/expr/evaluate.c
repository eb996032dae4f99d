/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/evaluate.h"

#include "expr/judge.h"
#include "expr/spans.h"

/* What a kind of rows knows about the term of a leaf. */
typedef struct evidence evidence;
typedef void range_function(const evidence *self, const calve_term *term, calve_expr_range *out);
struct evidence {
  range_function *range_of;
  size_t count; /* of summaries or tuple values                                                 */
  int64_t record_count;
  union {
    const calve_field_summary *summaries;
    const calve_value *values;
    const calve_column_metrics *metrics;
    const calve_expr_range *ranges;
  };
  /* The range of the last term: conditions often come in pairs, ts >= … AND ts < …             */
  int32_t slot; /* -1: none, or a transform's                                                   */
  calve_expr_range range;
};

/* Without clearing the range: this is done once per file. */
static void evidence_init(evidence *e, range_function *range_of) {
  e->range_of = range_of;
  e->slot = -1;
}

static const calve_expr_range *range_of(evidence *e, const calve_term *term) {
  if (term->has_transform) {
    e->slot = -1;
  } else {
    if (e->slot == term->slot) return &e->range;
    e->slot = term->slot;
  }
  e->range_of(e, term, &e->range);
  return &e->range;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static bool might(const calve_predicate *p, evidence *e, const calve_predicate **why);
static bool must(const calve_predicate *p, evidence *e);

/* Whether one of the children might match, or must. */
static bool any_of(const calve_predicate *p, size_t first, size_t end, evidence *e, bool all_rows) {
  for (size_t i = first; i < end; i++)
    if (all_rows ? must(p->children[i], e) : might(p->children[i], e, NULL)) return true;
  return false;
}

static bool any_child(const calve_predicate *p, evidence *e, bool all_rows) {
  size_t done = 0;
  for (size_t s = 0; p->spans && s < p->spans->count; s++) {
    const calve_expr_span *span = &p->spans->items[s];
    size_t first, end;
    if (any_of(p, done, span->first, e, all_rows)) return true;
    calve_expr__span_find(span, range_of(e, span->term), &first, &end);
    if (any_of(p, first, end, e, all_rows)) return true;
    done = span->first + span->count;
  }
  return any_of(p, done, p->count, e, all_rows);
}

/* Depth is that of the predicate, which its makers cap. Without NOT the tree is monotone: a leaf
 * that is judged too kindly can only make the whole too kind. */
static bool might(const calve_predicate *p, evidence *e, const calve_predicate **why) {
  switch (p->op) {
    case CALVE_OP_TRUE:
      return true;
    case CALVE_OP_AND:
      for (size_t i = 0; i < p->count; i++)
        if (!might(p->children[i], e, why)) return false;
      return true;
    case CALVE_OP_OR:
      if (any_child(p, e, false)) return true;
      break;
    case CALVE_OP_FALSE:
      break;
    default:
      if (calve_predicate_is_leaf(p)) {
        if (calve_expr__might(p, range_of(e, &p->term))) return true;
        break;
      }
      return true; /* NOT and SQL leaves have no place here: keep */
  }
  if (why) *why = p;
  return false;
}

static bool must(const calve_predicate *p, evidence *e) {
  switch (p->op) {
    case CALVE_OP_TRUE:
      return true;
    case CALVE_OP_AND:
      for (size_t i = 0; i < p->count; i++)
        if (!must(p->children[i], e)) return false;
      return true;
    case CALVE_OP_OR:
      return any_child(p, e, true);
    default:
      return calve_predicate_is_leaf(p) && calve_expr__must(p, range_of(e, &p->term));
  }
}

/* ---- partition values that can't be trusted ---------------------------------------------------
 */

static bool as_i64(const calve_value *v, int64_t *out) {
  if (v->type == CALVE_INT || v->type == CALVE_DATE) {
    *out = v->i32;
    return true;
  }
  *out = v->i64;
  return v->type == CALVE_LONG;
}

/* Some writers let truncate wrap near the type's minimum, or truncate by other rules. A right value
 * is a multiple of the width. */
static bool truncated_wrongly(const calve_transform *t, const calve_value *v) {
  int64_t number;
  return as_i64(v, &number) && t->parameter > 0 && number % t->parameter != 0;
}

/* Hours of a 64-bit timestamp reach from -2562047789 to 2562047788; some writers wrap what int32
 * does not hold. Wrapped values have a magnitude above 1732919507: real ones lie there only for
 * years beyond 190,000. */
static bool hour_may_be_wrapped(const calve_value *v) {
  const int64_t least_wrapped = INT64_C(4294967296) - INT64_C(2562047789);
  int64_t number;
  return as_i64(v, &number) && (number >= least_wrapped || number <= -least_wrapped);
}

static bool suspicious(const calve_transform *t, const calve_value *v) {
  if (t->kind == CALVE_TRUNCATE) return truncated_wrongly(t, v);
  return t->kind == CALVE_HOUR && hour_may_be_wrapped(v);
}

/* A wrapped value in the manifest is its upper bound unless values near the type's maximum hide
 * it. */
static bool may_hide_wrapped(const calve_transform *t, const calve_value *upper) {
  int64_t number;
  if (t->kind != CALVE_TRUNCATE || !as_i64(upper, &number)) return false;
  bool wraps = (t->parameter & (t->parameter - 1)) != 0; /* powers of two divide the minimum */
  bool near_int = number > INT32_MAX - (int64_t)t->parameter && number <= INT32_MAX;
  bool near_long = number > INT64_MAX - t->parameter;
  return wraps && (near_int || near_long); /* long now, int when it was written, maybe */
}

/* ---- manifests ------------------------------------------------------------------------------- */

static void range_of_summary(const evidence *e, const calve_term *term, calve_expr_range *out) {
  const calve_type *type = term->source_type;
  calve_expr__range_unknown(type, out);
  if (!term->partition || term->slot < 0 || (size_t)term->slot >= e->count) return;
  const calve_field_summary *s = &e->summaries[term->slot];
  const calve_transform *t = &term->partition->transform;
  out->may_null = s->contains_null;
  out->may_nan = out->may_nan && s->contains_nan != 0;
  calve_expr__range_bounds(type, s->lower, s->upper, out);
  /* No bounds: only nulls and NaNs. But a summary that has neither contradicts itself, and one that
   * does not tell of NaN may come from a writer that gives no bounds at all. */
  bool no_bounds = !s->lower.data && !s->upper.data;
  if (no_bounds && (s->contains_null || s->contains_nan == 1)) out->may_value = false;
  if ((out->has_lower && suspicious(t, &out->lower)) ||
      (out->has_upper && (suspicious(t, &out->upper) || may_hide_wrapped(t, &out->upper)))) {
    out->has_lower = false;
    out->has_upper = false;
  }
  if (term->has_transform) calve_expr__range_transform(term, out);
}

bool calve_manifest_might_match(const calve_predicate *filter, const calve_field_summary *summaries,
                                size_t count, const calve_predicate **why) {
  evidence e;
  evidence_init(&e, range_of_summary);
  e.count = count;
  e.summaries = summaries;
  return might(filter, &e, why);
}

/* ---- partition tuples ------------------------------------------------------------------------ */

static void range_of_tuple(const evidence *e, const calve_term *term, calve_expr_range *out) {
  if (!term->partition || term->slot < 0 || (size_t)term->slot >= e->count) {
    calve_expr__range_unknown(term->type, out);
    return;
  }
  const calve_value *v = &e->values[term->slot];
  calve_expr__range_of_value(term->source_type, v, out);
  if (!v->is_null && suspicious(&term->partition->transform, v)) {
    out->has_lower = false;
    out->has_upper = false;
  }
  if (term->has_transform) calve_expr__range_transform(term, out);
}

void calve_expr__tuple_range(const calve_term *term, const calve_value *tuple, size_t count,
                             calve_expr_range *out) {
  const evidence e = {.count = count, .values = tuple};
  range_of_tuple(&e, term, out);
}

bool calve_tuple_might_match(const calve_predicate *filter, const calve_value *tuple, size_t count,
                             const calve_predicate **why) {
  evidence e;
  evidence_init(&e, range_of_tuple);
  e.count = count;
  e.values = tuple;
  return might(filter, &e, why);
}

bool calve_tuple_must_match(const calve_predicate *filter, const calve_value *tuple, size_t count) {
  evidence e;
  evidence_init(&e, range_of_tuple);
  e.count = count;
  e.values = tuple;
  return must(filter, &e);
}

/* ---- files ------------------------------------------------------------------------------------
 */

/* Counts of a field inside a struct may leave out the rows where the struct is null. */
static bool counts_all_rows(const evidence *e, const calve_term *term,
                            const calve_column_metrics *m) {
  return !term->node->parent || m->value_count == e->record_count;
}

static void range_of_metrics(const evidence *e, const calve_term *term, calve_expr_range *out) {
  calve_expr__range_unknown(term->source_type, out);
  if (!term->node || term->node->inside_repeated) return;
  const calve_column_metrics *m = &e->metrics[term->slot];
  bool all_rows = counts_all_rows(e, term, m);
  if (m->null_count == 0 && all_rows) out->may_null = false;
  if (m->nan_count == 0) out->may_nan = false;
  if (m->value_count >= 0 && m->null_count == m->value_count) {
    out->may_value = false;
    out->may_nan = false;
  } else if (m->value_count >= 0 && m->nan_count == m->value_count && out->may_nan) {
    out->may_value = false;
  }
  calve_expr__range_bounds(term->source_type, m->lower, m->upper, out);
  if (term->has_transform) calve_expr__range_transform(term, out);
}

bool calve_metrics_might_match(const calve_bound *bound, int64_t record_count,
                               const calve_column_metrics *columns, const calve_predicate **why) {
  if (record_count == 0) {
    if (why) *why = bound->root;
    return false;
  }
  if (record_count < 0) return true; /* imported Avro files of old versions: nobody counted */
  evidence e;
  evidence_init(&e, range_of_metrics);
  e.record_count = record_count;
  e.metrics = columns;
  return might(bound->root, &e, why);
}

bool calve_metrics_must_match(const calve_bound *bound, int64_t record_count,
                              const calve_column_metrics *columns) {
  if (record_count == 0) return true;
  if (record_count < 0) return bound->root->op == CALVE_OP_TRUE;
  evidence e;
  evidence_init(&e, range_of_metrics);
  e.record_count = record_count;
  e.metrics = columns;
  return must(bound->root, &e);
}

/* ---- what a condition says of its own columns ------------------------------------------------ */

static void range_of_condition(const evidence *e, const calve_term *term, calve_expr_range *out) {
  *out = e->ranges[term->slot];
  if (term->has_transform) calve_expr__range_transform(term, out);
}

bool calve_expr__might_tree(const calve_predicate *tree, const calve_expr_range *columns) {
  evidence e;
  evidence_init(&e, range_of_condition);
  e.ranges = columns;
  return might(tree, &e, NULL);
}

/* ---- rows -------------------------------------------------------------------------------------
 */

static void range_of_row(const evidence *e, const calve_term *term, calve_expr_range *out) {
  calve_expr__range_of_value(term->source_type, &e->values[term->slot], out);
  out->one_order = true;
  if (!term->has_transform) return;
  calve_expr__range_transform(term, out);
  if (!out->may_value || out->has_lower) return;
  /* What does not fit lies beyond the type: a multiple below the minimum, or a far hour. */
  out->beyond = term->transform.kind == CALVE_HOUR && e->values[term->slot].i64 > 0 ? 1 : -1;
}

bool calve_row_matches(const calve_bound *bound, const calve_value *values) {
  evidence e;
  evidence_init(&e, range_of_row);
  e.values = values;
  return might(bound->root, &e, NULL);
}
