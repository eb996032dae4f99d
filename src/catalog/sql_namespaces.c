/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces of a SQL catalog: rows of properties, and whatever a table's row says. */
#include <string.h>

#include "base/text.h"
#include "catalog/sql_db.h"

/* Levels are joined with dots in the catalog's columns: a dot inside one would be a level more. */
calve_status calve_catalog__space_text(const calve_namespace *space, calve_arena *arena,
                                       calve_str *out, calve_error *err) {
  for (size_t i = 0; i < space->count; i++)
    if (memchr(space->levels[i].data, '.', space->levels[i].size))
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "the namespace level \"%.*s\" has a dot in it, which this kind of catalog "
                        "can't keep apart from two levels",
                        CALVE_STR_ARG(space->levels[i]));
  return calve_namespace_text(space, arena, out, err);
}

/* Every namespace that the catalog knows, by its own row or by a table in it. */
static calve_status all_namespaces(calve_catalog *c, calve_arena *arena, calve_buffer *out,
                                   calve_error *err) {
  calve_catalog__statement s;
  CALVE_TRY(calve_catalog__begin(c,
                                 "SELECT namespace FROM iceberg_namespace_properties "
                                 "WHERE catalog_name = ?1 UNION SELECT table_namespace "
                                 "FROM iceberg_tables WHERE catalog_name = ?1",
                                 &c->name, 1, &s, err));
  calve_status status;
  bool row;
  while ((status = calve_catalog__row(&s, &row, err)) == CALVE_OK && row) {
    calve_str space;
    if ((status = calve_catalog__column(&s, 0, arena, &space, err)) != CALVE_OK) break;
    if (space.size > 0) calve_buffer_put(out, &space, sizeof space);
  }
  calve_catalog__end(&s);
  return status == CALVE_OK ? calve_buffer_check(out, err) : status;
}

/* Whether `space` is `parent` or below it; *rest is what is below, without the dot. */
static bool below(calve_str space, calve_str parent, calve_str *rest) {
  *rest = space;
  if (parent.size == 0) return true;
  if (!calve_str_starts_with(space, parent)) return false;
  *rest = (calve_str){space.data + parent.size, space.size - parent.size};
  if (rest->size == 0) return true;
  if (rest->data[0] != '.') return false;
  *rest = (calve_str){rest->data + 1, rest->size - 1};
  return true;
}

calve_status calve_catalog__sql_list_namespaces(calve_catalog *c, const calve_namespace *parent,
                                        calve_arena *arena, calve_buffer *out, calve_error *err) {
  calve_str prefix = {0}, rest;
  if (parent) CALVE_TRY(calve_catalog__space_text(parent, arena, &prefix, err));
  calve_buffer all;
  calve_buffer_init(&all, c->allocator);
  calve_status status = all_namespaces(c, arena, &all, err);
  const calve_str *items = CALVE_ITEMS(&all, calve_str);
  for (size_t i = 0; status == CALVE_OK && i < CALVE_COUNT(&all, calve_str); i++) {
    if (!below(items[i], prefix, &rest) || rest.size == 0) continue;
    const char *dot = memchr(rest.data, '.', rest.size);
    if (dot) rest.size = (size_t)(dot - rest.data);
    status = calve_arena_str(arena, rest, &rest, err);
    calve_buffer_put(out, &rest, sizeof rest);
  }
  calve_buffer_free(&all);
  return status == CALVE_OK ? calve_buffer_check(out, err) : status;
}

typedef struct presence {
  bool itself, children;
} presence;

static calve_status look_for(calve_catalog *c, calve_str space, calve_arena *arena, presence *out,
                             calve_error *err) {
  calve_buffer all;
  calve_buffer_init(&all, c->allocator);
  *out = (presence){0};
  calve_status status = all_namespaces(c, arena, &all, err);
  const calve_str *items = CALVE_ITEMS(&all, calve_str);
  for (size_t i = 0; status == CALVE_OK && i < CALVE_COUNT(&all, calve_str); i++) {
    calve_str rest;
    if (!below(items[i], space, &rest)) continue;
    *(rest.size == 0 ? &out->itself : &out->children) = true;
  }
  calve_buffer_free(&all);
  return status;
}

calve_status calve_catalog__sql_namespace_exists(calve_catalog *c, const calve_namespace *space,
                                         bool *exists, calve_error *err) {
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_str text;
  presence p = {0};
  calve_status status = calve_catalog__space_text(space, &scratch, &text, err);
  if (status == CALVE_OK) status = look_for(c, text, &scratch, &p, err);
  calve_arena_free(&scratch);
  if (status == CALVE_OK) *exists = p.itself || p.children;
  return status;
}

static calve_status put_property(calve_catalog *c, calve_str space, calve_str key, calve_str value,
                                 calve_error *err) {
  const calve_str args[] = {c->name, space, key, value};
  return calve_catalog__execute(c,
                                "INSERT INTO iceberg_namespace_properties "
                                "(catalog_name, namespace, property_key, property_value) "
                                "VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE "
                                "SET property_value = excluded.property_value",
                                args, 4, NULL, err);
}

/* Ends a transaction of several statements; a failure undoes them all. */
static calve_status end_together(calve_catalog *c, calve_status status, calve_error *err) {
  if (status == CALVE_OK) status = calve_catalog__execute(c, "COMMIT", NULL, 0, NULL, err);
  calve_error ignored;
  if (status != CALVE_OK && !sqlite3_get_autocommit(c->db) &&
      calve_catalog__execute(c, "ROLLBACK", NULL, 0, NULL, &ignored) != CALVE_OK)
    return status;
  return status;
}

