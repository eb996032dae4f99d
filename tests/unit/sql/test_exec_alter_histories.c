/* SPDX-License-Identifier: Apache-2.0 */
/* The law of evolution, on random histories: whatever happens to schema, partitioning, order and
 * format version between writes, after each step
 *   - every row reads as the model says for the current schema, and for each earlier snapshot with
 *     the schema of its time;
 *   - a random condition finds exactly the rows that it should, through all specs;
 *   - the metadata is valid, and its JSON reads back as the same;
 *   - a field id, and a partition field id, never means something else than before.
 * What would break a table must be refused, and everything else must work.
 * CALVE_HISTORIES says how many (default 120), CALVE_SEED the first seed; a failure prints the seed
 * and the statements. With CALVE_WAREHOUSE the tables are made there and stay for other readers. */
#include "history_model.h"
#include "sql_session.h"

#define PLACES_MAX 256
#define UIDS_MAX 2048
#define PAST_MAX 64
#define STEPS 10

typedef struct past {
  int64_t snapshot_id;
  column *root;
  int row_count;
} past;

typedef struct known_field {
  int32_t source_id;
  char transform[32];
} known_field;

typedef struct history {
  sql_session *f;
  model m;
  uint64_t seed;
  char table[32];
  int version;
  calve_buffer log;
  past snapshots[PAST_MAX];
  int snapshot_count;
  int32_t ids[UIDS_MAX]; /* field id by uid; 0: not seen yet */
  int32_t highest_id;
  known_field fields[256]; /* partition fields by id - 1000 */
  long spec_tries, spec_changes, refusals;
} history;

/* ---- statements ------------------------------------------------------------------------- */

static void give_up(history *h, const char *what) {
  print_error("seed %llu: %s\n%s\n", (unsigned long long)h->seed, what,
              calve_buffer_cstr(&h->log));
  fail();
}

/* Runs the text of a buffer and frees it. */
static calve_status attempt(history *h, calve_buffer *sql) {
  calve_error err = {0};
  calve_result *r = NULL;
  calve_buffer_printf(&h->log, "%s;\n", calve_buffer_cstr(sql));
  calve_status status = try_run(h->f, calve_buffer_cstr(sql), &r, &err);
  if (status == CALVE_OK)
    calve_result_free(r);
  else
    calve_buffer_printf(&h->log, "  -- %s: %s: %s\n", calve_status_name(status), err.where,
                        err.message);
  calve_buffer_free(sql);
  return status;
}

static void must(history *h, calve_buffer *sql) {
  if (attempt(h, sql) != CALVE_OK) give_up(h, "the last statement should work");
}

static calve_buffer start(history *h, const char *text) {
  calve_buffer sql;
  calve_buffer_init(&sql, NULL);
  calve_buffer_printf(&sql, text, h->table);
  return sql;
}

static void compare_rows(history *h, calve_buffer *sql, calve_buffer *want) {
  calve_buffer_printf(&h->log, "%s;\n", calve_buffer_cstr(sql));
  const char *got = NULL;
  calve_error err;
  if (try_rows(h->f, calve_buffer_cstr(sql), &got, &err) != CALVE_OK) {
    print_error("%s: %s\n", err.where, err.message);
    give_up(h, "the last query fails");
  }
  if (strcmp(got, calve_buffer_cstr(want)) != 0) {
    print_error("got      %s\nexpected %s\n", got, calve_buffer_cstr(want));
    give_up(h, "the last query gives other rows");
  }
  calve_buffer_free(sql);
  calve_buffer_free(want);
}

/* ---- rows ------------------------------------------------------------------------------- */

static void check_rows(history *h, const past *at) {
  calve_buffer want, sql = start(h, "SELECT rid, to_json(q)::VARCHAR FROM (SELECT * FROM %s");
  if (at->snapshot_id != CALVE_NO_SNAPSHOT)
    calve_buffer_printf(&sql, " FOR VERSION AS OF %lld", (long long)at->snapshot_id);
  calve_buffer_puts(&sql, ") q ORDER BY rid");
  calve_buffer_init(&want, NULL);
  for (int i = 0; i < at->row_count; i++) {
    calve_buffer_printf(&want, "%s%d,", i ? "|" : "", i + 1);
    print_row(h->m.rows[i], at->root, &want);
  }
  compare_rows(h, &sql, &want);
}

