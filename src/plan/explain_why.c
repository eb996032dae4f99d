/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/text.h"
#include "codec/json.h"
#include "plan/explain.h"

const char *calve_scan_verdict_name(calve_scan_verdict verdict) {
  switch (verdict) {
    case CALVE_VERDICT_KEPT:
      return "kept";
    case CALVE_VERDICT_DELETED:
      return "deleted";
    case CALVE_VERDICT_MANIFEST_SKIPPED:
      return "manifest";
    case CALVE_VERDICT_PARTITION:
      return "partition";
    case CALVE_VERDICT_METRICS:
      return "metrics";
    case CALVE_VERDICT_NEVER:
      return "never";
    case CALVE_VERDICT_NOT_FOUND:
      break;
  }
  return "not-found";
}

static void put_bound(const calve_type *type, const calve_str *bytes, calve_buffer *out) {
  calve_value v;
  if (bytes && calve_value_from_bytes(type, *bytes, &v, NULL) == CALVE_OK) {
    calve_value_print(&v, out);
  } else {
    calve_buffer_puts(out, bytes ? "unreadable" : "unknown");
  }
}

/* What is known about the column that the condition is about: "x: 5 values, 0 null, 7 to 9". */
static void put_column(const calve_scan_why *why, calve_buffer *out) {
  const calve_predicate *p = why->because;
  if (!p || !calve_predicate_is_leaf(p) || !p->term.node) return;
  const calve_field *field = p->term.node->field;
  const calve_data_file *f = &why->entry.file;
  const int64_t *values = calve_id_i64_find(&f->value_counts, field->id);
  const int64_t *nulls = calve_id_i64_find(&f->null_value_counts, field->id);
  const calve_str *lower = calve_id_bytes_find(&f->lower_bounds, field->id);
  const calve_str *upper = calve_id_bytes_find(&f->upper_bounds, field->id);
  calve_buffer_printf(out, "%.*s:", CALVE_STR_ARG(p->term.node->full_name));
  if (values) calve_buffer_printf(out, " %" PRId64 " values,", *values);
  if (nulls) calve_buffer_printf(out, " %" PRId64 " null,", *nulls);
  calve_buffer_puts(out, " bounds ");
  put_bound(field->type, lower, out);
  calve_buffer_puts(out, " to ");
  put_bound(field->type, upper, out);
}

/* The facts that the decision rests on, one line. */
static void put_evidence(const calve_scan_why *why, const calve_schema *schema, calve_buffer *out) {
  if (why->verdict == CALVE_VERDICT_METRICS) {
    put_column(why, out);
  } else if (why->spec && why->spec->field_count > 0) {
    calve_spec_tuple_print(why->spec, schema, why->entry.file.partition, out);
  } else {
    calve_buffer_puts(out, "unpartitioned");
  }
}

void calve_scan_why_text(const calve_scan_why *why, calve_str path, const calve_schema *schema,
                         calve_buffer *out) {
  static const char *const sentences[] = {
      [CALVE_VERDICT_KEPT] = "is read: nothing known about it rules its rows out",
      [CALVE_VERDICT_NOT_FOUND] = "is no live file of the snapshot",
      [CALVE_VERDICT_DELETED] = "was removed: its entry says DELETED",
      [CALVE_VERDICT_MANIFEST_SKIPPED] = "is skipped with its manifest by partition summaries",
      [CALVE_VERDICT_PARTITION] = "is skipped by its partition",
      [CALVE_VERDICT_METRICS] = "is skipped by column metrics",
      [CALVE_VERDICT_NEVER] = "is skipped like all files: no row can meet the condition",
  };
  calve_buffer_put_str(out, path);
  calve_buffer_printf(out, " %s\n", sentences[why->verdict]);
  if (why->verdict == CALVE_VERDICT_NOT_FOUND) return;
  if (why->because) {
    calve_buffer_puts(out, "  can't hold: ");
    calve_predicate_print(why->because, out);
    calve_buffer_putc(out, '\n');
  }
  calve_buffer_puts(out, "  known: ");
  put_evidence(why, schema, out);
  calve_buffer_printf(out, "\n  manifest: %.*s, spec %" PRId32 ", entry %" PRId64 "\n",
                      CALVE_STR_ARG(why->manifest.path), why->entry.file.spec_id,
                      why->entry.position);
}

void calve_scan_why_json(const calve_scan_why *why, calve_str path, const calve_schema *schema,
                         calve_buffer *out) {
  calve_buffer text;
  calve_json_writer w;
  calve_buffer_init(&text, out->allocator);
  calve_json_write_init(&w, out, 2);
  calve_json_write_begin(&w, '{');
  calve_json_write_key(&w, "file");
  calve_json_write_str(&w, path);
  calve_json_write_key(&w, "verdict");
  calve_json_write_str(&w, calve_str_of(calve_scan_verdict_name(why->verdict)));
  if (why->verdict != CALVE_VERDICT_NOT_FOUND) {
    calve_json_write_key(&w, "because");
    if (why->because) {
      calve_predicate_print_sql(why->because, &text);
      calve_json_write_str(&w, calve_buffer_view(&text));
    } else {
      calve_json_write_null(&w);
    }
    calve_buffer_clear(&text);
    put_evidence(why, schema, &text);
    calve_json_write_key(&w, "known");
    calve_json_write_str(&w, calve_buffer_view(&text));
    calve_json_write_key(&w, "manifest");
    calve_json_write_str(&w, why->manifest.path);
    calve_json_write_key(&w, "spec-id");
    calve_json_write_i64(&w, why->entry.file.spec_id);
    calve_json_write_key(&w, "entry");
    calve_json_write_i64(&w, why->entry.position);
  }
  calve_json_write_end(&w, '}');
  calve_buffer_putc(out, '\n');
  out->oom = out->oom || text.oom;
  calve_buffer_free(&text);
}
