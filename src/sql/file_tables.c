/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/file_tables.h"

#include <inttypes.h>

#include "data/sql_text.h"
#include "data/types.h"
#include "model/partition_union.h"
#include "track/snapshot_manifests.h"
#include "store/path.h"

#define FILE_COLUMNS 17
#define PARTITION_COLUMNS 11

/* ---- columns ------------------------------------------------------------------------------ */

/* The engine's type of a united field; values without a type of their own are shown as text. */
static bool has_engine_type(const calve_united_field *field) {
  return field->type->id != CALVE_UNKNOWN && !calve_sql_type_unreadable(field->type);
}

static void put_partition_type(const calve_partition_union *u, calve_buffer *out) {
  if (u->field_count == 0) { /* the engine has no struct without fields */
    calve_buffer_puts(out, "VARCHAR");
    return;
  }
  calve_buffer_puts(out, "STRUCT(");
  for (int32_t i = 0; i < u->field_count; i++) {
    if (i > 0) calve_buffer_puts(out, ", ");
    calve_sql_name(out, u->fields[i].name);
    calve_buffer_putc(out, ' ');
    if (has_engine_type(&u->fields[i]))
      calve_sql_type(out, u->fields[i].type);
    else
      calve_buffer_puts(out, "VARCHAR");
  }
  calve_buffer_putc(out, ')');
}

calve_status calve_file_table_columns(calve_exec *x, const calve_relation_request *request,
                                      const char **columns, size_t *column_count,
                                      calve_error *err) {
  const calve_partition_union *u;
  calve_buffer text;
  calve_str kept = {NULL, 0};
  bool files = calve_str_equal_nocase(request->metadata_table, CALVE_STR("files"));
  CALVE_TRY(calve_partition_union_make(calve_table_metadata(request->table), x->arena, &u, err));
  calve_buffer_init(&text, x->session->allocator);
  if (files)
    calve_buffer_puts(&text, "content INTEGER, file_path VARCHAR, file_format VARCHAR, "
                             "spec_id INTEGER, ");
  calve_buffer_puts(&text, "partition ");
  put_partition_type(u, &text);
  calve_buffer_puts(&text,
                    files ? ", record_count BIGINT, file_size_in_bytes BIGINT, "
                            "column_sizes MAP(INTEGER, BIGINT), value_counts MAP(INTEGER, BIGINT), "
                            "null_value_counts MAP(INTEGER, BIGINT), "
                            "nan_value_counts MAP(INTEGER, BIGINT), "
                            "lower_bounds MAP(INTEGER, BLOB), upper_bounds MAP(INTEGER, BLOB), "
                            "key_metadata BLOB, split_offsets BIGINT[], equality_ids INTEGER[], "
                            "sort_order_id INTEGER"
                          : ", spec_id INTEGER, record_count BIGINT, file_count INTEGER, "
                            "total_data_file_size_in_bytes BIGINT, "
                            "position_delete_record_count BIGINT, "
                            "position_delete_file_count INTEGER, "
                            "equality_delete_record_count BIGINT, "
                            "equality_delete_file_count INTEGER, "
                            "last_updated_at TIMESTAMP WITH TIME ZONE, "
                            "last_updated_snapshot_id BIGINT");
  calve_status status = calve_buffer_check(&text, err);
  if (status == CALVE_OK)
    status = calve_arena_str(x->arena, calve_buffer_view(&text), &kept, err);
  calve_buffer_free(&text);
  CALVE_TRY(status);
  *columns = kept.data;
  *column_count = files ? FILE_COLUMNS : PARTITION_COLUMNS;
  return CALVE_OK;
}

/* ---- walking the files -------------------------------------------------------------------- */

typedef struct walk walk;
struct walk {
  calve_exec *x;
  const calve_relation_request *request;
  const calve_metadata *metadata;
  const calve_partition_union *united;
  calve_listing *listing;
  calve_buffer text; /* of one cell                                                             */
  calve_status (*visit)(walk *w, const calve_manifest_entry *entry, calve_error *err);
  void *state;
};

