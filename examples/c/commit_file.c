/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a Parquet file by itself and commits it to a table: what an engine with a writer of its
 * own does. The writer here is as small as Parquet allows (two required columns, one page each,
 * plain and uncompressed); calve only learns what the file holds.
 *
 *   commit_file WAREHOUSE COUNTRY ID…      table db.visits(id BIGINT, country STRING), made on the
 *                                          first call, partitioned by country
 *   cc commit_file.c $(pkg-config --cflags --libs calve)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <calve.h>

static int fail(const calve_error *err) {
  fprintf(stderr, "commit_file: %s%s%s\n", err->where, err->where[0] ? ": " : "", err->message);
  return 1;
}

/* ---- a very small Parquet writer ---------------------------------------------------------- */

typedef struct bytes {
  unsigned char data[1 << 16];
  size_t size;
} bytes;

static void put(bytes *b, const void *from, size_t size) {
  if (size > sizeof b->data - b->size) size = sizeof b->data - b->size;
  memcpy(b->data + b->size, from, size);
  b->size += size;
}

static void put_le(bytes *b, uint64_t v, int size) {
  for (int i = 0; i < size; i++) put(b, &(unsigned char){(unsigned char)(v >> (8 * i))}, 1);
}

/* Thrift's compact protocol: numbers are zigzag varints, a field is told by its distance. */
static void put_varint(bytes *b, uint64_t v) {
  for (; v >= 0x80; v >>= 7) put_le(b, (v & 0x7f) | 0x80, 1);
  put_le(b, v, 1);
}

enum { T_I32 = 5, T_I64 = 6, T_BINARY = 8, T_LIST = 9, T_STRUCT = 12 };

static void field(bytes *b, int *last, int id, int type) {
  put_le(b, (uint64_t)((id - *last) << 4 | type), 1);
  *last = id;
}

