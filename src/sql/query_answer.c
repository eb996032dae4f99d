/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/query_answer.h"

#include <inttypes.h>

#include "base/number.h"
#include "base/text.h"
#include "data/sql_text.h"
#include "data/types.h"

/* ---- the shape of the query ----------------------------------------------------------------- */

static bool text_is(const calve_json *node, const char *key, const char *text) {
  const calve_json *j = calve_json_get(node, key);
  return j && j->kind == CALVE_JSON_STRING && calve_str_equal_text(j->text, text);
}

static bool absent(const calve_json *node, const char *key) {
  const calve_json *j = calve_json_get(node, key);
  return !j || j->kind == CALVE_JSON_NULL || (j->kind == CALVE_JSON_ARRAY && j->count == 0) ||
         (j->kind == CALVE_JSON_STRING && j->text.size == 0);
}

/* SELECT list FROM one table WHERE …, with no more than modifiers behind it. */
static bool is_plain_select(const calve_json *node) {
  const calve_json *from = calve_json_get(node, "from_table");
  const calve_json *ctes = calve_json_get(node, "cte_map");
  return text_is(node, "type", "SELECT_NODE") && text_is(from, "type", "BASE_TABLE") &&
         text_is(node, "aggregate_handling", "STANDARD_HANDLING") &&
         absent(node, "group_expressions") && absent(node, "group_sets") &&
         absent(node, "having") && absent(node, "qualify") && absent(node, "sample") &&
         absent(ctes, "map") && absent(from, "sample") && absent(from, "column_name_alias");
}

static bool is_literal(const calve_json *node) {
  const calve_json *is_null = calve_json_get(calve_json_get(node, "value"), "is_null");
  return text_is(node, "class", "CONSTANT") && is_null && !is_null->boolean;
}

static bool read_aggregate(const calve_json *node, calve_aggregate *out) {
  const calve_json *name = calve_json_get(node, "function_name");
  const calve_json *children = calve_json_get(node, "children");
  const calve_json *distinct = calve_json_get(node, "distinct");
  const calve_json *order = calve_json_get(calve_json_get(node, "order_bys"), "orders");
  if (!text_is(node, "class", "FUNCTION") || !name || !children || children->count > 1 ||
      (distinct && distinct->boolean) || !absent(node, "filter") || !absent(node, "schema") ||
      (order && order->count > 0))
    return false;
  const calve_json *argument = children->count == 1 ? &children->items[0] : NULL;
  bool column = argument && text_is(argument, "class", "COLUMN_REF");
  *out = (calve_aggregate){.column = column ? argument : NULL};
  bool count = calve_str_equal_nocase(name->text, CALVE_STR("count"));
  if (!argument || (count && is_literal(argument))) {
    out->kind = CALVE_AGGREGATE_ROWS;
    return count || calve_str_equal_nocase(name->text, CALVE_STR("count_star"));
  }
  out->kind = count ? CALVE_AGGREGATE_COUNT : CALVE_AGGREGATE_MIN;
  if (calve_str_equal_nocase(name->text, CALVE_STR("max"))) out->kind = CALVE_AGGREGATE_MAX;
  return column &&
         (out->kind != CALVE_AGGREGATE_MIN || calve_str_equal_nocase(name->text, CALVE_STR("min")));
}

calve_status calve_answer_shape(const calve_json *ast, calve_arena *arena, calve_aggregate **out,
                                size_t *out_count, calve_error *err) {
  const calve_json *statements = calve_json_get(ast, "statements");
  *out_count = 0;
  if (!statements || statements->count != 1) return CALVE_OK;
  const calve_json *node = calve_json_get(&statements->items[0], "node");
  const calve_json *list = calve_json_get(node, "select_list");
  if (!is_plain_select(node) || !absent(node, "modifiers") || !list || list->count == 0)
    return CALVE_OK;
  calve_aggregate *items = CALVE_NEW_ARRAY(arena, calve_aggregate, list->count);
  if (!items) return calve_fail_oom(err);
  for (size_t i = 0; i < list->count; i++)
    if (!read_aggregate(&list->items[i], &items[i])) return CALVE_OK;
  *out = items;
  *out_count = list->count;
  return CALVE_OK;
}

