/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/text.h"
#include "commit/locations.h"
#include "commit/maker.h"
#include "store/path.h"

#define DEFAULT_TARGET_BYTES (INT64_C(8) << 20)

int64_t calve_commit__target_bytes(const calve_metadata *base) {
  int64_t bytes = calve_properties_i64(&base->properties, "commit.manifest.target-size-bytes",
                                       DEFAULT_TARGET_BYTES);
  return bytes > 0 ? bytes : DEFAULT_TARGET_BYTES;
}

calve_status calve_commit__write(calve_commit__maker *maker, const calve_metadata *base,
                                 const char *name, calve_str bytes, calve_arena *arena,
                                 calve_str *path, calve_error *err) {
  calve_str folder, made;
  CALVE_TRY(calve_metadata_folder(base, arena, &folder, err));
  CALVE_TRY(calve_path_join(folder, name, arena, &made, err));
  /* Logged before it is written: a write that fails half-way is cleaned up too. The log outlives
   * the attempt. */
  calve_commit__written entry = {.maker = maker, .needed = true};
  CALVE_TRY(calve_arena_str(&maker->arena, made, &entry.path, err));
  calve_buffer_put(maker->written, &entry, sizeof entry);
  CALVE_TRY(calve_buffer_check(maker->written, err));
  calve_status status = calve_store_create(maker->target->store, made, bytes, err);
  if (status == CALVE_EUNKNOWN) {
    /* No table state names this file yet: the commit has failed, whether it is there or not. */
    calve_error_prefix(err, "a manifest could not be written for sure");
    if (err) err->code = CALVE_EIO;
    return CALVE_EIO;
  }
  if (status != CALVE_OK) return status;
  *path = made;
  return CALVE_OK;
}

void calve_commit__need(calve_commit__maker *maker, calve_str path, bool needed) {
  calve_commit__written *items = CALVE_ITEMS(maker->written, calve_commit__written);
  size_t count = CALVE_COUNT(maker->written, calve_commit__written);
  for (size_t i = 0; i < count; i++)
    if (items[i].maker == maker && calve_str_equal(items[i].path, path)) items[i].needed = needed;
}

/* write.manifest.compression-codec and -level; the reference's default is deflate, level 9. */
static calve_status choose_codec(const calve_metadata *base, calve_manifest_params *params,
                                 calve_error *err) {
  calve_str name = calve_properties_get(&base->properties, "write.manifest.compression-codec");
  params->codec_id = CALVE_CODEC_DEFLATE;
  params->level = (int)calve_properties_i64(&base->properties,
                                            "write.manifest.compression-level", -1);
  if (name.size == 0 || calve_str_equal_nocase(name, CALVE_STR("gzip"))) return CALVE_OK;
  if (calve_str_equal_nocase(name, CALVE_STR("uncompressed"))) name = CALVE_STR("null");
  if (calve_str_equal_nocase(name, CALVE_STR("zstd"))) name = CALVE_STR("zstandard");
  return calve_codec_by_name(name, &params->codec_id, err);
}

static bool has_all_sources(const calve_schema *schema, const calve_spec *spec) {
  for (int32_t i = 0; i < spec->field_count; i++)
    if (!calve_schema_find_id(schema, spec->fields[i].source_id)) return false;
  return true;
}

/* The schema in a manifest's header must have the spec's source columns, or the types of the tuple
 * could not be told: the current one, else the newest that has them. */
static const calve_schema *header_schema(const calve_metadata *base, const calve_spec *spec) {
  if (has_all_sources(base->schema, spec)) return base->schema;
  const calve_schema *best = base->schema;
  int32_t best_id = -1;
  for (int32_t i = 0; i < base->schema_count; i++) {
    const calve_schema *schema = base->schemas[i];
    if (schema->schema_id <= best_id || !has_all_sources(schema, spec)) continue;
    best = schema;
    best_id = schema->schema_id;
  }
  return best;
}

static calve_status open_writer(calve_commit__manifest_out *o, calve_error *err) {
  calve_manifest_params params = {.format_version = o->base->format_version,
                                  .content = o->content,
                                  .schema = header_schema(o->base, o->spec),
                                  .spec = o->spec,
                                  .partition_types = o->partition_types,
                                  .snapshot_id = o->maker->snapshot_id,
                                  .allocator = o->maker->target->allocator};
  CALVE_TRY(choose_codec(o->base, &params, err));
  return calve_manifest_writer_open(&params, &o->writer, err);
}

static calve_status finish(calve_commit__manifest_out *o, calve_error *err) {
  char name[CALVE_UUID_TEXT_SIZE + 32];
  snprintf(name, sizeof name, "%s-m%d.avro", o->maker->uuid, o->maker->manifest_count++);
  calve_str bytes;
  calve_manifest_file record;
  calve_status status = calve_manifest_writer_finish(o->writer, o->arena, &bytes, &record, err);
  if (status == CALVE_OK)
    status = calve_commit__write(o->maker, o->base, name, bytes, o->arena, &record.path, err);
  calve_manifest_writer_free(o->writer);
  o->writer = NULL;
  if (status != CALVE_OK) return status;
  calve_buffer_put(o->out, &record, sizeof record);
  return calve_buffer_check(o->out, err);
}

calve_status calve_commit__out_add(calve_commit__manifest_out *o, const calve_manifest_entry *entry,
                                   calve_error *err) {
  if (o->writer && calve_manifest_writer_size_bytes(o->writer) >= o->target_bytes)
    CALVE_TRY(finish(o, err));
  if (!o->writer) CALVE_TRY(open_writer(o, err));
  return calve_manifest_writer_add(o->writer, entry, err);
}

calve_status calve_commit__out_end(calve_commit__manifest_out *o, calve_error *err) {
  return o->writer ? finish(o, err) : CALVE_OK;
}

void calve_commit__out_drop(calve_commit__manifest_out *o) {
  calve_manifest_writer_free(o->writer);
  o->writer = NULL;
}
