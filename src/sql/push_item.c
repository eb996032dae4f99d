/* SPDX-License-Identifier: Apache-2.0 */
/* One item of a FROM clause: conditions on columns that equal its own are conditions on its own,
 * and columns that are constants are these. */
#include "sql/push_parts.h"
#include "sql/query_where.h"

#define FACTS_MAX  64   /* equal columns that are looked at                                       */
#define VALUES_MAX 1000 /* rows of a VALUES that become an IN */

typedef struct fact {
  calve_push__ref left, right; /* of types that have a common one, and equal                   */
} fact;

typedef struct target {
  const calve_push__item *item;
  fact facts[FACTS_MAX];
  size_t fact_count;
  const calve_push__condition *condition; /* that is being mapped                               */
} target;

/* ---- equal columns -------------------------------------------------------------------------- */

static bool same_ref(const calve_push__ref *a, const calve_push__ref *b) {
  if (a->item != b->item || a->column != b->column || a->path_count != b->path_count) return false;
  for (size_t i = 0; i < a->path_count; i++)
    if (!calve_str_equal_nocase(a->path[i].text, b->path[i].text)) return false;
  return true;
}

static void note_fact(const calve_push__context *p, const calve_json *node, target *t) {
  fact f;
  if (!calve_push__is(node, "type", "COMPARE_EQUAL") || t->fact_count == FACTS_MAX ||
      !calve_push__read_ref(p, calve_json_get(node, "left"), &f.left) ||
      !calve_push__read_ref(p, calve_json_get(node, "right"), &f.right))
    return;
  if (calve_push__common_type(calve_push__type(&f.left), calve_push__type(&f.right)))
    t->facts[t->fact_count++] = f;
}

/* A column of the target's that equals this one. */
static bool find_equal(const target *t, const calve_push__ref *ref, calve_push__ref *out) {
  calve_push__ref known[FACTS_MAX + 1];
  size_t count = 1;
  known[0] = *ref;
  for (size_t next = 0; next < count; next++) {
    if (known[next].item == t->item) {
      *out = known[next];
      return true;
    }
    for (size_t i = 0; i < t->fact_count && count <= FACTS_MAX; i++) {
      const fact *f = &t->facts[i];
      bool left = same_ref(&f->left, &known[next]), right = same_ref(&f->right, &known[next]);
      if (!left && !right) continue;
      const calve_push__ref *other = left ? &f->right : &f->left;
      bool seen = false;
      for (size_t k = 0; k < count; k++) seen |= same_ref(&known[k], other);
      if (!seen) known[count++] = *other;
    }
  }
  return false;
}

static calve_status map_equal(void *ctx, calve_push__context *p, const calve_json *node,
                              calve_json *out, bool *changed, calve_error *err) {
  const target *t = ctx;
  const calve_push__condition *c = t->condition;
  calve_push__ref ref, own;
  *changed = false;
  if (!calve_push__read_ref(p, node, &ref)) return CALVE_OK;
  bool is_own = ref.item == t->item;
  if (is_own && !c->is_beside) return CALVE_OK;
  bool usable = !c->is_beside || (ref.item >= c->first && ref.item < c->end);
  *changed = is_own || (usable && find_equal(t, &ref, &own));
  if (is_own)
    calve_push__unknown(out);
  else if (*changed)
    return calve_push__ref_node(p, &own, out, err);
  return CALVE_OK;
}

/* ---- columns that are constants ------------------------------------------------------------- */

/* As a column a string is no literal that takes the other side's type. */
static bool is_constant(const calve_json *node) {
  return node && !calve_where_has_column(node) && !calve_where_is_string(node);
}

/* What a column of another item is made of: one constant, or the rows of a VALUES (with *column of
 * theirs). False when it is something else. */
static bool find_constants(const calve_push__context *p, const target *t, const calve_json *node,
                           const calve_json **constant, const calve_json **rows, size_t *column) {
  calve_push__ref ref;
  *constant = *rows = NULL;
  if (!calve_push__read_ref(p, node, &ref) || ref.item == t->item) return false;
  while (ref.path_count == 0) {
    const calve_push__block *body = ref.item->body;
    *column = ref.column;
    *rows = ref.item->values;
    if (*rows) return true;
    if (!body || body->left || ref.column >= body->column_count) return false;
    *constant = body->columns[ref.column].expression;
    if (*constant) return is_constant(*constant);
    ref = body->columns[ref.column].ref;
  }
  return false;
}

