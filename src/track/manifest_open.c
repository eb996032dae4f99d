/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "track/manifest.h"
#include "track/manifest_plan.h"
#include "track/partition_value.h"

#define PARTITION_FIELD  102
#define IN_ENTRY(member) offsetof(calve_manifest_entry, member)
#define IN_FILE(member)  offsetof(calve_manifest_entry, file.member)

/* The wanted fields of data_file; the partition comes last. */
static size_t want_file(const calve_manifest_options *o, bool deletes, calve_avro_want *wants) {
  const struct {
    uint32_t columns;
    calve_avro_want want;
  } all[] = {
      {0, {134, "content", CALVE_AVRO_TO_I32, .offset = IN_FILE(content)}},
      {0, {100, "file_path", CALVE_AVRO_TO_STR, true, .offset = IN_FILE(path)}},
      {0, {101, "file_format", CALVE_AVRO_TO_STR, true, .offset = IN_FILE(format)}},
      {0, {103, "record_count", CALVE_AVRO_TO_I64, true, .offset = IN_FILE(record_count)}},
      {0, {104, "file_size_in_bytes", CALVE_AVRO_TO_I64, true, .offset = IN_FILE(file_size_bytes)}},
      {CALVE_COLUMNS_SIZES,
       {108, "column_sizes", CALVE_AVRO_TO_ID_I64, .offset = IN_FILE(column_sizes), .key_id = 117,
        .value_id = 118}},
      {CALVE_COLUMNS_VALUE_COUNTS,
       {109, "value_counts", CALVE_AVRO_TO_ID_I64, .offset = IN_FILE(value_counts), .key_id = 119,
        .value_id = 120}},
      {CALVE_COLUMNS_NULL_COUNTS,
       {110, "null_value_counts", CALVE_AVRO_TO_ID_I64, .offset = IN_FILE(null_value_counts),
        .key_id = 121, .value_id = 122}},
      {CALVE_COLUMNS_NAN_COUNTS,
       {137, "nan_value_counts", CALVE_AVRO_TO_ID_I64, .offset = IN_FILE(nan_value_counts),
        .key_id = 138, .value_id = 139}},
      {CALVE_COLUMNS_BOUNDS,
       {125, "lower_bounds", CALVE_AVRO_TO_ID_BYTES, .offset = IN_FILE(lower_bounds), .key_id = 126,
        .value_id = 127}},
      {CALVE_COLUMNS_BOUNDS,
       {128, "upper_bounds", CALVE_AVRO_TO_ID_BYTES, .offset = IN_FILE(upper_bounds), .key_id = 129,
        .value_id = 130}},
      {CALVE_COLUMNS_KEY_METADATA,
       {131, "key_metadata", CALVE_AVRO_TO_STR, .offset = IN_FILE(key_metadata)}},
      {CALVE_COLUMNS_SPLIT_OFFSETS,
       {132, "split_offsets", CALVE_AVRO_TO_I64_LIST, .offset = IN_FILE(split_offsets)}},
      {CALVE_COLUMNS_SORT_ORDER,
       {140, "sort_order_id", CALVE_AVRO_TO_I32, .offset = IN_FILE(sort_order_id)}},
  };
  static const calve_avro_want of_deletes[] = {
      {135, "equality_ids", CALVE_AVRO_TO_I32_LIST, .offset = IN_FILE(equality_ids)},
      {143, "referenced_data_file", CALVE_AVRO_TO_STR, .offset = IN_FILE(referenced_data_file)},
      {144, "content_offset", CALVE_AVRO_TO_I64, .offset = IN_FILE(content_offset)},
      {145, "content_size_in_bytes", CALVE_AVRO_TO_I64, .offset = IN_FILE(content_size_bytes)},
  };
  size_t n = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i].columns && !(all[i].columns & o->columns)) continue;
    wants[n] = all[i].want;
    wants[n].only_ids = o->metric_ids;
    wants[n].only_count = o->metric_id_count;
    n++;
  }
  if (deletes) {
    memcpy(wants + n, of_deletes, sizeof of_deletes);
    return n + sizeof of_deletes / sizeof *of_deletes;
  }
  wants[n++] =
      (calve_avro_want){142, "first_row_id", CALVE_AVRO_TO_I64, .offset = IN_FILE(first_row_id)};
  return n;
}
#define WANTS_MAX 24