/* A field without case, as the engine finds it; NULL if none or two fit. */
static const calve_field *field_of(const calve_type *type, calve_str name) {
  const calve_field *found = NULL;
  for (int32_t i = 0; type->id == CALVE_STRUCT && i < type->field_count; i++) {
    if (!calve_str_equal_nocase(type->fields[i].name, name)) continue;
    if (found) return NULL;
    found = &type->fields[i];
  }
  return found;
}

const calve_field *calve_answer_column(const calve_schema *schema, calve_str space,
                                       calve_str table, const calve_json *node) {
  const calve_json *names = calve_json_get(node, "column_names");
  const calve_field *field = NULL;
  const calve_type *type = schema->root;
  if (!names || names->count == 0) return NULL;
  const calve_json *parts = names->items;
  size_t first = names->count > 1 && calve_str_equal_nocase(parts[0].text, table);
  if (first == 0 && names->count > 2 && calve_str_equal_nocase(parts[0].text, space) &&
      calve_str_equal_nocase(parts[1].text, table))
    first = 2;
  for (size_t i = first; i < names->count; i++) {
    field = field_of(type, parts[i].text);
    if (!field) return NULL;
    type = field->type;
  }
  return field;
}

/* A number of rows; -1 when it is no literal. */
static int64_t row_number(const calve_json *node) {
  const calve_json *value = calve_json_get(node, "value");
  int64_t number = -1;
  if (!is_literal(node) || !calve_json_as_i64(calve_json_get(value, "value"), &number)) return -1;
  return number < 0 ? -1 : number;
}

/* A column, or all of them: a function may be an aggregate, of all rows. */
static bool gives_a_row_each(const calve_json *node) {
  if (text_is(node, "class", "STAR"))
    return absent(node, "replace_list") && absent(node, "expr") && text_is(node, "type", "STAR");
  return text_is(node, "class", "COLUMN_REF") || text_is(node, "class", "CONSTANT");
}

int64_t calve_answer_limit(const calve_json *ast) {
  const calve_json *statements = calve_json_get(ast, "statements");
  if (!statements || statements->count != 1) return 0;
  const calve_json *node = calve_json_get(&statements->items[0], "node");
  const calve_json *list = calve_json_get(node, "select_list");
  const calve_json *modifiers = calve_json_get(node, "modifiers");
  if (!is_plain_select(node) || !list || !modifiers || modifiers->count != 1) return 0;
  for (size_t i = 0; i < list->count; i++)
    if (!gives_a_row_each(&list->items[i])) return 0;
  const calve_json *limit = &modifiers->items[0];
  int64_t count = row_number(calve_json_get(limit, "limit")), sum;
  int64_t offset = absent(limit, "offset") ? 0 : row_number(calve_json_get(limit, "offset"));
  if (!text_is(limit, "type", "LIMIT_MODIFIER") || count < 0 || offset < 0 ||
      __builtin_add_overflow(count, offset, &sum))
    return 0;
  return sum > 0 ? sum : 1; /* LIMIT 0 takes no row, and a plan of one will do                    */
}

/* ---- what files tell ------------------------------------------------------------------------ */

typedef struct tally {
  const calve_aggregate *aggregate;
  int64_t count;
  bool has_value;
  calve_value value;
} tally;

/* Types whose bounds are values of the file, untouched. Strings and bytes are cut, floats have NaN
 * and two zeros. */
static bool has_exact_bounds(const calve_type *type) {
  switch (type->id) {
    case CALVE_INT:
    case CALVE_LONG:
    case CALVE_DECIMAL:
    case CALVE_DATE:
    case CALVE_TIMESTAMP:
    case CALVE_TIMESTAMPTZ:
      return true;
    default:
      return false;
  }
}