/* other = v.k, for the rows of v: other IN (…). */
static calve_status in_rows(calve_push__context *p, const calve_json *other, const calve_json *rows,
                            size_t column, const calve_json **out, calve_error *err) {
  calve_push__ref ref;
  const calve_type *type = NULL;
  if (rows->count == 0 || rows->count > VALUES_MAX) return CALVE_OK;
  if (calve_push__read_ref(p, other, &ref)) type = calve_push__type(&ref);
  bool is_text = type && type->id == CALVE_STRING;
  calve_json *children = CALVE_NEW_ARRAY(p->arena, calve_json, rows->count + 1);
  if (!children) return calve_fail_oom(err);
  children[0] = *other;
  for (size_t i = 0; i < rows->count; i++) {
    const calve_json *row = &rows->items[i];
    if (column >= row->count || calve_where_has_column(&row->items[column]) ||
        (calve_where_is_string(&row->items[column]) && !is_text))
      return CALVE_OK;
    children[i + 1] = row->items[column];
  }
  return calve_push__make(p, "OPERATOR", CALVE_STR("COMPARE_IN"), children, rows->count + 1, out,
                          err);
}

/* A comparison, of which one side may be such a column. Where it holds the column is not null, and
 * so it is the constant, whatever joins it went through. */
static calve_status put_constants(calve_push__context *p, const target *t, const calve_json *node,
                                  const calve_json **out, calve_error *err) {
  static const char *const sides[] = {"left", "right"};
  calve_str type = calve_push__text(node, "type");
  *out = node;
  if (!calve_push__is(node, "class", "COMPARISON") ||
      calve_str_equal_text(type, "COMPARE_DISTINCT_FROM") ||
      calve_str_equal_text(type, "COMPARE_NOT_DISTINCT_FROM"))
    return CALVE_OK;
  for (int i = 0; i < 2; i++) {
    const calve_json *constant, *rows;
    const calve_json *side = calve_json_get(node, sides[i]);
    const calve_json *other = calve_json_get(node, sides[1 - i]);
    size_t column;
    if (!find_constants(p, t, side, &constant, &rows, &column)) continue;
    if (rows && calve_str_equal_text(type, "COMPARE_EQUAL"))
      return in_rows(p, other, rows, column, out, err);
    if (rows) continue;
    calve_json *pair = CALVE_NEW_ARRAY(p->arena, calve_json, 2);
    if (!pair) return calve_fail_oom(err);
    pair[i] = *constant;
    pair[1 - i] = *other;
    return calve_push__make(p, "COMPARISON", type, pair, 2, out, err);
  }
  return CALVE_OK;
}

/* ---- giving --------------------------------------------------------------------------------- */

calve_status calve_push__need_of(calve_push__context *p, calve_push__block *block,
                                 const calve_push__item *item,
                                 const calve_push__condition *conditions, calve_error *err) {
  calve_push__need *need = CALVE_NEW(p->arena, calve_push__need);
  if (!need) return calve_fail_oom(err);
  *need = (calve_push__need){item, conditions, block->needs};
  block->needs = need;
  return CALVE_OK;
}

/* In the order of the text. A name that the engine's parser has copied into two places has no
 * conditions that hold for both. */
static calve_status give_table(calve_push__context *p, const calve_push__item *item,
                               const calve_push__condition *conditions, calve_error *err) {
  calve_push_table *table = item->use;
  size_t count = 0;
  for (const calve_push__condition *c = conditions; c; c = c->next) count++;
  const calve_json **kept = CALVE_NEW_ARRAY(p->arena, const calve_json *, count);
  if (!kept) return calve_fail_oom(err);
  size_t at = count;
  for (const calve_push__condition *c = conditions; c; c = c->next) kept[--at] = c->node;
  table->conditions = kept;
  table->condition_count = table->item == 0 ? count : 0;
  table->item = item->id;
  return CALVE_OK;
}

calve_status calve_push__give(calve_push__context *p, const calve_push__item *item,
                              const calve_push__condition *conditions, calve_error *err) {
  target *t = CALVE_NEW(p->arena, target);
  if (!t) return calve_fail_oom(err);
  *t = (target){.item = item};
  const calve_push__condition *own = NULL, **tail = &own;
  if (item->is_opaque) conditions = NULL;
  for (const calve_push__condition *c = conditions; c; c = c->next)
    if (!c->is_beside) note_fact(p, c->node, t);
  for (const calve_push__condition *c = conditions; c; c = c->next) {
    calve_push__condition *made = CALVE_NEW(p->arena, calve_push__condition);
    if (!made) return calve_fail_oom(err);
    t->condition = c;
    CALVE_TRY(calve_push__rewrite(p, c->node, map_equal, t, &made->node, err));
    CALVE_TRY(put_constants(p, t, made->node, &made->node, err));
    *tail = made;
    tail = &made->next;
  }
  if (item->use) return give_table(p, item, own, err);
  return item->body ? calve_push__need_of(p, item->body, item, own, err) : CALVE_OK;
}
