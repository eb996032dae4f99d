/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/bind.h"

#include <string.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/text.h"
#include "expr/leaves.h"
#include "expr/literal.h"

typedef struct binder {
  const calve_schema *schema;
  const calve_spec *spec; /* not NULL: names are partition fields                                */
  const calve_type **tuple_types;
  calve_bind_options options;
  calve_arena *arena;
  bool exact;
  calve_map slots; /* field id -> its column                                                     */
  calve_buffer columns; /* calve_bound_column                                                    */
} binder;

/* ---- terms ------------------------------------------------------------------------------------
 */

static calve_status bind_column(binder *b, calve_term *term, calve_error *err) {
  const calve_schema_node *node = NULL;
  if (b->options.exact_first) node = calve_schema_find(b->schema, term->name);
  if (!node)
    CALVE_TRY(
        calve_schema_resolve(b->schema, term->name, !b->options.case_insensitive, &node, err));
  term->node = node;
  term->name = node->full_name;
  term->field_id = node->field->id;
  term->source_type = node->field->type;
  return CALVE_OK;
}

static calve_status bind_partition_field(binder *b, calve_term *term, calve_error *err) {
  for (int32_t i = 0; i < b->spec->field_count; i++) {
    const calve_partition_field *f = &b->spec->fields[i];
    if (!calve_str_equal(f->name, term->name) &&
        !(b->options.case_insensitive && calve_str_equal_nocase(f->name, term->name)))
      continue;
    const calve_schema_node *source = calve_schema_find_id(b->schema, f->source_id);
    term->name = f->name;
    term->field_id = f->field_id;
    term->slot = i;
    term->partition = f;
    term->column_type = source ? source->field->type : NULL;
    term->source_type = b->tuple_types[i];
    return CALVE_OK;
  }
  return calve_fail(err, CALVE_ENOTFOUND, NULL, "partition spec %d has no field \"%.*s\"",
                    (int)b->spec->spec_id, CALVE_STR_ARG(term->name));
}

static calve_status bind_term(binder *b, calve_term *term, calve_error *err) {
  CALVE_TRY(b->spec ? bind_partition_field(b, term, err) : bind_column(b, term, err));
  term->type = term->source_type;
  if (!term->has_transform) return CALVE_OK;
  if (term->transform.kind == CALVE_IDENTITY) term->has_transform = false;
  char text[CALVE_TYPE_TEXT_MAX];
  if (term->transform.kind == CALVE_TRANSFORM_UNKNOWN)
    return calve_fail(err, CALVE_EINVAL, NULL, "there is no transform '%.*s'",
                      CALVE_STR_ARG(term->transform.text));
  if (!calve_transform_accepts(&term->transform, term->source_type))
    return calve_fail(err, CALVE_EINVAL, NULL,
                      "the transform of \"%.*s\" does not accept its type %s",
                      CALVE_STR_ARG(term->name), calve_type_text(term->source_type, text));
  term->type = calve_transform_result_type(&term->transform, term->source_type);
  return CALVE_OK;
}

/* What the metrics evaluator will ask of the column. */
static unsigned needs_of(calve_predicate_op op, const calve_type *type) {
  bool floats = type->id == CALVE_FLOAT || type->id == CALVE_DOUBLE;
  unsigned needs = CALVE_NEEDS_COUNTS;
  if (floats && op != CALVE_OP_IS_NULL && op != CALVE_OP_NOT_NULL) needs |= CALVE_NEEDS_NAN_COUNT;
  if (op >= CALVE_OP_LT) needs |= CALVE_NEEDS_BOUNDS;
  return needs;
}

static calve_status give_slot(binder *b, calve_predicate_op op, calve_term *term,
                              calve_error *err) {
  if (b->spec) return CALVE_OK;
  unsigned needs = needs_of(op, term->source_type);
  const uintptr_t known = (uintptr_t)calve_map_get_id(&b->slots, term->field_id);
  if (known) {
    term->slot = (int32_t)(known - 1);
    CALVE_ITEMS(&b->columns, calve_bound_column)[term->slot].needs |= needs;
    return CALVE_OK;
  }
  size_t slot = CALVE_COUNT(&b->columns, calve_bound_column);
  CALVE_PUSH(&b->columns, calve_bound_column, .node = term->node, .needs = needs);
  CALVE_TRY(calve_buffer_check(&b->columns, err));
  term->slot = (int32_t)slot;
  return calve_map_put_id(&b->slots, term->field_id, (void *)(uintptr_t)(slot + 1), NULL, err);
}