/* Whether the counts of a column are those of all rows. */
static bool null_count(const calve_data_file *f, int32_t id, int64_t *nulls) {
  const int64_t *values = calve_id_i64_find(&f->value_counts, id);
  const int64_t *found = calve_id_i64_find(&f->null_value_counts, id);
  if (!values || !found || *values != f->record_count || *found < 0 || *found > *values)
    return false;
  *nulls = *found;
  return true;
}

/* Whether a bound has the width of its type, or that of a narrower one before a promotion. */
static bool is_of_type(const calve_type *type, size_t size, const calve_value *v) {
  switch (type->id) {
    case CALVE_DECIMAL:
      return v->i128 < calve_pow10(type->precision) && v->i128 > -calve_pow10(type->precision);
    case CALVE_INT:
    case CALVE_DATE:
      return size == 4;
    default:
      return size == 4 || size == 8;
  }
}

/* The bounds of a column, when they can be what they say: both there, of one width, in order. Other
 * formats round: ORC's statistics have milliseconds. */
static bool load_bounds(const calve_data_file *f, const calve_field *field, calve_value *lower,
                        calve_value *upper) {
  const calve_type *type = field->type;
  const calve_str *low = calve_id_bytes_find(&f->lower_bounds, field->id);
  const calve_str *high = calve_id_bytes_find(&f->upper_bounds, field->id);
  return low && high && calve_data_file_is_format(f, "parquet") &&
         (low->size == high->size || type->id == CALVE_DECIMAL) &&
         calve_value_from_bytes(type, *low, lower, NULL) == CALVE_OK &&
         calve_value_from_bytes(type, *high, upper, NULL) == CALVE_OK &&
         is_of_type(type, low->size, lower) && is_of_type(type, high->size, upper) &&
         calve_value_compare(lower, upper) <= 0;
}

static bool take_bound(tally *t, const calve_data_file *f) {
  bool min = t->aggregate->kind == CALVE_AGGREGATE_MIN;
  calve_value lower, upper;
  if (!load_bounds(f, t->aggregate->field, &lower, &upper)) return false;
  const calve_value *v = min ? &lower : &upper;
  int order = t->has_value ? calve_value_compare(v, &t->value) : 0;
  if (!t->has_value || (min ? order < 0 : order > 0)) t->value = *v;
  t->has_value = true;
  return true;
}

static bool take_file(tally *t, const calve_data_file *f) {
  int64_t nulls;
  if (t->aggregate->kind == CALVE_AGGREGATE_ROWS)
    return !__builtin_add_overflow(t->count, f->record_count, &t->count);
  if (!null_count(f, t->aggregate->field->id, &nulls)) return false;
  if (t->aggregate->kind == CALVE_AGGREGATE_COUNT)
    return !__builtin_add_overflow(t->count, f->record_count - nulls, &t->count);
  if (nulls < f->record_count) return take_bound(t, f);
  return !calve_id_bytes_find(&f->lower_bounds, t->aggregate->field->id) &&
         !calve_id_bytes_find(&f->upper_bounds, t->aggregate->field->id);
}

static bool take_task(tally *tallies, size_t count, const calve_scan_task *task) {
  if (!task->matches_wholly || task->delete_count > 0 || task->file.record_count < 0) return false;
  for (size_t i = 0; i < count && task->file.record_count > 0; i++)
    if (!take_file(&tallies[i], &task->file)) return false;
  return true;
}

static calve_status take_scan(calve_scan *scan, tally *tallies, size_t count, bool *known,
                              calve_error *err) {
  *known = true;
  for (;;) {
    const calve_scan_task *tasks;
    size_t task_count;
    CALVE_TRY(calve_scan_next(scan, &tasks, &task_count, err));
    if (task_count == 0) return CALVE_OK;
    for (size_t i = 0; i < task_count && *known; i++) *known = take_task(tallies, count, &tasks[i]);
    if (!*known) return CALVE_OK;
  }
}

/* ---- values as SQL -------------------------------------------------------------------------- */

/* The year of a date or time that the engine reads as we write it has four digits. */
static bool is_plain(const calve_value *v, calve_str text) {
  bool time = v->type == CALVE_DATE || v->type == CALVE_TIMESTAMP || v->type == CALVE_TIMESTAMPTZ;
  return !time || (text.size > 0 && text.data[0] >= '0' && text.data[0] <= '9');
}

