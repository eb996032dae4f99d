/* SPDX-License-Identifier: Apache-2.0 */
#include "data/transform_sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "data/rows_internal.h"
#include "data/types.h"

/* What a registered function knows; freed by DuckDB when the database closes. */
typedef struct function_info {
  const calve_allocator *allocator;
  calve_transform_kind kind;
  calve_type source; /* CALVE_UNKNOWN: any decimal or narrow integer; truncate gives text        */
} function_info;

static void drop_info(void *p) {
  function_info *info = p;
  info->allocator->resize(info->allocator->ctx, info, sizeof *info, 0);
}

static bool row_valid(const uint64_t *valid, idx_t row) {
  return !valid || ((valid[row / 64] >> (row % 64)) & 1);
}

/* ---- vectors as arrays of C values ----------------------------------------------------------- */

static duckdb_type decimal_width(const calve_type *type) {
  if (type->precision <= 4) return DUCKDB_TYPE_SMALLINT;
  if (type->precision <= 9) return DUCKDB_TYPE_INTEGER;
  return type->precision <= 18 ? DUCKDB_TYPE_BIGINT : DUCKDB_TYPE_HUGEINT;
}

static calve_int128 *decimals(const calve_type *type, const void *data, idx_t count,
                              calve_arena *arena) {
  calve_int128 *out = CALVE_NEW_ARRAY(arena, calve_int128, count);
  for (idx_t i = 0; out && i < count; i++) {
    switch (decimal_width(type)) {
      case DUCKDB_TYPE_SMALLINT:
        out[i] = ((const int16_t *)data)[i];
        break;
      case DUCKDB_TYPE_INTEGER:
        out[i] = ((const int32_t *)data)[i];
        break;
      case DUCKDB_TYPE_BIGINT:
        out[i] = ((const int64_t *)data)[i];
        break;
      default: {
        duckdb_hugeint v = ((const duckdb_hugeint *)data)[i];
        out[i] = (calve_int128)(((calve_uint128)(uint64_t)v.upper << 64) | v.lower);
      }
    }
  }
  return out;
}

static void put_decimals(const calve_type *type, const calve_int128 *values, idx_t count,
                         const uint64_t *valid, void *data) {
  for (idx_t i = 0; i < count; i++) {
    calve_int128 v = row_valid(valid, i) ? values[i] : 0;
    switch (decimal_width(type)) {
      case DUCKDB_TYPE_SMALLINT:
        ((int16_t *)data)[i] = (int16_t)v;
        break;
      case DUCKDB_TYPE_INTEGER:
        ((int32_t *)data)[i] = (int32_t)v;
        break;
      case DUCKDB_TYPE_BIGINT:
        ((int64_t *)data)[i] = (int64_t)v;
        break;
      default:
        ((duckdb_hugeint *)data)[i] =
            (duckdb_hugeint){.lower = (uint64_t)v, .upper = (int64_t)(v >> 64)};
    }
  }
}

static calve_str *strings(duckdb_string_t *data, const uint64_t *valid, idx_t count,
                          calve_arena *arena) {
  calve_str *out = CALVE_NEW_ARRAY(arena, calve_str, count);
  for (idx_t i = 0; out && i < count; i++)
    if (row_valid(valid, i))
      out[i] = (calve_str){duckdb_string_t_data(&data[i]), duckdb_string_t_length(data[i])};
  return out;
}

static const void *uuids(const duckdb_hugeint *data, idx_t count, calve_arena *arena) {
  uint8_t(*out)[16] = calve_arena_array(arena, count, 16);
  for (idx_t i = 0; out && i < count; i++) calve_rows__uuid(data[i], out[i]);
  return out;
}