/* ---- leaves -----------------------------------------------------------------------------------
 */

static calve_status no_value(const calve_term *term, const calve_value *literal, calve_error *err) {
  char type[CALVE_TYPE_TEXT_MAX];
  calve_buffer text;
  calve_buffer_init(&text, NULL);
  calve_value_print(literal, &text);
  calve_status status = calve_fail(
      err, CALVE_EINVAL, NULL, "\"%.*s\" is of type %s, which has no value '%.100s'",
      CALVE_STR_ARG(term->name), calve_type_text(term->type, type), calve_buffer_cstr(&text));
  calve_buffer_free(&text);
  return status;
}

/* "Any value but null", for conditions that hold for all values of the type. */
static calve_status not_null(binder *b, calve_predicate *p, const calve_predicate **out,
                             calve_error *err) {
  p->count = 0;
  p->op = CALVE_OP_NOT_NULL;
  if (p->term.node && !p->term.node->can_be_missing && !p->term.has_transform) {
    *out = &calve_predicate_true;
    return CALVE_OK;
  }
  *out = p;
  return give_slot(b, p->op, &p->term, err);
}

/* The literal is outside of the type, or between literals[0] and the next value of the type. */
static calve_status fold(binder *b, calve_predicate *p, calve_expr_fit fit,
                         const calve_predicate **out, calve_error *err) {
  bool below = p->op == CALVE_OP_LT || p->op == CALVE_OP_LT_EQ;
  bool above = p->op == CALVE_OP_GT || p->op == CALVE_OP_GT_EQ;
  if (p->op == CALVE_OP_NOT_EQ) {
    *out = &calve_predicate_true;
    return CALVE_OK;
  }
  if (fit == CALVE_FIT_BETWEEN && (below || above)) {
    p->op = below ? CALVE_OP_LT_EQ : CALVE_OP_GT;
    *out = p;
    return give_slot(b, p->op, &p->term, err);
  }
  if ((fit == CALVE_FIT_ABOVE_MAX && below) || (fit == CALVE_FIT_BELOW_MIN && above))
    return not_null(b, p, out, err);
  *out = &calve_predicate_false;
  return CALVE_OK;
}

static calve_status bind_unary(binder *b, calve_predicate *p, const calve_predicate **out,
                               calve_error *err) {
  const calve_term *term = &p->term;
  char text[CALVE_TYPE_TEXT_MAX];
  bool is_null = p->op == CALVE_OP_IS_NULL;
  if (p->op == CALVE_OP_IS_NAN || p->op == CALVE_OP_NOT_NAN) {
    if (term->type->id != CALVE_FLOAT && term->type->id != CALVE_DOUBLE)
      return calve_fail(err, CALVE_EINVAL, NULL, "\"%.*s\" is of type %s, which has no NaN",
                        CALVE_STR_ARG(term->name), calve_type_text(term->type, text));
  } else if (term->type->id == CALVE_UNKNOWN && !term->partition) {
    *out = is_null ? &calve_predicate_true : &calve_predicate_false;
    return CALVE_OK;
  } else if (term->node && !term->node->can_be_missing && !term->node->inside_repeated &&
             !term->has_transform) {
    *out = is_null ? &calve_predicate_false : &calve_predicate_true;
    return CALVE_OK;
  }
  *out = p;
  return give_slot(b, p->op, &p->term, err);
}

/* SQL that engines read in their own ways, as a condition that lets in what any of them does; false
 * when the literal is none of that. */
static bool loosen(binder *b, calve_predicate *p, const calve_value *literal, calve_value *value) {
  if (!p->sql || !b->options.loose) return false;
  if (calve_expr__is_nan_text(literal, p->term.type)) {
    p->op = CALVE_OP_TRUE;
  } else if (calve_expr__day_of_moment(literal, p->term.type, value)) {
    if (p->op == CALVE_OP_LT) p->op = CALVE_OP_LT_EQ;
    if (p->op == CALVE_OP_NOT_EQ || p->op == CALVE_OP_NOT_IN) p->op = CALVE_OP_TRUE;
  } else {
    return false;
  }
  b->exact = false;
  return true;
}

