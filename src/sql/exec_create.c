/* SPDX-License-Identifier: Apache-2.0 */
/* CREATE TABLE, REPLACE TABLE, both with AS, and DROP TABLE. */
#include <string.h>

#include "evolve/replace_update.h"
#include "evolve/sort_update.h"
#include "evolve/spec_update.h"
#include "sql/insert.h"
#include "sql/session.h"
#include "sql/write_properties.h"

/* The column list as a schema; ids are provisional, the catalog gives real ones. */
static calve_status listed_schema(calve_exec *x, const calve_schema **out, calve_error *err) {
  const calve_statement *s = x->statement;
  calve_field *fields = CALVE_NEW_ARRAY(x->arena, calve_field, s->column_count);
  calve_type *root = CALVE_NEW(x->arena, calve_type);
  if (!fields || !root) return calve_fail_oom(err);
  for (size_t i = 0; i < s->column_count; i++) {
    const calve_sql_column *column = &s->columns[i];
    fields[i] = (calve_field){.id = column->id,
                              .required = column->required,
                              .name = column->name.parts[0],
                              .doc = column->comment};
    CALVE_TRY(calve_exec_type(x, column->type, &fields[i].type, err));
    if (!column->default_text.data) continue;
    calve_value *value = CALVE_NEW(x->arena, calve_value);
    if (!value) return calve_fail_oom(err);
    CALVE_TRY(calve_exec_literal(x, column->default_text, column->type, value, err));
    if (!value->is_null) fields[i].initial_default = fields[i].write_default = value;
  }
  *root =
      (calve_type){.id = CALVE_STRUCT, .field_count = (int32_t)s->column_count, .fields = fields};
  return calve_schema_make(0, root, NULL, 0, x->arena, out, err);
}

/* IDENTIFIER FIELDS: the schema with them. The rules are those of ALTER TABLE. */
static calve_status with_identifiers(calve_exec *x, const calve_schema **schema,
                                     calve_error *err) {
  const calve_statement *s = x->statement;
  if (s->identifier_count == 0) return CALVE_OK;
  int32_t *ids = CALVE_NEW_ARRAY(x->arena, int32_t, s->identifier_count);
  if (!ids) return calve_fail_oom(err);
  for (size_t i = 0; i < s->identifier_count; i++) {
    const calve_schema_node *node;
    calve_str name;
    CALVE_TRY(calve_exec_dotted(x, &s->identifiers[i], &name, err));
    CALVE_TRY(calve_schema_resolve(*schema, name, calve_exec_case_matters(*schema), &node, err));
    size_t at = i; /* sorted, as schemas keep them */
    for (; at > 0 && ids[at - 1] > node->field->id; at--) ids[at] = ids[at - 1];
    ids[at] = node->field->id;
  }
  return calve_schema_make(0, (*schema)->root, ids, (int32_t)s->identifier_count, x->arena, schema,
                           err);
}

static calve_status table_spec(calve_exec *x, const calve_schema *schema, const calve_spec **out,
                               calve_error *err) {
  const calve_statement *s = x->statement;
  if (s->partitioning_count == 0) return CALVE_OK;
  calve_new_partition_field *fields =
      CALVE_NEW_ARRAY(x->arena, calve_new_partition_field, s->partitioning_count);
  if (!fields) return calve_fail_oom(err);
  for (size_t i = 0; i < s->partitioning_count; i++) {
    fields[i].transform = s->partitioning[i].transform;
    fields[i].name = s->partitioning[i].name;
    CALVE_TRY(calve_exec_dotted(x, &s->partitioning[i].column, &fields[i].source, err));
  }
  return calve_spec_build(schema, fields, s->partitioning_count, calve_exec_case_matters(schema),
                          x->arena, out, err);
}

calve_status calve_exec_sort_fields(calve_exec *x, const calve_sql_sort *sort, size_t count,
                                    const calve_new_sort_field **out, calve_error *err) {
  calve_new_sort_field *fields = CALVE_NEW_ARRAY(x->arena, calve_new_sort_field, count);
  if (!fields) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) {
    fields[i] = (calve_new_sort_field){.transform = sort[i].term.transform,
                                       .descending = sort[i].descending,
                                       .nulls_last = sort[i].nulls_last};
    CALVE_TRY(calve_exec_dotted(x, &sort[i].term.column, &fields[i].source, err));
  }
  *out = fields;
  return CALVE_OK;
}

