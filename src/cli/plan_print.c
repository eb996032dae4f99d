/* SPDX-License-Identifier: Apache-2.0 */
/* What calve plan prints of tasks and groups: a table, CSV, or JSON (docs/plan.md has its keys). */
#include <inttypes.h>

#include "cli/cli.h"

/* ---- JSON --------------------------------------------------------------------------------- */

static void json_key(cli_text *out, const char *key) {
  cli_text_puts(out, ", \"");
  cli_text_puts(out, key);
  cli_text_puts(out, "\": ");
}

/* By hand: millions of files have some of them each. */
static void json_number(cli_text *out, const char *key, int64_t value) {
  char digits[24], *at = digits + sizeof digits;
  uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do *--at = (char)('0' + left % 10);
  while ((left /= 10) > 0);
  if (value < 0) *--at = '-';
  json_key(out, key);
  cli_text_put(out, at, (size_t)(digits + sizeof digits - at));
}

static void json_number_or_null(cli_text *out, const char *key, int64_t value) {
  if (value >= 0) {
    json_number(out, key, value);
    return;
  }
  json_key(out, key);
  cli_text_puts(out, "null");
}

static void json_string(cli_text *out, const char *key, calve_str value) {
  json_key(out, key);
  cli_text_json_string(out, value.data, value.size);
}

static void put_delete(cli_text *out, const calve_plan_delete *d) {
  cli_text_puts(out, "{\"file_path\": ");
  cli_text_json_string(out, d->path.data, d->path.size);
  json_string(out, "file_format", d->format);
  cli_text_printf(out, ", \"content\": \"%s-deletes\"", d->content == 2 ? "equality" : "position");
  json_number(out, "data_sequence_number", d->data_sequence_number);
  json_number(out, "record_count", d->record_count);
  json_number(out, "file_size_in_bytes", d->file_size_bytes);
  if (d->content == 2) {
    cli_text_puts(out, ", \"equality_ids\": [");
    for (size_t i = 0; i < d->equality_id_count; i++)
      cli_text_printf(out, i > 0 ? ", %" PRId32 : "%" PRId32, d->equality_ids[i]);
    cli_text_puts(out, "]");
  }
  if (d->content_offset >= 0) {
    json_number(out, "content_offset", d->content_offset);
    json_number(out, "content_size_in_bytes", d->content_size_bytes);
  }
  cli_text_puts(out, "}");
}

static calve_status put_json(cli_text *out, const calve_plan_task *t, const calve_plan_piece *piece,
                             calve_str partition, calve_str residual, calve_error *err) {
  cli_text_puts(out, "{\"file_path\": ");
  cli_text_json_string(out, t->path.data, t->path.size);
  json_string(out, "file_format", t->format);
  if (piece) {
    json_number(out, "offset", piece->offset_bytes);
    json_number(out, "length", piece->length_bytes);
  }
  json_number(out, "spec_id", t->spec_id);
  cli_text_puts(out, ", \"partition\": ");
  cli_text_put(out, partition.data, partition.size);
  json_number(out, "record_count", t->record_count);
  json_number(out, "file_size_in_bytes", t->file_size_bytes);
  json_number(out, "data_sequence_number", t->data_sequence_number);
  json_number_or_null(out, "first_row_id", t->first_row_id);
  json_number_or_null(out, "sort_order_id", t->sort_order_id);
  json_string(out, "residual", residual);
  json_key(out, "matches_wholly");
  cli_text_puts(out, t->matches_wholly ? "true" : "false");
  cli_text_puts(out, ", \"delete_files\": [");
  for (size_t i = 0; i < t->delete_count; i++) {
    calve_plan_delete d = {.struct_size = sizeof d};
    calve_status status = calve_plan_task_delete(t, i, &d, err);
    if (status != CALVE_OK) return status;
    if (i > 0) cli_text_puts(out, ", ");
    put_delete(out, &d);
  }
  cli_text_puts(out, "]}");
  return CALVE_OK;
}

/* ---- rows --------------------------------------------------------------------------------- */

static void put_csv(const cli_plan_printer *p, const calve_plan_task *t,
                    const calve_plan_piece *piece, calve_str partition, calve_str residual) {
  cli_text *out = p->line;
  if (piece) cli_text_printf(out, "%" PRId64 ",", p->groups);
  cli_text_csv_field(out, t->path.data, t->path.size);
  if (piece)
    cli_text_printf(out, ",%" PRId64 ",%" PRId64, piece->offset_bytes, piece->length_bytes);
  cli_text_printf(out, ",%" PRId64 ",%" PRId64 ",%" PRId32 ",", t->record_count, t->file_size_bytes,
                  t->spec_id);
  cli_text_csv_field(out, partition.data, partition.size);
  cli_text_put(out, ",", 1);
  cli_text_csv_field(out, residual.data, residual.size);
  cli_text_put(out, "\n", 1);
}