static void add_row(history *h, const value *row) {
  model *m = &h->m;
  if (m->row_count == m->row_room) {
    m->row_room = m->row_room ? 2 * m->row_room : 64;
    const value **rows = CALVE_NEW_ARRAY(m->arena, const value *, (size_t)m->row_room);
    assert_non_null(rows);
    for (int i = 0; i < m->row_count; i++) rows[i] = m->rows[i];
    m->rows = rows;
  }
  m->rows[m->row_count++] = row;
}

/* A row of the current schema; the column that the statement leaves out takes its write default. */
static const value *make_row(history *h, const column *left_out) {
  model *m = &h->m;
  value *row = CALVE_NEW(m->arena, value);
  row->count = m->root->child_count;
  row->items = CALVE_NEW_ARRAY(m->arena, value, (size_t)row->count);
  for (int i = 0; i < row->count; i++) {
    const column *c = m->root->children[i];
    if (strcmp(c->name, "rid") == 0)
      row->items[i] = (value){.n = m->row_count + 1};
    else if (c == left_out)
      row->items[i] = c->write ? *c->write : (value){.null = true};
    else
      row->items[i] = *model_random_value(m, c);
    row->items[i].uid = c->uid;
  }
  return row;
}

static void print_columns(const history *h, const column *left_out, calve_buffer *sql) {
  const column *root = h->m.root;
  bool first = true;
  for (int i = 0; i < root->child_count; i++) {
    if (root->children[i] == left_out) continue;
    calve_buffer_printf(sql, "%s%s", first ? "" : ", ", root->children[i]->name);
    first = false;
  }
}

static void print_values(const history *h, const value *row, const column *left_out,
                         calve_buffer *sql) {
  const column *root = h->m.root;
  bool first = true;
  for (int i = 0; i < root->child_count; i++) {
    if (root->children[i] == left_out) continue;
    calve_buffer_puts(sql, first ? "(CAST(" : ", CAST(");
    print_literal(&row->items[i], root->children[i], sql);
    calve_buffer_puts(sql, " AS ");
    print_engine_type(root->children[i], sql);
    calve_buffer_putc(sql, ')');
    first = false;
  }
  calve_buffer_putc(sql, ')');
}

static int64_t current_snapshot(history *h) {
  calve_table *table = load_table(h->f, h->table + strlen("db."));
  int64_t id = calve_table_metadata(table)->current_snapshot_id;
  calve_table_close(table);
  return id;
}

static void step_write(history *h) {
  history_random *r = &h->m.random;
  const column *root = h->m.root, *left_out = NULL;
  const column *candidate = root->children[history_pick(r, (uint32_t)root->child_count)];
  bool may = strcmp(candidate->name, "rid") != 0 && (!candidate->required || candidate->write);
  if (may && history_chance(r, 25)) left_out = candidate;
  calve_buffer sql = start(h, "INSERT INTO %s (");
  print_columns(h, left_out, &sql);
  calve_buffer_puts(&sql, ") VALUES ");
  int count = 1 + (int)history_pick(r, 5);
  for (int i = 0; i < count; i++) {
    const value *row = make_row(h, left_out);
    if (i) calve_buffer_puts(&sql, ", ");
    print_values(h, row, left_out, &sql);
    add_row(h, row);
  }
  must(h, &sql);
  assert_true(h->snapshot_count < PAST_MAX);
  h->snapshots[h->snapshot_count++] =
      (past){current_snapshot(h), model_copy(&h->m, root), h->m.row_count};
}

/* ---- conditions ------------------------------------------------------------------------- */

typedef enum truth { NO, YES, UNKNOWN } truth;

