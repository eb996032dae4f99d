/* SPDX-License-Identifier: Apache-2.0 */
/* The row of a write that does not fit, looked for once the write has failed. */
#include "data/stage.h"

/* SELECT count(c0), … FROM (the source with its checks); the first row that fails one ends it. */
static calve_status check_rows(calve_stage *stage, const calve_write_request *q, calve_buffer *sql,
                               calve_error *err) {
  calve_buffer from;
  calve_buffer_init(&from, calve_engine_allocator(stage->engine));
  calve_status status = calve_stage__source(stage, q, &from, err);
  calve_buffer_puts(sql, "SELECT count(*)");
  for (int32_t i = 0; status == CALVE_OK && i < stage->schema->root->field_count; i++)
    if (stage->columns[i]) calve_buffer_printf(sql, ", count(c%d)", (int)i);
  calve_buffer_puts(sql, " FROM (");
  calve_buffer_put_str(sql, calve_buffer_view(&from));
  calve_buffer_putc(sql, ')');
  const char *text = calve_buffer_cstr(sql);
  if (status == CALVE_OK) status = calve_buffer_check(&from, err);
  if (status == CALVE_OK) status = calve_buffer_check(sql, err);
  if (status == CALVE_OK) status = calve_engine_run(stage->engine, text, err);
  calve_buffer_free(&from);
  return status;
}

calve_status calve_write_trace(calve_engine *engine, const calve_write_request *request,
                               calve_arena *arena, calve_error *err) {
  calve_stage stage = {.engine = engine,
                       .arena = arena,
                       .schema = request->schema ? request->schema : request->metadata->schema};
  calve_buffer sql;
  calve_buffer_init(&sql, calve_engine_allocator(engine));
  calve_status status = check_rows(&stage, request, &sql, err);
  calve_buffer_free(&sql);
  return status;
}
