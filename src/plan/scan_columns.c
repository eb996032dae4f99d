/* SPDX-License-Identifier: Apache-2.0 */
/* A filter on columns of statistics: which files no row of it can meet. Says so only where
 * calve_metrics_might_match would; whatever is rare or hard (transforms, times of the day,
 * statistics of an odd width, signed zeros) stays open. Loops over whole columns, which the
 * compiler makes wide. */
#include <string.h>

#include "plan/scan_parts.h"

#define NODES_MAX 256 /* of a filter; larger ones are judged file by file                        */

/* Bounds of a column as numbers in the order of their values. Exact: equal numbers mean equal
 * values; else (the first 8 bytes of texts) only unequal numbers tell something. */
typedef struct keys {
  int64_t *lower, *upper;
  bool exact;
} keys;

typedef bool key_function(const calve_type *type, calve_str bytes, int64_t *out);

/* ---- values as keys -------------------------------------------------------------------------- */

static bool key_of_i32(const calve_type *type, calve_str bytes, int64_t *out) {
  int32_t v;
  (void)type;
  if (bytes.size != sizeof v) return false;
  v = (int32_t)calve_load_le32((const uint8_t *)bytes.data);
  *out = v;
  return true;
}

static bool key_of_i64(const calve_type *type, calve_str bytes, int64_t *out) {
  if (type->id == CALVE_LONG && bytes.size == 4) return key_of_i32(type, bytes, out);
  if (bytes.size != 8) return false;
  *out = (int64_t)calve_load_le64((const uint8_t *)bytes.data);
  return true;
}

static bool key_of_decimal(const calve_type *type, calve_str bytes, int64_t *out) {
  (void)type;
  if (bytes.size < 1 || bytes.size > 8) return false;
  uint64_t v = (uint8_t)bytes.data[0] & 0x80 ? UINT64_MAX : 0;
  for (size_t i = 0; i < bytes.size; i++) v = v << 8 | (uint8_t)bytes.data[i];
  *out = (int64_t)v;
  return true;
}

/* The first bytes, most significant first; unsigned order becomes signed. */
static int64_t key_of_start(calve_str bytes) {
  uint64_t v = 0;
  for (size_t i = 0; i < 8; i++) v = v << 8 | (i < bytes.size ? (uint8_t)bytes.data[i] : 0);
  return (int64_t)(v ^ UINT64_C(1) << 63);
}

static bool key_of_text(const calve_type *type, calve_str bytes, int64_t *out) {
  if (type->id == CALVE_FIXED && bytes.size != (size_t)type->length) return false;
  *out = key_of_start(bytes);
  return true;
}

static key_function *key_function_of(const calve_type *type, bool *exact) {
  *exact = true;
  switch (type->id) {
    case CALVE_INT:
    case CALVE_DATE:
      return key_of_i32;
    case CALVE_LONG:
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
    case CALVE_TIMESTAMP_NS:
    case CALVE_TIMESTAMPTZ_NS:
      return key_of_i64;
    case CALVE_DECIMAL:
      return key_of_decimal;
    case CALVE_STRING:
    case CALVE_BINARY:
    case CALVE_FIXED:
      *exact = false;
      return key_of_text;
    default:
      return NULL;
  }
}

static bool key_of_literal(const calve_type *type, const calve_value *v, int64_t *out) {
  switch (type->id) {
    case CALVE_INT:
    case CALVE_DATE:
      *out = v->i32;
      return true;
    case CALVE_DECIMAL:
      *out = (int64_t)v->i128;
      return v->i128 == *out;
    case CALVE_STRING:
    case CALVE_BINARY:
    case CALVE_FIXED:
      *out = key_of_start(v->bytes);
      return true;
    default:
      *out = v->i64;
      return true;
  }
}

