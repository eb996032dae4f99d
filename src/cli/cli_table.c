/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and the planning cache, as options name them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* A metadata file or a table's folder, rather than a name in a catalog. With no catalog given, what
 * is there in the current folder is meant. */
static bool is_path(const cli_options *o, const char *text) {
  size_t size = strlen(text);
  bool no_catalog = !o->warehouse && !o->catalog && !getenv("CALVE_WAREHOUSE");
  if (strpbrk(text, "`\"") && text[0] != '/' && text[0] != '.' && access(text, F_OK) != 0)
    return false; /* n.`a/b` */
  return strchr(text, '/') || (size > 5 && strcmp(text + size - 5, ".json") == 0) ||
         (no_catalog && access(text, F_OK) == 0);
}

static int open_path(const cli_options *o, const char *path, calve_table **table) {
  calve_path_config config = {.struct_size = sizeof config,
                              .path_maps = o->map_prefixes,
                              .path_map_count = o->map_prefix_count,
                              .allowed_roots = o->allow_roots,
                              .allowed_root_count = o->allow_root_count};
  calve_error err;
  calve_status status = calve_table_open_path(path, &config, table, &err);
  return status == CALVE_OK ? CLI_OK : cli_fail(&err, NULL, 0);
}

static int open_name(const cli_options *o, const char *name, calve_catalog **catalog,
                     calve_table **table) {
  cli_configuration configured;
  calve_error err;
  int code = cli_configure(o, &configured);
  calve_catalog_config config = cli_catalog_config(o, &configured);
  config.read_only = true;
  if (code == CLI_OK && calve_catalog_open(&config, catalog, &err) != CALVE_OK)
    code = cli_fail(&err, NULL, 0);
  if (code == CLI_OK && calve_table_open(*catalog, name, table, &err) != CALVE_OK)
    code = cli_fail(&err, NULL, 0);
  cli_free_configuration(&configured);
  return code;
}

int cli_open_table(const cli_options *options, const char *what, calve_catalog **catalog,
                   calve_table **table) {
  return is_path(options, what) ? open_path(options, what, table)
                       : open_name(options, what, catalog, table);
}

const char *cli_cache_folder(const cli_options *options) {
  const char *folder = options->cache ? options->cache : getenv("CALVE_PLAN_CACHE");
  return folder && *folder ? folder : NULL;
}

calve_cache *cli_open_cache(const cli_options *options) {
  calve_cache_config config = {.struct_size = sizeof config,
                               .folder = cli_cache_folder(options),
                               .max_bytes = options->cache_bytes};
  calve_cache *cache = NULL;
  calve_error err;
  if (!config.folder || calve_cache_open(&config, &cache, &err) == CALVE_OK) return cache;
  if (!options->quiet)
    fprintf(stderr, "calve: warning: %s: %s; planning goes on without a cache\n", err.where,
            err.message);
  return NULL;
}
