/* SPDX-License-Identifier: Apache-2.0 */
/* INSERT INTO t VALUES (1, DEFAULT): the word becomes the column's default, or NULL. */
#include "base/text.h"
#include "data/sql_text.h"
#include "sql/insert.h"

static bool is_fixed(const calve_statement *s, calve_str name) {
  for (size_t i = 0; i < s->static_value_count; i++) {
    const calve_sql_partition_value *v = &s->static_values[i];
    if (v->value_text.data && v->column.part_count == 1 &&
        calve_str_equal_nocase(v->column.parts[0], name))
      return true;
  }
  return false;
}

/* The column that the index-th value of a row goes to; NULL: there is none. */
static const calve_field *column_at(const calve_statement *s, const calve_schema *schema,
                                    size_t index) {
  if (s->insert_column_count > 0) {
    if (index >= s->insert_column_count || s->insert_columns[index].part_count != 1) return NULL;
    const calve_schema_node *node =
        calve_exec_find_column(schema, s->insert_columns[index].parts[0]);
    return node ? node->field : NULL;
  }
  for (int32_t i = 0; i < schema->root->field_count; i++)
    if (!is_fixed(s, schema->root->fields[i].name) && index-- == 0) return &schema->root->fields[i];
  return NULL;
}

static calve_status put_default(const calve_field *field, calve_buffer *sql, calve_error *err) {
  const calve_value *value = field ? field->write_default : NULL;
  if (value && !value->is_null && !calve_type_is_nested(field->type))
    return calve_sql_value(sql, value, field->type, err);
  calve_buffer_puts(sql, "NULL");
  return CALVE_OK;
}

static bool is_symbol_of(const calve_token *t, const char *a, const char *b) {
  return calve_token_is_symbol(t, a) || calve_token_is_symbol(t, b);
}

/* The rows with their DEFAULTs replaced. */
static calve_status put_rows(const calve_statement *s, const calve_schema *schema,
                             const calve_token *t, size_t count, calve_buffer *sql,
                             calve_error *err) {
  size_t copied = 0, index = 0;
  int depth = 0;
  for (size_t i = 1; i + 1 < count; i++) {
    if (is_symbol_of(&t[i], "(", "[") || calve_token_is_symbol(&t[i], "{")) {
      if (depth++ == 0) index = 0;
    } else if (is_symbol_of(&t[i], ")", "]") || calve_token_is_symbol(&t[i], "}")) {
      depth--;
    } else if (depth == 1 && calve_token_is_symbol(&t[i], ",")) {
      index++;
    } else if (depth == 1 && calve_token_is(&t[i], "DEFAULT") &&
               is_symbol_of(&t[i - 1], "(", ",") && is_symbol_of(&t[i + 1], ")", ",")) {
      calve_buffer_put(sql, s->query.data + copied, t[i].offset - copied);
      CALVE_TRY(put_default(column_at(s, schema, index), sql, err));
      copied = t[i].offset + t[i].text.size;
    }
  }
  calve_buffer_put(sql, s->query.data + copied, s->query.size - copied);
  return calve_buffer_check(sql, err);
}

calve_status calve_insert_fill_defaults(calve_exec *x, const calve_schema *schema, calve_str *out,
                                        calve_error *err) {
  const calve_statement *s = x->statement;
  calve_token *t;
  size_t count;
  bool any = false;
  *out = s->query;
  CALVE_TRY(calve_sql_lex(s->query, x->arena, &t, &count, err));
  if (!calve_token_is(&t[0], "VALUES") || s->by_name) return CALVE_OK;
  for (size_t i = 1; i < count && !any; i++) any = calve_token_is(&t[i], "DEFAULT");
  if (!any) return CALVE_OK;
  calve_buffer sql;
  calve_buffer_init(&sql, x->session->allocator);
  calve_status status = put_rows(s, schema, t, count, &sql, err);
  if (status == CALVE_OK) status = calve_arena_str(x->arena, calve_buffer_view(&sql), out, err);
  calve_buffer_free(&sql);
  return status;
}
