/* SPDX-License-Identifier: Apache-2.0 */
/* Names: what a column's name means among the items of a FROM clause, and what the columns of a
 * SELECT list are made of. */
#include "base/buffer.h"
#include "sql/push_parts.h"

typedef enum found { ABSENT, OPEN, FOUND } found;

/* ---- columns of an item --------------------------------------------------------------------- */

size_t calve_push__item_columns(const calve_push__item *item, bool *is_complete) {
  *is_complete = item->use || item->values;
  if (item->is_opaque || item->has_clash)
    *is_complete = false;
  else if (item->use)
    return (size_t)item->use->schema->root->field_count;
  else if (item->values)
    return item->values->count > 0 ? item->values->items[0].count : 0;
  if (!item->body || item->is_opaque) return 0;
  *is_complete = item->body->is_complete;
  return item->body->column_count;
}

calve_status calve_push__item_name(calve_push__context *p, const calve_push__item *item,
                                   size_t column, calve_str *out, calve_error *err) {
  *out = (calve_str){NULL, 0};
  if (item->renames && column < item->renames->count)
    *out = item->renames->items[column].text;
  else if (item->names && column < item->names->count)
    *out = item->names->items[column].text;
  else if (item->use)
    *out = item->use->schema->root->fields[column].name;
  else if (item->body)
    *out = item->body->columns[column].name;
  else
    return calve_arena_printf(p->arena, out, err, "col%zu", column);
  return CALVE_OK;
}

static bool is_plain_word(calve_str name) {
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '_') return false;
  }
  return true;
}

/* Of two columns `id` the engine calls the second id_1: then that name does not mean what the
 * query itself calls so. */
static calve_status is_made_name(calve_push__context *p, const calve_push__item *item,
                                 calve_str name, size_t count, bool *out, calve_error *err) {
  size_t size = name.size;
  calve_str other;
  size_t seen = 0;
  *out = false;
  while (size > 0 && name.data[size - 1] >= '0' && name.data[size - 1] <= '9') size--;
  if (size == name.size || size < 2 || name.data[size - 1] != '_') return CALVE_OK;
  for (size_t i = 0; i < count; i++) {
    CALVE_TRY(calve_push__item_name(p, item, i, &other, err));
    seen += calve_str_equal_nocase(other, (calve_str){name.data, size - 1});
  }
  *out = seen > 1;
  return CALVE_OK;
}

/* The first column of that name. */
static calve_status look_up(calve_push__context *p, const calve_push__item *item, calve_str name,
                            size_t *column, found *out, calve_error *err) {
  bool is_complete, made;
  size_t count = calve_push__item_columns(item, &is_complete);
  calve_str other;
  *out = OPEN;
  if (item->has_clash && !item->is_opaque) {
    const calve_type *root = item->use->schema->root;
    size_t seen = 0;
    for (int32_t i = 0; i < root->field_count; i++) {
      if (!calve_str_equal_nocase(root->fields[i].name, name)) continue;
      *column = (size_t)i;
      seen++;
    }
    *out = seen == 1 ? FOUND : OPEN;
    return CALVE_OK;
  }
  for (size_t i = 0; i < count; i++) {
    CALVE_TRY(calve_push__item_name(p, item, i, &other, err));
    if (!other.data && !is_plain_word(name)) return CALVE_OK; /* it may be "max(id)" */
    if (!other.data || !calve_str_equal_nocase(other, name)) continue;
    CALVE_TRY(is_made_name(p, item, name, i, &made, err));
    *column = i;
    *out = made ? OPEN : FOUND;
    return CALVE_OK;
  }
  *out = is_complete ? ABSENT : OPEN;
  return CALVE_OK;
}

/* ---- names ---------------------------------------------------------------------------------- */

typedef enum merging { APART, MERGED_LEFT, MERGED_RIGHT } merging;

