/* SPDX-License-Identifier: Apache-2.0 */
/* ALTER TABLE: each statement is one commit. */
#include <stdio.h>

#include "evolve/property_update.h"
#include "evolve/schema_update.h"
#include "evolve/sort_update.h"
#include "evolve/spec_update.h"
#include "sql/insert.h"
#include "sql/session.h"
#include "sql/table_warnings.h"
#include "sql/write_properties.h"

typedef struct alteration {
  calve_exec *x;
  calve_table *table;
  const calve_metadata *metadata;
} alteration;

/* ---- columns ------------------------------------------------------------------------------ */

/* Splits "addr.zip" into the parent "addr" ("" at top level) and the name "zip". */
static calve_status split_name(calve_exec *x, const calve_name *name, calve_str *parent,
                               calve_str *last, calve_error *err) {
  calve_name front = *name;
  front.part_count--;
  *last = name->parts[front.part_count];
  *parent = (calve_str){"", 0};
  return front.part_count > 0 ? calve_exec_dotted(x, &front, parent, err) : CALVE_OK;
}

/* The reference column of AFTER and BEFORE: a sibling may be named without its parents. */
static calve_status sibling(calve_exec *x, calve_str parent, const calve_name *reference,
                            calve_str *out, calve_error *err) {
  if (reference->part_count > 1 || parent.size == 0)
    return calve_exec_dotted(x, reference, out, err);
  return calve_arena_printf(x->arena, out, err, "%.*s.%.*s", (int)parent.size, parent.data,
                            (int)reference->parts[0].size, reference->parts[0].data);
}

static calve_status move(alteration *a, calve_schema_update *u, const calve_name *name,
                         calve_sql_position position, const calve_name *reference,
                         calve_error *err) {
  calve_str full, parent, last, other;
  CALVE_TRY(calve_exec_dotted(a->x, name, &full, err));
  if (position == CALVE_POSITION_FIRST) return calve_schema_update_move_first(u, full, err);
  CALVE_TRY(split_name(a->x, name, &parent, &last, err));
  CALVE_TRY(sibling(a->x, parent, reference, &other, err));
  return position == CALVE_POSITION_AFTER ? calve_schema_update_move_after(u, full, other, err)
                                          : calve_schema_update_move_before(u, full, other, err);
}

static calve_status add_column(alteration *a, calve_schema_update *u,
                               const calve_sql_action *action, calve_error *err) {
  const calve_sql_column *column = &action->column;
  calve_value value;
  calve_str full;
  calve_new_column added = {.doc = column->comment, .required = column->required};
  CALVE_TRY(calve_exec_type(a->x, column->type, &added.type, err));
  CALVE_TRY(calve_exec_dotted(a->x, &column->name, &full, err));
  if (action->if_exists && calve_exec_find_column(a->metadata->schema, full)) return CALVE_OK;
  CALVE_TRY(split_name(a->x, &column->name, &added.parent, &added.name, err));
  if (column->default_text.data) {
    CALVE_TRY(calve_exec_literal(a->x, column->default_text, column->type, &value, err));
    if (!value.is_null) added.default_value = &value;
  }
  CALVE_TRY(calve_schema_update_add(u, &added, err));
  if (column->position == CALVE_POSITION_NONE) return CALVE_OK;
  return move(a, u, &column->name, column->position, &column->reference, err);
}

static calve_status set_default(alteration *a, calve_schema_update *u, calve_str name,
                                calve_str text, calve_error *err) {
  const calve_schema_node *node;
  calve_value value;
  if (!text.data) return calve_schema_update_default(u, name, NULL, NULL, err);
  CALVE_TRY(calve_schema_resolve(a->metadata->schema, name,
                                 calve_exec_case_matters(a->metadata->schema), &node, err));
  CALVE_TRY(calve_exec_literal(a->x, text, node->field->type, &value, err));
  return calve_schema_update_default(u, name, value.is_null ? NULL : &value, NULL, err);
}

