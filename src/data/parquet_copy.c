/* SPDX-License-Identifier: Apache-2.0 */
#include "data/parquet_copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "data/sql_text.h"

/* The magic bytes "PAR1" come first: one row group starts behind them. */
#define FIRST_OFFSET 4
/* Files whose footers are read by one statement. */
#define OFFSET_BATCH 512

/* ---- ids ------------------------------------------------------------------------------------- */

static void put_ids(const calve_field *field, calve_buffer *out) {
  const calve_type *type = field->type;
  if (!calve_type_is_nested(type)) {
    calve_buffer_printf(out, "%d", (int)field->id);
    return;
  }
  calve_buffer_printf(out, "{'__duckdb_field_id': %d", (int)field->id);
  for (int32_t i = 0; i < type->field_count; i++) {
    static const char *const parts[] = {"'key'", "'value'"};
    calve_buffer_puts(out, ", ");
    if (type->id == CALVE_STRUCT)
      calve_sql_string(out, type->fields[i].name);
    else
      calve_buffer_puts(out, type->id == CALVE_LIST ? "'element'" : parts[i]);
    calve_buffer_puts(out, ": ");
    put_ids(&type->fields[i], out);
  }
  calve_buffer_putc(out, '}');
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static calve_status add_leaves(const calve_field *field, calve_str name, calve_str parent,
                               calve_arena *arena, calve_buffer *leaves, calve_error *err) {
  calve_buffer text;
  calve_str path;
  calve_buffer_init(&text, arena->allocator);
  calve_buffer_put_str(&text, parent);
  if (parent.size > 0) calve_buffer_putc(&text, '.');
  calve_sql_name(&text, name);
  calve_status status = calve_buffer_check(&text, err);
  if (status == CALVE_OK) status = calve_arena_str(arena, calve_buffer_view(&text), &path, err);
  calve_buffer_free(&text);
  CALVE_TRY(status);
  const calve_type *type = field->type;
  if (!calve_type_is_nested(type)) {
    CALVE_PUSH(leaves, calve_copy_leaf, field->id, path);
    return CALVE_OK;
  }
  for (int32_t i = 0; i < type->field_count; i++) {
    calve_str child = type->id == CALVE_STRUCT ? type->fields[i].name
                      : type->id == CALVE_LIST ? CALVE_STR("element")
                      : i == 0                 ? CALVE_STR("key")
                                               : CALVE_STR("value");
    CALVE_TRY(add_leaves(&type->fields[i], child, path, arena, leaves, err));
  }
  return CALVE_OK;
}

static int by_field_id(const void *a, const void *b) {
  int32_t x = ((const calve_copy_leaf *)a)->field_id;
  int32_t y = ((const calve_copy_leaf *)b)->field_id;
  return (x > y) - (x < y);
}

/* ---- what all files share -------------------------------------------------------------------- */

static calve_status put_codec(const calve_properties *properties, calve_buffer *out,
                              calve_error *err) {
  static const struct {
    const char *property, *duckdb;
  } codecs[] = {{"zstd", "zstd"},         {"snappy", "snappy"},
                {"gzip", "gzip"},         {"brotli", "brotli"},
                {"lz4", "lz4_raw"},       {"lz4_raw", "lz4_raw"},
                {"none", "uncompressed"}, {"uncompressed", "uncompressed"}};
  calve_str name = calve_properties_get(properties, "write.parquet.compression-codec");
  if (!name.data) name = CALVE_STR("zstd");
  for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
    if (!calve_str_equal_nocase(name, calve_str_of(codecs[i].property))) continue;
    calve_buffer_printf(out, ", COMPRESSION %s", codecs[i].duckdb);
    int64_t level = calve_properties_i64(properties, "write.parquet.compression-level", INT64_MIN);
    if (i == 0 && level >= 1 && level <= 22)
      calve_buffer_printf(out, ", COMPRESSION_LEVEL %d", (int)level);
    return CALVE_OK;
  }
  return calve_fail(err, CALVE_EINVAL, NULL,
                    "write.parquet.compression-codec is '%.*s'; it can be zstd, snappy, gzip, "
                    "brotli, lz4 or uncompressed",
                    CALVE_STR_ARG(name));
}

