/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/sql_db.h"

#include <string.h>

#include <errno.h>

/* SQLite does not always keep the errno; that it was the system's refusal, not ours, must show. */
static calve_status denied_by_system(int os_errno, calve_error *err) {
  if (err) err->os_errno = os_errno ? os_errno : EACCES;
  return CALVE_EDENIED;
}

calve_status calve_catalog__sql_failure(calve_catalog *c, int code, const char *doing,
                                        calve_error *err) {
  const char *reason = sqlite3_errmsg(c->db);
  calve_status status = CALVE_EIO;
  int os_errno = sqlite3_system_errno(c->db); /* of opening and of reading and writing only      */
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      if (calve_cancel_is_set(c->cancel))
        return calve_fail(err, CALVE_ECANCELLED, c->db_path,
                          "%s was cancelled while other programs kept the catalog's file locked",
                          doing);
      return calve_fail(err, CALVE_ECONFLICT, c->db_path,
                        "%s fails: other programs keep the catalog's file locked", doing);
    case SQLITE_CONSTRAINT:
      status = CALVE_EEXISTS;
      break;
    case SQLITE_CANTOPEN:
      /* When no journal can be made, SQLite looks for an old one, and only that answer is kept. */
      (void)calve_fail(err, CALVE_EDENIED, c->db_path,
                       "%s fails: %s, or the journal beside it: is the folder there, writable, "
                       "and the disk not full?",
                       doing, reason);
      return denied_by_system(os_errno, err);
    case SQLITE_IOERR:
      if (!os_errno) break;
      (void)!calve_fail_os(err, os_errno, c->db_path, "%s fails: %s", doing, reason);
      if (err) err->code = CALVE_EIO;
      return CALVE_EIO;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      (void)calve_fail(err, CALVE_EDENIED, c->db_path, "%s fails: %s", doing, reason);
      return denied_by_system(os_errno, err);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
    case SQLITE_ERROR: /* a table that looks different, too */
      status = CALVE_ECORRUPT;
      break;
    case SQLITE_NOMEM:
      return calve_fail_oom(err);
    default:
      break;
  }
  return calve_fail(err, status, c->db_path, "%s fails: %s", doing, reason);
}

calve_status calve_catalog__begin(calve_catalog *c, const char *sql, const calve_str *args,
                                  size_t arg_count, calve_catalog__statement *out,
                                  calve_error *err) {
  sqlite3_stmt *handle = NULL;
  int code = sqlite3_prepare_v2(c->db, sql, -1, &handle, NULL);
  for (size_t i = 0; i < arg_count && code == SQLITE_OK; i++) {
    int at = (int)i + 1;
    code = args[i].data ? sqlite3_bind_text64(handle, at, args[i].data, args[i].size,
                                              SQLITE_STATIC, SQLITE_UTF8)
                        : sqlite3_bind_null(handle, at);
  }
  if (code != SQLITE_OK) {
    calve_status status = calve_catalog__sql_failure(c, code, "asking the catalog", err);
    sqlite3_finalize(handle);
    return status;
  }
  *out = (calve_catalog__statement){c, handle};
  return CALVE_OK;
}

calve_status calve_catalog__row(calve_catalog__statement *s, bool *row, calve_error *err) {
  int code = sqlite3_step(s->handle);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return calve_catalog__sql_failure(s->catalog, code, "asking the catalog", err);
  *row = code == SQLITE_ROW;
  return CALVE_OK;
}

calve_status calve_catalog__column(calve_catalog__statement *s, int column, calve_arena *arena,
                                   calve_str *out, calve_error *err) {
  const unsigned char *text = sqlite3_column_text(s->handle, column);
  int size = sqlite3_column_bytes(s->handle, column);
  if (!text) {
    if (sqlite3_column_type(s->handle, column) != SQLITE_NULL) return calve_fail_oom(err);
    *out = (calve_str){0};
    return CALVE_OK;
  }
  return calve_arena_str(arena, (calve_str){(const char *)text, (size_t)size}, out, err);
}

void calve_catalog__end(calve_catalog__statement *s) {
  sqlite3_finalize(s->handle);
  s->handle = NULL;
}

/* Whether a failure of the disk leaves open what became of the statement: of one that changes
 * something by itself, and of COMMIT. What is in a transaction is undone with it. */
static bool settles_a_change(const calve_catalog *c, const char *sql, sqlite3_stmt *handle) {
  if (!sqlite3_get_autocommit(c->db)) return strcmp(sql, "COMMIT") == 0;
  return !sqlite3_stmt_readonly(handle) && strncmp(sql, "BEGIN", 5) != 0;
}

calve_status calve_catalog__execute(calve_catalog *c, const char *sql, const calve_str *args,
                                    size_t arg_count, int *changed, calve_error *err) {
  calve_catalog__statement s;
  CALVE_TRY(calve_catalog__begin(c, sql, args, arg_count, &s, err));
  bool settles = settles_a_change(c, sql, s.handle);
  int code = sqlite3_step(s.handle);
  calve_status status = CALVE_OK;
  if (code != SQLITE_DONE && code != SQLITE_ROW)
    status = calve_catalog__sql_failure(c, code, "changing the catalog", err);
  else if (changed)
    *changed = sqlite3_changes(c->db);
  if (settles && status == CALVE_EIO && (code & 0xff) == SQLITE_IOERR) {
    status = CALVE_EUNKNOWN;
    if (err) err->code = status;
  }
  calve_catalog__end(&s);
  return status;
}
