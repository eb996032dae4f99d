/* SPDX-License-Identifier: Apache-2.0 */
#include "track/manifest_schema.h"

#include "base/text.h"
#include "codec/json.h"
#include "track/partition_value.h"

/* Starts or goes on with a list of fields. */
static void begin_field(calve_buffer *b, const char *name, bool *first) {
  if (!*first) calve_buffer_putc(b, ',');
  *first = false;
  calve_buffer_printf(b, "{\"name\":\"%s\",\"type\":", name);
}

static void required_field(calve_buffer *b, bool *first, const char *name, int id,
                           const char *type) {
  begin_field(b, name, first);
  calve_buffer_printf(b, "%s,\"field-id\":%d}", type, id);
}

static void optional_field(calve_buffer *b, bool *first, const char *name, int id,
                           const char *type) {
  begin_field(b, name, first);
  calve_buffer_printf(b, "[\"null\",%s],\"default\":null,\"field-id\":%d}", type, id);
}

/* map<int, long or bytes>: Avro's own maps have string keys only, so it is an array of pairs. */
static void map_field(calve_buffer *b, bool *first, const char *name, int id, int key_id,
                      const char *value_type) {
  begin_field(b, name, first);
  calve_buffer_printf(
      b,
      "[\"null\",{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"k%d_v%d\","
      "\"fields\":[{\"name\":\"key\",\"type\":\"int\",\"field-id\":%d},"
      "{\"name\":\"value\",\"type\":\"%s\",\"field-id\":%d}]},\"logicalType\":\"map\"}],"
      "\"default\":null,\"field-id\":%d}",
      key_id, key_id + 1, key_id, value_type, key_id + 1, id);
}

static void list_field(calve_buffer *b, bool *first, const char *name, int id, const char *type,
                       int element_id) {
  begin_field(b, name, first);
  calve_buffer_printf(b,
                      "[\"null\",{\"type\":\"array\",\"items\":\"%s\",\"element-id\":%d}],"
                      "\"default\":null,\"field-id\":%d}",
                      type, element_id, id);
}

/* Whether an earlier field of the spec has the same name once made valid. */
static bool is_taken(const calve_spec *spec, int32_t index, calve_str safe,
                     const calve_allocator *allocator) {
  bool taken = false;
  for (int32_t i = 0; i < index && !taken; i++) {
    calve_buffer other;
    calve_buffer_init(&other, allocator);
    calve_avro_put_safe_name(&other, spec->fields[i].name);
    taken = calve_str_equal(calve_buffer_view(&other), safe);
    calve_buffer_free(&other);
  }
  return taken;
}

static void partition_field(calve_buffer *b, bool *first, const calve_spec *spec, int32_t index,
                            const calve_type *type) {
  const calve_partition_field *f = &spec->fields[index];
  calve_buffer safe;
  calve_buffer_init(&safe, b->allocator);
  calve_avro_put_safe_name(&safe, f->name);
  if (is_taken(spec, index, calve_buffer_view(&safe), b->allocator)) {
    calve_buffer_printf(&safe, "_f%d", f->field_id);
  }
  if (!*first) calve_buffer_putc(b, ',');
  *first = false;
  calve_buffer_puts(b, "{\"name\":\"");
  calve_buffer_put_str(b, calve_buffer_view(&safe));
  calve_buffer_puts(b, "\",\"type\":[\"null\",");
  calve_track__put_avro_type(b, type, f->field_id);
  calve_buffer_printf(b, "],\"default\":null,\"field-id\":%d", f->field_id);
  if (!calve_avro_name_is_safe(f->name)) {
    calve_json_writer w;
    calve_json_write_init(&w, b, 0);
    calve_buffer_puts(b, ",\"iceberg-field-name\":");
    calve_json_write_str(&w, f->name);
  }
  calve_buffer_putc(b, '}');
  b->oom = b->oom || safe.oom;
  calve_buffer_free(&safe);
}

