/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the metadata of large tables, without data files: what planning is measured on.
 *
 *   bench_gen t2 FOLDER [FILES]       20 columns, half by month, half by day and bucket
 *   bench_gen t3 FOLDER [FILES]       500 columns with metrics
 *   bench_gen t4c|t4s FOLDER FILES    many files, clustered or scattered over the manifests
 *   bench_gen t6 FOLDER [FILES]       twice as many delete files of all kinds
 *   bench_gen huge FOLDER [FILES]     as t2, in one manifest
 *   bench_gen plain FOLDER [FILES]    as t2, small and not compressed: to count instructions on
 *
 * Streams: a manifest is written as soon as it is full. Seeded: the same call gives the same
 * tables, but for the sync marks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/number.h"
#include "base/text.h"
#include "model/change.h"
#include "store/store.h"
#include "track/manifest.h"

#define FILES_PER_MANIFEST 4000
#define DAY_US (INT64_C(86400) * 1000000)
#define FIRST_DAY 14610 /* 2010-01-01 */
#define SNAPSHOT_ID INT64_C(3051729675574597004)

typedef struct kind {
  const char *name;
  int columns;
  int64_t files, files_per_manifest;
  bool scattered;
  calve_codec_id codec_id;
  bool has_deletes;
} kind;

static const kind kinds[] = {
    {"t2", 20, 1000000, FILES_PER_MANIFEST, false, CALVE_CODEC_DEFLATE, false},
    {"t3", 500, 20000, 1000, false, CALVE_CODEC_DEFLATE, false},
    {"t4c", 20, 1000000, FILES_PER_MANIFEST, false, CALVE_CODEC_DEFLATE, false},
    {"t4s", 20, 1000000, FILES_PER_MANIFEST, true, CALVE_CODEC_DEFLATE, false},
    {"t6", 20, 200000, FILES_PER_MANIFEST, false, CALVE_CODEC_DEFLATE, true},
    {"huge", 20, 1000000, INT64_MAX, false, CALVE_CODEC_DEFLATE, false},
    {"plain", 20, 8000, 2000, false, CALVE_CODEC_NULL, false},
};

static uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static void fail_on(calve_status status, const calve_error *err) {
  if (status == CALVE_OK) return;
  fprintf(stderr, "bench_gen: %s: %s\n", err->where, err->message);
  exit(1);
}

/* ---- the table ----------------------------------------------------------------------------- */

/* 1 order_id, 2 customer_id, 3 order_ts, 4 amount, 5 country, then c6, c7 … of changing types. */
static const calve_schema *make_schema(int columns, calve_arena *arena) {
  static const char *const types[] = {"long", "int", "double", "string", "date"};
  calve_buffer json;
  const calve_schema *schema = NULL;
  calve_error err;
  calve_buffer_init(&json, NULL);
  calve_buffer_puts(
      &json, "{\"type\":\"struct\",\"schema-id\":0,\"fields\":["
             "{\"id\":1,\"name\":\"order_id\",\"required\":true,\"type\":\"long\"},"
             "{\"id\":2,\"name\":\"customer_id\",\"required\":false,\"type\":\"long\"},"
             "{\"id\":3,\"name\":\"order_ts\",\"required\":false,\"type\":\"timestamptz\"},"
             "{\"id\":4,\"name\":\"amount\",\"required\":false,\"type\":\"decimal(12, 2)\"},"
             "{\"id\":5,\"name\":\"country\",\"required\":false,\"type\":\"string\"}");
  for (int i = 6; i <= columns; i++)
    calve_buffer_printf(&json, ",{\"id\":%d,\"name\":\"c%d\",\"required\":false,\"type\":\"%s\"}",
                        i, i, types[i % 5]);
  calve_buffer_puts(&json, "]}");
  fail_on(calve_schema_parse(calve_str_of(calve_buffer_cstr(&json)), "schema", arena, &schema,
                             &err),
          &err);
  return schema;
}

