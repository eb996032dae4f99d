/* SPDX-License-Identifier: Apache-2.0 */
/* data/projection, by property: a random nested column is written, its type evolves at random
 * (fields dropped, added, moved, widened, and renamed to each other's names), and what is read is
 * what a model that knows only field ids expects. */
#include "data_fixture.h"

#include "data/types.h"

#define ROWS  12
#define CASES 60

typedef struct random_state {
  uint64_t s;
} random_state;

static uint32_t next_random(random_state *r, uint32_t below) {
  r->s ^= r->s << 13;
  r->s ^= r->s >> 7;
  r->s ^= r->s << 17;
  return (uint32_t)((r->s >> 11) % below);
}

/* ---- types ------------------------------------------------------------------------------------
 */

typedef struct node {
  calve_type_id kind;
  int32_t id;
  char name[24];
  int count;
  struct node *children[4];
} node;

static node *make_node(fixture *f, calve_type_id kind, int32_t id) {
  node *n = CALVE_NEW(&f->arena, node);
  assert_non_null(n);
  n->kind = kind;
  n->id = id;
  snprintf(n->name, sizeof n->name, "n%d", (int)id);
  return n;
}

static node *random_type(fixture *f, random_state *r, int depth, int32_t *next_id) {
  static const calve_type_id leaves[] = {CALVE_INT,    CALVE_LONG,   CALVE_FLOAT,
                                         CALVE_DOUBLE, CALVE_STRING, CALVE_DATE};
  uint32_t pick = next_random(r, depth >= 4 ? 2 : 6);
  int32_t id = (*next_id)++;
  if (pick < 2) return make_node(f, leaves[next_random(r, ARRAY_COUNT(leaves))], id);
  node *n = make_node(f, pick < 4 ? CALVE_STRUCT : pick == 4 ? CALVE_LIST : CALVE_MAP, id);
  if (n->kind == CALVE_MAP) n->children[n->count++] = make_node(f, CALVE_STRING, (*next_id)++);
  int more = n->kind == CALVE_STRUCT ? 1 + (int)next_random(r, 4) : 1;
  for (int i = 0; i < more; i++) n->children[n->count++] = random_type(f, r, depth + 1, next_id);
  return n;
}

/* The same type some versions later. */
static node *evolve(fixture *f, random_state *r, const node *old, int depth, int32_t *next_id) {
  node *n = make_node(f, old->kind, old->id);
  if (old->kind == CALVE_INT && next_random(r, 2)) n->kind = CALVE_LONG;
  if (old->kind == CALVE_FLOAT && next_random(r, 2)) n->kind = CALVE_DOUBLE;
  if (old->kind != CALVE_STRUCT) {
    for (int i = 0; i < old->count; i++)
      n->children[n->count++] = old->kind == CALVE_MAP && i == 0
                                    ? old->children[0]
                                    : evolve(f, r, old->children[i], depth + 1, next_id);
    return n;
  }
  for (int i = 0; i < old->count; i++)
    if (next_random(r, 4) > 0)
      n->children[n->count++] = evolve(f, r, old->children[i], depth + 1, next_id);
  if (n->count < 4 && (n->count == 0 || next_random(r, 2)))
    n->children[n->count++] = random_type(f, r, depth + 1, next_id);
  for (int i = n->count - 1; i > 0; i--) { /* another order */
    int j = (int)next_random(r, (uint32_t)i + 1);
    node *moved = n->children[i];
    n->children[i] = n->children[j];
    n->children[j] = moved;
  }
  /* Names go round among the old ones: whoever matches by name reads the wrong field. */
  int shift = (int)next_random(r, 4);
  for (int i = 0; i < n->count; i++) {
    int from = (i + shift) % n->count;
    if (from < old->count)
      snprintf(n->children[i]->name, sizeof n->children[i]->name, "n%d",
               (int)old->children[from]->id);
    else
      snprintf(n->children[i]->name, sizeof n->children[i]->name, "new%d", (int)n->children[i]->id);
  }
  return n;
}