static bool has_column(const column *c, int uid) {
  bool found = c->uid == uid;
  for (int i = 0; i < c->child_count && !found; i++) found = has_column(c->children[i], uid);
  return found;
}

static const value *value_at(const value *structure, const column *in, int uid) {
  for (int i = 0; i < in->child_count; i++) {
    const column *c = in->children[i];
    if (!has_column(c, uid)) continue;
    const value *v = model_field(structure, c);
    return c->uid == uid ? v : value_at(v, c, uid);
  }
  return NULL;
}

/* A place that holds one value a row; NULL when there is none but rid. */
static const place *pick_leaf(history *h, place places[PLACES_MAX]) {
  int count = model_places(h->m.root, places, PLACES_MAX), kept = 0;
  for (int i = 0; i < count; i++)
    if (!places[i].repeated && places[i].column->kind < K_STRUCT) places[kept++] = places[i];
  return &places[history_pick(&h->m.random, (uint32_t)kept)];
}

static void print_path(const place *p, calve_buffer *out) {
  calve_buffer_putc(out, '"');
  for (const char *c = p->path; *c; c++) {
    if (*c == '.') calve_buffer_puts(out, "\".\"");
    else calve_buffer_putc(out, *c);
  }
  calve_buffer_putc(out, '"');
}

static value literal_for(history *h, const column *c) {
  column plain = *c;
  plain.required = true;
  return *model_random_value(&h->m, &plain);
}

/* One comparison; fills a truth for each row. */
static void add_leaf(history *h, truth *rows, calve_buffer *sql) {
  static const char *const ops[] = {"=",  "<>",      "<",           "<=", ">",
                                    ">=", "IS NULL", "IS NOT NULL", "IN"};
  place places[PLACES_MAX];
  const place *p = pick_leaf(h, places);
  uint32_t op = history_pick(&h->m.random, ARRAY_COUNT(ops));
  value a = literal_for(h, p->column), b = literal_for(h, p->column);
  print_path(p, sql);
  calve_buffer_printf(sql, " %s ", ops[op]);
  if (op == 8) calve_buffer_putc(sql, '(');
  if (op < 6 || op == 8) print_literal(&a, p->column, sql);
  if (op == 8) {
    calve_buffer_puts(sql, ", ");
    print_literal(&b, p->column, sql);
    calve_buffer_putc(sql, ')');
  }
  for (int i = 0; i < h->m.row_count; i++) {
    const value *v = value_at(h->m.rows[i], h->m.root, p->column->uid);
    int x = v->null ? 0 : compare_values(v, &a, p->column->kind);
    int y = v->null ? 0 : compare_values(v, &b, p->column->kind);
    const bool holds[] = {x == 0, x != 0, x < 0, x <= 0, x > 0, x >= 0, v->null, !v->null,
                          x == 0 || y == 0};
    rows[i] = v->null && op != 6 && op != 7 ? UNKNOWN : holds[op] ? YES : NO;
  }
}

static void check_condition(history *h) {
  model *m = &h->m;
  size_t room = (size_t)m->row_count + 1;
  truth *a = CALVE_NEW_ARRAY(m->arena, truth, room), *b = CALVE_NEW_ARRAY(m->arena, truth, room);
  calve_buffer want, sql = start(h, "SELECT rid FROM %s WHERE ");
  uint32_t form = history_pick(&m->random, 4);
  if (form == 3) calve_buffer_puts(&sql, "NOT (");
  add_leaf(h, a, &sql);
  if (form == 1 || form == 2) {
    calve_buffer_puts(&sql, form == 1 ? " AND " : " OR ");
    add_leaf(h, b, &sql);
  }
  if (form == 3) calve_buffer_putc(&sql, ')');
  calve_buffer_puts(&sql, " ORDER BY rid");
  calve_buffer_init(&want, NULL);
  for (int i = 0; i < m->row_count; i++) {
    bool holds = form == 0   ? a[i] == YES
                 : form == 1 ? a[i] == YES && b[i] == YES
                 : form == 2 ? a[i] == YES || b[i] == YES
                             : a[i] == NO;
    if (holds) calve_buffer_printf(&want, "%s%d", want.size ? "|" : "", i + 1);
  }
  compare_rows(h, &sql, &want);
}