/* Whether columns of that name (absent: any) are one by USING or NATURAL, and which side's it is.
 * Of a FULL join it is neither's. */
static merging merging_of(const calve_json *from, calve_str name) {
  if (!calve_push__is(from, "type", "JOIN")) return APART;
  const calve_json *names = calve_json_get(from, "using_columns");
  bool here = calve_push__is(from, "ref_type", "NATURAL");
  for (size_t i = 0; names && i < names->count; i++)
    here |= !name.data || calve_str_equal_nocase(names->items[i].text, name);
  bool left =
      calve_push__is(from, "join_type", "INNER") || calve_push__is(from, "join_type", "LEFT") ||
      calve_push__is(from, "join_type", "SEMI") || calve_push__is(from, "join_type", "ANTI");
  merging most = !here ? APART : left ? MERGED_LEFT : MERGED_RIGHT;
  static const char *const sides[] = {"left", "right"};
  for (size_t i = 0; i < 2; i++) {
    merging one = merging_of(calve_json_get(from, sides[i]), name);
    if (one > most) most = one;
  }
  return most;
}

static bool is_visible(const calve_push__view *view, size_t index) {
  return view->block->items[index].hidden == view->hidden + (index >= view->half);
}

/* A column without a qualifier: the first item that has it. Where another has it too, the engine
 * refuses the query, or they are merged. */
static calve_status resolve_plain(calve_push__context *p, const calve_push__view *view,
                                  calve_str name, calve_push__ref *out, bool *done,
                                  calve_error *err) {
  bool open = false;
  merging m = merging_of(calve_json_get(view->block->node, "from_table"), name);
  *done = false;
  for (size_t i = view->first; i < view->end && m != MERGED_RIGHT; i++) {
    const calve_push__item *item = &view->block->items[i];
    found f;
    if (!is_visible(view, i)) continue;
    CALVE_TRY(look_up(p, item, name, &out->column, &f, err));
    open |= f == OPEN;
    if (f != FOUND) continue;
    out->item = item;
    *done = m == APART || !open;
    return CALVE_OK;
  }
  return CALVE_OK;
}

/* How many of the names qualify by this item: table, schema.table … 0: none. */
static size_t qualifier(const calve_push__item *item, const calve_json *names) {
  if (names->count > 1 && item->binding.data &&
      calve_str_equal_nocase(names->items[0].text, item->binding))
    return 1;
  const calve_str parts[] = {item->catalog, item->schema, item->table};
  for (size_t from = 0; from < 2; from++) {
    size_t count = 3 - from, j = 0;
    if (!parts[from].data || names->count <= count) continue;
    while (j < count && calve_str_equal_nocase(names->items[j].text, parts[from + j])) j++;
    if (j == count) return count;
  }
  return 0;
}

calve_status calve_push__resolve(calve_push__context *p, const calve_push__view *view,
                                 const calve_json *names, calve_push__ref *out, bool *done,
                                 calve_error *err) {
  size_t used = 0, count = 0;
  *done = false;
  *out = (calve_push__ref){0};
  if (!names || names->count == 0) return CALVE_OK;
  for (size_t i = view->first; i < view->end; i++) {
    size_t n = is_visible(view, i) ? qualifier(&view->block->items[i], names) : 0;
    if (n == 0) continue;
    used = n;
    out->item = &view->block->items[i];
    count++;
  }
  if (count > 1) return CALVE_OK;
  if (count == 1) {
    found f;
    CALVE_TRY(look_up(p, out->item, names->items[used].text, &out->column, &f, err));
    *done = f == FOUND;
  } else {
    CALVE_TRY(resolve_plain(p, view, names->items[0].text, out, done, err));
  }
  out->path = &names->items[used + 1];
  out->path_count = names->count - used - 1;
  return CALVE_OK;
}

/* ---- columns of a block --------------------------------------------------------------------- */