static calve_status bind_literal(binder *b, calve_predicate *p, const calve_predicate **out,
                                 calve_error *err) {
  char text[CALVE_TYPE_TEXT_MAX];
  bool prefix = p->op == CALVE_OP_STARTS_WITH || p->op == CALVE_OP_NOT_STARTS_WITH;
  if (prefix && p->term.type->id != CALVE_STRING)
    return calve_fail(err, CALVE_EINVAL, NULL, "\"%.*s\" is of type %s, and has no prefix",
                      CALVE_STR_ARG(p->term.name), calve_type_text(p->term.type, text));
  calve_expr_fit fit;
  calve_value *value = CALVE_NEW(b->arena, calve_value);
  if (!value) return calve_fail_oom(err);
  CALVE_TRY(calve_expr__convert(&p->literals[0], p->term.type, p->sql, b->arena, value, &fit, err));
  if (fit == CALVE_FIT_NONE) {
    if (!loosen(b, p, &p->literals[0], value)) return no_value(&p->term, &p->literals[0], err);
    fit = CALVE_FIT_EXACT;
  }
  if (p->op == CALVE_OP_TRUE) {
    *out = &calve_predicate_true;
    return CALVE_OK;
  }
  p->literals = value;
  p->rounded = fit == CALVE_FIT_ROUNDED;
  if (fit != CALVE_FIT_EXACT && fit != CALVE_FIT_ROUNDED) return fold(b, p, fit, out, err);
  *out = p;
  return give_slot(b, p->op, &p->term, err);
}

static calve_status bind_set(binder *b, calve_predicate *p, const calve_predicate **out,
                             calve_error *err) {
  calve_value *values = CALVE_NEW_ARRAY(b->arena, calve_value, p->count);
  if (!values) return calve_fail_oom(err);
  size_t kept = 0;
  for (size_t i = 0; i < p->count; i++) {
    calve_expr_fit fit;
    CALVE_TRY(calve_expr__convert(&p->literals[i], p->term.type, p->sql, b->arena, &values[kept],
                                  &fit, err));
    if (fit == CALVE_FIT_NONE) {
      if (!loosen(b, p, &p->literals[i], &values[kept]))
        return no_value(&p->term, &p->literals[i], err);
      fit = CALVE_FIT_EXACT;
    }
    if (p->op == CALVE_OP_TRUE) {
      *out = &calve_predicate_true;
      return CALVE_OK;
    }
    if (fit != CALVE_FIT_EXACT && fit != CALVE_FIT_ROUNDED) continue;
    if (fit == CALVE_FIT_ROUNDED) p->rounded = true;
    kept++;
  }
  p->literals = values;
  p->count = kept;
  *out = calve_expr__sort_set(p, values);
  if (!calve_predicate_is_leaf(*out)) return CALVE_OK;
  return give_slot(b, p->op, &p->term, err);
}

static calve_status bind_leaf(binder *b, const calve_predicate *leaf, const calve_predicate **out,
                              calve_error *err) {
  calve_predicate *p = CALVE_NEW(b->arena, calve_predicate);
  if (!p) return calve_fail_oom(err);
  *p = *leaf;
  CALVE_TRY(bind_term(b, &p->term, err));
  const calve_partition_field *f = p->term.partition;
  if (f && (f->source_count > 1 || f->transform.kind == CALVE_TRANSFORM_UNKNOWN ||
            p->term.type->id == CALVE_UNKNOWN)) {
    *out = &calve_predicate_true; /* nothing is known about such a field's values                */
    return CALVE_OK;
  }
  bool set = leaf->op == CALVE_OP_IN || leaf->op == CALVE_OP_NOT_IN;
  calve_status status = leaf->op <= CALVE_OP_NOT_NAN ? bind_unary(b, p, out, err)
                        : set                        ? bind_set(b, p, out, err)
                                                     : bind_literal(b, p, out, err);
  p->sql = false; /* its literals are the column's now                                          */
  if (p->rounded) p->written = leaf;
  return status;
}