static const calve_avro_type *find_partition(const calve_avro_type *entry) {
  const calve_avro_field *file = calve_avro_find_field(entry, 2, "data_file");
  if (!file || calve_avro_not_null(file->type)->id != CALVE_AVRO_RECORD) return NULL;
  const calve_avro_field *partition =
      calve_avro_find_field(calve_avro_not_null(file->type), PARTITION_FIELD, "partition");
  const calve_avro_type *type = partition ? calve_avro_not_null(partition->type) : NULL;
  return type && type->id == CALVE_AVRO_RECORD ? type : NULL;
}

/* The type of a field's values by the table's schemas; by the transform alone where they lack the
 * source; NULL when neither knows. */
static const calve_type *expected_type(const calve_partition_field *f,
                                       const calve_metadata *metadata) {
  switch (f->transform.kind) {
    case CALVE_TRANSFORM_UNKNOWN:
      return NULL;
    case CALVE_DAY:
      return calve_type_of(CALVE_DATE);
    case CALVE_BUCKET:
    case CALVE_YEAR:
    case CALVE_MONTH:
    case CALVE_HOUR:
      return calve_type_of(CALVE_INT);
    default:
      break;
  }
  if (!metadata || f->source_count != 1) return NULL;
  const calve_schema_node *node = calve_metadata_find_field(metadata, f->source_id);
  if (!node || !calve_transform_accepts(&f->transform, node->field->type)) return NULL;
  return calve_transform_result_type(&f->transform, node->field->type);
}

uint64_t calve_manifest_tuple_reading(const calve_spec *spec, const calve_metadata *metadata) {
  uint64_t all = (uint64_t)spec->field_count;
  for (int32_t i = 0; i < spec->field_count; i++) {
    const calve_partition_field *f = &spec->fields[i];
    const calve_type *t = expected_type(f, metadata);
    const int32_t numbers[] = {f->field_id,
                               f->source_id,
                               f->source_count,
                               (int32_t)f->transform.kind,
                               f->transform.parameter,
                               t ? (int32_t)t->id : -1,
                               t ? t->precision : 0,
                               t ? t->scale : 0,
                               t ? t->length : 0};
    uint64_t one = calve_str_hash((calve_str){(const char *)numbers, sizeof numbers});
    all = (all ^ one) * UINT64_C(0x9E3779B185EBCA87) + calve_str_hash(f->name);
    all ^= all >> 29;
  }
  return all;
}

bool calve_manifest_tuples_known(const calve_manifest_reader *r, const calve_spec *spec) {
  if (!spec || r->spec != spec) return false;
  for (int32_t i = 0; i < spec->field_count; i++) {
    if (r->partition_types[i]->id == CALVE_UNKNOWN &&
        spec->fields[i].transform.kind != CALVE_VOID) {
      return false;
    }
  }
  return true;
}

/* Wants for the tuple's fields, and the types they are read as. */
static calve_status want_tuple(calve_track__form *form, const calve_metadata *metadata,
                               calve_arena *arena, const calve_avro_want **out, bool *any_fixed,
                               calve_error *err) {
  size_t count = (size_t)form->spec->field_count;
  calve_avro_want *wants = CALVE_NEW_ARRAY(arena, calve_avro_want, count);
  const calve_type **types = CALVE_NEW_ARRAY(arena, const calve_type *, count);
  if (!wants || !types) return calve_fail_oom(err);
  const calve_avro_type *record = find_partition(form->schema);
  for (size_t i = 0; i < count; i++) {
    const calve_partition_field *f = &form->spec->fields[i];
    calve_buffer name;
    calve_buffer_init(&name, arena->allocator);
    calve_avro_put_safe_name(&name, f->name);
    char *safe = calve_arena_copy(arena, calve_buffer_cstr(&name), name.size);
    bool oom = !safe || name.oom;
    calve_buffer_free(&name);
    if (oom) return calve_fail_oom(err);
    wants[i] = (calve_avro_want){f->field_id, safe, CALVE_AVRO_TO_SCALAR,
                                 .offset = i * sizeof(calve_avro_scalar)};
    const calve_avro_field *avro = record ? calve_avro_find_field(record, f->field_id, safe) : NULL;
    const calve_avro_type *type = avro ? calve_avro_not_null(avro->type) : NULL;
    types[i] = calve_type_of(CALVE_UNKNOWN);
    if (!type) continue;
    *any_fixed = *any_fixed || (type->id == CALVE_AVRO_FIXED && type->logical == CALVE_AVRO_PLAIN);
    CALVE_TRY(calve_track__partition_type(type, expected_type(f, metadata), arena, &types[i], err));
    /* A nested value is nothing that a tuple can hold: left null, of unknown type. */
    if (types[i]->id == CALVE_UNKNOWN) wants[i].field_id = -1, wants[i].name = "";
  }
  form->partition_types = types;
  *out = wants;
  return CALVE_OK;
}

