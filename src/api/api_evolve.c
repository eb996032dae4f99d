/* SPDX-License-Identifier: Apache-2.0 */
#include "api/api_parts.h"
#include "base/text.h"
#include "evolve/property_update.h"
#include "evolve/schema_update.h"
#include "evolve/spec_update.h"

/* Steps run in this order: columns, partitioning, properties; each builds on the one before. */
struct calve_evolution {
  calve_table *table;
  const calve_allocator *allocator;
  calve_arena arena;
  calve_transaction *transaction;
  calve_schema_update *schema; /* NULL until asked for                                          */
  calve_spec_update *spec;
  calve_changes schema_changes, spec_changes, property_changes;
  calve_buffer set;   /* calve_property                                                         */
  calve_buffer unset; /* calve_str                                                              */
  bool columns_are_over; /* partitioning builds on them                                          */
  bool ignore_case;
  bool used;
};

calve_status calve_evolution_begin(calve_table *table, calve_evolution **out, calve_error *err) {
  const calve_allocator *allocator = calve_table_allocator(table);
  calve_evolution *e = allocator->resize(allocator->ctx, NULL, 0, sizeof *e);
  if (!e) return calve_fail_oom(err);
  *e = (calve_evolution){.table = table, .allocator = allocator};
  calve_arena_init(&e->arena, allocator);
  calve_buffer_init(&e->set, allocator);
  calve_buffer_init(&e->unset, allocator);
  calve_status status = calve_table_begin(table, &e->transaction, err);
  if (status != CALVE_OK) {
    calve_evolution_free(e);
    return status;
  }
  *out = e;
  return CALVE_OK;
}

void calve_evolution_free(calve_evolution *e) {
  if (!e) return;
  const calve_allocator *allocator = e->allocator;
  calve_transaction_free(e->transaction);
  calve_buffer_free(&e->set);
  calve_buffer_free(&e->unset);
  calve_arena_free(&e->arena);
  allocator->resize(allocator->ctx, e, sizeof *e, 0);
}

/* Texts of callers are borrowed by the builders, so they are copied first. */
static calve_status keep(calve_evolution *e, const char *text, const char *what, calve_str *out,
                         calve_error *err) {
  CALVE_TRY(calve_api__require(text, what, err));
  return calve_arena_str(&e->arena, calve_str_of(text), out, err);
}

static calve_status keep_optional(calve_evolution *e, const char *text, calve_str *out,
                                  calve_error *err) {
  return calve_arena_str(&e->arena, calve_str_of(text), out, err);
}

/* ---- columns ---- */

static calve_status check_unused(const calve_evolution *e, calve_error *err) {
  if (!e->used) return CALVE_OK;
  return calve_fail(err, CALVE_EINVAL, calve_table_full_name(e->table).data,
                    "the evolution was run already; begin a new one");
}

static calve_status columns(calve_evolution *e, calve_error *err) {
  CALVE_TRY(check_unused(e, err));
  if (e->columns_are_over)
    return calve_fail(err, CALVE_EINVAL, calve_table_full_name(e->table).data,
                      "changes to columns come before those to partitioning");
  if (e->schema) return CALVE_OK;
  CALVE_TRY(calve_schema_update_begin(calve_table_metadata(e->table), &e->arena, &e->schema, err));
  calve_schema_update_case_sensitive(e->schema, !e->ignore_case);
  return CALVE_OK;
}

calve_status calve_evolution_ignore_case(calve_evolution *e, calve_error *err) {
  CALVE_TRY(check_unused(e, err));
  if (e->schema || e->spec || e->columns_are_over)
    return calve_fail(err, CALVE_EINVAL, calve_table_full_name(e->table).data,
                      "ignore_case comes before all changes");
  e->ignore_case = true;
  return CALVE_OK;
}

static calve_status parse_type(calve_evolution *e, calve_str text, const calve_type **out,
                               calve_error *err) {
  if (text.size == 0 || text.data[0] != '{')
    return calve_type_parse(text, &e->arena, out, err);
  calve_json_reader r;
  calve_json_open(&r, text, "type", &e->arena);
  CALVE_TRY(calve_type_read_json(&r, out, err));
  return calve_json_end(&r, err);
}

/* "long", or the JSON of a nested type. */
static calve_status type_of(calve_evolution *e, const char *text, const calve_type **out,
                            calve_error *err) {
  calve_str copy;
  CALVE_TRY(keep(e, text, "type", &copy, err));
  return calve_api__of_caller(parse_type(e, calve_str_trim(copy), out, err), err);
}