static void file_fields(calve_buffer *b, int32_t version, const calve_spec *spec,
                        const calve_type *const *types) {
  bool first = true;
  if (version > 1) required_field(b, &first, "content", 134, "\"int\"");
  required_field(b, &first, "file_path", 100, "\"string\"");
  required_field(b, &first, "file_format", 101, "\"string\"");
  begin_field(b, "partition", &first);
  calve_buffer_puts(b, "{\"type\":\"record\",\"name\":\"r102\",\"fields\":[");
  bool first_part = true;
  for (int32_t i = 0; i < spec->field_count; i++)
    if (types[i]) partition_field(b, &first_part, spec, i, types[i]);
  calve_buffer_puts(b, "]},\"field-id\":102}");
  required_field(b, &first, "record_count", 103, "\"long\"");
  required_field(b, &first, "file_size_in_bytes", 104, "\"long\"");
  if (version == 1) required_field(b, &first, "block_size_in_bytes", 105, "\"long\"");
  map_field(b, &first, "column_sizes", 108, 117, "long");
  map_field(b, &first, "value_counts", 109, 119, "long");
  map_field(b, &first, "null_value_counts", 110, 121, "long");
  map_field(b, &first, "nan_value_counts", 137, 138, "long");
  map_field(b, &first, "lower_bounds", 125, 126, "bytes");
  map_field(b, &first, "upper_bounds", 128, 129, "bytes");
  optional_field(b, &first, "key_metadata", 131, "\"bytes\"");
  list_field(b, &first, "split_offsets", 132, "long", 133);
  if (version > 1) list_field(b, &first, "equality_ids", 135, "int", 136);
  optional_field(b, &first, "sort_order_id", 140, "\"int\"");
  if (version > 2) optional_field(b, &first, "first_row_id", 142, "\"long\"");
  if (version > 1) optional_field(b, &first, "referenced_data_file", 143, "\"string\"");
  if (version > 2) {
    optional_field(b, &first, "content_offset", 144, "\"long\"");
    optional_field(b, &first, "content_size_in_bytes", 145, "\"long\"");
  }
}

void calve_track__put_manifest_schema(calve_buffer *json, int32_t format_version,
                                      const calve_spec *spec,
                                      const calve_type *const *partition_types) {
  bool first = true;
  calve_buffer_puts(json, "{\"type\":\"record\",\"name\":\"manifest_entry\",\"fields\":[");
  required_field(json, &first, "status", 0, "\"int\"");
  optional_field(json, &first, "snapshot_id", 1, "\"long\"");
  if (format_version > 1) {
    optional_field(json, &first, "sequence_number", 3, "\"long\"");
    optional_field(json, &first, "file_sequence_number", 4, "\"long\"");
  }
  begin_field(json, "data_file", &first);
  calve_buffer_puts(json, "{\"type\":\"record\",\"name\":\"r2\",\"fields\":[");
  file_fields(json, format_version, spec, partition_types);
  calve_buffer_puts(json, "]},\"field-id\":2}]}");
}

void calve_track__put_list_schema(calve_buffer *json, int32_t format_version) {
  bool first = true, is_v1 = format_version == 1;
  calve_buffer_puts(json, "{\"type\":\"record\",\"name\":\"manifest_file\",\"fields\":[");
  required_field(json, &first, "manifest_path", 500, "\"string\"");
  required_field(json, &first, "manifest_length", 501, "\"long\"");
  required_field(json, &first, "partition_spec_id", 502, "\"int\"");
  if (!is_v1) {
    required_field(json, &first, "content", 517, "\"int\"");
    required_field(json, &first, "sequence_number", 515, "\"long\"");
    required_field(json, &first, "min_sequence_number", 516, "\"long\"");
  }
  required_field(json, &first, "added_snapshot_id", 503, "\"long\"");
  static const struct {
    const char *name, *type;
    int id;
  } counts[] = {
      {"added_files_count", "\"int\"", 504},    {"existing_files_count", "\"int\"", 505},
      {"deleted_files_count", "\"int\"", 506},  {"added_rows_count", "\"long\"", 512},
      {"existing_rows_count", "\"long\"", 513}, {"deleted_rows_count", "\"long\"", 514},
  };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    if (is_v1)
      optional_field(json, &first, counts[i].name, counts[i].id, counts[i].type);
    else
      required_field(json, &first, counts[i].name, counts[i].id, counts[i].type);
  }
  begin_field(json, "partitions", &first);
  calve_buffer_puts(
      json,
      "[\"null\",{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"r508\","
      "\"fields\":[");
  bool first_part = true;
  required_field(json, &first_part, "contains_null", 509, "\"boolean\"");
  optional_field(json, &first_part, "contains_nan", 518, "\"boolean\"");
  optional_field(json, &first_part, "lower_bound", 510, "\"bytes\"");
  optional_field(json, &first_part, "upper_bound", 511, "\"bytes\"");
  calve_buffer_puts(json, "]},\"element-id\":508}],\"default\":null,\"field-id\":507}");
  optional_field(json, &first, "key_metadata", 519, "\"bytes\"");
  if (format_version > 2) optional_field(json, &first, "first_row_id", 520, "\"long\"");
  calve_buffer_puts(json, "]}");
}