static void number(bytes *b, int *last, int id, int type, int64_t v) {
  field(b, last, id, type);
  put_varint(b, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

static void string(bytes *b, const char *text) {
  put_varint(b, strlen(text));
  put(b, text, strlen(text));
}

static void list(bytes *b, int *last, int id, int type, int count) {
  field(b, last, id, T_LIST);
  put_le(b, (uint64_t)(count << 4 | type), 1);
}

static void end(bytes *b) {
  put_le(b, 0, 1);
}

typedef struct column {
  const char *name;
  int type; /* 2: INT64, 6: BYTE_ARRAY                                                          */
  int field_id;
  size_t offset, size;
} column;

/* One data page with its header; values are plain. */
static void put_page(bytes *file, column *c, const bytes *values, int rows) {
  int last = 0, inner = 0;
  c->offset = file->size;
  number(file, &last, 1, T_I32, 0); /* a data page */
  number(file, &last, 2, T_I32, (int64_t)values->size);
  number(file, &last, 3, T_I32, (int64_t)values->size);
  field(file, &last, 5, T_STRUCT);
  number(file, &inner, 1, T_I32, rows);
  number(file, &inner, 2, T_I32, 0); /* plain */
  number(file, &inner, 3, T_I32, 3);
  number(file, &inner, 4, T_I32, 3);
  end(file);
  end(file);
  put(file, values->data, values->size);
  c->size = file->size - c->offset;
}

static void put_schema(bytes *b, int *last, const column *columns, int count) {
  int root = 0;
  list(b, last, 2, T_STRUCT, count + 1);
  field(b, &root, 4, T_BINARY);
  string(b, "table");
  number(b, &root, 5, T_I32, count);
  end(b);
  for (int i = 0; i < count; i++) {
    int at = 0;
    number(b, &at, 1, T_I32, columns[i].type);
    number(b, &at, 3, T_I32, 0); /* required */
    field(b, &at, 4, T_BINARY);
    string(b, columns[i].name);
    if (columns[i].type == 6) number(b, &at, 6, T_I32, 0); /* UTF-8 */
    number(b, &at, 9, T_I32, columns[i].field_id); /* Iceberg finds columns by this id */
    end(b);
  }
}

static void put_row_group(bytes *b, int *last, const column *columns, int count, int rows) {
  int group = 0;
  int64_t total = 0;
  list(b, last, 4, T_STRUCT, 1);
  list(b, &group, 1, T_STRUCT, count);
  for (int i = 0; i < count; i++) {
    int chunk = 0, meta = 0;
    number(b, &chunk, 2, T_I64, (int64_t)columns[i].offset);
    field(b, &chunk, 3, T_STRUCT);
    number(b, &meta, 1, T_I32, columns[i].type);
    list(b, &meta, 2, T_I32, 1);
    put_varint(b, 0); /* plain */
    list(b, &meta, 3, T_BINARY, 1);
    string(b, columns[i].name);
    number(b, &meta, 4, T_I32, 0); /* uncompressed */
    number(b, &meta, 5, T_I64, rows);
    number(b, &meta, 6, T_I64, (int64_t)columns[i].size);
    number(b, &meta, 7, T_I64, (int64_t)columns[i].size);
    number(b, &meta, 9, T_I64, (int64_t)columns[i].offset);
    end(b);
    end(b);
    total += (int64_t)columns[i].size;
  }
  number(b, &group, 2, T_I64, total);
  number(b, &group, 3, T_I64, rows);
  end(b);
}

static void make_parquet(bytes *file, const char *country, const int64_t *ids, int rows) {
  static bytes values;
  column columns[] = {{.name = "id", .type = 2, .field_id = 1},
                      {.name = "country", .type = 6, .field_id = 2}};
  file->size = values.size = 0;
  put(file, "PAR1", 4);
  for (int i = 0; i < rows; i++) put_le(&values, (uint64_t)ids[i], 8);
  put_page(file, &columns[0], &values, rows);
  values.size = 0;
  for (int i = 0; i < rows; i++) {
    put_le(&values, strlen(country), 4);
    put(&values, country, strlen(country));
  }
  put_page(file, &columns[1], &values, rows);
  size_t footer = file->size;
  int last = 0;
  number(file, &last, 1, T_I32, 1);
  put_schema(file, &last, columns, 2);
  number(file, &last, 3, T_I64, rows);
  put_row_group(file, &last, columns, 2, rows);
  field(file, &last, 6, T_BINARY);
  string(file, "commit_file");
  end(file);
  put_le(file, file->size - footer, 4);
  put(file, "PAR1", 4);
}

/* ---- the table ---------------------------------------------------------------------------- */

static calve_status open_or_make(calve_catalog *catalog, calve_table **table, calve_error *err) {
  calve_status status = calve_table_open(catalog, "db.visits", table, err);
  if (status != CALVE_ENOTFOUND) return status;
  status = calve_namespace_create(catalog, "db", NULL, 0, err);
  if (status != CALVE_OK && status != CALVE_EEXISTS) return status;
  const calve_table_config config = {
      .struct_size = sizeof config,
      .schema_json = "{\"type\":\"struct\",\"fields\":["
                     "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\"},"
                     "{\"id\":2,\"name\":\"country\",\"required\":true,\"type\":\"string\"}]}",
      .partitioned_by = "country"};
  return calve_table_make(catalog, "db.visits", &config, table, err);
}

/* The file goes through calve's store: whole and on disk when the call returns. */
static calve_status store_file(const calve_table *table, const bytes *file, char *path,
                               size_t path_size, calve_error *err) {
  calve_str location = calve_table_location(table);
  snprintf(path, path_size, "%.*s/data/%ld-%" PRId64 ".parquet", (int)location.size, location.data,
           (long)getpid(), calve_table_snapshot_id(table));
  const calve_store *store = calve_local_store();
  return store->create(store->ctx, path, file->data, file->size, err);
}

static calve_status commit(calve_table *table, const char *path, const bytes *file,
                           const char *country, const int64_t *ids, int rows, calve_error *err) {
  int64_t lowest = ids[0], highest = ids[0];
  for (int i = 1; i < rows; i++) {
    if (ids[i] < lowest) lowest = ids[i];
    if (ids[i] > highest) highest = ids[i];
  }
  bytes *bounds = malloc(sizeof *bounds); /* Iceberg's binary form of a long: little-endian */
  if (!bounds) return CALVE_ENOMEM;
  bounds->size = 0;
  put_le(bounds, (uint64_t)lowest, 8);
  put_le(bounds, (uint64_t)highest, 8);
  calve_column_stats stats = CALVE_COLUMN_STATS_INIT;
  stats.field_id = 1;
  stats.size_bytes = 8 * rows;
  stats.value_count = rows;
  stats.null_count = 0;
  stats.lower = (calve_str){(const char *)bounds->data, 8};
  stats.upper = (calve_str){(const char *)bounds->data + 8, 8};
  /* Rows of one file share one partition; a real writer would sort its rows apart first. */
  char values[300];
  snprintf(values, sizeof values, "{\"country\":\"%s\",\"id\":%" PRId64 "}", country, ids[0]);
  calve_file_record record = CALVE_FILE_RECORD_INIT;
  record.path = path;
  record.record_count = rows;
  record.file_size_bytes = (int64_t)file->size;
  record.values_json = values;
  record.columns = &stats;
  record.column_count = 1;
  calve_commit *c;
  calve_status status = calve_commit_begin(table, &c, err);
  if (status == CALVE_OK) {
    status = calve_commit_add_file(c, &record, err);
    if (status == CALVE_OK) status = calve_commit_run(c, err);
    calve_commit_free(c);
  }
  free(bounds);
  return status;
}

int main(int argc, char **argv) {
  static bytes file;
  int64_t ids[1000];
  int rows = argc - 3;
  if (argc < 4 || rows > 1000 || strpbrk(argv[2], "\"\\")) {
    fprintf(stderr, "usage: commit_file WAREHOUSE COUNTRY ID...\n");
    return 2;
  }
  for (int i = 0; i < rows; i++) ids[i] = strtoll(argv[i + 3], NULL, 10);

  calve_error err;
  calve_catalog *catalog;
  calve_table *table;
  const calve_setting properties[] = {{"warehouse", argv[1]}};
  const calve_catalog_config config = {
      .struct_size = sizeof config, .properties = properties, .property_count = 1};
  if (calve_catalog_open(&config, &catalog, &err) != CALVE_OK) return fail(&err);
  calve_status status = open_or_make(catalog, &table, &err);
  if (status == CALVE_OK) {
    char path[4096];
    make_parquet(&file, argv[2], ids, rows);
    status = store_file(table, &file, path, sizeof path, &err);
    if (status == CALVE_OK) {
      status = commit(table, path, &file, argv[2], ids, rows, &err);
      /* Only when the outcome is known may the file go. */
      const calve_store *store = calve_local_store();
      calve_error ignored;
      if (status != CALVE_OK && status != CALVE_EUNKNOWN &&
          store->remove(store->ctx, path, &ignored) != CALVE_OK)
        fprintf(stderr, "commit_file: %s stays behind\n", path);
    }
    if (status == CALVE_OK)
      printf("%d rows in snapshot %" PRId64 "\n", rows, calve_table_snapshot_id(table));
    calve_table_free(table);
  }
  calve_catalog_free(catalog);
  return status == CALVE_OK ? 0 : fail(&err);
}
