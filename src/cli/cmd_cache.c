/* SPDX-License-Identifier: Apache-2.0 */
/* calve cache: what the planning cache holds; clearing it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/arrow_cell.h"
#include "cli/cli.h"

typedef struct listing {
  const cli_options *options;
  int64_t tables, manifests, bytes;
  cli_text line;
} listing;

/* "2026-03-01 12:00:00", UTC. */
static void format_time(int64_t ms, char out[32]) {
  time_t seconds = (time_t)(ms / 1000);
  struct tm parts;
  if (!gmtime_r(&seconds, &parts) || strftime(out, 32, "%Y-%m-%d %H:%M:%S", &parts) == 0)
    out[0] = '\0';
}

/* The folder that a manifest lies in. */
static size_t folder_size(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) : 0;
}

static bool print_table(void *ctx, const calve_cache_table *t) {
  listing *l = ctx;
  char used[32];
  size_t folder = folder_size(t->example);
  cli_text *out = &l->line;
  format_time(t->used_ms, used);
  out->size = 0;
  if (l->options->format == CLI_JSON) {
    cli_text_puts(out, l->tables > 0 ? ",\n{\"table_uuid\": \"" : "\n{\"table_uuid\": \"");
    cli_text_printf(out, "%s\", \"manifests\": %" PRId64 ", \"size_bytes\": %" PRId64
                         ", \"used\": \"%s\", \"metadata\": ",
                    t->table_uuid, t->manifest_count, t->size_bytes, used);
    cli_text_json_string(out, t->example, folder);
    cli_text_put(out, "}", 1);
  } else if (l->options->format == CLI_CSV) {
    cli_text_printf(out, "%s,%" PRId64 ",%" PRId64 ",%s,", t->table_uuid, t->manifest_count,
                    t->size_bytes, used);
    cli_text_csv_field(out, t->example, folder);
    cli_text_put(out, "\n", 1);
  } else {
    cli_text_printf(out, "%-36s %9" PRId64 " %14" PRId64 "  %-19s  ", t->table_uuid,
                    t->manifest_count, t->size_bytes, used);
    cli_text_put(out, t->example, folder);
    cli_text_put(out, "\n", 1);
  }
  if (!out->failed) fwrite(out->data, 1, out->size, stdout);
  l->tables++;
  l->manifests += t->manifest_count;
  l->bytes += t->size_bytes;
  return !out->failed;
}

static const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

/* cache NULL: the folder is not there, and looking makes none. */
static int show(const cli_options *options, calve_cache *cache) {
  listing l = {.options = options};
  calve_error err;
  if (options->format == CLI_JSON)
    putchar('[');
  else if (options->format == CLI_CSV)
    puts("table_uuid,manifests,size_bytes,used,metadata");
  else
    printf("%-36s %9s %14s  %-19s  metadata\n", "table", "manifests", "bytes", "used (UTC)");
  calve_status status = cache ? calve_cache_list(cache, print_table, &l, &err) : CALVE_OK;
  if (options->format == CLI_JSON) puts(l.tables > 0 ? "\n]" : "]");
  bool failed = l.line.failed;
  cli_text_free(&l.line);
  if (status != CALVE_OK) return cli_fail(&err, NULL, 0);
  if (failed) return CLI_MEMORY;
  if (options->format == CLI_TABLE && !options->quiet)
    printf("(%" PRId64 " byte%s in %s: %" PRId64 " manifest%s of %" PRId64 " table%s)\n", l.bytes,
           plural(l.bytes), cli_cache_folder(options), l.manifests, plural(l.manifests), l.tables,
           plural(l.tables));
  return CLI_OK;
}

static bool is_uuid(const char *text) {
  return strlen(text) == 36 && strspn(text, "0123456789abcdefABCDEF-") == 36;
}

/* Of one table, by its uuid, its name, its metadata file or its folder; or all (NULL). */
static int clear(const cli_options *options, calve_cache *cache, const char *what) {
  calve_catalog *catalog = NULL;
  calve_table *table = NULL;
  calve_error err;
  char uuid[64] = "";
  int64_t removed = 0;
  int code = CLI_OK;
  if (what && !is_uuid(what)) {
    code = cli_open_table(options, what, &catalog, &table);
    calve_str known = code == CLI_OK ? calve_table_uuid(table) : (calve_str){0};
    if (known.data) snprintf(uuid, sizeof uuid, "%.*s", (int)known.size, known.data);
    what = uuid;
    if (code == CLI_OK && !uuid[0]) {
      fputs("calve: this table has no uuid, so that nothing of it is in a cache\n", stderr);
      code = CLI_FAILED;
    }
  }
  if (code == CLI_OK && cache && calve_cache_clear(cache, what, &removed, &err) != CALVE_OK)
    code = cli_fail(&err, NULL, 0);
  if (code == CLI_OK && !options->quiet)
    printf("%" PRId64 " byte%s removed from %s\n", removed, plural(removed),
           cli_cache_folder(options));
  calve_table_free(table);
  calve_catalog_free(catalog);
  return code;
}

int cli_cache(const cli_options *options) {
  calve_cache_config config = {.struct_size = sizeof config, .folder = cli_cache_folder(options)};
  size_t count = options->argument_count;
  bool clears = count > 1 && strcmp(options->arguments[1], "clear") == 0;
  calve_cache *cache = NULL;
  calve_error err;
  if (count > 3 || (count > 1 && !clears))
    return cli_usage("cache takes nothing, or clear and perhaps a table");
  if (!config.folder)
    return cli_usage("no planning cache: give --cache DIR, or set CALVE_PLAN_CACHE");
  bool there = access(config.folder, F_OK) == 0 || errno != ENOENT;
  if (there && calve_cache_open(&config, &cache, &err) != CALVE_OK) return cli_fail(&err, NULL, 0);
  int code = clears ? clear(options, cache, count > 2 ? options->arguments[2] : NULL)
                    : show(options, cache);
  calve_cache_free(cache);
  return code;
}
