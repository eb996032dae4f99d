/* SPDX-License-Identifier: Apache-2.0 */
/* db.orders.snapshots and its kin: what metadata says, as rows. Columns are named as in Spark. */
#include <inttypes.h>

#include "data/sql_text.h"
#include "sql/file_tables.h"
#include "sql/relation.h"
#include "track/snapshot_manifests.h"

typedef calve_status fill_fn(calve_exec *x, const calve_relation_request *request,
                             calve_listing *listing, calve_error *err);

/* ---- snapshots, history, refs ------------------------------------------------------------- */

/* MAP {'key': 'value', …} */
static void list_map(calve_listing *l, const calve_properties *p, calve_buffer *text) {
  calve_buffer_clear(text);
  calve_buffer_puts(text, "MAP {");
  bool any = false;
  for (size_t i = 0; i < p->count; i++) {
    if (calve_str_equal_text(p->items[i].key, "operation")) continue; /* a column of its own */
    if (any) calve_buffer_puts(text, ", ");
    any = true;
    calve_sql_string(text, p->items[i].key);
    calve_buffer_puts(text, ": ");
    calve_sql_string(text, p->items[i].value);
  }
  calve_buffer_puts(text, "}");
  if (any)
    calve_listing_expression(l, text);
  else
    calve_listing_null(l);
}

static calve_status fill_snapshots(calve_exec *x, const calve_relation_request *request,
                                   calve_listing *l, calve_error *err) {
  const calve_metadata *m = calve_table_metadata(request->table);
  calve_buffer text;
  calve_buffer_init(&text, x->session->allocator);
  calve_status status = CALVE_OK;
  for (size_t i = 0; i < m->snapshot_count && status == CALVE_OK; i++) {
    const calve_snapshot *s = &m->snapshots[i];
    calve_properties summary = {0};
    status = calve_snapshot_summary(s, x->arena, &summary, err);
    calve_listing_ms(l, s->timestamp_ms);
    calve_listing_i64(l, s->snapshot_id);
    calve_listing_i64_or_null(l, s->parent_snapshot_id, CALVE_NO_SNAPSHOT);
    calve_listing_text(l, s->operation);
    calve_listing_text(l, s->manifest_list);
    calve_listing_i64_or_null(l, s->schema_id, -1);
    list_map(l, &summary, &text);
  }
  if (status == CALVE_OK) status = calve_buffer_check(&text, err);
  calve_buffer_free(&text);
  return status;
}

/* The current snapshot and its ancestors, by id; parents that run in a circle end it. */
static calve_status current_ancestors(const calve_metadata *m, calve_map *out, calve_error *err) {
  const calve_snapshot *s = calve_metadata_current_snapshot(m);
  while (s && !calve_map_get_id(out, s->snapshot_id)) {
    CALVE_TRY(calve_map_put_id(out, s->snapshot_id, (void *)(uintptr_t)s, NULL, err));
    s = calve_metadata_snapshot(m, s->parent_snapshot_id);
  }
  return CALVE_OK;
}

static calve_status fill_history(calve_exec *x, const calve_relation_request *request,
                                 calve_listing *l, calve_error *err) {
  const calve_metadata *m = calve_table_metadata(request->table);
  calve_map ancestors;
  calve_map_init(&ancestors, x->arena);
  CALVE_TRY(current_ancestors(m, &ancestors, err));
  for (size_t i = 0; i < m->snapshot_log_count; i++) {
    const calve_snapshot_log_entry *entry = &m->snapshot_log[i];
    const calve_snapshot *s = calve_metadata_snapshot(m, entry->snapshot_id);
    calve_listing_ms(l, entry->timestamp_ms);
    calve_listing_i64(l, entry->snapshot_id);
    calve_listing_i64_or_null(l, s ? s->parent_snapshot_id : CALVE_NO_SNAPSHOT,
                              CALVE_NO_SNAPSHOT);
    calve_listing_bool(l, calve_map_get_id(&ancestors, entry->snapshot_id) != NULL);
  }
  return CALVE_OK;
}