calve_status calve_evolution_add_column(calve_evolution *e, const char *parent, const char *name,
                                        const char *type, const char *doc, calve_error *err) {
  calve_new_column column = {0};
  CALVE_TRY(columns(e, err));
  CALVE_TRY(keep_optional(e, parent ? parent : "", &column.parent, err));
  CALVE_TRY(keep(e, name, "name", &column.name, err));
  CALVE_TRY(keep_optional(e, doc, &column.doc, err));
  CALVE_TRY(type_of(e, type, &column.type, err));
  return calve_schema_update_add(e->schema, &column, err);
}

/* A default as the JSON of one value of the type. */
static calve_status default_of(calve_evolution *e, const char *text, const calve_type *type,
                               const calve_value **out, calve_error *err) {
  calve_str copy;
  *out = NULL;
  if (!text) return CALVE_OK;
  CALVE_TRY(keep(e, text, "default_json", &copy, err));
  calve_value *value = CALVE_NEW(&e->arena, calve_value);
  if (!value) return calve_fail_oom(err);
  calve_json_reader r;
  calve_json_open(&r, copy, "default_json", &e->arena);
  calve_status status = calve_value_read_json(&r, type, value, err);
  if (status == CALVE_OK) status = calve_json_end(&r, err);
  if (status == CALVE_OK) *out = value;
  return calve_api__of_caller(status, err);
}

static calve_status move_column(calve_evolution *e, calve_str name, int32_t place,
                                const char *other, calve_error *err) {
  calve_str next_to = {0};
  bool beside = place == CALVE_PLACE_BEFORE || place == CALVE_PLACE_AFTER;
  if (!beside && place != CALVE_PLACE_FIRST)
    return calve_fail(err, CALVE_EINVAL, "place", "%d is no place to move to", (int)place);
  if (beside) CALVE_TRY(keep(e, other, "other", &next_to, err));
  switch (place) {
    case CALVE_PLACE_FIRST:
      return calve_schema_update_move_first(e->schema, name, err);
    case CALVE_PLACE_BEFORE:
      return calve_schema_update_move_before(e->schema, name, next_to, err);
    default:
      return calve_schema_update_move_after(e->schema, name, next_to, err);
  }
}

calve_status calve_evolution_add_column_config(calve_evolution *e,
                                               const calve_column_config *given,
                                               calve_error *err) {
  calve_column_config config;
  calve_new_column column = {0};
  calve_str full;
  CALVE_TRY(CALVE_STRUCT_READ(given, calve_column_config, other, &config, err));
  CALVE_TRY(columns(e, err));
  CALVE_TRY(keep_optional(e, config.parent ? config.parent : "", &column.parent, err));
  CALVE_TRY(keep(e, config.name, "name", &column.name, err));
  CALVE_TRY(keep_optional(e, config.doc, &column.doc, err));
  CALVE_TRY(type_of(e, config.type, &column.type, err));
  CALVE_TRY(default_of(e, config.default_json, column.type, &column.default_value, err));
  column.required = config.required;
  CALVE_TRY(calve_schema_update_add(e->schema, &column, err));
  if (config.place == CALVE_PLACE_LAST) return CALVE_OK;
  full = column.name;
  if (column.parent.size > 0)
    CALVE_TRY(calve_arena_printf(&e->arena, &full, err, "%s.%s", column.parent.data,
                                 column.name.data));
  return move_column(e, full, config.place, config.other, err);
}

calve_status calve_evolution_move_column(calve_evolution *e, const char *name, int32_t place,
                                         const char *other, calve_error *err) {
  calve_str column;
  CALVE_TRY(columns(e, err));
  CALVE_TRY(keep(e, name, "name", &column, err));
  return move_column(e, column, place, other, err);
}

calve_status calve_evolution_set_doc(calve_evolution *e, const char *name, const char *doc,
                                     calve_error *err) {
  calve_str column, text;
  CALVE_TRY(columns(e, err));
  CALVE_TRY(keep(e, name, "name", &column, err));
  CALVE_TRY(keep_optional(e, doc, &text, err));
  return calve_schema_update_doc(e->schema, column, text, err);
}

calve_status calve_evolution_set_default(calve_evolution *e, const char *name,
                                         const char *default_json, calve_error *err) {
  const calve_schema_node *node;
  const calve_value *value;
  calve_str column;
  CALVE_TRY(columns(e, err));
  CALVE_TRY(keep(e, name, "name", &column, err));
  if (!default_json) return calve_schema_update_default(e->schema, column, NULL, NULL, err);
  CALVE_TRY(calve_schema_resolve(calve_table_metadata(e->table)->schema, column, !e->ignore_case,
                                 &node, err));
  CALVE_TRY(default_of(e, default_json, node->field->type, &value, err));
  return calve_schema_update_default(e->schema, column, value, node->field->type, err);
}