/* ---- metadata --------------------------------------------------------------------------- */

static void check_ids(history *h, const calve_metadata *m) {
  place places[PLACES_MAX];
  int count = model_places(h->m.root, places, PLACES_MAX), maps = 0;
  int32_t highest = h->highest_id;
  for (int i = 0; i < count; i++) {
    const column *c = places[i].column;
    const calve_schema_node *node =
        calve_schema_find(m->schema, calve_str_of(places[i].path));
    if (!node) give_up(h, places[i].path);
    int32_t id = node->field->id;
    assert_true(c->uid < UIDS_MAX);
    if (h->ids[c->uid] == 0 && id <= h->highest_id) give_up(h, "a new column has an old id");
    if (h->ids[c->uid] != 0 && id != h->ids[c->uid]) give_up(h, "a column has another id");
    if (node->field->required != c->required) give_up(h, "required differs");
    h->ids[c->uid] = id;
    if (id > highest) highest = id;
    maps += c->kind == K_MAP;
  }
  if (m->schema->node_count != count + maps) give_up(h, "there are other columns");
  h->highest_id = m->last_column_id;
  if (highest > m->last_column_id) give_up(h, "last-column-id is behind");
}

static void check_partition_ids(history *h, const calve_metadata *m) {
  for (int32_t s = 0; s < m->spec_count; s++)
    for (int32_t i = 0; i < m->specs[s]->field_count; i++) {
      const calve_partition_field *f = &m->specs[s]->fields[i];
      if (f->transform.kind == CALVE_VOID) continue;
      calve_buffer text;
      calve_buffer_init(&text, NULL);
      calve_transform_print(&f->transform, &text);
      assert_in_range(f->field_id, 1000, 1255);
      known_field *known = &h->fields[f->field_id - 1000];
      if (known->source_id == 0) {
        known->source_id = f->source_id;
        snprintf(known->transform, sizeof known->transform, "%s", calve_buffer_cstr(&text));
      }
      if (known->source_id != f->source_id ||
          strcmp(known->transform, calve_buffer_cstr(&text)) != 0)
        give_up(h, "a partition field id has another meaning");
      calve_buffer_free(&text);
    }
  for (int32_t a = 0; a < m->spec_count; a++)
    for (int32_t b = 0; b < a; b++)
      if (calve_spec_compatible(m->specs[a], m->specs[b])) give_up(h, "two specs are the same");
}

static void check_metadata(history *h) {
  calve_error err;
  calve_table *table = load_table(h->f, h->table + strlen("db.")); /* reading it validates it */
  const calve_metadata *m = calve_table_metadata(table), *again;
  assert_int_equal(m->format_version, h->version);
  check_ids(h, m);
  check_partition_ids(h, m);
  calve_buffer once, twice;
  calve_json_writer w;
  calve_buffer_init(&once, NULL);
  calve_buffer_init(&twice, NULL);
  calve_json_write_init(&w, &once, 0);
  calve_metadata_write_json(m, &w);
  calve_str text = {calve_buffer_cstr(&once), once.size};
  assert_ok(calve_metadata_parse(text, h->table, h->m.arena, &again, &err), &err);
  calve_json_write_init(&w, &twice, 0);
  calve_metadata_write_json(again, &w);
  if (strcmp(calve_buffer_cstr(&once), calve_buffer_cstr(&twice)) != 0)
    give_up(h, "the metadata does not read back as the same");
  calve_buffer_free(&once);
  calve_buffer_free(&twice);
  calve_table_close(table);
}

/* ---- schema steps: made on a copy first, to know whether they are allowed ---------------- */

static bool name_is_free(const column *parent, const char *name) {
  for (int i = 0; i < parent->child_count; i++)
    if (strcmp(parent->children[i]->name, name) == 0) return false;
  return true;
}

