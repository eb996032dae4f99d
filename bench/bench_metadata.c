/* SPDX-License-Identifier: Apache-2.0 */
/* Writes table metadata with a long history (table T5), and times loading such a file.
 *
 *   bench_metadata write FILE [SNAPSHOTS [SCHEMAS [SPECS]]]
 *   bench_metadata load FILE [REPEATS]     milliseconds of processor time (best), peak memory
 *
 * The yardstick is bench/simdjson_dom.cc: the time simdjson takes to build its DOM of the file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/text.h"
#include "model/metadata.h"
#include "store/store.h"

static void fail_on(calve_status status, const calve_error *err) {
  if (status == CALVE_OK) return;
  fprintf(stderr, "bench_metadata: %s: %s\n", err->where, err->message);
  exit(1);
}

/* ---- writing -------------------------------------------------------------------------------- */

static void put_schemas(calve_buffer *b, int count) {
  static const char *const types[] = {"long", "int", "double", "string", "date", "timestamptz"};
  for (int s = 0; s < count; s++) {
    calve_buffer_printf(b, "%s{\"type\":\"struct\",\"schema-id\":%d,\"fields\":[", s ? "," : "", s);
    for (int i = 1; i <= 40 + s / 10; i++)
      calve_buffer_printf(b,
                          "%s{\"id\":%d,\"name\":\"column_%d\",\"required\":false,"
                          "\"type\":\"%s\"}",
                          i > 1 ? "," : "", i, i, types[i % 6]);
    calve_buffer_puts(b, "]}");
  }
}

static void put_specs(calve_buffer *b, int count) {
  for (int s = 0; s < count; s++)
    calve_buffer_printf(b,
                        "%s{\"spec-id\":%d,\"fields\":[{\"name\":\"column_6_bucket_%d\","
                        "\"transform\":\"bucket[%d]\",\"source-id\":6,\"field-id\":%d}]}",
                        s ? "," : "", s, s + 1, s + 1, 1000 + s);
}

static void put_snapshots(calve_buffer *b, int count, int schemas) {
  for (int i = 0; i < count; i++) {
    int64_t id = INT64_C(1000000000000000000) + i;
    calve_buffer_printf(
        b,
        "%s{\"sequence-number\":%d,\"snapshot-id\":%" PRId64 ",\"parent-snapshot-id\":%" PRId64
        ",\"timestamp-ms\":%" PRId64
        ",\"summary\":{\"operation\":\"append\",\"spark.app.id\":\"local-%d\",\"added-data-files\":"
        "\"%d\",\"added-records\":\"%d\",\"added-files-size\":\"%d\",\"changed-partition-count\":"
        "\"%d\",\"total-records\":\"%d\",\"total-files-size\":\"%d\",\"total-data-files\":\"%d\","
        "\"total-delete-files\":\"0\",\"total-position-deletes\":\"0\",\"total-equality-deletes\":"
        "\"0\"},\"manifest-list\":\"s3://warehouse/db/orders/metadata/snap-%" PRId64
        "-1-9c12d441-03fe-4693-9a96-a0705ddf69c1.avro\",\"schema-id\":%d}",
        i ? "," : "", i + 1, id, id - 1, INT64_C(1700000000000) + i * 60000, i, i % 7 + 1, i % 1000,
        i % 9000, i % 5 + 1, i * 3, i * 4, i * 2, id, (int)((int64_t)i * schemas / count));
  }
}

static void put_log(calve_buffer *b, int count) {
  for (int i = 0; i < count; i++)
    calve_buffer_printf(b, "%s{\"timestamp-ms\":%" PRId64 ",\"snapshot-id\":%" PRId64 "}",
                        i ? "," : "", INT64_C(1700000000000) + i * 60000,
                        INT64_C(1000000000000000000) + i);
}

static void write_file(const char *path, int snapshots, int schemas, int specs) {
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  calve_buffer_printf(&b,
                      "{\"format-version\":2,"
                      "\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\","
                      "\"location\":\"s3://warehouse/db/orders\",\"last-sequence-number\":%d,"
                      "\"last-updated-ms\":1800000000000,\"last-column-id\":100,"
                      "\"current-schema-id\":%d,\"schemas\":[",
                      snapshots, schemas - 1);
  put_schemas(&b, schemas);
  calve_buffer_printf(&b, "],\"default-spec-id\":%d,\"partition-specs\":[", specs - 1);
  put_specs(&b, specs);
  calve_buffer_printf(&b,
                      "],\"last-partition-id\":%d,\"default-sort-order-id\":0,\"sort-orders\":["
                      "{\"order-id\":0,\"fields\":[]}],\"properties\":{},"
                      "\"current-snapshot-id\":%" PRId64
                      ",\"refs\":{\"main\":{\"snapshot-id\":%" PRId64
                      ",\"type\":\"branch\"}},\"snapshots\":[",
                      1000 + specs, INT64_C(1000000000000000000) + snapshots - 1,
                      INT64_C(1000000000000000000) + snapshots - 1);
  put_snapshots(&b, snapshots, schemas);
  calve_buffer_puts(&b, "],\"snapshot-log\":[");
  put_log(&b, snapshots);
  calve_buffer_puts(&b, "],\"metadata-log\":[],\"statistics\":[]}");
  FILE *f = fopen(path, "wb");
  if (!f || b.oom || fwrite(b.data, 1, b.size, f) != b.size || fclose(f) != 0) {
    fprintf(stderr, "bench_metadata: %s can't be written\n", path);
    exit(1);
  }
  calve_buffer_free(&b);
}

/* ---- loading -------------------------------------------------------------------------------- */

/* The most memory that this process has had so far, in bytes. */
static double peak_bytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss * 1024;
}

static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The file's text and what is made of it, as a catalog loads them. */
static size_t load_once(const char *path, calve_arena *arena, double *ms, size_t *snapshots) {
  calve_str bytes, text;
  calve_error err;
  const calve_metadata *metadata;
  fail_on(calve_store_read(calve_local_store(), calve_str_of(path), INT64_MAX / 2, arena, &bytes,
                           &err),
          &err);
  double start = cpu_ms();
  fail_on(calve_metadata_plain_text(bytes, path, arena, &text, &err), &err);
  fail_on(calve_metadata_parse(text, path, arena, &metadata, &err), &err);
  *ms = cpu_ms() - start;
  *snapshots = metadata->snapshot_count;
  return text.size;
}

static void load(const char *path, int repeats) {
  double best = 1e300, ms, before = peak_bytes(), peak = 0;
  size_t size = 0, snapshots = 0;
  for (int i = 0; i < repeats; i++) {
    calve_arena arena;
    calve_arena_init(&arena, NULL);
    size = load_once(path, &arena, &ms, &snapshots);
    if (i == 0) peak = peak_bytes() - before;
    if (ms < best) best = ms;
    calve_arena_free(&arena);
  }
  printf("%zu bytes, %zu snapshots: %.2f ms, peak memory with the text %.0f bytes = %.2f of it\n",
         size, snapshots, best, peak, peak / (double)size);
}

static int number(int argc, char **argv, int index, int otherwise) {
  return argc > index ? (int)strtol(argv[index], NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "write") == 0) {
    write_file(argv[2], number(argc, argv, 3, 10000), number(argc, argv, 4, 200),
               number(argc, argv, 5, 50));
    return 0;
  }
  if (argc > 2 && strcmp(argv[1], "load") == 0) {
    load(argv[2], number(argc, argv, 3, 20));
    return 0;
  }
  fprintf(stderr, "usage: bench_metadata write|load FILE …\n");
  return 2;
}
