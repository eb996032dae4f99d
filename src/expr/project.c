/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/project.h"

#include <string.h>

#include "base/text.h"
#include "expr/leaves.h"
#include "expr/unit_range.h"

typedef struct projector {
  const calve_spec *spec;
  const calve_schema *schema;
  const calve_type **tuple_types;
  calve_projection kind;
  calve_arena *arena;
} projector;

/* One leaf against one partition field. */
typedef struct job {
  projector *p;
  const calve_predicate *leaf;
  const calve_transform *transform;
  calve_term term;            /* of the partition field                                          */
  const calve_predicate *out; /* NULL: this field says nothing about the leaf                    */
} job;

/* ---- steps ------------------------------------------------------------------------------------
 */

static calve_status emit(job *j, calve_predicate_op op, const calve_value *literals, size_t count,
                         calve_error *err) {
  calve_value *copy = CALVE_NEW_ARRAY(j->p->arena, calve_value, count);
  calve_predicate *made = CALVE_NEW(j->p->arena, calve_predicate);
  if (!copy || !made) return calve_fail_oom(err);
  if (count) memcpy(copy, literals, count * sizeof *copy);
  *made = (calve_predicate){
      .op = op, .rounded = j->leaf->rounded, .count = count, .literals = copy, .term = j->term};
  bool set = op == CALVE_OP_IN || op == CALVE_OP_NOT_IN;
  j->out = set ? calve_expr__sort_set(made, copy) : made;
  return CALVE_OK;
}

static bool transformed(const job *j, const calve_value *v, calve_value *out) {
  return calve_transform_apply(j->transform, j->leaf->term.source_type, v, out, NULL) == CALVE_OK;
}

/* The neighbour of a value of a discrete type; false at the end of the type. */
static bool step(const calve_value *v, int by, calve_value *out) {
  *out = *v;
  switch (v->type) {
    case CALVE_INT:
    case CALVE_DATE:
      return !__builtin_add_overflow(v->i32, by, &out->i32);
    case CALVE_DECIMAL:
      out->i128 = v->i128 + by; /* at most 39 digits                                             */
      return true;
    default:
      return !__builtin_add_overflow(v->i64, (int64_t)by, &out->i64);
  }
}

/* ---- time transforms: what old writers put one too high ----------------------------------------
 */

/* Java before 0.11 rounded moments before 1970 towards zero, so that rows of partition -1 may lie
 * in partition 0. Only days of a date were right. [reference: time projections] */
static bool written_one_too_high(const job *j) {
  switch (j->transform->kind) {
    case CALVE_YEAR:
    case CALVE_MONTH:
      return true;
    case CALVE_DAY:
    case CALVE_HOUR:
      return j->leaf->term.source_type->id != CALVE_DATE;
    default:
      return false;
  }
}

/* A set that also holds the successor of each negative member. */
static calve_status emit_widened_set(job *j, calve_predicate_op op, const calve_value *literals,
                                     size_t count, calve_error *err) {
  calve_value *wide = CALVE_NEW_ARRAY(j->p->arena, calve_value, 2 * count);
  if (!wide) return calve_fail_oom(err);
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    wide[total++] = literals[i];
    if (literals[i].i32 >= 0) continue;
    wide[total] = literals[i];
    wide[total++].i32++;
  }
  return emit(j, op, wide, total, err);
}

/* Like emit, for predicates on partition values that may be one too high. Inclusive: values up to
 * one more are let in. Strict: `>` must not take a value that may really be one less. */