static calve_status walk_manifest(walk *w, const calve_manifest_file *manifest, uint32_t columns,
                                  calve_buffer *bytes, calve_manifest_batch *batch,
                                  calve_error *err) {
  calve_arena arena;
  calve_manifest_reader reader;
  const calve_manifest_options options = {.columns = columns};
  calve_arena_init(&arena, w->x->session->allocator);
  calve_status status = calve_store_read_buffer(
      calve_table_store(w->request->table), manifest->path, CALVE_METADATA_BYTES_MAX, bytes, err);
  if (status == CALVE_OK)
    status = calve_manifest_open(calve_buffer_view(bytes), manifest, w->metadata, &options, &arena,
                                 &reader, err);
  for (bool more = true; status == CALVE_OK && more;) {
    status = calve_manifest_next(&reader, batch, &more, err);
    for (size_t i = 0; status == CALVE_OK && more && i < batch->count; i++)
      status = w->visit(w, &batch->entries[i], err);
  }
  calve_arena_free(&arena);
  return status;
}

static calve_status walk_files(walk *w, uint32_t columns, calve_error *err) {
  const calve_manifest_file *manifests;
  size_t count;
  calve_buffer bytes;
  calve_manifest_batch batch;
  w->metadata = calve_table_metadata(w->request->table);
  CALVE_TRY(calve_partition_union_make(w->metadata, w->x->arena, &w->united, err));
  CALVE_TRY(calve_snapshot_manifests(w->request->snapshot,
                                     calve_table_store(w->request->table), w->x->arena, &manifests,
                                     &count, err));
  calve_buffer_init(&w->text, w->x->session->allocator);
  calve_buffer_init(&bytes, w->x->session->allocator);
  calve_manifest_batch_init(&batch, w->x->session->allocator);
  calve_status status = CALVE_OK;
  for (size_t i = 0; i < count && status == CALVE_OK; i++)
    if (calve_manifest_may_have_live_files(&manifests[i]))
      status = walk_manifest(w, &manifests[i], columns, &bytes, &batch, err);
  if (status == CALVE_OK) status = calve_buffer_check(&w->text, err);
  calve_manifest_batch_free(&batch);
  calve_buffer_free(&bytes);
  calve_buffer_free(&w->text);
  return status;
}

/* ---- cells -------------------------------------------------------------------------------- */

static const int32_t *places_of(const walk *w, int32_t spec_id) {
  for (int32_t i = 0; i < w->metadata->spec_count; i++)
    if (w->metadata->specs[i]->spec_id == spec_id) return w->united->places[i];
  return NULL;
}

/* The value of a united field in a tuple; NULL when the file's spec lacks the field. */
static const calve_value *united_value(const calve_data_file *file, const int32_t *places,
                                       int32_t field) {
  for (int32_t i = 0; places && i < file->partition_count; i++)
    if (places[i] == field) return &file->partition[i];
  return NULL;
}

static calve_status put_united_value(walk *w, const calve_united_field *field,
                                     const calve_value *value, calve_error *err) {
  bool typed = has_engine_type(field);
  if (!value || value->is_null) {
    calve_buffer_puts(&w->text, "NULL");
  } else if (typed) {
    return calve_sql_value(&w->text, value, field->type, err);
  } else {
    calve_buffer shown;
    calve_buffer_init(&shown, w->x->session->allocator);
    calve_value_print(value, &shown);
    calve_sql_string(&w->text, calve_buffer_view(&shown));
    calve_buffer_free(&shown);
  }
  return CALVE_OK;
}

static calve_status list_partition(walk *w, const calve_data_file *file, calve_error *err) {
  const calve_partition_union *u = w->united;
  const int32_t *places = places_of(w, file->spec_id);
  if (u->field_count == 0) {
    calve_listing_null(w->listing);
    return CALVE_OK;
  }
  calve_buffer_clear(&w->text);
  calve_buffer_putc(&w->text, '{');
  for (int32_t i = 0; i < u->field_count; i++) {
    if (i > 0) calve_buffer_puts(&w->text, ", ");
    calve_sql_string(&w->text, u->fields[i].name);
    calve_buffer_puts(&w->text, ": ");
    CALVE_TRY(put_united_value(w, &u->fields[i], united_value(file, places, i), err));
  }
  calve_buffer_putc(&w->text, '}');
  calve_listing_expression(w->listing, &w->text);
  return CALVE_OK;
}

static void list_counts(walk *w, const calve_id_i64_list *list) {
  calve_buffer_clear(&w->text);
  calve_buffer_puts(&w->text, "MAP {");
  for (size_t i = 0; i < list->count; i++)
    calve_buffer_printf(&w->text, "%s%" PRId32 ": %" PRId64, i > 0 ? ", " : "", list->items[i].id,
                        list->items[i].value);
  calve_buffer_putc(&w->text, '}');
  if (list->count == 0)
    calve_listing_null(w->listing);
  else
    calve_listing_expression(w->listing, &w->text);
}

