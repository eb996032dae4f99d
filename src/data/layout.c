/* SPDX-License-Identifier: Apache-2.0 */
#include "data/layout.h"

#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "data/layout_tree.h"
#include "data/rows.h"
#include "data/sql_text.h"
#include "store/local.h"

/* Layouts by path, and by signature so that equal ones are one object. */
typedef struct layout_cache {
  const calve_allocator *allocator;
  calve_arena arena;
  calve_map by_path, by_signature;
} layout_cache;

static void drop_cache(void *p) {
  layout_cache *cache = p;
  const calve_allocator *allocator = cache->allocator;
  calve_arena_free(&cache->arena);
  allocator->resize(allocator->ctx, cache, sizeof *cache, 0);
}

static calve_status cache_of(calve_engine *engine, layout_cache **out, calve_error *err) {
  layout_cache *cache = calve_engine__cache(engine);
  if (!cache) {
    const calve_allocator *allocator = calve_engine_allocator(engine);
    cache = allocator->resize(allocator->ctx, NULL, 0, sizeof *cache);
    if (!cache) return calve_fail_oom(err);
    memset(cache, 0, sizeof *cache);
    cache->allocator = allocator;
    calve_arena_init(&cache->arena, allocator);
    calve_map_init(&cache->by_path, &cache->arena);
    calve_map_init(&cache->by_signature, &cache->arena);
    calve_engine__set_cache(engine, cache, drop_cache);
  }
  *out = cache;
  return CALVE_OK;
}

void calve_layouts_forget(calve_engine *engine, size_t keep) {
  const layout_cache *cache = calve_engine__cache(engine);
  if (cache && cache->by_path.count > keep) calve_engine__set_cache(engine, NULL, NULL);
}

/* The elements of the file that is being read, and their text as a key. */
typedef struct pending_file {
  calve_arena scratch;
  calve_buffer elements; /* of calve_layout_element                                             */
  calve_buffer signature;
  calve_str path;
} pending_file;

static calve_status finish_file(layout_cache *cache, pending_file *p, calve_error *err) {
  if (!p->path.data) return CALVE_OK;
  CALVE_TRY(calve_buffer_check(&p->elements, err));
  CALVE_TRY(calve_buffer_check(&p->signature, err));
  calve_str path, signature;
  CALVE_TRY(calve_arena_str(&cache->arena, p->path, &path, err));
  const calve_layout *layout =
      calve_map_get_str(&cache->by_signature, calve_buffer_view(&p->signature));
  if (!layout) {
    CALVE_TRY(calve_layout_build(CALVE_ITEMS(&p->elements, calve_layout_element),
                                 CALVE_COUNT(&p->elements, calve_layout_element), path,
                                 &cache->arena, &layout, err));
    CALVE_TRY(calve_arena_str(&cache->arena, calve_buffer_view(&p->signature), &signature, err));
    CALVE_TRY(
        calve_map_put_str(&cache->by_signature, signature, (void *)(uintptr_t)layout, NULL, err));
  }
  CALVE_TRY(calve_map_put_str(&cache->by_path, path, (void *)(uintptr_t)layout, NULL, err));
  calve_buffer_clear(&p->elements);
  calve_buffer_clear(&p->signature);
  calve_arena_reset(&p->scratch);
  p->path = (calve_str){0};
  return CALVE_OK;
}

static bool text_has(calve_str text, const char *part) {
  size_t size = strlen(part);
  for (size_t i = 0; i + size <= text.size; i++)
    if (memcmp(text.data + i, part, size) == 0) return true;
  return false;
}

enum { FILE_NAME, NAME, SQL_TYPE, CHILDREN, FIELD_ID, REPETITION, CONVERTED, LOGICAL, POSITION };

static calve_status take_row(layout_cache *cache, pending_file *p, const calve_rows *rows,
                             size_t row, calve_error *err) {
  if (calve_rows_i64(rows, POSITION, row) == 0) {
    CALVE_TRY(finish_file(cache, p, err));
    CALVE_TRY(calve_arena_str(&p->scratch, calve_rows_text(rows, FILE_NAME, row), &p->path, err));
  }
  calve_layout_element e = {.field_id = -1};
  CALVE_TRY(calve_arena_str(&p->scratch, calve_rows_text(rows, NAME, row), &e.name, err));
  CALVE_TRY(calve_arena_str(&p->scratch, calve_rows_text(rows, SQL_TYPE, row), &e.sql_type, err));
  if (!calve_rows_is_null(rows, CHILDREN, row)) e.child_count = calve_rows_i64(rows, CHILDREN, row);
  if (!calve_rows_is_null(rows, FIELD_ID, row)) e.field_id = calve_rows_i64(rows, FIELD_ID, row);
  calve_str converted = calve_rows_text(rows, CONVERTED, row);
  calve_str logical = calve_rows_text(rows, LOGICAL, row);
  e.repeated = calve_str_equal_text(calve_rows_text(rows, REPETITION, row), "REPEATED");
  e.is_list = calve_str_equal_text(converted, "LIST") || text_has(logical, "ListType");
  e.is_map = calve_str_starts_with(converted, CALVE_STR("MAP")) || text_has(logical, "MapType");
  calve_buffer_put(&p->elements, &e, sizeof e);
  /* The root's name tells only which library wrote the file. */
  bool root = CALVE_COUNT(&p->elements, calve_layout_element) == 1;
  calve_buffer_printf(&p->signature, "%zu:", root ? 0 : e.name.size);
  if (!root) calve_buffer_put_str(&p->signature, e.name);
  calve_buffer_put_str(&p->signature, e.sql_type);
  calve_buffer_printf(&p->signature, ",%lld,%lld,%d%d%d;", (long long)e.child_count,
                      (long long)e.field_id, e.repeated, e.is_list, e.is_map);
  return CALVE_OK;
}

