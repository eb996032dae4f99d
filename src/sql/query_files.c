/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/query_files.h"

#include "base/text.h"
#include "data/damage.h"
#include "data/sql_text.h"

static calve_str text_of(const calve_json *node, const char *key) {
  const calve_json *j = calve_json_get(node, key);
  return j && j->kind == CALVE_JSON_STRING ? j->text : (calve_str){NULL, 0};
}

static calve_status note(calve_engine *engine, calve_str pattern, calve_error *err) {
  if (pattern.size == 0) return CALVE_OK;
  calve_buffer item;
  calve_buffer_init(&item, calve_engine_allocator(engine));
  calve_sql_string(&item, pattern);
  calve_status status = calve_buffer_check(&item, err);
  if (status == CALVE_OK) status = calve_damage_note(engine, calve_buffer_view(&item), err);
  calve_buffer_free(&item);
  return status;
}

/* The first argument of read_parquet: a string, or a list of them. */
static calve_status note_argument(calve_engine *engine, const calve_json *argument,
                                  calve_error *err) {
  const calve_json *items = calve_json_get(argument, "children");
  CALVE_TRY(note(engine, text_of(calve_json_get(argument, "value"), "value"), err));
  for (size_t i = 0; items && i < items->count; i++)
    CALVE_TRY(note(engine, text_of(calve_json_get(&items->items[i], "value"), "value"), err));
  return CALVE_OK;
}

/* Depth is capped by the JSON reader. */
calve_status calve_query_files_note(calve_engine *engine, const calve_json *ast,
                                    calve_error *err) {
  calve_str type = text_of(ast, "type"), table = text_of(ast, "table_name");
  if (calve_str_equal_text(type, "TABLE_FUNCTION")) {
    const calve_json *function = calve_json_get(ast, "function");
    const calve_json *arguments = calve_json_get(function, "children");
    calve_str name = text_of(function, "function_name");
    bool parquet = calve_str_equal_nocase(name, CALVE_STR("read_parquet")) ||
                   calve_str_equal_nocase(name, CALVE_STR("parquet_scan"));
    if (parquet && arguments && arguments->count > 0)
      CALVE_TRY(note_argument(engine, &arguments->items[0], err));
  } else if (calve_str_equal_text(type, "BASE_TABLE") &&
             calve_str_ends_with(table, CALVE_STR(".parquet"))) {
    CALVE_TRY(note(engine, table, err));
  }
  for (size_t i = 0; i < ast->count; i++)
    CALVE_TRY(calve_query_files_note(engine, &ast->items[i], err));
  return CALVE_OK;
}