/* Keys of all bounds of a kind. False when one of them has none: then the column stays open. */
static bool take_keys(const calve_image_texts *t, const calve_type *type, key_function *key_of,
                      size_t count, int64_t *out) {
  if (!t->exists || t->absent || (type->id == CALVE_STRING && !t->is_utf8)) return false;
  if (t->stride == 4 && (key_of == key_of_i32 || type->id == CALVE_LONG)) {
    for (size_t i = 0; i < count; i++)
      out[i] = (int32_t)calve_load_le32((const uint8_t *)t->data + 4 * i);
    return true;
  }
  if (t->stride == 8 && key_of == key_of_i64) {
    for (size_t i = 0; i < count; i++)
      out[i] = (int64_t)calve_load_le64((const uint8_t *)t->data + 8 * i);
    return true;
  }
  bool all = true;
  for (size_t i = 0; i < count && all; i++) all = key_of(type, calve_image_text(t, i), &out[i]);
  return all;
}

/* ---- leaves on bounds ------------------------------------------------------------------------ */

/* What rules a file out: an upper key of at most `most`, or a lower key of at least `least`. */
typedef struct limits {
  bool has_most, has_least;
  int64_t most, least;
} limits;

static void at_most(limits *l, int64_t key, bool including) {
  l->has_most = including || key > INT64_MIN;
  l->most = including || !l->has_most ? key : key - 1;
}

static void at_least(limits *l, int64_t key, bool including) {
  l->has_least = including || key < INT64_MAX;
  l->least = including || !l->has_least ? key : key + 1;
}

/* False: the operator is none that bounds alone rule out. */
static bool limits_of(const calve_predicate *leaf, bool exact, limits *out) {
  const calve_type *type = leaf->term.source_type;
  int64_t first, last;
  if (leaf->count == 0 || !key_of_literal(type, &leaf->literals[0], &first) ||
      !key_of_literal(type, &leaf->literals[leaf->count - 1], &last)) {
    return false;
  }
  *out = (limits){0};
  switch (leaf->op) {
    case CALVE_OP_GT:
    case CALVE_OP_GT_EQ:
      at_most(out, first, exact && leaf->op == CALVE_OP_GT);
      return true;
    case CALVE_OP_LT:
    case CALVE_OP_LT_EQ:
      at_least(out, first, exact && leaf->op == CALVE_OP_LT);
      return true;
    case CALVE_OP_EQ:
    case CALVE_OP_IN: /* sorted: what lies outside of first … last is none of them              */
      at_most(out, first, false);
      at_least(out, last, false);
      return true;
    default:
      return false;
  }
}

/* Bounds that are inverted are no bounds; where keys are not exact, equal ones may be. */
static void compare_keys(const keys *k, const limits *l, size_t count, uint8_t *out) {
  const int64_t *lower = k->lower, *upper = k->upper;
  int64_t most = l->has_most ? l->most : 0, least = l->has_least ? l->least : 0;
  int has_most = l->has_most, has_least = l->has_least, equal = k->exact;
  for (size_t i = 0; i < count; i++) {
    int ordered = (lower[i] < upper[i]) | (equal & (lower[i] == upper[i]));
    int beyond = (has_most & (upper[i] <= most)) | (has_least & (lower[i] >= least));
    out[i] = (uint8_t)(out[i] | (ordered & beyond));
  }
}

/* The first bytes of both bounds lie on one side of the prefix. */
static void compare_starts(const keys *k, calve_str prefix, size_t count, uint8_t *out) {
  size_t bytes = prefix.size < 8 ? prefix.size : 8;
  if (bytes == 0) return;
  int64_t mask = (int64_t)(UINT64_MAX << (64 - 8 * bytes)), start = key_of_start(prefix) & mask;
  for (size_t i = 0; i < count; i++) {
    int beyond = ((k->lower[i] & mask) > start) | ((k->upper[i] & mask) < start);
    out[i] = (uint8_t)(out[i] | ((k->lower[i] < k->upper[i]) & beyond));
  }
}