static calve_status read_rows(calve_engine *engine, layout_cache *cache, const char *sql,
                              pending_file *p, calve_error *err) {
  calve_rows *rows = NULL;
  CALVE_TRY(calve_engine_query(engine, sql, &rows, err));
  bool more = true;
  calve_status status = calve_rows_next(rows, &more, err);
  while (status == CALVE_OK && more) {
    for (size_t i = 0; status == CALVE_OK && i < calve_rows_count(rows); i++)
      status = take_row(cache, p, rows, i, err);
    if (status == CALVE_OK) status = calve_rows_next(rows, &more, err);
  }
  calve_rows_free(rows);
  return status == CALVE_OK ? finish_file(cache, p, err) : status;
}

/* One statement for all files that are not known yet. */
static calve_status load(calve_engine *engine, layout_cache *cache, const calve_str *paths,
                         size_t count, calve_error *err) {
  calve_buffer sql;
  calve_buffer_init(&sql, cache->allocator);
  calve_buffer_puts(&sql,
                    "SELECT file_name, name, duckdb_type, num_children, field_id, repetition_type,"
                    " converted_type, logical_type, column_id FROM parquet_schema([");
  calve_status status = CALVE_OK;
  for (size_t i = 0; i < count && status == CALVE_OK; i++) {
    if (i > 0) calve_buffer_putc(&sql, ',');
    status = calve_sql_file(&sql, paths[i], err);
  }
  calve_buffer_puts(&sql, "]) ORDER BY file_name, column_id");
  const char *text = calve_buffer_cstr(&sql);
  if (status == CALVE_OK) status = calve_buffer_check(&sql, err);
  pending_file p = {0};
  calve_arena_init(&p.scratch, cache->allocator);
  calve_buffer_init(&p.elements, cache->allocator);
  calve_buffer_init(&p.signature, cache->allocator);
  if (status == CALVE_OK) status = read_rows(engine, cache, text, &p, err);
  calve_buffer_free(&p.signature);
  calve_buffer_free(&p.elements);
  calve_arena_free(&p.scratch);
  calve_buffer_free(&sql);
  return status;
}

/* The engine does not always say which file it could not read: halve the list until one is left.
 * On a connection of its own, since the failure has ended the transaction of the first. */
static calve_status blame(calve_engine *engine, layout_cache *cache, const calve_str *paths,
                          size_t count, calve_error *err) {
  calve_engine *probe;
  CALVE_TRY(calve_engine_fork(engine, &probe, err));
  while (count > 1) {
    size_t half = count / 2;
    if (load(probe, cache, paths, half, NULL) != CALVE_OK) {
      count = half;
      continue;
    }
    paths += half;
    count -= half;
  }
  calve_status status = load(probe, cache, paths, 1, err);
  calve_engine_close(probe);
  if (status == CALVE_ENOTFOUND)
    status = calve_fail(err, CALVE_ECORRUPT, NULL,
                        "the file is missing, but the table names it (if it was moved: "
                        "--map-prefix OLD=NEW)");
  if (status == CALVE_EINVAL) {
    calve_error_prefix(err, "the footer of the Parquet file can't be read");
    status = CALVE_ECORRUPT;
    if (err) err->code = status;
  }
  char where[CALVE_PATH_MAX];
  if (status != CALVE_OK && calve_path_c(paths[0], where, NULL) == CALVE_OK)
    calve_error_set_where(err, where);
  return status;
}

/* The engine would wait for the writer of a pipe. That a file is missing it finds out by itself. */
static calve_status check_file(calve_str path, calve_error *err) {
  calve_error own = {0};
  calve_status status = calve_local_check_file(path, &own);
  if (status == CALVE_OK || status == CALVE_ENOTFOUND) return CALVE_OK;
  if (err) *err = own;
  return status;
}

calve_status calve_layouts_of(calve_engine *engine, const calve_str *paths, size_t count,
                              const calve_layout **out, calve_error *err) {
  layout_cache *cache = NULL;
  CALVE_TRY(cache_of(engine, &cache, err));
  calve_arena scratch;
  calve_arena_init(&scratch, cache->allocator);
  calve_map wanted; /* a path that is listed twice is read once */
  calve_map_init(&wanted, &scratch);
  calve_str *unknown = CALVE_NEW_ARRAY(&scratch, calve_str, count);
  size_t unknown_count = 0;
  calve_status status = unknown ? CALVE_OK : calve_fail_oom(err);
  for (size_t i = 0; i < count && status == CALVE_OK; i++) {
    if (calve_map_get_str(&cache->by_path, paths[i])) continue;
    void *before = NULL;
    status = check_file(paths[i], err);
    if (status == CALVE_OK) status = calve_map_put_str(&wanted, paths[i], unknown, &before, err);
    if (status == CALVE_OK && !before) unknown[unknown_count++] = paths[i];
  }
  if (status == CALVE_OK && unknown_count > 0) {
    status = load(engine, cache, unknown, unknown_count, err);
    if (status != CALVE_OK && status != CALVE_ECANCELLED && status != CALVE_ENOMEM)
      status = blame(engine, cache, unknown, unknown_count, err);
  }
  for (size_t i = 0; i < count && status == CALVE_OK; i++) {
    out[i] = calve_map_get_str(&cache->by_path, paths[i]);
    if (!out[i])
      status = calve_fail(err, CALVE_ECORRUPT, NULL, "the footer of %.*s was not found",
                          CALVE_STR_ARG(paths[i]));
  }
  calve_arena_free(&scratch);
  return status;
}