static void put_row(const cli_plan_printer *p, const calve_plan_task *t,
                    const calve_plan_piece *piece, calve_str partition) {
  cli_text *out = p->line;
  if (piece)
    cli_text_printf(out, "%6" PRId64 " %14" PRId64 " %14" PRId64 "  ", p->groups,
                    piece->offset_bytes, piece->length_bytes);
  else
    cli_text_printf(out, "%12" PRId64 " %14" PRId64 "  ", t->record_count, t->file_size_bytes);
  cli_text_printf(out, "%4" PRId32 "  ", t->spec_id);
  cli_text_visible(out, partition.data, partition.size, false);
  cli_text_puts(out, partition.size > 0 ? "  " : "-  ");
  cli_text_visible(out, t->path.data, t->path.size, false);
  cli_text_put(out, "\n", 1);
}

/* ---- tasks and groups ---------------------------------------------------------------------- */

void cli_plan_print_head(const cli_plan_printer *p) {
  bool groups = p->options->groups;
  if (p->options->format == CLI_JSON)
    putchar('[');
  else if (p->options->format == CLI_CSV)
    puts(groups ? "group,file_path,offset,length,record_count,file_size_in_bytes,spec_id,"
                  "partition,residual"
                : "file_path,record_count,file_size_in_bytes,spec_id,partition,residual");
  else if (groups)
    printf("%6s %14s %14s  %4s  partition and file\n", "group", "offset", "length", "spec");
  else
    printf("%12s %14s  %4s  partition and file\n", "rows", "bytes", "spec");
}

calve_status cli_plan_print_task(cli_plan_printer *p, const calve_plan_task *t,
                                 const calve_plan_piece *piece, calve_error *err) {
  calve_str partition, residual;
  bool json = p->options->format == CLI_JSON;
  calve_status status = calve_plan_task_partition(p->plan, t, json, &partition, err);
  if (status == CALVE_OK) status = calve_plan_task_residual(p->plan, t, &residual, err);
  if (status != CALVE_OK) return status;
  p->line->size = 0;
  if (json) {
    cli_text_puts(p->line, p->rows > 0 ? ",\n" : "\n");
    status = put_json(p->line, t, piece, partition, residual, err);
  } else if (p->options->format == CLI_CSV) {
    put_csv(p, t, piece, partition, residual);
  } else {
    put_row(p, t, piece, partition);
  }
  p->rows++;
  if (status == CALVE_OK) fwrite(p->line->data, 1, p->line->size, stdout);
  return status;
}

typedef struct group_visit {
  cli_plan_printer *p;
  calve_status status;
  calve_error *err;
} group_visit;

static bool print_group(void *ctx, const calve_plan_piece *pieces, size_t count) {
  group_visit *v = ctx;
  bool json = v->p->options->format == CLI_JSON;
  if (json) fputs(v->p->groups > 0 ? ",\n[" : "\n[", stdout);
  if (json) v->p->rows = 0;
  for (size_t i = 0; i < count && v->status == CALVE_OK; i++)
    v->status = cli_plan_print_task(v->p, pieces[i].task, &pieces[i], v->err);
  if (json) fputs("\n]", stdout);
  v->p->groups++;
  return v->status == CALVE_OK && !v->p->line->failed;
}

calve_status cli_plan_print_groups(cli_plan_printer *p, calve_error *err) {
  group_visit v = {.p = p, .err = err};
  calve_status status = calve_plan_groups(p->plan, NULL, print_group, &v, err);
  return status == CALVE_OK ? v.status : status;
}

void cli_plan_print_tail(const cli_plan_printer *p) {
  bool any = p->options->groups ? p->groups > 0 : p->rows > 0;
  if (p->options->format == CLI_JSON) puts(any ? "\n]" : "]");
  if (p->options->format != CLI_TABLE || p->options->quiet) return;
  calve_plan_counts c = {.struct_size = sizeof c};
  if (calve_plan_get_counts(p->plan, &c, NULL) != CALVE_OK) return;
  if (c.nothing_matches) {
    puts("(no file: the condition can't match, and nothing was opened)");
    return;
  }
  printf("(");
  if (p->options->groups) printf("%" PRId64 " group%s; ", p->groups, p->groups == 1 ? "" : "s");
  printf("%" PRId64 " of %" PRId64 " files, %" PRId64 " of %" PRId64 " rows; %" PRId64
         " of %" PRId64 " manifests opened)\n",
         c.files_kept, c.files_total, c.rows_kept, c.rows_total, c.manifests_opened,
         c.manifests_total);
}