static void put_json(const node *n, calve_buffer *out) {
  static const char *const words[] = {
      [CALVE_INT] = "int",       [CALVE_LONG] = "long",     [CALVE_FLOAT] = "float",
      [CALVE_DOUBLE] = "double", [CALVE_STRING] = "string", [CALVE_DATE] = "date"};
  if (n->kind == CALVE_STRUCT) {
    calve_buffer_puts(out, "{\"type\":\"struct\",\"fields\":[");
    for (int i = 0; i < n->count; i++) {
      calve_buffer_printf(out,
                          "%s{\"id\":%d,\"name\":\"%s\",\"required\":false,\"type\":", i ? "," : "",
                          (int)n->children[i]->id, n->children[i]->name);
      put_json(n->children[i], out);
      calve_buffer_putc(out, '}');
    }
    calve_buffer_puts(out, "]}");
  } else if (n->kind == CALVE_LIST) {
    calve_buffer_printf(out,
                        "{\"type\":\"list\",\"element-id\":%d,\"element-required\":false,"
                        "\"element\":",
                        (int)n->children[0]->id);
    put_json(n->children[0], out);
    calve_buffer_putc(out, '}');
  } else if (n->kind == CALVE_MAP) {
    calve_buffer_printf(out,
                        "{\"type\":\"map\",\"key-id\":%d,\"key\":\"string\",\"value-id\":%d,"
                        "\"value-required\":false,\"value\":",
                        (int)n->children[0]->id, (int)n->children[1]->id);
    put_json(n->children[1], out);
    calve_buffer_putc(out, '}');
  } else {
    calve_buffer_printf(out, "\"%s\"", words[n->kind]);
  }
}

static void put_ids(const node *n, calve_buffer *out) {
  if (n->count == 0) {
    calve_buffer_printf(out, "%d", (int)n->id);
    return;
  }
  calve_buffer_printf(out, "{'__duckdb_field_id': %d", (int)n->id);
  for (int i = 0; i < n->count; i++) {
    calve_buffer_printf(out, ", '%s': ",
                        n->kind == CALVE_LIST  ? "element"
                        : n->kind == CALVE_MAP ? (i ? "value" : "key")
                                               : n->children[i]->name);
    put_ids(n->children[i], out);
  }
  calve_buffer_putc(out, '}');
}

static void put_type(const node *n, calve_buffer *out) {
  static const char *const words[] = {
      [CALVE_INT] = "INTEGER",   [CALVE_LONG] = "BIGINT",    [CALVE_FLOAT] = "FLOAT",
      [CALVE_DOUBLE] = "DOUBLE", [CALVE_STRING] = "VARCHAR", [CALVE_DATE] = "DATE"};
  if (n->kind == CALVE_LIST) {
    put_type(n->children[0], out);
    calve_buffer_puts(out, "[]");
  } else if (n->kind == CALVE_MAP) {
    calve_buffer_puts(out, "MAP(VARCHAR, ");
    put_type(n->children[1], out);
    calve_buffer_putc(out, ')');
  } else if (n->kind == CALVE_STRUCT) {
    calve_buffer_puts(out, "STRUCT(");
    for (int i = 0; i < n->count; i++) {
      calve_buffer_printf(out, "%s%s ", i ? ", " : "", n->children[i]->name);
      put_type(n->children[i], out);
    }
    calve_buffer_putc(out, ')');
  } else {
    calve_buffer_puts(out, words[n->kind]);
  }
}

static void put_null(const node *n, calve_buffer *out) {
  calve_buffer_puts(out, "NULL::");
  put_type(n, out);
}

/* ---- values: one for the file and, by id, the one that the table must show ----------------------
 */

static void put_value(random_state *r, const node *in_file, const node *in_table,
                      calve_buffer *file, calve_buffer *table);

static void put_leaf(random_state *r, const node *n, calve_buffer *file, const node *in_table,
                     calve_buffer *table) {
  char text[40];
  uint32_t v = next_random(r, 1000);
  if (n->kind == CALVE_STRING)
    snprintf(text, sizeof text, "'s%u'", v);
  else if (n->kind == CALVE_DATE)
    snprintf(text, sizeof text, "(DATE '1970-01-01' + %u)", v);
  else
    snprintf(text, sizeof text, "%u", v);
  calve_buffer_printf(file, "%s::", text);
  put_type(n, file);
  if (!in_table) return;
  calve_buffer_printf(table, "%s::", text);
  put_type(in_table, table);
}

static void put_struct(random_state *r, const node *n, const node *t, calve_buffer *file,
                       calve_buffer *table) {
  calve_buffer shown[4];
  bool has[4] = {false};
  for (int i = 0; i < 4; i++) calve_buffer_init(&shown[i], NULL);
  calve_buffer_puts(file, "struct_pack(");
  for (int i = 0; i < n->count; i++) {
    int at = -1;
    for (int j = 0; t && j < t->count; j++)
      if (t->children[j]->id == n->children[i]->id) at = j;
    calve_buffer_printf(file, "%s%s := ", i ? ", " : "", n->children[i]->name);
    put_value(r, n->children[i], at >= 0 ? t->children[at] : NULL, file,
              at >= 0 ? &shown[at] : NULL);
    if (at >= 0) has[at] = true;
  }
  calve_buffer_putc(file, ')');
  if (t) calve_buffer_puts(table, "struct_pack(");
  for (int j = 0; t && j < t->count; j++) {
    calve_buffer_printf(table, "%s%s := ", j ? ", " : "", t->children[j]->name);
    if (has[j])
      calve_buffer_put_str(table, calve_buffer_view(&shown[j]));
    else
      put_null(t->children[j], table);
  }
  if (t) calve_buffer_putc(table, ')');
  for (int i = 0; i < 4; i++) calve_buffer_free(&shown[i]);
}