/* NULL when memory is out. */
static const void *values_of(const calve_type *type, duckdb_vector vector, const uint64_t *valid,
                             idx_t count, calve_arena *arena) {
  void *data = duckdb_vector_get_data(vector);
  switch (type->id) {
    case CALVE_DECIMAL:
      return decimals(type, data, count, arena);
    case CALVE_STRING:
    case CALVE_FIXED:
    case CALVE_BINARY:
      return strings(data, valid, count, arena);
    case CALVE_UUID:
      return uuids(data, count, arena);
    default:
      return data; /* the engine keeps these as we do */
  }
}

/* A value truncated towards minus infinity may need a digit more than its type has, and would wrap
 * in the engine's narrower integers. */
static calve_status check_decimals(const calve_type *type, const calve_transform *t,
                                   const calve_int128 *values, idx_t count, const uint64_t *valid,
                                   calve_error *err) {
  char text[CALVE_TYPE_TEXT_MAX];
  for (idx_t i = 0; i < count; i++)
    if (row_valid(valid, i) && calve_decimal_digits(values[i]) > type->precision)
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "truncate[%d] of a value near the minimum of %s is below what the type "
                        "can hold: such a row can't be partitioned",
                        t->parameter, calve_type_text(type, text));
  return CALVE_OK;
}

/* ---- the functions --------------------------------------------------------------------------- */

static void put_strings(const calve_str *values, idx_t count, const uint64_t *valid,
                        duckdb_vector output) {
  for (idx_t i = 0; i < count; i++)
    if (row_valid(valid, i))
      duckdb_vector_assign_string_element_len(output, i, values[i].data, values[i].size);
}

/* Our own calls have the number as a literal; people may write a column there. */
static calve_status parameter_of(duckdb_data_chunk input, idx_t count, int32_t *out,
                                 calve_error *err) {
  duckdb_vector vector = duckdb_data_chunk_get_vector(input, 0);
  const int32_t *numbers = duckdb_vector_get_data(vector);
  const uint64_t *valid = duckdb_vector_get_validity(vector);
  for (idx_t i = 0; i < count; i++)
    if (!row_valid(valid, i) || numbers[i] != numbers[0] || numbers[i] < 1)
      return calve_fail(err, CALVE_EINVAL, NULL,
                        "the first argument of bucket and truncate must be a number above 0");
  *out = numbers[0];
  return CALVE_OK;
}

/* Integers that the engine has and Iceberg has not, and NULL, which is no value; NULL when memory
 * is out. */
static const int64_t *narrow_integers(duckdb_type type, const void *data, idx_t count,
                                      calve_arena *arena) {
  int64_t *out = CALVE_NEW_ARRAY(arena, int64_t, count);
  for (idx_t i = 0; out && i < count; i++) {
    switch (type) {
      case DUCKDB_TYPE_TINYINT:
        out[i] = ((const int8_t *)data)[i];
        break;
      case DUCKDB_TYPE_UTINYINT:
        out[i] = ((const uint8_t *)data)[i];
        break;
      case DUCKDB_TYPE_SMALLINT:
        out[i] = ((const int16_t *)data)[i];
        break;
      case DUCKDB_TYPE_USMALLINT:
        out[i] = ((const uint16_t *)data)[i];
        break;
      case DUCKDB_TYPE_UINTEGER:
        out[i] = ((const uint32_t *)data)[i];
        break;
      default:
        out[i] = 0;
    }
  }
  return out;
}

/* The argument's type and values; *values NULL when memory is out. */
static calve_type load_source(const function_info *info, duckdb_vector vector,
                              const uint64_t *valid, idx_t count, calve_arena *arena,
                              const void **values) {
  calve_type source = info->source;
  if (source.id == CALVE_UNKNOWN) {
    duckdb_logical_type type = duckdb_vector_get_column_type(vector);
    duckdb_type id = duckdb_get_type_id(type);
    source = (calve_type){.id = id == DUCKDB_TYPE_DECIMAL ? CALVE_DECIMAL : CALVE_LONG,
                          .precision = duckdb_decimal_width(type),
                          .scale = duckdb_decimal_scale(type)};
    duckdb_destroy_logical_type(&type);
    if (id != DUCKDB_TYPE_DECIMAL) {
      *values = narrow_integers(id, duckdb_vector_get_data(vector), count, arena);
      return source;
    }
  }
  *values = values_of(&source, vector, valid, count, arena);
  return source;
}