/* REPLACE COLUMNS. The new columns have new ids, as in Spark: what is there reads as null. */
static calve_status drop_all(alteration *a, calve_schema_update *u, calve_error *err) {
  const calve_schema *schema = a->metadata->schema;
  for (int32_t i = 0; i < schema->root->field_count; i++)
    CALVE_TRY(calve_schema_update_delete(u, schema->root->fields[i].name, err));
  if (a->metadata->current_snapshot_id == CALVE_NO_SNAPSHOT) return CALVE_OK;
  return calve_exec_warn(a->x, err,
                         "REPLACE COLUMNS makes new columns also where names are known: rows that "
                         "are there show nulls in them. ADD, DROP, RENAME and ALTER COLUMN keep "
                         "values");
}

static calve_status alter_column(alteration *a, calve_schema_update *u,
                                 const calve_sql_action *action, calve_error *err) {
  calve_str name;
  if (action->kind == CALVE_ACTION_ADD_COLUMN) return add_column(a, u, action, err);
  if (action->kind == CALVE_ACTION_DROP_ALL_COLUMNS) return drop_all(a, u, err);
  CALVE_TRY(calve_exec_dotted(a->x, &action->name, &name, err));
  switch (action->kind) {
    case CALVE_ACTION_DROP_COLUMN:
      if (action->if_exists && !calve_exec_find_column(a->metadata->schema, name)) return CALVE_OK;
      return calve_schema_update_delete(u, name, err);
    case CALVE_ACTION_RENAME_COLUMN:
      return calve_schema_update_rename(u, name, action->new_name, err);
    case CALVE_ACTION_COLUMN_TYPE:
      return calve_schema_update_type(u, name, action->type, err);
    case CALVE_ACTION_COLUMN_COMMENT:
      return calve_schema_update_doc(u, name, action->text, err);
    case CALVE_ACTION_COLUMN_POSITION:
      return move(a, u, &action->name, action->column.position, &action->column.reference, err);
    case CALVE_ACTION_COLUMN_NULLABLE:
      return calve_schema_update_make_optional(u, name, err);
    case CALVE_ACTION_COLUMN_REQUIRED:
      return calve_schema_update_require(u, name, err);
    default:
      return set_default(a, u, name, action->text, err);
  }
}

static bool is_identifier(const calve_schema *schema, int32_t id) {
  for (int32_t i = 0; i < schema->identifier_field_count; i++)
    if (schema->identifier_field_ids[i] == id) return true;
  return false;
}

/* DROP IDENTIFIER FIELDS: names of those that stay. */
static calve_status identifiers_without(alteration *a, const calve_sql_action *action,
                                        calve_str *names, size_t *count, calve_error *err) {
  const calve_schema *schema = a->metadata->schema;
  calve_map dropped;
  calve_map_init(&dropped, a->x->arena);
  for (size_t i = 0; i < action->name_count; i++) {
    const calve_schema_node *node;
    calve_str name;
    CALVE_TRY(calve_exec_dotted(a->x, &action->names[i], &name, err));
    CALVE_TRY(calve_schema_resolve(schema, name, calve_exec_case_matters(schema), &node, err));
    if (!is_identifier(schema, node->field->id))
      return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)action->names[i].offset,
                           "column %d (%.*s) is no identifier field", node->field->id,
                           CALVE_STR_ARG(node->full_name));
    CALVE_TRY(calve_map_put_id(&dropped, node->field->id, a, NULL, err));
  }
  *count = 0;
  for (int32_t i = 0; i < schema->identifier_field_count; i++) {
    int32_t id = schema->identifier_field_ids[i];
    if (!calve_map_get_id(&dropped, id))
      names[(*count)++] = calve_schema_find_id(schema, id)->full_name;
  }
  return CALVE_OK;
}

static calve_status set_identifiers(alteration *a, calve_schema_update *u,
                                    const calve_sql_action *action, calve_error *err) {
  size_t count = action->name_count;
  calve_str *names =
      CALVE_NEW_ARRAY(a->x->arena, calve_str,
                      count + (size_t)a->metadata->schema->identifier_field_count);
  if (!names) return calve_fail_oom(err);
  if (action->kind == CALVE_ACTION_DROP_IDENTIFIER)
    CALVE_TRY(identifiers_without(a, action, names, &count, err));
  else
    for (size_t i = 0; i < count; i++)
      CALVE_TRY(calve_exec_dotted(a->x, &action->names[i], &names[i], err));
  return calve_schema_update_identifier_fields(u, names, count, err);
}

