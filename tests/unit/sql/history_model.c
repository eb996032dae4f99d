/* SPDX-License-Identifier: Apache-2.0 */
#include "history_model.h"

uint32_t history_pick(history_random *r, uint32_t below) {
  uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)((z ^ (z >> 31)) >> 32) % below;
}

bool history_chance(history_random *r, uint32_t percent) {
  return history_pick(r, 100) < percent;
}

static void *take(model *m, size_t size) {
  void *p = calve_arena_alloc(m->arena, size);
  assert_non_null(p);
  memset(p, 0, size);
  return p;
}

/* ---- columns ---------------------------------------------------------------------------- */

column *model_column(model *m, column_kind kind, const char *name) {
  column *c = take(m, sizeof *c);
  c->uid = ++m->last_uid;
  c->kind = kind;
  c->precision = kind == K_DECIMAL ? 6 + (int)history_pick(&m->random, 8) : 0;
  snprintf(c->name, sizeof c->name, "%s", name);
  return c;
}

static void add_child(column *parent, column *child) {
  assert_true(parent->child_count < CHILDREN_MAX);
  parent->children[parent->child_count++] = child;
}

column *model_random_column(model *m, const char *name, int depth) {
  static const char *const names[] = {"p", "q", "r"};
  history_random *r = &m->random;
  uint32_t nested = depth > 0 ? history_pick(r, 10) : 0;
  if (nested < 6) return model_column(m, (column_kind)history_pick(r, K_STRING + 1), name);
  if (nested < 8) {
    column *c = model_column(m, K_STRUCT, name);
    int count = 1 + (int)history_pick(r, 3);
    for (int i = 0; i < count; i++) add_child(c, model_random_column(m, names[i], depth - 1));
    return c;
  }
  column *c = model_column(m, nested == 8 ? K_LIST : K_MAP, name);
  add_child(c, model_random_column(m, nested == 8 ? "element" : "value", depth - 1));
  return c;
}

column *model_copy(model *m, const column *c) {
  column *copy = take(m, sizeof *copy);
  *copy = *c;
  for (int i = 0; i < c->child_count; i++) copy->children[i] = model_copy(m, c->children[i]);
  return copy;
}

static int add_places(column *c, column *parent, const char *prefix, bool repeated, place *out,
                      int room) {
  assert_true(room > 0);
  out[0] = (place){.column = c, .parent = parent, .repeated = repeated};
  snprintf(out[0].path, sizeof out[0].path, "%s%s%s", prefix, prefix[0] ? "." : "", c->name);
  int count = 1;
  for (int i = 0; i < c->child_count; i++)
    count += add_places(c->children[i], c, out[0].path, repeated || c->kind != K_STRUCT,
                        out + count, room - count);
  return count;
}

int model_places(const column *root, place *out, int room) {
  int count = 0;
  for (int i = 0; i < root->child_count; i++)
    count += add_places(root->children[i], NULL, "", false, out + count, room - count);
  return count;
}

/* ---- values ----------------------------------------------------------------------------- */

/* Few different ones, on both sides of zero and of 1970, so that they meet. */
static void random_leaf(history_random *r, column_kind kind, value *v) {
  switch (kind) {
    case K_BOOL:
      v->n = history_pick(r, 2);
      return;
    case K_DATE:
      v->n = (int64_t)history_pick(r, 80) - 40;
      return;
    case K_TIMESTAMP:
      v->n = ((int64_t)history_pick(r, 400) - 200) * 5000;
      return;
    case K_DECIMAL:
      v->n = ((int64_t)history_pick(r, 41) - 20) * 25 + 1; /* to_json may leave out a last 0 */
      return;
    case K_STRING:
      for (uint32_t i = 0, size = history_pick(r, 4); i < size; i++)
        v->s[i] = (char)('a' + history_pick(r, 3));
      return;
    default:
      v->n = (int64_t)history_pick(r, 41) - 20;
  }
}

const value *model_random_value(model *m, const column *c) {
  history_random *r = &m->random;
  value *v = take(m, sizeof *v);
  v->uid = c->uid;
  if (!c->required && history_chance(r, 15)) {
    v->null = true;
    return v;
  }
  if (c->kind < K_STRUCT) {
    random_leaf(r, c->kind, v);
    return v;
  }
  v->count = c->kind == K_STRUCT ? c->child_count : (int)history_pick(r, 4);
  v->items = take(m, (size_t)v->count * sizeof *v->items + 1);
  for (int i = 0; i < v->count; i++) {
    v->items[i] = *model_random_value(m, c->children[c->kind == K_STRUCT ? i : 0]);
    if (c->kind == K_MAP) snprintf(v->items[i].key, sizeof v->items[i].key, "k%d", i % 10);
  }
  return v;
}

const value *model_field(const value *structure, const column *c) {
  static const value null = {.null = true};
  if (structure->null) return &null;
  for (int i = 0; i < structure->count; i++)
    if (structure->items[i].uid == c->uid) return &structure->items[i];
  return c->initial ? c->initial : &null;
}

int compare_values(const value *a, const value *b, column_kind kind) {
  if (kind == K_STRING) return strcmp(a->s, b->s);
  return (a->n > b->n) - (a->n < b->n);
}