/* What truncate gives, in the form of the function's result. */
static void put_truncated(const function_info *info, const calve_type *source, const void *values,
                          idx_t count, const uint64_t *valid, duckdb_vector output) {
  char text[CALVE_DECIMAL_TEXT_MAX];
  if (info->source.id == CALVE_DECIMAL) {
    put_decimals(source, values, count, valid, duckdb_vector_get_data(output));
  } else if (info->source.id != CALVE_UNKNOWN) {
    put_strings(values, count, valid, output);
  } else {
    for (idx_t i = 0; i < count; i++) {
      if (!row_valid(valid, i)) continue;
      if (source->id == CALVE_DECIMAL)
        calve_decimal_format(((const calve_int128 *)values)[i], source->scale, text);
      else
        snprintf(text, sizeof text, "%" PRId64, ((const int64_t *)values)[i]);
      duckdb_vector_assign_string_element(output, i, text);
    }
  }
}

static calve_status run(const function_info *info, duckdb_data_chunk input, duckdb_vector output,
                        calve_arena *arena, calve_error *err) {
  idx_t count = duckdb_data_chunk_get_size(input);
  idx_t columns = duckdb_data_chunk_get_column_count(input);
  duckdb_vector vector = duckdb_data_chunk_get_vector(input, columns - 1);
  uint64_t *valid = duckdb_vector_get_validity(vector);
  calve_transform t = {.kind = info->kind};
  if (t.kind == CALVE_BUCKET || t.kind == CALVE_TRUNCATE)
    CALVE_TRY(parameter_of(input, count, &t.parameter, err));
  const void *values;
  const calve_type source = load_source(info, vector, valid, count, arena, &values);
  if (!values) return calve_fail_oom(err);
  calve_column column = {
      .type = &source, .values = values, .valid = (const uint8_t *)valid, .count = count};
  void *result = duckdb_vector_get_data(output);
  bool truncates = info->kind == CALVE_TRUNCATE, decimal = source.id == CALVE_DECIMAL;
  bool text = source.id == CALVE_STRING || source.id == CALVE_BINARY || source.id == CALVE_FIXED;
  if (truncates && text) result = CALVE_NEW_ARRAY(arena, calve_str, count);
  if (truncates && decimal) result = CALVE_NEW_ARRAY(arena, calve_int128, count);
  bool any = info->source.id == CALVE_UNKNOWN;
  if (truncates && any && !decimal) result = CALVE_NEW_ARRAY(arena, int64_t, count);
  if (!result) return calve_fail_oom(err);
  size_t bad_row = 0;
  CALVE_TRY(calve_transform_apply_column(&t, &column, result, &bad_row, err));
  if (truncates && decimal) CALVE_TRY(check_decimals(&source, &t, result, count, valid, err));
  if (truncates && (text || decimal || any))
    put_truncated(info, &source, result, count, valid, output);
  if (valid) {
    duckdb_vector_ensure_validity_writable(output);
    memcpy(duckdb_vector_get_validity(output), valid, (count + 63) / 64 * sizeof *valid);
  }
  return CALVE_OK;
}

static void execute(duckdb_function_info function, duckdb_data_chunk input, duckdb_vector output) {
  const function_info *info = duckdb_scalar_function_get_extra_info(function);
  calve_arena arena;
  calve_error err;
  if (duckdb_data_chunk_get_size(input) == 0) return;
  calve_arena_init(&arena, info->allocator);
  if (run(info, input, output, &arena, &err) != CALVE_OK)
    duckdb_scalar_function_set_error(function, err.message);
  calve_arena_free(&arena);
}