static calve_status warn_of_taken_name(alteration *a, const calve_schema_update *u,
                                       calve_error *err) {
  calve_taken_name taken = calve_schema_update_taken_name(u);
  char former[48] = "no longer ignored";
  if (!taken.name.data) return CALVE_OK;
  if (taken.from >= 0) snprintf(former, sizeof former, "no longer column %d", taken.from);
  return calve_exec_warn(a->x, err,
                         "in files without column ids \"%.*s\" is from now on column %d, and %s "
                         "(property schema.name-mapping.default): rows of such files change. Take "
                         "another name if that is not meant",
                         CALVE_STR_ARG(taken.name), taken.by, former);
}

static calve_status schema_changes(alteration *a, calve_changes *out, calve_error *err) {
  const calve_statement *s = a->x->statement;
  calve_schema_update *u;
  CALVE_TRY(calve_schema_update_begin(a->metadata, a->x->arena, &u, err));
  calve_schema_update_case_sensitive(u, calve_exec_case_matters(a->metadata->schema));
  for (size_t i = 0; i < s->action_count; i++) {
    const calve_sql_action *action = &s->actions[i];
    if (action->kind == CALVE_ACTION_SET_IDENTIFIER ||
        action->kind == CALVE_ACTION_DROP_IDENTIFIER)
      CALVE_TRY(set_identifiers(a, u, action, err));
    else
      CALVE_TRY(alter_column(a, u, action, err));
  }
  CALVE_TRY(calve_schema_update_apply(u, NULL, out, err));
  return warn_of_taken_name(a, u, err);
}

/* ---- partition fields --------------------------------------------------------------------- */

/* In DROP and REPLACE a bare name that is no column is the name of a partition field. */
static bool names_field(const alteration *a, const calve_sql_term *term, calve_str column) {
  return term->bare && term->column.part_count == 1 &&
         !calve_exec_find_column(a->metadata->schema, column);
}

static calve_status remove_field(alteration *a, calve_spec_update *u, const calve_sql_term *term,
                                 calve_error *err) {
  calve_str column;
  CALVE_TRY(calve_exec_dotted(a->x, &term->column, &column, err));
  if (names_field(a, term, column)) return calve_spec_update_remove(u, column, err);
  return calve_spec_update_remove_term(u, column, &term->transform, err);
}

static calve_status order_fields(alteration *a, calve_spec_update *u,
                                 const calve_sql_action *action, calve_error *err) {
  if (action->name_count != (size_t)a->metadata->spec->field_count)
    return calve_fail_at(err, CALVE_EINVAL, "SQL", (int64_t)action->offset,
                         "ORDER PARTITION FIELDS lists all %d partition fields",
                         a->metadata->spec->field_count);
  calve_str name, before = {NULL, 0};
  for (size_t i = 0; i < action->name_count; i++) {
    CALVE_TRY(calve_exec_dotted(a->x, &action->names[i], &name, err));
    CALVE_TRY(i == 0 ? calve_spec_update_move_first(u, name, err)
                     : calve_spec_update_move_after(u, name, before, err));
    before = name;
  }
  return CALVE_OK;
}

static calve_status alter_field(alteration *a, calve_spec_update *u,
                                const calve_sql_action *action, calve_error *err) {
  calve_str column;
  switch (action->kind) {
    case CALVE_ACTION_ADD_FIELD:
      CALVE_TRY(calve_exec_dotted(a->x, &action->term.column, &column, err));
      return calve_spec_update_add(u, column, &action->term.transform, action->new_name, err);
    case CALVE_ACTION_DROP_FIELD:
      return remove_field(a, u, &action->term, err);
    case CALVE_ACTION_REPLACE_FIELD:
      CALVE_TRY(remove_field(a, u, &action->term, err));
      CALVE_TRY(calve_exec_dotted(a->x, &action->with.column, &column, err));
      return calve_spec_update_add(u, column, &action->with.transform, action->new_name, err);
    case CALVE_ACTION_RENAME_FIELD:
      CALVE_TRY(calve_exec_dotted(a->x, &action->term.column, &column, err));
      return calve_spec_update_rename(u, column, action->new_name, err);
    default:
      return order_fields(a, u, action, err);
  }
}

