/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/partition_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sql/file_tables.h"

/* Partitions that are listed one by one: the largest. */
#define LISTED_MAX 20
/* Fewer files than this are no trouble, however small they are. */
#define FILES_MANY 100
/* More values than this are too many directories, and files, for an identity field. */
#define VALUES_MANY 1000
/* A file below this part of write.target-file-size-bytes is tiny. */
#define TINY_PART 16
#define TARGET_DEFAULT (512 * 1024 * 1024)

typedef struct report {
  calve_exec *x;
  const calve_metadata *metadata;
  calve_listing *listing;
  const calve_partition_size *sizes;
  size_t count;
  calve_buffer text;
} report;

static void put_counts(int64_t files, int64_t rows, int64_t bytes, calve_buffer *out) {
  char size[CALVE_SIZE_TEXT_MAX];
  calve_size_format(bytes, size);
  calve_buffer_printf(out, "%" PRId64 " file%s, %" PRId64 " row%s, ", files, files == 1 ? "" : "s",
                      rows, rows == 1 ? "" : "s");
  calve_buffer_puts(out, size);
}

/* A row of the listing; the comment is what stands in the text from `comment_at` on. */
static void list_text(report *r, const char *name, size_t comment_at) {
  calve_listing_text(r->listing, calve_str_of(name));
  calve_listing_text(r->listing, (calve_str){r->text.data, comment_at});
  if (comment_at == r->text.size)
    calve_listing_null(r->listing);
  else
    calve_listing_text(r->listing,
                       (calve_str){r->text.data + comment_at, r->text.size - comment_at});
  calve_buffer_clear(&r->text);
}

static int larger_first(const void *a, const void *b) {
  const calve_partition_size *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
  return (x->rows < y->rows) - (x->rows > y->rows);
}

static void list_partitions(report *r) {
  int64_t files = 0, rows = 0, bytes = 0;
  for (size_t i = 0; i < r->count; i++) {
    const calve_partition_size *p = &r->sizes[i];
    files += p->files;
    rows += p->rows;
    bytes += p->bytes;
  }
  calve_buffer_printf(&r->text, "%zu", r->count);
  size_t comment_at = r->text.size;
  put_counts(files, rows, bytes, &r->text);
  list_text(r, "# partitions", comment_at);
  for (size_t i = 0; i < r->count && i < LISTED_MAX; i++) {
    const calve_partition_size *p = &r->sizes[i];
    const calve_spec *spec = calve_metadata_spec(r->metadata, p->spec_id);
    if (spec && spec->field_count == p->tuple_count && p->tuple_count > 0)
      calve_spec_tuple_print(spec, r->metadata->schema, p->tuple, &r->text);
    else
      calve_buffer_puts(&r->text, "not partitioned");
    comment_at = r->text.size;
    put_counts(p->files, p->rows, p->bytes, &r->text);
    calve_buffer_printf(&r->text, " (spec %" PRId32 ")", p->spec_id);
    list_text(r, "# partition", comment_at);
  }
}

/* ---- warnings --------------------------------------------------------------------------- */

static void warn_of_tiny_files(report *r) {
  char size[CALVE_SIZE_TEXT_MAX];
  int64_t target = calve_properties_i64(&r->metadata->properties, "write.target-file-size-bytes",
                                        TARGET_DEFAULT);
  int64_t mergeable = 0, alone = 0, bytes = 0;
  for (size_t i = 0; i < r->count; i++) {
    const calve_partition_size *p = &r->sizes[i];
    if (p->files == 0 || p->bytes / p->files >= target / TINY_PART) continue;
    *(p->files > 1 ? &mergeable : &alone) += p->files;
    bytes += p->bytes;
  }
  if (mergeable + alone < FILES_MANY) return;
  calve_buffer_printf(&r->text, "%" PRId64 " files are tiny: ", mergeable + alone);
  calve_size_format(bytes / (mergeable + alone), size);
  calve_buffer_puts(&r->text, size);
  calve_buffer_puts(&r->text, " on average. ");
  calve_buffer_puts(&r->text, mergeable >= alone
                                  ? "Rewriting the files of each partition into fewer, and writing "
                                    "larger batches, would make scans faster"
                                  : "Most are alone in their partition: a coarser partitioning, "
                                    "such as months instead of days, would make scans faster");
  list_text(r, "# warning", r->text.size);
}

/* A manifest may store a field in a type that is not the table's: such values are apart. */
static int by_value(const void *a, const void *b) {
  const calve_value *x = *(const calve_value *const *)a, *y = *(const calve_value *const *)b;
  if (x->type != y->type) return x->type < y->type ? -1 : 1;
  if (x->is_null || y->is_null) return y->is_null - x->is_null;
  return calve_value_compare(x, y);
}

/* Different values of the field among the partitions of its spec. */
static calve_status count_values(report *r, const calve_spec *spec, int32_t field, size_t *out,
                                 calve_error *err) {
  const calve_value **values = CALVE_NEW_ARRAY(r->x->arena, const calve_value *, r->count);
  if (!values) return calve_fail_oom(err);
  size_t count = 0, different = 0;
  for (size_t i = 0; i < r->count; i++)
    if (r->sizes[i].spec_id == spec->spec_id && r->sizes[i].tuple_count == spec->field_count)
      values[count++] = &r->sizes[i].tuple[field];
  if (count > 0) qsort(values, count, sizeof(const calve_value *), by_value);
  for (size_t i = 0; i < count; i++)
    different += i == 0 || !calve_value_equal(values[i - 1], values[i]);
  *out = different;
  return CALVE_OK;
}

static calve_status warn_of_many_values(report *r, calve_error *err) {
  const calve_spec *spec = r->metadata->spec;
  for (int32_t i = 0; i < spec->field_count; i++) {
    size_t count;
    if (spec->fields[i].transform.kind != CALVE_IDENTITY) continue;
    CALVE_TRY(count_values(r, spec, i, &count, err));
    if (count <= VALUES_MANY) continue;
    calve_buffer_printf(&r->text,
                        "partition field %.*s has %zu different values, each with files of its "
                        "own: a bucket, a truncation or a unit of time of the column has fewer",
                        CALVE_STR_ARG(spec->fields[i].name), count);
    list_text(r, "# warning", r->text.size);
  }
  return CALVE_OK;
}

calve_status calve_partition_report(calve_exec *x, calve_table *table, calve_listing *listing,
                                    calve_error *err) {
  report r = {.x = x, .metadata = calve_table_metadata(table), .listing = listing};
  const calve_partition_size *sizes;
  CALVE_TRY(calve_partition_sizes(x, table, &sizes, &r.count, err));
  if (r.count == 0) return CALVE_OK;
  calve_partition_size *sorted = CALVE_NEW_ARRAY(x->arena, calve_partition_size, r.count);
  if (!sorted) return calve_fail_oom(err);
  memcpy(sorted, sizes, r.count * sizeof *sorted);
  qsort(sorted, r.count, sizeof *sorted, larger_first);
  r.sizes = sorted;
  calve_buffer_init(&r.text, x->session->allocator);
  list_partitions(&r);
  warn_of_tiny_files(&r);
  calve_status status = warn_of_many_values(&r, err);
  if (status == CALVE_OK) status = calve_buffer_check(&r.text, err);
  calve_buffer_free(&r.text);
  return status;
}
