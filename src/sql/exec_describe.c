/* SPDX-License-Identifier: Apache-2.0 */
/* DESCRIBE, SHOW CREATE TABLE, SHOW TBLPROPERTIES. */
#include <inttypes.h>

#include "sql/listing.h"
#include "sql/statement.h"

typedef calve_status describe_fn(calve_exec *x, calve_table *table, calve_error *err);

static calve_status with_table(calve_exec *x, describe_fn *describe, calve_error *err) {
  calve_table *table;
  CALVE_TRY(calve_exec_load(x, &x->statement->name, &table, err));
  calve_status status = describe(x, table, err);
  calve_table_close(table);
  return status;
}

/* ---- pieces of SQL ------------------------------------------------------------------------ */

/* A column from the outside in; each part is quoted by itself, the dots between them are not. */
static void print_path(const calve_schema_node *node, calve_buffer *out) {
  const calve_schema_node *chain[CALVE_DEPTH_MAX + 1];
  size_t depth = 0;
  for (; node && depth < CALVE_DEPTH_MAX; node = node->parent) chain[depth++] = node;
  while (depth > 0) {
    calve_sql_name_print(chain[--depth]->field->name, out);
    if (depth > 0) calve_buffer_putc(out, '.');
  }
}

/* "bucket(16, id)", "days(ts)", or the column alone for identity. */
static void print_term(const calve_metadata *m, const calve_transform *t, int32_t source_id,
                       calve_buffer *out) {
  static const char *const names[] = {
      [CALVE_BUCKET] = "bucket", [CALVE_TRUNCATE] = "truncate", [CALVE_YEAR] = "years",
      [CALVE_MONTH] = "months",  [CALVE_DAY] = "days",          [CALVE_HOUR] = "hours",
      [CALVE_VOID] = "void"};
  const calve_schema_node *node = calve_metadata_find_field(m, source_id);
  bool call = t->kind != CALVE_IDENTITY;
  if (t->kind == CALVE_TRANSFORM_UNKNOWN) {
    calve_buffer_put_str(out, t->text);
    calve_buffer_putc(out, '(');
  } else if (call) {
    calve_buffer_printf(out, "%s(", names[t->kind]);
    if (t->kind == CALVE_BUCKET || t->kind == CALVE_TRUNCATE)
      calve_buffer_printf(out, "%" PRId32 ", ", t->parameter);
  }
  if (!node) calve_buffer_printf(out, "<dropped column %" PRId32 ">", source_id);
  if (node) print_path(node, out);
  if (call) calve_buffer_putc(out, ')');
}

static void print_sort_field(const calve_metadata *m, const calve_sort_field *f,
                             calve_buffer *out) {
  print_term(m, &f->transform, f->source_id, out);
  calve_buffer_puts(out, f->descending ? " DESC" : " ASC");
  calve_buffer_puts(out, f->nulls_last ? " NULLS LAST" : " NULLS FIRST");
}

static void print_list(const calve_metadata *m, bool sort, calve_buffer *out) {
  int32_t count = sort ? m->sort_order->field_count : m->spec->field_count;
  for (int32_t i = 0; i < count; i++) {
    if (i > 0) calve_buffer_puts(out, ", ");
    if (sort)
      print_sort_field(m, &m->sort_order->fields[i], out);
    else
      print_term(m, &m->spec->fields[i].transform, m->spec->fields[i].source_id, out);
  }
}

/* ---- DESCRIBE ----------------------------------------------------------------------------- */

static void list_columns(const calve_metadata *m, calve_listing *l, calve_buffer *text) {
  for (int32_t i = 0; i < m->schema->root->field_count; i++) {
    const calve_field *field = &m->schema->root->fields[i];
    calve_listing_text(l, field->name);
    calve_buffer_clear(text);
    calve_sql_type_print(field->type, text);
    if (field->required) calve_buffer_puts(text, " NOT NULL");
    calve_listing_text(l, calve_buffer_view(text));
    calve_listing_text(l, field->doc);
  }
}

static void list_row(calve_listing *l, const char *name, calve_str value, calve_str comment) {
  calve_listing_text(l, calve_str_of(name));
  calve_listing_text(l, value);
  calve_listing_text(l, comment);
}

static void list_partitioning(const calve_metadata *m, calve_listing *l, calve_buffer *text) {
  calve_str none = {NULL, 0};
  for (int32_t i = 0; i < m->spec->field_count; i++) {
    const calve_partition_field *f = &m->spec->fields[i];
    calve_buffer_clear(text);
    print_term(m, &f->transform, f->source_id, text);
    size_t name_at = text->size;
    calve_buffer_printf(text, "%.*s (spec %" PRId32 ", field %" PRId32 ")", CALVE_STR_ARG(f->name),
                        m->spec->spec_id, f->field_id);
    calve_str comment = {text->data + name_at, text->size - name_at};
    list_row(l, "# partitioned by", (calve_str){text->data, name_at}, comment);
  }
  if (m->spec->field_count == 0) list_row(l, "# partitioned by", CALVE_STR("nothing"), none);
  if (m->sort_order->field_count == 0) return;
  calve_buffer_clear(text);
  print_list(m, true, text);
  list_row(l, "# sorted by", calve_buffer_view(text), none);
}