static const calve_spec *make_spec(const char *json, calve_arena *arena) {
  const calve_spec *spec = NULL;
  calve_error err;
  fail_on(calve_spec_parse(calve_str_of(json), "spec", arena, &spec, &err), &err);
  return spec;
}

static const char by_month[] =
    "{\"spec-id\":0,\"fields\":[{\"name\":\"order_ts_month\",\"transform\":\"month\","
    "\"source-id\":3,\"field-id\":1000}]}";
static const char by_day[] =
    "{\"spec-id\":1,\"fields\":[{\"name\":\"order_ts_day\",\"transform\":\"day\",\"source-id\":3,"
    "\"field-id\":1001},{\"name\":\"customer_id_bucket_16\",\"transform\":\"bucket[16]\","
    "\"source-id\":2,\"field-id\":1002}]}";
static const char by_nothing[] = "{\"spec-id\":2,\"fields\":[]}";

/* ---- one file ------------------------------------------------------------------------------ */

typedef struct generator {
  const kind *kind;
  const char *folder;
  calve_arena arena; /* of the table                                                            */
  const calve_schema *schema;
  const calve_spec *specs[3];
  uint64_t random;
  int64_t file_count;
  calve_buffer manifests; /* calve_manifest_file                                                */
  calve_id_i64 *sizes, *values, *nulls;
  calve_id_bytes *lower, *upper;
  char (*bound_bytes)[2][16];
} generator;

/* Lower and upper bound of a column: sorted random values of its type. */
static void make_bounds(generator *g, int column, int64_t day) {
  const calve_type *type = g->schema->root->fields[column].type;
  char *low = g->bound_bytes[column][0], *high = g->bound_bytes[column][1];
  uint64_t r = next_random(&g->random);
  int64_t a = (int64_t)(r % 1000000000), b = a + (int64_t)(r >> 40);
  size_t size = 8;
  if (column == 2) {
    a = day * DAY_US + (int64_t)(r % (uint64_t)(DAY_US / 2));
    b = a + DAY_US / 2 - 1;
  }
  switch (type->id) {
    case CALVE_STRING:
      size = (size_t)snprintf(low, 16, "%c%c%08x", 'a' + (char)(r % 13), 'a' + (char)(r / 13 % 26),
                              (unsigned)(r >> 32));
      snprintf(high, 16, "%c%c%08x", 'n' + (char)(r % 13), 'a' + (char)(r / 13 % 26),
               (unsigned)(r >> 24));
      break;
    case CALVE_INT:
    case CALVE_DATE:
      size = 4;
      calve_store_le32((uint8_t *)low, (uint32_t)(a & 0xffffff));
      calve_store_le32((uint8_t *)high, (uint32_t)((a & 0xffffff) + (b & 0xffff)));
      break;
    case CALVE_DOUBLE: {
      double low_value = (double)a / 1000.0, high_value = (double)b / 1000.0;
      memcpy(low, &low_value, 8);
      memcpy(high, &high_value, 8);
      break;
    }
    case CALVE_DECIMAL:
      size = 4;
      for (int i = 0; i < 4; i++) {
        low[i] = (char)((a & 0x3fffffff) >> (24 - 8 * i));
        high[i] = (char)(((a & 0x3fffffff) + (b & 0xffff)) >> (24 - 8 * i));
      }
      break;
    default:
      calve_store_le64((uint8_t *)low, (uint64_t)a);
      calve_store_le64((uint8_t *)high, (uint64_t)b);
  }
  g->lower[column] = (calve_id_bytes){column + 1, {low, size}};
  g->upper[column] = (calve_id_bytes){column + 1, {high, size}};
}

