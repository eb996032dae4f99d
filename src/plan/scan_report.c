/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "plan/scan_parts.h"

static calve_scan_spec_report *report_of(calve_scan *scan, int32_t spec_id) {
  for (size_t i = 0; i < scan->judge.spec_count; i++) {
    if (scan->spec_reports[i].spec_id == spec_id) return &scan->spec_reports[i];
  }
  return &scan->spec_reports[scan->judge.spec_count];
}

static void add(calve_scan_spec_report *to, const calve_scan_spec_report *from) {
  to->manifests_total += from->manifests_total;
  to->manifests_skipped_empty += from->manifests_skipped_empty;
  to->manifests_skipped_partition += from->manifests_skipped_partition;
  to->manifests_opened += from->manifests_opened;
  to->files_total = calve_sum(to->files_total, from->files_total);
  to->rows_total = calve_sum(to->rows_total, from->rows_total);
  to->files_in_skipped_manifests =
      calve_sum(to->files_in_skipped_manifests, from->files_in_skipped_manifests);
  to->files_skipped_partition += from->files_skipped_partition;
  to->files_skipped_metrics += from->files_skipped_metrics;
  to->files_kept += from->files_kept;
  to->rows_kept = calve_sum(to->rows_kept, from->rows_kept);
  to->bytes_kept = calve_sum(to->bytes_kept, from->bytes_kept);
  to->files_matching_wholly += from->files_matching_wholly;
  to->rows_matching_wholly = calve_sum(to->rows_matching_wholly, from->rows_matching_wholly);
  to->files_with_deletes += from->files_with_deletes;
}

void calve_plan__count(calve_scan *scan, const calve_scan_spec_report *counts) {
  add(report_of(scan, counts->spec_id), counts);
}

static int64_t known(int64_t count) {
  return count == CALVE_UNSET ? 0 : count;
}

/* Whether to open a manifest; counts it when not. */
static bool is_wanted(calve_scan *scan, const calve_manifest_file *m,
                      calve_scan_spec_report *counts) {
  counts->spec_id = m->spec_id;
  counts->manifests_total = 1;
  if (!calve_manifest_may_have_live_files(m)) {
    counts->manifests_skipped_empty = 1;
    return false;
  }
  const calve_plan__spec *s = calve_plan__judge_spec(&scan->judge, m->spec_id);
  bool keeps = !scan->judge.matches_none &&
               calve_manifest_might_match(s->inclusive, m->partitions, m->partition_count, NULL);
  if (keeps) return true;
  counts->manifests_skipped_partition = 1;
  bool all = !scan->appended;
  int64_t old_files = all ? known(m->existing_files_count) : 0;
  int64_t old_rows = all ? known(m->existing_rows_count) : 0;
  counts->files_in_skipped_manifests = calve_sum(known(m->added_files_count), old_files);
  counts->files_total = counts->files_in_skipped_manifests;
  counts->rows_total = calve_sum(known(m->added_rows_count), old_rows);
  return false;
}

calve_status calve_plan__choose(calve_scan *scan, const calve_manifest_file *all, size_t count,
                                calve_error *err) {
  size_t reports = scan->judge.spec_count + 1;
  scan->spec_reports = CALVE_NEW_ARRAY(&scan->arena, calve_scan_spec_report, reports);
  scan->data = CALVE_NEW_ARRAY(&scan->arena, const calve_manifest_file *, count);
  scan->deletes = CALVE_NEW_ARRAY(&scan->arena, const calve_manifest_file *, count);
  if (!scan->spec_reports || !scan->data || !scan->deletes) return calve_fail_oom(err);
  for (size_t i = 0; i < reports; i++) {
    bool is_known = i < scan->judge.spec_count;
    const calve_plan__spec *s = is_known ? &scan->judge.specs[i] : &scan->judge.unknown_spec;
    scan->spec_reports[i].spec_id = is_known ? s->spec->spec_id : -1;
    scan->spec_reports[i].spec = s->spec;
    scan->spec_reports[i].projected = s->inclusive;
  }
  for (size_t i = 0; i < count; i++) {
    calve_scan_spec_report counts = {0};
    bool wanted = is_wanted(scan, &all[i], &counts);
    if (all[i].content == CALVE_MANIFEST_DELETES) {
      scan->report.delete_manifests_total++;
      scan->report.delete_files_total += counts.files_in_skipped_manifests;
      if (wanted) scan->deletes[scan->delete_count++] = &all[i];
    } else {
      /* An inline manifest of version 1 shows its spec when it is opened. */
      calve_plan__count(scan, &counts);
      if (wanted) scan->data[scan->data_count++] = &all[i];
    }
  }
  if (scan->data_count == 0) scan->delete_count = 0;
  return CALVE_OK;
}

const calve_scan_report *calve_scan_get_report(calve_scan *scan) {
  calve_scan_report *r = &scan->report;
  size_t known_count = scan->judge.spec_count;
  bool has_unknown = scan->spec_reports && scan->spec_reports[known_count].manifests_total > 0;
  r->specs = scan->spec_reports;
  r->spec_count = scan->spec_reports ? known_count + has_unknown : 0;
  r->nothing_matches = scan->judge.matches_none;
  r->unused = scan->params.unused;
  r->unused_count = scan->params.unused_count;
  r->all = (calve_scan_spec_report){.spec_id = -1, .projected = scan->judge.bound->root};
  for (size_t i = 0; i < r->spec_count; i++) add(&r->all, &scan->spec_reports[i]);
  return r;
}
