/* SPDX-License-Identifier: Apache-2.0 */
#include "data/engine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "base/uuid.h"
#include "data/cuts.h"

/* What all connections to one database share. */
typedef struct calve_database {
  const calve_allocator *allocator;
  duckdb_database handle;
  atomic_int references;
  atomic_uint_least64_t serial;
  char temp_dir[512];
  atomic_bool is_open, has_temp_dir;
  calve_arena arena;   /* of names                                                              */
  calve_map functions; /* names that are registered; used by the first engine's thread only     */
  calve_cuts cuts;
} calve_database;

struct calve_engine {
  calve_database *database;
  duckdb_connection connection;
  calve_engine_poll poll;
  void *poll_ctx;
  void *cache;
  void (*cache_drop)(void *cache);
  calve_buffer reads; /* see data/damage.h                                                      */
};

static void release_database(calve_database *db) {
  if (!db || atomic_fetch_sub(&db->references, 1) != 1) return;
  const calve_allocator *allocator = db->allocator;
  if (db->handle) duckdb_close(&db->handle);
  if (atomic_load(&db->has_temp_dir)) (void)rmdir(db->temp_dir);
  calve_arena_free(&db->arena);
  allocator->resize(allocator->ctx, db, sizeof *db, 0);
}

/* Settings that the caller chose and those that no caller may change. */
static calve_status configure(calve_database *db, const calve_engine_options *o,
                              duckdb_config config, calve_error *err) {
  char threads[24], memory[32];
  snprintf(threads, sizeof threads, "%d", (int)o->thread_count);
  snprintf(memory, sizeof memory, "%lldB", (long long)o->memory_limit_bytes);
  const struct {
    const char *name, *value;
  } settings[] = {
      {"autoload_known_extensions", "false"},
      {"autoinstall_known_extensions", "false"},
      {"allow_community_extensions", "false"},
      {"preserve_insertion_order", "true"},
      {"temp_directory", db->temp_dir},
      {"threads", o->thread_count > 0 ? threads : NULL},
      {"memory_limit", o->memory_limit_bytes > 0 ? memory : NULL},
  };
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    if (!settings[i].value) continue;
    if (duckdb_set_config(config, settings[i].name, settings[i].value) != DuckDBSuccess)
      return calve_fail(err, CALVE_EINVAL, settings[i].name, "DuckDB refuses the setting %s = '%s'",
                        settings[i].name, settings[i].value);
  }
  return CALVE_OK;
}

static calve_status open_database(const calve_engine_options *o, calve_database *db,
                                  calve_error *err) {
  uint8_t id[16];
  char id_text[CALVE_UUID_TEXT_SIZE];
  CALVE_TRY(calve_uuid_random(id, err));
  calve_uuid_format(id, id_text);
  int length = snprintf(db->temp_dir, sizeof db->temp_dir, "%s/calve-%s",
                        o->temp_dir ? o->temp_dir : "/tmp", id_text);
  if (length < 0 || (size_t)length >= sizeof db->temp_dir) {
    db->temp_dir[0] = '\0';
    return calve_fail(err, CALVE_EINVAL, o->temp_dir, "the temporary folder's path is too long");
  }
  duckdb_config config = NULL;
  if (duckdb_create_config(&config) != DuckDBSuccess) return calve_fail_oom(err);
  calve_status status = configure(db, o, config, err);
  if (status == CALVE_OK) {
    char *why = NULL;
    if (duckdb_open_ext(NULL, &db->handle, config, &why) != DuckDBSuccess)
      status = calve_fail(err, CALVE_EINVAL, NULL, "DuckDB can't start: %s", why ? why : "unknown");
    if (why) duckdb_free(why);
  }
  duckdb_destroy_config(&config);
  return status;
}

static calve_status connect(calve_database *db, calve_engine **out, calve_error *err) {
  calve_engine *engine = db->allocator->resize(db->allocator->ctx, NULL, 0, sizeof *engine);
  if (!engine) return calve_fail_oom(err);
  *engine = (calve_engine){.database = db};
  calve_buffer_init(&engine->reads, db->allocator);
  if (duckdb_connect(db->handle, &engine->connection) != DuckDBSuccess) {
    db->allocator->resize(db->allocator->ctx, engine, sizeof *engine, 0);
    return calve_fail(err, CALVE_ENOMEM, NULL, "DuckDB gives no connection");
  }
  atomic_fetch_add(&db->references, 1);
  *out = engine;
  return CALVE_OK;
}