static calve_status put_parts(const calve_stage *stage, const calve_properties *properties,
                              calve_buffer *columns, calve_buffer *options, calve_buffer *leaves,
                              calve_error *err) {
  const calve_type *root = stage->schema->root;
  calve_buffer_puts(options, "FORMAT parquet, USE_TMP_FILE false, RETURN_STATS");
  CALVE_TRY(put_codec(properties, options, err));
  calve_buffer_puts(options, ", FIELD_IDS {");
  bool any = false;
  for (int32_t i = 0; i < root->field_count; i++) {
    if (!stage->columns[i]) continue;
    calve_buffer_printf(columns, "%sc%d AS ", any ? ", " : "", (int)i);
    calve_sql_name(columns, root->fields[i].name);
    if (any) calve_buffer_puts(options, ", ");
    calve_sql_string(options, root->fields[i].name);
    calve_buffer_puts(options, ": ");
    put_ids(&root->fields[i], options);
    CALVE_TRY(add_leaves(&root->fields[i], root->fields[i].name, (calve_str){0}, stage->arena,
                         leaves, err));
    any = true;
  }
  calve_buffer_putc(options, '}');
  CALVE_TRY(calve_buffer_check(columns, err));
  CALVE_TRY(calve_buffer_check(options, err));
  return calve_buffer_check(leaves, err);
}

calve_status calve_copy_make(const calve_stage *stage, const calve_properties *properties,
                             calve_copy *out, calve_error *err) {
  calve_buffer columns, options, leaves;
  calve_buffer_init(&columns, stage->arena->allocator);
  calve_buffer_init(&options, stage->arena->allocator);
  calve_buffer_init(&leaves, stage->arena->allocator);
  calve_copy copy = {.stage = stage};
  calve_status status = put_parts(stage, properties, &columns, &options, &leaves, err);
  if (status == CALVE_OK)
    status = calve_arena_str(stage->arena, calve_buffer_view(&columns), &copy.columns, err);
  if (status == CALVE_OK)
    status = calve_arena_str(stage->arena, calve_buffer_view(&options), &copy.options, err);
  if (status == CALVE_OK) {
    copy.leaf_count = CALVE_COUNT(&leaves, calve_copy_leaf);
    calve_copy_leaf *items = (void *)calve_arena_copy(stage->arena, leaves.data, leaves.size);
    if (!items)
      status = calve_fail_oom(err);
    else
      qsort(items, copy.leaf_count, sizeof *items, by_field_id);
    copy.leaves = items;
  }
  if (status == CALVE_OK) *out = copy;
  calve_buffer_free(&leaves);
  calve_buffer_free(&options);
  calve_buffer_free(&columns);
  return status;
}

/* ---- one file -------------------------------------------------------------------------------- */

static calve_str text_at(duckdb_vector vector, idx_t row) {
  duckdb_string_t *strings = duckdb_vector_get_data(vector);
  return (calve_str){duckdb_string_t_data(&strings[row]), duckdb_string_t_length(strings[row])};
}

/* MAP(column, MAP(statistic, text)) of row 0: the wanted statistic of one column. */
static bool find_size(duckdb_vector columns, calve_str path, int64_t *out) {
  duckdb_list_entry outer = ((const duckdb_list_entry *)duckdb_vector_get_data(columns))[0];
  duckdb_vector pair = duckdb_list_vector_get_child(columns);
  duckdb_vector names = duckdb_struct_vector_get_child(pair, 0);
  duckdb_vector stats = duckdb_struct_vector_get_child(pair, 1);
  duckdb_vector stat_pair = duckdb_list_vector_get_child(stats);
  duckdb_vector keys = duckdb_struct_vector_get_child(stat_pair, 0);
  duckdb_vector values = duckdb_struct_vector_get_child(stat_pair, 1);
  for (idx_t i = outer.offset; i < outer.offset + outer.length; i++) {
    if (!calve_str_equal(text_at(names, i), path)) continue;
    duckdb_list_entry inner = ((const duckdb_list_entry *)duckdb_vector_get_data(stats))[i];
    for (idx_t j = inner.offset; j < inner.offset + inner.length; j++)
      if (calve_str_equal_text(text_at(keys, j), "column_size_bytes"))
        return calve_str_to_i64(text_at(values, j), out);
  }
  return false;
}

