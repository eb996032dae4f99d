/* SPDX-License-Identifier: Apache-2.0 */
#include "data/types.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "data/sql_text.h"

static const struct {
  calve_type_id id;
  const char *name;
  duckdb_type duckdb;
} plain_types[] = {
    {CALVE_BOOLEAN, "BOOLEAN", DUCKDB_TYPE_BOOLEAN},
    {CALVE_INT, "INTEGER", DUCKDB_TYPE_INTEGER},
    {CALVE_LONG, "BIGINT", DUCKDB_TYPE_BIGINT},
    {CALVE_FLOAT, "FLOAT", DUCKDB_TYPE_FLOAT},
    {CALVE_DOUBLE, "DOUBLE", DUCKDB_TYPE_DOUBLE},
    {CALVE_DATE, "DATE", DUCKDB_TYPE_DATE},
    {CALVE_TIME, "TIME", DUCKDB_TYPE_TIME},
    {CALVE_TIMESTAMP, "TIMESTAMP", DUCKDB_TYPE_TIMESTAMP},
    {CALVE_TIMESTAMPTZ, "TIMESTAMP WITH TIME ZONE", DUCKDB_TYPE_TIMESTAMP_TZ},
    {CALVE_TIMESTAMP_NS, "TIMESTAMP_NS", DUCKDB_TYPE_TIMESTAMP_NS},
    {CALVE_STRING, "VARCHAR", DUCKDB_TYPE_VARCHAR},
    {CALVE_UUID, "UUID", DUCKDB_TYPE_UUID},
    {CALVE_FIXED, "BLOB", DUCKDB_TYPE_BLOB},
    {CALVE_BINARY, "BLOB", DUCKDB_TYPE_BLOB},
    {CALVE_UNKNOWN, "INTEGER", DUCKDB_TYPE_INVALID}, /* as the engine shows a bare NULL */
};
#define PLAIN_TYPE_COUNT (sizeof plain_types / sizeof plain_types[0])

void calve_sql_type(calve_buffer *out, const calve_type *type) {
  switch (type->id) {
    case CALVE_DECIMAL:
      calve_buffer_printf(out, "DECIMAL(%d,%d)", (int)type->precision, (int)type->scale);
      return;
    case CALVE_STRUCT:
      calve_buffer_puts(out, "STRUCT(");
      for (int32_t i = 0; i < type->field_count; i++) {
        if (i > 0) calve_buffer_puts(out, ", ");
        calve_sql_name(out, type->fields[i].name);
        calve_buffer_putc(out, ' ');
        calve_sql_type(out, type->fields[i].type);
      }
      calve_buffer_putc(out, ')');
      return;
    case CALVE_LIST:
      calve_sql_type(out, type->fields[0].type);
      calve_buffer_puts(out, "[]");
      return;
    case CALVE_MAP:
      calve_buffer_puts(out, "MAP(");
      calve_sql_type(out, type->fields[0].type);
      calve_buffer_puts(out, ", ");
      calve_sql_type(out, type->fields[1].type);
      calve_buffer_putc(out, ')');
      return;
    default:
      for (size_t i = 0; i < PLAIN_TYPE_COUNT; i++)
        if (plain_types[i].id == type->id) calve_buffer_puts(out, plain_types[i].name);
  }
}

static const calve_type *find_part(const calve_type *type, bool for_writing) {
  switch (type->id) {
    case CALVE_VARIANT:
    case CALVE_GEOMETRY:
    case CALVE_GEOGRAPHY:
    case CALVE_TIMESTAMPTZ_NS:
      return type;
    case CALVE_FIXED:
    case CALVE_UNKNOWN: /* always null, and in no file [spec: Primitive Types]                  */
      return for_writing ? type : NULL;
    case CALVE_STRUCT:
      if (type->field_count == 0) return type; /* DuckDB has no struct without fields */
      break;
    default:
      break;
  }
  for (int32_t i = 0; i < type->field_count; i++) {
    const calve_type *part = find_part(type->fields[i].type, for_writing);
    if (part) return part;
  }
  return NULL;
}

const calve_type *calve_sql_type_unreadable(const calve_type *type) {
  return find_part(type, false);
}

const calve_type *calve_sql_type_unwritable(const calve_type *type) {
  return find_part(type, true);
}

const calve_field *calve_sql_type_clash(const calve_type *type) {
  for (int32_t i = 0; i < type->field_count; i++) {
    if (type->id == CALVE_STRUCT)
      for (int32_t j = 0; j < i; j++)
        if (calve_str_equal_nocase(type->fields[i].name, type->fields[j].name))
          return &type->fields[i];
    const calve_field *below = calve_sql_type_clash(type->fields[i].type);
    if (below) return below;
  }
  return NULL;
}

/* ---- the way back ---------------------------------------------------------------------------- */

static calve_status from_duckdb(duckdb_logical_type logical, int depth, calve_arena *arena,
                                const calve_type **out, calve_error *err);

/* Takes ownership of `child`. */
static calve_status fill_field(calve_field *field, calve_str name, duckdb_logical_type child,
                               int depth, calve_arena *arena, calve_error *err) {
  field->id = -1;
  calve_status status = calve_arena_str(arena, name, &field->name, err);
  if (status == CALVE_OK) status = from_duckdb(child, depth, arena, &field->type, err);
  duckdb_destroy_logical_type(&child);
  return status;
}

