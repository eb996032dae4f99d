/* SPDX-License-Identifier: Apache-2.0 */
/* INSERT INTO, INSERT OVERWRITE, and the rows of CREATE TABLE AS. */
#include <inttypes.h>

#include "data/sql_text.h"
#include "data/types.h"
#include "data/write.h"
#include "expr/predicate_text.h"
#include "sql/insert.h"
#include "sql/query_columns.h"
#include "sql/source_rows.h"
#include "sql/write_properties.h"
#include "store/local.h"

typedef struct insertion {
  calve_exec *x;
  const calve_insert *insert;
  const calve_metadata *metadata;
  int32_t *column_ids; /* of the query's columns, then of the static partition columns          */
  size_t column_count;
  size_t query_columns; /* the first of them                                                    */
  int32_t *static_ids; /* of the columns that PARTITION names, as the statement has them         */
  calve_str source; /* the query with the static partition values as further columns            */
} insertion;

/* ---- which column goes where -------------------------------------------------------------- */

/* As in queries, case tells columns apart only where two have the same name without it. */
static calve_status find_column(const insertion *in, calve_str name, const calve_schema_node **out,
                                calve_error *err) {
  const calve_schema_node *exact = calve_schema_find(in->metadata->schema, name);
  if (!exact) return calve_schema_resolve(in->metadata->schema, name, false, out, err);
  *out = exact;
  return CALVE_OK;
}

static calve_status top_level(const insertion *in, calve_str name, int32_t *id, calve_error *err) {
  const calve_schema_node *node;
  CALVE_TRY(find_column(in, name, &node, err));
  if (node->parent)
    return calve_fail(err, CALVE_EINVAL, node->full_name.data,
                      "rows are inserted by whole columns: name %.*s instead",
                      CALVE_STR_ARG(node->parent->field->name));
  *id = node->field->id;
  return CALVE_OK;
}

static calve_status push_column(insertion *in, int32_t id, calve_error *err) {
  for (size_t i = 0; i < in->column_count; i++)
    if (in->column_ids[i] == id)
      return calve_fail(err, CALVE_EINVAL,
                        calve_schema_find_id(in->metadata->schema, id)->full_name.data,
                        "the column is named twice");
  in->column_ids[in->column_count++] = id;
  return CALVE_OK;
}

static bool is_static(const insertion *in, int32_t id) {
  const calve_statement *s = in->x->statement;
  for (size_t i = 0; i < s->static_value_count; i++)
    if (in->static_ids[i] == id && s->static_values[i].value_text.data) return true;
  return false;
}

/* Only a column that is itself a partition value can be fixed by PARTITION. */
static calve_status check_identity(const insertion *in, const calve_schema_node *node,
                                   calve_error *err) {
  const calve_spec *spec = in->metadata->spec;
  for (int32_t i = 0; i < spec->field_count; i++)
    if (spec->fields[i].transform.kind == CALVE_IDENTITY &&
        spec->fields[i].source_id == node->field->id)
      return CALVE_OK;
  return calve_fail(err, CALVE_EINVAL, node->full_name.data,
                    "PARTITION can only name columns that the table is partitioned by as they are; "
                    "hidden partitions follow from the rows");
}

static calve_status find_static_columns(insertion *in, calve_error *err) {
  const calve_statement *s = in->x->statement;
  in->static_ids = CALVE_NEW_ARRAY(in->x->arena, int32_t, s->static_value_count);
  if (!in->static_ids) return calve_fail_oom(err);
  for (size_t i = 0; i < s->static_value_count; i++) {
    const calve_schema_node *node;
    calve_str name;
    CALVE_TRY(calve_exec_dotted(in->x, &s->static_values[i].column, &name, err));
    CALVE_TRY(find_column(in, name, &node, err));
    CALVE_TRY(check_identity(in, node, err));
    if (node->parent)
      return calve_fail(err, CALVE_EUNSUPPORTED, node->full_name.data,
                        "PARTITION can't name a field inside of a struct; leave it out, and let "
                        "the query give the whole struct");
    in->static_ids[i] = node->field->id;
  }
  return CALVE_OK;
}