/* Columns of COPY's answer: filename, count, file_size_bytes, footer_size_bytes, statistics. */
static calve_status take_answer(const calve_copy *copy, duckdb_result result, calve_arena *arena,
                                calve_data_file *file, calve_error *err) {
  duckdb_data_chunk chunk = duckdb_fetch_chunk(result);
  if (!chunk || duckdb_data_chunk_get_size(chunk) != 1) {
    if (chunk) duckdb_destroy_data_chunk(&chunk);
    return calve_fail(err, CALVE_EIO, NULL, "the engine does not say what it has written");
  }
  calve_id_i64 *sizes = CALVE_NEW_ARRAY(arena, calve_id_i64, copy->leaf_count);
  calve_status status = sizes ? CALVE_OK : calve_fail_oom(err);
  if (sizes) {
    file->record_count =
        ((const int64_t *)duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, 1)))[0];
    file->file_size_bytes =
        ((const int64_t *)duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, 2)))[0];
    duckdb_vector columns = duckdb_data_chunk_get_vector(chunk, 4);
    size_t count = 0;
    for (size_t i = 0; i < copy->leaf_count; i++) {
      int64_t size_bytes = 0;
      if (find_size(columns, copy->leaves[i].path, &size_bytes))
        sizes[count++] = (calve_id_i64){copy->leaves[i].field_id, size_bytes};
    }
    file->column_sizes = (calve_id_i64_list){sizes, count};
  }
  duckdb_destroy_data_chunk(&chunk);
  return status;
}

calve_status calve_copy_rows(const calve_copy *copy, int64_t first_row, int64_t row_count,
                             calve_str path, calve_arena *arena, calve_data_file *file,
                             calve_error *err) {
  calve_engine *engine = copy->stage->engine;
  calve_buffer sql;
  calve_buffer_init(&sql, calve_engine_allocator(engine));
  calve_buffer_puts(&sql, "COPY (SELECT ");
  calve_buffer_put_str(&sql, copy->columns);
  calve_buffer_printf(&sql, " FROM %s WHERE rowid >= %lld AND rowid < %lld) TO ",
                      copy->stage->table, (long long)first_row, (long long)(first_row + row_count));
  calve_sql_string(&sql, path);
  calve_buffer_printf(&sql, " (ROW_GROUP_SIZE %lld, ", (long long)copy->row_group_rows);
  calve_buffer_put_str(&sql, copy->options);
  calve_buffer_putc(&sql, ')');
  duckdb_prepared_statement statement = NULL;
  duckdb_result result;
  const char *text = calve_buffer_cstr(&sql);
  calve_status status = calve_buffer_check(&sql, err);
  if (status == CALVE_OK) status = calve_engine_prepare(engine, text, &statement, err);
  if (status == CALVE_OK) {
    status = calve_engine__execute(engine, statement, &result, err);
    if (status == CALVE_OK) {
      status = take_answer(copy, result, arena, file, err);
      duckdb_destroy_result(&result);
    }
    duckdb_destroy_prepare(&statement);
  }
  calve_buffer_free(&sql);
  if (status == CALVE_OK && file->record_count != row_count)
    status = calve_fail(err, CALVE_EIO, NULL, "%lld rows were written, but %lld should have been",
                        (long long)file->record_count, (long long)row_count);
  return status;
}

/* ---- split offsets --------------------------------------------------------------------------- */