calve_status calve_evolution_set_identifier_fields(calve_evolution *e, const char *const *names,
                                                   size_t count, calve_error *err) {
  CALVE_TRY(columns(e, err));
  calve_str *kept = CALVE_NEW_ARRAY(&e->arena, calve_str, count);
  if (!kept) return calve_fail_oom(err);
  for (size_t i = 0; i < count; i++) CALVE_TRY(keep(e, names[i], "names", &kept[i], err));
  return calve_schema_update_identifier_fields(e->schema, kept, count, err);
}

calve_status calve_evolution_union_by_name(calve_evolution *e, const char *schema_json,
                                           calve_error *err) {
  const calve_schema *other;
  calve_str copy;
  CALVE_TRY(columns(e, err));
  CALVE_TRY(keep(e, schema_json, "schema_json", &copy, err));
  CALVE_TRY(calve_api__of_caller(
      calve_schema_parse(copy, "schema_json", &e->arena, &other, err), err));
  return calve_schema_update_union_by_name(e->schema, other, err);
}

calve_status calve_evolution_drop_column(calve_evolution *e, const char *name, calve_error *err) {
  calve_str column;
  CALVE_TRY(columns(e, err));
  CALVE_TRY(keep(e, name, "name", &column, err));
  return calve_schema_update_delete(e->schema, column, err);
}

calve_status calve_evolution_rename_column(calve_evolution *e, const char *name,
                                           const char *new_name, calve_error *err) {
  calve_str column, to;
  CALVE_TRY(columns(e, err));
  CALVE_TRY(keep(e, name, "name", &column, err));
  CALVE_TRY(keep(e, new_name, "new_name", &to, err));
  return calve_schema_update_rename(e->schema, column, to, err);
}

calve_status calve_evolution_widen_column(calve_evolution *e, const char *name, const char *type,
                                          calve_error *err) {
  calve_str column;
  const calve_type *wider;
  CALVE_TRY(columns(e, err));
  CALVE_TRY(keep(e, name, "name", &column, err));
  CALVE_TRY(type_of(e, type, &wider, err));
  return calve_schema_update_type(e->schema, column, wider, err);
}

calve_status calve_evolution_make_optional(calve_evolution *e, const char *name,
                                           calve_error *err) {
  calve_str column;
  CALVE_TRY(columns(e, err));
  CALVE_TRY(keep(e, name, "name", &column, err));
  return calve_schema_update_make_optional(e->schema, column, err);
}

/* ---- partitioning ---- */

static calve_status end_columns(calve_evolution *e, calve_error *err) {
  e->columns_are_over = true;
  if (!e->schema) return CALVE_OK;
  CALVE_TRY(calve_schema_update_apply(e->schema, NULL, &e->schema_changes, err));
  CALVE_TRY(calve_transaction_add_changes(e->transaction, &e->schema_changes, err));
  e->schema = NULL;
  return CALVE_OK;
}

static calve_status partitioning(calve_evolution *e, calve_error *err) {
  CALVE_TRY(check_unused(e, err));
  if (e->spec) return CALVE_OK;
  const calve_metadata *now;
  CALVE_TRY(end_columns(e, err));
  CALVE_TRY(calve_transaction_preview(e->transaction, &now, err));
  CALVE_TRY(calve_spec_update_begin(now, &e->arena, &e->spec, err));
  calve_spec_update_case_sensitive(e->spec, !e->ignore_case);
  return CALVE_OK;
}

static calve_status term_of(calve_evolution *e, const char *text, calve_api__term *out,
                            calve_error *err) {
  calve_str copy;
  CALVE_TRY(keep(e, text, "term", &copy, err));
  return calve_api__term_parse(copy, out, err);
}

calve_status calve_evolution_add_partition(calve_evolution *e, const char *term, const char *name,
                                           calve_error *err) {
  calve_api__term parsed;
  calve_str field;
  CALVE_TRY(partitioning(e, err));
  CALVE_TRY(term_of(e, term, &parsed, err));
  CALVE_TRY(keep_optional(e, name, &field, err));
  return calve_spec_update_add(e->spec, parsed.column, &parsed.transform, field, err);
}