static duckdb_logical_type logical_type(const calve_type *type) {
  switch (type->id) {
    case CALVE_INT:
      return duckdb_create_logical_type(DUCKDB_TYPE_INTEGER);
    case CALVE_LONG:
      return duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
    case CALVE_DATE:
      return duckdb_create_logical_type(DUCKDB_TYPE_DATE);
    case CALVE_TIME:
      return duckdb_create_logical_type(DUCKDB_TYPE_TIME);
    case CALVE_TIMESTAMP:
      return duckdb_create_logical_type(DUCKDB_TYPE_TIMESTAMP);
    case CALVE_TIMESTAMPTZ:
      return duckdb_create_logical_type(DUCKDB_TYPE_TIMESTAMP_TZ);
    case CALVE_TIMESTAMP_NS:
      return duckdb_create_logical_type(DUCKDB_TYPE_TIMESTAMP_NS);
    case CALVE_STRING:
      return duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    case CALVE_UUID:
      return duckdb_create_logical_type(DUCKDB_TYPE_UUID);
    case CALVE_FIXED:
    case CALVE_BINARY:
      return duckdb_create_logical_type(DUCKDB_TYPE_BLOB);
    case CALVE_DECIMAL:
      return duckdb_create_decimal_type((uint8_t)type->precision, (uint8_t)type->scale);
    case CALVE_UNKNOWN:
      return duckdb_create_logical_type(DUCKDB_TYPE_ANY);
    default:
      return NULL;
  }
}

/* A function of anything is one of decimals, as the engine can't say "of any precision", and then
 * of what it would have widened had that not been there. */
static void check_argument(duckdb_bind_info bind) {
  static const duckdb_type known[] = {
      DUCKDB_TYPE_DECIMAL,   DUCKDB_TYPE_TINYINT,  DUCKDB_TYPE_UTINYINT, DUCKDB_TYPE_SMALLINT,
      DUCKDB_TYPE_USMALLINT, DUCKDB_TYPE_UINTEGER, DUCKDB_TYPE_SQLNULL};
  const function_info *info = duckdb_scalar_function_bind_get_extra_info(bind);
  duckdb_expression argument = duckdb_scalar_function_bind_get_argument(
      bind, duckdb_scalar_function_bind_get_argument_count(bind) - 1);
  duckdb_logical_type type = duckdb_expression_return_type(argument);
  duckdb_type id = duckdb_get_type_id(type);
  duckdb_destroy_logical_type(&type);
  duckdb_destroy_expression(&argument);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (id == known[i]) return;
  duckdb_scalar_function_bind_set_error(
      bind, info->kind == CALVE_BUCKET
                ? "bucket() takes whole numbers, decimals, dates, times, timestamps, text, bytes "
                  "and UUIDs: cast the argument to one of these"
                : "truncate() takes whole numbers, decimals, text and bytes: cast the argument to "
                  "one of these");
}

/* A function of a number, where `numbered`, and of a source. */
static calve_status make_function(calve_engine *engine, const char *name, const calve_transform *t,
                                  const calve_type *source, bool numbered, const calve_type *result,
                                  duckdb_scalar_function *out, calve_error *err) {
  const calve_allocator *allocator = calve_engine_allocator(engine);
  duckdb_logical_type type = logical_type(source), returned = logical_type(result);
  function_info *info = allocator->resize(allocator->ctx, NULL, 0, sizeof *info);
  if (type && returned && info) {
    *info = (function_info){.allocator = allocator, .kind = t->kind, .source = *source};
    duckdb_logical_type integer = duckdb_create_logical_type(DUCKDB_TYPE_INTEGER);
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_scalar_function_set_name(function, name);
    if (numbered) duckdb_scalar_function_add_parameter(function, integer);
    duckdb_scalar_function_add_parameter(function, type);
    duckdb_scalar_function_set_return_type(function, returned);
    duckdb_scalar_function_set_extra_info(function, info, drop_info);
    duckdb_scalar_function_set_function(function, execute);
    if (source->id == CALVE_UNKNOWN) duckdb_scalar_function_set_bind(function, check_argument);
    duckdb_destroy_logical_type(&integer);
    *out = function;
  } else if (info) {
    allocator->resize(allocator->ctx, info, sizeof *info, 0);
  }
  calve_status status = CALVE_OK;
  if (!info) status = calve_fail_oom(err);
  if (info && (!type || !returned))
    status = calve_fail(err, CALVE_EUNSUPPORTED, NULL, "this version can't compute %s", name);
  if (type) duckdb_destroy_logical_type(&type);
  if (returned) duckdb_destroy_logical_type(&returned);
  return status;
}