static calve_status spec_changes(alteration *a, calve_changes *out, calve_error *err) {
  const calve_statement *s = a->x->statement;
  calve_spec_update *u;
  CALVE_TRY(calve_spec_update_begin(a->metadata, a->x->arena, &u, err));
  calve_spec_update_case_sensitive(u, calve_exec_case_matters(a->metadata->schema));
  for (size_t i = 0; i < s->action_count; i++)
    CALVE_TRY(alter_field(a, u, &s->actions[i], err));
  return calve_spec_update_apply(u, NULL, out, err);
}

/* ---- properties and order ----------------------------------------------------------------- */

static calve_status property_changes(alteration *a, calve_changes *out, calve_error *err) {
  const calve_sql_action *action = &a->x->statement->actions[0];
  bool unset = action->kind == CALVE_ACTION_UNSET_PROPERTIES;
  calve_property *set = CALVE_NEW_ARRAY(a->x->arena, calve_property, action->property_count);
  calve_str *keys = CALVE_NEW_ARRAY(a->x->arena, calve_str, action->property_count);
  if (!set || !keys) return calve_fail_oom(err);
  for (size_t i = 0; i < action->property_count; i++) {
    set[i] = (calve_property){action->properties[i].key, action->properties[i].value};
    keys[i] = action->properties[i].key;
  }
  calve_properties properties = {set, unset ? 0 : action->property_count};
  CALVE_TRY(calve_check_set_properties(a->x, &properties, err));
  return calve_property_update_apply(a->metadata, &properties, keys,
                                     unset ? action->property_count : 0, a->x->arena, out, err);
}

/* The distribution is a property of writers, as Spark has it. */
static calve_status distribution_changes(alteration *a, calve_sql_distribution distribution,
                                         calve_changes *out, calve_error *err) {
  static const char *const modes[] = {"range", "none", "hash"};
  if (distribution == CALVE_DISTRIBUTION_AS_IT_IS) {
    *out = (calve_changes){0};
    return CALVE_OK;
  }
  calve_property mode = {CALVE_STR("write.distribution-mode"),
                         calve_str_of(modes[distribution])};
  calve_properties set = {&mode, 1};
  return calve_property_update_apply(a->metadata, &set, NULL, 0, a->x->arena, out, err);
}

static calve_status location_changes(alteration *a, calve_changes *out, calve_error *err) {
  calve_change *change = CALVE_NEW(a->x->arena, calve_change);
  if (!change) return calve_fail_oom(err);
  calve_table_name name;
  *change = (calve_change){.kind = CALVE_SET_LOCATION};
  CALVE_TRY(calve_exec_table_name(a->x, &a->x->statement->name, &name, err));
  CALVE_TRY(calve_catalog_own_location(a->x->session->catalog, &name,
                                       a->x->statement->actions[0].text, a->x->arena,
                                       &change->text, err));
  *out = (calve_changes){.change_count = 1, .changes = change};
  return CALVE_OK;
}

/* ---- the statement ------------------------------------------------------------------------ */

static calve_status collect(alteration *a, calve_changes out[2], calve_error *err) {
  const calve_sql_action *first = &a->x->statement->actions[0];
  const calve_new_sort_field *fields;
  switch (first->kind) {
    case CALVE_ACTION_SET_PROPERTIES:
    case CALVE_ACTION_UNSET_PROPERTIES:
      return property_changes(a, &out[0], err);
    case CALVE_ACTION_SET_LOCATION:
      return location_changes(a, &out[0], err);
    case CALVE_ACTION_WRITE_ORDER:
      CALVE_TRY(calve_exec_sort_fields(a->x, first->sort, first->sort_count, &fields, err));
      CALVE_TRY(calve_sort_update_apply(a->metadata, fields, first->sort_count,
                                        calve_exec_case_matters(a->metadata->schema), a->x->arena,
                                        &out[0], err));
      return distribution_changes(a, first->distribution, &out[1], err);
    case CALVE_ACTION_ADD_FIELD:
    case CALVE_ACTION_DROP_FIELD:
    case CALVE_ACTION_REPLACE_FIELD:
    case CALVE_ACTION_RENAME_FIELD:
    case CALVE_ACTION_ORDER_FIELDS:
      return spec_changes(a, &out[0], err);
    default:
      return schema_changes(a, &out[0], err);
  }
}

