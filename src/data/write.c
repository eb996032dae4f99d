/* SPDX-License-Identifier: Apache-2.0 */
#include "data/write.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/uuid.h"
#include "commit/locations.h"
#include "data/cuts.h"
#include "data/durable.h"
#include "data/metrics.h"
#include "data/parquet_copy.h"
#include "data/types.h"
#include "store/local.h"

#define DEFAULT_TARGET_BYTES    (INT64_C(512) << 20)
#define DEFAULT_ROW_GROUP_BYTES (INT64_C(128) << 20)
/* The engine's own size of a row group: larger ones cost memory and gain little. */
#define ROW_GROUP_ROWS     INT64_C(122880)
#define ROW_GROUP_ROWS_MIN INT64_C(2048)
/* Files whose metrics are taken by one statement. */
#define METRICS_BATCH 2048
/* From here on a statement that makes many small files is told so. */
#define MANY_PARTITIONS  1000
#define SMALL_FILE_BYTES (INT64_C(8) << 20)
/* Longest name of a folder that a partition value may give; file systems end at 255. */
#define FOLDER_NAME_MAX 200

typedef struct writer {
  calve_engine *engine;
  const calve_write_request *request;
  calve_arena *arena;  /* the caller's: what *out needs                                         */
  calve_arena scratch; /* until the write ends                                                  */
  calve_stage stage;
  calve_metrics metrics;
  calve_copy copy;
  int64_t target_bytes;
  size_t file_count, written_count;
  calve_data_file *files;
  int64_t *first_rows; /* of each file                                                          */
  calve_str *places;   /* where each file lies, plain paths                                     */
  calve_str root;      /* see calve_written                                                     */
} writer;

/* ---- how many rows a file takes -------------------------------------------------------------- */

/* Bytes that rows take at most when written plainly, from the first rows of the stage. */
static calve_status plain_row_bytes(writer *w, int64_t *out, calve_error *err) {
  calve_buffer sql;
  calve_buffer_init(&sql, calve_engine_allocator(w->engine));
  calve_buffer_puts(&sql, "SELECT CAST(coalesce(avg(16");
  for (int32_t i = 0; i < w->stage.schema->root->field_count; i++) {
    if (!w->stage.columns[i]) continue;
    const calve_type *type = w->stage.schema->root->fields[i].type;
    if (type->id == CALVE_STRING || type->id == CALVE_BINARY || calve_type_is_nested(type))
      calve_buffer_printf(&sql, " + coalesce(strlen(CAST(c%d AS VARCHAR)), 0)", (int)i);
    else
      calve_buffer_puts(&sql, " + 16");
  }
  calve_buffer_printf(&sql, "), 0) AS BIGINT) FROM (SELECT * FROM %s LIMIT 2048)", w->stage.table);
  const char *text = calve_buffer_cstr(&sql);
  calve_status status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK) status = calve_engine_query_i64(w->engine, text, 0, out, 1, err);
  calve_buffer_free(&sql);
  return status;
}

/* Bytes of a row inside a file: plainly estimated when no partition can fill a file, else measured
 * by writing a part of the largest partition to nowhere. */
static calve_status measure_rows(writer *w, int64_t *row_bytes, calve_error *err) {
  const calve_stage_group *largest = &w->stage.groups[0];
  for (size_t i = 1; i < w->stage.group_count; i++)
    if (w->stage.groups[i].row_count > largest->row_count) largest = &w->stage.groups[i];
  CALVE_TRY(plain_row_bytes(w, row_bytes, err));
  if (*row_bytes < 1) *row_bytes = 1;
  int64_t group_bytes =
      calve_properties_i64(&w->request->metadata->properties, "write.parquet.row-group-size-bytes",
                           DEFAULT_ROW_GROUP_BYTES);
  int64_t rows = group_bytes / *row_bytes;
  w->copy.row_group_rows = rows < ROW_GROUP_ROWS_MIN ? ROW_GROUP_ROWS_MIN
                           : rows > ROW_GROUP_ROWS   ? ROW_GROUP_ROWS
                                                     : rows;
  if (largest->row_count <= w->target_bytes / *row_bytes / 2) return CALVE_OK;
  calve_data_file pilot = {0};
  int64_t sample = largest->row_count < ROW_GROUP_ROWS ? largest->row_count : ROW_GROUP_ROWS;
  CALVE_TRY(calve_copy_rows(&w->copy, largest->first_row, sample, CALVE_STR("/dev/null"),
                            &w->scratch, &pilot, err));
  *row_bytes = pilot.file_size_bytes / sample;
  if (*row_bytes < 1) *row_bytes = 1;
  return CALVE_OK;
}