static calve_status nested_from_duckdb(duckdb_logical_type logical, duckdb_type id, int depth,
                                       calve_arena *arena, const calve_type **out,
                                       calve_error *err) {
  idx_t count = id == DUCKDB_TYPE_STRUCT ? duckdb_struct_type_child_count(logical)
                : id == DUCKDB_TYPE_MAP  ? 2
                                         : 1;
  calve_type *type = CALVE_NEW(arena, calve_type);
  calve_field *fields = CALVE_NEW_ARRAY(arena, calve_field, count);
  if (!type || !fields) return calve_fail_oom(err);
  type->id = id == DUCKDB_TYPE_STRUCT ? CALVE_STRUCT
             : id == DUCKDB_TYPE_MAP  ? CALVE_MAP
                                      : CALVE_LIST;
  type->field_count = (int32_t)count;
  type->fields = fields;
  if (id == DUCKDB_TYPE_MAP) {
    fields[0].required = true;
    CALVE_TRY(fill_field(&fields[0], CALVE_STR("key"), duckdb_map_type_key_type(logical), depth,
                         arena, err));
    CALVE_TRY(fill_field(&fields[1], CALVE_STR("value"), duckdb_map_type_value_type(logical), depth,
                         arena, err));
  } else if (id == DUCKDB_TYPE_LIST || id == DUCKDB_TYPE_ARRAY) {
    duckdb_logical_type child = id == DUCKDB_TYPE_LIST ? duckdb_list_type_child_type(logical)
                                                       : duckdb_array_type_child_type(logical);
    CALVE_TRY(fill_field(&fields[0], CALVE_STR("element"), child, depth, arena, err));
  } else {
    for (idx_t i = 0; i < count; i++) {
      char *name = duckdb_struct_type_child_name(logical, i);
      calve_status status =
          fill_field(&fields[i], calve_str_of(name), duckdb_struct_type_child_type(logical, i),
                     depth, arena, err);
      duckdb_free(name);
      CALVE_TRY(status);
    }
  }
  *out = type;
  return CALVE_OK;
}

static calve_status from_duckdb(duckdb_logical_type logical, int depth, calve_arena *arena,
                                const calve_type **out, calve_error *err) {
  if (depth > CALVE_DEPTH_MAX)
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL, "types nest deeper than %d", CALVE_DEPTH_MAX);
  duckdb_type id = duckdb_get_type_id(logical);
  switch (id) {
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
      *out = calve_type_of(CALVE_INT);
      return CALVE_OK;
    case DUCKDB_TYPE_UINTEGER:
      *out = calve_type_of(CALVE_LONG);
      return CALVE_OK;
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
      *out = calve_type_of(CALVE_TIMESTAMP);
      return CALVE_OK;
    case DUCKDB_TYPE_ENUM:
      *out = calve_type_of(CALVE_STRING);
      return CALVE_OK;
    case DUCKDB_TYPE_DECIMAL:
      return calve_type_decimal(duckdb_decimal_width(logical), duckdb_decimal_scale(logical), arena,
                                out, err);
    case DUCKDB_TYPE_STRUCT:
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_ARRAY:
    case DUCKDB_TYPE_MAP:
      return nested_from_duckdb(logical, id, depth + 1, arena, out, err);
    default:
      break;
  }
  for (size_t i = 0; i < PLAIN_TYPE_COUNT; i++) {
    if (plain_types[i].duckdb != id || plain_types[i].id == CALVE_FIXED) continue;
    *out = calve_type_of(plain_types[i].id);
    return CALVE_OK;
  }
  static const struct {
    duckdb_type id;
    const char *name, *remedy;
  } strangers[] = {
      {DUCKDB_TYPE_UBIGINT, "UBIGINT", "cast it to BIGINT or DECIMAL(20,0)"},
      {DUCKDB_TYPE_HUGEINT, "HUGEINT", "cast it to BIGINT or DECIMAL(38,0)"},
      {DUCKDB_TYPE_UHUGEINT, "UHUGEINT", "cast it to DECIMAL(38,0)"},
      {DUCKDB_TYPE_INTERVAL, "INTERVAL", "cast it to VARCHAR or to a number"},
      {DUCKDB_TYPE_TIME_TZ, "TIME WITH TIME ZONE", "cast it to TIME"},
      {DUCKDB_TYPE_SQLNULL, "NULL", "cast it to the type that is meant"},
      {DUCKDB_TYPE_BIT, "BIT", "cast it to VARCHAR"},
  };
  for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++)
    if (strangers[i].id == id)
      return calve_fail(err, CALVE_EUNSUPPORTED, NULL, "Iceberg has no type for %s; %s",
                        strangers[i].name, strangers[i].remedy);
  return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                    "Iceberg has no type for this DuckDB type (number %d); cast it to VARCHAR",
                    (int)id);
}

calve_status calve_type_of_duckdb(duckdb_logical_type logical, calve_arena *arena,
                                  const calve_type **out, calve_error *err) {
  return from_duckdb(logical, 0, arena, out, err);
}
