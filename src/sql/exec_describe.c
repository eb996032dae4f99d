/* SPDX-License-Identifier: Apache-2.0 */
/* DESCRIBE, SHOW COLUMNS, SHOW CREATE TABLE, SHOW TBLPROPERTIES. */
#include <inttypes.h>

#include "sql/ddl_text.h"
#include "sql/listing.h"
#include "sql/partition_report.h"
#include "sql/statement.h"
#include "sql/table_warnings.h"

typedef calve_status describe_fn(calve_exec *x, calve_table *table, calve_error *err);

static calve_status with_table(calve_exec *x, describe_fn *describe, calve_error *err) {
  calve_table *table;
  CALVE_TRY(calve_exec_load(x, &x->statement->name, &table, err));
  calve_status status = describe(x, table, err);
  calve_table_close(table);
  return status;
}

/* ---- DESCRIBE ----------------------------------------------------------------------------- */

static void list_columns(const calve_metadata *m, calve_listing *l, calve_buffer *text) {
  for (int32_t i = 0; i < m->schema->root->field_count; i++) {
    const calve_field *field = &m->schema->root->fields[i];
    calve_listing_text(l, field->name);
    calve_buffer_clear(text);
    calve_sql_type_print(field->type, text);
    if (field->required) calve_buffer_puts(text, " NOT NULL");
    if (field->write_default) calve_sql_default_print(field->write_default, text);
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
    calve_ddl_term(m, &f->transform, f->source_id, text);
    size_t name_at = text->size;
    calve_buffer_printf(text, "%.*s (spec %" PRId32 ", field %" PRId32 ")", CALVE_STR_ARG(f->name),
                        m->spec->spec_id, f->field_id);
    calve_str comment = {text->data + name_at, text->size - name_at};
    list_row(l, "# partitioned by", (calve_str){text->data, name_at}, comment);
  }
  if (m->spec->field_count == 0) list_row(l, "# partitioned by", CALVE_STR("nothing"), none);
  if (m->sort_order->field_count == 0) return;
  calve_buffer_clear(text);
  calve_ddl_order(m, text);
  list_row(l, "# sorted by", calve_buffer_view(text), none);
}