static calve_status settle(calve_engine *engine, const char *time_zone, calve_error *err) {
  calve_buffer sql;
  calve_buffer_init(&sql, engine->database->allocator);
  calve_buffer_puts(&sql, "SET enable_progress_bar_print = false; SET TimeZone = '");
  for (const char *c = time_zone ? time_zone : "UTC"; *c; c++) {
    if (*c == '\'') calve_buffer_putc(&sql, '\'');
    calve_buffer_putc(&sql, *c);
  }
  calve_buffer_puts(&sql, "'");
  const char *text = calve_buffer_cstr(&sql);
  calve_status status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK) status = calve_engine_run(engine, text, err);
  calve_buffer_free(&sql);
  return status;
}

calve_status calve_engine_open(const calve_engine_options *options, calve_engine **out,
                               calve_error *err) {
  calve_engine_options none = {0};
  if (!options) options = &none;
  const calve_allocator *allocator =
      options->allocator ? options->allocator : calve_default_allocator();
  calve_database *db = allocator->resize(allocator->ctx, NULL, 0, sizeof *db);
  if (!db) return calve_fail_oom(err);
  memset(db, 0, sizeof *db);
  db->allocator = allocator;
  atomic_init(&db->references, 1);
  atomic_init(&db->serial, 1);
  atomic_init(&db->is_open, false);
  atomic_init(&db->has_temp_dir, false);
  calve_arena_init(&db->arena, allocator);
  calve_map_init(&db->functions, &db->arena);
  calve_engine *engine = NULL;
  calve_status status = open_database(options, db, err);
  if (status == CALVE_OK) status = connect(db, &engine, err);
  if (status == CALVE_OK) status = settle(engine, options->time_zone, err);
  atomic_store(&db->is_open, true);
  if (status == CALVE_OK)
    *out = engine;
  else
    calve_engine_close(engine);
  release_database(db); /* the engine holds its own reference */
  return status;
}

calve_status calve_engine_fork(calve_engine *engine, calve_engine **out, calve_error *err) {
  calve_engine *other = NULL;
  CALVE_TRY(connect(engine->database, &other, err));
  calve_status status = settle(other, NULL, err);
  if (status != CALVE_OK) {
    calve_engine_close(other);
    return status;
  }
  /* Not earlier: a setting that is interrupted before it has begun is never freed by the engine. */
  if (engine->poll) calve_engine_set_poll(other, engine->poll, engine->poll_ctx);
  *out = other;
  return CALVE_OK;
}

void calve_engine_close(calve_engine *engine) {
  if (!engine) return;
  calve_database *db = engine->database;
  if (engine->cache_drop) engine->cache_drop(engine->cache);
  calve_buffer_free(&engine->reads);
  duckdb_disconnect(&engine->connection);
  db->allocator->resize(db->allocator->ctx, engine, sizeof *engine, 0);
  release_database(db);
}

void calve_engine_interrupt(calve_engine *engine) {
  duckdb_interrupt(engine->connection);
}

void calve_engine_set_poll(calve_engine *engine, calve_engine_poll poll, void *ctx) {
  engine->poll = poll;
  engine->poll_ctx = ctx;
  /* The engine counts its progress only while it believes that a bar is wanted; it costs a little.
   */
  (void)duckdb_query(engine->connection,
                     poll ? "SET enable_progress_bar = true" : "SET enable_progress_bar = false",
                     NULL);
}

double calve_engine_progress(calve_engine *engine) {
  return duckdb_query_progress(engine->connection).percentage;
}

duckdb_connection calve_engine_connection(calve_engine *engine) {
  return engine->connection;
}

const calve_allocator *calve_engine_allocator(const calve_engine *engine) {
  return engine->database->allocator;
}

uint64_t calve_engine_serial(calve_engine *engine) {
  return atomic_fetch_add(&engine->database->serial, 1);
}

bool calve_engine__poll(calve_engine *engine) {
  return engine->poll && engine->poll(engine->poll_ctx, engine);
}

void *calve_engine__cache(const calve_engine *engine) {
  return engine->cache;
}

void calve_engine__set_cache(calve_engine *engine, void *cache, void (*drop)(void *cache)) {
  if (engine->cache_drop) engine->cache_drop(engine->cache);
  engine->cache = cache;
  engine->cache_drop = drop;
}

