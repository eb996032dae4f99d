/* SPDX-License-Identifier: Apache-2.0 */
/* The command line. Options may stand before and after the command. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"

typedef enum option_id {
  OPT_WAREHOUSE,
  OPT_CATALOG,
  OPT_FORMAT,
  OPT_QUIET,
  OPT_READ_ONLY,
  OPT_DRY_RUN,
  OPT_MAP_PREFIX,
  OPT_ALLOW_ROOT,
  OPT_THREADS,
  OPT_MEMORY,
  OPT_TEMP_DIR,
  OPT_CACHE,
  OPT_CACHE_SIZE,
  OPT_FILE,
  OPT_WHERE,
  OPT_SNAPSHOT,
  OPT_REF,
  OPT_AT,
  OPT_GROUPS,
  OPT_FROM_SNAPSHOT,
  OPT_TO_SNAPSHOT,
  OPT_LIMIT,
  OPT_WHY,
  OPT_COUNT,
  OPT_EXPLAIN,
  OPT_JSON,
  OPT_HELP,
  OPT_VERSION
} option_id;

static const struct {
  const char *name;
  char letter; /* '\0': none                                                                    */
  bool takes_value;
  option_id id;
} known[] = {
    {"warehouse", 'w', true, OPT_WAREHOUSE}, {"catalog", 'c', true, OPT_CATALOG},
    {"format", '\0', true, OPT_FORMAT},      {"quiet", 'q', false, OPT_QUIET},
    {"read-only", '\0', false, OPT_READ_ONLY}, {"dry-run", '\0', false, OPT_DRY_RUN},
    {"map-prefix", '\0', true, OPT_MAP_PREFIX},
    {"allow-root", '\0', true, OPT_ALLOW_ROOT}, {"threads", '\0', true, OPT_THREADS},
    {"memory", '\0', true, OPT_MEMORY},      {"temp-dir", '\0', true, OPT_TEMP_DIR},
    {"cache", '\0', true, OPT_CACHE},       {"cache-size", '\0', true, OPT_CACHE_SIZE},
    {"file", 'f', true, OPT_FILE},           {"where", '\0', true, OPT_WHERE},
    {"snapshot", '\0', true, OPT_SNAPSHOT},  {"why", '\0', true, OPT_WHY},
    {"from-snapshot", '\0', true, OPT_FROM_SNAPSHOT},
    {"to-snapshot", '\0', true, OPT_TO_SNAPSHOT}, {"limit", '\0', true, OPT_LIMIT},
    {"ref", '\0', true, OPT_REF},            {"at", '\0', true, OPT_AT},
    {"groups", '\0', false, OPT_GROUPS},
    {"count", '\0', false, OPT_COUNT},       {"explain", '\0', false, OPT_EXPLAIN},
    {"json", '\0', false, OPT_JSON},         {"help", 'h', false, OPT_HELP},
    {"version", 'V', false, OPT_VERSION},
};

int cli_usage(const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fputs("calve: ", stderr);
  vfprintf(stderr, fmt, args);
  fputs("\ncalve --help tells how it is used\n", stderr);
  va_end(args);
  return CLI_USAGE;
}

static bool set_format(cli_options *o, const char *value) {
  static const char *const names[] = {"table", "csv", "json"};
  for (int i = 0; i < 3; i++) {
    if (strcmp(value, names[i]) != 0) continue;
    o->format = (cli_format)i;
    return true;
  }
  cli_usage("--format %s is not known: table, csv or json", value);
  return false;
}

static bool set_threads(cli_options *o, const char *value) {
  char *end;
  long n = strtol(value, &end, 10);
  if (*end || n < 1 || n > 4096) {
    cli_usage("--threads takes a number from 1 to 4096, not %s", value);
    return false;
  }
  o->threads = (int32_t)n;
  return true;
}

static bool set_limit(cli_options *o, const char *value) {
  char *end;
  errno = 0;
  long long n = strtoll(value, &end, 10);
  if (*end || errno || n < 1) {
    cli_usage("--limit takes a number of rows from 1 on, not %s", value);
    return false;
  }
  o->limit = n;
  return true;
}

