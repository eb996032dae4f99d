/* SPDX-License-Identifier: Apache-2.0 */
/* A catalog with one small table, for tests of commit, catalog and keep.
 *
 *   table_fixture f;
 *   table_fixture_open(&f, &(table_fixture_options){…});    // table db.t
 *   fixture_append(&f, f.table, "a", …);                    // one data file, committed
 *   table_fixture_close(&f);
 *
 * Schema: 1: id long required, 2: ts timestamp, 3: country string; partitioned by identity(country)
 * unless the options say otherwise. Data files are records only: nothing reads their rows.       */
#ifndef CALVE_TESTS_TABLE_FIXTURE_H
#define CALVE_TESTS_TABLE_FIXTURE_H

#include "base/map.h"
#include "harness.h"

#include "base/text.h"
#include "catalog/table.h"
#include "commit/reachable.h"
#include "evolve/spec_update.h"
#include "store/memory.h"
#include "track/manifest.h"

#define FIXTURE_SCHEMA                                                                        \
  "{\"type\":\"struct\",\"schema-id\":0,\"fields\":["                                         \
  "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\"},"                           \
  "{\"id\":2,\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"},"                     \
  "{\"id\":3,\"name\":\"country\",\"required\":false,\"type\":\"string\"}]}"

typedef struct table_fixture_options {
  bool sql;                    /* a SQLite catalog in a folder of its own; else filesystem layout */
  bool local;                  /* filesystem layout on disk; else in memory                       */
  const calve_store *store;    /* NULL: the local or a memory store                               */
  const calve_allocator *allocator;
  const char *const *properties; /* key, value, …, NULL                                           */
  bool unpartitioned;
} table_fixture_options;

typedef struct table_fixture {
  char folder[256];
  calve_store *memory; /* NULL unless the fixture made it                                         */
  const calve_store *store;
  calve_arena arena;
  calve_catalog *catalog;
  calve_table *table;
  calve_table_name name;
  int64_t now_ms;   /* what the clock says; moves on by 1 with each look                          */
  int64_t slept_ms; /* all sleeps so far                                                          */
  bool cancelled;   /* what a sleep says                                                          */
} table_fixture;

static inline int64_t fixture_now_(void *ctx) {
  return ((table_fixture *)ctx)->now_ms++;
}

static inline bool fixture_sleep_(void *ctx, int64_t ms) {
  ((table_fixture *)ctx)->slept_ms += ms;
  return !((table_fixture *)ctx)->cancelled;
}

static inline calve_status fixture_open_catalog(table_fixture *f, const table_fixture_options *o,
                                                calve_catalog **out, calve_error *err) {
  char warehouse[300];
  snprintf(warehouse, sizeof warehouse, "%s", f->folder);
  const calve_property properties[] = {
      {CALVE_STR("type"), o->sql ? CALVE_STR("sql") : CALVE_STR("filesystem")},
      {CALVE_STR("warehouse"), calve_str_of(warehouse)}};
  const calve_catalog_options options = {.properties = {properties, 2},
                                         .store = f->store,
                                         .allocator = o->allocator,
                                         .clock = {f, fixture_now_, fixture_sleep_}};
  return calve_catalog_open_options(&options, out, err);
}

static inline void fixture_definition(table_fixture *f, const table_fixture_options *o,
                                      calve_table_definition *out) {
  calve_error err;
  *out = (calve_table_definition){0};
  assert_ok(calve_schema_parse(CALVE_STR(FIXTURE_SCHEMA), "schema", &f->arena, &out->schema, &err),
            &err);
  const calve_new_partition_field field = {.source = CALVE_STR("country"),
                                           .transform = {.kind = CALVE_IDENTITY}};
  if (!o->unpartitioned)
    assert_ok(calve_spec_build(out->schema, &field, 1, true, &f->arena, &out->spec, &err), &err);
  size_t count = 0;
  while (o->properties && o->properties[2 * count]) count++;
  calve_property *items = CALVE_NEW_ARRAY(&f->arena, calve_property, count);
  assert_non_null(items);
  for (size_t i = 0; i < count; i++)
    items[i] = (calve_property){calve_str_of(o->properties[2 * i]),
                                calve_str_of(o->properties[2 * i + 1])};
  out->properties = (calve_properties){items, count};
}

static inline void table_fixture_open(table_fixture *f, const table_fixture_options *o) {
  calve_error err = {0};
  calve_table_definition definition;
  memset(f, 0, sizeof *f);
  f->now_ms = INT64_C(1700000000000);
  calve_arena_init(&f->arena, NULL);
  if (o->sql || o->local) make_temp_dir(f->folder);
  else snprintf(f->folder, sizeof f->folder, "/wh");
  f->store = o->store;
  if (!f->store && o->local) f->store = calve_local_store();
  if (!f->store) {
    assert_ok(calve_memory_store_make(NULL, &f->memory, &err), &err);
    f->store = f->memory;
  }
  assert_ok(fixture_open_catalog(f, o, &f->catalog, &err), &err);
  assert_ok(calve_table_name_parse(CALVE_STR("db.t"), &f->arena, &f->name, &err), &err);
  assert_ok(calve_catalog_create_namespace(f->catalog, &f->name.space, NULL, &err), &err);
  fixture_definition(f, o, &definition);
  assert_ok(calve_table_create(f->catalog, &f->name, &definition, &f->table, &err), &err);
}

static inline void table_fixture_close(table_fixture *f) {
  calve_table_close(f->table);
  calve_catalog_close(f->catalog);
  calve_memory_store_free(f->memory);
  calve_arena_free(&f->arena);
  if (strstr(f->folder, "/calve-test-")) remove_temp_dir(f->folder);
}

/* The record of a data file of the fixture's schema, under spec 0 (or none when unpartitioned).
 * country NULL is a null partition. Strings and values live in f->arena. */
static inline calve_data_file fixture_file(table_fixture *f, const calve_table *t, const char *name,
                                           const char *country, int64_t records) {
  calve_error err;
  calve_data_file file = calve_data_file_blank();
  calve_value *tuple = CALVE_NEW(&f->arena, calve_value);
  assert_non_null(tuple);
  *tuple = calve_value_null(CALVE_STRING);
  if (country) {
    tuple->is_null = false;
    assert_ok(calve_arena_str(&f->arena, calve_str_of(country), &tuple->bytes, &err), &err);
  }
  calve_str location = calve_table_metadata(t)->location;
  assert_ok(calve_arena_printf(&f->arena, &file.path, &err, "%.*s/data/%s.parquet",
                               (int)location.size, location.data, name),
            &err);
  file.format = CALVE_STR("PARQUET");
  file.record_count = records;
  file.file_size_bytes = 1000 + records;
  file.partition = tuple;
  file.partition_count = calve_metadata_spec(calve_table_metadata(t), 0)->field_count;
  file.spec_id = 0;
  return file;
}

static inline calve_snapshot_update *fixture_update(void) {
  calve_error err;
  calve_snapshot_update *u;
  assert_ok(calve_snapshot_update_make(NULL, &u, &err), &err);
  return u;
}

static inline calve_status fixture_append(table_fixture *f, calve_table *t, const char *name,
                                          const char *country, int64_t records, calve_error *err) {
  calve_snapshot_update *u = fixture_update();
  calve_data_file file = fixture_file(f, t, name, country, records);
  assert_ok(calve_snapshot_update_add(u, &file, err), err);
  calve_status status = calve_table_commit_update(t, u, err);
  calve_snapshot_update_free(u);
  return status;
}

static inline void fixture_set_property(calve_table *t, const char *key, const char *value) {
  calve_error err;
  const calve_property set = {calve_str_of(key), calve_str_of(value)};
  const calve_change change = {.kind = CALVE_SET_PROPERTIES, .properties = {&set, 1}};
  const calve_changes changes = {.change_count = 1, .changes = &change};
  assert_ok(calve_table_commit_changes(t, &changes, &err), &err);
}

/* ---- looking at what was committed ---- */

typedef struct fixture_entry {
  calve_str name; /* of the file, without folder and ending                                       */
  int32_t spec_id, content, status;
  int64_t snapshot_id, sequence_number, record_count, first_row_id;
  calve_str manifest;
} fixture_entry;

/* Manifests of the current snapshot (or of the given one), in the order of its list. */
static inline size_t fixture_manifests(table_fixture *f, const calve_table *t,
                                       const calve_snapshot *snapshot,
                                       const calve_manifest_file **out) {
  calve_error err;
  calve_str bytes;
  size_t count = 0;
  if (!snapshot) snapshot = calve_metadata_current_snapshot(calve_table_metadata(t));
  *out = NULL;
  if (!snapshot) return 0;
  assert_ok(calve_store_read(calve_table_store(t), snapshot->manifest_list, INT64_MAX, &f->arena,
                             &bytes, &err),
            &err);
  assert_ok(calve_manifest_list_read(bytes, "list", &f->arena, out, &count, &err), &err);
  return count;
}

/* Entries of all of them, those with status DELETED too when asked for. */
static inline size_t fixture_entries(table_fixture *f, const calve_table *t, bool with_deleted,
                                     fixture_entry *out, size_t max) {
  calve_error err;
  const calve_manifest_file *manifests;
  size_t count = 0, manifest_count = fixture_manifests(f, t, NULL, &manifests);
  const calve_manifest_options options = {.keep_deleted = with_deleted};
  for (size_t i = 0; i < manifest_count; i++) {
    calve_str bytes;
    calve_manifest_reader reader;
    const calve_manifest_entry *entries;
    size_t entry_count;
    assert_ok(calve_store_read(calve_table_store(t), manifests[i].path, INT64_MAX, &f->arena,
                               &bytes, &err),
              &err);
    assert_ok(calve_manifest_open(bytes, &manifests[i], calve_table_metadata(t), &options,
                                  &f->arena, &reader, &err),
              &err);
    assert_ok(calve_manifest_read_all(&reader, &f->arena, &entries, &entry_count, &err), &err);
    for (size_t k = 0; k < entry_count; k++) {
      assert_true(count < max);
      const calve_data_file *file = &entries[k].file;
      calve_str name = file->path;
      const char *slash = strrchr(name.data, '/');
      name.size -= (size_t)(slash + 1 - name.data);
      name.data = slash + 1;
      if (calve_str_ends_with(name, CALVE_STR(".parquet"))) name.size -= 8;
      out[count++] = (fixture_entry){.name = name,
                                     .spec_id = file->spec_id,
                                     .content = file->content,
                                     .status = entries[k].status,
                                     .snapshot_id = entries[k].snapshot_id,
                                     .sequence_number = entries[k].data_sequence_number,
                                     .record_count = file->record_count,
                                     .first_row_id = file->first_row_id,
                                     .manifest = manifests[i].path};
    }
  }
  return count;
}

/* The names of the live files, sorted, with spaces between: "a b c". */
static inline const char *fixture_live(table_fixture *f, const calve_table *t) {
  static char text[4096];
  fixture_entry entries[512];
  size_t count = fixture_entries(f, t, false, entries, 512);
  for (size_t i = 1; i < count; i++)
    for (size_t k = i; k > 0 && calve_str_compare(entries[k].name, entries[k - 1].name) < 0; k--) {
      fixture_entry swap = entries[k];
      entries[k] = entries[k - 1];
      entries[k - 1] = swap;
    }
  size_t size = 0;
  for (size_t i = 0; i < count; i++)
    size += (size_t)snprintf(text + size, sizeof text - size, "%s%.*s", i ? " " : "",
                             (int)entries[i].name.size, entries[i].name.data);
  if (count == 0) text[0] = '\0';
  return text;
}

/* ---- what lies around --------------------------------------------------------------------- */

typedef struct fixture_walk_ {
  const calve_store *store;
  calve_arena *arena;
  calve_map named;
  size_t orphans;
  char first[300];
} fixture_walk_;

static inline calve_status fixture_name_(void *ctx, calve_reachable_kind kind, calve_str path,
                                         calve_error *err) {
  fixture_walk_ *w = ctx;
  calve_str key;
  bool exists = true;
  if (kind != CALVE_REACHABLE_DATA) /* data files are records only */
    assert_ok(calve_store_exists(w->store, path, &exists, NULL, err), err);
  if (!exists) fail_msg("%.*s is named but gone", CALVE_STR_ARG(path));
  assert_ok(calve_path_key(path, w->arena, &key, err), err);
  return calve_map_put_str(&w->named, key, w, NULL, err);
}

static inline calve_status fixture_see_(void *ctx, const calve_store_entry *entry,
                                        calve_error *err) {
  fixture_walk_ *w = ctx;
  calve_str key;
  assert_ok(calve_path_key(calve_str_of(entry->path), w->arena, &key, err), err);
  if (calve_map_get_str(&w->named, key) || strstr(entry->path, "version-hint.text"))
    return CALVE_OK;
  if (w->orphans++ == 0) snprintf(w->first, sizeof w->first, "%s", entry->path);
  return CALVE_OK;
}

/* Files below the table's folder that its current state does not name. Fails the test when a file
 * that it names is gone. `store` is one without faults. */
static inline size_t fixture_orphans(table_fixture *f, const calve_store *store,
                                     const calve_table *t, char first[300]) {
  calve_error err;
  fixture_walk_ w = {.store = store, .arena = &f->arena};
  calve_map_init(&w.named, &f->arena);
  const calve_metadata *m = calve_table_metadata(t);
  assert_ok(calve_reachable_files(store, m, NULL, fixture_name_, &w, &err), &err);
  assert_ok(fixture_name_(&w, CALVE_REACHABLE_METADATA, calve_table_metadata_location(t), &err),
            &err);
  assert_ok(calve_store_list(store, m->location, fixture_see_, &w, &err), &err);
  if (first) memcpy(first, w.first, sizeof w.first);
  return w.orphans;
}

#define assert_no_orphans(f, store, t) assert_no_orphans_((f), (store), (t), __FILE__, __LINE__)
static inline void assert_no_orphans_(table_fixture *f, const calve_store *store,
                                      const calve_table *t, const char *file, int line) {
  char first[300];
  size_t count = fixture_orphans(f, store, t, first);
  if (count == 0) return;
  print_error("%zu files are left behind, such as %s\n", count, first);
  _fail(file, line);
}

/* One property of a snapshot's summary; "(none)". */
static inline const char *snapshot_summary(const calve_snapshot *s, const char *key, char *out,
                                           size_t size) {
  calve_arena arena;
  calve_properties summary;
  calve_arena_init(&arena, NULL);
  assert_int_equal(calve_snapshot_summary(s, &arena, &summary, NULL), CALVE_OK);
  calve_str value = calve_properties_get(&summary, key);
  snprintf(out, size, "%.*s", (int)value.size, value.data ? value.data : "");
  calve_arena_free(&arena);
  return value.data ? out : "(none)";
}

static inline const char *fixture_summary(const calve_table *t, const char *key) {
  static char text[8][100];
  static unsigned turn;
  char *out = text[turn++ % 8];
  const calve_snapshot *s = calve_metadata_current_snapshot(calve_table_metadata(t));
  return s ? snapshot_summary(s, key, out, sizeof text[0]) : "(none)";
}

#endif