static int64_t files_of(const calve_stage_group *g, int64_t rows_per_file) {
  return (g->row_count + rows_per_file - 1) / rows_per_file;
}

/* Cuts each partition into files of about equal size. */
static calve_status cut(writer *w, calve_error *err) {
  int64_t row_bytes = 1, total = 0;
  CALVE_TRY(measure_rows(w, &row_bytes, err));
  int64_t rows_per_file = w->target_bytes / row_bytes;
  if (rows_per_file < 1) rows_per_file = 1;
  for (size_t i = 0; i < w->stage.group_count; i++)
    total += files_of(&w->stage.groups[i], rows_per_file);
  w->files = CALVE_NEW_ARRAY(w->arena, calve_data_file, (size_t)total);
  w->first_rows = CALVE_NEW_ARRAY(&w->scratch, int64_t, (size_t)total);
  w->places = CALVE_NEW_ARRAY(&w->scratch, calve_str, (size_t)total);
  if (!w->files || !w->first_rows || !w->places) return calve_fail_oom(err);
  for (size_t i = 0; i < w->stage.group_count; i++) {
    const calve_stage_group *g = &w->stage.groups[i];
    int64_t count = files_of(g, rows_per_file), start = g->first_row;
    for (int64_t j = 0; j < count; j++) {
      int64_t end = g->first_row + g->row_count / count * (j + 1) +
                    (j + 1 < g->row_count % count ? j + 1 : g->row_count % count);
      calve_data_file *f = &w->files[w->file_count];
      *f = calve_data_file_blank();
      f->spec_id = w->stage.spec->spec_id;
      f->format = CALVE_STR("PARQUET");
      f->partition = g->tuple;
      f->partition_count = w->stage.spec->field_count;
      f->sort_order_id = w->stage.order->order_id;
      f->record_count = end - start;
      w->first_rows[w->file_count++] = start;
      start = end;
    }
  }
  return CALVE_OK;
}

/* ---- metrics --------------------------------------------------------------------------------- */

static calve_status take_batch(writer *w, calve_rows *rows, size_t *taken, calve_error *err) {
  for (;;) {
    bool more;
    CALVE_TRY(calve_rows_next(rows, &more, err));
    if (!more) return CALVE_OK;
    for (size_t i = 0; i < calve_rows_count(rows); i++, (*taken)++) {
      int64_t index = calve_rows_i64(rows, 0, i);
      if (index < 0 || (size_t)index >= w->file_count ||
          calve_rows_i64(rows, 1, i) != w->files[index].record_count)
        return calve_fail(err, CALVE_EINVAL, NULL, "the staged rows are not in order");
      CALVE_TRY(calve_metrics_take(&w->metrics, rows, 2, i, w->arena, &w->files[index], err));
    }
  }
}

/* One GROUP BY over the rows of many files. */
static calve_status metrics_of(writer *w, size_t first, size_t count, calve_error *err) {
  int64_t end = first + count == w->file_count ? INT64_MAX : w->first_rows[first + count];
  calve_buffer sql;
  calve_buffer_init(&sql, calve_engine_allocator(w->engine));
  calve_buffer_puts(&sql, "SELECT " CALVE_CUTS_FUNCTION "(rowid), count(*)");
  calve_metrics_sql(&w->metrics, &sql);
  calve_buffer_printf(&sql, " FROM %s WHERE rowid >= %lld AND rowid < %lld GROUP BY 1",
                      w->stage.table, (long long)w->first_rows[first], (long long)end);
  const char *text = calve_buffer_cstr(&sql);
  calve_status status = calve_buffer_check(&sql, err);
  calve_rows *rows = NULL;
  size_t taken = 0;
  if (status == CALVE_OK) status = calve_engine_query(w->engine, text, &rows, err);
  if (status == CALVE_OK) status = take_batch(w, rows, &taken, err);
  if (status == CALVE_OK && taken != count)
    status = calve_fail(err, CALVE_EINVAL, NULL, "the staged rows are not in order");
  calve_rows_free(rows);
  calve_buffer_free(&sql);
  return status;
}

