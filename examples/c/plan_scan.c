/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a scan of a table without a catalog: which files a query must read, and what was skipped.
 *
 *   plan_scan METADATA.json|FOLDER [CONDITION]
 *   cc plan_scan.c $(pkg-config --cflags --libs calve)
 */
#include <inttypes.h>
#include <stdio.h>

#include <calve.h>

static int fail(const calve_error *err) {
  fprintf(stderr, "plan_scan: %s%s%s\n", err->where, err->where[0] ? ": " : "", err->message);
  return 1;
}

/* Walks the plan; every batch is gone when the next one comes. */
static calve_status print_tasks(calve_plan *plan, calve_error *err) {
  for (;;) {
    calve_plan_batch batch;
    calve_status status = calve_plan_next(plan, &batch, err);
    if (status != CALVE_OK || batch.count == 0) return status;
    for (size_t i = 0; i < batch.count; i++) {
      const calve_plan_task *task = CALVE_PLAN_TASK(&batch, i);
      calve_str partition, residual;
      status = calve_plan_task_partition(plan, task, false, &partition, err);
      if (status != CALVE_OK) return status;
      status = calve_plan_task_residual(plan, task, &residual, err);
      if (status != CALVE_OK) return status;
      printf("%.*s\n  %" PRId64 " rows, %" PRId64 " bytes, spec %" PRId32 " (%.*s), %zu deletes\n",
             (int)task->path.size, task->path.data, task->record_count, task->file_size_bytes,
             task->spec_id, (int)partition.size, partition.data, task->delete_count);
      printf("  left to check: %.*s\n", (int)residual.size, residual.data);
    }
  }
}

static calve_status plan_table(calve_table *table, const char *condition,
                               const calve_executor *executor, calve_error *err) {
  const calve_plan_config config = {
      .struct_size = sizeof config, .where = condition, .executor = executor};
  calve_plan *plan;
  calve_status status = calve_plan_open(table, &config, &plan, err);
  if (status != CALVE_OK) return status;
  status = print_tasks(plan, err);
  calve_str text;
  if (status == CALVE_OK) status = calve_plan_explain(plan, false, &text, err);
  if (status == CALVE_OK) printf("\n%.*s", (int)text.size, text.data);
  calve_plan_free(plan);
  return status;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: plan_scan METADATA.json|FOLDER [CONDITION]\n");
    return 2;
  }
  calve_error err;
  calve_table *table;
  calve_thread_pool *pool;
  if (calve_table_open_path(argv[1], NULL, &table, &err) != CALVE_OK) return fail(&err);
  if (calve_thread_pool_make(0, NULL, &pool, &err) != CALVE_OK) {
    calve_table_free(table);
    return fail(&err);
  }
  calve_status status =
      plan_table(table, argc == 3 ? argv[2] : NULL, calve_thread_pool_executor(pool), &err);
  calve_thread_pool_free(pool);
  calve_table_free(table);
  return status == CALVE_OK ? 0 : fail(&err);
}
