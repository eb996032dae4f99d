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
  return calve_schema_update_begin(calve_table_metadata(e->table), &e->arena, &e->schema, err);
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
  return calve_spec_update_begin(now, &e->arena, &e->spec, err);
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