/* Fills the form, whose spec, content and schema text are set. */
static calve_status compile(calve_track__form *form, const char *where,
                            const calve_metadata *metadata, const calve_manifest_options *options,
                            calve_arena *arena, calve_error *err) {
  CALVE_TRY(calve_avro_parse_records(form->schema_text, where, arena, &form->schema, err));
  bool any_fixed = false;
  const calve_avro_want *tuple = NULL;
  CALVE_TRY(want_tuple(form, metadata, arena, &tuple, &any_fixed, err));
  calve_avro_want *file = CALVE_NEW_ARRAY(arena, calve_avro_want, WANTS_MAX);
  calve_avro_want *entry = CALVE_NEW_ARRAY(arena, calve_avro_want, 5);
  if (!file || !entry) return calve_fail_oom(err);
  size_t n = want_file(options, form->content == CALVE_MANIFEST_DELETES, file);
  file[n++] =
      (calve_avro_want){PARTITION_FIELD,         "partition",
                        CALVE_AVRO_TO_RECORD_AT, .offset = IN_FILE(partition),
                        .fields = tuple,         .field_count = (size_t)form->spec->field_count};
  assert(n <= WANTS_MAX);
  entry[0] = (calve_avro_want){0, "status", CALVE_AVRO_TO_I32, true, .offset = IN_ENTRY(status)};
  entry[1] =
      (calve_avro_want){1, "snapshot_id", CALVE_AVRO_TO_I64, .offset = IN_ENTRY(snapshot_id)};
  entry[2] = (calve_avro_want){3, "sequence_number", CALVE_AVRO_TO_I64,
                               .offset = IN_ENTRY(data_sequence_number)};
  entry[3] = (calve_avro_want){4, "file_sequence_number", CALVE_AVRO_TO_I64,
                               .offset = IN_ENTRY(file_sequence_number)};
  entry[4] = (calve_avro_want){2,    "data_file",    CALVE_AVRO_TO_RECORD,
                               true, .fields = file, .field_count = n};
  CALVE_TRY(calve_avro_compile(form->schema, entry, 5, NULL, where, arena, &form->program, err));
  if (any_fixed) {
    calve_avro_options prefixed = {.prefixed_fixed_in = PARTITION_FIELD};
    CALVE_TRY(
        calve_avro_compile(form->schema, entry, 5, &prefixed, where, arena, &form->prefixed, err));
  }
  return CALVE_OK;
}

#define FORMS_MAX 8

void calve_manifest_forms_free(calve_manifest_forms *forms) {
  calve_arena_free(&forms->arena);
  *forms = (calve_manifest_forms){0};
}

static const calve_track__form *find_form(const calve_manifest_forms *forms,
                                          const calve_track__form *key) {
  for (size_t i = 0; i < forms->count; i++) {
    const calve_track__form *f = &forms->forms[i];
    if (f->spec == key->spec && f->content == key->content &&
        calve_str_equal(f->schema_text, key->schema_text)) {
      return f;
    }
  }
  return NULL;
}

/* Compiles what the key names, for later manifests too. When there are more forms than are kept,
 * all make room. */
static calve_status add_form(calve_manifest_forms *forms, const calve_track__form *key,
                             const char *where, const calve_metadata *metadata,
                             const calve_manifest_options *options, calve_track__form *out,
                             calve_error *err) {
  if (forms->count == FORMS_MAX) {
    calve_arena_reset(&forms->arena);
    forms->count = 0;
  }
  if (forms->count == 0) {
    forms->forms = CALVE_NEW_ARRAY(&forms->arena, calve_track__form, FORMS_MAX);
    if (!forms->forms) return calve_fail_oom(err);
  }
  calve_track__form form = *key;
  CALVE_TRY(calve_arena_str(&forms->arena, key->schema_text, &form.schema_text, err));
  CALVE_TRY(compile(&form, where, metadata, options, &forms->arena, err));
  forms->forms[forms->count++] = form;
  *out = form;
  return CALVE_OK;
}