/* "512MB", "2GiB", "1M": a number with a unit; without one it is bytes. */
static bool set_size(const char *option, const char *value, int64_t *out) {
  static const struct {
    const char *name;
    int64_t bytes;
  } units[] = {{"", 1},
               {"B", 1},
               {"K", 1000},
               {"M", 1000000},
               {"G", 1000000000},
               {"T", INT64_C(1000000000000)},
               {"KB", 1000},
               {"MB", 1000000},
               {"GB", 1000000000},
               {"TB", INT64_C(1000000000000)},
               {"KiB", 1 << 10},
               {"MiB", 1 << 20},
               {"GiB", 1 << 30},
               {"TiB", INT64_C(1) << 40}};
  char *end;
  errno = 0;
  double amount = strtod(value, &end);
  while (*end == ' ') end++;
  for (size_t i = 0; errno == 0 && amount > 0 && i < sizeof units / sizeof *units; i++) {
    if (strcasecmp(end, units[i].name) != 0) continue;
    double bytes = amount * (double)units[i].bytes;
    if (bytes > 9e18) break;
    if (bytes < 1e6) {
      cli_usage("%s takes 1MB at least, not %s", option, value);
      return false;
    }
    *out = (int64_t)bytes;
    return true;
  }
  cli_usage("%s takes a size such as 512MB, 2GiB or 1T (B, KB, MB, GB, TB are powers of 1000, KiB, "
            "MiB, GiB, TiB of 1024; a plain number is bytes), not %s",
            option, value);
  return false;
}

/* OLD=NEW; the text is argv's, cut in place. */
static bool add_map_prefix(cli_options *o, char *value) {
  char *equal = strchr(value, '=');
  if (!equal || equal == value || !equal[1]) {
    cli_usage("--map-prefix takes OLD=NEW, not %s", value);
    return false;
  }
  if (o->map_prefix_count == CLI_SETTINGS_MAX) {
    cli_usage("more than %d times --map-prefix", CLI_SETTINGS_MAX);
    return false;
  }
  *equal = '\0';
  o->map_prefixes[o->map_prefix_count++] = (calve_setting){value, equal + 1};
  return true;
}

static bool add_allow_root(cli_options *o, const char *value) {
  if (o->allow_root_count == CLI_SETTINGS_MAX) {
    cli_usage("more than %d times --allow-root", CLI_SETTINGS_MAX);
    return false;
  }
  o->allow_roots[o->allow_root_count++] = value;
  return true;
}

static bool add_where(cli_options *o, const char *value) {
  if (o->where_count == CLI_SETTINGS_MAX) {
    cli_usage("more than %d times --where", CLI_SETTINGS_MAX);
    return false;
  }
  o->wheres[o->where_count++] = value;
  return true;
}

static bool apply(cli_options *o, option_id id, char *value, bool *help, bool *version) {
  switch (id) {
    case OPT_WAREHOUSE: o->warehouse = value; break;
    case OPT_CATALOG: o->catalog = value; break;
    case OPT_FORMAT: return set_format(o, value);
    case OPT_QUIET: o->quiet = true; break;
    case OPT_READ_ONLY: o->read_only = true; break;
    case OPT_DRY_RUN: o->dry_run = true; break;
    case OPT_MAP_PREFIX: return add_map_prefix(o, value);
    case OPT_ALLOW_ROOT: return add_allow_root(o, value);
    case OPT_THREADS: return set_threads(o, value);
    case OPT_MEMORY: return set_size("--memory", value, &o->memory_bytes);
    case OPT_TEMP_DIR: o->temp_dir = value; break;
    case OPT_CACHE: o->cache = value; break;
    case OPT_CACHE_SIZE: return set_size("--cache-size", value, &o->cache_bytes);
    case OPT_FILE: o->file = value; break;
    case OPT_WHERE: return add_where(o, value);
    case OPT_SNAPSHOT: o->snapshot = value; break;
    case OPT_REF: o->ref = value; break;
    case OPT_AT: o->at = value; break;
    case OPT_GROUPS: o->groups = true; break;
    case OPT_FROM_SNAPSHOT: o->from_snapshot = value; break;
    case OPT_TO_SNAPSHOT: o->to_snapshot = value; break;
    case OPT_LIMIT: return set_limit(o, value);
    case OPT_WHY: o->why = value; break;
    case OPT_COUNT: o->count = true; break;
    case OPT_EXPLAIN: o->explain = true; break;
    case OPT_JSON: o->format = CLI_JSON; break;
    case OPT_HELP: *help = true; break;
    case OPT_VERSION: *version = true; break;
  }
  return true;
}