static calve_status emit_time(job *j, calve_predicate_op op, const calve_value *literals,
                              size_t count, calve_error *err) {
  if (!written_one_too_high(j) || count == 0) return emit(j, op, literals, count, err);
  bool inclusive = j->p->kind == CALVE_INCLUSIVE;
  calve_value moved = literals[0];
  switch (op) {
    case CALVE_OP_LT:
    case CALVE_OP_LT_EQ:
      if (inclusive && moved.i32 < (op == CALVE_OP_LT)) moved.i32++;
      return emit(j, op, &moved, 1, err);
    case CALVE_OP_GT:
    case CALVE_OP_GT_EQ:
      if (!inclusive && moved.i32 <= 0) moved.i32++;
      return emit(j, op, &moved, 1, err);
    case CALVE_OP_EQ:
    case CALVE_OP_IN:
      return emit_widened_set(j, CALVE_OP_IN, literals, count, err);
    case CALVE_OP_NOT_EQ:
    case CALVE_OP_NOT_IN:
      return emit_widened_set(j, CALVE_OP_NOT_IN, literals, count, err);
    default:
      return CALVE_OK;
  }
}

/* ---- leaves by transform -----------------------------------------------------------------------
 */

static calve_status emit_transformed_set(job *j, calve_error *err) {
  const calve_predicate *leaf = j->leaf;
  calve_value *values = CALVE_NEW_ARRAY(j->p->arena, calve_value, leaf->count);
  if (!values) return calve_fail_oom(err);
  for (size_t i = 0; i < leaf->count; i++)
    if (!transformed(j, &leaf->literals[i], &values[i])) return CALVE_OK;
  return emit_time(j, leaf->op, values, leaf->count, err);
}

/* Equal values have equal results, whatever the transform; unequal results have unequal values. */
static calve_status project_equality(job *j, calve_error *err) {
  calve_predicate_op op = j->leaf->op;
  bool positive = op == CALVE_OP_EQ || op == CALVE_OP_IN;
  if (positive != (j->p->kind == CALVE_INCLUSIVE)) return CALVE_OK;
  return emit_transformed_set(j, err);
}

/* c < 10 is c <= 9: closed on the side of the partition that holds the bound. Strict: all of the
 * partition lies beyond the bound when its start does. */
static calve_status project_discrete_order(job *j, calve_error *err) {
  calve_predicate_op op = j->leaf->op;
  const calve_value *bound = &j->leaf->literals[0];
  calve_value moved = *bound, result;
  bool below = op == CALVE_OP_LT || op == CALVE_OP_LT_EQ;
  bool open = op == CALVE_OP_LT || op == CALVE_OP_GT;
  bool inclusive = j->p->kind == CALVE_INCLUSIVE;
  if (open == inclusive) {
    int by = (below == inclusive) ? -1 : 1;
    if (!step(bound, by, &moved)) {
      /* below the least value is nothing; up to the greatest is all that is not null */
      if (inclusive) j->out = &calve_predicate_false;
      return inclusive ? CALVE_OK : emit(j, CALVE_OP_NOT_NULL, NULL, 0, err);
    }
  }
  if (!transformed(j, &moved, &result)) return CALVE_OK;
  if (inclusive) return emit_time(j, below ? CALVE_OP_LT_EQ : CALVE_OP_GT_EQ, &result, 1, err);
  return emit_time(j, below ? CALVE_OP_LT : CALVE_OP_GT, &result, 1, err);
}

/* Strings and bytes have no neighbours. */
static calve_status project_text_order(job *j, calve_error *err) {
  bool below = j->leaf->op == CALVE_OP_LT || j->leaf->op == CALVE_OP_LT_EQ;
  calve_value result;
  if (!transformed(j, &j->leaf->literals[0], &result)) return CALVE_OK;
  if (j->p->kind == CALVE_INCLUSIVE)
    return emit(j, below ? CALVE_OP_LT_EQ : CALVE_OP_GT_EQ, &result, 1, err);
  return emit(j, below ? CALVE_OP_LT : CALVE_OP_GT, &result, 1, err);
}

/* A prefix shorter than the width is seen in the partition value, one of its length is the value;
 * of a longer one only the start is seen. */
