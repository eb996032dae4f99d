/* SPDX-License-Identifier: Apache-2.0 */
#include "cached_scan.h"

#include "base/text.h"

static void put_bytes(calve_buffer *out, const char *name, calve_str s) {
  calve_buffer_printf(out, " %s=", name);
  if (!s.data) calve_buffer_puts(out, "absent");
  for (size_t i = 0; s.data && i < s.size; i++)
    calve_buffer_printf(out, "%02x", (unsigned)(unsigned char)s.data[i]);
}

static void put_counts(calve_buffer *out, const char *name, const calve_id_i64_list *list) {
  calve_buffer_printf(out, " %s=%s", name, list->items ? "" : "absent");
  for (size_t i = 0; i < list->count; i++)
    calve_buffer_printf(out, "%d:%lld,", list->items[i].id, (long long)list->items[i].value);
}

static void put_bounds(calve_buffer *out, const char *name, const calve_id_bytes_list *list) {
  calve_buffer_printf(out, " %s=%s", name, list->items ? "" : "absent");
  for (size_t i = 0; i < list->count; i++) {
    char id[32];
    snprintf(id, sizeof id, "%d", list->items[i].id);
    put_bytes(out, id, list->items[i].value);
  }
}

static void put_file(calve_buffer *out, const calve_data_file *f) {
  put_bytes(out, "path", f->path);
  put_bytes(out, "format", f->format);
  put_bytes(out, "key", f->key_metadata);
  put_bytes(out, "referenced", f->referenced_data_file);
  calve_buffer_printf(out, " content=%d spec=%d sort=%d numbers=%lld,%lld,%lld,%lld,%lld tuple=",
                      f->content, f->spec_id, f->sort_order_id, (long long)f->record_count,
                      (long long)f->file_size_bytes, (long long)f->first_row_id,
                      (long long)f->content_offset, (long long)f->content_size_bytes);
  for (int32_t i = 0; i < f->partition_count; i++) {
    calve_buffer_printf(out, "%d:", (int)f->partition[i].type);
    calve_value_print(&f->partition[i], out);
    calve_buffer_putc(out, ',');
  }
  put_counts(out, "sizes", &f->column_sizes);
  put_counts(out, "values", &f->value_counts);
  put_counts(out, "nulls", &f->null_value_counts);
  put_counts(out, "nans", &f->nan_value_counts);
  put_bounds(out, "lower", &f->lower_bounds);
  put_bounds(out, "upper", &f->upper_bounds);
  calve_buffer_printf(out, " offsets=%s", f->split_offsets.items ? "" : "absent");
  for (size_t i = 0; i < f->split_offsets.count; i++)
    calve_buffer_printf(out, "%lld,", (long long)f->split_offsets.items[i]);
  calve_buffer_printf(out, " equality=%s", f->equality_ids.items ? "" : "absent");
  for (size_t i = 0; i < f->equality_ids.count; i++)
    calve_buffer_printf(out, "%d,", f->equality_ids.items[i]);
}

static void put_task(calve_buffer *out, const calve_scan_task *t) {
  put_file(out, &t->file);
  calve_buffer_printf(out, " sequence=%lld,%lld snapshot=%lld spec=%d wholly=%d rest=",
                      (long long)t->data_sequence_number, (long long)t->file_sequence_number,
                      (long long)t->snapshot_id, t->spec->spec_id, t->matches_wholly);
  calve_predicate_print(t->residual, out);
  for (size_t i = 0; i < t->delete_count; i++) {
    calve_buffer_printf(out, "\n  delete %lld", (long long)t->deletes[i]->data_sequence_number);
    put_file(out, &t->deletes[i]->file);
  }
  calve_buffer_putc(out, '\n');
}

static void put_report(calve_buffer *out, const calve_scan_spec_report *r) {
  const int64_t numbers[] = {r->spec_id,
                             r->manifests_total,
                             r->manifests_skipped_empty,
                             r->manifests_skipped_partition,
                             r->manifests_opened,
                             r->files_total,
                             r->rows_total,
                             r->files_in_skipped_manifests,
                             r->files_skipped_partition,
                             r->files_skipped_metrics,
                             r->files_kept,
                             r->rows_kept,
                             r->bytes_kept,
                             r->files_matching_wholly,
                             r->rows_matching_wholly,
                             r->files_with_deletes};
  for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
    calve_buffer_printf(out, "%lld ", (long long)numbers[i]);
  calve_buffer_putc(out, '\n');
}

void describe_scan(const calve_scan_params *params, calve_buffer *out) {
  calve_scan *scan = NULL;
  calve_error err = {0};
  calve_status status = calve_scan_open(params, &scan, &err);
  while (status == CALVE_OK) {
    const calve_scan_task *tasks;
    size_t count;
    status = calve_scan_next(scan, &tasks, &count, &err);
    if (status == CALVE_OK && count == 0) break;
    for (size_t i = 0; status == CALVE_OK && i < count; i++) put_task(out, &tasks[i]);
  }
  if (status == CALVE_OK) {
    const calve_scan_report *r = calve_scan_get_report(scan);
    for (size_t i = 0; i < r->spec_count; i++) put_report(out, &r->specs[i]);
    put_report(out, &r->all);
    calve_buffer_printf(out, "deletes %lld %lld %lld %lld\n", (long long)r->delete_manifests_total,
                        (long long)r->delete_manifests_opened, (long long)r->delete_files_total,
                        (long long)r->delete_files_kept);
  } else {
    calve_buffer_printf(out, "%s: %s: %s\n", calve_status_name(status), err.where, err.message);
  }
  calve_scan_close(scan);
}

static void assert_scan(const calve_scan_params *params, calve_cache *cache, const char *want) {
  calve_scan_params p = *params;
  calve_buffer got;
  p.cache = cache;
  calve_buffer_init(&got, NULL);
  describe_scan(&p, &got);
  assert_string_equal(calve_buffer_cstr(&got), want);
  calve_buffer_free(&got);
}

/* Empty, then warm; a folder is then opened by another cache. */
static void compare(const calve_scan_params *params, const char *folder, const char *want) {
  const calve_cache_config config = {.struct_size = sizeof config, .folder = folder};
  calve_error err;
  for (int round = 0; round < 2; round++) {
    calve_cache *cache = NULL;
    assert_ok(calve_cache_open(&config, &cache, &err), &err);
    assert_scan(params, cache, want);
    assert_scan(params, cache, want);
    calve_cache_free(cache);
  }
}

static void assert_same(const calve_scan_params *params, const char *folder) {
  calve_scan_params p = *params;
  for (int all = 0; all < 2; all++) {
    calve_buffer want;
    if (all) {
      p.columns = CALVE_COLUMNS_ALL;
      p.metric_ids = NULL;
      p.metric_id_count = 0;
    }
    calve_buffer_init(&want, NULL);
    describe_scan(&p, &want);
    compare(&p, folder, calve_buffer_cstr(&want));
    calve_buffer_free(&want);
  }
}

void assert_same_in_memory(const calve_scan_params *params) {
  assert_same(params, NULL);
}

void assert_same_with_caches(const calve_scan_params *params) {
  char folder[256];
  make_temp_dir(folder);
  assert_same(params, NULL);
  assert_same(params, folder);
  remove_temp_dir(folder);
}
