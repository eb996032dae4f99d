/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/api_parts.h"
#include "base/text.h"
#include "evolve/spec_update.h"

calve_status calve_catalog_open(const calve_catalog_config *config, calve_catalog **out,
                                calve_error *err) {
  calve_catalog_config own;
  CALVE_TRY(CALVE_STRUCT_READ(config, calve_catalog_config, read_only, &own, err));
  config = &own;
  CALVE_TRY(calve_allocator_check(config->allocator, err));
  calve_arena arena;
  calve_arena_init(&arena, config->allocator);
  calve_catalog_options options = {.name = calve_str_of(config->name),
                                   .store = config->store,
                                   .allocator = config->allocator,
                                   .map_count = config->path_map_count,
                                   .read_only = config->read_only,
                                   .root_count = config->allowed_root_count};
  calve_status status = calve_api__properties(config->properties, config->property_count, &arena,
                                              &options.properties, err);
  if (status == CALVE_OK)
    status =
        calve_api__maps(config->path_maps, config->path_map_count, &arena, &options.maps, err);
  if (status == CALVE_OK)
    status = calve_api__roots(config->allowed_roots, config->allowed_root_count, &arena,
                              &options.roots, err);
  if (status == CALVE_OK) status = calve_catalog_open_options(&options, out, err);
  calve_arena_free(&arena);
  return status;
}

void calve_catalog_free(calve_catalog *catalog) {
  calve_catalog_close(catalog);
}

/* ---- lists of names ---- */

struct calve_names {
  const calve_allocator *allocator;
  calve_arena arena;
  const calve_str *items;
  size_t count;
};

size_t calve_names_count(const calve_names *names) {
  return names->count;
}

calve_str calve_names_get(const calve_names *names, size_t index) {
  return index < names->count ? names->items[index] : (calve_str){0};
}

void calve_names_free(calve_names *names) {
  if (!names) return;
  const calve_allocator *allocator = names->allocator;
  calve_arena_free(&names->arena);
  allocator->resize(allocator->ctx, names, sizeof *names, 0);
}

static calve_status make_names(const calve_catalog *catalog, calve_names **out,
                               calve_error *err) {
  const calve_allocator *allocator = calve_catalog_allocator(catalog);
  calve_names *names = allocator->resize(allocator->ctx, NULL, 0, sizeof *names);
  if (!names) return calve_fail_oom(err);
  memset(names, 0, sizeof *names);
  names->allocator = allocator;
  calve_arena_init(&names->arena, allocator);
  *out = names;
  return CALVE_OK;
}

static calve_status give_names(calve_names *names, calve_status status, calve_names **out) {
  if (status == CALVE_OK) *out = names;
  else calve_names_free(names);
  return status;
}

/* ---- namespaces ---- */

/* Parses a namespace; the arena is the caller's. */
static calve_status space_of(const char *name, calve_arena *arena, calve_namespace *out,
                             calve_error *err) {
  CALVE_TRY(calve_api__require(name, "namespace", err));
  return calve_namespace_parse(calve_str_of(name), arena, out, err);
}

calve_status calve_namespace_create(calve_catalog *catalog, const char *name,
                                    const calve_setting *properties, size_t property_count,
                                    calve_error *err) {
  calve_arena arena;
  calve_namespace space;
  calve_properties list;
  calve_arena_init(&arena, calve_catalog_allocator(catalog));
  calve_status status = space_of(name, &arena, &space, err);
  if (status == CALVE_OK)
    status = calve_api__properties(properties, property_count, &arena, &list, err);
  if (status == CALVE_OK) status = calve_catalog_create_namespace(catalog, &space, &list, err);
  calve_arena_free(&arena);
  return status;
}

calve_status calve_namespace_drop(calve_catalog *catalog, const char *name, calve_error *err) {
  calve_arena arena;
  calve_namespace space;
  calve_arena_init(&arena, calve_catalog_allocator(catalog));
  calve_status status = space_of(name, &arena, &space, err);
  if (status == CALVE_OK) status = calve_catalog_drop_namespace(catalog, &space, err);
  calve_arena_free(&arena);
  return status;
}

calve_status calve_namespace_list(calve_catalog *catalog, const char *parent, calve_names **out,
                                  calve_error *err) {
  calve_names *names;
  calve_namespace space = {0};
  CALVE_TRY(make_names(catalog, &names, err));
  calve_status status = parent ? space_of(parent, &names->arena, &space, err) : CALVE_OK;
  if (status == CALVE_OK)
    status = calve_catalog_list_namespaces(catalog, parent ? &space : NULL, &names->arena,
                                           &names->items, &names->count, err);
  return give_names(names, status, out);
}

calve_status calve_table_list(calve_catalog *catalog, const char *namespace_name,
                              calve_names **out, calve_error *err) {
  calve_names *names;
  calve_namespace space;
  CALVE_TRY(make_names(catalog, &names, err));
  calve_status status = space_of(namespace_name, &names->arena, &space, err);
  if (status == CALVE_OK)
    status = calve_catalog_list_tables(catalog, &space, &names->arena, &names->items,
                                       &names->count, err);
  return give_names(names, status, out);
}

