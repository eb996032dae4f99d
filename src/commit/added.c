/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/text.h"
#include "commit/commit_summary.h"
#include "commit/maker.h"
#include "store/path.h"

/* The rules for a file that joins the table [spec: Manifests; Partition Evolution]: its spec is
 * one of the table's, and its tuple is one of that spec. It is never moved to another spec. */
static calve_status check_file(const calve_metadata *base, const calve_data_file *file,
                               const calve_type *const *types, const calve_spec *spec,
                               calve_error *err) {
  char path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(file->path, path, err));
  if (base->format_version < 2 && file->content != CALVE_CONTENT_DATA)
    return calve_fail(err, CALVE_EINVAL, path,
                      "delete files need format version 2; the table has 1");
  if (file->partition_count != spec->field_count)
    return calve_fail(err, CALVE_EINVAL, path,
                      "the file's partition has %d values, but partition spec %d has %d fields",
                      file->partition_count, spec->spec_id, spec->field_count);
  for (int32_t i = 0; i < spec->field_count; i++) {
    const calve_partition_field *f = &spec->fields[i];
    const calve_value *v = &file->partition[i];
    if (f->transform.kind == CALVE_TRANSFORM_UNKNOWN || f->source_count > 1)
      return calve_fail(err, CALVE_EUNSUPPORTED, path,
                        "partition field \"%.*s\" has a transform that this version cannot write",
                        CALVE_STR_ARG(f->name));
    if (v->is_null || types[i]->id == CALVE_UNKNOWN) continue;
    if (f->transform.kind == CALVE_VOID)
      return calve_fail(err, CALVE_EINVAL, path,
                        "partition field \"%.*s\" is void: its value must be null",
                        CALVE_STR_ARG(f->name));
    if (v->type != types[i]->id) {
      char text[CALVE_TYPE_TEXT_MAX];
      return calve_fail(err, CALVE_EINVAL, path,
                        "the value of partition field \"%.*s\" is not of type %s",
                        CALVE_STR_ARG(f->name), calve_type_text(types[i], text));
    }
  }
  return CALVE_OK;
}

/* Writes the added files of one content kind and spec. */
static calve_status write_group(calve_commit__attempt *a, int32_t content, const calve_spec *spec,
                                calve_error *err) {
  calve_commit__maker *maker = a->maker;
  const calve_type **types;
  CALVE_TRY(calve_spec_tuple_types(spec, a->base->schema, a->arena, &types, err));
  calve_commit__manifest_out out = {.maker = maker,
                                    .base = a->base,
                                    .spec = spec,
                                    .content = content,
                                    .target_bytes = calve_commit__target_bytes(a->base),
                                    .arena = &maker->arena,
                                    .out = &maker->added};
  const calve_data_file *files = CALVE_ITEMS(&maker->update->added, calve_data_file);
  size_t count = CALVE_COUNT(&maker->update->added, calve_data_file);
  calve_status status = CALVE_OK;
  for (size_t i = 0; i < count && status == CALVE_OK; i++) {
    bool is_data = files[i].content == CALVE_CONTENT_DATA;
    if (files[i].spec_id != spec->spec_id || is_data != (content == CALVE_MANIFEST_DATA)) continue;
    const calve_manifest_entry entry = {.status = CALVE_ENTRY_ADDED,
                                        .snapshot_id = maker->snapshot_id,
                                        .data_sequence_number = CALVE_UNSET,
                                        .file_sequence_number = CALVE_UNSET,
                                        .file = files[i]};
    status = check_file(a->base, &files[i], types, spec, err);
    if (status == CALVE_OK) status = calve_commit__out_add(&out, &entry, err);
  }
  if (status == CALVE_OK) status = calve_commit__out_end(&out, err);
  calve_commit__out_drop(&out);
  return status;
}

/* Whether files[at] is the first of its content kind and spec. */
static bool starts_group(const calve_data_file *files, size_t at) {
  bool is_data = files[at].content == CALVE_CONTENT_DATA;
  for (size_t i = 0; i < at; i++)
    if (files[i].spec_id == files[at].spec_id &&
        (files[i].content == CALVE_CONTENT_DATA) == is_data)
      return false;
  return true;
}

static calve_status spec_of(const calve_metadata *base, const calve_data_file *file,
                            const calve_spec **out, calve_error *err) {
  *out = calve_metadata_spec(base, file->spec_id);
  if (*out) return CALVE_OK;
  char path[CALVE_PATH_MAX];
  CALVE_TRY(calve_path_c(file->path, path, err));
  return calve_fail(err, CALVE_EINVAL, path,
                    "the file was written with partition spec %" PRId32
                    ", which the table does not have",
                    file->spec_id);
}

static calve_status write_added(calve_commit__attempt *a, calve_error *err) {
  calve_commit__maker *maker = a->maker;
  const calve_data_file *files = CALVE_ITEMS(&maker->update->added, calve_data_file);
  size_t count = CALVE_COUNT(&maker->update->added, calve_data_file);
  calve_buffer_clear(&maker->added);
  maker->added_version = 0;
  for (size_t i = 0; i < count; i++) {
    /* Files of one group mostly follow each other; that spares the search. */
    if (i > 0 && files[i].spec_id == files[i - 1].spec_id &&
        files[i].content == files[i - 1].content)
      continue;
    if (!starts_group(files, i)) continue;
    const calve_spec *spec;
    CALVE_TRY(spec_of(a->base, &files[i], &spec, err));
    int32_t content =
        files[i].content == CALVE_CONTENT_DATA ? CALVE_MANIFEST_DATA : CALVE_MANIFEST_DELETES;
    CALVE_TRY(write_group(a, content, spec, err));
  }
  maker->added_version = a->base->format_version;
  return CALVE_OK;
}

/* Manifests of an earlier attempt are used again: what they say depends on the specs, which only
 * grow, and on the format version. [spec: Commit Conflict Resolution and Retry] */
static calve_status reuse_added(calve_commit__attempt *a, calve_error *err) {
  const calve_data_file *files = CALVE_ITEMS(&a->maker->update->added, calve_data_file);
  size_t count = CALVE_COUNT(&a->maker->update->added, calve_data_file);
  const calve_spec *spec;
  for (size_t i = 0; i < count; i++)
    if (i == 0 || files[i].spec_id != files[i - 1].spec_id)
      CALVE_TRY(spec_of(a->base, &files[i], &spec, err));
  const calve_manifest_file *made = CALVE_ITEMS(&a->maker->added, calve_manifest_file);
  size_t made_count = CALVE_COUNT(&a->maker->added, calve_manifest_file);
  for (size_t i = 0; i < made_count; i++)
    calve_commit__need(a->maker, made[i].path, true);
  return CALVE_OK;
}

calve_status calve_commit__put_added(calve_commit__attempt *a, calve_error *err) {
  calve_commit__maker *maker = a->maker;
  bool reusable = maker->added_version == a->base->format_version;
  CALVE_TRY(reusable ? reuse_added(a, err) : write_added(a, err));
  calve_buffer_put(&a->manifests, maker->added.data, maker->added.size);
  CALVE_TRY(calve_buffer_check(&a->manifests, err));
  const calve_data_file *files = CALVE_ITEMS(&maker->update->added, calve_data_file);
  size_t count = CALVE_COUNT(&maker->update->added, calve_data_file);
  for (size_t i = 0; i < count; i++)
    CALVE_TRY(calve_commit__summary_count(a->summary, true, a->base, &files[i], err));
  return CALVE_OK;
}