static void list_bounds(walk *w, const calve_id_bytes_list *list) {
  calve_buffer_clear(&w->text);
  calve_buffer_puts(&w->text, "MAP {");
  for (size_t i = 0; i < list->count; i++) {
    calve_buffer_printf(&w->text, "%s%" PRId32 ": ", i > 0 ? ", " : "", list->items[i].id);
    calve_sql_blob(&w->text, list->items[i].value);
  }
  calve_buffer_putc(&w->text, '}');
  if (list->count == 0)
    calve_listing_null(w->listing);
  else
    calve_listing_expression(w->listing, &w->text);
}

static void list_blob(walk *w, calve_str bytes) {
  calve_buffer_clear(&w->text);
  if (!bytes.data) {
    calve_listing_null(w->listing);
    return;
  }
  calve_sql_blob(&w->text, bytes);
  calve_listing_expression(w->listing, &w->text);
}

static void list_offsets(walk *w, const calve_i64_list *offsets, const calve_i32_list *ids) {
  size_t count = offsets ? offsets->count : ids->count;
  if (count == 0) {
    calve_listing_null(w->listing);
    return;
  }
  calve_buffer_clear(&w->text);
  calve_buffer_putc(&w->text, '[');
  for (size_t i = 0; i < count; i++)
    calve_buffer_printf(&w->text, "%s%" PRId64, i > 0 ? ", " : "",
                        offsets ? offsets->items[i] : (int64_t)ids->items[i]);
  calve_buffer_putc(&w->text, ']');
  calve_listing_expression(w->listing, &w->text);
}

/* ---- files -------------------------------------------------------------------------------- */

static calve_status list_file(walk *w, const calve_manifest_entry *entry, calve_error *err) {
  const calve_data_file *f = &entry->file;
  calve_listing *l = w->listing;
  calve_listing_i64(l, f->content);
  calve_listing_text(l, f->path);
  calve_listing_text(l, f->format);
  calve_listing_i64(l, f->spec_id);
  CALVE_TRY(list_partition(w, f, err));
  calve_listing_i64(l, f->record_count);
  calve_listing_i64(l, f->file_size_bytes);
  list_counts(w, &f->column_sizes);
  list_counts(w, &f->value_counts);
  list_counts(w, &f->null_value_counts);
  list_counts(w, &f->nan_value_counts);
  list_bounds(w, &f->lower_bounds);
  list_bounds(w, &f->upper_bounds);
  list_blob(w, f->key_metadata);
  list_offsets(w, &f->split_offsets, NULL);
  list_offsets(w, NULL, &f->equality_ids);
  calve_listing_i64_or_null(l, f->sort_order_id, -1);
  return CALVE_OK;
}

calve_status calve_fill_files(calve_exec *x, const calve_relation_request *request,
                              calve_listing *listing, calve_error *err) {
  walk w = {.x = x, .request = request, .listing = listing, .visit = list_file};
  return walk_files(&w, CALVE_COLUMNS_ALL, err);
}

/* ---- partitions --------------------------------------------------------------------------- */

/* One partition: spec and tuple. Null tuples of different specs are different partitions. */
typedef struct group {
  struct group *next; /* of the same hash                                                       */
  calve_data_file example;
  int64_t rows[3], files[3]; /* by content                                                      */
  int64_t data_bytes, snapshot_id, updated_ms;
} group;

typedef struct groups {
  calve_map by_hash;
  calve_buffer order; /* group *                                                                */
} groups;

static calve_status add_group(walk *w, groups *g, const calve_data_file *file, int64_t hash,
                              group **out, calve_error *err) {
  group *made = CALVE_NEW(w->x->arena, group);
  if (!made) return calve_fail_oom(err);
  made->next = calve_map_get_id(&g->by_hash, hash);
  made->snapshot_id = CALVE_NO_SNAPSHOT;
  calve_data_file small = calve_data_file_blank();
  small.spec_id = file->spec_id;
  small.partition = file->partition;
  small.partition_count = file->partition_count;
  small.path = small.format = (calve_str){"", 0};
  CALVE_TRY(calve_data_file_copy(&small, w->x->arena, &made->example, err));
  CALVE_TRY(calve_map_put_id(&g->by_hash, hash, made, NULL, err));
  calve_buffer_put(&g->order, &made, sizeof made);
  *out = made;
  return calve_buffer_check(&g->order, err);
}

