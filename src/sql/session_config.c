/* SPDX-License-Identifier: Apache-2.0 */
/* Catalogs as users configure them, for calve_sql.h. */
#include <string.h>

#include "base/abi.h"
#include "base/text.h"
#include "calve_sql.h"
#include "catalog/config.h"

/* Entries "NAME=value" as properties. */
static calve_status split_environment(const char *const *environment, calve_arena *arena,
                                      calve_properties *out, calve_error *err) {
  size_t count = 0;
  while (environment && environment[count]) count++;
  calve_property *items = CALVE_NEW_ARRAY(arena, calve_property, count);
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    size_t size = strcspn(environment[i], "=");
    items[i].key = (calve_str){environment[i], size};
    items[i].value = calve_str_of(environment[i] + size + (environment[i][size] == '='));
  }
  *out = (calve_properties){items, count};
  return CALVE_OK;
}

/* Strings of a configuration need not end in NUL. */
static calve_status tell(calve_arena *arena, calve_str key, calve_str value,
                         void (*visit)(void *ctx, const char *key, const char *value), void *ctx,
                         calve_error *err) {
  CALVE_TRY(calve_arena_str(arena, key, &key, err));
  CALVE_TRY(calve_arena_str(arena, value, &value, err));
  visit(ctx, key.data, value.data ? value.data : "");
  return CALVE_OK;
}

static calve_status tell_all(calve_arena *arena, const calve_config *config, const char *catalog,
                             void (*visit)(void *ctx, const char *key, const char *value),
                             void *ctx, calve_error *err) {
  calve_str name = calve_str_of(catalog);
  if (!name.data) name = config->default_catalog.data ? config->default_catalog
                                                      : CALVE_STR("default");
  const calve_config_catalog *found = calve_config_find(config, name);
  if (!found)
    return calve_fail(err, CALVE_ENOTFOUND, NULL,
                      "no catalog %.*s is configured: write it into .pyiceberg.yaml, or give a "
                      "warehouse folder",
                      CALVE_STR_ARG(name));
  CALVE_TRY(tell(arena, CALVE_STR("name"), found->name, visit, ctx, err));
  for (size_t i = 0; i < found->properties.count; i++)
    CALVE_TRY(tell(arena, found->properties.items[i].key, found->properties.items[i].value, visit,
                   ctx, err));
  return CALVE_OK;
}

calve_status calve_config_read_catalog(const char *yaml, const char *yaml_path,
                                       const char *const *environment, const char *catalog,
                                       void (*visit)(void *ctx, const char *key,
                                                     const char *value),
                                       void *ctx, const calve_allocator *allocator,
                                       calve_error *err) {
  CALVE_TRY(calve_allocator_check(allocator, err));
  calve_arena arena;
  calve_properties entries;
  const calve_config *config = NULL;
  calve_arena_init(&arena, allocator);
  calve_status status = split_environment(environment, &arena, &entries, err);
  if (status == CALVE_OK)
    status = calve_config_read(calve_str_of(yaml), yaml_path, &entries, &arena, &config, err);
  if (status == CALVE_OK) status = tell_all(&arena, config, catalog, visit, ctx, err);
  calve_arena_free(&arena);
  return status;
}