/* 1: allowed. 0: refused. -1: a name of a column would be that of a partition field: not tried. */
static int judge(history *h, const column *next) {
  place places[PLACES_MAX];
  int count = model_places(next, places, PLACES_MAX), verdict = 1;
  calve_table *table = load_table(h->f, h->table + strlen("db."));
  const calve_metadata *m = calve_table_metadata(table);
  for (int32_t i = 0; i < m->spec->field_count && verdict >= 0; i++) {
    bool found = false;
    for (int k = 0; k < count && verdict >= 0; k++) {
      int32_t id = h->ids[places[k].column->uid];
      found |= id == m->spec->fields[i].source_id;
      if (calve_str_equal_text(m->spec->fields[i].name, places[k].path) &&
          id != m->spec->fields[i].source_id)
        verdict = -1;
    }
    if (!found && verdict > 0) verdict = 0;
  }
  for (int32_t i = 0; i < m->sort_order->field_count && verdict > 0; i++) {
    bool found = false;
    for (int k = 0; k < count; k++)
      found |= h->ids[places[k].column->uid] == m->sort_order->fields[i].source_id;
    if (!found) verdict = 0;
  }
  calve_table_close(table);
  return verdict;
}

/* The structs of a schema, the root among them; picks one. */
static column *pick_struct(history *h, column *root, char path[256]) {
  place places[PLACES_MAX];
  int count = model_places(root, places, PLACES_MAX), kept = 0;
  for (int i = 0; i < count; i++)
    if (places[i].column->kind == K_STRUCT) places[kept++] = places[i];
  uint32_t at = history_pick(&h->m.random, (uint32_t)kept + 2);
  path[0] = '\0';
  if (at >= (uint32_t)kept) return root;
  snprintf(path, 256, "%s.", places[at].path);
  return places[at].column;
}

static void place_child(history *h, column *parent, column *child, calve_buffer *sql) {
  history_random *r = &h->m.random;
  uint32_t where = history_pick(r, 3);
  int at = parent->child_count;
  if (where == 0) {
    at = 0;
    calve_buffer_puts(sql, " FIRST");
  } else if (where == 1 && parent->child_count > 0) {
    at = 1 + (int)history_pick(r, (uint32_t)parent->child_count);
    calve_buffer_printf(sql, " AFTER %s", parent->children[at - 1]->name);
  }
  for (int i = parent->child_count; i > at; i--) parent->children[i] = parent->children[i - 1];
  parent->children[at] = child;
  parent->child_count++;
}

static bool make_add(history *h, column *root, calve_buffer *sql) {
  char path[256], name[2] = {0};
  history_random *r = &h->m.random;
  column *parent = pick_struct(h, root, path);
  name[0] = (char)('a' + history_pick(r, 8));
  if (!name_is_free(parent, name) || parent->child_count >= CHILDREN_MAX - 4) return false;
  column *c = model_random_column(&h->m, name, 2);
  bool with_default = h->version == 3 && c->kind < K_STRUCT && history_chance(r, 50);
  calve_buffer_printf(sql, " ADD COLUMN %s%s ", path, name);
  print_type(c, sql);
  if (with_default) {
    column plain = *c;
    plain.required = true;
    c->initial = c->write = model_random_value(&h->m, &plain);
    c->required = history_chance(r, 30);
    if (c->required) calve_buffer_puts(sql, " NOT NULL");
    calve_buffer_puts(sql, " DEFAULT ");
    print_literal(c->write, c, sql);
  }
  place_child(h, parent, c, sql);
  return true;
}

/* A column inside a struct (not rid), its struct and its place there. */
static column *pick_child(history *h, column *root, char path[256], column **parent, int *at) {
  *parent = pick_struct(h, root, path);
  *at = (int)history_pick(&h->m.random, (uint32_t)(*parent)->child_count);
  column *c = (*parent)->children[*at];
  return strcmp(c->name, "rid") == 0 ? NULL : c;
}

static void take_child(column *parent, int at) {
  for (int i = at; i + 1 < parent->child_count; i++) parent->children[i] = parent->children[i + 1];
  parent->child_count--;
}

