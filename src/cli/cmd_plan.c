/* SPDX-License-Identifier: Apache-2.0 */
/* calve plan: which files a scan would open. No query engine is started. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arrow_cell.h"
#include "cli/cli.h"

typedef struct planner {
  const cli_options *options;
  calve_catalog *catalog; /* NULL for a bare metadata file                                      */
  calve_table *table;
  calve_thread_pool *pool;
  calve_cache *cache;
  calve_plan *plan;
  cli_text line;
  int64_t files;
} planner;

static int open_plan(planner *p) {
  const cli_options *o = p->options;
  calve_error err;
  size_t threads = o->threads > 0 ? (size_t)o->threads : 0;
  if (calve_thread_pool_make(threads, NULL, &p->pool, &err) != CALVE_OK)
    return cli_fail(&err, NULL, 0);
  calve_plan_config config = {.struct_size = sizeof config,
                              .where = o->where,
                              .snapshot = o->to_snapshot ? o->to_snapshot : o->snapshot,
                              .appends_only = o->from_snapshot || o->to_snapshot,
                              .from_snapshot = o->from_snapshot,
                              .row_limit = o->limit,
                              .executor = calve_thread_pool_executor(p->pool),
                              .cache = p->cache};
  calve_status status = calve_plan_open(p->table, &config, &p->plan, &err);
  if (status == CALVE_OK) return CLI_OK;
  return cli_fail(&err, o->where, 0);
}

/* ---- tasks -------------------------------------------------------------------------------- */

static void json_number(cli_text *out, const char *key, int64_t value) {
  cli_text_printf(out, ", \"%s\": %" PRId64, key, value);
}

static void json_string(cli_text *out, const char *key, calve_str value) {
  cli_text_printf(out, ", \"%s\": ", key);
  cli_text_json_string(out, value.data, value.size);
}

static calve_status put_json(planner *p, const calve_plan_task *t, calve_str partition,
                             calve_str residual, calve_error *err) {
  cli_text *out = &p->line;
  cli_text_puts(out, p->files > 0 ? ",\n{\"file_path\": " : "\n{\"file_path\": ");
  cli_text_json_string(out, t->path.data, t->path.size);
  json_string(out, "file_format", t->format);
  json_number(out, "spec_id", t->spec_id);
  cli_text_puts(out, ", \"partition\": ");
  cli_text_put(out, partition.data, partition.size);
  json_number(out, "record_count", t->record_count);
  json_number(out, "file_size_in_bytes", t->file_size_bytes);
  json_string(out, "residual", residual);
  cli_text_printf(out, ", \"matches_wholly\": %s", t->matches_wholly ? "true" : "false");
  cli_text_puts(out, ", \"delete_files\": [");
  for (size_t i = 0; i < t->delete_count; i++) {
    calve_plan_delete d = {.struct_size = sizeof d};
    calve_status status = calve_plan_task_delete(t, i, &d, err);
    if (status != CALVE_OK) return status;
    if (i > 0) cli_text_puts(out, ", ");
    cli_text_json_string(out, d.path.data, d.path.size);
  }
  cli_text_puts(out, "]}");
  return CALVE_OK;
}

static void put_row(planner *p, const calve_plan_task *t, calve_str partition,
                    calve_str residual) {
  cli_text *out = &p->line;
  if (p->options->format == CLI_CSV) {
    cli_text_csv_field(out, t->path.data, t->path.size);
    cli_text_printf(out, ",%" PRId64 ",%" PRId64 ",%" PRId32 ",", t->record_count,
                    t->file_size_bytes, t->spec_id);
    cli_text_csv_field(out, partition.data, partition.size);
    cli_text_put(out, ",", 1);
    cli_text_csv_field(out, residual.data, residual.size);
  } else {
    cli_text_printf(out, "%12" PRId64 " %14" PRId64 "  %4" PRId32 "  ", t->record_count,
                    t->file_size_bytes, t->spec_id);
    cli_text_put(out, partition.data, partition.size);
    cli_text_puts(out, partition.size > 0 ? "  " : "-  ");
    cli_text_put(out, t->path.data, t->path.size);
  }
  cli_text_put(out, "\n", 1);
}

