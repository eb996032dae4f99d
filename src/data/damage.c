/* SPDX-License-Identifier: Apache-2.0 */
#include "data/damage.h"

#include <sys/stat.h>

#include "base/arena.h"
#include "base/limits.h"
#include "data/layout.h"
#include "data/rows.h"
#include "data/sql_text.h"
#include "store/path.h"

calve_status calve_damage_note(calve_engine *engine, calve_str items, calve_error *err) {
  calve_buffer *reads = calve_engine__reads(engine);
  size_t size = reads->size;
  if (size > 0) calve_buffer_putc(reads, ',');
  calve_buffer_put_str(reads, items);
  calve_status status = calve_buffer_check(reads, err);
  if (status != CALVE_OK) reads->size = size;
  reads->oom = false; /* the next statement may have memory again */
  return status;
}

void calve_damage_forget(calve_engine *engine) {
  calve_buffer_clear(calve_engine__reads(engine));
}

/* ---- looking ------------------------------------------------------------------------------ */

/* Decodes a column of a file, or all of them: a hash looks at every value, where a count would be
 * answered by the footer. */
static calve_status decode(calve_engine *probe, calve_str path, const calve_str *column,
                           calve_error *err) {
  calve_buffer sql;
  calve_rows *rows = NULL;
  bool more;
  calve_buffer_init(&sql, calve_engine_allocator(probe));
  calve_buffer_puts(&sql, "SELECT max(hash(");
  if (column)
    calve_sql_name(&sql, *column);
  else
    calve_buffer_puts(&sql, "COLUMNS(*)");
  calve_buffer_puts(&sql, ")) FROM read_parquet(");
  calve_status status = calve_sql_file(&sql, path, err);
  calve_buffer_puts(&sql, ", hive_partitioning => false)");
  const char *text = calve_buffer_cstr(&sql);
  if (status == CALVE_OK) status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK) status = calve_engine_query(probe, text, &rows, err);
  if (status == CALVE_OK) status = calve_rows_next(rows, &more, err);
  calve_rows_free(rows);
  calve_buffer_free(&sql);
  return status;
}

/* Tells the file, and the column that can't be decoded where it fails alone too. */
static void tell(calve_engine *probe, calve_str path, const calve_error *why, calve_error *err) {
  const calve_layout *layout;
  const calve_str *column = NULL;
  calve_error of_column;
  char where[CALVE_PATH_MAX];
  if (calve_path_c(path, where, NULL) != CALVE_OK) return;
  size_t count =
      calve_layouts_of(probe, &path, 1, &layout, NULL) == CALVE_OK ? layout->column_count : 0;
  for (size_t i = 0; i < count && !column; i++)
    if (decode(probe, path, &layout->columns[i].name, &of_column) == CALVE_ECORRUPT)
      column = &layout->columns[i].name;
  const char *reason = column ? of_column.message : why->message;
  if (calve_engine__is_vague(reason)) reason += sizeof CALVE_ENGINE__VAGUE - 1;
  if (column)
    (void)calve_fail(err, CALVE_ECORRUPT, where, "the Parquet file is damaged in column %.*s: %s",
                     CALVE_STR_ARG(*column), reason);
  else
    (void)calve_fail(err, CALVE_ECORRUPT, where, "the Parquet file is damaged: %s", reason);
}

static void look_at(calve_engine *probe, const calve_str *paths, size_t count, calve_error *err) {
  int64_t left = CALVE_DAMAGE_BYTES_MAX;
  for (size_t i = 0; i < count && left > 0; i++) {
    struct stat facts;
    char path[CALVE_PATH_MAX];
    calve_error why;
    calve_status status = decode(probe, paths[i], NULL, &why);
    if (status == CALVE_ECORRUPT) tell(probe, paths[i], &why, err);
    if (status == CALVE_ECORRUPT || status == CALVE_ECANCELLED) return;
    if (calve_path_c(paths[i], path, NULL) == CALVE_OK && stat(path, &facts) == 0)
      left -= facts.st_size;
  }
}

/* ---- which files -------------------------------------------------------------------------- */

static calve_status take_files(calve_rows *rows, calve_arena *arena, calve_buffer *paths) {
  for (;;) {
    bool more;
    CALVE_TRY(calve_rows_next(rows, &more, NULL));
    if (!more) return calve_buffer_check(paths, NULL);
    for (size_t i = 0; i < calve_rows_count(rows); i++) {
      calve_str path;
      CALVE_TRY(calve_arena_str(arena, calve_rows_text(rows, 0, i), &path, NULL));
      calve_buffer_put(paths, &path, sizeof path);
    }
  }
}

/* Patterns become files; one that two relations read is there once. */
static calve_status list_files(calve_engine *probe, calve_str items, calve_arena *arena,
                               calve_buffer *paths) {
  calve_buffer sql;
  calve_rows *rows = NULL;
  calve_buffer_init(&sql, arena->allocator);
  calve_buffer_puts(&sql, "SELECT DISTINCT file FROM glob([");
  calve_buffer_put_str(&sql, items);
  calve_buffer_puts(&sql, "]) ORDER BY file");
  const char *text = calve_buffer_cstr(&sql);
  calve_status status = calve_buffer_check(&sql, NULL);
  if (status == CALVE_OK) status = calve_engine_query(probe, text, &rows, NULL);
  if (status == CALVE_OK) status = take_files(rows, arena, paths);
  calve_rows_free(rows);
  calve_buffer_free(&sql);
  return status;
}

void calve_damage_name(calve_engine *engine, calve_error *err) {
  const calve_buffer *reads = calve_engine__reads(engine);
  calve_engine *probe;
  calve_arena arena;
  calve_buffer paths;
  if (err->code != CALVE_ECORRUPT || !calve_engine__is_vague(err->message)) return;
  if (reads->size == 0 || calve_engine_fork(engine, &probe, NULL) != CALVE_OK) return;
  calve_arena_init(&arena, calve_engine_allocator(engine));
  calve_buffer_init(&paths, calve_engine_allocator(engine));
  if (list_files(probe, calve_buffer_view(reads), &arena, &paths) == CALVE_OK)
    look_at(probe, CALVE_ITEMS(&paths, calve_str), CALVE_COUNT(&paths, calve_str), err);
  calve_buffer_free(&paths);
  calve_arena_free(&arena);
  calve_engine_close(probe);
}