static void make_metrics(generator *g, int64_t day, calve_data_file *f) {
  int columns = g->kind->columns;
  for (int i = 0; i < columns; i++) {
    uint64_t r = next_random(&g->random);
    g->sizes[i] = (calve_id_i64){i + 1, (int64_t)(100000 + r % 1000000)};
    g->values[i] = (calve_id_i64){i + 1, f->record_count};
    g->nulls[i] = (calve_id_i64){i + 1, i == 0 ? 0 : (int64_t)(r >> 50)};
    make_bounds(g, i, day);
  }
  f->column_sizes = (calve_id_i64_list){g->sizes, (size_t)columns};
  f->value_counts = (calve_id_i64_list){g->values, (size_t)columns};
  f->null_value_counts = (calve_id_i64_list){g->nulls, (size_t)columns};
  f->lower_bounds = (calve_id_bytes_list){g->lower, (size_t)columns};
  f->upper_bounds = (calve_id_bytes_list){g->upper, (size_t)columns};
}

/* Days run through ten years; scattered tables have them in no order. */
static int64_t day_of(const generator *g, int64_t index) {
  int64_t days = 3650;
  uint64_t mixed = (uint64_t)index;
  if (g->kind->scattered) return FIRST_DAY + (int64_t)(next_random(&mixed) % (uint64_t)days);
  return FIRST_DAY + index * days / g->file_count;
}

/* Path and partition of a data file. */
typedef struct place {
  char path[256];
  calve_value tuple[2];
  uint64_t a, b; /* random: of the file                                                         */
} place;

static int spec_of(const generator *g, int64_t index) {
  int64_t first = index - index % g->kind->files_per_manifest;
  return first * 2 < g->file_count ? 0 : 1;
}

static place place_of(generator *g, int64_t index) {
  char ids[64];
  int64_t day = day_of(g, index);
  calve_civil civil = calve_civil_of_day(day);
  place p = {0};
  uint64_t own = (uint64_t)index; /* deletes name the paths of data files                       */
  uint64_t *random = g->kind->has_deletes ? &own : &g->random;
  p.a = next_random(random);
  p.b = next_random(random);
  int32_t bucket = (int32_t)(p.a % 16);
  snprintf(ids, sizeof ids, "%016" PRIx64 "%016" PRIx64, p.a, p.b);
  if (spec_of(g, index) == 0) {
    p.tuple[0] = (calve_value){.type = CALVE_INT};
    p.tuple[0].i32 = (int32_t)((civil.year - 1970) * 12 + civil.month - 1);
    snprintf(p.path, sizeof p.path,
             "file://%s/data/order_ts_month=%04d-%02d/00000-%" PRId64 "-%s.parquet", g->folder,
             (int)civil.year, civil.month, index, ids);
  } else {
    p.tuple[0] = (calve_value){.type = CALVE_DATE};
    p.tuple[0].i32 = (int32_t)day;
    p.tuple[1] = (calve_value){.type = CALVE_INT};
    p.tuple[1].i32 = bucket;
    snprintf(p.path, sizeof p.path,
             "file://%s/data/order_ts_day=%04d-%02d-%02d/customer_id_bucket_16=%d/00000-%" PRId64
             "-%s.parquet",
             g->folder, (int)civil.year, civil.month, civil.day, bucket, index, ids);
  }
  return p;
}

static calve_manifest_entry entry_of(const char *path, const calve_value *tuple,
                                     const calve_spec *spec) {
  calve_manifest_entry e = {.status = CALVE_ENTRY_ADDED,
                            .snapshot_id = SNAPSHOT_ID,
                            .data_sequence_number = CALVE_UNSET,
                            .file_sequence_number = CALVE_UNSET};
  e.file = calve_data_file_blank();
  e.file.path = calve_str_of(path);
  e.file.format = CALVE_STR("PARQUET");
  e.file.spec_id = spec->spec_id;
  e.file.partition = tuple;
  e.file.partition_count = spec->field_count;
  return e;
}

static void add_file(generator *g, calve_manifest_writer *w, int64_t index, int spec) {
  place p = place_of(g, index);
  calve_manifest_entry e = entry_of(p.path, p.tuple, g->specs[spec]);
  e.file.record_count = 100000 + (int64_t)(p.a % 900000);
  e.file.file_size_bytes = 64000000 + (int64_t)(p.b % 64000000);
  make_metrics(g, day_of(g, index), &e.file);
  calve_error err;
  fail_on(calve_manifest_writer_add(w, &e, &err), &err);
}

