/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/source_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "data/csv_records.h"
#include "data/sql_text.h"
#include "store/local.h"

/* The column with the place of a row, and what stands in it in front of the file's name, of the
 * row's number and of the rest of a message: U+241E, as messages have no control characters. */
#define MARK  "\xE2\x90\x9E"
#define PLACE "calve_place"

/* SELECT list FROM relation rest, where the relation is a file. */
typedef struct file_source {
  calve_str text;
  const calve_token *tokens;
  size_t list, list_end; /* tokens; equal when there is no SELECT                               */
  size_t relation;       /* its first token                                                     */
  size_t start, end;     /* of the relation, bytes                                              */
  calve_str path;        /* absent when it is not one literal                                   */
  calve_str arguments;   /* of the function behind the path: ", header = true"                  */
  bool is_csv, has_alias;
} file_source;

/* ---- finding the file in the query -------------------------------------------------------- */

static int depth_of(const calve_token *t) {
  static const char *const opens[] = {"(", "[", "{"}, *const closes[] = {")", "]", "}"};
  for (size_t i = 0; i < 3; i++) {
    if (calve_token_is_symbol(t, opens[i])) return 1;
    if (calve_token_is_symbol(t, closes[i])) return -1;
  }
  return 0;
}

static bool reads_file(const calve_token *t, bool *is_csv) {
  static const char *const names[] = {"read_csv",  "read_csv_auto", "read_json",
                                      "read_json_auto", "read_ndjson", "read_ndjson_auto",
                                      "read_parquet",   "parquet_scan"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!calve_str_equal_nocase(t->value, calve_str_of(names[i]))) continue;
    *is_csv = i < 2;
    return true;
  }
  return false;
}

/* FROM 'file.csv' and FROM "file.csv". */
static bool names_file(const calve_token *t, bool *is_csv) {
  static const char *const csv[] = {".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst"};
  static const char *const other[] = {".json", ".jsonl", ".ndjson", ".parquet", ".json.gz"};
  for (size_t i = 0; i < sizeof csv / sizeof *csv; i++)
    if (calve_str_ends_with(t->value, calve_str_of(csv[i]))) return *is_csv = true;
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (calve_str_ends_with(t->value, calve_str_of(other[i]))) return true;
  return false;
}

static bool find_relation(const calve_token *t, size_t count, size_t at, file_source *out) {
  out->relation = at;
  out->start = t[at].offset;
  if (t[at].kind == CALVE_TOKEN_WORD && calve_token_is_symbol(&t[at + 1], "(")) {
    size_t close = at + 1;
    if (!reads_file(&t[at], &out->is_csv)) return false;
    for (int depth = 1; depth > 0 && ++close < count;) depth += depth_of(&t[close]);
    if (close >= count) return false;
    out->end = t[close].offset + 1;
    if (t[at + 2].kind == CALVE_TOKEN_STRING) {
      out->path = t[at + 2].value;
      size_t behind = t[at + 2].offset + t[at + 2].text.size;
      out->arguments = (calve_str){out->text.data + behind, t[close].offset - behind};
    }
    at = close;
  } else if (t[at].kind == CALVE_TOKEN_STRING || t[at].kind == CALVE_TOKEN_QUOTED) {
    if (!names_file(&t[at], &out->is_csv)) return false;
    out->path = t[at].value;
    out->end = t[at].offset + t[at].text.size;
  } else {
    return false;
  }
  const calve_token *next = &t[at + 1];
  out->has_alias = calve_token_is(next, "AS") || next->kind == CALVE_TOKEN_QUOTED;
  return true;
}

static bool find_source(calve_exec *x, calve_str query, file_source *out) {
  calve_token *t;
  size_t count, from = 0;
  int depth = 0;
  calve_str start = {query.data, query.size < 6 ? query.size : 6};
  if (calve_str_equal_nocase(start, CALVE_STR("VALUES"))) return false; /* may be very long */
  if (calve_sql_lex(query, x->arena, &t, &count, NULL) != CALVE_OK) return false;
  *out = (file_source){.text = query, .tokens = t};
  if (calve_token_is(&t[0], "SELECT")) {
    for (from = 1; from < count && (depth > 0 || !calve_token_is(&t[from], "FROM")); from++)
      depth += depth_of(&t[from]);
    out->list = 1;
    out->list_end = from;
  }
  return from + 1 < count && calve_token_is(&t[from], "FROM") &&
         find_relation(t, count, from + 1, out);
}

