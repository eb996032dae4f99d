/* SPDX-License-Identifier: Apache-2.0 */
/* plan/explain: what a scan did, as text for people and as JSON.
 * In: a scan that was read to its end; the answer to a why. Out: text in a buffer. May be used by
 * data, sql, the C API. Never reads a file. The JSON's keys are those of docs/explain.md. */
#ifndef CALVE_PLAN_EXPLAIN_H
#define CALVE_PLAN_EXPLAIN_H

#include "plan/scan.h"

/* `name` is the table's. Lines end in newlines. Failed allocations stay in out->oom. */
void calve_scan_explain_text(calve_scan *scan, calve_str name, calve_buffer *out);
void calve_scan_explain_json(calve_scan *scan, calve_str name, calve_buffer *out);

/* A short name: "kept", "not-found", "deleted", "manifest", "partition", "metrics", "never". */
const char *calve_scan_verdict_name(calve_scan_verdict verdict);
/* The decision, the field and the bound that made it. `schema` is the one the filter was bound
 * to. */
void calve_scan_why_text(const calve_scan_why *why, calve_str path, const calve_schema *schema,
                         calve_buffer *out);
void calve_scan_why_json(const calve_scan_why *why, calve_str path, const calve_schema *schema,
                         calve_buffer *out);
/* The same of a partition, as it was asked for in `text`. */
void calve_scan_partition_text(const calve_scan_partition_why *why, calve_str text,
                               const calve_schema *schema, calve_buffer *out);
void calve_scan_partition_json(const calve_scan_partition_why *why, calve_str text,
                               const calve_schema *schema, calve_buffer *out);

#endif