/* The value that PARTITION gives to one of its columns; *node NULL when it gives none. */
static calve_status static_value(const insertion *in, size_t index,
                                 const calve_schema_node **node, calve_value *value,
                                 calve_error *err) {
  calve_str text = in->x->statement->static_values[index].value_text;
  *node = NULL;
  if (!text.data) return CALVE_OK;
  *node = calve_schema_find_id(in->metadata->schema, in->static_ids[index]);
  return calve_exec_literal(in->x, text, (*node)->field->type, value, err);
}

/* INSERT INTO t (a, b): by the list. BY NAME: by the query's names. Else in the schema's order,
 * without the columns that PARTITION sets. */
static calve_status map_columns(insertion *in, const calve_query_column *columns, size_t count,
                                calve_error *err) {
  const calve_statement *s = in->x->statement;
  const calve_type *root = in->metadata->schema->root;
  int32_t id;
  CALVE_TRY(find_static_columns(in, err));
  for (size_t i = 0; i < s->insert_column_count; i++) {
    calve_str name;
    CALVE_TRY(calve_exec_dotted(in->x, &s->insert_columns[i], &name, err));
    CALVE_TRY(top_level(in, name, &id, err));
    CALVE_TRY(push_column(in, id, err));
  }
  for (size_t i = 0; s->by_name && i < count; i++) {
    CALVE_TRY(top_level(in, columns[i].name, &id, err));
    CALVE_TRY(push_column(in, id, err));
  }
  for (int32_t i = 0; !s->by_name && s->insert_column_count == 0 && i < root->field_count; i++)
    if (!is_static(in, root->fields[i].id)) in->column_ids[in->column_count++] = root->fields[i].id;
  if (in->column_count == count) return CALVE_OK;
  (void)calve_fail(err, CALVE_EINVAL, calve_table_full_name(in->insert->table).data,
                   "the query has %zu column%s, but %zu %s to be filled; list the columns: INSERT "
                   "INTO t (a, b) …, or use INSERT INTO t BY NAME …",
                   count, count == 1 ? "" : "s", in->column_count,
                   in->column_count == 1 ? "is" : "are");
  (void)calve_source_tell_columns(in->x, in->insert->query, columns, count, in->column_count, err);
  return CALVE_EINVAL;
}

/* ---- PARTITION (dt = '…') ----------------------------------------------------------------- */

static calve_status add_static_columns(insertion *in, calve_str query, calve_buffer *sql,
                                       calve_error *err) {
  const calve_statement *s = in->x->statement;
  calve_buffer_puts(sql, "SELECT *");
  for (size_t i = 0; i < s->static_value_count; i++) {
    const calve_schema_node *node;
    calve_value value;
    CALVE_TRY(static_value(in, i, &node, &value, err));
    if (!node) continue;
    calve_buffer_puts(sql, ", ");
    CALVE_TRY(calve_sql_value(sql, &value, node->field->type, err));
    calve_buffer_puts(sql, " AS ");
    calve_sql_name(sql, node->field->name);
    CALVE_TRY(push_column(in, node->field->id, err));
  }
  calve_buffer_puts(sql, " FROM (");
  calve_buffer_put_str(sql, query);
  calve_buffer_puts(sql, "\n)");
  return calve_buffer_check(sql, err);
}

static calve_status make_source(insertion *in, calve_error *err) {
  in->source = in->insert->query;
  if (in->x->statement->static_value_count == 0)
    return calve_arena_str(in->x->arena, in->insert->query, &in->source, err);
  calve_buffer sql;
  calve_buffer_init(&sql, in->x->session->allocator);
  calve_status status = add_static_columns(in, in->insert->query, &sql, err);
  if (status == CALVE_OK)
    status = calve_arena_str(in->x->arena, calve_buffer_view(&sql), &in->source, err);
  calve_buffer_free(&sql);
  return status;
}