calve_status calve_source_check(calve_exec *x, calve_str query, calve_error *err) {
  file_source s;
  int depth = 0;
  if (!find_source(x, query, &s)) return CALVE_OK;
  for (const calve_token *t = &s.tokens[s.relation]; t->offset < s.end; t++) {
    calve_error own = {0};
    depth += depth_of(t);
    if (depth == 1 && calve_token_is_symbol(t, ",")) return CALVE_OK; /* options follow */
    if (t->kind != CALVE_TOKEN_STRING && t->kind != CALVE_TOKEN_QUOTED) continue;
    calve_status status = calve_local_check_file(t->value, &own);
    if (status == CALVE_OK || !strstr(own.message, "pipe")) continue;
    return calve_fail(err, CALVE_EINVAL, own.where,
                      "this is a pipe or a device, which can be read only once, but the rows of a "
                      "write are looked at before: make it a file first");
  }
  return CALVE_OK;
}

/* ---- the query with the places of its rows ------------------------------------------------ */

/* * stays what it was: without the column of places. */
static void put_list(const file_source *s, calve_buffer *sql) {
  const calve_token *t = s->tokens;
  if (s->list == s->list_end) {
    calve_buffer_puts(sql, "* EXCLUDE (" PLACE ")");
    return;
  }
  size_t copied = t[s->list].offset;
  int depth = 0;
  for (size_t i = s->list; i < s->list_end; i++) {
    depth += depth_of(&t[i]);
    bool starts = i == s->list || calve_token_is_symbol(&t[i - 1], ",") ||
                  calve_token_is_symbol(&t[i - 1], ".");
    if (depth > 0 || !starts || !calve_token_is_symbol(&t[i], "*")) continue;
    size_t end = t[i].offset + 1;
    bool excludes = calve_token_is(&t[i + 1], "EXCLUDE") && calve_token_is_symbol(&t[i + 2], "(");
    if (excludes) end = t[i + 2].offset + 1;
    calve_buffer_put(sql, s->text.data + copied, end - copied);
    calve_buffer_puts(sql, excludes ? PLACE ", " : " EXCLUDE (" PLACE ")");
    copied = end;
  }
  calve_buffer_put(sql, s->text.data + copied, t[s->list_end].offset - copied);
}

static calve_status put_traced(calve_exec *x, const file_source *s, calve_str *out,
                               calve_error *err) {
  calve_buffer sql;
  calve_buffer_init(&sql, x->session->allocator);
  calve_buffer_puts(&sql, "SELECT ");
  put_list(s, &sql);
  /* A window that streams: the rows keep the order of the files. */
  calve_buffer_puts(&sql, ", " PLACE " FROM (SELECT *, '" MARK "' || filename || '" MARK
                          "' || row_number() OVER () || '" MARK "' AS " PLACE " FROM ");
  calve_buffer_put(&sql, s->text.data + s->start, s->end - s->start);
  calve_buffer_putc(&sql, ')');
  if (!s->has_alias && s->tokens[s->list_end].kind == CALVE_TOKEN_END)
    calve_buffer_puts(&sql, " AS calve_file");
  calve_buffer_put(&sql, s->text.data + s->end, s->text.size - s->end);
  calve_status status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK) status = calve_arena_str(x->arena, calve_buffer_view(&sql), out, err);
  calve_buffer_free(&sql);
  return status;
}

/* ---- the line of a row -------------------------------------------------------------------- */

static char letter(const calve_rows *rows, size_t column) {
  calve_str text = calve_rows_text(rows, column, 0);
  return text.size == 1 ? text.data[0] : '\0';
}