static calve_status fill_refs(calve_exec *x, const calve_relation_request *request,
                              calve_listing *l, calve_error *err) {
  (void)x, (void)err;
  const calve_metadata *m = calve_table_metadata(request->table);
  for (size_t i = 0; i < m->ref_count; i++) {
    const calve_snapshot_ref *ref = &m->refs[i];
    calve_listing_text(l, ref->name);
    calve_listing_text(l, ref->is_tag ? CALVE_STR("TAG") : CALVE_STR("BRANCH"));
    calve_listing_i64(l, ref->snapshot_id);
    calve_listing_i64_or_null(l, ref->max_ref_age_ms, -1);
    calve_listing_i64_or_null(l, ref->min_snapshots_to_keep, -1);
    calve_listing_i64_or_null(l, ref->max_snapshot_age_ms, -1);
  }
  return CALVE_OK;
}

/* ---- manifests ---------------------------------------------------------------------------- */

/* A summary's bound as people read it: "2026-03" for months; hex when the bytes make no value. */
static void put_bound(const calve_metadata *m, const calve_partition_field *field, calve_str bytes,
                      calve_buffer *out) {
  calve_buffer text;
  calve_value value;
  const calve_schema_node *source = calve_metadata_find_field(m, field->source_id);
  if (!bytes.data) {
    calve_buffer_puts(out, "NULL");
    return;
  }
  calve_buffer_init(&text, out->allocator);
  const calve_type *type =
      source ? calve_transform_result_type(&field->transform, source->field->type) : NULL;
  if (type && calve_value_from_bytes(type, bytes, &value, NULL) == CALVE_OK)
    calve_transform_print_value(&field->transform, source->field->type, &value, &text);
  else
    for (size_t i = 0; i < bytes.size; i++)
      calve_buffer_printf(&text, "%02x", (unsigned char)bytes.data[i]);
  calve_sql_string(out, calve_buffer_view(&text));
  out->oom |= text.oom;
  calve_buffer_free(&text);
}

static void list_summaries(const calve_metadata *m, const calve_manifest_file *manifest,
                           calve_listing *l, calve_buffer *text) {
  const calve_spec *spec = calve_metadata_spec(m, manifest->spec_id);
  calve_buffer_clear(text);
  calve_buffer_putc(text, '[');
  for (size_t i = 0; i < manifest->partition_count && spec && i < (size_t)spec->field_count; i++) {
    const calve_field_summary *s = &manifest->partitions[i];
    static const char *const words[] = {"NULL", "false", "true"};
    calve_buffer_printf(text, "%s{'field': ", i > 0 ? ", " : "");
    calve_sql_string(text, spec->fields[i].name);
    calve_buffer_printf(text, ", 'contains_null': %s, 'contains_nan': %s, 'lower_bound': ",
                        s->contains_null ? "true" : "false",
                        words[s->contains_nan < 0 ? 0 : s->contains_nan + 1]);
    put_bound(m, &spec->fields[i], s->lower, text);
    calve_buffer_puts(text, ", 'upper_bound': ");
    put_bound(m, &spec->fields[i], s->upper, text);
    calve_buffer_putc(text, '}');
  }
  calve_buffer_putc(text, ']');
  calve_listing_expression(l, text);
}

/* Counts stand under "data" or "delete" by the manifest's content. */
static void list_counts(const calve_manifest_file *f, bool wanted, calve_listing *l) {
  calve_listing_i64_or_null(l, wanted ? f->added_files_count : 0, CALVE_UNSET);
  calve_listing_i64_or_null(l, wanted ? f->existing_files_count : 0, CALVE_UNSET);
  calve_listing_i64_or_null(l, wanted ? f->deleted_files_count : 0, CALVE_UNSET);
}