typedef struct list {
  calve_buffer columns; /* vector of calve_push__column                                         */
  bool stopped;         /* what comes next is not certain                                       */
} list;

static bool names_have(const calve_json *names, calve_str name) {
  for (size_t i = 0; names && i < names->count; i++)
    if (calve_str_equal_nocase(names->items[i].text, name)) return true;
  return false;
}

/* The columns of one item, in a star. */
static calve_status put_item(calve_push__context *p, const calve_push__view *view,
                             const calve_push__item *item, const calve_json *star, list *out,
                             calve_error *err) {
  bool is_complete;
  size_t count = calve_push__item_columns(item, &is_complete);
  const calve_json *replaced = calve_json_get(star, "replace_list");
  for (size_t i = 0; i < count; i++) {
    calve_push__column column = {.ref = {.item = item, .column = i}};
    CALVE_TRY(calve_push__item_name(p, item, i, &column.name, err));
    if (column.name.data && names_have(calve_json_get(star, "exclude_list"), column.name)) continue;
    for (size_t r = 0; column.name.data && replaced && r < replaced->count; r++)
      if (calve_str_equal_nocase(calve_push__text(&replaced->items[r], "key"), column.name))
        CALVE_TRY(calve_push__bind(p, view, calve_json_get(&replaced->items[r], "value"),
                                   &column.expression, err));
    if (!column.expression) column.type = calve_push__type(&column.ref);
    calve_buffer_put(&out->columns, &column, sizeof column);
  }
  out->stopped = !is_complete;
  return CALVE_OK;
}

static calve_status put_star(calve_push__context *p, const calve_push__view *view,
                             const calve_json *star, list *out, calve_error *err) {
  const calve_push__block *block = view->block;
  calve_str relation = calve_push__text(star, "relation_name");
  const calve_json *columns = calve_json_get(star, "columns");
  merging m = merging_of(calve_json_get(block->node, "from_table"), (calve_str){NULL, 0});
  size_t matches = 0;
  out->stopped = (columns && columns->boolean) || calve_push__has_class(star, "PARAMETER") ||
                 calve_push__present(star, "expr") || calve_push__present(star, "rename_list") ||
                 calve_push__present(star, "qualified_exclude_list") ||
                 (m == MERGED_RIGHT && !relation.data);
  for (size_t i = 0; i < block->item_count && relation.data; i++)
    matches += is_visible(view, i) && calve_str_equal_nocase(block->items[i].binding, relation);
  if (relation.data && matches != 1) out->stopped = true;
  for (size_t i = 0; i < block->item_count && !out->stopped; i++) {
    const calve_push__item *item = &block->items[i];
    if (!is_visible(view, i)) continue;
    if (relation.data && !calve_str_equal_nocase(item->binding, relation)) continue;
    CALVE_TRY(put_item(p, view, item, star, out, err));
    if (m != APART && !relation.data) out->stopped = true; /* merged columns are left out */
  }
  return CALVE_OK;
}

/* An expression, or a column under its own name. */
static calve_status put_expression(calve_push__context *p, const calve_push__view *view,
                                   const calve_json *node, list *out, calve_error *err) {
  calve_push__column column = {.name = calve_push__text(node, "alias")};
  bool plain = calve_push__is(node, "class", "COLUMN_REF"), done = false;
  const calve_json *names = calve_json_get(node, "column_names");
  if (plain) CALVE_TRY(calve_push__resolve(p, view, names, &column.ref, &done, err));
  if (plain && !column.name.data && names && names->count > 0)
    column.name = names->items[names->count - 1].text;
  if (done)
    column.type = calve_push__type(&column.ref);
  else
    CALVE_TRY(calve_push__bind(p, view, node, &column.expression, err));
  /* unnest() of a struct makes several columns; others may be called by any name. */
  if (calve_push__is(node, "function_name", "unnest") ||
      (!column.name.data && !calve_push__is(node, "class", "FUNCTION") &&
       !calve_push__is(node, "class", "CONSTANT")))
    out->stopped = true;
  else
    calve_buffer_put(&out->columns, &column, sizeof column);
  return CALVE_OK;
}