calve_status calve_evolution_drop_partition(calve_evolution *e, const char *name,
                                            calve_error *err) {
  calve_str field;
  CALVE_TRY(partitioning(e, err));
  CALVE_TRY(keep(e, name, "name", &field, err));
  return calve_spec_update_remove(e->spec, field, err);
}

calve_status calve_evolution_drop_partition_term(calve_evolution *e, const char *term,
                                                 calve_error *err) {
  calve_api__term parsed;
  CALVE_TRY(partitioning(e, err));
  CALVE_TRY(term_of(e, term, &parsed, err));
  return calve_spec_update_remove_term(e->spec, parsed.column, &parsed.transform, err);
}

calve_status calve_evolution_move_partition(calve_evolution *e, const char *name, int32_t place,
                                            const char *other, calve_error *err) {
  calve_str field, next_to;
  CALVE_TRY(partitioning(e, err));
  CALVE_TRY(keep(e, name, "name", &field, err));
  if (place == CALVE_PLACE_FIRST) return calve_spec_update_move_first(e->spec, field, err);
  if (place != CALVE_PLACE_BEFORE && place != CALVE_PLACE_AFTER)
    return calve_fail(err, CALVE_EINVAL, "place", "%d is no place to move to", (int)place);
  CALVE_TRY(keep(e, other, "other", &next_to, err));
  return place == CALVE_PLACE_BEFORE
             ? calve_spec_update_move_before(e->spec, field, next_to, err)
             : calve_spec_update_move_after(e->spec, field, next_to, err);
}

calve_status calve_evolution_keep_default_spec(calve_evolution *e, calve_error *err) {
  CALVE_TRY(partitioning(e, err));
  calve_spec_update_add_non_default(e->spec);
  return CALVE_OK;
}

calve_status calve_evolution_rename_partition(calve_evolution *e, const char *name,
                                              const char *new_name, calve_error *err) {
  calve_str field, to;
  CALVE_TRY(partitioning(e, err));
  CALVE_TRY(keep(e, name, "name", &field, err));
  CALVE_TRY(keep(e, new_name, "new_name", &to, err));
  return calve_spec_update_rename(e->spec, field, to, err);
}

calve_status calve_evolution_replace_partition(calve_evolution *e, const char *name,
                                               const char *term, const char *new_name,
                                               calve_error *err) {
  calve_api__term parsed;
  calve_str field, to;
  CALVE_TRY(partitioning(e, err));
  CALVE_TRY(keep(e, name, "name", &field, err));
  CALVE_TRY(term_of(e, term, &parsed, err));
  CALVE_TRY(keep_optional(e, new_name, &to, err));
  return calve_spec_update_replace(e->spec, field, parsed.column, &parsed.transform, to, err);
}

/* ---- properties, and the end ---- */

calve_status calve_evolution_set_property(calve_evolution *e, const char *key, const char *value,
                                          calve_error *err) {
  calve_property p;
  CALVE_TRY(check_unused(e, err));
  CALVE_TRY(keep(e, key, "key", &p.key, err));
  CALVE_TRY(keep_optional(e, value, &p.value, err));
  if (value) calve_buffer_put(&e->set, &p, sizeof p);
  else calve_buffer_put(&e->unset, &p.key, sizeof p.key);
  return calve_buffer_check(value ? &e->set : &e->unset, err);
}

static calve_status end_steps(calve_evolution *e, calve_error *err) {
  CALVE_TRY(end_columns(e, err));
  if (e->spec) {
    CALVE_TRY(calve_spec_update_apply(e->spec, NULL, &e->spec_changes, err));
    CALVE_TRY(calve_transaction_add_changes(e->transaction, &e->spec_changes, err));
  }
  if (e->set.size + e->unset.size == 0) return CALVE_OK;
  const calve_metadata *now;
  const calve_properties set = {CALVE_ITEMS(&e->set, calve_property),
                                CALVE_COUNT(&e->set, calve_property)};
  CALVE_TRY(calve_transaction_preview(e->transaction, &now, err));
  CALVE_TRY(calve_property_update_apply(now, &set, CALVE_ITEMS(&e->unset, calve_str),
                                        CALVE_COUNT(&e->unset, calve_str), &e->arena,
                                        &e->property_changes, err));
  return calve_transaction_add_changes(e->transaction, &e->property_changes, err);
}

calve_status calve_evolution_run(calve_evolution *e, calve_error *err) {
  CALVE_TRY(check_unused(e, err));
  e->used = true;
  CALVE_TRY(end_steps(e, err));
  return calve_table_commit_transaction(e->table, e->transaction, err);
}