/* Finds or makes the form of the reader's manifest. */
static calve_status take_form(calve_manifest_reader *r, calve_str schema_text,
                              const calve_metadata *metadata, const calve_manifest_options *options,
                              calve_arena *arena, calve_error *err) {
  calve_track__form form = {
      .schema_text = schema_text, .spec = r->spec, .content = r->manifest->content};
  /* A spec of the manifest's own header goes with it. */
  bool lasts = metadata && calve_metadata_spec(metadata, r->spec->spec_id) == r->spec;
  calve_manifest_forms *forms = lasts ? options->forms : NULL;
  const calve_track__form *known = forms ? find_form(forms, &form) : NULL;
  if (known)
    form = *known;
  else if (forms)
    CALVE_TRY(add_form(forms, &form, r->file.where, metadata, options, &form, err));
  else
    CALVE_TRY(compile(&form, r->file.where, metadata, options, arena, err));
  struct calve_track__plan *plan = CALVE_NEW(arena, struct calve_track__plan);
  if (!plan) return calve_fail_oom(err);
  *plan = (struct calve_track__plan){.program = form.program,
                                     .prefixed = form.prefixed,
                                     .tuple_count = (size_t)r->spec->field_count};
  r->file.schema = form.schema;
  r->partition_types = form.partition_types;
  r->plan = plan;
  return CALVE_OK;
}

/* The spec of the table's metadata with the manifest's spec id; else the one in its own header. */
static calve_status find_spec(calve_manifest_reader *r, const calve_metadata *metadata,
                              calve_arena *arena, calve_error *err) {
  int64_t spec_id = r->manifest->spec_id;
  if (spec_id < 0) {
    calve_str text = calve_avro_get_meta(&r->file, "partition-spec-id");
    if (!text.data || !calve_str_to_i64(text, &spec_id)) spec_id = 0;
  }
  r->spec = NULL;
  if (metadata && spec_id >= 0 && spec_id <= INT32_MAX) {
    r->spec = calve_metadata_spec(metadata, (int32_t)spec_id);
  }
  if (r->spec) return CALVE_OK;
  calve_str json = calve_avro_get_meta(&r->file, "partition-spec");
  if (!json.data || spec_id < 0 || spec_id > INT32_MAX) {
    return calve_fail(err, CALVE_ECORRUPT, r->file.where,
                      "partition spec %lld is neither in the table's metadata nor in the manifest",
                      (long long)spec_id);
  }
  const calve_spec *spec;
  CALVE_TRY(calve_spec_parse(json, r->file.where, arena, &spec, err));
  calve_spec *own = CALVE_NEW(arena, calve_spec);
  if (!own) return calve_fail_oom(err);
  *own = *spec;
  own->spec_id = (int32_t)spec_id;
  r->spec = own;
  return CALVE_OK;
}

calve_status calve_manifest_open(calve_str bytes, const calve_manifest_file *manifest,
                                 const calve_metadata *metadata,
                                 const calve_manifest_options *options, calve_arena *arena,
                                 calve_manifest_reader *out, calve_error *err) {
  calve_manifest_reader r = {.manifest = manifest,
                             .next_row_id = manifest->first_row_id,
                             .keep_deleted = options->keep_deleted,
                             .cancel = options->cancel};
  const char *where = calve_arena_copy(arena, manifest->path.data, manifest->path.size);
  if (!where) return calve_fail_oom(err);
  if (manifest->key_metadata.data && (bytes.size < 4 || memcmp(bytes.data, "Obj\1", 4) != 0)) {
    return calve_fail(err, CALVE_EUNSUPPORTED, where, "encrypted manifests can't be read");
  }
  calve_str schema_text;
  CALVE_TRY(calve_avro_open_head(bytes, where, arena, &r.file, &schema_text, err));
  int64_t version = 1;
  calve_str version_text = calve_avro_get_meta(&r.file, "format-version");
  if (version_text.data && (!calve_str_to_i64(version_text, &version) || version < 1)) {
    return calve_fail(err, CALVE_ECORRUPT, where, "the manifest has no valid format-version");
  }
  if (version > CALVE_FORMAT_VERSION_MAX) {
    return calve_fail(err, CALVE_EUNSUPPORTED, where,
                      "manifests of format version %lld can't be read", (long long)version);
  }
  r.format_version = (int32_t)version;
  r.schema_json = calve_avro_get_meta(&r.file, "schema");
  CALVE_TRY(find_spec(&r, metadata, arena, err));
  CALVE_TRY(take_form(&r, schema_text, metadata, options, arena, err));
  *out = r;
  return CALVE_OK;
}