static calve_status project_prefix(job *j, calve_error *err) {
  bool positive = j->leaf->op == CALVE_OP_STARTS_WITH;
  bool inclusive = j->p->kind == CALVE_INCLUSIVE;
  const calve_value *prefix = &j->leaf->literals[0];
  calve_value start;
  if (j->transform->kind != CALVE_TRUNCATE || !transformed(j, prefix, &start)) return CALVE_OK;
  size_t width = (size_t)j->transform->parameter;
  if (start.bytes.size < prefix->bytes.size)
    return positive == inclusive ? emit(j, j->leaf->op, &start, 1, err) : CALVE_OK;
  bool whole = calve_utf8_prefix_bytes(prefix->bytes, width - 1) < prefix->bytes.size;
  if (!whole) return emit(j, j->leaf->op, &start, 1, err);
  return emit(j, positive ? CALVE_OP_EQ : CALVE_OP_NOT_EQ, &start, 1, err);
}

static calve_status project_through(job *j, calve_error *err) {
  calve_type_id source = j->leaf->term.source_type->id;
  switch (j->leaf->op) {
    case CALVE_OP_IS_NULL:
    case CALVE_OP_NOT_NULL:
      return emit(j, j->leaf->op, NULL, 0, err);
    case CALVE_OP_EQ:
    case CALVE_OP_IN:
    case CALVE_OP_NOT_EQ:
    case CALVE_OP_NOT_IN:
      return project_equality(j, err);
    case CALVE_OP_STARTS_WITH:
    case CALVE_OP_NOT_STARTS_WITH:
      return project_prefix(j, err);
    case CALVE_OP_LT:
    case CALVE_OP_LT_EQ:
    case CALVE_OP_GT:
    case CALVE_OP_GT_EQ:
      if (!calve_transform_preserves_order(j->transform)) return CALVE_OK;
      if (source == CALVE_STRING || source == CALVE_BINARY || source == CALVE_FIXED)
        return project_text_order(j, err);
      return project_discrete_order(j, err);
    default:
      return CALVE_OK;
  }
}

static bool any_below_one(const calve_predicate *leaf) {
  for (size_t i = 0; i < leaf->count; i++)
    if (leaf->literals[i].i32 < 1) return true;
  return false;
}

/* The field has the term's own transform: its values are what the condition is about, but for those
 * that were written one too high, where equality says less: -1 may stand for -2, and 0 for -1. */
static calve_status project_same_transform(job *j, calve_error *err) {
  const calve_predicate *leaf = j->leaf;
  bool inclusive = j->p->kind == CALVE_INCLUSIVE;
  bool equal = leaf->op == CALVE_OP_EQ || leaf->op == CALVE_OP_IN;
  bool unequal = leaf->op == CALVE_OP_NOT_EQ || leaf->op == CALVE_OP_NOT_IN;
  if (!written_one_too_high(j)) return emit(j, leaf->op, leaf->literals, leaf->count, err);
  bool as_it_is = inclusive ? unequal : equal;
  if (as_it_is && any_below_one(leaf)) return CALVE_OK;
  return as_it_is ? emit(j, leaf->op, leaf->literals, leaf->count, err)
                  : emit_time(j, leaf->op, leaf->literals, leaf->count, err);
}

/* ---- conditions on one unit of time, seen in a field of another ------------------------------ */

/* unit(c) < ordinal is c < the unit's first moment, which the field knows as any bound of c. */
static calve_status project_unit_bound(job *j, calve_predicate_op op, int32_t ordinal, int plus,
                                       const calve_predicate **out, calve_error *err) {
  calve_value start;
  calve_predicate plain = *j->leaf;
  job inner = *j;
  *out = NULL;
  if (!calve_expr__unit_start(j->leaf->term.transform.kind, ordinal, plus,
                              j->leaf->term.source_type, &start))
    return CALVE_OK;
  plain.op = op;
  plain.count = 1;
  plain.literals = &start;
  plain.term.has_transform = false;
  inner.leaf = &plain;
  inner.out = NULL;
  CALVE_TRY(project_discrete_order(&inner, err));
  *out = inner.out;
  return CALVE_OK;
}

/* Both ends of a unit: inside of it, or outside. What the field does not tell is left out where
 * that says less. */