static calve_status look_at_keys(const calve_predicate *leaf, const calve_image_column *c,
                                 size_t count, calve_arena *scratch, uint8_t *out,
                                 calve_error *err) {
  const calve_type *type = leaf->term.source_type;
  bool exact, starts = leaf->op == CALVE_OP_STARTS_WITH;
  limits l;
  key_function *key_of = key_function_of(type, &exact);
  if (!key_of || (starts ? type->id != CALVE_STRING : !limits_of(leaf, exact, &l)))
    return CALVE_OK;
  keys k = {.lower = calve_arena_room(scratch, count, sizeof(int64_t)),
            .upper = calve_arena_room(scratch, count, sizeof(int64_t)),
            .exact = exact};
  if (!k.lower || !k.upper) return calve_fail_oom(err);
  if (!take_keys(&c->lower, type, key_of, count, k.lower) ||
      !take_keys(&c->upper, type, key_of, count, k.upper)) {
    return CALVE_OK;
  }
  if (starts)
    compare_starts(&k, leaf->literals[0].bytes, count, out);
  else
    compare_keys(&k, &l, count, out);
  return CALVE_OK;
}

/* ---- floats ---------------------------------------------------------------------------------- */

static double number_at(const calve_image_texts *t, bool wide, size_t row) {
  const char *at = t->data + row * t->stride;
  if (wide) {
    double v;
    memcpy(&v, at, sizeof v);
    return v;
  }
  float v;
  memcpy(&v, at, sizeof v);
  return (double)v;
}

static double literal_number(const calve_value *v) {
  return v->type == CALVE_FLOAT ? (double)v->f32 : v->f64;
}

/* Strictly beyond all literals, so that zeros of either sign, rounded literals and NaN stay open;
 * bounds that are equal may be zeros in the wrong order. A NaN row might match what is greater. */
static void look_at_floats(const calve_predicate *leaf, const calve_image_column *c, size_t count,
                           uint8_t *out) {
  bool wide = leaf->term.source_type->id == CALVE_DOUBLE;
  bool greater = leaf->op == CALVE_OP_GT || leaf->op == CALVE_OP_GT_EQ;
  bool less = leaf->op == CALVE_OP_LT || leaf->op == CALVE_OP_LT_EQ;
  bool equal = leaf->op == CALVE_OP_EQ || leaf->op == CALVE_OP_IN;
  uint32_t width = wide ? 8 : 4;
  if (!(greater || less || equal) || leaf->count == 0) return;
  if (!c->lower.exists || !c->upper.exists || c->lower.absent || c->upper.absent ||
      c->lower.offsets || c->upper.offsets || c->lower.width != width || c->upper.width != width) {
    return;
  }
  if (greater && (!c->nans.exists || c->nans.absent)) return;
  double first = literal_number(&leaf->literals[0]);
  double last = literal_number(&leaf->literals[leaf->count - 1]);
  for (size_t i = 0; i < count; i++) {
    double lower = number_at(&c->lower, wide, i), upper = number_at(&c->upper, wide, i);
    bool beyond = (!less && upper < first) || (!greater && lower > last);
    if (!beyond || !(lower < upper)) continue;
    if (greater && calve_image_number(&c->nans, i) != 0) continue;
    out[i] = 1;
  }
}

/* ---- counts ---------------------------------------------------------------------------------- */

static bool counts_are_there(const calve_image_numbers *n) {
  return n->exists && !n->absent;
}

/* Files whose rows are all null: no value is there to meet the leaf. */
static calve_status look_at_nulls(const calve_image_column *c, size_t count, calve_arena *scratch,
                                  uint8_t *out, calve_error *err) {
  if (!counts_are_there(&c->values) || !counts_are_there(&c->nulls)) return CALVE_OK;
  int64_t *values = calve_arena_room(scratch, count, sizeof *values);
  int64_t *nulls = calve_arena_room(scratch, count, sizeof *nulls);
  if (!values || !nulls) return calve_fail_oom(err);
  calve_image_unpack(&c->values, count, values);
  calve_image_unpack(&c->nulls, count, nulls);
  for (size_t i = 0; i < count; i++)
    out[i] = (uint8_t)(out[i] | ((values[i] >= 0) & (values[i] == nulls[i])));
  return CALVE_OK;
}