static void list_facts(const calve_metadata *m, const calve_table *table, calve_listing *l,
                       calve_buffer *text) {
  calve_str none = {NULL, 0};
  list_row(l, "# location", m->location, none);
  calve_buffer_clear(text);
  calve_buffer_printf(text, "%" PRId32, m->format_version);
  list_row(l, "# format version", calve_buffer_view(text), none);
  calve_buffer_clear(text);
  calve_buffer_printf(text, "%" PRId64, m->current_snapshot_id);
  bool empty = m->current_snapshot_id == CALVE_NO_SNAPSHOT;
  list_row(l, "# current snapshot", empty ? CALVE_STR("none") : calve_buffer_view(text), none);
  list_row(l, "# metadata", calve_table_metadata_location(table), none);
}

static calve_status describe(calve_exec *x, calve_table *table, calve_error *err) {
  calve_listing l;
  calve_buffer text;
  const calve_metadata *m = calve_table_metadata(table);
  CALVE_TRY(calve_listing_begin(
      x, "column_name VARCHAR, data_type VARCHAR, comment VARCHAR", 3, &l, err));
  calve_buffer_init(&text, x->session->allocator);
  list_columns(m, &l, &text);
  list_partitioning(m, &l, &text);
  list_facts(m, table, &l, &text);
  for (size_t i = 0; x->statement->extended && i < m->properties.count; i++) {
    calve_buffer_clear(&text);
    calve_buffer_printf(&text, "# %.*s", CALVE_STR_ARG(m->properties.items[i].key));
    list_row(&l, calve_buffer_cstr(&text), m->properties.items[i].value, (calve_str){NULL, 0});
  }
  calve_buffer_free(&text);
  return calve_listing_show(&l, err);
}

calve_status calve_exec_describe(calve_exec *x, calve_error *err) {
  return with_table(x, describe, err);
}

/* ---- SHOW CREATE TABLE -------------------------------------------------------------------- */

static void print_create_columns(const calve_metadata *m, calve_buffer *out) {
  for (int32_t i = 0; i < m->schema->root->field_count; i++) {
    const calve_field *field = &m->schema->root->fields[i];
    calve_buffer_puts(out, i > 0 ? ",\n  " : "\n  ");
    calve_sql_name_print(field->name, out);
    calve_buffer_putc(out, ' ');
    calve_sql_type_print(field->type, out);
    if (field->required) calve_buffer_puts(out, " NOT NULL");
    if (!field->doc.data) continue;
    calve_buffer_puts(out, " COMMENT ");
    calve_sql_string_print(field->doc, out);
  }
}

static void print_create_properties(const calve_metadata *m, calve_buffer *out) {
  calve_buffer_printf(out, "\nTBLPROPERTIES (\n  'format-version' = '%" PRId32 "'",
                      m->format_version);
  for (size_t i = 0; i < m->properties.count; i++) {
    calve_buffer_puts(out, ",\n  ");
    calve_sql_string_print(m->properties.items[i].key, out);
    calve_buffer_puts(out, " = ");
    calve_sql_string_print(m->properties.items[i].value, out);
  }
  calve_buffer_putc(out, ')');
}

static calve_status show_create(calve_exec *x, calve_table *table, calve_error *err) {
  const calve_metadata *m = calve_table_metadata(table);
  calve_listing l;
  calve_buffer text;
  calve_str name = calve_table_full_name(table);
  CALVE_TRY(calve_listing_begin(x, "createtab_stmt VARCHAR", 1, &l, err));
  calve_buffer_init(&text, x->session->allocator);
  calve_buffer_printf(&text, "CREATE TABLE %.*s (", (int)name.size, name.data);
  print_create_columns(m, &text);
  calve_buffer_puts(&text, ")\nUSING iceberg");
  if (m->spec->field_count > 0) {
    calve_buffer_puts(&text, "\nPARTITIONED BY (");
    print_list(m, false, &text);
    calve_buffer_putc(&text, ')');
  }
  if (m->sort_order->field_count > 0) {
    calve_buffer_puts(&text, "\nWRITE ORDERED BY ");
    print_list(m, true, &text);
  }
  calve_buffer_puts(&text, "\nLOCATION ");
  calve_sql_string_print(m->location, &text);
  print_create_properties(m, &text);
  calve_listing_text(&l, calve_buffer_view(&text));
  calve_status status = calve_buffer_check(&text, err);
  calve_buffer_free(&text);
  if (status == CALVE_OK) return calve_listing_show(&l, err);
  calve_listing_free(&l);
  return status;
}

calve_status calve_exec_show_create(calve_exec *x, calve_error *err) {
  return with_table(x, show_create, err);
}

static calve_status show_properties(calve_exec *x, calve_table *table, calve_error *err) {
  const calve_metadata *m = calve_table_metadata(table);
  calve_listing l;
  CALVE_TRY(calve_listing_begin(x, "key VARCHAR, value VARCHAR", 2, &l, err));
  for (size_t i = 0; i < m->properties.count; i++) {
    calve_listing_text(&l, m->properties.items[i].key);
    calve_listing_text(&l, m->properties.items[i].value);
  }
  return calve_listing_show(&l, err);
}

calve_status calve_exec_show_properties(calve_exec *x, calve_error *err) {
  return with_table(x, show_properties, err);
}