calve_status calve_catalog__sql_create_namespace(calve_catalog *c, const calve_namespace *space,
                                         const calve_properties *properties, calve_error *err) {
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_str text;
  presence p = {0};
  calve_status status = calve_catalog__space_text(space, &scratch, &text, err);
  if (status == CALVE_OK)
    status = calve_catalog__execute(c, "BEGIN IMMEDIATE", NULL, 0, NULL, err);
  if (status == CALVE_OK) {
    status = look_for(c, text, &scratch, &p, err);
    if (status == CALVE_OK && (p.itself || p.children))
      status = calve_fail(err, CALVE_EEXISTS, text.data, "the namespace exists already");
    if (status == CALVE_OK)
      status = put_property(c, text, CALVE_STR("exists"), CALVE_STR("true"), err);
    for (size_t i = 0; properties && i < properties->count && status == CALVE_OK; i++)
      status = put_property(c, text, properties->items[i].key, properties->items[i].value, err);
    status = end_together(c, status, err);
  }
  calve_arena_free(&scratch);
  return status;
}

static calve_status count_tables(calve_catalog *c, calve_str space, int *count,
                                 calve_error *err) {
  const calve_str args[] = {c->name, space};
  calve_catalog__statement s;
  CALVE_TRY(calve_catalog__begin(c,
                                 "SELECT count(*) FROM iceberg_tables "
                                 "WHERE catalog_name = ?1 AND table_namespace = ?2",
                                 args, 2, &s, err));
  bool row = false;
  calve_status status = calve_catalog__row(&s, &row, err);
  if (row) *count = sqlite3_column_int(s.handle, 0);
  calve_catalog__end(&s);
  return status;
}

static calve_status drop_namespace(calve_catalog *c, calve_str text, calve_arena *scratch,
                                   calve_error *err) {
  presence p;
  int tables = 0;
  CALVE_TRY(look_for(c, text, scratch, &p, err));
  if (!p.itself && !p.children)
    return calve_fail(err, CALVE_ENOTFOUND, text.data, "there is no such namespace");
  CALVE_TRY(count_tables(c, text, &tables, err));
  if (tables > 0)
    return calve_fail(err, CALVE_EINVAL, text.data,
                      "the namespace still has %d tables or views; drop them first", tables);
  if (p.children)
    return calve_fail(err, CALVE_EINVAL, text.data,
                      "the namespace still has namespaces in it; drop them first");
  const calve_str args[] = {c->name, text};
  return calve_catalog__execute(c,
                                "DELETE FROM iceberg_namespace_properties "
                                "WHERE catalog_name = ?1 AND namespace = ?2",
                                args, 2, NULL, err);
}

calve_status calve_catalog__sql_drop_namespace(calve_catalog *c, const calve_namespace *space,
                                       calve_error *err) {
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_str text;
  calve_status status = calve_catalog__space_text(space, &scratch, &text, err);
  if (status == CALVE_OK)
    status = calve_catalog__execute(c, "BEGIN IMMEDIATE", NULL, 0, NULL, err);
  if (status == CALVE_OK) status = end_together(c, drop_namespace(c, text, &scratch, err), err);
  calve_arena_free(&scratch);
  return status;
}

calve_status calve_catalog__sql_namespace_properties(calve_catalog *c, const calve_namespace *space,
                                             calve_arena *arena, calve_properties *out,
                                             calve_error *err) {
  calve_str args[] = {c->name, {0}};
  CALVE_TRY(calve_catalog__space_text(space, arena, &args[1], err));
  calve_catalog__statement s;
  CALVE_TRY(calve_catalog__begin(c,
                                 "SELECT property_key, property_value "
                                 "FROM iceberg_namespace_properties WHERE catalog_name = ?1 "
                                 "AND namespace = ?2 AND property_key <> 'exists' ORDER BY 1",
                                 args, 2, &s, err));
  calve_buffer items;
  calve_buffer_init(&items, c->allocator);
  calve_status status;
  bool row;
  while ((status = calve_catalog__row(&s, &row, err)) == CALVE_OK && row) {
    calve_property p;
    if ((status = calve_catalog__column(&s, 0, arena, &p.key, err)) != CALVE_OK ||
        (status = calve_catalog__column(&s, 1, arena, &p.value, err)) != CALVE_OK)
      break;
    calve_buffer_put(&items, &p, sizeof p);
  }
  calve_catalog__end(&s);
  if (status == CALVE_OK) status = calve_buffer_check(&items, err);
  const void *copy = NULL;
  if (status == CALVE_OK && !(copy = calve_arena_copy(arena, items.data, items.size)))
    status = calve_fail_oom(err);
  if (status == CALVE_OK)
    *out = (calve_properties){copy, CALVE_COUNT(&items, calve_property)};
  calve_buffer_free(&items);
  return status;
}

calve_status calve_catalog__sql_alter_namespace(calve_catalog *c, const calve_namespace *space,
                                        const calve_properties *set, const calve_str *unset,
                                        size_t unset_count, calve_error *err) {
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_str text;
  calve_status status = calve_catalog__space_text(space, &scratch, &text, err);
  if (status == CALVE_OK)
    status = calve_catalog__execute(c, "BEGIN IMMEDIATE", NULL, 0, NULL, err);
  if (status == CALVE_OK) {
    for (size_t i = 0; i < unset_count && status == CALVE_OK; i++) {
      const calve_str args[] = {c->name, text, unset[i]};
      status = calve_catalog__execute(c,
                                      "DELETE FROM iceberg_namespace_properties WHERE "
                                      "catalog_name = ?1 AND namespace = ?2 AND property_key = ?3",
                                      args, 3, NULL, err);
    }
    for (size_t i = 0; set && i < set->count && status == CALVE_OK; i++)
      status = put_property(c, text, set->items[i].key, set->items[i].value, err);
    status = end_together(c, status, err);
  }
  calve_arena_free(&scratch);
  return status;
}