/* ---- one delete file ------------------------------------------------------------------------ */

/* Ways in which a delete file says what it is about, in turn; none is about many data files, but
 * the equality deletes of the whole table, which are few. */
static void add_delete(generator *g, calve_manifest_writer *w, int64_t index, int spec) {
  static const int32_t ids[] = {1};
  int64_t target = index / 2, other = target + 3;
  bool is_shared = other < g->file_count && spec_of(g, other) == spec;
  place p = place_of(g, target), q = place_of(g, is_shared ? other : target);
  char path[320];
  snprintf(path, sizeof path, "%.*s-%" PRId64 "-deletes.parquet", (int)(strlen(p.path) - 8), p.path,
           index);
  calve_manifest_entry e = entry_of(path, p.tuple, g->specs[spec]);
  e.file.record_count = 10;
  e.file.file_size_bytes = 2000;
  e.file.content = CALVE_CONTENT_POSITION_DELETES;
  bool in_order = strcmp(p.path, q.path) <= 0;
  calve_id_bytes lower = {2147483546, calve_str_of(p.path)}; /* file_path                       */
  calve_id_bytes upper = lower;
  int64_t way = index % 8;
  if (way == 5) {
    lower.value = calve_str_of(in_order ? p.path : q.path);
    upper.value = calve_str_of(in_order ? q.path : p.path);
  }
  if (way <= 2 || way == 6) e.file.referenced_data_file = calve_str_of(p.path);
  if (way >= 3 && way <= 5) {
    e.file.lower_bounds = (calve_id_bytes_list){&lower, 1};
    e.file.upper_bounds = (calve_id_bytes_list){&upper, 1};
  }
  if (way == 6) { /* a deletion vector                                                          */
    e.file.format = CALVE_STR("PUFFIN");
    e.file.content_offset = 4;
    e.file.content_size_bytes = 40;
  }
  if (way == 7 && spec > 0) {
    e.file.content = CALVE_CONTENT_EQUALITY_DELETES;
    e.file.equality_ids = (calve_i32_list){ids, 1};
  } else if (way == 7) {
    e.file.referenced_data_file = calve_str_of(p.path);
  }
  calve_error err;
  fail_on(calve_manifest_writer_add(w, &e, &err), &err);
}

/* Equality deletes of the whole table. */
static void add_global_delete(generator *g, calve_manifest_writer *w, int64_t index) {
  static const int32_t ids[] = {1};
  char path[256];
  snprintf(path, sizeof path, "file://%s/data/%" PRId64 "-deletes.parquet", g->folder, index);
  calve_manifest_entry e = entry_of(path, NULL, g->specs[2]);
  e.file.record_count = 10;
  e.file.file_size_bytes = 2000;
  e.file.content = CALVE_CONTENT_EQUALITY_DELETES;
  e.file.equality_ids = (calve_i32_list){ids, 1};
  calve_error err;
  fail_on(calve_manifest_writer_add(w, &e, &err), &err);
}

/* ---- manifests, list, metadata ------------------------------------------------------------- */

static calve_manifest_writer *open_manifest(generator *g, int spec, int32_t content) {
  calve_manifest_params params = {.format_version = g->kind->has_deletes ? 3 : 2,
                                  .content = content,
                                  .schema = g->schema,
                                  .spec = g->specs[spec],
                                  .snapshot_id = SNAPSHOT_ID,
                                  .codec_id = g->kind->codec_id,
                                  .level = g->kind->codec_id == CALVE_CODEC_DEFLATE ? 6 : -1};
  calve_manifest_writer *w = NULL;
  calve_error err;
  fail_on(calve_manifest_writer_open(&params, &w, &err), &err);
  return w;
}