static calve_status put_value(const tally *t, calve_buffer *text, calve_arena *arena,
                              calve_str *out, bool *known, calve_error *err) {
  calve_aggregate_kind kind = t->aggregate->kind;
  if (kind == CALVE_AGGREGATE_ROWS || kind == CALVE_AGGREGATE_COUNT)
    return calve_arena_printf(arena, out, err, "%" PRId64 "::BIGINT", t->count);
  calve_buffer literal;
  calve_buffer_init(&literal, arena->allocator);
  if (t->has_value) calve_value_print(&t->value, &literal);
  *known = *known && (!t->has_value || is_plain(&t->value, calve_buffer_view(&literal)));
  calve_buffer_clear(text);
  calve_buffer_puts(text, "CAST(");
  if (t->has_value)
    calve_sql_string(text, calve_buffer_view(&literal));
  else
    calve_buffer_puts(text, "NULL");
  calve_buffer_puts(text, " AS ");
  calve_sql_type(text, t->aggregate->field->type);
  calve_buffer_putc(text, ')');
  calve_status status = calve_buffer_check(&literal, err);
  if (status == CALVE_OK) status = calve_buffer_check(text, err);
  if (status == CALVE_OK) status = calve_arena_str(arena, calve_buffer_view(text), out, err);
  calve_buffer_free(&literal);
  return status;
}

static calve_status put_values(calve_exec *x, const tally *tallies, size_t count,
                               const calve_str **out, calve_error *err) {
  calve_str *values = CALVE_NEW_ARRAY(x->arena, calve_str, count);
  if (!values) return calve_fail_oom(err);
  calve_buffer text;
  bool known = true;
  calve_status status = CALVE_OK;
  calve_buffer_init(&text, x->session->allocator);
  for (size_t i = 0; i < count && status == CALVE_OK; i++)
    status = put_value(&tallies[i], &text, x->arena, &values[i], &known, err);
  calve_buffer_free(&text);
  if (status == CALVE_OK && known) *out = values;
  return status;
}

/* ---- all together --------------------------------------------------------------------------- */

/* Whether the aggregates are of columns whose statistics could do; *of_columns: of some column. */
static bool may_be_known(const calve_relation_request *q, bool *of_columns) {
  *of_columns = false;
  for (size_t i = 0; i < q->aggregate_count; i++) {
    const calve_aggregate *a = &q->aggregates[i];
    if (a->kind == CALVE_AGGREGATE_ROWS) continue;
    if (a->kind != CALVE_AGGREGATE_COUNT && !has_exact_bounds(a->field->type)) return false;
    if (!calve_type_is_primitive(a->field->type)) return false;
    *of_columns = true;
  }
  return true;
}

calve_status calve_answer_find(calve_exec *x, const calve_relation_request *request,
                               const calve_str **out, calve_error *err) {
  size_t count = request->aggregate_count;
  bool known = false, of_columns;
  *out = NULL;
  tally *tallies = CALVE_NEW_ARRAY(x->arena, tally, count);
  if (!tallies) return calve_fail_oom(err);
  if (count == 0 || !request->filter_is_exact || !may_be_known(request, &of_columns))
    return CALVE_OK;
  for (size_t i = 0; i < count; i++) tallies[i].aggregate = &request->aggregates[i];
  /* Of all columns: a reader that looks for some ids stops when it has them, and would not see that
   * one of them comes twice. The same of the condition, which bounds may settle. */
  calve_scan *scan;
  uint32_t columns = CALVE_COLUMNS_VALUE_COUNTS | CALVE_COLUMNS_NULL_COUNTS | CALVE_COLUMNS_BOUNDS;
  CALVE_TRY(calve_relation_scan(x, request, of_columns || request->filter ? columns : 0, NULL, 0,
                                &scan, err));
  calve_status status = take_scan(scan, tallies, count, &known, err);
  if (status == CALVE_OK && known) status = put_values(x, tallies, count, out, err);
  calve_scan_close(scan);
  return status;
}