/* What the engine has made of a file: its dialect, the lines and the header before the rows. */
static bool sniff(calve_exec *x, const file_source *s, calve_str path, calve_csv_dialect *out,
                  int64_t *skipped, bool *header) {
  calve_buffer sql;
  calve_rows *rows = NULL;
  bool more = false;
  calve_buffer_init(&sql, x->session->allocator);
  calve_buffer_puts(&sql, "SELECT Delimiter, Quote, Escape, Comment, CAST(SkipRows AS BIGINT), "
                          "HasHeader FROM sniff_csv(");
  calve_sql_string(&sql, path);
  calve_buffer_put_str(&sql, s->arguments);
  calve_buffer_putc(&sql, ')');
  const char *text = calve_buffer_cstr(&sql);
  bool done = !sql.oom && calve_engine_query(x->session->engine, text, &rows, NULL) == CALVE_OK &&
              calve_rows_next(rows, &more, NULL) == CALVE_OK && more;
  if (done) {
    *out = (calve_csv_dialect){letter(rows, 0), letter(rows, 1), letter(rows, 2), letter(rows, 3)};
    if (!out->escape) out->escape = out->quote;
    *skipped = calve_rows_i64(rows, 4, 0);
    *header = calve_rows_i64(rows, 5, 0) != 0;
    done = out->delimiter != '\0';
  }
  calve_rows_free(rows);
  calve_buffer_free(&sql);
  return done;
}

/* The row-th record (from 1) behind skipped lines and the header. */
static bool find_record(calve_str path, const calve_csv_dialect *dialect, int64_t skipped,
                        bool header, int64_t row, calve_csv_record *out) {
  const calve_csv_dialect plain = {.delimiter = dialect->delimiter};
  calve_csv_records records, *r = &records;
  bool more = true;
  if (calve_csv_open(path, &plain, r, NULL) != CALVE_OK) return false;
  calve_status status = CALVE_OK;
  for (; skipped > 0 && more && status == CALVE_OK; skipped--)
    status = calve_csv_next(r, out, &more, NULL);
  r->dialect = *dialect;
  for (int64_t left = row + (header ? 1 : 0); left > 0 && more && status == CALVE_OK;) {
    status = calve_csv_next(r, out, &more, NULL);
    if (more && !out->is_comment && out->shown_size > 0) left--;
  }
  calve_csv_close(r);
  return status == CALVE_OK && more;
}

/* Rows that the engine leaves out are lines that nobody counts. */
static bool may_skip_rows(calve_str arguments) {
  return arguments.size > 0 &&
         (strstr(arguments.data, "ignore_errors") || strstr(arguments.data, "store_rejects") ||
          strstr(arguments.data, "strict_mode"));
}

/* A row's number counts from the first file: makes it count from the row's own. */
static bool count_in_file(calve_exec *x, const file_source *s, calve_str path, int64_t *row) {
  calve_buffer sql;
  int64_t first = 0;
  if (calve_str_equal(s->path, path)) return true;
  calve_buffer_init(&sql, x->session->allocator);
  calve_buffer_puts(&sql, "SELECT min(n) FROM (SELECT filename AS f, row_number() OVER () AS n "
                          "FROM ");
  calve_buffer_put(&sql, s->text.data + s->start, s->end - s->start);
  calve_buffer_puts(&sql, ") WHERE f = ");
  calve_sql_string(&sql, path);
  const char *text = calve_buffer_cstr(&sql);
  bool done =
      !sql.oom &&
      calve_engine_query_i64(x->session->engine, text, 0, &first, 1, NULL) == CALVE_OK && first > 0;
  calve_buffer_free(&sql);
  if (done) *row -= first - 1;
  return done;
}

static calve_status tell(calve_exec *x, const file_source *s, const calve_error *found,
                         calve_error *err) {
  calve_csv_dialect dialect;
  calve_csv_record record;
  int64_t skipped = 0;
  bool header = false;
  const char *file = found->message + strlen(MARK), *number = strstr(file, MARK);
  const char *why = number ? strstr(number + strlen(MARK), MARK) : NULL;
  if (!why) return err->code; /* the name of the file is too long for the message */
  int64_t row = strtoll(number + strlen(MARK), NULL, 10);
  calve_str path;
  CALVE_TRY(calve_arena_str(x->arena, (calve_str){file, (size_t)(number - file)}, &path, err));
  why += strlen(MARK);
  if (!count_in_file(x, s, path, &row))
    return calve_fail(err, err->code, NULL, "%s: %s", path.data, why);
  if (s->is_csv && !may_skip_rows(s->arguments) && sniff(x, s, path, &dialect, &skipped, &header) &&
      find_record(path, &dialect, skipped, header, row, &record))
    return calve_fail(err, err->code, NULL, "%s, line %lld: %s; the line is: %.*s", path.data,
                      (long long)record.line, why, (int)record.shown_size, record.shown);
  return calve_fail(err, err->code, NULL, "%s, row %lld: %s", path.data, (long long)row, why);
}