static calve_status take_metrics(writer *w, calve_error *err) {
  CALVE_TRY(calve_cuts_register(w->engine, err));
  calve_cuts *cuts = calve_engine__cuts(w->engine);
  *cuts = (calve_cuts){.first_rows = w->first_rows, .count = w->file_count};
  calve_status status = CALVE_OK;
  for (size_t i = 0; i < w->file_count && status == CALVE_OK; i += METRICS_BATCH) {
    size_t left = w->file_count - i;
    status = metrics_of(w, i, left < METRICS_BATCH ? left : METRICS_BATCH, err);
  }
  *cuts = (calve_cuts){0};
  return status;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The partition's path with every name short enough for a file system; a cut name is told from its
 * neighbours by the tuple's hash. */
static void put_folder(const writer *w, const calve_data_file *f, calve_buffer *out) {
  calve_buffer path;
  calve_buffer_init(&path, calve_engine_allocator(w->engine));
  calve_spec_tuple_path(w->stage.spec, w->stage.schema, f->partition, &path);
  for (size_t at = 0; at < path.size;) {
    size_t end = at;
    while (end < path.size && path.data[end] != '/') end++;
    size_t size = end - at;
    calve_buffer_put(out, path.data + at, size > FOLDER_NAME_MAX ? FOLDER_NAME_MAX : size);
    if (size > FOLDER_NAME_MAX)
      calve_buffer_printf(
          out, "-%016llx",
          (unsigned long long)calve_tuple_hash(f->partition, (size_t)f->partition_count));
    calve_buffer_putc(out, '/');
    at = end + 1;
  }
  out->oom |= path.oom;
  calve_buffer_free(&path);
}

static calve_status name_file(writer *w, size_t index, calve_str folder, const char *id,
                              calve_error *err) {
  const calve_path_rules anywhere = {0};
  const calve_path_rules *rules = w->request->rules ? w->request->rules : &anywhere;
  calve_data_file *f = &w->files[index];
  calve_buffer path;
  calve_buffer_init(&path, calve_engine_allocator(w->engine));
  calve_buffer_put_str(&path, folder);
  calve_buffer_putc(&path, '/');
  put_folder(w, f, &path);
  calve_buffer_printf(&path, "%05zu-0-%s.parquet", index, id);
  calve_str place;
  calve_status status = calve_buffer_check(&path, err);
  if (status == CALVE_OK)
    status = calve_arena_str(w->arena, calve_buffer_view(&path), &f->path, err);
  calve_buffer_free(&path);
  CALVE_TRY(status);
  CALVE_TRY(calve_path_resolve(rules, f->path, &w->scratch, &place, err));
  if (!calve_path_local(place, &place))
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL, "this version writes local files only: %.*s",
                      CALVE_STR_ARG(f->path));
  return calve_arena_str(&w->scratch, place, &w->places[index], err); /* NUL behind it */
}

/* A failed write leaves no folder: not "data" in the table's location, but write.data.path. */
static calve_status find_root(writer *w, calve_str folder, calve_error *err) {
  const calve_path_rules anywhere = {0};
  calve_str location = w->request->metadata->location, place;
  calve_str root = calve_path_inside(folder, location) ? location : folder;
  CALVE_TRY(calve_path_resolve(w->request->rules ? w->request->rules : &anywhere, root, w->arena,
                               &place, err));
  if (calve_path_local(place, &place)) w->root = place;
  return CALVE_OK;
}