static void put_both(calve_buffer *file, calve_buffer *table, const char *text) {
  calve_buffer_puts(file, text);
  if (table) calve_buffer_puts(table, text);
}

static void put_repeated(random_state *r, const node *n, const node *t, calve_buffer *file,
                         calve_buffer *table) {
  bool map = n->kind == CALVE_MAP;
  uint32_t count = next_random(r, 4);
  put_both(file, table, map ? "MAP{" : "[");
  for (uint32_t i = 0; i < count; i++) {
    char key[16];
    snprintf(key, sizeof key, "'k%u': ", i);
    if (i) put_both(file, table, ", ");
    if (map) put_both(file, table, key);
    put_value(r, n->children[map ? 1 : 0], t ? t->children[map ? 1 : 0] : NULL, file, table);
  }
  put_both(file, table, map ? "}::" : "]::");
  put_type(n, file);
  if (table) put_type(t, table);
}

static void put_value(random_state *r, const node *n, const node *t, calve_buffer *file,
                      calve_buffer *table) {
  if (next_random(r, 4) == 0) {
    put_null(n, file);
    if (t) put_null(t, table);
  } else if (n->kind == CALVE_STRUCT) {
    put_struct(r, n, t, file, table);
  } else if (n->count > 0) {
    put_repeated(r, n, t, file, table);
  } else {
    put_leaf(r, n, file, t, table);
  }
}

/* ---- the law ------------------------------------------------------------------------------------
 */

static void run_case(fixture *f, uint64_t seed) {
  calve_error err;
  random_state r = {seed * UINT64_C(0x9E3779B97F4A7C15) | 1};
  int32_t next_id = 2;
  for (int i = 0; i < 20; i++) (void)next_random(&r, 2);
  node *old = random_type(f, &r, 0, &next_id);
  node *now = evolve(f, &r, old, 0, &next_id);
  calve_buffer file, table, json;
  calve_buffer_init(&file, NULL);
  calve_buffer_init(&table, NULL);
  calve_buffer_init(&json, NULL);
  calve_buffer_puts(&file, "COPY (");
  calve_buffer_puts(&table, "CREATE OR REPLACE TEMP TABLE want AS ");
  for (int i = 0; i < ROWS; i++) {
    char start[64];
    snprintf(start, sizeof start, "%sSELECT %d AS id, ", i ? " UNION ALL " : "", i);
    put_both(&file, &table, start);
    put_value(&r, old, now, &file, &table);
    put_both(&file, &table, " AS c");
  }
  calve_buffer_printf(&file,
                      ") TO '@/f%llu.parquet' (FIELD_IDS {id: 1, c: ", (unsigned long long)seed);
  put_ids(old, &file);
  calve_buffer_puts(&file, "})");
  run_sql(f, calve_buffer_cstr(&file));
  run_sql(f, calve_buffer_cstr(&table));
  calve_buffer_printf(&json,
                      "{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":\"int\"},"
                      "{\"id\":%d,\"name\":\"c\",\"required\":false,\"type\":",
                      (int)old->id);
  put_json(now, &json);
  calve_buffer_putc(&json, '}');
  const calve_metadata *m = make_metadata(f, calve_buffer_cstr(&json), NULL, NULL, NULL);
  char path[64];
  snprintf(path, sizeof path, "@/f%llu.parquet", (unsigned long long)seed);
  const char *paths[] = {path};
  assert_ok(view_files(f, m, paths, 1, &err), &err);
  const char *got = rows_text(
      f,
      "SELECT count(*), count(*) FILTER (WHERE t.c::VARCHAR IS DISTINCT FROM w.c::VARCHAR OR "
      "(t.c IS NULL) <> (w.c IS NULL) OR typeof(t.c) <> typeof(w.c)) FROM t JOIN want w USING "
      "(id)");
  if (strcmp(got, "12|0") != 0)
    fail_msg("seed %llu: %s\nfile: %s\nwant: %s\nschema: %s", (unsigned long long)seed, got,
             calve_buffer_cstr(&file), calve_buffer_cstr(&table), calve_buffer_cstr(&json));
  calve_buffer_free(&json);
  calve_buffer_free(&table);
  calve_buffer_free(&file);
}

static void test_any_evolution_of_any_nested_type_is_read_by_id(void **state) {
  const char *chosen = getenv("CALVE_SEED");
  if (chosen) {
    run_case(*state, strtoull(chosen, NULL, 10));
    return;
  }
  for (uint64_t seed = 1; seed <= CASES; seed++) run_case(*state, seed);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
      test_any_evolution_of_any_nested_type_is_read_by_id, setup_fixture, teardown_fixture)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