static calve_status commit(alteration *a, const calve_changes changes[2], calve_error *err) {
  calve_transaction *transaction;
  calve_str name;
  if (a->x->session->dry_run) return calve_exec_show_changes(a->x, a->table, changes, 2, err);
  CALVE_TRY(calve_arena_str(a->x->arena, calve_table_full_name(a->table), &name, err));
  if (changes[0].change_count + changes[1].change_count == 0)
    return calve_exec_message(a->x, err, "table %s: nothing to change", name.data);
  CALVE_TRY(calve_table_begin(a->table, &transaction, err));
  calve_status status = CALVE_OK;
  for (int i = 0; i < 2 && status == CALVE_OK; i++)
    if (changes[i].change_count > 0)
      status = calve_transaction_add_changes(transaction, &changes[i], err);
  if (status == CALVE_OK) status = calve_table_commit_transaction(a->table, transaction, err);
  calve_transaction_free(transaction);
  if (status != CALVE_OK) return status;
  status = calve_exec_warn_of_table(a->x, a->table, NULL);
  (void)status; /* it is altered all the same; the next statement warns */
  calve_exec_done(a->x, "table %s altered", name.data);
  return CALVE_OK;
}

/* What the catalog would refuse, found out without changing anything. */
static calve_status check_rename(calve_exec *x, const calve_table_name *from,
                                 const calve_table_name *to, const char *to_text,
                                 calve_error *err) {
  calve_table *table;
  bool exists;
  CALVE_TRY(calve_exec_open(x, from, &table, err));
  calve_table_close(table);
  CALVE_TRY(calve_catalog_namespace_exists(x->session->catalog, &to->space, &exists, err));
  if (!exists)
    return calve_fail(err, CALVE_ENOTFOUND, to_text,
                      "there is no such namespace; CREATE NAMESPACE makes one");
  CALVE_TRY(calve_catalog_table_exists(x->session->catalog, to, &exists, err));
  return exists ? calve_fail(err, CALVE_EEXISTS, to_text, "there is such a table already")
                : CALVE_OK;
}

static calve_status rename_table(calve_exec *x, calve_error *err) {
  calve_table_name from, to;
  calve_str from_text, to_text;
  const calve_name *target = &x->statement->actions[0].name;
  CALVE_TRY(calve_exec_table_name(x, &x->statement->name, &from, err));
  if (target->part_count == 1) /* RENAME TO b stays in the table's namespace */
    to = (calve_table_name){.space = from.space, .name = target->parts[0]};
  else
    CALVE_TRY(calve_exec_table_name(x, target, &to, err));
  CALVE_TRY(calve_table_name_text(&from, x->arena, &from_text, err));
  CALVE_TRY(calve_table_name_text(&to, x->arena, &to_text, err));
  if (calve_str_equal(from_text, to_text))
    return calve_fail(err, CALVE_EEXISTS, to_text.data, "the table has that name already");
  if (x->session->dry_run) {
    CALVE_TRY(check_rename(x, &from, &to, to_text.data, err));
    return calve_exec_message(x, err, "dry run: table %s would become %s", from_text.data,
                              to_text.data);
  }
  CALVE_TRY(calve_catalog_rename_table(x->session->catalog, &from, &to, err));
  calve_exec_done(x, "table %s is now %s", from_text.data, to_text.data);
  return CALVE_OK;
}

calve_status calve_exec_alter_table(calve_exec *x, calve_error *err) {
  calve_table_name name;
  calve_changes changes[2] = {{0}};
  if (x->statement->actions[0].kind == CALVE_ACTION_RENAME_TABLE) return rename_table(x, err);
  CALVE_TRY(calve_exec_table_name(x, &x->statement->name, &name, err));
  alteration a = {.x = x};
  calve_error failure = {0};
  calve_status status = calve_exec_open(x, &name, &a.table, &failure);
  if (status == CALVE_ENOTFOUND && x->statement->if_exists)
    return calve_exec_message(x, err, "there is no such table");
  if (status != CALVE_OK) {
    if (err) *err = failure;
    return status;
  }
  a.metadata = calve_table_metadata(a.table);
  status = collect(&a, changes, err);
  if (status == CALVE_OK) status = commit(&a, changes, err);
  calve_table_close(a.table);
  return status;
}