/* Deletes are of a second commit. */
static void close_manifest(generator *g, calve_manifest_writer *w, int32_t content) {
  calve_manifest_file record;
  calve_str bytes, path;
  calve_error err;
  size_t number = CALVE_COUNT(&g->manifests, calve_manifest_file);
  fail_on(calve_manifest_writer_finish(w, &g->arena, &bytes, &record, &err), &err);
  fail_on(calve_arena_printf(&g->arena, &path, &err, "file://%s/metadata/m%06zu.avro", g->folder,
                             number),
          &err);
  record.path = path;
  if (g->kind->has_deletes) {
    record.sequence_number = content == CALVE_MANIFEST_DATA ? 1 : 2;
    record.min_sequence_number = record.sequence_number;
  }
  fail_on(calve_store_create(calve_local_store(), path, bytes, &err), &err);
  calve_manifest_writer_free(w);
  calve_buffer_put(&g->manifests, &record, sizeof record);
}

static void write_manifest(generator *g, int64_t first, int64_t count) {
  int spec = spec_of(g, first);
  calve_manifest_writer *w = open_manifest(g, spec, CALVE_MANIFEST_DATA);
  for (int64_t i = first; i < first + count; i++) add_file(g, w, i, spec);
  close_manifest(g, w, CALVE_MANIFEST_DATA);
}

/* Twice as many delete files as data files, and a few for the whole table. */
static void write_deletes(generator *g) {
  int64_t per_manifest = 2 * g->kind->files_per_manifest;
  for (int64_t first = 0; first < 2 * g->file_count; first += per_manifest) {
    int spec = spec_of(g, first / 2);
    calve_manifest_writer *w = open_manifest(g, spec, CALVE_MANIFEST_DELETES);
    for (int64_t i = first; i < first + per_manifest && i < 2 * g->file_count; i++)
      add_delete(g, w, i, spec);
    close_manifest(g, w, CALVE_MANIFEST_DELETES);
  }
  calve_manifest_writer *w = open_manifest(g, 2, CALVE_MANIFEST_DELETES);
  for (int64_t i = 0; i < 3; i++) add_global_delete(g, w, i);
  close_manifest(g, w, CALVE_MANIFEST_DELETES);
}

static calve_str write_list(generator *g) {
  calve_manifest_list_params params = {.format_version = g->kind->has_deletes ? 3 : 2,
                                       .snapshot_id = SNAPSHOT_ID,
                                       .parent_snapshot_id = CALVE_NO_SNAPSHOT,
                                       .sequence_number = g->kind->has_deletes ? 2 : 1,
                                       .first_row_id = g->kind->has_deletes ? 0 : CALVE_UNSET,
                                       .codec_id = CALVE_CODEC_DEFLATE,
                                       .level = -1};
  calve_buffer bytes;
  calve_str path;
  calve_error err;
  calve_buffer_init(&bytes, NULL);
  fail_on(calve_manifest_list_write(&params, CALVE_ITEMS(&g->manifests, calve_manifest_file),
                                    CALVE_COUNT(&g->manifests, calve_manifest_file), &bytes, NULL,
                                    &err),
          &err);
  fail_on(calve_arena_printf(&g->arena, &path, &err, "file://%s/metadata/snap-1.avro", g->folder),
          &err);
  fail_on(calve_store_create(calve_local_store(), path, calve_buffer_view(&bytes), &err), &err);
  calve_buffer_free(&bytes);
  return path;
}