/* What partitions are written by: the result is the plain number of a day, not a DATE. */
static calve_status register_function(calve_engine *engine, const char *name,
                                      const calve_transform *t, const calve_type *source,
                                      calve_error *err) {
  duckdb_scalar_function function = NULL;
  CALVE_TRY(make_function(engine, name, t, source, true,
                          t->kind == CALVE_TRUNCATE ? source : calve_type_of(CALVE_INT), &function,
                          err));
  duckdb_state state = duckdb_register_scalar_function(calve_engine_connection(engine), function);
  duckdb_destroy_scalar_function(&function);
  if (state != DuckDBSuccess)
    return calve_fail(err, CALVE_EINVAL, NULL, "DuckDB refuses the function %s", name);
  return CALVE_OK;
}

/* ---- for people ------------------------------------------------------------------------------ */

typedef struct named_function {
  const char *name;
  calve_transform_kind kind;
  size_t source_count;
  calve_type_id sources[12];
} named_function;

/* Gives decimals as text, for the macro that casts it back. */
#define TRUNCATE_ANY "__calve_truncate"

static const named_function named_functions[] = {
    {"bucket",
     CALVE_BUCKET,
     11,
     {CALVE_INT, CALVE_LONG, CALVE_DATE, CALVE_TIME, CALVE_TIMESTAMP, CALVE_TIMESTAMPTZ,
      CALVE_TIMESTAMP_NS, CALVE_STRING, CALVE_UUID, CALVE_BINARY, CALVE_UNKNOWN}},
    {TRUNCATE_ANY,
     CALVE_TRUNCATE,
     5,
     {CALVE_INT, CALVE_LONG, CALVE_STRING, CALVE_BINARY, CALVE_UNKNOWN}},
    {"truncate", CALVE_TRUNCATE, 4, {CALVE_INT, CALVE_LONG, CALVE_STRING, CALVE_BINARY}},
    {"years", CALVE_YEAR, 4, {CALVE_DATE, CALVE_TIMESTAMP, CALVE_TIMESTAMPTZ, CALVE_TIMESTAMP_NS}},
    {"months",
     CALVE_MONTH,
     4,
     {CALVE_DATE, CALVE_TIMESTAMP, CALVE_TIMESTAMPTZ, CALVE_TIMESTAMP_NS}},
    {"days", CALVE_DAY, 4, {CALVE_DATE, CALVE_TIMESTAMP, CALVE_TIMESTAMPTZ, CALVE_TIMESTAMP_NS}},
    {"hours", CALVE_HOUR, 3, {CALVE_TIMESTAMP, CALVE_TIMESTAMPTZ, CALVE_TIMESTAMP_NS}},
};

static calve_status add_overload(calve_engine *engine, duckdb_scalar_function_set set,
                                 const named_function *f, calve_type_id id, calve_error *err) {
  const calve_type *source = calve_type_of(id);
  const calve_transform t = {.kind = f->kind};
  duckdb_scalar_function function = NULL;
  const calve_type *result = calve_transform_result_type(&t, source);
  if (id == CALVE_UNKNOWN)
    result = calve_type_of(f->kind == CALVE_BUCKET ? CALVE_INT : CALVE_STRING);
  CALVE_TRY(make_function(engine, f->name, &t, source, f->kind <= CALVE_TRUNCATE, result, &function,
                          err));
  duckdb_state state = duckdb_add_scalar_function_to_set(set, function);
  duckdb_destroy_scalar_function(&function);
  if (state == DuckDBSuccess) return CALVE_OK;
  return calve_fail(err, CALVE_EINVAL, NULL, "DuckDB refuses the function %s", f->name);
}

