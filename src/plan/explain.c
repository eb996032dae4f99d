/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/explain.h"

#include <inttypes.h>

#include "base/calendar.h"
#include "base/number.h"
#include "base/text.h"
#include "codec/json.h"

/* ---- text ----------------------------------------------------------------------------------- */

static void put_share(calve_buffer *out, const char *what, int64_t part, int64_t whole) {
  calve_buffer_printf(out, "    %" PRId64 " of %" PRId64 " %s", part, whole, what);
}

static void put_skipped(calve_buffer *out, int64_t count, const char *cause) {
  if (count > 0) calve_buffer_printf(out, ", %" PRId64 " skipped %s", count, cause);
}

static void put_spec_name(calve_buffer *out, const calve_scan_spec_report *r) {
  if (!r->spec) {
    calve_buffer_puts(out, "  specs that the metadata lacks: nothing is skipped\n");
    return;
  }
  calve_buffer_printf(out, "  spec %" PRId32 " [", r->spec_id);
  for (int32_t i = 0; i < r->spec->field_count; i++) {
    if (i > 0) calve_buffer_puts(out, ", ");
    calve_buffer_put_str(out, r->spec->fields[i].name);
  }
  if (r->spec->field_count == 0) calve_buffer_puts(out, "unpartitioned");
  calve_buffer_puts(out, "]: ");
  calve_predicate_print(r->projected, out);
  calve_buffer_putc(out, '\n');
}

static void put_counts(calve_buffer *out, const calve_scan_spec_report *r) {
  char size[CALVE_SIZE_TEXT_MAX];
  put_share(out, "manifests opened", r->manifests_opened, r->manifests_total);
  put_skipped(out, r->manifests_skipped_partition, "by partition summaries");
  put_skipped(out, r->manifests_skipped_empty, "without live files");
  calve_buffer_putc(out, '\n');
  put_share(out, "files kept", r->files_kept, r->files_total);
  put_skipped(out, r->files_in_skipped_manifests, "with their manifests");
  put_skipped(out, r->files_skipped_partition, "by partition");
  put_skipped(out, r->files_skipped_metrics, "by column metrics");
  calve_buffer_putc(out, '\n');
  put_share(out, "rows to read, ", r->rows_kept, r->rows_total);
  calve_size_format(r->bytes_kept, size);
  calve_buffer_puts(out, size);
  if (r->files_matching_wholly > 0) {
    calve_buffer_printf(out, "; %" PRId64 " file%s wholly", r->files_matching_wholly,
                        r->files_matching_wholly == 1 ? " matches" : "s match");
  }
  if (r->files_with_deletes > 0) {
    calve_buffer_printf(out, "; %" PRId64 " with deletes", r->files_with_deletes);
  }
  calve_buffer_putc(out, '\n');
}

/* One line each, whatever lines they were written in. */
static void put_unused(const calve_scan_report *r, calve_buffer *out) {
  for (size_t i = 0; i < r->unused_count; i++) {
    calve_buffer_puts(out, "  not used for planning: ");
    for (size_t at = 0; at < r->unused[i].size; at++) {
      char c = r->unused[i].data[at];
      calve_buffer_putc(out, (unsigned char)c < 0x20 ? ' ' : c);
    }
    calve_buffer_putc(out, '\n');
  }
}