/* Index into `known` of "--name", "--name=value" or "-x"; -1 when there is none. */
static int find_option(const char *text, char **value) {
  *value = NULL;
  for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
    if (text[1] != '-') {
      if (known[i].letter && text[1] == known[i].letter) {
        if (text[2]) *value = (char *)(uintptr_t)(text + 2);
        return i;
      }
      continue;
    }
    size_t size = strlen(known[i].name);
    if (strncmp(text + 2, known[i].name, size) != 0) continue;
    if (text[2 + size] == '\0') return i;
    if (text[2 + size] != '=') continue;
    *value = (char *)(uintptr_t)(text + 3 + size);
    return i;
  }
  return -1;
}

/* "-" is standard input, and "-- a comment" begins a statement. */
static bool is_option(const char *text) {
  if (text[0] != '-' || !text[1]) return false;
  return text[1] != '-' || !strchr(" \t\r\n", text[2]) || !text[2];
}

/* An option that would change nothing was meant for something else. */
static bool belongs(const cli_options *o, const char *command) {
  const struct {
    const char *command, *option;
    bool given;
  } own[] = {{"sql", "-f", o->file != NULL},         {"plan", "--where", o->where_count > 0},
             {"plan", "--ref", o->ref != NULL},      {"plan", "--at", o->at != NULL},
             {"plan", "--groups", o->groups},        {"plan", "--limit", o->limit != 0},
             {"plan", "--snapshot", o->snapshot != NULL}, {"plan", "--why", o->why != NULL},
             {"plan", "--count", o->count},          {"plan", "--explain", o->explain},
             {"sql", "--dry-run", o->dry_run}};
  for (size_t i = 0; command && i < sizeof own / sizeof *own; i++) {
    if (!own[i].given || strcmp(own[i].command, command) == 0) continue;
    cli_usage("option %s is for calve %s", own[i].option, own[i].command);
    return false;
  }
  return true;
}

bool cli_parse_options(int argc, char **argv, cli_options *out, bool *done) {
  bool help = false, version = false, only_arguments = false;
  *out = (cli_options){0};
  *done = false;
  for (int i = 1; i < argc; i++) {
    char *text = argv[i], *value;
    if (only_arguments || !is_option(text)) {
      if (out->argument_count == CLI_SETTINGS_MAX) return cli_usage("too many arguments"), false;
      out->arguments[out->argument_count++] = text;
      continue;
    }
    if (strcmp(text, "--") == 0) {
      only_arguments = true;
      continue;
    }
    int found = find_option(text, &value);
    if (found < 0) return cli_usage("option %s is not known", text), false;
    if (!known[found].takes_value && value)
      return cli_usage("option %s takes no value", text), false;
    if (known[found].takes_value && !value) {
      if (i + 1 == argc) return cli_usage("option %s needs a value", text), false;
      value = argv[++i];
    }
    if (!apply(out, known[found].id, value, &help, &version)) return false;
  }
  *done = help || version;
  const char *command = out->argument_count > 0 ? out->arguments[0] : NULL;
  if (help && !cli_print_help(stdout, command))
    return cli_usage("there is no command %s", command), false;
  if (!help && version) printf("calve %s\n", calve_version());
  return *done || belongs(out, command);
}
