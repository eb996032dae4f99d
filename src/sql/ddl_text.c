/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/ddl_text.h"

#include <inttypes.h>

void calve_ddl_column(const calve_schema_node *node, calve_buffer *out) {
  const calve_schema_node *chain[CALVE_DEPTH_MAX + 1];
  size_t depth = 0;
  for (; node && depth < CALVE_DEPTH_MAX; node = node->parent) chain[depth++] = node;
  while (depth > 0) {
    calve_sql_name_print(chain[--depth]->field->name, out);
    if (depth > 0) calve_buffer_putc(out, '.');
  }
}

void calve_ddl_term(const calve_metadata *m, const calve_transform *t, int32_t source_id,
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
  if (node) calve_ddl_column(node, out);
  if (call) calve_buffer_putc(out, ')');
}

static void print_sort_field(const calve_metadata *m, const calve_sort_field *f,
                             calve_buffer *out) {
  calve_ddl_term(m, &f->transform, f->source_id, out);
  calve_buffer_puts(out, f->descending ? " DESC" : " ASC");
  calve_buffer_puts(out, f->nulls_last ? " NULLS LAST" : " NULLS FIRST");
}

void calve_ddl_order(const calve_metadata *m, calve_buffer *out) {
  for (int32_t i = 0; i < m->sort_order->field_count; i++) {
    if (i > 0) calve_buffer_puts(out, ", ");
    print_sort_field(m, &m->sort_order->fields[i], out);
  }
}

/* ---- CREATE TABLE ------------------------------------------------------------------------- */

static void print_create_columns(const calve_metadata *m, calve_buffer *out) {
  for (int32_t i = 0; i < m->schema->root->field_count; i++) {
    const calve_field *field = &m->schema->root->fields[i];
    calve_buffer_puts(out, i > 0 ? ",\n  " : "\n  ");
    calve_sql_name_print(field->name, out);
    calve_buffer_putc(out, ' ');
    calve_sql_type_print(field->type, out);
    if (field->required) calve_buffer_puts(out, " NOT NULL");
    if (field->write_default) calve_sql_default_print(field->write_default, out);
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

static void print_table_name(const calve_table_name *name, calve_buffer *out) {
  for (size_t i = 0; i < name->space.count; i++) {
    calve_sql_name_print(name->space.levels[i], out);
    calve_buffer_putc(out, '.');
  }
  calve_sql_name_print(name->name, out);
}

static void print_identifiers(const calve_metadata *m, calve_buffer *out) {
  const calve_schema *s = m->schema;
  if (s->identifier_field_count == 0) return;
  calve_buffer_puts(out, "\nIDENTIFIER FIELDS (");
  for (int32_t i = 0; i < s->identifier_field_count; i++) {
    if (i > 0) calve_buffer_puts(out, ", ");
    calve_ddl_column(calve_schema_find_id(s, s->identifier_field_ids[i]), out);
  }
  calve_buffer_putc(out, ')');
}

/* Whether CREATE TABLE gives the field this name by itself. */
static bool has_created_name(const calve_metadata *m, const calve_partition_field *f,
                             calve_arena *scratch) {
  const calve_schema_node *source = calve_schema_find_id(m->schema, f->source_id);
  calve_str name;
  return source &&
         calve_partition_created_name(&f->transform, source->full_name, scratch, &name, NULL) ==
             CALVE_OK &&
         calve_str_equal(name, f->name);
}

static bool is_time(const calve_transform *t) {
  return t->kind >= CALVE_YEAR && t->kind <= CALVE_HOUR;
}

/* The first field that CREATE TABLE would refuse beside an earlier one: a second unit of time of a
 * column, which evolution allows. The count of fields when there is none. */
static int32_t first_redundant(const calve_spec *spec) {
  for (int32_t i = 0; i < spec->field_count; i++)
    for (int32_t k = 0; k < i; k++)
      if (is_time(&spec->fields[i].transform) && is_time(&spec->fields[k].transform) &&
          spec->fields[i].source_id == spec->fields[k].source_id)
        return i;
  return spec->field_count;
}

static void print_partitioning(const calve_metadata *m, int32_t count, calve_buffer *out) {
  calve_arena scratch;
  calve_arena_init(&scratch, out->allocator);
  bool any = false;
  for (int32_t i = 0; i < count; i++) {
    const calve_partition_field *f = &m->spec->fields[i];
    if (f->transform.kind == CALVE_VOID) continue; /* a hole that v1 leaves */
    calve_buffer_puts(out, any ? ", " : "\nPARTITIONED BY (");
    any = true;
    calve_ddl_term(m, &f->transform, f->source_id, out);
    if (has_created_name(m, f, &scratch)) continue;
    calve_buffer_puts(out, " AS ");
    calve_sql_name_print(f->name, out);
  }
  if (any) calve_buffer_putc(out, ')');
  calve_arena_free(&scratch);
}

/* Fields that only ALTER TABLE adds, and those behind them, as the order counts. */
static void print_added_fields(const calve_metadata *m, const calve_table_name *name, int32_t first,
                               calve_buffer *out) {
  for (int32_t i = first; i < m->spec->field_count; i++) {
    const calve_partition_field *f = &m->spec->fields[i];
    if (f->transform.kind == CALVE_VOID) continue;
    calve_buffer_puts(out, ";\nALTER TABLE ");
    print_table_name(name, out);
    calve_buffer_puts(out, " ADD PARTITION FIELD ");
    calve_ddl_term(m, &f->transform, f->source_id, out);
    calve_buffer_puts(out, " AS ");
    calve_sql_name_print(f->name, out);
  }
}

void calve_ddl_create(const calve_metadata *m, const calve_table_name *name, calve_buffer *out) {
  int32_t created = first_redundant(m->spec);
  calve_buffer_puts(out, "CREATE TABLE ");
  print_table_name(name, out);
  calve_buffer_puts(out, " (");
  print_create_columns(m, out);
  calve_buffer_puts(out, ")\nUSING iceberg");
  print_partitioning(m, created, out);
  print_identifiers(m, out);
  if (m->sort_order->field_count > 0) {
    calve_buffer_puts(out, "\nWRITE ORDERED BY ");
    calve_ddl_order(m, out);
  }
  calve_buffer_puts(out, "\nLOCATION ");
  calve_sql_string_print(m->location, out);
  print_create_properties(m, out);
  print_added_fields(m, name, created, out);
}