void calve_scan_explain_text(calve_scan *scan, calve_str name, calve_buffer *out) {
  const calve_scan_report *report = calve_scan_get_report(scan);
  const calve_snapshot *s = calve_scan_snapshot(scan);
  calve_buffer_put_str(out, name);
  if (s) {
    char when[CALVE_TIME_TEXT_MAX];
    calve_timestamp_ms_format(s->timestamp_ms, when);
    calve_buffer_printf(out, ": snapshot %" PRId64 " of %s\n", s->snapshot_id, when);
  } else {
    calve_buffer_puts(out, ": no snapshot yet\n");
  }
  if (report->snapshots_between > 0)
    calve_buffer_printf(out, "  appended rows: %" PRId64 " of %" PRId64 " commits are appends\n",
                        report->snapshots_appending, report->snapshots_between);
  calve_buffer_puts(out, "  filter: ");
  calve_predicate_print(calve_scan_filter(scan)->root, out);
  calve_buffer_puts(out,
                    report->nothing_matches ? "\n  no row can meet it: nothing is opened\n" : "\n");
  put_unused(report, out);
  for (size_t i = 0; i < report->spec_count; i++) {
    if (report->specs[i].manifests_total == 0) continue;
    put_spec_name(out, &report->specs[i]);
    put_counts(out, &report->specs[i]);
  }
  if (report->spec_count > 1) {
    calve_buffer_puts(out, "  all specs\n");
    put_counts(out, &report->all);
  }
  if (report->ended_by_limit)
    calve_buffer_puts(out, "  ended by the limit: these files have enough rows\n");
  if (report->delete_manifests_total > 0) {
    calve_buffer_puts(out, "  deletes\n");
    put_share(out, "delete manifests opened", report->delete_manifests_opened,
              report->delete_manifests_total);
    calve_buffer_putc(out, '\n');
    put_share(out, "delete files kept", report->delete_files_kept, report->delete_files_total);
    calve_buffer_putc(out, '\n');
  }
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void write_number(calve_json_writer *w, const char *key, int64_t value) {
  calve_json_write_key(w, key);
  calve_json_write_i64(w, value);
}

/* A whole condition as a JSON string. */
static void write_predicate(calve_json_writer *w, const char *key, const calve_predicate *p) {
  calve_buffer text;
  calve_buffer_init(&text, w->out->allocator);
  calve_predicate_print_sql(p, &text);
  calve_json_write_key(w, key);
  calve_json_write_str(w, calve_buffer_view(&text));
  w->out->oom = w->out->oom || text.oom;
  calve_buffer_free(&text);
}

static void write_counts(calve_json_writer *w, const calve_scan_spec_report *r) {
  write_number(w, "manifests-total", r->manifests_total);
  write_number(w, "manifests-opened", r->manifests_opened);
  write_number(w, "manifests-skipped-by-partition", r->manifests_skipped_partition);
  write_number(w, "manifests-skipped-empty", r->manifests_skipped_empty);
  write_number(w, "files-total", r->files_total);
  write_number(w, "files-kept", r->files_kept);
  write_number(w, "files-in-skipped-manifests", r->files_in_skipped_manifests);
  write_number(w, "files-skipped-by-partition", r->files_skipped_partition);
  write_number(w, "files-skipped-by-metrics", r->files_skipped_metrics);
  write_number(w, "files-matching-wholly", r->files_matching_wholly);
  write_number(w, "files-with-deletes", r->files_with_deletes);
  write_number(w, "rows-total", r->rows_total);
  write_number(w, "rows-kept", r->rows_kept);
  write_number(w, "rows-matching-wholly", r->rows_matching_wholly);
  write_number(w, "bytes-kept", r->bytes_kept);
}

void calve_scan_explain_json(calve_scan *scan, calve_str name, calve_buffer *out) {
  const calve_scan_report *report = calve_scan_get_report(scan);
  const calve_snapshot *s = calve_scan_snapshot(scan);
  calve_json_writer w;
  calve_json_write_init(&w, out, 2);
  calve_json_write_begin(&w, '{');
  calve_json_write_key(&w, "table");
  calve_json_write_str(&w, name);
  calve_json_write_key(&w, "snapshot-id");
  if (s)
    calve_json_write_i64(&w, s->snapshot_id);
  else
    calve_json_write_null(&w);
  write_number(&w, "schema-id", calve_scan_schema(scan)->schema_id);
  write_predicate(&w, "filter", calve_scan_filter(scan)->root);
  calve_json_write_key(&w, "not-used-for-planning");
  calve_json_write_begin(&w, '[');
  for (size_t i = 0; i < report->unused_count; i++) calve_json_write_str(&w, report->unused[i]);
  calve_json_write_end(&w, ']');
  if (report->snapshots_between > 0) {
    write_number(&w, "commits", report->snapshots_between);
    write_number(&w, "appending-commits", report->snapshots_appending);
  }
  calve_json_write_key(&w, "ended-by-limit");
  calve_json_write_bool(&w, report->ended_by_limit);
  calve_json_write_key(&w, "nothing-matches");
  calve_json_write_bool(&w, report->nothing_matches);
  calve_json_write_key(&w, "specs");
  calve_json_write_begin(&w, '[');
  for (size_t i = 0; i < report->spec_count; i++) {
    const calve_scan_spec_report *r = &report->specs[i];
    if (r->manifests_total == 0) continue;
    calve_json_write_begin(&w, '{');
    write_number(&w, "spec-id", r->spec_id);
    write_predicate(&w, "projected", r->projected);
    write_counts(&w, r);
    calve_json_write_end(&w, '}');
  }
  calve_json_write_end(&w, ']');
  calve_json_write_key(&w, "all");
  calve_json_write_begin(&w, '{');
  write_counts(&w, &report->all);
  calve_json_write_end(&w, '}');
  calve_json_write_key(&w, "deletes");
  calve_json_write_begin(&w, '{');
  write_number(&w, "manifests-total", report->delete_manifests_total);
  write_number(&w, "manifests-opened", report->delete_manifests_opened);
  write_number(&w, "files-total", report->delete_files_total);
  write_number(&w, "files-kept", report->delete_files_kept);
  calve_json_write_end(&w, '}');
  calve_json_write_end(&w, '}');
  calve_buffer_putc(out, '\n');
}
