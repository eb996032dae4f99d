/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/limits.h"
#include "base/number.h"
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

static void put_count(calve_buffer *out, const int64_t *count, const char *one, const char *many) {
  if (count) calve_buffer_printf(out, " %" PRId64 " %s,", *count, *count == 1 ? one : many);
}

/* What is known about a column: "x: 5 values, 0 null, bounds 7 to 9". */
static void put_column(const calve_schema_node *node, const calve_data_file *f, calve_buffer *out) {
  const calve_field *field = node->field;
  const calve_str *lower = calve_id_bytes_find(&f->lower_bounds, field->id);
  const calve_str *upper = calve_id_bytes_find(&f->upper_bounds, field->id);
  calve_buffer_printf(out, "%.*s:", CALVE_STR_ARG(node->full_name));
  put_count(out, calve_id_i64_find(&f->value_counts, field->id), "value", "values");
  put_count(out, calve_id_i64_find(&f->null_value_counts, field->id), "null", "null");
  put_count(out, calve_id_i64_find(&f->nan_value_counts, field->id), "NaN", "NaN");
  if (!lower && !upper) {
    calve_buffer_puts(out, " no bounds");
    return;
  }
  calve_buffer_puts(out, " bounds ");
  put_bound(field->type, lower, out);
  calve_buffer_puts(out, " to ");
  put_bound(field->type, upper, out);
}

/* Whether some leaf is about the column of a slot. */
static bool is_about(const calve_predicate *p, int32_t slot, int depth) {
  if (calve_predicate_is_leaf(p)) return p->term.node && p->term.slot == slot;
  if (p->op != CALVE_OP_AND && p->op != CALVE_OP_OR && p->op != CALVE_OP_NOT) return false;
  for (size_t i = 0; i < p->count && depth < CALVE_DEPTH_MAX; i++)
    if (is_about(p->children[i], slot, depth + 1)) return true;
  return false;
}

/* The facts that the decision rests on, one line: the tuple, or the columns that can't meet the
 * condition; of a file that is read all there is. */
static void put_evidence(const calve_scan_why *why, const calve_schema *schema, calve_buffer *out) {
  const calve_bound *condition = why->condition;
  bool partitioned = why->spec && why->spec->field_count > 0, any = false;
  bool by_columns = why->verdict == CALVE_VERDICT_METRICS || why->verdict == CALVE_VERDICT_KEPT;
  if (why->verdict != CALVE_VERDICT_METRICS && partitioned) {
    calve_spec_tuple_print(why->spec, schema, why->entry.file.partition, out);
    any = true;
  }
  const calve_predicate *about = why->because ? why->because : condition ? condition->root : NULL;
  for (size_t i = 0; by_columns && about && i < condition->column_count; i++) {
    if (!is_about(about, (int32_t)i, 0)) continue;
    if (any) calve_buffer_puts(out, "; ");
    put_column(condition->columns[i].node, &why->entry.file, out);
    any = true;
  }
  if (!any) calve_buffer_puts(out, "unpartitioned");
}

static void put_reason(const calve_scan_why *why, const calve_schema *schema, const char *indent,
                       calve_buffer *out) {
  if (why->because) {
    calve_buffer_printf(out, "%scan't hold: ", indent);
    calve_predicate_print(why->because, out);
    calve_buffer_putc(out, '\n');
  }
  calve_buffer_printf(out, "%sknown: ", indent);
  put_evidence(why, schema, out);
  calve_buffer_putc(out, '\n');
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
  static const char wholly[] = "is read, and matches wholly: each of its rows meets the condition";
  calve_buffer_put_str(out, path);
  calve_buffer_printf(out, " %s\n", why->matches_wholly ? wholly : sentences[why->verdict]);
  if (why->verdict == CALVE_VERDICT_NOT_FOUND) return;
  put_reason(why, schema, "  ", out);
  calve_buffer_printf(out, "  manifest: %.*s, spec %" PRId32 ", entry %" PRId64 "\n",
                      CALVE_STR_ARG(why->manifest.path), why->entry.file.spec_id,
                      why->entry.position);
}