static calve_status project_unit_ends(job *j, int32_t ordinal, bool inside,
                                      const calve_predicate **out, calve_error *err) {
  const calve_predicate *ends[2];
  CALVE_TRY(
      project_unit_bound(j, inside ? CALVE_OP_GT_EQ : CALVE_OP_LT, ordinal, 0, &ends[0], err));
  CALVE_TRY(
      project_unit_bound(j, inside ? CALVE_OP_LT : CALVE_OP_GT_EQ, ordinal, 1, &ends[1], err));
  bool inclusive = j->p->kind == CALVE_INCLUSIVE;
  if (inside && ends[0] && ends[1] && ends[0]->count && ends[1]->count) {
    /* Coarser fields hold the whole unit in one value, and never that unit alone. */
    int64_t gap = (int64_t)ends[1]->literals[0].i32 - ends[0]->literals[0].i32;
    job one = *j;
    CALVE_TRY(emit(&one, CALVE_OP_EQ, ends[0]->literals, 1, err));
    *out = inclusive ? one.out : &calve_predicate_false;
    if (gap <= !inclusive) return CALVE_OK;
  }
  for (size_t i = 0; i < 2; i++)
    if (!ends[i]) ends[i] = inclusive ? &calve_predicate_true : &calve_predicate_false;
  return inside ? calve_predicate_and(ends, 2, j->p->arena, out, err)
                : calve_predicate_or(ends, 2, j->p->arena, out, err);
}

/* Years that a query names are few: a longer list is not looked at. */
static calve_status project_unit_set(job *j, calve_error *err) {
  enum { FEW = 64 };
  const calve_predicate *leaf = j->leaf, *parts[FEW];
  bool in = leaf->op == CALVE_OP_IN || leaf->op == CALVE_OP_EQ;
  if (leaf->count > FEW || (!in && j->p->kind == CALVE_INCLUSIVE)) return CALVE_OK;
  for (size_t i = 0; i < leaf->count; i++)
    CALVE_TRY(project_unit_ends(j, leaf->literals[i].i32, in, &parts[i], err));
  return in ? calve_predicate_or(parts, leaf->count, j->p->arena, &j->out, err)
            : calve_predicate_and(parts, leaf->count, j->p->arena, &j->out, err);
}

static calve_status project_other_unit(job *j, calve_error *err) {
  const calve_predicate *leaf = j->leaf;
  int32_t ordinal = leaf->count ? leaf->literals[0].i32 : 0;
  switch (leaf->op) {
    case CALVE_OP_IS_NULL:
    case CALVE_OP_NOT_NULL:
      return emit(j, leaf->op, NULL, 0, err);
    case CALVE_OP_LT:
    case CALVE_OP_GT_EQ:
      return project_unit_bound(j, leaf->op, ordinal, 0, &j->out, err);
    case CALVE_OP_LT_EQ:
      return project_unit_bound(j, CALVE_OP_LT, ordinal, 1, &j->out, err);
    case CALVE_OP_GT:
      return project_unit_bound(j, CALVE_OP_GT_EQ, ordinal, 1, &j->out, err);
    default:
      return project_unit_set(j, err);
  }
}

/* A condition on transform(c): seen in a field of the same transform, in one of another unit of
 * time, and in the column itself. */
