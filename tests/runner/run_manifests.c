/* SPDX-License-Identifier: Apache-2.0 */
/* manifests: NAME.avro read by calve against NAME.json, what the reference read from it. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/lines.h"
#include "runner/runner.h"
#include "track/manifest.h"

/* ---- our side as text, by the names of the vectors ------------------------------------------ */

static const char *optional_number(run *r, int64_t v) {
  return v == CALVE_UNSET ? "null" : text_of(r, "%lld", (long long)v);
}

static const char *optional_hex(run *r, calve_str s) {
  return s.data ? hex_of(r, s) : "null";
}

static const char *counts_text(run *r, const calve_id_i64_list *list) {
  if (!list->items) return "null";
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  for (size_t i = 0; i < list->count; i++) {
    calve_buffer_printf(&b, "%d=%lld ", list->items[i].id, (long long)list->items[i].value);
  }
  return take_text(r, &b);
}

static const char *bounds_text(run *r, const calve_id_bytes_list *list) {
  if (!list->items) return "null";
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  for (size_t i = 0; i < list->count; i++) {
    calve_buffer_printf(&b, "%d=%s ", list->items[i].id, hex_of(r, list->items[i].value));
  }
  return take_text(r, &b);
}

static const char *list_text(run *r, const calve_data_file *f, bool offsets) {
  size_t count = offsets ? f->split_offsets.count : f->equality_ids.count;
  if (offsets ? !f->split_offsets.items : !f->equality_ids.items) return "null";
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  for (size_t i = 0; i < count; i++) {
    long long v = offsets ? f->split_offsets.items[i] : f->equality_ids.items[i];
    calve_buffer_printf(&b, "%lld ", v);
  }
  return take_text(r, &b);
}

static const char *tuple_text(run *r, const calve_data_file *f, const calve_manifest_reader *m) {
  calve_buffer b;
  calve_buffer_init(&b, NULL);
  for (int32_t i = 0; i < f->partition_count; i++) {
    char type[CALVE_TYPE_TEXT_MAX];
    calve_buffer_printf(&b, "%d %s %s; ", m->spec->fields[i].field_id,
                        calve_type_text(m->partition_types[i], type),
                        value_hex(r, &f->partition[i]));
  }
  return take_text(r, &b);
}

static const char *ours(run *r, const char *key, const calve_manifest_entry *e,
                        const calve_manifest_reader *m) {
  const calve_data_file *f = &e->file;
  const struct {
    const char *key;
    int64_t value;
  } numbers[] = {
      {"status", e->status},
      {"snapshot_id", e->snapshot_id},
      {"data_sequence_number", e->data_sequence_number},
      {"file_sequence_number", e->file_sequence_number},
      {"pos", e->position},
      {"content", f->content},
      {"spec_id", f->spec_id},
      {"record_count", f->record_count},
      {"file_size_in_bytes", f->file_size_bytes},
      {"sort_order_id", f->sort_order_id},
      {"first_row_id", f->first_row_id},
      {"content_offset", f->content_offset},
      {"content_size_in_bytes", f->content_size_bytes},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (strcmp(numbers[i].key, key) == 0) return optional_number(r, numbers[i].value);
  }
  if (strcmp(key, "file_path") == 0) return text_of_str(r, f->path);
  if (strcmp(key, "file_format") == 0) return text_of_str(r, f->format);
  if (strcmp(key, "partition") == 0) return tuple_text(r, f, m);
  if (strcmp(key, "column_sizes") == 0) return counts_text(r, &f->column_sizes);
  if (strcmp(key, "value_counts") == 0) return counts_text(r, &f->value_counts);
  if (strcmp(key, "null_value_counts") == 0) return counts_text(r, &f->null_value_counts);
  if (strcmp(key, "nan_value_counts") == 0) return counts_text(r, &f->nan_value_counts);
  if (strcmp(key, "lower_bounds") == 0) return bounds_text(r, &f->lower_bounds);
  if (strcmp(key, "upper_bounds") == 0) return bounds_text(r, &f->upper_bounds);
  if (strcmp(key, "key_metadata") == 0) return optional_hex(r, f->key_metadata);
  if (strcmp(key, "split_offsets") == 0) return list_text(r, f, true);
  if (strcmp(key, "equality_ids") == 0) return list_text(r, f, false);
  if (strcmp(key, "referenced_data_file") == 0) {
    return f->referenced_data_file.data ? text_of_str(r, f->referenced_data_file) : "null";
  }
  return "(the runner does not know this member)";
}