static void list_identifiers(const calve_metadata *m, calve_listing *l, calve_buffer *text) {
  for (int32_t i = 0; i < m->schema->identifier_field_count; i++) {
    calve_buffer_clear(text);
    calve_ddl_column(calve_schema_find_id(m->schema, m->schema->identifier_field_ids[i]), text);
    list_row(l, "# identifier field", calve_buffer_view(text), (calve_str){NULL, 0});
  }
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

static calve_status list_warnings(calve_exec *x, const calve_table *table, calve_listing *l,
                                  calve_error *err) {
  calve_buffer lines;
  calve_buffer_init(&lines, x->session->allocator);
  calve_status status =
      calve_table_warnings(x, table, calve_table_metadata(table), true, &lines, err);
  for (size_t i = 0; status == CALVE_OK && i < CALVE_COUNT(&lines, calve_str); i++)
    list_row(l, "# warning", CALVE_ITEMS(&lines, calve_str)[i], (calve_str){NULL, 0});
  calve_buffer_free(&lines);
  return status;
}

static calve_status describe(calve_exec *x, calve_table *table, calve_error *err) {
  calve_listing l;
  calve_buffer text;
  const calve_metadata *m = calve_table_metadata(table);
  CALVE_TRY(calve_listing_begin(
      x, "column_name VARCHAR, data_type VARCHAR, comment VARCHAR", 3, &l, err));
  calve_buffer_init(&text, x->session->allocator);
  list_columns(m, &l, &text);
  list_identifiers(m, &l, &text);
  list_partitioning(m, &l, &text);
  list_facts(m, table, &l, &text);
  calve_status status = list_warnings(x, table, &l, err);
  if (status == CALVE_OK && x->statement->extended)
    status = calve_partition_report(x, table, &l, err);
  for (size_t i = 0; x->statement->extended && i < m->properties.count; i++) {
    calve_buffer_clear(&text);
    calve_buffer_printf(&text, "# %.*s", CALVE_STR_ARG(m->properties.items[i].key));
    list_row(&l, calve_buffer_cstr(&text), m->properties.items[i].value, (calve_str){NULL, 0});
  }
  calve_buffer_free(&text);
  if (status == CALVE_OK) return calve_listing_show(&l, err);
  calve_listing_free(&l);
  return status;
}

/* ---- one column --------------------------------------------------------------------------- */

static void list_info(calve_listing *l, const char *name, calve_str value) {
  calve_listing_text(l, calve_str_of(name));
  calve_listing_text(l, value);
}

/* What rows show that were written before the column was there, or what new ones take. */
static void list_default(calve_listing *l, const char *name, const calve_value *value,
                         calve_buffer *text) {
  static const char word[] = " DEFAULT ";
  calve_buffer_clear(text);
  bool printed = value && calve_sql_default_print(value, text);
  if (printed)
    list_info(l, name, (calve_str){text->data + sizeof word - 1, text->size - sizeof word + 1});
}

static void list_column(const calve_schema_node *node, calve_listing *l, calve_buffer *text) {
  calve_ddl_column(node, text);
  list_info(l, "col_name", calve_buffer_view(text));
  calve_buffer_clear(text);
  calve_sql_type_print(node->field->type, text);
  list_info(l, "data_type", calve_buffer_view(text));
  list_info(l, "comment", node->field->doc);
  calve_buffer_clear(text);
  calve_buffer_printf(text, "%" PRId32, node->field->id);
  list_info(l, "id", calve_buffer_view(text));
  list_info(l, "nullable", node->field->required ? CALVE_STR("false") : CALVE_STR("true"));
  list_default(l, "default", node->field->write_default, text);
  list_default(l, "default of earlier rows", node->field->initial_default, text);
}

static calve_status describe_column(calve_exec *x, calve_table *table, calve_error *err) {
  const calve_schema *schema = calve_table_metadata(table)->schema;
  const calve_schema_node *node;
  calve_str name;
  calve_listing l;
  calve_buffer text;
  CALVE_TRY(calve_exec_dotted(x, &x->statement->column, &name, err));
  CALVE_TRY(calve_schema_resolve(schema, name, calve_exec_case_matters(schema), &node, err));
  CALVE_TRY(calve_listing_begin(x, "info_name VARCHAR, info_value VARCHAR", 2, &l, err));
  calve_buffer_init(&text, x->session->allocator);
  list_column(node, &l, &text);
  calve_status status = calve_buffer_check(&text, err);
  calve_buffer_free(&text);
  if (status == CALVE_OK) return calve_listing_show(&l, err);
  calve_listing_free(&l);
  return status;
}

calve_status calve_exec_describe(calve_exec *x, calve_error *err) {
  return with_table(x, x->statement->column.part_count ? describe_column : describe, err);
}

static calve_status show_columns(calve_exec *x, calve_table *table, calve_error *err) {
  const calve_type *root = calve_table_metadata(table)->schema->root;
  calve_listing l;
  CALVE_TRY(calve_listing_begin(x, "col_name VARCHAR", 1, &l, err));
  for (int32_t i = 0; i < root->field_count; i++) calve_listing_text(&l, root->fields[i].name);
  return calve_listing_show(&l, err);
}

calve_status calve_exec_show_columns(calve_exec *x, calve_error *err) {
  return with_table(x, show_columns, err);
}

/* ---- SHOW CREATE TABLE, SHOW TBLPROPERTIES ------------------------------------------------ */

static calve_status show_create(calve_exec *x, calve_table *table, calve_error *err) {
  calve_listing l;
  calve_buffer text;
  calve_table_name name;
  CALVE_TRY(calve_exec_table_name(x, &x->statement->name, &name, err));
  CALVE_TRY(calve_listing_begin(x, "createtab_stmt VARCHAR", 1, &l, err));
  calve_buffer_init(&text, x->session->allocator);
  calve_ddl_create(calve_table_metadata(table), &name, &text);
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
  calve_str key = x->statement->setting;
  for (size_t i = 0; i < m->properties.count; i++) {
    if (key.data && !calve_str_equal(m->properties.items[i].key, key)) continue;
    calve_listing_text(&l, m->properties.items[i].key);
    calve_listing_text(&l, m->properties.items[i].value);
  }
  return calve_listing_show(&l, err);
}

calve_status calve_exec_show_properties(calve_exec *x, calve_error *err) {
  return with_table(x, show_properties, err);
}