/* ---- tables by name ---- */

static calve_status table_of(const char *name, calve_arena *arena, calve_table_name *out,
                             calve_error *err) {
  CALVE_TRY(calve_api__require(name, "table", err));
  return calve_table_name_parse(calve_str_of(name), arena, out, err);
}

calve_status calve_table_open(calve_catalog *catalog, const char *name, calve_table **out,
                              calve_error *err) {
  calve_arena arena;
  calve_table_name parsed;
  calve_arena_init(&arena, calve_catalog_allocator(catalog));
  calve_status status = table_of(name, &arena, &parsed, err);
  if (status == CALVE_OK) status = calve_table_load(catalog, &parsed, out, err);
  calve_arena_free(&arena);
  return status;
}

calve_status calve_table_drop(calve_catalog *catalog, const char *name, bool purge,
                              calve_error *err) {
  calve_arena arena;
  calve_table_name parsed;
  calve_arena_init(&arena, calve_catalog_allocator(catalog));
  calve_status status = table_of(name, &arena, &parsed, err);
  if (status == CALVE_OK) status = calve_catalog_drop_table(catalog, &parsed, purge, err);
  calve_arena_free(&arena);
  return status;
}

calve_status calve_table_rename(calve_catalog *catalog, const char *from, const char *to,
                                calve_error *err) {
  calve_arena arena;
  calve_table_name old_name, new_name;
  calve_arena_init(&arena, calve_catalog_allocator(catalog));
  calve_status status = table_of(from, &arena, &old_name, err);
  if (status == CALVE_OK) status = table_of(to, &arena, &new_name, err);
  if (status == CALVE_OK) status = calve_catalog_rename_table(catalog, &old_name, &new_name, err);
  calve_arena_free(&arena);
  return status;
}

calve_status calve_table_register(calve_catalog *catalog, const char *name,
                                  const char *metadata_path, calve_error *err) {
  calve_arena arena;
  calve_table_name parsed;
  calve_arena_init(&arena, calve_catalog_allocator(catalog));
  calve_status status = table_of(name, &arena, &parsed, err);
  if (status == CALVE_OK) status = calve_api__require(metadata_path, "metadata file", err);
  if (status == CALVE_OK)
    status = calve_catalog_register_table(catalog, &parsed, calve_str_of(metadata_path), err);
  calve_arena_free(&arena);
  return status;
}

/* ---- making a table ---- */

static calve_status spec_of(const calve_schema *schema, const char *partitioned_by,
                            calve_arena *arena, const calve_spec **out, calve_error *err) {
  calve_str list = calve_str_of(partitioned_by), text;
  calve_buffer fields;
  calve_buffer_init(&fields, arena->allocator);
  calve_status status = CALVE_OK;
  if (calve_str_trim(list).size == 0) list = (calve_str){0}; /* unpartitioned */
  while (status == CALVE_OK && calve_api__next_term(&list, &text)) {
    calve_api__term term;
    status = calve_api__term_parse(text, &term, err);
    if (status == CALVE_OK)
      CALVE_PUSH(&fields, calve_new_partition_field, .source = term.column,
                 .transform = term.transform);
  }
  if (status == CALVE_OK) status = calve_buffer_check(&fields, err);
  if (status == CALVE_OK)
    status = calve_spec_build(schema, CALVE_ITEMS(&fields, calve_new_partition_field),
                              CALVE_COUNT(&fields, calve_new_partition_field), true, arena, out,
                              err);
  calve_buffer_free(&fields);
  return status;
}

static calve_status define(const calve_table_config *config, calve_arena *arena,
                           calve_table_definition *out, calve_error *err) {
  calve_table_config own;
  CALVE_TRY(CALVE_STRUCT_READ(config, calve_table_config, property_count, &own, err));
  config = &own;
  CALVE_TRY(calve_api__require(config->schema_json, "schema_json", err));
  CALVE_TRY(calve_api__of_caller(calve_schema_parse(calve_str_of(config->schema_json),
                                                    "schema_json", arena, &out->schema, err),
                                 err));
  CALVE_TRY(calve_api__properties(config->properties, config->property_count, arena,
                                  &out->properties, err));
  out->location = calve_str_of(config->location);
  return config->partitioned_by
             ? spec_of(out->schema, config->partitioned_by, arena, &out->spec, err)
             : CALVE_OK;
}

calve_status calve_table_make(calve_catalog *catalog, const char *name,
                              const calve_table_config *config, calve_table **out,
                              calve_error *err) {
  calve_arena arena;
  calve_table_name parsed;
  calve_table_definition definition = {0};
  calve_table *table = NULL;
  calve_arena_init(&arena, calve_catalog_allocator(catalog));
  calve_status status = table_of(name, &arena, &parsed, err);
  if (status == CALVE_OK) status = define(config, &arena, &definition, err);
  if (status == CALVE_OK) status = calve_table_create(catalog, &parsed, &definition, &table, err);
  calve_arena_free(&arena);
  if (status != CALVE_OK) return status;
  if (out) *out = table;
  else calve_table_close(table);
  return CALVE_OK;
}