/* ---- the vector's side ---------------------------------------------------------------------- */

static int by_id(const void *a, const void *b) {
  return atoi(*(const char *const *)a) - atoi(*(const char *const *)b);
}

/* {"2": "aa", "1": "bb"} as "1=bb 2=aa ". */
static const char *map_text(run *r, const calve_json *map) {
  const char *items[64];
  size_t count = map->count < 64 ? map->count : 64;
  for (size_t i = 0; i < count; i++) {
    items[i] =
        text_of(r, "%s=%s ", text_of_str(r, map->keys[i]), text_of_str(r, map->items[i].text));
  }
  qsort(items, count, sizeof *items, by_id);
  const char *text = "";
  for (size_t i = 0; i < count; i++) text = text_of(r, "%s%s", text, items[i]);
  return text;
}

static const char *array_text(run *r, const calve_json *array) {
  const char *text = "";
  for (size_t i = 0; i < array->count; i++) {
    const calve_json *item = &array->items[i];
    if (item->kind == CALVE_JSON_OBJECT) { /* a partition field                                 */
      const char *hex = member_text(r, item, "value_hex");
      text = text_of(r, "%s%lld %s %s; ", text, (long long)member_i64(item, "field_id"),
                     member_text(r, item, "type"), hex ? hex : "null");
    } else {
      text = text_of(r, "%s%s ", text, text_of_str(r, item->text));
    }
  }
  return text;
}

static const char *theirs(run *r, const calve_json *value) {
  switch (value->kind) {
    case CALVE_JSON_NULL:
      return "null";
    case CALVE_JSON_BOOL:
      return value->boolean ? "true" : "false";
    case CALVE_JSON_OBJECT:
      return map_text(r, value);
    case CALVE_JSON_ARRAY:
      return array_text(r, value);
    default:
      return text_of_str(r, value->text);
  }
}

/* ---- manifest lists ------------------------------------------------------------------------- */

static const char *summaries_text(run *r, const calve_manifest_file *m) {
  if (!m->partitions) return "null";
  const char *text = "";
  for (size_t i = 0; i < m->partition_count; i++) {
    const calve_field_summary *s = &m->partitions[i];
    text = text_of(r, "%snull %d nan %d %s %s; ", text, s->contains_null, s->contains_nan,
                   optional_hex(r, s->lower), optional_hex(r, s->upper));
  }
  return text;
}

static const char *summaries_expected(run *r, const calve_json *list) {
  if (!list || list->kind != CALVE_JSON_ARRAY) return "null";
  const char *text = "";
  for (size_t i = 0; i < list->count; i++) {
    const calve_json *s = &list->items[i];
    const char *lower = member_text(r, s, "lower_bound"), *upper = member_text(r, s, "upper_bound");
    int nan = member_is_null(s, "contains_nan") ? -1 : member_bool(s, "contains_nan");
    text = text_of(r, "%snull %d nan %d %s %s; ", text, member_bool(s, "contains_null"), nan,
                   lower ? lower : "null", upper ? upper : "null");
  }
  return text;
}

