/* SPDX-License-Identifier: Apache-2.0 */
/* Which catalog: options, the environment, .pyiceberg.yaml. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/arrow_cell.h"
#include "cli/cli.h"

extern char **environ;

static void add_setting(void *ctx, const char *key, const char *value) {
  cli_configuration *c = ctx;
  if (c->count == CLI_SETTINGS_MAX) {
    c->overflow = true;
    return;
  }
  c->settings[c->count++] = (calve_setting){strdup(key), strdup(value)};
}

void cli_free_configuration(cli_configuration *c) {
  for (size_t i = 0; i < c->count; i++) {
    free((char *)(uintptr_t)c->settings[i].key);
    free((char *)(uintptr_t)c->settings[i].value);
  }
}

/* Reads DIR/.pyiceberg.yaml; false when there is no such file. */
static bool read_yaml(const char *folder, char path[4096], cli_text *out) {
  if (!folder || snprintf(path, 4096, "%s/.pyiceberg.yaml", folder) >= 4096) return false;
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char piece[4096];
  for (size_t size; (size = fread(piece, 1, sizeof piece, file)) > 0;)
    cli_text_put(out, piece, size);
  out->failed |= ferror(file) != 0;
  fclose(file);
  return true;
}

/* PyIceberg's order: $PYICEBERG_HOME, the home folder, the current folder; the first one counts. */
static int configured(const char *catalog, cli_configuration *out) {
  char path[4096] = "";
  cli_text yaml = {0};
  calve_error err;
  if (!read_yaml(getenv("PYICEBERG_HOME"), path, &yaml) &&
      !read_yaml(getenv("HOME"), path, &yaml) && !read_yaml(".", path, &yaml))
    path[0] = '\0';
  if (yaml.failed) {
    cli_text_free(&yaml);
    fprintf(stderr, "calve: %s: can't be read\n", path);
    return CLI_FAILED;
  }
  calve_status status = calve_config_read_catalog(
      path[0] ? (yaml.data ? yaml.data : "") : NULL, path, (const char *const *)environ, catalog,
      add_setting, out, NULL, &err);
  cli_text_free(&yaml);
  if (status == CALVE_ENOTFOUND && !catalog)
    return cli_usage("no warehouse: give -w DIR, or -c NAME with a catalog of .pyiceberg.yaml");
  return status == CALVE_OK ? CLI_OK : cli_fail(&err, NULL, 0);
}

/* Who only looks must not leave a warehouse behind where a name was mistyped. */
static int require_warehouse(const cli_options *o, const char *warehouse) {
  char path[4096];
  const char *command = o->argument_count > 0 ? o->arguments[0] : "";
  bool makes = strcmp(command, "sql") == 0 && !o->read_only && !o->dry_run;
  if (makes || strstr(warehouse, ":/")) return CLI_OK;
  if (snprintf(path, sizeof path, "%s/calve.db", warehouse) >= (int)sizeof path) return CLI_OK;
  if (access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)) return CLI_OK;
  fprintf(stderr, "calve: %s: there is no warehouse; calve sql makes one on first use\n",
          warehouse);
  return CLI_FAILED;
}

int cli_configure(const cli_options *options, cli_configuration *out) {
  const char *warehouse = options->warehouse;
  *out = (cli_configuration){0};
  if (!warehouse && !options->catalog) warehouse = getenv("CALVE_WAREHOUSE");
  if (options->warehouse && options->catalog)
    return cli_usage("-w and -c both say where the tables are: give one");
  int code = CLI_OK;
  if (warehouse)
    add_setting(out, "warehouse", warehouse);
  else
    code = configured(options->catalog, out);
  if (warehouse) code = require_warehouse(options, warehouse);
  if (code == CLI_OK && out->overflow)
    code = cli_usage("the catalog has more than %d properties", CLI_SETTINGS_MAX);
  return code;
}

calve_catalog_config cli_catalog_config(const cli_options *options,
                                        const cli_configuration *configuration) {
  return (calve_catalog_config){.struct_size = sizeof(calve_catalog_config),
                                .properties = configuration->settings,
                                .property_count = configuration->count,
                                .path_maps = options->map_prefixes,
                                .path_map_count = options->map_prefix_count,
                                .read_only = options->read_only,
                                .allowed_roots = options->allow_roots,
                                .allowed_root_count = options->allow_root_count};
}

/* A dry run makes no catalog either. */
static int require_catalog(calve_catalog_config config) {
  calve_catalog *catalog = NULL;
  calve_error err;
  config.read_only = true;
  calve_status status = calve_catalog_open(&config, &catalog, &err);
  calve_catalog_free(catalog);
  return status == CALVE_OK ? CLI_OK : cli_fail(&err, NULL, 0);
}

int cli_open_session(const cli_options *options, calve_cache *cache, calve_session **out) {
  cli_configuration config;
  calve_error err;
  int code = cli_configure(options, &config);
  calve_catalog_config catalog = cli_catalog_config(options, &config);
  calve_session_config session = {.struct_size = sizeof session,
                                  .catalog = &catalog,
                                  .temp_dir = options->temp_dir,
                                  .thread_count = options->threads,
                                  .memory_limit_bytes = options->memory_bytes,
                                  .dry_run = options->dry_run,
                                  .times_as_text = true,
                                  .explain_json = options->format == CLI_JSON,
                                  .cache = cache};
  if (code == CLI_OK && options->dry_run) code = require_catalog(catalog);
  if (code == CLI_OK && calve_session_open(&session, out, &err) != CALVE_OK)
    code = cli_fail(&err, NULL, 0);
  cli_free_configuration(&config);
  return code;
}
