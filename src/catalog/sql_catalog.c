/* SPDX-License-Identifier: Apache-2.0 */
/* A catalog in a SQLite file, with the two tables that PyIceberg's SqlCatalog and Java's
 * JdbcCatalog share. Files made before views existed lack the column iceberg_type: they are used
 * as they are. */
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "catalog/sql_db.h"
#include "store/local.h"

#define BUSY_TIMEOUT_MS 30000
#define BUSY_SLEEP_MS 20

/* Rows of tables; those of views carry VIEW. */
#define IS_TABLE " AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL)"
#define NAMED " WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3"
/* Picks the text for files with or without the column iceberg_type. */
#define SQL(c, text) ((c)->has_type_column ? text IS_TABLE : text)

static const char create_tables[] =
    "CREATE TABLE IF NOT EXISTS iceberg_tables ("
    "catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, "
    "table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), "
    "previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5), "
    "PRIMARY KEY (catalog_name, table_namespace, table_name))";
static const char create_namespaces[] =
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties ("
    "catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL, "
    "property_key VARCHAR(255) NOT NULL, property_value VARCHAR(1000) NOT NULL, "
    "PRIMARY KEY (catalog_name, namespace, property_key))";

/* ---- opening ---- */

/* Of what follows the "?" one thing matters here: how long a lock is waited for. timeout=SECONDS is
 * how Python's driver has it, busy_timeout=MILLISECONDS Java's. */
static void read_query(calve_catalog *c, calve_str query) {
  for (calve_str rest = query; rest.size > 0;) {
    const char *end = memchr(rest.data, '&', rest.size);
    calve_str one = {rest.data, end ? (size_t)(end - rest.data) : rest.size};
    rest = end ? (calve_str){end + 1, rest.size - one.size - 1} : (calve_str){0};
    const char *value = memchr(one.data, '=', one.size);
    if (!value) continue;
    calve_str key = {one.data, (size_t)(value - one.data)};
    calve_str text = {value + 1, one.size - key.size - 1};
    double seconds;
    int64_t ms;
    if (calve_str_equal(key, CALVE_STR("timeout")) && calve_double_parse(text, &seconds) &&
        seconds >= 0 && seconds < 1e6)
      c->busy_timeout_ms = (int64_t)(seconds * 1000);
    else if (calve_str_equal(key, CALVE_STR("busy_timeout")) && calve_str_to_i64(text, &ms) &&
             ms >= 0)
      c->busy_timeout_ms = ms;
  }
}

/* "sqlite:///x.db", "sqlite:////abs/x.db", "jdbc:sqlite:/abs/x.db", perhaps with "?…". */
static calve_status path_of_uri(calve_catalog *c, calve_str uri, const char **out,
                                calve_error *err) {
  static const char *const prefixes[] = {"sqlite:///", "jdbc:sqlite:file:", "jdbc:sqlite:"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    calve_str prefix = calve_str_of(prefixes[i]);
    if (!calve_str_starts_with(uri, prefix)) continue;
    calve_str path = {uri.data + prefix.size, uri.size - prefix.size};
    const char *query = memchr(path.data, '?', path.size);
    if (query) {
      read_query(c, (calve_str){query + 1, path.size - (size_t)(query + 1 - path.data)});
      path.size = (size_t)(query - path.data);
    }
    char checked[CALVE_PATH_MAX];
    CALVE_TRY(calve_path_c(path, checked, err));
    *out = calve_arena_copy(&c->arena, path.data, path.size);
    return *out ? CALVE_OK : calve_fail_oom(err);
  }
  size_t scheme = 0;
  while (scheme < uri.size && uri.data[scheme] != ':') scheme++;
  return calve_fail(err, CALVE_EUNSUPPORTED, "uri",
                    "the catalog's uri has scheme \"%.*s\"; only SQLite files are supported "
                    "(sqlite:////folder/catalog.db)",
                    scheme > 40 ? 40 : (int)scheme, uri.data ? uri.data : "");
}

static calve_status default_path(calve_catalog *c, const char **out, calve_error *err) {
  calve_str folder, path;
  if (!c->warehouse.data)
    return calve_fail(err, CALVE_EINVAL, "uri",
                      "the catalog needs a uri (sqlite:////folder/catalog.db) or a warehouse");
  CALVE_TRY(calve_path_resolve(&c->rules, c->warehouse, &c->arena, &folder, err));
  if (!calve_path_local(folder, &folder))
    return calve_fail(err, CALVE_EINVAL, "uri",
                      "the warehouse is not a local folder: the catalog needs a uri "
                      "(sqlite:////folder/catalog.db)");
  CALVE_TRY(calve_path_join(folder, "calve.db", &c->arena, &path, err));
  if (!c->read_only) CALVE_TRY(calve_local_make_folder(folder, err));
  *out = path.data;
  return CALVE_OK;
}

/* Whether the statement can be prepared: tells if a table or column is there. */
static bool can_ask(calve_catalog *c, const char *sql) {
  sqlite3_stmt *probe = NULL;
  bool fine = sqlite3_prepare_v2(c->db, sql, -1, &probe, NULL) == SQLITE_OK;
  sqlite3_finalize(probe);
  return fine;
}

static calve_status set_up(calve_catalog *c, calve_error *err) {
  /* Also finds out whether the file is a database at all. */
  CALVE_TRY(calve_catalog__execute(c, "SELECT count(*) FROM sqlite_master", NULL, 0, NULL, err));
  bool complete = can_ask(c, "SELECT catalog_name FROM iceberg_tables LIMIT 0") &&
                  can_ask(c, "SELECT catalog_name FROM iceberg_namespace_properties LIMIT 0");
  if (!complete) {
    if (c->read_only)
      return calve_fail(err, CALVE_ENOTFOUND, c->db_path, "the file holds no Iceberg catalog");
    CALVE_TRY(calve_catalog__execute(c, create_tables, NULL, 0, NULL, err));
    CALVE_TRY(calve_catalog__execute(c, create_namespaces, NULL, 0, NULL, err));
  }
  c->has_type_column = can_ask(c, "SELECT iceberg_type FROM iceberg_tables LIMIT 0");
  return CALVE_OK;
}

/* ---- tables ---- */

static calve_status sql_list_tables(calve_catalog *c, const calve_namespace *space,
                                    calve_arena *arena, calve_buffer *out, calve_error *err) {
  calve_str args[] = {c->name, {0}};
  CALVE_TRY(calve_catalog__space_text(space, arena, &args[1], err));
  calve_catalog__statement s;
  CALVE_TRY(calve_catalog__begin(c,
                                 SQL(c, "SELECT table_name FROM iceberg_tables "
                                        "WHERE catalog_name = ?1 AND table_namespace = ?2"),
                                 args, 2, &s, err));
  calve_status status;
  bool row;
  while ((status = calve_catalog__row(&s, &row, err)) == CALVE_OK && row) {
    calve_str name;
    if ((status = calve_catalog__column(&s, 0, arena, &name, err)) != CALVE_OK) break;
    calve_buffer_put(out, &name, sizeof name);
  }
  calve_catalog__end(&s);
  return status == CALVE_OK ? calve_buffer_check(out, err) : status;
}

static calve_status sql_locate(calve_catalog *c, const calve_table_name *name, calve_arena *arena,
                               calve_catalog__pointer *out, calve_error *err) {
  calve_str args[] = {c->name, {0}, name->name};
  CALVE_TRY(calve_catalog__space_text(&name->space, arena, &args[1], err));
  calve_catalog__statement s;
  CALVE_TRY(calve_catalog__begin(
      c, SQL(c, "SELECT metadata_location FROM iceberg_tables" NAMED), args, 3, &s, err));
  bool row = false;
  calve_str location = {0};
  calve_status status = calve_catalog__row(&s, &row, err);
  if (row && status == CALVE_OK) status = calve_catalog__column(&s, 0, arena, &location, err);
  calve_catalog__end(&s);
  if (status != CALVE_OK) return status;
  if (!row) return calve_fail(err, CALVE_ENOTFOUND, c->db_path, "there is no such table");
  if (location.size == 0)
    return calve_fail(err, CALVE_ECORRUPT, c->db_path, "the table's row has no metadata_location");
  *out = (calve_catalog__pointer){location, -1};
  return CALVE_OK;
}

/* A name as one part of a path: what would leave the folder or break the path is written %XX, and
 * what readers that take the path for a URI would cut off there. */
static calve_status path_part(calve_str name, calve_arena *arena, const char **out,
                              calve_error *err) {
  bool dots = calve_str_equal(name, CALVE_STR(".")) || calve_str_equal(name, CALVE_STR(".."));
  char *part = calve_arena_alloc(arena, name.size * 3 + 1), *at = part;
  if (!part) return calve_fail_oom(err);
  for (size_t i = 0; i < name.size; i++) {
    unsigned char c = (unsigned char)name.data[i];
    if (dots || c == '/' || c == '\\' || c == '%' || c == '?' || c == '#' ||
        c < 0x20 || c == 0x7f) {
      *at++ = '%';
      *at++ = "0123456789ABCDEF"[c >> 4];
      *at++ = "0123456789ABCDEF"[c & 15];
    } else {
      *at++ = (char)c;
    }
  }
  *at = '\0';
  *out = part;
  return CALVE_OK;
}

/* As PyIceberg: the namespace's own location, or one folder per namespace in the warehouse. */
static calve_status sql_default_location(calve_catalog *c, const calve_table_name *name,
                                         calve_arena *arena, calve_str *out, calve_error *err) {
  calve_properties properties;
  calve_str text, folder;
  const char *part;
  CALVE_TRY(calve_catalog__sql_namespace_properties(c, &name->space, arena, &properties, err));
  folder = calve_properties_get(&properties, "location");
  if (folder.size == 0) {
    if (!c->warehouse.data)
      return calve_fail(err, CALVE_EINVAL, "warehouse",
                        "the catalog has no warehouse: give the table a location");
    CALVE_TRY(calve_catalog__space_text(&name->space, arena, &text, err));
    CALVE_TRY(path_part(text, arena, &part, err));
    CALVE_TRY(calve_path_join(c->warehouse, part, arena, &folder, err));
  }
  CALVE_TRY(path_part(name->name, arena, &part, err));
  return calve_path_join(folder, part, arena, out, err);
}

static calve_status sql_drop(calve_catalog *c, const calve_table_name *name, calve_error *err) {
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_str args[] = {c->name, {0}, name->name};
  int changed = 0;
  calve_status status = calve_catalog__space_text(&name->space, &scratch, &args[1], err);
  if (status == CALVE_OK)
    status = calve_catalog__execute(c, SQL(c, "DELETE FROM iceberg_tables" NAMED), args, 3,
                                    &changed, err);
  calve_arena_free(&scratch);
  if (status == CALVE_OK && changed == 0) return calve_catalog__no_such_table(c, name, err);
  return status;
}

static calve_status sql_rename(calve_catalog *c, const calve_table_name *from,
                               const calve_table_name *to, calve_error *err) {
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_str args[] = {c->name, {0}, from->name, {0}, to->name};
  int changed = 0;
  calve_status status = calve_catalog__space_text(&from->space, &scratch, &args[1], err);
  if (status == CALVE_OK) status = calve_catalog__space_text(&to->space, &scratch, &args[3], err);
  if (status == CALVE_OK)
    status = calve_catalog__execute(
        c, SQL(c, "UPDATE iceberg_tables SET table_namespace = ?4, table_name = ?5" NAMED), args, 5,
        &changed, err);
  if (status == CALVE_EEXISTS) {
    calve_str text;
    if (calve_table_name_text(to, &scratch, &text, err) == CALVE_OK)
      status = calve_fail(err, CALVE_EEXISTS, text.data, "the name is taken already");
  }
  calve_arena_free(&scratch);
  if (status == CALVE_OK && changed == 0) return calve_catalog__no_such_table(c, from, err);
  return status;
}

static calve_status sql_enroll(calve_catalog *c, const calve_table_name *name, calve_str location,
                               calve_error *err) {
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_str args[] = {c->name, {0}, name->name, location};
  calve_str text;
  calve_status status = calve_catalog__space_text(&name->space, &scratch, &args[1], err);
  if (status == CALVE_OK)
    status = calve_catalog__execute(
        c,
        c->has_type_column
            ? "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, "
              "metadata_location, iceberg_type) VALUES (?1, ?2, ?3, ?4, 'TABLE')"
            : "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, "
              "metadata_location) VALUES (?1, ?2, ?3, ?4)",
        args, 4, NULL, err);
  if (status == CALVE_EEXISTS && calve_table_name_text(name, &scratch, &text, err) == CALVE_OK)
    status = calve_fail(err, CALVE_EEXISTS, text.data, "a table or view of this name exists");
  calve_arena_free(&scratch);
  return status;
}

/* ---- the swap ---- */

static calve_status write_metadata(const calve_store *store, calve_str location, calve_str json,
                                   bool compressed, const calve_allocator *allocator,
                                   calve_error *err) {
  calve_buffer bytes;
  calve_buffer_init(&bytes, allocator);
  calve_status status = calve_catalog__encode_metadata(json, compressed, &bytes, err);
  if (status == CALVE_OK)
    status = calve_store_create(store, location, calve_buffer_view(&bytes), err);
  calve_buffer_free(&bytes);
  if (status != CALVE_EUNKNOWN) return status;
  /* The catalog does not name the file yet: the commit did not happen, whatever became of it. */
  calve_error ignored;
  if (calve_store_remove(store, location, &ignored) != CALVE_OK && err) err->os_errno = 0;
  if (err) err->code = CALVE_EIO;
  return CALVE_EIO;
}

/* One statement is one transaction of SQLite: either the pointer moves from base to location, or
 * nothing happens. */
static calve_status move_pointer(calve_catalog *c, const calve_table_name *name,
                                 const calve_table_state *base, calve_str location,
                                 calve_arena *arena, calve_error *err) {
  if (!base) return sql_enroll(c, name, location, err);
  calve_str args[] = {c->name, {0}, name->name, location, base->metadata_location};
  CALVE_TRY(calve_catalog__space_text(&name->space, arena, &args[1], err));
  int changed = 0;
  CALVE_TRY(calve_catalog__execute(c,
                                   SQL(c, "UPDATE iceberg_tables SET metadata_location = ?4, "
                                          "previous_metadata_location = ?5" NAMED
                                          " AND metadata_location = ?5"),
                                   args, 5, &changed, err));
  if (changed == 1) return CALVE_OK;
  return calve_fail(err, CALVE_ECONFLICT, c->db_path,
                    "another commit to table \"%.*s\" was faster", CALVE_STR_ARG(name->name));
}

static calve_status sql_swap(calve_catalog *c, const calve_table_name *name,
                             const calve_store *store, const calve_table_state *base,
                             const calve_metadata *metadata, calve_str json, calve_arena *arena,
                             calve_str *location, int64_t *version, calve_error *err) {
  bool compressed;
  calve_str previous = base ? base->metadata_location : (calve_str){0};
  CALVE_TRY(calve_catalog__wants_gzip(metadata, &compressed, err));
  CALVE_TRY(calve_catalog__next_location(metadata, previous, compressed, arena, location, err));
  *version = -1;
  CALVE_TRY(write_metadata(store, *location, json, compressed, c->allocator, err));
  calve_status status = move_pointer(c, name, base, *location, arena, err);
  calve_error ignored;
  if (status != CALVE_OK && status != CALVE_EUNKNOWN &&
      calve_store_remove(store, *location, &ignored) != CALVE_OK)
    return status; /* an orphan, which harms nobody */
  return status;
}

/* The statement is over one way or the other; the row tells which. */
static calve_status sql_settle(calve_catalog *c, const calve_table_name *name,
                               const calve_store *store, const calve_table_state *base,
                               calve_str location, calve_str json, calve_error *err) {
  (void)json;
  calve_arena scratch;
  calve_arena_init(&scratch, c->allocator);
  calve_catalog__pointer now;
  const calve_metadata *m = NULL;
  calve_status status = sql_locate(c, name, &scratch, &now, err);
  bool landed = status == CALVE_OK && calve_str_equal(now.location, location);
  bool gone = status == CALVE_ENOTFOUND; /* a new table that was not made */
  bool unmoved = base ? status == CALVE_OK && calve_str_equal(now.location, base->metadata_location)
                      : gone;
  if (status == CALVE_OK && !landed) {
    status = calve_catalog__read_metadata(&c->table_guard.store, now.location, &scratch, &m, err);
    for (size_t i = 0; status == CALVE_OK && i < m->metadata_log_count && !landed; i++)
      landed = calve_str_equal(m->metadata_log[i].metadata_file, location);
  }
  calve_arena_free(&scratch);
  if (landed) return CALVE_OK;
  if (status != CALVE_OK && !gone)
    return calve_fail(err, CALVE_EUNKNOWN, c->db_path, "the catalog can't be asked");
  calve_error ignored;
  if (calve_store_remove(store, location, &ignored) != CALVE_OK && err) err->os_errno = 0;
  return calve_fail(err, unmoved ? CALVE_EIO : CALVE_ECONFLICT, c->db_path,
                    "the commit did not reach the catalog");
}

/* Of all catalogs in the file. Where a table's metadata is, there is the table, but for those with
 * a path of their own for it. */
static calve_status sql_table_at(calve_catalog *c, calve_str location,
                                 const calve_table_name *name, calve_arena *arena, calve_str *out,
                                 calve_error *err) {
  calve_catalog__statement s;
  calve_str space;
  CALVE_TRY(calve_catalog__space_text(&name->space, arena, &space, err));
  CALVE_TRY(calve_catalog__begin(
      c, "SELECT metadata_location, table_namespace, table_name, catalog_name FROM iceberg_tables",
      NULL, 0, &s, err));
  calve_status status;
  bool row;
  while ((status = calve_catalog__row(&s, &row, err)) == CALVE_OK && row) {
    calve_str cells[4];
    for (int i = 0; i < 4 && status == CALVE_OK; i++)
      status = calve_catalog__column(&s, i, arena, &cells[i], err);
    if (status != CALVE_OK) break;
    bool same = calve_str_equal(cells[1], space) && calve_str_equal(cells[2], name->name) &&
                calve_str_equal(cells[3], c->name);
    if (same || !calve_path_equal(calve_catalog__folder_of_file(cells[0]), location)) continue;
    status = calve_arena_printf(arena, out, err, "%.*s.%.*s", CALVE_STR_ARG(cells[1]),
                                CALVE_STR_ARG(cells[2]));
    break;
  }
  calve_catalog__end(&s);
  return status;
}

static calve_status sql_others(calve_catalog *c, calve_arena *arena, calve_str *out,
                               calve_error *err) {
  static const char sql[] =
      "WITH names AS (SELECT catalog_name AS n FROM iceberg_tables UNION "
      "SELECT catalog_name FROM iceberg_namespace_properties) SELECT group_concat(n, ', ') "
      "FROM (SELECT n FROM names WHERE ?1 NOT IN (SELECT n FROM names) ORDER BY n)";
  calve_catalog__statement s;
  calve_str found = {0};
  bool row = false;
  CALVE_TRY(calve_catalog__begin(c, sql, &c->name, 1, &s, err));
  calve_status status = calve_catalog__row(&s, &row, err);
  if (row && status == CALVE_OK) status = calve_catalog__column(&s, 0, arena, &found, err);
  calve_catalog__end(&s);
  if (status == CALVE_OK && found.size > 0) *out = found;
  return status;
}

static void sql_close(calve_catalog *c) {
  sqlite3_close(c->db);
}

static const calve_catalog__backend sql_backend = {
    .create_namespace = calve_catalog__sql_create_namespace,
    .drop_namespace = calve_catalog__sql_drop_namespace,
    .namespace_exists = calve_catalog__sql_namespace_exists,
    .list_namespaces = calve_catalog__sql_list_namespaces,
    .list_tables = sql_list_tables,
    .namespace_properties = calve_catalog__sql_namespace_properties,
    .alter_namespace = calve_catalog__sql_alter_namespace,
    .locate = sql_locate,
    .default_location = sql_default_location,
    .drop = sql_drop,
    .rename = sql_rename,
    .enroll = sql_enroll,
    .swap = sql_swap,
    .settle = sql_settle,
    .others = sql_others,
    .table_at = sql_table_at,
    .close = sql_close,
};

/* SQLite asks before each further try; 0 gives up. */
static int wait_for_lock(void *ctx, int tries) {
  const calve_catalog *c = ctx;
  if (calve_cancel_is_set(c->cancel) || (int64_t)tries * BUSY_SLEEP_MS >= c->busy_timeout_ms)
    return 0;
  return sqlite3_sleep(BUSY_SLEEP_MS) >= 0;
}

calve_status calve_catalog__open_sql(calve_catalog *c, calve_error *err) {
  calve_str uri = calve_properties_get(&c->properties, "uri");
  c->busy_timeout_ms = BUSY_TIMEOUT_MS;
  CALVE_TRY(uri.size > 0 ? path_of_uri(c, uri, &c->db_path, err)
                         : default_path(c, &c->db_path, err));
  int flags = c->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  int code = sqlite3_open_v2(c->db_path, &c->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
  if (!c->db) return calve_fail_oom(err);
  c->backend = &sql_backend;
  if (c->read_only && (code & 0xff) == SQLITE_CANTOPEN)
    return calve_fail(err, CALVE_ENOTFOUND, c->db_path, "the catalog's file cannot be opened");
  if (code != SQLITE_OK) return calve_catalog__sql_failure(c, code, "opening the catalog", err);
  sqlite3_extended_result_codes(c->db, 1);
  sqlite3_busy_handler(c->db, wait_for_lock, c);
  return set_up(c, err);
}
