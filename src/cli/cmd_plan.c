/* SPDX-License-Identifier: Apache-2.0 */
/* calve plan: which files a scan would open. No query engine is started. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

typedef struct planner {
  const cli_options *options;
  calve_catalog *catalog; /* NULL for a bare metadata file                                      */
  calve_table *table;
  calve_thread_pool *pool;
  calve_cache *cache;
  calve_plan *plan;
  cli_text where, line;
  int64_t files;
} planner;

/* All conditions at once; one alone is left as it is, for messages that show it. A line ends behind
 * each, as a comment may stand there. */
static const char *whole_condition(planner *p) {
  const cli_options *o = p->options;
  if (o->where_count < 2) return o->where_count > 0 ? o->wheres[0] : NULL;
  for (size_t i = 0; i < o->where_count; i++) {
    cli_text_puts(&p->where, i > 0 ? " AND (" : "(");
    cli_text_puts(&p->where, o->wheres[i]);
    cli_text_puts(&p->where, "\n)");
  }
  return p->where.data;
}

static int open_plan(planner *p) {
  const cli_options *o = p->options;
  calve_error err;
  const char *where = whole_condition(p);
  if (p->where.failed) return CLI_MEMORY;
  size_t threads = o->threads > 0 ? (size_t)o->threads : 0;
  if (calve_thread_pool_make(threads, NULL, &p->pool, &err) != CALVE_OK)
    return cli_fail(&err, NULL, 0);
  calve_plan_config config = {.struct_size = sizeof config,
                              .where = where,
                              .ref = o->ref,
                              .timestamp = o->at,
                              .with_split_offsets = o->groups,
                              .snapshot = o->to_snapshot ? o->to_snapshot : o->snapshot,
                              .appends_only = o->from_snapshot || o->to_snapshot,
                              .from_snapshot = o->from_snapshot,
                              .row_limit = o->limit,
                              .executor = calve_thread_pool_executor(p->pool),
                              .cache = p->cache};
  calve_status status = calve_plan_open(p->table, &config, &p->plan, &err);
  if (status == CALVE_OK) return CLI_OK;
  return cli_fail(&err, where, 0);
}

/* What people wrote and planning can't use, to those who don't ask for an explanation. */
static void tell_unused(const planner *p) {
  enum { SHOWN_MAX = 200 };
  calve_str part;
  for (size_t i = 0; (part = calve_plan_unused(p->plan, i)).data; i++) {
    size_t size = part.size;
    if (size > SHOWN_MAX) size = SHOWN_MAX;
    while (size < part.size && size > 0 && ((unsigned char)part.data[size] & 0xc0) == 0x80) size--;
    fputs("calve: warning: not used for planning: ", stderr);
    for (size_t at = 0; at < size; at++)
      fputc((unsigned char)part.data[at] < 0x20 ? ' ' : part.data[at], stderr);
    fputs(size < part.size ? "...\n" : "\n", stderr);
  }
}

/* ---- tasks -------------------------------------------------------------------------------- */

/* Walks the plan to its end; with a printer each task is shown. */
static int walk(planner *p, cli_plan_printer *printer) {
  calve_error err;
  for (;;) {
    calve_plan_batch batch;
    calve_status status = calve_plan_next(p->plan, &batch, &err);
    for (size_t i = 0; status == CALVE_OK && i < batch.count; i++) {
      if (printer) status = cli_plan_print_task(printer, CALVE_PLAN_TASK(&batch, i), NULL, &err);
      p->files++;
    }
    if (status != CALVE_OK) return cli_fail(&err, NULL, 0);
    if (p->line.failed) return CLI_MEMORY;
    if (batch.count == 0) return CLI_OK;
  }
}

static int print_tasks(planner *p) {
  cli_plan_printer printer = {.options = p->options, .plan = p->plan, .line = &p->line};
  calve_error err;
  int code = CLI_OK;
  if (!isatty(STDOUT_FILENO)) setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  cli_plan_print_head(&printer);
  if (!p->options->groups)
    code = walk(p, &printer);
  else if (cli_plan_print_groups(&printer, &err) != CALVE_OK)
    code = cli_fail(&err, NULL, 0);
  else if (p->line.failed)
    code = CLI_MEMORY;
  if (code == CLI_OK) cli_plan_print_tail(&printer);
  return code;
}

/* ---- the command -------------------------------------------------------------------------- */

static int print_explanation(planner *p) {
  const cli_options *o = p->options;
  calve_error err;
  calve_str text;
  bool json = o->format == CLI_JSON;
  /* A file that is there may be named as the shell sees it; tables name files by whole paths. */
  struct stat s;
  bool is_file = o->why && stat(o->why, &s) == 0 && S_ISREG(s.st_mode);
  char *whole = is_file ? realpath(o->why, NULL) : NULL;
  calve_status status = o->why ? calve_plan_why(p->plan, whole ? whole : o->why, json, &text, &err)
                               : calve_plan_explain(p->plan, json, &text, &err);
  free(whole);
  if (status != CALVE_OK) return cli_fail(&err, NULL, 0);
  fwrite(text.data, 1, text.size, stdout);
  if (text.size > 0 && text.data[text.size - 1] != '\n') putchar('\n');
  return CLI_OK;
}

static int run(planner *p) {
  const cli_options *o = p->options;
  if (!o->explain && !o->quiet) tell_unused(p);
  if (o->why) return print_explanation(p);
  if (!o->count && !o->explain) return print_tasks(p);
  int code = walk(p, NULL);
  if (code != CLI_OK) return code;
  if (o->count) printf("%" PRId64 "\n", p->files);
  return o->explain ? print_explanation(p) : CLI_OK;
}

int cli_plan(const cli_options *options) {
  planner p = {.options = options};
  if (options->argument_count != 2)
    return cli_usage("plan takes a table, a metadata file or a table's folder");
  if (options->count + options->explain + options->groups + !!options->why > 1)
    return cli_usage("plan does one of --count, --explain, --groups and --why at a time");
  int states = !!options->snapshot + !!options->ref + !!options->at;
  if (states + (options->from_snapshot || options->to_snapshot) > 1)
    return cli_usage(
        "plan takes one of --snapshot, --ref and --at, or --from-snapshot and "
        "--to-snapshot");
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
  cli_text_free(&p.where);
  return code;
}