static calve_status table_order(calve_exec *x, const calve_schema *schema,
                                const calve_sort_order **out, calve_error *err) {
  const calve_statement *s = x->statement;
  const calve_new_sort_field *fields;
  if (s->sort_count == 0) return CALVE_OK;
  CALVE_TRY(calve_exec_sort_fields(x, s->sort, s->sort_count, &fields, err));
  return calve_sort_order_build(schema, fields, s->sort_count, calve_exec_case_matters(schema),
                                x->arena, out, err);
}

static calve_status table_properties(calve_exec *x, calve_properties *out, calve_error *err) {
  const calve_statement *s = x->statement;
  calve_property *items = CALVE_NEW_ARRAY(x->arena, calve_property, s->property_count + 1);
  if (!items) return calve_fail_oom(err);
  size_t count = 0;
  for (size_t i = 0; i < s->property_count; i++) {
    for (size_t j = 0; j < i; j++)
      if (calve_str_equal(s->properties[i].key, s->properties[j].key))
        return calve_fail(err, CALVE_EINVAL, "TBLPROPERTIES", "%.*s is given twice",
                          CALVE_STR_ARG(s->properties[i].key));
    items[count++] = (calve_property){s->properties[i].key, s->properties[i].value};
  }
  if (s->comment.data) items[count++] = (calve_property){CALVE_STR("comment"), s->comment};
  *out = (calve_properties){items, count};
  return CALVE_OK;
}

/* SQL finds columns without regard to case: two that differ in nothing else can't be told apart. */
static calve_status check_names(const calve_schema *schema, calve_error *err) {
  const calve_type *root = schema->root;
  for (int32_t i = 0; i < root->field_count; i++)
    for (int32_t j = 0; j < i; j++)
      if (calve_str_equal_nocase(root->fields[i].name, root->fields[j].name))
        return calve_fail(err, CALVE_EINVAL, NULL,
                          "there are two columns '%.*s', but for upper and lower case",
                          CALVE_STR_ARG(root->fields[i].name));
  return CALVE_OK;
}

static calve_status define(calve_exec *x, const calve_schema *schema, calve_table_definition *out,
                           calve_error *err) {
  calve_table_definition definition = {.schema = schema, .location = x->statement->location};
  CALVE_TRY(check_names(schema, err));
  CALVE_TRY(table_spec(x, schema, &definition.spec, err));
  CALVE_TRY(table_order(x, schema, &definition.sort_order, err));
  CALVE_TRY(table_properties(x, &definition.properties, err));
  CALVE_TRY(calve_check_set_properties(x, &definition.properties, err));
  *out = definition;
  return CALVE_OK;
}

/* The schema of the statement: its column list, or what its query gives. */
static calve_status statement_schema(calve_exec *x, calve_str *query, const calve_schema **out,
                                     calve_error *err) {
  if (x->statement->query.data) {
    CALVE_TRY(calve_exec_rewrite_query(x, x->statement->query, query, err));
    CALVE_TRY(calve_exec_query_schema(x, *query, out, err));
  } else {
    CALVE_TRY(listed_schema(x, out, err));
  }
  return with_identifiers(x, out, err);
}

static calve_status show_new(calve_exec *x, const calve_table_name *name,
                             const calve_table_definition *definition, calve_error *err) {
  calve_table *table;
  CALVE_TRY(calve_table_stage(x->session->catalog, name, definition, &table, err));
  calve_status status = calve_exec_show_diff(x, NULL, calve_table_metadata(table), err);
  calve_table_close(table);
  return status;
}

/* With AS the table appears together with its rows, or not at all. */
static calve_status create(calve_exec *x, const calve_table_name *name, calve_error *err) {
  calve_str query = {NULL, 0};
  const calve_schema *schema;
  calve_table_definition definition;
  calve_table *table = NULL;
  CALVE_TRY(statement_schema(x, &query, &schema, err));
  CALVE_TRY(define(x, schema, &definition, err));
  if (x->session->dry_run) return show_new(x, name, &definition, err);
  if (!query.data) {
    CALVE_TRY(calve_table_create(x->session->catalog, name, &definition, &table, err));
    calve_exec_done(x, "table %s created", calve_table_full_name(table).data);
    calve_table_close(table);
    return CALVE_OK;
  }
  CALVE_TRY(calve_table_stage(x->session->catalog, name, &definition, &table, err));
  calve_insert insert = {.table = table, .query = query, .creates = true};
  calve_status status = calve_insert_run(x, &insert, err);
  calve_table_close(table);
  return status;
}

/* ---- REPLACE TABLE ------------------------------------------------------------------------ */