static void write_metadata(generator *g, calve_str list) {
  calve_buffer text;
  calve_json_writer w;
  calve_str path;
  calve_error err;
  calve_buffer_init(&text, NULL);
  calve_json_write_init(&w, &text, 0);
  calve_buffer_printf(&text,
                      "{\"format-version\":%d,%s"
                      "\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\","
                      "\"location\":\"file://%s\",\"last-sequence-number\":%d,"
                      "\"last-updated-ms\":1700000000000,\"last-column-id\":%d,"
                      "\"current-schema-id\":0,\"schemas\":[",
                      g->kind->has_deletes ? 3 : 2,
                      g->kind->has_deletes ? "\"next-row-id\":1000000000000," : "", g->folder,
                      g->kind->has_deletes ? 2 : 1, g->kind->columns);
  calve_schema_write_json(g->schema, &w);
  calve_buffer_printf(&text, "],\"default-spec-id\":1,\"partition-specs\":[%s,%s%s%s],", by_month,
                      by_day, g->kind->has_deletes ? "," : "",
                      g->kind->has_deletes ? by_nothing : "");
  calve_buffer_printf(
      &text,
      "\"last-partition-id\":1002,\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,"
      "\"fields\":[]}],\"properties\":{},\"current-snapshot-id\":%" PRId64
      ",\"refs\":{\"main\":{\"snapshot-id\":%" PRId64
      ",\"type\":\"branch\"}},\"snapshots\":[{\"sequence-number\":%d,%s\"snapshot-id\":%" PRId64
      ",\"timestamp-ms\":1700000000000,\"summary\":{\"operation\":\"append\"},\"manifest-list\":"
      "\"%s\",\"schema-id\":0}],\"statistics\":[],\"snapshot-log\":[],\"metadata-log\":[]}",
      SNAPSHOT_ID, SNAPSHOT_ID, g->kind->has_deletes ? 2 : 1,
      g->kind->has_deletes ? "\"first-row-id\":0,\"added-rows\":1000000000000," : "", SNAPSHOT_ID,
      list.data);
  fail_on(calve_arena_printf(&g->arena, &path, &err, "file://%s/metadata/v1.metadata.json",
                             g->folder),
          &err);
  fail_on(calve_store_create(calve_local_store(), path, calve_buffer_view(&text), &err), &err);
  calve_buffer_free(&text);
}

static void generate(generator *g) {
  int columns = g->kind->columns;
  calve_arena_init(&g->arena, NULL);
  calve_buffer_init(&g->manifests, NULL);
  g->schema = make_schema(columns, &g->arena);
  g->specs[0] = make_spec(by_month, &g->arena);
  g->specs[1] = make_spec(by_day, &g->arena);
  g->specs[2] = make_spec(by_nothing, &g->arena);
  g->sizes = CALVE_NEW_ARRAY(&g->arena, calve_id_i64, (size_t)columns);
  g->values = CALVE_NEW_ARRAY(&g->arena, calve_id_i64, (size_t)columns);
  g->nulls = CALVE_NEW_ARRAY(&g->arena, calve_id_i64, (size_t)columns);
  g->lower = CALVE_NEW_ARRAY(&g->arena, calve_id_bytes, (size_t)columns);
  g->upper = CALVE_NEW_ARRAY(&g->arena, calve_id_bytes, (size_t)columns);
  g->bound_bytes = calve_arena_array(&g->arena, (size_t)columns, sizeof *g->bound_bytes);
  if (!g->sizes || !g->values || !g->nulls || !g->lower || !g->upper || !g->bound_bytes) exit(1);
  for (int64_t first = 0, count; first < g->file_count; first += count) {
    count = g->file_count - first;
    if (count > g->kind->files_per_manifest) count = g->kind->files_per_manifest;
    write_manifest(g, first, count);
  }
  if (g->kind->has_deletes) write_deletes(g);
  write_metadata(g, write_list(g));
  calve_buffer_free(&g->manifests);
  calve_arena_free(&g->arena);
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc >= 3 && i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(argv[1], kinds[i].name) != 0) continue;
    generator g = {.kind = &kinds[i], .folder = argv[2], .random = 1};
    g.file_count = argc > 3 ? strtoll(argv[3], NULL, 10) : kinds[i].files;
    if (g.file_count < 1) break;
    generate(&g);
    return 0;
  }
  fprintf(stderr, "usage: bench_gen t2|t3|t4c|t4s|t6|huge|plain /ABSOLUTE/FOLDER [FILES]\n");
  return 2;
}
