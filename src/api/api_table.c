/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "api/api_parts.h"
#include "base/text.h"

#define INDENT_MAX 16

calve_status calve_table_open_path(const char *path, const calve_path_config *config,
                                   calve_table **out, calve_error *err) {
  calve_path_config own = {.struct_size = sizeof own};
  if (config) CALVE_TRY(CALVE_STRUCT_READ(config, calve_path_config, trusted, &own, err));
  config = &own;
  CALVE_TRY(calve_allocator_check(config->allocator, err));
  CALVE_TRY(calve_api__require(path, "path", err));
  calve_arena arena;
  calve_arena_init(&arena, config->allocator);
  calve_table_file_options options = {.store = config->store,
                                      .allocator = config->allocator,
                                      .map_count = config->path_map_count,
                                      .root_count = config->allowed_root_count,
                                      .trusted = config->trusted};
  calve_status status =
      calve_api__maps(config->path_maps, config->path_map_count, &arena, &options.maps, err);
  if (status == CALVE_OK)
    status = calve_api__roots(config->allowed_roots, config->allowed_root_count, &arena,
                              &options.roots, err);
  if (status == CALVE_OK) status = calve_table_open_file(calve_str_of(path), &options, out, err);
  calve_arena_free(&arena);
  return status;
}

void calve_table_free(calve_table *table) {
  calve_table_close(table);
}

calve_str calve_table_location(const calve_table *table) {
  return calve_table_metadata(table)->location;
}

calve_str calve_table_uuid(const calve_table *table) {
  return calve_table_metadata(table)->table_uuid;
}

int64_t calve_table_snapshot_id(const calve_table *table) {
  return calve_table_metadata(table)->current_snapshot_id;
}

int32_t calve_table_format_version(const calve_table *table) {
  return calve_table_metadata(table)->format_version;
}

int32_t calve_table_default_spec_id(const calve_table *table) {
  return calve_table_metadata(table)->default_spec_id;
}

calve_str calve_table_property(const calve_table *table, const char *key) {
  return calve_properties_get(&calve_table_metadata(table)->properties, key ? key : "");
}

/* Moves a written text into the state's arena. */
static calve_status keep_text(calve_table *table, calve_buffer *text, calve_str *out,
                              calve_error *err) {
  calve_status status = calve_buffer_check(text, err);
  if (status == CALVE_OK)
    status = calve_arena_str(calve_table_state_arena(table), calve_buffer_view(text), out, err);
  calve_buffer_free(text);
  return status;
}

calve_status calve_table_metadata_json(calve_table *table, int indent, calve_str *out,
                                       calve_error *err) {
  calve_buffer text;
  calve_json_writer w;
  if (indent < 0 || indent > INDENT_MAX)
    return calve_fail(err, CALVE_EINVAL, "indent", "%d is not between 0 and %d", indent,
                      INDENT_MAX);
  calve_buffer_init(&text, calve_table_allocator(table));
  calve_json_write_init(&w, &text, indent);
  calve_metadata_write_json(calve_table_metadata(table), &w);
  return keep_text(table, &text, out, err);
}

calve_status calve_table_schema_json(calve_table *table, int32_t schema_id, calve_str *out,
                                     calve_error *err) {
  const calve_metadata *m = calve_table_metadata(table);
  const calve_schema *schema = schema_id == -1 ? m->schema : calve_metadata_schema(m, schema_id);
  if (!schema)
    return calve_fail(err, CALVE_ENOTFOUND, calve_table_full_name(table).data,
                      "the table has no schema %" PRId32, schema_id);
  calve_buffer text;
  calve_json_writer w;
  calve_buffer_init(&text, calve_table_allocator(table));
  calve_json_write_init(&w, &text, 0);
  calve_schema_write_json(schema, &w);
  return keep_text(table, &text, out, err);
}

calve_status calve_table_spec_json(calve_table *table, int32_t spec_id, calve_str *out,
                                   calve_error *err) {
  const calve_metadata *m = calve_table_metadata(table);
  const calve_spec *spec = spec_id == -1 ? m->spec : calve_metadata_spec(m, spec_id);
  if (!spec)
    return calve_fail(err, CALVE_ENOTFOUND, calve_table_full_name(table).data,
                      "the table has no partition spec %" PRId32, spec_id);
  calve_buffer text;
  calve_json_writer w;
  calve_buffer_init(&text, calve_table_allocator(table));
  calve_json_write_init(&w, &text, 0);
  calve_spec_write_json(spec, &w);
  return keep_text(table, &text, out, err);
}