static calve_status name_files(writer *w, calve_error *err) {
  uint8_t id[16];
  char id_text[CALVE_UUID_TEXT_SIZE];
  calve_str folder;
  CALVE_TRY(calve_uuid_random(id, err));
  calve_uuid_format(id, id_text);
  CALVE_TRY(calve_data_folder(w->request->metadata, &w->scratch, &folder, err));
  CALVE_TRY(find_root(w, folder, err));
  for (size_t i = 0; i < w->file_count; i++) CALVE_TRY(name_file(w, i, folder, id_text, err));
  return CALVE_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static calve_status write_file(writer *w, size_t i, calve_error *err) {
  return calve_copy_rows(&w->copy, w->first_rows[i], w->files[i].record_count, w->places[i],
                         w->arena, &w->files[i], err);
}

/* Another write that failed may have taken the folder away while it was still empty. */
static bool folder_is_gone(calve_durable *durable) {
  bool exists = true;
  if (calve_local_folder_exists(durable->last_folder, &exists, NULL) != CALVE_OK || exists)
    return false;
  durable->last_folder = (calve_str){0};
  return true;
}

static calve_status write_all(writer *w, calve_error *err) {
  calve_durable durable = {0};
  for (size_t i = 0; i < w->file_count; i++) {
    CALVE_TRY(calve_durable_folder(&durable, w->places[i], err));
    w->written_count = i + 1; /* even a failed COPY may leave a file */
    calve_status status = write_file(w, i, err);
    if (status != CALVE_OK && folder_is_gone(&durable)) {
      CALVE_TRY(calve_durable_folder(&durable, w->places[i], err));
      status = write_file(w, i, err);
    }
    if (status != CALVE_OK) {
      calve_error_set_where(err, w->places[i].data);
      return status;
    }
  }
  CALVE_TRY(calve_copy_split_offsets(&w->copy, w->places, w->files, w->file_count, w->arena, err));
  return calve_durable_sync(&durable, w->places, w->file_count, err);
}

static void remove_written(const writer *w) {
  for (size_t i = 0; i < w->written_count; i++) {
    (void)unlink(w->places[i].data);
    calve_local_remove_empty(w->places[i], w->root);
  }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Tells of an insert that makes very many small files, and what to do about it. */
static calve_status warn(const writer *w, calve_written *out, calve_error *err) {
  int64_t bytes = 0;
  for (size_t i = 0; i < out->file_count; i++) bytes += out->files[i].file_size_bytes;
  if (out->partition_count < MANY_PARTITIONS ||
      bytes / (int64_t)out->partition_count >= SMALL_FILE_BYTES)
    return CALVE_OK;
  int64_t average = bytes / (int64_t)out->partition_count;
  bool small = average < 10 * 1024;
  return calve_arena_printf(
      w->arena, &out->warning, err,
      "this write made %zu partitions of %lld %s on average; many small files make reading slow: "
      "consider a coarser partitioning (bucket(N, column), or months instead of days) by ALTER "
      "TABLE … REPLACE PARTITION FIELD",
      out->partition_count, (long long)(small ? average : average / 1024), small ? "bytes" : "KB");
}

static calve_status write_staged(writer *w, calve_error *err) {
  const calve_properties *properties = &w->request->metadata->properties;
  w->target_bytes =
      calve_properties_i64(properties, "write.target-file-size-bytes", DEFAULT_TARGET_BYTES);
  if (w->target_bytes < 1) w->target_bytes = DEFAULT_TARGET_BYTES;
  CALVE_TRY(calve_copy_make(&w->stage, properties, &w->copy, err));
  CALVE_TRY(calve_metrics_make(w->stage.schema, w->stage.columns, w->stage.order, properties,
                               &w->scratch, &w->metrics, err));
  if (w->stage.row_count == 0) return CALVE_OK;
  CALVE_TRY(cut(w, err));
  CALVE_TRY(take_metrics(w, err));
  CALVE_TRY(name_files(w, err));
  return write_all(w, err);
}

calve_status calve_write_files(calve_engine *engine, const calve_write_request *request,
                               calve_arena *arena, calve_written *out, calve_error *err) {
  writer w = {.engine = engine, .request = request, .arena = arena};
  CALVE_TRY(calve_stage_make(engine, request, arena, &w.stage, err));
  calve_arena_init(&w.scratch, calve_engine_allocator(engine));
  calve_status status = write_staged(&w, err);
  calve_written written = {.file_count = w.file_count,
                           .files = w.files,
                           .row_count = w.stage.row_count,
                           .partition_count = w.stage.group_count,
                           .root = w.root};
  if (status == CALVE_OK) status = warn(&w, &written, err);
  if (status == CALVE_OK)
    *out = written;
  else
    remove_written(&w);
  calve_stage_drop(&w.stage);
  calve_arena_free(&w.scratch);
  return status;
}

void calve_written_discard(const calve_written *written, const calve_path_rules *rules,
                           const calve_allocator *allocator) {
  const calve_path_rules anywhere = {0};
  calve_arena scratch;
  calve_arena_init(&scratch, allocator);
  for (size_t i = 0; i < written->file_count; i++) {
    calve_str place, local;
    if (calve_path_resolve(rules ? rules : &anywhere, written->files[i].path, &scratch, &place,
                           NULL) != CALVE_OK ||
        !calve_path_local(place, &local))
      continue;
    char *path = calve_arena_copy(&scratch, local.data, local.size);
    if (!path) continue;
    (void)unlink(path);
    calve_local_remove_empty(local, written->root);
  }
  calve_arena_free(&scratch);
}