static calve_status count_file(walk *w, const calve_manifest_entry *entry, calve_error *err) {
  groups *g = w->state;
  const calve_data_file *f = &entry->file;
  int64_t hash = (int64_t)(calve_tuple_hash(f->partition, (size_t)f->partition_count) +
                           (uint64_t)f->spec_id * UINT64_C(0x9E3779B97F4A7C15));
  group *found = calve_map_get_id(&g->by_hash, hash);
  while (found && (found->example.spec_id != f->spec_id ||
                   !calve_tuple_equal(found->example.partition, f->partition,
                                      (size_t)f->partition_count)))
    found = found->next;
  if (!found) CALVE_TRY(add_group(w, g, f, hash, &found, err));
  int content = f->content >= 0 && f->content <= 2 ? f->content : CALVE_CONTENT_DATA;
  found->rows[content] += calve_data_file_rows(f);
  found->files[content]++;
  if (content == CALVE_CONTENT_DATA) found->data_bytes += f->file_size_bytes;
  const calve_snapshot *s = calve_metadata_snapshot(w->metadata, entry->snapshot_id);
  if (s && s->timestamp_ms >= found->updated_ms) {
    found->updated_ms = s->timestamp_ms;
    found->snapshot_id = s->snapshot_id;
  }
  return CALVE_OK;
}

static calve_status list_group(walk *w, const group *g, calve_error *err) {
  calve_listing *l = w->listing;
  CALVE_TRY(list_partition(w, &g->example, err));
  calve_listing_i64(l, g->example.spec_id);
  calve_listing_i64(l, g->rows[CALVE_CONTENT_DATA]);
  calve_listing_i64(l, g->files[CALVE_CONTENT_DATA]);
  calve_listing_i64(l, g->data_bytes);
  for (int content = CALVE_CONTENT_POSITION_DELETES; content <= 2; content++) {
    calve_listing_i64(l, g->rows[content]);
    calve_listing_i64(l, g->files[content]);
  }
  if (g->snapshot_id == CALVE_NO_SNAPSHOT)
    calve_listing_null(l);
  else
    calve_listing_ms(l, g->updated_ms);
  calve_listing_i64_or_null(l, g->snapshot_id, CALVE_NO_SNAPSHOT);
  return CALVE_OK;
}

calve_status calve_fill_partitions(calve_exec *x, const calve_relation_request *request,
                                   calve_listing *listing, calve_error *err) {
  groups g;
  calve_map_init(&g.by_hash, x->arena);
  calve_buffer_init(&g.order, x->session->allocator);
  walk w = {
      .x = x, .request = request, .listing = listing, .visit = count_file, .state = &g};
  calve_status status = walk_files(&w, 0, err);
  calve_buffer_init(&w.text, x->session->allocator);
  for (size_t i = 0; i < CALVE_COUNT(&g.order, group *) && status == CALVE_OK; i++)
    status = list_group(&w, CALVE_ITEMS(&g.order, group *)[i], err);
  if (status == CALVE_OK) status = calve_buffer_check(&w.text, err);
  calve_buffer_free(&w.text);
  calve_buffer_free(&g.order);
  return status;
}

calve_status calve_partition_sizes(calve_exec *x, calve_table *table,
                                   const calve_partition_size **out, size_t *out_count,
                                   calve_error *err) {
  groups g;
  const calve_metadata *m = calve_table_metadata(table);
  const calve_relation_request request = {.table = table,
                                          .snapshot = calve_metadata_current_snapshot(m)};
  calve_map_init(&g.by_hash, x->arena);
  calve_buffer_init(&g.order, x->session->allocator);
  walk w = {.x = x, .request = &request, .visit = count_file, .state = &g};
  calve_status status = walk_files(&w, 0, err);
  size_t count = CALVE_COUNT(&g.order, group *);
  calve_partition_size *sizes = NULL;
  if (status == CALVE_OK) sizes = CALVE_NEW_ARRAY(x->arena, calve_partition_size, count);
  if (status == CALVE_OK && !sizes) status = calve_fail_oom(err);
  for (size_t i = 0; i < count && status == CALVE_OK; i++) {
    const group *one = CALVE_ITEMS(&g.order, group *)[i];
    sizes[i] = (calve_partition_size){.spec_id = one->example.spec_id,
                                      .tuple = one->example.partition,
                                      .tuple_count = one->example.partition_count,
                                      .files = one->files[CALVE_CONTENT_DATA],
                                      .rows = one->rows[CALVE_CONTENT_DATA],
                                      .bytes = one->data_bytes};
  }
  calve_buffer_free(&g.order);
  if (status != CALVE_OK) return status;
  *out = sizes;
  *out_count = count;
  return CALVE_OK;
}