/* ---- what goes ---------------------------------------------------------------------------- */

/* The rows that a static overwrite replaces: those with the fixed values; all when there are none.
 * */
static calve_status overwrite_filter(insertion *in, const calve_predicate **out, calve_error *err) {
  const calve_statement *s = in->x->statement;
  const calve_predicate **parts =
      CALVE_NEW_ARRAY(in->x->arena, const calve_predicate *, s->static_value_count);
  if (!parts) return calve_fail_oom(err);
  size_t count = 0;
  for (size_t i = 0; i < s->static_value_count; i++) {
    const calve_schema_node *node;
    calve_value value;
    CALVE_TRY(static_value(in, i, &node, &value, err));
    if (!node) continue;
    calve_term term = calve_term_column(node->full_name);
    CALVE_TRY(value.is_null ? calve_predicate_leaf(CALVE_OP_IS_NULL, &term, NULL, 0, in->x->arena,
                                                   &parts[count], err)
                            : calve_predicate_leaf(CALVE_OP_EQ, &term, &value, 1, in->x->arena,
                                                   &parts[count], err));
    count++;
  }
  return calve_predicate_and(parts, count, in->x->arena, out, err);
}

static calve_status fill_update(insertion *in, const calve_written *written,
                                calve_snapshot_update *update, calve_error *err) {
  for (size_t i = 0; i < written->file_count; i++)
    CALVE_TRY(calve_snapshot_update_add(update, &written->files[i], err));
  if (!in->x->statement->overwrite) return CALVE_OK;
  if (in->x->session->dynamic_overwrite) {
    calve_snapshot_update_replace_partitions(update);
    return CALVE_OK;
  }
  const calve_predicate *filter;
  CALVE_TRY(overwrite_filter(in, &filter, err));
  return calve_snapshot_update_remove_matching(update, filter, err);
}

/* ---- writing and committing --------------------------------------------------------------- */

static calve_status commit(insertion *in, const calve_written *written, calve_error *err) {
  calve_snapshot_update *update;
  calve_table *table = in->insert->table;
  bool nothing = written->file_count == 0 && !in->x->statement->overwrite;
  if (nothing && !in->insert->creates && !in->insert->transaction) return CALVE_OK;
  CALVE_TRY(calve_snapshot_update_make(in->x->session->allocator, &update, err));
  calve_status status = fill_update(in, written, update, err);
  calve_transaction *transaction = in->insert->transaction;
  if (status == CALVE_OK && !transaction) status = calve_table_begin(table, &transaction, err);
  if (status == CALVE_OK && !nothing)
    status = calve_transaction_add_update(transaction, update, err);
  if (status == CALVE_OK) status = calve_table_commit_transaction(table, transaction, err);
  if (!in->insert->transaction) calve_transaction_free(transaction);
  calve_snapshot_update_free(update);
  return status;
}

static void report(insertion *in, const calve_written *written) {
  calve_exec *x = in->x;
  bool replaces = in->insert->transaction;
  const char *verb = in->insert->creates       ? "table created with "
                     : replaces                ? "table replaced with "
                     : x->statement->overwrite ? "overwritten with "
                                               : "";
  calve_str name = calve_table_full_name(in->insert->table);
  x->result->row_count = written->row_count;
  if (written->file_count == 0 && !x->statement->overwrite)
    calve_exec_done(x, "%.*s: %s0 rows inserted", CALVE_STR_ARG(name),
                    in->insert->creates ? "table created, "
                    : replaces          ? "table replaced, "
                                        : "");
  else
    calve_exec_done(x, "%.*s: %s%" PRId64 " row%s%s in %zu file%s, snapshot %" PRId64,
                    CALVE_STR_ARG(name), verb, written->row_count,
                    written->row_count == 1 ? "" : "s", x->statement->overwrite ? "" : " inserted",
                    written->file_count, written->file_count == 1 ? "" : "s",
                    calve_table_metadata(in->insert->table)->current_snapshot_id);
}