static bool make_drop(history *h, column *root, calve_buffer *sql) {
  char path[256];
  column *parent;
  int at;
  column *c = pick_child(h, root, path, &parent, &at);
  if (!c || parent->child_count == 1) return false;
  calve_buffer_printf(sql, " DROP COLUMN %s%s", path, c->name);
  take_child(parent, at);
  return true;
}

static bool make_rename(history *h, column *root, calve_buffer *sql) {
  char path[256], name[2] = {0};
  column *parent;
  int at;
  column *c = pick_child(h, root, path, &parent, &at);
  name[0] = (char)('a' + history_pick(&h->m.random, 8));
  if (!c || !name_is_free(parent, name)) return false;
  calve_buffer_printf(sql, " RENAME COLUMN %s%s TO %s", path, c->name, name);
  snprintf(c->name, sizeof c->name, "%s", name);
  return true;
}

static bool make_move(history *h, column *root, calve_buffer *sql) {
  char path[256];
  column *parent;
  int at;
  column *c = pick_child(h, root, path, &parent, &at);
  if (!c || parent->child_count == 1) return false;
  calve_buffer_printf(sql, " ALTER COLUMN %s%s", path, c->name);
  take_child(parent, at);
  size_t before = sql->size;
  place_child(h, parent, c, sql);
  return sql->size > before;
}

static bool make_wider(history *h, column *root, calve_buffer *sql) {
  place places[PLACES_MAX];
  int count = model_places(root, places, PLACES_MAX);
  const place *p = &places[history_pick(&h->m.random, (uint32_t)count)];
  column *c = p->column;
  if (c->kind == K_INT) c->kind = K_LONG;
  else if (c->kind == K_FLOAT) c->kind = K_DOUBLE;
  else if (c->kind == K_DECIMAL && c->precision < 30) c->precision += 5;
  else return false;
  calve_buffer_printf(sql, " ALTER COLUMN %s TYPE ", p->path);
  print_type(c, sql);
  return true;
}

static bool make_optional(history *h, column *root, calve_buffer *sql) {
  char path[256];
  column *parent;
  int at;
  column *c = pick_child(h, root, path, &parent, &at);
  if (!c || !c->required) return false;
  calve_buffer_printf(sql, " ALTER COLUMN %s%s DROP NOT NULL", path, c->name);
  c->required = false;
  return true;
}

static bool make_default(history *h, column *root, calve_buffer *sql) {
  char path[256];
  column *parent;
  int at;
  column *c = pick_child(h, root, path, &parent, &at);
  if (!c || c->kind >= K_STRUCT || h->version < 3) return false;
  if (c->write && !c->required && history_chance(&h->m.random, 40)) {
    calve_buffer_printf(sql, " ALTER COLUMN %s%s DROP DEFAULT", path, c->name);
    c->write = NULL;
    return true;
  }
  column plain = *c;
  plain.required = true;
  c->write = model_random_value(&h->m, &plain);
  calve_buffer_printf(sql, " ALTER COLUMN %s%s SET DEFAULT ", path, c->name);
  print_literal(c->write, c, sql);
  return true;
}

static void step_schema(history *h) {
  static bool (*const makers[])(history *h, column *root, calve_buffer *sql) = {
      make_add,  make_add,   make_add,      make_drop,   make_drop,
      make_move, make_rename, make_rename, make_optional, make_wider, make_default};
  column *next = model_copy(&h->m, h->m.root);
  calve_buffer sql = start(h, "ALTER TABLE %s");
  uint32_t which = history_pick(&h->m.random, ARRAY_COUNT(makers));
  int verdict = makers[which](h, next, &sql) ? judge(h, next) : -1;
  if (verdict < 0) {
    calve_buffer_free(&sql);
  } else if (verdict > 0) {
    must(h, &sql);
    h->m.root = next;
  } else {
    if (attempt(h, &sql) != CALVE_EINVAL) give_up(h, "the last statement should be refused");
    h->refusals++;
  }
}