static calve_status list_columns(calve_push__context *p, calve_push__block *block, list *out,
                                 calve_error *err) {
  const calve_json *items = calve_json_get(block->node, "select_list");
  const calve_push__view view = {block, 0, block->item_count, block->item_count, 0};
  for (size_t i = 0; items && i < items->count && !out->stopped; i++)
    CALVE_TRY(calve_push__is(&items->items[i], "class", "STAR")
                  ? put_star(p, &view, &items->items[i], out, err)
                  : put_expression(p, &view, &items->items[i], out, err));
  return calve_buffer_check(&out->columns, err);
}

/* Named as on the left side. The engine casts both sides to their common type. */
static calve_status find_set_columns(calve_push__context *p, calve_push__block *block,
                                     calve_error *err) {
  const calve_push__block *left = block->left, *right = block->right;
  calve_push__column *columns = CALVE_NEW_ARRAY(p->arena, calve_push__column, left->column_count);
  if (!columns) return calve_fail_oom(err);
  for (size_t i = 0; i < left->column_count; i++) {
    columns[i] = (calve_push__column){.name = left->columns[i].name};
    if (i < right->column_count)
      columns[i].type = calve_push__common_type(left->columns[i].type, right->columns[i].type);
  }
  block->columns = columns;
  block->column_count = left->column_count;
  block->is_complete = left->is_complete;
  return CALVE_OK;
}

calve_status calve_push__find_columns(calve_push__context *p, calve_push__block *block,
                                      calve_error *err) {
  if (block->is_opaque) return CALVE_OK;
  if (block->left) return find_set_columns(p, block, err);
  list found_columns = {.stopped = false};
  calve_buffer_init(&found_columns.columns, p->arena->allocator);
  calve_status status = list_columns(p, block, &found_columns, err);
  const calve_buffer *bytes = &found_columns.columns;
  void *copy = status == CALVE_OK ? calve_arena_copy(p->arena, bytes->data, bytes->size) : NULL;
  if (status == CALVE_OK && !copy) status = calve_fail_oom(err);
  block->columns = copy;
  block->column_count = copy ? CALVE_COUNT(bytes, calve_push__column) : 0;
  block->is_complete = !found_columns.stopped;
  calve_buffer_free(&found_columns.columns);
  return status;
}

/* ---- types ---------------------------------------------------------------------------------- */

static const calve_type *follow(const calve_type *type, const calve_json *path, size_t count) {
  for (size_t i = 0; i < count && type; i++) {
    const calve_type *next = NULL;
    size_t seen = 0;
    for (int32_t f = 0; type->id == CALVE_STRUCT && f < type->field_count; f++) {
      if (!calve_str_equal_nocase(type->fields[f].name, path[i].text)) continue;
      next = type->fields[f].type;
      seen++;
    }
    type = seen == 1 ? next : NULL;
  }
  return type;
}

const calve_type *calve_push__type(const calve_push__ref *ref) {
  const calve_type *type = NULL;
  const calve_push__block *body = ref->item->body;
  if (ref->item->use)
    type = ref->item->use->schema->root->fields[ref->column].type;
  else if (body && ref->column < body->column_count)
    type = body->columns[ref->column].type;
  return follow(type, ref->path, ref->path_count);
}

static bool is_whole(const calve_type *type) {
  return type->id == CALVE_INT || type->id == CALVE_LONG;
}

const calve_type *calve_push__common_type(const calve_type *a, const calve_type *b) {
  if (!a || !b || calve_type_is_nested(a) || calve_type_is_nested(b)) return NULL;
  if (is_whole(a) && is_whole(b)) return a->id == CALVE_LONG ? a : b;
  return calve_type_equal(a, b) ? a : NULL;
}
