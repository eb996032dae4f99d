/* SPDX-License-Identifier: Apache-2.0 */
/* Names for completion at a prompt. */
#include <string.h>

#include "sql/relation.h"

static const char *const keywords[] = {
    "ADD",       "AFTER",      "ALTER",    "AND",     "AS",        "BETWEEN",     "BY",
    "COLUMN",    "COMMENT",    "CREATE",   "DESC",    "DESCRIBE",  "DISTINCT",    "DROP",
    "EXISTS",    "EXPLAIN",    "FIELD",    "FIELDS",  "FIRST",     "FOR",         "FROM",
    "GROUP",     "HAVING",     "ICEBERG",  "IF",      "IDENTIFIER", "IN",         "INSERT",
    "INTO",      "IS",         "JOIN",     "LEFT",    "LIKE",      "LIMIT",       "LOCATION",
    "NAMESPACE", "NAMESPACES", "NOT",      "NULL",    "ON",        "OR",          "ORDER",
    "ORDERED",   "OVERWRITE",  "PARTITION", "PARTITIONED", "PURGE", "RENAME",     "REPLACE",
    "RESET",     "SELECT",     "SET",      "SHOW",    "TABLE",     "TABLES",      "TBLPROPERTIES",
    "TIMESTAMP", "TO",         "TYPE",     "UNSET",   "USE",       "USING",       "VALUES",
    "VERSION",   "WHERE",      "WITH",     "WRITE",
};

typedef struct completion {
  calve_session *session;
  calve_arena *arena;
  calve_str prefix;
  bool (*visit)(void *ctx, const char *name);
  void *ctx;
  bool stopped;
} completion;

static bool begins(calve_str name, calve_str prefix) {
  return name.size >= prefix.size &&
         calve_str_equal_nocase((calve_str){name.data, prefix.size}, prefix);
}

/* Tells "front.name" when it begins as the prefix does; front may be empty. */
static calve_status offer(completion *c, calve_str front, calve_str name, calve_error *err) {
  calve_str full;
  CALVE_TRY(calve_arena_printf(c->arena, &full, err, "%.*s%.*s", (int)front.size, front.data,
                               (int)name.size, name.data));
  if (!c->stopped && begins(full, c->prefix)) c->stopped = !c->visit(c->ctx, full.data);
  return CALVE_OK;
}

static calve_status offer_all(completion *c, calve_str front, const calve_str *names, size_t count,
                              calve_error *err) {
  for (size_t i = 0; i < count && !c->stopped; i++) CALVE_TRY(offer(c, front, names[i], err));
  return CALVE_OK;
}

/* Its columns, and its metadata tables. */
static calve_status offer_members(completion *c, calve_str front, const calve_table_name *name,
                                  calve_error *err) {
  calve_table *table;
  CALVE_TRY(calve_table_load(c->session->catalog, name, &table, err));
  const calve_schema *schema = calve_table_metadata(table)->schema;
  calve_status status = CALVE_OK;
  for (int32_t i = 0; i < schema->root->field_count && status == CALVE_OK; i++)
    status = offer(c, front, schema->root->fields[i].name, err);
  const char *one;
  for (size_t i = 0; status == CALVE_OK && (one = calve_metadata_table_name(i)) != NULL; i++)
    status = offer(c, front, calve_str_of(one), err);
  calve_table_close(table);
  return status;
}

/* What stands behind "db." or "db.orders.": tables and namespaces, or a table's members. */
static calve_status offer_behind(completion *c, size_t dot, calve_error *err) {
  calve_str front = {c->prefix.data, dot + 1}, text = {c->prefix.data, dot};
  calve_namespace space;
  const calve_str *names;
  size_t count;
  bool exists;
  CALVE_TRY(calve_namespace_parse(text, c->arena, &space, err));
  CALVE_TRY(calve_catalog_namespace_exists(c->session->catalog, &space, &exists, err));
  if (exists) {
    CALVE_TRY(
        calve_catalog_list_tables(c->session->catalog, &space, c->arena, &names, &count, err));
    CALVE_TRY(offer_all(c, front, names, count, err));
    CALVE_TRY(calve_catalog_list_namespaces(c->session->catalog, &space, c->arena, &names, &count,
                                            err));
    return offer_all(c, front, names, count, err);
  }
  calve_table_name table = {.space = c->session->space, .name = text};
  if (space.count > 1)
    table = (calve_table_name){{space.levels, space.count - 1}, space.levels[space.count - 1]};
  return table.space.count > 0 ? offer_members(c, front, &table, err) : CALVE_OK;
}

/* In small letters when the prefix is typed so. */
static calve_status offer_keyword(completion *c, const char *keyword, calve_error *err) {
  calve_str none = {"", 0}, text = calve_str_of(keyword);
  char small[32];
  if (c->prefix.size > 0 && c->prefix.data[0] >= 'a') {
    for (size_t i = 0; i < text.size; i++) small[i] = (char)(text.data[i] + ('a' - 'A'));
    text.data = small;
  }
  return offer(c, none, text, err);
}

static calve_status offer_top(completion *c, calve_error *err) {
  const calve_str *names;
  size_t count;
  calve_str none = {"", 0};
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    CALVE_TRY(offer_keyword(c, keywords[i], err));
  CALVE_TRY(
      calve_catalog_list_namespaces(c->session->catalog, NULL, c->arena, &names, &count, err));
  CALVE_TRY(offer_all(c, none, names, count, err));
  if (c->session->space.count == 0) return CALVE_OK;
  CALVE_TRY(calve_catalog_list_tables(c->session->catalog, &c->session->space, c->arena, &names,
                                      &count, err));
  return offer_all(c, none, names, count, err);
}

calve_status calve_session_complete(calve_session *session, const char *prefix,
                                    bool (*visit)(void *ctx, const char *name), void *ctx,
                                    calve_error *err) {
  calve_arena arena;
  calve_arena_init(&arena, session->allocator);
  completion c = {.session = session,
                  .arena = &arena,
                  .prefix = calve_str_of(prefix),
                  .visit = visit,
                  .ctx = ctx};
  const char *dot = strrchr(prefix, '.');
  calve_status status = dot ? offer_behind(&c, (size_t)(dot - prefix), err) : offer_top(&c, err);
  calve_arena_free(&arena);
  return status;
}