/* ---- the tree ---------------------------------------------------------------------------------
 */

static calve_status bind_tree(binder *b, const calve_predicate *p, const calve_predicate **out,
                              calve_error *err);

/* Children of a junction, those of nested junctions of the same kind among them. */
static calve_status bind_children(binder *b, const calve_predicate *p, calve_buffer *list,
                                  calve_error *err) {
  for (size_t i = 0; i < p->count; i++) {
    const calve_predicate *child;
    if (p->children[i]->op == p->op) {
      CALVE_TRY(bind_children(b, p->children[i], list, err));
      continue;
    }
    CALVE_TRY(bind_tree(b, p->children[i], &child, err));
    if (child->op == p->op)
      calve_buffer_put(list, child->children, child->count * sizeof child);
    else
      calve_buffer_put(list, &child, sizeof child);
  }
  return calve_buffer_check(list, err);
}

static calve_status bind_tree(binder *b, const calve_predicate *p, const calve_predicate **out,
                              calve_error *err) {
  if (calve_predicate_is_leaf(p)) {
    calve_error own;
    calve_status status = bind_leaf(b, p, out, err ? err : &own);
    if (status != CALVE_EINVAL || !b->options.lenient) return status;
    b->exact = false;
    *out = &calve_predicate_true;
    return CALVE_OK;
  }
  if (p->op != CALVE_OP_AND && p->op != CALVE_OP_OR) {
    *out = p;
    return CALVE_OK;
  }
  calve_buffer list;
  calve_buffer_init(&list, b->arena->allocator);
  calve_status status = bind_children(b, p, &list, err);
  if (status == CALVE_OK) {
    const calve_predicate *const *children = CALVE_ITEMS(&list, const calve_predicate *);
    size_t count = CALVE_COUNT(&list, const calve_predicate *);
    status = p->op == CALVE_OP_AND ? calve_predicate_and(children, count, b->arena, out, err)
                                   : calve_predicate_or(children, count, b->arena, out, err);
  }
  calve_buffer_free(&list);
  return status;
}

static calve_status bind_root(binder *b, const calve_predicate *p, const calve_predicate **out,
                              calve_error *err) {
  const calve_predicate *positive;
  CALVE_TRY(calve_predicate_rewrite_not(p, b->arena, &positive, err));
  return bind_tree(b, positive, out, err);
}

static calve_status publish(binder *b, const calve_predicate *root, const calve_bound **out,
                            calve_error *err) {
  size_t count = CALVE_COUNT(&b->columns, calve_bound_column);
  calve_bound_column *columns = CALVE_NEW_ARRAY(b->arena, calve_bound_column, count);
  calve_bound *bound = CALVE_NEW(b->arena, calve_bound);
  if (!columns || !bound) return calve_fail_oom(err);
  if (count) memcpy(columns, b->columns.data, count * sizeof *columns);
  *bound =
      (calve_bound){.root = root, .column_count = count, .columns = columns, .exact = b->exact};
  *out = bound;
  return CALVE_OK;
}

calve_status calve_bind(const calve_predicate *p, const calve_schema *schema,
                        const calve_bind_options *options, calve_arena *arena,
                        const calve_bound **out, calve_error *err) {
  binder b = {.schema = schema, .arena = arena, .exact = true};
  if (options) b.options = *options;
  calve_map_init(&b.slots, arena);
  calve_buffer_init(&b.columns, arena->allocator);
  const calve_predicate *root;
  calve_status status = bind_root(&b, p, &root, err);
  if (status == CALVE_OK) status = publish(&b, root, out, err);
  calve_buffer_free(&b.columns);
  return status;
}

calve_status calve_bind_partition(const calve_predicate *p, const calve_spec *spec,
                                  const calve_schema *schema, calve_arena *arena,
                                  const calve_predicate **out, calve_error *err) {
  binder b = {.schema = schema, .spec = spec, .arena = arena, .exact = true};
  CALVE_TRY(calve_spec_tuple_types(spec, schema, arena, &b.tuple_types, err));
  return bind_root(&b, p, out, err);
}