static calve_status project_term(job *j, calve_error *err) {
  const calve_predicate *leaf = j->leaf;
  if (j->transform->kind == CALVE_IDENTITY) {
    if (leaf->count == 0) return emit(j, leaf->op, NULL, 0, err); /* null where the column is   */
    j->term.has_transform = true;
    j->term.transform = leaf->term.transform;
    j->term.type = leaf->term.type;
    return emit(j, leaf->op, leaf->literals, leaf->count, err);
  }
  if (calve_transform_equal(j->transform, &leaf->term.transform))
    return project_same_transform(j, err);
  const calve_term field = {.has_transform = true, .transform = *j->transform};
  return calve_expr__is_unit(&leaf->term) && calve_expr__is_unit(&field)
             ? project_other_unit(j, err)
             : CALVE_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------
 */

static bool reads_source(const calve_partition_field *f, int32_t field_id) {
  return f->source_count <= 1 && f->source_id == field_id && f->transform.kind != CALVE_VOID &&
         f->transform.kind != CALVE_TRANSFORM_UNKNOWN;
}

static calve_status project_on_field(projector *p, const calve_predicate *leaf, int32_t index,
                                     const calve_predicate **out, calve_error *err) {
  const calve_partition_field *f = &p->spec->fields[index];
  job j = {.p = p, .leaf = leaf, .transform = &f->transform};
  j.term = (calve_term){.name = f->name,
                        .field_id = f->field_id,
                        .slot = index,
                        .partition = f,
                        .column_type = leaf->term.source_type,
                        .source_type = p->tuple_types[index],
                        .type = p->tuple_types[index]};
  if (calve_transform_accepts(&f->transform, leaf->term.source_type)) {
    if (leaf->term.has_transform)
      CALVE_TRY(project_term(&j, err));
    else if (f->transform.kind == CALVE_IDENTITY)
      CALVE_TRY(emit(&j, leaf->op, leaf->literals, leaf->count, err));
    else
      CALVE_TRY(project_through(&j, err));
  }
  *out = j.out;
  return CALVE_OK;
}

/* Every field of the column narrows what matches, or widens what must match. */
static calve_status project_leaf(projector *p, const calve_predicate *leaf,
                                 const calve_predicate **out, calve_error *err) {
  bool inclusive = p->kind == CALVE_INCLUSIVE;
  const calve_predicate *result = inclusive ? &calve_predicate_true : &calve_predicate_false;
  for (int32_t i = 0; i < p->spec->field_count; i++) {
    if (!reads_source(&p->spec->fields[i], leaf->term.field_id)) continue;
    const calve_predicate *both[2] = {result, NULL};
    CALVE_TRY(project_on_field(p, leaf, i, &both[1], err));
    if (!both[1]) continue;
    CALVE_TRY(inclusive ? calve_predicate_and(both, 2, p->arena, &result, err)
                        : calve_predicate_or(both, 2, p->arena, &result, err));
  }
  *out = result;
  return CALVE_OK;
}

static calve_status project_tree(projector *p, const calve_predicate *tree,
                                 const calve_predicate **out, calve_error *err) {
  if (calve_predicate_is_leaf(tree)) return project_leaf(p, tree, out, err);
  if (tree->op != CALVE_OP_AND && tree->op != CALVE_OP_OR) {
    *out = tree;
    return CALVE_OK;
  }
  const calve_predicate **list =
      (const calve_predicate **)calve_arena_array(p->arena, tree->count, sizeof *list);
  if (!list) return calve_fail_oom(err);
  for (size_t i = 0; i < tree->count; i++)
    CALVE_TRY(project_tree(p, tree->children[i], &list[i], err));
  return tree->op == CALVE_OP_AND ? calve_predicate_and(list, tree->count, p->arena, out, err)
                                  : calve_predicate_or(list, tree->count, p->arena, out, err);
}

static calve_status projector_make(const calve_spec *spec, const calve_schema *schema,
                                   calve_projection kind, calve_arena *arena, projector *out,
                                   calve_error *err) {
  *out = (projector){.spec = spec, .schema = schema, .kind = kind, .arena = arena};
  return calve_spec_tuple_types(spec, schema, arena, &out->tuple_types, err);
}

calve_status calve_project(const calve_bound *bound, const calve_spec *spec,
                           const calve_schema *schema, calve_projection kind, calve_arena *arena,
                           const calve_predicate **out, calve_error *err) {
  projector p;
  CALVE_TRY(projector_make(spec, schema, kind, arena, &p, err));
  return project_tree(&p, bound->root, out, err);
}

calve_status calve_expr__project_leaf(const calve_predicate *leaf, const calve_spec *spec,
                                      const calve_schema *schema, calve_projection kind,
                                      calve_arena *arena, const calve_predicate **out,
                                      calve_error *err) {
  projector p;
  CALVE_TRY(projector_make(spec, schema, kind, arena, &p, err));
  return project_tree(&p, leaf, out, err);
}