/* ---- spec steps ------------------------------------------------------------------------- */

/* "bucket(4, path)" or another transform that the column's type can have. */
static bool print_term(history *h, calve_buffer *sql) {
  place places[PLACES_MAX];
  history_random *r = &h->m.random;
  const place *p = pick_leaf(h, places);
  column_kind kind = p->column->kind;
  bool is_time = kind == K_DATE || kind == K_TIMESTAMP;
  bool is_long = kind == K_INT || kind == K_LONG || kind == K_DECIMAL || kind == K_STRING;
  static const char *const units[] = {"years", "months", "days", "hours"};
  if (kind == K_FLOAT || kind == K_DOUBLE) return false;
  uint32_t which = kind == K_BOOL ? 0 : history_pick(r, 4);
  if (which == 0)
    calve_buffer_puts(sql, p->path);
  else if (which == 1)
    calve_buffer_printf(sql, "bucket(%u, %s)", 2 + history_pick(r, 3), p->path);
  else if (is_time)
    calve_buffer_printf(sql, "%s(%s)", units[history_pick(r, kind == K_DATE ? 3 : 4)], p->path);
  else if (is_long)
    calve_buffer_printf(sql, "truncate(%u, %s)", 1 + history_pick(r, 3), p->path);
  return true;
}

/* The name of a field of the current spec; absent when there is none, or when the name is that of a
 * column: it would be taken for the column. */
static const char *pick_field(history *h) {
  calve_table *table = load_table(h->f, h->table + strlen("db."));
  const calve_metadata *m = calve_table_metadata(table);
  const char *name = NULL;
  if (m->spec->field_count > 0) {
    uint32_t at = history_pick(&h->m.random, (uint32_t)m->spec->field_count);
    const calve_partition_field *f = &m->spec->fields[at];
    if (f->transform.kind != CALVE_VOID && !calve_schema_find(m->schema, f->name))
      name = calve_arena_copy(&h->f->arena, f->name.data, f->name.size);
  }
  calve_table_close(table);
  return name;
}

static void try_spec(history *h, calve_buffer *sql) {
  h->spec_tries++;
  calve_status status = attempt(h, sql);
  if (status == CALVE_OK) h->spec_changes++;
  else if (status != CALVE_EINVAL && status != CALVE_EEXISTS && status != CALVE_ENOTFOUND)
    give_up(h, "the last statement should work or be refused");
}

static void step_spec(history *h) {
  history_random *r = &h->m.random;
  const char *field = pick_field(h);
  calve_buffer sql = start(h, "ALTER TABLE %s ");
  uint32_t which = history_pick(r, 10);
  bool made = true;
  if (which < 2 && field) {
    calve_buffer_printf(&sql, "DROP PARTITION FIELD `%s`", field);
    must(h, &sql);
    return;
  }
  if (which < 4 && field) {
    calve_buffer_printf(&sql, "REPLACE PARTITION FIELD `%s` WITH ", field);
    made = print_term(h, &sql);
  } else if (which == 4 && field) {
    calve_buffer_printf(&sql, "RENAME PARTITION FIELD `%s` TO f%u", field, history_pick(r, 4));
  } else if (which == 5) {
    calve_buffer_puts(&sql, "WRITE ORDERED BY ");
    made = print_term(h, &sql);
    if (made) must(h, &sql);
    else calve_buffer_free(&sql);
    return;
  } else {
    calve_buffer_puts(&sql, "ADD PARTITION FIELD ");
    made = print_term(h, &sql);
    if (history_chance(r, 30)) calve_buffer_printf(&sql, " AS f%u", history_pick(r, 4));
  }
  if (made) try_spec(h, &sql);
  else calve_buffer_free(&sql);
}

static void step_upgrade(history *h) {
  if (h->version == 3) return;
  calve_buffer sql = start(h, "ALTER TABLE %s SET TBLPROPERTIES ('format-version' = '");
  calve_buffer_printf(&sql, "%d')", ++h->version);
  must(h, &sql);
}