static calve_status fill_manifests(calve_exec *x, const calve_relation_request *request,
                                   calve_listing *l, calve_error *err) {
  const calve_metadata *m = calve_table_metadata(request->table);
  const calve_manifest_file *manifests;
  size_t count;
  calve_buffer text;
  CALVE_TRY(calve_snapshot_manifests(request->snapshot,
                                     calve_table_store(request->table), x->arena, &manifests,
                                     &count, err));
  calve_buffer_init(&text, x->session->allocator);
  for (size_t i = 0; i < count; i++) {
    const calve_manifest_file *f = &manifests[i];
    bool data = f->content == CALVE_MANIFEST_DATA;
    calve_listing_i64(l, f->content);
    calve_listing_text(l, f->path);
    calve_listing_i64(l, f->length_bytes);
    calve_listing_i64(l, f->spec_id);
    calve_listing_i64_or_null(l, f->added_snapshot_id, CALVE_UNSET);
    list_counts(f, data, l);
    list_counts(f, !data, l);
    list_summaries(m, f, l, &text);
  }
  calve_status status = calve_buffer_check(&text, err);
  calve_buffer_free(&text);
  return status;
}

/* ---- all of them -------------------------------------------------------------------------- */

#define SUMMARY_TYPE                                                                   \
  "STRUCT(\"field\" VARCHAR, contains_null BOOLEAN, contains_nan BOOLEAN, lower_bound " \
  "VARCHAR, upper_bound VARCHAR)[]"

static const struct {
  const char *name;
  const char *columns; /* NULL: they depend on the table                                        */
  size_t column_count;
  fill_fn *fill;
} tables[] = {
    {"snapshots",
     "committed_at TIMESTAMP WITH TIME ZONE, snapshot_id BIGINT, parent_id BIGINT, "
     "operation VARCHAR, manifest_list VARCHAR, schema_id INTEGER, summary MAP(VARCHAR, VARCHAR)",
     7, fill_snapshots},
    {"history",
     "made_current_at TIMESTAMP WITH TIME ZONE, snapshot_id BIGINT, parent_id BIGINT, "
     "is_current_ancestor BOOLEAN",
     4, fill_history},
    {"refs",
     "name VARCHAR, type VARCHAR, snapshot_id BIGINT, max_reference_age_in_ms BIGINT, "
     "min_snapshots_to_keep INTEGER, max_snapshot_age_in_ms BIGINT",
     6, fill_refs},
    {"manifests",
     "content INTEGER, path VARCHAR, length BIGINT, partition_spec_id INTEGER, "
     "added_snapshot_id BIGINT, added_data_files_count INTEGER, "
     "existing_data_files_count INTEGER, deleted_data_files_count INTEGER, "
     "added_delete_files_count INTEGER, existing_delete_files_count INTEGER, "
     "deleted_delete_files_count INTEGER, partition_summaries " SUMMARY_TYPE,
     12, fill_manifests},
    {"files", NULL, 0, calve_fill_files},
    {"partitions", NULL, 0, calve_fill_partitions},
};

#define TABLE_COUNT (sizeof tables / sizeof *tables)

static size_t table_index(calve_str name) {
  size_t i = 0;
  while (i < TABLE_COUNT && !calve_str_equal_nocase(name, calve_str_of(tables[i].name))) i++;
  return i;
}

bool calve_is_metadata_table(calve_str name) { return table_index(name) < TABLE_COUNT; }

const char *calve_metadata_table_name(size_t index) {
  return index < TABLE_COUNT ? tables[index].name : NULL;
}

calve_status calve_metadata_table_make(calve_exec *x, const calve_relation_request *request,
                                       calve_str *name, calve_error *err) {
  size_t i = table_index(request->metadata_table);
  const char *columns = tables[i].columns;
  size_t column_count = tables[i].column_count;
  calve_listing listing;
  if (!columns)
    CALVE_TRY(calve_file_table_columns(x, request, &columns, &column_count, err));
  CALVE_TRY(calve_listing_begin(x, columns, column_count, &listing, err));
  calve_status status = tables[i].fill(x, request, &listing, err);
  if (status != CALVE_OK) {
    calve_listing_free(&listing);
    return status;
  }
  CALVE_TRY(calve_listing_end(&listing, err));
  *name = listing.table;
  return CALVE_OK;
}