calve_status calve_source_tell_row(calve_exec *x, calve_str query, size_t column_count,
                                   const calve_write_request *request, calve_error *err) {
  file_source s;
  calve_str text;
  calve_error found = {0};
  if (!err || !find_source(x, query, &s)) return err ? err->code : CALVE_EINVAL;
  if (put_traced(x, &s, &text, &found) != CALVE_OK) return err->code;
  calve_write_request traced = *request;
  traced.source = text.data;
  traced.column_count = column_count;
  traced.traced = true;
  calve_status status = calve_write_trace(x->session->engine, &traced, x->arena, &found);
  if (status == CALVE_ECANCELLED) return calve_fail(err, status, NULL, "%s", found.message);
  if (status != CALVE_EINVAL || strncmp(found.message, MARK, strlen(MARK)) != 0) return err->code;
  return tell(x, &s, &found, err);
}

/* ---- the number of columns ---------------------------------------------------------------- */

/* A file whose first record has as many values as are wanted, and another record has not. */
static bool find_ragged(calve_str path, char delimiter, size_t wanted, calve_csv_record *out) {
  const calve_csv_dialect dialect = {.delimiter = delimiter, .quote = '"', .escape = '"'};
  calve_csv_records records;
  bool more = true, first = true, found = false;
  if (calve_csv_open(path, &dialect, &records, NULL) != CALVE_OK) return false;
  while (!found && calve_csv_next(&records, out, &more, NULL) == CALVE_OK && more) {
    if (out->shown_size == 0) continue;
    if (first && out->field_count != wanted) break;
    found = out->field_count != wanted;
    first = false;
  }
  calve_csv_close(&records);
  return found;
}

static bool is_empty(calve_str path) {
  int64_t size = -1;
  bool exists = false;
  return calve_store_exists(calve_local_store(), path, &exists, &size, NULL) == CALVE_OK &&
         exists && size == 0;
}

calve_status calve_source_tell_columns(calve_exec *x, calve_str query,
                                       const calve_query_column *columns, size_t count,
                                       size_t wanted, calve_error *err) {
  static const char delimiters[] = ",;\t|";
  file_source s;
  calve_csv_record record;
  calve_str path;
  if (!err || !find_source(x, query, &s) || !s.is_csv || !s.path.data)
    return err ? err->code : CALVE_EINVAL;
  bool all = s.list == s.list_end ||
             (s.list_end == s.list + 1 && calve_token_is_symbol(&s.tokens[s.list], "*"));
  if (!all) return err->code;
  CALVE_TRY(calve_arena_str(x->arena, s.path, &path, err));
  if (is_empty(path))
    return calve_fail(err, err->code, path.data,
                      "the file is empty, but %zu columns are to be filled", wanted);
  for (const char *c = delimiters; *c && s.arguments.size == 0; c++)
    if (find_ragged(path, *c, wanted, &record))
      return calve_fail(err, err->code, NULL,
                        "%s, line %lld: %zu value%s there, but %zu columns are to be filled; the "
                        "line is: %.*s",
                        path.data, (long long)record.line, record.field_count,
                        record.field_count == 1 ? " is" : "s are", wanted, (int)record.shown_size,
                        record.shown);
  return calve_fail(err, err->code, NULL,
                    "%s was read as %zu column%s (%.*s%s), but %zu %s to be filled: tell how it is "
                    "to be read by read_csv('…', delim = ';', columns = {'a': 'INT', …}), or list "
                    "the columns: INSERT INTO t (a, b) …",
                    path.data, count, count == 1 ? "" : "s", CALVE_STR_ARG(columns[0].name),
                    count > 1 ? ", …" : "", wanted, wanted == 1 ? "is" : "are");
}