static calve_status print_task(planner *p, const calve_plan_task *t, calve_error *err) {
  calve_str partition, residual;
  bool json = p->options->format == CLI_JSON;
  calve_status status = calve_plan_task_partition(p->plan, t, json, &partition, err);
  if (status == CALVE_OK) status = calve_plan_task_residual(p->plan, t, &residual, err);
  if (status != CALVE_OK) return status;
  p->line.size = 0;
  if (json)
    status = put_json(p, t, partition, residual, err);
  else
    put_row(p, t, partition, residual);
  if (status == CALVE_OK) fwrite(p->line.data, 1, p->line.size, stdout);
  return status;
}

static void print_head(const cli_options *o) {
  if (o->format == CLI_JSON)
    putchar('[');
  else if (o->format == CLI_CSV)
    puts("file_path,record_count,file_size_in_bytes,spec_id,partition,residual");
  else
    printf("%12s %14s  %4s  partition and file\n", "rows", "bytes", "spec");
}

static void print_tail(planner *p) {
  if (p->options->format == CLI_JSON) puts(p->files > 0 ? "\n]" : "]");
  if (p->options->format != CLI_TABLE || p->options->quiet) return;
  calve_plan_counts c = {.struct_size = sizeof c};
  if (calve_plan_get_counts(p->plan, &c, NULL) != CALVE_OK) return;
  printf("(%" PRId64 " of %" PRId64 " files, %" PRId64 " of %" PRId64 " rows; %" PRId64
         " of %" PRId64 " manifests opened)\n",
         c.files_kept, c.files_total, c.rows_kept, c.rows_total, c.manifests_opened,
         c.manifests_total);
}

/* Walks the plan to its end; with `print` each task is shown. */
static int walk(planner *p, bool print) {
  calve_error err;
  for (;;) {
    calve_plan_batch batch;
    calve_status status = calve_plan_next(p->plan, &batch, &err);
    for (size_t i = 0; status == CALVE_OK && i < batch.count; i++) {
      if (print) status = print_task(p, CALVE_PLAN_TASK(&batch, i), &err);
      p->files++;
    }
    if (status != CALVE_OK) return cli_fail(&err, NULL, 0);
    if (p->line.failed) return CLI_MEMORY;
    if (batch.count == 0) return CLI_OK;
  }
}

/* ---- the command -------------------------------------------------------------------------- */

static int print_explanation(planner *p) {
  const cli_options *o = p->options;
  calve_error err;
  calve_str text;
  bool json = o->format == CLI_JSON;
  /* A file that is there may be named as the shell sees it; tables name files by whole paths. */
  char *whole = o->why ? realpath(o->why, NULL) : NULL;
  calve_status status = o->why
                            ? calve_plan_why(p->plan, whole ? whole : o->why, json, &text, &err)
                            : calve_plan_explain(p->plan, json, &text, &err);
  free(whole);
  if (status != CALVE_OK) return cli_fail(&err, NULL, 0);
  fwrite(text.data, 1, text.size, stdout);
  if (text.size > 0 && text.data[text.size - 1] != '\n') putchar('\n');
  return CLI_OK;
}

static int run(planner *p) {
  const cli_options *o = p->options;
  if (o->why) return print_explanation(p);
  bool print = !o->count && !o->explain;
  if (print) print_head(o);
  int code = walk(p, print);
  if (code != CLI_OK) return code;
  if (print) print_tail(p);
  if (o->count) printf("%" PRId64 "\n", p->files);
  return o->explain ? print_explanation(p) : CLI_OK;
}

int cli_plan(const cli_options *options) {
  planner p = {.options = options};
  if (options->argument_count != 2)
    return cli_usage("plan takes a table, a metadata file or a table's folder");
  if ((options->count ? 1 : 0) + (options->explain ? 1 : 0) + (options->why ? 1 : 0) > 1)
    return cli_usage("plan does one of --count, --explain and --why at a time");
  if (options->snapshot && (options->from_snapshot || options->to_snapshot))
    return cli_usage("plan takes --snapshot, or --from-snapshot and --to-snapshot");
  const char *what = options->arguments[1];
  int code = cli_open_table(options, what, &p.catalog, &p.table);
  if (code == CLI_OK) p.cache = cli_open_cache(options);
  if (code == CLI_OK) code = open_plan(&p);
  if (code == CLI_OK) code = run(&p);
  calve_plan_free(p.plan);
  calve_cache_free(p.cache);
  calve_thread_pool_free(p.pool);
  calve_table_free(p.table);
  calve_catalog_free(p.catalog);
  cli_text_free(&p.line);
  return code;
}