static void write_reason(calve_json_writer *w, const calve_scan_why *why,
                         const calve_schema *schema, calve_buffer *text) {
  calve_json_write_key(w, "because");
  calve_buffer_clear(text);
  if (why->because) {
    calve_predicate_print(why->because, text);
    calve_json_write_str(w, calve_buffer_view(text));
  } else {
    calve_json_write_null(w);
  }
  calve_buffer_clear(text);
  put_evidence(why, schema, text);
  calve_json_write_key(w, "known");
  calve_json_write_str(w, calve_buffer_view(text));
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
    calve_json_write_key(&w, "matches-wholly");
    calve_json_write_bool(&w, why->matches_wholly);
    write_reason(&w, why, schema, &text);
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

/* ---- partitions ----------------------------------------------------------------------------- */

static const calve_scan_verdict in_order[] = {CALVE_VERDICT_KEPT, CALVE_VERDICT_METRICS,
                                              CALVE_VERDICT_PARTITION,
                                              CALVE_VERDICT_MANIFEST_SKIPPED, CALVE_VERDICT_NEVER};
#define IN_ORDER_COUNT (sizeof in_order / sizeof *in_order)

void calve_scan_partition_text(const calve_scan_partition_why *why, calve_str text,
                               const calve_schema *schema, calve_buffer *out) {
  static const char *const sentences[][2] = {
      [CALVE_VERDICT_KEPT] = {"is read", "are read"},
      [CALVE_VERDICT_MANIFEST_SKIPPED] =
          {"is skipped with its manifest by partition summaries",
           "are skipped with their manifests by partition summaries"},
      [CALVE_VERDICT_PARTITION] = {"is skipped by its partition", "are skipped by their partition"},
      [CALVE_VERDICT_METRICS] = {"is skipped by column metrics", "are skipped by column metrics"},
      [CALVE_VERDICT_NEVER] = {"is skipped like all files: no row can meet the condition",
                               "are skipped like all files: no row can meet the condition"},
  };
  int64_t files = 0, rows = 0;
  for (size_t i = 0; i < IN_ORDER_COUNT; i++) {
    files = calve_sum(files, why->files[in_order[i]]);
    rows = calve_sum(rows, why->rows[in_order[i]]);
  }
  calve_buffer_put_str(out, text);
  calve_buffer_printf(out, ": %" PRId64 " file%s, %" PRId64 " row%s\n", files,
                      files == 1 ? "" : "s", rows, rows == 1 ? "" : "s");
  for (size_t i = 0; i < IN_ORDER_COUNT; i++) {
    calve_scan_verdict verdict = in_order[i];
    int64_t count = why->files[verdict];
    if (count == 0) continue;
    calve_buffer_printf(out, "  %" PRId64 " file%s %s", count, count == 1 ? "" : "s",
                        sentences[verdict][count > 1]);
    if (verdict == CALVE_VERDICT_KEPT && why->files_matching_wholly > 0)
      calve_buffer_printf(out, "; %" PRId64 " match%s wholly", why->files_matching_wholly,
                          why->files_matching_wholly == 1 ? "es" : "");
    calve_buffer_puts(out, count > 1 ? ", such as " : ": ");
    calve_buffer_put_str(out, why->first[verdict].entry.file.path);
    calve_buffer_putc(out, '\n');
    put_reason(&why->first[verdict], schema, "    ", out);
  }
}

void calve_scan_partition_json(const calve_scan_partition_why *why, calve_str text,
                               const calve_schema *schema, calve_buffer *out) {
  calve_buffer piece;
  calve_json_writer w;
  calve_buffer_init(&piece, out->allocator);
  calve_json_write_init(&w, out, 2);
  calve_json_write_begin(&w, '{');
  calve_json_write_key(&w, "partition");
  calve_json_write_str(&w, text);
  calve_json_write_key(&w, "files-matching-wholly");
  calve_json_write_i64(&w, why->files_matching_wholly);
  calve_json_write_key(&w, "decisions");
  calve_json_write_begin(&w, '[');
  for (size_t i = 0; i < IN_ORDER_COUNT; i++) {
    calve_scan_verdict verdict = in_order[i];
    if (why->files[verdict] == 0) continue;
    calve_json_write_begin(&w, '{');
    calve_json_write_key(&w, "verdict");
    calve_json_write_str(&w, calve_str_of(calve_scan_verdict_name(verdict)));
    calve_json_write_key(&w, "files");
    calve_json_write_i64(&w, why->files[verdict]);
    calve_json_write_key(&w, "rows");
    calve_json_write_i64(&w, why->rows[verdict]);
    calve_json_write_key(&w, "example");
    calve_json_write_str(&w, why->first[verdict].entry.file.path);
    write_reason(&w, &why->first[verdict], schema, &piece);
    calve_json_write_end(&w, '}');
  }
  calve_json_write_end(&w, ']');
  calve_json_write_end(&w, '}');
  calve_buffer_putc(out, '\n');
  out->oom = out->oom || piece.oom;
  calve_buffer_free(&piece);
}