static void expect_manifest(run *r, const char *prefix, const calve_json *want,
                            const calve_manifest_file *got) {
  const struct {
    const char *key;
    int64_t value;
  } numbers[] = {
      {"manifest_length", got->length_bytes},
      {"partition_spec_id", got->spec_id},
      {"content", got->content},
      {"sequence_number", got->sequence_number},
      {"min_sequence_number", got->min_sequence_number},
      {"added_snapshot_id", got->added_snapshot_id},
      {"added_files_count", got->added_files_count},
      {"existing_files_count", got->existing_files_count},
      {"deleted_files_count", got->deleted_files_count},
      {"added_rows_count", got->added_rows_count},
      {"existing_rows_count", got->existing_rows_count},
      {"deleted_rows_count", got->deleted_rows_count},
      {"first_row_id", got->first_row_id},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const calve_json *v = calve_json_get(want, numbers[i].key);
    expect(r, text_of(r, "%s.%s", prefix, numbers[i].key), v ? theirs(r, v) : "null",
           optional_number(r, numbers[i].value));
  }
  expect(r, text_of(r, "%s.manifest_path", prefix), member_text(r, want, "manifest_path"),
         text_of_str(r, got->path));
  expect(r, text_of(r, "%s.partitions", prefix),
         summaries_expected(r, calve_json_get(want, "partitions")), summaries_text(r, got));
  const char *key = member_text(r, want, "key_metadata");
  expect(r, text_of(r, "%s.key_metadata", prefix), key ? key : "null",
         optional_hex(r, got->key_metadata));
}

static calve_str bytes_of(run *r, const char *name) {
  return file_text(&r->row, text_of(r, "%s/%s", r->dir, name));
}

static bool read_list(run *r, const char *name, const calve_manifest_file **out, size_t *count) {
  calve_str bytes = bytes_of(r, name);
  if (!bytes.data) return false;
  if (calve_manifest_list_read(bytes, name, &r->row, out, count, &r->err) == CALVE_OK) return true;
  expect(r, name, "readable", error_text(r));
  return false;
}

static void run_list(run *r, const calve_json *row) {
  const calve_manifest_file *got;
  size_t count;
  const char *name = text_of(r, "manifests/%s", member_text(r, row, "file"));
  if (!read_list(r, name, &got, &count)) return;
  const calve_json *want = calve_json_get(row, "manifests");
  if (!want) {
    row_unusable(r, "it has no manifests");
    return;
  }
  expect(r, "count", text_of(r, "%zu", want->count), text_of(r, "%zu", count));
  for (size_t i = 0; i < count && i < want->count; i++) {
    expect_manifest(r, text_of(r, "manifests[%zu]", i), &want->items[i], &got[i]);
  }
}

/* ---- manifests ------------------------------------------------------------------------------ */

static bool read_entries(run *r, const char *name, const calve_manifest_file *m,
                         calve_manifest_reader *reader, const calve_manifest_entry **out,
                         size_t *count) {
  calve_str bytes = bytes_of(r, name);
  if (!bytes.data) return false;
  const calve_manifest_options all = {.columns = CALVE_COLUMNS_ALL, .keep_deleted = true};
  if (calve_manifest_open(bytes, m, NULL, &all, &r->row, reader, &r->err) == CALVE_OK &&
      calve_manifest_read_all(reader, &r->row, out, count, &r->err) == CALVE_OK) {
    return true;
  }
  expect(r, name, "readable", error_text(r));
  return false;
}

static void expect_entries(run *r, const char *name, const calve_manifest_file *m,
                           const calve_json *want) {
  calve_manifest_reader reader;
  const calve_manifest_entry *got;
  size_t count;
  if (!read_entries(r, name, m, &reader, &got, &count)) return;
  expect(r, "count", text_of(r, "%zu", want->count), text_of(r, "%zu", count));
  for (size_t i = 0; i < count && i < want->count; i++) {
    const calve_json *entry = &want->items[i], *file = calve_json_get(entry, "file");
    for (size_t k = 0; k < entry->count; k++) {
      const char *key = text_of_str(r, entry->keys[k]);
      if (strcmp(key, "file") == 0) continue;
      expect(r, text_of(r, "entries[%zu].%s", i, key), theirs(r, &entry->items[k]),
             ours(r, key, &got[i], &reader));
    }
    for (size_t k = 0; file && k < file->count; k++) {
      const char *key = text_of_str(r, file->keys[k]);
      expect(r, text_of(r, "entries[%zu].file.%s", i, key), theirs(r, &file->items[k]),
             ours(r, key, &got[i], &reader));
    }
  }
}

static int64_t number_or_unset(const calve_json *j, const char *key) {
  return member_is_null(j, key) ? CALVE_UNSET : member_i64(j, key);
}