/* ---- histories -------------------------------------------------------------------------- */

static void create(history *h) {
  static const char *const names[] = {"a", "b", "c", "d"};
  history_random *r = &h->m.random;
  column *root = model_column(&h->m, K_STRUCT, "");
  root->required = true;
  root->children[root->child_count++] = model_column(&h->m, K_LONG, "rid");
  root->children[0]->required = true;
  int count = 2 + (int)history_pick(r, 3);
  for (int i = 0; i < count; i++)
    root->children[root->child_count++] = model_random_column(&h->m, names[i], 3);
  h->m.root = root;
  h->version = 1 + (int)history_pick(r, 3);
  calve_buffer sql = start(h, "CREATE TABLE %s (");
  for (int i = 0; i < root->child_count; i++) {
    calve_buffer_printf(&sql, "%s%s ", i ? ", " : "", root->children[i]->name);
    print_type(root->children[i], &sql);
    if (root->children[i]->required) calve_buffer_puts(&sql, " NOT NULL");
  }
  calve_buffer_puts(&sql, ")");
  if (history_chance(r, 70)) {
    calve_buffer_puts(&sql, " PARTITIONED BY (");
    if (!print_term(h, &sql)) calve_buffer_puts(&sql, "bucket(3, rid)");
    calve_buffer_putc(&sql, ')');
  }
  calve_buffer_printf(&sql, " TBLPROPERTIES ('format-version' = '%d')", h->version);
  must(h, &sql);
  check_metadata(h);
}

static void run_history(sql_session *f, uint64_t seed, long *spec_tries, long *spec_changes,
                        long *refusals) {
  calve_arena arena;
  history *h = calloc(1, sizeof *h);
  assert_non_null(h);
  calve_arena_init(&arena, NULL);
  h->f = f;
  h->seed = seed;
  h->m = (model){.arena = &arena, .random = {seed * 0x2545f4914f6cdd1du}};
  calve_buffer_init(&h->log, NULL);
  snprintf(h->table, sizeof h->table, "db.h%llu", (unsigned long long)seed);
  create(h);
  for (int step = 0; step < STEPS; step++) {
    uint32_t which = history_pick(&h->m.random, 100);
    if (which < 35) step_write(h);
    else if (which < 72) step_schema(h);
    else if (which < 97) step_spec(h);
    else step_upgrade(h);
    check_metadata(h);
    past now = {CALVE_NO_SNAPSHOT, h->m.root, h->m.row_count};
    check_rows(h, &now);
    if (h->m.row_count > 0) check_condition(h);
    if (h->snapshot_count > 0 && history_chance(&h->m.random, 30))
      check_rows(h, &h->snapshots[history_pick(&h->m.random, (uint32_t)h->snapshot_count)]);
  }
  if (!getenv("CALVE_WAREHOUSE")) {
    calve_buffer drop = start(h, "DROP TABLE %s PURGE");
    must(h, &drop);
  }
  *spec_tries += h->spec_tries;
  *spec_changes += h->spec_changes;
  *refusals += h->refusals;
  calve_buffer_free(&h->log);
  calve_arena_free(&arena);
  calve_arena_reset(&f->arena);
  free(h);
}

static void test_rows_survive_random_evolution(void **state) {
  sql_session *f = *state;
  const char *count_text = getenv("CALVE_HISTORIES"), *seed_text = getenv("CALVE_SEED");
  long count = count_text ? atol(count_text) : 120, tries = 0, changes = 0, refusals = 0;
  uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 1;
  for (long i = 0; i < count; i++)
    run_history(f, seed + (uint64_t)i, &tries, &changes, &refusals);
  print_message("%ld histories from seed %llu: %ld of %ld changes of specs, %ld refusals\n", count,
                (unsigned long long)seed, changes, tries, refusals);
  if (count >= 50) { /* the generator is of use only if most of what it tries happens */
    assert_true(changes * 2 > tries);
    assert_true(refusals > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
      test_rows_survive_random_evolution, setup_session, teardown_session)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