/* Sets the offsets of the files first..last, from rows (index, offset) ordered by both. */
static calve_status take_offsets(calve_rows *rows, calve_data_file *files, calve_arena *arena,
                                 calve_error *err) {
  calve_buffer offsets;
  calve_buffer_init(&offsets, arena->allocator);
  int64_t current = -1;
  calve_status status = CALVE_OK;
  for (bool more = true; status == CALVE_OK && more;) {
    status = calve_rows_next(rows, &more, err);
    size_t count = status == CALVE_OK ? calve_rows_count(rows) : 0;
    for (size_t i = 0; i <= count && status == CALVE_OK; i++) {
      bool end = i == count;
      if (end && more) break;
      int64_t index = end ? -1 : calve_rows_i64(rows, 0, i);
      if (index != current && current >= 0) {
        status = calve_buffer_check(&offsets, err);
        int64_t *items = (void *)calve_arena_copy(arena, offsets.data, offsets.size);
        if (!items) status = calve_fail_oom(err);
        files[current].split_offsets = (calve_i64_list){items, CALVE_COUNT(&offsets, int64_t)};
        calve_buffer_clear(&offsets);
      }
      current = index;
      if (!end) CALVE_PUSH(&offsets, int64_t, calve_rows_i64(rows, 1, i));
    }
  }
  calve_buffer_free(&offsets);
  return status;
}

static calve_status read_offsets(const calve_copy *copy, const calve_str *paths,
                                 const size_t *wanted, size_t count, calve_data_file *files,
                                 calve_arena *arena, calve_error *err) {
  calve_engine *engine = copy->stage->engine;
  calve_buffer sql, list;
  calve_buffer_init(&sql, calve_engine_allocator(engine));
  calve_buffer_init(&list, calve_engine_allocator(engine));
  calve_status status = CALVE_OK;
  calve_buffer_puts(&list, "[");
  calve_buffer_puts(&sql,
                    "SELECT any_value(n.i)::BIGINT AS i, min(least(data_page_offset, "
                    "dictionary_page_offset)) AS start FROM parquet_metadata([");
  for (size_t i = 0; i < count && status == CALVE_OK; i++) {
    if (i > 0) calve_buffer_puts(&sql, ", ");
    status = calve_sql_file(&sql, paths[wanted[i]], err);
    calve_buffer_printf(&list, "%s{p: ", i > 0 ? ", " : "");
    calve_sql_string(&list, paths[wanted[i]]);
    calve_buffer_printf(&list, ", i: %zu}", wanted[i]);
  }
  calve_buffer_puts(&sql, "]) m JOIN (SELECT unnest(");
  calve_buffer_put_str(&sql, calve_buffer_view(&list));
  calve_buffer_puts(&sql,
                    "], recursive := true)) n ON n.p = m.file_name "
                    "GROUP BY m.file_name, m.row_group_id ORDER BY i, start");
  const char *text = calve_buffer_cstr(&sql);
  if (status == CALVE_OK) status = calve_buffer_check(&sql, err);
  calve_rows *rows = NULL;
  if (status == CALVE_OK) status = calve_engine_query(engine, text, &rows, err);
  if (status == CALVE_OK) status = take_offsets(rows, files, arena, err);
  calve_rows_free(rows);
  calve_buffer_free(&list);
  calve_buffer_free(&sql);
  return status;
}

calve_status calve_copy_split_offsets(const calve_copy *copy, const calve_str *paths,
                                      calve_data_file *files, size_t count, calve_arena *arena,
                                      calve_error *err) {
  static const int64_t first_offset = FIRST_OFFSET;
  size_t wanted[OFFSET_BATCH], wanted_count = 0;
  for (size_t i = 0; i < count; i++) {
    files[i].split_offsets = (calve_i64_list){&first_offset, 1};
    if (files[i].record_count <= copy->row_group_rows) continue;
    wanted[wanted_count++] = i;
    if (wanted_count < OFFSET_BATCH) continue;
    CALVE_TRY(read_offsets(copy, paths, wanted, wanted_count, files, arena, err));
    wanted_count = 0;
  }
  if (wanted_count == 0) return CALVE_OK;
  return read_offsets(copy, paths, wanted, wanted_count, files, arena, err);
}
