/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/relation.h"

#include <inttypes.h>

#include "data/read.h"
#include "codec/json.h"
#include "plan/explain.h"

/* ---- planning ----------------------------------------------------------------------------- */

calve_status calve_relation_scan(calve_exec *x, const calve_relation_request *request,
                                 uint32_t columns, const int32_t *metric_ids,
                                 size_t metric_id_count, calve_scan **out, calve_error *err) {
  calve_session *s = x->session;
  if (!s->pool) CALVE_TRY(calve_thread_pool_make(s->thread_count, s->allocator, &s->pool, err));
  calve_scan_params params = {.metadata = calve_table_metadata(request->table),
                              .store = calve_table_store(request->table),
                              .at = request->at,
                              .snapshot_id = request->snapshot_id,
                              .timestamp_ms = request->timestamp_ms,
                              .ref = request->ref,
                              .filter = request->filter,
                              .bind = {.lenient = true},
                              .columns = columns,
                              .metric_ids = metric_ids,
                              .metric_id_count = metric_id_count,
                              .filter_is_partial = !request->filter_is_exact,
                              .row_limit = request->row_limit,
                              .executor = calve_thread_pool_executor(s->pool),
                              .cancel = &s->cancel,
                              .allocator = s->allocator,
                              .cache = s->cache};
  calve_status status = calve_scan_open(&params, out, err);
  if (status != CALVE_OK) calve_error_set_where(err, calve_table_full_name(request->table).data);
  return status;
}

/* Files of all tasks, in the arena; *has_deletes when some of their rows are gone. */
static calve_status collect_files(calve_exec *x, calve_scan *scan, calve_buffer *files,
                                  bool *has_deletes, calve_error *err) {
  for (;;) {
    const calve_scan_task *tasks;
    size_t count;
    CALVE_TRY(calve_scan_next(scan, &tasks, &count, err));
    if (count == 0) return calve_buffer_check(files, err);
    for (size_t i = 0; i < count; i++) {
      calve_data_file *file = CALVE_NEW(x->arena, calve_data_file);
      if (!file) return calve_fail_oom(err);
      CALVE_TRY(calve_data_file_copy(&tasks[i].file, x->arena, file, err));
      calve_buffer_put(files, &file, sizeof file);
      *has_deletes |= tasks[i].delete_count > 0;
    }
  }
}

/* Of all files of the scan; of none when it is NULL. */
static calve_status make_view(calve_exec *x, const calve_relation_request *request,
                              calve_scan *scan, const char *name, calve_error *err) {
  calve_buffer files;
  calve_buffer_init(&files, x->session->allocator);
  calve_read_request read = {.schema = request->schema,
                             .metadata = calve_table_metadata(request->table),
                             .rules = calve_table_path_rules(request->table),
                             .table = calve_table_full_name(request->table).data};
  calve_status status = CALVE_OK;
  if (scan) status = collect_files(x, scan, &files, &read.has_deletes, err);
  read.files = CALVE_ITEMS(&files, const calve_data_file *);
  read.file_count = CALVE_COUNT(&files, const calve_data_file *);
  if (status == CALVE_OK) status = calve_read_view(x->session->engine, &read, name, err);
  if (status != CALVE_OK) calve_error_set_where(err, calve_table_full_name(request->table).data);
  calve_buffer_free(&files);
  return status;
}

calve_status calve_relation_make(calve_exec *x, const calve_relation_request *request,
                                 calve_str *name, calve_error *err) {
  calve_scan *scan = NULL;
  calve_str view;
  if (request->metadata_table.data) return calve_metadata_table_make(x, request, name, err);
  CALVE_TRY(calve_arena_printf(x->arena, &view, err, "calve_scan_%" PRIu64,
                               calve_engine_serial(x->session->engine)));
  if (!request->is_answered) CALVE_TRY(calve_relation_scan(x, request, 0, NULL, 0, &scan, err));
  calve_status status = make_view(x, request, scan, view.data, err);
  calve_scan_close(scan);
  CALVE_TRY(status);
  calve_buffer_printf(&x->session->views, "DROP VIEW IF EXISTS %s;", view.data);
  *name = view;
  return CALVE_OK;
}

/* ---- EXPLAIN ------------------------------------------------------------------------------ */

/* Reads the scan to its end, so that its counts are whole. */
static calve_status explain_scan(calve_scan *scan, const calve_relation_request *request, bool json,
                                 calve_buffer *out, calve_error *err) {
  const calve_scan_task *tasks;
  size_t count = 1;
  while (count > 0) CALVE_TRY(calve_scan_next(scan, &tasks, &count, err));
  if (json)
    calve_scan_explain_json(scan, calve_table_full_name(request->table), out);
  else
    calve_scan_explain_text(scan, calve_table_full_name(request->table), out);
  return calve_buffer_check(out, err);
}

static calve_status explain_metadata_table(const calve_relation_request *request, calve_buffer *out,
                                           calve_error *err) {
  calve_json_writer w;
  calve_json_write_init(&w, out, 2);
  calve_json_write_begin(&w, '{');
  calve_json_write_key(&w, "table");
  calve_json_write_str(&w, calve_table_full_name(request->table));
  calve_json_write_key(&w, "metadata-table");
  calve_json_write_str(&w, request->metadata_table);
  calve_json_write_end(&w, '}');
  return calve_buffer_check(out, err);
}

calve_status calve_relation_explain(calve_exec *x, const calve_relation_request *request,
                                    calve_buffer *out, calve_error *err) {
  calve_scan *scan = NULL;
  if (request->metadata_table.data) {
    calve_str name = calve_table_full_name(request->table);
    if (x->session->explain_json) return explain_metadata_table(request, out, err);
    calve_buffer_printf(out, "%.*s.%.*s: made from metadata\n", CALVE_STR_ARG(name),
                        CALVE_STR_ARG(request->metadata_table));
    return CALVE_OK;
  }
  CALVE_TRY(calve_relation_scan(x, request, 0, NULL, 0, &scan, err));
  calve_status status = explain_scan(scan, request, x->session->explain_json, out, err);
  calve_scan_close(scan);
  return status;
}