/* Read with what the manifest's record in a list hands down. */
static void run_read(run *r, const char *name, const calve_json *read) {
  const calve_json *record = calve_json_get(read, "manifest_file");
  calve_manifest_file m = calve_manifest_file_blank();
  m.path = calve_str_of(name);
  m.content = (int32_t)member_i64(record, "content");
  m.spec_id = (int32_t)member_i64(record, "partition_spec_id");
  m.sequence_number = member_i64(record, "sequence_number");
  m.added_snapshot_id = member_i64(record, "added_snapshot_id");
  m.first_row_id = number_or_unset(record, "first_row_id");
  expect_entries(r, name, &m, calve_json_get(read, "entries"));

  /* Not every list that the reference read through is among the vectors. */
  const char *list_name = text_of(r, "manifests/%s", member_text(r, read, "via_list"));
  const calve_manifest_file *list;
  size_t count;
  if (access(text_of(r, "%s/%s", r->dir, list_name), R_OK) != 0) return;
  if (!read_list(r, list_name, &list, &count)) return;
  for (size_t i = 0; i < count; i++) {
    if (!calve_str_equal_text(list[i].path, name)) continue;
    expect_manifest(r, list_name, record, &list[i]);
    return;
  }
  expect(r, list_name, "lists the manifest", "does not");
}

/* A manifest in no list: its fixed values in the standard form, which the reference can't read. */
static void run_standard(run *r, const char *name, const calve_manifest_file *m,
                         const calve_json *records) {
  calve_manifest_reader reader;
  const calve_manifest_entry *got;
  size_t count;
  if (!read_entries(r, name, m, &reader, &got, &count)) return;
  expect(r, "count", text_of(r, "%zu", records->count), text_of(r, "%zu", count));
  for (size_t i = 0; i < count && i < records->count; i++) {
    const calve_json *tuple =
        calve_json_get(calve_json_get(&records->items[i], "data_file"), "partition");
    for (int32_t f = 0; f < got[i].file.partition_count; f++) {
      if (got[i].file.partition[f].type != CALVE_FIXED) continue;
      const char *field = text_of_str(r, reader.spec->fields[f].name);
      expect(r, field, member_text(r, tuple, field), value_hex(r, &got[i].file.partition[f]));
    }
  }
}

static void run_manifest(run *r, const calve_json *row) {
  const char *name = text_of(r, "manifests/%s", member_text(r, row, "file"));
  const calve_json *reads = calve_json_get(row, "reads");
  for (size_t i = 0; reads && i < reads->count; i++) run_read(r, name, &reads->items[i]);
  if (reads) return;
  calve_manifest_file m = calve_manifest_file_blank();
  m.path = calve_str_of(name);
  m.added_snapshot_id =
      member_i64(calve_json_get(row, "written_manifest_file"), "added_snapshot_id");
  const calve_json *entries = calve_json_get(row, "java_read_entries");
  if (entries)
    expect_entries(r, name, &m, entries);
  else
    run_standard(r, name, &m, calve_json_get(row, "avro_records"));
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_json(const struct dirent *entry) {
  return calve_str_ends_with(calve_str_of(entry->d_name), CALVE_STR(".json"));
}

void run_manifests(run *r) {
  struct dirent **names;
  char folder[1024];
  snprintf(folder, sizeof folder, "%s/manifests", r->dir);
  int count = scandir(folder, &names, is_json, by_name);
  for (int i = 0; i < count; i++) {
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
    calve_arena arena;
    calve_arena_init(&arena, NULL);
    calve_str text = file_text(&arena, path);
    const calve_json *row = NULL;
    calve_status status = calve_json_parse(text, path, &arena, &row, &r->err);
    begin_row(r, names[i]->d_name, row);
    if (status != CALVE_OK) {
      row_unusable(r, "%s", r->err.message);
    } else if (calve_str_equal_text(member_str(row, "kind"), "manifest_list")) {
      run_list(r, row);
    } else {
      run_manifest(r, row);
    }
    end_row(r);
    calve_arena_free(&arena);
    free(names[i]);
  }
  if (count >= 0) free(names);
}