calve_buffer *calve_engine__reads(calve_engine *engine) {
  return &engine->reads;
}

calve_cuts *calve_engine__cuts(calve_engine *engine) {
  return &engine->database->cuts;
}

calve_status calve_engine__first_use(calve_engine *engine, const char *name, bool *first,
                                     calve_error *err) {
  calve_database *db = engine->database;
  if (calve_map_get_str(&db->functions, calve_str_of(name))) {
    *first = false;
    return CALVE_OK;
  }
  char *copy = calve_arena_copy(&db->arena, name, strlen(name));
  if (!copy) return calve_fail_oom(err);
  CALVE_TRY(calve_map_put_str(&db->functions, calve_str_of(copy), copy, NULL, err));
  *first = true;
  return CALVE_OK;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* DuckDB has no class of its own for a Parquet file that makes no sense. */
static bool is_about_corruption(const char *message) {
  static const char *const parts[] = {
      "No magic bytes",      "arquet file",         "too small to be",      "Failed to read file",
      "TProtocolException",  "don't know what type", "GZIP block",          "GZIP stream",
      "Out of buffer",       "Mismatch in parquet", "Varint-decoding",      "Variable-length int",
      "orrupt file?",        "orrupted file?",      "Data corruption",      "Corrupted VARIANT",
      "DBP decode",          "BYTE_STREAM_SPLIT",   "ecode bit width",      "for bitpacking",
      "No more data to read"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    if (strstr(message, parts[i])) return true;
  return false;
}

static calve_status status_of(duckdb_error_type type, const char *message) {
  switch (type) {
    case DUCKDB_ERROR_OUT_OF_MEMORY:
      return CALVE_ENOMEM;
    case DUCKDB_ERROR_INTERRUPT:
      return CALVE_ECANCELLED;
    case DUCKDB_ERROR_IO:
      return strstr(message, "No files found") ? CALVE_ENOTFOUND : CALVE_EIO;
    case DUCKDB_ERROR_PERMISSION:
      return CALVE_EDENIED;
    case DUCKDB_ERROR_HTTP:
    case DUCKDB_ERROR_NETWORK:
      return CALVE_EIO;
    case DUCKDB_ERROR_CATALOG:
      return strstr(message, "does not exist")   ? CALVE_ENOTFOUND
             : strstr(message, "already exists") ? CALVE_EEXISTS
                                                 : CALVE_EINVAL;
    case DUCKDB_ERROR_NOT_IMPLEMENTED:
    case DUCKDB_ERROR_MISSING_EXTENSION:
    case DUCKDB_ERROR_AUTOLOAD:
      return CALVE_EUNSUPPORTED;
    case DUCKDB_ERROR_SERIALIZATION:
      return CALVE_ECORRUPT;
    default:
      return is_about_corruption(message) ? CALVE_ECORRUPT : CALVE_EINVAL;
  }
}

/* Preparing a statement gives no class, only text that starts with one. */
static duckdb_error_type type_of_message(const char *message) {
  static const struct {
    const char *prefix;
    duckdb_error_type type;
  } prefixes[] = {
      {"IO Error", DUCKDB_ERROR_IO},
      {"Catalog Error", DUCKDB_ERROR_CATALOG},
      {"Permission Error", DUCKDB_ERROR_PERMISSION},
      {"Not implemented Error", DUCKDB_ERROR_NOT_IMPLEMENTED},
      {"Missing Extension Error", DUCKDB_ERROR_MISSING_EXTENSION},
      {"Out of Memory Error", DUCKDB_ERROR_OUT_OF_MEMORY},
      {"INTERRUPT Error", DUCKDB_ERROR_INTERRUPT},
      {"Serialization Error", DUCKDB_ERROR_SERIALIZATION},
  };
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
    if (strncmp(message, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0)
      return prefixes[i].type;
  return DUCKDB_ERROR_INVALID;
}

/* Bytes of a row that a message shows. */
#define CSV_ROW_SHOWN 100

/* A row of a CSV file that does not fit is told in a page of text, with the file at its end: gives
 * file, line, reason and row instead. False when the message is another one. */
static bool tell_csv_row(const char *message, calve_error *err) {
  static const char *const reasons[] = {"\nError when ", "\nExpected Number", "\nValue with ",
                                        "\nMaximum line", "\nInvalid unicode", "\n"};
  const char *line = strstr(message, "CSV Error on Line: "), *row, *reason = NULL, *file;
  if (!line || !(row = strstr(line, "Original Line: "))) return false;
  row += strlen("Original Line: ");
  for (size_t i = 0; !reason && i < sizeof reasons / sizeof *reasons; i++)
    reason = strstr(row, reasons[i]); /* a quoted field may have lines: the row may */
  if (!reason || !(file = strstr(reason, "\n  file = "))) return false;
  file += strlen("\n  file = ");
  size_t reason_size = strcspn(reason + 1, "\n"), row_size = strcspn(row, "\n");
  while (reason_size > 0 && strchr(" .", reason[reason_size])) reason_size--;
  if (row_size > CSV_ROW_SHOWN)
    for (row_size = CSV_ROW_SHOWN; row_size > 0 && ((unsigned char)row[row_size] & 0xC0) == 0x80;)
      row_size--; /* not inside a character */
  (void)calve_fail(err, CALVE_EINVAL, NULL, "%.*s, line %lld: %.*s; the line is: %.*s",
                   (int)strcspn(file, "\n"), file,
                   strtoll(line + strlen("CSV Error on Line: "), NULL, 10), (int)reason_size,
                   reason + 1, (int)row_size, row);
  return true;
}

calve_status calve_engine__fail(duckdb_error_type type, const char *message, calve_error *err) {
  if (!message || !*message) message = "DuckDB gives no reason";
  if (type == DUCKDB_ERROR_INVALID) type = type_of_message(message);
  if (tell_csv_row(message, err)) return CALVE_EINVAL;
  const char *start = strstr(message, "Error: ");
  start = start && start - message < 40 ? start + 7 : message;
  const char *quoted = strstr(start, "\n\nLINE ");
  int length = quoted ? (int)(quoted - start) : (int)strnlen(start, 1000);
  calve_status status = status_of(type, message);
  if (status == CALVE_ECANCELLED)
    return calve_fail(err, status, NULL, "the statement was cancelled");
  /* What a damaged page makes DuckDB say names neither the file nor what is wrong with it. */
  bool vague = status == CALVE_ECORRUPT && !strstr(start, "ile '") && !strstr(start, "ile \"");
  char text[1024]; /* its own lines become one */
  snprintf(text, sizeof text, "%.*s", length, start);
  for (char *c = text; *c; c++)
    if (*c == '\n') *c = ' ';
  return calve_fail(err, status, NULL, "%s%s", vague ? CALVE_ENGINE__VAGUE : "", text);
}

bool calve_engine__is_vague(const char *message) {
  return strncmp(message, CALVE_ENGINE__VAGUE, sizeof CALVE_ENGINE__VAGUE - 1) == 0;
}

/* PIVOT is two statements to the engine: the first finds out what the columns are. */
static const char *prepare_error(duckdb_prepared_statement statement) {
  const char *message = statement ? duckdb_prepare_error(statement) : NULL;
  if (!message || !strstr(message, "Cannot prepare multiple statements")) return message;
  return "Not implemented Error: the columns of this PIVOT are not known before its rows are read, "
         "which this statement needs. Name them (PIVOT … ON column IN (…)), or take two steps: "
         "CREATE TEMP TABLE p AS PIVOT …, then use p";
}

calve_status calve_engine_prepare(calve_engine *engine, const char *sql,
                                  duckdb_prepared_statement *out, calve_error *err) {
  duckdb_prepared_statement statement = NULL;
  if (duckdb_prepare(engine->connection, sql, &statement) != DuckDBSuccess) {
    calve_status status =
        calve_engine__fail(DUCKDB_ERROR_INVALID, prepare_error(statement), err);
    duckdb_destroy_prepare(&statement);
    return status;
  }
  *out = statement;
  return CALVE_OK;
}

calve_status calve_engine__prepare_extracted(calve_engine *engine,
                                             duckdb_extracted_statements statements, idx_t index,
                                             duckdb_prepared_statement *out, calve_error *err) {
  duckdb_prepared_statement statement = NULL;
  if (duckdb_prepare_extracted_statement(engine->connection, statements, index, &statement) !=
      DuckDBSuccess) {
    calve_status status = calve_engine__fail(
        DUCKDB_ERROR_INVALID, statement ? duckdb_prepare_error(statement) : NULL, err);
    duckdb_destroy_prepare(&statement);
    return status;
  }
  *out = statement;
  return CALVE_OK;
}

/* Tasks run on this thread too, so that the hook is called between them. After a cancel they go on
 * until the engine has noticed: only then has it let go of its files. */
static calve_status run_tasks(calve_engine *engine, duckdb_pending_result pending,
                              calve_error *err) {
  bool cancelled = false;
  for (;;) {
    if (!cancelled && calve_engine__poll(engine)) {
      cancelled = true;
      duckdb_interrupt(engine->connection);
    }
    duckdb_pending_state state = duckdb_pending_execute_task(pending);
    bool finished = duckdb_pending_execution_is_finished(state);
    if (cancelled && (finished || state == DUCKDB_PENDING_ERROR))
      return calve_fail(err, CALVE_ECANCELLED, NULL, "the statement was cancelled");
    if (state == DUCKDB_PENDING_ERROR)
      return calve_engine__fail(DUCKDB_ERROR_INVALID, duckdb_pending_error(pending), err);
    if (finished) return CALVE_OK;
    if (state == DUCKDB_PENDING_NO_TASKS_AVAILABLE)
      nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  }
}

/* Before the first statement and not before: a process that ends while it opens leaves no folder
 * behind. Rows that spill are nobody else's business. */
static void make_temp_dir(calve_database *db) {
  if (!atomic_load(&db->is_open) || atomic_exchange(&db->has_temp_dir, true)) return;
  (void)mkdir(db->temp_dir, 0700);
}

calve_status calve_engine__execute(calve_engine *engine, duckdb_prepared_statement statement,
                                   duckdb_result *out, calve_error *err) {
  duckdb_pending_result pending = NULL;
  calve_status status = CALVE_OK;
  make_temp_dir(engine->database);
  if (duckdb_pending_prepared_streaming(statement, &pending) != DuckDBSuccess)
    status = calve_engine__fail(DUCKDB_ERROR_INVALID,
                                pending ? duckdb_pending_error(pending) : NULL, err);
  /* Without a hook DuckDB's own loop is used: it sleeps on a condition when it has nothing to do.
   */
  if (status == CALVE_OK && engine->poll) status = run_tasks(engine, pending, err);
  if (status == CALVE_OK) {
    duckdb_result result;
    memset(&result, 0, sizeof result);
    if (duckdb_execute_pending(pending, &result) != DuckDBSuccess) {
      status = calve_engine__fail(duckdb_result_error_type(&result),
                                  duckdb_result_error(&result), err);
      duckdb_destroy_result(&result);
    } else {
      *out = result;
    }
  }
  duckdb_destroy_pending(&pending);
  return status;
}

static calve_status run_one(calve_engine *engine, duckdb_extracted_statements statements,
                            idx_t index, calve_error *err) {
  duckdb_prepared_statement statement = NULL;
  CALVE_TRY(calve_engine__prepare_extracted(engine, statements, index, &statement, err));
  duckdb_result result;
  calve_status status = calve_engine__execute(engine, statement, &result, err);
  if (status == CALVE_OK) {
    /* A result that streams does its work only while it is fetched. */
    duckdb_data_chunk chunk;
    while ((chunk = duckdb_fetch_chunk(result))) duckdb_destroy_data_chunk(&chunk);
    const char *why = duckdb_result_error(&result);
    if (why) status = calve_engine__fail(duckdb_result_error_type(&result), why, err);
    duckdb_destroy_result(&result);
  }
  duckdb_destroy_prepare(&statement);
  return status;
}

calve_status calve_engine_run(calve_engine *engine, const char *sql, calve_error *err) {
  duckdb_extracted_statements statements = NULL;
  idx_t count = duckdb_extract_statements(engine->connection, sql, &statements);
  calve_status status = CALVE_OK;
  if (count == 0) {
    const char *why = duckdb_extract_statements_error(statements);
    status = why ? calve_engine__fail(DUCKDB_ERROR_PARSER, why, err)
                 : calve_fail(err, CALVE_EINVAL, NULL, "there is no statement to run");
  }
  for (idx_t i = 0; i < count && status == CALVE_OK; i++)
    status = run_one(engine, statements, i, err);
  duckdb_destroy_extracted(&statements);
  return status;
}