/* With AS the rows are written for the table as it will be, and committed with the replacement. */
static calve_status replace_with(calve_exec *x, calve_table *table, calve_str query,
                                 const calve_changes *changes, calve_error *err) {
  calve_transaction *transaction;
  if (x->session->dry_run) return calve_exec_show_changes(x, table, changes, 1, err);
  CALVE_TRY(calve_table_begin(table, &transaction, err));
  calve_status status = calve_transaction_add_changes(transaction, changes, err);
  if (status == CALVE_OK && query.data) {
    calve_insert insert = {.table = table, .query = query, .transaction = transaction};
    status = calve_transaction_preview(transaction, &insert.metadata, err);
    if (status == CALVE_OK) status = calve_insert_run(x, &insert, err);
  } else if (status == CALVE_OK) {
    status = calve_table_commit_transaction(table, transaction, err);
    if (status == CALVE_OK)
      calve_exec_done(x, "table %s replaced; its history is kept",
                      calve_table_full_name(table).data);
  }
  calve_transaction_free(transaction);
  return status;
}

static calve_status replace(calve_exec *x, const calve_table_name *name, calve_error *err) {
  calve_str query = {NULL, 0};
  const calve_schema *schema;
  calve_table_definition definition;
  calve_table *table;
  calve_changes changes;
  CALVE_TRY(statement_schema(x, &query, &schema, err));
  CALVE_TRY(define(x, schema, &definition, err));
  if (definition.location.size > 0)
    CALVE_TRY(calve_catalog_own_location(x->session->catalog, name, definition.location, x->arena,
                                         &definition.location, err));
  CALVE_TRY(calve_table_load(x->session->catalog, name, &table, err));
  calve_replacement wanted = {.schema = definition.schema,
                              .spec = definition.spec,
                              .sort_order = definition.sort_order,
                              .location = definition.location,
                              .properties = definition.properties};
  calve_status status = calve_replace_update_apply(calve_table_metadata(table), &wanted, x->arena,
                                                   &changes, err);
  if (status == CALVE_OK) status = replace_with(x, table, query, &changes, err);
  calve_table_close(table);
  return status;
}

calve_status calve_exec_create_table(calve_exec *x, calve_error *err) {
  const calve_statement *s = x->statement;
  calve_table_name name;
  calve_str text;
  bool exists = false;
  CALVE_TRY(calve_exec_table_name(x, &s->name, &name, err));
  CALVE_TRY(calve_table_name_text(&name, x->arena, &text, err));
  CALVE_TRY(calve_catalog_table_exists(x->session->catalog, &name, &exists, err));
  if (s->replace && (exists || !s->or_replace)) return replace(x, &name, err);
  if (exists && s->if_not_exists)
    return calve_exec_message(x, err, "table %s exists already", text.data);
  if (exists)
    return calve_fail(err, CALVE_EEXISTS, text.data,
                      "there is such a table already (CREATE TABLE IF NOT EXISTS lets it be, "
                      "CREATE OR REPLACE TABLE gives it a new shape)");
  return create(x, &name, err);
}

calve_status calve_exec_drop_table(calve_exec *x, calve_error *err) {
  calve_table_name name;
  calve_str text;
  bool engine;
  CALVE_TRY(calve_exec_is_engine_table(x, &x->statement->name, &engine, err));
  if (engine) {
    if (x->session->dry_run) return calve_exec_message(x, err, "dry run: not done");
    CALVE_TRY(calve_arena_str(x->arena, x->statement->text, &text, err));
    return calve_exec_rows(x, text.data, err);
  }
  CALVE_TRY(calve_exec_table_name(x, &x->statement->name, &name, err));
  CALVE_TRY(calve_table_name_text(&name, x->arena, &text, err));
  calve_error failure = {0};
  bool purge = x->statement->purge, dry = x->session->dry_run;
  calve_status status = dry
                            ? calve_catalog_check_drop(x->session->catalog, &name, purge, &failure)
                            : calve_catalog_drop_table(x->session->catalog, &name, purge, &failure);
  if (status == CALVE_ENOTFOUND && x->statement->if_exists) {
    if (strstr(failure.message, " meant?")) /* a slip of the pen must not look like success */
      CALVE_TRY(calve_exec_warn(x, err, "%s", failure.message));
    return calve_exec_message(x, err, "there is no table %s", text.data);
  }
  if (status != CALVE_OK) {
    if (err) *err = failure;
    return status;
  }
  bool removed = purge || calve_catalog_drop_removes_files(x->session->catalog);
  if (dry)
    return calve_exec_message(x, err,
                              removed ? "dry run: table %s would be dropped, its files removed"
                                      : "dry run: table %s would be dropped; its files would stay",
                              text.data);
  calve_exec_done(x,
                  removed ? "table %s dropped, its files removed"
                          : "table %s dropped; its files are still there",
                  text.data);
  return CALVE_OK;
}