static calve_status run(insertion *in, calve_error *err) {
  const calve_path_rules *rules = calve_table_path_rules(in->insert->table);
  calve_write_request request = {.metadata = in->metadata,
                                 .rules = rules,
                                 .source = in->source.data,
                                 .column_ids = in->column_ids,
                                 .column_count = in->column_count};
  calve_written written;
  calve_status status =
      calve_write_files(in->x->session->engine, &request, in->x->arena, &written, err);
  if (status == CALVE_EINVAL)
    return calve_source_tell_row(in->x, in->insert->query, in->query_columns, &request, err);
  CALVE_TRY(status);
  if (written.warning.data) status = calve_exec_warn(in->x, err, "%s", written.warning.data);
  if (status == CALVE_OK) status = commit(in, &written, err);
  if (status == CALVE_OK) report(in, &written);
  else if (status != CALVE_EUNKNOWN)
    calve_written_discard(&written, rules, in->x->session->allocator);
  return status;
}

calve_status calve_insert_run(calve_exec *x, const calve_insert *insert, calve_error *err) {
  insertion in = {.x = x, .insert = insert, .metadata = insert->metadata};
  if (!in.metadata) in.metadata = calve_table_metadata(insert->table);
  const calve_query_column *columns;
  size_t count;
  if (!insert->creates && !insert->transaction) /* else they have just been set */
    CALVE_TRY(calve_check_write_properties(x, &in.metadata->properties, err));
  size_t capacity =
      (size_t)in.metadata->schema->root->field_count + x->statement->static_value_count;
  CALVE_TRY(calve_query_columns(x, insert->query, &columns, &count, err));
  in.column_ids = CALVE_NEW_ARRAY(x->arena, int32_t, capacity);
  if (!in.column_ids) return calve_fail_oom(err);
  CALVE_TRY(map_columns(&in, columns, count, err));
  in.query_columns = count;
  CALVE_TRY(make_source(&in, err));
  if (x->session->dry_run)
    return calve_exec_message(x, err,
                              "dry run: rows would go into %.*s; they were not made or checked",
                              CALVE_STR_ARG(calve_table_full_name(insert->table)));
  calve_status status = run(&in, err);
  if (status != CALVE_OK && status != CALVE_EUNKNOWN && insert->creates) {
    calve_status removed = calve_local_remove_folder(in.metadata->location, NULL);
    (void)removed; /* only when nothing lies there but empty folders */
  }
  return status;
}

/* INSERT INTO a temporary table: the engine's, but for the Iceberg tables in the query. */
static calve_status insert_into_engine(calve_exec *x, calve_error *err) {
  const calve_statement *s = x->statement;
  calve_str query, text;
  CALVE_TRY(calve_exec_rewrite_query(x, s->query, &query, err));
  CALVE_TRY(calve_arena_printf(x->arena, &text, err, "%.*s%.*s", (int)s->query_offset, s->text.data,
                               (int)query.size, query.data));
  return calve_exec_rows(x, text.data, err);
}

calve_status calve_exec_insert(calve_exec *x, calve_error *err) {
  calve_table *table;
  calve_insert insert = {0};
  bool engine;
  CALVE_TRY(calve_exec_is_engine_table(x, &x->statement->name, &engine, err));
  if (engine && x->session->dry_run) return calve_exec_message(x, err, "dry run: not done");
  if (engine) return insert_into_engine(x, err);
  CALVE_TRY(calve_exec_load(x, &x->statement->name, &table, err));
  insert.table = table;
  calve_str query = x->statement->query;
  calve_status status =
      calve_insert_fill_defaults(x, calve_table_metadata(table)->schema, &query, err);
  if (status == CALVE_OK) status = calve_exec_rewrite_query(x, query, &insert.query, err);
  if (status != CALVE_OK && err && query.data != x->statement->query.data)
    err->byte_offset = -1; /* of a text that nobody has seen */
  if (status == CALVE_OK) status = calve_insert_run(x, &insert, err);
  calve_table_close(table);
  return status;
}