static calve_status register_named(calve_engine *engine, const named_function *f,
                                   calve_error *err) {
  duckdb_scalar_function_set set = duckdb_create_scalar_function_set(f->name);
  calve_status status = CALVE_OK;
  for (size_t i = 0; i < f->source_count && status == CALVE_OK; i++)
    status = add_overload(engine, set, f, f->sources[i], err);
  if (status == CALVE_OK &&
      duckdb_register_scalar_function_set(calve_engine_connection(engine), set) != DuckDBSuccess)
    status = calve_fail(err, CALVE_EINVAL, NULL, "DuckDB refuses the function %s", f->name);
  duckdb_destroy_scalar_function_set(&set);
  return status;
}

calve_status calve_sql_transform_functions(calve_engine *engine, calve_error *err) {
  bool first = false;
  CALVE_TRY(calve_engine__first_use(engine, "transforms for people", &first, err));
  for (size_t i = 0; first && i < sizeof named_functions / sizeof *named_functions; i++)
    CALVE_TRY(register_named(engine, &named_functions[i], err));
  return CALVE_OK;
}

calve_status calve_sql_truncate_of_decimals(calve_engine *engine, calve_error *err) {
  bool first = false;
  CALVE_TRY(calve_engine__first_use(engine, "truncate of decimals", &first, err));
  if (!first) return CALVE_OK;
  return calve_engine_run(engine,
                          "CREATE MACRO memory.main.truncate(width, value) AS "
                          "cast_to_type(" TRUNCATE_ANY "(width, value), value)",
                          err);
}

calve_status calve_sql_truncate_is_theirs(calve_engine *engine, calve_error *err) {
  bool never = false;
  CALVE_TRY(calve_engine__first_use(engine, "truncate of decimals", &never, err));
  return never ? CALVE_OK : calve_engine_run(engine, "DROP MACRO memory.main.truncate", err);
}

/* ---- for writing ----------------------------------------------------------------------------- */

calve_status calve_sql_transform(calve_engine *engine, const calve_transform *t,
                                 const calve_type *source, calve_str input, calve_buffer *out,
                                 calve_error *err) {
  static const char *const words[] = {
      [CALVE_BUCKET] = "bucket", [CALVE_TRUNCATE] = "truncate", [CALVE_YEAR] = "year",
      [CALVE_MONTH] = "month",   [CALVE_DAY] = "day",           [CALVE_HOUR] = "hour"};
  if (t->kind == CALVE_IDENTITY) {
    calve_buffer_put_str(out, input);
    return CALVE_OK;
  }
  if (t->kind == CALVE_VOID || t->kind == CALVE_TRANSFORM_UNKNOWN ||
      !calve_transform_accepts(t, source)) {
    char text[CALVE_TYPE_TEXT_MAX];
    return calve_fail(err, CALVE_EUNSUPPORTED, NULL,
                      "the transform %.*s of a column of type %s can't be computed",
                      CALVE_STR_ARG(t->text), calve_type_text(source, text));
  }
  char name[64];
  if (source->id == CALVE_DECIMAL)
    snprintf(name, sizeof name, "__calve_%s_decimal_%d_%d", words[t->kind], (int)source->precision,
             (int)source->scale);
  else
    snprintf(name, sizeof name, "__calve_%s_%d", words[t->kind], (int)source->id);
  bool first = false;
  CALVE_TRY(calve_engine__first_use(engine, name, &first, err));
  if (first) CALVE_TRY(register_function(engine, name, t, source, err));
  calve_buffer_printf(out, "%s(%d, ", name, (int)t->parameter);
  calve_buffer_put_str(out, input);
  calve_buffer_putc(out, ')');
  return CALVE_OK;
}