/* Files without a null. Counts of a field inside a struct may leave out rows. */
static calve_status look_for_nulls(const calve_image_column *c, size_t count, calve_arena *scratch,
                                   uint8_t *out, calve_error *err) {
  if (!counts_are_there(&c->nulls)) return CALVE_OK;
  int64_t *nulls = calve_arena_room(scratch, count, sizeof *nulls);
  if (!nulls) return calve_fail_oom(err);
  calve_image_unpack(&c->nulls, count, nulls);
  for (size_t i = 0; i < count; i++) out[i] = nulls[i] == 0;
  return CALVE_OK;
}

static calve_status look_at_leaf(const calve_predicate *leaf, const calve_image_column *c,
                                 size_t count, calve_arena *scratch, uint8_t *out,
                                 calve_error *err) {
  switch (leaf->op) {
    case CALVE_OP_IS_NULL:
      return leaf->term.node->parent ? CALVE_OK : look_for_nulls(c, count, scratch, out, err);
    case CALVE_OP_NOT_NULL:
      return look_at_nulls(c, count, scratch, out, err);
    case CALVE_OP_LT:
    case CALVE_OP_LT_EQ:
    case CALVE_OP_GT:
    case CALVE_OP_GT_EQ:
    case CALVE_OP_EQ:
    case CALVE_OP_IN:
    case CALVE_OP_STARTS_WITH:
      CALVE_TRY(look_at_nulls(c, count, scratch, out, err));
      break;
    default:
      return CALVE_OK;
  }
  calve_type_id type = leaf->term.source_type->id;
  if (type != CALVE_FLOAT && type != CALVE_DOUBLE)
    return look_at_keys(leaf, c, count, scratch, out, err);
  look_at_floats(leaf, c, count, out);
  return CALVE_OK;
}

/* ---- the tree -------------------------------------------------------------------------------- */

typedef struct walk {
  calve_plan__columns columns;
  size_t count, nodes_left;
  calve_arena *scratch;
  calve_error *err;
} walk;

/* `out` is zeroed. Depth is that of the filter, which its makers cap. */
static calve_status look(walk *w, const calve_predicate *p, uint8_t *out) {
  if (w->nodes_left == 0) return CALVE_OK;
  w->nodes_left--;
  if (p->op == CALVE_OP_FALSE) memset(out, 1, w->count);
  if (calve_predicate_is_leaf(p)) {
    const calve_image_column *c = p->term.node ? w->columns[p->term.slot] : NULL;
    if (!c || p->term.has_transform) return CALVE_OK;
    return look_at_leaf(p, c, w->count, w->scratch, out, w->err);
  }
  if (p->op != CALVE_OP_AND && p->op != CALVE_OP_OR) return CALVE_OK;
  bool is_or = p->op == CALVE_OP_OR;
  if (is_or && p->count > w->nodes_left) return CALVE_OK; /* a child left out leaves all open     */
  uint8_t *child = calve_arena_room(w->scratch, w->count + 1, 1);
  if (!child) return calve_fail_oom(w->err);
  if (is_or) memset(out, 1, w->count);
  for (size_t i = 0; i < p->count; i++) {
    memset(child, 0, w->count);
    CALVE_TRY(look(w, p->children[i], child));
    for (size_t row = 0; row < w->count; row++)
      out[row] = is_or ? out[row] & child[row] : out[row] | child[row];
  }
  return CALVE_OK;
}

calve_status calve_plan__rule_out(const calve_predicate *p, calve_plan__columns columns,
                                  const calve_image_rows *rows, calve_arena *scratch, uint8_t *out,
                                  calve_error *err) {
  walk w = {.columns = columns,
            .count = rows->count,
            .nodes_left = NODES_MAX,
            .scratch = scratch,
            .err = err};
  memset(out, 0, rows->count);
  return look(&w, p, out);
}
